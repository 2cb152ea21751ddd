"""A drawn mechanism in flexmb and by the oracle: positions, velocities, reactions, efforts and energy compared.

Reactions are vectors: force and moment of every joint on its second body, in world axes, together with the efforts of
the motions. What an overconstrained model leaves open (the null space of G^T, as seen in these wrenches) is taken out
of the difference and nothing else, so that sums of shared reactions are compared too.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import flexmb as fx
from flexmb.errors import ComputationError, InputError
from flexmb.model.model import Model
from tests.campaigns.mechanism_drawing import Draw
from tests.campaigns.oracle.motion import reactions

Array = Any
POSITIONS = 1e-7
"""Allowed error of positions relative to the size of the mechanism, and of orientations [rad]."""
REACTIONS = 1e-6
"""Allowed error of reactions relative to the peak of the joint (at least a thousandth of the largest of all)."""
ENERGY = 1e-7
"""Allowed error of kinetic and potential energy relative to the largest energy in the run."""


@dataclass
class Verdict:
    """Errors of a run relative to what is allowed: below one is right."""

    errors: dict[str, float] = field(default_factory=dict)
    failure: str = ""
    """message of an error that flexmb raised"""

    @property
    def is_right(self) -> bool:
        return not self.failure and max(self.errors.values()) < 1.0

    @property
    def text(self) -> str:
        if self.failure:
            return self.failure
        return ", ".join(f"{name} {value:.2g}" for name, value in self.errors.items() if value >= 1.0)


def channels_of(tables: dict[str, Any], verb: str = "run") -> dict[str, Array]:
    """All channels of a run of flexmb, by name."""
    model = Model.from_tables(tables)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "drawn.h5"
        if verb == "inverse":
            fx.inverse_model(model, path)
            with fx.Result(path) as result:
                return {name: result[name] for name in result.channels}
        with fx.run_model(model, path) as result:
            return {name: result[name] for name in result.channels}


def compare(draw: Draw, tables: dict[str, Any] | None = None, verb: str = "run") -> Verdict:
    """Run flexmb and compare; `tables`: other settings, or a model that is changed on purpose."""
    try:
        channels = channels_of(draw.tables if tables is None else tables, verb)
    except InputError as error:
        return Verdict(failure=f"refused: {' '.join(str(error).split())[:300]}")
    except ComputationError as error:
        return Verdict(failure=f"stopped: {' '.join(str(error).split())[:300]}")
    times = np.array([sample.t for sample in draw.samples])
    if len(channels["time"]) != len(times) or np.abs(channels["time"] - times).max() > 1e-9 * times[-1]:
        return Verdict(failure=f"output times {channels['time'][[0, -1]]}, {len(channels['time'])} rows")
    size = size_of(draw)
    errors = {
        "positions": _positions(draw, channels, size) / POSITIONS,
        "velocities": _velocities(draw, channels) / (10.0 * POSITIONS),
        "reactions": _reactions(draw, channels, size) / REACTIONS,
        "energy": _energy(draw, channels) / ENERGY,
    }
    return Verdict({name: value if np.isfinite(value) else np.inf for name, value in errors.items()})


def size_of(draw: Draw) -> float:
    """Extent of the markers in the design position [m]."""
    p = draw.samples[0].solution.kinematics.pm
    return float(np.linalg.norm(p - p.mean(axis=0), axis=1).max())


def _positions(draw: Draw, channels: dict[str, Array], size: float) -> float:
    """Largest error of body origins and of markers on beams over the size, and of orientations [rad]."""
    worst, machine = 0.0, draw.machine
    for k, sample in enumerate(draw.samples):
        p, quaternions, _ = machine.split(sample.x)
        for number, body in enumerate(machine.bodies):
            if body.beam is not None:
                continue
            found, turn = (channels[f"bodies/{body.name}/{name}"][k] for name in ("position", "quaternion"))
            gap = 2.0 * min(np.linalg.norm(turn - quaternions[number]), np.linalg.norm(turn + quaternions[number]))
            worst = max(worst, gap, float(np.linalg.norm(found - p[number])) / size)
        for sensor, table in draw.tables.get("sensors", {}).items():
            marker = machine.description.marker_index[table["marker"]]
            gap = channels[f"sensors/{sensor}"][k] - sample.solution.kinematics.pm[marker]
            worst = max(worst, float(np.linalg.norm(gap)) / size)
    return worst


def _velocities(draw: Draw, channels: dict[str, Array]) -> float:
    """Largest error of velocities of rigid bodies over the largest velocity (m/s and rad/s alike)."""
    worst, largest = 0.0, 1.0
    for k, sample in enumerate(draw.samples):
        at = sample.solution.kinematics
        for number, body in enumerate(draw.machine.bodies, start=1):
            if body.beam is not None:
                continue
            v, w = (channels[f"bodies/{body.name}/{name}"][k] for name in ("velocity", "angular_velocity"))
            worst = max(worst, np.abs(v - at.v[number]).max(), np.abs(at.R[number] @ w - at.w[number]).max())
            largest = max(largest, np.abs(at.v[number]).max(), np.abs(at.w[number]).max())
    return worst / largest


def _reactions(draw: Draw, channels: dict[str, Array], size: float) -> float:
    """Largest error of a determined reaction over the peak of its joint."""
    joints, motions = draw.machine.description.joints, draw.machine.description.motions
    gaps, wanted = [], []
    for k, sample in enumerate(draw.samples):
        at = sample.solution.kinematics
        oracle, undetermined = reactions(draw.machine, sample, size)
        found = []
        for joint in joints:
            pair = (channels[f"joints/{joint.name}/{name}"][k] for name in ("force", "moment"))
            force, moment = (at.Rm[joint.a] @ vector for vector in pair)
            found += [*force, *(moment / size)]
        for (name, *_), row in zip(motions, _motion_rows(draw), strict=True):
            found.append(channels[f"motions/{name}/effort"][k] / (1.0 if row.kind == "slide" else size))
        gap = np.array(found) - oracle
        gaps.append(gap - undetermined @ (undetermined.T @ gap))
        wanted.append(oracle)
    blocks = [slice(6 * k, 6 * k + 6) for k in range(len(joints))]
    blocks += [slice(6 * len(joints) + k, 6 * len(joints) + k + 1) for k in range(len(motions))]
    peaks = np.array([np.linalg.norm(np.array(wanted)[:, block], axis=1).max() for block in blocks])
    worst = np.array([np.linalg.norm(np.array(gaps)[:, block], axis=1).max() for block in blocks])
    if not peaks.max(initial=0.0) > 0.0:
        return float(worst.max(initial=0.0))
    return float((worst / np.maximum(peaks, 1e-3 * peaks.max())).max())


def _motion_rows(draw: Draw) -> list[Any]:
    rows = {row.motion: row for row in draw.machine.rows.rows if row.motion}
    return [rows[name] for name, *_ in draw.machine.description.motions]


def _energy(draw: Draw, channels: dict[str, Array]) -> float:
    """Largest error of kinetic energy and of the change of potential energy over the largest of either."""
    kinetic, potential = np.array([sample.energies for sample in draw.samples]).T
    potential = potential - potential[0]
    found = channels["energy/potential"] - channels["energy/potential"][0]
    largest = max(np.abs(kinetic).max(), np.abs(potential).max(), 1e-3)
    gap = max(np.abs(channels["energy/kinetic"] - kinetic).max(), np.abs(found - potential).max())
    return float(gap / largest)
