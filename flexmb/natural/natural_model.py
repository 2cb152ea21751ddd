"""A model in natural coordinates and in absolute ones: the same bodies, joints, loads and start in both.

Enters: a model and its prepared system in absolute coordinates. Leaves: the natural system with the same start, and in
every state the rows of the core. Poses, velocities and accelerations of the bodies are converted to the core's
coordinates q, v, a; there the multipliers, and with them reactions and efforts, follow from the balance of every body,

    M a + BIAS + G^T lam = 0      in least squares,

and its residual, relative to its largest term, shows how well two independent sets of equations agree.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from flexmb.arrays import Floats
from flexmb.errors import Fault, InputError
from flexmb.layout import flat_arrays as L
from flexmb.natural.choice import choose
from flexmb.natural.core_bridge import Base, Bridge, CoreLoads, function_of, joint_value, least_norm, poses_of
from flexmb.natural.forces import ForceSet
from flexmb.natural.layout import Layout
from flexmb.natural.model_loads import ModelLoads
from flexmb.natural.system import NaturalSystem
from flexmb.solvers.assembly import assemble
from flexmb.solvers.kinematics import require_drives
from flexmb.solvers.mechanics import Mechanics
from flexmb.solvers.settings import Settings
from flexmb.solvers.shared_basis import basis_of
from flexmb.solvers.sparse_rows import SparseRows
from flexmb.solvers.sparse_start import solve_accelerations_sparse
from flexmb.system.system import System

if TYPE_CHECKING:
    from flexmb.model.schema import ModelSpec


class NaturalModel:
    """A model in both descriptions."""

    def __init__(self, spec: ModelSpec, system: System, settings: Settings, m: Mechanics | None = None):
        """`m`: workspace of the core, if there is one already."""
        self.spec, self.system, self.settings = spec, system, settings
        self.m = m = m or Mechanics(system, system.workspace())
        self.basis = basis_of(m)
        m.t = settings.start
        assemble(system, m.W)
        if settings.type == "kinematic":
            require_drives(m)
        m.run(L.AT_ACCEPT)
        self.gap = 0.0
        """Largest residual of the balance, relative to its largest term"""
        self.largest = 0.0
        """Largest |PHI| of the core [m, rad]"""
        self.natural = self._built()
        self._check_freedom()

    def _built(self) -> NaturalSystem:
        """The model in natural coordinates; its first state is that of the core."""
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

        def forces(layout: Layout) -> list[ForceSet]:
            sets = loads.forces(layout) if base is None else loads.forces(layout, base.turn, base.spin)
            if base is not None:
                sets.append(base.forces(choice, layout))
            if loads.in_core:
                sets.append(CoreLoads(self.spec, choice, layout, self.system, m))
            return sets

        mechanism = choice.natural(poses, scalars)
        natural = NaturalSystem(mechanism, [*choice.rows, *loads.rows(drives)], forces, loads.angles, t)
        self.bridge = Bridge(choice, natural.layout, self.system)
        self.velocities = choice.velocities(poses, len(scalars))
        """Rates of the full coordinates at the start"""
        return natural

    def _check_freedom(self) -> None:
        """Require equal degrees of freedom in both descriptions; they differ where redundant rows went undetected."""
        m = self.m
        here, core = self.natural.n - self.natural.m, m.n_v - m.n_rows + len(self.system.dependent)
        if here != core:
            text = f"in natural coordinates the model has {here} degrees of freedom, in absolute ones {core}: "
            text += "redundant constraints were detected differently, as happens near a singular position."
            raise InputError([Fault(text, ("coordinates", "default"), 'Use default = "absolute".')])

    @property
    def needs_efforts(self) -> bool:
        """Whether works follow from multipliers: drives, a moving base."""
        ints = self.system.ints
        return bool(ints[L.N_MOTIONS] > 0 or ints[L.BASE_POWER] >= 0)

    def balance(self) -> None:
        """Multipliers of the core at its coordinates, velocities and accelerations, and the gap of the balance."""
        m = self.m
        if m.is_sparse:
            self._balance_sparse()
            return
        if self.basis is not None and self.basis.has_moved():
            self.basis.look([])
        m.equations()
        inertia = m.M @ m.a
        effort = -(inertia + m.bias)
        m.lam[:] = least_norm((m.G * m.scale).T, effort * m.scale)
        self._note(inertia, m.bias, m.lam @ m.G, m.M @ m.v)

    def _balance_sparse(self) -> None:
        """The same in sparse storage: multipliers of the accelerations of the core."""
        m, a = self.m, self.m.a.copy()
        solve_accelerations_sparse(m)
        rows = SparseRows(m)
        inertia = rows.metric_times(m.M_entries, a)
        self._note(inertia, m.bias, rows.columns_times(m.lam), rows.metric_times(m.M_entries, m.v))
        m.a[:] = a

    def _note(self, inertia: Floats, bias: Floats, held: Floats, momentum: Floats) -> None:
        """Keep the largest gaps of the balance and of the rows."""
        m = self.m
        turning = momentum * float(np.max(np.abs(m.v / m.scale)))  # momentum times rate: of a body that turns freely
        largest = max(float(np.max(np.abs(term * m.scale))) for term in (inertia, bias, held, turning))
        if largest > 0.0:
            self.gap = max(self.gap, float(np.max(np.abs((inertia + bias + held) * m.scale))) / largest)
        self.largest = max(self.largest, float(np.max(np.abs(m.phi_all), initial=0.0)))
