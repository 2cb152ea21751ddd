"""Inertia of a meshed body from its mass matrix, nodes and shapes, by matrix products: no loop over elements.

With the shape functions of the mesh the integral of two scalar fields a, b over the mass is a^T M b of their nodal
values. The fields are 1, the coordinates X, the components of the shapes phi_k and of the second-order displacements
G_kl; all invariants (theory 3.1) are entries of the matrix of their products.

Mass points. The same products belong to a few points with mass: write the fields in an orthonormal basis,
W = C C^T, one basis function per point. Rotating the basis so that the field 1 has the same value everywhere gives
equal masses; the values of the other fields are then positions, shapes and second-order displacements at these
points. Products with 1, X and phi_k are exact, those of G_kl with each other to a part of 1e-6. The points do not lie
in the body, but they have its inertia at any deflection, which is therefore never indefinite (theory 3.2).
Numbers are SI; elastic coordinates are in m (torsion: rad).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from flexmb.arrays import Floats
from flexmb.bodies.invariants import Invariants
from flexmb.bodies.point_field import PointField
from flexmb.elements.fe_model import FEModel
from flexmb.reduction.small_motions import full_pairs, lower_pairs, skew_matrices

Progress = Callable[[str, float], None] | None

_EXACT = 1e-13
"""Relative eigenvalue of the products of 1, X and phi below which a combination of them vanishes."""
_SMALL = 1e-6
"""Relative accuracy of the products of G, coordinates weighted by their softness."""


class MassProducts:
    """Products of the fields of a body over its mass; the second-order ones are added in chunks of pairs."""

    def __init__(self, points: Floats, mass: Any, Phi: Floats):
        """Points (p, 3) that carry the mass (p, p), and their shapes Phi : (p, n, 3) in the body frame"""
        count, n, _ = Phi.shape
        self.n = n
        # Coordinates are relative to the centre of the points until the end: the origin may be far away.
        self._centre = points.mean(axis=0)
        low = np.hstack([np.ones((count, 1)), points - self._centre, Phi.reshape(count, -1)])
        self._mass = mass
        self._mass_low = np.asarray(mass @ low)
        self._low_products = low.T @ self._mass_low
        self._shift = np.eye(4 + 3 * n)
        self._shift[1:4, 0] = self._centre
        self._mixed: list[Floats] = []
        self._second: list[Floats] = []

    def add(self, G: Floats, *, keep: bool) -> None:
        """Add the next pairs G (p, pairs, 3); with `keep`, store them for their products with each other."""
        flat = G.reshape(len(G), -1)
        self._mixed.append(self._mass_low.T @ flat)
        if keep:
            self._second.append(flat)

    def _second_products(self, progress: Progress) -> Floats:
        """Products of the second-order displacements with each other, chunk by chunk"""
        ends = np.cumsum([0, *(flat.shape[1] for flat in self._second)])
        products = np.empty((ends[-1], ends[-1]))
        for j, flat in enumerate(self._second):
            if progress is not None:
                progress("inertia of the second-order field", (j / len(self._second)) ** 2)
            weighted = np.asarray(self._mass @ flat)
            for i in range(j + 1):
                part = self._second[i].T @ weighted
                products[ends[i] : ends[i + 1], ends[j] : ends[j + 1]] = part
                products[ends[j] : ends[j + 1], ends[i] : ends[i + 1]] = part.T
        return products

    @property
    def mixed(self) -> Floats:
        """(4 + 3 n, pairs, 3) products of 1, X - centre, phi with G"""
        return np.hstack(self._mixed).reshape(4 + 3 * self.n, -1, 3)

    def invariants(self, order: int) -> Invariants:
        """The invariants of order 0 (linear field), 1 or 2."""
        n, W = self.n, self._shift @ self._low_products @ self._shift.T
        phi = W[4:, 4:].reshape(n, 3, n, 3).transpose(0, 2, 1, 3)
        S2, X, N3 = np.zeros((n, n, 3)), np.zeros((n, n, 3, 3)), None
        if order > 0:
            mixed = np.tensordot(self._shift, self.mixed, 1)
            S2 = full_pairs(mixed[0], n)
            X = full_pairs(mixed[1:4].transpose(1, 0, 2), n)
        if order > 1:
            N3 = full_pairs(self.mixed[4:].reshape(n, 3, -1, 3).transpose(2, 0, 1, 3), n).transpose(2, 0, 1, 3, 4)
        return Invariants(
            mass=float(W[0, 0]),
            S0=W[0, 1:4].copy(),
            P0=0.5 * (W[1:4, 1:4] + W[1:4, 1:4].T),
            S1=W[0, 4:].reshape(n, 3).copy(),
            N1=W[1:4, 4:].reshape(3, n, 3).transpose(1, 0, 2).copy(),
            N2=0.5 * (phi + phi.transpose(1, 0, 3, 2)),
            S2=S2,
            X=X,
            N3=N3,
        )

    def mass_points(self, softness: Floats, progress: Progress = None) -> PointField:
        """Mass points with these products; all pairs must have been kept.

        softness : (n,) relative size of the coordinates, the weights of the products of G
        """
        low, basis = _factor(self._low_products)
        mixed = self.mixed.reshape(len(low), -1)
        second = mixed.T @ basis
        k, l = lower_pairs(self.n).T
        sizes = np.repeat(softness[k] * softness[l], 3)
        rest = _pivoted(self._second_products(progress), second, sizes)
        values = np.vstack([np.hstack([low, np.zeros((len(low), rest.shape[1]))]), np.hstack([second, rest])])
        values = values @ _even(values[0])
        count, n = values.shape[1], self.n
        mass = float(self._low_products[0, 0]) / count
        values /= np.sqrt(mass)
        values[1:4] += self._centre[:, None]
        phi = values[4 : 4 + 3 * n].reshape(n, 3, count).transpose(2, 0, 1)
        G = full_pairs(values[4 + 3 * n :].reshape(-1, 3, count), n).transpose(3, 0, 1, 2)
        return PointField(np.full(count, mass), np.ascontiguousarray(values[1:4].T), phi.copy(), G.copy())


def _factor(products: Floats) -> tuple[Floats, Floats]:
    """C with C C^T = products, and B with products B = C; combinations of fields that vanish are left out."""
    size = np.sqrt(np.maximum(np.diag(products), 0.0))
    size = np.where(size > 0.0, size, 1.0)
    values, axes = np.linalg.eigh(products / np.outer(size, size))
    kept = values > _EXACT * values[-1]
    roots = np.sqrt(values[kept])
    return size[:, None] * axes[:, kept] * roots, axes[:, kept] / roots / size[:, None]


def _pivoted(products: Floats, known: Floats, sizes: Floats) -> Floats:
    """C with C C^T = products - known known^T to a part of _SMALL of the largest product, fields taken times sizes

    A Cholesky factorisation with pivoting, which stops at the rank.
    """
    from scipy.linalg.lapack import dpstrf  # only here: a quarter of a second at every start

    scale = sizes / np.sqrt((np.diag(products) * sizes**2).max() or 1.0)
    rest = scale[:, None] * (products - known @ known.T) * scale
    factor, order, rank, _ = dpstrf(rest, tol=_SMALL, lower=1)
    out = np.zeros((len(rest), rank))
    out[order - 1] = np.tril(factor)[:, :rank] if rank else out
    return out / scale[:, None]


def _even(row: Floats) -> Floats:
    """Orthogonal matrix Q for which row @ Q has equal entries (a reflection)."""
    target = np.full(len(row), np.linalg.norm(row) / np.sqrt(len(row)))
    normal = row - target
    length = normal @ normal
    if length <= 1e-30 * (row @ row):
        return np.eye(len(row))
    return np.eye(len(row)) - 2.0 * np.outer(normal, normal) / length


def linear_invariants(model: FEModel, Phi: Floats) -> Invariants:
    """Invariants of the linear field of a model with rotations or imported mass; Phi : (3 b, n) in the body frame.

    Mass matrix, couplings and angular momentum are those of the model, with its rotary inertia. The products that only
    centrifugal and Coriolis forces need, int X phi^T and int phi phi^T direction by direction, take the mean of a
    node's mass over the three directions.
    """
    n_nodes, n = len(model.points), Phi.shape[1]
    R = model.rigid_motions()
    MR, MPhi = model.mass_times(R), model.mass_times(Phi)
    rigid, coupling = R.T @ MR, MR.T @ Phi
    inertia = 0.5 * (rigid[3:, 3:] + rigid[3:, 3:].T)
    moved = Phi[: 3 * n_nodes].reshape(n_nodes, 3, n)
    mass = _mean_mass(model)
    weighted = np.stack([np.asarray(mass @ moved[:, i]) for i in range(3)], axis=1)
    N1 = np.einsum("pj,pik->kji", model.points, weighted)
    # the antisymmetric part of N1 is the angular momentum int X x phi, which the model gives exactly
    antisymmetric = 0.5 * skew_matrices(coupling[3:].T)
    N1 = 0.5 * (N1 + N1.transpose(0, 2, 1)) - antisymmetric
    N2 = np.einsum("pik,pjl->klij", moved, weighted, optimize=True)
    modal = Phi.T @ MPhi
    N2 = N2 + (modal - np.trace(N2, axis1=2, axis2=3))[:, :, None, None] * np.eye(3) / 3.0
    first = 0.5 * (rigid[3:, :3] - rigid[3:, :3].T)
    return Invariants(
        mass=float(np.trace(rigid[:3, :3]) / 3.0),
        S0=np.array([first[2, 1], first[0, 2], first[1, 0]]),
        P0=0.5 * np.trace(inertia) * np.eye(3) - inertia,
        S1=coupling[:3].T.copy(),
        N1=N1,
        N2=0.5 * (N2 + N2.transpose(1, 0, 3, 2)),
        S2=np.zeros((n, n, 3)),
        X=np.zeros((n, n, 3, 3)),
    )


def _mean_mass(model: FEModel) -> Any:
    """(nodes, nodes) mass, the mean of the three directions"""
    from scipy.sparse import csr_matrix

    n = len(model.points)
    if model.M.shape[0] == n:
        return model.M
    blocks = model.M.tobsr((3, 3))
    values = np.trace(blocks.data, axis1=1, axis2=2) / 3.0
    return csr_matrix((values, blocks.indices, blocks.indptr), shape=(model.n_blocks,) * 2)[:n][:, :n]
