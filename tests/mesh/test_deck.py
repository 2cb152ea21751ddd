"""Data of decks: one bracket from Nastran and Abaqus, masses of a published model, units, what is used and what not.

Covers: mesh.deck_build, mesh.formats.nastran_deck, mesh.formats.nastran_properties,
mesh.formats.nastran_connections, mesh.formats.abaqus_deck, mesh.formats.abaqus_sections,
mesh.formats.abaqus_connections, mesh.formats.abaqus_materials, mesh.formats.abaqus_frames.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from flexmb.mesh.checks import check_mesh
from flexmb.mesh.deck import (
    GROUND,
    KINDS,
    Anisotropic,
    Deck,
    Equation,
    Frame,
    Isotropic,
    PointMass,
    RigidTie,
    ScalarSpring,
    Spring,
    SurfaceTie,
    deck_summary,
)
from flexmb.mesh.mesh import Mesh
from flexmb.mesh.read import read_mesh
from tests.support.places import ROOT

DECKS = ROOT / "tests" / "data" / "decks"
ALL = frozenset(KINDS)
M16_MASS = 35.71
M16_CENTRE = (0.6079529543545226, 0.4480537664519742, 0.038994679361523385)
M16_INERTIA = [
    [4.777672979090825, 0.22724726967236053, 0.2965744889386726],
    [0.22724726967236053, 7.776207936619062, 0.1239148697843741],
    [0.2965744889386726, 0.1239148697843741, 11.690814431065062],
]
"""Closed form: plate of 27 kg, bars of 1.57 and 3.64 kg (0.5 kg/m beside the steel), masses of 2.5 and 1 kg"""


def deck_of(folder: Path, text: str, name: str = "part.bdf", unit: str = "m", uses: frozenset[str] = ALL) -> Deck:
    (folder / name).write_text(text)
    deck = read_mesh(folder / name, unit, uses=uses).deck
    assert deck is not None
    return deck


def plain(mesh: Mesh) -> dict[str, Any]:
    """The deck with numbers of the file instead of indices, and without names that a format cannot give."""
    deck = mesh.deck
    assert deck is not None and mesh.point_ids is not None
    ids = np.concatenate([mesh.point_ids, deck.point_ids])

    def node(i: int) -> int:
        return -1 if i == GROUND else int(ids[i])

    def nodes(found: Any) -> list[int]:
        return sorted(int(i) for i in ids[found])

    def entry(item: Any, blocks: Any) -> dict[str, Any]:
        values = dict(vars(item))
        numbers = [blocks[block].ids[row] for block, rows in item.cells.items() for row in rows]
        return {**values, "cells": sorted(int(number) for number in numbers)}

    def tie(item: Any) -> Any:
        if isinstance(item, Equation):
            return [(node(a), component, value) for a, component, value in item.terms]
        values = {**vars(item), "node": node(item.node), "nodes": nodes(item.nodes)}
        return values | ({"weights": item.weights.tolist()} if "weights" in values else {})

    held = {(i, component) for item in deck.supports for i in nodes(item.nodes) for component in item.components}
    return {
        "materials": {name: vars(item) for name, item in deck.materials.items()},
        "shells": [entry(item, mesh.cells) for item in deck.shells],
        "beams": [entry(item, mesh.cells) for item in deck.beams],
        "solids": [entry(item, mesh.cells) for item in deck.solids],
        "masses": [{**vars(item), "node": node(item.node)} for item in deck.masses],
        "springs": [{**vars(item), "nodes": tuple(node(i) for i in item.nodes)} for item in deck.springs],
        "ties": [tie(item) for item in deck.ties],
        "held": sorted(held),
        "directions": vars(deck.frames["cord_2"]),
        "motion": [(nodes(own), vars(deck.frames[name])) for name, own in deck.node_frames.items()],
        "points": dict(zip(ids.tolist(), np.vstack([mesh.points, deck.points]).tolist(), strict=True)),
        "units": vars(deck.units),
    }


def differences(a: Any, b: Any, place: str = "") -> list[str]:
    """Places where two nested structures differ by more than round-off."""
    if isinstance(a, dict):
        keys = [f"{place}: keys {set(a) ^ set(b)}"] if set(a) != set(b) else []
        return keys + [text for key in set(a) & set(b) for text in differences(a[key], b[key], f"{place}.{key}")]
    if isinstance(a, (list, tuple)):
        if len(a) != len(b):
            return [f"{place}: {a} and {b}"]
        return [text for i, (x, y) in enumerate(zip(a, b, strict=True)) for text in differences(x, y, f"{place}[{i}]")]
    if dataclasses.is_dataclass(a):
        return differences(vars(a), vars(b), place)
    same = a == pytest.approx(b, rel=1e-12, abs=1e-15) if isinstance(a, float) else a == b
    return [] if same else [f"{place}: {a!r} and {b!r}"]


def test_one_bracket_in_two_formats() -> None:
    nastran, abaqus = (read_mesh(DECKS / f"bracket.{ending}", uses=ALL) for ending in ("bdf", "inp"))
    assert differences(plain(nastran), plain(abaqus)) == []
    for mesh in (nastran, abaqus):
        assert mesh.unit == "mm" and mesh.deck is not None and mesh.deck.units.name == "t, mm, N"
        assert mesh.losses == ()


def test_the_bracket_in_numbers() -> None:
    mesh = read_mesh(DECKS / "bracket.bdf", "mm", uses=ALL)
    deck = mesh.deck
    assert deck is not None
    assert deck.materials["mat_1"] == Isotropic(
        pytest.approx(210e9), 0.3, pytest.approx(210e9 / 2.6), pytest.approx(7850.0)
    )
    laminate, plate = deck.shells
    assert laminate.thickness == pytest.approx(0.75e-3) and laminate.offset == pytest.approx(0.375e-3)
    assert [(layer.thickness, layer.angle) for layer in laminate.layers] == [
        (pytest.approx(0.5e-3), 0.0),
        (pytest.approx(0.25e-3), pytest.approx(np.pi / 4.0)),
    ]
    assert laminate.frame == "cord_2" and deck.frames["cord_2"].axes[0] == pytest.approx((0.0, 1.0, 0.0))
    assert plate.offset == pytest.approx(0.2e-3) and plate.material == "mat_1" and plate.frame == ""
    # width 2 along z, height 3 along y on the card; the y axis lies in the plane of the bar and (0, 0, 1)
    bar, rod = deck.beams
    assert (bar.shape, bar.dimensions) == ("rectangle", (pytest.approx(3e-3), pytest.approx(2e-3)))
    assert bar.direction == (0.0, 0.0, 1.0) and rod.dimensions == (pytest.approx(1.5e-3),)
    (lump,) = deck.masses
    assert lump.mass == pytest.approx(0.2)
    assert np.array(lump.inertia) == pytest.approx(
        np.array([[0.01, 0.001, 0.0], [0.001, 0.02, 0.0], [0.0, 0.0, 0.03]]) * 1e3 * 1e-6
    )
    grounded, between = deck.springs
    assert isinstance(grounded, ScalarSpring) and grounded.nodes[1] == GROUND
    assert grounded.stiffness == pytest.approx(500e3) and between.stiffness == pytest.approx(250e3)
    equation = next(tie for tie in deck.ties if isinstance(tie, Equation))
    assert [a for _, _, a in equation.terms] == [1.0, -1.0, pytest.approx(2e-3)], "a rotation counts with a length"
    # reference nodes of the ties are points of the mesh where ties are used
    assert mesh.n_points == 15 and mesh.point_ids is not None and mesh.point_ids[-2:].tolist() == [14, 15]
    assert mesh.points[-2:] == pytest.approx(np.array([[5.0, 5.0, -5.0], [0.0, 5.0, 5.0]]) * 1e-3)
    plain = read_mesh(DECKS / "bracket.bdf", "mm", uses=frozenset()).deck
    assert plain is not None and plain.point_ids.tolist() == [9, 14, 15], "9: of a bar, which is no cell there"
    x9 = mesh.points[mesh.point_ids.tolist().index(9)]  # type: ignore[union-attr]
    assert x9 == pytest.approx(np.array([20.0, 10.0, 10.0]) * 1e-3), "a node of a system within a system"


def test_mass_centre_and_inertia_of_a_published_model() -> None:
    mesh = read_mesh(DECKS / "plate_bars_masses.bdf", "m", uses=ALL)
    deck = mesh.deck
    assert deck is not None and mesh.losses == ()
    parts: list[tuple[float, Any, Any]] = []
    for shell in deck.shells:
        for block, rows in shell.cells.items():
            for row in rows:
                x = mesh.points[mesh.cells[block].nodes[row]]
                area = np.linalg.norm(np.cross(x[2] - x[0], x[3] - x[1])) / 2.0
                m = area * (deck.materials[shell.material].density * shell.thickness + shell.nsm)
                spread = np.outer(x[1] - x[0], x[1] - x[0]) + np.outer(x[3] - x[0], x[3] - x[0])
                parts.append((m, x.mean(axis=0), m / 12.0 * spread))  # a parallelogram
    for beam in deck.beams:
        for block, rows in beam.cells.items():
            for row in rows:
                a, b = mesh.points[mesh.cells[block].nodes[row]]
                m = np.linalg.norm(b - a) * (deck.materials[beam.material].density * beam.A + beam.nsm)
                parts.append((float(m), (a + b) / 2.0, m / 12.0 * np.outer(b - a, b - a)))
    points = np.vstack([mesh.points, deck.points])
    J = np.zeros((3, 3))
    for lump in deck.masses:
        parts.append((lump.mass, points[lump.node] + np.array(lump.offset), np.zeros((3, 3))))
        J += np.array(lump.inertia)
    mass = sum(m for m, _, _ in parts)
    centre = sum(m * c for m, c, _ in parts) / mass
    second = sum(m * np.outer(c - centre, c - centre) + own for m, c, own in parts)
    assert mass == pytest.approx(M16_MASS, rel=1e-10)
    assert centre == pytest.approx(np.array(M16_CENTRE), rel=1e-8)
    assert np.trace(second) * np.eye(3) - second + J == pytest.approx(np.array(M16_INERTIA), rel=1e-8)


def test_what_the_assembly_does_not_use_is_lost() -> None:
    """The switch is `deck.USED`; the data are there either way."""
    today = read_mesh(DECKS / "bracket.bdf", "mm", uses=frozenset({"materials"}))
    kinds = [loss.kind for loss in today.losses]
    assert {"shells", "masses", "springs", "ties", "supports", "orientation"} <= set(kinds)
    assert kinds.index("shells") == 0 and today.losses[0].level == "bad"
    assert today.deck is not None and len(today.deck.shells) == 2 and len(today.deck.ties) == 3
    used = read_mesh(DECKS / "bracket.bdf", "mm", uses=frozenset({"masses", "ties", "springs"}))
    assert {loss.kind for loss in used.losses}.isdisjoint({"masses", "springs", "ties"})
    assert used.losses[0].kind == "shells"


def test_shells_alone_are_a_mesh(tmp_path: Path) -> None:
    text = "BEGIN BULK\nGRID,1\nGRID,2,,1.\nGRID,3,,1.,1.\nGRID,4,,0.,1.\nCQUAD4,1,1,1,2,3,4\nPSHELL,1,1,.1,1,,1\n"
    text += "MAT1,1,7.+10,,.3,2700.\nENDDATA\n"
    (tmp_path / "part.bdf").write_text(text)
    mesh = read_mesh(tmp_path / "part.bdf", "m")
    assert mesh.n_points == 4 and not check_mesh(mesh).faults and mesh.deck is not None
    (shell,) = mesh.deck.shells
    assert shell.name == "pid_1" and {block: rows.tolist() for block, rows in shell.cells.items()} == {0: [0]}


@pytest.mark.parametrize(
    ("E", "density", "unit", "system"),
    [
        ("2.1+11", "7850.", "m", "kg, m, N"),
        ("2.1+8", "7.85", "m", "t, m, kN"),
        ("210000.", "7.85-9", "mm", "t, mm, N"),
        ("210.", "7.85-6", "mm", "kg, mm, ms, kN"),
        ("2.1+8", "7.85-6", "mm", "kg, mm, mN"),
        ("3.+7", "7.33-4", "inch", "lbf s^2/in, in, lbf"),
    ],
)
def test_systems_of_units(tmp_path: Path, E: str, density: str, unit: str, system: str) -> None:
    text = "BEGIN BULK\nGRID,1\nGRID,2,,1.\nGRID,3,,0.,1.\nGRID,4,,0.,0.,1.\nCTETRA,1,1,1,2,3,4\nPSOLID,1,1\n"
    (tmp_path / "part.bdf").write_text(f"{text}MAT1,1,{E},,.3,{density}\nENDDATA\n")
    mesh = read_mesh(tmp_path / "part.bdf")
    assert mesh.deck is not None and (mesh.unit, mesh.deck.units.name) == (unit, system) and mesh.unit_guessed
    steel = mesh.deck.materials["mat_1"]
    assert isinstance(steel, Isotropic) and steel.E == pytest.approx(2.1e11, rel=0.02)
    assert steel.density == pytest.approx(7850.0, rel=0.01)
    assert any(note.startswith(f"Units of the deck: {system}, by its materials") for note in mesh.notes)


TETRA = """BEGIN BULK
GRID,1
GRID,2,,1.
GRID,3,,0.,1.
GRID,4,,0.,0.,1.
GRID,5,,0.,0.,3.
CTETRA,1,1,1,2,3,4
PSOLID,1,1
MAT1,1,2.1+11,,.3,7850.
{}
ENDDATA
"""


def test_cards_of_nastran(tmp_path: Path) -> None:
    cards = """CORD1C,7,1,4,2
