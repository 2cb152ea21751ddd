"""Faults of a look, a path or a time: all of them at once, before anything is drawn."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from flexmb.errors import Fault, InputError
from flexmb.output_files import place_fault, suffix_fault
from flexmb.suggestions import did_you_mean
from flexmb.view.camera import VIEWS
from flexmb.view.scene import COLORINGS, Look, Scene

LARGEST = 4096
"""Pixels of a side"""


def check(scene: Scene, look: Look, path: Path | None = None, suffixes: Sequence[str] = ()) -> None:
    """Raise an InputError when this cannot be drawn."""
    faults = [*_look_faults(scene, look), *(_path_faults(path, suffixes) if path is not None else [])]
    if not len(scene.time):
        faults.append(Fault("The scene has no frames, so there is nothing to draw."))
    if faults:
        raise InputError(faults)


def _look_faults(scene: Scene, look: Look) -> list[Fault]:
    faults = []
    if look.color not in COLORINGS:
        faults.append(Fault(f"There is no colouring '{look.color}'.", ("color",), did_you_mean(look.color, COLORINGS)))
    elif look.color == "stress" and not scene.has_stress:
        hint = "Colour by displacement, or reduce the body with --stress."
        faults.append(Fault("No body in the scene has stress data.", ("color",), hint))
    if look.view not in VIEWS:
        faults.append(Fault(f"There is no view '{look.view}'.", ("view",), did_you_mean(look.view, VIEWS)))
    bodies = [part.name for part in scene.parts if part.kind in ("flexible", "rigid")]
    if look.follow and look.follow not in bodies:
        hint = did_you_mean(look.follow, bodies, "Bodies")
        faults.append(Fault(f"There is no body '{look.follow}' to follow.", ("follow",), hint))
    if look.scale is not None and not (math.isfinite(look.scale) and look.scale >= 0.0):
        faults.append(Fault(f"The deflection scale is {look.scale:g}; it must be 0 or more.", ("scale",)))
    if any(not 16 <= side <= LARGEST for side in look.size):
        found = " x ".join(str(side) for side in look.size)
        faults.append(Fault(f"The size is {found} pixels; each side must be 16 to {LARGEST}.", ("size",)))
    if not 1 <= look.fps <= 240:
        faults.append(Fault(f"The frame rate is {look.fps} per second; it must be 1 to 240.", ("fps",)))
    if look.speed is not None and not (math.isfinite(look.speed) and look.speed > 0.0):
        faults.append(Fault(f"The playback speed is {look.speed:g}; it must be above 0.", ("speed",)))
    return faults


def _path_faults(path: Path, suffixes: Sequence[str]) -> list[Fault]:
    fault = suffix_fault(path, suffixes) or place_fault(path)
    return [Fault(fault)] if fault else []
