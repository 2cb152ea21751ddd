"""Pre-stress: a state of stress about which a body is linearised, and the stiffness that it adds.

A load (of a load shape, or the centrifugal force of a spin) is held by an interface or balanced in itself; u0 are its
static displacements. The strain energy has the second derivatives K + K_g at u0, where

    K_g Phi_k = F_0k - f1_k

with F_0k the second derivatives of the internal force along u0 and Phi_k (`elements/second_order.py`: geometric
stiffness and that of the changed shape) and f1_k the forces of temperatures on a deformed body. Rigid ties turn with
their markers: the reactions r0 = K u0 - f on their nodes add r0 . sym(~w_k ~w_l) arm.
Coordinates are counted from the unstressed body: the load itself acts in the model, by its motion or by force elements.
The stiffness of the coordinates is that of shapes as seen from the body frame, as there the load acts in fixed
directions. A quadratic field has this stiffness from the loads that act at run time, whatever they are.
Modes in the stressed state are sought by Ritz's method among those of the unstressed body and K^-1 K_g times them,
repeated until their frequencies settle.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy.linalg import eigh

from flexmb.arrays import Floats
from flexmb.elements.second_order import second_order_forces
from flexmb.errors import Fault, InputError
from flexmb.reduction.free_body import FreeBody
from flexmb.reduction.interfaces import Interface
from flexmb.reduction.load_words import PrestressRequest
from flexmb.reduction.second_order import turned_nodes

_BALANCED = 1e-6
"""Resultants below this part of the sum of the forces (times the size of the body) count as none"""
_SETTLED = 1e-5
"""Relative change of the frequencies at which the search for modes ends"""
_MOST_ROUNDS = 8
_SAME = 1e-10
"""A combination of unit vectors with a smaller squared length is contained in the others"""


class Load(Protocol):
    """Forces of a load of value 1 on a model."""

    @property
    def unknowns(self) -> Floats:
        """(3 b,)"""

    def heated_forces(self, Phi: Floats) -> Floats:
        """(3 b, m) derivatives of the forces of temperatures along Phi"""


@dataclass(frozen=True)
class Prestress:
    """The state of stress of a body."""

    body: FreeBody
    u0: Floats
    """(3 b,) static displacements"""
    reaction: Floats
    """(3 b,) forces on the nodes of rigid ties"""
    heated: tuple[tuple[float, Load], ...]
    """Loads with their values"""
    text: str

    def forces(self, Phi: Floats) -> Floats:
        """(3 b, m) K_g Phi without the terms of rigid ties"""
        m = Phi.shape[1]
        pairs = np.stack([np.zeros(m, dtype=np.int64), np.arange(1, m + 1)], axis=1)
        found = second_order_forces(self.body.model, np.column_stack([self.u0, Phi]), pairs)
        for value, load in self.heated:
            found -= value * load.heated_forces(Phi)
        return found

    def stiffness(self, Phi: Floats) -> Floats:
        """(m, m) Phi^T K_g Phi"""
        return self._products(Phi, self.forces(Phi))

    def _products(self, Phi: Floats, forces: Floats) -> Floats:
        found, m = Phi.T @ forces, Phi.shape[1]
        pairs = np.stack(np.meshgrid(np.arange(m), np.arange(m), indexing="ij"), axis=2).reshape(-1, 2)
        for tie in (interface for interface in self.body.interfaces if interface.tie == "rbe2"):
            found += (self.reaction[tie.rows] @ turned_nodes(tie, Phi, pairs)).reshape(m, m)
        return 0.5 * (found + found.T)

    def modes(
        self, body: FreeBody, vectors: Floats, frequencies: Floats, free: bool, notes: list[str]
    ) -> tuple[Floats, Floats]:
        """The modes in the stressed state, and their frequencies [Hz], from those of the unstressed body"""
        count, before = len(frequencies), frequencies
        for _ in range(_MOST_ROUNDS):
            forces = self.forces(vectors)
            more = body.solve(forces) if free else body.solve_fixed(forces)
            omega_squared, found = self._lowest(np.hstack([vectors, more]), count)
            last, frequencies = frequencies, np.sqrt(omega_squared) / (2.0 * np.pi)
            vectors = found
            if np.abs(frequencies - last).max() <= _SETTLED * frequencies.max():
                break
        some = min(3, count)
        shown = [", ".join(f"{f:.5g}" for f in values[:some]) for values in (frequencies, before)]
        notes.append(f"Linearised about {self.text}: modes at {shown[0]} Hz; without stress at {shown[1]} Hz.")
        return vectors, frequencies

    def _lowest(self, V: Floats, count: int) -> tuple[Floats, Floats]:
        """The lowest squared frequencies [rad^2/s^2] of the stressed body among the vectors V, and their modes"""
        model = self.body.model
        V = V / np.sqrt(np.maximum(np.einsum("ij,ij->j", V, model.mass_times(V)), 1e-300))
        values, axes = np.linalg.eigh(V.T @ model.mass_times(V))
        kept = values > _SAME * values[-1]
        V = V @ (axes[:, kept] / np.sqrt(values[kept]))
        plain = V.T @ np.asarray(model.K @ V)
        stressed = plain + self._products(V, self.forces(V))
        omega_squared, W = eigh(stressed, subset_by_index=(0, min(count, stressed.shape[0]) - 1))
        self.reject_buckled(stressed, plain)
        return omega_squared, V @ W

    def reject_buckled(self, stressed: Floats, plain: Floats | None = None) -> None:
        """Reject a state in which the body buckles: its stiffness has a negative eigenvalue."""
        if np.linalg.eigvalsh(stressed)[0] > 0.0:
            return
        more = ""
        if plain is not None:
            factors = eigh(-(stressed - plain), plain, eigvals_only=True)
            more = f": it buckles at {1.0 / factors[-1]:.3g} times that"
        text = f"the body is not stable under {self.text}{more}"
        raise InputError(
            [Fault(text, ("prestress",), "Use less load, or hold the body where it is held in the model.")]
        )


def prestressed(body: FreeBody, loads: Mapping[str, Load], requests: Sequence[PrestressRequest]) -> Prestress | None:
    """The state under all the loads of a pre-stress; None without any."""
    if not requests:
        return None
    if body.model.ties is not None:
        text = "ties of the deck turn with the nodes that they follow, which a pre-stress does not know"
        hint = "Use the quadratic field, which stiffens at run time, or take the ties out of the deck."
        raise InputError([Fault(text, ("prestress",), hint)])
    u0, reaction = np.zeros(body.n), np.zeros(body.n)
    heated = []
    for request in requests:
        if request.load:
            force = request.value * loads[request.load].unknowns
            heated.append((request.value, loads[request.load]))
        else:
            force = _centrifugal(body, request)
        u = _static(body, force, request)
        u0 += u
        reaction += np.asarray(body.model.K @ u) - force
    text = " and ".join(request.text for request in requests)
    return Prestress(body, u0, reaction, tuple(heated), text)


def _centrifugal(body: FreeBody, request: PrestressRequest) -> Floats:
    """(3 b,) centrifugal forces"""
    model, axis = body.model, np.array(request.axis)
    r = model.points - _holding(body, request)[0].point
    field = np.zeros((model.n_blocks, 3))
    field[: len(r)] = request.value**2 * (r - np.outer(r @ axis, axis))
    return model.mass_times(field.reshape(-1, 1)).ravel()


def _holding(body: FreeBody, request: PrestressRequest) -> list[Interface]:
    return [interface for name in request.held for interface in body.interfaces if interface.name == name]


def _static(body: FreeBody, force: Floats, request: PrestressRequest) -> Floats:
    """(3 b,) displacements under a force that interfaces hold, or that is balanced

    K u = f - E^T w with E u = 0 for the motion E u of the holding interfaces and the wrenches w on them: in mean axes
    u = u_f - U_E w + R d, and forces and wrenches are balanced, R^T f = R^T E^T w.
    """
    if not request.held:
        _require_balance(body, force, request)
        return body.solve(force[:, None])[:, 0]
    holding = _holding(body, request)
    push = np.hstack([interface.forces(body.n) for interface in holding])
    u = body.solve(np.column_stack([force, push]))
    moved = np.concatenate([interface.motion(u) for interface in holding])
    rigid = np.concatenate([interface.motion(body.R) for interface in holding])
    count, size = push.shape[1], float(np.trace(moved[:, 1:])) / push.shape[1]
    matrix = np.zeros((count + 6, count + 6))
    matrix[:count, :count], matrix[:count, count:], matrix[count:, :count] = -moved[:, 1:] / size, rigid, rigid.T
    found = np.linalg.solve(
        matrix, np.concatenate([-moved[:, 0], body.R.T @ force]) * np.repeat([1.0, size], [count, 6])
    )
    return np.asarray(u[:, 0] - u[:, 1:] @ (found[:count] / size) + body.R @ found[count:])


def _require_balance(body: FreeBody, force: Floats, request: PrestressRequest) -> None:
    points = body.model.points
    resultant = body.model.rigid_motions(points.mean(axis=0)).T @ force
    blocks = np.linalg.norm(force.reshape(-1, 3)[: len(points)], axis=1)
    size = float(np.ptp(points, axis=0).max())
    off = max(np.linalg.norm(resultant[:3]), np.linalg.norm(resultant[3:]) / size)
    if off <= _BALANCED * blocks.sum():
        return
    names = ", ".join(interface.name for interface in body.interfaces[:5])
    text = (
        f"the load of '{request.text}' is not balanced: it pushes the body with {np.linalg.norm(resultant[:3]):.4g} N"
    )
    hint = f"Say which interface holds the body: '{request.text} held INTERFACE' (interfaces: {names or 'none'})."
    raise InputError([Fault(text, ("prestress",), hint)])


def prestress_faults(
    requests: Sequence[PrestressRequest], loads: Sequence[str], interfaces: Sequence[str], field: str, has_band: bool
) -> list[Fault]:
    """Faults of a pre-stress that need no mesh."""
    from flexmb.suggestions import did_you_mean

    if not requests:
        return []
    faults = []
    if field == "quadratic":
        text = "a quadratic field stiffens by the loads that act at run time: with pre-stress it would do so twice"
        hint = "Leave out the pre-stress and apply its load in the model, or use field linear."
        faults.append(Fault(text, ("prestress",), hint))
    if has_band:
        text = "shapes that are chosen for a band are those of the unstressed body"
        faults.append(Fault(text, ("prestress",), "Give a number of modes instead of the band."))
    for request in requests:
        if request.load and request.load not in loads:
            hint = did_you_mean(request.load, list(loads), "Loads") if loads else "Define it as a load of the mesh."
            faults.append(Fault(f"there is no load '{request.load[:60]}'", ("prestress",), hint))
        for name in request.held:
            if name not in interfaces:
                hint = did_you_mean(name, list(interfaces), "Interfaces")
                faults.append(Fault(f"there is no interface '{name[:60]}'", ("prestress",), hint))
    return faults
