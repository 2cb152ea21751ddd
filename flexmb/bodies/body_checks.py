"""Checks of a reduced body against its finite element model, and a verdict whether to trust it.

Mass, centre and inertia; the frequencies of the free body, full against reduced; the compliance of every interface
under unit loads with inertia relief, C = E K^-1 E^T of the full model against E Phi w^-2 Phi^T E^T of the shapes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from flexmb.arrays import Floats
from flexmb.axes import AXES
from flexmb.bodies.invariants import Invariants
from flexmb.bodies.point_field import PointField
from flexmb.elements.fe_model import FEModel
from flexmb.reduction.component_modes import ComponentModes
from flexmb.reduction.eigenmodes import lowest_modes
from flexmb.reduction.free_body import FreeBody
from flexmb.reduction.small_motions import SmallMotion

Progress = Callable[[str, float], None] | None

GOOD_FREQUENCY, BAD_FREQUENCY = 0.02, 0.2
"""Relative error of the first free frequencies: above the first a warning, above the second bad."""
GOOD_STATICS, BAD_STATICS = 0.05, 0.5
"""Relative error of the compliance of an interface: above the first a warning, above the second bad."""
RIGID = 1e-3
"""Largest frequency of a rigid motion, as a part of the first elastic frequency."""
MOST_CONDITION = 1e4
_BETTER = {
    "tet4": "mesh with tet10",
    "wedge6": "mesh with wedge15 or hex8",
    "hex8": "leave out --hex8 full, or mesh with hex20",
}
"""Cell types that lock in bending, and what to do; hex8 only without its incompatible modes"""
_SAME_INERTIA = 1e-4
"""Relative difference of the inertia of mesh and reduced body that round-off may leave."""
_COMPARED = 3
"""Number of frequencies that count for the verdict."""


@dataclass(frozen=True)
class BodyFindings:
    """Input of the checks."""

    body: FreeBody
    shapes: ComponentModes
    invariants: Invariants
    points: PointField | None
    markers: Sequence[SmallMotion]
    """Motions of all markers in the body frame, with scaled shapes"""


def body_findings(found: BodyFindings, compare: int, progress: Progress = None) -> dict[str, Any]:
    """The numbers of the body report, plain data; `compare`: number of free modes of the full model to compute."""
    body, shapes = found.body, found.shapes
    frequencies = np.sqrt(np.maximum(shapes.omega_squared, 0.0)) / (2.0 * np.pi)
    full = _full_frequencies(body, min(compare, len(frequencies)), progress)
    report: dict[str, Any] = _rigid_body(found)
    report["rigid"] = {
        "count": 6,
        "largest_frequency": body.largest_rigid_frequency(),
        "round_off": body.round_off_frequency(),
    }
    fixed = [source for source in shapes.sources if source.effective_mass is not None]
    report["fixed_frequencies"] = [source.frequency for source in fixed]
    report["effective_mass"] = [[100.0 * share for share in source.effective_mass or ()] for source in fixed]
    report["full_frequencies"] = full
    report["reduced_frequencies"] = frequencies[: len(full)].tolist()
    report["statics"] = _static_errors(body, shapes)
    report["condition"] = shapes.condition
    report["lowest_frequency"], report["highest_frequency"] = float(frequencies[0]), float(frequencies[-1])
    largest = max((float(np.abs(motion.d2).max()) for motion in found.markers if motion.d2.size), default=0.0)
    report["second_order"] = {"largest": largest, "mass_points": 0 if found.points is None else len(found.points.mass)}
    mesh = body.model.mesh
    report["sizes"] = {
        "nodes": len(body.model.points),
        "unknowns": body.n,
        "cells": 0 if mesh is None else sum(len(block) for block in mesh.cells),
        "factor_bytes": int(body.factor.bytes),
    }
    report["notes"] = list(shapes.notes)
    report["verdict"] = verdict(report, _stiff_kinds(body.model))
    return report


def _full_frequencies(body: FreeBody, count: int, progress: Progress) -> list[float]:
    if count == 0:
        return []

    def relay(stage: str, fraction: float) -> None:
        if progress is not None:
            progress(f"comparing with the full model: {stage}", fraction)

    found = lowest_modes(
        body.model.mass_times, body.solve, body.n, count=count, known=body.R, progress=relay, tolerance=1e-6
    )
    return [float(f) for f in found.frequencies[:count]]


def _rigid_body(found: BodyFindings) -> dict[str, Any]:
    model = found.body.model
    R = model.rigid_motions()
    rigid = R.T @ model.mass_times(R)
    mass = float(np.trace(rigid[:3, :3]) / 3.0)
    first = 0.5 * (rigid[3:, :3] - rigid[3:, :3].T)
    S0 = np.array([first[2, 1], first[0, 2], first[1, 0]])
    field = found.points if found.points is not None else found.invariants
    zero = np.zeros(field.n_modes)
    reduced_mass, reduced_S0, P = field.total_mass, field.S(zero), field.P(zero)
    return {
        "mass": {"mesh": mass, "reduced": float(reduced_mass)},
        "centre": {"mesh": (S0 / mass).tolist(), "reduced": (reduced_S0 / reduced_mass).tolist()},
        "inertia": {
            "mesh": _about_centre(rigid[3:, 3:], mass, S0),
            "reduced": _about_centre(np.trace(P) * np.eye(3) - P, reduced_mass, reduced_S0),
        },
    }


def _about_centre(inertia: Floats, mass: float, S0: Floats) -> list[list[float]]:
    c = S0 / mass
    moved = inertia - mass * ((c @ c) * np.eye(3) - np.outer(c, c))
    return [[float(x) for x in row] for row in moved]


def _static_errors(body: FreeBody, shapes: ComponentModes) -> list[dict[str, Any]]:
    """Error of the compliance of every interface for forces and for moments, relative to the largest compliance."""
    if not body.interfaces:
        return []
    full = body.interface_motion(body.attachment_modes)
    motion = body.interface_motion(shapes.Phi)
    reduced = (motion / shapes.omega_squared) @ motion.T
    errors = []
    for number, interface in enumerate(body.interfaces):
        entry: dict[str, Any] = {"interface": interface.name}
        for key, offset in (("force_error", 0), ("moment_error", 3)):
            part = slice(6 * number + offset, 6 * number + offset + 3)
            lost = full[part, part] - reduced[part, part]
            values, axes = np.linalg.eigh(0.5 * (lost + lost.T))
            worst = int(np.abs(values).argmax())
            entry[key] = float(abs(values[worst]) / np.linalg.norm(full[part, part], 2))
            entry[key.replace("error", "direction")] = _direction(axes[:, worst])
        errors.append(entry)
    return errors


def _direction(axis: Floats) -> str:
    """Text of a direction: an axis of the body, or its components"""
    largest = int(np.abs(axis).argmax())
    if abs(axis[largest]) > 0.99:
        return AXES[largest]
    return "({})".format(", ".join(f"{x:.2f}" for x in axis * np.sign(axis[largest])))


def _stiff_kinds(model: FEModel) -> list[str]:
    """Cell types that are too stiff in bending when few of them lie across a part"""
    if model.mesh is None:
        return []
    kinds = dict.fromkeys(block.kind for block in model.mesh.cells)
    plain = not getattr(model.elastic, "incompatible", True)
    return [kind for kind in kinds if kind in _BETTER and (kind != "hex8" or plain)]


def verdict(report: dict[str, Any], stiff_kinds: Sequence[str]) -> dict[str, Any]:
    """Level "good", "care" or "bad", and the reasons."""
    bad: list[str] = []
    care: list[str] = []
    rigid = report["rigid"]
    if rigid["largest_frequency"] > max(RIGID * report["lowest_frequency"], rigid["round_off"]):
        text = f"rigid motions have a frequency of {rigid['largest_frequency']:.3g} Hz"
        bad.append(f"{text}: the stiffness is not that of a free body")
    inertia = report["inertia"]
    lost = np.abs(np.subtract(inertia["mesh"], inertia["reduced"])).max() / np.abs(inertia["mesh"]).max()
    if lost > _SAME_INERTIA:
        text = f"the inertia of the reduced body is {100 * lost:.2g} % off that of the mesh"
        bad.append(f"{text}: check whether the mesh lies very far from its origin")
    pairs = list(zip(report["full_frequencies"], report["reduced_frequencies"], strict=True))[:_COMPARED]
    for number, (full, reduced) in enumerate(pairs):
        error = abs(reduced / full - 1.0)
        text = f"free mode {number + 1} has {reduced:.4g} Hz, the full model {full:.4g} Hz ({100 * error:.1f} % off)"
        if error > GOOD_FREQUENCY:
            (bad if error > BAD_FREQUENCY else care).append(f"{text}: use more modes")
    for entry in report["statics"]:
        for key, load in (("force_error", "force along"), ("moment_error", "moment about")):
            if entry[key] > GOOD_STATICS:
                load = f"a {load} {entry[key.replace('error', 'direction')]}"
                text = f"the compliance of '{entry['interface']}' under {load} is {100 * entry[key]:.0f} % off"
                (bad if entry[key] > BAD_STATICS else care).append(f"{text}: use more modes or --attachment")
    if report["condition"] > MOST_CONDITION:
        care.append(f"the shapes are nearly linearly dependent (condition {report['condition']:.1e})")
    for kind in stiff_kinds:
        care.append(f"{kind} elements are too stiff in bending: {_BETTER[kind]}")
    level = "bad" if bad else "care" if care else "good"
    return {"level": level, "reasons": [*bad, *care]}


def with_warnings(found: dict[str, Any], warnings: Sequence[str]) -> dict[str, Any]:
    """The verdict with warnings added to its reasons."""
    level = "care" if warnings and found["level"] == "good" else found["level"]
    return {"level": level, "reasons": [*found["reasons"], *warnings]}
