"""Model files and the Python builder: what is read, and one clear message for every kind of wrong input.

Covers: model.model_settings, model.schema.faults, model.schema.load_checks, suggestions.
"""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flexmb.errors import InputError
from flexmb.joints.table import JOINT_TYPES
from flexmb.model.model_file import LARGEST_FILE, ModelFileError, format_faults, parse_model, read_model
from flexmb.model.schema import ModelSpec, read_spec
from tests.support.beam_cases import faults_of

GOOD = """\
[model]
name = "slider-crank"
gravity = [0, 0, -9.81]

[parameters]
rpm = "1500 rpm"
crank = "150 mm"
rod = "2*$crank"

[points]
O = [0, 0, 0]
A = ["$crank", 0, 0]
B = ["$crank + $rod", 0, 0]

[bodies.crank]
mass = 0.03
rod = ["O", "A"]

[bodies.rod]
mass = "30 g"
rod = ["A", "B"]
markers.mid = { at = ["$rod/2", 0, 0], axis = "y" }

[bodies.slider]
mass = 0.0334
inertia = [1e-5, 1e-5, "1e-5 kg*m^2"]
at = "B"

[joints.bearing]
type = "revolute"
bodies = ["ground", "crank"]
at = "O"
axis = "y"
position = "30 deg"

[joints.big_end]
type = "revolute"
bodies = ["crank", "rod"]
at = "A"
axis = [0, 2, 0]

[joints.small_end]
type = "spherical"
bodies = ["rod", "slider"]
at = "B"

[joints.guide]
type = "prismatic"
bodies = ["ground", "slider"]
at = "B"
axis = "x"
tree = false

[motions.motor]
joint = "bearing"
rate = "$rpm"

[forces.push]
type = "force"
marker = "slider"
vector = ["-5 N * travel", 0, "step(t, 0, 0, 10 ms, 3)"]

[forces.mount]
type = "joint-spring"
joint = "guide"
stiffness = "3 N/mm"

[sensors.travel]
joint = "guide"

[analysis]
end = "2 s"
step = "1 ms"
"""


def changed(old: str, new: str) -> str:
    assert GOOD.count(old) == 1, old
    return GOOD.replace(old, new)


def test_a_good_file() -> None:
    spec = parse_model(GOOD).spec
    assert spec.parameters == pytest.approx({"rpm": 50 * math.pi, "crank": 0.15, "rod": 0.3})
    assert spec.place("B") == pytest.approx((0.45, 0, 0))
    assert spec.bodies["rod"].mass == pytest.approx(0.03)
    assert spec.bodies["rod"].rod == ("A", "B")
    assert spec.bodies["slider"].inertia == ((1e-5, 0, 0), (0, 1e-5, 0), (0, 0, 1e-5))
    assert spec.joints["big_end"].axis == (0.0, 1.0, 0.0)
    assert spec.joints["bearing"].position == pytest.approx((math.pi / 6,))
    assert spec.coordinate("guide", None) == "slide"
    assert spec.motions["motor"].function(2.0) == pytest.approx(100 * math.pi)
    push = spec.forces["push"]
    assert push.type == "force"
    assert push.vector[0].names == {"travel"} and push.vector[2].names == {"t"} and push.vector[1].constant == 0.0
    mount = spec.forces["mount"]
    assert mount.type == "joint-spring" and mount.stiffness == 3000.0
    assert spec.marker("rod.mid") == ("rod", "mid") and spec.marker("rod") == ("rod", "origin")


def test_methods_are_compared_by_settings() -> None:
    """What another method does not read may stand; with a tolerance the step of the file is the first one."""
    text = GOOD.replace('step = "1 ms"', 'step = "1 ms"\nrho = 0.7\nalpha = 0.05')
    for method in ("generalized-alpha", "hht", "shi-mcphee", "rk4", "rk45"):
        analysis = parse_model(text, settings={"analysis.method": method}).spec.analysis
        assert analysis is not None
        assert (analysis.method, analysis.rho, analysis.alpha) == (method, 0.7, 0.05)
    analysis = parse_model(text, settings={"analysis.tolerance": "1e-6"}).spec.analysis
    assert analysis is not None
    assert (analysis.step, analysis.tolerance) == (1e-3, 1e-6)


