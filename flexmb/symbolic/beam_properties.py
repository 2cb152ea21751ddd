"""Length, mass and stiffness of the uniform beams of a model with the formulas of their symbols.

circle A = pi r^2, I = pi r^4/4;   tube: differences of these;   rectangle A = y z, Iy = y z^3/12, Iz = z y^3/12;
I section: rectangle minus the two rectangles beside the web;   general: its constants
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from flexmb.elements.material import MATERIALS
from flexmb.model.expressions.nodes import SymbolicValue
from flexmb.model.schema.beams import BeamBody
from flexmb.model.schema.model_spec import ModelSpec
from flexmb.model.schema.table import Table
from flexmb.symbolic.engine import Rational, Scalar, engine
from flexmb.symbolic.expressions import formula_of
from flexmb.symbolic.numbers import physical
from flexmb.symbolic.unit_beam import BeamProperties

Section = tuple[Scalar, Scalar, Scalar]
"""A, Iy, Iz"""


def beam_properties(spec: ModelSpec, table: BeamBody, length: Scalar) -> BeamProperties:
    """Properties of a beam with one section."""
    A, Iy, Iz = section_formulas(_section(spec, table))
    E, density = (formula_of(value) for value in _material(spec, table))
    bending = physical(E * Iz), physical(E * Iy)
    return BeamProperties(length, physical(density * A), physical(E * A), bending)


def obstacles(table: BeamBody) -> list[str]:
    """Features of a beam that have no formulas."""
    found = [] if table.section is not None else ["several sections"]
    found += ["lumped masses"] if table.masses else []
    found += ["shear deformation"] if table.shear else []
    found += ["rotary inertia"] if table.rotary_inertia else []
    return found + (["torsion shapes"] if table.shapes.twists else [])


def depends_on_symbols(spec: ModelSpec, table: BeamBody, length: Scalar) -> bool:
    """Whether a number of a beam carries a formula, or its length does."""
    section, material = table.section, table.material
    numbers = [*_numbers(table), *_numbers(spec.sections.get(section) if isinstance(section, str) else None)]
    numbers += list(_numbers(spec.materials.get(material) if isinstance(material, str) else None))
    return bool(getattr(length, "free_symbols", ())) or any(isinstance(x, SymbolicValue) for x in numbers)


def _numbers(value: Any) -> Iterator[float]:
    """All numbers of a table that the integrals depend on."""
    if isinstance(value, float):
        yield value
    elif isinstance(value, (tuple, list)):
        for entry in value:
            yield from _numbers(entry)
    elif isinstance(value, Table):
        left_out = {"beam", "markers", "elastic_position", "elastic_velocity", "velocity", "angular_velocity", "color"}
        for key, entry in value:
            if key not in left_out:
                yield from _numbers(entry)


def _section(spec: ModelSpec, table: BeamBody) -> Any:
    return spec.sections[table.section] if isinstance(table.section, str) else table.section


def _material(spec: ModelSpec, table: BeamBody) -> tuple[float, float]:
    """E and density."""
    material: Any = table.material
    if isinstance(material, str):
        material = spec.materials[material] if material in spec.materials else MATERIALS[material]
    return material.E, material.density


def section_formulas(section: Any) -> Section:
    """A [m^2], Iy and Iz [m^4] of a section of the model."""
    return SECTIONS[section.type](section)


def _circle(section: Any) -> Section:
    r = formula_of(section.radius) if section.radius is not None else formula_of(section.diameter) / 2
    I = engine.pi * r**4 / 4
    return engine.pi * r**2, I, I


def _tube(section: Any) -> Section:
    outer, inner = formula_of(section.outer), formula_of(section.inner)
    I = engine.pi * (outer**4 - inner**4) / 4
    return engine.pi * (outer**2 - inner**2), I, I


def _rectangle(section: Any) -> Section:
    y, z = formula_of(section.y), formula_of(section.z)
    return y * z, y * z**3 * Rational(1, 12), z * y**3 * Rational(1, 12)


def _i_section(section: Any) -> Section:
    height, width = formula_of(section.height), formula_of(section.width)
    flange, web = formula_of(section.flange), formula_of(section.web)
    clear = height - 2 * flange
    Iy = (width * height**3 - (width - web) * clear**3) * Rational(1, 12)
    return 2 * width * flange + clear * web, Iy, (2 * flange * width**3 + clear * web**3) * Rational(1, 12)


def _general(section: Any) -> Section:
    Iy, Iz = ((section.I if own is None else own) for own in (section.Iy, section.Iz))
    return formula_of(section.A), formula_of(Iy), formula_of(Iz)


SECTIONS: dict[str, Callable[[Any], Section]] = {
    "circle": _circle,
    "tube": _tube,
    "rectangle": _rectangle,
    "I": _i_section,
    "general": _general,
}
