"""Loads on flexible bodies: static deflections in closed form, stiffening by end forces, work and energy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import eigh, null_space
from scipy.optimize import brentq

from flexmb.equations import programs
from flexmb.layout import flat_arrays as L
from tests.support.flexible_models import (
    ALL_SHAPES,
    FIELDS,
    FLAT_BAR,
    ROUND_BAR,
    SOFT,
    FlatBeams,
    at_rest,
    beam,
    free_beam,
    pair_of_beams,
)
from tests.support.mechanisms import spec_of
from tests.support.reduced_bodies import basis_of_body
from tests.support.runs import Run

E, WIDE, HIGH = SOFT["E"], FLAT_BAR["y"], FLAT_BAR["z"]
EIZ, EIY, EA = E * HIGH * WIDE**3 / 12.0, E * WIDE * HIGH**3 / 12.0, E * WIDE * HIGH
LINE_MASS = SOFT["density"] * WIDE * HIGH
ELEMENTS = {"family": "elements", "elements": 2, "bending": "all", "axial": "all", "torsion": "all"}
FRAMES = ("start", "end", "chord", "mean")


def cantilever(forces: dict[str, Any], **keys: Any) -> dict[str, Any]:
    """A beam of 1 m along x, clamped at its start."""
    markers = {"beyond": {"at": [1.3, 0, 0]}, "beside": {"at": [1.0, 0.1, 0]}, "middle": {"along": 0.5}}
    body = beam([0, 0, 0], [1, 0, 0], y_axis="y", markers=markers, **{"shapes": ELEMENTS, "frame": "start", **keys})
    return {
        "bodies": {"beam": body},
        "joints": {"clamp": {"type": "fixed", "bodies": ["ground", "beam"], "at": [0, 0, 0]}},
        "forces": forces,
        "sensors": {name: {"marker": f"beam.{name}"} for name in ("end", *markers)},
    }


GJ = 2.0e6 * basis_of_body(spec_of(cantilever({})), "beam").spans[0].section.J
P = 1e-5
TIP = {"marker": "beam.end"}
STATIC: dict[str, tuple[dict[str, Any], str, list[float]]] = {
    "force along y": ({"type": "force", **TIP, "vector": [0, P, 0]}, "beyond", [0, P * (1 / 3 + 0.3 / 2) / EIZ, 0]),
    "force along z": ({"type": "force", **TIP, "vector": [0, 0, P]}, "beyond", [0, 0, P * (1 / 3 + 0.3 / 2) / EIY]),
    "force along x": ({"type": "force", **TIP, "vector": [P, 0, 0]}, "beyond", [P / EA, 0, 0]),
    "torque about z": ({"type": "torque", **TIP, "vector": [0, 0, P]}, "beyond", [0, P * (1 / 2 + 0.3) / EIZ, 0]),
    "torque about y": ({"type": "torque", **TIP, "vector": [0, P, 0]}, "beyond", [0, 0, -P * (1 / 2 + 0.3) / EIY]),
    "torque about x": ({"type": "torque", **TIP, "vector": [P, 0, 0]}, "beside", [0, 0, 0.1 * P / GJ]),
    "force beside the axis": (
        {"type": "force", "marker": "beam.beside", "vector": [P, 0, 0]},
        "end",
        [P / EA, -0.1 * P / (2.0 * EIZ), 0],
    ),
    "force at the middle": (
        {"type": "force", "marker": "beam.middle", "vector": [0, P, 0]},
        "beyond",
        [0, P * 0.5**2 * (3.0 - 0.5) / (6.0 * EIZ) + 0.3 * P * 0.5**2 / (2.0 * EIZ), 0],
    ),
    "distributed": (
        {"type": "distributed-force", "body": "beam", "vector": [0, P, 0]},
        "beyond",
        [0, P * (1 / 8 + 0.3 / 6) / EIZ, 0],
    ),
    "distributed on the outer half": (
        {"type": "distributed-force", "body": "beam", "vector": [0, 0, P], "from": 0.5},
        "beyond",
        [0, 0, P * (3.0 - 4.0 * 0.5**3 + 0.5**4) / (24.0 * EIY) + 0.3 * P * (1.0 - 0.5**3) / (6.0 * EIY)],
    ),
}


@pytest.mark.parametrize("field", ["exact", "full", "linear"])
@pytest.mark.parametrize("case", STATIC)
def test_small_static_deflections(case: str, field: str) -> None:
    """Cubic elements are exact at their nodes, with slopes s below 1e-6: what remains are movements of s^2."""
    load, sensor, wanted = STATIC[case]
    flat = FlatBeams(cantilever({"load": load}, **FIELDS[field]))
    start = np.array({"end": [1, 0, 0], "beside": [1, 0.1, 0], "beyond": [1.3, 0, 0]}[sensor], float)
    found = at_rest(flat)[f"sensors/{sensor}"] - start
    size = np.abs(wanted).max()
    assert size > 3e-11
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-7 * size + 10.0 * size**2 + 5e-16)


@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize("frame", FRAMES)
def test_static_deflection_in_every_frame(frame: str, field: str) -> None:
    """A clamped end that is a flexible marker of the frame: the joint turns and shifts it."""
    forces = {"load": {"type": "force", **TIP, "vector": [0, P, 2 * P]}}
    flat = FlatBeams(cantilever(forces, shapes={"bending": 2}, frame=frame, **FIELDS[field]))
    found = at_rest(flat)["sensors/end"] - [1.0, 0.0, 0.0]
    wanted = [0, P / (3 * EIZ), 2 * P / (3 * EIY)]
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-7 * P / EIY + 3.0 * wanted[2] ** 2)


def elastica(load: float) -> list[float]:
    """End of a cantilever of unit length under an end force across, load = P L^2/EI: theta'' = -load cos(theta)."""

    def shoot(bend: float) -> np.ndarray:
        def rates(_: float, y: np.ndarray) -> list[float]:
            return [y[1], -load * np.cos(y[0]), np.cos(y[0]), np.sin(y[0])]

        return solve_ivp(rates, (0.0, 1.0), [0.0, bend, 0.0, 0.0], rtol=1e-11, atol=1e-12).y[:, -1]

    bend = brentq(lambda bend: shoot(bend)[1], 0.0, 2.0 * load, xtol=1e-13)
    return [*shoot(bend)[2:], 0.0]


@pytest.mark.parametrize("load", [0.5, 1.0, 2.0])
@pytest.mark.parametrize("frame", ["start", "chord"])
def test_large_deflection_of_a_cantilever(load: float, frame: str) -> None:
    """The elastica by six shapes of the exact field, up to a deflection of half the length."""
    forces = {"load": {"type": "force", **TIP, "vector": [0, load * EIZ, 0]}}
    flat = FlatBeams(cantilever(forces, shapes={"bending": {"y": 6}}, frame=frame))
    found, wanted = at_rest(flat)["sensors/end"], elastica(load)
    # Found: 2e-12, 7e-10 and 1.4e-7 for the three loads.
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-6)
    if load == 1.0:
        assert wanted == pytest.approx([1.0 - 0.05643, 0.30172, 0.0], abs=1e-5)  # Bisshopp and Drucker 1945


def test_a_spring_pulls_the_ends_of_two_beams_together() -> None:
    """Two cantilevers side by side, a stretched spring between their ends: each bends by F L^3/3EI, and F is the
    stiffness times what is left of the elongation."""
    stiffness, gap, free = 30.0, 0.5, 0.49
    data = cantilever({}, shapes={"bending": {"y": 2}})
    data["bodies"]["other"] = beam([0, gap, 0], [1, gap, 0], y_axis="y", shapes={"bending": {"y": 2}}, frame="chord")
    data["joints"]["other"] = {"type": "fixed", "bodies": ["ground", "other"], "at": [0, gap, 0]}
    data["forces"]["spring"] = {
        "type": "spring-damper",
        "markers": ["beam.end", "other.end"],
        "stiffness": stiffness,
        "length": free,
    }
    data["sensors"]["tension"] = {"force": "spring"}
    out = at_rest(FlatBeams(data))
    tension = stiffness * (gap - free) / (1.0 + 2.0 * stiffness / (3.0 * EIZ))
    # Slopes of 0.006 make the beams nonlinear by their squares.
    assert out["sensors/tension"][0] == pytest.approx(tension, rel=2e-5)
    assert out["sensors/end"][1] == pytest.approx(tension / (3.0 * EIZ), rel=1e-4)
    assert out["joints/clamp/force"][1] == pytest.approx(-tension, rel=2e-5)


# Loads at flexible markers, any state


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("field", FIELDS)
def test_weight_is_a_distributed_force(field: str, frame: str) -> None:
    """Gravity and a force of rho A g along the beam: the same forces on all coordinates at a bent state."""
    gravity = np.array([1.0, -2.0, -9.0])
    family = "modes" if frame == "chord" else "monomials"
    keys = {**FIELDS[field], "frame": frame, "shapes": {"family": family, "bending": 3, "torsion": 1}}
    forces = {"weight": {"type": "distributed-force", "body": "beam", "vector": (LINE_MASS * gravity).tolist()}}
    bare = free_beam(**keys) | {"model": {"gravity": [0, 0, 0]}}
    none, heavy, loaded = (FlatBeams(data) for data in (bare, free_beam(**keys), bare | {"forces": forces}))
    q, v = none.random_state(np.random.default_rng(1), slope=0.3)
    weight, force = (flat.evaluate(q, v)["h"] - none.evaluate(q, v)["h"] for flat in (heavy, loaded))
    # Polynomials are integrated exactly, waves by the points that suffice for their run.
    assert np.abs(weight - force).max() < (1e-4 if family == "modes" else 1e-12) * np.abs(weight).max()


LOADS: dict[str, dict[str, Any]] = {
    "force": {"type": "force", "marker": "beam.beside", "vector": [3.0, -1.0, 2.0]},
    "follower force": {"type": "force", "marker": "beam.beside", "vector": [3.0, -1.0, 2.0], "axes": "marker"},
    "torque": {"type": "torque", "marker": "beam.beside", "vector": [0.3, -1.0, 0.2]},
    "follower torque": {"type": "torque", "marker": "beam.beside", "vector": [0.3, -1.0, 0.2], "axes": "marker"},
    "damper": {"type": "spring-damper", "markers": ["beam.beside", "ground"], "damping": 2.0},
    "tendon": {"type": "spring-damper", "markers": ["beam.beside", "beam.origin"], "damping": 2.0},
    "line": {"type": "distributed-force", "body": "beam", "vector": [1.0, 2.0, 3.0], "from": 0.2, "to": 0.7},
    "follower line": {"type": "distributed-force", "body": "beam", "vector": [1.0, 2.0, 3.0], "axes": "section"},
}


@pytest.mark.parametrize("field", ["exact", "full", "linear"])
@pytest.mark.parametrize("load", LOADS)
def test_generalised_forces_do_the_work_that_the_load_reports(load: str, field: str) -> None:
    """Power on the coordinates = power of the load's work channel = force times velocity of its marker."""
    keys = {**FIELDS[field], "markers": {"beside": {"at": [0.7, 0.06, -0.04], "axis": [1, 2, 3]}}}
    bare, loaded = FlatBeams(free_beam(**keys)), FlatBeams(free_beam(**keys) | {"forces": {"load": LOADS[load]}})
    q, v = bare.random_state(np.random.default_rng(2), slope=0.3)
    power = v @ (bare.evaluate(q, v)["h"] - loaded.evaluate(q, v)["h"])
    loaded.set(q, v, np.zeros(loaded.n))
    loaded.run(programs.powers)
    assert loaded.get(L.POWER, 1)[0] == pytest.approx(power, rel=1e-12)
    if LOADS[load]["type"] in ("force", "torque"):
        number = loaded.system.mechanism.marker_index["beam.beside"]
        loaded.run(programs.kinematics, 0)
        loaded.run(programs.marker_state, number)
        R = loaded.marker("beam.beside", L.S_R, 9).reshape(3, 3)
        vector = np.array(LOADS[load]["vector"])
        vector = R @ vector if LOADS[load].get("axes") == "marker" else vector
        rate = loaded.marker("beam.beside", L.S_V if LOADS[load]["type"] == "force" else L.S_W, 3)
        assert vector @ rate == pytest.approx(power, rel=1e-12)


