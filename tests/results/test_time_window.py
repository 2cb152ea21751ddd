"""Rows of a result within a window of time."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from flexmb.errors import InputError
from flexmb.results.time_window import rows_within
from tests.support.made_results import made_result


def test_rows_within(tmp_path: Path) -> None:
    with made_result(tmp_path / "a.h5", {"time": ("s", np.linspace(0.0, 0.3, 4))}) as result:
        assert rows_within(result, None, None) == (0, 4)
        assert rows_within(result, 0.1, 0.2) == (1, 3), "with rounding of 0.1 + 0.1"
        assert rows_within(result, 0.15, None) == (2, 4)
        assert rows_within(result, None, 0.0) == (0, 1)
        for start, end in ((0.11, 0.19), (0.4, None), (0.2, 0.1)):
            with pytest.raises(InputError, match="there are no rows from t = .*it goes from 0 to 0.3 s"):
                rows_within(result, start, end)


def test_no_rows(tmp_path: Path) -> None:
    empty = SimpleNamespace(time=np.zeros(0), path=tmp_path / "a.h5")
    with pytest.raises(InputError, match="has no complete rows"):
        rows_within(empty, None, None)  # type: ignore[arg-type]
