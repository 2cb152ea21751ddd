"""Flexible bodies as drawn against strength of materials: sections that twist, stress by hand, meshes and bodies by
their matrices, unusual runs.

Covers: bodies.skin, view.beam_stress, view.flexible_parts.
"""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from flexmb.bodies.body_file import write_body
from flexmb.bodies.quadratic_beam import quadratic_field, quadratic_marker
from flexmb.bodies.reduced_body import ReducedBody
from flexmb.results.result_file import Result
from flexmb.system.placement import place
from flexmb.view.scene import Part, rotations
from flexmb.view.scene_of_result import chosen_rows, scene_of_result
from tests.support.drawn_models import drawn, held_beam, ring, turn
from tests.support.flexible_mechanisms import STEEL
from tests.support.mechanisms import spec_of
from tests.support.reduced_meshes import reduced

E, G = 2.0e11, 2.0e11 / 2.6
RADIUS, LENGTH = 0.01, 1.0
ROUND = {"type": "circle", "radius": RADIUS}
SHAPES = {"family": "monomials", "bending": 3, "axial": 1, "torsion": 1}


def bar(loads: dict[str, Any], **keys: Any) -> dict[str, Any]:
    """A bar of 1 m along x, clamped at its start, with loads on its end."""
    body = {"beam": [[0, 0, 0], [LENGTH, 0, 0]], "material": STEEL, "section": ROUND, "shapes": SHAPES}
    return {
        "bodies": {"bar": {**body, "frame": "start", **keys}},
        "joints": {"wall": {"type": "fixed", "bodies": ["ground", "bar"], "at": [0, 0, 0]}},
        "forces": {name: {"type": name, "marker": "bar.end", "vector": vector} for name, vector in loads.items()},
    }


def at_rest(path: Path, data: dict[str, Any]) -> tuple[Part, float]:
    """The bar in balance with its loads, and the largest stress of the scene [Pa]."""
    _, scene, _ = drawn(path, data, end=1e-5, step=1e-5, elastic_start="quasi-static")
    return scene.part("bar"), scene.largest_stress


def stress(part: Part) -> np.ndarray:
    found = part.von_mises(0)
    assert found is not None
    return found


def test_stress_of_a_round_bar_is_that_of_the_handbook(tmp_path: Path) -> None:
    """Bending by a force, stretch, twist, all at once: sigma = N/A + M y/I, tau = T r/J, sqrt(sigma^2 + 3 tau^2).

    The pull straightens the bar: M = F sinh(k (L - x))/(k cosh(k L)), k^2 = N/(E I).
    """
    pull, side, twist = 2000.0, 10.0, 20.0
    part, largest = at_rest(tmp_path / "bar.h5", bar({"force": [pull, side, 0], "torque": [twist, 0, 0]}))
    area, I = np.pi * RADIUS**2, np.pi * RADIUS**4 / 4.0
    x, y, z = part.points.T
    k = np.sqrt(pull / (E * I))
    sigma = pull / area - side * np.sinh(k * (LENGTH - x)) / (k * np.cosh(k * LENGTH)) * y / I
    tau = twist * np.hypot(y, z) / (2.0 * I)
    expected = np.sqrt(sigma**2 + 3.0 * tau**2)
    # three polynomials meet the bending to a percent
    np.testing.assert_allclose(stress(part), expected, atol=0.01 * expected.max())
    assert largest == pytest.approx(stress(part).max(), rel=1e-3)
    assert np.ptp(expected) > 0.1 * expected.max()


@pytest.mark.parametrize("load", ["force", "torque"])
def test_stress_at_a_step_of_the_section(tmp_path: Path, load: str) -> None:
    """A bar half as thick behind the middle: two stresses at the step, each with the modulus of its own section."""
    thin = {"type": "circle", "radius": 0.5 * RADIUS}
    steps = [{"to": 0.4, "section": ROUND}, {"section": thin}]
    shapes = {"family": "elements", "bending": 6, "axial": 1, "torsion": 8}
    vector = [0, 2.0, 0] if load == "force" else [3.0, 0, 0]
    data = bar({load: vector}, sections=steps, shapes=shapes)
    del data["bodies"]["bar"]["section"]
    part, largest = at_rest(tmp_path / "bar.h5", data)
    r = np.hypot(part.points[:, 1], part.points[:, 2])
    found, step = stress(part), ring(part, 0.4)
    for radius in (RADIUS, 0.5 * RADIUS):
        own = step[np.abs(r[step] - radius) < 0.01 * radius]
        assert len(own) >= 20
        I = np.pi * radius**4 / 4.0
        expected = 2.0 * (LENGTH - 0.4) * radius / I if load == "force" else np.sqrt(3.0) * 3.0 * radius / (2.0 * I)
        # modes meet static curvatures and twist rates to some percent
        assert found[own].max() == pytest.approx(expected, rel=0.1)
    thinnest = np.pi * (0.5 * RADIUS) ** 4 / 4.0
    highest = 2.0 * 0.6 * 0.5 * RADIUS / thinnest if load == "force" else np.sqrt(3.0) * 1.5 * RADIUS / (2 * thinnest)
    assert largest == pytest.approx(highest, rel=0.25)  # somewhere on the thin piece


