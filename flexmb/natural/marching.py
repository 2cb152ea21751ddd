"""A natural system marched by the integrators of all systems."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

import numpy as np

from flexmb.arrays import Floats
from flexmb.layout import flat_arrays as L
from flexmb.layout import solver_state as st
from flexmb.machine_code.jit import call
from flexmb.natural.canonical import Canonical
from flexmb.natural.failure import StepFailure
from flexmb.natural.independent import Independent
from flexmb.natural.natural_model import NaturalModel
from flexmb.natural.packing import PackedNatural
from flexmb.natural.programs import place_in_core
from flexmb.natural.projection import closed_position, closed_velocity
from flexmb.natural.state import NaturalState
from flexmb.natural.system import NaturalSystem
from flexmb.solvers.assembly import solve_accelerations
from flexmb.solvers.failure import FailedStep, largest_coordinate
from flexmb.solvers.run import Integration
from flexmb.solvers.settings import Settings
from flexmb.solvers.summary import EnergyBalance, NaturalSummary


class Stepper(Protocol):
    """A method of natural coordinates alone: from a state to the next."""

    def advance(self, state: NaturalState) -> NaturalState:
        """The state one step later."""


class Driven:
    """Motions prescribe everything: the next state follows from the constraints."""

    def __init__(self, system: NaturalSystem, state: NaturalState, step: float):
        self.system, self.step = system, step

    def advance(self, state: NaturalState) -> NaturalState:
        """The state one step later."""
        system, h, t = self.system, self.step, state.t + self.step
        x = state.x.copy()
        x[system.moving] += h * state.v + 0.5 * h * h * state.a
        x, factor = closed_position(system, x, t)
        v = closed_velocity(system, factor, x, state.v + h * state.a, t)
        return NaturalState(t, x, v, state.a, state.multipliers)


StepperType = Callable[[NaturalSystem, NaturalState, float], Stepper]
STEPPERS: dict[str, StepperType] = {"independent": Independent, "canonical": Canonical, "kinematic": Driven}
"""Methods whose steps Python takes; the end of every step is evaluated as in the common explicit methods"""
STATUS = {"open": st.NOT_CLOSED, "slow": st.NO_CONVERGENCE, "singular": st.SINGULAR, "": st.NO_CONVERGENCE}
"""Kind of a failed step -> status of the integrator"""


class NaturalIntegration(Integration):
    """Stepper of a dynamic run (see `march`) in natural coordinates."""

    def __init__(self, packed: PackedNatural, settings: Settings, method: StepperType | None = None):
        """`method`: that of the steps, if not the one of the settings."""
        self.packed, self._method = packed, method
        self._own: tuple[float, Stepper] | None = None
        self._failure: StepFailure | None = None
        super().__init__(packed, settings)
        if method is not None:
            self._step_program = packed.guarded(self._step)
            self.K[st.AT_STEP] = self._step_program.address

    def start(self) -> None:
        """Consistent state at the start."""
        super().start()
        self.packed.raise_failure()

    def advance(self, budget: int) -> str:
        """Add the rows of at most `budget` steps; return why a step has failed, or ""."""
        failure = super().advance(budget)
        self.packed.raise_failure()
        if failure and self._failure is not None and not self._failure.kind:
            return str(self._failure.at(float(self.S[st.T_N]), float(self.S[st.H])))
        return failure

    def _step(self, W: Floats, argument: int) -> None:
        """Try one step from T_N to T_E by a method of Python, the works by Simpson's rule."""
        K, S, m, natural = self.K, self.S, self.mechanics, self.packed.natural
        if self._failure is not None and not self._failure.kind:  # no smaller step would do
            K[st.STATUS] = st.NO_CONVERGENCE
            return
        h, powers = float(S[st.H]), slice(m.n_q + m.n_v, m.n_q + m.n_v + m.n_powers)
        slopes = S[K[st.SLOPES] :][: K[st.STAGES] * powers.stop].reshape(K[st.STAGES], powers.stop)
        parts = (m.q, m.v, m.a, m.lam, m.work)
        for slot, part in zip((st.Q_N, st.V_N, st.A_N, st.LAM_N, st.WORK_N), parts, strict=True):
            S[K[slot] : K[slot] + part.size] = part
        S[K[st.POWER_N] : K[st.POWER_N] + m.n_powers] = slopes[0, powers]
        x = self.packed.full_coordinates(m.q)
        old = NaturalState(float(S[st.T_N]), x, m.v * natural.sizes, m.a * natural.sizes, np.zeros(natural.m))
        q, v, a, work = m.q.copy(), m.v.copy(), m.a.copy(), m.work.copy()
        try:
            if self._own is None or self._own[0] != h:
                assert self._method is not None
                self._own = h, self._method(natural, old, h)
            new = self._own[1].advance(old)
        except StepFailure as failure:
            self._failure, K[st.STATUS] = failure, STATUS[failure.kind]
            return
        m.t, m.q[:], m.v[:] = float(S[st.T_E]), new.x[natural.moving] / natural.sizes, new.v / natural.sizes
        self._evaluate(K[st.STAGES] - 1)
        if K[st.STATUS] != st.OK or not m.n_powers:
            return
        end = [part.copy() for part in parts[:4]]
        m.t = old.t + 0.5 * h
        m.q[:] = 0.5 * (q + end[0]) + h * (5.0 / 32.0) * (v - end[1]) + h * h / 64.0 * (a + end[2])
        m.v[:] = 1.875 / h * (end[0] - q) - 0.4375 * (v + end[1]) + h / 32.0 * (end[2] - a)
        self._evaluate(1)
        m.t = float(S[st.T_E])
        for part, value in zip(parts, end, strict=False):
            part[:] = value
        m.work[:] = work + h / 6.0 * (slopes[0, powers] + 4.0 * slopes[1, powers] + slopes[-1, powers])
        m.power[:] = slopes[-1, powers]

    def _evaluate(self, slope: int) -> None:
        call(int(self.K[st.AT_EVALUATE]), self.K, self.S, self.W, slope)


