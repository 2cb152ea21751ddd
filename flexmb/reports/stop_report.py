"""Hits of stops in the rows of a run: how often, when and how hard.

A hit is a run of rows with force. What happens between two rows is not seen; the energy that a stop took is, since its
work is integrated with the motion.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from flexmb.loads.table import LOAD_TYPES
from flexmb.model.schema.loads import JointStop
from flexmb.model.schema.model_spec import ModelSpec
from flexmb.reports.motion_report import is_length
from flexmb.results.result_file import Result


def stop_texts(spec: ModelSpec, result: Result) -> Iterator[str]:
    """A sentence for every stop of a model."""
    time = np.asarray(result.time)
    for name, force in spec.forces.items():
        if not LOAD_TYPES[force.type].is_stop:
            continue
        is_turning = isinstance(force, JointStop) and not is_length(spec, force.joint, force.coordinate)
        size = np.abs(np.asarray(result[f"forces/{name}/effort"]).ravel())
        acts = size > 0.0
        starts = np.flatnonzero(acts & ~np.concatenate([[False], acts[:-1]]))
        if not starts.size:
            yield f"{name}: not hit"
            continue
        worst = int(np.argmax(size))
        times = f"{starts.size} time{'s' if starts.size > 1 else ''}"
        text = f"{name}: hit {times}, first at t = {time[starts[0]]:.6g} s, hardest with {size[worst]:.5g} "
        text += f"{'N*m' if is_turning else 'N'} at t = {time[worst]:.6g} s"
        path = f"energy/work/{name}"
        if path in result.channels:
            taken = -float(np.asarray(result[path]).ravel()[-1])
            text += f"; it took {taken:.4g} J"
        yield text
