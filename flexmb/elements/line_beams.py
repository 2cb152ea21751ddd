"""Frames of line cells: stiffness and mass of beams between the nodes of a mesh, six unknowns per node.

Input: a mesh with two- or three-node lines (a three-node cell is two beams that meet in its middle node), material and
section; beams may lie beside their nodes at the end of rigid arms, trusses have three unknowns per node. Every beam is
straight, exact under end loads in bending (`beam_elements`, with shear if the section has shear coefficients), linear
in stretch and twist: K_xx = E A/h [1, -1; -1, 1], twist likewise with G J. Mass is consistent.
Output: an `FEModel`: blocks 0 .. n-1 are displacements, the others the rotation vectors of the nodes.
Source: J. S. Przemieniecki, Theory of Matrix Structural Analysis (1968), chapters 5 (stiffness) and 11 (mass).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from flexmb.arrays import Flags, Floats, Integers
from flexmb.elements.beam_elements import BeamLine
from flexmb.elements.fe_model import FEModel
from flexmb.elements.line_sets import LineCells, directions_of, line_cells, values_of
from flexmb.elements.material import Material
from flexmb.elements.section import Section
from flexmb.errors import Fault, InputError
from flexmb.mesh.mesh import Cells, Mesh

_ALMOST_ALONG = 1e-3
"""Sine of the angle between y_axis and a beam below which round-off would decide the orientation of the section."""
_STRETCH, _TWIST = (0, 6), (3, 9)
_BEND_Y = ((1, 5, 7, 11), np.ones(4))
"""Unknowns of the x-y plane: v and its turn, which is the rotation about z"""
_BEND_Z = ((2, 4, 8, 10), np.array([1.0, -1.0, 1.0, -1.0]))
"""Unknowns of the x-z plane: w and its turn, which is minus the rotation about y"""


@dataclass(frozen=True)
class BeamData:
    """Data for geometric stiffness and stress of beams: one entry per beam."""

    nodes: Integers
    """(e, 2) nodes at the ends"""
    axes: Floats
    """(e, 3, 3) rows: x along the beam, y and z of the section"""
    materials: tuple[Material, ...]
    sections: tuple[Section, ...]
    shear: bool = True
    """Whether sections with shear coefficients have shear deformation"""
    rotary_inertia: bool = True
    offsets: Floats | None = None
    """(e, 2, 3) [m] from the nodes to the ends of the beams; None: none"""
    line_mass: Floats | None = None
    """(e,) [kg/m] mass beside that of the material; None: none"""
    trusses: Flags | None = None
    """(e,) which of them carry axial force alone; None: none"""

    @property
    def turning(self) -> Integers:
        """Nodes with rotations, sorted"""
        beams = self.nodes if self.trusses is None else self.nodes[~self.trusses]
        return np.unique(beams).astype(np.int64)

    def ends(self, points: Floats) -> Floats:
        """(e, 2, 3) ends of the beams [m]"""
        return points[self.nodes] if self.offsets is None else points[self.nodes] + self.offsets


def assemble_beams(
    mesh: Mesh,
    material: Material | Mapping[str, Material],
    section: Section | Mapping[str, Section],
    *,
    y_axis: ArrayLike | Mapping[str, ArrayLike] | None = None,
    shear: bool | None = None,
    rotary_inertia: bool = True,
) -> FEModel:
    """Stiffness and mass of the line cells of `mesh`.

    `material`, `section` and `y_axis` apply to all cells or are given by cell set; every cell must get exactly one.
    `y_axis` is the direction of the section's y axis, of which the part across the beam is used; (cells, 3) gives one
    per cell. None: the world axis most across all beams of the section. `shear`: None includes shear if the section has
    both shear coefficients, True requires them, False leaves it out (Euler-Bernoulli).
    """
    lines, faults = line_cells(mesh)
    materials, found = values_of(mesh, lines, material, "material", Material)
    faults += found
    sections, found = values_of(mesh, lines, section, "section", Section)
    faults += found + _unfit_sections(sections, shear)
    if faults:
        raise InputError(faults)
    wanted, faults = directions_of(mesh, lines, y_axis)
    faults += _zero_lengths(mesh, lines)
    if faults:
        raise InputError(faults)
    axes = beam_axes(mesh.points[lines.ends], lines, sections, wanted)
    data = BeamData(lines.ends, axes, tuple(materials), tuple(sections), shear is not False, rotary_inertia)
    return assemble_beam_data(mesh, data)


def can_be_halved(model: FEModel) -> bool:
    """Whether a model is a frame of beams alone: cutting a truss makes a mechanism"""
    beams: BeamData | None = model.beams
    return beams is not None and beams.trusses is None and model.elastic is None and model.shells is None


def halved(model: FEModel) -> FEModel:
    """The same beams, every one cut into two, to judge the discretisation; new nodes come after those of the frame."""
    data, n = model.beams, len(model.points)
    middle = n + np.arange(len(data.nodes))
    points = np.concatenate([model.points, data.ends(model.points).mean(axis=1)])
    pairs = [np.stack([data.nodes[:, 0], middle], axis=1), np.stack([middle, data.nodes[:, 1]], axis=1)]
    nodes, offsets = np.concatenate(pairs), None
    if data.offsets is not None:
        none = np.zeros_like(data.offsets[:, 0])
        starts, ends = data.offsets[:, 0], data.offsets[:, 1]
        offsets = np.concatenate([np.stack([starts, none], axis=1), np.stack([none, ends], axis=1)])
    line_mass = None if data.line_mass is None else np.tile(data.line_mass, 2)
    twice = (np.concatenate([data.axes] * 2), data.materials * 2, data.sections * 2)
    mesh = Mesh(points, (Cells("line2", nodes),))
    return assemble_beam_data(mesh, BeamData(nodes, *twice, data.shear, data.rotary_inertia, offsets, line_mass))


def _unfit_sections(sections: Sequence[Section | None], shear: bool | None) -> list[Fault]:
    given = [section for section in sections if section is not None]
    faults = []
    if any(section.J is None for section in given):
        text = "a frame of beams needs the torsion constant J of every section, and one is missing"
        faults.append(Fault(text, ("section",), "Give J [m^4]."))
    if shear and any(section.shear_y is None or section.shear_z is None for section in given):
        text = "shear deformation needs shear coefficients, and a section has none"
        faults.append(Fault(text, ("section",), "Give shear_y and shear_z, or leave shear out."))
    return faults


def _zero_lengths(mesh: Mesh, lines: LineCells) -> list[Fault]:
    ends = mesh.points[lines.ends]
    size = float(np.ptp(mesh.points, axis=0).max()) if len(mesh.points) else 0.0
    short = np.flatnonzero(np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1) <= 1e-12 * size)
    if short.size == 0:
        return []
    return [Fault(f"{short.size} line cells have no length, the first is {lines.name(int(short[0]))}", ("mesh",))]


def beam_axes(ends: Floats, lines: LineCells, sections: Sequence[Section], wanted: Floats) -> Floats:
    """(e, 3, 3) rows x, y, z of every beam; ends : (e, 2, 3); rows of `wanted` that are not numbers are chosen here."""
    along = ends[:, 1] - ends[:, 0]
    along /= np.linalg.norm(along, axis=1)[:, None]
    wanted = wanted.copy()
    which = np.array([id(section) for section in sections])
    for number, section in {id(section): section for section in sections}.items():
        members = (which == number) & np.isnan(wanted[:, 0])
        if members.any():
            wanted[members] = _most_across(along[members], _is_round(section))
    length = np.linalg.norm(wanted, axis=1)
    across = wanted - np.einsum("ei,ei->e", wanted, along)[:, None] * along
    size = np.linalg.norm(across, axis=1)
    wrong = np.flatnonzero(~(size > _ALMOST_ALONG * length))
    if wrong.size:
        text = (
            f"y_axis runs along {wrong.size} beams, the first is {lines.name(int(wrong[0]))}; it must point across them"
        )
        hint = "Give y_axis by cell set, or one direction per cell."
        raise InputError([Fault(text, ("y_axis",), hint)])
    side = across / size[:, None]
    return np.stack([along, side, np.cross(along, side)], axis=1)


def _is_round(section: Section) -> bool:
    return section.Iy == section.Iz and section.shear_y == section.shear_z


def _most_across(along: Floats, is_round: bool) -> Floats:
    """(e, 3) the world axis that is most across each beam when the section is round, else across all of them."""
    parts = np.round(np.abs(along), 9)  # so that round-off does not decide between equal axes
    choice = np.argmin(parts, axis=1) if is_round else np.full(len(along), np.argmin(parts.max(axis=0)))
    return np.eye(3)[choice]


def assemble_beam_data(mesh: Mesh, data: BeamData) -> FEModel:
    """Stiffness and mass of beams between the nodes of a mesh."""
    ends = data.ends(mesh.points)
    lengths = np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)
    made: dict[tuple[float, float, bool, int, int], tuple[Floats, Floats]] = {}
    pairs = []
    extra = np.zeros(len(lengths)) if data.line_mass is None else data.line_mass
    trusses = np.zeros(len(lengths), dtype=bool) if data.trusses is None else data.trusses
    for i, (h, material, section) in enumerate(zip(lengths, data.materials, data.sections, strict=True)):
        rounded = float(f"{h:.12e}")  # equal spacings differ in their last digits only
        key = (rounded, float(extra[i]), bool(trusses[i]), id(material), id(section))
        if key not in made:
            of_length = (rounded, material, section, float(extra[i]))
            made[key] = _truss(*of_length) if trusses[i] else _beam(*of_length, data.shear, data.rotary_inertia)
        pairs.append(made[key])
    n = len(mesh.points)
    rotations = data.turning
    # a truss has no rotations: its matrices are zero there
    turning = np.where(trusses[:, None], data.nodes, n + np.searchsorted(rotations, data.nodes))
    blocks = np.stack([data.nodes[:, 0], turning[:, 0], data.nodes[:, 1], turning[:, 1]], axis=1)
    K, M = (
        _scattered(np.stack([pair[i] for pair in pairs]), data.axes, data.offsets, blocks, n + len(rotations))
        for i in (0, 1)
    )
    return FEModel(mesh.points, K, M, rotations, mesh, beams=data)


def _truss(h: float, material: Material, section: Section, line_mass: float) -> tuple[Floats, Floats]:
    """(12, 12) stiffness and mass of a bar that carries axial force alone."""
    K, M = np.zeros((12, 12)), np.zeros((12, 12))
    pull = np.array([[1.0, -1.0], [-1.0, 1.0]]) / h
    K[np.ix_(_STRETCH, _STRETCH)] = material.E * section.A * pull
    for i in range(3):
        M[np.ix_((i, i + 6), (i, i + 6))] = _carried(h, material.density * section.A + line_mass)
    return K, M


def _carried(h: float, rhoA: float) -> Floats:
    return rhoA * np.array([[2.0, 1.0], [1.0, 2.0]]) * h / 6.0


def _beam(
    h: float, material: Material, section: Section, line_mass: float, shear: bool, rotary: bool
) -> tuple[Floats, Floats]:
    """(12, 12) stiffness and mass of one beam in its own axes: u, theta at the start, u, theta at the end."""
    K, M = np.zeros((12, 12)), np.zeros((12, 12))
    rho = material.density
    rhoA = rho * section.A + line_mass
    pull = np.array([[1.0, -1.0], [-1.0, 1.0]]) / h
    assert section.J is not None
    K[np.ix_(_STRETCH, _STRETCH)] = material.E * section.A * pull
    M[np.ix_(_STRETCH, _STRETCH)] = _carried(h, rhoA)
    K[np.ix_(_TWIST, _TWIST)] = material.G * section.J * pull
    M[np.ix_(_TWIST, _TWIST)] = _carried(h, rho * section.Ip)
    for (at, sign), I, k in ((_BEND_Y, section.Iz, section.shear_y), (_BEND_Z, section.Iy, section.shear_z)):
        GA = None if k is None or not shear else np.array([k * material.G * section.A])
        rhoI = np.array([rho * I if rotary else 0.0])
        line = BeamLine(np.array([0.0, h]), np.array([material.E * I]), GA, np.array([rhoA]), rhoI)
        stiffness, mass = line.matrices()
        K[np.ix_(at, at)] = stiffness * np.outer(sign, sign)
        M[np.ix_(at, at)] = mass * np.outer(sign, sign)
    return K, M


def _scattered(local: Floats, axes: Floats, offsets: Floats | None, blocks: Integers, n_blocks: int) -> Any:
    """(3 b, 3 b) BSR: sum of the beam matrices in world axes, T^T A T with the axes repeated four times in T.

    An end beside its node moves with it: u + theta x offset.
    """
    world = np.einsum("epi,eapbq,eqj->eaibj", axes, local.reshape(-1, 4, 3, 4, 3), axes, optimize=True)
    if offsets is not None:
        arms = np.zeros((len(blocks), 4, 3, 4, 3))
        arms[:, np.arange(4), :, np.arange(4)] = np.eye(3)
        for end in (0, 1):
            arms[:, 2 * end, :, 2 * end + 1] = np.cross(np.eye(3), offsets[:, end, None]).transpose(0, 2, 1)
        world = np.einsum("eaibj,eaicp,ebjdq->ecpdq", world, arms, arms, optimize=True)
    world = (world + world.transpose(0, 3, 4, 1, 2)) / 2.0
    unknowns = 3 * blocks[:, :, None] + np.arange(3)
    rows = np.broadcast_to(unknowns[:, :, :, None, None], world.shape)
    columns = np.broadcast_to(unknowns[:, None, None, :, :], world.shape)
    entries = (world.ravel(), (rows.ravel(), columns.ravel()))
    matrix = sparse.coo_matrix(entries, shape=(3 * n_blocks, 3 * n_blocks)).tocsr().tobsr(blocksize=(3, 3))
    matrix.sort_indices()
    return matrix
