"""--set name=value on the command line."""

from __future__ import annotations

from collections.abc import Sequence

from flexmb.errors import Fault, InputError


def read_settings(words: Sequence[str]) -> dict[str, str]:
    """Names and values of "name=value"; all wrong ones are reported at once."""
    pairs = [(word, *word.partition("=")) for word in words]
    faults = [
        Fault(f"--set {word}: expected a name and a value.", hint="Write --set name=value.")
        for word, name, equals, value in pairs
        if not (name.strip() and equals and value.strip())
    ]
    faults += [Fault(f"--set {word}: this is not UTF-8 text.") for word in words if not _is_text(word)]
    if faults:
        raise InputError(faults)
    return {name.strip(): value.strip() for _, name, _, value in pairs}


def _is_text(word: str) -> bool:
    """Whether the word is UTF-8: Python turns other bytes into surrogates, which are not characters."""
    return not any("\ud800" <= sign <= "\udfff" for sign in word)
