"""Newton and Euler for every body of a solved mechanism, and random mechanisms to ask it of.

Momenta are computed here: of rigid bodies from the numbers of the model, of beams from the mass matrices of their
fields in numpy (`flexmb.bodies`), which share no code with the compiled equations that found efforts and reactions.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import make_interp_spline

from flexmb.bodies.exact_beam import ExactBeam
from flexmb.bodies.exact_motion import ExactMotion
from flexmb.bodies.flexible_body import FlexibleBody
from flexmb.bodies.orientation import rotations
from flexmb.results.joint_reactions import MarkerPoses
from flexmb.system.placement import place
from tests.support.flexible_models import FIELDS, beam
from tests.support.mechanisms import random_body
from tests.support.random_mechanisms import closed_mechanism

Array = NDArray[np.float64]
GRAVITY = np.array([1.0, -2.0, -9.0])
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
