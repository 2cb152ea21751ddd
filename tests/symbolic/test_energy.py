"""Energy and first integrals in symbols: known ones are found, others are not, and T, V give the equations back.

Covers: symbolic.vanishing.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import flexmb as fx
from flexmb.errors import InputError
from flexmb.model.model_file import parse_model
from flexmb.symbolic.energy import Energy, energy_of
from flexmb.symbolic.engine import Integer, Scalar, Symbol, as_expression, cos, engine, sin
from flexmb.symbolic.equations import Equations, equations_of
from flexmb.symbolic.vanishing import value_and_size, vanishes
from tests.support.places import ROOT
from tests.support.symbolic_identities import identical, made, names
from tests.support.symbolic_models import DOUBLE_PENDULUM, FREE, ROTOR, SERVOS, SLIDER_CRANK, TOP

CART = """
[model]
name = "Pendulum on a cart"
gravity = [0, "-$g", 0]
[symbols]
M = "?"
m = "?"
L = "?"
g = "?"
k = "?"
c = "?"
[bodies.cart]
mass = "$M"
inertia = [0, 0, 0]
at = [0, 0, 0]
[bodies.bob]
mass = "$m"
inertia = [0, 0, 0]
at = [0, "-$L", 0]
markers.centre = { at = [0, "-$L", 0] }
[joints.x]
type = "prismatic"
bodies = ["ground", "cart"]
at = [0, 0, 0]
axis = "x"
[joints.theta]
type = "revolute"
bodies = ["cart", "bob"]
at = [0, 0, 0]
axis = "z"
"""
BEAM = """
[model]
name = "Flexible pendulum"
gravity = [0, -9.81, 0]
[bodies.beam]
beam = [[0, 0, 0], [1, 0, 0]]
material = { E = 2e9, nu = 0.3, density = 1200 }
section = { type = "rectangle", y = 0.02, z = 0.03 }
shapes = { family = "modes", bending = { y = 2, z = 1 } }
frame = "start"
DAMPING
field = "quadratic"
order = 2
[bodies.mass]
mass = 0.3
inertia = [2e-4, 2e-4, 3e-4]
at = [1, 0, 0]
[joints.pivot]
type = "revolute"
bodies = ["ground", "beam"]
at = [0, 0, 0]
axis = "z"
position = -0.4
velocity = 2
[joints.tip]
type = "revolute"
bodies = ["beam", "mass"]
at = [1, 0, 0]
axis = "z"
velocity = 3
[analysis]
end = 0.02
step = 1e-4
method = "rk4"
[output]
every = 0.005
"""
PLAIN_BEAM = BEAM.replace("DAMPING\n", "")


def energy(text: str, order: int | None = None) -> Energy:
    return energy_of(made(text, order))


def constant(found: Energy) -> dict[str, bool]:
    """Momenta that stay constant, and whether their coordinate is cyclic."""
    return {momentum.coordinate: momentum.is_cyclic for momentum in found.momenta}


def value(found: Energy, name: str) -> Any:
    return as_expression(next(momentum.value for momentum in found.momenta if momentum.coordinate == name))


def test_free_rotor() -> None:
    """Without servos the rotor of [SM 5.2] keeps its energy, p_psi and the momentum of its spin."""
    found = energy(ROTOR)
    assert found.is_constant and constant(found) == {"psi": True, "phi": True}
    m3, L, R, g, th, psi_v, th_v, phi_v = names("m3", "L", "R", "g", "theta", "psi_dot", "theta_dot", "phi_dot")
    across, along, spin = m3 * R**2 / 4, m3 * R**2 / 2, phi_v - psi_v * cos(th)
    assert identical(value(found, "phi"), along * spin)
    p_psi = (across + m3 * L**2) * sin(th) ** 2 * psi_v - along * spin * cos(th)
    assert identical(value(found, "psi"), p_psi)
    T = (across + m3 * L**2) * (th_v**2 + psi_v**2 * sin(th) ** 2) / 2 + along * spin**2 / 2
    assert identical(found.kinetic, T) and identical(found.potential, -m3 * g * L * cos(th))


def test_servos_do_work() -> None:
    """Neither the energy nor the momenta of driven coordinates stay; a motion that holds still does no work."""
    driven = energy(ROTOR + SERVOS)
    assert not driven.is_constant and constant(driven) == {}
    held = energy(ROTOR + '[motions.lock]\njoint = "psi"\nexpression = "0.3"\n')
    assert held.is_constant and constant(held) == {"phi": True}


def test_cart() -> None:
    """Momentum along the track; the same with a spring between cart and bob, not with one to ground."""
    found = energy(CART)
    M, m, L, g, th, x_v, th_v = names("M", "m", "L", "g", "theta", "x_dot", "theta_dot")
    assert found.is_constant and constant(found) == {"x": True}
    assert identical(value(found, "x"), (M + m) * x_v + m * L * cos(th) * th_v)
    assert identical(found.potential, -m * g * L * cos(th))
    inner = '[forces.s]\ntype = "spring-damper"\nmarkers = ["cart", "bob.centre"]\nstiffness = "$k"\nlength = 0.2\n'
    assert constant(energy(CART + inner)) == {"x": True}
    outer = '[forces.s]\ntype = "joint-spring"\njoint = "x"\nstiffness = "$k"\n'
    spring = energy(CART + outer)
    assert spring.is_constant and constant(spring) == {}
    assert identical(spring.potential - found.potential, Symbol("k") * Symbol("x") ** 2 / 2)


@pytest.mark.parametrize("damping", ['"$c"', "1e-9"])
def test_damping(damping: str) -> None:
    """However small: the energy decays; the cart's momentum does not notice a damper in the pendulum's joint."""
    found = energy(CART + f'[forces.d]\ntype = "joint-spring"\njoint = "theta"\nstiffness = 10\ndamping = {damping}\n')
    assert not found.is_constant and constant(found) == {"x": True}


def test_forces_that_are_not_stored() -> None:
    """A constant effort, a time-dependent one and friction change T + V."""
    for force in (
        'type = "actuator"\neffort = "2"',
        'type = "actuator"\neffort = "sin(t)"',
        "type = 'friction'\nviscous=1",
    ):
        assert not energy(CART + f'[forces.f]\njoint = "theta"\n{force}\n').is_constant


def test_heavy_top() -> None:
    """Energy, the spin about the symmetry axis y, and the moment about the vertical; no symmetry, no spin."""
    found = energy(TOP)
    assert found.is_constant and constant(found) == {"ball_wy": False, "ball about z": False}
    assert identical(value(found, "ball_wy"), Symbol("Js") * Symbol("ball_wy"))
    lame = energy(TOP.replace('"$Js", "$J"]', '"$Js", 0.3]'))
    assert lame.is_constant and constant(lame) == {"ball about z": False}
    assert set(constant(energy(TOP.replace('"-$g"', "0")))) == {
        "ball_wy",
        "ball about x",
        "ball about y",
        "ball about z",
    }


def test_rotor_inside_a_body() -> None:
    """A gyrostat: the momentum of the spinning rotor belongs to the constant moment about the vertical."""
    text = TOP.replace("at = [0, 1, 0]", 'at = [0, 1, 0]\nrotor = [0, "$h", 0]')
    found = energy(text)
    assert found.is_constant and set(constant(found)) == {"ball_wy", "ball about z"}
    p1, p2, p3, p0, h = names("ball_p1", "ball_p2", "ball_p3", "ball_p0", "h")
    extra = value(found, "ball about z") - value(energy(TOP), "ball about z")
    assert identical(extra, h * 2 * (p2 * p3 + p0 * p1))


def test_free_body() -> None:
    """Linear momentum and the moment about the centre; gravity takes one component of the former."""
    found = energy(FREE)
    about = {"nut about x", "nut about y", "nut about z"}
    assert found.is_constant and set(constant(found)) == {"nut_x", "nut_y", "nut_z"} | about
    heavy = energy(FREE.replace('name = "Free body"', "gravity = [0, 0, -9.81]"))
    assert heavy.is_constant and set(constant(heavy)) == {"nut_x", "nut_y"} | about


def test_closed_loop() -> None:
    """Rows of joints do no work: T + V is constant with a loop, and the held coordinates have no integrals."""
    text = SLIDER_CRANK.replace("SLIDER", '"$m_s"')
    found = energy(text[: text.index("[forces.motor]")])
    assert found.is_constant and constant(found) == {}
    assert not energy(text).is_constant


def test_closed_loop_on_a_turntable() -> None:
    """The loop's rows do not hold the table: its angle is cyclic, and the motor inside does not change its momentum."""
    text = SLIDER_CRANK.replace("SLIDER", '"$m_s"').replace('"ground"', '"table"')
    text += '[bodies.table]\nmass = 1\ninertia = [0, 0, 2]\nat = "O"\n'
    text += '[joints.turn]\ntype = "revolute"\nbodies = ["ground", "table"]\nat = "O"\naxis = "z"\n'
    found = energy(text)
    assert not found.is_constant and constant(found) == {"turn": True}


