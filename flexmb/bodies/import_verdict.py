"""Judgement of an import: does the body hold what the mesh file holds, in the right unit, by the deck's formulation?

Input: the mesh with its losses, the assembled model, mass and size of the body, the ties. Output: losses with their
final level, which the verdict of the body lists first. Ties of the deck that an interface replaces are no loss; a lost
mass counts by its share of the body, in the worst of the units that decks of this unit of length use.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from flexmb.elements.fe_model import FEModel
from flexmb.elements.formulations import other_formulations
from flexmb.mesh.length_units import UNITS
from flexmb.mesh.losses import Loss, in_order, percent
from flexmb.mesh.mesh import Mesh
from flexmb.reduction.interfaces import Interface

SMALL_MASS = 0.01
"""Part of the body's mass below which a lost mass is no reason for the worst level."""
USUAL_MASS = (1e-5, 2e4)
"""[kg] masses of machine parts: another mass with a guessed unit is taken for a wrong unit"""
USUAL_SIZE = (5e-4, 20.0)
"""[m] sizes of machine parts"""
POSSIBLE_MASS, POSSIBLE_SIZE = (1e-12, 1e7), (1e-7, 1e3)
"""The same when the unit was given: beyond these the number is hardly meant"""
_MASS_UNITS = {"m": (1.0,), "mm": (1e3, 1.0), "cm": (1.0, 1e-3), "inch": (175.127, 0.45359), "ft": (14.594, 0.45359)}
"""Unit of length -> units of mass that decks use with it [kg]"""


def import_losses(mesh: Mesh, model: FEModel, interfaces: Sequence[Interface], mass: float, hex8: str) -> list[Loss]:
    """All losses with their final level, worst first; mass : of the body [kg]."""
    losses = list(_unit_losses(mesh, mass))
    if model.mesh is None:  # matrices computed elsewhere hold what the mesh lacks
        return in_order(losses)
    for loss in mesh.losses:
        if loss.kind == "masses":
            losses.append(_weighed(loss, mass, mesh.unit))
        elif loss.kind == "ties" and loss.sets:
            losses += _ties_left(loss, mesh, interfaces)
        elif not _is_made_good(loss, model):
            losses.append(loss)
    trusses = model.beams is not None and model.beams.trusses is not None
    return in_order([*losses, *other_formulations(mesh.elements, hex8, trusses)])


def _unit_losses(mesh: Mesh, mass: float) -> Iterator[Loss]:
    size = float(np.ptp(mesh.points, axis=0).max())
    masses, sizes = (USUAL_MASS, USUAL_SIZE) if mesh.unit_guessed else (POSSIBLE_MASS, POSSIBLE_SIZE)
    usual = masses[0] <= mass <= masses[1] and sizes[0] <= size <= sizes[1]
    found = f"the part is {length_text(size)} long and weighs {mass_text(mass)}"
    if mesh.unit_guessed:
        other = "mm" if mesh.unit == "m" else "m"
        ratio = UNITS[other] / UNITS[mesh.unit]
        instead = f"in {other} it would be {length_text(ratio * size)} and {mass_text(ratio**3 * mass)}"
        text = f"the unit of length was guessed: in {mesh.unit} {found}, {instead}; give --unit"
        yield Loss("unit", text, level="care" if usual else "bad")
    elif not usual:
        yield Loss("unit", f"{found}: check the unit {mesh.unit} and the density")


def _weighed(loss: Loss, mass: float, unit: str) -> Loss:
    """A lost mass with its share of the mass of the body."""
    if loss.mass is None:
        return replace(loss, level="bad")
    shares = [abs(loss.mass) * kilograms / mass for kilograms in _MASS_UNITS.get(unit, (1.0, 1e3))]
    parts = " or ".join(percent(share) for share in shares)
    by_unit = ", by the unit of mass of the file" if len(shares) > 1 else ""
    text = loss.text.replace(" left out:", f" ({parts} of the mass of the body{by_unit}) left out:", 1)
    return replace(loss, level="bad" if max(shares) > SMALL_MASS else "care", share=max(shares), text=text)


def _ties_left(loss: Loss, mesh: Mesh, interfaces: Sequence[Interface]) -> list[Loss]:
    """The loss of those ties whose nodes no interface holds."""
    held = [interface.nodes for interface in interfaces if interface.tie != "follower"]
    nodes = {name: mesh.node_sets.get(name) for name in loss.sets}
    left = [name for name, own in nodes.items() if own is None or not any(np.isin(own, these).all() for these in held)]
    if not left or len(left) == len(loss.sets):
        return [loss] if left else []
    text = f"ties on {', '.join(left[:5])}{', ...' if len(left) > 5 else ''} left out: tie them by --interface too"
    return [replace(loss, count=len(left), sets=tuple(left), text=text)]


def _is_made_good(loss: Loss, model: FEModel) -> bool:
    """Whether the request holds what the reader left out: materials by set, sections whose axes do not matter."""
    parts = [part for part in (model.elastic, model.beams) if part is not None]
    if loss.kind == "materials" and loss.count > 1:
        return len({material for part in parts for material in part.materials}) >= loss.count
    if loss.kind not in ("sections", "orientation") or loss.left:
        return False
    if model.beams is None:
        return True
    sections = set(model.beams.sections)
    if loss.kind == "sections":
        return len(sections) >= loss.count
    return all(section.Iy == section.Iz for section in sections)


def mass_text(mass: float) -> str:
    """Mass with a readable unit: "2,583 t", "1.52 kg", "2.6 g"."""
    if mass >= 1e4:
        return f"{mass / 1e3:,.4g} t" if mass < 1e6 else f"{mass / 1e3:,.0f} t"
    return f"{mass:.4g} kg" if mass >= 0.1 else f"{1e3 * mass:.4g} g"


def length_text(size: float) -> str:
    """Length with a readable unit."""
    return f"{size:.4g} m" if size >= 1.0 else f"{1e3 * size:.4g} mm"
