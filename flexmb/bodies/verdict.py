"""Verdict on a reduced body: level "good", "care" or "bad", and the reasons, each as a warning with a code.

Input: the findings of `body_checks`, the losses of the import, warnings of material or matrices. Output: `verdict` and
`warnings` of the report, which is stored in the body file; and one warning for a model that uses a body which is not to
be trusted without reserve.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmb.mesh.losses import Loss
from flexmb.warning import WarningRecord

if TYPE_CHECKING:
    from flexmb.bodies.mode_checks import FreeModes
    from flexmb.bodies.reduced_body import ReducedBody

Reason = tuple[str, WarningRecord]
"""Level "bad" or "care", and the warning."""

VERDICTS = {"good": "trust it", "care": "trust it with care", "bad": "do not trust it"}
GOOD_FREQUENCY, BAD_FREQUENCY = 0.02, 0.2
"""Relative error of a frequency in the band: above the first a warning, above the second bad."""
POOR_FREQUENCY = 0.05
"""Relative error of a mode above the band, among as many as were requested: above it a warning."""
ABOVE_BAND = "above-band"
"""Code of that warning: it limits the trust to the band"""
GOOD_STATICS, BAD_STATICS = 0.05, 0.5
"""Relative error of the compliance of an interface: above the first a warning, above the second bad."""
RIGID = 1e-3
"""Largest frequency of a rigid motion, as a part of the first elastic frequency."""
MOST_CONDITION = 1e4
STIFF = {
    "tet4": "mesh with tet10",
    "wedge6": "mesh with wedge15 or hex8",
    "pyramid5": "mesh with second order",
    "hex8": "leave out --hex8 full, or mesh with hex20",
}
"""Cell types that lock in bending, and what to do; hex8 only without its incompatible modes"""
_SAME_INERTIA = 1e-4
"""Relative difference of the inertia of mesh and reduced body that round-off may leave."""
_LOSS_CODES = {"unit": "guessed-unit", "formulation": "other-formulation", "mesh": "poor-mesh"}
"""Codes of losses of the import by their kind; the others are "lost-in-import"."""
CODES = ("guessed-unit", "other-formulation", "poor-mesh", "lost-in-import", "above-band", "frequency-off")
"""Codes that are chosen by a rule."""
_SHOWN = 3
"""Modes that are listed one by one."""
_LEAST_JUDGED = 3
"""Number of the first modes that count in any case."""


def with_reasons(report: Mapping[str, Any], reasons: Sequence[Reason], *, first: bool = False) -> dict[str, Any]:
    """The report with reasons added to its verdict and warnings, bad ones first; `first`: before those it has."""
    before = report.get("verdict", {"level": "good", "reasons": []})
    ordered = [record for level in ("bad", "care") for own, record in reasons if own == level]
    levels = [before["level"], *(level for level, _ in reasons)]
    texts, entries = [record.text for record in ordered], [record.as_dict() for record in ordered]
    known = list(report.get("warnings", []))
    return {
        **report,
        "verdict": {
            "level": next(level for level in ("bad", "care", "good") if level in levels),
            "reasons": [*texts, *before["reasons"]] if first else [*before["reasons"], *texts],
        },
        "warnings": [*entries, *known] if first else [*known, *entries],
    }


def loss_reasons(losses: Sequence[Loss]) -> list[Reason]:
    """Losses of the import that count."""
    return [
        (
            loss.level,
            WarningRecord(
                _LOSS_CODES.get(loss.kind, "lost-in-import"),
                loss.text,
                f"mesh.{loss.kind}",
                None,
                float(loss.count),
                "1",
            ),
        )
        for loss in losses
        if loss.level != "note"
    ]


def judge(report: Mapping[str, Any], modes: FreeModes, stiff_kinds: Sequence[str]) -> list[Reason]:
    """All reasons against a body."""
    reasons = [*_judge_rigid(report), *_judge_certificate(report.get("certificate")), *_judge_modes(modes)]
    for entry in report["statics"]:
        for key, load in (("force_error", "force along"), ("moment_error", "moment about")):
            if entry[key] > GOOD_STATICS:
                load = f"a {load} {entry[key.replace('error', 'direction')]}"
                text = f"the compliance of '{entry['interface']}' under {load} is {100 * entry[key]:.0f} % off"
                text = f"{text}: use more modes or --attachment"
                place = f"interfaces.{entry['interface']}"
                level = "bad" if entry[key] > BAD_STATICS else "care"
                reasons.append((level, WarningRecord("compliance-off", text, place, None, entry[key], "1")))
    if report["condition"] > MOST_CONDITION:
        text = f"the shapes are nearly linearly dependent (condition {report['condition']:.1e})"
        reasons.append(("care", WarningRecord("dependent-shapes", text, "shapes", None, report["condition"], "1")))
    return [*reasons, *_judge_mesh(report["discretisation"], stiff_kinds)]


def _judge_rigid(report: Mapping[str, Any]) -> Iterator[Reason]:
    rigid, inertia = report["rigid"], report["inertia"]
    largest = rigid["largest_frequency"]
    if largest > max(RIGID * report["lowest_frequency"], rigid["round_off"]):
        text = f"rigid motions have a frequency of {largest:.3g} Hz: the stiffness is not that of a free body"
        yield "bad", WarningRecord("not-free", text, "stiffness", None, largest, "Hz")
    lost = float(np.abs(np.subtract(inertia["mesh"], inertia["reduced"])).max() / np.abs(inertia["mesh"]).max())
    if lost > _SAME_INERTIA:
        text = f"the inertia of the reduced body is {100 * lost:.2g} % off that of the mesh"
        text = f"{text}: check whether the mesh lies very far from its origin"
        yield "bad", WarningRecord("inertia-off", text, "mesh", None, lost, "1")


def _judge_certificate(certificate: Mapping[str, Any] | None) -> Iterator[Reason]:
    """The transfer between the interfaces in the band that shapes were chosen for."""
    if certificate is None or certificate["passed"]:
        return
    low, high = certificate["band"]
    text = (
        f"the allowed error of {certificate['allowed']:g} is not reached in the band from {low:g} to {high:g} Hz: the "
        f"transfer between the interfaces is off by up to {certificate['largest']:.2g}, at {certificate['at']:.4g} Hz: "
        "use a narrower band or a larger error"
    )
    level = "care" if certificate["largest"] < BAD_FREQUENCY else "bad"
    yield level, WarningRecord("transfer-off", text, "band", None, certificate["largest"], "1")


def _judge_modes(modes: FreeModes) -> Iterator[Reason]:
    """Every free mode in the band, and the others among those that were requested."""
    if not len(modes.full):
        return
    errors = modes.errors
    inside = (np.arange(len(errors)) < _LEAST_JUDGED) | (modes.full <= modes.claim)
    wrong = errors > np.where(inside, GOOD_FREQUENCY, POOR_FREQUENCY)
    groups = (("frequency-off", inside, "use more modes"), (ABOVE_BAND, ~inside, "above the band, do not rely on it"))
    for code, group, remedy in groups:
        numbers = np.flatnonzero(wrong & group)
        for k in numbers[:_SHOWN]:
            more = len(numbers) - _SHOWN
            rest = f"; {more} more modes are off" if more > 0 and k == numbers[_SHOWN - 1] else ""
            text = (
                f"free mode {k + 1} of {len(errors)} has {modes.reduced[k]:.4g} Hz, the full model "
                f"{modes.full[k]:.4g} Hz ({100 * errors[k]:.1f} % off): {remedy}{rest}"
            )
            level = "bad" if code != ABOVE_BAND and errors[k] > BAD_FREQUENCY else "care"
            yield level, WarningRecord(code, text, f"modes.{k + 1}", None, float(errors[k]), "1")


def _judge_mesh(estimate: Mapping[str, Any], stiff_kinds: Sequence[str]) -> Iterator[Reason]:
    """The estimated discretisation error."""
    remedy = " and ".join(STIFF[kind] for kind in stiff_kinds) or "refine it"
    if not estimate:
        return
    errors = np.array(estimate["frequency_errors"])
    worst = int(errors.argmax())
    if errors[worst] > GOOD_FREQUENCY:
        others = int((errors > GOOD_FREQUENCY).sum()) - 1
        several = f" ({others} more of {len(errors)} modes above {100 * GOOD_FREQUENCY:g} %)" if others else ""
        text = (
            f"the mesh is too coarse: free mode {worst + 1} ({estimate['frequencies'][worst]:.4g} Hz) is too high by "
            f"about {_percent(errors[worst])}{several}, estimated by {estimate['method']}: {remedy}"
        )
        level = "bad" if errors[worst] > BAD_FREQUENCY else "care"
        yield level, WarningRecord("coarse-mesh", text, f"modes.{worst + 1}", None, float(errors[worst]), "1")
    rows = [
        (row[f"{load}_error"], load, row["interface"]) for row in estimate["statics"] for load in ("force", "moment")
    ]
    error, load, name = max(rows, default=(0.0, "", ""))
    if error > GOOD_STATICS:
        others = len({row[2] for row in rows if row[0] > GOOD_STATICS} - {name})
        several = f" ({others} more interface{'s' if others > 1 else ''})" if others else ""
        text = f"the mesh is too coarse: the compliance of '{name}' under a {load} is too low by about "
        text += f"{_percent(min(error, 1.0))}{several}, estimated by {estimate['method']}: {remedy}"
        level = "bad" if error > BAD_STATICS else "care"
        yield level, WarningRecord("coarse-mesh", text, f"interfaces.{name}", None, error, "1")


def _percent(share: float) -> str:
    return f"{100.0 * share:.2g} %" if share < 0.995 else f"{100.0 * share:.0f} %"


def headline(report: Any) -> str:
    """The verdict in words, with its band: "trust it up to 6375 Hz"; empty if the body was not judged."""
    tables = [report.get(key) if isinstance(report, Mapping) else None for key in ("verdict", "band")]
    verdict, band = (table if isinstance(table, Mapping) else {} for table in tables)
    level, trusted = verdict.get("level"), band.get("trusted")
    if not isinstance(level, str) or level not in VERDICTS:
        return ""
    listed = report.get("warnings")
    codes = [entry.get("code") for entry in listed if isinstance(entry, Mapping)] if isinstance(listed, list) else []
    if level == "good" or (level == "care" and set(codes) == {ABOVE_BAND}):
        if isinstance(trusted, (int, float)) and not isinstance(trusted, bool) and 0.0 < trusted < 1e100:
            return f"{VERDICTS['good']} up to {trusted:.4g} Hz"
    return VERDICTS[level]


def verdict_warning(name: str, body: ReducedBody) -> WarningRecord | None:
    """Warning of a model whose body `name` is not to be trusted without reserve; None: it is, or was not judged."""
    words = headline(body.report)
    if not words or body.report["verdict"]["level"] == "good":
        return None
    listed = body.report["verdict"].get("reasons")
    reasons = [text for text in listed if isinstance(text, str)] if isinstance(listed, list) else []
    because = f": {reasons[0]}" if reasons else ""
    more = f" (and {len(reasons) - 1} more: see 'flexmb body info')" if len(reasons) > 1 else ""
    text = f"the report of body '{name}' says \"{words}\"{because}{more}."
    text = "".join(sign for sign in text if sign.isprintable())
    return WarningRecord("body-verdict", text, f"bodies.{name}", None, float(len(reasons)), "1")
