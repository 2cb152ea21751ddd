"""What a good end of a call is.

Exit code 0 with nothing on stderr; or 2 with one clear message, nothing written and nothing changed; or 1 with a
message of a computation that failed. Everything else is a finding: a traceback, a warning of a library, words that only
a programmer of flexmb understands, signs that a terminal obeys, a changed input, a file left behind, markup from a file
in a page.
"""

from __future__ import annotations

import hashlib
import re
import stat
from dataclasses import dataclass
from pathlib import Path

from tests.campaigns.fuzzing.cases import Case
from tests.campaigns.fuzzing.values import SCRIPT

GOOD = ("done", "refused", "failed", "interrupted")
LONGEST_MESSAGE = 60_000
"""Characters"""
_PROGRAMMERS = re.compile(
    r"Traceback|internal error|\b\w*(?:Error|Exception|Warning)\b(?!\w)|NoneType|ufunc|has no attribute|<class '|"
    r"dtype\(|positional argument|list index|subscriptable|not iterable|broadcast|unhashable|object at 0x|"
    r"invalid literal|not supported between|must be real number|unexpected keyword|substring not found|site-packages|"
    r"\.py\b"
)
_UNWANTED_SIGNS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_MARKUP = (SCRIPT, "<script>alert(1)", "<img src=x onerror")
_COMMANDS = ("\\input{/etc",)


@dataclass(frozen=True)
class Ending:
    """What a call has left behind."""

    code: int
    out: str
    err: str
    before: dict[str, str]
    after: dict[str, str]


def snapshot(folder: Path) -> dict[str, str]:
    """What lies in a folder and below: path -> kind or hash."""
    found = {}
    for path in sorted(folder.rglob("*")):
        mode = path.lstat().st_mode
        if stat.S_ISREG(mode):
            found[str(path.relative_to(folder))] = hashlib.sha256(path.read_bytes()).hexdigest()
        elif not stat.S_ISDIR(mode):
            found[str(path.relative_to(folder))] = f"special {stat.S_IFMT(mode)}"
    return found


def judge(case: Case, folder: Path, ending: Ending) -> tuple[str, str]:
    """Verdict and what it is founded on; the good verdicts are those of GOOD."""
    for check in (_check_text, _check_code, _check_files, _check_pages):
        found = check(case, folder, ending)
        if found:
            return found
    return {0: "done", 1: "failed", 2: "refused", 130: "interrupted"}[ending.code], ""


def _check_text(case: Case, folder: Path, ending: Ending) -> tuple[str, str] | None:
    if (match := _PROGRAMMERS.search(ending.err)) and not any(match[0] in word for word in case.command.words):
        return "unclear", _around(ending.err, match.start())
    for text in (ending.err, ending.out):
        if match := _UNWANTED_SIGNS.search(text):
            return "control signs", repr(_around(text, match.start()))
    if len(ending.err) > LONGEST_MESSAGE:
        return "too long", f"{len(ending.err)} characters: {ending.err[:200]}"
    return None


def _around(text: str, at: int) -> str:
    start = text.rfind("\n", 0, at) + 1
    return text[max(start, at - 300) : at + 300].split("\n")[0]


def _check_code(case: Case, folder: Path, ending: Ending) -> tuple[str, str] | None:
    if ending.code not in (0, 1, 2, 130):
        return "code", f"exit code {ending.code}: {ending.err[:300]}"
    if ending.code == 0 and ending.err:
        return "noise", ending.err[:400]
    if ending.code == 2 and not (ending.err.strip() or case.verb == "mesh"):
        return "silent", f"exit code 2 without a message; stdout: {ending.out[:200]}"
    if ending.code == 1:
        if not ending.err.startswith("flexmb: "):
            return "silent", f"exit code 1: {ending.err[:300]}"
        if "not enough memory" in ending.err:
            return "memory", ending.err[:300]
        if "cannot be read or written" in ending.err:
            return "unforeseen", ending.err[:300]
    if ending.code == 130 and case.verb not in ("run", "inverse"):
        return "slow", f"it had to be interrupted: {ending.err[:300]}"
    return None


def _check_files(case: Case, folder: Path, ending: Ending) -> tuple[str, str] | None:
    allowed = _allowed(case, ending.code)
    for name, content in ending.after.items():
        if ending.before.get(name) == content:
            continue
        if name in ending.before and Path(name).name not in allowed:
            return "changed", f"exit code {ending.code}, changed: {name}"
        chosen = (
            ending.code != 2 and case.verb in ("run", "inverse") and Path(name).parent == Path("here")
        )  # by the model
        if name not in ending.before and (_is_draft(name) or not (chosen or _is_allowed(name, allowed))):
            return "left behind", f"exit code {ending.code}, new: {name}"
    gone = [name for name in ending.before if name not in ending.after]
    return ("changed", f"gone: {gone}") if gone else None


def _allowed(case: Case, code: int) -> set[str]:
    """Names that a call may write: those of its words; after a failed run only its result."""
    named = {Path(word.rpartition("=")[2]).name for word in case.command.words[1:]} | set(case.command.outputs)
    if code == 0:
        return named
    keeps = code in (1, 130) and case.verb in ("run", "inverse")
    return {name for name in named if keeps and not name.endswith((".csv", ".toml"))}


def _is_allowed(name: str, allowed: set[str]) -> bool:
    """The file itself, the folder it lies in (code), or frames numbered after it (out_0001.vtu)."""
    parts = Path(name).parts[1:] if len(Path(name).parts) > 1 else Path(name).parts
    stems = {Path(entry).stem for entry in allowed if entry}
    folders = {f"{stem}_vtu" for stem in stems}
    return any(part in allowed | folders or Path(part).stem in stems for part in parts) or (
        Path(name).suffix in (".vtu", ".vtp") and any(Path(name).name.startswith(stem) for stem in stems)
    )


def _is_draft(name: str) -> bool:
    last = Path(name).name
    return last.startswith(".") or ".part" in last or last.endswith((".lock", ".tmp"))


def _check_pages(case: Case, folder: Path, ending: Ending) -> tuple[str, str] | None:
    if ending.code:
        return None
    for name, content in ending.after.items():
        if ending.before.get(name) == content or not name.endswith((".html", ".svg", ".tex")):
            continue
        text = (folder / name).read_text(encoding="utf-8", errors="replace")
        for markup in _COMMANDS if name.endswith(".tex") else _MARKUP:
            if markup in text:
                at = text.index(markup)
                return "markup", f"{name}: {text[max(0, at - 80) : at + 80]!r}"
    return None