CORD2S,8,,0.,0.,0.,0.,0.,1.
,1.,0.,0.
CBUSH,20,30,4,5,,,,0
PBUSH,30,K,1.,2.,3.,4.,5.,6.
,,B,9.,9.
CONM2,21,2,7,2.,0.,.5,0.
CONM2,22,2,-1,2.,0.,.5,0.
CONM1,23,3,,4.,,4.,,,
,4.,,,,1.,,,,
,,2.,,,,,,3.
CELAS1,24,31,2,1,3,2
PELAS,31,70.
RBAR,25,4,5,123456
GRDSET,,,,,,,45
PARAM,WTMASS,.5
MAT9,2,10.,4.,4.,,,,10.
,4.,,,,10.,,,
,3.,,,3.,,3.,1.
PSOLID,9,2,8
CTETRA,2,9,2,3,4,5"""
    deck = deck_of(tmp_path, TETRA.format(cards))
    bush, scalar = deck.springs
    assert isinstance(bush, Spring) and bush.stiffness == (1.0, 2.0, 3.0, 4.0, 5.0, 6.0)
    assert bush.point == pytest.approx((0.0, 0.0, 2.0)) and np.array(bush.axes) == pytest.approx(np.eye(3))
    assert isinstance(scalar, ScalarSpring) and (scalar.components, scalar.stiffness) == ((1, 2), 70.0)
    turned, placed, matrix = deck.masses
    # node 2 is at x = 1 of the cylindrical system: its second axis is y; WTMASS halves all masses
    assert turned == PointMass(1, 1.0, pytest.approx((0.0, 0.5, 0.0)), turned.inertia)
    assert placed.offset == pytest.approx((-1.0, 0.5, 0.0))
    assert matrix.mass == 2.0 and np.array(matrix.inertia) == pytest.approx(np.diag([0.5, 1.0, 1.5]))
    (bar,) = deck.ties
    assert isinstance(bar, RigidTie) and bar.components == "123456"
    orthotropic = deck.materials["mat_2"]
    assert isinstance(orthotropic, Anisotropic) and orthotropic.stiffness[1][1] == 10.0
    assert orthotropic.stiffness[2][1] == 4.0 and orthotropic.stiffness[5][5] == 3.0 and orthotropic.density == 0.5
    assert deck.solids[1].frame == "cord_8"
    assert deck.frames["cord_8"].axes_at(np.array([0.0, 0.0, 2.0]))[0] == pytest.approx(np.array([0.0, 0.0, 1.0]))


def test_properties_of_bars(tmp_path: Path) -> None:
    cards = """CBEAM,20,30,4,5,1.,0.,0.
