"""The flexible problems that every code is timed on, as plain numbers: no code is imported here.

Slider-crank: the spatial slider-crank with a flexible rod of Shi & McPhee 2000, section 5.3 (after Jonker): no gravity,
no damping, undeformed start with the velocities of the rigid mechanism, two turns.
Chain: ten steel tubes with pinned ends, hung at the first, revolute joints about parallel axes, released from a nearly
level line; each link bends in the plane of motion with four sine shapes over its chord.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from places import MODELS
from scipy.interpolate import CubicSpline

import flexmb
from flexmb.arrays import Floats

GRAVITY = 9.81
"""[m/s^2], along -z in the chain; the slider-crank has none."""


@dataclass(frozen=True)
class Beam:
    """A uniform straight beam, bending alike in both planes, without rotary inertia of the section."""

    length: float
    """[m]"""
    area: float
    """[m^2]"""
    second_moment: float
    """[m^4] of the section about either axis."""
    E: float
    """[Pa]"""
    density: float
    """[kg/m^3]"""

    @property
    def line_mass(self) -> float:
        """[kg/m]"""
        return self.density * self.area


def beam_mesh(beam: Beam, elements: int) -> tuple[Floats, Floats, Floats]:
    """Nodes (n, 3), mass and stiffness of a mesh whose sections are crosses of four position nodes.

    Between the sections stand Hermite beam elements on the mean motion of each cross; stiff springs keep its shape.
    """
    size, radius = beam.length / elements, np.sqrt(2 * beam.second_moment / beam.area)
    cross = radius * np.array([[0.0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]])
    rigid = np.vstack([np.hstack([np.eye(3), np.cross(arm, np.eye(3))]) for arm in cross])
    mean = np.linalg.pinv(rigid)
    warp = np.eye(12) - rigid @ mean
    pair = np.kron(np.eye(2), mean)
    h, one, two = size, np.array([[1.0, -1], [-1, 1]]) / size, np.array([[2.0, 1], [1, 2]]) * size / 6
    bending = np.array([[12, 6 * h, -12, 6 * h], [6 * h, 4 * h**2, -6 * h, 2 * h**2],
                        [-12, -6 * h, 12, -6 * h], [6 * h, 2 * h**2, -6 * h, 4 * h**2]])  # fmt: skip
    inertia = np.array([[156, 22 * h, 54, -13 * h], [22 * h, 4 * h**2, 13 * h, -3 * h**2],
                        [54, 13 * h, 156, -22 * h], [-13 * h, -3 * h**2, -22 * h, 4 * h**2]])  # fmt: skip
    E, I, rho, flip = beam.E, beam.second_moment, beam.density, np.diag([1.0, -1, 1, -1])
    K_beam, M_beam = np.zeros((12, 12)), np.zeros((12, 12))
    parts = (
        ([0, 6], E * beam.area * one, beam.line_mass * two),
        ([3, 9], E * I / 1.3 * one, 2 * rho * I * two),  # torsion of a round bar, Poisson's ratio 0.3
        ([1, 5, 7, 11], E * I / h**3 * bending, beam.line_mass * h / 420 * inertia),
        ([2, 4, 8, 10], E * I / h**3 * flip @ bending @ flip, beam.line_mass * h / 420 * flip @ inertia @ flip),
    )
    for places, stiffness, mass in parts:
        K_beam[np.ix_(places, places)] += stiffness
        M_beam[np.ix_(places, places)] += mass
    M, K = (np.zeros((12 * (elements + 1),) * 2) for _ in range(2))
    for element in range(elements):
        span = slice(12 * element, 12 * element + 24)
        K[span, span] += pair.T @ K_beam @ pair
        M[span, span] += pair.T @ M_beam @ pair
    K += np.kron(np.eye(elements + 1), 1e3 * E * beam.area / h * warp)
    M += np.kron(np.eye(elements + 1), beam.line_mass * h / 4 * warp)
    nodes = np.vstack([cross + [k * size, 0, 0] for k in range(elements + 1)])
    return nodes, M, K


@dataclass(frozen=True)
class FlexibleSliderCrank:
    """Crank O-A about `axis` at O, spherical joint at A, universal joint at B, slider along x. SI units, world axes.

    At t = 0 crank and rod lie along x. The crank is not square to its axis: its end runs on a circle of 0.106 m.
    """

    crank: float = 0.15
    rod: Beam = Beam(length=0.3, area=2.826e-5, second_moment=6.361e-11, E=2.0e11, density=7870.0)
    slider_mass: float = 0.0334
    axis: tuple[float, float, float] = (0.5**0.5, 0.0, 0.5**0.5)
    rate: float = 150.0
    turns: int = 2
    model_file: Path = MODELS / "04_spatial_slider_crank.toml"
    """The same problem as a flexmb model; its sensors `rod_mid_y` and `rod_mid_z` are what is compared."""
    reference_file: Path = Path(flexmb.__file__).parent / "verification" / "data" / "jonker_reference.csv"
    """Nonlinear extensible rod of 64 elements; two independent codes agree to 1e-6 m."""

    @property
    def end(self) -> float:
        """[s]"""
        return 2 * np.pi * self.turns / self.rate

    def crank_axes(self) -> Floats:
        """R_wc: z along the axis of the crank, x square to it in the plane of axis and crank at t = 0."""
        z = np.array(self.axis)
        x = np.array([1.0, 0.0, 0.0]) - z[0] * z
        x /= np.linalg.norm(x)
        return np.column_stack([x, np.cross(z, x), z])

    def start(self, scale: float = 1.0) -> tuple[Floats, Floats]:
        """Velocity of A [m/s] and angular velocity of the rod [rad/s] at t = 0, when the slider stands still."""
        v_A = scale * self.rate * self.crank * np.cross(self.axis, [1.0, 0.0, 0.0])
        return v_A, np.cross([1.0, 0.0, 0.0], -v_A) / self.rod.length

    def reference(self) -> Floats:
        """Columns t [s], y, z [m]: rod middle minus middle of the chord A-B, world components, over two turns."""
        if not self.reference_file.is_file():
            raise FileNotFoundError(f"the reference of the flexible slider-crank is not at {self.reference_file}")
        lines = self.reference_file.read_text().splitlines()
        head = [line for line in lines if line.startswith("#")][-1].lstrip("# ").split(",")
        columns = [head.index(name) for name in ("t_s", "mid_dev_y_m", "mid_dev_z_m")]
        return np.loadtxt(lines, delimiter=",", comments="#", usecols=columns)

    def largest_error(self, t: Floats, y: Floats, z: Floats) -> float:
        """Largest difference [m] of either component from the reference at its times; a spline through the samples."""
        reference = self.reference()
        if len(t) < 400:
            raise ValueError(f"{len(t)} samples are too few for the vibration of the rod, at least 400 are needed")
        found = CubicSpline(t, np.column_stack([y, z]))(reference[:, 0])
        return float(np.max(abs(found - reference[:, 1:])))


@dataclass(frozen=True)
class Placement:
    """Where a link is at t = 0: origin and its velocity, R_wb with x along the link, angular velocity; world axes."""

    p: Floats
    v: Floats
    R: Floats
    omega: Floats


@dataclass(frozen=True)
class FlexibleChain:
    """n equal tubes in the x-z plane; joints about y, positive angles turn a link downwards; gravity along -z.

    Link frame: origin at its joint, x along the chord to the next joint; deflection along z of that frame,
    w = sum q_k sin(k pi x / L), k = 1 to `modes`, undeformed and without elastic velocity at t = 0.
    """

    n: int = 10
    modes: int = 4
    length: float = 1.0
    outer: float = 0.010
    inner: float = 0.008
    """[m], radii of the tube."""
    E: float = 2.0e11
    density: float = 7850.0
    step: float = 1e-3
    end: float = 0.5
    tip_end: tuple[float, float, float] = (9.607276444026, 0.0, -1.693010695292)
    """Reference position of the free end at `end`: inextensible links, w'' / sqrt(1 - w'^2) as curvature, four sines
    each, minimal coordinates under DOP853; rtol 1e-8 and 1e-10 agree to 1e-11 m. Six sines move it by 3e-7 m, two by
    2e-6 m, links without foreshortening by 3e-6 m, with the axial stretch of the tube by 2e-5 m."""

    @property
    def beam(self) -> Beam:
        area = np.pi * (self.outer**2 - self.inner**2)
        second_moment = np.pi / 4 * (self.outer**4 - self.inner**4)
        return Beam(self.length, area, second_moment, self.E, self.density)

    def start(self, shift: float = 0.0) -> tuple[Floats, Floats]:
        """Joint angles [rad] and rates [rad/s] at t = 0; `shift` perturbs the rates."""
        k = np.arange(self.n)
        return 0.05 * np.sin(1.0 + 1.7 * k), 0.05 * np.cos(0.3 + 2.3 * k) + shift

    def placements(self, shift: float = 0.0) -> list[Placement]:
        """The links at t = 0, for codes with absolute coordinates."""
        angles, rates = (np.cumsum(values) for values in self.start(shift))
        p, v, links = np.zeros(3), np.zeros(3), []
        for angle, rate in zip(angles, rates, strict=True):
            c, s = np.cos(angle), np.sin(angle)
            R, omega = np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]]), np.array([0.0, rate, 0.0])
            links.append(Placement(p, v, R, omega))
            p, v = p + self.length * R[:, 0], v + self.length * np.cross(omega, R[:, 0])
        return links

    def tip_error(self, tip: Floats) -> float:
        """[m]"""
        return float(np.linalg.norm(np.asarray(tip) - self.tip_end))


FLEXIBLE_SLIDER_CRANK = FlexibleSliderCrank()
FLEXIBLE_CHAIN = FlexibleChain()
