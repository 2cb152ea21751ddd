"""Bodies from meshes in a model: the same motion as in two steps, all faults at their keys, one key for every option.

Covers: model.schema.marker_masses, model.schema.meshed_checks, reduction.tie_words.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import flexmb as fx
from flexmb.bodies import part_cache
from flexmb.cli.reduce import ReduceOptions
from flexmb.model.model_file import ModelFileError, format_faults, parse_model, read_model
from flexmb.model.schema import meshed_bodies
from flexmb.model.schema.mesh_bodies import MeshBody
from flexmb.model.schema.meshed_bodies import MeshedBody
from flexmb.reduction import request
from tests.support.bar_deck import MODEL, write_bar


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a mesh and a model, and an empty cache."""
    (tmp_path / "cache").mkdir()
    monkeypatch.setattr(part_cache, "_folder", lambda: tmp_path / "cache")
    write_bar(tmp_path / "bar.inp")
    (tmp_path / "model.toml").write_text(MODEL)
    return tmp_path


def kept(folder: Path) -> list[Path]:
    return sorted((folder / "cache").glob("*.h5"))


def faults(folder: Path, text: str) -> str:
    """Message of a model that is rejected before anything is reduced."""
    with pytest.raises(ModelFileError) as caught:
        parse_model(text, "model.toml", folder=str(folder))
    assert kept(folder) == []
    return format_faults(caught.value)


def test_one_file_moves_as_two_steps(folder: Path) -> None:
    stages: list[str] = []
    model = read_model(folder / "model.toml", progress=lambda stage, _: stages.append(stage))
    (path,) = kept(folder)
    assert "reading the mesh" in stages and len(set(stages)) > 2
    bar = model.spec.bodies["bar"]
    assert isinstance(bar, MeshBody) and bar.file.body.n_modes == 8 and bar.file.text == str(path)
    assert [(marker.name, marker.kind) for marker in bar.file.body.markers] == [
        ("root", "rbe2"), ("end", "rbe3"), ("half", "follower"),
    ]  # fmt: skip
    lines = MODEL.splitlines()
    words = ("mesh", "unit", "material =", "interfaces", "markers", "modes")
    two = [f'file = "{path}"' if line.startswith("mesh") else line for line in lines]
    two = [line for line in two if not line.startswith(words)]
    own, file = (fx.run_model(parse_model("\n".join(text), folder=str(folder)), folder / f"{name}.h5")
                 for name, text in (("one", lines), ("two", two)))  # fmt: skip
    with own, file:
        assert np.abs(own["sag"]).max() > 0.0
        assert np.array_equal(own["sag"], file["sag"])
        assert own.settings == file.settings, "a result does not depend on where its body came from"


def test_a_kept_body_needs_no_mesh_to_be_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = read_model(folder / "model.toml")
    monkeypatch.setattr("flexmb.mesh.read.read_mesh", None)
    again = first.with_values({"bodies.bar.damping": {"ratio": 0.02}, "bodies.bar.at": [1.0, 0.0, 0.0]})
    assert len(kept(folder)) == 1 and again.spec.bodies["bar"].damping.ratio == 0.02


def test_another_value_is_another_body(folder: Path) -> None:
    model = read_model(folder / "model.toml").with_values({"count": 3})
    assert model.spec.bodies["bar"].file.body.n_modes == 9
    assert len(kept(folder)) == 2


def test_python_says_the_same(folder: Path) -> None:
    model = fx.Model("bar")
    steel = fx.Material.isotropic(70e9, 0.33, 2700.0)
    bar = model.flexible(
        "bar", mesh=folder / "bar.inp", unit="m", material=steel, interfaces={"root": "root", "end": "tip:rbe3"},
        markers=["half=middle"], modes=2, at=(1, 0, 0), damping={"ratio": 0.01},
    )  # fmt: skip
    model.revolute("hinge", model.ground, bar, at=(1, 0, 0), axis="y")
    model.analysis(end=0.01, step=1e-3)
    own = model.spec.bodies["bar"].file
    assert own.text == read_model(folder / "model.toml").spec.bodies["bar"].file.text and len(kept(folder)) == 1
    again = parse_model(model.to_toml())
    assert again.spec.bodies["bar"].file.text == own.text


