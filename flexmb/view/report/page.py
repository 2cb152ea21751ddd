"""Assembly of the report page: every text from a file is escaped, every number has its unit.

The page is one file. A content security policy forbids all requests; scripts read their numbers from inert JSON
elements.
"""

from __future__ import annotations

import html
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from flexmb.results.result_file import Result
from flexmb.results.stress_findings import HotSpot, StressFindings
from flexmb.view.plots.texts import shortened
from flexmb.view.plots.unit_texts import number_text
from flexmb.view.report.facts import Clock, Headline, SensorRow
from flexmb.view.report.health import Check, is_static, worst
from flexmb.view.report.mode_surfaces import ModeTable
from flexmb.view.web.page import ViewerParts

FOLDER = Path(__file__).parent
SCRIPTS = ("numbers.js", "chart.js", "modes.js", "report.js")
_LONGEST_TITLE = 160
_LONGEST_TEXT = 300_000
"""Most characters of a model text that are shown."""
_VERDICTS = {"good": "good", "care": "take care", "bad": "bad", "note": ""}
_HEALTH = {
    "good": "All checks passed.",
    "care": "The run is usable; check the points below.",
    "bad": "Do not trust this run until the points below are resolved.",
}
_POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'"


@dataclass(frozen=True)
class Content:
    """Contents of the page."""

    result: Result
    headlines: list[Headline]
    viewer: ViewerParts | None
    charts: list[dict[str, Any]]
    stress: StressFindings | None
    modes: list[tuple[ModeTable, dict[str, Any]]]
    checks: list[Check]
    sensors: list[SensorRow]
    arrays: list[str]
    """Numbers of the charts and modes in base64"""
    clock: Clock
    notes: tuple[str, ...] = ()


def page_text(content: Content) -> str:
    """The page as HTML."""
    viewer = content.viewer
    title = escaped(shortened(content.result.name, _LONGEST_TITLE) or content.result.path.stem)
    sections = [
        _header(content, title),
        _headlines(content),
        _section("viewer", "", viewer.markup) if viewer else "",
        _section("plots", "Plots", _plots(content)) if content.charts else "",
        _section("stress", "Stress", _stress(content.stress, content.clock)) if content.stress else "",
        _section("modes", "Modes of the flexible bodies", _modes(content)) if content.modes else "",
        _section("health", "Solver health", _health(content)),
        _section("sensors", "Sensors", _sensors(content)) if content.sensors else "",
        _section("model", "Model and run", _model(content)),
    ]
    data = {
        "charts": content.charts,
        "modes": [drawing for _, drawing in content.modes],
        "clock": {"factor": content.clock.factor, "unit": content.clock.unit},
        "arrays": content.arrays,
    }
    return document(title, sections, data, viewer)


def document(title: str, sections: list[str], data: dict[str, Any], viewer: ViewerParts | None = None) -> str:
    """A page in one file; title and sections are HTML, data is for its scripts."""
    scripts = "\n".join(_source(name) for name in SCRIPTS)
    return "\n".join(
        [
            '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f'<meta name="generator" content="flexmb">\n<title>{title}</title>',
            f"<style>\n{viewer.style if viewer else ''}\n{_source('report.css')}</style>\n</head>\n<body>",
            *[section for section in sections if section],
            viewer.data if viewer else "",
            f'<script type="application/json" id="report-data">{script_json(data)}</script>',
            f"<script>\n{viewer.script}\n</script>" if viewer else "",
            f'<script>\n(() => {{\n"use strict";\n{scripts}\n}})();\n</script>\n</body>\n</html>\n',
        ]
    )


def escaped(text: object) -> str:
    """Text from a file, escaped for HTML."""
    return html.escape(str(text), quote=True)


