"""Branch coverage of flexmb/ in one command (pip install -e ".[test,cover]" first):

    python tests/measure_coverage.py

The tests are run as always, with the kernels compiled; what is compiled leaves no trace, so the jobs of
`tests/plain_python.py` are run with NUMBA_DISABLE_JIT=1 and added. Prints the files covered least, and the total.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

FOLDER = Path(__file__).parents[1]
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
        settings.write_text(SETTINGS.format(data=FOLDER / ".coverage"))
        rc = f"--rcfile={settings}"
        python = [sys.executable, "-m"]
        numbers = str(Path(folder) / "plain.npz")
        plain = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
        subprocess.run([*python, "pytest", "-n", "2", "--cov", f"--cov-config={settings}", "--cov-report="], cwd=FOLDER)
        subprocess.run([*python, "coverage", "run", rc, "tests/plain_python.py", numbers], cwd=FOLDER, env=plain)
        subprocess.run([*python, "coverage", "combine", "-q", "--append", rc], cwd=FOLDER)
        return subprocess.run([*python, "coverage", "report", rc], cwd=FOLDER).returncode


if __name__ == "__main__":
    sys.exit(main())
