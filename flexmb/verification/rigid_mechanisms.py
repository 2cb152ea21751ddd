"""Mechanisms of rigid bodies: A01 to A06a, A09, A10a. A comment says why method and step reach the tolerance."""

from __future__ import annotations

import numpy as np

from flexmb.arrays import Floats
from flexmb.bodies.orientation import rotations
from flexmb.verification.case import Comparison, Finding, case, compare
from flexmb.verification.running import Record, crossings, expected, run

IFTOMM = "IFToMM library of benchmarks"


def pendulum_findings(pendulum: Record, times: tuple[float, ...]) -> list[Finding]:
    """Positions at some times and the rate at 10 s of A01."""
    want = expected("A01")
    places = [pendulum.at(t, "bodies/bob/position")[:2] for t in times]
    # The entry counts its angle clockwise: its P(9.99) and P(10) show the bob moving to the right at the bottom.
    rate = pendulum.at(10, "joints/pivot/velocity")
    return [
        compare("position of the bob", "m", [want[f"P({t:g})"] for t in times], places, absolute=1e-6),
        compare("angular velocity at 10 s", "rad/s", -want["theta_dot(10)"], rate, absolute=1e-6),
    ]


@case("A01", "Pendulum, released from the horizontal, 10 s", f"{IFTOMM}; elliptic functions")
def pendulum() -> Comparison:
    # rk45 keeps a local error of 1e-10: 1e-8 after four swings, two digits below the required 1e-6.
    found, want = run("A01_pendulum"), expected("A01")
    angle, rate = found["joints/pivot/position"], found["joints/pivot/velocity"]
    periods = 2 * np.diff(crossings(found["time"], angle, rate))
    findings = [
        *pendulum_findings(found, (1, 5, 9.99, 10)),
        compare("period", "s", np.full_like(periods, want["period"]), periods, absolute=1e-6),
        found.drift(1e-7),  # the library's precision class requires 5e-5 J
    ]
    return Comparison(
        findings,
        [found.curve("x of the bob", "m", "bodies/bob/position", (1, 5, 10), [want[f"P({t})"][0] for t in (1, 5, 10)])],
    )


def fourbar_findings(fourbar: Record, level: float) -> list[Finding]:
    """Places, velocity and branch of A02; level: tolerance of the angle of the coupler [rad]."""
    want = expected("A02")
    places = [fourbar.at(t, "sensors/B0")[:2] for t in (1, 5, 10)]
    velocity = fourbar.at(10, "sensors/B0_velocity")[:2]
    coupler = fourbar.at(3, "sensors/B0")[:2] + [0.5, 0.0]  # it begins at B0 and is level, see below
    angle = fourbar["joints/foot_left/position"] + fourbar["joints/pin_left/position"]
    return [
        compare("position of B0 at 1, 5, 10 s", "m", [want[f"B0({t})"] for t in (1, 5, 10)], places, absolute=1e-4),
        compare("velocity of B0 at 10 s", "m/s", want["vB0(10)"], velocity, absolute=1e-4),
        compare("centre of a coupler at 3 s", "m", want["MBDyn_coupler1_com(3)"], coupler, absolute=1e-4),
        # The parallel branch: a coupler that starts level stays level, also after every horizontal crossing.
        compare("coupler stays level", "rad", np.zeros_like(angle), angle, absolute=level),
    ]


@case("A02", "Double four-bar through its singular positions, 10 s", f"{IFTOMM}; Exudyn, MBDyn")
def double_fourbar() -> Comparison:
    # Second order: 2e-6 m at h = 1e-3 s. The energy: the library's high precision class.
    found, want = run("A02_double_fourbar"), expected("A02")
    dots = [want[f"B0({t})"][0] for t in (1, 5, 10)]
    curve = found.curve("x of B0", "m", "sensors/B0", (1, 5, 10), dots)
    return Comparison([*fourbar_findings(found, 1e-6), found.drift(1e-3)], [curve])


ANGLES = [f"joints/{name}/" for name in ("beta", "theta", "gamma", "phi", "delta", "omega", "epsilon")]


