"""Default shape of a rigid body without geometry in the model, from its joints and inertia.

A body is drawn as bars between its joints, with an eye or a fork at each hinge and a block on rails; a body that rolls,
or whose inertia is that of a disc, as a wheel; a body with one joint or none by its inertia. Everything without a size
of its own gets it from the typical length of the scene.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from flexmb.arrays import Floats
from flexmb.bodies.flexible_body import FlexibleBody
from flexmb.bodies.rigid_body import RigidBody
from flexmb.model.schema.bodies import Body
from flexmb.model.schema.model_spec import ModelSpec
from flexmb.system.mechanism import Mechanism
from flexmb.view.geometry.attachments import Attachment, Travels, attachments, load_points, scene_size
from flexmb.view.geometry.beam_skin import beam_skin
from flexmb.view.geometry.ground import ground_solid
from flexmb.view.geometry.joint_symbols import DRAWINGS, THICKNESS
from flexmb.view.geometry.mass_shapes import inertia_solid, mass_ball, wheel
from flexmb.view.geometry.model_shapes import model_solid
from flexmb.view.geometry.primitives import Solid, box, cylinder, joined, moved, sphere, tube
from flexmb.view.scene import Color

__all__ = ["body_color", "rigid_solid", "scene_size"]


SAME_NODE = 0.01
"""Points closer than this part of the size of the scene count as one."""
EYE, FORK = 1.5, 4.2
"""Distance from a hinge at which a bar begins, in radii of a bar."""


@dataclass
class Node:
    """A place on a body where something is attached."""

    p: Floats
    """(3,) body axes [m]"""
    attachments: list[Attachment] = field(default_factory=list)

    def hinge(self) -> Attachment | None:
        """The first joint here that turns about an axis, if there is one."""
        return next((a for a in self.attachments if DRAWINGS[a.type].is_hinge), None)


def rigid_solid(
    mechanism: Mechanism, spec: ModelSpec, body_number: int, size: float, travel: Travels | None = None
) -> Solid | None:
    """The shape of a rigid body in body axes; body 0 is the ground; None: nothing to draw (ground without joints).

    size: typical length of the scene [m], see `scene_size`; travel: range of slide coordinates, for rails of the ground
    """
    if body_number == 0:
        return ground_solid(mechanism, size, travel)
    body = mechanism.bodies[body_number]
    if isinstance(body, FlexibleBody) and body.basis is not None:  # a beam without shapes
        return beam_skin(body.basis).solid
    drawn = model_solid(spec, body)
    return _default(mechanism, spec, body_number, size) if drawn is None else drawn


def body_color(spec: ModelSpec, name: str) -> Color | None:
    """The colour of a body in the model; None: not given."""
    return spec.bodies[name].color if name in spec.bodies else None


def _default(mechanism: Mechanism, spec: ModelSpec, body_number: int, size: float) -> Solid:
    body = mechanism.bodies[body_number]
    held = attachments(mechanism, body_number)
    r = THICKNESS * size
    rolling = next((a for a in held if a.type == "rolling" and a.side == 1), None)
    features = [_block(a, r) for a in held if _is_slider(a)]
    nodes = _nodes(held, SAME_NODE * size)
    if rolling is not None:
        radius = rolling.joint.parameters[0]
        features.append(wheel(radius, 0.15 * radius, rolling.p_b, rolling.axis))
    table = spec.bodies[body.name]
    is_rod = isinstance(table, Body) and table.rod is not None
    if is_rod:
        _add_ends(nodes, spec, body, SAME_NODE * size)
    for p in load_points(mechanism, spec, body_number):
        _node_at(nodes, p, SAME_NODE * size)
    if not is_rod and rolling is None and body.mass > 0.0:
        features += _mass_features(body, nodes, size)
    bars = _bars(nodes, r)
    if not bars and not features:
        features.append(_hub(nodes, r))
    return joined([*bars, *features])


def _nodes(held: list[Attachment], near: float) -> list[Node]:
    nodes: list[Node] = []
    for attachment in held:
        if attachment.type != "rolling" or attachment.side == 1:
            _node_at(nodes, attachment.p_b, near).attachments.append(attachment)
    return nodes


def _node_at(nodes: list[Node], p: Floats, near: float) -> Node:
    """The node at p, a new one when there is none."""
    for node in nodes:
        if np.linalg.norm(node.p - p) <= near:
            return node
    nodes.append(Node(np.asarray(p, dtype=float)))
    return nodes[-1]


def _add_ends(nodes: list[Node], spec: ModelSpec, body: RigidBody, near: float) -> None:
    """Nodes at the two ends of a rod."""
    table = spec.bodies[body.name]
    assert isinstance(table, Body) and table.rod is not None
    start, end = (np.asarray(spec.points[p] if isinstance(p, str) else p) for p in table.rod)
    for p in (np.zeros(3), np.array([float(np.linalg.norm(end - start)), 0.0, 0.0])):
        _node_at(nodes, p, near)


def _is_slider(attachment: Attachment) -> bool:
    return attachment.side == 1 and DRAWINGS[attachment.type].slider is not None


def _block(attachment: Attachment, r: float) -> Solid:
    """The sliding part: a block on rails, a bush on a shaft."""
    if DRAWINGS[attachment.type].slider == "block":
        block = box((4.4 * r, 4.4 * r, 6.0 * r))
    else:
        block = tube((0.0, 0.0, -2.0 * r), (0.0, 0.0, 2.0 * r), 2.6 * r, 1.3 * r)
    return moved(block, attachment.R_b, attachment.p_b)


def _mass_features(body: RigidBody, nodes: list[Node], size: float) -> list[Solid]:
    """A wheel, block or ball at the centre of mass, if the joints alone do not show where the mass is."""
    center = body.first_moment / body.mass
    away = not nodes or min(_distance(center, a.p, b.p) for a, b in _tree(nodes)) > 0.05 * size
    one_place = len(nodes) <= 1
    blocks = any(_is_slider(a) for node in nodes for a in node.attachments)
    shape = inertia_solid(body, size, not nodes) if one_place and not blocks else None
    if away and nodes:
        _node_at(nodes, center, SAME_NODE * size)
    if shape is not None:
        return [shape]
    return [mass_ball(body, size)] if away else []


def _distance(p: Floats, a: Floats, b: Floats) -> float:
    """Distance of a point from the straight line between two others [m]."""
    along = b - a
    square = float(along @ along)
    part = min(1.0, max(0.0, float((p - a) @ along) / square)) if square > 0.0 else 0.0
    return float(np.linalg.norm(p - a - part * along))


def _tree(nodes: list[Node]) -> list[tuple[Node, Node]]:
    """Pairs that join all nodes on the shortest way (Prim); a lone node makes a pair with itself."""
    if len(nodes) == 1:
        return [(nodes[0], nodes[0])]
    inside, outside, pairs = nodes[:1], nodes[1:], []
    while outside:
        a, b = min(((a, b) for a in inside for b in outside), key=lambda pair: np.linalg.norm(pair[0].p - pair[1].p))
        pairs.append((a, b))
        inside = [*inside, b]
        outside = [node for node in outside if node is not b]
    return pairs


def _bars(nodes: list[Node], r: float) -> list[Solid]:
    """Bars between all nodes with eyes and forks at their hinges."""
    if len(nodes) < 2:
        return []
    solids = []
    for a, b in _tree(nodes):
        length = float(np.linalg.norm(b.p - a.p))
        ends = []
        for node, other in ((a, b), (b, a)):
            start, parts = _end(node, (other.p - node.p) / length, r, length)
            ends.append(start)
            solids += parts
        solids.append(cylinder(ends[0], ends[1], min(r, 0.12 * length)))
    return solids


def _end(node: Node, direction: Floats, r: float, length: float) -> tuple[Floats, list[Solid]]:
    """Start of a bar, and the solids that hold it there; direction: towards the other end."""
    hinge = node.hinge()
    side = direction if hinge is None else direction - (direction @ hinge.axis) * hinge.axis
    across = float(np.linalg.norm(side))
    if hinge is None or across < 0.5 or length < 3.0 * FORK * r:
        return node.p, [sphere(min(r, 0.12 * length), node.p, 24)]
    side = side / across
    frame = np.column_stack([side, np.cross(hinge.axis, side), hinge.axis])
    sides = {a.side for a in node.attachments if DRAWINGS[a.type].is_hinge}
    if sides == {0}:
        return node.p + FORK * r * side, [moved(_fork(r), frame, node.p)]
    eye = tube((0.0, 0.0, -r), (0.0, 0.0, r), 2.0 * r, r)
    return node.p + EYE * r * side, [moved(eye, frame, node.p)]


def _fork(r: float) -> Solid:
    """Two prongs about z that open against x, for a bar along x."""
    solids = [box((1.2 * r, 2.2 * r, 4.2 * r), (FORK * r, 0.0, 0.0))]
    for z in (-1.6 * r, 1.6 * r):
        solids.append(box((2.6 * r, 2.2 * r, 0.9 * r), (2.8 * r, 0.0, z)))
        solids.append(tube((0.0, 0.0, z - 0.5 * r), (0.0, 0.0, z + 0.5 * r), 2.0 * r, r))
    return joined(solids)


def _hub(nodes: list[Node], r: float) -> Solid:
    """A small cube where everything is attached at one place, in the axes of the first joint."""
    if not nodes:
        return sphere(2.0 * r)
    frame = nodes[0].attachments[0].R_b if nodes[0].attachments else np.eye(3)
    return moved(box((3.6 * r, 3.6 * r, 3.6 * r)), frame, nodes[0].p)
