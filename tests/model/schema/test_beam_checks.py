"""Flexible bodies that are wrong: one clear message with its line for every kind of fault, all of them at once.

Covers: model.schema.body_kinds, model.schema.modal, model.schema.model_spec.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flexmb.errors import InputError
from flexmb.model.model_file import parse_model
from flexmb.model.schema import read_spec
from tests.support.beam_cases import GOOD, changed, faults_of

SHAPES = 'shapes = { bending = { y = "$n", z = 2 }, axial = 1, torsion = 1 }'
MASSES = '{ at = "10 cm", mass = 1 }'
FAULTS: dict[str, list[tuple[str, int, str]]] = {
    'beam = ["A", "B"]': [
        ('beam = ["A", "C"]', 18, "body 'rod': no point 'C'"),
        ('beam = ["A", "A"]', 18, "the two ends of the beam are the same point"),
        ('beam = ["A", [0, 0, 0]]', 18, "the beam has zero length"),
        ('baem = ["A", "B"]', 18, "'baem' is not a key of [bodies.rod]. Did you mean 'beam'?"),
        ('beam = ["A", "B"]\nmass = 1', 19, "'mass' of a beam follows from sections, density and 'masses'"),
        ('beam = ["A", "B"]\nat = "A"', 19, "'at' follows from the two ends in 'beam'"),
    ],
    'beam = ["A", "B"]\n': [
        ("", 17, "'beam' is missing. A beam needs its two ends: beam = [A, B]"),
    ],
    'y_axis = "z"': [
        ('y_axis = "x"', 19, "y_axis is parallel to the beam; it must point across it"),
    ],
    'material = "mine"': [
        ('material = "stel"', 20, "body 'rod': no material 'stel'. Did you mean 'steel'?"),
        ("material = 3", 20, "material: expected a name or a table, found 3"),
        ("material = { E = 1, rho = 3 }", 20, "'rho' is called 'density' here"),
        ("material = { E = 1, density = 1 }", 20, "torsion shapes need the material's 'nu' or 'G'"),
    ],
    'material = "mine"\n': [
        ("", 17, "'material' is missing. Give the name of a material, or { E = .., density = .. }."),
    ],
    'E = "200 GPa"': [
        ('E = "200 GN"', 9, "unknown unit 'GN'"),
        ('E = "200 N"', 9, "'200 N' is a force, but a stress is needed (units: Pa, MPa, GPa)"),
        ("E = -1", 9, "E: must be greater than 0 Pa, found -1"),
    ],
    "nu = 0.3": [
        ("nu = 0.3\nG = 1", 8, "nu and G are given: give only one of them"),
    ],
    '"7.87 g/cm^3"': [
        ('"7.87 g"', 11, "'7.87 g' is a mass, but a density is needed"),
    ],
    'section = "wire"': [
        ('section = "wier"', 21, "body 'rod': no section 'wier'. Did you mean 'wire'?"),
        ('section = { type = "circel", radius = 1 }', 21, "'circel' is not one of the choices. Did you mean 'circle'?"),
        ("section = { radius = 1 }", 21, "'type' is missing. Choices: circle, tube, rectangle, I, general."),
        ('section = { type = "circle", radius = "-3 mm" }', 21, "radius: must be greater than 0 m, found '-3 mm'"),
        ('section = { type = "circle" }', 21, "a circle needs either 'radius' or 'diameter'"),
        ('section = { type = "circle", raduis = 1 }', 21, "of [bodies.rod.section]. Did you mean 'radius'?"),
        ('section = { type = "tube", outer = 1, inner = 1 }', 21, "the inner radius (1 m) must be less than"),
        ('section = { type = "rectangle", y = 1, z = 0 }', 21, "z: must be greater than 0 m, found 0"),
        ('section = { type = "rectangle", y = 1 }', 21, "'z' is missing"),
        ('section = { type = "I", height = 1, width = 1, flange = 0.5, web = 0.1 }', 21, "leave no web"),
        ('section = { type = "general", A = 1, Iy = 1 }', 21, "needs 'I', or 'Iy' and 'Iz'"),
        ('section = { type = "general", A = 1, I = 1 }', 21, "torsion shapes need the torsion constant 'J'"),
        ('section = { type = "general", A = "1 mm", I = 1, J = 1 }', 21, "a length, but an area is needed"),
        ('section = "wire"\nsections = [{ section = "wire" }]', 22, "has section and sections: give only one"),
        ('sections = [{ section = "wire" }, { section = "wire" }]', 21, "part 1 of the sections needs 'to'"),
        ('sections = [{ to = 0.1 }, { section = "wire" }]', 21, "'section' is missing"),
        (
            'sections = [{ to = 0.2, section = "wire" }, { to = 0.1, section = "wire" }]',
            21,
            "section ends must increase",
        ),
        ('sections = [{ to = 0.4, section = "wire" }, { section = "wire" }]', 21, "the beam is 0.3 m long"),
        ('sections = [{ to = 0.2, section = "wire" }]', 21, "the last section must end there"),
        ('sections = [{ to = 0.3, section = "wire" }, { section = "wire" }]', 21, "the next section is empty"),
        ("sections = []", 21, "sections is empty"),
    ],
    'section = "wire"\n': [
        ("", 17, "body 'rod' needs 'section' (or 'sections', a list from A to B)"),
    ],
    '{ at = "10 cm", mass = 1 }': [
        ('{ at = "C", mass = 1 }', 22, "'C' is neither a point nor a distance from end A"),
        ("{ at = 0.4, mass = 1 }", 22, "the mass is 0.4 m from A, but the beam is 0.3 m long"),
        ("{ at = 0.1, mass = -1 }", 22, "mass: must not be negative, found -1"),
        ('{ at = "1 kg", mass = 1 }', 22, "'1 kg' is a mass, but a length is needed"),
    ],
    'shapes = { bending = { y = "$n", z = 2 }, axial = 1, torsion = 1 }': [
        (
            'shapes = { bending = 3, familly = "modes" }',
            23,
            "'familly' is not a key of [bodies.rod.shapes]. Did you mean",
        ),
        ('shapes = { family = "modse" }', 23, "family = 'modse' is not one of the choices. Did you mean 'modes'?"),
        ('shapes = { family = "modes", supports = "pinned-pined" }', 23, "Did you mean 'pinned-pinned'?"),
        ('shapes = { supports = "pinned-pinned" }', 23, "monomials have no supports"),
        ("shapes = { elements = 10 }", 23, '\'elements\' belongs to family = "elements", not to "monomials"'),
        ("shapes = { bending = 2.5 }", 23, "bending: expected a whole number, found 2.5"),
        ("shapes = { bending = { x = 2 } }", 23, "'x' is not a bending plane. Planes: y, z."),
        ("shapes = { axial = -1 }", 23, "axial: must be 0 to 100, found -1"),
        ('shapes = { bending = "all" }', 23, 'bending = "all" belongs to family = "elements"'),
        ("shapes = { bending = 0 }", 23, "a beam without shapes is rigid"),
        ("shapes = [3]", 23, "shapes: expected a number of bending shapes or a table, found a list of 1"),
    ],
    'frame = "start"': [
        ('frame = "strat"', 24, "frame = 'strat' is not one of the choices. Did you mean 'start'?"),
    ],
    'field = "quadratic"': [
        ('field = "exact"', 26, '\'order\' belongs to field = "quadratic"; the field is "exact"'),
    ],
    'field = "quadratic"\n': [
        ("", 25, '\'order\' belongs to field = "quadratic"; the field is "exact"'),
    ],
    "order = 1": [
        ("order = 3", 26, "order = 3 is not one of the choices. Choices: 1, 2, full."),
    ],
    'damping = { ratio = "1 %" }': [
        ("damping = { ratio = 1, mass = 2 }", 27, "has ratio and mass and stiffness: give only one of"),
        ("damping = { ratio = -1 }", 27, "ratio: must not be negative, found -1"),
        ("damping = { }", 27, "damping is empty. Give one of: ratio, ratios"),
        ('damping = "adam"', 27, "Did you mean 'adams'?"),
        ("damping = { ratios = [0.1] }", 27, "expected 7 ratios, one per mode, found 1"),
        ("damping = 0.1", 27, "damping: expected a table, found 0.1"),
    ],
    "rotary_inertia = true": [
        ("shear = true", 28, "shear deformation needs shapes from beam elements"),
        ('shear = "yes"', 28, "shear: expected true or false, found 'yes'"),
    ],
    '["1 mm", 0, 0, 0, 0, 0, "1 deg"]': [
        ("[1e-3, 0, 0]", 29, "expected 7 numbers, one per shape, found 3"),
        ("1e-3", 29, "expected a list of numbers, found 0.001"),
    ],
    '"1 rpm"': [
        ('"1 kg"', 30, "entry 7: '1 kg' is a mass"),
    ],
    "along = 0.5": [
        ("along = 1.5", 33, "along: must be at most 1, found 1.5"),
        ("along = 0.5, at = [0, 0, 0]", 33, "marker 'mid' has at and along: give only one"),
    ],
    "mid = {": [
        ("end = {", 33, "the name 'end' is reserved: it always exists"),
    ],
    "markers.eye = { at = [1, 0, 0] }": [
        ("markers.eye = { along = 0.5 }", 39, "'along' belongs to a marker on a beam"),
    ],
    "inertia = [1, 1, 1]\n": [
        ("inertia = [1, 1, 1]\nshapes = 3\n", 39, "'shapes' belongs to a flexible beam, which has 'beam'"),
    ],
    "[bodies.lump]\nmass = 1": [
        ("[bodies.lump]", 36, "'mass' is missing. A body has 'mass' (rigid), 'beam' (a flexible beam), 'modal'"),
    ],
    "elastic_position = [0.1]": [
        ("elastic_position = [0.1, 0.2]", 43, "expected 1 number, one per shape, found 2"),
    ],
    'mass = "2 kg"': [
        ("", 45, "'mass' is missing"),
    ],
    "P0 = [[1, 0, 0], [0, 1, 0], [0, 0, 0]]": [
        ("P0 = [[1, 2, 0], [0, 1, 0], [0, 0, 0]]", 48, "P0 is not symmetric"),
    ],
    "S1 = [[0, 0, 0]]": [
        (
            "S1 = [[0, 0]]",
            49,
            "entry 1: expected an array 1 x 3 (n shapes: the number of rows of S1), found a list of 2",
        ),
        ('S1 = [[0, 0, "x"]]', 49, "entry 1, 3: unknown name 'x'"),
    ],
    "N2 = [[[[0, 0, 0], [0, 0, 0], [0, 0, 0.5]]]]": [
        ("N2 = [[[0, 0, 0.5]]]", 51, "an array 1 x 1 x 3 x 3"),
    ],
    "[0, 0, 0.5]]]]": [
        ("[0, 0, -0.5]]]]", 46, "give a mass matrix with a negative eigenvalue"),
    ],
    "K = [[100]]": [
        ("K = [[-100]]", 52, "K has a negative eigenvalue (-100)"),
        ("", 45, "'K' is missing"),
    ],
    "D = [[0.1]]": [
        ("D = [[0.1, 0]]", 53, "D: entry 1: expected an array 1 x 1"),
        ('D = [[0.1]]\nlabels = ["a", "b"]', 54, "expected 1 label"),
    ],
    "Theta = [[0.1, 0.1, 0]]": [
        ("", 55, "'Theta' is missing. A marker on a modal body needs its shapes"),
    ],
    "Phi = [[0, 0, 1]]": [
        ("Phi = [[0, 0, 1], [0, 0, 1]]", 57, "Phi: expected an array 1 x 3"),
    ],
    '"plate.corner"': [
        ('"plate"', 68, "a joint of the modal body 'plate' must name a marker with shapes. Markers: plate.corner."),
    ],
    'bodies = ["ground", "rod"]': [
        ('bodies = ["ground", "plate"]', 62, "are known only at its markers. Connect markers"),
    ],
    'body = "rod"': [
        ('body = "lump"', 72, "a distributed force needs a beam, found body 'lump', which is rigid. Beams: rod."),
        ('body = "plate"', 72, "a distributed force needs a beam, found body 'plate', which is given by its matrices"),
        ('body = "ground"', 72, "a distributed force needs a beam, found ground"),
        ('body = "rdo"', 72, "force 'wind': no body 'rdo'. Did you mean 'rod'?"),
    ],
    'from = "10 cm"': [
        ("from = 0.3", 75, "from (0.3 m) must be less than to (0.3 m)"),
        ("from = 0.2\nto = 0.1", 75, "from (0.2 m) must be less than to (0.1 m)"),
        ("to = 1", 75, "to = 1 m is beyond the end of beam 'rod' (0.3 m long)"),
    ],
    '"1 N/mm"': [
        ('"1 N"', 73, "is a force, but a force per length is needed (units: N/m, N/mm, kN/m)"),
    ],
    'deflection = "rod.mid"': [
        ('deflection = "lump.eye"', 78, "a deflection needs a beam, found body 'lump', which is rigid"),
        ('deflection = "rod.mdi"', 78, "no marker 'mdi' on body 'rod'"),
    ],
    'component = "z"': [
        ('component = "fx"', 79, "component = 'fx' is not allowed with 'deflection'"),
        ('component = "z"\nquantity = "velocity"', 80, "'quantity' is not a key of a sensor of a deflection"),
    ],
    'component = "z"\naxes = "body"': [
        ('component = "z"\naxes = "marker"', 80, "axes = 'marker' is not allowed with 'deflection'"),
    ],
    'elastic_start = "undeformed"': [
        ('elastic_start = "quasistatic"', 85, "Did you mean 'quasi-static'?"),
        ('elastic_start = "quasi-static"', 29, "computes the elastic coordinates; they cannot be given too"),
    ],
}
ONE_FAULT = [(old, *row) for old, rows in FAULTS.items() for row in rows]


@pytest.mark.parametrize(("old", "new", "line", "message"), ONE_FAULT, ids=[f"{n!r}"[:50] for _, n, _, _ in ONE_FAULT])
def test_wrong_input_is_named_with_its_line(old: str, new: str, line: int, message: str) -> None:
    text = changed(old, new)
    printed = faults_of(text)
    rows = [row for row in printed.split("\n") if row.startswith("m.toml:")]
    assert any(row.startswith(f"m.toml:{line}: ") and message in row for row in rows), printed


def test_all_faults_of_a_beam_at_once() -> None:
    text = changed('section = "wire"', "section = { type = 'tube', outer = -1, inner = 1 }").replace(
        '"start"', '"strat"'
    )
    text = text.replace("along = 0.5", "along = 7").replace("order = 1", "order = 9").replace('"10 g"', '"10 m"')
    lines = [row.split(":")[1] for row in faults_of(text).split("\n") if row.startswith("m.toml")]
    assert lines == ["21", "22", "24", "26", "33"]


def test_ends_that_are_no_points() -> None:
    """Other checks need the place of the ends and must not stumble over names that are not there."""
    text = changed('beam = ["A", "B"]', 'beam = ["Q", "B"]').replace(
        "elastic_position = [0.1]", "elastic_position = [1, 2]"
    )
    rigid = '\n[bodies.stick]\nmass = 1\nrod = ["A", "R"]\n'
    printed = faults_of(text.replace("[bodies.plate]", rigid + "\n[bodies.plate]"))
    for message in (
        "body 'rod': no point 'Q'",
        "body 'stick': no point 'R'",
        "expected 1 number, one per shape",
    ):
        assert message in printed


def test_forces_and_sensors_on_a_modal_body() -> None:
    """A force or motion names a marker with shapes; a sensor may look at the frame itself."""
    force = '\n[forces.push]\ntype = "force"\nmarker = "{}"\nvector = [0, 0, 1]\n'
    parse_model(GOOD + force.format("plate.corner"))
    assert "a force of the modal body 'plate' must name a marker with shapes" in faults_of(GOOD + force.format("plate"))
    motion = '\n[motions.lift]\nmarker = "plate.origin"\nalong = "z"\nrate = 1\n'
    assert "a motion of the modal body 'plate' must name a marker" in faults_of(GOOD + motion)
    parse_model(GOOD + '\n[sensors.frame]\nmarker = "plate"\n')


def test_a_deflection_with_three_components_cannot_feed_a_force() -> None:
    text = changed('component = "z"\n', "").replace('"2*sin(t)"', '"bow"')
    assert "sensor 'bow' has three components and cannot be used in a force" in faults_of(text)
    assert parse_model(GOOD.replace('"2*sin(t)"', '"bow"')).spec.forces["wind"].vector[1].names == {"bow"}  # type: ignore


_words = st.sampled_from(
    "beam modal mass section sections material shapes frame field order damping masses markers elastic_position shear"
    " y_axis S1 N1 K family bending type circle radius along Phi at to".split()
)
_junk = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5), _words),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(_words, inner, max_size=4)),
    max_leaves=12,
)


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(st.sampled_from(["b", "ground"]), st.dictionaries(_words, _junk, max_size=6), max_size=2), _junk)
def test_any_tables_are_read_or_refused(bodies: dict[str, Any], junk: Any) -> None:
    tables = {"bodies": bodies, "materials": junk, "sections": junk, "points": {"A": [0, 0, 0]}}
    tables["forces"] = {"f": {"type": "distributed-force", "body": "b", "vector": [0, 0, 1], "from": junk}}
    tables["sensors"] = {"s": {"deflection": "b.end", "axes": junk}}
    try:
        read_spec(tables)
    except InputError as error:
        assert error.faults


def test_the_deflection_of_an_end_from_its_own_chord_is_refused() -> None:
    beam = {"beam": [[0, 0, 0], [1, 0, 0]], "material": "steel", "section": {"type": "circle", "radius": 0.01}}
    tables = {"bodies": {"b": {**beam, "shapes": 2}}, "sensors": {"s": {"deflection": "b.end", "component": "y"}}}
    with pytest.raises(InputError, match="always zero"):
        read_spec(tables)
    tables["sensors"]["s"]["chord"] = ["b.start", "b.end"]
    read_spec(tables)
