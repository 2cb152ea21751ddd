"""Families of random mechanisms: trees, loops of any joints, overconstrained linkages, rolling discs, beams."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.campaigns.mechanism_sketch import Sketch, frame_of, random_rotation

Array = Any
TREE = (
    "revolute",
    "prismatic",
    "cylindrical",
    "screw",
    "universal",
    "spherical",
    "planar",
    "free",
    "pin-in-slot",
    "point-on-line",
    "distance",
    "fixed",
)
CLOSING = ("distance", "point-on-line", "spherical", "planar", "universal", "cylindrical", "pin-in-slot", "screw")


def _grow(sketch: Sketch, count: int, kinds: tuple[str, ...] = TREE, reach: float = 0.6) -> None:
    """Add bodies, each hung on ground or on one that is there."""
    rng = sketch.rng
    for _ in range(count):
        names = ["ground", *sketch.bodies]
        parent = names[int(rng.integers(max(0, len(names) - 4), len(names)))]
        at = sketch.pose[parent][0] + reach * rng.normal(size=3)
        kind = str(rng.choice(kinds))
        body = sketch.body(at + 0.3 * rng.normal(size=3))
        pair = (parent, body) if rng.random() < 0.6 else (body, parent)
        sketch.any_joint(kind, *pair, at)


def _drive_some(sketch: Sketch, most: int) -> None:
    """Drive up to so many joint coordinates."""
    found = sketch.coordinates()
    for k in sketch.rng.permutation(len(found))[: int(sketch.rng.integers(0, most + 1))]:
        sketch.drive(*found[int(k)])


def tree(sketch: Sketch) -> None:
    """An open tree of joints of all types."""
    _grow(sketch, int(sketch.rng.integers(2, 6)))
    _drive_some(sketch, 1)


def loops(sketch: Sketch) -> None:
    """A tree closed by one to three joints."""
    rng = sketch.rng
    _grow(sketch, int(rng.integers(3, 6)), tuple(kind for kind in TREE if kind != "free"))
    names = ["ground", *sketch.bodies]
    for _ in range(int(rng.integers(1, 4))):
        first, second = (names[int(k)] for k in rng.permutation(len(names))[:2])
        at = 0.5 * (sketch.pose[first][0] + sketch.pose[second][0]) + 0.4 * rng.normal(size=3)
        sketch.any_joint(str(rng.choice(CLOSING)), first, second, at)
    _drive_some(sketch, 2)


def _chain(sketch: Sketch, places: Array, axes: Array, closing: str = "revolute") -> list[str]:
    """A loop of revolute joints: ground between the last and the first place, a body between each two others."""
    bodies = []
    for k in range(len(places) - 1):
        bodies.append(sketch.body(0.5 * (places[k] + places[k + 1])))
    ends = ["ground", *bodies, "ground"]
    for k, (place, axis) in enumerate(zip(places, axes, strict=True)):
        kind = closing if k == len(places) - 1 else "revolute"
        sketch.joint(kind, ends[k], ends[k + 1], place, frame_of(axis, sketch.rng))
    return bodies


def planar(sketch: Sketch) -> None:
    """A planar linkage of revolute joints in space: four to six bars, every loop three rows too many."""
    rng, R = sketch.rng, random_rotation(sketch.rng)
    n = int(rng.integers(4, 7))
    angles = 2.0 * np.pi * (np.arange(n) + rng.uniform(-0.25, 0.25, size=n)) / n
    radius = rng.uniform(0.5, 1.0, size=n)
    flat = np.column_stack([radius * np.cos(angles), radius * np.sin(angles), np.zeros(n)])
    flat[:, 2] = rng.uniform(-0.2, 0.2, size=n)  # pins lie at different heights
    kind = str(rng.choice(["revolute", "revolute", "cylindrical", "spherical"]))
    bodies = _chain(sketch, flat @ R.T, [R[:, 2]] * n, kind)
    _hang(sketch, bodies)
    if rng.random() < 0.4:
        sketch.drive("joint0", "angle")


def slider(sketch: Sketch) -> None:
    """A planar slider-crank with a prismatic guide, and sometimes a second guide beside it."""
    rng, R = sketch.rng, random_rotation(sketch.rng)
    crank, rod, angle = rng.uniform(0.2, 0.3), rng.uniform(0.7, 1.0), rng.uniform(0.5, 2.5)
    O = np.zeros(3)
    A = crank * np.array([np.cos(angle), np.sin(angle), 0.0])
    B = np.array([A[0] + np.sqrt(rod**2 - A[1] ** 2), 0.0, rng.uniform(-0.1, 0.1)])
    O, A, B = (R @ place for place in (O, A, B))
    bodies = _chain(sketch, np.array([O, A, B]), [R[:, 2]] * 3, "revolute")
    block = sketch.body(B)
    last = sketch.joints["joint2"]["markers"]
    last[1] = sketch.marker(block, B, _world(sketch, last[0]))
    guide = frame_of(R[:, 0], rng)
    sketch.joint("prismatic", "ground", block, B, guide)
    if rng.random() < 0.5:
        beside = str(rng.choice(["prismatic", "cylindrical"]))
        sketch.joint(beside, "ground", block, B + 0.3 * rng.normal(size=3), guide)
    _hang(sketch, [*bodies, block])
    if rng.random() < 0.5:
        sketch.drive("joint0", "angle")


def _world(sketch: Sketch, reference: str) -> Array:
    """World axes of a marker."""
    body, name = reference.split(".")
    markers = sketch.ground_markers if body == "ground" else sketch.bodies[body]["markers"]
    return sketch.pose[body][1] @ np.array(markers[name]["orientation"])


def parallelogram(sketch: Sketch) -> None:
    """A table on three to four equal cranks, away from its singular position."""
    rng, R = sketch.rng, random_rotation(sketch.rng)
    count, arm = int(rng.integers(3, 5)), rng.uniform(0.3, 0.6)
    angle = rng.uniform(0.6, 2.4)
    step = R @ (arm * np.array([np.cos(angle), np.sin(angle), rng.uniform(-0.3, 0.3)]))
    table = sketch.body(R @ np.array([0.7, 0.2, 0.0]) + step)
    for k in range(count):
        foot = R @ np.array([0.5 * k, rng.uniform(-0.05, 0.05), rng.uniform(-0.2, 0.2)])
        crank = sketch.body(foot + 0.5 * step)
        sketch.joint("revolute", "ground", crank, foot, frame_of(R[:, 2], rng))
        sketch.joint("revolute", crank, table, foot + step, frame_of(R[:, 2], rng))
    _hang(sketch, [table])
    if rng.random() < 0.4:
        sketch.drive("joint0", "angle")


def spherical(sketch: Sketch) -> None:
    """A spherical linkage: four or five revolute axes through one point."""
    rng = sketch.rng
    n = int(rng.integers(4, 6))
    R, angles = random_rotation(rng), 2.0 * np.pi * (np.arange(n) + rng.uniform(-0.2, 0.2, size=n)) / n
    tilt = rng.uniform(0.5, 1.1, size=n)
    axes = np.column_stack([np.sin(tilt) * np.cos(angles), np.sin(tilt) * np.sin(angles), np.cos(tilt)]) @ R.T
    bodies = _chain(sketch, axes * rng.uniform(0.5, 1.0, size=(n, 1)), axes)
    _hang(sketch, bodies)
    if rng.random() < 0.4:
        sketch.drive("joint0", "angle")


def bennett(sketch: Sketch) -> None:
    """Bennett's linkage: a skew quadrilateral with equal opposite sides, axes normal to the sides that meet there."""
    rng, R = sketch.rng, random_rotation(sketch.rng)
    p, q, h, turn = rng.uniform(0.4, 0.8), rng.uniform(0.4, 0.8), rng.uniform(0.1, 0.3), rng.uniform(1.1, 1.9)
    a, b = np.array([p, 0.0, h]), np.array([q * np.cos(turn), q * np.sin(turn), -h])
    half = np.array([-1.0, -1.0, 1.0])
    places = np.array([a, b, half * a, half * b])
    axes = [np.cross(places[k] - places[k - 1], places[(k + 1) % 4] - places[k]) for k in range(4)]
    bodies = _chain(sketch, places @ R.T, np.array(axes) @ R.T)
    _hang(sketch, bodies)
    if rng.random() < 0.3:
        sketch.drive("joint0", "angle")


