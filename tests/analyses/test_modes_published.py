"""`flexmb modes` on published cases, where it says more than `flexmb verify`: A14 sleeping top, B05a, B10a.

Models and numbers with their sources stand in flexmb/verification.

Covers: reports.modes_report, results.modal_result, results.modal_tables.
"""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import flexmb as fx
from flexmb.analyses.modes import modes_of_model
from flexmb.results.modal_result import ModalResult
from flexmb.verification import DATA, MODELS
from tests.support.command_line import call

EXPECTED = {
    entry["id"].split("-")[0]: entry["expected"]
    for name in ("published_cases", "published_flexible")
    for entry in json.loads((DATA / f"{name}.json").read_text())
}
COORDINATES = ["joint", "absolute"]


def close(found: Any, want: Any, *, rtol: float = 0.0, atol: float = 0.0) -> None:
    np.testing.assert_allclose(found, want, rtol=rtol, atol=atol)


def rates(report: ModalResult) -> list[float]:
    """Circular frequencies of the modes that something resists, ascending [rad/s]."""
    return sorted(2 * np.pi * mode.frequency for mode in report.shown)


def is_steady(report: ModalResult) -> bool:
    """No note says that the modes hold for an instant only."""
    return not any("this instant only" in note for note in report.linear.notes)


def of_case(case: str, settings: dict[str, str] | None = None, **tables: Any) -> ModalResult:
    model = fx.read_model(MODELS / f"{case}.toml", settings)
    return modes_of_model(fx.Model.from_tables({**model.identity, **tables}))


# A14: (Jt + m l^2) W^2 - Ja w W + m g l = 0

TOP = (1.0 * 0.1**2 + 0.001, -0.002 * 300.0, 1.0 * 9.81 * 0.1)
NUTATIONS = sorted(np.roots(TOP))
"""The closed form, to rounding [rad/s]."""


@pytest.mark.parametrize("coordinates", COORDINATES)
@pytest.mark.parametrize("case", ["A14_sleeping_top", "A14_gyrostat"])
def test_a14_sleeping_top(case: str, coordinates: str) -> None:
    close(NUTATIONS, EXPECTED["A14"]["rad/s"], atol=1e-7)  # seven decimals
    report = of_case(case, coordinates={"default": coordinates})
    # Differences with an error of 2e-9 of the largest entry, which the lower frequency of 1/30 may see as 6e-8.
    close(rates(report), NUTATIONS, rtol=1e-7)
    assert is_steady(report)
    for mode in report.shown:
        assert abs(mode.eigenvalue.real) < 1e-7 * abs(mode.eigenvalue)  # nothing damps it


@pytest.mark.parametrize("coordinates", COORDINATES)
def test_a14_in_axes_that_turn_with_the_top(coordinates: str) -> None:
    # On a spherical joint the small rotations are counted in the body: a precession of W in space is one of 300 - W.
    tables = fx.read_model(MODELS / "A14_gyrostat.toml").identity
    del tables["bodies"]["top"]["rotor"]
    tables["joints"]["tilt"] = {
        "type": "spherical",
        "bodies": ["ground", "top"],
        "at": [0, 0, 0],
        "velocity": [0, 0, 300],
    }
    report = modes_of_model(fx.Model.from_tables({**tables, "coordinates": {"default": coordinates}}))
    close(rates(report), 300.0 - np.array(NUTATIONS)[::-1], rtol=1e-7)
    assert any("measured in rotating axes" in note and "(300 rad/s)" in note for note in report.linear.notes)


def test_a14_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = tmp_path / "modes.csv"
    code, out, _ = call(capsys, "modes", str(MODELS / "A14_sleeping_top.toml"), "-o", str(table))
    assert code == 0 and "0.268524" in out and "8.41265" in out
    with table.open() as file:
        found = [float(row["frequency [Hz]"]) for row in csv.DictReader(file)]
    close([value for value in found if value], EXPECTED["A14"]["Hz"], atol=1e-7)