@pytest.mark.parametrize("kind", ["revolute", "prismatic", "universal", "screw"])
def test_joint_loads_between_beams_act_alike_on_branch_and_chord(kind: str) -> None:
    """Spring, friction and actuator on a coordinate of a joint of two flexible markers."""
    rng = np.random.default_rng(3)
    data = pair_of_beams(rng, kind, frame="chord")
    on = {"joint": "link", "coordinate": {"universal": "angle2", "prismatic": "slide"}.get(kind, "angle")}
    data["forces"] = {
        "spring": {"type": "joint-spring", **on, "stiffness": 30.0, "damping": 2.0},
        "rub": {"type": "friction", **on, "viscous": 1.5},
        "motor": {"type": "actuator", **on, "effort": 4.0},
    }
    branch = FlatBeams(data | {"coordinates": {"absolute": ["one"]}})
    branch.set(*branch.random_state(rng, slope=0.3))
    chord = FlatBeams(data | {"coordinates": {"default": "absolute"}})
    chord.take_state(branch)
    wanted, found = branch.accelerate(), chord.accelerate()
    for path in ("sensors/one_acceleration", "sensors/two_acceleration", "joints/link/force", "joints/link/moment"):
        size = max(1.0, np.abs(wanted[path]).max())
        np.testing.assert_allclose(found[path], wanted[path], rtol=0, atol=1e-9 * size)


