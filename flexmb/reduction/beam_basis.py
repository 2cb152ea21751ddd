"""The shapes of a flexible beam in its body frame, with their stiffness, mass and damping.

Input: length, spans of section and material, lumped masses, and the choice of shapes. Output: a `BeamBasis`, which
gives a deformation field the values at Gauss points. Elastic coordinates are ordered: bending in y, bending in z,
stretch, twist; each shape has largest value one, so that its coordinate is metres (twist: radians).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from flexmb.arrays import Floats
from flexmb.elements.beam_shapes import BeamShape
from flexmb.errors import Fault, InputError
from flexmb.reduction.beam_data import Lump, SectionProperties, Span, section_properties
from flexmb.reduction.beam_families import Family, converged_gauss, family_of
from flexmb.reduction.beam_matrices import BeamIntegrals, gauss_stations
from flexmb.reduction.beam_request import BeamRequest
from flexmb.reduction.damping import Damping, basis_modes, damping_faults, damping_matrix
from flexmb.reduction.frames import in_frame, normalised

__all__ = ["BeamBasis", "Lump", "SectionProperties", "Span", "beam_basis"]


_DEPENDENT = 1e-11
"""Smallest eigenvalue of the correlation of the shapes below which they are not independent."""


@dataclass(frozen=True)
class BeamBasis:
    """Shapes of a beam along x from end A (x = 0) to end B (x = length), in their body frame."""

    length: float
    """[m]"""
    spans: tuple[Span, ...]
    breaks: Floats
    """(n_seg + 1,) [m] ends, steps, lumps and element nodes: between them everything is smooth"""
    gauss: int
    """Gauss points between two breaks that integrate products of shapes exactly (see `beam_families`)"""
    shapes: tuple[BeamShape, ...]
    frame: str
    """"start", "end", "chord" or "mean\""""
    from_end: bool
    """axial positions are measured from end B, not A"""
    lumps: tuple[Lump, ...]
    shear: bool
    rotary_inertia: bool
    stiffness: Floats
    """(n, n) linear [N/m], twist [N m]"""
    mass: Floats
    """(n, n) of the undeformed beam [kg], twist [kg m^2]"""
    damping: Floats
    """(n, n) [N s/m], twist [N m s]"""

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of the elastic coordinates: y1, y2, ..., z1, ..., u1, ..., t1, ..."""
        return tuple(shape.label for shape in self.shapes)

    def section_at(self, x: ArrayLike) -> SectionProperties:
        """Properties per length at x [m], array of any dimensions; at a step those of the span that begins there."""
        return section_properties(self.spans, self.length, x)

    def frequencies(self) -> Floats:
        """(n,) natural frequencies of the shapes in their own frame [Hz], rising."""
        return basis_modes(self.stiffness, self.mass)[0] / (2.0 * np.pi)

    def stations(self) -> tuple[Floats, Floats]:
        """(n_seg, gauss) Gauss points [m] and weights [m]; the weights sum to the length."""
        return gauss_stations(self.breaks, self.gauss)


def beam_basis(
    length: float,
    spans: Sequence[Span],
    *,
    family: str,
    bending_y: int | None,
    bending_z: int | None,
    axial: int | None = 0,
    torsion: int | None = 0,
    supports: str | None = None,
    elements: int | None = None,
    frame: str,
    shear: bool = False,
    rotary_inertia: bool = False,
    lumps: Sequence[Lump] = (),
    damping: Damping = None,
    gauss: int | None = None,
    stations: Sequence[float] = (),
) -> BeamBasis:
    """The basis of a beam [m]; raises `InputError` with all faults.

    family: "monomials", "modes" (closed form, of the uniform beam with `supports`), "elements" (lowest modes of a
    finite-element model, or all its nodal shapes where a count is None; `elements` defaults to four for each mode) or
    "auto" (constraint shapes at the ends, lumps and `stations` [m], and in each bending plane as many modes between
    them as its count; axial, torsion: one more than the modes).
    supports: such as "pinned-pinned" or "clamped-free"; default: those that suit the frame.
    gauss: points between two breaks; default: as many as the products of the shapes need.
    """
    counts = {"y": bending_y, "z": bending_z, "u": axial, "t": torsion}
    request = BeamRequest(
        length, tuple(spans), family, counts, supports, elements, frame, shear, rotary_inertia, tuple(lumps), damping,
        gauss, tuple(stations),
    )  # fmt: skip
    _raise(request.faults())
    curves = family_of(request)
    fine = BeamIntegrals(
        length, request.spans, curves.breaks, curves.fine_gauss(), request.lumps, shear, rotary_inertia
    )
    shapes = _shapes_in_frame(curves, request, fine)
    stiffness, mass = _symmetric(fine.stiffness(shapes)), _symmetric(fine.mass(shapes))
    _raise(_independence_faults(shapes, mass) + damping_faults(damping, len(shapes)))
    if gauss is None:
        gauss = curves.fine_gauss() if curves.degree is not None else converged_gauss(shapes, request, curves)
    return BeamBasis(
        length, request.spans, curves.breaks, gauss, tuple(shapes), frame, frame == "end", request.lumps, shear,
        rotary_inertia, stiffness, mass, damping_matrix(damping, stiffness, mass),
    )  # fmt: skip


def _shapes_in_frame(curves: Family, request: BeamRequest, integrals: BeamIntegrals) -> list[BeamShape]:
    shapes, faults = [], []
    for raw in curves.shapes():
        shape, found = normalised(in_frame(raw, request.frame, request.length, integrals), curves.breaks)
        shapes.append(shape)
        faults += found
    _raise(faults)
    return shapes


def _independence_faults(shapes: Sequence[BeamShape], mass: Floats) -> list[Fault]:
    if not shapes:
        return []
    size = np.sqrt(np.diag(mass))
    values, vectors = np.linalg.eigh(mass / np.outer(size, size))
    if values[0] > _DEPENDENT:
        return []
    guilty = [shape.label for shape, part in zip(shapes, vectors[:, 0], strict=True) if abs(part) > 0.1]
    text = f"shapes {', '.join(guilty)} are not linearly independent"
    return [Fault(text, (), "Use fewer shapes, or another family or frame.")]


def _symmetric(matrix: Floats) -> Floats:
    return (matrix + matrix.T) / 2.0


def _raise(faults: list[Fault]) -> None:
    if faults:
        raise InputError(faults)
