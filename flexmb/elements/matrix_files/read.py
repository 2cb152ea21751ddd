"""Read stiffness and mass files of another program to an `FEModel`.

Input: paths (the partner files of Abaqus and CalculiX are found by their names), a map of unknowns if the files have
none, and nodes. Output: the model with its unknowns in blocks of three, in SI units: matrices in N, mm, t (unit "mm")
are scaled by 1/L s_i s_j, L = 1e-3 and s = 1 for displacements, L for rotations. Faults of all inputs are reported at
once; matrices that fail the self-test are rejected.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from flexmb.arrays import Integers
from flexmb.elements.fe_model import FEModel
from flexmb.elements.matrix_files.dof_map import (
    UNITS,
    Blocks,
    Nodes,
    blocks_of,
    default_labels,
    read_labels,
    read_nodes,
)
from flexmb.elements.matrix_files.formats import Entries, read_entries
from flexmb.elements.matrix_files.self_test import self_test
from flexmb.errors import Fault, InputError
from flexmb.mesh.raw import note_file

Progress = Callable[[str, float], None]

_LARGEST_ASYMMETRY = 1e-6
_SAME_MASS = 1e-12
"""Difference between directions below which mass counts as the same in all three, relative to the largest entry"""


def read_matrices(
    K_path: str | Path,
    M_path: str | Path | None = None,
    dofs: Any = None,
    nodes: Any = None,
    *,
    unit: str | None = None,
    check: bool = True,
    progress: Progress | None = None,
) -> FEModel:
    """A model from stiffness and mass files.

    `M_path` and `dofs` may be left out if they are next to `K_path` under the usual name (job.sti, job.mas,
    job.dof; job_STIF1.mtx, job_MASS1.mtx). `dofs`: file or (size, 2) table of node number and dof. `nodes`: a `Mesh`,
    a mesh file, a table or file of coordinates. `unit`: length of matrices, tables and mesh file, force is in newtons;
    None: that of the mesh (its points are in metres whatever its unit), metres without one. `check`: reject matrices
    that fail `self_test`.
    """
    report = progress or (lambda stage, fraction: None)
    stiffness_path = Path(K_path)
    mass_path = Path(M_path) if M_path is not None else _partner_mass(stiffness_path)
    if dofs is None and stiffness_path.suffix.lower() == ".sti":
        dofs = stiffness_path.with_suffix(".dof")
    for file in (stiffness_path, mass_path, dofs):
        if isinstance(file, (str, Path)):
            note_file(Path(file))
    faults: list[Fault] = []
    report("reading stiffness", math.nan)
    K = _collected(faults, read_entries, stiffness_path, "stiffness")
    report("reading mass", math.nan)
    M = None
    if mass_path is None:
        text = f"no mass file is given, and none with the usual name is next to {stiffness_path}"
        faults.append(Fault(text, ("mass",)))
    else:
        M = _collected(faults, read_entries, mass_path, "mass")
    if nodes is None:
        faults.append(Fault("nodes are missing: matrices do not contain the positions of their nodes", ("nodes",)))
        placed = None
    else:
        placed = _collected(faults, read_nodes, nodes, unit)
    if unit is None and placed is not None and placed.mesh is not None:
        unit = placed.mesh.unit
    metres = _metres(unit or "m", faults)
    given = None if dofs is None else _collected(faults, read_labels, dofs)
    if K is None or M is None or placed is None or faults:
        raise InputError(faults)
    report("ordering unknowns", math.nan)
    model = _model(K, M, given, placed, metres)
    if check:
        wrong = [finding for finding in self_test(model) if finding.level == "bad"]
        if wrong:
            raise InputError([Fault(finding.text, (), finding.hint) for finding in wrong])
    return model


def _collected(faults: list[Fault], read: Callable[..., Any], *arguments: Any) -> Any:
    """The result of `read`; None with its faults collected if it raises."""
    try:
        return read(*arguments)
    except InputError as error:
        faults += error.faults
        return None


def _metres(unit: str, faults: list[Fault]) -> float:
    if unit not in UNITS:
        text = f"matrices cannot be in the unit {unit!r}"
        faults.append(Fault(text, ("unit",), f"Choices: {', '.join(UNITS)}, with forces in newtons."))
    return UNITS.get(unit, 1.0)


def _partner_mass(path: Path) -> Path | None:
    """The mass file that a program writes next to its stiffness file."""
    if path.suffix.lower() == ".sti":
        return path.with_suffix(".mas")
    name = re.sub(r"_STIF(\d+)\.mtx", r"_MASS\1.mtx", path.name)
    return path.with_name(name) if name != path.name else None


def _model(K: Entries, M: Entries, given: Integers | None, nodes: Nodes, metres: float) -> FEModel:
    if (K.labels is None) != (M.labels is None):
        text = "one matrix lists nodes and dofs in its lines and the other does not"
        raise InputError([Fault(text, ("mass",), "Write both in the same format.")])
    if K.labels is not None and given is not None:
        raise InputError([Fault("the matrices already list nodes and dofs", ("dofs",), "Leave dofs out.")])
    if K.labels is not None and M.labels is not None:
        labels = np.unique(np.concatenate([K.labels, M.labels]), axis=0)
        K_place, M_place = _places(K.labels, labels), _places(M.labels, labels)
    else:
        labels, M = _labels_of_rows(K, M, given, nodes)
        K_place = M_place = np.arange(len(labels))
    blocks = blocks_of(labels, nodes)
    stiffness = _matrix(K, blocks.place[K_place], blocks, nodes, metres, "stiffness")
    mass = _matrix(M, blocks.place[M_place], blocks, nodes, metres, "mass")
    if blocks.rotations.size == 0:
        mass = _same_in_all_directions(mass)
    return FEModel(nodes.points, stiffness, mass, blocks.rotations, nodes.mesh)


def _places(own: Integers, everyone: Integers) -> Integers:
    """Row in `everyone` (sorted, without repeats) of each row of `own`."""
    _, place = np.unique(np.concatenate([everyone, own]), axis=0, return_inverse=True)
    return place.reshape(-1)[len(everyone) :]


def _labels_of_rows(K: Entries, M: Entries, given: Integers | None, nodes: Nodes) -> tuple[Integers, Entries]:
    """Labels for matrices without them, and the mass in the size of the stiffness."""
    if K.exact_size and M.exact_size and K.size == 3 * M.size:
        M = _in_three_directions(M)
    size = max(K.size, M.size)
    exact = K.exact_size or M.exact_size
    labels = default_labels(size, exact, nodes) if given is None else given
    faults = []
    for entries, name in ((K, "stiffness"), (M, "mass")):
        if entries.size > len(labels) or (entries.exact_size and entries.size != len(labels)):
            text = f"{name} has {entries.size} unknowns, but {len(labels)} are expected"
            faults.append(Fault(text, (name,), "Stiffness, mass and the list of dofs must match."))
    if faults:
        raise InputError(faults)
    return labels, M


def _in_three_directions(M: Entries) -> Entries:
    """Expand a mass given once per pair of nodes to unknowns x, y, z node after node."""
    rows = (3 * M.rows[:, None] + np.arange(3)).ravel()
    columns = (3 * M.columns[:, None] + np.arange(3)).ravel()
    return Entries(rows, columns, np.repeat(M.values, 3), 3 * M.size, True)


def _matrix(entries: Entries, place: Integers, blocks: Blocks, nodes: Nodes, metres: float, name: str) -> Any:
    """(3 b, 3 b) BSR in the order of the model and in SI units, symmetric to the last bit."""
    from scipy import sparse

    n = len(nodes.ids)
    size = 3 * (n + len(blocks.rotations))
    matrix = entries.matrix(size, place)
    largest = abs(matrix).max()
    difference = abs(matrix - matrix.T).max()
    if difference > _LARGEST_ASYMMETRY * largest:
        text = f"{name} is not symmetric: mirrored entries differ by {difference / largest:.1e} of the largest one"
        raise InputError([Fault(text, (name,), "Leave out gyroscopic and contact terms.")])
    matrix = (matrix + matrix.T) / 2.0
    if metres != 1.0:
        scale = sparse.diags_array(np.where(np.arange(size) < 3 * n, 1.0, metres))
        matrix = scale @ matrix @ scale / metres
    result = sparse.csr_matrix(matrix).tobsr(blocksize=(3, 3))
    result.sort_indices()
    return result


def _same_in_all_directions(M: Any) -> Any:
    """(n, n) CSR when every 3 x 3 block is a number times the unit matrix, else the matrix itself."""
    from scipy import sparse

    numbers = M.data[:, 0, 0].copy()
    rest = M.data - numbers[:, None, None] * np.eye(3)
    if np.abs(rest).max() > _SAME_MASS * np.abs(M.data).max():
        return M
    n = M.shape[0] // 3
    return sparse.csr_matrix((numbers, M.indices, M.indptr), shape=(n, n))
