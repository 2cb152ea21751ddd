"""Thousands of damaged inputs through every verb of the command line, and what the fuzzer itself must notice.

Tens of thousands: python -m tests.campaigns.fuzzing --seed 2 --count 20000
"""

from __future__ import annotations

import contextlib
import io
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flexmb.cli import main
from tests.campaigns.fuzzing.cases import Case, make_case
from tests.campaigns.fuzzing.commands import VERBS, Command
from tests.campaigns.fuzzing.corpus import Corpus
from tests.campaigns.fuzzing.judge import GOOD, Ending, judge, snapshot
from tests.campaigns.fuzzing.models import MODELS
from tests.campaigns.fuzzing.table_mutations import to_toml
from tests.campaigns.fuzzing.values import SCRIPT
from tests.support.places import ROOT

PENDULUM = MODELS["pendulum"]
SEED, COUNT = 7, 2000
FEW = settings(max_examples=40, deadline=None, derandomize=True)


@pytest.mark.long
def test_damaged_inputs_end_in_success_or_one_clear_message() -> None:
    words = [sys.executable, "-m", "tests.campaigns.fuzzing", "--seed", str(SEED), "--count", str(COUNT), "--jobs", "2"]
    done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
    assert f"seed {SEED}: {COUNT} cases" in done.stdout and "; 0 findings" in done.stdout


def ends_well(folder: Path, *words: str) -> tuple[int, str]:
    """Exit code and message of a call, judged as the fuzzer judges it."""
    out, err = io.StringIO(), io.StringIO()
    before = snapshot(folder)
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), contextlib.chdir(folder):
        code = main(words)
    case = Case(0, words[0], Command(words, ()), "")
    kind, detail = judge(case, folder, Ending(code, out.getvalue(), err.getvalue(), before, snapshot(folder)))
    assert kind in GOOD, f"{kind}: {detail}"
    return code, err.getvalue()


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fuzz")


@FEW
@given(st.one_of(st.text(max_size=200).map(lambda text: text.encode("utf-8", "replace")), st.binary(max_size=200)))
def test_any_content_as_any_file(place: Path, content: bytes) -> None:
    for name, verb in (("m.toml", ("check",)), ("m.inp", ("mesh", "info")), ("m.h5", ("body", "info"))):
        (place / name).write_bytes(content)
        ends_well(place, *verb, name)
    ends_well(place, "export", "m.h5", "--channels")


_NUMBERS = st.one_of(st.floats(), st.integers(-(2**70), 2**70), st.sampled_from([1e-320, 1e308, 2**63, 0, -1]))
_SCALARS = st.one_of(_NUMBERS, st.booleans(), st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=20))
_VALUES = st.recursive(
    _SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("abxyz_", max_size=5), inner, max_size=3),
)


def _leaves(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    if not isinstance(value, (dict, list)):
        return [path]
    entries = value.items() if isinstance(value, dict) else enumerate(value)
    return [place for key, entry in entries for place in _leaves(entry, (*path, key))]


def _with(path: tuple[Any, ...], value: Any) -> str:
    """The pendulum with another value at a place."""
    tables = tomllib.loads(PENDULUM)
    owner: Any = tables
    for key in path[:-1]:
        owner = owner[key]
    owner[path[-1]] = value
    return to_toml(tables)


@FEW
@given(st.sampled_from(_leaves(tomllib.loads(PENDULUM))), _VALUES)
def test_any_value_in_any_place_of_a_model(place: Path, path: tuple[Any, ...], value: Any) -> None:
    (place / "pendulum.toml").write_text(_with(path, value), encoding="utf-8")
    ends_well(place, "check", "pendulum.toml")


@FEW
@given(st.text(st.sampled_from("t$()+-*/^.,0123456789e sincoexpqrtmkgN°·πμ_"), max_size=30))
def test_any_text_as_an_expression(place: Path, text: str) -> None:
    path = ("forces", "push", "vector", 0)
    (place / "pendulum.toml").write_text(_with(path, text), encoding="utf-8")
    ends_well(place, "check", "pendulum.toml")


@FEW
@given(st.lists(st.text(st.characters(exclude_characters="\0"), max_size=12), max_size=4), st.sampled_from(VERBS))
def test_any_words_on_the_command_line(place: Path, words: list[str], verb: str) -> None:
    ends_well(place, verb, "no such file", *words)


def corpus() -> Corpus:
    """Models alone: no computation is needed to damage them."""
    contents = {f"{name}.toml": text.encode() for name, text in MODELS.items()} | {"bar.h5": b"no body"}
    kinds = {"model": tuple(f"{name}.toml" for name in MODELS), "drawing": (), "body": ("bar.h5",), "result": ()}
    return Corpus(kinds, contents)


def test_a_case_is_always_the_same_case(tmp_path: Path) -> None:
    found = []
    for name in ("first", "second"):
        cases = []
        for number in range(40):
            folder = tmp_path / name / str(number)
            folder.mkdir(parents=True)
            case = make_case(corpus(), 5, number, folder, ("check",))
            cases.append((case, snapshot(folder)))
        found.append(cases)
    assert found[0] == found[1]
    assert len({str(files) for _, files in found[0]}) > 30


SAID = "flexmb: there is no such file.\n"


@pytest.mark.parametrize(
    ("code", "err", "new", "kind"),
    [
        (2, SAID, {}, "refused"),
        (1, "flexmb: The loops cannot close.\n", {}, "failed"),
        (0, "", {"out.csv": "x"}, "done"),
        (2, "", {}, "silent"),
        (0, "careful\n", {}, "noise"),
        (99, "Traceback: KeyError\n", {}, "unclear"),
        (1, "flexmb: internal error (KeyError: 'x').\n", {}, "unclear"),
        (2, "flexmb: 'int' object is not subscriptable.\n", {}, "unclear"),
        (2, "flexmb: no body '\x1b[31mred'.\n", {}, "control signs"),
        (1, "flexmb: not enough memory.\n", {}, "memory"),
        (2, SAID, {"out.csv": "half of it"}, "left behind"),
        (0, "", {".out.12.part.csv": ""}, "left behind"),
        (2, SAID, {"model.toml": "another"}, "changed"),
        (0, "", {"out.svg": f"<title>{SCRIPT}</title>"}, "markup"),
        (3, SAID, {}, "code"),
    ],
)
def test_what_the_judge_notices(tmp_path: Path, code: int, err: str, new: dict[str, str], kind: str) -> None:
    (tmp_path / "model.toml").write_text("valid")
    before = snapshot(tmp_path)
    for name, text in new.items():
        (tmp_path / name).write_text(text)
    case = Case(1, "export", Command(("export", "run.h5", "out.csv", "out.svg"), ("run.h5",)), "")
    assert judge(case, tmp_path, Ending(code, "", err, before, snapshot(tmp_path)))[0] == kind
