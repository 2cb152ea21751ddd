"""Eigenvalues and shares of linearised mechanisms do not depend on the coordinates."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from mechanisms import random_tree, spec_of
from test_linearise import linear, parallelogram, ready

from flexmb.results.modes_report import modes_of_model


def test_flexible_loop_in_joint_and_absolute_coordinates() -> None:
    """Eigenvalues and shares do not depend on the coordinates; gravity bends the coupler, so that G^T lam counts."""
    found = []
    for coordinates in ("joint", "absolute"):
        data = parallelogram(coordinates)
        data["bodies"]["coupler"] = {
            "beam": [[0, 0, -0.6], [1, 0, -0.6]],
            "material": {"E": 5e6, "G": 2e6, "density": 1000.0},
            "section": {"type": "rectangle", "y": 0.05, "z": 0.03},
            "shapes": {"bending": {"z": 3}, "axial": 1},
            "damping": {"ratio": 0.01},
        }
        report = modes_of_model(SimpleNamespace(spec=spec_of(data)), about="static")
        assert report.linear.notes == ()
        found.append(report.modes)
    assert len(found[0]) == 5
    for one, other in zip(*found, strict=True):
        # The equilibrium is found to 1e-9 or better, and the elastic forces change by that part.
        assert abs(one.eigenvalue - other.eigenvalue) <= 1e-7 * abs(one.eigenvalue)
        assert one.elastic == pytest.approx(other.elastic, abs=1e-5)
        for name, share in one.bodies.items():
            assert share == pytest.approx(other.bodies[name], abs=1e-5)


@pytest.mark.parametrize("seed", [1, 2])
def test_random_tree_in_joint_and_absolute_coordinates(seed: int) -> None:
    """Every kind of joint with plain coordinates, each on a spring and damper, and rotors on the bodies: a gyroscopic,
    damped system at rest whose eigenvalues do not depend on the coordinates."""
    kinds = ("revolute", "prismatic", "cylindrical", "screw", "universal", "planar", "pin-in-slot")
    rng = np.random.default_rng(seed)
    data = random_tree(rng, kinds)
    data["model"]["gravity"] = [0, 0, 0]
    data["forces"] = {
        name.replace(".", "_"): {
            "type": "joint-spring",
            "joint": name.partition(".")[0],
            "coordinate": name.partition(".")[2],
            "stiffness": float(rng.uniform(20.0, 60.0)),
            "damping": float(rng.uniform(0.1, 0.5)),
        }
        for name in ready(data).system.coordinates
    }
    found = {}
    for coordinates in ("joint", "absolute"):
        linearised = linear({**data, "coordinates": {"default": coordinates}})
        assert linearised.notes == ()
        found[coordinates] = np.linalg.eigvals(linearised.A_free)
    one, other = found["joint"], found["absolute"]
    assert len(one) == len(other) == 2 * len(data["forces"])
    # Differences of the constraints in absolute coordinates lose some digits: 1e-12 times the largest eigenvalue.
    nearest = np.min(np.abs(one[:, None] - other), axis=1)
    assert np.max(nearest) <= 1e-8 * np.max(np.abs(one))
