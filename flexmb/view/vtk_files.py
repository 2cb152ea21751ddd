"""Scenes as files for ParaView, written without VTK.

`write_vtkhdf`: one file with all frames (VTKHDF 2.0, an unstructured grid with steps): triangles once, points and
fields for every step. `write_vtu`: one .vtu file per frame in a folder and a .pvd file with their times. Numbers are
float32. The array `body` of the triangles counts the names in the field data `bodies`.
[VTK file formats: VTKHDF "UnstructuredGrid, temporal"; VTK XML "UnstructuredGrid"]
"""

from __future__ import annotations

import base64
import os
import re
import shutil
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

import numpy as np
from numpy.typing import NDArray

from flexmb.errors import InputError
from flexmb.output_files import drafted, output_path, write_errors
from flexmb.stop_signals import cleaned, deferred
from flexmb.view.scene import Scene
from flexmb.view.surface_grid import SurfaceGrid

_TRIANGLE = 5
"""VTK number of this cell type"""
_FAST = 1
"""Level of compression: float32 numbers that change in every bit gain nothing from a higher one."""
_MOST_CHUNK_ROWS = 65536


def write_vtkhdf(scene: Scene, path: str | os.PathLike[str], scale: float = 1.0) -> None:
    """Write all frames into one .vtkhdf file; points are drawn with the deflection times `scale`."""
    import h5py

    from flexmb.results.disk_space import cut_off, require_space

    grid = SurfaceGrid(scene, scale)
    n_steps = len(scene.time)
    row_bytes = 4 * (3 + sum(grid.field_widths.values()))
    with drafted(path, ".vtkhdf") as draft:
        require_space(draft, n_steps * grid.n_points * row_bytes + grid.triangles.nbytes)
        with h5py.File(draft, "w", libver=("earliest", "v110"), locking=False) as file:
            try:
                root = file.create_group("VTKHDF")
                root.attrs["Version"] = np.array([2, 0], dtype=np.int64)
                root.attrs.create("Type", b"UnstructuredGrid", dtype="S16")
                _put_cells(root, grid)
                _put_steps(root, grid)
                file.flush()
            except OSError:
                cut_off(file)
                raise


def _put_cells(root: Any, grid: SurfaceGrid) -> None:
    """Write what is the same in all steps."""
    import h5py

    n_cells = len(grid.triangles)
    root["NumberOfPoints"] = np.array([grid.n_points])
    root["NumberOfCells"] = np.array([n_cells])
    root["NumberOfConnectivityIds"] = np.array([3 * n_cells])
    packed = {"compression": "gzip", "compression_opts": _FAST, "shuffle": True}
    root.create_dataset("Connectivity", data=grid.triangles.ravel(), **packed)
    root.create_dataset("Offsets", data=3 * np.arange(n_cells + 1), **packed)
    root.create_dataset("Types", data=np.full(n_cells, _TRIANGLE, np.uint8), **packed)
    root.create_dataset("CellData/body", data=grid.body_of_triangle, **packed)
    # The reader of VTK rejects strings marked as UTF-8 but accepts their bytes.
    names = [name.encode() for name in grid.names]
    root.create_dataset("FieldData/bodies", data=names, dtype=h5py.string_dtype("ascii"))


def _put_steps(root: Any, grid: SurfaceGrid) -> None:
    """Write points and fields, step after step, and the tables of the start of each step."""
    n_steps, n_points = len(grid.scene.time), grid.n_points
    steps = root.create_group("Steps")
    steps.attrs["NSteps"] = n_steps
    steps["Values"] = grid.scene.time
    begins, zeros = n_points * np.arange(n_steps), np.zeros(n_steps, dtype=np.int64)
    steps["PointOffsets"] = begins
    steps["PartOffsets"], steps["NumberOfParts"] = zeros, zeros + 1
    steps["CellOffsets"], steps["ConnectivityIdOffsets"] = zeros[:, None], zeros[:, None]
    steps["CellDataOffsets/body"] = zeros
    steps["FieldDataOffsets/bodies"] = zeros
    steps["FieldDataSizes/bodies"] = np.tile([1, len(grid.names)], (n_steps, 1))
    chunk = min(n_points, _MOST_CHUNK_ROWS)

    def column(name: str, width: int) -> Any:
        tail = () if width == 1 else (width,)
        return root.create_dataset(
            name, (n_steps * n_points, *tail), np.float32, chunks=(chunk, *tail),
            compression="gzip", compression_opts=_FAST, shuffle=True,
        )  # fmt: skip

    points = column("Points", 3)
    fields = {name: column(f"PointData/{name}", width) for name, width in grid.field_widths.items()}
    for name in fields:
        steps[f"PointDataOffsets/{name}"] = begins
    for frame, begin in enumerate(begins.tolist()):
        points[begin : begin + n_points] = grid.points(frame)
        for name, values in grid.fields(frame):
            fields[name][begin : begin + n_points] = values


