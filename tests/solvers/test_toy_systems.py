"""The solvers on small systems with known answers: observed orders, drift, step control, output, resume, messages.

Covers: solvers.assembly, solvers.generalized_alpha, solvers.independent, solvers.integrator_start, solvers.interpolant,
solvers.linear_algebra, solvers.newton_iteration, solvers.newton_matrix, solvers.output_rows, solvers.protocols,
solvers.redundancy, solvers.run, solvers.runge_kutta, solvers.settings, solvers.step_size, solvers.summary,
solvers.time_stepping.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tests.support.toy_systems as toys
from flexmb.errors import ComputationError, InputError
from flexmb.layout import flat_arrays as L
from flexmb.solvers import linear_algebra
from flexmb.solvers.assembly import assemble
from flexmb.solvers.redundancy import redundancy
from flexmb.solvers.run import simulate
from flexmb.solvers.settings import Settings

IMPLICIT = ("generalized-alpha", "hht", "shi-mcphee")


class Sink:
    """Keeps what it is given."""

    def __init__(self) -> None:
        self.blocks: list[np.ndarray] = []
        self.checkpoints: list[np.ndarray] = []

    def write(self, block: np.ndarray, checkpoint: np.ndarray) -> None:
        self.blocks.append(block)
        self.checkpoints.append(checkpoint)

    @property
    def rows(self) -> np.ndarray:
        return np.concatenate(self.blocks)


def run(toy: toys.Toy, **settings: Any) -> tuple[dict[str, np.ndarray], Any]:
    sink = Sink()
    summary = simulate(toy, Settings(**settings), sink=sink)
    return toy.columns(sink.rows), summary


def observed_orders(toy: toys.Toy, steps: tuple[int, int], names: tuple[str, ...], **settings: Any) -> list[float]:
    """Order of the errors over the second half of the run, against a fine explicit run."""
    fine, _ = run(toy, end=1.0, step=1 / 6400, every=0.05, method="rk45")
    errors = []
    for count in steps:
        coarse, _ = run(toy, end=1.0, step=1 / count, every=0.05, **settings)
        errors.append([np.max(np.abs(coarse[name] - fine[name])[10:]) for name in names])
    return [float(np.log(a / b) / np.log(steps[1] / steps[0])) for a, b in zip(*errors, strict=True)]


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 8, 13, 57])
def test_dense_solver_agrees_with_numpy(n: int) -> None:
    rng = np.random.default_rng(n)
    matrix, right = rng.normal(size=(n, n)), rng.normal(size=n)
    K = np.array([n, 0, 5, n * n, 0, *([0] * n)])
    S = np.concatenate([matrix.ravel(), right])
    linear_algebra.factor(K, S, S)
    assert K[4] == 0
    linear_algebra.solve(K, S, S)
    scale = np.linalg.cond(matrix) * 1e-14  # round-off times condition
    np.testing.assert_allclose(S[n * n :], np.linalg.solve(matrix, right), rtol=scale, atol=scale)
    S[n * n :] = right
    linear_algebra.solve_transposed(K, S, S)
    np.testing.assert_allclose(S[n * n :], np.linalg.solve(matrix.T, right), rtol=scale, atol=scale)


def test_dense_solver_reports_the_column_without_pivot() -> None:
    K = np.array([3, 0, 5, 9, 0, 0, 0, 0])
    S = np.array([1.0, 2, 3, 2, 4, 7, 1, 2, 5, 0, 0, 0])  # second column is twice the first
    linear_algebra.factor(K, S, S)
    assert K[4] == 2


@pytest.mark.parametrize("method", IMPLICIT)
def test_implicit_order_two_of_positions_velocities_and_multipliers(method: str) -> None:
    """Steps that divide the output interval: rows are the method's own states, not interpolated."""
    orders = observed_orders(toys.pendulum(), (100, 200), ("q", "v", "a", "lam"), method=method)
    assert min(orders) > 1.85, orders
    names = ("q", "v", "a", "lam") if method == "shi-mcphee" else ("q", "v")
    orders = observed_orders(toys.skate(), (100, 200), names, method=method)
    assert min(orders) > 1.85, orders
    if method != "shi-mcphee":
        # The skate runs on a circle: what the method errs in a and lam is below what Newton leaves, which has no order.
        fine, _ = run(toys.skate(), end=1.0, step=1 / 6400, every=0.05, method="rk45")
        coarse, _ = run(toys.skate(), end=1.0, step=1 / 100, every=0.05, method=method)
        for name in ("a", "lam"):
            assert np.max(np.abs(coarse[name] - fine[name])) < 1e-6 * np.max(np.abs(fine[name])), name
    orders = observed_orders(toys.top(), (200, 400), ("q", "v", "a"), method=method)
    assert min(orders) > 1.9 and max(orders) < 2.2, orders
    orders = observed_orders(toys.oscillator(), (100, 200), ("q", "v", "a", "work"), method=method)
    assert min(orders) > 1.9 and max(orders) < 2.2, orders


