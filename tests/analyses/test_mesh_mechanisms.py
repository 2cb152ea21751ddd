"""Meshed bodies in mechanisms, from the mesh to the motion: a cantilever, a spinning blade, a tumbling bar, a loop.

The bar is 0.5 m long, 12 mm wide (y) and 6 mm thick (z), of 24 20-node bricks. References that share nothing with the
reduction: the matrices of the whole mesh with its ends held rigid, dense; Euler-Bernoulli beams; the rotating
cantilever of Wright et al. (1982); sums over the mass points of a body; beams of flexmb in the same mechanism.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import curve_fit
from scipy.spatial.transform import Rotation

import flexmb as fx
from flexmb.elements.fe_model import FEModel
from flexmb.elements.solid.assemble import assemble
from flexmb.mesh.mesh import Mesh
from flexmb.verification.solid_meshes import box_mesh

LENGTH, WIDTH, HEIGHT = 0.5, 0.012, 0.006
STEEL = fx.MATERIALS["steel"]
BENDING = STEEL.E * WIDTH * HEIGHT**3 / 12.0
PER_LENGTH = STEEL.density * WIDTH * HEIGHT
FLAP = {0: 3.516015269, 6: 7.360373019, 12: 13.17015}
"""Rate -> first flapping frequency, both by sqrt(rho A L^4/(E I)); hub of no radius (Wright et al.)"""
ENDS = (fx.TieRequest("root", "xmin"), fx.TieRequest("tip", "xmax"))
MIDDLE = fx.TieRequest("middle", f"plane(x={LENGTH / 2})", "follower")


def bar_mesh() -> Mesh:
    mesh = box_mesh("hex20", (24, 1, 1), (LENGTH, WIDTH, HEIGHT))
    return replace(mesh, points=mesh.points - [0.0, WIDTH / 2, HEIGHT / 2])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Body files of the bar: mean.h5 and clamped.h5 (their frames) and free.h5 (four free modes, no interface)."""
    made = tmp_path_factory.mktemp("bars")
    for name, frame in (("mean", "mean"), ("clamped", "clamped root")):
        request = fx.ReductionRequest(interfaces=ENDS, markers=(MIDDLE,), modes=6, frame=frame, compare=False)
        fx.write_body(fx.reduce_mesh(bar_mesh(), STEEL, request), made / f"{name}.h5")
    request = fx.ReductionRequest(method="free", modes=4, compare=False)
    fx.write_body(fx.reduce_mesh(bar_mesh(), STEEL, request), made / "free.h5")
    return made


def clamped_matrices(model: FEModel, mesh: Mesh) -> tuple[np.ndarray, np.ndarray]:
    """Dense K and M of the mesh with xmin held and xmax rigid; the last six unknowns are the motion of the tip."""
    K, M = model.K.toarray(), np.kron(model.M.toarray(), np.eye(3))
    tip, held = mesh.node_sets["xmax"], mesh.node_sets["xmin"]
    loose = np.setdiff1d(np.arange(mesh.n_points), np.concatenate([tip, held]))
    T = np.zeros((len(K), 3 * len(loose) + 6))
    rows = (3 * loose[:, None] + np.arange(3)).ravel()
    T[rows, np.arange(len(rows))] = 1.0
    for node in tip:
        x, y, z = mesh.points[node] - [LENGTH, 0.0, 0.0]
        T[3 * node : 3 * node + 3, -6:] = [[1, 0, 0, 0, z, -y], [0, 1, 0, -z, 0, x], [0, 0, 1, y, -x, 0]]
    return T.T @ K @ T, T.T @ M @ T


def run(data: dict[str, Any], folder: Path) -> fx.Result:
    return fx.run_model(fx.Model.from_tables(data), folder / "run.h5")


def blade(file: Path, **keys: Any) -> dict[str, Any]:
    """The bar on a hub that turns about z at a given rate [rad/s]; a short push at the tip makes it flap."""
    push = "1 N*exp(-((t - 4 ms)/1 ms)^2)"
    return {
        "model": {"name": "blade"},
        "parameters": {"rate": 0.0},
        "bodies": {"bar": {"file": str(file), **keys}},
        "joints": {"hub": {"type": "revolute", "bodies": ["ground", "bar"], "at": [0, 0, 0], "axis": "z"}},
        "motions": {"spin": {"joint": "hub", "rate": "$rate"}},
        "forces": {"push": {"type": "force", "marker": "bar.tip", "vector": [0, 0, push]}},
        "sensors": {"tip": {"marker": "bar.tip", "component": "z"}},
        # at the highest rate a step is 0.02 rad of the flapping: period right to (0.02)^2/12
        "analysis": {"end": 0.3, "step": 5e-5, "elastic_start": "quasi-static"},
    }


