"""Forces inside an exact beam by summation over the part towards end B (theory 10).

The part towards B exerts on the part towards A what loads and joints put on it less mass times acceleration. Inertia is
known at the stations: a station counts with the part of its length that lies beyond the cut.
"""

from __future__ import annotations

from flexmb.equations.arms import arm
from flexmb.equations.fields.beam_force import FORCE, MOMENT, POSITION
from flexmb.equations.fields.slices import slice_wrench
from flexmb.equations.markers import state_of
from flexmb.equations.reactions import branch_wrench
from flexmb.layout import flat_arrays as L
from flexmb.layout.access import (
    R_bm_at,
    R_wb_at,
    applied_wrench_at,
    block_of,
    constants_of_marker,
    field_of,
    is_flexible,
    joint_record,
    marker_record,
    n_modes_of,
    p_wb_at,
    r_at,
)
from flexmb.layout.beam_access import n_stations_of, station_vector, stations_of
from flexmb.machine_code.jit import kernel, program
from flexmb.vectors import (
    IDENTITY,
    ZERO,
    add,
    cross,
    load3,
    load_pair,
    multiply,
    rotate,
    rotate_back,
    scale,
    store_pair,
    sub,
    transpose,
)


@kernel
def _inertia_beyond(I, F, W, body, cut, origin):
    """Force and moment about `origin` of the inertia of stations and slices beyond the cut, body axes."""
    field = field_of(I, body)
    n_stations = n_stations_of(I, field)
    stations = stations_of(I, field)
    parts = I[cut + L.SX_F] + 1
    force = ZERO
    moment = ZERO
    for p in range(n_stations):
        f = scale(-F[parts + p], station_vector(W, stations, n_stations, FORCE, p))
        r = station_vector(W, stations, n_stations, POSITION, p)
        force = add(force, f)
        n = scale(-F[parts + p], station_vector(W, stations, n_stations, MOMENT, p))
        moment = add(moment, add(cross(sub(r, origin), f), n))
    for i in range(I[cut + L.SX_N_SLICES]):
        r, f, n = slice_wrench(I, F, W, body, I[I[cut + L.SX_SLICES] + i], True)
        force = sub(force, f)
        moment = sub(moment, add(cross(sub(r, origin), f), n))
    return force, moment


@program
def sections(I, F, W, arg):
    """Force and moment at every cut, axes of the section. Needs the full residual at T, Q, V, A, LAM."""
    for k in range(I[L.N_SECTIONS]):
        cut = I[L.SECTIONS] + k * L.SECTION
        body = I[cut + L.SX_BODY]
        block = block_of(I, body)
        marker = marker_record(I, I[cut + L.SX_MARKER])
        constants = constants_of_marker(I, marker)
        origin = (F[I[cut + L.SX_F]], 0.0, 0.0)
        R = IDENTITY
        if is_flexible(I, marker):
            r, R_bm, _, _, _, _ = arm(I, F, W, I[cut + L.SX_MARKER])
            R = multiply(R_bm, transpose(R_bm_at(F, constants)))
            origin = sub(r, rotate(R, load3(F, constants + L.MX_OFFSET)))
        force, moment = _inertia_beyond(I, F, W, body, cut, origin)
        for i in range(I[cut + L.SX_N_MARKERS]):
            state = state_of(I, F, W, I[I[cut + L.SX_MARKERS] + i], False)
            f, n = load_pair(W, applied_wrench_at(state, n_modes_of(I, body)))
            force = add(force, f)
            moment = add(moment, add(cross(sub(r_at(W, state), origin), f), n))
        R_wb = R_wb_at(W, block)
        p_w = add(p_wb_at(W, block), rotate(R_wb, origin))
        for i in range(I[cut + L.SX_N_JOINTS]):
            entry = I[cut + L.SX_JOINTS] + 2 * i  # number of the joint, sign
            sign = 1.0 * I[entry + 1]
            f, n = branch_wrench(I, F, W, joint_record(I, I[entry]), p_w)
            force = add(force, scale(sign, rotate_back(R_wb, f)))
            moment = add(moment, scale(sign, rotate_back(R_wb, n)))
        store_pair(W, I[cut + L.SX_W], rotate_back(R, force), rotate_back(R, moment))
