"""Files that are complete whenever they exist: written under a draft name in the same folder, then renamed."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from flexmb.stop_signals import cleaned


@contextmanager
def draft_of(target: Path, suffix: str) -> Iterator[Path]:
    """The draft to write to; it becomes `target` when the block succeeds and is deleted otherwise."""
    draft = target.with_name(f".{target.stem[:40]}.{os.getpid()}.part{suffix}")

    def remove() -> None:
        with suppress(OSError):
            draft.unlink()

    with cleaned(remove):
        yield draft
        os.replace(draft, target)


@contextmanager
def temporary_folder(within: Path | None = None, prefix: str = "flexmb-") -> Iterator[Path]:
    """A folder that is deleted at the end of the block."""
    folder = tempfile.TemporaryDirectory(dir=within, prefix=prefix, ignore_cleanup_errors=True)
    with cleaned(folder.cleanup):
        yield Path(folder.name)
