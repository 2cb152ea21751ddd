"""The rows of large closed mechanisms: a train of four-bars through model files, in all coordinates, beside Exudyn.

python benchmarks/train_rows.py      prints them
"""

from __future__ import annotations

from functools import partial
from typing import Any

from codes import Codes
from problems import Train
from report import MISSING, Row, as_text, at_most, guarded, microseconds, milliseconds, ratio
from timing import best_alternating, fitted_exponent

METHOD = """
Closed train of four-bars: rockers of 1 m on ground, joined by couplers at their tips, all joints revolute, three rows
of every loop redundant; read from a model file, prepared, and integrated by generalized-alpha (1 ms, rho = 0.8), each
size in a process of its own. Preparation is the CPU time from the checked model to a consistent start; a step is the
least CPU time of some runs without output rows. Error: of the
height of the tips after 60 ms, against a pendulum. Exudyn: the same train of bodies in the plane (no redundant rows),
and in space, where the last joint of every loop holds two directions only; EigenSparse, modified Newton; its set-up
is building and assembling.
"""
GROWTH, QUICK = (101, 251, 501, 1001, 2001), (101, 151, 201)
STEPS = 60
ASKED = {(501, "joint"): 700e-6, (101, "absolute"): 400e-6, (101, "natural"): 300e-6}
"""[s] that a step may take"""
PEERS = {"joint": ("plane",), "absolute": ("space", "plane"), "natural": ("plane",)}
"""Models of Exudyn beside each choice of coordinates; the first has the ratio"""
Found = dict[tuple[int, str], dict[str, float]]


def measure(codes: Codes, repeats: int) -> list[Row]:
    """501 and 101 bars beside Exudyn, then the growth to 2001 bars."""
    ours: Any = codes.ours_train
    if ours is None:
        return [Row("(t) closed train of four-bars", MISSING, "", "", "<= n^1.15")]
    sizes = QUICK if codes.quick else GROWTH
    pairs = [(101, "joint"), (101, "absolute"), (101, "natural")]
    pairs += [] if codes.quick else [(501, "joint"), (501, "absolute"), (501, "natural")]
    rows, peers, found = [], dict[tuple[int, str], Any](), Found()
    for n, word in pairs:
        case = f"(t) closed train, {n} bars, {word}"
        rows += guarded(case, partial(size_rows, case, n, word, codes, repeats, peers, found))
    for word in ("absolute", "natural", "joint"):
        case = f"(t) closed train, {sizes[0]} to {sizes[-1]} bars, {word}"
        rows += guarded(case, partial(growth_rows, case, word, sizes, ours, repeats, found))
    return rows


def size_rows(case: str, n: int, word: str, codes: Codes, repeats: int, peers: Any, found: Found) -> list[Row]:
    """Step, error and preparation of one size in one choice of coordinates."""
    mine = found[n, word] = codes.ours_train.measured(n, word, repeats)
    rows: list[Row] = []
    for number, model in enumerate(PEERS[word]):
        for newton in codes.exudyn_train.NEWTONS if codes.exudyn_train else ("Exudyn",):
            peer = _peer(codes, n, model, newton, repeats, peers)
            asked = ASKED.get((n, word))
            is_first = not rows
            target = at_most(asked, mine["step"], microseconds) if asked and is_first else "for comparison"
            note = f"error of the tips: flexmb {mine['error']:.1e} m"
            note += "" if peer is None else f", Exudyn {peer['error']:.1e} m"
            name = f"{case}: step" if is_first else "      the same"
            step = None if peer is None else peer["step"]
            title = f"{name}, {newton} in {'the plane' if model == 'plane' else 'space'}"
            own, other = microseconds(mine["step"]), microseconds(step)
            rows.append(Row(title, own, other, ratio(step, mine["step"]), target, note))
            if number == 0 and "loose" not in newton:
                set_up = None if peer is None else peer["prepare"]
    limit = at_most(0.5, mine["prepare"], milliseconds) if (n, word) == (501, "joint") else "for comparison"
    own, other = milliseconds(mine["prepare"]), milliseconds(set_up)
    return [*rows, Row("      preparation", own, other, ratio(set_up, mine["prepare"]), limit)]


def _peer(codes: Codes, n: int, model: str, newton: str, repeats: int, known: Any) -> dict[str, float] | None:
    """Step, error and set-up of a model of Exudyn, measured once."""
    if not codes.exudyn_train:
        return None
    if (n, model, newton) not in known:
        ends: list[tuple[float, float, float]] = []

        def seconds(steps: int, _: int) -> float:
            ends.append(codes.exudyn_train.run_train(model, newton, Train(n), steps))
            return ends[-1][1]

        best = best_alternating({steps: partial(seconds, steps) for steps in (STEPS // 4, STEPS)}, repeats)
        step = (best[STEPS] - best[STEPS // 4]) / (STEPS - STEPS // 4)
        known[n, model, newton] = {"step": step, "error": ends[-1][2], "prepare": min(end[0] for end in ends)}
    return dict(known[n, model, newton])


def growth_rows(case: str, word: str, sizes: tuple[int, ...], ours: Any, repeats: int, found: Found) -> list[Row]:
    """Exponent over all sizes; memory of the largest."""
    for n in sizes:
        if (n, word) not in found:
            found[n, word] = ours.measured(n, word, repeats)
    costs = [found[n, word]["step"] for n in sizes]
    exponent = fitted_exponent(list(sizes), costs)
    listed = ", ".join(f"{n}: {microseconds(cost)}" for n, cost in zip(sizes, costs, strict=True))
    rows = [Row(case, f"n^{exponent:.3f}", "", "", at_most(1.15, exponent, "n^{:g}".format), listed)]
    memory = found[sizes[-1], word]["memory"]
    limit = at_most(500.0, memory, "{:.0f} MB".format) if (sizes[-1], word) == (2001, "absolute") else "for comparison"
    return [*rows, Row(f"      {sizes[-1]} bars: memory", f"{memory:.0f} MB", "", "", limit)]


if __name__ == "__main__":
    print(as_text(measure(Codes(False), 5)))
