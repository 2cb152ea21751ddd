"""Flexible bodies in the reports: what they are, how far they were bent, warnings, and failures that name the cure.

Covers: analyses.run, bodies.deflection, bodies.flexible_properties, results.flexible_findings.
"""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from flexmb.analyses.check import check_model
from flexmb.analyses.run import run_model
from flexmb.bodies.deflection import centre_line, largest_deflection, steepest_slope
from flexmb.bodies.exact_motion import ExactMotion
from flexmb.bodies.flexible_body import FlexibleBody, beam_body
from flexmb.bodies.flexible_properties import slenderness, stiffness_change
from flexmb.bodies.marker_shapes import MarkerShapes
from flexmb.elements.material import Material
from flexmb.elements.section import circle
from flexmb.errors import ComputationError
from flexmb.model.model import Model
from flexmb.reduction.beam_basis import BeamBasis, Span, beam_basis
from flexmb.reports.flexible_report import STOCKY, flexible_warnings
from flexmb.results.flexible_findings import axial_force, flexible_findings
from flexmb.results.result_file import Result
from flexmb.system.build import build_system
from tests.support.flexible_mechanisms import A, cantilever, slider_crank, spinning_beam
from tests.support.mechanisms import spec_of


def words(text: str) -> str:
    """A report without its line breaks."""
    return " ".join(text.split())


def run(data: dict[str, Any], folder: Path) -> Result:
    """Run a model given by its tables."""
    return run_model(Model.from_tables(data), folder / "result.h5")


def basis_of(frame: str, **options: Any) -> BeamBasis:
    keys = {"family": "monomials", "bending_y": 3, "bending_z": 2, "axial": 1, "torsion": 1} | options
    return beam_basis(0.5, [Span(None, circle(0.004), Material(2e11, 8e10, 7800.0))], frame=frame, **keys)


@pytest.mark.parametrize("frame", ["start", "end", "chord", "mean"])
def test_centre_line_is_that_of_the_field(frame: str) -> None:
    basis, rng = basis_of(frame), np.random.default_rng(3)
    q = 0.02 * rng.normal(size=(4, 7))
    x = np.array([0.0, 0.1, 0.37, 0.5])
    exact, witness = beam_body("b", basis), ExactMotion(basis)
    expected = [witness.pose(witness.places(x, np.zeros((4, 3))), row)[0] for row in q]
    assert centre_line(exact, q, x) == pytest.approx(np.array(expected), abs=1e-14)
    quadratic = centre_line(beam_body("b", basis, "quadratic", 2), q, x)
    # What the quadratic field leaves out is of fourth order in the slopes, here up to 0.3.
    assert np.abs(quadratic - expected).max() < 0.5 * np.abs(np.array(expected)[:, :, 0] - x).max() * 0.3**2
    linear = centre_line(beam_body("b", basis, "linear"), q, x)
    assert linear[:, :, 1:] == pytest.approx(quadratic[:, :, 1:], abs=1e-15)
    assert linear[:, :, 0] == pytest.approx(x + q[:, 5:6] @ [basis.shapes[5].values(x)[:, 0]], abs=1e-15)


def test_largest_deflection_says_where_and_when() -> None:
    # Half a sine in y that grows with the row, a whole one in z in the last row but one.
    body = beam_body("b", basis_of("chord", family="modes", bending_z=3, axial=0, torsion=0))
    q = np.zeros((20000, 6))
    q[:, 0] = np.linspace(0.0, 0.01, len(q))
    found = largest_deflection(body, q)
    assert (found.row, found.place) == (19999, "x = 0.25 m")
    assert found.size == pytest.approx(0.01, rel=1e-6)
    q[19998, 4] = 0.02
    found = largest_deflection(body, q)
    assert (found.row, found.place) in [(19998, "x = 0.125 m"), (19998, "x = 0.375 m")]
    assert found.size == pytest.approx(np.hypot(0.02, 0.01 * np.sin(np.pi / 4)), rel=1e-3)  # foreshortening besides
    assert steepest_slope(body, np.array([0.01, 0, 0, 0, 0, 0])) == pytest.approx(0.01 * np.pi / 0.5, rel=1e-9)
    # A tangent frame sees the same bow, although its own coordinates are large.
    clamped = beam_body("b", basis_of("start", bending_y=2, bending_z=0, axial=0, torsion=0))
    assert largest_deflection(clamped, np.array([[0.01, 0.0]])).size == pytest.approx(0.01 / 4.0, rel=1e-2)


