"""Models for linearised equations, and short ways to their modes."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from flexmb.analyses.preparation import Preparation, prepare
from flexmb.solvers.linearise import Linearisation, linearise
from flexmb.solvers.modal_analysis import Mode, modes
from tests.support.mechanisms import spec_of

G = 9.81
TIGHT = 1e-9  # central differences of two steps: truncation h^4 = 1e-16, rounding 1e-16/h = 1e-12, a margin for both


def close(got: Any, want: Any, *, rtol: float = TIGHT, atol: float = 0.0) -> None:
    np.testing.assert_allclose(got, want, rtol=rtol, atol=atol)


def ready(data: dict[str, Any]) -> Preparation:
    return prepare(SimpleNamespace(spec=spec_of(data)))


def linear(data: dict[str, Any]) -> Linearisation:
    found = ready(data)
    return linearise(found.system, found.work)


def modes_of(data: dict[str, Any]) -> list[Mode]:
    found = ready(data)
    return modes(found.system, linearise(found.system, found.work))


def rates_of(found: list[Mode]) -> list[float]:
    """Circular frequencies of the modes that oscillate [rad/s]."""
    return sorted(2.0 * np.pi * mode.frequency for mode in found if mode.frequency > 0.0)


def parallelogram(coordinates: str, **extra: Any) -> dict[str, Any]:
    """A coupler hung on two equal cranks: a loop that swings like one pendulum."""
    crank = {"mass": 1.2, "inertia": [0.03, 0.03, 0.001], "center": [0, 0, -0.3]}
    pin = {"type": "revolute", "axis": "y"}
    return {
        "model": {"name": "parallelogram", "gravity": [0, 0, -G]},
        "bodies": {
            "left": crank,
            "right": {**crank, "at": [1, 0, 0]},
            "coupler": {"mass": 2.5, "inertia": [0.01, 0.2, 0.2], "at": [0.5, 0, -0.6]},
        },
        "joints": {
            "a": {**pin, "bodies": ["ground", "left"], "at": [0, 0, 0]},
            "b": {**pin, "bodies": ["left", "coupler"], "at": [0, 0, -0.6]},
            "c": {**pin, "bodies": ["coupler", "right"], "at": [1, 0, -0.6]},
            "d": {**pin, "bodies": ["ground", "right"], "at": [1, 0, 0]},
        },
        "coordinates": {"default": coordinates},
        **extra,
    }