def test_a_verdict_is_a_warning_of_the_run(folder: Path) -> None:
    """Four bricks along a bar are a coarse mesh, and say so."""
    result = fx.run(read_model(folder / "model.toml"))
    assert [warning.place for warning in result.warnings if warning.code == "body-verdict"] == ["bodies.bar"]


def test_all_faults_at_once_with_their_lines(folder: Path) -> None:
    text = MODEL
    for old, new in (
        ('unit = "m"', 'unit = "mi"'),
        ('"alloy"', '"aloy"'),
        ('"root", ', '"rot", '),
        ('"$count"', "-1"),
        ("[1, 0, 0]\naxis", "[2, 0, 0]\naxis"),
        ("end = 0.01", "end = -1"),
    ):
        text = text.replace(old, new, 1)
    shown = faults(folder, text)
    assert "modes: must be 0 to 1000" in shown and "no material 'aloy'" in shown and "end: must be greater" in shown
    shown = faults(folder, text.replace("-1", "1"))
    lines = text.split("\n")
    for part, line in (
        ("'mi' is not a unit of length", 'unit = "mi"'),
        ("no material 'aloy'", 'material = "aloy"'),
        ("there is no set 'rot'", 'interfaces = ["rot"'),
    ):
        number = next(k for k, each in enumerate(lines, 1) if each.startswith(line))
        assert any(f"model.toml:{number}:" in each and part in each for each in shown.split("\n")), shown


def test_a_joint_beside_every_marker_is_found_before_the_reduction(folder: Path) -> None:
    shown = faults(folder, MODEL.replace("[1, 0, 0]\naxis", "[2, 0, 0]\naxis"))
    assert "body 'bar' has no marker at (2, 0, 0)" in shown and "bar.end at (1.4, 0, 0)" in shown


@pytest.mark.parametrize(
    ("old", "new", "part"),
    [
        ('"bar.inp"', '"br.inp"', "there is no such file. Did you mean"),
        ('"bar.inp"', "3", "expected the path of a mesh file, found 3"),
        ('"bar.inp"', '"model.toml"', "is not one of a supported format"),
        ('interfaces = ["root", "end=tip:rbe3"]', "interfaces = []", "no interface is given"),
        ('"end=tip:rbe3"', '"plane(x=0.4)"', "a selection needs a name"),
        ('"end=tip:rbe3"', '"end=tip:rbe4"', "'rbe4' is not a tie"),
        ('material = "alloy"', "", "no material is given"),
        ('material = "alloy"', 'material = { E = 1e9, density = 1 }', "the material needs 'nu' or 'G'"),
        ('material = "alloy"', 'materials = { web = "steel" }', "there is no cell set 'web'"),
        ('mesh = "bar.inp"', 'mesh = "bar.inp"\nfile = "bar.h5"', "'file' cannot be given together with 'mesh'"),
        ('mesh = "bar.inp"', 'mesh = "bar.inp"\nmass = 2', "expected the path of a mass matrix"),
        ('mesh = "bar.inp"', 'mesh = "bar.inp"\nframe = "cord"', "'cord' is not one of the choices"),
        ('mesh = "bar.inp"', 'mesh = "bar.inp"\nstiffness = "k.npz"', "there is no file"),
        ("bar.half", "bar.hlaf", "no marker 'hlaf' on body 'bar' (markers: origin, root, end, half)"),
    ],
)  # fmt: skip
def test_faults(folder: Path, old: str, new: str, part: str) -> None:
    assert old in MODEL
    assert part in faults(folder, MODEL.replace(old, new, 1))


