"""From the shell to a reduced body: words with units, all faults of a command at once, the body report.

The computation itself is tested elsewhere; here a beam in the clothes of a reduced body stands for it.
"""

from __future__ import annotations

import io
import json
import math
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import h5py
import numpy as np
import pytest
from command_line import call, write_result
from flexible_models import free_beam
from mechanisms import spec_of
from mesh_makers import box_mesh
from reduced_bodies import basis_of_body, reduced_beam

from flexmb.bodies.body_file import read_body, write_body
from flexmb.bodies.body_report import report_text
from flexmb.bodies.reduced_body import ReducedBody
from flexmb.cli.progress import StageLine, stage_text
from flexmb.cli.reduce_words import key_values, read_axis, read_damping, read_materials, read_section, read_ties
from flexmb.elements.material import MATERIALS, Material
from flexmb.errors import Fault, InputError
from flexmb.mesh.mesh import Mesh
from flexmb.mesh.select import select_nodes
from flexmb.reduction.request import (
    REST,
    ReductionRequest,
    TieRequest,
    material_faults,
    read_vectors,
    section_faults,
    with_rest,
)

Capture = pytest.CaptureFixture[str]
STEEL = MATERIALS["steel"]
GOOD = ("--material", "steel", "--interface", "bore_a", "--interface", "bore_b")
INP = """*NODE
1, 0, 0, 0
2, 0.1, 0, 0
3, 0.1, 0.1, 0
4, 0, 0.1, 0
5, 0, 0, 0.3
6, 0.1, 0, 0.3
7, 0.1, 0.1, 0.3
8, 0, 0.1, 0.3
*ELEMENT, TYPE=C3D8, ELSET=web
1, 1, 2, 3, 4, 5, 6, 7, 8
*NSET, NSET=bore_a
1, 2, 3, 4
*NSET, NSET=bore_b
5, 6, 7, 8
*NSET, NSET=corner
1
"""


@pytest.fixture(scope="module")
def body() -> ReducedBody:
    """A body with everything that a reduction reports."""
    made = reduced_beam(basis_of_body(spec_of(free_beam()), "beam"))
    matrix = [[2.0, 0.1, 0.0], [0.1, 3.0, 0.0], [0.0, 0.0, 4.0]]
    report = {
        "mass": {"mesh": 0.0666, "reduced": 0.0666},
        "centre": {"mesh": [0.15, 0.0, 0.0], "reduced": [0.15, 0.0, 0.0]},
        "inertia": {"mesh": matrix, "reduced": matrix},
        "rigid": {"count": 6, "largest_frequency": 1e-3},
        "effective_mass": [[0.0, 66.0, 0.0], [0.0, 0.0, 66.0]],
        "fixed_frequencies": [700.0, 700.5],
        "full_frequencies": [100.0, 250.0],
        "reduced_frequencies": [101.0, 250.0],
        "statics": [{"interface": "A", "force_error": 1e-9, "moment_error": 2e-9}],
        "condition": 1.2e3,
        "highest_frequency": 1e4,
        "second_order": {"largest": 12.5, "mass_points": 0},
        "sizes": {"nodes": 1234, "unknowns": 3702, "cells": 600, "factor_bytes": 5_000_000, "seconds": 1.5},
        "notes": ["Unit guessed: mm."],
        "verdict": {"level": "care", "reasons": ["free mode 1 is 1.0 % off: take more modes"]},
    }
    return replace(made, name="rod", report=report)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: ReducedBody) -> Path:
    """A folder with a mesh in it, and a reduction that takes no time; what it was asked for is in `asked`."""
    (tmp_path / "rod.inp").write_text(INP)
    monkeypatch.chdir(tmp_path)
    asked.clear()

    def reduced(mesh: Mesh, materials: Any, request: ReductionRequest, **others: Any) -> ReducedBody:
        asked.update(mesh=mesh, materials=materials, request=request, **others)
        return replace(body, provenance=dict(others["provenance"]))

    stand_in = SimpleNamespace(reduce_mesh=reduced, reduce_assembled=None)
    monkeypatch.setitem(sys.modules, "flexmb.bodies.reduce_mesh", stand_in)
    return tmp_path


