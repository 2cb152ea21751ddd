"""A run in natural coordinates: integrated there, written row by row through the core.

Enters: a prepared system in absolute coordinates and its model; leaves: rows like those of every run. `flexmb.natural`
finds the motion; the core evaluates functions of time, and loads controlled by sensors. In every state the poses,
velocities and accelerations of the bodies are converted to the core's coordinates q, v, a; there the multipliers, and
with them reactions and efforts, follow from the balance of every body,

    M a + BIAS + G^T lam = 0      in least squares,

and its residual, relative to its largest term, shows how well two independent sets of equations agree. Between the rows
only the powers for the works are computed. Output times are reached by whole steps, shortened slightly to fit.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from flexmb.arrays import Floats
from flexmb.errors import Fault, InputError
from flexmb.layout import flat_arrays as L
from flexmb.layout import solver_state as st
from flexmb.natural.choice import choose
from flexmb.natural.core_bridge import Base, Bridge, SensedForces, function_of, joint_value, least_norm, poses_of
from flexmb.natural.failure import StepFailure
from flexmb.natural.forces import ForceSet
from flexmb.natural.generalized_alpha import GeneralizedAlpha
from flexmb.natural.integration import Stepper, first_state, stepper
from flexmb.natural.layout import Layout
from flexmb.natural.model_loads import ModelLoads, uncovered
from flexmb.natural.projection import accelerations, closed_position, closed_velocity
from flexmb.natural.state import NaturalState
from flexmb.natural.stiff_alpha import stiff_alpha
from flexmb.natural.system import NaturalSystem
from flexmb.natural.works import Works, middle_state
from flexmb.solvers.assembly import assemble, gaps
from flexmb.solvers.failure import FailedStep, failure_text, largest_coordinate
from flexmb.solvers.kinematics import require_drives
from flexmb.solvers.march import march
from flexmb.solvers.output_rows import BLOCK_ROWS, OutputRows
from flexmb.solvers.protocols import Progress, Sink
from flexmb.solvers.settings import Settings, solver_settings
from flexmb.solvers.shared_basis import basis_of
from flexmb.solvers.summary import NaturalSummary
from flexmb.system.system import System

if TYPE_CHECKING:
    from flexmb.model.schema import ModelSpec
    from flexmb.model.schema.analysis import Analysis

EXPLICIT_METHODS = {"augmented": "runge-kutta", "embedding": "independent", "canonical": "canonical"}
"""Formulation -> method of `flexmb.natural.integration` for rk4"""
STATUS = {"open": st.NOT_CLOSED, "slow": st.NO_CONVERGENCE, "singular": st.SINGULAR}
"""Kind of a failed step -> status of the core"""
OPEN = 1e-6
"""Gap of any joint, as a fraction of the scale of a gap, that ends a run in which rows are left out"""
FITS = 1e-9
"""Fraction of an interval by which a whole number of steps may miss it."""


def natural_solver(spec: ModelSpec, turbo: bool = False) -> Callable[..., NaturalSummary]:
    """Stepper that computes the rows of a model in natural coordinates, called like `simulate`.

    Raises InputError that lists everything in the model that natural coordinates do not support.
    """
    faults = uncovered(spec)
    if turbo:
        faults.append(Fault("natural coordinates have no generated code.", hint="Run without turbo."))
    if faults:
        raise InputError(faults)

    def solve(
        system: System,
        analysis: Analysis | Settings,
        *,
        sink: Sink,
        progress: Progress | None = None,
        resume: Floats | None = None,
        every: float | None = None,
    ) -> NaturalSummary:
        return march(NaturalAnalysis(spec, system, solver_settings(analysis, every)), sink, progress, resume)

    return solve


class Driven:
    """Motions prescribe everything: the next state follows from the constraints."""

    def __init__(self, system: NaturalSystem, step: float):
        self.system, self.step = system, step

    def advance(self, state: NaturalState) -> NaturalState:
        """The state one step later."""
        system, h, t = self.system, self.step, state.t + self.step
        x = state.x.copy()
        x[system.moving] += h * state.v + 0.5 * h * h * state.a
        x, factor = closed_position(system, x, t)
        v = closed_velocity(system, factor, x, state.v + h * state.a, t)
        return NaturalState(t, x, v, *accelerations(system, x, v, t))


class NaturalAnalysis:
    """The stepper of a run in natural coordinates (see `march`): one output time per block."""

    most_gathered = largest_budget = BLOCK_ROWS

    def __init__(self, spec: ModelSpec, system: System, settings: Settings):
        self.spec, self.system, self.settings = spec, system, settings
        self.rows = OutputRows(system, settings)
        self.m, self.blocks = self.rows.m, self.rows.blocks
        self.basis = basis_of(self.m)
        assemble(system, self.m.W)
        if settings.type == "kinematic":
            self.m.t = settings.start
            require_drives(self.m)
        self.m.run(L.AT_ACCEPT)
        self.sensed: SensedForces | None = None
        self.gap, self.is_stiff = 0.0, False
        self.natural, self.state = self._built()
        self._check_freedom()
        self.stepper, self.step_size = self._stepper(self._step), self._step
        self.is_placed = False
        """Whether the core has accelerations, multipliers and balance of the state, not only its place and rates"""
        self.works = Works(self.m.n_powers)
        self.rows.reserve(self._own().size)

    @property
    def _step(self) -> float:
        """The step that fits into an output interval a whole number of times [s]."""
        settings = self.settings
        span = settings.end - settings.start
        interval = settings.every or settings.step or span / 100.0
        if settings.type == "kinematic":
            return interval
        assert settings.step is not None
        step = min(settings.step, settings.max_step or span, span)
        return interval / math.ceil(interval / step * (1.0 - FITS))

    def _built(self) -> tuple[NaturalSystem, NaturalState]:
        """The model in natural coordinates and its first state: that of the core."""
        m, t = self.m, self.settings.start
        poses = poses_of(self.system, m)
        choice = choose(self.system.mechanism)
        loads = ModelLoads.of(self.spec, choice)
        m.run(L.AT_OUTPUT)
        scalars = loads.start(poses, {key: joint_value(self.system, m, key) for key in loads.keys})
        table, ints = int(self.system.ints[L.MOTIONS]) + L.MO_FUNCTION, self.system.ints
        starts = {name: int(ints[table + k * L.MOTION]) for k, name in enumerate(self.spec.motions)}
        drives = {name: function_of(self.system, m.W, start) for name, start in starts.items()}
        base = None
        if self.spec.base is not None:
            base = Base(self.spec.base, self.spec.model.gravity, self.system, m.W)
        rows = [*choice.rows, *loads.rows(drives)]

        def forces(layout: Layout) -> list[ForceSet]:
            sets = loads.forces(layout) if base is None else loads.forces(layout, base.turn, base.spin)
            if base is not None:
                sets.append(base.forces(choice, layout))
            if loads.sensed:
                self.sensed = SensedForces(loads, layout, self.system, base)
                self.sensed.follow(m.W)
                sets.append(self.sensed)
            return sets

        mechanism = choice.natural(poses, scalars)
        natural = NaturalSystem(mechanism, rows, forces, loads.angles, t)
        self.bridge = Bridge(choice, natural.layout, self.system)
        return natural, first_state(natural, choice.velocities(poses, len(scalars)), t)

    def _check_freedom(self) -> None:
        """Require equal degrees of freedom in both descriptions; they differ where redundant rows went undetected."""
        here, core = self.natural.n - self.natural.m, self.m.n_v - self.m.n_rows
        if here != core:
            text = f"in natural coordinates the model has {here} degrees of freedom, in absolute ones {core}: "
            text += "redundant constraints were detected differently, as happens near a singular position."
            raise InputError([Fault(text, ("coordinates", "default"), 'Use default = "absolute".')])

    def _stepper(self, step: float) -> Stepper:
        """Method that advances the state by this step [s]."""
        settings = self.settings
        if settings.type == "kinematic":
            return Driven(self.natural, step)
        method = settings.method
        if self.is_stiff:
            stiff = stiff_alpha(self.natural, self.state, step, settings.rho)
            if stiff is not None:
                return stiff
        if method == "rk4":
            method = EXPLICIT_METHODS[settings.formulation]
        return stepper(self.natural, self.state, step, method, settings.rho)

    @property
    def is_done(self) -> bool:
        """Whether every output time has its row."""
        return self.rows.is_done

    def start(self) -> None:
        """The first row."""
        self._place()
        self.m.run(L.AT_ACCEPT)
        self.rows.add(0.0, 0)

    def advance(self, budget: int) -> str:
        """Compute the next row; returns the reason for a failure, or ""."""
        rows, t_old = self.rows, self.m.t
        t, before = float(rows.times[rows.done]), rows.iterations
        failure = self._reach(t)
        if not failure:
            rows.add(t - t_old, rows.iterations - before)
        return failure

    def _reach(self, t_new: float) -> str:
        """Go to an output time by whole steps; returns the reason for a failed step, or ""."""
        span = t_new - self.state.t
        count, step = round(span / self._step), self._step
        if abs(count * step - span) > FITS * span or not count:
            count = math.ceil(span / step * (1.0 - FITS))
            step = span / count
        if step != self.step_size:
            self.stepper, self.step_size = self._stepper(step), step
        for number in range(1, count + 1):
            before = self.state
            t = t_new if number == count else before.t + step
            try:
                with np.errstate(all="ignore"):  # values that are not finite end the step with one message
                    self.state = replace(self._advanced(), t=t)
                    self._accept(step, before)
            except StepFailure as failure:
                self.state = before
                self._measure()
                here = self.m.state()
                text = self._failure_text(failure, step)
                self.m.put(here)
                return text
        if not self.is_placed:
            self._place()
        if self.basis is not None and self.m.constraint_error > OPEN * self.m.row_scale:
            opened = gaps(self.m, self.m.phi_all)
            return (
                f"At t = {t_new:.6g} s {opened}: rows that were left out at the start because they repeat others do so "
                'no more. Use default = "absolute", or remove constraints that are not needed.'
            )
        return ""

    def _advanced(self) -> NaturalState:
        """The next state; generalised-alpha includes the tangents of the forces from the first step that needs them."""
        try:
            return self.stepper.advance(self.state)
        except StepFailure:
            if self.is_stiff or not isinstance(self.stepper, GeneralizedAlpha):
                raise
        self.is_stiff = True
        self.rows.rejected += 1
        self.stepper = self._stepper(self.step_size)
        return self.stepper.advance(self.state)

    def _failure_text(self, failure: StepFailure, step: float) -> str:
        """Reason why no step [s] could be taken from the state, in the words of the core."""
        if failure.kind not in STATUS:
            return str(failure.at(self.state.t, step))
        m, state, natural = self.m, self.state, self.natural
        correction = np.zeros(natural.n) if failure.correction is None else failure.correction
        self.bridge.put(m, state.t, state.x, natural.rate(state.v), natural.rate(correction))
        worst = largest_coordinate(m, m.a / m.scale)
        sign = f"the largest correction is in coordinate '{worst}'"
        if failure.correction is None:
            sign = "the equations with multipliers are singular"
        q, v, status = m.q.copy(), m.v.copy(), STATUS[failure.kind]
        return failure_text(FailedStep(m, self.settings, status, q, v, state.t, step, sign))

    def _accept(self, h: float, before: NaturalState) -> None:
        """Take a new state and add the works of the step to it."""
        m, power = self.m, self.m.power.copy()

        def middle() -> Floats:
            kept = m.W.copy(), self.state, self.gap, self.rows.largest
            self.state = middle_state(self.natural, before, self.state)
            self._measure()
            found = m.power.copy()
            m.W[:], self.state, self.gap, self.rows.largest = kept
            return found

        self._measure()
        if m.n_powers:
            m.work += self.works.of_step(h, power, m.power.copy(), middle)
        m.run(L.AT_ACCEPT)
        self._follow()
        self.rows.steps += 1

    def _follow(self) -> None:
        if self.sensed is not None:
            self.sensed.follow(self.m.W)

    @property
    def _needs_efforts(self) -> bool:
        """Whether works or loads follow from multipliers: drives, a moving base, loads controlled by sensors."""
        ints = self.system.ints
        return bool(ints[L.N_MOTIONS] > 0 or ints[L.BASE_POWER] >= 0 or self.sensed is not None)

    def _measure(self) -> None:
        """Powers of the state for the works, or at least its place and rates."""
        if self._needs_efforts:
            self._place()
            return
        m, state = self.m, self.state
        self.bridge.put(m, state.t, state.x, self.natural.rate(state.v))
        self.is_placed = False
        if m.n_powers:
            m.run(L.AT_POWERS)

    def _place(self) -> None:
        """The natural state into the coordinates of the core; multipliers, balance and powers."""
        m, state, natural = self.m, self.state, self.natural
        a = state.a
        if self.settings.type == "dynamic" and isinstance(self.stepper, GeneralizedAlpha):
            a = accelerations(natural, state.x, state.v, state.t)[0]  # accelerations of the state, not of the method
        self.bridge.put(m, state.t, state.x, natural.rate(state.v), natural.rate(a))
        if self.basis is not None and self.basis.has_moved():
            self.basis.look([])
        m.equations()
        inertia = m.M @ m.a
        effort = -(inertia + m.bias)
        m.lam[:] = least_norm((m.G * m.scale).T, effort * m.scale)
        held = m.lam @ m.G
        turning = m.M @ m.v * float(np.max(np.abs(m.v / m.scale)))  # momentum times rate: of a body that turns freely
        largest = max(float(np.max(np.abs(term * m.scale))) for term in (inertia, m.bias, held, turning))
        if largest > 0.0:
            self.gap = max(self.gap, float(np.max(np.abs((effort - held) * m.scale))) / largest)
        self.rows.note_constraint_error(m.phi_all)
        if m.n_powers:
            m.run(L.AT_POWERS)
        self.is_placed = True

    def _own(self) -> Floats:
        """Everything that the next steps depend on."""
        state, alpha = self.state, self.stepper
        carried = [alpha.auxiliary, alpha.velocity] if isinstance(alpha, GeneralizedAlpha) else []
        times = [state.t, self.step_size, self.gap, float(self.is_stiff)]
        return np.concatenate([times, self.works.numbers, state.x, state.v, state.a, state.multipliers, *carried])

    def pack(self) -> Floats:
        """The checkpoint: everything that the next rows depend on."""
        self.rows.own[:] = self._own()
        return self.rows.pack()

    def unpack(self, checkpoint: Floats) -> bool:
        """Go back to the state of a checkpoint; False when it belongs to another model or method."""
        if not self.rows.unpack(checkpoint):
            return False
        natural, n = self.natural, self.natural.n
        sizes = np.cumsum([4, self.works.numbers.size, natural.layout.n_coordinates, n, n, natural.m])
        times, works, x, v, a, multipliers, carried = np.split(self.rows.own.copy(), sizes)
        t, self.step_size, self.gap, stiff = times.tolist()
        self.is_stiff = bool(stiff)
        self.works.numbers[:] = works
        self.state = NaturalState(t, x, v, a, multipliers)
        self._follow()
        self.stepper = self._stepper(self.step_size)
        if isinstance(self.stepper, GeneralizedAlpha):
            self.stepper.auxiliary, self.stepper.velocity = np.split(carried, 2)
        return True

    def accept(self, block: Floats) -> None:
        """Follow the energies of rows on their way to the sink."""
        self.rows.balance.add(block)

    def fault_in(self, block: Floats) -> str:
        """Rows that are finite can be trusted."""
        return ""

    def position(self) -> tuple[float, float, int, int]:
        """Time reached [s], end [s], steps, rejected steps."""
        return self.rows.position()

    def summary(self, outcome: str) -> NaturalSummary:
        """Outcome and quality so far."""
        method = "kinematic" if self.settings.type == "kinematic" else self.settings.method
        values = vars(self.rows.summary(outcome, method))
        return NaturalSummary(**values, n_natural=self.natural.n, n_natural_rows=self.natural.m, balance_gap=self.gap)
