"""Shapes of beams judged by compliance and frequencies: poor ones give warnings, right ones do not; lines of beams.

Covers: elements.segment_curves, reduction.interface_curves, system.beam_supports, system.beam_interfaces,
system.linear_mechanism, system.beam_lines, system.beam_plane.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from flexmb.model.schema import read_spec
from flexmb.model.schema.model_spec import ModelSpec
from flexmb.reports.flexible_report import flexible_warnings
from flexmb.system.beam_interfaces import interfaces_of, planar_normal
from flexmb.system.beam_lines import line_lengths
from flexmb.system.beam_plane import plane_warnings, twist_advice
from flexmb.system.beam_quality import BeamQuality, beam_qualities
from flexmb.system.beam_supports import shape_warnings
from flexmb.system.linear_mechanism import LinearMechanism
from flexmb.system.mechanism import Mechanism
from flexmb.system.placement import place
from tests.support.beam_mechanisms import BEAM, EI, RHO_A, chain, four_bar

CUBIC = {"family": "elements", "elements": 1, "bending": "all"}


def judged(spec: ModelSpec) -> tuple[dict[str, BeamQuality], list[str], Mechanism]:
    mechanism = place(spec)
    found = beam_qualities(spec, mechanism)
    return found, [warning.text for warning in shape_warnings(spec, mechanism, found)], mechanism


SHAFT = {
    "family": "modes",
    "supports": "clamped-free",
    "bending": 4,
}


def shaft(shapes: Any) -> ModelSpec:
    """Two halves of a shaft on a disc, clamped at both ends: each half is guided where it carries the disc."""
    half = {**BEAM, "frame": "start"} | ({} if shapes is None else {"shapes": shapes})
    joints = {
        "left": {"type": "fixed", "bodies": ["ground", "s1"], "at": [0, 0, 0]},
        "j1": {"type": "fixed", "bodies": ["s1", "disc"], "at": [1, 0, 0]},
        "j2": {"type": "fixed", "bodies": ["disc", "s2"], "at": [1, 0, 0]},
        "right": {"type": "cylindrical", "bodies": ["ground", "s2"], "at": [2, 0, 0], "axis": "x"},
    }
    bodies = {
        "s1": {**half, "beam": [[0, 0, 0], [1, 0, 0]]},
        "disc": {"mass": 5, "inertia": [0.1, 0.05, 0.05], "at": [1, 0, 0]},
        "s2": {**half, "beam": [[2, 0, 0], [1, 0, 0]]},
    }
    return read_spec({"bodies": bodies, "joints": joints})


def test_shapes_of_a_cantilever_do_not_suit_a_guided_end() -> None:
    """The curvature of every cantilever mode vanishes at the tip, where the disc bends the shaft."""
    found, warnings, _ = judged(shaft(SHAFT))
    assert found["s1"].compliance == pytest.approx(0.375, abs=0.02)  # e of four modes [theory sheet of this case]
    assert found["s1"].frequency > 0.04
    assert len(warnings) == 2 and "% of its compliance is missing at joint" in warnings[0]
    assert "Use automatic shapes (leave out 'shapes')" in warnings[0]
    for right in (None, CUBIC, 4):
        found, warnings, _ = judged(shaft(right))
        assert not warnings and max(quality.compliance for quality in found.values()) < 1e-10


def test_linear_frequency_of_the_shaft() -> None:
    """Massless shaft: w^2 = 192 EI / (2 L)^3 / m for the disc in the middle, the beams' mass being 5e-3 of it."""
    spec = shaft(None)
    mechanism = place(spec)
    found = LinearMechanism(spec, mechanism).frequencies(2)
    added = 2 * RHO_A * 13 / 35  # of the shape of a clamped beam under a load in the middle
    assert found == pytest.approx([np.sqrt(24 * EI / (5 + added))] * 2, rel=1e-3)


@pytest.mark.parametrize(("n", "last"), [(4, True), (4, False), (6, True)])
def test_cubic_elements_in_a_chain_are_right(n: int, last: bool) -> None:
    found, warnings, _ = judged(chain(n, CUBIC, last))
    assert not warnings
    assert max(quality.frequency for quality in found.values()) < 6e-3  # (beta h)^4/2880 of the first three


def test_one_cubic_element_clamped_twice_is_rigid() -> None:
    with pytest.raises(Exception, match="body 'b0' would be rigid.*automatic shapes"):
        place(chain(1, CUBIC))


def test_compliance_error_is_that_of_a_clamped_beam_by_sines() -> None:
    """A moment at one end, curvature 1 - x/L: the part of its energy in n sines is 6/pi^2 sum 1/k^2 (k = 1 ... n)."""
    sines = {"family": "modes", "supports": "pinned-pinned", "bending": {"y": 3}}
    spec = read_spec(
        {
            "bodies": {"b": {**BEAM, "beam": [[0, 0, 0], [1, 0, 0]], "shapes": sines}},
            "joints": {
                "wall": {"type": "revolute", "bodies": ["ground", "b"], "at": [0, 0, 0], "axis": "y"},
                "pin": {"type": "point-on-line", "bodies": ["ground", "b"], "at": [1, 0, 0], "line": "x"},
            },
        }
    )
    found, warnings, mechanism = judged(spec)
    assert found["b"].compliance == pytest.approx(1 - 6 / np.pi**2 * (1 + 1 / 4 + 1 / 9), rel=1e-6)
    assert len(warnings) == 1 and len(interfaces_of(spec, mechanism, "b")) == 2


