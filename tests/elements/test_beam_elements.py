"""Beam and rod elements: textbook matrices, patch tests, exact end loads, convergence as observed, published roots.

Covers: elements.number_checks, reduction.element_curves.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.linalg import null_space
from scipy.optimize import brentq

from flexmb.elements.beam_elements import BeamLine, BeamLineCurve, RodLine, RodLineCurve, line_modes
from flexmb.elements.beam_modes import beam_roots
from flexmb.elements.material import Material
from flexmb.elements.section import circle, rectangle
from flexmb.errors import InputError
from flexmb.reduction.beam_basis import BeamBasis, Lump, Span, beam_basis
from flexmb.reduction.element_curves import element_nodes

STEEL = Material.isotropic(2e11, 0.3, 7870.0)
LENGTH = 0.5
THIN = circle(0.004)
STOUT = rectangle(0.06, 0.04)


def uniform(n: int, shear: float | None = None) -> BeamLine:
    """n elements of unit EI, rho A and length."""
    one = np.ones(n)
    return BeamLine(np.linspace(0.0, 1.0, n + 1), one, None if shear is None else shear * one, one, 0.0 * one)


def test_one_element_is_the_textbook_one() -> None:
    """Stiffness and consistent mass of the Hermite element (Przemieniecki 1968, chapters 5 and 11, without shear)."""
    h, EI, rhoA = 0.4, 3.0, 2.0
    line = BeamLine(np.array([0.0, h]), np.array([EI]), None, np.array([rhoA]), np.zeros(1))
    K = EI / h**3 * np.array(
        [[12, 6 * h, -12, 6 * h], [6 * h, 4 * h**2, -6 * h, 2 * h**2],
         [-12, -6 * h, 12, -6 * h], [6 * h, 2 * h**2, -6 * h, 4 * h**2]]
    )  # fmt: skip
    M = rhoA * h / 420.0 * np.array(
        [[156, 22 * h, 54, -13 * h], [22 * h, 4 * h**2, 13 * h, -3 * h**2],
         [54, 13 * h, 156, -22 * h], [-13 * h, -3 * h**2, -22 * h, 4 * h**2]]
    )  # fmt: skip
    stiffness, mass = line.matrices()
    assert stiffness == pytest.approx(K, rel=1e-13)
    assert mass == pytest.approx(M, rel=1e-13)


def test_one_shear_element_is_the_textbook_one() -> None:
    """Stiffness with p = 12 EI/(k G A h^2), and rotary inertia at p = 0 (Przemieniecki 1968, chapters 5 and 11)."""
    h, EI, GA = 0.4, 3.0, 50.0
    p = 12.0 * EI / (GA * h**2)
    line = BeamLine(np.array([0.0, h]), np.array([EI]), np.array([GA]), np.zeros(1), np.zeros(1))
    near, far = (4.0 + p) * h**2, (2.0 - p) * h**2
    K = EI / (h**3 * (1.0 + p)) * np.array(
        [[12, 6 * h, -12, 6 * h], [6 * h, near, -6 * h, far], [-12, -6 * h, 12, -6 * h], [6 * h, far, -6 * h, near]]
    )  # fmt: skip
    assert line.matrices()[0] == pytest.approx(K, rel=1e-12)
    rotary = BeamLine(np.array([0.0, h]), np.array([EI]), None, np.zeros(1), np.array([2.0])).matrices()[1]
    R = 2.0 / (30.0 * h) * np.array(
        [[36, 3 * h, -36, 3 * h], [3 * h, 4 * h**2, -3 * h, -(h**2)],
         [-36, -3 * h, 36, -3 * h], [3 * h, -(h**2), -3 * h, 4 * h**2]]
    )  # fmt: skip
    assert rotary == pytest.approx(R, rel=1e-12)


@pytest.mark.parametrize("shear", [None, 40.0])
def test_patch(shear: float | None) -> None:
    """Uneven elements carry rigid motion without force and constant curvature with end moments only."""
    nodes = np.array([0.0, 0.13, 0.2, 0.61, 1.0])
    one = np.ones(4)
    line = BeamLine(nodes, 3.0 * one, None if shear is None else shear * one, one, one)
    stiffness, mass = line.matrices()
    shift, turn, bow = (np.stack(pair, axis=1).ravel() for pair in (
        (np.ones(5), np.zeros(5)), (nodes, np.ones(5)), (nodes**2 / 2.0, nodes),
    ))  # fmt: skip
    largest = np.abs(stiffness).max()
    assert np.abs(stiffness @ shift).max() < 1e-14 * largest and np.abs(stiffness @ turn).max() < 1e-14 * largest
    moments = np.zeros(10)
    moments[[1, 9]] = -3.0, 3.0
    assert np.abs(stiffness @ bow - moments).max() < 1e-14 * largest
    # inertia of rigid motion: mass, first and second moment; rotary inertia 1 adds 1 to the last
    assert shift @ mass @ shift == pytest.approx(1.0, rel=1e-14)
    assert shift @ mass @ turn == pytest.approx(0.5, rel=1e-14)
    assert turn @ mass @ turn == pytest.approx(1.0 / 3.0 + 1.0, rel=1e-14)
    curve = BeamLineCurve(nodes, line.shear_parameter, bow.reshape(-1, 2))
    x = np.linspace(0.0, 1.0, 23)
    exact = np.stack([x**2 / 2.0, x, x, np.ones_like(x)], axis=1)
    assert curve.values(x) == pytest.approx(exact, abs=1e-12)


@pytest.mark.parametrize("shear", [None, 5.0])
def test_curves_are_continuous_and_derivatives_fit(shear: float | None) -> None:
    line = uniform(3, shear)
    unknowns = np.random.default_rng(1).normal(size=(4, 2))
    curve = BeamLineCurve(line.nodes, line.shear_parameter, unknowns)
    node, tiny = line.nodes[1:-1], 1e-9
    before, after = curve.values(node - tiny), curve.values(node + tiny)
    assert before[:, [0, 2]] == pytest.approx(after[:, [0, 2]], abs=1e-6)
    assert curve.values(line.nodes)[:, [0, 2]] == pytest.approx(unknowns, abs=1e-13)
    x, h = np.array([0.1, 0.4, 0.9]), 1e-5
    slope = (curve.values(x + h) - curve.values(x - h)) / (2.0 * h)
    assert curve.values(x)[:, 1] == pytest.approx(slope[:, 0], rel=1e-6, abs=1e-6)  # h^2 times third derivatives
    assert curve.values(x)[:, 3] == pytest.approx(slope[:, 2], rel=1e-6, abs=1e-6)


def cantilever(section: object, n: int, **options: object) -> BeamBasis:
    """All nodal shapes of n elements, bending in y."""
    spans = section if isinstance(section, list) else [Span(None, section, STEEL)]
    return beam_basis(
        LENGTH, spans, family="elements", frame="start", bending_y=None, bending_z=0, elements=n, **options
    )  # type: ignore[arg-type]


def tip_deflection(basis: BeamBasis, force: float) -> float:
    tip = np.array([shape.values(basis.length)[0, 0] for shape in basis.shapes])
    return float(tip @ np.linalg.solve(basis.stiffness, force * tip))


@pytest.mark.parametrize("n", [1, 5])
def test_tip_load_is_exact(n: int) -> None:
    """P L^3/(3 EI) + P L/(k G A), with one element or many."""
    EI, GA = STEEL.E * STOUT.Iz, STEEL.G * STOUT.A * STOUT.shear_y
    bending, shearing = 100.0 * LENGTH**3 / (3.0 * EI), 100.0 * LENGTH / GA
    assert tip_deflection(cantilever(STOUT, n), 100.0) == pytest.approx(bending, rel=1e-11)
    assert tip_deflection(cantilever(STOUT, n, shear=True), 100.0) == pytest.approx(bending + shearing, rel=1e-11)


def test_stepped_cantilever_is_exact() -> None:
    """Tip load: int P (L - x)^2/EI over both steps; shear P L_i/(k G A_i) (unit load theorem)."""
    a, thick, thin = 0.2, rectangle(0.03, 0.02), rectangle(0.02, 0.02)
    spans = [Span(a, thick, STEEL), Span(None, thin, STEEL)]
    b = LENGTH - a
    bending = (LENGTH**3 - b**3) / (3.0 * STEEL.E * thick.Iz) + b**3 / (3.0 * STEEL.E * thin.Iz)
    shearing = a / (STEEL.G * thick.A * thick.shear_y) + b / (STEEL.G * thin.A * thin.shear_y)
    assert tip_deflection(cantilever(spans, 2), 1.0) == pytest.approx(bending, rel=1e-11)
    assert tip_deflection(cantilever(spans, 2, shear=True), 1.0) == pytest.approx(bending + shearing, rel=1e-11)


def beta(basis: BeamBasis, count: int) -> np.ndarray:
    """beta L of the first bending frequencies of a uniform beam."""
    section = basis.section_at(0.0)
    unit = math.sqrt(float(section.EIz / section.rhoA)) / basis.length**2
    return np.sqrt(2.0 * math.pi * basis.frequencies()[:count] / unit)


CASES = [("start", "clamped-free"), ("end", "free-clamped"), ("chord", "pinned-pinned"), ("mean", "free-free")]


@pytest.mark.parametrize(("frame", "supports"), [*CASES, ("start", "clamped-pinned"), ("chord", "clamped-clamped")])
def test_twenty_elements_reach_the_roots(frame: str, supports: str) -> None:
    """The Hermite element errs by (beta h)^4/2880 in beta (half of half of the (beta h)^4/720 of omega^2)."""
    basis = beam_basis(
        LENGTH, [Span(None, THIN, STEEL)], family="elements", frame=frame, bending_y=3, bending_z=0, elements=20,
        supports=supports,
    )  # fmt: skip
    roots = np.array(beam_roots(supports, 3))
    error = beta(basis, 3) / roots - 1.0
    assert error[0] < 2e-6 and np.all(error[roots < 7.9] < 1e-5)
    assert error == pytest.approx((roots / 20.0) ** 4 / 2880.0, rel=0.1)


@pytest.mark.parametrize("supports", ["clamped-free", "pinned-free", "free-free", "guided-clamped"])
def test_modes_converge_with_order_four(supports: str) -> None:
    exact = beam_roots(supports, 2)
    held_at = {"clamped-free": [0, 1], "pinned-free": [0], "free-free": [], "guided-clamped": [1, -2, -1]}[supports]
    n_rigid = {"pinned-free": 1, "free-free": 2}.get(supports, 0)
    errors = []
    # More elements sink the error of the first root into round-off: eps (beta_highest/beta)^4 is 1e-2 of it at 18.
    for n in (8, 12, 18):
        stiffness, mass = uniform(n).matrices()
        omega, _ = line_modes(stiffness, mass, [at % (2 * n + 2) for at in held_at], n_rigid, 2)
        errors.append(omega / np.square(exact) - 1.0)
    orders = np.log(np.array(errors[:-1]) / errors[1:]) / np.log(1.5)
    assert orders == pytest.approx(4.0, abs=0.15)  # the next term of the error is (beta h)^6


TIP_MASSES = [
    (0.1, 0.0, [1.72274152, 4.39952282, 7.45105667]),
    (1.0, 0.0, [1.24791741, 4.03113944, 7.13413224]),
    (10.0, 0.0, [0.735781919, 3.93846583, 7.07561637]),
    (1.0, 0.05, [1.22108843, 2.85802904, 5.05921852]),
]
"""Tip mass over beam mass, tip inertia over rho A L^3, beta L; roots of the closed form."""


@pytest.mark.parametrize(("mass", "inertia", "roots"), TIP_MASSES)
@pytest.mark.parametrize("plane", ["y", "z"])
def test_tip_mass_and_inertia(mass: float, inertia: float, roots: list[float], plane: str) -> None:
    section = rectangle(0.02, 0.02)
    rhoA = STEEL.density * section.A
    turning = inertia * rhoA * LENGTH**3
    tip = Lump(LENGTH, mass * rhoA * LENGTH, inertia=np.diag([0.0, turning, turning]))
    counts = {"bending_y": 3, "bending_z": 0} if plane == "y" else {"bending_y": 0, "bending_z": 3}
    basis = beam_basis(
        LENGTH, [Span(None, section, STEEL)], family="elements", frame="start", elements=20, lumps=[tip], **counts
    )
    assert beta(basis, 3) == pytest.approx(roots, rel=1e-5)


def test_offset_mass_is_a_longer_lever() -> None:
    """A point mass ahead of the tip by c moves with the deflection plus c times the turn."""
    mass, ahead = 2.0, 0.05
    basis = cantilever(THIN, 4, lumps=[Lump(LENGTH, mass, center=[ahead, 0.0, 0.0])])  # type: ignore[arg-type]
    bare = cantilever(THIN, 4)
    end = np.array([shape.values(LENGTH)[0] for shape in bare.shapes])
    lever = end[:, 0] + ahead * end[:, 2]
    assert basis.mass - bare.mass == pytest.approx(mass * np.outer(lever, lever), abs=1e-12)


def stepped_pinned_beam_root(a: float, ratio_EI: float, ratio_rhoA: float) -> float:
    """First omega of a pinned beam of unit length, EI and rho A that change at x = a: continuity as a determinant."""

    def determinant(omega: float) -> float:
        left, right = math.sqrt(omega), math.sqrt(omega * math.sqrt(ratio_rhoA / ratio_EI))
        rows = np.zeros((4, 4))
        for column, (k, x, sign, EI) in enumerate([(left, a, 1.0, 1.0)] * 2 + [(right, 1.0 - a, -1.0, ratio_EI)] * 2):
            s, c = (math.sin(k * x), math.cos(k * x)) if column % 2 == 0 else (math.sinh(k * x), math.cosh(k * x))
            bent = -1.0 if column % 2 == 0 else 1.0
            # value, slope, moment, shear; the right part runs from its own end, so odd derivatives change sign
            rows[:, column] = sign * s, k * c, sign * EI * bent * k**2 * s, EI * bent * k**3 * c
        return float(np.linalg.det(rows))

    guesses = np.linspace(2.0, 20.0, 200)
    values = [determinant(omega) for omega in guesses]
    first = next(i for i in range(199) if values[i] * values[i + 1] < 0.0)
    return float(brentq(determinant, guesses[first], guesses[first + 1], xtol=1e-13))


def test_stepped_beam_has_the_frequency_of_the_continuity_equations() -> None:
    thick, thin, a = circle(0.006), circle(0.004), 0.35
    spans = [Span(a * LENGTH, thick, STEEL), Span(None, thin, STEEL)]
    basis = beam_basis(
        LENGTH, spans, family="elements", frame="chord", bending_y=2, bending_z=0, elements=20, supports="pinned-pinned"
    )
    unit = math.sqrt(STEEL.E * thick.Iz / (STEEL.density * thick.A)) / LENGTH**2
    exact = stepped_pinned_beam_root(a, thin.Iz / thick.Iz, thin.A / thick.A)
    assert 2.0 * math.pi * basis.frequencies()[0] / unit == pytest.approx(exact, rel=1e-5)
    assert a * LENGTH in basis.breaks


def timoshenko_pinned(mode: int, shear: float, inertia: float) -> float:
    """omega of a pinned Timoshenko beam, k = j pi/L, the lower root of the quadratic in omega^2.

    rhoI rhoA/GA w^4 - (rhoA (1 + EI k^2/GA) + rhoI k^2) w^2 + EI k^4 = 0
    S. P. Timoshenko, Phil. Mag. 41 (1921) 744; k G A = `shear`, rho I = `inertia`.
    """
    EI, rhoA = STEEL.E * STOUT.Iz, STEEL.density * STOUT.A
    k = mode * math.pi / LENGTH
    a, b, c = inertia * rhoA / shear, rhoA * (1.0 + EI * k**2 / shear) + inertia * k**2, EI * k**4
    return math.sqrt(2.0 * c / (b + math.sqrt(b * b - 4.0 * a * c)))


@pytest.mark.parametrize("rotary", [False, True])
def test_shear_beam_converges_to_timoshenko(rotary: bool) -> None:
    """Second order, because the shear strain is constant on an element; Euler-Bernoulli is 2 % off here."""
    GA, rhoI = STEEL.G * STOUT.A * STOUT.shear_y, STEEL.density * STOUT.Iz * rotary
    exact = np.array([timoshenko_pinned(mode, GA, rhoI) for mode in (1, 2)])
    errors = []
    for n in (8, 16, 32):
        basis = beam_basis(
            LENGTH, [Span(None, STOUT, STEEL)], family="elements", frame="chord", bending_y=2, bending_z=0, elements=n,
            shear=True, rotary_inertia=rotary,
        )  # fmt: skip
        errors.append(2.0 * math.pi * basis.frequencies() / exact - 1.0)
    assert np.log2(np.array(errors[:-1]) / errors[1:]) == pytest.approx(2.0, abs=0.2)
    assert errors[-1][0] < 5e-5
    euler = (math.pi / LENGTH) ** 2 * math.sqrt(STEEL.E * STOUT.Iz / (STEEL.density * STOUT.A))
    assert abs(euler / exact[0] - 1.0) > 0.01


def test_rods_converge_with_order_four_and_step_exactly() -> None:
    errors = []
    for n in (2, 4, 8):
        one = np.ones(n)
        stiffness, mass = RodLine(np.linspace(0.0, 1.0, n + 1), one, one).matrices()
        omega, _ = line_modes(stiffness, mass, [0], 0, 1)
        errors.append(omega[0] / (math.pi / 2.0) - 1.0)
    assert np.log2(np.array(errors[:-1]) / errors[1:]) == pytest.approx(4.0, abs=0.2)
    line = RodLine(np.array([0.0, 0.3, 1.0]), np.array([2.0, 5.0]), np.ones(2))
    stiffness, _ = line.matrices()
    pulled = np.zeros(5)
    pulled[1:] = np.linalg.solve(stiffness[1:, 1:], [0.0, 0.0, 0.0, 1.0])
    assert pulled[-1] == pytest.approx(0.3 / 2.0 + 0.7 / 5.0, rel=1e-13)  # F L/EA in series
    at = RodLineCurve(line.nodes, pulled).values(np.array([0.1, 0.5]))
    assert at[:, 1] == pytest.approx([0.5, 0.2], rel=1e-12)
    assert null_space(stiffness).shape[1] == 1


def test_nodes_stand_on_every_break_and_evenly() -> None:
    breaks = np.array([0.0, 0.1, 0.15, 1.0])
    nodes = element_nodes(breaks, 12)
    assert nodes.size == 13 and all(np.abs(nodes - place).min() == 0.0 for place in breaks)
    assert np.diff(nodes).max() < 0.11


def test_too_few_elements_are_refused() -> None:
    spans = [Span(0.1, THIN, STEEL), Span(None, THIN, STEEL)]
    lumps = [Lump(0.3, 1.0)]
    with pytest.raises(InputError, match="Use at least 3"):
        cantilever(spans, 2, lumps=lumps)
    with pytest.raises(InputError, match="only 2 modes"):
        beam_basis(LENGTH, spans[1:], family="elements", frame="start", bending_y=3, bending_z=1, axial=3, elements=1)
