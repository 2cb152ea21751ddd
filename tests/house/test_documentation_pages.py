"""All documents: links lead somewhere, commands are understood, code runs, names exist, generated pages are current,
tags of theory and literature in the sources resolve."""

from __future__ import annotations

import ast
import importlib.util
import re
import shlex
import subprocess
import sys
import tokenize
import tomllib
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

import flexmb
from flexmb.cli.verbs import make_app
from flexmb.model.model_file import parse_model
from tests.support.documents import PAGES, README, anchors, blocks, commands, headings, links, tables
from tests.support.places import ROOT

PACKAGE = ROOT / "flexmb"
WITH_COMMANDS = [page for page, text in PAGES.items() if commands(text) and page != "examples/README.md"]
PLANNED = {"results/json_table.py", "flexmb/joints/cross_slide.py"}  # made by the steps of CONTRIBUTING


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    for link in links(PAGES[page]):
        path, _, name = link.partition("#")
        target = (ROOT / page).parent / path if path else ROOT / page
        assert target.exists(), link
        if name:
            assert name in anchors(target.read_text()), link


def test_every_page_is_linked_from_another() -> None:
    linked = {
        ((ROOT / page).parent / link.partition("#")[0]).resolve()
        for page, text in PAGES.items()
        for link in links(text)
    }
    assert [page for page in PAGES if page != "README.md" and (ROOT / page).resolve() not in linked] == []