# Stiffening


def frequencies(field: str, end_force: float, order: int = 3) -> np.ndarray:
    """Squares of the natural frequencies of a beam between two pins, one of which slides, under an end force [1/s^2].

    Small motions about the straight beam, whose sliding pin holds nothing in equilibrium: the multipliers are zero, and
    K is the derivative of the residual.
    """
    keys = {**FIELDS[field], "section": ROUND_BAR, "shapes": {"family": "modes", "bending": {"y": order}}}
    data = {
        "bodies": {"beam": beam([0, 0, 0], [1, 0, 0], y_axis="y", frame="chord", **keys)},
        "joints": {
            "pin": {"type": "revolute", "bodies": ["ground", "beam"], "at": [0, 0, 0], "axis": "z"},
            "slider": {"type": "pin-in-slot", "bodies": ["ground", "beam"], "at": [1, 0, 0], "axis": "z", "slot": "x"},
        },
        "forces": {"pull": {"type": "force", "marker": "beam.end", "vector": [end_force, 0, 0]}},
        "coordinates": {"chords": ["slider"]},
    }
    flat = FlatBeams(data)
    zero, q, step = np.zeros(flat.n), flat.system.q0.copy(), 1e-4
    terms = flat.evaluate(q, zero)
    assert np.abs(terms["h"]).max() < 1e-9 * (1.0 + abs(end_force))
    columns = [flat.residual(flat.moved(q, step * e), zero, zero) for e in np.eye(flat.n)]
    mirror = [flat.residual(flat.moved(q, -step * e), zero, zero) for e in np.eye(flat.n)]
    K = (np.array(columns) - np.array(mirror)).T / (2.0 * step)
    rows = terms["G"][np.linalg.norm(terms["G"], axis=1) > 1e-12]
    N = null_space(rows)
    return eigh(N.T @ (K + K.T) @ N / 2.0, N.T @ terms["M"] @ N, eigvals_only=True)