asked: dict[str, Any] = {}


def refused(capsys: Capture, *words: str) -> str:
    """The message of a command that must be refused."""
    code, out, err = call(capsys, *words)
    assert (code, out) == (2, ""), err
    assert "Traceback" not in err and "internal error" not in err
    return err


def test_words_with_keys() -> None:
    assert key_values("circle radius=3 mm") == ("circle", {"radius": "3 mm"})
    assert key_values("E = 210 GPa, nu=0.3 density= 7850 kg/m^3") == (
        "",
        {"E": "210 GPa", "nu": "0.3", "density": "7850 kg/m^3"},
    )
    assert key_values("steel") == ("steel", {})


def test_materials() -> None:
    faults: list[Fault] = []
    found = read_materials(
        ["steel", "web=aluminium", "Part A=E=70 GPa nu=0.33 density=2.7 g/cm^3", "pin=E=1e9 G=4e8 density=900"], faults
    )
    assert not faults
    assert found[""] == STEEL and found["web"] == MATERIALS["aluminium"]
    # G = E/(2 (1 + nu)) and 1 g/cm^3 = 1000 kg/m^3, to round-off
    assert found["Part A"].E == 70e9 and found["Part A"].density == pytest.approx(2700.0, rel=1e-14)
    assert found["Part A"].G == pytest.approx(70e9 / 2.66, rel=1e-14)
    assert found["pin"].G == 4e8
    assert read_materials(["E=210e9 nu=0.3 density=7850"], faults)[""].E == 210e9


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("stel", "Did you mean 'steel'"),
        ("web=stel", "Did you mean 'steel'"),
        ("kryptonite", "Materials: steel, "),
        ("", "a material is needed"),
        ("web=", "a material is needed"),
        ("E=210e9 nu=0.3", "'density' is missing"),
        ("E=210e9 density=7850", "'nu' is missing"),
        ("E=210e9 nu=0.3 rho=7850", "called 'density' here"),
        ("E=210e9 nu=0.3 densty=7850", "'densty' is not a key of a material. Did you mean 'density'?"),
        ("E=210 mm nu=0.3 density=7850", "is a length, but a stress is needed"),
        ("E=210 GPs nu=0.3 density=7850", "unknown unit 'GPs'. Did you mean 'GPa'?"),
        ("E=-1 nu=0.3 density=7850", "E"),
        ("E=nan nu=0.3 density=7850", "nan"),
        ("E=1e999 nu=0.3 density=7850", "too large"),
        ("E=210e9 nu=0.7 density=7850", "nu"),
        ("steel E=210e9 nu=0.3 density=7850", "stands before"),
    ],
)
def test_wrong_materials(word: str, message: str) -> None:
    faults: list[Fault] = []
    assert read_materials([word], faults) == {}
    assert message in "\n".join(map(str, faults))


def test_a_material_given_twice() -> None:
    faults: list[Fault] = []
    read_materials(["steel", "aluminium"], faults)
    assert "twice" in str(faults[0])


def test_sections_and_damping_and_axes() -> None:
    faults: list[Fault] = []
    assert read_section("circle radius=3 mm", faults).A == pytest.approx(math.pi * 9e-6, rel=1e-14)
    assert read_section("rectangle y=1 cm, z=2 cm", faults).A == pytest.approx(2e-4, rel=1e-14)
    assert read_damping("0.01", faults) == {"ratio": 0.01}
    assert read_damping("1 %", faults) == {"ratio": 0.01}
    assert read_damping("adams", faults) == "adams"
    assert read_damping("mass=5 stiffness=1e-6", faults) == {"mass": 5.0, "stiffness": 1e-6}
    assert read_axis("--y-axis", "-z", faults) == (0.0, 0.0, -1.0)
    assert read_axis("--y-axis", "0, 1,1", faults) == (0.0, 1.0, 1.0)
    assert not faults
    for read, word, message in (
        (read_section, "circel radius=3 mm", "Did you mean 'circle'"),
        (read_section, "circle radios=3 mm", "Did you mean 'radius'"),
        (read_section, "radius=3 mm", "kind of cross-section is missing"),
        (read_section, "circle", "'radius' or 'diameter'"),
        (read_damping, "-0.1", "not be less than zero"),
        (read_damping, "low", "unknown name 'low'"),
        (read_damping, "ratio=0.1 oops=3", "'oops' is not a key of a damping"),
    ):
        assert read(word, faults) in (None, {"ratio": -0.1})
        assert message in str(faults.pop())
    for word in ("0,0,0", "q", "1,2", "nan,0,1"):
        assert read_axis("--y-axis", word, faults) is None
        assert "a direction is needed" in str(faults.pop())


