"""A natural system as the flat arrays that the common integrators march: I, F, W and the patterns of sparse storage.

Enters: a `NaturalSystem`. Leaves: the equations over q = x / size of the moving coordinates, with every constraint row
that touches one of them, redundant rows included: the factorisation of every Newton matrix finds which of them repeat
others (`flexmb.solvers.fronts`). Rows are divided by the length of their gradient at the start, so that a mechanism of
any size has equations of the same numbers. Gravity is a constant; other forces, and drives that are functions of
Python, are evaluated there (`outside`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmb.arrays import Floats, Integers
from flexmb.layout import flat_arrays as L
from flexmb.machine_code.jit import PythonProgram
from flexmb.natural import packed_layout as N
from flexmb.natural import row_kernels as at
from flexmb.natural.drives import CoreFunction
from flexmb.natural.forces import Gravity
from flexmb.natural.packed_mass import PackedMass
from flexmb.natural.programs import PROGRAMS, negative_loads
from flexmb.natural.row_table import RowTable
from flexmb.natural.tangents import CoupledForces, StiffForces
from flexmb.solvers.mechanics import Mechanics
from flexmb.solvers.pointers import address_of
from flexmb.system.sparse_pattern import Entries, make_difference_pattern, make_pattern
from flexmb.system.system import NO_SHARING, Channel, Row, Sharing, System

if TYPE_CHECKING:
    from flexmb.natural.core_bridge import Bridge
    from flexmb.natural.system import NaturalSystem

MOST_COUPLED = 120
"""Most coordinates of a system whose tangent by differences is a full matrix, whatever couples its forces."""


class _Arrays:
    """I and F while they are written, and the length of W."""

    def __init__(self) -> None:
        self.header = np.zeros(N.HEADER, dtype=np.int64)
        self.ints: list[Integers] = [self.header]
        self.floats: list[Floats] = []
        self.n_ints, self.n_floats, self.n_work = N.HEADER, 0, 0

    def put_ints(self, slot: int, values: Any) -> None:
        """Numbers into I, their offset into the header."""
        self.header[slot] = self.n_ints
        self.ints.append(np.asarray(values, dtype=np.int64).ravel())
        self.n_ints += self.ints[-1].size

    def put_floats(self, slot: int, values: Any) -> None:
        """Numbers into F, their offset into the header."""
        self.header[slot] = self.n_floats
        self.floats.append(np.asarray(values, dtype=np.float64).ravel())
        self.n_floats += self.floats[-1].size

    def take(self, size: int, *slots: int) -> None:
        """Room of this size in W, for every slot of the header."""
        for slot in slots:
            self.header[slot], self.n_work = self.n_work, self.n_work + size


class PackedNatural:
    """The flat arrays, as `Solvable` describes them."""

    forces: Sequence[str] = ()
    sharing: Sharing = NO_SHARING
    length_scale = 1.0

    def __init__(self, natural: NaturalSystem):
        self.natural = natural
        rows = natural.constraints
        self.n, self.m = natural.n, rows.touching.size
        self.sizes = natural.sizes
        table = RowTable(rows.written)
        self.row_factors = 1.0 / rows.lengths
        driven = {row for row, _ in rows.written.drives}
        self.rows = [Row(name, "", "rad", k in driven) for k, name in enumerate(rows.written.names)]
        self.evaluated = self.rows
        self.coordinates = [f"natural coordinate {column}" for column in natural.moving]
        self.scales = np.ones(self.n)
        self.channels: Sequence[Channel] = ()
        self.fixed_q = self.fixed_v = self.elastic = np.zeros(self.n, dtype=bool)
        packed = self._packed = _Arrays()
        self._gradient(table)
        self._structure()
        self.mass = PackedMass(natural, self.G, self.node_of)
        self.mass.write(packed)
        self._patterns()
        self._counts()
        self._coordinates(table)
        self._forces()
        for slot, program in PROGRAMS.items():
            packed.header[slot] = program.address
        if not self.n:
            packed.header[L.AT_ACCELERATION] = PROGRAMS[L.AT_COMPOSE].address
        self.ints, self.floats = np.concatenate(packed.ints), np.concatenate(packed.floats)
        self.n_work = packed.n_work
        self.failure: BaseException | None = None
        self.v0 = np.zeros(self.n)
        """Velocities of the start, in sizes of the coordinates"""
        self._programs: list[PythonProgram] = []
        if self.others or self.own_drives:
            self.call_back(N.AT_OUTSIDE, self._evaluate_outside)

    def _gradient(self, table: RowTable) -> None:
        """Stored entries of G: one for every row and moving coordinate that the table has entries of."""
        place = np.full(self.natural.layout.n_coordinates, -1, dtype=np.int64)
        place[self.natural.moving] = np.arange(self.n)
        columns = place[table.columns]
        inside = columns >= 0
        keys, slots = np.unique(table.rows[inside] * self.n + columns[inside], return_inverse=True)
        self.G = Entries(keys // self.n, keys % self.n)
        every = np.full(columns.size, -1, dtype=np.int64)
        every[inside] = slots
        factors = np.zeros(columns.size)
        factors[inside] = self.row_factors[table.rows[inside]] * self.sizes[columns[inside]]
        packed = self._packed
        ints, floats = table.arrays
        packed.put_ints(N.TABLE_I, ints)
        packed.put_floats(N.TABLE_F, floats)
        packed.put_ints(N.G_SLOTS, every)
        packed.put_floats(N.G_FACTORS, factors)
        packed.put_floats(N.ROW_FACTORS, self.row_factors)
        starts = np.searchsorted(self.G.row, np.arange(self.m + 1))
        packed.put_ints(L.G_STARTS, starts)
        packed.put_ints(L.G_COLUMNS, self.G.column)
        drives = self.natural.constraints.written.drives
        packed.header[N.N_DRIVES] = len(drives)
        packed.put_ints(N.DRIVE_ROWS, [row for row, _ in drives])
        self.core_drives = [drive for _, drive in drives if isinstance(drive, CoreFunction)]
        self.own_drives = [] if len(self.core_drives) == len(drives) else [drive for _, drive in drives]
        if self.core_drives and not self.own_drives:
            packed.put_ints(N.DRIVE_STARTS, [drive.start for drive in self.core_drives])
            system, W = self.core_drives[0].system, self.core_drives[0].work
            self._point_to(packed.header, system, W)
        packed.take(3 * len(drives), N.DRIVES)
        packed.take(3 * int(ints[at.N_FACTORS]), N.FACTORS, N.FACTOR_RATES, N.COFACTORS)

    def _structure(self) -> None:
        """Nodes of the pattern: points, vectors and scalars that move; groups of rows with the same nodes."""
        layout, moving = self.natural.layout, self.natural.moving
        first = layout.dimension * layout.n_nodes
        owner = np.where(moving < first, moving // layout.dimension, layout.n_nodes + moving - first)
        _, self.node_of = np.unique(owner, return_inverse=True)
        n_nodes = int(self.node_of[-1]) + 1 if self.n else 0
        self.unknowns: list[list[int]] = [[] for _ in range(n_nodes)]
        for coordinate, node in enumerate(self.node_of.tolist()):
            self.unknowns[node].append(coordinate)
        touched: list[set[int]] = [set() for _ in range(self.m)]
        for row, node in zip(self.G.row.tolist(), self.node_of[self.G.column].tolist(), strict=True):
            touched[row].add(node)
        groups: dict[tuple[int, ...], list[int]] = {}
        for row, nodes in enumerate(touched):
            groups.setdefault(tuple(sorted(nodes)), []).append(self.n + row)
        self.row_nodes = [(n_nodes + k, list(nodes)) for k, nodes in enumerate(groups)]
        self.unknowns += list(groups.values())

    def _patterns(self) -> None:
        """Patterns of the Newton matrix, with the entries of the mass and with all."""
        self.pattern: Integers | None = None
        self.full_pattern: Integers | None = None
        if not self.n:  # every body is held
            return
        cliques = self.mass.cliques
        self.pattern = make_pattern(self.unknowns, cliques, self.row_nodes, self.n, self.mass.entries, self.G)
        wider = [*cliques, *(nodes for _, nodes in self.row_nodes), *self._coupled_by_forces()]
        if self.n <= MOST_COUPLED:
            wider.append(list(range(len(self.unknowns) - len(self.row_nodes))))
        self.full_pattern = make_difference_pattern(self.unknowns, wider, self.row_nodes, self.n, self.G)

    def _coupled_by_forces(self) -> list[list[int]]:
        """Nodes that a force couples, where it knows them."""
        node = np.full(self.natural.layout.n_extended, -1, dtype=np.int64)
        node[self.natural.moving] = self.node_of
        found = []
        for one in self.natural.forces:
            if isinstance(one, StiffForces):
                pairs = np.unique(node[np.array(one.tangent_places())].T, axis=0)
                found += pairs[np.all(pairs >= 0, axis=1)].tolist()
            elif isinstance(one, CoupledForces):
                groups = [np.unique(node[columns]) for columns in one.coupled]
                found += [nodes[nodes >= 0].tolist() for nodes in groups]
        return found

    def _counts(self) -> None:
        header, take = self._packed.header, self._packed.take
        header[L.N_Q] = header[L.N_V] = self.n
        header[[L.N_ROWS, L.N_POS_ROWS, L.N_ALL_ROWS, L.N_ALL_POS_ROWS]] = self.m
        header[L.SPARSE], header[L.N_M] = int(self.n > 0), self.mass.entries.row.size
        header[L.N_G] = header[L.N_ALL_G] = self.G.row.size
        header[L.N_OUT] = 3 + 3 * self.n + self.m
        header[L.BASE_POWER] = -1
        take(1, L.T)
        take(self.n, L.Q, L.V, L.A, L.QN, L.DQ, L.RES, L.BIAS, L.Q_DOT, L.Q_DDOT)
        take(self.m, L.LAM, L.PHI, L.PHI_DOT, L.GAM)
        take(self.mass.entries.row.size, L.M)
        take(self.G.row.size, L.G)
        for slot, every in ((L.LAM, L.LAM_ALL), (L.PHI, L.PHI_ALL), (L.PHI_DOT, L.PHI_DOT_ALL), (L.GAM, L.GAM_ALL)):
            header[every] = header[slot]
        header[L.G_ALL] = header[L.G]
        take(int(header[L.N_OUT]), L.OUT)
        self._packed.put_floats(L.OPEN, [np.inf, 1.0])

    def _coordinates(self, table: RowTable) -> None:
        packed, layout = self._packed, self.natural.layout
        packed.header[N.N_FULL], packed.header[N.N_EXTENDED] = layout.n_coordinates, layout.n_extended
        packed.put_ints(N.MOVING, self.natural.moving)
        packed.put_floats(N.SIZES, self.sizes)
        packed.put_floats(N.FORCE_SIZES, self.sizes / self.mass.unit)
        packed.take(layout.n_extended, N.Y, N.Y_DOT, N.Y_DDOT, N.Q_Y, N.BALANCE_Y)

    def _forces(self) -> None:
        """Gravity as numbers, all others by a program of Python."""
        weights = [one for one in self.natural.forces if isinstance(one, Gravity)]
        constant = np.zeros(self.natural.layout.n_extended)
        for one in weights:
            constant += one.generalised
        self._packed.put_floats(N.CONSTANT_Q, constant)
        compiled = (Gravity, CoupledForces)
        self.others = [one for one in self.natural.forces if not isinstance(one, compiled)]

    def workspace(self) -> Floats:
        """W (n_work,) with coordinates and velocities of the start."""
        W = np.zeros(self.n_work)
        start = self.natural.start
        W[self.ints[N.Y] : self.ints[N.Y] + start.size] = start
        W[self.ints[L.Q] : self.ints[L.Q] + self.n] = start[self.natural.moving] / self.sizes
        W[self.ints[L.V] : self.ints[L.V] + self.n] = self.v0
        return W

    def attach(self, core: System, W: Floats, bridge: Bridge) -> None:
        """Write rows of the system in absolute coordinates, whose workspace is W (w,); once."""
        if self.ints[N.FRAME_STARTS] > 0:  # by another run of this model, which keeps its arrays
            return
        ints, n_powers, n_out = self.ints, int(core.ints[L.N_POWERS]), int(core.ints[L.N_OUT])
        self.channels, self.forces = core.channels, core.forces
        tables = {N.FRAME_STARTS: bridge.starts, N.FRAME_ORDER: bridge.order, N.FRAME_COLUMNS: bridge.columns}
        ints[N.FRAME_VALUES] = self.floats.size
        self.floats = np.concatenate([self.floats, bridge.values])
        for slot, table in tables.items():
            ints[slot] = ints.size
            ints = np.concatenate([ints, table])
        ints[L.N_POWERS], ints[L.N_OUT] = n_powers, n_out
        for slot, size in ((L.POWER, n_powers), (L.WORK, n_powers), (L.OUT, n_out)):
            ints[slot], self.n_work = self.n_work, self.n_work + size
        self._point_to(ints, core, W)
        if any(isinstance(one, CoupledForces) for one in self.natural.forces):
            ints[N.CORE_LOADS] = negative_loads.address
        self.ints = ints

    def _point_to(self, header: Integers, core: System, W: Floats) -> None:
        """Set the addresses of the system in absolute coordinates."""
        header[[N.CORE_I, N.CORE_F, N.CORE_W]] = [address_of(array) for array in (core.ints, core.floats, W)]
        self._core = core, W  # kept alive

    def call_back(self, slot: int, function: Callable[[Floats, int], None]) -> None:
        """Let a program of the header be this function of W and the argument."""
        self._programs.append(self.guarded(function))
        self.ints[slot] = self._programs[-1].address

    def guarded(self, function: Callable[[Floats, int], None]) -> PythonProgram:
        """A function of W and the argument as a program; what it raises is kept for `raise_failure`."""

        def run(W: Floats, argument: int) -> None:
            try:
                with np.errstate(all="ignore"):  # values that are not finite end the step with one message
                    function(W, argument)
            except BaseException as error:  # also Ctrl-C: the integration raises it, machine code cannot
                self.failure = self.failure or error

        return PythonProgram(run, self.n_work)

    def _evaluate_outside(self, W: Floats, only_drives: int) -> None:
        """Forces and drives of the motion in W."""
        I = self.ints
        t, n = float(W[I[L.T]]), int(I[N.N_EXTENDED])
        for k, drive in enumerate(self.own_drives):
            W[I[N.DRIVES] + 3 * k : I[N.DRIVES] + 3 * k + 3] = drive(t)
        if only_drives:
            return
        y, y_dot = W[I[N.Y] : I[N.Y] + n], W[I[N.Y_DOT] : I[N.Y_DOT] + n]
        for one in self.others:
            W[I[N.Q_Y] : I[N.Q_Y] + n] += one.force(y, y_dot, t)

    def watch_rows(self, t: float) -> None:
        """Rows repeat others: a step ends where one of them opens that the solvers left out."""
        if self.pattern is None:
            return
        m = Mechanics(self, self.workspace())
        m.t = t
        m.jacobian()
        self.ints[L.AT_SHARE_PATTERN] = address_of(self.pattern)
        self.floats[self.ints[L.OPEN]] = max(NO_SHARING.limit, 10.0 * m.constraint_error)

    def multipliers(self, lam: Floats) -> Floats:
        """Multipliers (rows,) of the rows as they are written, of those of W."""
        return np.asarray(lam * self.row_factors * self.mass.unit)

    def raise_failure(self) -> None:
        """Raise what a function of Python has raised."""
        failure, self.failure = self.failure, None
        if failure is not None:
            raise failure

    def full_coordinates(self, q: Floats) -> Floats:
        """x (n_coordinates,) of q (n,)."""
        x = self.natural.start.copy()
        x[self.natural.moving] = q * self.sizes
        return x
