"""[output] reactions: written and reported by default, left out when the model says so.

Covers: results.extremes.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import flexmb as fx
from flexmb.analyses.inverse import inverse_model
from flexmb.reports.run_report import reaction_table
from flexmb.results.extremes import Extremes
from flexmb.results.joint_reactions import joint_reactions
from tests.support.flexible_mechanisms import cantilever
from tests.support.mechanisms import slider_crank


def run(folder: Path, data: dict[str, Any], **output: Any) -> fx.Result:
    tables = {**data, "output": {**data.get("output", {}), **output}}
    return fx.run_model(fx.Model.from_tables(tables), folder / f"{len(output)}.h5")


def pendulum_on_a_crank() -> dict[str, Any]:
    data = slider_crank({})
    data["sensors"] = {"push": {"reaction": "wrist", "component": "force"}}
    data["analysis"] = {"type": "kinematic", "end": 1.0, "step": 0.01}
    return data


def test_the_report_says_the_largest_reaction_of_every_joint(tmp_path: Path) -> None:
    result = run(tmp_path, pendulum_on_a_crank())
    lines = [line.split() for line in result.report.splitlines()]
    start = next(k for k, words in enumerate(lines) if words[:3] == ["reaction", "of", "joint"])
    table = {words[0]: words[1:] for words in lines[start + 1 : start + 5]}
    assert [*table] == ["bearing", "pin", "wrist", "slide"]
    for name, words in table.items():
        force = np.linalg.norm(result[f"joints/{name}/force"], axis=1)
        assert float(words[0]) == pytest.approx(force.max(), rel=1e-5)
        assert float(words[1]) == pytest.approx(result.time[force.argmax()], rel=1e-5)
    # A planar loop without a moment in its joints: what is there is round-off and shown as nothing.
    assert table["pin"][2:] == ["0", "-"]


def test_false_leaves_channels_and_lines_out(tmp_path: Path) -> None:
    full, short = run(tmp_path, pendulum_on_a_crank()), run(tmp_path, pendulum_on_a_crank(), reactions=False)
    left_out = set(full.channels) - set(short.channels)
    joints = ("bearing", "pin", "wrist", "slide")
    assert left_out == {f"joints/{name}/{what}" for name in joints for what in ("force", "moment")}
    assert "reaction of joint" in full.report and "reaction of joint" not in short.report
    assert f"{len(short.channels)} channels" in short.report
    assert short.path.stat().st_size < full.path.stat().st_size
    for path in short.channels:  # the same numbers: only the file differs; a sensor of a reaction stays
        np.testing.assert_array_equal(short[path], full[path])
    with pytest.raises(fx.InputError, match=r"output\.reactions: .*reactions = true"):
        joint_reactions(short)


def test_inverse_dynamics_has_reactions_anyway(tmp_path: Path) -> None:
    data = {**pendulum_on_a_crank(), "output": {"reactions": False}}
    found = inverse_model(fx.Model.from_tables(data), tmp_path / "out.h5")
    assert [*found.reactions] == ["bearing", "pin", "wrist", "slide"]


def test_a_flexible_run_without_reactions(tmp_path: Path) -> None:
    # Its report looks for axial forces in a linear beam, which are then not known; it still warns of the deflection.
    data = cantilever(1.0, field="linear")
    data["analysis"] = {**data["analysis"], "end": 0.02, "step": 1e-3}
    full, short = run(tmp_path, data), run(tmp_path, data, reactions=False)
    assert "nan" not in short.report.lower()
    assert full.n_rows == short.n_rows


def test_pictures_and_pages_do_without(tmp_path: Path) -> None:
    from flexmb.view.scene_of_result import scene_of_result

    result = run(tmp_path, pendulum_on_a_crank(), reactions=False)
    assert [arrow for arrow in scene_of_result(result).arrows if arrow.kind.startswith("reaction")] == []


def test_of_many_joints_the_ten_largest() -> None:
    def extreme(size: float) -> Extremes:
        return Extremes(0.0, size, 0.0, 0.1 * size)

    extremes = {f"joints/j{k}/force": extreme(float(k)) for k in range(1, 15)}
    extremes |= {f"joints/j{k}/moment": extreme(0.5 if k != 2 else 40.0) for k in range(1, 15)}
    lines = list(reaction_table(extremes, 2.0))
    # Moments count over the length: 40 N*m at 2 m is more than 14 N.
    assert [line.split()[0] for line in lines[1:-1]] == ["j2", *(f"j{k}" for k in range(14, 5, -1))]
    assert lines[-1].strip() == "and 4 more, none above 5 N or 0.5 N*m"
    assert list(reaction_table({"sensors/tip": extreme(1.0)}, 1.0)) == []
    assert max(map(len, lines)) <= 100
