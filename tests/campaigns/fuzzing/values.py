"""Texts and numbers that programs stumble over."""

from __future__ import annotations

from random import Random
from typing import Any

SCRIPT = "</script><script>alert(1)</script>"
TEXTS = (
    "",
    " ",
    "?",
    "$",
    "$x",
    "nan",
    "inf",
    "-inf m",
    "1e999",
    "0x10",
    "1 furlong",
    "1 m m m",
    "m/s",
    "1/0",
    "0/0",
    "0^-1",
    "(-1)^0.5",
    "sqrt(-1)",
    "log(0)",
    "exp(1000)",
    "exp(1000)*t",
    "1/t",
    "1/(t - 0.01)",
    "tan(t*1e300)",
    "9^9^9^9",
    "2^2^2^2^2^2^2",
    "(" * 3000 + "1" + ")" * 3000,
    "-" * 5000 + "1",
    "1+" * 5000 + "1",
    "sin(" * 1000 + "t" + ")" * 1000,
    "t^1e9",
    "t; import os",
    "__import__('os').system('id')",
    "${HOME}",
    "../../../../etc/passwd",
    "/etc/passwd",
    "/dev/zero",
    "/dev/stdin",
    "..",
    ".",
    "/",
    "~",
    "file:///etc/passwd",
    "http://example.org/x.h5",
    "con",
    "a" * 300,
    "a" * 100_000,
    "ground",
    "origin",
    "time",
    SCRIPT,
    "<img src=x onerror=alert(1)>",
    "\"'`<>&",
    "]]>",
    "--><b>",
    "{{7*7}}",
    "%s%s%n",
    "{0.__class__}",
    "\\input{/etc/passwd}",
    "$\\frac{1}{$",
    "_^{}$&%#~\\",
    "=cmd|'/c calc'!A1",
    "@SUM(1)",
    "-2+3",
    "a,b\nc",
    'a"b',
    "a\tb\rc",
    "\u202eevil\u202c",
    "\u200b",
    "\u0000",
    "\x1b[31mred\x1b[0m",
    "\x07",
    "é" * 30,
    "e\u0301" * 20,
    "日本語",
    "\U0001f600",
    "\ufeff",
    "\uffff",
    "Ω",
    "ſ",
    "x\u2028y",
    "a.b",
    "a/b",
    "a\\b",
    "a b",
)
NUMBERS: tuple[Any, ...] = (
    0,
    -0.0,
    1,
    -1,
    2,
    0.5,
    1e-300,
    5e-324,
    1e-30,
    1e-12,
    1e6,
    1e9,
    1e12,
    1e30,
    1e154,
    1e155,
    1e300,
    1.7976931348623157e308,
    -1e300,
    float("inf"),
    float("-inf"),
    float("nan"),
    2**31,
    2**63,
    2**64,
    -(2**63) - 1,
    10**30,
    10**400,
    1_000_000_000,
    3.999999999999999,
    True,
    False,
)


def any_text(random: Random) -> str:
    if random.random() < 0.15:
        return "".join(chr(random.choice((random.randrange(32, 127), random.randrange(1, 0x800)))) for _ in range(12))
    return random.choice(TEXTS)


def any_number(random: Random) -> Any:
    if random.random() < 0.2:
        return random.choice((1.0, -1.0)) * 10.0 ** random.uniform(-320, 308)
    return random.choice(NUMBERS)


def any_value(random: Random, depth: int = 0) -> Any:
    """Anything that TOML can hold."""
    kind = random.random()
    if kind < 0.4:
        return any_number(random)
    if kind < 0.75:
        return any_text(random)
    if kind < 0.8:
        nested: Any = 1
        for _ in range(random.choice((3, 50, 400, 3000))):
            nested = [nested]
        return nested
    if depth > 2:
        return []
    if kind < 0.9:
        return [any_value(random, depth + 1) for _ in range(random.choice((0, 1, 2, 3, 3, 6, 40)))]
    return {any_text(random)[:50] or "x": any_value(random, depth + 1) for _ in range(random.choice((0, 1, 2)))}
