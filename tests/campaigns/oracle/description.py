"""The tables of a model as arrays for the oracle.

Joints are placed by two markers 'body.marker'; markers and bodies give their orientation as a 3 x 3 matrix. A number of
time is "A*sin(W*t + P)" or a plain number; a motion is `harmonic` or `polynomial`.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tests.campaigns.oracle.beam import Beam

Array = Any
_WAVE = re.compile(r"\s*([-+.\de]+)\*sin\(([-+.\de]+)\*t \+ ([-+.\de]+)\)\s*")


@dataclass(frozen=True)
class Body:
    """A rigid body, or a beam: its frame and its inertia."""

    name: str
    p: Array
    R: Array
    mass: float = 0.0
    center: Array = field(default_factory=lambda: np.zeros(3))
    J: Array = field(default_factory=lambda: np.zeros((3, 3)))
    """about the origin, body axes"""
    rotor: Array = field(default_factory=lambda: np.zeros(3))
    beam: Beam | None = None

    @property
    def n_modes(self) -> int:
        return 0 if self.beam is None else self.beam.n


@dataclass(frozen=True)
class Marker:
    """A frame on a body (0: ground)."""

    body: int
    p_b: Array
    R_b: Array


@dataclass(frozen=True)
class Joint:
    """A joint between two markers; parameter: advance per radian, length or radius."""

    name: str
    type: str
    a: int
    b: int
    parameter: float = 0.0


@dataclass(frozen=True)
class Wave:
    """offset + amplitude sin(omega t + phase) + polynomial."""

    amplitude: float = 0.0
    omega: float = 0.0
    phase: float = 0.0
    coefficients: tuple[float, ...] = (0.0,)

    def __call__(self, t: float, order: int = 0) -> float:
        """Its derivative of an order at t."""
        wave = self.amplitude * self.omega**order * math.sin(self.omega * t + self.phase + 0.5 * math.pi * order)
        polynomial = np.polynomial.Polynomial(self.coefficients)
        return wave + float((polynomial.deriv(order) if order else polynomial)(t))


@dataclass(frozen=True)
class Description:
    """A model as the oracle sees it."""

    gravity: Array
    bodies: list[Body]
    """ground first"""
    markers: list[Marker]
    marker_index: dict[str, int]
    joints: list[Joint]
    motions: list[tuple[str, int, str, Wave]]
    """name, joint, coordinate, function of time"""
    forces: list[dict[str, Any]]
    """tables of loads, with markers and joints as numbers and functions as waves"""


def wave_of(value: Any) -> Wave:
    """A function of time as the campaign writes it."""
    if not isinstance(value, str):
        return Wave(coefficients=(float(value),))
    found = _WAVE.fullmatch(value)
    assert found, f"the oracle cannot read {value!r}"
    amplitude, omega, phase = (float(group) for group in found.groups())
    return Wave(amplitude, omega, phase)


def _motion(table: dict[str, Any]) -> Wave:
    if "harmonic" in table:
        keys = table["harmonic"]
        omega = 2.0 * math.pi * keys["frequency"]
        return Wave(keys["amplitude"], omega, keys.get("phase", 0.0), (keys.get("offset", 0.0),))
    return Wave(coefficients=tuple(table["polynomial"]))


def _body(name: str, table: dict[str, Any]) -> Body:
    if "beam" in table:
        return _beam(name, table)
    center = np.array(table.get("center", [0.0, 0.0, 0.0]))
    inertia = np.array(table["inertia"], dtype=float)
    inertia = np.diag(inertia) if inertia.ndim == 1 else inertia
    J = inertia + table["mass"] * (center @ center * np.eye(3) - np.outer(center, center))
    return Body(
        name,
        np.array(table["at"], dtype=float),
        np.array(table["orientation"], dtype=float),
        table["mass"],
        center,
        J,
        np.array(table.get("rotor", [0.0, 0.0, 0.0])),
    )


def _beam(name: str, table: dict[str, Any]) -> Body:
    start, end = (np.array(place, dtype=float) for place in table["beam"])
    length = float(np.linalg.norm(end - start))
    x = (end - start) / length
    y = np.array(table["y_axis"], dtype=float)
    y = y - (y @ x) * x
    y /= np.linalg.norm(y)
    section, material, bending = table["section"], table["material"], table["shapes"]["bending"]
    beam = Beam(
        length,
        material["density"] * section["A"],
        material["E"] * section["Iy"],
        material["E"] * section["Iz"],
        table["frame"],
        bending["y"],
        bending["z"],
    )
    return Body(name, start, np.column_stack([x, y, np.cross(x, y)]), float(beam.mass.sum()), beam=beam)


def describe(tables: dict[str, Any]) -> Description:
    """Read the tables of a model."""
    bodies = [Body("ground", np.zeros(3), np.eye(3))]
    bodies += [_body(name, table) for name, table in tables["bodies"].items()]
    markers: list[Marker] = []
    index: dict[str, int] = {}
    own = {"ground": tables.get("markers", {})}
    own |= {name: table.get("markers", {}) for name, table in tables["bodies"].items()}
    for number, body in enumerate(bodies):
        for name, table in own[body.name].items():
            index[f"{body.name}.{name}"] = len(markers)
            R_b = np.array(table.get("orientation", np.eye(3)), dtype=float)
            markers.append(Marker(number, np.array(table["at"], dtype=float), R_b))
    joints = []
    for name, table in tables["joints"].items():
        a, b = (index[marker] for marker in table["markers"])
        parameter = table.get("length", table.get("radius", table.get("lead", 0.0) / (2.0 * math.pi)))
        joints.append(Joint(name, table["type"], a, b, parameter))
    numbers = {joint.name: k for k, joint in enumerate(joints)}
    motions = [
        (name, numbers[table["joint"]], table["coordinate"], _motion(table))
        for name, table in tables.get("motions", {}).items()
    ]
    forces = [_force(table, index, numbers) for table in tables.get("forces", {}).values()]
    return Description(
        np.array(tables["model"]["gravity"], dtype=float), bodies, markers, index, joints, motions, forces
    )


def _force(table: dict[str, Any], index: dict[str, int], numbers: dict[str, int]) -> dict[str, Any]:
    force = dict(table)
    if "marker" in force:
        force["marker"] = index[force["marker"]]
        force["vector"] = [wave_of(value) for value in force["vector"]]
    if "markers" in force:
        force["markers"] = [index[marker] for marker in force["markers"]]
    if "joint" in force:
        force["joint"] = numbers[force["joint"]]
    if "effort" in force:
        force["effort"] = wave_of(force["effort"])
    return force
