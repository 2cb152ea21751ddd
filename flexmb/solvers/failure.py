"""Message for a run that failed: time, joint or coordinate, and remedy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmb.arrays import Floats
from flexmb.errors import ComputationError
from flexmb.layout import flat_arrays as L
from flexmb.layout import solver_state as st
from flexmb.solvers.assembly import close_loops, gaps, positive_mass
from flexmb.solvers.field_limits import FieldLimits
from flexmb.solvers.mechanics import Mechanics, Solvable
from flexmb.solvers.settings import EXPLICIT, Settings
from flexmb.solvers.shared_basis import in_all_rows
from flexmb.solvers.sparse_rows import SparseRows

NEARLY_DEPENDENT = 1e-3  # smallest singular value of the constraint rows as a fraction of the largest
AHEAD = 0.01  # fraction of the span of the run within which to look for a position that cannot be reached


@dataclass(frozen=True, eq=False)
class FailedStep:
    """A step that could not be taken; the workspace of `mechanics` still holds the failed iterate."""

    mechanics: Mechanics
    settings: Settings
    status: int
    """SINGULAR, NO_CONVERGENCE, NO_STEP or NOT_CLOSED"""
    q: Floats
    """(n_q,) coordinates at the start of the step"""
    v: Floats
    """(n_v,)"""
    t: float
    """Start time of the step [s]"""
    step: float
    """[s]"""
    sign: str
    """Main symptom: "the largest correction is that of coordinate 'crank.angle'\""""

    def begin(self, later: float = 0.0) -> Mechanics:
        """The mechanics in the state at the start of the step, with the time moved on by `later` [s]."""
        self.mechanics.q[:], self.mechanics.v[:] = self.q, self.v
        self.mechanics.t = self.t + later
        return self.mechanics


def failure_text(failed: FailedStep) -> str:
    """Text of the ComputationError for a failed step."""
    mechanics, settings, status = failed.mechanics, failed.settings, failed.status
    if status == st.OPENED:
        return _opened_text(failed)
    where = f"At t = {failed.t:.6g} s (step {failed.step:.3g} s) "
    fastest = largest_coordinate(mechanics, mechanics.a)
    beyond = FieldLimits(mechanics.system).fault_of(failed.begin())
    if beyond:
        return where + beyond
    wild = _wild_forces(failed) or _wild_rows(failed)
    if wild:
        return (
            f"{where}{wild} any more. Look for a root, a logarithm or a division in the expression, or end the run "
            "earlier."
        )
    open_rows = _open_rows(failed)
    if open_rows:
        return (
            f"{where}the step fails: {open_rows}, for any coordinates. The mechanism cannot reach or pass this "
            "position. Change the motions or the dimensions, end the run earlier, or try a smaller step."
        )
    dependent = _dependent_rows(failed)
    if status == st.SINGULAR and (singular := _singular_text(failed, dependent, fastest)):
        return where + singular
    places = "; ".join(text for text in (dependent, failed.sign) if text)
    if status == st.NO_STEP:
        return (
            f"{where}the error of the step cannot be brought below the tolerance {settings.tolerance:g}: {places}. "
            "Use a smoother law for a force or motion that jumps; otherwise loosen the tolerance."
        )
    if status == st.NOT_CLOSED:
        place = dependent or "they close only far from the predicted position"
        return f"{where}the loops do not close: {place}. Use a smaller step, or look for a position it cannot pass."
    suspicion = FieldLimits(mechanics.system).suspicion_of(failed.begin())
    change = "a looser tolerance" if settings.tolerance is not None else "a smaller step"
    return (
        f"{where}the iteration does not converge: {places}. Try {change}, and check whether the "
        f"mechanism meets a singular position or a force that jumps there.{suspicion}"
    )


def _opened_text(failed: FailedStep) -> str:
    """Text on rows that the solvers do not see because they repeat others, and that open at the end of the step."""
    mechanics = failed.mechanics
    opened = gaps(mechanics, mechanics.phi_all)
    where = f"At t = {failed.t:.6g} s (step {failed.step:.3g} s) "
    if dependent := _dependent_rows(failed):
        return (
            f"{where}the mechanism is in a singular position: {dependent}, and beyond it {opened}. Change the "
            'dimensions or the start, or pass the position with method = "generalized-alpha" or another step.'
        )
    limit = mechanics.system.sharing.limit
    return (
        f"{where}{opened}. At the start these constraints repeat others, and follow from them; now they do not (limit "
        f"{limit:g} rad or parts of the length scale). The mechanism cannot move on in this way: make axes, points and "
        "motions fit each other, or remove constraints that are not needed."
    )


def largest_coordinate(mechanics: Mechanics, values: Floats) -> str:
    """Name of the velocity coordinate with the largest of the values (n_v,); not finite counts as largest."""
    if not mechanics.n_v:
        return "none"
    return mechanics.system.coordinates[int(np.argmax(np.nan_to_num(np.abs(values), nan=np.inf)))]


def _singular_text(failed: FailedStep, dependent: str, fastest: str) -> str:
    """Reason why the equations have no solution; "" when only the failed iterate is the cause."""
    method = failed.settings.method
    if weak := _no_inertia(failed):
        return f"the equations are singular. {weak}"
    if dependent:
        cure = 'pass the position with method = "generalized-alpha"'
        if method == "generalized-alpha":
            cure = "use a smaller step"
        return (
            f"the equations are singular: {dependent}. The mechanism is in a singular position. Change the dimensions "
            f"or the start, or {cure}."
        )
    if method not in EXPLICIT:
        return ""
    return (
        f"the accelerations grow without bound within the step, first that of coordinate '{fastest}'. Try a "
        'smaller step, or method = "generalized-alpha" if the model is stiff.'
    )


