"""One motion, many descriptions: coordinates, trees, frames, directions of a beam, stiff and rigid limits, momentum."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from flexmb.bodies.flexible_body import FlexibleBody
from flexmb.bodies.quadratic_beam import quadratic_field, quadratic_marker
from flexmb.layout import flat_arrays as L
from tests.support.flexible_models import (
    ALL_SHAPES,
    FIELDS,
    FLAT_BAR,
    LUMP,
    ROUND_BAR,
    SOFT,
    FlatBeams,
    beam,
    momentum,
    pair_of_beams,
)
from tests.support.mechanisms import TREE_JOINTS
from tests.support.runs import Run

ABSOLUTE = {"coordinates": {"default": "absolute"}}


def close(found: np.ndarray, wanted: np.ndarray, rounding: float = 1e-9) -> None:
    """Equal to some round-off of the largest entry: the condition of the equations times 1e-16."""
    np.testing.assert_allclose(found, wanted, rtol=0, atol=rounding * max(np.abs(wanted).max(), 1.0))


# The same accelerations and reactions at the same state


@pytest.mark.parametrize(("field", "reverse"), [("exact", False), ("exact", True), ("full", False)])
@pytest.mark.parametrize("kind", [kind for kind in TREE_JOINTS if kind != "free"])
def test_a_joint_of_two_beams_is_the_same_as_branch_and_as_chord(kind: str, field: str, reverse: bool) -> None:
    """Every joint between flexible markers: state, accelerations and reactions of both formulations."""
    rng = np.random.default_rng(11)
    data = pair_of_beams(rng, kind, reverse, **FIELDS[field], frame="chord")
    branch = FlatBeams(data | {"coordinates": {"absolute": ["one"]}})
    branch.set(*branch.random_state(rng, slope=0.3))
    chord = FlatBeams(data | ABSOLUTE)
    chord.take_state(branch)
    terms = chord.evaluate(chord.get(L.Q, chord.system.n_q).copy(), chord.get(L.V, chord.n).copy())
    assert np.abs(terms["phi"]).max() < 1e-12
    assert np.abs(terms["phi_dot"]).max() < 1e-11
    assert np.linalg.matrix_rank(terms["G"]) == chord.n - branch.n
    wanted, found = branch.accelerate(), chord.accelerate()
    for name in ("one", "two"):
        for quantity in ("position", "velocity", "acceleration"):
            close(found[f"sensors/{name}_{quantity}"], wanted[f"sensors/{name}_{quantity}"])
        close(found[f"bodies/{name}/elastic_acceleration"], wanted[f"bodies/{name}/elastic_acceleration"])
    for part in ("force", "moment"):
        close(found[f"joints/link/{part}"], wanted[f"joints/link/{part}"])
    for part in ("kinetic", "potential", "strain"):
        assert found[f"energy/{part}"] == pytest.approx(wanted[f"energy/{part}"], rel=1e-12)


PINS = (
    ("revolute", {"axis": "z"}),
    ("spherical", {}),
    ("universal", {"axes": ["x", "z"]}),
    ("revolute", {"axis": "z"}),
)
TREES: dict[str, dict[str, Any]] = {
    "joint": {},
    "cut at 0": {"chords": ["pin0"]},
    "cut at 2": {"chords": ["pin2"]},
    "cut at 3": {"chords": ["pin3"]},
    "absolute": {"default": "absolute"},
    "mixed": {"absolute": ["coupler"]},
}


def four_bar(coordinates: dict[str, Any], keys: dict[str, Any] | None = None) -> dict[str, Any]:
    """A spatial four-bar of three beams, driven at a varying rate."""
    points = [[0, 0, 0], [0.1, 0.4, 0.1], [1.0, 0.7, 0.0], [1.0, 0, 0]]
    names = ["crank", "coupler", "rocker"]
    ends = ["ground", *names, "ground"]
    shapes = ALL_SHAPES | {"bending": 3}
    joints = {
        f"pin{k}": {"type": kind, "bodies": ends[k : k + 2], "at": points[k], **extra}
        for k, (kind, extra) in enumerate(PINS)
    }
    middle = {"marker": "coupler.middle"}
    return {
        "model": {"name": "four-bar", "gravity": [0, -9.81, 0]},
        "bodies": {
            name: beam(
                points[k], points[k + 1], markers={"middle": {"along": 0.4}}, **{"shapes": shapes, **(keys or {})}
            )
            for k, name in enumerate(names)
        },
        "joints": joints,
        "motions": {"drive": {"joint": "pin0", "expression": "2*t + 3*t^2"}},
        "coordinates": coordinates,
        "sensors": {"middle": middle, "acceleration": middle | {"quantity": "acceleration"}},
    }


def assembled(data: dict[str, Any], seed: int, slope: float) -> FlatBeams:
    """A random state that closes the loops at t = 0, found by Newton's method."""
    flat = FlatBeams(data)
    q, v = flat.random_state(np.random.default_rng(seed), slope)
    for _ in range(20):
        terms = flat.evaluate(q, v)
        q = flat.moved(q, -np.linalg.pinv(terms["G"]) @ terms["phi"])
    terms = flat.evaluate(q, v)
    flat.set(q, v - np.linalg.pinv(terms["G"]) @ terms["phi_dot"])
    assert np.abs(terms["phi"]).max() < 1e-13
    return flat


