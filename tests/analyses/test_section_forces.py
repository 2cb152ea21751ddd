"""Section forces of results: closed forms, joint reactions, sensors, and differential balances along the beam.

Covers: analyses.body_loads, bodies.beam_inertia, results.beam_forces, system.records.sections.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import flexmb as fx
from flexmb.analyses.inverse import inverse_model
from flexmb.analyses.section_forces import beam_forces, section_forces
from flexmb.bodies.beam_inertia import beam_inertia
from flexmb.bodies.flexible_body import FlexibleBody
from flexmb.bodies.quadratic_beam import sample
from flexmb.reports.section_report import section_lines
from flexmb.results.beam_forces import COMPONENTS
from flexmb.results.joint_reactions import MarkerPoses, joint_reactions
from flexmb.system.placement import place
from tests.support.flexible_mechanisms import EI, STEEL, WEIGHT, A, cantilever, slider_crank, spinning_beam
from tests.support.places import ROOT

Array = NDArray[np.float64]
EXAMPLE = ROOT / "examples" / "05_inverse_slider_crank.toml"
FIELDS: list[dict[str, Any]] = [
    {"field": "exact"},
    {"field": "quadratic"},
    {"field": "quadratic", "order": "full"},
    {"field": "linear"},
]
STEPS: dict[str, Any] = {"generalized-alpha": {"step": 1.25e-5}, "rk45": {"step": None, "tolerance": 1e-8}}
every_field = pytest.mark.parametrize("field", FIELDS, ids=lambda field: " ".join(map(str, field.values())))


def run(folder: Path, data: dict[str, Any], **analysis: Any) -> fx.Result:
    settings = {**data.get("analysis", {}), **analysis}
    tables = {**data, "analysis": {key: value for key, value in settings.items() if value is not None}}
    return fx.run_model(fx.Model.from_tables(tables), folder / "out.h5")


def static(folder: Path, data: dict[str, Any]) -> fx.Result:
    return run(folder, {**data, "analysis": {"type": "static"}})


def supported(*along: float, shapes: int, field: str = "linear", **coordinates: Any) -> dict[str, Any]:
    """A bar of 1 m under gravity on pins: the first holds x too, the others slide along the beam."""
    data = cantilever(field=field, frame="chord", shapes={"family": "modes", "bending": {"y": shapes, "z": 0}})
    joints: dict[str, Any] = {"pin": {"type": "revolute", "bodies": ["ground", "beam"], "at": "A", "axis": "z"}}
    for k, x in enumerate(along):
        data["points"][f"P{k}"] = [x, 0, 0]
        keys = {"bodies": ["ground", "beam"], "at": f"P{k}", "axis": "z", "slot": "x"}
        joints[f"support{k}"] = {"type": "pin-in-slot", **keys}
    return {**data, "joints": joints, **coordinates}


# Closed forms


@every_field
def test_cantilever_under_its_weight_and_a_tip_force(tmp_path: Path, field: dict[str, Any]) -> None:
    """Q = P + w (L - x), M = P (L - x) + w (L - x)^2/2 in body axes; the arms are those of the bent beam."""
    data = cantilever(**field)
    data["forces"] = {"tip": {"type": "force", "marker": "beam.end", "vector": [0, -5, 0]}}
    found = section_forces(static(tmp_path, data), "beam")
    beyond = 1.0 - found.x
    force = 5.0 + WEIGHT * beyond
    # The size of the force does not depend on the deformation.
    np.testing.assert_allclose(np.linalg.norm(found.force[0], axis=1), force, rtol=1e-12)
    # Slopes are below 0.015: N = Q sin, and arms shorter by up to half their square.
    np.testing.assert_allclose(found.component("Qy")[0], -force, rtol=1.5e-4)
    np.testing.assert_allclose(found.component("Mz")[0], -5.0 * beyond - WEIGHT * beyond**2 / 2, rtol=0, atol=2e-3)
    assert np.abs(found.component("N")).max() < 0.015 * force.max()
    assert not found.component("Qz").any() and not found.component("T").any()
    assert found.closure < 1e-14


@every_field
@pytest.mark.parametrize("radius", [0.0, 0.1])
def test_spinning_beam_is_in_tension(tmp_path: Path, field: dict[str, Any], radius: float) -> None:
    """N = rho A Omega^2 ((R + L)^2 - (R + x)^2)/2"""
    result = run(tmp_path, spinning_beam(radius, 30.0, **field), end=5e-3)
    found = section_forces(result, "beam")
    tension = STEEL["density"] * A * 30.0**2 * ((radius + 1.0) ** 2 - (radius + found.x) ** 2) / 2.0
    for row in found.component("N"):
        np.testing.assert_allclose(row, tension, rtol=0, atol=1e-12 * tension.max())
    assert found.closure < 1e-14


def test_a_distributed_force_is_not_a_staircase(tmp_path: Path) -> None:
    """Over a part of the beam, along y and z: Q falls linearly there, M is its integral."""
    data = cantilever(field="linear")
    data["model"]["gravity"] = [0, 0, 0]
    data["forces"] = {
        "wind": {"type": "distributed-force", "body": "beam", "vector": [0, 3, -2], "from": 0.25, "to": 0.7}
    }
    found = section_forces(static(tmp_path, data), "beam", np.linspace(0.0, 1.0, 33))
    beyond = np.clip(0.7 - np.maximum(found.x, 0.25), 0.0, None)
    arm = 0.5 * (np.maximum(found.x, 0.25) + 0.7) - found.x
    # Deflections of 1 mm turn the axes by 2e-3 at most; across them only the second order counts.
    np.testing.assert_allclose(found.component("Qy")[0], 3 * beyond, atol=1e-5)
    np.testing.assert_allclose(found.component("Qz")[0], -2 * beyond, atol=1e-5)
    np.testing.assert_allclose(found.component("Mz")[0], 3 * beyond * arm, atol=1e-5)
    np.testing.assert_allclose(found.component("My")[0], 2 * beyond * arm, atol=1e-5)


def test_lumped_mass_and_load_between_the_ends_make_jumps(tmp_path: Path) -> None:
    data = cantilever(field="linear", masses=[{"at": 0.4, "mass": 2.0}], markers={"here": {"along": 0.7}})
    data["forces"] = {"push": {"type": "force", "marker": "beam.here", "vector": [0, 8, 0]}}
    data["forces"]["twist"] = {"type": "torque", "marker": "beam.here", "vector": [0, 0, 3]}
    found = section_forces(static(tmp_path, data), "beam")
    for place_, force, moment in ((0.4, -2.0 * 9.81, 0.0), (0.7, 8.0, 3.0)):
        before, after = np.flatnonzero(np.abs(found.x - place_) < 1e-9)
        jump = found.force[0, before] - found.force[0, after]
        np.testing.assert_allclose(np.linalg.norm(jump), abs(force), rtol=1e-12)
        np.testing.assert_allclose(found.moment[0, before, 2] - found.moment[0, after, 2], moment, atol=1e-12)
    one = section_forces(static(tmp_path, data), "beam", [0.7, 0.7, 0.4])
    np.testing.assert_allclose(one.force[0, 0] - one.force[0, 1], jump, atol=1e-12)


def test_few_shapes_carry_the_moment_that_many_curvatures_converge_to(tmp_path: Path) -> None:
    """A bar on two pins: M = w x (L - x)/2 whatever the shapes; EI v'' of the first n sines is the part
    4 w L^2 sum sin(k pi x/L)/(k pi)^3, k = 1, 3, ..., n of its series."""
    errors = []
    for shapes in (1, 3, 9):
        data = supported(1.0, shapes=shapes)
        result = static(tmp_path, data)
        found = section_forces(result, "beam")
        exact = WEIGHT * found.x * (1.0 - found.x) / 2.0
        # The linear field knows no foreshortening: the arms are those of the drawing.
        np.testing.assert_allclose(found.component("Mz")[0], exact, atol=1e-12 * WEIGHT)
        beam = place(fx.Model.from_tables(data).spec).bodies[1]
        assert isinstance(beam, FlexibleBody) and beam.basis is not None
        bent = EI * sample(beam.basis, found.x).beta_slope @ result["bodies/beam/elastic_position"].reshape(-1)
        k = np.arange(1, shapes + 1, 2)
        series = 4.0 * WEIGHT * np.sin(np.pi * np.outer(found.x, k)) @ (1.0 / (np.pi * k) ** 3)
        np.testing.assert_allclose(bent, series, atol=1e-9 * WEIGHT)
        errors.append(np.abs(bent - exact).max() / exact.max())
    assert 0.03 < errors[0] < 0.05 and errors[0] > 3.0 * errors[1] > 9.0 * errors[2]


# Joints


def test_the_ends_of_lees_rod_carry_the_reactions_of_its_joints(tmp_path: Path) -> None:
    model = fx.read_model(EXAMPLE)
    inverse = inverse_model(model, tmp_path / "out.h5")
    found = section_forces(inverse.result, "rod")
    mechanism = place(inverse.model.spec)
    poses = MarkerPoses(inverse.result, mechanism)
    for end, joint, sign in ((0, "crank_pin", -1.0), (-1, "slider_pin", 1.0)):  # both act on the rod
        R = poses.of(mechanism.beam_ends["rod"][end])[1]
        force = sign * np.einsum("rij,rj->ri", R, found.force[:, end])
        expected = inverse.reactions[joint].force_world
        np.testing.assert_allclose(force, expected, rtol=0, atol=1e-10 * np.abs(expected).max())
        np.testing.assert_allclose(found.moment[:, end], 0.0, atol=1e-12 * np.abs(found.moment).max())
    # What the steps of 10 us leave: the recorded rates are projected on the constraints after the balance is found.
    assert found.closure < 1e-7
    middle = np.abs(found.component("Mz"))[:, len(found.x) // 2].max()
    assert middle > 0.95 * np.abs(found.moment).max()


@pytest.mark.parametrize("kind", ["joint", "absolute"])
@pytest.mark.parametrize("field", ["exact", "linear"])
def test_a_joint_between_the_ends_makes_a_jump_of_its_reaction(tmp_path: Path, kind: str, field: str) -> None:
    """A bar on three pins; the middle one of two equal spans carries 10/8 w L/2 (L the whole length)."""
    data = supported(0.5, 1.0, shapes=8, field=field, coordinates={"default": kind})
    result = static(tmp_path, data)
    found = section_forces(result, "beam")
    before, after = np.flatnonzero(np.abs(found.x - 0.5) < 1e-9)
    reaction = joint_reactions(result)["support0"].force_world[0]
    np.testing.assert_allclose(np.linalg.norm(found.force[0, before] - found.force[0, after]), reaction[1], rtol=1e-9)
    # Eight sines instead of the exact shape: they miss a part 1/9^4 of the deflection of the middle force.
    np.testing.assert_allclose(reaction[1], 0.625 * WEIGHT, rtol=1e-3)
    np.testing.assert_allclose(found.component("Mz")[0, [before, after]], -WEIGHT / 32.0, rtol=5e-3)
    assert np.abs(found.moment[0, [0, -1]]).max() < 1e-9 and found.closure < 1e-9


# Other methods to the same forces


@pytest.mark.parametrize("method", ["generalized-alpha", "rk45"])
def test_sensors_of_sections_agree(tmp_path: Path, method: str) -> None:
    data = slider_crank(field="exact")
    names = ("fx", "fy", "fz", "mx", "my", "mz")
    data["sensors"] |= {name: {"section": "rod.mid", "component": name} for name in names}
    data["output"] = {"every": 2e-4}
    result = run(tmp_path, data, method=method, **STEPS[method])
    found = section_forces(result, "rod", [0.15])
    for name, component in zip(names, COMPONENTS, strict=True):
        values = found.component(component)[:, 0]
        size = np.abs(found.force if name[0] == "f" else found.moment).max()
        # The sensor integrates through the 12 stations of the rod, half of what the summation takes: 3e-7 for products
        # of three sines. rk45 records accelerations that satisfy the equations; generalised-alpha rates that were
        # projected after them, which the sensor puts into its joint and the summation into `closure`.
        limit = 1e-6 * size + found.closure * np.abs(found.force).max() * (1.0 if name[0] == "f" else 0.3)
        np.testing.assert_allclose(values, result[f"sensors/{name}"], rtol=0, atol=limit)
    assert found.closure < (1e-9 if method == "rk45" else 1e-5)


@every_field
def test_a_beam_in_free_flight_carries_nothing_at_its_ends(tmp_path: Path, field: dict[str, Any]) -> None:
    data = cantilever(
        shapes={"family": "modes", "bending": 3, "supports": "free-free"},
        **field | {"frame": "mean", "rotary_inertia": True},
    )
    data["joints"] = {}
    beam = {"velocity": [1, 2, 0], "angular_velocity": [3, 1, 8], "elastic_velocity": [0.3, 0.1, 0, 0, 0.2, 0]}
    data["bodies"]["beam"] |= beam
    result = run(tmp_path, data, end=0.05, step=1e-4)
    found = section_forces(result, "beam")
    peak = np.abs(found.force).max()
    assert peak > 40.0 and np.abs(found.moment).max() > 5.0
    assert not found.force[:, -1].any() and np.abs(found.force[:, 0]).max() < 1e-12 * peak
    # The sum over the whole beam is what `closure` says; Newton's iteration leaves a part of the error of a step.
    assert np.abs(found.moment[:, [0, -1]]).max() < 1e-12 * peak and found.closure < 1e-5


@every_field
@pytest.mark.parametrize("end", ["start", "end"])
def test_balance_of_an_element(tmp_path: Path, field: dict[str, Any], end: str) -> None:
    """dM/dx = -r' x F in body axes: between loads, without rotary inertia, in any motion."""
    data = cantilever(**field | {"frame": end, "shapes": {"family": "monomials", "bending": 3}})
    at = "A" if end == "start" else "B"
    data["joints"]["wall"] = {"type": "universal", "bodies": ["ground", "beam"], "at": at, "axes": ["y", "z"]}
    data["joints"]["wall"]["velocity"] = [5, -3]
    data["forces"] = {"line": {"type": "distributed-force", "body": "beam", "vector": [1, 20, -30], "axes": "section"}}
    result = run(tmp_path, data, end=0.02)
    t = np.polynomial.legendre.leggauss(24)[0]
    x = 0.5 * (1.0 + t)
    found = section_forces(result, "beam", x)
    body = place(fx.Model.from_tables(data).spec).bodies[1]
    assert isinstance(body, FlexibleBody)
    r, R = beam_inertia(body).sections(x)(result["bodies/beam/elastic_position"])
    force, moment = (np.einsum("rnij,rnj->rni", R, vector) for vector in (found.force, found.moment))
    slope_of_r, slope_of_M = (2.0 * _slope(t, values) for values in (r, moment))
    expected = -np.cross(slope_of_r, force)
    size = np.abs(expected).max()
    assert size > 10.0
    # Derivatives of polynomials through 24 points lose four digits; the closure is spread over the beam.
    np.testing.assert_allclose(slope_of_M, expected, rtol=0, atol=(1e-8 + 4 * found.closure) * size)
    # Newton's iteration of an open tree ends when what is left is a thousandth of the error of the step.
    assert found.closure < 1e-4


