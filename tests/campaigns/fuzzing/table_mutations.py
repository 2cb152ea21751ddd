"""Damage of a model that stays valid TOML: values and keys replaced, moved, lost, and made to run in circles."""

from __future__ import annotations

import json
import math
import tomllib
from contextlib import suppress
from random import Random
from typing import Any

from tests.campaigns.fuzzing.values import any_text, any_value

Path = tuple[Any, ...]


def damage_model(text: str, random: Random) -> str:
    """A model with one to three faults in its tables."""
    tables: dict[str, Any] = tomllib.loads(text)
    damages = _DAMAGES if random.random() < 0.6 else _STRANGE
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        with suppress(RecursionError):  # of a value that an earlier fault has nested deeply
            random.choice(damages)(tables, random)
    return to_toml(tables)


def to_toml(tables: dict[str, Any]) -> str:
    """TOML of nested tables; the first two levels as headed tables, the rest in one line."""
    lines: list[str] = []
    for key, value in tables.items():
        if not isinstance(value, dict):
            lines.insert(0, f"{_key(key)} = {_value(value)}")
            continue
        lines.append(f"[{_key(key)}]")
        inner = [(name, entry) for name, entry in value.items() if isinstance(entry, dict)]
        lines += [f"{_key(name)} = {_value(entry)}" for name, entry in value.items() if not isinstance(entry, dict)]
        for name, entry in inner:
            lines.append(f"[{_key(key)}.{_key(name)}]")
            lines += [f"{_key(word)} = {_value(part)}" for word, part in entry.items()]
    return "\n".join(lines) + "\n"


def _key(name: Any) -> str:
    return json.dumps(str(name), ensure_ascii=False).replace("\x7f", "\\u007f")


def _value(value: Any) -> str:
    """One TOML value; nesting is written by a stack, for it may be deep."""
    depth = 0
    while isinstance(value, list) and len(value) == 1:
        value, depth = value[0], depth + 1
    return "[" * depth + _shallow(value) + "]" * depth


