"""The flat arrays that the compiled kernels work on: I (int64) structure, F (float64) constants, W (float64) workspace.

The one door to their layout: `from flexmb.layout import flat_arrays as L`, then `I[L.N_V]`, `I[body + L.B_PARENT]`.
Each record is declared in the file of its part; `python -m flexmb.layout` prints the map of all of them, and
`flexmb.layout.dump.dump(system, work)` a state by name. I begins with the header, which gives the offsets of all
tables and blocks. Only `flexmb.system` writes I and F.
"""

# ruff: noqa: F403 - every public name of these files is a part of the layout

from __future__ import annotations

from flexmb.layout.bodies import *
from flexmb.layout.constraints import *
from flexmb.layout.coordinates import *
from flexmb.layout.deformation_fields import *
from flexmb.layout.header import *
from flexmb.layout.loads import *
from flexmb.layout.markers import *
from flexmb.layout.outputs import *