,,,.1,0.,0.,0.,.2,0.
PBEAM,30,1,4.,2.,1.,.5,.3,.7
,,,,,,,,
,YES,1.,4.,2.,1.,.5,.3,.7
,,,,,,,,
,.8,.9
CBAR,21,31,4,5,3
PBAR,31,1,4.,2.,1.,.3,.7
,,,,,,,,
,.8,.9,.5
CROD,22,32,4,5
PROD,32,1,4.,.3
PTUBE,33,1,4.,.5
CTUBE,23,33,4,5
CBEAM,24,34,4,5,1.,0.,0.
PBEAML,34,1,,I
,10.,6.,4.,1.,2.,1.5,.25"""
    deck = deck_of(tmp_path, TETRA.format(cards))
    beam, profile, bar, rod, pipe = deck.beams
    assert (beam.A, beam.Iz, beam.Iy, beam.Iyz, beam.J, beam.nsm) == (4.0, 2.0, 1.0, 0.5, 0.3, 0.7)
    assert (beam.shear_y, beam.shear_z) == (0.8, 0.9) and beam.offsets == ((0.1, 0.0, 0.0), (0.0, 0.2, 0.0))
    assert (bar.Iyz, bar.shear_y) == (0.5, 0.8) and bar.direction == (0.0, 1.0, -1.0), "towards node 3"
    assert rod.is_truss and (pipe.shape, pipe.dimensions) == ("tube", (2.0, 1.5))
    assert (profile.shape, profile.dimensions, profile.nsm) == ("i", (10.0, 6.0, 4.0, 1.0, 2.0, 1.5), 0.25)


def test_shells_of_one_property_split_by_direction_offset_and_thickness(tmp_path: Path) -> None:
    cards = """PSHELL,8,2,.1,2,,2
