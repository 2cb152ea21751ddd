"""Bodies from body files in a mechanism: one made of a beam moves as the beam does, and mismatches are reported.

Covers: bodies.flexible_body, model.schema.mesh_bodies, model.schema.mesh_checks, system.records.fields.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from flexmb.analyses.check import check_model
from flexmb.analyses.run import run_model
from flexmb.bodies.body_file import read_body, write_body
from flexmb.bodies.flexible_body import FlexibleBody
from flexmb.bodies.marker_shapes import MarkerShapes
from flexmb.errors import InputError
from flexmb.layout import flat_arrays as L
from flexmb.model.model import Model
from flexmb.model.model_file import ModelFileError, format_faults, parse_model, read_model
from flexmb.system.records.fields import field_kinds
from tests.support.flexible_mechanisms import slider_crank
from tests.support.flexible_models import FIELDS, FlatBeams, beam
from tests.support.mechanisms import spec_of
from tests.support.reduced_bodies import basis_of_body, reduced_beam

QUADRATIC = {name: keys for name, keys in FIELDS.items() if name != "exact"}
ORDERS = {"full": "full", "order 2": 2, "order 1": 1, "linear": 0}
PLACES = {"A": [0.0, 0.0, 0.0], "B": [0.3, 0.0, 0.0], "mid": [0.15, 0.0, 0.0]}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Body files of the slider-crank's rod: rod_full.h5, rod_2.h5, rod_1.h5, rod_0.h5."""
    folder = tmp_path_factory.mktemp("bodies")
    rod = basis_of_body(spec_of(slider_crank(damping={"ratio": 0.01})), "rod")
    for order in ORDERS.values():
        write_body(reduced_beam(rod, order, PLACES, surface=True), folder / f"rod_{order}.h5")
    return folder


def with_file(data: dict[str, Any], file: Path, /, **keys: Any) -> dict[str, Any]:
    """The slider-crank with the rod of a body file."""
    data["bodies"]["rod"] = {"file": str(file), "at": "A", **keys}
    data["sensors"]["mid"] |= {"chord": ["rod.A", "rod.B"]}
    return data


def faults(data: dict[str, Any]) -> str:
    with pytest.raises(InputError) as caught:
        spec_of(data)
    return str(caught.value)


@pytest.mark.parametrize("name", QUADRATIC)
def test_a_body_of_a_beam_runs_as_the_beam(folder: Path, tmp_path: Path, name: str) -> None:
    """The same arrays in the same kernels, but for the round-off of the places of its joints: that decides whether
    Newton's method takes one iteration more, which efforts feel to about 1e-8 and positions by less."""
    keys = {"damping": {"ratio": 0.01}, **QUADRATIC[name]}
    own = run_model(Model.from_tables(slider_crank(**keys)), tmp_path / "beam.h5")
    data = with_file(slider_crank(), folder / f"rod_{ORDERS[name]}.h5")
    read = run_model(Model.from_tables(data), tmp_path / "file.h5")
    positions = dict.fromkeys(("bodies/rod/elastic_position", "bodies/slider/position", "sensors/mid"), 1e-8)
    with own, read:
        for channel, part in {**positions, "sensors/torque": 1e-6, "joints/big_end/force": 1e-6}.items():
            scale = np.abs(own[channel]).max()
            assert scale > 0.0
            np.testing.assert_allclose(read[channel], own[channel], rtol=0.0, atol=part * scale)


@pytest.mark.parametrize("name", QUADRATIC)
def test_lower_orders_from_one_file(folder: Path, name: str) -> None:
    """A file with the full field gives the truncated ones, too."""
    spec = spec_of(with_file(slider_crank(), folder / "rod_full.h5", **QUADRATIC[name]))
    assert spec.bodies["rod"].chosen_order == ORDERS[name]
    rod = FlatBeams(with_file(slider_crank(), folder / "rod_full.h5", **QUADRATIC[name])).body("rod")
    own = FlatBeams(slider_crank(**QUADRATIC[name])).body("rod")
    q = 1e-3 * np.arange(1.0, rod.n_modes + 1.0)
    assert rod.order == own.order
    ours, theirs = rod.field.mass_matrix(q), own.field.mass_matrix(q)  # type: ignore[union-attr]
    assert ours == pytest.approx(theirs, abs=1e-12 * np.abs(theirs).max())


