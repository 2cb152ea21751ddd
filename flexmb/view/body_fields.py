"""Displacement of the surface of a flexible body at given times: the numbers behind the pictures.

Points and displacements are in body axes, relative to the body frame; between the rows of the result the elastic
coordinates are interpolated linearly.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from flexmb.arrays import Floats, Integers
from flexmb.bodies.flexible_body import FlexibleBody
from flexmb.errors import Fault, InputError
from flexmb.results.model_of_result import model_of
from flexmb.results.result_file import Result
from flexmb.suggestions import clipped, did_you_mean
from flexmb.system.placement import place
from flexmb.view.flexible_parts import Covered
from flexmb.view.scene_of_result import covered


@dataclass(frozen=True)
class BodySurface:
    """The undeformed surface of a flexible body; s points."""

    points: Floats
    """(s, 3) body axes [m]"""
    triangles: Integers
    """(t, 3) numbers into `points`, normals outwards"""
    nodes: Integers | None
    """(s,) node numbers in the mesh; None for a beam"""


class BodyFields:
    """Fields of one flexible body of a result; `folder`: further place to look for its body file."""

    def __init__(self, result: Result, body: str, folder: str | os.PathLike[str] | None = None):
        spec = model_of(result, folder).spec
        mechanism = place(spec)
        flexible = [one.name for one in mechanism.bodies if isinstance(one, FlexibleBody) and one.n_modes]
        if body not in flexible:
            raise InputError([Fault(f"{clipped(body)} is not a flexible body.", hint=_known(str(body), flexible))])
        self._result = result
        self._covered: Covered = covered(spec, mechanism, mechanism.body_index[body])

    @property
    def surface(self) -> BodySurface:
        """Points [m], triangles and nodes of the surface in the body frame."""
        skin = self._covered.skin
        return BodySurface(skin.points, self._covered.triangles, self._covered.nodes)

    def displacement(self, t: ArrayLike) -> Floats:
        """(s, 3) at a time [s], or (r, s, 3) at several [m]."""
        try:
            times = np.asarray(t, dtype=float)
        except (TypeError, ValueError):
            raise InputError(f"Expected a time in seconds, or several, found {clipped(t)}.") from None
        time = self._result.time
        if not len(time):
            raise InputError(f"'{self._result.path}' has no complete rows.")
        flat = times.ravel()
        slack = 1e-9 * abs(time[-1])
        outside = flat[~((flat >= time[0] - slack) & (flat <= time[-1] + slack))]
        if len(outside):
            text = f"t = {outside[0]:g} s is outside the result"
            raise InputError([Fault(f"{text}, which goes from {time[0]:g} to {time[-1]:g} s.")])
        body = self._covered.body
        rows = self._result[f"bodies/{body.name}/elastic_position"].reshape(len(time), body.n_modes)
        q = np.stack([np.interp(flat, time, column) for column in rows.T], axis=1)
        return self._covered.skin.displacements(q).reshape(*times.shape, len(self._covered.skin.points), 3)


def _known(body: str, flexible: list[str]) -> str:
    return did_you_mean(body, flexible, "Flexible bodies") if flexible else "The model has none."
