"""Published equations of motion, term by term: the difference must be the number zero, not a small one.

Sources: Forehand, Cartmell & Khanin's worked example of the Roberson-Schwertassek method (RS), Shi & McPhee 2000 (SM).
All masses, lengths and inertias are symbols.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from symbolic_identities import identical, left_sides, made, names

from flexmb.symbolic.canonical import readable
from flexmb.symbolic.embedding import embedded
from flexmb.symbolic.engine import Integer, Rational, Symbol, as_expression, cos, expand, sin

half = Rational(1, 2)

DOUBLE_PENDULUM = """
[model]
name = "Double pendulum"
gravity = [0, "-$g", 0]
[symbols]
m1 = "?"
m2 = "?"
l1 = "?"
l2 = "?"
g = "?"
[points]
O = [0, 0, 0]
A = [0, "-$l1", 0]
B = [0, "-$l1 - $l2", 0]
[bodies.upper]
mass = "$m1"
rod = ["O", "A"]
[bodies.lower]
mass = "$m2"
rod = ["A", "B"]
[joints.theta1]
type = "revolute"
bodies = ["ground", "upper"]
at = "O"
axis = "z"
[joints.theta2]
type = "revolute"
bodies = ["upper", "lower"]
at = "A"
axis = "z"
"""

ROTOR = """
[model]
name = "Pendulating rotor"
gravity = [0, 0, "-$g"]
[symbols]
m3 = "?"
L = "?"
R = "?"
g = "?"
precession = "?"
spin = "?"
[points]
A = [0, 0, 0]
B = [0, 0, "-$L"]
[bodies.post]
mass = 0
inertia = [0, 0, 0]
at = "A"
[bodies.shaft]
mass = 0
inertia = [0, 0, 0]
at = "A"
[bodies.disk]
mass = "$m3"
inertia = ["$m3*$R^2/4", "$m3*$R^2/4", "$m3*$R^2/2"]
at = "B"
[joints.psi]
type = "revolute"
bodies = ["ground", "post"]
at = "A"
axis = "z"
[joints.theta]
type = "revolute"
bodies = ["post", "shaft"]
at = "A"
axis = "y"
[joints.phi]
type = "revolute"
bodies = ["shaft", "disk"]
at = "B"
axis = "-z"
"""

SERVOS = """
[motions.servo_1]
joint = "psi"
rate = "$precession"
[motions.servo_2]
joint = "phi"
rate = "$spin"
"""

SLIDER_CRANK = """
[model]
name = "Planar slider-crank"
[symbols]
l11 = "?"
l12 = "?"
m11 = "?"
m12 = "?"
I11 = "?"
I12 = "?"
T = "?"
m_s = "?"
[points]
O = [0, 0, 0]
A = ["$l11", 0, 0]
B = ["$l11 - $l12", 0, 0]
[bodies.crank]
mass = "$m11"
inertia = [0, "$I11", "$I11"]
at = ["$l11/2", 0, 0]
[bodies.rod]
mass = "$m12"
inertia = [0, "$I12", "$I12"]
at = ["$l11 - $l12/2", 0, 0]
markers.pin = { at = "B" }
[bodies.slider]
mass = SLIDER
inertia = [0, 0, 0]
at = "O"
markers.pin = { at = "O" }
[joints.alpha1]
type = "revolute"
bodies = ["ground", "crank"]
at = "O"
axis = "z"
[joints.alpha2]
type = "revolute"
bodies = ["crank", "rod"]
at = "A"
axis = "z"
[joints.s]
type = "prismatic"
bodies = ["ground", "slider"]
at = "O"
axis = "x"
[joints.pin]
type = "revolute"
markers = ["slider.pin", "rod.pin"]
tree = false
[forces.motor]
type = "actuator"
joint = "alpha1"
effort = "$T"
"""


def test_the_comparison_can_fail() -> None:
    """Guard of the guard: equal functions are equal, and a single sign or factor shows."""
    a, b, m = names("a", "b", "m")
    together = sin(a) * cos(b) + cos(a) * sin(b)
    assert identical(m * sin(a + b), m * together) and identical(sin(a) ** 2, 1 - cos(a) ** 2)
    assert identical(sin(2 * a) / cos(a), 2 * sin(a))
    assert not identical(m * sin(a + b), m * sin(a - b)) and not identical(sin(a) ** 2, 1 + cos(a) ** 2)
    assert not identical(m * sin(a), 2 * m * sin(a))


def test_double_pendulum() -> None:
    """[RS eq. 108, 109]; eq. 98 on the way to them is misprinted (l1/2 for l2/2), the result is not."""
    equations = made(DOUBLE_PENDULUM)
    m1, m2, l1, l2, g, t1, t2, v1, v2, a1, a2 = names(
        *"m1 m2 l1 l2 g theta1 theta2 theta1_dot theta2_dot theta1_ddot theta2_ddot".split()
    )
    coupling, own = m2 * l1 * l2 / 2 * cos(t2) + m2 * l2**2 / 3, m2 * l2**2 / 3
    eq_108 = ((m1 / 3 + m2) * l1**2 + m2 * l1 * l2 * cos(t2) + m2 * l2**2 / 3) * a1 + coupling * a2
    eq_108 -= m2 * l1 * l2 / 2 * (v1 + v2) ** 2 * sin(t2) - (m1 / 2 + m2) * g * l1 * sin(t1)
    eq_108 += m2 * l1 * l2 / 2 * v1**2 * sin(t2) + m2 * g * l2 / 2 * sin(t1 + t2)
    eq_109 = coupling * a1 + own * a2 + m2 * l1 * l2 / 2 * v1**2 * sin(t2) + m2 * g * l2 / 2 * sin(t1 + t2)
    found = left_sides(equations)
    assert identical(found[0], eq_108) and identical(found[1], eq_109)
    assert equations.phi == []


ROTOR_NAMES = "m3 L R g psi theta phi psi_dot theta_dot phi_dot psi_ddot theta_ddot phi_ddot"


def printed_rotor(T1: Any, T2: Any) -> list[Any]:
    """`dyn` of [SM 5.2] as printed, W = m3 g."""
    m3, L, R, g, psi, th, _, psi_v, th_v, phi_v, psi_a, th_a, phi_a = names(*ROTOR_NAMES.split())
    quarter, c, s = Rational(1, 4), cos(th), sin(th)
    first = (quarter * m3 * R**2 + quarter * m3 * R**2 * c**2 - m3 * L**2 * c**2 + m3 * L**2) * psi_a
    first += -half * m3 * R**2 * c * phi_a + half * m3 * R**2 * s * phi_v * th_v
    first += (-half * s * m3 * R**2 * c + 2 * m3 * c * L**2 * s) * psi_v * th_v - T1
    second = (quarter * m3 * R**2 + m3 * L**2) * th_a
    second += (-m3 * c * L**2 * s + quarter * s * m3 * R**2 * c) * psi_v**2
    second += -half * m3 * R**2 * s * psi_v * phi_v - m3 * g * s * (-(sin(psi) ** 2) * L - cos(psi) ** 2 * L)
    third = -half * m3 * R**2 * c * psi_a + half * m3 * R**2 * phi_a + half * m3 * R**2 * s * th_v * psi_v - T2
    return [first, second, third]


def test_pendulating_rotor() -> None:
    """[SM 5.2] in general form: the servos' torques enter as the efforts of actuators."""
    text = ROTOR.replace('spin = "?"', 'spin = "?"\nT1 = "?"\nT2 = "?"')
    for name, joint in (("T1", "psi"), ("T2", "phi")):
        text += f'[forces.{name}]\ntype = "actuator"\njoint = "{joint}"\neffort = "${name}"\n'
    equations = made(text)
    for found, printed in zip(left_sides(equations), printed_rotor(*names("T1", "T2")), strict=True):
        assert identical(found, printed)


