"""Data of the exact inextensible field of a beam, as the compiled kernels read it (theory 2.1, 2.2).

    centre line  r0 = [x + u + int (s - 1), v, w],   s = sqrt(1 - v'^2 - w'^2)
    section      smallest rotation that takes e1 to (sigma, beta, gamma), then a turn theta = phi - int tau about it,
                 tau = (gamma beta' - beta gamma')/(1 + sigma), so that the material twist rate is phi'

The integrals run from end A (from B when the basis says so) through Gauss stations: within a segment the integrand is
the polynomial through its stations. Mass along the centre line and rotary inertia of the sections are at the stations;
lumps are slices, rigid parts fixed to a section.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmb.arrays import Floats
from flexmb.reduction.beam_basis import BeamBasis


@dataclass(frozen=True)
class ExactShapes:
    """Field data of a marker at one place on the beam."""

    x: float
    """Undeformed place on the centre line [m], 0 to L"""
    offset: Floats
    """(3,) from the centre line, section axes [m]; its first component is an overhang beyond an end"""
    weights: Floats
    """(stations,) integral of a function of the stations from the reference end to x"""
    values: Floats
    """(n, 4) value, slope, turn, curvature of every shape at x"""
    bending: slice
    """(n,) whether a shape bends the beam"""

    @property
    def is_rigid(self) -> bool:
        """Whether the place does not move relative to the frame."""
        return not np.any(self.weights) and not np.any(self.values[:, :3])


@dataclass(frozen=True)
class Slice:
    """A rigid part fixed to a section."""

    place: ExactShapes
    mass: float
    """[kg]"""
    inertia: Floats
    """(3, 3) about its own centre of mass, section axes [kg m^2]"""


def integration_matrix(nodes: Floats) -> Floats:
    """(n, n) integral from -1 to every node of the polynomial through values at the nodes in -1..1."""
    return np.array([integration_weights(nodes, x) for x in nodes])


def integration_weights(nodes: Floats, x: float) -> Floats:
    """(n,) weights of the values at the nodes in the integral from -1 to x."""
    return _integration_weights(nodes, np.array([x]))[0]


def _integration_weights(nodes: Floats, x: Floats) -> Floats:
    """(m, n) weights of the values at the nodes in the integrals from -1 to x (m,)."""
    from numpy.polynomial.legendre import legvander

    n = len(nodes)
    P, order = legvander(x, n), np.arange(1, n)
    integrals = np.concatenate([1.0 + x[:, None], (P[:, 2:] - P[:, :-2]) / (2.0 * order + 1.0)], axis=1)
    return np.ascontiguousarray(np.linalg.solve(legvander(nodes, n - 1).T, integrals.T).T)


class ExactBeam:
    """Stations, integration and lumps of the exact field of a beam."""

    def __init__(self, basis: BeamBasis):
        self.basis = basis
        x, weight = basis.stations()
        self.segments, self.local = x.shape
        self.x = x.ravel()
        components = [shape.component for shape in basis.shapes]
        self.counts = tuple(components.count(component) for component in ("y", "z", "u", "t"))
        self._half = 0.5 * np.diff(basis.breaks)
        self._nodes = np.polynomial.legendre.leggauss(self.local)[0]
        unit = integration_matrix(self._nodes)
        self.matrices = self._half[:, None, None] * unit
        """(segments, local, local) integral from the start of a segment to its stations"""
        self.weights = weight
        """(segments, local) integral over a segment"""
        properties = basis.section_at(self.x)
        w = weight.ravel()
        self.mass = properties.rhoA * w
        self.EIz, self.EIy = properties.EIz * w, properties.EIy * w
        self.values = self.shape_values(self.x)
        """(stations, n, 4)"""
        self.bending = slice(0, self.counts[0] + self.counts[1])
        bent = self.values[:, self.bending]
        self.has_shear = bool(np.any(bent[..., 1] != bent[..., 2]))
        differ = np.abs(self.EIz - self.EIy).max() > 1e-9 * np.abs(self.EIz + self.EIy).max()
        self.is_unequal = bool(differ and (self.counts[1] or self.counts[3]))
        """Whether the two bending stiffnesses differ"""
        rotary = basis.rotary_inertia or self.counts[3] > 0
        self.Jy, self.Jz = rotary * properties.rhoIy * w, rotary * properties.rhoIz * w
        """(stations,) moments of inertia of the sections times the weights [kg m^2]; 0: neglected"""
        self.lumps = [
            Slice(self._at(lump.x, np.asarray(lump.center, dtype=float)), lump.mass, lump.inertia)
            for lump in basis.lumps
        ]

    @property
    def n(self) -> int:
        """Number of elastic coordinates."""
        return len(self.basis.shapes)

    def shape_values(self, x: Floats) -> Floats:
        """(points, n, 4) value, slope, turn and curvature of all shapes."""
        values = [shape.values(x) for shape in self.basis.shapes]
        return np.stack(values, axis=1) if values else np.zeros((len(x), 0, 4))

    def _at(self, x: float, offset: Floats) -> ExactShapes:
        weights, values = self.line(np.array([x]))
        return ExactShapes(x, offset, weights[0], values[0], self.bending)

    def line(self, x: Floats) -> tuple[Floats, Floats]:
        """Weights (m, stations) of the integral from the reference end to the places x (m,) [m] on the centre line, and
        the shapes there (m, n, 4)."""
        found = np.zeros((len(x), self.segments, self.local))
        segments = np.clip(np.searchsorted(self.basis.breaks, x, side="right") - 1, 0, self.segments - 1)
        half = self._half[segments]
        inside = half[:, None] * _integration_weights(self._nodes, (x - self.basis.breaks[segments]) / half - 1.0)
        for weights, segment, last, place in zip(found, segments, inside, x, strict=True):
            weights[:segment], weights[segment] = self.weights[:segment], last
            if self.basis.from_end:
                weights -= self.weights
            if place in (0.0, self.basis.length) and (place > 0.0) == self.basis.from_end:
                weights[:] = 0.0  # the reference end itself, without round-off
        return found.reshape(len(x), -1), self.shape_values(x)

    def marker(self, p_b: Floats) -> ExactShapes:
        """Shapes of a point p_b : (3,) [m], body axes; beyond the ends it moves with the end section."""
        x = float(np.clip(p_b[0], 0.0, self.basis.length))
        return self._at(x, np.array([p_b[0] - x, p_b[1], p_b[2]]))

    def rigid_inertia(self) -> tuple[float, Floats, Floats]:
        """Mass [kg], first moment (3,) [kg*m] and inertia (3, 3) [kg*m^2] about the origin of the undeformed beam."""
        points = [(m, np.array([x, 0.0, 0.0]), np.zeros((3, 3))) for m, x in zip(self.mass, self.x, strict=True)]
        points += [(s.mass, np.array([s.place.x, 0.0, 0.0]) + s.place.offset, s.inertia) for s in self.lumps]
        points += [(0.0, np.zeros(3), np.diag([Jy + Jz, Jy, Jz])) for Jy, Jz in zip(self.Jy, self.Jz, strict=True)]
        mass = sum(m for m, _, _ in points)
        first = np.sum([m * r for m, r, _ in points], axis=0)
        inertia = np.sum([J + m * (r @ r * np.eye(3) - np.outer(r, r)) for m, r, J in points], axis=0)
        return float(mass), first, inertia
