"""Line numbers of keys in TOML text."""

from __future__ import annotations

import tomllib
import tracemalloc

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


@pytest.mark.parametrize(
    "filler",
    ['x = """{a}"""\n', 'x = "{a}"\n', "x = '''{a}'''\n", "{n}", "{n} ", "#{n}#", 'x = "{e}"\n'],
    ids=["long", "short", "literal", "lines", "spaces", "comments", "escapes"],
)
def test_memory_of_long_strings_and_blanks(filler: str) -> None:
    """At most a few times the text: a pattern with a way back takes 160 bytes for every character."""
    text = filler.format(a="a'" * 500_000, n="\n" * 1_000_000, e="\\n" * 500_000) + "\ny = 1\n"
    tracemalloc.start()
    lines = key_lines(text)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert lines[("y",)] == text.count("\n")
    assert peak < 20 * len(text)


@pytest.mark.parametrize("end", ['"""', '""""', '"""""', '\\""""'])
def test_quotes_at_the_end_of_a_long_string(end: str) -> None:
    for text in (f'x = """a ""b" {end}\ny = 1', f"x = '''a ''b' {end[-3:].replace(chr(34), chr(39))}\ny = 1"):
        tomllib.loads(text)
        assert key_lines(text) == {("x",): 1, ("y",): 2}
