"""Run report: structure of the model, analysis, accuracy, warnings, and tables of sensors and reactions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from math import sqrt, tau
from pathlib import Path
from textwrap import wrap
from typing import Any

from flexmb.axes import AXES
from flexmb.model.model import Model
from flexmb.model.schema.model_spec import ModelSpec
from flexmb.reports.flexible_report import flexible_texts
from flexmb.reports.motion_report import smoothing_texts
from flexmb.results.channel_columns import is_reaction
from flexmb.results.extremes import Extremes
from flexmb.results.flexible_findings import Findings, flexible_bodies
from flexmb.solvers.settings import IMPLICIT
from flexmb.solvers.statics import Equilibrium
from flexmb.solvers.summary import NaturalSummary, QuasiStaticSummary, StaticSummary, Summary
from flexmb.system.system import System
from flexmb.warning import WarningRecord

_WIDTH = 96
_LABEL = 26
_MOST_JOINTS = 10
_QUASI_STATIC = "elastic coordinates in balance with the loads and the inertia of the motion at every output time"


def run_report(
    system: System,
    model: Model,
    summary: Summary | None,
    *,
    n_dof: int | None = None,
    extremes: Mapping[str, Extremes] | None = None,
    output: Path | str | None = None,
    n_rows: int = 0,
    n_channels: int | None = None,
    failure: str = "",
    wall_note: str = "",
    balance: Equilibrium | None = None,
    turbo: Any = None,
    findings: Findings | None = None,
    strain: str = "",
    stops: Iterable[str] = (),
    warnings: Iterable[WarningRecord] = (),
) -> str:
    """The report of a run as plain text, at most some 100 columns wide.

    `summary`: None when the run failed before it started; `n_dof`: degrees of freedom (default: coordinates less
    constraint rows); `extremes`: those of sensors and reactions by channel path; `n_channels`: channels written
    (default: all); `wall_note`: remark on the wall time in place of the speed; `balance`: equilibrium at the start, if
    any; `turbo`: whether generated code is used, if requested; `findings`: those on flexible bodies; `strain`: their
    largest strain energy as text; `stops`: when and how hard each was hit; `warnings`: all that were found
    (`reports.warnings`).
    """
    outcome = summary.outcome if summary is not None else "failed"
    lines = [f"{system.name or 'unnamed model'}: run {outcome}", ""]
    lines += structure_lines(system, model, system.n_v - system.n_rows if n_dof is None else n_dof)
    lines += ["", *_run_lines(model.spec, summary, wall_note, strain, balance, turbo)]
    if flexible_bodies(system.mechanism):
        lines += ["", *flexible_lines(system, model.spec, findings)]
    for number, text in enumerate(stops):
        lines += [*([] if number else [""]), *entry("" if number else "stops", text)]
    for warning in warnings:
        lines += ["", *entry("WARNING", warning.text)]
    if failure:
        lines += ["", *entry("failure", failure)]
    for table in (_sensor_table(system, extremes or {}), reaction_table(extremes or {}, system.length_scale)):
        lines += [line for row, line in enumerate(table) for line in ([line] if row else ["", line])]
    if output is not None:
        n_channels = len(system.channels) if n_channels is None else n_channels
        rows = f"{n_rows} row{'s' if n_rows != 1 else ''}, {n_channels} channels"
        lines += ["", *entry("result", f"{output} ({rows})" if n_rows else "nothing was written")]
    return "\n".join(lines)


def summary_numbers(summary: Summary) -> list[tuple[str, float, str]]:
    """(name, value, unit) of every number of a run, as stored in the result file."""
    ends = [("wall_time", summary.wall_time, "s"), ("t_reached", summary.t_reached, "s")]
    if isinstance(summary, StaticSummary):
        return [
            ("largest_constraint_error", summary.largest_constraint_error, "m, rad"),
            ("unbalanced_force", summary.unbalanced_force, "1"),
            ("lowest_stiffness", summary.lowest_stiffness, "1/s^2"),
            *ends,
        ]
    numbers = [
        ("steps", float(summary.steps), "1"),
        ("rejected", float(summary.rejected), "1"),
        ("newton_iterations", float(summary.newton_iterations), "1"),
        ("factorisations", float(summary.factorisations), "1"),
        ("energy_balance", summary.energy_balance, "1"),
        ("largest_constraint_error", summary.largest_constraint_error, "m, rad"),
        ("energy_error", summary.energy_error, "J"),
        ("peak_energy", summary.peak_energy, "J"),
        *ends,
        ("largest_turn", summary.largest_turn, "rad"),
    ]
    if isinstance(summary, NaturalSummary):
        numbers += [
            ("n_natural", float(summary.n_natural), "1"),
            ("n_natural_rows", float(summary.n_natural_rows), "1"),
            ("balance_gap", summary.balance_gap, "1"),
        ]
    return numbers


def structure_lines(system: System, model: Model, n_dof: int) -> list[str]:
    """Bodies, joints, degrees of freedom, coordinates, rows, redundant constraints."""
    spec = model.spec
    parts = [_count(len(spec.bodies), "body", "bodies"), _count(len(spec.joints), "joint")]
    parts += [
        _count(len(section), word)
        for section, word in (
            (spec.couplings, "coupling"),
            (spec.motions, "motion"),
            (spec.forces, "force"),
            (spec.sensors, "sensor"),
        )
        if section
    ]
    n_driven = sum(row.is_motion for row in system.rows)
    freedom = f"{n_dof} ({n_dof + n_driven} less {n_driven} prescribed)" if n_driven else str(n_dof)
    rows = f"{_count(system.n_v, 'coordinate')}, {_count(system.n_rows, 'constraint row')}"
    lines = [*entry("model", ", ".join(parts)), *entry("degrees of freedom", freedom), *entry("equations", rows)]
    if spec.coordinates.default == "natural":
        lines += entry("coordinates", "natural (points, unit vectors); the equations above are in absolute coordinates")
    for text in smoothing_texts(spec):
        lines += entry("smoothed motion", text)
    return lines + entry("redundant constraints", redundant_text(system))


MOST_LISTED = 10
"""Joints of a large mechanism that are listed by name."""


def redundant_text(system: System) -> str:
    """Constraint rows that repeat others: joints that share them, motions and rows at velocity level left out."""
    if not system.n_redundant:
        return "none"
    shared: dict[str, int] = {}
    for rows in system.sharing.sets:
        owners = ", ".join(dict.fromkeys(system.evaluated[k].owner for k in rows.rows))
        shared[owners] = shared.get(owners, 0) + len(rows.rows) - rows.rank
    if system.dependent:
        joints = list(dict.fromkeys(system.evaluated[k].owner for k in system.dependent))
        more = f" and {len(joints) - MOST_LISTED} more" if len(joints) > MOST_LISTED else ""
        shared[f"the loops of {', '.join(joints[:MOST_LISTED])}{more}"] = len(system.dependent)
    texts = [f"{count} in {owners}" for owners, count in shared.items()]
    if texts:
        texts[-1] += " (all rows hold; their reactions share the load, least in sum of squares)"
    left_out = [system.evaluated[k] for k in system.sharing.left_out]
    texts += [f"left out: {', '.join(f'{row.owner} ({row.text})' for row in left_out)}"] if left_out else []
    return f"{system.n_redundant}: {'; '.join(texts)}"


def flexible_lines(system: System, spec: ModelSpec, findings: Findings | None = None) -> list[str]:
    """A paragraph for every kind of flexible body; none for a rigid model."""
    lines = []
    for texts in flexible_texts(system.mechanism, spec, findings):
        for label, text in zip(("flexible body", "", "", ""), texts, strict=False):
            lines += entry(label, text)
    return lines


def _run_lines(
    spec: ModelSpec,
    summary: Summary | None,
    wall_note: str,
    strain: str = "",
    balance: Equilibrium | None = None,
    turbo: Any = None,
) -> Iterator[str]:
    analysis = spec.analysis
    if analysis is not None:
        method = _QUASI_STATIC if isinstance(summary, QuasiStaticSummary) else method_text(analysis)
        if isinstance(summary, NaturalSummary):
            method = f"natural coordinates ({summary.n_natural}, {summary.n_natural_rows} rows), {method}"
        yield from entry("method", f"{method}, {turbo.text}" if turbo is not None and turbo.is_used else method)
    if turbo is not None and not turbo.is_used:
        yield from entry("turbo", turbo.text)
    if balance is not None and (analysis is None or analysis.type != "static"):
        found = f"{_count(balance.iterations, 'iteration')}, unbalanced {balance.residual:.2e} of the largest load"
        yield from entry("static start", f"{found}; {stability_text(balance)}")
    if summary is None:
        return
    if isinstance(summary, StaticSummary):
        yield from _static_lines(summary, strain, balance)
        return
    yield from entry("time reached", f"{summary.t_reached:.9g} s" + (f" of {analysis.end:.9g} s" if analysis else ""))
    yield from entry("steps", f"{summary.steps} (and {summary.rejected} rejected)")
    if summary.newton_iterations:
        mean = summary.newton_iterations / max(1, summary.steps + summary.rejected)
        work = f"{summary.newton_iterations} ({mean:.2f} per step), {_count(summary.factorisations, 'factorisation')}"
        yield from entry("Newton iterations", work)
    yield from entry("largest constraint error", f"{summary.largest_constraint_error:.2e} (m, rad)")
    energy = f"{summary.energy_balance:.2e} of the peak energy {summary.peak_energy:.6g} J"
    yield from entry("energy balance", f"{energy} (kinetic + potential - work)")
    if isinstance(summary, NaturalSummary):
        gap = f"off by {summary.balance_gap:.2e} of the largest force, by the equations in absolute coordinates"
        yield from entry("balance of the bodies", gap)
    if isinstance(summary, QuasiStaticSummary):
        left_out = f"would change the elastic coordinates by about {100.0 * summary.left_out:.2g} %"
        yield from entry("vibration left out", f"{left_out} of their largest value")
    if strain:
        yield from entry("strain energy", strain)
    speed = f", {summary.steps / summary.wall_time:.4g} steps/s" if summary.wall_time > 0.0 else ""
    yield from entry("wall time", f"{summary.wall_time:.3g} s{wall_note or speed}")


def _static_lines(summary: StaticSummary, strain: str, balance: Equilibrium | None) -> Iterator[str]:
    found = summary.equilibrium
    yield from entry("Newton iterations", str(found.iterations + (balance.iterations if balance is not None else 0)))
    yield from entry("unbalanced force", f"{found.residual:.2e} of the largest load")
    yield from entry("largest constraint error", f"{found.constraint_error:.2e} (m, rad)")
    yield from entry("stability", stability_text(found))
    if strain:
        yield from entry("strain energy", strain)
    yield from entry("wall time", f"{summary.wall_time:.3g} s")


def stability_text(found: Equilibrium) -> str:
    """Whether an equilibrium is stable, and which motion decides it."""
    if not found.n_free:
        return "no free motion: the motions and joints hold every coordinate"
    square = f"lowest eigenvalue of stiffness against mass {found.lowest:.6g} 1/s^2"
    names = ", ".join(name.strip("'") for name in found.softest)
    loads = "" if found.has_potential else "; the loads have no potential (they follow the bodies)"
    if found.neutral:
        free = ", ".join(name.strip("'") for name in found.neutral)
        loads += f"; nothing resists a motion of {free}, which stays at its start value"
    if found.is_stable:
        return f"stable: {square} ({sqrt(found.lowest) / tau:.6g} Hz), in {names}{loads}"
    if found.lowest > 0.0:
        return f"UNSTABLE by flutter: two motions amplify each other; {square}, in {names}{loads}"
    return f"UNSTABLE: {square}; it departs along {names}{loads}"


def method_text(analysis: Any) -> str:
    """Method, its parameter and its step in words."""
    if analysis.type == "static":
        return "static analysis: equilibrium at t = 0, all rates zero; motions hold, no damping or friction"
    if analysis.type == "kinematic":
        return "kinematic analysis" + (f", step {analysis.step:.6g} s" if analysis.step else "")
    parameter = {"generalized-alpha": f" (rho {analysis.rho:g})", "hht": f" (alpha {analysis.alpha:g})"}
    step = f"fixed step {analysis.step:.6g} s" if analysis.step else "fixed step"
    if analysis.tolerance is not None:
        step = f"error-controlled step, tolerance {analysis.tolerance:.3g}"
    if analysis.newton_tolerance is not None and analysis.method in IMPLICIT:
        step += f", Newton tolerance {analysis.newton_tolerance:.3g}"
    return f"{analysis.method}{parameter.get(analysis.method, '')}, {analysis.formulation}, {step}"


def _sensor_table(system: System, extremes: Mapping[str, Extremes]) -> Iterator[str]:
    names = {path: path.removeprefix("sensors/") for path in extremes if path.startswith("sensors/")}
    if not names:
        return
    units = {channel.path: channel.unit for channel in system.channels}
    units |= {f"{path}.{letter}": unit for path, unit in units.items() for letter in AXES}  # of a whole vector
    width = max(_LABEL - 2, *(len(name) for name in names.values()))
    yield f"  {'sensor':<{width}}{'smallest':>14}{'at t [s]':>13}{'largest':>16}{'at t [s]':>13}  unit"
    for path, name in names.items():
        found = extremes[path]
        least, most = _beside(found.low, found.high), _beside(found.high, found.low)
        low, high = f"{least:>14.6g}{found.low_time:>13.6g}", f"{most:>16.6g}{found.high_time:>13.6g}"
        yield f"  {name:<{width}}{low}{high}  {units.get(path, '')}"


def _beside(value: float, other: float) -> float:
    """The value, or zero when it is round-off compared with the other end of its range."""
    return value if abs(value) > 1e-15 * abs(other) else 0.0


def reaction_table(extremes: Mapping[str, Extremes], length: float) -> Iterator[str]:
    """Largest reaction force and moment of every joint with their times; of many joints the ten largest.

    extremes : magnitudes of the reactions, by channel path; length : typical arm of the mechanism [m]
    """
    found: dict[str, dict[str, Extremes]] = {}
    for path, extreme in extremes.items():
        if is_reaction(path):
            _, name, quantity = path.split("/")
            found.setdefault(name, {})[quantity] = extreme
    if not found:
        return
    sizes = {name: (pair["force"].high, pair["moment"].high / length) for name, pair in found.items()}
    rounding = 1e-10 * max((max(pair) for pair in sizes.values()), default=0.0)
    names = list(found)
    if len(names) > _MOST_JOINTS:
        names = sorted(names, key=lambda name: -max(sizes[name]))[:_MOST_JOINTS]
    width = max(_LABEL - 2, *(len(name) for name in names))
    heads = f"{'largest force [N]':>18}{'at t [s]':>13}{'largest moment [N*m]':>23}{'at t [s]':>13}"
    yield f"  {'reaction of joint':<{width}}{heads}"
    for name in names:
        cells = [
            f"{pair.high:>{room}.6g}{pair.high_time:>13.6g}" if size > rounding else f"{'0':>{room}}{'-':>13}"
            for pair, size, room in zip(
                (found[name]["force"], found[name]["moment"]), sizes[name], (18, 23), strict=True
            )
        ]
        yield f"  {name:<{width}}{''.join(cells)}"
    rest = [pair for name, pair in found.items() if name not in names]
    if rest:
        force, moment = (max(pair[key].high for pair in rest) for key in ("force", "moment"))
        yield f"  and {len(rest)} more, none above {force:.4g} N or {moment:.4g} N*m"


def entry(label: str, text: str) -> list[str]:
    """A labelled line; a long text is wrapped."""
    pieces = wrap(text, _WIDTH - _LABEL - 2, break_long_words=False, break_on_hyphens=False) or [""]
    labels = [label] + [""] * (len(pieces) - 1)
    return [f"  {label:<{_LABEL}}{piece}" for label, piece in zip(labels, pieces, strict=True)]


def _count(number: int, word: str, words: str | None = None) -> str:
    return f"{number} {word if number == 1 else words or word + 's'}"


def repeated_text(n: int) -> str:
    """Number of constraint rows that repeat others."""
    return f"{n} constraint row{'s repeat' if n != 1 else ' repeats'} others"


def not_unique_text(rows: str, components: Mapping[str, tuple[str, ...]], of_chords: bool = False) -> str:
    """Reaction components that redundant constraints leave open; `rows`: how many repeat others.

    of_chords : the given ones are the least of the joints that close loops, not of all joints
    """
    if not components:
        return f"{rows}; the examined rows of the result do not show which reactions that leaves open: trust none"
    listed = "; ".join(f"{name} ({', '.join(parts)})" for name, parts in list(components.items())[:MOST_LISTED])
    listed += f"; {len(components) - MOST_LISTED} more joints" if len(components) > MOST_LISTED else ""
    of = "the joints that close loops" if of_chords else "all joints"
    return (
        f"{rows}. A model of rigid bodies determines only the sum of these components, in joint axes: {listed}. The "
        f"least ones, in sum of squares over {of}, are given. All other components are unique. To determine them, free "
        "these directions in a joint, or use a flexible body."
    )


def ill_determined_text(components: dict[str, tuple[str, ...]], advice: str) -> str:
    """Reaction components that are amplified round-off, and the remedy; `advice` for the beams of this model."""
    listed = "; ".join(f"{name} ({', '.join(parts)})" for name, parts in components.items())
    text = (
        "some constraints nearly repeat others. Only the sum of these components is determined by the model, the "
        f"single values have no meaning, in joint axes: {listed}. Free these directions in a joint"
    )
    return f"{text}{advice}."
