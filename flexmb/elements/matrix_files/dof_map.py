"""Map of unknowns: rows of imported matrices to nodes and directions, and those to the blocks of an `FEModel`.

An unknown is a pair (node number, dof): dof 1, 2, 3 are displacements along x, y, z, dof 4, 5, 6 rotations about them.
The map comes from the matrix file itself (Abaqus), from a list with one line per unknown, `node.dof` (CalculiX .dof) or
`node dof`, or, without any, from the order x, y, z (or all six) node after node as given. Nodes come from
a mesh, an array or a file of coordinates with or without node numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from flexmb.arrays import Floats, Integers
from flexmb.elements.matrix_files.formats import read_numbers
from flexmb.errors import Fault, InputError
from flexmb.mesh.mesh import Mesh

UNITS = {"m": 1.0, "cm": 1e-2, "mm": 1e-3}
"""Unit of length of matrices whose force is the newton -> metres; their mass is N s^2/length: kg, 100 kg, t"""
_SHOWN = 5


@dataclass(frozen=True)
class Nodes:
    """Nodes that the unknowns belong to."""

    points: Floats
    """(n, 3) [m]"""
    ids: Integers
    """(n,) numbers of the nodes in the matrices' program"""
    mesh: Mesh | None


@dataclass(frozen=True)
class Blocks:
    """Row of every unknown in an `FEModel`."""

    place: Integers
    """(size,) row in the model"""
    rotations: Integers
    """Nodes that have rotations"""


def read_nodes(nodes: Any, unit: str | None) -> Nodes:
    """Nodes from a `Mesh`, an array (n, 3) or (n, 4) with numbers first, or a file; lengths are in `unit`.

    None: in the unit of the mesh, metres for tables. The caller rejects an unknown unit.
    """
    metres = UNITS.get(unit or "m", 1.0)
    if isinstance(nodes, (str, Path)):
        nodes = _nodes_of_file(Path(nodes), unit)
    if isinstance(nodes, Mesh):
        ids = np.arange(1, nodes.n_points + 1) if nodes.point_ids is None else nodes.point_ids
        return _checked(Nodes(nodes.points, np.asarray(ids, dtype=np.int64), nodes))
    try:
        table = np.asarray(nodes, dtype=float)
    except (TypeError, ValueError):
        table = np.zeros(0)
    if table.ndim != 2 or table.shape[1] not in (3, 4) or len(table) == 0:
        text = "nodes must be a mesh, a file, or a table of coordinates (n, 3), or (n, 4) with node numbers first"
        raise InputError([Fault(text, ("nodes",))])
    if table.shape[1] == 3:
        return _checked(Nodes(table * metres, np.arange(1, len(table) + 1), None))
    if (np.round(table[:, 0]) != table[:, 0]).any():
        raise InputError([Fault("node numbers in the first of four columns must be whole", ("nodes",))])
    return _checked(Nodes(table[:, 1:] * metres, table[:, 0].astype(np.int64), None))


def _nodes_of_file(path: Path, unit: str | None) -> Any:
    if not path.is_file():
        raise InputError([Fault(f"there is no file {path}", ("nodes",))])
    kind = path.suffix.lower()
    if kind not in (".npy", ".txt", ".csv"):
        from flexmb.mesh.read import read_mesh

        return read_mesh(path, unit)
    try:
        return np.load(path, allow_pickle=False) if kind == ".npy" else read_numbers(path)
    except (OSError, ValueError, EOFError, MemoryError) as error:
        reason = " ".join(str(error).split())[:200]
        raise InputError([Fault(f"{path} cannot be read as a table of nodes: {reason}", ("nodes",))]) from None


def _checked(nodes: Nodes) -> Nodes:
    faults = []
    if not np.isfinite(nodes.points).all():
        faults.append(Fault("nodes have coordinates that are not finite", ("nodes",)))
    numbers, counts = np.unique(nodes.ids, return_counts=True)
    if (counts > 1).any():
        faults.append(Fault(f"node numbers occur more than once: {listed(numbers[counts > 1])}", ("nodes",)))
    if faults:
        raise InputError(faults)
    return nodes


def read_labels(dofs: Any) -> Integers:
    """(size, 2) node number and dof of every unknown, from a file or an array."""
    if isinstance(dofs, (str, Path)):
        dofs = _labels_of_file(Path(dofs))
    try:
        table = np.asarray(dofs, dtype=float)
    except (TypeError, ValueError):
        table = np.zeros(0)
    if table.ndim != 2 or table.shape[1] != 2 or len(table) == 0 or not np.isfinite(table).all():
        raise InputError([Fault("dofs must be a file, or a table with node number and dof of every row", ("dofs",))])
    if (np.round(table) != table).any():
        raise InputError([Fault("dofs: node numbers and dofs must be whole numbers", ("dofs",))])
    return table.astype(np.int64)


