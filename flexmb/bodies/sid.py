"""Standard input data of a flexible body: the names and arrays by which programs exchange modal bodies.

The names are those of Wallrapp and of Schwertassek and Wallrapp: every matrix is a Taylor polynomial of first order in
the elastic coordinates, M(q) = M0 + sum_l M1[..., l] q_l. With S, P, B, C of `invariants.py`:

    mdCM   (3,)      S, mass times position of the centre of mass
    J      (3, 3)    tr(P) 1 - P, moment of inertia about the body origin
    Ct     (n, 3)    int psi_k                               coupling of translation and modes
    Cr     (n, 3)    int rho x psi_k                         coupling of rotation and modes
    Me     (n, n)    int psi_k . psi_l                       modal mass
    Gr     (3, 3n)   block l: 2 (tr(B_l) 1 - B_l^T)          h_r contains Gr_l w q'_l
    Ge     (n, 3n)   block l, row k: 2 int psi_l x psi_k     h_f contains Ge_l w q'_l
    Oe     (n, 6)    h_f contains Oe (w1^2, w2^2, w3^2, w1 w2, w2 w3, w1 w3)
    Ke, De (n, n)    stiffness and damping;  ksigma (n,)     forces of the stresses in the undeformed body, zero here
    K0t (n, n, 3), K0r (n, n, 3), K0omega (n, n, 6)          geometric stiffness for unit a, alpha and products of w

The geometric stiffness is the part of Ct.M1, Cr.M1 and Oe.M1 that comes from the second-order displacements,
int G_kl = S2 and int X G_kl^T = X. The three are contained in the M1 terms; they are listed again because programs that
deliver only a linear field add them there. M1 of Me and Ge is given when the invariants hold N3.
"""

from __future__ import annotations

import numpy as np

from flexmb.bodies.invariants import Array, Invariants, axial


def standard_input_data(
    body: Invariants, stiffness: Array | None = None, damping: Array | None = None
) -> dict[str, dict[str, Array]]:
    """Name -> {"M0": ..., "M1": ...}; the index of q is the last one of M1. Ke and De only when they are given.

    stiffness, damping : (n, n) of the elastic coordinates, SI
    """
    # d P/d q_l, d B_k/d q_l and, when N3 is there, d C_kl/d q_m, with the index of the derivative first
    P1 = body.N1 + body.N1.transpose(0, 2, 1)
    B1 = body.N2 + body.X
    data = {
        "mdCM": {"M0": body.S0, "M1": _last(body.S1)},
        "J": {"M0": _inertia(body.P0), "M1": _last(_inertia(P1))},
        "Ct": {"M0": body.S1, "M1": _last(body.S2)},
        "Cr": {"M0": axial(body.N1), "M1": _last(axial(B1))},
        "Me": {"M0": np.trace(body.N2, axis1=2, axis2=3)},
        "Gr": {"M0": _gyroscopic(body.N1), "M1": _last(_gyroscopic(B1))},
        "Ge": {"M0": _modal_gyroscopic(body.N2)},
        "Oe": {"M0": _centrifugal(body.N1), "M1": _last(_centrifugal(B1))},
        "ksigma": {"M0": np.zeros(body.n_modes)},
        "K0t": {"M0": body.S2},
        "K0r": {"M0": axial(body.X)},
        "K0omega": {"M0": _centrifugal(body.X)},
    }
    if body.N3 is not None:
        C1 = (body.N3 + body.N3.transpose(1, 0, 2, 4, 3)).transpose(2, 0, 1, 3, 4)
        data["Me"]["M1"] = _last(np.trace(C1, axis1=3, axis2=4))
        data["Ge"]["M1"] = _last(_modal_gyroscopic(C1))
    if stiffness is not None:
        data["Ke"] = {"M0": np.asarray(stiffness, float)}
    if damping is not None:
        data["De"] = {"M0": np.asarray(damping, float)}
    return data


def _last(M1: Array) -> Array:
    return np.moveaxis(M1, 0, -1)


def _inertia(P: Array) -> Array:
    """(..., 3, 3) tr(P) 1 - P"""
    return np.trace(P, axis1=-2, axis2=-1)[..., None, None] * np.eye(3) - P


def _centrifugal(B: Array) -> Array:
    """(..., 6) of B (..., 3, 3): coefficients of w^T B w - tr(B) w.w"""
    xx, yy, zz = B[..., 0, 0], B[..., 1, 1], B[..., 2, 2]
    xy, yz, xz = B[..., 0, 1] + B[..., 1, 0], B[..., 1, 2] + B[..., 2, 1], B[..., 0, 2] + B[..., 2, 0]
    return np.stack([-(yy + zz), -(xx + zz), -(xx + yy), xy, yz, xz], axis=-1)


def _gyroscopic(B: Array) -> Array:
    """(..., 3, 3n) of B (..., n, 3, 3): the blocks 2 (tr(B_l) 1 - B_l^T) beside each other"""
    blocks = 2.0 * _inertia(B.swapaxes(-1, -2)).swapaxes(-3, -2)
    return blocks.reshape(*blocks.shape[:-2], 3 * blocks.shape[-2])


def _modal_gyroscopic(C: Array) -> Array:
    """(..., n, 3n) of C (..., n, n, 3, 3): 2 ax(C_lk) in row k of block l"""
    blocks = 2.0 * axial(C).swapaxes(-3, -2)
    return blocks.reshape(*blocks.shape[:-2], 3 * blocks.shape[-2])
