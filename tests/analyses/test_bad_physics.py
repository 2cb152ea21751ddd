"""Mechanisms at their limits, by the command line: every run passes, or stops and says when, where and what to do.

No row of a result holds a value that is not finite, whatever happens.

Covers: analyses.preparation, solvers.failure.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from flexmb.model.model_text import to_toml
from flexmb.results.result_file import Result
from tests.support.command_line import call

BLOCK = {"mass": 1.0, "inertia": [0.01, 0.02, 0.02]}
IMPLICIT, RK45, RK4 = {"step": 1e-3}, {"method": "rk45", "tolerance": 1e-8}, {"method": "rk4", "step": 1e-3}
HHT, SHI = {"method": "hht", "step": 1e-3}, {"method": "shi-mcphee", "step": 1e-3}
METHODS = {"implicit": IMPLICIT, "rk45": RK45, "rk4": RK4, "hht": HHT, "shi-mcphee": SHI}


def revolute(a: str, b: str, at: Any, axis: str = "z", **keys: Any) -> dict[str, Any]:
    return {"type": "revolute", "bodies": [a, b], "at": at, "axis": axis, **keys}


def pendulum(**tables: Any) -> dict[str, Any]:
    return {
        "model": {"name": "pendulum", "gravity": [0, 0, -9.81]},
        "bodies": {"rod": {"mass": 1.0, "inertia": [0.01, 0.1, 0.1], "center": [0.5, 0, 0]}},
        "joints": {"pivot": revolute("ground", "rod", [0, 0, 0], "y")},
        "analysis": {"end": 1.0, "step": 0.01},
        **tables,
    }


def slider_crank(length: float = 0.3, mass: float = 1.0, **tables: Any) -> dict[str, Any]:
    """Stretched along x: crank 0.1 m, rod of this length and mass."""
    return {
        "model": {"name": "slider-crank"},
        "points": {"O": [0, 0, 0], "A": [0.1, 0, 0], "B": [0.1 + length, 0, 0]},
        "bodies": {
            "crank": {"mass": 1.0, "rod": ["O", "A"]},
            "rod": {"mass": mass, "rod": ["A", "B"]},
            "slider": {**BLOCK, "at": "B"},
        },
        "joints": {
            "pin": revolute("ground", "crank", "O"),
            "eye": revolute("crank", "rod", "A"),
            "small_end": revolute("rod", "slider", "B"),
            "guide": {"type": "prismatic", "bodies": ["ground", "slider"], "at": "B", "axis": "x"},
        },
        "analysis": {"end": 1.0, "step": 1e-3},
        **tables,
    }


def flat_four_bar(**tables: Any) -> dict[str, Any]:
    """A rhombus folded flat: two ways to go on from its start."""
    rod = {"mass": 1.0}
    return {
        "model": {"name": "four-bar", "gravity": [0, -9.81, 0]},
        "bodies": {
            "crank": {**rod, "rod": [[0, 0, 0], [1, 0, 0]]},
            "coupler": {**rod, "rod": [[1, 0, 0], [2, 0, 0]]},
            "rocker": {**rod, "rod": [[1, 0, 0], [2, 0, 0]]},
        },
        "joints": {
            "a": revolute("ground", "crank", [0, 0, 0]),
            "b": revolute("crank", "coupler", [1, 0, 0]),
            "c": revolute("coupler", "rocker", [2, 0, 0]),
            "d": revolute("ground", "rocker", [1, 0, 0]),
        },
        "analysis": {"end": 0.5, "step": 1e-3},
        **tables,
    }


def sprung_block(stiffness: float, offset: float, free_length: float, **tables: Any) -> dict[str, Any]:
    """A block that floats on a spring-damper whose ends lie `offset` apart."""
    spring = {"type": "spring-damper", "markers": ["ground", "block"], "stiffness": stiffness, "damping": 1.0}
    return {
        "model": {"name": "spring", "gravity": [0, 0, -9.81]},
        "bodies": {"block": {**BLOCK, "at": [offset, 0, 0]}},
        "forces": {"spring": {**spring, "length": free_length}},
        "analysis": {"end": 0.1, "step": 1e-3},
        **tables,
    }


def pushed_beam(**tables: Any) -> dict[str, Any]:
    """A slender cantilever under fifty times its buckling load."""
    section = {"type": "circle", "radius": 0.002}
    shapes = {"family": "modes", "bending": 2, "supports": "clamped-free"}
    return {
        "model": {"name": "beam"},
        "points": {"O": [0, 0, 0], "A": [1, 0, 0]},
        "bodies": {"beam": {"beam": ["O", "A"], "material": "steel", "section": section, "shapes": shapes}},
        "joints": {"clamp": {"type": "fixed", "bodies": ["ground", "beam"], "at": "O"}},
        "forces": {"push": {"type": "force", "marker": "beam.end", "vector": [-1000.0, 1.0, 0]}},
        "analysis": {"end": 0.1, "step": 1e-3},
        **tables,
    }


def chain(n: int, **tables: Any) -> dict[str, Any]:
    """Slender rods, which have no inertia about their own axes, in absolute coordinates."""
    bodies = {f"b{i}": {"mass": 1.0, "rod": [[i, 0, 0], [i + 1, 0, 0]]} for i in range(n)}
    joints = {f"j{i}": revolute(f"b{i - 1}" if i else "ground", f"b{i}", [i, 0, 0], "y") for i in range(n)}
    return {
        "model": {"name": "chain", "gravity": [0, 0, -9.81]},
        "bodies": bodies,
        "joints": joints,
        "coordinates": {"default": "absolute"},
        "analysis": {"end": 0.3, "step": 1e-3},
        **tables,
    }


def run(folder: Path, capsys: pytest.CaptureFixture[str], tables: dict[str, Any]) -> tuple[int, str, Path]:
    """Exit code, message and result file; checks what holds for every run."""
    model, output = folder / "model.toml", folder / "out.h5"
    model.write_text(to_toml(tables))
    code, out, text = call(capsys, "run", str(model), "-o", str(output))
    if output.exists():
        with Result(output) as result:
            assert all(np.isfinite(result[path]).all() for path in result.channels)
            assert result.outcome == ("finished" if code == 0 else "failed")
    if code == 0:
        assert text == ""
    else:
        assert "Traceback" not in text and "internal error" not in text and "Warning" not in text
        assert code == 2 or text.count("\n") == 1
    return code, text or out, output


@pytest.mark.parametrize("method", ["implicit", "hht", "shi-mcphee"])
def test_a_singular_start_is_passed(tmp_path: Path, capsys: pytest.CaptureFixture[str], method: str) -> None:
    assert run(tmp_path, capsys, flat_four_bar(analysis={"end": 0.5, **METHODS[method]}))[0] == 0


@pytest.mark.parametrize("method", ["rk45", "rk4"])
def test_a_singular_start_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str], method: str) -> None:
    code, text, _ = run(tmp_path, capsys, flat_four_bar(analysis={"end": 0.5, **METHODS[method]}))
    assert code == 1 and "At the start only" in text and 'use method = "generalized-alpha"' in text


@pytest.mark.parametrize("method", list(METHODS))
def test_a_lock_up_position_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str], method: str) -> None:
    """The slider is pulled beyond the reach of 0.4 m, which it meets after 0.25 s."""
    motions = {"pull": {"joint": "guide", "rate": 0.2, "start": -0.05}}
    tables = slider_crank(motions=motions, analysis={"end": 1.0, **METHODS[method]})
    code, text, output = run(tmp_path, capsys, tables)
    assert code == 1 and "At t = 0.2" in text and "'pull'" in text
    assert "Change the motions or the dimensions, end the run earlier" in text
    assert Result(output).time[-1] == pytest.approx(0.25, abs=2e-3)


@pytest.mark.parametrize("method", ["implicit", "rk45", "rk4", "hht"])
def test_equal_crank_and_rod_pass_their_dead_point(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], method: str
) -> None:
    """Two branches meet where crank and rod fold onto each other."""
    tables = slider_crank(
        0.1, motions={"turn": {"joint": "pin", "rate": 6.0}}, analysis={"end": 1.0, **METHODS[method]}
    )
    assert run(tmp_path, capsys, tables)[0] == 0


@pytest.mark.parametrize("method", ["implicit", "rk45"])
def test_a_beam_that_buckles_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str], method: str) -> None:
    code, text, output = run(tmp_path, capsys, pushed_beam(analysis={"end": 0.1, **METHODS[method]}))
    assert code == 1 and "At t = 0.01" in text and "beam 'beam' has folded" in text and "divide it" in text
    assert 1 < Result(output).n_rows


@pytest.mark.parametrize(
    ("law", "quantity"), [("sqrt(0.5 - t)", "rate"), ("0.01/(0.5 - t)", "value"), ("log(0.5 - t)", "value")]
)
def test_a_motion_that_ends(tmp_path: Path, capsys: pytest.CaptureFixture[str], law: str, quantity: str) -> None:
    code, text, output = run(tmp_path, capsys, pendulum(motions={"drive": {"joint": "pivot", "expression": law}}))
    assert code == 1 and f"motion 'drive' has no finite {quantity}" in text and "At t = 0.4" in text
    assert Result(output).time[-1] == pytest.approx(0.49)


def test_motions_that_contradict_each_other_are_wrong_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    motions = {"one": {"joint": "pin", "rate": 1.0}, "two": {"joint": "guide", "rate": 2.0}}
    code, text, output = run(tmp_path, capsys, slider_crank(motions=motions))
    assert code == 2 and "one, two" in text and "make the motions agree" in text
    motions = {"one": {"joint": "a", "rate": 1.0}, "two": {"joint": "d", "rate": 2.0}}
    code, text, output = run(tmp_path, capsys, flat_four_bar(motions=motions))
    assert code == 2 and "'one', 'two'" in text and "Remove a motion" in text
    assert not output.exists()


@pytest.mark.parametrize("method", list(METHODS))
def test_a_step_that_is_far_too_large(tmp_path: Path, capsys: pytest.CaptureFixture[str], method: str) -> None:
    """The crank turns 16 times a step: the run stops, or warns of its energy."""
    analysis = {"end": 10.0, **METHODS[method]}
    if "step" in analysis:
        analysis["step"] = 1.0
    tables = slider_crank(analysis=analysis)
    tables["joints"]["pin"]["velocity"] = 100.0
    code, text, _ = run(tmp_path, capsys, tables)
    if code == 0:
        assert method == "rk45" or "WARNING" in text and "energy" in text
    else:
        assert "At t = " in text and "a smaller step" in text


@pytest.mark.parametrize("method", list(METHODS))
@pytest.mark.parametrize("free_length", [0.0, 0.1])
def test_a_spring_of_no_length(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], method: str, free_length: float
) -> None:
    """Coincident ends have no direction; a little later they have one."""
    tables = sprung_block(100.0, 0.0, free_length, analysis={"end": 0.1, **METHODS[method]})
    assert run(tmp_path, capsys, tables)[0] == 0


def test_coincident_places(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rod = pendulum(bodies={"rod": {"mass": 1.0, "rod": [[0, 0, 0], [0, 0, 0]]}})
    code, text, _ = run(tmp_path, capsys, rod)
    assert code == 2 and "the two ends of the rod are the same point" in text
    distance = {"pivot": {"type": "distance", "bodies": ["ground", "rod"], "at": [[0, 0, 0], [0, 0, 0]]}}
    code, text, _ = run(tmp_path, capsys, pendulum(joints=distance))
    assert code in (1, 2) and "pivot" in text
    assert run(tmp_path, capsys, pendulum(sensors={"gap": {"between": ["ground", "rod"]}}))[0] == 0


@pytest.mark.parametrize("ratio", [1e-12, 1e12])
@pytest.mark.parametrize("coordinates", ["joint", "absolute"])
@pytest.mark.parametrize("method", ["implicit", "rk45"])
def test_masses_far_apart(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], ratio: float, coordinates: str, method: str
) -> None:
    """A rod 1e12 times lighter or heavier than the rest: the reactions of the crank follow its mass."""
    tables = slider_crank(
        mass=ratio,
        motions={"turn": {"joint": "pin", "rate": 6.0}},
        coordinates={"default": coordinates},
        analysis={"end": 0.5, **METHODS[method]},
    )
    code, text, output = run(tmp_path, capsys, tables)
    assert code == 0, text
    with Result(output) as result:
        assert result.summary["energy_balance"] < 1e-4
        centre = 0.1 + 0.3 - 0.1 * (1 - np.cos(6 * 0.5)) - 0.3 + 0.3 * np.sqrt(1 - (np.sin(6 * 0.5) / 3) ** 2)
        assert result["slider.position"][-1, 0] == pytest.approx(centre, abs=1e-9)


@pytest.mark.parametrize("stiffness", [1e-12, 1e12, 1e30])
@pytest.mark.parametrize("method", ["implicit", "rk4", "hht", "shi-mcphee"])
def test_stiffness_of_any_size(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], stiffness: float, method: str
) -> None:
    code, text, _ = run(tmp_path, capsys, sprung_block(stiffness, 0.2, 0.1, analysis={"end": 0.1, **METHODS[method]}))
    assert code == 0 or (stiffness > 1.0 and "At t = " in text and "smaller step" in text)
    if stiffness == 1e12:
        assert code == 1 or "WARNING" in text  # the vibration of 160 kHz cannot be followed
    if stiffness < 1.0:
        assert code == 0


@pytest.mark.parametrize("speed", [1e5, 1e12])
@pytest.mark.parametrize("method", ["implicit", "rk4", "hht", "shi-mcphee"])
def test_spin_of_any_speed(tmp_path: Path, capsys: pytest.CaptureFixture[str], speed: float, method: str) -> None:
    tables = {
        "model": {"name": "spin", "gravity": [0, 0, -9.81]},
        "bodies": {"top": {"mass": 1.0, "inertia": [0.01, 0.02, 0.03], "angular_velocity": [0, 1.0, speed]}},
        "analysis": {"end": 0.1, **METHODS[method]},
    }
    code, text, _ = run(tmp_path, capsys, tables)
    assert code == 0 or ("At t = 0" in text and "smaller step" in text)


@pytest.mark.parametrize("method", ["implicit", "hht", "shi-mcphee"])
def test_a_chain_of_rods_without_axial_inertia(tmp_path: Path, capsys: pytest.CaptureFixture[str], method: str) -> None:
    """Nothing turns about the axes of the rods, however long it runs: the rates there stay round-off."""
    code, text, output = run(tmp_path, capsys, chain(12, analysis={"end": 0.3, **METHODS[method]}))
    assert code == 0, text
    with Result(output) as result:
        assert max(np.abs(result[f"bodies/b{i}/angular_velocity"][:, 0]).max() for i in range(12)) < 1e-12
        assert result.summary["rejected"] == 0 and result.summary["newton_iterations"] < 4 * result.summary["steps"]
        assert result.summary["energy_balance"] < 1e-4


def test_too_many_full_equations_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The embedding formulation has full matrices; multipliers are found sparsely, and the chain runs."""
    analysis = {"end": 0.1, "formulation": "embedding", **METHODS["rk4"]}
    code, text, output = run(tmp_path, capsys, chain(400, analysis=analysis))
    assert code == 2 and "2400 coordinates and 2000 constraint rows are too many" in text
    assert 'default = "joint"' in text and not output.exists()


