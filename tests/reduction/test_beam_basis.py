"""Bases of beams: frames, closed-form matrices, quadrature, damping, what supports demand, refusals.

Covers: reduction.beam_data, reduction.beam_families, reduction.beam_matrices, reduction.beam_request,
reduction.damping, reduction.frames, reduction.interface_curves.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.linalg import eigh

from flexmb.elements.beam_shapes import BeamShape, sampled
from flexmb.elements.material import Material
from flexmb.elements.section import circle, general, rectangle
from flexmb.errors import InputError
from flexmb.reduction.beam_basis import BeamBasis, Lump, Span, beam_basis
from flexmb.reduction.beam_matrices import BeamIntegrals
from flexmb.reduction.frames import FRAMES, RigidCurve, in_frame, normalised, rigid_shapes
from tests.support.supported_beams import Support, supported_frequency_error

LENGTH = 0.3
STEEL = Material.isotropic(2.0e11, 0.3, 7870.0)
BAR = rectangle(0.02, 0.03)
UNIFORM = [Span(None, BAR, STEEL)]
STEPPED = [Span(0.11, rectangle(0.03, 0.03), STEEL), Span(None, rectangle(0.02, 0.02), STEEL)]
LUMPS = [
    Lump(0.2, 0.4, center=np.array([0.01, 0.02, -0.03]), inertia=np.diag([1e-4, 2e-4, 3e-4])),
    Lump(LENGTH, 0.3),
]
FAMILIES = ("monomials", "modes", "elements")


def make(spans: list[Span] = UNIFORM, **options: Any) -> BeamBasis:
    asked: dict[str, Any] = {"family": "monomials", "frame": "start", "bending_y": 3, "bending_z": 2, **options}
    return beam_basis(LENGTH, spans, **asked)


def unit_mass() -> float:
    return STEEL.density * BAR.A * LENGTH


# Shapes, labels, normalisation


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("frame", FRAMES)
def test_shapes_are_ordered_labelled_and_normalised(family: str, frame: str) -> None:
    basis = make(family=family, frame=frame, axial=2, torsion=1)
    assert basis.labels == ("y1", "y2", "y3", "z1", "z2", "u1", "u2", "t1")
    assert [shape.component for shape in basis.shapes] == list("yyyzzuut")
    values = sampled(basis.shapes, np.linspace(0.0, LENGTH, 4001))[:, :, 0]
    largest = np.abs(values).max(axis=1)
    # 4001 samples miss a smooth peak by at most (10 pi/4000)^2/8
    assert np.all(largest <= 1.0 + 1e-12) and np.all(largest > 1.0 - 1e-5)
    first = values[np.arange(8), np.argmax(np.abs(values) > 0.02, axis=1)]
    assert np.all(first > 0.0)
    assert basis.from_end == (frame == "end")


def test_monomials_of_the_tangent_frame_are_the_plain_powers() -> None:
    basis = make(bending_y=4, axial=2, torsion=2)
    x = np.linspace(0.0, LENGTH, 7)
    powers = [2, 3, 4, 5, 2, 3, 1, 2, 1, 2]
    assert sampled(basis.shapes, x)[:, :, 0] == pytest.approx(
        np.array([(x / LENGTH) ** power for power in powers]), abs=1e-14
    )


def test_normalisation_finds_the_peak_between_samples() -> None:
    """s - s^3 of the chord frame has its peak 2/(3 sqrt 3) at s = 1/sqrt 3."""
    slope_at_a = make(frame="chord", bending_y=2).shapes[1].values(0.0)[0, 1]
    assert slope_at_a * LENGTH == pytest.approx(1.5 * math.sqrt(3.0), rel=1e-13)


# Frames


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("shear", [False, True])
def test_frames_meet_their_conditions(family: str, shear: bool) -> None:
    if shear and family != "elements":
        return
    for frame in FRAMES:
        basis = make(
            STEPPED, family=family, frame=frame, axial=2, torsion=2, lumps=LUMPS, shear=shear, rotary_inertia=True
        )
        ends = sampled(basis.shapes, np.array([0.0, LENGTH]))
        bends = np.array([shape.component in "yz" for shape in basis.shapes])
        if frame == "start":
            assert np.abs(ends[:, 0, [0, 2]]).max() < 1e-11
        elif frame == "end":
            assert np.abs(ends[:, 1, [0, 2]]).max() < 1e-11
        elif frame == "chord":
            assert np.abs(ends[bends, :, 0]).max() < 1e-12 and np.abs(ends[~bends, 0, 0]).max() < 1e-12
        else:
            integrals = BeamIntegrals(LENGTH, STEPPED, basis.breaks, 40, LUMPS, shear, True)
            for shape in basis.shapes:
                rigid = rigid_shapes(shape.component)
                momentum = integrals.mass(rigid, [shape])[:, 0]
                assert np.abs(momentum / np.diag(integrals.mass(rigid)) ** 0.5).max() < 1e-11


def test_mean_frame_of_a_plain_beam_has_no_momentum() -> None:
    """int phi dm = 0 and int x phi dm = 0 of the uniform beam, by a quadrature of its own."""
    basis = make(family="modes", frame="mean", axial=2, torsion=2, supports="clamped-pinned")
    x, weight = np.polynomial.legendre.leggauss(60)
    x, weight = LENGTH * (1.0 + x) / 2.0, weight / 2.0
    value = sampled(basis.shapes, x)[:, :, 0]
    assert np.abs(value @ weight).max() < 1e-14
    bending = [shape.component in "yz" for shape in basis.shapes]
    assert np.abs(value[bending] @ (weight * x / LENGTH)).max() < 1e-14


@pytest.mark.parametrize("family", ["monomials", "elements"])
def test_all_frames_hold_the_same_deformations(family: str) -> None:
    """With rigid motion added the spaces are equal: the curvatures of one frame combine those of another."""
    count = None if family == "elements" else 5
    x = np.linspace(0.001, LENGTH, 60)
    spaces = []
    for frame in ("start", "chord", "mean") if family == "elements" else FRAMES:
        basis = make(family=family, frame=frame, bending_y=count, bending_z=0, supports=None)
        spaces.append(sampled(basis.shapes, x)[:, :, 3].T)
    for other in spaces[1:]:
        rest = other - spaces[0] @ np.linalg.lstsq(spaces[0], other, rcond=None)[0]
        assert np.abs(rest).max() < 1e-9 * np.abs(other).max()


def test_a_rigid_motion_vanishes_and_is_named() -> None:
    breaks = np.array([0.0, LENGTH])
    integrals = BeamIntegrals(LENGTH, UNIFORM, breaks, 4)
    for frame in FRAMES:
        shape = in_frame(BeamShape("y", "y7", RigidCurve(1)), frame, LENGTH, integrals)
        assert "y7 vanishes" in str(normalised(shape, breaks)[1][0])


# Matrices


def test_matrices_of_sines_in_closed_form() -> None:
    """sin(j pi x/L): m/2, EI (j pi)^4/(2 L^3); rods sin((j - 1/2) pi x/L): m/2, EA ((j - 1/2) pi)^2/(2 L)."""
    basis = make(family="modes", frame="chord", bending_y=3, bending_z=3, axial=2, torsion=2)
    j, h = np.arange(1, 4), np.arange(1, 3) - 0.5
    m, polar = unit_mass(), STEEL.density * BAR.Ip * LENGTH
    assert basis.mass == pytest.approx(np.diag([m / 2] * 8 + [polar / 2] * 2), abs=1e-13 * m)
    assert BAR.J is not None
    expected = np.concatenate([
        STEEL.E * BAR.Iz * (j * math.pi) ** 4 / (2 * LENGTH**3),
        STEEL.E * BAR.Iy * (j * math.pi) ** 4 / (2 * LENGTH**3),
        STEEL.E * BAR.A * (h * math.pi) ** 2 / (2 * LENGTH),
        STEEL.G * BAR.J * (h * math.pi) ** 2 / (2 * LENGTH),
    ])  # fmt: skip
    size = np.sqrt(np.outer(expected, expected))
    assert basis.stiffness / size == pytest.approx(np.eye(10), abs=1e-12)


def test_matrices_of_monomials_in_closed_form() -> None:
    """int s^(a+b) and a (a-1) b (b-1)/L^3 int s^(a+b-4)."""
    basis = make(bending_y=4, bending_z=0)
    a = np.arange(2, 6)
    total = a[:, None] + a
    bend = np.outer(a * (a - 1), a * (a - 1)) * STEEL.E * BAR.Iz / LENGTH**3
    assert basis.mass == pytest.approx(unit_mass() / (total + 1), rel=1e-13)
    assert basis.stiffness == pytest.approx(bend / (total - 3), rel=1e-13)


@pytest.mark.parametrize("frame", ["start", "end", "mean"])
def test_free_ended_modes_have_a_quarter_of_the_mass(frame: str) -> None:
    """Clamped-free and free-free modes of tip value 1 have modal mass m/4 each (also the 20th)."""
    basis = make(family="modes", frame=frame, bending_y=20, bending_z=0)
    assert basis.mass == pytest.approx(np.eye(20) * unit_mass() / 4.0, abs=1e-11 * unit_mass())


def test_rotary_inertia_of_sines() -> None:
    """rho Iz (j pi/L)^2 L/2 is added in the y plane."""
    options: dict[str, Any] = {"family": "modes", "frame": "chord", "bending_y": 2, "bending_z": 0}
    more = make(rotary_inertia=True, **options).mass - make(**options).mass
    added = STEEL.density * BAR.Iz * (np.arange(1, 3) * math.pi / LENGTH) ** 2 * LENGTH / 2.0
    assert more == pytest.approx(np.diag(added), abs=1e-12 * added.max())


def test_lumps_couple_what_they_move_together() -> None:
    """Against the displacement of the lump's own centre: (u - cy v' - cz w', v + cx v' - cz t, w + cx w' + cy t)."""
    lump = LUMPS[0]
    counts: dict[str, Any] = {"bending_y": 1, "bending_z": 1, "axial": 1, "torsion": 1}
    added = make(lumps=[lump], **counts).mass - make(**counts).mass
    s, L = lump.x / LENGTH, LENGTH
    cx, cy, cz = lump.center
    v, slope, u = s**2, 2.0 * s / L, s
    lever = v + cx * slope
    moved = np.array([[-cy * slope, lever, 0], [-cz * slope, 0, lever], [u, 0, 0], [0, -cz * u, cy * u]])
    turned = np.array([[0, 0, slope], [0, -slope, 0], [0, 0, 0], [u, 0, 0]])
    assert added == pytest.approx(lump.mass * moved @ moved.T + turned @ lump.inertia @ turned.T, abs=1e-14)