def doubled(sketch: Sketch) -> None:
    """A tree whose bodies are held twice: doors on two hinges, sliders in two guides, triangles of fixed joints."""
    rng = sketch.rng
    _grow(sketch, int(rng.integers(1, 4)))
    for _ in range(int(rng.integers(1, 3))):
        names = ["ground", *sketch.bodies]
        parent = names[int(rng.integers(len(names)))]
        at, R = sketch.pose[parent][0] + 0.6 * rng.normal(size=3), random_rotation(rng)
        kind = str(rng.choice(["revolute", "prismatic", "cylindrical", "fixed", "universal"]))
        body = sketch.body(at + 0.4 * rng.normal(size=3))
        sketch.joint(kind, parent, body, at, R)
        shift = {"prismatic": rng.normal(size=3), "fixed": rng.normal(size=3), "universal": np.zeros(3)}
        again = "spherical" if kind == "universal" else kind
        sketch.joint(again, parent, body, at + 0.5 * shift.get(kind, R[:, 2]), R)
        if kind == "fixed":
            third = sketch.body(at + rng.normal(size=3))
            sketch.joint("fixed", body, third, at + 0.3)
            sketch.joint("fixed", third, parent, at - 0.3)
    _drive_some(sketch, 1)


def rolling(sketch: Sketch) -> None:
    """A disc that rolls on ground or on a moving plate, with a body on it; or two wheels on an axle."""
    rng, R = sketch.rng, random_rotation(sketch.rng)
    sketch.gravity = (-9.81 * R[:, 2]).tolist()
    below, normal = "ground", frame_of(R[:, 2], rng)
    if rng.random() < 0.3:
        below = sketch.body(-0.1 * R[:, 2])
        sketch.joint("prismatic", "ground", below, np.zeros(3), frame_of(R[:, 0], rng))
    radius, tilt = rng.uniform(0.3, 0.5), rng.uniform(-0.4, 0.4)
    if rng.random() < 0.4:
        axle = sketch.body(radius * R[:, 2])
        sketch.joint("free", "ground", axle, radius * R[:, 2], np.eye(3))
        for side in (-0.4, 0.4):
            hub = R @ np.array([0.0, side, radius])
            wheel = _disc(sketch, hub, R[:, 1], radius)
            sketch.joint("revolute", axle, wheel, hub, frame_of(R[:, 1], rng))
            axes = sketch.pose[wheel][1]
            sketch.joint("rolling", below, wheel, np.zeros(3), normal, to=hub, R_to=axes, radius=float(radius))
        return
    axis = R @ np.array([0.0, np.cos(tilt), np.sin(tilt)])
    hub = radius * np.cos(tilt) * R[:, 2]
    wheel = _disc(sketch, hub, axis, radius)
    sketch.joint("free", "ground", wheel, hub, np.eye(3))
    axes = sketch.pose[wheel][1]
    sketch.joint("rolling", below, wheel, np.zeros(3), normal, to=hub, R_to=axes, radius=float(radius))
    if rng.random() < 0.6:
        _hang(sketch, [wheel], sure=True)


