"""Shared by the cases: published entries, models of this folder, runs kept in memory, inverse dynamics."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any

import numpy as np

from flexmb.analyses.inverse import inverse_model
from flexmb.analyses.preparation import prepare
from flexmb.arrays import Floats
from flexmb.model.model import Model
from flexmb.model.model_file import read_model
from flexmb.natural.analysis import natural_solver
from flexmb.output_files import temporary_folder
from flexmb.results.inverse_result import InverseDynamics
from flexmb.solvers.compilation import compile_for
from flexmb.solvers.run import simulate
from flexmb.system.records.fields import field_kinds
from flexmb.system.system import System
from flexmb.verification import DATA, MODELS
from flexmb.verification.case import Curve, Finding, compare, near


@cache
def entries() -> Mapping[str, dict[str, Any]]:
    """All entries of the published_*.json of this folder by the first part of their id: 'A01', 'C12', 'hex8'."""
    files = sorted(DATA.glob("published_*.json"))
    return {entry["id"].split("-")[0]: entry for file in files for entry in json.loads(file.read_text("utf-8"))}


def expected(name: str) -> dict[str, Any]:
    """Published numbers of an entry."""
    return entries()[name]["expected"]


def table(name: str) -> Floats:
    """Columns of a .csv file of this folder, (columns, rows)."""
    return np.asarray(np.loadtxt(DATA / f"{name}.csv", delimiter=",").T)


def model_of(name: str, settings: Mapping[str, str] | None = None) -> Model:
    """The model of models/<name>.toml, with settings as of `--set`."""
    return read_model(MODELS / f"{name}.toml", dict(settings or {}))


class Record:
    """A run kept in memory: channels by path, whole or at output times."""

    def __init__(self, system: System) -> None:
        self._blocks: list[Floats] = []
        self._channels = {channel.path: channel for channel in system.channels}

    def write(self, block: Floats, checkpoint: Floats) -> None:
        """Store a block of rows, like the writer of a result file."""
        self._blocks.append(block.copy())

    def __getitem__(self, path: str) -> Floats:
        """All values of a channel: (rows,) or (rows, width)."""
        channel = self._channels[path]
        width = int(np.prod(channel.shape, dtype=int))
        values = np.concatenate([block[:, channel.start : channel.start + width] for block in self._blocks])
        return values[:, 0] if width == 1 else values

    def at(self, t: float, *paths: str) -> Floats:
        """Values of channels at one output time [s], side by side."""
        return np.concatenate([np.ravel(near(self[path], [t], self["time"])) for path in paths])

    def curve(self, title: str, unit: str, path: str, times: Sequence[float], wanted: Sequence[float]) -> Curve:
        """A channel (its first component) over time, with the published values at some times as dots."""
        values = self[path] if self[path].ndim == 1 else self[path][:, 0]
        return Curve(title, "time", "s", unit, self["time"], values, np.array(times), np.array(wanted))

    def drift(self, tolerance: float) -> Finding:
        """Finding: drift of the energy of a system without losses and drives; tolerance [J]."""
        energy = np.ptp(self.energy())
        return compare("energy, drift", "J", 0.0, energy, absolute=tolerance, source="conservation of energy")

    def energy(self) -> Floats:
        """Kinetic plus potential energy of every row [J]."""
        return np.asarray(self["energy/kinetic"] + self["energy/potential"])


def run(model: Model | str, settings: Mapping[str, str] | None = None, **analysis: Any) -> Record:
    """Simulate a model (or models/<name>.toml), some entries of its [analysis] replaced."""
    model = model_of(model, settings) if isinstance(model, str) else model
    assert model.spec.analysis is not None
    chosen = model.spec.analysis.model_copy(update=analysis)
    compile_for(chosen.method, field_kinds(model.spec))
    system = prepare(model).system
    record = Record(system)
    solve = natural_solver(model.spec) if model.spec.coordinates.default == "natural" else simulate
    summary = solve(system, chosen, sink=record, every=model.spec.output.every)
    if summary.outcome != "finished":
        raise RuntimeError(f"the run stopped: {summary.outcome}")
    return record


def in_natural_coordinates(name: str, every: float, **analysis: Any) -> Record:
    """Run models/<name>.toml in natural coordinates: without a tree, no joint is cut."""
    tables = model_of(name).identity
    for joint in tables["joints"].values():
        joint.pop("tree", None)
    tables |= {"coordinates": {"default": "natural"}, "output": {"every": every}, "analysis": analysis}
    return run(Model.from_tables(tables))


@contextmanager
def inverse(model: Model | str, settings: Mapping[str, str] | None = None, **options: Any) -> Iterator[InverseDynamics]:
    """Inverse dynamics of a model (or models/<name>.toml); its result file exists for the length of the block."""
    model = model_of(model, settings) if isinstance(model, str) else model
    with temporary_folder() as folder:
        yield inverse_model(model, folder / "out.h5", **options)


def crossings(t: Floats, x: Floats, x_dot: Floats) -> Floats:
    """Times [s] at which x changes its sign, by the cubic through values and slopes at both ends of the interval."""
    found = []
    for i in np.flatnonzero(np.sign(x[:-1]) * np.sign(x[1:]) < 0):
        h, a, b = t[i + 1] - t[i], x[i], x[i + 1]
        da, db = h * x_dot[i], h * x_dot[i + 1]
        roots = np.roots([2 * a - 2 * b + da + db, -3 * a + 3 * b - 2 * da - db, da, a])
        found += [t[i] + h * r.real for r in roots if abs(r.imag) < 1e-9 and 0 <= r.real <= 1]
    return np.array(found)
