"""A scene as the two texts that the viewer reads: a header (JSON) and the arrays it points to (`arrays.py`).

Everything is rounded to whole numbers of a step that cannot be seen: points to 1/65536 of their box, deflections and
stresses as `rounding.py` says, poses to 1e-7 of the size of the scene, curves to 1e-6 of their range.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from flexmb.arrays import Floats
from flexmb.axes import AXES
from flexmb.errors import Fault, InputError
from flexmb.view.camera import DISTANCE, FIELD_OF_VIEW, VIEWS, world_axes
from flexmb.view.colors import ARROWS, DARK, LIGHT, Theme, stops_for
from flexmb.view.scene import COLORINGS, Arrow, Curve, Look, Part, Scene, playing_speed
from flexmb.view.web.packed_arrays import ArrayStore, Neighbours
from flexmb.view.web.rounding import Largest, Layers, allowed_errors, allowed_stress, largest_values, layers_of

TIME, POSE, ARROW, CURVE, STRESS_AMPLITUDE = 1e-9, 2e-7, 1e-5, 2e-6, 5e-5
"""Steps: of the time as a share of the run, of poses as a share of the radius of the scene (of 1 for quaternions), of
arrows, curves and amplitudes of stress as a share of their largest value"""
_LARGEST = 1e150
"""Largest number that can be drawn: the squares of greater ones are not finite"""
HEIGHTS = 30
"""Frames that are searched for the lowest point of the scene, where the floor is drawn"""


def pack_scene(scene: Scene, look: Look, playing: bool = True) -> tuple[str, str]:
    """Header and arrays of a scene; the header is safe inside a script element."""
    check_scene(scene, look)
    store = ArrayStore()
    largest = [largest_values(part) for part in scene.parts]
    span = float(scene.time[-1] - scene.time[0]) or 1.0
    header = {
        "title": title_of(scene),
        "subtitle": scene.subtitle,
        "notes": scene.notes,
        "time": store.rounded((scene.time - scene.time[0])[:, None], TIME * span),
        "start": float(scene.time[0]),
        "chapters": [{"start": float(start), "title": title} for start, title in scene.chapters],
        "period": float(scene.period),
        "parts": [_part(store, part, scene.radius, top) for part, top in zip(scene.parts, largest, strict=True)],
        "arrows": [_arrow(store, arrow, scene.radius) for arrow in scene.arrows],
        "curves": [_curve(store, curve) for curve in scene.curves],
        "colorings": _colorings(scene, largest),
        "arrowColors": ARROWS,
        "themes": {name: _theme(each) for name, each in (("light", LIGHT), ("dark", DARK))},
        "center": [float(value) for value in scene.center],
        "radius": float(scene.radius),
        "axes": world_axes(scene.up).tolist(),
        "floor": _lowest(scene, look.scale_of(scene)),
        "views": VIEWS,
        "fieldOfView": FIELD_OF_VIEW,
        "distance": DISTANCE,
        "look": _look(scene, look, playing),
    }
    try:
        text = json.dumps(header, separators=(",", ":"), allow_nan=False)
    except ValueError as error:
        raise InputError("The scene has positions or sizes that are not finite and cannot be drawn.") from error
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e"), store.text()


def title_of(scene: Scene) -> str:
    """Title of the page on one line."""
    return " ".join(scene.title.split()) or "Animation"


def check_scene(scene: Scene, look: Look) -> None:
    """Reject what cannot be drawn, all of it at once."""
    faults = []
    names = [part.name for part in scene.parts if part.kind in ("flexible", "rigid")]
    if look.color not in COLORINGS:
        faults.append(Fault(f"There is no colouring '{look.color}'.", hint=f"Choose one of {', '.join(COLORINGS)}."))
    if look.view not in VIEWS:
        faults.append(Fault(f"There is no view '{look.view}'.", hint=f"Choose one of {', '.join(VIEWS)}."))
    if look.follow and look.follow not in (*names, "ground"):
        faults.append(Fault(f"There is no body '{look.follow}' to follow.", hint=f"Bodies: {', '.join(names)}."))
    if not len(scene.time):
        faults.append(Fault("The scene has no frames, so there is nothing to show."))
    for part in scene.parts:
        arrays: list[NDArray[Any]] = [part.points, part.position, part.quaternion, part.shapes, part.amplitudes]
        arrays += [values for values in (part.stress, part.stress_amplitudes) if values is not None]
        if not all(_is_drawable(values) for values in arrays):
            faults.append(Fault(f"The part '{part.name}' has numbers that are not finite, so it cannot be drawn."))
    for arrow in scene.arrows:
        if not all(_is_drawable(values) for values in (arrow.position, arrow.vector)):
            text = f"The {arrow.kind} of '{arrow.name}' has numbers that are not finite, so it cannot be drawn."
            faults.append(Fault(text))
    if faults:
        raise InputError(faults)


def _is_drawable(values: NDArray[Any]) -> bool:
    """Finite, and so are the squares."""
    return bool((np.abs(values.astype(np.float64, copy=False)) < _LARGEST).all())


def _look(scene: Scene, look: Look, playing: bool) -> dict[str, Any]:
    return {
        "scale": float(look.scale_of(scene)),
        "color": look.color if look.color != "stress" or scene.has_stress else "displacement",
        "view": look.view,
        "follow": "" if look.follow == "ground" else look.follow,
        "ghost": look.ghost,
        "symbols": look.symbols,
        "arrows": look.arrows,
        "dark": look.dark,
        "speed": playing_speed(scene, look),
        "playing": playing,
    }


def _theme(theme: Theme) -> dict[str, Any]:
    return {"grid": theme.grid, "edge": theme.edge, "ghost": theme.ghost, "symbol": theme.symbol}


def _part(store: ArrayStore, part: Part, radius: float, largest: Largest) -> dict[str, Any]:
    low = part.points.min(axis=0, initial=np.inf)
    step = np.maximum(np.ptp(part.points, axis=0), 1e-6 * radius) / 65535.0
    triangles = np.asarray(part.triangles, dtype=np.int64)
    mesh = Neighbours(triangles)
    packed: dict[str, Any] = {
        "name": part.name,
        "kind": part.kind,
        "color": [float(value) for value in part.color],
        "points": store.integers(np.rint((part.points - low) / step).astype(np.int64).T, mesh=mesh),
        "origin": low.tolist(),
        "step": step.tolist(),
        "triangles": store.integers(triangles.T),
        "position": store.rounded(part.position, POSE * radius),
        "quaternion": store.rounded(part.quaternion, POSE),
        "marks": part.marks,
        "spread": largest.components,
    }
    if part.nodes is not None:
        packed["nodes"] = store.integers(np.asarray(part.nodes, dtype=np.int64)[None])
    if part.n_shapes:
        of_shapes, of_amplitudes = allowed_errors(part, largest)
        layers = layers_of(part.shapes, part.amplitudes, of_shapes)
        # A shape is at most 1 anywhere, so the error of its amplitude is the largest error that it adds.
        packed["bending"] = _layers(store, mesh, layers, part.amplitudes, 2.0 * of_amplitudes)
        packed["carried"] = part.carried
    if part.stress is not None and part.stress_amplitudes is not None:
        layers = layers_of(part.stress, part.stress_amplitudes, allowed_stress(part, largest))
        fine = STRESS_AMPLITUDE * np.abs(part.stress_amplitudes).max(axis=0, initial=0.0)
        packed["stress"] = _layers(store, mesh, layers, part.stress_amplitudes, fine)
    return packed


def _layers(store: ArrayStore, mesh: Neighbours, layers: Layers, amplitudes: Floats, step: Floats) -> dict[str, Any]:
    count, components, points = layers.values.shape
    return {
        "values": store.integers(layers.values.reshape(count * components, points), mesh=mesh),
        "steps": layers.steps,
        "shape": layers.shape,
        "amplitudes": store.rounded(amplitudes, step),
    }


def _arrow(store: ArrayStore, arrow: Arrow, radius: float) -> dict[str, Any]:
    largest = float(np.linalg.norm(arrow.vector, axis=1).max(initial=0.0))
    return {
        "name": arrow.name,
        "kind": arrow.kind,
        "unit": arrow.unit,
        "largest": largest,
        "position": store.rounded(arrow.position, POSE * radius),
        # The deflection of the point is exaggerated up to a thousand times.
        "deflection": store.rounded(arrow.deflection, 1e-3 * np.abs(arrow.deflection).max(initial=0.0)),
        "vector": store.rounded(arrow.vector, ARROW * largest),
    }


def _curve(store: ArrayStore, curve: Curve) -> dict[str, Any]:
    values = np.asarray(curve.values, dtype=float)
    gaps = np.flatnonzero(~np.isfinite(values))
    values = np.where(np.isfinite(values), values, 0.0)
    step = CURVE * float(np.abs(values).max(initial=0.0))
    packed = store.rounded(values[:, None], step)
    return {"name": curve.name, "unit": curve.unit, "values": packed, "gaps": gaps.tolist()}


def _colorings(scene: Scene, largest: list[Largest]) -> list[dict[str, Any]]:
    """Available colourings with their range and ramp: only bodies are coloured, not the symbols that bend with them."""
    bodies = [top for part, top in zip(scene.parts, largest, strict=True) if part.kind == "flexible"]
    tops = {"displacement": scene.largest_deflection}
    tops |= {axis: max((top.components[k] for top in bodies), default=0.0) for k, axis in enumerate(AXES)}
    if scene.has_stress:
        tops["stress"] = max((top.stress for top in bodies), default=0.0)
    return [{"name": name, "largest": top, "stops": stops_for(name)} for name, top in tops.items()]


def _lowest(scene: Scene, scale: float) -> float:
    """[m] along `up`: height of the lowest point of what is drawn at first"""
    up = world_axes(scene.up)[2]
    frames = np.unique(np.linspace(0, len(scene.time) - 1, HEIGHTS).round().astype(int))
    heights = [float((part.positions(k, scale) @ up).min()) for part in scene.parts if len(part.points) for k in frames]
    return min(heights, default=0.0)