def test_interfaces() -> None:
    faults: list[Fault] = []
    words = ["bore_a", "b=bore_b:rbe3", "c=plane(x=0.3):RBE3", "d = box(0,0,0, 1,1,1) + bore_a", "odd:name=1"]
    assert read_ties("--interface", words, "rbe2", {"odd:name=1"}, faults) == (
        TieRequest("bore_a", "bore_a"),
        TieRequest("b", "bore_b", "rbe3"),
        TieRequest("c", "plane(x=0.3)", "rbe3"),
        TieRequest("d", "box(0,0,0, 1,1,1) + bore_a"),
        TieRequest("odd:name=1", "odd:name=1"),
    )
    assert not faults
    for word, message in (
        ("plane(x=0.3)", "a selection needs a name. Write --interface 'NAME=plane(x=0.3)'."),
        ("=bore_a", "a name and a selection"),
        ("a=", "a name and a selection"),
        ("a=bore_a:rbe4", "'rbe4' is no tie. Did you mean"),
    ):
        read_ties("--interface", [word], "rbe2", (), faults)
        assert message in str(faults.pop())


def test_request_tells_all_faults_at_once() -> None:
    request = ReductionRequest(
        interfaces=(
            TieRequest("a b", "x"),
            TieRequest("p", "x"),
            TieRequest("p", "y", "glue"),
            TieRequest("origin", "z"),
        ),
        method="craig",
        modes=-1,
        below=0.0,
        keep_below=math.nan,
        frame="clamped q",
        field="cubic",
        order=3,
        hex8="reduced",
        damping={"ratio": -1.0},
    )
    text = "\n".join(map(str, request.faults()))
    for message in (
        "Did you mean 'craig-bampton'",
        "modes: a whole number from 0",
        "below: a frequency above zero",
        "keep_below: a frequency above zero",
        "'a b' cannot be used as a name",
        "the name 'p' is given twice",
        "the name 'origin' is taken",
        "'glue' is not one of the choices",
        "there is no interface 'q'",
        "'cubic' is not one of the choices",
        "'3' is not one of the choices",
        "'reduced' is not one of the choices",
        "ratio must be a number of at least zero",
    ):
        assert message in text
    assert not ReductionRequest((TieRequest("a", "a"), TieRequest("b", "b")), frame="chord", order=2).faults()
    assert "a chord runs" in str(ReductionRequest((TieRequest("a", "a"),), frame="chord").faults()[0])
    assert "linear field has no order" in str(ReductionRequest(field="linear", order=1).faults()[0])


def test_faults_that_only_the_mesh_tells() -> None:
    mesh = box_mesh("hex8")
    request = ReductionRequest((TieRequest("a", "xmni"), TieRequest("b", "plane(x=7)")), (TieRequest("m", "nowhere"),))
    places = [fault.path for fault in request.mesh_faults(mesh, select_nodes)]
    assert places == [("interfaces", "a"), ("interfaces", "b"), ("markers", "m")]
    assert "xmin" in str(request.mesh_faults(mesh, select_nodes)[0])
    assert "sets of this mesh: xmin" in str(ReductionRequest().mesh_faults(mesh, select_nodes)[0])
    assert not ReductionRequest(method="free").mesh_faults(mesh, select_nodes)