def test_sections_without_a_true_outline_have_no_stress(tmp_path: Path) -> None:
    """Numbers that no slender beam has are drawn smaller than they say: a stress on that skin would be invented."""
    data = bar({"force": [0, 5.0, 0]}, section={"type": "general", "A": 1e-4, "I": 1.0, "J": 2.0})
    part, largest = at_rest(tmp_path / "bar.h5", data)
    assert part.stress is None and largest == 0.0


def test_a_twisted_rectangle_turns_its_sections(tmp_path: Path) -> None:
    """A torque on the end of a flat bar: every section is turned by T x/(G J), exactly, and stays what it is."""
    flat = {"type": "rectangle", "y": 0.03, "z": 0.005}
    part, _ = at_rest(tmp_path / "bar.h5", bar({"torque": [40.0, 0, 0]}, section=flat))
    J = 0.03 * 0.005**3 * (1.0 / 3.0 - 0.21 * 0.005 / 0.03 * (1.0 - (0.005 / 0.03) ** 4 / 12.0))
    angle = 40.0 * LENGTH / (G * J)
    assert 0.3 < angle < 0.8
    at = part.positions(0)
    for x in (0.0, 0.5, 1.0):
        own = ring(part, x)
        # handbook formulas of the torsion constant agree to a percent
        np.testing.assert_allclose(at[own], part.points[own] @ turn(0, x * angle).T, atol=0.01 * angle * 0.015)
        distances = [np.linalg.norm(points[:, None] - points[None], axis=2) for points in (at[own], part.points[own])]
        np.testing.assert_allclose(*distances, atol=1e-7)


def test_the_picture_does_not_depend_on_the_frame_of_a_beam(tmp_path: Path) -> None:
    """Frames are a choice of coordinates: drawn points and deflections are the same, exaggerated or not."""
    frames = ("start", "mean")
    both = [drawn(tmp_path / f"{frame}.h5", held_beam(frame=frame), end=0.02, step=2e-4)[1] for frame in frames]
    largest = both[0].largest_deflection
    assert both[1].largest_deflection == pytest.approx(largest, rel=1e-2)
    for scale in (1.0, 100.0):
        first, second = (scene.part("beam").positions(len(scene.time) - 1, scale) for scene in both)
        assert np.abs(first - second).max() < 1e-2 * scale * largest


# Bodies from meshes


@pytest.fixture(scope="module")
def meshed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, ReducedBody]:
    """A steel bar of 0.3 x 0.012 x 0.008 m with rigid ends a and b."""
    body = reduced(modes=3, stress=True)
    return write_body(body, tmp_path_factory.mktemp("bodies") / "bar.h5"), body


def meshed_bar(file: Path, body: ReducedBody, joint: str, **keys: Any) -> dict[str, Any]:
    at = next(marker.p_b for marker in body.markers if marker.name == "a").tolist()
    hold = {"type": joint, "bodies": ["ground", "bar"], "at": at} | ({"axis": "y"} if joint == "revolute" else {})
    return {"bodies": {"bar": {"file": str(file)} | keys}, "joints": {"hold": hold}}


def test_stress_of_a_meshed_bar_in_pure_bending(tmp_path: Path, meshed: tuple[Path, ReducedBody]) -> None:
    data = meshed_bar(*meshed, "fixed")
    data["forces"] = {"bend": {"type": "torque", "marker": "bar.b", "vector": [0, 0, 20.0]}}
    part, _ = at_rest(tmp_path / "bar.h5", data)
    inner = np.abs(part.points[:, 0] - 0.15) < 0.06
    expected = 20.0 * np.abs(part.points[:, 1] - 0.006) / (0.008 * 0.012**3 / 12.0)
    assert expected.max() > 1e8
    # six distorted elements
    np.testing.assert_allclose(stress(part)[inner], expected[inner], atol=0.03 * expected.max())


