"""A body reduced from a finite element model: the contents of a body file.

Everything is in body axes, which are the axes of the mesh, with its origin. Elastic coordinates are in metres: every
shape is scaled to a largest displacement of 1.
Numbers are SI; elastic coordinates are in m (torsion: rad).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from flexmb.arrays import Floats, Integers
from flexmb.bodies.invariants import Invariants
from flexmb.bodies.load_shape import LoadShape
from flexmb.bodies.marker_shapes import MarkerShapes
from flexmb.bodies.point_field import PointField
from flexmb.warning import WarningRecord, warning_from


@dataclass(frozen=True)
class Coordinate:
    """One elastic coordinate."""

    label: str
    kind: str
    """One of COORDINATE_KINDS of `body_layout`: what it mostly consists of"""
    frequency: float
    """[Hz] of this coordinate alone in mean axes"""
    interface: str = ""
    """The interface that it mostly belongs to; empty: none"""


@dataclass(frozen=True)
class BodyMarker:
    """A marker of the body file: an interface, or a follower."""

    name: str
    kind: str
    """One of "rbe2", "rbe3", "follower" (averaged, without modes of its own)"""
    p_b: Floats
    """(3,) [m]"""
    shapes: MarkerShapes
    nodes: Integers
    """(k,) numbers of the nodes it is tied to"""


@dataclass(frozen=True)
class Surface:
    """The outer surface of the mesh, for pictures and stress; s nodes, n coordinates."""

    points: Floats
    """(s, 3) [m]"""
    triangles: Integers
    """(t, 3) numbers into `points`, normals outwards"""
    nodes: Integers
    """(s,) their node numbers in the mesh"""
    Phi: Floats
    """(s, n, 3) displacement per unit coordinate"""
    G: NDArray[np.float32] | None = None
    """(s, n (n + 1)/2, 3) second derivatives, pairs (k, l <= k) row by row of the lower triangle; None: linear field"""
    stress: Floats | None = None
    """(s, n, 6) stress xx, yy, zz, xy, yz, zx per unit coordinate [Pa/m]; None: not stored"""
    mesh_error: Floats | None = None
    """(s,) share of the strain energy by which the mesh is wrong near a node (`elements/discretisation`); None: not
    estimated"""


@dataclass(frozen=True)
class ReducedBody:
    """A flexible body by its modal data; n elastic coordinates."""

    name: str
    invariants: Invariants
    """Order 2 (with N3), 1, or 0 for a linear field"""
    points: PointField | None
    """The same field by mass points, not truncated; None for linear fields and orders 1 and 2"""
    stiffness: Floats
    """(n, n) of the elastic coordinates [N/m]"""
    damping: Floats
    """(n, n) [N*s/m]"""
    coordinates: tuple[Coordinate, ...]
    markers: tuple[BodyMarker, ...]
    frame: str
    """One of "mean", "chord" or "clamped NAME": the attachment of the body axes"""
    length: float
    """Size of the body [m]: largest extent of its nodes"""
    surface: Surface | None
    report: dict[str, Any] = field(default_factory=dict)
    """Findings of `bodies/body_checks.py`: numbers, strings and lists of them (plain data, as in JSON)"""
    provenance: dict[str, str] = field(default_factory=dict)
    """Mesh file and its hash, material, options, versions"""
    left_out: Floats | None = None
    """(6 i, 6 i) motion of the i interfaces under forces and moments on them, x y z each, that the coordinates leave
    out [m/N]; None: not known"""
    loads: tuple[LoadShape, ...] = ()
    """Loads on its mesh that a model can apply"""
    prestress: str = ""
    """State of stress about which it is linearised; empty: none. Its stiffness need not be positive then"""

    def load(self, name: str) -> LoadShape:
        """The load shape of this name."""
        return next(shape for shape in self.loads if shape.name == name)

    @property
    def n_modes(self) -> int:
        """Number of elastic coordinates."""
        return len(self.coordinates)

    @property
    def warnings(self) -> tuple[WarningRecord, ...]:
        """Warnings of its report; of older files the reasons of their verdict."""
        try:
            if "warnings" in self.report:
                return tuple(warning_from(entry) for entry in self.report["warnings"])
            reasons = [str(text) for text in self.report["verdict"]["reasons"]]
            return tuple(WarningRecord("body-verdict", text, f"bodies.{self.name}") for text in reasons)
        except (TypeError, KeyError, ValueError):  # the report of a file is not trusted
            return ()

    @property
    def order(self) -> Any:
        """One of "full", 2, 1, 0."""
        return "full" if self.points is not None else self.invariants.order
