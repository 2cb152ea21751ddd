"""Data of a deck beside its cells: materials, properties, point masses, springs, ties, supports, coordinate systems.

A reader fills a `Deck` in the units of its file, with indices of the raw list of points and cells; `deck_build.py`
renumbers it and scales it to SI. Nodes count through `Mesh.points` and then through `Deck.points`, the points that only
the deck uses (reference nodes). Components of motion are digits: 1 to 3 translations, 4 to 6 rotations. Rows of axes
are unit vectors in the basic system.

`USED` lists what the assembly uses. Data of other kinds stay a `Loss` of the import.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from flexmb.arrays import Floats, Integers

KINDS = ("materials", "shells", "beams", "masses", "springs", "ties", "supports")
USED: frozenset[str] = frozenset({"materials", "shells", "beams", "masses", "springs", "ties"})
"""Kinds of deck data that the assembly uses; supports are used on request"""

Vector = tuple[float, float, float]
Matrix = tuple[tuple[float, ...], ...]
CellNumbers = dict[int, Integers]
"""Number of the block of `Mesh.cells` -> numbers of cells in it. Empty: none of the cells is in the mesh"""
ZERO: Vector = (0.0, 0.0, 0.0)
BASIC: Matrix = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
ALONG_CELL = "cell"
"""Name of the system of a cell: x along its first edge, z along its normal"""
GROUND = -1


@dataclass(frozen=True)
class Isotropic:
    """E [Pa], G [Pa], density [kg/m^3]; zero: not given."""

    E: float
    nu: float
    G: float
    density: float


@dataclass(frozen=True)
class Lamina:
    """An orthotropic layer in plane stress [Pa, kg/m^3]; G1z, G2z of zero: not given."""

    E1: float
    E2: float
    nu12: float
    G12: float
    G1z: float
    G2z: float
    density: float


@dataclass(frozen=True)
class PlaneAnisotropic:
    """Stress (xx, yy, xy) from strain by a (3, 3) matrix [Pa], and density [kg/m^3]."""

    stiffness: Matrix
    density: float


@dataclass(frozen=True)
class Anisotropic:
    """Stress from strain by a (6, 6) matrix [Pa], components in the order xx, yy, zz, xy, yz, zx; density [kg/m^3]."""

    stiffness: Matrix
    density: float


DeckMaterial = Isotropic | Lamina | PlaneAnisotropic | Anisotropic


@dataclass(frozen=True)
class Frame:
    """A coordinate system of a deck."""

    form: str
    """R (x, y, z), C (radius, angle, z) or S (radius, angle from z, angle about z)"""
    origin: Vector
    axes: Matrix

    def axes_at(self, x: Floats) -> Floats:
        """(3, 3) unit vectors of the system at a point (3,) of the basic system, one per row."""
        axes = np.array(self.axes)
        if self.form == "R":
            return axes
        local = axes @ (np.asarray(x) - np.array(self.origin))
        angle = np.arctan2(local[1], local[0])
        c, s = np.cos(angle), np.sin(angle)
        if self.form == "C":
            return np.asarray(np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]]) @ axes)
        polar = np.arctan2(np.hypot(local[0], local[1]), local[2])
        cp, sp = np.cos(polar), np.sin(polar)
        return np.asarray(np.array([[sp * c, sp * s, cp], [cp * c, cp * s, -sp], [-s, c, 0.0]]) @ axes)


@dataclass(frozen=True)
class Layer:
    """A layer of a laminate: thickness [m], angle [rad] of its direction 1 from the x axis of the property."""

    material: str
    thickness: float
    angle: float


@dataclass(frozen=True)
class ShellProperty:
    """Shells of one property and direction."""

    name: str
    """Name of the property's set"""
    cells: CellNumbers
    material: str
    """Material of the membrane; empty for a laminate"""
    thickness: float
    """[m] of all layers"""
    offset: float = 0.0
    """[m] from the nodes to the middle surface, along the normal of the cell"""
    layers: tuple[Layer, ...] = ()
    """From the lower face (normal down) to the upper one; empty: one material"""
    frame: str = ""
    """System whose x axis, projected on the shell and turned by `angle`, is direction 1: "" basic, or ALONG_CELL"""
    angle: float = 0.0
    """[rad] about the normal"""
    corners: tuple[float, ...] = ()
    """[m] thickness at the corners of every cell; empty: uniform"""
    nsm: float = 0.0
    """[kg/m^2] mass beside that of the material"""
    bending: str | None = None
    """Material of bending; None: as of the membrane; empty: no bending stiffness"""
    bending_ratio: float = 1.0
    """I/(t^3/12)"""
    shear_ratio: float = 5.0 / 6.0
    """Shear thickness/t"""