@pytest.mark.parametrize("tree", TREES)
def test_a_loop_of_beams_accelerates_alike_in_all_coordinates(tree: str) -> None:
    """Accelerations, all reactions and the drive torque, from one state that is measured in every tree."""
    first = assembled(four_bar(TREES["joint"]), 12, slope=0.2)
    wanted = first.accelerate()
    other = FlatBeams(four_bar(TREES[tree]))
    other.take_state(first)
    found = other.accelerate()
    paths = ["sensors/acceleration", "motions/drive/effort", "energy/kinetic", "energy/potential"]
    paths += [f"bodies/{name}/elastic_acceleration" for name in ("crank", "coupler", "rocker")]
    paths += [f"joints/pin{k}/{part}" for k in range(4) for part in ("force", "moment")]
    for path in paths:
        close(found[path], wanted[path])


def test_a_loop_of_beams_moves_alike_in_all_coordinates() -> None:
    """Trajectories of a material point: 0.15 s of explicit integration to a local error of 1e-9."""
    runs = {
        tree: Run(
            four_bar(TREES[tree], {"shapes": {"bending": 3}, "section": ROUND_BAR, "rotary_inertia": True}),
            end=0.15,
            method="rk45",
            tolerance=1e-9,
            formulation="embedding",
        )
        for tree in ("joint", "absolute", "mixed")
    }
    wanted = runs["joint"]["sensors/middle"]
    assert np.abs(wanted - wanted[0]).max() > 0.1
    assert np.abs(runs["joint"]["bodies/coupler/elastic_position"]).max() > 0.005
    for tree in ("absolute", "mixed"):
        # A hundred local errors of 1e-9 that may add up.
        assert np.allclose(runs[tree]["sensors/middle"][-1], wanted[-1], rtol=0, atol=1e-7)


def test_a_modal_body_with_the_matrices_of_a_beam_moves_as_the_beam() -> None:
    """Invariants and marker shapes are all that the equations need: the same accelerations to round-off."""
    # A round section: the cubic energy of twist and unequal bending stiffness is no part of a modal body.
    data = four_bar({}, FIELDS["order 2"] | {"frame": "start", "section": ROUND_BAR})
    first = FlatBeams(data)
    coupler = first.body("coupler")
    assert coupler.basis is not None
    invariants = quadratic_field(coupler.basis, 2)
    keys = ("S0", "P0", "S1", "N1", "N2", "S2", "X", "N3")
    table = {key: getattr(invariants, key).tolist() for key in keys} | {"mass": coupler.mass}
    table["K"] = coupler.stiffness.tolist()
    other = {key: value for key, value in data.items() if key != "bodies"} | {"bodies": dict(data["bodies"])}
    markers = {}
    for name, place in (("A", 0.0), ("B", coupler.length), ("middle", 0.4 * coupler.length)):
        shapes = quadratic_marker(coupler.basis, np.array([place, 0.0, 0.0]), 2)
        arrays = {key: getattr(shapes, key).tolist() for key in ("Phi", "Theta", "G", "Gamma")}
        markers[name] = {"at": [place, 0.0, 0.0], **arrays}
    other["bodies"]["coupler"] = {"modal": table, "at": coupler.p_wb.tolist(), "orientation": coupler.R_wb.tolist()}
    other["bodies"]["coupler"]["markers"] = markers
    # The joints stand at its own markers, with the frames that the beam's joints have.
    mechanism = first.system.mechanism
    other["joints"] = dict(data["joints"])
    for joint, end, neighbour in (("pin1", "A", "crank"), ("pin2", "B", "rocker")):
        placed = mechanism.joints[mechanism.joint_index[joint]]
        pair = [mechanism.markers[number] for number in (placed.first, placed.second)]
        own = next(marker for marker in pair if mechanism.bodies[marker.body].name == "coupler")
        far = next(marker for marker in pair if mechanism.bodies[marker.body].name == neighbour)
        markers[end]["orientation"] = own.R_b.tolist()
        other["bodies"][neighbour] = dict(other["bodies"][neighbour])
        near = {"at": far.p_b.tolist(), "orientation": far.R_b.tolist()}
        other["bodies"][neighbour]["markers"] = other["bodies"][neighbour]["markers"] | {"joint": near}
        names = {"coupler": f"coupler.{end}", neighbour: f"{neighbour}.joint"}
        ends = [names[mechanism.bodies[marker.body].name] for marker in pair]
        other["joints"][joint] = {"type": placed.type.name, "markers": ends}
    second = FlatBeams(other)
    q, v = first.random_state(np.random.default_rng(13), slope=0.02)
    first.set(q, v)
    second.set(q, v)
    wanted, found = first.accelerate(), second.accelerate()
    assert isinstance(second.body("coupler"), FlexibleBody) and second.body("coupler").basis is None
    close(found["bodies/coupler/elastic_acceleration"], wanted["bodies/coupler/elastic_acceleration"])
    close(found["sensors/acceleration"], wanted["sensors/acceleration"])


