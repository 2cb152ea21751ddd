"""Warnings are data: what the report prints is what the result file stores, with code, place, time and number.

Covers: results.spectrum.
"""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from flexmb.analyses.check import examine_model
from flexmb.analyses.run import run_model
from flexmb.model.model import Model
from flexmb.reports.warnings import NOTHING_SEEN, energy_error_time, equilibrium_warnings, run_warnings, turn_time
from flexmb.results.result_file import Result
from flexmb.results.spectrum import amplitudes, ringing
from flexmb.solvers.statics import Equilibrium
from flexmb.solvers.summary import NaturalSummary, QuasiStaticSummary, RunSummary, StaticSummary
from flexmb.system.placement import place
from flexmb.warning import WarningRecord
from tests.support.made_results import made_result

NUMBERS: dict[str, Any] = {
    "outcome": "finished", "method": "hht", "steps": 10, "rejected": 0, "newton_iterations": 20, "factorisations": 1,
    "largest_constraint_error": 1e-12, "energy_error": 0.0, "peak_energy": 1.0, "wall_time": 1.0, "t_reached": 1.0,
}  # fmt: skip
BALANCED = Equilibrium(3, 1e-12, 1e-15, 1, 4.0, ("'pin.angle'",), True, True)


def rotor(step: float, **tables: Any) -> Model:
    """A rotor with unequal inertias, 100 rad/s."""
    return Model.from_tables(
        {
            **tables,
            "model": {"name": "rotor"},
            "bodies": {"rotor": {"mass": 1.0, "inertia": [0.1, 0.2, 0.25], "at": [0, 0, 0]}},
            "joints": {
                "pin": {
                    "type": "revolute",
                    "bodies": ["ground", "rotor"],
                    "at": [0, 0, 0],
                    "axis": "z",
                    "velocity": 100,
                }
            },
            "analysis": {"end": 0.5, "step": step},
        }
    )


def collected(summary: RunSummary | None, **options: Any) -> list[WarningRecord]:
    drive = {"drive": {"joint": "pin", "rate": 100.0}}
    spec = rotor(0.01, motions=drive).spec.model_copy(update={"analysis": None})
    system = SimpleNamespace(mechanism=place(spec), length_scale=options.pop("length", 1.0))
    return list(run_warnings(system, spec, summary, **options))


def test_a_warning_is_in_the_report_the_file_and_the_result(tmp_path: Path) -> None:
    with run_model(rotor(0.01), tmp_path / "a.h5") as result:
        (found,) = result.warnings
        assert (found.code, found.place, found.unit) == ("large-turn", "bodies.rotor", "rad")
        assert found.value == pytest.approx(1.0) and 0.0 < found.time <= 0.5
        assert found.text in " ".join(result.report.split()).replace("WARNING ", "")
    with run_model(rotor(0.001), tmp_path / "a.h5") as result:
        assert result.warnings == () and "WARNING" not in result.report


def test_warnings_of_the_preparation_and_of_the_solver_are_carried() -> None:
    before = WarningRecord("nearly-redundant", "rows nearly repeat each other.", "joints.a", None, 1e-9, "rad")
    during = WarningRecord("rows-changed", "rows were chosen again.", "joints.b", 0.5)
    summary = RunSummary(**NUMBERS, warnings=(during,))
    assert collected(summary, prepared=(before,)) == [before, during]
    assert collected(None, prepared=(before,)) == [before], "a run that failed before it started"


@pytest.mark.parametrize(
    ("summary", "code", "value", "unit"),
    [
        (RunSummary(**NUMBERS | {"energy_error": 0.02}), "energy-balance", 0.02, "1"),
        (RunSummary(**NUMBERS | {"energy_error": np.nan}), "energy-balance", np.nan, "1"),
        (RunSummary(**NUMBERS | {"largest_constraint_error": 1e-3}), "constraint-error", 1e-3, "m, rad"),
        (RunSummary(**NUMBERS | {"largest_constraint_error": np.nan}), "constraint-error", np.nan, "m, rad"),
        (RunSummary(**NUMBERS, largest_turn=0.6, turning_body="top"), "large-turn", 0.6, "rad"),
        (QuasiStaticSummary(**NUMBERS, left_out=0.3), "vibration-left-out", 0.3, "1"),
        (
            NaturalSummary(**NUMBERS, n_natural=3, n_natural_rows=1, balance_gap=1e-3),
            "natural-balance",
            1e-3,
            "1",
        ),
    ],
)
def test_numbers_that_are_poor_give_a_warning(summary: RunSummary, code: str, value: float, unit: str) -> None:
    (found,) = collected(summary)
    assert (found.code, found.unit) == (code, unit)
    np.testing.assert_equal(found.value, value)
    assert found.place and found.text.endswith(".")


def test_good_numbers_give_none() -> None:
    summary = StaticSummary(**NUMBERS, equilibrium=BALANCED)
    assert collected(RunSummary(**NUMBERS)) == collected(summary) == collected(None) == []


