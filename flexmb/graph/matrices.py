"""Incidence, path, cutset and circuit matrices of a linear graph.

All entries are 0, +1 or -1. Every matrix is found by walking the graph; nothing is inverted numerically.
Rows and columns, with n + 1 nodes (the datum is row 0), n branches and m chords:

    incidence          (n + 1, n + m)   nodes x edges of the graph
    reduced_incidence  (n, n + m)       nodes without the datum x [branches, chords]      S = [S_A S_C]
    path_matrix        (n, n)           branches x nodes without the datum               T = S_A^-1
    cutset_matrix      (n, n + m)       branches x [branches, chords]                    Q = T S = [1  T S_C]
    circuit_matrix     (m, n + m)       chords x [branches, chords]                      B = [-(T S_C)^T  1]

With through variables f and across variables r of the edges: S f = 0 at the nodes, Q f = 0 over the cutsets, B r = 0
around the circuits, and Q B^T = 0.
Sources: [RS eq. 2-13] for S and T, [SM eq. 4, 5] for the signs of cutsets and circuits.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from flexmb.arrays import Integers
from flexmb.graph.linear_graph import Edge, LinearGraph
from flexmb.graph.spanning_tree import SpanningTree


def incidence(graph: LinearGraph, edges: Sequence[Edge] | None = None) -> Integers:
    """Incidence matrix of all nodes, datum included, and the given edges (default: all, as the graph lists them).

    A self-loop begins and ends at the same node: its column is zero.
    """
    columns = graph.edges if edges is None else edges
    matrix = np.zeros((len(graph.nodes), len(columns)), dtype=np.int64)
    for column, edge in enumerate(columns):
        matrix[graph.node_number[edge.tail], column] += 1  # +1: the edge emanates from the node [RS eq. 3]
        matrix[graph.node_number[edge.head], column] -= 1  # -1: the edge terminates on the node [RS eq. 3]
    return matrix


def reduced_incidence(tree: SpanningTree) -> Integers:
    """S = [S_A S_C]: the incidence matrix without the row of the datum, branches first [RS eq. 9-11]."""
    return incidence(tree.graph, tree.branches + tree.chords)[1:]


def path_matrix(tree: SpanningTree) -> Integers:
    """T = S_A^-1, by walking from every node to the datum [RS eq. 4, 5]."""
    row = {branch.name: number for number, branch in enumerate(tree.branches)}
    matrix = np.zeros((len(tree.branches), len(tree.branches)), dtype=np.int64)
    for column, node in enumerate(tree.graph.nodes[1:]):
        for branch, sign in tree.chain(node):
            matrix[row[branch.name], column] = sign  # +1 towards the datum, -1 away from it [RS eq. 5]
    return matrix


def circuit_matrix(tree: SpanningTree) -> Integers:
    """Fundamental circuit matrix B = [B_A 1]: one row for each chord, which orients its circuit."""
    column = {edge.name: number for number, edge in enumerate(tree.branches + tree.chords)}
    matrix = np.zeros((len(tree.chords), len(column)), dtype=np.int64)
    for row, chord in enumerate(tree.chords):
        for edge, sign in tree.circuit(chord):
            matrix[row, column[edge.name]] = sign  # +1 along the circuit, the chord itself +1 [SM eq. 5]
    return matrix


def cutset_matrix(tree: SpanningTree) -> Integers:
    """Fundamental cutset matrix Q = [1 Q_C]: one row for each branch, which orients its cutset.

    The cutset of a branch contains the edges between the two parts of the tree that remain without it.
    """
    n_branches = len(tree.branches)
    matrix = np.eye(n_branches, n_branches + len(tree.chords), dtype=np.int64)  # the branch itself +1 [SM eq. 4]
    matrix[:, n_branches:] = -circuit_matrix(tree)[:, :n_branches].T  # +1 across the cut as the branch: Q_C = -B_A^T
    return matrix