def test_multipliers_of_the_first_step_are_of_second_order() -> None:
    """Without the start of the auxiliary acceleration and of the velocity offset this order is 1."""
    errors = []
    for count in (100, 200, 400):
        rows, _ = run(toys.pendulum(rate=1.0), end=4 / count, step=1 / count, rho=0.5)
        exact, _ = run(toys.pendulum(rate=1.0), end=4 / count, step=1 / count, method="rk45")
        errors.append(np.max(np.abs(rows["lam"] - exact["lam"])))
    assert np.log2(errors[0] / errors[1]) > 1.8 and np.log2(errors[1] / errors[2]) > 1.8, errors


@pytest.mark.parametrize(("method", "order"), [("rk4", 4), ("rk45", 5)])
def test_explicit_orders_on_trees(method: str, order: int) -> None:
    for toy, names in ((toys.oscillator(), ("q", "v", "work")), (toys.top(), ("q", "v", "a"))):
        orders = observed_orders(toy, (40, 80), names, method=method)
        assert min(orders) > order - 0.3, orders


@pytest.mark.parametrize(("method", "order"), [("rk4", 4), ("rk45", 5)])
def test_explicit_orders_with_constraints(method: str, order: int) -> None:
    """The independent velocities change on the way, which leaves the order as it is."""
    for toy in (toys.pendulum(), toys.skate(), toys.crank(torque=0.1)):
        orders = observed_orders(toy, (100, 200), ("q", "v", "lam"), method=method)
        assert min(orders) > order - 0.5, (toy.kind, orders)


def test_skate_on_a_slope_follows_its_closed_form() -> None:
    """x = g/(2 w^2) sin^2 wt, y = g/(2 w^2) (wt - sin 2wt / 2): a skate goes sideways, not down."""
    turn, slope = 1.7, 2.0
    for method, tolerance in (("rk45", 1e-9), ("generalized-alpha", 1e-4)):
        rows, summary = run(toys.skate(turn, slope), end=4.0, step=0.005, method=method)
        angle, size = turn * rows["t"], slope / (2 * turn**2)
        np.testing.assert_allclose(rows["q"][:, 0], size * np.sin(angle) ** 2, atol=tolerance)
        np.testing.assert_allclose(rows["q"][:, 1], size * (angle - 0.5 * np.sin(2 * angle)), atol=tolerance)
        assert summary.energy_balance < tolerance


def test_constraints_do_not_drift_and_velocities_are_projected() -> None:
    """Twenty swings: positions at Newton accuracy, velocities at round-off."""
    for method in (*IMPLICIT, "rk45"):
        rows, summary = run(toys.pendulum(angle=1.5), end=40.0, step=0.01, method=method)
        q, v = rows["q"], rows["v"]
        assert summary.largest_constraint_error < 1e-8
        assert np.max(np.abs(np.hypot(q[:, 0], q[:, 1]) - 1.0)) < 1e-8
        assert np.max(np.abs(np.sum(q * v, axis=1))) < 1e-12
        assert summary.energy_balance < (5e-3 if method in IMPLICIT else 5e-6)


def test_error_controlled_step_follows_the_tolerance() -> None:
    """The error of the run goes in proportion to the tolerance, and stays below ten times it."""
    fine, _ = run(toys.pendulum(), end=2.0, step=1 / 6400, every=0.1, method="rk45")
    for method in ("generalized-alpha", "hht", "rk45"):
        errors = []
        for tolerance in (1e-5, 1e-7):
            rows, summary = run(toys.pendulum(), end=2.0, tolerance=tolerance, every=0.1, method=method)
            errors.append(np.max(np.abs(rows["q"] - fine["q"])))
            assert rows["t"][-1] == 2.0
            assert errors[-1] < 10.0 * tolerance, (method, errors)
        observed = np.log10(errors[0] / errors[1]) / 2
        assert abs(observed - 1.0) < 0.25, (method, errors)


