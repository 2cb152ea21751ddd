"""Frequencies of a reduced body: against those of its finite element model, and the error of that model itself.

Fixed-interface modes up to a frequency F describe the body up to about F/2 (Craig & Bampton 1968; the usual rule is one
and a half to two times the band), free modes up to their highest: this is the band that a reduction claims. Every free
mode in it is compared with the full model, and as many as modes were requested; the body is trusted up to the first
that is off. Frequencies of the mesh itself are too high by its discretisation error (`elements/discretisation`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from flexmb.arrays import Floats
from flexmb.bodies.verdict import GOOD_FREQUENCY
from flexmb.elements.discretisation import METHOD, can_be_estimated, discretisation_errors
from flexmb.elements.fe_model import FEModel
from flexmb.elements.line_beams import can_be_halved, halved
from flexmb.elements.ties.connections import connected
from flexmb.reduction.component_modes import ComponentModes
from flexmb.reduction.eigenmodes import lowest_modes
from flexmb.reduction.free_body import FreeBody

Progress = Callable[[str, float], None] | None

FIXED_BAND = 0.5
"""Band of a body, as a part of the frequency up to which fixed-interface modes were kept."""
LEAST_COMPARED, MOST_COMPARED = 3, 60
"""Number of free modes of the full model to compare: at least, at most."""
MOST_ESTIMATED = 12
"""Most modes, and most columns of static shapes of interfaces, whose discretisation error is estimated."""
_ROUND_OFF = 1e-6
"""Relative difference of frequencies that count as equal"""
_WORST_SHARE = 0.96
"""Share of the energy above which an estimate says no more than "far too coarse": a frequency five times too high."""


@dataclass(frozen=True)
class FreeModes:
    """Free modes of the full model and of the reduced body; SI."""

    claim: float
    """[Hz] band that the reduction claims"""
    asked: int
    """Number of eigenmodes in the basis"""
    full: Floats
    """(k,) [Hz] of the full model; empty: not compared"""
    reduced: Floats
    """(k,) [Hz]"""
    vectors: Floats
    """(3 b, m) lowest modes [m], of the full model if they were compared, else of the reduced body"""
    omega_squared: Floats
    """(m,) of these [rad^2/s^2]"""

    @property
    def errors(self) -> Floats:
        """(k,) relative errors of the reduced frequencies"""
        return np.abs(self.reduced / self.full - 1.0)

    @property
    def trusted_up_to(self) -> float:
        """[Hz] the last mode before the first that is off; without a comparison the claim."""
        if not len(self.full):
            return self.claim
        wrong = np.flatnonzero(self.errors > GOOD_FREQUENCY)
        if not len(wrong):
            return float(self.full[-1])
        return float(self.full[wrong[0] - 1]) if wrong[0] else 0.0


def free_modes(
    body: FreeBody,
    shapes: ComponentModes,
    compare: bool,
    below: float | None,
    progress: Progress,
    band: float | None = None,
) -> FreeModes:
    """The free modes in the band; below : limit that was given for the eigenmodes [Hz].

    band : end of the band that the shapes were chosen for [Hz]: they contain all its free modes
    """
    frequencies = np.sqrt(np.maximum(shapes.omega_squared, 0.0)) / (2.0 * np.pi)
    modes = [source for source in shapes.sources if source.frequency > 0.0]
    exact = any(source.kind == "free" for source in modes)
    top = max((source.frequency for source in modes), default=0.0)
    top = top if below is None or exact else max(top, below)
    claim = min((1.0 if exact else FIXED_BAND) * top, float(frequencies[-1]))
    none = np.zeros(0)
    if band is not None:
        return FreeModes(band, len(modes), none, none, shapes.Phi, shapes.omega_squared)
    if exact or not compare:
        return FreeModes(claim, len(modes), none, none, shapes.Phi, shapes.omega_squared)
    count = min(max(LEAST_COMPARED, len(modes)), MOST_COMPARED, len(frequencies))

    def relay(stage: str, fraction: float) -> None:
        if progress is not None:
            progress(f"comparing with the full model: {stage}", fraction)

    found = lowest_modes(
        body.model.mass_times, body.solve, body.n, count=count, known=body.R, progress=relay, tolerance=1e-6
    )
    k = len(found.frequencies)
    return FreeModes(claim, len(modes), found.frequencies, frequencies[:k], found.vectors, found.omega_squared)


def discretisation(body: FreeBody, modes: FreeModes, progress: Progress) -> dict[str, Any]:
    """Estimated errors of the mesh: of the frequencies in the band and of the compliance of interfaces; {}: none."""
    model = body.model
    if not can_be_estimated(model):
        return _of_beams(model, modes) if can_be_halved(model) else {}

    if progress is not None:
        progress("estimating the discretisation error", 0.0)
    hertz = np.sqrt(np.maximum(modes.omega_squared, 0.0)) / (2.0 * np.pi)
    count = min(max(LEAST_COMPARED, int((hertz <= (1.0 + _ROUND_OFF) * modes.claim).sum())), MOST_ESTIMATED, len(hertz))
    loaded, rigid = (
        np.concatenate([np.zeros(0, dtype=np.int64), *(i.nodes for i in body.interfaces if i.tie in ties)])
        for ties in (("rbe2", "rbe3"), ("rbe2",))
    )
    held = body.interfaces[: MOST_ESTIMATED // 6]
    columns, omega_squared = [modes.vectors[:, :count]], np.zeros(count + 6 * len(held))
    omega_squared[:count] = modes.omega_squared[:count]
    if held:
        columns.append(body.attachment_modes[:, : 6 * len(held)])
    found = discretisation_errors(model, np.hstack(columns), loaded, omega_squared, rigid, progress)
    shares, static = np.split(found.shares, [count])
    statics = [
        {"interface": interface.name, "force_error": float(own[:3].max()), "moment_error": float(own[3:].max())}
        for interface, own in zip(held, static.reshape(-1, 6), strict=True)
    ]
    errors = 1.0 / np.sqrt(1.0 - np.minimum(shares, _WORST_SHARE)) - 1.0
    return {
        "method": METHOD,
        "frequencies": hertz[:count].tolist(),
        "frequency_errors": errors.tolist(),
        "statics": statics,
        "density": found.density,
    }


def _of_beams(model: FEModel, modes: FreeModes) -> dict[str, Any]:
    """Frequencies of a free frame against those with every beam cut into two, extrapolated.

    Stretch and twist converge with h^2, so that the difference is three quarters of the error; bending with h^4.
    """
    hertz = np.sqrt(np.maximum(modes.omega_squared, 0.0)) / (2.0 * np.pi)
    count = min(max(LEAST_COMPARED, int((hertz <= (1.0 + _ROUND_OFF) * modes.claim).sum())), len(hertz))
    half = halved(model)
    if model.ties is not None:
        assert model.mesh is not None
        half = connected(half, replace(model.mesh, points=half.points))
    found = []
    for frame in (model, half):
        free = FreeBody(frame, [])
        found.append(lowest_modes(frame.mass_times, free.solve, free.n, count=count, known=free.R, tolerance=1e-6))
    coarse, fine = (modes.frequencies for modes in found)
    count = min(len(coarse), len(fine))
    errors = 4.0 / 3.0 * (coarse[:count] / fine[:count] - 1.0)
    return {
        "method": "cutting every beam into two",
        "frequencies": coarse[:count].tolist(),
        "frequency_errors": np.maximum(errors, 0.0).tolist(),
        "statics": [],
    }
