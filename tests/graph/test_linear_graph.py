"""Linear graph, spanning tree and matrices: the printed examples of [RS] and [SM], and identities on random graphs.

Covers: graph.drawing, graph.matrices, graph.spanning_tree.
"""

from __future__ import annotations

from dataclasses import FrozenInstanceError, replace
from itertools import combinations, pairwise

import numpy as np
import pytest

from flexmb.errors import InputError
from flexmb.graph import (
    Edge,
    LinearGraph,
    SpanningTree,
    circuit_matrix,
    cutset_matrix,
    draw,
    format_matrix,
    incidence,
    path_matrix,
    reduced_incidence,
    spanning_tree,
)

SEEDS = range(40)


def five_bodies() -> LinearGraph:
    """The graph of [RS Fig. 2], read off the columns of [RS eq. 6]."""
    ends = [(0, 1), (1, 2), (2, 5), (3, 4), (3, 2), (5, 4)]
    edges = [Edge(str(name), str(tail), str(head), "joint", 5) for name, (tail, head) in enumerate(ends, start=1)]
    return LinearGraph("012345", edges)


def planar_slider_crank() -> LinearGraph:
    """The graph of [SM Fig. 2] with its dependent virtual work elements e71..e75 and the driving torque T."""
    nodes = ["datum", "crank.J1", "crank", "crank.J2", "rod.J2", "rod", "rod.J3", "slot"]
    edges = [
        Edge("e11", "datum", "crank", "body"),
        Edge("e12", "datum", "rod", "body"),
        Edge("e21", "crank", "crank.J1", "arm"),
        Edge("e22", "crank", "crank.J2", "arm"),
        Edge("e23", "rod", "rod.J2", "arm"),
        Edge("e24", "rod", "rod.J3", "arm"),
        Edge("e61", "datum", "crank.J1", "joint", 2),
        Edge("e62", "crank.J2", "rod.J2", "joint", 2),
        Edge("e63", "rod.J3", "slot", "joint", 2),
        Edge("e64", "datum", "slot", "joint", 2),
        Edge("T", "datum", "crank.J1", "force"),
    ]
    touched = ["crank.J1", "crank.J2", "rod.J2", "rod.J3", "slot"]
    edges += [Edge(f"e7{number}", "datum", node, "work") for number, node in enumerate(touched, start=1)]
    return LinearGraph(nodes, edges)


def mechanism(bodies: list[str], joints: dict[str, tuple[str, str, int]]) -> LinearGraph:
    """The graph that a model makes: a body edge for each body, a marker on an arm for each end of each joint."""
    nodes, edges = ["ground", *bodies], [Edge(f"{body}.body", "ground", body, "body") for body in bodies]
    for name, (first, second, weight) in joints.items():
        for body in (first, second):
            nodes.append(f"{body}.{name}")
            edges.append(Edge(f"{body}.{name}.arm", body, f"{body}.{name}", "arm", 6))
        edges.append(Edge(name, f"{first}.{name}", f"{second}.{name}", "joint", weight))
    return LinearGraph(nodes, edges)


def ring(n_bodies: int) -> LinearGraph:
    """Bodies in a closed chain from ground to ground, all joints alike: j0 (ground - b1), j1 (b1 - b2), ..."""
    places = ["ground", *(f"b{number}" for number in range(1, n_bodies + 1)), "ground"]
    return mechanism(places[1:-1], {f"j{number}": (*pair, 5) for number, pair in enumerate(pairwise(places))})


def random_graph(seed: int, n_nodes: int = 12, n_more: int = 9, kinds: str = "joint") -> LinearGraph:
    """A connected graph: a random tree and `n_more` edges, random directions, weights 1..6, edges in random order."""
    draw_ = np.random.default_rng(seed)
    pairs = [(int(draw_.integers(node)), node) for node in range(1, n_nodes)]
    pairs += [tuple(int(end) for end in draw_.choice(n_nodes, 2, replace=False)) for _ in range(n_more)]
    edges = []
    for number in draw_.permutation(len(pairs)):
        tail, head = draw_.permutation(pairs[number])
        edges.append(
            Edge(f"e{number}", f"n{tail}", f"n{head}", str(draw_.choice(kinds.split())), int(draw_.integers(1, 7)))
        )
    return LinearGraph([f"n{number}" for number in range(n_nodes)], edges)


