"""Flat arrays of a checked model: `build_system`.

Order matters: the state comes first in the workspace, so that loads, sensors and channels can point to it; rows are
known when motions are, channels when everything is.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from flexmb.arrays import Integers
from flexmb.layout import flat_arrays as L
from flexmb.model.schema.model_spec import ModelSpec
from flexmb.system.mechanism import Mechanism
from flexmb.system.placement import place
from flexmb.system.records import sparse_storage
from flexmb.system.records.channels import pack_channels
from flexmb.system.records.fields import n_modes, n_stations
from flexmb.system.records.loads import LoadRecords
from flexmb.system.records.packing import Packer
from flexmb.system.records.rows import RowRecords
from flexmb.system.records.sparse_storage import SparseStorage
from flexmb.system.records.tree import (
    TreeRecords,
    initial_coordinates,
    lay_out_tree,
    pack_bodies,
    pack_coordinates,
    pack_markers,
)
from flexmb.system.system import NO_SHARING, Sharing, System
from flexmb.system.topology import Topology, loop_size, topology


def build_system(
    spec: ModelSpec,
    *,
    dropped: Collection[int] = (),
    sharing: Sharing = NO_SHARING,
    initial_state: bool = False,
    mechanism: Mechanism | None = None,
    known: System | None = None,
    sparse: bool = False,
) -> System:
    """Flat arrays of a checked model (`ModelSpec`), of its placed `mechanism` if that exists already.

    `dropped` lists constraint rows that are not evaluated (numbers in `System.all_rows`), `sharing` rows that repeat
    others (numbers in `System.evaluated`); their combinations at the start are still to be set in `basis0`. With
    `initial_state` the tree is the joint tree in which initial values are read, whatever coordinates are requested.
    `known`: a system of this model and mechanism without dropped or shared rows, which is taken over if its tree is the
    same.
    `sparse` allows sparse storage, which is used where it is worthwhile.
    """
    mechanism = mechanism or place(spec)
    topo = topology(spec, mechanism, initial_state=initial_state)
    if known is not None and not dropped and not sharing.sets and not sharing.left_out and _is_alike(topo, known):
        return replace(known, topology=topo, full_pattern=_full_pattern(known))
    tree = lay_out_tree(mechanism, topo)
    pack = Packer()
    _take_state(pack, tree, mechanism)
    joint_f = [pack.put(joint.parameters) if joint.parameters else 0 for joint in mechanism.joints]
    pack_markers(pack, mechanism, tree)
    pack_bodies(pack, mechanism, topo, tree, joint_f)
    pack_coordinates(pack, mechanism, topo, tree)
    rows = RowRecords(pack, mechanism, tree, topo.chords, joint_f)
    size = _length_scale(mechanism)
    rows.add_chords({chord: loop_size(mechanism, topo, chord, size) for chord in topo.chords})
    rows.add_couplings()
    rows.add_motions(spec)
    loads = LoadRecords(pack, spec, rows)
    loads.pack_sensors()
    for name in spec.motions:
        loads.power(name, "motion")
    loads.pack_loads()
    _pack_damping(pack, mechanism, tree, loads)
    _pack_world(pack, spec, loads)
    all_rows, active, seen = rows.finish(set(dropped), sharing)
    if sparse or pack.ints[L.N_ALL_ROWS] > pack.ints[L.N_ROWS]:
        pack.ints[L.OPEN] = pack.put([sharing.limit * min(1.0, size), size])
    _pack_motions(pack, spec, rows, loads)
    _pack_joints(pack, mechanism, topo, tree, rows, loads, joint_f)
    storage = _sparse_storage(pack) if sparse and sharing is NO_SHARING else None
    _take_rows(pack, tree.n_v, len(loads.powers))
    channels = pack_channels(pack, spec, topo, tree, rows, loads, len(active))
    q0, v0, given_q, given_v = initial_coordinates(mechanism, topo, tree)
    return System(
        name=spec.model.name,
        ints=np.array(pack.ints, dtype=np.int64),
        floats=np.array(pack.floats),
        n_work=pack.n_work,
        mechanism=mechanism,
        topology=topo,
        coordinates=tuple(tree.coordinates),
        coordinate_kinds=tuple(tree.kinds),
        all_rows=tuple(all_rows),
        evaluated=tuple(all_rows[k] for k in active),
        rows=tuple(seen),
        row_numbers=tuple(active),
        dropped=tuple(all_rows[k] for k in sorted(dropped)),
        sharing=sharing,
        basis0=np.zeros(pack.ints[L.N_BASIS]),
        channels=tuple(channels),
        forces=tuple(spec.forces),
        q0=q0,
        v0=v0,
        fixed_q=given_q,
        fixed_v=given_v,
        length_scale=size,
        memory0=np.array(rows.memory),
        pattern=None if storage is None else storage.pattern(),
        full_pattern=None if storage is None or initial_state else storage.full_pattern(),
    )


def _is_alike(topo: Topology, known: System) -> bool:
    """Whether a tree gives the coordinates and rows of a system that is known."""
    return topo.branches == known.topology.branches and topo.chords == known.topology.chords


def _full_pattern(known: System) -> Integers | None:
    """Pattern of a tangent by differences: a run needs it, the search for the initial state has none."""
    if known.pattern is None or known.full_pattern is not None:
        return known.full_pattern
    storage = SparseStorage(known.ints.tolist())
    storage.find_columns()
    return storage.full_pattern()


def _sparse_storage(pack: Packer) -> SparseStorage | None:
    """Sparse storage of M and G where it is worthwhile; its tables are written."""
    storage = SparseStorage(pack.ints)
    if pack.ints[L.N_V] + pack.ints[L.N_ALL_ROWS] < sparse_storage.SPARSE_FROM:
        return None
    storage.find_columns()
    if not storage.is_worthwhile:
        return None
    storage.pack(pack)
    return storage


def _take_state(pack: Packer, tree: TreeRecords, mechanism: Mechanism) -> None:
    pack.ints[L.N_Q], pack.ints[L.N_V] = tree.n_q, tree.n_v
    counts = {
        "n_q": tree.n_q,
        "n_v": tree.n_v,
        "most_modes": max(n_modes(body) for body in mechanism.bodies),
        "most_stations": max(n_stations(body) for body in mechanism.bodies),
    }
    state = (L.T, L.Q, L.QN, L.Q_DOT, L.Q_DDOT, L.V, L.A, L.DQ, L.RES, L.BIAS, L.EFFORT, L.BASE, L.ENERGY)
    scratch = (L.X_JOINT, L.X_VALUE, L.X_ACCELERATE, L.X_UP, L.X_UP2, L.X_LARGE, L.X_ARTICULATED, L.X_FIELD, L.X_CHORD)
    pack.take_header(state + scratch, counts)


def _take_rows(pack: Packer, n_v: int, n_powers: int) -> None:
    ints = pack.ints
    ints[L.N_POWERS], n_rows, n_all = n_powers, ints[L.N_ROWS], ints[L.N_ALL_ROWS]
    if not ints[L.SPARSE]:
        ints[L.N_M], ints[L.N_G], ints[L.N_ALL_G] = n_v * n_v, n_rows * n_v, n_all * n_v
    counts = {"n_v": n_v, "n_rows": n_rows, "n_all_rows": n_all, "n_powers": n_powers, "n_share": 0}
    counts |= {"n_M": ints[L.N_M], "n_G": ints[L.N_G], "n_all_G": ints[L.N_ALL_G]}
    pack.take_header((L.LAM, L.PHI, L.PHI_DOT, L.GAM, L.M, L.G, L.POWER, L.WORK), counts)
    if n_all > n_rows:  # some rows repeat others
        counts["n_basis"] = ints[L.N_BASIS] = n_all * n_all + 2 * ints[L.N_Q] + n_all
        n_left, n_reactions = n_all - n_rows, 6 * ints[L.N_JOINTS]
        counts["n_share"] = n_all * (n_v + n_all + 1) + n_v + n_left * (n_all + n_left + 1) + (n_left + 1) * n_reactions
        ints[L.N_SHARE] = counts["n_share"]
        pack.take_header((L.LAM_ALL, L.PHI_ALL, L.PHI_DOT_ALL, L.GAM_ALL, L.G_ALL, L.BASIS, L.X_SHARE), counts)
        return
    for own, slot in zip(
        (L.LAM_ALL, L.PHI_ALL, L.PHI_DOT_ALL, L.GAM_ALL, L.G_ALL), (L.LAM, L.PHI, L.PHI_DOT, L.GAM, L.G), strict=True
    ):
        ints[own] = ints[slot]


def _pack_damping(pack: Packer, mechanism: Mechanism, tree: TreeRecords, loads: LoadRecords) -> None:
    """Work channels of the damping of flexible bodies."""
    for body in mechanism.bodies:
        record = tree.fields.get(body.name, 0)
        if record and pack.ints[record + L.FD_D]:
            pack.ints[record + L.FD_POWER] = loads.power(f"{body.name} damping", "body")


def _pack_world(pack: Packer, spec: ModelSpec, loads: LoadRecords) -> None:
    """Gravity and the prescribed motion of the base."""
    ints = pack.ints
    ints[L.GRAVITY] = pack.put(spec.model.gravity)
    ints[L.BASE_POWER] = -1
    if spec.base is None:
        return
    if spec.base.rotation is not None:
        ints[L.BASE_AXIS] = pack.put(spec.base.rotation.axis)
        ints[L.BASE_ANGLE] = pack.function(spec.base.rotation.angle, {})
    if spec.base.acceleration is not None:
        starts = [pack.function(expression, {}) for expression in spec.base.acceleration]
        ints[L.BASE_ACCELERATION] = pack.put_ints(starts)
    ints[L.BASE_POWER] = loads.power("base", "ground")


def _pack_motions(pack: Packer, spec: ModelSpec, rows: RowRecords, loads: LoadRecords) -> None:
    records = []
    for number, (name, motion) in enumerate(spec.motions.items()):
        record = [0] * L.MOTION
        record[L.MO_ROW] = rows.motion_row.get(name, -1)
        record[L.MO_POWER] = number
        record[L.MO_FUNCTION] = pack.function(motion.function, {})
        record[L.MO_W] = loads.motion_slot[name]
        records.append(record)
    pack.ints[L.MOTIONS], pack.ints[L.N_MOTIONS] = pack.table(records, L.MOTION), len(records)


def _pack_joints(
    pack: Packer,
    mechanism: Mechanism,
    topo: Topology,
    tree: TreeRecords,
    rows: RowRecords,
    loads: LoadRecords,
    joint_f: list[int],
) -> None:
    """Joint table of the reactions."""
    reverse = {branch.joint: branch.reversed for branch in topo.branches if branch.joint is not None}
    records = []
    for number, joint in enumerate(mechanism.joints):
        own = rows.joint_rows.get(number, [])
        record = [0] * L.JOINT
        record[L.JO_BODY] = tree.branch_of_joint.get(number, 0)
        record[L.JO_CODE] = int(joint.type.code)
        record[L.JO_A], record[L.JO_B] = joint.first, joint.second
        record[L.JO_ROW_LIST], record[L.JO_ROWS] = pack.put_ints(own), len(own)
        record[L.JO_F], record[L.JO_NV] = joint_f[number], joint.type.n_v
        record[L.JO_REVERSED] = int(reverse.get(number, False))
        record[L.JO_W] = loads.reaction_block[joint.name]
        records.append(record)
    pack.ints[L.JOINTS], pack.ints[L.N_JOINTS] = pack.table(records, L.JOINT), len(records)


def _length_scale(mechanism: Mechanism) -> float:
    """Largest distance of a marker from its body origin or of two bodies: the size of the mechanism [m]."""
    places = np.array([mechanism.world_pose(number)[1] for number in range(len(mechanism.markers))])
    extent = float(np.ptp(places, axis=0).max()) if len(places) else 0.0
    return extent if extent > 0.0 else 1.0