ONE_FAULT = [
    ("gravity = [", "gravty = [", 3, "'gravty' is not a key of [model]. Did you mean 'gravity'?"),
    ("[points]", "[pionts]", 10, "'pionts' is not a key of a model. Did you mean 'points'?"),
    ('mass = "30 g"', 'mass = "30 mm"', 20, "'30 mm' is a length, but a mass is needed"),
    ('mass = "30 g"', 'mass = "30 gg"', 20, "unknown unit 'gg'"),
    ('mass = "30 g"', "mass = -1", 20, "mass: must not be negative, found -1"),
    ('mass = "30 g"', "mass = nan", 20, "mass: expected a finite number, found nan"),
    ('mass = "30 g"', "mass = true", 20, "expected a number or a string with a unit, found true"),
    ('mass = "30 g"\n', "", 19, "'mass' is missing"),
    ('end = "2 s"\n', "", 71, "'end' is missing. Final time [s]"),
    ("O = [0, 0, 0]", "O = [0, 0]", 11, "expected a list of 3 numbers, found 2"),
    ("O = [0, 0, 0]", "O = [0, inf, 0]", 11, "entry 2: expected a finite number, found inf"),
    ("[1e-5, 1e-5, ", "[-1e-5, 1e-5, ", 26, "a negative principal moment"),
    ('inertia = [1e-5, 1e-5, "1e-5 kg*m^2"]\n', "", 24, "body 'slider' needs 'inertia' (or 'rod')"),
    ('inertia = [1e-5, 1e-5, "1e-5 kg*m^2"]', "inertia = [[1,1,0],[0,1,0],[0,0,1]]", 26, "not symmetric"),
    ('type = "spherical"', 'type = "sphericl"', 43, "'sphericl' is not one of the choices. Did you mean 'spherical'?"),
    ('["rod", "slider"]', '["rod", "slidr"]', 44, "joint 'small_end': no body 'slidr'. Did you mean 'slider'?"),
    ('["rod", "slider"]', '["rod", "rod"]', 44, "joint 'small_end' connects body 'rod' to itself"),
    ('["rod", "slider"]', '["rod"]', 44, "expected a list of 2 bodies, found a list of 1"),
    ('bodies = ["rod", "slider"]', 'markers = ["rod.mdi", "slider"]', 44, "no marker 'mdi' on body 'rod' (markers"),
    ('bodies = ["rod", "slider"]\n', "", 42, "joint 'small_end' needs bodies or markers"),
    ('at = "O"\n', "", 29, "joint 'bearing' (revolute) needs 'at'"),
    ('at = "O"', 'at = "OO"', 32, "joint 'bearing': no point 'OO'. Did you mean 'O'?"),
    ("axis = [0, 2, 0]", "axis = [0, 0, 0]", 40, "the direction has zero length"),
    ("axis = [0, 2, 0]", 'axis = "q"', 40, "'q' is not a direction"),
    ("axis = [0, 2, 0]", "", 36, "joint 'big_end' (revolute) needs 'axis'"),
    ("tree = false", "lead = 0.1", 52, "joint 'guide' (prismatic): a prismatic joint has no 'lead'"),
    ("tree = false", "velocity = [1, 2]", 52, "expected 1 number (slide), found 2"),
    ("tree = false", 'velocity = "3 rpm"', 52, "'3 rpm' is an angular speed, but a speed is needed"),
    ("tree = false", "tree = 3", 52, "tree: expected true or false"),
    ('rate = "$rpm"', 'rate = "$rmp"', 56, "unknown parameter '$rmp'. Did you mean '$rpm'?"),
    ('rate = "$rpm"', 'rate = "3 m/s"', 56, "is a speed, but an angular speed is needed"),
    ('rate = "$rpm"', "", 54, "motion 'motor' needs a function of time. One of: rate"),
    ('rate = "$rpm"', 'rate = 1\nexpression = "t"', 57, "has rate and expression: give only one"),
    ('rate = "$rpm"', 'expression = "travel"', 56, "unknown name 'travel'"),
    ('rate = "$rpm"', 'harmonic = {amplitude = "1 deg", frequency = "3 m"}', 56, "a length, but a frequency is needed"),
    ('rate = "$rpm"', "table = [[0, 0], [1, 1], [1, 2]]", 56, "must increase: row 3 has 1 after 1"),
    ('rate = "$rpm"', "table = [[0, 0], [1, 1]]", 56, "the table covers 0 to 1 s, but the analysis runs from 0 to 2 s"),
    ('rate = "$rpm"', 'polynomial = [0, "3 rad/s", "1 rad"]', 56, "entry 3: '1 rad' is an angle, but an angular accel"),
    ('joint = "bearing"', 'joint = "baering"', 55, "motion 'motor': no joint 'baering'. Did you mean 'bearing'?"),
    ('joint = "bearing"', 'joint = "small_end"', 55, "turns freely in space and has no coordinate that can be driven"),
    ('joint = "bearing"', 'joint = "bearing"\ncoordinate = "slide"', 56, "has no coordinate 'slide'"),
    ('marker = "slider"', 'marker = "slider.tip"', 60, "no marker 'tip' on body 'slider'"),
    ('marker = "slider"', 'marker = "mid"', 60, "no body 'mid' for the marker 'mid'. Did you mean 'rod.mid'?"),
    ('type = "force"', 'type = "forc"', 59, "type = 'forc' is not one of the choices. Did you mean 'force'?"),
    ('type = "force"\n', "", 58, "'type' is missing"),
    ("-5 N * travel", "-5 N * travl", 61, "unknown unit or name 'travl'. Did you mean 'travel'?"),
    ("-5 N * travel", "-5 * travl", 61, "unknown name 'travl'. Did you mean 'travel'?"),
    ("-5 N * travel", "-5 N*m*travel*sin(t)", 61, ""),
    ("10 ms, 3)", "10 ms, 3", 61, "expected ')'"),
    ('stiffness = "3 N/mm"', 'stiffness = "3 N*m/rad"', 66, "is a rotational stiffness, but a stiffness is needed"),
    ('stiffness = "3 N/mm"', "stifness = 3", 66, "not a key of [forces.mount]. Did you mean 'stiffness'?"),
    ('joint = "guide"\n\n', 'joint = "guide"\nquantity = "positon"\n\n', 70, "Did you mean 'position'?"),
    ('end = "2 s"', 'end = "2 kg"', 72, "'2 kg' is a mass, but a time is needed"),
    ('end = "2 s"', "end = 0", 72, "end: must be greater than 0 s, found 0"),
    ('step = "1 ms"', 'step = 1e-3\nmethod = "rk"', 74, "method = 'rk' is not one of the choices"),
    ('step = "1 ms"', 'step = 1e-3\nmethod = "rk4"\ntolerance = 1e-6', 75, "rk4 has a fixed step and takes"),
    ('step = "1 ms"', "step = 1e-3\nrho = 2", 74, "rho: must be at most 1, found 2"),
    ('step = "1 ms"', "", 71, "analysis needs 'step'"),
    ('step = "1 ms"', 'step = 1\nindependent = ["big_end.angel"]', 74, "no coordinate 'angel'. Did you mean 'angle'?"),
    ('rod = "2*$crank"', 'rod = "2*$rod"', 8, "circular reference between parameters: rod -> rod"),
    ('crank = "150 mm"', 'crank = "$rod"', 7, "circular reference between parameters: crank -> rod -> crank"),
    ('rpm = "1500 rpm"', "rpm = [1]", 6, "expected a number or a string with a unit, found a list of 1"),
    ('rpm = "1500 rpm"', "t = 3\nrpm = 1", 6, "the name 't' is reserved"),
    ("[bodies.slider]", "[bodies.ground]", 24, "the name 'ground' is reserved"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "line", "message"), ONE_FAULT, ids=[f"{n!r}"[:40] for _, n, _, _ in ONE_FAULT])
