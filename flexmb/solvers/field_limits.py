"""Limits of the deformation fields of flexible bodies, and checks whether a state is within them.

A quadratic field of order 1 or 2 has a kinetic energy truncated after the second or third power, and its mass matrix
loses definiteness at bows of some percent of the length (theory 3.3). A body alone may pass that limit while the
mechanism, whose joints forbid the critical motion, does not: the criterion is N^T M N with N the motions that the
constraints allow. An exact field ends where the centre line is perpendicular to the x axis of its frame.
"""

from __future__ import annotations

import numpy as np

from flexmb.arrays import Floats
from flexmb.bodies.deflection import largest_deflection, steepest_slope
from flexmb.bodies.exact_beam import ExactBeam
from flexmb.bodies.flexible_body import FlexibleBody
from flexmb.bodies.invariants import Invariants
from flexmb.solvers.body_slices import body_slices
from flexmb.solvers.mechanics import Mechanics, Solvable
from flexmb.system.system import System

INDEFINITE = 1e-9  # eigenvalues of a mass matrix of unit diagonal below minus this are negative, not round-off
NEARLY = 0.05  # fraction of the smallest eigenvalue of the undeformed mechanism: definiteness is nearly lost
FOLDED = 0.9  # slope of the centre line (at most 1) that counts as folded when a step fails
DEPENDENT = 1e-8  # singular values of the constraints below this fraction of the largest count as zero


class FieldLimits:
    """Checks of the states of a system; none for a system without flexible bodies."""

    def __init__(self, system: Solvable):
        bodies = system.mechanism.bodies if isinstance(system, System) else []
        self.bodies = [body for body in bodies if isinstance(body, FlexibleBody) and body.n_modes]
        self.truncated = [body for body in self.bodies if is_truncated(body)]
        starts = {channel.path: channel.start for channel in system.channels} if self.bodies else {}
        self.columns = {body.name: starts[f"bodies/{body.name}/elastic_position"] for body in self.bodies}
        self.q_column = starts.get("coordinates/q", 0)
        slices = body_slices(system) if isinstance(system, System) and self.bodies else {}
        self.places = {name: elastic for name, (_, elastic, _) in slices.items()}
        """Elastic coordinates of every body in W"""
        self.system = system
        self._mechanics: Mechanics | None = None

    def fault_in(self, rows: Floats) -> str:
        """Fault in a block of output rows (rows, n_out), checked where each body is bent most; else ""."""
        for body in self.truncated if len(rows) else ():
            first = self.columns[body.name]
            row = rows[int(np.argmax(np.abs(rows[:, first : first + body.n_modes]).max(axis=1)))]
            m = self._scratch()
            m.t, m.q[:] = float(row[0]), row[self.q_column : self.q_column + m.n_q]
            if smallest_mass(m) < -INDEFINITE:
                return f"At t = {row[0]:.6g} s {self._truncation_text(m)}"
        return ""

    def fault_of(self, mechanics: Mechanics) -> str:
        """Fault of the state in a workspace at which a step failed; else ""."""
        if not self.bodies:
            return ""
        for body in self.bodies:
            q = mechanics.W[self.places[body.name]]
            slope = steepest_slope(body, q)
            if isinstance(body.field, ExactBeam) and not slope < FOLDED:
                return _folded_text(body, slope, largest_deflection(body, q[None]).size)
        if self.truncated:
            m = self._scratch()
            m.t, m.q[:] = mechanics.t, mechanics.q
            found = smallest_mass(m)
            for place in self.places.values():
                m.W[place] = 0.0
            if found < -INDEFINITE or INDEFINITE < found < NEARLY * smallest_mass(m):
                return self._truncation_text(mechanics)
        return ""

    def suspicion_of(self, mechanics: Mechanics) -> str:
        """Sentence on a body that, without its joints, is beyond its limit at the state in a workspace; else ""."""
        bodies = [body for body in self.truncated if own_mass(body, mechanics.W[self.places[body.name]]) < -INDEFINITE]
        if not bodies:
            return ""
        bow, cure = self._bow_and_cure(bodies[0], mechanics)
        return (
            f" Body '{bodies[0].name}' is near the limit of its quadratic field of order {bodies[0].order}{bow}: the "
            f"mass matrix may lose definiteness there. {cure}"
        )

    def _truncation_text(self, mechanics: Mechanics) -> str:
        """Sentence on the truncated body whose own mass matrix is farthest from being definite."""
        body = min(self.truncated, key=lambda body: own_mass(body, mechanics.W[self.places[body.name]]))
        bow, cure = self._bow_and_cure(body, mechanics)
        return (
            f"the mass matrix of body '{body.name}' is no longer positive definite{bow} (quadratic field of order "
            f"{body.order}, {body.n_modes} shapes): the motion from there on would be meaningless. {cure}"
        )

    def _bow_and_cure(self, body: FlexibleBody, mechanics: Mechanics) -> tuple[str, str]:
        if body.reduced is not None:
            again = "" if body.reduced.points is not None else ": regenerate its file with 'flexmb reduce --order full'"
            return "", f'Use order = "full"{again}.'
        if body.basis is None:
            return "", "Use fewer shapes, a stiffer body or smaller loads."
        size = largest_deflection(body, mechanics.W[self.places[body.name]][None]).size
        bow = f" at a deflection of {100.0 * size / body.length:.3g} % of its length"
        return bow, 'Use field = "exact" (or field = "quadratic" with order = "full").'

    def _scratch(self) -> Mechanics:
        """A workspace of its own, with all velocities zero."""
        if self._mechanics is None:
            self._mechanics = Mechanics(self.system, self.system.workspace())
            self._mechanics.v[:] = 0.0
        return self._mechanics