class Accelerations:
    """Accelerations and multipliers of a state, by the equations with multipliers (`sparse_embedding`)."""

    def __init__(self, packed: PackedNatural):
        self.run = Integration(packed, Settings(1.0, 1.0, "rk4"))
        self.mechanics = self.run.mechanics
        K, S = self.run.K, self.run.S
        K[st.TANGENT], K[st.FULL_SPAN] = 1, 1
        S[K[st.SCALE] : K[st.SCALE] + packed.n] = 1.0
        if packed.n:
            S[K[st.ROW_SIZE] : K[st.ROW_SIZE] + packed.m] = 1.0

    def of_state(self, W: Floats) -> Floats:
        """The workspace (n_work,) of the state in W with them."""
        own, K = self.mechanics, self.run.K
        own.W[:] = W
        K[st.STATUS] = st.SINGULAR
        if own.n_v:
            own.jacobian()
            call(int(K[st.AT_BUILD_MATRIX]), K, self.run.S, own.W, 1)
        if K[st.STATUS] == st.OK:
            call(int(K[st.AT_REDUCE]), K, self.run.S, own.W, 0)
        else:
            solve_accelerations(own)
        return own.W


FORMULATIONS = {"embedding": "independent", "canonical": "canonical"}
"""Formulation of an analysis by rk4 -> method of Python"""


class ModelIntegration(NaturalIntegration):
    """The same of a model: its rows are those of the core."""

    def __init__(self, model: NaturalModel, settings: Settings):
        kinematic = settings.type == "kinematic"
        name = "kinematic" if kinematic else FORMULATIONS.get(settings.formulation, "")
        if kinematic:
            span = settings.end - settings.start
            settings = replace(settings, step=settings.every or settings.step or span / 100.0)
        if kinematic or name:
            settings = replace(settings, method="rk4")
        self.is_kinematic = kinematic
        self.model, self.core = model, model.m
        packed, natural = model.natural.packed, model.natural
        packed.attach(model.system, self.core.W, model.bridge)
        packed.v0 = model.velocities[natural.moving] / natural.sizes
        packed.call_back(L.AT_OUTPUT, self._write_row)
        if model.needs_efforts:
            packed.call_back(L.AT_POWERS, self._find_powers)
        super().__init__(packed, settings, STEPPERS.get(name))
        self.balance = EnergyBalance(model.system, self.S)
        self._other = Accelerations(packed)
        """A state of its own, which leaves that of the run as it is"""

    def _place(self, W: Floats) -> None:
        """The state in W into the core, with the accelerations of the state, not of the method; multipliers."""
        if not self.explicit:  # explicit methods have evaluated the state
            W = self._other.of_state(W)
        call(place_in_core.address, self.packed.ints, self.packed.floats, W, 1)
        self.model.balance()

    def _write_row(self, W: Floats, argument: int) -> None:
        core, I = self.core, self.packed.ints
        self._place(W)
        core.work[:] = W[I[L.WORK] : I[L.WORK] + core.n_powers]
        core.run(L.AT_OUTPUT)
        W[I[L.OUT] : I[L.OUT] + core.out.size] = core.out

    def _find_powers(self, W: Floats, argument: int) -> None:
        """Powers that follow from multipliers."""
        core, I = self.core, self.packed.ints
        self._place(W)
        core.run(L.AT_POWERS)
        W[I[L.POWER] : I[L.POWER] + core.n_powers] = core.power

    def _failed_step(self, status: int) -> FailedStep:
        """The step that has failed with this status, in the words of the core."""
        core, last, own = self.core, self._last_state(), self._other.mechanics
        own.W[:] = self.W
        own.put(last)
        own.a[:] = 0.0
        own.a[self.K[st.WORST_COORDINATE]] = 1.0
        call(place_in_core.address, own.I, own.system.floats, own.W, 1)
        worst = largest_coordinate(core, core.a / core.scale)
        sign = f"the largest correction is that of coordinate '{worst}'"
        q, v = core.q.copy(), core.v.copy()
        # smaller steps were tried: what the nominal one meets is the reason
        step = float(self.S[st.H_NOMINAL]) if status == st.NO_CONVERGENCE else float(self.S[st.H])
        return FailedStep(core, self.settings, status, q, v, last.t, step, sign)

    def pack(self) -> Floats:
        """Checkpoint: everything that the next rows depend on."""
        W, parts = self.core.W, st.workspace_parts(self.core.I)
        own = [self.model.gap, self.model.largest]
        return np.concatenate([super().pack(), own, *(W[start : start + size] for start, size in parts)])

    def unpack(self, checkpoint: Floats) -> bool:
        """Go back to the state of a checkpoint; False when it belongs to another model or method."""
        parts = st.workspace_parts(self.core.I)
        place = checkpoint.size - sum(size for _, size in parts)
        if place < 2 or not super().unpack(checkpoint[: place - 2]):
            return False
        self.model.gap, self.model.largest = checkpoint[place - 2 : place].tolist()
        for start, size in parts:
            self.core.W[start : start + size] = checkpoint[place : place + size]
            place += size
        return True

    def summary(self, outcome: str) -> NaturalSummary:
        """Outcome and quality so far."""
        natural, values = self.model.natural, vars(super().summary(outcome))
        values |= {"largest_constraint_error": self.model.largest}
        if self.is_kinematic:
            values["method"] = "kinematic"
        return NaturalSummary(**values, n_natural=natural.n, n_natural_rows=natural.m, balance_gap=self.model.gap)
