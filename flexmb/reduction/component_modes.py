"""Component modes of a body: free, fixed-interface, constraint, attachment and user vectors in one orthogonal basis.

The rigid part of the vectors V is removed (R^T M V = 0, mean axes); they are made orthogonal with respect to mass and
stiffness, V^T M V w^2 = V^T K V, and become the shapes in the order of their frequency. Dependent combinations (six
combinations of constraint modes are rigid motions, attachment modes may be contained in free modes) are dropped.
Craig & Bampton (1968): fixed-interface modes and constraint modes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.linalg import eigh
from scipy.optimize import linear_sum_assignment

from flexmb.arrays import Floats, Integers
from flexmb.axes import AXES
from flexmb.errors import Fault, InputError
from flexmb.reduction.eigenmodes import lowest_modes
from flexmb.reduction.free_body import FreeBody

if TYPE_CHECKING:
    from flexmb.reduction.prestress import Prestress

Progress = Callable[[str, float], None] | None

METHODS = ("craig-bampton", "free", "fixed")
_MOTIONS = (*AXES, *(f"r{axis}" for axis in AXES))
_SAME = 1e-10
"""A combination of unit vectors with a smaller squared length is contained in the others."""
_PAIR = 0.015
"""Modes whose frequencies differ by less than this part are a pair: two planes of a round or square part, which a mesh
splits by up to about one per cent."""
_TIE = 1e-6
"""Values that differ by less than this part count as equal: the first is taken, and round-off does not choose."""


@dataclass(frozen=True)
class Source:
    """Origin of a vector."""

    kind: str
    """One of "fixed-interface", "constraint", "free", "attachment", "krylov", "load", "user" """
    label: str
    interface: str = ""
    frequency: float = 0.0
    """[Hz] of a mode, 0 for a static shape"""
    effective_mass: tuple[float, float, float] | None = None
    """Effective mass of a fixed-interface mode along x, y, z, as a part of the total mass"""


@dataclass(frozen=True)
class ComponentModes:
    """The orthogonal shapes of a body in mean axes."""

    Phi: Floats
    """(3 b, n) with unit modal mass, in the order of frequency"""
    omega_squared: Floats
    """(n,) [rad^2/s^2]"""
    labels: tuple[str, ...]
    kinds: tuple[str, ...]
    interfaces: tuple[str, ...]
    sources: tuple[Source, ...]
    """The vectors that span them"""
    condition: float
    """Condition number of the vectors (unit length each) that were kept"""
    notes: tuple[str, ...] = ()


def component_modes(
    body: FreeBody,
    method: str = "craig-bampton",
    *,
    modes: int | None = None,
    below: float | None = None,
    keep_below: float | None = None,
    attachment: bool = False,
    loads: Mapping[str, Floats] | None = None,
    vectors: Floats | None = None,
    state: Prestress | None = None,
    progress: Progress = None,
) -> ComponentModes:
    """Component modes by one of METHODS.

    modes, below : number of fixed-interface or free modes, or all below a frequency [Hz]
    keep_below : shapes of the orthogonal basis above this frequency [Hz] are left out
    loads : name -> (3 b,) forces, whose static shapes are added: interfaces held, or with inertia relief if free
    vectors : (3 b, k) shapes given by the user
    state : state of stress in which the modes are sought
    """
    faults = _faults(body, method, modes, below, attachment)
    if faults:
        raise InputError(faults)
    columns: list[Floats] = []
    sources: list[Source] = []
    notes: list[str] = []
    if modes != 0:
        vectors_found, frequencies = _eigenmodes(body, method == "free", modes, below, notes, progress)
        if state is not None and len(frequencies):
            vectors_found, frequencies = state.modes(body, vectors_found, frequencies, method == "free", notes)
        if len(frequencies):
            columns.append(vectors_found)
            sources += _mode_sources(body, vectors_found, frequencies, method == "free")
    if method == "craig-bampton" and len(body.interfaces) > 1:
        columns.append(body.constraint_modes())
        sources += _static_sources(body, "constraint")
    if attachment:
        columns.append(body.attachment_modes)
        sources += _static_sources(body, "attachment")
    if loads:
        solve = body.solve_fixed if method != "free" and body.interfaces else body.solve
        columns.append(solve(np.column_stack(list(loads.values()))))
        sources += [Source("load", f"load {name}") for name in loads]
    if vectors is not None:
        columns.append(body.tied(vectors))
        sources += [Source("user", f"user {k + 1}") for k in range(vectors.shape[1])]
    if not columns:
        limit = "" if below is None else f" below {below:g} Hz"
        text = f"there are no modes{limit}, and one interface alone gives no constraint modes"
        raise InputError([Fault(text, ("modes",), "Use more modes, a higher limit, or a second interface.")])
    return orthogonal_shapes(body, np.hstack(columns), sources, keep_below, notes)


def _eigenmodes(
    body: FreeBody, free: bool, modes: int | None, below: float | None, notes: list[str], progress: Progress
) -> tuple[Floats, Floats]:
    """Vectors and frequencies [Hz] of the free or fixed-interface modes; a pair at the limit is taken whole."""
    found = lowest_modes(
        body.model.mass_times,
        body.solve if free else body.solve_fixed,
        body.n,
        count=None if modes is None else modes + 1,
        below=None if below is None else (1.0 + _PAIR) * below,
        known=body.R if free else None,
        progress=progress,
    )
    inside = found.frequencies if below is None else found.frequencies[found.frequencies <= below]
    asked = len(inside) if modes is None else min(modes, len(inside))
    count = with_whole_pairs(found.frequencies, asked)
    if count > asked:
        notes.append(pair_note(found.frequencies, asked, count))
    return found.vectors[:, :count], found.frequencies[:count]


def with_whole_pairs(frequencies: Floats, count: int) -> int:
    """The number of modes, at least `count`, that does not separate modes of (nearly) equal frequency."""
    while 0 < count < len(frequencies) and frequencies[count] <= (1.0 + _PAIR) * frequencies[count - 1]:
        count += 1
    return count


def pair_note(frequencies: Floats, asked: int, count: int) -> str:
    hertz = " and ".join(f"{f:.6g}" for f in frequencies[asked - 1 : count])
    return f"{count} modes instead of {asked}: modes of nearly equal frequency ({hertz} Hz) are kept together."


def _faults(body: FreeBody, method: str, modes: int | None, below: float | None, attachment: bool) -> list[Fault]:
    faults = []
    if method not in METHODS:
        faults.append(Fault(f"there is no method {method!r}", ("method",), f"Allowed: {', '.join(METHODS)}."))
    elif method != "free" and not body.interfaces:
        text = f"method {method} needs an interface, and none is given"
        faults.append(Fault(text, ("interfaces",), "Name at least one interface, or use method free."))
    if attachment and not body.interfaces:
        faults.append(Fault("attachment modes need an interface, and none is given", ("interfaces",)))
    if modes is None and below is None:
        faults.append(Fault("neither a number of modes nor a frequency limit is given", ("modes",)))
    if modes is not None and modes < 0:
        faults.append(Fault(f"the number of modes must not be negative, found {modes}", ("modes",)))
    return faults


def _mode_sources(body: FreeBody, vectors: Floats, frequencies: Floats, free: bool) -> list[Source]:
    if free:
        return [Source("free", f"free {k + 1}", "", float(f)) for k, f in enumerate(frequencies)]
    translations = body.model.rigid_motions()[:, :3]
    momentum = translations.T @ body.model.mass_times(vectors)
    total = np.diag(translations.T @ body.model.mass_times(translations))
    shares = (momentum**2 / total[:, None]).T
    return [
        Source("fixed-interface", f"fixed {k + 1}", "", float(f), (float(share[0]), float(share[1]), float(share[2])))
        for k, (f, share) in enumerate(zip(frequencies, shares, strict=True))
    ]


def _static_sources(body: FreeBody, kind: str) -> list[Source]:
    word = "" if kind == "constraint" else "load "
    return [
        Source(kind, f"{interface.name} {word}{axis}", interface.name)
        for interface in body.interfaces
        for axis in _MOTIONS
    ]


def orthogonal_shapes(
    body: FreeBody, V: Floats, sources: Sequence[Source], keep_below: float | None = None, notes: Sequence[str] = ()
) -> ComponentModes:
    """The shapes that the vectors V : (3 b, k) span, named after their sources; limit keep_below [Hz]"""
    before = np.sqrt(np.einsum("ij,ij->j", V, body.model.mass_times(V)))
    V = body.without_rigid(V)
    V = body.without_rigid(V)
    MV = body.model.mass_times(V)
    lengths = np.sqrt(np.maximum(np.einsum("ij,ij->j", V, MV), 0.0))
    moving = lengths > np.sqrt(_SAME) * np.maximum(before, 1e-300)
    scale = np.where(moving, 1.0 / np.where(moving, lengths, 1.0), 0.0)
    gram = scale[:, None] * (V.T @ MV) * scale
    stiffness = scale[:, None] * (V.T @ np.asarray(body.model.K @ V)) * scale
    values, axes = np.linalg.eigh(0.5 * (gram + gram.T))
    kept = values > _SAME * values[-1]
    if not kept.any():
        raise InputError("all vectors are rigid motions: no shape is left that deforms the body")
    T = axes[:, kept] / np.sqrt(values[kept])
    omega_squared, W = eigh(T.T @ stiffness @ T)
    W = scale[:, None] * (T @ W)
    if keep_below is not None:
        low = np.sqrt(np.maximum(omega_squared, 0.0)) <= 2.0 * np.pi * keep_below
        if not low.any():
            first = np.sqrt(max(omega_squared[0], 0.0)) / (2.0 * np.pi)
            raise InputError(
                f"no shape is below keep_below = {keep_below:g} Hz: the first has {first:.4g} Hz. Raise keep_below."
            )
        count = with_whole_pairs(np.sqrt(np.maximum(omega_squared, 0.0)) / (2.0 * np.pi), int(low.sum()))
        if count > low.sum():
            hertz = np.sqrt(omega_squared) / (2.0 * np.pi)
            notes = [*notes, pair_note(hertz, int(low.sum()), count)]
        omega_squared, W = omega_squared[:count], W[:, :count]
    Phi = V @ W
    # A shape's sign: its largest displacement is positive, so that a body reduced twice is the same body.
    largest = _first_largest(np.abs(Phi))
    sign = np.sign(Phi[largest, np.arange(Phi.shape[1])])
    # Every shape is named after a source of its own, such that they match best (modal assurance criterion).
    named = _independent(gram, sources, int(kept.sum()))
    likeness = (gram @ (W / np.where(scale > 0.0, scale, 1.0)[:, None]))[named] ** 2
    in_order = np.outer(np.arange(len(likeness)), np.arange(likeness.shape[1])) / max(likeness.size, 1)
    main = [sources[named[j]] for j in linear_sum_assignment(-(likeness + _TIE * in_order).T)[1]]
    return ComponentModes(
        Phi=Phi * sign,
        omega_squared=omega_squared,
        labels=tuple(source.label for source in main),
        kinds=tuple(source.kind for source in main),
        interfaces=tuple(source.interface for source in main),
        sources=tuple(sources),
        condition=float(np.sqrt(values[kept][-1] / values[kept][0])),
        notes=(*notes, *_user_notes(gram, int(kept.sum()), [source.kind for source in sources].count("user"))),
    )


def _independent(gram: Floats, sources: Sequence[Source], rank: int) -> Integers:
    """Indices of as many sources as there are shapes: all modes, then the others that add most to the previous ones"""
    modes = [j for j, source in enumerate(sources) if source.frequency > 0.0]
    others = [j for j, source in enumerate(sources) if source.frequency <= 0.0]
    mixed = gram[np.ix_(modes, others)]
    rest = gram[np.ix_(others, others)] - mixed.T @ np.linalg.lstsq(gram[np.ix_(modes, modes)], mixed, rcond=None)[0]
    taken: list[int] = []
    while len(modes) + len(taken) < rank:  # pivoted Cholesky; of two ends that move together, the first
        added = np.diag(rest).copy()
        added[taken] = -np.inf
        j = int(_first_largest(added))
        taken.append(j)
        rest = rest - np.outer(rest[:, j], rest[j]) / rest[j, j]
    return np.array([*modes, *(others[j] for j in taken)], dtype=np.int64)


def _first_largest(values: Floats) -> Any:
    """Index of the first of the largest values along the first axis"""
    largest = values.max(axis=0)
    return np.argmax(values >= largest - _TIE * np.abs(largest), axis=0)


def _user_notes(gram: Floats, rank: int, count: int) -> tuple[str, ...]:
    """Note about those of the last `count` vectors, the user's, that add no shape; gram : of all, with unit length"""
    others = np.linalg.eigvalsh(gram[: len(gram) - count, : len(gram) - count])
    idle = count - (rank - int((others > _SAME * others.max(initial=0.0)).sum()))
    if count == 0 or idle <= 0:
        return ()
    return (
        f"{idle} of {count} user vectors add no shape (rigid, zero, or combinations of the others) and are left out.",
    )
