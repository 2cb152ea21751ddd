"""flexmb equations for models whose symbols have no values, and asks that such models make possible."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.command_line import call, folder
from tests.support.symbolic_models import DOUBLE_PENDULUM, TOP

__all__ = ["folder"]


@pytest.fixture
def model(folder: Path) -> str:
    (folder / "symbols.toml").write_text(DOUBLE_PENDULUM)
    return "symbols.toml"


def test_symbols_without_values(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    """[RS eq. 109] on the screen."""
    code, out, err = call(capsys, "equations", model)
    assert (code, err) == (0, "") and "m1 = ?" in out
    assert "M[2,2] = 1/3*l2^2*m2" in out
    assert "f[2] = -1/2*l1*l2*m2*theta1'^2*sin(theta2) - 1/2*g*l2*m2*sin(theta1 + theta2)" in " ".join(out.split())


def test_values_on_the_command_line(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A symbol of [symbols] stays one, with the value that it was given."""
    code, out, _ = call(capsys, "equations", model, "--set", "l1=2 m")
    assert code == 0 and "l1 = 2\n" in out and "l2 = ?" in out
    code, _, err = call(capsys, "equations", model, "--set", "m1=-2")
    assert code == 2 and "must not be negative" in err


def test_code_without_values(model: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = call(capsys, "equations", model, "--code", "numpy", "-o", "code")
    assert (code, err) == (0, "") and (folder / "code" / "README.md").exists()


def test_unknown_symbols(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = call(capsys, "equations", model, "--symbols", "l9")
    assert (code, out) == (2, "") and "cannot keep 'l9'" in err


def test_a_run_needs_values(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = call(capsys, "run", model)
    assert code == 2 and "have no value" in err


def test_order_of_a_rigid_model(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    for extra in ((), ("--code", "c")):
        code, out, err = call(capsys, "equations", model, "--order", "2", *extra)
        assert (code, out) == (2, "") and "no flexible body" in err


def test_angular_velocities_have_their_unit(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "top.toml").write_text(TOP)
    _, out, _ = call(capsys, "equations", "top.toml")
    assert "-  ball_wx  rad/s" in out and "p_ball_wy = Js*ball_wy   (constant)" in out
