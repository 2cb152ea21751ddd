"""Sparse storage of the mass matrix and of the constraint Jacobian, where it is smaller than full matrices.

The mass matrix couples a body to its ancestors in the tree; its rows are stored over the path from the root. A row of G
holds the coordinates of the two paths from its markers to the body where they meet; what moves both markers as one
rigid body does not count.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from flexmb.arrays import Integers
from flexmb.layout import flat_arrays as L
from flexmb.loads.table import LoadCode
from flexmb.system.records.packing import Packer
from flexmb.system.sparse_pattern import Entries, make_difference_pattern, make_pattern

SPARSE_FROM = 300
"""Least number of coordinates and rows of a system with sparse storage."""
WORTHWHILE = 0.25  # stored entries, as a part of those of full matrices, up to which sparse storage is used


class SparseStorage:
    """Paths of the bodies, columns of the rows of G, and the pattern of the equations."""

    def __init__(self, ints: list[int]):
        self.ints, self.n_v = ints, ints[L.N_V]
        self.parent, self.first, self.own = [0], [0], [0]
        for b in range(1, ints[L.N_BODIES] + 1):
            body = ints[L.BODIES] + b * L.BODY
            self.parent.append(ints[body + L.B_PARENT])
            self.first.append(ints[body + L.B_V])
            self.own.append(ints[body + L.B_NJ] + ints[body + L.B_NF])
        self.depth, self.level, self.at, self.n_M = [0], [0], [0], 0
        for b in range(1, len(self.parent)):
            above = self.parent[b]
            self.depth.append(self.depth[above] + self.own[above])
            self.level.append(self.level[above] + 1)
            self.at.append(self.n_M)
            self.n_M += self.own[b] * (self.depth[b] + self.own[b])

    def modes(self, b: int) -> int:
        """Number of elastic coordinates of a body."""
        return self.ints[self.ints[L.BODIES] + b * L.BODY + L.B_NF]

    def path(self, b: int) -> list[int]:
        """Bodies from the root to b."""
        found = []
        while b:
            found.append(b)
            b = self.parent[b]
        return found[::-1]

    def find_columns(self) -> None:
        """Columns and bodies of every row of G; rows with the same markers have the same."""
        ints, known = self.ints, dict[tuple[int, int], tuple[list[int], list[int]]]()
        self.columns: list[list[int]] = []
        self.groups: list[tuple[list[int], list[int]]] = []
        """Rows, and the bodies that they depend on"""
        last: tuple[int, int] | None = None
        body_of = {self.first[b] + j: b for b in range(1, len(self.own)) for j in range(self.own[b])}
        for k in range(ints[L.N_ALL_ROWS]):
            row = ints[L.ROWS] + k * L.ROW
            if ints[row + L.R_KIND] == L.ROW_TREE:
                column = ints[row + L.R_COORD]
                self.columns.append([column])
                self.groups.append(([k], [body_of[column]]))
                last = None
                continue
            if ints[row + L.R_KIND] == L.ROW_COUPLING:
                columns, bodies = self._coupled(row, body_of)
                self.columns.append(columns)
                self.groups.append(([k], bodies))
                last = None
                continue
            a, b = (ints[ints[L.MARKERS] + ints[row + end] * L.MARKER + L.MK_BODY] for end in (L.R_A, L.R_B))
            if (a, b) not in known:
                known[a, b] = self._between(a, b)
            columns, bodies = known[a, b]
            self.columns.append(columns)
            if last == (a, b):
                self.groups[-1][0].append(k)
            else:
                self.groups.append(([k], bodies))
            last = (a, b)
        self.n_G = sum(map(len, self.columns))

    def _coupled(self, row: int, body_of: dict[int, int]) -> tuple[list[int], list[int]]:
        """Columns and bodies of a coupling's row."""
        ints, columns, bodies = self.ints, set[int](), list[int]()
        for i in range(ints[row + L.R_N_TERMS]):
            term = ints[row + L.R_TERMS] + i * L.COUPLED
            if ints[term + L.CC_TREE]:
                column = ints[term + L.CC_INDEX]
                own = [column], [body_of[column]]
            else:
                chord = ints[L.CHORDS] + ints[term + L.CC_CHORD] * L.CHORD
                ends = (ints[chord + end] for end in (L.K_FIRST, L.K_SECOND))
                own = self._between(*(ints[ints[L.MARKERS] + end * L.MARKER + L.MK_BODY] for end in ends))
            columns.update(own[0])
            bodies += own[1]
        return sorted(columns), list(dict.fromkeys(bodies))

    def _between(self, a: int, b: int) -> tuple[list[int], list[int]]:
        """Columns and bodies that two bodies move by relative to each other."""
        bodies = []
        while a != b:
            if self.level[a] >= self.level[b]:
                bodies.append(a)
                a = self.parent[a]
            else:
                bodies.append(b)
                b = self.parent[b]
        columns = [self.first[body] + j for body in bodies for j in range(self.own[body])]
        if a and self.modes(a):  # the body where the paths meet bends between the markers
            bodies.append(a)
            columns += [self.first[a] + j for j in range(self.own[a] - self.modes(a), self.own[a])]
        return sorted(columns), [body for body in bodies if self.own[body]]

    @property
    def is_worthwhile(self) -> bool:
        """Whether there are many unknowns and few stored entries."""
        n, m = self.n_v, self.ints[L.N_ALL_ROWS]
        if self.ints[L.N_EARLY_SENSORS]:  # a force by an expression of sensors may couple any bodies
            return False
        return m > 0 and n + m >= SPARSE_FROM and self.n_M + 2 * self.n_G <= WORTHWHILE * (n * n + 2 * m * n)

    def mass_entries(self) -> Entries:
        """Rows and columns of the stored entries of the mass matrix."""
        rows, columns = [], []
        paths: list[list[int]] = [[]]
        for b in range(1, len(self.own)):
            own = list(range(self.first[b], self.first[b] + self.own[b]))
            paths.append(paths[self.parent[b]] + own)
            rows += np.repeat(own, len(paths[b])).tolist()
            columns += paths[b] * len(own)
        return Entries(np.array(rows, np.int64), np.array(columns, np.int64))

    def row_entries(self) -> Entries:
        """Rows and columns of the stored entries of G."""
        lengths = [len(columns) for columns in self.columns]
        flat = [column for columns in self.columns for column in columns]
        return Entries(np.repeat(np.arange(len(lengths)), lengths), np.array(flat, np.int64))

    def pattern(self) -> Integers:
        """The pattern of [S G^T; G 0], S with the entries of the mass matrix."""
        return make_pattern(*self._nodes(), self.n_v, self.mass_entries(), self.row_entries())

    def full_pattern(self) -> Integers:
        """The same for a tangent by differences: S couples bodies on a path, at a joint, and at the ends of a load."""
        unknowns, cliques, rows = self._nodes()
        cliques += [others for _, others in rows] + self._loaded()
        return make_difference_pattern(unknowns, cliques, rows, self.n_v, self.row_entries())

    def _nodes(self) -> tuple[list[list[int]], list[list[int]], list[tuple[int, list[int]]]]:
        """Unknowns of the nodes (bodies, then groups of rows), cliques of bodies on a path, rows with their bodies."""
        self.nodes = [b for b in range(1, len(self.own)) if self.own[b]]
        number = self.number = {b: k for k, b in enumerate(self.nodes)}
        unknowns = [list(range(self.first[b], self.first[b] + self.own[b])) for b in self.nodes]
        leaves = set(range(1, len(self.own))) - set(self.parent)
        cliques = [[number[b] for b in self.path(leaf) if self.own[b]] for leaf in leaves]
        rows = []
        for k, (own, bodies) in enumerate(self.groups):
            unknowns.append([self.n_v + row for row in own])
            rows.append((len(self.nodes) + k, [number[b] for b in bodies]))
        return unknowns, cliques, rows

    def _loaded(self) -> list[list[int]]:
        """Nodes of the bodies between the markers of every load."""
        ints, found = self.ints, list[list[int]]()

        def body_at(marker: int) -> int:
            return int(ints[ints[L.MARKERS] + marker * L.MARKER + L.MK_BODY])

        for k in range(ints[L.N_LOADS]):
            load = ints[L.LOADS] + k * L.LOAD
            if ints[load + L.L_KIND] == LoadCode.CABLE:  # its tension depends on all bodies on its way
                bodies = [body_at(ints[ints[load + L.L_Q] + i]) for i in range(ints[load + L.L_V])]
                found.append(sorted({self.number[b] for pair in pairwise(bodies) for b in self._between(*pair)[1]}))
                continue
            ends = (ints[load + L.L_A], ints[load + L.L_B])
            if ints[load + L.L_CHORD] >= 0 and not ints[load + L.L_TREE]:
                chord = ints[L.CHORDS] + ints[load + L.L_CHORD] * L.CHORD
                ends = (ints[chord + L.K_FIRST], ints[chord + L.K_SECOND])
            a, b = (body_at(end) for end in ends)
            found.append([self.number[body] for body in self._between(a, b)[1]])
        return found

    def pack(self, pack: Packer) -> None:
        """Write the tables of sparse storage and take its workspace."""
        ints = pack.ints
        ints[L.SPARSE], ints[L.N_M], ints[L.N_G], ints[L.N_ALL_G] = 1, self.n_M, self.n_G, self.n_G
        ints[L.PATHS] = pack.table(list(zip(self.at, self.depth, strict=True)), L.PATH)
        starts = np.concatenate([[0], np.cumsum([len(columns) for columns in self.columns])])
        ints[L.G_STARTS], ints[L.N_G_ROWS] = pack.put_ints(starts), len(starts)
        ints[L.G_COLUMNS] = pack.put_ints(column for columns in self.columns for column in columns)
        ints[L.N_G_COLUMNS], ints[L.N_X_ROW] = self.n_G, self.n_v
        pack.take_header((L.X_ROW,), {"n_x_row": self.n_v})
