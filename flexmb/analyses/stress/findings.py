"""Envelope, hot spots and damage of the bodies of a run, and what cannot be judged."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from flexmb.analyses.stress.envelope import envelope_of
from flexmb.analyses.stress.field import StressField
from flexmb.analyses.stress.histories import History, signed
from flexmb.analyses.stress.hot_spots import hot_spots
from flexmb.analyses.stress.rainflow import rainflow
from flexmb.analyses.stress.sn_line import SNLine
from flexmb.results.result_file import Result
from flexmb.results.stress_findings import MISES, BodyStress, Envelope, HotSpot, StressFindings
from flexmb.warning import WarningRecord

Progress = Callable[[str, float], None]
"""Called with the stage and the fraction done"""

APART = 0.05
"""Default distance between hot spots, as a part of the size of their body"""
ENOUGH_ROWS = 10.0
"""Rows in a period of the stress from which peaks are met: within 1 - cos(pi/10), 5 %"""
INHERITED = ("modes-left-out", "body-verdict", "field-error", "linear-field", "large-deflection")
"""Warnings of the run about a body that hold for its stress"""


@dataclass(frozen=True)
class StressRequest:
    """Request for findings in the rows `first` to `last` - 1."""

    first: int
    last: int
    spots: int = 10
    """Most hot spots of a body"""
    apart: float | None = None
    """Least distance between them [m]; None: a part of the size of the body"""
    off_ties: bool = False
    """Leave out what is nearer than the distance to the nodes of interfaces"""
    measure: str = MISES
    line: SNLine | None = None


def stress_findings(
    result: Result,
    fields: Sequence[StressField],
    request: StressRequest,
    notes: Sequence[str] = (),
    progress: Progress | None = None,
) -> StressFindings:
    """The stress of bodies in the rows of a result."""
    bodies, warnings, time = [], list[WarningRecord](), result.time
    for field in fields:
        stage = f"looking for the largest stress of {field.body}"
        report = None if progress is None else lambda share, stage=stage: progress(stage, share)
        envelope = envelope_of(field, result, request.first, request.last, report)
        body, found = _judged(field, result, envelope, request)
        bodies.append(body)
        warnings += [*found, *_inherited(result, field.body)]
    return StressFindings(
        name=result.name,
        start=float(time[request.first]),
        end=float(time[request.last - 1]),
        n_rows=request.last - request.first,
        measure=request.measure,
        line="" if request.line is None else str(request.line),
        bodies=tuple(bodies),
        warnings=tuple(warnings),
        notes=tuple(notes),
    )


def _judged(
    field: StressField, result: Result, envelope: Envelope, request: StressRequest
) -> tuple[BodyStress, list[WarningRecord]]:
    """Hot spots of a body with their damage, and warnings."""
    apart = APART * field.length if request.apart is None else request.apart
    tied = np.concatenate([np.zeros(0, dtype=np.int64), *(nodes for _, nodes in field.interfaces)])
    hidden = field.points[np.isin(field.nodes, tied)] if request.off_ties and field.nodes is not None else None
    values = envelope.sizes(request.measure)
    numbers = hot_spots(field.points, field.triangles, values, request.spots, apart, hidden)
    spots, histories = [], []
    for number in numbers:
        history = History.at(field, result, number, request.first, request.last)
        spot = _spot(field, envelope, number)
        if request.line is not None:
            cycles = rainflow(signed(history.stress, request.measure), repeating=True)
            spot = replace(spot, damage=request.line.damage(cycles))
        spots.append(spot)
        histories.append(history)
    found = [*_row_warnings(field.body, spots, histories), *_tie_warnings(spots)]
    if request.line is not None:
        found += [*_sign_warnings(spots, histories, request.measure), *_strength_warnings(spots, request.line)]
    return BodyStress(envelope, tuple(spots), apart), found


def _spot(field: StressField, envelope: Envelope, number: int) -> HotSpot:
    x, y, z = field.points[number].tolist()
    return HotSpot(
        body=field.body,
        point=number,
        node=None if field.nodes is None else int(field.nodes[number]),
        side=envelope.sides[number],
        position=(x, y, z),
        interface=field.interface_of(number),
        von_mises=float(envelope.von_mises[number]),
        von_mises_time=float(envelope.von_mises_time[number]),
        principal=float(envelope.principal[number]),
        principal_time=float(envelope.principal_time[number]),
    )


def _row_warnings(body: str, spots: Sequence[HotSpot], histories: Sequence[History]) -> Iterator[WarningRecord]:
    """Warning if the rows do not resolve the stress of a hot spot."""
    counts = [history.rows_per_period for history in histories]
    if not counts or min(counts) >= ENOUGH_ROWS:
        return
    worst = int(np.argmin(counts))
    rows, frequency = counts[worst], histories[worst].frequency
    missed = 100.0 * (1.0 - np.cos(np.pi / rows)) if rows > 2.0 else 100.0
    text = (
        f"the stress of '{body}' at hot spot {worst + 1} varies at {frequency:.4g} Hz, with {rows:.2g} rows of the "
        f"result in a period: between the rows it may be larger by {missed:.0f} % of its amplitude, and cycles may be "
        f"missed. Write more rows (output.every), or use smaller steps: at least {ENOUGH_ROWS:g} in a period."
    )
    if rows <= 2.0:
        text = text.replace(f"it may be larger by {missed:.0f} % of its amplitude", "it may have any size")
    yield WarningRecord("stress-rows", text, f"bodies.{body}", None, rows, "1")


def _tie_warnings(spots: Sequence[HotSpot]) -> Iterator[WarningRecord]:
    """Warning if the largest stress is where an interface holds the body."""
    if spots and spots[0].interface:
        first = spots[0]
        text = (
            f"the largest stress of '{first.body}' is at node {first.node} of interface '{first.interface}': the tie "
            "spreads the force of the joint in its own way, so that stress at its nodes is not that of the real joint. "
            "Leave its surroundings out with --off-ties, or make the interface smaller than what matters."
        )
        yield WarningRecord("stress-at-tie", text, f"bodies.{first.body}", first.von_mises_time, first.von_mises, "Pa")


def _sign_warnings(spots: Sequence[HotSpot], histories: Sequence[History], measure: str) -> Iterator[WarningRecord]:
    """Warning if the sign of the equivalent stress jumps at a hot spot."""
    times = [history.jump(measure) for history in histories]
    jumped = [number for number, time in enumerate(times) if np.isfinite(time)]
    if jumped:
        first = spots[jumped[0]]
        listed = ", ".join(str(number + 1) for number in jumped)
        text = (
            f"the sign of the equivalent stress of '{first.body}' jumps where shear or turning principal axes leave it "
            f"open (hot spots {listed}): cycles and damage there are too large or meaningless. Such stress needs a "
            "critical-plane method, which flexmb does not have."
        )
        yield WarningRecord("stress-sign", text, f"bodies.{first.body}", times[jumped[0]], float(len(jumped)), "1")


def _strength_warnings(spots: Sequence[HotSpot], line: SNLine) -> Iterator[WarningRecord]:
    """Warning if a stress reaches the ultimate strength."""
    above = [spot for spot in spots if line.Rm is not None and max(spot.von_mises, abs(spot.principal)) >= line.Rm]
    if above:
        first = above[0]
        text = (
            f"the stress of '{first.body}' reaches the ultimate strength at {len(above)} hot spots: linear-elastic "
            "stress and its damage mean nothing there."
        )
        yield WarningRecord("above-strength", text, f"bodies.{first.body}", first.von_mises_time, first.von_mises, "Pa")


def _inherited(result: Result, body: str) -> Iterator[WarningRecord]:
    """Warnings of the run about a body that hold for its stress, too."""
    for warning in result.warnings:
        if warning.place == f"bodies.{body}" and warning.code in INHERITED:
            more = " Stress converges slower than deflection." if warning.code == "modes-left-out" else ""
            yield replace(warning, text=f"{warning.text}{more}")
