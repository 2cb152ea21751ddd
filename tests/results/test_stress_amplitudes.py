"""Stress of a heated body in a run: that of its coordinates less what free expansion does not cause.

Covers: results.stress_amplitudes, view.flexible_parts, view.peaks.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from flexmb.analyses.run import run_model
from flexmb.bodies.body_file import write_body
from flexmb.model.model import Model
from flexmb.reduction.request import TieRequest
from flexmb.system.placement import place
from flexmb.view.recorded_motion import RecordedMotion
from flexmb.view.scene_of_result import covered, drawn_parts
from tests.support.loaded_bars import ALPHA, LENGTH, E, bar, held, shape

T = 40.0


@pytest.mark.parametrize("field", ["linear", "quadratic"])
@pytest.mark.parametrize("second", [None, "fixed"], ids=["free", "held"])
def test_stress_of_a_heated_bar(tmp_path: Path, second: str | None, field: str) -> None:
    """None of a bar that expands freely (averaged ties do not hold its ends), -E alpha T between walls, which without
    contraction across is uniform; in a quadratic field up to terms of the order of the strain, alpha T."""
    ends = {"interfaces": (TieRequest("a", "xmin", "rbe3"), TieRequest("b", "xmax", "rbe3")), "nu": 0.3}
    words = ("heat=temperature:all", "push=force:xmax:y")
    file = write_body(bar(*words, stress=True, **({} if second else ends)), tmp_path / "bar.h5")
    forces = {"h": shape("heat", T), "p": shape("push", 0.0)}
    model = Model.from_tables(held(file, second, forces, body={"field": field}))
    limit = (1e-9 if field == "linear" else 3.0 * ALPHA * T) * E * ALPHA * T
    if second:  # the faces in the walls cannot grow: that is felt four cells away, which are longer than high
        limit += 2e-4 * E * ALPHA * T
    with run_model(model, tmp_path / "out.h5") as result:
        mechanism = place(model.spec)
        surface = covered(model.spec, mechanism, mechanism.body_index["bar"])
        assert surface.stressing == ("h",) and surface.stress is not None
        amplitudes = surface.stress_amplitudes(lambda path: np.asarray(result[path]))
        assert amplitudes.shape == (len(result.time), surface.body.n_modes + 1) and amplitudes[-1, -1] == T
        stress = np.einsum("k,skc->sc", amplitudes[-1], np.asarray(surface.stress, float))
        far = np.abs(surface.skin.points[:, 0] - LENGTH / 2) < LENGTH / 4
        expected = np.array([0.0 if second is None else -E * ALPHA * T, 0.0, 0.0, 0.0, 0.0, 0.0])
        assert stress[far] == pytest.approx(np.tile(expected, (far.sum(), 1)), abs=limit)
        motion = RecordedMotion(result, mechanism, np.arange(len(result.time)))
        part = next(part for part in drawn_parts(model.spec, mechanism, motion)[0] if part.name == "bar")
        assert part.von_mises(len(result.time) - 1)[far] == pytest.approx(
            abs(expected[0]), abs=limit + 2e-3 * E * ALPHA * T
        )
