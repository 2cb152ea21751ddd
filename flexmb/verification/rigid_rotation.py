"""Rotating rigid bodies: top, robot, coin, free body, small motions of a sleeping top (A07, A11 to A14)."""

from __future__ import annotations

import numpy as np

from flexmb.analyses.modes import modes_of_model
from flexmb.arrays import Floats
from flexmb.bodies.orientation import rotations
from flexmb.model.model import Model
from flexmb.verification.case import Comparison, Finding, case, compare
from flexmb.verification.running import Record, crossings, entries, expected, inverse, model_of, run


def top_findings(top: Record, late: tuple[float, ...]) -> list[Finding]:
    """Centre at 0.2 s and later, quaternion, first reaction of A07."""
    want = expected("A07")
    quaternion = top.at(0.2, "bodies/top/quaternion")
    quaternion *= np.sign(quaternion[0])
    centers = [top.at(t, "sensors/center") for t in late]
    return [
        compare("centre at 0.2 s", "m", want["com(0.2)"], top.at(0.2, "sensors/center"), absolute=1e-5),
        compare("quaternion at 0.2 s", "", want["quat(0.2)"], quaternion, absolute=1e-5),
        compare("centre later", "m", [want[f"com({t:g})"] for t in late], centers, absolute=1e-3),
        compare("reaction at 0 s", "N", want["reaction_on_body(0)"], top.at(0, "joints/pivot/force"), of_peak=1e-9),
    ]


@case("A07", "Heavy top, 48 turns in 2 s", "Newton-Euler, converged; RK4 as quoted by Exudyn")
def heavy_top() -> Comparison:
    # rk45 with a local error of 1e-10 in the angles leaves 1e-7 in the centre of mass.
    top, want = run("A07_heavy_top"), expected("A07")
    omega, energy = top.at(2, "bodies/top/angular_velocity"), top.energy()
    findings = [
        *top_findings(top, (1, 2)),
        compare("angular velocity at 2 s", "rad/s", want["omega_body(2)"], omega, absolute=1e-3),
        compare("energy", "J", np.full_like(energy, want["E"]), energy, relative=1e-8),
    ]
    times = (0.2, 1, 2)
    dots = [want[f"com({t})"][0] for t in times]
    return Comparison(findings, [top.curve("x of the centre", "m", "sensors/center", times, dots)])


def puma_efforts(velocities: Floats, accelerations: Floats, g: float = 9.81) -> Floats:
    """(6,) torques [N m] of the PUMA 560 in its configuration qn."""
    tables = model_of("A11_puma560", {"g": str(g)}).identity
    configuration = (0.0, np.pi / 4, np.pi, 0.0, np.pi / 4, 0.0)
    tables["motions"] = {
        f"motor_{k}": {"joint": f"q{k}", "polynomial": [float(q), float(v), float(a) / 2]}
        for k, (q, v, a) in enumerate(zip(configuration, velocities, accelerations, strict=True), start=1)
    }
    tables["analysis"] = {"end": 0.01, "step": 0.01}
    with inverse(Model.from_tables(tables)) as found:
        return np.array([drive.effort[0] for drive in found.drives])


@case("A11", "PUMA 560, inverse dynamics", "Corke & Armstrong 1994; Robotics Toolbox")
def puma560() -> Comparison:
    # Algebra, no time step; the numbers are printed with eight decimals.
    want, numbers = expected("A11"), entries()["A11"]["parameters"]
    motor = np.array(numbers["G"]) ** 2 * np.array(numbers["Jm"])
    zero, one = np.zeros(6), np.ones(6)
    mass = np.array([puma_efforts(zero, row, 0.0) for row in np.eye(6)])
    upper = (mass + np.diag(motor))[np.triu_indices(6)]
    with_motors = puma_efforts(zero, one) + motor
    weightless = puma_efforts(one, zero, 0.0)
    findings = [
        compare("gravity torques", "N*m", want["gravity"], puma_efforts(zero, zero), absolute=1e-8),
        compare("torques, unit accelerations", "N*m", want["qdd=1 (motor)"], with_motors, absolute=1e-8),
        compare("torques, unit rates too", "N*m", want["qd=qdd=1 rigid"], puma_efforts(one, one), absolute=1e-8),
        compare("torques, unit rates only", "N*m", want["qd=1,qdd=0,g=0 rigid"], weightless, absolute=1e-8),
        compare("mass matrix", "kg*m^2", np.concatenate(want["M_motor_upper"]), upper, absolute=1e-8),
        compare("its diagonal without motors", "kg*m^2", want["M_rigid_diag"], np.diag(mass), absolute=1e-8),
    ]
    return Comparison(findings)


