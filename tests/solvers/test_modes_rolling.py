"""Modes with rolling contacts (rows on velocities) and with distance joints, against closed forms."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from flexmb.errors import ComputationError
from tests.support.linear_models import TIGHT, G, close, linear, modes_of, rates_of

RADIUS, MASS = 0.3, 2.0
AXIAL, ACROSS = 0.09, 0.045  # of a homogeneous thin disc: m r^2/2 and m r^2/4


def disc(**body: Any) -> dict[str, Any]:
    """A disc with axis y that stands on the plane z = 0."""
    rolling = {"type": "rolling", "bodies": ["ground", "disc"], "at": [0, 0, 0], "normal": "z", "axis": "y"}
    return {
        "model": {"name": "disc", "gravity": [0, 0, -G]},
        "bodies": {"disc": {"mass": MASS, "inertia": [ACROSS, AXIAL, ACROSS], "at": [0, 0, RADIUS], **body}},
        "joints": {"contact": {**rolling, "radius": RADIUS}},
    }


def growth_of(found: Any) -> list[float]:
    """Rates of the modes that do not oscillate [1/s]."""
    return sorted(mode.eigenvalue.real for mode in found if not mode.is_free and mode.frequency == 0.0)


@pytest.mark.parametrize("offset", [0.02, 0.1, 0.25])
def test_disc_with_its_mass_below_the_axis_rocks(offset: float) -> None:
    """omega^2 = m g e/(J + m (r - e)^2): the centre of mass moves about the contact with the arm r - e.

    It falls over sideways as a pendulum standing on its contact: s^2 = m g (r - e)/(J_x + m (r - e)^2).
    """
    arm = RADIUS - offset
    found = modes_of(disc(center=[0, 0, -offset]))
    close(rates_of(found), [np.sqrt(MASS * G * offset / (AXIAL + MASS * arm**2))], rtol=TIGHT)
    close(growth_of(found), np.array([-1, 1]) * np.sqrt(MASS * G * arm / (ACROSS + MASS * arm**2)), rtol=TIGHT)


def test_rolling_disc_on_a_spring() -> None:
    """omega^2 = k/(m + J/r^2): the spring pulls at the axle, which carries the rotation as an added mass."""
    data = disc()
    data["bodies"]["block"] = {"mass": 1.0, "inertia": [1, 1, 1], "at": [0, 0, RADIUS]}
    data["joints"]["rail"] = {"type": "prismatic", "bodies": ["ground", "block"], "at": [0, 0, RADIUS], "axis": "x"}
    data["joints"]["axle"] = {"type": "revolute", "bodies": ["block", "disc"], "at": [0, 0, RADIUS], "axis": "y"}
    data["forces"] = {"spring": {"type": "joint-spring", "joint": "rail", "stiffness": 50.0}}
    found = modes_of(data)
    close(rates_of(found), [np.sqrt(50.0 / (1.0 + MASS + AXIAL / RADIUS**2))], rtol=TIGHT)


@pytest.mark.parametrize("spin", [1.0, 3.0, 5.0, 8.0])
def test_steadily_rolling_disc(spin: float) -> None:
    """A disc that rolls on straight: s^2 (A + m r^2) = m g r - (C + m r^2) C spin^2/A (Routh, Advanced Rigid Dynamics).

    For a homogeneous thin disc it keeps upright above spin^2 = g/(3 r). Its coordinates must not spin with it: a hub of
    nearly no mass carries them; A and m hold those of the hub.
    """
    mass, across = MASS + 1e-3, ACROSS + 1e-5
    data = disc()
    data["bodies"] = {
        "hub": {"mass": 1e-3, "inertia": [1e-5] * 3, "at": [0, 0, RADIUS], "velocity": [RADIUS * spin, 0, 0]},
        **data["bodies"],
    }
    axle = {"type": "revolute", "bodies": ["hub", "disc"], "at": [0, 0, RADIUS], "axis": "y", "velocity": spin}
    data["joints"]["axle"] = axle
    assert linear(data).notes == (), "a steady motion, with constant equations"
    weight, turning = mass * G * RADIUS, (AXIAL + mass * RADIUS**2) * AXIAL * spin**2 / across
    square = (weight - turning) / (across + mass * RADIUS**2)
    found = modes_of(data)
    # free motions are fourfold zeros here, which rounding spreads to 1e-4 and less; the pair itself is simple
    if square > 0.0:
        close([rate for rate in growth_of(found) if abs(rate) > 0.1], np.array([-1, 1]) * np.sqrt(square), rtol=1e-8)
    else:
        close([rate for rate in rates_of(found) if rate > 0.1], [np.sqrt(-square)], rtol=1e-8)


def test_disc_that_spins_in_its_own_coordinates_is_reported() -> None:
    found = linear(disc(velocity=[RADIUS * 5.0, 0, 0], angular_velocity=[0, 5.0, 0]))
    assert "hold for this instant only" in found.notes[0] and "joints on the rotating body" in found.notes[0]


def string(coordinates: str, rate: float) -> dict[str, Any]:
    """A bob that hangs on a string of 0.7 m and goes through its lowest place."""
    bob = {"mass": 2.0, "inertia": [0.1, 0.1, 0.1], "at": [0, 0, -0.7]}
    joint = {"type": "distance", "bodies": ["ground", "bob"], "at": [[0, 0, 0], [0, 0, -0.7]]}
    return {
        "model": {"name": "string", "gravity": [0, 0, -G]},
        "bodies": {"bob": bob},
        "joints": {"string": {**joint, "velocity": [0, rate, 0, 0, 0]}},
        "coordinates": {"default": coordinates},
    }


@pytest.mark.parametrize("coordinates", ["joint", "absolute"])
def test_bob_on_a_string_at_rest(coordinates: str) -> None:
    close(rates_of(modes_of(string(coordinates, 0.0))), 2 * [np.sqrt(G / 0.7)], rtol=TIGHT)


def test_string_that_turns_is_refused_and_the_advice_helps() -> None:
    """Its own frame has no steady coordinates; x'' = -(g/L + rate^2) x at the lowest place in those of the bob."""
    with pytest.raises(ComputationError, match="while the line of joint 'string' turns") as caught:
        linear(string("joint", 1.0))
    assert '[coordinates] default = "absolute"' in str(caught.value)
    close(rates_of(modes_of(string("absolute", 1.0))), 2 * [np.sqrt(G / 0.7 + 1.0)], rtol=TIGHT)


def test_columns_of_rounding_have_no_error() -> None:
    """Nothing depends on where the disc stands or how it is turned: these columns are zero but for rounding."""
    assert linear(disc()).error < 1e-7
    assert linear(string("joint", 0.0)).error < 1e-7
