"""The gallery: every example has a picture, a place and commands that run; the newer ones give what they promise."""

from __future__ import annotations

import re
import shlex
from math import cos, radians, sin
from pathlib import Path

import pytest

import flexmb as fx
from flexmb.cli import main
from flexmb.solvers.settings import solver_settings
from tests.support.example_scripts import differences, plain, script
from tests.support.places import EXAMPLES

GALLERY = (EXAMPLES / "README.md").read_text()
MODELS = sorted(EXAMPLES.glob("*.toml"))
LARGEST_PICTURES = 6e6  # bytes: a repository is cloned, not only looked at


def test_no_number_is_given_twice_and_every_example_is_in_the_gallery() -> None:
    numbers = [path.name.split("_")[0] for path in MODELS]
    assert all(re.fullmatch(r"\d\d", number) for number in numbers) and len(set(numbers)) == len(numbers)
    for path in [*MODELS, *EXAMPLES.glob("[0-9]*.py")]:
        assert f"]({path.name})" in GALLERY, path.name
    for path in MODELS:
        assert f"(pictures/{path.stem}.png)" in GALLERY
        assert (EXAMPLES / "pictures" / f"{path.stem}.png").is_file()


def test_pictures_are_small() -> None:
    assert sum(path.stat().st_size for path in (EXAMPLES / "pictures").iterdir()) < LARGEST_PICTURES


def commands() -> list[str]:
    """Commands of the gallery, one line each."""
    blocks = "\n".join(re.findall(r"```\n(.*?)```", GALLERY, re.DOTALL)).replace("\\\n", " ")
    return [line for line in blocks.splitlines() if line]


def test_commands_of_the_gallery_are_understood(monkeypatch: pytest.MonkeyPatch) -> None:
    from flexmb.cli.verbs import make_app

    monkeypatch.chdir(EXAMPLES)
    found = commands()
    assert len(found) >= 20
    for line in found:
        program, *words = shlex.split(line)
        if program == "flexmb":
            make_app().parse_args(words, print_error=False, exit_on_error=False)
        else:
            assert program == "python" and Path(words[0]).is_file(), line
        for word in words:
            if re.match(r"(\.\./|\d\d_).*\.(toml|py|msh)$", word):
                assert Path(word).is_file(), line


def test_settings_of_the_gallery_exist() -> None:
    for line in commands():
        words = shlex.split(line)
        changes = dict(word.split("=", 1) for k, word in enumerate(words) if words[k - 1] == "--set")
        if changes:
            spec = fx.read_model(EXAMPLES / words[2], changes).spec
            solver_settings(spec.analysis, spec.output.every)  # does the method take them?


def test_crane_arm() -> None:
    # The pendant stretches and the tip comes down: 0.17 % more pull than with parts that keep their shape.
    pull, rigid, frequencies = script("08_crane_arm").main("40")[40.0]
    assert rigid == pytest.approx(64326.6, abs=0.1)
    assert pull == pytest.approx(64435.2, abs=0.1)
    assert frequencies == pytest.approx([0.153378, 0.187660, 0.991950], rel=1e-5)
    # The load alone is a pendulum of length l with its own inertia J; the boom yields, so it swings slower: hardly in
    # the plane of the crane, much across.
    alone = (9.81 * 7.0 / (7.0**2 + 1.4**2 / 6.0)) ** 0.5 / (2.0 * 3.141592653589793)
    assert frequencies[0] < 0.9 * alone and alone * (1.0 - 1e-3) < frequencies[1] < alone


def test_crane_starts_at_rest_and_slews(tmp_path: Path) -> None:
    with fx.run_model(fx.read_model(EXAMPLES / "08_crane_arm.toml"), tmp_path / "crane.h5") as result:
        assert result["sensors/pull"][0] == pytest.approx(64435.2, abs=0.1)
        assert result["sensors/tip"][0] - 2.0 - 18.0 * sin(radians(40.0)) == pytest.approx(-0.0170, abs=1e-4)
        assert abs(result["sensors/swing_out"]).max() == pytest.approx(radians(14.86), abs=radians(0.1))
        assert result["joints/ring/position"][-1] == pytest.approx(radians(90.0), abs=1e-9)


def weights(*parts: tuple[float, float]) -> float:
    """Torque [N*m] that holds masses [kg] at horizontal distances [m], about the negative axis."""
    return -9.81 * sum(mass * distance for mass, distance in parts)


def test_robot_arm(tmp_path: Path) -> None:
    inverse = fx.inverse_model(fx.read_model(EXAMPLES / "09_robot_arm.toml"), tmp_path / "robot.h5")
    turret, shoulder, elbow = (drive.effort for drive in inverse.drives[:3])
    # Statics of the first position by hand: upper arm 60, forearm 40, hand 90 degrees from their design positions.
    x_elbow, x_wrist = 0.65 * sin(radians(60)), 0.60 * cos(radians(40))
    beyond = [(8.0, 0.22 * cos(radians(40))), (3.0, 0.52 * cos(radians(40))), (1.5, x_wrist), (5.0, x_wrist)]
    assert elbow[0] == pytest.approx(weights(*beyond), abs=1e-9)
    at_shoulder = [(14.0, 0.30 * sin(radians(60))), *((mass, x + x_elbow) for mass, x in beyond)]
    assert shoulder[0] == pytest.approx(weights(*at_shoulder), abs=1e-9)
    assert shoulder[0] == pytest.approx(-186.578, abs=1e-3) and elbow[0] == pytest.approx(-54.258, abs=1e-3)
    assert abs(turret).max() == pytest.approx(211.111, abs=1e-2)
    assert abs(shoulder).max() == pytest.approx(217.229, abs=1e-2)
    found = script("09_robot_arm").main("1.0", "2.0")
    # The turret turns about the vertical: no weight, only inertia, which falls with the square of the time.
    assert found[1.0][0] / found[2.0][0] == pytest.approx(4.0, rel=1e-3)


@pytest.mark.long
def test_scissor_lift() -> None:
    example = script("10_scissor_lift")
    found = example.main("4")
    for push, height in found.values():
        assert push == pytest.approx(example.holding_force(4), rel=1e-8)
        assert push == pytest.approx(-8301.448, abs=1e-3)
        # The lower ends come nearer by 0.35 m: the height of a stage follows from the length of a bar.
        width = example.BAR * cos(example.ANGLE) - 0.35
        assert height == pytest.approx(4 * (1.0 - width**2) ** 0.5, abs=1e-9)
    from_file = fx.read_model(EXAMPLES / "10_scissor_lift.toml").spec
    from_script = example.scissor_lift(2).spec
    dumped = [plain(spec, {"parameters": True}) for spec in (from_file, from_script)]
    dumped = [{**each, "bodies": dict(sorted(each["bodies"].items()))} for each in dumped]
    assert differences(*dumped) == []


def test_help_names_every_verb(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    shown = capsys.readouterr().out
    for verb in ("run", "check", "inverse", "modes", "equations", "reduce", "animate", "schema", "verify"):
        assert re.search(rf"\b{verb}\b", shown), verb