def test_steps_are_integrated_piece_by_piece() -> None:
    basis = make(STEPPED, lumps=LUMPS, bending_y=2, bending_z=0)
    assert basis.breaks == pytest.approx([0.0, 0.11, 0.2, LENGTH])
    x = np.concatenate([np.linspace(0.0, 0.11, 20001)[:-1], np.linspace(0.11, LENGTH, 20001)])
    EI = basis.section_at(x).EIz
    left, right = STEEL.E * 0.03**4 / 12.0, STEEL.E * 0.02**4 / 12.0
    assert EI[0] == pytest.approx(left) and EI[-1] == pytest.approx(right) and np.unique(EI).size == 2
    assert basis.section_at(0.11).EIz == pytest.approx(right)  # on a step: the span that begins there
    curvature = sampled(basis.shapes, x)[:, :, 3]
    for k in range(2):
        for l in range(2):
            product = curvature[k] * curvature[l]
            exact = left * np.trapezoid(product[:20001], x[:20001]) + right * np.trapezoid(product[20000:], x[20000:])
            assert basis.stiffness[k, l] == pytest.approx(exact, rel=1e-8)  # trapezoids: (1/20000)^2


# Quadrature


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("spans", [UNIFORM, STEPPED], ids=["uniform", "stepped"])
def test_stations_integrate_what_the_equations_need(family: str, spans: list[Span]) -> None:
    """Mass, stiffness, int v'v' with `gauss` points equal those with twice as many; polynomials: (int v'^2)^2 too."""
    rounding = 1e-7 if family == "modes" else 2e-12  # waves are no polynomials, see `beam_families`
    basis = make(spans, family=family, frame="chord", axial=2, torsion=1)
    x, weight = basis.stations()
    assert x.shape == weight.shape == (basis.breaks.size - 1, basis.gauss)
    assert weight.sum() == pytest.approx(LENGTH, rel=1e-14)
    assert np.all((x > basis.breaks[:-1, None]) & (x < basis.breaks[1:, None]))
    rough, fine = (BeamIntegrals(LENGTH, spans, basis.breaks, n) for n in (basis.gauss, 2 * basis.gauss))
    for matrix in (BeamIntegrals.mass, BeamIntegrals.stiffness, BeamIntegrals.slope_products):
        one, other = matrix(rough, basis.shapes), matrix(fine, basis.shapes)  # type: ignore[operator]
        size = np.sqrt(np.outer(np.diag(other), np.diag(other)))
        assert np.abs((one - other) / size).max() < rounding
    if family == "monomials":
        squares = [foreshortening_squared(basis, n) for n in (basis.gauss, basis.gauss + 5, basis.gauss - 1)]
        assert squares[0] == pytest.approx(squares[1], rel=1e-13)
        assert abs(squares[2] / squares[1] - 1.0) > 1e-13  # one point fewer is too few


