"""Machine code is loaded from folders of this user alone, and only from complete files.

Attacks are played as root, who can give files to another user; the others need no privilege.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

from flexmb import cli
from flexmb.errors import CacheWarning
from flexmb.machine_code.code_cache import code_files, code_folder, discard, keep_code, private_folder, stored_code
from tests.support.places import ROOT

pytestmark = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="owners and modes of POSIX")
needs_root = pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() != 0, reason="only root can give files away")
ANOTHER = 65534


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for caches, the only one."""
    for name in ("FLEXMB_CACHE", "NUMBA_CACHE_DIR", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", "/proc/nonexistent")
    monkeypatch.setenv("FLEXMB_CACHE", str(tmp_path / "place"))
    return tmp_path / "place"


def test_missing_folders_are_made_for_this_user_alone(place: Path) -> None:
    before = os.umask(0o002)  # that of systems with a group for every user
    try:
        found = code_folder("kernels", "abc").path
    finally:
        os.umask(before)
    assert found == place / "flexmb" / "kernels" / "abc"
    for folder in (found, *found.parents[:3]):
        assert folder.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("name", ["XDG_CACHE_HOME", "NUMBA_CACHE_DIR", "FLEXMB_CACHE"])
def test_every_variable_is_checked(place: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.delenv("FLEXMB_CACHE")
    monkeypatch.setenv(name, str(place))
    assert code_folder("kernels").path == place / "flexmb" / "kernels"
    place.chmod(0o777)
    found = code_folder("kernels")
    assert found.path is None and f"'{place}' can be written by other users; type 'chmod go-w {place}'" in found.reason


def others_write(folder: Path) -> None:
    folder.chmod(0o775)


def given_away(folder: Path) -> None:
    os.chown(folder, ANOTHER, ANOTHER)


def replaced_by_link(folder: Path) -> None:
    folder.rename(folder.with_name("elsewhere"))
    folder.symlink_to(folder.with_name("elsewhere"))


def replaced_by_file(folder: Path) -> None:
    folder.rename(folder.with_name("elsewhere"))
    folder.write_text("")


@pytest.mark.parametrize("part", ["place", "place/flexmb", "place/flexmb/kernels", "place/flexmb/kernels/abc"])
@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (others_write, "can be written by other users"),
        (replaced_by_link, "is a link or a file"),
        (replaced_by_file, "is "),
        pytest.param(given_away, "belongs to another user", marks=needs_root),
    ],
)
def test_folders_that_are_not_used(place: Path, part: str, change: Callable[[Path], None], reason: str) -> None:
    assert code_folder("kernels", "abc").path is not None
    change(place.parent / part)
    found = code_folder("kernels", "abc")
    if part == "place" and change is replaced_by_link:  # a link of this user above the folders of flexmb
        assert found.path == place.parent / "elsewhere" / "flexmb" / "kernels" / "abc"
    else:
        assert found.path is None and reason in found.reason


def test_the_common_temporary_folder_as_a_place(place: Path) -> None:
    """Others can write there, but not exchange what is ours."""
    place.mkdir()
    place.chmod(0o1777)
    assert code_folder("kernels").path == place / "flexmb" / "kernels"
    (place / "flexmb").chmod(0o1777)  # below, others must not even add a file
    assert code_folder("kernels").path is None


@needs_root
def test_what_another_user_prepared_in_the_common_folder(place: Path) -> None:
    place.mkdir()
    place.chmod(0o1777)
    (place / "flexmb").mkdir()
    os.chown(place / "flexmb", ANOTHER, ANOTHER)
    assert "belongs to another user" in code_folder("kernels").reason
    (place / "flexmb").rmdir()
    own = place.with_name("own")
    own.mkdir()
    (place / "flexmb").symlink_to(own)
    assert "is a link" in code_folder("kernels").reason


@needs_root
@pytest.mark.parametrize("target", ["own", "theirs"])
def test_a_link_of_another_user_is_not_followed(place: Path, target: str) -> None:
    (place.parent / "own").mkdir()
    (place.parent / "theirs").mkdir()
    os.chown(place.parent / "theirs", ANOTHER, ANOTHER)
    place.symlink_to(place.parent / target)
    if target == "own":
        os.lchown(place, ANOTHER, ANOTHER)
    found = code_folder("kernels")
    assert found.path is None and "another user" in found.reason
    assert not list((place.parent / target).iterdir())  # nothing is created either


