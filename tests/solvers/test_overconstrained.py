"""Overconstrained mechanisms: redundant rows while the motion goes on, nearly redundant ones, flexible ones.

Covers: equations.shared_rows, equations.least_reactions, solvers.shared_basis, solvers.row_rank.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from flexmb.analyses.check import check_model
from flexmb.analyses.inverse import inverse_model
from flexmb.analyses.preparation import prepare
from flexmb.analyses.run import run_model
from flexmb.errors import ComputationError, InputError
from flexmb.layout import flat_arrays as L
from flexmb.model.model import Model
from flexmb.solvers.initial_state import initial_states, start_system
from flexmb.solvers.mechanics import Mechanics
from flexmb.solvers.row_rank import near_dependences, rank_of_rows, scaled_rows
from flexmb.solvers.run import simulate
from flexmb.solvers.shared_basis import Basis
from flexmb.system.system import Row
from flexmb.verification.overconstrained import (
    START,
    bennett_energies,
    bennett_places,
    bennett_tables,
    bricard_tables,
    one_freedom,
)

METHODS: tuple[dict[str, Any], ...] = (
    {"step": 2e-3},
    {"method": "hht", "step": 2e-3},
    {"method": "shi-mcphee", "step": 2e-3},
    {"method": "rk4", "step": 2e-3},
    {"method": "rk45", "tolerance": 1e-11},
    {"tolerance": 1e-6},
)
"""Analyses: all methods, fixed and controlled steps"""


def model_of(tables: dict[str, Any], coordinates: str = "joint", **analysis: Any) -> Model:
    keys = {"coordinates": {"default": coordinates}, "output": {"every": analysis["end"] / 20}}
    return Model.from_tables(tables | keys | {"analysis": analysis})


class Rows:
    """Rows and checkpoints of a run."""

    def __init__(self, model: Model, resume: np.ndarray | None = None) -> None:
        self.spec, self.ready = model.spec, prepare(model)
        self.blocks: list[np.ndarray] = []
        self.checkpoints: list[np.ndarray] = []
        assert model.spec.analysis is not None
        every = model.spec.output.every
        self.summary = simulate(self.ready.system, model.spec.analysis, sink=self, resume=resume, every=every)

    def write(self, block: np.ndarray, checkpoint: np.ndarray) -> None:
        self.blocks.append(block.copy())
        self.checkpoints.append(checkpoint.copy())

    def __getitem__(self, path: str) -> np.ndarray:
        channel = self.ready.system.channel(path)
        values = np.concatenate(self.blocks)[:, channel.start : channel.start + max(1, sum(channel.shape))]
        return values if channel.shape else values[:, 0]


def opened(rows: Rows) -> float:
    """Largest gap of any joint at the rows, by a system that has all constraint rows."""
    system = start_system(rows.spec, initial_states(rows.spec))
    mechanics, largest = Mechanics(system, system.workspace()), 0.0
    for t, q in zip(rows["time"], rows["coordinates/q"], strict=True):
        mechanics.t, mechanics.q[:] = float(t), q
        mechanics.jacobian()
        largest = max(largest, mechanics.constraint_error)
    return largest


def run(tables: dict[str, Any], coordinates: str = "joint", **analysis: Any) -> Rows:
    return Rows(model_of(tables, coordinates, **analysis))


@pytest.mark.parametrize("coordinates", ["joint", "absolute"])
@pytest.mark.parametrize("analysis", METHODS, ids=lambda keys: "-".join(map(str, keys.values())))
def test_bennett_linkage_by_every_method(coordinates: str, analysis: dict[str, Any]) -> None:
    """Against its equation of one degree of freedom. The rows that were kept at t = 0 opened joint j3 by 1.5 m."""
    tables = bennett_tables()
    rows = run(tables, coordinates, end=1.5, **analysis)
    theta, _ = one_freedom(bennett_energies(tables), START, 2.0, rows["time"])
    # Second order: 1e-4 m at 2 ms (2e-5 at 1 ms, `flexmb verify`); a local error of 1e-6 gives 1e-3 m.
    allowed = {"rk4": 1e-8, "rk45": 1e-9}.get(analysis.get("method", ""), 2e-3 if "tolerance" in analysis else 4e-4)
    np.testing.assert_allclose(rows["sensors/place"], bennett_places(theta, tables), rtol=0, atol=allowed)
    assert rows.summary.largest_constraint_error < (1e-8 if "tolerance" in analysis else 1e-10)
    # Rows between steps are interpolated, off by h^6 at the implicit methods.
    assert opened(rows) < 1e-7


@pytest.mark.parametrize("coordinates", ["absolute", "natural"])
def test_six_revolute_joints_run_in_absolute_coordinates(coordinates: str, tmp_path: Any) -> None:
    """A line-symmetric Bricard linkage: its rank never drops, only that of the rows kept at the start did."""
    analysis = {"method": "rk4", "step": 5e-4} if coordinates == "natural" else {"method": "rk45", "tolerance": 1e-10}
    allowed = 1e-6 if coordinates == "natural" else 1e-8  # fourth order: 3e-6 m at 1 ms
    wanted = run(bricard_tables(), "joint", end=1.0, method="rk45", tolerance=1e-11)
    model = model_of(bricard_tables(), coordinates, end=1.0, **analysis)
    with run_model(model, tmp_path / "result.h5") as result:
        np.testing.assert_allclose(result["sensors/place"], wanted["sensors/place"], rtol=0, atol=allowed)
        assert "1 in j1, j2, j3, j4, j5, j6" in " ".join(result.report.split())


def test_the_order_of_the_joints_changes_nothing() -> None:
    """Same motion, and same reactions: the least ones, whatever row comes first."""
    plain = run(bennett_tables(), "absolute", end=1.0, method="rk45", tolerance=1e-10)
    for order in ((3, 1, 0, 2), (2, 3, 1, 0)):
        other = run(bennett_tables(order=order), "absolute", end=1.0, method="rk45", tolerance=1e-10)
        np.testing.assert_allclose(other["sensors/place"], plain["sensors/place"], rtol=0, atol=1e-10)
        for joint in ("j1", "j2", "j3", "j4"):
            np.testing.assert_allclose(
                other[f"joints/{joint}/force"], plain[f"joints/{joint}/force"], rtol=0, atol=1e-7
            )


def test_reactions_that_are_determined_are_those_of_every_choice_of_coordinates() -> None:
    """A pendulum hangs on link 2 of the linkage: its joint is determined, those of the loop share their load."""
    tables = bennett_tables()
    tables["bodies"]["bob"] = {"mass": 0.7, "inertia": [0.01, 0.02, 0.015], "at": [0.1, 0.4, -0.4]}
    tables["joints"]["hook"] = {"type": "spherical", "bodies": ["l2", "bob"], "at": tables["bodies"]["l2"]["at"]}
    found = [run(tables, kind, end=1.0, method="rk45", tolerance=1e-10) for kind in ("joint", "absolute")]
    forces = [rows["joints/hook/force"] for rows in found]
    np.testing.assert_allclose(forces[0], forces[1], rtol=0, atol=1e-6 * np.abs(forces[0]).max())
    # Least reactions are continuous: no jump where the combinations of rows are chosen again.
    steps = np.abs(np.diff(run(tables, "absolute", end=1.0, step=1e-3)["joints/j2/force"], axis=0)).max()
    assert steps < 0.5 * np.abs(found[1]["joints/j2/force"]).max()


LOOPS: dict[str, Any] = {
    "bennett": bennett_tables,
    "bricard": bricard_tables,
    "four-bar": lambda: four_bar(0.0),
    "three cranks": lambda: three_cranks(),
    "beam": lambda: flexible_four_bar(SHAPES["in the plane"]),
}


@pytest.mark.parametrize("name", LOOPS)
def test_reactions_do_not_depend_on_the_chord(name: str) -> None:
    """The least ones of all joints, in absolute, joint and mixed coordinates and for every chord of the loop."""
    tables, wanted = LOOPS[name](), np.zeros(0)
    joints = list(tables["joints"])
    keys: dict[str, Any] = {"end": 0.02, "step": 1e-4} if name == "beam" else {"end": 0.3, "step": 1e-3}
    keys |= {"newton_tolerance": 1e-10}
    choices: list[dict[str, Any]] = [
        {"default": "absolute"},
        {"default": "joint", "absolute": list(tables["bodies"])[:1]},
    ]
    for choice in choices + [{"default": "joint", "chords": [joint]} for joint in joints[:4]]:
        model = Model.from_tables(
            tables | {"coordinates": choice, "output": {"every": keys["end"] / 3}, "analysis": keys}
        )
        rows = Rows(model)
        found = np.hstack([rows[f"joints/{joint}/{part}"] for joint in joints for part in ("force", "moment")])
        wanted = wanted if wanted.size else found
        # In different coordinates a step has different errors, of second order: 1e-6 s^2 here.
        np.testing.assert_allclose(found, wanted, rtol=0, atol=2e-5 * np.abs(wanted).max())


@pytest.mark.parametrize("analysis", METHODS[:1] + METHODS[3:5], ids=lambda keys: str(keys.get("method")))
def test_a_resumed_run_has_the_same_bits(analysis: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("flexmb.solvers.run.BLOCK_ROWS", 5)
    model = model_of(bennett_tables(), "absolute", end=1.0, **analysis)
    whole = Rows(model)
    middle = len(whole.blocks) // 2
    rest = Rows(model, resume=whole.checkpoints[middle])
    assert np.array_equal(np.concatenate(rest.blocks), np.concatenate(whole.blocks[middle + 1 :]))


@pytest.mark.parametrize("coordinates", ["joint", "absolute"])
def test_inverse_dynamics_of_the_bennett_linkage(coordinates: str, tmp_path: Any) -> None:
    """Driven at 3 rad/s: the torque is J' w^2 / 2 + V'."""
    tables = bennett_tables()
    del tables["joints"]["j1"]["velocity"]
    tables["motions"] = {"drive": {"joint": "j1", "rate": 3.0}}
    model = model_of(tables, coordinates, end=1.5, step=0.01)
    found = inverse_model(model, tmp_path / "out.h5")
    energies, h, torque = bennett_energies(tables), 1e-3, []
    for angle in START + 3.0 * found.result.time:
        far = np.subtract(energies(angle + 2 * h), energies(angle - 2 * h))
        J_slope, V_slope = (8.0 * np.subtract(energies(angle + h), energies(angle - h)) - far) / (12.0 * h)
        torque.append(0.5 * J_slope * 9.0 + V_slope)
    np.testing.assert_allclose(found.drives[0].effort, torque, rtol=0, atol=1e-7)
    assert found.n_repeated == 3 and set(found.not_unique) == {"j1", "j2", "j3", "j4"}
    found.result.close()


@pytest.mark.parametrize(
    ("name", "joints"), [("bennett", "j1 j2 j3 j4"), ("three cranks", "o0 a0 o1 a1 o2 a2"), ("four-bar", "")]
)
def test_a_run_lists_reactions_that_are_not_unique(name: str, joints: str, tmp_path: Any) -> None:
    """By name and number where they carry load; a plane mechanism under loads in its plane has none to list."""
    forces = []
    for coordinates in ("joint", "absolute", "natural"):
        tables = LOOPS[name]()
        with run_model(model_of(tables, coordinates, end=0.05, step=1e-3), tmp_path / "run.h5") as result:
            found = [record for record in result.warnings if record.code == "reactions-not-unique"]
            assert [record.place for record in found] == [", ".join(f"joints.{one}" for one in joints.split())] * bool(
                joints
            )
            assert all("least ones" in record.text and "(fx, " in record.text for record in found)
            forces.append(np.stack([result[f"joints/{joint}/force"] for joint in tables["joints"]]))
    for other in forces[1:]:  # steps of 1 ms have errors of second order, other ones in other coordinates
        np.testing.assert_allclose(other, forces[0], rtol=0, atol=1e-4 * np.abs(forces[0]).max())


def three_cranks(length: float = 1.0) -> dict[str, Any]:
    """A bar on three equal cranks in space: 7 redundant rows, a pendulum of one degree of freedom."""
    points, bodies, joints = {}, {}, {}
    for k in range(3):
        points |= {f"O{k}": [0.7 * k * length, 0, 0], f"A{k}": [(0.7 * k + 0.3) * length, -0.4 * length, 0]}
        bodies[f"crank{k}"] = {"mass": 1.0 + 0.1 * k, "rod": [f"O{k}", f"A{k}"]}
        joints[f"o{k}"] = {"type": "revolute", "bodies": ["ground", f"crank{k}"], "at": f"O{k}", "axis": "z"}
        joints[f"a{k}"] = {"type": "revolute", "bodies": [f"crank{k}", "bar"], "at": f"A{k}", "axis": "z"}
    bodies["bar"] = {"mass": 2.0, "rod": ["A0", "A2"]}
    return {"model": {"gravity": [0, -9.81, 0]}, "points": points, "bodies": bodies, "joints": joints}


@pytest.mark.parametrize("length", [1.0, 1e-3])
@pytest.mark.parametrize("coordinates", ["joint", "absolute"])
def test_three_cranks_swing_like_one_pendulum(coordinates: str, length: float) -> None:
    end, arm = float(np.sqrt(length)), 0.5 * length
    rows = run(three_cranks(length), coordinates, end=end, method="rk45", tolerance=1e-10)
    inertia, moment = (3.3 / 3.0 + 2.0) * arm**2, (3.3 / 2.0 + 2.0) * arm
    start = float(np.arctan2(0.3, 0.4))
    angle, _ = one_freedom(lambda s: (inertia, -9.81 * moment * np.cos(s)), start, 0.0, rows["time"])
    np.testing.assert_allclose(rows["joints/o1/position"], angle - start, rtol=0, atol=1e-8)
    assert rows.ready.system.n_redundant == 7 and not rows.ready.warnings
    # The bar carries the weight of itself and half of each crank: the sum is determined, the shares are not.
    assert rows.summary.largest_constraint_error < 1e-11


def four_bar(tilt: float, speed: float | None = 2.0) -> dict[str, Any]:
    joints: dict[str, Any] = {}
    pairs = (("ground", "crank"), ("crank", "coupler"), ("coupler", "rocker"), ("ground", "rocker"))
    for name, pair in zip("oabc", pairs, strict=True):
        axis = [0, tilt, 1] if name == "b" else [0, 0, 1]
        joints[name] = {"type": "revolute", "bodies": list(pair), "at": name.upper(), "axis": axis}
    if speed is not None:
        joints["o"]["velocity"] = speed
    return {
        "model": {"gravity": [0, -9.81, 0]},
        "points": {"O": [0, 0, 0], "A": [0, 1, 0], "B": [2, 1, 0], "C": [2, 0, 0]},
        "bodies": {
            "crank": {"mass": 1, "rod": ["O", "A"]},
            "coupler": {"mass": 1, "rod": ["A", "B"]},
            "rocker": {"mass": 1, "rod": ["C", "B"]},
        },
        "joints": joints,
    }


@pytest.mark.parametrize("coordinates", ["joint", "absolute"])
def test_an_axis_that_is_tilted_a_little(coordinates: str) -> None:
    """Moves below 1e-6 with a warning that has joint and angle; is locked above, and says by how much it misses."""
    wanted = run(four_bar(0.0), coordinates, end=0.3, step=1e-3)["joints/o/position"][-1]
    for tilt in (1e-12, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6):
        rows = run(four_bar(tilt), coordinates, end=0.3, step=1e-3)
        assert abs(rows["joints/o/position"][-1] - wanted) < 1e-3 * tilt + 1e-9, tilt
        (warning,) = rows.ready.warnings
        assert warning.code == "nearly-redundant" and warning.place == "joints.b"
        assert warning.value is not None and 0.3 * tilt < warning.value < 3.0 * tilt
        assert rows.summary.largest_constraint_error > 0.1 * tilt  # the rows left out are in it
        assert "WARNING" in check_model(model_of(four_bar(tilt), coordinates, end=1.0, step=1e-3))
    for tilt in (1e-5, 1e-4, 1e-3, 1e-1):
        with pytest.raises(InputError) as error:
            prepare(model_of(four_bar(tilt), coordinates, end=1.0, step=1e-3))
        text = str(error.value)
        assert "no degree of freedom" in text and "'b'" in text, tilt
        assert ("is off by about" in text) == (tilt < 1e-2), tilt
    for tilt in (1e-5, 1e-3):  # a motion cannot drive it either
        driven = four_bar(tilt, None) | {"motions": {"drive": {"joint": "o", "rate": 1.0}}}
        with pytest.raises(InputError, match="no degree of freedom"):
            prepare(model_of(driven, coordinates, end=1.0, step=1e-3))
    ready = prepare(model_of(four_bar(1e-5, None), coordinates, end=1.0, step=1e-3))
    assert ready.n_dof == 0 and [record.code for record in ready.warnings] == ["nearly-redundant"]


@pytest.mark.parametrize("coordinates", ["joint", "absolute"])
@pytest.mark.parametrize("tilt", [1e-9, 9e-7])
def test_a_tilted_axis_in_a_driven_mechanism(tilt: float, coordinates: str) -> None:
    """The drive takes the last freedom, behind which the tilt was hidden: no warning, from 1e-7 on an error."""
    driven = four_bar(tilt, None) | {"motions": {"drive": {"joint": "o", "rate": 1.0}}}
    ready = prepare(model_of(driven, coordinates, end=1.0, step=1e-3))
    (warning,) = ready.warnings
    assert warning.code == "nearly-redundant" and warning.place == "joints.b"
    assert warning.value is not None and 0.3 * tilt < warning.value < 3.0 * tilt


@pytest.mark.parametrize("coordinates", ["joint", "absolute"])
def test_points_that_do_not_quite_fit_along_the_axes(coordinates: str) -> None:
    """Parallel axes, bodies apart along them: 1e-9 m is kept open and reported, more cannot be assembled."""
    for gap in (1e-9, 1e-6):
        tables = four_bar(0.0)
        tables["bodies"]["coupler"] = {"mass": 1, "inertia": [0.1, 0.1, 0.1], "at": [1, 1, 0]}
        tables["bodies"]["coupler"]["markers"] = {"tip": {"at": [1, 0, 0]}}
        tables["bodies"]["rocker"] = {"mass": 1, "inertia": [0.1, 0.1, 0.1], "at": [2, 0.5, 0]}
        tables["bodies"]["rocker"]["markers"] = {"top": {"at": [0, 0.5, gap]}}
        tables["joints"]["b"] = {"type": "revolute", "markers": ["coupler.tip", "rocker.top"]}
        if gap > 1e-8:
            with pytest.raises(ComputationError, match="'b' stays open by 1e-06 m"):
                prepare(model_of(tables, coordinates, end=0.1, step=1e-3))
            continue
        rows = run(tables, coordinates, end=0.2, step=1e-3)
        assert rows.ready.n_dof == 1 and rows["joints/o/position"][-1] > 0.3
        assert 1e-10 < rows.summary.largest_constraint_error < 2e-9
        assert rows.ready.warnings[-1].code == "nearly-redundant" and "stays open" in rows.ready.warnings[-1].text


def test_a_row_left_out_that_opens_ends_the_run_with_its_name() -> None:
    """Two motions of a parallelogram agree at the start, in rate and acceleration, and contradict each other later."""
    tables = four_bar(0.0, None)
    tables["motions"] = {
        "one": {"joint": "o", "expression": "0.5*t"},
        "two": {"joint": "c", "expression": "0.5*t + 0.1*t^4"},
    }
    with pytest.raises(ComputationError) as error:
        run(tables, "joint", end=1.0, step=1e-3)
    text = str(error.value)
    assert "motion 'two' stays open by" in text and "At t = 0.0" in text


def flexible_four_bar(shapes: dict[str, Any]) -> dict[str, Any]:
    tables = four_bar(0.0, 5.0)
    tables["points"] = {"O": [0, 0, 0], "A": [0, 0.3, 0], "B": [0.6, 0.5, 0], "C": [0.6, 0, 0]}
    tables["bodies"]["coupler"] = {
        "beam": ["A", "B"],
        "material": {"E": 2e11, "nu": 0.3, "density": 7800.0},
        "section": {"type": "rectangle", "y": 0.006, "z": 0.01},
        "y_axis": [0, 1, 0],
        "shapes": shapes,
    }
    return tables


SHAPES: dict[str, dict[str, Any]] = {
    "in the plane": {"bending": {"y": 3, "z": 0}},
    "in space": {"bending": 3},
    "with twist": {"bending": {"y": 3, "z": 0}, "torsion": 1},
    "everything": {"bending": 3, "torsion": 1},
}


@pytest.mark.parametrize("shapes", SHAPES.values(), ids=SHAPES)
def test_a_beam_in_an_overconstrained_loop(shapes: dict[str, Any]) -> None:
    """A plane motion, whatever the coupler could do besides: place and forces in the plane are the same in all."""
    wanted = run(flexible_four_bar(SHAPES["everything"]), "joint", end=0.1, method="rk45", tolerance=1e-8)
    tight: dict[str, Any] = {"method": "rk45", "tolerance": 1e-8}
    for kind, analysis in (("joint", tight), ("absolute", tight), ("absolute", {"step": 1e-4})):
        rows = run(flexible_four_bar(shapes), kind, end=0.1, **analysis)
        place, force = "bodies/rocker/position", "joints/o/force"
        np.testing.assert_allclose(rows[place], wanted[place], rtol=0, atol=1e-6)
        peak = np.abs(wanted[force]).max()
        # A sudden start rings: generalised-alpha damps the highest modes of the beam, 1e-2 of the force.
        share = 2e-3 if "method" in analysis else 3e-2
        np.testing.assert_allclose(rows[force][:, :2], wanted[force][:, :2], rtol=0, atol=share * peak)
        assert rows.summary.energy_balance < 1e-4


def test_a_basis_is_replaced_where_it_is_stale_and_carries_the_multipliers() -> None:
    """G^T lam stays what it was; the new combinations are orthonormal in the units of their rows."""
    rows = run(bennett_tables(), "absolute", end=1.0, method="rk4", step=2e-3)
    system = rows.ready.system
    mechanics = Mechanics(system, system.workspace())
    basis = Basis(mechanics)
    mechanics.q[:] = rows["coordinates/q"][-1]
    assert basis.has_moved()
    mechanics.lam[:] = np.random.default_rng(1).uniform(-1.0, 1.0, mechanics.n_rows)
    mechanics.jacobian()
    held = mechanics.G.T @ mechanics.lam
    basis.look([], replace=True)
    mechanics.jacobian()
    np.testing.assert_allclose(mechanics.G.T @ mechanics.lam, held, rtol=0, atol=1e-9)
    unit = basis.Q / basis.units[:, None]
    np.testing.assert_allclose(unit.T @ unit, np.eye(20), rtol=0, atol=1e-12)
    assert not basis.has_moved() and mechanics.constraint_error < 1e-11


def test_multipliers_of_an_output_row_are_the_least() -> None:
    """They balance the same loads, and are orthogonal to every internal load of the joints."""
    rows = run(bennett_tables(), "absolute", end=0.4, method="rk4", step=2e-3)
    system = rows.ready.system
    mechanics = Mechanics(system, system.workspace())
    mechanics.q[:], mechanics.v[:] = rows["coordinates/q"][-1], rows["coordinates/v"][-1]
    mechanics.lam[:] = np.random.default_rng(2).uniform(-1.0, 1.0, mechanics.n_rows)
    mechanics.jacobian()
    held = mechanics.G.T @ mechanics.lam
    mechanics.run(L.AT_OUTPUT)
    least, units = mechanics.lam_all.copy(), Basis(mechanics).units
    np.testing.assert_allclose(mechanics.G_all.T @ least, held, rtol=0, atol=1e-10)
    _, sigma, internal = np.linalg.svd((mechanics.G_all * mechanics.scale * units[:, None]).T)
    assert sigma[-1] < 1e-11
    np.testing.assert_allclose(internal[17:] @ (least / units), 0.0, rtol=0, atol=1e-9)
    mechanics.run(L.AT_RESIDUAL)  # the shift belongs to output rows only
    assert not np.allclose(mechanics.lam_all, least)


def test_a_short_row_of_a_joint_nearly_vanishes() -> None:
    rows = [Row("pin", "offset along x", "m", False), Row("pin", "offset along z", "m", False)]
    rows.append(Row("drive", "angle", "rad", True))
    G = scaled_rows(np.array([[1e3, 0.0, 0.0], [0.0, 1e-5, 0.0], [0.0, 0.0, 1.0]]), rows, 1.0)
    assert rank_of_rows(G) == 2
    (near,) = near_dependences(G, rows)
    assert near.is_redundant and near.worst == "pin" and near.size == pytest.approx(1e-8)


@pytest.mark.parametrize("coordinates", ["joint", "absolute", "natural"])
@pytest.mark.parametrize("size", [1e-6, 1.0])
def test_round_off_of_angles_is_no_misfit_at_any_size(size: float, coordinates: str) -> None:
    """A plane four-bar of micrometres: round-off of its angles, 2e-16 rad, is not a part of its size."""
    points = {"O": [0, 0, 0], "A": [0, size, 0], "B": [2 * size, 1.5 * size, 0], "C": [2 * size, 0, 0]}
    ends = {"o": ["ground", "crank"], "a": ["crank", "coupler"], "b": ["coupler", "rocker"], "c": ["ground", "rocker"]}
    rods = {"crank": ["O", "A"], "coupler": ["A", "B"], "rocker": ["C", "B"]}
    tables = {
        "points": points,
        "coordinates": {"default": coordinates},
        "bodies": {name: {"mass": size**3, "rod": rod} for name, rod in rods.items()},
        "joints": {
            key: {"type": "revolute", "bodies": bodies, "at": key.upper(), "axis": "z"} for key, bodies in ends.items()
        },
    }
    assert not prepare(Model.from_tables(tables)).warnings


def test_lengths_of_a_joint_that_are_all_round_off_are_no_misfit() -> None:
    rows = [Row("pin", "offset along x", "m", False), Row("guide", "offset along z", "m", False)]
    G = scaled_rows(np.array([[2.0, 0.0], [3e-16, 1e-16]]), rows, 1.0)
    assert rank_of_rows(G) == 1 and near_dependences(G, rows) == ()


@pytest.mark.parametrize("coordinates", ["joint", "absolute"])
@pytest.mark.parametrize("size", [1e-6, 1.0, 1e5])
def test_round_off_of_points_and_axes_gives_no_warning(size: float, coordinates: str) -> None:
    """A Bennett linkage of micrometres or kilometres, and a link in a guide that only repeats its hinges.

    Its places are rounded to 1e-16 of the size: that was reported as a misfit, once as one of 7e-11 rad.
    """
    tables = bennett_tables()
    for link in tables["bodies"].values():
        link["at"] = (size * np.array(link["at"])).tolist()
        link["inertia"] = (size**2 * np.array(link["inertia"])).tolist()
    for joint in tables["joints"].values():
        joint["at"] = (size * np.array(joint["at"])).tolist()
    guide = {"type": "planar", "bodies": ["ground", "l1"], "at": tables["bodies"]["l1"]["at"], "axis": "z"}
    tables["joints"]["guide"] = guide
    ready = prepare(model_of(tables, coordinates, end=1.0, step=1e-3))
    assert ready.n_dof == 1 and ready.warnings == ()


@pytest.mark.parametrize("lead", [1e-2, 1e-4, 1e-6])
@pytest.mark.parametrize("coordinates", ["joint", "absolute"])
def test_a_fine_screw_drives_a_lever(lead: float, coordinates: str) -> None:
    """A spindle in a nut pushes a yoke with a lever. The row of its turns is as long as 1/lead.

    All other rows were short beside it: 22 warnings at 0.1 mm per turn, 23 degrees of freedom at 1 um.
    """
    z, y = [0, 0, 1], [0, 1, 0]
    places = {"spindle": [0, 0, 0.3], "yoke": [0, 0, 0.1], "link": [0.2, 0, 0], "lever": [0.4, 0, 0.2]}
    joints: dict[str, Any] = {
        "guide": {"type": "prismatic", "bodies": ["ground", "yoke"], "at": [0, 0, 0.1], "axis": z},
        "thrust": {"type": "revolute", "bodies": ["yoke", "spindle"], "at": [0, 0, 0.2], "axis": z},
        "pin": {"type": "revolute", "bodies": ["yoke", "link"], "at": [0, 0, 0.05], "axis": y},
        "eye": {"type": "revolute", "bodies": ["link", "lever"], "at": [0.4, 0, 0], "axis": y},
        "pivot": {"type": "revolute", "bodies": ["ground", "lever"], "at": [0.4, 0, 0.4], "axis": y},
        "nut": {"type": "screw", "bodies": ["ground", "spindle"], "at": [0, 0, 0.4], "axis": z, "lead": lead},
    }
    joints["thrust"]["velocity"] = 2.0 * np.pi * 0.01 / lead  # 10 mm/s
    bodies = {name: {"mass": 0.3, "inertia": [0.01, 0.01, 0.01], "at": at} for name, at in places.items()}
    ready = prepare(model_of({"bodies": bodies, "joints": joints}, coordinates, end=1.0, step=1e-3))
    assert ready.n_dof == 1 and ready.warnings == ()
