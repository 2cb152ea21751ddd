"""Rows of the elimination from rigid ties, averaged ties and equations of a deck.

Rigid (RBE2): u_i = u + th x r_i and th_i = th, for the held components; in finite rotations a held direction e turns
with the reference, (R e) . (r + u_i - u) = e . r, whose second order is
    s_e = -(w_k x e) . d_l - (w_l x e) . d_k - e . S_kl r,   d = u_i - u,   S_kl = (~w_k ~w_l + ~w_l ~w_k)/2.
Averaged (RBE3): the reference follows E u, the rigid motion that fits the nodes best (`averaged_motion`); its second
order is -E (S_kl r_i), so that nodes that turn rigidly turn the reference with them.
Equation: sum a_j (e_j . u_j) = 0, linear; a rigid motion must satisfy it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from flexmb.arrays import Floats, Integers
from flexmb.elements.ties.elimination import TieRows
from flexmb.errors import Fault, InputError
from flexmb.mesh.deck import AveragedTie, Equation, RigidTie

_NOT_HELD = 1e-8
"""Error of a rigid motion through an averaged tie from which on its nodes do not determine a component."""
_VIOLATED = 1e-6
"""Relative residual of a rigid motion in an equation from which on it holds the body to the ground."""


@dataclass(frozen=True)
class Places:
    """Nodes of a model and their unknowns."""

    points: Floats
    rotation: Integers
    """(n,) block of the rotation of every node; -1: none"""
    axes: Mapping[int, Floats]
    """Node -> (3, 3) axes of its components of motion, one per row, where they are not the basic ones"""

    def directions(self, node: int, components: str) -> tuple[Floats, Floats]:
        """Held directions of displacement and of rotation, (k, 3) each"""
        axes = self.axes.get(node, np.eye(3))
        return axes[[int(c) - 1 for c in components if c < "4"]], axes[[int(c) - 4 for c in components if c > "3"]]


class _Entries:
    """Collects rows."""

    def __init__(self) -> None:
        self.dependent: list[int] = []
        self.parts: list[tuple[int, int, float]] = []

    def held(self, block: int, directions: Floats, terms: list[tuple[int, Floats]]) -> Floats:
        """Add rows e . u_block = sum of e . (matrix u_other); (k, 3) matrix that takes values along e to unknowns."""
        chosen, inverse = _solved_for(directions)
        others = np.setdiff1d(np.arange(3), chosen)
        first = len(self.dependent)
        self.dependent += [3 * block + c for c in chosen]
        for i in range(len(chosen)):
            row = inverse[i] @ directions
            self.parts += [(first + i, 3 * block + int(c), -float(row[c])) for c in others]
            for other, matrix in terms:
                values = row @ matrix
                self.parts += [(first + i, 3 * other + c, float(values[c])) for c in range(3) if values[c]]
        return inverse

    def rows(self, name: str, **more: object) -> TieRows:
        row, column = (np.array([part[i] for part in self.parts], dtype=np.int64) for i in (0, 1))
        value = np.array([part[2] for part in self.parts])
        return TieRows(name, np.array(self.dependent, dtype=np.int64), row, column, value, **more)  # type: ignore[arg-type]


def _solved_for(directions: Floats) -> tuple[list[int], Floats]:
    """Unknowns that directions (k, 3) are solved for, and the inverse (k, k) of their part"""
    chosen: list[int] = []
    rest = directions.copy()
    for i in range(len(directions)):
        c = int(np.argmax(np.abs(rest[i])))
        chosen.append(c)
        for j in range(len(directions)):
            if j != i:
                rest[j] = rest[j] - rest[j, c] / rest[i, c] * rest[i]
    return chosen, np.asarray(np.linalg.inv(directions[:, chosen])) if chosen else np.zeros((0, 0))


def skew(r: Floats) -> Floats:
    """(3, 3) ~r with ~r v = r x v"""
    return np.array([[0.0, -r[2], r[1]], [r[2], 0.0, -r[0]], [-r[1], r[0], 0.0]])


def second_turn(wk: Floats, wl: Floats) -> Floats:
    """(p, 3, 3) S_kl of rotations (p, 3)"""
    outer = np.einsum("pi,pj->pij", wk, wl)
    return np.asarray(
        0.5 * (outer + outer.transpose(0, 2, 1)) - np.einsum("pi,pi->p", wk, wl)[:, None, None] * np.eye(3)
    )


def rigid_rows(tie: RigidTie, places: Places) -> TieRows:
    """Dependent nodes follow the reference as a rigid body."""
    entries = _Entries()
    reference, turning = tie.node, int(places.rotation[tie.node])
    nodes, unknowns, solved, held_along = [], [], [], []
    for node in tie.nodes.tolist():
        moved, turned = places.directions(node, tie.components)
        if len(moved) == 3:
            moved = np.eye(3)
        if len(moved):
            arm = places.points[node] - places.points[reference]
            before = len(entries.dependent)
            inverse = entries.held(node, moved, [(reference, np.eye(3)), (turning, -skew(arm))])
            nodes += [node] * len(moved)
            unknowns += entries.dependent[before:]
            solved.append(inverse)
            held_along.append(moved)
        if len(turned) and places.rotation[node] >= 0:
            entries.held(int(places.rotation[node]), np.eye(3) if len(turned) == 3 else turned, [(turning, np.eye(3))])
    second = None
    if unknowns:
        of_node = np.array(nodes, dtype=np.int64)
        arms = places.points[of_node] - places.points[reference]
        along = np.concatenate(held_along)
        second = _RigidSecond(of_node, reference, turning, arms, along, np.array(unknowns), tuple(solved))
    return entries.rows(tie.name, second=second)


@dataclass(frozen=True)
class _RigidSecond:
    nodes: Integers
    reference: int
    turning: int
    arms: Floats
    along: Floats
    """(d, 3) held directions"""
    unknowns: Integers
    """(d,) that they are solved for"""
    solved: tuple[Floats, ...]
    """Matrices that take the values along the directions of a node to its unknowns"""

    def add(self, blocks: Floats, pairs: Integers, out: Floats) -> None:
        """out += s of the dependent unknowns"""
        k, l = pairs.T
        w = blocks[self.turning].T
        d = (blocks[self.nodes] - blocks[self.reference]).transpose(0, 2, 1)
        swept = np.cross(w[None], self.along[:, None])
        S = second_turn(w[k], w[l])
        s = -np.einsum("npi,npi->np", swept[:, k], d[:, l]) - np.einsum("npi,npi->np", swept[:, l], d[:, k])
        s -= np.einsum("ni,pij,nj->np", self.along, S, self.arms, optimize=True)
        at = 0
        for inverse in self.solved:
            rows = slice(at, at + len(inverse))
            out[self.unknowns[rows]] += inverse @ s[rows]
            at += len(inverse)


def averaged_motion(
    name: str, at: Floats, nodes: Integers, weights: Floats, components: str, places: Places
) -> tuple[Integers, Floats, Floats]:
    """Unknowns (u,) of nodes, E (6, u): their best rigid motion about a point, and the arms (nodes, 3)."""
    w = np.asarray(weights, dtype=float) / np.sum(weights)
    arms = places.points[nodes] - at
    size = float(np.sqrt(w @ (arms**2).sum(axis=1))) or 1.0
    unknowns, parts, values = [], [], []
    moved = [int(c) - 1 for c in components if c < "4"]
    turned = [int(c) - 4 for c in components if c > "3"]
    for node, arm, weight in zip(nodes.tolist(), arms, w, strict=True):
        axes = places.axes.get(node, np.eye(3))
        A = np.hstack([np.eye(3), -skew(arm)])
        # rows along the node's axes, written by basic unknowns
        direct = axes[moved]
        unknowns.append(3 * node + np.arange(3))
        parts.append((direct.T @ direct) @ A)
        values.append(weight)
        block = int(places.rotation[node])
        if turned and block >= 0:
            direct = axes[turned]
            unknowns.append(3 * block + np.arange(3))
            parts.append((direct.T @ direct) @ np.hstack([np.zeros((3, 3)), np.eye(3)]))
            values.append(weight * size**2)
    A, W = np.vstack(parts), np.repeat(values, 3)
    scale = np.array([1.0] * 3 + [1.0 / size] * 3)
    normal = scale[:, None] * (A.T @ (W[:, None] * A)) * scale
    E = scale[:, None] * np.linalg.pinv(normal, rcond=1e-10, hermitian=True) @ (scale[:, None] * (A.T * W))
    return np.concatenate(unknowns), E, arms


def averaged_rows(tie: AveragedTie, places: Places) -> TieRows:
    """The reference follows the weighted mean of the nodes."""
    at = places.points[tie.node]
    unknowns, E, arms = averaged_motion(tie.name, at, tie.nodes, tie.weights, tie.node_components, places)
    moved, turned = places.directions(tie.node, tie.components)
    if places.rotation[tie.node] < 0:
        turned = turned[:0]
    rigid = _rigid_values(unknowns, tie.nodes, places, at)
    wanted = np.vstack([np.hstack([moved, np.zeros_like(moved)]), np.hstack([np.zeros_like(turned), turned])])
    if wanted.size and np.abs(wanted @ (E @ rigid - np.eye(6)) * _sizes(arms)).max() > _NOT_HELD:
        text = f"the nodes of the tie '{tie.name[:60]}' do not determine the motion of its reference"
        raise InputError(
            [Fault(text, ("ties", tie.name), "Use nodes that do not lie on one line, or fewer components.")]
        )
    entries = _Entries()
    places_of = [(tie.node, moved), (int(places.rotation[tie.node]), turned)]
    rows, solved = [], []
    for part, (block, directions) in enumerate(places_of):
        if not len(directions):
            continue
        chosen, inverse = _solved_for(directions)
        others = np.setdiff1d(np.arange(3), chosen)
        first = len(entries.dependent)
        entries.dependent += [3 * block + c for c in chosen]
        matrix = inverse @ directions
        values = matrix @ E[3 * part : 3 * part + 3]
        for i in range(len(chosen)):
            entries.parts += [(first + i, 3 * block + int(c), -float(matrix[i, c])) for c in others]
            entries.parts += [(first + i, int(u), float(v)) for u, v in zip(unknowns, values[i], strict=True) if v]
        rows += [3 * block + c for c in chosen]
        solved.append(values)
    second = _AveragedSecond(unknowns, E, tie.nodes, arms, np.array(rows), np.vstack(solved)) if rows else None
    return entries.rows(tie.name, second=second)


def _sizes(arms: Floats) -> Floats:
    """(6,) a rotation counts like a displacement at the distance of the nodes"""
    size = float(np.sqrt((arms**2).sum(axis=1).mean())) or 1.0
    return np.array([1.0] * 3 + [1.0 / size] * 3)


def _rigid_values(unknowns: Integers, nodes: Integers, places: Places, at: Floats) -> Floats:
    """(u, 6) rigid motions about a point at unknowns"""
    n = len(places.points)
    out = np.zeros((len(unknowns), 6))
    of_rotation = {int(places.rotation[node]) for node in nodes if places.rotation[node] >= 0}
    for i in range(0, len(unknowns), 3):
        block = int(unknowns[i]) // 3
        if block in of_rotation and block >= n:
            out[i : i + 3, 3:] = np.eye(3)
        else:
            out[i : i + 3] = np.hstack([np.eye(3), -skew(places.points[block] - at)])
    return out


@dataclass(frozen=True)
class _AveragedSecond:
    unknowns: Integers
    E: Floats
    nodes: Integers
    arms: Floats
    rows: Integers
    values: Floats
    """(d, u) from unknowns of the nodes to the dependent ones"""

    def add(self, blocks: Floats, pairs: Integers, out: Floats) -> None:
        """out += s of the dependent unknowns"""
        w = (self.E[3:] @ blocks.reshape(-1, blocks.shape[2])[self.unknowns]).T
        S = second_turn(w[pairs[:, 0]], w[pairs[:, 1]])
        turned = np.einsum("pij,nj->nip", S, self.arms)
        place = {int(node): i for i, node in enumerate(self.nodes)}
        own = np.zeros((len(self.unknowns), len(pairs)))
        for i in range(0, len(self.unknowns), 3):
            number = place.get(int(self.unknowns[i]) // 3)
            if number is not None:
                own[i : i + 3] = turned[number]
        out[self.rows] -= self.values @ own


def equation_rows(tie: Equation, places: Places) -> TieRows | None:
    """The first term follows the others; None: a rigid motion violates the equation, it holds the body to ground."""
    terms: dict[int, Floats] = {}
    order: list[int] = []
    centre = np.mean([places.points[node] for node, _, _ in tie.terms], axis=0)
    rigid, bent, size = np.zeros(6), np.zeros((3, 3)), 0.0
    for node, component, a in tie.terms:
        axis = places.axes.get(node, np.eye(3))[(component - 1) % 3]
        block = node if component < 4 else int(places.rotation[node])
        order.append(block)
        terms[block] = terms.get(block, np.zeros(3)) + a * axis
        arm = places.points[node] - centre
        if component < 4:
            rigid += a * np.concatenate([axis, np.cross(arm, axis)])
            bent += a * np.outer(axis, arm)
        else:
            rigid[3:] += a * axis
        size += abs(a)
    length = float(np.ptp(places.points, axis=0).max())
    if np.abs(rigid[:3]).max() > _VIOLATED * size or np.abs(rigid[3:]).max() > _VIOLATED * size * length:
        return None
    # A finite rotation moves nodes by S r: the sum of a e . S r vanishes for all symmetric S if this does.
    bent = bent + bent.T - 2.0 * np.trace(bent) * np.eye(3)
    is_linear = bool(np.abs(bent).max() > _VIOLATED * size * length)
    block = order[0]
    c = int(np.argmax(np.abs(terms[block])))
    lead = terms[block][c]
    if abs(lead) <= 1e-12 * size:
        raise InputError([Fault(f"the first term of '{tie.name[:60]}' vanishes", ("ties", tie.name))])
    entries = _Entries()
    entries.dependent.append(3 * block + c)
    for other, vector in terms.items():
        entries.parts += [
            (0, 3 * other + i, -float(vector[i] / lead)) for i in range(3) if vector[i] and (other, i) != (block, c)
        ]
    return entries.rows(tie.name, is_linear=is_linear)
