"""Bushing: keys of a spring and damper in six directions, and the checks of its matrices."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np

from flexmb.model.schema.bodies import Strict
from flexmb.model.schema.fields import FieldType, Names, field_error, read_list, read_number
from flexmb.model.schema.json_forms import Schema, any_of, either, given, in_unit, listed, quantity, rules
from flexmb.model.schema.series_fields import TableField
from flexmb.model.schema.table import ConfigDict, Field, FieldError, ValidationInfo
from flexmb.model.units import KINDS
from flexmb.suggestions import clipped

COMPONENTS = ("x", "y", "z", "rx", "ry", "rz")
_ROUND_OFF = 1e-6
"""Part of its diagonal by which an entry may differ from its mirror image: rounding of typed numbers."""
_NEGATIVE = 1e-9
"""Eigenvalue of a matrix with unit diagonal below minus which it is indefinite."""
Six = tuple[float, float, float, float, float, float]


@dataclass(frozen=True)
class SixField(FieldType):
    """Six numbers x, y, z, rx, ry, rz, the first three and the last three of one kind each."""

    kind: str
    turning: str

    def read(self, value: Any, info: ValidationInfo) -> tuple[float, ...]:
        kinds = iter([self.kind] * 3 + [self.turning] * 3)
        return read_list(value, 6, lambda entry: read_number(entry, (KINDS[next(kinds)],), info))

    def json(self) -> Schema:
        units = f"{KINDS[self.kind].unit}, {KINDS[self.turning].unit}"
        return {**listed(quantity(), 6, words=in_unit("six numbers", units)), "x-unit": units}


@dataclass(frozen=True)
class SixBySix(FieldType):
    """Symmetric matrix (6, 6) without negative eigenvalue, or the six numbers of its diagonal."""

    kind: str
    turning: str

    def read(self, value: Any, info: ValidationInfo) -> tuple[tuple[float, ...], ...]:
        if not isinstance(value, (list, tuple)) or len(value) != 6:
            found = f"a list of {len(value)}" if isinstance(value, (list, tuple)) else clipped(value)
            raise field_error(f"expected six numbers (x, y, z, rx, ry, rz) or a 6x6 matrix, found {found}")
        if not any(isinstance(row, (list, tuple)) for row in value):
            diagonal = SixField(self.kind, self.turning).read(value, info)
            rows = tuple(tuple(row) for row in np.diag(diagonal).tolist())
        else:
            rows = tuple(self._row(row, i, info) for i, row in enumerate(value))
        if fault := "; ".join(matrix_faults(np.array(rows))):
            raise field_error(fault)
        return rows

    def _row(self, row: Any, i: int, info: ValidationInfo) -> tuple[float, ...]:
        kinds = iter(("number", self.kind, self.turning)[(1 + i // 3) if i // 3 == j // 3 else 0] for j in range(6))
        try:
            return read_list(row, 6, lambda entry: read_number(entry, (KINDS[next(kinds)],), info))
        except FieldError as error:
            raise field_error(f"row {i + 1}: {error.text}") from None

    def json(self) -> Schema:
        units = f"{KINDS[self.kind].unit}, {KINDS[self.turning].unit}"
        six = listed(quantity(), 6)
        return {**either(six, listed(six, 6), words=in_unit("six numbers, or 6x6 matrix", units)), "x-unit": units}


def matrix_faults(matrix: np.ndarray[Any, np.dtype[np.float64]]) -> Iterator[str]:
    """Reasons why (6, 6) is no matrix of a passive spring or damper: one sentence each."""
    diagonal = np.diag(matrix)
    for i in np.flatnonzero(diagonal < 0.0):
        yield f"the diagonal entry of {COMPONENTS[i]} is {diagonal[i]:g}: it must not be negative"
    if np.any(diagonal < 0.0):
        return
    size = np.sqrt(diagonal)
    skew = np.abs(matrix - matrix.T)
    off = np.argwhere(np.triu(skew > _ROUND_OFF * np.outer(size, size)))
    if off.size:
        i, j = off[int(np.argmax(skew[tuple(off.T)]))]
        yield (
            f"the matrix is not symmetric: entry ({i + 1}, {j + 1}) is {matrix[i, j]:g}, ({j + 1}, {i + 1}) is "
            f"{matrix[j, i]:g}"
        )
        return
    share = np.where(size > 0.0, size, 1.0)
    lowest = float(np.linalg.eigvalsh(matrix / np.outer(share, share))[0])
    if lowest < -_NEGATIVE:
        yield (
            f"the matrix is indefinite: with its diagonal scaled to one, its lowest eigenvalue is {lowest:.3g}, so "
            "that some motion would be pushed on instead of held back"
        )


class BushingCurves(Strict):
    """Further efforts of a bushing, each a straight-line table of its own displacement."""

    x: Annotated[tuple[tuple[float, float], ...], TableField("length", "force", what="displacement")] | None = Field(
        None, description="[[displacement, resisting force], ...] along x [m, N]."
    )
    y: Annotated[tuple[tuple[float, float], ...], TableField("length", "force", what="displacement")] | None = Field(
        None, description="The same along y."
    )
    z: Annotated[tuple[tuple[float, float], ...], TableField("length", "force", what="displacement")] | None = Field(
        None, description="The same along z."
    )
    rx: Annotated[tuple[tuple[float, float], ...], TableField("angle", "torque", what="rotation")] | None = Field(
        None, description="[[rotation, resisting torque], ...] about x [rad, N*m]."
    )
    ry: Annotated[tuple[tuple[float, float], ...], TableField("angle", "torque", what="rotation")] | None = Field(
        None, description="The same about y."
    )
    rz: Annotated[tuple[tuple[float, float], ...], TableField("angle", "torque", what="rotation")] | None = Field(
        None, description="The same about z."
    )


class Bushing(Strict):
    """A spring and damper in all six directions between two markers; unloaded where their frames coincide.

    Displacement and rotation vector of the second frame are seen from the first, rotations below half a turn.
    """

    model_config = ConfigDict(json_schema_extra=rules(any_of(given("stiffness"), given("damping"), given("curves"))))

    type: Literal["bushing"] = Field(description="Type of the force.")
    markers: Annotated[tuple[str, str], Names(2, "markers")] = Field(description="Its two frames, 'body.marker'.")
    stiffness: Annotated[tuple[Six, ...], SixBySix("stiffness", "rotational stiffness")] | None = Field(
        None, description="For x, y, z, rx, ry, rz: the diagonal or the full symmetric matrix [SI]."
    )
    damping: Annotated[tuple[Six, ...], SixBySix("damping", "rotational damping")] | None = Field(
        None, description="For the rates of the same six: the diagonal or the full symmetric matrix [SI]."
    )
    preload: Annotated[Six, SixField("force", "torque")] | None = Field(
        None, description="Resisting forces and torques at zero displacement [N, N*m]."
    )
    curves: BushingCurves | None = Field(None, description="Nonlinear efforts by component, beside the stiffness.")
