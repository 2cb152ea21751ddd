"""Second-order displacements of meshed bodies: strain energy, foreshortening, buckling, rotations.

Covers: reduction.small_motions.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from flexmb.bodies.reduce_model import reduce_model
from flexmb.bodies.reduced_body import ReducedBody
from flexmb.reduction import second_order
from flexmb.reduction.component_modes import component_modes
from flexmb.reduction.free_body import FreeBody
from flexmb.reduction.request import ReductionRequest
from flexmb.reduction.second_order import second_order_fields
from flexmb.reduction.small_motions import full_pairs
from tests.support.mesh_bodies import LENGTH, STEEL, bar, rod, strain_energy, tied_bar, ties


@pytest.mark.parametrize("tie", ["rbe2", "rbe3"])
def test_strain_energy_is_quadratic_through_third_order(tie: str) -> None:
    """V(Phi q + 1/2 G q q) - 1/2 q w^2 q falls with the fourth power of q; with Phi q alone it has a cubic part."""
    body = tied_bar(tie, tie)
    shapes = component_modes(body, modes=3)
    n = len(shapes.labels)
    G = np.hstack([chunk for _, chunk in second_order_fields(body, shapes)])
    G = full_pairs(G.T, n)
    mesh, _ = bar()
    q = 1e-4 * np.random.default_rng(2).standard_normal(n) / np.abs(shapes.Phi).max(axis=0)

    def rest(size: float, second: float) -> float:
        u = shapes.Phi @ (size * q) + 0.5 * second * size**2 * np.einsum("k,l,kli->i", q, q, G)
        odd = strain_energy(mesh, STEEL, u.reshape(-1, 3)) - 0.5 * (size * q) ** 2 @ shapes.omega_squared
        return float(odd)

    def cubic(size: float, second: float) -> float:
        """The odd part in q: u(-q) has the same second-order displacement."""
        return 0.5 * (rest(size, second) - rest(-size, second))

    energy = 0.5 * q**2 @ shapes.omega_squared
    # what the odd part falls to is of fifth order; sizes keep it above the round-off of the energy
    assert abs(cubic(1.0, 0.0)) > 1e-4 * energy
    assert abs(cubic(1.0, 1.0)) < 1e-2 * abs(cubic(1.0, 0.0))
    ratio = cubic(2.0, 1.0) / cubic(1.0, 1.0)
    assert ratio > 2.0**4.5, "odd part falls by the fifth power"
    assert cubic(2.0, 0.0) / cubic(1.0, 0.0) == pytest.approx(8.0, rel=0.01)


def test_pairs_come_once_and_in_order_whatever_the_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    body = tied_bar("rbe2", "rbe2")
    shapes = component_modes(body, modes=3)
    whole = np.hstack([chunk for _, chunk in second_order_fields(body, shapes)])
    n = len(shapes.labels)
    assert whole.shape[1] == n * (n + 1) // 2
    monkeypatch.setattr(second_order, "CHUNK", 7)
    parts = list(second_order_fields(body, shapes))
    assert [part.start for part, _ in parts] == [0, *(part.stop for part, _ in parts[:-1])]
    # other chunks are other products of matrices, which differ by round-off
    assert np.allclose(np.hstack([chunk for _, chunk in parts]), whole, rtol=0.0, atol=1e-11 * np.abs(whole).max())
    alone = replace(shapes, Phi=shapes.Phi[:, :1].copy(), omega_squared=shapes.omega_squared[:1])
    assert [(part.start, part.stop, G.shape[1]) for part, G in second_order_fields(body, alone)] == [(0, 1, 1)]


def reduced_rod(
    frame: str, tie: str = "rbe2", field: str = "quadratic", modes: int = 4, compare: bool = False
) -> ReducedBody:
    mesh, model = rod()
    interfaces = ties(
        mesh, model, ("a", "start", tie), ("b", "end", tie), ("middle", "nearest(0.15, 0, 0)", "follower")
    )
    request = ReductionRequest(modes=modes, frame=frame, field=field, compare=compare)
    return reduce_model(model, interfaces, _with_names(request))


def _with_names(request: ReductionRequest) -> ReductionRequest:
    from dataclasses import replace

    from flexmb.reduction.request import TieRequest

    return replace(request, interfaces=(TieRequest("a", "start"), TieRequest("b", "end")))


@pytest.mark.parametrize("frame", ["chord", "mean", "clamped a"])
def test_a_bent_rod_grows_shorter_as_a_beam_does(frame: str) -> None:
    """G along the axis between the ends is -int v_k' v_l' dx of the centre line, with v read off the mesh."""
    body = reduced_rod(frame)
    mesh, _ = rod()
    assert body.surface is not None
    a, b = body.markers[0].shapes, body.markers[1].shapes
    # slopes of the first two shapes: rotations of sections, by the rigid motion that fits the skin nodes there best
    stations = np.unique(body.surface.points[:, 0].round(9))
    slopes = np.zeros((len(stations), 4, 2))
    for row, x in enumerate(stations):
        on = np.abs(body.surface.points[:, 0] - x) < 1e-8
        arm = body.surface.points[on]
        for part, (across, sign) in enumerate(((1, -1.0), (2, -1.0))):
            # u_x = -v' y - w' z + stretch
            design = np.stack([arm[:, 1], arm[:, 2], np.ones(on.sum())], axis=1)
            fit = np.linalg.lstsq(design, body.surface.Phi[on][:, :4, 0], rcond=None)[0]
            slopes[row, :, part] = sign * fit[across - 1]
    for k, l in ((0, 0), (1, 1), (0, 2), (2, 2)):
        shortening = np.trapezoid((slopes[:, k] * slopes[:, l]).sum(axis=1), stations)
        # 41 stations of a shape with at most two waves: the sum is good to 1e-3 of the largest
        largest = np.trapezoid((slopes[:, 2] ** 2).sum(axis=1), stations)
        assert b.G[k, l, 0] - a.G[k, l, 0] == pytest.approx(-shortening, abs=5e-3 * largest)


def test_an_axial_force_buckles_the_rod_at_euler_s_load() -> None:
    """Pushed by its ends, K - F G loses its definiteness at pi^2 E I/L^2; a linear field never buckles."""
    body = reduced_rod("chord", modes=8, compare=True)
    along = body.markers[1].shapes.G[:, :, 0] - body.markers[0].shapes.G[:, :, 0]
    buckling = 1.0 / np.linalg.eigvals(np.linalg.solve(body.stiffness, -along)).real.max()
    # Bending stiffness of this coarse section (some 0.5 % above E I) from its first free frequency, beta L = 4.73004.
    mass = body.invariants.mass
    omega = 2.0 * np.pi * body.report["full_frequencies"][0]
    bending = omega**2 * mass * LENGTH**3 / 4.730040745**4
    euler = np.pi**2 * bending / LENGTH**2
    # Euler's rod does not shorten or thicken under its load; this one does, by parts of the order of F/EA = 2.4e-4 each
    # (seen: a difference of 5 F/EA that falls with the square of the thickness).
    strain = euler * STEEL.density * LENGTH / (STEEL.E * mass)
    assert buckling == pytest.approx(euler, rel=12.0 * strain)
    linear = reduced_rod("chord", field="linear")
    assert not linear.markers[1].shapes.G.any()


def test_a_turned_frame_changes_no_distance() -> None:
    """The same deflection described in three frames: distances between markers agree to third order."""
    # A bar of unequal sides: the pairs of equal frequency of a round rod may come out turned from one run to the next.
    mesh, model = bar()
    markers = ties(
        mesh, model, ("a", "xmin", "rbe2"), ("b", "xmax", "rbe2"), ("middle", "box(0.13,0,0, 0.17,1,1)", "follower")
    )
    bodies = {
        frame: reduce_model(model, markers, _with_names(ReductionRequest(modes=4, frame=frame, compare=False)))
        for frame in ("mean", "chord", "clamped a")
    }
    mean = bodies["mean"]
    rng = np.random.default_rng(3)
    amplitude = 1e-3 * rng.standard_normal(mean.n_modes) * (np.arange(mean.n_modes) < 6)

    def shape(body: ReducedBody, size: float) -> np.ndarray:
        # coordinates differ by their scale only: modal mass tells it
        scale = np.sqrt(np.diag(mean.stiffness) / np.diag(body.stiffness))
        q = size * amplitude * scale
        places = [marker.p_b + marker.shapes.displacement(q) for marker in body.markers]
        turns = [marker.shapes.rotation(q) for marker in body.markers]
        angles = [np.trace(turns[0].T @ turn) for turn in turns[1:]]
        return np.array([*(np.linalg.norm(places[i] - places[j]) for i, j in ((0, 1), (0, 2), (1, 2))), *angles])

    for frame in ("chord", "clamped a"):
        differences = [np.abs(shape(bodies[frame], size) - shape(mean, size)) for size in (0.2, 0.4)]
        changes = np.abs(shape(mean, 0.2) - shape(mean, 0.0))
        assert (differences[0] < 0.01 * changes.max()).all()
        # third order or higher where it is above round-off
        seen = differences[1] > 1e-11
        assert seen.sum() >= 3
        assert (differences[1][seen] > 6.0 * differences[0][seen]).all()


def test_the_field_of_a_free_body_does_not_depend_on_ties() -> None:
    """Free modes without interfaces, pinned by six unknowns, and with averaged interfaces: the same field."""
    mesh, model = bar()
    plain = FreeBody(model, [])
    shapes = component_modes(plain, "free", modes=4)
    tied = FreeBody(model, ties(mesh, model, ("a", "xmin", "rbe3")))
    G = [np.hstack([chunk for _, chunk in second_order_fields(body, shapes)]) for body in (plain, tied)]
    np.testing.assert_allclose(G[0], G[1], atol=1e-8 * np.abs(G[0]).max())
