"""A load shape: the generalised force of a load of value 1 on the mesh of a body, as a polynomial of its coordinates q.

    force                           F = F0 + F1_k q_k
    moment about the body origin    M = M0 + M1_k q_k + 1/2 M2_kl q_k q_l
    on mode k                       Q_k = Q0_k + Q1_kl q_l

in body axes, with which the load turns. Nodal forces f act at the deformed places X + u, u = Phi q + 1/2 G q q, and a
pressure follows the surface, f = f0 + f1_k q_k, so that

    F1_k = sum f1_k           M1_k = sum Phi_k x f0 + X x f1_k
    Q0_k = sum Phi_k . f0     Q1_kl = sum Phi_k . f1_l + G_kl . f0
                              M2_kl = sum G_kl x f0 + Phi_k x f1_l + Phi_l x f1_k

which is the force to first and the moment to second order of the deflection. Q1 is the stiffness that the load adds
(theory 4); a linear field has neither Q1 nor M2. A temperature has no resultants at all.
Numbers are SI, per unit of the value (Pa, K, K/m or N); elastic coordinates are in m.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from flexmb.arrays import Floats


@dataclass(frozen=True)
class LoadShape:
    """A load of value 1 on a body with n elastic coordinates; s surface nodes."""

    name: str
    what: str
    """One of "pressure", "temperature", "temperature gradient", "force" """
    unit: str
    """Unit of its value"""
    text: str
    """As it was requested"""
    F0: Floats
    """(3,) force on the undeformed body"""
    F1: Floats
    """(n, 3)"""
    M0: Floats
    """(3,) its moment about the body origin"""
    M1: Floats
    """(n, 3)"""
    Q0: Floats
    """(n,) forces on the modes"""
    Q1: Floats | None = None
    """(n, n) their derivatives, row k is the force on mode k; None: linear field"""
    M2: Floats | None = None
    """(n, n, 3)"""
    stress: Floats | None = None
    """(s, 6) stress xx, yy, zz, xy, yz, zx of the surface of a body that cannot move [Pa]: less than zero where it is
    hot; None: none"""


def stress_shapes(stress: Floats, acting: Sequence[LoadShape]) -> Floats:
    """(s, n + m, 6) stress of the surface per unit of n coordinates and of m loads with a stress of their own.

    stress : (s, n, 6) per unit coordinate; acting : the m loads, by whose values the last ones are to be multiplied
    """
    added = [np.asarray(shape.stress, dtype=stress.dtype)[:, None] for shape in acting]
    return np.concatenate([stress, *added], axis=1) if added else stress