def test_wrong_input_is_named_with_its_line(old: str, new: str, line: int, message: str) -> None:
    text = changed(old, new)
    if not message:
        parse_model(text)  # the unit of a sensor is not known: the product is accepted
        return
    printed = faults_of(text)
    blocks = [row for row in printed.split("\n") if row.startswith("m.toml:")]
    assert any(row.startswith(f"m.toml:{line}: ") and message in row for row in blocks), printed
    assert printed.split("\n")[-1].endswith("nothing was run.")
    excerpt = text.split("\n")[line - 1]
    assert f"   {line:4d} | {excerpt}" in printed


def test_all_faults_at_once_sorted_by_line() -> None:
    text = changed("gravity = [", "gravty = [").replace('"30 g"', '"30 m"').replace('at = "O"', 'at = "Q"')
    printed = faults_of(text).split("\n")
    assert [row.split(" ")[0] for row in printed if row.startswith("m.toml")] == [
        "m.toml:3:",
        "m.toml:20:",
        "m.toml:32:",
    ]
    assert printed[-1] == "3 problems; nothing was run."


def test_two_drives_on_one_coordinate() -> None:
    printed = faults_of(GOOD + '\n[motions.second]\njoint = "bearing"\nrate = 2\n')
    assert "motions 'motor' and 'second' drive the same coordinate 'bearing.angle'" in printed


