"""Published cases, run by `flexmb verify`: model files, published numbers with their sources, and the comparison.

A case gives findings: a quantity, what is published, ours, the error and the tolerance. `case.py` says what a case is,
`registry.py` which there are; the other files hold the cases of one kind each.
"""

from __future__ import annotations

from pathlib import Path

MODELS = Path(__file__).parent / "models"
DATA = Path(__file__).parent / "data"
