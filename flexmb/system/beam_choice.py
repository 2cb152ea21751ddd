"""Shapes of beams for which the model gives none: constraint shapes for what acts on them, modes, twist and stretch.

Bending: constraint shapes at the ends and at every joint, force, spring and lump, and modes between them.
Twist: where joints, forces beside the axis or eccentric lumps pass a torque along the beam, since it is as soft as
bending; and for narrow sections, which twist first and buckle sideways by twisting. If J and G are known.
Stretch: where the axial force does not follow from equilibrium (a beam between two fixed points), because an
inextensible beam could not bend there: forces of the joints that are in equilibrium without loads stretch it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from flexmb.model.schema.beams import BeamBody, LumpedMass
from flexmb.model.schema.model_spec import ModelSpec
from flexmb.reduction.beam_basis import BeamBasis
from flexmb.system.beam_interfaces import Interface, interfaces_of
from flexmb.system.flexible_placement import basis_of, beam_data
from flexmb.system.linear_mechanism import RIGID, LinearMechanism, null_space
from flexmb.system.mechanism import Mechanism

AUTO = "auto"
_INDEPENDENT = 1e-6
"""Axial strain per unit self-stress above which it is not round-off."""
_MOST_STATIONS = 12
"""Places with constraint shapes, at most."""
_ALONG = 0.5
"""Part of a direction along the beam above which a load counts as a torque or an axial force."""
_ASIDE = 1e-6
"""Distance from the axis as a part of the length above which a force turns the beam."""
_NARROW = 0.25
"""Twisting as a part of bending stiffness, GJ / EI of the stiff plane, below which a section is narrow or open: the
twist is then among the lowest motions. Circle 0.77, square 0.65, rectangle of 1 : 2 0.26 (steel)."""


@dataclass(frozen=True)
class Choice:
    """Shapes chosen for a beam."""

    stations: tuple[float, ...]
    """Places of constraint shapes besides the ends [m]"""
    axial: int
    torsion: int


def chosen_shapes(spec: ModelSpec, provisional: Mechanism) -> dict[str, Choice]:
    """The choice for every beam without given shapes; `provisional` is the mechanism with any bending shapes."""
    beams = {
        name: body for name, body in spec.bodies.items() if isinstance(body, BeamBody) and body.shapes.family == AUTO
    }
    interfaces = {name: interfaces_of(spec, provisional, name) for name in beams}
    stretching = stretching_beams(spec, provisional, list(beams))
    choices = {}
    for name, body in beams.items():
        given = body.shapes.model_fields_set
        axial = body.shapes.axial if "axial" in given else int(name in stretching)
        torsion = body.shapes.torsion if "torsion" in given else _twist_shapes(spec, body, interfaces[name])
        # joints come first; a beam on very many springs is bent by its modes, too
        stations = list(dict.fromkeys(interface.x for interface in interfaces[name]))[:_MOST_STATIONS]
        choices[name] = Choice(tuple(sorted(stations)), axial or 0, torsion or 0)
    return choices


def _pulled(interfaces: Sequence[Interface]) -> bool:
    """Whether axial forces can enter a beam at two places."""
    return len({i.x for i in interfaces if any(abs(row[0]) > _ALONG for row in i.forces)}) > 1


def _twist_shapes(spec: ModelSpec, body: BeamBody, interfaces: Sequence[Interface]) -> int:
    """Number of twist shapes of a beam."""
    if not can_twist(spec, body):
        return 0
    data = beam_data(spec, body)
    least = _ASIDE * data.length
    held = {i.x for i in interfaces if any(abs(row[0]) > _ALONG for row in i.moments)}
    held |= {i.x for i in interfaces if any(abs(arm[0]) > least for arm in np.cross(i.aside, i.forces))}
    turned = held | {x for x, lump in data.lumps if np.abs(lump.center[1:]).max() > least or _turns(lump)}
    narrow = any(m.G * s.J < _NARROW * m.E * max(s.Iy, s.Iz) for _, s, m in data.spans if s.J is not None)
    if narrow and held:
        return 2  # the twist of a free end is right to half a per cent
    return int(len(turned) > 1)


def _turns(lump: LumpedMass) -> bool:
    """Whether a lump has an inertia about the axis of the beam."""
    return lump.inertia is not None and lump.inertia[0][0] > 0.0


def can_twist(spec: ModelSpec, body: BeamBody) -> bool:
    """Whether the torsion constants and the shear moduli of a beam are known."""
    materials = [body.material, *(step.material for step in body.sections or () if step.material is not None)]
    tables = [spec.materials.get(named) if isinstance(named, str) else named for named in materials]
    known = all(table is None or table.shear_modulus is not None for table in tables)
    return known and all(section.J is not None for _, section, _ in beam_data(spec, body).spans)


def stretching_beams(spec: ModelSpec, mechanism: Mechanism, names: list[str]) -> set[str]:
    """Beams among `names` whose axial force does not follow from equilibrium."""
    names = [name for name in names if _pulled(interfaces_of(spec, mechanism, name))]
    if not names:
        return set()
    bases: dict[str, BeamBasis] = {}
    for name in names:
        body = spec.bodies[name]
        assert isinstance(body, BeamBody)
        bases[name] = basis_of(beam_data(spec, body).with_plain_shapes(axial=1))
    linear = LinearMechanism(spec, mechanism, bases)
    columns = {}
    for name in names:
        number = mechanism.body_index[name]
        shapes = linear.bodies[number - 1].shapes
        columns[name] = int(linear.starts[number - 1]) + next(
            k for k, shape in enumerate(shapes) if k >= RIGID and shape.component == "u"
        )
    rest = np.delete(linear.rows, list(columns.values()), axis=1)
    self_stress = null_space(rest.T)  # multipliers that are in equilibrium without loads
    found = {name: self_stress.T @ linear.rows[:, column] for name, column in columns.items()}
    return {name for name, axial in found.items() if np.linalg.norm(axial) > _INDEPENDENT}
