"""Flexible bodies given by matrices: integrals over the mass, stiffness, and shapes at markers.

With X the undeformed position, phi_k the shapes and G_kl their second derivatives, in body axes, int over the mass:
S0 = int X, P0 = int X X', S1_k = int phi_k, N1_k = int X phi_k', N2_kl = int phi_k phi_l' (a linear field); S2_kl =
int G_kl, X_kl = int X G_kl' (geometric stiffening), N3_klm = int phi_k G_lm' (second order). Numbers are SI.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from flexmb.model.schema.beams import FlexibleTable
from flexmb.model.schema.bodies import IDENTITY, Marker, RotationField, Strict
from flexmb.model.schema.fields import (
    Context,
    FieldType,
    Matrix,
    Names,
    PlaceField,
    Scalar,
    Vector,
    Where,
    context_of,
    field_error,
    read_number,
)
from flexmb.model.schema.json_forms import Schema, listed, quantity
from flexmb.model.schema.table import Field, FieldError, ValidationInfo, model_validator
from flexmb.model.units import KINDS
from flexmb.suggestions import clipped

if TYPE_CHECKING:
    from flexmb.bodies.invariants import Invariants

Array = tuple[Any, ...]
"""Nested tuples of numbers."""

_ROUND_OFF = 1e-6
"""Relative size of a difference that counts as rounding of typed matrices, not as a fault."""


@dataclass(frozen=True)
class ArrayField(FieldType):
    """Nested lists of numbers, `n` of them where the shape has an "n" (the number of shapes)."""

    shape: tuple[int | str, ...]

    def read(self, value: Any, info: ValidationInfo) -> Array:
        n = context_of(info).n_shapes
        read: Array = self._level(value, self.shape, n, (), info)
        return read

    def _level(self, value: Any, shape: tuple[int | str, ...], n: int | None, at: tuple[int, ...], info: Any) -> Any:
        if not shape:
            try:
                return read_number(value, (KINDS["number"],), info)
            except FieldError as error:
                raise field_error(f"{_place(at)}{error.text}") from None
        wanted = n if shape[0] == "n" else int(shape[0])
        if not isinstance(value, (list, tuple)):
            raise field_error(f"{_place(at)}expected {self._wanted(n)}, found {clipped(value)}")
        if (wanted is not None and len(value) != wanted) or not value:
            raise field_error(f"{_place(at)}expected {self._wanted(n)}, found a list of {len(value)}")
        return tuple(self._level(entry, shape[1:], n, (*at, i + 1), info) for i, entry in enumerate(value))

    def _wanted(self, n: int | None) -> str:
        sizes = [str(n) if size == "n" and n is not None else str(size) for size in self.shape]
        note = " (n shapes: the number of rows of S1)" if "n" in self.shape else ""
        return f"an array {' x '.join(sizes)}{note}"

    def json(self) -> Schema:
        schema = quantity()
        for size in reversed(self.shape):
            schema = listed(schema, None if size == "n" else int(size), least=1)
        return {**schema, "x-value": f"array {' x '.join(map(str, self.shape))}"}


def _place(at: tuple[int, ...]) -> str:
    return f"entry {', '.join(str(i) for i in at)}: " if at else ""


def _count(table: Any) -> int | None:
    """Number of shapes of a raw modal table: the rows of S1."""
    rows = table.get("S1") if isinstance(table, dict) else None
    return len(rows) if isinstance(rows, (list, tuple)) and rows else None


class ModalData(Strict):
    """Integrals over the mass of a flexible body and its stiffness, for n shapes; SI."""

    mass: Annotated[float, Scalar("mass", above=0.0)] = Field(description="Mass [kg].")
    S0: Annotated[Vector, ArrayField((3,))] = Field(description="int X [kg*m], 3.")
    P0: Annotated[Matrix, ArrayField((3, 3))] = Field(description="int X X' [kg*m^2], 3 x 3 (not the inertia tensor).")
    S1: Annotated[Array, ArrayField(("n", 3))] = Field(description="int phi_k, n x 3.")
    N1: Annotated[Array, ArrayField(("n", 3, 3))] = Field(description="int X phi_k', n x 3 x 3.")
    N2: Annotated[Array, ArrayField(("n", "n", 3, 3))] = Field(description="int phi_k phi_l', n x n x 3 x 3.")
    S2: Annotated[Array, ArrayField(("n", "n", 3))] | None = Field(
        None, description="int G_kl, n x n x 3; default: zero."
    )
    X: Annotated[Array, ArrayField(("n", "n", 3, 3))] | None = Field(
        None, description="int X G_kl', n x n x 3 x 3; default: zero."
    )
    N3: Annotated[Array, ArrayField(("n", "n", "n", 3, 3))] | None = Field(
        None, description="int phi_k G_lm', n x n x n x 3 x 3; default: left out."
    )
    K: Annotated[Array, ArrayField(("n", "n"))] = Field(description="Stiffness of the elastic coordinates, n x n.")
    D: Annotated[Array, ArrayField(("n", "n"))] | None = Field(
        None, description="Damping of the elastic coordinates, n x n; default: none."
    )
    labels: Annotated[tuple[str, ...], Names(what="labels")] | None = Field(
        None, description="Names of the elastic coordinates; default: q1, q2, ..."
    )

    @property
    def n_shapes(self) -> int:
        """Number of shapes n."""
        return len(self.S1)

    def invariants(self) -> Invariants:
        """The integrals as arrays; those not given are zero (N3: left out)."""
        import numpy as np

        from flexmb.bodies.invariants import Invariants

        n = self.n_shapes

        def array(values: Array | None, *shape: int) -> Any:
            return np.zeros(shape) if values is None else np.array(values, dtype=float)

        return Invariants(
            mass=self.mass,
            S0=array(self.S0),
            P0=array(self.P0),
            S1=array(self.S1),
            N1=array(self.N1),
            N2=array(self.N2),
            S2=array(self.S2, n, n, 3),
            X=array(self.X, n, n, 3, 3),
            N3=None if self.N3 is None else array(self.N3),
        )

    def faults(self) -> Iterator[tuple[str, str]]:
        """(key, message) for data that no body can have."""
        import numpy as np

        def lopsided(key: str, *order: int) -> bool:
            values = np.array(getattr(self, key), dtype=float)
            return bool(np.abs(values - values.transpose(order)).max() > _ROUND_OFF * max(np.abs(values).max(), 1e-300))

        symmetric = {"P0": (1, 0), "K": (1, 0), "D": (1, 0), "S2": (1, 0, 2), "X": (1, 0, 2, 3), "N3": (0, 2, 1, 3, 4)}
        for key, order in symmetric.items():
            if getattr(self, key) is not None and lopsided(key, *order):
                what = {"N3": " in its last two shapes"}.get(key, "" if key in ("P0", "K", "D") else " in the shapes")
                yield key, f"{key} is not symmetric{what}"
        if lopsided("N2", 1, 0, 3, 2):
            yield "N2", "N2_lk is not the transpose of N2_kl"
        for key in ("K", "D"):
            if getattr(self, key) is not None:
                values = np.linalg.eigvalsh(np.array(getattr(self, key), dtype=float))
                if values[0] < -_ROUND_OFF * max(abs(values[-1]), 1e-300):
                    yield key, f"{key} has a negative eigenvalue ({values[0]:.4g})"
        matrix = self.invariants().mass_matrix(np.zeros(self.n_shapes))
        size = np.sqrt(np.maximum(np.diag(matrix), 1e-300))
        if np.linalg.eigvalsh(matrix / np.outer(size, size))[0] < -_ROUND_OFF:
            yield "mass", "mass, S0, P0, S1, N1 and N2 give a mass matrix with a negative eigenvalue, which no body has"
        if self.labels is not None and len(self.labels) != self.n_shapes:
            wanted = f"{self.n_shapes} label{'s' if self.n_shapes != 1 else ''}"
            yield "labels", f"expected {wanted}, one per shape, found {len(self.labels)}"
        elif self.labels is not None and len(set(self.labels)) < len(self.labels):
            yield "labels", "two labels are the same"


class ModalMarker(Marker):
    """A named frame on a modal body, with the shapes there."""

    absent: ClassVar[dict[str, str]] = {
        "Phi": "A marker on a modal body needs its shapes: displacements Phi (n x 3) and rotations Theta (n x 3).",
        "Theta": "A marker on a modal body needs its shapes: displacements Phi (n x 3) and rotations Theta (n x 3).",
    }
    Phi: Annotated[Array, ArrayField(("n", 3))] = Field(description="Displacement per unit of each coordinate, n x 3.")
    Theta: Annotated[Array, ArrayField(("n", 3))] = Field(
        description="Rotation per unit of each coordinate [rad], n x 3."
    )
    G: Annotated[Array, ArrayField(("n", "n", 3))] | None = Field(
        None, description="Second derivatives of the displacement, n x n x 3; default: zero."
    )
    Gamma: Annotated[Array, ArrayField(("n", "n", 3))] | None = Field(
        None, description="Second derivatives of the rotation vector, n x n x 3; default: zero."
    )


_IN_MODAL = "of a modal body is in its table 'modal'"
_OF_BEAM = "belongs to a beam, which has 'beam' instead of 'modal'"


class ModalBody(FlexibleTable):
    """A flexible body given by its matrices, in its own frame."""

    foreign: ClassVar[dict[str, str]] = {
        "geometry": "belongs to a rigid body: a modal body is drawn as a bar through its markers",
        "mass": f"{_IN_MODAL}",
        "inertia": "of a modal body follows from P0 in its table 'modal'",
        "center": "of a modal body follows from S0 in its table 'modal'",
        "rod": "belongs to a rigid body and cannot be given together with 'modal'",
        "rotor": "belongs to a rigid body: fix one to a marker of the modal body",
        "damping": "of a modal body is the matrix D in its table 'modal'",
        "file": "cannot be given together with 'modal': a body is given by matrices or by a body file",
        **dict.fromkeys(("material", "section", "sections", "masses", "shapes", "frame", "field", "order"), _OF_BEAM),
        **dict.fromkeys(("shear", "rotary_inertia", "y_axis"), _OF_BEAM),
    }

    modal: ModalData = Field(description="Integrals over the mass, stiffness and damping.")
    at: Annotated[Where, PlaceField()] = Field(
        (0.0, 0.0, 0.0), description="Design position of the body frame's origin [m], world axes."
    )
    orientation: Annotated[Matrix, RotationField()] = Field(
        IDENTITY, description="Body axes in the design position, as for a rigid body; default: the world axes."
    )
    markers: dict[str, ModalMarker] = Field(
        {}, description="Named frames on the body with their shapes; 'origin' is the body frame itself."
    )

    @model_validator(mode="before")
    @classmethod
    def _note_count(cls, data: Any, info: ValidationInfo) -> Any:
        if isinstance(info.context, Context) and isinstance(data, dict):
            info.context.n_shapes = _count(data.get("modal"))
        return data
