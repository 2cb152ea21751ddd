"""Every public function and object is documented; arrays are given with their shapes and units.

Public is what `import flexmb` exports, and what stands in flexmb.bodies, flexmb.results and flexmb.model.model*,
without names that begin with an underscore. The sources are read: a field of a class is documented by the text below
it. A documented array says its shape as (n, 3) and, in its own text, that of its class or that of its module, the unit;
rotations, numbers of nodes, ratios and packed states have none.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

import flexmb
from tests.support.places import ROOT

FOLDERS = [("bodies", "*.py"), ("results", "*.py"), ("model", "model*.py")]
ARRAY = re.compile(r"NDArray|ndarray|\b(Array|Vector|Matrix|Floats|Numbers)\b")
SHAPE = re.compile(r"\((?:[\w.*+/ -]+,)+[^()]*(?:\([^()]*\)[^()]*)?\)|\d ?x ?\d")
UNIT = re.compile(r"\[[^\[\]]+\]|\bSI\b|[Uu]nit of")
WITHOUT_UNIT = re.compile(
    r"orientation|rotation|quaternion|[Nn]umbers|\bstate|States|workspace|Rank|critical|resumed|directions|lines|Rows"
)


class Thing(NamedTuple):
    """A public function, class, method or field."""

    name: str
    text: str
    """Its own docstring, or the text below a field"""
    around: str
    """Docstrings of its class and module"""
    has_array: bool


def modules() -> list[str]:
    found = set(flexmb._PLACES.values())
    for folder, pattern in FOLDERS:
        found |= {f"flexmb.{folder}.{path.stem}" for path in (ROOT / "flexmb" / folder).glob(pattern)}
    return sorted(name for name in found if not name.endswith("__init__"))


def _has_array(node: ast.FunctionDef) -> bool:
    arguments = [*node.args.args, *node.args.kwonlyargs]
    notes = [argument.annotation for argument in arguments] + [node.returns]
    return any(note is not None and ARRAY.search(ast.unparse(note)) for note in notes)


def _text_below(body: list[ast.stmt], k: int) -> str:
    """Text below a field, or below the last of several fields that stand together."""
    for node in body[k + 1 :]:
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            return str(node.value.value)
        if not isinstance(node, ast.AnnAssign):
            return ""
    return ""


def things(module: str) -> Iterator[Thing]:
    """Everything public that a module defines."""
    loaded = importlib.import_module(module)
    tree = ast.parse(inspect.getsource(loaded))
    yield from _in_body(tree.body, loaded, module, ast.get_docstring(tree) or "")


def _in_body(body: list[ast.stmt], owner: Any, path: str, around: str) -> Iterator[Thing]:
    for k, node in enumerate(body):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not node.name.startswith("_"):
            found = getattr(owner, node.name, None)
            text = inspect.getdoc(found) or ""  # that of the overridden method, where there is no other
            is_function = isinstance(node, ast.FunctionDef)
            yield Thing(f"{path}.{node.name}", text, around, is_function and _has_array(node))  # type: ignore[arg-type]
            is_interface = isinstance(node, ast.ClassDef) and any(
                "Protocol" in ast.unparse(base) for base in node.bases
            )
            if isinstance(node, ast.ClassDef) and not is_interface:
                yield from _in_body(node.body, found, f"{path}.{node.name}", f"{around}\n{text}")
        elif isinstance(owner, type) and isinstance(node, ast.AnnAssign) and ARRAY.search(ast.unparse(node.annotation)):
            name = ast.unparse(node.target)
            if not name.startswith("_"):
                yield Thing(f"{path}.{name}", _text_below(body, k), around, True)


@pytest.mark.parametrize("name", flexmb.__all__)
def test_every_export_is_documented(name: str) -> None:
    found = getattr(flexmb, name)
    if callable(found):
        assert len(inspect.getdoc(found) or "") > 20


@pytest.mark.parametrize("module", modules())
def test_public_things_are_documented_and_arrays_have_shapes_and_units(module: str) -> None:
    faults = []
    for thing in things(module):
        if not thing.text and not thing.has_array:
            faults.append(f"{thing.name}: no docstring")
        elif thing.has_array and not SHAPE.search(f"{thing.text}\n{thing.around.partition(chr(10) * 2)[2]}"):
            faults.append(f"{thing.name}: no shape in {thing.text!r}")
        elif (
            thing.has_array and not UNIT.search(f"{thing.text}\n{thing.around}") and not WITHOUT_UNIT.search(thing.text)
        ):
            faults.append(f"{thing.name}: no unit in {thing.text!r}")
    assert faults == []


def test_the_walk_sees_what_is_missing() -> None:
    source = 'class A:\n    """Points."""\n    x: Vector\n    """places"""\n    def f(self, v: Vector): ...\n'

    class A:
        """Points."""

        def f(self) -> float:
            return 0.0

    found = list(_in_body(ast.parse(source).body, type("m", (), {"A": A}), "m", ""))
    assert [thing.name for thing in found] == ["m.A", "m.A.x", "m.A.f"]
    assert [bool(SHAPE.search(thing.text)) for thing in found] == [False, False, False]
    assert SHAPE.search("(n, 3) [m]") and SHAPE.search("(n,)") and not SHAPE.search("(see below)")
    assert sum(1 for module in modules() for _ in things(module)) > 450
