"""PyDy on the rigid examples: C code of mass matrix and forcing, made by its CMatrixGenerator from sympy's equations.

Its ODE functions for Python (lambdify, Cython) wrap the same code and add the call from Python and a linear solve; the
C code alone is what flexmb's is compared with.
"""

from __future__ import annotations

import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

from c_loop import Compiled, compile_loop
from peer_sympy import derive
from sympy.physics.mechanics import dynamicsymbols  # type: ignore[import-untyped]

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from pydy.codegen.c_code import CMatrixGenerator  # type: ignore[import-untyped,import-not-found]

LOOP = """
void repeat(long n, double *q, double *v, double *p, double *M, double *f)
{
    for (long k = 0; k < n; k++) {
        q[0] += 1e-9;
        evaluate(q, v, p, M, f);
    }
}
"""


def generated(example: str, parameters: dict[str, float]) -> Compiled:
    """Derive by KanesMethod, eliminate common subexpressions, write and compile."""
    start = time.thread_time()
    found = derive(example)
    free: set[Any] = (found.M.free_symbols | found.forcing.free_symbols) - {dynamicsymbols._t}
    symbols = sorted(free, key=lambda symbol: str(symbol.name))
    generator = CMatrixGenerator((found.q, found.u, symbols), (found.M, found.forcing))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        generator.write("peer", str(folder))
        made = time.thread_time() - start
        values = [parameters.get(symbol.name, 0.0) for symbol in symbols]
        sizes = (len(found.q), len(found.u), values, [len(found.M), len(found.forcing)])
        return compile_loop(folder, "peer", LOOP, made, *sizes)
