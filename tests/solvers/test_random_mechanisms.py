"""Identities of whole systems: random closed mechanisms with several loops, drives, springs and dampers.

Covers: solvers.initial_state, solvers.mechanics.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from flexmb.analyses.preparation import prepare
from flexmb.layout import flat_arrays as L
from flexmb.solvers.assembly import assemble
from flexmb.solvers.initial_state import body_states, initial_states, start_system
from flexmb.solvers.mechanics import Mechanics
from flexmb.solvers.run import simulate
from tests.support.mechanisms import rotation, spec_of
from tests.support.random_mechanisms import closed_mechanism, ladder
from tests.support.runs import Rows, Run

FINE = {"method": "rk45", "tolerance": 1e-11}
SEEDS = (1, 2, 3)


def assembled(data: dict[str, Any]) -> Mechanics:
    """A mechanism at its consistent start, with accelerations and multipliers."""
    ready = prepare(SimpleNamespace(spec=spec_of({**data, "analysis": {"end": 1.0, "step": 1e-3}})))
    return Mechanics(ready.system, ready.work)


@pytest.mark.parametrize("seed", SEEDS)
def test_accelerations_and_multipliers_leave_no_residual(seed: int) -> None:
    """Forward dynamics (mass matrix, Schur complement) into inverse dynamics (recursion): zero to round-off."""
    m = assembled(closed_mechanism(seed))
    m.equations()
    forces = np.abs(m.bias).max() + np.abs(m.G.T @ m.lam).max()
    closing = np.abs(m.G @ m.a + m.gam).max()
    assert closing < 1e-11 * max(1.0, np.abs(m.gam).max() + np.abs(m.a).max())
    assert np.abs(m.phi).max() < 1e-12 and np.abs(m.phi_dot).max() < 1e-11
    m.run(L.AT_RESIDUAL)
    assert np.abs(m.res).max() < 1e-11 * forces
    assert forces > 1.0 and np.abs(m.lam).max() > 0.1  # the test is not about nothing


@pytest.mark.parametrize("seed", SEEDS)
def test_the_effort_of_a_drive_as_an_actuator_gives_the_same_accelerations(seed: int) -> None:
    """The inverse problem's answer put into the forward problem, from the same state."""
    data = closed_mechanism(seed)
    driven = assembled(data)
    states = body_states(driven.system, driven.W)
    channel = driven.system.channel("motions/drive/effort")
    effort = float(driven.out[channel.start])
    del data["motions"]
    data["forces"]["instead"] = {"type": "actuator", "joint": "tree3", "coordinate": "slide", "effort": effort}
    system = start_system(spec_of({**data, "analysis": {"end": 1.0, "step": 1e-3}}), states)
    free = Mechanics(system, system.workspace())
    assemble(system, free.W)
    assert free.n_rows == driven.n_rows - 1
    assert np.allclose(free.v, driven.v, rtol=0, atol=1e-11)
    assert np.allclose(free.a, driven.a, rtol=0, atol=1e-9 * np.abs(driven.a).max())
    assert abs(effort) > 0.1