def names(edges: tuple[Edge, ...]) -> list[str]:
    return [edge.name for edge in edges]


def chord_joints(tree: SpanningTree) -> list[str]:
    return [edge.name for edge in tree.chords if edge.kind == "joint"]


def signed(tree: SpanningTree, matrix: np.ndarray, row: int) -> dict[str, int]:
    """The non-zero entries of a row of a cutset or circuit matrix by edge name."""
    columns = names(tree.branches + tree.chords)
    return {columns[number]: int(matrix[row, number]) for number in np.flatnonzero(matrix[row])}


def terms(text: str) -> dict[str, int]:
    """'+62 -63' as {"e62": 1, "e63": -1}; a name that is no number is kept."""
    return {("e" + word[1:] if word[1:].isdigit() else word[1:]): int(word[0] + "1") for word in text.split()}


def matrix(text: str) -> np.ndarray:
    """'1 0; 0 1' as an array, row by row."""
    return np.array([[int(entry) for entry in row.split()] for row in text.split(";")])


def is_spanning(graph: LinearGraph, edges: tuple[Edge, ...]) -> bool:
    """Whether n edges on n + 1 nodes form a tree: the determinant of S_A is then +-1, else 0."""
    return round(abs(np.linalg.det(incidence(graph, edges)[1:]))) == 1


# The printed examples.


def test_matrices_of_the_five_bodies_are_as_printed():
    graph = five_bodies()
    tree = spanning_tree(graph)
    assert names(tree.chords) == ["6"]  # the spanning tree of [RS Fig. 2], here found by the rule
    S_bar = matrix("1 0 0 0 0 0; -1 1 0 0 0 0; 0 -1 1 0 -1 0; 0 0 0 1 1 0; 0 0 0 -1 0 -1; 0 0 -1 0 0 1")
    T = matrix("-1 -1 -1 -1 -1; 0 -1 -1 -1 -1; 0 0 0 0 -1; 0 0 0 -1 0; 0 0 1 1 0")
    np.testing.assert_array_equal(incidence(graph), S_bar)  # [RS eq. 6]
    np.testing.assert_array_equal(reduced_incidence(tree), S_bar[1:])  # [RS eq. 10]
    np.testing.assert_array_equal(path_matrix(tree), T)  # [RS eq. 7]


@pytest.mark.parametrize("chord", ["3", "4", "5", "6"])
def test_each_branch_of_the_circuit_of_the_five_bodies_can_be_the_chord(chord):
    tree = spanning_tree(five_bodies(), chords=[chord])  # the four trees named in [RS]
    assert names(tree.chords) == [chord]
    assert sorted(edge.name for edge, _ in tree.circuit(tree.chords[0])) == ["3", "4", "5", "6"]


def test_slider_crank_has_the_tree_the_cutsets_and_the_circuits_of_the_source():
    tree = spanning_tree(planar_slider_crank())
    assert names(tree.branches) == ["e21", "e22", "e23", "e24", "e61", "e62", "e64"]  # 7 branches [SM section 2.1]
    Q, B = cutset_matrix(tree), circuit_matrix(tree)
    cutset = {name: signed(tree, Q, row) for row, name in enumerate(names(tree.branches))}
    circuit = {name: signed(tree, B, row) for row, name in enumerate(names(tree.chords))}
    assert cutset["e62"] == terms("+62 +73 +12 +74 -63")  # [SM eq. 4]
    assert cutset["e61"] == terms("+T +71 +61 +11 +72 +73 +12 +74 -63")  # [SM eq. 38]
    assert circuit["e12"] == terms("+12 +23 -62 -22 +21 -61")  # [SM eq. 5]
    assert circuit["e11"] == terms("+11 +21 -61")  # [SM eq. 29]
    assert circuit["e63"] == terms("+63 +61 +22 -21 +62 +24 -23 -64")  # [SM eq. 34], where r_63 = 0 is left out
    walk = [edge.name for edge, _ in tree.circuit(tree.graph.edge("e12"))]
    assert walk == ["e12", "e23", "e62", "e22", "e21", "e61"]  # in the order in which [SM eq. 6] multiplies rotations


# Identities on random graphs.


