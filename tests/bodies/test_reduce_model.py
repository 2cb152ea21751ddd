"""Reduced bodies: damping, stress, followers, reports and their verdicts, unusual meshes, and what is refused.

Covers: bodies.body_checks, bodies.compile_ahead, bodies.reduce_mesh, bodies.reduced_body.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.linalg import eigh

from flexmb.bodies import compile_ahead
from flexmb.bodies.reduce_mesh import reduce_mesh
from flexmb.bodies.reduced_body import ReducedBody
from flexmb.bodies.verdict import headline
from flexmb.elements.fe_model import FEModel
from flexmb.elements.solid.assemble import assemble
from flexmb.errors import ComputationError, InputError
from flexmb.mesh.mesh import Cells, Mesh
from flexmb.reduction.request import ReductionRequest, TieRequest
from flexmb.verification.solid_meshes import box_mesh
from tests.support.mesh_bodies import HEIGHT, LENGTH, STEEL, WIDTH, bar, rod
from tests.support.reduced_meshes import AVERAGED, ENDS, Names, free_frequencies, line_rod, reduce_with, reduced


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


def test_a_follower_on_one_node_moves_as_that_node() -> None:
    mesh, model = line_rod(10)
    body = reduce_with(mesh, model, (*ENDS, ("m", "middle", "follower")), modes=4, field="linear", compare=False)
    assert body.surface is not None
    prisms = body.surface.Phi[body.surface.nodes == 5].mean(axis=0)  # of two beams, around the node
    np.testing.assert_allclose(body.markers[2].shapes.Phi, prisms, atol=1e-12)
    solid = reduced((*ENDS, ("m", f"nearest({LENGTH / 2}, 0, 0)", "follower")))
    assert solid.surface is not None
    at = np.linalg.norm(solid.surface.points - solid.markers[2].p_b, axis=1).argmin()
    np.testing.assert_allclose(solid.markers[2].shapes.Phi, solid.surface.Phi[at], atol=1e-12)
    G = solid.markers[2].shapes.G[np.tril_indices(solid.n_modes)]
    assert solid.surface.G is not None  # kept in single precision
    assert np.abs(G - solid.surface.G[at]).max() < 1e-6 * np.abs(G).max()


def verdict(body: ReducedBody) -> tuple[str, str]:
    found = body.report["verdict"]
    return found["level"], " ".join(found["reasons"])


def test_the_report_of_a_good_body() -> None:
    mesh = box_mesh("hex20", (24, 2, 2), (LENGTH, WIDTH, HEIGHT))
    model = assemble(mesh, STEEL)
    exact = reduce_with(mesh, model, ENDS, method="free", modes=8, attachment=True, field="linear")
    assert verdict(exact) == ("good", "") and exact.report["warnings"] == []
    body = reduce_with(mesh, model, ENDS, modes=12, field="linear")
    report = body.report
    assert headline(report) == "trust it up to 4032 Hz"
    assert len(report["full_frequencies"]) == len(report["reduced_frequencies"]) == 13  # the last two are a pair
    band = report["band"]
    assert band["compared"] and band["claimed"] == pytest.approx(report["fixed_frequencies"][-1] / 2)
    assert 0.0 < max(report["discretisation"]["frequency_errors"]) < 0.02
    assert all(
        0.0 <= r / f - 1.0 + 1e-7
        for f, r in zip(report["full_frequencies"], report["reduced_frequencies"], strict=True)
    )
    assert report["mass"]["reduced"] == pytest.approx(report["mass"]["mesh"], rel=1e-12)
    np.testing.assert_allclose(report["centre"]["reduced"], [LENGTH / 2, WIDTH / 2, HEIGHT / 2], rtol=1e-9)
    np.testing.assert_allclose(report["inertia"]["reduced"], report["inertia"]["mesh"], atol=1e-12)
    assert report["rigid"]["count"] == 6 and report["rigid"]["largest_frequency"] < 0.1
    assert len(report["effective_mass"]) == len(report["fixed_frequencies"]) == 13
    assert report["highest_frequency"] == body.coordinates[-1].frequency


def test_static_errors_are_those_of_a_twisted_rod() -> None:
    """End moment with inertia relief: a free rod has the compliance L/(3 GJ), one linear twist shape L/(4 GJ).

    A round rod does not warp, so this is exact; its first modes with ends held are bending ones. Without a
    mode of twist the constraint modes leave the fourth part of that compliance out.
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
    assert "compliance" not in verdict(exact)[1].replace("the mesh is too coarse: the compliance", "")


def test_too_few_modes_are_not_trusted() -> None:
    held = reduced((("a", "xmin", "rbe2"),), modes=1, method="fixed", field="linear", compare=True)
    level, reasons = verdict(held)
    assert level == "bad" and "use more modes" in reasons and "compliance of 'a'" in reasons
    fixed = reduced(ENDS, modes=2, method="fixed", field="linear", compare=True)
    # a beam that is held at both ends has the free frequencies, but its shapes in mean axes do not
    assert verdict(fixed)[0] == "bad"
    assert fixed.report["reduced_frequencies"][0] > fixed.report["full_frequencies"][0]


def test_linear_tetrahedra_are_told() -> None:
    mesh = box_mesh("tet4", (6, 1, 1), (LENGTH, WIDTH, HEIGHT))
    body = reduce_with(mesh, assemble(mesh, STEEL), ENDS, modes=12, field="linear")
    level, reasons = verdict(body)
    assert level == "bad" and "the mesh is too coarse" in reasons and "mesh with tet10" in reasons


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
    with pytest.raises(InputError, match="nothing can deform"):
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
    with pytest.raises(InputError, match="at the same place and define no chord"):
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


def test_both_halves_of_the_compilation_run() -> None:
    """In a process without cache they compile what a reduction needs; here they must at least do their work."""
    compile_ahead.compile_elements()
    compile_ahead.compile_sparse()
    assert compile_ahead.is_compiled()
    compile_ahead.compile_ahead()  # nothing is left to do
