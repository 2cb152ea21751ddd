"""Where files may be written: one sentence for every reason, and drafts that never stay."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from flexmb.errors import InputError
from flexmb.output_files import drafted, foreign_fault, output_path, place_fault, replacing_fault, suffix_fault


def test_a_free_place_has_no_fault(tmp_path: Path) -> None:
    target = tmp_path / "x.csv"
    assert place_fault(target) == replacing_fault(target, ".csv") == suffix_fault(target, (".csv",)) == ""
    assert os.listdir(tmp_path) == []


def test_every_reason_has_its_sentence(tmp_path: Path) -> None:
    pipe, loop, table = tmp_path / "pipe", tmp_path / "loop", tmp_path / "x.txt"
    os.mkfifo(pipe)
    loop.symlink_to(loop)
    table.write_text("1")
    example = tmp_path / "out.h5"
    assert place_fault(tmp_path, "out.h5").endswith(f"it is a folder. Give a file name, e.g. '{example}'.")
    assert place_fault(tmp_path / "no" / "x.csv").endswith(f"there is no folder '{tmp_path / 'no'}'.")
    assert place_fault(pipe) == f"Cannot write '{pipe}': it is a device or a pipe."
    assert place_fault(loop) == f"Cannot write '{loop}': it is a link to itself."
    assert place_fault(tmp_path / (300 * "n")).endswith("File name too long.")
    assert suffix_fault("a.pdf", (".png",)) == "Cannot write 'a.pdf': its name must end in .png."
    assert suffix_fault("a", (".png", ".svg", ".gif")).endswith("must end in .png, .svg or .gif.")
    assert "does not end in .csv: it is not overwritten" in replacing_fault(table, ".csv")
    assert "exists and is not a result: it is not overwritten" in foreign_fault(table, "a result", lambda _: False)
    assert foreign_fault(table, "a result", lambda _: True) == ""


def test_links_are_followed(tmp_path: Path) -> None:
    link, target = tmp_path / "link.csv", tmp_path / "table.csv"
    link.symlink_to(target)
    assert output_path(link, ".csv") == target
    with drafted(link, ".csv") as draft:
        draft.write_text("1")
    assert link.is_symlink() and target.read_text() == "1"


def test_a_draft_that_fails_leaves_the_old_file(tmp_path: Path) -> None:
    target = tmp_path / "x.csv"
    target.write_text("old")
    with (
        pytest.raises(InputError, match=r"Cannot write '.*x.csv': No space left on device\."),
        drafted(target, ".csv") as draft,
    ):
        draft.write_text("new")
        raise OSError(28, "No space left on device")
    assert target.read_text() == "old" and os.listdir(tmp_path) == ["x.csv"]
