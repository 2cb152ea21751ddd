"""flexmb equations: symbolic equations of a model as text, LaTeX or code."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from flexmb.cli.options import Option


def equations(
    model: Path,
    /,
    *,
    form: Literal["augmented", "embedding", "state-space"] = "augmented",
    order: int | None = None,
    symbols: str | None = None,
    output: Annotated[Path | None, Option("--output", "-o")] = None,
    latex: Path | None = None,
    code: Literal["c", "fortran", "numpy", "numba"] | None = None,
    steps: bool = False,
    matrices: bool = False,
    simplify: bool = False,
    settings: Annotated[list[str] | None, Option("--set")] = None,
) -> int:
    """Derive symbolic equations of motion: M, f, constraints and Jacobian; prints them, or writes LaTeX or code.

    Parameters
    ----------
    model
        Model file (.toml).
    form
        augmented (default: M a + G^T lambda = f, Phi = 0), embedding (no multipliers), or state-space (open trees).
    order
        Truncate at order 1 or 2 in the elastic coordinates; default: not truncated.
    symbols
        Parameters that stay symbols: all, or names separated by commas (l1,l2). [symbols] and value "?" always do.
    output
        Text file (.txt); default: the screen. With --code: folder of the code; default: name of the model file.
    latex
        Write a LaTeX document (.tex).
    code
        Write a folder with code: c, fortran, numpy or numba; M and f in implicit form.
    steps
        Print the four steps of the derivation (up to 6 bodies).
    matrices
        Add the incidence and path matrices of the graph and the free-mode vectors of the joints.
    simplify
        Let sympy simplify every entry; takes seconds or minutes.
    settings
        Change a parameter or a key of the model, e.g. --set l2=1.2. May be repeated.
    """
    from flexmb.cli.settings import read_settings
    from flexmb.model.model_file import read_model
    from flexmb.symbolic.request import EquationRequest, deliver, names_of

    loaded = read_model(model, read_settings(settings or []), keep=names_of(symbols))
    request = EquationRequest(form, order, symbols, output, latex, code, steps, matrices, simplify, Path(model.stem))
    print(deliver(loaded, request), end="")
    return 0