def _shallow(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return _key(value)
    if isinstance(value, list):
        return f"[{', '.join(_value(entry) for entry in value)}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{_key(name)} = {_value(entry)}' for name, entry in value.items())}}}"
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"
    return repr(value) if isinstance(value, (int, float)) else _key(value)


def _places(value: Any, path: Path = ()) -> list[Path]:
    """Paths of all values, tables among them."""
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    found = [path] if path else []
    for key, entry in entries:
        if len(path) < 8:
            found += _places(entry, (*path, key))
    return found


def _owner(tables: Any, path: Path) -> Any:
    for key in path[:-1]:
        tables = tables[key]
    return tables


def _get(tables: Any, path: Path) -> Any:
    return _owner(tables, path)[path[-1]]


def _place(tables: Any, random: Random) -> Path | None:
    found = _places(tables)
    return random.choice(found) if found else None


def _replace(tables: Any, random: Random) -> None:
    if path := _place(tables, random):
        _owner(tables, path)[path[-1]] = any_value(random)


def _lose(tables: Any, random: Random) -> None:
    if path := _place(tables, random):
        del _owner(tables, path)[path[-1]]


def _rename(tables: Any, random: Random) -> None:
    path = _place(tables, random)
    if path and isinstance(path[-1], str):
        owner = _owner(tables, path)
        owner[random.choice((any_text(random), path[-1] + "s", path[-1][1:], path[-1].upper()))] = owner.pop(path[-1])


def _move(tables: Any, random: Random) -> None:
    """One value in the place of another, a copy of itself inside itself among them."""
    first, second = _place(tables, random), _place(tables, random)
    if first and second:
        value = json.loads(json.dumps(_get(tables, first), default=str))
        _owner(tables, second)[second[-1]] = value


def _circle(tables: Any, random: Random) -> None:
    """Parameters that need each other; bodies and frames that hang on each other."""
    names = [f"p{i}" for i in range(random.choice((1, 2, 3, 400)))]
    parameters = tables.setdefault("parameters", {})
    if isinstance(parameters, dict):
        for name, following in zip(names, [*names[1:], names[0]], strict=True):
            parameters[name] = f"${following}"
        if random.random() < 0.5:
            parameters[names[-1]] = 1
    bodies = list(tables.get("bodies", {}) or ["a"]) if isinstance(tables.get("bodies"), dict) else ["a"]
    joints = tables.setdefault("joints", {})
    if isinstance(joints, dict) and random.random() < 0.5:
        for i in range(random.choice((1, 3))):
            ends = [random.choice([*bodies, "ground"]) for _ in range(2)]
            joints[f"more{i}"] = {"type": "revolute", "bodies": ends, "at": [0, 0, 0], "axis": "z"}


def _file(tables: Any, random: Random) -> None:
    """Paths out of the folder, devices, and files of other kinds."""
    paths = ("../../../../etc/passwd", "/dev/zero", "/dev/null", ".", "", "bar.h5", "pendulum_run.h5", "pendulum.toml")
    paths += ("bar.vtk", "shape.stl", "shape.obj", "shape.ply", "shape.off", "pipe", "/proc/self/mem", "K.npz", "a\0b")
    path = random.choice(paths)
    kind = random.choice(("body", "geometry", "output"))
    body = random.choice(list(tables.get("bodies") or ["x"])) if isinstance(tables.get("bodies"), dict) else "x"
    bodies = tables.setdefault("bodies", {})
    if kind == "output":
        tables["output"] = {"file": random.choice((path, "../out.h5", "/nowhere/out.h5", "sub/out.h5", SELF))}
    elif isinstance(bodies, dict) and isinstance(bodies.get(body), dict):
        if kind == "body":
            bodies[body] = {"file": path}
        else:
            bodies[body]["geometry"] = {"file": path}


SELF = "bar.h5"
_LONG = {"end": (1e9, 1e3, 1e300, 1e-300), "step": (1e-9, 1e-300, 1e300), "every": (1e-9, 1e-300, 1e300)}


def _long(tables: Any, random: Random) -> None:
    """Durations and steps that nobody waits for."""
    key = random.choice(list(_LONG))
    table = tables.setdefault("output" if key == "every" else "analysis", {})
    if isinstance(table, dict):
        table[key] = random.choice(_LONG[key])


def _setting(tables: Any, random: Random) -> None:
    """Another choice of the analysis or of the coordinates."""
    choices: dict[str, tuple[Any, ...]] = {
        "type": ("dynamic", "kinematic", "static"),
        "method": ("generalized-alpha", "hht", "shi-mcphee", "rk4", "rk45"),
        "formulation": ("augmented", "embedding"),
        "start": ("given", "static"),
        "elastic_start": ("undeformed", "quasi-static"),
        "tolerance": (1e-3, 1e-15, 1.0, 5e-324),
        "rho": (0, 1, 0.5),
    }
    key = random.choice(list(choices))
    table = tables.setdefault("analysis", {})
    if isinstance(table, dict):
        table[key] = random.choice(choices[key])
    if random.random() < 0.3:
        tables["coordinates"] = {"default": random.choice(("joint", "absolute", "natural"))}


def _scale(tables: Any, random: Random) -> None:
    """Numbers that may be right, and are far from usual."""
    found = [path for path in _places(tables) if type(_get(tables, path)) in (int, float)]
    for _ in range(random.choice((1, 1, 2, 4)) if found else 0):
        path = random.choice(found)
        value = min(_get(tables, path), 10**300)
        factor = random.choice((0.0, -1.0, 1e3, 1e-3, 1e9, 1e-9, 1e30, 1e-30, 10.0 ** random.uniform(-15, 15)))
        _owner(tables, path)[path[-1]] = float(value or 1.0) * factor


def _same(tables: Any, random: Random) -> None:
    """A value of the same kind from elsewhere in the model: another body, joint, axis, place, type."""
    paths = [path for path in _places(tables) if not isinstance(_get(tables, path), dict)]
    if paths:
        first = random.choice(paths)
        alike = [
            path for path in paths if path[-1] == first[-1] and type(_get(tables, path)) is type(_get(tables, first))
        ]
        _owner(tables, first)[first[-1]] = json.loads(json.dumps(_get(tables, random.choice(alike))))


_STRANGE = (_scale, _scale, _scale, _scale, _same, _setting)
"""Damages that often leave a model that can be computed"""
_DAMAGES = (
    _scale,
    _same,
    _replace,
    _replace,
    _replace,
    _replace,
    _lose,
    _rename,
    _move,
    _circle,
    _file,
    _long,
    _setting,
)
