"""Linearised equations, modes, statics and unstable rest in sparse storage: the same as with full matrices.

Covers: solvers.allowed_motions, solvers.linear_columns, solvers.linear_point.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import numpy as np
import pytest

import flexmb as fx
from flexmb.analyses.mode_motion import mode_rows
from flexmb.analyses.modes import modes_of_model
from flexmb.analyses.preparation import Preparation, prepare
from flexmb.analyses.unstable_rest import resting_warnings
from flexmb.errors import ComputationError
from flexmb.layout import flat_arrays as L
from flexmb.model.model import Model
from flexmb.results.modal_result import ModalResult
from flexmb.solvers.allowed_motions import FullMotions, SparseMotions
from flexmb.solvers.initial_state import design_states, linked_system, measure
from flexmb.solvers.linearise import linearise
from flexmb.solvers.mechanics import Mechanics
from flexmb.solvers.modal_analysis import modes
from flexmb.solvers.statics import equilibrium
from flexmb.system.records import sparse_storage
from flexmb.verification.overconstrained import bennett_tables
from tests.support.four_bar_train import train

SPRING = {"type": "joint-spring", "stiffness": 5e3, "damping": 30.0}


def sprung(n_bars: int, coordinates: str, **more: Any) -> Model:
    """The train, held by a spring with a damper; the acceleration and the reaction of a joint are measured."""
    tables = train(n_bars) | {
        "forces": {"spring": {**SPRING, "joint": "foot0"}},
        "coordinates": {"default": coordinates},
    }
    tables["sensors"] = {
        "tip": {"joint": "foot1", "quantity": "acceleration"},
        "pin": {"reaction": "foot0", "component": "fx"},
    }
    return Model.from_tables(tables | more)


def sprung_bennett(coordinates: str) -> Model:
    """Bennett's linkage at rest: four revolute joints in space, three of six rows of its loop repeat others."""
    tables = deepcopy(bennett_tables()) | {"coordinates": {"default": coordinates}}
    for keys in tables["joints"].values():
        keys.pop("velocity", None)
    joint = next(iter(tables["joints"]))
    return Model.from_tables(
        tables | {"forces": {"spring": {**SPRING, "joint": joint, "stiffness": 50.0, "damping": 0.5}}}
    )


def in_both(monkeypatch: pytest.MonkeyPatch, model: Model) -> tuple[Preparation, Preparation]:
    monkeypatch.setattr(sparse_storage, "SPARSE_FROM", 10**9)
    full = prepare(model)
    monkeypatch.setattr(sparse_storage, "SPARSE_FROM", 0)
    monkeypatch.setattr(sparse_storage, "WORTHWHILE", 1e9)
    sparse = prepare(model)
    assert full.system.pattern is None and sparse.system.pattern is not None
    return full, sparse


def eigenvalues(ready: Preparation) -> np.ndarray:
    work = ready.work.copy()
    equilibrium(ready.system, work)  # elsewhere the eigenvalues depend on the choice of the independent coordinates
    found = np.array([mode.eigenvalue for mode in modes(ready.system, linearise(ready.system, work))])
    return found[np.lexsort((found.real, np.round(np.abs(found), 6)))]


@pytest.mark.parametrize("coordinates", ["joint", "absolute"])
@pytest.mark.parametrize("make", [lambda c: sprung(9, c), sprung_bennett], ids=["train", "bennett"])
def test_modes(monkeypatch: pytest.MonkeyPatch, make: Any, coordinates: str) -> None:
    """Rows that repeat others included; extrapolated differences have 1e-12 of round-off, times some hundred."""
    full, sparse = (eigenvalues(ready) for ready in in_both(monkeypatch, make(coordinates)))
    assert len(full) == len(sparse) > 0
    np.testing.assert_allclose(sparse, full, rtol=0, atol=1e-9 * np.abs(full).max())


def test_outputs_and_participation(monkeypatch: pytest.MonkeyPatch) -> None:
    """The independent coordinate may be another one; the response of the sensors to the spring's mode is not."""
    responses, shares = [], []
    for ready in in_both(monkeypatch, sprung(5, "absolute")):
        linear = linearise(ready.system, ready.work)
        found = modes(ready.system, linear)
        values, vectors = np.linalg.eig(linear.A)
        k = int(np.argmax(values.imag))
        response = linear.C @ vectors[:, k]
        responses.append(response / response[0])
        shares.append([found[0].bodies[name] for name in sorted(found[0].bodies)])
        assert sum(shares[-1]) == pytest.approx(1.0, abs=1e-12)
    np.testing.assert_allclose(responses[1], responses[0], rtol=0, atol=1e-8 * np.abs(responses[0]).max())
    np.testing.assert_allclose(shares[1], shares[0], rtol=0, atol=1e-10)


def test_allowed_motions_are_those_of_the_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """G R = 0, G x = b, G^T lam = f, in sparse storage as by full rows with the same free coordinates."""
    _, sparse = in_both(monkeypatch, sprung(5, "absolute"))
    m = Mechanics(sparse.system, sparse.work)
    m.jacobian()
    found = SparseMotions(m)
    G, kept = m.G, ~found.rows.dependent
    assert len(found.free) == 1 and found.rank == int(np.sum(kept)) == m.n_v - 1
    assert np.abs(G @ found.R).max() < 1e-13
    full = FullMotions(G[kept], found.held)
    np.testing.assert_allclose(found.R, full.R, rtol=0, atol=1e-12)
    values = G @ np.random.default_rng(1).standard_normal((m.n_v, 3))
    x = found.particular(values)
    np.testing.assert_allclose(G @ x, values, rtol=0, atol=1e-11)
    np.testing.assert_allclose(x, full.particular(values[kept]), rtol=0, atol=1e-11)
    force = G.T @ np.random.default_rng(2).standard_normal((m.n_rows, 2))
    np.testing.assert_allclose(G.T @ found.multipliers(force), force, rtol=0, atol=1e-11)
    np.testing.assert_allclose(G[kept].T @ full.multipliers(force), force, rtol=0, atol=1e-11)


