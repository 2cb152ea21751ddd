"""Lock that allows one writer for a result file.

HDF5 has no lock on a file that is written while others may read it, so the writer holds a lock on a small file beside
the result ("out.h5.lock"), which the operating system releases whenever the process ends.
"""

from __future__ import annotations

import errno
import os
import sys
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import IO

from flexmb.errors import InputError
from flexmb.stop_signals import cleaned, deferred

if sys.platform == "win32":
    import msvcrt

    def _try_lock(file: IO[str]) -> None:
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _try_lock(file: IO[str]) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


_HELD_BY_ANOTHER = {errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES, errno.EDEADLK}


class OutputLock:
    """Right to write `path`; raises InputError when another process holds it or the folder cannot be written."""

    def __init__(self, path: Path):
        self.path = path.with_name(path.name + ".lock")
        self._file: IO[str] | None = None
        self._held = ExitStack()
        with deferred():
            while self._file is None:
                self._file = self._take(path)
            self._held.enter_context(cleaned(self._give_back))

    def _take(self, path: Path) -> IO[str] | None:
        try:
            file = open(self.path, "a+", encoding="ascii")  # noqa: SIM115 (held until `release`)
        except OSError as error:
            reason = error.strerror or str(error)
            raise InputError(f"Cannot write the result '{path}': {reason} (folder '{path.parent}').") from error
        try:
            _try_lock(file)
        except OSError as error:
            if error.errno not in _HELD_BY_ANOTHER:
                return file  # a file system without locks: continue unprotected
            file.seek(0)
            owner = file.read().strip()
            file.close()
            process = f" (process {owner})" if owner else ""
            raise InputError(
                f"Another run{process} is writing '{path}'. Wait for it, or choose another file with -o."
            ) from error
        try:
            current = os.stat(self.path).st_ino == os.fstat(file.fileno()).st_ino
        except FileNotFoundError:
            current = False
        if not current:  # its last owner removed it between our open and our lock
            file.close()
            return None
        file.truncate(0)
        with suppress(OSError):  # a full disk: the number is only for messages of other runs
            os.write(file.fileno(), f"{os.getpid()}\n".encode())
        return file

    def release(self) -> None:
        """Release the right; may be called twice."""
        self._held.close()

    def _give_back(self) -> None:
        if self._file is None:
            return
        if sys.platform == "win32":
            self._file.close()
        self.path.unlink(missing_ok=True)
        self._file.close()
        self._file = None
