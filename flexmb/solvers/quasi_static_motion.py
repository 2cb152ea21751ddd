"""Quasi-static motion: every rigid degree of freedom is driven, flexible bodies are in balance with loads and inertia.

At every output time the independent elastic coordinates y (all of them, less those that the loops hold) follow from

    F(t, y, y') = (M a + BIAS)_y + G_y^T lam = 0,   Phi = 0,   G v + Phi_t = 0,   G a + GAM = 0,   y'' = 0 in a,

with lam from the rows of the driven coordinates: there is no vibration. The rates y' and y'' are the time derivatives
of this solution, which is found at three or four instants a short time apart together. Velocities, accelerations, drive
efforts and reactions are those of this motion, with y' and y'': lam from the driven rows of M a + BIAS + G^T lam = 0.

The inertia of y'' in the balance of y itself is left out: a fraction (speed of the motion / natural frequency)^2 of y,
and its square of the efforts. The summary gives its size. Theory, sec. 10.
"""

from __future__ import annotations

import numpy as np

from flexmb.arrays import Floats
from flexmb.errors import ComputationError
from flexmb.layout import driven_state as ds
from flexmb.layout import flat_arrays as L
from flexmb.solvers import elastic_balance_kernels
from flexmb.solvers.assembly import assemble, gaps
from flexmb.solvers.driven_analysis import DrivenAnalysis, Instants
from flexmb.solvers.driven_loop import DrivenLoop
from flexmb.solvers.elastic_balance import LEAP, SHORT, Balance, Lost
from flexmb.solvers.field_limits import FieldLimits
from flexmb.solvers.march import march
from flexmb.solvers.mechanics import Solvable
from flexmb.solvers.output_rows import OutputRows
from flexmb.solvers.protocols import Progress, Sink
from flexmb.solvers.settings import Settings
from flexmb.solvers.summary import QuasiStaticSummary


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
    return march(DrivenAnalysis(QuasiStaticInstants(OutputRows(system, settings))), sink, progress, resume)