@pytest.mark.parametrize("seed", SEEDS)
def test_impulse_of_ground_reactions_and_loads_is_the_change_of_momentum(seed: int) -> None:
    """All inner forces (loops, springs, friction, drive) cancel; Simpson's rule over 0.1 s in 100 intervals is good to
    some 1e-9 of the impulse."""
    data = closed_mechanism(seed)
    data["sensors"] = {f"tip_{axis}": {"marker": "body2.tip", "component": axis} for axis in "xyz"}
    run = Run({**data, "output": {"every": 1e-3}}, **FINE)
    t = run["time"]
    wrench = np.zeros((len(t), 6))
    for name in ("tree0", "tree2", "loop2"):
        joint = next(joint for joint in run.system.mechanism.joints if joint.name == name)
        R, point = run.system.mechanism.world_pose(joint.first)
        force, moment = run[f"joints/{name}/force"] @ R.T, run[f"joints/{name}/moment"] @ R.T
        wrench += np.hstack([force, moment + np.cross(point, force)])
    tip = np.stack([run[f"sensors/tip_{axis}"] for axis in "xyz"], axis=1)
    push = np.stack([2 * np.cos(9 * t), np.ones_like(t), -3 * np.sin(5 * t)], axis=1)
    wrench += np.hstack([push, np.cross(tip, push)])
    momentum = np.zeros((len(t), 6))
    for body in run.system.mechanism.bodies[1:]:
        p, v = run[f"bodies/{body.name}/position"], run[f"bodies/{body.name}/velocity"]
        for row, quaternion in enumerate(run[f"bodies/{body.name}/quaternion"]):
            R = rotation(quaternion)
            omega, S = run[f"bodies/{body.name}/angular_velocity"][row], R @ body.first_moment
            linear = body.mass * v[row] + np.cross(R @ omega, S)
            spin = R @ (body.inertia @ omega + body.rotor)
            momentum[row] += np.concatenate([linear, spin + np.cross(S, v[row]) + np.cross(p[row], linear)])
            weight = np.array(data["model"]["gravity"])
            arm = body.mass * p[row] + S
            wrench[row] += np.concatenate([body.mass * weight, np.cross(arm, weight)])
    simpson = np.ones(len(t))
    simpson[1:-1:2], simpson[2:-1:2] = 4.0, 2.0
    impulse = simpson @ wrench * 1e-3 / 3.0
    change = momentum[-1] - momentum[0]
    assert np.allclose(impulse, change, rtol=0, atol=1e-7 * np.abs(wrench).max() * 0.1), (impulse, change)
    assert np.all(np.abs(change) > 1e-3)


@pytest.mark.parametrize("seed", SEEDS)
def test_power_balance(seed: int) -> None:
    """Kinetic + potential energy changes by the works of drive, actuator, force, dampers and friction, and by those
    only: to the tolerance times the number of steps. Each of the works takes part."""
    run = Run(closed_mechanism(seed), method="rk45", tolerance=1e-9)
    assert run.summary.energy_balance < 1e-9 * run.summary.steps
    for name in ("drive", "spring", "turning", "motor", "drag", "push"):
        assert np.abs(run[f"energy/work/{name}"]).max() > 1e-6 * run.summary.peak_energy, name


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    "coordinates",
    [{"default": "absolute"}, {"absolute": ["body0", "body4"]}, {"branches": ["loop0", "loop2"]}],
    ids=["absolute", "mixed", "other branches"],
)
def test_motion_does_not_depend_on_the_coordinates(seed: int, coordinates: dict[str, Any]) -> None:
    """Same poses, drive effort and reactions; the bounds are some hundred times the tolerance of the steps."""
    data = closed_mechanism(seed)
    one, other = Run(data, **FINE), Run({**data, "coordinates": coordinates}, **FINE)
    assert one.system.coordinates != other.system.coordinates
    assert one.ready.n_dof == other.ready.n_dof == 2
    assert np.allclose(one.final_positions, other.final_positions, rtol=0, atol=2e-9)
    for path in ("motions/drive/effort", "joints/loop1/force", "joints/loop2/force", "joints/tree0/moment"):
        size = max(1.0, np.abs(one[path]).max())
        assert np.allclose(one[path][-1], other[path][-1], rtol=0, atol=1e-7 * size), path


@pytest.mark.parametrize("seed", SEEDS)
def test_augmented_equations_tend_to_the_embedded_ones(seed: int) -> None:
    """Generalised-alpha on the index-3 equations against rk45 in independent coordinates: the difference falls with
    h^2, in positions, effort and reactions."""
    data = closed_mechanism(seed)
    exact = Run(data, **FINE, formulation="embedding")
    errors = []
    for steps in (100, 200):
        run = Run(data, step=0.1 / steps, method="generalized-alpha")
        paths = ("motions/drive/effort", "joints/loop2/force")
        gaps = [np.abs(run[path][-1] - exact[path][-1]).max() / np.abs(exact[path]).max() for path in paths]
        errors.append([np.abs(run.final_positions - exact.final_positions).max(), *gaps])
    orders = np.log2(np.array(errors[0]) / np.array(errors[1]))
    assert np.all(orders > 1.7) and max(errors[1]) < 1e-3, (orders, errors)


