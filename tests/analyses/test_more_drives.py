"""More drives than degrees of freedom: fitted motions, shared efforts, against closed forms, numpy and scipy.

Covers: solvers.least_squares_motion.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.interpolate import make_interp_spline
from scipy.optimize import least_squares

import flexmb as fx
from flexmb.analyses.section_forces import beam_forces
from flexmb.bodies.orientation import rotations
from flexmb.reports.inverse_report import inverse_report
from flexmb.results.reaction_table import reaction_columns
from tests.support.command_line import call
from tests.support.driven_models import (
    CRANK,
    DRIVE,
    HEIGHT,
    LEE,
    START,
    SWAY,
    TURN,
    cart,
    four_bar,
    rocker_angle,
    solve,
)

Array = NDArray[np.float64]
FIT = {"more_drives": "least-squares"}


ASIDE = {"marker": "crank.tip", "along": "x", "expression": f"{CRANK}*cos({START} + {TURN})"}


def turned(t: Any) -> Any:
    return 0.8 * t + 0.2 * np.sin(3.0 * t)


def test_efforts_do_the_work_of_one_drive_and_have_the_least_norm(tmp_path: Path) -> None:
    one = solve(tmp_path, four_bar({"drive": DRIVE}))
    torque = one.drives[0].effort
    several = solve(tmp_path, four_bar({"drive": DRIVE, "lift": HEIGHT, "aside": ASIDE}), **FIT)
    assert several.fit is not None and several.fit.n_freedom == 1
    t = several.result.time
    # Virtual work for a turn of the crank by one radian: the torque turns by one, the tip moves by 0.2 (-sin, cos). The
    # motions agree, so nothing but the solution of linear equations separates both sides.
    angle = START + turned(t)
    reach = np.column_stack([np.ones_like(t), CRANK * np.cos(angle), -CRANK * np.sin(angle)])
    efforts = np.column_stack([drive.effort for drive in several.drives])
    np.testing.assert_allclose(np.sum(reach * efforts, axis=1), torque, rtol=0, atol=1e-10 * np.abs(torque).max())
    length = several.fit.length
    per = np.array([length, 1.0, 1.0])  # torques over the length scale
    least = np.array([np.linalg.pinv((row * per)[None, :])[:, 0] * tau for row, tau in zip(reach, torque, strict=True)])
    np.testing.assert_allclose(efforts / per, least, rtol=0, atol=1e-10 * np.abs(least).max())
    assert max(float(np.abs(motion.residual).max()) for motion in several.fit.motions) < 1e-12
    assert several.not_unique["drive"] == several.not_unique["lift"] == ("effort",)
    # The work of all drives is that of one: the same energy.
    work = sum(drive.work for drive in several.drives)
    np.testing.assert_allclose(work, one.drives[0].work, rtol=0, atol=1e-10 * np.ptp(one.drives[0].work))


def test_the_same_motion_as_by_one_drive(tmp_path: Path) -> None:
    one = solve(tmp_path, four_bar({"drive": DRIVE}))
    wanted = {path: one.result[path] for path in one.result.channels if path.startswith("bodies/")}
    accelerations = one.result["joints/right/acceleration"]
    several = solve(tmp_path, four_bar({"drive": DRIVE, "lift": HEIGHT}), **FIT)
    for path, values in wanted.items():
        np.testing.assert_allclose(several.result[path], values, rtol=0, atol=1e-11, err_msg=path)
    np.testing.assert_allclose(several.result["joints/right/acceleration"], accelerations, rtol=0, atol=1e-9)


def contradicting() -> dict[str, Any]:
    """The rocker is asked to swing as a shaky measurement has it: some 0.02 rad beside what the crank asks for."""
    rocker = {"joint": "right", "expression": "0.05 + 0.3*t + 0.03*cos(7*t)"}
    return {"drive": DRIVE, "rocker": rocker, "lift": HEIGHT}


def test_contradicting_motions_are_fitted_by_least_squares(tmp_path: Path) -> None:
    found = solve(tmp_path, four_bar(contradicting()), **FIT)
    assert found.fit is not None
    length = found.fit.length
    t, crank, rocker = (found.result[name] for name in ("time", "joints/left/position", "joints/right/position"))
    residuals = np.column_stack([motion.residual for motion in found.fit.motions])
    for k in range(0, len(t), 10):

        def scaled(angle: Array, t: float = t[k]) -> Array:
            swing = rocker_angle(START + angle[0]) - rocker_angle(START)
            rise = CRANK * (np.sin(START + angle[0]) - np.sin(START + turned(t)))
            return np.array([angle[0] - turned(t), swing - 0.05 - 0.3 * t - 0.03 * np.cos(7 * t), rise / length])

        best = least_squares(scaled, [turned(t[k])], xtol=1e-15, ftol=1e-15, gtol=1e-15, jac="3-point")
        # The derivatives of least_squares are differences: good to 1e-10 of the residual, some 0.1 rad.
        assert crank[k] == pytest.approx(best.x[0], abs=1e-8)
        np.testing.assert_allclose(residuals[k] / [1.0, 1.0, length], scaled(best.x), rtol=0, atol=1e-8)
    assert np.abs(residuals).max() > 0.02
    # The joints hold exactly.
    np.testing.assert_allclose(rocker, rocker_angle(START + crank) - rocker_angle(START), rtol=0, atol=1e-12)


def test_rates_of_fitted_motions_are_time_derivatives(tmp_path: Path) -> None:
    data = four_bar(contradicting())
    data["analysis"]["step"] = 2e-3
    found = solve(tmp_path, data, **FIT)
    t = found.result.time
    inside = slice(10, -10)
    for joint in data["joints"]:
        path = f"joints/{joint}"
        spline = make_interp_spline(t, found.result[f"{path}/position"], k=7)
        # Positions to 1e-8^2 by Newton; differentiated twice over 2 ms that is 1e-9; the derivatives of G in the rates
        # are differences of second order over 1e-3 of a step, negligible beside it.
        for order, name in ((1, "velocity"), (2, "acceleration")):
            values = found.result[f"{path}/{name}"]
            error = np.abs(spline.derivative(order)(t) - values)[inside].max()
            assert error < 1e-7 * np.abs(values).max(), f"{joint} {name}"


def test_work_is_the_change_of_energy_though_motions_contradict(tmp_path: Path) -> None:
    data = four_bar(contradicting())
    data["analysis"]["step"] = 1e-3
    found = solve(tmp_path, data, **FIT)
    energy = found.result["energy/kinetic"] + found.result["energy/potential"]
    # The first step is integrated by the trapezoidal rule, the others to higher order: (omega h)^3/12 with 7 rad/s.
    work = sum(drive.work for drive in found.drives)
    np.testing.assert_allclose(work, energy - energy[0], rtol=0, atol=1e-6 * np.ptp(energy))
    assert found.result.summary["energy_balance"] < 1e-6


def test_equal_drives_are_the_ordinary_analysis(tmp_path: Path) -> None:
    plain = solve(tmp_path, four_bar({"drive": DRIVE}))
    wanted = plain.drives[0].effort.copy()
    asked = solve(tmp_path, four_bar({"drive": DRIVE}), **FIT)
    assert asked.fit is None
    np.testing.assert_array_equal(asked.drives[0].effort, wanted)


def test_a_spatial_mechanism_with_rotations(tmp_path: Path) -> None:
    # A body on a spherical joint, held in space by four motions of two markers for three degrees of freedom.
    data = {
        "points": {"A": [0.6, 0, 0], "B": [0, 0.4, 0]},
        "bodies": {
            "top": {
                "mass": 2.0,
                "inertia": [0.03, 0.04, 0.05],
                "at": [0.3, 0, 0],
                "markers": {"a": {"at": "A"}, "b": {"at": "B"}},
            }
        },
        "joints": {"ball": {"type": "spherical", "bodies": ["ground", "top"], "at": [0, 0, 0]}},
        "motions": {
            "a_y": {"marker": "top.a", "along": "y", "expression": "0.2*sin(2*t)"},
            "a_z": {"marker": "top.a", "along": "z", "expression": "0.1*sin(3*t)"},
            "b_z": {"marker": "top.b", "along": "z", "expression": "0.05*t"},
            "b_x": {"marker": "top.b", "along": "x", "expression": "-0.13*sin(2*t)"},
        },
        "analysis": {"end": 1.0, "step": 2e-3},
    }
    found = solve(tmp_path, data, **FIT)
    assert found.fit is not None and found.fit.n_freedom == 3
    t, inside = found.result.time, slice(10, -10)
    speed = make_interp_spline(t, found.result["bodies/top/position"], k=7).derivative()(t)
    np.testing.assert_allclose(found.result["bodies/top/velocity"][inside], speed[inside], rtol=0, atol=1e-8)
    omega = found.result["joints/ball/velocity"]
    turning = make_interp_spline(t, omega, k=7).derivative()(t)
    found_turning = found.result["joints/ball/acceleration"]
    np.testing.assert_allclose(found_turning[inside], turning[inside], rtol=0, atol=1e-7)
    # Stationary: any small rotation leaves the sum of squares, to first order; residuals by hand from the poses.
    residual = np.column_stack([motion.residual for motion in found.fit.motions])
    places = {"a": np.array([0.6, 0, 0]), "b": np.array([0, 0.4, 0])}
    R = rotations(found.result["bodies/top/quaternion"])
    columns = {"a_y": ("a", 1), "a_z": ("a", 2), "b_z": ("b", 2), "b_x": ("b", 0)}
    gradient = np.zeros((len(t), 3))
    for r, (name, axis) in zip(residual.T, columns.values(), strict=True):
        place = np.einsum("rij,j->ri", R, places[name])
        gradient += r[:, None] * np.cross(place, np.eye(3)[axis])
    assert np.abs(residual).max() > 1e-3
    assert np.abs(gradient).max() < 1e-9


def test_refused_without_the_option_which_is_named(tmp_path: Path) -> None:
    with pytest.raises(fx.InputError, match="--more-drives least-squares"):
        solve(tmp_path, four_bar({"drive": DRIVE, "lift": HEIGHT}))
    with pytest.raises(fx.ComputationError, match="Or fit all of them: --more-drives least-squares"):
        solve(tmp_path, four_bar(contradicting()))
    with pytest.raises(fx.InputError, match="choices: refuse, least-squares"):
        solve(tmp_path, four_bar({"drive": DRIVE}), more_drives="all")


def test_free_and_flexible_mechanisms_are_refused(tmp_path: Path) -> None:
    again = {"marker": "cart", "along": "x", "expression": "0.2*sin(3*t)"}
    with pytest.raises(fx.InputError, match="only when they drive every degree of freedom"):
        solve(tmp_path, cart(sway=SWAY, again=again), **FIT)
    third = {"marker": "cart", "along": "x", "expression": "0.21*sin(3*t)"}
    data = cart(sway=SWAY, again=again, third=third)
    data["analysis"] = {"end": 1.0, "step": 0.01}
    with pytest.raises(fx.InputError, match="drive every degree of freedom; 1 are free"):
        solve(tmp_path, data, **FIT)
    tables = fx.read_model(LEE).identity
    tables["motions"]["again"] = {"marker": "slider", "along": "x", "expression": "0.3"}
    with pytest.raises(fx.InputError, match="only in a rigid, fully driven mechanism, and 'rod' is flexible"):
        solve(tmp_path, tables, **FIT)


def test_report_and_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = tmp_path / "four_bar.toml"
    model.write_text(fx.Model.from_tables(four_bar(contradicting())).to_toml(), encoding="utf-8")
    target = str(tmp_path / "out.h5")
    code, out, err = call(capsys, "inverse", str(model), "-o", target, "--more-drives", "least-squares")
    assert (code, err) == (0, "")
    words = " ".join(out.split())
    assert "-2 (1 less 3 prescribed)" in words
    assert "3 motions for 1 degree of freedom: the joints hold exactly" in words and "minimise the sum" in words
    found = solve(tmp_path, four_bar(contradicting()), **FIT)
    assert found.fit is not None
    largest = max(np.abs(found.fit.motions[1].residual))
    (line,) = [line.split() for line in out.splitlines() if line.split()[:1] == ["rocker"] and "rad" in line]
    assert abs(float(line[1])) == pytest.approx(largest, rel=1e-3)
    assert inverse_report(found, beam_forces(found.result, found.model)) in out
    columns = reaction_columns(found)
    assert [*columns][4:7] == ["drive.residual [rad]", "rocker.residual [rad]", "lift.residual [m]"]
    code, _, err = call(capsys, "inverse", str(model), "-o", target, "--more-drives", "least-squares", "--verify")
    assert code == 2 and "--verify" in err
