"""Line numbers of the keys of a TOML text: path -> line.

The text has already been accepted by tomllib, so this scanner need not find faults; it follows tables, arrays of
tables, dotted and quoted keys, inline tables and arrays over several lines.
"""

from __future__ import annotations

import re
import tomllib

from flexmb.model.model_file_limits import excess

Path = tuple[str | int, ...]

# Possessive (++, *+): without a way back, a pattern needs no memory for every character that it passed.
_BLANK = re.compile(r"(?:[ \t\r\n]++|#[^\n]*+)*+")
_SPACE = re.compile(r"[ \t]*")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_STRING = re.compile(
    r'"""(?:[^"\\]++|\\.|"(?!""))*+"{3,5}|\'\'\'(?:[^\']++|\'(?!\'\'))*+\'{3,5}|"(?:[^"\\\n]++|\\.)*+"|\'[^\'\n]*+\'',
    re.DOTALL,
)
_SCALAR = re.compile(r"[^,\]}#\n]*")
_MOST_LEVELS = 100


class _Scanner:
    def __init__(self, text: str):
        self.text = text
        self.at = 0
        self.lines: dict[Path, int] = {}
        self.tables: dict[Path, int] = {}
        """Number of tables in each array of tables."""
        self.noted, self.line = 0, 1

    def note(self, path: Path, at: int) -> None:
        if at < self.noted:
            self.noted, self.line = 0, 1
        self.line += self.text.count("\n", self.noted, at)
        self.noted = at
        self.lines.setdefault(path, self.line)

    def skip(self, pattern: re.Pattern[str]) -> str:
        match = pattern.match(self.text, self.at)
        assert match is not None
        self.at = match.end()
        return match[0]

    def looking_at(self, sign: str) -> bool:
        return self.text.startswith(sign, self.at)

    def key(self) -> list[str]:
        parts = []
        while True:
            self.skip(_SPACE)
            string = _STRING.match(self.text, self.at) if self.text[self.at : self.at + 1] in ('"', "'") else None
            if string is not None:
                self.at = string.end()
                parts.append(str(tomllib.loads(f"k = {string[0]}")["k"]))
            else:
                parts.append(self.skip(_BARE_KEY))
            self.skip(_SPACE)
            if not self.looking_at("."):
                return parts
            self.at += 1

    def header(self) -> Path:
        """A table header; returns the path of its keys."""
        start = self.at
        is_array = self.looking_at("[[")
        self.at += 2 if is_array else 1
        parts = self.key()
        path: Path = ()
        for part in parts[:-1]:
            path = self.into_array((*path, part))
            self.note(path, start)
        path = (*path, parts[-1])
        if is_array:
            self.tables[path] = self.tables.get(path, 0) + 1
            self.note(path, start)
        path = self.into_array(path)
        self.note(path, start)
        self.at = self.text.find("]", self.at) + (2 if is_array else 1)
        return path

    def into_array(self, path: Path) -> Path:
        return (*path, self.tables[path] - 1) if path in self.tables else path

    def pair(self, table: Path, level: int) -> None:
        """key = value"""
        start = self.at
        path = table
        for part in self.key():
            path = (*path, part)
            self.note(path, start)
        self.at = self.text.find("=", self.at) + 1
        self.value(path, level)

    def value(self, path: Path, level: int) -> None:
        self.skip(_BLANK)
        self.note(path, self.at)
        if level > _MOST_LEVELS:
            raise RecursionError
        if self.looking_at("["):
            self.array(path, level)
        elif self.looking_at("{"):
            self.inline_table(path, level)
        elif (string := _STRING.match(self.text, self.at)) is not None:
            self.at = string.end()
        else:
            self.skip(_SCALAR)

    def array(self, path: Path, level: int) -> None:
        self.at += 1
        index = 0
        while True:
            self.skip(_BLANK)
            if self.looking_at("]"):
                self.at += 1
                return
            self.value((*path, index), level + 1)
            index += 1
            self.skip(_BLANK)
            if self.looking_at(","):
                self.at += 1

    def inline_table(self, path: Path, level: int) -> None:
        self.at += 1
        while True:
            self.skip(_BLANK)
            if self.looking_at("}"):
                self.at += 1
                return
            self.pair(path, level + 1)
            self.skip(_BLANK)
            if self.looking_at(","):
                self.at += 1

    def run(self) -> None:
        table: Path = ()
        while True:
            self.skip(_BLANK)
            before = self.at
            if self.at >= len(self.text):
                return
            if self.looking_at("["):
                table = self.header()
            else:
                self.pair(table, 0)
            if self.at <= before:
                return


def key_lines(text: str) -> dict[Path, int]:
    """Line number (from 1) of every key, table and array entry; nothing when the text is not valid TOML."""
    scanner = _Scanner(text)
    if excess(text):
        return {}
    try:
        tomllib.loads(text)
        scanner.run()
    except (tomllib.TOMLDecodeError, RecursionError, ValueError):
        pass
    return scanner.lines


def line_of(lines: dict[Path, int], path: Path) -> int:
    """Line of `path`, or of the nearest table above it; 0 when there is none."""
    for end in range(len(path), 0, -1):
        if path[:end] in lines:
            return lines[path[:end]]
    return 0
