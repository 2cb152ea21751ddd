"""The README and the gallery: links lead somewhere, commands are understood, code runs, figures are those measured."""

from __future__ import annotations

import ast
import re
import shlex
import tomllib

import pytest

import flexmb
from flexmb.cli.verbs import make_app
from flexmb.model.model_file import parse_model
from flexmb.model.schema.reference_page import anchor
from tests.support.places import ROOT

PAGES = {path: (ROOT / path).read_text() for path in ("README.md", "examples/README.md")}
README = PAGES["README.md"]
RUN = (
    "python3 -m venv .venv && .venv/bin/pip install -q . && .venv/bin/flexmb run examples/04_spatial_slider_crank.toml"
)
TESTS = 'python3 -m venv .venv && .venv/bin/pip install -q -e ".[test]" && .venv/bin/python -m pytest -n 2'


def without_code(text: str) -> str:
    return re.sub(r"```.*?```", "", text, flags=re.DOTALL)


def anchors(text: str) -> set[str]:
    """What links may have after the #, numbered where headings repeat."""
    found: dict[str, int] = {}
    names = set()
    for title in re.findall(r"^#+ (.*)$", without_code(text), re.MULTILINE):
        name = anchor(title)
        names.add(f"{name}-{found[name]}" if name in found else name)
        found[name] = found.get(name, 0) + 1
    return names


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    text = without_code(PAGES[page])
    links = re.findall(r"\]\(([^)\s]+)\)", text)
    assert len(links) > 20
    for link in links:
        path, _, name = link.partition("#")
        target = (ROOT / page).parent / path if path else ROOT / page
        assert target.exists(), link
        if name:
            assert name in anchors(target.read_text()), link


def test_headings_that_are_linked_do_not_repeat() -> None:
    titles = [anchor(title) for title in re.findall(r"^#+ (.*)$", without_code(README), re.MULTILINE)]
    assert len(titles) == len(set(titles))


def test_the_two_commands_stand_alone_and_ci_runs_one_of_them() -> None:
    lines = README.splitlines()
    for command in (RUN, TESTS):
        assert lines.count(command) == 1
    assert TESTS in (ROOT / ".ci" / "run").read_text().splitlines()
    assert lines.index(RUN) < 15  # the first screen


def blocks(language: str) -> list[str]:
    found = re.findall(r"^```(\w*)\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)
    return [text for word, text in found if word == language]


def test_model_files_of_the_readme_are_models() -> None:
    whole, *parts = blocks("toml")
    parse_model(whole)
    for part in parts:
        tomllib.loads(part)


def test_python_of_the_readme_names_what_is_there() -> None:
    for block in blocks("python"):
        for node in ast.walk(ast.parse(block)):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "fx":
                assert node.attr in flexmb.__all__, node.attr


def test_commands_of_the_readme_are_understood(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines with a real file; the overview of the command line has names in capitals instead."""
    monkeypatch.chdir(ROOT)
    lines = [line for block in blocks("") for line in block.replace("\\\n", " ").splitlines()]
    commands = [
        line.partition("  #")[0] for line in lines if line.startswith("flexmb ") and not re.search("[A-Z]{4}", line)
    ]
    assert len(commands) > 10
    for line in commands:
        if "[" in line:  # an overview of options
            continue
        make_app().parse_args(shlex.split(line)[1:], print_error=False, exit_on_error=False)
        for word in shlex.split(line):
            if word.startswith(("examples/0", "examples/1", "meshes/")):
                assert (ROOT / word).is_file(), line


def test_every_verb_is_in_the_overview() -> None:
    overview = README[README.index("## The command line") : README.index("Exit codes:")]
    for verb in (name for name in make_app() if not name.startswith("-")):
        assert re.search(rf"^flexmb {verb}\b", overview, re.MULTILINE), verb


def test_figures_of_speed_are_those_measured() -> None:
    measured = (ROOT / "benchmarks" / "RESULTS.md").read_text()
    section = README[README.index("## Speed") : README.index("## Extending it")]
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in section.splitlines() if line.startswith("| ")]
    assert len(rows) > 8
    for _, _, ours, peer, ratio in rows[2:]:
        found = [line for line in measured.splitlines() if f"| {ours} | {peer} | {ratio} |" in line]
        assert found, f"{ours}, {peer}, {ratio} does not stand in benchmarks/RESULTS.md: renew the table of the README"


def test_files_that_the_readme_names_exist() -> None:
    for name in set(re.findall(r"`((?:[\w]+/)+[\w]+\.(?:py|md|toml))`", README)):
        places = [ROOT / name, ROOT / "flexmb" / name]
        planned = name in ("joints/cross_slide.py", "results/json_table.py")  # made by the steps of the lists
        assert planned or any(place.exists() for place in places), name


def test_the_present_version_is_in_the_changelog_or_about_to_be() -> None:
    versions = re.findall(r"^(\d+\.\d+\.\d+):", README[README.index("## Changelog") :], re.MULTILINE)
    assert versions == sorted(versions, key=lambda text: [int(part) for part in text.split(".")], reverse=True)
    assert flexmb.__version__ in versions


def test_the_table_of_verification_has_every_case() -> None:
    from flexmb.verification.registry import all_cases

    table = README[README.index("<!-- verification: begin -->") : README.index("<!-- verification: end -->")]
    rows = [line.split("|")[1].strip() for line in table.splitlines() if line.startswith("| ")][2:]
    assert rows == list(all_cases()), "run: flexmb verify --markdown table.md, and put it into the README"
