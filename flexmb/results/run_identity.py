"""Identity of a run: its model and settings, and where, when and with what it was made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from flexmb.results.versions import versions


def now() -> str:
    """The present date and time as text."""
    return datetime.now().astimezone().isoformat(timespec="seconds")


@dataclass(frozen=True)
class RunIdentity:
    """Identity of the run that wrote a result file."""

    name: str
    text: str
    """The model file."""
    settings: Mapping[str, Any]
    """Everything that decides the numbers, as JSON values; a run is resumed only with equal settings."""
    command: str = ""
    folder: str = ""
    """Absolute folder of the model file, to which the paths in it are relative."""
    body_files: Mapping[str, str] = field(default_factory=dict)
    """Paths of body files as the model gives them: body -> path."""
    started: str = field(default_factory=now)
    """Date and time of the run."""

    @property
    def provenance(self) -> dict[str, str]:
        """Versions, date and command of the run."""
        return {**versions(), "started": self.started, "command": self.command}