def test_named_results_are_refused() -> None:
    with pytest.raises(InputError, match="without named intermediate results"):
        energy_of(equations_of(parse_model(TOP, keep=()), named=True))


@pytest.mark.parametrize("order", [None, 1, 2])
def test_flexible_beam(order: int | None) -> None:
    """With gravity, complete and truncated (then to the order of the truncation); damping and a drive are noticed."""
    found = energy(PLAIN_BEAM, order)
    assert found.is_constant and constant(found) == {"tip": True}
    assert not energy(BEAM.replace("DAMPING", "damping = { ratio = 1e-6 }"), order).is_constant
    assert not energy(PLAIN_BEAM + '[motions.m]\njoint = "pivot"\nrate = 2.0\n', order).is_constant


def test_truncation_costs_energy_beyond_its_order() -> None:
    """The truncated T + V of the beam is not constant exactly: its rate falls with the cube of the deflection."""
    equations = made(PLAIN_BEAM, 2)
    found = energy_of(equations)
    whole = found.kinetic + found.potential
    power = sum((whole.diff(q) * rate for q, rate in zip(equations.q, equations.q_dot, strict=True)), Integer(0))
    power -= sum((v * b for v, b in zip(equations.v, equations.bias, strict=True)), Integer(0))
    rest = []
    for size in (1e-2, 1e-3):
        state = _state(equations, 3, size)
        rest.append(abs(float(power.subs(state))))
    assert rest[0] > 1e-9 and 2.8 < np.log10(rest[0] / rest[1]) < 3.2


