"""Programs that are compiled before a run starts."""

from __future__ import annotations

import pytest

from flexmb.analyses.preparation import may_be_large, prepare
from flexmb.layout import flat_arrays as L
from flexmb.model.model import Model
from flexmb.solvers.compilation import programs_of
from flexmb.solvers.settings import EXPLICIT, IMPLICIT
from flexmb.solvers.time_stepping import stepping_programs
from tests.support.four_bar_train import train


@pytest.mark.parametrize("method", sorted(IMPLICIT + EXPLICIT))
def test_a_large_system_finds_its_programs_compiled(method: str) -> None:
    """All programs of sparse storage are among them; a small model does not wait for these."""
    few, all_of_them = ({entry.name for entry in programs_of(method, 0, sparse)} for sparse in (False, True))
    stepping = {entry.name for entry in stepping_programs(method, sparse=True).values()}
    assert stepping <= all_of_them and not stepping <= few
    named = {entry.address for entry in programs_of(method, 0, sparse=True)}
    model = Model.from_tables(train(41) | {"coordinates": {"default": "absolute"}})
    system = prepare(model).system
    assert system.pattern is not None and may_be_large(model.spec)
    assert {int(system.ints[slot]) for slot in (L.AT_MASS, L.AT_SHARE, L.AT_FACTOR_FRONTS, L.AT_RESIDUAL)} <= named


def test_a_small_model_is_not_large() -> None:
    assert not may_be_large(Model.from_tables(train(9)).spec)
