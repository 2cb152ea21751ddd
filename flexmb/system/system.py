"""System: a model as flat arrays, with a map from names to places. Frozen; the state lives in workspaces."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from flexmb.arrays import Flags, Floats, Integers
from flexmb.layout import flat_arrays as L
from flexmb.system.mechanism import Mechanism
from flexmb.system.topology import Topology


@dataclass(frozen=True)
class Channel:
    """A column block of an output row."""

    path: str
    unit: str
    start: int
    shape: tuple[int, ...]
    text: str


@dataclass(frozen=True)
class Row:
    """A constraint row by name."""

    owner: str
    """Joint, coupling or motion it belongs to."""
    text: str
    unit: str
    is_motion: bool
    on_velocity: bool = False
    loop: float = 0.0
    """Size of the loop that its joint closes [m]; 0: unknown."""
    is_coupling: bool = False

    @property
    def kind(self) -> str:
        """Kind of its owner."""
        return "motion" if self.is_motion else "coupling" if self.is_coupling else "joint"


@dataclass(frozen=True)
class SharedRows:
    """Position rows of joints that depend on each other: as many independent combinations of them as their rank."""

    rows: tuple[int, ...]
    """Numbers of the rows in `System.evaluated`."""
    rank: int


@dataclass(frozen=True)
class Sharing:
    """Constraint rows that repeat others."""

    sets: tuple[SharedRows, ...]
    """Joint rows: the solvers see combinations of each set, chosen again as the mechanism moves."""
    left_out: tuple[int, ...] = ()
    """Motions and rows at velocity level: these are watched, but the solvers do not see them."""
    kept: tuple[int, ...] = ()
    """Rows that would do at the start."""
    limit: float = 1e-8
    """Residual of what the solvers do not see, as a part of its unit, at which a joint counts as open."""
    n_bent: int = 0
    """Combinations that repeat others only while the flexible bodies are straight."""


NO_SHARING = Sharing(())


@dataclass(frozen=True)
class System:
    """Flat arrays and names of a mechanism in one choice of coordinates."""

    name: str
    ints: Integers
    floats: Floats
    n_work: int
    mechanism: Mechanism
    topology: Topology
    coordinates: tuple[str, ...]
    """Name of every velocity coordinate: "joint.coordinate" or "body.x"."""
    coordinate_kinds: tuple[str, ...]
    """Kind of every velocity coordinate: length, angle, rotation, elastic or twist."""
    all_rows: tuple[Row, ...]
    """Every constraint row, also those that are dropped."""
    evaluated: tuple[Row, ...]
    """Rows that are not dropped: they are evaluated."""
    rows: tuple[Row, ...]
    """Rows as the solvers see them: the same, or combinations of those that repeat others."""
    row_numbers: tuple[int, ...]
    """Number in `all_rows` of every row that is evaluated."""
    dropped: tuple[Row, ...]
    sharing: Sharing
    """Rows that repeat others."""
    basis0: Floats
    """Combinations of the rows at the start, as in the workspace (n_basis)."""
    channels: tuple[Channel, ...]
    forces: tuple[str, ...]
    """Names of the loads, in the order of the load table."""
    q0: Floats
    v0: Floats
    fixed_q: Flags
    """Velocity coordinates whose initial position the user gave."""
    fixed_v: Flags
    length_scale: float
    """Typical length [m], for tolerances."""
    memory0: Floats
    """Angles near which turns are counted at the start, with rates and time, then zeros (n_memory)."""
    pattern: Integers | None = None
    """Pattern of the equations in sparse storage (`flexmb.layout.sparse_pattern`); None: full matrices."""
    full_pattern: Integers | None = None
    """The same with all entries of a tangent by differences."""
    share_pattern: Integers | None = None
    """Pattern of the least multipliers of rows that repeat others, in sparse storage; None: all are determined."""
    share0: Floats | None = None
    """Scales of rows and coordinates that this takes (n_rows + n_v)."""
    dependent: tuple[int, ...] = ()
    """Rows that repeat others at the start, in sparse storage: numbers in `evaluated`."""

    @property
    def n_v(self) -> int:
        """Number of rates."""
        return int(self.ints[L.N_V])

    @property
    def n_q(self) -> int:
        """Number of stored coordinates."""
        return int(self.ints[L.N_Q])

    @property
    def n_rows(self) -> int:
        """Number of constraint rows as the solvers see them."""
        return int(self.ints[L.N_ROWS])

    @property
    def n_redundant(self) -> int:
        """Number of constraint rows, or combinations of them, that repeat others."""
        return len(self.evaluated) - self.n_rows + len(self.dependent)

    @property
    def body_names(self) -> list[str]:
        """Name of every body in the order of the body table; ground is the first."""
        return [self.mechanism.bodies[k].name for k in (0, *(branch.body for branch in self.topology.branches))]

    @property
    def marker_names(self) -> dict[int, str]:
        """Name of every marker that has one, by its number in the marker table."""
        return {number: name for name, number in self.mechanism.marker_index.items()}

    @property
    def elastic(self) -> Flags:
        """Mask of the elastic velocity coordinates."""
        return np.array([kind in ("elastic", "twist") for kind in self.coordinate_kinds], dtype=bool)

    @property
    def scales(self) -> Floats:
        """Size of one unit of error of every velocity coordinate: the length scale for lengths, 1 for angles.

        An elastic coordinate is the length by which its shape bends the body most.
        """
        of_kind = {"length": self.length_scale, "elastic": self.length_scale}
        return np.array([of_kind.get(kind, 1.0) for kind in self.coordinate_kinds])

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError(
            "A System cannot go to another process: it holds addresses of compiled code. Send the Model instead, or "
            "the numbers that you need."
        )

    def channel(self, path: str) -> Channel:
        """The channel with this path."""
        return next(channel for channel in self.channels if channel.path == path)

    def workspace(self) -> Floats:
        """A fresh workspace with the initial coordinates and rates."""
        work = np.zeros(self.n_work)
        work[self.ints[L.Q] : self.ints[L.Q] + self.n_q] = self.q0
        work[self.ints[L.V] : self.ints[L.V] + self.n_v] = self.v0
        self.view(work, L.MEMORY, len(self.memory0))[:] = self.memory0
        self.view(work, L.BASIS, len(self.basis0))[:] = self.basis0
        if self.share0 is not None:
            start = int(self.ints[L.X_SHARE]) + 2 * self.n_rows + self.n_v
            work[start : start + len(self.share0)] = self.share0
        return work

    def view(self, work: Floats, slot: int, length: int) -> Floats:
        """Part of a workspace that starts at the offset in header slot `slot`."""
        start = int(self.ints[slot])
        return work[start : start + length]
