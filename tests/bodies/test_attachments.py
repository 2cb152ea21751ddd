"""Masses at markers and held sets of a part, against the same by hand.

Covers: reduction.attachments.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from flexmb.bodies.attachments import HELD, attachment_faults, with_attachments, with_held
from flexmb.bodies.reduce_mesh import assemble_mesh, reduce_mesh
from flexmb.elements.material import MATERIALS
from flexmb.mesh.deck import Deck, Support
from flexmb.mesh.mesh import Cells, Mesh
from flexmb.reduction.attachments import HoldRequest, MassRequest
from flexmb.reduction.component_modes import component_modes
from flexmb.reduction.free_body import FreeBody
from flexmb.reduction.request import ReductionRequest, TieRequest
from flexmb.reduction.tie_words import read_hold
from flexmb.verification.shell_models import sheet

STEEL = MATERIALS["steel"]
ENDS = (TieRequest("root", "plane(x=0)"), TieRequest("tip", "plane(x=0.6)"))


def bar(deck: Deck | None = None) -> Mesh:
    """A bar of six hex8 cells along x."""
    x = 0.1 * np.arange(7)
    square = 0.1 * np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    points = np.array([[a, *yz] for a in x for yz in square])
    cells = np.array([[*range(4 * i, 4 * i + 4), *range(4 * i + 4, 4 * i + 8)] for i in range(6)])
    return Mesh(points, (Cells("hex8", cells),), node_sets={"foot": np.arange(4)}, deck=deck)


def frequencies(mesh: Mesh, request: ReductionRequest) -> np.ndarray:
    body = reduce_mesh(mesh, STEEL, request)
    return np.array([coordinate.frequency for coordinate in body.coordinates])


@pytest.mark.parametrize("tie", ["rbe2", "rbe3", "follower"])
def test_a_mass_has_its_mass_centre_and_inertia(tie: str) -> None:
    """Mass, centre and inertia of the body are those of the bar and the mass, whatever ties it."""
    end = TieRequest("tip", "plane(x=0.6)", tie)
    ties = {"interfaces": ENDS[:1], "markers": (end,)} if tie == "follower" else {"interfaces": (ENDS[0], end)}
    mass = MassRequest("tip", 2.0, (0.02, 0.03, 0.04), (0.1, 0.0, 0.02))
    request = ReductionRequest(**ties, modes=4, masses=(mass,))
    report = reduce_mesh(bar(), STEEL, request).report
    own, a, L = 7850.0 * 0.006, 0.1, 0.6
    assert report["mass"]["mesh"] == pytest.approx(own + 2.0) == pytest.approx(report["mass"]["reduced"])
    centres = np.array([[0.3, 0.05, 0.05], [0.7, 0.05, 0.07]])
    weights = np.array([own, 2.0])
    centre = weights @ centres / weights.sum()
    box = own / 12.0 * np.diag([2 * a * a, a * a + L * L, a * a + L * L])
    J = box + np.diag([0.02, 0.03, 0.04])
    for m, x in zip(weights, centres - centre, strict=True):
        J += m * (x @ x * np.eye(3) - np.outer(x, x))
    found = report["inertia"]["mesh"]
    assert np.allclose(found, J, rtol=0, atol=1e-9 * J.max())
    assert any("A mass of 2 kg was added at 'tip'" in note for note in report["notes"])


def test_a_mass_at_an_averaged_marker_leaves_the_stiffness_alone() -> None:
    """Frequencies with the mass on a reference node against those of K and M + E' m E, by hand."""
    request = ReductionRequest(
        markers=(TieRequest("tip", "plane(x=0.3)", "follower"),), method="free", modes=6, field="linear"
    )
    masses = (MassRequest("tip", 2.0, (0.02, 0.03, 0.04)),)
    found = frequencies(bar(), replace(request, masses=masses))
    model = assemble_mesh(bar(), STEEL)
    tip = np.arange(12, 16)  # inside, where all nodes weigh the same
    arms = model.points[tip] - model.points[tip].mean(axis=0)
    A = np.hstack([np.tile(np.eye(3), (4, 1)), np.concatenate([np.cross(np.eye(3), r).T for r in arms])])
    fit = np.zeros((6, 3 * len(model.points)))
    fit[:, (3 * tip[:, None] + np.arange(3)).ravel()] = np.linalg.pinv(A)
    K, M = model.K.toarray(), np.kron(model.M.toarray(), np.eye(3))
    M = M + fit.T @ np.diag([2.0, 2.0, 2.0, 0.02, 0.03, 0.04]) @ fit
    L = np.linalg.cholesky(M)
    squares = np.linalg.eigvalsh(np.linalg.solve(L, np.linalg.solve(L, K).T))[6:12]
    assert found == pytest.approx(np.sqrt(squares) / (2 * np.pi), rel=1e-8)


def test_a_mass_on_a_node_that_turns_sits_on_it() -> None:
    mesh, grid = sheet("quad4", (4, 2), lambda r, s: (0.4 * r, 0.2 * s, 0.0 * r))
    corner = int(grid[-1, -1])
    mesh = replace(mesh, node_sets={"corner": np.array([corner])})
    request = ReductionRequest(interfaces=(TieRequest("c", "corner"),), masses=(MassRequest("c", 1.0),))
    made = with_attachments(mesh, request, [(mesh.points[corner], None)])
    assert made.n_points == mesh.n_points and made.deck is not None
    assert made.deck.masses[0].node == corner and not made.deck.ties