@dataclass(frozen=True)
class BeamProperty:
    """Bars of one property, direction and offset. Iz = int y^2 dA, Iy = int z^2 dA as in `elements/section.py`."""

    name: str
    cells: CellNumbers
    material: str
    A: float = 0.0
    """[m^2]; zero if `shape` is given"""
    Iy: float = 0.0
    """[m^4]"""
    Iz: float = 0.0
    Iyz: float = 0.0
    """int y z dA [m^4]"""
    J: float = 0.0
    """Torsion constant [m^4]"""
    shear_y: float = 0.0
    """Shear area/A for forces along y; zero: no shear deformation"""
    shear_z: float = 0.0
    shape: str = ""
    """circle, tube, rectangle, box, i, t, l, channel; empty: given by numbers"""
    dimensions: tuple[float, ...] = ()
    """[m] of the shape: see `elements/deck_sections.py`"""
    nsm: float = 0.0
    """[kg/m] mass beside that of the material"""
    direction: Vector | None = None
    """The y axis of the section lies in the plane of the beam's axis and this vector; None: not given"""
    offsets: tuple[Vector, Vector] = (ZERO, ZERO)
    """[m] from the nodes to the ends of the beam"""
    releases: tuple[str, str] = ("", "")
    """Components at both ends that carry no force, in the axes of the beam"""
    is_truss: bool = False
    """Whether the bars carry only axial force and torsion"""


@dataclass(frozen=True)
class SolidProperty:
    """Solid cells of one material."""

    name: str
    cells: CellNumbers
    material: str
    frame: str = ""
    """System of the material's axes: "" basic, or ALONG_CELL"""


@dataclass(frozen=True)
class PointMass:
    """A rigid mass at a node."""

    node: int
    mass: float
    """[kg]"""
    offset: Vector = ZERO
    """[m] from the node to its centre"""
    inertia: Matrix = ((0.0,) * 3,) * 3
    """[kg m^2] tensor about its centre, basic axes"""


@dataclass(frozen=True)
class Spring:
    """Six springs between two nodes that act at one point."""

    nodes: tuple[int, int]
    """The second may be GROUND"""
    stiffness: tuple[float, ...]
    """(6,) [N/m, N m/rad] along and about `axes`"""
    axes: Matrix = BASIC
    point: Vector = ZERO
    """[m] where the springs act; both nodes reach it by rigid arms"""


@dataclass(frozen=True)
class ScalarSpring:
    """A spring between a component of one node and one of another, in the systems of the nodes."""

    nodes: tuple[int, int]
    components: tuple[int, int]
    """1 to 6; 0 at GROUND"""
    stiffness: float
    """[N/m, N m/rad]"""


@dataclass(frozen=True)
class RigidTie:
    """RBE2: components of the dependent nodes follow the node as a rigid body."""

    name: str
    node: int
    nodes: Integers
    components: str = "123456"


@dataclass(frozen=True)
class AveragedTie:
    """RBE3: components of the node follow the weighted mean of the others."""

    name: str
    node: int
    components: str
    nodes: Integers
    weights: Floats
    node_components: str = "123"


@dataclass(frozen=True)
class Equation:
    """Sum of coefficient times component of node = 0; the first one depends on the others."""

    name: str
    terms: tuple[tuple[int, int, float], ...]
    """Node, component, coefficient [1; m for a rotation]"""


@dataclass(frozen=True)
class SurfaceTie:
    """*TIE: nodes follow the nearest points of faces."""

    name: str
    nodes: Integers
    faces: tuple[Integers, ...]
    """(n, k) nodes of the faces of the main surface, by their number of nodes"""
    tolerance: float | None = None
    """[m] nodes further away are free; None: decided by the assembly"""


Tie = RigidTie | AveragedTie | Equation | SurfaceTie


@dataclass(frozen=True)
class Support:
    """Nodes whose components are held, in the systems of the nodes."""

    name: str
    nodes: Integers
    components: str
    value: float = 0.0
    """[m, rad] prescribed displacement"""


@dataclass(frozen=True)
class UnitSystem:
    """Units of a deck."""

    name: str
    length: float
    """[m]"""
    mass: float
    """[kg]"""
    force: float
    """[N]"""


SI = UnitSystem("kg, m, N", 1.0, 1.0, 1.0)


