"""Exact comparison of expressions, and the equations of a model as left sides, for the tests of the symbolic road."""

from __future__ import annotations

from flexmb.model.model_file import parse_model
from flexmb.symbolic.equations import Equations, equations_of
from flexmb.verification.identity import identical, left_sides, names

__all__ = ["identical", "left_sides", "made", "names"]


def made(text: str, order: int | None = None) -> Equations:
    """The equations of a model file; its [symbols] stay symbols."""
    return equations_of(parse_model(text, keep=()), order=order)
