"""Warnings about data that no real part has, or that the analysis cannot resolve; known before the run.

Enters: a checked model and its mechanism; leaves: `WarningRecord`s. Nothing here is an error: published robots have
identified inertias that break the triangle inequality, and a study may want a strange material.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from flexmb.model.schema.beams import BeamBody
from flexmb.model.schema.model_spec import ModelSpec
from flexmb.model.schema.sections import Material
from flexmb.reports.marker_warnings import marker_warnings
from flexmb.reports.motion_warnings import motion_warnings
from flexmb.system.mechanism import Mechanism
from flexmb.warning import WarningRecord

TRIANGLE = 1e-6  # share of the largest principal moment by which it may exceed the sum of the others: rounded data
DENSITIES = (10.0, 30_000.0)
"""Foams are above, osmium (22,600) is below [kg/m^3]."""
MODULI = (1e5, 2e12)
"""Soft gels are above, diamond (1.2e12) is below [Pa]."""
GRAVITIES = ((9806.65, "mm/s^2"), (386.09, "in/s^2"))
_NEAR = 0.02


def data_warnings(spec: ModelSpec, mechanism: Mechanism) -> Iterator[WarningRecord]:
    """All warnings about the data of a model."""
    yield from inertia_warnings(mechanism)
    yield from material_warnings(spec)
    yield from gravity_warnings(spec)
    yield from marker_warnings(spec, mechanism)
    yield from motion_warnings(spec)


def inertia_warnings(mechanism: Mechanism) -> Iterator[WarningRecord]:
    """Bodies with a principal moment above the sum of the two others.

    J_1 + J_2 - J_3 = 2 int x_3^2 dm >= 0 for any distribution of mass. A body with a single moment, as in models of
    plane motion, is not listed: its other moments were left out, not measured.
    """
    for body in mechanism.bodies[1:]:
        if body.mass <= 0.0:
            continue
        c = body.first_moment / body.mass
        J = np.linalg.eigvalsh(body.inertia - body.mass * (c @ c * np.eye(3) - np.outer(c, c)))
        rounding = 1e-12 * float(np.abs(body.inertia).max())
        excess = float(J[2] - J[1] - J[0])
        if excess <= max(TRIANGLE * J[2], rounding) or J[1] <= max(TRIANGLE * J[2], rounding):
            continue
        yield WarningRecord(
            "inertia-triangle",
            f"body '{body.name}' has an inertia that no distribution of mass has: its principal moments are "
            f"{J[0]:.4g}, {J[1]:.4g} and {J[2]:.4g} kg*m^2, and the largest exceeds the sum of the others by "
            f"{100.0 * excess / (J[0] + J[1]):.2g} %. Check its axes, signs and units, and that it is taken about the "
            "centre of mass.",
            f"bodies.{body.name}",
            None,
            excess,
            "kg*m^2",
        )


CODES = ("material-density", "material-stiffness")
"""Codes that are chosen by a rule."""


def _materials(spec: ModelSpec) -> Iterator[tuple[str, Material]]:
    yield from ((f"materials.{name}", material) for name, material in spec.materials.items())
    for name, body in spec.bodies.items():
        if isinstance(body, BeamBody) and isinstance(body.material, Material):
            yield f"bodies.{name}.material", body.material


def material_warnings(spec: ModelSpec) -> Iterator[WarningRecord]:
    """Materials whose density or stiffness no solid has: usually g/cm^3, t/mm^3, MPa or GPa without the unit.

    A density or modulus of exactly 1 is that of a study without dimensions.
    """
    for place, material in _materials(spec):
        if 1.0 in (material.density, material.E):
            continue
        for code, value, unit, (least, most), what, hint in (
            ("material-density", material.density, "kg/m^3", DENSITIES, "a density", '"7.85 g/cm^3"'),
            ("material-stiffness", material.E, "Pa", MODULI, "a Young's modulus", '"210 GPa"'),
        ):
            if not least <= value <= most:
                yield WarningRecord(
                    code,
                    f"{place} has {what} of {value:.4g} {unit}; solids have {least:.3g} to {most:.3g} {unit}. Check "
                    f"its unit: a number without one is in {unit}, others are written as in {hint}.",
                    place,
                    None,
                    float(value),
                    unit,
                )


def gravity_warnings(spec: ModelSpec) -> Iterator[WarningRecord]:
    """Gravity that is the one of the earth in another unit."""
    size = float(np.linalg.norm(spec.model.gravity))
    for value, unit in GRAVITIES:
        if abs(size - value) <= _NEAR * value:
            yield WarningRecord(
                "gravity-unit",
                f"gravity is {size:.6g} m/s^2, which is the earth's in {unit}. A number without a unit is in m/s^2: "
                "write 9.81.",
                "model.gravity",
                None,
                size,
                "m/s^2",
            )
