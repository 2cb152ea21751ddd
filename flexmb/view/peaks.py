"""Largest values of a run with time and place: deflection, stress, reaction, drive effort, load.

Input: a result, and the body files of its model. Output: one `Peak` for every body, joint, motion and load, over all
rows of the result. Stress is that of von Mises on the surface, first order in the elastic coordinates.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from flexmb.analyses.stress.envelope import envelope_of
from flexmb.analyses.stress.field import StressField
from flexmb.model.schema.model_spec import ModelSpec
from flexmb.results.channel_columns import is_reaction
from flexmb.results.flexible_findings import flexible_bodies, flexible_findings
from flexmb.results.model_of_result import model_of
from flexmb.results.result_file import Result
from flexmb.system.mechanism import Mechanism
from flexmb.system.placement import place
from flexmb.view.stress.of_result import stress_field

QUANTITIES = ("deflection", "stress", "reaction force", "reaction moment", "drive effort", "load")


@dataclass(frozen=True)
class Peak:
    """The largest value of a quantity in a run."""

    quantity: str
    """One of `QUANTITIES`."""
    place: str
    """Key of the part concerned: "bodies.rod", "joints.pin", "motions.drive", "forces.spring"."""
    value: float
    """In `unit`; magnitude, of efforts and loads with their sign"""
    unit: str
    time: float
    """[s]"""
    at: str = ""
    """Place on a body."""

    def as_dict(self) -> dict[str, Any]:
        """The fields, for JSON and tables."""
        return asdict(self)


def peaks_of(result: Result, folder: str | os.PathLike[str] | None = None) -> tuple[Peak, ...]:
    """The peaks of a result in the order of `QUANTITIES`, of each quantity the largest first.

    folder : another folder to search for body files; raises InputError when one is missing
    """
    if not result.n_rows:
        return ()
    found = [*_channel_peaks(result)]
    if any(path.endswith("/elastic_position") for path in result.channels):
        spec = model_of(result, folder).spec
        found += _body_peaks(result, spec, place(spec))
    return tuple(sorted(found, key=lambda peak: (QUANTITIES.index(peak.quantity), -abs(peak.value))))


def _channel_peaks(result: Result) -> Iterator[Peak]:
    """Reactions, efforts of motions, and loads."""
    time, forces = result.time, result.settings.get("forces", {})
    for path, channel in result.channels.items():
        section, _, rest = path.partition("/")
        name, _, quantity = rest.rpartition("/")
        if is_reaction(path):
            values, kind = np.linalg.norm(result[path], axis=1), f"reaction {quantity}"
        elif section in ("motions", "forces") and quantity == "effort":
            is_drive = section == "motions" or forces.get(name, {}).get("type") == "actuator"
            values, kind = result[path], "drive effort" if is_drive else "load"
        else:
            continue
        sizes = np.nan_to_num(np.abs(values), nan=np.inf)
        row = int(np.argmax(sizes))
        yield Peak(kind, f"{section}.{name}", float(values[row]), channel.unit, float(time[row]))


def _body_peaks(result: Result, spec: ModelSpec, mechanism: Mechanism) -> Iterator[Peak]:
    """Deflection and stress of the flexible bodies."""
    time = result.time
    for name, finding in flexible_findings(mechanism, result).items():
        size, at = finding.deflection.size, finding.deflection.place
        yield Peak("deflection", f"bodies.{name}", size, "m", finding.time, at)
    for body in flexible_bodies(mechanism):
        field = stress_field(spec, mechanism, body)
        if field is not None:
            found = envelope_of(field, result, 0, len(time))
            point = int(np.argmax(found.von_mises))
            value, when = float(found.von_mises[point]), float(found.von_mises_time[point])
            yield Peak("stress", f"bodies.{body.name}", value, "Pa", when, _point_text(field, point))


def _point_text(field: StressField, point: int) -> str:
    """A node of a mesh, or the section of a beam."""
    if field.nodes is not None:
        return f"node {field.nodes[point]}"
    return f"x = {field.points[point][0]:.4g} m"
