"""Files that were made to be misunderstood: pipes, devices, links out of the file, giant promises, signs for terminals.

Each ends in one clear message and exit code 2, and nothing is written.

Covers: cli.plain_output.
"""

from __future__ import annotations

import csv
import gzip
import json
import os
import zlib
from collections.abc import Callable
from pathlib import Path

import h5py
import numpy as np
import pytest

from flexmb.cli.plain_output import plain
from flexmb.elements.matrix_files.formats import read_entries
from flexmb.errors import InputError
from flexmb.mesh.read import read_mesh
from flexmb.reduction.request import read_vectors
from flexmb.results.result_file import Result
from flexmb.results.result_preamble import check_sum, is_left_open
from tests.support.command_line import MODEL, Capture, call, folder, refused, write_result
from tests.support.made_results import accept_forged_names

__all__ = ["folder"]  # a fixture
Damage = Callable[[h5py.File], object]
NODES = "*NODE\n1, 0, 0, 0\n2, 1, 0, 0\n3, 0, 1, 0\n4, 0, 0, 1\n*ELEMENT, TYPE=C3D4\n1, 1, 2, 3, 4\n"
GMSH = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n"
GMSH += "$Elements\n1\n1 4 2 0 1 1 2 3 4\n$EndElements\n"


@pytest.mark.parametrize("words", [("check",), ("run",), ("mesh", "info"), ("body", "info"), ("plot",), ("animate",)])
def test_pipes_and_devices_are_not_waited_for(folder: Path, capsys: Capture, words: tuple[str, ...]) -> None:
    os.mkfifo("pipe.toml")
    for name in ("pipe.toml", "/dev/zero"):
        assert "device or a pipe" in refused(capsys, *words, name) or words == ("mesh", "info")


def test_pipes_and_circles_of_links_are_not_replaced(folder: Path, capsys: Capture) -> None:
    write_result(folder / "out.h5")
    for ending in ("csv", "mat", "svg", "npz", "html"):
        os.mkfifo(f"pipe.{ending}")
    (folder / "mesh.msh").write_text(GMSH)
    os.mkfifo("pipe.h5")
    os.symlink("loop.csv", "loop.csv")
    before = sorted(os.listdir())
    assert "it is a link to itself" in refused(capsys, "export", "out.h5", "--csv", "loop.csv")
    for words in (
        ("export", "out.h5", "--csv", "pipe.csv"),
        ("export", "out.h5", "--mat", "pipe.mat"),
        ("plot", "out.h5", "-o", "pipe.svg"),
        ("modes", "pendulum.toml", "-o", "pipe.npz"),
        ("animate", "out.h5", "-o", "pipe.html"),
        ("reduce", "mesh.msh", "--material", "steel", "--interface", "a=plane(x=0)", "-o", "pipe.h5"),
    ):
        assert "is a device or a pipe" in refused(capsys, *words)
    assert sorted(os.listdir()) == before and all(path.is_fifo() for path in folder.glob("pipe.*"))


def test_body_file_of_a_model_is_a_pipe(folder: Path, capsys: Capture) -> None:
    os.mkfifo("part.h5")
    (folder / "m.toml").write_text('[bodies.a]\nfile = "part.h5"\n')
    assert "m.toml:2: file: 'part.h5' is a device or a pipe, not a body file." in refused(capsys, "check", "m.toml")


def test_signs_for_terminals_are_shown_not_sent(folder: Path, capsys: Capture) -> None:
    assert plain("a\x1b[31m\u202e\x85\0\tb\n") == "a\\x1b[31m\\u202e\\x85\\x00\tb\n"
    (folder / "bad.toml").write_text(MODEL.replace('axis = "y"', 'axis = "\\u001b[31m\\u202e"'))
    message = refused(capsys, "check", "bad.toml")
    assert "\\x1b[31m\\u202e" in message and "\x1b" not in message
    (folder / "mesh.msh").write_text(
        GMSH.replace("$Nodes", '$PhysicalNames\n1\n3 1 "red\x1b[31m"\n$EndPhysicalNames\n$Nodes', 1).replace(
            "2 0 1", "2 1 1"
        )
    )
    code, out, _ = call(capsys, "mesh", "info", "mesh.msh")
    assert code == 0 and "red\\x1b[31m" in out and "\x1b" not in out


