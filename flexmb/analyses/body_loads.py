"""Motion and loads of the flexible bodies of a result, row by row, from the recorded motion put into the equations.

Recorded q, v, a and multipliers enter the residual of the run's own system. Out come the motion of every body frame and
the loads at every marker: forces, torques, distributed forces, springs, motions and joints that are chords. A joint of
the tree transmits the accumulated wrench of its child, less its part RES along the free motions that no effort balances
(RES is zero when the row satisfies the equations of motion; otherwise the body is out of balance by it):
    f = f_b - S (S^T S)^-1 RES                                                         (theory 7, 8, 10)
"""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from flexmb.analyses.preparation import prepare
from flexmb.arrays import Floats, Integers
from flexmb.bodies.beam_inertia import MotionHistory
from flexmb.errors import InputError
from flexmb.layout import flat_arrays as L
from flexmb.model.model import Model
from flexmb.results.model_of_result import model_of
from flexmb.results.result_file import Result
from flexmb.solvers.mechanics import Mechanics
from flexmb.solvers.shared_basis import put_multipliers
from flexmb.system.system import System


@dataclass(frozen=True)
class BodyLoads:
    """Motion of a flexible body and the loads on it, at r rows of a result; body axes."""

    motion: MotionHistory
    markers: tuple[int, ...]
    """Markers that may be loaded: numbers in the mechanism."""
    force: Floats
    """(r, k, 3) [N]"""
    moment: Floats
    """(r, k, 3) about the body origin [N m]"""
    place: Floats
    """(r, k, 3) the markers on the deformed body [m]"""


def system_of(result: Result, model: Model | None = None, folder: str | os.PathLike[str] | None = None) -> System:
    """The system that a result was computed with; `folder`: another folder to search for body files."""
    system = prepare(model_of(result, folder) if model is None else model).system
    for path, length in (("q", system.n_q), ("v", system.n_v), ("multipliers", len(system.evaluated))):
        found = result.channels[f"coordinates/{path}"].shape
        if path == "multipliers" and found == (len(system.sharing.kept),):
            continue  # an older result: of some of the rows that repeat each other
        if found != (length,):
            raise InputError(
                f"'{result.path}' has {found[0]} coordinates/{path}, the model has {length}: "
                "the model does not belong to this result. Leave out the model: the result holds its own."
            )
    return system


def body_loads(result: Result, system: System, numbers: Collection[int], rows: Sequence[int]) -> dict[int, BodyLoads]:
    """Motion and loads of flexible bodies at some rows of a result, by their number in the mechanism."""
    replay = _Replay(result, system)
    watches = {number: _Watch(system, number) for number in numbers}
    seen = {number: np.zeros((len(rows), watch.size)) for number, watch in watches.items()}
    for k, row in enumerate(rows):
        replay.run(row, watches.values())
        for number, watch in watches.items():
            seen[number][k] = replay.work[watch.indices]
    return {number: watch.loads(seen[number]) for number, watch in watches.items()}


class _Replay:
    """Workspace of a system that is set to the rows of a result one after another."""

    def __init__(self, result: Result, system: System):
        self.work = system.workspace()
        self.mechanics = Mechanics(system, self.work)
        self.time = result.time
        rows = len(self.time)
        names = ("q", "v", "a", "multipliers")
        self.state = [result[f"coordinates/{name}"].reshape(rows, -1) for name in names]
        kept = list(system.sharing.kept)
        if self.state[3].shape[1] < len(system.evaluated):
            multipliers = np.zeros((rows, len(system.evaluated)))
            multipliers[:, kept] = self.state[3]
            self.state[3] = multipliers
        self.turns: list[tuple[slice, Floats]] = []
        for number, joint in enumerate(system.topology.chords):
            record = int(system.ints[L.CHORDS]) + number * L.CHORD
            place, n = int(system.ints[record + L.K_MEMORY]), int(system.ints[record + L.K_N])
            if place >= 0:  # turn counters continue from the recorded angles
                name = system.mechanism.joints[joint].name
                angles, rates = (result[f"joints/{name}/{key}"].reshape(rows, n) for key in ("position", "velocity"))
                self.turns.append((slice(place, place + 2 * n + 1), np.column_stack([angles, rates, self.time])))

    def run(self, row: int, watches: Collection[_Watch]) -> None:
        """Evaluate the residual of a row."""
        mechanics = self.mechanics
        mechanics.t = float(self.time[row])
        *motion, multipliers = self.state
        for view, recorded in zip((mechanics.q, mechanics.v, mechanics.a), motion, strict=True):
            view[:] = recorded[row]
        put_multipliers(mechanics, multipliers[row])
        for place, recorded in self.turns:
            self.work[place] = recorded[row]
        for watch in watches:
            self.work[watch.applied] = 0.0
        mechanics.run(L.AT_WHOLE_RESIDUAL)


