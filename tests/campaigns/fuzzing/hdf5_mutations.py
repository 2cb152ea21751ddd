"""Damage of HDF5 files that stays valid HDF5: objects lost, renamed, of other types and sizes, links in circles."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import h5py
import numpy as np

from tests.campaigns.fuzzing.values import any_number, any_text


def damage_hdf5(path: Path, random: Random) -> None:
    """One to three faults in the objects of the file."""
    with h5py.File(path, "r+", locking=False) as file:
        for _ in range(random.choice((1, 1, 1, 2, 3))):
            with suppress(RuntimeError, KeyError, OSError, ValueError, MemoryError):  # after an earlier fault
                random.choice(_DAMAGES)(file, random)


def _names(file: h5py.File) -> list[str]:
    found: list[str] = []
    file.visit(found.append)
    return found


def _datasets(file: h5py.File) -> list[str]:
    return [name for name in _names(file) if isinstance(file.get(name), h5py.Dataset)]


def _lose(file: h5py.File, random: Random) -> None:
    if names := _names(file):
        del file[random.choice(names)]


def _rename(file: h5py.File, random: Random) -> None:
    if names := _names(file):
        name = random.choice(names)
        new = name + random.choice(("x", "é", "\u202e", " "))
        if new not in file:
            file.move(name, new)


def _swap(file: h5py.File, random: Random) -> None:
    """One object in the place of another."""
    if names := _names(file):
        one, other = random.choice(names), random.choice(names)
        if not one.startswith(other) and not other.startswith(one):
            del file[one]
            file[one] = file[other]


def _link(file: h5py.File, random: Random) -> None:
    if names := _names(file):
        name = random.choice(names)
        del file[name]
        file[name] = random.choice(
            (
                h5py.SoftLink("/" + name),
                h5py.SoftLink("/nowhere"),
                h5py.ExternalLink("/etc/passwd", "/"),
                h5py.ExternalLink("bar.h5", "/"),
                h5py.ExternalLink("/dev/zero", "/"),
                h5py.SoftLink("/"),
            )
        )


def _replace(file: h5py.File, random: Random) -> None:
    """Other data under the same name."""
    if names := _datasets(file):
        name = random.choice(names)
        shape = file[name].shape
        del file[name]
        random.choice(_CREATIONS)(file, name, shape, random)


def _other_type(file: h5py.File, name: str, shape: Any, random: Random) -> None:
    types = ("<i1", "<u8", "<f2", "<f4", "<f8", ">f8", "<c16", "S3", "V4", "?", h5py.string_dtype(), h5py.ref_dtype)
    types += (h5py.vlen_dtype(np.int32), np.dtype([("name", "S3"), ("value", "<f8")]), h5py.enum_dtype({"a": 1}))
    file.create_dataset(name, shape, dtype=random.choice(types))


def _other_shape(file: h5py.File, name: str, shape: Any, random: Random) -> None:
    shapes = [(), (0,), (1,), (2, 2), (7,), (3, 3, 3, 3), (*shape, 2), tuple(reversed(shape)), shape[1:], shape[:-1]]
    shapes += [tuple(n + 1 for n in shape), tuple(max(n - 1, 0) for n in shape)]
    file.create_dataset(name, random.choice(shapes), dtype="<f8")


def _giant(file: h5py.File, name: str, shape: Any, random: Random) -> None:
    """Promised, not written: reading it would fill any memory."""
    giant = random.choice(((10**12,), (10**6, 10**6), (2**62,), tuple(n * 10**6 for n in shape) or (10**9,)))
    chunks = tuple(min(n, 16) or 1 for n in giant)
    dtype = random.choice(("<f8", "S8", "<i8"))
    file.create_dataset(name, giant, maxshape=(None,) * len(giant), chunks=chunks, dtype=dtype, compression="gzip")


def _as_group(file: h5py.File, name: str, shape: Any, random: Random) -> None:
    file.create_group(name)


def _as_text(file: h5py.File, name: str, shape: Any, random: Random) -> None:
    texts = ("[" * 100_000, "{}", "[]", "null", "1", '{"a":', "NaN", '{"bodies": 3}', any_text(random))
    file.create_dataset(name, data=random.choice(texts).replace("\0", "").encode("utf-8", "replace"))


_CREATIONS = (_other_type, _other_shape, _other_shape, _giant, _as_group, _as_text)


def _numbers(file: h5py.File, random: Random) -> None:
    """Numbers that cannot be."""
    names = [name for name in _datasets(file) if file[name].dtype.kind in "fi" and file[name].size]
    if not names:
        return
    dataset = file[random.choice(names)]
    values = dataset[...]
    number = any_number(random)
    with np.errstate(all="ignore"):
        filler = np.asarray(float(number) if abs(number) < 1e308 else np.inf).astype(values.dtype)
    if random.random() < 0.3 or not values.ndim:
        values = np.full_like(values, filler)
    else:
        values.reshape(-1)[random.randrange(values.size)] = filler
    dataset[...] = values


def _attribute(file: h5py.File, random: Random) -> None:
    owners = [file, *(file[name] for name in _names(file) if file.get(name) is not None)]
    owner = random.choice([owner for owner in owners if len(owner.attrs)] or [file])
    name = random.choice([*owner.attrs, "format"])
    choices: tuple[Any, ...] = ("", 0, -1, 2**40, 1.5, b"\xff\xfe", np.zeros((2, 2)), np.zeros(0), "{", "[" * 5000)
    value = random.choice((*choices, any_text(random).replace("\0", "")[:5000], h5py.Empty("f"), file.ref))
    if random.random() < 0.25 and name in owner.attrs:
        del owner.attrs[name]
    else:
        owner.attrs[name] = value


def _settings(file: h5py.File, random: Random) -> None:
    """The JSON texts of results and bodies, with another value somewhere."""
    names = [
        name for name in ("model/settings", "model/channels", "report") if isinstance(file.get(name), h5py.Dataset)
    ]
    if not names or file[name := random.choice(names)].shape != ():
        return
    value = file[name][()]
    try:
        tables = json.loads(value.decode() if isinstance(value, bytes) else value)
    except (ValueError, AttributeError, TypeError):
        return
    owner, key = tables, None
    while isinstance(owner, (dict, list)) and owner:
        key = random.choice(list(owner)) if isinstance(owner, dict) else random.randrange(len(owner))
        if not isinstance(owner[key], (dict, list)) or not owner[key] or random.random() < 0.15:
            break
        owner = owner[key]
    if key is not None:
        new = random.choice((None, 1, -1, 1.5, "", any_text(random), [], {}, [1, 2], 10**30, float("nan"), [[]]))
        if random.random() < 0.2:
            del owner[key]
        else:
            owner[key] = new
    del file[name]
    file.create_dataset(name, data=json.dumps(tables).replace("\\u0000", "").encode())


_DAMAGES = (
    *(_lose, _rename, _swap, _link, _replace, _replace, _replace),
    *(_numbers, _numbers, _attribute, _attribute, _settings, _settings),
)