def test_words_that_are_no_text(folder: Path, capsys: Capture) -> None:
    assert "this is not UTF-8 text" in refused(capsys, "check", "pendulum.toml", "--set", "length=caf\udce9")
    assert call(capsys, "run", "pendulum.toml", "-o", "caf\udce9.h5", "--set", "analysis.end=0.02")[0] == 0
    with Result("caf\udce9.h5") as result:
        assert result.n_rows == 3 and "caf\\udce9.h5" in result.report


@pytest.mark.parametrize("more", [(), ("--resume",)])
def test_names_that_no_folder_takes(folder: Path, capsys: Capture, more: tuple[str, ...]) -> None:
    assert "name too long" in refused(capsys, "run", "pendulum.toml", "-o", f"{300 * 'a'}.h5", *more).lower()


def test_long_messages_are_cut(folder: Path, capsys: Capture) -> None:
    (folder / "deep.inp").write_text(NODES.replace("3, 0, 1", f"3, {'[' * 50_000}, 1"))
    assert len(refused(capsys, "mesh", "info", "deep.inp")) < 3000
    bodies = "".join(f"[bodies.b{i}]\nmass = -1\ninertia = [1, 1, 1]\n" for i in range(1000))
    (folder / "many.toml").write_text(bodies)
    message = refused(capsys, "check", "many.toml")
    assert message.count("\n") <= 201 and message.endswith("1000 problems; nothing was run.\n")


@pytest.mark.parametrize(
    "file", ["../out.h5", "/tmp/out.h5", "a/../../out.h5", "..\\out.h5", "~/out.h5", "", "a\\u0000b"]
)
def test_a_model_writes_only_below_the_present_folder(folder: Path, capsys: Capture, file: str) -> None:
    (folder / "m.toml").write_text(f'{MODEL}[output]\nfile = "{file.replace(chr(92) + "o", chr(92) * 2 + "o")}"\n')
    message = refused(capsys, "run", "m.toml")
    assert "is outside of the current folder" in message or "name of a result file" in message


def test_a_model_does_not_overwrite_its_inputs(folder: Path, capsys: Capture) -> None:
    text = MODEL + '[output]\nfile = "m.toml"\n'
    (folder / "m.toml").write_text(text)
    refused(capsys, "run", "m.toml")
    assert (folder / "m.toml").read_text() == text


def test_giant_requests_are_refused(folder: Path, capsys: Capture) -> None:
    assert "more than 1e+08 rows" in refused(capsys, "run", "pendulum.toml", "--set", "analysis.step=1e-9")
    assert "more than 1e+08 rows" in refused(capsys, "run", "pendulum.toml", "--set", "output.every=1e-9")
    assert "up to 1e+60 (SI)" in refused(capsys, "check", "pendulum.toml", "--set", "bodies.rod.mass=1e61")


def _other(path: str, values: object) -> Damage:
    def damage(file: h5py.File) -> None:
        del file[path]
        file[path] = values

    return damage


def _promise(file: h5py.File) -> None:
    for name in ("time", "sensors/tip_height"):
        del file[name]
        file.create_dataset(name, (10**12,), "<f8", maxshape=(None,), chunks=(512,))
    file["checkpoint/rows"][0] = 10**12


def _packed(file: h5py.File) -> None:
    """A quarter of a gigabyte in a few bytes: a block of zeros, packed once, in the place of every block."""
    del file["sensors/tip_height"]
    zeros = zlib.compress(bytes(2**26), 9)
    series = file.create_dataset("sensors/tip_height", (2**25,), "<f8", chunks=(2**23,), compression="gzip")
    for start in range(0, 2**25, 2**23):
        series.id.write_direct_chunk((start,), zeros)


