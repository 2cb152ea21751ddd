"""More about published equations of motion than `flexmb verify` says: other forms of them, what is misprinted, eq. 46.

SM = Shi & McPhee 2000. All masses, lengths and inertias are symbols.

Covers: symbolic.embedding, verification.identity.
"""

from __future__ import annotations

import numpy as np
import pytest

from flexmb.symbolic.canonical import readable
from flexmb.symbolic.embedding import embedded
from flexmb.symbolic.engine import Integer, Symbol, as_expression, cos, sin
from flexmb.verification.seeds import printed_rotor, printed_slider_crank
from tests.support.places import ROOT
from tests.support.symbolic_identities import identical, left_sides, made, names
from tests.support.symbolic_models import DOUBLE_PENDULUM, ROTOR, SERVOS, SLIDER_CRANK

HEAVY_SLIDER = SLIDER_CRANK.replace("SLIDER", '"$m_s"')


def test_the_comparison_can_fail() -> None:
    """Guard of the guard: equal functions are equal, and a single sign or factor shows."""
    a, b, m = names("a", "b", "m")
    together = sin(a) * cos(b) + cos(a) * sin(b)
    assert identical(m * sin(a + b), m * together) and identical(sin(a) ** 2, 1 - cos(a) ** 2)
    assert identical(sin(2 * a) / cos(a), 2 * sin(a))
    assert not identical(m * sin(a + b), m * sin(a - b)) and not identical(sin(a) ** 2, 1 + cos(a) ** 2)
    assert not identical(m * sin(a), 2 * m * sin(a))


def test_pendulating_rotor() -> None:
    """[SM 5.2] in general form: the servos' torques enter as the efforts of actuators."""
    text = ROTOR.replace("[symbols]", '[symbols]\nT1 = "?"\nT2 = "?"')
    for name, joint in (("T1", "psi"), ("T2", "phi")):
        text += f'[forces.{name}]\ntype = "actuator"\njoint = "{joint}"\neffort = "${name}"\n'
    psi, theta, m3, L, R, g = names("psi theta m3 L R g")
    rates = names("psi_ddot theta_ddot phi_ddot psi_dot theta_dot phi_dot")
    squares = (cos(psi) ** 2, sin(psi) ** 2)
    printed = printed_rotor([*rates, m3, L, R, m3 * g], cos(theta), sin(theta), squares, *names("T1 T2"))
    for found, wanted in zip(left_sides(made(text)), printed, strict=True):
        assert identical(found, wanted)


def test_constant_rates_need_no_acceleration() -> None:
    equations = made(ROTOR + SERVOS)
    assert [row.owner for row in equations.rows] == ["servo_1", "servo_2"]
    assert [as_expression(x) for x in equations.gamma] == [0, 0]  # hence psi'' = phi'' = 0


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


def test_slider_with_mass() -> None:
    """[SM eq. 42, 43]: Q1, Q2, and the force on s of a slider that has a mass."""
    equations = made(HEAVY_SLIDER)
    loose = {symbol: Integer(0) for symbol in equations.lam}
    found = {c.name: side.subs(loose) for c, side in zip(equations.coordinates, left_sides(equations), strict=True)}
    Q1, Q2 = printed_slider_crank()
    assert identical(found["alpha1"], -Q1) and identical(found["alpha2"], -Q2)
    assert found["s"] == Symbol("m_s") * Symbol("s_ddot")


def test_slider_crank_jacobian() -> None:
    """The J that belongs to [SM eq. 36]: the signs of eq. 20 and 37 and a term of 37 are misprinted."""
    equations = made(SLIDER_CRANK.replace("SLIDER", "0"))
    reduced = embedded(equations)
    assert [equations.coordinates[k].name for k in reduced.independent] == ["alpha1"]
    rates = {equations.coordinates[k].name: row[0] for k, row in zip(reduced.dependent, reduced.J, strict=True)}
    l11, l12, al1, al2 = names("l11", "l12", "alpha1", "alpha2")
    J1 = l11 * cos(al1) / (l12 * cos(al1 + al2)) - 1
    J2 = l11 * sin(al2) / cos(al1 + al2)  # a shorter form of the same
    assert identical(rates["alpha2"], J1) and identical(rates["s"], J2)
    assert not identical(rates["alpha2"], J1 + 1) and not identical(rates["s"], -J2)  # eq. 37 as printed
    # J follows from eq. 36: Phi_qd J + Phi_qi = 0
    for row in equations.G:
        terms = (as_expression(x) * rates.get(c.name, 1) for x, c in zip(row, equations.coordinates, strict=True))
        assert identical(sum(terms, Integer(0)), Integer(0))


@pytest.mark.parametrize("text", [DOUBLE_PENDULUM, ROTOR + SERVOS, HEAVY_SLIDER])
def test_readable_forms_are_the_same_equations(text: str) -> None:
    """What is printed equals what was derived, exactly."""
    equations = made(text)
    rates = [*equations.v, *equations.a]
    entries = [x for row in equations.M + equations.G for x in row] + equations.bias + equations.phi + equations.gamma
    for entry in map(as_expression, entries):
        assert identical(readable(entry, equations.angles, rates), entry)


def paper_rod() -> str:
    """The spatial slider-crank of [SM 5.3] with the paper's rod: frame at B, three Taylor monomials a plane."""
    text = (ROOT / "examples" / "04_spatial_slider_crank.toml").read_text()
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
