"""A text that a parser would need gigabytes for is rejected before it is parsed, with its line."""

from __future__ import annotations

import difflib
import tracemalloc
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from flexmb import suggestions
from flexmb.cli.settings import read_settings
from flexmb.errors import InputError
from flexmb.model.model_file import ModelFileError, format_faults, parse_model, parse_text
from flexmb.model.model_file_limits import LONGEST_WORD, MOST_LEVELS, MOST_NAMES, MOST_PARTS, MOST_VALUES, excess
from flexmb.model.model_settings import apply_settings, setting_value
from tests.support.command_line import MODEL

DOTS = ".".join("a" * 20_000)


@pytest.mark.parametrize(
    ("text", "line", "found"),
    [
        (f"x = 1\n{DOTS}=1", 2, "a key has 20000 parts; at most 20 are allowed"),
        (f"\n\n[{DOTS}]", 3, "20000 parts"),
        (f"[[{DOTS}]]", 1, "20000 parts"),
        (f"x = {{ {DOTS} = 1 }}", 1, "20000 parts"),
        (" . ".join(["'a'"] * 5_000) + " = 1", 1, "5000 parts"),
        ('"a".b.' * 5_000 + "c = 1", 1, "10001 parts"),
        ("x = " + "[" * 2_000, 1, "nested too deeply; at most 20 levels"),
        ("x = " + "{a=" * 2_000, 1, "nested too deeply"),
        ("x = [\n" * 30, 21, "nested too deeply"),
        ("x = 0x" + "9" * 100_000, 1, "a name or number has 100002 characters; at most 1000"),
        ("x = " + "9" * 5_000, 1, "5000 characters"),
        ("k" * 5_000 + " = 1", 1, "5000 characters"),
        ('x = """\n\\""" """\n' + DOTS + "=1", 3, "20000 parts"),
        ("x = '''\n\\'''\n" + DOTS + "=1", 3, "20000 parts"),
        ('# a comment with "\n' + DOTS + "=1", 2, "20000 parts"),
        ('x = "a # no comment" # one with "\n' + DOTS + "=1", 2, "20000 parts"),
    ],
)
def test_limits(text: str, line: int, found: str) -> None:
    tracemalloc.start()
    try:
        with pytest.raises(ModelFileError) as caught:
            parse_model(text, "hostile.toml")
        said = format_faults(caught.value)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert f"hostile.toml:{line}: " in said and found in said and len(said) < 400
    assert peak < 20_000_000


@pytest.mark.parametrize(
    "text",
    [
        MODEL,
        ".".join("a" * MOST_PARTS) + " = 1",
        "x = " + "[" * MOST_LEVELS + "]" * MOST_LEVELS,
        "k" * LONGEST_WORD + " = 1",
        f"text = '{DOTS}'",
        f'text = """\n{DOTS} = [[[[{"[" * 100}\n"""',
        f"# {DOTS} {'[' * 100}\nx = 1",
        f'text = "{"a" * 5000} \\" {DOTS}"',
        "x = [\n" + "[0.5, 1.25],\n" * 1000 + "]",
        'x = """a""""\ny = 1',
    ],
)
def test_texts_within_the_limits(text: str) -> None:
    assert excess(text) is None
    assert parse_text(text)


def test_numbers_of_keys_and_values() -> None:
    keys = "\n".join(f"{chr(97 + i % 26)}.b.c.d.e.f.g.h.i.j = 1" for i in range(MOST_NAMES // 10 + 1))
    found = excess(keys)
    assert found is not None and "too many keys" in found.text and found.line == MOST_NAMES // 10 + 1
    found = excess("x = [" + "1," * (MOST_VALUES + 1) + "]")
    assert found is not None and "too many values" in found.text


def test_settings() -> None:
    """Names and values of --set."""
    words = [f"{DOTS}=1", f"analysis.{DOTS}=1", f"analysis.step={{{DOTS}=1}}", f"analysis.step={'[' * 5000}"]
    tables: dict[str, object] = {"analysis": {"step": 0.1}}
    changed, faults = apply_settings(tables, read_settings(words[:3]) | read_settings(words[3:]))
    assert not changed and tables == {"analysis": {"step": 0.1}}
    assert len(faults) == 3 and all(len(str(fault)) < 200 for fault in faults)
    assert "cannot set 'a.a.a" in str(faults[0]) and "20000 parts; at most 20 are allowed" in str(faults[0])
    assert setting_value("[" * 5000) == "[" * 5000
    with pytest.raises(InputError, match="has 20000 parts"):
        parse_model(MODEL, settings={DOTS: "1"})


def test_many_misspelt_names_are_compared_with_few(monkeypatch: pytest.MonkeyPatch) -> None:
    """3,000 wrong names of 3,000 parameters: nine million comparisons took minutes. The first get their suggestion."""
    compared = 0

    def counted(word: str, names: Sequence[str], *rest: Any) -> list[str]:
        nonlocal compared
        compared += len(names)
        return difflib.get_close_matches(word, names, *rest)

    monkeypatch.setattr(suggestions, "difflib", SimpleNamespace(get_close_matches=counted))
    monkeypatch.setattr(suggestions, "_MOST_COMPARED", 10_000)
    lines = [f"good_{k} = {k}" for k in range(3000)] + [f'other_{k} = "2*$godo_{k}"' for k in range(3000)]
    with pytest.raises(InputError) as raised:
        parse_model("[model]\nname = 'many'\n[parameters]\n" + "\n".join(lines))
    faults = [fault for fault in raised.value.faults if "unknown parameter" in fault.text]
    assert len(faults) == 3000 and compared < 100_000
    assert "Did you mean '$good_0'?" in str(faults[0]) and "Did you mean '$good_1'?" in str(faults[1])
