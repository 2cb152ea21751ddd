"""A finite element mesh: points, cells and named sets of them.

Node numbers count from 0 in the order of `points`; the order of nodes in a cell is that of VTK. Coordinates are in
metres, whatever the unit of the file was.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from flexmb.arrays import Floats, Integers
from flexmb.mesh.deck import Deck
from flexmb.mesh.losses import Loss

SOLIDS = {"tet4": 4, "tet10": 10, "hex8": 8, "hex20": 20, "hex27": 27, "wedge6": 6, "wedge15": 15}
SOLIDS |= {"pyramid5": 5, "pyramid13": 13}
"""Types of solid cells that have stiffness and mass, with their number of nodes."""
LINES = {"line2": 2, "line3": 3}
"""Types of line cells: beams."""
SURFACES = {"tri3": 3, "tri6": 6, "quad4": 4, "quad8": 8, "quad9": 9}
"""Types of surface cells: shells, or marks on the surface of solids that carry no stiffness."""


@dataclass(frozen=True)
class Cells:
    """Cells of one type."""

    kind: str
    """One of SOLIDS, LINES, SURFACES"""
    nodes: Integers
    """(n, k) node numbers, nodes of a cell in VTK order"""
    ids: Integers | None = None
    """(n,) numbers of the cells in their file, for messages; None: unknown"""

    def __len__(self) -> int:
        return len(self.nodes)


@dataclass(frozen=True)
class Mesh:
    """A mesh in metres, checked and ready for elements."""

    points: Floats
    """(n, 3) [m]"""
    cells: tuple[Cells, ...]
    """Solid, line and shell cells, one block per type and piece"""
    surfaces: tuple[Cells, ...] = ()
    """Surface cells of the file that only mark surfaces"""
    node_sets: dict[str, Integers] = field(default_factory=dict)
    """Name -> node numbers, sorted: node sets of the file, and the nodes of its surface, line and cell sets"""
    cell_sets: dict[str, tuple[Integers, ...]] = field(default_factory=dict)
    """Name -> numbers of cells in each block of `cells`: where materials are assigned"""
    name: str = ""
    source: str = ""
    """Path of the file; empty for a mesh made in Python"""
    unit: str = "m"
    """Unit of length of the file"""
    notes: tuple[str, ...] = ()
    """Repairs, omissions and guesses when the file was read, one sentence each"""
    point_ids: Integers | None = None
    """(n,) numbers of the points in their file; None: counted from 1"""
    losses: tuple[Loss, ...] = ()
    """Parts of the file that the mesh does not have, worst first"""
    elements: dict[str, int] = field(default_factory=dict)
    """Element type of the file -> number of solid and line cells of it; empty: the file has only cells"""
    unit_guessed: bool = False
    """Whether `unit` was neither given nor in the file"""
    deck: Deck | None = None
    """Data of the file beside points, cells and sets; None: it has none"""

    @property
    def n_points(self) -> int:
        """Number of points."""
        return len(self.points)
