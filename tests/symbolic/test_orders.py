"""Equations truncated by orders, and the flexible slider-crank of the paper in its embedding form."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from flexmb import Model
from flexmb.errors import InputError
from flexmb.model.model_file import read_model
from flexmb.symbolic.code.folder import program_of
from flexmb.symbolic.embedding import embedded
from flexmb.symbolic.equations import Equations, equations_of
from flexmb.symbolic.orders import Orders
from tests.support.flexible_models import pair_of_beams
from tests.support.places import EXAMPLES
from tests.support.symbolic_numbers import NumericCore, evaluator, values_of

TOLERANCE = 1e-12
"""Relative: some thousand operations of 1e-16 each."""


def flagship(**rod: str) -> Model:
    """The spatial slider-crank of the examples as the paper has it: tangent frame at B, powers of x/L."""
    settings = {"frame": "end", "shapes.family": "monomials", **rod}
    settings = {f"bodies.rod.{key}": value for key, value in settings.items()}
    return read_model(EXAMPLES / "04_spatial_slider_crank.toml", settings)


def observed_orders(error: Callable[[float], np.ndarray]) -> np.ndarray:
    """How the entries of an error fall with the deflection; infinite for an error that is round-off."""
    coarse, fine = error(8e-3), error(4e-3)
    return np.where(fine < 1e-14, np.inf, np.log2(coarse / np.maximum(fine, 1e-300)))


def truncation_orders(core: NumericCore, equations: Equations, length: float) -> np.ndarray:
    """With elastic coordinates, rates and accelerations of size e: how the errors of M a + bias, of its rigid rows, of
    Phi, Phi' and G a + gamma fall with e."""
    mechanics, elastic = core.mechanics, core.system.elastic
    q, v, a = np.random.default_rng(5).normal(size=(3, mechanics.n_v))

    def error(e: float) -> np.ndarray:
        size = np.where(elastic, length * e, 1.0)
        mechanics.q[:] = core.start
        mechanics.move(0.4 * q * size)
        mechanics.v[:] = v * size
        found, wanted = core.at_state(equations), core.values()
        forces, rigid, *rows = (
            np.abs(one - two)
            for one, two in (
                [x.M @ (a * size) + x.bias for x in (found, wanted)],
                [(x.M @ (a * size) + x.bias)[~elastic] for x in (found, wanted)],
                [x.phi for x in (found, wanted)],
                [x.phi_dot for x in (found, wanted)],
                [x.G @ (a * size) + x.gamma for x in (found, wanted)],
            )
        )
        return np.array([x.max() for x in (forces, rigid, *rows)])

    return observed_orders(error)


@pytest.mark.parametrize("frame", ["start", "end", "chord"])
@pytest.mark.parametrize("order", [1, 2])
def test_truncated_equations_are_right_to_their_order(order: int, frame: str) -> None:
    """Against the complete quadratic field of the numeric core: errors fall as e^(order + 1)."""
    core = NumericCore(flagship(frame=frame, field="quadratic", order="full"))
    equations = equations_of(flagship(frame=frame), order=order, rows=range(4), named=True)
    orders = truncation_orders(core, equations, 0.3)
    assert np.all(orders > order + 0.8), orders


@pytest.mark.parametrize("kind", ["distance", "screw"])
def test_roots_and_sines_of_deflections_are_truncated(kind: str) -> None:
    """A spring, a distance and a screw that end on bent beams: their lengths and angles by series to second order."""
    tie = {"type": "spring-damper", "markers": ["one.tip", "two.tip"], "stiffness": 40.0, "damping": 3.0, "length": 1}
    extra: dict[str, Any] = {"coordinates": {"default": "absolute"}, "forces": {"tie": tie}}
    keys: dict[str, Any] = {"field": "quadratic", "shapes": {"bending": 2}}
    pairs = {order: pair_of_beams(np.random.default_rng(4), kind, order=order, **keys) for order in (2, "full")}
    core = NumericCore({**pairs["full"], **extra})
    model = Model.from_tables({**pairs[2], **extra})
    equations = equations_of(model, order=2, rows=range(len(core.system.rows)), named=True)
    orders = truncation_orders(core, equations, 1.0)
    assert np.all(orders > 2.8), orders


