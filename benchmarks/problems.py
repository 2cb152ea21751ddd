"""The problems that every code is timed on, as plain numbers: no code is imported here.

Slider-crank: the rigid spatial slider-crank of Haug 12.2 / IFToMM (crank with its centre of mass at the bearing).
Chain: n links of 1 m and 1 kg, revolute about z and y in turn, gravity across, released from a slightly wavy line.
Train: rockers of 1 m and 1 kg on ground, neighbours joined at their tips by couplers of 1 m and 1 kg; one degree of
freedom. All rockers stay parallel, so that the train moves like a pendulum.
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


@dataclass(frozen=True)
class Pin:
    """A revolute joint about z, with the end (0: start, 1: tip) of each bar that it joins."""

    name: str
    first: str
    first_end: float
    second: str
    second_end: float
    at: tuple[float, float]
    """[m]"""
    closes: bool = False
    """Whether it closes a loop"""

    def ends(self, center: float = 0.0) -> list[tuple[str, list[float]]]:
        """Bodies and places on them, along a bar from the point at `center` of its length [m]."""
        places = [(self.first, self.first_end), (self.second, self.second_end)]
        return [(body, [*self.at, 0.0] if body == "ground" else [end - center, 0.0, 0.0]) for body, end in places]


@dataclass(frozen=True)
class Train:
    """A train of n_bars (odd), let go from rest at an angle of the rockers."""

    n_bars: int
    angle: float = np.pi / 3
    """[rad] to x"""
    step: float = 1e-3

    def bars(self) -> list[tuple[str, float, float, float]]:
        """Name, start [m] and angle to x [rad] of every bar."""
        n, c, s = (self.n_bars - 1) // 2, float(np.cos(self.angle)), float(np.sin(self.angle))
        rockers = [(f"r{k}", float(k), 0.0, self.angle) for k in range(n + 1)]
        return rockers + [(f"c{k}", k + c, s, 0.0) for k in range(n)]

    def joints(self) -> list[Pin]:
        """Feet of the rockers, then the two joints of every coupler."""
        n, c, s = (self.n_bars - 1) // 2, float(np.cos(self.angle)), float(np.sin(self.angle))
        found = [Pin(f"a{k}", "ground", 0.0, f"r{k}", 0.0, (float(k), 0.0)) for k in range(n + 1)]
        for k in range(n):
            found.append(Pin(f"b{k}", f"r{k}", 1.0, f"c{k}", 0.0, (k + c, s)))
            found.append(Pin(f"d{k}", f"c{k}", 1.0, f"r{k + 1}", 1.0, (k + 1 + c, s), closes=True))
        return found

    def tip_height(self, time: float) -> float:
        """Height of the tips [m] at a time [s]: rockers and couplers as one pendulum, by RK4 with 2000 steps."""
        n = (self.n_bars - 1) // 2
        rate = GRAVITY * ((n + 1) / 2 + n) / ((n + 1) / 3 + n)

        def slope(y: Floats) -> Floats:
            return _vector(y[1], -rate * float(np.cos(y[0])))

        y, h = _vector(self.angle, 0.0), time / 2000
        for _ in range(2000):
            k1 = slope(y)
            k2 = slope(y + h / 2 * k1)
            k3 = slope(y + h / 2 * k2)
            y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + slope(y + h * k3))
        return float(np.sin(y[0]))


@dataclass(frozen=True)
class Shaft:
    """Two tubes with rotary inertia on an eccentric disc, in bearings, from rest through the first critical speed."""

    half: float = 3.0
    """[m] length of each tube"""
    area: float = 1.4924e-3
    I: float = 1.6881e-6  # noqa: E741
    J: float = 3.3763e-6
    shear: float = 0.502
    E: float = 210e9
    nu: float = 0.3
    density: float = 7800.0
    mass: float = 70.573
    """[kg] of the disc"""
    radius: float = 0.24
    eccentricity: float = 0.05
    """[m] along z"""
    spin: float = 12.0
    """[rad/s^2] angle = spin t^2: through its first critical speed, 40 rad/s, at 1.7 s"""
    step: float = 2e-4

    @property
    def disc(self) -> tuple[float, float, float]:
        """Inertia of the disc about its centre of mass [kg m^2]."""
        around = 0.2525 * self.mass * self.radius**2
        return 0.5 * self.mass * self.radius**2, around, around


SHAFT = Shaft()
SLIDER_CRANK = SliderCrank()
CHAIN_10 = Chain(10, step=1e-3, end=0.5, tip_end=(9.659441484089466, 0.3759893874223632, -1.2973963856737358))
CHAIN_100 = Chain(100, step=5e-4, end=0.1, tip_end=(99.93575532171512, 2.2352431400897426, -1.3071061053891737))
