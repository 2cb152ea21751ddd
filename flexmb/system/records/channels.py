"""The columns of an output row: which pieces of the workspace it is copied from, with path, unit and text."""

from __future__ import annotations

from typing import Any

from flexmb.bodies.flexible_body import FlexibleBody
from flexmb.joints.joint_type import JointType
from flexmb.layout import flat_arrays as L
from flexmb.loads.table import LOAD_TYPES
from flexmb.system.records.loads import LoadRecords
from flexmb.system.records.packing import Packer
from flexmb.system.records.rows import RowRecords
from flexmb.system.records.tree import TreeRecords
from flexmb.system.system import Channel
from flexmb.system.topology import Topology

_TURNS = ("orientation", "orientation-rate", "angular-velocity", "angular-acceleration")
_ORDER = {
    **dict.fromkeys(("velocity", "orientation-rate", "angular-velocity"), 1),
    **dict.fromkeys(("acceleration", "angular-acceleration"), 2),
}
"""Order of the rate that a quantity is"""
_UNIT = {"length": "m", "angle": "rad", "rotation": "rad"}


class ChannelList:
    """Collects channels and the pieces of W they are copied from."""

    def __init__(self) -> None:
        self.channels: list[Channel] = []
        self.copies: list[tuple[int, int]] = []
        self.length = 0

    def add(self, path: str, unit: str, source: int, length: int, text: str, *, scalar: bool = False) -> None:
        """A channel of `length` columns from W[source]; a scalar one has no second dimension."""
        shape = () if scalar else (length,)
        self.channels.append(Channel(path, unit, self.length, shape, text))
        self.copies.append((source, length))
        self.length += length

    def add_solver(self) -> None:
        """Two last columns that the solver fills."""
        self.channels.append(Channel("solver/step", "s", self.length, (), "step size"))
        self.channels.append(Channel("solver/iterations", "1", self.length + 1, (), "Newton iterations of the step"))
        self.length += 2


def _rates(unit: str, order: int) -> str:
    """Unit of a rate: "m, rad" -> "m/s, rad/s"."""
    per = {0: "", 1: "/s", 2: "/s^2", 3: "/s^3"}[order]
    return ", ".join(part + per for part in unit.split(", "))


def _coordinate_units(joint_type: JointType) -> str:
    return ", ".join(dict.fromkeys(_UNIT[kind] for kind in joint_type.kinds))


