"""The mass matrix of a natural system on the pattern that the common integrators store.

    M = V^T M_y V + sum over soft rows of weight G_k^T G_k                                [GJB eq. 4.78; theory 15]

Mixed coordinates have no inertia, and a body whose moments of mass are those of a plate or a thin rod has none across
it: the rows that hold them are added, which changes neither accelerations nor multipliers (`programs`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from flexmb.arrays import Flags, Floats, Integers
from flexmb.natural import packed_layout as N
from flexmb.natural.mass import slot_mass_matrix
from flexmb.system.sparse_pattern import Entries

if TYPE_CHECKING:
    from flexmb.natural.body import NaturalBody
    from flexmb.natural.system import NaturalSystem

SAFE = 1e-3
"""Smallest eigenvalue of the mass matrix of a body of unit diagonal with which it needs no soft rows."""
LIGHT = 1e-6
"""The same for the smallest of the diagonal, in sizes of the coordinates."""
SOFT = 2.0
"""Weight of a soft row of unit length, in units of the largest mass of its coordinates."""


class PackedMass:
    """Stored entries of M: places, constant values, products that vary, soft rows."""

    def __init__(self, natural: NaturalSystem, G: Entries, node_of: Integers):
        self.natural, self.G, self.node_of = natural, G, node_of
        self.n = natural.n
        self.place = np.full(natural.layout.n_extended, -1, dtype=np.int64)
        self.place[natural.moving] = np.arange(self.n)
        self._turned()
        left, right, self.values, rows, columns = self._products()
        diagonal = np.bincount(rows, np.abs(self.values) * (rows == columns), self.n) if self.n else np.zeros(0)
        self.unit = float(np.max(diagonal, initial=0.0)) or 1.0
        """Unit of M: the largest mass of a coordinate [kg m^2]"""
        self.values = self.values / self.unit
        self.soft = self._soft_rows(diagonal <= LIGHT * self.unit)
        starts = np.searchsorted(G.row, np.arange(len(natural.constraints.written.names) + 1))
        pairs = [G.column[starts[k] : starts[k + 1]] for k in self.soft]
        soft_rows = np.concatenate([np.zeros(0, np.int64), *(np.repeat(own, own.size) for own in pairs)])
        soft_columns = np.concatenate([np.zeros(0, np.int64), *(np.tile(own, own.size) for own in pairs)])
        every = np.arange(self.n)
        i, j = np.concatenate([every, rows, soft_rows]), np.concatenate([every, columns, soft_columns])
        # stored once: blocks of a node in full, of two nodes below the diagonal
        stored = (node_of[i] == node_of[j]) | (i > j)
        keys, slots = np.unique(i[stored] * self.n + j[stored], return_inverse=True)
        self.entries = Entries(keys // self.n, keys % self.n)
        places = np.full(i.size, -1, dtype=np.int64)
        places[stored] = slots
        own, self.soft_slots = places[self.n : self.n + rows.size], places[self.n + rows.size :]
        is_constant = (left < 0) & (right < 0) & (own >= 0)
        self.base = np.bincount(own[is_constant], self.values[is_constant], keys.size).astype(np.float64)
        self.varying = np.flatnonzero(~is_constant & (own >= 0))
        self.slots, self.left, self.right = own, left, right
        self._weights(pairs)
        self.cliques = self._cliques(i, j)

    def _cliques(self, i: Integers, j: Integers) -> list[list[int]]:
        """Nodes that M couples."""
        pairs = np.unique(np.column_stack([self.node_of[i], self.node_of[j]]), axis=0)
        return pairs[pairs[:, 0] < pairs[:, 1]].tolist()  # type: ignore[no-any-return]

    def _turned(self) -> None:
        """Entries of V in the rows of w: factor times a component of the other direction."""
        extension, n = self.natural.extension, self.natural.layout.n_coordinates
        rows, columns, sources, factors = list[int](), list[int](), list[int](), list[float]()
        self.factors = [] if extension.is_identity else [extension.first, extension.second]
        for own, factor in enumerate(self.factors):
            for e in range(factor.owners.size):
                body, j, scale = int(factor.owners[e]), int(factor.components[e]), float(factor.values[e])
                for c in ((j + 1) % 3, (j + 2) % 3):
                    k = 3 - c - j
                    # (e_j x d)_c = eps_cjk d_k; the second direction stands on the other side of the product
                    sign = (1.0 if (j - c) % 3 == 1 else -1.0) * (1.0 if own == 0 else -1.0)
                    rows.append(n + 3 * body + c)
                    columns.append(int(factor.columns[e]))
                    sources.append(6 * body + 3 * (1 - own) + k)
                    factors.append(sign * scale * float(extension.scales[body, 0]))
        self.turned_rows, self.turned_columns = np.array(rows, np.int64), np.array(columns, np.int64)
        self.turned_sources, self.turned_factors = np.array(sources, np.int64), np.array(factors)

    def _products(self) -> tuple[Integers, Integers, Floats, Integers, Integers]:
        """All V_ia (M_y)_ij V_jb: numbers of the varying entries (-1: one), constant factor, row and column of M."""
        mass, n = self.natural.mass_extended.tocoo(), self.natural.layout.n_coordinates
        by_row: dict[int, list[tuple[int, int]]] = {}
        for e, (row, column) in enumerate(zip(self.turned_rows.tolist(), self.turned_columns.tolist(), strict=True)):
            by_row.setdefault(row, []).append((e, column))
        plain = (mass.row < n) & (mass.col < n)
        sizes = self.natural.sizes
        found = [(-1, -1, value, i, j) for i, j, value in self._listed(mass, plain)]
        for i, j, value in self._listed(mass, ~plain):
            for left, a in by_row.get(i, []) if i >= n else [(-1, i)]:
                for right, b in by_row.get(j, []) if j >= n else [(-1, j)]:
                    found.append((left, right, value, a, b))
        table = np.array(found, dtype=float).reshape(-1, 5)
        rows, columns = (self.place[table[:, k].astype(np.int64)] for k in (3, 4))
        inside = (rows >= 0) & (columns >= 0)
        left, right = (table[inside, k].astype(np.int64) for k in (0, 1))
        rows, columns = rows[inside], columns[inside]
        return left, right, table[inside, 2] * sizes[rows] * sizes[columns], rows, columns

    @staticmethod
    def _listed(mass: Any, which: Any) -> list[tuple[int, int, float]]:
        return list(zip(mass.row[which].tolist(), mass.col[which].tolist(), mass.data[which].tolist(), strict=True))

    def _soft_rows(self, is_light: Flags) -> list[int]:
        """Rows of coordinates without inertia, and those of bodies whose own mass matrix is not safely positive."""
        rows = self.natural.constraints
        found = set(self.G.row[is_light[self.G.column]].tolist())
        light = {f"{body.name}: rigid" for body in self.natural.bodies if not _is_solid(body, self.natural.length)}
        found |= {k for k, name in enumerate(rows.written.names) if name in light}
        return sorted(found)

    def _weights(self, pairs: list[Integers]) -> None:
        """Weights of the soft rows: masses of their coordinates."""
        diagonal = np.zeros(self.n)
        on = self.entries.row == self.entries.column
        diagonal[self.entries.row[on]] = np.abs(self.base[on])
        whole = float(np.max(diagonal, initial=0.0)) or 1.0
        masses = [float(np.max(diagonal[own], initial=0.0)) for own in pairs]
        self.weights = SOFT * np.array([mass if mass > LIGHT * whole else whole for mass in masses])

    def write(self, packed: Any) -> None:
        """Write everything into the arrays."""
        header, ints, floats = packed.header, packed.put_ints, packed.put_floats
        floats(N.MASS_BASE, self.base)
        header[N.N_SOFT] = len(self.soft)
        ints(N.SOFT_ROWS, self.soft)
        starts = np.searchsorted(self.G.row, np.arange(len(self.natural.constraints.written.names) + 1))
        counts = np.diff(starts)[np.array(self.soft, dtype=np.int64)] ** 2
        ints(N.SOFT_STARTS, np.concatenate([[0], np.cumsum(counts)]).astype(np.int64))
        ints(N.SOFT_SLOTS, self.soft_slots)
        floats(N.SOFT_WEIGHTS, self.weights)
        header[N.N_VARYING] = self.varying.size
        for slot, values in ((N.VARYING_SLOTS, self.slots), (N.VARYING_LEFT, self.left), (N.VARYING_RIGHT, self.right)):
            ints(slot, values[self.varying])
        floats(N.VARYING_VALUES, self.values[self.varying])
        mass = self.natural.mass_extended.tocsr()
        ints(N.MASS_STARTS, mass.indptr)
        ints(N.MASS_COLUMNS, mass.indices)
        floats(N.MASS_VALUES, mass.data)
        header[N.N_TURNED] = self.turned_rows.size
        ints(N.TURNED_ROWS, self.turned_rows)
        ints(N.TURNED_COLUMNS, self.turned_columns)
        ints(N.TURNED_SOURCES, self.turned_sources)
        floats(N.TURNED_FACTORS, self.turned_factors)
        packed.take(self.turned_rows.size, N.TURNED)
        self._write_directions(packed)

    def _write_directions(self, packed: Any) -> None:
        """The two directions of every body of the kind "cross", one after the other."""
        n_cross = self.natural.extension.scales.size
        packed.header[N.N_CROSS] = n_cross
        lists: list[list[tuple[int, int, float]]] = [[] for _ in range(2 * n_cross)]
        for own, factor in enumerate(self.factors):
            for e in range(factor.owners.size):
                entry = int(factor.components[e]), int(factor.columns[e]), float(factor.values[e])
                lists[2 * int(factor.owners[e]) + own].append(entry)
        flat = [entry for entries in lists for entry in entries]
        packed.put_ints(N.CROSS_STARTS, np.concatenate([[0], np.cumsum([len(one) for one in lists])]).astype(np.int64))
        packed.put_ints(N.CROSS_COMPONENTS, [entry[0] for entry in flat])
        packed.put_ints(N.CROSS_COLUMNS, [entry[1] for entry in flat])
        packed.put_floats(N.CROSS_VALUES, [entry[2] for entry in flat])
        packed.put_floats(N.CROSS_SCALES, self.natural.extension.scales)
        packed.take(6 * n_cross, N.CROSS_AT, N.CROSS_RATE)


def _is_solid(body: NaturalBody, length: float) -> bool:
    """Whether the mass matrix of a body is safely positive whatever its directions do; `length` of the mechanism."""
    sizes = np.ones(body.frame.weights.shape[0])
    sizes[: len(body.points)] = length
    every = np.repeat(sizes, body.dimension)
    matrix = slot_mass_matrix(body) * np.outer(every, every)
    diagonal = np.diag(matrix)
    if np.min(diagonal) <= LIGHT * np.max(diagonal):
        return False
    root = np.sqrt(diagonal)
    return bool(np.min(np.linalg.eigvalsh(matrix / np.outer(root, root))) > SAFE)
