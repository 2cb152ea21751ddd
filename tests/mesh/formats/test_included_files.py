"""Included files: only below the folder of the deck, no loops, line numbers of the file that is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from flexmb.errors import InputError
from flexmb.mesh.formats import included_files
from flexmb.mesh.read import read_mesh

NODES = "GRID,1\nGRID,2,,1.\nGRID,3,,0.,1.\nGRID,4,,0.,0.,1.\n"
NASTRAN = "BEGIN BULK\nINCLUDE '{}'\nCTETRA,1,1,1,2,3,4\nENDDATA\n"
ABAQUS = "*NODE, INPUT={}\n*ELEMENT, TYPE=C3D4\n1, 1, 2, 3, 4\n"
ROWS = "1, 0, 0, 0\n2, 1, 0, 0\n3, 0, 1, 0\n4, 0, 0, 1\n"


def write(folder: Path, ending: str, name: str) -> Path:
    text, rows = (NASTRAN, NODES) if ending == "bdf" else (ABAQUS, ROWS)
    path = folder / "decks" / f"part.{ending}"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text.format(name))
    (folder / "secret.txt").write_text(rows)
    (path.parent / "below").mkdir(exist_ok=True)
    (path.parent / "below" / "nodes.txt").write_text(rows)
    return path


@pytest.mark.parametrize("ending", ["bdf", "inp"])
def test_files_below_the_folder_are_read(tmp_path: Path, ending: str) -> None:
    for name in ("below/nodes.txt", "below\\nodes.txt", "below/../below/nodes.txt"):
        assert read_mesh(write(tmp_path, ending, name), "m").n_points == 4


@pytest.mark.parametrize("ending", ["bdf", "inp"])
def test_files_elsewhere_are_rejected(tmp_path: Path, ending: str) -> None:
    (tmp_path / "decks" / "below").mkdir(parents=True)
    (tmp_path / "decks" / "link.txt").symlink_to(tmp_path / "secret.txt")
    line = 2 if ending == "bdf" else 1
    for name in ("../secret.txt", str(tmp_path / "secret.txt"), "link.txt", "below/../../secret.txt"):
        with pytest.raises(InputError, match=rf"part.{ending}, line {line}, includes .* is not below the folder"):
            read_mesh(write(tmp_path, ending, name), "m")


@pytest.mark.parametrize("ending", ["bdf", "inp"])
def test_loops_end_with_the_line(tmp_path: Path, ending: str) -> None:
    with pytest.raises(InputError, match="line [12], includes .* deeper than 10 files"):
        read_mesh(write(tmp_path, ending, f"part.{ending}"), "m")


def test_the_size_of_all_files_is_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(included_files, "_LARGEST", 100)
    with pytest.raises(InputError, match="its files have more than"):
        read_mesh(write(tmp_path, "bdf", "below/nodes.txt"), "m")


def test_a_fault_names_the_included_file_and_its_line(tmp_path: Path) -> None:
    path = write(tmp_path, "bdf", "below/nodes.txt")
    (path.parent / "below" / "nodes.txt").write_text(f"$ nodes\n{NODES}GRID,9,,one\n")
    with pytest.raises(InputError, match="nodes.txt, line 6: the card 'GRID, 9, , one' cannot be read"):
        read_mesh(path, "m")
    path.write_text("BEGIN BULK\nINCLUDE 'below/\nnodes.txt'\nGRID,8,,two\nENDDATA\n")
    (path.parent / "below" / "nodes.txt").write_text(NODES)
    with pytest.raises(InputError, match="part.bdf: line 4: the card 'GRID, 8, , two' cannot be read"):
        read_mesh(path, "m")
