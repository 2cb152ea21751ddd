"""The same input gives the same bytes: in another process, with one thread or two."""

from __future__ import annotations

import os
import subprocess
import sys

import numba
import pytest

from tests.support.places import ROOT

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
EXPECTED = {"joint", "explicit", "absolute", "natural", "kinematic", "beam"}


def fingerprints(threads: int) -> dict[str, str]:
    environment = {**os.environ, **{name: str(threads) for name in THREADS}}
    words = [sys.executable, "-m", "tests.campaigns.determinism", str(threads)]
    done = subprocess.run(words, env=environment, cwd=ROOT, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr
    lines = [line.removeprefix("fingerprint ") for line in done.stdout.splitlines() if line.startswith("fingerprint ")]
    return dict(line.rsplit(": ", 1) for line in lines)


@pytest.mark.long
@pytest.mark.skipif(numba.config.NUMBA_NUM_THREADS < 2, reason="needs two cores")
def test_same_bytes_with_one_and_two_threads() -> None:
    one = fingerprints(1)
    assert set(one) == {f"run {name}" for name in EXPECTED} | {"inverse", "modes", "reduce"}
    assert fingerprints(2) == one
