"""Flexible bodies in the reports: coordinates, frequencies, largest deflection, and warnings.

Beams whose field, shapes and frequencies are equal (the links of a chain) are reported together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from flexmb.bodies.flexible_body import FlexibleBody
from flexmb.bodies.flexible_properties import elastic_mass, modal_data, slenderness, stiffness_change
from flexmb.bodies.verdict import verdict_warning
from flexmb.model.schema.beams import BeamBody
from flexmb.model.schema.mesh_bodies import MeshBody
from flexmb.model.schema.model_spec import ModelSpec
from flexmb.results.flexible_findings import Finding, Findings, flexible_bodies
from flexmb.results.result_file import Result
from flexmb.system.beam_left_out import left_out_warnings
from flexmb.system.beam_lines import line_lengths
from flexmb.system.beam_plane import plane_warnings
from flexmb.system.beam_quality import BeamQuality, beam_qualities
from flexmb.system.beam_supports import shape_warnings
from flexmb.system.mechanism import Mechanism
from flexmb.warning import WarningRecord

ON_AXIS = 1e-3  # fraction of the length: a joint that is closer to the axis of a beam counts as on it
LARGE = 0.1
"""Displacement of a body that is no beam, as a fraction of its length, above which the report gives a warning."""
FIELD_ERROR = 0.02
"""Estimated error of a truncated deformation field above which the report gives a warning."""
LEFT_OUT = 0.05
"""Deflection by modes that a reduction left out, as a part of the present one, above which there is a warning."""
STEEP = 0.9
"""Slope of the centre line of an exact beam above which the report gives a warning: 64 degrees from its frame. A
cantilever with four shapes is then wrong by 1e-3."""
LINEAR_DEFLECTION = 0.01
"""The same for a linear field: foreshortening, which it leaves out, is then 2e-4 of the length."""
LINEAR_STIFFENING = 0.02
"""Change of the bending stiffness by axial forces that a linear field may leave out (1 % of a frequency)."""
ROUND_OFF = 1e-6
"""Error of compliance or frequencies that is reported as zero."""
STOCKY = 35.0
"""Length / radius of gyration below which shear matters: there the first frequency of a pinned steel beam is 1.6 % too
high without it and the second 6 %, by (n pi r/L)^2 (1 + E/kG)/2."""
_KINDS = {"y": "bending y", "z": "bending z", "u": "stretch", "t": "twist"}
_FIELDS = {None: "exact field", 0: "linear field", "full": "quadratic field, full"}
_SHOWN = 3
_TABLE_ROWS = 12


def flexible_texts(mechanism: Mechanism, spec: ModelSpec, findings: Findings | None = None) -> Iterator[list[str]]:
    """Texts on every kind of flexible body: coordinates, field, frame; frequencies, damping; shapes; deflection."""
    qualities = beam_qualities(spec, mechanism)
    for bodies in _alike(mechanism, spec):
        names = ", ".join(body.name for body in bodies)
        texts = [f"{names}: {_what(bodies[0])}", f"{_frequency_text(bodies[0])}; {damping_text(bodies[0], spec)}"]
        judged = [qualities[body.name] for body in bodies if body.name in qualities]
        if judged:
            texts.append(_quality_text(judged))
        if findings:
            body = max(bodies, key=lambda body: findings[body.name].deflection.size)
            texts.append(_deflection_text(body, findings[body.name], len(bodies) > 1))
            known = [share for body in bodies if (share := findings[body.name].left_out) is not None]
            if known:
                whose = "its" if len(bodies) == 1 else "their"
                texts.append(
                    f"modes left out would add about {_percent(max(known))} to {whose} deflection (static part)"
                )
        yield texts


def flexible_warnings(
    mechanism: Mechanism, findings: Findings | None = None, spec: ModelSpec | None = None
) -> Iterator[WarningRecord]:
    """Warnings about verdicts, unsuitable shapes, stocky beams, steep deflections and linear fields, by body."""
    yield from body_verdicts(mechanism)
    if spec is not None:
        yield from shape_warnings(spec, mechanism, beam_qualities(spec, mechanism))
        yield from plane_warnings(spec, mechanism, findings)
        yield from left_out_warnings(spec, mechanism, findings)
    lines = line_lengths(mechanism)
    for body in flexible_bodies(mechanism):
        place = f"bodies.{body.name}"
        slender = slenderness(body) * lines.get(body.name, body.length) / body.length
        if slender < STOCKY and body.basis is not None and not body.basis.shear:
            text = (
                f"beam '{body.name}' is stocky: its length is only {slender:.3g} radii of gyration. Below {STOCKY:g} "
                "frequencies without shear are too high. Use shear = true and rotary_inertia = true"
            )
            given = spec is not None and getattr(spec.bodies.get(body.name), "shapes", None)
            family = "" if given and given.family in ("auto", "elements") else ' (shapes of family "elements", or none)'
            yield WarningRecord("stocky-beam", f"{text}{family}.", place, None, slender, "1")
        if findings is not None:
            yield from _field_warnings(body, findings[body.name], place)


def body_verdicts(mechanism: Mechanism) -> Iterator[WarningRecord]:
    """Warnings about bodies from files whose report does not say "trust it"."""
    for body in flexible_bodies(mechanism):
        if body.reduced is not None and (record := verdict_warning(body.name, body.reduced)) is not None:
            yield record


def _field_warnings(body: FlexibleBody, finding: Finding, place: str) -> Iterator[WarningRecord]:
    """Warnings about a deformation field beyond its range."""
    ratio = finding.deflection.size / body.length
    if finding.left_out is not None and finding.left_out > LEFT_OUT:
        text = (
            f"body '{body.name}' is too stiff for its loads: under the forces at its interfaces, taken as static, "
            f"modes that its reduction left out would add about {_percent(finding.left_out)} to its deflection. Reduce "
            "it again with more modes, --attachment, or --band."
        )
        yield WarningRecord("modes-left-out", text, place, finding.time, finding.left_out, "1")
    error, where = finding.error, f"at {finding.error.place}, t = {finding.error_time:.6g} s"
    what = "the slope of its centre line" if body.basis is not None else "the turn of a marker"
    if body.basis is not None and body.order is None and not error.slope < STEEP:
        text = (
            f"beam '{body.name}' is bent far from its frame: {what} is {error.slope:.3g} {where}. "
            "Its exact field ends at a slope of 1, and few shapes describe such a curve badly. Divide it into several "
            "beams."
        )
        yield WarningRecord("steep-beam", text, place, finding.error_time, error.slope, "1")
    elif body.order is not None and error.size > FIELD_ERROR:
        name = "linear" if body.order == 0 else "quadratic"
        cure = 'Use field = "exact", or divide it into several beams.'
        cure = cure if body.basis is not None else "Divide the body into several, or reduce its loads."
        text = (
            f"body '{body.name}' is bent beyond the range of its {name} field: {what} is {error.slope:.3g} {where}, "
            f"and what the field leaves out changes deflections and forces by up to about {_percent(error.size)}. "
            f"{cure}"
        )
        yield WarningRecord("field-error", text, place, finding.error_time, error.size, "1")
    if body.basis is None and ratio > LARGE:
        text = (
            f"body '{body.name}' is deflected by {_percent(ratio)} of its length, above {_percent(LARGE)}: a few "
            "shapes may not describe such a curve. Compare with more shapes, or divide it into several bodies."
        )
        yield WarningRecord("large-deflection", text, place, finding.time, ratio, "1")
    if body.order == 0:
        yield from _linear_warnings(body, finding, ratio, place)


def _linear_warnings(body: FlexibleBody, finding: Finding, ratio: float, place: str) -> Iterator[WarningRecord]:
    """Warnings about a linear field: what it leaves out even at small deflections."""
    left_out = "has a linear field, which leaves out foreshortening and geometric stiffening: it is deflected by "
    left_out += f"{_percent(ratio)} of its length"
    if body.reduced is not None and ratio > LINEAR_DEFLECTION:
        cure = "Leave out 'field'"
        if body.reduced.order == 0:
            cure = "Regenerate its file with 'flexmb reduce --field quadratic'"
        yield WarningRecord("linear-field", f"body '{body.name}' {left_out}. {cure}.", place, finding.time, ratio, "1")
    if body.basis is not None:
        change = stiffness_change(body, finding.axial_force)
        if ratio > LINEAR_DEFLECTION or change > LINEAR_STIFFENING:
            axial = ""
            if not np.isnan(finding.axial_force):
                axial = f", and axial forces of {finding.axial_force:.4g} N would change its stiffness by about "
                axial += _percent(change)
            text = f"beam '{body.name}' {left_out}{axial}. Use field = \"exact\"."
            yield WarningRecord("linear-field", text, place, finding.time, ratio, "1")


def arms(mechanism: Mechanism) -> Iterator[str]:
    """Sentences on joints that act off the axis of a beam, or beyond its ends."""
    mechanism, beams = mechanism, {body.name: body for body in flexible_bodies(mechanism) if body.basis is not None}
    for joint in mechanism.joints:
        for number in (joint.first, joint.second):
            marker = mechanism.markers[number]
            body = beams.get(mechanism.bodies[marker.body].name)
            if body is None:
                continue
            nearest = np.array([np.clip(marker.p_b[0], 0.0, body.length), 0.0, 0.0])
            distance = float(np.linalg.norm(marker.p_b - nearest))
            if distance > ON_AXIS * body.length:
                yield (
                    f"joint '{joint.name}' acts {distance:.3g} m off the axis of beam '{body.name}', on a rigid arm "
                    f"from its section at x = {nearest[0]:.3g} m."
                )


def strain_text(result: Result) -> str:
    """The largest strain energy of a run."""
    strain = result["energy/strain"]
    row = int(np.argmax(strain))
    return f"up to {strain[row]:.6g} J at t = {result.time[row]:.6g} s (part of the potential energy)"


def mode_lines(mechanism: Mechanism, spec: ModelSpec) -> Iterator[str]:
    """Tables of the modes of every kind of flexible body with its frame fixed."""
    for bodies in _alike(mechanism, spec):
        body = bodies[0]
        omega, modes, ratios = modal_data(body)
        share = np.abs(modes) * np.sqrt(np.diag(elastic_mass(body)))[:, None]
        yield f"  modes of {', '.join(body.name for body in bodies)} with {_frame(body)} fixed"
        yield f"  {'mode':>6}{'frequency [Hz]':>18}{'damping':>12}   main coordinate"
        for k in range(min(len(omega), _TABLE_ROWS)):
            mostly = body.labels[int(np.argmax(share[:, k]))]
            yield f"  {k + 1:>6}{omega[k] / (2.0 * np.pi):>18.6g}{_percent(ratios[k]):>12}   {mostly}"
        if len(omega) > _TABLE_ROWS:
            last = omega[-1] / (2.0 * np.pi)
            yield f"  {'...':>6}{f'{len(omega) - _TABLE_ROWS} more, up to {last:.6g} Hz':>42}"


def damping_text(body: FlexibleBody, spec: ModelSpec) -> str:
    """Damping in words, rules by name."""
    table = spec.bodies[body.name]
    given = table.damping if isinstance(table, (BeamBody, MeshBody)) else None
    if given is not None and given.rule == "adams":
        return "damping by the Adams defaults (1 % below 100 Hz, 10 % to 1000 Hz, 100 % above)"
    if not np.any(body.damping):
        return "no damping"
    ratios = modal_data(body)[2]
    low, high = _percent(ratios.min()), _percent(ratios.max())
    return f"damping ratio {low}" if low == high else f"damping ratios {low} to {high}"


def _alike(mechanism: Mechanism, spec: ModelSpec) -> list[list[FlexibleBody]]:
    """The flexible bodies, grouped by equal texts."""
    groups: dict[tuple[str, ...], list[FlexibleBody]] = {}
    for body in flexible_bodies(mechanism):
        text = (_what(body), _frequency_text(body), damping_text(body, spec), f"{body.length:.6g}")
        groups.setdefault(text, []).append(body)
    return list(groups.values())


def _what(body: FlexibleBody) -> str:
    n = body.n_modes
    coordinates = f"{n} elastic coordinate{'s' if n != 1 else ''}"
    field = _FIELDS.get(body.order, f"quadratic field of order {body.order}")
    if body.reduced is not None:
        of_kind = Counter(coordinate.kind for coordinate in body.reduced.coordinates)
        kinds = ", ".join(f"{count} {kind}" for kind, count in of_kind.items())
        return f"body from a file, {coordinates} ({kinds}), {field}, {_frame_words(body.reduced.frame)}"
    if body.basis is None:
        return f"body given by matrices, {coordinates}, {field}"
    components = [shape.component for shape in body.basis.shapes]
    counts = [f"{components.count(key)} {text}" for key, text in _KINDS.items() if key in components]
    return f"beam, {coordinates} ({', '.join(counts)}), {field}, {body.basis.frame} frame"


def _frame_words(frame: str) -> str:
    """Frame of a body file: "mean", "chord" or "clamped NAME"."""
    kind, _, marker = frame.partition(" ")
    return f"frame clamped at {marker}" if marker else f"{kind} frame"


def _frame(body: FlexibleBody) -> str:
    if body.reduced is not None:
        return f"its {_frame_words(body.reduced.frame)}"
    return "its frame" if body.basis is None else f"its {body.basis.frame} frame"


def _frequency_text(body: FlexibleBody) -> str:
    hertz = modal_data(body)[0] / (2.0 * np.pi)
    shown = ", ".join(f"{value:.4g}" for value in hertz[:_SHOWN])
    more = f" ... {hertz[-1]:.4g}" if len(hertz) > _SHOWN else ""
    return f"frequencies {shown}{more} Hz in its frame"


def _quality_text(judged: list[BeamQuality]) -> str:
    """Errors of the shapes of one or several beams."""
    missing = max(quality.compliance for quality in judged)
    text = f"compliance at joints and forces short by at most {_percent(missing if missing > ROUND_OFF else 0.0)}"
    errors = [quality.frequency for quality in judged if quality.frequencies]
    if errors:
        worst = max(errors)
        high = f"{_percent(worst if worst > ROUND_OFF else 0.0)} too high" if np.isfinite(worst) else "missing"
        text += f", first frequencies of the mechanism {high}"
    return text


def _deflection_text(body: FlexibleBody, finding: Finding, named: bool) -> str:
    size, owner = finding.deflection.size, f" in {body.name}" if named else ""
    if not size > 0.0:
        return "no deflection"
    what = "deflection" if body.basis is not None else "displacement"
    source = "from its chord" if body.basis is not None else f"in {_frame(body)}"
    share = f"{100.0 * size / body.length:.3g} % of its length"
    where = f"at {finding.deflection.place}, t = {finding.time:.6g} s"
    return f"largest {what} {source}{owner} {1e3 * size:.4g} mm ({share}) {where}"


def _percent(ratio: float) -> str:
    return f"{100.0 * ratio:.3g} %"
