"""Line numbers of keys in TOML text."""

from __future__ import annotations

import tomllib

import pytest

from flexmb.model.model_file_lines import key_lines, line_of

LINES = """\
# comment with [not.a.table] and x = 1
title = "[no] # comment"
a.b.c = 1
"quoted key".'x.y' = { p = 1, q = [ 1,
  2, # two ]
  { r = 3 } ] }
[t]
text = \"\"\"
[not.a.table]
z = 1
\"\"\"
list = [
  "one",
  [ 2, 3 ],
]
[t.u . "v w"]
k = 'a"b'
[[arr]]
x = 1
[[arr]]
x = 2
[arr.sub]
y = 1
[[arr.deep]]
[[arr.deep]]
z = 3
"""


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("title",), 2),
        (("a", "b", "c"), 3),
        (("a", "b"), 3),
        (("quoted key", "x.y", "p"), 4),
        (("quoted key", "x.y", "q", 1), 5),
        (("quoted key", "x.y", "q", 2, "r"), 6),
        (("t",), 7),
        (("t", "text"), 8),
        (("t", "list", 0), 13),
        (("t", "list", 1, 1), 14),
        (("t", "u", "v w", "k"), 17),
        (("t", "u", "v w", "missing"), 16),
        (("arr", 0, "x"), 19),
        (("arr", 1, "x"), 21),
        (("arr", 1, "sub", "y"), 23),
        (("arr", 1, "deep", 1, "z"), 26),
        (("arr", 1, "nothing"), 20),
        (("nothing",), 0),
    ],
)
def test_line_of_a_key(path: tuple[str | int, ...], line: int) -> None:
    tomllib.loads(LINES)
    assert line_of(key_lines(LINES), path) == line
