"""flexmb: flexible multibody dynamics.

Names are imported on first use, so that `import flexmb` is immediate.
"""

from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.7.0"

_PLACES = {
    "Model": "flexmb.model.model",
    "read_model": "flexmb.model.model_file",
    "run": "flexmb.analyses.prepared",
    "run_model": "flexmb.analyses.run",
    "prepare": "flexmb.analyses.prepared",
    "PreparedModel": "flexmb.analyses.prepared",
    "check_model": "flexmb.analyses.check",
    "examine_model": "flexmb.analyses.check",
    "inverse_model": "flexmb.analyses.inverse",
    "forward_check": "flexmb.analyses.forward_check",
    "inverse_report": "flexmb.reports.inverse_report",
    "joint_reactions": "flexmb.results.joint_reactions",
    "section_forces": "flexmb.analyses.section_forces",
    "modes_of_model": "flexmb.analyses.modes",
    "equations_of": "flexmb.symbolic.equations",
    "sympy_equations": "flexmb.symbolic.sympy_form",
    "Result": "flexmb.results.result_file",
    "constant_speed": "flexmb.model.model_loads",
    "polynomial": "flexmb.model.model_loads",
    "harmonic": "flexmb.model.model_loads",
    "ramp": "flexmb.model.model_loads",
    "table": "flexmb.model.model_loads",
    "expression": "flexmb.model.model_loads",
    "Material": "flexmb.elements.material",
    "Section": "flexmb.elements.section",
    "circle": "flexmb.model.model_beams",
    "tube": "flexmb.model.model_beams",
    "rectangle": "flexmb.model.model_beams",
    "i_section": "flexmb.model.model_beams",
    "general_section": "flexmb.model.model_beams",
    "read_mesh": "flexmb.mesh.read",
    "check_mesh": "flexmb.mesh.checks",
    "MATERIALS": "flexmb.elements.material",
    "ReductionRequest": "flexmb.reduction.request",
    "TieRequest": "flexmb.reduction.request",
    "reduce_mesh": "flexmb.bodies.reduce_mesh",
    "write_body": "flexmb.bodies.body_file",
    "read_body": "flexmb.bodies.body_file",
    "animate": "flexmb.view.animate",
    "show": "flexmb.view.animate",
    "BodyFields": "flexmb.view.body_fields",
    "peaks_of": "flexmb.view.peaks",
    "stress_of": "flexmb.view.stress",
    "write_stress": "flexmb.view.stress",
    "SNLine": "flexmb.analyses.stress.sn_line",
    "rainflow": "flexmb.analyses.stress.rainflow",
    "plot_result": "flexmb.view.plots",
    "WarningRecord": "flexmb.warning",
    "InputError": "flexmb.errors",
    "ComputationError": "flexmb.errors",
}
__all__ = [*_PLACES]


def __getattr__(name: str) -> Any:
    if name in _PLACES:
        return getattr(importlib.import_module(_PLACES[name]), name)
    raise AttributeError(f"module 'flexmb' has no attribute '{name}' (names: {', '.join(sorted(_PLACES))})")


def __dir__() -> list[str]:
    return sorted([*globals(), *_PLACES])