@pytest.mark.parametrize("name", ["full", "order 2", "linear"])
@pytest.mark.parametrize("kind", ["spherical", "revolute", "fixed"])
def test_turned_bodies_and_joints_by_points(tmp_path: Path, name: str, kind: str) -> None:
    """Mass matrix and residual at a random state, for a soft beam that stands askew and carries another at a marker
    beside its axis; joints find the markers by their places."""
    rng = np.random.default_rng(7)
    start, across = [0.3, -0.2, 0.1], [0.9, 0.25, 0.5]
    keys = {"section": {"type": "circle", "radius": 0.04}, **QUADRATIC[name]}
    joint = {"type": kind, "at": across} | ({"axis": [1, 2, 3]} if kind == "revolute" else {})
    data: dict[str, Any] = {
        "model": {"gravity": [1.0, -2.0, -9.0]},
        "bodies": {"one": beam(start, [1.1, 0.3, 0.6], **keys), "two": beam([0.0, 0.0, 0.0], [0.0, 1.0, 0.0], **keys)},
        "joints": {
            "root": {"type": "revolute", "bodies": ["ground", "one"], "at": start, "axis": "y"},
            "link": {**joint, "bodies": ["one", "two"]},
        },
    }
    own = FlatBeams(data)
    one = own.body("one")
    assert one.basis is not None
    reach = one.R_wb.T @ (np.array(across) - start)
    places = {"root": np.zeros(3), "beside": reach}
    path = write_body(reduced_beam(one.basis, ORDERS[name], places), tmp_path / "one.h5")
    data["bodies"]["one"] = {"file": str(path), "at": start, "orientation": one.R_wb.tolist()}
    read = FlatBeams(data)
    q, v = own.random_state(rng, 0.2)
    a = rng.normal(size=own.n)
    expected, found = own.evaluate(q, v), read.evaluate(q, v)
    for term in ("M", "h"):
        # V3 of twist and bending vanishes for a round section, so that the two bodies are the same
        np.testing.assert_allclose(found[term], expected[term], rtol=0, atol=1e-11 * np.abs(expected[term]).max())
    np.testing.assert_allclose(read.residual(q, v, a), own.residual(q, v, a), rtol=1e-10, atol=1e-9)


def test_joints_by_markers_of_the_file(folder: Path) -> None:
    by_points = with_file(slider_crank(), folder / "rod_2.h5")
    by_markers = with_file(slider_crank(), folder / "rod_2.h5")
    by_markers["bodies"]["crank"]["markers"] = {"pin": {"at": "A"}}
    by_markers["joints"]["big_end"] = {"type": "spherical", "markers": ["crank.pin", "rod.A"], "tree": False}
    one, two = (FlatBeams(data) for data in (by_points, by_markers))
    q, v = one.system.q0, 0.1 + np.arange(one.n) / one.n
    first, second = one.evaluate(q, v), two.evaluate(q, v)
    assert second["G"] == pytest.approx(first["G"], abs=1e-12)
    assert second["M"] == pytest.approx(first["M"], rel=1e-12)


def test_damping_of_the_model_and_of_the_file(folder: Path) -> None:
    def rod(**keys: Any) -> FlexibleBody:
        return FlatBeams(with_file(slider_crank(), folder / "rod_2.h5", **keys)).body("rod")

    kept, doubled, none = rod(), rod(damping={"ratio": 0.02}), rod(damping={"ratio": 0.0})
    assert np.any(kept.damping)
    assert doubled.damping == pytest.approx(2.0 * kept.damping, rel=1e-9, abs=1e-12 * np.abs(kept.damping).max())
    assert not np.any(none.damping)


