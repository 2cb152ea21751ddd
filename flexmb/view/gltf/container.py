"""The binary container of glTF 2.0: packed arrays, tables that describe them, a JSON header.

Input: numpy arrays and the tables of meshes, nodes and animations. Output: the bytes of a .glb file. Every array
starts at a multiple of four bytes. [Khronos glTF 2.0, 3.6 binary data, 4.4 GLB layout]
"""

from __future__ import annotations

import json
import struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

Table = dict[str, Any]
VERTEX_DATA, INDEX_DATA = 34962, 34963
_COMPONENTS = {"float32": 5126, "uint32": 5125, "uint16": 5123, "uint8": 5121}
_KINDS = {1: "SCALAR", 2: "VEC2", 3: "VEC3", 4: "VEC4"}
_MAGIC, _VERSION, _JSON, _BIN = 0x46546C67, 2, 0x4E4F534A, 0x004E4942


class GlbFile:
    """A glTF file that grows: tables in `tables`, arrays by `add_array`."""

    def __init__(self) -> None:
        self.tables: dict[str, list[Table]] = {"accessors": [], "bufferViews": []}
        self._binary = bytearray()

    def add(self, table: str, entry: Table) -> int:
        """Append an entry to a table ("meshes", "nodes", ...); returns its number."""
        rows = self.tables.setdefault(table, [])
        rows.append(entry)
        return len(rows) - 1

    def add_array(
        self, values: NDArray[Any], target: int | None = None, bounds: bool = False, normalized: bool = False
    ) -> int:
        """Append an array (n,) or (n, k) with its description; returns the number of its accessor."""
        data = np.ascontiguousarray(values, values.dtype.newbyteorder("<"))
        view: Table = {"buffer": 0, "byteOffset": len(self._binary), "byteLength": data.nbytes}
        if target is not None:
            view["target"] = target
        self._binary += data.tobytes()
        self._binary += bytes(-len(self._binary) % 4)
        accessor: Table = {
            "bufferView": self.add("bufferViews", view),
            "componentType": _COMPONENTS[values.dtype.name],
            "count": len(data),
            "type": _KINDS[1 if data.ndim == 1 else data.shape[1]],
        }
        if bounds:
            rows = data.reshape(len(data), -1)
            accessor["min"], accessor["max"] = rows.min(axis=0).tolist(), rows.max(axis=0).tolist()
        if normalized:
            accessor["normalized"] = True
        return self.add("accessors", accessor)

    def bytes(self, **head: Any) -> bytes:
        """The file: JSON header with further entries (asset, scene, ...), then the arrays."""
        tables = {name: rows for name, rows in self.tables.items() if rows}
        document = {**head, **tables, "buffers": [{"byteLength": len(self._binary)}]}
        text = json.dumps(document, allow_nan=False, separators=(",", ":"), ensure_ascii=False).encode()
        text += b" " * (-len(text) % 4)
        chunks = struct.pack("<II", len(text), _JSON) + text
        chunks += struct.pack("<II", len(self._binary), _BIN) + self._binary
        return struct.pack("<III", _MAGIC, _VERSION, 12 + len(chunks)) + chunks