def _slope(t: Array, values: Array) -> Array:
    """Derivative along axis 1 of the polynomials through the values at t."""
    to_series = np.linalg.inv(np.polynomial.legendre.legvander(t, len(t) - 1))
    series = np.einsum("jn,rni->jri", to_series, values)
    return np.asarray(np.moveaxis(np.polynomial.legendre.legval(t, np.polynomial.legendre.legder(series)), -1, 1))


@pytest.mark.parametrize(
    "field",
    [pytest.param(field, marks=() if field["field"] == "exact" else pytest.mark.long) for field in FIELDS],
    ids=lambda field: " ".join(map(str, field.values())),
)
def test_every_kind_of_load_is_in_the_balance(tmp_path: Path, field: dict[str, Any]) -> None:
    """Springs, dampers, friction, actuators, motions, lumps, twist, rotary inertia and a turning ground."""
    runs = []
    for kind in ("joint", "absolute"):
        (tmp_path / kind).mkdir()
        runs.append(run(tmp_path / kind, busy(field, kind), method="rk45", **STEPS["rk45"]))
    found = [section_forces(result, "beam") for result in runs]
    assert runs[0]["joints/hinge/position"][-1] > 8.0  # its spring counts the turns
    for one in found:
        # rk45 satisfies the equations at every row. Order 2 truncates the kinetic energy, the summation does not: what
        # is missing is of fourth order in deflections of some per cent.
        assert one.closure < (1e-5 if field == {"field": "quadratic"} else 1e-9)
        assert np.abs(one.component("T")).max() > 1.0 and np.abs(one.component("N")).max() > 100.0
        assert np.abs(one.force[:, -1]).max() > 1.0
    for quantity in ("force", "moment"):
        first, second = (getattr(one, quantity) for one in found)
        # Two integrations with a tolerance of 1e-8.
        np.testing.assert_allclose(first, second, rtol=0, atol=1e-6 * np.abs(first).max())


