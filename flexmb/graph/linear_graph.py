"""The linear graph of a mechanism: named nodes, directed named edges. No physics.

Nodes are reference frames, edges are elements between two of them. The first node is the datum (ground, the
inertial frame; vertex 0 of [RS]). An edge is directed from its tail to its head: in the words of [RS eq. 3] it
"emanates from" its tail, which is the f(a) of [RS eq. 40], and "terminates on" its head.

Input: node names and edges. Output: an immutable `LinearGraph`, or one `InputError` with every fault found.
Sources: [RS] "Graph theory"; [SM] section 2.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

from flexmb.errors import Fault, InputError
from flexmb.suggestions import meant, nearest

_NAMES_LISTED = 12
"""Most names listed in an error message."""


@dataclass(frozen=True)
class Edge:
    """A directed edge between two nodes."""

    name: str
    tail: str
    """Node from which the edge emanates."""
    head: str
    """Node on which the edge terminates."""
    kind: str
    """Any text: "body", "arm", "joint", "motion", "force", ..."""
    weight: int = 0
    """Number of constraint equations that the edge leaves if it becomes a chord [-]."""

    @property
    def is_self_loop(self) -> bool:
        """Whether it begins and ends at the same node."""
        return self.tail == self.head

    def other_end(self, node: str) -> str:
        """The end of the edge that is not `node`."""
        return self.head if node == self.tail else self.tail


@dataclass(frozen=True)
class LinearGraph:
    """Nodes and edges, checked. Their order is kept, and decides every later tie."""

    nodes: tuple[str, ...]
    """Names of the nodes, the datum first."""
    edges: tuple[Edge, ...]
    self_loops: tuple[str, ...] = ("force",)
    """Kinds of edges that may begin and end at the same node (a force applied to the ground does no harm)."""

    def __init__(self, nodes: Iterable[str], edges: Iterable[Edge], *, self_loops: Iterable[str] = ("force",)):
        object.__setattr__(self, "nodes", tuple(nodes))
        object.__setattr__(self, "edges", tuple(edges))
        object.__setattr__(self, "self_loops", tuple(self_loops))
        faults = _node_faults(self) + _edge_faults(self)
        if faults:
            raise InputError(faults)

    @property
    def datum(self) -> str:
        """The first node: ground."""
        return self.nodes[0]

    @cached_property
    def node_number(self) -> Mapping[str, int]:
        """Index of every node in `nodes`; the datum is 0."""
        return MappingProxyType({node: number for number, node in enumerate(self.nodes)})

    @cached_property
    def edge_number(self) -> Mapping[str, int]:
        """Index of every edge in `edges`."""
        return MappingProxyType({edge.name: number for number, edge in enumerate(self.edges)})

    def edge(self, name: str) -> Edge:
        """The edge with this name."""
        if name not in self.edge_number:
            raise InputError([unknown_name("edge", name, self.edge_number)])
        return self.edges[self.edge_number[name]]


def unknown_name(what: str, name: str, valid: Collection[str], where: str = "") -> Fault:
    """The fault "there is no such name", with the valid names, if they are few, and the nearest one."""
    hint = meant(nearest(name, valid))
    listed = f" ({what}s: {', '.join(valid) or 'none'})" if len(valid) <= _NAMES_LISTED else ""
    return Fault(f"{where}no {what} '{name}'{listed}" + ("." if hint else ""), hint=hint)


def quoted(names: Iterable[str]) -> str:
    """'a', 'b', 'c'."""
    return ", ".join(f"'{name}'" for name in names)


def _repeated(names: Iterable[str]) -> list[tuple[str, int]]:
    return [(name, count) for name, count in Counter(names).items() if count > 1]


def _node_faults(graph: LinearGraph) -> list[Fault]:
    if not graph.nodes:
        return [Fault("the graph has no nodes; the first node is the datum (ground).")]
    return [
        Fault(f"node '{name}' occurs {count} times; every node needs a unique name.")
        for name, count in _repeated(graph.nodes)
    ]


def _edge_faults(graph: LinearGraph) -> list[Fault]:
    faults = [
        Fault(f"edge '{name}' occurs {count} times; every edge needs a unique name.")
        for name, count in _repeated(edge.name for edge in graph.edges)
    ]
    nodes = dict.fromkeys(graph.nodes)
    for edge in graph.edges:
        where = f"edge '{edge.name}' ({edge.kind}): "
        faults += [
            unknown_name("node", end, nodes, where) for end in dict.fromkeys((edge.tail, edge.head)) if end not in nodes
        ]
        if edge.is_self_loop and edge.kind not in graph.self_loops:
            faults.append(Fault(f"{where}begins and ends at the same node '{edge.tail}'; it must connect two nodes."))
        if edge.weight < 0:
            faults.append(
                Fault(f"{where}the weight is {edge.weight}; the number of constraint equations must not be negative.")
            )
    return faults
