"""The instants that are drawn: a scene at any times between its frames.

Poses, amplitudes, arrows and curves are laid through the frames by cubics whose slopes come from the neighbours, so
that a turning body stays on its circle and joints stay closed between two frames.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.interpolate import CubicHermiteSpline

from flexmb.view.scene import Arrow, Look, Part, Scene, Vector, playing_speed

MOST_FRAMES = 20_000
"""Of a film; some ten minutes"""


def film_times(scene: Scene, look: Look) -> Vector:
    """(n,) the instants of the pictures of a film [s]"""
    span = float(scene.time[-1] - scene.time[0])
    step = playing_speed(scene, look) / look.fps
    n = int(min(max(round(span / step), 0), MOST_FRAMES)) if step > 0.0 else 0
    # A motion that repeats itself leaves out the last picture, which is the first one of the next turn.
    is_loop = scene.period > 0.0 and abs(span - scene.period) < 1e-6 * span
    return scene.time[0] + step * np.arange(max(n, 1) if is_loop else n + 1).clip(max=span / step if step else 0)


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


def _with_frames(scene: Scene, times: Vector, at) -> Scene:  # type: ignore[no-untyped-def]
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
        values = {name: at(getattr(arrow, name)) for name in ("position", "deflection", "vector")}
        return replace(arrow, **values)

    return replace(
        scene,
        time=times,
        parts=tuple(part_at(part) for part in scene.parts),
        arrows=tuple(arrow_at(arrow) for arrow in scene.arrows),
        curves=tuple(replace(curve, values=at(curve.values)) for curve in scene.curves),
    )
