"""A flexible body for the equations: a deformation field, stiffness and damping of its modes.

The field gives the motion of the points of the body with the elastic coordinates q, by its inertia integrals
(`Invariants`), by mass points (`PointField`), or by the exact kinematics of a beam (`ExactBeam`). Its origin (a beam,
matrices, a body file) does not matter to the equations.
Numbers are SI; elastic coordinates are in m (torsion: rad).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from flexmb.arrays import Floats
from flexmb.bodies.exact_beam import ExactBeam, ExactShapes
from flexmb.bodies.invariants import Invariants
from flexmb.bodies.marker_shapes import MarkerShapes
from flexmb.bodies.point_field import PointField
from flexmb.bodies.quadratic_beam import cubic_stiffness, quadratic_field, quadratic_marker
from flexmb.bodies.reduced_body import BodyMarker, ReducedBody
from flexmb.bodies.rigid_body import RigidBody
from flexmb.reduction.beam_basis import BeamBasis

Field = Invariants | PointField | ExactBeam
NEAR = 1e-3
"""Distance up to which a point belongs to a marker of a body file, as a part of the length of the body: the centre of
the nodes of a bore is not exactly that of the bore."""


@dataclass(frozen=True, kw_only=True)
class FlexibleBody(RigidBody):
    """A flexible body in its design position; mass, first moment and inertia are those of the undeformed body."""

    field: Field
    stiffness: Floats
    """(n, n) of the elastic coordinates, SI"""
    damping: Floats
    """(n, n), SI"""
    cubic: Floats | None = None
    """(n, n, n) third derivatives of the strain energy, for quadratic fields"""
    labels: tuple[str, ...]
    """Names of the elastic coordinates"""
    length: float
    """Size of the body [m], against which deflections are small"""
    order: Any = None
    """Truncation of a quadratic field: 0 (linear), 1, 2 or "full"; None for the exact one"""
    basis: BeamBasis | None = None
    """Shapes of a beam"""
    reduced: ReducedBody | None = None
    """The body file it comes from"""
    elastic_position: Floats | None = None
    """(n,) initial elastic coordinates [m, torsion: rad]"""
    elastic_velocity: Floats | None = None
    """(n,) initial elastic rates [m/s, torsion: rad/s]"""

    @property
    def n_modes(self) -> int:
        """Number of elastic coordinates."""
        return len(self.labels)

    @property
    def kinds(self) -> tuple[str, ...]:
        """Kind of every elastic coordinate: "elastic" [m], or "twist" [rad] for the torsion of a beam."""
        if self.basis is None:
            return ("elastic",) * self.n_modes
        return tuple("twist" if shape.component == "t" else "elastic" for shape in self.basis.shapes)

    def shapes_at(self, p_b: Floats) -> MarkerShapes | ExactShapes:
        """Motion of a point p_b : (3,) [m] of the body, body axes, with the elastic coordinates."""
        if isinstance(self.field, ExactBeam):
            return self.field.marker(p_b)
        if self.reduced is not None:
            marker, distance = nearest_marker(self.reduced, p_b)
            if marker is not None and distance <= NEAR * self.length:
                return self.shapes_of(marker).beside(p_b - marker.p_b)
        if self.basis is None:
            raise ValueError(f"body '{self.name}' has shapes at its own markers only")
        return quadratic_marker(self.basis, p_b, self.order)

    def shapes_of(self, marker: BodyMarker) -> MarkerShapes:
        """Shapes of a marker of the body file in the field that is used."""
        shapes = marker.shapes
        return MarkerShapes.linear(shapes.Phi, shapes.Theta) if self.order == 0 else shapes


def nearest_marker(reduced: ReducedBody, p_b: Floats) -> tuple[BodyMarker | None, float]:
    """The marker of a body file that is nearest to p_b : (3,) and its distance [m]; (None, inf) without markers."""
    distances = [float(np.linalg.norm(marker.p_b - p_b)) for marker in reduced.markers]
    best = int(np.argmin(distances)) if distances else -1
    return (reduced.markers[best], distances[best]) if distances else (None, np.inf)


def beam_body(
    name: str,
    basis: BeamBasis,
    field: str = "exact",
    order: Any = 2,
) -> FlexibleBody:
    """A beam with the deformation field "exact", "quadratic" (order 1, 2 or "full") or "linear", in the world frame."""
    exact = ExactBeam(basis)
    mass, first_moment, inertia = exact.rigid_inertia()
    order = {"exact": None, "linear": 0}.get(field, order)
    return FlexibleBody(
        name=name,
        mass=mass,
        first_moment=first_moment,
        inertia=inertia,
        rotor=np.zeros(3),
        R_wb=np.eye(3),
        p_wb=np.zeros(3),
        field=exact if field == "exact" else quadratic_field(basis, order),
        stiffness=basis.stiffness,
        damping=basis.damping,
        cubic=cubic_stiffness(basis) if field == "quadratic" else None,
        labels=tuple(shape.label for shape in basis.shapes),
        length=basis.length,
        order=order,
        basis=basis,
    )


def modal_body(
    name: str,
    invariants: Invariants,
    stiffness: Floats,
    *,
    damping: Floats | None = None,
    labels: tuple[str, ...] | None = None,
    length: float = 1.0,
) -> FlexibleBody:
    """A flexible body by its matrices, in the world frame; its markers carry their own shapes.

    stiffness, damping : (n, n) of the elastic coordinates, SI; length : size of the body [m]
    """
    n = len(stiffness)
    P0 = invariants.P0
    order = 2 if invariants.N3 is not None else 1 if np.any(invariants.S2) or np.any(invariants.X) else 0
    return FlexibleBody(
        name=name,
        mass=invariants.mass,
        first_moment=invariants.S0,
        inertia=np.trace(P0) * np.eye(3) - P0,
        rotor=np.zeros(3),
        R_wb=np.eye(3),
        p_wb=np.zeros(3),
        field=invariants,
        stiffness=np.asarray(stiffness, dtype=float),
        damping=np.zeros((n, n)) if damping is None else np.asarray(damping, dtype=float),
        labels=labels or tuple(f"q{k + 1}" for k in range(n)),
        length=length,
        order=order,
    )


def mesh_body(name: str, reduced: ReducedBody, order: Any, damping: Floats | None = None) -> FlexibleBody:
    """A body of a body file, in the world frame.

    order : 0 (linear), 1, 2 or "full", not above that of the file; damping : (n, n) in place of that of the file
    """
    field = reduced.points if order == "full" else reduced.invariants.truncated(order)
    assert field is not None
    P0 = reduced.invariants.P0
    return FlexibleBody(
        name=name,
        mass=reduced.invariants.mass,
        first_moment=reduced.invariants.S0,
        inertia=np.trace(P0) * np.eye(3) - P0,
        rotor=np.zeros(3),
        R_wb=np.eye(3),
        p_wb=np.zeros(3),
        field=field,
        stiffness=reduced.stiffness,
        damping=reduced.damping if damping is None else damping,
        labels=tuple(coordinate.label for coordinate in reduced.coordinates),
        length=reduced.length,
        order=order,
        reduced=reduced,
    )