def test_materials_cover_the_mesh() -> None:
    mesh = box_mesh("hex8")
    left, right = np.arange(0, 3), np.arange(2, 8)
    none = np.zeros(0, dtype=np.int64)
    mesh = replace(mesh, cell_sets={"left": (left,), "right": (right,), "none": (none,)})
    assert "Did you mean 'left'" in str(material_faults(mesh, {"lfet": STEEL})[0])
    assert "set of nodes" in str(material_faults(mesh, {"xmin": STEEL})[0])
    assert "is empty" in str(material_faults(mesh, {"none": STEEL})[0])
    assert "5 cells have no material" in str(material_faults(mesh, {"left": STEEL})[0])
    assert "1 cells have two materials" in str(material_faults(mesh, {"left": STEEL, "right": STEEL})[0])
    assert not material_faults(mesh, {"": STEEL, "left": STEEL})
    other = Material.isotropic(70e9, 0.3, 2700.0)
    assert with_rest(mesh, {"": STEEL}) == (mesh, STEEL)
    extended, materials = with_rest(mesh, {"": STEEL, "left": other})
    assert materials == {"left": other, REST: STEEL} and isinstance(materials, dict)
    # every cell is in exactly one of the two sets
    numbers = np.concatenate([extended.cell_sets[name][0] for name in materials])
    assert sorted(numbers) == list(range(8))
    assert "no line cells" in str(section_faults(mesh, "circle radius=1")[0])


def test_vectors_of_the_user(tmp_path: Path) -> None:
    V = np.arange(24.0).reshape(12, 2)
    np.save(tmp_path / "flat.npy", V)
    np.save(tmp_path / "nodal.npy", V.reshape(4, 3, 2))
    np.savez(tmp_path / "one.npz", V=V)
    for name in ("flat.npy", "nodal.npy", "one.npz"):
        assert np.array_equal(read_vectors(tmp_path / name, 12), V)
    np.save(tmp_path / "one.npy", V[:, 0])
    assert read_vectors(tmp_path / "one.npy", 12).shape == (12, 1)
    np.save(tmp_path / "text.npy", np.array(["a"]))
    np.save(tmp_path / "object.npy", np.array([{}]), allow_pickle=True)
    np.save(tmp_path / "nan.npy", np.full((12, 1), np.nan))
    np.savez(tmp_path / "two.npz", V=V, W=V)
    (tmp_path / "noise.npy").write_bytes(b"\x93NUMPY\x01\x00")
    (tmp_path / "empty.npz").write_bytes(b"")
    for name, message in (
        ("no.npy", "there is no file"),
        ("text.npy", "no real numbers"),
        ("object.npy", "not a NumPy file"),
        ("noise.npy", "not a NumPy file"),
        ("empty.npz", "not a NumPy file"),
        ("nan.npy", "not finite"),
        ("two.npz", "2 arrays (V, W)"),
    ):
        with pytest.raises(InputError) as caught:
            read_vectors(tmp_path / name, 12)
        assert message in str(caught.value)
    with pytest.raises(InputError, match=r"has the shape \(12, 2\), but the model has 5 nodes"):
        read_vectors(tmp_path / "flat.npy", 15)


def test_report_says_what_matters(body: ReducedBody) -> None:
    text = report_text(body)
    joined = " ".join(text.split())
    first, second = text.splitlines()[:2]
    assert first == "rod: trust it with care"
    assert "because" in second and "take more modes" in second
    for part in (
        "1234 nodes, 600 cells, 3702 unknowns",
        "inertia xy [kg m^2]",
        "6 found, the largest frequency of them 0.001 Hz (1.0e-05 of the first elastic one)",
        "2 700.5 0.00 0.00 66.00",
        "all together 0.00 66.00 66.00",
        "about 1e-05 s follows the highest frequency, 10000 Hz",
        "Unit guessed: mm.",
        "note",
    ):
        assert part in joined
    # one free frequency is 1 % too high, the other exact
    rows = [
        line.split()[-1] for line in text.splitlines() if line.split()[:1] in (["1"], ["2"]) and "too high" not in line
    ][-2:]
    assert rows == ["1", "0"]
    assert max(map(len, text.splitlines())) <= 110
    for level, words in (("good", "rod: trust it"), ("bad", "rod: do not trust it"), ("odd", "rod: not judged")):
        report = {**body.report, "verdict": {"level": level, "reasons": []}}
        assert report_text(replace(body, report=report)).splitlines()[0] == words


