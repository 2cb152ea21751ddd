"""Warnings about one-sided springs: dampers that push on a slack rope, tolerances too coarse for a contact."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from flexmb.analyses.preparation import prepare
from flexmb.analyses.run import run_model
from flexmb.model.model_file import read_model
from flexmb.reports.contact_warnings import contact_warnings, deflection_and_energy, deflection_of_energy, one_sided
from flexmb.results.result_file import Result
from flexmb.warning import WarningRecord

ROPE = """
[model]
gravity = [0, 0, -9.81]
[parameters]
c = 50
[bodies.load]
mass = 1
inertia = [0.1, 0.1, 0.1]
at = [0, 0, -1]
[joints.guide]
type = "prismatic"
bodies = ["ground", "load"]
at = [0, 0, -1]
axis = "z"
velocity = 2
[forces.rope]
type = "spring-damper"
markers = ["ground", "load"]
length = 1
table = [[-1, 0], [0, 0], [1, 1e4]]
damping = "$c"
[sensors.pull]
force = "rope"
[analysis]
end = 1
step = 1e-3
"""

BALL = """
[model]
gravity = [0, 0, -9.81]
[bodies.ball]
mass = 1
inertia = [0.1, 0.1, 0.1]
[joints.rail]
type = "prismatic"
bodies = ["ground", "ball"]
at = [0, 0, 0]
axis = "z"
position = 1
[forces.stop]
type = "joint-spring"
joint = "rail"
table = [[-1, -1e7], [0, 0], [10, 0]]
[analysis]
end = 1
method = "rk45"
tolerance = 1e-3
[output]
every = 1e-4
"""


def warnings_of(text: str, folder: Path, settings: dict[str, str] | None = None) -> tuple[list[WarningRecord], Result]:
    """Records and result of a run; they are also in its report."""
    path = folder / "model.toml"
    path.write_text(text)
    model = read_model(path, settings or {})
    result = run_model(model, folder / "r.h5")
    energies = (result.summary[key] for key in ("energy_error", "peak_energy"))
    found = list(contact_warnings(model.spec, prepare(model).system, result, *energies))
    report = " ".join(result.report.split())
    assert all(" ".join(warning.text.split()) in report for warning in found)
    return found, result


def test_sides() -> None:
    assert one_sided([(-1, 0), (0, 0), (1, 5)]) == 1 and one_sided([(-1, -5), (0, 0), (1, 0)]) == -1
    for both in ([(-1, -1), (1, 1)], [(0, 0), (1, 5)], [(-1, 0), (0, 0), (1, 0)], [(-2, 0), (-1, 0), (0, -1), (1, 3)]):
        assert one_sided(both) == 0


def test_deflection_and_energy_of_a_table() -> None:
    """Two slopes: 10 N at 1 m, 110 N at 2 m, then on with 100 N/m; energies are areas of trapezoids."""
    rope = [(-3, 0), (0, 0), (1, 10), (2, 110)]
    stop = [(-x, -f) for x, f in reversed(rope)]
    for points, side in ((rope, 1), (stop, -1)):
        assert deflection_and_energy(points, side, 10.0) == pytest.approx((1.0, 5.0))
        assert deflection_and_energy(points, side, 60.0) == pytest.approx((1.5, 5.0 + 17.5))
        assert deflection_and_energy(points, side, 210.0) == pytest.approx((3.0, 5.0 + 60.0 + 160.0))
        for force in (5.0, 60.0, 210.0):
            deflection, energy = deflection_and_energy(points, side, force)
            assert deflection_of_energy(points, side, energy) == pytest.approx(deflection, rel=1e-9)


def test_a_damper_that_pushes_on_a_slack_rope(tmp_path: Path) -> None:
    """The load is thrown up at 2 m/s under a rope of damping 50 N s/m: at first the slack rope pushes with 100 N."""
    (warning, *_), result = warnings_of(ROPE, tmp_path)
    with result:
        assert (warning.code, warning.place, warning.unit) == ("slack-damper", "forces.rope", "N")
        assert warning.time == 0.0 and warning.value == pytest.approx(100.0) == pytest.approx(
            -np.min(result["sensors/pull"])
        )
        assert "pushes with 100 N" in warning.text


def test_a_rope_without_damping_does_not_push(tmp_path: Path) -> None:
    found, result = warnings_of(ROPE, tmp_path, {"c": "0", "analysis.step": "1e-4"})
    with result:
        assert np.min(result["sensors/pull"]) == 0.0 and not found


def test_a_damped_stop_that_pulls(tmp_path: Path) -> None:
    text = BALL.replace("-1e7", "-1e4").replace('joint-spring"', 'joint-spring"\ndamping = 5')
    settings = {"analysis.tolerance": "1e-8", "output.every": "1e-3"}
    (warning, *_), result = warnings_of(text, tmp_path, settings)
    with result:
        # The slack damper holds the ball during its fall, so that it pulls from the start: 5 v of at most 9.81 N.
        assert warning.code == "slack-damper" and "pulls with" in warning.text and 0.0 < (warning.value or 0.0) < 30.0


@pytest.mark.parametrize("tolerance", [1e-3, 1e-6])
def test_a_tolerance_above_the_deflection(tmp_path: Path, tolerance: float) -> None:
    """A fall from 1 m onto 1e7 N/m: sqrt(2 m g h/k) = 1.4 mm, of which the tolerance allows 1 mm, or 1 um."""
    found, result = warnings_of(BALL, tmp_path, {"analysis.tolerance": str(tolerance)})
    result.close()
    assert [warning.code for warning in found] == (["coarse-tolerance"] if tolerance == 1e-3 else [])
    if found:
        assert found[0].value == pytest.approx(1e-3) and "deflected by 0.001" in found[0].text


def test_a_step_that_does_not_resolve_a_contact(tmp_path: Path) -> None:
    """A contact of 10 ms is two steps of 5 ms; steps of 2 ms lose 7 % of its energy, steps of 0.1 ms resolve it."""
    text = BALL.replace("-1e7", "-1e5").replace('method = "rk45"\n', "").replace("tolerance = 1e-3", "step = 5e-3")
    codes = []
    for step in ("5e-3", "2e-3", "1e-4"):
        found, result = warnings_of(text, tmp_path, {"analysis.step": step, "output.every": step})
        result.close()
        codes.append([(warning.code, warning.unit) for warning in found])
    assert codes == [[("contact-not-resolved", "steps")], [("contact-not-resolved", "J")], []]
