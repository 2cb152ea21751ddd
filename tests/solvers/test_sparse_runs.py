"""Sparse storage: the same motion, multipliers and findings as with full matrices, by every method.

Covers: solvers.damped_closure, solvers.sparse_newton, solvers.sparse_rows, solvers.sparse_start, solvers.sparse_near,
solvers.sparse_redundancy, solvers.sparse_sharing, system.records.sparse_storage.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import flexmb as fx
from flexmb.analyses.check import check_model
from flexmb.analyses.preparation import Preparation, prepare
from flexmb.layout import sparse_pattern as sp
from flexmb.model.model import Model
from flexmb.solvers.initial_state import initial_states, start_system
from flexmb.solvers.mechanics import Mechanics, stored_scales
from flexmb.solvers.run import Integration, simulate
from flexmb.solvers.settings import solver_settings
from flexmb.solvers.sparse_rows import SparseRows
from flexmb.solvers.summary import RunSummary
from flexmb.system.records import sparse_storage
from flexmb.verification.overconstrained import bennett_tables, bricard_tables
from tests.support.four_bar_train import train


class Sparse:
    """A run in sparse or in full storage."""

    def __init__(self, tables: dict[str, Any], coordinates: str, resume: np.ndarray | None = None, **analysis: Any):
        keys = {"coordinates": {"default": coordinates}, "analysis": {"step": 1e-3, "end": 0.05} | analysis}
        if "tolerance" in analysis:
            keys["analysis"].pop("step")  # type: ignore[attr-defined]
        self.model = Model.from_tables(tables | keys)
        self.ready: Preparation = prepare(self.model)
        self.blocks: list[np.ndarray] = []
        self.checkpoints: list[np.ndarray] = []
        assert self.model.spec.analysis is not None
        self.summary: RunSummary = simulate(
            self.ready.system, self.model.spec.analysis, sink=self, resume=resume, every=0.005
        )

    def write(self, block: np.ndarray, checkpoint: np.ndarray) -> None:
        self.blocks.append(block.copy())
        self.checkpoints.append(checkpoint.copy())

    def __getitem__(self, path: str) -> np.ndarray:
        channel = self.ready.system.channel(path)
        return np.concatenate(self.blocks)[:, channel.start : channel.start + max(1, int(np.prod(channel.shape)))]


def both(monkeypatch: pytest.MonkeyPatch, *arguments: Any, **analysis: Any) -> tuple[Sparse, Sparse]:
    """The same run with full matrices and in sparse storage."""
    monkeypatch.setattr(sparse_storage, "SPARSE_FROM", 10**9)
    full = Sparse(*arguments, **analysis)
    monkeypatch.setattr(sparse_storage, "SPARSE_FROM", 0)
    monkeypatch.setattr(sparse_storage, "WORTHWHILE", 1e9)
    sparse = Sparse(*arguments, **analysis)
    assert full.ready.system.pattern is None
    assert sparse.ready.system.pattern is not None
    return full, sparse


def assert_same(full: Sparse, sparse: Sparse, motion: float, forces: float) -> None:
    """Equal channels: motion to a part of its size, reactions to a part of the largest (0: not compared)."""
    assert full.ready.n_dof == sparse.ready.n_dof
    assert full.ready.system.n_redundant == sparse.ready.system.n_redundant
    largest = max(float(np.abs(full[f"joints/{name}/force"]).max()) for name in full.model.spec.joints)
    for channel in full.ready.system.channels:
        wanted, found = full[channel.path], sparse[channel.path]
        if channel.path.startswith(("bodies/", "coordinates/q", "coordinates/v")):
            np.testing.assert_allclose(found, wanted, rtol=0, atol=motion * max(1.0, float(np.abs(wanted).max())))
        if forces and channel.path.startswith("joints/") and channel.path.endswith(("force", "moment")):
            np.testing.assert_allclose(found, wanted, rtol=0, atol=forces * largest, err_msg=channel.path)


@pytest.mark.parametrize("coordinates", ["joint", "absolute"])
@pytest.mark.parametrize(
    ("tables", "motion", "forces"),
    [(train(9), 1e-10, 1e-6), (bennett_tables(), 1e-10, 1e-6), (bricard_tables(), 3e-7, 1e-4)],
    ids=["train", "bennett", "bricard"],
)
def test_overconstrained_mechanisms(
    monkeypatch: pytest.MonkeyPatch, tables: dict[str, Any], coordinates: str, motion: float, forces: float
) -> None:
    """Motion and least reactions; Newton stops at 1e-8 of the accelerations, hence 1e-6 of the forces.

    The loops are closed in the metric of the matrix at hand, which is not built anew at the same steps: where it turns
    quickly (Bricard), that is seen as a hundredth of the error of the method, 2.5e-6 at this step.
    """
    full, sparse = both(monkeypatch, tables, coordinates)
    if coordinates == "joint" and len(tables["bodies"]) < 9:
        forces = 0.0  # the least multipliers of the chord are not the least reactions of all joints, see below
    assert_same(full, sparse, motion, forces)
    assert sparse.summary.largest_constraint_error < 1e-12


@pytest.mark.parametrize("coordinates", ["joint", "absolute"])
def test_reactions_that_are_not_unique(monkeypatch: pytest.MonkeyPatch, coordinates: str) -> None:
    """The same components are listed; the others are the same."""
    tables = bennett_tables() | {
        "coordinates": {"default": coordinates},
        "analysis": {"end": 0.05, "step": 1e-3},
        "output": {"every": 0.005},
    }
    monkeypatch.setattr(sparse_storage, "SPARSE_FROM", 10**9)
    full = fx.run(Model.from_tables(tables))
    monkeypatch.setattr(sparse_storage, "SPARSE_FROM", 0)
    monkeypatch.setattr(sparse_storage, "WORTHWHILE", 1e9)
    sparse = fx.run(Model.from_tables(tables))
    listed = [[w for w in result.warnings if w.code == "reactions-not-unique"] for result in (full, sparse)]
    assert len(listed[0]) == len(listed[1]) == 1
    assert listed[0][0].place == listed[1][0].place != ""


@pytest.mark.parametrize("method", ["hht", "shi-mcphee"])
def test_every_implicit_method(monkeypatch: pytest.MonkeyPatch, method: str) -> None:
    assert_same(*both(monkeypatch, train(9), "absolute", method=method), 1e-10, 1e-6)


def test_error_control(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same steps are chosen."""
    full, sparse = both(monkeypatch, train(9), "joint", tolerance=1e-6)
    assert full.summary.steps == sparse.summary.steps
    assert_same(full, sparse, 1e-9, 1e-5)


