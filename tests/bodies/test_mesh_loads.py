"""Loads on meshes as load shapes: Lame's cylinder, body files, faults against the mesh.

Covers: bodies.mesh_loads, bodies.load_shape, mesh.shares, model.schema.load_fields.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

from flexmb.bodies.body_file import fingerprint, read_body, write_body
from flexmb.bodies.load_shape import stress_shapes
from flexmb.bodies.mesh_loads import load_faults
from flexmb.bodies.reduce_mesh import reduce_mesh
from flexmb.bodies.reduced_body import ReducedBody
from flexmb.elements.material import MATERIALS, Material
from flexmb.errors import InputError
from flexmb.mesh.mesh import Mesh
from flexmb.reduction.load_words import LoadRequest, read_load
from flexmb.reduction.request import ReductionRequest
from flexmb.verification.solid_meshes import box_mesh

INNER, OUTER, HEIGHT = 0.05, 0.1, 0.02
STEEL = MATERIALS["steel"]


def loads(*words: str) -> tuple[LoadRequest, ...]:
    found = tuple(read_load(word, (), []) for word in words)
    return tuple(load for load in found if load is not None)


def free_body(mesh: Mesh, *words: str, material: Material = STEEL, **keys: Any) -> ReducedBody:
    request = ReductionRequest(method="free", compare=False, loads=loads(*words), **{"modes": 1, **keys})
    return reduce_mesh(mesh, material, request)


def ring(radial: int, around: int) -> Mesh:
    """A ring of hex20 cells, whole, with the sets inner and outer."""
    box = box_mesh("hex20", (radial, around, 1))
    r = INNER + (OUTER - INNER) * box.points[:, 0]
    angle = 2.0 * np.pi * box.points[:, 1]
    points = np.stack([r * np.cos(angle), r * np.sin(angle), HEIGHT * box.points[:, 2]], axis=1)
    seam = np.isclose(box.points[:, 1], 1.0)
    partner = np.arange(len(points))
    start = {tuple(np.round(points[n], 9)): n for n in np.flatnonzero(np.isclose(box.points[:, 1], 0.0))}
    for node in np.flatnonzero(seam):
        partner[node] = start[tuple(np.round(points[node], 9))]
    kept = np.flatnonzero(~seam)
    number = np.zeros(len(points), dtype=np.int64)
    number[kept] = np.arange(len(kept))
    cells = tuple(replace(block, nodes=number[partner[block.nodes]]) for block in box.cells)
    radius = np.linalg.norm(points[kept, :2], axis=1)
    sets = {"inner": np.flatnonzero(np.isclose(radius, INNER)), "outer": np.flatnonzero(np.isclose(radius, OUTER))}
    return Mesh(points[kept], cells, node_sets=sets)


@pytest.mark.parametrize("load, p_in, p_out", [("pressure:inner", 1.0, 0.0), ("pressure:outer", 0.0, 1.0)])
def test_a_ring_under_pressure_is_lames(load: str, p_in: float, p_out: float) -> None:
    """Lame (1852): u_r = ((1 - nu)(p_i a^2 - p_o b^2) r + (1 + nu) a^2 b^2 (p_i - p_o)/r)/(E (b^2 - a^2)) of a ring
    that is free along its axis, and hoop stress; the one load shape is the whole static answer."""
    mesh = ring(4, 24)
    body = free_body(mesh, f"p={load}", stress=True)
    shape, surface = body.load("p"), body.surface
    assert surface is not None and surface.stress is not None
    pressure = 10e6
    q = pressure * np.linalg.solve(body.stiffness, shape.Q0)
    u = np.einsum("k,ski->si", q, surface.Phi)
    r = np.linalg.norm(surface.points[:, :2], axis=1)
    radial = np.einsum("si,si->s", u[:, :2], surface.points[:, :2]) / r
    E, nu, a, b = STEEL.E, 0.3, INNER, OUTER
    factor = pressure / (E * (b * b - a * a))
    steady, swirl = p_in * a * a - p_out * b * b, (p_in - p_out) * a * a * b * b
    assert radial == pytest.approx(factor * ((1 - nu) * steady * r + (1 + nu) * swirl / r), rel=3e-3)
    inside = np.isclose(r, a)
    along = np.stack([-surface.points[:, 1], surface.points[:, 0]], axis=1)[inside] / a
    s = np.einsum("k,skc->sc", q, surface.stress)[inside]
    hoop = s[:, 0] * along[:, 0] ** 2 + s[:, 1] * along[:, 1] ** 2 + 2.0 * s[:, 3] * along[:, 0] * along[:, 1]
    assert hoop.mean() == pytest.approx(pressure * (steady + swirl / a**2) / (b * b - a * a), rel=0.04)
    assert np.abs(shape.F0).max() == 0.0  # round-off is not a resultant
    assert [coordinate.kind for coordinate in body.coordinates].count("load") == 1


@pytest.fixture(scope="module")
def body() -> ReducedBody:
    mesh = box_mesh("hex20", (4, 1, 1), (0.2, 0.02, 0.02))
    return free_body(mesh, "heat=temperature:all", "top=pressure:zmax", "bolt=force:xmin:x;force:xmax:-x", stress=True)


def test_parts_that_balance_each_other(body: ReducedBody) -> None:
    bolt = body.load("bolt")
    assert not bolt.F0.any() and not bolt.M0.any() and np.abs(bolt.Q0).max() > 0.0
    assert bolt.unit == "N" and bolt.what == "force"


def test_a_body_file_keeps_its_loads(body: ReducedBody, tmp_path: Path) -> None:
    path = write_body(body, tmp_path / "body.h5")
    read = read_body(path)
    assert [load.name for load in read.loads] == ["heat", "top", "bolt"]
    for ours, theirs in zip(body.loads, read.loads, strict=True):
        assert (ours.what, ours.unit, ours.text) == (theirs.what, theirs.unit, theirs.text)
        for name in ("F0", "F1", "M0", "M1", "Q0", "Q1", "M2"):
            np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name))
    assert body.surface is not None and body.surface.stress is not None
    hot = read.load("heat").stress
    assert hot is not None and hot.shape == (len(body.surface.points), 6)
    assert read.load("top").stress is None
    assert read_body(path, surface_nodes=10).load("heat").stress is None  # as a run reads it
    assert fingerprint(read) != fingerprint(replace(read, loads=()))
    shapes = stress_shapes(body.surface.stress, [read.load("heat")])
    assert shapes.shape[1] == body.n_modes + 1


def test_bodies_without_loads_are_files_of_the_first_format(body: ReducedBody, tmp_path: Path) -> None:
    """So that an older flexmb reads them, and a file of that format is read as before."""
    plain = replace(body, loads=())
    path = write_body(plain, tmp_path / "plain.h5")
    with h5py.File(path) as file:
        assert file.attrs["version"] == 1 and "loads" not in file
    assert read_body(path).loads == ()
    with h5py.File(write_body(body, tmp_path / "loads.h5")) as file:
        assert file.attrs["version"] == 2


def test_damaged_loads_are_rejected(body: ReducedBody, tmp_path: Path) -> None:
    path = write_body(body, tmp_path / "body.h5")
    with h5py.File(path, "a") as file:
        del file["loads/top/Q0"]
        file["loads/top/Q0"] = np.zeros(body.n_modes + 1)
    with pytest.raises(InputError, match="damaged"):
        read_body(path)
    with h5py.File(path, "a") as file:
        del file["loads/top"]
        file["loads/heat"].attrs["what"] = "wind"
    with pytest.raises(InputError, match="of kind 'wind'"):
        read_body(path)


def test_faults_against_the_mesh() -> None:
    mesh = box_mesh("hex20", (2, 1, 1))
    sets = {"left": (np.array([0]),), "right": (np.array([1]),)}
    nodes = {**mesh.node_sets, "corner": np.array([0, 1])}
    mesh = Mesh(mesh.points, mesh.cells, node_sets=nodes, cell_sets=sets)
    cold = Material.isotropic(1e9, 0.3, 1000.0, "rubber")

    def faults(word: str, **materials: Material) -> str:
        found = load_faults(mesh, loads(word), {name.strip("_"): one for name, one in materials.items()} or {"": STEEL})
        assert all(fault.path == ("loads", word.partition("=")[0]) for fault in found)
        return " ".join(str(fault) for fault in found)

    assert "is a set of solid cells, and a pressure needs faces" in faults("p=pressure:left")
    assert "no face of the surface has all its nodes" in faults("p=pressure:corner")
    assert "there is no set 'xmx'" in faults("p=pressure:xmx")
    assert "is a set of nodes or surfaces, and a temperature needs cells" in faults("h=temperature:xmax")
    assert "Did you mean 'left'" in faults("h=temperature:lft")
    assert "there is no set 'up'" in faults("f=force:up:x")
    assert "and rubber has none" in faults("h=temperature:all", _=cold)
    assert "and that of 'right' has none" in faults("h=temperature:all", left=STEEL, right=cold)
    assert faults("h=temperature:left", left=STEEL, right=cold) == ""
    assert faults("h=temperature:right", _=STEEL, left=cold) == ""
    assert "imported matrices have none" in str(load_faults(mesh, loads("h=temperature:all"), None)[0])


def test_a_band_does_not_take_loads() -> None:
    request = ReductionRequest(band=(0.0, 100.0), loads=loads("p=pressure:a", "p=pressure:b"))
    texts = [fault.text for fault in request.faults()]
    assert any("represent loads at the interfaces only" in text for text in texts)
    assert any("'p' is given twice" in text for text in texts)
