"""The oracle of the campaign of random mechanisms, against closed solutions and published numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.linalg import eigh
from scipy.special import ellipj, ellipk

from flexmb.verification.running import table
from tests.campaigns.mechanism_families import FAMILIES
from tests.campaigns.mechanism_sketch import Sketch
from tests.campaigns.oracle.beam import Beam
from tests.campaigns.oracle.description import describe
from tests.campaigns.oracle.machine import Machine
from tests.campaigns.oracle.motion import Sample, integrate, reactions
from tests.support.places import ROOT

G = 9.81
EYE = np.eye(3).tolist()


def about_z(angle: float) -> Any:
    """Rotation matrix about z."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def marker(at: Any, R: Any = EYE) -> dict[str, Any]:
    return {"at": list(at), "orientation": np.asarray(R).tolist()}


def bar(length: float, mass: float, at: Any, angle: float) -> dict[str, Any]:
    """A uniform bar that hangs down (along -y) when its angle about z is zero; markers at its ends."""
    return {
        "mass": mass,
        "inertia": [mass * length**2 / 12.0, 0.0, mass * length**2 / 12.0],
        "center": [0.0, -0.5 * length, 0.0],
        "at": list(at),
        "orientation": about_z(angle).tolist(),
        "markers": {"top": marker([0, 0, 0]), "end": marker([0, -length, 0])},
    }


def hinged(bodies: dict[str, Any], joints: dict[str, Any], gravity: Any = (0.0, -G, 0.0)) -> Machine:
    tables = {"model": {"gravity": list(gravity)}, "markers": {"O": marker([0, 0, 0])}}
    return Machine(describe({**tables, "bodies": bodies, "joints": joints}))


def angle_of(sample: Sample, body: int) -> float:
    R = sample.solution.kinematics.R[body]
    return float(np.arctan2(R[1, 0], R[0, 0]))


def test_oracle_uses_nothing_of_flexmb() -> None:
    files = sorted((ROOT / "tests" / "campaigns" / "oracle").glob("*.py"))
    imports = [line for path in files for line in path.read_text().splitlines() if "import" in line.split()[:3]]
    assert len(files) > 6 and len(imports) > 20
    assert [line for line in imports if "flexmb" in line] == []


def test_pendulum_of_any_amplitude() -> None:
    """theta = 2 asin(k sn(K + w t)) with k = sin(amplitude/2); the force follows from the circle and the energy."""
    amplitude, length, mass = 1.7, 0.8, 1.3
    joints = {"hinge": {"type": "revolute", "markers": ["ground.O", "bar.top"]}}
    machine = hinged({"bar": bar(length, mass, [0, 0, 0], amplitude)}, joints)
    times = np.linspace(0.0, 0.6, 4)
    samples = integrate(machine, np.zeros(machine.n), times)
    k2, w = np.sin(0.5 * amplitude) ** 2, np.sqrt(1.5 * G / length)
    theta = 2.0 * np.arcsin(np.sqrt(k2) * ellipj(ellipk(k2) + w * times, k2)[0])
    found = [angle_of(sample, 1) for sample in samples]
    assert found == pytest.approx(list(theta), abs=1e-10)
    rate2 = 2.0 * w**2 * (np.cos(theta) - np.cos(amplitude))
    for sample, angle, square in zip(samples, theta, rate2, strict=True):
        along, across = np.array([np.sin(angle), -np.cos(angle), 0.0]), np.array([np.cos(angle), np.sin(angle), 0.0])
        a = 0.5 * length * (-square * along - w**2 * np.sin(angle) * across)
        wrench, undetermined = reactions(machine, sample, 1.0)
        assert wrench[:3] == pytest.approx(mass * (a + [0.0, G, 0.0]), abs=1e-8)
        assert undetermined.size == 0


def test_double_pendulum_of_the_literature() -> None:
    """Two bars, the worked example of the Roberson-Schwertassek method: its equations 108 and 109, integrated."""
    t, theta1, theta2, *_ = table("double_pendulum")
    A = about_z(0.5) @ [0.0, -1.0, 0.0]
    bodies = {"upper": bar(1.0, 1.0, [0, 0, 0], 0.5), "lower": bar(0.8, 0.7, A, 0.8)}
    joints = {
        "one": {"type": "revolute", "markers": ["ground.O", "upper.top"]},
        "two": {"type": "revolute", "markers": ["upper.end", "lower.top"]},
    }
    machine = hinged(bodies, joints)
    rows = np.searchsorted(t, [0.0, 0.2, 0.4, 0.6, 0.8])
    samples = integrate(machine, np.zeros(machine.n), t[rows])
    assert [angle_of(sample, 1) for sample in samples] == pytest.approx(list(theta1[rows]), abs=1e-8)
    relative = [angle_of(sample, 2) - angle_of(sample, 1) for sample in samples]
    assert relative == pytest.approx(list(theta2[rows]), abs=1e-8)


