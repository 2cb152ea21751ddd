"""Compiled deformation fields and flexible markers against their NumPy witnesses, at large random deflections.

Covers: bodies.exact_beam, layout.beam_access, layout.deformation_fields, machine_code.lanes.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from flexmb.bodies.exact_motion import BodyMotion, ExactMotion
from flexmb.bodies.invariants import Invariants
from flexmb.bodies.marker_shapes import MarkerShapes
from flexmb.bodies.point_field import PointField
from flexmb.bodies.quadratic_beam import quadratic_field
from flexmb.equations import programs
from flexmb.equations.fields.row_products import add_rows, products_with
from flexmb.layout import flat_arrays as L
from flexmb.machine_code.jit import program
from flexmb.system.records import fields
from tests.support.flexible_models import ALL_SHAPES, FIELDS, LUMP, ROUND_BAR, FlatBeams, free_beam

MARKERS = {
    "beside": {"at": [0.37, 0.06, -0.08], "orientation": {"axis": [1, 2, 3], "angle": 1.0}},
    "beyond": {"at": [1.3, 0.05, 0.02], "axis": [1, 1, 0]},
    "before": {"at": [-0.2, 0.0, 0.04]},
    "middle": {"along": 0.5},
    "quarter": {"along": 0.25},
}
STEPS = [
    {"to": 0.4, "section": {"type": "rectangle", "y": 0.06, "z": 0.12}},
    {"section": {"type": "rectangle", "y": 0.1, "z": 0.05}},
]
KINDS: dict[str, dict[str, Any]] = {
    "start": {"frame": "start", "masses": [{"at": 0.6, **LUMP}], "damping": {"ratio": 0.05}},
    "end": {"frame": "end", "shapes": ALL_SHAPES | {"bending": {"y": 3, "z": 2}, "torsion": 2}},
    "chord": {"frame": "chord", "shapes": ALL_SHAPES | {"family": "modes"}, "rotary_inertia": True},
    "mean": {"frame": "mean", "masses": [{"at": 0.0, **LUMP}], "damping": {"mass": 0.3, "stiffness": 0.01}},
    "shear": {
        "frame": "start",
        "shapes": ALL_SHAPES | {"family": "elements", "elements": 3},
        "shear": True,
        "rotary_inertia": True,
    },
    "stepped": {"section": None, "sections": STEPS, "shapes": ALL_SHAPES | {"family": "elements", "elements": 4}},
    "round": {"section": ROUND_BAR, "shapes": {"family": "modes", "bending": 3}},
    "shaft": {"section": ROUND_BAR, "shapes": ALL_SHAPES, "rotary_inertia": True, "frame": "end"},
    "one plane y": {"shapes": {"bending": {"y": 2, "z": 0}}},
    "one plane z": {"shapes": {"bending": {"y": 0, "z": 2}}, "frame": "end"},
    "one plane y and twist": {"shapes": {"bending": {"y": 2, "z": 0}, "torsion": 1}},
    "one plane z and twist": {"shapes": {"bending": {"y": 0, "z": 2}, "torsion": 1}},
    "stretch and twist": {"shapes": {"bending": 0, "axial": 2, "torsion": 2}},
}


@cache
def flat_beam(kind: str, field: str) -> FlatBeams:
    data = free_beam(**KINDS[kind], **FIELDS[field], markers=MARKERS)
    data["bodies"]["beam"] = {key: value for key, value in data["bodies"]["beam"].items() if value is not None}
    return FlatBeams(data)


class State:
    """A free beam at a random state with random accelerations."""

    def __init__(self, kind: str, field: str, seed: int = 3):
        self.flat = flat_beam(kind, field)
        self.body = self.flat.body("beam")
        rng = np.random.default_rng(seed)
        self.q, self.v = self.flat.random_state(rng)
        self.a = rng.normal(size=self.flat.n)
        self.flat.set(self.q, self.v, self.a)
        self.eta = self.q[-self.body.n_modes :]
        self.eta_dot, self.eta_ddot = self.v[self.flat.elastic], self.a[self.flat.elastic]

    def wrench(self) -> np.ndarray:
        """(6 + n,) what inertia and elasticity of the body ask for, by the kernels."""
        self.flat.run(programs.wrenches, 1)
        return self.flat.block("beam", L.W_F, 6 + self.body.n_modes)

    def frame_motion(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Acceleration of the origin less gravity, angular acceleration, angular velocity, velocity of the frame."""
        return tuple(self.flat.block("beam", place, 3) for place in (L.W_ACC, L.W_ALPHA, L.W_OMEGA, L.W_VEL))


