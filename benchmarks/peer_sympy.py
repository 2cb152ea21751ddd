"""sympy on the rigid examples: KanesMethod derives mass matrix and forcing, simplify makes them readable.

The models are written by hand in the same coordinates as the examples, with all parameters as symbols; names of the
symbols are those of the examples. Dependent rates of the slider-crank are eliminated, as KanesMethod does it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import sympy  # type: ignore[import-untyped]
from sympy.core.cache import clear_cache  # type: ignore[import-untyped]
from sympy.physics.mechanics import (  # type: ignore[import-untyped]
    KanesMethod,
    Point,
    ReferenceFrame,
    RigidBody,
    dynamicsymbols,
    find_dynamicsymbols,
    inertia,
)


@dataclass(frozen=True)
class Derived:
    """M u' = forcing; coordinates and speeds in their order."""

    q: list[Any]
    u: list[Any]
    M: Any
    forcing: Any


def _coordinates(*names: str) -> tuple[list[Any], list[Any], list[Any]]:
    """Coordinates, speeds and the equations q' = u."""
    q = [dynamicsymbols(name) for name in names]
    u = [dynamicsymbols(f"u_{name}") for name in names]
    return q, u, [speed - x.diff() for x, speed in zip(q, u, strict=True)]


def _bar(name: str, frame: Any, centre: Any, mass: Any, length: Any, along_y: bool) -> Any:
    """A uniform slender bar."""
    J = mass * length**2 / 12
    return RigidBody(name, centre, frame, mass, (inertia(frame, J if along_y else 0, 0 if along_y else J, J), centre))


def _two_links(q: Any, u: Any) -> tuple[Any, Any, Any, Any]:
    """World frame, two frames that turn about z one after the other, and the origin."""
    N = ReferenceFrame("N")
    A, B = N.orientnew("A", "Axis", [q[0], N.z]), ReferenceFrame("B")
    A.set_ang_vel(N, u[0] * N.z)
    B.orient(A, "Axis", [q[1], A.z])
    B.set_ang_vel(N, (u[0] + u[1]) * N.z)
    O = Point("O")
    O.set_vel(N, 0)
    return N, A, B, O


def double_pendulum() -> Derived:
    m1, m2, l1, l2, g = sympy.symbols("m1 m2 l1 l2 g")
    q, u, rates = _coordinates("theta1", "theta2")
    N, A, B, O = _two_links(q, u)
    elbow = O.locatenew("elbow", -l1 * A.y)
    elbow.v2pt_theory(O, N, A)
    centres = O.locatenew("C1", -l1 / 2 * A.y), elbow.locatenew("C2", -l2 / 2 * B.y)
    centres[0].v2pt_theory(O, N, A)
    centres[1].v2pt_theory(elbow, N, B)
    bodies = [_bar("upper", A, centres[0], m1, l1, True), _bar("lower", B, centres[1], m2, l2, True)]
    loads = [(centres[0], -m1 * g * N.y), (centres[1], -m2 * g * N.y)]
    return _derived(KanesMethod(N, q_ind=q, u_ind=u, kd_eqs=rates), bodies, loads, q, u)


def slider_crank() -> Derived:
    m11, m12, l11, l12, torque = sympy.symbols("m11 m12 l11 l12 torque")
    q, u, rates = _coordinates("alpha1", "alpha2")
    N, A, B, O = _two_links(q, u)
    crank_pin = O.locatenew("A", l11 * A.x)
    crank_pin.v2pt_theory(O, N, A)
    centres = O.locatenew("C1", l11 / 2 * A.x), crank_pin.locatenew("C2", -l12 / 2 * B.x)
    centres[0].v2pt_theory(O, N, A)
    centres[1].v2pt_theory(crank_pin, N, B)
    slider_pin = crank_pin.locatenew("B", -l12 * B.x)
    slider_pin.v2pt_theory(crank_pin, N, B)
    height, speed = slider_pin.pos_from(O).dot(N.y), slider_pin.vel(N).dot(N.y)
    bodies = [_bar("crank", A, centres[0], m11, l11, False), _bar("rod", B, centres[1], m12, l12, False)]
    method = KanesMethod(
        N,
        q_ind=q[:1],
        u_ind=u[:1],
        kd_eqs=rates,
        q_dependent=q[1:],
        u_dependent=u[1:],
        configuration_constraints=[height],
        velocity_constraints=[speed],
    )
    return _derived(method, bodies, [(A, torque * N.z)], q, u)


def rotor() -> Derived:
    m3, L, R, g, T1, T2 = sympy.symbols("m3 L R g T1 T2")
    q, u, rates = _coordinates("psi", "theta", "phi")
    N = ReferenceFrame("N")
    post, shaft, disk = N.orientnew("P", "Axis", [q[0], N.z]), ReferenceFrame("S"), ReferenceFrame("D")
    post.set_ang_vel(N, u[0] * N.z)
    shaft.orient(post, "Axis", [q[1], post.y])
    shaft.set_ang_vel(post, u[1] * post.y)
    disk.orient(shaft, "Axis", [q[2], -shaft.z])
    disk.set_ang_vel(shaft, -u[2] * shaft.z)
    A = Point("A")
    A.set_vel(N, 0)
    B = A.locatenew("B", -L * shaft.z)
    B.v2pt_theory(A, N, shaft)
    J = m3 * R**2 / 4
    body = RigidBody("disk", B, disk, m3, (inertia(disk, J, J, 2 * J), B))
    loads = [(B, -m3 * g * N.z), (post, T1 * N.z), (disk, -T2 * shaft.z), (shaft, T2 * shaft.z)]
    return _derived(KanesMethod(N, q_ind=q, u_ind=u, kd_eqs=rates), [body], loads, q, u)


def _derived(method: Any, bodies: list[Any], loads: list[Any], q: list[Any], u: list[Any]) -> Derived:
    method.kanes_equations(bodies, loads)
    return Derived(q, u, method.mass_matrix, method.forcing)


EXAMPLES: dict[str, Callable[[], Derived]] = {
    "double pendulum": double_pendulum,
    "planar slider-crank": slider_crank,
    "pendulating rotor": rotor,
}


def derive(example: str) -> Derived:
    """M and forcing, nothing kept from an earlier derivation."""
    clear_cache()
    return EXAMPLES[example]()


def simplified(example: str) -> str:
    """The same, simplified and printed."""
    found = derive(example)
    return f"{sympy.simplify(found.M)}\n{sympy.simplify(found.forcing)}\n"


def accelerations(example: str, q: list[float], u: list[float], parameters: dict[str, float]) -> list[float]:
    """u' at a state, to compare with; torques that the parameters do not name are zero."""
    found = derive(example)
    values = dict(zip([*found.u, *found.q], [*u, *q], strict=True))
    matrices = [matrix.subs(values) for matrix in (found.M, found.forcing)]
    free = set().union(*(matrix.free_symbols for matrix in matrices)) - {dynamicsymbols._t}
    matrices = [matrix.subs({s: parameters.get(s.name, 0.0) for s in free}) for matrix in matrices]
    assert not any(find_dynamicsymbols(matrix) for matrix in matrices)
    return [float(x) for x in matrices[0].LUsolve(matrices[1])]
