"""Identities of inverse dynamics on random mechanisms, rigid and flexible: Newton and Euler for every body and for all,
power of the drives, and forward(inverse) = identity.

Momenta are computed here: of rigid bodies from the numbers of the model, of beams from the mass matrices of their
fields in numpy (`flexmb.bodies`), which share no code with the compiled equations that found efforts and reactions.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.interpolate import make_interp_spline

import flexmb as fx
from flexmb.analyses import forward_check as module
from flexmb.analyses.forward_check import forward_check
from flexmb.analyses.inverse import inverse_model
from flexmb.bodies.exact_beam import ExactBeam
from flexmb.bodies.exact_motion import ExactMotion
from flexmb.bodies.flexible_body import FlexibleBody
from flexmb.bodies.orientation import rotations
from flexmb.results.inverse_result import InverseDynamics
from flexmb.results.joint_reactions import MarkerPoses
from flexmb.system.placement import place
from tests.solvers.test_random_mechanisms import closed_mechanism, ladder
from tests.support.flexible_models import FIELDS, beam
from tests.support.mechanisms import random_body

Array = NDArray[np.float64]
GRAVITY = np.array([1.0, -2.0, -9.0])
EVERY = 4e-4
FINE = {"end": 0.04, "method": "rk45", "tolerance": 1e-12, "max_step": 1e-4}
"""Short steps: what the interpolant between longer ones is off would be the larger part of the gaps."""


def rigid_mechanism(seed: int) -> dict[str, Any]:
    """Five bodies, three loops, a driven slide, springs, dampers, friction, an actuator and a force; two degrees of
    freedom are left to the loads."""
    return {**closed_mechanism(seed), "analysis": FINE}


def flexible_mechanism(seed: int, field: str = "exact") -> dict[str, Any]:
    """A driven spatial four-bar with random axes: rigid crank, soft coupler and rocker (the latter written before the
    ground), and a bob that swings on the coupler; a spring from bob to rocker, a spring in the hook, a force."""
    rng = np.random.default_rng(seed)

    def unit() -> Array:
        vector = rng.normal(size=3)
        return np.asarray(vector / np.linalg.norm(vector))

    points = [np.zeros(3)]
    for length in (0.5, 1.0, 0.8):
        points.append(points[-1] + length * unit())
    P = [point.tolist() for point in points]
    first = unit()
    second = np.cross(first, unit())
    shapes = {"bending": 3, "axial": 1, "torsion": 1}
    keys = {**FIELDS[field], "shapes": shapes, "markers": {"tip": {"at": [0.4, 0.04, -0.05]}}}
    hook = (0.5 * (points[1] + points[2])).tolist()
    axes = [first.tolist(), (second / np.linalg.norm(second)).tolist()]
    return {
        "model": {"name": "flexible mechanism", "gravity": GRAVITY.tolist()},
        "bodies": {
            "crank": random_body(rng),
            "coupler": beam(P[1], P[2], **keys, frame="chord"),
            "rocker": beam(P[2], P[3], **keys),
            "bob": random_body(rng),
        },
        "joints": {
            "pin0": {"type": "revolute", "bodies": ["ground", "crank"], "at": P[0], "axis": unit().tolist()},
            "pin1": {"type": "spherical", "bodies": ["crank", "coupler"], "at": P[1]},
            "pin2": {"type": "universal", "bodies": ["rocker", "coupler"], "at": P[2], "axes": axes},
            "pin3": {"type": "revolute", "bodies": ["rocker", "ground"], "at": P[3], "axis": unit().tolist()},
            "hook": {"type": "revolute", "bodies": ["coupler", "bob"], "at": hook, "axis": unit().tolist()},
        },
        "forces": {
            "spring": {
                "type": "spring-damper",
                "stiffness": 30.0,
                "damping": 0.5,
                "length": 0.5,
                "markers": ["rocker.tip", "bob.tip"],
            },
            "push": {"type": "force", "marker": "rocker.tip", "vector": ["2*cos(9*t)", 1.0, "-3*sin(5*t)"]},
            "turning": {"type": "joint-spring", "joint": "hook", "stiffness": 4.0, "damping": 0.2, "rest": 0.3},
        },
        "motions": {"drive": {"joint": "pin0", "expression": "2*t + 3*t^2"}},
        "analysis": FINE,
    }


MECHANISMS: dict[str, Callable[[], dict[str, Any]]] = {
    "rigid 1": lambda: rigid_mechanism(1),
    "rigid 2": lambda: rigid_mechanism(2),
    "rigid 3": lambda: rigid_mechanism(3),
    "exact 2": lambda: flexible_mechanism(2),
    "exact 3": lambda: flexible_mechanism(3),
    "exact 4": lambda: flexible_mechanism(4),
    "full 5": lambda: flexible_mechanism(5, "full"),
}


@pytest.fixture(scope="module", params=MECHANISMS)
def solved(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> FreeBodies:
    data = {**MECHANISMS[request.param](), "output": {"every": EVERY}}
    path = tmp_path_factory.mktemp("inverse") / "out.h5"
    return FreeBodies(data, inverse_model(fx.Model.from_tables(data), path))


class FreeBodies:
    """Every body of a mechanism cut free: momenta, and the wrenches on it, about the origin of the world."""

    def __init__(self, data: dict[str, Any], found: Any):
        self.data, self.found = data, found
        self.time, self.mechanism = found.result.time, place(found.model.spec)
        self.poses = MarkerPoses(found.result, self.mechanism)
        self.momentum = {body.name: self._momentum(body) for body in self.mechanism.bodies[1:]}
        self.wrench = {body.name: np.zeros((len(self.time), 6)) for body in self.mechanism.bodies}
        self._add_weights()
        self._add_reactions()
        self._add_joint_loads()
        self._add_springs_and_forces()

    def rate(self, values: Array) -> Array:
        """Derivative of the spline of order 7."""
        return np.asarray(make_interp_spline(self.time, values, k=7).derivative()(self.time))

    def at(self, marker: str) -> Array:
        """(r, 3) path of a marker."""
        return self.poses.of(self.mechanism.marker_index[marker])[0]

    def _channel(self, body: str, quantity: str) -> Array:
        return np.asarray(self.found.result[f"bodies/{body}/{quantity}"])

    def _momentum(self, body: Any) -> Array:
        """(r, 6) linear, and angular about the origin of the world; keeps the first moment of mass as well."""
        R, p = rotations(self._channel(body.name, "quaternion")), self._channel(body.name, "position")
        v, omega = self._channel(body.name, "velocity"), self._channel(body.name, "angular_velocity")
        v_body = np.einsum("rji,rj->ri", R, v)
        own = np.zeros((len(p), 6))
        first = np.zeros((len(p), 3))
        if isinstance(body, FlexibleBody):
            witness: Any = body.field
            if isinstance(body.field, ExactBeam):
                assert body.basis is not None
                witness = ExactMotion(body.basis)
            q, q_dot = (self._channel(body.name, f"elastic_{key}") for key in ("position", "velocity"))
            for row, eta in enumerate(q):
                M = witness.mass_matrix(eta)
                own[row] = M[:6] @ np.concatenate([v_body[row], omega[row], q_dot[row]])
                first[row] = M[5, 1], M[3, 2], M[4, 0]  # of the skew matrix of S in the lower left block
            self.mass = getattr(self, "mass", {}) | {body.name: M[0, 0]}
        else:
            table = self.data["bodies"][body.name]
            m, c = table["mass"], np.array(table["center"])
            v_center = v_body + np.cross(omega, c)
            tensor = np.array(table["inertia"])
            spin = omega @ (np.diag(tensor) if tensor.ndim == 1 else tensor) + np.array(table.get("rotor", [0.0] * 3))
            own = np.hstack([m * v_center, spin + np.cross(c, m * v_center)])
            first = np.tile(m * c, (len(p), 1))
            self.mass = getattr(self, "mass", {}) | {body.name: m}
        linear, angular, moment = (np.einsum("rij,rj->ri", R, x) for x in (own[:, :3], own[:, 3:], first))
        self.first = getattr(self, "first", {}) | {body.name: moment + self.mass[body.name] * p}
        return np.hstack([linear, angular + np.cross(p, linear)])

    def _act(self, body: str, point: Array, force: Array, moment: Array | float = 0.0) -> None:
        self.wrench[body] += np.hstack([force, moment + np.cross(point, force)])

    def _add_weights(self) -> None:
        gravity = np.array(self.data["model"]["gravity"])
        for name, mass in self.mass.items():
            self.wrench[name] += np.hstack(
                [np.tile(mass * gravity, (len(self.time), 1)), np.cross(self.first[name], gravity)]
            )

    def _add_reactions(self) -> None:
        for reaction in self.found.reactions.values():
            for body, sign in ((reaction.second, 1.0), (reaction.first, -1.0)):
                self._act(body, reaction.position, sign * reaction.force_world, sign * reaction.moment_world)

    def _add_joint_loads(self) -> None:
        """Efforts along the free motions, which are not part of the reactions: about z of the joint, or along it."""
        result, joints = self.found.result, {joint.name: joint for joint in self.mechanism.joints}
        loads: list[tuple[dict[str, Any], Array]] = []
        for drive in self.found.drives:
            motion = self.data["motions"][drive.name]
            if "joint" in motion:
                loads.append((motion, drive.effort))
            else:  # a force along an axis of the world
                force = np.outer(drive.effort, np.eye(3)["xyz".index(motion["along"])])
                self._act(motion["marker"].split(".")[0], self.at(motion["marker"]), force)
        for name, load in self.data.get("forces", {}).items():
            if load["type"] == "joint-spring":
                path = f"joints/{load['joint']}"
                stretch, speed = result[f"{path}/position"] - load["rest"], result[f"{path}/velocity"]
                loads.append((load, -load["stiffness"] * stretch - load["damping"] * speed))
            elif load["type"] == "actuator":
                loads.append((load, np.sin(12.0 * self.time)))
            elif load["type"] == "friction":
                loads.append((load, result[f"forces/{name}/effort"]))
        for load, effort in loads:
            reaction, joint = self.found.reactions[load["joint"]], joints[load["joint"]]
            along = effort[:, None] * self.poses.of(joint.first)[1][:, :, 2]
            for body, sign in ((reaction.second, 1.0), (reaction.first, -1.0)):
                if load.get("coordinate") == "slide":
                    self._act(body, reaction.position, sign * along)
                else:
                    self._act(body, reaction.position, 0.0 * along, sign * along)

    def _add_springs_and_forces(self) -> None:
        if "forces" not in self.data:
            return
        spring, push, t = self.data["forces"]["spring"], self.data["forces"]["push"], self.time
        ends = [self.at(marker) for marker in spring["markers"]]
        line = ends[1] - ends[0]
        length = np.linalg.norm(line, axis=1)
        pull = spring["stiffness"] * (length - spring["length"]) + spring["damping"] * self.rate(length)
        force = (pull / length)[:, None] * line
        self._act(spring["markers"][0].split(".")[0], ends[0], force)
        self._act(spring["markers"][1].split(".")[0], ends[1], -force)
        force = np.stack([2 * np.cos(9 * t), np.ones_like(t), -3 * np.sin(5 * t)], axis=1)
        self._act(push["marker"].split(".")[0], self.at(push["marker"]), force)


INSIDE = slice(6, -6)
"""Rows at which the spline has enough neighbours."""
SAME = 1e-8
"""Frequencies of 300 rad/s in rows 0.4 ms apart: (omega h)^7/100 = 4e-9 of a rate is what a spline of order 7 misses.
The error of a step, 1e-12 of a momentum, over 0.4 ms makes 1e-10 of forces that turn a momentum within 40 ms."""


def test_newton_and_euler_for_every_body(solved: FreeBodies) -> None:
    """A wrong reaction of any joint, branch or chord, on either body, is a gap here."""
    for name, momentum in solved.momentum.items():
        wrench = solved.wrench[name]
        for part in (slice(0, 3), slice(3, 6)):
            size = np.abs(wrench[:, part]).max()
            gap = np.abs(solved.rate(momentum) - wrench)[INSIDE, part].max()
            assert size > 0.1 and gap < SAME * size, (name, gap, size)


def test_ground_reactions_and_loads_are_the_rate_of_momentum(solved: FreeBodies) -> None:
    """Forces between bodies are left out, not cancelled: only joints with the ground, weights and the push count."""
    momentum = sum(solved.momentum.values(), np.zeros((len(solved.time), 6)))
    wrench = -solved.wrench["ground"]  # what the ground feels, springs and drives to it included, turned round
    for name, mass in solved.mass.items():
        weight = np.tile(mass * GRAVITY, (len(solved.time), 1))
        wrench = wrench + np.hstack([weight, np.cross(solved.first[name], GRAVITY)])
    t, tip = solved.time, solved.at(solved.data["forces"]["push"]["marker"])
    push = np.stack([2 * np.cos(9 * t), np.ones_like(t), -3 * np.sin(5 * t)], axis=1)
    wrench = wrench + np.hstack([push, np.cross(tip, push)])
    gap = np.abs(solved.rate(momentum) - wrench)[INSIDE].max(axis=0)
    assert np.all(gap < SAME * np.abs(wrench).max()), gap


def powers(solved: FreeBodies) -> dict[str, Array]:
    """Power of the drive, of the other loads and of all dampers (negative) [W]."""
    result, data, t = solved.found.result, solved.data, solved.time
    drive = data["motions"]["drive"]
    speeds = result[f"joints/{drive['joint']}/velocity"]
    speed = speeds if speeds.ndim == 1 else speeds[:, 0]  # of a cylindrical joint the slide comes first
    push = np.stack([2 * np.cos(9 * t), np.ones_like(t), -3 * np.sin(5 * t)], axis=1)
    loads = np.sum(push * solved.rate(solved.at(data["forces"]["push"]["marker"])), axis=1)
    spring, turning = data["forces"]["spring"], data["forces"]["turning"]
    first, second = (solved.at(marker) for marker in spring["markers"])
    lost = spring["damping"] * solved.rate(np.linalg.norm(second - first, axis=1)) ** 2
    lost = lost + turning["damping"] * result[f"joints/{turning['joint']}/velocity"] ** 2
    if "motor" in data["forces"]:
        turns = result["joints/tree4/velocity"]
        loads = loads + np.sin(12 * t) * turns
        lost = lost - result["forces/drag/effort"] * turns
        assert np.all(result["forces/drag/effort"] * turns <= 0.0)  # friction takes
    return {"drive": solved.found.drives[0].effort * speed, "loads": loads, "lost": -lost}


def test_work_of_the_drive_is_the_change_of_energy_and_what_is_lost(solved: FreeBodies) -> None:
    result, parts = solved.found.result, powers(solved)
    energy = result["energy/kinetic"] + result["energy/potential"]
    power = sum(parts.values(), np.zeros(len(energy)))
    size = max(np.abs(values).max() for values in parts.values())
    gap = np.abs(solved.rate(energy) - power)[INSIDE].max()
    assert gap < SAME * size, (gap, size)
    # The work that is reported: the integral of effort times rate, to the order of the steps' errors.
    drive = make_interp_spline(solved.time, parts["drive"], k=7).antiderivative()
    work = drive(solved.time) - drive(solved.time[0])
    np.testing.assert_allclose(solved.found.drives[0].work, work, rtol=0, atol=SAME * np.abs(work).max())


def departure(found: InverseDynamics) -> float:
    """Largest distance [m] or angle [rad] of any body from the prescribed motion, driven by efforts alone."""
    check = forward_check(found)
    return max(float(x.max()) for x in (*check.bodies.values(), *check.angles.values()))


def test_forward_of_inverse_is_the_identity(solved: FreeBodies) -> None:
    # A spline through efforts of 400 rad/s at steps of 0.1 ms is off by (omega h)^4/384 = 7e-9 of 20 N m, which moves
    # 0.1 kg m^2 by 1e-9 rad in 0.04 s at most.
    assert departure(solved.found) < 1e-9


@pytest.mark.parametrize("name", ["rigid 3", "exact 3"])
def test_forward_of_inverse_with_the_steps_of_a_user(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Generalised-alpha is of second order; so is what efforts and forward run are off: half the step, a quarter.
    found = []
    for step in (5e-4, 2.5e-4):
        data = {**MECHANISMS[name](), "analysis": {"end": 0.15, "step": step}, "output": {"every": 5e-3}}
        inverse = inverse_model(fx.Model.from_tables(data), tmp_path / "out.h5")
        found.append(departure(inverse))
    assert np.log2(found[0] / found[1]) == pytest.approx(2.0, abs=0.3) and found[1] < 1e-5
    # Efforts that are wrong by a thousandth are noticed.
    table = module.expressions.table
    monkeypatch.setattr(module.expressions, "table", lambda points: table([(t, 1.001 * x) for t, x in points]))
    assert departure(inverse) > 100 * found[1]


@pytest.mark.parametrize("coordinates", ["joint", "absolute"])
def test_newton_and_euler_with_repeated_rows(coordinates: str, tmp_path: Path) -> None:
    """Reactions that are not unique are still in balance with the motion of every body."""
    data = ladder(2, coordinates={"default": coordinates}, output={"every": 2e-3})
    data["motions"] = {"drive": {"joint": "foot0", "expression": "2*t + 0.3*sin(9*t)"}}
    del data["joints"]["foot0"]["velocity"]
    data["analysis"] = {"end": 0.2, "step": 2e-3}
    found = inverse_model(fx.Model.from_tables(data), tmp_path / "out.h5")
    assert (found.how, found.n_repeated) == ("kinematic", 6) and "foot0" in found.not_unique
    bodies = FreeBodies(data, found)
    for name, momentum in bodies.momentum.items():
        wrench = bodies.wrench[name]
        # Harmonics of up to 40 rad/s in rows 2 ms apart: (omega h)^7/100 = 2e-10.
        assert np.abs(bodies.rate(momentum) - wrench)[INSIDE].max() < SAME * np.abs(wrench).max(), name
