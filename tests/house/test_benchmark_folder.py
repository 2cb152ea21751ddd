"""The folder of the benchmarks runs on its own: copied elsewhere, with flexmb installed."""

from __future__ import annotations

import filecmp
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.places import ROOT

FOLDER = ROOT / "benchmarks"
HERE = {**os.environ, "PYTHONPATH": str(ROOT)}


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("alone")
    left_out = shutil.ignore_patterns("__pycache__", "results.json", "RESULTS.md", "work_precision.*g")
    return Path(shutil.copytree(FOLDER, folder / "benchmarks", ignore=left_out))


def run(folder: Path, *words: str) -> str:
    done = subprocess.run([sys.executable, *words], cwd=folder, env=HERE, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_every_module_is_imported_in_a_copy(copy: Path) -> None:
    """Those of codes that are not installed are left out."""
    script = """
import importlib, pathlib
for path in sorted(pathlib.Path(".").glob("*.py")):
    try:
        importlib.import_module(path.stem)
    except ModuleNotFoundError as error:
        assert path.stem.startswith("peer_") or error.name in ("symengine", "pyvista"), error
from problems_flexible import FLEXIBLE_SLIDER_CRANK as problem
assert problem.model_file.is_file() and problem.reference_file.is_file()
"""
    run(copy, "-c", script)


@pytest.mark.long
def test_a_section_is_measured_in_a_copy(copy: Path) -> None:
    assert "slider-crank            -   Rigid slider-crank" in run(copy, "run.py", "--list")
    page = run(copy, "run.py", "--only", "inverse", "--quick")
    assert "inverse sweep of the flexible slider-crank" in page and "failed" not in page
    assert not (copy / "RESULTS.md").exists()


def test_copied_models_are_those_of_the_repository() -> None:
    for path in (FOLDER / "models").iterdir():
        source = ROOT / ("meshes" if path.suffix == ".msh" else "examples") / path.name
        assert filecmp.cmp(path, source, shallow=False), f"copy {source.relative_to(ROOT)} again"