def test_error_control_of_rk45_holds_the_works() -> None:
    """A fast force on a slow body: it hardly moves, but the work is all its energy. Every step is held to the tolerance
    of the largest work, so that their sum is to the number of steps times as much."""
    toy = toys.oscillator(damping=0.0, stiffness=4.0, drive=2.0)
    toy.floats[4] = 30.0
    toy.q0[:], toy.v0[:] = 0.0, 0.0
    fine, _ = run(toy, end=2.0, step=1e-4, every=0.1, method="rk45")
    for tolerance in (1e-4, 1e-6):
        rows, summary = run(toy, end=2.0, tolerance=tolerance, every=0.1, method="rk45")
        bound = summary.steps * tolerance
        assert summary.energy_balance < bound
        assert np.max(np.abs(rows["work"] - fine["work"])) < bound * np.max(np.abs(fine["work"]))


def test_multipliers_stay_smooth_over_step_changes() -> None:
    rows, summary = run(toys.pendulum(angle=2.8), end=4.0, tolerance=1e-6, method="generalized-alpha")
    q, v = rows["q"], rows["v"]
    exact = 1.3 * (np.sum(v * v, axis=1) - toys.GRAVITY * q[:, 1])  # multiplier of (x^2+y^2-1)/2
    assert summary.steps > 50 and np.ptp(rows["step"][1:]) > 0.0
    assert np.max(np.abs(rows["lam"] - exact)) < 2e-3 * np.max(np.abs(exact))


@pytest.mark.parametrize("method", ["generalized-alpha", "rk4", "rk45"])
def test_output_grid(method: str) -> None:
    rows, _ = run(toys.pendulum(), end=1.0, step=0.013, every=0.03, method=method)
    np.testing.assert_allclose(rows["t"], [*(np.arange(34) * 0.03), 1.0], rtol=4e-16)
    assert rows["t"][-1] == 1.0
    every_step, summary = run(toys.pendulum(), end=1.0, step=0.013, method=method)
    assert len(every_step["t"]) == summary.steps + 1 == 78
    assert every_step["t"][-1] == 1.0


@pytest.mark.parametrize("method", ["generalized-alpha", "rk45"])
def test_interpolant_does_not_lose_accuracy(method: str) -> None:
    """Rows inside the steps are as good as those at their ends.

    The quintic itself is better than 1e-6 here; at the ends of an implicit step q, v and a agree only to the order of
    the method, which the quintic passes on with a factor of about 15/8.
    """
    factor = 2.2 if method == "generalized-alpha" else 1.0
    for toy in (toys.crank(torque=0.1), toys.top(), toys.oscillator()):
        coarse, _ = run(toy, end=1.0, step=0.01, every=0.0025, method=method)
        ends = {name: values[::4] for name, values in coarse.items()}
        exact, _ = run(toy, end=1.0, step=1e-4, every=0.0025, method="rk45")
        for name in ("q", "v", "work"):
            at_ends = np.max(np.abs(ends[name] - exact[name][::4]))
            inside = np.max(np.abs(coarse[name] - exact[name]))
            assert inside <= factor * at_ends + 1e-6, (toy.kind, name, inside, at_ends)


def test_works_close_the_energy_balance() -> None:
    for method, limit in (("rk45", 1e-8), ("rk4", 1e-6), ("generalized-alpha", 2e-3)):
        for toy in (toys.oscillator(), toys.crank(torque=0.3)):
            _, summary = run(toy, end=2.0, step=0.002, method=method)
            assert 0.0 < summary.energy_balance < limit, (method, summary)


