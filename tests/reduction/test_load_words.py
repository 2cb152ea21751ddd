"""Loads and pre-stress in words.

Covers: reduction.load_words, model.schema.load_fields.
"""

from __future__ import annotations

from typing import Any

import pytest

from flexmb.errors import Fault
from flexmb.model.schema.load_fields import read_prestress
from flexmb.reduction.load_words import LoadPart, LoadRequest, PrestressRequest, read_load


def load(word: str) -> LoadRequest:
    faults: list[Fault] = []
    found = read_load(word, (), faults)
    assert found is not None and not faults
    return found


@pytest.mark.parametrize(
    "word, part, unit",
    [
        ("gas=pressure:top", LoadPart("pressure", "top"), "Pa"),
        ("gas = pressure : plane(x=0.3)", LoadPart("pressure", "plane(x=0.3)"), "Pa"),
        ("heat=temperature:all", LoadPart("temperature", "all"), "K"),
        ("heat=temperature:rod:y", LoadPart("temperature", "rod", along="y"), "K/m"),
        ("push=force:a+b:-z", LoadPart("force", "a+b", direction=(0.0, 0.0, -1.0)), "N"),
    ],
)
def test_loads(word: str, part: LoadPart, unit: str) -> None:
    found = load(word)
    assert found.parts == (part,) and found.unit == unit and found.name == word.partition("=")[0].strip()


def test_parts_that_act_together() -> None:
    found = load("bolt=force:head:-z; force:nut:z")
    assert [part.select for part in found.parts] == ["head", "nut"] and found.text == "force:head:-z; force:nut:z"


@pytest.mark.parametrize(
    "word, text",
    [
        ("pressure:top", "is not a load"),
        ("gas=", "is not a load"),
        ("gas=presure:top", "is not a kind of load"),
        ("gas=pressure", "the set is missing"),
        ("1x=pressure:top", "cannot be the name"),
        ("spin=pressure:top", "is reserved"),
        ("push=force:top", "the direction is missing"),
        ("push=force:top:w", "is not a direction"),
        ("heat=temperature:all:w", "is not x, y or z"),
        ("mix=force:top:x;pressure:top", "a force and a pressure"),
    ],
)
def test_wrong_loads(word: str, text: str) -> None:
    faults: list[Fault] = []
    assert read_load(word, ("--load",), faults) is None
    assert any(text in fault.text for fault in faults)


LOADS = (load("gas=pressure:top"), load("heat=temperature:all"))


@pytest.mark.parametrize(
    "word, value, held",
    [("gas=5 MPa held pin", 5e6, ("pin",)), ("heat=50 K held a + b", 50.0, ("a", "b")), ("heat=-20", -20.0, ())],
)
def test_prestress_by_loads(word: str, value: float, held: tuple[str, ...]) -> None:
    faults: list[Fault] = []
    found = read_prestress(word, LOADS, (), faults)
    assert not faults and found == PrestressRequest(word.partition("=")[0], value, held, None, word)


def test_prestress_by_spin() -> None:
    faults: list[Fault] = []
    found = read_prestress("spin=3000 rpm about hub:-z", (), (), faults)
    assert not faults and found.value == pytest.approx(314.159265, rel=1e-8)
    assert (found.load, found.held, found.axis) == ("", ("hub",), (0.0, 0.0, -1.0))


@pytest.mark.parametrize(
    "word, text",
    [
        ("gas", "is not a pre-stress"),
        ("gas=5 K", "Pa"),
        ("gas=much", "much"),
        ("spin=300 rad/s", "the axis of the spin is missing"),
        ("spin=300 rad/s about hub:w", "the axis of the spin is missing"),
        ("spin=300 N about hub:z", "rad/s"),
    ],
)
def test_wrong_prestress(word: str, text: str) -> None:
    faults: list[Any] = []
    assert read_prestress(word, LOADS, ("--prestress",), faults) is None
    assert text in str(faults[0])
