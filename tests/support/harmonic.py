"""Harmonic responses of a small model by dense complex algebra, which share no code with the reduction."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from flexmb.reduction.free_body import FreeBody


def dense_transfer(body: FreeBody, hertz: np.ndarray, damping: Any = None) -> np.ndarray:
    """(f, k, k) motions of the interfaces per unit wrench on them, without the rigid motions.

    The loads are taken without their rigid part M R R^T E^T w, whose response is rigid: subtracted from the whole one,
    this 1e4 times larger motion would leave only the digits of its round-off.
    """
    rigid = [interface for interface in body.interfaces if interface.tie == "rbe2"]
    tied = np.concatenate([interface.rows for interface in rigid] or [np.zeros(0, dtype=int)])
    free = np.setdiff1d(np.arange(body.n), tied)
    T = np.zeros((body.n, len(free) + 6 * len(rigid)))
    T[free, np.arange(len(free))] = 1.0
    for number, interface in enumerate(rigid):
        T[np.ix_(interface.rows, len(free) + 6 * number + np.arange(6))] = interface.A
    E = np.zeros((6 * len(body.interfaces), body.n))
    for number, interface in enumerate(body.interfaces):
        E[6 * number : 6 * number + 6, interface.rows] = interface.E
    K, M, E_T, R = T.T @ (body.model.K @ T), T.T @ body.model.mass_times(T), E @ T, E @ body.R
    given: Mapping[str, float] = damping or {}
    MR = M @ np.linalg.lstsq(T, body.R, rcond=None)[0]
    elastic = E_T.T - MR @ R.T
    out = []
    for omega in 2.0 * np.pi * hertz:
        if omega == 0.0:  # statics with inertia relief: K u = P f, R^T M u = 0
            bordered = np.block([[K, MR], [MR.T, np.zeros((6, 6))]])
            loads = np.concatenate([elastic, np.zeros((6, len(E)))])
            factor = 1.0 if "mass" in given else 1.0 + 2j * given.get("ratio", 0.01)
            out.append(E_T @ np.linalg.solve(bordered, loads)[: len(K)] / factor)
            continue
        Z = K * (1.0 + 1j * omega * given.get("stiffness", 0.0)) + (1j * omega * given.get("mass", 0.0)) * M
        if "mass" not in given:
            Z = K * (1.0 + 2j * given.get("ratio", 0.01))
        out.append(E_T @ np.linalg.solve(Z - omega**2 * M, elastic.astype(complex)))
    return np.array(out)