def test_deflection_from_a_slanted_chord_beside_the_marker(tmp_path: Path) -> None:
    """By hand: the marker less its undeformed place, after the smallest rotation that takes the old chord to the new
    one."""
    start = [0.2, 0.1, -0.3]
    data: dict[str, Any] = {"bodies": {"one": beam(start, [0.9, 0.8, 0.2], field="quadratic")}}
    own = FlatBeams(data).body("one")
    assert own.basis is not None
    places = {"P": np.array([0.1, 0.05, 0.0]), "Q": np.array([0.9, -0.04, 0.06]), "top": np.array([0.5, 0.1, 0.03])}
    path = write_body(reduced_beam(own.basis, 2, places), tmp_path / "one.h5")
    data["bodies"]["one"] = {"file": str(path), "at": start, "orientation": own.R_wb.tolist()}
    chord = {"deflection": "one.top", "chord": ["one.P", "one.Q"]}
    data["sensors"] = {"world": chord, "body": {**chord, "axes": "body"}, "y": {**chord, "component": "y"}}
    flat = FlatBeams(data)
    q, v = flat.system.q0.copy(), np.zeros(flat.n)
    eta = 0.05 * np.random.default_rng(3).normal(size=own.n_modes)
    step = np.concatenate([0.3 * np.arange(1.0, 7.0), eta])
    flat.set(flat.moved(q, step), v)
    out = flat.output()
    body = flat.body("one")
    moved = {name: p + body.shapes_at(p).displacement(eta) for name, p in places.items()}  # type: ignore[union-attr]
    old, new = places["Q"] - places["P"], moved["Q"] - moved["P"]
    part = old @ (places["top"] - places["P"]) / (old @ old)
    offset = places["top"] - places["P"] - part * old
    e, f = old / np.linalg.norm(old), new / np.linalg.norm(new)
    w = np.cross(e, f)
    skew = np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])
    R = np.eye(3) + skew + skew @ skew / (1.0 + e @ f)
    assert R @ e == pytest.approx(f, abs=1e-14)
    d = moved["top"] - moved["P"] - part * new - R @ offset
    R_w = flat.block("one", L.W_R_W, 9).reshape(3, 3)
    assert np.linalg.norm(d) > 1e-3
    assert out["sensors/world"] == pytest.approx(R_w @ d, abs=1e-13)
    assert out["sensors/body"] == pytest.approx(R.T @ d, abs=1e-13)
    assert out["sensors/y"] == pytest.approx((R_w @ d)[1:2], abs=1e-13)
    flat.set(flat.system.q0, v)
    assert flat.output()["sensors/world"] == pytest.approx(np.zeros(3), abs=1e-15)


def test_the_report_speaks_of_the_file(folder: Path, tmp_path: Path) -> None:
    with run_model(Model.from_tables(with_file(slider_crank(), folder / "rod_full.h5")), tmp_path / "a.h5") as result:
        report = " ".join(result.report.split())
        bow = np.linalg.norm(result["sensors/mid"], axis=1).max()
    assert "rod: body from a file, 6 elastic coordinates (2 fixed-interface, 2 constraint, 2 user)" in report
    assert "quadratic field, full, chord frame" in report and "damping ratio 1 %" in report
    assert f"largest displacement in its chord frame {1e3 * bow:.4g} mm" in report and "at marker mid" in report
    linear = with_file(slider_crank(), folder / "rod_full.h5", field="linear")
    with run_model(Model.from_tables(linear), tmp_path / "b.h5") as result:
        report = " ".join(result.report.split())
    assert "linear field, chord frame" in report and "leaves out foreshortening" in report
    text = check_model(Model.from_tables(with_file(slider_crank(), folder / "rod_2.h5")))
    assert "modes of rod with its chord frame fixed" in text


def test_the_largest_displacement_is_found_between_the_markers(tmp_path: Path) -> None:
    """A rod that has markers at its ends only is bent between them: nodes of its surface show it."""
    basis = basis_of_body(spec_of(slider_crank()), "rod")
    ends = {name: PLACES[name] for name in ("A", "B")}
    path = write_body(reduced_beam(basis, 2, ends, surface=True), tmp_path / "rod.h5")
    data = with_file(slider_crank(), path)
    del data["sensors"]["mid"]
    with run_model(Model.from_tables(data), tmp_path / "a.h5") as result:
        assert "at (0.15, 0.01, 0) m" in " ".join(result.report.split())


MODEL = """
[points]
A = [0.15, 0, 0]
B = [0.45, 0, 0]

[bodies.rod]
file = "parts/rod.h5"
at = "A"

[joints.wall]
type = "fixed"
bodies = ["ground", "rod"]
at = "A"

[sensors.bow]
deflection = "rod.mid"
chord = ["rod.A", "rod.B"]
component = "magnitude"

[analysis]
end = 1e-3
step = 1e-4
"""


@pytest.fixture
def model_file(folder: Path, tmp_path: Path) -> Path:
    (tmp_path / "parts").mkdir()
    shutil.copy(folder / "rod_2.h5", tmp_path / "parts" / "rod.h5")
    path = tmp_path / "model.toml"
    path.write_text(MODEL)
    return path