def test_mixed_coordinates_with_a_motion(monkeypatch: pytest.MonkeyPatch) -> None:
    tables = train(9)
    tables["motions"] = {"drive": {"joint": "foot0", "rate": 1.0}}
    tables["bodies"]["rocker2"]["coordinates"] = "absolute"
    full, sparse = both(monkeypatch, tables, "joint")
    assert full.ready.n_dof == 0
    assert_same(full, sparse, 1e-10, 1e-6)


def test_stiff_springs(monkeypatch: pytest.MonkeyPatch) -> None:
    """A spring of 1e7 N/m between bodies that no joint links needs the whole tangent, which is found in passes."""
    tables = train(9)
    tables["bodies"]["rocker0"] |= {"markers": {"tip": {"at": [1, 0, 0]}}}
    tables["bodies"]["rocker3"] |= {"markers": {"low": {"at": [0.2, 0, 0]}}}
    ends = ["rocker0.tip", "rocker3.low"]
    tables["forces"] = {
        "spring": {"type": "spring-damper", "markers": ends, "stiffness": 1e7, "length": 2.6907248094147422}
    }
    full, sparse = both(monkeypatch, tables, "absolute")
    assert full.summary.factorisations > 1
    # It rings far faster than the step; what Newton leaves of it, 1e-8 of the accelerations, is 1e-7 m/s.
    assert_same(full, sparse, 1e-6, 1e-5)


def test_a_resumed_run_gives_the_same_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    """From the checkpoint of a shorter run with the same steps; factors and dependent rows go on as they were."""
    monkeypatch.setattr(sparse_storage, "SPARSE_FROM", 0)
    monkeypatch.setattr(sparse_storage, "WORTHWHILE", 1e9)
    whole = Sparse(train(9), "absolute")
    integration = Integration(whole.ready.system, solver_settings(whole.model.spec.analysis, 0.005))
    integration.start()
    integration.advance(20)
    again = Sparse(train(9), "absolute", resume=integration.pack())
    rows, rest = np.concatenate(whole.blocks), np.concatenate(again.blocks)
    assert 0 < len(rest) < len(rows)
    np.testing.assert_array_equal(rest, rows[-len(rest) :])


