"""Overconstrained linkages of any size in natural coordinates: of micrometres, metres, hundreds of kilometres.

A linkage of size s whose time runs with sqrt(s) has the same angles under the same gravity, and the same forces.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from flexmb.analyses.preparation import prepare
from flexmb.natural.natural_model import NaturalModel
from flexmb.solvers.settings import solver_settings
from flexmb.verification.overconstrained import (
    ALPHA,
    START,
    A,
    bennett_frames,
    bennett_tables,
    bricard_tables,
    ring,
    screw,
)
from tests.support.mechanisms import spec_of
from tests.support.natural_models import NATURAL, NaturalRun
from tests.support.runs import Run


def goldberg_tables() -> dict[str, Any]:
    """Two Bennett linkages with a link in common, which is left out, and two of their links made one: five joints."""
    length, phi = 0.6, 1.4
    twist = float(np.arcsin(length / A * np.sin(ALPHA)))
    first = [np.eye(4), *bennett_frames(START)]
    angle = 2.0 * np.arctan(np.sin(0.5 * (twist + ALPHA)) / np.sin(0.5 * (twist - ALPHA)) / np.tan(0.5 * phi))
    far = first[3] @ screw(angle, length, twist)
    frames = [first[0], first[1], far @ screw(-phi, A, ALPHA), far, first[3]]
    return ring(np.array([frame[:3, 3] for frame in frames]), np.array([frame[:3, 2] for frame in frames]), 1.0)


def spherical_tables() -> dict[str, Any]:
    """A four-bar linkage on a sphere: all axes through the origin."""
    axes = np.array([[0.0, 0.0, 1.0], [0.3, 0.1, 0.95], [0.8, 0.5, 0.6], [0.9, -0.1, 0.4]])
    axes /= np.linalg.norm(axes, axis=1)[:, None]
    return ring(axes * [[1.0], [0.9], [1.1], [1.0]], axes, 1.0)


def scaled(tables: dict[str, Any], size: float) -> dict[str, Any]:
    """The linkage `size` times as large, with the same masses."""
    for link in tables["bodies"].values():
        link["at"] = (size * np.array(link["at"])).tolist()
        link["inertia"] = (size**2 * np.array(link["inertia"])).tolist()
    for joint in tables["joints"].values():
        joint["at"] = (size * np.array(joint["at"])).tolist()
    tables["joints"]["j1"]["velocity"] /= np.sqrt(size)
    return tables | {"output": {"every": 0.1 * float(np.sqrt(size))}}


LINKAGES: dict[str, Callable[[], dict[str, Any]]] = {
    "bennett": bennett_tables,
    "goldberg": goldberg_tables,
    "spherical": spherical_tables,
    "bricard": bricard_tables,
}


@pytest.mark.parametrize("name", LINKAGES)
def test_overconstrained_linkages_of_any_size(name: str) -> None:
    """Against joint coordinates. Order 4 at 1 ms: 7e-12 rad, that of Bricard's linkage, which folds fast, 3e-10."""
    want = Run(scaled(LINKAGES[name](), 1.0), method="rk45", tolerance=1e-11, end=0.5)
    angles: dict[str, np.ndarray] = {}
    for size in (1e-6, 1.0, 1e5):
        unit = float(np.sqrt(size))
        for analysis, angle, force in (({"method": "rk4"}, 1e-9, 1e-9), ({}, 1e-4, 1e-4)):  # order 2: 3e-5, 1e-5
            found = NaturalRun(scaled(LINKAGES[name](), size), step=1e-3 * unit, end=0.5 * unit, **analysis)
            assert found.system.n_redundant == want.system.n_redundant > 0
            assert found.summary.rejected == 0 and found.summary.balance_gap < 1e-11
            # closer than its error: Newton stops at 1e-8 of the accelerations
            same = angles.setdefault(found.summary.method, found["joints/j1/position"])
            np.testing.assert_allclose(found["joints/j1/position"], same, rtol=0, atol=1e-7)
            for k in range(1, len(found.system.mechanism.joints) + 1):
                x, y = found[f"joints/j{k}/position"], want[f"joints/j{k}/position"]
                np.testing.assert_allclose(x, y, rtol=0, atol=angle)
                x, y = found[f"joints/j{k}/force"], want[f"joints/j{k}/force"]
                np.testing.assert_allclose(x, y, rtol=0, atol=force * np.abs(y).max())


@pytest.mark.parametrize("size", [1e-6, 1.0, 1e5])
def test_which_mass_matrices_are_safe_does_not_depend_on_the_size(size: float) -> None:
    """Solid links need no rows beside their masses; those smaller than a metre got them."""
    spec = spec_of(scaled(bennett_tables(), size) | {"coordinates": NATURAL, "analysis": {"end": 1.0, "step": 1e-3}})
    system = prepare(SimpleNamespace(spec=spec)).system
    assert NaturalModel(spec, system, solver_settings(spec.analysis, None)).natural.packed.mass.soft == []
