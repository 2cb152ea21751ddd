"""The mass matrix of the moving coordinates on a fixed pattern, constant or varying with the position.

Enters: the constant mass matrix M_y of the extended coordinates y, with y_dot = V v; leaves: the entries of

    M = V^T M_y V            [GJB eq. 4.78]

The products V_ia (M_y)_ij V_jb that are not zero are listed once; an evaluation multiplies three arrays and adds up.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from flexmb.arrays import Floats, Integers
from flexmb.natural.extension import Extension
from flexmb.natural.row_kernels import times_into
from flexmb.natural.saddle import summed


class MovingMass:
    """M on the moving coordinates: `rows`, `columns` of its entries (counted over the moving ones), and `entries`."""

    def __init__(self, extended: csr_array, extension: Extension, moving: Integers, x: Floats):
        self.n = int(moving.size)
        self._extension = extension
        place = np.full(x.size, -1, dtype=np.int64)
        place[moving] = np.arange(self.n)
        jacobian = csr_array(extension.jacobian(x))
        counts = np.diff(jacobian.indptr)
        mass = extended.tocoo()
        # every entry (i, j) of M_y meets all pairs of an entry a of row i and an entry b of row j of V
        pairs = counts[mass.row] * counts[mass.col]
        entry = np.repeat(np.arange(mass.nnz), pairs)
        within = np.arange(entry.size) - np.repeat(np.cumsum(pairs) - pairs, pairs)
        self._left = jacobian.indptr[mass.row[entry]] + within // counts[mass.col[entry]]
        self._right = jacobian.indptr[mass.col[entry]] + within % counts[mass.col[entry]]
        rows, columns = place[jacobian.indices[self._left]], place[jacobian.indices[self._right]]
        inside = np.flatnonzero((rows >= 0) & (columns >= 0))
        self._left, self._right, self._middle = self._left[inside], self._right[inside], mass.data[entry[inside]]
        keys, self._slot = np.unique(columns[inside] * self.n + rows[inside], return_inverse=True)
        self.rows, self.columns = keys % self.n, keys // self.n
        self._places = np.array([self.rows, self.columns])
        self._constant = self._added(np.ones(jacobian.nnz)) if extension.is_identity else None

    def entries(self, x: Floats) -> Floats:
        """Entries of M at x."""
        if self._constant is not None:
            return self._constant
        return self._added(self._extension.jacobian(x).data)

    def times(self, entries: Floats, v: Floats) -> Floats:
        """M v (n,)."""
        product = np.empty(self.n)
        times_into(self._places, entries, v, product)
        return product

    def dense(self, entries: Floats) -> Floats:
        """M (n, n) as a full array."""
        full = np.zeros((self.n, self.n))
        full[self.rows, self.columns] = entries
        return full

    def _added(self, jacobian: Floats) -> Floats:
        terms = jacobian[self._left] * self._middle * jacobian[self._right]
        return summed(self._slot, terms, self.rows.size)
