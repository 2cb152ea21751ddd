"""Derivatives of the equations along directions, against matrices that the equations have in closed form."""

from __future__ import annotations

import numpy as np
import pytest

from flexmb.analyses.preparation import prepare
from flexmb.layout import flat_arrays as L
from flexmb.model.model import Model
from flexmb.solvers.directional_differences import Differences
from flexmb.solvers.mechanics import Mechanics
from tests.support.four_bar_train import train


@pytest.fixture(params=["joint", "absolute"])
def mechanics(request: pytest.FixtureRequest) -> Mechanics:
    tables = train(3) | {"coordinates": {"default": request.param}}
    ready = prepare(Model.from_tables(tables), sparse=False)
    m = Mechanics(ready.system, ready.work)
    m.equations()
    return m


def test_residual_by_accelerations_and_multipliers_is_mass_and_rows(mechanics: Mechanics) -> None:
    """r = M a + h + G^T lam is linear in both: differences of any step have round-off alone, 1e-16 of r over h."""
    m = mechanics
    M, G, steps = m.M.copy(), m.G.copy(), np.full(m.n_v, 0.5)
    block = [(int(m.I[L.RES]), m.n_v)]
    by_a = Differences(m).along(L.AT_RESIDUAL, block, steps, da=np.eye(m.n_v))
    assert by_a.shape == (2, m.n_v, m.n_v)
    for found in by_a:
        np.testing.assert_allclose(found, M, rtol=0, atol=1e-12 * np.abs(M).max())
    by_lam = Differences(m).along(L.AT_RESIDUAL, block, np.ones(m.n_rows), dlam=np.eye(m.n_rows), both=False)[0]
    np.testing.assert_allclose(by_lam, G.T, rtol=0, atol=1e-12 * np.abs(G).max())


def test_rows_by_coordinates_are_the_jacobian(mechanics: Mechanics) -> None:
    """The error of the differences is of order h^2: four times as large with twice the step."""
    m, h = mechanics, 1e-3
    state, G = m.state(), m.G.copy()
    block, steps = [(int(m.I[L.PHI]), m.n_rows)], np.full(m.n_v, h)
    narrow, wide = Differences(m).along(L.AT_JACOBIAN, block, steps, dq=np.eye(m.n_v))
    np.testing.assert_allclose(narrow, G, rtol=0, atol=h**2)
    errors = [np.abs(found - G).max() for found in (narrow, wide)]
    assert errors[0] > 1e-9  # rows of revolute joints are not linear
    assert errors[1] / errors[0] == pytest.approx(4.0, rel=1e-3)
    for kept, now in zip((state.q, state.v, state.a, state.lam), (m.q, m.v, m.a, m.lam), strict=True):
        np.testing.assert_array_equal(kept, now)


def test_many_columns_are_found_in_blocks(mechanics: Mechanics, monkeypatch: pytest.MonkeyPatch) -> None:
    m, block = mechanics, [(int(mechanics.I[L.RES]), mechanics.n_v)]
    arguments = (L.AT_RESIDUAL, block, np.full(m.n_v, 1e-3), np.eye(m.n_v))
    together = Differences(m).along(*arguments)
    monkeypatch.setattr("flexmb.solvers.directional_differences.NUMBERS", 1)
    np.testing.assert_array_equal(Differences(m).along(*arguments), together)
