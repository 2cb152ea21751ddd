"""The published rigid-body cases A01 to A14: each a model file in tests/cases, each at the tolerance of its entry.

The expected numbers stand in tests/data/published_cases.json with their sources. A comment at each case says why its
method and step reach the tolerance, so that a failure means a wrong equation and not a coarse step.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flat import Flat
from numpy.typing import NDArray

from flexmb.equations import layout, programs
from flexmb.results.preparation import prepare
from flexmb.solvers.run import simulate
from flexmb.system.model_file import read_model
from flexmb.system.system import System

Array = NDArray[np.float64]
CASES = Path(__file__).parent / "cases"
ENTRIES = {
    entry["id"].split("-")[0]: entry
    for entry in json.loads((Path(__file__).parent / "data" / "published_cases.json").read_text())
}


class Record:
    """A run kept in memory: the rows of the result, found by channel and time."""

    def __init__(self, system: System) -> None:
        self.blocks: list[Array] = []
        self.channels = {channel.path: channel for channel in system.channels}

    def write(self, block: Array, checkpoint: Array) -> None:
        self.blocks.append(block.copy())

    def __getitem__(self, path: str) -> Array:
        """All values of a channel: (rows,) or (rows, width)."""
        rows = np.concatenate(self.blocks)
        channel = self.channels[path]
        width = int(np.prod(channel.shape, dtype=int))
        values = rows[:, channel.start : channel.start + width]
        return values[:, 0] if width == 1 else values

    def at(self, t: float, *paths: str) -> Array:
        """Values of channels at an output time, side by side."""
        time = self["time"]
        row = int(np.argmin(abs(time - t)))
        assert abs(time[row] - t) < 1e-9, f"no output at t = {t}"
        return np.concatenate([np.atleast_1d(self[path][row]) for path in paths])


def flat(case: str, **parameters: str) -> Flat:
    """The compiled equations of a case."""
    return Flat(read_model(CASES / f"{case}.toml", parameters).spec)


def run(case: str, **analysis: Any) -> Record:
    """Simulate tests/cases/<case>.toml with some entries of its [analysis] replaced."""
    model = read_model(CASES / f"{case}.toml")
    system = prepare(model).system
    record = Record(system)
    assert model.spec.analysis is not None
    settings = model.spec.analysis.model_copy(update=analysis)
    summary = simulate(system, settings, sink=record, every=model.spec.output.every)
    assert summary.outcome == "finished"
    return record


def close(found: Any, want: Any, *, rtol: float = 0.0, atol: float = 0.0) -> None:
    np.testing.assert_allclose(found, want, rtol=rtol, atol=atol)


def expected(case: str) -> dict[str, Any]:
    return ENTRIES[case]["expected"]


def rotation(quaternion: Array) -> Array:
    """Rotation matrix of a unit quaternion, scalar first."""
    w, x, y, z = quaternion
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def crossings(t: Array, x: Array, x_dot: Array) -> Array:
    """Times at which x changes its sign, by the cubic through values and slopes at both ends of the interval."""
    found = []
    for i in np.flatnonzero(np.sign(x[:-1]) * np.sign(x[1:]) < 0):
        h = t[i + 1] - t[i]
        a, b = x[i], x[i + 1]
        da, db = h * x_dot[i], h * x_dot[i + 1]
        roots = np.roots([2 * a - 2 * b + da + db, -3 * a + 3 * b - 2 * da - db, da, a])
        found += [t[i] + h * r.real for r in roots if abs(r.imag) < 1e-9 and 0 <= r.real <= 1]
    return np.array(found)


def test_a01_pendulum() -> None:
    # rk45 keeps a local error of 1e-10: 1e-8 after four swings, two digits below the 1e-6 asked for.
    pendulum, want = run("A01_pendulum"), expected("A01")
    for t in (1, 5, 9.99, 10):
        position = pendulum.at(t, "bodies/bob/position")
        close(position[:2], want[f"P({t})"], atol=1e-6)
    # The entry counts its angle clockwise (its P(9.99) and P(10) show the bob moving to the right at the bottom).
    assert pendulum.at(10, "joints/pivot/velocity")[0] == pytest.approx(-want["theta_dot(10)"], abs=1e-6)
    angle, rate = pendulum["joints/pivot/position"], pendulum["joints/pivot/velocity"]
    half_periods = np.diff(crossings(pendulum["time"], angle, rate))
    close(2 * half_periods, want["period"], atol=1e-6)
    energy = pendulum["energy/kinetic"] + pendulum["energy/potential"]
    assert np.ptp(energy) < 1e-7  # the library's precision class asks for 5e-5 J


@pytest.mark.parametrize("step", [1e-3, 5e-4, 3e-4])
def test_a02_double_fourbar_passes_its_singular_positions(step: float) -> None:
    # Second order: 2e-6 m at h = 1e-3 s. Three steps, as a crossing does its harm by how close to it a step lands:
    # there the rank vanishes, and whatever the Newton iteration leaves open is blown up.
    fourbar, want = run("A02_double_fourbar", step=step), expected("A02")
    for t in (1, 5, 10):
        close(fourbar.at(t, "sensors/B0")[:2], want[f"B0({t})"], atol=1e-4)
    velocity = fourbar.at(10, "sensors/B0_velocity")[:2]
    close(velocity, want["vB0(10)"], atol=1e-4)
    # The parallel branch: a coupler that starts level stays level, also after every horizontal crossing.
    angle = fourbar["joints/foot_left/position"] + fourbar["joints/pin_left/position"]
    assert np.max(abs(angle)) < 1e-6
    assert np.ptp(fourbar["joints/foot_left/position"]) > 6  # it does turn over
    energy = fourbar["energy/kinetic"] + fourbar["energy/potential"]
    assert np.ptp(energy) < 1e-3  # high-precision class of the library


ANGLES = [f"joints/{name}/" for name in ("beta", "theta", "gamma", "phi", "delta", "omega", "epsilon")]


def loop_forces(squeezer: Record, t: float) -> Array:
    """Multipliers of the test set: the forces at E on K3, K4 and K6, in world axes."""
    turn = rotation(squeezer.at(t, "bodies/K2/quaternion"))
    return np.concatenate([(turn @ squeezer.at(t, f"joints/{name}/force"))[:2] for name in ("E23", "E24", "E26")])


def test_a03_andrews_squeezer() -> None:
    # The embedded equations by rk45 with a local error of 1e-10: 4e-8 in the velocities after 2.5 turns of the crank.
    squeezer, want = run("A03_andrews", end=0.05), expected("A03")
    close(loop_forces(squeezer, 0), want["lambda(0)"], rtol=1e-6, atol=1e-6)
    acceleration = squeezer.at(0, *[path + "acceleration" for path in ANGLES])
    close(acceleration, want["qdd(0)"], rtol=1e-6, atol=1e-3)
    close(squeezer.at(0.03, *[p + "position" for p in ANGLES]), want["q(0.03)"], rtol=1e-6, atol=1e-8)
    close(squeezer.at(0.03, *[p + "velocity" for p in ANGLES]), want["qd(0.03)"], rtol=1e-6, atol=1e-8)
    close(loop_forces(squeezer, 0.03), want["lambda(0.03)"], rtol=1e-4)
    beta, rate = squeezer.at(0.05, ANGLES[0] + "position", ANGLES[0] + "velocity")
    assert beta == pytest.approx(want["beta(0.05)"], rel=1e-6)
    assert rate == pytest.approx(want["beta_dot(0.05)"], rel=1e-6)
    # Energy: what the motor puts in is what the bodies and the spring hold.
    work = 0.033 * (squeezer[ANGLES[0] + "position"] - squeezer[ANGLES[0] + "position"][0])
    energy = squeezer["energy/kinetic"] + squeezer["energy/potential"]
    close(energy - energy[0], work, atol=1e-7 * np.max(energy))
    close(squeezer["energy/work/motor"], work, atol=1e-7 * np.max(energy))


def test_a05_stiff_flyball_governor() -> None:
    # The dampers decay with c/m of 1e4 1/s: implicit. The slow motion (6 rad/s) has an error of (omega h)^2/12 per rad,
    # 1e-6 at h = 5e-4 s: over 60 rad at an amplitude of 0.12 m that makes 6e-6 m.
    governor, want = run("A05_flyball"), expected("A05")
    for t in (0.1, 0.25, 0.5, 1, 5, 10):
        assert governor.at(t, "sensors/height")[0] == pytest.approx(want[f"s({t})"], abs=1e-4)
    assert governor.at(10, "joints/bearing/velocity")[0] == pytest.approx(want["omega(10)"], abs=1e-4)
    right, left = governor.at(0.5, "joints/hinge_right/position", "joints/hinge_left/position")
    assert np.degrees(right) == pytest.approx(want["beta_deg(0.5)"], abs=1e-2)
    assert left == pytest.approx(right, abs=1e-9)  # nothing breaks the symmetry
    balance = governor["energy/kinetic"] + governor["energy/potential"] - governor["energy/work/total"]
    assert np.ptp(balance) < 1e-3 * np.max(governor["energy/kinetic"])


def test_a06a_spatial_slider_crank() -> None:
    crank, want = run("A06a_spatial_slider_crank"), expected("A06a")
    for t, tolerance in ((0.5, 1e-5), (1, 1e-5), (2, 1e-5), (5, 1e-4)):
        assert crank.at(t, "sensors/x")[0] == pytest.approx(want[f"x({t})"], abs=tolerance)
    close(crank.at(5, "bodies/rod/position"), want["rod_com(5)"], atol=1e-4)
    # The crank runs up to 8 rad/s: 1e-4 of it here corresponds to the 1e-4 m asked of the slider.
    assert crank.at(5, "joints/bearing/velocity")[0] == pytest.approx(want["omega_crank(5)"], rel=1e-3)
    turn = rotation(crank.at(0, "bodies/rod/quaternion"))
    close(turn @ crank.at(0, "bodies/rod/angular_velocity"), [1.92, -0.96, 0.48], atol=1e-9)


def test_a07_heavy_top() -> None:
    # 48 turns in 2 s: rk45 with a local error of 1e-10 in the angles leaves 1e-7 in the centre of mass.
    top, want = run("A07_heavy_top"), expected("A07")
    for t, tolerance in ((0.2, 1e-5), (1, 1e-3), (2, 1e-3)):
        close(top.at(t, "sensors/center"), want[f"com({t})"], atol=tolerance)
    quaternion = top.at(0.2, "bodies/top/quaternion")
    quaternion *= np.sign(quaternion[0])
    close(quaternion, want["quat(0.2)"], atol=1e-5)
    close(top.at(2, "bodies/top/angular_velocity"), want["omega_body(2)"], atol=1e-3)
    close(top.at(0, "joints/pivot/force"), want["reaction_on_body(0)"], rtol=1e-6, atol=1e-5)
    energy = top["energy/kinetic"] + top["energy/potential"]
    close(energy, want["E"], rtol=1e-8)


def test_a07_heavy_top_order_two() -> None:
    # A step of 1e-4 s turns the top by 15 mrad, well inside the asymptotic range: half the step, a quarter error.
    want = expected("A07")["com(0.2)"]
    errors = []
    for step in (2e-4, 1e-4):
        top = run("A07_heavy_top", method="generalized-alpha", rho=0.9, tolerance=None, step=step, end=0.2)
        errors.append(float(np.max(abs(top.at(0.2, "sensors/center") - want))))
    assert errors[1] < 1e-3
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2, abs=0.2)


def test_a09_car_axis() -> None:
    # Positions to 1e-8 and velocities to 1e-6 are out of reach of a second-order method at a sensible step: rk45 on the
    # embedded equations, local error 1e-11.
    axis, want = run("A09_car_axis"), expected("A09")["y(3)"]
    position = axis.at(3, "bodies/left/position")[:2], axis.at(3, "bodies/right/position")[:2]
    velocity = axis.at(3, "bodies/left/velocity")[:2], axis.at(3, "bodies/right/velocity")[:2]
    close(np.concatenate(position), want[:4], atol=1e-8)
    close(np.concatenate(velocity), want[4:8], atol=1e-6)
    # Multipliers: lam1 (xb, yb) is the force of the slide on the left mass, 2 lam2 (xl-xr, yl-yr) that of the axle.
    slide = np.linalg.norm(axis.at(3, "joints/slide/force"))
    axle = np.linalg.norm(axis.at(3, "joints/axle/force"))
    assert slide == pytest.approx(abs(want[8]), rel=1e-6, abs=1e-8)
    assert axle == pytest.approx(2 * abs(want[9]), rel=1e-6, abs=1e-8)


def test_a10a_inclined_revolute() -> None:
    bar, want = run("A10a_adams_revolute"), expected("A10a")
    for t in (1, 2.5, 5):
        close(bar.at(t, "sensors/center"), want[f"pos({t})"], atol=1e-6)
    close(bar.at(5, "sensors/center"), want["ADAMS pos(5)"], atol=2e-5)
    # What is published as "in joint frame" is the force on the ground in world axes: turn ours by Rx(-45 deg), negate.
    c = np.sqrt(0.5)
    turn = np.array([[1, 0, 0], [0, c, c], [0, -c, c]])
    force = -turn @ bar.at(5, "joints/pivot/force")
    close(force, want["ADAMS Rforce(5) in joint frame"], atol=1e-3)  # as Chrono asks
    # ADAMS is off by 5e-4 N. The closed form by the energy integral, in the joint frame with the weight along y and -z:
    weight, inertia = 9.80665 * c, 1.0 * 2**2 + 0.1
    angle = bar.at(5, "joints/pivot/position")[0]
    spin_squared, spin_rate = 2 * weight * 2 * np.sin(angle) / inertia, weight * 2 * np.cos(angle) / inertia
    x, y = 2 * np.cos(angle), 2 * np.sin(angle)
    closed = [-spin_squared * x - spin_rate * y, -spin_squared * y + spin_rate * x - weight, weight]
    close(bar.at(5, "joints/pivot/force"), closed, atol=1e-6)


def test_a11_puma560_inverse_dynamics() -> None:
    # Algebra, no time step: 1e-7 against numbers printed with eight decimals.
    want, motors = expected("A11"), ENTRIES["A11"]["parameters"]
    arm, weightless = flat("A11_puma560"), flat("A11_puma560", g="0")
    motor = np.array(motors["G"]) ** 2 * np.array(motors["Jm"])
    q = np.array([0, np.pi / 4, np.pi, 0, np.pi / 4, 0])
    zero, one = np.zeros(6), np.ones(6)
    close(arm.residual(q, zero, zero), want["gravity"], atol=1e-7)
    close(arm.residual(q, zero, one) + motor, want["qdd=1 (motor)"], atol=1e-7)
    close(arm.residual(q, one, one), want["qd=qdd=1 rigid"], atol=1e-7)
    close(weightless.residual(q, one, zero), want["qd=1,qdd=0,g=0 rigid"], atol=1e-7)
    mass = np.array([weightless.residual(q, zero, row) for row in np.eye(6)]) + np.diag(motor)
    for i, row in enumerate(want["M_motor_upper"]):
        close(mass[i, i:], row, atol=1e-7)
    close(np.diag(mass) - motor, want["M_rigid_diag"], atol=1e-7)


def accelerations(system: Flat, q: Array, v: Array) -> Array:
    """Accelerations of a system without constraints, from its mass matrix and bias."""
    equations = system.evaluate(q, v)
    return np.linalg.solve(equations["M"], -equations["h"])


def test_a11_puma560_forward_of_inverse() -> None:
    arm = flat("A11_puma560")
    q, v, a = np.random.default_rng(11).uniform(-2, 2, (3, 6))
    effort = arm.residual(q, v, a)
    equations = arm.evaluate(q, v)
    close(np.linalg.solve(equations["M"], effort - equations["h"]), a, rtol=1e-10)
    arm.set(q, v)
    arm.run(programs.acceleration)  # the O(n) road
    close(arm.get(layout.A, 6), accelerations(arm, q, v), rtol=1e-9)


def contact_point(center: Array, quaternion: Array, radius: float) -> Array:
    """Lowest point of a disc whose axis is its body x axis."""
    axis = rotation(quaternion)[:, 0]
    down = -np.array([0, 0, 1.0]) + axis[2] * axis
    return center + radius * down / np.linalg.norm(down)


def test_a12_rolling_coin() -> None:
    coin, want = run("A12_rolling_coin"), expected("A12")
    for t in (0.1, 0.5):
        contact = contact_point(coin.at(t, "bodies/coin/position"), coin.at(t, "bodies/coin/quaternion"), 0.01)
        close(contact[:2], want[f"contact({t})"], rtol=1e-5, atol=1e-7)
        assert abs(contact[2]) < 1e-9
    close(coin.at(0.5, "bodies/coin/position"), want["center(0.5)"], rtol=1e-5, atol=1e-7)
    omega = rotation(coin.at(0.5, "bodies/coin/quaternion")) @ coin.at(0.5, "bodies/coin/angular_velocity")
    close(omega, want["omega(0.5)"], rtol=1e-5, atol=1e-7)
    close(coin.at(0.5, "joints/contact/force"), want["contact_force(0.5)"], rtol=1e-5, atol=1e-7)
    energy = coin["energy/kinetic"] + coin["energy/potential"]
    close(energy, want["E"], atol=1e-8)


def test_a13_free_body_flips() -> None:
    nut, want = run("A13_free_body"), expected("A13")
    omega = nut["bodies/nut/angular_velocity"]
    rate = (3 - 1) / 2 * omega[:, 2] * omega[:, 0]  # Euler: J2 w2' = (J3 - J1) w3 w1
    flips = crossings(nut["time"], omega[:, 1], rate)
    close(flips, want["zero crossings of omega2"], atol=1e-4)
    for t in (10, 60):
        close(nut.at(t, "bodies/nut/angular_velocity"), want[f"omega({t})"], atol=1e-5)
    momentum = np.array(
        [rotation(r) @ ([1, 2, 3] * w) for r, w in zip(nut["bodies/nut/quaternion"], omega, strict=True)]
    )
    close(momentum, np.broadcast_to(momentum[0], momentum.shape), atol=1e-9)
    close(nut["energy/kinetic"], nut["energy/kinetic"][0], rtol=1e-9)


def small_motion_frequencies(system: Flat, v: Array) -> Array:
    """Positive imaginary parts [rad/s] of the eigenvalues of the state equations linearised at q = 0, ascending."""
    n, q = system.n, np.zeros(system.n)
    eps = 1e-5  # central differences: truncation 1e-10 of the entries, round-off 1e-11
    step = eps * np.eye(n)
    by_q = [(accelerations(system, q + d, v) - accelerations(system, q - d, v)) / (2 * eps) for d in step]
    by_v = [(accelerations(system, q, v + d) - accelerations(system, q, v - d)) / (2 * eps) for d in step]
    state = np.block([[np.zeros((n, n)), np.eye(n)], [np.array(by_q).T, np.array(by_v).T]])
    frequency = np.linalg.eigvals(state).imag
    return np.sort(frequency[frequency > 1e-2])


@pytest.mark.parametrize(("case", "rates"), [("A14_sleeping_top", [0, 0, 300.0]), ("A14_gyrostat", [0, 0.0])])
def test_a14_sleeping_top(case: str, rates: list[float]) -> None:
    # The same two modes for a top that spins and for a body that only carries a rotor: gyroscopic terms of both kinds.
    found = small_motion_frequencies(flat(case), np.array(rates))
    close(found, expected("A14")["rad/s"], rtol=1e-5)
