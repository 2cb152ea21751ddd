"""Reduced bodies in their frames: the same physics in each of them, mean axes, chords, clamps, beams of line cells."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from flexmb.bodies.marker_shapes import exponential
from flexmb.elements.section import circle
from flexmb.elements.solid.assemble import assemble
from tests.support.mesh_bodies import HEIGHT, LENGTH, STEEL, WIDTH, bar
from tests.support.reduced_meshes import AVERAGED, ENDS, FRAMES, Names, free_frequencies, line_rod, reduce_with, reduced


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("names", [ENDS, AVERAGED])
def test_free_frequencies_are_the_same_in_every_frame(frame: str, names: Names) -> None:
    body = reduced(names, frame=frame)
    exact = [coordinate.frequency for coordinate in body.coordinates]
    np.testing.assert_allclose(free_frequencies(body), exact, rtol=1e-8)
    assert body.frame == frame


@pytest.mark.parametrize("frame", FRAMES)
def test_a_coordinate_is_a_displacement_with_its_frequency(frame: str) -> None:
    """Largest displacement one; K/M of a coordinate in mean axes is the square of its frequency."""
    body = reduced(frame=frame)
    assert body.surface is not None
    np.testing.assert_allclose(np.linalg.norm(body.surface.Phi, axis=2).max(axis=0), 1.0, rtol=1e-12)
    mean = reduced(frame="mean")
    omega = 2.0 * np.pi * np.array([coordinate.frequency for coordinate in mean.coordinates])
    modal_mass = np.trace(mean.invariants.N2, axis1=2, axis2=3)
    np.testing.assert_allclose(np.diag(mean.stiffness), omega**2 * np.diag(modal_mass), rtol=1e-8)
    np.testing.assert_allclose(modal_mass, np.diag(np.diag(modal_mass)), atol=1e-9 * modal_mass.max())
    assert np.count_nonzero(body.stiffness - np.diag(np.diag(body.stiffness))) == 0


def test_mean_axes_carry_no_momentum() -> None:
    body = reduced(frame="mean")
    invariants = body.invariants
    assert np.abs(invariants.S1).max() < 1e-9 * invariants.mass
    M = invariants.mass_matrix(np.zeros(body.n_modes))
    assert np.abs(M[6:, 3:6]).max() < 1e-9 * invariants.mass * LENGTH
    assert np.abs(invariants.S2).max() < 1e-9 * invariants.mass * np.abs(body.markers[0].shapes.G).max()


@pytest.mark.parametrize("names", [ENDS, AVERAGED])
def test_a_clamped_marker_neither_moves_nor_turns(names: Names) -> None:
    shapes = reduced(names, frame="clamped b").markers[1].shapes
    other = reduced(names, frame="clamped:b").markers[0].shapes  # as on the command line
    for name in ("Phi", "Theta", "G", "Gamma"):
        assert np.abs(getattr(shapes, name)).max() < 1e-9 * np.abs(getattr(other, name)).max(), name


@pytest.mark.parametrize("names", [ENDS, AVERAGED])
def test_a_chord_runs_through_its_markers(names: Names) -> None:
    """Marker a stays, marker b moves along the chord only; a does not twist about it to first order."""
    body = reduced(names, frame="chord")
    a, b = body.markers[0].shapes, body.markers[1].shapes
    assert np.abs(a.Phi).max() < 1e-10 and np.abs(a.Theta[:, 0]).max() < 1e-10 * np.abs(a.Theta).max()
    assert np.abs(a.G).max() < 1e-9 * np.abs(b.G).max()
    # b was moved by lengths of 1 and curvatures up to 1e3 in the mean frame before that was taken out
    assert np.abs(b.Phi[:, 1:]).max() < 1e-9
    assert np.abs(b.G[:, :, 1:]).max() < 1e-9 * np.abs(b.G).max()
    assert np.abs(b.Phi[:, 0]).max() > 0.5, "the stretched shape"


@pytest.mark.parametrize("frame", FRAMES)
def test_nodes_of_a_rigid_tie_follow_their_marker_to_second_order(frame: str) -> None:
    """Each of them is a point fixed to the marker: d + exp(~theta) r, theta and d quadratic in the coordinates."""
    body = reduced(ENDS, frame=frame)
    surface = body.surface
    assert surface is not None and surface.G is not None
    pairs = np.tril_indices(body.n_modes)
    size = np.abs(surface.G).max()
    for marker in body.markers:
        for node in marker.nodes:
            at = int(np.flatnonzero(surface.nodes == node)[0])
            fixed = marker.shapes.beside(surface.points[at] - marker.p_b)
            np.testing.assert_allclose(surface.Phi[at], fixed.Phi, atol=1e-10)
            # G of the surface is kept in single precision
            np.testing.assert_allclose(surface.G[at], fixed.G[pairs], atol=2e-7 * size)


@pytest.mark.parametrize("names", [ENDS, AVERAGED])
def test_kinetic_energy_of_a_deflected_body_is_the_same_in_two_frames(names: Names) -> None:
    """The body in mean axes N and with its frame clamped at a: the pose of a in N is where the other frame is.

    Positions agree to second order in q, velocities to first, so energies differ by q^2: four times when q doubles.
    """
    mean, clamped = reduced(names, frame="mean"), reduced(names, frame="clamped a")
    assert mean.points is not None and clamped.points is not None
    n = mean.n_modes
    # coordinates differ by their scale, which stiffness tells
    ratio = np.sqrt(np.diag(mean.stiffness) / np.diag(clamped.stiffness))
    random = np.random.default_rng(6)
    soft = 1.0 / np.arange(1.0, n + 1.0) ** 2
    direction, rate = soft * random.standard_normal(n), soft * random.standard_normal(n)
    v, w = random.standard_normal(3), 5.0 * random.standard_normal(3)
    shapes, p = mean.markers[0].shapes, mean.markers[0].p_b

    def pose(q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        turn = exponential(shapes.rotation_vector(q))
        return turn, p + shapes.displacement(q) - turn @ p

    def difference(size: float) -> float:
        assert mean.points is not None and clamped.points is not None
        q, step = size * direction, 1e-7
        turn, origin = pose(q)
        ahead, behind = pose(q + step * rate), pose(q - step * rate)
        spin = turn.T @ (ahead[0] - behind[0]) / (2.0 * step)
        relative = np.array([spin[2, 1] - spin[1, 2], spin[0, 2] - spin[2, 0], spin[1, 0] - spin[0, 1]]) / 2.0
        moved = turn.T @ (v + np.cross(w, origin) + (ahead[1] - behind[1]) / (2.0 * step))
        here = np.concatenate([v, w, rate])
        there = np.concatenate([moved, turn.T @ w + relative, rate * ratio])
        energy = mean.points.kinetic_energy(q, here)
        return float((clamped.points.kinetic_energy(q * ratio, there) - energy) / energy)

    assert abs(difference(0.0)) < 1e-8, "finite differences of the pose"
    small, large = difference(5e-4), difference(1e-3)
    assert abs(large) < 1e-2
    assert large / small == pytest.approx(4.0, rel=0.2)


def test_a_rigid_limit_is_the_inertia_of_a_box() -> None:
    invariants = reduced(frame="chord").invariants
    n = invariants.n_modes
    mass = STEEL.density * LENGTH * WIDTH * HEIGHT
    sides = np.array([LENGTH, WIDTH, HEIGHT])
    M = invariants.mass_matrix(np.zeros(n))[:6, :6]
    c = sides / 2.0
    J = mass * np.diag((sides @ sides - sides**2) / 12.0) + mass * ((c @ c) * np.eye(3) - np.outer(c, c))
    cross = np.array([[0.0, -c[2], c[1]], [c[2], 0.0, -c[0]], [-c[1], c[0], 0.0]])
    expected = np.block([[mass * np.eye(3), -mass * cross], [mass * cross, J]])
    np.testing.assert_allclose(M, expected, atol=1e-12 * mass)


def test_orders_of_the_field() -> None:
    full, second, first, linear = reduced(), reduced(order=2), reduced(order=1), reduced(field="linear")
    assert [body.order for body in (full, second, first, linear)] == ["full", 2, 1, 0]
    assert full.points is not None and second.points is None
    np.testing.assert_allclose(second.invariants.X, first.invariants.X, atol=1e-14)
    assert first.invariants.N3 is None and not linear.invariants.X.any()
    assert [body.markers[0].shapes.order for body in (full, second, first, linear)] == [2, 2, 2, 1]
    found = full.points.invariants(2)
    for name in ("S0", "P0", "S1", "N1", "N2", "S2", "X", "N3"):
        exact = getattr(full.invariants, name)
        # fields with 1, X and the shapes are kept to round-off; mean axes make S1 and S2 vanish, hence common sizes
        largest = np.abs(exact).max() if name != "S2" else np.abs(full.invariants.X).max() / LENGTH
        size = max(float(largest), full.invariants.mass)
        np.testing.assert_allclose(getattr(found, name), exact, atol=1e-9 * size, err_msg=name)
    huge = full.points.mass_matrix(1e4 * np.cos(np.arange(full.n_modes)))
    scale = 1.0 / np.sqrt(np.diag(huge))
    assert np.linalg.eigvalsh(scale[:, None] * huge * scale)[0] > -1e-13


@pytest.mark.parametrize("frame", FRAMES)
def test_a_rod_of_line_cells_has_the_frequencies_of_a_beam(frame: str) -> None:
    """Free-free bending, beta L = 4.73004, 7.85320, 10.99561 (Blevins 1979), each twice."""
    body = reduce_with(*line_rod(), ENDS, method="free", modes=6, field="linear", frame=frame, compare=False)
    section = circle(0.003)
    beta = np.repeat([4.730040745, 7.853204624, 10.99560784], 2) / LENGTH
    exact = beta**2 * np.sqrt(STEEL.E * section.Iz / (STEEL.density * section.A)) / (2.0 * np.pi)
    # cubic elements: (beta h)^4/1440 of the frequency, 6e-5 for the third with twenty cells
    np.testing.assert_allclose(free_frequencies(body), exact, rtol=1e-4)
    assert body.order == 0 and body.markers[0].shapes.order == 1


def test_a_twist_of_line_cells_is_a_coordinate_of_sound_size() -> None:
    """It moves no node, and yet its stiffness is that of GJ/L times squares of angles below some radians."""
    body = reduce_with(*line_rod(), ENDS, modes=12, field="linear", frame="chord", compare=False)
    assert max(np.abs(marker.shapes.Theta).max() for marker in body.markers) < 1e3
    ratio = np.diag(body.stiffness).max() / np.diag(body.stiffness).min()
    assert ratio < 1e6


def test_a_mesh_far_from_the_origin_is_the_same_body() -> None:
    """A part in the coordinates of a plant, 50 m away: frequencies, inertia about the centre and markers agree."""
    mesh, _ = bar()
    near = reduced(modes=3)
    away = replace(mesh, points=mesh.points + [30.0, -40.0, 3.0])
    far = reduce_with(away, assemble(away, STEEL), ENDS, modes=3, compare=False)
    # nodes know their places to 1e-14 m of a width of 1e-2 m: shapes of elements, and with them K, to 1e-12
    np.testing.assert_allclose(
        [c.frequency for c in far.coordinates], [c.frequency for c in near.coordinates], rtol=1e-6
    )
    np.testing.assert_allclose(far.report["inertia"]["reduced"], near.report["inertia"]["reduced"], atol=1e-9)
    assert far.points is not None
    for name in ("X", "N1"):
        exact = getattr(far.invariants, name)
        np.testing.assert_allclose(getattr(far.points.invariants(2), name), exact, atol=1e-8 * np.abs(exact).max())
