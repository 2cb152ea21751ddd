"""From the shell to a reduced body: all faults of a command at once, the body report, the body file.

The computation itself is tested elsewhere; here a beam in the clothes of a reduced body stands for it.

Covers: bodies.body_report, cli.body, cli.mass_arguments, cli.reduce_arguments.
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

from flexmb.bodies.body_file import read_body, write_body
from flexmb.bodies.body_report import report_text
from flexmb.bodies.reduced_body import ReducedBody
from flexmb.cli.progress import StageLine, stage_text, time_left
from flexmb.elements.cell_properties import cell_properties
from flexmb.elements.material import MATERIALS, Material
from flexmb.mesh.mesh import Mesh
from flexmb.reduction.attachments import HoldRequest, MassRequest
from flexmb.reduction.request import ReductionRequest, TieRequest
from flexmb.verification.solid_meshes import box_mesh
from tests.support.command_line import call, write_result
from tests.support.flexible_models import free_beam
from tests.support.mechanisms import spec_of
from tests.support.reduced_bodies import basis_of_body, reduced_beam

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
        "verdict": {"level": "care", "reasons": ["free mode 1 is 1.0 % off: use more modes"]},
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


def test_report_says_what_matters(body: ReducedBody) -> None:
    text = report_text(body)
    joined = " ".join(text.split())
    first, second = text.splitlines()[:2]
    assert first == "rod: trust it with care"
    assert "because" in second and "use more modes" in second
    for part in (
        "1234 nodes, 600 cells, 3702 unknowns",
        "inertia xy [kg m^2]",
        "6 found, highest frequency 0.001 Hz (1.0e-05 of the first elastic frequency)",
        "2 700.5 0.00 0.00 66.00",
        "sum 0.00 66.00 66.00",
        "about 1e-05 s resolves the highest frequency, 10000 Hz",
        "Unit guessed: mm.",
        "note",
    ):
        assert part in joined
    # one free frequency is 1 % too high, the other exact
    rows = [
        line.split()[-1] for line in text.splitlines() if line.split()[:1] in (["1"], ["2"]) and "error" not in line
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
    assert "'rod.h5' is a body file" in refused(capsys, "export", "rod.h5", "--csv")
    assert "has no frequency response to plot. Reduce its mesh with --band" in refused(capsys, "plot", "rod.h5")
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


def test_materials_of_the_deck_are_used_where_none_is_given(folder: Path, capsys: Capture) -> None:
    deck = "*SOLID SECTION, ELSET=web, MATERIAL=soft\n*MATERIAL, NAME=soft\n*ELASTIC\n7.E10, 0.25\n*DENSITY\n2700.\n"
    (folder / "deck.inp").write_text(INP + deck)
    words = ["--interface", "bore_a", "--interface", "bore_b", "--unit", "m"]
    assert call(capsys, "reduce", "deck.inp", *words, "--quiet") == (0, "", "")
    assert asked["materials"] is None
    found = cell_properties(asked["mesh"])
    assert found.materials == [Material(7e10, 2.8e10, 2700.0, "soft")]
    assert "Materials of the file are used: soft, E = 70 GPa" in found.notes[0]
    call(capsys, "reduce", "deck.inp", *words, "--quiet", "--material", "steel")
    assert asked["materials"] == STEEL, "what is given goes first"
    (folder / "deck.inp").write_text(INP + deck.replace("*DENSITY\n2700.\n", ""))
    message = refused(capsys, "reduce", "deck.inp", *words)
    assert "the material 'soft' of the file cannot be used: density" in message and "--material web=" in message


@pytest.mark.parametrize(
    ("word", "band"),
    [
        ("0:2 kHz", (0.0, 2000.0)),
        ("2 kHz", (0.0, 2000.0)),
        ("0.5:2 kHz", (500.0, 2000.0)),
        ("500 Hz:2 kHz", (500.0, 2000.0)),
        ("0:2000", (0.0, 2000.0)),
        ("0:628 rad/s", (0.0, 314.0 / np.pi)),
    ],
)
def test_a_band_arrives(folder: Path, capsys: Capture, word: str, band: tuple[float, float]) -> None:
    assert call(capsys, "reduce", "rod.inp", *GOOD, "--band", word, "--error", "0.1 %", "--quiet") == (0, "", "")
    assert asked["request"].band == pytest.approx(band, rel=1e-14)  # kHz pass through rad/s
    assert asked["request"].error == pytest.approx(1e-3)


def test_faults_of_a_band(folder: Path, capsys: Capture) -> None:
    """All at once, with the options that they belong to."""
    out = refused(
        capsys, "reduce", "rod.inp", *GOOD, "--band", "2:1 kHz", "--error", "2", "--modes", "7", "--attachment"
    )
    for text in (
        "--band: expected two rising frequencies",
        "--error: expected an error from 1e-12",
        "--attachment: a band",
    ):
        assert text in out
    assert "--modes: a band chooses the shapes itself" in out
    assert "--error: an error needs a band" in refused(capsys, "reduce", "rod.inp", *GOOD, "--error", "0.01")
    assert "--band 0:2 kg" in refused(capsys, "reduce", "rod.inp", *GOOD, "--band", "0:2 kg")


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
            ["no.inp", "Did you mean 'steel'", "--modes many: expected a whole"],
        ),
        (["rod.inp", *GOOD, "--material", "wbe=steel"], ["--material wbe", "Did you mean 'web'"]),
        (["rod.inp", *GOOD, "--tie", "rbe1"], ["--tie rbe1", "Did you mean 'rbe"]),
        (["rod.inp", *GOOD, "--method", "craigbampton"], ["--method: 'craigbampton'", "Did you mean 'craig-bampton'"]),
        (["rod.inp", *GOOD, "--below", "5 mm"], ["--below 5 mm", "is a length, but a frequency is needed"]),
        (["rod.inp", *GOOD, "--below", "nan"], ["--below nan"]),
        (["rod.inp", *GOOD, "--frame", "clamped:bore_c"], ["--frame: there is no interface 'bore_c'"]),
        (["rod.inp", *GOOD, "--frame", "clamped"], ["the clamped frame needs the name of an interface"]),
        (
            ["rod.inp", "--material", "steel", "--interface", "bore", "--unit", "mmm", "--vectors", "v.npy"],
            [
                "--unit: 'mmm' is not a unit",
                "Did you mean 'mm'",
                "--interface bore: there is no set",
                "--vectors: there is no file",
            ],
        ),
        (["rod.inp", *GOOD, "--section", "circle radius=1"], ["--section", "no line cells"]),
        (["rod.inp", *GOOD, "--y-axis", "z"], ["--y-axis: this option orients a cross-section, and none is given"]),
        (["rod.inp", *GOOD, "--mass", "M.npz"], ["--mass M.npz: expected a marker with its mass", "--stiffness"]),
        (["rod.inp", *GOOD, "--stiffness", "K.npz"], ["--material: matrices computed elsewhere already contain this"]),
        (["rod.inp", *GOOD, "-o", "nowhere/x.h5"], ["--output: Cannot write 'nowhere/x.h5': there is no folder"]),
        (["rod.inp", *GOOD, "-o", "."], ["--output: Cannot write '.': it is a folder"]),
        (["rod.inp", *GOOD, "-o", "rod.inp"], ["not overwritten"]),
        (["rod.inp", *GOOD, "--interface", "box(0,0,0,1,1,1)"], ["a selection needs a name"]),
        (
            ["rod.inp", *GOOD, "--interface", "b=box(5,5,5,6,6,6)"],
            ["--interface b=box(5,5,5,6,6,6): ", "selects no node"],
        ),
        (["rod.inp", *GOOD, "--interface", "bore_a"], ["the name 'bore_a' is given twice"]),
    ],
)
def test_wrong_commands(folder: Path, capsys: Capture, words: list[str], messages: list[str]) -> None:
    text = refused(capsys, "reduce", *words)
    for message in messages:
        assert message in text
    assert not asked and not (folder / "rod.h5").exists()


def test_an_interface_in_wrong_words_is_not_missing(folder: Path, capsys: Capture) -> None:
    for word in ("nearest(0,0,0,5)", "=bore_a"):
        text = refused(capsys, "reduce", "rod.inp", "--material", "steel", "--interface", word)
        assert f"--interface {word}: " in text and text.count("\n") == 1


def test_a_result_is_not_overwritten(folder: Path, capsys: Capture) -> None:
    write_result(folder / "rod.h5")
    assert "exists and is not a body file" in refused(capsys, "reduce", "rod.inp", *GOOD)


def test_stages_on_the_terminal() -> None:
    assert stage_text("assembling", 0.3, 12.0) == "assembling   30%  12 s"
    assert stage_text("factorising", math.nan, 65.0) == "factorising  1:05"
    assert stage_text("modes: 3 of 9", 0.25, 30.0, 65.0) == "modes: 3 of 9   25%  30 s, 1:05 left in this stage"
    # a quarter in 10 s, from 30 % on: the 45 % that are left take 18 s
    assert time_left(0.55, (100.0, 0.3), 110.0) == pytest.approx(18.0)
    assert all(math.isnan(time_left(fraction, (100.0, 0.3), 110.0)) for fraction in (0.3, math.nan))
    stream = io.StringIO()
    line = StageLine(stream)
    line("assembling", 0.0)
    line("assembling", 0.01)  # too soon to be shown
    line("factorising", math.nan)
    line.clear()
    shown = [text.strip() for text in stream.getvalue().split("\r") if text.strip()]
    assert [text.split()[0] for text in shown] == ["assembling", "factorising"]
    assert stream.getvalue().endswith("\r")


def test_the_same_body_by_elements_and_by_their_matrices(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    """Nothing stands in here: assembly, interfaces, modes, report, file. Both roads hold the same K and M."""
    from scipy.sparse import save_npz

    from flexmb.elements.solid.assemble import assemble

    monkeypatch.chdir(tmp_path)
    mesh = box_mesh("hex8", (6, 2, 2), (0.3, 0.02, 0.03))
    write_inp(mesh, tmp_path / "bar.inp")
    model = assemble(mesh, STEEL)
    save_npz(tmp_path / "K.npz", model.K.tocsr())
    save_npz(tmp_path / "M.npz", model.M)
    ties = ["--interface", "xmin", "--interface", "xmax:rbe3", "--unit", "m", "--modes", "4", "--field", "linear"]
    assert call(capsys, "reduce", "bar.inp", "--material", "steel", *ties, "-o", "a.h5")[0] == 0
    code, out, err = call(capsys, "reduce", "bar.inp", "--stiffness", "K.npz", "--mass", "M.npz", *ties, "-o", "b.h5")
    assert (code, err) == (0, "") and out.startswith("bar: trust it")
    a, b = read_body("a.h5"), read_body("b.h5")
    # frequencies are found to some 1e-10 by the eigenvalue solver; the text of the mesh keeps 17 digits
    found = [[coordinate.frequency for coordinate in body.coordinates] for body in (a, b)]
    assert found[0] == pytest.approx(found[1], rel=1e-8)
    assert b.report["mass"]["reduced"] == pytest.approx(7850.0 * 0.3 * 0.02 * 0.03, rel=1e-12)
    assert [marker.kind for marker in b.markers] == ["rbe2", "rbe3"]


def test_losses_are_in_the_first_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    """A deck with a point mass, a tie, supports and reduced integration, and no unit."""
    monkeypatch.chdir(tmp_path)
    write_inp(box_mesh("hex8", (6, 2, 2), (300.0, 20.0, 30.0)), tmp_path / "bar.inp")
    deck = (tmp_path / "bar.inp").read_text().replace("C3D8,", "C3D8R,")
    deck += "*NODE\n900, 0, 0, 0\n*ELEMENT, TYPE=MASS, ELSET=m\n901, 900\n*MASS, ELSET=m\n0.002\n*TIE, NAME=t\na, b\n"
    (tmp_path / "bar.inp").write_text(deck + "*BOUNDARY\nxmin, 1, 3\n")
    asked = ["--material", "steel", "--interface", "xmin", "--interface", "xmax", "--modes", "4", "--field", "linear"]
    code, out, err = call(capsys, "reduce", "bar.inp", *asked, "-o", "a.h5")
    assert (code, err) == (0, "")
    first, *rest = out.splitlines()
    assert (
        first == "bar: do not trust it" and "because" in rest[0] and "1 masses of 2 kg (node 900) left out" in rest[0]
    )
    top = " ".join(" ".join(rest[: rest.index("")]).split())
    for words in (
        "the unit of length was guessed: in mm",
        "cannot be used: *TIE (line 204)",
        "24 C3D8R have reduced integration",
    ):
        assert words in top
    assert "1 *BOUNDARY left out" in " ".join(out.split()) and "*BOUNDARY" not in top
    code, out, _ = call(capsys, "mesh", "info", "bar.inp", "--unit", "mm")
    assert (
        out.splitlines()[0].startswith("bar: usable with care")
        and "LEFT OUT        cannot be used: *TIE" in out.splitlines()[2]
    )


def write_inp(mesh: Mesh, path: Path) -> None:
    """The hex8 mesh and its node sets as an Abaqus file."""
    lines = ["*NODE", *(f"{i + 1}, {x!r}, {y!r}, {z!r}" for i, (x, y, z) in enumerate(mesh.points.tolist()))]
    lines += ["*ELEMENT, TYPE=C3D8, ELSET=bar"]
    lines += [", ".join(map(str, [i + 1, *(nodes + 1)])) for i, nodes in enumerate(mesh.cells[0].nodes)]
    for name, nodes in mesh.node_sets.items():
        lines += [f"*NSET, NSET={name}", *(str(node + 1) for node in nodes)]
    path.write_text("\n".join(lines) + "\n")


def test_folded_cells_are_rejected_with_the_option_that_mends_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.chdir(tmp_path)
    mesh = box_mesh("tet10", (4, 1, 1), (300.0, 20.0, 30.0))
    a, b, middle = mesh.cells[0].nodes[0, [0, 1, 4]]
    points = mesh.points.copy()
    points[middle] += 2.0 * (points[b] - points[a])
    deck = tmp_path / "bar.inp"

    def write(one: Mesh) -> None:
        write_inp(one, deck)
        deck.write_text(deck.read_text().replace("C3D8,", "C3D10,"))

    write(replace(mesh, points=points))
    asked = ["--material", "steel", "--interface", "xmin", "--modes", "2", "--field", "linear", "--unit", "mm"]
    message = refused(capsys, "reduce", "bar.inp", *asked, "-o", "a.h5")
    assert "are folded" in message and "--straighten" in message and "straighten = true" in message
    code, out, err = call(capsys, "reduce", "bar.inp", *asked, "--straighten", "-o", "a.h5")
    assert (code, err) == (0, "")
    assert "were folded and got straight edges: 1 nodes moved, by at most" in " ".join(out.split())
    write(mesh)
    call(capsys, "reduce", "bar.inp", *asked, "-o", "b.h5")
    found = [[coordinate.frequency for coordinate in read_body(Path(name)).coordinates] for name in ("a.h5", "b.h5")]
    assert found[0] == pytest.approx(found[1], rel=1e-6)


def test_masses_and_held_sets(folder: Path, capsys: Capture) -> None:
    words = ["--mass", "bore_a=2 kg, 1 g*m^2, 2 g*m^2, 0.003 offset=0, 0, 5 mm", "--mass", "bore_b=0.5"]
    words += ["--hold", "bore_a:xRz", "--hold", "bore_b", "--quiet"]
    assert call(capsys, "reduce", "rod.inp", *GOOD, *words)[0] == 0
    first, second = asked["request"].masses
    assert first == MassRequest("bore_a", 2.0, pytest.approx((0.001, 0.002, 0.003)), (0.0, 0.0, pytest.approx(0.005)))
    assert second == MassRequest("bore_b", 0.5)
    assert asked["request"].hold == (HoldRequest("bore_a", "16"), HoldRequest("bore_b"))
    wrong = ["--mass", "bore_c=1", "--mass", "bore_a=1 m", "--mass", "bore_a=1,2", "--hold", "bor_a:z"]
    message = refused(capsys, "reduce", "rod.inp", *GOOD, *wrong)
    assert "--mass bore_c: there is no interface or marker 'bore_c'" in message
    assert "--mass bore_a=1,2: expected a marker with its mass" in message and "--mass 1 m" in message
    assert "there is no set 'bor_a'" in message
