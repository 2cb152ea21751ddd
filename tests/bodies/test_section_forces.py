"""Section forces by summation: closed forms of textbooks, and both sides of the cut against each other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from flexmb.bodies.exact_motion import BodyMotion, ExactMotion
from flexmb.bodies.quadratic_beam import quadratic_field, quadratic_marker, sample
from flexmb.bodies.section_forces import LineLoad, PointLoad, section_forces
from flexmb.elements.material import Material
from flexmb.elements.section import rectangle
from flexmb.reduction.beam_basis import BeamBasis, Lump, Span, beam_basis

STEEL = Material.isotropic(2.0e11, 0.3, 7870.0)
SECTION = rectangle(0.03, 0.02)
LENGTH, RHO_A = 1.4, STEEL.density * SECTION.A
X = np.linspace(0.0, LENGTH, 8)
FIELDS = ["exact", "quadratic"]


def beam(**options: Any) -> BeamBasis:
    settings: dict[str, Any] = {"family": "monomials", "frame": "start", "bending_y": 3, "bending_z": 2}
    return beam_basis(LENGTH, [Span(None, SECTION, STEEL)], **(settings | options))


def at_rest(basis: BeamBasis, **motion: Any) -> BodyMotion:
    zero, still = np.zeros(len(basis.shapes)), np.zeros(3)
    settings = {"q": zero, "q_dot": zero, "q_ddot": zero, "a": still, "alpha": still, "omega": still}
    return BodyMotion(**{name: np.asarray(motion.get(name, value), float) for name, value in settings.items()})


@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize("side", ["A", "B"])
def test_spinning_bar(field: Any, side: Any) -> None:
    """Tension rho A Omega^2 (L^2 - x^2)/2; from A, with the pull of the hub as a load."""
    basis, spin = beam(), 30.0
    pull = PointLoad(np.zeros(3), np.array([-RHO_A * spin**2 * LENGTH**2 / 2.0, 0.0, 0.0]))
    found = section_forces(basis, at_rest(basis, omega=[0.0, 0.0, spin]), X, [pull], field=field, side=side)
    expected = RHO_A * spin**2 * (LENGTH**2 - X**2) / 2.0
    assert np.allclose(found.force[:, 0], expected, atol=1e-12 * expected.max())
    assert np.allclose(found.force[:, 1:], 0.0, atol=1e-9) and np.allclose(found.moment, 0.0, atol=1e-9)


@pytest.mark.parametrize("field", FIELDS)
def test_cantilever_with_a_tip_force_and_moment(field: Any) -> None:
    """Undeformed: shear P, bending moment P (L - x) + M, signs as EI v'' has them."""
    basis = beam()
    load = PointLoad(np.array([LENGTH, 0.0, 0.0]), np.array([0.0, 3.0, 5.0]), np.array([7.0, 0.0, 2.0]))
    found = section_forces(basis, at_rest(basis), X, [load], field=field)
    arm = LENGTH - X
    assert np.allclose(found.force, [0.0, 3.0, 5.0], atol=1e-12)
    assert np.allclose(found.moment, np.stack([7.0 + 0.0 * X, -5.0 * arm, 3.0 * arm + 2.0], -1), atol=1e-12)


@pytest.mark.parametrize("field", FIELDS)
def test_cantilever_under_its_weight(field: Any) -> None:
    """Gravity -g along y is an acceleration +g of the frame; w (L - x)^2/2 and w (L - x), also as a line load."""
    basis, g = beam(), 9.81
    arm = LENGTH - X
    own = section_forces(basis, at_rest(basis, a=[0.0, g, 0.0]), X, field=field)
    line = LineLoad(np.array([0.0, -RHO_A * g, 0.0]), 0.0, LENGTH)
    laid = section_forces(basis, at_rest(basis), X, [line], field=field)
    for found in (own, laid):
        assert np.allclose(found.force[:, 1], -RHO_A * g * arm, atol=1e-10)
        assert np.allclose(found.moment[:, 2], -RHO_A * g * arm**2 / 2.0, atol=1e-10)
    part = section_forces(basis, at_rest(basis), X, [LineLoad(line.force, 0.5, 0.9)], field=field)
    loaded = np.clip(0.9 - np.maximum(X, 0.5), 0.0, None)
    assert np.allclose(part.force[:, 1], -RHO_A * g * loaded, atol=1e-10)


@pytest.mark.parametrize("field", FIELDS)
def test_static_shapes_carry_the_moment_of_their_load(field: Any) -> None:
    """x^2 and x^3 hold the exact deflection of a tip force: EI v'' must equal the moment of the loads (small load)."""
    basis = beam(bending_y=2, bending_z=0)
    tip = np.array([LENGTH, 0.0, 0.0])
    force = 1e-3
    q = np.linalg.solve(basis.stiffness, force * quadratic_marker(basis, tip).Phi[:, 1])
    found = section_forces(basis, at_rest(basis, q=q), X, [PointLoad(tip, np.array([0.0, force, 0.0]))], field=field)
    moment = STEEL.E * SECTION.Iz * sample(basis, X).beta_slope @ q
    assert np.allclose(found.moment[:, 2], moment, atol=1e-9 * moment.max())


@pytest.mark.parametrize("field", FIELDS)
def test_falling_hinged_rod_bends_most_at_a_third(field: Any) -> None:
    """A rod that falls about a hinge (chimney): M = m g x (L - x)^2/(4 L^2) from the horizontal, most at x = L/3."""
    basis, g = beam(), 9.81
    m = RHO_A * LENGTH
    # axis horizontal, y upwards: alpha = -3 g/(2 L), hinge force m g/4 upwards
    motion = at_rest(basis, a=[0.0, g, 0.0], alpha=[0.0, 0.0, -1.5 * g / LENGTH])
    hinge = PointLoad(np.zeros(3), np.array([0.0, m * g / 4.0, 0.0]))
    x = np.linspace(0.0, LENGTH, 61)
    for side in ("A", "B"):
        found = section_forces(basis, motion, x, [hinge], field=field, side=side)  # type: ignore[arg-type]
        expected = m * g * x * (LENGTH - x) ** 2 / (4.0 * LENGTH**2)
        assert np.allclose(found.moment[:, 2], expected, atol=1e-11 * m * g * LENGTH)
        assert np.argmax(np.abs(found.moment[:, 2])) == 20
        assert np.isclose(found.moment[20, 2], m * g * LENGTH / 27.0, rtol=1e-10)
        shear = m * g * (LENGTH - x) * (LENGTH - 3.0 * x) / (4.0 * LENGTH**2)
        assert np.allclose(found.force[:, 1], -shear, atol=1e-11 * m * g)


@pytest.mark.parametrize("field", FIELDS)
def test_both_sides_agree_in_any_motion(field: Any) -> None:
    """Deformed, vibrating, spinning beam with lumps, twist and loads; a and alpha from its rigid-body equations."""
    lump = Lump(0.7, 0.4, np.array([0.01, 0.03, 0.0]), np.diag([1e-3, 2e-3, 2.5e-3]))
    basis = beam(axial=1, torsion=1, lumps=(lump,), gauss=16)
    rng, n = np.random.default_rng(2), len(basis.shapes)
    q, q_dot, q_ddot, omega = 0.03 * rng.normal(size=n), rng.normal(size=n), rng.normal(size=n), rng.normal(size=3)
    point, force, moment = np.array([LENGTH, 0.05, 0.02]), 9.0 * rng.normal(size=3), rng.normal(size=3)
    if field == "exact":
        body: Any = ExactMotion(basis)
        r = body.pose(body.points(point[None]), q)[0][0]
    else:
        body = quadratic_field(basis, "full")
        r = point + quadratic_marker(basis, point).displacement(q)
    M, h = body.mass_matrix(q), body.velocity_forces(q, q_dot, omega)
    wrench = np.concatenate([force, np.cross(r, force) + moment])
    rigid = np.linalg.solve(M[:6, :6], wrench - h[:6] - M[:6, 6:] @ q_ddot)
    motion = BodyMotion(q, q_dot, q_ddot, rigid[:3], rigid[3:], omega)
    loads = [PointLoad(point, force, moment)]
    for axes in ("section", "body"):
        a, b = (section_forces(basis, motion, X, loads, field=field, side=s, axes=axes) for s in ("A", "B"))  # type: ignore[arg-type]
        # The exact field's integrals are converged to about 1e-9 at 16 points.
        assert np.allclose(a.force, b.force, atol=1e-7 * np.abs(force).max())
        assert np.allclose(a.moment, b.moment, atol=1e-7 * np.abs(force).max())
        assert np.abs(b.moment).max() > 0.1
    assert np.allclose(b.force[-1], force, atol=1e-9) and np.allclose(b.force[0], 0.0, atol=1e-6)
    # a lump at a section counts to the part beyond it
    before, after = (section_forces(basis, motion, np.array([x]), loads, field=field) for x in (0.7, 0.7 + 1e-6))
    assert np.abs(before.force - after.force).max() > 1e-2


def test_axes_of_the_deformed_section() -> None:
    """A large tip force along y on a bent beam: axial force is its component along the tangent."""
    basis = beam(bending_z=0)
    exact, q = ExactMotion(basis), np.array([0.2, 0.1, 0.0])
    load = PointLoad(np.array([LENGTH, 0.0, 0.0]), np.array([0.0, 100.0, 0.0]))
    motion = at_rest(basis, q=q)
    section = section_forces(basis, motion, X, [load])
    body = section_forces(basis, motion, X, [load], axes="body")
    _, R = exact.pose(exact.points(np.stack([X, 0.0 * X, 0.0 * X], -1)), q)
    assert np.allclose(section.force[:, 0], R[:, 1, 0] * 100.0) and np.allclose(body.force, [0.0, 100.0, 0.0])
    assert section.force[-1, 0] > 20.0