def _table(**changes: object) -> Damage:
    def damage(file: h5py.File) -> None:
        table = json.loads(file["model/channels"][()])
        table[-1] |= changes
        _other("model/channels", json.dumps(table).encode())(file)

    return damage


@pytest.mark.parametrize(
    "damage",
    [
        _other("sensors/tip_height", 1.0),
        _other("sensors/tip_height", np.zeros((301, 2))),
        _other("sensors/tip_height", np.array([b"text"] * 301)),
        _other("sensors/tip_height", h5py.ExternalLink("other.h5", "/time")),
        _other("sensors/tip_height", h5py.SoftLink("/sensors/tip_height")),
        lambda file: (file.__delitem__("sensors/tip_height"), file.create_group("sensors/tip_height")),
        _promise,
        _packed,
        _table(shape="abc"),
        _table(shape=[-1]),
        _table(path=3),
        _table(path="time"),
        _table(unit=None),
        _table(columns=[1]),
        _table(shape=[10**9]),
        _table(unit="\ud800"),
        _other("model/channels", b"3"),
        _other("model/channels", b"[" * 100_000),
        _other("model/settings", b'{"sensors": {"tip_height": 3}}'),
        lambda file: file.attrs.__setitem__("format", np.zeros(3)),
        lambda file: file.attrs.__setitem__("format_version", b"\xff"),
        lambda file: file["model"].attrs.__setitem__("body_files", '{"rod": 1}'),
        lambda file: file["model"].attrs.__setitem__("name", b"\xff\xfe"),
    ],
)
def test_results_that_cannot_be_true(folder: Path, capsys: Capture, damage: Damage) -> None:
    write_result(folder / "out.h5")
    with h5py.File("out.h5", "r+") as file:
        damage(file)
    for format in ("--csv", "--mat"):
        message = refused(capsys, "export", "out.h5", format)
        assert "out.h5" in message and ("damaged" in message or "not a result" in message)
    assert sorted(os.listdir()) == ["out.h5", "pendulum.toml"]


@pytest.mark.parametrize("times", [np.inf, np.nan, -1.0])
def test_times_that_do_not_run_forwards(folder: Path, capsys: Capture, times: float) -> None:
    write_result(folder / "out.h5")
    with h5py.File("out.h5", "r+") as file:
        file["time"][-1] = times
    for verb in ("report", "plot"):
        assert "'out.h5' is damaged: its times do not increase." in refused(capsys, verb, "out.h5")