MAT8,2,10.,5.,.3,2.,2.,2.,1.
CTRIA3,20,8,1,2,3,30.
CTRIA3,21,8,1,2,4,30.
CTRIA3,22,8,1,3,4
CTRIA3,23,8,2,3,4,30.,.5
CTRIA3,24,8,2,3,5,30.,,
,,,.1,.2,.3"""
    deck = deck_of(tmp_path, TETRA.format(cards))
    assert {shell.name for shell in deck.shells} == {"pid_8"}
    found = [(round(np.degrees(s.angle)), s.offset, s.corners, sum(map(len, s.cells.values()))) for s in deck.shells]
    assert found == [(30, 0.0, (), 2), (0, 0.0, (), 1), (30, 0.5, (), 1), (30, 0.0, (0.1, 0.2, 0.3), 1)]


@pytest.mark.parametrize(
    ("card", "reason"),
    [
        ("CONM2,20,77,,2.", "CONM2 20 (line 10): node 77 is not in the file"),
        ("CONM2,20,1,,two", "CONM2 20 (line 10): a field is missing or not a number"),
        ("CONM2,20,1,,1.+999", "CONM2 20 (line 10): a field is missing or not a number"),
        ("CONM2,20,1,9,2.,1.", "CONM2 20 (line 10): the coordinate system 9 is used but not defined"),
        ("CELAS1,20,9,1,1", "CELAS1 20 (line 10): there is no PELAS 9"),
        ("CELAS2,20", "CELAS2 20 (line 10): a field is missing or not a number"),
        ("RBE2,20,1,123478,2,3", "RBE2 20 (line 10): '123478' are not components"),
        ("MPC,20,1,9,1.", "MPC 20 (line 10): a component is not from 1 to 6"),
        ("PCOMP,20", "PCOMP 20 (line 10): a field is missing or not a number"),
        ("PBARL,20,1,,HAT2\n,1.", "PBARL 20 (line 10): the section HAT2"),
        ("CBAR,20,9,4,5,x,0.,0.\nPBAR,9,1,1.,1.,1.", "CBAR 20 (line 10): a field is missing or not a number"),
        ("MAT1,20,1.,,-3.", "MAT1 20 (line 10): a field is missing or not a number"),
    ],
)
def test_cards_that_cannot_be_used_are_reported_with_their_line(tmp_path: Path, card: str, reason: str) -> None:
    (tmp_path / "part.bdf").write_text(TETRA.format(card))
    for uses in (ALL, frozenset({"materials"})):
        losses = [
            loss for loss in read_mesh(tmp_path / "part.bdf", "m", uses=uses).losses if loss.kind != "orientation"
        ]
        assert len(losses) == 1 and reason in losses[0].text, losses


ABAQUS = """*NODE
1, 0, 0, 0
2, 1, 0, 0
3, 0, 1, 0
4, 0, 0, 1
9, 0, 0, 3
*ELEMENT, TYPE=C3D4, ELSET=all
1, 1, 2, 3, 4
{}
"""


def test_keywords_of_abaqus(tmp_path: Path) -> None:
    text = """*SOLID SECTION, ELSET=all, MATERIAL=wood, ORIENTATION=grain