def swinging_beam(order: int) -> dict[str, Any]:
    """A beam on a hinge with a block on a universal joint at its free end: section turns enter everything."""
    return {
        "model": {"gravity": [1.0, -2.0, -9.0]},
        "bodies": {
            "rod": {
                "beam": [[0, 0, 0], [1, 0, 0]],
                "material": {"E": 5.0e6, "density": 1000.0},
                "section": {"type": "rectangle", "y": 0.1, "z": 0.06},
                "shapes": {"bending": {"y": 3, "z": 3}},
                "frame": "start",
                "field": "quadratic",
                "order": order,
            },
            "block": {"mass": 2.0, "inertia": [0.02, 0.03, 0.04], "at": [1, 0, 0], "center": [0.1, 0.2, 0.0]},
        },
        "joints": {
            "hinge": {"type": "revolute", "bodies": ["ground", "rod"], "at": [0, 0, 0], "axis": "z"},
            "wrist": {"type": "universal", "bodies": ["rod", "block"], "at": [1, 0, 0], "axes": ["x", "y"]},
        },
    }


def state_inputs(equations: Equations) -> list[Any]:
    return [*equations.q, *equations.v]


@pytest.mark.parametrize("order", [1, 2])
def test_parts_are_taylor_coefficients(order: int) -> None:
    """The term of order n in M and bias is the n-th Taylor coefficient of the complete equations in the deflection,
    read from a polynomial of degree 11 through values at twelve deflections."""
    model = Model.from_tables(swinging_beam(order))
    complete, truncated = (equations_of(model, order=p, named=True) for p in (None, order))
    rng, n = np.random.default_rng(3), complete.n_v
    elastic = np.array([c.is_elastic for c in complete.coordinates] * 2)
    state = rng.normal(size=2 * n) * np.where(elastic, 0.02, 0.5)

    def flat(equations: Equations, M: Any, bias: Any) -> list[Any]:
        return [M[i][j] for i in range(n) for j in range(i + 1)] + list(bias)

    whole = evaluator(state_inputs(complete), flat(complete, complete.M, complete.bias), complete.definitions)
    nodes = np.cos((2 * np.arange(12) + 1) * np.pi / 24)
    values = np.array([whole(np.where(elastic, e * state, state)) for e in nodes])
    taylor = np.linalg.solve(np.vander(nodes, increasing=True), values)
    entries = flat(truncated, truncated.parts.M, truncated.parts.bias)
    for power in range(order + 1):
        terms = [x.parts[power] if isinstance(x, Orders) else x if power == 0 else 0 for x in entries]
        found = np.array(evaluator(state_inputs(truncated), terms, truncated.definitions)(state), dtype=float)
        size = np.abs(taylor[power]).max()
        np.testing.assert_allclose(found, taylor[power], rtol=0, atol=1e-9 * size, err_msg=str(power))


@pytest.mark.parametrize("order", [None, 1, 2])
def test_equations_are_those_of_lagrange(order: int | None) -> None:
    """bias(v) - bias(0) = (M v)' - dT/dq at constant rates, T = v M v/2 of the complete equations with the inertia
    integrals of that order, derivatives by complex steps: exactly when nothing is truncated, else to the order."""
    model = Model.from_tables(swinging_beam(order or 2))
    complete, equations = (equations_of(model, order=p, named=True) for p in (None, order))
    n = equations.n_v
    flat = [x for row in complete.M for x in row]
    mass = evaluator(state_inputs(complete), flat, complete.definitions, is_complex=True)
    bias = evaluator(state_inputs(equations), equations.bias, equations.definitions)
    elastic = np.array([c.is_elastic for c in equations.coordinates])
    q, v = np.random.default_rng(4).normal(size=(2, n))

    def error(e: float) -> np.ndarray:
        size, h = np.where(elastic, e, 1.0), 1e-30
        q_, v_ = q * size, v * size

        def slope(along: np.ndarray) -> np.ndarray:
            """Derivative of M v."""
            return (np.array(mass([*(q_ + 1j * h * along), *v_])).reshape(n, n).imag / h) @ v_

        wanted = slope(v_) - np.array([0.5 * v_ @ slope(axis) for axis in np.eye(n)])
        found = np.array(bias([*q_, *v_])) - np.array(bias([*q_, *(0 * v_)]))
        return np.array([np.abs(found - wanted).max() / np.abs(wanted).max()])

    if order is None:
        assert error(0.02) < TOLERANCE
    else:
        assert observed_orders(error) > order + 0.8