def contact_point(center: Floats, quaternion: Floats, radius: float) -> Floats:
    """Lowest point of a disc whose axis is its body x axis."""
    axis = rotations(quaternion)[:, 0]
    down = -np.array([0, 0, 1.0]) + axis[2] * axis
    return np.asarray(center + radius * down / np.linalg.norm(down))


@case("A12", "Rolling coin, 0.5 s", "Newton-Euler, converged")
def rolling_coin() -> Comparison:
    # Generalised-alpha at 50 us: (omega h)^2/12 = 1e-6 per rad at the spin of the coin.
    coin, want = run("A12_rolling_coin"), expected("A12")
    position, quaternion = coin.at(0.5, "bodies/coin/position"), coin.at(0.5, "bodies/coin/quaternion")
    contacts = [
        contact_point(coin.at(t, "bodies/coin/position"), coin.at(t, "bodies/coin/quaternion"), 0.01)
        for t in (0.1, 0.5)
    ]
    omega = rotations(quaternion) @ coin.at(0.5, "bodies/coin/angular_velocity")
    force, energy = coin.at(0.5, "joints/contact/force"), coin.energy()
    wanted = [want[f"contact({t})"] for t in (0.1, 0.5)]
    findings = [
        compare("contact point at 0.1, 0.5 s", "m", wanted, [place[:2] for place in contacts], absolute=1e-7),
        compare("its height", "m", [0.0, 0.0], [place[2] for place in contacts], absolute=1e-9),
        compare("centre at 0.5 s", "m", want["center(0.5)"], position, absolute=1e-7),
        compare("angular velocity at 0.5 s", "rad/s", want["omega(0.5)"], omega, of_peak=1e-6),
        compare("contact force at 0.5 s", "N", want["contact_force(0.5)"], force, of_peak=1e-6),
        compare("energy", "J", np.full_like(energy, want["E"]), energy, absolute=1e-8),
    ]
    dots = [want["center(0.5)"][0]]
    return Comparison(findings, [coin.curve("x of the centre", "m", "bodies/coin/position", (0.5,), dots)])


@case("A13", "Free body that flips (Dzhanibekov), 60 s", "Euler's equations, Jacobi functions")
def free_body() -> Comparison:
    # rk45 with a local error of 1e-11; a flip is delayed by the logarithm of what disturbs it.
    nut, want = run("A13_free_body"), expected("A13")
    omega, quaternions = nut["bodies/nut/angular_velocity"], nut["bodies/nut/quaternion"]
    rate = (3 - 1) / 2 * omega[:, 2] * omega[:, 0]  # Euler: J2 w2' = (J3 - J1) w3 w1
    flips = crossings(nut["time"], omega[:, 1], rate)
    momentum = np.array([rotations(r) @ ([1, 2, 3] * w) for r, w in zip(quaternions, omega, strict=True)])
    late = [nut.at(t, "bodies/nut/angular_velocity") for t in (10, 60)]
    findings = [
        compare("times of the flips", "s", want["zero crossings of omega2"], flips, absolute=1e-4),
        compare("rates at 10, 60 s", "rad/s", [want["omega(10)"], want["omega(60)"]], late, absolute=1e-5),
        compare("angular momentum, drift", "N*m*s", np.zeros(3), np.ptp(momentum, axis=0), absolute=1e-9),
        nut.drift(1e-9),
    ]
    dots = [want["omega(10)"][0], want["omega(60)"][0]]
    path = "bodies/nut/angular_velocity"
    return Comparison(findings, [nut.curve("Rate about the first axis", "rad/s", path, (10, 60), dots)])


@case("A14", "Sleeping top: small motions with gyroscopic terms", "closed form")
def sleeping_top() -> Comparison:
    # Differences of the equations have an error of 2e-9 of the largest entry, which the lower frequency, 1/30 of the
    # other, may see as 6e-8; the numbers, roots of (Jt + m l^2) W^2 - Ja w W + m g l = 0, have eight digits.
    want, findings = expected("A14")["rad/s"], list[Finding]()
    for name, text in (("A14_sleeping_top", "spinning body"), ("A14_gyrostat", "gyrostat")):
        report = modes_of_model(model_of(name))
        found = sorted(2 * np.pi * mode.frequency for mode in report.shown)
        damping = max(abs(mode.eigenvalue.real / mode.eigenvalue.imag) for mode in report.shown)
        findings.append(compare(f"frequencies, {text}", "rad/s", want, found, relative=1e-7))
        findings.append(compare(f"damping, {text}", "", 0.0, damping, absolute=1e-7))
    return Comparison(findings)
