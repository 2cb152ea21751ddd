"""Worked examples of the papers behind flexmb, in numbers and, where equations are printed, in symbols.

RS: Forehand, Cartmell & Khanin on the Roberson-Schwertassek method; SM: Shi & McPhee 2000. The trajectories were found
by integrating the printed equations, independently of flexmb (nine digits).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from flexmb.symbolic.embedding import embedded
from flexmb.symbolic.engine import Integer, Rational, as_expression, cos, expand, sin
from flexmb.verification.case import Comparison, Curve, Finding, case, compare, exact, near
from flexmb.verification.identity import identical, left_sides, names, symbolic_equations
from flexmb.verification.running import Record, inverse, run, table


def rows_at(record: Record, times: Any, *paths: str) -> Any:
    """(paths, times) channels at output times [s]."""
    return np.array([near(record[path], times, record["time"]) for path in paths])


@case("double-pendulum", "Double pendulum of two bars, 10 s", "Roberson-Schwertassek method, printed eq. 108-109")
def double_pendulum() -> Comparison:
    # A local error of 1e-10 makes 2e-9 at 10 s. Rows between two steps come from the interpolant of the method, fourth
    # order: 1e-7, ten times that in the rates.
    t, theta1, theta2, rate1, rate2, energy = table("double_pendulum")
    found = run("double_pendulum")
    angles = rows_at(found, t, "joints/theta1/position", "joints/theta2/position")
    rates = rows_at(found, t, "joints/theta1/velocity", "joints/theta2/velocity")
    findings = [
        compare("both angles, 10 s", "rad", [theta1, theta2], angles, absolute=1e-7),
        compare("both rates, 10 s", "rad/s", [rate1, rate2], rates, absolute=1e-6),
        compare("energy", "J", energy, near(found.energy(), t, found["time"]), absolute=1e-7),
        exact("terms of eq. 108, 109 in symbols", pendulum_identities()),
    ]
    curve = Curve("theta1", "time", "s", "rad", found["time"], found["joints/theta1/position"], t, theta1)
    return Comparison(findings, [curve])


def pendulum_identities() -> list[bool]:
    """[RS eq. 108, 109]; eq. 98 on the way to them is misprinted (l1/2 for l2/2), the result is not."""
    m1, m2, l1, l2, g, t1, t2 = names("m1 m2 l1 l2 g theta1 theta2")
    v1, v2, a1, a2 = names("theta1_dot theta2_dot theta1_ddot theta2_ddot")
    coupling, own = m2 * l1 * l2 / 2 * cos(t2) + m2 * l2**2 / 3, m2 * l2**2 / 3
    eq_108 = ((m1 / 3 + m2) * l1**2 + m2 * l1 * l2 * cos(t2) + m2 * l2**2 / 3) * a1 + coupling * a2
    eq_108 -= m2 * l1 * l2 / 2 * (v1 + v2) ** 2 * sin(t2) - (m1 / 2 + m2) * g * l1 * sin(t1)
    eq_108 += m2 * l1 * l2 / 2 * v1**2 * sin(t2) + m2 * g * l2 / 2 * sin(t1 + t2)
    eq_109 = coupling * a1 + own * a2 + m2 * l1 * l2 / 2 * v1**2 * sin(t2) + m2 * g * l2 / 2 * sin(t1 + t2)
    found = left_sides(symbolic_equations("double_pendulum"))
    return [identical(side, printed) for side, printed in zip(found, (eq_108, eq_109), strict=True)]


@case(
    "planar-slider-crank", "Planar slider-crank under a torque, 2 s", "Shi & McPhee eq. 36-45 (signs of 20, 37 mended)"
)
def planar_slider_crank() -> Comparison:
    # Generalised-alpha at 0.1 ms: the error goes with h^2, 1e-4 rad at 0.4 ms, so 6e-6 rad here. The embedded equations
    # by rk45 keep a local error of 1e-11: the nine digits of the table, of angles up to 28 rad.
    t, alpha1, alpha2, s, alpha1_dot, alpha2_dot, s_dot, kinetic = table("planar_slider_crank")
    findings: list[Finding] = []
    ways: dict[str, tuple[dict[str, Any], float, float]] = {
        "augmented": ({}, 1e-5, 2e-4),
        "embedding": ({"formulation": "embedding", "method": "rk45", "tolerance": 1e-11, "step": None}, 1e-7, 1e-6),
    }
    for way, (analysis, tolerance, rough) in ways.items():
        found = run("planar_slider_crank", **analysis)
        paths = [f"joints/{name}/" for name in ("alpha1", "alpha2", "s")]
        places = rows_at(found, t, *[path + "position" for path in paths])
        rates = rows_at(found, t, *[path + "velocity" for path in paths])
        energy = near(found["energy/kinetic"], t, found["time"])
        findings += [
            compare(f"both angles, {way}", "rad", [alpha1, alpha2], places[:2], absolute=tolerance),
            compare(f"slider, {way}", "m", s, places[2], absolute=tolerance),
            compare(f"rates, {way}", "rad/s, m/s", [alpha1_dot, alpha2_dot, s_dot], rates, absolute=rough),
            compare(f"kinetic energy, {way}", "J", kinetic, energy, relative=tolerance),
        ]
    findings.append(exact("eq. 36, 42-45 and J in symbols", slider_crank_identities()))
    curve = Curve("Slider", "time", "s", "m", found["time"], found["joints/s/position"], t, s)
    return Comparison(findings, [curve])


def printed_slider_crank() -> list[Any]:
    """Q1 and Q2 of [SM eq. 42, 43]."""
    l11, l12, m11, m12, I11, I12, T = names("l11 l12 m11 m12 I11 I12 T")
    al2, v1, v2, a1, a2 = names("alpha2 alpha1_dot alpha2_dot alpha1_ddot alpha2_ddot")
    both = I12 + m12 * l12**2 / 4 - m12 * l11 * l12 / 2 * cos(al2)
    own = I11 + I12 + m11 * l11**2 / 4 + m12 * (l11**2 + l12**2 / 4) - m12 * l11 * l12 * cos(al2)
    Q1 = T - own * a1 - both * a2 - m12 * l11 * l12 / 2 * (v2**2 + 2 * v1 * v2) * sin(al2)
    Q2 = -both * a1 - (I12 + m12 * l12**2 / 4) * a2 + m12 * l11 * l12 / 2 * v1**2 * sin(al2)
    return [Q1, Q2]


def slider_crank_identities() -> list[bool]:
    """[SM eq. 36, 42-45] with the J that belongs to eq. 36: signs of eq. 20 and 37 and a term of 37 are misprinted."""
    equations = symbolic_equations("planar_slider_crank")
    l11, l12, al1, al2, s = names("l11 l12 alpha1 alpha2 s")
    eq_36 = [l11 * cos(al1) - l12 * cos(al1 + al2) - s, l11 * sin(al1) - l12 * sin(al1 + al2)]
    held = [identical(as_expression(row), printed) for row, printed in zip(equations.phi, eq_36, strict=True)]
    loose = {symbol: Integer(0) for symbol in equations.lam}
    sides = {c.name: side.subs(loose) for c, side in zip(equations.coordinates, left_sides(equations), strict=True)}
    Q1, Q2 = printed_slider_crank()
    # no force on s: the slider has no mass, as the paper says below eq. 43
    held += [identical(sides["alpha1"], -Q1), identical(sides["alpha2"], -Q2), identical(sides["s"], Integer(0))]
    reduced = embedded(equations)
    rates = {equations.coordinates[k].name: row[0] for k, row in zip(reduced.dependent, reduced.J, strict=True)}
    J1 = l11 * cos(al1) / (l12 * cos(al1 + al2)) - 1
    J2 = -l11 * sin(al1) + l11 * cos(al1) * sin(al1 + al2) / cos(al1 + al2)
    held += [identical(rates["alpha2"], J1), identical(rates["s"], J2)]
    side = as_expression(reduced.bias[0])
    side += sum((as_expression(m) * a for m, a in zip(reduced.M[0], equations.a, strict=True)), Integer(0))
    return [*held, identical(side, -(Q1 + Q2 * J1))]


@case(
    "pendulating-rotor", "Pendulating rotor and its servo torques, 10 s", "Shi & McPhee section 5.2, printed equations"
)
def pendulating_rotor() -> Comparison:
    # rk45 with a local error of 1e-11 in some 1e3 steps; the table has nine digits.
    t, theta, theta_dot, T1, T2 = table("pendulating_rotor")
    with inverse("pendulating_rotor") as found:
        result, (servo_1, servo_2) = found.result, [drive.effort for drive in found.drives]
        time = result.time
        angle, rate = (near(result[f"joints/theta/{key}"], t, time) for key in ("position", "velocity"))
        printed = printed_torques(result)
    findings = [
        compare("swing angle", "rad", theta, angle, absolute=2e-8),
        compare("swing rate", "rad/s", theta_dot, rate, absolute=2e-7),
        compare("servo torque T1", "N*m", T1, near(servo_1, t, time), absolute=2e-8),
        compare("servo torque T2", "N*m", T2, near(servo_2, t, time), absolute=1e-9),
        # Algebra of one row: rounding of torques up to 10 N m (the weight).
        compare("T1 of the printed equation, each row", "N*m", printed[0], servo_1, absolute=1e-13),
        compare("T2 of the printed equation, each row", "N*m", printed[2], servo_2, absolute=1e-13),
        compare("printed equation of the swing", "N*m", np.zeros_like(time), printed[1], absolute=1e-12),
        exact("printed equations and torques in symbols", rotor_identities()),
    ]
    curves = [
        Curve("Servo torque T1", "time", "s", "N*m", time, servo_1, t, T1),
        Curve("Servo torque T2", "time", "s", "N*m", time, servo_2, t, T2),
    ]
    return Comparison(findings, curves)


def printed_rotor(values: Any, c: Any, s: Any, psi: tuple[Any, Any], T1: Any, T2: Any) -> list[Any]:
    """`dyn` of [SM 5.2] as printed, of symbols or numbers: psi'' theta'' phi'', psi' theta' phi', m3, L, R, W; then
    cosine and sine of theta, squared cosine and sine of psi."""
    psi_a, th_a, phi_a, psi_v, th_v, phi_v, m3, L, R, W = values
    J = m3 * R**2
    first = (J / 4 + J / 4 * c**2 - m3 * L**2 * c**2 + m3 * L**2) * psi_a - J / 2 * c * phi_a + J / 2 * s * phi_v * th_v
    first = first + (-J / 2 * s * c + 2 * m3 * c * L**2 * s) * psi_v * th_v - T1
    second = (J / 4 + m3 * L**2) * th_a + (-m3 * c * L**2 * s + J / 4 * s * c) * psi_v**2
    second = second - J / 2 * s * psi_v * phi_v - W * s * (-psi[1] * L - psi[0] * L)
    third = -J / 2 * c * psi_a + J / 2 * phi_a + J / 2 * s * th_v * psi_v - T2
    return [first, second, third]


def printed_torques(result: Any) -> list[Any]:
    """T1, the left side of the swing equation, T2 from the rows of a result."""
    values = [
        result[f"joints/{name}/{key}"] for key in ("acceleration", "velocity") for name in ("psi", "theta", "phi")
    ]
    psi, theta = (result[f"joints/{name}/position"] for name in ("psi", "theta"))
    numbers = [*values, 2.0, 0.5, 0.2, 2.0 * 9.81]
    return printed_rotor(numbers, np.cos(theta), np.sin(theta), (np.cos(psi) ** 2, np.sin(psi) ** 2), 0.0, 0.0)


def rotor_identities() -> list[bool]:
    """`dyn1` of [SM 5.2]: with constant rates, the multipliers of the motions are the torques with opposite sign."""
    equations = symbolic_equations("pendulating_rotor")
    psi, phi, theta, precession, spin, t, m3, L, R, g = names("psi phi theta precession spin t m3 L R g")
    psi_v, th_v, phi_v, psi_a, th_a, phi_a = names("psi_dot theta_dot phi_dot psi_ddot theta_ddot phi_ddot")
    values = [psi_a, th_a, phi_a, psi_v, th_v, phi_v, m3, L, R, m3 * g]
    squares = (cos(psi) ** 2, sin(psi) ** 2)
    printed = printed_rotor(values, cos(theta), sin(theta), squares, *[-x for x in equations.lam])
    held = [identical(side, wanted) for side, wanted in zip(left_sides(equations), printed, strict=True)]
    held += [
        expand(x) == wanted for x, wanted in zip(equations.phi, (psi - precession * t, phi - spin * t), strict=True)
    ]
    half, c, s = Rational(1, 2), cos(theta), sin(theta)
    T1 = half * m3 * R**2 * s * phi_v * th_v + (-half * m3 * R**2 + 2 * m3 * L**2) * s * c * psi_v * th_v
    T2 = half * m3 * R**2 * s * th_v * psi_v
    # the paper's closed forms of the torques at constant rates
    return [*held, identical(as_expression(equations.bias[0]), T1), identical(as_expression(equations.bias[2]), T2)]
