"""Self-test of a model as a free elastic body: checks that any correct pair of stiffness and mass passes.

With R the six rigid motions of the nodes: K and M are symmetric; K R = 0, relative to the terms that cancel;
R^T M R is the mass matrix of a rigid body, m 1 for translations and m [c x] between translations and rotations, with
an inertia that a body can have; no diagonal is negative, no unknown is without stiffness, no displacement without mass.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from flexmb.arrays import Floats
from flexmb.elements.fe_model import FEModel

_SYMMETRIC = 1e-10
_CANCELS = 1e-6
"""Programs write coordinates with 8 or 9 digits: rigid rotations of such nodes cancel to about 1e-8."""
_DENSEST, _LIGHTEST = 25e3, 1e-2
"""Plausible mass per volume of the box around the nodes [kg/m^3]; outside, the unit is probably wrong"""
_MOTIONS = ("along x", "along y", "along z", "about x", "about y", "about z")


@dataclass(frozen=True)
class Finding:
    """The outcome of one test."""

    name: str
    value: float
    """Measured value"""
    limit: float
    """Limit"""
    level: str
    """"good", "care" or "bad" """
    text: str
    hint: str = ""


def self_test(model: FEModel) -> list[Finding]:
    """All findings, good ones too, in the order of the tests."""
    centre = model.points.mean(axis=0)
    R = model.rigid_motions()
    n = len(model.points)
    R[: 3 * n, 3:] -= np.tile(np.cross(np.eye(3), centre).T, (n, 1))  # about the centre: less cancels
    findings = [_symmetry(model.K, "stiffness"), _symmetry(model.M, "mass")]
    findings += _diagonals(model)
    findings.append(_rigid_stiffness(model.K, R))
    rigid_mass = R.T @ model.mass_times(R)
    findings += _rigid_mass(rigid_mass)
    return [*findings, *_plausible(model.points, float(np.trace(rigid_mass[:3, :3])) / 3.0)]


def _finding(name: str, value: float, limit: float, text: Callable[[], str], hint: str = "") -> Finding:
    """Good when the value is within its limit; NaN never is."""
    if value <= limit:
        return Finding(name, value, limit, "good", f"{name}: {value:.1e} (limit {limit:.0e})")
    return Finding(name, value, limit, "bad", text(), hint)


def _symmetry(matrix: Any, name: str) -> Finding:
    largest = float(abs(matrix).max())
    value = float(abs(matrix - matrix.T).max()) / largest if largest > 0.0 else np.inf
    return _finding(
        f"symmetry of {name}",
        value,
        _SYMMETRIC,
        lambda: f"{name} is not symmetric: mirrored entries differ by {value:.1e} of the largest one",
    )


def _diagonals(model: FEModel) -> list[Finding]:
    n_moves = 3 * len(model.points)
    K, M = model.K.diagonal(), model.M.diagonal()
    if len(M) != len(K):
        M = np.repeat(M, 3)
    loose = int(np.count_nonzero(K == 0.0))
    unstable = int(np.count_nonzero(K < 0.0))
    negative = int(np.count_nonzero(M < 0.0))
    massless = int(np.count_nonzero(M[:n_moves] == 0.0))
    findings = [
        _finding(
            "unknowns without stiffness",
            loose,
            0,
            lambda: f"{loose} unknowns have no stiffness: they are not connected to the body",
            "Remove nodes or rotations that no element uses.",
        ),
        _finding(
            "negative stiffnesses",
            unstable,
            0,
            lambda: f"{unstable} unknowns have a negative stiffness on the diagonal",
            "Check the sign of the matrix, and that it is the stiffness.",
        ),
        _finding(
            "negative masses",
            negative,
            0,
            lambda: f"{negative} unknowns have a negative mass on the diagonal",
            "Write the consistent mass: row sums of quadratic elements are not positive.",
        ),
    ]
    if massless:
        text = f"{massless} displacements have no mass"
        findings.append(Finding("displacements without mass", massless, 0, "care", text))
    return findings


def _rigid_stiffness(K: Any, R: Floats) -> Finding:
    left, terms = np.abs(K @ R), abs(K) @ np.abs(R)
    values = left.max(axis=0) / np.maximum(terms.max(axis=0), np.finfo(float).tiny)
    value = float(values.max())
    held = [name for name, part in zip(_MOTIONS, values, strict=True) if not part <= _CANCELS]
    hint = "Check for boundary conditions, springs to ground and missing elements, and that the nodes, their order and "
    hint += "the list of dofs are those of the matrices (without a list: all unknowns of a node, then of the next)."
    return _finding(
        "stiffness against rigid motions",
        value,
        _CANCELS,
        lambda: f"rigid motions {', '.join(held)} meet stiffness: {value:.1e} of the terms that should cancel",
        hint,
    )


def _rigid_mass(rigid: Floats) -> list[Finding]:
    """Findings from R^T M R about the mean of the nodes."""
    masses = np.diag(rigid)[:3]
    mass = float(masses.mean())
    positive = bool((masses > 0.0).all())
    shown = ", ".join(f"{value:.6g}" for value in masses)
    spread = float(np.abs(rigid[:3, :3] - mass * np.eye(3)).max()) / mass if positive else np.inf
    same = _finding(
        "mass in three directions",
        spread,
        _CANCELS,
        lambda: f"mass is not the same in the three directions: {shown} kg",
        "Check for mass that is missing at held unknowns, and the order of the dofs.",
    )
    if same.level == "bad":  # without one mass, its centre is meaningless
        return [same]
    moment = rigid[:3, 3:]
    length = np.sqrt(max(float(np.trace(rigid[3:, 3:])) / mass, 0.0))
    skew = (moment - moment.T) / 2.0
    wrong = float(np.abs(moment - skew).max()) / (mass * length) if length > 0.0 else np.inf
    centre = _finding(
        "centre of mass",
        wrong,
        _CANCELS,
        lambda: f"rigid rotations are inconsistent with one centre of mass: {wrong:.1e} of mass times size remains",
        "Check that nodes, their order and the list of dofs are those of the matrices.",
    )
    inertia = np.linalg.eigvalsh((rigid[3:, 3:] + rigid[3:, 3:].T) / 2.0)
    lack = float(inertia[2] - inertia[0] - inertia[1]) / max(float(inertia[2]), np.finfo(float).tiny)
    body = _finding(
        "inertia",
        lack,
        _CANCELS,
        lambda: f"no body has the principal inertias {', '.join(f'{value:.4g}' for value in inertia)} kg m^2",
        "Check for rotary inertia that is missing or counted twice.",
    )
    return [same, centre, body]


def _plausible(points: Floats, mass: float) -> list[Finding]:
    extents = np.ptp(points, axis=0)
    if mass <= 0.0 or extents.min() < 1e-6 * extents.max() or extents.max() <= 0.0:
        return []
    density = mass / float(np.prod(extents))
    if _LIGHTEST <= density <= _DENSEST:
        return []
    size = " x ".join(f"{extent:.3g}" for extent in extents)
    text = f"{mass:.4g} kg in a box of {size} m is {density:.2g} kg/m^3"
    hint = "For matrices in N, mm and t give unit = 'mm'."
    return [Finding("density in its box", density, _DENSEST, "care", text, hint)]
