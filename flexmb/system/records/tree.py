"""Flat records of bodies, markers and coordinates in the chosen tree."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from flexmb.bodies.exact_beam import ExactBeam
from flexmb.bodies.flexible_body import FlexibleBody
from flexmb.bodies.rigid_body import RigidBody
from flexmb.errors import Fault, InputError
from flexmb.joints.joint_type import JointType
from flexmb.joints.table import JOINT_TYPES
from flexmb.layout import flat_arrays as L
from flexmb.system.mechanism import Mechanism
from flexmb.system.records.fields import n_modes, pack_field, place_marker, slice_constants
from flexmb.system.records.packing import Packer, joint_key
from flexmb.system.topology import Branch, Topology


@dataclass
class TreeRecords:
    """Result of packing the tree: places of bodies and coordinates."""

    flat_body: dict[int, int] = field(default_factory=dict)
    """Body number in the mechanism -> number in the recursion."""
    joint_type: list[JointType] = field(default_factory=list)
    """Tree joint of every flat body (from 1)."""
    q_start: list[int] = field(default_factory=list)
    v_start: list[int] = field(default_factory=list)
    branch_of_joint: dict[int, int] = field(default_factory=dict)
    """Joint number -> flat body it carries."""
    coordinates: list[str] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)
    slices: dict[int, int] = field(default_factory=dict)
    """Body number in the mechanism -> its slice table in I"""
    frames: dict[int, int] = field(default_factory=dict)
    """Flexible body number in the mechanism -> marker of its frame, which no deformation moves"""
    fields: dict[str, int] = field(default_factory=dict)
    """Flexible body -> its field record in I"""
    n_q: int = 0
    n_v: int = 0


def lay_out_tree(mechanism: Mechanism, topology: Topology) -> TreeRecords:
    """Number bodies and coordinates in the order of the recursion."""
    tree = TreeRecords(flat_body={0: 0})
    for flat, branch in enumerate(topology.branches, start=1):
        tree.flat_body[branch.body] = flat
        joint_type = _type(mechanism, branch)
        owner = mechanism.bodies[branch.body].name if branch.joint is None else mechanism.joints[branch.joint].name
        tree.joint_type.append(joint_type)
        tree.q_start.append(tree.n_q)
        tree.v_start.append(tree.n_v)
        body = mechanism.bodies[branch.body]
        tree.n_q += joint_type.n_q + n_modes(body)
        tree.n_v += joint_type.n_v + n_modes(body)
        tree.coordinates += [f"{owner}.{name}" for name in joint_type.coordinates]
        tree.kinds += list(joint_type.kinds)
        if isinstance(body, FlexibleBody):
            tree.coordinates += [f"{body.name}.{label}" for label in body.labels]
            tree.kinds += list(body.kinds)
        if branch.joint is not None:
            tree.branch_of_joint[branch.joint] = flat
    return tree


def _type(mechanism: Mechanism, branch: Branch) -> JointType:
    return JOINT_TYPES["free"] if branch.joint is None else mechanism.joints[branch.joint].type


def pack_markers(pack: Packer, mechanism: Mechanism, tree: TreeRecords) -> None:
    """Marker table; markers of slices and of the frames of flexible bodies, which have no name, come last."""
    records = [_marker(pack, mechanism, tree, m.body, m.p_b, m.R_b, m.shapes) for m in mechanism.markers]
    for number, body in enumerate(mechanism.bodies):
        parts = body.field.lumps if isinstance(body, FlexibleBody) and isinstance(body.field, ExactBeam) else []
        table = []
        for part in parts:
            p_b = np.array([part.place.x, 0.0, 0.0]) + part.place.offset
            table.append((len(records), slice_constants(pack, part)))
            records.append(_marker(pack, mechanism, tree, number, p_b, np.eye(3), part.place))
        tree.slices[number] = pack.table(table, L.SLICE)
        if isinstance(body, FlexibleBody):
            tree.frames[number] = len(records)
            records.append(_marker(pack, mechanism, tree, number, np.zeros(3), np.eye(3), None))
    pack.ints[L.MARKERS], pack.ints[L.N_MARKERS] = pack.table(records, L.MARKER), len(records)


def _marker(
    pack: Packer, mechanism: Mechanism, tree: TreeRecords, body: int, p_b: Any, R_b: Any, shapes: Any
) -> list[int]:
    n = n_modes(mechanism.bodies[body])
    record = [0] * L.MARKER
    record[L.MK_BODY] = tree.flat_body[body]
    record[L.MK_F], record[L.MK_FLEX], record[L.MK_ORDER] = place_marker(pack, p_b, R_b, shapes)
    record[L.MK_W] = pack.take(L.MARKER_BLOCK.length({"n_modes": n}) if n else L.RIGID_MARKER)
    return record


def pack_bodies(pack: Packer, mechanism: Mechanism, topology: Topology, tree: TreeRecords, joint_f: list[int]) -> None:
    """Body table with one record for ground and one for every body of the recursion."""
    records = [_ground_record(pack)]
    flexible: list[tuple[int, int, FlexibleBody]] = []
    for flat, branch in enumerate(topology.branches, start=1):
        body = mechanism.bodies[branch.body]
        joint_type = tree.joint_type[flat - 1]
        if branch.joint is None:
            numbers, parameters = (0, tree.frames.get(branch.body, mechanism.marker_index[body.name])), 0
        else:
            joint = mechanism.joints[branch.joint]
            numbers, parameters = (joint.first, joint.second), joint_f[branch.joint]
        record = [0] * L.BODY
        n_joint, n = joint_type.n_v, n_modes(body)
        record[L.B_PARENT] = tree.flat_body[branch.parent]
        record[L.B_REVERSED] = int(branch.reversed)
        q, v = tree.q_start[flat - 1], tree.v_start[flat - 1]
        places = (pack.ints[L.Q] + q, pack.ints[L.V] + v, pack.ints[L.A] + v)
        record[: L.JOINT_KEY] = joint_key(joint_type, parameters, places, numbers)
        record[L.B_Q], record[L.B_NQ], record[L.B_V], record[L.B_NJ] = q, joint_type.n_q, v, n_joint
        record[L.B_ELASTIC_Q], record[L.B_NF] = q + joint_type.n_q, n
        record[L.B_PARENT_MARKER], record[L.B_CHILD_MARKER] = numbers[::-1] if branch.reversed else numbers
        inertia = [body.mass, *body.first_moment, *body.inertia.ravel(), *body.rotor]
        record[L.B_INERTIA] = pack.put(inertia)
        _take_workspace(pack, record, n_joint, n, n_modes(mechanism.bodies[branch.parent]))
        records.append(record)
        if isinstance(body, FlexibleBody):
            flexible.append((flat, branch.body, body))
    bodies = pack.ints[L.BODIES] = pack.table(records, L.BODY)
    pack.ints[L.N_BODIES] = len(records) - 1
    fields = [pack_field(pack, body, bodies + flat * L.BODY, tree.slices[number]) for flat, number, body in flexible]
    pack.ints[L.FIELDS], pack.ints[L.N_FIELDS] = pack.table(fields, L.FIELD), len(fields)
    for k, (flat, _, body) in enumerate(flexible):
        pack.ints[bodies + flat * L.BODY + L.B_FIELD] = tree.fields[body.name] = pack.ints[L.FIELDS] + k * L.FIELD


def _ground_record(pack: Packer) -> list[int]:
    record = [0] * L.BODY
    record[L.B_PARENT] = -1
    record[L.B_INERTIA] = pack.put(np.zeros(L.INERTIA))
    _take_workspace(pack, record, 0, 0, 0)
    return record


def _take_workspace(pack: Packer, record: list[int], n_joint: int, n: int, n_parent: int) -> None:
    """Reserve what a body record points to; the coordinates of its joint have their places already."""
    counts = {"n_modes": n, "n_own": n_joint + n, "size": 6 + n, "n_parent_modes": n_parent}
    for slot in (L.B_W, L.B_H, L.B_ARM, L.B_OUT, L.B_COMPOSITE, L.B_U, L.B_D, L.B_BIAS):
        record[slot] = pack.take(L.BODY_RECORD.target_length(slot, counts))


def pack_coordinates(pack: Packer, mechanism: Mechanism, topology: Topology, tree: TreeRecords) -> None:
    """Pairs of plain coordinates and triples of quaternion blocks."""
    scalars: list[tuple[int, int]] = []
    spheres: list[tuple[int, int, int]] = []
    for branch, joint_type, q, v in zip(topology.branches, tree.joint_type, tree.q_start, tree.v_start, strict=True):
        blocks = joint_type.quaternions
        taken_q = {first + k for first, _, _ in blocks for k in range(4)}
        taken_v = {first + k for _, first, n in blocks for k in range(n)}
        plain_q = [k for k in range(joint_type.n_q) if k not in taken_q]
        plain_v = [k for k in range(joint_type.n_v) if k not in taken_v]
        scalars += [(q + i, v + j) for i, j in zip(plain_q, plain_v, strict=True)]
        modes = range(n_modes(mechanism.bodies[branch.body]))
        scalars += [(q + joint_type.n_q + k, v + joint_type.n_v + k) for k in modes]
        spheres += [(q + i, v + j, n) for i, j, n in blocks]
    pack.ints[L.SCALARS], pack.ints[L.N_SCALARS] = pack.table(scalars, L.SCALAR), len(scalars)
    pack.ints[L.SPHERES], pack.ints[L.N_SPHERES] = pack.table(spheres, L.SPHERE), len(spheres)


def initial_coordinates(
    mechanism: Mechanism, topology: Topology, tree: TreeRecords
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """q0, v0 and which positions and rates the user gave, for the tree joints; free bodies stand as drawn."""
    q0, v0 = np.zeros(tree.n_q), np.zeros(tree.n_v)
    given_q, given_v = np.zeros(tree.n_v, dtype=bool), np.zeros(tree.n_v, dtype=bool)
    faults: list[Fault] = []
    for flat, branch in enumerate(topology.branches, start=1):
        joint_type, q, v = tree.joint_type[flat - 1], tree.q_start[flat - 1], tree.v_start[flat - 1]
        blocks = joint_type.quaternions
        for first, _, _ in blocks:
            q0[q + first] = 1.0
        body = mechanism.bodies[branch.body]
        if isinstance(body, FlexibleBody):
            for start, given, values in (
                (q + joint_type.n_q, body.elastic_position, q0),
                (v + joint_type.n_v, body.elastic_velocity, v0),
            ):
                if given is not None:
                    values[start : start + body.n_modes] = given
        if branch.joint is None:
            q0[q : q + 3] = body.p_wb
            q0[q + 3 : q + 7] = quaternion(body.R_wb)
            if body.velocity is not None:
                v0[v : v + 3], given_v[v : v + 3] = body.velocity, True
            if body.angular_velocity is not None:
                v0[v + 3 : v + 6], given_v[v + 3 : v + 6] = body.angular_velocity, True
            continue
        joint = mechanism.joints[branch.joint]
        faults += _unheard(body, joint.name)
        if joint.position is not None:
            q0[q : q + joint_type.n_q] = position_coordinates(joint_type, joint.position)
            given_q[v : v + joint_type.n_v] = True
        if joint.velocity is not None:
            v0[v : v + joint_type.n_v], given_v[v : v + joint_type.n_v] = joint.velocity, True
    if faults:
        raise InputError(faults)
    return q0, v0, given_q, given_v


def _unheard(body: RigidBody, joint: str) -> list[Fault]:
    """Rates of a body that a joint carries: the start is that of the joints, its own would have no effect."""
    text = f"body '{body.name}' is carried by joint '{joint}': a velocity of its own has no effect."
    hint = f"Give 'velocity' of joint '{joint}'."
    keys = {"velocity": body.velocity, "angular_velocity": body.angular_velocity}
    return [
        Fault(text, ("bodies", body.name, key), hint)
        for key, given in keys.items()
        if given is not None and np.any(given)
    ]


def position_coordinates(joint_type: JointType, position: tuple[float, ...]) -> np.ndarray:
    """Stored coordinates of a joint from n_v numbers: rotation vectors become quaternions."""
    q = np.zeros(joint_type.n_q)
    values = np.asarray(position, dtype=float)
    blocks = joint_type.quaternions
    taken_v = {first + k for _, first, n in blocks for k in range(n)}
    taken_q = {first + k for first, _, _ in blocks for k in range(4)}
    q[[k for k in range(joint_type.n_q) if k not in taken_q]] = [
        values[k] for k in range(joint_type.n_v) if k not in taken_v
    ]
    for first, start, n in blocks:
        vector = np.zeros(3)
        vector[3 - n :] = values[start : start + n]
        angle = np.linalg.norm(vector)
        # sin(x/2)/x by numpy's sinc, which is sin(pi y)/(pi y)
        q[first] = np.cos(0.5 * angle)
        q[first + 1 : first + 4] = 0.5 * np.sinc(angle / (2.0 * np.pi)) * vector
    return q


def quaternion(R: np.ndarray) -> np.ndarray:
    """Unit quaternion (w first) of a rotation matrix."""
    K = np.array(
        [
            [R[0, 0] + R[1, 1] + R[2, 2], 0.0, 0.0, 0.0],
            [R[2, 1] - R[1, 2], R[0, 0] - R[1, 1] - R[2, 2], 0.0, 0.0],
            [R[0, 2] - R[2, 0], R[0, 1] + R[1, 0], R[1, 1] - R[0, 0] - R[2, 2], 0.0],
            [R[1, 0] - R[0, 1], R[0, 2] + R[2, 0], R[1, 2] + R[2, 1], R[2, 2] - R[0, 0] - R[1, 1]],
        ]
    )
    values, vectors = np.linalg.eigh(K / 3.0, UPLO="L")  # the largest eigenvector of this matrix is the quaternion
    q: np.ndarray = vectors[:, np.argmax(values)]
    return q if q[0] >= 0.0 else -q
