"""Flexible bodies of a checked model: from sections, materials and shapes to the fields of the equations.

A beam of a model becomes a modal basis, then a deformation field, then a `FlexibleBody` in its design position. Equal
beams (a chain of links) share one basis and field, and building the same model again finds them ready. Bodies by their
matrices and from body files bring their fields with them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from flexmb.arrays import Floats
from flexmb.bodies.flexible_body import FlexibleBody, beam_body, mesh_body, modal_body
from flexmb.bodies.marker_shapes import MarkerShapes
from flexmb.elements.material import MATERIALS, Material
from flexmb.elements.section import Section
from flexmb.errors import Fault, InputError
from flexmb.model.schema.beams import BeamBody, Damping, FlexibleTable, LumpedMass, Shapes
from flexmb.model.schema.mesh_bodies import MeshBody
from flexmb.model.schema.modal import ModalBody, ModalMarker
from flexmb.model.schema.model_spec import ModelSpec
from flexmb.model.schema.sections import AnyMaterial, AnySection
from flexmb.model.schema.sections import Material as MaterialTable
from flexmb.reduction.beam_basis import BeamBasis, Lump, Span, beam_basis
from flexmb.reduction.damping import damping_matrix

_REMEMBERED = 64
"""Beams whose data are kept."""
_KEYS = {"lumps": "masses", "spans": "sections"}
"""Word of the basis -> word of the model."""


@dataclass(frozen=True)
class BeamData:
    """Everything that shapes depend on; equal data give the same basis."""

    length: float
    """[m]"""
    spans: tuple[tuple[float | None, Section, Material], ...]
    """(end from A [m], section, material), one after the other"""
    lumps: tuple[tuple[float, LumpedMass], ...]
    """(distance from A [m], mass)"""
    shapes: Shapes
    frame: str
    shear: bool
    rotary_inertia: bool
    damping: Damping | None
    stations: tuple[float, ...] = ()
    """Places of constraint shapes besides the ends [m], for family = "auto\""""

    def with_plain_shapes(self, axial: int = 0) -> BeamData:
        """The same beam, undamped and without shear, with two monomials per bending plane that has shapes."""
        planes = tuple(2 if plane != 0 else 0 for plane in self.shapes.bending)
        shapes = {"family": "monomials", "bending": planes, "axial": axial, "torsion": 0, "supports": None}
        plain = self.shapes.model_copy(update={**shapes, "elements": None})
        return replace(self, shapes=plain, shear=False, damping=None, stations=())

    def twisting(self) -> BeamData:
        """The same beam, undamped, with one torsion shape more."""
        torsion = None if self.shapes.torsion is None else self.shapes.torsion + 1
        return replace(self, shapes=self.shapes.model_copy(update={"torsion": torsion}), damping=None)

    def chosen(self, stations: Sequence[float], axial: int, torsion: int) -> BeamData:
        """The same beam with the chosen constraint shapes, stretch and twist."""
        shapes = self.shapes.model_copy(update={"axial": axial, "torsion": torsion})
        return replace(self, shapes=shapes, stations=tuple(stations))

    def with_shapes(self, bending: int | None = None, family: str | None = None, frame: str | None = None) -> BeamData:
        """The same beam, undamped, with another number of shapes in its bending planes, another family or frame."""
        shapes: dict[str, Any] = {}
        if bending is not None:
            shapes["bending"] = tuple(bending if plane != 0 else 0 for plane in self.shapes.bending)
        if family is not None:
            shapes |= {"family": family, "supports": None, "elements": None}
        return replace(self, shapes=self.shapes.model_copy(update=shapes), frame=frame or self.frame, damping=None)


def beam_data(spec: ModelSpec, body: BeamBody) -> BeamData:
    """The data of a beam of a model, with materials and sections looked up."""
    steps: list[tuple[float | None, Any, Any]] = [(None, body.section, body.material)]
    if body.sections is not None:
        steps = [(step.to, step.section, step.material or body.material) for step in body.sections]
    spans = tuple((to, _section(spec, section), _material(spec, material)) for to, section, material in steps)
    lumps = tuple((spec.station(body, lump.at)[0], lump) for lump in body.masses)
    return BeamData(
        spec.beam_length(body),
        spans,
        lumps,
        body.shapes,
        body.frame,
        body.shear,
        body.rotary_inertia,
        body.damping,
    )


def _section(spec: ModelSpec, section: AnySection) -> Section:
    table = spec.sections[section] if isinstance(section, str) else section
    shape: Section = table.shape()
    return shape


def _material(spec: ModelSpec, material: AnyMaterial) -> Material:
    if isinstance(material, str) and material not in spec.materials:
        return MATERIALS[material]
    table: MaterialTable = spec.materials[material] if isinstance(material, str) else material
    # A modulus that the model does not give is not used: torsion and shear require it (schema/beam_checks.py).
    G = table.E / 3.0 if table.shear_modulus is None else table.shear_modulus
    return Material(table.E, G, table.density, material if isinstance(material, str) else "")


