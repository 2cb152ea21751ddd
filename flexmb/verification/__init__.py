"""Published cases, run by `flexmb verify`: model files, published numbers with their sources, and the comparison.

A case gives findings: a quantity, the published value, that of flexmb, the error and the tolerance. `case.py` defines a
case, `registry.py` lists them; the other files contain the cases.
"""

from __future__ import annotations

from pathlib import Path

MODELS = Path(__file__).parent / "models"
DATA = Path(__file__).parent / "data"
