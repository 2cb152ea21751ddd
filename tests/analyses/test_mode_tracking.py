"""Campbell lines: modes followed over a parameter by their shapes, through crossings and past veerings.

Covers: analyses.modes_sweep.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from flexmb.analyses.mode_tracking import Spectrum, tracked
from flexmb.analyses.modes_sweep import sweep_modes
from tests.support.command_line import call, folder

__all__ = ["folder"]
Capture = pytest.CaptureFixture[str]
TIGHT = 1e-8  # frequencies come from central differences with an error bound of 1e-9

MODEL = """
[model]
name = "two oscillators"
gravity = [0, 0, 0]
[parameters]
k = 50
coupling = 0
[bodies.one]
mass = 2
inertia = [1, 1, 1]
[bodies.two]
mass = 2
inertia = [1, 1, 1]
at = [1, 0, 0]
[joints.a]
type = "prismatic"
bodies = ["ground", "one"]
at = [0, 0, 0]
axis = "x"
[joints.b]
type = "prismatic"
bodies = ["ground", "two"]
at = [1, 0, 0]
axis = "x"
[forces.first]
type = "joint-spring"
joint = "a"
stiffness = "$k"
damping = 0.4
[forces.second]
type = "joint-spring"
joint = "b"
stiffness = 100
[forces.between]
type = "spring-damper"
markers = ["one", "two"]
stiffness = "$coupling"
length = 1
[analysis]
end = 1
step = 0.01
"""


@pytest.fixture
def model(folder: Path) -> Path:
    path = folder / "two.toml"
    path.write_text(MODEL)
    return path


def frequencies(stiffness: Any, coupling: float) -> NDArray[np.float64]:
    """(n, 2) of the undamped pair, lower one first [Hz]"""
    K = np.array([[[k + coupling, -coupling], [-coupling, 100.0 + coupling]] for k in stiffness])
    return np.asarray(np.sqrt(np.linalg.eigvalsh(K) / 2.0) / (2.0 * np.pi))


@pytest.mark.parametrize("count", [6, 7], ids=["between two values", "equal at a value"])
def test_uncoupled_lines_cross(model: Path, count: int) -> None:
    values = np.linspace(50.0, 150.0, count)  # of seven values the fourth is 100, where both frequencies are the same
    settings = {"forces.first.damping": "0"}
    sweep = sweep_modes(model, settings, "k", values.tolist(), "start", 20)
    want = np.sqrt(np.column_stack([values, np.full(count, 100.0)]) / 2.0) / (2.0 * np.pi)
    np.testing.assert_allclose(sweep.frequencies, want, rtol=TIGHT)


def test_damping_goes_with_its_line(model: Path) -> None:
    values = np.linspace(50.0, 150.0, 8)
    sweep = sweep_modes(model, {}, "k", values.tolist(), "start", 20)
    want = np.column_stack([0.4 / (2.0 * np.sqrt(2.0 * values)), np.zeros(len(values))])
    np.testing.assert_allclose(sweep.ratios, want, rtol=TIGHT, atol=TIGHT)


@pytest.mark.parametrize("count", [3, 6, 41])
def test_coupled_lines_turn_away_from_each_other(model: Path, count: int) -> None:
    """Weakly coupled: the lower one stays below, also where the values are too far apart for their shapes to tell.

    They turn within k = 100 +- 2 * coupling; values 50 apart are halved until this is seen (1/1024 of a step).
    """
    values = np.linspace(50.0, 150.0, count)
    settings = {"forces.first.damping": "0", "coupling": "0.5"}
    sweep = sweep_modes(model, settings, "k", values.tolist(), "start", 20)
    np.testing.assert_allclose(sweep.frequencies, frequencies(values, 0.5), rtol=TIGHT)


def test_lines_end_where_modes_do_not_oscillate(model: Path) -> None:
    values = [1.0, 30.0, 50.0, 60.0]  # critical: 2 sqrt(2 * 50) = 20, from which on there are two real eigenvalues
    sweep = sweep_modes(model, {}, "forces.first.damping", values, "start", 20)
    np.testing.assert_allclose(sweep.frequencies[:, 1], np.sqrt(50.0) / (2.0 * np.pi), rtol=TIGHT)
    assert sweep.frequencies.shape == (4, 2) and np.isnan(sweep.frequencies[1:, 0]).all()
    assert sweep.ratios[0, 0] == pytest.approx(1.0 / 20.0, rel=TIGHT)


def test_real_eigenvalues_are_printed_beside_the_lines(model: Path, capsys: Capture) -> None:
    """Overdamped from 20 N s/m on: s = (-c +- sqrt(c^2 - 4 m k))/(2 m) with m = 2, k = 50."""
    values = [1.0, 30.0, 50.0]
    sweep = sweep_modes(model, {}, "forces.first.damping", values, "start", 20)
    root = np.sqrt(np.square(values[1:]) - 400.0)
    np.testing.assert_allclose(
        sweep.real[1:], np.column_stack([root, -root]) / 4.0 - np.array([[7.5], [12.5]]), rtol=1e-7
    )
    assert np.isnan(sweep.real[0]).all() and not sweep.n_free.any()
    words = ["modes", "two.toml", "--over", "forces.first.damping=30:50:2", "-o", "real.csv"]
    code, out, _ = call(capsys, *words)
    assert code == 0 and "real eigenvalues [1/s]" in out and f"{sweep.real[1, 1]:.6g}" in out
    rows = np.loadtxt("real.csv", delimiter=",", skiprows=1)
    np.testing.assert_allclose(rows[:, -2:], sweep.real[1:])


def test_most_keeps_the_lines_that_come_lowest(model: Path) -> None:
    values = [200.0, 150.0, 90.0, 40.0]
    sweep = sweep_modes(model, {"forces.first.damping": "0"}, "k", values, "start", 1)
    np.testing.assert_allclose(sweep.frequencies[:, 0], np.sqrt(np.array(values) / 2.0) / (2.0 * np.pi), rtol=TIGHT)


def test_command_line_prints_lines_that_cross(model: Path, capsys: Capture) -> None:
    words = ["modes", "two.toml", "--over", "k=50:200:4", "--set", "forces.first.damping=0", "-o", "lines.csv"]
    code, out, err = call(capsys, *words)
    assert (code, err) == (0, "")
    rows = np.loadtxt("lines.csv", delimiter=",", skiprows=1)
    np.testing.assert_allclose(rows[:, 2], np.sqrt(50.0) / (2.0 * np.pi), rtol=TIGHT)
    assert np.all(np.diff(rows[:, 1]) > 0.0) and rows[0, 1] < rows[0, 2] and rows[-1, 1] > rows[-1, 2]


def test_whirl_of_a_rotor_from_standstill() -> None:
    """Both whirls begin as one frequency with any pair of shapes; each line is then one of them, straight on."""

    def spectrum(speed: float) -> Spectrum:
        # z'' - i speed z' + 100 z = 0 with z = x + i y: z ~ e^(i w t), w = speed/2 +- sqrt(speed^2/4 + 100)
        forward, backward = (sign * speed / 2.0 + np.sqrt(speed**2 / 4.0 + 100.0) for sign in (1.0, -1.0))
        shapes = np.array([[1.0, 1.0], [-1.0j, 1.0j]])
        if speed == 0.0:
            shapes = np.array([[0.6, 0.8], [0.8, -0.6]], dtype=complex)
        return Spectrum(1j * np.array([forward, backward]), shapes, np.eye(2), ("x", "y"))

    values = [0.0, 1.0, 2.0, 3.0]
    calls: list[float] = []

    def between(value: float) -> Spectrum:
        calls.append(value)
        return spectrum(value)

    table = tracked(values, [spectrum(value) for value in values], between)
    rising = np.diff(table.imag, axis=0) > 0.0
    assert table.shape == (4, 2) and all(column.all() or not column.any() for column in rising.T)
    assert not calls, "shapes of one frequency are a space: no interval needs halving"


def test_other_coordinates_are_linked_by_their_order() -> None:
    """A parameter that changes the number of shapes: there is nothing to compare."""
    few = Spectrum(1j * np.array([1.0, 2.0]), np.eye(2, dtype=complex), np.eye(2), ("a", "b"))
    many = Spectrum(1j * np.array([1.1, 2.1, 3.1]), np.eye(3, dtype=complex), np.eye(3), ("a", "b", "c"))
    table = tracked([2.0, 3.0], [few, many], lambda value: few)
    np.testing.assert_allclose(table.imag, [[1.0, 2.0, np.nan], [1.1, 2.1, 3.1]])