def test_displacement_of_a_body_without_axis() -> None:
    Phi = np.array([[0.0, 3.0, 4.0], [1.0, 0.0, 0.0]])
    markers = {"tip": MarkerShapes.linear(Phi, np.zeros((2, 3))), "root": MarkerShapes.linear(0.0 * Phi, 0.0 * Phi)}
    modal = SimpleNamespace(basis=None, reduced=None)
    found = largest_deflection(modal, np.array([[0.0, 0.0], [0.1, 0.0], [0.0, -0.2]]), markers)  # type: ignore[arg-type]
    assert (found.size, found.row, found.place) == (pytest.approx(0.5), 1, "marker tip")
    assert largest_deflection(modal, np.zeros((3, 2)), {}).size == 0.0  # type: ignore[arg-type]


def test_report_of_a_flexible_body(tmp_path: Path) -> None:
    data = slider_crank(damping={"ratio": 0.02})
    with run(data, tmp_path) as result:
        report, mid = words(result.report), np.linalg.norm(result["sensors/mid"], axis=1)
        strain, time = result["energy/strain"], result.time
    assert "rod: beam, 6 elastic coordinates (3 bending y, 3 bending z), exact field, chord frame" in report
    # (n pi/L)^2 sqrt(EI/rho A)
    assert "frequencies 132, 132, 528 ... 1188 Hz in its frame; damping ratio 2 %" in report
    number = r"([\d.]+)"
    found = re.search(rf"chord {number} mm \({number} % of its length\) at x = {number} m, t = {number} s", report)
    assert found is not None
    size, share, place, when = (float(number) for number in found.groups())
    assert mid.max() <= 1e-3 * size * 1.001 and 1e-3 * size < 1.02 * mid.max()  # the sensor stands in the middle
    assert share == pytest.approx(100.0 * 1e-3 * size / 0.3, rel=5e-3)
    assert place == pytest.approx(0.15, abs=0.02) and when == pytest.approx(time[np.argmax(mid)], abs=2e-4)
    assert f"strain energy up to {strain.max():.6g} J at t = {time[np.argmax(strain)]:.6g} s" in report
    assert "WARNING" not in report


def test_equal_bodies_are_reported_together(tmp_path: Path) -> None:
    data = cantilever(shapes={"bending": {"y": 2, "z": 2}})
    second = {**data["bodies"]["beam"], "beam": [[0, 0, 1], [1, 0, 1]], "elastic_position": [0.002, 0.0, 0.0, 0.0]}
    data["bodies"]["other"] = second
    data["joints"]["second_wall"] = {"type": "fixed", "bodies": ["ground", "other"], "at": [0, 0, 1]}
    with run(data, tmp_path) as result:
        report = words(result.report)
    assert "beam, other: beam, 4 elastic coordinates" in report
    assert report.count("Hz in its frame") == 1 and "from its chord in other" in report


def test_adams_damping_is_named() -> None:
    text = words(check_model(SimpleNamespace(spec=spec_of(slider_crank(damping="adams")))))
    assert "damping by the Adams defaults (1 % below 100 Hz, 10 % to 1000 Hz, 100 % above)" in text
    assert "no damping" in words(check_model(SimpleNamespace(spec=spec_of(slider_crank()))))


def test_check_lists_the_modes() -> None:
    shapes = {"family": "modes", "bending": {"y": 2, "z": 0}, "torsion": 1}
    data = slider_crank(shapes=shapes, section={"type": "circle", "radius": 0.003}, damping="adams")
    text = check_model(SimpleNamespace(spec=spec_of(data)))
    rows = [line.split() for line in text[text.index("modes of rod with its chord frame fixed") :].splitlines()[2:5]]
    bending = [(k * np.pi / 0.3) ** 2 * np.sqrt(2e11 / 7870.0) * 0.0015 / (2.0 * np.pi) for k in (1, 2)]
    twist = np.sqrt(2e11 / 2.6 / 7870.0) / (4.0 * 0.3)  # a rod that is fixed at one end
    for row, frequency, damping, label in zip(
        rows, [*bending, twist], ("10", "10", "100"), ("y1", "y2", "t1"), strict=True
    ):
        assert float(row[1]) == pytest.approx(frequency, rel=1e-4)
        assert (row[2], row[4]) == (damping, label)
    assert re.search(r"rod.y1 +0 +0  m, m/s", text) and re.search(r"rod.t1 +0 +0  rad, rad/s", text)


