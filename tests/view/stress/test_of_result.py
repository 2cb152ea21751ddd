"""Stress over a run against strength of materials: a cantilever with a mass, a rotating bar, meshes and beams."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import flexmb as fx
from flexmb.bodies.body_file import write_body
from flexmb.model.model import Model
from flexmb.results.stress_findings import Envelope
from flexmb.system.placement import place
from flexmb.view.stress.of_result import stress_fields
from tests.support import loaded_bars as heated
from tests.support.stress_models import HEIGHT, LENGTH, PERIOD, STEP, WIDTH, E, bar_file, beam, bending, with_mass

CUBIC = {"family": "elements", "elements": 1, "bending": {"y": 0, "z": 2}}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("bodies")


def outer(envelope: Envelope, x: float) -> np.ndarray:
    """Points of the upper and lower side at x."""
    on_side = np.abs(np.abs(envelope.points[:, 2]) - 0.5 * HEIGHT) < 1e-9
    return np.flatnonzero(on_side & (np.abs(envelope.points[:, 0] - x) < 1e-9))


@pytest.mark.parametrize("field", ["linear", "quadratic"])
def test_a_released_mass_bends_a_meshed_cantilever_by_twice_its_weight(field: str, folder: Path) -> None:
    """sigma = 2 m g (L - x) c/I after half a period, tension above and compression below."""
    findings = fx.run(with_mass({"file": str(bar_file(folder, field)), "at": [0, 0, 0]})).stress("bar", off_ties=True)
    (body,) = findings.bodies
    one = body.envelope
    # hex20 has bending moments that vary linearly along a cell to second order; at 150 mm the tie's end effect of
    # width 12 mm has died out: 5e-5. The field of second order shortens the arm by 1e-4.
    for x in (0.15, 0.2):
        at = outer(one, x)
        assert len(at) == 6
        assert one.von_mises[at] == pytest.approx(bending(x), rel=2e-4)
        assert one.principal[at] == pytest.approx(np.sign(one.points[at, 2]) * bending(x), rel=2e-4)
        # The rows are T/400 apart; the mass is 5e-4 slower by shear.
        assert one.von_mises_time[at] == pytest.approx(0.5 * PERIOD, abs=1.5 * STEP)
    assert all(abs(spot.position[0] - x) >= body.apart for spot in body.spots for x in (0.0, LENGTH))
    assert body.apart == pytest.approx(0.05 * LENGTH)


def test_the_nodes_of_ties_are_known(folder: Path) -> None:
    spec = with_mass({"file": str(bar_file(folder)), "at": [0, 0, 0]}).spec
    (field,), without = stress_fields(spec, place(spec), [])
    assert without == [] and [name for name, _ in field.interfaces] == ["root", "tip"]
    held = {"root": field.points[:, 0] == 0.0, "tip": np.isclose(field.points[:, 0], LENGTH)}
    for name, at in held.items():
        assert {field.interface_of(int(point)) for point in np.flatnonzero(at)} == {name}
    free = np.flatnonzero(~(held["root"] | held["tip"]))
    assert {field.interface_of(int(point)) for point in free} == {""}


def test_a_beam_as_well_and_its_damage_by_hand() -> None:
    """Three periods: three cycles between 0 and the largest, mean half of it; Goodman and Basquin by hand."""
    result = fx.run(with_mass(beam(shapes=CUBIC), periods=3.0))
    top = bending(0.0)
    line = fx.SNLine(sigma_a=40e6, N=1e6, k=5.0, Rm=400e6)
    findings = fx.stress_of(result, sn=line)
    (spot,) = findings.spots
    # Integration at T/400: (omega h)^2/12 of the period, 1e-5 of the size.
    assert spot.von_mises == pytest.approx(top, rel=1e-4) and abs(spot.position[0]) < 1e-12
    assert (spot.node, spot.side, spot.interface) == (None, "", "")
    assert spot.damage is not None
    # Above tension, below compression; the first point is above.
    assert spot.position[2] == pytest.approx(0.5 * HEIGHT)
    assert spot.damage.cycles == pytest.approx(np.tile([0.5 * top, 0.5 * top, 1.0], (3, 1)), rel=2e-3)
    by_hand = 3e-6 * (0.5 * top / (1.0 - 0.5 * top / 400e6) / 40e6) ** 5
    assert spot.damage.damage == pytest.approx(by_hand, rel=1e-2)
    assert spot.damage.repeats == pytest.approx(1.0 / by_hand, rel=1e-2)
    assert any("without notches" in note for note in findings.notes)
    assert any("no stress of tension" in note for note in findings.notes)


def test_a_part_of_a_run_has_its_own_envelope() -> None:
    """Up to a quarter of the period half of the largest is reached: 1 - cos(pi/2)."""
    result = fx.run(with_mass(beam(shapes=CUBIC)))
    early = fx.stress_of(result, end=0.25 * PERIOD)
    assert early.spots[0].von_mises == pytest.approx(0.5 * bending(0.0), rel=1e-3)
    assert early.spots[0].von_mises_time == pytest.approx(0.25 * PERIOD) == early.end
    late = fx.stress_of(result, start=0.6 * PERIOD)
    assert late.spots[0].von_mises_time == pytest.approx(0.6 * PERIOD, abs=STEP)
    assert early.n_rows == 101 and late.start >= 0.6 * PERIOD - 1e-12


def test_a_rotating_bar_is_stretched_by_its_own_mass() -> None:
    """sigma = rho omega^2 (L^2 - x^2)/2, the largest at the axis, in every row."""
    density, omega = 7850.0, 400.0
    shapes = {"family": "monomials", "bending": 2, "axial": 3}
    body = beam(density, shapes=shapes, elastic_position=None)
    tables: dict[str, Any] = {
        "bodies": {"bar": {key: value for key, value in body.items() if value is not None}},
        "joints": {"hub": {"type": "revolute", "bodies": ["ground", "bar"], "at": [0, 0, 0], "axis": "z"}},
        "motions": {"drive": {"joint": "hub", "expression": f"{omega} * t"}},
        "analysis": {"end": 1e-4, "step": 1e-6, "elastic_start": "quasi-static"},
    }
    findings = fx.run(Model.from_tables(tables)).stress("bar")
    one = findings.bodies[0].envelope
    expected = 0.5 * density * omega**2 * (LENGTH**2 - one.points[:, 0] ** 2)
    # u' of degree 2 is exact to first order; the stretch of 1e-4 of the radius adds as much.
    assert one.von_mises == pytest.approx(expected, abs=3e-4 * expected.max())
    assert one.principal == pytest.approx(expected, abs=3e-4 * expected.max())
    assert findings.spots[0].position[0] == 0.0


def test_bodies_are_chosen_and_ordered(folder: Path) -> None:
    result = fx.run(with_mass({"file": str(bar_file(folder)), "at": [0, 0, 0]}, periods=0.05))
    assert [body.envelope.body for body in fx.stress_of(result, "bar").bodies] == ["bar"]
    for bodies, text in ((["weight"], "'weight' is not a flexible body"), (["bra"], "Did you mean 'bar'")):
        with pytest.raises(fx.InputError, match=text):
            fx.stress_of(result, bodies)


def test_a_body_without_stress_says_how_to_get_it(folder: Path) -> None:
    result = fx.run(with_mass({"file": str(bar_file(folder, stress=False)), "at": [0, 0, 0]}, periods=0.05))
    for bodies in ((), ("bar",)):
        with pytest.raises(fx.InputError, match="flexmb reduce ... --stress.*stress = true"):
            fx.stress_of(result, bodies)


def test_all_faults_of_a_request_at_once(folder: Path) -> None:
    result = fx.run(with_mass({"file": str(bar_file(folder)), "at": [0, 0, 0]}, periods=0.05))
    with pytest.raises(fx.InputError) as caught:
        fx.stress_of(result, start=0.2, end=0.1, spots=0, apart=-1.0, by="tresca", sn="k=5")
    assert len(caught.value.faults) == 5
    with pytest.raises(fx.InputError, match="no rows from t = 7 to 8 s"):
        fx.stress_of(result, start=7.0, end=8.0)
    with pytest.raises(fx.InputError, match="one row has no cycles"):
        fx.stress_of(result, end=0.0, sn="sigma_a = 160 MPa, N = 2e6, k = 5")


def test_width_is_not_mixed_up_with_height() -> None:
    """The section stands upright: the modulus of the constants of the model."""
    assert bending(0.0) == pytest.approx(2.0 * 2.0 * 9.81 * LENGTH * 6.0 / (WIDTH * HEIGHT**2)) and E == 2e11


def test_a_heated_bar_between_walls_is_pressed(folder: Path) -> None:
    """sigma = -E alpha T, the stress of the load shape, though nothing moves. The averaged ties hold the ends by forces
    on corners and edges, which disturb the stress over a length of the order of the height, 10 mm. Stress is linear in
    the coordinates, also in the quadratic field: exact to the order of the strain alpha T."""
    file = write_body(heated.bar("heat=temperature:all", stress=True), folder / "heated.h5")
    heat = {"h": heated.shape("heat", "30 K*t/(1 s)")}
    data = heated.held(file, "fixed", heat, analysis={"end": 1.0, "step": 0.01})
    (body,) = fx.run(Model.from_tables(data)).stress("bar").bodies
    one, want = body.envelope, heated.E * heated.ALPHA * 30.0
    middle = np.abs(one.points[:, 0] - one.points[:, 0].mean()) < 0.25 * heated.LENGTH
    assert one.von_mises[middle] == pytest.approx(want, rel=heated.ALPHA * 30.0)
    assert one.principal[middle] == pytest.approx(-want, rel=heated.ALPHA * 30.0)
    assert one.von_mises_time[middle] == pytest.approx(1.0)
