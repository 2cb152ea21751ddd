"""The bookkeeping of the benchmarks: sections are merged, failures are said, times at equal error are read right."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.places import ROOT

FOLDER = ROOT / "benchmarks"


@pytest.fixture
def benchmarks(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """The modules of the folder, writing to a folder of the test."""
    monkeypatch.syspath_prepend(str(FOLDER))
    import headlines
    import record
    import run

    monkeypatch.setattr(record, "DATA", tmp_path / "results.json")
    monkeypatch.setattr(record, "PAGE", tmp_path / "RESULTS.md")
    monkeypatch.setattr(headlines, "README", tmp_path / "README.md")
    monkeypatch.setattr(headlines, "SPEED", tmp_path / "speed.md")
    return run


def section(benchmarks: Any, name: str, date: str, ours: str = "1 us", target: str = ">= 2x: met") -> Any:
    row = {"case": f"(a) {name}", "ours": ours, "peer": "3 us", "ratio": "3.00x", "target": target, "note": "a|b"}
    facts = {"commit": "abc", "load": 0.0, "repeats": 5, "seconds": 3.0, "machine": {"memory": "1 GB"}}
    return benchmarks.record.section(name, {"date": date, "rows": [row], **facts})


def write(benchmarks: Any, sections: dict[str, Any]) -> str:
    benchmarks.record.write(sections, benchmarks.TITLES, benchmarks.GENERAL)
    return str(benchmarks.record.PAGE.read_text())


def test_a_section_is_renewed_and_the_others_stay(benchmarks: Any) -> None:
    record = benchmarks.record
    write(benchmarks, {name: section(benchmarks, name, "2001-01-01") for name in ("chains", "turbo")})
    known = record.read(record.DATA)
    page = write(benchmarks, known | {"turbo": section(benchmarks, "turbo", "2002-02-02")})
    assert record.read(record.DATA)["chains"] == known["chains"]
    assert page.count("Measured on 2001-01-01") == page.count("Measured on 2002-02-02") == 1
    assert page.index("(a) chains") < page.index("(a) turbo")
    assert "a\\|b" in page


def test_what_fails_or_is_not_met_is_in_the_summary(benchmarks: Any) -> None:
    sections = {
        "chains": section(benchmarks, "chains", "2001-01-01", target=">= 9x: NOT met"),
        "turbo": section(benchmarks, "turbo", "2001-01-01", ours="failed", target=""),
        "growth": section(benchmarks, "growth", "2001-01-01", ours="n^1.00"),
    }
    lines = benchmarks.record.summary_lines(sections)
    assert lines[0] == "Of 2 figures asked for 1 are met."
    assert [line.split(":")[0] for line in lines[1:]] == ["Not met", "Failed", "Growth with the size n"]


def test_a_process_that_dies_is_a_failed_row(benchmarks: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def dies(*_: object, **__: object) -> None:
        raise RuntimeError("run.py was ended by SIGSEGV")

    monkeypatch.setattr(benchmarks, "ask", dies)
    found = benchmarks.section_of("chains", 1, quick=True)
    assert [(row.ours, row.note) for row in found.failures] == [("failed", "run.py was ended by SIGSEGV")]


def test_time_at_an_error_that_is_kept(benchmarks: Any) -> None:
    from timing import time_at_error

    steps, seconds = [1, 2, 4, 8], [1.0, 2.0, 4.0, 8.0]
    falling = [1e-4, 1e-5, 1e-6, 1e-7]
    assert time_at_error(1e-5, steps, falling, seconds) == pytest.approx(2.0)
    assert time_at_error(10**-5.5, steps, falling, seconds) == pytest.approx(2.0 * 2**0.5)
    # Within the bound by chance at two steps, out of it again at four.
    assert time_at_error(2e-5, steps, [1e-4, 1e-5, 4e-5, 1e-5], seconds) == pytest.approx(4.0 * 2**0.5)
    assert time_at_error(1e-8, steps, falling, seconds) is None
    assert time_at_error(1.0, steps, falling, seconds) == 1.0


def test_headlines_go_between_the_marks_of_both_pages(benchmarks: Any) -> None:
    headlines = benchmarks.headlines
    found = section(benchmarks, "chains", "2001-01-01")
    row = found.rows[0].__class__("(b) chain of 100, implicit step", "1 us", "3 us", "3.00x", "")
    found.rows[:] = [row]
    pages = (headlines.SPEED, headlines.README)
    for page in pages:
        page.write_text(f"before\n{headlines.BEGIN}old\n{headlines.END}\nafter\n")
    assert headlines.write({"chains": found})
    texts = [page.read_text() for page in pages]
    for text in texts:
        assert "old" not in text and text.startswith("before\n") and text.endswith("\nafter\n")
    assert ["| Exudyn, kinematic tree | 1 us | 3 us | 3.00x |" in text for text in texts] == [
        True,
        False,
    ]  # not a main one


def test_unknown_sections_are_refused() -> None:
    command = [sys.executable, str(FOLDER / "run.py"), "--only", "nothing"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2 and "work-precision" in done.stderr