def fast_top(speed: float, analysis: dict[str, Any]) -> dict[str, Any]:
    """A heavy top that leans; its precession comes from a weight that goes round in the axes of its rates."""
    top = {"mass": 1.0, "inertia": [0.01, 0.01, 0.015], "center": [0, 0, 0.5]}
    point = {"type": "spherical", "bodies": ["ground", "top"], "at": [0, 0, 0]}
    return {
        "model": {"name": "top", "gravity": [0, 0, -9.81]},
        "bodies": {"top": top},
        "joints": {"point": {**point, "position": [0.5, 0, 0], "velocity": [0, 0, speed]}},
        "analysis": {"end": 0.1, **analysis},
    }


@pytest.mark.parametrize("analysis", [IMPLICIT, HHT, SHI])
def test_a_spin_that_the_steps_do_not_follow_is_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], analysis: dict[str, Any]
) -> None:
    """At 1e4 rad/s the precession is lost in steps of 1 ms, and the energy does not show it."""
    code, text, output = run(tmp_path, capsys, fast_top(1e4, analysis))
    assert code == 0 and "WARNING" in text and "body 'top' turns by up to" in text
    assert "step = 5.0e-05 s or less" in " ".join(text.split())
    with Result(output) as result:
        assert result.summary["largest_turn"] > 5.0 and result.summary["energy_balance"] < 1e-6


