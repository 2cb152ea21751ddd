"""Second-order forces and geometric stiffness of a solid body, from its strain energy beyond the linear order.

St. Venant-Kirchhoff material on the mesh of the linear model. Along u = q_k U_k, with H = grad U, eps = sym H,
sigma = C eps and e_kl = (H_k^T H_l + H_l^T H_k)/2, the internal force has the second derivatives

    F_kl,i = integral of P_kl grad N_i,   P_kl = C e_kl + H_k sigma_l + H_l sigma_k,

the third derivatives of the strain energy are f_klm = U_m . F_kl, symmetric in all three, and -K^-1 F_kl are static
modal derivatives (Idelsohn and Cardona 1985). The geometric stiffness of the stress sigma is the integral of
grad N_i . sigma grad N_j in every direction. Points of quadrature are those of the stiffness, so that K, F_kl and K_g
belong to one discrete energy.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from flexmb.arrays import Floats, Integers
from flexmb.elements.fe_model import FEModel
from flexmb.elements.solid.assemble import block_matrix, node_pattern
from flexmb.elements.solid.kernels import nonlinear
from flexmb.elements.solid.parallel import Progress, counter, over_chunks
from flexmb.elements.solid.solid_blocks import solid_blocks
from flexmb.errors import Fault, InputError


def second_order_forces(model: FEModel, U: Floats, pairs: Integers, *, progress: Progress | None = None) -> Floats:
    """(3 n, p) second derivatives of the internal force [N] by the amplitudes of the columns k, l of U : (3 n, m).

    `pairs` (p, 2) are the columns of each derivative. Rows of rotations (beams in the mesh) stay zero.
    """
    U = displacements(model, U)
    pairs = np.ascontiguousarray(pairs, dtype=np.int64).reshape(-1, 2)
    if len(pairs) and not (pairs.min() >= 0 and pairs.max() < U.shape[1]):
        raise InputError([Fault(f"pairs must be columns 0 to {U.shape[1] - 1} of the displacements", ("pairs",))])
    forces = np.zeros((3 * model.n_blocks, len(pairs)))
    blocks = solid_blocks(model)
    report = counter(progress, "second-order forces", sum(len(block.chunks.nodes) for block in blocks))
    for block in blocks:
        arguments = (*block.stiffness_arguments, U, pairs, forces)
        over_chunks(nonlinear.second_order_chunks, block.chunks, *arguments, after=report)
    return forces


def geometric_stiffness(model: FEModel, u: Floats) -> Any:
    """(3 n, 3 n) BSR [N/m]: geometric stiffness of the stress of the displacement u : (3 n,).

    K + load factor times it is singular at the linear buckling load.
    """
    u = displacements(model, np.asarray(u, dtype=np.float64).reshape(-1, 1))
    if model.mesh is None or len(model.rotations):
        raise InputError([Fault("geometric stiffness is available for models of solid cells only", ("model",))])
    indptr, indices = node_pattern(model.mesh)
    K = np.zeros((len(indices), 3, 3))
    for block in solid_blocks(model):
        over_chunks(nonlinear.geometric_chunks, block.chunks, *block.stiffness_arguments, u, indptr, indices, K)
    return block_matrix((indptr, indices), K)


def displacements(model: FEModel, U: Floats) -> Floats:
    """U for the compiled loops: (3 b, m), finite."""
    U = np.ascontiguousarray(U, dtype=np.float64)
    if U.ndim != 2 or len(U) != 3 * model.n_blocks:
        text = f"displacements must have {3 * model.n_blocks} rows, found an array {U.shape}"
        raise InputError([Fault(text, ("U",))])
    if not np.isfinite(U).all():
        raise InputError([Fault("displacements must be finite numbers", ("U",))])
    return U
