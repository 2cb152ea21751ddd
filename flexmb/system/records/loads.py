"""Flat records of loads and sensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from flexmb.arrays import Floats
from flexmb.axes import AXES
from flexmb.bodies.flexible_body import FlexibleBody
from flexmb.layout import flat_arrays as L
from flexmb.loads.table import LOAD_TYPES
from flexmb.model.expressions.tables import linear_record
from flexmb.model.schema.bushings import COMPONENTS
from flexmb.model.schema.loads import expressions_of, numbers_of, sensor_of
from flexmb.model.schema.stops import damping_of
from flexmb.system.records.packing import Packer
from flexmb.system.records.rows import RowRecords
from flexmb.system.records.sections import pack_section

_COMPONENT = {"x": 0, "y": 1, "z": 2, "magnitude": 3, "magnitude-rate": 4}
_WRENCH = {"fx": 0, "fy": 1, "fz": 2, "mx": 3, "my": 4, "mz": 5}
_MEASURES = {
    "position": L.SENSE_POSITION,
    "velocity": L.SENSE_VELOCITY,
    "acceleration": L.SENSE_ACCELERATION,
    "orientation": L.SENSE_ORIENTATION,
    "orientation-rate": L.SENSE_ORIENTATION_RATE,
    "angular-velocity": L.SENSE_OMEGA,
    "angular-acceleration": L.SENSE_ALPHA,
}


def expression_sensors(spec: Any) -> set[str]:
    """Sensors that some load refers to: they are evaluated before the loads."""
    used: set[str] = set()
    for force in spec.forces.values():
        for expression in expressions_of(force):
            used |= {sensor_of(name) for name in expression.names}
    return used & set(spec.sensors)


class LoadRecords:
    """Loads and sensors of a system under construction."""

    def __init__(self, pack: Packer, spec: Any, rows: RowRecords):
        self.pack = pack
        self.spec = spec
        self.rows = rows
        self.mechanism = rows.mechanism
        self.sensor_slot: dict[str, int] = {}
        self.load_block = {name: pack.take(L.LOAD_BLOCK) for name in spec.forces}
        self.reaction_block = {name: pack.take(6) for name in spec.joints}
        self.motion_slot = {name: pack.take(1) for name in spec.motions}
        self.sections: list[list[int]] = []
        self.powers: list[str] = []

    def power(self, name: str, kind: str = "force") -> int:
        """A work channel under this name, or with its kind when the name is taken ("total" is the sum of all)."""
        self.powers.append(f"{name} ({kind})" if name in ("total", *self.powers) else name)
        return len(self.powers) - 1

    def pack_sensors(self) -> None:
        """Sensor table, the ones that expressions use first."""
        early = expression_sensors(self.spec)
        names = sorted(self.spec.sensors, key=lambda name: name not in early)
        records: list[list[int]] = []
        n_early = 0
        for name in names:
            new = self._sensor(self.spec.sensors[name], name in early)
            slot = self.pack.take(len(new))
            self.sensor_slot[name] = slot
            for k, record in enumerate(new):
                record[L.SE_W] = slot + k
            records += new
            n_early += len(new) if name in early else 0
        ints = self.pack.ints
        ints[L.SENSORS], ints[L.N_SENSORS] = self.pack.table(records, L.SENSOR), len(records)
        ints[L.N_EARLY_SENSORS] = n_early
        ints[L.SECTIONS], ints[L.N_SECTIONS] = self.pack.table(self.sections, L.SECTION), len(self.sections)

    def _sensor(self, sensor: Any, early: bool) -> list[list[int]]:
        if sensor.joint is not None:
            name = self.spec.coordinate(sensor.joint, sensor.coordinate)
            find = self.rows.coordinate if early else self.rows.peek
            place = find(self.mechanism.joint_index[sensor.joint], name)
            return [_slot({"velocity": place.v, "acceleration": place.a}.get(sensor.quantity, place.q))]
        if sensor.motion is not None:
            return [_slot(self.motion_slot[sensor.motion])]
        if sensor.force is not None:
            return [_slot(self.load_block[sensor.force] + L.LW_EFFORT)]
        if sensor.reaction is not None:
            block = self.reaction_block[sensor.reaction]
            if sensor.axes == "world" and "axes" in sensor.model_fields_set and sensor.component in _WRENCH:
                number = _WRENCH[sensor.component]
                record = _slot(block + 3 * (number // 3), L.SENSE_WORLD)
                joint = self.mechanism.joints[self.mechanism.joint_index[sensor.reaction]]
                record[L.SE_A], record[L.SE_COMPONENT] = joint.first, number % 3
                return [record]
            return self._wrench(block, sensor.component)
        markers = self.mechanism.marker_index
        if sensor.deflection is not None:
            return self._deflection(sensor)
        if sensor.section is not None:
            marker = markers[sensor.section]
            record = pack_section(self.pack, self.mechanism, self.rows.tree, marker)
            self.sections.append(record)
            self.pack.ints[L.FIELD_KINDS] |= L.KIND_SECTIONS
            return self._wrench(record[L.SX_W], sensor.component)
        if sensor.between is not None:
            first, second = (markers[end] for end in sensor.between)
            if sensor.component is not None:
                return [_between(L.SENSE_POSITION, first, second, _COMPONENT[sensor.component], 0)]
            return [_between(L.SENSE_DISTANCE, first, second, 3, 0)]
        kind = _MEASURES[sensor.quantity or "position"]
        components = range(3) if sensor.component is None else [_COMPONENT[sensor.component]]
        axes = int(sensor.axes == "marker")
        first, second = markers[sensor.marker], markers[sensor.relative_to]
        return [_between(kind, first, second, component, axes) for component in components]

    def _wrench(self, block: int, component: str | None) -> list[list[int]]:
        """One component of a force and moment at W[block], or the magnitude of one of the two."""
        if component in _WRENCH:
            return [_slot(block + _WRENCH[component])]
        return [_slot(block + (3 if component == "moment" else 0), L.SENSE_NORM)]

    def _deflection(self, sensor: Any) -> list[list[int]]:
        """Records of a deflection: the marker against the chord of its body."""
        marker = self.mechanism.marker_index[sensor.deflection]
        placed = self.mechanism.markers[marker]
        body = self.mechanism.bodies[placed.body]
        if sensor.chord is None:
            start, end = self.mechanism.beam_ends[body.name]
            assert isinstance(body, FlexibleBody)
            constants = self.pack.put([placed.p_b[0] / body.length, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0])
        else:
            start, end = (self.mechanism.marker_index[reference] for reference in sensor.chord)
            p_start, p_end = (self.mechanism.markers[number].p_b for number in (start, end))
            chord, reach = p_end - p_start, placed.p_b - p_start
            part = float(chord @ reach / (chord @ chord))
            constants = self.pack.put([part, *(chord / np.linalg.norm(chord)), *(reach - part * chord)])
        components = range(3) if sensor.component is None else [_COMPONENT[sensor.component]]
        records = []
        for component in components:
            record = _between(L.SENSE_DEFLECTION, marker, start, component, int(sensor.axes != "world"))
            record[L.SE_C], record[L.SE_F] = end, constants
            records.append(record)
        return records

    def pack_loads(self) -> None:
        """Load table."""
        records = [self._load(name, force) for name, force in self.spec.forces.items()]
        ints = self.pack.ints
        ints[L.LOADS], ints[L.N_LOADS] = self.pack.table(records, L.LOAD), len(records)

    def _load(self, name: str, force: Any) -> list[int]:
        kind = LOAD_TYPES[force.type]
        record = [0] * L.LOAD
        record[L.L_KIND] = int(kind.code)
        record[L.L_W] = self.load_block[name]
        record[L.L_POWER] = -1
        markers = self.mechanism.marker_index
        if kind.acts_on == "beam":
            places = self.mechanism.distributed[name]
            record[L.L_Q], record[L.L_V] = self.pack.put_ints(marker for marker, _ in places), len(places)
            record[L.L_F] = self.pack.put([length for _, length in places])
        elif kind.acts_on == "marker":
            record[L.L_A] = markers[force.marker]
        elif kind.acts_on == "shape":
            body = self.mechanism.bodies[self.mechanism.body_index[force.body]]
            constants, is_second = load_shape_constants(body, force.shape)
            record[L.L_A], record[L.L_AXES] = markers[force.body], int(is_second)
            record[L.L_F] = self.pack.put(constants)
        elif kind.acts_on == "pair":
            record[L.L_A], record[L.L_B] = (markers[reference] for reference in force.markers)
        elif kind.acts_on == "axis":
            record[L.L_A], record[L.L_B] = markers[force.marker], markers[force.relative_to]
            record[L.L_AXES] = AXES.index(force.along)
        elif kind.acts_on == "frames":
            record[L.L_A], record[L.L_B] = (markers[reference] for reference in force.markers)
            self._bushing(record, force)
        elif kind.acts_on == "path":
            record[L.L_A], record[L.L_B] = markers[force.markers[0]], markers[force.markers[-1]]
            record[L.L_Q] = self.pack.put_ints(markers[reference] for reference in force.markers)
            record[L.L_V] = len(force.markers)
        else:
            coordinate = self.spec.coordinate(force.joint, force.coordinate)
            place = self.rows.coordinate(self.mechanism.joint_index[force.joint], coordinate)
            record[L.L_TREE], record[L.L_Q], record[L.L_V] = int(place.on_tree), place.q, place.v
            record[L.L_CHORD], record[L.L_COORD] = place.chord, place.index
        if kind.numbers:
            record[L.L_F] = self.pack.put(numbers_of(force))
        if kind.expression == "vector":
            record[L.L_AXES] = int(force.axes != "world")
        own = {"distance": L.LW_DISTANCE, "rate": L.LW_RATE} if force.type == "pair-force" else {}
        for slot, expression in zip((L.L_FX, L.L_FY, L.L_FZ), expressions_of(force), strict=False):
            record[slot] = self._function(expression, {key: record[L.L_W] + at for key, at in own.items()})
        if kind.is_spring and force.table is not None:
            record[L.L_TABLE] = self.pack.put(linear_record(force.table))
        if _works(force):
            record[L.L_POWER] = self.power(name)
        return record

    def _bushing(self, record: list[int], force: Any) -> None:
        """Matrices, preload and curves of a bushing."""
        none = np.zeros((6, 6))
        matrices = [none if given is None else np.array(given) for given in (force.stiffness, force.damping)]
        preload = np.zeros(6) if force.preload is None else np.array(force.preload)
        record[L.L_F] = self.pack.put(np.concatenate([*(0.5 * (m + m.T).ravel() for m in matrices), preload]).tolist())
        tables = [getattr(force.curves, key, None) for key in COMPONENTS]
        record[L.L_Q] = self.pack.put_ints(
            0 if points is None else self.pack.put(linear_record(points)) for points in tables
        )

    def _function(self, expression: Any, own: dict[str, int]) -> int:
        """Program of an expression of t, of sensors and of what is known of the load itself: name -> place in W."""
        slots = dict[str, int]()
        for name in expression.names - {"t"}:
            sensor, _, component = name.partition(".")
            slots[name] = own[name] if name in own else self.sensor_slot[sensor] + AXES.index(component or "x")
        return self.pack.function(expression, slots)


def load_shape_constants(body: Any, name: str) -> tuple[Floats, bool]:
    """Constants of a load shape of a body from a file, as `SHAPE_CONSTANTS`, and whether they are of second order."""
    shape = body.reduced.load(name)
    modes = np.concatenate([shape.Q0[:, None], shape.F1, shape.M1], axis=1)
    constants = [shape.F0, shape.M0, modes.ravel()]
    is_second = body.order != 0 and shape.Q1 is not None
    if is_second:
        constants.append(np.concatenate([shape.Q1[:, :, None], shape.M2], axis=2).ravel())
    return np.concatenate(constants), is_second


def _works(force: Any) -> bool:
    """Whether a load does work that is not stored."""
    kind = LOAD_TYPES[force.type]
    if kind.is_spring:
        return bool(force.damping > 0.0)
    if kind.is_stop:
        return damping_of(force) > 0.0
    if kind.name == "cable":
        return bool(force.damping > 0.0) or force.length.constant is None
    return kind.name != "bushing" or force.damping is not None


def _slot(source: int, kind: int = L.SENSE_SLOT) -> list[int]:
    record = [0] * L.SENSOR
    record[L.SE_KIND], record[L.SE_SOURCE] = kind, source
    return record


def _between(kind: int, first: int, second: int, component: int, axes: int) -> list[int]:
    record = [0] * L.SENSOR
    record[L.SE_KIND], record[L.SE_A], record[L.SE_B] = kind, first, second
    record[L.SE_COMPONENT], record[L.SE_AXES] = component, axes
    return record
