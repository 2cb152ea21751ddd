"""Reports as JSON, for other programs (`--json`), and warnings as an exit code (`--strict`).

One document per command: what was computed, headline numbers, warnings, peaks. Numbers are SI; a number that is not
finite is null.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from flexmb.errors import ComputationError, InputError

if TYPE_CHECKING:
    from flexmb.analyses.check import ModelCheck
    from flexmb.arrays import Complexes, Floats
    from flexmb.bodies.reduced_body import ReducedBody
    from flexmb.mesh.checks import MeshReport
    from flexmb.mesh.mesh import Mesh
    from flexmb.results.inverse_result import Departure, InverseDynamics
    from flexmb.results.modal_result import ModalResult, Sweep
    from flexmb.results.result_file import Result
    from flexmb.verification.registry import Outcome
    from flexmb.warning import WarningRecord

WARNED = 1
"""Exit code of a command with --strict that found warnings."""


def print_document(verb: str, document: Mapping[str, Any]) -> None:
    """Print the document of a command."""
    from flexmb.results.versions import flexmb_version

    print(json.dumps(plain_values({"command": verb, "flexmb": flexmb_version(), **document}), indent=2))


def plain_values(value: Any) -> Any:
    """Tables, lists, texts and numbers as JSON has them."""
    if isinstance(value, Mapping):
        return {str(key): plain_values(entry) for key, entry in value.items()}
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [plain_values(entry) for entry in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, (bool, int, str)) else str(value)


def exit_code(warnings: Sequence[WarningRecord], strict: bool) -> int:
    """0, or 1 for warnings with --strict; a line then says so."""
    if not warnings or not strict:
        return 0
    if sys.stderr is not None:
        codes = ", ".join(dict.fromkeys(warning.code for warning in warnings))
        count = f"{len(warnings)} warning{'s' if len(warnings) != 1 else ''}"
        print(f"flexmb: {count}, --strict: exit code {WARNED} ({codes})", file=sys.stderr)
    return WARNED


def error_document(error: InputError | ComputationError) -> dict[str, Any]:
    """A command that ended with an error."""
    if isinstance(error, InputError):
        faults = [
            {"text": fault.text, "place": ".".join(map(str, fault.path)), "hint": fault.hint} for fault in error.faults
        ]
        return {"outcome": "rejected", "error": str(error), "faults": faults}
    return {"outcome": "failed", "error": str(error), "t_reached": getattr(error.summary, "t_reached", None)}


def listed(warnings: Iterable[WarningRecord]) -> list[dict[str, Any]]:
    """Warnings as tables."""
    return [warning.as_dict() for warning in warnings]


def result_document(result: Result) -> dict[str, Any]:
    """A run and its numbers."""
    from flexmb.results.extremes import Extremes

    time, sensors = result.time, {}
    for selection in result.names.find_all([f"sensors/{name}" for name in result.sensors]):
        for scalar in selection.scalars:
            found = Extremes()
            found.take(time, result.read(scalar))
            sensors[scalar.label] = {"unit": scalar.unit, **vars(found)}
    return {
        "model": result.name,
        "outcome": result.outcome,
        "result": str(result.path),
        "rows": result.n_rows,
        "summary": result.summary,
        "sensors": sensors,
        "warnings": listed(result.warnings),
        "peaks": [peak.as_dict() for peak in result.peaks],
    }


def check_document(found: ModelCheck) -> dict[str, Any]:
    """A model that was checked."""
    ready, system = found.ready, found.ready.system
    return {
        "model": system.name,
        "bodies": len(system.mechanism.bodies) - 1,
        "joints": len(system.mechanism.joints),
        "degrees_of_freedom": ready.n_dof,
        "prescribed": sum(row.is_motion for row in system.rows),
        "coordinates": system.n_v,
        "constraint_rows": system.n_rows,
        "redundant": [{"owner": row.owner, "text": row.text} for row in system.dropped],
        "start_gap": ready.start_gap,
        "residual": ready.residual,
        "warnings": listed(found.warnings),
    }


def inverse_document(found: InverseDynamics) -> dict[str, Any]:
    """Inverse dynamics: the run, and how well efforts and reactions are determined."""
    from flexmb.reports.inverse_report import root_mean_square

    time = found.result.time
    return {
        **result_document(found.result),
        "elastic": found.how,
        "driven": found.n_driven,
        "free": found.n_free,
        "drives": [
            {
                "name": drive.name,
                "unit": drive.unit,
                "rms": root_mean_square(time, drive.effort),
                "work": drive.work[-1],
            }
            for drive in found.drives
        ],
        "not_unique": found.not_unique,
        "ill_determined": found.ill_determined,
        "warnings": listed(found.warnings),
    }


def departure_document(departure: Departure | None) -> dict[str, Any]:
    """Largest departures of the forward check of inverse dynamics; empty when it was not made."""
    if departure is None:
        return {}
    distance = {name: values.max() for name, values in departure.bodies.items()}
    angle = {name: values.max() for name, values in departure.angles.items()}
    return {"forward_check": {"distance": distance, "angle": angle}}


def modes_document(modal: ModalResult, most: int | None = None) -> dict[str, Any]:
    """Modes of a linearised model; free motions have frequency 0."""
    entries = [
        {
            "frequency": mode.frequency,
            "damping_ratio": mode.damping_ratio,
            "eigenvalue": [mode.eigenvalue.real, mode.eigenvalue.imag],
            "coordinate": mode.coordinate,
            "bodies": mode.bodies,
            "deformation": mode.elastic,
        }
        for mode in modal.shown[:most]
    ]
    free = [mode.coordinate for mode in modal.modes if mode.is_free]
    return {
        "model": modal.system.name,
        "state": modal.state,
        "modes": entries,
        "free": free,
        "warnings": listed(modal.warnings),
    }


def response_document(
    modal: ModalResult, names: tuple[str, str], frequencies: Floats, response: Complexes
) -> dict[str, Any]:
    """A frequency response; amplitudes in SI units for an input of 1."""
    return {
        "model": modal.system.name,
        "state": modal.state,
        "input": names[0],
        "output": names[1],
        "frequencies": frequencies,
        "amplitudes": abs(response),
        "phases": [math.degrees(math.atan2(value.imag, value.real)) for value in response.tolist()],
        "warnings": listed(modal.warnings),
    }


def sweep_document(sweep: Sweep) -> dict[str, Any]:
    """Frequencies over a parameter."""
    return {
        "model": sweep.model,
        "parameter": sweep.name,
        "values": sweep.values,
        "frequencies": sweep.frequencies,
        "damping_ratios": sweep.ratios,
        "warnings": listed(sweep.warnings),
    }


def verification_document(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Published cases; of several samples the one with the largest error is listed."""
    cases = []
    for outcome in outcomes:
        findings = [
            {
                "quantity": finding.quantity,
                "unit": finding.unit,
                "reference": finding.reference[finding.worst],
                "ours": finding.ours[finding.worst],
                "error": finding.error,
                "tolerance": finding.tolerance,
                "measure": finding.measure,
                "agrees": finding.agrees,
            }
            for finding in outcome.comparison.findings
        ]
        case, failure = outcome.case, outcome.failure
        head = {"case": case.name, "title": case.title, "source": case.source, "agrees": outcome.agrees}
        cases.append({**head, "failure": failure, "seconds": outcome.seconds, "findings": findings})
    return {"agrees": all(outcome.agrees for outcome in outcomes), "cases": cases}


def mesh_document(mesh: Mesh, report: MeshReport) -> dict[str, Any]:
    """A mesh and the findings on it."""
    from flexmb.mesh.deck import deck_summary

    numbers = {name: value for name, value in vars(report).items() if name not in ("faults", "warnings")}
    return {
        "mesh": mesh.name,
        "file": mesh.source,
        "unit": mesh.unit,
        **numbers,
        "deck": dict(deck_summary(mesh.deck)) if mesh.deck is not None else {},
        "notes": list(mesh.notes),
        "faults": [{"text": fault.text, "hint": fault.hint} for fault in report.faults],
        "warnings": listed(report.warnings),
    }


def body_document(body: ReducedBody) -> dict[str, Any]:
    """A reduced body and its report."""
    return {
        "body": body.name,
        "coordinates": [vars(coordinate) for coordinate in body.coordinates],
        "length": body.length,
        "frame": body.frame,
        "report": body.report,
        "provenance": body.provenance,
        "warnings": listed(body.warnings),
    }
