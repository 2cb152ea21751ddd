"""Envelope, hot spots and damage of the flexible bodies of a result.

Input: a result, and the body files of its model. Bodies from meshes have stress on their surface if they were reduced
with it; beams have that of bending, tension and round torsion at their outer fibres.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

import numpy as np

from flexmb.analyses.stress.field import StressField
from flexmb.analyses.stress.findings import Progress, StressRequest, stress_findings
from flexmb.analyses.stress.sn_line import SNLine, read_sn_line
from flexmb.bodies.flexible_body import FlexibleBody
from flexmb.errors import Fault, InputError
from flexmb.model.schema.model_spec import ModelSpec
from flexmb.results.flexible_findings import flexible_bodies
from flexmb.results.model_of_result import model_of
from flexmb.results.result_file import Result
from flexmb.results.stress_findings import MEASURES, MISES, StressFindings
from flexmb.results.time_window import rows_within
from flexmb.suggestions import clipped, did_you_mean
from flexmb.system.mechanism import Mechanism
from flexmb.system.placement import place
from flexmb.view.scene_of_result import covered

MOST_SPOTS = 1000
_NO_AXIAL = "Beams without axial shapes have no stress of tension"
_BEAM = "Stress of beams is that of outer fibres by beam theory, without notches and the shear of transverse forces"


def stress_of(
    result: Result,
    bodies: Sequence[str] | str = (),
    *,
    start: float | None = None,
    end: float | None = None,
    spots: int = 10,
    apart: float | None = None,
    off_ties: bool = False,
    by: str = MISES,
    sn: SNLine | str | None = None,
    folder: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> StressFindings:
    """Largest stress of every point of flexible bodies, when, hot spots, and damage by an S-N line.

    Parameters
    ----------
    bodies
        Names; default: all flexible bodies with stress.
    start, end
        Part of the run [s].
    spots, apart
        Most hot spots of a body, and their least distance [m]; default: a twentieth of the size of the body.
    off_ties
        Leave out hot spots that are nearer than this distance to the nodes of interfaces.
    by
        "von-mises" or "principal" (of the largest magnitude): what hot spots are, and what cycles are counted of, both
        with the sign of that principal stress.
    sn
        S-N line as `fx.SNLine` or as text: "sigma_a = 160 MPa, N = 2e6, k = 5".
    folder
        Further folder to search for body files.

    Returns
    -------
    `bodies`, each with `envelope` (points, `von_mises`, `tension`, `compression`, `principal` [Pa], their `_time` [s])
    and `spots` (node, side, position, stresses, times, `damage` with `cycles`, `damage`, `repeats`); `spots` of all
    bodies; `warnings` and `notes`.
    """
    faults = list(_request_faults(start, end, spots, apart, by))
    if folder is not None and not os.path.isdir(folder):
        faults.append(Fault(f"there is no folder {clipped(os.fspath(folder))}.", ("bodies",)))
    line, rows = None, (0, 0)
    try:
        line = read_sn_line(sn) if isinstance(sn, str) else sn
    except InputError as error:
        faults += error.faults
    try:
        rows = rows_within(result, start, end)
    except InputError as error:
        faults += error.faults if not faults else []
    if line is not None and rows[1] - rows[0] == 1:
        faults.append(Fault("one row has no cycles to count.", ("sn",), "Give a part of a run with more rows."))
    if faults:
        raise InputError(faults)
    spec = model_of(result, folder).spec
    mechanism = place(spec)
    names = [bodies] if isinstance(bodies, str) else list(dict.fromkeys(bodies))
    fields, without = stress_fields(spec, mechanism, names)
    request = StressRequest(*rows, spots, apart, off_ties, by, line)
    notes = [*_notes(mechanism, fields), *([_missing(without)] if without else [])]
    if result.outcome != "finished":
        notes.append(
            f"The run has not finished ({result.outcome}): rows after t = {result.time[-1]:.6g} s are missing."
        )
    return stress_findings(result, fields, request, notes, progress)


def _request_faults(
    start: float | None, end: float | None, spots: int, apart: float | None, by: str
) -> Iterator[Fault]:
    if start is not None and end is not None and start >= end:
        text = f"the end at {end:g} s is not after the start at {start:g} s."
        yield Fault(text, ("end",), "Give a later end, or an earlier start.")
    if not 1 <= spots <= MOST_SPOTS:
        yield Fault(f"{spots} hot spots: it must be 1 to {MOST_SPOTS} a body.", ("spots",))
    if apart is not None and not (np.isfinite(apart) and apart >= 0.0):
        yield Fault(f"the distance of hot spots is {apart:g} m: it must be 0 or more.", ("apart",))
    if by not in MEASURES:
        yield Fault(f"there is no stress {clipped(by)}.", ("by",), did_you_mean(by, MEASURES))


def stress_fields(spec: ModelSpec, mechanism: Mechanism, names: Sequence[str]) -> tuple[list[StressField], list[str]]:
    """Stress of the bodies of these names (default: all that have it), and names of flexible bodies without stress.

    Raises InputError when a body of `names`, or every body, has none.
    """
    flexible = {body.name: body for body in flexible_bodies(mechanism)}
    faults = []
    for name in names:
        if name not in flexible:
            hint = did_you_mean(name, flexible, "Flexible bodies") if flexible else "The model has none."
            faults.append(Fault(f"{clipped(name)} is not a flexible body of the result.", ("body",), hint))
    if not flexible and not names:
        faults.append(Fault("The model has no flexible body, so there is no stress."))
    if faults:
        raise InputError(faults)
    fields, without = [], []
    for name in names or flexible:
        field = stress_field(spec, mechanism, flexible[name])
        if field is None:
            without.append(name)
        else:
            fields.append(field)
    if names and without or not fields:
        raise InputError([Fault(_missing(without))])
    return fields, without


def stress_field(spec: ModelSpec, mechanism: Mechanism, body: FlexibleBody) -> StressField | None:
    """The stress of a body; None: its file has none, or its section is not known."""
    surface = covered(spec, mechanism, mechanism.body_index[body.name])
    if surface.stress is None or not surface.stress.size:
        return None
    ties = body.reduced.markers if body.reduced is not None else ()
    return StressField(
        body=body.name,
        points=surface.skin.points,
        triangles=surface.triangles,
        shapes=np.ascontiguousarray(surface.stress, dtype=float),
        length=body.length,
        nodes=surface.nodes,
        interfaces=tuple((tie.name, np.asarray(tie.nodes)) for tie in ties if tie.kind != "follower"),
        stressing=surface.stressing,
    )


def _missing(names: Sequence[str]) -> str:
    listed = ", ".join(f"'{name}'" for name in names)
    has = "Body " + listed + " has" if len(names) == 1 else "Bodies " + listed + " have"
    return (
        f"{has} no stress: a body from a mesh keeps it with 'flexmb reduce ... --stress' (in a model file: stress = "
        "true beside mesh), a beam needs a section with an outline. Reduce and run again."
    )


def _notes(mechanism: Mechanism, fields: Sequence[StressField]) -> Iterator[str]:
    """Remarks on the stress of beams."""
    shapes = {body.name: body.basis.shapes for body in flexible_bodies(mechanism) if body.basis is not None}
    beams = [field.body for field in fields if field.body in shapes]
    if beams:
        yield f"{_BEAM}: {', '.join(beams)}."
    flat = [name for name in beams if all(shape.component != "u" for shape in shapes[name])]
    if flat:
        yield f"{_NO_AXIAL}: {', '.join(flat)}."