def _labels_of_file(path: Path) -> Any:
    """Read labels as text: as a decimal number, dof 10 of a node would be read as dof 1."""
    if not path.is_file():
        raise InputError([Fault(f"there is no file {path}", ("dofs",))])
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError):
        raise InputError([Fault(f"{path} is not a text file", ("dofs",))]) from None
    labels = []
    for number, line in enumerate(lines, 1):
        words = line.replace(",", " ").split()
        if not words or words[0][0] in "*#":
            continue
        parts = words[0].split(".") if len(words) == 1 else words
        if len(parts) != 2 or not all(part.isdecimal() for part in parts):
            text = f"{path}, line {number}: expected node.dof or node and dof, found {line.strip()[:40]!r}"
            raise InputError([Fault(text, ("dofs",))])
        labels.append((int(parts[0]), int(parts[1])))
    return labels


def default_labels(size: int, exact: bool, nodes: Nodes) -> Integers:
    """Three or six unknowns per node, node after node; a file without its size may end with empty rows."""
    n = len(nodes.ids)
    for per_node in (3, 6):
        if size == per_node * n or (not exact and per_node * (n - 1) < size <= per_node * n):
            return np.column_stack([np.repeat(nodes.ids, per_node), np.tile(np.arange(1, per_node + 1), n)])
    text = f"{size} unknowns are neither 3 nor 6 times the {n} nodes"
    raise InputError([Fault(text, ("dofs",), "Give the list of dofs (node and dof of every row).")])


def blocks_of(labels: Integers, nodes: Nodes) -> Blocks:
    """Rows of the unknowns in the model; raises all faults of the map at once."""
    faults = _wrong_labels(labels, nodes)
    order = np.argsort(nodes.ids)
    found = np.clip(np.searchsorted(nodes.ids[order], labels[:, 0]), 0, len(order) - 1)
    node = order[found]
    known = nodes.ids[node] == labels[:, 0]
    if not known.all():
        lost = np.unique(labels[~known, 0])
        text = f"{lost.size} nodes of the matrices are not among the nodes given: {listed(lost)}"
        faults.append(Fault(text, ("nodes",), "Leave internal nodes out in the program that wrote the matrices."))
    faults += _incomplete(labels[known], node[known], nodes)
    if faults:
        raise InputError(faults)
    n = len(nodes.ids)
    turns = labels[:, 1] > 3
    rotations = np.unique(node[turns])
    block = np.where(turns, n + np.searchsorted(rotations, node), node)
    return Blocks(3 * block + (labels[:, 1] - 1) % 3, rotations.astype(np.int64))


def _wrong_labels(labels: Integers, nodes: Nodes) -> list[Fault]:
    faults = []
    foreign = np.unique(labels[(labels[:, 1] < 1) | (labels[:, 1] > 6), 1])
    if foreign.size:
        text = f"dofs {listed(foreign)} are neither displacements (1, 2, 3) nor rotations (4, 5, 6)"
        faults.append(Fault(text, ("dofs",), "Leave out temperatures, pressures and other unknowns."))
    pairs, counts = np.unique(labels, axis=0, return_counts=True)
    if (counts > 1).any():
        node, dof = pairs[counts > 1][0]
        text = f"{np.count_nonzero(counts > 1)} unknowns occur more than once, the first is dof {dof} of node {node}"
        faults.append(Fault(text, ("dofs",)))
    return faults


def _incomplete(labels: Integers, node: Integers, nodes: Nodes) -> list[Fault]:
    """Nodes with only some of their displacements or rotations, or without any."""
    n = len(nodes.ids)
    has = np.zeros((n, 7), dtype=bool)
    has[node, np.clip(labels[:, 1], 0, 6)] = True
    moves, turns = has[:, 1:4].sum(axis=1), has[:, 4:7].sum(axis=1)
    hint = "Held unknowns are missing: write the matrices of the free body, without boundary conditions."
    faults = []
    for count, word in ((moves, "displacements"), (turns, "rotations")):
        part = (count > 0) & (count < 3)
        if part.any():
            text = f"{np.count_nonzero(part)} nodes do not have all three {word}: {listed(nodes.ids[part])}"
            faults.append(Fault(text, ("dofs",), hint))
    if ((moves == 0) & (turns > 0)).any():
        ids = nodes.ids[(moves == 0) & (turns > 0)]
        faults.append(Fault(f"{ids.size} nodes have rotations but no displacements: {listed(ids)}", ("dofs",), hint))
    bare = nodes.ids[(moves == 0) & (turns == 0)]
    if bare.size:
        text = f"{bare.size} nodes have no unknowns in the matrices: {listed(bare)}"
        faults.append(
            Fault(text, ("nodes",), "Give only nodes of the matrices, and write these without boundary conditions.")
        )
    return faults


def listed(numbers: Sequence[int] | Integers) -> str:
    """A few numbers for a message."""
    shown = ", ".join(str(int(number)) for number in numbers[:_SHOWN])
    return f"{shown}, ..." if len(numbers) > _SHOWN else shown
