"""Reduced bodies: body frames, the same physics in each of them, beams of line cells, reports, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
import pytest
from scipy.linalg import eigh

from flexmb.bodies.marker_shapes import exponential
from flexmb.bodies.reduce import reduce_model
from flexmb.bodies.reduce_mesh import reduce_mesh
from flexmb.bodies.reduced_body import ReducedBody
from flexmb.elements.fe_model import FEModel
from flexmb.elements.line_beams import assemble_beams
from flexmb.elements.section import circle
from flexmb.elements.solid.assemble import assemble
from flexmb.errors import ComputationError, InputError
from flexmb.mesh.mesh import Cells, Mesh
from flexmb.reduction.request import ReductionRequest, TieRequest
from tests.mesh_bodies import HEIGHT, LENGTH, STEEL, WIDTH, bar, rod, ties
from tests.mesh_makers import box_mesh

ENDS = (("a", "xmin", "rbe2"), ("b", "xmax", "rbe2"))
AVERAGED = (("a", "xmin", "rbe3"), ("b", "xmax", "rbe3"))
FRAMES = ("mean", "chord", "clamped a", "clamped b")
Names = tuple[tuple[str, str, str], ...]


def reduce_with(mesh: Mesh, model: FEModel, names: Names, **options: Any) -> ReducedBody:
    interfaces = tuple(TieRequest(*name) for name in names if name[2] != "follower")
    vectors = options.pop("vectors", None)
    return reduce_model(
        model, ties(mesh, model, *names), ReductionRequest(interfaces=interfaces, **options), vectors=vectors
    )


@lru_cache
def reduced(names: Names = ENDS, **options: Any) -> ReducedBody:
    """The bar, with few modes unless asked otherwise."""
    return reduce_with(*bar(), names, **{"modes": 3, "compare": False, **options})


@lru_cache
def line_rod(count: int = 20) -> tuple[Mesh, FEModel]:
    """A straight round rod of line cells without shear and rotary inertia, 0.3 m long, 6 mm thick."""
    x = np.linspace(0.0, LENGTH, count + 1)
    cells = Cells("line2", np.stack([np.arange(count), np.arange(1, count + 1)], axis=1))
    sets = {"xmin": np.array([0]), "xmax": np.array([count]), "middle": np.array([count // 2])}
    mesh = Mesh(np.stack([x, 0.0 * x, 0.0 * x], axis=1), (cells,), (), sets)
    return mesh, assemble_beams(mesh, STEEL, circle(0.003), shear=False, rotary_inertia=False)


def free_frequencies(body: ReducedBody) -> np.ndarray:
    """(n,) [Hz] of the free body by its mass matrix of rigid and elastic motion, without the six zeros"""
    n = body.n_modes
    field = body.points if body.points is not None else body.invariants
    K = np.zeros((6 + n, 6 + n))
    K[6:, 6:] = body.stiffness
    squares = eigh(K, field.mass_matrix(np.zeros(n)), eigvals_only=True)
    np.testing.assert_allclose(squares[:6], 0.0, atol=1e-6 * squares[6])
    return np.sqrt(squares[6:]) / (2.0 * np.pi)


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
    other = reduced(names, frame="clamped b").markers[0].shapes
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
    full, second, first, linear = (
        reduced(),
        reduced(order=2),
        reduced(order=1),
        reduced(field="linear"),
    )
    assert [body.order for body in (full, second, first, linear)] == ["full", 2, 1, 0]
    assert full.points is not None and second.points is None
    np.testing.assert_allclose(second.invariants.X, first.invariants.X, atol=1e-14)
    assert first.invariants.N3 is None and not linear.invariants.X.any()
    assert [body.markers[0].shapes.order for body in (full, second, first, linear)] == [2, 2, 2, 1]
    found = full.points.invariants(2)
    for name in ("S0", "P0", "S1", "N1", "N2", "S2", "X", "N3"):
        exact = getattr(full.invariants, name)
        # fields with 1, X and the shapes are kept to round-off; mean axes make S1 and S2 vanish, hence the common size
        size = np.abs(full.invariants.N3).max() if name == "S2" else max(np.abs(exact).max(), full.invariants.mass)
        np.testing.assert_allclose(getattr(found, name), exact, atol=1e-9 * size, err_msg=name)
    huge = full.points.mass_matrix(1e4 * np.cos(np.arange(full.n_modes)))
    scale = 1.0 / np.sqrt(np.diag(huge))
    assert np.linalg.eigvalsh(scale[:, None] * huge * scale)[0] > -1e-13


def test_damping_ratios_belong_to_the_coordinates() -> None:
    body = reduced()
    count = body.n_modes
    mesh, model = bar()
    ratios = np.linspace(0.01, 0.09, count).tolist()
    damped = reduce_with(mesh, model, ENDS, modes=3, field="linear", compare=False, damping={"ratios": ratios})
    omega = 2.0 * np.pi * np.array([coordinate.frequency for coordinate in damped.coordinates])
    np.testing.assert_allclose(np.diag(damped.damping) * omega / (2.0 * np.diag(damped.stiffness)), ratios, rtol=1e-9)
    with pytest.raises(InputError, match=f"1 entries, but .* {count} shapes"):
        reduce_with(mesh, model, ENDS, modes=3, damping={"ratios": [0.01]})


def test_stress_of_a_stretched_bar() -> None:
    """u = (x, -nu y, -nu z): uniform E per unit of strain along the bar, and no other stress."""
    mesh, model = bar()
    stretched = mesh.points * [1.0, -0.3, -0.3]
    body = reduce_with(
        mesh, model, (), method="free", modes=3, vectors=stretched.reshape(-1, 1), stress=True, compare=False
    )
    assert [coordinate.kind for coordinate in body.coordinates].count("user") == 1
    surface = body.surface
    assert surface is not None and surface.stress is not None
    # coordinates of that displacement, beside a rigid motion
    rigid = model.rigid_motions().reshape(-1, 3, 6)[surface.nodes].transpose(2, 0, 1).reshape(6, -1)
    shapes = surface.Phi.transpose(1, 0, 2).reshape(body.n_modes, -1)
    q, rest, _, _ = np.linalg.lstsq(np.vstack([shapes, rigid]).T, stretched[surface.nodes].ravel(), rcond=None)
    assert float(rest[0]) < 1e-16
    expected = np.zeros((len(surface.points), 6))
    expected[:, 0] = STEEL.E
    np.testing.assert_allclose(np.einsum("k,ski->si", q[: body.n_modes], surface.stress), expected, atol=1e-6 * STEEL.E)
    plain = reduced().surface
    assert plain is not None and plain.stress is None


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


def test_a_follower_on_one_node_moves_as_that_node() -> None:
    mesh, model = line_rod(10)
    body = reduce_with(mesh, model, (*ENDS, ("m", "middle", "follower")), modes=4, field="linear", compare=False)
    assert body.surface is not None
    np.testing.assert_allclose(body.markers[2].shapes.Phi, body.surface.Phi[5], atol=1e-12)
    solid = reduced((*ENDS, ("m", f"nearest({LENGTH / 2}, 0, 0)", "follower")))
    assert solid.surface is not None
    at = np.linalg.norm(solid.surface.points - solid.markers[2].p_b, axis=1).argmin()
    np.testing.assert_allclose(solid.markers[2].shapes.Phi, solid.surface.Phi[at], atol=1e-12)
    G = solid.markers[2].shapes.G[np.tril_indices(solid.n_modes)]
    np.testing.assert_allclose(G, solid.surface.G[at], rtol=1e-6, atol=1e-6 * np.abs(G).max())  # type: ignore[index]


def verdict(body: ReducedBody) -> tuple[str, str]:
    found = body.report["verdict"]
    return found["level"], " ".join(found["reasons"])


def test_the_report_of_a_good_body() -> None:
    body = reduced(modes=12, field="linear", compare=True)
    report = body.report
    assert verdict(body) == ("good", "")
    assert len(report["full_frequencies"]) == len(report["reduced_frequencies"]) == 10
    assert all(
        0.0 <= r / f - 1.0 + 1e-7
        for f, r in zip(report["full_frequencies"], report["reduced_frequencies"], strict=True)
    )
    assert report["mass"]["reduced"] == pytest.approx(report["mass"]["mesh"], rel=1e-12)
    np.testing.assert_allclose(report["centre"]["reduced"], [LENGTH / 2, WIDTH / 2, HEIGHT / 2], rtol=1e-9)
    np.testing.assert_allclose(report["inertia"]["reduced"], report["inertia"]["mesh"], atol=1e-12)
    assert report["rigid"]["count"] == 6 and report["rigid"]["largest_frequency"] < 0.1
    assert len(report["effective_mass"]) == len(report["fixed_frequencies"]) == 12
    assert report["highest_frequency"] == body.coordinates[-1].frequency


def test_static_errors_are_those_of_a_twisted_rod() -> None:
    """End moment with inertia relief: a free rod has the compliance L/(3 GJ), one linear twist shape L/(4 GJ).

    A round rod does not warp, so this is exact; its first modes with ends held are bending ones. Without a mode of twist
    the constraint modes leave the fourth part of that compliance out.
    """
    names = (("a", "start", "rbe2"), ("b", "end", "rbe2"))
    body = reduce_with(*rod(), names, modes=4, field="linear", compare=False)
    for entry in body.report["statics"]:
        assert entry["moment_direction"] == "x"
        # the section by four-sided cells is not quite round, and warps by that
        assert entry["moment_error"] == pytest.approx(0.25, abs=1e-3)
    level, reasons = verdict(body)
    assert level == "care" and "moment about x is 25 % off" in reasons
    exact = reduced(AVERAGED, field="linear", attachment=True)
    assert all(max(entry["force_error"], entry["moment_error"]) < 1e-8 for entry in exact.report["statics"])
    assert verdict(exact)[0] == "good"


def test_too_few_modes_are_not_trusted() -> None:
    held = reduced((("a", "xmin", "rbe2"),), modes=1, method="fixed", field="linear", compare=True)
    level, reasons = verdict(held)
    assert level == "bad" and "take more modes" in reasons and "compliance of 'a'" in reasons
    fixed = reduced(ENDS, modes=2, method="fixed", field="linear", compare=True)
    # a beam that is held at both ends has the free frequencies, but its shapes in mean axes do not
    assert verdict(fixed)[0] == "bad"
    assert fixed.report["reduced_frequencies"][0] > fixed.report["full_frequencies"][0]


def test_linear_tetrahedra_are_told() -> None:
    mesh = box_mesh("tet4", (6, 1, 1), (LENGTH, WIDTH, HEIGHT))
    body = reduce_with(mesh, assemble(mesh, STEEL), ENDS, modes=12, field="linear")
    level, reasons = verdict(body)
    assert level == "care" and "tet4" in reasons


def test_a_slender_body_is_not_called_unfree_for_round_off() -> None:
    """Rigid motions of a long thin rod have the frequency that round-off of its high stiffness gives them."""
    mesh = box_mesh("hex20", (80, 1, 1), (1.0, 0.001, 0.001))
    body = reduce_with(mesh, assemble(mesh, STEEL), AVERAGED, modes=12, field="linear")
    assert "rigid motions" not in verdict(body)[1]


@pytest.mark.parametrize("tie", ["rbe2", "rbe3"])
def test_one_interface(tie: str) -> None:
    """Its constraint modes are rigid motions: only fixed-interface modes are left, also in a frame clamped there."""
    body = reduced((("a", "xmin", tie),), modes=5, frame="clamped a")
    assert body.n_modes == 5
    assert {coordinate.kind for coordinate in body.coordinates} == {"fixed-interface"}
    held = np.array(body.report["fixed_frequencies"])
    # seen from the clamp with its frame held still (a heavy neighbour), the modes are those of the clamped bar
    modal_mass = body.invariants.mass_matrix(np.zeros(5))[6:, 6:]
    squares = eigh(body.stiffness, modal_mass, eigvals_only=True)
    np.testing.assert_allclose(np.sqrt(squares) / (2.0 * np.pi), held, rtol=1e-8)


@pytest.mark.parametrize("frame", ["chord", "clamped c"])
def test_three_interfaces(frame: str) -> None:
    names = (("a", "xmin", "rbe2"), ("c", "ymin", "rbe3"), ("b", "xmax", "rbe3"))
    body = reduced(names, modes=2, frame=frame)
    assert body.n_modes == 2 + 18 - 6
    assert [marker.name for marker in body.markers] == ["a", "c", "b"]
    np.testing.assert_allclose(
        free_frequencies(body), [coordinate.frequency for coordinate in body.coordinates], rtol=1e-7
    )
    labels = [coordinate.label for coordinate in body.coordinates]
    assert len(set(labels)) == len(labels)


def test_an_interface_may_cover_the_whole_mesh_when_it_is_averaged() -> None:
    names = (("a", "box(-1, -1, -1, 1, 1, 1)", "rbe3"),)
    body = reduced(names, modes=4)
    assert body.n_modes == 4
    assert len(body.markers[0].nodes) == bar()[0].n_points
    with pytest.raises(InputError, match="nothing is left that could deform"):
        reduced((("a", "box(-1, -1, -1, 1, 1, 1)", "rbe2"),))


@pytest.mark.parametrize("kind", ["tet4", "hex8"])
def test_a_mesh_of_one_cell(kind: str) -> None:
    points = np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]) * 0.1
    nodes = np.array([[0, 1, 3, 4]]) if kind == "tet4" else np.arange(8)[None]
    used, numbers = np.unique(nodes, return_inverse=True)
    mesh = Mesh(points[used], (Cells(kind, numbers.reshape(1, -1)),))
    model = assemble(mesh, STEEL)
    body = reduce_with(mesh, model, (), method="free", modes=100)
    K, M = model.K.toarray(), model.mass_times(np.eye(len(used) * 3))
    exact = np.sqrt(eigh(K, M, eigvals_only=True)[6:]) / (2.0 * np.pi)
    assert body.n_modes == len(exact) == 3 * len(used) - 6
    np.testing.assert_allclose(free_frequencies(body), exact, rtol=1e-8)


def two_boxes(shift: tuple[float, float, float]) -> tuple[Mesh, FEModel]:
    """A box and a copy of it; nodes that meet are one."""
    box = box_mesh("hex8", (4, 1, 1), (0.1, 0.01, 0.01))
    moved = box.points + np.array(shift)
    distance = np.linalg.norm(box.points[:, None] - moved[None], axis=2)
    shared = distance.min(axis=0) < 1e-9
    numbers = np.where(shared, distance.argmin(axis=0), len(box.points) + np.cumsum(~shared) - 1)
    cells = np.concatenate([box.cells[0].nodes, numbers[box.cells[0].nodes]])
    sets = {"xmin": box.node_sets["xmin"], "xmax": numbers[box.node_sets["xmax"]]}
    mesh = Mesh(np.concatenate([box.points, moved[~shared]]), (Cells("hex8", cells),), (), sets)
    return mesh, assemble(mesh, STEEL)


@pytest.mark.parametrize("names", [ENDS, AVERAGED, ENDS[:1], ()])
@pytest.mark.parametrize("shift", [(0.2, 0.0, 0.0), (0.1, 0.0, 0.01)], ids=["apart", "hinged at an edge"])
def test_parts_that_do_not_hold_together_are_refused(names: Names, shift: tuple[float, float, float]) -> None:
    """Rigid ties hold each part by itself, and yet the parts move freely against each other."""
    mesh, model = two_boxes(shift)
    with pytest.raises(ComputationError, match="can move without deforming"):
        reduce_with(mesh, model, names, method="craig-bampton" if names else "free", modes=2, field="linear")


def test_a_rigid_tie_may_join_two_parts() -> None:
    mesh, model = two_boxes((0.2, 0.0, 0.0))
    names = (("a", "xmin+xmax", "rbe2"),)
    body = reduce_with(mesh, model, names, modes=4, field="linear", compare=False)
    # the two cantilevers are alike: frequencies of the held parts come in pairs
    fixed = np.array(body.report["fixed_frequencies"])
    np.testing.assert_allclose(fixed[0::2], fixed[1::2], rtol=1e-6)


def test_faults_of_a_request_come_all_at_once() -> None:
    mesh, model = line_rod()
    with pytest.raises(InputError) as caught:
        reduce_with(mesh, model, ENDS, field="quadratic", stress=True, frame="clamped c", method="guyan")
    texts = str(caught.value)
    for word in ("quadratic field needs", "stress needs", "no interface 'c'", "guyan"):
        assert word in texts
    mesh, model = bar()
    with pytest.raises(InputError, match="at one place: no chord"):
        reduce_with(mesh, model, (("a", "xmin", "rbe3"), ("b", "xmin", "rbe3")), frame="chord")
    with pytest.raises(InputError, match="found 1"):
        reduce_with(mesh, model, ENDS[:1], frame="chord")
    with pytest.raises(InputError, match="shares .* nodes"):
        reduce_with(mesh, model, (("a", "xmin", "rbe2"), ("b", "ymin", "rbe2")))


def test_selections_that_cannot_be_tied_are_faults_by_name() -> None:
    request = ReductionRequest(
        interfaces=(TieRequest("a", "xmin"), TieRequest("b", "nearest(0, 0, 0)"), TieRequest("c", "xmxa")), modes=2
    )
    with pytest.raises(InputError) as caught:
        reduce_mesh(bar()[0], STEEL, request)
    places = [fault.path for fault in caught.value.faults]
    assert places == [("interfaces", "b"), ("interfaces", "c")]


def test_progress_notes_and_names_are_passed_on() -> None:
    mesh, _ = bar()
    stages: list[str] = []
    request = ReductionRequest(interfaces=(TieRequest("a", "xmin"), TieRequest("b", "xmax")), modes=2)
    body = reduce_mesh(
        replace(mesh, notes=("read in mm",)),
        STEEL,
        request,
        name="rod",
        progress=lambda stage, fraction: stages.append(stage),
        provenance={"mesh file": "rod.msh"},
    )
    assert body.name == "rod" and body.provenance["mesh file"] == "rod.msh"
    assert "read in mm" in body.report["notes"]
    assert any("second-order" in stage for stage in stages) and any("comparing" in stage for stage in stages)


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
