"""Warnings about one-sided forces (ropes, stops, buffers) after a run: dampers that push, contacts not resolved.

Enters: a model, a result and the error of its energy; leaves: `WarningRecord`s. A spring is one-sided when its table
has no force beyond one of its ends. Its damper acts there too, so that a slack rope pushes and a stop sticks, while the
force of a rope can only pull, f = table(s) + c s_dot >= 0. Its deflection s_max in the run follows from its largest
force. A tolerance that allows errors of that size, or an error of the energy of the size of what it stores, V = int
table ds up to s_max, means that its force was not resolved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from flexmb.arrays import Floats
from flexmb.loads.table import LOAD_TYPES
from flexmb.model.schema.loads import Cable, JointSpring, JointStop, SpringDamper, numbers_of
from flexmb.model.schema.model_spec import ModelSpec
from flexmb.reports.motion_report import is_length
from flexmb.results.result_file import Result
from flexmb.system.system import System
from flexmb.warning import WarningRecord

PUSHES = 1e-3  # of the largest force of a spring: less is not listed
COARSE = 0.1  # of the largest deflection: error that the tolerance may allow
SEEN = 4  # rows of a contact that show its largest force, steps that resolve it
REBOUND = 20  # steps of a contact with a stop: the speed after it is right to 2e-3; with twice as many, to 3e-4
DEEP = 1e-3  # of the size of the model: a start less deep in a stop is one that rests on it
THROWN = 0.9  # of the largest force of a stop, at the start
LOST = 0.05  # of the stored energy: error of the energy of a run
CODES = ("coarse-tolerance", "contact-not-resolved", "starts-in-contact")  # chosen by a rule


def contact_warnings(
    spec: ModelSpec, system: System, result: Result, energy_error: float, peak_energy: float
) -> Iterator[WarningRecord]:
    """Warnings about the one-sided springs of a run; error and largest value of its energy [J]."""
    time = np.asarray(result.time)
    is_dynamic = spec.analysis is not None and spec.analysis.type == "dynamic"
    for name, force in spec.forces.items():
        if LOAD_TYPES[force.type].is_stop or isinstance(force, Cable):
            resistance = np.abs(np.asarray(result[f"forces/{name}/effort"]).ravel())
            if is_dynamic and np.all(np.isfinite(resistance)) and resistance.max() > 0.0:
                is_turning = isinstance(force, JointStop) and not is_length(spec, force.joint, force.coordinate)
                spring = _power_law(name, force, is_turning)
                scale = 1.0 if is_turning else system.length_scale
                if spring.is_stop:
                    yield from _start_warning(spring, spec, resistance, time, scale)
                yield from _contact_warning(spring, spec.analysis, resistance, time, scale, (energy_error, peak_energy))
            continue
        if not isinstance(force, (SpringDamper, JointSpring)) or force.table is None:
            continue
        side = one_sided(force.table)
        if not side:
            continue
        # The effort of a pair is positive in tension, that on a coordinate acts along it.
        resistance = (side if isinstance(force, SpringDamper) else -side) * np.asarray(
            result[f"forces/{name}/effort"]
        ).ravel()
        if not np.all(np.isfinite(resistance)):
            continue
        is_turning = isinstance(force, JointSpring) and not is_length(spec, force.joint, force.coordinate)
        spring = _tabled(name, force.table, side, is_turning)
        if force.damping > 0.0:
            yield from _push_warning(spring, force.damping, resistance, time)
        if resistance.max() > 0.0 and is_dynamic:
            scale = 1.0 if is_turning else system.length_scale
            energies = (energy_error, peak_energy)
            yield from _contact_warning(spring, spec.analysis, resistance, time, scale, energies)


@dataclass(frozen=True)
class _OneSided:
    """A one-sided spring: its side, its units and its law."""

    name: str
    side: int
    is_turning: bool
    reached: Callable[[float], tuple[float, float]]
    """Force -> deflection and stored energy"""
    deflection_at: Callable[[float], float]
    """Stored energy -> deflection"""
    steps: int = SEEN
    """Steps that resolve a contact"""
    is_stop: bool = False

    @property
    def unit(self) -> str:
        """Unit of its deflection."""
        return "rad" if self.is_turning else "m"

    @property
    def force_unit(self) -> str:
        """Unit of its force."""
        return "N*m" if self.is_turning else "N"


def _tabled(name: str, points: Any, side: int, is_turning: bool) -> _OneSided:
    """A spring with a table that has no force beyond one of its ends."""

    def reached(largest: float) -> tuple[float, float]:
        return deflection_and_energy(points, side, largest)

    def deflection_at(energy: float) -> float:
        return deflection_of_energy(points, side, energy)

    return _OneSided(name, side, is_turning, reached, deflection_at)


def _power_law(name: str, force: Any, is_turning: bool) -> _OneSided:
    """A stop, or a cable (exponent 1); the share of the damping in its force is left out."""
    is_stop = LOAD_TYPES[force.type].is_stop
    k, n = numbers_of(force)[2:4] if is_stop else (force.stiffness, 1.0)

    def reached(largest: float) -> tuple[float, float]:
        depth = (largest / k) ** (1.0 / n)
        return depth, largest * depth / (n + 1.0)

    def deflection_at(energy: float) -> float:
        return float(((n + 1.0) * energy / k) ** (1.0 / (n + 1.0)))

    return _OneSided(name, 1, is_turning, reached, deflection_at, REBOUND if is_stop else SEEN, is_stop)


def _start_warning(
    spring: _OneSided, spec: ModelSpec, resistance: Floats, time: Floats, scale: float
) -> Iterator[WarningRecord]:
    """A run that starts deep beyond the end of a stop and is thrown out of it."""
    assert spec.analysis is not None
    if spec.analysis.start == "static" or resistance[0] < THROWN * resistance.max() or resistance.min() > 0.0:
        return
    depth, stored = spring.reached(float(resistance[0]))
    if depth < DEEP * scale:
        return
    yield WarningRecord(
        "starts-in-contact",
        f"force '{spring.name}': the run starts {depth:.3g} {spring.unit} beyond the end of its stop "
        f"({resistance[0]:.4g} {spring.force_unit}, {stored:.3g} J stored) and is thrown out of it. Check the ends of "
        'the stop and the initial state, or start from the static equilibrium (start = "static").',
        f"forces.{spring.name}",
        float(time[0]),
        depth,
        spring.unit,
    )


def one_sided(points: Any) -> int:
    """1 for a table without force below a deflection (rope), -1 for one without force above (stop), else 0."""
    y = [float(force) for _, force in points]
    low, high = y[0] == y[1] == 0.0, y[-1] == y[-2] == 0.0
    if low and not high and min(y) >= 0.0:
        return 1
    return -1 if high and not low and max(y) <= 0.0 else 0


def _push_warning(spring: _OneSided, damping: float, resistance: Floats, time: Floats) -> Iterator[WarningRecord]:
    worst = int(np.argmin(resistance))
    push, largest, unit = -float(resistance[worst]), float(np.abs(resistance).max()), spring.force_unit
    if push <= PUSHES * largest:
        return
    verb, what = ("pushes", "A rope cannot push") if spring.side > 0 else ("pulls", "A stop cannot pull")
    yield WarningRecord(
        "slack-damper",
        f"force '{spring.name}' is one-sided, but its damping of {damping:.4g} {unit}*s/{spring.unit} also acts where "
        f"its table has no force: it {verb} with {push:.4g} {unit} at t = {time[worst]:.6g} s (its largest force is "
        f"{largest:.4g} {unit}). {what}. Remove 'damping', or give the force as an expression that ends with the "
        "contact, such as if(s > 0, max(0, k*s + c*v), 0) with s and v from sensors.",
        f"forces.{spring.name}",
        float(time[worst]),
        push,
        unit,
    )


def _contact_warning(
    spring: _OneSided, analysis: Any, resistance: Floats, time: Floats, scale: float, energies: tuple[float, float]
) -> Iterator[WarningRecord]:
    """The first reason found why the contact with the largest force is not resolved."""
    worst, largest = int(np.argmax(resistance)), float(resistance.max())
    free = np.flatnonzero(resistance <= PUSHES * largest)
    before, after = free[free < worst], free[free > worst]
    rows = (after[0] if after.size else len(time)) - (before[-1] if before.size else -1) - 1
    deflection, stored = spring.reached(largest)
    if rows < SEEN:  # the rows may have missed the largest force: what the energy of the run allows at most
        deflection, stored = spring.deflection_at(energies[1]), energies[1]
    at_most = "at most " if rows < SEEN else ""
    found = f"force '{spring.name}' is one-sided and reaches {largest:.4g} {spring.force_unit}, deflected by {at_most}"
    found += f"{deflection:.3g} {spring.unit}"
    allowed, error = (analysis.tolerance or 0.0) * scale, energies[0]
    sees_steps = analysis.tolerance is None and np.ptp(time) <= 1.5 * analysis.step * (len(time) - 1)
    steps = rows if sees_steps else spring.steps
    if deflection > 0.0 and allowed > COARSE * deflection:
        wanted = 10.0 ** np.floor(np.log10(1e-2 * deflection / scale))
        code, value, unit = "coarse-tolerance", allowed, spring.unit
        text = f"tolerance = {analysis.tolerance:g} allows local errors of {allowed:.3g} {unit}: the contact is not "
        text += f"resolved. Use tolerance = {wanted:.0e}."
    elif steps < spring.steps and before.size and after.size:
        code, value, unit = "contact-not-resolved", float(steps), "steps"
        text = f"the contact lasts {steps} step{'s' if steps > 1 else ''}: it is not resolved. "
        text += f"Use step = {0.4 / spring.steps * steps * analysis.step:.1g} s."
    elif rows >= SEEN and error > LOST * stored:
        code, value, unit = "contact-not-resolved", error, "J"
        text = (
            f"there it stores {stored:.3g} J, and the energy balance of the run is off by {error:.3g} J: the contact "
        )
        text += f"is not resolved. Use a smaller {'step' if analysis.tolerance is None else 'tolerance'}."
    else:
        return
    yield WarningRecord(code, f"{found}; {text}", f"forces.{spring.name}", float(time[worst]), value, unit)


def deflection_of_energy(points: Any, side: int, energy: float) -> float:
    """Deflection at which a one-sided table stores an energy [J]; zero without any."""
    low, high = 0.0, max(abs(float(force)) for _, force in points)
    while energy > deflection_and_energy(points, side, high)[1] and high < 1e30:
        high *= 2.0
        if deflection_and_energy(points, side, high)[1] == deflection_and_energy(points, side, 0.5 * high)[1]:
            break  # a table that ends level or falling is not continued
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if deflection_and_energy(points, side, middle)[1] < energy else (low, middle)
    return deflection_and_energy(points, side, high)[0] if energy > 0.0 else 0.0


def deflection_and_energy(points: Any, side: int, largest: float) -> tuple[float, float]:
    """Deflection beyond the slack range where a one-sided table has the force `largest`, and the energy stored then."""
    s, f = np.array(points, dtype=float).T
    s, f = (s, f) if side > 0 else (-s[::-1], -f[::-1])
    start = int(np.flatnonzero(f == 0.0)[-1]) if np.all(np.diff(f) >= 0.0) else int(np.flatnonzero(f > 0.0)[0]) - 1
    if f.max() < largest and f[-1] > f[-2]:  # continued with its last slope
        s = np.append(s, s[-1] + (largest - f[-1]) * (s[-1] - s[-2]) / (f[-1] - f[-2]))
        f = np.append(f, largest)
    reached = int(np.argmax(f >= min(largest, f.max())))
    share = (min(largest, f.max()) - f[reached - 1]) / (f[reached] - f[reached - 1])
    end = s[reached - 1] + share * (s[reached] - s[reached - 1])
    places = np.append(s[start:reached], end)
    forces = np.append(f[start:reached], min(largest, f.max()))
    return float(end - s[start]), float(np.trapezoid(forces, places))