def _state(equations: Equations, seed: int, size: float) -> dict[Any, float]:
    """A state with deflections and their rates of a given size; the same directions for every size."""
    draw = random.Random(seed)
    state = {symbol: draw.uniform(0.3, 1.4) for symbol in (*equations.q, *equations.v)}
    for coordinate in equations.coordinates:
        if coordinate.is_elastic:
            state[coordinate.position] *= size
            state[coordinate.rate] *= size
    return state | {Symbol(name): draw.uniform(0.3, 1.4) for name in equations.mechanism.symbols}


def lagrange(equations: Equations, found: Energy) -> tuple[list[list[Scalar]], list[Scalar]]:
    """M and bias by Lagrange's equations from T(q, v) and V(q) alone, for coordinates whose rates are their v."""
    T, V = as_expression(found.kinetic), as_expression(found.potential)
    pairs = list(zip(equations.q, equations.v, strict=True))
    M = [[T.diff(v).diff(w) for _, w in pairs] for _, v in pairs]
    bias = []
    for q, v in pairs:
        p = T.diff(v)
        bias.append(sum((p.diff(x) * w for x, w in pairs), Integer(0)) - T.diff(q) + V.diff(q))
    return M, bias


@pytest.mark.parametrize("text", [DOUBLE_PENDULUM, ROTOR, CART])
def test_lagrange_gives_the_equations(text: str) -> None:
    """An independent road to the bias: nothing of the recursion for accelerations enters."""
    equations = made(text)
    M, bias = lagrange(equations, energy_of(equations))
    for found, wanted in zip(
        [*bias, *(x for row in M for x in row)],
        [*equations.bias, *(x for row in equations.M for x in row)],
        strict=True,
    ):
        assert identical(as_expression(found), as_expression(wanted))