def test_sensors_that_cannot_feed_a_force() -> None:
    text = changed('joint = "guide"\n\n', 'joint = "guide"\nquantity = "acceleration"\n\n')
    assert "sensor 'travel' measures an acceleration and cannot be used in a force" in faults_of(text)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("[model\nname = 1", 1, "not valid TOML"),
        ("a = 1\na = 2", 2, "this name is defined twice"),
        ("[joints.a]\naxis = y", 2, 'numbers with a unit in quotes: "y".'),
        ("[analysis]\nend = 5 s # long", 2, 'in quotes: "5 s".'),
        ("[joints.a]\ntree = True", 2, "Write true."),
        ("[bodies.größe]\nmass = 1", 1, "Put a name with letters other than a-z in quotes."),
        ("[bodies.a]\n[bodies.a]\n", 2, "this name is defined twice"),
        ("x = " + "[" * 20000, 1, "nested too deeply"),
        ("x = " + "[" * 20000 + "]" * 20000, 1, "nested too deeply"),
        ("a." * 3000 + "b = 1", 0, ""),
        ("model = 3", 1, "model: expected a table, found 3"),
        ("bodies = [1]", 1, "bodies: expected a table, found a list of 1"),
        ("bodies.x = 3", 1, "x: expected a table, found 3"),
        ("forces.x = 3", 1, "x: expected a table, found 3"),
        ("joints.j.type = []", 1, "type = a list of 0 is not one of the choices"),
        ("parameters = 1", 1, "expected a table of parameters, found 1"),
        ("model.gravity = 1979-05-27", 1, "expected a list of 3 numbers"),
        ("analysis.end = 1" + "0" * 400, 1, "the number is too large"),
        ('[bodies."a.b"]\nmass=0\ninertia=[0,0,0]', 1, "'a.b' cannot be used as a name"),
        ('[bodies."a/b"]\nmass=0\ninertia=[0,0,0]', 1, "'a/b' cannot be used as a name"),
    ],
)
def test_hostile_text(text: str, line: int, message: str) -> None:
    printed = faults_of(text)
    assert message in printed
    if line:
        assert f"m.toml:{line}: " in printed


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=200))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        parse_model(text)
    except InputError as error:
        assert format_faults(error)


