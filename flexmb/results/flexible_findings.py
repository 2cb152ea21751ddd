"""Largest deflection of the flexible bodies of a run, and an estimate of the axial force in a beam."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmb.bodies.deflection import Deflection, largest_deflection
from flexmb.bodies.flexible_body import FlexibleBody
from flexmb.bodies.orientation import rotations
from flexmb.results.result_file import Result
from flexmb.system.mechanism import Mechanism

_CHUNK = 2**16


@dataclass(frozen=True)
class Finding:
    """Largest deflection and axial force of a flexible body in a run."""

    deflection: Deflection
    time: float
    """Time of the largest deflection [s]"""
    axial_force: float = 0.0
    """Largest axial force, estimated; only for linear fields [N]"""


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
        best = Deflection()
        for first in range(0, result.n_rows, _CHUNK):
            part = result.read(selection, first, first + _CHUNK).reshape(-1, body.n_modes)
            largest = largest_deflection(body, part, markers)
            if not largest.size <= best.size:
                best = Deflection(largest.size, first + largest.row, largest.place)
        force = axial_force(mechanism, body, result) if body.order == 0 and body.basis is not None else 0.0
        found[body.name] = Finding(best, float(result.time[best.row]), force)
    return found


def axial_force(mechanism: Mechanism, body: FlexibleBody, result: Result) -> float:
    """Estimate of the largest axial force in a beam [N]: what its joints pull, or its own spin.

    Between its joints the force changes by the inertia of the beam itself, and lies between those at the ends unless
    the beam spins freely; then it is at most rho A omega^2 L^2/8 in the middle. NaN when the result has no reactions.
    """
    length = body.length
    number = mechanism.body_index[body.name]
    along = rotations(result[f"bodies/{body.name}/quaternion"])[:, :, 0]
    spin = result[f"bodies/{body.name}/angular_velocity"]
    largest = float(np.max(spin[:, 1] ** 2 + spin[:, 2] ** 2)) * body.mass * length / 8.0
    for joint in mechanism.joints:
        first = mechanism.markers[joint.first]
        if number not in (first.body, mechanism.markers[joint.second].body):
            continue
        if f"joints/{joint.name}/force" not in result.channels:
            return np.nan
        force = result[f"joints/{joint.name}/force"] @ first.R_b.T
        if first.body:
            force = np.einsum(
                "rij,rj->ri", rotations(result[f"bodies/{mechanism.bodies[first.body].name}/quaternion"]), force
            )
        largest = max(largest, float(np.max(np.abs(np.sum(force * along, axis=1)))))
    return largest
