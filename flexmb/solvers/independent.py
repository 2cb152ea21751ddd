"""Choice of the independent velocities of the embedding: by the user, or by QR with column pivoting.

The dependent velocities are the columns that pivoting takes first, scaled by the magnitude of the coordinates: first
those of the rows at position level, then those of the velocity rows. They are chosen again when the entries of J have
grown, which happens long before G_d is singular. Golub & Van Loan, sec. 5.4.2.
"""

from __future__ import annotations

import numpy as np

from flexmb.arrays import Flags, Floats, Integers
from flexmb.errors import ComputationError, Fault, InputError
from flexmb.layout import solver_state as st
from flexmb.solvers.mechanics import Mechanics
from flexmb.solvers.settings import Settings

GROWN = 2.0  # growth of J that requires a new choice
GROWN_OF_USER = 20.0  # the user's own choice is kept until J is this large
NO_PIVOT = 1e-11


def pivot_columns(A: Floats, count: int, taken: list[int]) -> list[int]:
    """Columns `taken`, then others by pivoting up to `count`; fewer when the rest is (numerically) dependent."""
    rest = A.copy()
    chosen: list[int] = []
    largest = float(np.max(np.linalg.norm(A, axis=0), initial=0.0))
    while len(chosen) < count:
        norms = np.linalg.norm(rest, axis=0)
        norms[chosen] = 0.0
        j = taken[len(chosen)] if len(chosen) < len(taken) else int(np.argmax(norms))
        if norms[j] <= NO_PIVOT * largest:
            break
        unit = rest[:, j] / norms[j]
        rest -= np.outer(unit, unit @ rest)
        chosen.append(j)
    return chosen


def dependent_velocities(mechanics: Mechanics, allowed: Flags | None = None) -> list[int]:
    """Dependent velocities of the state, position rows first; fewer than rows when the rows are dependent."""
    mechanics.jacobian()
    G = mechanics.G * mechanics.scale
    if allowed is not None:
        G = G * allowed
    first = pivot_columns(G[: mechanics.n_pos_rows], mechanics.n_pos_rows, [])
    if len(first) < mechanics.n_pos_rows or mechanics.n_rows == mechanics.n_pos_rows:
        return first
    return pivot_columns(G, mechanics.n_rows, first)


def _set_choice(mechanics: Mechanics, dependent: list[int], K: Integers, S: Floats, limit: float | None) -> None:
    """Write the lists and the limit of J."""
    n, m = mechanics.n_v, mechanics.n_rows
    independent = [j for j in range(n) if j not in set(dependent)]
    K[K[st.INDEX_D] : K[st.INDEX_D] + m] = dependent
    K[K[st.INDEX_I] : K[st.INDEX_I] + n - m] = independent
    G = mechanics.G * mechanics.scale
    J = np.linalg.solve(G[:, dependent], G[:, independent])
    S[st.J_MAX] = float(np.max(np.abs(J), initial=0.0))
    S[st.J_LIMIT] = limit if limit is not None else max(2.5, GROWN * S[st.J_MAX])


def choose_first(mechanics: Mechanics, settings: Settings, K: Integers, S: Floats) -> None:
    """Choice at the start, and the first slope of the method."""
    from flexmb.solvers import runge_kutta

    m = mechanics
    if m.n_rows and not m.is_sparse:
        _choose_at_start(m, settings, K, S)
    runge_kutta.evaluate(K, S, m.W, 0)
    if K[st.STATUS] != st.OK:
        raise ComputationError(
            "The accelerations at the start cannot be computed: the position is singular. Start elsewhere."
        )


def _choose_at_start(mechanics: Mechanics, settings: Settings, K: Integers, S: Floats) -> None:
    m = mechanics
    names = list(m.system.coordinates)
    dof = m.n_v - m.n_rows
    if not settings.independent:
        dependent = dependent_velocities(m)
        if len(dependent) < m.n_rows:
            raise ComputationError(
                f"At the start only {len(dependent)} of {m.n_rows} constraint rows are independent: "
                'the mechanism is in a singular position. Start elsewhere, or use method = "generalized-alpha".'
            )
        _set_choice(m, dependent, K, S, None)
        return
    faults = [
        Fault(f"there is no coordinate '{name}'.", ("analysis", "independent"), f"Coordinates: {', '.join(names)}.")
        for name in settings.independent
        if name not in names
    ]
    if not faults and len(set(settings.independent)) != dof:
        count = len(set(settings.independent))
        text = f"{count} independent coordinates are given, but the mechanism has {dof} degrees of freedom."
        faults.append(Fault(text, ("analysis", "independent")))
    if faults:
        raise InputError(faults)
    allowed = np.array([name not in settings.independent for name in names])
    dependent = dependent_velocities(m, allowed)
    if len(dependent) < m.n_rows:
        chosen = ", ".join(settings.independent)
        raise InputError(
            [
                Fault(
                    f"{chosen} do not determine the motion at the start.",
                    ("analysis", "independent"),
                    "Choose others, or leave them out.",
                )
            ]
        )
    _set_choice(m, dependent, K, S, GROWN_OF_USER)


def choose_again(mechanics: Mechanics, K: Integers, S: Floats) -> bool:
    """Choose again at the current state; False when the rows are dependent there."""
    lam, a = mechanics.lam.copy(), mechanics.a.copy()
    dependent = dependent_velocities(mechanics)
    if len(dependent) < mechanics.n_rows:
        return False
    _set_choice(mechanics, dependent, K, S, None)
    mechanics.lam[:], mechanics.a[:] = lam, a
    return True
