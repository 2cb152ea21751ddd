"""Curves from a finite-element model of the beam: its lowest modes with given supports, or all its nodal shapes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from flexmb.arrays import Floats
from flexmb.elements.beam_elements import BeamLine, BeamLineCurve, RodLine, RodLineCurve, line_modes
from flexmb.elements.beam_modes import held
from flexmb.elements.beam_shapes import BENDING, COMPONENTS, Curve
from flexmb.errors import Fault, InputError
from flexmb.reduction.beam_data import Lump, Span, section_properties
from flexmb.reduction.beam_request import BeamRequest

_ELEMENTS_A_MODE = 4
_FEWEST_ELEMENTS = 8


def element_curves(request: BeamRequest, breaks: Floats) -> tuple[Floats, dict[str, Sequence[Curve]]]:
    """The nodes [m], and the curves of each component."""
    nodes = element_nodes(breaks, _n_elements(request, breaks))
    curves: dict[str, Sequence[Curve]] = {}
    faults: list[Fault] = []
    for component in COMPONENTS:
        curves[component] = []
        if request.counts[component] != 0:
            make = _bending_curves if component in BENDING else _rod_curves
            curves[component] = make(component, request, nodes, faults)
    if faults:
        raise InputError(faults)
    return nodes, curves


def element_nodes(breaks: Floats, n_elements: int) -> Floats:
    """Nodes [m] of this many elements, on every break and otherwise as even as possible."""
    parts = np.ones(breaks.size - 1, dtype=int)
    lengths = np.diff(breaks)
    for _ in range(n_elements - parts.size):
        parts[np.argmax(lengths / parts)] += 1
    pieces = [
        np.linspace(left, right, n, endpoint=False)
        for left, right, n in zip(breaks[:-1], breaks[1:], parts, strict=True)
    ]
    return np.append(np.concatenate(pieces), breaks[-1])


def beam_line(
    component: str,
    length: float,
    spans: Sequence[Span],
    nodes: Floats,
    lumps: Sequence[Lump],
    shear: bool,
    rotary_inertia: bool,
) -> tuple[BeamLine, Floats, Floats]:
    """The elements of one plane, with their stiffness and mass (including lumps, as far as they act in this plane)."""
    p = section_properties(spans, length, (nodes[1:] + nodes[:-1]) / 2.0)
    EI, GA, rhoI = (p.EIz, p.GAy, p.rhoIz) if component == "y" else (p.EIy, p.GAz, p.rhoIy)
    line = BeamLine(nodes, EI, GA if shear else None, p.rhoA, rhoI if rotary_inertia else np.zeros_like(rhoI))
    stiffness, mass = line.matrices()
    across, turning = (1, 2) if component == "y" else (2, 1)
    for lump in lumps:
        at = 2 * int(np.argmin(np.abs(nodes - lump.x)))
        along, aside = lump.center[0], lump.center[across]
        about_node = lump.inertia[turning, turning] + lump.mass * (along**2 + aside**2)
        moment = lump.mass * along
        mass[at : at + 2, at : at + 2] += [[lump.mass, moment], [moment, about_node]]
    return line, stiffness, mass


def _n_elements(request: BeamRequest, breaks: Floats) -> int:
    needed = breaks.size - 1
    if request.elements is None:
        modes = max((count for count in request.counts.values() if count is not None), default=0)
        return max(_FEWEST_ELEMENTS, _ELEMENTS_A_MODE * modes, needed)
    if request.elements < needed:
        text = f"elements = {request.elements} is too few for a node at every step and lump"
        raise InputError([Fault(text, ("elements",), f"Use at least {needed}.")])
    return request.elements


def _bending_curves(component: str, request: BeamRequest, nodes: Floats, faults: list[Fault]) -> list[Curve]:
    line, stiffness, mass = beam_line(
        component, request.length, request.spans, nodes, request.lumps, request.shear, request.rotary_inertia
    )
    last = 2 * nodes.size - 2
    ends = held(request.end_supports)
    at_end = [at for at, (value, turn) in zip((0, last), ends, strict=True) for at in _held_at(at, value, turn)]
    held_unknowns, n_rigid = at_end, 2 - _rank(at_end, nodes)
    if request.counts[component] is None:
        # the conditions of the frame hold the rigid motions that the supports leave free
        for at in {"start": (0, 1), "end": (last, last + 1)}.get(request.frame, (0, last)):
            if _rank([*held_unknowns, at], nodes) > _rank(held_unknowns, nodes):
                held_unknowns = [*held_unknowns, at]
        n_rigid = 0
    modes = _modes(component, request, stiffness, mass, held_unknowns, n_rigid, faults)
    return [BeamLineCurve(nodes, line.shear_parameter, mode.reshape(-1, 2)) for mode in modes.T]


def _rod_curves(component: str, request: BeamRequest, nodes: Floats, faults: list[Fault]) -> list[Curve]:
    p = section_properties(request.spans, request.length, (nodes[1:] + nodes[:-1]) / 2.0)
    line = RodLine(nodes, p.EA, p.rhoA) if component == "u" else RodLine(nodes, p.GJ, p.rhoIy + p.rhoIz)
    stiffness, mass = line.matrices()
    for lump in request.lumps:
        at = 2 * int(np.argmin(np.abs(nodes - lump.x)))
        about_axis = lump.inertia[0, 0] + lump.mass * (lump.center[1] ** 2 + lump.center[2] ** 2)
        mass[at, at] += lump.mass if component == "u" else about_axis
    held_end = request.rod_end
    if held_end is None and request.counts[component] is None:
        held_end = "A"  # the frame then removes the mean of the nodal shape
    held_unknowns = {None: [], "A": [0], "B": [stiffness.shape[0] - 1]}[held_end]
    modes = _modes(component, request, stiffness, mass, held_unknowns, 1 - len(held_unknowns), faults)
    return [RodLineCurve(nodes, mode) for mode in modes.T]


def _modes(
    component: str,
    request: BeamRequest,
    stiffness: Floats,
    mass: Floats,
    held_unknowns: list[int],
    n_rigid: int,
    faults: list[Fault],
) -> Floats:
    """(n, count) the lowest elastic modes, or a unit vector for every unknown that is not held."""
    n = stiffness.shape[0]
    count = request.counts[component]
    if count is None:
        return np.delete(np.eye(n), held_unknowns, axis=1)
    most = n - len(held_unknowns) - n_rigid
    if count > most:
        text = (
            f"{count} shapes '{component}' are requested, but the elements have only {most} modes with these supports"
        )
        faults.append(Fault(text, ("elements",), "Use more elements."))
        return np.zeros((n, 0))
    return line_modes(stiffness, mass, held_unknowns, n_rigid, count)[1]


def _held_at(first: int, value: bool, turn: bool) -> list[int]:
    return [first] * value + [first + 1] * turn


def _rank(held_unknowns: Sequence[int], nodes: Floats) -> int:
    """Number of the two rigid motions of a plane that these held unknowns prevent."""
    rows = [[0.0, 1.0] if at % 2 else [1.0, nodes[at // 2] / nodes[-1]] for at in held_unknowns]
    return int(np.linalg.matrix_rank(np.array(rows))) if rows else 0