def pack_channels(
    pack: Packer, spec: Any, topology: Topology, tree: TreeRecords, rows: RowRecords, loads: LoadRecords, n_rows: int
) -> list[Channel]:
    """Channels of every part, in the order in which the result file lists them."""
    ints = pack.ints
    out = ChannelList()
    out.add("time", "s", ints[L.T], 1, "time", scalar=True)
    out.add("coordinates/q", "m, rad, 1", ints[L.Q], tree.n_q, "stored coordinates of the tree")
    out.add("coordinates/v", "m/s, rad/s", ints[L.V], tree.n_v, "velocities of the tree")
    out.add("coordinates/a", "m/s^2, rad/s^2", ints[L.A], tree.n_v, "accelerations of the tree")
    out.add("coordinates/multipliers", "N, N*m", ints[L.LAM_ALL], n_rows, "constraint multipliers of all rows")
    mechanism = rows.mechanism
    for branch in sorted(topology.branches, key=lambda branch: branch.body):
        name = mechanism.bodies[branch.body].name
        block = ints[ints[L.BODIES] + tree.flat_body[branch.body] * L.BODY + L.B_OUT]
        out.add(f"bodies/{name}/position", "m", block + L.BO_POSITION, 3, "body origin, world axes")
        out.add(f"bodies/{name}/quaternion", "1", block + L.BO_QUATERNION, 4, "orientation, w first")
        out.add(f"bodies/{name}/velocity", "m/s", block + L.BO_VELOCITY, 3, "velocity of the body origin, world axes")
        out.add(f"bodies/{name}/angular_velocity", "rad/s", block + L.BO_OMEGA, 3, "angular velocity, body axes")
        body = mechanism.bodies[branch.body]
        if isinstance(body, FlexibleBody):
            record = ints[L.BODIES] + tree.flat_body[branch.body] * L.BODY
            q, v = ints[record + L.B_ELASTIC_Q], ints[record + L.B_V] + ints[record + L.B_NJ]
            for key, place, unit, text in (
                ("position", ints[L.Q] + q, "m", "elastic coordinates"),
                ("velocity", ints[L.V] + v, "m/s", "rates of the elastic coordinates"),
            ):
                out.add(f"bodies/{name}/elastic_{key}", unit, place, body.n_modes, text)
    for number in range(len(mechanism.joints)):
        _add_joint(out, pack, tree, rows, loads, number)
    out.add("energy/kinetic", "J", ints[L.ENERGY], 1, "kinetic energy", scalar=True)
    text = "potential energy of gravity, springs and deformation"
    out.add("energy/potential", "J", ints[L.ENERGY] + 1, 1, text, scalar=True)
    if tree.fields:
        out.add("energy/strain", "J", ints[L.ENERGY] + 3, 1, "part of it that deformation holds", scalar=True)
    for k, name in enumerate(loads.powers):
        out.add(f"energy/work/{name}", "J", ints[L.WORK] + k, 1, f"work done by {name} on the system", scalar=True)
    out.add("energy/work/total", "J", ints[L.ENERGY] + 2, 1, "work of all drives, forces and dampers", scalar=True)
    for name, motion in spec.motions.items():
        kind = "length" if motion.about is None else "rotation"
        if motion.joint is not None:
            kind = spec.joints[motion.joint].kind.kind_of(spec.coordinate(motion.joint, motion.coordinate))
        unit = "N" if kind == "length" else "N*m"
        out.add(f"motions/{name}/effort", unit, loads.motion_slot[name], 1, f"effort of motion {name}", scalar=True)
    for name, force in spec.forces.items():
        unit, text = _describe_force(spec, name)
        out.add(f"forces/{name}/effort", unit, loads.load_block[name] + L.LW_EFFORT, 1, text, scalar=True)
        if LOAD_TYPES[force.type].acts_on == "marker":
            text = f"{force.type} {name} on its marker, world axes"
            out.add(f"forces/{name}/{force.type}", unit, loads.load_block[name] + L.LW_VECTOR, 3, text)
    for name in spec.sensors:
        unit, text, length = describe_sensor(spec, name)
        out.add(f"sensors/{name}", unit, loads.sensor_slot[name], length, text, scalar=length == 1)
    out.add_solver()
    ints[L.COPIES], ints[L.N_COPIES] = pack.table(out.copies, L.COPY), len(out.copies)
    ints[L.N_OUT] = out.length
    ints[L.OUT] = pack.take(out.length)
    return out.channels


def _add_joint(
    out: ChannelList, pack: Packer, tree: TreeRecords, rows: RowRecords, loads: LoadRecords, number: int
) -> None:
    joint = rows.mechanism.joints[number]
    joint_type = joint.type
    if joint_type.n_v:
        if number in tree.branch_of_joint:
            flat = tree.branch_of_joint[number]
            q = pack.ints[L.Q] + tree.q_start[flat - 1]
            v, a = pack.ints[L.V] + tree.v_start[flat - 1], pack.ints[L.A] + tree.v_start[flat - 1]
        else:
            block = rows.chord_records[rows.chord_number[number]][L.CH_W]
            q, v, a = block + L.C_Q, block + L.C_V, block + L.C_A
        unit = _coordinate_units(joint_type)
        names = ", ".join(joint_type.coordinates)
        scalar = joint_type.n_v == 1
        position_unit = unit if joint_type.n_q == joint_type.n_v else "m, 1" if "m" in unit.split(", ") else "1"
        out.add(
            f"joints/{joint.name}/position", position_unit, q, joint_type.n_q, f"coordinates {names}", scalar=scalar
        )
        out.add(f"joints/{joint.name}/velocity", _rates(unit, 1), v, joint_type.n_v, f"rates {names}", scalar=scalar)
        out.add(f"joints/{joint.name}/acceleration", _rates(unit, 2), a, joint_type.n_v, f"of {names}", scalar=scalar)
    block = loads.reaction_block[joint.name]
    text = "on the second body at its joint marker, axes of the first marker"
    out.add(f"joints/{joint.name}/force", "N", block, 3, f"reaction force {text}")
    out.add(f"joints/{joint.name}/moment", "N*m", block + 3, 3, f"reaction moment {text}")