@pytest.mark.parametrize("seed", SEEDS)
def test_path_matrix_is_the_inverse_of_the_tree_incidence(seed):
    tree = spanning_tree(random_graph(seed, kinds="joint arm body"))
    S_A = reduced_incidence(tree)[:, : len(tree.branches)]
    np.testing.assert_array_equal(path_matrix(tree) @ S_A, np.eye(len(tree.branches)))
    np.testing.assert_allclose(path_matrix(tree), np.linalg.inv(S_A), atol=1e-12)  # entries are 0, +-1


@pytest.mark.parametrize("seed", SEEDS)
def test_cutsets_and_circuits_are_orthogonal(seed):
    tree = spanning_tree(random_graph(seed, kinds="joint arm body"))
    n_branches = len(tree.branches)
    S, Q, B = reduced_incidence(tree), cutset_matrix(tree), circuit_matrix(tree)
    assert not (Q @ B.T).any()
    assert not (S @ B.T).any()
    np.testing.assert_array_equal(Q, path_matrix(tree) @ S)  # built from circuits, so this is independent of it
    np.testing.assert_array_equal(Q[:, :n_branches], np.eye(n_branches))
    np.testing.assert_array_equal(B[:, n_branches:], np.eye(len(tree.chords)))


@pytest.mark.parametrize("seed", SEEDS)
def test_the_tree_is_a_tree(seed):
    graph = random_graph(seed, kinds="joint arm body")
    tree = spanning_tree(graph)
    assert is_spanning(graph, tree.branches)
    assert sorted(names(tree.branches + tree.chords)) == sorted(names(graph.edges))
    assert tree.order[0] == graph.datum
    assert sorted(tree.order) == sorted(graph.nodes)
    assert [tree.depth[node] for node in tree.order] == sorted(tree.depth.values())
    for node in tree.order[1:]:
        assert {tree.branch[node].tail, tree.branch[node].head} == {node, tree.parent[node]}
        assert tree.depth[node] == tree.depth[tree.parent[node]] + 1 == len(list(tree.chain(node)))
        assert node in tree.children[tree.parent[node]]


@pytest.mark.parametrize("seed", SEEDS)
def test_chords_leave_the_fewest_equations(seed):
    graph = random_graph(seed, n_nodes=6, n_more=5)
    every_tree = [edges for edges in combinations(graph.edges, 5) if is_spanning(graph, edges)]
    heaviest = max(sum(edge.weight for edge in edges) for edges in every_tree)
    assert sum(edge.weight for edge in spanning_tree(graph).branches) == heaviest


@pytest.mark.parametrize("seed", SEEDS)
def test_the_kind_goes_before_the_weight(seed):
    graph = random_graph(seed, n_nodes=6, n_more=5, kinds="joint arm body")

    def merit(edges: tuple[Edge, ...]) -> list[int]:
        """Number and weight of the arms, then of the joints, then of the body edges."""
        weights = [[edge.weight for edge in edges if edge.kind == kind] for kind in ("arm", "joint", "body")]
        return [value for of_kind in weights for value in (len(of_kind), sum(of_kind))]

    best = max(merit(edges) for edges in combinations(graph.edges, 5) if is_spanning(graph, edges))
    assert merit(spanning_tree(graph).branches) == best


@pytest.mark.parametrize("seed", SEEDS)
def test_with_equal_weights_every_node_is_at_its_least_depth(seed):
    graph = random_graph(seed)
    graph = LinearGraph(graph.nodes, [replace(edge, weight=5) for edge in graph.edges])
    tree = spanning_tree(graph)
    for edge in graph.edges:  # a shorter way would need an edge that leads down by more than one
        assert abs(tree.depth[edge.tail] - tree.depth[edge.head]) <= 1


@pytest.mark.parametrize("seed", SEEDS)
def test_the_users_branches_and_chords_are_respected(seed):
    graph = random_graph(seed)
    rng = np.random.default_rng(seed)
    weights = [replace(edge, weight=int(rng.integers(1, 7))) for edge in graph.edges]
    other = spanning_tree(LinearGraph(graph.nodes, weights))  # some other tree of the same graph
    tree = spanning_tree(graph, branches=names(other.branches)[::2], chords=names(other.chords)[::2])
    assert set(names(other.branches)[::2]) <= set(names(tree.branches))
    assert set(names(other.chords)[::2]) <= set(names(tree.chords))
    full = spanning_tree(graph, branches=names(other.branches))
    assert names(full.branches) == names(other.branches)