def test_an_exact_beam_near_a_right_angle_gives_one_warning(tmp_path: Path) -> None:
    data = cantilever(length=7.0)
    data["analysis"] |= {"elastic_start": "quasi-static", "end": 0.01}
    with run(data, tmp_path) as result:
        report = words(result.report)
    found = re.search(r"bent far from its frame: the slope of its centre line is (0\.9\d+) at x = 7 m", report)
    assert found is not None and report.count("WARNING") == 1


def test_linear_field_is_warned_of_when_stiffening_matters(tmp_path: Path) -> None:
    radius, speed = 0.1, 30.0
    data = spinning_beam(radius, speed, field="linear", shapes={"bending": {"y": 3, "z": 3}})
    with run(data, tmp_path) as result:
        system = build_system(Model.from_tables(data).spec)
        (beam,) = [body for body in system.mechanism.bodies if isinstance(body, FlexibleBody)]
        force, report = axial_force(system.mechanism, beam, result), words(result.report)
        assert flexible_findings(system.mechanism, result)["beam"].axial_force == force
    # Centrifugal force at the root.
    assert force == pytest.approx(7870.0 * A * speed**2 * (radius + 0.5), rel=1e-3)
    change = stiffness_change(beam, force)
    assert change > 0.02
    assert f"would change its stiffness by about {100.0 * change:.3g} %" in report and 'Use field = "exact"' in report
    for quiet in ({**data, "motions": {"drive": {"joint": "axle", "rate": 2.0}}}, spinning_beam(radius, speed)):
        with run(quiet, tmp_path) as result:
            assert "WARNING" not in result.report


def test_stiffness_change_is_the_share_of_the_buckling_load() -> None:
    basis = basis_of("chord", family="modes", axial=0, torsion=0)
    body = beam_body("b", basis, "linear")
    buckling = np.pi**2 * 2e11 * np.pi * 0.004**4 / 4.0 / 0.5**2
    assert stiffness_change(body, 0.3 * buckling) == pytest.approx(0.3, rel=1e-9)


def test_stocky_beams_are_warned_of() -> None:
    data = cantilever(length=0.2, section={"type": "circle", "radius": 0.015})
    text = words(check_model(SimpleNamespace(spec=spec_of(data))))
    assert f"beam 'beam' is stocky: its length is only 26.7 radii of gyration. Below {STOCKY:g}" in text
    sheared = {"shear": True, "rotary_inertia": True, "shapes": {"family": "elements", "bending": 3}}
    data["bodies"]["beam"] |= sheared
    assert "stocky" not in check_model(SimpleNamespace(spec=spec_of(data)))
    flat = beam_body("b", basis_of("chord", bending_z=0))
    assert slenderness(flat) == pytest.approx(0.5 / 0.002)


def test_joints_beside_a_beam_are_noted() -> None:
    data = cantilever(length=0.5)
    data["bodies"]["load"] = {"mass": 1.0, "inertia": [0.1, 0.1, 0.1]}
    for at, sentence in (([0.5, 0, 0], ""), ([0.53, 0.04, 0], "'hook' acts 0.05 m off the axis of beam 'beam'")):
        data["joints"]["hook"] = {"type": "revolute", "bodies": ["beam", "load"], "at": at, "axis": "y"}
        text = words(check_model(SimpleNamespace(spec=spec_of(data))))
        assert (sentence in text and "section at x = 0.5 m" in text) if sentence else "off the axis" not in text


LOST = (
    r"At t = 0.0\d+ s .*body 'rod' is no longer positive definite at a deflection of (0.[5-9]|1.[0-4])\d* % "
    r"of its length \(quadratic field of order 1, \d+ shapes\).*Use field = \"exact\""
)
FAILS, GOES_ON = {"end": 0.01, "step": 2e-5}, {"end": 0.084, "step": 2.1e-4, "rho": 0.0}
"""Analyses of the slider-crank with five monomials of order 1: a step fails, or strong numerical damping hides it."""


@pytest.mark.parametrize("analysis", [FAILS, GOES_ON])
def test_a_truncated_field_that_is_bent_too_far_stops_the_run(analysis: dict[str, Any], tmp_path: Path) -> None:
    data = slider_crank(frame="end", field="quadratic", order=1, shapes=5)
    data["analysis"] = analysis
    with pytest.raises(ComputationError, match=LOST):
        run(data, tmp_path)
    with Result(tmp_path / "result.h5") as result:
        assert result.outcome == "failed" and len(result) > 15  # what was computed stays
        assert 'Use field = "exact"' in words(result.report)
    for cure in ({"field": "exact"}, {"field": "quadratic", "order": "full"}):
        cured = slider_crank(frame="end", shapes=5, **cure)
        cured["analysis"] = analysis
        with run(cured, tmp_path) as result:
            assert result.outcome == "finished"


