"""Degrees of freedom that the joints leave, and the texts for velocities and motions that they do not allow."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from flexmb.arrays import Floats
from flexmb.solvers.mechanics import Mechanics
from flexmb.solvers.row_rank import Near, combinations, near_dependences, near_text, scaled_rows
from flexmb.solvers.sparse_start import joint_rank, nearly_repeated

SLIGHT = 1e-2  # singular values of rows below this fraction of the largest are worth a remark when nothing moves


def freedom(mechanics: Mechanics, couplings: bool = True) -> int:
    """Degrees of freedom that joints (and couplings) leave at the state in W, with flexible bodies taken as rigid."""
    rigid, rows = ~mechanics.system.elastic, mechanics.system.evaluated
    mechanics.jacobian()
    if mechanics.is_sparse:
        return int(np.sum(rigid)) - joint_rank(mechanics, rigid, couplings)
    kept = [k for k, row in enumerate(rows) if not row.is_motion and (couplings or not row.is_coupling)]
    G = mechanics.G_all[kept][:, rigid] * mechanics.scale[rigid]
    independent = combinations(G, [rows[k] for k in kept], mechanics.system.length_scale) if G.size else ()
    return int(np.sum(rigid)) - len(independent)


def no_motion_text(mechanics: Mechanics, wanted: Floats) -> str:
    """Text on velocities (n_v,) that the constraints do not allow at the state in W."""
    m, free = mechanics, freedom(mechanics)
    largest = np.abs(wanted) > 1e-3 * np.max(np.abs(wanted), initial=0.0)
    names = m.names(np.flatnonzero(largest & (wanted != 0.0))[:5])
    motions = [f"'{name}'" for name in dict.fromkeys(row.owner for row in m.system.evaluated if row.is_motion)]
    moving = (
        f"{', '.join(names)} cannot move at the given velocity" if names else f"{', '.join(motions)} cannot drive it"
    )
    if free:
        return f"The constraints contradict the given velocities: {moving}. Give velocities that the joints allow."
    joints = list(dict.fromkeys(row.owner for row in m.system.evaluated if not row.is_motion))
    listed = ", ".join(f"'{name}'" for name in joints[:10]) + (", ..." if len(joints) > 10 else "")
    why = near_note(m, SLIGHT)
    return (
        f"The mechanism has no degree of freedom: {m.n_v - int(m.system.elastic.sum())} coordinates, and as many "
        f"independent constraint rows of {listed}. So {moving}.{why} Free a joint (for example spherical and "
        "cylindrical instead of revolute), or make axes that should be parallel exactly parallel and points fit."
    )


def near_note(mechanics: Mechanics, limit: float) -> str:
    """Sentence on the joints that most nearly repeat others, with singular values below the limit; empty: none do."""
    m, rows = mechanics, mechanics.system.evaluated
    m.jacobian()
    near: Sequence[Near]
    if m.is_sparse:
        near = nearly_repeated(m, limit)
    else:
        kept = [k for k, row in enumerate(rows) if not row.is_motion]
        names = [rows[k] for k in kept]
        near = near_dependences(scaled_rows(m.G_all[kept] * m.scale, names, m.system.length_scale), names, limit)
    return "".join(f" Note that {near_text(finding)}." for finding in near[-1:])
