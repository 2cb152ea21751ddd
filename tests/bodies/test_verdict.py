"""The verdict on a reduced body: losses of the import, unit, masses, ties, modes in the band, mesh, and its warning.

Covers: bodies.import_verdict, bodies.mode_checks.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from flexmb.bodies.body_file import read_body, write_body
from flexmb.bodies.body_report import report_text
from flexmb.bodies.import_verdict import length_text, mass_text
from flexmb.bodies.mode_checks import FreeModes
from flexmb.bodies.reduce_mesh import reduce_mesh
from flexmb.bodies.reduced_body import ReducedBody
from flexmb.bodies.verdict import headline, judge, loss_reasons, verdict_warning, with_reasons
from flexmb.elements.material import Material
from flexmb.elements.section import circle
from flexmb.mesh.losses import Loss, lost_elements
from flexmb.mesh.mesh import Mesh
from flexmb.reduction.request import ReductionRequest, TieRequest
from flexmb.verification.solid_meshes import box_mesh, rod_mesh
from tests.support.reduced_meshes import reduced

STEEL = Material.isotropic(210e9, 0.3, 7850.0)
SIZE = (0.3, 0.03, 0.02)
MASS = 7850.0 * 0.3 * 0.03 * 0.02


@lru_cache
def box(kind: str = "hex20", counts: tuple[int, int, int] = (10, 2, 2)) -> Mesh:
    return box_mesh(kind, counts, SIZE)


def body_of(
    mesh: Mesh, materials: Any = STEEL, ties: tuple[str, ...] = ("xmin", "xmax"), **options: Any
) -> ReducedBody:
    """A body of the mesh with exact free modes, which has no other fault."""
    given = {"method": "free", "modes": 4, "attachment": bool(ties), "field": "linear", **options}
    return reduce_mesh(mesh, materials, ReductionRequest(tuple(TieRequest(tie, tie) for tie in ties), **given))


def found(body: ReducedBody) -> tuple[str, list[str]]:
    return body.report["verdict"]["level"], body.report["verdict"]["reasons"]


def test_a_body_without_losses_is_trusted() -> None:
    body = body_of(box())
    assert found(body) == ("good", []) and verdict_warning("rod", body) is None
    assert report_text(body).splitlines()[0].startswith("body: trust it up to ")


@pytest.mark.parametrize(
    ("loss", "level"),
    [
        (lost_elements("shells", "5,740 CQUAD4", 5740, 5752, "shells are not supported"), "bad"),
        (lost_elements("bars", "1 CBAR", 1, 1000, "bars"), "care"),
        (Loss("springs", "1 CELAS2 left out: add it"), "care"),
        (Loss("masses", "1 CONM2 left out: add it", mass=2.0), "bad"),
        (Loss("masses", "1 CONM2 left out: add it", mass=1e-3), "care"),
        (Loss("masses", "1 CMASS1 left out: add it"), "bad"),
        (Loss("ties", "1 RBE2 left out: tie it", sets=("ymin",)), "care"),
        (Loss("materials", "2 materials", 2), "care"),
        (Loss("geometry", "*IMPERFECTION", level="bad"), "bad"),
    ],
)
def test_losses_are_the_first_reasons(loss: Loss, level: str) -> None:
    """Whatever carries mass or stiffness and is left out can never end in "trust it"."""
    body = body_of(replace(box(), losses=(loss, Loss("supports", "3 SPC left out", level="note"))))
    own, reasons = found(body)
    assert own == level and len(reasons) == 1 and reasons[0].startswith(loss.text[:8])
    first, second, *_ = report_text(body).splitlines()
    assert first == f"body: {'do not trust it' if level == 'bad' else 'trust it with care'}" and "because" in second
    assert "3 SPC left out." in body.report["notes"]
    assert [entry["kind"] for entry in body.report["losses"]] == [loss.kind, "supports"]
    assert [entry["code"] for entry in body.report["warnings"]] == ["lost-in-import"]


def test_a_lost_mass_counts_by_its_share() -> None:
    body = body_of(
        replace(box(), losses=(Loss("masses", "1 CONM2 with a total mass of 2 left out: add it", mass=2.0),))
    )
    assert f"({100 * 2 / MASS:.3g} % of the mass of the body) left out" in found(body)[1][0]
    tonnes = replace(box(), unit="mm", losses=(Loss("masses", "1 CONM2 left out: add it", mass=0.002),))
    # 0.002 t or 0.002 kg: the worse counts
    level, (text,) = found(body_of(tonnes))
    assert level == "bad" and "142 % or 0.142 % of the mass of the body, by the unit of mass" in text


def test_what_the_request_makes_good_is_no_loss() -> None:
    tied = replace(box(), losses=(Loss("ties", "2 RBE2 left out", 2, sets=("xmin", "xmax")),))
    assert found(body_of(tied)) == ("good", [])
    level, (text,) = found(body_of(tied, ties=("xmin",)))
    assert level == "care" and text.startswith("ties on xmax left out")
    half = box().points[box().cells[0].nodes].mean(axis=1)[:, 0] < 0.15
    sets = {"left": (np.flatnonzero(half),), "right": (np.flatnonzero(~half),)}
    two = replace(box(), cell_sets=sets, losses=(Loss("materials", "2 materials", 2),))
    assert found(body_of(two, {"left": STEEL, "right": replace(STEEL, E=200e9)})) == ("good", [])
    assert found(body_of(two, {"left": STEEL, "right": STEEL}))[0] == "care"


def test_a_guessed_unit_is_heard_with_mass_and_size() -> None:
    level, (text,) = found(body_of(replace(box(), unit_guessed=True)))
    assert level == "care" and "in m the part is 300 mm long and weighs 1.413 kg" in text and "give --unit" in text
    large = replace(box(), points=40.0 * box().points, unit_guessed=True)
    level, (text, *_) = found(body_of(large))
    assert level == "bad" and "weighs 90.43 t" in text and "in mm it would be 12 mm and 0.09043 g" in text
    huge = replace(box(), points=1e4 * box().points)
    assert found(body_of(huge))[0] == "care", "a given unit, but three kilometres"
    assert [mass_text(mass) for mass in (2.583e6, 2.583e4, 12.0, 0.01)] == ["2,583 t", "25.83 t", "12 kg", "10 g"]
    assert length_text(0.3) == "300 mm"


def test_a_formulation_of_the_deck_is_heard() -> None:
    level, (text,) = found(body_of(replace(box(), elements={"C3D20R": 40})))
    assert level == "care" and text.startswith("40 C3D20R have reduced integration")
    assert found(body_of(replace(box(), elements={"C3D20": 40}))) == ("good", [])
    body = body_of(replace(box(), elements={"CHEXA20": 40}))
    assert found(body) == ("good", []) and any("CHEXA20" in note for note in body.report["notes"])


def modes(errors: list[float], claim: float) -> FreeModes:
    full = 100.0 * np.arange(1.0, len(errors) + 1)
    return FreeModes(claim, len(errors), full, full * (1.0 + np.array(errors)), np.zeros((0, 0)), np.zeros(0))


def judged(found: FreeModes) -> dict[str, Any]:
    same = np.eye(3).tolist()
    report = {
        "rigid": {"largest_frequency": 0.0, "round_off": 1.0},
        "inertia": {"mesh": same, "reduced": same},
        **{"lowest_frequency": 100.0, "statics": [], "condition": 1.0, "discretisation": {}},
        "band": {"trusted": found.trusted_up_to},
    }
    return with_reasons(report, judge(report, found, []))


def test_every_mode_in_the_band_counts() -> None:
    good = judged(modes([0.0] * 9 + [0.019, 0.0, 0.0], 1200.0))
    assert good["verdict"]["level"] == "good" and headline(good) == "trust it up to 1200 Hz"
    tenth = judged(modes([0.0] * 9 + [0.13, 0.0, 0.0], 1200.0))
    assert tenth["verdict"]["level"] == "care" and headline(tenth) == "trust it with care"
    assert "free mode 10 of 12 has 1130 Hz, the full model 1000 Hz (13.0 % off)" in tenth["verdict"]["reasons"][0]
    assert judged(modes([0.0] * 9 + [0.3, 0.0, 0.0], 1200.0))["verdict"]["level"] == "bad"
    assert judged(modes([0.0, 0.0, 0.03], 0.0))["verdict"]["level"] == "care", "the first three count in any case"


def test_a_mode_above_the_band_limits_the_trust() -> None:
    above = judged(modes([0.0] * 9 + [0.13, 0.0, 0.0], 600.0))
    assert above["verdict"]["level"] == "care" and headline(above) == "trust it up to 900 Hz"
    assert above["warnings"][0]["code"] == "above-band" and "do not rely on it" in above["warnings"][0]["text"]
    assert judged(modes([0.0] * 9 + [0.04], 600.0))["verdict"]["level"] == "good"
    many = judged(modes([0.0] * 4 + [0.13] * 6, 400.0))["verdict"]["reasons"]
    assert len(many) == 3 and many[-1].endswith("3 more modes are off")


def test_a_coarse_mesh_is_heard() -> None:
    """Bars of one linear cell across lock; the quadratic one is fine in bending and 7 % too stiff in torsion."""
    level, reasons = found(body_of(box("tet4", (10, 1, 1))))
    assert level == "bad" and "the mesh is too coarse: free mode" in reasons[0] and "mesh with tet10" in reasons[0]
    assert "Zienkiewicz-Zhu" in reasons[0]
    level, reasons = found(body_of(box("hex20", (10, 1, 1)), modes=5))
    assert level == "care" and "free mode 5" in reasons[0]
    level, reasons = found(body_of(box("hex8", (10, 1, 1)), hex8="full"))
    assert level == "bad" and "leave out --hex8 full" in reasons[0]


def test_a_comparison_that_was_left_out_is_said() -> None:
    body = reduce_mesh(
        box(), STEEL, ReductionRequest((TieRequest("xmin", "xmin"), TieRequest("xmax", "xmax")), compare=False, modes=4)
    )
    assert any("not compared" in text for text in found(body)[1]) and found(body)[0] != "good"


@pytest.mark.parametrize(("modes", "kept"), [(3, 4), (4, 4), (1, 2)])
def test_pairs_of_a_round_rod_are_kept_whole(modes: int, kept: int) -> None:
    """Bending of a round rod comes in pairs; tetrahedra split them by one per cent."""
    for kind in ("hex20", "tet10"):
        rod = rod_mesh(kind, 0.3, 0.01, 12, 2)
        body = body_of(rod, ties=(), modes=modes)
        assert body.n_modes == kept
        assert any("are kept together" in note for note in body.report["notes"]) == (kept > modes)
    f = [coordinate.frequency for coordinate in body_of(rod, ties=(), modes=4).coordinates]
    below = body_of(rod, ties=(), modes=None, below=1.0001 * f[2])
    assert below.n_modes == 4, "the limit lies between two of a pair"
    kept_below = body_of(rod, ties=(), modes=6, keep_below=1.0001 * f[2])
    assert kept_below.n_modes == 4


def test_the_warning_of_a_model(tmp_path: Path) -> None:
    body = reduced()
    said = with_reasons(body.report, loss_reasons([Loss("masses", "1 CONM2 left out", level="bad")]), first=True)
    read = read_body(write_body(replace(body, report=said), tmp_path / "rod.h5"))
    record = verdict_warning("rod", read)
    assert record is not None and record.code == "body-verdict" and record.place == "bodies.rod"
    assert "the report of body 'rod' says \"do not trust it\": 1 CONM2 left out (and" in record.text
    # reports of older files, and of strangers
    for report in ({}, {"verdict": None}, {"verdict": {"level": []}}, {"verdict": {"level": "good", "reasons": []}}):
        assert verdict_warning("rod", replace(body, report=report)) is None
    old = {"verdict": {"level": "care", "reasons": ["tet4"]}}
    assert 'trust it with care": tet4.' in str(verdict_warning("rod", replace(body, report=old)))


def test_the_axes_of_round_bars_do_not_matter() -> None:
    from flexmb.bodies.import_verdict import import_losses
    from flexmb.elements.line_beams import assemble_beams
    from tests.support.reduced_meshes import line_rod

    mesh, _ = line_rod()
    mesh = replace(mesh, losses=(Loss("orientation", "axes", 20), Loss("sections", "sections", 2)))
    losses = import_losses(mesh, assemble_beams(mesh, STEEL, circle(0.003)), (), 1.0, "incompatible")
    assert [loss.kind for loss in losses] == ["sections"]


def test_beams_are_judged_by_cutting_them_into_two() -> None:
    """A free rod without shear and rotary inertia: (k L)^2 of its third bending is 120.903 (Euler-Bernoulli)."""
    from tests.support.reduced_meshes import line_rod, reduce_with

    exact = 120.903392 / (2.0 * np.pi * 0.3**2) * np.sqrt(2.0e11 * 0.003**2 / 4.0 / 7870.0)
    for cells, level in ((3, "care"), (6, "good")):
        mesh, model = line_rod(cells)
        report = reduce_with(mesh, model, (), method="free", modes=6, field="linear").report
        estimate = report["discretisation"]
        assert estimate["method"] == "cutting every beam into two" and report["verdict"]["level"] == level
        k = 4  # bending comes in pairs
        true = estimate["frequencies"][k] / exact - 1.0
        assert 0.9 < estimate["frequency_errors"][k] / true < 1.4


def test_an_error_that_is_not_reached_is_heard() -> None:
    """A certificate that failed is the first reason, bad above 20 %; one that passed gives the headline its band."""
    from flexmb.reduction import band_modes

    body = body_of(box(), method="craig-bampton", modes=None, attachment=False, band=(0.0, 4000.0), error=0.01)
    assert found(body) == ("good", [])
    text = report_text(body)
    assert text.startswith("body: trust it up to 4000 Hz")
    assert "the transfer between all interfaces is within 0.01 from 0 to 4000" in text
    kinds = [coordinate.kind for coordinate in body.coordinates]
    assert set(kinds) == {"free", "krylov"}
    certificate = body.report["certificate"]
    assert certificate["checks"] == len(certificate["errors"]) > band_modes.CHECKS
    assert max(certificate["errors"]) == certificate["largest"] <= 0.01
    assert max(row[key] for row in body.report["statics"] for key in ("force_error", "moment_error")) < 0.05
    for largest, level in ((0.02, "care"), (0.3, "bad")):
        failed = {**certificate, "largest": largest, "at": 812.0, "passed": False}
        report = {**body.report, "certificate": failed}
        del report["verdict"], report["warnings"]
        modes = FreeModes(4000.0, 4, np.zeros(0), np.zeros(0), np.zeros((0, 0)), np.zeros(0))
        judged = with_reasons(report, judge(report, modes, ()))
        assert judged["verdict"]["level"] == level
        assert "the allowed error of 0.01 is not reached" in judged["verdict"]["reasons"][0]
        assert "at 812 Hz" in judged["verdict"]["reasons"][0]
        assert judged["warnings"][0]["code"] == "transfer-off"