def foreshortening_squared(basis: BeamBasis, gauss: int) -> float:
    """int (int_0^x v'^2)^2 of the highest y shape."""
    integrals = BeamIntegrals(LENGTH, basis.spans, basis.breaks, gauss)
    shape = next(shape for shape in basis.shapes if shape.label == "y3")
    inner = []
    for x in integrals.x:
        point, weight = np.polynomial.legendre.leggauss(8)
        inner.append(x / 2.0 * float(weight @ shape.values(x * (1.0 + point) / 2.0)[:, 1] ** 2))
    return float(integrals.weight @ np.square(inner))


def test_gauss_points_are_few() -> None:
    """They cost run time: degree p needs 2 p; three sines 12 for 1e-7 (11 would leave 3.5e-7)."""
    assert make(bending_y=3, bending_z=3).gauss == 8
    assert make(bending_y=4, bending_z=4).gauss == 10
    assert make(bending_y=0, bending_z=0, axial=1).gauss == 2
    assert make(family="elements").gauss == 6
    assert make(family="modes", frame="chord", bending_y=3, bending_z=3).gauss == 12
    assert make(family="modes", frame="chord", gauss=11).gauss == 11


def test_no_shapes_is_a_rigid_beam() -> None:
    for family in FAMILIES:
        basis = make(family=family, bending_y=0, bending_z=0)
        assert basis.shapes == () and basis.mass.shape == (0, 0) and basis.frequencies().size == 0


