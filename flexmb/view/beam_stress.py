"""Stress on the skin of a beam, per unit of its elastic coordinates.

    sigma_xx = E (u' - Y beta' - Z gamma'),    tau_xy = -G phi' Z,   tau_zx = G phi' Y
with the stretch u, the curvatures beta', gamma' of the two planes and the twist rate phi' (first order in the elastic
coordinates). The shear of twist is that of round sections, where it is exact; in other sections it is left out, and so
is the shear of transverse forces, which vanishes on the outermost fibres.
"""

from __future__ import annotations

import numpy as np

from flexmb.arrays import Floats
from flexmb.reduction.beam_basis import BeamBasis
from flexmb.reduction.beam_data import span_ends

_ROUND = 1e-6
"""Difference of the torsion constant from the polar moment, as a part of it, up to which a section is round."""


def beam_stress(basis: BeamBasis, x: Floats, offset: Floats) -> Floats | None:
    """(s, n, 6) stress xx, yy, zz, xy, yz, zx [Pa/m] at the points x : (s,), offset : (s, 3) of the sections [m].

    At a step of section or material the curvature is that of the span that begins, as in the shapes.
    """
    n = len(basis.shapes)
    if not n:
        return None
    span = np.searchsorted(span_ends(basis.spans, basis.length)[:-1], x, side="right")
    E = np.array([basis.spans[k].material.E for k in range(len(basis.spans))])[span]
    G = np.array(
        [basis.spans[k].material.G if _is_round(basis.spans[k].section) else 0.0 for k in range(len(basis.spans))]
    )
    G = G[span]
    stress = np.zeros((len(x), n, 6))
    at, where = np.unique(x, return_inverse=True)
    for k, shape in enumerate(basis.shapes):
        values = shape.values(at)[where]
        if shape.component == "y":
            stress[:, k, 0] = -E * offset[:, 1] * values[:, 3]
        elif shape.component == "z":
            stress[:, k, 0] = -E * offset[:, 2] * values[:, 3]
        elif shape.component == "u":
            stress[:, k, 0] = E * values[:, 1]
        else:
            stress[:, k, 3] = -G * values[:, 1] * offset[:, 2]
            stress[:, k, 5] = G * values[:, 1] * offset[:, 1]
    return stress


def _is_round(section: object) -> bool:
    J, Iy, Iz = (getattr(section, name) for name in ("J", "Iy", "Iz"))
    return J is not None and abs(J - Iy - Iz) <= _ROUND * J
