"""Overconstrained linkages: loops of revolute joints that move although counting gives none or fewer freedoms.

    Bennett    4 joints, a, alpha = a of opposite links, sin(alpha)/a = sin(beta)/b;
               tan(theta_1/2) tan(theta_2/2) = sin((beta + alpha)/2) / sin((beta - alpha)/2), theta_3 = -theta_1
    Bricard    6 joints, line-symmetric: half a turn about a line takes each axis to the opposite one
    Sarrus     6 joints, two legs of three parallel axes each: the platform moves on a straight line

The references are equations of one degree of freedom, from positions in closed form; no flexmb code is used in them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from flexmb.arrays import Floats
from flexmb.bodies.orientation import rotations
from flexmb.model.model import Model
from flexmb.verification.case import Comparison, Finding, case, compare
from flexmb.verification.running import Record, run

GRAVITY = np.array([0.7, -1.1, -9.6])
A, ALPHA, B = 0.5, np.radians(35.0), 0.8
BETA = float(np.arcsin(B / A * np.sin(ALPHA)))
START, SPEED = 1.0, 2.0
"""Angle theta_1 [rad] and its rate [rad/s] at the start"""


def screw(angle: Any, length: float, twist: float) -> Any:
    """Denavit and Hartenberg's transformation (4, 4) from a joint to the next."""
    c, s, ct, st = np.cos(angle), np.sin(angle), np.cos(twist), np.sin(twist)
    return np.array(
        [
            [c, -s * ct, s * st, length * c],
            [s, c * ct, -c * st, length * s],
            [0 * c, 0 * c + st, 0 * c + ct, 0 * c],
            [0 * c, 0 * c, 0 * c, 0 * c + 1],
        ]
    )


def bennett_frames(theta: Any) -> list[Any]:
    """Frames (4, 4) of the three moving links, at joints 2, 3 and 4, for the angle of joint 1 [rad]."""
    second = 2.0 * np.arctan(np.sin(0.5 * (BETA + ALPHA)) / np.sin(0.5 * (BETA - ALPHA)) / np.tan(0.5 * theta))
    first = screw(theta, A, ALPHA)
    middle = first @ screw(second, B, BETA)
    return [first, middle, middle @ screw(-theta, A, ALPHA)]


def ring(points: Floats, axes: Floats, speed: float, *, order: tuple[int, ...] | None = None) -> dict[str, Any]:
    """Tables of a loop of revolute joints j1, j2, ... at points (n, 3) with axes (n, 3); links l1, l2, ... and ground.

    `order`: numbers of the joints in the order in which they are listed; the links have unlike masses.
    """
    n = len(points)
    bodies = {}
    for k in range(1, n):
        centre = 0.5 * (points[k - 1] + points[k]) + [0.03 * k, -0.02, 0.04]
        bodies[f"l{k}"] = {
            "mass": 0.8 + 0.2 * k,
            "at": centre.tolist(),
            "inertia": [[0.03 + 0.004 * k, 0.003, -0.002], [0.003, 0.04, 0.001 * k], [-0.002, 0.001 * k, 0.05]],
        }
    links = ["ground", *bodies, "ground"]
    joints: dict[str, Any] = {}
    for k in order or range(n):
        pair = [links[k], links[k + 1]]
        joints[f"j{k + 1}"] = {"type": "revolute", "bodies": pair, "at": points[k].tolist(), "axis": axes[k].tolist()}
    joints["j1"]["velocity"] = speed
    return {
        "model": {"name": "overconstrained loop", "gravity": GRAVITY.tolist()},
        "bodies": bodies,
        "joints": joints,
        "sensors": {"place": {"marker": "l2.origin"}},
    }


def bennett_tables(**options: Any) -> dict[str, Any]:
    """Tables of the Bennett linkage at START."""
    frames = [np.eye(4), *bennett_frames(START)]
    return ring(np.array([f[:3, 3] for f in frames]), np.array([f[:3, 2] for f in frames]), SPEED, **options)


def bricard_tables(**options: Any) -> dict[str, Any]:
    """Tables of a line-symmetric Bricard linkage; the line is z."""
    points = np.array([[1.0, 0.1, 0.2], [0.6, 0.9, -0.1], [-0.3, 0.8, 0.35]])
    axes = np.array([[0.3, 0.2, 0.9], [-0.5, 0.4, 0.7], [0.2, 0.8, -0.5]])
    half_turn = np.diag([-1.0, -1.0, 1.0])
    return ring(np.vstack([points, points @ half_turn]), np.vstack([axes, axes @ half_turn]), 1.0, **options)


