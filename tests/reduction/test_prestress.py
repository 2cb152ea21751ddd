"""Pre-stress of linear fields: columns and strings, spinning blades, and what is refused."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from flexmb.analyses.modes import modes_of_model
from flexmb.bodies.body_file import read_body, write_body
from flexmb.errors import InputError
from flexmb.model.model import Model
from flexmb.reduction.load_words import PrestressRequest
from flexmb.reduction.prestress import prestressed
from tests.support.loaded_bars import (
    ALPHA,
    AREA,
    DENSITY,
    END,
    LENGTH,
    MIDDLE,
    E,
    I,
    bar,
    clamped_column,
)

BASE = np.sqrt(E * I / (DENSITY * AREA)) / LENGTH**2
"""[rad/s] unit of the frequencies of a beam"""
BLADE = {3.0: 4.7973, 6.0: 7.3604, 12.0: 13.1702}
"""First flapping frequency of a clamped blade spinning about its root, both in units of BASE: Wright, Smith, Thresher,
Wang (1982), Vibration modes of centrifugally stiffened beams, table for a uniform beam without hub"""
PULL = "pull=force:xmin:-x;force:xmax:x"


def frequencies(body: Any, folder: Path, joints: dict[str, Any], **tables: Any) -> np.ndarray:
    file = write_body(body, folder / "body.h5")
    data = {
        "model": {"gravity": [0, 0, 0]},
        "bodies": {"bar": {"file": str(file)}},
        "joints": joints,
        "analysis": {"type": "static"},
        **tables,
    }
    return np.array([mode.frequency for mode in modes_of_model(Model.from_tables(data)).modes])


@pytest.mark.parametrize("frame", ["mean", "chord", "clamped a"])
@pytest.mark.parametrize("part", [2.0, -0.1])
def test_a_beam_under_tension(tmp_path: Path, frame: str, part: float) -> None:
    """omega_k = (k pi)^2 BASE sqrt(1 + N L^2/(k^2 pi^2 E I)) of a pinned beam, with the tension in the model, too: the
    same in every body frame, since there the load is seen from that frame."""
    N = part * np.pi**2 * E * I / LENGTH**2
    state = PrestressRequest("pull", N, text="pull")
    body = bar(PULL, field="linear", frame=frame, prestress=(state,))
    joints = {
        "a": {"type": "universal", "bodies": ["ground", "bar"], "at": MIDDLE, "axes": ["y", "z"]},
        "b": {"type": "point-on-line", "bodies": ["ground", "bar"], "at": END, "line": "x"},
    }
    forces = {"n": {"type": "force", "marker": "bar.b", "vector": [N, 0, 0]}}
    found = frequencies(body, tmp_path, joints, forces=forces)
    k = np.arange(1, 4)
    expected = (k * np.pi) ** 2 * BASE / (2.0 * np.pi) * np.sqrt(1.0 + part / k**2)
    assert found[:6:2] == pytest.approx(expected, rel=1.2e-3)  # of a bar 40 times as long as thick, with shear
    assert "Linearised about pull" in str(body.report["notes"])


@pytest.mark.parametrize("spin", BLADE)
def test_a_spinning_blade(tmp_path: Path, spin: float) -> None:
    """A linear field with the stress of the spin, in two frames, against published numbers and the quadratic field
    without pre-stress, which stiffens at run time. In the plane of rotation the square is less by that of the spin."""
    omega = spin * BASE
    joints = {"root": {"type": "fixed", "bodies": ["ground", "bar"], "at": MIDDLE}}
    base = {"rotation": {"axis": "z", "angle": f"{float(omega)}*t"}}
    state = PrestressRequest("", float(omega), ("a",), (0.0, 0.0, 1.0), "spin")
    plain = bar("push=force:xmax:y", interfaces=(bar_root(),))
    stiffened = frequencies(plain, tmp_path, joints, base=base)
    for frame in ("clamped a", "mean"):
        keys = {"field": "linear", "frame": frame, "prestress": (state,), "interfaces": (bar_root(),)}
        found = frequencies(bar("push=force:xmax:y", **keys), tmp_path, joints, base=base)
        flap, lag = BLADE[spin], np.sqrt(BLADE[spin] ** 2 - spin**2)
        # The strain, rho omega^2 L^2/(2 E), is 0.4 % at the highest spin: the order to which a linear field is known
        # to be right. In the mean frame the root, which stands still, is bent in place of the tip.
        limit = 1e-3 * (1.0 + (spin / (12.0 if frame == "clamped a" else 4.0)) ** 2)
        assert found[:2] == pytest.approx(np.array([lag, flap]) * BASE / (2.0 * np.pi), rel=limit)
        assert found[:2] == pytest.approx(stiffened[:2], rel=2.5e-2 * (spin / 12.0) ** 2 + 1e-3)


def bar_root() -> Any:
    from flexmb.reduction.request import TieRequest

    return TieRequest("a", "xmin")


def test_a_heated_column_held_at_both_ends(tmp_path: Path) -> None:
    """The linear field with pre-stress and the quadratic one with the temperature at run time are one column."""
    T = 0.3 * 4.0 * np.pi**2 * I / (AREA * ALPHA * LENGTH**2)
    joints = {
        name: {"type": "fixed", "bodies": ["ground", "bar"], "at": at} for name, at in (("a", MIDDLE), ("b", END))
    }
    state = PrestressRequest("heat", T, ("a", "b"), text="heat")
    hot = frequencies(bar("heat=temperature:all", field="linear", prestress=(state,)), tmp_path, joints)
    cold = frequencies(bar("heat=temperature:all", field="linear"), tmp_path, joints)
    assert (hot[0] / cold[0]) ** 2 == pytest.approx(clamped_column(0.3), rel=5e-3)


def test_a_free_body_that_is_heated_evenly_has_no_stress_and_no_more_stiffness() -> None:
    state = PrestressRequest("heat", 100.0, text="heat")
    plain, hot = (
        bar("heat=temperature:all", field="linear", method="free", **keys) for keys in ({}, {"prestress": (state,)})
    )
    ratio = [np.sort(np.linalg.eigvals(np.linalg.solve(mass(body), body.stiffness)).real)[:6] for body in (plain, hot)]
    assert ratio[1] / ratio[0] == pytest.approx(np.ones(6), abs=6.0 * ALPHA * 100.0)  # of the order of the strain


def mass(body: Any) -> np.ndarray:
    return np.asarray(body.invariants.mass_matrix(np.zeros(body.n_modes))[6:, 6:])


def test_the_file_says_what_the_body_is_linearised_about(tmp_path: Path) -> None:
    state = PrestressRequest("pull", 1000.0, text="pull=1 kN")
    body = bar(PULL, field="linear", prestress=(state,), modes=2)
    read = read_body(write_body(body, tmp_path / "body.h5"))
    assert read.prestress == "pull=1 kN" == body.prestress
    assert [load.name for load in read.loads] == ["pull"]


@pytest.mark.parametrize(
    "request_, keys, text",
    [
        (PrestressRequest("pull", 1.0), {"field": "quadratic"}, "it would do so twice"),
        (PrestressRequest("pul", 1.0), {}, "there is no load 'pul'"),
        (PrestressRequest("pull", 1.0, ("c",)), {}, "there is no interface 'c'"),
        (PrestressRequest("push", 1.0, text="push=1"), {}, "is not balanced"),
        (PrestressRequest("pull", -1e6, text="pull=-1 MN"), {}, "it buckles at"),
    ],
)
def test_what_cannot_be_is_refused(request_: PrestressRequest, keys: dict[str, Any], text: str) -> None:
    with pytest.raises(InputError, match=text):
        bar(PULL, "push=force:xmax:y", **{"field": "linear", "prestress": (request_,), "modes": 2, **keys})


def test_ties_of_a_deck_are_rejected() -> None:
    tied: Any = SimpleNamespace(model=SimpleNamespace(ties=object()))
    with pytest.raises(InputError, match="quadratic field"):
        prestressed(tied, {}, (PrestressRequest("pull", 1.0, text="pull"),))
