"""Cost of a time step of the examples, in CPU time, for two trees of sources side by side.

    python benchmarks/step_cost.py [--against FOLDER] [--repeats 5] [EXAMPLE ...]

Every measurement is a process of its own that imports flexmb from a tree, runs `simulate` on the example three times
and takes the fastest; the two trees take turns, so that a busy machine disturbs both alike. FOLDER is the root of
another checkout, for example of the commit before a change: `git worktree add ../before COMMIT`. No result is written.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path

from places import MODELS

HERE = Path(__file__).resolve().parent.parent
EXAMPLES = tuple(
    path.stem for number in ("02", "03", "04", "08", "09") for path in sorted(MODELS.glob(f"{number}_*.toml"))
)

MEASURE = """
import json, sys, time
sys.path.insert(0, sys.argv[1])
import flexmb
from flexmb.solvers.run import simulate
try:
    from flexmb.analyses.preparation import prepare
    from flexmb.model.model_file import read_model
except ImportError:  # commit 761673b and before
    from flexmb.results.preparation import prepare
    from flexmb.system.model_file import read_model

assert flexmb.__file__.startswith(sys.argv[1]), flexmb.__file__

class Nothing:
    def write(self, block, checkpoint):
        pass

model = read_model(sys.argv[2])
analysis, every, best = model.spec.analysis, model.spec.output.every, float("inf")
system = prepare(model).system
simulate(system, analysis, sink=Nothing(), every=every)  # compiles
for _ in range(3):
    start = time.process_time()
    summary = simulate(system, analysis, sink=Nothing(), every=every)
    best = min(best, time.process_time() - start)
print(json.dumps({"us": 1e6 * best / summary.steps, "steps": summary.steps, "iterations": summary.newton_iterations}))
"""


def measured(tree: Path, example: str) -> dict[str, float]:
    """CPU time of a step [us], number of steps and of iterations, in a process of its own."""
    path = MODELS / f"{example}.toml"
    command = [sys.executable, "-c", MEASURE, str(tree), str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return dict(json.loads(done.stdout.splitlines()[-1]))


def main() -> None:
    """Print a table: CPU time of a step in this tree and, if given, in another one."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("examples", nargs="*", default=EXAMPLES)
    parser.add_argument("--against", type=Path, default=None)
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    trees = [HERE] if options.against is None else [HERE, options.against.resolve()]
    for example in options.examples or EXAMPLES:
        found: list[list[dict[str, float]]] = [[] for _ in trees]
        for _ in range(options.repeats):
            for runs, tree in zip(found, trees, strict=True):
                runs.append(measured(tree, example))
        best = [min(runs, key=lambda run: run["us"]) for runs in found]
        parts = [f"{run['us']:8.3f} us ({run['iterations'] / run['steps']:.2f} iterations)" for run in best]
        change = f"{100.0 * (best[0]['us'] / best[1]['us'] - 1.0):+6.1f} %" if len(best) == 2 else ""
        print(f"{example:<26} {'   '.join(parts)}   {change}", flush=True)


if __name__ == "__main__":
    main()
