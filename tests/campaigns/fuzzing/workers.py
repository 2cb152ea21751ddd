"""Processes that make, run and judge cases one after the other, within bounds of time and memory.

They are forked from one process in which everything is loaded. A case that takes too long is first interrupted, as by
Ctrl-C, which a long run must answer; a worker that does not come back, or dies, is replaced, and its case is a finding.
"""

from __future__ import annotations

import functools
import io
import multiprocessing
import os
import resource
import shutil
import signal
import sys
import time
import warnings
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

from flexmb.cli import verbs
from tests.campaigns.fuzzing.cases import make_case
from tests.campaigns.fuzzing.corpus import Corpus
from tests.campaigns.fuzzing.judge import GOOD, Ending, judge, snapshot

INTERRUPTED_AFTER = 2.0
"""Seconds of work after which a call is interrupted once"""
HANGS_AFTER = 20.0
"""Seconds of work after which a call hangs"""
WAITS_AT_MOST = 90.0
"""Seconds on the clock, work or not"""
MEMORY = 3 * 2**30
"""Bytes that a worker may take beside what it starts with"""
LARGEST_FILE = 2**27


@dataclass(frozen=True)
class Verdict:
    """How a case ended."""

    number: int
    verb: str
    kind: str
    detail: str
    words: tuple[str, ...] = ()
    damaged: str = ""
    seconds: float = 0.0

    @property
    def is_good(self) -> bool:
        return self.kind in GOOD


@dataclass
class _Worker:
    process: Any
    pipe: Connection
    number: int = -1
    began: float = 0.0
    worked: float = 0.0
    interrupted: bool = False
    folder: Path = field(default_factory=Path)


@dataclass(frozen=True)
class Campaign:
    """Which cases are run, and where."""

    corpus: Corpus
    seed: int
    verbs: tuple[str, ...]
    folder: Path
    """For the files of the cases; those of findings are kept in it"""

    def run(self, numbers: Sequence[int], jobs: int) -> Iterator[Verdict]:
        """The verdicts of the cases, in the order in which they end."""
        waiting = deque(numbers)
        workers = [self._start(i) for i in range(jobs)]
        try:
            for worker in workers:
                self._give(worker, waiting)
            while any(worker.number >= 0 for worker in workers):
                busy = [worker for worker in workers if worker.number >= 0]
                ready = wait([worker.pipe for worker in busy], timeout=0.1)
                for worker in busy:
                    verdict = self._received(worker) if worker.pipe in ready else self._overdue(worker)
                    if verdict is None:
                        continue
                    if not worker.process.is_alive() or verdict.kind in ("hang", "crash"):
                        workers[workers.index(worker)] = worker = self._start(len(waiting) + jobs)
                    self._give(worker, waiting)
                    yield verdict
        finally:
            for worker in workers:
                _end(worker.process)

    def _start(self, name: int) -> _Worker:
        context = multiprocessing.get_context("fork")
        here, there = context.Pipe()
        process = context.Process(target=_work, args=(self, there, here), daemon=True, name=f"fuzzing {name}")
        process.start()
        there.close()
        return _Worker(process, here)

    def _give(self, worker: _Worker, waiting: deque[int]) -> None:
        worker.number = waiting.popleft() if waiting else -1
        worker.began, worker.worked = time.monotonic(), _work_of(worker.process.pid)
        worker.interrupted = False
        with suppress(OSError):
            worker.pipe.send(worker.number)

    def _received(self, worker: _Worker) -> Verdict:
        try:
            verdict: Verdict = worker.pipe.recv()
        except (EOFError, OSError):
            worker.process.join(5.0)
            return Verdict(worker.number, "", "crash", f"the process died with code {worker.process.exitcode}")
        return verdict

    def _overdue(self, worker: _Worker) -> Verdict | None:
        elapsed = time.monotonic() - worker.began
        worked = _work_of(worker.process.pid) - worker.worked
        if worked > HANGS_AFTER or elapsed > WAITS_AT_MOST:
            _end(worker.process)
            return Verdict(worker.number, "", "hang", f"no end after {worked:.0f} s of work, {elapsed:.0f} s")
        if worked > INTERRUPTED_AFTER and not worker.interrupted:
            worker.interrupted = True
            with suppress(OSError):
                os.kill(worker.process.pid, signal.SIGINT)
        return None


