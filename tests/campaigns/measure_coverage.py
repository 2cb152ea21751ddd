"""Branch coverage of flexmb/ in one command (pip install -e ".[test,cover]" first):

    python -m tests.campaigns.measure_coverage

The tests are run as always, with the kernels compiled; what is compiled leaves no trace, so the jobs of
`tests.campaigns.plain_python` are run with NUMBA_DISABLE_JIT=1 and added. Prints the least covered files and the total.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.support.places import ROOT

SETTINGS = """
[run]
branch = True
source = flexmb
parallel = True
data_file = {data}
concurrency = multiprocessing, thread
[report]
exclude_also =
    if TYPE_CHECKING:
    ^\\s*\\.\\.\\.$
sort = Cover
skip_covered = True
"""


def main() -> int:
    """Exit code of the report."""
    with tempfile.TemporaryDirectory() as folder:
        settings = Path(folder) / "settings"
        settings.write_text(SETTINGS.format(data=ROOT / ".coverage"))
        rc = f"--rcfile={settings}"
        python = [sys.executable, "-m"]
        numbers = str(Path(folder) / "plain.npz")
        plain = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
        tests = [*python, "pytest", "-n", "2", "-m", "", "--cov"]
        subprocess.run([*tests, f"--cov-config={settings}", "--cov-report="], cwd=ROOT)
        subprocess.run(
            [*python, "coverage", "run", rc, "-m", "tests.campaigns.plain_python", numbers], cwd=ROOT, env=plain
        )
        subprocess.run([*python, "coverage", "combine", "-q", "--append", rc], cwd=ROOT)
        return subprocess.run([*python, "coverage", "report", rc], cwd=ROOT).returncode


if __name__ == "__main__":
    sys.exit(main())
