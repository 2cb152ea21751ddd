"""Motion of a mechanism at the frames of a scene: poses of bodies and of markers, with their deformation.

It comes from the rows of a result (`RecordedMotion`) or from rows computed for the picture (`ComputedMotion`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from flexmb.arrays import Floats, Integers
from flexmb.bodies.flexible_body import FlexibleBody
from flexmb.bodies.skin import marker_motion
from flexmb.errors import InputError
from flexmb.results.result_file import Result
from flexmb.system.mechanism import Mechanism
from flexmb.system.system import Channel
from flexmb.view.chord_frame import ChordFrame, chord_frame
from flexmb.view.scene import continuous, rotations


@dataclass(frozen=True)
class MarkerPath:
    """A marker at every frame, world axes."""

    position: Floats
    """(f, 3) [m]"""
    R: Floats
    """(f, 3, 3) from marker axes"""
    deflection: Floats
    """(f, 3) displacement from its place on the undeformed body [m], which the deflection scale multiplies"""


class MechanismMotion(ABC):
    """Bodies and markers of a mechanism at the frames; `base` is the motion of the ground, if it moves."""

    def __init__(self, mechanism: Mechanism, n_frames: int, source: str, base: Any = None):
        self.mechanism = mechanism
        self.n_frames = n_frames
        self.source = source
        """Source of the motion, for messages"""
        self.base = base
        self._frames: dict[int, ChordFrame] = {}

    @abstractmethod
    def channel(self, path: str) -> Floats:
        """(f, ...) a channel at the frames"""

    @cached_property
    def time(self) -> Floats:
        """Times of the rows [s], (n_rows,)."""
        return self.channel("time")

    @cached_property
    def _poses(self) -> list[tuple[Floats, Floats]]:
        """Position (f, 3) and quaternion (f, 4) of every body."""
        poses = [(np.zeros((self.n_frames, 3)), self._ground_turn())]
        for body in self.mechanism.bodies[1:]:
            place, turn = self.channel(f"bodies/{body.name}/position"), self.channel(f"bodies/{body.name}/quaternion")
            length = np.linalg.norm(turn, axis=1, keepdims=True)
            if not (np.isfinite(place).all() and np.all(length > 0.5)):
                raise InputError(f"{self.source} has no valid poses of body '{body.name}', so it cannot be drawn.")
            poses.append((place, continuous(turn / length)))
        return poses

    def _ground_turn(self) -> Floats:
        """(f, 4) of the ground, which may turn about an axis through its origin; poses of bodies do not turn with it"""
        if self.base is None or self.base.rotation is None:
            return np.tile([1.0, 0.0, 0.0, 0.0], (self.n_frames, 1))
        half = 0.5 * np.array([self.base.rotation.angle(t) for t in self.time])
        return np.column_stack([np.cos(half), np.outer(np.sin(half), self.base.rotation.axis)])

    def body_pose(self, body: int) -> tuple[Floats, Floats]:
        """Position (f, 3) and quaternion (f, 4) of a body frame, world."""
        return self._poses[body]

    def elastic(self, body: FlexibleBody) -> Floats:
        """(f, n) elastic coordinates"""
        return self.channel(f"bodies/{body.name}/elastic_position").reshape(self.n_frames, body.n_modes)

    def chord_of(self, body: int) -> ChordFrame:
        """The frame from which the deflection of a flexible body is measured: see `chord_frame`."""
        if body not in self._frames:
            placed = self.mechanism.bodies[body]
            assert isinstance(placed, FlexibleBody)
            q = self.elastic(placed)
            markers = [self.mechanism.markers[number] for number in self._joint_markers(body)]
            moves = [marker_motion(placed, marker, q) for marker in markers]
            joints = np.array([marker.p_b for marker in markers]).reshape(-1, 3)
            places = np.stack([j + u for j, (u, _) in zip(joints, moves, strict=True)], axis=1) if moves else None
            turns = np.stack([R for _, R in moves], axis=1) if moves else None
            if places is None or turns is None:
                places, turns = np.zeros((self.n_frames, 0, 3)), np.zeros((self.n_frames, 0, 3, 3))
            self._frames[body] = chord_frame(joints, places, turns, placed.length)
        return self._frames[body]

    def _joint_markers(self, body: int) -> list[int]:
        """Markers of a body that have joints, except free joints."""
        used = [
            marker
            for joint in self.mechanism.joints
            if joint.type.name != "free"
            for marker in (joint.first, joint.second)
        ]
        return list(dict.fromkeys(number for number in used if self.mechanism.markers[number].body == body))

    def marker_path(self, number: int) -> MarkerPath:
        """A marker at every frame."""
        marker = self.mechanism.markers[number]
        body = self.mechanism.bodies[marker.body]
        position, quaternion = self.body_pose(marker.body)
        R_wb = rotations(quaternion)
        u, R, deflection = np.zeros((self.n_frames, 3)), np.eye(3), np.zeros((self.n_frames, 3))
        if isinstance(body, FlexibleBody) and body.n_modes:
            u, R = marker_motion(body, marker, self.elastic(body))
            chord = self.chord_of(marker.body)
            local = chord.deflections(marker.p_b[None], u[:, None])[:, 0]
            deflection = np.einsum("rij,rj->ri", R_wb @ chord.R, local)
        place = position + np.einsum("rij,rj->ri", R_wb, marker.p_b + u)
        return MarkerPath(place, R_wb @ R @ marker.R_b, deflection)


class RecordedMotion(MechanismMotion):
    """Chosen rows of a result."""

    def __init__(self, result: Result, mechanism: Mechanism, rows: Integers, base: Any = None):
        super().__init__(mechanism, len(rows), f"'{result.path}'", base)
        self.result = result
        self.rows = rows

    def channel(self, path: str) -> Floats:
        """(f, ...) a channel at the frames"""
        return self.result.read(self.result.names.find(path), int(self.rows[0]), int(self.rows[-1]) + 1)[
            self.rows - self.rows[0]
        ]


class ComputedMotion(MechanismMotion):
    """Rows of outputs as a system writes them, rows : (f, n_out), with its channels; all at one time [s]."""

    def __init__(self, mechanism: Mechanism, channels: Iterable[Channel], rows: Floats, time: float, base: Any = None):
        super().__init__(mechanism, len(rows), "the model", base)
        self._channels = {channel.path: channel for channel in channels}
        self._rows = rows
        self._time = time

    def channel(self, path: str) -> Floats:
        """(f, ...) a channel at the frames"""
        if path == "time":
            return np.full(self.n_frames, self._time)
        found = self._channels[path]
        width = int(np.prod(found.shape)) if found.shape else 1
        return self._rows[:, found.start : found.start + width].reshape(self.n_frames, *found.shape)