def test_stored_entries_are_those_of_the_full_matrices(monkeypatch: pytest.MonkeyPatch) -> None:
    """M and G at a state in motion, entry by entry, and products with them."""
    found = {}
    for number in (0, 10**9):
        monkeypatch.setattr(sparse_storage, "SPARSE_FROM", number)
        monkeypatch.setattr(sparse_storage, "WORTHWHILE", 1e9)
        tables = train(9) | {"coordinates": {"default": "joint"}, "analysis": {"end": 1.0, "step": 1e-3}}
        spec = Model.from_tables(tables).spec
        system = start_system(spec, initial_states(spec), sparse=True)
        mechanics = Mechanics(system, system.workspace())
        mechanics.q[:] = np.linspace(0.1, 0.9, mechanics.n_q)
        mechanics.v[:] = np.linspace(-1.0, 1.0, mechanics.n_v)
        mechanics.equations()
        found[number] = mechanics
    sparse, full = found[0], found[10**9]
    assert sparse.is_sparse and not full.is_sparse
    # G of the full storage has round-off where a common ancestor moves both markers
    np.testing.assert_allclose(sparse.M, full.M, atol=1e-13)
    np.testing.assert_allclose(sparse.G, full.G, atol=1e-13)
    np.testing.assert_array_equal(stored_scales(sparse), stored_scales(full))
    rows, x = SparseRows(sparse), np.linspace(1.0, 2.0, sparse.n_v)
    np.testing.assert_allclose(rows.rows_times(x), full.G @ x, atol=1e-12)
    np.testing.assert_allclose(rows.metric_times(sparse.M_entries, x), full.M @ x, atol=1e-12)
    lam = np.linspace(-1.0, 1.0, sparse.n_rows)
    np.testing.assert_allclose(rows.columns_times(lam), full.G.T @ lam, atol=1e-12)


def test_a_thousand_unknowns_run_without_full_matrices() -> None:
    """101 bars: the default. Energy is kept, the train stays closed, and the report says what repeats."""
    run = Sparse(train(101), "absolute", end=0.02)
    pattern = run.ready.system.pattern
    assert pattern is not None and pattern[sp.SP_NUMBERS] < 0.1 * (606 + 755) ** 2
    assert run.ready.n_dof == 1
    assert run.ready.system.n_redundant == 150
    assert run.summary.largest_constraint_error < 1e-12
    assert run.summary.energy_error < 1e-6
    joint = Sparse(train(101), "joint", end=0.02)
    np.testing.assert_allclose(run["bodies/rocker50/position"], joint["bodies/rocker50/position"], atol=1e-9)
    assert "150: 150 in the loops of" in " ".join(check_model(run.model).split())


def test_a_train_passes_the_position_in_which_all_bars_are_in_line() -> None:
    """There the steps need a tangent by differences. Its pattern was missing where the tree of the run is that in which
    initial values are read, and the process ended without a message. All rockers stay parallel: the train moves like a
    pendulum of 51 rockers and 50 couplers at their tips, to the error of steps of 1 ms (1.2e-6 m; a fourth at half)."""
    run = Sparse(train(101), "joint", end=0.6)
    assert run.ready.system.full_pattern is not None
    assert run.ready.system.full_pattern[sp.SP_PASSES] > 0

    def pendulum(_: float, state: np.ndarray) -> list[float]:
        return [state[1], -9.81 * np.cos(state[0]) * (51 / 2 + 50) / (51 / 3 + 50)]

    times = np.concatenate(run.blocks)[:, 0]
    exact = solve_ivp(pendulum, (0.0, 0.6), [np.pi / 3, 0.0], "DOP853", times, rtol=1e-10, atol=1e-12).y[0]
    assert np.sin(exact[-1]) < -0.2
    np.testing.assert_allclose(run["bodies/coupler25/position"][:, 1], np.sin(exact), atol=3e-6)


def test_a_tilted_axis_locks_a_large_train_or_is_taken_as_redundant() -> None:
    ready = Sparse(train(101, tilt=1e-8), "absolute", end=0.005).ready
    assert ready.n_dof == 1
    assert any("repeat others but for" in warning.text for warning in ready.warnings)


