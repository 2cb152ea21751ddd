"""CSV files of a model: what is read, and every fault with line and column.

Covers: model.expressions.columns, model.expressions.csv_file.
"""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from flexmb.model.expressions.columns import DataTable, data_table
from flexmb.model.expressions.csv_file import read_csv
from flexmb.model.expressions.tokens import TextError

SHEET = "# motor\nspeed [rpm],torque [N*m]\n0,10\n\n1000,8.5\n"


def table(folder: Path, text: str | bytes, name: str = "a.csv") -> DataTable:
    (folder / name).write_bytes(text.encode() if isinstance(text, str) else text)
    return read_csv(name, str(folder))


def test_columns_are_in_si_and_known_by_name(tmp_path: Path) -> None:
    found = table(tmp_path, SHEET)
    assert [column.name for column in found.columns] == ["speed", "torque"]
    assert found.columns[0].values == pytest.approx((0.0, 1000 * 2 * math.pi / 60), rel=1e-15)
    assert found.column("torque").values == (10.0, 8.5)
    assert found.raw == {"speed [rpm]": [0.0, 1000.0], "torque [N*m]": [10.0, 8.5]}


@pytest.mark.parametrize(
    "text", [SHEET.replace(",", ";"), SHEET.replace(",", "\t"), "\ufeff" + SHEET, SHEET.replace("\n", "\r\n")]
)
def test_other_separators_and_line_ends_are_the_same_table(tmp_path: Path, text: str) -> None:
    assert table(tmp_path, text) == table(tmp_path, SHEET)


def test_what_is_kept_of_a_file_is_the_same_table_again(tmp_path: Path) -> None:
    found = table(tmp_path, SHEET)
    assert data_table("a.csv", found.raw) == found


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x,y\n0,1\n1,nan\n2,abc\n3,\n", ["line 3, column 'y'", "'nan'", "line 4", "'abc'", "line 5", "nothing"]),
        ("x,y\n0,1\n1,inf\n", ["line 3, column 'y'", "'inf'"]),
        ("x,y\n0,1e70\n", ["row 1, column 'y'", "finite"]),
        ("x,y\n0,1\n1\n", ["line 3 has 1 entries, the header has 2"]),
        ("x;y\n0;1,5\n", ["line 2, column 'y'", "write a decimal point"]),
        ("0,1\n1,2\n", ["line 1", "names of the columns"]),
        ("x,x\n0,1\n", ["line 1", "two columns have the name 'x'"]),
        ("x,y [Nn]\n0,1\n", ["column 'y'", "unknown unit 'Nn'"]),
        ("x,y [N\n0,1\n", ["not closed"]),
        ("x,\n0,1\n", ["has no name"]),
        ("x\n0\n1\n", ["2 to 200 columns, found 1"]),
        ("", ["empty"]),
        ("x,y\n0,1\n\0,2\n", ["line 3", "NUL"]),
        ("x,y\n0,\u00fc\n".encode("latin-1"), ["line 2", "not UTF-8"]),
        ("x,y\n0,1\n".encode("utf-16"), ["UTF-16"]),
        ("x,y\n" + "0,1\n" * 100_001, ["more than 200000 numbers"]),
    ],
)
def test_a_fault_names_its_place(tmp_path: Path, text: str | bytes, words: list[str]) -> None:
    with pytest.raises(TextError) as caught:
        table(tmp_path, text)
    assert all(word in str(caught.value) for word in ["'a.csv'", *words]), caught.value


def test_rows_out_of_order_are_reported_as_the_file_has_them(tmp_path: Path) -> None:
    found = table(tmp_path, SHEET + "900,8\n")
    with pytest.raises(TextError, match=r"line 6: column 'speed' must increase, found 900 after 1000"):
        found.pair()


def test_a_large_file_is_not_read(tmp_path: Path) -> None:
    with (tmp_path / "a.csv").open("wb") as file:
        file.truncate(100_000_000)
    with pytest.raises(TextError, match="100 MB; at most 10 MB"):
        read_csv("a.csv", str(tmp_path))


def test_only_files_below_the_folder_are_read(tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    (tmp_path / "secret.csv").write_text(SHEET)
    (inner / "link.csv").symlink_to(tmp_path / "secret.csv")
    (inner / "sub").mkdir()
    (inner / "sub" / "own.csv").write_text(SHEET)
    for name in ("../secret.csv", "..\\secret.csv", str(tmp_path / "secret.csv"), "link.csv", "/dev/zero"):
        with pytest.raises(TextError, match="not below the folder"):
            read_csv(name, str(inner))
    assert read_csv("sub/own.csv", str(inner)).column("torque").values == (10.0, 8.5)
    for name in ("none.csv", "sub", "a" * 5000, "a\0b"):
        with pytest.raises(TextError):
            read_csv(name, str(inner))
