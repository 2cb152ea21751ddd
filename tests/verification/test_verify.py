"""`flexmb verify`: every published case agrees, a wrong number does not, and the command says so.

Covers: cli.verify, verification.beam, verification.beam_shapes, verification.case, verification.convergence,
verification.flexible, verification.flexible_crank, verification.flexible_modes, verification.measured_tables,
verification.meshed, verification.overconstrained, verification.page, verification.peers, verification.registry,
verification.rigid_mechanisms, verification.rigid_natural, verification.rigid_rotation, verification.running,
verification.seeds, verification.seeds_inverse, verification.seeds_natural, verification.solid, verification.table.
"""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import flexmb as fx
from flexmb.cli.verify import verify
from flexmb.errors import InputError
from flexmb.verification import MODELS, registry, running
from flexmb.verification.case import Case, Comparison, Curve, case, compare, exact
from flexmb.verification.page import page_text
from flexmb.verification.table import labelled, markdown_table, short, text_table
from tests.support.browser import Browser, browser
from tests.support.command_line import call
from tests.support.example_scripts import differences, plain
from tests.support.places import EXAMPLES

__all__ = ["browser"]

CASES = registry.all_cases()
LONG = {"A05-natural", "B14", "C10", "C14", "M07", "meshed-blade"}
"""Cases of the long tier"""


@pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.long if name in LONG else ()) for name in CASES])
def test_case_agrees(name: str) -> None:
    outcome = registry.run_case(CASES[name])
    assert outcome.agrees, text_table([outcome])
    # Every number can be wrong: off by twice its tolerance, a finding does not agree.
    for finding in outcome.comparison.findings:
        size = {"absolute": 1.0, "relative": np.abs(finding.reference), "of peak": np.abs(finding.reference).max()}
        moved = finding.reference + 2.01 * max(finding.tolerance, 1e-300) * size[finding.measure]
        changed = compare(finding.quantity, finding.unit, moved, finding.ours, **tolerance_of(finding))
        assert not changed.agrees or np.array_equal(moved, finding.reference), finding.quantity
    assert all(np.isfinite(curve.ours).all() and len(curve.x) == len(curve.ours) for curve in outcome.comparison.curves)


def tolerance_of(finding: Any) -> dict[str, float]:
    return {finding.measure.replace(" ", "_"): finding.tolerance}


def test_the_whole_collection_is_there() -> None:
    """Every entry of the collection of benchmarks that the cases are named after is compared, or said not to apply."""
    rigid = "A01 A02 A03 A05 A06a A07 A09 A10a A11 A12 A13 A14"
    flexible = "B01 B02a B03 B05a B10a B11 B12 B14 B15 B17"
    meshed = "C01 C03 C04 C05 C06 C09a C10 C11 C12 C14"
    known = CASES.keys() | registry.NOT_APPLICABLE.keys()
    assert {*rigid.split(), *flexible.split(), *meshed.split(), "D01", "D03"} <= known


def test_names_and_texts_fit_their_columns() -> None:
    assert not CASES.keys() & registry.NOT_APPLICABLE.keys()
    for item in CASES.values():
        assert item.name.isascii() and " " not in item.name and item.title.isascii() and item.source.isascii()
        assert len(item.name) <= 24 and len(item.title) <= 60 and len(item.source) <= 80, item.name


# What a finding is


def test_errors_are_the_largest_of_all_samples() -> None:
    want, ours = [1.0, -4.0, 2.0], [1.001, -4.002, 2.0]
    absolute = compare("x", "m", want, ours, absolute=0.003)
    relative = compare("x", "m", want, ours, relative=0.0009)
    peak = compare("x", "m", want, ours, of_peak=0.0009)
    assert absolute.error == pytest.approx(0.002) and absolute.worst == 1 and absolute.agrees
    assert relative.error == pytest.approx(0.001) and relative.worst == 0 and not relative.agrees
    assert peak.error == pytest.approx(0.0005) and peak.agrees
    assert peak.share == pytest.approx(0.0005 / 0.0009)


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("measure", ["absolute", "relative", "of_peak"])
def test_what_is_no_number_never_agrees(wrong: float, measure: str) -> None:
    for reference, ours in (([1.0, 2.0], [1.0, wrong]), ([1.0, wrong], [1.0, 2.0])):
        assert not compare("x", "", reference, ours, **{measure: 1e9}).agrees


