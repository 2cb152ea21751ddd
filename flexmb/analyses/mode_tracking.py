"""Modes followed over a parameter: lines that keep their shape, so that they cross where the shapes do.

In: the values of the parameter and a function that gives the spectrum for a value. Out: eigenvalues, a column per line.
Modes of neighbouring values are linked so that the sum of their assurances is largest (linear_sum_assignment),

    MAC(x, z) = |x^H M z|^2 / (x^H M x  z^H M z),   M the mean of the two mass matrices,

which is 1 for the same shape and 0 for other modes of an undamped mechanism. Modes of one frequency span a space: there
a line is represented by the projection of its previous shape. Where a link is weak or lines change their order, the
interval is halved until the links are strong: lines that come close and turn away (veering) are then not mistaken for
lines that cross, unless they do so within 1/1024 of a step.
Allemang, Sound and Vibration 37 (2003) 14 (modal assurance); Perkins & Mote, J. Sound Vib. 106 (1986) 451 (veering).
Numbers are SI.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import linear_sum_assignment

from flexmb.arrays import Complexes, Floats
from flexmb.errors import ComputationError, InputError
from flexmb.results.modal_result import ModalResult
from flexmb.solvers.mechanics import Mechanics

_SURE = 0.9
"""Assurance of a link that needs no value in between."""
_SAME = 1e-6
"""Relative difference below which eigenvalues count as equal."""
_HALVINGS = 10
_NONE = complex(np.nan, np.nan)
_NEAR = 0.05
"""Weight of the relative distance of two eigenvalues against 1 - MAC; it decides between similar shapes."""


@dataclass(frozen=True)
class Spectrum:
    """Oscillating modes for one value of a parameter, in any order."""

    eigenvalues: Complexes
    """(n,)"""
    shapes: Complexes
    """(n_v, n) increments of all coordinates"""
    M: Floats
    """(n_v, n_v) mass matrix of all coordinates"""
    coordinates: tuple[str, ...]


def spectrum_of(modal: ModalResult) -> Spectrum:
    """The oscillating modes of a model, lowest frequency first."""
    found = sorted((mode for mode in modal.shown if mode.frequency > 0.0), key=lambda mode: mode.frequency)
    m = Mechanics(modal.system, modal.linear.work.copy())
    m.equations()
    return Spectrum(
        np.array([mode.eigenvalue for mode in found], dtype=complex),
        np.array([mode.shape for mode in found], dtype=complex).reshape(len(found), m.n_v).T,
        m.M.copy(),
        tuple(modal.system.coordinates),
    )


def tracked(values: Sequence[float], spectra: Sequence[Spectrum], between: Callable[[float], Spectrum]) -> Complexes:
    """(n_values, n_lines) eigenvalues, NaN where a line does not exist; `between` computes the spectrum of a value.

    A line ends where its mode no longer oscillates; a mode without a predecessor begins a line.
    """
    table = np.full((len(spectra), 0), _NONE)
    lines: list[int] = []
    shapes: Complexes = np.zeros((0, 0), dtype=complex)
    for row, spectrum in enumerate(spectra):
        if row:
            before = replace(spectra[row - 1], shapes=shapes)
            links, shapes = _follow(values[row - 1], before, values[row], spectrum, between, _HALVINGS)
        else:
            links, shapes = [-1] * len(spectrum.eigenvalues), spectrum.shapes
        fresh = table.shape[1] + np.cumsum([link < 0 for link in links]) - 1
        lines = [int(fresh[k]) if link < 0 else lines[link] for k, link in enumerate(links)]
        more = sum(link < 0 for link in links)
        table = np.concatenate([table, np.full((len(spectra), more), _NONE)], axis=1)
        table[row, lines] = spectrum.eigenvalues
    return table


def _follow(
    start: float, first: Spectrum, end: float, last: Spectrum, between: Callable[[float], Spectrum], halvings: int
) -> tuple[list[int], Complexes]:
    """Number of the same mode at the start, or -1, and its shape there, for every mode at the end."""
    links, shapes, sure = _link(first, last)
    middle = 0.5 * (start + end)
    if sure or not halvings or middle in (start, end):
        return links, shapes
    try:
        half = between(middle)
    except (InputError, ComputationError):  # e.g. an integer parameter cannot be halved
        return links, shapes
    if half.coordinates != first.coordinates or len(half.eigenvalues) != len(first.eigenvalues):
        return links, shapes
    early, shapes = _follow(start, first, middle, half, between, halvings - 1)
    late, shapes = _follow(middle, replace(half, shapes=shapes), end, last, between, halvings - 1)
    return [early[link] if link >= 0 else -1 for link in late], shapes


def _link(first: Spectrum, last: Spectrum) -> tuple[list[int], Complexes, bool]:
    """The links, the shapes that represent the lines at the end, and whether all links are sure."""
    n = len(last.eigenvalues)
    if first.coordinates != last.coordinates:
        return [k if k < len(first.eigenvalues) else -1 for k in range(n)], last.shapes, True
    if not n or not len(first.eigenvalues):
        return [-1] * n, last.shapes, True
    M = 0.5 * (first.M + last.M)
    x, z = _unit(first.shapes, M), _unit(last.shapes, M)
    here, there = _groups(first.eigenvalues), _groups(last.eigenvalues)
    assurance = np.minimum(_in_spans(x, z, there, M), 1.0)
    a, b = first.eigenvalues[:, None], last.eigenvalues[None]
    far = np.abs(a - b) / (np.abs(a) + np.abs(b))
    rows, columns = linear_sum_assignment(1.0 - assurance + _NEAR * far)
    links = [-1] * n
    for i, k in zip(rows, columns, strict=True):
        links[k] = int(i)
    strong = np.maximum(assurance, _in_spans(z, x, here, M).T)[rows, columns]
    order = _differences(first.eigenvalues, here, rows) * _differences(last.eigenvalues, there, columns)
    shapes = last.shapes.copy()
    for group in there:
        for k in group if len(group) > 1 else ():
            if links[k] >= 0:
                shapes[:, k] = _projection(z[:, group], M) @ x[:, links[k]]
    return links, shapes, bool(np.all(strong >= _SURE) and not np.any(order < 0.0))


def _unit(shapes: Complexes, M: Floats) -> Complexes:
    """Shapes scaled to x^H M x = 1."""
    sizes = np.sqrt(np.maximum(np.einsum("ik,ij,jk->k", shapes.conj(), M, shapes).real, 1e-300))
    return np.asarray(shapes / sizes)


def _groups(eigenvalues: Complexes) -> list[list[int]]:
    """Numbers of the modes, grouped by equal eigenvalues."""
    groups: list[list[int]] = []
    for k in np.argsort(eigenvalues.imag, kind="stable"):
        if groups and abs(eigenvalues[k] - eigenvalues[groups[-1][-1]]) <= _SAME * abs(eigenvalues[k]):
            groups[-1].append(int(k))
        else:
            groups.append([int(k)])
    return groups


def _projection(z: Complexes, M: Floats) -> Complexes:
    """Projection onto the span of the columns of z, orthogonal with respect to M."""
    return np.asarray(z @ np.linalg.lstsq(z.conj().T @ M @ z, z.conj().T @ M, rcond=None)[0])


def _in_spans(x: Complexes, z: Complexes, groups: list[list[int]], M: Floats) -> Floats:
    """(n_x, n_z) part of every x that lies in the span of the group of every z; MAC for groups of one."""
    part = np.zeros((x.shape[1], z.shape[1]))
    for group in groups:
        inside = _projection(z[:, group], M) @ x
        size = np.einsum("ik,ij,jk->k", inside.conj(), M, inside).real
        part[:, group] = size[:, None]
    return part


def _differences(eigenvalues: Complexes, groups: list[list[int]], numbers: Sequence[int]) -> Floats:
    """(n, n) signs of the differences of frequency of the chosen modes, 0 within a group."""
    group_of = {k: number for number, group in enumerate(groups) for k in group}
    mine, frequencies = np.array([group_of[int(k)] for k in numbers]), eigenvalues[numbers].imag
    return np.asarray(np.where(mine[:, None] == mine, 0.0, np.sign(frequencies[:, None] - frequencies)))
