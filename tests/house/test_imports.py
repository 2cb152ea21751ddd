"""The house rules that a reader cannot see at a glance: imports follow the flow, nothing is executed from data, `import
flexmb` is light, and the README's test command is the one that `.ci/run` runs."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.places import ROOT

PACKAGE = ROOT / "flexmb"
FILES = sorted(PACKAGE.rglob("*.py"))

FLOW = [
    "mesh", "elements", "reduction", "bodies", "graph", "joints", "loads", "model", "layout", "system", "equations",
    "solvers", "results", "symbolic", "natural", "recursive", "reports", "analyses", "view", "verification", "cli",
]  # fmt: skip
FREE = {
    "arrays", "axes", "cores", "errors", "input_files", "jit", "output_files", "stop_signals", "stored_arrays",
    "suggestions", "vectors",
}  # fmt: skip
"""Single files at the top that everybody may use; they use only each other."""
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
    if source in FREE:
        return "" if target in FREE else "a free file uses only free files"
    if target in FREE or from_folder == to_folder:
        return ""
    if from_folder == "graph":
        return "graph knows no physics"
    if from_folder == "symbolic" and to_folder == "equations":
        return "symbolic is the independent witness of equations"
    if from_folder not in FLOW or to_folder not in FLOW:
        return f"folder or file not in the flow: {', '.join(FLOW)}"
    return "" if FLOW.index(to_folder) < FLOW.index(from_folder) else "imports against the flow"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_follow_the_flow(path: Path) -> None:
    source = module_name(path)
    if source in ("", "__main__"):
        return  # the front doors open every room; test_import_is_light keeps the first honest
    found = imported(ast.parse(path.read_text()), source, path.name == "__init__.py")
    targets = {(line, name.removeprefix("flexmb.")) for line, name in found if name.startswith("flexmb.")}
    faults = [f"line {line}: {target}: {why}" for line, target in sorted(targets) if (why := fault(source, target))]
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_nothing_is_executed_or_unpickled(path: Path) -> None:
    tree = ast.parse(path.read_text())
    name = module_name(path)
    unsafe = [
        f"line {line}: import {module}"
        for line, module in imported(tree, name, path.name == "__init__.py")
        if module.split(".")[0] in UNSAFE_MODULES
    ]
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        if isinstance(node.func, ast.Name) and node.func.id in UNSAFE_CALLS:
            unsafe.append(f"line {node.lineno}: {node.func.id}(...)")
        for keyword in node.keywords:
            if keyword.arg == "allow_pickle" and ast.unparse(keyword.value) != "False":
                unsafe.append(f"line {node.lineno}: allow_pickle")
    assert not unsafe, "\n".join(unsafe)


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
    assert command in script
