"""Result of inverse dynamics: efforts of the drives, reactions of all joints, and how well both are determined."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmb.arrays import Flags, Floats
from flexmb.model.model import Model
from flexmb.results.joint_reactions import JointReaction
from flexmb.results.result_file import Result
from flexmb.warning import WarningRecord


@dataclass(frozen=True)
class Drive:
    """Effort and work of a motion, at every row of the result."""

    name: str
    unit: str
    effort: Floats
    """(r,) force or torque along the driven coordinate, positive in its direction [N or N*m]"""
    work: Floats
    """(r,) done since the start [J]"""


@dataclass(frozen=True)
class MotionFit:
    """Residual of a fitted motion, at every row of the result."""

    motion: str
    unit: str
    residual: Floats
    """(r,) coordinate of the mechanism less the prescribed one [m or rad]"""


@dataclass(frozen=True)
class Fit:
    """Fit of all motions."""

    n_freedom: int
    """Degrees of freedom that the motions drive."""
    length: float
    """Length scale: residuals in m and torques are divided by it [m]."""
    motions: tuple[MotionFit, ...]


@dataclass(frozen=True)
class RecursiveReactions:
    """Reactions of all joints and efforts of all motions, found body by body."""

    reactions: dict[str, JointReaction]
    efforts: dict[str, Floats]
    """(r,) effort of every motion [N or N*m]"""
    determined: dict[str, Flags]
    """(r, 6) for every joint: whether the joint equations determine the component (force, moment in joint axes)"""
    length: float
    """Size of the mechanism: the arm at which forces and moments compare [m]"""

    def difference(self, others: dict[str, JointReaction]) -> float:
        """Largest difference of determined components from other reactions of the same joints, over the peak.

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
    """Joints (and motions) -> reaction components that depend on which redundant rows are left out, joint axes."""
    n_repeated: int
    """Constraint rows that repeat others."""
    ill_determined: dict[str, tuple[str, ...]]
    """Joints (and motions) -> reaction components that depend on rows which nearly repeat others, joint axes."""
    fit: Fit | None = None
    """Fit of the motions, when they outnumber the degrees of freedom."""
    recursive: RecursiveReactions | None = None
    """Reactions found from the ends of the tree inwards, if requested; `reactions` are then these."""
    method_difference: float = 0.0
    """Largest difference of these from the reactions by multipliers, as a fraction of the peak."""

    @property
    def warnings(self) -> tuple[WarningRecord, ...]:
        """Those of the run and of the reactions."""
        return self.result.warnings


@dataclass(frozen=True)
class Departure:
    """Departure of a model that is driven by efforts from the prescribed motion."""

    time: Floats
    """(r,) [s]"""
    bodies: dict[str, Floats]
    """(r,) distance of every body's origin from its prescribed position [m]"""
    angles: dict[str, Floats]
    """(r,) angle between every body and its prescribed orientation [rad]"""
    n_points: int
    """Number of points of every effort."""
    leaves_out_vibration: bool = False
    """Whether the efforts are those of elastic coordinates in balance."""