def same(found: np.ndarray, wanted: np.ndarray, rounding: float = 1e-12) -> None:
    """Equal to round-off of the largest entry, or of one where all are small."""
    np.testing.assert_allclose(found, wanted, rtol=0, atol=rounding * max(np.abs(wanted).max(), 1.0))


@pytest.mark.parametrize("kind", KINDS)
def test_exact_beam_equals_its_witness(kind: str) -> None:
    """Mass matrix, forces and energies; the witness differentiates nothing but the pose of a section."""
    state = State(kind, "exact")
    body, eta, exact = state.body, state.eta, ExactMotion(state.body.basis)
    M = exact.mass_matrix(eta)
    same(state.flat.body_mass("beam"), M)
    found = state.wrench()
    a, alpha, omega, velocity = state.frame_motion()
    inertia = exact.inertia_forces(BodyMotion(eta, state.eta_dot, state.eta_ddot, a, alpha, omega))
    elastic = exact.elastic_forces(eta) + body.damping @ state.eta_dot
    # Forces on the modes apart from the rest: a stiff axial shape is not to hide the others.
    same(found[:6], inertia[:6])
    size = np.abs(body.stiffness) @ np.abs(eta) + np.abs(inertia[6:]).max()
    assert np.all(np.abs(found[6:] - inertia[6:] - elastic) < 1e-12 * size)
    out = state.flat.output()
    y = np.concatenate([velocity, omega, state.eta_dot])
    assert out["energy/kinetic"][0] == pytest.approx(0.5 * y @ M @ y, rel=1e-12)
    assert out["energy/strain"][0] == pytest.approx(exact.strain_energy(eta), rel=1e-12)


def test_exact_bending_is_far_from_linear_here() -> None:
    """The states above would not pass with the linear strain energy: the excess is some per cent of it."""
    state = State("round", "exact")
    linear = 0.5 * state.eta @ state.body.stiffness @ state.eta
    assert ExactMotion(state.body.basis).strain_energy(state.eta) > 1.03 * linear


@pytest.mark.parametrize("field", ["full", "order 2", "order 1", "linear"])
@pytest.mark.parametrize("kind", KINDS)
def test_quadratic_field_equals_its_witness(kind: str, field: str) -> None:
    state = State(kind, field)
    body, eta = state.body, state.eta
    witness = body.field
    assert isinstance(witness, (Invariants, PointField))
    same(state.flat.body_mass("beam"), witness.mass_matrix(eta))
    found = state.wrench()
    a, alpha, omega, velocity = state.frame_motion()
    y, y_dot = np.concatenate([velocity, omega, state.eta_dot]), np.concatenate([a, alpha, state.eta_ddot])
    inertia = witness.mass_matrix(eta) @ y_dot + witness.velocity_forces(eta, state.eta_dot, omega)
    cubic = np.zeros((len(eta),) * 3) if body.cubic is None else body.cubic
    elastic = body.stiffness @ eta + 0.5 * np.einsum("klm,l,m->k", cubic, eta, eta) + body.damping @ state.eta_dot
    same(found[:6], inertia[:6])
    size = np.abs(body.stiffness) @ np.abs(eta) + np.abs(inertia[6:]).max()
    assert np.all(np.abs(found[6:] - inertia[6:] - elastic) < 1e-12 * size)
    out = state.flat.output()
    strain = 0.5 * eta @ body.stiffness @ eta + np.einsum("klm,k,l,m->", cubic, eta, eta, eta) / 6.0
    assert out["energy/kinetic"][0] == pytest.approx(witness.kinetic_energy(eta, y), rel=1e-12)
    assert out["energy/strain"][0] == pytest.approx(strain, rel=1e-12)


