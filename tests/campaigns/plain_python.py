"""Every kernel as plain Python and as machine code: the same numbers, a few steps of every kind of model.

    python -m tests.campaigns.plain_python

runs a list of small jobs twice, in a process with NUMBA_DISABLE_JIT=1 and in one without, and prints how far each job
differs, as a part of its largest number. Measured for coverage, the first process shows which lines and branches of
the kernels are reached (`python -m tests.campaigns.measure_coverage`).
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from flexmb.analyses.inverse import inverse_model
from flexmb.analyses.modes import modes_of_model
from flexmb.analyses.run import run_model
from flexmb.cli import main as main_of_cli
from flexmb.elements.material import MATERIALS
from flexmb.elements.solid.assemble import assemble
from flexmb.elements.solid.second_order import geometric_stiffness, second_order_forces
from flexmb.elements.solid.stress import nodal_stress
from flexmb.mesh.checks import reject_bad
from flexmb.model.model import Model
from flexmb.model.model_file import read_model
from flexmb.verification import MODELS
from flexmb.verification.solid_meshes import box_mesh
from tests.support.driven_models import DRIVE, HEIGHT, four_bar
from tests.support.mechanisms import TREE_JOINTS, joint_keys, random_body
from tests.support.places import ROOT
from tests.support.random_mechanisms import closed_mechanism

Job = Callable[[Path], np.ndarray]
EXAMPLES = ROOT / "examples"
STEPS = 3
AGREES = 1e-9
"""Largest difference, as a part of the largest number: rounding, which a stiff model magnifies over its steps."""
COMPARED = ("/position", "/quaternion", "/elastic_position")
"""Channels that are compared: where the accelerations of stiff models differ in their last digits, these do not."""
SETTINGS = {"plain": {"NUMBA_DISABLE_JIT": "1"}, "compiled": {}}
"""Environment of both processes"""
IMPLICIT = ("generalized-alpha", "hht", "shi-mcphee")


def rows_of(model: Model, folder: Path) -> np.ndarray:
    """Poses of the bodies and elastic coordinates of a short run, (n,)."""
    with closing(run_model(model, folder / "out.h5")) as result:
        kept = [np.ravel(result[path]) for path in result.channels if path.endswith(COMPARED)]
    return np.concatenate(kept)


def shortened(tables: dict[str, Any], **analysis: Any) -> Model:
    """The model with a few steps only."""
    given = tables.get("analysis", {})
    step = analysis.pop("step", given.get("step", 1e-4))
    kept = {key: given[key] for key in ("type", "independent", "elastic_start", "start") if key in given}
    times = {"step": step, "end": f"{STEPS}*({step})"}
    return Model.from_tables({**tables, "analysis": {**kept, **times, **analysis}, "output": {"every": step}})


def model_jobs() -> Iterator[tuple[str, Job]]:
    """Every published model in its own coordinates and in absolute ones."""
    for path in sorted(set(MODELS.glob("*.toml")) - {MODELS / "B17_princeton_beam.toml"}):  # minutes in plain Python
        for default in ("own", "absolute"):
            yield f"{path.stem} {default}", partial(run_file, path, default)


def run_file(path: Path, default: str, folder: Path, **analysis: Any) -> np.ndarray:
    return rows_of(few_steps(path, default, **analysis), folder)


def few_steps(path: Path, default: str, **analysis: Any) -> Model:
    """A model file in its own or other coordinates: where there is no tree, no joint is cut."""
    tables = read_model(path).identity
    if default != "own":
        tables["coordinates"] = {"default": default}
        for joint in tables.get("joints", {}).values():
            joint.pop("tree", None)
    return shortened(tables, **analysis)


def method_jobs() -> Iterator[tuple[str, Job]]:
    """A closed mechanism with loads, by every method."""
    choices: list[dict[str, Any]] = [{"method": method, "step": 1e-3} for method in IMPLICIT]
    choices += [{"method": "generalized-alpha", "tolerance": 1e-5, "step": 1e-3}]
    choices += [{"method": name, "formulation": "embedding", "step": 1e-3} for name in ("rk4", "rk45")]
    for choice in choices:
        name = " ".join(str(value) for value in choice.values())
        yield name, lambda folder, choice=choice: rows_of(shortened(closed_mechanism(1), **choice), folder)


def joint_jobs() -> Iterator[tuple[str, Job]]:
    """Every joint as a branch of a tree and, in absolute coordinates, as a chord."""
    for default in ("joint", "absolute"):
        for kind in TREE_JOINTS:
            yield f"{kind} {default}", lambda folder, kind=kind, default=default: rows_of(pair(kind, default), folder)


def pair(kind: str, default: str) -> Model:
    """Two bodies, one of them on the ground by a revolute joint, with this joint between them."""
    rng = np.random.default_rng(5)
    tables = {
        "model": {"name": kind, "gravity": [0.0, 1.0, -9.81]},
        "bodies": {"a": random_body(rng), "b": random_body(rng)},
        "joints": {
            "base": {**joint_keys("revolute", rng), "bodies": ["ground", "a"]},
            "joint": {**joint_keys(kind, rng), "bodies": ["a", "b"]},
        },
        "coordinates": {"default": default},
    }
    return shortened(tables, step=1e-3)


def other_jobs() -> Iterator[tuple[str, Job]]:
    """Inverse dynamics, statics, kinematics, modes, functions of time, meshes and pictures."""
    for options in ({}, {"elastic": "quasi-static"}, {"reactions": "recursive"}):
        name = " ".join(["inverse dynamics", *options.values()])
        yield name, partial(inverse, MODELS / "lee_slider_crank.toml", options)
    yield "inverse dynamics, many joints", partial(inverse, EXAMPLES / "09_robot_arm.toml", {})
    yield "inverse dynamics, least squares", shared_drives
    yield "static start", partial(run_file, EXAMPLES / "08_crane_arm.toml", "own")
    yield "kinematics", lambda folder: rows_of(shortened(four_bar({"drive": DRIVE}), type="kinematic"), folder)
    for method in ("rk4", "rk45"):
        yield f"tree by {method}", partial(run_file, MODELS / "A11_puma560.toml", "own", method=method)
    yield "natural coordinates", partial(run_file, EXAMPLES / "02_planar_slider_crank.toml", "natural")
    yield "functions of time", lambda folder: rows_of(functions_of_time(), folder)
    yield "modes", eigenvalues
    for kind in ("tet4", "tet10", "hex8", "hex20", "wedge15"):
        yield f"mesh of {kind}", partial(mesh_numbers, kind)
    yield "picture", drawn_picture


def inverse(path: Path, options: dict[str, str], folder: Path) -> np.ndarray:
    # Accelerations hold the rounding of positions over h^2: at 1 ms 1e-10 m/s^2, below what is compared.
    result = inverse_model(few_steps(path, "own", step=1e-3), folder / "out.h5", **options).result
    # quasi-static rates and accelerations are differences of neighbouring states, which keep half of the digits
    names = COMPARED if "elastic" in options else ("",)
    return np.concatenate([np.ravel(result[path]) for path in result.channels if path.endswith(names)])


def shared_drives(folder: Path) -> np.ndarray:
    """A four-bar linkage with a drive at its crank and one at a point of it."""
    model = shortened(four_bar({"drive": DRIVE, "height": HEIGHT}))
    found = inverse_model(model, folder / "out.h5", more_drives="least-squares")
    return np.concatenate([drive.effort for drive in found.drives])


def functions_of_time() -> Model:
    """A slide with every kind of function as force or motion."""
    tables = pair("prismatic", "joint").identity
    terms = (
        "exp(-t) + log(2 + t) + sqrt(1 + t) + abs(sin(t)) + tan(t) + asin(t) + acos(t) + atan(t) + sinh(t) + cosh(t)"
        " + tanh(t) + atan2(t, 2) + min(t, 1) + max(t, 1) + step(t, 0, 1, 1, 2) + if(t - 1, 2, 3) + sign(t) - 2^t/3"
    )
    tables["forces"] = {"push": {"type": "actuator", "joint": "joint", "effort": terms}}
    motions = (
        {"polynomial": [0.0, 1.0, 2.0]},
        {"harmonic": {"amplitude": 0.1, "frequency": 2.0}},
        {"ramp": {"to": 1.0, "over": 0.5}},
        {"table": [[0.0, 0.0], [0.5, 1.0], [1.0, 0.5], [1.5, 0.0]]},
        {"expression": "0.1*sin(t)^2"},
    )
    for number, motion in enumerate(motions):
        rng = np.random.default_rng(number)
        tables["bodies"][f"c{number}"] = random_body(rng)
        tables["joints"][f"k{number}"] = {**joint_keys("revolute", rng), "bodies": ["ground", f"c{number}"]}
        tables["motions"] = {**tables.get("motions", {}), f"m{number}": {"joint": f"k{number}", **motion}}
    return shortened(tables, step=1e-3)


def eigenvalues(folder: Path) -> np.ndarray:
    values = np.array([mode.eigenvalue for mode in modes_of_model(read_model(MODELS / "B12_coriolis.toml")).modes])
    return np.concatenate([values.real, values.imag])


def mesh_numbers(kind: str, folder: Path) -> np.ndarray:
    """A small box: its matrices, second-order forces and stress for a displacement."""
    mesh = box_mesh(kind, (3, 2, 2), (3.0, 1.0, 1.0), distort=0.1)
    reject_bad(mesh)
    model = assemble(mesh, MATERIALS["steel"])
    U = 1e-3 * np.sin(np.arange(2 * model.K.shape[0], dtype=float)).reshape(2, -1).T
    forces = second_order_forces(model, U, np.array([[0, 0], [0, 1]]))
    parts = (model.K.data, model.M.data, forces, nodal_stress(model, U), geometric_stiffness(model, U[:, 0]).data)
    return np.concatenate([np.ravel(part) / np.abs(part).max() for part in parts])


def drawn_picture(folder: Path) -> np.ndarray:
    run_model(few_steps(MODELS / "A06a_spatial_slider_crank.toml", "own"), folder / "out.h5").close()
    files = ["animate", str(folder / "out.h5"), "-o", str(folder / "out.png")]
    assert main_of_cli([*files, "--renderer", "flexmb", "--size", "96x64"]) == 0
    return np.asarray(Image.open(folder / "out.png"), dtype=float).ravel()


def jobs() -> Iterator[tuple[str, Job]]:
    """All of them."""
    for group in (joint_jobs, method_jobs, model_jobs, other_jobs):
        yield from group()


def compute(target: Path, names: Collection[str]) -> None:
    """Run jobs in this process (all when no names are given) and write their numbers; no number where one fails."""
    found: dict[str, np.ndarray] = {}
    for name, job in jobs():
        if names and name not in names:
            continue
        started = time.perf_counter()
        with tempfile.TemporaryDirectory() as folder:
            try:
                found[name] = job(Path(folder))
            except Exception as error:  # noqa: BLE001 - the other jobs go on
                found[name] = np.array([np.nan])
                print(f"{name}: {type(error).__name__}: {str(error)[:300]}", file=sys.stderr)
        print(f"{name}: {time.perf_counter() - started:.1f} s", file=sys.stderr, flush=True)
    np.savez(target, **found)


def differences(names: Collection[str] = ()) -> dict[str, float]:
    """How far both processes differ in each job, as a part of its largest number; infinite where one has failed."""
    with tempfile.TemporaryDirectory() as folder:
        files = {setting: Path(folder) / f"{setting}.npz" for setting in SETTINGS}
        # Without the variable, not with another value of it: the cache folder is named after all that numba is told.
        inherited = {key: value for key, value in os.environ.items() if key != "NUMBA_DISABLE_JIT"}
        for setting, file in files.items():
            command = [sys.executable, "-m", "tests.campaigns.plain_python", str(file), *names]
            subprocess.run(command, cwd=ROOT, check=True, env=inherited | SETTINGS[setting])
        plain, compiled = (dict(np.load(files[setting])) for setting in ("plain", "compiled"))
    return {name: difference(plain[name], values) for name, values in compiled.items()}


def difference(found: np.ndarray, wanted: np.ndarray) -> float:
    """Largest difference as a part of the largest number wanted; infinite where one is no number."""
    if found.shape != wanted.shape or not np.isfinite([found, wanted]).all():
        return np.inf
    return float(np.abs(found - wanted).max()) / max(1e-300, float(np.abs(wanted).max()))


def main() -> int:
    """Print all differences; exit code 1 when a job differs."""
    found = differences()
    for name, error in found.items():
        print(f"{name:<40}{error:8.1e}{'' if error <= AGREES else '   OFF'}")
    return 0 if all(error <= AGREES for error in found.values()) else 1


if __name__ == "__main__":
    if len(sys.argv) > 1:
        compute(Path(sys.argv[1]), sys.argv[2:])
    else:
        sys.exit(main())