def test_the_limit_of_the_constraint_error_is_a_part_of_the_size_of_a_small_mechanism() -> None:
    summary = RunSummary(**NUMBERS | {"largest_constraint_error": 1e-9})
    assert collected(summary) == []
    (found,) = collected(summary, length=1e-5)
    assert found.code == "constraint-error"


def test_an_unstable_equilibrium_gives_a_warning_with_its_motion() -> None:
    found = Equilibrium(3, 1e-12, 1e-15, 1, -4.0, ("'pin.angle'",), False, True)
    (static,) = collected(StaticSummary(**NUMBERS, equilibrium=found))
    (start,) = collected(RunSummary(**NUMBERS), balance=found)
    assert static.code == start.code == "unstable-equilibrium" and static.place == "coordinates.pin.angle"
    assert (
        static.value == 2.0
        and "a disturbance of pin.angle grows by exp(2 t)" in static.text
        and "static start" in start.text
    )
    rough = Equilibrium(3, 1e-3, 1e-15, 1, 4.0, (), True, True)
    assert [one.code for one in equilibrium_warnings(rough, "the equilibrium")] == ["unbalanced-force"]


def test_ill_determined_reactions_name_joints_and_motions() -> None:
    seen = SimpleNamespace(**vars(NOTHING_SEEN) | {"ill_determined": {"pin": ("fx", "my"), "drive": ("effort",)}})
    (found,) = collected(RunSummary(**NUMBERS), seen=seen)
    assert (found.place, found.value) == ("joints.pin, motions.drive", 3.0) and "pin (fx, my)" in found.text


def test_a_check_gives_the_warnings_of_its_report() -> None:
    tables = {
        "model": {"name": "stub"},
        "materials": {"steel": {"E": 2.1e11, "nu": 0.3, "density": 7850}},
        "sections": {"bar": {"type": "rectangle", "y": 0.1, "z": 0.1}},
        "bodies": {
            "stub": {
                "beam": [[0, 0, 0], [0.5, 0, 0]],
                "y_axis": "y",
                "material": "steel",
                "section": "bar",
                "shapes": 2,
            }
        },
        "joints": {"clamp": {"type": "fixed", "markers": ["ground", "stub.start"]}},
    }
    found = examine_model(Model.from_tables(tables))
    (warning,) = found.warnings
    assert (warning.code, warning.place, warning.time) == ("stocky-beam", "bodies.stub", None)
    assert warning.value == pytest.approx(0.5 / (0.1 / 12**0.5)) and "WARNING" in found.report


def energies(path: Path) -> Result:
    """Energy that is off most at t = 0.7 s; a body that turns fastest at t = 0.3 s."""
    time = np.linspace(0.0, 1.0, 101)
    bump = np.exp(-(((time - 0.7) / 0.1) ** 2))
    spin = np.exp(-(((time - 0.3) / 0.1) ** 2))
    series = {
        "time": ("s", time),
        "energy/kinetic": ("J", 5.0 + np.sin(time) - bump),
        "energy/potential": ("J", 1.0 - np.sin(time)),
        "energy/work/total": ("J", 0.0 * time),
        "bodies/top/angular_velocity": ("rad/s", np.outer(spin, [0.0, 0.0, 100.0])),
        "solver/step": ("s", np.full(101, 0.01)),
    }
    return made_result(path, series)


def test_times_of_the_largest_errors(tmp_path: Path) -> None:
    with energies(tmp_path / "a.h5") as result:
        assert energy_error_time(result) == pytest.approx(0.7)
        assert turn_time(result, "top") == pytest.approx(0.3) and turn_time(result, "none") is None


def test_ringing_is_found_with_its_frequency_and_place(tmp_path: Path) -> None:
    time = np.linspace(0.0, 1.0, 1001)
    quick = 3.0 * np.sin(2.0 * np.pi * 300.0 * time) * np.exp(-(((time - 0.4) / 0.3) ** 2))
    pair = {"a": 10.0 + quick, "b": 1.0 + 0.0 * time}
    series = {f"joints/{name}/force": ("N", np.outer(force, [0.6, 0.8, 0.0])) for name, force in pair.items()}
    with made_result(tmp_path / "a.h5", {"time": ("s", time), **series}) as result:
        found = ringing(result)
        assert found is not None and found.place == "joints.a" and found == ringing(result, ["joints/a/force"])
        assert found.frequency == pytest.approx(300.0, rel=0.01) and found.rows == pytest.approx(1001 / 300, rel=0.01)
        assert found.time == pytest.approx(0.4, abs=0.05)
        assert ringing(result, ["joints/b/force"]) is None
    noise = {"time": ("s", time), "motions/drive/effort": ("N*m", 1e-12 * quick)}
    with made_result(tmp_path / "b.h5", noise) as result:
        assert ringing(result).place == "motions.drive"
        assert ringing(result, energy=1.0) is None, "round-off of a mechanism with an energy of 1 J"
    frequency, size = amplitudes(time, 2.0 * np.cos(2.0 * np.pi * 50.0 * time))
    assert frequency[np.argmax(size)] == pytest.approx(50.0, abs=0.3) and size.max() == pytest.approx(2.0, rel=0.01)
