"""The slider-crank of Lee et al. 2001 (section 5, Table 1) in other coordinates, and the example.

That torque, slider and every reaction agree with references derived by hand is seen by `flexmb verify`.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import flexmb as fx
from flexmb.results.joint_reactions import joint_reactions
from tests.house.test_examples import EXAMPLES, differences, script

Array = NDArray[np.float64]
NAME = "05_inverse_slider_crank"
CASES: dict[str, dict[str, Any]] = {
    "rigid": {"rigid_rod": True},
    "flexible_linear_modes": {"field": "linear"},
    "flexible_second_order": {"field": "quadratic", "order": 2},
    "complete": {"field": "quadratic", "order": "full"},
    "exact": {"field": "exact"},
}


@cache
def computed(case: str, default: str = "joint") -> tuple[Array, dict[str, Array]]:
    model = script(NAME).slider_crank(**CASES[case])
    model.coordinates(default=default)
    model.output(every=2e-4)
    if case == "rigid":
        model.analysis(type="kinematic")
    with TemporaryDirectory() as folder, fx.run_model(model, Path(folder) / "out.h5") as result:
        forces = {name: joint.force_world for name, joint in joint_reactions(result, model=model).items()}
        found = {"slider": result["sensors/slider_x"], "torque": result["sensors/torque"]}
        for name, joint in (("FO", "bearing"), ("FA", "crank_pin"), ("FB", "slider_pin")):
            found |= {f"{name}_x": forces[joint][:, 0], f"{name}_y": forces[joint][:, 1]}
        found["guide"] = forces["guide"][:, 1]
        return result.time, found


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
    from_file = fx.read_model(EXAMPLES / f"{NAME}.toml").spec.model_dump(exclude=left_out)
    from_script = script(NAME).slider_crank().spec.model_dump(exclude=left_out)
    assert differences(from_file, from_script) == []


def test_example(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = script(NAME).main(str(tmp_path / "out.h5"))
    # Printed in the example to four digits.
    assert found["smallest"] == pytest.approx(-31.94, abs=5e-3)
    assert found["largest"] == pytest.approx(31.40, abs=5e-3)
    assert found["departure"] < 1e-8
    assert "slider_pin" in capsys.readouterr().out
