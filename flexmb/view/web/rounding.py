"""Rounding of a part for the browser, and the largest values for its colours.

Points: 65536 steps over the box of the part. Shapes: whole numbers of 16 bits times a step chosen by the effect of the
shape in the picture: its largest amplitude times the rounding is the same share of the allowed error for all shapes, so
that a shape with little motion is written with few levels. A shape that needs more than 16 bits gets a second layer
for the rest. The sum of all roundings keeps the drawn deflection within DEFLECTION_ERROR of the
largest one of the part, at every point, frame and scale; typical errors are several times smaller.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from flexmb.arrays import Floats, Integers
from flexmb.view.scene import Part, Single

DEFLECTION_ERROR = 1e-4
"""Bound of the error of |u|, as a share of its largest value in the part"""
STRESS_ERROR = 5e-3
"""Bound of the error of the von Mises stress, as a share of its largest value in the part"""
CARRIED_ERROR = 2e-6
"""Error of the carried shapes, as a share of the size of the part"""
AMPLITUDE_SHARE = 0.1
"""Share of the allowed error for rounding the amplitudes; the rest is for the shapes"""
LEVELS = 32767
VON_MISES = 13.0**0.5
"""Largest von Mises stress of six components that are at most 1"""
FRAMES, POINTS = 100, 1000
"""Frames in which all points are searched for the largest value, and points that are then searched in all frames"""


@dataclass(frozen=True)
class Layers:
    """Shapes in whole numbers: the sum over the layers of step * values * amplitude of the shape."""

    values: Integers
    """(layers, components, s)"""
    steps: list[float]
    shape: list[int]
    """Number of the shape that each layer belongs to"""


@dataclass(frozen=True)
class Largest:
    """Largest values over all points and frames."""

    size: float
    components: tuple[float, float, float]
    stress: float


def layers_of(shapes: Single, amplitudes: Floats, allowed: Floats) -> Layers:
    """Shapes (m, s, c) rounded so that shape k times its largest amplitude is off by `allowed[k]` at most."""
    values, steps, shape = [], [], []
    for k, field in enumerate(np.asarray(shapes, dtype=float)):
        amplitude, biggest = float(np.abs(amplitudes[:, k]).max(initial=0.0)), float(np.abs(field).max(initial=0.0))
        if amplitude * biggest <= allowed[k]:
            continue
        finest = 2.0 * allowed[k] / amplitude
        step = max(finest, biggest / LEVELS)
        level = np.rint(field / step)
        rest = field - step * level
        pieces = [(level, step)]
        if step > finest:
            fine = max(finest, 0.5 * step / LEVELS)
            pieces.append((np.rint(rest / fine), fine))
        for level, size in pieces:
            values.append(level.T.astype(np.int64))
            steps.append(size)
            shape.append(k)
    components, points = shapes.shape[2], shapes.shape[1]
    return Layers(np.array(values, dtype=np.int64).reshape(-1, components, points), steps, shape)


def allowed_errors(part: Part, largest: Largest) -> tuple[Floats, Floats]:
    """(m,) [m] of each component of each shape times its amplitude, and of each amplitude."""
    n_free = max(1, part.n_shapes - part.carried)
    total = np.full(part.n_shapes, DEFLECTION_ERROR * largest.size / n_free)
    size = float(np.ptp(part.points, axis=0).max(initial=0.0))
    carried = max(CARRIED_ERROR * size, DEFLECTION_ERROR * largest.size)
    total[: part.carried] = carried / max(1, part.carried)
    total /= np.sqrt(3.0)  # from the length of the vector to its components
    return (1.0 - AMPLITUDE_SHARE) * total, AMPLITUDE_SHARE * total


def allowed_stress(part: Part, largest: Largest) -> Floats:
    """(n,) [Pa] of each component of each stress shape times its amplitude."""
    n = 0 if part.stress is None else len(part.stress)
    return np.full(n, (1.0 - AMPLITUDE_SHARE) * STRESS_ERROR * largest.stress / max(1, n) / VON_MISES)


def largest_values(part: Part) -> Largest:
    """Largest values for the colours: exact for small parts, from the points that move most for large ones."""
    size = x = y = z = stress = 0.0
    if part.n_shapes:
        free = slice(part.carried, None)
        size, x, y, z = _largest(part.shapes[free], part.amplitudes[:, free], _length_and_components)
    if part.stress is not None and part.stress_amplitudes is not None:
        (stress,) = _largest(part.stress, part.stress_amplitudes, _von_mises)
    return Largest(size, (x, y, z), stress)


def _largest(shapes: Single, amplitudes: Floats, measures: Callable[[Single], Single]) -> list[float]:
    """Maximum of every measure over points and frames: all points in some frames, then the best of them in all."""
    some = np.unique(np.linspace(0, len(amplitudes) - 1, FRAMES).round().astype(int))
    found = _over_frames(shapes, amplitudes[some], measures)
    best = np.unique(np.argsort(found, axis=0)[-POINTS:])
    return [float(value) for value in _over_frames(shapes[:, best], amplitudes, measures).max(axis=0, initial=0.0)]


def _over_frames(shapes: Single, amplitudes: Floats, measures: Callable[[Single], Single]) -> Single:
    """(s, measures) largest over the frames"""
    m, s, c = shapes.shape
    flat = np.ascontiguousarray(shapes, np.float32).reshape(m, s * c)
    n_measures = measures(np.zeros((1, 1, c), np.float32)).shape[-1]
    found = np.zeros((s, n_measures), np.float32)
    for weights in np.array_split(amplitudes.astype(np.float32), max(1, len(amplitudes) // 10)):
        values = measures((weights @ flat).reshape(len(weights), s, c))
        np.maximum(found, values.max(axis=0, initial=0.0), out=found)
    return found


def _length_and_components(u: Single) -> Single:
    return np.concatenate([np.sqrt((u**2).sum(axis=-1, keepdims=True)), np.abs(u)], axis=-1)


def _von_mises(sigma: Single) -> Single:
    """(..., 1) of components xx, yy, zz, xy, yz, zx in the last axis"""
    xx, yy, zz, xy, yz, zx = np.moveaxis(sigma, -1, 0)
    normal = 0.5 * ((xx - yy) ** 2 + (yy - zz) ** 2 + (zz - xx) ** 2)
    return np.sqrt(normal + 3.0 * (xy**2 + yz**2 + zx**2))[..., None]