# Frames and directions


def pendulum(frame: str, shapes: Any, direction: int = 1, field: str = "exact", **keys: Any) -> dict[str, Any]:
    """A soft round beam with a heavy end, thrown about a ball joint; end A or B stands at the joint."""
    points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]][::direction]
    lump = {"at": 1.0 if direction == 1 else 0.0, "mass": 1.0, "inertia": [0.003, 0.003, 0.003]}
    tip = "end" if direction == 1 else "start"
    body = beam(*points, frame=frame, y_axis="y", masses=[lump], **FIELDS[field])
    body |= {"section": ROUND_BAR, "shapes": shapes, "markers": {"middle": {"along": 0.5}}, **keys}
    pin = {"type": "spherical", "bodies": ["ground", "beam"], "at": [0, 0, 0], "velocity": [0.0, 1.0, 2.0]}
    return {
        "model": {"name": "pendulum", "gravity": [0, 0, -9.81]},
        "bodies": {"beam": body},
        "joints": {"pin": pin},
        "sensors": {
            "tip": {"marker": f"beam.{tip}"},
            "bow": {"deflection": "beam.middle"},
            "acceleration": {"marker": "beam.middle", "quantity": "acceleration"},
            "force": {"reaction": "pin", "component": "force"},
        },
        "output": {"every": 0.05},
    }


def swing(data: dict[str, Any]) -> Run:
    return Run(data, end=0.4, method="rk45", tolerance=1e-9)


def test_the_motion_does_not_depend_on_the_frame() -> None:
    """Tangent, chord and mean-axis frames of one polynomial space: tip positions over 0.4 s, exact field.

    A curve in one frame is a polynomial of the same degree in another, up to its foreshortening: the frames differ by a
    small part of what the truncated shapes leave out, and ever less with more shapes (found: 2e-5 m for 3 shapes,
    2e-6 m for 4, against truncation errors of 5e-4 and 8e-5 m).
    """
    gaps, tips = [], []
    for shapes in (3, 4, 5):
        runs = {frame: swing(pendulum(frame, shapes)) for frame in ("chord", "start", "end", "mean")}
        tip = runs["chord"]["sensors/tip"]
        assert np.abs(runs["chord"]["sensors/bow"]).max() > 0.02
        gaps.append(max(np.abs(run["sensors/tip"] - tip).max() for run in runs.values()))
        tips.append(tip)
    truncation = [np.abs(tip - tips[2]).max() for tip in tips[:2]]
    assert gaps[0] < 5e-5 and gaps[1] < 5e-6
    assert gaps[0] < 0.1 * truncation[0] and gaps[1] < 0.1 * truncation[1]


def test_the_motion_of_a_linear_field_depends_on_the_frame() -> None:
    """What the test above would see: without foreshortening the tip is off by some 1e-3 m from frame to frame."""
    tips = [swing(pendulum(frame, 3, field="linear"))["sensors/tip"] for frame in ("start", "chord")]
    assert np.abs(tips[0] - tips[1]).max() > 1e-3


