"""What Newton's iteration leaves behind: orders down to round-off, reactions under small changes, energy, cost.

Covers: solvers.extrapolation, solvers.newton_iteration.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from flexmb.analyses.preparation import prepare
from flexmb.layout import solver_state as st
from flexmb.model.model_file import read_model
from flexmb.solvers.run import Integration, simulate
from flexmb.solvers.settings import solver_settings
from flexmb.solvers.small_inverse import LARGEST
from tests.support.mechanisms import ring
from tests.support.places import EXAMPLES
from tests.support.runs import Rows, Run

CRANK = EXAMPLES / "04_spatial_slider_crank.toml"


class Example:
    """A run of example 04 with settings as of --set."""

    def __init__(self, **settings: str):
        names = {"gravity": "model.gravity", "start": "analysis.elastic_start", "newton": "analysis.newton_tolerance"}
        chosen = {names.get(key, key): value for key, value in settings.items()}
        spec = read_model(CRANK, chosen).spec
        self.system = prepare(SimpleNamespace(spec=spec)).system
        sink = Rows()
        self.summary = simulate(self.system, spec.analysis, sink=sink, every=spec.output.every)
        self.rows = np.concatenate(sink.blocks)

    def __getitem__(self, path: str) -> np.ndarray:
        channel = self.system.channel(path)
        return self.rows[:, channel.start : channel.start + int(np.prod(channel.shape))]


def change(one: Example, other: Example) -> float:
    """Largest change of torque and reactions as a part of their peaks."""
    paths = ("sensors/drive_torque", "joints/big_end/force", "joints/guide/force")
    return max(float(np.abs(one[path] - other[path]).max() / np.abs(one[path]).max()) for path in paths)


@pytest.mark.parametrize("start", ["undeformed", "quasi-static"])
def test_a_small_change_changes_reactions_little(start: str) -> None:
    """Gravity of 1e-9 m/s^2, 1e-13 of the accelerations: what is seen is where the iteration has stopped."""
    plain = Example(start=start)
    assert change(plain, Example(start=start, gravity="[0, 0, 1e-9]")) < 2e-7
    assert plain.summary.newton_iterations < 2.2 * plain.summary.steps
    tight = Example(start=start, newton="1e-11")
    assert change(tight, Example(start=start, newton="1e-11", gravity="[0, 0, 1e-9]")) < 1e-8


def test_a_change_of_a_parameter_changes_reactions_in_proportion() -> None:
    """A speed that is larger by 1e-9 turns the crank 1.3e-8 rad further, with torques of a few per radian."""
    assert change(Example(), Example(speed="150.00000015 rad/s")) < 5e-7


@pytest.mark.parametrize("coordinates", ["joint", "absolute"])
@pytest.mark.parametrize("kind", ["cylindrical", "universal"])
def test_order_two_down_to_a_billionth(kind: str, coordinates: str) -> None:
    """Positions, velocities and reactions of a spatial loop; its multipliers are rounded by some 1e-10 at 5e-5 s."""
    data = {**ring(kind), "coordinates": {"default": coordinates}, "output": {"every": 0.02}}
    paths = ("bodies/one/position", "bodies/three/velocity", "joints/c/force", "joints/x/force")
    exact = Run(data, method="rk45", tolerance=1e-13)
    errors = []
    for steps in (1000, 4000):
        run = Run(data, step=0.2 / steps)
        errors.append([np.abs(run[path] - exact[path])[2:].max() / np.abs(exact[path]).max() for path in paths])
    orders = np.log(np.array(errors[0]) / np.array(errors[1])) / np.log(4.0)
    assert np.all(np.abs(orders - 2.0) < 0.1), (orders, errors)
    assert max(errors[1]) < 5e-9


def free_beam() -> dict[str, Any]:
    """A steel beam that flies, turns and vibrates by a thousandth of its length."""
    beam = {
        "beam": [[0, 0, 0], [1, 0, 0]],
        "material": {"E": 2e11, "nu": 0.3, "density": 7800},
        "section": {"type": "circle", "diameter": 0.02},
        "shapes": {"family": "modes", "bending": {"y": 0, "z": 3}},
        "frame": "chord",
        "velocity": [0.3, 0, 1.0],
        "angular_velocity": [0, 2.0, 0],
        "elastic_position": [1e-3, 0, 0],
    }
    return {"model": {"name": "free beam"}, "bodies": {"beam": beam}, "analysis": {"end": 0.05}}


def test_energy_of_a_free_beam_follows_the_step() -> None:
    """Without loads and damping the energy balance is the error of the method alone, of second order."""
    balances = [Run(free_beam(), step=step, rho=1.0).summary.energy_balance for step in (1e-5, 2.5e-6)]
    assert np.log(balances[0] / balances[1]) / np.log(4.0) == pytest.approx(2.0, abs=0.1), balances
    assert balances[1] < 1e-7


def test_a_matrix_of_an_earlier_step_that_does_not_contract_is_replaced_not_completed() -> None:
    """An inverse four times too large: increments grow threefold. A new mass matrix is enough, no differences."""
    spec = read_model(CRANK, {}).spec
    integration = Integration(prepare(SimpleNamespace(spec=spec)).system, solver_settings(spec.analysis))
    integration.start()
    integration.advance(20)
    K, S = integration.K, integration.S
    size, first = int(K[st.NEWTON + st.SIZE]), int(K[st.NEWTON + st.MATRIX])
    assert K[st.HAVE_FACTOR] == 1 and K[st.SINCE] > 0 and size <= LARGEST
    S[first : first + size**2] *= 4.0
    built = int(K[st.FACTORISATIONS])
    assert not integration.advance(1)
    assert K[st.STEPS] == 21 and K[st.REJECTED] == 0
    assert K[st.FACTORISATIONS] == built + 1
    assert K[st.TANGENT] == 1 and K[st.FULL_SPAN] == 1