_junk = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8), st.sampled_from(["x", "ground"])
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=5), inner, max_size=3)),
    max_leaves=6,
)
_sections = st.dictionaries(
    st.sampled_from(list(ModelSpec.fields())),
    st.one_of(
        _junk,
        st.dictionaries(
            st.text(max_size=4),
            st.dictionaries(
                st.sampled_from(
                    [
                        "type",
                        "bodies",
                        "markers",
                        "at",
                        "axis",
                        "joint",
                        "coordinate",
                        "rate",
                        "mass",
                        "inertia",
                        "vector",
                        "marker",
                        "position",
                        "rod",
                        "table",
                        "between",
                        "component",
                        "quantity",
                        "stiffness",
                        "end",
                    ]
                ),  # fmt: skip
                st.one_of(_junk, st.sampled_from([*JOINT_TYPES, "force", "spring-damper", "friction", "a", "a.b"])),
                max_size=5,
            ),
            max_size=3,
        ),
    ),
)


@settings(max_examples=300, deadline=None)
@given(_sections)
def test_any_tables_are_read_or_refused(tables: dict[str, object]) -> None:
    try:
        read_spec(tables)
    except InputError as error:
        assert error.faults


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    def message(path: Path) -> str:
        with pytest.raises(ModelFileError) as caught:
            read_model(path)
        return format_faults(caught.value)

    missing = tmp_path / "none.toml"
    assert message(missing) == f"{missing}: there is no such file.\n1 problem; nothing was run."
    assert "this is a folder" in message(tmp_path)
    latin = tmp_path / "latin.toml"
    latin.write_bytes(b"[model]\nname = 'M\xfcller'\n")
    assert f"{latin}:2: the file is not UTF-8 text." in message(latin)
    huge = tmp_path / "huge.toml"
    with huge.open("wb") as file:
        file.truncate(LARGEST_FILE + 1)
    assert "the file is too large for a model" in message(huge)
    assert "cannot be read" in message(Path("a\0b"))


def test_windows_line_ends_and_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "dos.toml"
    path.write_bytes(b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode())
    assert read_model(path).name == "slider-crank"


def test_settings() -> None:
    spec = parse_model(GOOD, settings={"rpm": "3000", "analysis.end": "500 ms", "model.gravity": "[0, 0, 0]"}).spec
    assert spec.parameters["rpm"] == pytest.approx(100 * math.pi), "a plain number keeps the unit of the file"
    assert spec.analysis is not None and spec.analysis.end == 0.5
    assert spec.model.gravity == (0, 0, 0)
    spec = parse_model(GOOD, settings={"crank": "20 cm", "analysis.method": "hht", "output.every": "0.1"}).spec
    assert spec.parameters["rod"] == pytest.approx(0.4)
    assert spec.analysis is not None and spec.analysis.method == "hht" and spec.output.every == 0.1
    spec = parse_model(GOOD, settings={"analysis.end": "3"}).spec
    assert spec.analysis is not None and spec.analysis.end == 3.0


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("rmp", "3", "cannot set 'rmp=3': no parameter 'rmp'. Did you mean 'rpm'?"),
        ("analysis", "3", "'analysis' is a section; write analysis.key=value"),
        ("anlysis.end", "3", "no section 'anlysis'. Did you mean 'analysis'?"),
        ("analysis.stp", "1", "'stp' is not a key of [analysis] (set by 'analysis.stp=1'). Did you mean 'step'?"),
        ("analysis.step", "1e-4", "the file has '1 ms'; give a unit too"),
        ("analysis.end", "3 kg", "'3 kg' is a mass, but a time is needed"),
        ("bodies.crnk.mass", "3", "no 'crnk' in [bodies]. Did you mean 'crank'?"),
        ("rpm", "nonsense", "unknown name 'nonsense'"),
        ("rpm", "[" * 5000, "nested too deeply"),
        ("model.name.x", "1", "'model.name' is 'slider-crank', not a table"),
        ("", "", "no parameter ''"),
    ],
)
def test_wrong_settings(key: str, value: str, message: str) -> None:
    assert message in faults_of(GOOD, {key: value})
