"""Plain commands: the direct way from words to a call, against the parser that reads the same signatures."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from flexmb.cli import _parsed
from flexmb.cli.options import VERBS, direct_call
from tests.support.places import ROOT

PLAIN = [
    "run a.toml",
    "run a.toml -o out.h5",
    "run --output folder/out.h5 --set rpm=3000 a.toml --set analysis.step=1e-4 --quiet --json --strict --turbo",
    "run a.toml --resume",
    "check a.toml",
    "check --graph --matrices a.toml --set l=2",
    "inverse a.toml -o x.h5 --quiet",
    "plot r.h5 -c tip -c base -o p.png",
    "report r.h5 -o page.html",
    "schema",
    "schema -o model.json",
]


@pytest.mark.parametrize("line", PLAIN)
def test_a_plain_command_is_that_of_the_parser(line: str) -> None:
    words = line.split()
    found = direct_call(words)
    verb, positional, options = _parsed(words)
    if words[0] == "inverse":  # it has choices, which are for the parser
        assert found is None
        return
    assert found is not None
    defaults = {name: value for name, value in options.items() if name not in found[2]}
    assert (found[0].__name__, found[1]) == (verb.__name__, positional)
    assert all(options[name] == value for name, value in found[2].items())
    assert all(value in (None, False) for value in defaults.values())


@pytest.mark.parametrize(
    "line",
    [
        "",
        "--help",
        "rnu a.toml",
        "run",
        "run --help",
        "run a.toml b.toml",
        "run a.toml --bogus",
        "run a.toml -o",
        "run a.toml -o a.h5 -o b.h5",
        "run a.toml --quiet --quiet",
        "run a.toml --output=x.h5",
        "run a.toml --set -1",
        "run ~/a.toml",
        "run -- a.toml",
        'run a.toml --set ["a=1"]',
        "modes a.toml",
        "animate r.h5",
        "mesh info m.msh",
    ],
)
def test_everything_else_is_for_the_parser(line: str) -> None:
    assert direct_call(line.split()) is None


def test_verbs_are_in_the_module_of_their_name() -> None:
    found = [direct_call([verb, *(["x"] if verb != "schema" else [])]) for verb in VERBS if verb != "inverse"]
    assert [call[0].__name__ for call in found if call is not None] == [verb for verb in VERBS if verb != "inverse"]


def loaded(folder: Path, *words: str) -> set[str]:
    """Modules that a command has loaded."""
    script = (
        f"import sys; sys.argv = ['flexmb', *{list(words)!r}]\n"
        "from flexmb.cli import main\n"
        "code = main(); print(*sys.modules, file=sys.stderr); sys.exit(code)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=folder, check=True)
    return set(done.stderr.splitlines()[-1].split())


NEVER = {"pydantic", "matplotlib", "pyvista", "sympy", "symengine", "meshio", "rich", "cyclopts", "attrs", "attr"}
"""Packages that neither a run nor a check of a model needs"""


@pytest.mark.parametrize(
    ("words", "heavy"),
    [
        (["run", str(ROOT / "examples/01_double_pendulum.toml"), "-o", "o.h5"], NEVER),
        (["check", str(ROOT / "examples/04_spatial_slider_crank.toml")], NEVER | {"h5py"}),
        (["schema"], {*NEVER, "h5py", "numba", "scipy"}),
        (["--help"], {"numpy", "numba", "h5py", "scipy", "pydantic", "matplotlib"}),
        (["run", "--help"], {"numpy", "numba", "h5py", "scipy", "pydantic", "matplotlib"}),
    ],
)
def test_what_a_verb_does_not_use_is_not_loaded(tmp_path: Path, words: list[str], heavy: set[str]) -> None:
    assert not loaded(tmp_path, *words) & heavy


def test_a_run_in_memory_needs_no_hdf5(tmp_path: Path) -> None:
    script = (
        "import sys, flexmb as fx\n"
        f"result = fx.run({str(ROOT / 'examples/01_double_pendulum.toml')!r})\n"
        "assert result['tip_height'].size and result.report\n"
        "print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=tmp_path, check=True)
    assert not set(done.stdout.split()) & {"h5py", "matplotlib", "cyclopts"}