def _disc(sketch: Sketch, at: Array, axis: Array, radius: float) -> str:
    R = frame_of(axis, sketch.rng)
    J = 0.25 * radius**2
    return sketch.body(at, orientation=R.tolist(), mass=1.0, inertia=[J, J, 2.0 * J], center=[0, 0, 0])


def _hang(sketch: Sketch, bodies: list[str], sure: bool = False) -> None:
    """Hang one more body on one of these, by any joint."""
    rng = sketch.rng
    if not sure and rng.random() < 0.5:
        return
    parent = bodies[int(rng.integers(len(bodies)))]
    at = sketch.pose[parent][0] + 0.3 * rng.normal(size=3)
    body = sketch.body(at + 0.3 * rng.normal(size=3))
    sketch.any_joint(str(rng.choice(TREE)), parent, body, at)


def _new_beam(sketch: Sketch, start: Array, end: Array, shapes: int) -> str:
    frame = str(sketch.rng.choice(["start", "end", "chord"]))
    return sketch.beam(start, end, float(sketch.rng.uniform(10.0, 25.0)), frame, shapes)


def beam_tree(sketch: Sketch) -> None:
    """One or two beams in a row, clamped or hinged so that none can spin about its own axis; a body at the tip."""
    rng, last, at = sketch.rng, "ground", np.zeros(3)
    for _ in range(int(rng.integers(1, 3))):
        along = rng.uniform(0.6, 1.0) * random_rotation(rng)[:, 0]
        kind = str(rng.choice(["fixed", "revolute", "prismatic", "universal"]))
        beam = _new_beam(sketch, at, at + along, 2 if kind in ("fixed", "prismatic") else 3)
        R = frame_of(np.cross(along, rng.normal(size=3)), rng)
        if kind == "universal":  # neither axis along the beam: both across it
            side = np.cross(along, R[:, 2]) / np.linalg.norm(along)
            R = np.column_stack([side, R[:, 2], np.cross(side, R[:, 2])])
        pair = (last, beam) if rng.random() < 0.6 else (beam, last)
        sketch.joint(kind, *pair, at, R)
        last, at = beam, at + along
    body = sketch.body(at + 0.2 * rng.normal(size=3))
    sketch.joint(str(rng.choice(["fixed", "revolute", "spherical", "cylindrical", "planar"])), last, body, at)
    _drive_some(sketch, 1)


