"""The spanning tree of a linear graph: which edges carry coordinates (branches), which close circuits (chords).

Rule, from strongest to weakest:
1. the edges that the user names as branches are branches, those named as chords are chords;
2. kinds in the order of `kind_order`: arms before joints before bodies [SM section 2, theory section 1];
3. within a kind the heavier edge first, so that the chords leave the fewest constraint equations (Kruskal: the greedy
   choice is optimal);
4. between edges of equal rank breadth-first from the datum, so that the tree is shallow; then as listed in the graph.

A body edge (datum -> body frame) in the tree means absolute coordinates of that body. By rule 2 it is used only for
what arms and joints do not reach, unless the user names it. Of several bodies that float together the first one listed
gets its body edge.

Kruskal's algorithm fixes which nodes each rank joins together, whatever it picks among equals. `_Growth` uses this
freedom: it grows the tree from the datum and enters each of those groups of nodes at the least depth. With joints of
one weight this is a breadth-first tree: every frame is as few joints from the datum as the graph allows. With several
weights the fewest equations are certain, the least depth is not (a greedy choice).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from heapq import heappop, heappush
from types import MappingProxyType

from flexmb.errors import Fault, InputError
from flexmb.graph.linear_graph import Edge, LinearGraph, quoted, unknown_name

ARM = "arm"
"""Arms join frames of one body: they do not count when the depth of two trees is compared."""


@dataclass(frozen=True)
class SpanningTree:
    """A spanning tree. Branches and chords are in the order of the graph's edges."""

    graph: LinearGraph
    branches: tuple[Edge, ...]
    """The edges in the tree, one fewer than the nodes ("arcs" in [RS])."""
    chords: tuple[Edge, ...]
    """The edges of the cotree; each closes one fundamental circuit."""
    order: tuple[str, ...]
    """All nodes breadth-first from the datum: a parent comes before its children."""
    parent: Mapping[str, str]
    """Next node on the way to the datum, for each node but the datum."""
    branch: Mapping[str, Edge]
    """The branch that connects a node to its parent, for each node but the datum."""
    depth: Mapping[str, int]
    """Number of branches between a node and the datum (datum: 0) [-]."""

    @cached_property
    def children(self) -> Mapping[str, tuple[str, ...]]:
        """The nodes whose parent is this node, in breadth-first order."""
        found: dict[str, list[str]] = {node: [] for node in self.order}
        for node in self.order[1:]:
            found[self.parent[node]].append(node)
        return MappingProxyType({node: tuple(nodes) for node, nodes in found.items()})

    def chain(self, node: str) -> Iterator[tuple[Edge, int]]:
        """The direct chain of branches from `node` to the datum, with the signs of [RS eq. 5].

        The sign is +1 for a branch directed towards the datum, -1 for one directed away from it.
        """
        while node != self.order[0]:
            branch = self.branch[node]
            yield branch, +1 if branch.tail == node else -1
            node = self.parent[node]

    def circuit(self, chord: Edge) -> tuple[tuple[Edge, int], ...]:
        """The fundamental circuit of a chord: along the chord, then by branches from its head back to its tail.

        The sign is +1 for an edge passed along its direction (the chord itself always is), -1 for one passed against
        it, as in [SM eq. 5].
        """
        ahead, back = chord.head, chord.tail
        from_head: list[tuple[Edge, int]] = []
        from_tail: list[tuple[Edge, int]] = []
        while ahead != back:
            if self.depth[ahead] >= self.depth[back]:
                branch = self.branch[ahead]
                from_head.append((branch, +1 if branch.tail == ahead else -1))
                ahead = self.parent[ahead]
            else:
                branch = self.branch[back]
                from_tail.append((branch, +1 if branch.head == back else -1))
                back = self.parent[back]
        return ((chord, +1), *from_head, *reversed(from_tail))