@pytest.mark.parametrize("field", ["quadratic", "linear"])
def test_rigid_ends_of_a_mesh_move_with_their_markers(
    tmp_path: Path, meshed: tuple[Path, ReducedBody], field: str
) -> None:
    """Nodes that are tied to a marker stay a rigid piece of the skin: the symbol at one end, the arrow at the other."""
    data = meshed_bar(*meshed, "revolute", field=field) | {"output": {"every": 1e-3}}
    data["forces"] = {"push": {"type": "force", "marker": "bar.b", "vector": [0, 200.0, 100.0]}}
    _, scene, mechanism = drawn(tmp_path / "bar.h5", data, end=0.01, step=1e-4)
    part, row = scene.part("bar"), len(scene.time) - 1
    assert part.nodes is not None and scene.largest_deflection > 3e-3
    push = next(arrow for arrow in scene.arrows if arrow.name == "push")
    for marker in meshed[1].markers:
        tied = np.flatnonzero(np.isin(part.nodes, marker.nodes))
        assert len(tied) == 8
        at = part.positions(row)[tied]
        place_of = scene.part("joint hold").position[row] if marker.name == "a" else push.position[row]
        np.testing.assert_allclose(at.mean(axis=0), place_of, atol=1e-6)
        lengths = [np.linalg.norm(p[:, None] - p[None], axis=2) for p in (at, part.points[tied])]
        # the linear field stretches what it turns: by half the square of an angle of 0.1
        np.testing.assert_allclose(*lengths, atol=1e-6 if field == "quadratic" else 1e-4)
    exaggerated = part.positions(row, 1000.0)
    own = np.flatnonzero(np.isin(part.nodes, meshed[1].markers[0].nodes))
    gap = exaggerated[own].mean(axis=0) - scene.part("joint hold").position[row]
    assert np.linalg.norm(gap) < 1e-4 * 1000.0 * scene.largest_deflection


# Bodies by their matrices


def modal_beam(places: tuple[float, ...]) -> tuple[dict[str, Any], dict[str, Any]]:
    """A falling bar as a beam, and the same one by its matrices with markers at these places."""
    data = bar({}, field="quadratic", order=2) | {"model": {"gravity": [0, -3, -9.81]}, "output": {"every": 1e-3}}
    data["joints"]["wall"] = {"type": "revolute", "markers": ["ground", "bar.start"]}
    spec = spec_of(data)
    body = place(spec).bodies[1]
    field = quadratic_field(body.basis, 2)  # type: ignore[attr-defined]
    table = {key: getattr(field, key).tolist() for key in ("S0", "P0", "S1", "N1", "N2", "S2", "X", "N3")}
    markers = {}
    for number, x in enumerate(places):
        shapes = quadratic_marker(body.basis, np.array([x, 0.0, 0.0]), 2)  # type: ignore[attr-defined]
        arrays = {key: getattr(shapes, key).tolist() for key in ("Phi", "Theta", "G", "Gamma")}
        markers[f"m{number}"] = {"at": [x, 0.0, 0.0], **arrays}
    modal = {"modal": table | {"mass": body.mass, "K": body.stiffness.tolist()}, "markers": markers}  # type: ignore[attr-defined]
    joint = {"type": "revolute", "markers": ["ground", "bar.m0"]}
    return data, data | {"bodies": {"bar": modal}, "joints": {"wall": joint}}


def test_a_modal_body_is_a_stick_through_its_markers(tmp_path: Path) -> None:
    data, other = modal_beam((0.0, 1.0, 0.5))
    scenes = [drawn(tmp_path / f"{k}.h5", one, end=0.02, step=2e-4)[1] for k, one in enumerate((data, other))]
    beam, stick = (scene.part("bar") for scene in scenes)
    assert scenes[0].largest_deflection > 1e-5
    for scale in (1.0, 500.0):
        for x in (0.0, 0.5, 1.0):
            at = [part.positions(20, scale)[ring(part, x)].mean(axis=0) for part in (beam, stick)]
            np.testing.assert_allclose(*at, atol=1e-3 * scale * scenes[0].largest_deflection)


def test_a_modal_body_with_one_marker_can_be_seen(tmp_path: Path) -> None:
    _, other = modal_beam((0.0,))
    _, scene, _ = drawn(tmp_path / "one.h5", other, end=0.002, step=2e-4)
    assert np.ptp(scene.part("bar").points[:, 0]) == pytest.approx(0.5)  # from its marker to its middle


# Unusual runs


