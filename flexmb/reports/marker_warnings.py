"""Warnings about markers that are far from their body: usually world coordinates where those of the body are meant.

The extent of a body is the box, along its axes, around what is known of it: its surface (a mesh), its axis (a beam),
the uniform box with its mass and inertia, its origin and the joints placed by world positions on it. Bodies with drawn
shapes are not judged: what they are is seen.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from flexmb.arrays import Floats
from flexmb.bodies.flexible_body import FlexibleBody
from flexmb.bodies.rigid_body import RigidBody
from flexmb.model.schema.model_spec import ModelSpec
from flexmb.system.mechanism import Mechanism
from flexmb.warning import WarningRecord


def marker_warnings(spec: ModelSpec, mechanism: Mechanism) -> Iterator[WarningRecord]:
    """Markers that are outside their body by more than its size, the diagonal of its box."""
    references = [
        f"{body}.{name}" for body, entry in spec.bodies.items() for name in getattr(entry, "markers", None) or ()
    ]
    numbers = {reference: mechanism.marker_index[reference] for reference in references}
    named, corners = set(numbers.values()), dict[int, Floats]()
    for reference, number in numbers.items():
        marker = mechanism.markers[number]
        if marker.body not in corners:
            corners[marker.body] = _extent(spec, mechanism, marker.body, named)
        low, high = corners[marker.body].min(axis=0), corners[marker.body].max(axis=0)
        size = float(np.linalg.norm(high - low))
        outside = float(np.linalg.norm(np.maximum(np.maximum(low - marker.p_b, marker.p_b - high), 0.0)))
        if size > 0.0 and outside > size:
            body, _, name = reference.partition(".")
            yield WarningRecord(
                "marker-outside",
                f"marker '{reference}' is {outside:.4g} m outside its body, which is {size:.4g} m large. Numbers of a "
                "marker's place are coordinates of the body, from its origin and along its axes; the name of a point "
                "is a world position.",
                f"bodies.{body}.markers.{name}",
                None,
                outside,
                "m",
            )


def _extent(spec: ModelSpec, mechanism: Mechanism, number: int, named: set[int]) -> Floats:
    """(n, 3) points of a body, body axes, that its box encloses [m]."""
    body = mechanism.bodies[number]
    points = [np.zeros((1, 3))]
    ends = (marker for joint in mechanism.joints for marker in (joint.first, joint.second) if marker not in named)
    points += [mechanism.markers[end].p_b[None] for end in ends if mechanism.markers[end].body == number]
    if isinstance(body, FlexibleBody):
        reduced = body.reduced
        if reduced is not None and reduced.surface is not None:
            points.append(reduced.surface.points)
        points.append(np.array([[body.length, 0.0, 0.0]]))
    elif body.mass > 0.0:
        points.append(_box(body))
    if getattr(spec.bodies[body.name], "geometry", None):
        points.append(np.array([[-np.inf] * 3, [np.inf] * 3]))
    return np.concatenate(points)


def _box(body: RigidBody) -> Floats:
    """(2, 3) corners of a box around the centre of mass with the mass and the inertia of a body."""
    c = body.first_moment / body.mass
    J = body.inertia - body.mass * (c @ c * np.eye(3) - np.outer(c, c))
    half = np.sqrt(np.maximum(1.5 * (np.trace(J) - 2.0 * np.diag(J)), 0.0) / body.mass)
    return np.array([c - half, c + half])
