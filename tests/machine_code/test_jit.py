"""The compiler door: programs by address, the cache folder, and life without either."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from flexmb.machine_code.jit import call, compile_ahead, kernel, program
from tests.support.places import ROOT

PACKAGE = ROOT / "flexmb"


@kernel
def add_into(F, W, n):
    for k in range(n):
        W[k] += F[k]


@program
def inner(I, F, W, arg):
    add_into(F, W, I[0])
    W[0] *= arg


@program
def outer(I, F, W, arg):
    call(I[1], I, F, W, arg)
    call(I[1], I, F, W, 1)


def test_programs_call_each_other_by_address() -> None:
    ints, floats, work = np.array([2, inner.address]), np.array([1.0, 10.0]), np.zeros(2)
    outer(ints, floats, work, 3)
    assert work.tolist() == [4.0, 20.0]


def python(code: str, root: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run code in a process of its own that finds the package below `root`."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("NUMBA_", "FLEXMB_"))}
    command = [sys.executable, "-c", code]
    return subprocess.run(
        command,
        env={**clean, "PYTHONPATH": str(root), **environment},
        capture_output=True,
        text=True,
        check=False,
        cwd=root,
    )


FOLDER = "from flexmb.machine_code.numba_compiler import kernel_folder; print(kernel_folder().path)"


def test_the_cache_folder_follows_sources_and_variables(tmp_path: Path) -> None:
    """An edited kernel or another numba setting must not find the old machine code."""
    shutil.copytree(PACKAGE, tmp_path / "flexmb", ignore=shutil.ignore_patterns("__pycache__"))
    cache = {"FLEXMB_CACHE": str(tmp_path / "cache")}
    first = python(FOLDER, tmp_path, **cache).stdout
    assert str(tmp_path / "cache") in first
    assert python(FOLDER, tmp_path, **cache).stdout == first
    assert python(FOLDER, tmp_path, NUMBA_OPT="1", **cache).stdout != first
    # A cache that was set for numba is a place like others, not the folder itself: that would serve stale code.
    shared = python(FOLDER, tmp_path, NUMBA_CACHE_DIR=str(tmp_path / "shared")).stdout.strip()
    assert Path(shared).parents[2] == tmp_path / "shared"
    kernel_file = tmp_path / "flexmb" / "joints" / "revolute.py"
    kernel_file.write_text(kernel_file.read_text() + "\n")
    assert python(FOLDER, tmp_path, **cache).stdout != first


def test_without_a_folder_to_write_to_kernels_still_compile(tmp_path: Path) -> None:
    code = (
        "from flexmb.machine_code.jit import code_is_kept; print(code_is_kept())\n"
        "from flexmb.equations.coordinates import compose; print(compose.address > 0)"
    )
    nowhere = "/proc/nonexistent"
    done = python(code, PACKAGE.parent, FLEXMB_CACHE=nowhere, XDG_CACHE_HOME=nowhere, HOME=nowhere)
    assert done.stdout.split() == ["False", "True"], done.stderr
    assert done.stderr.count("compiled in memory, at every start: nothing can be written in '/proc/nonexistent'") == 1


def test_plain_python_mode_gives_the_same_numbers() -> None:
    code = (
        "import numpy as np\nfrom flexmb.machine_code.jit import DISABLED\nfrom flexmb.layout import flat_arrays as L\n"
        "from flexmb.model.schema import read_spec\nfrom flexmb.solvers.initial_state import linked_system\n"
        "from flexmb.equations import programs\n"
        "spec = read_spec({'model': {'gravity': [0, 0, -9.81]}, 'bodies': {'b': {'mass': 2.0, 'inertia': [1, 2, 2.5],"
        " 'center': [0.5, 0.1, 0]}}, 'joints': {'j': {'type': 'universal', 'bodies': ['ground', 'b'], 'at': [0, 0, 0],"
        " 'axes': ['x', 'y'], 'position': [0.3, 0.7], 'velocity': [1, -2]}}})\n"
        "s = linked_system(spec); W = s.workspace(); programs.system(s.ints, s.floats, W, 0)\n"
        "print(DISABLED, *s.view(W, L.M, 4), *s.view(W, L.BIAS, 2))"
    )
    plain = python(code, PACKAGE.parent, NUMBA_DISABLE_JIT="1").stdout.split()
    compiled = python(code, PACKAGE.parent).stdout.split()
    assert (plain[0], compiled[0]) == ("True", "False")
    numbers = np.array([plain[1:], compiled[1:]], dtype=float)
    assert np.allclose(numbers[0], numbers[1], rtol=0, atol=1e-14 * np.abs(numbers).max())


def test_compiling_ahead_leaves_everything_ready(tmp_path: Path) -> None:
    """Two processes share the work; afterwards every program is in the cache, and asking again does nothing."""
    code = (
        "from flexmb.machine_code.jit import compile_ahead\n"
        "from flexmb.equations.coordinates import compose, rates, velocities\n"
        "programs = [compose, rates, velocities]\nprint(*[p.is_ready for p in programs])\n"
        "compile_ahead(programs)\nprint(*[p.is_ready for p in programs], *[p.address > 0 for p in programs])"
    )
    done = python(code, PACKAGE.parent, FLEXMB_CACHE=str(tmp_path))
    assert done.stdout.splitlines() == ["False False False", "True True True True True True"], done.stderr
    compile_ahead([inner, outer])
    assert inner.is_ready and outer.is_ready


@pytest.mark.parametrize("name", ["inner", "outer"])
def test_programs_know_where_they_stand(name: str) -> None:
    assert globals()[name].name.endswith(f":{name}")


def test_numbas_own_setting_is_left_alone(tmp_path: Path) -> None:
    code = "import numba; before = numba.config.CACHE_DIR; import flexmb.machine_code.jit as j\n"
    code += "from flexmb.equations.coordinates import rates; rates.address\nprint(numba.config.CACHE_DIR == before)"
    assert python(code, PACKAGE.parent, FLEXMB_CACHE=str(tmp_path)).stdout.split() == ["True"]
