"""The compiled equations of motion on random mechanisms that hold every joint: identities, not snapshots.

Covers: equations.cholesky, equations.chords, equations.constraints, equations.coordinates, equations.energy,
equations.forward_dynamics, equations.inertia, equations.inverse_dynamics, equations.kinematics, equations.mass_matrix,
equations.programs, equations.reactions, layout.access, vectors.
"""

from __future__ import annotations

import numpy as np
import pytest

from flexmb.equations import programs
from flexmb.layout import flat_arrays as L
from tests.support.flat import Flat
from tests.support.mechanisms import TREE_JOINTS, joint_keys, random_body, random_tree, rotation, spec_of


def random_state(flat: Flat, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    q = flat.moved(flat.system.q0.copy(), 0.6 * rng.normal(size=flat.n))
    return q, rng.normal(size=flat.n)


@pytest.fixture(params=range(3))
def rng(request: pytest.FixtureRequest) -> np.random.Generator:
    return np.random.default_rng(request.param)


def test_mass_matrix_is_that_of_the_kinetic_energy(rng: np.random.Generator) -> None:
    flat = Flat(spec_of(random_tree(rng)))
    q, v = random_state(flat, rng)
    M = flat.evaluate(q, v)["M"]
    assert np.allclose(M, M.T, rtol=0, atol=1e-13 * np.abs(M).max())
    assert np.linalg.eigvalsh(M).min() > 0.0
    flat.set(q, v, np.zeros(flat.n))
    assert flat.output()["energy/kinetic"][0] == pytest.approx(0.5 * v @ M @ v, rel=1e-12)


def test_residual_is_linear_in_the_accelerations(rng: np.random.Generator) -> None:
    flat = Flat(spec_of(random_tree(rng)))
    q, v = random_state(flat, rng)
    a = rng.normal(size=flat.n)
    terms = flat.evaluate(q, v)
    expected = terms["M"] @ a + terms["h"]
    assert np.allclose(flat.residual(q, v, a), expected, rtol=0, atol=1e-12 * np.abs(expected).max())


def test_order_n_forward_dynamics_equals_the_dense_solution(rng: np.random.Generator) -> None:
    flat = Flat(spec_of(random_tree(rng)))
    q, v = random_state(flat, rng)
    terms = flat.evaluate(q, v)
    flat.run(programs.acceleration)
    dense = np.linalg.solve(terms["M"], -terms["h"])
    assert np.allclose(flat.get(L.A, flat.n), dense, rtol=0, atol=1e-9 * np.abs(dense).max())


def test_power_balance(rng: np.random.Generator) -> None:
    """dE/dt = 0 along the free motion: E by central differences over a small step of the true motion."""
    flat = Flat(spec_of(random_tree(rng)))
    q, v = random_state(flat, rng)
    flat.set(q, v)
    flat.run(programs.acceleration)
    a = flat.get(L.A, flat.n).copy()
    h = 1e-5
    energies = []
    for sign in (1.0, -1.0):
        step = sign * h * v + 0.5 * h * h * a
        flat.set(flat.moved(q, step), v + sign * h * a, a)
        out = flat.output()
        energies.append(out["energy/kinetic"][0] + out["energy/potential"][0])
    power = (energies[0] - energies[1]) / (2 * h)
    scale = np.abs(flat.evaluate(q, v)["h"]) @ np.abs(v)
    assert abs(power) < 1e-7 * scale


def test_velocity_forces_by_differentiation_of_the_mass_matrix(rng: np.random.Generator) -> None:
    """h = M_dot v - 1/2 d(v'Mv)/dq + dV/dq for joints whose rates are true derivatives (no quaternions)."""
    kinds = ("revolute", "prismatic", "cylindrical", "screw", "universal", "planar", "pin-in-slot", "fixed", "revolute")
    data = random_tree(rng, kinds)
    for body in data["bodies"].values():
        del body["rotor"]  # gyroscopic forces do not come from the kinetic energy of the coordinates
    flat = Flat(spec_of(data))
    q, v = random_state(flat, rng)
    h = flat.evaluate(q, v)["h"]
    step = 1e-5
    dM, dV = [], []
    for k in range(flat.n):
        unit = step * np.eye(flat.n)[k]
        values = []
        for sign in (1.0, -1.0):
            terms = flat.evaluate(flat.moved(q, sign * unit), v)
            flat.set(a=np.zeros(flat.n))
            values.append((terms["M"], flat.output()["energy/potential"][0]))
        dM.append((values[0][0] - values[1][0]) / (2 * step))
        dV.append((values[0][1] - values[1][1]) / (2 * step))
    expected = np.einsum("kij,k,j->i", dM, v, v) - 0.5 * np.einsum("kij,i,j->k", dM, v, v) + np.array(dV)
    assert np.allclose(h, expected, rtol=0, atol=2e-8 * np.abs(expected).max())


def closed(rng: np.random.Generator, kind: str, reverse: bool = False) -> dict:
    """Two random bodies in free space, joined by one joint that is made a chord."""
    data = {
        "model": {"name": "chord", "gravity": [0.0, 0.0, -9.81]},
        "bodies": {"one": random_body(rng), "two": random_body(rng)},
        "joints": {"link": {**joint_keys(kind, rng), "bodies": ["two", "one"] if reverse else ["one", "two"]}},
        "coordinates": {"default": "absolute"},
    }
    return data


CHORDS = tuple(kind for kind in TREE_JOINTS if kind != "free") + ("rolling",)


def chord_model(rng: np.random.Generator, kind: str) -> dict:
    data = closed(rng, kind if kind != "rolling" else "revolute")
    if kind == "rolling":
        data["joints"]["link"].update({"type": "rolling", "normal": [0.2, 0.1, 1.0], "radius": 0.4})
    return data


@pytest.mark.parametrize("kind", CHORDS)
def test_constraint_jacobian_and_its_rate_by_differences(kind: str) -> None:
    rng = np.random.default_rng(5)
    flat = Flat(spec_of(chord_model(rng, kind)))
    q, v = random_state(flat, rng)
    terms = flat.evaluate(q, v)
    step = 1e-6
    positions = int(flat.system.ints[L.N_POS_ROWS])
    for k in range(flat.n):
        unit = step * np.eye(flat.n)[k]
        forward = flat.evaluate(flat.moved(q, unit), v)["phi"][:positions]
        back = flat.evaluate(flat.moved(q, -unit), v)["phi"][:positions]
        difference = (forward - back) / (2 * step)
        assert np.allclose(terms["G"][:positions, k], difference, rtol=0, atol=1e-8)
    assert np.allclose(terms["G"] @ v, terms["phi_dot"], rtol=0, atol=1e-12)
    # Phi_ddot = G a + gamma: differences of Phi_dot along a motion with acceleration a.
    a = rng.normal(size=flat.n)
    rates = []
    for sign in (1.0, -1.0):
        moved = flat.moved(q, sign * step * v + 0.5 * step * step * a)
        rates.append(flat.evaluate(moved, v + sign * step * a)["phi_dot"])
    difference = (rates[0] - rates[1]) / (2 * step)
    expected = terms["G"] @ a + terms["gamma"]
    assert np.allclose(expected, difference, rtol=0, atol=1e-7 * max(1.0, np.abs(expected).max()))


@pytest.mark.parametrize("kind", CHORDS)
def test_multipliers_act_as_the_transposed_jacobian(kind: str) -> None:
    rng = np.random.default_rng(7)
    flat = Flat(spec_of(chord_model(rng, kind)))
    q, v = random_state(flat, rng)
    lam, a = rng.normal(size=flat.m), rng.normal(size=flat.n)
    terms = flat.evaluate(q, v)
    expected = terms["M"] @ a + terms["h"] + terms["G"].T @ lam
    assert np.allclose(flat.residual(q, v, a, lam), expected, rtol=0, atol=1e-11 * np.abs(expected).max())


@pytest.mark.parametrize("kind", [kind for kind in TREE_JOINTS if kind not in ("fixed", "free")])
@pytest.mark.parametrize("reverse", [False, True])
def test_branch_motion_satisfies_the_chord_conditions(kind: str, reverse: bool) -> None:
    """Every column of a joint's motion subspace is compatible with its constraint rows, and there are no others."""
    rng = np.random.default_rng(11)
    data = closed(rng, kind, reverse)
    data["coordinates"] = {"absolute": ["one"]}
    branch = Flat(spec_of(data))
    q, v = random_state(branch, rng)
    a = rng.normal(size=branch.n)
    branch.set(q, v, a)
    out = branch.output()
    chord = Flat(spec_of(closed(rng, kind, reverse) | {"bodies": data["bodies"], "joints": data["joints"]}))
    qc, vc = [], []
    for body in ("one", "two"):
        R = rotation(out[f"bodies/{body}/quaternion"])
        qc += [*out[f"bodies/{body}/position"], *out[f"bodies/{body}/quaternion"]]
        vc += [*out[f"bodies/{body}/velocity"], *out[f"bodies/{body}/angular_velocity"]]
        assert np.allclose(R.T @ R, np.eye(3), atol=1e-14)
    terms = chord.evaluate(np.array(qc), np.array(vc))
    assert np.abs(terms["phi"]).max() < 1e-13
    assert np.abs(terms["phi_dot"]).max() < 1e-12
    assert chord.n - np.linalg.matrix_rank(terms["G"]) == branch.n
    # The measured chord coordinates are those of the branch.
    chord.set(a=np.zeros(chord.n))
    measured = chord.output()
    if kind not in ("spherical", "point-on-line", "distance"):
        turns = np.round((measured["joints/link/position"] - out["joints/link/position"]) / (2 * np.pi))
        slides = np.array([name in ("slide", "x", "y") for name in chord.system.mechanism.joints[0].type.coordinates])
        assert np.all(turns[slides] == 0)
        expected = out["joints/link/position"] + 2 * np.pi * turns
        assert np.allclose(measured["joints/link/position"], expected, atol=1e-12)
    if kind != "distance":  # the rod frame of a distance joint is only fixed up to its spin
        assert np.allclose(measured["joints/link/velocity"], out["joints/link/velocity"], atol=1e-12)