class _Branch:
    """A joint of the tree on a body, with the workspace offsets of the wrench that it transmits to its child."""

    def __init__(self, system: System, flat: int, sign: float):
        ints, record = system.ints, int(system.ints[L.BODIES]) + flat * L.BODY
        self.sign, self.n = sign, int(ints[record + L.B_NJ])
        block, v = int(ints[record + L.B_W]), int(ints[L.RES] + ints[record + L.B_V])
        marker = int(ints[L.MARKERS]) + int(ints[record + L.B_CHILD_MARKER]) * L.MARKER
        self.on_parent, self.on_child = (int(ints[record + slot]) for slot in (L.B_PARENT_MARKER, L.B_CHILD_MARKER))
        self.arm: Floats | None = None
        if not ints[marker + L.MK_FLEX]:
            place = int(ints[marker + L.MK_F])
            self.arm = system.floats[place : place + 3]
        parts = [_span(block + L.W_F, 6), _span(block + L.W_R_W, 9), _span(block + L.W_P_W, 3)]
        parts += [_span(int(ints[marker + L.MK_W]) + L.S_BODY, 3)]
        parts += [_span(v, self.n), _span(int(ints[record + L.B_H]), 6 * self.n)]
        self.indices = np.concatenate(parts)

    def wrench(self, seen: Floats) -> tuple[Floats, Floats]:
        """Force (r, 3) and moment about the world origin (r, 3), world axes, on the watched body."""
        force, moment = seen[:, :3], seen[:, 3:6]
        R, p = seen[:, 6:15].reshape(-1, 3, 3), seen[:, 15:18]
        arm = seen[:, 18:21] if self.arm is None else self.arm
        if self.n:
            residual = seen[:, 21 : 21 + self.n]
            columns = seen[:, 21 + self.n :].reshape(-1, self.n, 6)
            w = columns[:, :, 3:]
            v = columns[:, :, :3] + np.cross(w, np.broadcast_to(arm, force.shape)[:, None])
            S = np.concatenate([v, w], axis=2)
            excess = np.einsum("rni,rn->ri", S, np.linalg.solve(S @ S.swapaxes(1, 2), residual[..., None])[..., 0])
            force = force - excess[:, :3]
            moment = moment - excess[:, 3:] - np.cross(arm, excess[:, :3])
        force, moment = (np.einsum("rij,rj->ri", R, vector) for vector in (force, moment))
        return self.sign * force, self.sign * (moment + np.cross(p, force))


class _Watch:
    """Workspace entries that hold the motion and the loads of a flexible body."""

    def __init__(self, system: System, number: int):
        ints, mechanism = system.ints, system.mechanism
        branches = enumerate(system.topology.branches, start=1)
        self.flat, joints = 0, []
        for flat, branch in branches:
            if branch.body == number:
                self.flat = flat
            if branch.joint is not None and number in (branch.body, branch.parent):
                joints.append(_Branch(system, flat, 1.0 if branch.body == number else -1.0))
        self.joints = joints
        record = int(ints[L.BODIES]) + self.flat * L.BODY
        block, n = int(ints[record + L.B_W]), int(ints[record + L.B_NF])
        q, v = int(ints[record + L.B_ELASTIC_Q]), int(ints[record + L.B_V] + ints[record + L.B_NJ])
        self.n, self.markers = n, [k for k, marker in enumerate(mechanism.markers) if marker.body == number]
        blocks = [int(ints[int(ints[L.MARKERS]) + k * L.MARKER + L.MK_W]) for k in self.markers]
        self.applied = np.concatenate([_span(place + L.S_COLUMNS + 6 * n, 6) for place in blocks])
        parts = [_span(int(ints[L.Q]) + q, n), _span(int(ints[L.V]) + v, n), _span(int(ints[L.A]) + v, n)]
        parts += [_span(block + slot, 3) for slot in (L.W_ACC, L.W_ALPHA, L.W_OMEGA)]
        parts += [_span(block + L.W_R_W, 9), _span(block + L.W_P_W, 3)]
        parts += [*(_span(place + L.S_BODY, 3) for place in blocks), self.applied]
        parts += [joint.indices for joint in joints]
        self.ends = np.cumsum([len(part) for part in parts])
        self.indices = np.concatenate(parts)
        self.size = len(self.indices)

    def loads(self, seen: Floats) -> BodyLoads:
        """Motion and loads from the recorded entries, (r, size)."""
        parts = np.split(seen, self.ends[:-1], axis=1)
        rows, k = len(seen), len(self.markers)
        motion = MotionHistory(*parts[:6])
        R, p = parts[6].reshape(rows, 3, 3), parts[7]
        arm = np.stack(parts[8 : 8 + k], axis=1)
        applied = parts[8 + k].reshape(rows, k, 6)
        force = applied[:, :, :3].copy()
        moment = applied[:, :, 3:] + np.cross(arm, force)
        for joint, found in zip(self.joints, parts[9 + k :], strict=True):
            f, about_world = joint.wrench(found)
            about_origin = about_world - np.cross(p, f)
            at = self.markers.index(joint.on_child if joint.sign > 0.0 else joint.on_parent)
            force[:, at] += np.einsum("rji,rj->ri", R, f)
            moment[:, at] += np.einsum("rji,rj->ri", R, about_origin)
        return BodyLoads(motion, tuple(self.markers), force, moment, arm)


def _span(start: int, length: int) -> Integers:
    return np.arange(start, start + length, dtype=np.int64)
