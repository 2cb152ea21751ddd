"""Random mechanisms in flexmb and by the oracle: a few of every kind here, 200 in the long tier.

`python -m tests.campaigns.random_mechanisms --count 200 --seed N` runs more of them.
"""

from __future__ import annotations

import copy
from functools import cache
from typing import Any

import numpy as np
import pytest

from flexmb.joints.table import JOINT_TYPES
from tests.campaigns.mechanism_comparison import compare
from tests.campaigns.mechanism_drawing import Draw, draw
from tests.campaigns.mechanism_families import FAMILIES
from tests.campaigns.mechanism_sketch import Sketch
from tests.campaigns.random_mechanisms import campaign, table

QUICK = ("tree", "loops", "slider", "parallelogram", "bennett", "rolling")


@cache
def drawn(family: str) -> Draw:
    return draw(7, (family,))


@pytest.mark.parametrize("family", QUICK)
def test_motion_and_reactions_are_those_of_the_oracle(family: str) -> None:
    verdict = compare(drawn(family))
    assert verdict.is_right, verdict.text


@pytest.mark.parametrize("coordinates", ["joint", "absolute"])
def test_overconstrained_loop_in_other_coordinates(coordinates: str) -> None:
    tables = drawn("parallelogram").tables | {"coordinates": {"default": coordinates}}
    verdict = compare(drawn("parallelogram"), tables)
    assert verdict.is_right, verdict.text


def changed(family: str) -> dict[str, Any]:
    return copy.deepcopy(drawn(family).tables)


@pytest.mark.parametrize("family", ["tree", "bennett"])
def test_another_mass_is_found(family: str) -> None:
    tables = changed(family)
    tables["bodies"]["body0"]["mass"] *= 1.0 + 1e-4
    assert compare(drawn(family), tables).errors["reactions"] > 1.0


def test_another_place_is_found() -> None:
    tables = changed("tree")
    next(iter(tables["markers"].values()))["at"][0] += 1e-6
    assert compare(drawn("tree"), tables).errors["positions"] > 1.0


def test_another_start_is_found() -> None:
    tables = changed("loops")
    for joint in tables["joints"].values():
        if "velocity" in joint:
            joint["velocity"] = [(1.0 + 1e-5) * rate for rate in joint["velocity"]]
    assert max(compare(drawn("loops"), tables).errors.values()) > 1.0 or tables.get("motions")


def test_reaction_on_the_wrong_body_is_found() -> None:
    """Bodies of a joint in the other order: the same motion, reactions on the other body."""
    tables = changed("parallelogram")
    joint = tables["joints"]["joint1"]
    joint["markers"], joint["velocity"] = joint["markers"][::-1], [-rate for rate in joint["velocity"]]
    errors = compare(drawn("parallelogram"), tables).errors
    assert errors["positions"] < 1.0 < errors["reactions"]


def test_message_of_an_error_is_a_disagreement() -> None:
    tables = changed("tree")
    tables["bodies"]["body0"]["mass"] = -1.0
    verdict = compare(drawn("tree"), tables)
    assert not verdict.is_right and verdict.text.startswith("refused")


def test_families_hold_every_joint_type() -> None:
    """All thirteen types are drawn; a seed gives the same model again."""
    kinds: set[str] = set()
    for family, (_, sketching) in FAMILIES.items():
        for seed in range(12):
            sketch, again = (Sketch(np.random.default_rng(seed), family) for _ in range(2))
            sketching(sketch)
            sketching(again)
            assert sketch.tables() == again.tables()
            kinds |= {joint["type"] for joint in sketch.joints.values()}
    assert kinds == set(JOINT_TYPES)


@pytest.mark.long
def test_campaign_of_200_mechanisms() -> None:
    outcomes = [outcome for outcome in campaign(1, 200) if outcome is not None]
    assert len(outcomes) > 190
    wrong = [f"{outcome.seed} {outcome.family} {outcome.text}" for outcome in outcomes if not outcome.is_right]
    assert wrong == [], table(outcomes)