def script_json(values: Any) -> str:
    """JSON that cannot close the element that contains it."""
    text = json.dumps(values, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _source(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")


def _section(name: str, title: str, body: str) -> str:
    head = f"<h2>{title}</h2>\n" if title else ""
    return f'<section id="{name}" class="{name}">\n{head}{body}\n</section>'


def _header(content: Content, title: str) -> str:
    result = content.result
    started = result.provenance.get("started", "").replace("T", " ").partition("+")[0]
    first, last = (content.clock.text(float(result.time[k])) for k in (0, -1))
    span = f"t = {first} to {last}" if result.n_rows > 1 else f"{'equilibrium at ' * is_static(result)}t = {first}"
    words = [result.path.name, span, f"run {result.outcome}"]
    words += [f"started {started}"] if started else []
    names = {"viewer": "Animation", "plots": "Plots", "stress": "Stress", "modes": "Modes", "health": "Health"}
    names["sensors"] = "Sensors"
    there: dict[str, object] = {
        "viewer": content.viewer,
        "plots": content.charts,
        "modes": content.modes,
        "sensors": content.sensors,
    }
    there["stress"] = content.stress
    links = [f'<a href="#{key}">{name}</a>' for key, name in names.items() if there.get(key, True)]
    notes = "".join(f'<p class="remark">{escaped(note)}</p>' for note in content.notes)
    return (
        f'<header>\n<div><h1>{title}</h1>\n<p class="about">{escaped(", ".join(words))}</p></div>\n'
        f'<nav aria-label="Page">{"".join(links)}<a href="#model">Model</a>'
        '<button id="theme" aria-label="Light or dark theme" title="Light or dark theme">\u25d0</button></nav>\n'
        f"</header>\n{notes}"
    )


def _headlines(content: Content) -> str:
    cards = []
    for one in content.headlines:
        when = f" {_moment(content.clock, one.time)}" if one.time is not None else ""
        unit = f' <span class="unit">{escaped(one.unit)}</span>' if one.unit else ""
        cards.append(
            f'<div class="headline {one.verdict}"><dt>{escaped(one.name)}</dt>'
            f"<dd><strong>{escaped(one.value)}{unit}</strong>"
            f'<span class="detail">{escaped(one.detail)}{when}</span></dd></div>'
        )
    return f'<dl class="headlines">\n{"".join(cards)}\n</dl>'


def _moment(clock: Clock, time: float) -> str:
    """A button with a time; a click moves the viewer there."""
    text = escaped(clock.text(time))
    return f'<button class="moment" data-time="{time!r}" title="Go to this time">t = {text}</button>'


def _plots(content: Content) -> str:
    hint = "Click a peak or any point of a curve over time to move the animation there." if content.viewer else ""
    figures = "".join(f'<figure class="chart" data-chart="{k}"></figure>' for k in range(len(content.charts)))
    return f'<p class="hint">{hint}</p>\n<div class="charts">{figures}</div>'


def _stress(stress: StressFindings, clock: Clock) -> str:
    rows = "".join(
        f'<tr><th scope="row">{escaped(shortened(spot.body))}</th><td>{number}</td><td>{_spot_place(spot)}</td>'
        f"{_largest(spot.von_mises, spot.von_mises_time, clock)}"
        f"{_largest(spot.principal, spot.principal_time, clock)}</tr>"
        for body in stress.bodies
        for number, spot in enumerate(body.spots, 1)
    )
    heads = ("body", "", "hot spot", "von Mises [MPa]", "", "principal [MPa]", "")
    head = "".join(f"<th>{text}</th>" for text in heads)
    notes = "".join(f'<p class="hint">{escaped(note)}</p>' for note in stress.notes)
    warned = "".join(
        f'<p class="remark">{escaped(one.text[:1].upper() + one.text[1:])}</p>'
        for one in stress.warnings
        if one.code.startswith("stress-")
    )
    hint = (
        "Local maxima of the largest stress over all rows of the run, with the principal stress of the largest "
        "magnitude. 'flexmb stress' writes the envelope as a picture and counts cycles."
    )
    return (
        f'<p class="hint">{hint}</p>\n<div class="scrolled"><table class="stress-table"><thead><tr>{head}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div>\n{notes}{warned}"
    )


def _largest(stress: float, time: float, clock: Clock) -> str:
    return f'<td class="number">{number_text(1e-6 * stress)}</td><td>{_moment(clock, time)}</td>'


def _spot_place(spot: HotSpot) -> str:
    x, y, z = (number_text(1e3 * value if abs(value) > 1e-12 else 0.0, 4) for value in spot.position)
    words = [f"node {spot.node}"] if spot.node is not None else []
    words += [word for word in (spot.side, spot.interface and f"at {spot.interface}") if word]
    return escaped(", ".join([*words, f"({x}, {y}, {z})\u00a0mm in its axes"]))


def _modes(content: Content) -> str:
    tables = []
    for number, (table, _) in enumerate(content.modes):
        cells = [
            f'<li><canvas class="mode" data-body="{number}" data-mode="{k}" width="220" height="130" role="img" '
            f'aria-label="mode {k + 1}"></canvas><div><b>{k + 1}</b> {number_text(float(table.hertz[k]), 5)}\u00a0Hz'
            f"<span>damping {_percent(table.ratios[k])}</span><span>{escaped(table.kinds[k])}</span></div></li>"
            for k in range(table.n_shown)
        ]
        more = len(table.hertz) - table.n_shown
        last = f"{number_text(float(table.hertz[-1]), 5)}\u00a0Hz"
        rest = f'<p class="hint">{more} more modes up to {last}.</p>' if more > 0 else ""
        names = ", ".join(escaped(shortened(name)) for name in table.names)
        tables.append(f'<h3>{names}</h3>\n<ol class="mode-list">{"".join(cells)}</ol>{rest}')
    hint = "Each body alone in its frame, without the rest of the mechanism. Deformations are exaggerated."
    return f'<p class="hint">{hint}</p>\n{"".join(tables)}'


def _percent(ratio: float) -> str:
    return f"{number_text(100.0 * float(ratio), 3)}\u00a0%"


def _health(content: Content) -> str:
    rows = "".join(
        f'<tr class="{check.verdict}"><th scope="row">{escaped(check.name)}</th>'
        f'<td><span class="verdict">{_VERDICTS[check.verdict]}</span></td>'
        f"<td>{escaped(check.value)}</td><td>{escaped(check.why)}</td></tr>"
        for check in content.checks
    )
    verdict = worst(content.checks)
    return (
        f'<p class="overall {verdict}">{_HEALTH[verdict]}</p>\n<div class="scrolled"><table>{rows}</table></div>\n'
        f"<details><summary>Run report</summary><pre>{escaped(content.result.report)}</pre></details>"
    )


def _sensors(content: Content) -> str:
    clock = content.clock
    rows = "".join(
        f'<tr><th scope="row">{escaped(row.name)}</th><td class="number">{row.low}</td>'
        f'<td>{_moment(clock, row.low_time)}</td><td class="number">{row.high}</td>'
        f"<td>{_moment(clock, row.high_time)}</td><td>{escaped(row.unit)}</td></tr>"
        for row in content.sensors
    )
    head = "<tr><th>sensor</th><th>smallest</th><th></th><th>largest</th><th></th><th>unit</th></tr>"
    return f'<div class="scrolled"><table class="sensor-table"><thead>{head}</thead><tbody>{rows}</tbody></table></div>'


def _model(content: Content) -> str:
    result = content.result
    text = result.model_text
    source = "the model file"
    if not text.strip("\0 \n"):
        text, source = json.dumps(result.settings, indent=2, ensure_ascii=False), "all settings of the run"
    cut = f"\n... {len(text) - _LONGEST_TEXT} more characters" if len(text) > _LONGEST_TEXT else ""
    provenance = result.provenance
    command = provenance.get("command", "") or f"flexmb run model.toml -o {result.path.name}"
    about = "" if provenance.get("command") else "<p>Made in Python. Save the model below as model.toml, then run:</p>"
    versions = "".join(
        f"<tr><th scope='row'>{escaped(name)}</th><td>{escaped(value)}</td></tr>"
        for name, value in provenance.items()
        if name != "command" and value
    )
    return (
        f'<h3>Repeat this run</h3>\n{about}<div class="command"><code id="command">{escaped(command)}</code>'
        f'<button data-copy="command">Copy</button></div>\n'
        f"<h3>Versions</h3>\n<table>{versions}</table>\n"
        f'<details open><summary>{source[:1].upper()}{source[1:]}</summary><div class="command">'
        f'<pre id="model-text">{escaped(text[:_LONGEST_TEXT] + cut)}</pre>'
        f'<button data-copy="model-text">Copy</button></div></details>'
    )
