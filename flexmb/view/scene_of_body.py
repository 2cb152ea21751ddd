"""The shapes of a body file as a scene: every elastic coordinate oscillates alone, one chapter after the other.

The size of a shape is arbitrary. Each one is shown with the same largest displacement, a round number of about a
hundredth of the length of the body, and an initial scale that makes this about 6 % of the length. The stress is that
of the round number. The second-order part 1/2 G_kk q^2 of a coordinate is shown alone: q is then chosen such that the
second-order part reaches the same round number. One cycle takes two seconds, whatever the frequency.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from flexmb.arrays import Floats
from flexmb.bodies.reduced_body import Coordinate, ReducedBody, Surface
from flexmb.errors import Fault, InputError
from flexmb.suggestions import clipped, did_you_mean
from flexmb.view.colors import PARTS, SYMBOL
from flexmb.view.geometry.primitives import Solid, box, joined, sphere
from flexmb.view.scene import Part, Scene, Single

CYCLE = 2.0
"""Duration of one cycle of a shape [s]"""
FRAMES = 40
"""Frames of a cycle: straight lines between them miss the sine by at most 0.3 %."""
_VISIBLE = 0.06
"""Largest drawn displacement, as a part of the length of the body."""
_MOST_NODES = 5000
"""Most nodes that are drawn as small blocks if there is no surface."""


@dataclass(frozen=True)
class _Swing:
    """The chosen coordinates over time; f frames, m coordinates."""

    chosen: tuple[int, ...]
    """Numbers from 0"""
    q: Floats
    """(f, m) [m]"""
    time: Floats
    """(f,) [s]"""
    field: bool
    """Whether the second-order part is shown, which is proportional to q^2"""

    @property
    def weights(self) -> Floats:
        """(f, m) factors of the fields that are shown: q, or q^2/2"""
        return 0.5 * self.q**2 if self.field else self.q


def scene_of_body(
    body: ReducedBody, modes: Sequence[int | str] | None = None, field: bool = False, frames: int = FRAMES
) -> Scene:
    """The chosen coordinates of a body (default: all) as mode shapes, or their second-order parts.

    modes : numbers from 1, or names, as in the body report
    frames : number of frames of the cycle of every shape
    """
    if faults := body_faults(body, modes or (), field):
        raise InputError(faults)
    chosen = tuple(dict.fromkeys(k for word in modes or range(1, body.n_modes + 1) if (k := _number(body, word)) >= 0))
    surface = body.surface
    assert surface is not None
    amplitude, scale = round_amplitude(body.length)
    sizes = _largest(_second_order(surface, chosen) if field else _first_order(surface, chosen))
    swing = _swing(chosen, sizes, amplitude, field, frames)
    drawn = _skin(surface, body.length)
    parts = [_body_part(body, surface, drawn, swing), *_marker_parts(body, swing)]
    low, high = surface.points.min(axis=0), surface.points.max(axis=0)
    middle = 0.5 * (low + high)
    return Scene(
        title=body.name or "body",
        subtitle="second-order parts of mode shapes" if field else "mode shapes",
        time=swing.time,
        parts=tuple(parts),
        scale=scale,
        center=(float(middle[0]), float(middle[1]), float(middle[2])),
        radius=float(0.5 * np.linalg.norm(high - low) + amplitude * scale),
        chapters=_chapters(body, swing, amplitude),
        period=CYCLE,
        notes=_notes(amplitude, field, bool(len(surface.triangles))),
    )


def scene_of_mesh_error(body: ReducedBody) -> Scene:
    """A body at rest, to be coloured by the estimated error of its mesh."""
    scene = scene_of_body(body, [1])
    parts = [
        replace(
            part, position=part.position[:1], quaternion=part.quaternion[:1], amplitudes=part.amplitudes[:1],
            stress=None, stress_amplitudes=None,
        )
        for part in scene.parts
    ]  # fmt: skip
    note = (
        "Error of the strain energy near a point, relative to the mean density of the energy; the mean over the volume "
        "is the share by which modes and static deflections of the interfaces are wrong."
    )
    return replace(
        scene,
        subtitle="estimated error of the mesh",
        time=scene.time[:1],
        parts=tuple(parts),
        scale=1.0,
        chapters=(),
        period=0.0,
        notes=(note,),
    )


def body_faults(body: ReducedBody, modes: Sequence[int | str] = (), field: bool = False) -> list[Fault]:
    """Reasons why these shapes cannot be shown."""
    if not body.n_modes:
        return [Fault(f"The body '{body.name}' has no mode shapes: it is rigid.")]
    labels = [coordinate.label for coordinate in body.coordinates]
    faults = [_unknown_mode(body.name, word, labels) for word in modes if _number(body, word) < 0]
    if body.surface is None or not len(body.surface.points):
        faults.append(Fault(f"The body file of '{body.name}' has no points to draw.", hint="Reduce its mesh again."))
    elif field and body.surface.G is None:
        text = f"the body '{body.name}' has no second-order part: its field is linear."
        faults.append(Fault(text, ("field",), "Reduce its mesh again with --field quadratic."))
    return faults


def _number(body: ReducedBody, word: int | str) -> int:
    """Index of the coordinate of a number from 1 or a name; -1: there is none."""
    text = str(word).strip()
    labels = [coordinate.label for coordinate in body.coordinates]
    if text in labels:
        return labels.index(text)
    return int(text) - 1 if re.fullmatch(r"[0-9]{1,9}", text) and int(text) <= len(labels) else -1


def _unknown_mode(name: str, word: int | str, labels: Sequence[str]) -> Fault:
    is_number = str(word).strip().lstrip("+-").isdecimal()
    listed = f"It has {len(labels)}, numbered as in 'flexmb body info'" if len(labels) > 1 else "It has one"
    hint = f"{listed}: 1 is '{labels[0]}'." if is_number else did_you_mean(str(word), labels, "Shapes")
    return Fault(f"the body '{name}' has no mode shape {clipped(word)}.", ("modes",), hint)


def round_amplitude(length: float) -> tuple[float, float]:
    """Largest displacement of every shape [m], a power of ten, and the scale (10 to 100) that makes it visible."""
    wanted = _VISIBLE * length
    amplitude = 10.0 ** (np.floor(np.log10(wanted)) - 1.0)
    return float(amplitude), float(f"{wanted / amplitude:.1g}")


def _swing(chosen: tuple[int, ...], sizes: Floats, amplitude: float, field: bool, frames: int) -> _Swing:
    """One cycle of every coordinate after the other; sizes : (m,) of the fields per unit of their factor."""
    count = len(chosen)
    ratio = amplitude / np.where(sizes > 0.0, sizes, np.inf)
    largest = np.sqrt(2.0 * ratio) if field else ratio
    time = np.linspace(0.0, CYCLE * count, count * frames + 1)
    q = np.zeros((len(time), count))
    # Whole cycles begin and end at zero: the frame where two meet belongs to both.
    wave = np.sin(2.0 * np.pi * np.arange(frames) / frames)
    for k in range(count):
        q[k * frames : (k + 1) * frames, k] = largest[k] * wave
    return _Swing(chosen, q, time, field)


def _first_order(surface: Surface, chosen: Sequence[int]) -> Floats:
    """(m, s, 3)"""
    return np.moveaxis(surface.Phi[:, list(chosen)], 1, 0)


def _second_order(surface: Surface, chosen: Sequence[int]) -> Floats:
    """(m, s, 3) G_kk"""
    assert surface.G is not None
    diagonal = [k * (k + 3) // 2 for k in chosen]
    return np.moveaxis(surface.G[:, diagonal], 1, 0).astype(float)


def _largest(fields: Floats) -> Floats:
    """(m,) largest length of a vector of every field (m, s, 3)"""
    return np.sqrt((fields**2).sum(axis=2).max(axis=1)) if fields.size else np.zeros(len(fields))


def _scaled(fields: Floats, weights: Floats) -> dict[str, Any]:
    """Shapes with a largest displacement of 1 and their amplitudes; fields that vanish are left out."""
    sizes = _largest(fields)
    kept = sizes > 0.0
    shapes = (fields[kept] / sizes[kept, None, None]).astype(np.float32)
    return {"shapes": shapes, "amplitudes": weights[:, kept] * sizes[kept]}


def _skin(surface: Surface, length: float) -> tuple[Solid, Any]:
    """The drawn solid, and the node of each of its points: the surface, or blocks at nodes."""
    if len(surface.triangles):
        return Solid(surface.points, surface.triangles), np.arange(len(surface.points))
    nodes = np.arange(len(surface.points))[:: -(-len(surface.points) // _MOST_NODES)]
    blocks = [box([0.01 * length] * 3, surface.points[node]) for node in nodes]
    return joined(blocks), np.repeat(nodes, len(blocks[0].points))


def _body_part(body: ReducedBody, surface: Surface, drawn: tuple[Solid, Any], swing: _Swing) -> Part:
    solid, at = drawn
    fields = _second_order(surface, swing.chosen) if swing.field else _first_order(surface, swing.chosen)
    stress: Single | None = None
    if surface.stress is not None and not swing.field:
        stress = np.moveaxis(surface.stress[at][:, list(swing.chosen)], 1, 0).astype(np.float32)
    return Part(
        name=body.name or "body",
        kind="flexible",
        points=solid.points,
        triangles=solid.triangles,
        color=PARTS[0],
        stress=stress,
        stress_amplitudes=None if stress is None else swing.q,
        mesh_error=None if surface.mesh_error is None else surface.mesh_error[at].astype(np.float32),
        nodes=surface.nodes[at],
        marks=_marks(body, surface.nodes[at], solid.points),
        **_at_rest(len(swing.time)),
        **_scaled(fields[:, at], swing.weights),
    )


def _marks(body: ReducedBody, nodes: Any, points: Floats) -> dict[str, int]:
    """The point nearest to every marker, among those that the marker is tied to."""
    marks = {}
    for marker in body.markers:
        tied = np.flatnonzero(np.isin(nodes, marker.nodes))
        if len(tied):
            marks[marker.name] = int(tied[np.argmin(((points[tied] - marker.p_b) ** 2).sum(axis=1))])
    return marks


def _marker_parts(body: ReducedBody, swing: _Swing) -> list[Part]:
    """A ball at every marker that moves as the marker does."""
    parts = []
    ball = sphere(0.008 * body.length, corners=12)
    chosen = list(swing.chosen)
    for marker in body.markers:
        moved = marker.shapes.Phi[chosen]
        if swing.field:
            moved = marker.shapes.G[chosen, chosen] if marker.shapes.order > 1 else 0.0 * moved
        fields = np.repeat(moved[:, None, :], len(ball.points), axis=1)
        parts.append(
            Part(
                name=marker.name if marker.name != body.name else f"{marker.name} (marker)",
                kind="symbol",
                points=ball.points + marker.p_b,
                triangles=ball.triangles,
                color=SYMBOL,
                **_at_rest(len(swing.time)),
                **_scaled(fields, swing.weights),
            )
        )
    return parts


def _at_rest(frames: int) -> dict[str, Any]:
    """Body axes equal to the world axes."""
    return {"position": np.zeros((frames, 3)), "quaternion": np.tile([1.0, 0.0, 0.0, 0.0], (frames, 1))}


def _chapters(body: ReducedBody, swing: _Swing, amplitude: float) -> tuple[tuple[float, str], ...]:
    chapters = []
    for place, number in enumerate(swing.chosen):
        title = mode_title(number + 1, body.coordinates[number])
        if swing.field:
            largest = float(swing.q[:, place].max())
            at = f"{_millimetres(amplitude)} at an amplitude of {_millimetres(largest)}" if largest > 0.0 else "none"
            title += f", second-order part: {at}"
        chapters.append((place * CYCLE, title))
    return tuple(chapters)


def mode_title(number: int, coordinate: Coordinate) -> str:
    """ "3: fixed 2, 1296 Hz"; number from 1"""
    return f"{number}: {coordinate.label}, {coordinate.frequency:.4g} Hz"


def _notes(amplitude: float, field: bool, has_surface: bool) -> tuple[str, ...]:
    what = "second-order part" if field else "shape"
    notes = [
        f"Every {what} is shown with a largest displacement of {_millimetres(amplitude)}, times the deflection scale; "
        f"a cycle takes {CYCLE:g} s, whatever the frequency."
    ]
    if not has_surface:
        notes.append(
            "The body file has no surface (imported matrices, or lines in an older file): its nodes are drawn."
        )
    return tuple(notes)


def _millimetres(value: float) -> str:
    return f"{1e3 * value:.3g} mm"