@lru_cache(_REMEMBERED)
def basis_of(data: BeamData) -> BeamBasis:
    """The modal basis of a beam."""
    shapes = data.shapes
    lumps = [
        Lump(x, lump.mass, np.array(lump.center), np.zeros((3, 3)) if lump.inertia is None else np.array(lump.inertia))
        for x, lump in data.lumps
    ]
    return beam_basis(
        data.length,
        [Span(*span) for span in data.spans],
        family=shapes.family,
        bending_y=shapes.bending[0],
        bending_z=shapes.bending[1],
        axial=shapes.axial,
        torsion=shapes.torsion,
        supports=shapes.supports,
        elements=shapes.elements,
        frame=data.frame,
        shear=data.shear,
        rotary_inertia=data.rotary_inertia,
        lumps=lumps,
        damping=None if data.damping is None else data.damping.choice,
        stations=data.stations,
    )


@lru_cache(_REMEMBERED)
def _field_of(data: BeamData, field: str, order: Any) -> FlexibleBody:
    """The beam as a body without a name, in the world frame."""
    return beam_body("", basis_of(data), field, order)


def place_beam(
    spec: ModelSpec, name: str, body: BeamBody, R_wb: Floats, p_wb: Floats, chosen: Any = None
) -> FlexibleBody:
    """A beam in its design position.

    chosen : stations, axial and torsion counts of a beam without given shapes; None: plain shapes until then
    """
    is_plain = body.shapes.family == "auto" and chosen is None
    try:
        data = beam_data(spec, body)
        if is_plain:
            data = data.with_plain_shapes()
        elif chosen is not None:
            data = data.chosen(chosen.stations, chosen.axial, chosen.torsion)
        placed = _field_of(data, body.field, 2 if body.order is None else body.order)
    except InputError as error:
        raise InputError([_blame(name, fault) for fault in error.faults]) from None
    for key in ("elastic_position", "elastic_velocity"):
        given = getattr(body, key)
        if given is not None and len(given) != placed.n_modes and not is_plain:
            text = f"body '{name}': expected {placed.n_modes} numbers, one per shape, found {len(given)}"
            raise InputError([Fault(text, ("bodies", name, key), f"Shapes: {', '.join(placed.labels)}.")])
    return replace(placed, name=name, R_wb=R_wb, p_wb=p_wb, **_state(body))


def place_modal(name: str, body: ModalBody, R_wb: Floats, p_wb: Floats) -> FlexibleBody:
    """A body given by its matrices, in its design position."""
    modal = body.modal
    invariants = modal.invariants()
    # Size of a uniform rod with this mass along its longest direction: m L^2/12 about the middle.
    spread = invariants.P0 - np.outer(invariants.S0, invariants.S0) / invariants.mass
    length = float(np.sqrt(12.0 * max(np.linalg.eigvalsh(spread)[-1], 0.0) / invariants.mass))
    placed = modal_body(
        name,
        invariants,
        np.array(modal.K, dtype=float),
        damping=None if modal.D is None else np.array(modal.D, dtype=float),
        labels=modal.labels,
        length=length or 1.0,
    )
    return replace(placed, R_wb=R_wb, p_wb=p_wb, **_state(body))


def place_mesh(name: str, body: MeshBody, R_wb: Floats, p_wb: Floats) -> FlexibleBody:
    """A body of a body file, in its design position."""
    reduced = body.file.body
    damping = None
    if body.damping is not None:
        mass = np.trace(reduced.invariants.N2, axis1=2, axis2=3)
        damping = damping_matrix(body.damping.choice, reduced.stiffness, mass)
    placed = mesh_body(name, reduced, body.chosen_order, damping)
    return replace(placed, R_wb=R_wb, p_wb=p_wb, **_state(body))


def _state(body: FlexibleTable) -> dict[str, Any]:
    keys = ("velocity", "angular_velocity", "elastic_position", "elastic_velocity")
    given = {key: getattr(body, key) for key in keys}
    return {key: None if value is None else np.asarray(value, dtype=float) for key, value in given.items()}


def modal_shapes(marker: ModalMarker) -> MarkerShapes:
    """Shapes of a marker on a modal body."""
    Phi, Theta = np.array(marker.Phi, dtype=float), np.array(marker.Theta, dtype=float)
    if marker.G is None and marker.Gamma is None:
        return MarkerShapes.linear(Phi, Theta)
    n = len(Phi)
    G, Gamma = (np.zeros((n, n, 3)) if given is None else np.array(given) for given in (marker.G, marker.Gamma))
    return MarkerShapes(Phi, Theta, G, Gamma, 2)


def load_points(basis: BeamBasis, start: float, end: float) -> Iterator[tuple[float, float]]:
    """(x, weight) [m] of Gauss points on a beam from `start` to `end`; the weights sum to the distance.

    As many between two breaks as the basis has for its mass: a load does work on the foreshortening, too.
    """
    nodes, weights = np.polynomial.legendre.leggauss(basis.gauss)
    breaks = [start, *(x for x in basis.breaks if start < x < end), end]
    for left, right in zip(breaks[:-1], breaks[1:], strict=True):
        if right - left > 1e-9 * basis.length:
            half = 0.5 * (right - left)
            for node, weight in zip(nodes, weights, strict=True):
                yield float(left + half * (1.0 + node)), float(half * weight)


def _blame(name: str, fault: Fault) -> Fault:
    """A fault of the basis in terms of the model."""
    first = str(fault.path[0]) if fault.path else ""
    path = (_KEYS.get(first, first), *fault.path[1:]) if first in ("section", "damping", "shear", *_KEYS) else ()
    text = fault.text if not fault.hint or fault.text.endswith(".") else f"{fault.text}."
    return Fault(f"body '{name}': {text}", ("bodies", name, *path), fault.hint)
