"""The surface of a beam: its section drawn along its axis, every point fixed to a section.

Input: a `BeamBasis`. Output: a closed solid whose point i is at x_i on the axis with the offset (0, y_i, z_i) in the
section, so that the motion of the sections moves the skin. A section given only by its properties is drawn as an
ellipse, rectangle or hollow ellipse of the same A, Iy and Iz.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from flexmb.arrays import Floats
from flexmb.elements.beam_shapes import sampled
from flexmb.elements.section import Section
from flexmb.reduction.beam_basis import BeamBasis
from flexmb.reduction.beam_data import SAME_PLACE, span_ends
from flexmb.view.geometry.primitives import Solid, extruded, joined

CORNERS = 48
"""Corners of an ellipse."""
PER_WAVE = 8
"""Pieces between two zeros of the curvature of a shape: a chord is then off the curve by less than 2 % of its rise."""
MOST_PIECES = 400
THICKEST, SLENDER = 0.15, 0.03
"""Largest half size of sections without an outline, as a part of the length, and the size drawn beyond it: such
properties are dimensionless, or chosen to be stiff."""


@dataclass(frozen=True)
class BeamSkin:
    """The surface of an undeformed beam in its body frame; s points."""

    solid: Solid
    x: Floats
    """(s,) section to which each point belongs, from end A [m]"""
    offset: Floats
    """(s, 3) from the axis in that section: 0, y, z [m]"""
    inside: Floats
    """(s,) like x, but within the piece of the point: two pieces meet at a step of the section [m]"""
    is_true: bool
    """Whether sections are drawn in true size"""
    marks: dict[str, int]
    """Points of the skin at the "start", "middle" and "end" of the beam, where z is largest"""


def beam_skin(basis: BeamBasis, n_along: int = 24) -> BeamSkin:
    """The skin of a beam with at least `n_along` pieces along it, and more if its highest shape needs them."""
    stations = _stations(basis, n_along)
    shrink = _shrink(basis)
    prisms = _prisms(basis, shrink)
    solids = [extruded(outline, stations[(stations >= start) & (stations <= end)]) for start, end, outline in prisms]
    solid = joined(solids)
    x = solid.points[:, 0].copy()
    near = SAME_PLACE * basis.length
    inside = [
        np.clip(one.points[:, 0], start + near, end - near) for one, (start, end, _) in zip(solids, prisms, strict=True)
    ]
    offset = solid.points * [0.0, 1.0, 1.0]
    places = {"start": 0.0, "middle": 0.5 * basis.length, "end": basis.length}
    marks = {name: _top(x, offset, place) for name, place in places.items()}
    return BeamSkin(solid, x, offset, np.concatenate(inside), shrink == 1.0, marks)


def section_outline(section: Section) -> tuple[Floats, ...]:
    """Polygons (k, 2) of corners (y, z) [m]: outer edge counter-clockwise, then holes clockwise."""
    if section.outline is not None:
        return tuple(np.array(polygon) for polygon in section.outline)
    half_y, half_z = 2.0 * math.sqrt(section.Iz / section.A), 2.0 * math.sqrt(section.Iy / section.A)
    # Area of the solid ellipse with these radii of gyration, against the real one: 1 ellipse, pi/3 rectangle, more: a
    # hollow section. No section has less than 1, but the numbers of a table are rounded.
    fullness = math.pi * half_y * half_z / section.A
    if fullness < 1.03:
        return (_ellipse(half_y / math.sqrt(fullness), half_z / math.sqrt(fullness)),)
    if fullness < 1.065:
        y, z = math.sqrt(0.75) * half_y, math.sqrt(0.75) * half_z
        return (np.array([[-y, -z], [y, -z], [y, z], [-y, z]]),)
    # A similar hole of m times the size: I/A grows by 1 + m^2, A shrinks by 1 - m^2: fullness is their quotient.
    m = math.sqrt((fullness - 1.0) / (fullness + 1.0))
    outer = _ellipse(half_y / math.sqrt(1.0 + m * m), half_z / math.sqrt(1.0 + m * m))
    return outer, min(m, 0.98) * outer[::-1]


def _ellipse(half_y: float, half_z: float) -> Floats:
    """(CORNERS, 2) with the area of the ellipse: the corners lie slightly outside it."""
    angles = 2.0 * np.pi * np.arange(CORNERS) / CORNERS
    grown = math.sqrt(2.0 * math.pi / CORNERS / math.sin(2.0 * math.pi / CORNERS))
    return grown * np.column_stack([half_y * np.cos(angles), half_z * np.sin(angles)])


def _shrink(basis: BeamBasis) -> float:
    """Factor by which sections without an outline are drawn smaller; 1 unless they would be far too thick."""
    known_by_numbers = [span.section for span in basis.spans if span.section.outline is None]
    half = max((float(np.abs(section_outline(section)[0]).max()) for section in known_by_numbers), default=0.0)
    return SLENDER * basis.length / half if half > THICKEST * basis.length else 1.0


def _prisms(basis: BeamBasis, shrink: float) -> list[tuple[float, float, tuple[Floats, ...]]]:
    """Start, end [m] and outline of every piece of constant section; neighbours of the same section are one."""
    prisms: list[tuple[float, float, tuple[Floats, ...]]] = []
    start, last = 0.0, None
    for span, end in zip(basis.spans, span_ends(basis.spans, basis.length), strict=True):
        if span.section == last:
            prisms[-1] = (prisms[-1][0], float(end), prisms[-1][2])
        else:
            factor = 1.0 if span.section.outline is not None else shrink
            prisms.append((start, float(end), tuple(factor * loop for loop in section_outline(span.section))))
        start, last = float(end), span.section
    return prisms


def _stations(basis: BeamBasis, n_along: int) -> Floats:
    """(n,) breaks, steps and middle of the beam, and enough between them [m]."""
    pieces = max(n_along, min(MOST_PIECES, PER_WAVE * _waves(basis)))
    places = [0.0, *span_ends(basis.spans, basis.length), 0.5 * basis.length, *basis.breaks]
    needed: list[float] = []
    for place in places:  # the ends of the spans first: they must be met exactly
        if all(abs(place - other) > SAME_PLACE * basis.length for other in needed):
            needed.append(float(place))
    needed.sort()
    between = [
        np.linspace(a, b, max(1, math.ceil(pieces * (b - a) / basis.length - 1e-9)) + 1)[:-1]
        for a, b in zip(needed[:-1], needed[1:], strict=True)
    ]
    return np.concatenate([*between, needed[-1:]])


def _waves(basis: BeamBasis) -> int:
    """Most pieces between zeros of the curvature (stretch, twist: of the slope) that a shape has."""
    if not basis.shapes:
        return 1
    values = sampled(basis.shapes, np.linspace(0.0, basis.length, 2001))
    bent = np.where(np.abs(values[:, :, 3]).max(axis=1, keepdims=True) > 0.0, values[:, :, 3], values[:, :, 1])
    small = 1e-6 * np.abs(bent).max(axis=1, keepdims=True)
    signs = np.where(bent > small, 1, np.where(bent < -small, -1, 0))
    changes = [int(np.count_nonzero(np.diff(row[row != 0]))) for row in signs]
    return 1 + max(changes)


def _top(x: Floats, offset: Floats, place: float) -> int:
    """The point of the section at `place` with the largest z; among equals the one nearest to y = 0."""
    there = np.flatnonzero(np.abs(x - place) <= 1e-9 * max(abs(place), float(x.max())))
    order = np.lexsort((np.abs(offset[there, 1]), -np.round(offset[there, 2], 12)))
    return int(there[order[0]])
