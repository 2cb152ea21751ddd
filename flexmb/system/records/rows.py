"""Flat records of chords, constraint rows and motions."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from flexmb.axes import AXES
from flexmb.layout import flat_arrays as L
from flexmb.system.mechanism import Mechanism
from flexmb.system.records.packing import Packer, joint_key
from flexmb.system.records.tree import TreeRecords
from flexmb.system.system import Row, Sharing

_ROW_KINDS = {
    "offset": L.ROW_POINT,
    "angle": L.ROW_DOT,
    "distance": L.ROW_DISTANCE,
    "advance": L.ROW_SCREW,
    "contact": L.ROW_ROLL,
    "sliding": L.ROW_ROLL,
}
"""Kernel of every condition of a joint that is a chord (theory 8)."""


@dataclass
class _Pending:
    """A row before it is known where it will stand."""

    row: Row
    record: list[int]
    joint: int | None = None
    motion: str | None = None


@dataclass(frozen=True)
class Coordinate:
    """Place of a joint coordinate: value, rate and acceleration in W, and how to act on it."""

    on_tree: bool
    q: int
    v: int
    a: int
    index: int
    """Tree: index among the velocities; chord: number of the coordinate in its joint."""
    chord: int
    """Number of the chord, -1 on the tree."""
    q_index: int
    """Tree: index among the stored coordinates."""


class RowRecords:
    """Chords, rows and motions of a system under construction."""

    def __init__(
        self, pack: Packer, mechanism: Mechanism, tree: TreeRecords, chords: tuple[int, ...], joint_f: list[int]
    ):
        self.pack = pack
        self.mechanism = mechanism
        self.tree = tree
        self.joint_f = joint_f
        self.chord_number = {joint: number for number, joint in enumerate(chords)}
        self.chord_records: list[list[int]] = []
        self.memory: list[float] = []
        self.memory_place: dict[int, int] = {}
        self._lay_out_memory()
        for joint in chords:
            self.chord_records.append(self._chord(joint, joint_f[joint]))
        self.pending: list[_Pending] = []
        self.joint_rows: dict[int, list[int]] = {}
        self.motion_row: dict[str, int] = {}

    def _lay_out_memory(self) -> None:
        """Angles, rates and time by which turns are counted: at the start the given position, at rest."""
        for number, joint in enumerate(self.mechanism.joints):
            if any(joint.type.counted):
                self.memory_place[number] = len(self.memory)
                self.memory += joint.position or (0.0,) * joint.type.n_v
                self.memory += (0.0,) * (joint.type.n_v + 1)
        ints = self.pack.ints
        poses = len(self.memory)
        self.memory += [0.0] * 4 * ints[L.N_BODIES]
        ints[L.MEMORY], ints[L.N_MEMORY] = self.pack.take(len(self.memory)), len(self.memory)
        ints[L.POSES] = ints[L.MEMORY] + poses
        for number, flat in self.tree.branch_of_joint.items():
            ints[ints[L.BODIES] + flat * L.BODY + L.K_MEMORY] = self._memory_of(number)

    def _memory_of(self, joint: int) -> int:
        return self.pack.ints[L.MEMORY] + self.memory_place[joint] if joint in self.memory_place else -1

    def _chord(self, number: int, parameters: int) -> list[int]:
        joint = self.mechanism.joints[number]
        record = [0] * L.CHORD
        block = self.pack.take(L.CHORD_BLOCK)
        memory = self._memory_of(number)
        places = (block + L.C_Q, block + L.C_V, block + L.C_A)
        record[: L.JOINT_KEY] = joint_key(joint.type, parameters, places, (joint.first, joint.second), memory)
        record[L.CH_NQ], record[L.CH_W] = joint.type.n_q, block
        return record

    def coordinate(self, joint: int, name: str) -> Coordinate:
        """Place of a joint coordinate, and mark its chord as needed by the equations."""
        found = self.peek(joint, name)
        if not found.on_tree:
            self.chord_records[found.chord][L.CH_NEEDED] = 1
        return found

    def peek(self, joint: int, name: str) -> Coordinate:
        """Place of a joint coordinate (chords: right in output rows only)."""
        joint_type = self.mechanism.joints[joint].type
        k = joint_type.coordinates.index(name)
        if joint in self.tree.branch_of_joint:
            flat = self.tree.branch_of_joint[joint]
            q, v = self.tree.q_start[flat - 1], self.tree.v_start[flat - 1]
            # Drivable coordinates stand before the quaternions, so that their places in q and v agree.
            ints = self.pack.ints
            return Coordinate(True, ints[L.Q] + q + k, ints[L.V] + v + k, ints[L.A] + v + k, v + k, -1, q + k)
        number = self.chord_number[joint]
        block = self.chord_records[number][L.CH_W]
        return Coordinate(False, block + L.C_Q + k, block + L.C_V + k, block + L.C_A + k, k, number, -1)

    def _record(self, kind: int, first: int, second: int) -> list[int]:
        record = [0] * L.ROW
        record[L.R_KIND], record[L.R_A], record[L.R_B] = kind, first, second
        return record

    def add_chords(self, loops: dict[int, float]) -> None:
        """Rows of every chord; `loops`: sizes of their loops [m]."""
        for number in self.chord_number:
            joint = self.mechanism.joints[number]
            for condition in joint.type.conditions:
                record = self._record(_ROW_KINDS[condition.type], joint.first, joint.second)
                record[L.R_I], record[L.R_J], record[L.R_F] = condition.i, condition.j, self.joint_f[number]
                row = Row(joint.name, condition.text, condition.unit, False, condition.on_velocity, loops[number])
                self.pending.append(_Pending(row, record, joint=number))

    def add_motions(self, spec: Any) -> None:
        """Rows of every motion: a coordinate, or a component of a marker's position, minus a function of time."""
        for name, motion in spec.motions.items():
            function = self.pack.function(motion.function, {})
            if motion.joint is not None:
                joint = self.mechanism.joint_index[motion.joint]
                coordinate_name = spec.coordinate(motion.joint, motion.coordinate)
                place = self.coordinate(joint, coordinate_name)
                placed = self.mechanism.joints[joint]
                if joint in self.memory_place:
                    k = placed.type.coordinates.index(coordinate_name)
                    self.memory[self.memory_place[joint] + k] = motion.function(0.0)
                kind = L.ROW_TREE if place.on_tree else L.ROW_CHORD
                record = self._record(kind, placed.first, placed.second)
                record[L.R_COORD] = place.index if place.on_tree else place.chord
                record[L.R_SUB] = place.q_index if place.on_tree else place.index
                unit = "m" if placed.type.kind_of(coordinate_name) == "length" else "rad"
                text = f"{motion.joint}.{coordinate_name}"
            else:
                markers = self.mechanism.marker_index
                kind = L.ROW_POINT if motion.about is None else L.ROW_TURN
                record = self._record(kind, markers[motion.relative_to], markers[motion.marker])
                record[L.R_I] = AXES.index(motion.along or motion.about)
                unit, text = (
                    ("m", f"{motion.marker} along {motion.along}")
                    if motion.about is None
                    else ("rad", f"{motion.marker} about {motion.about}")
                )
            record[L.R_FUNCTION] = function
            self.pending.append(_Pending(Row(name, text, unit, True), record, motion=name))

    def finish(self, dropped: Collection[int], sharing: Sharing) -> tuple[list[Row], list[int], list[Row]]:
        """Write the tables; position rows first. Returns all rows, the numbers of those that are evaluated, and the
        rows as the solvers see them."""
        order = sorted(range(len(self.pending)), key=lambda k: self.pending[k].row.on_velocity)
        self.pending = [self.pending[k] for k in order]
        active = [k for k in range(len(self.pending)) if k not in dropped]
        records = []
        seen = self._seen([self.pending[k].row for k in active], sharing)
        watched = {*sharing.left_out, *(k for shared in sharing.sets if not shared.rank for k in shared.rows)}
        for place, k in enumerate(active):
            row = self.pending[k]
            row.record[L.R_WATCHED] = int(place in watched)
            row.record[L.R_W] = self.pack.take(L.ROW_RECORD.target_length(L.R_W, {}))
            records.append(row.record)
            if row.joint is not None:
                self.joint_rows.setdefault(row.joint, []).append(place)
            if row.motion is not None:
                self.motion_row[row.motion] = seen.index(row.row) if row.row in seen else -1
        ints = self.pack.ints
        ints[L.ROWS], ints[L.N_ALL_ROWS], ints[L.N_ROWS] = self.pack.table(records, L.ROW), len(records), len(seen)
        ints[L.N_ALL_POS_ROWS] = sum(not self.pending[k].row.on_velocity for k in active)
        ints[L.N_POS_ROWS] = sum(not row.on_velocity for row in seen)
        ints[L.CHORDS] = self.pack.table(self.chord_records, L.CHORD)
        ints[L.N_CHORDS] = len(self.chord_records)
        return [row.row for row in self.pending], active, seen

    def _seen(self, rows: list[Row], sharing: Sharing) -> list[Row]:
        """Rows as the solvers see them: first the combinations of every shared set, then the rows that stand alone."""
        seen, records, left = list[Row](), [], len(rows) - sum(len(x.rows) - x.rank for x in sharing.sets)
        left -= len(sharing.left_out)
        for shared in sharing.sets:
            records.append([len(seen), shared.rank, left, len(shared.rows) - shared.rank])
            left += len(shared.rows) - shared.rank
            owners = ", ".join(dict.fromkeys(rows[k].owner for k in shared.rows))
            seen += [Row(owners, f"combination {k + 1}", "m, rad", False) for k in range(shared.rank)]
        away = {*sharing.left_out, *(k for shared in sharing.sets for k in shared.rows)}
        self.pack.ints[L.SHARED_ROWS] = self.pack.table(records, L.SHARED)
        self.pack.ints[L.N_SHARED] = len(records)
        return seen + [row for k, row in enumerate(rows) if k not in away]