def flapping(file: Path, folder: Path, rate: float, **keys: Any) -> float:
    """Frequency [rad/s] of the largest part of the motion of the tip after the push."""
    data = blade(file, **keys)
    data["parameters"]["rate"] = rate
    result = run(data, folder)
    after = np.array(result.time) > 0.02
    t, z = np.array(result.time)[after], np.array(result["tip"])[after]
    spectrum = np.abs(np.fft.rfft(z * np.hanning(len(z)), 8 * len(z)))
    first = 2.0 * np.pi * np.fft.rfftfreq(8 * len(z), t[1] - t[0])[spectrum.argmax()]

    def wave(t: np.ndarray, a: float, b: float, omega: float) -> np.ndarray:
        return a * np.cos(omega * t) + b * np.sin(omega * t)

    found, _ = curve_fit(wave, t, z, [np.abs(z).max(), 0.0, first])
    return abs(float(found[2]))


def test_a_tip_force_bends_the_meshed_cantilever_as_the_whole_mesh(folder: Path) -> None:
    """Damped to rest. Constraint modes are exact in statics; the force lifts the tip by 1 % of the length, so that
    what is nonlinear counts (1e-2)^2."""
    force = 3.0 * BENDING * 0.01 / LENGTH**2
    omega = float(FLAP[0] * np.sqrt(BENDING / PER_LENGTH) / LENGTH**2)
    data = blade(folder / "mean.h5", damping={"mass": 0.0, "stiffness": 1.4 / omega})
    data["joints"] = {"clamp": {"type": "fixed", "bodies": ["ground", "bar"], "at": [0, 0, 0]}}
    del data["motions"]
    data["forces"]["push"]["vector"] = [0, 0, force]
    data["sensors"]["along"] = {"marker": "bar.tip", "component": "x"}
    data["analysis"] = {"end": 20.0 / omega, "step": 0.01 / omega}
    result = run(data, folder)
    mesh = bar_mesh()
    K, _ = clamped_matrices(assemble(mesh, STEEL), mesh)
    lift = result["tip"][-1]
    assert lift == pytest.approx(force * np.linalg.inv(K)[-4, -4], rel=5e-4)
    # Beam theory: the rigid end faces keep the section from changing, over about a width of the length each.
    assert lift == pytest.approx(force * LENGTH**3 / (3.0 * BENDING), rel=0.015)
    # The tip comes back by 3/5 of lift^2/L, by the same end effects and the curvature of higher order.
    assert LENGTH - result["along"][-1] == pytest.approx(0.6 * lift**2 / LENGTH, rel=0.02)


@pytest.mark.parametrize("frame", ["mean", "clamped"])
def test_the_meshed_cantilever_has_the_frequency_of_the_whole_mesh(folder: Path, frame: str) -> None:
    mesh = bar_mesh()
    K, M = clamped_matrices(assemble(mesh, STEEL), mesh)
    x, inverse = np.eye(len(K))[-4], np.linalg.inv(K)
    for _ in range(10):
        # the next frequency of a motion along z is six times as high: converges by 1/39 each
        x = inverse @ M @ x
        x /= np.abs(x).max()
    whole = np.sqrt((x @ K @ x) / (x @ M @ x))
    found = flapping(folder / f"{frame}.h5", folder, 0.0)
    # six modes reach 1e-4, the fit to a motion with other frequencies in it as much again
    assert found == pytest.approx(whole, rel=5e-4)
    assert found == pytest.approx(FLAP[0] * np.sqrt(BENDING / PER_LENGTH) / LENGTH**2, rel=0.01)


def test_a_blade_with_the_linear_field_does_not_stiffen(folder: Path) -> None:
    """Clamped axes turn with the hub, where a linear field knows nothing of the spin but its softening in the plane."""
    still = flapping(folder / "clamped.h5", folder, 0.0, field="linear")
    assert flapping(folder / "clamped.h5", folder, 6.0 / FLAP[0] * still, field="linear") == pytest.approx(
        still, rel=2e-3
    )
    order_1 = flapping(folder / "clamped.h5", folder, 6.0 / FLAP[0] * still, order=1)
    assert order_1 == pytest.approx(FLAP[6] / FLAP[0] * still, rel=4e-3)


