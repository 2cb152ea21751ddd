"""Observed orders of the implicit methods on closed mechanisms: errors over two steps against a fine explicit run.

Order 2 is that of the method (Arnold & Bruels 2007); rows are compared at the ends of steps, start not included.
"""

from __future__ import annotations

import numpy as np

from flexmb.arrays import Floats
from flexmb.verification.case import Comparison, case, compare
from flexmb.verification.running import Record, run

SMOOTH = {"analysis.elastic_start": "quasi-static", "analysis.end": "0.02", "output.every": "0.001"}


def errors(model: str, settings: dict[str, str], channels: tuple[str, ...], counts: tuple[int, int]) -> Floats:
    """Largest errors of the channels as parts of their peaks, (2, channels), with two numbers of steps."""
    exact = run(model, {**settings, "analysis.method": "rk45", "analysis.tolerance": "1e-12", "analysis.step": "1e-6"})
    found: list[Record] = []
    for count in counts:
        step = f"{settings['analysis.end']}/{count}"
        found.append(run(model, {**settings, "analysis.method": "generalized-alpha", "analysis.step": step}))
    return np.array(
        [
            [np.max(np.abs(one[path] - exact[path])[3:]) / np.max(np.abs(exact[path])) for path in channels]
            for one in found
        ]
    )


@case("order", "Order of generalised-alpha on a closed flexible mechanism", "order 2 (Arnold & Bruels 2007)")
def order() -> Comparison:
    channels = ("sensors/rod_mid_y", "bodies/slider/velocity", "joints/big_end/force", "sensors/drive_torque")
    coarse, fine = errors("spatial_slider_crank", SMOOTH, channels, (4000, 16000))
    orders = np.log(coarse / fine) / np.log(4.0)
    names = ("deflection", "velocity", "reaction", "drive torque")
    return Comparison(
        [
            compare(f"order of the {name}", "", 2.0, value, absolute=0.1)
            for name, value in zip(names, orders, strict=True)
        ]
    )
