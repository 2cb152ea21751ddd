"""A mechanism as it is drawn for the campaign: bodies, joints placed by a point and a frame, loads and motions.

Writes the tables of a model with explicit markers, so that flexmb and the oracle read the same frames.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.campaigns.oracle.rows import COORDINATES
from tests.support.mechanisms import random_body

Array = Any


def random_rotation(rng: np.random.Generator) -> Array:
    """A rotation matrix, all equally likely."""
    Q, R = np.linalg.qr(rng.normal(size=(3, 3)))
    Q = Q * np.sign(np.diag(R))
    return Q * np.linalg.det(Q)


def frame_of(z: Array, rng: np.random.Generator) -> Array:
    """Axes with z as given and a random x."""
    z = np.asarray(z) / np.linalg.norm(z)
    x = np.cross(z, rng.normal(size=3))
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])


class Sketch:
    """The tables of a model in the making."""

    def __init__(self, rng: np.random.Generator, name: str):
        self.rng = rng
        self.pose: dict[str, tuple[Array, Array]] = {"ground": (np.zeros(3), np.eye(3))}
        self.ground_markers: dict[str, Any] = {}
        self.bodies: dict[str, Any] = {}
        self.joints: dict[str, Any] = {}
        self.motions: dict[str, Any] = {}
        self.forces: dict[str, Any] = {}
        self.gravity = (9.81 * frame_of(rng.normal(size=3), rng)[:, 2]).tolist()
        self.name = name

    def body(self, at: Array, **keys: Any) -> str:
        """A rigid body of about 1 kg and 0.3 m, its origin at a point; returns its name."""
        name = f"body{len(self.bodies)}"
        R = random_rotation(self.rng)
        table = {**random_body(self.rng), "at": np.asarray(at).tolist(), "orientation": R.tolist(), "markers": {}}
        self.bodies[name] = table | keys
        self.pose[name] = (np.asarray(at, dtype=float), np.array(self.bodies[name]["orientation"]))
        return name

    def beam(self, start: Array, end: Array, frequency: float, frame: str, shapes: int) -> str:
        """A beam with a first clamped frequency [rad/s] and so many shapes in each plane; returns its name."""
        name = f"body{len(self.bodies)}"
        start, end = np.asarray(start, dtype=float), np.asarray(end, dtype=float)
        length = float(np.linalg.norm(end - start))
        R = frame_of(end - start, self.rng)[:, [2, 0, 1]]
        A, density = 4e-4, float(self.rng.uniform(1500.0, 3000.0))
        EI = density * A * (frequency * length**2 / 3.516) ** 2
        wide = float(self.rng.uniform(1.0, 1.6))
        self.bodies[name] = {
            "beam": [start.tolist(), end.tolist()],
            "y_axis": R[:, 1].tolist(),
            "material": {"E": 1e9, "density": density},
            "section": {"type": "general", "A": A, "Iy": EI / 1e9, "Iz": wide * EI / 1e9},
            "shapes": {"family": "monomials", "bending": {"y": shapes, "z": shapes}},
            "frame": frame,
            "markers": {},
        }
        self.pose[name] = (start, R)
        return name

    def marker(self, body: str, at: Array, R: Array | None = None) -> str:
        """A marker on a body at a world point with world axes; returns its reference."""
        p_wb, R_wb = self.pose[body]
        markers = self.ground_markers if body == "ground" else self.bodies[body]["markers"]
        name = f"m{len(markers)}"
        local = R_wb.T @ (np.asarray(at, dtype=float) - p_wb)
        local = [float(local[0]), 0.0, 0.0] if "beam" in self.bodies.get(body, {}) else local.tolist()
        markers[name] = {"at": local, "orientation": (R_wb.T @ (np.eye(3) if R is None else R)).tolist()}
        return f"{body}.{name}"

    def joint(self, kind: str, first: str, second: str, at: Array, R: Array | None = None, **keys: Any) -> str:
        """A joint between two bodies at a point; `to`: the point on the second body, if it is another one."""
        name = f"joint{len(self.joints)}"
        R = random_rotation(self.rng) if R is None else R
        to, R_to = keys.pop("to", at), keys.pop("R_to", R)
        ends = [self.marker(first, at, R), self.marker(second, to, R_to)]
        if kind == "distance":
            keys["length"] = float(np.linalg.norm(np.asarray(to) - np.asarray(at)))
        self.joints[name] = {"type": kind, "markers": ends, **keys}
        return name

    def any_joint(self, kind: str, first: str, second: str, at: Array) -> str:
        """A joint of any type at a point, with random axes and numbers."""
        keys: dict[str, Any] = {}
        if kind == "screw":
            keys["lead"] = float(self.rng.choice([-1.0, 1.0]) * self.rng.uniform(0.3, 1.0))
        if kind == "distance":
            keys["to"] = np.asarray(at) + self.rng.uniform(0.4, 0.8) * random_rotation(self.rng)[:, 0]
        return self.joint(kind, first, second, at, **keys)

    def wave(self, size: float) -> str:
        """A function of time of about this size."""
        a, w, p = self.rng.uniform(0.3, 1.0) * size, self.rng.uniform(3.0, 12.0), self.rng.uniform(-3.0, 3.0)
        return f"{a:.6f}*sin({w:.6f}*t + {p:.6f})"

    def coordinates(self) -> list[tuple[str, str]]:
        """Joint coordinates that can be driven and loaded."""
        return [(name, c) for name, table in self.joints.items() for c in COORDINATES.get(table["type"], {})]

    def drive(self, joint: str, coordinate: str) -> None:
        """A motion of a joint coordinate from its design position."""
        rng, keys = self.rng, {"joint": joint, "coordinate": coordinate}
        if rng.random() < 0.5:
            amplitude, phase = float(rng.uniform(0.1, 0.4)), float(rng.uniform(-3.0, 3.0))
            wave = {"amplitude": amplitude, "frequency": float(rng.uniform(0.5, 2.0)), "phase": phase}
            keys["harmonic"] = wave | {"offset": -amplitude * float(np.sin(phase))}
        else:
            keys["polynomial"] = [0.0, *(float(c) for c in rng.normal(size=3) * [1.5, 1.0, 1.0])]
        self.motions[f"motion{len(self.motions)}"] = keys

    def load(self, count: int) -> None:
        """Random loads."""
        rng, names = self.rng, list(self.bodies)
        for _ in range(count):
            name, kind = f"force{len(self.forces)}", int(rng.integers(6))
            body = names[int(rng.integers(len(names)))]
            if kind < 2:
                keys = {"type": ("force", "torque")[kind], "axes": ("world", "marker")[int(rng.integers(2))]}
                keys["vector"] = [self.wave((5.0, 1.0)[kind]) for _ in range(3)]
                self.forces[name] = keys | {"marker": self._somewhere(body)}
            elif kind == 2:
                other = ["ground", *(n for n in names if n != body)][int(rng.integers(len(names)))]
                spring = {"stiffness": float(rng.uniform(10, 60)), "damping": float(rng.uniform(0, 2))}
                ends = [self._somewhere(other), self._somewhere(body)]
                self.forces[name] = {"type": "spring-damper", "markers": ends, **spring, "length": 0.3}
            elif found := self.coordinates():
                joint, coordinate = found[int(rng.integers(len(found)))]
                laws: list[dict[str, Any]] = [
                    {"type": "joint-spring", "stiffness": float(rng.uniform(1, 8)), "damping": 0.1, "rest": 0.2},
                    {"type": "actuator", "effort": self.wave(2.0)},
                    {"type": "friction", "viscous": 0.2, "coulomb": 0.3, "transition": 0.5},
                ]
                self.forces[name] = {"joint": joint, "coordinate": coordinate, **laws[kind - 3]}

    def _somewhere(self, body: str) -> str:
        """A marker at a random place of a body."""
        p, R = self.pose[body]
        along = self.rng.uniform(0.3, 1.0)
        if "beam" in self.bodies.get(body, {}):
            start, end = (np.array(place) for place in self.bodies[body]["beam"])
            return self.marker(body, start + along * (end - start), random_rotation(self.rng))
        return self.marker(body, p + 0.4 * self.rng.normal(size=3), random_rotation(self.rng))

    def tables(self) -> dict[str, Any]:
        """The tables of the model."""
        found = {
            "model": {"name": self.name, "gravity": self.gravity},
            "markers": self.ground_markers,
            "bodies": self.bodies,
            "joints": self.joints,
            "motions": self.motions,
            "forces": self.forces,
        }
        return {key: value for key, value in found.items() if value}
