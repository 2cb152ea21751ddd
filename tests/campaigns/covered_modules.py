"""Which modules of flexmb each test file executes, and whether the lines `Covers:` are true:

    python -m tests.campaigns.covered_modules [tests/solvers ...]

Runs both tiers with a trace of function calls, in this process's children too. What is compiled leaves no trace; with
NUMBA_DISABLE_JIT=1 it does, which is slow: name a few files then. Prints what is claimed and was not executed, and with
`--all` all test files of each module, by the share of its functions that they enter.
"""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from tests.support.covers import claims, modules
from tests.support.places import ROOT

PACKAGE = f"{ROOT / 'flexmb'}{os.sep}"
FOLDER = "FLEXMB_COVERED_MODULES"
"""Environment variable: where the traces of all processes are gathered"""
START = """
import os
if "PYTEST_CURRENT_TEST" in os.environ:  # a child of a test
    from tests.campaigns.covered_modules import Trace
    Trace().start()
"""


class Trace:
    """Functions of flexmb that this process enters, by test file."""

    def __init__(self) -> None:
        self.seen: set[CodeType] = set()
        self.entered: dict[str, set[tuple[str, str]]] = {}
        self.file = os.environ.get("PYTEST_CURRENT_TEST", "").split("::")[0]

    def start(self) -> None:
        import atexit
        import threading

        atexit.register(self.save)
        threading.settrace(self.note)
        sys.settrace(self.note)

    def note(self, frame: FrameType, event: str, argument: Any) -> None:
        self.seen.add(frame.f_code)

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        sys.settrace(self.note)  # a test that was interrupted within `note` has ended the trace
        file = nodeid.split("::")[0]
        if file != self.file:
            self.gather()
            self.file = file

    def pytest_sessionfinish(self) -> None:
        self.save()

    def gather(self) -> None:
        found = {(code.co_filename, code.co_qualname) for code in self.seen if code.co_filename.startswith(PACKAGE)}
        self.entered.setdefault(self.file, set()).update(found)
        self.seen.clear()

    def save(self) -> None:
        self.gather()
        path = Path(os.environ[FOLDER]) / f"{os.getpid()}.json"
        path.write_text(json.dumps({file: sorted(found) for file, found in self.entered.items()}))


def pytest_configure(config: Any) -> None:
    """This module is also the plugin of the run that it starts."""
    trace = Trace()
    config.pluginmanager.register(trace, "trace of flexmb")
    trace.start()


def functions(name: str) -> set[str]:
    """Qualified names of the functions of a module."""
    path = ROOT / "flexmb" / Path(*name.split("."))
    tree = ast.parse((path.with_suffix(".py") if not path.is_dir() else path / "__init__.py").read_text())
    found: set[str] = set()

    def visit(node: ast.AST, before: str) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef):
                found.add(f"{before}{child.name}")
            visit(child, f"{before}{child.name}." if isinstance(child, ast.ClassDef) else before)

    visit(tree, "")
    return found


def read(folder: Path) -> dict[str, dict[str, set[str]]]:
    """Module -> test file -> functions of the module that it enters."""
    found: dict[str, dict[str, set[str]]] = {}
    for path in folder.glob("*.json"):
        for file, entered in json.loads(path.read_text()).items():
            for source, function in entered:
                parts = Path(source).relative_to(PACKAGE).with_suffix("").parts
                name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
                if not function.startswith("<"):  # the module itself, expressions
                    found.setdefault(name, {}).setdefault(file, set()).add(function)
    return found


def main(words: Iterable[str]) -> int:
    """Number of claims that were not executed."""
    selected = [word for word in words if word != "--all"]
    with tempfile.TemporaryDirectory() as text:
        folder = Path(text)
        (folder / "sitecustomize.py").write_text(START)
        places = os.pathsep.join([str(folder), str(ROOT), os.environ.get("PYTHONPATH", "")])
        environment = {**os.environ, FOLDER: text, "PYTHONPATH": places}
        command = [sys.executable, "-m", "pytest", "-n", "2", "-m", "", "-p", "tests.campaigns.covered_modules"]
        subprocess.run([*command, *selected], cwd=ROOT, env=environment, check=False)
        entered = read(folder)
    ran = {file for files in entered.values() for file in files}
    wrong = [(file, name) for file, names in claims().items() if file in ran for name in names
             if functions(name) and file not in entered.get(name, {})]  # fmt: skip
    for file, name in wrong:
        print(f"{file} says that it covers {name}, of which it enters no function")
    if "--all" in words:
        for name in sorted(modules()):
            total = max(1, len(functions(name)))
            files = sorted(entered.get(name, {}).items(), key=lambda entry: -len(entry[1]))
            print(name, ", ".join(f"{file} {len(found) / total:.0%}" for file, found in files[:8]) or "-")
    return len(wrong)


if __name__ == "__main__":
    sys.exit(min(main(sys.argv[1:]), 1))