def test_a_flexible_coupler(monkeypatch: pytest.MonkeyPatch) -> None:
    """A four-bar whose coupler is a beam that bends and twists: elastic coordinates beside those of the joints."""
    tables = {
        "model": {"gravity": [0, -9.81, 0]},
        "points": {"O": [0, 0, 0], "A": [0, 0.3, 0], "B": [1, 0.6, 0], "C": [1, 0, 0]},
        "bodies": {
            "crank": {"mass": 1.0, "rod": ["O", "A"]},
            "rocker": {"mass": 1.0, "rod": ["C", "B"]},
            "coupler": {"beam": ["A", "B"], "section": {"type": "circle", "diameter": 0.01}, "material": "steel"},
        },
        "joints": {
            "o": {"type": "revolute", "bodies": ["ground", "crank"], "at": "O", "axis": "z", "velocity": 3.0},
            "a": {"type": "revolute", "bodies": ["crank", "coupler"], "at": "A", "axis": "z"},
            "b": {"type": "spherical", "bodies": ["coupler", "rocker"], "at": "B"},
            "c": {"type": "cylindrical", "bodies": ["ground", "rocker"], "at": "C", "axis": "z"},
        },
    }
    full, sparse = both(monkeypatch, tables, "joint", step=1e-4)
    assert sparse.ready.system.elastic.any()
    assert_same(full, sparse, 1e-9, 1e-6)  # as for rigid bodies: Newton stops at 1e-8 of the accelerations


def thin(n_bars: int) -> dict[str, Any]:
    """The train of thin bars, written as `rod`: no inertia about the line of a bar, at an angle to the body axes."""
    tables = train(n_bars)
    for body in tables["bodies"].values():
        angle = body.get("orientation", {"angle": 0.0})["angle"]
        x, y, _ = (float(value) for value in body["at"])
        body.clear()
        body |= {"mass": 1.0, "rod": [[x, y, 0.0], [x + float(np.cos(angle)), y + float(np.sin(angle)), 0.0]]}
    return tables


def test_thin_bars_without_inertia_about_their_axis(monkeypatch: pytest.MonkeyPatch) -> None:
    """The joints hold that axis; the factorisation needs an inertia there, the motion does not feel it."""
    full, sparse = both(monkeypatch, thin(9), "absolute")
    assert_same(full, sparse, 1e-10, 1e-6)  # as for bars with that inertia: Newton stops at 1e-8 of the accelerations


def test_501_thin_rods_in_absolute_coordinates() -> None:
    """Written as `rod`, as users do; the motion is that in joint coordinates, where nothing is singular."""
    tables = thin(501)
    absolute, joint = (Sparse(tables, coordinates, end=0.01) for coordinates in ("absolute", "joint"))
    assert absolute.ready.system.pattern is not None and absolute.ready.n_dof == 1
    assert absolute.summary.largest_constraint_error < 1e-12
    for name in ("rocker250", "coupler125"):
        path = f"bodies/{name}/position"
        np.testing.assert_allclose(absolute[path], joint[path], atol=1e-9)  # as for 101 bars with inertia


