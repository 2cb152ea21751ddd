"""Accessor kernels of exact beams: numbers of shapes, and the arrays over the stations (`STATIONS`) in W.

An array is found from the place of all of them and the number of stations, both read once from the field record: the
compiler then knows how far the arrays are apart, and takes several stations at a time.
"""

from __future__ import annotations

from flexmb.layout import flat_arrays as L
from flexmb.machine_code.jit import kernel


@kernel
def shape_counts_of(I, field):
    """Numbers of shapes of an exact beam: bending in y and in z, stretch, torsion."""
    return I[field + L.FD_NY], I[field + L.FD_NZ], I[field + L.FD_NU], I[field + L.FD_NT]


@kernel
def n_stations_of(I, field):
    """Number of stations of an exact beam, or of mass points."""
    return I[field + L.FD_N]


@kernel
def stations_of(I, field):
    """Place in W of the arrays over the stations of an exact beam (`STATIONS`)."""
    return I[field + L.FD_W]


@kernel
def station_array(stations, n_stations, array):
    """Place in W of one of the arrays over the stations."""
    return stations + array * n_stations


@kernel
def station_vector(W, stations, n_stations, arrays, p):
    """Three numbers of station p, one from each of three arrays."""
    x, y, z = arrays
    return (W[stations + x * n_stations + p], W[stations + y * n_stations + p], W[stations + z * n_stations + p])
