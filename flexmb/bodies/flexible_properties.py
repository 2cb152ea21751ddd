"""Properties of a flexible body alone in its frame: modes, damping ratios, slenderness, stiffening by axial forces."""

from __future__ import annotations

import numpy as np

from flexmb.bodies.flexible_body import FlexibleBody
from flexmb.reduction.damping import basis_modes


def modal_data(body: FlexibleBody) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Angular frequencies (n,) [rad/s], modes (n, n) as columns and damping ratios (n,) of a body in its frame."""
    omega, modes = basis_modes(body.stiffness, elastic_mass(body))
    damping = np.einsum("ik,ij,jk->k", modes, body.damping, modes)
    return omega, modes, np.divide(damping, 2.0 * omega, out=np.zeros_like(omega), where=omega > 0.0)


def elastic_mass(body: FlexibleBody) -> np.ndarray:
    """(n, n) mass matrix of the elastic coordinates of the undeformed body [kg]"""
    if body.basis is not None:
        return body.basis.mass
    return np.asarray(body.field.mass_matrix(np.zeros(body.n_modes))[6:, 6:])  # type: ignore[union-attr]


def slenderness(body: FlexibleBody) -> float:
    """Length / largest radius of gyration of the sections in the planes in which a beam bends; inf for other bodies."""
    if body.basis is None:
        return np.inf
    section = body.basis.section_at(0.5 * (body.basis.breaks[1:] + body.basis.breaks[:-1]))
    planes = {shape.component for shape in body.basis.shapes}
    radii = [
        np.sqrt(EI / section.EA).max() for plane, EI in (("y", section.EIz), ("z", section.EIy)) if plane in planes
    ]
    return float(body.length / max(radii)) if radii else np.inf


def stiffness_change(body: FlexibleBody, force: float) -> float:
    """Change of the bending stiffness of a beam by an axial force [N], as a part of it, for the shape it changes most.

    The largest eigenvalue of F int phi_k' phi_l' dx against the stiffness; F / (pi^2 EI / L^2) for a pinned beam.
    """
    assert body.basis is not None
    bending = [k for k, shape in enumerate(body.basis.shapes) if shape.component in "yz"]
    if not bending or not force > 0.0:
        return 0.0
    x, weight = (array.ravel() for array in body.basis.stations())
    slopes = {plane: np.zeros((len(x), len(bending))) for plane in "yz"}
    for column, k in enumerate(bending):
        shape = body.basis.shapes[k]
        slopes[shape.component][:, column] = shape.values(x)[:, 1]
    geometric = sum((S.T * weight) @ S for S in slopes.values())
    K = body.stiffness[np.ix_(bending, bending)]
    return float(force * np.max(np.linalg.eigvals(np.linalg.solve(K, geometric)).real))