@pytest.mark.parametrize(
    "wrong", [None, [], "x", -1, math.nan, math.inf, 10**400, {"mesh": {}, "level": []}, [{}], [[None]]]
)
def test_report_of_untrusted_numbers(body: ReducedBody, wrong: Any) -> None:
    """Whatever stands in a body file, its report is text."""
    for key in body.report:
        assert report_text(replace(body, report={**body.report, key: wrong})).startswith("rod: ")
    assert report_text(replace(body, report={}, name="")).startswith("unnamed body: not judged")
    assert "\x1b" not in report_text(replace(body, name="a\x1b[31m"))


def test_body_info(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture, body: ReducedBody) -> None:
    monkeypatch.chdir(tmp_path)
    write_body(body, "rod.h5")
    assert call(capsys, "body", "info", "rod.h5") == (0, report_text(read_body("rod.h5")) + "\n", "")
    write_result(tmp_path / "out.h5")
    (tmp_path / "text.h5").write_text("no")
    with h5py.File(tmp_path / "odd.h5", "w") as file:
        file.attrs["format"] = "flexmb body"
    for name, message in (
        ("no.h5", "There is no body file"),
        (".", "folder"),
        ("out.h5", "result of a run"),
        ("text.h5", "not in HDF5 format"),
        ("odd.h5", "damaged"),
    ):
        assert message in refused(capsys, "body", "info", name)
    assert "info" in refused(capsys, "body", "inof", "rod.h5")
    assert call(capsys, "body", "--help")[0] == 0


def test_reduce_writes_a_body_and_its_report(folder: Path, capsys: Capture) -> None:
    code, out, err = call(capsys, "reduce", "rod.inp", *GOOD, "-o", "body.h5", "--unit", "m")
    assert (code, err) == (0, "")
    written = read_body("body.h5")
    assert out == report_text(written) + "\n\nbody.h5\n"
    assert "E = 210 GPa, nu = 0.3, density 7850 kg/m^3" in written.provenance["material"]
    assert len(written.provenance["sha256 of the mesh"]) == 64
    assert json.dumps(written.report)
    assert asked["request"] == ReductionRequest((TieRequest("bore_a", "bore_a"), TieRequest("bore_b", "bore_b")))
    assert asked["name"] == "rod" and asked["mesh"].n_points == 8
    # once more over the body that is there, quietly, by the default name
    assert call(capsys, "reduce", "rod.inp", *GOOD, "--quiet") == (0, "", "")
    assert call(capsys, "reduce", "rod.inp", *GOOD, "--quiet") == (0, "", "")
    assert (folder / "rod.h5").exists()


def test_every_option_arrives(folder: Path, capsys: Capture) -> None:
    words = ["--material", "web=steel", "--interface", "bore_a", "--interface", "b=plane(z=300 mm):rbe3"]
    words += ["--marker", "tip=corner", "--method", "free", "--modes", "7", "--below", "5 kHz", "--attachment"]
    words += ["--vectors", "v.npy", "--frame", "clamped:b", "--field", "quadratic", "--order", "2", "--lumped"]
    words += ["--hex8", "full", "--damping", "1 %", "--stress", "--no-compare", "--unit", "m", "--keep-below", "9000"]
    (folder / "v.npy").touch()
    code, _, err = call(capsys, "reduce", "rod.inp", *words, "--quiet")
    assert (code, err) == (0, "")
    assert asked["materials"] == {"web": STEEL}
    request = asked["request"]
    assert request.below == pytest.approx(5000.0, rel=1e-14)  # kHz pass through rad/s
    assert replace(request, below=5000.0) == ReductionRequest(
        interfaces=(TieRequest("bore_a", "bore_a"), TieRequest("b", "plane(z=300 mm)", "rbe3")),
        markers=(TieRequest("tip", "corner", "follower"),),
        method="free",
        modes=7,
        below=5000.0,
        keep_below=9000.0,
        attachment=True,
        vectors=Path("v.npy"),
        frame="clamped b",
        order=2,
        damping={"ratio": 0.01},
        lumped=True,
        hex8="full",
        stress=True,
        compare=False,
    )


