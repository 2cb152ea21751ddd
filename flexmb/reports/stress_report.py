"""Report on stress: the hot spots of every body as a table, damage, what is left out, warnings."""

from __future__ import annotations

from collections.abc import Iterator

from flexmb.reports.run_report import entry
from flexmb.results.stress_findings import MISES, BodyStress, HotSpot, StressFindings

WORDS = {MISES: "von Mises stress", "principal": "principal stress of the largest magnitude"}
_AVERAGED = (
    "first order in the elastic coordinates, at the rows of the result; at nodes averaged over cells of one material, "
    "thickness and side"
)


def stress_report(findings: StressFindings) -> str:
    """The report as plain text."""
    rows = f"{findings.n_rows} row{'s' if findings.n_rows != 1 else ''}"
    lines = [f"{findings.name or 'unnamed model'}: stress", ""]
    lines += entry("rows", f"{rows}, t = {findings.start:.6g} to {findings.end:.6g} s")
    lines += entry("hot spots by", WORDS[findings.measure])
    lines += entry("stress", _AVERAGED)
    if findings.line:
        lines += entry("S-N line", findings.line)
        sign = (
            "with the sign of the principal stress of the largest magnitude" if findings.measure == MISES else "signed"
        )
        text = f"{WORDS[findings.measure]}, {sign}; rainflow (ASTM E1049), the run repeated, so that all cycles close"
        lines += entry("cycles of", text)
    for body in findings.bodies:
        lines += ["", *_table(body)]
    for note in findings.notes:
        lines += ["", *entry("note", note)]
    for warning in findings.warnings:
        lines += ["", *entry("WARNING", warning.text)]
    return "\n".join(lines)


def _table(body: BodyStress) -> Iterator[str]:
    """Hot spots of a body."""
    one = body.envelope
    apart = f", {1e3 * body.apart:.4g} mm apart or more" if len(body.spots) > 1 else ""
    yield f"  {one.body}: largest von Mises stress {1e-6 * one.von_mises.max():.5g} MPa{apart}"
    if not body.spots:
        yield "    no hot spot: there is no stress, or all of it is near interfaces"
        return
    on_mesh, has_damage = one.nodes is not None, body.spots[0].damage is not None
    yield _line(
        "", "node" if on_mesh else "", "at x, y, z [mm] in its axes", "von Mises", "at t", "principal", "at t", ""
    )
    yield _line("", "", "", "[MPa]", "[s]", "[MPa]", "[s]", "")
    for number, spot in enumerate(body.spots, 1):
        node = "" if spot.node is None else str(spot.node)
        at = ", ".join(f"{_rounded(1e3 * value):.5g}" for value in spot.position)
        when = f"{spot.von_mises_time:.6g}", f"{spot.principal_time:.6g}"
        values = f"{1e-6 * spot.von_mises:.5g}", f"{1e-6 * spot.principal:.5g}"
        yield _line(str(number), node, at, values[0], when[0], values[1], when[1], _remark(spot))
    if has_damage:
        yield ""
        heads = f"{'cycles':>12}{'largest amplitude':>20}{'its mean [MPa]':>16}{'damage a run':>14}{'runs to 1':>12}"
        yield f"  {'':>4}{heads}"
        yield from (_damage(number, spot) for number, spot in enumerate(body.spots, 1))


def _line(number: str, node: str, at: str, mises: str, when: str, principal: str, then: str, remark: str) -> str:
    text = f"  {number:>4}{node:>9}{at:>30}{mises:>11}{when:>11}{principal:>11}{then:>11}"
    return f"{text}  {remark}".rstrip()


def _remark(spot: HotSpot) -> str:
    """Side of a shell and interface."""
    return ", ".join(word for word in (spot.side, spot.interface and f"at {spot.interface}") if word)


def _damage(number: int, spot: HotSpot) -> str:
    assert spot.damage is not None
    cycles, runs = spot.damage.cycles, spot.damage.repeats
    amplitude, mean = (1e-6 * cycles[0, :2]).tolist() if len(cycles) else (0.0, 0.0)
    text = f"  {number:>4}{spot.damage.n_cycles:>12.6g}{f'{amplitude:.5g} MPa':>20}{mean:>16.5g}"
    return f"{text}{spot.damage.damage:>14.4g}{runs:>12.4g}"


def _rounded(value: float) -> float:
    """A coordinate [mm] without round-off."""
    return value if abs(value) > 1e-9 else 0.0