def busy(field: dict[str, Any], kind: str) -> dict[str, Any]:
    """A beam that turns by several turns about a joint that is measured as a chord, with a bob at its tip."""
    shapes = {"family": "monomials", "bending": 3, "torsion": 1}
    data = cantilever(
        **field, shapes=shapes, rotary_inertia=True, masses=[{"at": 0.5, "mass": 0.2, "inertia": [1e-4] * 3}]
    )
    data["base"] = {"rotation": {"axis": "y", "angle": "0.5*t"}}
    data["bodies"]["beam"]["markers"] = {"mid": {"along": 0.4}}
    data["bodies"]["bob"] = {"mass": 0.3, "inertia": [1e-3] * 3, "at": [1.1, 0.05, 0]}
    data["joints"] = {
        "hinge": {"type": "revolute", "bodies": ["ground", "beam"], "at": "A", "axis": "z", "velocity": 40.0},
        "tip": {"type": "revolute", "bodies": ["beam", "bob"], "at": "B", "axis": "y"},
    }
    data["forces"] = {
        "coil": {"type": "joint-spring", "joint": "hinge", "stiffness": 2.0, "damping": 0.1},
        "drag": {"type": "friction", "joint": "hinge", "viscous": 0.05},
        "motor": {"type": "actuator", "joint": "hinge", "effort": "3*sin(20*t)"},
        "rope": {"type": "spring-damper", "markers": ["ground", "beam.mid"], "stiffness": 30.0, "damping": 2.0,
                 "length": 0.1},
        "push": {"type": "force", "marker": "beam.end", "vector": ["2*t", 3, 1], "axes": "marker"},
        "twist": {"type": "torque", "marker": "beam.mid", "vector": [1, 0, 0], "axes": "marker"},
        "wind": {"type": "distributed-force", "body": "beam", "vector": [0, 4, 2]},
    }  # fmt: skip
    data["motions"] = {"swing": {"joint": "tip", "expression": "0.3*sin(30*t)"}}
    data["coordinates"] = {"default": kind}
    data["analysis"] = {"end": 0.3}
    data["output"] = {"every": 0.05}
    return data


