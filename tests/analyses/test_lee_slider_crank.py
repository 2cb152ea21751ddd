"""The slider-crank of Lee et al. 2001 (section 5, Table 1) in other coordinates, and the example.

That torque, slider and every reaction agree with references derived by hand is seen by `flexmb verify`.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import flexmb as fx
from tests.support.example_scripts import differences, plain, script
from tests.support.lee_slider_crank import NAME, computed
from tests.support.places import EXAMPLES


@pytest.mark.parametrize("case", ["rigid", "exact"])
def test_the_same_in_absolute_coordinates(case: str) -> None:
    # Rigid: two ways to solve the same linear equations. Flexible: the same method in other coordinates has another
    # error, of the size of its own: steps of 10 us are 1/180 of the period of the second mode, (h omega)^2/12 = 1e-4.
    limit = 1e-9 if case == "rigid" else 1e-4
    for quantity, values in computed(case, "absolute")[1].items():
        wanted = computed(case)[1][quantity]
        np.testing.assert_allclose(values, wanted, rtol=0, atol=limit * np.abs(wanted).max(), err_msg=quantity)


def test_model_file_and_script_are_the_same_model() -> None:
    left_out = {"parameters": True}
    from_file = plain(fx.read_model(EXAMPLES / f"{NAME}.toml").spec, left_out)
    from_script = plain(script(NAME).slider_crank().spec, left_out)
    assert differences(from_file, from_script) == []


def test_example(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = script(NAME).main(str(tmp_path / "out.h5"))
    # Printed in the example to four digits.
    assert found["smallest"] == pytest.approx(-31.94, abs=5e-3)
    assert found["largest"] == pytest.approx(31.40, abs=5e-3)
    # The driven run closes the crank angle on its motion in every step, the forward run does not: second order.
    assert found["departure"] < 3e-8
    assert "slider_pin" in capsys.readouterr().out