@pytest.mark.parametrize(
    ("words", "messages"),
    [
        (["no.inp", *GOOD], ["flexmb: no.inp: "]),
        ([".", *GOOD], ["not a file"]),
        (["rod.inp"], ["no material is given", "no interface is given", "sets of this mesh: "]),
        (["rod.inp", *GOOD[2:]], ["no material is given. Give --material steel"]),
        (
            ["rod.inp", "--material", "stel", "--interface", "bore_c"],
            ["Did you mean 'steel'", "bore_c", "Did you mean"],
        ),
        (
            ["no.inp", "--material", "stel", "--modes", "many"],
            ["no.inp", "Did you mean 'steel'", "--modes many: a whole"],
        ),
        (["rod.inp", *GOOD, "--material", "wbe=steel"], ["--material wbe", "Did you mean 'web'"]),
        (["rod.inp", *GOOD, "--tie", "rbe1"], ["--tie rbe1", "Did you mean 'rbe"]),
        (["rod.inp", *GOOD, "--method", "craigbampton"], ["--method: 'craigbampton'", "Did you mean 'craig-bampton'"]),
        (["rod.inp", *GOOD, "--below", "5 mm"], ["--below 5 mm", "is a length, but a frequency is needed"]),
        (["rod.inp", *GOOD, "--below", "nan"], ["--below nan"]),
        (["rod.inp", *GOOD, "--frame", "clamped:bore_c"], ["--frame: there is no interface 'bore_c'"]),
        (["rod.inp", *GOOD, "--frame", "clamped"], ["clamped at which interface"]),
        (
            ["rod.inp", "--material", "steel", "--interface", "bore", "--unit", "mmm", "--vectors", "v.npy"],
            [
                "--unit: 'mmm' is not a unit",
                "Did you mean 'mm'",
                "--interface bore: no set",
                "--vectors: there is no file",
            ],
        ),
        (["rod.inp", *GOOD, "--section", "circle radius=1"], ["--section", "no line cells"]),
        (["rod.inp", *GOOD, "--mass", "M.npz"], ["--mass: it belongs to a stiffness matrix", "--stiffness"]),
        (["rod.inp", *GOOD, "--stiffness", "K.npz"], ["--material: matrices computed elsewhere hold it already"]),
        (["rod.inp", *GOOD, "-o", "nowhere/x.h5"], ["--output: there is no folder 'nowhere'"]),
        (["rod.inp", *GOOD, "-o", "."], ["--output: '.' is a folder"]),
        (["rod.inp", *GOOD, "-o", "rod.inp"], ["not overwritten"]),
        (["rod.inp", *GOOD, "--interface", "box(0,0,0,1,1,1)"], ["a selection needs a name"]),
        (["rod.inp", *GOOD, "--interface", "b=box(5,5,5,6,6,6)"], ["--interface b=box(5,5,5,6,6,6): no node lies at"]),
        (["rod.inp", *GOOD, "--interface", "bore_a"], ["the name 'bore_a' is given twice"]),
    ],
)
def test_wrong_commands(folder: Path, capsys: Capture, words: list[str], messages: list[str]) -> None:
    text = refused(capsys, "reduce", *words)
    for message in messages:
        assert message in text
    assert not asked and not (folder / "rod.h5").exists()


def test_a_result_is_not_overwritten(folder: Path, capsys: Capture) -> None:
    write_result(folder / "rod.h5")
    assert "exists and is not a body file" in refused(capsys, "reduce", "rod.inp", *GOOD)


def test_stages_on_the_terminal() -> None:
    assert stage_text("assembling", 0.3, 12.0) == "assembling   30%  12 s"
    assert stage_text("factorising", math.nan, 65.0) == "factorising  1:05"
    stream = io.StringIO()
    line = StageLine(stream)
    line("assembling", 0.0)
    line("assembling", 0.01)  # too soon to be shown
    line("factorising", math.nan)
    line.clear()
    shown = [text.strip() for text in stream.getvalue().split("\r") if text.strip()]
    assert [text.split()[0] for text in shown] == ["assembling", "factorising"]
    assert stream.getvalue().endswith("\r")
