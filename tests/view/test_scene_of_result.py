"""The scene of a run: drawn points against the kinematics of the run, joints that stay closed at any exaggeration.

Covers: results.model_of_result, view.body_fields, view.chord_frame, view.framing, view.recorded_motion, view.snapshots,
view.symbols.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import flexmb as fx
from flexmb.bodies.flexible_body import FlexibleBody
from flexmb.errors import InputError
from flexmb.results.model_of_result import model_of
from flexmb.results.result_file import Result
from flexmb.system.placement import place
from flexmb.view.chord_frame import chord_frame, interpolation, smallest_rotations
from flexmb.view.framing import round_scale
from flexmb.view.recorded_motion import RecordedMotion
from flexmb.view.scene import Part, continuous, quaternions, rotations
from flexmb.view.scene_of_result import chosen_rows, covered, scene_of_result
from flexmb.view.snapshots import fitted_shapes
from tests.support.places import EXAMPLES
from tests.support.reduced_meshes import rod_file

MICRON = 1e-6


def run(path: Path, model: fx.Model) -> Result:
    return fx.run_model(model, path)


@pytest.fixture(scope="module")
def crank(tmp_path_factory: pytest.TempPathFactory) -> Result:
    """The flagship, half a turn."""
    settings = {"turns": "0.5", "analysis.step": "2e-5", "output.every": "2e-4"}
    model = fx.read_model(EXAMPLES / "04_spatial_slider_crank.toml", settings)
    return run(tmp_path_factory.mktemp("crank") / "crank.h5", model)


def kinematics(result: Result, body: str, rows: np.ndarray) -> np.ndarray:
    """(r, s, 3) world positions of the skin of a body, by its field and its pose, without any shapes of the scene"""
    spec = model_of(result).spec
    mechanism = place(spec)
    skin = covered(spec, mechanism, mechanism.body_index[body]).skin
    q = result[f"bodies/{body}/elastic_position"].reshape(result.n_rows, -1)[rows]
    R = rotations(result[f"bodies/{body}/quaternion"][rows])
    local = skin.points + skin.displacements(q)
    return np.einsum("rij,rsj->rsi", R, local) + result[f"bodies/{body}/position"][rows][:, None]


def joint_gaps(result: Result, part: Part, scale: float) -> float:
    """Largest distance of the drawn joints of a body from where its joints are [m]."""
    spec = model_of(result).spec
    mechanism = place(spec)
    motion = RecordedMotion(result, mechanism, chosen_rows(result, 10**6, None, None))
    number = mechanism.body_index[part.name]
    chord = motion.chord_of(number)
    gaps = []
    for joint in mechanism.joints:
        for marker in (joint.first, joint.second):
            if mechanism.markers[marker].body != number:
                continue
            path = motion.marker_path(marker)
            drawn = path.position + (scale - 1.0) * path.deflection
            gaps.append(np.abs(drawn - path.position).max())
            w = np.einsum("j,rji->ri", chord.spread(mechanism.markers[marker].p_b[None])[0], chord.offsets)
            local = mechanism.markers[marker].p_b + w
            at = np.einsum("rij,rj->ri", rotations(part.quaternion), np.broadcast_to(local, (len(part.position), 3)))
            gaps.append(np.abs(at + part.position - path.position).max())
    return max(gaps)


def test_drawn_points_are_those_of_the_run(crank: Result) -> None:
    scene = scene_of_result(crank)
    rows = np.array([0, 7, crank.n_rows // 2, crank.n_rows - 1])
    expected = kinematics(crank, "rod", rows)
    drawn = np.array([scene.part("rod").positions(int(row)) for row in rows])
    assert np.abs(drawn - expected).max() < MICRON * 0.3  # a millionth of the length of the rod


def test_all_rows_are_drawn_to_the_tolerance(crank: Result) -> None:
    scene = scene_of_result(crank)
    expected = kinematics(crank, "rod", np.arange(crank.n_rows))
    drawn = np.array([scene.part("rod").positions(row) for row in range(crank.n_rows)])
    assert np.abs(drawn - expected).max() < MICRON * 0.3


@pytest.mark.parametrize("scale", [1.0, 10.0, 1000.0])
def test_joints_stay_closed(crank: Result, scale: float) -> None:
    part = scene_of_result(crank).part("rod")
    assert joint_gaps(crank, part, scale) < 1e-9


def test_deflection_is_that_of_the_sensor(crank: Result) -> None:
    """The middle of the rod off its chord, world axes: the sensors measure the axis, the scene the skin over it."""
    scene = scene_of_result(crank)
    part = scene.part("rod")
    middle = part.points[:, 0] == part.points[part.marks["middle"], 0]
    for row in (3, crank.n_rows // 2, crank.n_rows - 1):
        # the mean of a ring of the skin is the axis, up to the turn of the section
        u = rotations(part.quaternion[row]) @ part.deflection(row)[middle].mean(axis=0)
        assert u[1] == pytest.approx(crank["rod_mid_y"][row], abs=2e-7)
        assert u[2] == pytest.approx(crank["rod_mid_z"][row], abs=2e-7)


def test_curves_and_arrows(crank: Result) -> None:
    scene = scene_of_result(crank, channels=["slider_x", "bearing.force"])
    assert [curve.name for curve in scene.curves] == [
        "slider_x",
        "bearing.force.x",
        "bearing.force.y",
        "bearing.force.z",
    ]
    np.testing.assert_array_equal(scene.curves[0].values, crank["slider_x"])
    big_end = next(arrow for arrow in scene.arrows if arrow.name == "big_end" and arrow.unit == "N")
    R = rotations(crank["bodies/crank/quaternion"])
    marker = place(model_of(crank).spec)
    first = marker.markers[marker.joints[marker.joint_index["big_end"]].first]
    expected = np.einsum("rij,jk,rk->ri", R, first.R_b, crank["joints/big_end/force"])
    np.testing.assert_allclose(big_end.vector, expected, atol=1e-9 * np.abs(expected).max())
    # the force on the rod at A, and the one on it at B, move its mass: their sum is the rate of momentum
    other = next(arrow for arrow in scene.arrows if arrow.name == "small_end" and arrow.unit == "N")
    assert np.abs(big_end.vector + other.vector).max() < 1.1 * (np.abs(big_end.vector) + np.abs(other.vector)).max()


def test_frames_are_thinned_evenly(crank: Result) -> None:
    scene = scene_of_result(crank, frames=20)
    assert len(scene.time) == 20
    assert scene.time[0] == crank.time[0] and scene.time[-1] == crank.time[-1]
    assert np.ptp(np.diff(scene.time)) <= 2.1 * np.diff(crank.time).max()
    assert any("20 of the" in note for note in scene.notes)


def test_part_of_the_time(crank: Result) -> None:
    scene = scene_of_result(crank, start=0.005, end=0.01)
    assert 0.005 <= scene.time[0] and scene.time[-1] <= 0.01
    with pytest.raises(InputError, match="goes from 0 to"):
        scene_of_result(crank, start=7.0)


def test_stress_of_a_beam_is_that_of_its_bending(crank: Result) -> None:
    """sigma = E y kappa, with the curvature of the shapes sin(k pi x/L)."""
    part = scene_of_result(crank).part("rod")
    assert part.stress is not None
    row = int(np.argmax([part.von_mises(k).max() for k in range(crank.n_rows)]))  # type: ignore[union-attr]
    q = crank["bodies/rod/elastic_position"][row]
    x = part.points[:, 0]
    curvature = [
        sum(q[3 * p + k - 1] * (k * np.pi / 0.3) ** 2 * np.sin(k * np.pi * x / 0.3) for k in (1, 2, 3)) for p in (0, 1)
    ]
    expected = np.abs(2e11 * (part.points[:, 1] * curvature[0] + part.points[:, 2] * curvature[1]))
    found = part.von_mises(row)
    assert found is not None
    np.testing.assert_allclose(found, expected, atol=2e-3 * expected.max())


def model_with(end: str, **beam: object) -> fx.Model:
    """A bar on a hinge that falls, as a beam of the given field."""
    model = fx.Model("fall", gravity=(0, 0, -9.81))
    section = {"type": "rectangle", "y": 0.01, "z": 0.004}
    shapes = {"family": "modes", "bending": 2, "axial": 1, "torsion": 1, "supports": "clamped-free"}
    model.beam(
        "arm",
        along=((0, 0, 0), (0.5, 0, 0)),
        material="aluminium",
        section=section,
        shapes=shapes,
        frame="start",
        **beam,
    )
    if end == "hinge":
        model.revolute("hinge", model.ground, "arm", at=(0, 0, 0), axis="y")
    elif end == "clamp":
        model.fixed("clamp", model.ground, "arm", at=(0, 0, 0))
    model.analysis(end=0.05, step=2e-4)
    return model


@pytest.mark.parametrize("field", ["exact", "quadratic", "linear"])
@pytest.mark.parametrize("end", ["hinge", "clamp", "free"])
def test_beams_of_every_field(tmp_path: Path, field: str, end: str) -> None:
    result = run(tmp_path / "arm.h5", model_with(end, field=field))
    scene = scene_of_result(result)
    rows = np.arange(0, result.n_rows, 25)
    drawn = np.array([scene.part("arm").positions(int(row)) for row in rows])
    assert np.abs(drawn - kinematics(result, "arm", rows)).max() < MICRON * 0.5
    if end != "free":
        assert joint_gaps(result, scene.part("arm"), 100.0) < 1e-9


def test_mesh_body(tmp_path: Path) -> None:
    """A body file: drawn points by its surface shapes and second derivatives, found beside the result or elsewhere."""
    file = rod_file(tmp_path / "bodies" / "rod.h5")
    model = fx.Model("swing", gravity=(0, 0, -9.81))
    model.flexible("rod", file=str(file))
    marker = place(model.spec).markers[place(model.spec).marker_index["rod.a"]]
    model.revolute("hinge", model.ground, "rod", at=tuple(marker.p_b), axis="y")
    model.analysis(end=0.02, step=2e-4)
    result = run(tmp_path / "swing.h5", model)
    rows = np.arange(0, result.n_rows, 20)
    scene = scene_of_result(result)
    drawn = np.array([scene.part("rod").positions(int(row)) for row in rows])
    assert np.abs(drawn - kinematics(result, "rod", rows)).max() < MICRON * 0.3
    assert scene.part("rod").nodes is not None

    file.rename(tmp_path / "moved.h5")
    with Result(tmp_path / "swing.h5") as again:
        assert len(scene_of_result(again).part("rod").points) == len(scene.part("rod").points)  # lies beside the result
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (tmp_path / "moved.h5").rename(elsewhere / "other_name.h5")
    with Result(tmp_path / "swing.h5") as again:
        with pytest.raises(InputError, match="is not found in .*--bodies"):
            scene_of_result(again)
        assert scene_of_result(again, folder=elsewhere).part("rod").n_shapes > 0


def test_a_body_file_that_has_changed_is_refused(tmp_path: Path) -> None:
    file = rod_file(tmp_path / "rod.h5")
    model = fx.Model("drift")
    model.flexible("rod", file=str(file))
    model.analysis(end=0.001, step=1e-3)
    run(tmp_path / "drift.h5", model).close()
    rod_file(file, modes=3)
    with Result(tmp_path / "drift.h5") as result, pytest.raises(InputError, match="has changed since the run"):
        scene_of_result(result)


def test_displacement_in_python(crank: Result) -> None:
    surface = crank.surface("rod")
    t = crank.time[[5, 30]]
    both = crank.displacement("rod", t)
    assert both.shape == (2, len(surface.points), 3)
    one = crank.displacement("rod", t[1])
    np.testing.assert_allclose(one, both[1], atol=1e-15)
    expected = kinematics(crank, "rod", np.array([30]))[0]
    R = rotations(crank["bodies/rod/quaternion"][30])
    np.testing.assert_allclose((surface.points + one) @ R.T + crank["bodies/rod/position"][30], expected, atol=1e-12)
    with pytest.raises(InputError, match="not a flexible body.*'rod'"):
        crank.displacement("rot", 0.0)
    with pytest.raises(InputError, match="outside the result"):
        crank.displacement("rod", 99.0)


def test_spring_reaches_both_ends(tmp_path: Path) -> None:
    model = model_with("clamp", field="exact")
    tip = model.marker("arm", "tip", along=1.0)
    post = model.marker(model.ground, "post", at=(0.5, 0, -0.2))
    model.spring_damper("spring", post, tip, stiffness=50.0, length=0.2)
    result = run(tmp_path / "sprung.h5", model)
    scene = scene_of_result(result)
    spring, arm = scene.part("spring spring"), scene.part("arm")
    mechanism = place(model.spec)
    motion = RecordedMotion(result, mechanism, np.arange(result.n_rows))
    path = motion.marker_path(mechanism.marker_index["arm.tip"])
    for scale in (1.0, 50.0):
        for row in (0, result.n_rows - 1):
            drawn = spring.positions(row, scale)
            end = path.position[row] + (scale - 1.0) * path.deflection[row]
            ends = drawn[np.abs(spring.shapes[0][:, 2] - 1.0) < 1e-6].mean(axis=0)
            assert np.linalg.norm(ends - end) < 1e-5 * scale * 0.2
            # the tip of the spring is at the tip of the drawn arm, exaggerated or not
            tip_ring = arm.positions(row, scale)[np.abs(arm.points[:, 0] - 0.5) < 1e-9].mean(axis=0)
            assert np.linalg.norm(tip_ring - end) < 2e-3


def test_forces_are_arrows(tmp_path: Path) -> None:
    model = model_with("clamp", field="exact")
    tip = model.marker("arm", "tip", along=1.0)
    model.force("push", tip, vector=["3*t", 0, 2], axes="marker")
    result = run(tmp_path / "pushed.h5", model)
    arrow = next(arrow for arrow in scene_of_result(result).arrows if arrow.name == "push")
    mechanism = place(model.spec)
    path = RecordedMotion(result, mechanism, np.arange(result.n_rows)).marker_path(mechanism.marker_index["arm.tip"])
    given = np.stack([3.0 * result.time, 0.0 * result.time, 2.0 + 0.0 * result.time], axis=1)
    np.testing.assert_allclose(arrow.vector, np.einsum("rij,rj->ri", path.R, given), atol=1e-9)
    np.testing.assert_allclose(np.linalg.norm(arrow.vector, axis=1), result["forces/push/effort"], rtol=1e-12)


@pytest.mark.parametrize("count", [2, 3, 4, 5, 6])
def test_interpolation_between_joints(count: int) -> None:
    rng = np.random.default_rng(count)
    joints = rng.normal(size=(count, 3))
    np.testing.assert_allclose(interpolation(joints, joints), np.eye(count), atol=1e-9)
    points = rng.normal(size=(50, 3))
    np.testing.assert_allclose(interpolation(joints, points).sum(axis=1), 1.0, atol=1e-9)
    if count == 2:
        along = (points - joints[0]) @ (joints[1] - joints[0]) / np.sum((joints[1] - joints[0]) ** 2)
        np.testing.assert_allclose(interpolation(joints, points)[:, 1], along, atol=1e-12)


@pytest.mark.parametrize("count", [1, 2, 3, 5])
def test_chord_frame_holds_every_joint(count: int) -> None:
    """Random joints that move at random, the body exaggerated: the joints are where they are."""
    rng = np.random.default_rng(count)
    joints = rng.normal(size=(count, 3))
    places = joints + 0.1 * rng.normal(size=(7, count, 3))
    turns = rotations(quaternions(np.linalg.qr(rng.normal(size=(7 * count, 3, 3)))[0])).reshape(7, count, 3, 3)
    frame = chord_frame(joints, places, turns, 1.0)
    u = frame.deflections(joints, places - joints)
    assert np.abs(u).max() < 1e-12
    shapes, amplitudes = frame.carried_shapes(joints, 1.0)
    at, R = frame.poses(np.zeros((7, 3)), np.broadcast_to(np.eye(3), (7, 3, 3)))
    drawn = np.einsum("rij,rsj->rsi", R, joints + np.einsum("rc,csi->rsi", amplitudes, shapes)) + at[:, None]
    np.testing.assert_allclose(drawn, places, atol=1e-9)


def test_smallest_rotations() -> None:
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=3), rng.normal(size=(20, 3))
    R = smallest_rotations(a, b)
    np.testing.assert_allclose(R @ R.transpose(0, 2, 1), np.broadcast_to(np.eye(3), R.shape), atol=1e-12)
    np.testing.assert_allclose(R @ (a / np.linalg.norm(a)), b / np.linalg.norm(b, axis=1)[:, None], atol=1e-12)
    angle = np.arccos((np.trace(R, axis1=1, axis2=2) - 1.0) / 2.0)
    between = np.arccos(b @ a / np.linalg.norm(a) / np.linalg.norm(b, axis=1))
    np.testing.assert_allclose(angle, between, atol=1e-7)


def test_shapes_of_snapshots_find_a_field_of_low_rank() -> None:
    rng = np.random.default_rng(3)
    fields, amounts = rng.normal(size=(5, 900, 3)), rng.normal(size=(400, 5)) * [1.0, 0.3, 0.1, 1e-3, 1e-6]

    def evaluate(rows: np.ndarray, points: np.ndarray) -> np.ndarray:
        return np.einsum("rk,kpi->rpi", amounts[rows], fields[:, points])

    found = fitted_shapes(evaluate, 400, 900, 1e-4)
    assert len(found.shapes) == 4 and found.error < 1e-4  # the fifth is below the tolerance
    whole = np.einsum("rk,kpi->rpi", found.amplitudes, found.shapes.astype(float))
    assert np.abs(whole - evaluate(np.arange(400), np.arange(900))).max() < 1e-4


def test_a_short_event_between_snapshots_is_found() -> None:
    """One row of a thousand has a field of its own."""
    rng = np.random.default_rng(4)
    usual, rare = rng.normal(size=(800, 3)), rng.normal(size=(800, 3))

    def evaluate(rows: np.ndarray, points: np.ndarray) -> np.ndarray:
        return np.sin(rows)[:, None, None] * usual[points] + (rows == 437)[:, None, None] * 0.3 * rare[points]

    found = fitted_shapes(evaluate, 1000, 800, 1e-5)
    whole = np.einsum("k,kpi->pi", found.amplitudes[437], found.shapes.astype(float))
    assert np.abs(whole - evaluate(np.array([437]), np.arange(800))[0]).max() < 1e-5


@pytest.mark.parametrize(
    ("wanted", "largest", "scale"),
    [(1.0, 2.0, 1.0), (1.0, 0.3, 2.0), (1.0, 1e-6, 1000.0), (1.0, 0.02, 50.0), (1.0, 0.0, 1.0)],
)
def test_round_scale(wanted: float, largest: float, scale: float) -> None:
    assert round_scale(wanted, largest) == scale


def test_quaternions_do_not_jump() -> None:
    angle = np.linspace(0.0, 12.0 * np.pi, 500)
    q = np.stack([np.cos(angle / 2), 0 * angle, np.sin(angle / 2), 0 * angle], axis=1)
    flipped = q * np.where(np.arange(500) % 3 == 0, -1.0, 1.0)[:, None]
    assert np.abs(np.diff(continuous(flipped), axis=0)).max() < 0.05
    np.testing.assert_allclose(rotations(quaternions(rotations(q))), rotations(q), atol=1e-12)


def test_a_page_needs_no_heavy_package(crank: Result, tmp_path: Path) -> None:
    """A page must be there on a bare machine at once: no VTK, no matplotlib, no compiler."""
    code = (
        "import sys; from flexmb.cli import main; "
        f"assert main(['animate', {str(crank.path)!r}, '-o', {str(tmp_path / 'page.html')!r}]) == 0; "
        "print([name for name in ('numba', 'matplotlib', 'vtk', 'vtkmodules', 'pyvista') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]" and (tmp_path / "page.html").stat().st_size > 100_000


def test_flexible_bodies_are_flexible_parts(crank: Result) -> None:
    scene = scene_of_result(crank)
    mechanism = place(model_of(crank).spec)
    flexible = {body.name for body in mechanism.bodies if isinstance(body, FlexibleBody)}
    assert {part.name for part in scene.flexible} == flexible == {"rod"}
    assert {"crank", "slider"} <= {part.name for part in scene.parts if part.kind == "rigid"}
    assert {part.name for part in scene.parts if part.kind == "symbol"} >= {
        "joint bearing",
        "joint guide",
        "drive drive",
    }
