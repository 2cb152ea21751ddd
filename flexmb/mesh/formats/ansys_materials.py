"""Materials of Ansys archive files: EX, EY, ..., PRXY or NUXY, GXY, DENS.

NUxy are minor ratios, of strain y under stress y: PRxy = NUxy EX/EY. A material with EX alone is isotropic.
"""

from __future__ import annotations

import numpy as np

from flexmb.mesh.deck import Anisotropic, DeckMaterial, Isotropic


def deck_materials(values: dict[int, dict[str, float]]) -> tuple[dict[str, DeckMaterial], list[str]]:
    """Materials mat_1, mat_2, ..., and why others cannot be used; those without EX are not elastic and left out."""
    materials: dict[str, DeckMaterial] = {}
    unusable = []
    for number, own in values.items():
        if "EX" not in own:
            continue
        try:
            materials[f"mat_{number}"] = _material(own)
        except (ValueError, ZeroDivisionError, np.linalg.LinAlgError):
            unusable.append(f"material {number}: its constants are incomplete or impossible")
    return materials, unusable


def _material(own: dict[str, float]) -> DeckMaterial:
    E, density = own["EX"], own.get("DENS", 0.0)
    if own.get("EY", E) == E and own.get("EZ", E) == E:
        nu = own.get("PRXY", own.get("NUXY", 0.0))
        if not -1.0 < nu <= 0.5 or not E > 0.0:
            raise ValueError
        G = E / (2.0 * (1.0 + nu))
        if all(abs(own.get(key, G) - G) <= 1e-3 * G for key in ("GXY", "GYZ", "GXZ")):
            return Isotropic(E, nu, G, density)
    Es = [E, own["EY"] if "EY" in own else E, own["EZ"] if "EZ" in own else E]
    S = np.zeros((6, 6))
    S[[0, 1, 2], [0, 1, 2]] = 1.0 / np.array(Es)
    for word, i, j in (("XY", 0, 1), ("YZ", 1, 2), ("XZ", 0, 2)):
        ratio = own.get(f"PR{word}", own.get(f"NU{word}", 0.0) * Es[i] / Es[j])
        S[i, j] = S[j, i] = -ratio / Es[i]
    for k, word in ((3, "GXY"), (4, "GYZ"), (5, "GXZ")):
        if word not in own:
            raise ValueError
        S[k, k] = 1.0 / own[word]
    C = np.linalg.inv(S)
    if not np.isfinite(C).all() or np.linalg.eigvalsh(C)[0] <= 0.0:
        raise ValueError
    return Anisotropic(tuple(tuple(row) for row in C.tolist()), density)
