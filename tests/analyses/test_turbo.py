"""Turbo: generated code in the place of the kernels gives the same run, or the run says why it goes on without.

The same results: the generated code is another order of the same operations, so that single evaluations differ by
round-off (1e-13), which runs of some hundred steps amplify; 1e-9 of the largest value of a quantity is asked.

Covers: analyses.turbo_library, symbolic.powers, symbolic.residual.
"""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import flexmb as fx
from flexmb.analyses import turbo, turbo_library
from flexmb.analyses.preparation import prepare
from flexmb.analyses.turbo import use_turbo
from flexmb.equations.programs import OF_ALL_ROWS, PROGRAMS
from flexmb.errors import CacheWarning
from flexmb.layout import flat_arrays as L
from flexmb.model.model import Model
from flexmb.solvers.run import simulate
from tests.support.flexible_models import beam
from tests.support.mechanisms import random_tree, slider_crank
from tests.support.places import ROOT
from tests.support.runs import Rows

FLAGSHIP = ROOT / "examples" / "04_spatial_slider_crank.toml"
QUADRATIC = {"bodies.rod.field": "quadratic", "bodies.rod.order": "2"}
# Newton's iteration may end one increment earlier in one of the runs: what it leaves must be below SAME.
IMPLICIT: dict[str, Any] = {"type": "dynamic", "method": "generalized-alpha", "rho": 0.8, "newton_tolerance": 1e-12}
SAME = 2e-9  # round-off of positions, 1e-15, divided by beta h^2: what accelerations and multipliers carry at 2 ms
SLOTS = (L.AT_RESIDUAL, L.AT_SYSTEM, L.AT_JACOBIAN, L.AT_ACCELERATION, L.AT_POWERS)


def tree(*kinds: str, **extra: Any) -> dict[str, Any]:
    return random_tree(np.random.default_rng(5), kinds, **extra)


def springs() -> dict[str, Any]:
    """A tree of three bodies with every kind of load that has symbols."""
    forces = {
        "spring": {"type": "spring-damper", "markers": ["body0.tip", "body2.tip"], "length": 0.5, "stiffness": 90.0},
        "damper": {"type": "spring-damper", "markers": ["ground", "body1.tip"], "damping": 2.0},
        "coil": {"type": "joint-spring", "joint": "joint0", "stiffness": 20.0, "damping": 0.5},
        "rub": {"type": "friction", "joint": "joint1", "coulomb": 0.4, "viscous": 0.1, "transition": 0.5},
        "motor": {"type": "actuator", "joint": "joint2", "effort": "2*sin(3*t) - 0.3*speed"},
        "push": {"type": "force", "marker": "body1.tip", "vector": ["1 + t", "cos(t)", 0], "axes": "marker"},
    }
    sensors = {"speed": {"joint": "joint2", "quantity": "velocity"}}
    return tree("revolute", "prismatic", "revolute", forces=forces, sensors=sensors)


def soft_beam() -> dict[str, Any]:
    """A soft beam of second order that swings on a pin, with a rigid body at its end."""
    shapes = {"family": "modes", "bending": {"y": 0, "z": 2}}
    bodies = {
        "arm": beam([0, 0, 0], [1, 0, 0], field="quadratic", order=2, frame="start", shapes=shapes, markers={}),
        "tip": {"mass": 0.2, "inertia": [1e-3, 1e-3, 1e-3], "at": [1, 0, 0], "center": [0, 0, -0.1]},
    }
    joints = {
        "pin": {"type": "revolute", "bodies": ["ground", "arm"], "at": [0, 0, 0], "axis": "y"},
        "ball": {"type": "spherical", "bodies": ["arm", "tip"], "at": [1, 0, 0]},
    }
    forces = {
        "wind": {"type": "distributed-force", "body": "arm", "vector": [0, 0, "3*cos(9*t)"], "axes": "section"},
        "brake": {"type": "friction", "joint": "pin", "viscous": 0.3},
    }
    bodies["arm"]["damping"] = {"ratio": 0.05}
    model = {"name": "soft arm", "gravity": [0, 0, -9.81]}
    return {"model": model, "bodies": bodies, "joints": joints, "forces": forces}


def loaded_loop() -> dict[str, Any]:
    """A driven slider-crank against a spring, its mass a symbol with a value."""
    data = slider_crank({})
    data["symbols"] = {"M": 2.0}
    data["bodies"]["slider"]["mass"] = "$M"
    spring = {
        "type": "spring-damper",
        "markers": ["ground", "slider"],
        "length": 0.1,
        "stiffness": 50.0,
        "damping": 3.0,
    }
    return {**data, "forces": {"bumper": spring}}


