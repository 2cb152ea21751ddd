"""Loads on the nodes of a model, from requests, and their load shapes for the coordinates of its body.

Enter: a model, its mesh and `LoadRequest`s. Leave: nodal forces for static shapes of the reduction (`NodalLoad`), and
`LoadShape`s, integrated while the second-order field of the body is made (`LoadIntegrals`). A force on nodes is shared
by their area, as in an averaged tie.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from flexmb.arrays import Floats, Integers
from flexmb.axes import AXES
from flexmb.bodies.load_shape import LoadShape
from flexmb.elements.fe_model import FEModel
from flexmb.elements.material import Material
from flexmb.elements.riders import Riders
from flexmb.elements.solid.elasticity import Elasticity
from flexmb.elements.solid.thermal import HeatedCells
from flexmb.elements.surface_pressure import PressedFaces, pressed_faces
from flexmb.errors import Fault, InputError
from flexmb.mesh.mesh import SOLIDS, Mesh
from flexmb.mesh.select import select_nodes
from flexmb.mesh.shares import node_shares, node_triangles
from flexmb.reduction.load_words import ALL, LoadPart, LoadRequest
from flexmb.reduction.small_motions import full_pairs
from flexmb.suggestions import did_you_mean

_ROUND_OFF = 1e-13
"""Part of the sum of the sizes of forces below which their resultant is shown as zero"""


@dataclass(frozen=True)
class NodalLoad:
    """A load of value 1 on a model: forces at p nodes that turn with the body, or temperatures of its cells."""

    request: LoadRequest
    unknowns: Floats
    """(3 b,) forces of all unknowns [N per unit]"""
    nodes: Integers
    """(p,) nodes with forces"""
    forces: Floats
    """(p, 3) [N per unit]"""
    pressed: tuple[PressedFaces, ...] = ()
    heated: tuple[HeatedCells, ...] = ()

    def turned(self, Phi: Floats) -> Floats:
        """(p, m, 3) derivatives of the forces along displacements Phi : (p, m, 3) of the nodes [N/m per unit]"""
        turned = np.zeros_like(Phi)
        for faces in self.pressed:
            own = np.searchsorted(self.nodes, faces.nodes)
            turned[own] += faces.turned(Phi[own])
        return turned

    def heated_forces(self, Phi: Floats) -> Floats:
        """(3 b, m) derivatives of the forces of temperatures along Phi : (3 b, m) [N/m per unit]"""
        found = np.zeros_like(Phi)
        for cells in self.heated:
            found += cells.turned(Phi)
        return found


def load_faults(mesh: Mesh, loads: Sequence[LoadRequest], materials: Mapping[str, Material] | None) -> list[Fault]:
    """Faults of loads against a mesh; materials : by cell set ("": all others), None for imported matrices"""
    faults = []
    for load in loads:
        place = ("loads", load.name)
        for part in load.parts:
            try:
                if part.kind == "temperature":
                    _check_expansion(mesh, part, heated_cells(mesh, part), materials)
                elif part.kind == "pressure":
                    _pressed(mesh, part)
                else:
                    select_nodes(mesh, part.select)
            except InputError as error:
                faults += [Fault(fault.text, place, fault.hint) for fault in error.faults]
    return faults


def heated_cells(mesh: Mesh, part: LoadPart) -> tuple[Integers, ...]:
    """Numbers of the heated cells in each block of a mesh."""
    if part.select == ALL and ALL not in mesh.cell_sets:
        chosen = tuple(np.arange(len(block)) for block in mesh.cells)
    elif part.select in mesh.cell_sets:
        chosen = mesh.cell_sets[part.select]
    else:
        what = f"there is no cell set '{part.select[:60]}'"
        if part.select in mesh.node_sets:
            what = f"'{part.select[:60]}' is a set of nodes or surfaces, and a temperature needs cells"
        hint = did_you_mean(part.select, [ALL, *mesh.cell_sets], "Cell sets")
        raise InputError([Fault(what, (), f"{hint} 'all' is all cells.")])
    others = {
        block.kind for block, cells in zip(mesh.cells, chosen, strict=True) if len(cells) and block.kind not in SOLIDS
    }
    if others:
        text = (
            f"a temperature acts on solid cells, and '{part.select[:60]}' has cells of type {', '.join(sorted(others))}"
        )
        raise InputError([Fault(text, (), "Name a cell set of solids.")])
    if not any(len(cells) for cells in chosen):
        raise InputError([Fault(f"'{part.select[:60]}' has no cells")])
    return chosen


def _check_expansion(
    mesh: Mesh, part: LoadPart, heated: tuple[Integers, ...], materials: Mapping[str, Material] | None
) -> None:
    """Require a thermal expansion of every material of the heated cells."""
    if materials is None:
        raise InputError([Fault("a temperature needs elements, and imported matrices have none")])
    rest = [np.ones(len(block), dtype=bool) for block in mesh.cells]
    lacking = []
    for name in sorted(materials, key=lambda name: not name):  # the one of all other cells is the last
        members = mesh.cell_sets.get(name) if name else [np.flatnonzero(own) for own in rest]
        for block, cells in enumerate(members or ()):
            rest[block][cells] = False
        meets = members is not None and any(np.isin(a, b).any() for a, b in zip(members, heated, strict=True))
        if meets and materials[name].expansion is None:
            lacking.append(f"that of '{name}'" if name else materials[name].name or "the material")
    if lacking:
        text = f"a temperature needs the thermal expansion of the material, and {' and '.join(lacking)} has none"
        raise InputError([Fault(text, (), "Give it with the material: expansion=12e-6 (1/K).")])


def _pressed(mesh: Mesh, part: LoadPart) -> PressedFaces:
    members = mesh.cell_sets.get(part.select, ())
    if any(len(cells) and block.kind in SOLIDS for block, cells in zip(mesh.cells, members, strict=False)):
        text = f"'{part.select[:60]}' is a set of solid cells, and a pressure needs faces"
        raise InputError([Fault(text, (), "Name a set of faces or nodes, or a region such as plane(x=0.3).")])
    nodes = select_nodes(mesh, part.select)
    faces = pressed_faces(mesh, nodes)
    if not faces.faces:
        text = f"'{part.select[:60]}' has {len(nodes)} nodes, and no face of the surface has all its nodes among them"
        raise InputError([Fault(text, (), "A pressure needs whole faces: name another set, or widen the region.")])
    return faces


def nodal_loads(model: FEModel, mesh: Mesh, requests: Sequence[LoadRequest]) -> list[NodalLoad]:
    """The loads on a model on the nodes of this mesh; raises all faults at once."""
    made, faults = [], []
    for request in requests:
        try:
            made.append(_nodal_load(model, mesh, request))
        except InputError as error:
            faults += [Fault(fault.text, ("loads", request.name), fault.hint) for fault in error.faults]
    if faults:
        raise InputError(faults)
    return made


def _nodal_load(model: FEModel, mesh: Mesh, request: LoadRequest) -> NodalLoad:
    pressed, heated = [], []
    forces, inner = np.zeros((mesh.n_points, 3)), np.zeros(3 * model.n_blocks)
    for part in request.parts:
        if part.kind == "temperature":
            if not isinstance(model.elastic, Elasticity):
                raise InputError([Fault("a temperature needs solid cells")])
            temperature = mesh.points[:, AXES.index(part.along)] if part.along else np.ones(mesh.n_points)
            cells = HeatedCells(model, temperature, heated_cells(mesh, part))
            inner += cells.forces()
            heated.append(cells)
        elif part.kind == "pressure":
            faces = _pressed(mesh, part)
            forces[faces.nodes] += faces.forces()
            pressed.append(faces)
        else:
            nodes = select_nodes(mesh, part.select)
            shares = node_shares(mesh, node_triangles(mesh), nodes)
            shares = np.ones(len(nodes)) if shares is None else shares
            forces[nodes] += np.outer(shares / shares.sum(), part.direction or ())
    used = np.unique(np.concatenate([np.flatnonzero(forces.any(axis=1)), *(faces.nodes for faces in pressed)]))
    inner[: forces.size] += forces.ravel()
    return NodalLoad(request, inner, used, forces[used], tuple(pressed), tuple(heated))


class LoadIntegrals:
    """The load shape of a load, integrated chunk by chunk of pairs.

    seen : turns places and shapes (p, n, 3) of points in mean axes into scaled shapes in body axes, and their
    second-order displacements
    """

    def __init__(self, load: NodalLoad, points: Floats, Phi: Floats, scale: Floats, seen: Callable[..., Floats]):
        self.load = load
        self.riders = Riders(load.nodes)
        self.places = points[load.nodes]
        self.shapes = seen(self.places, self.riders.first(Phi))
        self.turned = load.turned(self.shapes)
        self.Q0 = (Phi.T @ load.unknowns) * scale if load.heated else np.einsum("pni,pi->n", self.shapes, load.forces)
        self.geometric = (Phi.T @ load.heated_forces(Phi)) * np.outer(scale, scale) if load.heated else 0.0
        self.second_work: list[Floats] = []
        self.second_moment: list[Floats] = []

    def add_inner(self, G: Floats, scale: Floats) -> None:
        """Add a chunk of pairs of temperatures; G : (3 b, pairs) in mean axes [1/m], scale : (pairs,)"""
        self.second_work.append(G.T @ self.load.unknowns * scale)
        self.second_moment.append(np.zeros((G.shape[1], 3)))

    def add(self, G: Floats) -> None:
        """Add a chunk of pairs of forces; G : (p, pairs, 3) of the nodes in body axes, scaled [1/m]"""
        self.second_work.append(np.einsum("pki,pi->k", G, self.load.forces))
        self.second_moment.append(np.cross(G, self.load.forces[:, None]).sum(axis=0))

    def shape(self, surface: Integers | None, count: int) -> LoadShape:
        """The load shape; surface : nodes of the first of the `count` surface points, None without stress"""
        load, forces = self.load, self.load.forces
        n = len(self.Q0)
        M1 = np.cross(self.shapes, forces[:, None]).sum(axis=0) + np.cross(self.places[:, None], self.turned).sum(
            axis=0
        )
        Q1 = M2 = stress = None
        if self.second_work:
            swept = np.einsum("pki,plj->klij", self.shapes, self.turned, optimize=True)
            across = np.stack([swept[..., i - 2, i - 1] - swept[..., i - 1, i - 2] for i in range(3)], axis=2)
            M2 = full_pairs(np.concatenate(self.second_moment), n) + across + across.transpose(1, 0, 2)
            Q1 = full_pairs(np.concatenate(self.second_work), n) + np.trace(swept, axis1=2, axis2=3) + self.geometric
        if surface is not None and load.heated:
            stress = np.zeros((count, 6))
            stress[: len(surface)] = np.sum([cells.stress() for cells in load.heated], axis=0)[surface]
        request, moments = load.request, np.cross(self.places, forces)
        return LoadShape(
            name=request.name,
            what=request.what,
            unit=request.unit,
            text=request.text,
            F0=_without_noise(forces.sum(axis=0), forces),
            F1=self.turned.sum(axis=0),
            M0=_without_noise(moments.sum(axis=0), moments),
            M1=M1,
            Q0=self.Q0,
            Q1=Q1,
            M2=M2,
            stress=stress,
        )


def _without_noise(total: Floats, parts: Floats) -> Floats:
    """(3,) a sum, zero where it is round-off of its (p, 3) parts"""
    return np.where(np.abs(total) > _ROUND_OFF * np.linalg.norm(parts, axis=1).sum(), total, 0.0)