def held_modes(mesh: Mesh, *holds: HoldRequest) -> np.ndarray:
    model = assemble_mesh(with_held(mesh, ReductionRequest(hold=holds)), STEEL)
    return np.sqrt(component_modes(FreeBody(model, []), "free", modes=6).omega_squared)


@pytest.mark.parametrize("components", ["1", "13", "123"])
def test_held_components_move_as_a_rigid_frame(components: str) -> None:
    """Frequencies against those of K and M with an independent null space: held components = those of some rigid
    motion."""
    model = assemble_mesh(bar(), STEEL)
    foot = np.arange(4)
    rows = np.array([3 * node + int(c) - 1 for node in foot for c in components])
    R = model.rigid_motions()
    # u_held - R_held r = 0 with any r: the part of u_held outside the span of R_held vanishes
    outside = np.eye(len(rows)) - R[rows] @ np.linalg.pinv(R[rows])
    C = np.zeros((len(rows), 3 * len(model.points)))
    C[:, rows] = outside
    _, sizes, V = np.linalg.svd(C)
    N = V[int((sizes > 1e-9).sum()) :].T
    K, M = N.T @ model.K.toarray() @ N, N.T @ np.kron(model.M.toarray(), np.eye(3)) @ N
    L = np.linalg.cholesky(M)
    squares = np.linalg.eigvalsh(np.linalg.solve(L, np.linalg.solve(L, K).T))[6:12]
    assert held_modes(bar(), HoldRequest("foot", components)) == pytest.approx(np.sqrt(squares), rel=1e-8)


def test_a_set_that_is_held_whole_is_a_rigid_interface() -> None:
    request = ReductionRequest(interfaces=ENDS, modes=4)
    plain = frequencies(bar(), request)
    frame = (TieRequest("root", HELD), ENDS[1])
    held = replace(request, interfaces=frame, hold=(HoldRequest("foot"),))
    assert frequencies(bar(), held) == pytest.approx(plain, rel=1e-8)
    both = replace(request, hold=(HoldRequest("foot"),))
    assert frequencies(bar(), both) == pytest.approx(plain, rel=1e-8), "the set stands for its frame"


def test_the_frame_is_a_set_where_it_is_determined() -> None:
    """One plane leaves three motions of the frame, three sets of single components may leave none."""
    mesh = bar()
    mesh = replace(mesh, node_sets={**mesh.node_sets, "edge": np.array([0, 24]), "node": np.array([2])})
    one = with_held(mesh, ReductionRequest(hold=(read_hold("foot:x"),)))
    all_ = with_held(mesh, ReductionRequest(hold=tuple(map(read_hold, ("foot:x", "edge:y", "node:z")))))
    assert HELD not in one.node_sets and HELD not in all_.node_sets, "x, its rotations and y, z leave a rotation"
    more = with_held(mesh, ReductionRequest(hold=(read_hold("foot:xy"), read_hold("node:z"))))
    assert HELD in more.node_sets and "(as the node set" not in more.notes[-1] and "'held'" in more.notes[-1]


def test_a_support_of_the_deck_has_its_own_components() -> None:
    supports = (Support("foot", np.arange(2), "1"), Support("foot", np.arange(1, 4), "3"))
    made = with_held(bar(Deck(supports=supports)), ReductionRequest(hold=(HoldRequest("foot"),)))
    assert made.deck is not None
    assert {(tuple(tie.nodes), tie.components) for tie in made.deck.ties} == {  # type: ignore[union-attr]
        ((0,), "1"), ((1,), "13"), ((2, 3), "3")
    }  # fmt: skip
    moved = bar(Deck(supports=(Support("foot", np.arange(4), "3", 0.1),)))
    (fault,) = attachment_faults(moved, ReductionRequest(hold=(HoldRequest("foot"),)))
    assert "prescribes displacements" in fault.text and fault.path == ("hold", "foot")
    (fault,) = attachment_faults(bar(), ReductionRequest(hold=(HoldRequest("feet"),)))
    assert "no set 'feet'" in fault.text


@pytest.mark.parametrize(
    ("word", "select", "components"),
    [
        ("foot", "foot", ""),
        ("foot:z", "foot", "3"),
        ("foot: xRZ ", "foot", "16"),
        ("plane(x=0):xy", "plane(x=0)", "12"),
        ("a:b:123", "a:b", "123"),
        ("foot:w", "foot:w", ""),
    ],
)
def test_words_of_a_held_set(word: str, select: str, components: str) -> None:
    assert read_hold(word) == HoldRequest(select, components)


def test_faults_of_masses() -> None:
    request = ReductionRequest(interfaces=ENDS)
    for masses, words in (
        ((MassRequest("top", 1.0),), "no interface or marker 'top'"),
        ((MassRequest("tip", -1.0),), "above zero"),
        ((MassRequest("tip", 1.0), MassRequest("tip", 2.0)), "given twice"),
        ((MassRequest("tip", 1.0, (1.0, 1.0, 3.0)),), "is of no body"),
    ):
        assert any(words in fault.text for fault in replace(request, masses=masses).faults())
