"""Largest deflection of the flexible bodies of a run, and an estimate of the axial force in a beam."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from flexmb.bodies.deflection import Deflection, largest_deflection
from flexmb.bodies.field_validity import FieldError, largest_field_error
from flexmb.bodies.flexible_body import FlexibleBody
from flexmb.bodies.orientation import rotations
from flexmb.elements.beam_shapes import BENDING
from flexmb.results.result_file import Result
from flexmb.system.mechanism import Mechanism

_CHUNK = 2**16
STRAIGHT = 1e-12
"""Deflection as a part of the length below which a beam stays straight."""
_PUSHED = 1e-6
"""Force across a beam, as a part of the largest force on it, that is not round-off."""
_ALSO_PUSHED = 0.05
"""Force across a beam that bends in its other plane, as a part of the force there, that is worth a warning."""


@dataclass(frozen=True)
class Finding:
    """Largest deflection and axial force of a flexible body in a run."""

    deflection: Deflection
    time: float
    """Time of the largest deflection [s]"""
    axial_force: float = 0.0
    """Largest axial force, estimated; only for linear fields [N]"""
    error: FieldError = FieldError()
    """Estimated error of its deformation field"""
    error_time: float = 0.0
    """Time of that error [s]"""
    transverse: str = ""
    """Axis of the section, "y" or "z", along which joints push the beam although it has no shape that deflects so"""
    torque: float = 0.0
    """Largest torque that joints pass along a beam without twist shapes [N*m]"""
    left_out: float | None = None
    """Deflection that modes left out would add under the loads of the run, as a part of the present; None: not known"""


Findings = dict[str, Finding]


def flexible_bodies(mechanism: Mechanism) -> list[FlexibleBody]:
    """The flexible bodies of a mechanism."""
    return [body for body in mechanism.bodies if isinstance(body, FlexibleBody) and body.n_modes]


def flexible_findings(mechanism: Mechanism, result: Result) -> Findings:
    """Largest deflection and axial force of every flexible body in the rows of a result."""
    found: Findings = {}
    for body in flexible_bodies(mechanism):
        number = mechanism.body_index[body.name]
        markers = {
            marker.name.removeprefix(f"{body.name}."): marker.shapes
            for marker in mechanism.markers
            if marker.body == number and marker.shapes is not None
        }
        selection = result.names.find(f"bodies/{body.name}/elastic_position")
        best, error = Deflection(), FieldError()
        for first in range(0, result.n_rows, _CHUNK):
            part = result.read(selection, first, first + _CHUNK).reshape(-1, body.n_modes)
            largest = largest_deflection(body, part, markers)
            if not largest.size <= best.size:
                best = Deflection(largest.size, first + largest.row, largest.place)
            wrong = largest_field_error(body, part, markers)
            if (wrong.size, wrong.slope) > (error.size, error.slope):
                error = replace(wrong, row=first + wrong.row)
        force = axial_force(mechanism, body, result) if body.order == 0 and body.basis is not None else 0.0
        pushed, torque = "", 0.0
        if body.basis is not None:
            pushed = unmoved_plane(mechanism, body, result, best.size <= STRAIGHT * body.length)
            torque = passed_torque(mechanism, body, result)
        times = float(result.time[best.row]), float(result.time[error.row])
        found[body.name] = Finding(best, times[0], force, error, times[1], pushed, torque)
    return found


def axial_force(mechanism: Mechanism, body: FlexibleBody, result: Result) -> float:
    """Estimate of the largest axial force in a beam [N]: what its joints pull, or its own spin.

    Between its joints the force changes by the inertia of the beam itself, and lies between those at the ends unless
    the beam spins freely; then it is at most rho A omega^2 L^2/8 in the middle. NaN when the result has no reactions.
    """
    length = body.length
    spin = result[f"bodies/{body.name}/angular_velocity"]
    largest = float(np.max(spin[:, 1] ** 2 + spin[:, 2] ** 2)) * body.mass * length / 8.0
    for force in joint_forces(mechanism, body, result):
        if force is None:
            return np.nan
        largest = max(largest, float(np.max(np.abs(force[:, 0]))))
    return largest


def unmoved_plane(mechanism: Mechanism, body: FlexibleBody, result: Result, is_straight: bool) -> str:
    """Axis of the section, "y" or "z", along which joints push a beam that has no shapes in that plane; else ""."""
    assert body.basis is not None
    components = {shape.component for shape in body.basis.shapes}
    if components.issuperset(BENDING):
        return ""
    forces = [force for force in joint_forces(mechanism, body, result) if force is not None]
    largest = max((float(np.max(np.linalg.norm(force, axis=1))) for force in forces), default=0.0)
    across = {
        plane: max((float(np.max(np.abs(force[:, column]))) for force in forces), default=0.0)
        for plane, column in (("y", 1), ("z", 2))
    }
    for plane in BENDING:
        least = _PUSHED * largest if is_straight else _ALSO_PUSHED * max(across.values())
        if plane not in components and across[plane] > least:
            return plane
    return ""


def passed_torque(mechanism: Mechanism, body: FlexibleBody, result: Result) -> float:
    """Largest torque about its axis by a joint on a beam without twist shapes [N*m]."""
    assert body.basis is not None
    if any(shape.component == "t" for shape in body.basis.shapes):
        return 0.0
    moments = [moment for moment in joint_forces(mechanism, body, result, "moment") if moment is not None]
    return max((float(np.max(np.abs(moment[:, 0]))) for moment in moments), default=0.0)


def joint_forces(
    mechanism: Mechanism, body: FlexibleBody, result: Result, kind: str = "force"
) -> Iterator[np.ndarray | None]:
    """(rows, 3) force [N] or moment [N*m] of every joint on a body, in body axes, up to the sign.

    None when it is not in the result.
    """
    number = mechanism.body_index[body.name]
    R = rotations(result[f"bodies/{body.name}/quaternion"])
    for joint in mechanism.joints:
        first = mechanism.markers[joint.first]
        if number not in (first.body, mechanism.markers[joint.second].body):
            continue
        if f"joints/{joint.name}/{kind}" not in result.channels:
            yield None
            continue
        force = result[f"joints/{joint.name}/{kind}"] @ first.R_b.T
        if first.body:
            force = np.einsum(
                "rij,rj->ri", rotations(result[f"bodies/{mechanism.bodies[first.body].name}/quaternion"]), force
            )
        yield np.einsum("rij,ri->rj", R, force)
