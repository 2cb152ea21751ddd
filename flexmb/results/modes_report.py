"""Modes and linearised equations of a model: computed, as text, and as files for other tools.

In: a model, and about which state: that of its start, the static equilibrium near it, or a row of a result. Out: a
`ModalReport` with the linearised equations and the modes; a table; A, B, C, D, M, damping and stiffness with names as
.npz or .mat (python-control: control.ss(A, B, C, D)); the table as .csv.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from flexmb.errors import Fault, InputError
from flexmb.results.output_file import drafted
from flexmb.results.preparation import prepare
from flexmb.results.report import entry
from flexmb.results.result_file import Result
from flexmb.solvers.linearise import Linearisation, linearise
from flexmb.solvers.mechanics import Mechanics
from flexmb.solvers.modal_analysis import Mode, modes
from flexmb.solvers.quasi_static import settle
from flexmb.system.system import System

_SHARE = 0.005  # of the kinetic energy: bodies with less are not named
_MOST_BODIES = 4
MOVING = (
    "the mechanism moves in this state: frequencies are seen from its own coordinates, those of a turning shaft turn "
    "with it; forces and sensors in world axes hold for this instant only"
)


@dataclass(frozen=True)
class ModalReport:
    """A linearised model and its modes."""

    system: System
    linear: Linearisation
    modes: list[Mode]
    state: str
    """Which state it was linearised about, in words."""

    @property
    def is_moving(self) -> bool:
        """Whether the state has velocities."""
        return bool(np.any(Mechanics(self.system, self.linear.work).v))

    @property
    def shown(self) -> list[Mode]:
        """Modes that something resists."""
        return [mode for mode in self.modes if not mode.is_free]


def modes_of_model(
    model: Any, *, about: str = "start", result: str | os.PathLike[str] | None = None, time: float | None = None
) -> ModalReport:
    """Linearise a model about its start, another state near it, or a row of a result.

    about : "start"; "static": the equilibrium near by; "steady": the start with the flexible bodies bent as its motion
    asks (quasi-statically), such as beams on a shaft that turns.
    """
    if model.spec.coordinates.default == "natural":
        text = "modes are not found in natural coordinates."
        raise InputError([Fault(text, ("coordinates", "default"), 'Use default = "absolute".')])
    ready = prepare(model)
    system, work = ready.system, ready.work
    state = f"the start of the model, t = {Mechanics(system, work).t:g} s"
    if result is not None:
        state = _take_row(system, work, result, time)
    elif about == "static":
        from flexmb.solvers.statics import equilibrium

        found = equilibrium(system, work)
        state = "the static equilibrium" if found.is_stable else "a static equilibrium that is not stable"
    elif about == "steady" and system.elastic.any():
        mechanics, analysis = Mechanics(system, work), model.spec.analysis
        span = (analysis.step or 1e-3 * analysis.end) if analysis is not None else 0.0
        settle(mechanics, mechanics.v.copy(), 0.1 * (span or 1e-3))
        state = f"flexible bodies bent as the motion asks, t = {mechanics.t:g} s"
    linear = linearise(system, work)
    if about == "static" and result is None and np.any(Mechanics(system, linear.work).v):
        state += "; the motions keep their rates"
    return ModalReport(system, linear, modes(system, linear), state)


def _take_row(system: System, work: Any, path: str | os.PathLike[str], time: float | None) -> str:
    """Bring the row of a result nearest to a time, or its last one, into the workspace."""
    m = Mechanics(system, work)
    with Result(path) as result:
        if not result.n_rows:
            raise InputError(f"'{path}' has no rows.")
        q, v = (np.asarray(result[f"coordinates/{key}"]) for key in "qv")
        if q.shape[1:] != (system.n_q,) or v.shape[1:] != (system.n_v,):
            raise InputError(
                f"'{path}' has {v.shape[1]} velocities a row, the model {system.n_v}: it is the result of another "
                "model or of other coordinates."
            )
        strange = _bodies(system.channels) ^ _bodies(result.channels.values())
        if strange:
            named = ", ".join(f"'{name}'" for name in sorted(strange)[:4])
            raise InputError(f"'{path}' is the result of another model: only one of the two has {named}.")
        times = np.asarray(result.time)
        row = len(times) - 1 if time is None else int(np.argmin(np.abs(times - time)))
        if time is not None and not times[0] - 1e-9 <= time <= times[-1] + 1e-9:
            raise InputError(f"'{path}' goes from {times[0]:g} s to {times[-1]:g} s; there is no t = {time:g} s.")
        m.t, m.q[:], m.v[:] = float(times[row]), q[row], v[row]
    return f"row {row} of {Path(path).name}, t = {m.t:g} s"


def _bodies(channels: Iterable[Any]) -> set[str]:
    """Names of the bodies that have channels."""
    return {channel.path.split("/")[1] for channel in channels if channel.path.startswith("bodies/")}


def modes_text(report: ModalReport, most: int | None = None) -> str:
    """The report as the command line prints it."""
    linear, shown = report.linear, report.shown
    lines = [f"{report.system.name or 'unnamed model'}: modes", ""]
    lines += entry("state", report.state)
    lines += entry("equations", f"{len(linear.A_free)} states; derivatives with an error of {linear.error:.1g} or less")
    if report.is_moving and shown:
        lines += entry("seen from", MOVING)
    for note in linear.notes:
        lines += entry("NOTE", note)
    if linear.notes and report.state.startswith("the start"):
        lines += entry("", "Other states: --about static, --about steady, --result.")
    free = [mode for mode in report.modes if mode.is_free]
    if free:
        names = ", ".join(dict.fromkeys(mode.coordinate for mode in free))
        lines += entry("free motion", f"{len(free)} eigenvalues are zero; nothing resists {names}")
    growing = [mode for mode in shown if mode.eigenvalue.real > 1e-6 * abs(mode.eigenvalue)]
    if growing:
        lines += entry("unstable", f"{len(growing)} of {len(shown)} modes grow (negative damping ratio)")
    if not shown:
        return "\n".join([*lines, "", "  no modes: nothing can oscillate or settle"])
    lines += ["", f"  {'mode':>4}{'frequency':>15}{'damping':>12}{'decay':>14}  moves most; share of kinetic energy"]
    lines += [f"  {'':>4}{'Hz':>15}{'ratio':>12}{'1/s':>14}"]
    for number, mode in enumerate(shown[:most], start=1):
        ratio, decay = _small(mode.damping_ratio), _small(-mode.eigenvalue.real, mode)
        numbers = f"{number:>4}{mode.frequency:>15.6g}{ratio:>12}{decay:>14}"
        lines.append(f"  {numbers}  {mode.coordinate}; {_shares(mode)}")
    if most is not None and len(shown) > most:
        lines.append(f"  and {len(shown) - most} more")
    return "\n".join(lines)


def _small(value: float, mode: Mode | None = None) -> str:
    """Five digits; what is only rounding of an undamped mode is 0."""
    size = abs(mode.eigenvalue) if mode else 1.0
    return f"{value if abs(value) > 1e-9 * size else 0.0:.5g}"


def _shares(mode: Mode) -> str:
    parts = sorted(mode.bodies.items(), key=lambda item: -item[1])[:_MOST_BODIES]
    named = [f"{name} {100 * share:.0f} %" for name, share in parts if share >= _SHARE]
    bending = [f"deformation {100 * mode.elastic:.0f} %"] if mode.elastic >= _SHARE else []
    return ", ".join(named + bending)


def write_matrices(report: ModalReport, path: Path) -> None:
    """A, B, C, D, M, damping, stiffness, eigenvalues, mode shapes and names as .npz or .mat."""
    linear = report.linear
    values: dict[str, Any] = {"A": linear.A, "B": linear.B, "C": linear.C, "D": linear.D, "M": linear.M}
    if linear.damping is not None and linear.stiffness is not None:
        values |= {"damping": linear.damping, "stiffness": linear.stiffness}
    values["eigenvalues"] = np.array([mode.eigenvalue for mode in report.modes], dtype=complex)
    shapes = [mode.shape for mode in report.modes]
    values["shapes"] = np.array(shapes, dtype=complex).reshape(len(shapes), report.system.n_v).T
    names = {
        "states": linear.states,
        "inputs": linear.inputs,
        "outputs": linear.outputs,
        "coordinates": report.system.coordinates,
    }
    suffix = path.suffix.lower()
    with drafted(path, suffix) as draft:
        if suffix == ".npz":
            np.savez(draft, allow_pickle=False, **values, **{key: np.array(words, str) for key, words in names.items()})
        else:
            from scipy.io import savemat

            cells = {key: np.array(words, dtype=object).reshape(-1, 1) for key, words in names.items()}
            savemat(draft, values | cells, appendmat=False, do_compression=True)


def write_table(path: Path, header: list[str], rows: list[list[Any]]) -> None:
    """A table as .csv, numbers at full precision."""
    with drafted(path, ".csv") as draft, open(draft, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        writer.writerows([[repr(float(x)) if isinstance(x, float) else x for x in row] for row in rows])


def mode_table(report: ModalReport) -> tuple[list[str], list[list[Any]]]:
    """Header and rows of the table of modes, counted as in the text; free motions, which it does not count, have 0."""
    bodies = list(report.modes[0].bodies) if report.modes else []
    numbers = {id(mode): number for number, mode in enumerate(report.shown, start=1)}
    header = ["mode", "frequency [Hz]", "damping ratio", "real [1/s]", "imaginary [1/s]", "moves most", "deformation"]
    rows = [
        [
            numbers.get(id(mode), 0),
            mode.frequency,
            mode.damping_ratio,
            mode.eigenvalue.real,
            mode.eigenvalue.imag,
            mode.coordinate,
        ]
        + [mode.elastic, *(mode.bodies[name] for name in bodies)]
        for mode in report.modes
    ]
    return [*header, *(f"share of {name}" for name in bodies)], rows
