"""Modes of the flexible bodies, each alone in its frame: frequencies, damping, type, and small animated surfaces."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from flexmb.arrays import Floats
from flexmb.bodies.flexible_body import FlexibleBody
from flexmb.bodies.flexible_properties import modal_data
from flexmb.view.flexible_parts import Covered
from flexmb.view.report.array_pool import ArrayPool
from flexmb.view.report.coarse import coarse_surface

MOST_MODES = 12
_SWING = 0.1
"""Largest displacement of a drawn mode, as a part of the length of the body."""
_TURN = 1.0
"""Largest relative change of an edge of a drawn mode, so that a slender body in torsion is not blown up."""
_SMALL = 1e-6
"""Elastic coordinates at which shapes are evaluated, as a part of the length: the field is linear there."""
_CELLS = (40, 30, 22, 16, 12, 8)
"""Numbers of cells along a body that are tried until there are few enough triangles."""
_MOST_TRIANGLES = 600
_BEAM_KINDS = {"y": "bending in y", "z": "bending in z", "u": "stretch", "t": "twist"}


@dataclass(frozen=True)
class ModeTable:
    """Modes of one or several equal bodies."""

    names: tuple[str, ...]
    hertz: Floats
    """(n,) of all modes"""
    ratios: Floats
    """(n,) damping"""
    kinds: tuple[str, ...]
    """(n,) dominant coordinate of each mode"""
    points: Floats
    """(s, 3) of a coarse surface [m]"""
    triangles: np.ndarray
    shapes: Floats
    """(m, s, 3) of the first modes, in drawn size [m]"""

    @property
    def n_shown(self) -> int:
        """Modes that are drawn."""
        return len(self.shapes)

    def drawing(self, pool: ArrayPool) -> dict[str, Any]:
        """Data for the script."""
        order = np.argsort(-(self.points.max(axis=0) - self.points.min(axis=0)), kind="stable")
        if np.linalg.det(np.eye(3)[order]) < 0.0:  # keep the normals outwards
            order[1:] = order[:0:-1]
        return {
            "points": pool.add(self.points[:, order]),
            "triangles": pool.add(self.triangles),
            "shapes": [pool.add(shape[:, order]) for shape in self.shapes],
        }


def mode_tables(bodies: list[Covered]) -> list[ModeTable]:
    """Tables of modes; bodies with equal modes share one."""
    tables: dict[tuple[Any, ...], ModeTable] = {}
    for covered in bodies:
        body = covered.body
        omega, modes, ratios = modal_data(body)
        hertz = omega / (2.0 * np.pi)
        key = (body.labels, tuple(f"{value:.6g}" for value in [*hertz, *ratios, body.length]))
        if key in tables:
            old = tables[key]
            tables[key] = ModeTable((*old.names, body.name), *(getattr(old, name) for name in _REST))
            continue
        points, triangles, shapes = _swings(covered, modes[:, :MOST_MODES])
        kinds = tuple(_kind(body, modes[:, k]) for k in range(len(hertz)))
        tables[key] = ModeTable((body.name,), hertz, ratios, kinds, points, triangles, shapes)
    return list(tables.values())


_REST = ("hertz", "ratios", "kinds", "points", "triangles", "shapes")


def _kind(body: FlexibleBody, mode: Floats) -> str:
    """The dominant coordinate of a mode: the one with most of its strain energy."""
    share = mode**2 * np.diag(body.stiffness)
    largest = int(np.argmax(share))
    label = body.labels[largest]
    if body.basis is not None:
        return _BEAM_KINDS.get(body.basis.shapes[largest].component, label)
    if body.reduced is not None:
        coordinate = body.reduced.coordinates[largest]
        at = f", {coordinate.interface}" if coordinate.interface else ""
        return f"{coordinate.kind}{at} ({label})"
    return label


def _swings(covered: Covered, modes: Floats) -> tuple[Floats, np.ndarray, Floats]:
    """A coarse surface and its displacement in every mode."""
    points = covered.skin.points
    for cells in _CELLS:
        kept, triangles = coarse_surface(points, covered.triangles, cells)
        if len(triangles) <= _MOST_TRIANGLES:
            break
    length = float(covered.body.length)
    small = modes.T * (_SMALL * length / np.abs(modes).max(axis=0))[:, None]
    moved = covered.skin.displacements(small, kept) - covered.skin.displacements(0.0 * small[:1], kept)
    sizes = np.linalg.norm(moved, axis=2).max(axis=1)
    factors = np.divide(_SWING * length, sizes, out=np.zeros_like(sizes), where=sizes > 0.0)
    a, b = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]]).T
    edges = np.linalg.norm(points[kept[b]] - points[kept[a]], axis=1)
    turned = (np.linalg.norm(moved[:, b] - moved[:, a], axis=2) / np.where(edges > 0.0, edges, np.inf)).max(axis=1)
    factors = np.minimum(factors, np.divide(_TURN, turned, out=factors.copy(), where=turned > 0.0))
    return points[kept], triangles, moved * factors[:, None, None]
