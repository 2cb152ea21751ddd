"""Quasi-static motion: every rigid degree of freedom is driven, flexible bodies bend as loads and inertia ask.

At every output time the independent elastic coordinates y (all of them, less those that the loops hold) follow from

    F(t, y, y') = (M a + BIAS)_y + G_y^T lam = 0,   Phi = 0,   G v + Phi_t = 0,   G a + GAM = 0,   y'' = 0 in a,

with lam from the rows of the driven coordinates: no vibration enters or is left. The rates y' and y'' are the time
derivatives of this solution: it is sought at three or four instants a short time apart at once. Velocities,
accelerations, drive efforts and reactions are those of this motion, with y' and y'': lam from the driven rows of
M a + BIAS + G^T lam = 0.

What is left out is the inertia of y'' in the balance of y itself, a part of the order (speed of the motion / natural
frequency)^2 of y; of the efforts, a part of that order squared. The summary says how much. Theory sheet, sec. 10.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmb.arrays import Floats
from flexmb.errors import ComputationError
from flexmb.layout import driven_state as ds
from flexmb.layout import flat_arrays as L
from flexmb.layout import solver_state as st
from flexmb.solvers import balance_programs
from flexmb.solvers.assembly import assemble, gaps
from flexmb.solvers.driven_rows import DrivenRows
from flexmb.solvers.elastic_balance import LEAP, SHORT, Balance, Lost
from flexmb.solvers.field_limits import FieldLimits
from flexmb.solvers.kinematics import Analysis
from flexmb.solvers.mechanics import Solvable
from flexmb.solvers.protocols import Progress, Sink
from flexmb.solvers.settings import Settings
from flexmb.solvers.summary import EnergyBalance, RunSummary


def analyse_quasi_static(
    system: Solvable,
    settings: Settings,
    *,
    sink: Sink,
    progress: Progress | None = None,
    resume: Floats | None = None,
) -> QuasiStaticSummary:
    """Solve the balance of the elastic coordinates at every output time and hand the rows to the sink.

    Raises InputError when a rigid degree of freedom is not driven, ComputationError when no balance is found.
    `resume`: the checkpoint of an earlier analysis, to go on after its last row.
    """
    analysis = _QuasiStaticAnalysis(system, settings, sink, progress)
    return analysis.summary(analysis.finish(resume).outcome)


@dataclass(frozen=True)
class QuasiStaticSummary(RunSummary):
    """Outcome and quality of a quasi-static analysis."""

    left_out: float
    """How far the inertia of y'' would move the elastic coordinates, as a part of their largest value."""


class _QuasiStaticAnalysis(Analysis):
    """The rows of one analysis, from instant to instant."""

    def __init__(self, system: Solvable, settings: Settings, sink: Sink, progress: Progress | None):
        super().__init__(system, settings, sink, progress)
        self.numbers = np.zeros(st.S_HEADER + 2)
        """Of the energy balance; then the largest y and the largest change of y that was left out"""
        self.balance = EnergyBalance(system, self.numbers)
        self.balance_of_bodies: Balance | None = None
        self.limits, self.tried = FieldLimits(system), settings.start
        self.interval = float(np.min(np.diff(self.times)))

    @property
    def bodies(self) -> Balance:
        """The balance of the flexible bodies; made at the first state."""
        if self.balance_of_bodies is None:
            self.balance_of_bodies = Balance(self.m)
        return self.balance_of_bodies

    def start(self) -> None:
        m = self.m
        m.t = self.settings.start
        assemble(self.system, m.W)
        bodies, t = self.bodies, self.settings.start
        try:
            bodies.load(t)
            bodies.solve(t, self._instants(t))
        except Lost:
            raise ComputationError(f"At the start {self._reason(t)}") from None
        self._place(t)
        m.run(L.AT_ACCEPT)
        self.solve_rates()
        self.add_row(0.0, 0)

    def unpack(self, checkpoint: Floats) -> None:
        super().unpack(checkpoint)
        bodies, m = self.bodies, self.m
        bodies.rate, bodies.second = m.v[bodies.independent].copy(), m.a[bodies.independent].copy()

    def connect(self) -> DrivenRows | None:
        bodies, m = self.bodies, self.m
        if not len(bodies.y) or len(bodies.dependent) != m.n_rows:
            return None
        split = ds.Split(bodies.dependent, bodies.independent, bodies.places)
        return DrivenRows(m, self.times, split, balance_programs.PROGRAMS)

    def hand_over(self, compiled: DrivenRows) -> None:
        super().hand_over(compiled)
        bodies, n = self.bodies, len(self.bodies.y)
        compiled.view(ds.CENTRE, 4 * n)[:] = np.concatenate([bodies.y, bodies.rate, bodies.second, bodies.third])
        compiled.K[ds.HAVE_COUPLING] = compiled.K[ds.HAVE_THIRD] = 0
        compiled.K[ds.HAVE_INVERSE], compiled.K[ds.FACTORISATIONS] = bodies.inverse is not None, bodies.factorisations
        if bodies.inverse is not None:
            compiled.view(ds.INVERSE, n * n)[:] = bodies.inverse.ravel()
        compiled.S[ds.LARGEST_Y], compiled.S[ds.LEFT_OUT] = self.numbers[st.S_HEADER :]

    def take_back(self, compiled: DrivenRows) -> None:
        super().take_back(compiled)
        bodies, n = self.bodies, len(self.bodies.y)
        bodies.y, bodies.rate, bodies.second, bodies.third = compiled.view(ds.CENTRE, 4 * n).reshape(4, n).copy()
        bodies.inverse = None
        if compiled.K[ds.HAVE_INVERSE]:
            bodies.inverse = compiled.view(ds.INVERSE, n * n).reshape(n, n).copy()
        bodies.factorisations = int(compiled.K[ds.FACTORISATIONS])
        self.numbers[st.S_HEADER :] = compiled.S[ds.LARGEST_Y], compiled.S[ds.LEFT_OUT]

    def advance(self, t_new: float) -> bool:
        bodies, h = self.bodies, t_new - self.m.t
        before, self.tried = bodies.state, t_new
        bodies.y = bodies.y + h * bodies.rate + 0.5 * h**2 * bodies.second
        bodies.rate = bodies.rate + h * bodies.second
        if super().advance(t_new):
            return True
        bodies.state, bodies.inverse = before, None
        return False

    def solve_positions(self) -> bool:
        """The balance at the new time; False when it is not found."""
        bodies, t, done = self.bodies, self.m.t, self.bodies.iterations
        bodies.q = self.m.q.copy()
        try:
            self._solve(t)
            self._place(t)
        except Lost:
            return False
        finally:
            self.iterations += bodies.iterations - done
        return True

    def _solve(self, t: float) -> None:
        """The balance at t. Where y'' seems to leap, the motion may have a kink close by: the calmer side counts."""
        bodies, ahead = self.bodies, self._instants(t)
        limit = LEAP * bodies.size(bodies.second)
        bodies.solve(t, ahead)
        if len(ahead) != 2 or bodies.size(bodies.second) <= limit:
            return
        best = bodies.state
        for side in (-ahead[1], ahead[1]):
            try:
                bodies.solve(t, (side, 2.0 * side, 3.0 * side))
            except Lost:
                continue
            if bodies.size(bodies.second) < bodies.size(best[3]):
                best = bodies.state
        bodies.state = best

    def _place(self, t: float) -> None:
        """The solution at t into W; how large it is and what it leaves out is kept."""
        bodies, seen = self.bodies, self.numbers[st.S_HEADER :]
        left_out = bodies.place(t)
        seen[:] = np.maximum(seen, [bodies.size(bodies.y), left_out])

    def solve_rates(self) -> None:
        """The rates stand in W already; the powers follow."""
        m = self.m
        self.largest = max(self.largest, float(np.max(np.abs(m.phi), initial=0.0)))
        if m.n_powers:
            m.run(L.AT_POWERS)

    def _instants(self, t: float) -> tuple[float, ...]:
        """The other instants of the time derivatives, seen from t [s]: on both sides, or within the analysis."""
        m, rigid = self.m, ~self.m.system.elastic
        speed = float(np.max(np.abs(m.v / m.scale)[rigid], initial=0.0))
        speed = max(speed, float(np.sqrt(np.max(np.abs(m.a / m.scale)[rigid], initial=0.0))))
        short = min(SHORT / speed if speed > 0.0 else np.inf, 0.1 * self.interval)
        if t - short < self.settings.start:
            return short, 2.0 * short, 3.0 * short
        return (-short, short) if t + short <= self.settings.end else (-3.0 * short, -2.0 * short, -short)

    def _reason(self, t: float) -> str:
        """Why there is no balance at t, and what to do."""
        m = self.m
        beyond = self.limits.fault_of(m)
        if beyond:
            return beyond
        m.t, m.q[:] = t, self.bodies.q
        try:
            self.bodies.close()
        except Lost:
            return (
                f"the mechanism cannot reach what the motions ask for: {gaps(m, m.phi)}. Change the motions or the "
                "dimensions, or end the analysis earlier."
            )
        return (
            "no balance of the flexible bodies is found: the loads may be too large for them, or nothing holds them. "
            "Let the elastic coordinates be solved dynamically."
        )

    def fail(self, t: float) -> None:
        here = self.m.t
        text = self._reason(self.tried)
        self.m.t = here
        self.flush()
        raise ComputationError(f"From t = {here:.6g} s to {t:.6g} s {text}", self.summary("failed"))

    def flush(self) -> None:
        fault = self.limits.fault_in(np.concatenate(self.blocks)) if self.blocks else ""
        super().flush()
        if fault:
            raise ComputationError(fault, self.summary("failed"))

    def summary(self, outcome: str) -> QuasiStaticSummary:
        values = vars(super().summary(outcome)) | {"method": "quasi-static", "factorisations": 0}
        if self.balance_of_bodies is not None:
            values["factorisations"] = self.balance_of_bodies.factorisations
        largest, left_out = self.numbers[st.S_HEADER :].tolist()
        return QuasiStaticSummary(**values, left_out=left_out / largest if largest > 0.0 else 0.0)
