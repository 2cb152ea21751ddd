"""A verification case: a function that compares flexmb with published numbers and returns findings.

A finding holds all compared samples of a quantity; its error is the largest over them, never a mean. It is absolute,
relative to each reference value, or relative to the largest reference value (the peak of a curve).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from flexmb.arrays import Floats

Measure = Literal["absolute", "relative", "of peak"]


@dataclass(frozen=True)
class Finding:
    """One quantity, compared: reference and ours [unit] hold the same samples, (n,)."""

    quantity: str
    unit: str
    reference: Floats
    ours: Floats
    tolerance: float
    """[unit] when absolute, otherwise a plain number"""
    measure: Measure
    source: str = ""
    """source of the reference, if not that of the case"""

    @property
    def errors(self) -> Floats:
        """Errors of all samples by `measure`; infinite where a value is not a number; (n,)."""
        known = np.isfinite(self.ours) & np.isfinite(self.reference)
        reference = np.where(known, self.reference, 0.0)
        difference = np.where(known, np.abs(self.ours - reference), np.inf)
        if self.measure == "absolute":
            return difference
        size = np.abs(reference)
        if self.measure == "of peak":
            size = np.full_like(size, size.max())
        # a reference of zero is met exactly or not at all
        return np.divide(difference, size, out=np.where(difference > 0.0, np.inf, 0.0), where=size > 0.0)

    @property
    def worst(self) -> int:
        """Index of the sample with the largest error."""
        return int(np.argmax(self.errors))

    @property
    def error(self) -> float:
        """The largest error of all samples."""
        return float(self.errors[self.worst])

    @property
    def agrees(self) -> bool:
        """Whether no error exceeds the tolerance (a value that is not a number does)."""
        return self.error <= self.tolerance

    @property
    def share(self) -> float:
        """Error as a part of the tolerance."""
        if self.error == 0.0:
            return 0.0
        return self.error / self.tolerance if self.tolerance > 0.0 else np.inf


def compare(
    quantity: str,
    unit: str,
    reference: ArrayLike,
    ours: ArrayLike,
    *,
    absolute: float | None = None,
    relative: float | None = None,
    of_peak: float | None = None,
    source: str = "",
) -> Finding:
    """A finding; exactly one of the three tolerances is given.

    absolute: [unit]; relative: of each reference value; of_peak: of the largest reference value.
    """
    tolerances: dict[Measure, float | None] = {"absolute": absolute, "relative": relative, "of peak": of_peak}
    ((measure, tolerance),) = ((m, value) for m, value in tolerances.items() if value is not None)
    wanted, found = (np.ravel(np.asarray(values, float)) for values in (reference, ours))
    if wanted.size != found.size or not wanted.size:
        raise ValueError(f"{quantity}: {wanted.size} reference values, {found.size} of flexmb")
    return Finding(quantity, unit, wanted, found, tolerance, measure, source)


def exact(quantity: str, is_same: Sequence[bool]) -> Finding:
    """A finding of identities, such as equations term by term: the number that do not hold, none allowed."""
    return compare(f"{quantity}: wrong of {len(is_same)}", "", 0, len(is_same) - sum(is_same), absolute=0.0)


@dataclass(frozen=True)
class Curve:
    """A plot of a case: our curve and the reference, which is drawn as dots if it has only a few points."""

    title: str
    x_name: str
    x_unit: str
    y_unit: str
    x: Floats
    ours: Floats
    reference_x: Floats
    reference: Floats


@dataclass(frozen=True)
class Comparison:
    """Result of a case: findings and plots."""

    findings: Sequence[Finding]
    curves: Sequence[Curve] = field(default_factory=tuple)


@dataclass(frozen=True)
class Case:
    """A named comparison; calling it runs it."""

    name: str
    title: str
    source: str
    solve: Callable[[], Comparison]

    def __call__(self) -> Comparison:
        """Run the case."""
        return self.solve()


def case(name: str, title: str, source: str) -> Callable[[Callable[[], Comparison]], Case]:
    """Decorator: make a case of a function without arguments."""
    return lambda solve: Case(name, title, source, solve)


def near(found: Any, times: Sequence[float] | Floats, time: Floats) -> Floats:
    """Rows of `found` (rows, ...) at output times [s]; raises if a time has no row."""
    rows = np.clip(np.searchsorted(time, np.asarray(times) - 1e-9), 0, len(time) - 1)
    if np.any(np.abs(time[rows] - times) > 1e-9):
        raise ValueError("some of the compared times have no output row")
    return np.asarray(found)[rows]