@pytest.mark.parametrize("kind", ["start", "end", "mean", "shear"])
def test_points_are_the_invariants_with_all_terms(kind: str) -> None:
    """Theory 13.6: point form = invariants with N4. Polynomial shapes, so that both quadratures are exact."""
    state = State(kind, "full")
    full = quadratic_field(state.body.basis, "full")
    assert isinstance(full, PointField)
    integrals = full.invariants("full")
    same(state.flat.body_mass("beam"), integrals.mass_matrix(state.eta))
    found = state.wrench()
    a, alpha, omega, _ = state.frame_motion()
    y_dot = np.concatenate([a, alpha, state.eta_ddot])
    inertia = integrals.mass_matrix(state.eta) @ y_dot + integrals.velocity_forces(state.eta, state.eta_dot, omega)
    same(found[:6], inertia[:6])


@program
def sums_and_products(I, F, W, n_rows):
    """Sums of the rows with three sets of factors at W[0], behind them their products with W[I[1]..]."""
    width = I[0]
    sums = 3 * n_rows
    add_rows(F, W, 0, n_rows, width, 0, sums)
    products_with(F, 0, n_rows, width, W, sums, sums + 3 * width)


@pytest.mark.parametrize("n_rows", [1, 3, 4, 11])
def test_sums_and_products_of_rows(n_rows: int) -> None:
    """Four rows at a time and the rest, added to what is there; whole numbers, so that no order of a sum matters."""
    width, rng = 24, np.random.default_rng(n_rows)
    rows, factors = rng.integers(-9, 9, (n_rows, width)), rng.integers(-9, 9, (3, n_rows))
    before = np.concatenate([factors.ravel(), np.full(3 * width, 2), np.full(n_rows, 5)]).astype(float)
    work = before.copy()
    sums_and_products(np.array([width]), rows.ravel().astype(float), work, n_rows)
    sums = 2 + factors @ rows
    assert work.tolist() == [*factors.ravel(), *sums.ravel(), *(5 + rows @ sums[0])]


