"""Element types of a deck that flexmb computes in another way: which are heard, and at which level."""

from __future__ import annotations

import pytest

from flexmb.elements.formulations import other_formulations


def level(word: str, hex8: str = "incompatible") -> str:
    """Level of the difference, or "" if there is none."""
    return next((loss.level for loss in other_formulations({word: 3}, hex8)), "")


@pytest.mark.parametrize(
    "word",
    ["C3D4", "C3D10", "C3D20", "C3D15", "C3D6", "C3D8I", "C3D27", "CTETRA4", "CTETRA10", "CHEXA8", "CBAR", "B33"],
)
def test_the_same_formulation_is_no_loss(word: str) -> None:
    assert level(word) == ""


@pytest.mark.parametrize(
    "word",
    [
        *(
            "C3D8",
            "C3D8R",
            "C3D20R",
            "C3D20RH",
            "C3D8H",
            "C3D10M",
            "C3D27R",
            "DC3D8",
            "AC3D20",
            "C3D20T",
            "T3D2",
            "CROD",
        ),
        *("CHEXA8 with IN=2, ISOP=FULL", "CHEXA8 with IN=3", "CHEXA20 with IN=2", "CTETRA10 with IN=TWO"),
        "CHEXA8 with FCTN=PFLUID",
    ],
)
def test_another_formulation_is_heard(word: str) -> None:
    assert level(word) == "care"


def test_the_choice_for_hex8_decides() -> None:
    assert level("C3D8", "full") == "" and level("C3D8I", "full") == "care"
    assert level("CHEXA8 with IN=2, ISOP=FULL", "full") == "" and level("CHEXA8", "full") == "care"
    assert "--hex8 full" in next(other_formulations({"C3D8": 1}, "incompatible")).text


def test_defaults_of_the_other_program_are_a_note() -> None:
    """CHEXA with 20 nodes is integrated with 2 x 2 x 2 points unless the deck says otherwise."""
    assert level("CHEXA20") == "note" and level("CPENTA15") == "note" and level("CHEXA20 with IN=3, ISOP=FULL") == ""


def test_shells_and_trusses() -> None:
    """Shells with reduced integration are noted; trusses are heard where they are computed as beams only."""
    assert level("S4") == level("S3") == level("CQUAD4") == level("S8") == ""
    assert level("S4R") == level("S8R") == level("S8R5") == level("STRI65") == "note" and level("CPS4R") == "care"
    assert not list(other_formulations({"CROD": 2, "T3D2": 1}, "incompatible", trusses=True))