def test_top_precesses_steadily() -> None:
    """m g l = C w3 P - A P^2 cos(tilt): the tilt stays, the axis turns about the vertical at the rate P."""
    mass, arm, A, C, tilt, P = 1.2, 0.3, 0.15, 0.05, 0.9, 2.0
    spin = (mass * G * arm + A * P**2 * np.cos(tilt)) / (C * P)
    axis = np.array([np.sin(tilt), 0.0, np.cos(tilt)])
    R = np.column_stack([[np.cos(tilt), 0.0, -np.sin(tilt)], [0.0, 1.0, 0.0], axis])
    own = A - mass * arm**2
    body = {"mass": mass, "inertia": [own, own, C], "center": [0, 0, arm], "at": [0, 0, 0], "orientation": R.tolist()}
    body["markers"] = {"tip": marker([0, 0, 0])}
    joints = {"point": {"type": "spherical", "markers": ["ground.O", "top.tip"]}}
    machine = hinged({"top": body}, joints, gravity=(0.0, 0.0, -G))
    across = P * (np.array([0.0, 0.0, 1.0]) - np.cos(tilt) * axis)
    y = np.concatenate([np.zeros(3), spin * axis + across])
    samples = integrate(machine, y, np.linspace(0.0, 0.6, 4))
    for sample in samples:
        z = sample.solution.kinematics.R[1][:, 2]
        turned = np.array([np.sin(tilt) * np.cos(P * sample.t), np.sin(tilt) * np.sin(P * sample.t), np.cos(tilt)])
        assert z == pytest.approx(turned, abs=1e-9)


@pytest.mark.parametrize("frame", ["start", "end", "chord"])
def test_sections_of_a_bent_beam(frame: str) -> None:
    """The centre line keeps its length, sections are normal to it and do not twist about it, in every frame."""
    rng, h = np.random.default_rng(1), 1e-5
    beam = Beam(0.8, 1.0, 100.0, 150.0, frame, 3, 3)
    q, q_dot = 0.03 * rng.normal(size=6), rng.normal(size=6)

    def at(x: float, t: float = 0.0) -> Any:
        return beam.section(x, np.zeros(3), np.eye(3), q + t * q_dot, q_dot)

    tangent = (at(0.4 + h).r - at(0.4 - h).r) / (2.0 * h)
    curvature = at(0.4).R.T @ (at(0.4 + h).R - at(0.4 - h).R) / (2.0 * h)
    assert tangent == pytest.approx(at(0.4).R[:, 0], abs=1e-9)
    assert abs(curvature[2, 1]) < 1e-9 < 1e-3 < abs(curvature[1, 0])
    assert (at(0.4, h).r - at(0.4, -h).r) / (2.0 * h) == pytest.approx(at(0.4).r_dot, abs=1e-8)
    assert (at(0.4, h).omega - at(0.4, -h).omega) / (2.0 * h) == pytest.approx(at(0.4).omega_bias, abs=1e-7)


def test_frequencies_of_a_cantilever() -> None:
    """1.8751^2 and 4.6941^2 sqrt(EI/(rho A L^4)); four polynomials give the first to 1e-6, the second to 1 %."""
    beam = Beam(0.8, 2.0, 100.0, 100.0, "start", 4, 0)
    _, psi, _, _ = beam.points(np.zeros(4), np.zeros(4))
    M = np.einsum("p,pai,pbi->ab", beam.mass, psi, psi)
    K = np.array([beam.elastic_forces(1e-6 * row) for row in np.eye(4)]) / 1e-6
    found = np.sqrt(eigh(K, M, eigvals_only=True)[:2] * 2.0 * 0.8**4 / 100.0)
    assert found[0] == pytest.approx(1.8751040687**2, rel=1e-5)
    assert found[1] == pytest.approx(4.6940911330**2, rel=1e-2)


def test_overconstrained_loop_leaves_reactions_open() -> None:
    """Bennett's linkage: 20 rows of which 17 are independent, one degree of freedom, three reactions are open."""
    sketch = Sketch(np.random.default_rng(2), "bennett")
    FAMILIES["bennett"][1](sketch)
    tables = sketch.tables()
    tables["bodies"] = dict(list(tables["bodies"].items())[:3])
    tables["joints"] = dict(list(tables["joints"].items())[:4])
    tables.pop("motions", None)
    machine = Machine(describe(tables))
    solution = machine.solve(0.0, machine.start(), np.zeros(machine.n))
    assert (len(machine.rows.rows), solution.rank, machine.n - solution.rank) == (20, 17, 1)
    sample = Sample(0.0, machine.start(), np.zeros(machine.n), solution, (0.0, 0.0))
    assert reactions(machine, sample, 1.0)[1].shape == (24, 3)
