"""`flexmb reduce MODEL.toml` and the first run of a model with a mesh: reports, verdict, copies, repairs.

Covers: cli.loading.
"""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from flexmb.bodies import part_cache
from flexmb.bodies.body_file import fingerprint, read_body
from flexmb.cli.loading import ReductionLine
from tests.support.bar_deck import MODEL, write_bar
from tests.support.command_line import call

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "cache").mkdir()
    monkeypatch.setattr(part_cache, "_folder", lambda: tmp_path / "cache")
    monkeypatch.chdir(tmp_path)
    write_bar(tmp_path / "bar.inp")
    (tmp_path / "model.toml").write_text(MODEL)
    return tmp_path


def test_a_fresh_model_runs_without_another_command(folder: Path, capsys: Capture) -> None:
    code, out, err = call(capsys, "run", "model.toml")
    (path,) = (folder / "cache").glob("*.h5")
    assert code == 0 and "run finished" in out and "the report of body 'bar' says" in " ".join(out.split())
    assert err.startswith("body 'bar': reduced bar to 8 coordinates, ") and str(path) in err and "trust it" in err
    code, out, err = call(capsys, "run", "model.toml")
    assert (code, err) == (0, "") and "run finished" in out
    path.unlink()
    assert call(capsys, "run", "model.toml", "--quiet") == (0, "", "")
    assert call(capsys, "run", "model.toml", "--strict")[0] == 1, "a verdict below 'trust it' is a warning"
    assert call(capsys, "animate", "model.h5", "-o", "bar.html")[0] == 0, "the result finds its body in the cache"


def test_reports_of_all_bodies(folder: Path, capsys: Capture) -> None:
    code, out, _ = call(capsys, "reduce", "model.toml")
    (path,) = (folder / "cache").glob("*.h5")
    assert code == 0 and out.startswith("bar: ") and out.rstrip().endswith(str(path)) and "free-body mode" in out
    code, out, _ = call(capsys, "reduce", "model.toml", "--json")
    assert code == 0 and json.loads(out)["bodies"]["bar"]["file"] == str(path)
    (folder / "kept").mkdir()
    assert call(capsys, "reduce", "model.toml", "-o", "kept", "--quiet") == (0, "", "")
    assert fingerprint(read_body("kept/bar.h5")) == fingerprint(read_body(path))


def test_damage_beyond_what_a_run_reads_is_repaired(folder: Path, capsys: Capture) -> None:
    call(capsys, "reduce", "model.toml")
    (path,) = (folder / "cache").glob("*.h5")
    whole = read_body(path)
    content = bytearray(path.read_bytes())
    assert whole.surface is not None
    at = bytes(content).rfind(whole.surface.triangles.astype("<i8").tobytes()[:16])
    content[at : at + 8] = b"\xff" * 8
    path.write_bytes(content)
    code, out, _ = call(capsys, "reduce", "model.toml")
    assert code == 0 and out.startswith("bar: ") and fingerprint(read_body(path)) == fingerprint(whole)


def test_wrong_words(folder: Path, capsys: Capture) -> None:
    code, _, err = call(capsys, "reduce", "model.toml", "--material", "steel", "--interface", "root", "--lumped")
    assert code == 2 and err.count("belongs to a mesh") == 3 and "key 'interfaces' of the body" in err
    code, _, err = call(capsys, "reduce", "model.toml", "-o", "nowhere")
    assert code == 2 and "'nowhere' is not a folder" in err
    (folder / "rigid.toml").write_text("[bodies.a]\nmass = 1\ninertia = [1, 1, 1]\n")
    code, _, err = call(capsys, "reduce", "rigid.toml")
    assert code == 2 and "no body of this model has the key 'mesh'" in err
    (folder / "bar.inp").unlink()
    code, _, err = call(capsys, "run", "model.toml")
    assert code == 2 and "model.toml:11: body 'bar': there is no such file" in err


def test_stages_are_shown_on_a_terminal_only() -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    for stream, shown in ((Terminal(), True), (io.StringIO(), False)):
        line = ReductionLine(stream)
        line("assembling", 0.5)
        assert ("assembling" in stream.getvalue()) == shown
