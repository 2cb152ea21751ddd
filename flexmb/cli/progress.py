"""Progress of a run or a reduction, as one line on the terminal."""

from __future__ import annotations

import math
import re
import shutil
import time
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from flexmb.model.schema.model_spec import ModelSpec

_INTERVAL = 0.1  # s between two lines
_SHORTEST = 0.3  # s of a stage before its end is estimated


class _Line:
    """A line that overwrites itself."""

    def __init__(self, stream: TextIO):
        self.stream = stream
        self._shown = 0.0
        self._length = 0

    def _show(self, text: str) -> None:
        text = text[: shutil.get_terminal_size().columns - 1]
        self.stream.write("\r" + text.ljust(self._length))
        self.stream.flush()
        self._length = len(text)

    def clear(self) -> None:
        """Erase the line."""
        if self._length:
            self._show("")
            self.stream.write("\r")
            self.stream.flush()


class ProgressLine(_Line):
    """Simulated time, percent, steps, steps per second and time left."""

    _start: tuple[float, float, int] | None = None

    def __call__(self, t: float, t_end: float, steps: int, rejected: int) -> None:
        """Show the state of the run; t and t_end in s."""
        now = time.perf_counter()
        if self._start is None:
            self._start = (now, t, steps)
        elif now - self._shown < _INTERVAL and t < t_end:
            return
        self._shown = now
        self._show(progress_text(t, t_end, steps, rejected, self._start, now))


class StageLine(_Line):
    """Current stage of a reduction, its progress, the time since the start, and the time left in this stage."""

    def __init__(self, stream: TextIO):
        super().__init__(stream)
        self._began = time.perf_counter()
        self._stage = ""
        self._since = (self._began, 0.0)
        """Clock and fraction when the stage was first shown"""

    def __call__(self, stage: str, fraction: float) -> None:
        """Show the stage; fraction 0..1, or NaN if unknown."""
        now = time.perf_counter()
        is_new = _without_numbers(stage) != _without_numbers(self._stage)
        if is_new or fraction < self._since[1]:
            self._since = (now, 0.0 if math.isnan(fraction) else fraction)
        elif stage == self._stage and now - self._shown < _INTERVAL:
            return
        self._stage, self._shown = stage, now
        self._show(stage_text(stage, fraction, now - self._began, time_left(fraction, self._since, now)))


def _without_numbers(stage: str) -> str:
    """A stage without its counts: "modes: 3 of 12 converged" goes on as "modes: 4 of 12 converged"."""
    return re.sub(r"\d+", "", stage)


def time_left(fraction: float, since: tuple[float, float], now: float) -> float:
    """[s] left in a stage that had the fraction since[1] at the clock since[0]; NaN while unknown."""
    began, first = since
    done, spent = fraction - first, now - began
    if not done > 0.0 or spent < _SHORTEST:
        return math.nan
    return max(1.0 - fraction, 0.0) / done * spent


def stage_text(stage: str, fraction: float, elapsed: float, left: float = math.nan) -> str:
    """Text of a stage; elapsed since the start and left in this stage [s], NaN if unknown."""
    percent = "" if math.isnan(fraction) else f"  {min(max(fraction, 0.0), 1.0):4.0%}"
    end = "" if math.isnan(left) else f", {clock(left)} left in this stage"
    return f"{stage}{percent}  {clock(elapsed)}{end}"


def progress_text(
    t: float, t_end: float, steps: int, rejected: int, start: tuple[float, float, int], now: float
) -> str:
    """Text of a run; `start` holds the clock [s], the simulated time [s] and the steps when it was first shown."""
    began, t_began, steps_began = start
    elapsed = now - began
    text = f"t = {t:.6g} of {t_end:.6g} s  {t / t_end:4.0%}  step {steps}"
    if rejected:
        text += f" ({rejected} rejected)"
    if elapsed > 0.0 and t > t_began:
        speed = (steps - steps_began) / elapsed
        left = (t_end - t) / (t - t_began) * elapsed
        text += f"  {speed:,.0f} steps/s  {clock(left)} left"
    return text


def clock(seconds: float) -> str:
    """A duration for reading: 7 s, 3:05, 2:10:00."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def announce_compilation(stream: TextIO, method: str, spec: ModelSpec) -> None:
    """Announce that kernels must be compiled first, if so."""
    from flexmb.analyses.preparation import may_be_large
    from flexmb.solvers.compilation import is_compiled
    from flexmb.system.records.fields import field_kinds

    if not is_compiled(method, field_kinds(spec), may_be_large(spec)):
        stream.write(f"compiling kernels ({_how_often()}about 25 seconds)...\n")
        stream.flush()


def announce_array_compilation(stream: TextIO) -> None:
    """Announce that the kernels of meshes and matrices must be compiled first, if so."""
    from flexmb.bodies.compile_ahead import is_compiled

    if not is_compiled():
        stream.write(f"compiling kernels ({_how_often()}about 30 seconds)...\n")
        stream.flush()


def _how_often() -> str:
    from flexmb.machine_code.jit import code_is_kept

    return "once, " if code_is_kept() else ""