def rolling_disc() -> dict[str, Any]:
    """A disc that rolls on the ground plane: rows at velocity level."""
    disc = {"mass": 2.0, "inertia": [0.045, 0.09, 0.045], "at": [0, 0, 0.3], "velocity": [1.5, -0.12, 0]}
    disc["angular_velocity"] = [0.4, 5.0, 0.8]
    joint = {
        "type": "rolling",
        "bodies": ["ground", "disc"],
        "at": [0, 0, 0],
        "normal": "z",
        "axis": "y",
        "radius": 0.3,
    }
    model = {"name": "disc", "gravity": [0, 0, -9.81]}
    return {"model": model, "bodies": {"disc": disc}, "joints": {"floor": joint}}


def run(model: Model, generated: bool = False) -> tuple[Any, np.ndarray]:
    """System and rows of a run, with generated code or without."""
    system = prepare(model).system
    if generated:
        outcome = use_turbo(model, system)
        assert outcome.is_used, outcome.text
        places = {slot: OF_ALL_ROWS.get(slot, slot) if system.n_redundant else slot for slot in SLOTS}
        generated = [slot for slot in SLOTS if system.ints[places[slot]] not in (0, PROGRAMS[slot].address)]
        assert len(generated) == len(turbo._function_names(model.spec.analysis.method, system))
    sink = Rows()
    simulate(system, model.spec.analysis, sink=sink)
    return system, np.concatenate(sink.blocks)


def both_runs(data: dict[str, Any], analysis: dict[str, Any]) -> tuple[Any, np.ndarray, np.ndarray]:
    """System and rows without and with generated code."""
    model = Model.from_tables({**data, "analysis": {"type": "dynamic", **analysis}})
    return (*run(model), run(model, generated=True)[1])


def assert_same(system: Any, plain: np.ndarray, fast: np.ndarray) -> None:
    """Equal to a part of the largest value among the channels of the same unit."""
    assert plain.shape == fast.shape
    largest: dict[str, float] = {}
    columns = {c.path: slice(c.start, c.start + int(np.prod(c.shape, dtype=int))) for c in system.channels}
    for channel in system.channels:
        size = np.max(np.abs(plain[:, columns[channel.path]]), initial=1e-3)
        largest[channel.unit] = max(largest.get(channel.unit, 0.0), float(size))
    for channel in system.channels:
        if channel.path == "solver/iterations":  # decided at round-off
            continue
        difference = np.max(np.abs(plain - fast)[:, columns[channel.path]], initial=0.0)
        assert difference <= SAME * largest[channel.unit], channel.path


STEP = {"end": 0.2, "step": 2e-3}
CASES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "loop, implicit": (slider_crank({}), {**IMPLICIT, **STEP}),
    "loop, rk4": (slider_crank({}), {"method": "rk4", **STEP}),
    "loaded loop, implicit": (loaded_loop(), {**IMPLICIT, **STEP}),
    "loaded loop, rk4": (loaded_loop(), {"method": "rk4", **STEP}),
    "rolling, implicit": (rolling_disc(), {**IMPLICIT, **STEP}),
    "rolling, rk4": (rolling_disc(), {"method": "rk4", **STEP}),
    "loop, rk45": (slider_crank({}), {"method": "rk45", "end": 0.2, "tolerance": 1e-6}),
    "tree, implicit": (springs(), {**IMPLICIT, **STEP}),
    "tree, rk45": (springs(), {"method": "rk45", "end": 0.2, "tolerance": 1e-6}),
    "joints, rk4": (tree("universal", "screw", "cylindrical", "planar", "pin-in-slot"), {"method": "rk4", **STEP}),
    "quaternions, implicit": (tree("spherical", "distance", "free"), {**IMPLICIT, **STEP}),
    "quaternions, rk4": (tree("point-on-line", "distance", "free"), {"method": "rk4", **STEP}),
    "beam, implicit": (soft_beam(), {**IMPLICIT, "end": 0.05, "step": 5e-4}),
    "beam, rk4": (soft_beam(), {"method": "rk4", "end": 0.02, "step": 1e-4}),
}


@pytest.mark.parametrize("case", CASES)
def test_the_same_run(case: str) -> None:
    assert_same(*both_runs(*CASES[case]))


def flagship(**settings: str) -> dict[str, Any]:
    model = fx.read_model(FLAGSHIP, {**QUADRATIC, **settings})
    return {key: table for key, table in model._tables.items() if key not in ("analysis", "output")}


def test_flexible_loop_of_second_order() -> None:
    assert_same(*both_runs(flagship(), {"method": "rk4", "end": 0.002, "step": 2e-5}))


