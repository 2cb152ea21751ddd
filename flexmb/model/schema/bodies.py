"""Bodies and markers of a model."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from flexmb.model.schema.fields import (
    DirectionField,
    FieldType,
    Matrix,
    PlaceField,
    Scalar,
    Vector,
    VectorOf,
    Where,
    field_error,
    read_list,
    read_number,
)
from flexmb.model.schema.geometry import ColorField, GeometryField, Shape
from flexmb.model.schema.json_forms import (
    Schema,
    at_most_one,
    either,
    exactly_one,
    keyed,
    listed,
    needs,
    quantity,
    rules,
    without,
)
from flexmb.model.schema.table import ConfigDict, Field, Table, ValidationInfo
from flexmb.model.units import KINDS
from flexmb.suggestions import clipped, did_you_mean

IDENTITY: Matrix = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


class Strict(Table):
    """A table of the model: unknown keys are rejected, and it is frozen once read."""

    foreign: ClassVar[dict[str, str]] = {}
    """Keys of other tables in the same place -> why this one does not have them: "'key' ..."."""
    absent: ClassVar[dict[str, str]] = {}
    """Missing key -> hint."""
    short: ClassVar[Schema] = {}
    """JSON schema of a short form in place of the table."""


def multiply(a: Matrix, b: Matrix) -> Matrix:
    """Product of two 3x3 matrices."""
    rows = [[sum(a[i][k] * b[k][j] for k in range(3)) for j in range(3)] for i in range(3)]
    return as_matrix(rows)


def as_matrix(rows: Any) -> Matrix:
    """Three rows as tuples."""
    first, second, third = ((float(row[0]), float(row[1]), float(row[2])) for row in rows)
    return (first, second, third)


def rotation(axis: Vector, angle: float) -> Matrix:
    """Rotation by `angle` [rad] about the unit vector `axis` (Rodrigues)."""
    x, y, z = axis
    c, s = math.cos(angle), math.sin(angle)
    d = 1.0 - c
    return (
        (c + x * x * d, x * y * d - z * s, x * z * d + y * s),
        (y * x * d + z * s, c + y * y * d, y * z * d - x * s),
        (z * x * d - y * s, z * y * d + x * s, c + z * z * d),
    )


class RotationField(FieldType):
    """{axis, angle}, {xyz = [a, b, c]} (intrinsic x-y'-z'') or a 3x3 matrix whose columns are the new axes."""

    def read(self, value: Any, info: ValidationInfo) -> Matrix:
        if isinstance(value, dict):
            return self.from_table(value, info)
        if isinstance(value, (list, tuple)) and len(value) == 3 and all(isinstance(r, (list, tuple)) for r in value):
            return self.from_rows(value, info)
        raise field_error(f"expected {{axis=.., angle=..}}, {{xyz=[..]}} or a 3x3 matrix, found {clipped(value)}")

    def from_table(self, value: dict[str, Any], info: ValidationInfo) -> Matrix:
        """Rotation matrix (3, 3) of {axis, angle} or {xyz = [a, b, c]}."""
        for key in value:
            if key not in ("axis", "angle", "xyz"):
                raise field_error(
                    f"'{key}' is not a key of an orientation", did_you_mean(str(key), ("axis", "angle", "xyz"))
                )
        if set(value) == {"axis", "angle"}:
            axis = DirectionField().one(value["axis"], info)
            return rotation(axis, read_number(value["angle"], (KINDS["angle"],), info))
        if set(value) == {"xyz"}:
            a, b, c = read_list(value["xyz"], 3, lambda entry: read_number(entry, (KINDS["angle"],), info))
            return multiply(
                multiply(rotation((1.0, 0.0, 0.0), a), rotation((0.0, 1.0, 0.0), b)), rotation((0.0, 0.0, 1.0), c)
            )
        raise field_error("an orientation needs either axis and angle, or xyz")

    def from_rows(self, value: Any, info: ValidationInfo) -> Matrix:
        """Rotation matrix (3, 3) of three rows, made exactly orthogonal."""
        import numpy as np

        rows = [read_list(row, 3, lambda entry: read_number(entry, (KINDS["number"],), info)) for row in value]
        matrix = np.array(rows)
        if np.abs(matrix.T @ matrix - np.eye(3)).max() > 1e-6 or np.linalg.det(matrix) < 0:
            raise field_error("the matrix is not a rotation (columns of unit length at right angles, right-handed)")
        u, _, vt = np.linalg.svd(matrix)
        return as_matrix(u @ vt)

    def json(self) -> Schema:
        about = keyed({"axis": DirectionField().json(), "angle": quantity("rad")}, ("axis", "angle"))
        angles = keyed({"xyz": listed(quantity("rad"), 3)}, ("xyz",))
        return either(about, angles, listed(listed(quantity(), 3), 3), words="rotation")


class InertiaField(FieldType):
    """[Jxx, Jyy, Jzz], [Jxx, Jyy, Jzz, Jxy, Jxz, Jyz] (entries of the tensor) or 3x3; becomes the 3x3 tensor."""

    def read(self, value: Any, info: ValidationInfo) -> Matrix:
        import numpy as np

        def number(entry: Any) -> float:
            return read_number(entry, (KINDS["inertia"],), info)

        if isinstance(value, (list, tuple)) and len(value) == 3 and all(isinstance(r, (list, tuple)) for r in value):
            tensor = np.array([read_list(row, 3, number) for row in value])
        else:
            xx, yy, zz, xy, xz, yz = (*read_list(value, (3, 6), number), 0.0, 0.0, 0.0)[:6]
            tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        size = np.abs(tensor).max()
        if np.abs(tensor - tensor.T).max() > 1e-9 * size:
            raise field_error("the inertia tensor is not symmetric")
        # The triangle inequality is not required: published, identified robot data violate it.
        small = np.linalg.eigvalsh(tensor)[0]
        if small < -1e-9 * size:
            raise field_error(f"the inertia tensor has a negative principal moment ({small:.4g} kg*m^2)")
        return as_matrix(0.5 * (tensor + tensor.T))

    def json(self) -> Schema:
        one = quantity("kg*m^2")
        forms = (listed(one, 3), listed(one, 6), listed(listed(one, 3), 3))
        return {**either(*forms, words="3, 6 or 3x3 numbers [kg*m^2]"), "x-unit": "kg*m^2"}


@dataclass(frozen=True)
class RodField(FieldType):
    """The two ends of a rod or beam."""

    what: str = "rod"

    def read(self, value: Any, info: ValidationInfo) -> tuple[Where, Where]:
        if not isinstance(value, (list, tuple)) or len(value) != 2:
            raise field_error(f"expected a list of two points, found {clipped(value)}")
        first, second = (PlaceField().read(entry, info) for entry in value)
        if first == second:
            raise field_error(f"the two ends of the {self.what} are the same point")
        return first, second

    def json(self) -> Schema:
        return listed(PlaceField().json(), 2, words="places")


class Marker(Strict):
    """A named frame on a body or on ground."""

    foreign: ClassVar[dict[str, str]] = {
        "along": "belongs to a marker on a beam; give the place by 'at'",
        **dict.fromkeys(("Phi", "Theta", "G", "Gamma"), "belongs to a marker on a modal body"),
    }
    model_config = ConfigDict(json_schema_extra=rules(at_most_one("axis", "orientation")))

    at: Annotated[Where, PlaceField()] = Field(
        (0.0, 0.0, 0.0),
        description="Origin [m]: numbers are in the axes of the body, from its origin; a point name is a world design "
        "position.",
    )
    orientation: Annotated[Matrix, RotationField()] | None = Field(
        None, description="Rotation from the body axes to the marker axes; default: the body axes."
    )
    axis: Annotated[Vector, DirectionField()] | None = Field(
        None, description="Direction of the marker's z axis in world axes, design position; instead of orientation."
    )


_OF_BEAM = "belongs to a flexible beam, which has 'beam' (its two ends) instead of 'mass'"
_OF_FLEXIBLE = "belongs to a flexible body ('beam', 'modal', 'mesh' or 'file')"


FOLLOWS_FROM_ROD = ("at", "orientation", "center", "inertia")
"""Keys that cannot be given together with `rod`."""


class Body(Strict):
    """A rigid body."""

    foreign: ClassVar[dict[str, str]] = {
        **dict.fromkeys(("y_axis", "material", "section", "sections", "masses", "shapes", "frame", "field"), _OF_BEAM),
        **dict.fromkeys(("order", "shear", "rotary_inertia"), _OF_BEAM),
        **dict.fromkeys(("damping", "elastic_position", "elastic_velocity"), _OF_FLEXIBLE),
    }
    absent: ClassVar[dict[str, str]] = {
        "mass": "A body has 'mass' (rigid), 'beam' (a flexible beam), 'modal' (flexible, by its matrices), 'mesh' "
        "(flexible, from a mesh) or 'file' (flexible, from a body file)."
    }
    model_config = ConfigDict(
        json_schema_extra=rules(exactly_one("rod", "inertia"), needs("rod", without(*FOLLOWS_FROM_ROD)))
    )

    mass: Annotated[float, Scalar("mass", least=0.0)] = Field(description="Mass [kg]; zero for a massless body.")
    inertia: Annotated[Matrix, InertiaField()] | None = Field(
        None,
        description="Inertia about the centre of mass in body axes [kg*m^2]: [Jxx, Jyy, Jzz], "
        "[Jxx, Jyy, Jzz, Jxy, Jxz, Jyz] (entries of the tensor) or 3x3.",
    )
    at: Annotated[Where, PlaceField()] = Field(
        (0.0, 0.0, 0.0), description="Design position of the body origin [m], world axes."
    )
    orientation: Annotated[Matrix, RotationField()] = Field(
        IDENTITY,
        description="Body axes in the design position: {axis, angle}, {xyz = [a, b, c]} (intrinsic x-y'-z'') [rad] or "
        "a 3x3 matrix whose columns are the body axes; default: the world axes.",
    )
    center: Annotated[Where, PlaceField()] = Field(
        (0.0, 0.0, 0.0),
        description="Centre of mass [m]: numbers are body coordinates; a point name is a world design position.",
    )
    rod: Annotated[tuple[Where, Where], RodField()] | None = Field(
        None,
        description="Ends A, B of a uniform slender rod, instead of at, orientation, center and inertia: "
        "origin A, x axis towards B.",
    )
    rotor: Annotated[Vector, VectorOf("angular momentum")] | None = Field(
        None, description="Constant internal angular momentum in body axes [N*m*s] (gyrostat)."
    )
    coordinates: Literal["joint", "absolute"] | None = Field(
        None, description="Coordinates of this body; overrides the choice for the model."
    )
    velocity: Annotated[Vector, VectorOf("speed")] | None = Field(
        None, description="Initial velocity of the origin in world axes [m/s], for a body in absolute coordinates."
    )
    angular_velocity: Annotated[Vector, VectorOf("angular speed")] | None = Field(
        None, description="Initial angular velocity in body axes [rad/s], for a body in absolute coordinates."
    )
    markers: dict[str, Marker] = Field({}, description="Named frames on the body; 'origin' always exists.")
    geometry: Annotated[tuple[Shape, ...], GeometryField()] | None = Field(
        None,
        description="Drawn geometry, one shape or a list: {box = [lx, ly, lz], at, orientation}, {cylinder = [A, B], "
        "radius}, {sphere = radius, at}, {file = path, unit, at, orientation}; default: a simple shape. Numbers are "
        "body coordinates [m], point names world design positions. It does not affect the motion.",
    )
    color: Annotated[tuple[float, float, float], ColorField()] | None = Field(
        None, description="Colour of the drawn body: #rrggbb or a name."
    )
