"""What is asked of a reduction: words with units, selections, materials, and every fault of them at once."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from flexmb.cli.reduce_arguments import key_values, read_axis, read_damping, read_materials, read_section, read_ties
from flexmb.elements.material import MATERIALS, Material
from flexmb.errors import Fault, InputError
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
from flexmb.verification.solid_meshes import box_mesh

STEEL = MATERIALS["steel"]


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
        ("steel E=210e9 nu=0.3 density=7850", "unexpected text 'steel' before"),
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
        (read_section, "radius=3 mm", "type of cross-section is missing"),
        (read_section, "circle", "'radius' or 'diameter'"),
        (read_damping, "-0.1", "must not be negative"),
        (read_damping, "low", "'low' is not a damping"),
        (read_damping, "ratio=0.1 oops=3", "'oops' is not a key of a damping"),
    ):
        assert read(word, faults) in (None, {"ratio": -0.1})
        assert message in str(faults.pop())
    for word in ("0,0,0", "q", "1,2", "nan,0,1"):
        assert read_axis("--y-axis", word, faults) is None
        assert "expected a direction" in str(faults.pop())


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
        ("a=bore_a:rbe4", "'rbe4' is not a tie. Did you mean"),
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
        "modes: expected a whole number from 0",
        "below: expected a frequency above zero",
        "keep_below: expected a frequency above zero",
        "'a b' cannot be used as a name",
        "the name 'p' is given twice",
        "the name 'origin' is reserved",
        "'glue' is not one of the choices",
        "there is no interface 'q'",
        "'cubic' is not one of the choices",
        "'3' is not one of the choices",
        "'reduced' is not one of the choices",
        "ratio must be a number of zero or more",
    ):
        assert message in text
    assert not ReductionRequest((TieRequest("a", "a"), TieRequest("b", "b")), frame="chord", order=2).faults()
    assert "the chord frame needs two interfaces" in str(
        ReductionRequest((TieRequest("a", "a"),), frame="chord").faults()[0]
    )
    assert "at most 100 modes, found 101" in str(ReductionRequest(modes=101).faults()[0])
    assert not ReductionRequest(modes=101, field="linear").faults()
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
