"""Check that the shapes of a basis suit the supports of a beam: first supported frequency against finite elements.

With the rigid motions of its frame added, a basis is held at the given stations and its first elastic frequency is
compared with that of a fine finite-element model with the same supports. A basis that cannot bend as its supports
require is detected: a clamped frame with one or two monomials, pinned at both ends, is 11 % too stiff.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from flexmb.arrays import Floats
from flexmb.elements.beam_shapes import BENDING, sampled
from flexmb.reduction.beam_basis import BeamBasis
from flexmb.reduction.beam_data import break_points, span_ends
from flexmb.reduction.beam_matrices import BeamIntegrals
from flexmb.reduction.element_curves import beam_line, element_nodes
from flexmb.reduction.frames import rigid_shapes

Evaluation = Callable[[float], tuple[Floats, Floats]]
"""Deflection and turn at a place, per unit of each unknown."""

_REFERENCE_ELEMENTS = 32  # first frequency of a uniform beam, free, pinned or clamped at its ends, to 1e-6


class Support(NamedTuple):
    """Motions that a joint holds at one station of a beam."""

    x: float
    """distance from end A [m]; a place beyond an end moves with the end section"""
    holds_y: bool
    holds_z: bool
    holds_slope_y: bool = False
    """the turn of the section that belongs to deflection y, which is about z"""
    holds_slope_z: bool = False


def supported_frequency_error(
    basis: BeamBasis, supports: Sequence[Support | tuple[float, bool, bool, bool, bool]]
) -> float:
    """Relative error of the first bending frequency of a beam with these supports, the worst of the planes with shapes.

    Infinite if the supports leave the shapes of a plane no motion; 0 if there are no bending shapes.
    """
    stations = [Support(*support) for support in supports]
    planes = [plane for plane in BENDING if any(shape.component == plane for shape in basis.shapes)]
    exact = {plane: _reference_frequency(basis, plane, stations) for plane in planes}
    # A frequency that underflows to zero (a beam of 1e30 m) says nothing about the shapes.
    errors = [abs(_basis_frequency(basis, plane, stations) / exact[plane] - 1.0) for plane in planes if exact[plane]]
    return float(max(errors, default=0.0))


def _basis_frequency(basis: BeamBasis, plane: str, stations: Sequence[Support]) -> float:
    """First elastic frequency [rad/s] of rigid motions and shapes."""
    shapes = rigid_shapes(plane) + [shape for shape in basis.shapes if shape.component == plane]
    integrals = BeamIntegrals(
        basis.length, basis.spans, basis.breaks, basis.gauss, basis.lumps, basis.shear, basis.rotary_inertia
    )

    def at(x: float) -> tuple[Floats, Floats]:
        values = sampled(shapes, np.array([x]))[:, 0]
        return values[:, 0], values[:, 2]

    rows = _held_rows(plane, stations, basis.length, at)
    return _first_elastic(integrals.stiffness(shapes), integrals.mass(shapes), rows, _rigid_rank(rows[:, :2], basis))


def _reference_frequency(basis: BeamBasis, plane: str, stations: Sequence[Support]) -> float:
    """First elastic frequency [rad/s] of a fine finite-element model."""
    length = basis.length
    places = [min(max(station.x, 0.0), length) for station in stations]
    breaks = break_points(
        length, span_ends(basis.spans, length)[:-1], [lump.x for lump in basis.lumps], np.array(places)
    )
    nodes = element_nodes(breaks, max(_REFERENCE_ELEMENTS, 4 * (breaks.size - 1)))
    _, stiffness, mass = beam_line(plane, length, basis.spans, nodes, basis.lumps, basis.shear, basis.rotary_inertia)

    def at(x: float) -> tuple[Floats, Floats]:
        unit = np.eye(2 * nodes.size)
        node = int(np.argmin(np.abs(nodes - x)))
        return unit[2 * node], unit[2 * node + 1]

    rows = _held_rows(plane, stations, length, at)
    rigid = np.zeros((2 * nodes.size, 2))
    rigid[0::2] = np.column_stack([np.ones_like(nodes), nodes])
    rigid[1::2, 1] = 1.0
    return _first_elastic(stiffness, mass, rows, _rigid_rank(rows @ rigid, basis))


def _held_rows(plane: str, stations: Sequence[Support], length: float, at: Evaluation) -> Floats:
    """(n_held, n) rows that are zero for a motion that the supports allow; turns times the length."""
    rows = []
    for station in stations:
        inside = min(max(station.x, 0.0), length)
        value, turn = at(inside)
        holds_value, holds_turn = (
            (station.holds_y, station.holds_slope_y) if plane == "y" else (station.holds_z, station.holds_slope_z)
        )
        if holds_value:
            rows.append(value + (station.x - inside) * turn)
        if holds_turn:
            rows.append(turn * length)
    return np.array(rows).reshape(len(rows), at(0.0)[0].size)


def _rigid_rank(rows: Floats, basis: BeamBasis) -> int:
    """Number of the two rigid motions (translation, turn about end A) that the held rows prevent."""
    return int(np.linalg.matrix_rank(rows / [1.0, basis.length])) if rows.size else 0


def _first_elastic(stiffness: Floats, mass: Floats, rows: Floats, rank: int) -> float:
    """First frequency [rad/s] above the rigid motions that the held rows leave; infinite when there is none."""
    from scipy.linalg import eigh, null_space  # only here: a quarter of a second at every start

    allowed = null_space(rows) if rows.size else np.eye(stiffness.shape[0])
    n_rigid = 2 - rank
    if allowed.shape[1] <= n_rigid:
        return float("inf")
    squares = eigh(allowed.T @ stiffness @ allowed, allowed.T @ mass @ allowed, eigvals_only=True)
    return float(np.sqrt(max(squares[n_rigid], 0.0)))
