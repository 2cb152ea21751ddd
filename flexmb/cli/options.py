"""Names of options in the signatures of verbs, and the direct way from plain words to a call.

Most commands are plain: `run model.toml -o out.h5 --set rpm=3000 --quiet`. Their words are read here from the signature
of the verb, which takes no time. Everything else (help, faults, other forms of an option, verbs with other kinds of
options) is left to the parser of `verbs.py`, which reads the same signatures; so there is one place for every name and
every text.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin, get_type_hints

VERBS = ("run", "check", "inverse", "plot", "report", "schema")
"""Verbs whose options are paths, texts and switches, each in the module of its name"""


@dataclass(frozen=True)
class Option:
    """Names of an option, such as "--output", "-o"."""

    names: tuple[str, ...]

    def __init__(self, *names: str):
        object.__setattr__(self, "names", names)


Call = tuple[Callable[..., int], list[Any], dict[str, Any]]


def direct_call(words: list[str]) -> Call | None:
    """The verb and the arguments of a plain command; None: another one, or a fault."""
    if not words or words[0] not in VERBS:
        return None
    verb = getattr(importlib.import_module(f"flexmb.cli.{words[0]}"), words[0])
    hints = get_type_hints(verb, include_extras=True)
    options: dict[str, tuple[str, Any]] = {}
    positional: list[Any] = []
    for name, parameter in inspect.signature(verb).parameters.items():
        kind, own = _kind(hints[name])
        if parameter.kind is inspect.Parameter.POSITIONAL_ONLY and kind is Path:
            positional.append(kind)
        elif kind in (Path, str, list, bool):
            options.update(dict.fromkeys(own or (f"--{name.replace('_', '-')}",), (name, kind)))
        else:
            return None
    found = _read(words[1:], options)
    if found is None or len(found[0]) != len(positional):
        return None
    return verb, [Path(word) for word in found[0]], found[1]


def _kind(annotation: Any) -> tuple[Any, tuple[str, ...]]:
    """Path, str, bool or list (of strings), and the names of an option; None: another kind."""
    names: tuple[str, ...] = ()
    if get_origin(annotation) is Annotated:
        annotation, *notes = get_args(annotation)
        names = tuple(name for note in notes if isinstance(note, Option) for name in note.names)
    members = [member for member in get_args(annotation) if member is not type(None)]
    kind = members[0] if members and get_origin(annotation) is not list and len(members) == 1 else annotation
    return (list if kind == list[str] else kind if kind in (Path, str, bool) else None), names


def _read(words: list[str], options: Mapping[str, tuple[str, Any]]) -> tuple[list[str], dict[str, Any]] | None:
    """Positional words and options by name; None for anything that is not plain."""
    positional: list[str] = []
    given: dict[str, Any] = {}
    rest = iter(words)
    for word in rest:
        if word not in options:
            if not _is_plain(word):
                return None
            positional.append(word)
            continue
        name, kind = options[word]
        if name in given and kind is not list:
            return None
        if kind is bool:
            given[name] = True
            continue
        value = next(rest, "")
        if not _is_plain(value):
            return None
        if kind is list:
            given.setdefault(name, []).append(value)
        else:
            given[name] = Path(value) if kind is Path else value
    return positional, given


def _is_plain(word: str) -> bool:
    """Whether a word is only itself: neither an option nor a form that a parser would read in its own way."""
    return bool(word) and word[0] not in "-~[{\"'" and word.isprintable() and word == word.strip()