EI_ROUND = E * np.pi * ROUND_BAR["radius"] ** 4 / 4.0
EULER = np.pi**2 * EI_ROUND
FREE_SQUARES = (np.arange(1, 4) * np.pi) ** 4 * EI_ROUND / (SOFT["density"] * np.pi * ROUND_BAR["radius"] ** 2)


@pytest.mark.parametrize("part", [0.7, -0.5, -0.99, -1.01])
@pytest.mark.parametrize("field", ["exact", "full", "order 2", "order 1"])
def test_an_end_force_stiffens_a_beam(field: str, part: float) -> None:
    """Beam-column: w_k^2 (1 + P/(k^2 P_Euler)); beyond the Euler load the beam buckles. Arms of second order do it."""
    found = frequencies(field, part * EULER)
    wanted = FREE_SQUARES * (1.0 + part / np.arange(1, 4) ** 2)
    # Differences over 1e-4 of the length leave 1e-7 (of the third sine 5e-7), the stations of the sines another 1e-7.
    assert np.all(np.abs(found - wanted) < 2e-6 * FREE_SQUARES)


def test_an_end_force_does_not_stiffen_a_linear_field() -> None:
    """First-order arms: the beam neither stiffens nor buckles, the paper's error of the first kind."""
    for part in (0.7, -1.5):
        np.testing.assert_allclose(frequencies("linear", part * EULER), FREE_SQUARES, rtol=1e-6)


