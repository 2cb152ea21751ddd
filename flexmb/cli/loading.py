"""Read the model file of a command; meshes that are reduced on the way show their progress and their verdict."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from flexmb.cli.progress import StageLine, announce_array_compilation

if TYPE_CHECKING:
    from flexmb.bodies.reduced_body import ReducedBody
    from flexmb.model.model import Model


class ReductionLine(StageLine):
    """Stages of reductions on a terminal, and one line for every body that was made, with its verdict."""

    def __init__(self, stream: TextIO):
        super().__init__(stream)
        self._stages = stream.isatty()

    def __call__(self, stage: str, fraction: float) -> None:
        """Show the stage; fraction 0..1, or NaN if unknown."""
        if self._stages and not self._stage:
            announce_array_compilation(self.stream)
        if self._stages:
            super().__call__(stage, fraction)

    def made(self, name: str, body: ReducedBody, path: Path) -> None:
        """Print that a body was reduced, and whether to trust it."""
        from flexmb.bodies.verdict import headline
        from flexmb.cli.plain_output import plain

        self.clear()
        verdict = headline(body.report) or "not judged"
        text = (
            f"body '{name}': reduced {body.name} to {body.n_modes} coordinates, {verdict} ('flexmb body info {path}')"
        )
        self.stream.write(f"{plain(text)}\n")
        self.stream.flush()


def load_model(path: Path, settings: Mapping[str, str] | None = None, quiet: bool = False) -> Model:
    """The checked model of a file."""
    from flexmb.model.model_file import read_model

    line = None if quiet or sys.stderr is None else ReductionLine(sys.stderr)
    try:
        return read_model(path, settings, progress=line)
    finally:
        if line is not None:
            line.clear()
