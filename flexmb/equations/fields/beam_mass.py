"""Exact inextensible beam: mass matrix of the body, (6 + n) x (6 + n) (theory 2.2, 3)."""

from __future__ import annotations

from flexmb.equations.fields.beam_nodes import integrate_into, mix_into, shapes_at
from flexmb.equations.fields.beam_rotary import rotary_mass_into
from flexmb.equations.fields.gram import add_points, clear_mass, mirror
from flexmb.equations.fields.slices import slice_mass_into
from flexmb.layout import flat_arrays as L
from flexmb.layout.access import eta_of, field_of
from flexmb.layout.beam_access import n_stations_of, shape_counts_of, station_array, stations_of
from flexmb.machine_code.jit import program


@program
def beam_mass(I, F, W, body):
    """Mass matrix of a body record. Needs the arrays of `beam_nodes`; leaves the forces as they are."""
    field = field_of(I, body)
    n_y, n_z, n_u, n_t = shape_counts_of(I, field)
    n = n_y + n_z + n_u + n_t
    eta = eta_of(I, body)
    n_stations = n_stations_of(I, field)
    stations = stations_of(I, field)
    constants, value, slope, _, _ = shapes_at(I, field)
    x = station_array(stations, n_stations, L.ND_U)
    y = station_array(stations, n_stations, L.ND_Y)
    z = station_array(stations, n_stations, L.ND_Z)
    mix_into(F, W, value, eta, 0, n_y, n_stations, y)
    mix_into(F, W, value, eta, n_y, n_z, n_stations, z)
    mix_into(F, W, value, eta, n_y + n_z, n_u, n_stations, x)
    for p in range(n_stations):
        W[x + p] += F[constants + L.ST_X * n_stations + p]
    integrate_into(I, F, W, field, L.ND_DS, L.ND_U, 1.0)
    psi = station_array(stations, n_stations, L.NODES)  # columns of the points, 3 x n_stations x n
    for k in range(n):
        axis = 1 if k < n_y else (2 if k < n_y + n_z else 0)
        on_line = 1.0 if k < n_y + n_z + n_u else 0.0
        for p in range(n_stations):
            for c in range(3):
                W[psi + (c * n_stations + p) * n + k] = on_line * F[value + k * n_stations + p] if c == axis else 0.0
    s = station_array(stations, n_stations, L.ND_S)
    by_mode = station_array(stations, n_stations, L.ND_S3)
    shortening = station_array(stations, n_stations, L.ND_U2)
    for k in range(n_y + n_z):  # psi_k,x = -int b phi_k'/s, the shortening by every bending mode
        bend = station_array(stations, n_stations, L.ND_B if k < n_y else L.ND_C)
        for p in range(n_stations):
            W[by_mode + p] = -W[bend + p] * F[slope + k * n_stations + p] / W[s + p]
            W[shortening + p] = 0.0
        integrate_into(I, F, W, field, L.ND_S3, L.ND_U2, 1.0)
        for p in range(n_stations):
            W[psi + p * n + k] = W[shortening + p]
    o, size = clear_mass(I, W, body)
    add_points(F, W, o, size, constants + L.ST_MASS * n_stations, (x, y, z), psi, n_stations)
    if I[field + L.FD_ROTARY] > 0:
        rotary_mass_into(I, F, W, body, field, o, size)
    mirror(W, o, size)
    for k in range(I[field + L.FD_N_SLICES]):
        slice_mass_into(I, F, W, body, I[field + L.FD_SLICES] + k * L.SLICE)
