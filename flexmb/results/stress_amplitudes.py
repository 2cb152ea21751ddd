"""Amplitudes of the stress of a flexible body: elastic coordinates, and the values of loads that stress it directly.

The stress of a point is sigma = sum over k of shapes_k a_k, with the shapes of `bodies.load_shape.stress_shapes` and
these amplitudes: a temperature stresses even a body that cannot move.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from flexmb.arrays import Floats


def stress_amplitudes(channel: Callable[[str], Floats], body: str, n_modes: int, forces: Sequence[str]) -> Floats:
    """(r, n + m) amplitudes [m, K] of a body with n modes on which m forces act by load shapes with own stress.

    channel : reads (r, ...) of a path of a result
    """
    q = np.asarray(channel(f"bodies/{body}/elastic_position"), dtype=float)
    q = q.reshape(len(q), n_modes)
    return np.column_stack([q, *(np.asarray(channel(f"forces/{name}/effort")).reshape(len(q)) for name in forces)])
