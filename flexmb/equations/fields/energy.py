"""Energies of a flexible body: kinetic 1/2 y M y with y = (v, w, q'), and strain energy."""

from __future__ import annotations

from flexmb.equations.fields.beam_force import bending_excess
from flexmb.equations.fields.beam_nodes import shapes_at
from flexmb.equations.fields.elastic import elastic_energy
from flexmb.jit import call, program
from flexmb.layout import flat_arrays as L
from flexmb.vectors import load3, store3


@program
def field_energy(I, F, W, arg):
    """Kinetic energy, strain energy, first moment S (3) and momentum (3) of body record `arg`, to its bias block.

    Components of S and momentum in body axes. Needs `kinematics`; overwrites the composite inertia of the body.
    """
    field = I[arg + L.B_FIELD]
    block = I[arg + L.B_W]
    n = I[arg + L.B_NF]
    size = 6 + n
    o = I[arg + L.B_COMPOSITE]
    v = I[L.V] + I[arg + L.B_V] + I[arg + L.B_NJ]
    call(I[I[field + L.FD_MASS]], I, F, W, arg)
    y = I[L.X_UP]
    store3(W, y, load3(W, block + L.W_VEL))
    store3(W, y + 3, load3(W, block + L.W_OMEGA))
    for k in range(n):
        W[y + 6 + k] = W[v + k]
    out = I[arg + L.B_BIAS]
    kinetic = 0.0
    for i in range(size):
        s = 0.0
        for j in range(size):
            s += W[o + i * size + j] * W[y + j]
        kinetic += 0.5 * s * W[y + i]
        if i < 3:
            W[out + 5 + i] = s
    strain = elastic_energy(I, F, W, arg, field)
    if I[field + L.FD_FORCE] == L.AT_BEAM_FORCE:
        stations, _, _, _, _ = shapes_at(I, field)
        count = I[field + L.FD_N]
        for p in range(count):
            EIz = F[stations + L.ST_EIZ * count + p]
            EIy = F[stations + L.ST_EIY * count + p]
            strain += bending_excess(W, I[field + L.FD_W], count, p, EIz, EIy, I[field + L.FD_UNEQUAL])[0]
    W[out] = kinetic
    W[out + 1] = strain
    W[out + 2] = W[o + size + 5]
    W[out + 3] = W[o + 2 * size + 3]
    W[out + 4] = W[o + 4]
