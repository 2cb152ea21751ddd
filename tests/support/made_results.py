"""Result files with channels of our own choice, made without any computation."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from flexmb.results.result_creation import RunIdentity
from flexmb.results.result_file import Result
from flexmb.results.result_writer import ResultWriter

Series = Mapping[str, tuple[str, np.ndarray]]
"""Path -> unit and values (rows, ...)"""


def made_result(
    path: Path, series: Series, settings: Mapping[str, Any] | None = None, *, name: str = "made", **run: Any
) -> Result:
    """An open result with these channels; `run` holds text, command, report, outcome, summary, warnings."""
    channels, columns, start = [], [], 0
    for channel, (unit, values) in series.items():
        shape = np.shape(values)[1:]
        names = ("angle",) if channel.startswith("joints/") and channel.endswith("/position") and not shape else ()
        channels.append(SimpleNamespace(path=channel, unit=unit, start=start, shape=shape, text=channel, columns=names))
        columns.append(np.reshape(values, (len(values), int(np.prod(shape)))))
        start += columns[-1].shape[1]
    identity = RunIdentity(name, run.get("text", ""), dict(settings or {}), run.get("command", ""))
    with ResultWriter(path, SimpleNamespace(channels=channels), identity) as writer:
        writer.write(np.concatenate(columns, axis=1), np.zeros(2))
        texts = run.get("outcome", "finished"), run.get("report", "report")
        writer.finish(*texts, run.get("summary", ()), run.get("warnings", ()))
    return Result(path)


def accept_forged_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the reader of results accept any name, to show that what comes after it is safe on its own."""
    for rule in ("_NAME", "_UNIT"):
        monkeypatch.setattr(f"flexmb.results.channel_list.{rule}", re.compile(".*", re.DOTALL))


def crank_result(path: Path, **run: Any) -> Result:
    """A driven crank makes 2.5 turns in 0.1 s; a rod bends by up to 3 mm, in the last turn by up to 2 mm."""
    time = np.linspace(0.0, 0.1, 1001)
    angle = 5.0 * np.pi * time / 0.1
    bend = np.where(angle < 3.0 * np.pi, 3e-3, 2e-3) * np.sin(angle)
    series = {
        "time": ("s", time),
        "joints/bearing/position": ("rad", angle),
        "joints/bearing/force": ("N", np.stack([3.0 * np.cos(angle), 4.0 * np.cos(angle), 0.0 * time], axis=1)),
        "joints/bearing/moment": ("N*m", np.stack([time, 0.0 * time, 0.0 * time], axis=1)),
        "joints/ball/position": ("1, 1, 1, 1", np.tile([1.0, 0.0, 0.0, 0.0], (1001, 1))),
        "joints/ball/force": ("N", np.zeros((1001, 3))),
        "energy/kinetic": ("J", 2.0 + np.sin(angle)),
        "energy/potential": ("J", 1.0 - np.sin(angle)),
        "energy/work/total": ("J", 1e-6 * np.sin(angle)),
        "sensors/crank_angle": ("rad", angle),
        "sensors/rod_mid": ("m", bend),
        "sensors/slider": ("m", 0.3 + 0.1 * np.cos(angle)),
        "solver/step": ("s", np.where(time > 0.0, 1e-4, 0.0)),
        "solver/iterations": ("1", np.where(time > 0.0, 2.0 + (time > 0.05), 0.0)),
    }
    settings = {
        "motions": {"drive": {"joint": "bearing"}},
        "sensors": {"crank_angle": {"joint": "bearing"}, "rod_mid": {"deflection": "rod.middle"}, "slider": {}},
    }
    return made_result(path, series, settings, **run)


@dataclass(frozen=True)
class FakeChannel:
    path: str
    unit: str
    start: int
    shape: tuple[int, ...]
    text: str
    columns: tuple[str, ...] = ()


def fake_channels() -> list[FakeChannel]:
    wanted = [
        ("time", "s", (), ()),
        ("bodies/crank/position", "m", (3,), ()),
        ("bodies/crank/quaternion", "-", (4,), ()),
        ("joints/bearing/position", "rad", (1,), ("angle",)),
        ("joints/bearing/velocity", "rad/s", (1,), ("angle",)),
        ("joints/guide/position", "m, rad", (2,), ("slide", "angle")),
        ("joints/guide/force", "N", (3,), ()),
        ("energy/kinetic", "J", (), ()),
        ("coordinates/multipliers", "-", (0,), ()),
        ("sensors/tip_height", "m", (), ()),
        ("solver/step", "s", (), ()),
    ]
    channels, start = [], 0
    for path, unit, shape, columns in wanted:
        channels.append(FakeChannel(path, unit, start, shape, f"What {path} is", columns))
        start += int(np.prod(shape))
    return channels


SYSTEM = SimpleNamespace(channels=fake_channels())
N_OUT = sum(int(np.prod(channel.shape)) for channel in SYSTEM.channels)
IDENTITY = RunIdentity("fake", "[model]\nname = 'fäke'\n", {"analysis": {"end": 2.0, "step": 1e-3}}, "flexmb run x")


def fake_rows(first: int, last: int) -> np.ndarray:
    """Rows whose every entry tells which row and column it is."""
    return np.arange(first, last)[:, None] * 1e-3 + 100.0 * np.arange(N_OUT)[None, :]


def fake_state(last: int) -> np.ndarray:
    return np.array([last, np.pi * last, -1.0])


def write_blocks(writer: ResultWriter, first: int, n_blocks: int, n_rows: int = 50) -> None:
    for block in range(n_blocks):
        start = first + block * n_rows
        writer.write(fake_rows(start, start + n_rows), fake_state(start + n_rows))


def check_rows(result: Result) -> None:
    """The result has the fake rows and the state after them."""
    expected = fake_rows(0, result.n_rows)
    for channel in SYSTEM.channels:
        values = result[channel.path]
        assert values.shape == (result.n_rows, *channel.shape)
        width = int(np.prod(channel.shape))
        np.testing.assert_array_equal(
            values.reshape(result.n_rows, width), expected[:, channel.start : channel.start + width]
        )
    if result.checkpoint is not None:
        np.testing.assert_array_equal(result.checkpoint, fake_state(result.n_rows))