def test_the_spherical_joint_of_the_spatial_slider_crank_is_cut():
    joints = {
        "bearing": ("ground", "crank", 5),
        "spherical": ("crank", "rod", 3),
        "universal": ("rod", "slider", 4),
        "guide": ("ground", "slider", 5),
    }
    tree = spanning_tree(mechanism(["crank", "rod", "slider"], joints))
    assert chord_joints(tree) == ["spherical"]  # as chosen in [SM section 5.3]
    assert all(edge.kind != "arm" for edge in tree.chords)


@pytest.mark.parametrize(("n_bodies", "cut"), [(2, "j1"), (3, "j2"), (4, "j2"), (5, "j3"), (6, "j3")])
def test_a_ring_of_equal_joints_is_cut_in_the_middle(n_bodies, cut):
    tree = spanning_tree(ring(n_bodies))
    assert chord_joints(tree) == [cut]
    joints_deep = [sum(edge.kind == "joint" for edge, _ in tree.chain(f"b{n}")) for n in range(1, n_bodies + 1)]
    assert joints_deep == [min(n, n_bodies + 1 - n) for n in range(1, n_bodies + 1)]


def test_a_plain_chain_has_no_chord_but_its_body_edges():
    bodies = [f"b{number}" for number in range(1, 6)]
    graph = mechanism(bodies, {f"j_{b}": (a, b, 5) for a, b in zip(["ground", *bodies], bodies, strict=False)})
    tree = spanning_tree(graph)
    assert names(tree.chords) == [f"{body}.body" for body in bodies]
    assert [node for node in tree.order if node in bodies] == bodies


def test_bodies_without_joints_are_reached_by_body_edges():
    graph = mechanism(["satellite", "panel", "stone"], {"hinge": ("satellite", "panel", 5)})
    tree = spanning_tree(graph)
    assert [edge.name for edge in tree.branches if edge.kind == "body"] == ["satellite.body", "stone.body"]


def test_absolute_coordinates_are_body_edges_named_as_branches():
    graph = ring(3)
    mixed = spanning_tree(graph, branches=["b2.body"])
    assert mixed.parent["b2"] == "ground"
    assert chord_joints(mixed) == ["j1", "j2"]
    absolute = spanning_tree(graph, branches=["b1.body", "b2.body", "b3.body"])
    assert chord_joints(absolute) == ["j0", "j1", "j2", "j3"]


def test_motions_and_forces_are_chords_and_kind_order_is_the_users():
    edges = [
        Edge("drive", "g", "a", "motion", 1),
        Edge("hinge", "g", "a", "joint", 5),
        Edge("a.body", "g", "a", "body"),
    ]
    graph = LinearGraph(["g", "a"], [*edges, Edge("push", "g", "g", "force")])
    assert names(spanning_tree(graph).branches) == ["hinge"]
    assert names(spanning_tree(graph, kind_order=["motion", "joint"]).branches) == ["drive"]
    tree = spanning_tree(graph, kind_order=["body"])
    assert names(tree.branches) == ["a.body"]
    assert tree.circuit(graph.edge("push")) == ((graph.edge("push"), 1),)  # a self-loop is its own circuit
    assert not (cutset_matrix(tree) @ circuit_matrix(tree).T).any()


def test_the_datum_alone_is_a_graph():
    tree = spanning_tree(LinearGraph(["ground"], []))
    assert tree.order == ("ground",)
    assert path_matrix(tree).shape == circuit_matrix(tree).shape == (0, 0)
    assert draw(tree.graph, tree) == "ground"


def test_graph_edge_and_tree_are_immutable():
    graph = five_bodies()
    tree = spanning_tree(graph)
    for thing, attribute in ((graph, "nodes"), (graph.edges[0], "weight"), (tree, "branches")):
        with pytest.raises(FrozenInstanceError):
            setattr(thing, attribute, ())
    with pytest.raises(TypeError):
        tree.depth["1"] = 7  # type: ignore[index]


# Errors: every fault at once.


