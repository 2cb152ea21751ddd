"""Inverse dynamics: which drives are enough, their efforts and work, and which reactions are unique.

Covers: analyses.ill_determined, reports.inverse_report, reports.section_report, results.inverse_result.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import flexmb as fx
from flexmb.analyses.ill_determined import COMPONENTS
from flexmb.analyses.inverse import inverse_model
from flexmb.analyses.section_forces import beam_forces
from flexmb.reports.inverse_report import inverse_report, root_mean_square
from flexmb.verification import DATA
from tests.support.driven_models import LEE, SWAY, cart, driven, solve


def test_every_freedom_driven_is_a_kinematic_analysis(tmp_path: Path) -> None:
    found = solve(tmp_path, driven())
    assert (found.how, found.n_driven, found.n_free, found.n_elastic) == ("kinematic", 1, 0, 0)
    assert found.result.settings["analysis"]["type"] == "kinematic"
    (drive,) = found.drives
    energy = found.result["energy/kinetic"] + found.result["energy/potential"]
    # The work of the drive is the change of energy. The first step is integrated by the trapezoidal rule, the others to
    # higher order: (omega h)^3/12 of the energy, with harmonics up to 20 rad/s and h = 1 ms.
    np.testing.assert_allclose(drive.work, energy - energy[0], rtol=0, atol=1e-6 * np.ptp(energy))


def test_fewer_drives_leave_the_rest_dynamic(tmp_path: Path) -> None:
    found = solve(tmp_path, cart(sway=SWAY))
    assert (found.how, found.n_driven, found.n_free) == ("dynamic", 1, 1)
    t, angle = found.result.time, found.result["joints/pivot/position"]
    speed, rate = (found.result[f"joints/pivot/{name}"] for name in ("velocity", "acceleration"))
    pull = -0.2 * 9 * np.sin(3 * t)
    # Newton along x: the cart, and the centre of the bar 0.5 m below the pivot.
    newton = 5.0 * pull + 3.0 * 0.5 * (rate * np.cos(angle) - speed**2 * np.sin(angle))
    # Both sides are of the same row; 1e-9 of tolerance, taken up by the equation itself, not by the trajectory.
    np.testing.assert_allclose(found.drives[0].effort, newton, rtol=0, atol=1e-7)
    text = inverse_report(found, beam_forces(found.result, found.model))
    assert "1 motion drives 1 of 2 degrees of freedom; the other one moves under the loads and is" in " ".join(
        text.split()
    )


def test_a_motion_too_many_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(fx.InputError) as caught:
        solve(tmp_path, cart(sway=SWAY, again={"marker": "cart", "along": "x", "expression": "0.2*sin(3*t)"}))
    (fault,) = caught.value.faults
    assert fault.path in (("motions", "again"), ("motions", "sway"))
    assert "'again'" in str(fault) and "'sway'" in str(fault)


def test_motions_that_contradict_each_other_are_refused_by_name(tmp_path: Path) -> None:
    other = {"marker": "cart", "along": "x", "expression": "0.3*sin(3*t)"}
    with pytest.raises(fx.InputError, match="motion 'sway'.*motion 'again'"):
        solve(tmp_path, cart(sway=SWAY, again=other))


def test_what_has_no_inverse_dynamics_is_refused_at_once(tmp_path: Path) -> None:
    data = cart()
    del data["analysis"]
    with pytest.raises(fx.InputError) as caught:
        solve(tmp_path, data, elastic="stiff")
    texts = " ".join(str(fault) for fault in caught.value.faults)
    assert len(caught.value.faults) == 3
    assert "needs prescribed motions" in texts and "needs a time span" in texts and "dynamic, quasi-static" in texts


def test_reactions_that_are_not_unique_are_named(tmp_path: Path) -> None:
    # A planar loop of revolute and prismatic joints repeats three rows: the force across the plane and the moments
    # in it. The revolute joints have their axis z across the plane, the prismatic one along its slide.
    found = solve(tmp_path, driven(step=0.05))
    across = ("fz", "mx", "my")
    assert found.n_repeated == 3
    assert [found.not_unique[name] for name in ("bearing", "pin", "wrist")] == [across] * 3
    assert len(found.not_unique["slide"]) == 3 and "drive" not in found.not_unique
    # Another spanning tree leaves out other rows: what is unique stays the same.
    other = solve(tmp_path, driven({"default": "absolute"}, step=0.05))
    assert other.not_unique == found.not_unique
    for name, first in found.reactions.items():
        second = other.reactions[name]
        gaps = np.hstack([first.force - second.force, first.moment - second.moment]).T
        for part, difference in zip(COMPONENTS, gaps, strict=True):
            if part not in found.not_unique[name]:
                assert np.abs(difference).max() < 1e-8, f"{name}.{part}"  # the same linear equations
    assert "bearing (fz, mx, my)" in " ".join(inverse_report(found, beam_forces(found.result, found.model)).split())


def test_nothing_is_doubtful_without_repeated_rows(tmp_path: Path) -> None:
    found = inverse_model(fx.read_model(LEE, {"analysis.end": "5 ms"}), tmp_path / "out.h5")
    assert (found.how, found.n_free, found.n_elastic) == ("dynamic", 0, 4)
    assert found.not_unique == {} and "every effort and reaction is determined" in " ".join(
        inverse_report(found, beam_forces(found.result, found.model)).split()
    )


def test_a_flexible_body_settles_what_rigid_ones_leave_open(tmp_path: Path) -> None:
    # Revolute joints at both ends of the rod: a planar loop repeats three rows. The rod bends across the plane and
    # twists not at all, which unties the rows that need bending.
    tables = fx.read_model(LEE, {"analysis.end": "2 ms"}).identity
    for name in ("crank_pin", "slider_pin"):
        joint = {key: value for key, value in tables["joints"][name].items() if key != "axes"}
        tables["joints"][name] = {**joint, "type": "revolute", "axis": "z"}
    flexible = solve(tmp_path, tables)
    tables["bodies"]["rod"] = {"mass": 0.0756, "rod": ["A", "B"]}
    del tables["sensors"]["rod_bending"]
    rigid = solve(tmp_path, tables)
    assert (flexible.how, flexible.n_free) == ("dynamic", 0) and (rigid.how, rigid.n_free) == ("kinematic", 0)
    assert rigid.n_repeated == 3 and flexible.n_repeated < 3
    assert set(flexible.not_unique) <= set(rigid.not_unique)


def test_work_of_the_drive_is_the_change_of_energy_with_a_flexible_rod(tmp_path: Path) -> None:
    found = inverse_model(fx.read_model(LEE), tmp_path / "out.h5")
    energy = found.result["energy/kinetic"] + found.result["energy/potential"]
    # Steps of 1/180 of the second period dissipate by the numerical damping of the method: its order, (2 pi/180)^3 of
    # the strain energy (0.3 % of all), makes 1e-7; 1e-6 leaves room for the twenty-seven turns of that mode.
    np.testing.assert_allclose(found.drives[0].work, energy - energy[0], rtol=0, atol=1e-6 * energy.max())


def test_a_slow_quasi_static_rod_takes_the_torque_of_a_rigid_one(tmp_path: Path) -> None:
    slow = {"speed": "12.57 rad/s", "analysis.end": "0.5 s", "output.every": "10 ms"}
    found = inverse_model(fx.read_model(LEE, slow), tmp_path / "out.h5", elastic="quasi-static")
    assert found.how == "quasi-static" and "in balance" in found.result.report
    assert "they are in balance with the loads" in " ".join(
        inverse_report(found, beam_forces(found.result, found.model)).split()
    )
    rigid = np.loadtxt(DATA / "lee_rigid.csv", delimiter=",").T
    torque = np.interp(found.result.time, 10 * rigid[0], rigid[4] / 100)  # inertia alone: the square of the speed
    # (speed/first frequency)^2 = 2e-4, times the part of the rod, below one; Table 1 rounds the inertia by 1.3e-3, half
    # of which the torque sees.
    np.testing.assert_allclose(found.drives[0].effort, torque, rtol=0, atol=1.5e-3 * np.abs(torque).max())


def test_root_mean_square() -> None:
    time = np.linspace(0.0, 2.0, 2001)
    assert root_mean_square(time, 3.0 * np.sin(np.pi * time)) == pytest.approx(3.0 / np.sqrt(2.0), rel=1e-6)
    assert root_mean_square(time[:1], np.array([-2.0])) == 2.0


def test_a_body_without_joints_is_pushed_along_its_way(tmp_path: Path) -> None:
    data = {
        "bodies": {"lump": {"mass": 2.0, "inertia": [0.1, 0.2, 0.3]}},
        "motions": {"push": {"marker": "lump", "along": "y", "polynomial": [0, 0, 1.5]}},
        "analysis": {"end": 1.0, "step": 0.01},
    }
    found = solve(tmp_path, data)
    assert (found.n_driven, found.n_free, found.reactions) == (1, 5, {})
    np.testing.assert_allclose(found.drives[0].effort, 2.0 * 3.0, rtol=1e-9)  # m a
    assert found.drives[0].work[-1] == pytest.approx(2.0 * 3.0**2 / 2.0, rel=1e-9)  # of a steady force: exact
    assert "the other 5 move under the loads and are integrated" in " ".join(
        inverse_report(found, beam_forces(found.result, found.model)).split()
    )
