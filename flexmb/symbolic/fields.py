"""Deformation fields of flexible bodies for the symbolic equations: inertia integrals, stiffness, shapes of markers.

Uniform beams whose shapes are polynomials or sines have formulas (`unit_beam`), all other bodies the numbers of their
integrals. The exact field of a beam is taken to its second order, which equals the complete quadratic field (theory
2.1): it has symbols only in truncated equations.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from flexmb.arrays import Floats
from flexmb.bodies.exact_beam import ExactBeam
from flexmb.bodies.flexible_body import FlexibleBody
from flexmb.bodies.invariants import Invariants
from flexmb.bodies.point_field import PointField
from flexmb.bodies.quadratic_beam import quadratic_field, quadratic_marker
from flexmb.errors import Fault, InputError
from flexmb.model.schema.beams import BeamBody
from flexmb.model.schema.model_spec import ModelSpec
from flexmb.symbolic.arms import Sparse, SymbolicShapes
from flexmb.symbolic.beam_properties import beam_properties, depends_on_symbols, obstacles
from flexmb.symbolic.engine import Float, Scalar
from flexmb.symbolic.expressions import value_of
from flexmb.symbolic.inertia import SymbolicField
from flexmb.symbolic.orders import add as plus
from flexmb.symbolic.orders import multiply
from flexmb.symbolic.unit_beam import UnitBeam, unit_shapes

MOST_EXACT = 16
"""Modes up to which the integrals of a beam in numbers are taken in fractions, which is slower with many."""
NOTHING = 1e-14
"""Round-off of a quadrature, relative to its largest entry."""


@dataclass(frozen=True)
class FormulaSource:
    """Source of a field with formulas."""

    beam: UnitBeam
    length: float
    """[m], in numbers"""
    order: int
    needs_order: bool
    """Only its truncation to an order has symbols."""


@dataclass(frozen=True)
class NumericSource:
    """Source of a field with numbers."""

    body: FlexibleBody
    needs_order: bool
    """Only its truncation to an order has symbols."""


def symbolic_field(
    spec: ModelSpec, name: str, table: Any, body: FlexibleBody, length: Scalar | None = None
) -> SymbolicField | None:
    """The field of a body of the model; None for a body without modes that has no formulas.

    length : of a beam, with its formula; None for other bodies.
    """
    if isinstance(table, BeamBody) and length is not None:
        made = _beam_field(spec, name, table, body, length)
        if made is not None:
            return made
    return _numeric_field(name, body) if body.n_modes else None


def _beam_field(
    spec: ModelSpec, name: str, table: BeamBody, body: FlexibleBody, length: Scalar
) -> SymbolicField | None:
    """The field of a uniform beam with exact integrals; None for a beam in numbers that has none."""
    assert body.basis is not None
    in_symbols = depends_on_symbols(spec, table, length)
    if not in_symbols and body.n_modes > MOST_EXACT:
        return None
    found = obstacles(table)
    if isinstance(body.field, PointField):
        found.append('order = "full"')
    shapes = None if found else unit_shapes(body.basis)
    if shapes is None:
        if not in_symbols:
            return None
        found = found or [f"shapes of the family '{table.shapes.family}' in the frame '{table.frame}'"]
        text = f"body '{name}' depends on symbols, but a beam with {' and '.join(found)} has no formulas."
        hint = "Give numbers for its length, section and material, or use monomials or pinned modes on a uniform beam."
        raise InputError([Fault(text, ("bodies", name), hint)])
    beam = UnitBeam(shapes, beam_properties(spec, table, length), body.basis.from_end)
    needs_order = isinstance(body.field, ExactBeam)
    order = 2 if needs_order else int(body.order)
    source = FormulaSource(beam, body.length, order, needs_order)
    return beam.field(order, body.labels, _beam_damping(name, table, body, beam, in_symbols), source)


def _beam_damping(name: str, table: BeamBody, body: FlexibleBody, beam: UnitBeam, in_symbols: bool) -> Sparse:
    """Damping of a beam: that of the numbers, or with symbols a share of mass and stiffness."""
    if table.damping is None:
        return {}
    if not in_symbols:
        return sparse(body.damping)
    if table.damping.mass is None and table.damping.stiffness is None:
        text = f"body '{name}' depends on symbols, but damping by ratios has no formula."
        hint = "Give damping = { mass = .., stiffness = .. }, or give numbers for the beam."
        raise InputError([Fault(text, ("bodies", name, "damping"), hint)])
    mass, stiffness = (value_of(share or 0.0) for share in (table.damping.mass, table.damping.stiffness))
    plain = beam.field(0, body.labels, {}, None)
    found: Sparse = {}
    for (k, l, i, j), value in plain.N2.items():
        if i == j:
            found[k, l] = multiply(mass, value)
    for key, value in plain.stiffness.items():
        found[key] = plus(found.get(key, 0), multiply(stiffness, value))
    return {key: value for key, value in found.items() if value != 0}


def _numeric_field(name: str, body: FlexibleBody) -> SymbolicField:
    """The field of a body by the numbers of its integrals."""
    field, needs_order = body.field, False
    if isinstance(field, (ExactBeam, PointField)):
        needs_order = True
        if body.basis is None:
            text = f"body '{name}' has a field of complete order, which has no symbolic form."
            raise InputError([Fault(text, ("bodies", name, "order"), "Give it order 1 or 2.")])
        field = quadratic_field(body.basis, 2)
    assert isinstance(field, Invariants)
    order = 2 if needs_order else body.order
    cubic = body.cubic if body.cubic is not None else None
    return SymbolicField(
        labels=body.labels,
        units=tuple("rad" if kind == "twist" else "m" for kind in body.kinds),
        S1=sparse(field.S1),
        N1=sparse(field.N1),
        N2=sparse(field.N2),
        S2=sparse(field.S2) if order else {},
        X=sparse(field.X) if order else {},
        N3=sparse(field.N3) if order == 2 and field.N3 is not None else {},
        stiffness=sparse(body.stiffness),
        damping=sparse(body.damping),
        cubic={} if cubic is None else sparse(cubic),
        marker_data=NumericSource(body, needs_order),
    )


def marker_shapes(field: SymbolicField, p_b: list[Scalar], marker: Any) -> SymbolicShapes | None:
    """Motion of a marker with the modes of its body; `marker` is the marker in numbers."""
    source = field.marker_data
    if isinstance(source, FormulaSource):
        return source.beam.marker(p_b, float(marker.p_b[0]) / source.length, source.order)
    shapes = marker.shapes
    if isinstance(source, NumericSource) and source.needs_order:
        assert source.body.basis is not None
        shapes = quadratic_marker(source.body.basis, marker.p_b, 2)
    if shapes is None:
        return None
    second = shapes.order > 1
    return SymbolicShapes(
        phi=sparse(shapes.Phi),
        theta=sparse(shapes.Theta),
        G=sparse(shapes.G) if second else {},
        Gamma=sparse(shapes.Gamma) if second else {},
    )


def sparse(values: Floats) -> Sparse:
    """The entries of an array that are not zero, by their places."""
    values = np.asarray(values, dtype=float)
    limit = NOTHING * float(np.abs(values).max(initial=0.0))
    return {
        tuple(int(k) for k in place): Float(float(values[tuple(place)]))
        for place in np.argwhere(np.abs(values) > limit)
    }
