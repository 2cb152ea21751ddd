"""Errors arrive whole in another process: with every fault, the file, and the summary of the run."""

from __future__ import annotations

import importlib
import pickle
import pkgutil
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pytest

import flexmb
from flexmb.analyses.run import run_model
from flexmb.errors import CarriedError, ComputationError, Fault, InputError
from flexmb.model.expressions.tokens import TextError
from flexmb.model.model_file import ModelFileError, format_faults, read_model
from flexmb.natural.failure import StepFailure
from flexmb.reduction.sparse.elimination import NotPositiveDefinite
from flexmb.results.result_file import Result
from flexmb.system.build import build_system

PENDULUM = """
[model]
name = "pendulum"
gravity = [0, 0, -9.81]
[bodies.bob]
mass = 1
inertia = [1, 1, 1]
[joints.pin]
type = "revolute"
bodies = ["ground", "bob"]
at = [0.5, 0, 0]
axis = "y"
[forces.wild]
type = "actuator"
joint = "pin"
effort = "sqrt(0.05 - t)"
[analysis]
end = 0.1
step = 1e-3
"""
FAULTY = """
[bodies.bob]
mass = -1
inertia = [1, 1, 1]
colour = 3
[joints.pin]
type = "revolute"
bodies = ["ground", "bub"]
"""

RAISED = [
    InputError([Fault("no such marker", ("joints", "a", 0), "Did you mean 'tip'?"), Fault("and another")]),
    InputError("one text"),
    ModelFileError([Fault("wrong", ("bodies",))], "model.toml", "[bodies]\n"),
    ComputationError("it failed", {"t_reached": 0.5}),
    StepFailure("does not converge", "slow", np.arange(3.0)),
    NotPositiveDefinite(7, np.array([0.1, 0.2, 0.3])),
    TextError("unexpected sign", "1 + * 2", 4, "Remove it."),
]


def fields(error: Exception) -> dict[str, object]:
    return {name: value.tolist() if isinstance(value, np.ndarray) else value for name, value in vars(error).items()}


@pytest.mark.parametrize("error", RAISED, ids=lambda error: type(error).__name__)
def test_errors_survive_pickling(error: Exception) -> None:
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error) and str(again) == str(error) and again.args == error.args
    assert fields(again) == fields(error)


def test_every_error_with_fields_of_its_own_is_carried() -> None:
    """An exception class with an own constructor that is not carried would break a process pool."""
    for module in pkgutil.walk_packages(flexmb.__path__, "flexmb."):
        if module.name.endswith("__main__"):
            continue
        for name, kind in vars(importlib.import_module(module.name)).items():
            if isinstance(kind, type) and issubclass(kind, Exception) and kind.__module__.startswith("flexmb"):
                assert issubclass(kind, CarriedError) or "__init__" not in vars(kind), f"{module.name}.{name}"


def test_a_system_says_that_it_stays_in_its_process(tmp_path: Path) -> None:
    """It would be called at addresses that do not exist elsewhere."""
    (tmp_path / "good.toml").write_text(PENDULUM)
    model = read_model(tmp_path / "good.toml")
    with pytest.raises(TypeError, match="Send the Model instead"):
        pickle.dumps(build_system(model.spec))
    assert pickle.loads(pickle.dumps(model)).to_toml() == model.to_toml()


def run_file(model: Path, output: Path) -> Result:
    return run_model(read_model(model), output)


def test_errors_and_results_come_back_from_a_process_pool(tmp_path: Path) -> None:
    files = {"faulty": FAULTY, "wild": PENDULUM, "good": PENDULUM.replace("sqrt(0.05 - t)", "0")}
    for name, text in files.items():
        (tmp_path / f"{name}.toml").write_text(text)
    with pytest.raises(InputError) as caught:
        read_model(tmp_path / "faulty.toml")
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        futures = {name: pool.submit(run_file, tmp_path / f"{name}.toml", tmp_path / f"{name}.h5") for name in files}
        error = futures["faulty"].exception()
        assert isinstance(error, ModelFileError) and len(error.faults) >= 3
        assert error.faults == caught.value.faults and format_faults(error) == format_faults(caught.value)
        failed = futures["wild"].exception()
        assert isinstance(failed, ComputationError) and "'wild'" in str(failed)
        assert failed.summary.t_reached == pytest.approx(0.05, abs=2e-3) and failed.summary.outcome == "failed"
        with futures["good"].result() as result:
            assert result.outcome == "finished" and result.time[-1] == pytest.approx(0.1)
