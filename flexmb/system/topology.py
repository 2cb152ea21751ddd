"""The linear graph of a mechanism and the tree that chooses its coordinates.

Nodes are frames: ground, body frames, markers. Edges are bodies (ground to body frame), arms (body frame to marker),
joints (marker to marker), motions and forces. A body edge in the tree means absolute coordinates for that body, a joint
edge joint coordinates; joints outside the tree are chords and give constraint rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from flexmb.errors import Fault, InputError
from flexmb.graph import Edge, Forest, LinearGraph, SpanningTree, spanning_tree
from flexmb.loads.table import LOAD_TYPES
from flexmb.model.schema.loads import markers_of
from flexmb.model.schema.model_spec import ModelSpec
from flexmb.system.mechanism import Mechanism

INITIAL_STATE_WEIGHT = 100
"""Extra weight of joints with given initial coordinates in the tree that finds the initial state."""


@dataclass(frozen=True)
class Branch:
    """Connection of a body in the tree: a joint (its number), or a free joint from ground (None)."""

    body: int
    parent: int
    joint: int | None
    reversed: bool
    """The body is the first of the joint's two bodies."""


@dataclass(frozen=True)
class Topology:
    """Branches in the order of the recursion (parents first), chords as joint numbers, and the graph they come from."""

    branches: tuple[Branch, ...]
    chords: tuple[int, ...]
    graph: LinearGraph
    tree: SpanningTree


def _node(mechanism: Mechanism, marker: int) -> str:
    """Frame of a marker; the origin marker of a body is the body frame itself."""
    placed = mechanism.markers[marker]
    name = mechanism.bodies[placed.body].name
    return name if placed.name == f"{name}.origin" else placed.name


def linear_graph(spec: ModelSpec, mechanism: Mechanism, *, prefer_initial: bool = False) -> LinearGraph:
    """The graph of a model. With `prefer_initial`, joints with given initial values are kept in the tree."""
    bodies, markers = mechanism.bodies, mechanism.markers
    nodes = [body.name for body in bodies]
    edges = [Edge(f"body {body.name}", "ground", body.name, "body") for body in bodies[1:]]
    for number, marker in enumerate(markers):
        node = _node(mechanism, number)
        if node != bodies[marker.body].name:
            nodes.append(node)
            edges.append(Edge(f"arm {node}", bodies[marker.body].name, node, "arm"))
    for joint in mechanism.joints:
        weight = joint.type.n_rows
        if prefer_initial and (joint.position is not None or joint.velocity is not None):
            weight += INITIAL_STATE_WEIGHT
        tail, head = _node(mechanism, joint.first), _node(mechanism, joint.second)
        edges.append(Edge(joint.name, tail, head, "joint", weight))
    for name, motion in spec.motions.items():
        if motion.joint is not None:
            joint = mechanism.joints[mechanism.joint_index[motion.joint]]
            ends = (joint.first, joint.second)
        else:
            assert motion.marker is not None
            ends = (mechanism.marker_index[motion.relative_to], mechanism.marker_index[motion.marker])
        edges.append(Edge(f"motion {name}", _node(mechanism, ends[0]), _node(mechanism, ends[1]), "motion"))
    for name, force in spec.forces.items():
        edges.append(Edge(f"force {name}", *_force_ends(mechanism, force), "force"))
    return LinearGraph(tuple(nodes), tuple(edges), self_loops=("force", "motion"))


def _force_ends(mechanism: Mechanism, force: Any) -> tuple[str, str]:
    acts_on = LOAD_TYPES[force.type].acts_on
    if acts_on == "coordinate":
        joint = mechanism.joints[mechanism.joint_index[force.joint]]
        return _node(mechanism, joint.first), _node(mechanism, joint.second)
    if ends := markers_of(force):
        first, second = (_node(mechanism, mechanism.marker_index[end]) for end in (ends[0], ends[-1]))
        return first, second
    return "ground", _node(mechanism, mechanism.marker_index[force.marker])


