"""Peaks of a run: each against an independent search over the rows, or by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from flexmb.analyses.run import run_model
from flexmb.errors import InputError
from flexmb.model.model import Model
from flexmb.model.model_file import read_model
from flexmb.results.result_file import Result
from flexmb.view.peaks import QUANTITIES, Peak, peaks_of
from tests.support.made_results import crank_result, made_result
from tests.support.places import ROOT

E, WIDTH, HEIGHT, LENGTH, LOAD = 2.1e11, 0.01, 0.02, 1.0, 30.0


def cantilever() -> Model:
    """A tip load on a clamped beam, at rest; cubic elements are exact for it."""
    tables = {
        "model": {"name": "cantilever"},
        "materials": {"steel": {"E": E, "nu": 0.3, "density": 7850}},
        "sections": {"bar": {"type": "rectangle", "y": HEIGHT, "z": WIDTH}},
        "bodies": {
            "arm": {
                "beam": [[0, 0, 0], [LENGTH, 0, 0]],
                "y_axis": "y",
                "material": "steel",
                "section": "bar",
                "shapes": {"family": "elements", "elements": 2, "bending": {"y": 4, "z": 0}},
                "frame": "start",
                "field": "linear",
            }
        },
        "joints": {"clamp": {"type": "fixed", "markers": ["ground", "arm.start"]}},
        "forces": {"push": {"type": "force", "marker": "arm.end", "vector": [0, LOAD, 0]}},
        "analysis": {"type": "static"},
    }
    return Model.from_tables(tables)


def by_quantity(peaks: tuple[Peak, ...]) -> dict[str, Peak]:
    return {peak.quantity: peak for peak in reversed(peaks)}


def test_a_cantilever_by_hand(tmp_path: Path) -> None:
    with run_model(cantilever(), tmp_path / "a.h5") as result:
        found = by_quantity(result.peaks)
    assert found["stress"].value == pytest.approx(LOAD * LENGTH * 6.0 / (WIDTH * HEIGHT**2), rel=1e-6)
    assert (found["stress"].unit, found["stress"].place, found["stress"].at) == ("Pa", "bodies.arm", "x = 0 m")
    assert found["reaction force"].value == pytest.approx(LOAD, rel=1e-9)
    assert found["reaction moment"].value == pytest.approx(LOAD * LENGTH, rel=1e-6)
    assert found["load"] == Peak("load", "forces.push", pytest.approx(LOAD), "N", 0.0)
    inertia = WIDTH * HEIGHT**3 / 12.0
    bow = max(abs(LOAD / (6.0 * E * inertia) * (x**2 * (3.0 - x) - 2.0 * x)) for x in np.linspace(0.0, 1.0, 21))
    assert found["deflection"].value == pytest.approx(bow, rel=1e-6), "from the chord"


def test_the_order_is_that_of_the_quantities_and_the_largest_comes_first(tmp_path: Path) -> None:
    with run_model(read_model(ROOT / "examples" / "04_spatial_slider_crank.toml"), tmp_path / "a.h5") as result:
        found = result.peaks
        places = [QUANTITIES.index(peak.quantity) for peak in found]
        assert places == sorted(places)
        for one, other in zip(found, found[1:], strict=False):
            assert one.quantity != other.quantity or abs(one.value) >= abs(other.value)
        forces = {p: np.linalg.norm(result[p], axis=1) for p in result.channels if p.endswith("/force")}
        path = max(forces, key=lambda path: forces[path].max())
        largest = by_quantity(found)["reaction force"]
        assert largest.place == f"joints.{path.split('/')[1]}" and largest.value == forces[path].max()
        assert largest.time == result.time[np.argmax(forces[path])]
        effort = result["motions/drive/effort"] if "motions/drive/effort" in result.channels else None
        drive = by_quantity(found)["drive effort"]
        if effort is not None:
            assert drive.value == effort[np.argmax(np.abs(effort))]
        assert {p.place for p in found if p.quantity in ("stress", "deflection")} == {"bodies.rod"}


def test_channels_alone(tmp_path: Path) -> None:
    with crank_result(tmp_path / "a.h5") as result:
        found = {(peak.quantity, peak.place): peak for peak in peaks_of(result)}
    assert found["reaction force", "joints.bearing"].value == pytest.approx(5.0)
    assert found["reaction moment", "joints.bearing"].time == pytest.approx(0.1)
    time = np.linspace(0.0, 1.0, 11)
    series = {
        "time": ("s", time),
        "forces/motor/effort": ("N*m", -time),
        "forces/spring/effort": ("N", time**2),
    }
    settings = {"forces": {"motor": {"type": "actuator"}, "spring": {"type": "spring-damper"}}}
    with made_result(tmp_path / "b.h5", series, settings) as result:
        assert result.peaks == (
            Peak("drive effort", "forces.motor", -1.0, "N*m", 1.0),
            Peak("load", "forces.spring", 1.0, "N", 1.0),
        )


def test_a_lost_body_file_is_reported_not_passed_over(tmp_path: Path) -> None:
    with run_model(cantilever(), tmp_path / "a.h5") as result:
        settings, path = result.settings, result.path
    settings["bodies"]["arm"] = {"file": "sha256:" + 64 * "0"}
    series = {"time": ("s", np.zeros(1)), "bodies/arm/elastic_position": ("m", np.zeros((1, 2)))}
    with made_result(tmp_path / "b.h5", series, settings) as lost, pytest.raises(InputError, match="body 'arm'"):
        _ = lost.peaks
    with Result(path) as result:
        assert result.peaks