def test_a_failure_past_the_limit_names_the_suspect(tmp_path: Path) -> None:
    # The state at which the step fails is sound by chance, those around it are not.
    data = slider_crank(frame="end", field="quadratic", order=2, shapes=6)
    data["motions"]["drive"]["rate"] = 180.0
    data["analysis"] = {"end": 0.01, "step": 4.0 * np.pi / 150.0 / 2000.0}
    text = r"'rod' (is near the limit|is no longer).*at a deflection of 0.*Use field = \"exact\""
    with pytest.raises(ComputationError, match=text):
        run(data, tmp_path)


def test_a_body_may_be_indefinite_where_the_mechanism_is_not(tmp_path: Path) -> None:
    # Order 2 with three monomials is what the paper used: its rod alone would be indefinite, but its joints hold it.
    data = slider_crank(frame="end", field="quadratic", order=2, shapes=3)
    data["analysis"]["end"] = 0.08
    with run(data, tmp_path) as result:
        q = result["bodies/rod/elastic_position"]
    (rod,) = [body for body in build_system(Model.from_tables(data).spec).mechanism.bodies if body.name == "rod"]
    assert isinstance(rod, FlexibleBody)
    lowest = min(np.linalg.eigvalsh(rod.field.mass_matrix(row))[0] for row in q)  # type: ignore[union-attr]
    assert lowest < -1e-9


def test_a_given_shape_that_the_field_does_not_bear_is_refused() -> None:
    shapes, shape = {"family": "modes", "bending": 2}, [0.12, 0.0, 0.06, 0.0]
    keys = {"frame": "chord", "rotary_inertia": True, "field": "quadratic", "order": 1, "elastic_position": shape}
    data = cantilever(shapes=shapes, **keys)
    del data["joints"]
    with pytest.raises(
        ComputationError, match=r"At the start the mass matrix of body 'beam' is no longer positive definite"
    ):
        check_model(SimpleNamespace(spec=spec_of(data)))


@pytest.mark.parametrize("method", [{}, {"method": "rk45", "tolerance": 1e-6, "formulation": "embedding"}])
def test_a_folded_beam_is_named(method: dict[str, Any], tmp_path: Path) -> None:
    data = slider_crank()
    data["motions"]["drive"]["rate"] = 800.0
    data["analysis"] = {"end": 0.01, "step": 2e-5, **method}
    with pytest.raises(ComputationError, match=r"beam 'rod' has folded.*deflection of 3\d.\d % of its length.*damping"):
        run(data, tmp_path)


def test_reports_of_rigid_models_do_not_mention_flexible_bodies() -> None:
    data = slider_crank()
    data["bodies"]["rod"] = {"mass": 0.0667, "rod": ["A", "B"]}
    del data["sensors"]["mid"]
    text = check_model(SimpleNamespace(spec=spec_of(data)))
    assert "flexible" not in text and "modes" not in text


def test_a_body_below_trust_it_is_a_warning_of_the_run(tmp_path: Path) -> None:
    from dataclasses import replace

    from flexmb.bodies.body_file import write_body
    from flexmb.system.placement import place
    from tests.support.reduced_bodies import basis_of_body, reduced_beam

    data = slider_crank(damping={"ratio": 0.01})
    rod = reduced_beam(basis_of_body(spec_of(data), "rod"), "full", {"A": [0.0, 0.0, 0.0], "B": [0.3, 0.0, 0.0]})
    data["bodies"]["rod"] = {"file": str(tmp_path / "rod.h5"), "at": "A"}
    data["sensors"] = {}
    for level, count in (("good", 0), ("care", 1)):
        report = {"verdict": {"level": level, "reasons": ["2 kg left out"]}}
        write_body(replace(rod, report=report), tmp_path / "rod.h5")
        records = list(flexible_warnings(place(spec_of(data))))
        assert [(record.code, record.place) for record in records] == [("body-verdict", "bodies.rod")] * count
    assert "the report of body 'rod' says \"trust it with care\": 2 kg left out." in records[0].text