@pytest.mark.parametrize(
    "settings",
    [
        {"step": 0.003, "method": "generalized-alpha"},
        {"tolerance": 1e-6, "method": "hht", "every": 0.0007},
        {"step": 0.003, "method": "rk4", "every": 0.005},
        {"tolerance": 1e-7, "method": "rk45", "every": 0.0001},
    ],
)
def test_resume_gives_the_same_bits(settings: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("flexmb.solvers.run.BLOCK_ROWS", 37)
    whole, toy = Sink(), toys.crank(torque=0.2)
    simulate(toy, Settings(end=1.0, **settings), sink=whole)
    assert len(whole.blocks) > 4
    for cut in (1, 3):
        rest = Sink()
        summary = simulate(toy, Settings(end=1.0, **settings), sink=rest, resume=whole.checkpoints[cut])
        assert summary.outcome == "finished"
        np.testing.assert_array_equal(rest.rows, np.concatenate(whole.blocks[cut + 1 :]))
    with pytest.raises(InputError, match="checkpoint"):
        simulate(toy, Settings(end=1.0, **settings), sink=rest, resume=whole.checkpoints[0][:-1])


def test_user_chosen_independent_coordinate() -> None:
    """The slider determines the motion except at the dead centres, where another coordinate takes over."""
    free, _ = run(toys.crank(), end=2.0, step=1e-3, method="rk45")
    rows, _ = run(toys.crank(), end=2.0, step=1e-3, method="rk45", independent=("guide.slide",))
    assert np.ptp(free["q"][:, 0]) > 2 * np.pi
    np.testing.assert_allclose(rows["q"][:100], free["q"][:100], atol=1e-9)
    np.testing.assert_allclose(rows["q"], free["q"], atol=1e-4)
    with pytest.raises(InputError, match="guide.slide"):
        run(toys.crank(), end=2.0, step=1e-3, method="rk45", independent=("guide.slip",))
    with pytest.raises(InputError, match="1 degrees of freedom"):
        run(toys.crank(), end=2.0, step=1e-3, method="rk45", independent=("guide.slide", "bearing.angle"))


def test_stiff_spring_switches_to_the_full_tangent() -> None:
    """omega h = 50: the mass alone is no tangent; HHT damps the fast mode and follows the drive."""
    rows, summary = run(toys.oscillator(damping=1.0, stiffness=4e6), end=1.0, step=0.03, method="hht", alpha=0.3)
    assert summary.rejected == 0
    exact = 2.0 / 4e6 * np.cos(3.0 * rows["t"][-1])
    assert abs(rows["q"][-1] - exact) < 1e-3


def test_assembly_closes_and_keeps_what_is_given() -> None:
    toy = toys.crank()
    toy.q0[:] = [0.4, 0.3, 0.3]
    toy.fixed_q, toy.fixed_v = np.array([True, False, False]), np.array([True, False, False])
    W = toy.workspace()
    assemble(toy, W)
    q = W[toy.ints[L.Q] :][:3]
    assert q[0] == 0.4 and abs(q[1] + np.arcsin(0.15 * np.sin(0.4) / 0.4)) < 1e-14
    assert W[toy.ints[L.V]] == 5.0


def test_assembly_names_the_joint_that_cannot_close() -> None:
    toy = toys.crank()
    toy.floats[4] = 0.01  # the rod is too short for this crank angle
    toy.fixed_q = np.array([True, False, False])
    with pytest.raises(
        ComputationError, match=r"'pin' stays open by 0\.048\d* m\. It can be assembled if.*bearing.angle"
    ):
        run(toy, end=1.0, step=0.01)
    with pytest.raises(ComputationError, match="'rod' stays open by"):
        assemble(toys.twice(contradiction=0.3), toys.twice(contradiction=0.3).workspace())


def test_redundancy_is_found_and_named() -> None:
    toy = toys.twice()
    found = redundancy(toy, toy.workspace())
    assert (found.rank, found.dof, len(found.redundant)) == (1, 1, 1)
    assert found.groups == (("rod", "spare rod"),) and not found.inconsistent and not found.singular_start
    toy = toys.twice(contradiction=0.3)
    assert redundancy(toy, toy.workspace()).inconsistent
    toy = toys.crank()
    found = redundancy(toy, toy.workspace())
    assert (found.dof, found.independent, found.redundant) == (1, (0, 1), ())
    toy.floats[3:5] = 0.2  # equal lengths, folded: both rows of the pin are parallel only there
    toy.q0[:] = [np.pi / 2, -np.pi / 2, 0.0]
    found = redundancy(toy, toy.workspace())
    assert found.dof == 1 and found.redundant == ()


def test_kinematic_analysis() -> None:
    sink = Sink()
    summary = simulate(toys.driven(rate=2.0), Settings(end=3.0, every=0.01, type="kinematic"), sink=sink)
    rows = toys.driven().columns(sink.rows)
    np.testing.assert_allclose(rows["q"][:, 0], 0.8 * np.cos(2.0 * rows["t"]), atol=1e-12)
    np.testing.assert_allclose(rows["a"][:, 1], -3.2 * np.sin(2.0 * rows["t"]), atol=1e-11)
    torque = rows["lam"][:, 1] * 0.8  # about the pivot: -m g x
    np.testing.assert_allclose(torque, -1.3 * toys.GRAVITY * rows["q"][:, 0], atol=1e-10)
    assert summary.outcome == "finished" and summary.energy_balance < 1e-5
    with pytest.raises(InputError, match="1 are free"):
        simulate(toys.pendulum(), Settings(end=3.0, type="kinematic"), sink=sink)


def test_kinematic_analysis_is_resumed_to_the_same_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Works included: they hang on the powers of the last two steps."""
    for limit in ("most_gathered", "largest_budget"):
        monkeypatch.setattr(f"flexmb.solvers.driven_analysis.DrivenAnalysis.{limit}", 7)
    settings, whole = Settings(end=1.0, every=0.013, type="kinematic"), Sink()
    finished = simulate(toys.driven(), settings, sink=whole)
    for cut in (0, 4):
        rest = Sink()
        summary = simulate(toys.driven(), settings, sink=rest, resume=whole.checkpoints[cut])
        np.testing.assert_array_equal(rest.rows, np.concatenate(whole.blocks[cut + 1 :]))
        assert (summary.steps, summary.energy_error) == (finished.steps, finished.energy_error)
    with pytest.raises(InputError, match="checkpoint"):
        simulate(toys.driven(), settings, sink=rest, resume=whole.checkpoints[0][1:])


def test_kinematic_analysis_that_cannot_go_on_says_so_and_keeps_the_rows() -> None:
    toy, sink = toys.driven(), Sink()
    toy.ints[toys.FAIL] = 1
    with pytest.raises(
        ComputationError, match=r"At t = 0\.5 s .*motion 'motor' stays open by .* m.*Change the mo"
    ) as caught:
        simulate(toy, Settings(end=1.0, every=0.1, type="kinematic"), sink=sink)
    assert caught.value.summary.outcome == "failed" and caught.value.summary.steps == 5
    assert sink.rows[-1, 0] == pytest.approx(0.5)


def test_driven_system_by_all_methods() -> None:
    for method in IMPLICIT:
        rows, _ = run(toys.driven(rate=2.0), end=3.0, step=0.01, method=method)
        np.testing.assert_allclose(rows["q"][:, 0], 0.8 * np.cos(2.0 * rows["t"]), atol=1e-9)


def test_failure_says_when_where_and_what_to_do_and_keeps_the_rows() -> None:
    """A drive that asks for an impossible position after half a second."""
    toy, sink = toys.driven(rate=2.0), Sink()
    toy.ints[toys.FAIL] = 1
    expected = r"At t = 0\.5 s .*motion 'motor' stays open by 2\.16 m, joint 'rod' .* m, .*Change the motions"
    with pytest.raises(ComputationError, match=expected) as caught:
        simulate(toy, Settings(end=1.0, step=0.01), sink=sink)
    summary = caught.value.summary
    assert (summary.outcome, summary.steps) == ("failed", 50) and summary.t_reached == pytest.approx(0.5)
    assert summary.peak_energy > 0.0 and summary.rejected > 0
    assert sink.rows[-1, 0] == pytest.approx(0.5)


def test_interrupt_writes_the_block_and_says_so() -> None:
    sink = Sink()

    def stop(t: float, end: float, steps: int, rejected: int) -> None:
        if steps > 50:
            raise KeyboardInterrupt

    summary = simulate(toys.pendulum(), Settings(end=1e4, step=0.001), sink=sink, progress=stop)
    assert summary.outcome == "interrupted" and 0.0 < summary.t_reached < 1e4
    assert sink.rows[-1, 0] == pytest.approx(summary.t_reached)


def test_settings_report_all_faults_at_once() -> None:
    with pytest.raises(InputError) as caught:
        run(toys.pendulum(), end=-1.0, step=0.0, method="rk5", rho=2.0)
    assert len(caught.value.faults) == 4