def test_formulas_stay_texts_in_a_table(folder: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    accept_forged_names(monkeypatch)
    write_result(folder / "out.h5")
    with h5py.File("out.h5", "r+") as file:
        table = json.loads(file["model/channels"][()])
        table[-1] |= {"path": "sensors/=1+1,x\ny", "unit": '"m"'}
        file.move("sensors/tip_height", "sensors/=1+1,x\ny")
        _other("model/channels", json.dumps(table).encode())(file)
    assert call(capsys, "export", "out.h5", "--csv", "out.csv")[0] == 0
    with open("out.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    assert '\'=1+1,x\ny ["m"]' in rows[0] and {len(row) for row in rows} == {len(rows[0])}


@pytest.mark.parametrize(
    "name",
    [
        "=1+1",
        "../../x",
        "/etc/passwd",
        "\x1b[31mred",
        "a\nb",
        "\u202egnp",
        "<b>",
        "$x$",
        "",
        " ",
        "a\u2028b",
        "a" + "\x00",
    ],
)
@pytest.mark.parametrize("key", ["path", "columns", "unit"])
def test_forged_names_of_channels(folder: Path, capsys: Capture, name: str, key: str) -> None:
    """Names of a model have letters, digits, _ and - only: others are forged, and no file is derived from them."""
    if key == "unit" and name in ("", " ", "/etc/passwd"):
        return
    write_result(folder / "out.h5")
    with h5py.File("out.h5", "r+") as file:
        table = json.loads(file["model/channels"][()])
        table[-1][key] = {"path": f"sensors/{name}", "columns": [name], "unit": name}[key]
        _other("model/channels", json.dumps(table).encode())(file)
    before = sorted(path.name for path in folder.iterdir())
    for words in (("export", "out.h5", "--csv", "out.csv"), ("plot", "out.h5"), ("report", "out.h5")):
        code, _, said = call(capsys, *words)
        assert code == 2 and "invalid" in said and said.count("\n") == 1 and "\x1b" not in said
    assert sorted(path.name for path in folder.iterdir()) == before


@pytest.mark.parametrize(
    "name", ["--><script>alert(1)</script>", "\"'`<img src=x onerror=alert(1)>", "]]>&<b>$\\frac{"]
)
def test_names_are_no_markup_in_pictures_and_pages(folder: Path, capsys: Capture, name: str) -> None:
    (folder / "m.toml").write_text(MODEL.replace('"pendulum"', json.dumps(name)).replace("end = 1", "end = 0.05"))
    assert call(capsys, "run", "m.toml", "--quiet")[0] == 0
    assert call(capsys, "plot", "m.h5", "-p", "sensors", "-o", "m.svg")[0] == 0
    assert call(capsys, "animate", "m.h5", "-o", "m.html", "--frames", "2")[0] == 0
    for page in ("m.svg", "m.html"):
        text = (folder / page).read_text(encoding="utf-8")
        assert "<script>alert" not in text and "<img src=x" not in text and "&<b>" not in text


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.msh", GMSH.replace("1 0 0 0", "nan 0 0 0"), "$Nodes has a number that is not whole"),
        ("a.msh", GMSH.replace("1 0 0 0", "1e300 0 0 0"), "$Nodes has a number that is not whole"),
        ("a.msh", GMSH.replace("1 4 2 0 1", "1 4 -7 0 1"), "inside $Elements"),
        ("a.msh", GMSH.replace("$Nodes\n4", "$Nodes\n1000000000000"), "inside $Nodes"),
        ("a.msh", "(1 an Ansys mesh)\n(10 (0 1 10 0))\n", "not a Gmsh mesh"),
        ("a.inp", NODES.replace("4, 0, 0, 1", "nan, 0, 0, 1"), "*NODE (line 1) has a number that is not whole"),
        ("a.inp", NODES + f"*NSET, NSET=a\n{'9' * 30}\n", "has a number that is too large"),
        ("a.inp", NODES + "*NSET, NSET=a, GENERATE\n1, 90000000\n", "creates too many numbers"),
        ("a.vtk", "# vtk DataFile Version 4.2\nx\nASCII\nDATASET UNSTRUCTURED_GRID\nNONSENSE 3\n", "Unknown section"),
        ("a.vtu", "<VTKFile", "it cannot be read"),
    ],
)
def test_meshes_that_make_no_sense(tmp_path: Path, name: str, text: str, said: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match="^") as caught:
        read_mesh(tmp_path / name)
    message = str(caught.value)
    assert said in message and "Error" not in message and "Warning" not in message


def test_files_that_include_each_other_many_times(tmp_path: Path) -> None:
    for ending, word in (("inp", "*INCLUDE, INPUT={}\n"), ("bdf", "INCLUDE '{}'\n")):
        for i in range(9):
            (tmp_path / f"{i}.{ending}").write_text(word.format(f"{i + 1}.{ending}") * 50)
        (tmp_path / f"9.{ending}").write_text("** nothing\n" if ending == "inp" else "$ nothing\n")
        with pytest.raises(InputError, match="more than 1000 files"):
            read_mesh(tmp_path / f"0.{ending}")