def one_freedom(
    energies: Callable[[float], tuple[float, float]], start: float, speed: float, times: Floats
) -> tuple[Floats, Floats]:
    """Coordinate s and its rate at the times, from J(s) and V(s): J s'' + J' s'^2 / 2 + V' = 0, T = J s'^2 / 2."""
    from scipy.integrate import solve_ivp

    h = 1e-3

    def rates(_: float, state: Floats) -> list[float]:
        s, rate = state
        J, _ = energies(s)
        # fourth-order differences of both energies
        far, near = np.subtract(energies(s + 2 * h), energies(s - 2 * h)), np.subtract(energies(s + h), energies(s - h))
        J_slope, V_slope = (8.0 * near - far) / (12.0 * h)
        return [rate, float(-(0.5 * J_slope * rate**2 + V_slope) / J)]

    found = solve_ivp(rates, (0.0, times[-1]), [start, speed], method="DOP853", t_eval=times, rtol=1e-12, atol=1e-12)
    return found.y[0], found.y[1]


def bennett_energies(tables: dict[str, Any]) -> Callable[[float], tuple[float, float]]:
    """J and V of the Bennett linkage as functions of theta_1; derivatives by complex steps, exact to round-off."""
    starts = [np.linalg.inv(frame) for frame in bennett_frames(START)]

    def energies(theta: float) -> tuple[float, float]:
        J = V = 0.0
        for link, frame, start in zip(tables["bodies"].values(), bennett_frames(theta + 1e-30j), starts, strict=True):
            moved = frame @ start
            place = moved @ [*link["at"], 1.0]
            R, R_slope = moved[:3, :3].real, moved[:3, :3].imag / 1e-30
            skew, slope = R.T @ R_slope, place[:3].imag / 1e-30
            turn = np.array([skew[2, 1], skew[0, 2], skew[1, 0]])
            J += link["mass"] * slope @ slope + turn @ np.array(link["inertia"]) @ turn
            V -= link["mass"] * GRAVITY @ place[:3].real
        return float(J), float(V)

    return energies


def bennett_places(theta: Floats, tables: dict[str, Any]) -> Floats:
    """Places (n, 3) of the origin of l2 for angles of joint 1 (n,)."""
    start = np.linalg.inv(bennett_frames(START)[1]) @ [*tables["bodies"]["l2"]["at"], 1.0]
    return np.array([(bennett_frames(angle)[1] @ start)[:3] for angle in theta])


def followed(tables: dict[str, Any], coordinates: str, end: float, **analysis: Any) -> Record:
    """Run the tables in these coordinates."""
    tables = tables | {"coordinates": {"default": coordinates}, "output": {"every": end / 40}}
    return run(Model.from_tables(tables | {"analysis": {"end": end, **analysis}}))


def on_its_bearing(record: Record) -> Finding:
    """Finding: link 1 has turned about the axis of joint 1 only, by the recorded orientations."""
    R = rotations(record["bodies/l1/quaternion"])
    axis = R @ R[0].T @ np.array([0.0, 0.0, 1.0])
    return compare("axis of joint 1", "1", np.tile([0.0, 0.0, 1.0], (len(axis), 1)), axis, absolute=1e-10)


@case("bennett", "Bennett linkage, all coordinates, 2 s", "closed form of Bennett 1903; one equation of motion")
def bennett() -> Comparison:
    # A local error of 1e-11 gives 1e-9 m; generalised-alpha errs by 2e-5 m at 1 ms (second order).
    tables = bennett_tables()
    tight = {"method": "rk45", "tolerance": 1e-11}
    records = {kind: followed(tables, kind, 2.0, **tight) for kind in ("joint", "absolute")}
    times = records["joint"]["time"]
    theta, rate = one_freedom(bennett_energies(tables), START, SPEED, times)
    places = bennett_places(theta, tables)
    findings = [
        compare(f"place of link 2, {kind} coordinates", "m", places, found["sensors/place"], absolute=2e-8)
        for kind, found in records.items()
    ]
    found = records["absolute"]
    findings += [
        compare("rate of joint 1", "rad/s", rate, found["joints/j1/velocity"], absolute=1e-7),
        found.drift(1e-8),
        on_its_bearing(found),
    ]
    for kind in ("absolute", "natural"):
        stepped = followed(tables, kind, 2.0, step=1e-3)["sensors/place"]
        findings.append(compare(f"place of link 2, generalised-alpha, {kind}", "m", places, stepped, absolute=1e-4))
    return Comparison(findings)