# Words


def test_what_has_no_sections_is_refused(tmp_path: Path) -> None:
    result = run(tmp_path, slider_crank(), end=5e-4)
    with pytest.raises(fx.InputError, match="'crank' is not a beam: it has no sections .beams: rod"):
        section_forces(result, "crank")
    with pytest.raises(fx.InputError, match="no body 'rad'. Did you mean 'rod'"):
        section_forces(result, "rad")
    with pytest.raises(fx.InputError, match=r"outside the beam: -0.1, 0.4 m. Body 'rod' reaches from 0 to 0.3 m"):
        section_forces(result, "rod", [0.0, -0.1, 0.4])
    for stations in ([], "middle", [[0.1]]):
        with pytest.raises(fx.InputError, match="list of places"):
            section_forces(result, "rod", stations)
    with pytest.raises(fx.InputError, match="does not belong to this result"):
        section_forces(result, "beam", model=fx.Model.from_tables(cantilever()))
    with pytest.raises(fx.InputError, match="no section force 'Q' .section forces: N, Qy"):
        section_forces(result, "rod").component("Q")


def test_report(tmp_path: Path) -> None:
    data = spinning_beam(0.0, 30.0)
    model = fx.Model.from_tables(data)
    result = fx.run_model(model, tmp_path / "out.h5")
    text = "\n".join(section_lines(beam_forces(result, model), len(result)))
    assert "in balance to" in text and "Looked for" not in text
    (tension,) = (line.split() for line in text.splitlines() if " N [N] " in line)
    assert tension[0] == "beam" and float(tension[3]) == pytest.approx(7870 * A * 900 / 2, rel=1e-5)
    assert float(tension[4]) == 0.0 and float(tension[5]) == 1.0
    (torsion,) = (line.split() for line in text.splitlines() if " T [N*m] " in line)
    assert torsion[2:] == ["0", "-", "1", "-"]
    rigid = {"bodies": {"bob": {"mass": 1.0, "inertia": [1, 1, 1]}}, "analysis": {"end": 0.01, "step": 0.01}}
    rigid |= {"joints": {"hinge": {"type": "revolute", "bodies": ["ground", "bob"], "at": [0, 0, 0], "axis": "z"}}}
    model = fx.Model.from_tables(rigid)
    assert section_lines(beam_forces(fx.run_model(model, tmp_path / "rigid.h5"), model), 1) == []
