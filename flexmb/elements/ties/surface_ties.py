"""Rows of the elimination from tied surfaces (*TIE): nodes follow the nearest points of faces.

A node at the gap g from the point sum N_j x_j of a face moves by sum N_j u_j + th x g, where th is the mean rotation of
the nodes of the face (`averaged_motion`): a rigid motion of the face carries the node with it. If both have rotations
the node's follows as well. Nodes further away than the tolerance stay free: that of the deck, or a tenth of the mean
edge of the faces. Faces of four nodes are bilinear; quadratic faces are cut into triangles between their nodes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmb.arrays import Floats, Integers
from flexmb.elements.ties.elimination import TieRows
from flexmb.elements.ties.tie_rows import Places, averaged_motion, second_turn, skew
from flexmb.errors import Fault, InputError
from flexmb.mesh.deck import SurfaceTie
from flexmb.mesh.surface import FACE_TRIANGLES

_TOLERANCE = 0.1
"""Part of the mean edge of the faces within which nodes are tied, if the deck gives none (Abaqus: 5 to 10 %)."""
_NEAR = 24
"""Triangles whose centres are nearest, among which the nearest point is searched."""
_NEWTON_STEPS = 10
"""For the nearest point of a bilinear face: plane parallelograms need one."""


def surface_rows(tie: SurfaceTie, places: Places, taken: set[int]) -> tuple[TieRows, int]:
    """The rows, and the number of nodes that stay free; nodes in `taken` follow another tie already."""
    cuts = [(part, part[:, list(cut)]) for part in tie.faces for cut in FACE_TRIANGLES[part.shape[1]]]
    triangles = np.concatenate([np.zeros((0, 3), dtype=np.int64), *(cut for _, cut in cuts)])
    # the whole face where it has three or four nodes, else the triangle
    faces = [face for part, cut in cuts for face in (part if part.shape[1] < 5 else cut)]
    x = places.points[triangles]
    edges = np.linalg.norm(x - np.roll(x, 1, axis=1), axis=2)
    tolerance = _TOLERANCE * float(edges.mean()) if tie.tolerance is None else tie.tolerance
    if not len(triangles):
        raise InputError([Fault(f"the main surface of the tie '{tie.name[:60]}' has no faces", ("ties", tie.name))])
    from scipy.spatial import cKDTree

    tree = cKDTree(x.mean(axis=1))
    row, column, value = [], [], []
    dependent: list[int] = []
    seconds = []
    free = 0
    for node in tie.nodes.tolist():
        if node in taken:
            continue
        near = np.atleast_1d(tree.query(places.points[node], k=min(_NEAR, len(triangles)))[1])
        near = near[~(triangles[near] == node).any(axis=1)]
        found = [_nearest(places.points[node], x[t]) for t in near]
        if not found:
            free += 1
            continue
        best = int(np.argmin([distance for distance, _ in found]))
        distance, N = found[best]
        if distance > tolerance:
            free += 1
            continue
        face = faces[near[best]]
        if len(face) == 4:
            N = _bilinear(places.points[node], places.points[face])
        gap = places.points[node] - N @ places.points[face]
        unknowns, E, arms = averaged_motion(tie.name, places.points[node], face, np.ones(len(face)), "123", places)
        matrix = np.kron(N, np.eye(3)) - skew(gap) @ E[3:]
        first = len(dependent)
        dependent += [3 * node + c for c in range(3)]
        for c in range(3):
            row += [first + c] * len(unknowns)
            column += unknowns.tolist()
            value += matrix[c].tolist()
        turning = places.rotation[face]
        if places.rotation[node] >= 0 and (turning >= 0).all():
            first = len(dependent)
            dependent += [3 * int(places.rotation[node]) + c for c in range(3)]
            for c in range(3):
                row += [first + c] * len(face)
                column += [3 * int(block) + c for block in turning]
                value += N.tolist()
        if distance > 1e-12 * tolerance:
            seconds.append((node, unknowns, E, gap, arms, matrix))
    unknowns, of, to = (np.array(part, dtype=np.int64) for part in (dependent, row, column))
    second = _SurfaceSecond(tuple(seconds)) if seconds else None
    return TieRows(tie.name, unknowns, of, to, np.array(value, dtype=float), second), free


@dataclass(frozen=True)
class _SurfaceSecond:
    nodes: tuple[tuple[int, Integers, Floats, Floats, Floats, Floats], ...]
    """Node, unknowns of its face, their mean motion, gap, arms of the face's nodes, matrix of its rows"""

    def add(self, blocks: Floats, pairs: Integers, out: Floats) -> None:
        """out += S_kl g, without the turn that E sees in the second-order motion of the face"""
        U = blocks.reshape(-1, blocks.shape[2])
        for node, unknowns, E, gap, arms, _ in self.nodes:
            w = (E[3:] @ U[unknowns]).T
            S = second_turn(w[pairs[:, 0]], w[pairs[:, 1]])
            seen = E[3:] @ np.einsum("pij,nj->nip", S, arms).reshape(-1, len(pairs))
            out[3 * node : 3 * node + 3] += np.einsum("pij,j->ip", S, gap) + skew(gap) @ seen


def _nearest(p: Floats, x: Floats) -> tuple[float, Floats]:
    """Distance from a point to a triangle x : (3, 3), and the shares of its corners at the nearest point."""
    a, b = x[1] - x[0], x[2] - x[0]
    M = np.array([[a @ a, a @ b], [a @ b, b @ b]])
    if np.linalg.det(M) > 0.0:
        s, t = np.linalg.solve(M, [a @ (p - x[0]), b @ (p - x[0])])
        N = np.array([1.0 - s - t, s, t])
        if N.min() >= 0.0:
            return float(np.linalg.norm(p - N @ x)), N
    best = (np.inf, np.zeros(3))
    for i, j in ((0, 1), (1, 2), (2, 0)):
        line = x[j] - x[i]
        s = float(np.clip(line @ (p - x[i]) / max(line @ line, 1e-300), 0.0, 1.0))
        N = np.zeros(3)
        N[i], N[j] = 1.0 - s, s
        distance = float(np.linalg.norm(p - N @ x))
        if distance < best[0]:
            best = (distance, N)
    return best


def _bilinear(p: Floats, x: Floats) -> Floats:
    """(4,) shares of the corners x : (4, 3) at the nearest point of a bilinear face"""
    at = np.full(2, 0.5)
    N = np.full(4, 0.25)
    for _ in range(_NEWTON_STEPS):
        s, t = at
        along = np.array([(1.0 - t) * (x[1] - x[0]) + t * (x[2] - x[3]), (1.0 - s) * (x[3] - x[0]) + s * (x[2] - x[1])])
        step = np.linalg.lstsq(along.T, p - N @ x, rcond=None)[0]
        at = np.clip(at + step, 0.0, 1.0)
        s, t = at
        N = np.array([(1.0 - s) * (1.0 - t), s * (1.0 - t), s * t, (1.0 - s) * t])
    return N