def test_a_reference_of_zero_is_met_exactly_or_not_at_all() -> None:
    assert compare("x", "", [0.0, 1.0], [0.0, 1.0], relative=1e-9).agrees
    assert not compare("x", "", [0.0, 1.0], [1e-300, 1.0], relative=0.5).agrees
    assert not compare("x", "", 0.0, 1e-300, of_peak=0.5).agrees


def test_identities_are_counted() -> None:
    assert exact("terms", [True, True]).agrees
    assert not exact("terms", [True, False]).agrees and exact("terms", [False] * 3).error == 3.0


def test_short_numbers() -> None:
    texts = [short(value) for value in (0.0, 3.14159e-9, 9.99e-5, 1e-4, 0.00999, 0.02, 0.5, 12.3, np.inf)]
    assert texts == ["0", "3.1e-9", "1e-4", "1e-4", "1e-2", "0.02", "0.5", "12", "inf"]


def test_unequal_samples_are_a_fault_of_the_case() -> None:
    with pytest.raises(ValueError, match="2 reference values, 3 of flexmb"):
        compare("x", "", [1, 2], [1, 2, 3], absolute=1.0)
    with pytest.raises(ValueError, match="0 reference values"):
        compare("x", "", [], [], absolute=1.0)


# The command line


@case("good", "<b>Agrees</b> & well", "someone's | paper")
def good() -> Comparison:
    t = np.linspace(0, 1, 50)
    return Comparison(
        [compare("a <script>", "m", 1.0, 1.0 + 1e-9, absolute=1e-6)],
        [Curve("</script><i>x", "t", "s", "m", t, t, t[:3], t[:3])],
    )


@case("bad", "Is off", "a book")
def bad() -> Comparison:
    return Comparison([compare("b", "N", 2.0, 1.0, relative=1e-3, source="another book")])


@case("broken", "Raises", "nobody")
def broken() -> Comparison:
    raise RuntimeError("<hinge> came off")


@case("empty", "Compares nothing", "nobody")
def empty() -> Comparison:
    return Comparison([])


def with_cases(monkeypatch: pytest.MonkeyPatch, *items: Case) -> None:
    monkeypatch.setattr(registry, "all_cases", lambda: {item.name: item for item in items})
    monkeypatch.setattr("flexmb.cli.verify._compile", lambda everything: None)


def test_the_page_in_a_browser(tmp_path: Path, browser: Browser) -> None:
    page = tmp_path / "v.html"
    page.write_text(page_text([registry.run_case(item) for item in (good, bad, broken)]))
    browser.open(page, (1280, 900))
    browser.wait("document.querySelectorAll('figure.chart svg').length === 1")
    # the curve, three dots of the reference, and no line between them
    assert browser.run("return document.querySelectorAll('.peak circle').length") == 3
    assert browser.run("return [...document.querySelectorAll('path.curve')].map(p => p.getTotalLength() > 0)")[0]
    assert browser.run("return document.querySelector('figcaption .title').textContent") == "</script><i>x"
    assert browser.run("return [...document.querySelectorAll('tr .verdict')].map(e => e.textContent)") == [
        "agrees", "OFF", "OFF", "agrees", "OFF",
    ]  # fmt: skip
    browser.run("document.querySelector('#theme').click()")
    assert browser.console() == [] and browser.requests() == []


def test_all_agree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    with_cases(monkeypatch, good)
    page, rows = tmp_path / "v.html", tmp_path / "v.md"
    code, out, err = call(capsys, "verify", "--html", str(page), "--markdown", str(rows))
    assert code == 0 and "1 of 1 cases agree (1 quantities)." in out and "OFF" not in out
    assert err.splitlines() == [err.strip()] and err.startswith("1 of 1: good agrees")
    text = page.read_text()
    assert "<b>" not in text and "<script>a" not in text and "&lt;b&gt;Agrees" in text and "a &lt;script&gt;" in text
    assert "\\u003c/script>\\u003ci>x" in text  # inside of JSON
    assert rows.read_text().splitlines()[2] == (
        "| good | <b>Agrees</b> & well | someone's / paper | 1 | a <script> | 1e-9 | 1e-6 m |"
    )


