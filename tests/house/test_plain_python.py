"""Kernels as plain Python and as machine code give the same numbers: some jobs of `tests.campaigns.plain_python`."""

from __future__ import annotations

import numpy as np
import pytest

from tests.campaigns.plain_python import AGREES, difference, differences, jobs

JOBS = (
    "spherical joint", "screw joint", "universal absolute", "cylindrical absolute",
    "generalized-alpha 0.001", "rk45 embedding 0.001",
    "A12_rolling_coin own", "B02a_flexible_crank_rod own", "B12_coriolis own", "lee_slider_crank absolute",
    "spatial_slider_crank own", "inverse dynamics", "kinematics", "natural coordinates", "functions of time", "modes",
    "mesh of tet4", "mesh of hex8",
)  # fmt: skip


def test_names_are_told_apart() -> None:
    names = [name for name, _ in jobs()]
    assert len(names) == len(set(names)) and set(JOBS) <= set(names)


@pytest.mark.long
def test_plain_python_and_machine_code_agree() -> None:
    found = differences(JOBS)
    assert found.keys() == set(JOBS)
    assert {name: error for name, error in found.items() if not error <= AGREES} == {}


@pytest.mark.parametrize("wrong", [[1.0, np.nan], [1.0], [1.0, 2.0 + 1e-6]])
def test_a_difference_is_seen(wrong: list[float]) -> None:
    assert not difference(np.array(wrong), np.array([1.0, 2.0])) <= AGREES
    assert not difference(np.array([np.nan]), np.array([np.nan])) <= AGREES  # what fails in both has not been compared
