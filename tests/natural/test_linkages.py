"""Planar and spatial linkages in natural coordinates: against flexmb's own core and a reference."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import flexmb as fx
from flexmb.natural.body import BodyPoint, BodyVector, NaturalBody
from flexmb.natural.forces import ConcentratedForces, torque_on
from flexmb.natural.integration import integrate
from flexmb.natural.mixed import Angle, AngleRows
from flexmb.natural.system import NaturalMechanism, NaturalSystem
from flexmb.verification import DATA
from tests.support.natural_joints import point_on_line, universal
from tests.support.natural_linkages import FOUR_BAR, LINKS, compatible, falling, four_bar

FOURTH_ORDER = ("runge-kutta", "independent", "canonical")
CORE = {"method": "rk45", "formulation": "embedding", "tolerance": 1e-11}
"""How the core integrates: in independent joint coordinates, errors of some 1e-10."""


def core_positions(model: fx.Model, marks: dict[str, str], end: float, path: Path, **how: Any) -> np.ndarray:
    """(k, 3 n): places of markers over time by the core."""
    for name, marker in marks.items():
        for component in "xyz":
            model.sensor(f"{name}_{component}", marker=marker, component=component)
    model.analysis(end=end, **{**CORE, **how})
    model.output(every=end / 5)
    result = fx.run_model(model, path)
    return np.column_stack([result[f"sensors/{name}_{component}"] for name in marks for component in "xyz"])


def agree_with_core(
    system: NaturalSystem, velocities: np.ndarray, points: list[int], core: np.ndarray, end: float, step: float
) -> None:
    """All roads give the positions of the core to 1e-8, keep the energy and stay on the constraints.

    Generalised-alpha is of order 2 (errors of 1e-6 at 1 ms): the extrapolation from two smaller steps is compared.
    """
    dimension = system.layout.dimension
    columns = np.concatenate([system.layout.point_columns(point) for point in points])
    expected = core.reshape(len(core), -1, 3)[:, :, :dimension].reshape(len(core), -1)

    def run(method: str, h: float) -> np.ndarray:
        motion = integrate(system, end, h, velocities, method=method, every=round(end / 5 / h))
        assert max(motion.drift.max(), motion.velocity_drift.max()) < 1e-13, method
        share = 1e-7 if method in FOURTH_ORDER else 1e-4
        assert np.ptp(motion.energy) < share * np.max(np.abs(motion.kinetic)), method
        return motion.x[:, columns]

    for method in FOURTH_ORDER:
        np.testing.assert_allclose(run(method, step), expected, atol=1e-8, err_msg=method)
    coarse, fine = run("generalized-alpha", step / 4), run("generalized-alpha", step / 8)
    np.testing.assert_allclose((4 * fine - coarse) / 3, expected, atol=1e-8)


@pytest.mark.parametrize("dimension", [2, 3])
def test_four_bar_against_core(dimension: int, tmp_path: Path) -> None:
    """In the plane, and in space with a common axis vector (mass matrices that vary, rows that follow from others)."""
    model = fx.Model("four-bar", gravity=(0, -9.81, 0))
    for name, (mass, moment, center) in LINKS.items():
        model.rigid(name, mass=mass, inertia=(1e-3, 1e-3, moment), center=center)
    O, A, B, C = (tuple(point) for point in FOUR_BAR.tolist())
    tips = {"A": model.marker("coupler", "A", at=A), "B": model.marker("coupler", "B", at=B)}
    model.revolute("bearing", model.ground, "crank", at=O, axis="z", velocity=3)
    model.revolute("first", "crank", "coupler", at=A, axis="z")
    model.revolute("second", "coupler", "rocker", at=B, axis="z")
    model.revolute("last", "rocker", model.ground, at=C, axis="z", tree=False)
    end = 0.4 if dimension == 2 else 0.1
    core = core_positions(model, tips, end, tmp_path / "run.h5", independent=["bearing.angle"])
    system, velocities = four_bar(dimension)
    agree_with_core(system, velocities, [1, 2], core, end, 2e-3)


def test_spatial_slider_crank_against_core(tmp_path: Path) -> None:
    """Crank about x, rod on a spherical joint and a universal joint, slider along x beside the crank's axis."""
    O, A, B = np.array([0, 0, 0.1]), np.array([0, 0.1, 0.25]), np.array([1.0, 0.3, 0])
    pin = np.cross((0, 0, 1), B - A)
    pin /= np.linalg.norm(pin)
    inertias = {"crank": np.diag([0.004, 0.003, 0.002]), "rod": np.diag([0.01, 0.09, 0.08])}
    centers = {"crank": np.array([0.02, 0.05, 0.2]), "rod": 0.5 * (A + B) + (0, 0, 0.05)}
    model = fx.Model("slider-crank", gravity=(0, 0, -9.81))
    for name, mass in (("crank", 0.5), ("rod", 0.8)):
        model.rigid(name, mass=mass, inertia=inertias[name].tolist(), center=centers[name].tolist())
    model.rigid("slider", mass=0.6, inertia=(0.001, 0.001, 0.001), center=B.tolist())
    marks = {"A": model.marker("rod", "A", at=A.tolist()), "B": model.marker("rod", "B", at=B.tolist())}
    model.revolute("bearing", model.ground, "crank", at=O.tolist(), axis="x", velocity=6)
    model.prismatic("guide", model.ground, "slider", at=B.tolist(), axis="x")
    model.universal("cross", "slider", "rod", at=B.tolist(), axes=[[0, 0, 1], pin.tolist()])
    model.spherical("ball", "crank", "rod", at=A.tolist(), tree=False)
    end = 0.2
    core = core_positions(model, marks, end, tmp_path / "run.h5", independent=["bearing.angle"])

    along, pinned = BodyVector(0, (1, 0, 0)), BodyVector(3, pin)
    crank = NaturalBody("crank", 0.5, centers["crank"], inertias["crank"], (BodyPoint(0, O), BodyPoint(1, A)), (along,))
    rod = NaturalBody("rod", 0.8, centers["rod"], inertias["rod"], (BodyPoint(1, A), BodyPoint(2, B)), (pinned,))
    slider = NaturalBody("slider", 0.6, B, np.zeros((3, 3)), (BodyPoint(2, B),))
    bodies = [crank, rod, slider]
    vectors = np.vstack((np.eye(3), pin))
    mechanism = NaturalMechanism(bodies, np.array([O, A, B]), vectors, fixed_points=[0], fixed_vectors=[0, 1, 2])
    joints = (point_on_line(mechanism, 0, (0, 2), (1, 2)), universal(mechanism, (2, 3)))
    system = falling(bodies, mechanism, (0, 0, -9.81), joints)
    assert system.n - system.m == 1
    speed = np.cross((6, 0, 0), A - O)
    velocities = compatible(system, {int(system.layout.point_columns(1)[1]): speed[1]})
    agree_with_core(system, velocities, [1, 2], core, end, 2e-3)


