"""Small valid models that run in a fraction of a second; together they use most keys of a model file."""

from __future__ import annotations

from pathlib import Path

MODELS = {path.stem: path.read_text(encoding="utf-8") for path in sorted(Path(__file__).parent.glob("*.toml"))}
INVERSE = ("slider_crank", "beam", "driven")
"""Models whose motions drive them"""
SYMBOLIC = ("pendulum", "crane")
"""Models whose equations are quickly written"""