def test_a_thin_rod_in_space(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rod of a spatial slider-crank turns about its own line: the added inertia must not be felt."""
    tables = {
        "model": {"gravity": [0, 0, -9.81]},
        "points": {"O": [0, 0, 0.1], "A": [0, 0.08, 0.1], "B": [0.2, 0, 0]},
        "bodies": {
            "crank": {"mass": 0.12, "rod": ["O", "A"]},
            "rod": {"mass": 0.5, "rod": ["A", "B"]},
            "slider": {"mass": 2.0, "inertia": [1e-4, 1e-4, 1e-4], "at": "B"},
        },
        "joints": {
            "o": {"type": "revolute", "bodies": ["ground", "crank"], "at": "O", "axis": "x", "velocity": 6.0},
            "a": {"type": "spherical", "bodies": ["crank", "rod"], "at": "A"},
            "b": {"type": "universal", "bodies": ["rod", "slider"], "at": "B", "axes": ["y", "z"]},
            "c": {"type": "prismatic", "bodies": ["ground", "slider"], "at": "B", "axis": "x"},
        },
    }
    # Newton's error of 1e-8 of the accelerations would be 1e-8 of the motion, with and without inertia about the axis
    full, sparse = both(monkeypatch, tables, "absolute", newton_tolerance=1e-12)
    assert np.abs(np.diff(full["bodies/rod/angular_velocity"], axis=0)).max() > 0.1
    assert_same(full, sparse, 1e-9, 1e-6)


def hanging(n_rods: int) -> dict[str, Any]:
    """Thin rods that hang from each other at rest."""
    points = [[0.0, 0.0, -float(k)] for k in range(n_rods + 1)]
    names = ["ground", *(f"rod{k}" for k in range(n_rods))]
    return {
        "model": {"gravity": [0, 0, -9.81]},
        "bodies": {f"rod{k}": {"mass": 1.0, "rod": [points[k], points[k + 1]]} for k in range(n_rods)},
        "joints": {
            f"pin{k}": {"type": "revolute", "bodies": names[k : k + 2], "at": points[k], "axis": "y"}
            for k in range(n_rods)
        },
    }


def test_thin_rods_at_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    """Accelerations are zero: corrections are compared with those of the forces that cancel."""
    full, sparse = both(monkeypatch, hanging(5), "absolute")
    assert_same(full, sparse, 1e-12, 1e-10)
    np.testing.assert_allclose(np.linalg.norm(sparse["joints/pin0/force"], axis=1), 5 * 9.81, rtol=1e-10)


def test_thin_rods_start_with_the_least_change(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rates that a motion does not set are those of least kinetic energy, which no added inertia may change."""
    tables = hanging(3)
    tables["bodies"]["rod1"]["rod"][1] = tables["bodies"]["rod2"]["rod"][0] = [0.7, 0.0, -1.5]
    tables["joints"]["pin2"]["at"] = [0.7, 0.0, -1.5]
    tables["motions"] = {"turn": {"joint": "pin0", "rate": 2.0}}
    full, sparse = both(monkeypatch, tables, "absolute", newton_tolerance=1e-12)
    assert np.abs(full["bodies/rod2/angular_velocity"][0]).max() > 0.1
    assert_same(full, sparse, 1e-10, 1e-6)


@pytest.mark.parametrize("coordinates", ["joint", "absolute"])
@pytest.mark.parametrize("tables", [train(9), thin(9)], ids=["train", "thin"])
def test_an_explicit_method(monkeypatch: pytest.MonkeyPatch, tables: dict[str, Any], coordinates: str) -> None:
    """One degree of freedom: the closed states are the same, whether found by embedding or by the least change."""
    full, sparse = both(monkeypatch, tables, coordinates, method="rk4")
    assert_same(full, sparse, 1e-12, 1e-12)
    assert sparse.summary.energy_error < 1e-11 and sparse.summary.largest_constraint_error < 1e-12


def test_an_explicit_method_with_error_control(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two degrees of freedom; the steps are those of the tolerance, so the motion agrees to that."""
    tables = hanging(2)
    tables["bodies"]["rod1"]["rod"][1] = [0.7, 0.0, -1.5]
    full, sparse = both(monkeypatch, tables, "absolute", method="rk45", tolerance=1e-9)
    assert np.abs(full["bodies/rod1/angular_velocity"]).max() > 0.1
    assert_same(full, sparse, 1e-9, 1e-8)


def test_501_bars_by_an_explicit_method() -> None:
    """Refused with full matrices; the motion is that of joint coordinates."""
    absolute, joint = (Sparse(train(501), kind, end=0.005, method="rk4") for kind in ("absolute", "joint"))
    assert absolute.ready.system.pattern is not None
    np.testing.assert_allclose(absolute["bodies/coupler125/position"], joint["bodies/coupler125/position"], atol=1e-10)


def test_a_thin_rod_that_may_spin_is_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing resists a spin between two spherical joints: the message is that of full matrices."""
    tables = {
        "points": {"A": [0, 0, 0], "B": [1, 0, 0]},
        "bodies": {"rod": {"mass": 1.0, "rod": ["A", "B"]}, "block": {"mass": 1.0, "inertia": [1, 1, 1], "at": "B"}},
        "joints": {
            "a": {"type": "spherical", "bodies": ["ground", "rod"], "at": "A"},
            "b": {"type": "spherical", "bodies": ["rod", "block"], "at": "B"},
        },
    }
    monkeypatch.setattr(sparse_storage, "SPARSE_FROM", 0)
    monkeypatch.setattr(sparse_storage, "WORTHWHILE", 1e9)
    with pytest.raises(fx.ComputationError, match="No inertia resists the motion of"):
        Sparse(tables, "absolute")