def finite_rows(system: Solvable, rows: Floats) -> tuple[Floats, str]:
    """The output rows before the first with a value that is not finite, and a sentence about that row."""
    bad = ~np.isfinite(rows).all(axis=1)
    if not bad.any():
        return rows, ""
    first = int(np.argmax(bad))
    return rows[:first], (
        f"At t = {rows[first, 0]:.6g} s {_lost(system, rows[first])} has no finite value any more. Look for a root, a "
        "logarithm, a division or a vertical slope in motions and forces, use a smaller step, or end the run earlier."
    )


def _lost(system: Solvable, row: Floats) -> str:
    """Name of the value that is not finite in a row: the motion if it is the only one, else the first channel."""
    column = int(np.argmax(~np.isfinite(row)))
    starts = {c.path: c.start for c in system.channels}
    efforts = [path for path in starts if path.startswith("motions/")]
    if len(efforts) == 1 and not np.isfinite(row[starts[efforts[0]]]):
        return f"motion '{efforts[0].split('/')[1]}'"
    return f"'{next(path for path, start in reversed(starts.items()) if start <= column)}'"


def _wild_forces(failed: FailedStep) -> str:
    """ "force 'a' has no finite value", when a load is not finite at the end of the step; "" when all are."""
    mechanics = failed.begin(failed.step)
    if not mechanics.system.forces:
        return ""
    mechanics.run(L.AT_WRENCHES)
    I, names = mechanics.I, []
    for number, name in enumerate(mechanics.system.forces):
        block = int(I[I[L.LOADS] + number * L.LOAD + L.L_W])
        if not np.isfinite(mechanics.W[block + L.LW_EFFORT]):
            names.append(f"'{name}'")
    if not names:
        return ""
    has = f"force {names[0]} has" if len(names) == 1 else f"forces {', '.join(names)} have"
    return f"{has} no finite value"


def _wild_rows(failed: FailedStep) -> str:
    """ "motion 'a' has no finite rate", when a row is not finite at the end of the step; "" when all are."""
    mechanics = failed.begin(failed.step)
    if not mechanics.n_rows:
        return ""
    mechanics.equations()
    for values, noun in (
        (mechanics.phi_all, "value"),
        (mechanics.phi_dot_all, "rate"),
        (mechanics.gam_all, "acceleration"),
    ):
        lost = [row for row, value in zip(mechanics.system.evaluated, values) if not np.isfinite(value)]
        if lost:
            return f"{lost[0].kind} '{lost[0].owner}' has no finite {noun}"
    return ""


def _open_rows(failed: FailedStep) -> str:
    """Joints that stay open at the end of the step, or soon after, even when every coordinate may move; else ""."""
    if not failed.mechanics.n_pos_rows:
        return ""
    start, end = failed.settings.start, failed.settings.end
    ahead = min(AHEAD * (end - start), end - failed.t)
    for later, when in ((failed.step, ""), (ahead, f"at t = {failed.t + ahead:.6g} s ")):
        mechanics = failed.begin(later)
        if close_loops(mechanics, np.ones(mechanics.n_v, bool)) > 1e-6 * mechanics.row_scale:
            return when + gaps(mechanics, mechanics.phi_all[: mechanics.n_all_pos_rows])
    return ""


def _no_inertia(failed: FailedStep) -> str:
    """Sentence on coordinates without inertia at the start of the step; "" when there are none."""
    mechanics = failed.begin()
    mechanics.equations()
    try:
        positive_mass(mechanics)
    except ComputationError as error:
        return str(error)
    return ""


def _more_dependent_rows(mechanics: Mechanics) -> str:
    """Sparse storage: joints of rows that repeat others here, where there are more of them than at the start."""
    rows, system = SparseRows(mechanics), mechanics.system
    rows.factor(rows.magnitudes(), tolerance=NEARLY_DEPENDENT)
    before = getattr(system, "dependent", ())
    if int(np.sum(rows.dependent)) <= len(before):
        return ""
    names = mechanics.owners(int(k) for k in np.flatnonzero(rows.dependent) if int(k) not in before)
    return f"the constraints of {', '.join(repr(name) for name in names[:10])} (nearly) depend on others"


def _dependent_rows(failed: FailedStep) -> str:
    """Joints whose constraint rows are (nearly) dependent at the start of the step; "" when there are none."""
    mechanics = failed.begin()
    if not mechanics.n_rows:
        return ""
    mechanics.jacobian()
    if mechanics.is_sparse:
        return _more_dependent_rows(mechanics)
    G = mechanics.G * mechanics.scale
    left, sigma, _ = np.linalg.svd(G / np.maximum(np.linalg.norm(G, axis=1), 1e-300)[:, None])
    if mechanics.n_rows <= mechanics.n_v and sigma[-1] > NEARLY_DEPENDENT * sigma[0]:
        return ""
    shares = np.abs(in_all_rows(mechanics, left[:, -1]))
    names = mechanics.owners(np.flatnonzero(shares > 0.1 * shares.max()))
    return f"the constraints of {', '.join(repr(name) for name in names)} (nearly) depend on each other"
