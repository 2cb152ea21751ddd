"""Couplings: gradients and accelerations of their rows, the same motion and reactions in all coordinates, bearing
forces, ratios after many turns, energy with flexible shafts, statics, modes, inverse dynamics, symbols.

Covers: model.model_couplings, natural.model_loads, system.couplings, system.wheels,
system.wheel_teeth, symbolic.rows.
"""

from __future__ import annotations

from collections.abc import Callable
from math import cos, pi, radians, tan

import numpy as np
import pytest

import flexmb as fx
from flexmb.equations.programs import link
from flexmb.errors import InputError
from flexmb.layout import flat_arrays as L
from flexmb.solvers.mechanics import Mechanics
from flexmb.symbolic.equations import equations_of
from flexmb.system.build import build_system
from flexmb.verification.running import inverse
from tests.support.geared_models import gear_pair, geared_shafts, planetary, rack, wheel
from tests.support.symbolic_numbers import difference

COORDINATES = ("joint", "absolute", "natural")


@pytest.mark.parametrize("flank", [1.0, -1.0])
@pytest.mark.parametrize("made", [gear_pair, rack, planetary])
def test_rows_of_teeth_are_exact_where_bearings_part(made: Callable[..., fx.Model], flank: float) -> None:
    """Phi' = G v, the rate of Phi, and gamma the rate of Phi': on wheels that are out of place and tilted by 0.01."""
    model = made("absolute") if made is planetary else made("absolute", helix_angle=0.3)
    system = build_system(model.spec)
    link(system.ints)
    m = Mechanics(system, system.workspace())
    rng = np.random.default_rng(1)
    m.move(rng.uniform(0.2, 1.0, m.n_v) * 2e-3 * np.where(np.arange(m.n_v) % 6 < 3, 1.0, 5.0))
    m.v[:] = 0.1 * rng.normal(size=m.n_v)
    rows = [k for k, row in enumerate(system.evaluated) if row.is_coupling]
    for k in rows:
        m.W[m.I[m.I[L.ROWS] + k * L.ROW + L.R_FLANK]] = flank
    m.equations()
    value, gamma, q, v = m.phi_dot[rows].copy(), m.gam[rows].copy(), m.q.copy(), m.v.copy()
    assert np.max(np.abs(m.G[rows] @ v - value)) < 1e-14
    found, h = [], 1e-6
    for s in (h, -h):
        m.q[:] = q
        m.move(s * v)
        m.equations()
        found.append((m.phi[rows].copy(), m.phi_dot[rows].copy()))
    slopes = [(a - b) / (2 * h) for a, b in zip(*found, strict=True)]
    # Central differences: h^2 of third derivatives, and 1e-16/h of round-off.
    assert np.max(np.abs(slopes[0] - value)) < 1e-9
    assert np.max(np.abs(slopes[1] - gamma)) < 1e-8 * max(1.0, float(np.max(np.abs(gamma))))
    assert np.max(np.abs(gamma)) > 1e-4


@pytest.mark.parametrize("coordinates", COORDINATES)
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_bearings_carry_the_teeth(coordinates: str, sign: float) -> None:
    """E01 with helical teeth: tangential 37.5 N, separating on both flanks, axial; moment at the pitch point."""
    helix = 0.3
    result = fx.run(gear_pair(coordinates, 3.0 * sign, radii=(0.04, 0.12), helix_angle=helix))
    radial, axial = 37.5 * tan(radians(20)) / cos(helix), 37.5 * tan(helix)
    for row in (0, -1):
        force = [radial, sign * 37.5, -sign * axial]
        np.testing.assert_allclose(result["joints/first/force"][row], force, rtol=1e-9)
        np.testing.assert_allclose(result["joints/second/force"][row], -np.array(force), rtol=1e-9)
        moment = [0, sign * 0.04 * axial, 0]
        np.testing.assert_allclose(result["joints/first/moment"][row], moment, rtol=1e-9, atol=1e-11)
        np.testing.assert_allclose(result["couplings/teeth/effort"][row], sign * 37.5, rtol=1e-9)


def test_a_flank_changes_with_the_load() -> None:
    """The bearings part under loads of both signs; with the load the axis of the second may point either way."""
    for flip in (False, True):
        result = fx.run(gear_pair("absolute", "3*cos(20*t)", flip=flip))
        effort, force = result["couplings/teeth/effort"], result["joints/first/force"]
        assert effort.min() < -20.0 < 20.0 < effort.max()
        settled = np.abs(effort) > 3.0  # a step of 1 ms changes it by 0.75 N
        np.testing.assert_allclose(force[settled, 0], np.abs(effort[settled]) * tan(radians(20)), rtol=1e-9)
        ratio = -3.0 if not flip else 3.0
        turned = result["joints/first/position"][-1] / result["joints/second/position"][-1]
        assert turned == pytest.approx(ratio, rel=1e-12)