def test_lagrange_gives_the_flexible_equations() -> None:
    """The complete equations of a flexible tree, at random states; rounding only (size: sum of all terms)."""
    equations = made(PLAIN_BEAM)
    _, bias = lagrange(equations, energy_of(equations))
    states = [_state(equations, seed, 0.05) for seed in range(3)]
    for found, wanted in zip(bias, equations.bias, strict=True):
        assert vanishes([as_expression(found) - as_expression(wanted)], states)


@pytest.mark.parametrize("order", [1, 2])
def test_lagrange_gives_the_truncated_equations(order: int) -> None:
    """From the complete T and V: Lagrange's M and bias less the truncated ones fall with the next power of the size."""
    complete, truncated = made(PLAIN_BEAM), made(PLAIN_BEAM, order)
    M, bias = lagrange(complete, energy_of(complete))
    wanted = [*bias, *(x for row in M for x in row)]
    found = [*truncated.bias, *(x for row in truncated.M for x in row)]
    for one, other in zip(found, wanted, strict=True):
        difference = as_expression(one) - as_expression(other)
        rest, sizes = [], (1e-2, 1e-3)
        for size in sizes:
            state = _state(complete, 5, size)
            value_here, scale = value_and_size(difference, {s: (x, abs(x)) for s, x in state.items()})
            rest.append((abs(value_here), 1e-12 * scale))
        if any(value_here > rounding for value_here, rounding in rest):
            assert np.log10(rest[0][0] / rest[1][0]) > order + 0.8


@pytest.mark.parametrize(
    "text",
    [TOP, PLAIN_BEAM, ROOT / "examples" / "03_pendulating_rotor.toml"],
    ids=["top", "beam", "rotor"],
)
def test_energies_of_a_run(text: str | Path, tmp_path: Path) -> None:
    """T and V at the rows of a run are those of the numeric core, to its rounding."""
    text = text.read_text().replace('end = "10 s"', "end = 0.1") if isinstance(text, Path) else text
    result = fx.run_model(parse_model(text), tmp_path / "run.h5")
    model = parse_model(text, keep=())
    equations = equations_of(model)
    found = energy_of(equations)
    symbols = [*equations.q, *equations.v, *map(Symbol, equations.mechanism.symbols)]
    evaluate = engine.Lambdify(symbols, [as_expression(found.kinetic), as_expression(found.potential)])
    parameters = list(equations.mechanism.values[name] for name in equations.mechanism.symbols)
    rows = zip(result["coordinates/q"], result["coordinates/v"], strict=True)
    values = np.array([evaluate([*q, *v, *parameters]) for q, v in rows])
    for column, name in enumerate(("kinetic", "potential")):
        wanted = result[f"energy/{name}"]
        assert len(wanted) > 3 and np.ptp(wanted) > 1e-4 * np.max(abs(wanted))
        np.testing.assert_allclose(values[:, column], wanted, rtol=0, atol=1e-12 * np.max(abs(wanted)))


def test_vanishing_knows_rounding_from_small_terms() -> None:
    a, b, k = names("a", "b", "k")
    states = [{a: 0.7, b: 1.1, k: 2e9}, {a: -0.2, b: 0.4, k: 3e9}]
    zero = k * (sin(a) * cos(b) + cos(a) * sin(b)) - k * sin(a + b)
    assert vanishes([zero, sin(a) ** 2 + cos(a) ** 2 - 1], states)
    assert not vanishes([zero + a], states) and not vanishes([zero, a * b], states)
    assert vanishes([1 / a - b / (a * b), engine.sqrt(b**2 + 2 * a * b + a**2) ** 2 - (a + b) ** 2], states)
