"""Motions of the orientation of a marker: their rotation vector must stay below half a turn."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from flexmb.model.expressions.tokens import TextError
from flexmb.model.schema.checks import References

if TYPE_CHECKING:
    from flexmb.model.schema.model_spec import ModelSpec

SAMPLES = 1001


def check_orientations(references: References, spec: ModelSpec) -> None:
    """Reject two motions about one axis, and rotation vectors of half a turn and more at some times of the analysis."""
    driven: dict[tuple[str | None, str], dict[str, str]] = {}
    for name, motion in spec.motions.items():
        if motion.about is None:
            continue
        names = driven.setdefault((motion.marker, motion.relative_to), {})
        if motion.about in names:
            text = f"motions '{names[motion.about]}' and '{name}' drive the same component of an orientation"
            references.add(("motions", name, "about"), text)
        names[motion.about] = name
    end = spec.analysis.end if spec.analysis is not None else 0.0
    for names in driven.values():
        functions = [spec.motions[name].function for name in names.values()]
        for t in np.linspace(0.0, end, SAMPLES).tolist():
            try:
                angle = math.hypot(*(function(t) for function in functions))
            except TextError:  # reported elsewhere
                break
            if angle >= math.pi:
                name = next(iter(names.values()))
                text = f"motion '{name}': the rotation vector is {math.degrees(angle):.4g} deg at t = {t:.4g} s"
                hint = "It must stay below 180 deg; drive the coordinate of a joint for more."
                references.add(("motions", name), text, hint)
                break
