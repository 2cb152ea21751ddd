"""A state as named tables."""

from __future__ import annotations

import re

import numpy as np
import pytest

from flexmb.equations import programs
from flexmb.layout import driven_state as ds
from flexmb.layout import flat_arrays as L
from flexmb.layout import solver_state as st
from flexmb.layout.dump import dump, dump_driven, dump_solver
from tests.support.flat import Flat
from tests.support.flexible_models import beam
from tests.support.mechanisms import spec_of

SHAPES = {"bending": {"y": 3, "z": 3}, "axial": 1, "torsion": 1}
MODEL = {
    "model": {"name": "two arms", "gravity": [0.0, 0.0, -9.81]},
    "bodies": {"rod": {"mass": 2.0, "rod": [[0, 0, 0], [1, 0, 0]]}, "arm": beam([1, 0, 0], [2, 0, 0], shapes=SHAPES)},
    "joints": {
        "pin": {"type": "revolute", "bodies": ["ground", "rod"], "at": [0, 0, 0], "axis": "y"},
        "hinge": {"type": "revolute", "bodies": ["rod", "arm"], "at": [1, 0, 0], "axis": "y"},
        "stay": {"type": "distance", "bodies": ["ground", "arm"], "at": [[0, 0, 1], [2, 0, 0]]},
    },
    "forces": {"motor": {"type": "actuator", "joint": "pin", "effort": "3 N*m"}},
}


@pytest.fixture(scope="module")
def flat() -> Flat:
    made = Flat(spec_of(MODEL))
    made.set(made.system.q0, np.arange(1.0, made.n + 1.0), np.zeros(made.n), t=0.25)
    made.run(programs.residual)
    return made


def section(text: str, title: str) -> str:
    """The lines of one record."""
    return text.split(f"\n{title}\n", 1)[1].split("\n\n", 1)[0]


def numbers(lines: str, name: str) -> np.ndarray:
    """The numbers in the line of a field."""
    line = next(line for line in lines.splitlines() if line.split()[:1] == [name])
    found = re.match(rf"\s*{re.escape(name)}\s+((?:[-+0-9.e]+\s+)+)", line)
    assert found, line
    return np.array([float(x) for x in found.group(1).split()])


def test_header_state_and_bodies_by_name(flat: Flat) -> None:
    text = "\n" + dump(flat.system, flat.work)
    header = section(text, "header")
    assert numbers(header, "t") == 0.25
    assert np.allclose(numbers(header, "v"), flat.get(L.V, flat.n))
    assert numbers(header, "n_bodies") == 2
    rod = section(text, "body 1 'rod'")
    assert numbers(rod, "mass") == 2.0 and "kg" in rod
    assert np.allclose(numbers(rod, "omega_wb_b"), [0.0, 1.0, 0.0])  # the rate of the pin about y
    arm = section(text, "body 2 'arm'")
    assert numbers(arm, "n_modes") == 8
    assert len(numbers(arm, "mode_forces")) == 8


def test_every_table_is_listed(flat: Flat) -> None:
    text = "\n" + dump(flat.system, flat.work)
    ints = flat.system.ints
    for title, slot in (("marker", L.N_MARKERS), ("row", L.N_ROWS), ("chord", L.N_CHORDS), ("joint", L.N_JOINTS)):
        assert len(re.findall(rf"^{title} \d+", text, re.M)) == ints[slot]
    assert "\nload 0 'motor'\n" in text
    assert numbers(section(text, "load 0 'motor'"), "effort") == 3.0
    assert f"row 0 '{flat.system.rows[0].owner}: {flat.system.rows[0].text}'" in text
    assert "\ndeformation field 0\n" in text


def test_solver_states(flat: Flat) -> None:
    ints = flat.system.ints
    K, S = st.make_state(ints, explicit=False)
    S[st.H], K[st.STEPS] = 0.125, 17
    S[K[st.AUX] : K[st.AUX] + flat.n] = 4.5
    text = dump_solver(ints, K, S)
    assert numbers(text, "h") == 0.125 and numbers(text, "steps") == 17
    assert np.all(numbers(text, "aux") == 4.5)
    assert re.search(r"tableau\s+none", text)  # of the explicit solver
    split = ds.Split(*(np.array(x, dtype=np.int64) for x in ([0], [2, 3], [2, 3])))
    K, S = ds.make_driven_state(ints, np.full(flat.n, 2.0), flat.system.elastic, split)
    text = dump_driven(ints, K, S)
    assert list(numbers(text, "free")) == [2, 3] and numbers(text, "n_free") == 2
    assert np.all(numbers(text, "scale") == 2.0)