@needs_root
def test_root_does_not_use_the_home_of_a_user(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`sudo` may keep HOME: root must neither load from nor leave folders of root in the user's cache."""
    home = place.parent / "home"
    home.mkdir()
    os.chown(home, ANOTHER, ANOTHER)
    monkeypatch.delenv("FLEXMB_CACHE")
    monkeypatch.setenv("HOME", str(home))
    assert code_folder("kernels").path is None
    assert not list(home.iterdir())


@needs_root
def test_a_user_does_not_use_folders_of_root() -> None:
    """The other way round, in a process that gives up its rights."""
    with tempfile.TemporaryDirectory() as name:
        os.chmod(name, 0o755)
        os.environ["FLEXMB_CACHE"], before = name, os.environ.get("FLEXMB_CACHE")
        try:
            assert code_folder("kernels").path is not None  # of root
            child = os.fork()
            if child == 0:
                os.setuid(ANOTHER)
                os.environ["HOME"] = "/nonexistent"
                os._exit(0 if "belongs to another user" in code_folder("kernels").reason else 1)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        finally:
            os.environ.pop("FLEXMB_CACHE") if before is None else os.environ.update(FLEXMB_CACHE=before)


def test_a_loop_of_links(place: Path) -> None:
    place.symlink_to(place)
    assert code_folder("kernels").path is None


def test_relative_links_and_dots(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (place.parent / "a" / "b").mkdir(parents=True)
    (place.parent / "a" / "link").symlink_to("../a/b/..")
    monkeypatch.setenv("FLEXMB_CACHE", str(place.parent / "a" / "link" / "c"))
    assert code_folder("x").path == place.parent / "a" / "c" / "flexmb" / "x"


def test_without_home(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The temporary folder is no place for code; "~" that nobody can resolve is no folder here."""
    monkeypatch.delenv("FLEXMB_CACHE")
    assert code_folder("kernels").path is None
    monkeypatch.setattr("os.path.expanduser", lambda path: path)
    monkeypatch.chdir(place.parent)
    assert code_folder("kernels").reason == "there is no home folder"
    assert not list(place.parent.iterdir())


def test_a_private_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with private_folder() as name:  # type: ignore[union-attr]
        assert Path(name).stat().st_mode & 0o777 == 0o700
    tmp_path.chmod(0o777)  # without the sticky bit others could rename it
    assert private_folder() is None


def emptied(path: Path) -> None:
    path.write_bytes(b"")


def halved(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def flipped(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def garbage(path: Path) -> None:
    path.write_bytes(os.urandom(path.stat().st_size))


def linked(path: Path) -> None:
    path.rename(path.with_name("elsewhere"))
    path.symlink_to(path.with_name("elsewhere"))


def piped(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def foreign(path: Path) -> None:
    os.chown(path, ANOTHER, ANOTHER)


DAMAGES = [emptied, halved, flipped, garbage, linked, piped, others_write, pytest.param(foreign, marks=needs_root)]


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_files_are_deleted_with_a_warning(tmp_path: Path, damage: Callable[[Path], None]) -> None:
    path = keep_code(tmp_path, "name", ".so", b"machine code" * 100)
    assert stored_code(tmp_path, "name", ".so") == (path, b"machine code" * 100)
    damage(path)
    with pytest.warns(CacheWarning, match="is damaged; it is compiled again"):
        assert stored_code(tmp_path, "name", ".so") is None
    assert code_files(tmp_path, "name", ".so") == []
    assert stored_code(tmp_path, "name", ".so") is None
    assert keep_code(tmp_path, "name", ".so", b"machine code" * 100) == path


def test_names_are_not_patterns(tmp_path: Path) -> None:
    keep_code(tmp_path, "a*[x]", ".so", b"1")
    assert stored_code(tmp_path, "a*[x]", ".so") is not None
    assert stored_code(tmp_path, "a*", ".so") is None
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_a_full_disk_leaves_no_draft(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError("full")

    monkeypatch.setattr("os.replace", fail)
    with pytest.raises(OSError, match="full"):
        keep_code(tmp_path, "name", ".so", b"1")
    assert not list(tmp_path.iterdir())


def test_the_command_line_prints_one_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def run(words: list[str]) -> int:
        for _ in range(2):
            discard(Path("/nowhere/x.so"), "is damaged")
        warnings.warn("of a library", RuntimeWarning, stacklevel=1)
        return 0

    monkeypatch.setattr(cli, "_run", run)
    assert cli.main(["run"]) == 0
    assert capsys.readouterr().err == (
        "flexmb: the file '/nowhere/x.so' of the code cache is damaged; it is compiled again.\n"
    )


TINY = "from flexmb.machine_code.jit import program\n@program\ndef tiny(I, F, W, arg):\n    W[0] = 2.0 * F[0] + arg\n"
USE = (
    "import sys, numpy as np; sys.path.insert(0, sys.argv[1]); from tiny import tiny; work = np.zeros(1)\n"
    "tiny(np.zeros(1, np.int64), np.array([20.0]), work, 2); print(work[0], tiny._compiled.cache_hits)"
)


class Marker:
    """When unpickled it creates a folder."""

    def __init__(self, path: Path):
        self.path = path

    def __reduce__(self) -> tuple[object, ...]:
        return os.mkdir, (str(self.path),)


class Tiny:
    """A program in a process of its own, with a cache of its own."""

    def __init__(self, folder: Path):
        self.folder, self.cache = folder, folder / "cache"
        (folder / "tiny.py").write_text(TINY)

    def start(self) -> subprocess.Popen[str]:
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("NUMBA_", "XDG_"))}
        places = {"PYTHONPATH": str(ROOT), "FLEXMB_CACHE": str(self.cache), "HOME": "/proc/nonexistent"}
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        return subprocess.Popen([sys.executable, "-c", USE, str(self.folder)], env=clean | places, text=True, **pipes)  # type: ignore[call-overload,no-any-return]

    def run(self) -> tuple[list[str], str]:
        """[number, cache hits] and the warnings."""
        process = self.start()
        out, err = process.communicate(timeout=300)
        assert process.returncode == 0, err
        return out.split(), err

    @property
    def file(self) -> Path:
        (path,) = self.cache.glob("flexmb/kernels/*/tiny.tiny.*.code")
        return path


@pytest.fixture
def tiny(tmp_path: Path) -> Tiny:
    made = Tiny(tmp_path)
    assert made.run() == (["42.0", "0"], "")
    assert made.run() == (["42.0", "1"], "")
    return made


def forge(tiny: Tiny) -> Path:
    """A complete file of the cache that executes something; what it leaves behind."""
    path, marker = tiny.file, tiny.folder / "executed"
    stem = path.name.rsplit(".", 2)[0]
    path.unlink()
    keep_code(path.parent, stem, ".code", pickle.dumps((Marker(marker),)))
    return marker


@needs_root
def test_prepared_code_is_not_executed(tiny: Tiny) -> None:
    marker = forge(tiny)
    folder = tiny.file.parent
    for change, undo in ((others_write, lambda: folder.chmod(0o700)), (given_away, lambda: os.chown(folder, 0, 0))):
        change(folder)
        numbers, said = tiny.run()
        assert numbers == ["42.0", "0"] and "kernels are compiled in memory, at every start" in said
        assert not marker.exists()
        undo()
    os.chown(tiny.file, ANOTHER, ANOTHER)  # the folder is ours, the file is not
    assert tiny.run()[0] == ["42.0", "0"] and not marker.exists()
    forge(tiny)  # of this user: the forgery is a real one
    numbers, said = tiny.run()
    assert marker.exists() and numbers == ["42.0", "0"] and "cannot be loaded; it is compiled again" in said


@pytest.mark.parametrize("damage", [emptied, halved, flipped])
def test_damaged_kernels_are_compiled_again(tiny: Tiny, damage: Callable[[Path], None]) -> None:
    damage(tiny.file)
    numbers, said = tiny.run()
    assert numbers == ["42.0", "0"] and "is damaged; it is compiled again" in said
    assert tiny.run() == (["42.0", "1"], "")


def test_processes_do_not_harm_each_other(tmp_path: Path) -> None:
    made = Tiny(tmp_path)
    processes = [made.start() for _ in range(3)]
    assert [(process.communicate(timeout=300)[0].split()[0], process.returncode) for process in processes] == [
        ("42.0", 0)
    ] * 3
    assert made.run() == (["42.0", "1"], "")
    assert not [path for path in made.file.parent.iterdir() if path.suffix != ".code"]