@pytest.mark.parametrize("rungs", [1, 2, 3])
def test_redundant_rows_do_not_change_the_motion(rungs: int) -> None:
    """The ladder of spatial revolutes with its redundant rows left out, with them kept (shared by the regularised
    matrix), and built so that it has none: one motion."""
    plain = Run(ladder(rungs, "point-on-line"), **FINE)
    assert plain.ready.n_dof == 1 and not plain.system.n_redundant
    redundant = Run(ladder(rungs), **FINE)
    assert redundant.ready.n_dof == 1 and redundant.system.n_redundant == 3 * rungs
    assert np.allclose(redundant.final_positions, plain.final_positions, rtol=0, atol=1e-9)
    step = {"step": 1e-3, "method": "generalized-alpha"}
    without = Run(ladder(rungs), **step)
    spec = spec_of({**ladder(rungs), "analysis": {"end": 0.3, **step}})
    kept = start_system(spec, initial_states(spec), ())
    assert kept.n_rows == without.system.n_rows + 3 * rungs
    sink = Rows()
    simulate(kept, spec.analysis, sink=sink)
    start = kept.channel("coordinates/v").start
    final = np.concatenate(sink.blocks)[-1]
    # The same steps of the same method: only the metric in which round-off is shared differs.
    assert np.allclose(final[start : start + kept.n_v], without["coordinates/v"][-1], rtol=0, atol=1e-8)


def test_constraints_do_not_drift() -> None:
    """A hundred thousand steps, some hundred swings: the gap after every step stays that of one Newton iteration."""
    data = ladder(1, output={"every": 10.0})
    short = Run(data, end=1.0, step=2e-3, method="generalized-alpha")
    long = Run(data, end=200.0, step=2e-3, method="generalized-alpha")
    assert long.summary.steps >= 100_000
    assert long.summary.largest_constraint_error < 1e-10
    assert long.summary.largest_constraint_error < 100 * max(short.summary.largest_constraint_error, 1e-14)


@pytest.mark.parametrize(
    "settings",
    [
        {"method": "generalized-alpha", "step": 5e-4},
        {"method": "hht", "tolerance": 1e-6},
        {"method": "shi-mcphee", "step": 5e-4},
        {"method": "rk45", "tolerance": 1e-8},
        {"method": "rk4", "step": 5e-4},
    ],
    ids=lambda settings: settings["method"],
)
def test_a_closed_mechanism_is_resumed_to_the_same_bits(
    settings: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With loops, a drive, turn counters and works; from a checkpoint that a new process could have read."""
    monkeypatch.setattr("flexmb.solvers.run.BLOCK_ROWS", 23)
    spec = spec_of({**closed_mechanism(1), "analysis": {"end": 0.1, **settings}})
    blocks: list[tuple[np.ndarray, np.ndarray]] = []

    class Keep:
        def write(self, block: np.ndarray, checkpoint: np.ndarray) -> None:
            blocks.append((block, checkpoint.copy()))

    simulate(prepare(SimpleNamespace(spec=spec)).system, spec.analysis, sink=Keep(), every=7e-4)
    assert len(blocks) > 3
    rest = Rows()
    fresh = prepare(SimpleNamespace(spec=spec)).system
    simulate(fresh, spec.analysis, sink=rest, resume=blocks[1][1], every=7e-4)
    whole = np.concatenate([block for block, _ in blocks[2:]])
    np.testing.assert_array_equal(np.concatenate(rest.blocks), whole)


@pytest.mark.parametrize("seed", SEEDS)
def test_error_controlled_steps_of_generalised_alpha_respect_the_tolerance(seed: int) -> None:
    """The error of the run is at most the tolerance, times what the motion amplifies (less than ten in 0.1 s), in
    parts of the size of the mechanism; it is of second order: a thousandth of the tolerance takes 32 times the
    steps."""
    data = closed_mechanism(seed)
    exact = Run(data, **FINE)
    steps = []
    for tolerance in (1e-5, 1e-8):
        run = Run(data, method="generalized-alpha", tolerance=tolerance)
        error = np.abs(run.final_positions - exact.final_positions).max() / exact.system.length_scale
        assert error < 10 * tolerance, (tolerance, error)
        steps.append(run.summary.steps)
    assert 24.0 < steps[1] / steps[0] < 42.0, steps
