"""Small and large systems in natural coordinates go the same way: full or sparse matrices, tangents of forces by
differences or by formulas; works of order 4 from the first step on; positions and momenta from a model file.

Covers: natural.saddle, natural.tangents.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from flexmb.analyses.run import run_model
from flexmb.errors import InputError
from flexmb.model.model import Model
from flexmb.natural import packing, saddle
from flexmb.natural.choice import choose
from flexmb.natural.layout import Layout
from flexmb.natural.model_loads import ModelLoads
from flexmb.natural.tangents import StiffForces
from flexmb.system.placement import place
from tests.support.mechanisms import spec_of
from tests.support.natural_models import ABSOLUTE, FINE, NATURAL, NaturalRun, assert_same_motion, example, interrupted
from tests.support.runs import Run

CANONICAL = {"method": "rk4", "formulation": "canonical"}


def sprung_chain() -> dict[str, Any]:
    """Four bars on hinges with stiff springs and dampers, friction, a tabled spring and one to the ground."""
    bar = {"mass": 1.0, "inertia": [0.01, 1.0 / 12.0, 1.0 / 12.0], "center": [0.5, 0, 0]}
    bodies: dict[str, Any] = {f"b{k}": {**bar, "at": [k, 0, 0]} for k in range(4)}
    bodies["b2"]["markers"] = {"hook": {"at": [0.5, 0.1, 0]}}
    joints = {
        f"j{k}": {
            "type": "revolute", "bodies": [f"b{k - 1}" if k else "ground", f"b{k}"], "at": [k, 0, 0], "axis": "z",
            "position": 0.2 * (-1) ** k,
        }
        for k in range(4)
    }  # fmt: skip
    springs = {
        f"s{k}": {"type": "joint-spring", "joint": f"j{k}", "stiffness": 3e4, "damping": 30.0, "rest": 0.2 * (-1) ** k}
        for k in (1, 2)
    }
    table = {"type": "joint-spring", "joint": "j3", "table": [[-1, -2e4], [0, 0], [1, 5e4]], "rest": -0.2}
    forces = {
        **springs,
        "table": {**table, "damping": 5.0},
        "rub": {"type": "friction", "joint": "j0", "viscous": 300.0, "coulomb": 5.0, "transition": 0.1},
        "rope": {"type": "spring-damper", "markers": ["ground.wall", "b2.hook"], "stiffness": 1e5, "length": 2.6217},
    }
    forces["rope"]["damping"] = 1e3
    markers = {"wall": {"at": [2.5, 3.0, 0.3]}}
    model = {"name": "chain", "gravity": [0, -9.81, 0]}
    parts = {"bodies": bodies, "joints": joints, "forces": forces, "markers": markers}
    return {"model": model, **parts, "output": {"every": 0.02}}


def test_full_and_sparse_matrices_give_the_same_motion(monkeypatch: pytest.MonkeyPatch) -> None:
    data = {**example("02_planar_slider_crank"), "output": {"every": 0.01}}
    for settings in ({}, {"method": "rk4"}, CANONICAL):
        monkeypatch.setattr(saddle, "MOST_FULL", 140)
        full = NaturalRun(data, step=1e-3, end=0.05, **settings)
        monkeypatch.setattr(saddle, "MOST_FULL", 0)
        sparse = NaturalRun(data, step=1e-3, end=0.05, **settings)
        assert_same_motion(sparse, full, 1e-12, 1e-10)  # round-off of fifty steps


def test_tangents_of_coupled_coordinates_are_those_of_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """By differences in all coordinates, and in groups of coordinates that nothing couples."""
    runs = []
    for most in (400, 0):
        monkeypatch.setattr(packing, "MOST_COUPLED", most)
        runs.append(NaturalRun(sprung_chain(), step=0.01, end=0.1))
        assert runs[-1].summary.rejected == 0
    # Velocities are put on the constraints in the metric of this matrix, which differences have to 1e-7.
    assert_same_motion(runs[1], runs[0], 1e-9, 1e-5)
    want = Run({**sprung_chain(), "coordinates": ABSOLUTE}, step=1e-3, end=0.1)
    # Order 2 of steps ten times as long.
    np.testing.assert_allclose(runs[1]["joints/j0/position"], want["joints/j0/position"], atol=1e-3)


def test_sparse_tangents_are_the_derivatives_of_the_forces() -> None:
    """Against central differences in every coordinate and every rate, at a place and rates without any symmetry."""
    spec = spec_of({**sprung_chain(), "analysis": {"end": 1.0, "step": 0.1}})
    choice = choose(place(spec))
    loads = ModelLoads.of(spec, choice)
    layout = Layout.of(choice.bodies, len(choice.points), len(choice.vectors), len(loads.keys))
    random = np.random.default_rng(3)
    x, v = random.normal(size=(2, layout.n_coordinates))
    stiff = [one for one in loads.forces(layout) if isinstance(one, StiffForces)]
    assert len(stiff) == 2
    for one in stiff:
        found = np.zeros((x.size, x.size))
        np.add.at(found, one.tangent_places(), one.tangent(x, v, 0.3))
        want, step = np.zeros_like(found), 1e-6
        for k, unit in enumerate(np.eye(x.size)):
            e = step * unit
            want[:, k] = (one.force(x + e, v, 0.0) - one.force(x - e, v, 0.0)) / (2.0 * step)
            want[:, k] += 0.3 * (one.force(x, v + e, 0.0) - one.force(x, v - e, 0.0)) / (2.0 * step)
        # Forces of 1e5 with 1e-16 of them over a step of 1e-6, and a third derivative of 1e5 times its square.
        np.testing.assert_allclose(found, want, rtol=0, atol=1e-4 + 1e-8 * float(np.max(np.abs(want))))


def test_works_have_order_four_from_the_first_step_on() -> None:
    """Torque times angle is the work of a constant motor, whatever the step."""
    data = example("02_planar_slider_crank")
    errors = []
    for step in (2e-3, 1e-3):
        found = NaturalRun({**data, "output": {"every": step}}, method="rk4", step=step, end=0.04)
        work = 0.05 * (found["joints/bearing/position"] - found["joints/bearing/position"][0])
        errors.append(np.abs(found["energy/work/motor"] - work).ravel())
    assert np.log2(np.max(errors[0]) / np.max(errors[1])) > 3.5
    assert errors[1][1] < 1e-12  # Simpson over one step, of 1e-4 J


def test_positions_and_momenta_from_a_model_file(tmp_path: Path) -> None:
    data = {**example("02_planar_slider_crank"), "output": {"every": 0.02}}
    found = NaturalRun(data, step=1e-3, end=0.1, **CANONICAL)
    assert_same_motion(found, Run(data, **FINE, end=0.1))
    part, checkpoint = interrupted(data, 60, step=1e-3, end=0.1, **CANONICAL)
    rest = NaturalRun(data, resume=checkpoint, step=1e-3, end=0.1, **CANONICAL)
    assert np.array_equal(np.vstack([part, rest.rows]), found.rows)
    tables = {**data, "coordinates": NATURAL, "analysis": {"end": 0.02, "step": 1e-3, **CANONICAL}}
    with run_model(Model.from_tables(tables), tmp_path / "canonical.h5") as result:
        assert "rk4, canonical, fixed step" in result.report


@pytest.mark.parametrize(
    ("coordinates", "analysis", "words"),
    [
        ({}, {"method": "rk4"}, ["natural coordinates"]),
        (NATURAL, {}, ["need rk4"]),
        (ABSOLUTE, {"method": "hht"}, ["natural coordinates", "need rk4"]),
    ],
)
def test_positions_and_momenta_are_refused_elsewhere(
    coordinates: dict[str, Any], analysis: dict[str, Any], words: list[str]
) -> None:
    data = example("02_planar_slider_crank")
    data |= {"coordinates": coordinates, "analysis": {"end": 1.0, "step": 1e-3, "formulation": "canonical", **analysis}}
    with pytest.raises(InputError) as caught:
        spec_of(data)
    assert all(word in str(caught.value) for word in words)


def test_a_misspelt_formulation_is_guessed() -> None:
    data = example("02_planar_slider_crank")
    data["analysis"] = {"end": 1.0, "step": 1e-3, "formulation": "embeding"}
    with pytest.raises(InputError, match="Did you mean 'embedding'"):
        spec_of(data)
