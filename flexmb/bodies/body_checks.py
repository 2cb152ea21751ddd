"""Checks of a reduced body against its finite element model: the numbers of the body report.

Mass, centre and inertia; the frequencies of the free body, full against reduced, in the band that the reduction claims;
the compliance of every interface under unit loads with inertia relief, C = E K^-1 E^T of the full model against
E Phi w^-2 Phi^T E^T of the shapes; the estimated discretisation error of the model itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from flexmb.arrays import Floats
from flexmb.axes import AXES
from flexmb.bodies.invariants import Invariants
from flexmb.bodies.mode_checks import discretisation, free_modes
from flexmb.bodies.point_field import PointField
from flexmb.bodies.verdict import GOOD_FREQUENCY, STIFF, judge, with_reasons
from flexmb.elements.fe_model import FEModel
from flexmb.reduction.band_modes import Certificate
from flexmb.reduction.component_modes import ComponentModes
from flexmb.reduction.free_body import FreeBody
from flexmb.reduction.small_motions import SmallMotion

Progress = Callable[[str, float], None] | None


@dataclass(frozen=True)
class BodyFindings:
    """Input of the checks."""

    body: FreeBody
    shapes: ComponentModes
    invariants: Invariants
    points: PointField | None
    markers: Sequence[SmallMotion]
    """Motions of all markers in the body frame, with scaled shapes"""
    certificate: Certificate | None = None
    """Certificate of shapes that were chosen for a band"""


def body_findings(
    found: BodyFindings, compare: bool, below: float | None = None, progress: Progress = None
) -> dict[str, Any]:
    """The numbers of the body report, plain data; below : limit that was given for the eigenmodes [Hz]."""
    body, shapes = found.body, found.shapes
    frequencies = np.sqrt(np.maximum(shapes.omega_squared, 0.0)) / (2.0 * np.pi)
    certificate = found.certificate
    modes = free_modes(body, shapes, compare, below, progress, None if certificate is None else certificate.band[1])
    report: dict[str, Any] = _rigid_body(found)
    report["rigid"] = {
        "count": 6,
        "largest_frequency": body.largest_rigid_frequency(),
        "round_off": body.round_off_frequency(),
    }
    fixed = [source for source in shapes.sources if source.effective_mass is not None]
    report["fixed_frequencies"] = [source.frequency for source in fixed]
    report["effective_mass"] = [[100.0 * share for share in source.effective_mass or ()] for source in fixed]
    report["full_frequencies"] = modes.full.tolist()
    report["reduced_frequencies"] = modes.reduced.tolist()
    report["band"] = {
        "claimed": modes.claim,
        "trusted": modes.trusted_up_to,
        "tolerance": GOOD_FREQUENCY,
        "compared": bool(len(modes.full)),
    }
    report["discretisation"] = discretisation(body, modes, progress)
    if certificate is not None:
        report["certificate"] = certificate.as_dict()
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
    return with_reasons(report, judge(report, modes, _stiff_kinds(body.model)))


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


def left_out_compliance(body: FreeBody, shapes: ComponentModes) -> Floats:
    """(6 i, 6 i) motion of the i interfaces under wrenches on them that the shapes leave out [m/N]; inertia relief"""
    motion = body.interface_motion(shapes.Phi)
    lost = body.interface_motion(body.attachment_modes) - (motion / shapes.omega_squared) @ motion.T
    return 0.5 * (lost + lost.T)


def _static_errors(body: FreeBody, shapes: ComponentModes) -> list[dict[str, Any]]:
    """Error of the compliance of every interface for forces and for moments, relative to the largest compliance."""
    if not body.interfaces:
        return []
    full = body.interface_motion(body.attachment_modes)
    left_out = left_out_compliance(body, shapes)
    errors = []
    for number, interface in enumerate(body.interfaces):
        entry: dict[str, Any] = {"interface": interface.name}
        for key, offset in (("force_error", 0), ("moment_error", 3)):
            part = slice(6 * number + offset, 6 * number + offset + 3)
            values, axes = np.linalg.eigh(left_out[part, part])
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
    return [kind for kind in kinds if kind in STIFF and (kind != "hex8" or plain)]
