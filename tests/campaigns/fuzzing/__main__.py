"""python -m tests.campaigns.fuzzing: run cases of a seed, print what came of them, keep the files of the findings."""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # forked processes have no threads
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("NUMBA_NUM_THREADS", "1")
os.environ.setdefault("MPLBACKEND", "agg")

import argparse
import gc
import json
import re
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.campaigns.fuzzing.commands import VERBS
from tests.campaigns.fuzzing.corpus import load_all, make_corpus
from tests.campaigns.fuzzing.workers import Campaign, Verdict


def main() -> int:
    words = _arguments()
    with tempfile.TemporaryDirectory(prefix="flexmb fuzzing ") as name:
        folder = Path(name)
        valid = folder / "valid"
        valid.mkdir()
        corpus = make_corpus(valid)
        load_all(valid)
        gc.freeze()
        verbs = (words.verb,) if words.verb else VERBS
        numbers = words.only or range(words.first, words.first + words.count)
        began = time.monotonic()
        verdicts = list(_watched(Campaign(corpus, words.seed, verbs, folder).run(numbers, words.jobs)))
        seconds = time.monotonic() - began
        findings = [verdict for verdict in verdicts if not verdict.is_good]
        if words.keep and findings:
            _keep(folder, Path(words.keep), words.seed, findings)
    _tell(verdicts, findings, seconds, words)
    return 1 if findings else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.campaigns.fuzzing", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=2000, help="number of cases")
    parser.add_argument("--first", type=int, default=0, help="number of the first case")
    parser.add_argument("--only", type=int, nargs="+", help="run these cases alone")
    parser.add_argument("--verb", choices=VERBS, help="call one verb only (these are other cases)")
    parser.add_argument("--jobs", type=int, default=2, help="processes side by side")
    parser.add_argument("--keep", help="folder for the files of the findings")
    parser.add_argument("--slowest", action="store_true", help="name the slowest cases too")
    return parser.parse_args()


def _watched(verdicts: Iterator[Verdict]) -> Iterator[Verdict]:
    """The verdicts, with a line for each finding as it comes."""
    for done, verdict in enumerate(verdicts, start=1):
        if not verdict.is_good:
            print(f"case {verdict.number}: {_shown(verdict)}", flush=True)
        if sys.stderr.isatty() and done % 50 == 0:
            print(f"\r{done} ", end="", file=sys.stderr, flush=True)
        yield verdict


def _shown(verdict: Verdict) -> str:
    words = " ".join(word if len(word) < 60 else word[:57] + "..." for word in verdict.words)
    return f"{verdict.kind}: {verdict.detail!r}  <- {words!r} ({verdict.damaged})"


def _keep(folder: Path, target: Path, seed: int, findings: list[Verdict]) -> None:
    """Copies of the folders of the findings, each with a note of what was typed and what came of it."""
    for verdict in findings:
        place = target / f"{seed}_{verdict.number}"
        shutil.rmtree(place, ignore_errors=True)
        for found in folder.glob(f"worker */case {verdict.number}"):
            shutil.move(found, place)
        place.mkdir(parents=True, exist_ok=True)
        note = {"words": verdict.words, "damaged": verdict.damaged, "kind": verdict.kind, "detail": verdict.detail}
        (place / "finding.json").write_text(json.dumps(note, indent=1))


def _tell(verdicts: list[Verdict], findings: list[Verdict], seconds: float, words: argparse.Namespace) -> None:
    kinds = Counter(verdict.kind for verdict in verdicts)
    rate = f"{1000.0 * seconds * words.jobs / max(len(verdicts), 1):.0f} ms each"
    print(f"seed {words.seed}: {len(verdicts)} cases in {seconds:.0f} s ({rate}); {len(findings)} findings")
    print("  " + ", ".join(f"{count} {kind}" for kind, count in kinds.most_common()))
    for verb in VERBS:
        own = [verdict for verdict in verdicts if verdict.verb == verb]
        if own:
            mean = 1000.0 * sum(verdict.seconds for verdict in own) / len(own)
            print(
                f"  {verb:<10}{len(own):>6} cases {mean:>6.0f} ms  {dict(Counter(v.kind for v in own).most_common())}"
            )
    alike = Counter((verdict.kind, re.sub(r"'[^']*'|\d+", "#", verdict.detail)[:110]) for verdict in findings)
    for (kind, detail), count in alike.most_common(40):
        print(f"  {count:>5} x {kind}: {detail}")
    if words.slowest:
        for verdict in sorted(verdicts, key=lambda one: -one.seconds)[:15]:
            print(f"  {verdict.seconds:.2f} s case {verdict.number}: {_shown(verdict)}")


if __name__ == "__main__":
    sys.exit(main())