# Damping


def recovered_ratios(basis: BeamBasis) -> np.ndarray:
    """Ratios from the eigenvalues of the first-order system: -Re/|lambda|, of each pair."""
    n = len(basis.shapes)
    inverse = np.linalg.inv(basis.mass)
    system = np.block([[np.zeros((n, n)), np.eye(n)], [-inverse @ basis.stiffness, -inverse @ basis.damping]])
    eigenvalues = np.linalg.eigvals(system)
    upper = eigenvalues[eigenvalues.imag > 0.0]
    return -(upper.real / np.abs(upper))[np.argsort(np.abs(upper))]


@pytest.mark.parametrize("frame", FRAMES)
def test_modal_ratios_are_recovered(frame: str) -> None:
    ratios = [0.01, 0.02, 0.05, 0.1, 0.3]
    one = make(frame=frame, lumps=LUMPS, damping={"ratio": 0.02})
    assert recovered_ratios(one) == pytest.approx(0.02, rel=1e-6)  # eigenvalues of a matrix of condition 1e9
    each = make(frame=frame, lumps=LUMPS, damping={"ratios": ratios})
    assert recovered_ratios(each) == pytest.approx(ratios, rel=1e-6)


def test_adams_defaults_follow_the_frequencies() -> None:
    """A thin rod with modes below 100 Hz, between, and above 1000 Hz."""
    spans = [Span(None, circle(0.001), STEEL)]
    basis = beam_basis(0.5, spans, family="modes", frame="chord", bending_y=10, bending_z=0, damping="adams")
    hertz = basis.frequencies()
    _, modes = eigh(basis.stiffness, basis.mass)
    ratios = np.diag(modes.T @ basis.damping @ modes) / (4.0 * math.pi * hertz)
    expected = [0.01 if f < 100.0 else 0.1 if f <= 1000.0 else 1.0 for f in hertz]
    assert ratios == pytest.approx(expected, rel=1e-9)
    assert set(expected) == {0.01, 0.1, 1.0}


