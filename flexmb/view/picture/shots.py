"""The instants that are drawn: a scene at any times between its frames.

Poses, amplitudes, arrows and curves are laid through the frames by cubics whose slopes come from the neighbours, so
that a turning body stays on its circle and joints stay closed between two frames.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from scipy.interpolate import CubicHermiteSpline

from flexmb.errors import Fault, InputError
from flexmb.view.scene import Arrow, Look, Part, Scene, Vector, playing_speed

MOST_FRAMES = 20_000
"""Of a film; some ten minutes"""


def film_times(scene: Scene, look: Look) -> Vector:
    """(n,) the instants of the pictures of a film [s]"""
    start, end = float(scene.time[0]), float(scene.time[-1])
    step = playing_speed(scene, look) / look.fps
    n = (end - start) / step
    if n > MOST_FRAMES:
        found = f"The film would have {n:,.0f} pictures; {MOST_FRAMES:,} are the most."
        raise InputError([Fault(found, ("speed",), "Play faster, or draw a shorter piece of the run.")])
    times = np.minimum(start + step * np.arange(round(n) + 1), end)
    # A motion that repeats itself leaves out the last picture, which is the first one of the next turn.
    is_loop = len(times) > 1 and abs(end - start - scene.period) < 1e-6 * scene.period
    return times[:-1] if is_loop else times


def scene_at(scene: Scene, times: Vector) -> Scene:
    """The same scene with these instants as its frames [s]."""
    times = np.clip(np.asarray(times, dtype=float), scene.time[0], scene.time[-1])
    if len(scene.time) < 2:
        frames = np.zeros(len(times), dtype=int)
        return _with_frames(scene, times, lambda values: values[frames])
    return _with_frames(scene, times, lambda values: _between(scene.time, values, times))


def _between(at: Vector, values: Vector, times: Vector) -> Vector:
    """Values (f, ...) at other times"""
    if not values.size:
        return np.zeros((len(times), *values.shape[1:]))
    values = np.asarray(values, dtype=float)
    return CubicHermiteSpline(at, values, np.gradient(values, at, axis=0))(times)


def _with_frames(scene: Scene, times: Vector, at: Callable[[Vector], Vector]) -> Scene:
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
