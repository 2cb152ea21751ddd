"""Modes, Campbell diagrams and frequency responses as plain text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from flexmb.arrays import Floats
from flexmb.reports.run_report import entry
from flexmb.results.modal_result import ModalResult, Sweep
from flexmb.solvers.modal_analysis import GROWING, Mode
from flexmb.warning import WarningRecord

_SHARE = 0.005  # share of the kinetic energy below which bodies are not listed
_MOST_BODIES = 4
_MOST_REAL = 6
MOVING = (
    "the mechanism moves in this state: frequencies are those in its own coordinates, which turn with a rotating "
    "shaft; forces and sensors in world axes hold for this instant only"
)


def modes_text(modal: ModalResult, most: int | None = None) -> str:
    """The report as the command line prints it."""
    linear, shown = modal.linear, modal.shown
    lines = [f"{modal.system.name or 'unnamed model'}: modes", ""]
    lines += entry("state", modal.state)
    lines += entry("equations", f"{len(linear.A_free)} states; derivatives with an error of {linear.error:.1g} or less")
    if modal.is_moving and shown:
        lines += entry("seen from", MOVING)
    for warning in modal.warnings:
        lines += entry("WARNING", warning.text)
    if linear.warnings and modal.state.startswith("the start"):
        lines += entry("", "Other states: --about static, --about steady, --result.")
    free = [mode for mode in modal.modes if mode.is_free]
    if free:
        names = ", ".join(dict.fromkeys(mode.coordinate for mode in free))
        within = max(mode.error for mode in free)
        lines += entry(
            "free motion", f"{len(free)} zero eigenvalues (within {within:.1g} 1/s): nothing resists {names}"
        )
    if not shown:
        return "\n".join([*lines, "", "  no modes: nothing oscillates or decays"])
    lines += ["", f"  {'mode':>4}{'frequency':>15}{'damping':>12}{'decay':>14}  moves most; share of kinetic energy"]
    lines += [f"  {'':>4}{'Hz':>15}{'ratio':>12}{'1/s':>14}"]
    for number, mode in enumerate(shown[:most], start=1):
        damped = abs(mode.eigenvalue.real) > max(1e-9 * abs(mode.eigenvalue), mode.error)  # less is round-off
        ratio, decay = (value if damped else 0.0 for value in (mode.damping_ratio, -mode.eigenvalue.real))
        numbers = f"{number:>4}{mode.frequency:>15.6g}{ratio:>12.5g}{decay:>14.5g}"
        lines.append(f"  {numbers}  {mode.coordinate}; {_shares(mode)}")
    if most is not None and len(shown) > most:
        lines.append(f"  and {len(shown) - most} more")
    return "\n".join(lines)


def growth_warnings(modes: Sequence[Mode]) -> Iterator[WarningRecord]:
    """Warning about modes that grow."""
    shown = [mode for mode in modes if not mode.is_free]
    growing = [mode for mode in shown if mode.grows]
    if growing:
        fastest = max(growing, key=lambda mode: mode.eigenvalue.real)
        rate = float(fastest.eigenvalue.real)
        text = (
            f"the state is unstable: {len(growing)} of {len(shown)} modes grow (negative damping ratio), fastest "
            f"{fastest.coordinate}, by {rate:.4g} 1/s."
        )
        yield WarningRecord("unstable-modes", text, f"coordinates.{fastest.coordinate}", None, rate, "1/s")


def _shares(mode: Mode) -> str:
    parts = sorted(mode.bodies.items(), key=lambda item: -item[1])[:_MOST_BODIES]
    named = [f"{name} {100 * share:.0f} %" for name, share in parts if share >= _SHARE]
    bending = [f"deformation {100 * mode.elastic:.0f} %"] if mode.elastic >= _SHARE else []
    return ", ".join(named + bending)


def sweep_text(sweep: Sweep) -> str:
    """The frequencies as a table."""
    lines = [f"{sweep.model or 'unnamed model'}: frequencies [Hz] over {sweep.name}", ""]
    for code, count in Counter(warning.code for warning in sweep.warnings).items():
        first = next(warning for warning in sweep.warnings if warning.code == code)
        more = f" (and {count - 1} more like it, for other values)" if count > 1 else ""
        lines += [*entry("WARNING", f"{first.text}{more}"), ""]
    count = sweep.frequencies.shape[1]
    if sweep.is_moving and count:
        lines += [*entry("seen from", MOVING), ""]
    growing = _growing(sweep)
    if growing:
        lines += [*entry("unstable", f"{'; '.join(growing)} (negative damping)"), ""]
    if not count:
        lines.append("  no mode oscillates")
    width = max(12, len(sweep.name) + 2)
    if count:
        lines.append(f"{sweep.name:>{width}}" + "".join(f"{f'mode {k + 1}':>13}" for k in range(count)))
        for value, row in zip(sweep.values, sweep.frequencies, strict=True):
            lines.append(f"{value:>{width}.6g}{_cells(row)}")
    if sweep.real.shape[1]:
        lines += ["", *_real_lines(sweep, width)]
    if np.any(sweep.n_free):
        least, most = int(np.min(sweep.n_free)), int(np.max(sweep.n_free))
        number = f"{most}" if least == most else f"{least} to {most}"
        lines += ["", f"  and {number} zero eigenvalues (free motion) at every value"]
    return "\n".join(lines)


def _real_lines(sweep: Sweep, width: int) -> list[str]:
    count = sweep.real.shape[1]
    shown = min(count, _MOST_REAL)
    more = f"; the {shown} largest of {count}, all in the .csv" if count > shown else ""
    lines = [f"  real eigenvalues [1/s]: motions that do not oscillate, positive ones grow{more}", ""]
    lines.append(f"{sweep.name:>{width}}" + "".join(f"{f'real {k + 1}':>13}" for k in range(shown)))
    for value, row in zip(sweep.values, sweep.real, strict=True):
        lines.append(f"{value:>{width}.6g}{_cells(row[:shown])}")
    return lines


def _cells(row: Floats) -> str:
    return "".join(f"{'-' if np.isnan(x) else f'{x:.6g}':>13}" for x in row)


def _growing(sweep: Sweep) -> list[str]:
    """Modes with negative damping and positive real eigenvalues, with the values where they are found."""
    found = []
    columns = [(f"mode {k + 1}", column < -GROWING) for k, column in enumerate(sweep.ratios.T)]
    columns += [(f"real eigenvalue {k + 1}", column > 0.0) for k, column in enumerate(sweep.real.T)]
    for name, flags in columns:
        where = sweep.values[np.asarray(flags)]
        if len(where):
            span = f"at {where[0]:.6g}" if len(where) == 1 else f"from {where.min():.6g} to {where.max():.6g}"
            found.append(f"{name} grows {span}")
    return found


def response_text(modal: ModalResult, names: tuple[str, str], frequencies: Floats, response: Any, most: int) -> str:
    """State and notes of the response (f,) at frequencies (f,) [Hz], its largest value, and at most `most` rows."""
    lines = [f"{modal.system.name or 'unnamed model'}: response of {names[1]} to {names[0]}", ""]
    lines += entry("state", modal.state)
    if modal.is_moving:
        lines += entry("seen from", MOVING)
    for warning in modal.warnings:
        lines += entry("WARNING", warning.text)
    size = np.abs(response)
    top = int(np.argmax(size))
    lines += entry("largest", f"{size[top]:.6g} at {frequencies[top]:.6g} Hz (amplitude in SI units, input of 1)")
    lines += ["", f"  {'frequency [Hz]':>16}{'amplitude':>15}{'phase [deg]':>15}"]
    rows = np.unique(np.linspace(0, len(frequencies) - 1, min(most, len(frequencies))).round().astype(int))
    for i in rows:
        lines.append(f"  {frequencies[i]:>16.6g}{size[i]:>15.6g}{np.degrees(np.angle(response[i])):>15.2f}")
    return "\n".join(lines)
