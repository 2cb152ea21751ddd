"""The body file: what is written is read, and what cannot be a body is refused in one sentence.

Covers: bodies.body_layout, input_files, stored_arrays.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

from flexmb.bodies import body_layout
from flexmb.bodies.body_file import fingerprint, read_body, write_body
from flexmb.errors import InputError
from tests.support.reduced_bodies import body_of

ORDERS = (0, 1, 2, "full")


def assert_same(a: Any, b: Any) -> None:
    """Equal to the last bit, all the way down."""
    if dataclasses.is_dataclass(a):
        assert type(a) is type(b)
        for part in dataclasses.fields(a):
            assert_same(getattr(a, part.name), getattr(b, part.name))
    elif isinstance(a, tuple):
        assert len(a) == len(b)
        for one, two in zip(a, b, strict=True):
            assert_same(one, two)
    elif isinstance(a, np.ndarray):
        assert a.dtype == b.dtype and a.shape == b.shape
        np.testing.assert_array_equal(a, b)
    else:
        assert a == b


def refusal(path: Path) -> str:
    """The one fault with which a file is refused."""
    with pytest.raises(InputError) as caught:
        read_body(path)
    (fault,) = caught.value.faults
    return fault.text


@pytest.fixture
def written(tmp_path: Path) -> Path:
    return write_body(body_of("full"), tmp_path / "beam.h5")


@pytest.mark.parametrize("order", ORDERS)
def test_what_is_written_is_read(tmp_path: Path, order: Any) -> None:
    body = body_of(order)
    found = read_body(write_body(body, tmp_path / "beam.h5"))
    assert_same(body, found)
    assert found.order == order
    assert fingerprint(found) == fingerprint(body)
    assert [path.name for path in tmp_path.iterdir()] == ["beam.h5"]


def test_markers_keep_their_order(tmp_path: Path) -> None:
    places = {name: [0.1 * k, 0.0, 0.0] for k, name in enumerate("zebra bore_a ä-7 Big".split())}
    found = read_body(write_body(body_of(places=places), tmp_path / "beam.h5"))
    assert [marker.name for marker in found.markers] == list(places)


def test_the_surface_may_be_left_out(written: Path) -> None:
    found = read_body(written, surface_nodes=0)
    assert found.surface is None
    assert fingerprint(found) == fingerprint(read_body(written))


def test_numbers_of_numpy_in_the_report(tmp_path: Path) -> None:
    body = dataclasses.replace(body_of(), report={"a": np.float64(2.5), "b": np.arange(3), "c": [np.int64(1), True]})
    assert read_body(write_body(body, tmp_path / "beam.h5")).report == {"a": 2.5, "b": [0, 1, 2], "c": [1, True]}


def test_every_dataset_says_its_unit(written: Path) -> None:
    with h5py.File(written) as file:
        bare: list[str] = []
        file.visititems(lambda name, item: bare.append(name) if _is_bare(item) else None)
        assert not bare
        assert file["sid/Me/M0"].attrs["unit"] == "kg" and file["sid/Me/M1"].attrs["unit"] == "kg/m"


def _is_bare(item: Any) -> bool:
    return isinstance(item, h5py.Dataset) and not (item.attrs.get("unit") and item.attrs.get("text"))


def test_standard_input_data_under_their_names(written: Path) -> None:
    body = read_body(written)
    with h5py.File(written) as file:
        assert set(file["sid"]) == set(body_layout.SID)
        np.testing.assert_array_equal(file["sid/Ct/M0"][:], body.invariants.S1)
        np.testing.assert_array_equal(file["sid/K0t/M0"][:], body.invariants.S2)
        assert file["sid/Ge/M0"].shape == (body.n_modes, 3 * body.n_modes)


def test_fingerprint_sees_what_moves_the_body_and_nothing_else() -> None:
    body = body_of()
    assert fingerprint(dataclasses.replace(body, name="other", report={}, provenance={})) == fingerprint(body)
    assert fingerprint(dataclasses.replace(body, stiffness=1.001 * body.stiffness)) != fingerprint(body)
    assert fingerprint(dataclasses.replace(body, markers=body.markers[::-1])) != fingerprint(body)


def test_an_earlier_file_stays_when_writing_fails(written: Path) -> None:
    before = written.read_bytes()
    with pytest.raises(TypeError):
        write_body(dataclasses.replace(body_of(), report={"a": object()}), written)
    assert written.read_bytes() == before
    assert [path.name for path in written.parent.iterdir()] == [written.name]


def test_what_cannot_be_written(tmp_path: Path) -> None:
    body = body_of(places={"origin": [0.0, 0.0, 0.0], "a/b": [1.0, 0.0, 0.0]})
    with pytest.raises(InputError) as caught:
        write_body(body, tmp_path / "nowhere" / "beam.h5")
    text = str(caught.value)
    assert "no folder" in text and "'a/b' cannot be" in text and "'origin' is reserved" in text
    with pytest.raises(InputError, match="is a folder"):
        write_body(body_of(), tmp_path)


def test_files_that_are_no_bodies(tmp_path: Path) -> None:
    assert "There is no body file" in refusal(tmp_path / "none.h5")
    assert "is a folder" in refusal(tmp_path)
    mesh = tmp_path / "rod.msh"
    mesh.write_text("$MeshFormat\n4.1 0 8\n$EndMeshFormat\n")
    assert "not in HDF5 format" in refusal(mesh) and "flexmb reduce" in refusal(mesh)
    (tmp_path / "empty.h5").touch()
    assert "truncated or damaged" in refusal(tmp_path / "empty.h5")
    with h5py.File(tmp_path / "foreign.h5", "w") as file:
        file["x"] = 1.0
    assert "not a body file of flexmb" in refusal(tmp_path / "foreign.h5")
    with h5py.File(tmp_path / "result.h5", "w") as file:
        file.attrs["format"] = "flexmb result"
    assert "result of a run" in refusal(tmp_path / "result.h5")


def test_a_newer_file(written: Path) -> None:
    with h5py.File(written, "r+") as file:
        file.attrs["version"] = 3
    assert "newer flexmb" in refusal(written) and "format 3" in refusal(written)


def test_a_file_that_is_cut_off(written: Path) -> None:
    data = written.read_bytes()
    for part in (0.1, 0.5, 0.99):
        written.write_bytes(data[: int(part * len(data))])
        assert "truncated or damaged" in refusal(written)


Damage = Callable[[h5py.File], None]


def _replace(path: str, values: Any) -> Damage:
    def damage(file: h5py.File) -> None:
        del file[path]
        file[path] = values

    return damage


def _remove(path: str) -> Damage:
    return lambda file: file.__delitem__(path)


def _set(path: str, where: Any, value: Any) -> Damage:
    return lambda file: file[path].__setitem__(where, value)


def _attribute(path: str, name: str, value: Any) -> Damage:
    return lambda file: file[path].attrs.__setitem__(name, value)


def _elsewhere(file: h5py.File) -> None:
    del file["surface/points"]
    file["surface/points"] = h5py.ExternalLink("other.h5", "/points")


def _huge(file: h5py.File) -> None:
    del file["surface/Phi"]
    file.create_dataset("surface/Phi", shape=(10**12, 6, 3), dtype="<f8", chunks=(1024, 6, 3))


@pytest.mark.parametrize(
    ("damage", "text"),
    [
        (_remove("sid/Ke"), "'sid/Ke/M0' is missing"),
        (_remove("field/invariants/S1"), "S1' is missing"),
        (_remove("markers/A/Phi"), "Phi' is missing"),
        (_remove("coordinates"), "is missing"),
        (_replace("field/invariants/S1", np.zeros((2, 3))), "S1' is 2 x 3, 6 x 3 is needed"),
        (_replace("field/invariants/P0", np.zeros(9)), "1 dimensions, 2 are needed"),
        (_replace("field/points/X", np.array([b"text"])), "does not hold numbers"),
        (_replace("surface/triangles", np.array([[0, 1, 7]])), "refers to a missing point"),
        (_replace("surface/triangles", np.array([[0.0, 1.0, 2.0]])), "whole numbers"),
        (_replace("report", "[1, 2]"), "its report is not a table"),
        (_replace("report", "{{{"), "damaged"),
        (_set("field/points/phi", (0, 0, 0), np.nan), "not finite"),
        (_set("sid/Ke/M0", (0, 1), 1e9), "not symmetric"),
        (_set("sid/De/M0", (0, 0), -1e9), "negative eigenvalue"),
        (_set("field/invariants/mass", (), -1.0), "its mass is -1"),
        (_set("coordinates/kind", 0, "strange"), "not a kind of coordinate"),
        (_set("coordinates/label", 0, "y2"), "same label"),
        (_attribute("markers/A", "kind", "glue"), "marker 'A' has kind 'glue'"),
        (_attribute("markers/A", "kind", h5py.Empty("<f4")), "marker 'A' has a kind that is no text"),
        (_attribute("/", "length", np.inf), "its length is inf"),
        (_attribute("/", "version", "one"), "its version is missing"),
        (_elsewhere, "damaged"),
        (_huge, "declared longer than its stored data"),
    ],
)
def test_damaged_files(written: Path, damage: Damage, text: str) -> None:
    with h5py.File(written, "r+") as file:
        damage(file)
    assert text in refusal(written)


def test_any_byte_may_be_wrong(written: Path, tmp_path: Path) -> None:
    """A flipped byte is refused by one clear message or does no harm to the reading: never a traceback."""
    data, rng = bytearray(written.read_bytes()), np.random.default_rng(4)
    target = tmp_path / "flipped.h5"
    refused = 0
    for place in rng.integers(len(data), size=50):
        flipped = data.copy()
        flipped[place] ^= 0x55
        target.write_bytes(flipped)
        try:
            read_body(target)
        except InputError as error:
            refused += 1
            assert len(error.faults) == 1
    assert refused > 0


def test_report_survives_as_json(written: Path) -> None:
    with h5py.File(written) as file:
        assert json.loads(file["report"].asstr()[()])["notes"] == ["made of a beam"]