@pytest.mark.parametrize("joint", ["spherical", "free"])
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_free_body_that_turns_about_a_principal_axis(axis: int, joint: str) -> None:
    # Euler: the rates of a body that turns at w about axis 3 change with s^2 = -w^2 (J3 - J1)(J3 - J2)/(J1 J2), which
    # grow about the middle axis; a tilt at rest in space goes round with -w in the body.
    inertia, speed = [1.0, 2.0, 3.5], 5.0
    rates_of_body = [0.0] * 3
    rates_of_body[axis] = speed
    velocity = rates_of_body if joint == "spherical" else [0.0] * 3 + rates_of_body
    held = {"type": joint, "bodies": ["ground", "body"], "at": [0, 0, 0], "velocity": velocity}
    data = {"bodies": {"body": {"mass": 1.0, "inertia": inertia}}, "joints": {"joint": held}}
    report = modes_of_model(fx.Model.from_tables(data))
    J3, J1, J2 = (inertia[(axis + k) % 3] for k in range(3))
    square = -(speed**2) * (J3 - J1) * (J3 - J2) / (J1 * J2)
    want = sorted([square, -(speed**2)])
    found = sorted({round((mode.eigenvalue**2).real, 6) for mode in report.shown})
    close(found, want, atol=1e-6)
    assert is_steady(report)


# B05a: the rotating cantilever, Wright, Smith, Thresher & Wang 1982

DRIVEN = '\n[parameters]\neta = 0\n[motions.hub]\njoint = "bearing"\nrate = "$eta"\n'


def flapping_and_lagging(flap: Any, eta: float) -> list[float]:
    """Frequencies across the plane of rotation, and in it, where the centrifugal force softens them by eta^2."""
    return sorted([*flap, *np.sqrt(np.array(flap) ** 2 - eta**2)])


def test_b05a_in_absolute_coordinates() -> None:
    motion = {"hub": {"joint": "bearing", "rate": 6.0}}
    joint, absolute = (
        of_case("B05a_rotating_cantilever", motions=motion, coordinates={"default": kind}) for kind in COORDINATES
    )
    close(rates(absolute)[:6], flapping_and_lagging(EXPECTED["B05a"]["6"], 6.0), rtol=5e-6)
    # The same equations; the stiffest of the eight polynomials vibrates at 6e3 rad/s, of which 1e-12 is 2e-9 of the
    # lowest frequency.
    close(rates(absolute), rates(joint), rtol=1e-7)


def test_b05a_campbell_diagram_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model, table = tmp_path / "cantilever.toml", tmp_path / "campbell.csv"
    model.write_text((MODELS / "B05a_rotating_cantilever.toml").read_text() + DRIVEN)
    code, _, _ = call(capsys, "modes", str(model), "--over", "eta=0:12:7", "--most", "20", "-o", str(table))
    assert code == 0
    with table.open() as file:
        rows = {float(row["eta"]): row for row in csv.DictReader(file)}
    for eta in (0.0, 2.0, 6.0, 12.0):
        columns = [value for name, value in rows[eta].items() if name.startswith("mode ") and name.endswith("[Hz]")]
        found = sorted(2 * np.pi * float(value) for value in columns)
        close(found[:6], flapping_and_lagging(EXPECTED["B05a"][f"{eta:g}"], eta), rtol=5e-6)


@pytest.mark.parametrize(("support", "joint"), [("free-free", "planar"), ("hub 0.1", "revolute")])
def test_b10a_free_motions(support: str, joint: str) -> None:
    # Two zero eigenvalues for each freedom that the support leaves; the frequencies are those of `flexmb verify`.
    settings = {"joints.support.type": joint, "J": "0" if joint == "planar" else "0.1"}
    report = of_case("B10a_beam_with_cantilever_shapes", settings)
    assert len([mode for mode in report.modes if mode.is_free]) == (6 if joint == "planar" else 2)
    close(rates(report)[:3], EXPECTED["B10a"][support], rtol=1e-3)
