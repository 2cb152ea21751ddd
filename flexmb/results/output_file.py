"""Where a file for other tools is written: refused early when it cannot be, complete when it is there.

A file is written beside its place under a draft name and moved there when it is complete, so that nobody ever opens
half a file, and a failure leaves what was there before.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from flexmb.errors import InputError


def check_target(path: str | os.PathLike[str], suffix: str) -> Path:
    """Refuse a folder, and to write over a file of another kind: a model file, the result itself."""
    target = Path(path)
    if target.is_dir():
        raise InputError(f"Cannot write '{target}': it is a folder.")
    if not target.parent.is_dir():
        raise InputError(f"Cannot write '{target}': there is no folder '{target.parent}'.")
    if target.exists() and target.suffix.lower() != suffix:
        raise InputError(
            f"'{target}' exists and its name does not end in {suffix}: it is not overwritten. Choose another name."
        )
    return target


@contextmanager
def drafted(path: str | os.PathLike[str], suffix: str) -> Iterator[Path]:
    """The draft to write into; it becomes `path` when the block ends well and is deleted when it does not."""
    target = check_target(path, suffix)
    draft = target.with_name(f".{target.stem}.{os.getpid()}.part{suffix}")
    try:
        yield draft
        os.replace(draft, target)
    except OSError as error:
        raise InputError(f"Cannot write '{target}': {error.strerror or error}.") from error
    finally:
        with suppress(OSError):
            draft.unlink()