def _folded_text(body: FlexibleBody, slope: float, deflection: float) -> str:
    bow = f" and a deflection of {100.0 * deflection / body.length:.3g} % of its length" if deflection > 0.0 else ""
    return (
        f"beam '{body.name}' has folded: its centre line has a slope of {slope:.3g} in its frame (the field ends at 1)"
        f"{bow}. That is too much for one beam. Check its loads and its stiffness, add damping, use a smaller step if "
        "it folded suddenly, or divide it into several beams."
    )


def is_truncated(body: FlexibleBody) -> bool:
    """Whether its mass matrix may lose definiteness; that of a linear or complete field is a Gram matrix."""
    return isinstance(body.field, Invariants) and body.field.N4 is None and body.order != 0


def smallest_mass(mechanics: Mechanics) -> float:
    """Smallest eigenvalue of N^T M N, scaled to a unit diagonal, at the state in W; negative when it is indefinite."""
    m = mechanics
    m.equations()
    if not (np.all(np.isfinite(m.M)) and np.all(np.isfinite(m.G))):
        return -np.inf
    N = np.diag(m.scale)
    if m.n_rows:
        _, sigma, right = np.linalg.svd(m.G * m.scale)
        N = right[int(np.sum(sigma > DEPENDENT * max(float(sigma[0]), 1e-300))) :].T * m.scale[:, None]
    reduced = N.T @ m.M @ N
    size = np.sqrt(np.abs(np.diag(reduced)))
    size[size == 0.0] = 1.0
    return float(np.linalg.eigvalsh(reduced / np.outer(size, size))[0]) if len(reduced) else 1.0


def own_mass(body: FlexibleBody, q: Floats) -> float:
    """Smallest eigenvalue of the mass matrix of the body alone, scaled by that of the undeformed body."""
    assert isinstance(body.field, Invariants)
    n = body.n_modes
    undeformed = np.diag(body.field.mass_matrix(np.zeros(n)))[6:]
    scale = np.sqrt(np.concatenate([np.full(3, body.mass), np.full(3, body.mass * body.length**2), undeformed]))
    return float(np.linalg.eigvalsh(body.field.mass_matrix(q) / np.outer(scale, scale))[0])