@dataclass(frozen=True)
class Deck:
    """All that a deck says beside points, cells and sets."""

    materials: dict[str, DeckMaterial] = field(default_factory=dict)
    frames: dict[str, Frame] = field(default_factory=dict)
    shells: tuple[ShellProperty, ...] = ()
    beams: tuple[BeamProperty, ...] = ()
    solids: tuple[SolidProperty, ...] = ()
    masses: tuple[PointMass, ...] = ()
    springs: tuple[Spring | ScalarSpring, ...] = ()
    ties: tuple[Tie, ...] = ()
    supports: tuple[Support, ...] = ()
    node_frames: dict[str, Integers] = field(default_factory=dict)
    """System -> nodes whose components of motion are in it: supports, equations, scalar springs, ties"""
    points: Floats = field(default_factory=lambda: np.zeros((0, 3)))
    """(k, 3) [m] nodes after those of the mesh: only the deck uses them"""
    point_ids: Integers = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """(k,) their numbers in the file"""
    mass_factor: float = 1.0
    """Factor of all masses of the file (Nastran's WTMASS); 1 after scaling"""
    units: UnitSystem = SI
    """Units of the file"""

    @property
    def is_empty(self) -> bool:
        """Whether the file has none of this."""
        return not any(getattr(self, name) for name in ("materials", "shells", "beams", "solids", *KINDS[3:], "frames"))


def deck_links(deck: Deck | None) -> Iterator[Integers]:
    """Nodes that one mass, spring or tie connects, each in turn; a tied surface with the nodes of its faces."""
    if deck is None:
        return
    for entry in (*deck.masses, *deck.springs, *deck.ties):
        if isinstance(entry, PointMass):
            yield np.array([entry.node])
        elif isinstance(entry, (Spring, ScalarSpring)):
            yield np.array([node for node in entry.nodes if node != GROUND])
        elif isinstance(entry, Equation):
            yield np.array([node for node, _, _ in entry.terms])
        elif isinstance(entry, SurfaceTie):
            yield np.concatenate([entry.nodes, *(faces.ravel() for faces in entry.faces)])
        else:
            yield np.concatenate([[entry.node], entry.nodes])


def deck_nodes(deck: Deck | None) -> Integers:
    """Nodes that masses, springs and ties use."""
    return np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *deck_links(deck)]))


def deck_summary(deck: Deck) -> Iterator[tuple[str, str]]:
    """Contents of a deck, by kind: ("shells", "2 properties: pid_1 (t = 0.01 m), ..."); for reports."""
    if deck.materials:
        names = [f"{name} ({_material_text(material)})" for name, material in deck.materials.items()]
        yield "materials", _listed(names)
    for word, properties in (("solids", deck.solids), ("shells", deck.shells), ("beams", deck.beams)):
        if properties:
            yield word, _listed(list(dict.fromkeys(_property_text(entry) for entry in properties)))
    if deck.masses:
        yield "masses", f"{len(deck.masses)}, {sum(entry.mass for entry in deck.masses):.6g} kg in total"
    if deck.springs:
        yield "springs", f"{len(deck.springs)}"
    if deck.ties:
        words = {RigidTie: "rigid", AveragedTie: "averaged", Equation: "equations", SurfaceTie: "tied surfaces"}
        counts = {word: sum(type(tie) is kind for tie in deck.ties) for kind, word in words.items()}
        yield "ties", ", ".join(f"{count} {word}" for word, count in counts.items() if count)
    if deck.supports:
        held = (f"{entry.name} ({len(entry.nodes)} nodes, {entry.components})" for entry in deck.supports)
        yield "supports", _listed(list(held))
    if deck.frames:
        yield "systems", _listed(list(deck.frames))
    yield "units", deck.units.name


def _material_text(material: DeckMaterial) -> str:
    if isinstance(material, Isotropic):
        return f"E = {material.E:.4g} Pa, nu = {material.nu:.4g}, {material.density:.4g} kg/m^3"
    if isinstance(material, Lamina):
        return f"E1 = {material.E1:.4g} Pa, E2 = {material.E2:.4g} Pa, {material.density:.4g} kg/m^3"
    return f"anisotropic, {material.density:.4g} kg/m^3"


def _property_text(entry: ShellProperty | BeamProperty | SolidProperty) -> str:
    if isinstance(entry, ShellProperty):
        layers = f", {len(entry.layers)} layers" if entry.layers else ""
        return f"{entry.name} (t = {entry.thickness:.6g} m{layers})"
    if isinstance(entry, BeamProperty):
        return f"{entry.name} ({entry.shape or f'A = {entry.A:.6g} m^2'})"
    return f"{entry.name} ({entry.material})"


def _listed(names: list[str], most: int = 6) -> str:
    more = f", and {len(names) - most} more" if len(names) > most else ""
    return f"{', '.join(names[:most])}{more}"
