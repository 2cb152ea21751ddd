"""Shapes of a beam that suffice whatever its joints hold: constraint shapes at its interfaces and modes between them.

Interfaces are the two ends, every place where a joint, a force or a spring acts, and the lumps. With the others held, a
unit deflection or turn of one interface is a static solution of the beam, so forces at the interfaces bend it exactly;
the lowest modes with all interfaces held add the inertia between them [Craig & Bampton 1968]. The curves are recombined
to the modes of the beam held at both ends of its chord, so that no two of them are nearly alike (theory 2.3).
    C = [-K_ii^-1 K_ib; 1],   K_ii Phi = M_ii Phi w^2
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from flexmb.arrays import Floats
from flexmb.elements.beam_elements import BeamLineCurve
from flexmb.elements.beam_shapes import BENDING, COMPONENTS, BeamShape, Curve
from flexmb.elements.segment_curves import SegmentCurve, segment_functions
from flexmb.reduction.beam_data import break_points, span_ends
from flexmb.reduction.beam_matrices import BeamIntegrals
from flexmb.reduction.beam_request import BeamRequest
from flexmb.reduction.element_curves import beam_line, element_nodes

_BUBBLES = 8
"""Bubbles of a segment, at least, and five more than the modes: the third mode between held ends is right to 1e-4."""
_NEAR = 0.01
"""Interfaces closer than this part of the length are one: a shorter segment would only add high frequencies."""
_SHEAR_ELEMENTS = 6
"""Elements of a beam with shear, at least, and two for each segment: its third held mode is right to 1 %."""

Combine = Callable[[Floats], Curve]


def interface_places(length: float, stations: Sequence[float], lumps: Sequence[float]) -> Floats:
    """(n,) interfaces [m]: the ends, then stations and lumps that are not near one that is already there."""
    kept = [0.0, length]
    for x in (*stations, *lumps):
        if min(abs(x - place) for place in kept) > _NEAR * length:
            kept.append(float(x))
    return np.array(sorted(kept))


def interface_curves(request: BeamRequest) -> tuple[Floats, dict[str, Sequence[Curve]]]:
    """Nodes [m] and curves of each component; the count of a component is its number of modes between interfaces."""
    length = request.length
    interfaces = interface_places(length, request.stations, [lump.x for lump in request.lumps])
    nodes = break_points(length, interfaces, span_ends(request.spans, length)[:-1], [lump.x for lump in request.lumps])
    bubbles = max(_BUBBLES, 5 + max(count or 0 for count in request.counts.values()))
    if request.shear:
        nodes = element_nodes(
            nodes, max(_SHEAR_ELEMENTS, 2 * (nodes.size - 1), 2 * max(count or 0 for count in request.counts.values()))
        )
        bubbles = 1
    curves: dict[str, Sequence[Curve]] = {}
    for component in COMPONENTS:
        count = request.counts[component]
        curves[component] = []
        if count:
            K, M, owners, combine = _space(request, component, nodes, bubbles)
            at = [int(np.argmin(np.abs(nodes - place))) for place in interfaces]
            held = [k for k, owner in enumerate(owners) if owner in at]
            n_modes = count if component in BENDING else count - 1
            chord = [held[0], held[-2]] if component in BENDING else [held[0]]
            curves[component] = [combine(row) for row in _component_modes(K, M, held, chord, n_modes)]
    return nodes, curves


def _space(
    request: BeamRequest, component: str, nodes: Floats, bubbles: int
) -> tuple[Floats, Floats, list[int], Combine]:
    """Stiffness and mass of all functions of one component, the node of each (-1: none), and the curve of a sum."""
    bends = component in BENDING
    if bends and request.shear:
        line, K, M = beam_line(
            component, request.length, request.spans, nodes, request.lumps, True, request.rotary_inertia
        )
        owners = [k // 2 for k in range(2 * nodes.size)]
        return K, M, owners, lambda row: BeamLineCurve(nodes, line.shear_parameter, row.reshape(-1, 2))
    series, owners = segment_functions(nodes, bubbles, bends)
    shapes = [BeamShape(component, "", SegmentCurve(nodes, one, bends)) for one in series]
    integrals = BeamIntegrals(
        request.length, request.spans, nodes, series.shape[2] + 1, request.lumps, False, request.rotary_inertia
    )
    return (
        integrals.stiffness(shapes),
        integrals.mass(shapes),
        owners,
        lambda row: SegmentCurve(nodes, np.einsum("k,ksd->sd", row, series), bends),
    )


def _component_modes(K: Floats, M: Floats, held: list[int], chord: list[int], n_modes: int) -> Floats:
    """(n_curves, n) constraint shapes of the interface unknowns and modes between them, as modes of the chord frame."""
    from scipy.linalg import eigh  # only here: a quarter of a second at every start

    n = len(K)
    inner = np.setdiff1d(np.arange(n), held)
    free = np.array([k for k in held if k not in chord], dtype=int)
    T = np.zeros((n, 0))
    if free.size:
        T = np.zeros((n, len(free)))
        T[free, np.arange(len(free))] = 1.0
        if inner.size:
            T[inner] = -np.linalg.solve(K[np.ix_(inner, inner)], K[np.ix_(inner, free)])
    n_modes = min(n_modes, inner.size)
    if n_modes > 0:
        _, modes = eigh(K[np.ix_(inner, inner)], M[np.ix_(inner, inner)], subset_by_index=[0, n_modes - 1])
        Phi = np.zeros((n, n_modes))
        Phi[inner] = modes
        T = np.hstack([T, Phi])
    size = np.sqrt(np.einsum("ik,ij,jk->k", T, M, T))
    T = T / size
    _, mixed = eigh(T.T @ K @ T, T.T @ M @ T)
    return np.asarray((T @ mixed).T)
