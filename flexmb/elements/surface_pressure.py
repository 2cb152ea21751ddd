"""Pressure on faces of a mesh: consistent forces of its nodes, which follow the surface to first order.

A face with nodes x_i is the surface x = N_i x_i of two reference coordinates, and a pressure p against its normal is

    f_i = -p integral of N_i (x_,r cross x_,s) dr ds,

exactly for curved faces. Along a displacement u of the nodes the forces change by the derivative of this expression,

    f1_i = -p integral of N_i (u_,r cross x_,s + x_,r cross u_,s) dr ds,

so that a pressure on a closed surface has no resultant on the deformed body either. Faces of solids point outwards,
those of shells to the side from which their nodes run counterclockwise.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from flexmb.arrays import Floats, Integers
from flexmb.mesh import quadrature
from flexmb.mesh.mesh import SURFACES, Mesh
from flexmb.mesh.reference_cells import shape_functions, shape_gradients
from flexmb.mesh.surface import outer_faces
from flexmb.mesh.topology import face_nodes

_SOLID = {3: "tet4", 6: "tet10", 4: "hex8", 8: "hex20", 9: "hex27"}
"""Number of nodes of a face -> a cell that has such faces"""


@dataclass(frozen=True)
class PressedFaces:
    """Faces under unit pressure, and their p nodes."""

    nodes: Integers
    """(p,) numbers of their nodes in the mesh"""
    points: Floats
    """(p, 3) [m]"""
    faces: tuple[Integers, ...]
    """(f, k) numbers among these nodes, normals against the pressure, by type of face"""

    def forces(self) -> Floats:
        """(p, 3) forces of the nodes for a pressure of 1 [m^2]"""
        forces = np.zeros_like(self.points)
        for nodes in self.faces:
            N, dN, weights = _tables(nodes.shape[1])
            r, s = np.einsum("gka,fki->afgi", dN, self.points[nodes])
            np.add.at(forces, nodes, -np.einsum("g,gk,fgi->fki", weights, N, np.cross(r, s)))
        return forces

    def turned(self, Phi: Floats) -> Floats:
        """(p, m, 3) derivatives of the forces along displacements Phi : (p, m, 3) of the nodes"""
        turned = np.zeros_like(Phi)
        for nodes in self.faces:
            N, dN, weights = _tables(nodes.shape[1])
            r, s = np.einsum("gka,fki->afgi", dN, self.points[nodes])
            for m in range(Phi.shape[1]):
                u_r, u_s = np.einsum("gka,fki->afgi", dN, Phi[nodes, m])
                change = np.cross(u_r, s) + np.cross(r, u_s)
                np.add.at(turned[:, m], nodes, -np.einsum("g,gk,fgi->fki", weights, N, change))
        return turned

    def area(self) -> float:
        """Area of the faces [m^2]."""
        total = 0.0
        for nodes in self.faces:
            _, dN, weights = _tables(nodes.shape[1])
            r, s = np.einsum("gka,fki->afgi", dN, self.points[nodes])
            total += float((np.linalg.norm(np.cross(r, s), axis=2) @ weights).sum())
        return total


def pressed_faces(mesh: Mesh, nodes: Integers) -> PressedFaces:
    """The outer faces of solids and the shell cells all of whose nodes are among these."""
    inside = np.zeros(mesh.n_points, dtype=bool)
    inside[nodes] = True
    found = [faces for faces, _, _ in outer_faces(mesh.cells, mesh.n_points)]
    found += [block.nodes for block in mesh.cells if block.kind in SURFACES]
    chosen = [faces[inside[faces].all(axis=1)].astype(np.int64) for faces in found]
    chosen = [faces for faces in chosen if len(faces)]
    used = np.unique(np.concatenate([faces.ravel() for faces in chosen])) if chosen else np.zeros(0, dtype=np.int64)
    return PressedFaces(used, mesh.points[used], tuple(np.searchsorted(used, faces) for faces in chosen))


@cache
def _tables(count: int) -> tuple[Floats, Floats, Floats]:
    """Shape functions (g, k), their derivatives (g, k, 2) and weights (g,) of a face of `count` nodes.

    They are those of the first face of a solid cell, whose coordinates r, s make its normal point out of the cell.
    """
    kind = _SOLID[count]
    if count in (3, 6):
        flat, weights = quadrature.triangle(4)
        origin, along = np.zeros(3), np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]])  # corners 0, 2, 1
    else:
        flat, weights = quadrature.product(quadrature.gauss(3), quadrature.gauss(3))
        origin, along = _side(kind)
    places = origin + flat @ along
    own = list(face_nodes(kind)[0])
    gradients = np.einsum("gki,ai->gka", shape_gradients(kind, places)[:, own], along)
    return shape_functions(kind, places)[:, own], gradients, weights


def _side(kind: str) -> tuple[Floats, Floats]:
    """Centre of the first face of a hexahedron, and the half edges from it along the face."""
    from flexmb.mesh.reference_cells import reference_nodes

    a, b, c, d = reference_nodes(kind)[list(face_nodes(kind)[0][:4])]
    return (a + b + c + d) / 4.0, np.array([(b - a) / 2.0, (d - a) / 2.0])
