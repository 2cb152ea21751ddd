"""Equations in symbols equal those of the numeric core at random states: two programs that share no equation code.

Covers: symbolic.arms, symbolic.fields, symbolic.inertia, symbolic.jets, symbolic.joints, symbolic.loads,
symbolic.recursion, symbolic.relative, symbolic.rows, symbolic.tape, symbolic.vectors.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from flexmb import Model, write_body
from flexmb.errors import InputError
from flexmb.model.model_file import read_model
from flexmb.symbolic.equations import equations_of
from flexmb.verification import MODELS
from tests.support.flexible_models import FIELDS, beam, flexible_tree, free_beam, pair_of_beams, random_beam
from tests.support.mechanisms import TREE_JOINTS, disc, joint_keys, random_body, random_tree, slider_crank, spec_of
from tests.support.random_mechanisms import closed_mechanism, ladder
from tests.support.reduced_bodies import basis_of_body, reduced_beam
from tests.support.symbolic_numbers import NumericCore, difference

TOLERANCE = 1e-12
"""Relative. Some thousand operations of 1e-16 each, which cancel by one or two digits in a chain of twelve bodies."""
ABSOLUTE = {"coordinates": {"default": "absolute"}}


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_every_joint_in_a_tree(seed: int) -> None:
    assert difference(random_tree(np.random.default_rng(seed)), seed) < TOLERANCE


@pytest.mark.parametrize("seed", [3, 4])
def test_every_joint_as_a_chord(seed: int) -> None:
    """Absolute coordinates: each joint of the tree gives its rows."""
    assert difference({**random_tree(np.random.default_rng(seed)), **ABSOLUTE}, seed) < TOLERANCE


@pytest.mark.parametrize("kind", TREE_JOINTS)
def test_both_directions_of_a_joint(kind: str) -> None:
    """A joint whose first body is the outer one, in the tree and as a chord, between moving bodies."""
    rng = np.random.default_rng(11)
    bodies = {name: random_body(rng) for name in ("one", "two")}
    for pair in (["one", "two"], ["two", "one"]):
        root = {**joint_keys("universal", rng), "bodies": ["ground", "one"]}
        joints = {"root": root, "joint": {**joint_keys(kind, rng), "bodies": pair}}
        data: dict[str, Any] = {"model": {"gravity": [1.0, -2.0, -9.0]}, "bodies": bodies, "joints": joints}
        assert difference(data, 1, 1) < TOLERANCE
        assert difference({**data, "coordinates": {"absolute": ["two"]}}, 1, 1) < TOLERANCE


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize(
    "coordinates",
    [{}, {"default": "absolute"}, {"absolute": ["body0", "body4"]}],
    ids=["joint", "absolute", "mixed"],
)
def test_closed_mechanism_with_loads_and_a_drive(seed: int, coordinates: dict[str, Any]) -> None:
    """Distance, point-on-line and spherical chords; spring-damper, force of time; a driven joint.

    Loads of joints act on coordinates of the tree: in other coordinates they and the drive are left out.
    """
    data: dict[str, Any] = {**closed_mechanism(seed), "coordinates": coordinates}
    if coordinates:
        data["motions"] = {}
        data["forces"] = {name: data["forces"][name] for name in ("spring", "push")}
    assert difference(data, seed) < TOLERANCE


def test_redundant_rows_of_a_ladder() -> None:
    assert difference(ladder(2)) < TOLERANCE


@pytest.mark.parametrize("tilted", [False, True])
def test_rolling_disc(tilted: bool) -> None:
    """Height and sliding of a disc on ground, and on a body that moves itself."""
    data = disc()
    if tilted:
        data["bodies"]["tray"] = {"mass": 3.0, "inertia": [0.2, 0.3, 0.4], "center": [0.1, 0.2, 0.0]}
        data["joints"]["pivot"] = {"type": "universal", "bodies": ["ground", "tray"], "at": [0, 0, 0]}
        data["joints"]["pivot"]["axes"] = ["x", "y"]
        data["joints"]["contact"]["bodies"] = ["tray", "disc"]
    assert difference(data, 2, 3) < TOLERANCE


def loaded(data: dict[str, Any], marker: str, other: str, joint: str, coordinate: str | None) -> dict[str, Any]:
    """A mechanism with every load that has symbols; expressions of time and of sensors."""
    where = {"joint": joint} | ({} if coordinate is None else {"coordinate": coordinate})
    forces = {
        "push": {"type": "force", "marker": marker, "vector": ["3*cos(2*t)", 1.0, "exp(-t)"]},
        "follower": {"type": "force", "marker": other, "vector": [0.3, "t^2", -2.0], "axes": "marker"},
        "torque": {"type": "torque", "marker": other, "vector": [0.3, -0.2, "tanh(t)"], "axes": "marker"},
        "couple": {"type": "torque", "marker": marker, "vector": [0.1, "angle*rate", 0.5]},
        "tie": {"type": "spring-damper", "markers": [marker, other], "stiffness": 30.0, "damping": 0.5, "length": 0.4},
        "stop": {"type": "joint-spring", **where, "stiffness": 4.0, "damping": 0.2, "rest": 0.3},
        "drag": {"type": "friction", **where, "viscous": 0.3, "coulomb": 0.1, "transition": 0.5},
        "motor": {"type": "actuator", **where, "effort": "sin(3*t) - 2*angle - 0.1*rate*abs(rate)"},
    }
    sensors = {"angle": where, "rate": {**where, "quantity": "velocity"}}
    return {**data, "forces": forces, "sensors": sensors}


@pytest.mark.parametrize("seed", [5, 6])
def test_all_loads_on_rigid_bodies(seed: int) -> None:
    data = random_tree(np.random.default_rng(seed), ("revolute", "universal", "cylindrical", "spherical", "screw"))
    assert difference(loaded(data, "body1.tip", "body4.tip", "joint2", "angle"), seed) < TOLERANCE


def test_motions_of_joints_and_markers() -> None:
    """Second derivatives of expressions; a marker that is moved along an axis of another one."""
    data = random_tree(np.random.default_rng(7), ("revolute", "cylindrical", "spherical", "universal"))
    data["motions"] = {
        "swing": {"joint": "joint1", "coordinate": "slide", "expression": "0.1*sin(3*t) + t^3"},
        "turn": {"joint": "joint0", "harmonic": {"amplitude": 0.2, "frequency": 1.5, "phase": 0.3}},
        "lift": {"marker": "body3.tip", "relative_to": "body0.tip", "along": "y", "expression": "1 + exp(-t)"},
    }
    assert difference(data, 7) < TOLERANCE


KINDS = ("revolute", "universal", "spherical", "prismatic", "fixed")


@pytest.mark.parametrize("field", ["order 2", "order 1", "linear"])
@pytest.mark.parametrize("shapes", [{"bending": 3}, {"bending": 3, "axial": 1, "torsion": 1}])
def test_beams_in_a_tree(field: str, shapes: Any) -> None:
    """Beams that carry beams and rigid bodies, from both sides of their joints; uniform ones by formulas, with torsion
    by the numbers of their integrals."""
    data = flexible_tree(np.random.default_rng(3), KINDS, **FIELDS[field], frame="start", shapes=shapes)
    assert difference(data, 3, 1) < TOLERANCE


@pytest.mark.parametrize("frame", ["start", "end", "chord", "mean"])
@pytest.mark.parametrize("field", ["order 2", "order 1"])
def test_beams_joined_by_chords(field: str, frame: str) -> None:
    """Two beams in absolute coordinates; the joint takes the markers of both with their second-order motion."""
    for kind in ("revolute", "distance"):
        data = pair_of_beams(np.random.default_rng(4), kind, **FIELDS[field], frame=frame, shapes={"bending": 2})
        assert difference({**data, **ABSOLUTE}, 4, 1) < TOLERANCE


def test_loads_on_a_beam() -> None:
    """Forces beside the axis, line loads in world and section axes, on a beam between two joints."""
    rng = np.random.default_rng(8)
    keys: dict[str, Any] = {**FIELDS["order 2"], "shapes": {"bending": 2}, "frame": "chord"}
    data: dict[str, Any] = {
        "model": {"gravity": [1.0, -2.0, -9.0]},
        "bodies": {"arm": random_body(rng), "beam": random_beam(rng, **keys)},
        "joints": {
            "hinge": {**joint_keys("revolute", rng), "bodies": ["ground", "arm"]},
            "wrist": {**joint_keys("universal", rng), "bodies": ["arm", "beam"]},
        },
    }
    data = loaded(data, "beam.tip", "arm.tip", "hinge", None)
    line = {"type": "distributed-force", "body": "beam", "vector": [1.0, "2*t", 3.0], "from": 0.2, "to": 0.7}
    data["forces"] |= {"line": line, "wind": {**line, "axes": "section"}}
    assert difference(data, 8) < TOLERANCE


def test_damped_beam_with_a_modal_neighbour() -> None:
    """Damping by ratios (numbers) and of mass and stiffness."""
    for damping in ({"ratio": 0.02}, {"mass": 0.3, "stiffness": 1e-4}):
        rod = beam([0, 0, 0], [1, 0, 0], **FIELDS["order 2"], shapes={"bending": 3}, damping=damping, frame="start")
        joints = {"pin": {"type": "revolute", "bodies": ["ground", "rod"], "at": [0, 0, 0], "axis": "z"}}
        assert difference({"bodies": {"rod": rod}, "joints": joints}, 9) < TOLERANCE


CASES = sorted(
    path.name
    for path in MODELS.glob("*.toml")
    if path.name[:3] in ("A02", "A03", "A05", "A06", "A09", "A11", "A12", "A14", "B01", "B02", "B12", "C14")
)


@pytest.mark.parametrize("name", CASES)
def test_published_cases(name: str) -> None:
    """Linkages, a car axis on its road, a robot, a rolling coin, gyroscopes, modal bodies, beams with lumped masses."""
    core = NumericCore(read_model(MODELS / name))
    core.random_state(np.random.default_rng(1))
    assert core.at_state(core.symbols()).difference(core.values()) < TOLERANCE


@pytest.mark.parametrize("order", [1, 2])
def test_body_from_a_file(order: int, tmp_path: Path) -> None:
    """A reduced body between a universal and a spherical joint that closes the loop: known by numbers only."""
    basis = basis_of_body(spec_of(free_beam(shapes={"bending": 2, "axial": 1})), "beam")
    path = write_body(reduced_beam(basis), tmp_path / "rod.h5")
    end = [basis.length, 0, 0]
    data: dict[str, Any] = {
        "model": {"gravity": [1.0, -2.0, -9.0]},
        "bodies": {"rod": {"file": str(path), "order": order}, "crank": {"mass": 1.0, "inertia": [0.1, 0.2, 0.3]}},
        "joints": {
            "foot": {"type": "universal", "bodies": ["ground", "rod"], "at": [0, 0, 0], "axes": ["y", "z"]},
            "bearing": {"type": "revolute", "bodies": ["ground", "crank"], "at": [0, 0, 0.5], "axis": [1, 0, 1]},
            "pin": {"type": "spherical", "bodies": ["crank", "rod"], "at": end, "tree": False},
        },
    }
    assert difference(data, 3) < TOLERANCE


def test_names_do_not_change_the_equations() -> None:
    """With and without named intermediate results: one set of numbers."""
    core = NumericCore(slider_crank({}))
    core.random_state(np.random.default_rng(1))
    one, two = (core.at_state(core.symbols(named=named)) for named in (True, False))
    assert one.difference(two) < TOLERANCE


def test_what_has_no_symbols_is_refused() -> None:
    data = {key: table for key, table in closed_mechanism(1).items() if key != "analysis"}
    with pytest.raises(InputError, match="order = 3 is not one of the choices"):
        equations_of(Model.from_tables(data), order=3)
    with pytest.raises(InputError, match="acts on joint 'tree4', which is a chord"):
        equations_of(Model.from_tables({**data, **ABSOLUTE, "motions": {}}))
    rod = beam([0, 0, 0], [1, 0, 0], shapes={"bending": 4})
    joints = {"pin": {"type": "revolute", "bodies": ["ground", "rod"], "at": [0, 0, 0], "axis": "z"}}
    with pytest.raises(InputError, match="Use order 1 or 2"):
        equations_of(Model.from_tables({"bodies": {"rod": rod}, "joints": joints}))