@pytest.mark.parametrize("axis", ["x", "-x"])
@pytest.mark.parametrize("side", [-0.05, 0.05])
def test_rack_in_all_coordinates(axis: str, side: float) -> None:
    """Pinion below or above, slide either way: x = r angle, T = (J + m r^2) alpha; 4 N at the teeth."""
    sense = (1.0 if axis == "x" else -1.0) * (1.0 if side < 0.0 else -1.0)
    for coordinates in COORDINATES:
        result = fx.run(rack(coordinates, 1.0, side, axis, helix_angle=0.2))
        alpha = 1.0 / (0.02 + 2.0 * 0.05**2)
        assert result["joints/pinion/acceleration"][-1] == pytest.approx(alpha, rel=1e-9)
        turned, slid = result["joints/pinion/position"][-1], result["joints/slide/position"][-1]
        assert slid / turned == pytest.approx(sense * 0.05, rel=1e-12)
        tangential = 2.0 * 0.05 * alpha
        assert result["couplings/teeth/effort"][-1] == pytest.approx(tangential, rel=1e-9)
        separating = -np.sign(side) * -1.0 * tangential * tan(radians(20)) / cos(0.2)
        assert result["joints/pinion/force"][-1, 1] == pytest.approx(separating, rel=1e-9)


@pytest.mark.parametrize("ring", ["", "body", "free"])
def test_planetary_trains_in_all_coordinates(ring: str) -> None:
    """Willis' rule; a ring that is ground, a fixed body or free; the planets share the load."""
    runs = [fx.run(planetary(coordinates, ring=ring)) for coordinates in COORDINATES]
    sun, carrier = (runs[0][f"joints/{name}/position"][-1] for name in ("sun", "carrier"))
    ring_turn = runs[0]["joints/ring/position"][-1] if ring == "free" else 0.0
    assert 24 * sun + 60 * ring_turn == pytest.approx(84 * carrier, rel=1e-12)
    for result in runs[1:]:
        # Steps of 0.2 ms at 60 rad/s: (omega h)^2/12 a radian.
        for path in ("joints/sun/position", "joints/pin1/position"):
            np.testing.assert_allclose(result[path], runs[0][path], rtol=1e-3, atol=1e-3 * sun)
        np.testing.assert_allclose(
            result["joints/pin1/force"][0], runs[0]["joints/pin1/force"][0], rtol=1e-8, atol=1e-8
        )
        np.testing.assert_allclose(
            result["joints/pin1/force"][-1], runs[0]["joints/pin1/force"][-1], rtol=1e-2, atol=0.1
        )
    if not ring:
        assert "reactions-not-unique" in {warning.code for warning in runs[0].warnings}
        effort = np.abs(runs[0]["couplings/train/effort"][0])
        np.testing.assert_allclose(effort, np.tile([31.427439014821022, 27.687707], 3), rtol=1e-8)


def test_a_ratio_is_exact_after_many_turns() -> None:
    """1000 rad/s for 4 s, some 600 turns, in absolute coordinates where turns are counted."""
    model = gear_pair("absolute", 0.0, teeth=(17, 51))
    model = model.with_values({"joints.first.velocity": 1000.0})
    model.analysis(end=4.0, step=1e-3)
    model.output(every=0.5)
    result = fx.run(model)
    first, second = (result[f"joints/{name}/position"] for name in ("first", "second"))
    assert first[-1] / (2 * pi) > 600
    np.testing.assert_allclose(first[1:] / second[1:], -3.0, rtol=1e-12)


def _three(kind: str, coordinates: str) -> tuple[fx.Model, dict[str, float]]:
    """A model of another coupling, and the angles or slides that its joints must have in proportion."""
    model = fx.Model(kind)
    wheel(model, "a", 0.1, (0, 0, 0))
    if kind == "screw":
        model.rigid("nut", mass=3.0, inertia=(0.1,) * 3)
        model.prismatic("b", model.ground, "nut", at=(0, 0, 0.3), axis="-z")
        model.screw_drive("drive", "a", "b", lead="5 mm")
        proportion = {"a": 1.0, "b": -0.005 / (2 * pi)}
    elif kind == "belt":
        wheel(model, "b", 0.2, (0.5, 0, 0))
        model.belt("drive", "a", "b", radii=(0.1, 0.25))
        proportion = {"a": 2.5, "b": 1.0}
    elif kind == "chain":
        wheel(model, "b", 0.2, (0.5, 0, 0), "-z")
        model.belt("drive", "a", "b", teeth=(20, 30), crossed=True, chain=True)
        proportion = {"a": 1.5, "b": 1.0}
    elif kind == "willis":
        wheel(model, "b", 0.2, (0, 0, 0.1))
        model.planetary("drive", sun="a", carrier="b", ratio=2.5)
        proportion = {"a": 3.5, "b": 1.0}
    else:
        wheel(model, "b", 0.2, (0, 0, 0.1))
        model.rigid("c", mass=1.0, inertia=(0.3,) * 3, at=(0, 0, -0.1))
        model.revolute("c", "b", "c", at=(0, 0, -0.1), axis="-z")  # the carrier supports this side
        model.differential("drive", "b", "a", "c")
        model.coupling("hold", ["a", "b"], [1, -0.5])
        proportion = {"b": 2.0, "a": 1.0, "c": -1.0}
    model.torque("torque", "a", (0, 0, 1.0))
    model.coordinates(default=coordinates)
    model.analysis(end=0.5, step=2e-3)
    return model, proportion