def test_implicit_flexible_loop() -> None:
    """Newton stops at a share of its first increment, which starts from nothing but round-off here: how far the two
    runs may part is measured by a run of the kernels at a speed that differs in the last digits."""
    analysis = {**IMPLICIT, "end": 0.004, "step": 4e-5}
    system, plain, fast = both_runs(flagship(), analysis)
    near = run(Model.from_tables({**flagship(speed=repr(150.0 * (1 + 1e-13))), "analysis": analysis}))[1]
    for path in ("coordinates/q", "coordinates/v", "coordinates/a"):
        channel = system.channel(path)
        columns = slice(channel.start, channel.start + channel.shape[0])
        difference, noise = (np.max(np.abs(other - plain)[:, columns]) for other in (fast, near))
        assert difference <= 10.0 * noise, path
    q = slice(system.channel("coordinates/q").start, system.channel("coordinates/q").start + system.n_q)
    assert np.max(np.abs(fast - plain)[:, q]) <= SAME


def test_other_systems_keep_their_kernels() -> None:
    model = Model.from_tables({**slider_crank({}), "analysis": {"type": "dynamic", **STEP}})
    fast, plain = prepare(model).system, prepare(model).system
    before = plain.ints.copy()
    assert use_turbo(model, fast).is_used
    assert np.array_equal(plain.ints, before)
    changed = np.flatnonzero(fast.ints != before)
    assert set(changed) == {OF_ALL_ROWS[slot] for slot in (L.AT_RESIDUAL, L.AT_SYSTEM, L.AT_JACOBIAN)}


def pendulum(**keys: Any) -> dict[str, Any]:
    rod = {"mass": 1.0, "inertia": [0.01, 0.1, 0.1], "center": [0.5, 0, 0], "markers": {"tip": {"at": [1, 0, 0]}}}
    pivot = {"type": "revolute", "bodies": ["ground", "rod"], "at": [0, 0, 0], "axis": "y"}
    model = {"name": "pendulum", "gravity": [0, 0, -9.81]}
    analysis = {"type": "dynamic", "end": 0.1, "step": 0.01}
    return {"model": model, "bodies": {"rod": rod}, "joints": {"pivot": pivot}, "analysis": analysis, **keys}


def chain(n: int) -> dict[str, Any]:
    data = pendulum()
    for k in range(1, n):
        data["bodies"][f"rod{k}"] = {**data["bodies"]["rod"], "at": [k, 0, 0]}
        pair = [f"rod{k - 1}" if k > 1 else "rod", f"rod{k}"]
        data["joints"][f"pivot{k}"] = {"type": "revolute", "bodies": pair, "at": [k, 0, 0], "axis": "y"}
    return data


BASE = {"rotation": {"axis": "z", "angle": "3*t"}}
TABLE = {"push": {"type": "force", "marker": "rod.tip", "vector": ["step(t, 0, 0, 1, 2)", 0, 0]}}


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (pendulum(base=BASE), "moving ground"),
        (pendulum(forces=TABLE), "step"),
        (chain(turbo.LARGEST + 1), f"{turbo.LARGEST + 1} moving bodies"),
    ],
)
def test_it_says_why_it_is_not_used(data: dict[str, Any], reason: str, tmp_path: Path) -> None:
    with fx.run_model(Model.from_tables(data), tmp_path / "out.h5", turbo=True) as result:
        assert result.outcome == "finished"
        lines = " ".join(result.report.split())
    assert "turbo not used:" in lines
    assert reason in lines


def test_columns_are_counted() -> None:
    """Partial velocities of a chain of n revolute joints: 1, 2, ... n; of a flexible arm with a ball: 3, then 6."""
    model = Model.from_tables(chain(4))
    assert turbo._columns(prepare(model).system) == 1 + 4 + 9 + 16
    data = {**soft_beam(), "analysis": {"type": "dynamic", **STEP}}
    assert turbo._columns(prepare(Model.from_tables(data)).system) == 9 + 36


def test_exact_fields_are_not_generated() -> None:
    model = fx.read_model(FLAGSHIP)
    system = prepare(model).system
    before = system.ints.copy()
    outcome = use_turbo(model, system)
    assert not outcome.is_used
    assert "order" in outcome.text
    assert np.array_equal(system.ints, before)


def test_code_that_disagrees_is_not_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import flexmb.symbolic.equations as symbolic

    other = Model.from_tables(pendulum(model={"name": "lighter", "gravity": [0, 0, -1.62]}))
    right = symbolic.equations_of
    monkeypatch.setenv("FLEXMB_CACHE", str(tmp_path))
    monkeypatch.setattr(symbolic, "equations_of", lambda model, **keys: right(other, **keys))
    model = Model.from_tables(pendulum())
    outcome = use_turbo(model, prepare(model).system)
    assert not outcome.is_used
    assert "disagrees" in outcome.text


@pytest.fixture
def own_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("FLEXMB_CACHE", str(tmp_path))
    return tmp_path / "flexmb" / "turbo"


