"""A scene, the source of every picture: parts that move and bend, arrows and curves, at the same instants ("frames").

A point of a part at X in the part's own axes is drawn at

    x = position + R(quaternion) (X + sum of a_k S_k(X) for carried k + scale * sum of a_k S_k(X) for all other k)

The shapes S_k are fixed fields and the amplitudes a_k functions of time, so that a graphics card can add them up;
second-order terms are shapes like others. The carried shapes are never exaggerated: they keep the joints of the body
closed at any scale. The others add up to the deflection u, which is measured from the chord between the joints. With
scale 1 the points are where the run has computed them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from flexmb.arrays import Floats, Integers
from flexmb.axes import AXES
from flexmb.bodies.orientation import continuous, quaternions, rotations

__all__ = [
    "Arrow", "ArrowKind", "COLORINGS", "Color", "Curve", "ENVELOPES", "Look", "MESH_ERROR", "Part", "PartKind",
    "SIGNED_ENVELOPE", "STRESS_NOTE", "Scene", "Single", "continuous", "playing_speed", "quaternions", "rotations",
]  # fmt: skip

Single = NDArray[np.float32]
Color = tuple[float, float, float]
"""Red, green, blue from 0 to 1."""
PartKind = Literal["flexible", "rigid", "symbol", "ground"]
ArrowKind = Literal["reaction force", "reaction moment", "force", "torque"]

MESH_ERROR = "mesh-error"
COLORINGS = ("displacement", *AXES, "stress", MESH_ERROR, "part")
"""Colourings of a flexible part: |u|, a component of u in the axes of the part, von Mises stress, estimated error of
the mesh, none."""

ENVELOPES = ("largest-stress", "largest-principal")
"""Colourings of a part by its `envelope`: von Mises stress, or principal stress with its sign"""
SIGNED_ENVELOPE = ENVELOPES[1]

STRESS_NOTE = "Stress without"
"""Start of notes that matter only if the scene is coloured by stress"""


@dataclass(frozen=True)
class Part:
    """A part of a scene; s points, m shapes, f frames."""

    name: str
    """Unique in a scene"""
    kind: PartKind
    """A body ("flexible", "rigid"), the symbol of a joint, drive or spring, or the "ground\""""
    points: Floats
    """(s, 3) undeformed, axes of the part [m]"""
    triangles: Integers
    """(t, 3) numbers into `points`, normals outwards"""
    position: Floats
    """(f, 3) of the axes of the part, world [m]"""
    quaternion: Floats
    """(f, 4) from the axes of the part to those of the world, w first, without jumps of sign"""
    color: Color
    shapes: Single = field(default_factory=lambda: np.zeros((0, 0, 3), np.float32))
    """(m, s, 3) displacement per unit of amplitude; the largest one of every shape is 1"""
    amplitudes: Floats = field(default_factory=lambda: np.zeros((0, 0)))
    """(f, m) [m]"""
    carried: int = 0
    """Number of leading shapes that are not exaggerated"""
    stress: Single | None = None
    """(n, s, 6) stress xx, yy, zz, xy, yz, zx per unit of `stress_amplitudes` [Pa/m]; None: unknown"""
    stress_amplitudes: Floats | None = None
    """(f, n)"""
    nodes: Integers | None = None
    """(s,) numbers of the points in the mesh they come from"""
    marks: dict[str, int] = field(default_factory=dict)
    """Points with a name, such as the middle of a beam: name -> number of the point"""
    mesh_error: Single | None = None
    """(s,) estimated error of the strain energy around the points, by its mean density; None: unknown"""
    envelope: Single | None = None
    """(s,) largest stress over a run [Pa]; None: unknown"""

    @property
    def n_shapes(self) -> int:
        """Shapes whose sum is the deflection; none of a rigid part."""
        return len(self.shapes)

    @cached_property
    def _flat(self) -> Single:
        """(m, 3 s)"""
        return np.ascontiguousarray(self.shapes, np.float32).reshape(self.n_shapes, 3 * len(self.points))

    def deflection(self, frame: int) -> Single:
        """(s, 3) u at a frame, axes of the part, not exaggerated [m]"""
        if self.n_shapes <= self.carried:
            return self._still
        weights = self.amplitudes[frame, self.carried :].astype(np.float32)
        return (weights @ self._flat[self.carried :]).reshape(-1, 3)

    @cached_property
    def _still(self) -> Single:
        return np.zeros((len(self.points), 3), np.float32)

    def positions(self, frame: int, scale: float = 1.0) -> Floats:
        """(s, 3) where the points are drawn at a frame, world axes [m]"""
        return self._placed(frame, self._moved(frame, scale))

    def undeformed(self, frame: int) -> Floats:
        """(s, 3) where the points would be without deflection: the ghost, world axes [m]"""
        return self._placed(frame, self._moved(frame, 0.0))

    def _moved(self, frame: int, scale: float) -> Floats:
        if not self.n_shapes:
            return self.points
        weights = self.amplitudes[frame].astype(np.float32)
        weights[self.carried :] *= np.float32(scale)
        return self.points + (weights @ self._flat).reshape(-1, 3)

    def _placed(self, frame: int, local: Floats) -> Floats:
        return local @ rotations(self.quaternion[frame]).T + self.position[frame]

    def von_mises(self, frame: int) -> Single | None:
        """(s,) [Pa]; None if the stress is unknown"""
        if self.stress is None or self.stress_amplitudes is None:
            return None
        weights = self.stress_amplitudes[frame].astype(np.float32)
        sigma = (weights @ self.stress.reshape(len(self.stress), -1)).reshape(-1, 6)
        xx, yy, zz, xy, yz, zx = sigma.T
        normal = 0.5 * ((xx - yy) ** 2 + (yy - zz) ** 2 + (zz - xx) ** 2)
        return np.sqrt(normal + 3.0 * (xy**2 + yz**2 + zx**2))