@pytest.mark.parametrize(
    "content",
    [
        b"\x93NUMPY\1\0\x76\0{'descr': '|O', 'fortran_order': False, 'shape': (1,), }".ljust(128) + b"\x80\4.",
        b"\x93NUMPY\1\0\x76\0{'descr': '<f8', 'fortran_order': False, 'shape': (".ljust(128),
        b"\x93NUMPY\1\0\x76\0{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000,), }".ljust(128),
        b"PK\3\4" + bytes(40),
        b"\x80\4\x95\x1d\0\0\0\0\0\0\0\x8c\5posix\x94\x8c\6system\x94\x93\x94\x8c\2id\x94\x85\x94R\x94.",
    ],
    ids=["pickled objects", "half a header", "a giant", "half an archive", "a pickle"],
)
def test_shapes_of_a_user_are_never_unpickled(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "v.npy").write_bytes(content)
    with pytest.raises(InputError, match="is not a NumPy file|is damaged"):
        read_vectors(tmp_path / "v.npy", 6)
    np.save(tmp_path / "v.npy", np.full(6, 1e200))
    with pytest.raises(InputError, match="Divide each shape by its largest entry"):
        read_vectors(tmp_path / "v.npy", 6)


def test_texts_that_never_end(folder: Path, capsys: Capture) -> None:
    """HDF5 itself reads such a file for ever."""
    write_result(folder / "out.h5")
    data = bytearray((folder / "out.h5").read_bytes())
    store = data.index(b"GCOL\1\0\0\0")
    data[store + 16 : store + 32] = bytes(16)
    (folder / "out.h5").write_bytes(data)
    for words in (
        ("export", "out.h5", "--channels"),
        ("animate", "out.h5"),
        ("plot", "out.h5"),
        ("body", "info", "out.h5"),
    ):
        assert "damaged" in refused(capsys, *words)


def test_a_damaged_head_is_not_waited_for(folder: Path, capsys: Capture) -> None:
    """HDF5 takes a file whose head is damaged for one that is being written, and waits for its writer."""
    assert check_sum(b"Four score and seven years ago") == 0x17770551  # published with the algorithm
    write_result(folder / "out.h5")
    data = bytearray((folder / "out.h5").read_bytes())
    for place in (523, 545):  # the state of the file, an address
        damaged = bytearray(data)
        damaged[place] ^= 5
        (folder / "out.h5").write_bytes(damaged)
        assert not is_left_open(folder / "out.h5")
        assert "damaged" in refused(capsys, "export", "out.h5", "--csv")


def test_matrix_market_bodies_are_read_with_care(tmp_path: Path) -> None:
    """SciPy's reader takes the whole process down with some of these."""
    head = "%%MatrixMarket matrix coordinate real symmetric\n% remark\n2 2 3\n"
    path = tmp_path / "K.mtx"
    path.write_text(head + "1 1 2.0\n2 1 -1.0\n2 2 2.0\n")
    assert read_entries(path, "stiffness").matrix(2).toarray().tolist() == [[2.0, -1.0], [-1.0, 2.0]]
    for kind, values in (("symmetric", "2 -1 3"), ("general", "2 -1 -1 3")):
        lines = "\n".join(values.split())
        path.write_text(f"%%MatrixMarket matrix array real {kind}\n2 2\n{lines}\n")
        assert read_entries(path, "stiffness").matrix(2).toarray().tolist() == [[2.0, -1.0], [-1.0, 3.0]]
    for body in (
        "1 1 2.0\n",
        "1 1 2\n0 1 1\n2 2 1\n",
        "1 1 2\n9 1 1\n2 2 1\n",
        "1 1 2\n2 1\0\n2 2 1\n",
        "nan 1 2\n" * 3,
    ):
        path.write_text(head + body)
        with pytest.raises(InputError, match="cannot be read as a matrix"):
            read_entries(path, "stiffness")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"0" * 10**7, "a line of more than 10000 characters"),
        (b"%%MatrixMarket matrix coordinate real general\n%" + b"0" * 10**7, "a line of more than 10000 characters"),
        (b"1 1 1\n" * 10**6, "unpacks to more than 100 times its size"),
        (b"%%MatrixMarket matrix coordinate real general\n9 9 9\n" + b"1 1 1\n" * 10**6, "unpacks to more than 100"),
    ],
)
def test_packed_matrices_that_never_end(tmp_path: Path, content: bytes, reason: str) -> None:
    path = tmp_path / "K.mtx.gz"
    path.write_bytes(gzip.compress(content))
    with pytest.raises(InputError, match=reason):
        read_entries(path, "stiffness")