needs_compiler = pytest.mark.skipif(turbo_library.find_compiler() is None, reason="no C compiler here")


@needs_compiler
def test_the_library_is_made_once(own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = Model.from_tables(pendulum())
    assert "generated in" in use_turbo(model, prepare(model).system).text
    (path,) = own_cache.iterdir()  # nothing else is left behind

    def refuse(*_: Any, **__: Any) -> Any:
        raise AssertionError("generated again")

    with monkeypatch.context() as patched:
        patched.setattr("flexmb.symbolic.equations.equations_of", refuse)
        assert "from the cache" in use_turbo(model, prepare(model).system).text
    heavier = Model.from_tables(pendulum(model={"name": "pendulum", "gravity": [0, 0, -9.82]}))
    assert "generated in" in use_turbo(heavier, prepare(heavier).system).text
    assert len(list(own_cache.iterdir())) == 2
    other = own_cache.parents[1] / "other" / "flexmb" / "turbo"
    other.mkdir(parents=True)
    (other / path.name).write_bytes(b"no library")  # damaged: made again
    monkeypatch.setenv("FLEXMB_CACHE", str(own_cache.parents[1] / "other"))
    assert "generated in" in use_turbo(model, prepare(model).system).text
    assert "from the cache" in use_turbo(model, prepare(model).system).text


@needs_compiler
def test_a_library_that_was_cut_off(own_cache: Path) -> None:
    """Half a library may load, and kill the process when it is called: its content is checked before."""
    model = Model.from_tables(pendulum(model={"name": "cut off", "gravity": [0, 0, -9.83]}))
    use_turbo(model, prepare(model).system)
    (path,) = own_cache.iterdir()
    content = path.read_bytes()
    for damaged in (b"", content[: len(content) // 2], content[:-1], bytes(len(content))):
        path.unlink()  # not in place: this process has mapped it
        path.write_bytes(damaged)
        with pytest.warns(CacheWarning, match="is damaged; it is compiled again"):
            assert "generated in" in use_turbo(model, prepare(model).system).text
        assert path.read_bytes() == content


@needs_compiler
def test_a_folder_that_others_can_write(own_cache: Path) -> None:
    own_cache.mkdir(parents=True)
    own_cache.chmod(0o777)
    model = Model.from_tables(pendulum(model={"name": "elsewhere", "gravity": [0, 0, -9.84]}))
    home = own_cache.parents[1] / "home"
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("HOME", str(home / "file"))
        patched.delenv("XDG_CACHE_HOME", raising=False)
        patched.delenv("NUMBA_CACHE_DIR", raising=False)
        home.mkdir()
        (home / "file").write_text("")  # below a file nothing can be created
        assert "generated in" in use_turbo(model, prepare(model).system).text
    assert not list(own_cache.iterdir())


def test_without_a_compiler_numba_does_it(own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("CC", raising=False)
    system, plain, fast = both_runs(pendulum(), {**IMPLICIT, "end": 0.1, "step": 0.01})
    assert_same(system, plain, fast)
    model = Model.from_tables(pendulum())
    again = use_turbo(model, prepare(model).system).text
    assert "numba (no C compiler was found), from the cache" in again


@needs_compiler
def test_a_compiler_that_fails(own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(command: list[str], **_: Any) -> Any:
        raise subprocess.CalledProcessError(1, command)

    monkeypatch.setattr(turbo_library.subprocess, "run", fail)
    model = Model.from_tables(pendulum())
    outcome = use_turbo(model, prepare(model).system)
    assert outcome.is_used
    assert "failed" in outcome.text


def test_names_of_the_model_stay_out_of_the_source() -> None:
    from flexmb.symbolic.code.addressed import INPUTS, OUTPUTS, code_of, source
    from flexmb.symbolic.equations import equations_of

    data = pendulum(sensors={"swing_angle": {"joint": "pivot"}})
    code = code_of(equations_of(Model.from_tables(data), named=True), ("residual", "system", "acceleration"))
    for language in ("c", "numba"):
        text = source(code, {name: 0 for name in (*INPUTS, *OUTPUTS)}, language, "flexmb_")
        assert text.isascii()
        assert not any(name in text for name in ("pivot", "rod", "swing", "pendulum"))


def test_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    from flexmb.cli import main

    monkeypatch.chdir(tmp_path)
    Path("pendulum.toml").write_text(Model.from_tables(pendulum()).text)
    assert main(["run", "pendulum.toml", "--turbo"]) == 0
    assert "fixed step 0.01 s, turbo: code of this model" in " ".join(capsys.readouterr().out.split())
    assert main(["run", "pendulum.toml", "-o", "plain.h5"]) == 0
    assert "turbo" not in capsys.readouterr().out
