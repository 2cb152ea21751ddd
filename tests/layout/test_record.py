"""Declarations: offsets, lengths and names, and that nothing in the layout is numbered by hand.

Covers: layout.bodies, layout.constraints, layout.coordinates, layout.driven_state, layout.flat_arrays, layout.header,
layout.loads, layout.map, layout.markers, layout.outputs, layout.solver_state.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from flexmb.joints import motion
from flexmb.layout import driven_state as ds
from flexmb.layout import flat_arrays as L
from flexmb.layout import solver_state as st
from flexmb.layout.map import layout_map, offsets
from flexmb.layout.record import RECORDS, Record, length_of

LAYOUT = Path(L.__file__).parent
DECLARING = ("value", "rest", "place", "table", "program", "part")
CODES = {"KIND_", "ROW_", "LOAD_", "SENSE_"}
"""Beginnings of the names of codes, which are values of fields and no offsets."""
OTHER = {"OK", "MORE", "DONE", "SINGULAR", "NO_CONVERGENCE", "NO_STEP", "CHOOSE_AGAIN", "NOT_CLOSED", "STUCK",
         "MAX_LEVEL", "FINEST", "LONGEST"}  # fmt: skip


@pytest.fixture
def record() -> Record:
    made = Record("made here", "W", "For this test.")
    RECORDS.remove(made)
    return made


@pytest.mark.parametrize(
    ("length", "number"), [(7, 7), ("n_q", 4), ("6 + n_q", 10), ("2 n_q", 8), ("n_q n_v", 12), ("7 n_q + 7 n_v", 49)]
)
def test_lengths(length: int | str, number: int) -> None:
    assert length_of(length, {"n_q": 4, "n_v": 3}) == number


def test_offsets_follow_from_the_lengths(record: Record) -> None:
    assert record.value("p", "position", length=3, unit="m") == 0
    assert record.value("R", "orientation", length=9, unit="1") == 3
    assert record.rest("columns", "of the modes", length="6 n_modes") == 12
    assert record.rest("wrench", "applied", length=6) == -1
    assert offsets(record) == ["0", "3", "12", "12 + 6 n_modes"]
    assert record.length({"n_modes": 2}) == 30
    assert record.named("R").offset == 3 and record.at(3).name == "R"


def test_faults_in_declarations(record: Record) -> None:
    record.value("p", "position", length=3)
    with pytest.raises(ValueError, match="has a field 'p' already"):
        record.value("p", "again")
    record.rest("columns", "of the modes", length="6 n_modes")
    with pytest.raises(ValueError, match="what follows 'columns' depends on counts"):
        record.value("later", "behind an open end")


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: f"{record.array}-{record.name}")
def test_fields_are_complete_and_do_not_overlap(record: Record) -> None:
    position: int | None = 0
    for field in record.fields:
        assert field.name and field.text, f"{record.name}: a field without name or sentence"
        assert field.offset == position, f"{record.name}.{field.name}"
        position = position + field.length if position is not None and isinstance(field.length, int) else None
    assert len({field.name for field in record.fields}) == len(record.fields)
    if record.array in ("F", "W", "S"):
        unitless = [f.name for f in record.fields if not f.unit and f.name not in ("wrenches",)]
        assert not unitless, f"{record.name}: no unit of {unitless}"


def test_nothing_is_numbered_by_hand() -> None:
    """Every integer constant of the layout is declared, the size of a record, or a code."""
    loose = []
    for path in sorted(LAYOUT.glob("*.py")):
        for node in ast.parse(path.read_text()).body:
            if not isinstance(node, ast.Assign):
                continue
            names = [leaf.id for target in node.targets for leaf in ast.walk(target) if isinstance(leaf, ast.Name)]
            if isinstance(node.value, ast.Call | ast.Attribute | ast.List | ast.Dict):
                continue
            loose += [name for name in names if name.isupper() and not name.startswith(tuple(CODES))]
    assert set(loose) <= OTHER | {"ARRAYS", "DECLARED_IN"}, loose


def test_map_lists_every_field() -> None:
    text = layout_map()
    for record in RECORDS:
        table = text.split(f"### {record.name}\n", 1)[1].split("\n### ", 1)[0]
        for field in record.fields:
            assert f"| {field.name} | {field.length} |" in table, f"{record.name}.{field.name}"
            assert field.text in table


def test_header_is_first_and_names_every_table() -> None:
    assert L.N_BODIES == 0 and L.HEADER == len(L.HEADER_RECORD.fields)
    listed = {f.target.record.name for f in L.HEADER_RECORD.fields if f.target and f.target.record}
    assert {"body", "marker", "row", "chord", "load", "sensor", "joint", "motion", "deformation field"} <= listed


def test_joint_motion_is_what_the_joints_write() -> None:
    own = (L.J_R, L.J_T, L.J_BIAS_W, L.J_BIAS_V, L.J_SW, L.J_SV, L.JOINT_MOTION)
    assert own == (motion.R, motion.T, motion.BIAS_W, motion.BIAS_V, motion.S_W, motion.S_V, motion.SIZE)


def test_beam_marker_begins_as_every_marker() -> None:
    for name in ("p_bm", "R_bm"):
        assert L.BEAM_MARKER.named(name).offset == L.MARKER_CONSTANTS.named(name).offset


@pytest.mark.parametrize("state", [st, ds], ids=["integrator", "driven"])
def test_solver_states_have_room_for_all_blocks(state: object) -> None:
    counts = {"n_q": 5, "n_v": 4, "n_rows": 2, "n_powers": 1, "n_free": 2, "n_tangent": 7, "n_sized": 2, "n_thin": 4}
    slot = st.NEWTON if state is st else ds.STIFFNESS
    for solver in ("implicit", "explicit"):
        K, S = st.lay_out(state.K_RECORD, state.S_RECORD, counts, {slot: 6}, solver)  # type: ignore[attr-defined]
        taken = []
        for place in state.K_RECORD.places("S"):  # type: ignore[attr-defined]
            if K[place]:
                length = state.K_RECORD.target_length(place, counts)  # type: ignore[attr-defined]
                taken += range(K[place], K[place] + length)
        taken += range(K[slot + st.MATRIX], K[slot + st.MATRIX] + 36)
        taken += range(K[slot + st.VECTOR], K[slot + st.VECTOR] + 12)  # right-hand side and solution
        assert len(set(taken)) == len(taken)
        assert sorted(taken) == list(range(state.S_HEADER, S.size))  # type: ignore[attr-defined]
