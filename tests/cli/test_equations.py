"""flexmb equations on the command line: text, LaTeX, code, and wrong asks refused with the reason.

Covers: symbolic.request.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.command_line import call, chain, folder
from tests.support.places import EXAMPLES

__all__ = ["folder"]
CRANK = str(EXAMPLES / "02_planar_slider_crank.toml")
PENDULUM = str(EXAMPLES / "01_double_pendulum.toml")
FLAGSHIP = str(EXAMPLES / "04_spatial_slider_crank.toml")


def squeezed(text: str) -> str:
    return " ".join(text.split())


def test_pendulum_on_the_screen(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """I = 0.1 + m (l/2)^2 about the pivot, m g l/2 times cos: z is up, the bar lies along x at 0."""
    code, out, err = call(capsys, "equations", "pendulum.toml")
    assert (code, err) == (0, "")
    flat = squeezed(out)
    assert "M[1,1] = 0.35" in flat and "f[1] = 4.905*cos(pivot)" in flat
    assert "0.35*pivot'' = 4.905*cos(pivot)" in flat


def test_energy_and_first_integrals(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = call(capsys, "equations", "pendulum.toml")
    flat = squeezed(out)
    assert "T = 0.175*pivot'^2 V = -4.905*sin(pivot) (T + V is constant)" in flat
    _, out, _ = call(capsys, "equations", "pendulum.toml", "--set", "model.gravity=[0,0,0]")
    assert "p_pivot = 0.35*pivot' (constant: cyclic coordinate)" in squeezed(out)


def test_symbols_without_values(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Equations need no values; a run of the same file asks for them."""
    text = (EXAMPLES / "06_equations_crane.toml").read_text().replace('"400 kg"', '"?"').replace('"12 m"', '"?"')
    model = tmp_path / "crane.toml"
    model.write_text(text)
    code, out, err = call(capsys, "equations", str(model))
    assert (code, err) == (0, "") and "mt = ?" in squeezed(out) and "M[1,1] = ml + mt" in squeezed(out)
    code, _, _ = call(capsys, "equations", str(model), "--code", "numpy", "-o", str(tmp_path / "code"))
    assert code == 0 and (tmp_path / "code" / "README.md").exists()
    code, out, err = call(capsys, "run", str(model), "-o", str(tmp_path / "x.h5"))
    assert code == 2 and "the symbols 'mt', 'L' have no value" in err and not (tmp_path / "x.h5").exists()


def test_a_load_without_symbolic_form(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = (folder / "pendulum.toml").read_text()
    spring = '[forces.buffer]\ntype = "joint-spring"\njoint = "pivot"\ntable = [[-1, -5], [0, 0], [1, 7]]\n'
    (folder / "pendulum.toml").write_text(text + spring)
    code, out, err = call(capsys, "equations", "pendulum.toml")
    assert (code, out) == (2, "") and "buffer" in err and "symbolic form" in err


def test_symbols_by_name(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = call(capsys, "equations", "pendulum.toml", "--symbols", "length")
    assert code == 0 and "f[1] = 4.905*length*cos(pivot)" in squeezed(out) and "length = 1" in out
    code, out, err = call(capsys, "equations", "pendulum.toml", "--symbols", "lenght")
    assert (code, out) == (2, "") and "length" in err and "lenght" in err


def test_settings(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = call(capsys, "equations", "pendulum.toml", "--set", "length=2")
    assert code == 0 and "f[1] = 9.81*cos(pivot)" in squeezed(out)


def test_files(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(2):  # our own files may be written again
        code, out, _ = call(capsys, "equations", PENDULUM, "-o", "x.txt", "--latex", "x.tex", "--symbols", "all")
        assert code == 0 and "x.tex" in out and "x.txt" in out
    assert "sin(theta1 + theta2)" in (folder / "x.txt").read_text()
    latex = (folder / "x.tex").read_text()
    assert latex.startswith(r"\documentclass") and r"\ddot{\theta}_{1}" in latex
    (folder / "mine.tex").write_text("my own")
    code, _, err = call(capsys, "equations", PENDULUM, "--latex", "mine.tex", "-o", "pendulum.toml")
    assert code == 2 and "mine.tex" in err and ".txt" in err
    assert (folder / "mine.tex").read_text() == "my own"


@pytest.mark.parametrize("language", ["c", "fortran", "numpy", "numba"])
def test_code(language: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = call(capsys, "equations", CRANK, "--code", language, "-o", "made", "--symbols", "all")
    assert (code, err) == (0, "") and "operations" in out
    readme = (folder / "made" / "README.md").read_text()
    assert "planar_slider_crank" in readme and "| l11 | 0.15 |" in readme


def test_code_of_a_chain(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Text of 30 bodies is refused at once; code is written and grows in proportion to what the recursion computes."""
    model = chain(folder / "chain.toml", 30)
    for words in ((), ("--latex", "x.tex"), ("--steps",)):
        code, out, err = call(capsys, "equations", model, *words)
        assert (code, out) == (2, "") and "30 bodies" in err and "--code c" in err
    assert not (folder / "x.tex").exists()
    code, out, _ = call(capsys, "equations", chain(folder / "ten.toml", 10), "--code", "c")
    assert code == 0 and (folder / "ten" / "chain.c").is_file()


def test_steps_and_matrices(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = call(capsys, "equations", CRANK, "--steps", "--matrices")
    assert code == 0
    for piece in ("Step 1", "Step 2", "Step 3", "Step 4", "Incidence matrix", "Path matrix", "Free-mode vectors"):
        assert piece in out
    code, _, err = call(capsys, "equations", chain(folder / "chain.toml", 7), "--steps")
    assert code == 2 and "at most 6 bodies" in err


def test_forms(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = call(capsys, "equations", PENDULUM, "--form", "state-space")
    assert code == 0 and "q'[2] = theta2'" in out
    code, _, err = call(capsys, "equations", CRANK, "--form", "state-space")
    assert code == 2 and "open tree" in err and "--form embedding" in err
    code, out, _ = call(capsys, "equations", CRANK, "--form", "embedding", "--symbols", "l11,l12")
    assert code == 0 and "J[1,1] = l11*cos(alpha1)/(l12*cos(alpha1 + alpha2)) - 1" in squeezed(out)


def test_all_wrong_asks_are_told_at_once(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("--order", "3", "--code", "c", "--steps", "--latex", "no/x.tex", "--form", "state-space")
    code, out, err = call(capsys, "equations", "pendulum.toml", *words)
    assert (code, out) == (2, "")
    for piece in ("--order 3", "use 1 or 2", "--latex and --steps", "no folder 'no'", "augmented form"):
        assert piece in err


def test_flexible_model_by_order(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Ten rates; too long to be written out, so that parts get names; second order is longer than first."""
    sizes = []
    for order in ("1", "2"):
        code, out, err = call(capsys, "equations", FLAGSHIP, "--order", order)
        assert (code, err) == (0, "") and f"truncated at order {order}" in out and "z1 = " in out
        sizes.append(len(out))
    assert sizes[0] < sizes[1]


def test_simplify(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = call(capsys, "equations", "pendulum.toml", "--simplify")
    assert code == 0 and "cos(pivot)" in out
