"""Records of the stored coordinates: which entry of q belongs to which entry of v."""

from __future__ import annotations

from flexmb.layout.record import Record

SCALAR_RECORD = Record("plain coordinate", "I", "A coordinate whose rate is its time derivative.")
SC_Q = SCALAR_RECORD.value("q", "index among the stored coordinates")
SC_V = SCALAR_RECORD.value("v", "index among the velocities")
SCALAR = SCALAR_RECORD.size

SPHERE_RECORD = Record("quaternion block", "I", "Four stored coordinates that are a unit quaternion.")
SP_Q = SPHERE_RECORD.value("q", "index of its first stored coordinate")
SP_V = SPHERE_RECORD.value("v", "index of its first rate")
SP_N = SPHERE_RECORD.value("n", "number of rates: 3, or 2 for the direction of a rod (components y and z)")
SPHERE = SPHERE_RECORD.size
