"""The report of `flexmb check`: structure of a model and its assembly, without a run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from flexmb.arrays import Floats
from flexmb.graph import SpanningTree, circuit_matrix, cutset_matrix, draw, format_matrix, incidence, path_matrix
from flexmb.model.model import Model
from flexmb.reports.flexible_report import arms, mode_lines
from flexmb.reports.run_report import entry, flexible_lines, structure_lines
from flexmb.results.channel_columns import stored_columns
from flexmb.results.flexible_findings import flexible_bodies
from flexmb.solvers.mechanics import Mechanics
from flexmb.system.system import System
from flexmb.warning import WarningRecord

_ROUNDING = 1e-13  # m, rad


def check_report(
    model: Model,
    system: System,
    work: Floats,
    *,
    n_dof: int,
    residual: float,
    start_gap: float,
    warnings: Iterable[WarningRecord] = (),
    costs: str = "",
    graph: bool = False,
    matrices: bool = False,
) -> str:
    """Degrees of freedom, redundant constraints, assembly, coordinates; optionally the graph and its matrices.

    `work` : (w,) holds the assembled start; `residual`, `start_gap`: largest constraint residuals after and before
    the assembly [m, rad]; `warnings`: `reports.warnings.start_warnings`; `costs`: which coordinates are the cheapest.
    """
    lines = [f"{system.name or 'unnamed model'}: model check (no run)", ""]
    lines += structure_lines(system, model, n_dof)
    lines += entry("assembly", _assembly_text(system, residual, start_gap))
    if costs:
        lines += entry("cost of coordinates", costs)
    lines += flexible_lines(system, model.spec)
    for warning in warnings:
        lines += entry("WARNING", warning.text)
    for note in arms(system.mechanism):
        lines += entry("NOTE", note)
    lines += ["", *_coordinate_table(system, work)]
    if flexible_bodies(system.mechanism):
        lines += ["", *mode_lines(system.mechanism, model.spec)]
    if graph:
        topology = system.topology
        lines += ["", "linear graph: the tree, then its chords", "", draw(topology.graph, topology.tree)]
    if matrices:
        lines += ["", *matrix_lines(system.topology.tree)]
    return "\n".join(lines)


def _assembly_text(system: System, residual: float, start_gap: float) -> str:
    if not system.evaluated:
        return "no loops to close"
    text = f"closed, largest residual {residual:.2e} (m, rad)"
    if start_gap > 1e3 * max(residual, 1e-15):
        text += f"; the given initial positions were off by {start_gap:.3g} and have been corrected"
    return text


def _coordinate_table(system: System, work: Floats) -> Iterator[str]:
    mechanics = Mechanics(system, work)
    stored = zip(stored_columns(system), mechanics.q, strict=True)
    positions = {name: float(value) for (name, _), value in stored}
    width = max([24, *(len(name) for name in system.coordinates)])
    yield f"  {'coordinate':<{width}}{'position':>16}{'rate':>16}  unit"
    for name, kind, rate in zip(system.coordinates, system.coordinate_kinds, mechanics.v, strict=True):
        unit = "m, m/s" if kind in ("length", "elastic") else "rad, rad/s"
        position = _number(positions[name]) if name in positions else "-"
        yield f"  {name:<{width}}{position:>16}{_number(rate):>16}  {unit}"


def _number(value: float) -> str:
    """Six digits; round-off of the assembly is 0."""
    return f"{value if abs(value) > _ROUNDING else 0.0:.6g}"


def matrix_lines(tree: SpanningTree) -> Iterator[str]:
    """Incidence, path, cutset and circuit matrices as text; branches come before chords."""
    nodes = list(tree.graph.nodes)
    branches, chords = [edge.name for edge in tree.branches], [edge.name for edge in tree.chords]
    edges = branches + chords
    yield "incidence matrix, nodes x edges"
    yield format_matrix(incidence(tree.graph, tree.branches + tree.chords), nodes, edges)
    yield "\npath matrix, branches x nodes"
    yield format_matrix(path_matrix(tree), branches, nodes[1:])
    yield "\ncutset matrix, branches x edges"
    yield format_matrix(cutset_matrix(tree), branches, edges)
    yield "\ncircuit matrix, chords x edges"
    yield format_matrix(circuit_matrix(tree), chords, edges)
