"""Sections of Abaqus and CalculiX: *SOLID SECTION, *SHELL SECTION, *BEAM SECTION, *BEAM GENERAL SECTION.

Input: a keyword block and the cells of its element set. Output: properties of the deck. Axis 1 of a beam section (n1)
is y here, axis 2 is z: I11 = int z^2 dA is Iy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import radians

import numpy as np

from flexmb.arrays import Floats
from flexmb.mesh.deck import (
    BeamProperty,
    CellNumbers,
    Isotropic,
    Layer,
    ShellProperty,
    SolidProperty,
    Vector,
)
from flexmb.mesh.formats.abaqus_frames import Orientation
from flexmb.mesh.formats.abaqus_materials import Materials, numbers
from flexmb.mesh.formats.abaqus_text import Block
from flexmb.mesh.mesh import LINES, SOLIDS, SURFACES
from flexmb.mesh.raw import RawCells

WORDS = (
    "SOLID SECTION",
    "SHELL SECTION",
    "MEMBRANE SECTION",
    "BEAM SECTION",
    "BEAM GENERAL SECTION",
)
_N1 = (0.0, 0.0, -1.0)
"""Default direction of axis 1"""


class Unusable(Exception):
    """Reason why a keyword cannot be used."""


@dataclass
class SectionReader:
    """Makes properties of sections."""

    materials: Materials
    orientations: Mapping[str, Orientation]
    """Upper-case name -> orientation of the current scope"""
    frame_name: Callable[[Orientation, bool], str]
    """Enters the system of an orientation, of shells (True) or solids, into the deck; returns its name"""

    def read(
        self, block: Block, name: str, cells: CellNumbers, raw: list[RawCells], turn: Floats
    ) -> Iterator[SolidProperty | ShellProperty | BeamProperty]:
        """Properties of a section; turn : (3, 3) rotation of the instance."""
        solids, shells, lines = (_only(cells, raw, kinds) for kinds in (SOLIDS, SURFACES, LINES))
        material = self.materials.name(block.name("MATERIAL"))
        if block.word == "SOLID SECTION" and solids:
            yield SolidProperty(name, solids, material, self._solid_frame(block))
        if block.word == "SOLID SECTION" and lines and block.lines:
            yield BeamProperty(name, lines, material, A=numbers(block.lines, 1)[0], is_truss=True)
        if block.word in ("SHELL SECTION", "MEMBRANE SECTION") and shells:
            yield self._shell(block, name, shells, material)
        if block.word in ("BEAM SECTION", "BEAM GENERAL SECTION") and lines:
            yield self._beam(block, name, lines, material, turn)

    def _orientation(self, block: Block) -> Orientation | None:
        word = block.name("ORIENTATION")
        if not word:
            return None
        if word.upper() not in self.orientations:
            raise Unusable(f"there is no usable orientation '{word[:40]}'")
        return self.orientations[word.upper()]

    def _solid_frame(self, block: Block) -> str:
        orientation = self._orientation(block)
        return self.frame_name(orientation, False) if orientation else ""

    def _shell(self, block: Block, name: str, cells: CellNumbers, material: str) -> ShellProperty:
        if "NODAL THICKNESS" in block.parameters or block.name("SHELL THICKNESS"):
            raise Unusable("its thickness is given by nodes or a distribution")
        orientation = self._orientation(block)
        layers: tuple[Layer, ...] = ()
        if "COMPOSITE" in block.parameters:
            layers = tuple(self._layer(line) for line in block.lines if line.strip(", "))
            thickness, material = sum(layer.thickness for layer in layers), ""
        else:
            thickness = numbers(block.lines, 1)[0]
        if not thickness > 0.0:
            raise Unusable("its thickness is not above zero")
        directed = bool(layers) or not isinstance(self.materials.found.get(material), Isotropic | None)
        frame, angle = "", 0.0
        if orientation is not None and directed:
            frame, angle = self.frame_name(orientation, True), orientation.angle
        membrane = block.word == "MEMBRANE SECTION"
        offset = -_offset(block) * thickness
        return ShellProperty(
            name, cells, material, thickness, offset, layers, frame, angle, bending="" if membrane else None
        )

    def _layer(self, line: str) -> Layer:
        fields = [field.strip() for field in line.split(",")]
        if len(fields) < 3:
            raise Unusable("a layer has no material")
        angle = 0.0
        if len(fields) > 3 and fields[3]:
            try:
                angle = radians(float(fields[3]))
            except ValueError:
                raise Unusable("a layer has an orientation of its own") from None
        return Layer(self.materials.name(fields[2].strip('"')), numbers([fields[0]], 1)[0], angle)

    def _beam(self, block: Block, name: str, cells: CellNumbers, material: str, turn: Floats) -> BeamProperty:
        kind = block.name("SECTION").upper() or "GENERAL"
        n1 = np.array(numbers(block.lines[1:2], 3, at_least=0)) if len(block.lines) > 1 else np.array(_N1)
        v = turn @ (n1 if n1.any() else np.array(_N1))
        direction: Vector = (float(v[0]), float(v[1]), float(v[2]))
        if kind == "GENERAL":
            A, I11, I12, I22, last = numbers(block.lines[:1], 5, at_least=4)
            values = {"A": A, "Iy": I11, "Iyz": I12, "Iz": I22}
            if block.word == "BEAM GENERAL SECTION":
                material = self._own_material(block, name)
                return BeamProperty(name, cells, material, J=last, direction=direction, **values)  # type: ignore[arg-type]
            shear = {"shear_y": last, "shear_z": last}  # CalculiX
            return BeamProperty(name, cells, material, direction=direction, **values, **shear)  # type: ignore[arg-type]
        shape, dimensions = _shape(kind, block.lines[0])
        if block.word == "BEAM GENERAL SECTION":
            material = self._own_material(block, name)
        return BeamProperty(name, cells, material, shape=shape, dimensions=dimensions, direction=direction)

    def _own_material(self, block: Block, name: str) -> str:
        """The material that *BEAM GENERAL SECTION gives itself: E and G on the third line, DENSITY beside."""
        E, G = numbers(block.lines[2:3], 2)
        density = float(block.name("DENSITY") or 0.0)
        if not (E > 0.0 and G > 0.0):
            raise Unusable("its moduli are not above zero")
        key = f"{name} section"
        self.materials.found[key] = Isotropic(E, E / (2.0 * G) - 1.0, G, 0.0)
        self.materials.densities[key] = density
        return key


def _only(cells: CellNumbers, raw: list[RawCells], kinds: Iterable[str]) -> CellNumbers:
    return {block: rows for block, rows in cells.items() if raw[block].kind in kinds}


def _offset(block: Block) -> float:
    """OFFSET of a shell as part of the thickness: from the middle surface to the nodes."""
    word = block.name("OFFSET").upper()
    if word in ("SPOS", "SNEG"):
        return 0.5 if word == "SPOS" else -0.5
    try:
        return float(word) if word else 0.0
    except ValueError:
        raise Unusable("its offset is given by a distribution") from None


def _shape(kind: str, line: str) -> tuple[str, tuple[float, ...]]:
    """Shape and dimensions of `elements/deck_sections.py`."""
    if kind == "RECT":
        return "rectangle", numbers([line], 2)
    if kind == "CIRC":
        sizes = numbers([line], 2, at_least=1)
        if sizes[1] not in (0.0, sizes[0]):  # CalculiX: an ellipse
            raise Unusable("its section is an ellipse")
        return "circle", sizes[:1]
    if kind == "PIPE":
        outer, wall = numbers([line], 2)
        return "tube", (outer, outer - wall)
    if kind == "BOX":
        y, z, t1, t2, t3, t4 = numbers([line], 6)
        if t1 != t3 or t2 != t4:
            raise Unusable("opposite walls of its box differ")
        return "box", (y, z, t1, t2)
    if kind == "I":
        _, height, lower, upper, t_lower, t_upper, web = numbers([line], 7)
        return "i_z", (height, lower, upper, web, t_lower, t_upper)
    raise Unusable(f"the section {kind[:20]} is not known")
