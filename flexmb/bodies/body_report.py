"""The body report: contents of a reduced body, its difference from the mesh, and whether to trust it.

Input: a `ReducedBody` with the findings of the reduction (`body.report`). Output: plain text of about 100 columns, the
verdict first. The numbers of a body file are not trusted: missing or implausible ones are left out.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from textwrap import wrap
from typing import Any

from flexmb.axes import AXES
from flexmb.bodies.reduced_body import Coordinate, ReducedBody
from flexmb.bodies.verdict import headline

_WIDTH = 96
_LABEL = 26
_FRAMES = {"mean": "mean axes: no momentum of the deformation", "chord": "chord from interface to interface"}
_STEPS_A_PERIOD = 10
"""Steps per period that resolve the highest mode well."""
_MOST_ROWS = 60
_ROUND_OFF = 1e-13
"""Part of the largest related number below which a number is shown as zero."""
_SOURCES = ("mesh file", "material", "command", "flexmb")
"""Provenance entries in the order of the report; others follow."""
_HASH = "sha256 of the mesh"
"""Provenance entry that the report leaves out."""


def report_text(body: ReducedBody) -> str:
    """The report of a body as plain text."""
    report = body.report if isinstance(body.report, Mapping) else {}
    parts = [
        _verdict_lines(body, report),
        _what_lines(body, report),
        _inertia_lines(report, body.length),
        _coordinate_lines(body.coordinates),
        _effective_mass_lines(report),
        _comparison_lines(report),
        _marker_lines(body, report),
        _hint_lines(body, report),
        [line for note in _texts(report.get("notes")) for line in entry("note", note)],
    ]
    text = "\n\n".join("\n".join(lines) for part in parts if (lines := list(part)))
    return "".join(sign for sign in text if sign.isprintable() or sign == "\n")


def _verdict_lines(body: ReducedBody, report: Mapping[str, Any]) -> Iterator[str]:
    verdict, band = _table(report, "verdict"), _table(report, "band")
    trusted = _number(band.get("trusted"))
    yield f"{body.name or 'unnamed body'}: {headline(report) or 'not judged'}"
    for number, reason in enumerate(_texts(verdict.get("reasons"))):
        yield from entry("because" if number == 0 else "", reason)
    if trusted is not None and band.get("compared") is True:
        tolerance = 100.0 * (_number(band.get("tolerance")) or 0.0)
        text = f"free modes agree with the full model to {tolerance:g} % up to {trusted:.5g} Hz"
        claimed = _number(band.get("claimed"))
        rule = f"; {claimed:.5g} Hz is half of the frequency up to which modes were kept" if claimed else ""
        yield from entry("band", text + rule)
    yield from _certificate_lines(_table(report, "certificate"))
    estimate = _table(report, "discretisation")
    errors, hertz = _flat(estimate.get("frequency_errors")), _flat(estimate.get("frequencies"))
    if errors and hertz and isinstance(estimate.get("method"), str):
        low, high = 100.0 * min(errors), 100.0 * max(errors)
        text = f"frequencies up to {hertz[-1]:.5g} Hz are too high by {low:.2g} to {high:.2g} % (estimate: "
        yield from entry("mesh error", f"{text}{estimate['method']})")
        if body.surface is not None and body.surface.mesh_error is not None:
            yield from entry("", "Where: flexmb animate BODY.h5 --color mesh-error -o error.png")
    elif "discretisation" in report:
        yield from entry("mesh error", "not estimated: imported matrices do not tell their elements")


def _certificate_lines(certificate: Mapping[str, Any]) -> Iterator[str]:
    """The allowed error, and the largest one of how many frequencies."""
    keys = ("allowed", "largest", "at", "checks", "built_at", "reference", "damping_ratio")
    numbers = {key: number for key in keys if (number := _number(certificate.get(key))) is not None}
    ends = _flat(certificate.get("band"), 2)
    if ends is None or len(numbers) < len(keys):
        return
    verb = "is within" if certificate.get("passed") is True else "is NOT within"
    text = (
        f"the transfer between all interfaces {verb} {numbers['allowed']:g} from {ends[0]:g} to {ends[1]:g} Hz: "
        f"at most {numbers['largest']:.2g} off, at {numbers['at']:.5g} Hz, of {numbers['checks']:.0f} checked "
        f"frequencies that are not among the {numbers['built_at']:.0f} that the shapes come from"
    )
    yield from entry("certificate", text)
    text = (
        f"damping ratio {numbers['damping_ratio']:g}; error of the full model's own response {numbers['reference']:.1g}"
    )
    yield from entry("", f"{text}. Plot: flexmb plot BODY.h5")


def _what_lines(body: ReducedBody, report: Mapping[str, Any]) -> Iterator[str]:
    sizes = _table(report, "sizes")
    counts = [
        f"{int(value)} {word}"
        for word in ("nodes", "cells", "unknowns")
        if (value := _number(sizes.get(word))) is not None
    ]
    if counts:
        yield from entry("mesh", ", ".join(counts))
    known = [key for key in _SOURCES if key in body.provenance]
    for key in [*known, *sorted(set(body.provenance) - {*known, _HASH})]:
        if body.provenance[key]:
            yield from entry(key, body.provenance[key])
    yield from entry("coordinates", _kinds_text(body.coordinates))
    yield from entry("frame", _FRAMES.get(body.frame, body.frame))
    yield from entry("field", _field_text(body))
    if isinstance(damping := report.get("damping"), str):
        yield from entry("damping", damping)
    yield from entry("largest extent", f"{body.length:.6g} m")
    if body.prestress:
        yield from entry("linearised about", body.prestress)
    for number, load in enumerate(body.loads):
        force, moment = (", ".join(f"{x:.5g}" for x in values) for values in (load.F0, load.M0))
        text = f"{load.name} = {load.text}, per {load.unit}: force ({force}) N, moment ({moment}) N*m about the origin"
        yield from entry("" if number else "load shapes", text)
    if body.surface is not None and body.surface.stress is not None:
        yield from entry("stress", f"at {len(body.surface.points)} surface nodes")
    if (seconds := _number(sizes.get("seconds"))) is not None:
        memory = _number(sizes.get("factor_bytes"))
        yield from entry("computation", f"{seconds:.3g} s" + (f", factor {memory / 1e6:.4g} MB" if memory else ""))


def _kinds_text(coordinates: Sequence[Coordinate]) -> str:
    kinds: dict[str, int] = {}
    for coordinate in coordinates:
        kinds[coordinate.kind] = kinds.get(coordinate.kind, 0) + 1
    listed = ", ".join(f"{count} {kind}" for kind, count in kinds.items())
    return f"{len(coordinates)} ({listed})" if listed else "none: a rigid body"


def _field_text(body: ReducedBody) -> str:
    if body.points is not None:
        count = len(body.points.mass)
        return f"quadratic, {count} mass points, nothing truncated; includes geometric stiffening"
    order = body.invariants.order
    if order == 0:
        return "linear: no foreshortening and no geometric stiffening; for small loads and slow motion"
    return f"quadratic, inertia to order {order} in the coordinates; includes geometric stiffening"


def _inertia_lines(report: Mapping[str, Any], length: float) -> Iterator[str]:
    """Mass, centre and inertia of mesh and reduced body, and the rigid motions of the stiffness."""
    rows: list[tuple[str, float, float, float]] = []
    for key, names, unit in (
        ("mass", ("mass",), "kg"),
        ("centre", [f"centre {axis}" for axis in AXES], "m"),
        ("inertia", [f"inertia {a}{b}" for a in AXES for b in AXES], "kg m^2"),
    ):
        both = _table(report, key)
        mesh, reduced = (_flat(both.get(side), len(names)) for side in ("mesh", "reduced"))
        if mesh is None or reduced is None:
            continue
        scale = length if key == "centre" else max(map(abs, mesh)) or 1.0
        pairs = list(zip(names, mesh, reduced, strict=True))
        if key == "inertia":
            pairs = [pairs[i] for i in (0, 4, 8, 1, 5, 2)]
        rows += [
            (f"{name} [{unit}]", _rounded(a, scale), _rounded(b, scale), abs(b - a) / scale) for name, a, b in pairs
        ]
    if rows:
        yield f"  {'':<{_LABEL}}{'full model':>16}{'reduced':>16}{'rel. error':>14}"
        for label, a, b, difference in rows:
            yield f"  {label:<{_LABEL}}{a:>16.8g}{b:>16.8g}{difference:>14.1e}"
        yield from entry("", "inertia: components of the tensor about the centre of mass, in body axes")
    rigid = _table(report, "rigid")
    if (count := _number(rigid.get("count"))) is not None:
        largest = _number(rigid.get("largest_frequency"))
        yield from entry(
            "rigid motions", f"{int(count)} found" + ("" if largest is None else _near_zero(largest, report))
        )


def _near_zero(largest: float, report: Mapping[str, Any]) -> str:
    text = f", highest frequency {largest:.3g} Hz"
    elastic = _flat(report.get("full_frequencies")) or _flat(report.get("reduced_frequencies"))
    if elastic and elastic[0] > 0.0:
        text += f" ({largest / elastic[0]:.1e} of the first elastic frequency)"
    return text


def _coordinate_lines(coordinates: Sequence[Coordinate]) -> Iterator[str]:
    width = max([_LABEL - 4, *(len(coordinate.label) + 2 for coordinate in coordinates[:_MOST_ROWS])])
    if coordinates:
        yield f"    {'':<2}{'coordinate':<{width}}{'frequency [Hz]':>16}  {'mostly':<17}interface"
    for number, coordinate in enumerate(coordinates[:_MOST_ROWS], 1):
        line = (
            f"  {number:>2}  {coordinate.label:<{width}}{coordinate.frequency:>16.6g}  {coordinate.kind:<17}"
            f"{coordinate.interface}"
        )
        yield line.rstrip()
    if len(coordinates) > _MOST_ROWS:
        yield f"  ... and {len(coordinates) - _MOST_ROWS} more"
    if coordinates:
        text = "frequency: of the free body in this shape alone; a shape is named after the mode or the motion of an "
        yield from entry("", f"{text}interface that it is most like")


def _effective_mass_lines(report: Mapping[str, Any]) -> Iterator[str]:
    """Effective mass of every fixed-interface mode along the axes."""
    listed = report.get("effective_mass")
    rows = [row for part in listed if (row := _flat(part, 3))] if isinstance(listed, list) else []
    hertz = _flat(report.get("fixed_frequencies"), len(rows))
    if not rows or hertz is None:
        return
    axes = "".join(f"{f'mass {axis} [%]':>14}" for axis in AXES)
    yield f"  {'fixed-interface mode':<{_LABEL}}{'frequency [Hz]':>16}{axes}"
    for number, (frequency, row) in enumerate(zip(hertz[:_MOST_ROWS], rows, strict=False)):
        yield f"  {number + 1:<{_LABEL}}{frequency:>16.6g}" + "".join(f"{share:>14.2f}" for share in row)
    total = "".join(f"{sum(row[axis] for row in rows):>14.2f}" for axis in range(3))
    yield f"  {'sum':<{_LABEL}}{'':>16}{total}"
    yield from entry("", "frequency: with all interfaces held; mass: effective modal mass, part of the body's mass")


def _comparison_lines(report: Mapping[str, Any]) -> Iterator[str]:
    """Frequencies of the free body: full mesh and reduced body."""
    full, reduced = _flat(report.get("full_frequencies")), _flat(report.get("reduced_frequencies"))
    if not full or not reduced:
        return
    trusted = _number(_table(report, "band").get("trusted"))
    estimate = _flat(_table(report, "discretisation").get("frequency_errors")) or []
    heading = f"  {'free-body mode':<{_LABEL}}{'full model [Hz]':>16}{'reduced [Hz]':>16}{'error [%]':>14}"
    yield heading + (f"{'mesh error [%]':>18}" if estimate else "")
    for number, (a, b) in enumerate(zip(full[:_MOST_ROWS], reduced, strict=False)):
        error = f"{100.0 * (b / a - 1.0):>14.2g}" if a > 0.0 else f"{'-':>14}"
        mesh = f"{100.0 * estimate[number]:>18.2g}" if number < len(estimate) else " " * 18 if estimate else ""
        mark = "  not trusted" if trusted is not None and a > trusted else ""
        yield f"  {number + 1:<{_LABEL}}{a:>16.6g}{b:>16.6g}{error}{mesh}{mark}".rstrip()
    if estimate:
        yield from entry("", "error: of the reduction, against the full model; mesh error: estimate for the full model")


def _marker_lines(body: ReducedBody, report: Mapping[str, Any]) -> Iterator[str]:
    """Markers, and the error of the response to static loads at the interfaces."""
    if not body.markers:
        return
    listed = report.get("statics")
    rows = [row for row in listed if isinstance(row, Mapping)] if isinstance(listed, list) else []
    errors = {row.get("interface"): row for row in rows if isinstance(row.get("interface"), str)}
    width = max([_LABEL, *(len(marker.name) + 2 for marker in body.markers)])
    heading = f"  {'marker':<{width}}{'tie':<7}{'nodes':>6}{'x, y, z [m]':>36}"
    yield heading + (f"{'force error':>13}{'moment error':>14}" if errors else "")
    for marker in body.markers:
        place = "".join(f"{_rounded(float(x), body.length):>12.5g}" for x in marker.p_b)
        tie = "" if marker.kind == "follower" else marker.kind
        line = f"  {marker.name:<{width}}{tie:<7}{len(marker.nodes):>6}{place}"
        row = errors.get(marker.name, {})
        for key, columns in (("force_error", 13), ("moment_error", 14)):
            if (error := _number(row.get(key))) is not None:
                line += f"{error:>{columns}.1e}"
        yield line
    if errors:
        text = "errors: of the reduction, in the compliance under a static force or moment at the marker, relative"
        yield from entry("", text)


def _hint_lines(body: ReducedBody, report: Mapping[str, Any]) -> Iterator[str]:
    if (condition := _number(report.get("condition"))) is not None:
        yield from entry("conditioning", f"{condition:.1e} (of the vectors that span the shapes)")
    if largest := _number(_table(report, "second_order").get("largest")):
        yield from entry("second order", f"{largest:.3g} 1/m: largest second derivative of a marker's position")
    highest = _number(report.get("highest_frequency"))
    if highest is None or highest <= 0.0:
        highest = max((coordinate.frequency for coordinate in body.coordinates), default=0.0)
    if highest > 0.0:
        step = 1.0 / (_STEPS_A_PERIOD * highest)
        text = (
            f"about {step:.2g} s resolves the highest frequency, {highest:.5g} Hz, with {_STEPS_A_PERIOD} steps per "
            "period; implicit methods may use larger steps if that mode does not matter"
        )
        yield from entry("step size", text)


def entry(label: str, text: str) -> list[str]:
    """A labelled line; a long text is wrapped below itself."""
    pieces = wrap(text, _WIDTH - _LABEL - 2, break_long_words=False, break_on_hyphens=False) or [""]
    labels = [label] + [""] * (len(pieces) - 1)
    return [f"  {label:<{_LABEL}}{piece}".rstrip() for label, piece in zip(labels, pieces, strict=True)]


def _rounded(value: float, scale: float) -> float:
    """The value, or zero if it is round-off compared with `scale`."""
    return value if abs(value) > _ROUND_OFF * scale else 0.0


def _table(report: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = report.get(key)
    return value if isinstance(value, Mapping) else {}


def _number(value: Any) -> float | None:
    """A finite number, or None."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    try:
        return float(value) if is_number and math.isfinite(value) else None
    except OverflowError:
        return None


def _flat(value: Any, count: int | None = None) -> list[float] | None:
    """The numbers of a number, a list or a list of lists; None if one is invalid, or if there are not `count`."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    rows = value if isinstance(value, (list, tuple)) else [value]
    entries = [part for row in rows for part in (row if isinstance(row, (list, tuple)) else [row])]
    numbers = [number for part in entries if (number := _number(part)) is not None]
    return numbers if len(numbers) == len(entries) and count in (None, len(numbers)) else None


def _texts(value: Any) -> list[str]:
    return [text for text in value if isinstance(text, str)] if isinstance(value, (list, tuple)) else []