*ORIENTATION, NAME=grain
1., 0., 0., 0., 1., 0.
1, 90.
*MATERIAL, NAME=Wood
*ELASTIC, TYPE=ENGINEERING CONSTANTS
10., 5., 5., 0., 0., 0., 2., 3.,
4.
*DENSITY
500.,
*ELEMENT, TYPE=SPRINGA, ELSET=s
5, 4, 9
*SPRING, ELSET=s

7.
*MPC
BEAM, 9, 1
LINK, 4, 9
TIE, 2, 3
*SURFACE, NAME=low
all, S1
*TIE, NAME=glue, POSITION TOLERANCE=0.1
9, low
*BOUNDARY
1, ENCASTRE
2, 1, 3, 0.5
*RIGID BODY, REF NODE=9, TIE NSET=pair
*NSET, NSET=pair
1, 2"""
    text = text.replace("\n\n7.", "\n,\n7.")
    deck = deck_of(tmp_path, ABAQUS.format(text), "part.inp")
    wood = deck.materials["Wood"]
    assert isinstance(wood, Anisotropic) and wood.density == 500.0
    # Abaqus gives the shear moduli as 12, 13, 23, the deck as xy, yz, zx
    assert np.diag(np.array(wood.stiffness)) == pytest.approx([10.0, 5.0, 5.0, 2.0, 4.0, 3.0])
    assert np.array(deck.frames["grain"].axes) == pytest.approx(np.array([[1, 0, 0], [0, 0, 1], [0, -1, 0]]), abs=1e-15)
    assert deck.solids[0].frame == "grain" and deck.solids[0].material == "Wood"
    (spring,) = deck.springs
    assert isinstance(spring, Spring) and spring.stiffness[0] == 7.0 and spring.axes[0] == (0.0, 0.0, 1.0)
    rigid = [tie for tie in deck.ties if isinstance(tie, RigidTie)]
    assert [(tie.node, tie.nodes.tolist()) for tie in rigid] == [(0, [4]), (4, [0, 1])]
    equations = [tie.terms for tie in deck.ties if isinstance(tie, Equation)]
    assert equations[0] == ((3, 3, -1.0), (4, 3, 1.0)) and len(equations) == 7
    (glue,) = (tie for tie in deck.ties if isinstance(tie, SurfaceTie))
    assert glue.tolerance == 0.1 and glue.nodes.tolist() == [4]
    assert [sorted(face) for face in glue.faces[0].tolist()] == [[0, 1, 2]]
    assert [(entry.components, entry.value) for entry in deck.supports] == [("123456", 0.0), ("123", 0.5)]


def test_parts_are_placed_with_their_decks(tmp_path: Path) -> None:
    text = """*PART, NAME=p