def faults_of(call, *args, **kwargs) -> list[str]:
    with pytest.raises(InputError) as error:
        call(*args, **kwargs)
    return [str(fault) for fault in error.value.faults]


def test_all_faults_of_a_graph_are_told_at_once():
    edges = [
        Edge("pin", "ground", "rood", "joint", 5),
        Edge("pin", "ground", "rod", "joint", 5),
        Edge("loop", "rod", "rod", "joint", 5),
        Edge("odd", "ground", "rod", "joint", -1),
        Edge("push", "ground", "ground", "force"),
    ]
    assert faults_of(LinearGraph, ["ground", "rod", "rod"], edges) == [
        "node 'rod' occurs 2 times; every node needs a unique name.",
        "edge 'pin' occurs 2 times; every edge needs a unique name.",
        "edge 'pin' (joint): no node 'rood' (nodes: ground, rod). Did you mean 'rod'?",
        "edge 'loop' (joint): begins and ends at the same node 'rod'; it must connect two nodes.",
        "edge 'odd' (joint): the weight is -1; the number of constraint equations must not be negative.",
    ]
    assert "no node" in faults_of(LinearGraph, [], [])[0]


def test_all_faults_of_a_tree_are_told_at_once():
    edges = [*ring(2).edges, Edge("push", "ground", "b1", "force")]
    graph = LinearGraph([*ring(2).nodes, "far", "farther"], [*edges, Edge("rope", "far", "farther", "joint", 1)])
    found = faults_of(
        spanning_tree, graph, branches=["b1.bdy", "push", "j0", "j1", "j2", "b1.body"], chords=["b1.body"]
    )
    assert found == [
        "branches: no edge 'b1.bdy'. Did you mean 'b1.body'?",
        "edge 'push' is listed as a branch, but a force is always a chord (types of branches: arm, joint, body).",
        "edge 'b1.body' is listed as a branch and as a chord. Leave it in one of the two lists.",
        "the branches 'j2', 'j0', 'j1' close a circuit (j2, ground.j2.arm, ground.j0.arm, j0, b1.j0.arm, b1.j1.arm, j1,"
        " b2.j1.arm, b2.j2.arm); a tree has none. Remove one of them from the branches, or make it a chord.",
        "no path of branches leads from the datum 'ground' to nodes 'far', 'farther'."
        " Connect them by an edge of type arm, joint, body.",
    ]


def test_chords_that_cut_a_body_off_are_named():
    graph = ring(1)
    found = faults_of(spanning_tree, graph, chords=["j0", "j1", "b1.body"])
    assert found == [
        "no path of branches leads from the datum 'ground' to nodes 'b1', 'b1.j0', 'b1.j1'."
        " Remove one of 'b1.body', 'j0', 'j1' from the chords."
    ]


def test_an_unknown_edge_is_answered_with_the_valid_names():
    assert faults_of(five_bodies().edge, "7") == ["no edge '7' (edges: 1, 2, 3, 4, 5, 6)"]


def test_drawing_of_the_five_bodies():
    graph = five_bodies()
    assert draw(graph, spanning_tree(graph)).splitlines() == [
        "0",
        "└─ 1  1 (joint)",
        "   └─ 2  2 (joint)",
        "      ├─ 5  3 (joint)",
        "      └─ 3  5 (joint)",
        "         └─ 4  4 (joint)",
        "",
        "chords, each with the circuit it closes (-: traversed against its direction)",
        "6 (joint, 5 equations): 6 - 4 + 5 + 3",
    ]


def test_drawing_of_a_chain_deeper_than_the_stack():
    nodes = [f"n{number}" for number in range(1500)]
    edges = [Edge(f"e{number}", *nodes[number : number + 2], "joint", 5) for number in range(1499)]
    graph = LinearGraph(nodes, edges)
    assert len(draw(graph, spanning_tree(graph)).splitlines()) == 1500


def test_matrices_print_with_labels():
    tree = spanning_tree(five_bodies())
    assert format_matrix(circuit_matrix(tree), names(tree.chords), names(tree.branches + tree.chords)).splitlines() == [
        "   1  2  3  4  5  6",
        "6  .  . +1 -1 +1 +1",
    ]
    with pytest.raises(ValueError, match="labels"):
        format_matrix(circuit_matrix(tree), [], [])
