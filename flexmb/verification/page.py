"""The outcomes of cases as one HTML page: the table, and plots of flexmb and the reference.

The page is one file in the style of the report of a run; every text is escaped.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from flexmb.output_files import drafted
from flexmb.results.versions import flexmb_version
from flexmb.verification.case import Curve, Finding
from flexmb.verification.registry import Outcome
from flexmb.verification.table import NOTE, labelled, short, summary, tolerance, values, verdict
from flexmb.view.plots.panels import Line, Panel, Peak
from flexmb.view.report.array_pool import ArrayPool
from flexmb.view.report.charts import chart_of
from flexmb.view.report.page import document, escaped

_FEW = 30
"""Points of a reference below which it is drawn as dots."""
_HEAD = ("quantity", "reference", "flexmb", "error", "tolerance", "")


def write_page(outcomes: Sequence[Outcome], target: Path) -> None:
    """Write the page; it gets its name when it is complete."""
    with drafted(target, target.suffix.lower()) as draft:
        draft.write_text(page_text(outcomes), encoding="utf-8")


def page_text(outcomes: Sequence[Outcome]) -> str:
    """The page as HTML."""
    pool = ArrayPool()
    charts: list[dict[str, Any]] = []
    sections = []
    for outcome in outcomes:
        figures = ""
        for curve in outcome.comparison.curves:
            figures += f'<figure class="chart" data-chart="{len(charts)}"></figure>'
            charts.append(chart_of(_panel(curve), pool))
        sections.append(_section(outcome, figures))
    title = f"flexmb {flexmb_version()}: verification"
    head = (
        f'<header>\n<div><h1>{escaped(title)}</h1>\n<p class="about">{escaped(summary(outcomes))} {NOTE}</p></div>\n'
        '<nav aria-label="Page">'
        '<button id="theme" aria-label="Light or dark theme" title="Light or dark theme">\u25d0</button>'
        "</nav>\n</header>"
    )
    data = {"charts": charts, "modes": [], "clock": {"factor": 1.0, "unit": "s"}, "arrays": pool.texts()}
    return document(title, [head, _overview(outcomes), *sections], data)


def _overview(outcomes: Sequence[Outcome]) -> str:
    """Table with one row per case."""
    rows = "".join(
        f'<tr class="{_color(outcome.agrees)}"><th scope="row"><a href="#{escaped(_anchor(outcome))}">'
        f"{escaped(outcome.case.name)}</a></th>"
        f"<td>{escaped(outcome.case.title)}</td><td>{escaped(outcome.case.source)}</td>"
        f'<td><span class="verdict">{verdict(outcome.agrees)}</span></td></tr>'
        for outcome in outcomes
    )
    return f'<section><h2>Cases</h2>\n<div class="scrolled"><table>{rows}</table></div>\n</section>'


def _section(outcome: Outcome, figures: str) -> str:
    case = outcome.case
    body = f'<p class="remark">stopped: {escaped(outcome.failure)}</p>' if outcome.failure else ""
    if outcome.comparison.findings:
        head = "".join(f"<th{' class=number' if k in (1, 2, 3) else ''}>{name}</th>" for k, name in enumerate(_HEAD))
        rows = "".join(_row(finding) for finding in outcome.comparison.findings)
        body += f'<div class="scrolled"><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>'
    plots = f'<div class="charts">{figures}</div>' if figures else ""
    return (
        f'<section id="{escaped(_anchor(outcome))}"><h2>{escaped(f"{case.name}: {case.title}")}</h2>\n'
        f'<p class="hint">Against {escaped(case.source)}; {outcome.seconds:.1f} s.</p>\n{body}\n{plots}</section>'
    )


def _row(finding: Finding) -> str:
    wanted, ours = values(finding)
    source = f'<br><span class="hint">against {escaped(finding.source)}</span>' if finding.source else ""
    numbers = "".join(f'<td class="number">{text}</td>' for text in (wanted, ours, short(finding.error)))
    return (
        f'<tr class="{_color(finding.agrees)}"><td>{escaped(labelled(finding))}{source}</td>{numbers}'
        f'<td>{escaped(tolerance(finding))}</td><td><span class="verdict">{verdict(finding.agrees)}</span></td></tr>'
    )


def _color(agrees: bool) -> str:
    return "good" if agrees else "bad"


def _anchor(outcome: Outcome) -> str:
    return outcome.case.name.replace(" ", "-")


def _panel(curve: Curve) -> Panel:
    """The curve of flexmb, and the reference dashed over it, or as dots if it has few points."""
    where, wanted = np.asarray(curve.reference_x, float), np.asarray(curve.reference, float)
    dots: tuple[Peak, ...] = ()
    if len(where) < _FEW:
        dots = tuple(Peak(float(x), float(y), "", None, 1) for x, y in zip(where, wanted, strict=True))
        # a break after every point: nothing is drawn between dots
        where = np.repeat(where, 2)
        wanted = np.column_stack([wanted, np.full_like(wanted, np.nan)]).ravel()
    ours = Line("flexmb", np.asarray(curve.x, float), np.asarray(curve.ours, float), None, 0)
    reference = Line("reference", where, wanted, None, 1, "dashed")
    return Panel(curve.title, curve.x_name, curve.x_unit, curve.y_unit, (ours, reference), dots)