def test_pendulating_rotor_with_servos() -> None:
    """`dyn1` of [SM 5.2]: with constant rates, the multipliers of the motions are the torques with opposite sign."""
    equations = made(ROTOR + SERVOS)
    assert [row.owner for row in equations.rows] == ["servo_1", "servo_2"]
    psi, phi, psi_v, phi_v, psi_a, phi_a, precession, spin, t = names(
        *"psi phi psi_dot phi_dot psi_ddot phi_ddot precession spin t".split()
    )
    assert [expand(x) for x in equations.phi] == [psi - precession * t, phi - spin * t]
    assert [as_expression(x) for x in equations.gamma] == [0, 0]  # hence psi'' = phi'' = 0
    held = {psi_a: Integer(0), phi_a: Integer(0)}
    torques = [-x for x in equations.lam]
    for found, printed in zip(left_sides(equations), printed_rotor(*torques), strict=True):
        assert identical(found.subs(held), printed.subs(held))
    # the paper's closed forms of the torques
    m3, L, R, th, th_v = names("m3", "L", "R", "theta", "theta_dot")
    T1 = half * m3 * R**2 * sin(th) * phi_v * th_v
    T1 += (-half * m3 * R**2 + 2 * m3 * L**2) * sin(th) * cos(th) * psi_v * th_v
    T2 = half * m3 * R**2 * sin(th) * th_v * psi_v
    assert identical(as_expression(equations.bias[0]), T1) and identical(as_expression(equations.bias[2]), T2)


