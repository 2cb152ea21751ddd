"""Findings on stress as files: picture (.png), fields for ParaView (.vtu), table of hot spots (.csv)."""

from __future__ import annotations

import csv
import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from flexmb.errors import Fault, InputError
from flexmb.output_files import drafted, replacing_fault, suffix_fault
from flexmb.results.stress_findings import Envelope, HotSpot, StressFindings
from flexmb.view.stress.picture import write_envelope_picture
from flexmb.view.vtk_files import grid_text

SUFFIXES = (".png", ".vtu", ".csv")
_FIELDS = tuple(
    f"{name}{end}" for name in ("von_mises", "principal", "tension", "compression") for end in ("", "_time")
)
"""Fields of a .vtu file: attributes of an envelope"""
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def target_faults(paths: Sequence[str | os.PathLike[str]]) -> list[Fault]:
    """Reasons why these files cannot be written."""
    faults = []
    for path in map(Path, paths):
        if fault := suffix_fault(path, SUFFIXES) or replacing_fault(path, path.suffix.lower()):
            faults.append(Fault(fault))
    real = [os.path.realpath(path) for path in paths]
    if len(set(real)) < len(real):
        faults.append(Fault("the same file is given twice."))
    return faults


def write_stress(findings: StressFindings, path: str | os.PathLike[str]) -> None:
    """Write findings: .png (envelope with the numbers of hot spots), .vtu (fields), .csv (table of hot spots)."""
    if faults := target_faults([path]):
        raise InputError(faults)
    target = Path(path)
    writers = {".png": write_envelope_picture, ".vtu": _write_vtu, ".csv": _write_csv}
    writers[target.suffix.lower()](findings, target)


def placed(findings: StressFindings, envelope: Envelope) -> np.ndarray:
    """(s, 3) points in body axes if there is one body, else where they are at the first row, undeformed [m]"""
    if len(findings.bodies) == 1:
        return envelope.points
    return envelope.points @ envelope.R_wb.T + envelope.position


def _write_vtu(findings: StressFindings, path: Path) -> None:
    envelopes = [body.envelope for body in findings.bodies]
    starts = np.cumsum([0, *(len(one.points) for one in envelopes)])
    triangles = [one.triangles + start for one, start in zip(envelopes, starts[:-1], strict=True)]
    numbers = np.zeros(starts[-1], dtype=np.int32)
    for body, start in zip(findings.bodies, starts[:-1], strict=True):
        for number, spot in enumerate(body.spots, 1):
            numbers[start + spot.point] = number
    fields = {name: np.concatenate([getattr(one, name) for one in envelopes]) for name in _FIELDS}
    nodes = [np.full(len(one.points), -1) if one.nodes is None else one.nodes for one in envelopes]
    text = grid_text(
        points=np.concatenate([placed(findings, one) for one in envelopes]).astype(np.float32),
        triangles=np.concatenate(triangles).astype(np.int64),
        point_data={
            **{name: values.astype(np.float32) for name, values in fields.items()},
            "node": np.concatenate(nodes).astype(np.int64),
            "hot_spot": numbers,
        },
        cell_data={"body": np.repeat(np.arange(len(envelopes), dtype=np.int32), [len(t) for t in triangles])},
        texts={"bodies": [one.body for one in envelopes]},
    )
    with drafted(path, ".vtu") as draft:
        draft.write_text(text, encoding="ascii")


def _write_csv(findings: StressFindings, path: Path) -> None:
    head = ["body", "number", "node", "side", "interface", "x [m]", "y [m]", "z [m]"]
    head += ["von_mises [Pa]", "von_mises_time [s]", "principal [Pa]", "principal_time [s]"]
    if findings.line:
        head += ["cycles", "largest amplitude [Pa]", "its mean [Pa]", "damage", "repeats"]
    with drafted(path, ".csv") as draft, open(draft, "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(head)
        for body in findings.bodies:
            table.writerows(_row(number, spot) for number, spot in enumerate(body.spots, 1))


def _row(number: int, spot: HotSpot) -> list[object]:
    found = [_safe(spot.body), number, "" if spot.node is None else spot.node, spot.side, _safe(spot.interface)]
    numbers = [*spot.position, spot.von_mises, spot.von_mises_time, spot.principal, spot.principal_time]
    if spot.damage is not None:
        cycles = spot.damage.cycles
        first = cycles[0, :2].tolist() if len(cycles) else [0.0, 0.0]
        numbers += [spot.damage.n_cycles, *first, spot.damage.damage, spot.damage.repeats]
    return found + [repr(float(value)) for value in numbers]


def _safe(text: str) -> str:
    """A name that is no formula to a spreadsheet."""
    return f"'{text}" if text.startswith(_FORMULA) else text
