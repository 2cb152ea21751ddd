"""Rank of constraint rows that does not depend on units, and rows that nearly repeat others.

Rows are divided by a unit: an angle by 1 rad (a row of the turns of a fine screw by more), a length by what the joint
moves it by (in coordinates divided by their magnitude), the largest of its rows, and by no less than the size of its
loop. A row of a joint that is short beside its other rows nearly vanishes: dividing each row by its own length would
hide that. Singular values below RANK of the largest count as zero: the rows are redundant, but for round-off or for
axes and points that do not quite fit. Above INDEPENDENT they are independent. Between, they are taken so, which locks a
mechanism that was meant to move.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from flexmb.arrays import Floats
from flexmb.system.system import Row
from flexmb.warning import WarningRecord

EXACT, RANK, INDEPENDENT = 1e-13, 1e-6, 1e-4
"""Limits of singular values as fractions of the largest: of exact dependences, of redundant and of independent rows"""
LONGEST = 10.0  # length of the row of an angle: those of a screw of small lead or of short shapes are shortened to it
SHORTEST = 1e-6  # unit of the lengths of a joint, as a fraction of the largest of all joints


@dataclass(frozen=True)
class Near:
    """A combination of rows that nearly vanishes."""

    owners: tuple[str, ...]
    """Joints and motions that take part."""
    worst: str
    """The one with the largest share."""
    size: float
    """Angle, or length as a part of the size of the mechanism, by which its rows are off [rad]."""
    is_redundant: bool
    """Whether it is taken as redundant; else as independent."""


def row_units(G: Floats, rows: Sequence[Row], size: float) -> Floats:
    """(rows,) units of the rows of G (rows, n) in scaled coordinates; size : length scale of the mechanism [m].

    Where a joint only repeats others (a door on two hinges), its lengths are round-off, or what a tilt of its axis
    makes of the distance: they are measured by the size of the loop, or of the mechanism. A smaller unit would make a
    misfit of round-off.
    """
    return units_of(np.linalg.norm(G, axis=1), rows, size)


def units_of(lengths: Floats, rows: Sequence[Row], size: float) -> Floats:
    """(rows,) the same for rows of these lengths in scaled coordinates."""
    is_length = np.array([row.unit != "rad" for row in rows], dtype=bool)
    largest = float(np.max(lengths[is_length], initial=size))
    of_owner: dict[str, float] = {}
    for row, length in zip(rows, lengths, strict=True):
        own = max(float(length), row.loop) if row.unit != "rad" else 0.0
        of_owner[row.owner] = max(of_owner.get(row.owner, 0.0), own)
    of_owner = {
        owner: max(length, SHORTEST * largest) if length > EXACT * largest else largest
        for owner, length in of_owner.items()
    }
    units = np.array([of_owner[row.owner] for row in rows])
    return np.where(is_length & (units > 0.0), units, np.maximum(1.0, lengths / LONGEST))


def scaled_rows(G: Floats, rows: Sequence[Row], size: float) -> Floats:
    """Rows of G (rows, n) in scaled coordinates, divided by their units."""
    return np.asarray(G / row_units(G, rows, size)[:, None])


def rank_of_rows(G: Floats) -> int:
    """Rank of rows divided by their units."""
    sigma = np.linalg.svd(G, compute_uv=False)
    return int(np.sum(sigma > RANK * max(1.0, float(sigma[0])))) if sigma.size else 0


def combinations(G: Floats, rows: Sequence[Row], size: float) -> Floats:
    """C (rank, rows): independent combinations C G of rows of G, which is in scaled coordinates."""
    units = row_units(G, rows, size)
    left, sigma, _ = np.linalg.svd(G / units[:, None], full_matrices=False)
    return np.asarray(left[:, sigma > RANK * max(1.0, float(sigma.max(initial=0.0)))].T / units)


def in_range(G: Floats, rows: Sequence[Row], values: Floats, size: float) -> float:
    """Largest part of the values of rows (rows,) that a motion can change; G : rows in scaled coordinates."""
    units, C = row_units(G, rows, size), combinations(G, rows, size)
    return float(np.max(np.abs((C * units).T @ (C @ values)) * units, initial=0.0))


def near_dependences(G: Floats, rows: Sequence[Row], limit: float = INDEPENDENT) -> tuple[Near, ...]:
    """Combinations of rows (divided by their units) with singular values neither of round-off nor above the limit."""
    left, sigma, _ = np.linalg.svd(G)
    largest = max(1.0, float(sigma.max(initial=0.0)))
    found = []
    for k in np.flatnonzero((sigma > EXACT * largest) & (sigma < limit * largest)):
        shares: dict[str, float] = {}
        for row, part in zip(rows, left[:, k], strict=True):
            shares[row.owner] = float(np.hypot(shares.get(row.owner, 0.0), part))
        worst = max(shares, key=shares.__getitem__)
        owners = tuple(name for name, share in shares.items() if share > 1e-3)
        found.append(Near(owners, worst, float(sigma[k]) / shares[worst], bool(sigma[k] <= RANK * largest)))
    return tuple(found)


def near_text(finding: Near) -> str:
    """Text on constraints that nearly repeat each other."""
    names = ", ".join(f"'{name}'" for name in finding.owners)
    return (
        f"the constraints of {names} repeat others but for {finding.size:.2g} rad (or parts of the size of the "
        f"mechanism): an axis or a point, such as that of '{finding.worst}', is off by about that much"
    )


def redundancy_warnings(near: Sequence[Near]) -> Iterator[WarningRecord]:
    """Warnings about constraints that nearly repeat others."""
    for finding in near:
        text = f"{near_text(finding)}. "
        if finding.is_redundant:
            text += "They are taken as redundant, so that the mechanism moves; exact geometry would lock it, and a gap "
            text += "of that order opens. Make the axes and points fit exactly, or free a joint."
        else:
            text += "They are taken as independent, which may lock the mechanism. If it should move, make the axes "
            text += "parallel and the points fit, or free a joint (spherical and cylindrical instead of revolute)."
        yield WarningRecord("nearly-redundant", text, f"joints.{finding.worst}", value=finding.size, unit="rad")
