"""Modes of whole mechanisms as scenes and by flexmb animate: shapes, closed loops, sizes, words.

Covers: analyses.mode_motion.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.linalg import eigh

from flexmb.analyses.modes import modes_of_model
from flexmb.errors import InputError
from flexmb.model.model_file import parse_model, read_model
from flexmb.results.modal_result import ModalResult
from flexmb.view.animate import animate
from flexmb.view.scene import Part, Scene, rotations
from flexmb.view.scene_of_body import CYCLE
from flexmb.view.scene_of_modes import scene_of_modes
from tests.support.command_line import call, folder
from tests.support.places import EXAMPLES

__all__ = ["folder"]
Capture = pytest.CaptureFixture[str]
TIGHT = 1e-8  # shapes come from central differences with an error bound of 1e-9

CHAIN = """
[model]
name = "two sliders"
gravity = [0, 0, 0]
[parameters]
damping = 3
[bodies.one]
mass = 1
inertia = [1, 1, 1]
geometry = { sphere = 0.05 }
[bodies.two]
mass = 2
inertia = [1, 1, 1]
at = [1, 0, 0]
geometry = { sphere = 0.05 }
[joints.a]
type = "prismatic"
bodies = ["ground", "one"]
at = [0, 0, 0]
axis = "x"
[joints.b]
type = "prismatic"
bodies = ["one", "two"]
at = [1, 0, 0]
axis = "x"
[forces.first]
type = "joint-spring"
joint = "a"
stiffness = 100
damping = "$damping"
[forces.second]
type = "joint-spring"
joint = "b"
stiffness = 80
[analysis]
end = 1
step = 0.01
"""
CANTILEVER = """
[model]
name = "cantilever"
gravity = [0, 0, 0]
[bodies.beam]
beam = [[0, 0, 0], [1, 0, 0]]
material = { E = 2.1e11, nu = 0.3, density = 7850 }
section = { type = "rectangle", y = 0.02, z = 0.01 }
[joints.wall]
type = "fixed"
bodies = ["ground", "beam"]
at = [0, 0, 0]
[analysis]
end = 1
step = 0.01
"""


def scene(model: Any, *modes: int, about: str = "start", **options: Any) -> tuple[ModalResult, Scene]:
    report = modes_of_model(model, about=about)
    return report, scene_of_modes(report, model.spec, modes, **options)


def turns(part: Part) -> Any:
    """(f,) angle about z of a part that hangs at rest at frame 0 [rad]"""
    R = rotations(part.quaternion)
    return np.arctan2(R[:, 1, 0], R[:, 0, 0]) - np.arctan2(R[0, 1, 0], R[0, 0, 0])


def test_double_pendulum_swings_by_its_eigenvectors() -> None:
    """Two bars, absolute angles: M = [[m1/3 + m2, m2/2 l2/l1], ...] l1^2, K = diag((m1/2 + m2) l1, m2 l2/2) g."""
    m1, m2, l1, l2, g = 1.0, 0.7, 1.0, 0.8, 9.81
    M = [[(m1 / 3 + m2) * l1**2, m2 * l1 * l2 / 2], [m2 * l1 * l2 / 2, m2 * l2**2 / 3]]
    squares, vectors = eigh(np.diag([(m1 / 2 + m2) * l1 * g, m2 * g * l2 / 2]), M)
    report, found = scene(read_model(EXAMPLES / "01_double_pendulum.toml"), about="static")
    frames = round((len(found.time) - 1) / 2)
    for k in range(2):
        assert found.chapters[k][0] == CYCLE * k
        hertz = np.sqrt(squares[k]) / (2 * np.pi)
        assert f"{k + 1}: " in found.chapters[k][1] and f"{hertz:.4g} Hz, undamped" in found.chapters[k][1]
        upper, lower = (turns(found.part(name))[k * frames : (k + 1) * frames] for name in ("upper", "lower"))
        wave = np.sin(2 * np.pi * np.arange(frames) / frames)
        # the shape stands a quarter of the cycle after the start; both bars go through the state together
        np.testing.assert_allclose(upper, upper[frames // 4] * wave, atol=TIGHT)
        np.testing.assert_allclose(lower, lower[frames // 4] * wave, atol=TIGHT)
        assert lower[frames // 4] / upper[frames // 4] == pytest.approx(vectors[1, k] / vectors[0, k], rel=TIGHT)
    assert found.period == CYCLE and found.scale == 1.0
    assert not any("moves in this state" in note for note in found.notes)


def test_the_largest_displacement_is_a_tenth_of_the_mechanism() -> None:
    _, found = scene(read_model(EXAMPLES / "01_double_pendulum.toml"), 1, about="static")
    at_rest = np.concatenate([found.part(name).positions(0) for name in ("upper", "lower")])
    size = np.linalg.norm(np.ptp(at_rest, axis=0))
    moved = max(
        np.linalg.norm(found.part(name).positions(f) - found.part(name).positions(0), axis=1).max()
        for name in ("upper", "lower")
        for f in range(len(found.time))
    )
    # one digit of the scale is kept (half a unit of 1.8), and points on arcs come 0.1 % short of the linear size
    assert moved == pytest.approx(found.magnified * 0.01, rel=1e-2) and 0.08 < moved / size < 0.12
    _, other = scene(read_model(EXAMPLES / "01_double_pendulum.toml"), 1, about="static", scale=2.0)
    ratio = turns(other.part("upper"))[10] / turns(found.part("upper"))[10]
    assert other.magnified == 2.0 and ratio == pytest.approx(2.0 / found.magnified, rel=TIGHT)


def test_complex_shapes_keep_their_phases() -> None:
    """Damping at one of two sliders: the shown shows Re(x e^(i phase)), x from the matrices of the two masses."""
    M, C = np.array([[3.0, 2.0], [2.0, 2.0]]), np.diag([3.0, 0.0])  # relative coordinates
    A = np.block([[np.zeros((2, 2)), np.eye(2)], [-np.linalg.solve(M, np.diag([100.0, 80.0])), -np.linalg.solve(M, C)]])
    values, vectors = np.linalg.eig(A)
    chosen = sorted((k for k in range(4) if values[k].imag > 0), key=lambda k: abs(values[k]))
    report, found = scene(parse_model(CHAIN))
    frames = (len(found.time) - 1) // 2
    phases = 2 * np.pi * np.arange(frames) / frames - np.pi / 2
    for number, k in enumerate(chosen):
        rows = slice(number * frames, (number + 1) * frames)
        first, second = (found.part(name).position[rows, 0] - start for name, start in (("one", 0.0), ("two", 1.0)))
        shape = vectors[:2, k] / vectors[np.argmax(np.abs(vectors[:2, k])), k]
        shown = np.stack([first, second - first])
        size = np.abs(shown).max() / np.abs((shape[:, None] * np.exp(1j * phases)).real).max()
        want = size * (shape[:, None] * np.exp(1j * phases)).real
        np.testing.assert_allclose(shown, want, atol=TIGHT)
        assert np.abs(np.angle(shape)).max() > 0.02, "the two are out of phase"
        ratio = -values[k].real / abs(values[k])
        assert f"damping ratio {ratio:.3g}" in found.chapters[number][1]
    np.testing.assert_allclose(found.part("one").position[-1], found.part("one").position[frames], atol=1e-15)


def place(found: Scene, mechanism: Any, joint: str, number: int) -> Any:
    """(f, 3) of a marker: by the pose of its rigid body, by the symbol of the joint on a body that bends"""
    marker = mechanism.markers[number]
    if not marker.body:
        return np.tile(marker.p_b, (len(found.time), 1))
    part = found.part(mechanism.bodies[marker.body].name)
    if part.kind == "rigid":
        return part.position + rotations(part.quaternion) @ marker.p_b
    first = mechanism.joints[mechanism.joint_index[joint]].first
    return found.part(f"joint {joint}" if number == first else f"joint {joint}, second body").position


@pytest.mark.parametrize(
    ("file", "coordinates"),
    [("02_planar_slider_crank", "joint"), ("02_planar_slider_crank", "absolute"), ("04_spatial_slider_crank", "joint")],
)
def test_joints_stay_closed(file: str, coordinates: str) -> None:
    """The two markers of every pin and ball are at one place in every frame, at the size that is shown."""
    model = read_model(EXAMPLES / f"{file}.toml", {"coordinates.default": coordinates})
    report, found = scene(model)
    mechanism = report.system.mechanism
    gaps = []
    for joint in mechanism.joints:
        if joint.type.name in ("revolute", "spherical", "universal", "pin-in-slot"):
            first, second = (place(found, mechanism, joint.name, end) for end in (joint.first, joint.second))
            gaps.append((second - first)[:, 1:] if joint.type.name == "pin-in-slot" else second - first)  # slot along x
    assert len(gaps) >= 3 and max(np.linalg.norm(gap, axis=1).max() for gap in gaps) < 1e-9
    moved = max(np.ptp(part.position, axis=0).max() for part in found.parts if part.kind != "ground")
    assert moved > 1e-3, "what does not move is closed anyway"


def test_motions_hold_their_coordinate() -> None:
    """The driven crank of the spatial slider-crank stands still in all modes; the rod bends."""
    _, found = scene(read_model(EXAMPLES / "04_spatial_slider_crank.toml"), 1, 3)
    assert np.ptp(found.part("crank").quaternion, axis=0).max() < 1e-12
    assert found.largest_deflection > 5e-3
    assert any("moves in this state" in note for note in found.notes)


def test_bent_beam_has_the_shape_of_the_books() -> None:
    """Cantilever: cosh bx - cos bx - s (sinh bx - sin bx) with b = 1.8751, s = 0.734096 (Blevins)."""
    _, found = scene(parse_model(CANTILEVER), 1, scale=1.0)
    part = found.part("beam")
    moved = part.positions(10) - part.positions(0)
    top = np.argmax(np.abs(moved[:, 2]))
    x = part.points[:, 0] / part.points[:, 0].max()
    b, s = 1.875104, 0.734096
    w = np.cosh(b * x) - np.cos(b * x) - s * (np.sinh(b * x) - np.sin(b * x))
    tip = np.cosh(b) - np.cos(b) - s * (np.sinh(b) - np.sin(b))
    # four shapes hold the first mode to 1e-5; a displacement of 1 % of the length adds its square
    np.testing.assert_allclose(moved[:, 2] / moved[top, 2], w / tip, atol=5e-4)
    assert abs(moved[top, 2]) == pytest.approx(0.01, rel=1e-3) and found.magnified == 1.0


def test_modes_that_do_not_oscillate_and_that_grow() -> None:
    text = CHAIN.replace("damping = 3", "damping = 300")
    report, found = scene(parse_model(text), 1)
    assert report.shown[0].frequency == 0.0
    assert "decays by" in found.chapters[0][1] and any("moving both ways" in note for note in found.notes)
    upright = {"model.gravity": "[0, 9.81, 0]", "joints.shoulder.position": "0", "joints.elbow.position": "0"}
    report, found = scene(read_model(EXAMPLES / "01_double_pendulum.toml", upright), 1)
    assert "grows by" in " ".join(title for _, title in found.chapters) or report.shown[0].eigenvalue.real < 0.0
    with pytest.raises(InputError, match="No mode of the model 'Double pendulum' oscillates"):
        scene_of_modes(report, None)


def test_free_mechanism_has_nothing_to_show() -> None:
    model = read_model(EXAMPLES / "01_double_pendulum.toml", {"model.gravity": "[0, 0, 0]"})
    with pytest.raises(InputError, match="has no modes: nothing can oscillate or decay. Its motion meets no stiffness"):
        scene(model)


def test_numbers_that_are_not_there_name_those_that_are() -> None:
    with pytest.raises(InputError) as caught:
        scene(parse_model(CHAIN), 3, 0)
    text = str(caught.value)
    assert "has no mode '3', '0'" in text or "has no mode 3, 0" in text
    assert "It has 2, numbered as in 'flexmb modes': 1 is " in text


def test_large_sizes_are_halved_until_loops_close() -> None:
    model = read_model(EXAMPLES / "02_planar_slider_crank.toml")
    _, found = scene(model, 1, scale=1000.0)
    assert any("loops do not close at a larger one" in note for note in found.notes)


# Command line


def test_command_line_writes_pages_and_pictures(folder: Path, capsys: Capture) -> None:
    (folder / "chain.toml").write_text(CHAIN)
    code, out, err = call(capsys, "animate", "chain.toml", "--mode", "2", "--set", "damping=0", "-o", "mode.html")
    assert (code, err) == (0, "") and out.startswith("mode.html: ") and "41 frames, deflection scale " in out
    assert "times a scale of" in out and "damping ratio" not in Path("mode.html").read_text(encoding="utf-8")
    words = ["--about", "static", "--renderer", "flexmb", "--size", "320x180", "--quiet"]
    code, out, err = call(capsys, "animate", "chain.toml", *words, "-o", "modes.png")
    assert (code, out, err) == (0, "", "") and Path("modes.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("words", "messages"),
    [
        (["-o", "x.xyz"], ["--output: '.xyz' is not an animation format"]),
        (["--mode", "9", "-o", "x.html"], ["--mode: the model 'two sliders' has no mode", "It has 2"]),
        (["--mode", "first", "-o", "x.html"], ["has no mode 'first'. It has 2"]),
        (["--about", "rest", "-o", "x.html"], ["--about: there is no about 'rest'. Choices: start, static, steady."]),
        (
            ["--from", "1", "--field", "-o", "x.html"],
            ["--from: this option is for a result, but the source is a model", "--field"],
        ),
        (["--color", "stress", "-o", "x.html"], ["--color: modes of a mechanism have no stress"]),
        (["--set", "damping", "-o", "x.html"], ["--set damping: expected a name and a value"]),
        (["--set", "dumping=1", "-o", "x.html"], ["no parameter 'dumping'", "damping"]),
        (["--at", "9", "-o", "x.png"], ["--at: 9 s is outside the range 0 to 4 s"]),
        (["--follow", "three", "-o", "x.html"], ["--follow: there is no body 'three'"]),
    ],
)
def test_wrong_words(folder: Path, capsys: Capture, words: list[str], messages: list[str]) -> None:
    (folder / "chain.toml").write_text(CHAIN)
    code, out, err = call(capsys, "animate", "chain.toml", *words)
    assert code != 0 and out == "" and "Traceback" not in err
    for message in messages:
        assert message in err
    assert not list(folder.glob("x.*"))


def test_words_of_models_do_not_suit_other_sources(folder: Path) -> None:
    _, found = scene(parse_model(CHAIN))
    with pytest.raises(
        InputError, match="about: this option is for a result, body or model file, but the source is a scene"
    ):
        animate(found, "x.html", about="static")
    with pytest.raises(InputError, match="settings: this option changes a model file, but the source is a model"):
        animate(parse_model(CHAIN), "x.html", settings={"damping": 2})
    done = animate(parse_model(CHAIN), "x.html", modes=1)
    assert done.path == Path("x.html") and len(done.scene.chapters) == 1