class QuasiStaticInstants(Instants[QuasiStaticSummary]):
    """State with rigid coordinates from the drives and elastic ones from the balance of the flexible bodies."""

    def __init__(self, rows: OutputRows):
        super().__init__(rows)
        rows.reserve(2)
        """Largest y, and largest change of y that was left out"""
        self.balance_of_bodies: Balance | None = None
        self.before: tuple[Floats, Floats, Floats, Floats] | None = None
        self.limits, self.tried = FieldLimits(self.system), rows.settings.start
        self.interval = rows.interval

    @property
    def bodies(self) -> Balance:
        """The balance of the flexible bodies; made at the first state."""
        if self.balance_of_bodies is None:
            self.balance_of_bodies = Balance(self.m)
        return self.balance_of_bodies

    def start(self) -> None:
        """Find the balance at the start, with the load raised step by step where necessary."""
        m, t = self.m, self.m.t
        assemble(self.system, m.W)
        bodies = self.bodies
        try:
            bodies.load(t)
            bodies.solve(t, self._instants(t))
        except Lost:
            raise ComputationError(f"At the start, {self._reason(t)}") from None
        self._place(t)

    def follow_checkpoint(self) -> None:
        """y, y' and y'' from the workspace."""
        bodies, m = self.bodies, self.m
        bodies.rate, bodies.second = m.v[bodies.independent].copy(), m.a[bodies.independent].copy()

    def compiled_loop(self) -> DrivenLoop | None:
        """The compiled loop when the rows are independent and there is something elastic."""
        bodies, m = self.bodies, self.m
        if not len(bodies.y) or len(bodies.dependent) != m.n_rows:
            return None
        split = ds.Split(bodies.dependent, bodies.independent, bodies.places)
        return DrivenLoop(m, self.rows.times, split, elastic_balance_kernels.PROGRAMS)

    def hand_over(self, loop: DrivenLoop) -> None:
        """y with its derivatives, and the inverse of its Jacobian."""
        bodies, n = self.bodies, len(self.bodies.y)
        loop.view(ds.CENTRE, 4 * n)[:] = np.concatenate([bodies.y, bodies.rate, bodies.second, bodies.third])
        loop.K[ds.HAVE_COUPLING] = loop.K[ds.N_KNOWN] = 0
        loop.S[ds.CONTRACTION] = 1.0  # not known
        loop.K[ds.HAVE_INVERSE], loop.K[ds.FACTORISATIONS] = bodies.inverse is not None, bodies.factorisations
        if bodies.inverse is not None:
            loop.view(ds.INVERSE, n * n)[:] = bodies.inverse.ravel()
        loop.S[ds.LARGEST_Y], loop.S[ds.LEFT_OUT] = self.rows.own

    def take_back(self, loop: DrivenLoop) -> None:
        """y with its derivatives, and the inverse of its Jacobian."""
        bodies, n = self.bodies, len(self.bodies.y)
        bodies.y, bodies.rate, bodies.second, bodies.third = loop.view(ds.CENTRE, 4 * n).reshape(4, n).copy()
        bodies.inverse = None
        if loop.K[ds.HAVE_INVERSE]:
            bodies.inverse = loop.view(ds.INVERSE, n * n).reshape(n, n).copy()
        bodies.factorisations = int(loop.K[ds.FACTORISATIONS])
        self.rows.own[:] = loop.S[ds.LARGEST_Y], loop.S[ds.LEFT_OUT]

    def predict(self, t: float) -> None:
        """y and y' along y''."""
        bodies, h = self.bodies, t - self.m.t
        self.before, self.tried = bodies.state, t
        bodies.y = bodies.y + h * bodies.rate + 0.5 * h**2 * bodies.second
        bodies.rate = bodies.rate + h * bodies.second

    def go_back(self) -> None:
        """Restore y with its derivatives before the step; the Jacobian is computed again."""
        assert self.before is not None
        self.bodies.state, self.bodies.inverse = self.before, None

    def solve_positions(self) -> bool:
        """Find the balance at the new time; False when it is not found."""
        bodies, t, done = self.bodies, self.m.t, self.bodies.iterations
        bodies.q = self.m.q.copy()
        try:
            self._solve(t)
            self._place(t)
        except Lost:
            return False
        finally:
            self.rows.iterations += bodies.iterations - done
        return True

    def _solve(self, t: float) -> None:
        """Find the balance at t. Where y'' jumps, the motion may have a kink: the side with smaller y'' counts."""
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
        """Put the solution at t into W; record its size and the size of the inertia left out."""
        bodies, seen = self.bodies, self.rows.own
        left_out = bodies.place(t)
        seen[:] = np.maximum(seen, [bodies.size(bodies.y), left_out])

    def solve_rates(self) -> None:
        """Compute the powers; the rates are in W already."""
        m = self.m
        self.rows.note_constraint_error(m.phi_all)
        if m.n_powers:
            m.run(L.AT_POWERS)

    def _instants(self, t: float) -> tuple[float, ...]:
        """The other instants of the time derivatives, relative to t [s]: on both sides, or within the analysis."""
        m, rigid = self.m, ~self.m.system.elastic
        speed = float(np.max(np.abs(m.v / m.scale)[rigid], initial=0.0))
        speed = max(speed, float(np.sqrt(np.max(np.abs(m.a / m.scale)[rigid], initial=0.0))))
        short = min(SHORT / speed if speed > 0.0 else np.inf, 0.1 * self.interval)
        if t - short < self.rows.settings.start:
            return short, 2.0 * short, 3.0 * short
        return (-short, short) if t + short <= self.rows.settings.end else (-3.0 * short, -2.0 * short, -short)

    def _reason(self, t: float) -> str:
        """Reason why there is no balance at t, and the remedy."""
        m = self.m
        beyond = self.limits.fault_of(m)
        if beyond:
            return beyond
        m.t, m.q[:] = t, self.bodies.q
        try:
            self.bodies.close()
        except Lost:
            return (
                f"the mechanism cannot reach the position that the motions prescribe: {gaps(m, m.phi_all)}. Change the "
                "motions or the dimensions, or end the analysis earlier."
            )
        return (
            "no balance of the flexible bodies was found: the loads may be too large for them, or nothing holds them. "
            "Solve the elastic coordinates dynamically."
        )

    def reason(self, t: float) -> str:
        """Reason why the motion cannot be continued to t [s]; the workspace may be changed."""
        return f"From t = {self.m.t:.6g} s to {t:.6g} s, {self._reason(self.tried)}"

    def fault_in(self, block: Floats) -> str:
        """Sentence on a body that bends farther than its deformation field can describe, or ""."""
        return self.limits.fault_in(block)

    def summary(self, outcome: str) -> QuasiStaticSummary:
        """Outcome and quality so far."""
        values = vars(self.rows.summary(outcome, "quasi-static")) | {"factorisations": 0}
        if self.balance_of_bodies is not None:
            values["factorisations"] = self.balance_of_bodies.factorisations
        largest, left_out = self.rows.own.tolist()
        return QuasiStaticSummary(**values, left_out=left_out / largest if largest > 0.0 else 0.0)
