"""Report on motions given by measured tables: change of their points by smoothing."""

from __future__ import annotations

from collections.abc import Iterator

from flexmb.model.schema.joints import Motion
from flexmb.model.schema.model_spec import ModelSpec


def smoothing_texts(spec: ModelSpec) -> Iterator[str]:
    """Sentence for every motion of a checked model whose table is smoothed."""
    for name, motion in spec.motions.items():
        smoothing = motion.smoothing
        if smoothing is None or motion.table is None:
            continue
        unit = motion_unit(spec, motion)
        largest = f"{smoothing.largest:.3g} {unit} at t = {smoothing.largest_at:.6g} s"
        yield (
            f"'{name}': table of {len(motion.table)} points smoothed at {motion.smooth:g} Hz, changed by "
            f"{smoothing.rms:.3g} {unit} rms, at most {largest}"
        )


def motion_unit(spec: ModelSpec, motion: Motion) -> str:
    """Unit of a prescribed coordinate or position."""
    return "m" if motion.joint is None or is_length(spec, motion.joint, motion.coordinate) else "rad"


def is_length(spec: ModelSpec, joint: str, coordinate: str | None) -> bool:
    """Whether the driven coordinate of a joint is a length."""
    joint_type = spec.joints[joint].kind
    name = coordinate or joint_type.coordinates[0]
    return bool(joint_type.kinds[joint_type.coordinates.index(name)] == "length")