@pytest.mark.parametrize("page", WITH_COMMANDS)
def test_commands_are_understood(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    for line in commands(PAGES[page]):
        make_app().parse_args(shlex.split(line)[1:], print_error=False, exit_on_error=False)
        for word in shlex.split(line):
            if word.startswith(("examples/0", "examples/1", "meshes/")):
                assert (ROOT / word).is_file(), line


def test_commands_are_found() -> None:
    assert sum(len(commands(PAGES[page])) for page in WITH_COMMANDS) > 25
    assert "README.md" in WITH_COMMANDS and "docs/guide/meshes.md" in WITH_COMMANDS


def test_model_files_are_models() -> None:
    whole = blocks(PAGES["docs/guide/model-file.md"], "toml")[0]
    parse_model(whole)
    parts = [block for text in PAGES.values() for block in blocks(text, "toml")]
    assert len(parts) >= 3
    for part in parts:
        tomllib.loads(part)


def python_blocks() -> list[tuple[str, str]]:
    return [(page, block) for page, text in PAGES.items() for block in blocks(text, "python")]


def test_python_names_what_is_there() -> None:
    assert len(python_blocks()) >= 4
    code = [block for _, block in python_blocks()]
    code += re.findall(r"`(fx\.[^`]*)`", "\n".join(PAGES.values()))
    for block in code:
        for name in re.findall(r"\bfx\.(\w+)", block):
            assert name in flexmb.__all__, name


@pytest.mark.parametrize("page", sorted({page for page, _ in python_blocks()} - {"README.md"}))
def test_python_runs(page: str, tmp_path: Path) -> None:
    """What the README says too is run by its own test."""
    for folder in ("examples", "meshes"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    for block in blocks(PAGES[page], "python"):
        ast.parse(block)
        if block not in README:
            command = [sys.executable, "-c", block]
            done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stderr
            assert done.stdout


def test_files_that_pages_name_exist() -> None:
    for page, text in PAGES.items():
        if page in ("CHANGELOG.md", "benchmarks/RESULTS.md"):
            continue
        for name in set(re.findall(r"`((?:\w+/)+\w+\.(?:py|md|toml))`", text)):
            assert name in PLANNED or any((place / name).exists() for place in (ROOT, PACKAGE)), f"{page}: {name}"


def test_functions_of_the_walks_exist() -> None:
    steps = [cells for cells in tables(PAGES["docs/architecture.md"]) if len(cells) == 3]
    assert len(steps) > 50
    for _, file, function in steps:
        text = (PACKAGE / file.strip("`")).read_text()
        assert re.search(rf"^(def|class) {function.strip('`')}\b", text, re.MULTILINE), f"{file}: {function}"


def test_folders_of_the_architecture_are_those_of_the_package() -> None:
    from tests.support.flow import FLOW

    folders = [cells[0].strip("`/") for cells in tables(PAGES["docs/architecture.md"]) if cells[0].endswith("/`")]
    assert folders == FLOW


def test_the_api_page_has_every_public_name() -> None:
    listed = re.findall(r"^::: (\S+)$", PAGES["docs/api.md"], re.MULTILINE)
    assert sorted(listed) == sorted(f"{place}.{name}" for name, place in flexmb._PLACES.items())


def reference_maker() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_reference", ROOT / "docs" / "make_reference.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_generated_pages_are_current() -> None:
    maker = reference_maker()
    for page, made in (("model-file", maker.model_file_page()), ("command-line", maker.command_line_page())):
        assert PAGES[f"docs/reference/{page}.md"] == made, "run: python docs/make_reference.py"


def test_every_verb_and_option_is_in_the_reference() -> None:
    page = PAGES["docs/reference/command-line.md"]
    for verb in (name for name in make_app() if not name.startswith("-")):
        assert re.search(rf"^## flexmb {verb}\b", page, re.MULTILINE), verb
    assert "`--more-drives`" in page and "`--interface`" in page  # options of signatures and of option classes


@cache
def texts(path: Path) -> list[str]:
    """Comments and texts of a source file."""
    with tokenize.open(path) as file:
        tokens = tokenize.generate_tokens(file.readline)
        return [token.string for token in tokens if token.type in (tokenize.COMMENT, tokenize.STRING)]


SOURCES = sorted(PACKAGE.rglob("*.py"))
THEORY = re.compile(r"theory\s+(?:sec(?:tions?|\.)\s+)?(\d+(?:\.\d+)?(?:(?:,| and)\s+\d+(?:\.\d+)?)*)")
LITERATURE = re.compile(r"\[([A-Z][^\[\]]*)\]")
IS_CITED = re.compile(r"(SM|RS|GJB|Lee)\b|[A-Z]\w+[^;]*(\b(19|20)\d\d\b| & | et al|\beq\. |\bsec\. |\bmanual\b)")


def test_tags_of_the_theory_lead_to_its_sections() -> None:
    sections = {title.split()[0] for title in headings(PAGES["docs/theory.md"]) if title[0].isdigit()}
    found = [
        (path.name, number)
        for path in SOURCES
        for text in texts(path)
        for numbers in THEORY.findall(text)
        for number in re.findall(r"\d+(?:\.\d+)?", numbers)
    ]
    assert len(found) > 55
    assert [tag for tag in found if tag[1] not in sections] == []


def test_tags_of_literature_are_in_the_sources() -> None:
    entries = [cells[0].strip("[]") for cells in tables(PAGES["docs/sources.md"]) if cells[0].startswith("[")]
    found = [
        (path.name, " ".join(tag.split()))
        for path in SOURCES
        for text in texts(path)
        for tag in LITERATURE.findall(text)
        if IS_CITED.match(tag)
    ]
    assert len(found) > 80
    unknown = [tag for tag in found if not any(re.match(rf"{re.escape(entry)}\b", tag[1]) for entry in entries)]
    assert unknown == []


def test_the_tags_that_are_seen() -> None:
    assert THEORY.findall("(theory 6 and 7; Kane's form), theory\n2.1, 2.2 (theory sec. 11)") == [
        "6 and 7",
        "2.1, 2.2",
        "11",
    ]
    for tag in ("SM eq. 24", "RS", "Lee et al. 2001", "Hairer, Norsett & Wanner, Solving ODEs I", "Knupp 2000"):
        assert IS_CITED.match(tag), tag
    for tag in ("Hz", "N or N*m", "Floats, Floats", "SI"):
        assert not IS_CITED.match(tag), tag


FOREIGN = re.compile(
    r"\broads\b|second road|\bis told\b|\bis said\b|\bis refused\b|\bare refused\b|\bwarned of\b|hardly known|"
    r"who moves|what to think of|half written|taken away|wish was not met|\bstands? in\b",
    re.IGNORECASE,
)


@pytest.mark.parametrize("page", [page for page in PAGES if not page.startswith("docs/reference/")])
def test_plain_words(page: str) -> None:
    assert [match[0] for match in FOREIGN.finditer(" ".join(PAGES[page].split()))] == []