def printed_slider_crank() -> list[Any]:
    """Q1 and Q2 of [SM eq. 42, 43]."""
    l11, l12, m11, m12, I11, I12, T = names("l11", "l12", "m11", "m12", "I11", "I12", "T")
    al2, v1, v2, a1, a2 = names("alpha2", "alpha1_dot", "alpha2_dot", "alpha1_ddot", "alpha2_ddot")
    both = I12 + m12 * l12**2 / 4 - m12 * l11 * l12 / 2 * cos(al2)
    own = I11 + I12 + m11 * l11**2 / 4 + m12 * (l11**2 + l12**2 / 4) - m12 * l11 * l12 * cos(al2)
    Q1 = T - own * a1 - both * a2 - m12 * l11 * l12 / 2 * (v2**2 + 2 * v1 * v2) * sin(al2)
    Q2 = -both * a1 - (I12 + m12 * l12**2 / 4) * a2 + m12 * l11 * l12 / 2 * v1**2 * sin(al2)
    return [Q1, Q2]


def test_slider_crank_constraints() -> None:
    """[SM eq. 36]: both rows, in the coordinates alpha1, alpha2, s; the other rows of the pin hold by themselves."""
    equations = made(SLIDER_CRANK.replace("SLIDER", "0"))
    assert sorted(c.name for c in equations.coordinates) == ["alpha1", "alpha2", "s"]
    l11, l12, al1, al2, s = names("l11", "l12", "alpha1", "alpha2", "s")
    eq_36 = [l11 * cos(al1) - l12 * cos(al1 + al2) - s, l11 * sin(al1) - l12 * sin(al1 + al2)]
    assert len(equations.phi) == 2
    for row, printed in enumerate(eq_36):
        assert identical(as_expression(equations.phi[row]), printed)
        for entry, coordinate in zip(equations.G[row], equations.coordinates, strict=True):
            assert identical(as_expression(entry), printed.diff(coordinate.position))


@pytest.mark.parametrize("slider", ["0", '"$m_s"'])
def test_slider_crank_forces(slider: str) -> None:
    """[SM eq. 42, 43]: Q1, Q2, and no force on s unless the slider has a mass, as the paper says below eq. 43."""
    equations = made(SLIDER_CRANK.replace("SLIDER", slider))
    loose = {symbol: Integer(0) for symbol in equations.lam}
    found = {c.name: side.subs(loose) for c, side in zip(equations.coordinates, left_sides(equations), strict=True)}
    Q1, Q2 = printed_slider_crank()
    assert identical(found["alpha1"], -Q1) and identical(found["alpha2"], -Q2)
    assert found["s"] == (Integer(0) if slider == "0" else Symbol("m_s") * Symbol("s_ddot"))


def test_slider_crank_embedding() -> None:
    """[SM eq. 44, 45] with the J that belongs to eq. 36: the signs of eq. 20 and 37 and a term of 37 are misprinted."""
    equations = made(SLIDER_CRANK.replace("SLIDER", "0"))
    reduced = embedded(equations)
    assert [equations.coordinates[k].name for k in reduced.independent] == ["alpha1"]
    rates = {equations.coordinates[k].name: row[0] for k, row in zip(reduced.dependent, reduced.J, strict=True)}
    l11, l12, al1, al2 = names("l11", "l12", "alpha1", "alpha2")
    J1 = l11 * cos(al1) / (l12 * cos(al1 + al2)) - 1
    J2 = -l11 * sin(al1) + l11 * cos(al1) * sin(al1 + al2) / cos(al1 + al2)
    assert identical(rates["alpha2"], J1) and identical(rates["s"], J2)
    assert identical(J2, l11 * sin(al2) / cos(al1 + al2))  # the shorter form of the same
    assert not identical(rates["alpha2"], J1 + 1) and not identical(rates["s"], -J2)  # eq. 37 as printed
    # J follows from eq. 36: Phi_qd J + Phi_qi = 0
    for row in equations.G:
        terms = (as_expression(x) * rates.get(c.name, 1) for x, c in zip(row, equations.coordinates, strict=True))
        assert identical(sum(terms, Integer(0)), Integer(0))
    Q1, Q2 = printed_slider_crank()
    side = as_expression(reduced.bias[0])
    side += sum((as_expression(m) * a for m, a in zip(reduced.M[0], equations.a, strict=True)), Integer(0))
    assert identical(side, -(Q1 + Q2 * J1))


