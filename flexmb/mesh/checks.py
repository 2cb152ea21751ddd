"""Checks of a mesh: counts, volume, centre, inertia, quality, faults and warnings.

Volume and inertia (density 1) are exact by quadrature for straight and curved cells. Faults make stiffness or mass
wrong; warnings may be intended. All are counted and reported at once, with the first few places.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from flexmb.arrays import Flags, Floats, Integers
from flexmb.errors import Fault, InputError
from flexmb.mesh.length_units import LARGEST_COORDINATE
from flexmb.mesh.measure import Measures, measure
from flexmb.mesh.mesh import LINES, SOLIDS, SURFACES, Cells, Mesh
from flexmb.mesh.neighbours import coincident_points, connected_parts, duplicate_cells
from flexmb.mesh.raw import listed
from flexmb.mesh.straighten import folded_by_middles
from flexmb.mesh.surface import FACE_TRIANGLES, folded_faces
from flexmb.warning import WarningRecord

_STRAIGHTEN = "Straighten them (--straighten of flexmb reduce, key straighten = true), or refine the mesh there."
_FLAT = 1e-12
"""Ratio of volume to extent cubed below which a cell is flat"""
"""Beginning of a warning that does not concern the body"""
_POOR = 0.05
"""Scaled Jacobian below which a cell is poor"""


@dataclass(frozen=True)
class MeshReport:
    """Findings on a mesh; all in metres."""

    n_points: int
    cells: dict[str, int]
    """Cell type -> number of solid and line cells"""
    surfaces: dict[str, int]
    node_sets: dict[str, int]
    cell_sets: dict[str, int]
    low: Floats
    high: Floats
    """(3,) corners of the box around the points [m]"""
    volume: float = 0.0
    """[m^3]"""
    length: float = 0.0
    """Total length of line cells [m]"""
    centre: Floats = field(default_factory=lambda: np.zeros(3))
    """(3,) centre of the solid cells; without any, of the shell cells; without any, of the line cells [m]"""
    inertia: Floats = field(default_factory=lambda: np.zeros((3, 3)))
    """(3, 3) about the centre for density 1 [m^5], of shells [m^4], of lines [m^3]"""
    worst_quality: float = float("nan")
    worst_cell: str = ""
    """Place of the worst cell"""
    n_poor: int = 0
    parts: tuple[int, ...] = ()
    """Cells in each connected part, largest first"""
    faults: tuple[Fault, ...] = ()
    warnings: tuple[WarningRecord, ...] = ()
    area: float = 0.0
    """Area of the shell cells [m^2]"""


def check_mesh(mesh: Mesh) -> MeshReport:
    """Check a mesh without material."""
    faults, warnings = _number_faults(mesh), list[WarningRecord]()
    counts = _counts(mesh)
    finite = mesh.points[np.isfinite(mesh.points).all(axis=1)]
    low, high = (finite.min(axis=0), finite.max(axis=0)) if len(finite) else (np.zeros(3), np.zeros(3))
    if faults:
        return MeshReport(mesh.n_points, *counts, low, high, faults=tuple(faults))
    worst, place, n_poor = np.inf, "", 0
    volume, first, second = 0.0, np.zeros(3), np.zeros((3, 3))
    for block in mesh.cells:
        if block.kind in SOLIDS and len(block):
            found = measure(mesh.points, block.kind, block.nodes)
            volume, first, second = volume + float(found.volumes.sum()), first + found.first, second + found.second
            sound = _shape_faults(mesh, block, found, faults, warnings)
            n_poor += int((sound & (found.quality < _POOR)).sum())
            lowest = int(np.argmin(found.quality))
            if found.quality[lowest] < worst:
                worst, place = float(found.quality[lowest]), _where(mesh, block, lowest)
    length, line_first, line_second = _lines(mesh, faults)
    area, area_first, area_second = _areas(mesh, faults)
    thin = (area, area_first, area_second) if area else (length, line_first, line_second)
    mass, first, second = (volume, first, second) if volume else thin
    parts = connected_parts(mesh)
    _neighbour_findings(mesh, parts, faults, warnings)
    if n_poor:
        text = f"{n_poor} cells have a scaled Jacobian below {_POOR:g} (1 is regular, 0 flat); the worst is {place}."
        warnings.append(WarningRecord("poor-cells", text, place, None, worst, "1"))
    return MeshReport(
        mesh.n_points,
        *counts,
        low,
        high,
        volume,
        length,
        first / mass if mass else np.zeros(3),
        _inertia(mass, first, second),
        worst if np.isfinite(worst) else float("nan"),
        place,
        n_poor,
        parts,
        tuple(faults),
        tuple(warnings),
        area,
    )


def reject_bad(mesh: Mesh) -> MeshReport:
    """The report of a sound mesh; raises all faults otherwise."""
    report = check_mesh(mesh)
    if report.faults:
        raise InputError(report.faults)
    return report


def _counts(mesh: Mesh) -> tuple[dict[str, int], dict[str, int], dict[str, int], dict[str, int]]:
    cells: dict[str, int] = {}
    surfaces: dict[str, int] = {}
    for counts, blocks in ((cells, mesh.cells), (surfaces, mesh.surfaces)):
        for block in blocks:
            counts[block.kind] = counts.get(block.kind, 0) + len(block)
    node_sets = {name: len(nodes) for name, nodes in mesh.node_sets.items()}
    return cells, surfaces, node_sets, {name: sum(map(len, parts)) for name, parts in mesh.cell_sets.items()}


def _number_faults(mesh: Mesh) -> list[Fault]:
    """Faults that prevent any measurement."""
    faults = []
    place = (mesh.source,) if mesh.source else ()
    wrong = np.flatnonzero(~(np.abs(mesh.points) < LARGEST_COORDINATE).all(axis=1))
    if len(wrong):
        ids = wrong + 1 if mesh.point_ids is None else mesh.point_ids[wrong]
        text = f"{len(wrong)} points have coordinates that are not finite or beyond {LARGEST_COORDINATE:g} m"
        faults.append(Fault(f"{text} (points {listed(ids)}).", place))
    for block in (*mesh.cells, *mesh.surfaces):
        if len(block) and (block.nodes.min() < 0 or block.nodes.max() >= mesh.n_points):
            text = (
                f"{block.kind} cells use nodes {block.nodes.min()} .. {block.nodes.max()}; there are {mesh.n_points}."
            )
            faults.append(Fault(text, place))
    if not any(len(block) for block in mesh.cells):
        faults.append(Fault("the mesh has no solid, shell or line cells.", place))
    return faults


def _shape_faults(
    mesh: Mesh, block: Cells, found: Measures, faults: list[Fault], warnings: list[WarningRecord]
) -> Flags:
    """Report repeated nodes, flat, inverted and folded cells; returns which cells have none of these."""
    ordered = np.sort(block.nodes, axis=1)
    repeated = (ordered[:, 1:] == ordered[:, :-1]).any(axis=1)
    extent = _extents(mesh.points, block.nodes)
    flat = ~repeated & (np.abs(found.volumes) <= _FLAT * extent**3)
    marks = (found.inverted, found.folded, found.folded_at_node)
    inverted, folded, at_node = (mask & ~flat & ~repeated for mask in marks)
    mendable = folded_by_middles(mesh.points, block) if (folded | at_node).any() else folded
    findings = (
        (repeated, "use a node more than once", "Write collapsed cells as wedges or tetrahedra."),
        (flat, "are flat (no volume)", "Mesh again, or remove them."),
        (inverted, "are inside out (negative volume)", "Reverse the order of their nodes."),
        (folded & mendable, "are folded (the Jacobian changes sign inside)", _STRAIGHTEN),
        (folded & ~mendable, "are folded by their corners (the Jacobian changes sign inside)", "Mesh again there."),
    )
    for mask, text, hint in findings:
        if mask.any():
            faults.append(_fault(mesh, block, mask, text, hint))
    if at_node.any():
        count, places = int(at_node.sum()), _places(mesh, block, at_node)
        text = f"{count} {block.kind} cells are folded at a node, not inside ({places})."
        text += " --straighten gives them straight edges." if (at_node & mendable).any() else ""
        warnings.append(WarningRecord("folded-cells", text, places, None, float(count), "1"))
    return ~(repeated | flat | inverted | folded)


def _fault(mesh: Mesh, block: Cells, mask: Flags, text: str, hint: str) -> Fault:
    sentence = f"{int(mask.sum())} of {len(block)} {block.kind} cells {text}: {_places(mesh, block, mask)}."
    return Fault(sentence, (mesh.source,) if mesh.source else (), hint)


def _places(mesh: Mesh, block: Cells, mask: Flags, most: int = 3) -> str:
    chosen = np.flatnonzero(mask)
    more = ", ..." if len(chosen) > most else ""
    return ", ".join(_where(mesh, block, int(cell)) for cell in chosen[:most]) + more


def _where(mesh: Mesh, block: Cells, cell: int) -> str:
    """Text of a cell: its number in the file and its centre."""
    number = cell + 1 if block.ids is None else int(block.ids[cell])
    x = mesh.points[block.nodes[cell]].mean(axis=0)
    return f"cell {number} at ({x[0]:.4g}, {x[1]:.4g}, {x[2]:.4g}) m"


def _extents(points: Floats, nodes: Integers) -> Floats:
    """(n,) largest side of the box around every cell."""
    low = high = points[nodes[:, 0]]
    for column in nodes.T[1:]:
        x = points[column]
        low, high = np.minimum(low, x), np.maximum(high, x)
    return np.asarray((high - low).max(axis=1))


def _lines(mesh: Mesh, faults: list[Fault]) -> tuple[float, Floats, Floats]:
    """Length and moments of line cells, a line3 as two straight halves."""
    total, first, second = 0.0, np.zeros(3), np.zeros((3, 3))
    for block in mesh.cells:
        if block.kind not in LINES or not len(block):
            continue
        pairs = [(0, 1)] if block.kind == "line2" else [(0, 2), (2, 1)]
        for i, j in pairs:
            a, b = mesh.points[block.nodes[:, i]], mesh.points[block.nodes[:, j]]
            length = np.linalg.norm(b - a, axis=1)
            middle = (a + b) / 2.0
            total += float(length.sum())
            first += length @ middle
            second += (middle * length[:, None]).T @ middle + ((b - a) * length[:, None]).T @ (b - a) / 12.0
            if (length == 0.0).any():
                faults.append(_fault(mesh, block, length == 0.0, "have no length", "Remove them or merge nodes."))
    return total, first, second


def _areas(mesh: Mesh, faults: list[Fault]) -> tuple[float, Floats, Floats]:
    """Area and moments of shell cells, by flat triangles between their nodes."""
    total, first, second = 0.0, np.zeros(3), np.zeros((3, 3))
    for block in mesh.cells:
        if block.kind not in SURFACES or not len(block):
            continue
        ordered = np.sort(block.nodes, axis=1)
        repeated = (ordered[:, 1:] == ordered[:, :-1]).any(axis=1)
        if repeated.any():
            hint = "Write collapsed cells as triangles."
            faults.append(_fault(mesh, block, repeated, "use a node more than once", hint))
        areas = np.zeros(len(block))
        for triangle in FACE_TRIANGLES[block.nodes.shape[1]]:
            x = mesh.points[block.nodes[:, list(triangle)]]
            area = 0.5 * np.linalg.norm(np.cross(x[:, 1] - x[:, 0], x[:, 2] - x[:, 0]), axis=1)
            areas += area
            middles = 0.5 * (x + np.roll(x, -1, axis=1))
            first += area @ x.mean(axis=1)
            second += np.einsum("c,cmi,cmj->ij", area / 3.0, middles, middles)
        total += float(areas.sum())
        flat = ~repeated & (areas <= _FLAT * _extents(mesh.points, block.nodes) ** 2)
        if flat.any():
            faults.append(_fault(mesh, block, flat, "have no area", "Mesh again, or remove them."))
    return total, first, second


def _inertia(mass: float, first: Floats, second: Floats) -> Floats:
    """J = int (x.x 1 - x x') about the centre."""
    if not mass:
        return np.zeros((3, 3))
    central = second - np.outer(first, first) / mass
    return np.asarray(np.trace(central) * np.eye(3) - central)


def _neighbour_findings(mesh: Mesh, parts: tuple[int, ...], faults: list[Fault], warnings: list[WarningRecord]) -> None:
    for block in mesh.cells:
        copies = duplicate_cells(block)
        count = int(copies.sum())
        if count and block.kind not in SOLIDS and mesh.deck is not None and (mesh.deck.shells or mesh.deck.beams):
            text = f"{count} {block.kind} cells have the nodes of another one: their stiffness and mass add up."
            warnings.append(WarningRecord("layered-cells", text, mesh.source, None, float(count), "1"))
        elif count:
            faults.append(_fault(mesh, block, copies, "are duplicates", "Remove the copies."))
    near = coincident_points(mesh)
    if near:
        text = f"{near} points coincide with another point but are separate nodes: the cells there are not connected."
        text += " Merge the nodes in the mesher unless this is intended."
        warnings.append(WarningRecord("coincident-points", text, mesh.source, None, float(near), "1"))
    elif folded := folded_faces(mesh):
        text = f"{folded} faces lie on others without matching them, such as the crossed diagonals of two tetrahedra:"
        text += " the cells there are connected at their corners only. Mesh the body again as one part."
        warnings.append(WarningRecord("unmatched-faces", text, mesh.source, None, float(folded), "1"))
    if len(parts) > 1:
        sizes = ", ".join(str(size) for size in parts[:5]) + (", ..." if len(parts) > 5 else "")
        text = f"The mesh consists of {len(parts)} parts that share no nodes ({sizes} cells)."
        text += " Each can move on its own unless an interface connects them."
        warnings.append(WarningRecord("separate-parts", text, mesh.source, None, float(len(parts)), "1"))
    empty = [name for name, nodes in mesh.node_sets.items() if not len(nodes)]
    if empty:
        text = f"Empty sets: {', '.join(empty)}."
        warnings.append(WarningRecord("empty-sets", text, ", ".join(empty), None, float(len(empty)), "1"))
