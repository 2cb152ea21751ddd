"""The deflection that modes left out would add, against runs that have them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from flexmb.analyses.run import run_model
from flexmb.bodies.body_file import write_body
from flexmb.bodies.reduce_mesh import reduce_mesh
from flexmb.elements.material import Material
from flexmb.model.model import Model
from flexmb.reduction.request import ReductionRequest, TieRequest
from flexmb.verification.solid_meshes import box_mesh

STEEL = Material.isotropic(2.1e11, 0.3, 7850.0)
ENDS = (TieRequest("a", "plane(x=0)"), TieRequest("b", "plane(x=0.3)"))


def tip(folder: Path, method: str, modes: int) -> tuple[float, list[str], str]:
    """Largest deflection of the tip [m] of a cantilever under a slow force, codes of warnings, and the report."""
    mesh = box_mesh("hex20", (10, 1, 1), (0.3, 0.02, 0.01))
    request = ReductionRequest(interfaces=ENDS, method=method, modes=modes, damping=0.05, field="linear")
    write_body(reduce_mesh(mesh, STEEL, request), folder / "bar.h5")
    text = """
[gravity]
value = [0, 0, 0]
[bodies.bar]
file = "bar.h5"
[joints.root]
type = "fixed"
between = ["ground", "bar.a"]
[forces.push]
on = "bar.b"
value = [0, 0, "20*sin(50*t)"]
[sensors.tip]
deflection = "bar.b"
[run]
duration = 0.06
"""
    (folder / "bar.toml").write_text(text)
    result = run_model(Model.from_file(folder / "bar.toml"), folder / f"{method}{modes}.h5")
    found = result["bodies/bar/elastic_position"]
    return float(np.abs(found).max()), [w.code for w in result.warnings], result.report
