"""Deflection of a body in a run that modes left out by its reduction would add.

The body file has the compliance F between the interfaces that the coordinates leave out, with inertia relief. With the
forces and moments f on the interfaces at some rows of the run (joints, drives, loads) and the elastic coordinates q,

    share = max (q^T K q + f^T F f) / max q^T K q - 1

is the energy, and so the deflection along the loads, that is missing. Gravity and the inertia forces of accelerations
of the whole body are in it (they balance f), and those of the present coordinates do no work on the modes left out.

It is exact for slow loads. The modes left out also lower the frequencies of the mechanism, which is not in it: near and
above a resonance the deflection may change by more, or to the other side. Neither are the resonance of modes left out
under loads as fast as they are, centrifugal forces of a fast spin, loads on the mesh, and loads at followers.
"""

from __future__ import annotations

import numpy as np

from flexmb.analyses.body_loads import BodyLoads, body_loads
from flexmb.arrays import Floats
from flexmb.bodies.flexible_body import NEAR, FlexibleBody, nearest_marker
from flexmb.bodies.reduced_body import ReducedBody
from flexmb.results.flexible_findings import flexible_bodies
from flexmb.results.result_file import Result
from flexmb.system.system import System

_ROWS = 200
"""Rows of a run that are examined"""
_CHANNELS = tuple(f"coordinates/{name}" for name in ("q", "v", "a", "multipliers"))


def left_out_shares(system: System, result: Result) -> dict[str, float]:
    """Share of every body from a file that knows what its coordinates leave out."""
    mechanism = system.mechanism
    bodies = [b for b in flexible_bodies(mechanism) if b.reduced is not None and b.reduced.left_out is not None]
    if not bodies or not all(path in result.channels for path in _CHANNELS):
        return {}
    rows = np.unique(np.linspace(0, result.n_rows - 1, _ROWS).astype(int)).tolist()
    loads = body_loads(result, system, [mechanism.body_index[body.name] for body in bodies], rows)
    found = {}
    for body in bodies:
        share = _share(body, system, loads[mechanism.body_index[body.name]])
        if share is not None:
            found[body.name] = share
    return found


def _share(body: FlexibleBody, system: System, loads: BodyLoads) -> float | None:
    """The share; None: the body is not deflected, or the file does not fit."""
    assert body.reduced is not None and body.reduced.left_out is not None
    F, q = body.reduced.left_out, loads.motion.q
    present = np.einsum("ri,ij,rj->r", q, body.reduced.stiffness, q)
    f = _wrenches(body, body.reduced, system, loads)
    if len(F) != f.shape[1] or not present.max(initial=0.0) > 0.0:
        return None
    missing = np.maximum(np.einsum("ri,ij,rj->r", f, F, f), 0.0)
    share = float((present + missing).max() / present.max() - 1.0)
    return share if np.isfinite(share) else None


def _wrenches(body: FlexibleBody, reduced: ReducedBody, system: System, loads: BodyLoads) -> Floats:
    """(r, 6 i) forces and moments on the interfaces, about where they are on the deformed body"""
    numbers = {marker.name: k for k, marker in enumerate(m for m in reduced.markers if m.kind != "follower")}
    named = {f"{body.name}.{marker.name}": marker for marker in reduced.markers}
    f = np.zeros((len(loads.force), len(numbers), 6))
    for k, number in enumerate(loads.markers):
        marker = system.mechanism.markers[number]
        own, distance = nearest_marker(reduced, marker.p_b)
        own = named.get(marker.name, own)
        if own is None or own.name not in numbers or distance > NEAR * body.length:
            continue
        force, interface = loads.force[:, k], numbers[own.name]
        arm = loads.place[:, k] - (marker.p_b - own.p_b)
        f[:, interface, :3] += force
        f[:, interface, 3:] += loads.moment[:, k] - np.cross(arm, force)
    return f.reshape(len(f), -1)
