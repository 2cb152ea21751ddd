"""The outcomes of cases as text: the table on the terminal, the list of cases, the table of docs/verification.md."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence

from flexmb.verification.case import Case, Finding
from flexmb.verification.registry import Outcome

_WIDTH = 120
_QUANTITY = 54
_HEAD = f"{'quantity':<{_QUANTITY}}{'reference':>16}{'flexmb':>16}{'error':>9}   tolerance"
NOTE = "For several samples the one with the largest error is shown; errors are the largest over all samples."


def text_table(outcomes: Sequence[Outcome]) -> str:
    """Every finding of every case, and the summary line."""
    blocks = [_block(outcome) for outcome in outcomes]
    seconds = sum(outcome.seconds for outcome in outcomes)
    return "\n\n".join([*blocks, f"{NOTE}\n{summary(outcomes)} {seconds:.0f} s."])


def summary(outcomes: Sequence[Outcome]) -> str:
    """Number of cases that agree, and the names of those that do not."""
    n_findings = sum(len(outcome.comparison.findings) for outcome in outcomes)
    off = [outcome.case.name for outcome in outcomes if not outcome.agrees]
    names = f" Off: {', '.join(off)}." if off else ""
    return f"{len(outcomes) - len(off)} of {len(outcomes)} cases agree ({n_findings} quantities).{names}"


def _block(outcome: Outcome) -> str:
    case = outcome.case
    head = f"{case.name}  {case.title}"
    lines = [
        f"{head:<{_WIDTH - 18}} {verdict(outcome.agrees):>8} {outcome.seconds:6.1f} s",
        f"  against: {case.source}",
    ]
    if outcome.failure:
        return "\n".join([*lines, *textwrap.wrap(f"stopped: {outcome.failure}", _WIDTH - 2, initial_indent="  ")])
    lines.append(f"  {_HEAD}")
    for finding in outcome.comparison.findings:
        quantity = labelled(finding)
        wanted, ours = values(finding)
        off = "" if finding.agrees else "  OFF"
        # a long name gets its own line, so that the columns stay aligned
        if len(quantity) >= _QUANTITY:
            lines.append(f"  {quantity}")
            quantity = ""
        row = f"  {quantity:<{_QUANTITY}}{wanted:>16}{ours:>16}{short(finding.error):>9}   {tolerance(finding)}{off}"
        lines.append(row)
        if finding.source:
            lines.append(f"    (against {finding.source})")
    return "\n".join(lines)


def verdict(agrees: bool) -> str:
    """Text of a verdict."""
    return "agrees" if agrees else "OFF"


def labelled(finding: Finding) -> str:
    """Quantity, number of samples and unit."""
    samples = f", {finding.reference.size} samples" if finding.reference.size > 1 else ""
    unit = f" [{finding.unit}]" if finding.unit else ""
    return f"{finding.quantity}{samples}{unit}"


def values(finding: Finding) -> tuple[str, str]:
    """Reference and flexmb value of the sample with the largest error."""
    return f"{finding.reference[finding.worst]:.9g}", f"{finding.ours[finding.worst]:.9g}"


def tolerance(finding: Finding) -> str:
    """The tolerance with its unit or measure."""
    sense = finding.unit if finding.measure == "absolute" else finding.measure
    return f"{short(finding.tolerance)} {sense}".strip()


def short(value: float) -> str:
    """An error or a tolerance in two digits: 3.1e-9, 1e-4, 0.02, 0."""
    if value == 0.0 or value >= 0.01:
        return f"{value:.2g}"
    mantissa, exponent = f"{value:.1e}".split("e")
    return f"{float(mantissa):g}e{int(exponent)}"


def markdown_table(outcomes: Sequence[Outcome]) -> str:
    """Table of docs/verification.md, one row per case: of its quantities the one closest to its tolerance."""
    rows = ["| case | | compared with | quantities | the one nearest to its tolerance | error | tolerance |"]
    rows.append("| --- | --- | --- | --- | --- | --- | --- |")
    for outcome in outcomes:
        cells = [outcome.case.name, outcome.case.title, outcome.case.source, *_nearest(outcome)]
        rows.append(f"| {' | '.join(map(_plain, cells))} |")
    return "\n".join([*rows, "", summary(outcomes)])


def _plain(cell: str) -> str:
    """Text of a cell, escaped for Markdown."""
    return cell.replace("|", "/").replace("*", r"\*")


def _nearest(outcome: Outcome) -> tuple[str, str, str, str]:
    findings = outcome.comparison.findings
    if not findings:
        return "0", "stopped", "", ""
    finding = outcome.closest
    error = "exact" if finding.error == 0.0 else short(finding.error)
    return str(len(findings)), finding.quantity, error + " OFF" * (not outcome.agrees), tolerance(finding)


def case_list(cases: Mapping[str, Case], not_applicable: Mapping[str, str]) -> str:
    """Names, titles and sources of all cases; below, the collections that are not compared, with reasons."""
    width = max(map(len, [*cases, *not_applicable])) + 2
    title = max(len(case.title) for case in cases.values()) + 2
    lines = [f"{case.name:<{width}}{case.title:<{title}}{case.source}" for case in cases.values()]
    lines += [f"\nNot compared:\n{name:<{width}}{why}" for name, why in not_applicable.items()]
    return "\n".join(lines)
