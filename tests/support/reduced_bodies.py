"""Beams in the clothes of reduced bodies: a body file whose motion is known, since the beam itself moves so."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from flexmb.bodies.invariants import Invariants
from flexmb.bodies.point_field import PointField
from flexmb.bodies.quadratic_beam import quadratic_field, quadratic_marker
from flexmb.bodies.reduced_body import BodyMarker, Coordinate, ReducedBody, Surface
from flexmb.reduction.beam_basis import BeamBasis
from flexmb.system.flexible_placement import basis_of, beam_data
from tests.support.flexible_models import free_beam
from tests.support.mechanisms import spec_of


def basis_of_body(spec: Any, name: str) -> BeamBasis:
    """The modal basis of a beam of a checked model."""
    return basis_of(beam_data(spec, spec.bodies[name]))


def reduced_beam(
    basis: BeamBasis, order: Any = 2, places: Mapping[str, Any] | None = None, *, surface: bool = False
) -> ReducedBody:
    """A beam as a reduced body: body axes and origin those of the beam, markers at `places` (body coordinates)."""
    field = quadratic_field(basis, order)
    invariants = field if isinstance(field, Invariants) else quadratic_field(basis, 2)
    assert isinstance(invariants, Invariants)
    omega = np.sqrt(np.diag(basis.stiffness) / np.diag(basis.mass))
    kinds = ("fixed-interface", "constraint", "user")
    places = places or {"A": [0.0, 0.0, 0.0], "B": [basis.length, 0.0, 0.0]}
    return ReducedBody(
        name="beam",
        invariants=invariants,
        points=field if isinstance(field, PointField) else None,
        stiffness=basis.stiffness,
        damping=basis.damping,
        coordinates=tuple(
            Coordinate(shape.label, kinds[k % 3], float(omega[k] / (2.0 * np.pi)), "A" if k % 3 == 1 else "")
            for k, shape in enumerate(basis.shapes)
        ),
        markers=tuple(
            BodyMarker(name, "rbe2", np.asarray(p_b, float), quadratic_marker(basis, p_b, order), np.arange(4) + k)
            for k, (name, p_b) in enumerate(places.items())
        ),
        frame="chord" if basis.frame == "chord" else "mean",
        length=basis.length,
        surface=_surface(basis, order) if surface else None,
        report={"mass": {"mesh": 1.0, "reduced": 1.0}, "notes": ["made of a beam"]},
        provenance={"mesh": "none", "material": "steel"},
    )


def _surface(basis: BeamBasis, order: Any) -> Surface:
    points = np.array([[0.0, 0.0, 0.0], [basis.length, 0.0, 0.0], [0.5 * basis.length, 0.01, 0.0]])
    shapes = [quadratic_marker(basis, point, order) for point in points]
    n = len(basis.shapes)
    lower = np.tril_indices(n)
    return Surface(
        points,
        np.array([[0, 1, 2], [0, 2, 1]]),
        np.array([5, 6, 9]),
        np.array([shape.Phi for shape in shapes]),
        None if order == 0 else np.array([shape.G[lower] for shape in shapes], dtype=np.float32),
        np.arange(3 * n * 6, dtype=float).reshape(3, n, 6),
    )


def body_of(order: Any = 2, **keys: Any) -> ReducedBody:
    basis = basis_of_body(spec_of(free_beam(damping={"ratio": 0.01})), "beam")
    return reduced_beam(basis, order, surface=True, **keys)