@pytest.mark.parametrize(("kind", "is_filled"), [("stepped", False), ("shear", True)])
def test_points_in_blocks_are_the_points(kind: str, is_filled: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Several blocks move as one, whether or not the last has points without mass."""
    whole = State(kind, "full")
    wanted, mass = whole.wrench().copy(), whole.flat.body_mass("beam").copy()
    flat_beam.cache_clear()
    monkeypatch.setattr(fields, "BLOCK_NUMBERS", 1)
    parts = State(kind, "full")
    flat_beam.cache_clear()
    record = parts.flat.system.ints[parts.flat.system.ints[L.FIELDS] :]
    n_blocks, count = record[L.FD_SEGMENTS], len(parts.body.field.mass)
    assert n_blocks > 1 and (record[L.FD_N] > count) is np.bool_(is_filled)
    same(parts.wrench(), wanted)
    same(parts.flat.body_mass("beam"), mass)


@pytest.mark.parametrize("field", FIELDS)
def test_the_states_tell_the_fields_apart(field: str) -> None:
    """Each truncation changes the wrench at these states by 1e-4 or more: the tests above see every term."""
    names = list(FIELDS)
    wrenches = {name: State("start", name).wrench() for name in names}
    for other in names:
        if other != field:
            gap = np.abs(wrenches[field] - wrenches[other])[:6].max()
            assert gap > 1e-4 * np.abs(wrenches[field])[:6].max(), other


@pytest.mark.parametrize("kind", KINDS)
def test_markers_on_an_exact_beam_equal_their_witness(kind: str) -> None:
    state = State(kind, "exact")
    flat, exact = state.flat, ExactMotion(state.body.basis)
    flat.run(programs.kinematics, 1)
    mechanism = flat.system.mechanism
    for name in ("origin", "end", *MARKERS):
        number = mechanism.marker_index[f"beam.{name}"]
        placed = mechanism.markers[number]
        flat.get(L.X_ACCELERATE, 1)[0] = 1.0
        flat.run(programs.marker_state, number)
        at = exact.motion(exact.points(placed.p_b[None]), state.eta, state.eta_dot)
        same(flat.marker(f"beam.{name}", L.S_BODY, 3), at.r[0])
        n, record = state.body.n_modes, int(flat.system.ints[L.MARKERS]) + number * L.MARKER
        if flat.system.ints[record + L.MK_FLEX] == 0:  # it has no arm
            assert max(np.abs(part).max() for part in (at.psi, at.turn, at.bias_r, at.bias_omega)) < 1e-11
            continue
        # The witness takes rates and biases from a Taylor series by Cauchy's integral: 1e-13 of values of order ten.
        same(flat.marker(f"beam.{name}", L.S_ARM_R, 9), (at.R[0] @ placed.R_b).ravel())
        same(flat.marker(f"beam.{name}", L.S_ARM_V, 3), at.r_dot[0], 1e-11)
        same(flat.marker(f"beam.{name}", L.S_ARM_W, 3), at.omega[0], 1e-11)
        same(flat.marker(f"beam.{name}", L.S_ARM_BIAS_R, 3), at.bias_r[0], 1e-10)
        same(flat.marker(f"beam.{name}", L.S_ARM_BIAS_W, 3), at.bias_omega[0], 1e-10)
        columns = flat.marker(f"beam.{name}", L.S_COLUMNS, 6 * n).reshape(n, 6)
        same(columns, np.concatenate([at.psi[0], at.turn[0]], axis=1))


@pytest.mark.parametrize("field", ["full", "order 1", "linear"])
@pytest.mark.parametrize("kind", ["start", "end", "chord", "shear", "stretch and twist"])
def test_markers_on_a_quadratic_beam_equal_their_witness(kind: str, field: str) -> None:
    """Position and orientation; a linear field has first-order markers, every other one complete second-order ones."""
    state = State(kind, field)
    flat, mechanism = state.flat, state.flat.system.mechanism
    flat.run(programs.kinematics, 1)
    for name in ("origin", "end", *MARKERS):
        number = mechanism.marker_index[f"beam.{name}"]
        placed, flexible = mechanism.markers[number], state.body.shapes_at(mechanism.markers[number].p_b)
        assert isinstance(flexible, MarkerShapes)
        assert flexible.order == (1 if field == "linear" else 2)
        flat.get(L.X_ACCELERATE, 1)[0] = 1.0
        flat.run(programs.marker_state, number)
        same(flat.marker(f"beam.{name}", L.S_BODY, 3), placed.p_b + flexible.displacement(state.eta))
        R_w = flat.block("beam", L.W_R_W, 9).reshape(3, 3)
        same(flat.marker(f"beam.{name}", L.S_R, 9), (R_w @ flexible.rotation(state.eta) @ placed.R_b).ravel())


def stencil(f: Any, h: float) -> np.ndarray:
    """Derivative of f(t) at t = 0, error of the order h^6."""
    return sum(w * (f(k * h) - f(-k * h)) for k, w in ((1, 45.0), (2, -9.0), (3, 1.0))) / (60.0 * h)


@pytest.mark.parametrize("field", ["exact", "full", "linear"])
@pytest.mark.parametrize("kind", ["start", "end", "chord", "mean", "shear"])
def test_marker_velocities_and_accelerations_are_derivatives(kind: str, field: str) -> None:
    """World velocity and acceleration of markers, linear and angular, by differences of pose and velocity."""
    state = State(kind, field)
    flat = state.flat
    numbers = [flat.system.mechanism.marker_index[f"beam.{name}"] for name in ("end", *MARKERS)]

    def at(t: float) -> np.ndarray:
        """(markers, 24): position, orientation, velocity, angular velocity, acceleration, angular acceleration"""
        q, v = flat.along(state.q, state.v, state.a, t)
        flat.set(q, v, state.a)
        flat.run(programs.kinematics, 1)
        rows = []
        for number in numbers:
            flat.get(L.X_ACCELERATE, 1)[0] = 1.0
            flat.run(programs.marker_state, number)
            name = flat.system.mechanism.markers[number].name
            rows.append(flat.marker(name, L.S_P, 24))
        return np.array(rows)

    here, rate = at(0.0), stencil(at, 5e-4)
    R, R_dot = here[:, 3:12].reshape(-1, 3, 3), rate[:, 3:12].reshape(-1, 3, 3)
    spin = R_dot @ R.swapaxes(1, 2)
    spin = np.stack([spin[:, 2, 1], spin[:, 0, 2], spin[:, 1, 0]], -1)
    gravity = np.array([1.0, -2.0, -9.0])
    pairs = [(rate[:, :3], 12), (spin, 15), (rate[:, 12:15] - gravity, 18), (rate[:, 15:18], 21)]
    for found, place in pairs:
        wanted = here[:, place : place + 3]
        # The step is 1e-3 of the time in which the slopes would grow to one: truncation and round-off near 1e-11.
        assert np.allclose(found, wanted, rtol=0, atol=1e-10 * np.abs(wanted).max())