def test_a_body_that_nothing_holds_is_drawn_from_its_own_frame(tmp_path: Path) -> None:
    data = bar({"force": [0, 50.0, 0]}) | {"joints": {}, "output": {"every": 1e-3}}
    data["bodies"]["bar"] |= {"frame": "mean", "angular_velocity": [0, 0, 5.0]}
    result, scene, _ = drawn(tmp_path / "free.h5", data, end=0.02, step=2e-4)
    part = scene.part("bar")
    np.testing.assert_allclose(part.position, result["bodies/bar/position"], atol=1e-12)
    np.testing.assert_allclose(rotations(part.quaternion), rotations(result["bodies/bar/quaternion"]), atol=1e-12)
    push = next(arrow for arrow in scene.arrows if arrow.name == "force")
    for scale in (1.0, 20.0):
        end = part.positions(20, scale)[ring(part, LENGTH)].mean(axis=0)
        arrow = push.position[20] + (scale - 1.0) * push.deflection[20]
        np.testing.assert_allclose(arrow, end, atol=1e-3 * scale * scene.largest_deflection)


def test_one_row_is_a_picture(tmp_path: Path) -> None:
    result, _, _ = drawn(tmp_path / "one.h5", bar({"force": [0, 5.0, 0]}), end=1e-4, step=1e-4)
    scene = scene_of_result(result, start=1e-4)
    assert scene.time.tolist() == [1e-4]
    assert np.isfinite(scene.part("bar").positions(0)).all()
    assert scene_of_result(result, frames=1).time.tolist() == [0.0]


def test_rows_at_uneven_times_are_thinned_to_even_ones() -> None:
    """A run whose step grew from 1e-6 to 0.1: frames stand at the rows nearest to even times, each once."""
    time = np.concatenate([np.geomspace(1e-6, 0.1, 500), np.linspace(0.2, 10.0, 99)])
    rows = chosen_rows(SimpleNamespace(time=time, path="uneven.h5"), 60, None, None)  # type: ignore[arg-type]
    assert rows[0] == 0 and rows[-1] == len(time) - 1
    assert len(rows) > 50 and np.all(np.diff(rows) > 0)
    assert np.diff(time[rows]).max() < 0.31


def test_frames_that_miss_turns_are_told(tmp_path: Path) -> None:
    """A wheel at 50 rad/s written every 0.1 s turns by 5 rad from row to row: that is no longer a movie of it."""
    data = {
        "bodies": {"wheel": {"mass": 1.0, "inertia": [0.1, 0.1, 0.1]}},
        "joints": {"axle": {"type": "revolute", "bodies": ["ground", "wheel"], "at": [0, 0, 0], "axis": "z"}},
        "motions": {"drive": {"joint": "axle", "rate": 50.0}},
        "output": {"every": 0.1},
    }
    _, scene, _ = drawn(tmp_path / "coarse.h5", data, end=1.0, step=1e-3)
    assert any("turn by up to 286 degrees between two frames" in note for note in scene.notes)
    data["output"] = {"every": 0.01}
    _, scene, _ = drawn(tmp_path / "fine.h5", data, end=1.0, step=1e-3)
    assert not scene.notes


def test_up_is_against_gravity(tmp_path: Path) -> None:
    data = bar({}) | {"model": {"gravity": [0, 4.0, 3.0]}}
    _, scene, _ = drawn(tmp_path / "up.h5", data, end=1e-4, step=1e-4)
    np.testing.assert_allclose(scene.up, [0.0, -0.8, -0.6])


def test_an_interrupted_run_is_drawn_as_far_as_it_came(tmp_path: Path) -> None:
    import flexmb as fx
    from flexmb.model.model import Model

    data = bar({"force": [0, 5.0, 0]}) | {"analysis": {"end": 0.5, "step": 1e-4}, "output": {"every": 1e-3}}
    model = Model.from_tables(data)

    def stop(t: float, *_: Any) -> None:
        if t > 0.05:
            raise KeyboardInterrupt

    result = fx.run_model(model, tmp_path / "run.h5", progress=stop)
    scene = scene_of_result(result)
    assert 0.02 < scene.time[-1] < 0.5 and "interrupted" in scene.subtitle
    result.close()
    with fx.run_model(model, tmp_path / "run.h5", resume=True) as again:
        assert isinstance(again, Result)
        whole = scene_of_result(again)
    assert whole.time[-1] == pytest.approx(0.5) and "interrupted" not in whole.subtitle
    for row in (5, 40):
        np.testing.assert_allclose(whole.part("bar").positions(row), scene.part("bar").positions(row), atol=1e-6)
