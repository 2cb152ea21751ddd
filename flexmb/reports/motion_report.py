"""What a report says of motions that come from measured tables: how far smoothing has moved their points."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def smoothing_texts(spec: Any) -> Iterator[str]:
    """A sentence for every motion of a checked model whose table is smoothed."""
    for name, motion in spec.motions.items():
        smoothing = motion.smoothing
        if smoothing is None:
            continue
        unit = "m" if motion.marker is not None or _is_length(spec, motion) else "rad"
        largest = f"{smoothing.largest:.3g} {unit} at t = {smoothing.largest_at:.6g} s"
        yield (
            f"'{name}': table of {len(motion.table)} points smoothed at {motion.smooth:g} Hz, changed by "
            f"{smoothing.rms:.3g} {unit} rms, at most {largest}"
        )


def _is_length(spec: Any, motion: Any) -> bool:
    """Whether the driven coordinate of a joint is a length."""
    joint_type = spec.joints[motion.joint].kind
    name = motion.coordinate or joint_type.coordinates[0]
    return bool(joint_type.kinds[joint_type.coordinates.index(name)] == "length")