def spanning_tree(
    graph: LinearGraph,
    *,
    branches: Iterable[str] = (),
    chords: Iterable[str] = (),
    kind_order: Sequence[str] = (ARM, "joint", "body"),
) -> SpanningTree:
    """The spanning tree of `graph` by the rule of this module.

    Parameters
    ----------
    branches, chords
        Names of the edges that the user puts in the tree, or excludes from it.
    kind_order
        Kinds of edges that may be branches, the preferred first. Edges of any other kind (motions, forces) are chords.

    Raises
    ------
    InputError
        Unknown names, an edge named as both, a branch of a kind that cannot be one, branches that close a circuit among
        themselves or with the arms, nodes that cannot be reached: all of them at once.
    """
    named, cut = dict.fromkeys(branches), dict.fromkeys(chords)
    faults = _name_faults(graph, named, cut, kind_order)
    candidates = [e for e in graph.edges if e.kind in kind_order and e.name not in cut and not e.is_self_loop]
    faults += _circuit_faults(graph, candidates, named)
    faults += _reach_faults(graph, candidates, cut, kind_order)
    if faults:
        raise InputError(faults)
    growth = _Growth(graph, _by_rank(candidates, named, kind_order))
    growth.grow(graph.datum, len(growth.ranks))
    return _finished(graph, {edge.name for edge in growth.branch.values()})


def _by_rank(candidates: Iterable[Edge], branches: Collection[str], kind_order: Sequence[str]) -> list[list[Edge]]:
    """The candidates in groups of equal rank, the strongest group first."""
    ranks: dict[tuple[int, int], list[Edge]] = {}
    for edge in candidates:
        key = (-1, 0) if edge.name in branches else (kind_order.index(edge.kind), -edge.weight)
        ranks.setdefault(key, []).append(edge)
    return [ranks[key] for key in sorted(ranks)]


@dataclass
class _Growth:
    """A tree growing from the datum; `ranks` are groups of edges, the strongest first."""

    graph: LinearGraph
    ranks: list[list[Edge]]
    branch: dict[str, Edge] = field(default_factory=dict)
    distance: dict[str, int] = field(default_factory=dict)
    """Number of branches without the arms from the datum to each node reached so far."""

    def __post_init__(self) -> None:
        self.distance[self.graph.datum] = 0
        self.incident: list[dict[str, list[Edge]]] = []
        for rank in self.ranks:
            at: dict[str, list[Edge]] = {}
            for edge in rank:
                at.setdefault(edge.tail, []).append(edge)
                at.setdefault(edge.head, []).append(edge)
            self.incident.append(at)

    def grow(self, entry: str, n_ranks: int) -> list[str]:
        """Span all nodes that the first `n_ranks` ranks join to the node `entry`; these nodes are returned.

        The stronger ranks have spanned their smaller groups before an edge of the last rank is considered, so a weaker
        edge is never taken where a stronger one would do. Among the edges of the last rank the nearest to the datum is
        taken.
        """
        if n_ranks == 0:
            return [entry]
        incident = self.incident[n_ranks - 1]
        reached: list[str] = []
        nearest: list[tuple[int, int, str]] = []
        fresh = self.grow(entry, n_ranks - 1)
        while True:
            reached += fresh
            for node in fresh:
                for edge in incident.get(node, ()):
                    distance = self.distance[node] + (edge.kind != ARM)
                    heappush(nearest, (distance, self.graph.edge_number[edge.name], edge.other_end(node)))
            while nearest and nearest[0][2] in self.distance:
                heappop(nearest)
            if not nearest:
                return reached
            distance, number, node = heappop(nearest)
            self.distance[node], self.branch[node] = distance, self.graph.edges[number]
            fresh = self.grow(node, n_ranks - 1)


def _finished(graph: LinearGraph, names: set[str]) -> SpanningTree:
    """The tree whose branches are known by name, walked breadth-first from the datum."""
    incident: dict[str, list[Edge]] = {node: [] for node in graph.nodes}
    for edge in graph.edges:
        if edge.name in names:
            incident[edge.tail].append(edge)
            incident[edge.head].append(edge)
    order, parent, branch, depth = [graph.datum], {}, {}, {graph.datum: 0}
    for node in order:  # grows while it is walked
        for edge in incident[node]:
            other = edge.other_end(node)
            if other not in depth:
                parent[other], branch[other], depth[other] = node, edge, depth[node] + 1
                order.append(other)
    return SpanningTree(
        graph=graph,
        branches=tuple(edge for edge in graph.edges if edge.name in names),
        chords=tuple(edge for edge in graph.edges if edge.name not in names),
        order=tuple(order),
        parent=MappingProxyType(parent),
        branch=MappingProxyType(branch),
        depth=MappingProxyType(depth),
    )