# Work and energy


@pytest.mark.parametrize("field", ["exact", "full"])
@pytest.mark.parametrize("damping", [{"ratio": 0.05}, {"mass": 0.5, "stiffness": 0.002}])
def test_work_channels_balance_the_energy_of_a_damped_beam(field: str, damping: dict[str, Any]) -> None:
    """A swinging beam with every kind of load: energy gained = work of loads, dampers and modal damping."""
    forces = {
        "push": {"type": "force", "marker": "beam.tip", "vector": ["5*sin(20*t)", 0, 4], "axes": "marker"},
        "twist": {"type": "torque", "marker": "beam.end", "vector": [0.2, "0.5*t", 0]},
        "wind": {"type": "distributed-force", "body": "beam", "vector": [0, "6*cos(9*t)", 3], "from": 0.3},
        "tie": {"type": "spring-damper", "markers": ["ground", "beam.tip"], "stiffness": 50, "damping": 3, "length": 1},
    }
    marker = {"tip": {"at": [0.9, 0.05, 0.03]}}
    body = beam(
        [0, 0, 0], [1, 0, 0], damping=damping, markers=marker, shapes=ALL_SHAPES | {"bending": 3}, **FIELDS[field]
    )
    data = {
        "model": {"gravity": [0, 0, -9.81]},
        "bodies": {"beam": body},
        "joints": {"pin": {"type": "spherical", "bodies": ["ground", "beam"], "at": [0, 0, 0]}},
        "forces": forces,
    }
    run = Run(data, end=0.3, method="rk45", tolerance=1e-9)
    energy = run["energy/kinetic"] + run["energy/potential"]
    names = ("push", "twist", "wind", "tie", "beam damping")
    works = {name: run[f"energy/work/{name}"] for name in names}
    assert set(works) | {"total"} == {
        channel.path.removeprefix("energy/work/") for channel in run.system.channels if "/work/" in channel.path
    }
    assert np.allclose(sum(works.values()), run["energy/work/total"], atol=1e-12)
    assert np.all(np.diff(works["beam damping"]) <= 0.0) and works["beam damping"][-1] < -0.05
    size = np.abs(energy).max()
    assert np.abs(energy - energy[0] - run["energy/work/total"]).max() < 1e-8 * size


def test_a_damped_vibration_decays_as_its_ratio_says() -> None:
    """One mode with ratio z in its own frame: amplitude exp(-z w t), rate of the energy -2 z w of the kinetic part."""
    ratio, amplitude = 0.03, 1e-4
    body = beam([0, 0, 0], [1, 0, 0], y_axis="y", frame="start", damping={"ratio": ratio}, section=ROUND_BAR)
    body |= {"shapes": {"family": "modes", "bending": {"y": 1}}, "elastic_position": [amplitude]}
    data = {
        "bodies": {"beam": body},
        "joints": {"clamp": {"type": "fixed", "bodies": ["ground", "beam"], "at": [0, 0, 0]}},
    }
    first = 3.516015 * np.sqrt(EI_ROUND / (SOFT["density"] * np.pi * ROUND_BAR["radius"] ** 2))
    run = Run(data, end=3.0, method="rk45", tolerance=1e-10)
    t, damped = run["time"], first * np.sqrt(1.0 - ratio**2)
    wanted = np.exp(-ratio * first * t) * (np.cos(damped * t) + ratio * first / damped * np.sin(damped * t))
    assert first * t[-1] > 10.0
    # 1e-6 of the published 3.516 over the phase; slopes of 1e-4 are linear to 1e-8.
    np.testing.assert_allclose(
        run["bodies/beam/elastic_position"][:, 0], amplitude * wanted, rtol=0, atol=1e-5 * amplitude
    )


