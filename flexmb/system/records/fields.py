"""Flat records of flexible bodies: deformation fields, elastic constants and flexible markers."""

from __future__ import annotations

from typing import Any

import numpy as np

from flexmb.bodies.exact_beam import ExactBeam, ExactShapes, Slice
from flexmb.bodies.flexible_body import FlexibleBody
from flexmb.bodies.invariants import Invariants
from flexmb.bodies.marker_shapes import MarkerShapes
from flexmb.bodies.point_field import PointField
from flexmb.layout import flat_arrays as L
from flexmb.machine_code.lanes import LANES
from flexmb.system.records.packing import Packer

BLOCK_NUMBERS = 65000
"""Numbers of a block of mass points: it is read twice, and stays in the faster memory (0.5 MB) between."""


def n_stations(body: Any) -> int:
    """Number of stations of a body with the exact field of a beam."""
    return len(body.field.x) if isinstance(body, FlexibleBody) and isinstance(body.field, ExactBeam) else 0


def n_modes(body: Any) -> int:
    """Number of elastic coordinates of a body."""
    return body.n_modes if isinstance(body, FlexibleBody) else 0


def place_marker(pack: Packer, p_b: Any, R_b: Any, shapes: MarkerShapes | ExactShapes | None) -> tuple[int, int, int]:
    """Constants of a marker: their place in F, the slot of the program that finds its arm (0: rigid), its order."""
    pose = [*p_b, *np.asarray(R_b).ravel()]
    if shapes is None or (isinstance(shapes, ExactShapes) and shapes.is_rigid):
        return pack.put(pose), 0, 0
    if isinstance(shapes, ExactShapes):
        place = pack.put(pose)
        pack.put([*shapes.offset, shapes.x])
        pack.put(shapes.weights)
        pack.put(shapes.values[:, 0])
        bending = shapes.bending
        for column in (1, 2):
            pack.put(shapes.values[bending, column])
        pack.ints[L.FIELD_KINDS] |= L.KIND_BEAM
        return place, L.AT_BEAM_ARM, 0
    arrays = (shapes.Phi, shapes.Theta, shapes.G, shapes.Gamma)
    if not any(np.any(array) for array in arrays):
        return pack.put(pose), 0, 0
    place = pack.put(pose)
    pack.put(np.concatenate(arrays[:2], axis=-1))
    if shapes.order > 1:
        pack.put(np.concatenate(arrays[2:], axis=-1))
    pack.ints[L.FIELD_KINDS] |= L.KIND_ARMS
    return place, L.AT_ARM, shapes.order


def pack_field(pack: Packer, body: FlexibleBody, body_record: int, slices: int) -> list[int]:
    """Field record of a flexible body; `slices` is the place in I of its slice table."""
    field, n = body.field, body.n_modes
    record = [0] * L.FIELD
    record[L.FD_BODY] = body_record
    record[L.FD_K] = pack.put(body.stiffness)
    record[L.FD_D] = pack.put(body.damping) if np.any(body.damping) else 0
    record[L.FD_CUBIC] = 0 if body.cubic is None else pack.put(body.cubic)
    record[L.FD_POWER] = -1
    if isinstance(field, ExactBeam):
        _pack_beam(pack, field, record)
        record[L.FD_SLICES], record[L.FD_N_SLICES] = slices, len(field.lumps)
        kind = L.KIND_BEAM
        slots = (L.AT_BEAM_NODES, L.AT_BEAM_FORCE, L.AT_BEAM_MASS)
    elif isinstance(field, Invariants):
        order = record[L.FD_ORDER] = 0 if body.order is None else int(body.order)
        arrays: list[Any] = [[field.mass], field.S0, field.P0, field.S1, field.N1, field.N2]
        arrays += [field.S2, field.X] if order > 0 else []
        arrays += [field.N3] if order > 1 else []
        record[L.FD_F] = [pack.put(array) for array in arrays][0]
        record[L.FD_W] = pack.take(n * (3 + 9 + 9 * n))
        kind = L.KIND_INVARIANTS
        slots = (0, L.AT_INVARIANT_FORCE, L.AT_INVARIANT_MASS)
    else:
        _pack_points(pack, field, record)
        kind = L.KIND_POINTS
        slots = (0, L.AT_POINT_FORCE, L.AT_POINT_MASS)
    record[L.FD_NODES], record[L.FD_FORCE], record[L.FD_MASS] = slots
    pack.ints[L.FIELD_KINDS] |= kind
    return record