def write_vtu(scene: Scene, path: str | os.PathLike[str], scale: float = 1.0) -> Path:
    """Write NAME.pvd and a folder NAME_vtu with one file per frame; returns the folder."""
    grid = SurfaceGrid(scene, scale)
    target = output_path(path, ".pvd")
    folder = target.with_name(f"{target.stem}_vtu")
    _check_folder(folder)
    draft, earlier = (folder.with_name(f".{folder.name}.{os.getpid()}.{end}") for end in ("part", "earlier"))
    digits = max(4, len(str(len(scene.time) - 1)))
    names = [f"frame_{frame:0{digits}}.vtu" for frame in range(len(scene.time))]
    with cleaned(lambda: shutil.rmtree(draft, ignore_errors=True)):
        with write_errors(folder):
            draft.mkdir()
            for frame, name in enumerate(names):
                (draft / name).write_text(vtu_text(grid, frame), encoding="ascii")
            with deferred(), drafted(target, ".pvd") as listing:
                listing.write_text(_pvd_text(scene, folder.name, names), encoding="utf-8")
                if folder.exists():
                    os.replace(folder, earlier)
                os.replace(draft, folder)
        shutil.rmtree(earlier, ignore_errors=True)
    return folder


def _check_folder(folder: Path) -> None:
    """Reject a folder that contains anything but our own frames."""
    if not folder.exists():
        return
    own = folder.is_dir() and all(re.fullmatch(r"frame_\d+\.vtu", entry.name) for entry in folder.iterdir())
    if not own:
        raise InputError(
            f"'{folder}' exists and contains files other than frames, so it is not overwritten. Choose another name."
        )


def _pvd_text(scene: Scene, folder: str, names: Iterable[str]) -> str:
    rows = [
        f'<DataSet timestep="{time!r}" part="0" file={quoteattr(f"{folder}/{name}")}/>'
        for time, name in zip(scene.time.tolist(), names, strict=True)
    ]
    head = '<?xml version="1.0"?>\n<VTKFile type="Collection" version="1.0" byte_order="LittleEndian">\n<Collection>'
    return "\n".join([head, *rows, "</Collection>\n</VTKFile>\n"])


def vtu_text(grid: SurfaceGrid, frame: int) -> str:
    """The .vtu file of a frame."""
    time = _time(grid.scene, frame)
    return grid_text(
        grid.points(frame), grid.triangles, dict(grid.fields(frame)), {"body": grid.body_of_triangle},
        {"bodies": grid.names}, vectors="displacement", head=time,
    )  # fmt: skip


def grid_text(
    points: NDArray[Any],
    triangles: NDArray[Any],
    point_data: Mapping[str, NDArray[Any]],
    cell_data: Mapping[str, NDArray[Any]],
    texts: Mapping[str, list[str]],
    vectors: str = "",
    head: str = "",
) -> str:
    """A .vtu file of triangles: XML with compressed arrays.

    vectors : the field that is shown as arrows; head : further field data
    """
    n_cells = len(triangles)
    return "\n".join([
        '<?xml version="1.0"?>',
        '<VTKFile type="UnstructuredGrid" version="1.0" byte_order="LittleEndian" header_type="UInt64" '
        'compressor="vtkZLibDataCompressor">',
        "<UnstructuredGrid>",
        "<FieldData>", head, *(_texts(name, entries) for name, entries in texts.items()), "</FieldData>",
        f'<Piece NumberOfPoints="{len(points)}" NumberOfCells="{n_cells}">',
        f'<PointData Vectors="{vectors}">' if vectors else "<PointData>",
        *(_array(name, values) for name, values in point_data.items()), "</PointData>",
        "<CellData>", *(_array(name, values) for name, values in cell_data.items()), "</CellData>",
        "<Points>", _array("Points", points), "</Points>",
        "<Cells>",
        _array("connectivity", triangles.ravel()),
        _array("offsets", 3 * np.arange(1, n_cells + 1)),
        _array("types", np.full(n_cells, _TRIANGLE, np.uint8)),
        "</Cells>", "</Piece>", "</UnstructuredGrid>", "</VTKFile>\n",
    ])  # fmt: skip


def _time(scene: Scene, frame: int) -> str:
    return f'<DataArray type="Float64" Name="TimeValue" NumberOfTuples="1">{float(scene.time[frame])!r}</DataArray>'


def _texts(name: str, texts: list[str]) -> str:
    """A list of names: UTF-8 bytes as numbers, each name ended by 0."""
    numbers = " ".join(str(byte) for text in texts for byte in [*text.encode(), 0])
    return f'<Array type="String" Name="{name}" NumberOfTuples="{len(texts)}" format="ascii">{numbers}</Array>'


def _array(name: str, values: NDArray[Any]) -> str:
    """An array as one compressed block: the sizes, then the bytes, each in base64."""
    kinds = {"float32": "Float32", "int32": "Int32", "int64": "Int64", "uint8": "UInt8"}
    raw = np.ascontiguousarray(values, values.dtype.newbyteorder("<")).tobytes()
    packed = zlib.compress(raw, _FAST)
    sizes = np.array([1, len(raw), 0, len(packed)], dtype="<u8").tobytes()
    width = 1 if values.ndim == 1 else values.shape[1]
    text = (base64.b64encode(sizes) + base64.b64encode(packed)).decode("ascii")
    return (
        f'<DataArray type="{kinds[values.dtype.name]}" Name="{name}" NumberOfComponents="{width}" format="binary">'
        f"{text}</DataArray>"
    )
