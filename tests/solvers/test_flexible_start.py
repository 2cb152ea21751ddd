"""The start of flexible bodies: undeformed as a rigid mechanism, given, or quasi-static; in any coordinates.

Covers: solvers.compilation, solvers.quasi_static_start.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_bvp

from flexmb.analyses.check import check_model
from flexmb.analyses.preparation import Preparation, prepare
from flexmb.bodies.flexible_body import FlexibleBody
from flexmb.errors import ComputationError
from flexmb.solvers.mechanics import Mechanics
from tests.support.flexible_mechanisms import EI, WEIGHT, cantilever, slider_crank, spinning_beam
from tests.support.mechanisms import spec_of
from tests.support.runs import Run

COORDINATES: list[dict[str, Any]] = [{}, {"default": "absolute"}, {"absolute": ["rod"]}]


def prepared(data: dict[str, Any], **analysis: Any) -> tuple[Preparation, Mechanics]:
    """The start of a model, with its workspace."""
    spec = spec_of({**data, "analysis": {**data["analysis"], **analysis}})
    ready = prepare(SimpleNamespace(spec=spec))
    mechanics = Mechanics(ready.system, ready.work)
    mechanics.equations()
    return ready, mechanics


@pytest.mark.parametrize("coordinates", COORDINATES)
@pytest.mark.parametrize("frame", ["chord", "end"])
def test_default_is_the_rigid_mechanism(coordinates: dict[str, Any], frame: str) -> None:
    # The loop is closed far from the design position, which has the crank and the rod in line.
    data = slider_crank(frame=frame, shapes=4)
    del data["motions"], data["sensors"]["torque"]
    data["joints"]["bearing"] |= {"position": 0.7, "velocity": 150.0}
    ready, m = prepared({**data, "coordinates": coordinates})
    elastic = ready.system.elastic
    assert not m.v[elastic].any()
    assert ready.residual < 1e-13  # m; round-off of a mechanism of 0.45 m
    assert np.abs(m.phi_dot).max() < 1e-11  # m/s, rad/s; round-off of rates up to 150 rad/s
    rigid = {**data, "bodies": {**data["bodies"], "rod": {"mass": 0.0667, "rod": ["A", "B"]}}, "sensors": {}}
    runs = [Run(model, end=1e-4, step=1e-4) for model in ({**data, "coordinates": coordinates}, rigid)]
    for channel in ("joints/guide/position", "joints/guide/velocity", "bodies/rod/position", "bodies/rod/velocity"):
        bent, straight = (run[channel][0] for run in runs)
        assert bent == pytest.approx(straight, abs=1e-11)
    assert not runs[0]["bodies/rod/elastic_position"][0].any()


def test_bodies_bend_only_when_the_loop_cannot_close_otherwise() -> None:
    # The tip of the cantilever is held 5 mm above its place by a slide that the user has set.
    data = cantilever()
    data["bodies"]["slide"] = {"mass": 1.0, "inertia": [1e-3] * 3, "at": "B"}
    data["joints"]["rail"] = {"type": "prismatic", "bodies": ["ground", "slide"], "at": "B", "axis": "y"}
    data["joints"]["pin"] = {"type": "point-on-line", "bodies": ["slide", "beam"], "at": "B", "line": "x"}
    run = Run(data, end=1e-3)
    assert not run["bodies/beam/elastic_position"][0].any()
    data["joints"]["rail"]["position"] = 0.005
    ready, m = prepared(data)
    assert ready.residual < 1e-12
    run = Run(data, end=1e-3)
    assert run["sensors/tip"][0] == pytest.approx(0.005, abs=1e-9)
    beam = ready.system.mechanism.bodies[1]
    assert isinstance(beam, FlexibleBody) and beam.basis is not None
    q, EI = run["bodies/beam/elastic_position"][0], float(beam.basis.section_at(0.5).EIz)
    assert q @ beam.stiffness @ q == pytest.approx(3.0 * EI * 0.005**2, rel=1e-4)  # as a force at the tip bends it


def test_given_elastic_state_stays() -> None:
    position, velocity = [0.01, 0.002, 0.0, 0.0, -0.003, 0.0, 0.0, 0.0], [0.1, 0.0, 0.0, 0.0, 0.0, 0.2, 0.0, 0.0]
    run = Run(cantilever(shapes=4, elastic_position=position, elastic_velocity=velocity), end=1e-3)
    assert run["bodies/beam/elastic_position"][0] == pytest.approx(position, abs=0.0)
    assert run["bodies/beam/elastic_velocity"][0] == pytest.approx(velocity, abs=0.0)
    # In a loop the other coordinates follow.
    bow = [0.002, 0.0, 0.0, 0.001, 0.0, 0.0]
    run = Run(slider_crank(elastic_position=bow), end=1e-4)
    assert run["bodies/rod/elastic_position"][0] == pytest.approx(bow, abs=0.0)
    assert run["joints/guide/position"][0] < -1e-5  # the chord is shorter than the rod


@pytest.mark.parametrize("frame", ["start", "end", "chord", "mean"])
@pytest.mark.parametrize("field", [{"field": "exact"}, {"field": "quadratic"}, {"field": "linear"}])
def test_cantilever_starts_at_its_static_deflection(frame: str, field: dict[str, Any]) -> None:
    run = Run(cantilever(frame=frame, shapes={"bending": {"y": 4, "z": 2}}, **field), elastic_start="quasi-static")
    tip = run["sensors/tip"]
    # Four monomials hold the quartic exactly; the exact field differs by some (deflection / length)^2 = 3e-5.
    assert tip[0] == pytest.approx(-WEIGHT / (8.0 * EI), rel=1e-4)
    assert np.ptp(tip) < 1e-11  # m: no drift beyond the tolerance of Newton's method, 1e-13 of a length
    assert run.summary.energy_error < 1e-12  # J; the strain energy is 5e-3 J


def test_large_static_deflection() -> None:
    # The elastica under its own weight by a shooting method: EI theta'' = w (L - s) cos theta, free at s = L.
    length = 4.0

    def elastica(s: np.ndarray, y: np.ndarray) -> np.ndarray:
        return np.array([y[1], WEIGHT / EI * (length - s) * np.cos(y[0]), np.sin(y[0])])

    def ends(start: np.ndarray, end: np.ndarray) -> np.ndarray:
        return np.array([start[0], end[1], start[2]])

    s = np.linspace(0.0, length, 51)
    guess = np.array([-0.3 * s / length, 0.0 * s, -0.5 * s / length])
    tip = Run(cantilever(length, shapes={"bending": {"y": 6, "z": 2}}), elastic_start="quasi-static")["sensors/tip"]
    assert tip[0] == pytest.approx(solve_bvp(elastica, ends, s, guess, tol=1e-8).y[2, -1], rel=1e-4)
    assert tip[0] < -0.3 * length
    assert np.ptp(tip) < 1e-10


def test_clamped_beam_between_two_walls() -> None:
    # No rigid coordinate is left: stretch and the ends are held by the constraints on the elastic ones.
    data = cantilever(shapes={"bending": 4, "axial": 3}, frame="chord", markers={"mid": {"along": 0.5}})
    data["joints"]["other_wall"] = {"type": "fixed", "bodies": ["ground", "beam"], "at": "B"}
    data["sensors"] = {"mid": {"marker": "beam.mid", "component": "y"}}
    mid = Run(data, elastic_start="quasi-static")["sensors/mid"]
    assert mid[0] == pytest.approx(-WEIGHT / (384.0 * EI), rel=3e-4)  # some (deflection / height)^2: membrane force
    assert np.ptp(mid) < 1e-12


def test_spinning_beam_keeps_its_stretch() -> None:
    radius, speed, length = 0.1, 50.0, 1.0
    data = spinning_beam(radius, speed, shapes={"bending": 2, "axial": 3})
    reach = Run(data, elastic_start="quasi-static")["sensors/reach"] - radius - length
    # int (rho omega^2/E) (L - x)(a + (L + x)/2): a cubic, which three monomials hold; u itself adds 4e-5 of it.
    stretch = 7870.0 / 2.0e11 * speed**2 * (radius * length**2 / 2.0 + length**3 / 3.0)
    assert reach[0] == pytest.approx(stretch, rel=1e-4)
    assert np.ptp(reach) < 1e-12
    assert np.ptp(Run(data)["sensors/reach"]) > 1.5 * stretch  # it rings when it starts undeformed


def test_slider_crank_rings_much_less() -> None:
    from scipy.signal import butter, sosfiltfilt

    data = slider_crank()
    data["analysis"]["end"] = 0.042  # s, a turn
    high_pass = butter(6, 400.0, "high", fs=1.0 / 5e-5, output="sos")  # Hz: the second and third modes, 528 and 1188
    rough, smooth = (Run(data, elastic_start=start) for start in ("undeformed", "quasi-static"))
    rings = [sosfiltfilt(high_pass, run["sensors/torque"])[80:-80].std() for run in (rough, smooth)]
    assert rings[0] > 0.1  # N m, of a torque up to 9
    assert rings[1] < 0.01 * rings[0]  # measured: 1/330
    # The bow that the rod has in the slow motion: the same with the crank at a third of the speed, by its square.
    slow = slider_crank()
    slow["motions"]["drive"]["rate"] = 50.0
    bow = Run(slow, elastic_start="quasi-static")["sensors/mid"][0, 2]
    assert smooth["sensors/mid"][0, 2] == pytest.approx(9.0 * bow, rel=0.15)


def test_quasi_static_start_is_the_same_in_all_coordinates_and_frames() -> None:
    found = []
    for frame in ("start", "chord", "mean"):
        for coordinates in COORDINATES:
            data = {**slider_crank(frame=frame, shapes=4), "coordinates": coordinates}
            run = Run(data, elastic_start="quasi-static", end=1e-3)
            found.append([*run["sensors/mid"][0], *run["bodies/slider/velocity"][0], *run["sensors/torque"][:10:3]])
    # Same shapes in another frame: the quadratic terms of the frames differ by some 1e-4 of the bow. The torque also
    # has the error of the step, of which each choice of coordinates has its own.
    assert np.ptp(np.array(found)[:, :6], axis=0).max() < 1e-6
    assert np.ptp(np.array(found)[:, 6:], axis=0).max() < 1e-3  # N m, of 0.6


def test_rates_of_the_quasi_static_start_follow_the_load() -> None:
    # A slow load on a beam at rest: the tip moves with it from the first step on.
    data = cantilever(shapes={"bending": {"y": 3, "z": 0}})
    data["model"]["gravity"] = [0, 0, 0]
    data["forces"] = {"pull": {"type": "force", "marker": "beam.end", "vector": ["0", "1 + 2*t", "0"]}}
    run = Run(data, elastic_start="quasi-static")
    stiffness = 3.0 * EI
    assert run["sensors/tip"] == pytest.approx((1.0 + 2.0 * run["time"]) / stiffness, rel=1e-5)


def test_a_start_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ComputationError, match=r"No quasi-static start.*'beam\..*elastic_start = \"undeformed\""):
        prepared(cantilever(length=20.0), elastic_start="quasi-static")
    data = slider_crank()
    data["motions"]["drive"]["rate"] = 1500.0
    with pytest.raises(ComputationError, match=r"rate of elastic coordinate 'rod\..*too fast"):
        prepared(data, elastic_start="quasi-static")


def test_check_shows_the_quasi_static_start() -> None:
    data = cantilever(shapes={"bending": {"y": 2, "z": 0}})
    data["analysis"]["elastic_start"] = "quasi-static"
    text = check_model(SimpleNamespace(spec=spec_of(data)))
    positions = [float(line.split()[1]) for line in text.splitlines() if line.strip().startswith("beam.y")]
    # Two monomials x^2, x^3: tip by the work of the load, w L^4/(8 EI) too, since they hold every end load and moment.
    assert sum(positions) == pytest.approx(-WEIGHT / (8.0 * EI), rel=1e-3)
