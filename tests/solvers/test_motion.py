"""The motion of closed mechanisms: the same for every tree, every set of coordinates and every method.

Covers: solvers.embedding.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from flexmb.errors import InputError
from flexmb.joints.table import JOINT_TYPES
from tests.support.mechanisms import joint_keys, random_body, ring
from tests.support.runs import Run

RING_JOINTS = tuple(row.name for row in JOINT_TYPES.values() if row.n_v and row.n_rows)


@pytest.mark.parametrize("kind", RING_JOINTS)
def test_motion_does_not_depend_on_the_tree(kind: str) -> None:
    """The joint as a branch, as a chord, and all joints as chords of absolute coordinates, to integration error."""
    data = ring(kind)
    method = {"method": "rk45", "tolerance": 1e-10}
    branch = Run({**data, "coordinates": {"branches": ["x"], "chords": ["c"]}}, **method)
    chord = Run({**data, "coordinates": {"chords": ["x"]}}, **method)
    absolute = Run({**data, "coordinates": {"default": "absolute"}}, **method)
    assert np.allclose(branch.final_positions, chord.final_positions, rtol=0, atol=2e-8)
    assert np.allclose(branch.final_positions, absolute.final_positions, rtol=0, atol=2e-8)
    for run in (branch, chord, absolute):
        assert run.summary.energy_balance < 1e-8
        assert run.ready.n_dof == branch.ready.n_dof
    for path in ("joints/a/force", "joints/x/force", "joints/x/moment", "joints/c/force"):
        size = max(np.abs(branch[path][-1]).max(), 1.0)
        assert np.allclose(branch[path][-1], chord[path][-1], rtol=0, atol=1e-6 * size), path
        assert np.allclose(branch[path][-1], absolute[path][-1], rtol=0, atol=1e-6 * size), path
    assert (
        np.allclose(branch["joints/x/velocity"][-1], chord["joints/x/velocity"][-1], rtol=0, atol=1e-6)
        or kind == "distance"
    )


@pytest.mark.parametrize("method", [{"method": "generalized-alpha"}, {"method": "hht"}, {"method": "shi-mcphee"}])
@pytest.mark.parametrize("coordinates", ["joint", "absolute"])
def test_implicit_methods_converge_to_the_same_motion(method: dict[str, str], coordinates: str) -> None:
    """Second order: halving the step divides the error of positions and reactions by four."""
    data = {**ring("cylindrical"), "coordinates": {"default": coordinates}}
    exact = Run(ring("cylindrical"), method="rk45", tolerance=1e-11)
    errors = []
    for steps in (50, 100, 200):
        run = Run(data, step=0.2 / steps, **method)
        force = np.abs(run["joints/c/force"][-1] - exact["joints/c/force"][-1]).max()
        errors.append((np.abs(run.final_positions - exact.final_positions).max(), force))
        assert run.summary.largest_constraint_error < 1e-9
    orders = np.log2(np.array(errors[:-1]) / np.array(errors[1:]))
    assert np.all(orders[-1] > 1.8), (orders, errors)
    assert errors[-1][0] < 1e-4


@pytest.mark.parametrize(("method", "order"), [("rk4", 4), ("rk45", 5)])
def test_observed_order_of_the_explicit_methods(method: str, order: int) -> None:
    exact = Run(ring("universal"), method="rk45", tolerance=1e-13)
    errors = []
    for steps in (10, 20, 40):
        run = Run(ring("universal"), method=method, step=0.2 / steps)
        errors.append(np.abs(run.final_positions - exact.final_positions).max())
    orders = np.log2(np.array(errors[:-1]) / np.array(errors[1:]))
    assert orders[-1] > order - 0.3, (orders, errors)


def test_momentum_of_a_free_system_is_kept() -> None:
    """Two bodies in free space joined by a universal joint with a spring: linear and angular momentum."""
    rng = np.random.default_rng(8)
    bodies = {name: random_body(rng) for name in ("one", "two")}
    for body in bodies.values():
        del body["rotor"]
    bodies["one"].update({"velocity": [1.0, 0.0, 0.5], "angular_velocity": [1.0, 2.0, -1.0]})
    data = {
        "model": {"name": "free pair"},
        "bodies": bodies,
        "joints": {"u": {**joint_keys("universal", rng), "bodies": ["one", "two"], "velocity": [2.0, -1.0]}},
        "forces": {"s": {"type": "joint-spring", "joint": "u", "coordinate": "angle1", "stiffness": 5.0}},
        "analysis": {"end": 1.0},
    }
    run = Run(data, method="rk45", tolerance=1e-11)
    total = [_momentum(run, data, row) for row in (0, -1)]
    assert np.allclose(total[0], total[1], rtol=0, atol=1e-9 * np.abs(total[0]).max())
    assert run.summary.energy_balance < 1e-9


def _momentum(run: Run, data: dict[str, Any], row: int) -> np.ndarray:
    """Linear momentum and angular momentum about the world origin."""
    total = np.zeros(6)
    for body in run.system.mechanism.bodies[1:]:
        w, x, y, z = run[f"bodies/{body.name}/quaternion"][row]
        R = np.array(
            [
                [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
            ]
        )
        p, v = run[f"bodies/{body.name}/position"][row], run[f"bodies/{body.name}/velocity"][row]
        omega = run[f"bodies/{body.name}/angular_velocity"][row]
        S = R @ body.first_moment
        linear = body.mass * v + np.cross(R @ omega, S)
        angular = R @ body.inertia @ omega + np.cross(S, v) + np.cross(p, linear)
        total += np.concatenate([linear, angular])
    return total


@pytest.mark.parametrize("method", [{"method": "rk45", "tolerance": 1e-10}, {"method": "rk4", "step": 0.005}])
def test_works_at_chosen_times(method: dict[str, Any]) -> None:
    """A slider pushed by 6 t: v = 3 t^2 / m and the work 9 t^4 / (2 m), also inside the long steps that rk45 takes."""
    data = {
        "model": {"name": "pushed"},
        "bodies": {"block": {"mass": 2.0, "inertia": [1, 1, 1]}},
        "joints": {"rail": {"type": "prismatic", "bodies": ["ground", "block"], "at": [0, 0, 0], "axis": "x"}},
        "forces": {"push": {"type": "actuator", "joint": "rail", "effort": "6*t"}},
        "output": {"every": 0.013},
        "analysis": {"end": 1.0},
    }
    run = Run(data, **method)
    t = run["time"]
    assert len(t) == 78 and np.allclose(np.diff(t)[:-1], 0.013)
    assert np.allclose(run["energy/work/push"], 9.0 * t**4 / 4.0, rtol=0, atol=1e-9)
    assert run.summary.energy_balance < 1e-9


def test_independent_coordinates_by_the_users_word() -> None:
    data = ring("revolute")
    free = Run(data, method="rk45", tolerance=1e-10)
    chosen = Run(data, method="rk45", tolerance=1e-10, formulation="embedding", independent=["a.angle"])
    assert np.allclose(free.final_positions, chosen.final_positions, rtol=0, atol=2e-8)
    with pytest.raises(InputError) as error:
        Run(data, method="rk45", tolerance=1e-10, formulation="embedding", independent=["a.angel"])
    assert "Did you mean 'angle'?" in str(error.value)


def test_quaternions_of_bodies_do_not_jump() -> None:
    """A body that spins through several turns: its quaternion changes sign only by passing through zero."""
    data = {
        "model": {"name": "spinning"},
        "bodies": {"top": {"mass": 1.0, "inertia": [1, 2, 3], "angular_velocity": [9.0, 4.0, 7.0]}},
        "analysis": {"end": 3.0},
    }
    run = Run(data, step=0.01)
    p = run["bodies/top/quaternion"]
    assert p[:, 0].min() < -0.5  # it does go round
    assert np.abs(np.diff(p, axis=0)).max() < 0.2
