"""--set name=value on the command line."""

from __future__ import annotations

from collections.abc import Sequence

from flexmb.errors import Fault, InputError


def read_settings(words: Sequence[str]) -> dict[str, str]:
    """Names and values of "name=value" words; all wrong ones are reported at once."""
    pairs = [(word, *word.partition("=")) for word in words]
    faults = [
        Fault(f"--set {word}: a name and a value are needed.", hint="Write --set name=value.")
        for word, name, equals, value in pairs
        if not (name.strip() and equals and value.strip())
    ]
    if faults:
        raise InputError(faults)
    return {name.strip(): value.strip() for _, name, _, value in pairs}