# The example of the paper


def test_seven_dynamic_and_three_constraint_equations() -> None:
    """Shi & McPhee eq. 46: crank and six elastic coordinates are independent, slider and two angles follow. J, T^T M
    and T^T bias against the elimination of the numeric core."""
    core = NumericCore(flagship(field="quadratic", order="2"))
    equations = core.symbols()
    form = embedded(equations)
    names = [equations.coordinates[k].name for k in form.independent]
    assert len(form.bias) == 7 and len(form.rows) == 3 and len(form.motions) == 1
    assert names == ["crank_angle", *(f"rod_{plane}{k}" for plane in "yz" for k in (1, 2, 3))]
    assert [equations.coordinates[k].unit for k in form.dependent] == ["m", "rad", "rad"]
    core.random_state(np.random.default_rng(2))
    mechanics, wanted = core.mechanics, core.values()
    flat = [x for row in (*form.J, *form.M, form.bias) for x in row]
    inputs = [equations.t, *equations.q, *equations.v]
    found = np.array(evaluator(inputs, flat, equations.definitions)([mechanics.t, *mechanics.q, *mechanics.v]))
    J, M, bias = np.split(found, np.cumsum([3 * 7, 7 * 10]))
    independent, dependent = list(form.independent), list(form.dependent)
    G = wanted.G[list(form.rows)]
    T = np.zeros((10, 7))
    T[independent] = np.eye(7)
    T[dependent] = -np.linalg.solve(G[:, dependent], G[:, independent])
    for one, two in ((J.reshape(3, 7), T[dependent]), (M.reshape(7, 10), T.T @ wanted.M), (bias, T.T @ wanted.bias)):
        # Elimination loses the digits of the condition of G_d, some tens.
        np.testing.assert_allclose(one, two, rtol=0, atol=1e-10 * np.abs(two).max())


def test_embedding_truncates_with_the_orders() -> None:
    """J of the equations to second order against the complete field of the core: the error falls as e^3."""
    core = NumericCore(flagship(field="quadratic", order="full"))
    equations = equations_of(flagship(), order=2, rows=range(4), named=True)
    form = embedded(equations)
    inputs = [equations.t, *equations.q, *equations.v]
    evaluate = evaluator(inputs, [x for row in form.J for x in row], equations.definitions)
    mechanics, rng = core.mechanics, np.random.default_rng(6)
    step = rng.normal(size=mechanics.n_v)

    def error(e: float) -> np.ndarray:
        mechanics.q[:] = core.start
        mechanics.move(0.3 * step * np.where(core.system.elastic, e, 1.0))
        G = core.values().G[list(form.rows)]
        wanted = -np.linalg.solve(G[:, list(form.dependent)], G[:, list(form.independent)])
        found = np.array(evaluate([mechanics.t, *mechanics.q, *mechanics.v])).reshape(wanted.shape)
        return np.array([np.abs(found - wanted).max()])

    assert observed_orders(error) > 2.8


def test_flagship_has_few_operations() -> None:
    """M, f, Phi, G, Phi' and gamma to second order after elimination: 2100 operations were asked for."""
    model = flagship(field="quadratic", order="2")
    for named in (False, True):
        assert program_of(equations_of(model, order=2, named=named)).operations < 1800


def test_sympy_is_not_loaded_for_equations() -> None:
    """Half a second of every command; in a process of its own."""
    text = (
        "import sys, flexmb; from flexmb.symbolic.equations import equations_of;"
        f"model = flexmb.read_model({str(EXAMPLES / '04_spatial_slider_crank.toml')!r});"
        "equations_of(model, order=2); print('sympy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_values_of_rows_and_names() -> None:
    """Complete equations of the beam with an exact field are refused, truncated ones are not."""
    model = flagship()
    with pytest.raises(InputError, match="symbolic equations only up to an order"):
        equations_of(model)
    equations = equations_of(model, order=1)
    assert values_of(equations, 0.1, [0.1] * len(equations.q), [0.1] * equations.n_v).M.shape == (10, 10)