REVERSED: dict[str, tuple[str, str, str, dict[str, Any]]] = {
    "start": ("exact", "start", "end", {}),
    "end": ("exact", "end", "start", {}),
    "start with all shapes": ("exact", "start", "end", {"section": FLAT_BAR, "shapes": ALL_SHAPES | {"bending": 3}}),
    "chord": ("exact", "chord", "chord", {}),
    "mean": ("exact", "mean", "mean", {}),
    "full": ("full", "start", "end", {"section": FLAT_BAR, "shapes": ALL_SHAPES | {"bending": 3}}),
    "order 1": ("order 1", "end", "start", {"material": SOFT | {"E": 2e8}}),  # stiff: bows of less than 1 %
}


@pytest.mark.parametrize("case", REVERSED)
def test_a_reversed_beam_moves_alike(case: str) -> None:
    """beam = [B, A] with the frame at the same material end: the same curves, hence the same motion to round-off.

    Chord and mean frames count the section's turn about the axis from end A. With a round section only the lump feels
    it, for which a turn of the frame makes up: exactly in the exact field only.
    """
    field, frame, swapped, keys = REVERSED[case]
    keys = {"shapes": {"bending": 3}} | keys
    one = Run(pendulum(frame, direction=1, field=field, **keys), end=0.2, method="rk4", step=5e-4)
    two = Run(pendulum(swapped, direction=-1, field=field, **keys), end=0.2, method="rk4", step=5e-4)
    # Round-off of 400 steps, 1e-13 in positions; in accelerations it counts with the square of the highest frequency.
    for sensor, rounding in (("tip", 1e-11), ("bow", 1e-11), ("acceleration", 1e-6), ("force", 1e-6)):
        wanted = one[f"sensors/{sensor}"]
        assert np.abs(two[f"sensors/{sensor}"] - wanted).max() < rounding * max(1.0, np.abs(wanted).max())


# Rigid limits


@pytest.mark.parametrize("field", FIELDS)
def test_an_undeformed_beam_is_a_rigid_rod(field: str) -> None:
    """Without elastic coordinates and rates: mass matrix, forces, constraints and their rates of the other coordinates
    are those of slender rigid rods, at any angles."""
    keys = {**FIELDS[field], "shapes": {"bending": 3}}
    flexible = FlatBeams(four_bar({}, keys))
    data = four_bar({})
    for body in data["bodies"].values():
        length = float(np.linalg.norm(np.subtract(*body["beam"])))
        mass = SOFT["density"] * FLAT_BAR["y"] * FLAT_BAR["z"] * length
        ends = body["beam"]
        body.clear()
        body |= {"mass": mass, "rod": ends, "markers": {"middle": {"at": [0.4 * length, 0.0, 0.0]}}}
    rigid, rng = FlatBeams(data), np.random.default_rng(14)
    step, rates = np.zeros(flexible.n), np.zeros(flexible.n)
    step[~flexible.elastic], rates[~flexible.elastic] = rng.normal(size=(2, rigid.n))
    q = flexible.moved(flexible.system.q0.copy(), step)
    found = flexible.evaluate(q, rates)
    wanted = rigid.evaluate(rigid.moved(rigid.system.q0.copy(), step[~flexible.elastic]), rates[~flexible.elastic])
    assert [name for name, own in zip(flexible.system.coordinates, flexible.elastic, strict=True) if not own] == list(
        rigid.system.coordinates
    )
    keep = ~flexible.elastic
    close(found["M"][np.ix_(keep, keep)], wanted["M"], 1e-13)
    close(found["h"][keep], wanted["h"], 1e-13)
    close(found["G"][:, keep], wanted["G"], 1e-13)
    for part in ("phi", "phi_dot", "gamma"):
        close(found[part], wanted[part], 1e-13)


def test_a_stiff_beam_moves_as_a_rigid_body() -> None:
    """The tip's way off the rigid motion goes with 1/E; the ringing of the start is damped ever sooner besides."""
    body = FlatBeams(pendulum("chord", 3)).body("beam")
    data = pendulum("chord", 3)
    center = body.first_moment / body.mass
    inertia = body.inertia - body.mass * (center @ center * np.eye(3) - np.outer(center, center))
    tip = {"end": {"at": [1.0, 0, 0]}}
    data["bodies"]["beam"] = {"mass": body.mass, "center": center.tolist(), "inertia": inertia.tolist(), "markers": tip}
    data["sensors"] = {"tip": {"marker": "beam.end"}}
    settings = {"end": 0.4, "step": 5e-4, "rho": 0.8}
    wanted = Run(data, **settings)["sensors/tip"]
    gaps = []
    for E in (1e10, 1e12):
        run = Run(pendulum("chord", 3, material=SOFT | {"E": E}), **settings)
        gaps.append(np.abs(run["sensors/tip"] - wanted).max())
    assert gaps[1] < 1e-6
    assert 50.0 * gaps[1] < gaps[0] < 400.0 * gaps[1]


