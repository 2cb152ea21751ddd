"""Inverse dynamics and modes as they are used: ill-determined reactions are reported, wrong files rejected at once.

Covers: analyses.modes.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from flexmb.results.modal_result import Sweep
from tests.support.command_line import call, folder

__all__ = ["folder"]
Capture = pytest.CaptureFixture[str]

PENDULUM = """
[model]
name = "driven"
gravity = [0, 0, -9.81]
[bodies.bar]
mass = 2
rod = [[0, 0, 0], [1, 0, 0]]
[joints.hinge]
type = "revolute"
bodies = ["ground", "bar"]
at = [0, 0, 0]
axis = "-y"
[motions.drive]
joint = "hinge"
expression = "0.3*sin(4*t)"
[analysis]
end = 0.2
step = 0.01
"""

LOOP = """
[model]
name = "boom on a cylinder"
gravity = [0, 0, -9.81]
[points]
O = [0, 0, 0]
M = [2, 0, 0]
T = [6, 0, 0]
F = [0.5, 0, -1.5]
[bodies.boom]
beam = ["O", "T"]
material = "steel"
section = { type = "tube", outer = "200 mm", inner = "180 mm" }
shapes = { family = "modes", bending = 5 }
markers.lug = { at = "M" }
[bodies.barrel]
mass = 40
rod = ["F", "M"]
[bodies.piston]
mass = 20
rod = ["F", "M"]
[joints.foot]
type = "revolute"
bodies = ["ground", "boom"]
at = "O"
axis = "-y"
[joints.trunnion]
type = "revolute"
bodies = ["ground", "barrel"]
at = "F"
axis = "-y"
[joints.cylinder]
type = "prismatic"
bodies = ["barrel", "piston"]
at = "F"
axis = [1, 0, 1]
[joints.lug]
type = "revolute"
bodies = ["piston", "boom"]
at = "M"
axis = "-y"
[motions.lift]
joint = "cylinder"
rate = 0.1
[analysis]
end = 0.02
step = 1e-3
start = "static"
"""


def words(text: str) -> str:
    return " ".join(text.split())


def test_reactions_that_rest_on_rows_which_all_but_repeat_others_are_named(folder: Path, capsys: Capture) -> None:
    """A beam without twist in a plane loop: the row of its twist is nothing while it is straight, little when bent."""
    Path("loop.toml").write_text(LOOP)
    code, out, err = call(capsys, "inverse", "loop.toml")
    assert (code, err) == (0, "")
    report = words(out)
    assert "ill-determined" in out and "torsion = 1" in report and "lug (mx" in report
    assert "every effort and reaction is determined" not in report
    code, out, _ = call(capsys, "run", "loop.toml")
    report = words(out)
    assert code == 0 and "reactions are ill-determined: some constraints nearly repeat others" in report
    assert "lug (mx" in report
    Path("twist.toml").write_text(LOOP.replace("bending = 5", "bending = 5, torsion = 1"))
    code, out, err = call(capsys, "inverse", "twist.toml")
    assert (code, err) == (0, "")
    assert "ill-determined" not in out and "every effort and reaction is determined" in words(out)
    code, out, _ = call(capsys, "run", "twist.toml")
    assert code == 0 and "ill-determined" not in out


FOUR_BAR = """
[points]
O = [0, 0, 0]
A = [0.1, 0, 0]
B = [0.4, 0, 0.25]
C = [0.5, 0, 0]
[bodies.crank]
mass = 0.5
rod = ["O", "A"]
[bodies.coupler]
beam = ["A", "B"]
y_axis = "y"
material = "aluminium"
section = { type = "rectangle", y = "20 mm", z = "5 mm" }
shapes = { family = "modes", bending = 3 }
[bodies.rocker]
mass = 0.8
rod = ["C", "B"]
[joints]
O = { type = "revolute", bodies = ["ground", "crank"], at = "O", axis = "y" }
A = { type = "revolute", bodies = ["crank", "coupler"], at = "A", axis = "y" }
B = { type = "revolute", bodies = ["coupler", "rocker"], at = "B", axis = "y" }
C = { type = "revolute", bodies = ["ground", "rocker"], at = "C", axis = "y" }
[motions.drive]
joint = "O"
rate = "600 rpm"
[analysis]
end = 0.02
step = 1e-4
"""


def test_a_beam_that_bends_more_is_no_better_known_in_a_plane_loop(folder: Path, capsys: Capture) -> None:
    """Two millimetres of 390 keep the row of the twist apart from others by 3e-4, and by nothing at every zero: it is
    taken as redundant, else its multiplier, noise divided by nothing, spoils the energy balance."""
    Path("loop.toml").write_text(FOUR_BAR)
    code, out, _ = call(capsys, "run", "loop.toml")
    report = words(out)
    assert code == 0 and "reactions are ill-determined" in report
    assert "A (mx, my)" in report and "effort" not in report and "energy balance is off" not in report
    Path("plane.toml").write_text(FOUR_BAR.replace("bending = 3", "bending = { y = 0, z = 3 }"))
    code, out, _ = call(capsys, "run", "plane.toml")
    assert code == 0 and "ill-determined" not in out


def test_a_table_in_place_of_the_result_is_refused_before_anything_is_computed(folder: Path, capsys: Capture) -> None:
    Path("driven.toml").write_text(PENDULUM)
    code, out, err = call(capsys, "inverse", "driven.toml", "-o", "x.csv", "--csv", "./x.csv")
    assert (code, out) == (2, "") and "this is the result file" in err
    assert not Path("x.csv").exists()
    code, out, _ = call(capsys, "inverse", "driven.toml", "-o", "x.h5")
    assert code == 0 and "drives the only degree of freedom: the motion follows from it alone" in words(out)


@pytest.mark.parametrize("motion", ["sqrt(0.1 - t)", "1/(t - 0.1)"])
def test_a_motion_without_a_value_is_named(folder: Path, capsys: Capture, motion: str) -> None:
    Path("driven.toml").write_text(PENDULUM.replace("0.3*sin(4*t)", motion))
    code, _, err = call(capsys, "inverse", "driven.toml")
    assert code == 1 and "motion 'drive' has no finite value" in err and len(err.splitlines()) == 1


def test_a_result_of_another_model_is_refused(folder: Path, capsys: Capture) -> None:
    """Also where both have as many coordinates."""
    Path("driven.toml").write_text(PENDULUM)
    Path("other.toml").write_text(PENDULUM.replace("bodies.bar", "bodies.beam").replace('"bar"', '"beam"'))
    assert call(capsys, "inverse", "driven.toml", "-o", "x.h5", "--quiet")[0] == 0
    assert call(capsys, "modes", "driven.toml", "--result", "x.h5")[0] == 0
    code, out, err = call(capsys, "modes", "other.toml", "--result", "x.h5")
    assert (code, out) == (2, "")
    assert "'x.h5' is the result of another model: only one of the two has 'bar', 'beam'." in err


def test_modes_about_a_static_state_say_that_motions_keep_their_rates(folder: Path, capsys: Capture) -> None:
    Path("loop.toml").write_text(LOOP)
    _, out, _ = call(capsys, "modes", "loop.toml", "--about", "static")
    assert "the motions keep their rates" in words(out)
    assert "frequencies are those in its own coordinates" in words(out)
    _, out, _ = call(capsys, "modes", "loop.toml", "--over", "motions.lift.rate=0:0.1:2", "--most", "2")
    assert "frequencies are those in its own coordinates" in words(out)
    Path("still.toml").write_text(LOOP.replace("rate = 0.1", "rate = 0"))
    _, out, _ = call(capsys, "modes", "still.toml", "--about", "static")
    assert "the static equilibrium" in out and "keep their rates" not in out and "own coordinates" not in out


def test_the_picture_of_undamped_modes_has_no_rounding_for_damping(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from flexmb.view.plots import mode_plots as mode_pictures

    drawn: list[np.ndarray] = []
    monkeypatch.setattr(
        mode_pictures, "write_sheet", lambda panels, *_, **__: drawn.extend(x.y for x in panels[1].lines)
    )
    ratios = np.array([[1e-14, 0.02], [-3e-15, np.nan]])
    sweep = Sweep("speed", "rotor", np.array([0.0, 1.0]), np.array([[1.0, 2.0], [1.0, np.nan]]), ratios, ())
    mode_pictures.draw_sweep(sweep, Path("x.png"))
    np.testing.assert_array_equal(drawn[0], [0.0, 0.0])
    np.testing.assert_array_equal(drawn[1], [0.02, np.nan])
