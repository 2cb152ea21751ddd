"""Findings on stress as a whole: warnings, order and choice of hot spots, of results that are made up.

Covers: results.stress_findings.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from flexmb.analyses.stress.field import StressField
from flexmb.analyses.stress.findings import StressRequest, stress_findings
from flexmb.analyses.stress.sn_line import SNLine
from flexmb.results.stress_findings import PRINCIPAL, StressFindings
from flexmb.warning import WarningRecord
from tests.support.made_results import made_result

F, MPA = 10.0, 1e6
LINE = SNLine(100 * MPA, 1e6, 5.0)


def found(path: Path, rows: int, request: dict[str, Any], shear: float = 80.0, **run: Any) -> StressFindings:
    """A strip of 11 points under stress of 100 MPa at x = 0 that falls to 50 at x = 1, at 10 Hz for a second.

    Node 0 is tied; a second amplitude is shear, constant in time, at the last point.
    """
    x = np.linspace(0.0, 1.0, 11)
    points = np.concatenate([np.stack([x, 0 * x, 0 * x], 1), np.stack([x, 0 * x + 0.1, 0 * x], 1)])
    k = np.arange(10)
    triangles = np.concatenate([np.stack([k, k + 1, k + 11], 1), np.stack([k + 1, k + 12, k + 11], 1)])
    shapes = np.zeros((22, 2, 6))
    shapes[:, 0, 0] = np.tile(100.0 - 50.0 * x, 2) * MPA
    shapes[10, 1, 3] = shear * MPA
    field = StressField("rod", points, triangles, shapes, 1.0, np.arange(22), (("foot", np.array([0, 11])),))
    time = np.linspace(0.0, 1.0, rows)
    angle = 2.0 * np.pi * F * time
    q = np.stack([np.sin(angle), np.ones(rows)], axis=1)
    series = {
        "time": ("s", time),
        "bodies/rod/position": ("m", np.zeros((rows, 3))),
        "bodies/rod/quaternion": ("1", np.tile([1.0, 0.0, 0.0, 0.0], (rows, 1))),
        "bodies/rod/elastic_position": ("m", q),
        "bodies/rod/elastic_velocity": ("m/s", np.stack([2 * np.pi * F * np.cos(angle), 0 * time], axis=1)),
        "solver/step": ("s", np.full(rows, 1e-5)),
    }
    with made_result(path / "a.h5", series, **run) as result:
        return stress_findings(result, [field], StressRequest(**{"first": 0, "last": rows, **request}))


def codes(findings: StressFindings) -> list[str]:
    return [warning.code for warning in findings.warnings]


def test_hot_spots_with_damage_by_hand(tmp_path: Path) -> None:
    """Ten cycles of 100 MPa: damage 1e-5; at the end shear makes sqrt(50^2 + 3 80^2) MPa."""
    findings = found(tmp_path, 1001, {"line": LINE})
    end, foot = findings.spots
    assert (end.node, end.interface, foot.node, foot.interface) == (10, "", 0, "foot")
    assert np.isclose(end.von_mises, np.hypot(50.0, np.sqrt(3.0) * 80.0) * MPA)
    assert np.isclose(end.principal, (25.0 + np.hypot(25.0, 80.0)) * MPA) or np.isclose(
        end.principal, -(25.0 + np.hypot(25.0, 80.0)) * MPA
    )
    assert foot.damage is not None and np.isclose(foot.damage.damage, 1e-5) and foot.damage.n_cycles == 10.0
    assert findings.bodies[0].apart == 0.05 and foot.damage.cycles[0, 0] == 100 * MPA
    document = findings.as_dict()
    assert document["bodies"][0]["spots"][1]["damage"] == foot.damage.damage


def test_the_stress_that_ranks(tmp_path: Path) -> None:
    """Principal stress: 25 + sqrt(25^2 + 80^2) = 108.8 MPa at the end, 100 at the foot."""
    findings = found(tmp_path, 1001, {"measure": PRINCIPAL, "line": LINE})
    assert [spot.node for spot in findings.spots] == [10, 0]
    assert findings.spots[1].damage is not None and np.isclose(findings.spots[1].damage.damage, 1e-5)


def test_a_sign_that_shear_leaves_open_is_a_warning(tmp_path: Path) -> None:
    findings = found(tmp_path, 1001, {"line": LINE})
    assert codes(findings) == ["stress-sign"]
    assert "hot spots 1" in findings.warnings[0].text and "critical-plane" in findings.warnings[0].text
    assert codes(found(tmp_path, 1001, {})) == [], "without an S-N line nothing is counted"


def test_rows_that_do_not_resolve_the_stress(tmp_path: Path) -> None:
    findings = found(tmp_path, 51, {})
    (warning,) = findings.warnings
    assert warning.code == "stress-rows" and warning.value is not None and 4.5 < warning.value < 5.5
    assert "varies at 10" in warning.text and "output.every" in warning.text
    assert codes(found(tmp_path, 111, {})) == []


def test_off_ties_leaves_the_interface_out_and_its_warning(tmp_path: Path) -> None:
    line = SNLine(100 * MPA, 1e6, 5.0, Rm=120 * MPA)
    near = found(tmp_path, 1001, {"off_ties": True, "apart": 0.3})
    assert [spot.node for spot in near.spots] == [10]
    assert codes(found(tmp_path, 1001, {"line": line})) == ["stress-sign", "above-strength"]


def test_warnings_of_the_run_about_the_body_hold(tmp_path: Path) -> None:
    run = [
        WarningRecord("modes-left-out", "modes left out would add 7 %.", "bodies.rod", 0.1, 0.07, "1"),
        WarningRecord("modes-left-out", "of another body", "bodies.crank", 0.1, 0.07, "1"),
        WarningRecord("large-turn", "is about steps", "bodies.rod", 0.1, 0.07, "1"),
    ]
    (warning,) = found(tmp_path, 1001, {}, warnings=run).warnings
    assert warning.text == "modes left out would add 7 %. Stress converges slower than deflection."


def test_the_largest_stress_at_a_tie_is_a_warning(tmp_path: Path) -> None:
    findings = found(tmp_path, 1001, {}, shear=0.0)
    assert codes(findings) == ["stress-at-tie"] and "node 0 of interface 'foot'" in findings.warnings[0].text
    assert codes(found(tmp_path, 1001, {"off_ties": True}, shear=0.0)) == []
