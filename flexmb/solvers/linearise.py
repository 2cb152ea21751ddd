"""Linearised equations of a mechanism about a state: x' = A x + B u, z = C x + D u.

In: a system and a workspace with time, coordinates and velocities that satisfy the constraints. Out: a `Linearisation`.
The constraints are eliminated: independent coordinates y and velocities w are moved, all others follow as the rows
require to first order (PHI = 0, PHI_DOT = 0), and the accelerations are those of

    M a + G^T lam = -BIAS,   G a = -GAM,

so that the curvature of the constraint surface, d(G^T lam)/dq, is in A (`flexmb.solvers.linear_columns`). Small
rotations are measured in the rotating frame, hence y' = w - omega x y. Prescribed motions are inputs by their
acceleration: the departure of a motion from its law and its rate are states.
Negrut & Ortiz, J. Comput. Nonlinear Dyn. 1 (2006) 230, "A practical approach for the linearization of the constrained
multibody dynamics equations".
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from flexmb.arrays import Floats
from flexmb.errors import ComputationError
from flexmb.layout import flat_arrays as L
from flexmb.solvers.linear_columns import by_inputs, by_states
from flexmb.solvers.linear_point import Point
from flexmb.system.system import System
from flexmb.warning import WarningRecord

STILL = 1e-9  # rad, fractions of the length: distance from an equilibrium that counts as zero
FAR = 10.0  # in the same units: an equilibrium farther away does not count
FREE = 1e-12  # fraction of the largest stiffness that counts as zero
AHEAD = 1e-3  # rad, fractions of the length: motion of the mechanism before A is computed again
CONSTANT = 1e-2  # relative change of A in a motion by 1 rad that counts as zero


@dataclass(frozen=True)
class Linearisation:
    """x' = A x + B u, z = C x + D u about a state; x = (y, w, then motions and their rates)."""

    A: Floats
    B: Floats
    C: Floats
    D: Floats
    states: tuple[str, ...]
    """Independent coordinates y, independent velocities w ("NAME.rate"), then the motions likewise."""
    inputs: tuple[str, ...]
    """Loads by name and component, and motions ("NAME.acceleration")."""
    outputs: tuple[str, ...]
    """Sensors."""
    n_y: int
    n_w: int
    M: Floats
    """(n_w, n_w) mass matrix of the independent velocities."""
    damping: Floats | None
    """M y'' + damping y' + stiffness y = B u; None when rolling leaves fewer velocities than coordinates free."""
    stiffness: Floats | None
    free_q: tuple[int, ...]
    """Numbers of the coordinates y."""
    free_v: tuple[int, ...]
    """Numbers of the velocities w."""
    shape_q: Floats
    """(n_v, n_y) increments of all coordinates that y causes."""
    shape_v: Floats
    """(n_v, n_w) velocities that w causes."""
    error: float
    """Error of the derivatives, round-off included, as a fraction of the largest one of their column."""
    noise: Floats
    """(n_y + n_w, n_y + n_w) bound of the error of every entry of A_free."""
    warnings: tuple[WarningRecord, ...]
    """Findings on the state: whether it is an equilibrium or a steady motion."""
    work: Floats
    """Workspace with the state."""

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences of the warnings."""
        return tuple(warning.text for warning in self.warnings)

    @property
    def A_free(self) -> Floats:
        """A of the mechanism alone, its motions held to their laws."""
        n = self.n_y + self.n_w
        return self.A[:n, :n]


def linearise(system: System, work: Floats) -> Linearisation:
    """Linearise about the state in a workspace, such as `prepare(model).work`; the workspace is left as it is."""
    point = Point(system, work)
    _check_gauges(point)
    A, C, error, noise = by_states(point)
    inputs, B, D = by_inputs(point)
    n_y, n_w, motions = point.n_y, point.n_w, [system.rows[k].owner for k in point.motion_rows]
    M, damping, stiffness = _second_order(point, A)
    names = [*point.names_y, *(f"{name}.rate" for name in point.names_w)]
    return Linearisation(
        A=A,
        B=B,
        C=C,
        D=D,
        states=(*names, *motions, *(f"{name}.rate" for name in motions)),
        inputs=inputs,
        outputs=point.outputs,
        n_y=n_y,
        n_w=n_w,
        M=M,
        damping=damping,
        stiffness=stiffness,
        free_q=tuple(point.free_q),
        free_v=tuple(point.free_v),
        shape_q=point.R_q,
        shape_v=point.R_v,
        error=error,
        noise=noise[: n_y + n_w, : n_y + n_w],
        warnings=tuple(_warnings(point, A)),
        work=point.base.copy(),
    )


def _second_order(point: Point, A: Floats) -> tuple[Floats, Floats | None, Floats | None]:
    """M, damping and stiffness: w = y' + turning y put into M w' = M (A_wy y + A_ww w)."""
    p, M = point, point.M
    if p.n_y != p.n_w:
        return M, None, None
    n = p.n_y
    A_wy, A_ww = A[n : 2 * n, :n], A[n : 2 * n, n : 2 * n]
    return M, -M @ (A_ww - p.turning), -M @ (A_wy + A_ww @ p.turning)


def _check_gauges(point: Point) -> None:
    """Raise ComputationError for a swinging distance joint: its frame turns about its line, so no motion is steady."""
    I, v = point.m.I, point.v0
    for k in range(int(I[L.N_SPHERES])):
        block = int(I[L.SPHERES]) + 3 * k
        places = [int(I[block + 1]), int(I[block + 1]) + 1]
        if I[block + 2] == 2 and np.any(np.abs(v[places]) > 1e-9):
            joint = point.system.coordinates[places[0]].split(".")[0]
            raise ComputationError(
                f"The equations cannot be linearised while the line of joint '{joint}' turns in its own coordinates. "
                'Use absolute coordinates: [coordinates] default = "absolute".'
            )


def _warnings(point: Point, A: Floats) -> Iterator[WarningRecord]:
    """Whether the state is an equilibrium or a steady motion, with numbers."""
    p, t = point, point.t0
    speed = float(np.max(np.abs(p.v0) / p.scale, initial=0.0))
    response = A[p.n_y : p.n_y + p.n_w, : p.n_y] * p.scale_y / p.scale_w[:, None]
    wanted = -p.a0[p.free_v] / p.scale_w
    away = np.linalg.lstsq(response, wanted, rcond=FREE)[0] if response.size else np.zeros(0)
    left = wanted - response @ away
    distance = float(np.max(np.abs(away), initial=0.0))
    if STILL < distance <= FAR:
        worst = int(np.argmax(np.abs(away)))
        off, name = float(abs(away[worst] * p.scale_y[worst])), p.names_y[worst]
        text = (
            f"the state is neither an equilibrium nor a steady motion: the nearest one is about {off:.3g} (SI units) "
            f"away in {name}. The modes hold for this instant only."
        )
        yield WarningRecord("not-steady", text, f"coordinates.{name}", t, off, "m, rad")
    elif distance > FAR or np.max(np.abs(left), initial=0.0) > STILL * max(1.0, speed**2):
        worst = int(np.argmax(np.abs(wanted)))
        a, name = float(p.a0[p.free_v][worst]), p.names_w[worst]
        text = (
            f"the state is neither an equilibrium nor a steady motion: {name} has an acceleration of {a:.3g} (SI "
            "units) that nothing balances. The modes hold for this instant only."
        )
        yield WarningRecord("not-steady", text, f"coordinates.{name}", t, a, "m/s^2, rad/s^2")
    elif speed > 1e-9:
        change = _change_of(point, A, AHEAD / speed) / AHEAD
        if change > CONSTANT:
            text = (
                f"the linearised equations change as the mechanism moves, by {change:.2g} of their size per "
                "radian: the modes hold for this instant only. Coordinates that turn with the mechanism (joints "
                "on the rotating body) may make them constant."
            )
            yield WarningRecord("changing-equations", text, "coordinates", t, change, "1/rad")
    yield from _turning_axes(point)


def _turning_axes(point: Point) -> Iterator[WarningRecord]:
    """Warning about rotations without angles in a rotating state: their axes turn with it."""
    I, found = point.m.I, {}
    for k in range(int(I[L.N_SPHERES])):
        block = int(I[L.SPHERES]) + 3 * k
        first = int(I[block + 1])
        speed = float(np.linalg.norm(point.v0[first : first + int(I[block + 2])]))
        if speed > STILL:
            found[point.system.coordinates[first].split(".")[0]] = speed
    if not found:
        return
    listed = ", ".join(f"'{name}' ({speed:.4g} rad/s)" for name, speed in found.items())
    text = (
        f"small rotations of {listed} are measured in rotating axes: a mode with the frequency W in space appears at W "
        "plus or minus the speed of the axes. To see W itself, add a joint about the axis of rotation that carries "
        "the rest."
    )
    places = ", ".join(f"coordinates.{name}" for name in found)
    yield WarningRecord("rotating-axes", text, places, point.t0, max(found.values()), "rad/s")


def _change_of(point: Point, A: Floats, ahead: float) -> float:
    """Relative change of A in the time `ahead` [s]."""
    p = point
    p.m.W[:] = p.base
    p.m.move(ahead * p.v0 + 0.5 * ahead**2 * p.a0)
    p.m.t = p.t0 + ahead
    p.m.v[:] = p.v0 + ahead * p.a0
    later, _, _, _ = by_states(Point(p.system, p.m.W.copy(), like=p))
    n = p.n_y + p.n_w
    sizes = np.concatenate([p.scale_y, p.scale_w])
    here, there = (matrix[:n, :n] * sizes / sizes[:, None] for matrix in (A, later))
    return float(np.linalg.norm(there - here) / max(float(np.linalg.norm(here)), 1e-300))