def test_rayleigh_and_no_damping() -> None:
    basis = make(damping={"mass": 3.0, "stiffness": 2e-5})
    assert basis.damping == pytest.approx(3.0 * basis.mass + 2e-5 * basis.stiffness, rel=1e-14)
    assert make(damping={"stiffness": 1e-4}).damping == pytest.approx(1e-4 * basis.stiffness, rel=1e-14)
    assert not make().damping.any()


# What the supports demand

PINNED = [Support(0.0, True, True), Support(LENGTH, True, True)]
CLAMPED = [Support(0.0, True, True, True, True), Support(LENGTH, True, True, True, True)]


@pytest.mark.parametrize("frame", FRAMES)
def test_shapes_that_do_not_suit_two_pins(frame: str) -> None:
    """One or two monomials: sqrt(120)/pi^2 - 1 = 11 % (the parabola); three: 3e-4 (sixth-degree Rayleigh quotient)."""
    errors = [supported_frequency_error(make(frame=frame, bending_y=n, bending_z=n), PINNED) for n in (1, 2, 3, 4, 5)]
    assert errors[:2] == pytest.approx([math.sqrt(120.0) / math.pi**2 - 1.0] * 2, rel=1e-5)
    assert errors[2] == pytest.approx(3e-4, rel=0.05) and errors[4] < 1e-6


def test_support_check_looks_at_each_plane_and_at_nothing_else() -> None:
    pinned_in_y = [Support(0.0, True, False), Support(LENGTH, True, False)]
    sines = make(family="modes", frame="chord", bending_y=1, bending_z=0)
    assert supported_frequency_error(sines, pinned_in_y) < 1e-6
    assert supported_frequency_error(sines, CLAMPED) == math.inf  # one sine and a line cannot be clamped twice
    assert supported_frequency_error(make(bending_y=0, bending_z=0), CLAMPED) == 0.0
    both = make(family="modes", frame="chord", bending_y=1, bending_z=1)
    assert supported_frequency_error(both, pinned_in_y) > 1e-3  # free in z, where a sine is not enough
    mixed = [Support(0.0, True, True, True, False), Support(LENGTH, True, True, True, False)]
    assert supported_frequency_error(both, mixed) == math.inf
    outboard = [Support(0.0, True, False), Support(1.1 * LENGTH, True, False)]
    assert supported_frequency_error(sines, outboard) > 1e-3  # a pin on an arm beyond B turns with the end


@pytest.mark.parametrize(
    ("frame", "supports", "stations"),
    [
        ("start", "clamped-free", [(0.0, True, True, True, True)]),
        ("mean", "free-free", []),
        ("start", "pinned-free", [(0.0, True, True, False, False)]),
        ("chord", "clamped-clamped", CLAMPED),
    ],
)
def test_modes_of_the_supports_are_exact(frame: str, supports: str, stations: list[Any]) -> None:
    basis = make(family="modes", frame=frame, supports=supports, bending_y=1, bending_z=1)
    assert supported_frequency_error(basis, stations) < 1e-6


