"""Reactions of all joints by the recursive method: from the ends of the tree inwards, body by body.

In: poses, rates and accelerations of a result, and the loads. Out: the reaction of every joint. All wrenches are
(force, moment about the world origin), so that the wrench that a branch transmits to its child is a sum over the bodies
beyond it (theory 10; [Lee et al. 2001]):

    W_c = sum over the subtree of (mass times acceleration - loads) - sum of the chords that act on it

The inverse velocity transformation R gives the rates of a joint from the velocities of its bodies,
q'_J = Hp (V_c - A_c y_p - E q'_c), Hp = (S^T S)^-1 S^T; its transpose F_eq = R^T Q spreads an effort Q of a joint as
Hp^T Q on the child and the opposite on the parent. The reactions of the chords and the efforts of the motions follow
from the joint equations S^T W_c = Q of all branches; components that these leave open (redundant constraints) are
chosen smallest and marked. The tree consists of joints, whatever the coordinates of the run. Nothing here calls the
compiled kernels: the method checks them independently.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from flexmb.arrays import Floats
from flexmb.axes import AXES
from flexmb.errors import Fault, InputError
from flexmb.loads.table import LOAD_TYPES
from flexmb.model.model import Model
from flexmb.model.schema.loads import (
    Bushing,
    Cable,
    OnCoordinate,
    PairForce,
    PointForce,
    PointTorque,
    SpringDamper,
    Stop,
)
from flexmb.model.schema.model_spec import ModelSpec
from flexmb.recursive.recorded_accelerations import RecordedMechanism, turned
from flexmb.results.inverse_result import RecursiveReactions
from flexmb.results.joint_reactions import JointReaction
from flexmb.results.result_file import Result
from flexmb.system.mechanism import PlacedJoint
from flexmb.system.topology import Topology, topology

COVERED = tuple(row.name for row in LOAD_TYPES.values() if not row.not_in_recursion)
OPEN = 1e-9
"""Singular values of the joint equations below this fraction of the largest count as zero."""


def uncovered(spec: ModelSpec) -> list[Fault]:
    """Faults for the loads, couplings, joints and ground motion that this method does not cover."""
    faults = []
    for name, force in spec.forces.items():
        if reason := LOAD_TYPES[force.type].not_in_recursion:
            text = f'"{force.type}" is not covered by recursive reactions: {reason} (covered: {", ".join(COVERED)}).'
            faults.append(Fault(text, ("forces", name), "Leave out --reactions recursive."))
    for name in spec.couplings:
        text = "a coupling is not covered by recursive reactions."
        faults.append(Fault(text, ("couplings", name), "Leave out --reactions recursive."))
    for name, joint in spec.joints.items():
        if not joint.kind.branch:
            text = f"a {joint.kind.name} joint is not covered by recursive reactions."
            faults.append(Fault(text, ("joints", name), "Leave out --reactions recursive."))
    if spec.base is not None and (spec.base.rotation is not None or spec.base.acceleration is not None):
        text = "a moving ground is not covered by recursive reactions."
        faults.append(Fault(text, ("base",), "Leave out --reactions recursive."))
    return faults


def recursive_reactions(result: Result, model: Model) -> RecursiveReactions:
    """Reactions of all joints of a result of `model`.

    Raises InputError when the model has loads or joints that this method does not cover.
    """
    if faults := uncovered(model.spec):
        raise InputError(faults)
    return _Tree(RecordedMechanism(result, model.spec)).solve()


@dataclass(frozen=True)
class _Pair:
    """A wrench (r, 6) about the world origin on one body and the opposite on another."""

    on: int
    against: int
    wrench: Floats


def _turning_moment(R_wa: Floats, R_wb: Floats, axis: int) -> Floats:
    """(r, 3) moment on b, world axes, of a unit effort on a component of the rotation vector of b relative to a.

    theta = log R_ab has theta' = J^-1 omega with the left Jacobian J of the exponential; the moment is R_wa J^-T e.
    """
    found = np.empty((len(R_wa), 3))
    for k, (A, B) in enumerate(zip(R_wa, R_wb, strict=True)):
        theta = Rotation.from_matrix(A.T @ B).as_rotvec()
        phi, cross = float(np.linalg.norm(theta)), np.cross(np.eye(3), theta)
        J = np.eye(3) + 0.5 * cross
        if phi > 1e-4:  # below, what is left out is phi^2 / 24
            J = np.eye(3) + (1.0 - np.cos(phi)) / phi**2 * cross + (phi - np.sin(phi)) / phi**3 * cross @ cross
        found[k] = A @ np.linalg.solve(J.T, np.eye(3)[axis])
    return found


class _Tree:
    """Joint equations of a mechanism; the unknowns are wrenches of chords and efforts of motions."""

    def __init__(self, mechanism: RecordedMechanism):
        self.m = mechanism
        self.spec, self.parts = mechanism.spec, mechanism.mechanism
        self.tree: Topology = topology(self.spec, self.parts, initial_state=True)
        self.beyond = self._subtrees()
        self.in_tree = {self.parts.joints[b.joint].name for b in self.tree.branches if b.joint is not None}
        self.length = float(np.ptp(np.concatenate([mechanism.pose(k)[0] for k in self._ends()]), axis=0).max()) or 1.0
        self.known: list[_Pair] = []
        self.known_efforts: dict[tuple[str, int], Floats] = {}
        self.unknown: list[_Pair | tuple[str, int]] = []
        """A pair of wrenches, or the coordinate of a joint in the tree on which an effort acts; all of unit size."""
        self.scales: list[float] = []
        """Size of one unit [N]: moments are divided by the length"""

    def _ends(self) -> list[int]:
        return [end for joint in self.parts.joints for end in (joint.first, joint.second)] or [0]

    def _subtrees(self) -> dict[int, set[int]]:
        """Bodies beyond every branch, including its own body."""
        beyond = {branch.body: {branch.body} for branch in self.tree.branches}
        for branch in reversed(self.tree.branches):
            if branch.parent:
                beyond[branch.parent] |= beyond[branch.body]
        return beyond

    def body_of(self, marker: int) -> int:
        return self.parts.markers[marker].body

    def about_origin(self, force: Floats, moment: Floats, at: Floats) -> Floats:
        """(..., 6) wrench about the world origin of a force and moment at points `at`, world axes"""
        return np.concatenate([force, moment + np.cross(at, force)], axis=-1)

    def joint_pair(self, joint: PlacedJoint, local: Floats) -> _Pair:
        """The wrench (r, 6) that a joint exerts on its second body at its second marker, axes of the first."""
        R, at = self.m.pose(joint.first)[1], self.m.pose(joint.second)[0]
        wrench = self.about_origin(turned(R, local[:, :3]), turned(R, local[:, 3:]), at)
        return _Pair(self.body_of(joint.second), self.body_of(joint.first), wrench)

    def solve(self) -> RecursiveReactions:
        self._apply_loads()
        chords = self._add_chords()
        motions = self._add_motions()
        sizes = np.array(self.scales)
        x, open_ways = _least(*self._equations(), sizes)
        efforts = {name: x[:, column] for name, column in motions.items()}
        reactions, determined = {}, {}
        for joint in self.parts.joints:
            value = self._reaction(joint, chords, x, with_known=True)
            ways = [self._reaction(joint, chords, way, with_known=False) for way in open_ways]
            moved = np.max(np.abs(ways), axis=0) if ways else np.zeros_like(value)
            moved[:, 3:] /= self.length
            determined[joint.name] = np.asarray(moved < 1e-6)
            reactions[joint.name] = self._named(joint, value)
        return RecursiveReactions(reactions, efforts, determined, self.length)

    def _named(self, joint: PlacedJoint, value: Floats) -> JointReaction:
        R, at = self.m.pose(joint.first)[1], self.m.pose(joint.second)[0]
        first, second = (self.parts.bodies[self.body_of(end)].name for end in (joint.first, joint.second))
        force, moment = value[:, :3], value[:, 3:]
        return JointReaction(joint.name, first, second, force, moment, turned(R, force), turned(R, moment), at)

    def _apply_loads(self) -> None:
        """Collect the known wrenches: inertia (less gravity) and loads."""
        gravity = np.asarray(self.spec.model.gravity, dtype=float)
        for number in range(1, len(self.parts.bodies)):
            wrench = self.m.inertia_wrench(number, gravity)
            at = self.m.body_pose(number)[0]
            self.known.append(_Pair(number, 0, -self.about_origin(wrench[:, :3], wrench[:, 3:], at)))
        nothing = np.zeros((self.m.rows, 3))
        for name, force in self.spec.forces.items():
            if isinstance(force, PointForce | PointTorque):
                marker = self.parts.marker_index[force.marker]
                vector = self.m.result[f"forces/{name}/{force.type}"]
                push, turn = (vector, nothing) if force.type == "force" else (nothing, vector)
                wrench = self.about_origin(push, turn, self.m.pose(marker)[0])
                self.known.append(_Pair(self.body_of(marker), 0, wrench))
                continue
            effort = self.m.result[f"forces/{name}/effort"]
            if isinstance(force, (SpringDamper, PairForce, Stop, Cable)):
                self.known += [self._pull(first, second, effort) for first, second in pairwise(force.markers)]
            elif isinstance(force, Bushing):
                first, second = (self.parts.marker_index[marker] for marker in force.markers)
                push, turn = (self.m.result[f"forces/{name}/{key}"] for key in ("force", "moment"))
                wrench = self.about_origin(push, turn, self.m.pose(second)[0])
                self.known.append(_Pair(self.body_of(second), self.body_of(first), wrench))
            elif isinstance(force, OnCoordinate):
                joint = self.parts.joints[self.parts.joint_index[force.joint]]
                coordinate = joint.type.coordinates.index(self.spec.coordinate(force.joint, force.coordinate))
                self._known_effort(joint, coordinate, effort)

    def _pull(self, start: str, end: str, tension: Floats) -> _Pair:
        """Wrenches along the line of two markers; tension pulls them together."""
        first, second = (self.parts.marker_index[marker] for marker in (start, end))
        at = self.m.pose(first)[0]
        line = self.m.pose(second)[0] - at
        size = np.linalg.norm(line, axis=1)[:, None]
        pull = tension[:, None] * np.where(size > 1e-12, line / np.where(size > 0.0, size, 1.0), 0.0)
        return _Pair(self.body_of(first), self.body_of(second), self.about_origin(pull, 0.0 * pull, at))

    def _known_effort(self, joint: PlacedJoint, coordinate: int, effort: Floats) -> None:
        if joint.name in self.in_tree:
            key = (joint.name, coordinate)
            self.known_efforts[key] = self.known_efforts.get(key, 0.0) + effort
        else:
            local = self.m.free_motions(joint).effort[:, coordinate] * effort[:, None]
            self.known.append(self.joint_pair(joint, local))

    def _add_chords(self) -> dict[str, tuple[Floats, int]]:
        """Directions (r, 6, k) of every chord's reaction, axes of its first marker, and the index of the first."""
        found = {}
        for joint in self.parts.joints:
            if joint.name in self.in_tree:
                continue
            free = self.m.free_motions(joint).columns * np.repeat([1.0, self.length], 3)  # moments over the length
            basis = np.linalg.svd(free, full_matrices=True)[2][:, free.shape[1] :]
            basis = np.swapaxes(basis, 1, 2) / np.repeat([1.0, 1.0 / self.length], 3)[None, :, None]
            found[joint.name] = (basis, len(self.unknown))
            for column in np.moveaxis(basis, 2, 0):
                self.unknown.append(self.joint_pair(joint, column))
                self.scales.append(1.0)
        return found

    def _add_motions(self) -> dict[str, int]:
        """Index of the effort of every motion among the unknowns."""
        found = {}
        for name, motion in self.spec.motions.items():
            found[name] = len(self.unknown)
            if motion.joint is None:
                assert motion.marker is not None
                marker = self.parts.marker_index[motion.marker]
                seen_from = self.parts.marker_index[motion.relative_to]
                R, axis = self.m.pose(seen_from)[1], AXES.index(motion.along or motion.about or "")
                push, turn = R[:, :, axis], np.zeros((self.m.rows, 3))
                if motion.about is not None:
                    push, turn = turn, _turning_moment(R, self.m.pose(marker)[1], axis)
                wrench = self.about_origin(push, turn, self.m.pose(marker)[0])
                self.unknown.append(_Pair(self.body_of(marker), self.body_of(seen_from), wrench))
                self.scales.append(1.0 if motion.about is None else self.length)
                continue
            joint = self.parts.joints[self.parts.joint_index[motion.joint]]
            coordinate = joint.type.coordinates.index(self.spec.coordinate(motion.joint, motion.coordinate))
            self.scales.append(1.0 if joint.type.kinds[coordinate] == "length" else self.length)
            if joint.name in self.in_tree:
                self.unknown.append((joint.name, coordinate))
            else:
                self.unknown.append(self.joint_pair(joint, self.m.free_motions(joint).effort[:, coordinate]))
        return found

    def _beyond(self, body: int, pair: _Pair) -> float:
        """Net count of a pair of wrenches on the bodies beyond a branch: 1, -1 or 0."""
        inside = self.beyond[body]
        return float(pair.on in inside) - float(pair.against in inside)

    def _handed_over(self, body: int) -> Floats:
        """(r, 6) wrench that the branch of a body must transmit to it when all unknowns are zero"""
        total = np.zeros((self.m.rows, 6))
        for pair in self.known:
            total -= self._beyond(body, pair) * pair.wrench
        return total

    def _equations(self) -> tuple[Floats, Floats]:
        """S^T W_c = Q of every branch as A x = b : (r, equations, unknowns), (r, equations); moments over the length"""
        rows, sides = [], []
        for body, columns, sign, joint in self._branches():
            wrench = sign * self._handed_over(body)
            for k in range(columns.shape[1]):
                column = columns[:, k]
                size = self.length if np.any(column[:, 3:]) else 1.0
                sides.append((np.sum(column * wrench, axis=1) - self.known_efforts.get((joint, k), 0.0)) / size)
                row = np.zeros((self.m.rows, len(self.unknown)))
                for place, unknown in enumerate(self.unknown):
                    if isinstance(unknown, tuple):
                        row[:, place] = float(unknown == (joint, k))
                    elif (times := self._beyond(body, unknown)) != 0.0:
                        row[:, place] = sign * times * np.sum(column * unknown.wrench, axis=1)
                rows.append(row / size)
        if not rows:
            return np.zeros((self.m.rows, 0, len(self.unknown))), np.zeros((self.m.rows, 0))
        return np.stack(rows, axis=1), np.stack(sides, axis=1)

    def _branches(self) -> Iterator[tuple[int, Floats, float, str]]:
        """Body, free motions (r, n, 6) about the world origin, sign of the joint's wrench and name of its joint."""
        for branch in self.tree.branches:
            if branch.joint is None:
                yield branch.body, np.tile(np.eye(6), (self.m.rows, 1, 1)), 1.0, ""
                continue
            joint = self.parts.joints[branch.joint]
            S, R, at = self.m.free_motions(joint), self.m.pose(joint.first)[1], self.m.pose(joint.second)[0]
            S_w, S_v = turned(R, S.S_w), turned(R, S.S_v)
            columns = np.concatenate([S_v - np.cross(S_w, at[:, None, :]), S_w], axis=2)
            yield branch.body, columns, -1.0 if branch.reversed else 1.0, joint.name

    def _reaction(self, joint: PlacedJoint, chords: dict[str, Any], x: Floats, *, with_known: bool) -> Floats:
        """(r, 6) force and moment on the second body at its marker, axes of the first, without those of efforts."""
        if joint.name in chords:
            basis, first = chords[joint.name]
            return np.asarray(np.einsum("rij,rj->ri", basis, x[:, first : first + basis.shape[2]]))
        branch = next(b for b in self.tree.branches if b.joint == self.parts.joint_index[joint.name])
        total = self._handed_over(branch.body) if with_known else np.zeros((self.m.rows, 6))
        for place, unknown in enumerate(self.unknown):
            if isinstance(unknown, _Pair):
                total = total - self._beyond(branch.body, unknown) * unknown.wrench * x[:, place, None]
        total = -total if branch.reversed else total
        R, at = self.m.pose(joint.first)[1], self.m.pose(joint.second)[0]
        back = np.swapaxes(R, 1, 2)
        moment = total[:, 3:] - np.cross(at, total[:, :3])
        local = np.concatenate([turned(back, total[:, :3]), turned(back, moment)], axis=1)
        S = self.m.free_motions(joint)
        along = np.einsum("rni,ri->rn", S.columns, local)
        return np.asarray(local - np.einsum("rni,rn->ri", S.effort, along))


def _least(A: Floats, b: Floats, sizes: Floats) -> tuple[Floats, Floats]:
    """x : (r, n) of least x/sizes with A x = b, and the directions (n, r, n) that A leaves open; zero elsewhere."""
    if not A.shape[1] or not A.shape[2]:
        open_ways = np.tile(np.eye(len(sizes))[:, None, :], (1, len(b), 1))
        return np.zeros((len(b), len(sizes))), open_ways * sizes
    left, sigma, right = np.linalg.svd(A * sizes, full_matrices=True)
    kept = sigma > OPEN * np.maximum(sigma.max(axis=1), 1e-300)[:, None]
    n = sigma.shape[1]
    found = np.where(kept, np.einsum("rji,rj->ri", left[:, :, :n], b) / np.where(kept, sigma, 1.0), 0.0)
    x = np.einsum("rij,ri->rj", right[:, :n], found) * sizes
    is_open = np.ones(right.shape[:2], dtype=bool)
    is_open[:, :n] = ~kept
    return np.asarray(x), np.swapaxes(right * is_open[:, :, None], 0, 1) * sizes
