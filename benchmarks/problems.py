"""The problems that every code is timed on, as plain numbers: no code is imported here.

Slider-crank: the rigid spatial slider-crank of Haug 12.2 / IFToMM (crank with its centre of mass at the bearing).
Chain: n links of 1 m and 1 kg, revolute about z and y in turn, gravity across, released from a slightly wavy line.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from flexmb.arrays import Floats

GRAVITY = 9.81
"""[m/s^2], along -z in both problems."""


def _vector(*values: float) -> Floats:
    return np.array(values, dtype=float)


@dataclass(frozen=True)
class SliderCrank:
    """Crank about x at A, spherical joint at B, universal joint at C, slider along x. SI units, world axes."""

    A: Floats = field(default_factory=lambda: _vector(0.0, 0.1, 0.12))
    B: Floats = field(default_factory=lambda: _vector(0.0, 0.1, 0.2))
    C: Floats = field(default_factory=lambda: _vector(0.2, 0.0, 0.0))
    masses: tuple[float, float, float] = (0.12, 0.5, 2.0)
    J_crank: tuple[float, float, float] = (1e-4, 1e-4, 1e-5)
    J_rod: tuple[float, float, float] = (4e-4, 4e-3, 4e-3)
    """About the centre of mass, rod axis first."""
    J_slider: tuple[float, float, float] = (1e-4, 1e-4, 1e-4)
    """Of no effect: the slider does not turn."""
    crank_rate: float = 6.0
    rod_rate: Floats = field(default_factory=lambda: _vector(1.92, -0.96, 0.48))
    end: float = 2.0
    x_end: float = 0.2583044434145187
    """Reference slider position at `end`: independent solution to 1e-11."""

    def rod_axes(self) -> Floats:
        """R_wr: x along the rod from B to C, y the rod's cross-pin (at right angles to the slider's x axis)."""
        along = (self.C - self.B) / np.linalg.norm(self.C - self.B)
        pin = np.cross([1.0, 0.0, 0.0], along)
        pin /= np.linalg.norm(pin)
        return np.column_stack([along, pin, np.cross(along, pin)])

    def rates(self, scale: float = 1.0) -> dict[str, float]:
        """Joint rates at the start; they are proportional to each other, so `scale` keeps them consistent."""
        pin = self.rod_axes()[:, 1]
        return {
            "crank": self.crank_rate * scale,
            "slider": 0.24 * scale,
            "cross_x": float(self.rod_rate[0]) * scale,
            "cross_pin": float(self.rod_rate @ pin) * scale,
        }


@dataclass(frozen=True)
class Chain:
    """n equal links; odd joints turn about z, even ones about y; body origin at its joint, x along the link."""

    n: int
    step: float = 1e-3
    end: float = 0.5
    mass: float = 1.0
    length: float = 1.0
    J: tuple[float, float, float] = (0.01, 1.0 / 12.0, 1.0 / 12.0)
    """About the centre of mass (the middle of the link)."""
    tip_end: tuple[float, float, float] = (np.nan, np.nan, np.nan)
    """Reference position of the free end at `end`: pinocchio's forward dynamics under DOP853, rtol 1e-13."""

    def axis(self, link: int) -> str:
        return "z" if link % 2 == 0 else "y"

    def start(self, shift: float = 0.0) -> tuple[Floats, Floats]:
        """Joint angles and rates at t = 0; `shift` perturbs the rates."""
        k = np.arange(self.n)
        return 0.05 * np.sin(1.0 + 1.7 * k), 0.05 * np.cos(0.3 + 2.3 * k) + shift

    def tip(self, q: Floats) -> Floats:
        """Position of the free end [m] for the joint angles `q`."""
        R, p = np.eye(3), np.zeros(3)
        for link, angle in enumerate(q):
            c, s = np.cos(angle), np.sin(angle)
            turn = [[c, -s, 0], [s, c, 0], [0, 0, 1]] if self.axis(link) == "z" else [[c, 0, s], [0, 1, 0], [-s, 0, c]]
            R = R @ np.array(turn)
            p = p + self.length * R[:, 0]
        return p


SLIDER_CRANK = SliderCrank()
CHAIN_10 = Chain(10, step=1e-3, end=0.5, tip_end=(9.659441484089466, 0.3759893874223632, -1.2973963856737358))
CHAIN_100 = Chain(100, step=5e-4, end=0.1, tip_end=(99.93575532171512, 2.2352431400897426, -1.3071061053891737))