def test_support_check_knows_steps_lumps_shear_and_outboard_supports() -> None:
    """A finite-element basis of many modes agrees with the check's own model, on a support in mid-span and beyond B."""
    for shear in (False, True):
        basis = make(STEPPED, family="elements", bending_y=None, bending_z=None, elements=30, lumps=LUMPS, shear=shear)
        stations = [Support(basis.breaks[4], True, True), Support(LENGTH + 0.02, True, True)]
        assert supported_frequency_error(basis, stations) < 1e-4


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("shear", [False, True])
def test_automatic_shapes_suit_all_supports(frame: str, shear: bool) -> None:
    """Against finite elements: steps, lumps, and supports at the ends, in mid-span, and on an arm beyond B."""
    basis = make(
        STEPPED, family="auto", bending_y=3, bending_z=3, lumps=LUMPS, shear=shear, frame=frame, stations=[0.6 * LENGTH]
    )  # fmt: skip
    middle = Support(0.6 * LENGTH, True, True)
    outboard = [Support(0.0, True, True), Support(LENGTH + 0.02, True, True)]
    for stations in (PINNED, CLAMPED, [], PINNED[:1], CLAMPED[1:], [*PINNED, middle], [CLAMPED[0], middle], outboard):
        # a segment of a beam with shear has two elements, modes between interfaces are right to 1 %
        assert supported_frequency_error(basis, stations) < (5e-3 if shear else 1e-3)


# Refusals


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"family": "splines"}, ["'splines'", "monomials, modes, elements"]),
        ({"frame": "middle", "bending_y": -1}, ["'middle'", "start, end, chord, mean", "bending_y"]),
        ({"family": "modes", "supports": "welded-free"}, ["'welded-free'", "clamped-free"]),
        ({"supports": "pinned-pinned"}, ["do not apply to monomials"]),
        ({"shear": True}, ["shear deformation needs family = 'elements'"]),
        ({"elements": 5}, ["do not apply to family"]),
        ({"family": "elements", "elements": 0, "axial": 2.5}, ["elements must", "axial must"]),
        ({"bending_y": None}, ["all nodal shapes"]),
        ({"lumps": [Lump(0.31, 1.0), Lump(-0.1, 1.0)]}, ["mass 1 at x = 0.31", "mass 2 at x = -0.1"]),
        ({"damping": {"ratio": -0.1}, "torsion": True}, ["ratio must", "torsion must"]),
        ({"damping": {"ratios": [0.1, -0.2]}}, ["has 2 entries", "ratio 2 must"]),
        ({"damping": {"ratio": 0.1, "mass": 1.0}}, ["given twice"]),
        ({"damping": {"rate": 0.1}}, ["'rate' is not a key"]),
        ({"damping": "nastran"}, ["'nastran'", '"adams"']),
        ({"gauss": 1}, ["gauss must"]),
    ],
)
def test_bad_requests_are_refused_with_all_their_faults(options: dict[str, Any], words: list[str]) -> None:
    with pytest.raises(InputError) as refused:
        make(**options)
    for word in words:
        assert word in str(refused.value)


def test_bad_spans_and_lumps_are_refused() -> None:
    def refused(call: Any) -> str:
        with pytest.raises(InputError) as error:
            call()
        return str(error.value)

    assert "at least one span" in refused(lambda: make([]))
    assert "beam is 0.3 m long" in refused(lambda: make([Span(0.29, BAR, STEEL)]))
    assert "leaves no length" in refused(lambda: make([Span(0.3, BAR, STEEL), Span(None, BAR, STEEL)]))
    text = refused(lambda: make([Span(0.2, BAR, STEEL), Span(0.1, BAR, STEEL), Span(None, BAR, STEEL)], bending_y=-1))
    assert "span 2 must end beyond 0.2 m" in text and "bending_y" in text
    bare = [Span(None, general(1e-4, 1e-9, 1e-9), STEEL)]
    text = refused(lambda: make(bare, family="elements", torsion=1, shear=True))
    assert all(word in text for word in ("constant J", "shear_y", "shear_z"))
    assert make(bare).mass.shape == (5, 5)  # not needed, not asked for
    text = refused(lambda: Lump(0.1, -1.0, center=[0.0], inertia=np.diag([1.0, 1.0, -1.0])))  # type: ignore[arg-type]
    assert all(word in text for word in ("mass must", "center must", "negative principal"))
    text = refused(lambda: beam_basis(-1.0, UNIFORM, family="x", frame="y", bending_y=1, bending_z=1))
    assert all(word in text for word in ("length", "family", "frame"))
