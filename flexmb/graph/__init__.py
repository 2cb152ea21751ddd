"""Linear graph, spanning tree and their matrices: pure graph theory, no physics."""

from flexmb.graph.drawing import draw, format_matrix
from flexmb.graph.linear_graph import Edge, LinearGraph
from flexmb.graph.matrices import circuit_matrix, cutset_matrix, incidence, path_matrix, reduced_incidence
from flexmb.graph.spanning_tree import Forest, SpanningTree, spanning_tree

__all__ = [
    "Edge",
    "Forest",
    "LinearGraph",
    "SpanningTree",
    "circuit_matrix",
    "cutset_matrix",
    "draw",
    "format_matrix",
    "incidence",
    "path_matrix",
    "reduced_incidence",
    "spanning_tree",
]