def beam_loop(sketch: Sketch) -> None:
    """A four-bar whose coupler is a beam, in space or with parallel axes."""
    rng, R = sketch.rng, random_rotation(sketch.rng)
    places = np.array([[0, 0, 0], [0.1, 0.5, 0], [0.9, 0.7, 0], [1.0, 0, 0]]) + 0.08 * rng.normal(size=(4, 3)) * [
        1,
        1,
        0,
    ]
    O, A, B, C = places @ R.T
    crank, rocker = sketch.body(0.5 * (O + A)), sketch.body(0.5 * (B + C))
    beam = _new_beam(sketch, A, B, 3)
    axis = frame_of(R[:, 2], rng)
    sketch.joint("revolute", "ground", crank, O, axis)
    sketch.joint("revolute", crank, beam, A, axis)
    sketch.joint(str(rng.choice(["revolute", "spherical", "universal"])), beam, rocker, B, frame_of(R[:, 2], rng))
    sketch.joint("revolute", "ground", rocker, C, axis)
    if rng.random() < 0.4:
        sketch.drive("joint0", "angle")


FAMILIES: dict[str, tuple[float, Callable[[Sketch], None]]] = {
    "tree": (3.0, tree),
    "loops": (4.0, loops),
    "planar": (1.5, planar),
    "slider": (1.5, slider),
    "parallelogram": (1.0, parallelogram),
    "spherical": (1.0, spherical),
    "bennett": (1.0, bennett),
    "doubled": (1.5, doubled),
    "rolling": (1.5, rolling),
    "beam tree": (1.0, beam_tree),
    "beam loop": (0.5, beam_loop),
}
"""Share of each family in a campaign, and its drawing."""
OVERCONSTRAINED = ("planar", "slider", "parallelogram", "spherical", "bennett", "doubled", "beam loop")
