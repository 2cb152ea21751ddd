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

from flexmb.arrays import Floats
from flexmb.model.schema.model_spec import ModelSpec
from flexmb.results.channel_columns import is_reaction
from flexmb.results.flexible_findings import flexible_bodies, flexible_findings
from flexmb.results.model_of_result import model_of
from flexmb.results.result_file import Result
from flexmb.system.mechanism import Mechanism
from flexmb.system.placement import place
from flexmb.view.flexible_parts import Covered
from flexmb.view.scene_of_result import covered

QUANTITIES = ("deflection", "stress", "reaction force", "reaction moment", "drive effort", "load")
_FEW = 200
_NUMBERS = 2**22
"""Stresses computed at once."""
_TO_VON_MISES = np.zeros((6, 6))
_TO_VON_MISES[:3, :3] = np.array([[1.0, -1.0, 0.0], [0.0, 1.0, -1.0], [-1.0, 0.0, 1.0]]) / np.sqrt(2.0)
_TO_VON_MISES[3:, 3:] = np.sqrt(3.0) * np.eye(3)
"""The length of this matrix times the stress (xx, yy, zz, xy, yz, zx) is the stress of von Mises."""


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
        surface = covered(spec, mechanism, mechanism.body_index[body.name])
        if surface.stress is None or not surface.stress.size:
            continue
        amplitudes = surface.stress_amplitudes(lambda path: np.asarray(result[path]))
        stress, row, point = largest_stress(np.asarray(surface.stress, float), amplitudes)
        yield Peak("stress", f"bodies.{body.name}", stress, "Pa", float(time[row]), _point_text(surface, point))


def _point_text(surface: Covered, point: int) -> str:
    """A node of a mesh, or the section of a beam."""
    if surface.nodes is not None:
        return f"node {surface.nodes[point]}"
    return f"x = {surface.skin.points[point][0]:.4g} m"


def largest_stress(stress: Floats, q: Floats) -> tuple[float, int, int]:
    """Largest stress of von Mises [Pa], its row and its point.

    stress : (s, n, 6) of the points per unit of the coordinates q : (rows, n). Points and rows whose stress cannot
    exceed that of a few points are left out: |sum_k q_k sigma_k| <= sum_k |q_k| |sigma_k|.
    """
    shapes = stress @ _TO_VON_MISES.T
    sizes = np.linalg.norm(shapes, axis=2)
    few = np.unique(np.linspace(0, len(shapes) - 1, _FEW).astype(np.int64))
    best = _largest(shapes, q, few, np.arange(len(q)))
    points = np.flatnonzero(sizes @ np.abs(q).max(axis=0) > best[0])
    if not len(points):
        return best
    rows = np.flatnonzero(np.abs(q) @ sizes[points].max(axis=0) > best[0])
    return max(best, _largest(shapes, q, points, rows), key=lambda found: found[0])


def _largest(shapes: Floats, q: Floats, points: np.ndarray, rows: np.ndarray) -> tuple[float, int, int]:
    best = (0.0, 0, 0)
    width = max(1, _NUMBERS // (6 * max(1, len(rows))))
    for first in range(0, len(points), width):
        some = points[first : first + width]
        flat = shapes[some].transpose(1, 0, 2).reshape(shapes.shape[1], -1)
        height = max(1, _NUMBERS // flat.shape[1])
        for start in range(0, len(rows), height):
            chosen = rows[start : start + height]
            values = np.linalg.norm((q[chosen] @ flat).reshape(len(chosen), len(some), 6), axis=2)
            row, point = np.unravel_index(int(np.argmax(values)), values.shape)
            if values[row, point] > best[0]:
                best = (float(values[row, point]), int(chosen[row]), int(some[point]))
    return best