def test_a_line_of_short_beams_is_not_stocky() -> None:
    spec = chain(6, None, False, section={"type": "circle", "radius": 0.012})
    mechanism = place(spec)
    assert set(np.round(list(line_lengths(mechanism).values()), 12)) == {1.0}
    assert not [warning for warning in flexible_warnings(mechanism, None, spec) if warning.code == "stocky-beam"]
    alone = place(chain(1, None, False, section={"type": "circle", "radius": 0.06}))
    assert [warning.code for warning in flexible_warnings(alone)] == ["stocky-beam"]


def test_a_beam_that_cannot_bend_in_the_plane_gives_a_warning() -> None:
    sines = {"family": "modes", "bending": {"y": 3, "z": 0}}
    spec = four_bar(sines)
    mechanism = place(spec)
    assert planar_normal(spec, mechanism) == pytest.approx([0, 0, 1])
    (warning,) = plane_warnings(spec, mechanism)
    assert warning.code == "rigid-in-plane" and warning.place == "bodies.coupler.shapes"
    assert "Use bending = { z = 3 }." in warning.text
    for right in ({**sines, "bending": {"z": 3}}, {**sines, "bending": 3}, None):
        spec = four_bar(right)
        assert not list(plane_warnings(spec, place(spec)))
    turned = four_bar(sines, y_axis=[-0.15, 0.4, 0])
    assert not list(plane_warnings(turned, place(turned))), "its y axis is in the plane"


def test_advice_names_the_axes_of_the_beam_and_was_tried() -> None:
    spec = four_bar({"family": "modes", "bending": 3})
    text = twist_advice(spec, place(spec))
    assert "add twist to the shapes of beam 'coupler' (torsion = 1" in text
    assert "bending = { z = 3, y = 0 } for beam 'coupler'" in text
    twisted = four_bar({"family": "modes", "bending": 3, "torsion": 1})
    assert "twist" not in twist_advice(twisted, place(twisted))


def test_plane_mechanisms_are_judged_in_their_plane() -> None:
    """Sines suit pins in the plane; out of it the bearings clamp the coupler, which nothing bends there."""
    found, warnings, _ = judged(four_bar({"family": "modes", "bending": 3}))
    assert not warnings and found["coupler"].compliance == 0.0
    sideways = four_bar({"family": "modes", "bending": 3}).model_copy()
    sideways = sideways.model_copy(update={"model": sideways.model.model_copy(update={"gravity": (0.0, 0.0, -9.81)})})
    assert planar_normal(sideways, place(sideways)) is None and judged(sideways)[1]


def test_a_motor_and_a_driven_marker_load_the_beam() -> None:
    """An arm on a pin: its motor bends it by a moment at the pin, which sines of a pinned beam take badly."""
    sines = {"family": "modes", "supports": "pinned-pinned", "bending": {"y": 3}}
    tables = {
        "bodies": {"b": {**BEAM, "beam": [[0, 0, 0], [1, 0, 0]], "shapes": sines, "markers": {"m": {"along": 0.5}}}},
        "joints": {
            "pin": {"type": "revolute", "bodies": ["ground", "b"], "at": [0, 0, 0], "axis": "z"},
            "roller": {"type": "planar", "bodies": ["ground", "b"], "at": [1, 0, 0], "axis": "y"},
        },
    }
    without = read_spec(tables)
    motor = read_spec(tables | {"forces": {"motor": {"type": "actuator", "joint": "pin", "effort": "1"}}})
    found = [{i.by: len(i.moments) for i in interfaces_of(s, place(s), "b")} for s in (without, motor)]
    assert (found[0]["joint 'pin'"], found[1]["joint 'pin'"]) == (2, 3)
    driven = read_spec(tables | {"motions": {"up": {"marker": "b.m", "along": "z", "expression": "0.01*sin(t)"}}})
    mechanism = place(driven)
    assert [i.x for i in interfaces_of(driven, mechanism, "b") if i.by == "motion 'up'"] == [0.5]
    assert len(LinearMechanism(driven, mechanism).rows) == len(LinearMechanism(without, place(without)).rows) + 1


def test_a_spring_out_of_the_plane_makes_a_mechanism_spatial() -> None:
    def normal(height: float) -> Any:
        tables: dict[str, Any] = {
            "model": {"gravity": [0, -9.81, 0]},
            "markers": {"hook": {"at": [1, 1, height]}},
            "bodies": {"b": {**BEAM, "beam": [[0, 0, 0], [1, 0, 0]]}},
            "joints": {"pin": {"type": "revolute", "bodies": ["ground", "b"], "at": [0, 0, 0], "axis": "z"}},
            "forces": {
                "s": {"type": "spring-damper", "markers": ["b.end", "ground.hook"], "stiffness": 1, "length": 1}
            },
        }
        spec = read_spec(tables)
        return planar_normal(spec, place(spec))

    assert normal(0.5) is None
    assert normal(0.0) == pytest.approx([0, 0, 1])
