"""A model file with every kind of flexible body, and how it is spoiled for the tests."""

from __future__ import annotations

import pytest

from flexmb.model.model_file import ModelFileError, format_faults, parse_model

GOOD = """\
[parameters]
n = 3

[points]
A = [0, 0, 0]
B = ["300 mm", 0, 0]

[materials.mine]
E = "200 GPa"
nu = 0.3
density = "7.87 g/cm^3"

[sections.wire]
type = "circle"
diameter = "6 mm"

[bodies.rod]
beam = ["A", "B"]
y_axis = "z"
material = "mine"
section = "wire"
masses = [{ at = "B", mass = "10 g", inertia = [1, 1, 1], center = [0, "1 mm", 0] }, { at = "10 cm", mass = 1 }]
shapes = { bending = { y = "$n", z = 2 }, axial = 1, torsion = 1 }
frame = "start"
field = "quadratic"
order = 1
damping = { ratio = "1 %" }
rotary_inertia = true
elastic_position = ["1 mm", 0, 0, 0, 0, 0, "1 deg"]
elastic_velocity = [0, 0, 0, 0, 0, 0, "1 rpm"]

[bodies.rod.markers]
mid = { along = 0.5, axis = "y" }
top = { at = [0.1, 0.02, 0] }

[bodies.lump]
mass = 1
inertia = [1, 1, 1]
markers.eye = { at = [1, 0, 0] }

[bodies.plate]
at = "B"
elastic_position = [0.1]

[bodies.plate.modal]
mass = "2 kg"
S0 = [0, 0, 0]
P0 = [[1, 0, 0], [0, 1, 0], [0, 0, 0]]
S1 = [[0, 0, 0]]
N1 = [[[0, 0, 0], [0, 0, 0], [0, 0, 0]]]
N2 = [[[[0, 0, 0], [0, 0, 0], [0, 0, 0.5]]]]
K = [[100]]
D = [[0.1]]

[bodies.plate.markers.corner]
at = [1, 1, 0]
Phi = [[0, 0, 1]]
Theta = [[0.1, 0.1, 0]]

[joints.pin]
type = "revolute"
bodies = ["ground", "rod"]
at = "A"
axis = "z"

[joints.tie]
type = "spherical"
markers = ["rod.end", "plate.corner"]

[forces.wind]
type = "distributed-force"
body = "rod"
vector = ["1 N/mm", "2*sin(t)", 0]
axes = "section"
from = "10 cm"

[sensors.bow]
deflection = "rod.mid"
component = "z"
axes = "body"

[analysis]
end = 1
step = 1e-3
elastic_start = "undeformed"
"""


def changed(old: str, new: str) -> str:
    assert GOOD.count(old) == 1, old
    return GOOD.replace(old, new)


def faults_of(text: str, settings: dict[str, str] | None = None) -> str:
    with pytest.raises(ModelFileError) as caught:
        parse_model(text, "m.toml", settings)
    return format_faults(caught.value)