def _pack_beam(pack: Packer, field: ExactBeam, record: list[int]) -> None:
    record[L.FD_NY], record[L.FD_NZ], record[L.FD_NU], record[L.FD_NT] = field.counts
    record[L.FD_N] = len(field.x)
    record[L.FD_SEGMENTS], record[L.FD_LOCAL] = field.segments, field.local
    record[L.FD_FROM_END] = int(field.basis.from_end)
    record[L.FD_SHEAR], record[L.FD_UNEQUAL] = int(field.has_shear), int(field.is_unequal)
    is_round = bool(np.array_equal(field.Jy, field.Jz))
    record[L.FD_ROTARY] = 0 if not np.any(field.Jy + field.Jz) else 1 if is_round else 2
    record[L.FD_W] = pack.take(L.STATIONS.length({"n_stations": len(field.x), "n_modes": field.n}))
    record[L.FD_F] = len(pack.floats)
    for matrix, weights in zip(field.matrices, field.weights, strict=True):
        pack.put(matrix.T)
        pack.put(weights)
    for array in (field.mass, field.EIz, field.EIy, field.x, field.Jy, field.Jz, field.values[:, :, 0].T):
        pack.put(array)
    for column in (1, 2, 3):
        pack.put(field.values[:, field.bending, column].T)


def _pack_points(pack: Packer, field: PointField, record: list[int]) -> None:
    """Mass points in equal blocks; points without mass fill the last one."""
    n, count = field.n_modes, len(field.mass)
    rows = 1 + n + n * (n + 1) // 2
    most = max(16, BLOCK_NUMBERS // (3 * rows))
    blocks = -(-count // most)
    width = -(-count // blocks)
    fill = blocks * width - count
    lanes = -(-3 * width // LANES) * LANES
    k, l = np.tril_indices(n)
    arrays = (field.X[:, None], field.phi, field.G[:, k, l])
    mass, *rest = (np.pad(array, [(0, fill)] + [(0, 0)] * (array.ndim - 1)) for array in (field.mass, *arrays))
    record[L.FD_F] = len(pack.floats)
    for first in range(0, blocks * width, width):
        part = slice(first, first + width)
        pack.put(mass[part])
        for array in rest:  # (points, fields, 3) -> fields, components of all points
            components = array[part].transpose(1, 2, 0).reshape(-1, 3 * width)
            pack.put(np.pad(components, [(0, 0), (0, lanes - 3 * width)]))
    record[L.FD_N], record[L.FD_SEGMENTS], record[L.FD_LOCAL] = blocks * width, blocks, width
    # force: factors and products of the rows, r, r', r''; mass: columns of the frame and of the modes, one times mass
    record[L.FD_W] = pack.take(max(4 * rows + 3 * lanes, (7 + n) * lanes))


def slice_constants(pack: Packer, part: Slice) -> int:
    """Place in F of mass and inertia of a slice."""
    return pack.put([part.mass, *np.asarray(part.inertia, dtype=float).ravel()])


def field_kinds(spec: Any) -> int:
    """Kinds of deformation field of a checked model (FIELD_KINDS), known before anything is built."""
    kinds = 0
    for body in spec.bodies.values():
        if hasattr(body, "modal"):
            kinds |= L.KIND_ARMS | L.KIND_INVARIANTS
        elif hasattr(body, "file"):
            kinds |= L.KIND_ARMS | (L.KIND_POINTS if body.chosen_order == "full" else L.KIND_INVARIANTS)
        elif hasattr(body, "beam") and body.field == "exact":
            kinds |= L.KIND_BEAM
        elif hasattr(body, "beam"):
            kinds |= L.KIND_ARMS | (L.KIND_POINTS if body.order == "full" else L.KIND_INVARIANTS)
    if any(sensor.section is not None for sensor in spec.sensors.values()):
        kinds |= L.KIND_SECTIONS
    return kinds
