"""Energies of a flexible body: kinetic 1/2 y M y with y = (v, w, q'), and strain energy."""

from __future__ import annotations

from flexmb.equations.fields.beam_force import bending_excess
from flexmb.equations.fields.beam_nodes import shapes_at
from flexmb.equations.fields.elastic import elastic_energy
from flexmb.layout import flat_arrays as L
from flexmb.layout.access import (
    bias_of,
    block_of,
    composite_of,
    eta_dot_of,
    field_of,
    n_modes_of,
    omega_wb_b_at,
    v_wb_b_at,
)
from flexmb.layout.beam_access import n_stations_of, stations_of
from flexmb.machine_code.jit import call, program
from flexmb.vectors import store3, store_pair

FIELD_KINETIC, FIELD_STRAIN, FIELD_S, FIELD_MOMENTUM = 0, 1, 2, 5
"""Offset of the results of `field_energy` in the bias block of the body."""


@program
def field_energy(I, F, W, body):
    """Kinetic energy, strain energy, first moment S (3) and momentum (3) of a body record, to its bias block.

    Components of S and momentum in body axes. Needs `kinematics`; overwrites the composite inertia of the body.
    """
    field = field_of(I, body)
    block = block_of(I, body)
    n_modes = n_modes_of(I, body)
    size = 6 + n_modes
    M = composite_of(I, body)
    eta_dot = eta_dot_of(I, body)
    call(I[I[field + L.FD_MASS]], I, F, W, body)
    y = I[L.X_UP]
    store_pair(W, y, v_wb_b_at(W, block), omega_wb_b_at(W, block))
    for k in range(n_modes):
        W[y + 6 + k] = W[eta_dot + k]
    out = bias_of(I, body)
    kinetic = 0.0
    for i in range(size):
        s = 0.0
        for j in range(size):
            s += W[M + i * size + j] * W[y + j]
        kinetic += 0.5 * s * W[y + i]
        if i < 3:
            W[out + FIELD_MOMENTUM + i] = s
    strain = elastic_energy(I, F, W, body, field)
    if I[field + L.FD_FORCE] == L.AT_BEAM_FORCE:
        constants, _, _, _, _ = shapes_at(I, field)
        n_stations = n_stations_of(I, field)
        unequal = I[field + L.FD_UNEQUAL]
        stations = stations_of(I, field)
        for p in range(n_stations):
            EIz = F[constants + L.ST_EIZ * n_stations + p]
            EIy = F[constants + L.ST_EIY * n_stations + p]
            strain += bending_excess(W, stations, n_stations, p, EIz, EIy, unequal)[0]
    W[out + FIELD_KINETIC] = kinetic
    W[out + FIELD_STRAIN] = strain
    store3(W, out + FIELD_S, (W[M + size + 5], W[M + 2 * size + 3], W[M + 4]))  # from the block ~S of M