def test_a_spin_that_is_followed_is_not_spoken_of(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for speed, analysis in ((400.0, RK45), (400.0, {"step": 1e-3}), (1e4, {"tolerance": 1e-6, "step": 1e-3})):
        code, text, _ = run(tmp_path, capsys, fast_top(speed, analysis))
        assert code == 0 and "turns by" not in text


def test_an_unbalance_that_the_steps_do_not_follow_is_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A turn in every step: the force of the unbalance seems to stand still, and pushes the cart by decimetres."""
    rotor = {"mass": 1.0, "inertia": [0.01, 0.01, 0.01], "center": [1e-4, 0, 0]}
    tables = {
        "model": {"name": "unbalance"},
        "bodies": {"cart": BLOCK, "rotor": rotor},
        "joints": {
            "rail": {"type": "prismatic", "bodies": ["ground", "cart"], "at": [0, 0, 0], "axis": "x"},
            "shaft": revolute("cart", "rotor", [0, 0, 0]),
        },
        "forces": {"spring": {"type": "joint-spring", "joint": "rail", "stiffness": 1e4}},
        "motions": {"turn": {"joint": "shaft", "rate": 6283.0}},
        "analysis": {"end": 0.1, **RK4},
    }
    code, text, output = run(tmp_path, capsys, tables)
    assert code == 0 and "body 'rotor' turns by up to 6.28 rad per step" in text
    with Result(output) as result:
        assert result.summary["energy_balance"] < 0.01 and np.abs(result["joints/rail/position"]).max() > 0.1


@pytest.mark.parametrize("method", [RK45, {"tolerance": 1e-5}])
def test_what_runs_away_for_ever_is_stopped(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], method: dict[str, Any]
) -> None:
    """A controller of the wrong sign: the error of a step is one of the place, which has fewer digits than it asks."""
    tables = {
        "model": {"name": "runaway"},
        "bodies": {"block": BLOCK},
        "joints": {"rail": {"type": "prismatic", "bodies": ["ground", "block"], "at": [0, 0, 0], "axis": "x"}},
        "sensors": {"x": {"joint": "rail"}},
        "forces": {"control": {"type": "actuator", "joint": "rail", "effort": "1e6*x + 1"}},
        "analysis": {"end": 1.0, **method},
        "output": {"every": 0.01},
    }
    code, text, _ = run(tmp_path, capsys, tables)
    assert code == 1 and "At t = 0.0" in text and "coordinate 'rail.slide' has grown to" in text
    assert "a wrong sign of a force" in text
