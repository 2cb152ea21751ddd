"""The shapes that a model gives a rigid body, in body axes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from flexmb.arrays import Floats
from flexmb.bodies.rigid_body import RigidBody
from flexmb.errors import Fault, InputError
from flexmb.model.schema.bodies import Body
from flexmb.model.schema.geometry import Shape
from flexmb.model.schema.model_spec import ModelSpec
from flexmb.view.geometry.drawing_files import file_solid
from flexmb.view.geometry.primitives import Solid, box, cylinder, joined, moved, sphere


def model_solid(spec: ModelSpec, body: RigidBody) -> Solid | None:
    """The geometry of a body in the model; None: not given. Raises InputError if a file cannot be used."""
    table = spec.bodies.get(body.name)
    shapes = table.geometry if isinstance(table, Body) else None
    return joined([_solid(shape, spec, body) for shape in shapes]) if shapes else None


def _solid(shape: Shape, spec: ModelSpec, body: RigidBody) -> Solid:
    where = ("bodies", body.name, "geometry")
    if shape.kind == "cylinder":
        start, end = (_place(end, spec, body) for end in shape.ends)
        if np.linalg.norm(end - start) < 1e-12:
            raise InputError([Fault(f"body '{body.name}': the two ends of a cylinder are the same place.", where)])
        return cylinder(start, end, shape.size[0])
    at = _place(shape.at, spec, body)
    if shape.kind == "box":
        return moved(box(shape.size), shape.orientation, at)
    if shape.kind == "sphere":
        return sphere(shape.size[0], at)
    try:
        return moved(file_solid(shape.path, shape.unit), shape.orientation, at)
    except InputError as error:
        faults = [
            replace(fault, text=f"body '{body.name}', {shape.path}: {fault.text}", path=where) for fault in error.faults
        ]
        raise InputError(faults) from error


def _place(where: Any, spec: ModelSpec, body: RigidBody) -> Floats:
    """Body coordinates of a place: given as numbers, or by the name of a point in its world design position [m]."""
    if isinstance(where, str):
        return np.asarray(body.R_wb.T @ (np.asarray(spec.points[where]) - body.p_wb))
    return np.asarray(where, dtype=float)