def test_planar_slider_crank_reference() -> None:
    """Crank and rod under a torque, the pin of the rod on a line: angles with turns, slide and energy of the reference.

    More than a turn of the crank in 0.8 s. The file has nine digits; order 4 at rates of 20 rad/s and 1 ms: some
    (0.02)^4 / 120 * 20 = 3e-8 a second.
    """
    reference = np.loadtxt(DATA / "planar_slider_crank.csv", delimiter=",")[:41:8]
    crank, rod, start = 0.15, 0.35, 0.3
    A = crank * np.array([np.cos(start), np.sin(start)])
    B = np.array([A[0] + np.sqrt(rod**2 - A[1] ** 2), 0.0])

    def link(name: str, mass: float, length: float, first: int, second: int) -> NaturalBody:
        ends = (BodyPoint(first, (0, 0)), BodyPoint(second, (length, 0)))
        return NaturalBody(name, mass, (length / 2, 0), mass * length**2 / 12, ends)

    bodies = [link("crank", 0.3, crank, 0, 1), link("rod", 0.5, rod, 1, 2)]
    vectors = np.eye(2)
    mechanism = NaturalMechanism(bodies, np.array([(0, 0), A, B]), vectors, np.array([start]), [0], [0, 1])
    system = NaturalSystem(
        mechanism,
        [lambda builder, layout: builder.dot(layout.point(2), layout.vector(1)) and None],
        lambda layout: [ConcentratedForces(layout, torques=[torque_on(bodies[0], (0.05,), layout)])],
        lambda layout: [AngleRows([Angle(layout.vector(0), layout.point(1), 0)], layout)],
    )
    velocities = compatible(system, {int(system.layout.scalar_column(0)): 10.0})
    motion = integrate(system, 0.8, 1e-3, velocities, method="runge-kutta", every=160)
    np.testing.assert_allclose(motion.times, reference[:, 0], atol=1e-12)
    np.testing.assert_allclose(motion.x[:, -1], reference[:, 1], atol=2e-8)
    np.testing.assert_allclose(motion.x[:, 4], reference[:, 3], atol=1e-8)
    np.testing.assert_allclose(motion.kinetic, reference[:, 7], rtol=1e-7)
    # the energy comes from the work of the torque
    np.testing.assert_allclose(motion.kinetic - motion.kinetic[0], 0.05 * (motion.x[:, -1] - start), atol=1e-8)
    assert motion.x[-1, -1] > 2 * np.pi