@case("bricard", "Line-symmetric Bricard linkage, six revolute joints, 1 s", "symmetry of the linkage; energy")
def bricard() -> Comparison:
    tables = bricard_tables()
    tight = {"method": "rk45", "tolerance": 1e-11}
    findings, places = [], []
    for kind in ("joint", "absolute"):
        found = followed(tables, kind, 1.0, **tight)
        places.append(found["sensors/place"])
        for k in (1, 2, 3):
            near, far = found[f"joints/j{k}/position"], found[f"joints/j{k + 3}/position"]
            findings.append(compare(f"angle of j{k + 3} = that of j{k}, {kind}", "rad", near, far, absolute=1e-8))
        findings.append(found.drift(1e-7))
    return Comparison([*findings, compare("place of link 2, both", "m", places[0], places[1], absolute=1e-8)])


SARRUS = {"rod": 0.4, "mass": 0.6, "platform": 2.0, "angle": 0.9}
"""Length of a rod [m], its mass [kg], mass of the platform [kg], angle of the rods at the start [rad]"""


def sarrus_tables() -> dict[str, Any]:
    """Tables of a Sarrus linkage: legs in the planes x, z and y, z; the platform falls along z."""
    length, angle = SARRUS["rod"], SARRUS["angle"]
    reach, height = length * np.cos(angle), length * np.sin(angle)
    points: dict[str, Any] = {}
    bodies: dict[str, Any] = {}
    joints: dict[str, Any] = {}
    for leg, out, axis in (("a", np.array([1.0, 0.0, 0.0]), [0, 1, 0]), ("b", np.array([0.0, 1.0, 0.0]), [1, 0, 0])):
        foot, knee, top = 0.3 * out, (0.3 + reach) * out + [0, 0, height], 0.3 * out + [0, 0, 2 * height]
        points |= {f"{leg}1": foot.tolist(), f"{leg}2": knee.tolist(), f"{leg}3": top.tolist()}
        bodies[f"{leg}_low"] = {"mass": SARRUS["mass"], "rod": [f"{leg}1", f"{leg}2"]}
        bodies[f"{leg}_high"] = {"mass": SARRUS["mass"], "rod": [f"{leg}2", f"{leg}3"]}
        pairs = (("ground", f"{leg}_low"), (f"{leg}_low", f"{leg}_high"), (f"{leg}_high", "platform"))
        for number, pair in enumerate(pairs, 1):
            joints[f"{leg}{number}"] = {
                "type": "revolute",
                "bodies": list(pair),
                "at": f"{leg}{number}",
                "axis": axis,
            }
    bodies["platform"] = {"mass": SARRUS["platform"], "inertia": [0.05, 0.04, 0.07], "at": [0.1, 0.1, 2 * height]}
    model = {"name": "Sarrus linkage", "gravity": [0, 0, -9.81]}
    return {"model": model, "points": points, "bodies": bodies, "joints": joints}


def sarrus_energies(angle: float) -> tuple[float, float]:
    """J and V of the Sarrus linkage by the angle of its rods over the ground."""
    length, mass, platform = SARRUS["rod"], SARRUS["mass"], SARRUS["platform"]
    high = 0.25 * np.sin(angle) ** 2 + 2.25 * np.cos(angle) ** 2 + 1.0 / 12.0
    J = 2.0 * mass * length**2 * (1.0 / 3.0 + high) + platform * (2.0 * length * np.cos(angle)) ** 2
    V = 9.81 * length * np.sin(angle) * (2.0 * mass * (0.5 + 1.5) + 2.0 * platform)
    return float(J), float(V)


@case("sarrus", "Sarrus linkage: its platform falls straight down, 0.25 s", "one equation of motion")
def sarrus() -> Comparison:
    findings = []
    for kind in ("joint", "absolute", "natural"):
        method = {"method": "rk4", "step": 2e-4} if kind == "natural" else {"method": "rk45", "tolerance": 1e-11}
        found = followed(sarrus_tables(), kind, 0.25, **method)
        angle, _ = one_freedom(sarrus_energies, SARRUS["angle"], 0.0, found["time"])
        height = 2.0 * SARRUS["rod"] * np.sin(angle)
        places = np.column_stack([np.full((len(height), 2), 0.1), height])
        findings.append(compare(f"platform, {kind}", "m", places, found["bodies/platform/position"], absolute=1e-8))
    return Comparison(findings)
