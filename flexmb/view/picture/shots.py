"""A scene at any times between its frames.

Poses, amplitudes, arrows and curves are interpolated by cubics whose slopes come from the neighbouring frames, so that
a rotating body stays on its circle and joints stay closed between two frames.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from flexmb.arrays import Floats, Integers
from flexmb.errors import Fault, InputError
from flexmb.view.scene import Arrow, Look, Part, Scene, playing_speed

MOST_FRAMES = 20_000
"""Most frames of a movie, about ten minutes"""


def movie_times(scene: Scene, look: Look) -> Floats:
    """(n,) times of the frames of a movie [s]"""
    start, end = float(scene.time[0]), float(scene.time[-1])
    step = playing_speed(scene, look) / look.fps
    n = (end - start) / step
    if n > MOST_FRAMES:
        found = f"The movie would have {n:,.0f} frames; the limit is {MOST_FRAMES:,}."
        raise InputError([Fault(found, ("speed",), "Use a higher speed, or a shorter piece of the run.")])
    if look.speed is not None and len(scene.time) > 1 and n < 1.0:
        found = f"The movie would have one frame: at this speed the whole run takes {1e3 * n / look.fps:.3g} ms."
        raise InputError([Fault(found, ("speed",), "Use a lower speed, or write a picture (.png).")])
    times = np.minimum(start + step * np.arange(round(n) + 1), end)
    # A periodic motion leaves out the last frame, which is the first one of the next period.
    is_loop = len(times) > 1 and abs(end - start - scene.period) < 1e-6 * scene.period
    return times[:-1] if is_loop else times


def scene_at(scene: Scene, times: Floats) -> Scene:
    """The scene with frames at these times [s]."""
    times = np.clip(np.asarray(times, dtype=float), scene.time[0], scene.time[-1])
    rows, weights = _mixture(scene.time, times)

    def at(values: Floats) -> Floats:
        mixed = np.einsum("tk,tkc->tc", weights, values[rows].reshape(*rows.shape, -1))
        return mixed.reshape(len(times), *values.shape[1:])

    return _with_frames(scene, times, at)


def _mixture(at: Floats, times: Floats) -> tuple[Integers, Floats]:
    """(t, 4) frames and (t, 4) their weights: the cubic between the two frames around a time.

    Its slopes are those of the parabolas through three frames, and at the ends of the run those of straight lines.
    """
    last = len(at) - 1
    if not last:
        return np.zeros((len(times), 4), np.int64), np.tile([1.0, 0.0, 0.0, 0.0], (len(times), 1))
    k = np.clip(np.searchsorted(at, times, side="right") - 1, 0, last - 1)
    rows = np.stack([np.maximum(k - 1, 0), k, k + 1, np.minimum(k + 2, last)], axis=1)
    before, step, after = at[k] - at[rows[:, 0]], at[k + 1] - at[k], at[rows[:, 3]] - at[k + 1]
    x = (times - at[k]) / _whole(step)
    weights = np.zeros((len(times), 4))
    weights[:, 2] = x * x * (3.0 - 2.0 * x)
    weights[:, 1] = 1.0 - weights[:, 2]
    for first, length, left, right in ((0, x * (1.0 - x) ** 2, before, step), (1, x * x * (x - 1.0), step, after)):
        # The slope is that of the step on the other side, the more the shorter that one is.
        share = np.where(left == 0.0, 0.0, np.where(right == 0.0, 1.0, right / (left + right)))
        backward, forward = (length * step * part for part in (share / _whole(left), (1.0 - share) / _whole(right)))
        weights[:, first] -= backward
        weights[:, first + 1] += backward - forward
        weights[:, first + 2] += forward
    return rows, weights


def _whole(step: Floats) -> Floats:
    """The steps, with the missing ones at the ends of the run replaced"""
    return np.where(step > 0.0, step, 1.0)


def _with_frames(scene: Scene, times: Floats, at: Callable[[Floats], Floats]) -> Scene:
    """`at` gives the values (f, ...) of all frames at the times."""

    def part_at(part: Part) -> Part:
        q = at(part.quaternion)
        stress = None if part.stress_amplitudes is None else at(part.stress_amplitudes)
        return replace(
            part,
            position=at(part.position),
            quaternion=q / np.linalg.norm(q, axis=1, keepdims=True),
            amplitudes=at(part.amplitudes) if part.n_shapes else part.amplitudes,
            stress_amplitudes=stress,
        )

    def arrow_at(arrow: Arrow) -> Arrow:
        return replace(arrow, position=at(arrow.position), deflection=at(arrow.deflection), vector=at(arrow.vector))

    return replace(
        scene,
        time=times,
        parts=tuple(part_at(part) for part in scene.parts),
        arrows=tuple(arrow_at(arrow) for arrow in scene.arrows),
        curves=tuple(replace(curve, values=at(curve.values)) for curve in scene.curves),
    )
