"""The examples: model file and Python script are the same model, and each gives its expected number."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import flexmb as fx
from tests.support.example_scripts import differences, plain, script
from tests.support.places import EXAMPLES

BUILDERS = {
    "01_double_pendulum": "double_pendulum",
    "02_planar_slider_crank": "slider_crank",
    "03_pendulating_rotor": "rotor",
    "14_planetary_gear": "planetary_gear",
}


def run_file(name: str, folder: Path, **settings: str) -> fx.Result:
    return fx.run_model(fx.read_model(EXAMPLES / f"{name}.toml", settings), folder / f"{name}.h5")


@pytest.mark.parametrize("name", BUILDERS)
def test_model_file_and_script_are_the_same_model(name: str) -> None:
    # Expressions are left out: they hold their source text, which may differ.
    left_out = {"parameters": True, "forces": {"motor": {"effort"}, "load": {"effort"}}}
    from_file = fx.read_model(EXAMPLES / f"{name}.toml").spec
    from_script = getattr(script(name), BUILDERS[name])().spec
    dumped = (plain(spec, left_out) for spec in (from_file, from_script))
    assert differences(*dumped) == []


def test_double_pendulum(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = script("01_double_pendulum").main(str(tmp_path / "out.h5"))
    # A local error of 1e-9 makes 2e-8 at 10 s; the reference has nine digits.
    assert found["theta1"] == pytest.approx(-0.474385196, abs=1e-7)
    assert found["theta2"] == pytest.approx(-0.302872040, abs=1e-7)
    assert found["energy"] == pytest.approx(-12.2446159, abs=1e-7)
    assert "expected" in capsys.readouterr().out


def test_planar_slider_crank(tmp_path: Path) -> None:
    found = script("02_planar_slider_crank").main(str(tmp_path / "out.h5"))
    # Generalised-alpha at 0.1 ms: the error goes with h^2, 1e-4 rad at 0.4 ms, so 6e-6 rad here. rk45: nine digits.
    for formulation, tolerance in (("augmented", 1e-5), ("embedding", 1e-7)):
        assert found[formulation]["alpha1"] == pytest.approx(27.654153816, abs=tolerance)
        assert found[formulation]["alpha2"] == pytest.approx(-24.764289165, abs=tolerance)
        assert found[formulation]["slider_position"] == pytest.approx(0.2169031384, abs=tolerance)
        assert found[formulation]["crank_speed"] == pytest.approx(21.686857361, abs=10 * tolerance)


def test_planar_slider_crank_work_and_closing_joint(tmp_path: Path) -> None:
    result = run_file("02_planar_slider_crank", tmp_path)
    # The joint that closes the loop measures the same slide.
    np.testing.assert_allclose(result["joints/slider/position"][:, 0], result["sensors/slider_position"], atol=1e-12)
    # The torque's work is all the energy there is.
    work = result["energy/work/motor"]
    np.testing.assert_allclose(work, 0.05 * (result["sensors/alpha1"] - 0.3), rtol=0, atol=1e-6)


def test_planar_slider_crank_keeps_its_energy_without_torque(tmp_path: Path) -> None:
    # With the misprinted Jacobian of eq. 37 it would wander between 0.30 and 5.6 J.
    result = run_file("02_planar_slider_crank", tmp_path, torque="0")
    np.testing.assert_allclose(result["energy/kinetic"], 0.3558155344, rtol=1e-5)


def test_pendulating_rotor(tmp_path: Path) -> None:
    found = script("03_pendulating_rotor").main(str(tmp_path / "out.h5"))
    # Generalised-alpha at 0.5 ms: (omega h)^2/12 per rad with omega = 4.4 rad/s, 2e-5 of the amplitude over 44 rad.
    assert found["theta"] == pytest.approx(-0.495683416, abs=1e-5)
    assert found["T1"] == pytest.approx(1.03513811, abs=2e-5)
    assert found["T2"] == pytest.approx(0.0300520988, abs=2e-6)
    assert found["largest |T1|"] == pytest.approx(1.122482, abs=1e-3)  # of 501 rows, not of the curve
    # Torques and motion of one instant belong together more closely than either to the exact solution.
    assert found["T1 against the printed equation"] < 1e-5
    assert found["T2 against the printed equation"] < 1e-5


def test_pendulating_rotor_work(tmp_path: Path) -> None:
    result = run_file("03_pendulating_rotor", tmp_path)
    # Two servos and gravity: what they put in is what the disk has.
    work = result["energy/work/servo_1"] + result["energy/work/servo_2"]
    energy = result["energy/kinetic"] + result["energy/potential"]
    np.testing.assert_allclose(energy - energy[0], work, rtol=0, atol=1e-6 * np.max(result["energy/kinetic"]))


def test_the_python_of_the_readme_runs(tmp_path: Path) -> None:
    readme = (EXAMPLES.parent / "README.md").read_text()
    code = readme.split("```python\n")[1].split("```")[0]
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "run finished" in done.stdout
    # The last line is time, angle and force: it swings freely but for a little friction.
    assert done.stdout.splitlines()[-1].startswith("5.0 ")


def test_a_bent_sheet_sinks_as_two_beams_do(capsys: pytest.CaptureFixture[str]) -> None:
    found = script("11_shell_bracket").main()
    assert found["shells"] == pytest.approx(1.278, abs=5e-4) and found["two beams"] == pytest.approx(1.269, abs=5e-4)
    assert found["shells without weight"] == pytest.approx(found["two beams"], rel=0.03)
    model = fx.read_model(EXAMPLES / "11_shell_bracket.toml", {"analysis.type": "static"})
    assert 150.0 - 1e3 * fx.run(model)["sensors/sink"][0] == pytest.approx(found["shells"], rel=1e-6)
    report = fx.modes_of_model(fx.read_model(EXAMPLES / "11_shell_bracket.toml"), about="static")
    assert min(mode.frequency for mode in report.shown) == pytest.approx(11.15, abs=5e-3)


def test_a_crane_hits_its_buffer_and_sets_its_load_down(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    found = script("15_crane_with_rope").main()[1.0]
    assert found["rope"] == pytest.approx(4.909, abs=1e-3) and found["floor"] == pytest.approx(9.81, rel=1e-5)
    assert found["rope"] == pytest.approx(1000 * 9.81 / 2 * np.hypot(5, 0.2) / 5 / 1e3, rel=1e-4)
    assert found["buffer"] == pytest.approx(11.75, abs=5e-3)
    with fx.run_model(fx.read_model(EXAMPLES / "15_crane_with_rope.toml"), tmp_path / "r.h5") as result:
        assert -1e-3 * result["sensors/buffer"].min() == pytest.approx(found["buffer"], rel=1e-4)
        assert result["sensors/tension"][-1] == 0.0 and result.summary["energy_balance"] < 1e-6
        assert not result.warnings and "rail_limits: hit 5 times" in result.report


def test_brackets_from_step_swing_as_their_geometry_says(capsys: pytest.CaptureFixture[str]) -> None:
    rows = script("12_from_step").main()
    # A mesh of second order misses the area of a bore by 1e-5, and stretching lowers a frequency by less than that.
    for (meshed, rigid), expected in zip(rows, (1.8427, 3.1230), strict=True):
        assert meshed == pytest.approx(rigid, rel=2e-5) and meshed == pytest.approx(expected, abs=5e-5)
    report = fx.modes_of_model(fx.read_model(EXAMPLES / "12_from_step.toml"), about="static")
    assert [mode.frequency for mode in report.shown[:2]] == pytest.approx([row[0] for row in rows], rel=1e-6)


@pytest.mark.long
def test_hot_spots_of_a_rod_on_a_shaker(tmp_path: Path) -> None:
    found = script("13_hot_spots").main()
    assert (found["node"], found["time"]) == (11.0, pytest.approx(1.3368, abs=1e-9))
    assert found["hot spot"] == pytest.approx(184.4, abs=0.1) and found["damage"] == pytest.approx(4.57e-5, rel=5e-3)
    # The middle of a tapered rod, and the shape of a uniform cantilever for its inertia, a tenth of the moment.
    assert found["middle"] == pytest.approx(103.6, abs=0.1) and found["by hand"] == pytest.approx(103.2, abs=0.1)
    assert found["middle"] == pytest.approx(found["by hand"], rel=0.01)
    with run_file("13_hot_spots", tmp_path) as result:
        stress = result.stress(sn="sigma_a = 120 MPa, N = 1e6, k = 5, Rm = 500 MPa")
    first = stress.spots[0]
    assert 1e-6 * first.von_mises == pytest.approx(found["hot spot"], rel=1e-9)
    assert first.damage is not None and first.damage.damage == pytest.approx(found["damage"], rel=1e-6)
    assert first.damage.n_cycles == 63 and first.damage.repeats == pytest.approx(21_900, rel=5e-3)
    modes = fx.modes_of_model(fx.read_model(EXAMPLES / "13_hot_spots.toml"))
    assert modes.shown[0].frequency == pytest.approx(39.4, abs=0.05)


def test_planets_share_the_load_of_a_planetary_gear(capsys: pytest.CaptureFixture[str]) -> None:
    found = script("14_planetary_gear").main()
    # Constant accelerations: rk45 has no error of its own. The pin feels both tangential forces, and the difference of
    # the separating ones.
    tangent = np.tan(np.radians(20.0)) * (31.427439014821 - 27.687707000010)
    for values in found.values():
        assert values["ratio"] == pytest.approx(3.5, rel=1e-12) and values["sun"] == pytest.approx(302.918293, rel=1e-8)
        assert values["inner"] == pytest.approx(31.427439, rel=1e-8)
        assert values["outer"] == pytest.approx(27.687707, rel=1e-8)
        assert values["pin"] == pytest.approx(np.hypot(45.483822821, tangent), rel=1e-8)