def test_some_are_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    with_cases(monkeypatch, bad, broken, empty, good)
    page = tmp_path / "v.html"
    code, out, err = call(capsys, "verify", "--html", str(page))
    assert code == 1 and "1 of 4 cases agree" in out and "Off: bad, broken, empty." in out
    assert "stopped: RuntimeError: <hinge> came off" in out and "(against another book)" in out
    assert "Traceback" not in err and len(err.splitlines()) == 4
    assert "&lt;hinge&gt; came off" in page.read_text()


def test_a_terminal_sees_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    with_cases(monkeypatch, good, bad)
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    assert verify() == 1
    shown = screen.getvalue()
    assert "\n" not in shown and "good <b>Agrees</b> & well (1 of 2)" in shown and "bad Is off (2 of 2)" in shown
    assert shown.endswith("\r") and not shown.split("\r")[-2].strip()  # taken away at the end


def test_a_changed_number_of_the_literature_is_found(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    entries = {**running.entries()}
    entries["A01"] = {**entries["A01"], "expected": {**entries["A01"]["expected"], "period": 2.3678}}
    monkeypatch.setattr(running, "entries", lambda: entries)
    code, out, _ = call(capsys, "verify", "--case", "A01")
    assert code == 1 and "0 of 1 cases agree" in out
    assert [line.split(",")[0].strip() for line in out.splitlines() if line.endswith("OFF")] == ["period"]


def test_wrong_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = call(capsys, "verify", "--case", "pendulating-rotr", "--case", "D01", "--case", "double-pendlum")
    assert (code, out) == (2, "")
    assert (
        "There is no case 'pendulating-rotr'. Did you mean 'pendulating-rotor'?" in err
        and "Did you mean 'double-pendulum'?" in err
    )
    assert "'D01' is not compared" in err
    for words, message in (
        (("--html", str(tmp_path / "v.txt")), "must end in .html"),
        (("--markdown", str(tmp_path / "v.html")), "must end in .md"),
        (("--html", str(tmp_path / "none" / "v.html")), "there is no folder"),
    ):
        code, out, err = call(capsys, "verify", "--case", "A01", *words)
        assert (code, out) == (2, "") and message in err


def test_list(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = call(capsys, "verify", "--list")
    assert code == 0
    assert all(any(line.startswith(f"{name} ") for line in out.splitlines()) for name in CASES)
    assert "Not compared:\nD01 " in out


def test_order_and_choice() -> None:
    assert [item.name for item in registry.chosen_cases(["a13", "A01"])] == ["A01", "A13"]
    assert len(registry.chosen_cases([])) == len(CASES) == len(set(CASES))
    with pytest.raises(InputError):
        registry.chosen_cases([""])


def test_markdown_of_a_stopped_case() -> None:
    outcomes = [registry.run_case(item) for item in (broken, bad)]
    rows = markdown_table(outcomes).splitlines()
    assert rows[2].endswith("| 0 | stopped |  |  |") and rows[3].endswith("| 1 | b | 0.5 OFF | 1e-3 relative |")
    assert labelled(outcomes[1].comparison.findings[0]) == "b [N]"
    assert "0 of 2 cases agree" in page_text(outcomes)


# What the cases are made of


@pytest.mark.parametrize(
    ("model", "example"),
    [("spatial_slider_crank", "04_spatial_slider_crank"), ("lee_slider_crank", "05_inverse_slider_crank")],
)
def test_models_are_those_of_the_examples(model: str, example: str) -> None:
    left_out = {"output": True}
    first, second = (
        plain(fx.read_model(path).spec, left_out) for path in (MODELS / f"{model}.toml", EXAMPLES / f"{example}.toml")
    )
    assert differences(first, second) == []


def test_works_in_an_empty_folder(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "flexmb", "verify", "--case", "A13"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "1 of 1 cases agree" in done.stdout and not list(tmp_path.iterdir())