@pytest.mark.parametrize("kind", ["screw", "belt", "chain", "willis", "differential"])
def test_other_couplings_in_all_coordinates(kind: str) -> None:
    ends = []
    for coordinates in COORDINATES:
        model, proportion = _three(kind, coordinates)
        if coordinates == "natural":  # its error of order 2, (omega h)^2/4 of the energy at 5 rad/s, is below 1e-6
            model.analysis(end=0.5, step=2e-4)
        result = fx.run(model)
        turned = [result[f"joints/{name}/position"][-1] for name in proportion]
        np.testing.assert_allclose(
            turned, turned[0] / next(iter(proportion.values())) * np.array([*proportion.values()]), rtol=1e-12
        )
        energy = result["energy/kinetic"] - result["energy/work/total"]
        assert np.max(np.abs(energy)) < 1e-6 * np.max(result["energy/kinetic"])
        ends.append((turned[0], float(np.ravel(result["couplings/drive/effort"])[-1])))
    np.testing.assert_allclose(ends[1], ends[0], rtol=1e-9)
    np.testing.assert_allclose(ends[2], ends[0], rtol=1e-6)


def test_flexible_shafts_keep_the_energy() -> None:
    """Wheels at the ends of shafts that bend by their teeth: joint = absolute, energy of order 2, bearings part."""
    coarse, fine = (fx.run(geared_shafts("joint", step=step)) for step in (1e-4, 5e-5))
    absolute = fx.run(geared_shafts("absolute", step=5e-5))
    # Both solve the same equations with the same steps.
    for path, tolerance in (("couplings/teeth/effort", 1e-5), ("joints/bearing1/force", 1e-4)):
        size = np.max(np.abs(fine[path]))
        np.testing.assert_allclose(absolute[path], fine[path], rtol=0, atol=tolerance * size)
    errors = []
    for result in (coarse, fine):
        energy = result["energy/kinetic"] + result["energy/potential"]
        errors.append(np.max(np.abs(energy - energy[0] - result["energy/work/total"])) / np.max(energy))
    assert errors[1] < 1e-6 and errors[0] / errors[1] > 3.0
    parted = fine["bodies/wheel2/position"] - fine["bodies/wheel1/position"] - [0.16, 0, 0]
    assert np.max(np.abs(parted)) > 1e-5  # so that the involutes matter


def test_statics_modes_and_inverse_dynamics() -> None:
    model = gear_pair()
    model.joint_spring("spring", "second", stiffness=500.0)
    frequency = fx.modes_of_model(model).shown[0].frequency
    assert frequency == pytest.approx(np.sqrt(500 / (0.18 + 9 * 0.02)) / (2 * pi), rel=1e-9)
    model.analysis(type="static", end=1.0)
    at_rest = fx.run(model)
    assert at_rest["joints/second/position"][0] == pytest.approx(-9.0 / 500.0, rel=1e-9)
    assert at_rest["joints/second/force"][0] == pytest.approx([-75 * tan(radians(20)), -75.0, 0.0], rel=1e-9)
    driven = gear_pair("absolute", 0.0)
    driven.motion("drive", fx.expression("2*sin(3*t)"), joint="first")
    with inverse(driven) as found:
        torque = found.drives[0].effort
        time = found.result["time"]
    # (J1 + J2/9) angle'' of the drive
    np.testing.assert_allclose(torque, -0.04 * 18.0 * np.sin(3 * time), rtol=0, atol=1e-9)


def test_symbols_equal_numbers() -> None:
    """Mass matrix, forces and rows at random states; teeth of rigid wheels are sums of joint coordinates."""
    for model in (
        gear_pair(helix_angle=0.2),
        rack(),
        planetary(),
        planetary(ring="body"),
        _three("differential", "joint")[0],
    ):
        assert difference(model.identity, 1) < 1e-12


def test_what_symbols_leave_out_is_rejected() -> None:
    with pytest.raises(InputError, match="'teeth' have no symbolic form where bodies are flexible"):
        equations_of(geared_shafts(), order=1)
    with pytest.raises(InputError, match="acts on joint 'first', which is a chord"):
        equations_of(gear_pair("absolute"))
