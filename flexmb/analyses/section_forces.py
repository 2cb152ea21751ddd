"""Forces and moments inside the beams of a result, along the beam and over time, by force summation.

At the section x the part of the beam beyond x (towards end B) exerts on the part before it
    F(x) = sum over the part beyond x of (loads and joint reactions - mass times acceleration),
    M(x) = the same with arms from the section's place on the deformed centre line,
in axes of the deformed section: N (positive: tension), Qy, Qz; T, My, Mz, which are GJ phi', -EIy w'' and EIz v'' for
small deflections. No derivative of a shape is taken: a few shapes suffice for the distribution of the loads, of which
EI v'' gives only the part within the shapes. Weight is part of the accelerations (theory 10, last line).

The same sum over the part before x differs by the imbalance of the whole beam, `closure`. It is distributed along the
beam in proportion to x, so that the forces at both ends are those of the joints and loads there.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from flexmb.analyses.body_loads import BodyLoads, body_loads, system_of
from flexmb.arrays import Floats
from flexmb.bodies.beam_inertia import BeamInertia, beam_inertia, parts_beyond, points_beyond
from flexmb.bodies.flexible_body import FlexibleBody
from flexmb.bodies.rigid_body import RigidBody
from flexmb.errors import Fault, InputError
from flexmb.model.model import Model
from flexmb.reduction.beam_basis import BeamBasis
from flexmb.results.beam_forces import SectionForces
from flexmb.results.model_of_result import model_of
from flexmb.results.result_file import Result
from flexmb.suggestions import clipped, did_you_mean
from flexmb.system.mechanism import Mechanism
from flexmb.system.placement import place
from flexmb.system.system import System

_STATIONS = 21
_MOST_ROWS = 1000
"""Rows of a result that `beam_forces` evaluates; longer results are thinned out."""
_ROWS = 128
"""Rows that are computed at once."""
_NOTHING = 1e-12
"""Section forces below this fraction of the loads and inertia of the beam are round-off."""


def section_forces(
    result: Result,
    body: str,
    stations: ArrayLike | None = None,
    *,
    model: Model | None = None,
    folder: str | os.PathLike[str] | None = None,
) -> SectionForces:
    """Forces and moments inside a beam at every row of a result.

    `stations` : (n,) [m] from end A; default: 21 evenly spaced ones and, twice, all places of joints, point loads and
    lumped masses between the ends. A station at such a place gives the value before it; given twice in a row it gives
    the values before and after. Sections at the ends lie inside the beam: there the forces are those that the joint or
    load at that end exerts. `model`: the model of the run, if loaded; `folder`: another folder with body files.
    """
    system = system_of(result, model, folder)
    number = _beam_number(system.mechanism, body)
    if not len(result):
        raise InputError(f"'{result.path}' has no rows: the run ended before the first one.")
    return _all_forces(result, system, [number], stations, range(len(result)))[body]


def beam_forces(result: Result, model: Model | None = None) -> dict[str, SectionForces]:
    """Forces and moments inside all beams at the default stations, by body, at no more than 1000 rows of the result."""
    model = model or model_of(result)
    beams = [number for number, placed in enumerate(place(model.spec).bodies) if _is_beam(placed)]
    if not beams or not len(result):
        return {}
    system = system_of(result, model)
    rows = np.unique(np.linspace(0, len(result) - 1, min(_MOST_ROWS, len(result))).round().astype(int))
    return _all_forces(result, system, beams, None, rows.tolist())


def _all_forces(
    result: Result, system: System, numbers: list[int], stations: ArrayLike | None, rows: Sequence[int]
) -> dict[str, SectionForces]:
    mechanism = system.mechanism
    given = {}
    if stations is not None:
        given = {number: _checked(_beam(mechanism, number)[0], stations) for number in numbers}
    found = {}
    for number, loads in body_loads(result, system, numbers, rows).items():
        name = mechanism.bodies[number].name
        x = given[number] if given else _default_stations(mechanism, number, loads)
        force, moment, closure = _Summation(mechanism, number, loads, x).run()
        found[name] = SectionForces(name, result.time[list(rows)], x, force, moment, closure)
    return found


def _is_beam(body: RigidBody) -> bool:
    return isinstance(body, FlexibleBody) and body.basis is not None


def _beam(mechanism: Mechanism, number: int) -> tuple[FlexibleBody, BeamBasis]:
    body = mechanism.bodies[number]
    assert isinstance(body, FlexibleBody) and body.basis is not None
    return body, body.basis


def _beam_number(mechanism: Mechanism, name: str) -> int:
    beams = [body.name for body in mechanism.bodies if _is_beam(body)]
    if name not in mechanism.body_index:
        raise InputError(f"There is no body '{name}'. {did_you_mean(name, beams)}")
    if name not in beams:
        listed = f"beams: {', '.join(beams)}" if beams else "the model has no beams"
        raise InputError(f"Body '{name}' is not a beam: it has no sections ({listed}).")
    return mechanism.body_index[name]


def _checked(body: FlexibleBody, stations: ArrayLike) -> Floats:
    """Stations given by the user, checked."""
    length, faults = body.length, []
    try:
        x = np.array(stations, dtype=float)
    except (TypeError, ValueError):
        x = np.zeros(())
    if x.ndim != 1 or x.size == 0:
        faults.append(Fault(f"Stations must be a list of places [m], found {clipped(stations)}."))
    outside = x[~((x >= -1e-9 * length) & (x <= (1.0 + 1e-9) * length))]
    if outside.size:
        listed = ", ".join(f"{place:g}" for place in outside[:5])
        hint = f"Body '{body.name}' reaches from 0 to {length:g} m."
        faults.append(Fault(f"Stations outside the beam: {listed} m.", hint=hint))
    if faults:
        raise InputError(faults)
    return np.clip(x, 0.0, length)


def _default_stations(mechanism: Mechanism, number: int, loads: BodyLoads) -> Floats:
    body, basis = _beam(mechanism, number)
    spread = {marker for points in mechanism.distributed.values() for marker, _ in points}
    is_loaded = np.any(loads.force, axis=(0, 2)) | np.any(loads.moment, axis=(0, 2))
    places = [
        mechanism.markers[marker].p_b[0]
        for marker, loaded in zip(loads.markers, is_loaded, strict=True)
        if loaded and marker not in spread
    ]
    places += [lump.x for lump in basis.lumps]
    inside = [x for x in places if 1e-6 * body.length < x < (1.0 - 1e-6) * body.length]
    jumps = np.unique(np.round(inside, 12)) if inside else np.zeros(0)
    even = np.linspace(0.0, body.length, _STATIONS)
    even = even[np.all(np.abs(even[:, None] - jumps) > 1e-9 * body.length, axis=1)]
    return np.sort(np.concatenate([even, jumps, jumps]))


class _Summation:
    """Sums over the part of a beam beyond every cut."""

    def __init__(self, mechanism: Mechanism, number: int, loads: BodyLoads, x: Floats):
        body, basis = _beam(mechanism, number)
        self.length, self.loads, self.x = body.length, loads, x
        self.inertia: BeamInertia = beam_inertia(body)
        self.poses = self.inertia.sections(x)
        after = np.concatenate([[False], np.diff(x) == 0.0])
        self.parts = self.inertia.beyond(x, after)
        places = np.array([mechanism.markers[k].p_b[0] for k in loads.markers])
        self.beyond = points_beyond(np.clip(places, 0.0, body.length), x, after, body.length)
        for spread in mechanism.distributed.values():
            self._spread(spread, basis.gauss, places)

    def _spread(self, spread: list[tuple[int, float]], gauss: int, places: Floats) -> None:
        """Distribute a line load along the beam: it does not act at the Gauss points that represent it."""
        if not spread or spread[0][0] not in self.loads.markers:
            return
        columns = [self.loads.markers.index(marker) for marker, _ in spread]
        for first in range(0, len(columns), gauss):
            piece = columns[first : first + gauss]
            length = sum(weight for _, weight in spread[first : first + gauss])
            middle = 0.5 * (places[piece[0]] + places[piece[-1]])
            ends = np.array([middle - 0.5 * length, middle + 0.5 * length])
            self.beyond[:, piece] = parts_beyond(ends, gauss, self.x)

    def run(self) -> tuple[Floats, Floats, float]:
        """Force and moment (r, n, 3), axes of the sections, and the closure."""
        rows, loads = len(self.loads.force), self.loads
        force, moment = np.zeros((rows, len(self.x), 3)), np.zeros((rows, len(self.x), 3))
        gaps, sizes = np.zeros((rows, 2)), np.zeros(2)
        for first in range(0, rows, _ROWS):
            which = slice(first, min(first + _ROWS, rows))
            motion = loads.motion.rows(which)
            totals = []
            for k, (applied, asked) in enumerate(
                zip((loads.force[which], loads.moment[which]), self.inertia.forces(motion), strict=True)
            ):
                gap = applied.sum(axis=1) - asked.sum(axis=1)
                share = (1.0 - self.x / self.length)[:, None]
                totals.append(self.beyond @ applied - self.parts @ asked - share * gap[:, None])
                gaps[which, k] = np.linalg.norm(gap, axis=1)
                size = np.linalg.norm(applied, axis=2).sum(axis=1) + np.linalg.norm(asked, axis=2).sum(axis=1)
                sizes[k] = max(sizes[k], float(size.max()))
            r, R = self.poses(motion.q)
            back = R.swapaxes(-1, -2)
            force[which] = np.einsum("rnij,rnj->rni", back, totals[0])
            moment[which] = np.einsum("rnij,rnj->rni", back, totals[1] - np.cross(r, totals[0]))
        return force, moment, self._closure(force, moment, gaps, sizes)

    def _closure(self, force: Floats, moment: Floats, gaps: Floats, sizes: Floats) -> float:
        peak = float(np.linalg.norm(force, axis=2).max())
        peaks = [peak, max(float(np.linalg.norm(moment, axis=2).max()), peak * self.length)]
        parts = []
        for k in range(2):
            scale = peaks[k] if peaks[k] > _NOTHING * sizes[k] else sizes[k]
            parts.append(float(gaps[:, k].max()) / scale if scale > 0.0 else 0.0)
        return max(parts)