@dataclass(frozen=True)
class Arrow:
    """A force or moment at a point; f frames, world axes."""

    name: str
    kind: ArrowKind
    unit: str
    position: Floats
    """(f, 3) of the point, without exaggerated deflection [m]"""
    deflection: Floats
    """(f, 3) of the point: drawn at position + (scale - 1) deflection [m]"""
    vector: Floats
    """(f, 3)"""


@dataclass(frozen=True)
class Curve:
    """A channel of the result at the frames."""

    name: str
    unit: str
    values: Floats
    """(f,)"""


@dataclass(frozen=True)
class Scene:
    """Parts, arrows and curves over all frames."""

    title: str
    subtitle: str
    time: Floats
    """(f,) rising [s]"""
    parts: tuple[Part, ...]
    arrows: tuple[Arrow, ...] = ()
    curves: tuple[Curve, ...] = ()
    scale: float = 1.0
    """Initial deflection scale, 1 to 1000"""
    center: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Centre of everything that moves, over all frames [m]"""
    radius: float = 1.0
    """Radius of the bounding sphere about it [m]"""
    up: tuple[float, float, float] = (0.0, 0.0, 1.0)
    """Direction that is drawn upwards: against gravity, else z"""
    chapters: tuple[tuple[float, str], ...] = ()
    """(start [s], title) of consecutive pieces, such as mode shapes; empty: one piece"""
    period: float = 0.0
    """Period of the motion [s]; 0: not periodic"""
    notes: tuple[str, ...] = ()
    """Notes for the user about the pictures"""
    magnified: float = 1.0
    """Magnification of the whole motion before any deflection scale, as for modes of a mechanism"""

    def part(self, name: str) -> Part:
        """The body or symbol of this name."""
        return next(part for part in self.parts if part.name == name)

    @property
    def flexible(self) -> tuple[Part, ...]:
        """Parts that bend."""
        return tuple(part for part in self.parts if part.kind == "flexible")

    @cached_property
    def largest_deflection(self) -> float:
        """[m] over all parts and frames"""
        return max((_largest(part) for part in self.flexible), default=0.0)

    @cached_property
    def largest_stress(self) -> float:
        """[Pa] over all parts and frames; 0 if no stress is known"""
        sizes = [part.von_mises(k) for part in self.flexible for k in range(len(self.time)) if part.stress is not None]
        return max((float(size.max()) for size in sizes if size is not None), default=0.0)

    @property
    def has_stress(self) -> bool:
        """Whether a part can be coloured by stress."""
        return any(part.stress is not None for part in self.parts)

    @property
    def largest_mesh_error(self) -> float:
        """Over all parts; 0 if none is known"""
        found = [part.mesh_error.max(initial=0.0) for part in self.flexible if part.mesh_error is not None]
        return float(max(found, default=0.0))

    @property
    def largest_envelope(self) -> float:
        """Largest magnitude of the envelopes of all parts [Pa]; 0 if none is known"""
        found = [np.abs(part.envelope).max(initial=0.0) for part in self.flexible if part.envelope is not None]
        return float(max(found, default=0.0))

    def frame_at(self, time: float) -> int:
        """The frame that is nearest to a time [s]."""
        return int(np.argmin(np.abs(self.time - time)))


@dataclass(frozen=True)
class Look:
    """Options for drawing a scene, the same for pages, pictures and windows."""

    scale: float | None = None
    """Deflection scale; None: that of the scene"""
    color: str = "displacement"
    """One of COLORINGS"""
    view: str = "iso"
    """One of camera.VIEWS"""
    follow: str = ""
    """Body that the camera follows; empty: ground"""
    ghost: bool = False
    """Also draw the undeformed body"""
    symbols: bool = True
    arrows: bool = False
    dark: bool = False
    size: tuple[int, int] = (1280, 720)
    """Pixels"""
    fps: int = 30
    speed: float | None = None
    """Simulated seconds per second of playback; None: see `playing_speed`"""

    def scale_of(self, scene: Scene) -> float:
        """Deflection scale: as given, or that of the scene."""
        return scene.scale if self.scale is None else self.scale


PLAYING = 10.0
"""Default playback time of a whole run [s]"""


def playing_speed(scene: Scene, look: Look) -> float:
    """Simulated seconds per second of playback."""
    if look.speed is not None:
        return look.speed
    span = float(scene.time[-1] - scene.time[0])
    if scene.chapters:
        return 1.0
    return min(1.0, span / PLAYING) if span > 0.0 else 1.0


_BLOCK = 16
"""Frames evaluated together: shapes are then read from memory once for all of them."""


def _largest(part: Part) -> float:
    """[m] of |u| over all frames"""
    shapes = part._flat[part.carried :]
    if not shapes.size:
        return 0.0
    weights = part.amplitudes[:, part.carried :].astype(np.float32)
    squares = (
        ((weights[first : first + _BLOCK] @ shapes).reshape(-1, len(part.points), 3) ** 2).sum(axis=2).max()
        for first in range(0, len(weights), _BLOCK)
    )
    return float(np.sqrt(max(squares)))
