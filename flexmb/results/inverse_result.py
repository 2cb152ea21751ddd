"""What inverse dynamics finds: efforts of the drives, reactions of all joints, and how well both are determined."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmb.arrays import Flags, Floats
from flexmb.model.model import Model
from flexmb.results.joint_reactions import JointReaction
from flexmb.results.result_file import Result


@dataclass(frozen=True)
class Drive:
    """What a motion takes, at every row of the result."""

    name: str
    unit: str
    effort: Floats
    """(r,) force or torque along the driven coordinate, positive in its direction [N or N*m]"""
    work: Floats
    """(r,) done since the start [J]"""


@dataclass(frozen=True)
class MotionFit:
    """How far the mechanism is from what a motion prescribes, at every row of the result."""

    motion: str
    unit: str
    residual: Floats
    """(r,) coordinate of the mechanism less the prescribed one [m or rad]"""


@dataclass(frozen=True)
class Fit:
    """Motions that are fitted, all together."""

    n_freedom: int
    """Degrees of freedom that they drive."""
    length: float
    """Length scale: residuals in m and torques are divided by it [m]."""
    motions: tuple[MotionFit, ...]


@dataclass(frozen=True)
class RecursiveReactions:
    """Reactions of all joints and efforts of all motions, found body by body."""

    reactions: dict[str, JointReaction]
    efforts: dict[str, Floats]
    """(r,) of every motion [N or N*m]"""
    determined: dict[str, Flags]
    """(r, 6) of every joint: whether the joint equations determine the component (force, moment in joint directions)"""
    length: float
    """Size of the mechanism: the arm at which forces and moments compare [m]"""

    def difference(self, others: dict[str, JointReaction]) -> float:
        """Largest difference of determined components from other reactions of the same joints, as a part of the peak.

        Forces over the largest force, moments over the largest moment or that force at the size of the mechanism.
        """
        pairs = [(one, others[name], self.determined[name]) for name, one in self.reactions.items()]
        force = max((float(np.abs(other.force).max()) for _, other, _ in pairs), default=0.0)
        moment = max((float(np.abs(other.moment).max()) for _, other, _ in pairs), default=0.0)
        peaks = np.repeat([force, max(moment, force * self.length)], 3)
        gaps = [0.0]
        for one, other, known in pairs:
            gap = np.abs(np.hstack([one.force - other.force, one.moment - other.moment])) * known
            gaps.append(float((gap / np.where(peaks > 0.0, peaks, 1.0)).max()))
        return max(gaps)


@dataclass(frozen=True)
class InverseDynamics:
    """Efforts and reactions of a prescribed motion."""

    result: Result
    model: Model
    how: str
    """kinematic, dynamic or quasi-static"""
    n_driven: int
    """Rows that motions prescribe."""
    n_free: int
    """Rigid degrees of freedom that no motion drives."""
    n_elastic: int
    drives: tuple[Drive, ...]
    reactions: dict[str, JointReaction]
    not_unique: dict[str, tuple[str, ...]]
    """Joints (and motions) whose reaction depends on which repeated rows are left out: its components, joint axes."""
    n_repeated: int
    """Constraint rows that repeat others."""
    hardly_known: dict[str, tuple[str, ...]]
    """Joints (and motions) whose reaction rests on rows that all but repeat others: its components, joint axes."""
    fit: Fit | None = None
    """More motions than degrees of freedom: how they were fitted."""
    recursive: RecursiveReactions | None = None
    """Reactions found from the ends of the tree inwards, when asked for; `reactions` are then these."""
    road_difference: float = 0.0
    """Largest difference of these from the reactions by multipliers, as a part of the peak."""


@dataclass(frozen=True)
class Departure:
    """How far the model that is driven by efforts leaves the prescribed motion."""

    time: Floats
    """(r,) [s]"""
    bodies: dict[str, Floats]
    """(r,) distance of every body's origin from where the motion has it [m]"""
    angles: dict[str, Floats]
    """(r,) angle between every body and its prescribed orientation [rad]"""
    n_points: int
    """Points of every effort."""
    leaves_out_vibration: bool = False
    """Whether the efforts are those of elastic coordinates in balance."""
