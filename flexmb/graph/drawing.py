"""The spanning tree and the matrices of a graph as plain text.

A line of the tree is a node, the branch to its parent, and the type of that branch, as in

    ├─ crank.bearing  A (joint)

A line below it is a chord and its circuit; "-" marks an edge that is traversed against its direction:

    C (joint, 5 equations): C - rod.arm - B ...
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from flexmb.graph.linear_graph import Edge, LinearGraph
from flexmb.graph.spanning_tree import SpanningTree


def draw(graph: LinearGraph, tree: SpanningTree) -> str:
    """The tree with one line per node (its name, its branch and the type of that), and below it the chords."""
    lines = [graph.datum]
    pending = [(node, "") for node in reversed(tree.children[graph.datum])]
    while pending:  # not recursive: a long chain is deeper than Python's stack
        node, indent = pending.pop()
        is_last = tree.children[tree.parent[node]][-1] == node
        branch = tree.branch[node]
        lines.append(f"{indent}{'└─' if is_last else '├─'} {node}  {branch.name} ({branch.kind})")
        inner = indent + ("   " if is_last else "│  ")
        pending += [(child, inner) for child in reversed(tree.children[node])]
    if tree.chords:
        lines += ["", "chords, each with the circuit it closes (-: traversed against its direction)"]
        lines += [_chord_line(tree, chord) for chord in tree.chords]
    return "\n".join(lines)


def _chord_line(tree: SpanningTree, chord: Edge) -> str:
    equations = f", {chord.weight} equation{'s' * (chord.weight != 1)}" if chord.weight else ""
    circuit = " ".join(f"{'+' if sign > 0 else '-'} {edge.name}" for edge, sign in tree.circuit(chord))
    return f"{chord.name} ({chord.kind}{equations}): {circuit.removeprefix('+ ')}"


def format_matrix(matrix: NDArray[np.integer], rows: Sequence[str], columns: Sequence[str]) -> str:
    """The matrix as aligned text with a label for each row and column; zeros are dots."""
    if matrix.shape != (len(rows), len(columns)):
        raise ValueError(f"a matrix {matrix.shape} has {len(rows)} row and {len(columns)} column labels")
    cells = [[f"{entry:+d}" if entry else "." for entry in line] for line in matrix.tolist()]
    margin = max((len(label) for label in rows), default=0)
    widths = [max(len(label), 2) for label in columns]
    header = " ".join([" " * margin, *(label.rjust(width) for label, width in zip(columns, widths, strict=True))])
    body = [
        " ".join([label.ljust(margin), *(cell.rjust(width) for cell, width in zip(line, widths, strict=True))])
        for label, line in zip(rows, cells, strict=True)
    ]
    return "\n".join([header.rstrip(), *body])
