"""Report on section forces: the largest of every kind in every beam, with place and time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from flexmb.arrays import Floats
from flexmb.reports.run_report import entry
from flexmb.results.beam_forces import SectionForces

_SIGNS = (
    "exerted by the part of a beam towards end B on the part towards end A, in axes of the deformed section, from the "
    "loads, reactions and inertia of the part beyond x: N along the beam (positive: tension), Q transverse, T torsion, "
    "M bending. x is the distance from end A."
)
_NOTHING = 1e-10
"""Fraction of the largest force of a beam below which values are round-off."""


def section_lines(beams: Mapping[str, SectionForces], n_rows: int) -> list[str]:
    """The largest forces and moments inside every beam of a result of `n_rows` rows, as plain text; empty without
    beams."""
    if not beams:
        return []
    n_seen = max(len(beam.time) for beam in beams.values())
    thinned = "" if n_seen == n_rows else f" Evaluated at {n_seen} of {n_rows} rows."
    closure = max(beam.closure for beam in beams.values())
    balance = f"the beams are in balance to {closure:.1e} of the largest force or moment inside them"
    lines = [*entry("section forces", _SIGNS + thinned), *entry("balance of beams", balance), ""]
    return [*lines, *_table(beams)]


def _table(beams: Mapping[str, SectionForces]) -> Iterator[str]:
    width = max([10, *(len(name) + 2 for name in beams)])
    yield f"  {'beam':<{width}}{'':<10}{'largest':>13}{'at x [m]':>12}{'length [m]':>12}{'at t [s]':>12}"
    for name, beam in beams.items():
        force = float(np.abs(beam.force).max())
        moment = max(float(np.abs(beam.moment).max()), force * float(beam.x[-1]))
        for label, values, limit in (
            ("N [N]", beam.component("N"), force),
            ("Q [N]", np.linalg.norm(beam.force[:, :, 1:], axis=2), force),
            ("T [N*m]", beam.component("T"), moment),
            ("M [N*m]", np.linalg.norm(beam.moment[:, :, 1:], axis=2), moment),
        ):
            yield f"  {name:<{width}}{label:<10}{_largest(beam, values, _NOTHING * limit)}"
            name = ""


def _largest(beam: SectionForces, values: Floats, limit: float) -> str:
    """The largest of values : (r, n) with its place and time."""
    row, station = np.unravel_index(int(np.argmax(np.abs(values))), values.shape)
    value = float(values[row, station])
    if not abs(value) > limit:
        return f"{0.0:>13.6g}{'-':>12}{beam.x[-1]:>12.4g}{'-':>12}"
    return f"{value:>13.6g}{beam.x[station]:>12.4g}{beam.x[-1]:>12.4g}{beam.time[row]:>12.6g}"
