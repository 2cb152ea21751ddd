"""Worked examples of Garcia de Jalon & Bayo: the bar pendulum and the mass that slides on a pendulum, in joint and in
natural coordinates."""

from __future__ import annotations

import numpy as np
from scipy.integrate import solve_ivp

from flexmb.arrays import Floats
from flexmb.natural.body import BodyPoint, NaturalBody
from flexmb.natural.forces import Gravity
from flexmb.natural.integration import integrate
from flexmb.natural.mass import mass_matrix
from flexmb.natural.system import NaturalMechanism, NaturalSystem
from flexmb.symbolic.engine import cos, sin
from flexmb.verification.case import Comparison, Curve, case, compare, exact, near
from flexmb.verification.identity import identical, left_sides, names, symbolic_equations
from flexmb.verification.running import in_natural_coordinates, run, table


def bar_in_two_points() -> tuple[NaturalBody, Floats]:
    """The bar as the book describes it, by its two ends, and the multiplier of r.r - L^2 = 0 in 1 s, every 0.1 s."""
    mass, length, theta = 1.5, 0.8, 0.8
    inertia = np.diag([0, 1, 1]) * mass * length**2 / 12
    ends = (BodyPoint(0, (0, 0, 0)), BodyPoint(1, (length, 0, 0)))
    bar = NaturalBody("bar", mass, (length / 2, 0, 0), inertia, ends)
    end = length * np.array([np.sin(theta), 0, -np.cos(theta)])
    speed = length * np.array([0.5 * np.cos(theta), 2 * np.sin(theta), 0.5 * np.sin(theta)])
    mechanism = NaturalMechanism([bar], np.array([[0, 0, 0], end]), fixed_points=[0])
    system = NaturalSystem(mechanism, forces=lambda layout: [Gravity([bar], layout, (0, 0, -9.81))])
    velocities = np.concatenate((np.zeros(3), speed))
    motion = integrate(system, 1.0, 2e-3, velocities, method="runge-kutta", every=50)
    return bar, np.asarray(motion.multipliers[:, 0])


@case("bar-pendulum", "Bar pendulum in space; natural coordinates, 5 s", "Garcia de Jalon & Bayo, section 4.2.2")
def bar_pendulum() -> Comparison:
    # The table has nine digits. Joint coordinates: a local error of 1e-11. Natural coordinates: order 4 at 5 rad/s and
    # 2 ms, 1e-9 m; forces are rougher by the squared frequency.
    reference = table("bar_pendulum_natural")
    times, end, velocity, multiplier, force = np.split(reference, [1, 4, 7, 8])
    numbers = {"method": "rk4", "step": 2e-3, "end": 5}
    natural = in_natural_coordinates("bar_pendulum", 0.1, **numbers)
    ways = {
        "joint coordinates": (run("bar_pendulum"), 1e-8),
        "natural coordinates": (natural, 3e-8),
        "momenta": (in_natural_coordinates("bar_pendulum", 0.1, formulation="canonical", **numbers), 3e-8),
    }
    findings = []
    for way, (found, tolerance) in ways.items():
        findings += [
            compare(f"free end, {way}", "m", end.T, found["sensors/end"], absolute=tolerance),
            compare(f"its velocity, {way}", "m/s", velocity.T, found["sensors/end_velocity"], absolute=10 * tolerance),
            compare(f"force at the pivot, {way}", "N", force.T, found["joints/pivot/force"], absolute=50 * tolerance),
        ]
    bar, found_multiplier = bar_in_two_points()
    printed = 1.5 / 6 * np.kron([[2, 1], [1, 2]], np.eye(3))
    findings += [
        compare("multiplier, 1 s, two points", "N/m", multiplier[0, :11], found_multiplier, absolute=2e-7),
        compare("mass matrix of example 4.6", "kg", printed, mass_matrix(bar), absolute=1e-15),
    ]
    x = natural["sensors/end"][:, 0]
    return Comparison(findings, [Curve("x of the free end", "time", "s", "m", natural["time"], x, times[0], end[0])])


def sliding_identities() -> list[bool]:
    """Both printed equations of example 4.2, in symbols."""
    q1, q2, v1, v2, a1, a2 = names("q1 q2 q1_dot q2_dot q1_ddot q2_ddot")
    m1, m2, L, g = names("m1 m2 L g")
    along = m1 * a1 - m1 * q1 * v2**2 + m1 * g * sin(q2)
    across = (m2 * L**2 + m1 * q1**2) * a2 + 2 * m1 * q1 * v1 * v2 + (m1 * q1 + m2 * L) * g * cos(q2)
    equations = symbolic_equations("sliding_mass")
    found = {c.name: side for c, side in zip(equations.coordinates, left_sides(equations), strict=True)}
    return [identical(found["q1"], along), identical(found["q2"], across)]


@case("sliding-mass", "Mass that slides on a pendulum, 1 s", "Garcia de Jalon & Bayo, examples 4.2 to 4.5")
def sliding_mass() -> Comparison:
    # Printed equations of example 4.2, integrated by scipy to 1e-12. Ours: local errors of 1e-10; natural coordinates:
    # order 4 at 5 rad/s and 2 ms.
    m1, m2, L, g = 1.3, 0.7, 0.9, 9.81

    def printed(_: float, y: Floats) -> list[float]:
        q1, q2, v1, v2 = y
        across = -2 * m1 * q1 * v1 * v2 - (m1 * q1 + m2 * L) * g * np.cos(q2)
        return [v1, v2, q1 * v2**2 - g * np.sin(q2), across / (m2 * L**2 + m1 * q1**2)]

    times = np.linspace(0, 1, 101)
    reference = solve_ivp(printed, (0, 1), [0.55, 0.8, 0.4, -1.7], "DOP853", times, rtol=1e-12, atol=1e-12).y
    findings = [exact("equations of example 4.2 in symbols", sliding_identities())]
    ways = {"joint": run("sliding_mass")}
    ways["natural"] = in_natural_coordinates("sliding_mass", 0.01, method="rk4", step=2e-3, end=1)
    for way, found in ways.items():
        ours = np.array([near(found[f"joints/q{k}/position"], times, found["time"]) for k in (1, 2)])
        findings.append(compare(f"distance and angle, {way} coordinates", "m, rad", reference[:2], ours, absolute=1e-8))
    curve = Curve("Distance from the pivot", "time", "s", "m", times, ours[0], times, reference[0])
    return Comparison(findings, [curve])
