"""Beams in symbols: exact integrals of the unit beam and equations with kept symbols, against numbers.

Covers: symbolic.beam_properties, symbolic.frames, symbolic.unit_beam, symbolic.unit_functions.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from flexmb import Model
from flexmb.bodies.quadratic_beam import quadratic_field, quadratic_marker
from flexmb.errors import InputError
from flexmb.symbolic.code.c import C
from flexmb.symbolic.engine import Symbol, as_expression, engine
from flexmb.symbolic.equations import equations_of
from flexmb.symbolic.mechanism import symbolic_mechanism
from flexmb.symbolic.unit_beam import UnitBeamField
from flexmb.symbolic.writing import Style, write
from tests.support.symbolic_numbers import NumericCore

TOLERANCE = 1e-12
"""Relative: some thousand operations of 1e-16 each."""
VALUES = {"L": 0.3, "E": 2.0e11, "I": 6.361e-11, "A": 2.826e-5, "rho": 7870.0, "r": 0.15, "w": 0.02}
OTHERS = {"L": 0.41, "E": 0.7e11, "I": 9.1e-11, "A": 3.7e-5, "rho": 2710.0, "r": 0.11, "w": 0.013}
GENERAL = {"type": "general", "A": "$A", "I": "$I"}


def slider_crank(values: dict[str, float], symbols: bool, **rod: Any) -> dict[str, Any]:
    """Spatial slider-crank whose rod has formulas: of symbols, or of parameters with the same names."""
    beam = {"beam": ["P", "Q"], "material": {"E": "$E", "density": "$rho"}, "section": GENERAL}
    markers = {"mid": {"along": 0.5}, "beside": {"at": ["0.25*$L", 0.01, "$w/3"], "axis": [1, 2, 2]}}
    markers["beyond"] = {"at": ["1.1*$L", 0, "-$w/2"]}
    return {
        "model": {"name": "crank", "gravity": [1.0, -2.0, -9.0]},
        ("symbols" if symbols else "parameters"): values,
        "points": {"O": [0, 0, 0], "P": ["$r", 0, 0], "Q": ["$r + $L", 0, 0]},
        "bodies": {
            "crank": {"mass": 0.1, "rod": ["O", "P"]},
            "rod": {**beam, "markers": markers, **rod},
            "slider": {"mass": 0.0334, "inertia": [0, 0, 0], "at": "Q"},
        },
        "joints": {
            "bearing": {"type": "revolute", "bodies": ["ground", "crank"], "at": "O", "axis": [1, 0, 1]},
            "guide": {"type": "prismatic", "bodies": ["ground", "slider"], "at": "Q", "axis": "x"},
            "small_end": {"type": "universal", "bodies": ["slider", "rod"], "at": "Q", "axes": ["y", "z"]},
            "big_end": {"type": "spherical", "bodies": ["crank", "rod"], "at": "P", "tree": False},
        },
        "forces": {
            "push": {"type": "force", "marker": "rod.beside", "vector": [1, "sin(t)", 3], "axes": "marker"},
            "pull": {"type": "force", "marker": "rod.beyond", "vector": ["cos(t)", -1, 2]},
            "twist": {"type": "torque", "marker": "rod.mid", "vector": [0.1, 0.2, 0.3]},
            "line": {"type": "distributed-force", "body": "rod", "vector": [2.0, "t", 3.0], "axes": "section"},
        },
    }


def dense(entries: Any, shape: tuple[int, ...]) -> np.ndarray:
    found = np.zeros(shape)
    for place, value in entries.items():
        found[place] = float(as_expression(value).n(53, real=True))
    return found


@pytest.mark.parametrize("count", [3, 6])
@pytest.mark.parametrize(
    ("family", "frame"),
    [("monomials", frame) for frame in ("start", "end", "chord", "mean")]
    + [("modes", frame) for frame in ("start", "end", "chord", "mean")],
)
def test_exact_integrals_are_those_of_the_quadrature(family: str, frame: str, count: int) -> None:
    """Of the beam and of its markers at the ends, within and beside it; relative to the largest entry at any marker."""
    shapes: dict[str, Any] = {"family": family, "bending": count, "axial": 2}
    if family == "modes":
        shapes["supports"] = "pinned-pinned"
    data = slider_crank(VALUES, False, frame=frame, shapes=shapes)
    mechanism = symbolic_mechanism(Model.from_tables(data))
    number = mechanism.body_index["rod"]
    body, numeric = mechanism.bodies[number], mechanism.placed.bodies[number]
    field, basis = body.elastic, numeric.basis  # type: ignore[attr-defined]
    assert isinstance(field, UnitBeamField)
    n, wanted = field.n_modes, quadratic_field(basis, 2)
    sizes = {"S1": (n, 3), "N1": (n, 3, 3), "N2": (n, n, 3, 3), "S2": (n, n, 3), "X": (n, n, 3, 3)}
    for name, shape in {**sizes, "N3": (n, n, n, 3, 3)}.items():
        found, numbers = dense(getattr(field, name), shape), getattr(wanted, name)
        # In mean axes S1 and N1 vanish but for the round-off of the quadrature: against the mass.
        size = max(np.abs(numbers).max(), 0.1 * float(body.mass))
        np.testing.assert_allclose(found, numbers, rtol=0, atol=TOLERANCE * size, err_msg=name)
    K = basis.stiffness
    np.testing.assert_allclose(dense(field.stiffness, (n, n)), K, rtol=0, atol=TOLERANCE * np.abs(K).max())
    of_marker = [
        (marker.shapes, quadratic_marker(basis, placed.p_b, 2))
        for marker, placed in zip(mechanism.markers, mechanism.placed.markers, strict=True)
        if marker.body == number
    ]
    assert len(of_marker) > 5
    for name, twin, shape in (("phi", "Phi", (n, 3)), ("theta", "Theta", (n, 3)), ("G", "G", (n, n, 3))):
        size = max(np.abs(getattr(numbers, twin)).max() for _, numbers in of_marker)
        for shapes_, numbers in of_marker:
            difference = dense(getattr(shapes_, name), shape) - getattr(numbers, twin)
            assert np.abs(difference).max() < TOLERANCE * size, name
    size = max(np.abs(numbers.Gamma).max() for _, numbers in of_marker)
    for shapes_, numbers in of_marker:
        assert np.abs(dense(shapes_.Gamma, (n, n, 3)) - numbers.Gamma).max() < TOLERANCE * size


def cantilever(**rod: Any) -> Any:
    """The field of a beam with symbols that is clamped at its start."""
    data: dict[str, Any] = {
        "symbols": {name: VALUES[name] for name in ("L", "E", "I", "A", "rho")},
        "points": {"P": [0, 0, 0], "Q": ["$L", 0, 0]},
        "bodies": {
            "rod": {
                "beam": ["P", "Q"],
                "material": {"E": "$E", "density": "$rho"},
                "section": GENERAL,
                "frame": "start",
                **rod,
            }
        },
        "joints": {"wall": {"type": "fixed", "bodies": ["ground", "rod"], "at": "P"}},
    }
    mechanism = symbolic_mechanism(Model.from_tables(data))
    return mechanism.bodies[mechanism.body_index["rod"]]


def same(found: Any, wanted: Any) -> bool:
    return bool(engine.expand(as_expression(found) - as_expression(wanted)) == 0)


def test_integrals_of_monomials_by_hand() -> None:
    """phi = s^2, s^3, ...: int s^2 = 1/3, int (2)(2) = 4, shortening -4 s^3/3 and so on."""
    body = cantilever(shapes={"family": "monomials", "bending": 3})
    L, E, I = (Symbol(name) for name in ("L", "E", "I"))
    m = Symbol("rho") * Symbol("A")
    f = body.elastic
    for found, wanted in [
        (body.mass, m * L),
        (body.first_moment[0], m * L**2 / 2),
        (body.inertia[1][1], m * L**3 / 3),
        (f.S1[0, 1], m * L / 3),
        (f.N1[1, 0, 1], m * L**2 / 5),
        (f.N2[0, 1, 1, 1], m * L / 6),
        (f.S2[0, 0, 0], -m / 3),
        (f.X[0, 0, 0, 0], -4 * m * L / 15),
        (f.N3[3, 0, 0, 2, 0], -2 * m / 9),
        (f.stiffness[0, 0], 4 * E * I / L**3),
        (f.stiffness[0, 1], 6 * E * I / L**3),
    ]:
        assert same(found, wanted), (found, wanted)
    assert (0, 3) not in f.stiffness


def test_integrals_of_a_pinned_mode_by_hand() -> None:
    """phi = sin(pi s) between pins: int 2/pi, int phi^2 = 1/2, int phi''^2 = pi^4/2, shortening in all pi^2/2."""
    body = cantilever(frame="chord", shapes={"family": "modes", "bending": 6})
    L, E, I, pi = Symbol("L"), Symbol("E"), Symbol("I"), engine.pi
    m = Symbol("rho") * Symbol("A")
    f = body.elastic
    assert same(f.S1[0, 1], 2 * m * L / pi)
    assert same(f.N2[0, 0, 1, 1], m * L / 2) and (0, 1, 1, 1) not in f.N2
    assert same(f.stiffness[0, 0], pi**4 * E * I / (2 * L**3))
    assert same(f.S2[0, 0, 0], -m * pi**2 / 4)


FRAMES = ("start", "end", "chord", "mean")
FIELDS: dict[str, dict[str, Any]] = {
    "linear": {"field": "linear"},
    "order 1": {"field": "quadratic", "order": 1},
    "order 2": {"field": "quadratic", "order": 2},
}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("field", FIELDS)
def test_kept_symbols_at_other_values(field: str, frame: str) -> None:
    """Symbols at values that the model was not read at, against the numeric core of the model with these values."""
    keys = {**FIELDS[field], "frame": frame, "shapes": {"family": "monomials", "bending": 3, "axial": 1}}
    assert symbols_against_core(keys) < TOLERANCE


SECTIONS: dict[str, dict[str, Any]] = {
    "circle": {"type": "circle", "radius": "$w/4"},
    "diameter": {"type": "circle", "diameter": "$w/2"},
    "tube": {"type": "tube", "outer": "$w/3", "inner": "$w/4"},
    "rectangle": {"type": "rectangle", "y": "$w/2", "z": 0.01},
    "I": {"type": "I", "height": "$w", "width": "$w/2", "flange": "$w/10", "web": "$w/12"},
}


@pytest.mark.parametrize("section", SECTIONS)
def test_sections_and_damping_with_symbols(section: str) -> None:
    shapes = {"family": "modes", "bending": 2, "axial": 1}
    damping = {"mass": 0.2, "stiffness": "1e-5*$E/2e11"}
    keys = {**FIELDS["order 2"], "frame": "chord", "shapes": shapes, "section": SECTIONS[section], "damping": damping}
    # Waves are integrated by the points of a run, converged to 1e-7; line loads too.
    assert symbols_against_core(keys) < 1e-6
    keys["shapes"] = {"family": "monomials", "bending": 3}
    assert symbols_against_core(keys) < TOLERANCE


def symbols_against_core(keys: dict[str, Any]) -> float:
    core = NumericCore(slider_crank(OTHERS, False, **keys))
    core.random_state(np.random.default_rng(1), 0.02)
    model = Model.from_tables(slider_crank(VALUES, True, **keys))
    equations = equations_of(model, rows=range(len(core.system.rows)), named=True)
    return core.at_state(equations, OTHERS).difference(core.values())


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"rotary_inertia": True}, "rotary inertia"),
        ({"masses": [{"at": "Q", "mass": 0.1}]}, "lumped masses"),
        ({"frame": "start", "shapes": {"family": "modes", "bending": 2}}, "family 'modes' in the frame 'start'"),
        ({"shapes": {"family": "elements", "bending": 2}}, "family 'elements'"),
        ({"shapes": {"bending": 3, "torsion": 1}, "section": SECTIONS["circle"]}, "torsion shapes"),
        ({"shapes": 3, "damping": {"ratio": 0.01}}, "damping by ratios"),
        ({"frame": "start"}, "family 'auto'"),
        ({"field": "quadratic", "order": "full"}, 'order = "full"'),
    ],
)
def test_beams_without_formulas_are_refused(keys: dict[str, Any], words: str) -> None:
    keys = {"material": {"E": "$E", "nu": 0.3, "density": "$rho"}, **keys}
    with pytest.raises(InputError, match=words):
        equations_of(Model.from_tables(slider_crank(VALUES, True, **keys)), order=2)


def test_modulus_and_pi_are_written_as_such() -> None:
    """E is a symbol here, not the base of exponentials; pi is a number, not a function."""
    E, pi = Symbol("E"), engine.pi
    assert write(pi**4 * E**2, Style()) == "pi^4*E^2"
    assert C().write(E**2 + engine.exp(Symbol("x")), {"E": "E", "x": "x"}) == "exp(x) + square(E)"
