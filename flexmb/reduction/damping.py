"""Damping matrix of a beam basis, from modal ratios, from mass and stiffness, or the defaults of Adams.

With the modes of the basis in its own frame, K V = M V omega^2 and V^T M V = 1, ratios z_j give
D = M V diag(2 z_j omega_j) V^T M, so that mode j alone decays with ratio z_j. Rayleigh: D = a M + b K.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from flexmb.arrays import Floats
from flexmb.elements.number_checks import is_number, not_negative
from flexmb.errors import Fault

Damping = Mapping[str, Any] | str | None

_KEYS = ("ratio", "ratios", "mass", "stiffness")
RESPONSE_RATIO = 0.01
"""Damping ratio of a frequency response without a given one: metal parts with joints have about 1 %."""
_ALLOWED = 'Allowed: {"ratio": z}, {"ratios": [z1, z2, ...]}, {"mass": a, "stiffness": b}, "adams" or None.'


def basis_modes(stiffness: Floats, mass: Floats) -> tuple[Floats, Floats]:
    """(n,) angular frequencies [rad/s], rising, and (n, n) modes as columns with unit modal mass."""
    from scipy.linalg import eigh  # only here: a quarter of a second at every start

    if stiffness.shape[0] == 0:
        return np.zeros(0), np.zeros((0, 0))
    squares, modes = eigh(stiffness, mass)
    return np.sqrt(np.maximum(squares, 0.0)), modes


def adams_ratios(omega: Floats) -> Floats:
    """Ratio of each mode by its frequency: 1 % below 100 Hz, 10 % up to 1000 Hz, critical above."""
    hertz = omega / (2.0 * np.pi)
    return np.where(hertz < 100.0, 0.01, np.where(hertz <= 1000.0, 0.1, 1.0))


def damping_faults(damping: Damping, n_shapes: int | None) -> list[Fault]:
    """Faults of a damping request for this many shapes (None: not known yet)."""
    if damping is None or damping == "adams":
        return []
    if not isinstance(damping, Mapping) or not damping:
        return [Fault(f"damping = {damping!r} is not valid", ("damping",), _ALLOWED)]
    faults = [Fault(f"{key!r} is not a key of damping", ("damping",), _ALLOWED) for key in damping if key not in _KEYS]
    kinds = [key for key in ("ratio", "ratios") if key in damping]
    kinds += ["mass, stiffness"] if "mass" in damping or "stiffness" in damping else []
    if len(kinds) > 1:
        faults.append(Fault(f"damping is given twice: by {' and by '.join(kinds)}", ("damping",), _ALLOWED))
    for key in ("ratio", "mass", "stiffness"):
        if key in damping:
            faults += _inside(not_negative(key, damping[key]))
    if "ratios" in damping:
        faults += _ratios_faults(damping["ratios"], n_shapes)
    return faults


def _ratios_faults(ratios: object, n_shapes: int | None) -> list[Fault]:
    if not isinstance(ratios, (Sequence, np.ndarray)) or isinstance(ratios, str):
        return [Fault(f"ratios must be a list, found {ratios!r}", ("damping", "ratios"))]
    faults = []
    if n_shapes is not None and len(ratios) != n_shapes:
        text = f"ratios has {len(ratios)} entries, but there are {n_shapes} shapes"
        faults.append(Fault(text, ("damping", "ratios"), "Give one per mode, from the lowest frequency up."))
    for number, ratio in enumerate(ratios):
        if not is_number(ratio) or ratio < 0.0:
            text = f"ratio {number + 1} must be a number of zero or more, found {ratio!r}"
            faults.append(Fault(text, ("damping", "ratios", number)))
    return faults


def _inside(faults: list[Fault]) -> list[Fault]:
    return [Fault(fault.text, ("damping", *fault.path), fault.hint) for fault in faults]


def damping_matrix(damping: Damping, stiffness: Floats, mass: Floats) -> Floats:
    """(n, n) [N s/m], twist [N m s]; the request has no faults."""
    if damping is None:
        return np.zeros_like(stiffness)
    if isinstance(damping, Mapping) and ("mass" in damping or "stiffness" in damping):
        return damping.get("mass", 0.0) * mass + damping.get("stiffness", 0.0) * stiffness
    omega, modes = basis_modes(stiffness, mass)
    if isinstance(damping, Mapping):
        ratios = np.asarray(damping.get("ratios", damping.get("ratio")), dtype=float)
    else:
        ratios = adams_ratios(omega)
    momentum = mass @ modes
    return (momentum * (2.0 * ratios * omega)) @ momentum.T


def harmonic(damping: Damping, omega: Floats) -> tuple[Any, Any]:
    """(f,) complex factors p and shifts s of a damped harmonic response at omega [rad/s]: x = p (K - s M)^-1 f.

    Ratios are structural, K (1 + 2 i z), with the smallest one that is given; without one, 1 %.
    """
    given = damping if isinstance(damping, Mapping) else {}
    mass, stiffness = given.get("mass", 0.0), given.get("stiffness", 0.0)
    if mass or stiffness:
        factors = 1.0 / (1.0 + 1j * omega * stiffness)
        return factors, (omega**2 - 1j * omega * mass) * factors
    factors = np.full(len(omega), 1.0 / (1.0 + 2j * response_ratio(damping)))
    return factors, omega**2 * factors


def response_ratio(damping: Damping) -> float:
    """Damping ratio that frequency responses are compared with, but for damping by mass and stiffness."""
    given = damping if isinstance(damping, Mapping) else {}
    ratios = [ratio for ratio in np.atleast_1d(given.get("ratios", given.get("ratio", 0.0))) if ratio > 0.0]
    return float(min(ratios, default=RESPONSE_RATIO))


def damping_text(damping: Damping) -> str:
    """Text of a damping request for the report."""
    if damping is None:
        return "none"
    if isinstance(damping, Mapping) and ("mass" in damping or "stiffness" in damping):
        return f"{damping.get('mass', 0.0):g} 1/s times mass + {damping.get('stiffness', 0.0):g} s times stiffness"
    of = "the modes of the free body; with supports in a mechanism its low modes have less"
    if isinstance(damping, Mapping):
        given = f"ratio {damping['ratio']:g}" if "ratio" in damping else "one ratio each"
        return f"{given} of {of}"
    return f"1 % below 100 Hz, 10 % to 1000 Hz, critical above, of {of}"