def _end(process: Any) -> None:
    with suppress(OSError, ValueError):
        process.kill()
        process.join(5.0)


def _work_of(pid: int) -> float:
    """Seconds of processor time of a process."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, IndexError, ValueError):
        return 0.0


def _work(campaign: Campaign, pipe: Connection, other_end: Connection) -> None:
    """The life of a worker."""
    other_end.close()
    _bound()
    verbs.make_app = functools.cache(verbs.make_app)  # half of the time of a call that is refused
    home = campaign.folder / f"worker {os.getpid()}"
    home.mkdir()
    streams = [os.open(home / name, os.O_RDWR | os.O_CREAT) for name in ("out", "err")]
    for number, stream in zip((1, 2), streams, strict=True):
        os.dup2(stream, number)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    while (number := pipe.recv()) >= 0:
        began = time.perf_counter()
        verdict = _one(campaign, number, home, streams)
        pipe.send(replace(verdict, seconds=time.perf_counter() - began))
    os._exit(0)


def _bound() -> None:
    size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (size + MEMORY, size + MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (LARGEST_FILE, LARGEST_FILE))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    warnings.resetwarnings()
    for category in (DeprecationWarning, PendingDeprecationWarning, ImportWarning, ResourceWarning):
        warnings.simplefilter("ignore", category)  # as Python does by itself
    warnings.simplefilter("always", UserWarning)  # not only the first time
    warnings.simplefilter("always", RuntimeWarning)


def _one(campaign: Campaign, number: int, home: Path, streams: list[int]) -> Verdict:
    """Make, run and judge a case; its folder stays when it is a finding."""
    outer = home / f"case {number}"
    folder = outer / "here"
    folder.mkdir(parents=True)
    try:
        case = make_case(campaign.corpus, campaign.seed, number, folder, campaign.verbs)
    except Exception as error:  # a fault of the fuzzer
        place = error.__traceback__.tb_next if error.__traceback__ else None
        while place is not None and place.tb_next is not None:
            place = place.tb_next
        where = f"{place.tb_frame.f_code.co_name} {place.tb_lineno}" if place is not None else ""
        return Verdict(number, "", "not made", f"{type(error).__name__}: {error} in {where}")
    before = snapshot(outer)
    os.chdir(folder)
    for stream in streams:
        os.ftruncate(stream, 0)
        os.lseek(stream, 0, os.SEEK_SET)
    code = _call(case.command.words)
    os.chdir(home)
    out, err = (os.pread(stream, 2**20, 0).decode("utf-8", "backslashreplace") for stream in streams)
    kind, detail = judge(case, outer, Ending(code, out, err, before, snapshot(outer)))
    if kind in GOOD:
        shutil.rmtree(outer)
    return Verdict(number, case.verb, kind, detail, case.command.words, case.damaged)


def _call(words: tuple[str, ...]) -> int:
    """The command line as a process of its own would meet it."""
    from flexmb.cli import main

    sys.stdout = io.TextIOWrapper(io.FileIO(1, "w", closefd=False), encoding="utf-8", write_through=True)
    sys.stderr = io.TextIOWrapper(
        io.FileIO(2, "w", closefd=False), encoding="utf-8", errors="backslashreplace", write_through=True
    )
    sys.argv = ["flexmb", *words]
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        return main(words)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 1
    except BaseException as error:  # nothing may come through
        print(f"Traceback: {type(error).__name__}: {error}", file=sys.stderr)
        return 99
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # one that comes too late is for no case
