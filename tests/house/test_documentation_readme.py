"""The README: two screens, its commands are those of `.ci/run`, its figures are those measured and verified."""

from __future__ import annotations

import flexmb
from tests.support.documents import PAGES, README, headings, tables
from tests.support.places import ROOT

LARGEST = 12_000  # bytes: what does not fit belongs into docs/
RUN = (
    "python3 -m venv .venv && .venv/bin/pip install -q . && .venv/bin/flexmb run examples/04_spatial_slider_crank.toml"
)
TESTS = 'python3 -m venv .venv && .venv/bin/pip install -q -e ".[test]" && .venv/bin/python -m pytest -n 2'


def test_it_is_short() -> None:
    assert len(README.encode()) <= LARGEST


def test_headings_do_not_repeat() -> None:
    titles = headings(README)
    assert len(titles) == len(set(titles))


def test_the_two_commands_stand_alone_and_ci_runs_one_of_them() -> None:
    lines = README.splitlines()
    for command in (RUN, TESTS):
        assert lines.count(command) == 1
    assert TESTS in [line.strip() for line in (ROOT / ".ci" / "run").read_text().splitlines()]
    assert lines.index(RUN) < 15  # the first screen


def section(page: str, title: str) -> str:
    """A section of a page up to the next one of its level."""
    return PAGES[page].split(f"\n## {title}\n", 1)[1].split("\n## ", 1)[0]


def test_figures_of_speed_are_those_measured() -> None:
    measured = (ROOT / "benchmarks" / "RESULTS.md").read_text().splitlines()
    for page, title, least in (
        ("README.md", "Speed", 5),
        ("docs/speed.md", "Headlines of the last full measurement", 14),
    ):
        rows = tables(section(page, title))
        assert len(rows) >= least
        for _, _, ours, peer, ratio in rows:
            found = [line for line in measured if f"| {ours} | {peer} | {ratio} |" in line]
            assert found, f"{page}: {ours}, {peer}, {ratio} is not in benchmarks/RESULTS.md: renew the table"


def test_the_table_of_verification_has_every_case() -> None:
    from flexmb.verification.registry import all_cases

    page = PAGES["docs/verification.md"]
    table = page[page.index("<!-- verification: begin -->") : page.index("<!-- verification: end -->")]
    rows = {cells[0]: cells for cells in tables(table)}
    assert list(rows) == list(all_cases()), "run: flexmb verify --markdown table.md, and put it into the page"
    # The README shows some of them, with the same words and numbers.
    chosen = tables(section("README.md", "Proof"))
    assert len(chosen) >= 5
    for case, title, source, error, tolerance in chosen:
        whole = rows[case]
        assert [title, source, error, tolerance] == [whole[1], whole[2], whole[5], whole[6]], case
    agreement = next(line for line in table.splitlines() if " cases agree " in line)
    cases, quantities = agreement.split()[0], agreement.split("(")[1].split()[0]
    assert f"{cases} published cases ({quantities} quantities)" in README


def test_the_present_version_is_in_the_changelog() -> None:
    titles = [title for title in headings(PAGES["CHANGELOG.md"]) if title[0].isdigit()]
    assert titles == sorted(titles, key=lambda text: [int(part) for part in text.split(".")], reverse=True)
    assert flexmb.__version__ in titles
    citation = (ROOT / "CITATION.cff").read_text()
    assert f"\nversion: {flexmb.__version__}\n" in citation and citation.startswith("cff-version: 1.2.0\n")