def squeezer_findings(squeezer: Record) -> list[Finding]:
    """Accelerations and multipliers at the start, everything at 0.03 s of A03."""
    want = expected("A03")

    def angles(t: float, key: str) -> Floats:
        return squeezer.at(t, *[path + key for path in ANGLES])

    def loop_forces(t: float) -> Floats:
        """Multipliers of the test set: the forces at E on K3, K4 and K6, in world axes."""
        turn = rotations(squeezer.at(t, "bodies/K2/quaternion"))
        return np.concatenate([(turn @ squeezer.at(t, f"joints/{name}/force"))[:2] for name in ("E23", "E24", "E26")])

    return [
        # Some values at the start are zero: counted against the largest.
        compare("accelerations at 0 s", "rad/s^2", want["qdd(0)"], angles(0, "acceleration"), of_peak=1e-7),
        compare("multipliers at 0 s", "N", want["lambda(0)"], loop_forces(0), of_peak=1e-8),
        compare("angles at 0.03 s", "rad", want["q(0.03)"], angles(0.03, "position"), relative=1e-6),
        compare("velocities at 0.03 s", "rad/s", want["qd(0.03)"], angles(0.03, "velocity"), relative=1e-6),
        compare("multipliers at 0.03 s", "N", want["lambda(0.03)"], loop_forces(0.03), relative=1e-4),
    ]


@case("A03", "Andrews' squeezer, seven bodies, 0.05 s", "Test Set for IVP Solvers")
def andrews() -> Comparison:
    # The embedded equations by rk45 with a local error of 1e-10: 4e-8 in the velocities after 2.5 turns of the crank.
    squeezer, want = run("A03_andrews", end=0.05), expected("A03")
    path = ANGLES[0] + "position"
    beta, rate = squeezer[path], squeezer.at(0.05, ANGLES[0] + "velocity")
    work, energy = 0.033 * (beta - beta[0]), squeezer.energy()
    end = squeezer.at(0.05, "bodies/K2/position")[:2]  # K2 begins where the crank ends
    findings = [
        *squeezer_findings(squeezer),
        compare("crank angle at 0.05 s", "rad", want["beta(0.05)"], beta[-1], relative=1e-6),
        compare("crank velocity at 0.05 s", "rad/s", want["beta_dot(0.05)"], rate, relative=1e-6),
        compare("end of the crank at 0.05 s", "m", want["F(0.05)=rr*(cos,sin)beta"], end, absolute=1e-9),
        compare("energy gained", "J", work, energy - energy[0], of_peak=1e-7, source="torque x angle"),
    ]
    return Comparison(findings, [squeezer.curve("Crank angle", "rad", path, (0.05,), [want["beta(0.05)"]])])


@case("A05", "Stiff flyball governor, 10 s", f"{IFTOMM}; independent solution")
def flyball() -> Comparison:
    # The dampers decay with c/m of 1e4 1/s: implicit. The slow motion (6 rad/s) has an error of (omega h)^2/12 per rad,
    # 1e-6 at h = 5e-4 s: over 60 rad at an amplitude of 0.12 m that makes 6e-6 m.
    governor, want = run("A05_flyball"), expected("A05")
    times = (0.1, 0.25, 0.5, 1, 5, 10)
    heights, wanted = [governor.at(t, "sensors/height")[0] for t in times], [want[f"s({t})"] for t in times]
    spin = governor.at(10, "joints/bearing/velocity")
    right, left = governor.at(0.5, "joints/hinge_right/position", "joints/hinge_left/position")
    balance = np.ptp(governor.energy() - governor["energy/work/total"]) / np.max(governor["energy/kinetic"])
    findings = [
        compare("height of the slider", "m", wanted, heights, absolute=1e-4),
        compare("spin at 10 s", "rad/s", want["omega(10)"], spin, absolute=1e-4),
        compare("angle of a rod at 0.5 s", "deg", want["beta_deg(0.5)"], np.degrees(right), absolute=1e-2),
        compare("both rods turn alike", "rad", right, left, absolute=1e-9, source="symmetry"),
        compare("energy less work, part of the largest", "", 0.0, balance, absolute=1e-3, source="balance of energy"),
    ]
    return Comparison(findings, [governor.curve("Height of the slider", "m", "sensors/height", times, wanted)])