@pytest.mark.parametrize("text", [DOUBLE_PENDULUM, ROTOR + SERVOS, SLIDER_CRANK.replace("SLIDER", '"$m_s"')])
def test_readable_forms_are_the_same_equations(text: str) -> None:
    """What is printed equals what was derived, exactly."""
    equations = made(text)
    rates = [*equations.v, *equations.a]
    entries = [x for row in equations.M + equations.G for x in row] + equations.bias + equations.phi + equations.gamma
    for entry in map(as_expression, entries):
        assert identical(readable(entry, equations.angles, rates), entry)


def paper_rod() -> str:
    """The spatial slider-crank of [SM 5.3] with the paper's rod: frame at B, three Taylor monomials a plane."""
    text = (Path(__file__).parents[1] / "examples" / "spatial_slider_crank.toml").read_text()
    for old, new in (('"modes"', '"monomials"'), ('frame = "chord"', 'frame = "end"')):
        assert old in text
        text = text.replace(old, new)
    return text


def test_flexible_slider_crank() -> None:
    """[SM eq. 46]: seven dynamic and three constraint equations in ten coordinates; T13 stands in one of them only."""
    equations = made(paper_rod(), 2)
    reduced = embedded(equations)
    assert (equations.n_v, len(reduced.rows), len(reduced.independent)) == (10, 3, 7)
    assert [len(reduced.M), len(reduced.bias), len(reduced.M[0])] == [7, 7, 10]
    chosen = [equations.coordinates[k] for k in reduced.independent]
    assert chosen[0].name == "crank_angle" and all(c.is_elastic for c in chosen[1:])
    assert sorted(equations.coordinates[k].meaning.split()[-1] for k in reduced.dependent) == [
        "guide",
        "small_end",
        "small_end",
    ]
    assert [equations.rows[k].owner for k in reduced.rows] == ["big_end"] * 3
    assert [[as_expression(x) for x in row] for row in reduced.drives] == [[Integer(1)], *([[Integer(0)]] * 6)]


@pytest.mark.parametrize("order", [1, 2])
def test_flexible_slider_crank_is_projected(order: int) -> None:
    """The dynamic equations of eq. 46 are N^T (M a + bias), with N by numbers; what truncation drops is of next order.

    J is truncated as well, hence the difference falls with the power order + 1 of the deflection.
    """
    equations = made(paper_rod(), order)
    reduced = embedded(equations)
    generator = np.random.default_rng(4)
    rigid, elastic = generator.uniform(0.3, 0.8, (3, 4)), generator.uniform(-1.0, 1.0, (3, 6))
    rest = []
    for size in (1e-2, 1e-3):
        q, v, a = (np.concatenate([r, size * e]) for r, e in zip(rigid, elastic, strict=True))
        at = dict(zip([*equations.q, *equations.v], [*q, *v], strict=True)) | {equations.t: 0.1}
        M, bias, G, M_i, bias_i = (
            np.array([[float(as_expression(x).subs(at)) for x in row] for row in rows])
            for rows in (equations.M, [equations.bias], equations.G, reduced.M, [reduced.bias])
        )
        N = np.zeros((10, 7))
        N[list(reduced.independent), range(7)] = 1.0
        held = G[list(reduced.rows)]
        N[list(reduced.dependent)] = -np.linalg.solve(held[:, reduced.dependent], held[:, reduced.independent])
        wanted = N.T @ (M @ a + bias[0])
        rest.append(np.max(abs(M_i @ a + bias_i[0] - wanted)))
    assert order + 0.8 < np.log10(rest[0] / rest[1]) < order + 1.5