def topology(spec: ModelSpec, mechanism: Mechanism, *, initial_state: bool = False) -> Topology:
    """Choose the tree: by rule and the user's choice, or (initial_state) that in which initial values are read."""
    graph = linear_graph(spec, mechanism, prefer_initial=initial_state)
    branches: list[str] = []
    chords = [joint.name for joint in mechanism.joints if not joint.type.branch]
    if not initial_state:
        choice = spec.coordinates
        for name, body in spec.bodies.items():
            wanted = body.coordinates or ("absolute" if name in choice.absolute else choice.default)
            if wanted != "joint":  # natural coordinates are read through absolute ones
                branches.append(f"body {name}")
        named = [name for name, joint in spec.joints.items() if joint.tree or name in choice.branches]
        if faults := _loop_faults(mechanism, branches, named):
            raise InputError(faults)
        branches += named
        chords += [name for name, joint in spec.joints.items() if joint.tree is False or name in choice.chords]
    tree = spanning_tree(graph, branches=tuple(dict.fromkeys(branches)), chords=tuple(dict.fromkeys(chords)))
    found = [_branch(mechanism, tree, number) for number in range(1, len(mechanism.bodies))]
    found.sort(key=lambda branch: tree.order.index(mechanism.bodies[branch.body].name))
    in_tree = {branch.joint for branch in found}
    outside = tuple(number for number in range(len(mechanism.joints)) if number not in in_tree)
    return Topology(tuple(_parents_first(found)), outside, graph, tree)


def loop_size(mechanism: Mechanism, topo: Topology, chord: int, length_scale: float) -> float:
    """Size of the loop that a chord closes [m]: distance of its joints; that of all where a part of it slides."""
    closing = mechanism.joints[chord]
    edges = [edge for edge, _ in topo.tree.circuit(topo.graph.edge(closing.name)) if edge.kind != "arm"]
    joints = [mechanism.joints[mechanism.joint_index[edge.name]] for edge in edges if edge.kind == "joint"]
    branches = [joint for joint in joints if joint is not closing]
    slides = any(joint.type.kind_of(name) == "length" for joint in branches for name in joint.type.coordinates)
    if slides or len(joints) < len(edges):  # bodies in absolute coordinates slide too
        return length_scale
    places = np.array([mechanism.world_pose(marker)[1] for joint in joints for marker in (joint.first, joint.second)])
    return float(np.linalg.norm(np.ptp(places, axis=0)))


def _loop_faults(mechanism: Mechanism, absolute: list[str], joints: list[str]) -> list[Fault]:
    """A fault for every joint that the user wants in the tree although it closes a loop there.

    `absolute` are the body edges of bodies in absolute coordinates. The spanning tree would reject them too, but in
    terms of the graph; here bodies are points, and a loop is reported by its joints and bodies.
    """
    forest = Forest(body.name for body in mechanism.bodies)
    for name in absolute:
        forest.join(Edge(name, "ground", name.removeprefix("body "), "body"))
    faults = []
    for name in joints:
        joint = mechanism.joints[mechanism.joint_index[name]]
        tail, head = (mechanism.bodies[mechanism.markers[end].body].name for end in (joint.first, joint.second))
        edge = Edge(name, tail, head, "joint")
        if forest.join(edge):
            continue
        faults.append(_loop_fault([edge, *forest.way(head, tail)]))
    return faults


def _loop_fault(loop: list[Edge]) -> Fault:
    joints = [f"'{edge.name}'" for edge in loop if edge.kind == "joint"]
    bodies = [f"'{edge.head}'" for edge in loop if edge.kind == "body"]
    text = f"the joint {joints[0]} cannot be in the tree"
    hint = "Let the joint be a chord"
    if len(joints) > 1:
        text = f"the joints {', '.join(joints)} cannot all be in the tree"
        hint = "Let one of the joints be a chord"
    if bodies:
        text += f" with absolute coordinates for {', '.join(bodies)}"
        hint += f", or give {bodies[0] if len(bodies) == 1 else 'one of the bodies'} joint coordinates"
    return Fault(f"{text}: they close a loop.", ("coordinates",), f"{hint}.")


def _branch(mechanism: Mechanism, tree: SpanningTree, body: int) -> Branch:
    """The first joint or body edge on the way from a body frame to ground."""
    for edge, _ in tree.chain(mechanism.bodies[body].name):
        if edge.kind == "body":
            return Branch(body, 0, None, False)
        if edge.kind == "joint":
            number = mechanism.joint_index[edge.name]
            joint = mechanism.joints[number]
            first, second = mechanism.markers[joint.first].body, mechanism.markers[joint.second].body
            return Branch(body, first if second == body else second, number, first == body)
    raise AssertionError("a spanning tree reaches every body")


def _parents_first(branches: list[Branch]) -> list[Branch]:
    """Stable order in which every parent precedes its children."""
    children: dict[int, list[Branch]] = {}
    for branch in branches:
        children.setdefault(branch.parent, []).append(branch)
    ordered: list[Branch] = []
    waiting = [0]
    for parent in waiting:
        ordered += children.get(parent, [])
        waiting += [branch.body for branch in children.get(parent, [])]
    return ordered
