"""Second-order displacements of a body, beside those along the shapes: u = Phi q + 1/2 G q q.

A bent rod becomes shorter, a twisted one pulls its fibres inwards. To second order these displacements are those that
leave no internal forces (static modal derivatives): with F_kl the second derivatives of the internal forces of the
body along the shapes,
    K G_kl = -F_kl
under the inertia that balances F_kl, in mean axes, and with rigid ties that stay rigid: their nodes move by
sym(~w_k ~w_l) r in addition to the second-order motion of their marker. Axial forces on a marker then stiffen the body
by their work on G, like S2 and X in theory 3.1.

The part of G that lies in the shapes themselves, c_m = Phi_m^T K G_kl / w_m^2, is a matter of coordinates only. Of the
three shapes k, l, m it is left in one (half or a third of it when that one occurs two or three times) and removed from
the others. That makes the cubic part of the strain energy vanish: it is 1/2 q^T Phi^T K G q q plus that of the body,
1/6 Phi_m . F_kl q_k q_l q_m. The chosen shape is the one with the least second-order displacement for its stiffness,
    chi_k = G_kk^T K G_kk / (w_k^2 |Phi_k|^2),
the stretch of a rod rather than its bending, whatever their frequencies: then bending shortens the rod, and a stretched
rod does not unbend by its coordinate of stretch. (Left in the shape of the highest frequency instead, a blade with
bending shapes above its first axial one gets too stiff when it spins, by 5 % at twelve times the bending frequency.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from flexmb.arrays import Floats, Integers
from flexmb.elements.second_order import second_order_forces
from flexmb.reduction.component_modes import ComponentModes
from flexmb.reduction.free_body import FreeBody
from flexmb.reduction.interfaces import Interface
from flexmb.reduction.small_motions import SmallMotion, lower_pairs, second_rotation

Progress = Callable[[str, float], None] | None

CHUNK = 48
"""Pairs of shapes that are solved together."""


def second_order_fields(
    body: FreeBody, shapes: ComponentModes, progress: Progress = None
) -> Iterator[tuple[slice, Floats]]:
    """Chunks of pairs of `lower_pairs` and their G : (3 b, pairs), for shapes of unit modal mass, in mean axes."""
    Phi, n = shapes.Phi, shapes.Phi.shape[1]
    pairs = lower_pairs(n)
    # what is removed from G, rigid motions and shapes, and how much of each is in it
    removed = np.hstack([body.R, Phi])
    content = np.hstack([body.MR, np.asarray(body.model.K @ Phi) / shapes.omega_squared])

    def report(done: int) -> None:
        if progress is not None:
            progress(f"second-order field: {done} of {len(pairs)} pairs", done / len(pairs))

    own = _own_derivatives(body, Phi, report)
    rank = _membrane_rank(body, shapes, own)
    mixed = pairs[:, 0] != pairs[:, 1]
    # every chunk has as many pairs of different shapes as are solved at once
    starts = np.concatenate([[0], np.flatnonzero(mixed)[CHUNK::CHUNK], [len(pairs)]])
    for number, (first, end) in enumerate(zip(starts[:-1], starts[1:], strict=True)):
        part = slice(int(first), int(end))
        report(n + number * CHUNK)
        # a single shape has no pair of different ones
        found = _derivatives(body, Phi, pairs[part][mixed[part]]) if mixed[part].any() else own[:, :0]
        G = np.empty((len(Phi), end - first))
        G[:, ~mixed[part]] = own[:, pairs[part][~mixed[part], 0]]
        G[:, mixed[part]] = found
        del found  # these arrays are the largest beside the factor: none lives longer than it is used
        contained = content.T @ G
        contained[6:] *= 1.0 - _shares(pairs[part], rank)
        G -= removed @ contained
        yield part, G
        del G


def _own_derivatives(body: FreeBody, Phi: Floats, report: Callable[[int], None]) -> Floats:
    """(3 b, n) G_kk of every shape"""
    n = Phi.shape[1]
    found = np.empty_like(Phi)
    for first in range(0, n, CHUNK):
        report(first)
        own = np.arange(first, min(first + CHUNK, n))
        found[:, own] = body.without_rigid(_derivatives(body, Phi, np.stack([own, own], axis=1)))
    return found


def _derivatives(body: FreeBody, Phi: Floats, pairs: Integers) -> Floats:
    """(3 b, p) static modal derivatives, with some rigid motion: G with K G_kl = -F_kl"""
    forces = second_order_forces(body.model, Phi, pairs)
    ties = [interface for interface in body.interfaces if interface.tie == "rbe2"]
    turned = np.concatenate([turned_nodes(tie, Phi, pairs) for tie in ties]) if ties else np.zeros((0, len(pairs)))
    if body.model.ties is not None:
        everywhere = np.zeros_like(forces)
        if ties:
            everywhere[body.tied_rows] = turned
        everywhere = body.model.ties.second_order(Phi, pairs, everywhere)
        G = body.solve_in_any_axes(forces + np.asarray(body.model.K @ everywhere))
        return np.subtract(everywhere, G, out=G)
    if ties:
        forces += body.tied_stiffness @ turned
    G = body.solve_in_any_axes(forces, in_place=True)
    np.negative(G, out=G)
    if ties:
        G[body.tied_rows] += turned
    return G


def _membrane_rank(body: FreeBody, shapes: ComponentModes, own: Floats) -> Integers:
    """(n,) rank of every shape by descending chi: the last one is most like a stretch; own : (3 b, n) G_kk"""
    chi = np.einsum("ij,ij->j", own, np.asarray(body.model.K @ own))
    chi /= shapes.omega_squared * np.abs(shapes.Phi).max(axis=0) ** 2
    rank = np.empty(len(chi), dtype=np.int64)
    rank[np.argsort(-chi)] = np.arange(len(chi))
    return rank


def turned_nodes(tie: Interface, Phi: Floats, pairs: Integers) -> Floats:
    """(3 s, p) second-order displacement of the nodes of a tie by the rotation of its marker, sym(~w_k ~w_l) r"""
    w = tie.motion(Phi)[3:].T
    turned = second_rotation(w[pairs[:, 0]], w[pairs[:, 1]])
    # A holds -~r, from which the arms r are read back. Rotation blocks have none.
    skew = tie.A.reshape(-1, 3, 6)[:, :, 3:]
    arms = np.stack([skew[:, 1, 2], skew[:, 2, 0], skew[:, 0, 1]], axis=1)
    return np.einsum("pij,sj->sip", turned, arms).reshape(-1, len(pairs))


def _shares(pairs: Integers, rank: Integers) -> Floats:
    """(n, p) part of the displacement along shape m that stays in pair (k, l); rank : (n,) of the shapes"""
    m, k, l = rank[:, None], rank[pairs[:, 0]], rank[pairs[:, 1]]
    top = np.maximum(np.maximum(k, l), m)
    times = (top == k).astype(int) + (top == l) + (top == m)
    return np.where(m == top, 1.0 / times, 0.0)


def marker_motion(interface: Interface, Phi: Floats, pairs: Integers, G: Floats | None) -> SmallMotion:
    """First and second-order motion of a marker from that of its nodes; G : (3 b, p) for the pairs, or None"""
    first = interface.motion(Phi)
    d, w = first[:3].T, first[3:].T
    if G is None:
        return SmallMotion(d, w, np.zeros((len(pairs), 3)), np.zeros((len(pairs), 3)))
    # The motion of the nodes due to the rotation of the marker is not a second-order motion of the marker.
    second = interface.motion(G) - interface.E @ turned_nodes(interface, Phi, pairs)
    return SmallMotion(d, w, second[:3].T, second[3:].T)