def _name_faults(
    graph: LinearGraph, branches: Collection[str], chords: Collection[str], kind_order: Sequence[str]
) -> list[Fault]:
    """Unknown names, edges named as both, branches of a kind that is always a chord."""
    faults = []
    for word, names in (("branches", branches), ("chords", chords)):
        faults += [
            unknown_name("edge", name, graph.edge_number, f"{word}: ")
            for name in names
            if name not in graph.edge_number
        ]
    for name in branches:
        if name in chords:
            faults.append(
                Fault(f"edge '{name}' is listed as a branch and as a chord. Leave it in one of the two lists.")
            )
        elif name in graph.edge_number and (kind := graph.edge(name).kind) not in kind_order:
            faults.append(
                Fault(
                    f"edge '{name}' is listed as a branch, but a {kind} is always a chord"
                    f" (types of branches: {', '.join(kind_order)})."
                )
            )
    return faults


def _circuit_faults(graph: LinearGraph, candidates: Iterable[Edge], branches: Collection[str]) -> list[Fault]:
    """One fault for each of the user's branches that closes a circuit with those before it and the arms.

    The arms count because a frame and its body move as one: the four joints of a four-bar meet only through arms.
    """
    forest = Forest(graph.nodes)
    named = [edge for edge in candidates if edge.name in branches]
    faults = []
    for edge in [e for e in candidates if e.kind == ARM and e.name not in branches]:
        forest.join(edge)
    for edge in named:
        if forest.join(edge):
            continue
        circuit = [edge, *forest.way(edge.head, edge.tail)]
        at_fault = [e.name for e in circuit if e.name in branches]
        faults.append(
            Fault(
                f"the branches {quoted(at_fault)} close a circuit ({', '.join(e.name for e in circuit)});"
                " a tree has none. Remove one of them from the branches, or make it a chord."
            )
        )
    return faults


def _reach_faults(
    graph: LinearGraph, candidates: Iterable[Edge], chords: Collection[str], kind_order: Sequence[str]
) -> list[Fault]:
    """A fault that lists the nodes that no candidate connects to the datum."""
    forest = Forest(graph.nodes)
    for edge in candidates:
        forest.join(edge)
    lost = [node for node in graph.nodes if forest.group(node) != forest.group(graph.datum)]
    if not lost:
        return []
    cut = [e.name for e in graph.edges if e.name in chords and forest.group(e.tail) != forest.group(e.head)]
    hint = (
        f"Remove one of {quoted(cut)} from the chords."
        if cut
        else f"Connect {'it' if len(lost) == 1 else 'them'} by an edge of type {', '.join(kind_order)}."
    )
    text = f"no path of branches leads from the datum '{graph.datum}' to {'node' if len(lost) == 1 else 'nodes'}"
    return [Fault(f"{text} {quoted(lost)}.", hint=hint)]


class Forest:
    """Edges without a circuit, and the groups of nodes that they join (union-find)."""

    def __init__(self, nodes: Iterable[str]):
        self.above = {node: node for node in nodes}
        self.incident: dict[str, list[Edge]] = {node: [] for node in self.above}

    def group(self, node: str) -> str:
        """The representative of all nodes joined to `node`."""
        while self.above[node] != node:
            self.above[node] = node = self.above[self.above[node]]
        return node

    def join(self, edge: Edge) -> bool:
        """Add the edge, unless it closes a circuit; returns whether it was added."""
        tail, head = self.group(edge.tail), self.group(edge.head)
        if tail == head:
            return False
        self.above[head] = tail
        self.incident[edge.tail].append(edge)
        self.incident[edge.head].append(edge)
        return True

    def way(self, start: str, end: str) -> list[Edge]:
        """The edges on the way from `start` to `end`, which must be joined."""
        came_by: dict[str, Edge] = {}
        walk = [start]
        for node in walk:  # grows while it is walked
            for edge in self.incident[node]:
                other = edge.other_end(node)
                if other != start and other not in came_by:
                    came_by[other] = edge
                    walk.append(other)
        edges = []
        while end != start:
            edges.append(came_by[end])
            end = came_by[end].other_end(end)
        return edges[::-1]
