"""The house rules that a reader cannot see at a glance: imports follow the flow, nothing is executed from data, `import
flexmb` is light, and the README's test command is the one that `.ci/run` runs."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.flow import FLOW
from tests.support.places import ROOT

PACKAGE = ROOT / "flexmb"
FILES = sorted(PACKAGE.rglob("*.py"))

FREE = {
    "arrays", "axes", "cores", "errors", "input_files", "machine_code", "output_files", "stop_signals", "stored_arrays",
    "suggestions", "vectors", "warning",
}  # fmt: skip
"""Single files at the top, and the folder of machine code, that everybody may use; they use only each other."""
HEAVY = ["numba", "scipy", "h5py", "matplotlib", "pydantic", "pyvista"]
UNSAFE_MODULES = {"pickle", "cPickle", "marshal", "shelve", "dill", "cloudpickle", "joblib"}
UNSAFE_CALLS = {"eval", "exec", "compile", "__import__"}


def module_name(path: Path) -> str:
    """'system.build' for flexmb/system/build.py; '' for flexmb/__init__.py."""
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path) for path in FILES}


def imported(tree: ast.Module, name: str, is_package: bool) -> Iterator[tuple[int, str]]:
    """(line, full dotted name) of everything the file imports, wherever in it the import stands."""
    here = ["flexmb", *[part for part in name.split(".") if part]]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            start = node.module or ""
            if node.level:
                base = here[: len(here) - node.level + (1 if is_package else 0)]
                start = ".".join([*base, *([node.module] if node.module else [])])
            for alias in node.names:
                inner = f"{start}.{alias.name}".removeprefix("flexmb.")
                is_module = start.split(".")[0] == "flexmb" and inner in MODULES
                yield node.lineno, f"flexmb.{inner}" if is_module else start


def fault(source: str, target: str) -> str:
    """Why the module `source` may not import the module `target` (names inside flexmb); '' when it may."""
    from_folder, to_folder = source.split(".")[0], target.split(".")[0]
    if from_folder in FREE:
        return "" if to_folder in FREE else "a free file uses only free files"
    if to_folder in FREE or from_folder == to_folder:
        return ""
    if from_folder == "graph":
        return "graph knows no physics"
    if from_folder == "symbolic" and to_folder == "equations":
        return "symbolic is the independent witness of equations"
    if from_folder not in FLOW or to_folder not in FLOW:
        return f"folder or file not in the flow: {', '.join(FLOW)}"
    return "" if FLOW.index(to_folder) < FLOW.index(from_folder) else "imports against the flow"


def against_the_flow(path: Path) -> Iterator[str]:
    """What a file imports and may not."""
    source = module_name(path)
    if source in ("", "__main__"):
        return  # the front doors open every room; test_import_is_light keeps the first honest
    found = imported(ast.parse(path.read_text()), source, path.name == "__init__.py")
    targets = {(line, name.removeprefix("flexmb.")) for line, name in found if name.startswith("flexmb.")}
    for line, target in sorted(targets):
        if why := fault(source, target):
            yield f"{path}:{line}: {target}: {why}"


def unsafe(path: Path) -> Iterator[str]:
    """Where a file unpickles, or executes text."""
    tree = ast.parse(path.read_text())
    for line, module in imported(tree, module_name(path), path.name == "__init__.py"):
        if module.split(".")[0] in UNSAFE_MODULES:
            yield f"{path}:{line}: import {module}"
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        if isinstance(node.func, ast.Name) and node.func.id in UNSAFE_CALLS:
            yield f"{path}:{node.lineno}: {node.func.id}(...)"
        for keyword in node.keywords:
            if keyword.arg == "allow_pickle" and ast.unparse(keyword.value) != "False":
                yield f"{path}:{node.lineno}: allow_pickle"


@pytest.mark.parametrize("rule", [against_the_flow, unsafe])
def test_every_file_keeps_the_rule(rule: Callable[[Path], Iterator[str]]) -> None:
    assert len(FILES) > 400
    assert [found for path in FILES for found in rule(path)] == []


def test_the_rules_are_seen_to_be_broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "system" / "build.py"
    path.parent.mkdir()
    path.write_text("import pickle\nfrom flexmb.cli import run\neval('1')\nload(x, allow_pickle=True)\n")
    monkeypatch.setitem(globals(), "PACKAGE", tmp_path)
    assert [text.rsplit(": ", 2)[1:] for text in against_the_flow(path)] == [["cli.run", "imports against the flow"]]
    assert [text.rsplit(": ", 1)[1] for text in unsafe(path)] == ["import pickle", "eval(...)", "allow_pickle"]


@pytest.mark.parametrize(
    ("source", "target", "allowed"),
    [
        ("equations.kinematics", "joints.dispatch", True),
        ("joints.dispatch", "equations.kinematics", False),
        ("system.build", "layout.flat_arrays", True),
        ("system.build", "equations.kinematics", False),
        ("layout.flat_arrays", "joints.table", True),
        ("layout.flat_arrays", "equations.kinematics", False),
        ("joints.table", "joints.dispatch", True),
        ("graph.spanning_tree", "joints.table", False),
        ("symbolic.kinematics", "equations.forces", False),
        ("model.model", "system.build", False),
        ("results.result_file", "view.animate", False),
        ("reports.run_report", "analyses.run", False),
        ("cli.run", "solvers.run", True),
        ("solvers.run", "results.writer", False),
        ("jit", "model.units", False),
        ("tools.things", "errors", True),
        ("tools.things", "system.build", False),
    ],
)
def test_the_rule_itself(source: str, target: str, allowed: bool) -> None:
    assert (fault(source, target) == "") is allowed


def test_relative_imports_are_resolved() -> None:
    tree = ast.parse("from ..solvers import run\nfrom . import build\nfrom .build import System\nimport flexmb.cli.run")
    names = [name for _, name in imported(tree, "system.model", is_package=False)]
    assert names[0].startswith("flexmb.solvers")
    assert names[1].startswith("flexmb.system")
    assert names[2:] == ["flexmb.system.build", "flexmb.cli.run"]


def test_import_is_light() -> None:
    """`import flexmb` loads no heavy package; each comes when its first user needs it."""
    code = f"import sys, flexmb; print([name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.strip() == "[]"


def test_ci_runs_the_command_of_the_readme() -> None:
    command = next(line.strip() for line in (ROOT / "README.md").read_text().splitlines() if "-m pytest" in line)
    script = [line.strip() for line in (ROOT / ".ci" / "run").read_text().splitlines()]
    assert command.startswith("python3 -m venv .venv && ")
    assert command in script[: script.index(".venv/bin/python -m pytest -n 2 -m long")]
