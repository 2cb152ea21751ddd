"""Random mechanisms in flexmb and by an independent oracle.

    python -m tests.campaigns.random_mechanisms --count 200 --seed 1

Prints a table of the families and one line for every disagreement, and writes the model file of each into a folder.
Model k of a campaign has the seed 1000 * SEED + k: `--first` and `--count` repeat a part of it. Exit code 1 when
flexmb and the oracle disagree anywhere.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from flexmb.model.model_text import to_toml
from tests.campaigns.mechanism_comparison import Verdict, compare
from tests.campaigns.mechanism_drawing import Draw, draw
from tests.campaigns.mechanism_families import FAMILIES
from tests.campaigns.oracle.motion import Unsuitable

EMBEDDING, INVERSE, NATURAL = 0.1, 0.5, 0.1
"""Shares of runs with independent coordinates, of driven mechanisms by inverse dynamics, and in natural coordinates."""


@dataclass(frozen=True)
class Outcome:
    """Comparison of one model."""

    seed: int
    family: str
    settings: str
    errors: dict[str, float]
    failure: str
    toml: str
    seconds: float

    @property
    def is_right(self) -> bool:
        return not self.failure and max(self.errors.values()) < 1.0

    @property
    def text(self) -> str:
        return Verdict(self.errors, self.failure).text


def settings_of(draw: Draw) -> tuple[dict[str, Any], str]:
    """The tables with the settings of the solver that belong to the seed, and the verb."""
    rng = np.random.default_rng([draw.seed, 1])
    embedding, inverse, natural = rng.random(3)
    tables = dict(draw.tables)
    rigid = not any("beam" in table for table in tables["bodies"].values())
    if tables.get("motions") and inverse < INVERSE:
        return tables, "inverse"
    if embedding < EMBEDDING:
        tables["analysis"] = tables["analysis"] | {"formulation": "embedding"}
    elif rigid and natural < NATURAL:
        tables["coordinates"] = {"default": "natural"}
        tables["analysis"] = {
            "end": tables["analysis"]["end"],
            "method": "rk4",
            "step": tables["analysis"]["end"] / 3000,
        }
    return tables, "run"


def compare_seed(seed: int, families: tuple[str, ...] = tuple(FAMILIES)) -> Outcome | None:
    """Draw a mechanism and compare; None when no fair one is found."""
    begin = time.perf_counter()
    try:
        drawn = draw(seed, families)
    except Unsuitable:
        return None
    tables, verb = settings_of(drawn)
    verdict = compare(drawn, tables, verb)
    if tables["coordinates"]["default"] == "natural" and verdict.failure.startswith("refused"):
        tables, verb = drawn.tables, "run"  # natural coordinates do not cover every joint and load
        verdict = compare(drawn)
    settings = f"{tables['coordinates']['default']} {tables['analysis'].get('formulation', '')} {verb}"
    seconds = time.perf_counter() - begin
    return Outcome(seed, drawn.family, settings, verdict.errors, verdict.failure, to_toml(tables), seconds)


def campaign(
    seed: int, count: int, workers: int = 2, families: tuple[str, ...] = tuple(FAMILIES), first: int = 0
) -> Iterator[Outcome | None]:
    """Compare so many models, in the order of their seeds."""
    seeds = range(1000 * seed + first, 1000 * seed + first + count)
    if workers < 2:
        yield from (compare_seed(k, families) for k in seeds)
        return
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(name, "1")  # read by new processes: with small matrices, threads get in each other's way
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        yield from pool.map(compare_seed, seeds, [families] * count)


def table(outcomes: list[Outcome]) -> str:
    """Models, disagreements and largest errors of every family, relative to what is allowed."""
    lines = [
        f"{'family':16}{'models':>8}{'wrong':>8}{'positions':>12}{'velocities':>12}{'reactions':>12}{'energy':>12}"
    ]
    for family in sorted({outcome.family for outcome in outcomes}):
        own = [outcome for outcome in outcomes if outcome.family == family]
        right = [outcome.errors for outcome in own if outcome.is_right]
        wrong = sum(not outcome.is_right for outcome in own)
        names = ("positions", "velocities", "reactions", "energy")
        worst = [max((errors[name] for errors in right), default=float("nan")) for name in names]
        lines.append(f"{family:16}{len(own):8}{wrong:8}" + "".join(f"{value:12.1e}" for value in worst))
    return "\n".join(lines)


def main() -> int:
    """Run a campaign from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=200, help="number of models")
    parser.add_argument("--seed", type=int, default=1, help="seed of the campaign")
    parser.add_argument("--first", type=int, default=0, help="number of the first model")
    parser.add_argument("--workers", type=int, default=2, help="processes")
    parser.add_argument("--family", action="append", choices=list(FAMILIES), help="only this family; may be repeated")
    parser.add_argument("--folder", type=Path, default=Path("random_mechanisms"), help="folder of the model files")
    given = parser.parse_args()
    families = tuple(given.family or FAMILIES)
    outcomes: list[Outcome] = []
    skipped, begin = 0, time.perf_counter()
    for outcome in campaign(given.seed, given.count, given.workers, families, given.first):
        if outcome is None:
            skipped += 1
            continue
        outcomes.append(outcome)
        if not outcome.is_right:
            given.folder.mkdir(parents=True, exist_ok=True)
            path = given.folder / f"{outcome.family.replace(' ', '_')}_{outcome.seed}.toml"
            path.write_text(f"# {outcome.settings}: {outcome.text}\n{outcome.toml}", encoding="utf-8")
            print(
                f"{outcome.seed} {outcome.family} ({outcome.settings.strip()}): {outcome.text}\n    {path}", flush=True
            )
    print(table(outcomes))
    wrong = sum(not outcome.is_right for outcome in outcomes)
    spent = f"{time.perf_counter() - begin:.0f} s ({sum(outcome.seconds for outcome in outcomes):.0f} s of work)"
    print(f"{len(outcomes)} models, {wrong} disagree, {skipped} seeds without a fair mechanism, {spent}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
