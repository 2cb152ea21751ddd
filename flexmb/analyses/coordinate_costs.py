"""Estimate of the cost of a step in joint and in absolute coordinates, for large mechanisms.

The cost of an iteration is that of its bodies, of its constraint rows, and of two solutions with the factors of the
matrix: entries of the fronts in sparse storage, of the full matrix else. The weights are measured ones [us].
"""

from __future__ import annotations

from collections.abc import Iterator

from flexmb.errors import InputError
from flexmb.layout import sparse_pattern as sp
from flexmb.model.schema.model_spec import ModelSpec
from flexmb.system.build import build_system
from flexmb.system.system import System

FROM = 100
"""Least number of coordinates and rows of a mechanism whose costs are compared."""
PER_BODY, PER_ROW, PER_ENTRY = 0.1, 0.045, 0.0008
WORTH_SAYING = 1.3  # factor between the costs from which another choice is recommended


def step_cost(system: System) -> float:
    """Estimated cost of an iteration of an implicit method [us]; of rows that repeat others, all count."""
    rows, n = len(system.evaluated), system.n_v + len(system.evaluated)
    entries = float(n * n)
    if system.pattern is not None:
        P = system.pattern
        table = P[P[sp.SP_TABLE] : P[sp.SP_TABLE] + P[sp.SP_FRONTS] * sp.FRONT].reshape(-1, sp.FRONT)
        entries = float((table[:, sp.FR_PIVOTS] * (2 * table[:, sp.FR_SIZE] - table[:, sp.FR_PIVOTS])).sum())
    return PER_BODY * len(system.mechanism.bodies) + PER_ROW * rows + PER_ENTRY * entries


def cheapest_text(spec: ModelSpec, system: System) -> str:
    """Text on the cheapest of joint and absolute coordinates, with estimated costs; "" for small mechanisms."""
    if system.n_v + len(system.evaluated) < FROM:
        return ""
    costs = dict(_costs(spec))
    if len(costs) < 2:
        return ""
    best = min(costs, key=costs.__getitem__)
    listed = ", ".join(f"{word} {cost:.2g} us" for word, cost in costs.items())
    text = f"estimated cost of an iteration: {listed}"
    own = spec.coordinates.default
    if own in costs and costs[own] > WORTH_SAYING * costs[best]:
        return f'{text}; default = "{best}" would be {costs[own] / costs[best]:.2g} times cheaper'
    return f"{text}; {best} coordinates are the cheapest"


def _costs(spec: ModelSpec) -> Iterator[tuple[str, float]]:
    for word in ("joint", "absolute"):
        choice = spec.coordinates.model_copy(update={"default": word})
        try:
            yield word, step_cost(build_system(spec.model_copy(update={"coordinates": choice}), sparse=True))
        except InputError:  # joints that the user wants in the tree close loops with absolute coordinates
            continue
