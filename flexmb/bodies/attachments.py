"""Point masses at markers and held sets of a part, as entries of its deck.

A mass at a marker sits on a node at the place of the marker. At a rigid interface the nodes follow that node, which
changes nothing else; at an averaged interface and at a follower it follows them.
Held components of nodes follow a massless rigid frame, one for all held sets, as if the part stood on it: the body
stays free, because the frame moves with it. Where the held components fix the part in the frame, the frame is the node
set HELD, an interface of its own if it is named.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from flexmb.arrays import Floats, Integers
from flexmb.elements.ties.connections import rigid_roots
from flexmb.errors import Fault, InputError
from flexmb.mesh.deck import AveragedTie, Deck, PointMass, RigidTie, Support
from flexmb.mesh.mesh import Mesh
from flexmb.mesh.select import select_nodes
from flexmb.reduction.attachments import HoldRequest, MassRequest
from flexmb.reduction.request import ReductionRequest, TieRequest

HELD = "held"
"""Node set of the frame that held sets follow"""
_DETERMINED = 1e-6
"""Smallest singular value, relative to the largest, from which held components fix a part"""


def attachment_faults(mesh: Mesh, request: ReductionRequest) -> list[Fault]:
    """Sets that do not exist, supports with displacements; ties are judged when they are assembled."""
    faults = []
    for hold in request.hold:
        try:
            _held(mesh, hold)
        except InputError as error:
            faults += [Fault(fault.text, ("hold", hold.select), fault.hint) for fault in error.faults]
    return faults


def with_attachments(mesh: Mesh, request: ReductionRequest, markers: Sequence[tuple[Floats, Floats | None]]) -> Mesh:
    """The mesh with the masses and held sets of a request.

    markers : place (3,) of each of its interfaces and markers [m], and the weights of their nodes
    """
    if not (request.masses or request.hold):
        return mesh
    ties = [*request.interfaces, *request.markers]
    chosen = {tie.select: select_nodes(mesh, tie.select) for tie in ties if tie.select != HELD}
    made = _Attachments(mesh)
    if request.hold:
        made.hold(request.hold)
    for mass in request.masses:
        tie, (place, weights) = next(one for one in zip(ties, markers, strict=True) if one[0].name == mass.marker)
        nodes = made.sets[HELD] if tie.select == HELD else chosen[tie.select]
        made.add_mass(mass, tie, place, nodes, np.ones(len(nodes)) if weights is None else weights)
    return made.mesh({**chosen, **made.sets})


def with_held(mesh: Mesh, request: ReductionRequest) -> Mesh:
    """The mesh with the node set HELD, if the held sets of a request make one: interfaces may select it."""
    if not request.hold:
        return mesh
    made = _Attachments(mesh)
    made.hold(request.hold)
    return made.mesh(made.sets)


class _Attachments:
    def __init__(self, mesh: Mesh) -> None:
        self.start, self.deck = mesh, mesh.deck or Deck()
        self.points: list[Floats] = []
        self.masses: list[PointMass] = []
        self.ties: list[RigidTie | AveragedTie] = []
        self.sets: dict[str, Integers] = {}
        self.notes: list[str] = []

    def mesh(self, sets: dict[str, Integers]) -> Mesh:
        """The mesh with all that was added"""
        start, deck = self.start, self.deck
        points = np.concatenate([start.points, np.array(self.points).reshape(-1, 3)])
        ids = start.point_ids
        if ids is not None and self.points:
            ids = np.concatenate([ids, ids.max() + 1 + np.arange(len(self.points))])
        deck = replace(deck, masses=(*deck.masses, *self.masses), ties=(*deck.ties, *self.ties))
        return replace(
            start,
            points=points,
            point_ids=ids,
            deck=deck,
            node_sets={**start.node_sets, **sets},
            notes=(*start.notes, *self.notes),
        )

    def _node(self, x: Floats) -> int:
        self.points.append(np.asarray(x, dtype=float))
        return self.start.n_points + len(self.points) - 1

    def hold(self, requests: Sequence[HoldRequest]) -> None:
        """Let held components follow one frame, at the centre of the first held set"""
        held = [(request, *part) for request in requests for part in _held(self.start, request)]
        first = np.concatenate([nodes for request, nodes, _ in held if request == requests[0]])
        x = self.start.points[np.unique(first)]
        frame = self._node(x.mean(axis=0))
        self.ties += [
            RigidTie(f"hold {request.select}", frame, nodes, components) for request, nodes, components in held
        ]
        if self._is_fixed(frame, held):
            self.sets[HELD] = np.array([frame])
        words = ", ".join(dict.fromkeys(request.words for request in requests))
        text = f"Held in a rigid frame without mass: {words}. The frame moves with the body"
        where = f", as the node set '{HELD}'" if HELD in self.sets else ""
        self.notes.append(f"{text}{where}: a joint of the model holds it to the ground.")

    def _is_fixed(self, frame: int, held: list[tuple[HoldRequest, Integers, str]]) -> bool:
        """Whether the held displacements, in basic axes where the deck gives no others, leave no rigid motion"""
        x = self.start.points
        size = float(np.ptp(x, axis=0).max()) or 1.0
        rows = []
        for _, nodes, components in held:
            arms = (x[nodes] - self.points[frame - self.start.n_points]) / size
            for i in (int(c) - 1 for c in components if c < "4"):
                turn = np.cross(np.eye(3)[None], arms[:, None])[:, :, i]
                rows.append(np.hstack([np.tile(np.eye(3)[i], (len(nodes), 1)), turn]))
        values = np.linalg.svd(np.concatenate([*rows, np.zeros((6, 6))]), compute_uv=False)
        return bool(values[5] > _DETERMINED * values[0])

    def _roots(self, nodes: Integers) -> Integers:
        """The nodes, or those that they follow as a rigid body"""
        roots = rigid_roots(replace(self.deck, ties=(*self.deck.ties, *self.ties)))
        return np.unique([roots.get(node, node) for node in nodes.tolist()])

    def add_mass(self, mass: MassRequest, tie: TieRequest, place: Floats, nodes: Integers, weights: Floats) -> None:
        """Put a mass on a node at a marker"""
        roots = self._roots(nodes) if tie.tie == "rbe2" else nodes
        name = f"mass at {mass.marker}"
        if len(roots) == 1:
            known = int(roots[0]) < self.start.n_points
            x = self.start.points[roots[0]] if known else self.points[int(roots[0]) - self.start.n_points]
            node = int(roots[0])
        else:
            x, node = place, self._node(place)
            if tie.tie == "rbe2":
                self.ties.append(RigidTie(name, node, roots))
            else:
                self.ties.append(AveragedTie(name, node, "123456", roots, weights))
        offset = np.asarray(place) - x + np.array(mass.offset)
        arm = tuple(float(value) if abs(value) > 1e-12 else 0.0 for value in offset)
        inertia = tuple(tuple(row) for row in np.diag(mass.inertia).tolist())
        self.masses.append(PointMass(node, mass.mass, arm, inertia))  # type: ignore[arg-type]
        self.notes.append(f"A mass of {mass.mass:g} kg was added at '{mass.marker}'.")


def _held(mesh: Mesh, hold: HoldRequest) -> list[tuple[Integers, str]]:
    """Nodes and components; without components those of a support of this name in the deck, or all"""
    nodes = select_nodes(mesh, hold.select)
    if hold.components:
        return [(nodes, hold.components)]
    supports: list[Support] = [] if mesh.deck is None else [s for s in mesh.deck.supports if s.name == hold.select]
    if any(support.value for support in supports):
        raise InputError([Fault("the support prescribes displacements, which no body can hold", (), "Leave it out.")])
    components: dict[int, set[str]] = {}
    for support in supports:
        for node in support.nodes[support.nodes < mesh.n_points].tolist():
            components.setdefault(node, set()).update(support.components)
    groups: dict[str, list[int]] = {}
    for node, found in components.items():
        groups.setdefault("".join(sorted(found)), []).append(node)
    return [(np.array(members), own) for own, members in groups.items()] or [(nodes, "123456")]
