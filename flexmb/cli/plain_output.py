"""Safe output: control characters that a terminal would act on (colours, cursor jumps, right-to-left marks), and bytes
of file names that are not text, are printed as escape codes.

Names come from files, and files may come from anywhere.
"""

from __future__ import annotations

import io
import re
import shlex
import sys
from typing import TextIO

_OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def plain(text: str) -> str:
    r"""The text with every such character as an escape code: "\x1b[31m"."""
    return _OBEYED.sub(lambda sign: sign[0].encode("unicode_escape").decode("ascii"), text)


def typed_command() -> str:
    """The command as typed, for the provenance of a file; bytes that are not text become escape codes."""
    return plain(shlex.join(["flexmb", *sys.argv[1:]]))


class PlainOutput(io.TextIOBase):
    """Standard output that passes everything through `plain`."""

    def __init__(self, stream: TextIO):
        self._stream = stream

    def write(self, text: str) -> int:
        self._stream.write(plain(text))
        return len(text)

    def flush(self) -> None:
        self._stream.flush()

    def fileno(self) -> int:
        return self._stream.fileno()

    def isatty(self) -> bool:
        return self._stream.isatty()

    @property
    def closed(self) -> bool:
        """Whether the stream behind is closed; libraries that kept this one look at it when the program ends."""
        return self._stream.closed

    def writable(self) -> bool:
        return True