@pytest.mark.parametrize("base", ["shaken", "turned"])
def test_a_moving_base_works_on_a_beam(base: str) -> None:
    """The base's work is the energy that a flexible pendulum gains from it."""
    motions = {
        "shaken": {"acceleration": ["3*sin(15*t)", "2*cos(9*t)", 1.0]},
        "turned": {"rotation": {"axis": "z", "angle": "2*t + t^2"}},
    }
    body = beam([0.3, 0, 0], [1.3, 0, 0], shapes=ALL_SHAPES | {"bending": 3})
    data = {
        "model": {"gravity": [0, 0, -9.81]},
        "bodies": {"beam": body},
        "joints": {"pin": {"type": "universal", "bodies": ["ground", "beam"], "at": [0.3, 0, 0], "axes": ["y", "z"]}},
        "base": motions[base],
    }
    run = Run(data, end=0.3, method="rk45", tolerance=1e-9)
    energy = run["energy/kinetic"] + run["energy/potential"]
    assert np.abs(run["energy/work/base"]).max() > 0.05 * np.ptp(energy)
    assert np.abs(energy - energy[0] - run["energy/work/base"]).max() < 1e-8 * np.abs(energy).max()


def test_an_accelerated_base_is_weight() -> None:
    """A base that accelerates by -g moves a beam as gravity g does, seen from the base."""
    gravity = [1.0, -2.0, -9.0]
    keys = {"shapes": ALL_SHAPES | {"bending": 3}}
    pin = {"type": "spherical", "bodies": ["ground", "beam"], "at": [0, 0, 0]}
    still = {"bodies": {"beam": beam([0, 0, 0], [1, 0, 0], **keys)}, "joints": {"pin": pin}}
    heavy = FlatBeams(still | {"model": {"gravity": gravity}})
    moved = FlatBeams(still | {"base": {"acceleration": [-g for g in gravity]}})
    q, v = heavy.random_state(np.random.default_rng(4))
    np.testing.assert_allclose(heavy.evaluate(q, v)["h"], moved.evaluate(q, v)["h"], rtol=0, atol=1e-11)


# Deflection sensors


@pytest.mark.parametrize("frame", FRAMES)
def test_deflection_is_measured_from_the_chord(frame: str) -> None:
    """Marker minus its place on the chord, in world axes whatever the frame."""
    data = free_beam(frame=frame, markers={"third": {"along": 0.3}})
    data["sensors"] = {name: {"marker": f"beam.{name}"} for name in ("origin", "end", "third")}
    data["sensors"] |= {"bow": {"deflection": "beam.third"}, "bow_y": {"deflection": "beam.third", "component": "y"}}
    flat = FlatBeams(data)
    flat.set(*flat.random_state(np.random.default_rng(5), slope=0.3), np.zeros(flat.n))
    out = {name: flat.output()[f"sensors/{name}"] for name in data["sensors"]}
    wanted = out["third"] - (0.7 * out["origin"] + 0.3 * out["end"])
    assert np.linalg.norm(wanted) > 0.01
    np.testing.assert_allclose(out["bow"], wanted, rtol=0, atol=1e-14)
    assert out["bow_y"][0] == pytest.approx(wanted[1], abs=1e-14)


@pytest.mark.parametrize("frame", FRAMES)
def test_deflection_in_body_axes_is_that_of_the_chord(frame: str) -> None:
    """Axes of the chord: along it from end A to end B. The deflection of a bow that small turns leave across it."""
    data = free_beam(frame=frame, markers={"third": {"along": 0.3}})
    data["sensors"] = {name: {"marker": f"beam.{name}"} for name in ("origin", "end")}
    data["sensors"] |= {"world": {"deflection": "beam.third"}, "body": {"deflection": "beam.third", "axes": "body"}}
    flat = FlatBeams(data)
    flat.set(*flat.random_state(np.random.default_rng(5), slope=0.3), np.zeros(flat.n))
    out = {name: flat.output()[f"sensors/{name}"] for name in data["sensors"]}
    along = (out["end"] - out["origin"]) / np.linalg.norm(out["end"] - out["origin"])
    assert np.linalg.norm(out["body"]) == pytest.approx(np.linalg.norm(out["world"]), rel=1e-12)
    assert out["body"][0] == pytest.approx(along @ out["world"], abs=1e-13)