# Momentum and energy of beams in free space (B14)


FREE: dict[str, dict[str, Any]] = {
    "exact, chord": {"frame": "chord"},
    "exact, mean": {"frame": "mean", "masses": [{"at": 0.3, **LUMP}]},
    "exact, end": {"frame": "end", "shapes": ALL_SHAPES | {"family": "elements", "elements": 3}, "shear": True},
    "full, start": {"frame": "start", **FIELDS["full"]},
    "order 2, chord": {"frame": "chord", **FIELDS["order 2"]},
    "linear, mean": {"frame": "mean", **FIELDS["linear"]},
}


@pytest.mark.parametrize("case", FREE)
def test_a_free_beam_keeps_momentum_and_energy(case: str) -> None:
    """Random modal velocities and spin, nothing acts: momentum to 1e-8, energy to 1e-6 (B14)."""
    rng = np.random.default_rng(15)
    state = {"velocity": [1.0, -2.0, 0.5], "angular_velocity": [3.0, 1.0, -2.0]}
    rates = 2.0 * rng.normal(size=6) * [1, 1, 1, 1, 0.1, 1]
    body = beam([0.3, -0.2, 0.1], [1.1, 0.3, 0.6], elastic_velocity=rates.tolist(), **state, **FREE[case])
    data = {"model": {"name": "free"}, "bodies": {"beam": body}}
    run = Run(data, end=0.3, method="rk45", tolerance=1e-10)
    check_conservation(run, data)


def test_two_beams_on_a_joint_keep_momentum_and_energy() -> None:
    """The same for two beams that a ball joint joins and a spring between their flexible markers pulls together."""
    rng = np.random.default_rng(16)
    data = pair_of_beams(rng, "spherical", frame="chord")
    data["model"]["gravity"] = [0, 0, 0]
    for name in ("one", "two"):
        data["bodies"][name]["elastic_velocity"] = (2.0 * rng.normal(size=6) * [1, 1, 1, 1, 0.1, 1]).tolist()
    data["bodies"]["one"]["coordinates"] = "absolute"
    data["bodies"]["one"] |= {"velocity": [1.0, 0.5, 0.0], "angular_velocity": [1.0, -1.0, 0.5]}
    data["forces"] = {
        "spring": {"type": "spring-damper", "markers": ["one.tip", "two.tip"], "stiffness": 40.0, "length": 0.2}
    }
    check_conservation(Run(data, end=0.3, method="rk45", tolerance=1e-10), data)


def check_conservation(run: Run, data: dict[str, Any]) -> None:
    flat = FlatBeams(data)
    rows = np.linspace(0, len(run.rows) - 1, 8).astype(int)
    found = [momentum(flat, run["coordinates/q"][k], run["coordinates/v"][k]) for k in rows]
    names = [body.name for body in flat.system.mechanism.bodies[1:]]
    assert all(np.ptp(run[f"bodies/{name}/elastic_position"][:, :4], axis=0).max() > 0.02 for name in names)
    for part in (0, 1):
        history = np.array([pair[part] for pair in found])
        assert np.abs(history - history[0]).max() < 1e-8 * np.abs(history).max()
    energy = run["energy/kinetic"] + run["energy/potential"]
    assert np.ptp(energy) < 1e-6 * energy.max()


@pytest.mark.parametrize("frame", ["start", "end", "chord", "mean"])
def test_given_velocities_of_a_free_beam_are_those_of_its_frame(frame: str) -> None:
    """Whatever its elastic coordinates and rates are."""
    state = {"velocity": [1.0, -2.0, 0.5], "angular_velocity": [3.0, 1.0, -2.0]}
    elastic = {
        "elastic_position": [0.05, 0.02, 0.03, 0.01, 0.001, 0.1],
        "elastic_velocity": [0.5, 0.3, 0.2, 0.1, 0.02, 1],
    }
    data = {"bodies": {"beam": beam([0.3, -0.2, 0.1], [1.1, 0.3, 0.6], frame=frame, **state, **elastic)}}
    run = Run(data, end=1e-4, step=1e-4)
    close(run["bodies/beam/position"][0], np.array([0.3, -0.2, 0.1]), 1e-12)
    close(run["bodies/beam/velocity"][0], np.array(state["velocity"]), 1e-12)
    close(run["bodies/beam/angular_velocity"][0], np.array(state["angular_velocity"]), 1e-12)
    for key, wanted in elastic.items():
        close(run[f"bodies/beam/{key}"][0], np.array(wanted), 1e-12)
