"""Shapes of a body that reproduce the transfer between its interfaces over a band, and the certificate of it.

Kept are all free modes in the band, and as few further vectors as the allowed error permits. These come from static and
dynamic responses to loads on the interfaces (modes above the band, Krylov blocks of `InterfaceTransfer`): at a few
frequencies the part of the response that the modes in the band leave is weighted by the size of H there, and the
principal directions with respect to strain energy are taken, largest first, until
    e(f) = |H - H_reduced| / |H|      (spectral norms of the scaled transfer)
is small enough at every check frequency. Checks lie between those frequencies and at and beside every resonance. To
e(f) the bound of the error of H itself is added, so that it is an upper bound of the error against the full mesh.
Principal directions of responses: proper orthogonal decomposition, P. Benner et al., SIAM Review 57 (2015) 483-531.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from flexmb.arrays import Floats
from flexmb.errors import Fault, InputError
from flexmb.reduction.component_modes import (
    ComponentModes,
    Source,
    orthogonal_shapes,
    pair_note,
    with_whole_pairs,
)
from flexmb.reduction.damping import Damping, response_ratio
from flexmb.reduction.free_body import FreeBody
from flexmb.reduction.interface_transfer import InterfaceTransfer, transfer

Progress = Callable[[str, float], None] | None

BUILT_AT = 16
"""Frequencies at which responses are taken for the basis"""
CHECKS = 200
"""Evenly spaced check frequencies, beside those at resonances"""
_BESIDE = (-2.0, -1.0, 0.0, 1.0, 2.0)
"""Check frequencies at a resonance, in half-widths of its peak"""
_REFERENCE = 0.05
"""Part of the allowed error that the bound of the reference may have"""
_LEAST_BLOCKS, _MOST_BLOCKS = 2, 10
_PASSED = 1e-9
"""Relative excess over the allowed error that is round-off"""


@dataclass(frozen=True)
class Certificate:
    """Error of the transfer between the interfaces of a body, at frequencies that its shapes do not come from."""

    band: tuple[float, float]
    """[Hz]"""
    allowed: float
    ratio: float
    """Damping ratio of the responses; that of the last frequency for damping by mass and stiffness"""
    hertz: Floats
    """(f,) check frequencies [Hz]"""
    errors: Floats
    """(f,) upper bounds of the relative error"""
    reference: float
    """Largest bound of the relative error of the reference, contained in `errors`"""
    interfaces: tuple[str, ...]
    full: Floats
    """(f, i) largest elastic displacement of every interface per unit force on it, of the full model [m/N]"""
    reduced: Floats
    """(f, i) the same of the reduced body"""

    @property
    def largest(self) -> float:
        """Largest of the errors."""
        return float(self.errors.max())

    @property
    def is_passed(self) -> bool:
        """Whether the error is within the allowed one at all check frequencies."""
        return self.largest <= (1.0 + _PASSED) * self.allowed

    def as_dict(self) -> dict[str, Any]:
        """Plain data for the body report."""
        return {
            "band": list(self.band),
            "allowed": self.allowed,
            "damping_ratio": self.ratio,
            "passed": self.is_passed,
            "largest": self.largest,
            "at": float(self.hertz[self.errors.argmax()]),
            "checks": len(self.hertz),
            "built_at": BUILT_AT,
            "reference": self.reference,
            "frequencies": self.hertz.tolist(),
            "errors": self.errors.tolist(),
            "interfaces": {
                name: {"full": self.full[:, i].tolist(), "reduced": self.reduced[:, i].tolist()}
                for i, name in enumerate(self.interfaces)
            },
        }


def band_modes(
    body: FreeBody,
    band: tuple[float, float],
    error: float,
    *,
    damping: Damping = None,
    most: int | None = None,
    progress: Progress = None,
) -> tuple[ComponentModes, Certificate]:
    """Shapes for a band [Hz] with at most this relative error of the transfer, and their certificate.

    most : largest number of shapes; with too few the certificate says that the error is not reached
    """
    if not body.interfaces:
        raise InputError([Fault("a band needs an interface, and none is given", ("band",), "Name an interface.")])
    reference, hertz = reference_transfer(body, band, error, damping, progress)
    if progress is not None:
        progress("choosing shapes", float("nan"))
    choice = _Choice(reference, band, hertz)
    count = choice.smallest(error, most)
    V = reference.vectors(choice.coordinates(count))
    sources = [
        Source("free", f"free {k + 1}", "", float(f)) for k, f in enumerate(reference.frequencies[: choice.free])
    ]
    sources += [Source("krylov", f"krylov {k + 1}") for k in range(count)]
    if not sources:
        text = "no shape is needed: the body has no modes in the band, and its interfaces do not deform"
        raise InputError([Fault(text, ("band",), "Use a rigid body, or a higher band.")])
    shapes = _numbered(orthogonal_shapes(body, V, sources, notes=choice.notes))
    return shapes, certify(body, shapes, reference, band, error, hertz)


def _numbered(shapes: ComponentModes) -> ComponentModes:
    """The same with the Krylov shapes numbered in the order of their frequency"""
    number = iter(range(1, len(shapes.labels) + 1))
    pairs = zip(shapes.kinds, shapes.labels, strict=True)
    return replace(
        shapes, labels=tuple(f"krylov {next(number)}" if kind == "krylov" else label for kind, label in pairs)
    )


def reference_transfer(
    body: FreeBody, band: tuple[float, float], error: float, damping: Damping = None, progress: Progress = None
) -> tuple[InterfaceTransfer, Floats]:
    """The transfer of the full model, exact to a small part of `error` if possible, and the check frequencies [Hz]."""
    reference = InterfaceTransfer(body, band[1], damping, progress)
    hertz = check_frequencies(band, reference.frequencies, response_ratio(damping))
    for block in range(_MOST_BLOCKS):
        if progress is not None:
            progress("transfer between the interfaces", block / _MOST_BLOCKS)
        reference.extend()
        if reference.is_complete:
            break
        if block + 1 >= _LEAST_BLOCKS and _relative_bound(reference, hertz).max() <= _REFERENCE * error:
            break
    return reference, hertz


def check_frequencies(band: tuple[float, float], modes: Floats, ratio: float) -> Floats:
    """Statics, both ends, the middles of even steps, and the resonances with their flanks [Hz]"""
    low, high = band
    even = low + (high - low) * (np.arange(CHECKS) + 0.5) / CHECKS
    peaks = np.outer(modes[(modes >= low) & (modes <= high)], 1.0 + ratio * np.array(_BESIDE)).ravel()
    inside = peaks[(peaks >= low) & (peaks <= high)]
    return np.unique(np.concatenate([[0.0, low, high], even, inside]))


def certify(
    body: FreeBody,
    shapes: ComponentModes,
    reference: InterfaceTransfer,
    band: tuple[float, float],
    error: float,
    hertz: Floats,
) -> Certificate:
    """The certificate of any shapes, at these frequencies [Hz]."""
    motion = reference.scale[:, None] * body.interface_motion(shapes.Phi)
    full = reference.response(hertz)
    reduced = transfer(shapes.omega_squared, motion, hertz, reference.damping)
    bound = _relative_bound(reference, hertz)
    scale = reference.scale.reshape(-1, 6)[:, :3]
    return Certificate(
        band=band,
        allowed=error,
        ratio=response_ratio(reference.damping),
        hertz=hertz,
        errors=_relative_errors(full, reduced) + bound,
        reference=float(bound.max()),
        interfaces=tuple(interface.name for interface in body.interfaces),
        full=_driving_points(full, scale),
        reduced=_driving_points(reduced, scale),
    )


def _relative_bound(reference: InterfaceTransfer, hertz: Floats) -> Floats:
    return reference.bound(hertz) / np.linalg.norm(reference.response(hertz), 2, axis=(1, 2))


def _relative_errors(full: Floats, reduced: Floats) -> Floats:
    return np.linalg.norm(full - reduced, 2, axis=(1, 2)) / np.linalg.norm(full, 2, axis=(1, 2))


def _driving_points(response: Floats, scale: Floats) -> Floats:
    """(f, i) spectral norm of the displacement per force of every interface [m/N]; scale : (i, 3)"""
    parts = []
    for i, own in enumerate(scale):
        part = response[:, 6 * i : 6 * i + 3, 6 * i : 6 * i + 3] / np.outer(own, own)
        parts.append(np.linalg.norm(part, 2, axis=(1, 2)))
    return np.stack(parts, axis=1)


class _Choice:
    """The free modes in the band and the principal directions of the rest, in coordinates of the reference."""

    def __init__(self, reference: InterfaceTransfer, band: tuple[float, float], hertz: Floats):
        self.reference, self.hertz = reference, hertz
        inside = int((reference.frequencies <= band[1]).sum())
        self.free = with_whole_pairs(reference.frequencies, inside)
        self.notes = [pair_note(reference.frequencies, inside, self.free)] if self.free > inside else []
        self.full = reference.response(hertz)
        self.bound = _relative_bound(reference, hertz)
        # Roots of a Chebyshev polynomial: denser at the ends, and no check frequency among them.
        built = 0.5 * band[1] * (1.0 - np.cos(np.pi * (np.arange(BUILT_AT) + 0.5) / BUILT_AT))
        sizes = np.linalg.norm(reference.response(built), 2, axis=(1, 2))
        squares, motion = reference.omega_squared[self.free :], reference.motion[:, self.free :]
        energy = np.sqrt(squares)[:, None]
        responses = [
            energy * motion.T / (squares - (2.0 * np.pi * f) ** 2)[:, None] / np.sqrt(size)
            for f, size in zip(built, sizes, strict=True)
        ]
        self.directions = np.linalg.svd(np.hstack(responses), full_matrices=False)[0] / energy

    def coordinates(self, count: int) -> Floats:
        """(n, free + count) orthonormal coordinates of the modes in the band and of the first directions"""
        n = len(self.reference.omega_squared)
        V = np.zeros((n, self.free + count))
        V[: self.free, : self.free] = np.eye(self.free)
        V[self.free :, self.free :] = np.linalg.qr(self.directions[:, :count])[0]
        return V

    def error(self, count: int) -> float:
        """Largest error with this many directions"""
        V, reference = self.coordinates(count), self.reference
        squares, turn = np.linalg.eigh(V.T @ (reference.omega_squared[:, None] * V))
        reduced = transfer(squares, reference.motion @ V @ turn, self.hertz, reference.damping)
        return float((_relative_errors(self.full, reduced) + self.bound).max())

    def smallest(self, allowed: float, most: int | None) -> int:
        """Smallest number of directions for this error, or the largest that is possible."""
        high = self.directions.shape[1]
        if most is not None:
            high = min(high, max(most - self.free, 0))
        low = -1
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self.error(middle) <= allowed else (middle, high)
        return high
