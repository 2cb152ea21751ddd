"""Estimated errors of truncated deformation fields, against the elastica and against bodies in known shapes.

Covers: results.flexible_findings.
"""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import flexmb as fx
from flexmb.bodies.field_validity import largest_field_error
from flexmb.bodies.flexible_body import beam_body
from flexmb.bodies.marker_shapes import MarkerShapes
from flexmb.elements.material import Material
from flexmb.elements.section import circle
from flexmb.model.model import Model
from flexmb.reduction.beam_basis import Span, beam_basis

EI = 2.1e11 * np.pi * 0.005**4 / 4


def cantilever(force: float, **keys: Any) -> Model:
    material = {"E": 2.1e11, "nu": 0.3, "density": 7800}
    body = {"beam": [[0, 0, 0], [1, 0, 0]], "material": material, "section": {"type": "circle", "radius": 0.005}}
    return Model.from_tables(
        {
            "model": {"gravity": [0, 0, 0]},
            "bodies": {"b": {**body, "shapes": 4, "frame": "start", **keys}},
            "joints": {"clamp": {"type": "fixed", "bodies": ["ground", "b"], "at": [0, 0, 0]}},
            "forces": {"p": {"type": "force", "marker": "b.end", "vector": [0, 0, -force]}},
            "sensors": {"tip": {"marker": "b.end"}},
            "analysis": {"type": "static"},
        }
    )


def tip_and_estimate(model: Model, folder: Path) -> tuple[float, float]:
    with fx.run_model(model, folder / "r.h5") as result:
        text = " ".join(result.report.split())
        found = re.search(r"beyond the range of its (\w+) field: .* by up to about ([\d.]+) %", text)
        return -result["sensors/tip"][0, 2], float(found[2]) / 100 if found else 0.0


@pytest.mark.parametrize(
    ("load", "elastica"),
    # y/L of an inextensible cantilever under a transverse dead load P L^2/EI [Bisshop, Drucker 1945; Mattiasson 1981]
    [(0.25, 0.08274591535441278), (0.5, 0.16214357565835535), (1.0, 0.3017207737999228), (2.0, 0.4934574803967118)],
)
def test_estimate_bounds_the_error_of_the_quadratic_field(load: float, elastica: float, tmp_path: Path) -> None:
    exact, silent = tip_and_estimate(cantilever(load * EI), tmp_path)
    assert exact == pytest.approx(elastica, rel=2e-4) and silent == 0.0
    for frame, least in (("start", 0.5), ("chord", 0.0)):  # a chord turns with the beam, which cancels a part
        found, estimate = tip_and_estimate(cantilever(load * EI, field="quadratic", frame=frame), tmp_path)
        error = abs(found / elastica - 1.0)
        assert error <= max(estimate, 0.02)
        # Beyond a slope of 0.9 the estimate diverges: the quadratic field has lost all meaning there.
        assert estimate == 0.0 or estimate > 1.0 or least * estimate <= error


def test_estimates_of_known_shapes() -> None:
    """Half a sine v = a sin(pi x/L), slope a pi/L cos: lost/kept = 2 s^2/4, and s^2/4 of the length is missed."""
    basis = beam_basis(
        2.0, [Span(None, circle(0.01), Material(2e11, 8e10, 7800.0))], family="modes", bending_y=1, bending_z=0,
        frame="chord",
    )  # fmt: skip
    a = 1e-3
    s = a * np.pi / 2.0
    q = np.array([[0.0], [a], [-0.5 * a]])
    quadratic = largest_field_error(beam_body("b", basis, "quadratic"), q)
    assert (quadratic.row, quadratic.slope) == (1, pytest.approx(s))
    assert quadratic.size == pytest.approx(0.5 * s**2, rel=1e-4) and quadratic.place in ("x = 0 m", "x = 2 m")
    linear = largest_field_error(beam_body("b", basis, "linear"), q)
    assert linear.size == pytest.approx(0.5 * s**2, rel=1e-4)
    exact = largest_field_error(beam_body("b", basis), 100.0 * q)
    assert (exact.size, exact.slope) == (0.0, pytest.approx(100.0 * s))
    marker = {"m": MarkerShapes.linear(np.zeros((1, 3)), np.array([[0.0, 0.0, 2.0]]))}
    turned = largest_field_error(SimpleNamespace(basis=None), np.array([[0.1]]), marker)  # type: ignore[arg-type]
    assert (turned.size, turned.slope, turned.place) == (pytest.approx(0.02), pytest.approx(0.2), "marker m")
