"""Units for print: superscript digits, a middle dot, and a prefix that gives convenient numbers."""

from __future__ import annotations

_SIGNS = {"*": "\u00b7", "^2": "\u00b2", "^3": "\u00b3", "deg": "\u00b0"}
_PREFIXES = {
    "J": ((1e6, "MJ"), (1e3, "kJ"), (1.0, "J"), (1e-3, "mJ"), (1e-6, "\u00b5J"), (1e-9, "nJ"), (1e-12, "pJ")),
    "s": ((1.0, "s"), (1e-3, "ms"), (1e-6, "\u00b5s"), (1e-9, "ns")),
    "N": ((1e6, "MN"), (1e4, "kN"), (0.1, "N"), (1e-4, "mN")),
    "N*m": ((1e6, "MN*m"), (1e4, "kN*m"), (0.1, "N*m"), (1e-4, "mN*m")),
}
_RAISED = str.maketrans("-0123456789", "\u207b\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079")
_LARGE = 1e6
_FACTORS = {"k": 1e3, "M": 1e6, "m": 1e-3, "\u00b5": 1e-6, "n": 1e-9, "p": 1e-12}


def unit_text(unit: str) -> str:
    """ "N*m" -> "N·m", "m/s^2" -> "m/s²" """
    for sign, text in _SIGNS.items():
        unit = unit.replace(sign, text)
    return unit


def handy_unit(unit: str, size: float) -> tuple[float, str]:
    """A unit with a prefix for values up to `size`, and its factor to the given unit."""
    choices = _PREFIXES.get(unit)
    if choices is None or not size > 0.0:
        return 1.0, unit
    # Smallest values for a prefix: tenths of a newton stay newtons.
    name = next((name for least, name in choices if size >= least), choices[-1][1])
    return (1.0, unit) if name == unit else (_FACTORS[name[0]], name)


def number_text(value: float, digits: int = 4) -> str:
    """A number for labels, such as 2.943, 31400, 1.2·10⁻⁵ with a proper minus."""
    text = f"{value:.{digits}g}"
    if "e+" in text and abs(value) < _LARGE:
        text = f"{float(text):.0f}"
    elif "e" in text:
        mantissa, _, exponent = text.partition("e")
        power = f"10{str(int(exponent)).translate(_RAISED)}"
        text = power if mantissa == "1" else f"{mantissa}\u00b7{power}"
    return text.replace("-", "\u2212")


def quantity(value: float, unit: str, digits: int = 4) -> str:
    """A number with its unit: "2.943 mm", "217°"."""
    text = unit_text(unit)
    gap = "" if text == "\u00b0" else "\u00a0"
    return number_text(value, digits) if text in ("", "1") else f"{number_text(value, digits)}{gap}{text}"