@case("A06a", "Spatial slider-crank of rigid bodies, 5 s", "independent solution, MBDyn (problem of Haug)")
def spatial_slider_crank() -> Comparison:
    # Generalised-alpha at 0.1 ms: (omega h)^2/12 = 5e-8 per rad at 8 rad/s, 40 rad, a crank of 0.08 m. The embedded
    # equations by rk45, local error 1e-10: seven digits of the speed.
    crank, want = run("A06a_spatial_slider_crank"), expected("A06a")
    fine = run("A06a_spatial_slider_crank", formulation="embedding", method="rk45", tolerance=1e-10, step=None)
    times = (0.5, 1, 2, 5)
    x, wanted = [crank.at(t, "sensors/x")[0] for t in times], [want[f"x({t})"] for t in times]
    speed, center = crank.at(5, "joints/bearing/velocity"), crank.at(5, "bodies/rod/position")
    omega = rotations(crank.at(0, "bodies/rod/quaternion")) @ crank.at(0, "bodies/rod/angular_velocity")
    findings = [
        compare("slider at 0.5, 1, 2 s", "m", wanted[:3], x[:3], absolute=1e-5),
        compare("slider at 5 s", "m", wanted[3], x[3], absolute=1e-4),
        compare("centre of the rod at 5 s", "m", want["rod_com(5)"], center, absolute=1e-4),
        # The crank runs up to 8 rad/s: 1e-3 of it here corresponds to the 1e-4 m asked of the slider.
        compare("speed of the crank at 5 s", "rad/s", want["omega_crank(5)"], speed, relative=1e-3),
        compare("slider by rk45", "m", wanted, [fine.at(t, "sensors/x")[0] for t in times], absolute=1e-8),
        compare("speed by rk45", "rad/s", want["omega_crank(5)"], fine.at(5, "joints/bearing/velocity"), absolute=1e-6),
        compare("angular velocity of the rod at 0 s", "rad/s", [1.92, -0.96, 0.48], omega, absolute=1e-9),
    ]
    return Comparison(findings, [crank.curve("Slider", "m", "sensors/x", times, wanted)])


@case("A09", "Car axis on a bumpy road, 3 s", "Test Set for IVP Solvers")
def car_axis() -> Comparison:
    # Positions to 1e-8 and velocities to 1e-6 are out of reach of a second-order method at a sensible step: rk45 on the
    # embedded equations, local error 1e-10.
    axis, want = run("A09_car_axis"), np.array(expected("A09")["y(3)"])
    masses = ("bodies/left/", "bodies/right/")
    position, velocity = (np.array([axis.at(3, path + key)[:2] for path in masses]) for key in ("position", "velocity"))
    # Multipliers: lam1 (xb, yb) is the force of the slide on the left mass, 2 lam2 (xl-xr, yl-yr) that of the axle,
    # both vectors of length 1.
    forces = [np.linalg.norm(axis.at(3, f"joints/{name}/force")) for name in ("slide", "axle")]
    findings = [
        compare("positions of both masses at 3 s", "m", want[:4], position, absolute=1e-8),
        compare("velocities of both masses at 3 s", "m/s", want[4:8], velocity, absolute=1e-6),
        compare("forces of slide and axle at 3 s", "N", np.abs(want[8:10] * [1, 2]), forces, absolute=1e-8),
    ]
    return Comparison(findings, [axis.curve("x of the left mass", "m", "bodies/left/position", (3,), [want[0]])])


@case("A10a", "Bar on an inclined revolute joint, 5 s", "energy integral; ADAMS (data of Chrono)")
def adams_revolute() -> Comparison:
    # rk45 with a local error of 1e-10: seven digits after 5 s.
    bar, want = run("A10a_adams_revolute"), expected("A10a")
    times = (1, 2.5, 5)
    places, wanted = [bar.at(t, "sensors/center") for t in times], np.array([want[f"pos({t})"] for t in times])
    force, angle = bar.at(5, "joints/pivot/force"), bar.at(5, "joints/pivot/position")[0]
    # What is published as "in joint frame" is the force on the ground in world axes: turn ours by Rx(-45 deg), negate.
    c = np.sqrt(0.5)
    turned = -np.array([[1, 0, 0], [0, c, c], [0, -c, c]]) @ force
    # The closed form by the energy integral, in the joint frame with the weight along y and -z:
    weight, inertia = 9.80665 * c, 1.0 * 2**2 + 0.1
    spin_squared, spin_rate = 2 * weight * 2 * np.sin(angle) / inertia, weight * 2 * np.cos(angle) / inertia
    x, y = 2 * np.cos(angle), 2 * np.sin(angle)
    closed = [-spin_squared * x - spin_rate * y, -spin_squared * y + spin_rate * x - weight, weight]
    findings = [
        compare("centre at 1, 2.5, 5 s", "m", wanted, places, absolute=1e-6),
        compare("force at 5 s", "N", closed, force, absolute=1e-6),
        compare("centre at 5 s by ADAMS", "m", want["ADAMS pos(5)"], places[2], absolute=2e-5),
        # Chrono requires 1e-3 N; ADAMS is off by 5e-4 N from the closed form.
        compare("force at 5 s by ADAMS", "N", want["ADAMS Rforce(5) in joint frame"], turned, absolute=1e-3),
    ]
    return Comparison(findings, [bar.curve("x of the centre", "m", "sensors/center", times, list(wanted[:, 0]))])