def _describe_force(spec: Any, name: str) -> tuple[str, str]:
    """Unit and text of the effort of a load."""
    force = spec.forces[name]
    kind = LOAD_TYPES[force.type]
    text = f"size of distributed force {name}" if kind.acts_on == "beam" else f"effort of force {name}"
    if kind.unit is not None:
        return kind.unit, text
    acted_on = spec.joints[force.joint].kind.kind_of(spec.coordinate(force.joint, force.coordinate))
    return "N" if acted_on == "length" else "N*m", text


def describe_sensor(spec: Any, name: str) -> tuple[str, str, int]:
    """Unit, text and number of columns of a sensor."""
    sensor = spec.sensors[name]
    order = _ORDER.get(sensor.quantity, 0)
    if sensor.joint is not None:
        coordinate = spec.coordinate(sensor.joint, sensor.coordinate)
        unit = _UNIT[spec.joints[sensor.joint].kind.kind_of(coordinate)]
        return _rates(unit, order), f"{sensor.quantity or 'position'} of {sensor.joint}.{coordinate}", 1
    if sensor.motion is not None:
        motion = spec.motions[sensor.motion]
        turning = (
            motion.about is not None
            or motion.joint is not None
            and (spec.joints[motion.joint].kind.kind_of(spec.coordinate(motion.joint, motion.coordinate)) != "length")
        )
        return "N*m" if turning else "N", f"effort of motion {sensor.motion}", 1
    if sensor.force is not None:
        return *_describe_force(spec, sensor.force), 1
    if sensor.reaction is not None:
        component = sensor.component or "force"
        axes = ", world axes" if sensor.axes == "world" and "axes" in sensor.model_fields_set else ""
        text = f"{component} of the reaction of {sensor.reaction}{axes}"
        return "N*m" if component.startswith("m") else "N", text, 1
    if sensor.deflection is not None:
        axes = "world axes" if sensor.axes == "world" else "body axes"
        chord = "the chord" if sensor.chord is None else f"the chord {sensor.chord[0]} - {sensor.chord[1]}"
        what = f"deflection of {sensor.deflection} from {chord}, {axes}"
        return (
            "m",
            what if sensor.component is None else f"{sensor.component} of the {what}",
            3 if (sensor.component is None) else 1,
        )
    if sensor.section is not None:
        component = sensor.component or "force"
        what = f"{component} inside the beam at {sensor.section}, axes of the section, on the part towards A"
        return "N*m" if component.startswith("m") else "N", what, 1
    if sensor.between is not None:
        what = f"distance of {sensor.between[0]} and {sensor.between[1]}"
        return ("m", what, 1) if sensor.component is None else ("m/s", f"rate of the {what}", 1)
    axes = "world axes" if sensor.axes == "world" else f"axes of {sensor.relative_to}"
    what = f"{sensor.quantity or 'position'} of {sensor.marker} relative to {sensor.relative_to}, {axes}"
    unit = "rad" if sensor.quantity in _TURNS else "m"
    if sensor.component is None:
        return _rates(unit, order), what, 3
    if sensor.component == "magnitude-rate":
        return _rates(unit, order + 1), f"rate of the magnitude of the {what}", 1
    return _rates(unit, order), f"{sensor.component} of the {what}", 1