@pytest.mark.parametrize("coordinates", ["joint", "absolute"])
def test_statics(monkeypatch: pytest.MonkeyPatch, coordinates: str) -> None:
    """Equilibrium, reactions and lowest eigenvalue; this is a stiffness by simple differences, 1e-10 of round-off."""
    rows, found = [], []
    for ready in in_both(monkeypatch, sprung(9, coordinates)):
        work = ready.work.copy()
        found.append(equilibrium(ready.system, work))
        m = Mechanics(ready.system, work)
        m.run(L.AT_OUTPUT)
        rows.append(
            {c.path: m.out[c.start : c.start + max(1, int(np.prod(c.shape)))].copy() for c in ready.system.channels}
        )
        assert m.constraint_error < 1e-12 and found[-1].residual < 1e-12
    assert found[0].is_stable and found[1].is_stable
    assert found[1].lowest == pytest.approx(found[0].lowest, rel=1e-8)
    for path in ("bodies/coupler2/position", "joints/foot3/force", "joints/near1/force"):
        np.testing.assert_allclose(rows[1][path], rows[0][path], rtol=0, atol=1e-9 * 10.0)


def test_static_analysis_of_a_large_train() -> None:
    """The sum of the reactions on ground is the weight; nothing full is built."""
    model = sprung(151, "absolute", analysis={"type": "static"})
    ready = prepare(model)
    assert ready.system.pattern is not None and ready.balance is not None and ready.balance.is_stable
    result = fx.run(model)
    total = sum(np.asarray(result[f"joints/foot{k}/force"])[0] for k in range(76))
    np.testing.assert_allclose(np.abs(total), [0.0, 151 * 9.81, 0.0], rtol=0, atol=1e-6)


def test_modes_of_a_large_train_are_those_of_one_of_its_bars() -> None:
    """One degree of freedom: all bars turn or move together, so that the eigenvalue has a closed form.

    n + 1 rockers have m l^2/3, n couplers move with their tips, m l^2; the weight of a bar acts at its middle.
    """
    n, angle = 150, np.radians(60.0)
    model = sprung(2 * n + 1, "absolute")
    modal = modes_of_model(model)
    assert modal.system.pattern is not None and len(modal.modes) == 1
    inertia = (n + 1) / 3.0 + n
    weight = 9.81 * ((n + 1) / 2 + n)
    # stiffness of the spring and d^2 V/da^2 of the weight, V = weight sin(a)
    stiffness = SPRING["stiffness"] - weight * np.sin(angle)
    want = np.roots([inertia, SPRING["damping"], stiffness])
    got = modal.modes[0].eigenvalue
    assert abs(got - want[np.argmax(want.imag)]) < 1e-9 * abs(got)


def test_motion_of_a_mode_closes_its_loops(monkeypatch: pytest.MonkeyPatch) -> None:
    full, sparse = in_both(monkeypatch, sprung(5, "joint"))
    tips = []
    for ready in (full, sparse):
        linear = linearise(ready.system, ready.work)
        modal = ModalResult(ready.system, linear, modes(ready.system, linear), "")
        rows = mode_rows(modal, modal.modes[0], 0.05, np.array([0.0, 1.0]))
        assert rows is not None
        channel = ready.system.channel("bodies/coupler1/position")
        tips.append(rows[:, channel.start : channel.start + 3])
    # the same size of the largest coordinate, whose sign and choice are free: distances from the state agree
    np.testing.assert_allclose(np.abs(tips[1]), np.abs(tips[0]), rtol=0, atol=1e-9)


def test_an_unstable_rest_is_reported() -> None:
    """A train that stands upright: 1 dof of an inverted pendulum, growth sqrt(weight/inertia)."""
    n = 75
    model = Model.from_tables(train(2 * n + 1, angle=90.0) | {"coordinates": {"default": "absolute"}})
    ready = prepare(model)
    assert ready.system.pattern is not None
    (warning,) = resting_warnings(ready.system, ready.work)
    assert warning.code == "unstable-equilibrium" and warning.value is not None
    want = np.sqrt(9.81 * ((n + 1) / 2 + n) / ((n + 1) / 3 + n))
    assert warning.value == pytest.approx(want, rel=1e-6)


def test_a_singular_position_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A parallelogram stretched along a line has more rows that repeat others than at its start."""
    _, sparse = in_both(monkeypatch, Model.from_tables(train(3) | {"coordinates": {"default": "absolute"}}))
    m = Mechanics(sparse.system, sparse.work)
    flat = Mechanics(*_of_angle(0.0))
    m.q[:] = flat.q
    with pytest.raises(ComputationError, match="singular position"):
        linearise(sparse.system, m.W)


def _of_angle(angle: float) -> tuple[Any, np.ndarray]:
    """System and workspace of the train at another angle, with loops that are closed there."""
    model = Model.from_tables(train(3, angle=angle) | {"coordinates": {"default": "absolute"}})
    system = linked_system(model.spec)
    work = system.workspace()
    measure(system, work, design_states(system, work))
    return system, work
