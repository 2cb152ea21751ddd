"""Motions by tables of measured points: E22. A comment says where a tolerance comes from."""

from __future__ import annotations

import numpy as np

from flexmb.verification.case import Comparison, case, compare, near
from flexmb.verification.running import expected, run


@case("E22", "Motion by a table with sudden bends: it never turns back", "Fritsch & Carlson 1980, RPN 14")
def monotone_table() -> Comparison:
    found, want = run("E22_motion_table"), expected("E22")
    time, place, rate = found["time"] + 7.99, found["joints/guide/position"], found["joints/guide/velocity"]
    points = near(place, [8.19, 8.7, 9.2, 10, 12, 15, 20], time)
    # The curve only rises: what is left is the rounding of the polynomials, 1e-16 of values of 1.
    return Comparison(
        [
            compare("largest value", "m", want["largest"], place.max(), absolute=1e-12),
            compare("smallest value", "m", want["smallest"], place.min(), absolute=1e-12),
            compare("velocity backwards", "m/s", want["backwards"], np.minimum(rate, 0.0).min(), absolute=1e-12),
            compare("points of the table", "m", want["points from 8.19 s"], points, absolute=1e-12),
        ],
        [found.curve("position of the slide", "m", "joints/guide/position", [0.2, 2.01, 7.01], want["points drawn"])],
    )