def test_the_path_starts_at_the_model_file(model_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = read_model(model_file).spec
    assert [marker.name for marker in spec.bodies["rod"].file.body.markers] == ["A", "B", "mid"]
    other = tmp_path / "elsewhere"
    other.mkdir()
    monkeypatch.chdir(other)
    assert read_model("../model.toml").spec.bodies["rod"].file.text == "parts/rod.h5"
    shown = printed(MODEL)
    assert "model:7: file: There is no body file 'parts/rod.h5'." in shown and shown.count("model:") == 1


def printed(text: str, **keys: Any) -> str:
    with pytest.raises(ModelFileError) as caught:
        parse_model(text, **keys)
    return format_faults(caught.value)


def test_python_and_the_file_say_the_same(model_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(model_file.parent)
    model = Model()
    model.points(A=(0.15, 0, 0), B=(0.45, 0, 0))
    rod = model.flexible("rod", file=Path("parts/rod.h5"), at="A")
    model.fixed("wall", model.ground, rod, at="A")
    model.deflection("bow", "rod.mid", chord=("rod.A", "rod.B"), component="magnitude")
    model.analysis(end=1e-3, step=1e-4)
    again, read = parse_model(model.to_toml()), read_model(model_file)
    assert again.identity["bodies"] == model.identity["bodies"] == read.identity["bodies"]
    assert again.spec.sensors == read.spec.sensors


def test_a_run_is_resumed_with_the_same_body_only(model_file: Path, tmp_path: Path) -> None:
    """The file may lie elsewhere; another body is another run."""
    before = read_model(model_file).identity
    shutil.move(tmp_path / "parts", tmp_path / "moved")
    settings = {"bodies.rod.file": "moved/rod.h5"}
    assert read_model(model_file, settings).identity == before
    body = read_body(tmp_path / "moved" / "rod.h5")
    body.stiffness[:] *= 2.0
    write_body(body, tmp_path / "moved" / "rod.h5")
    assert read_model(model_file, settings).identity != before


def test_what_is_compiled_for_it(folder: Path) -> None:
    for order in ORDERS.values():
        data = with_file(slider_crank(), folder / f"rod_{order}.h5")
        flat = FlatBeams(data)
        assert field_kinds(spec_of(data)) == flat.system.ints[L.FIELD_KINDS]


def test_wrong_tables_are_reported_at_once(model_file: Path) -> None:
    text = MODEL.replace(
        'at = "A"\n\n[joints',
        'at = "A"\nmass = 1\nframe = "chord"\nmarkers = { C = { at = "B" } }\nfield = "linear"\norder = 2\n\n[joints',
    )
    text = text.replace('deflection = "rod.mid"', 'deflection = "rod.mit"').replace('"rod.B"]', '"rod"]')
    shown = printed(text, folder=str(model_file.parent))
    assert "'mass' of a body from a file is in the file" in shown
    assert "'frame' of a body from a file is chosen with 'flexmb reduce --frame'" in shown
    assert "'markers' of a body from a file are those of the file" in shown and "flexmb reduce --marker" in shown
    assert "'order' belongs to field = \"quadratic\"" in shown
    assert "no marker 'mit' on body 'rod' (markers: origin, A, B, mid). Did you mean 'mid'?" in shown
    assert "the chord of the body 'rod' must name a marker of its file. Markers: rod.A, rod.B, rod.mid." in shown


def test_joints_where_no_marker_stands(folder: Path) -> None:
    data = with_file(slider_crank(), folder / "rod_2.h5", at=[0.15, 0.001, 0.0])
    text = faults(data)
    assert "joints.big_end.at: joint 'big_end': body 'rod' has no marker at (0.15, 0, 0)" in text
    assert "rod.A at (0.15, 0.001, 0), rod.B at (0.45, 0.001, 0), rod.mid at (0.3, 0.001, 0)" in text
    assert "the nearest is 0.001 m away" in text and "joint 'small_end': body 'rod' has no marker" in text
    data = with_file(slider_crank(), folder / "rod_2.h5")
    data["joints"]["big_end"] = {"type": "spherical", "markers": ["crank", "rod"]}
    assert "a joint of the body 'rod' must name a marker of its file. Markers: rod.A, rod.B, rod.mid." in faults(data)


@pytest.mark.parametrize("name", QUADRATIC)
def test_a_joint_a_little_beside_its_marker(folder: Path, name: str) -> None:
    """The point is fixed to the marker, as in a beam points beside the axis are to their section."""
    place = np.array([0.15, 1.5e-4, -2e-4])
    rod = FlatBeams(with_file(slider_crank(), folder / f"rod_{ORDERS[name]}.h5")).body("rod")
    own = FlatBeams(slider_crank(**QUADRATIC[name])).body("rod")
    found, expected = rod.shapes_at(place), own.shapes_at(place)
    assert isinstance(found, MarkerShapes) and isinstance(expected, MarkerShapes)
    for array in ("Phi", "Theta", "G", "Gamma"):
        values = getattr(expected, array)
        assert getattr(found, array) == pytest.approx(values, abs=1e-13 * max(np.abs(values).max(), 1.0))
    with pytest.raises(ValueError, match="has shapes at its own markers only"):
        rod.shapes_at(place + [0.0, 1e-3, 0.0])


@pytest.mark.parametrize(
    ("order", "keys", "text"),
    [
        (0, {"field": "quadratic"}, "has a linear field: reduce again with 'flexmb reduce --field quadratic'"),
        (0, {"order": 1}, "has a linear field: reduce again with 'flexmb reduce --order 1'"),
        (1, {"order": 2}, "has the orders 1: reduce again with 'flexmb reduce --order 2'"),
        (2, {"order": "full"}, "has the orders 1, 2: reduce again with 'flexmb reduce --order full'"),
        (2, {"order": 3}, "order = 3 is not one of the choices"),
        (2, {"field": "exact"}, "field = 'exact' is not one of the choices"),
        (2, {"elastic_position": [0.1]}, "expected 6 numbers, one per shape, found 1"),
        (2, {"damping": {"ratios": [0.1]}}, "expected 6 ratios, one per mode, found 1"),
        (2, {"damping": {"ratio": 0.1, "mass": 1.0}}, "only one of these forms"),
        (2, {"beam": ["A", "B"]}, "'file' cannot be given together with 'beam'"),
        (2, {"file": 7}, "expected the path of a body file (.h5), found 7"),
        (2, {"file": ""}, "expected the path of a body file (.h5)"),
    ],
)
def test_what_the_file_does_not_hold(folder: Path, order: int, keys: dict[str, Any], text: str) -> None:
    assert text in faults(with_file(slider_crank(), folder / f"rod_{order}.h5", **keys))


def test_files_that_cannot_be_read(folder: Path, tmp_path: Path) -> None:
    """One fault for the file, none for the markers that cannot be known without it."""
    text = faults(with_file(slider_crank(), folder / "rod_3.h5"))
    assert text.count("\n") == 0 and "There is no body file" in text and "Did you mean 'rod_" in text
    junk = tmp_path / "junk.h5"
    junk.write_text("hello")
    text = faults(with_file(slider_crank(), junk))
    assert text.count("\n") == 0 and "not in HDF5 format" in text


def test_deflections_need_a_chord_on_the_body(folder: Path) -> None:
    data = with_file(slider_crank(), folder / "rod_2.h5")
    del data["sensors"]["mid"]["chord"]
    assert "needs 'chord': two of its markers. Markers: rod.A, rod.B, rod.mid." in faults(data)
    data["sensors"]["mid"]["chord"] = ["rod.A", "crank"]
    assert "the chord must be on body 'rod', found 'crank'" in faults(data)
    data["sensors"]["mid"]["chord"] = ["rod.A", "rod.A"]
    with pytest.raises(InputError, match="the two ends of the chord are at the same place"):
        FlatBeams(data)
    data["sensors"]["mid"] = {"marker": "rod.mid", "chord": ["rod.A", "rod.B"]}
    assert "'chord' is not a key of a sensor of a marker" in faults(data)
    data["sensors"]["mid"] = {"deflection": "crank"}
    assert "a deflection needs a beam, found body 'crank', which is rigid" in faults(data)
    data["sensors"]["mid"] = {"section": "rod.mid", "component": "fx"}
    assert "a section force needs a beam, found body 'rod', which is from a body file" in faults(data)


def test_a_chord_on_a_beam(tmp_path: Path) -> None:
    """Between its ends it is the default."""
    data = slider_crank()
    data["sensors"]["same"] = {"deflection": "rod.mid", "chord": ["rod.start", "rod.end"]}
    with run_model(Model.from_tables(data), tmp_path / "a.h5") as result:
        assert result["sensors/same"] == pytest.approx(result["sensors/mid"], abs=1e-15)
