"""Stress of a result: from the surfaces that are drawn to findings, and findings as picture and files."""

from __future__ import annotations

from flexmb.view.stress.files import write_stress
from flexmb.view.stress.of_result import stress_of

__all__ = ["stress_of", "write_stress"]