def test_faults_that_only_the_reduced_body_shows(folder: Path) -> None:
    with pytest.raises(ModelFileError, match="expected 8 numbers, one per shape, found 1"):
        parse_model(MODEL.replace("at = [1", "elastic_position = [1e-3]\nat = [1", 1), folder=str(folder))


def test_a_cut_mesh_is_reported_at_its_key(folder: Path) -> None:
    (folder / "bar.inp").write_text((folder / "bar.inp").read_text()[:300])
    shown = faults(folder, MODEL)
    assert "model.toml:11:" in shown and "body 'bar'" in shown and "Traceback" not in shown


def test_every_option_of_reduce_is_a_key() -> None:
    """What is typed at `flexmb reduce` can be written in a model; files and printing belong to the command."""
    options = set(ReduceOptions.__dataclass_fields__) - {"output", "quiet", "json", "strict"}
    names = {"interface": "interfaces", "marker": "markers", "no_compare": "compare", "load": "loads"}
    keys = set(MeshedBody.fields())
    assert {names.get(option, option) for option in options} <= keys
    of_request: Any = set(request.ReductionRequest.__dataclass_fields__)
    assert of_request <= keys and meshed_bodies.MOST_MODES == request.MOST_MODES


def test_masses_and_held_sets_of_a_body(folder: Path) -> None:
    """Keys masses and hold: the mass is in the body, a held set is a frame that a joint takes."""
    end = '{ mass = "500 g", inertia = [1e-4, 1e-4, "2 kg*cm^2"], offset = [0, 0, "1 cm"] }'
    keys = f'masses = {{ half = "2 kg", end = {end} }}'
    text = MODEL.replace("[bodies.bar]", f'[bodies.bar]\n{keys}\nhold = ["root", "middle:x"]').replace(
        '["root", "end=tip:rbe3"]', '["root=held", "end=tip:rbe3"]'
    )
    body = parse_model(text, "model.toml", folder=str(folder)).spec.bodies["bar"].file.body
    own = 2700.0 * 0.4 * 0.04**2
    assert body.report["mass"]["mesh"] == pytest.approx(own + 2.5)
    assert body.markers[0].name == "root" and body.markers[0].p_b == pytest.approx(np.zeros(3))
    plain = parse_model(MODEL, "model.toml", folder=str(folder)).spec.bodies["bar"].file.body
    assert len(kept(folder)) == 2 and plain.report["mass"]["mesh"] == pytest.approx(own)


@pytest.mark.parametrize(
    ("key", "part"),
    [
        ('masses = { top = "2 kg" }', "no interface or marker 'top'"),
        ('masses = { end = "2 m" }', "mass"),
        ('masses = "2 kg"', 'expected { MARKER = "2 kg" }'),
        ("masses = { end = { inertia = [1, 1, 1] } }", "mass"),
        ("masses = { end = { mass = 1, inertia = [1, 1, 9] } }", "is of no body"),
        ('hold = ["rot:x"]', "there is no set 'rot'"),
        ("hold = [3]", 'expected ["SET", "SET:z"]'),
    ],
)
def test_wrong_masses_and_held_sets(folder: Path, key: str, part: str) -> None:
    assert part in faults(folder, MODEL.replace("[bodies.bar]", f"[bodies.bar]\n{key}"))


def test_a_deck_gives_the_material_of_a_body(folder: Path) -> None:
    own = "*SOLID SECTION, ELSET=bar, MATERIAL=m\n*MATERIAL, NAME=m\n*ELASTIC\n7.E10, .33\n*DENSITY\n2700.\n"
    (folder / "bar.inp").write_text((folder / "bar.inp").read_text() + own)
    model = parse_model(MODEL.replace('material = "alloy"', ""), "model.toml", folder=str(folder))
    with_material = parse_model(MODEL, "model.toml", folder=str(folder))
    found, same = (m.spec.bodies["bar"].file.body.report["mass"]["mesh"] for m in (model, with_material))
    assert found == pytest.approx(same, rel=1e-12)
