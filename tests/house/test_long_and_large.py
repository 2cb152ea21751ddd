"""Small versions of `tests.campaigns.long_and_large`: memory does not grow with steps, a channel is read alone."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from flexmb.results.result_creation import RunIdentity
from flexmb.results.result_file import Result
from flexmb.results.result_writer import ResultWriter
from tests.campaigns.long_and_large import large_file, long_run, many_bodies, memory

pytestmark = [pytest.mark.long, pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")]
WIDTH = 3000
"""Numbers of the wide channel in a row"""


def test_steps_take_no_memory(tmp_path: Path) -> None:
    long_run(tmp_path, 20_000, 100)  # what is loaded and allocated once
    before = memory()
    watch = long_run(tmp_path, 500_000, 100)
    assert max(watch.seen) - before < 5.0  # MB; 500 000 rows of the pendulum would be 200 MB


def test_many_bodies(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    many_bodies(tmp_path, 60)
    text = capsys.readouterr().out
    assert text.count("100 steps in") == 2 and text.count("e-1") >= 1  # rk4 keeps the energy to round-off


def test_one_channel_is_read_without_the_others(tmp_path: Path) -> None:
    """240 MB in the file, of which 80 kB are wanted."""
    shapes = {"time": (), "bodies/wide/position": (WIDTH,), "sensors/height": ()}
    channels, start = [], 0
    for path, shape in shapes.items():
        channels.append(SimpleNamespace(path=path, unit="m", start=start, shape=shape, text=path))
        start += int(np.prod(shape))
    block = np.ones((500, start))
    target = tmp_path / "out.h5"
    with ResultWriter(target, SimpleNamespace(channels=channels), RunIdentity("wide", "", {})) as writer:
        for number in range(20):
            block[:, 0] = 500 * number + np.arange(500)
            writer.write(block, np.zeros(2))
        writer.finish("finished")
    assert target.stat().st_size > 2e8
    before = memory()
    with Result(target) as result:
        assert result["height"].sum() == result.time[-1] + 1 == 10_000
        assert memory() - before < 20.0


def test_a_result_in_pieces(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    large_file(tmp_path, 2e7)
    text = capsys.readouterr().out
    assert "read: " in text and "plot: " in text and "export: " in text
