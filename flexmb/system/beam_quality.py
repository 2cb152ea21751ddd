"""Quality of the shapes of beams for what acts on them in a mechanism, judged as that of a meshed body is.

Statics: the compliance under every load that joints, forces and springs can apply and that is in equilibrium, with the
shapes against a beam whose constraint shapes are exact there:
    F = I^T K^-1 I,   largest e of (F_exact - F_shapes) c = e F_exact c   (0: exact, 1: rigid)
Whatever the supports of the beam, its compliance is short by at most e: nothing is assumed about them.
Dynamics: the first elastic frequencies of the whole mechanism at rest in the design position, with the shapes of this
beam against exact ones. A beam in a plane mechanism is judged in that plane only.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from flexmb.arrays import Floats
from flexmb.bodies.flexible_body import FlexibleBody
from flexmb.elements.beam_shapes import BENDING
from flexmb.model.schema.beams import BeamBody
from flexmb.model.schema.model_spec import ModelSpec
from flexmb.reduction.beam_basis import BeamBasis
from flexmb.system.beam_interfaces import Interface, interfaces_of, planar_normal
from flexmb.system.flexible_placement import basis_of, beam_data
from flexmb.system.linear_mechanism import RIGID, LinearMechanism, all_shapes, beam_motion, null_space
from flexmb.system.mechanism import Mechanism

COMPARED = 3
"""Frequencies of the mechanism that are compared."""
BAND = 3.0
"""Frequencies up to this multiple of the first are judged: those above move little in a motion that the first rules."""
_REFERENCE_MODES = 6
_NO_COMPLIANCE = 1e-3
"""Part of the largest compliance below which a combination of loads is not judged: it bends the beam hardly at all."""
_ROUND_OFF = 1e-6
"""Part of the compliance of the softest shape that is round-off: loads that do not bend the beam."""
_MOST_UNKNOWNS = 500
"""Coordinates of the mechanism up to which its frequencies are compared."""
_MOST_BEAMS = 8
"""Beams up to which each is compared by itself; more are compared together."""


@dataclass(frozen=True)
class BeamQuality:
    """Errors of the shapes of one beam."""

    compliance: float = 0.0
    """Largest part of the compliance that is missing, 0 to 1"""
    by: str = ""
    """Joint or force where it is missing most"""
    frequencies: tuple[float, ...] = ()
    """Relative errors of the first frequencies of the mechanism, in the band; infinite: the mode does not exist"""

    @property
    def frequency(self) -> float:
        """The largest error of a frequency."""
        return max(self.frequencies, default=0.0)


def beam_qualities(spec: ModelSpec, mechanism: Mechanism) -> dict[str, BeamQuality]:
    """The quality of every beam of a placed model; found once for a mechanism."""
    if mechanism.beam_qualities is None:
        mechanism.beam_qualities = _found_qualities(spec, mechanism)
    return mechanism.beam_qualities


def _found_qualities(spec: ModelSpec, mechanism: Mechanism) -> dict[str, BeamQuality]:
    bases = _bases(mechanism)
    if not bases:
        return {}
    normal = planar_normal(spec, mechanism)
    exact = {name: _reference(spec, mechanism, name, bases[name], normal) for name in bases}
    own = {name: _in_planes(bases[name], _planes(mechanism, name, normal)) for name in bases}
    frequencies = _frequency_errors(spec, mechanism, own, exact)
    found = {}
    for name in bases:
        error, by = compliance_error(own[name], exact[name], interfaces_of(spec, mechanism, name), mechanism)
        found[name] = BeamQuality(error, by, frequencies.get(name, ()))
    return found


def quality_with(spec: ModelSpec, mechanism: Mechanism, name: str, basis: BeamBasis) -> BeamQuality:
    """The quality of one beam if it had this basis, all others being exact."""
    normal = planar_normal(spec, mechanism)
    bases = _bases(mechanism)
    exact = {other: _reference(spec, mechanism, other, bases[other], normal) for other in bases}
    own = _in_planes(basis, _planes(mechanism, name, normal))
    error, by = compliance_error(own, exact[name], interfaces_of(spec, mechanism, name), mechanism)
    return BeamQuality(error, by, _frequency_errors(spec, mechanism, {name: own}, exact).get(name, ()))


def compliance_error(
    basis: BeamBasis, exact: BeamBasis, interfaces: Sequence[Interface], mechanism: Mechanism
) -> tuple[float, str]:
    """Largest missing part of the compliance under loads in equilibrium, and what applies the load there."""
    if not interfaces:
        return 0.0, ""
    owners = [i.by for i in interfaces for _ in range(len(i.forces) + len(i.moments))]
    (rigid, elastic), (_, reduced) = _work(exact, interfaces, mechanism), _work(basis, interfaces, mechanism)
    balanced = null_space(rigid)
    if not balanced.shape[1]:
        return 0.0, ""
    F = _compliance(elastic @ balanced, exact.stiffness)
    F_reduced = _compliance(reduced @ balanced, basis.stiffness)
    values, vectors = np.linalg.eigh(F)
    softest = float(np.diag(np.linalg.inv(exact.stiffness)).max(initial=0.0)) if len(exact.stiffness) else 0.0
    kept = values > max(_NO_COMPLIANCE * float(values[-1]), _ROUND_OFF * softest)
    if not np.any(kept):
        return 0.0, ""
    root = vectors[:, kept] / np.sqrt(values[kept])
    errors, directions = np.linalg.eigh(root.T @ (F - F_reduced) @ root)
    share = np.abs(balanced @ root @ directions[:, -1])
    return float(np.clip(errors[-1], 0.0, 1.0)), owners[int(np.argmax(share))]


def _work(basis: BeamBasis, interfaces: Sequence[Interface], mechanism: Mechanism) -> tuple[Floats, Floats]:
    """(6, n_loads) work of unit loads on the rigid motions and (n, n_loads) on the shapes; moments per length."""
    shapes = all_shapes(basis)
    columns = []
    for interface in interfaces:
        shift, turn = beam_motion(shapes, basis.length, mechanism.markers[interface.marker].p_b, np.eye(3))
        columns += [shift @ interface.forces.T, basis.length * turn @ interface.moments.T]
    work = np.hstack(columns)
    scale = np.array([1.0, 1.0 / basis.length, 1.0, 1.0 / basis.length, 1.0, 1.0 / basis.length])
    return work[:RIGID] * scale[:, None], work[RIGID:]


def _compliance(work: Floats, stiffness: Floats) -> Floats:
    if not len(stiffness):
        return np.zeros((work.shape[1], work.shape[1]))
    found = work.T @ np.linalg.solve(stiffness, work)
    return np.asarray(0.5 * (found + found.T))


def _frequency_errors(
    spec: ModelSpec, mechanism: Mechanism, own: dict[str, BeamBasis], exact: dict[str, BeamBasis]
) -> dict[str, tuple[float, ...]]:
    """Errors of the first frequencies by the shapes of each beam, or of all together where they are many."""
    if RIGID * len(mechanism.bodies) + sum(len(basis.shapes) for basis in exact.values()) > _MOST_UNKNOWNS:
        return {}
    wanted = LinearMechanism(spec, mechanism, exact).frequencies(COMPARED)
    if not wanted.size:
        return {}
    wanted = wanted[wanted <= BAND * wanted[0]]

    def errors(bases: dict[str, BeamBasis]) -> tuple[float, ...]:
        found = LinearMechanism(spec, mechanism, bases).frequencies(len(wanted))
        padded = np.concatenate([found, np.full(len(wanted) - len(found), math.inf)])
        return tuple(float(max(f / w - 1.0, 0.0)) if w > 0.0 else 0.0 for f, w in zip(padded, wanted, strict=True))

    if len(own) > _MOST_BEAMS:
        return dict.fromkeys(own, errors({**exact, **own}))
    return {name: errors({**exact, name: basis}) for name, basis in own.items()}


def _bases(mechanism: Mechanism) -> dict[str, BeamBasis]:
    return {
        body.name: body.basis
        for body in mechanism.bodies
        if isinstance(body, FlexibleBody) and body.basis is not None and body.n_modes
    }


def _planes(mechanism: Mechanism, name: str, normal: Floats | None) -> tuple[str, ...]:
    """Components in which a beam is judged: in a plane mechanism only the one across which it bends."""
    if normal is None:
        return ("y", "z", "u", "t")
    R_wb = mechanism.bodies[mechanism.body_index[name]].R_wb
    for plane, out in (("y", R_wb[:, 2]), ("z", R_wb[:, 1])):
        if abs(abs(out @ normal) - 1.0) < 1e-9:
            return (plane, "u")
    return ("y", "z", "u", "t")


def _in_planes(basis: BeamBasis, planes: tuple[str, ...]) -> BeamBasis:
    """The basis with the shapes of some components only."""
    kept = [k for k, shape in enumerate(basis.shapes) if shape.component in planes]
    block = np.ix_(kept, kept)
    return replace(
        basis,
        shapes=tuple(basis.shapes[k] for k in kept),
        stiffness=basis.stiffness[block],
        mass=basis.mass[block],
        damping=basis.damping[block],
    )


def _reference(spec: ModelSpec, mechanism: Mechanism, name: str, basis: BeamBasis, normal: Floats | None) -> BeamBasis:
    """Exact constraint shapes and many modes in the components in which the beam has shapes and is judged."""
    exact = automatic_basis(spec, mechanism, name, basis, _REFERENCE_MODES, 3, "chord")
    return _in_planes(exact, _planes(mechanism, name, normal))


def automatic_basis(
    spec: ModelSpec, mechanism: Mechanism, name: str, basis: BeamBasis, modes: int, others: int, frame: str
) -> BeamBasis:
    """The basis that flexmb would choose in the components that `basis` has, with these counts of modes and others."""
    body = spec.bodies[name]
    assert isinstance(body, BeamBody)
    data = beam_data(spec, body)
    components = {shape.component for shape in basis.shapes}
    stations = tuple(sorted({interface.x for interface in interfaces_of(spec, mechanism, name)}))
    planes = tuple(modes if plane in components else 0 for plane in BENDING)
    shapes: dict[str, Any] = {"family": "auto", "bending": planes, "supports": None, "elements": None}
    shapes |= {"axial": others * ("u" in components), "torsion": others * ("t" in components)}
    made = replace(data, shapes=data.shapes.model_copy(update=shapes), frame=frame, damping=None, stations=stations)
    return basis_of(made)
