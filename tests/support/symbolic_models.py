"""Models whose parameters stay symbols."""

from __future__ import annotations

import re

from flexmb.verification import MODELS


def in_letters(name: str) -> str:
    """A model of `flexmb verify` whose symbols have no values, without its analysis."""
    head, symbols, rest = re.split(r"(?<=\[symbols\]\n)((?:\w+ = .*\n)+)", (MODELS / f"{name}.toml").read_text())
    return head + re.sub(r" = .*", ' = "?"', symbols) + rest.split("[analysis]")[0]


DOUBLE_PENDULUM = in_letters("double_pendulum")
ROTOR, SERVOS = re.split(r"(?=\[motions.servo_1\])", in_letters("pendulating_rotor"))
SLIDER_CRANK = in_letters("planar_slider_crank").replace("[bodies.slider]\nmass = 0", "[bodies.slider]\nmass = SLIDER")
SLIDER_CRANK = SLIDER_CRANK.replace("[symbols]", '[symbols]\nm_s = "?"')
TOP = """
[model]
name = "Heavy top"
gravity = [0, 0, "-$g"]
[symbols]
m = 15
J = 0.2
Js = 0.5
h = 0.4
g = 9.81
[bodies.top]
mass = "$m"
inertia = ["$J", "$Js", "$J"]
at = [0, 1, 0]
[joints.ball]
type = "spherical"
bodies = ["ground", "top"]
at = [0, 0, 0]
position = [0.2, 0.1, 0.3]
velocity = [1, 15, -4]
[analysis]
end = 0.2
step = 1e-3
method = "rk4"
[output]
every = 0.05
"""
FREE = """
[model]
name = "Free body"
[symbols]
m = "?"
[bodies.nut]
mass = "$m"
inertia = [0.1, 0.2, 0.25]
at = [0, 0, 0]
"""
