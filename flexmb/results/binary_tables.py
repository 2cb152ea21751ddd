"""Result channels as MATLAB files (.mat, version 5) and Parquet files, float64 as in the result.

MATLAB: a matrix (rows, columns) for every channel, and the structures `units`, `columns` and `paths` with the unit, the
column names and the channel of every matrix. Names are made valid for MATLAB: "rod.force" is rod_force.
Parquet: a column for every scalar, with its unit in the metadata of the column.
"""

from __future__ import annotations

import json
import os
import re
import unicodedata
from collections.abc import Iterable, Sequence

import numpy as np

from flexmb.errors import InputError
from flexmb.output_files import drafted
from flexmb.results.channel_names import Selection
from flexmb.results.export import chosen_selections, table_columns
from flexmb.results.result_file import Result

_MAT_BYTES = 2**31 - 1
"""Largest matrix of a version 5 file"""
_MAT_NAME = 63
"""Longest name in MATLAB"""
_GROUP_ROWS = 65536
_MAT_KEYWORDS = {
    "break", "case", "catch", "classdef", "continue", "else", "elseif", "end", "for", "function", "global", "if",
    "otherwise", "parfor", "persistent", "return", "spmd", "switch", "try", "while",
}  # fmt: skip
_MAT_OWN = ("time", "units", "columns", "paths", "model")


def export_mat(result: Result, path: str | os.PathLike[str], channels: Sequence[str] = ()) -> int:
    """Write the time and the chosen channels (default: see `default_paths`) for MATLAB; return the number of rows."""
    from scipy.io import savemat

    chosen = [result.names.find("time"), *chosen_selections(result, channels)]
    _check_sizes(result, chosen)
    names = matlab_names([one.label for one in chosen[1:]])
    variables: dict[str, object] = {"model": result.name}
    units, columns, paths = {}, {}, {}
    for name, one in zip(["time", *names], chosen, strict=True):
        scalars = one.scalars
        variables[name] = result.read(one).astype(float).reshape(result.n_rows, len(scalars))
        distinct = dict.fromkeys(scalar.unit for scalar in scalars)
        units[name] = next(iter(distinct)) if len(distinct) == 1 else ", ".join(scalar.unit for scalar in scalars)
        columns[name] = np.array([scalar.label for scalar in scalars], dtype=object).reshape(1, -1)
        paths[name] = one.channel.path
    variables |= {"units": units, "columns": columns, "paths": paths}
    with drafted(path, ".mat") as draft:
        savemat(draft, variables, appendmat=False, long_field_names=True, do_compression=True, oned_as="column")
    return result.n_rows


def _check_sizes(result: Result, chosen: Iterable[Selection]) -> None:
    for one in chosen:
        if 8 * result.n_rows * len(one.scalars) > _MAT_BYTES:
            raise InputError(
                f"Channel '{one.channel.path}' is larger than 2 GB, the limit of a .mat file. "
                "Choose single columns of it, or another format."
            )


def matlab_names(labels: Iterable[str]) -> list[str]:
    """A different valid name for each label: ASCII letters, digits and _, a letter first, at most 63 characters."""
    taken, names = set(_MAT_OWN), []
    for label in labels:
        plain = unicodedata.normalize("NFKD", label).replace("ß", "ss").encode("ascii", "ignore").decode()
        stem = re.sub(r"\W+", "_", plain, flags=re.ASCII).strip("_") or "channel"
        stem = stem if stem[0].isalpha() else f"n_{stem}"
        name, count = stem[:_MAT_NAME], 1
        while name in taken or name in _MAT_KEYWORDS:
            count += 1
            ending = f"_{count}"
            name = stem[: _MAT_NAME - len(ending)] + ending
        taken.add(name)
        names.append(name)
    return names


def export_parquet(result: Result, path: str | os.PathLike[str], channels: Sequence[str] = ()) -> int:
    """Write the time and the chosen channels (default: see `default_paths`) as Parquet; return the number of rows."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        raise InputError(
            "Parquet files need the package pyarrow, which is not installed. "
            "Install it (pip install pyarrow), or write --csv or --mat."
        ) from error
    columns = table_columns(result, channels)
    names = _distinct(columns)
    units = {name: column.unit for name, column in zip(names, columns, strict=True)}
    fields = [pyarrow.field(name, pyarrow.float64(), metadata={"unit": unit}) for name, unit in units.items()]
    schema = pyarrow.schema(fields, metadata={"model": result.name, "units": json.dumps(units, ensure_ascii=False)})
    with drafted(path, ".parquet") as draft, parquet.ParquetWriter(draft, schema, compression="zstd") as writer:
        for first in range(0, max(result.n_rows, 1), _GROUP_ROWS):
            block = [pyarrow.array(result.read(one, first, first + _GROUP_ROWS).astype(float)) for one in columns]
            writer.write_table(pyarrow.table(block, schema=schema))
    return result.n_rows


def _distinct(columns: Sequence[Selection]) -> list[str]:
    """Labels of columns; the full path of the channel where two would be equal."""
    labels = [column.label for column in columns]
    names = []
    for label, column in zip(labels, columns, strict=True):
        if labels.count(label) > 1:
            tail = "" if column.column is None else f".{column.channel.column_names[column.column]}"
            label = f"{column.channel.path}{tail}"
        names.append(label)
    return names