*NODE
1, 0, 0, 0
2, 1, 0, 0
3, 2, 0, 0
*ELEMENT, TYPE=B31, ELSET=b
1, 1, 2
2, 2, 3
*BEAM GENERAL SECTION, ELSET=b, SECTION=GENERAL, DENSITY=7850.
4., 1., 0.5, 2., .3
0., 1., 0.
2.1E11, 8.E10
*ELEMENT, TYPE=MASS, ELSET=m
7, 3
*MASS, ELSET=m
2.5
*END PART
*ASSEMBLY, NAME=a
*INSTANCE, NAME=one, PART=p
*END INSTANCE
*INSTANCE, NAME=two, PART=p
0., 5., 0.
0., 5., 0., 0., 5., 1., 90.
*END INSTANCE
*END ASSEMBLY
"""
    deck = deck_of(tmp_path, text, "part.inp")
    first, second = deck.beams
    assert first.direction == pytest.approx((0.0, 1.0, 0.0)) and second.direction == pytest.approx((-1.0, 0.0, 0.0))
    assert (first.Iy, first.Iyz, first.Iz, first.J) == (1.0, 0.5, 2.0, 0.3)
    assert deck.materials[first.material].density == 7850.0
    assert [(mass.node, mass.mass) for mass in deck.masses] == [(2, 2.5), (5, 2.5)]


@pytest.mark.parametrize(
    ("keyword", "reason"),
    [
        ("*BOUNDARY\ngone, 1", "*BOUNDARY (line 9): there is no node or node set 'gone'"),
        ("*BOUNDARY\n77, 1", "*BOUNDARY (line 9): there is no node or node set '77'"),
        ("*MPC\nUSER, 1, 2", "*MPC (line 9): 'USER, 1, 2' is not BEAM, LINK, PIN or TIE"),
        ("*EQUATION\n3\n1, 1, 1.", "*EQUATION (line 9): an equation has too few terms"),
        (
            "*COUPLING, REF NODE=9, SURFACE=gone\n*KINEMATIC",
            "*KINEMATIC (line 10): there is no node or node set 'gone'",
        ),
        ("*SOLID SECTION, ELSET=all, MATERIAL=m, ORIENTATION=o", "(line 9): there is no usable orientation 'o'"),
        ("*MATERIAL, NAME=m\n*ELASTIC\nsteel, 0.3", "*ELASTIC (line 10) of the material 'm' cannot be read"),
        ("*ELEMENT, TYPE=MASS, ELSET=m\n5, 77\n*MASS, ELSET=m\n2.", "*MASS (line 11): node 77 is not in the file"),
        ("*ELEMENT, TYPE=MASS, ELSET=m\n5, 9\n*MASS, ELSET=m\n1e999", "*MASS (line 11): a value is missing or not a n"),
    ],
)
def test_keywords_that_cannot_be_used_are_reported_with_their_line(tmp_path: Path, keyword: str, reason: str) -> None:
    (tmp_path / "part.inp").write_text(ABAQUS.format(keyword))
    losses = read_mesh(tmp_path / "part.inp", "m", uses=ALL).losses
    assert len(losses) == 1 and reason in losses[0].text, losses


def test_the_axes_of_a_cylindrical_system() -> None:
    frame = Frame("C", (1.0, 0.0, 0.0), ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)))
    axes = frame.axes_at(np.array([1.0, 2.0, 5.0]))
    assert axes == pytest.approx(np.array([[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]), abs=1e-15)


def test_the_summary_of_a_deck() -> None:
    deck = read_mesh(DECKS / "bracket.inp", "mm").deck
    assert deck is not None
    found = dict(deck_summary(deck))
    assert found["shells"] == "pid_2 (t = 0.00075 m, 2 layers), pid_3 (t = 0.0015 m)"
    assert found["ties"] == "1 rigid, 1 averaged, 1 equations" and found["masses"] == "1, 0.2 kg in total"
