"""Rigid cases again in natural coordinates (points and unit vectors), at the tolerances that joint coordinates have.

The classical Runge-Kutta method has an error of the order (omega h)^4 per radian; the steps are chosen by it.
"""

from __future__ import annotations

from flexmb.verification.case import Comparison, case, compare
from flexmb.verification.rigid_mechanisms import IFTOMM, fourbar_findings, pendulum_findings, squeezer_findings
from flexmb.verification.rigid_rotation import top_findings
from flexmb.verification.running import expected, in_natural_coordinates


@case("A01-natural", "Pendulum in natural coordinates, 10 s", f"{IFTOMM}; elliptic functions")
def pendulum() -> Comparison:
    # 4.4 rad/s at the bottom, 5 ms: less than 1e-7 m after four swings. The drift of energy is 2.1e-6, 2.6e-8 and
    # 1.5e-9 J at 8, 4 and 2 ms.
    found = in_natural_coordinates("A01_pendulum", 0.5, step=5e-3, end=10, method="rk4")
    return Comparison([*pendulum_findings(found, (1, 5, 10)), found.drift(1e-6)])


@case("A02-natural", "Double four-bar in natural coordinates, 10 s", f"{IFTOMM}; Exudyn, MBDyn")
def double_fourbar() -> Comparison:
    # 4 rad/s, 8 ms: 1e-5 m at the end. The links share points: nothing can tilt the coupler but rounding.
    found = in_natural_coordinates("A02_double_fourbar", 0.1, step=8e-3, end=10, method="rk4")
    return Comparison([*fourbar_findings(found, 1e-9), found.drift(1e-4)])


@case("A03-natural", "Andrews' squeezer in natural coordinates, 0.03 s", "Test Set for IVP Solvers")
def andrews() -> Comparison:
    # Up to 1200 rad/s, 20 us: 2e-2 rad per step, 6e-7 of the velocities after 0.03 s.
    found = in_natural_coordinates("A03_andrews", 0.01, step=2e-5, end=0.03, method="rk4")
    return Comparison(squeezer_findings(found))


@case("A05-natural", "Stiff flyball governor in natural coordinates, 0.5 s", f"{IFTOMM}; independent solution")
def flyball() -> Comparison:
    # The dampers decay with c/m of 1e4 1/s, five times per step: only implicit, and only with their tangents. The slow
    # motion (6 rad/s) has an error of (omega h)^2/12 per rad, 1e-6 at h = 0.5 ms: over 3 rad of 0.12 m 4e-7 m.
    method = {"method": "generalized-alpha", "rho": 0.9, "step": 5e-4, "end": 0.5}
    found, want = in_natural_coordinates("A05_flyball", 0.05, **method), expected("A05")
    times = (0.1, 0.25, 0.5)
    heights, wanted = [found.at(t, "sensors/height")[0] for t in times], [want[f"s({t})"] for t in times]
    return Comparison([compare("height of the slider", "m", wanted, heights, absolute=1e-6)])


@case("A07-natural", "Heavy top in natural coordinates, 1 s", "Newton-Euler, converged")
def heavy_top() -> Comparison:
    # 150 rad/s, 0.4 ms: 0.06 rad per step, (omega h)^4/120 = 1e-7 per radian of the spin; 30 rad at 0.2 s, 150 at 1 s.
    found = in_natural_coordinates("A07_heavy_top", 0.2, step=4e-4, end=1, method="rk4")
    return Comparison(top_findings(found, (1,)))
