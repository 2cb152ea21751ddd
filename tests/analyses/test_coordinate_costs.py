"""Advice of a check on coordinates: which would be the cheapest.

Covers: analyses.coordinate_costs.
"""

from __future__ import annotations

from flexmb.analyses.check import check_model
from flexmb.analyses.coordinate_costs import cheapest_text, step_cost
from flexmb.analyses.preparation import prepare
from flexmb.model.model import Model
from tests.support.four_bar_train import train

ANALYSIS = {"analysis": {"end": 0.01, "step": 1e-3}}


def test_short_branches_are_cheapest_in_joint_coordinates() -> None:
    """Six coordinates and five rows for every bar cost more than one coordinate and five rows for every loop."""
    model = Model.from_tables(train(101) | ANALYSIS | {"coordinates": {"default": "absolute"}})
    text = " ".join(check_model(model).split())
    assert 'default = "joint" would be' in text
    own = Model.from_tables(train(101) | ANALYSIS)
    assert "joint coordinates are the cheapest" in cheapest_text(own.spec, prepare(own).system)


def test_costs_grow_in_proportion_to_the_length_and_small_models_get_no_advice() -> None:
    costs = [step_cost(prepare(Model.from_tables(train(n) | ANALYSIS)).system) for n in (151, 301)]
    assert 1.9 < costs[1] / costs[0] < 2.1
    small = Model.from_tables(train(5) | ANALYSIS)
    assert cheapest_text(small.spec, prepare(small).system) == ""