def test_a_tumbling_meshed_bar_keeps_momentum_and_energy(folder: Path) -> None:
    """Nothing acts on it: sums over its mass points, in world axes, stay. rk45 works at 1e-10
    a step; momentum it keeps all but exactly, the energy of some hundred vibrations to 1e-8."""
    body = fx.read_body(folder / "free.h5")
    data = {
        "model": {"name": "tumbling"},
        "bodies": {
            "bar": {
                "file": str(folder / "free.h5"),
                "velocity": [1.0, -2.0, 0.5],
                "angular_velocity": [40.0, 60.0, -90.0],
                "elastic_velocity": [3.0, -2.0, 2.0, 1.0, 0.5],  # four modes requested, and the twin of the last
            }
        },
        "analysis": {"end": 0.05, "method": "rk45", "tolerance": 1e-10},
        "output": {"every": 0.001},
    }
    result = run(data, folder)
    field = body.points
    assert field is not None
    sums = []
    for k in range(0, len(result.time), 10):
        q, q_dot = result["bodies/bar/elastic_position"][k], result["bodies/bar/elastic_velocity"][k]
        turn = Rotation.from_quat(result["bodies/bar/quaternion"][k], scalar_first=True)
        arm = turn.apply(field.positions(q))
        v = result["bodies/bar/velocity"][k] + np.cross(turn.apply(result["bodies/bar/angular_velocity"][k]), arm)
        v = v + turn.apply(np.einsum("pni,n->pi", field.psi(q), q_dot))
        place = result["bodies/bar/position"][k] + arm
        energy = 0.5 * field.mass @ (v**2).sum(axis=1) + 0.5 * q @ body.stiffness @ q
        sums.append([*(field.mass @ v), *(field.mass @ np.cross(place, v)), energy])
    history = np.array(sums)
    for part, tolerance in ((slice(0, 3), 1e-10), (slice(3, 6), 1e-10), (slice(6, 7), 1e-8)):
        assert np.abs(history[:, part] - history[0, part]).max() < tolerance * np.abs(history[:, part]).max()
    # that it bends meanwhile, by more than its thickness
    assert np.ptp(result["bodies/bar/elastic_position"], axis=0).max() > HEIGHT


def four_bar(bars: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Crank of 0.15 m, coupler and rocker of 0.5 m in a plane, driven under gravity."""
    joints = {
        "O": {"type": "revolute", "bodies": ["ground", "crank"], "axis": "y"},
        "A": {"type": "revolute", "bodies": ["crank", "coupler"], "axis": "y"},
        "B": {"type": "spherical", "bodies": ["coupler", "rocker"]},
        "C": {"type": "revolute", "bodies": ["ground", "rocker"], "axis": "y"},
    }
    middle = {"deflection": "coupler.middle", "component": "z"}
    return {
        "model": {"name": "four-bar", "gravity": [0, 0, -9.81]},
        "points": {"O": [0, 0, 0], "A": [0.15, 0, 0], "B": [0.65, 0, 0], "C": [0.65, 0, -0.5]},
        "bodies": {"crank": {"mass": 0.5, "rod": ["O", "A"]}, **bars},
        "joints": {name: {**joint, "at": name} for name, joint in joints.items()},
        "motions": {"drive": {"joint": "O", "rate": 40.0}},
        "sensors": {"middle": {**middle, "chord": ["coupler.root", "coupler.tip"]}, "torque": {"motion": "drive"}},
        "analysis": {"end": 0.35, "step": 1e-4},
    }


def test_two_meshed_bars_in_a_loop_move_as_beams(folder: Path) -> None:
    """Both from one file. The bars bend by 2.6 mm: frequencies that differ by 1e-3 (the mesh, its rigid ends, shear)
    come apart by some 1 % of the ringing in these twenty periods; forces ring at the start with what the shapes have
    above 1 kHz, so the effort of the drive is compared after that is damped away."""
    damping = {"mass": 0.0, "stiffness": 2e-5}
    upright = [[0, 0, -1], [0, 1, 0], [1, 0, 0]]
    file = {"file": str(folder / "mean.h5"), "damping": damping}
    meshed = run(
        four_bar({"coupler": {**file, "at": "A"}, "rocker": {**file, "at": "C", "orientation": upright}}), folder
    )
    assert meshed.summary["energy_balance"] < 1e-4
    assert meshed.summary["largest_constraint_error"] < 1e-9
    swing, torque = np.array(meshed["middle"]), np.array(meshed["torque"])
    beam: dict[str, Any] = {
        "material": "steel",
        "section": {"type": "rectangle", "y": WIDTH, "z": HEIGHT},
        "shapes": {"family": "modes", "bending": 4, "axial": 1, "torsion": 1},
        "rotary_inertia": True,
        "damping": damping,
        "y_axis": "y",
        "markers": {"root": {"along": 0.0}, "tip": {"along": 1.0}, "middle": {"along": 0.5}},
    }
    beams = run(four_bar({"coupler": {**beam, "beam": ["A", "B"]}, "rocker": {**beam, "beam": ["C", "B"]}}), folder)
    expected = np.array(beams["middle"])
    assert np.abs(expected).max() > 1e-3
    assert np.abs(swing - expected).max() < 0.015 * np.abs(expected).max()
    late = np.array(beams.time) > 0.1
    expected = np.array(beams["torque"])[late]
    assert np.abs(torque[late] - expected).max() < 0.015 * np.abs(expected).max()
