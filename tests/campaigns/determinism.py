"""Fingerprints of what flexmb computes, to be compared between processes: python -m tests.campaigns.determinism THREADS

Every line is a name and the SHA-256 of the bytes of all numbers of a computation; times of the clock are left out.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from pathlib import Path

import h5py
import numpy as np

from flexmb.cli import main as flexmb
from flexmb.results.result_file import Result
from flexmb.verification.solid_meshes import box_mesh
from tests.campaigns.kill_loop import BEAM, LINKAGE

SHORT = "[analysis]\nend = 0.1\nstep = 1e-3\n"
DRIVEN = f"{LINKAGE}[motions]\nturn = {{ joint = 'bearing', rate = 20 }}\n"
RUNS = {
    "joint": f"{LINKAGE}{SHORT}",
    "explicit": f"{LINKAGE}[analysis]\nend = 0.1\nmethod = 'rk45'\ntolerance = 1e-9\n",
    "absolute": f"{LINKAGE}[coordinates]\ndefault = 'absolute'\n{SHORT}",
    "natural": f"{LINKAGE}[coordinates]\ndefault = 'natural'\n[analysis]\nend = 0.02\nstep = 1e-3\n",
    "kinematic": f"{DRIVEN}[analysis]\ntype = 'kinematic'\nend = 0.1\nstep = 1e-3\n",
    "beam": f"{BEAM}{SHORT}",
}


def fingerprint(arrays: dict[str, np.ndarray]) -> str:
    digest = hashlib.sha256()
    for name in sorted(arrays):
        digest.update(name.encode() + np.ascontiguousarray(arrays[name]).tobytes())
    return digest.hexdigest()


def of_result(path: Path) -> str:
    with Result(path) as result:
        return fingerprint({name: result[name] for name in result.channels})


def of_numbers(path: Path) -> str:
    """Of all number arrays of a body file."""
    arrays: dict[str, np.ndarray] = {}

    def visit(name: str, item: object) -> None:
        if isinstance(item, h5py.Dataset) and item.dtype.kind in "fi":
            arrays[name] = item[()]

    with h5py.File(path, "r") as file:
        file.visititems(visit)
    return fingerprint(arrays)


def call(*words: object) -> None:
    assert flexmb([str(word) for word in words]) == 0, words


def mesh_file(folder: Path) -> Path:
    import meshio

    mesh = box_mesh("hex8", (12, 3, 3), (1.0, 0.1, 0.1), distort=0.1)
    path = folder / "bar.vtu"
    meshio.write(path, meshio.Mesh(mesh.points, [("hexahedron", mesh.cells[0].nodes)]))
    return path


def fingerprints(folder: Path) -> dict[str, str]:
    found = {}
    for name, text in RUNS.items():
        model, output = folder / f"{name}.toml", folder / f"{name}.h5"
        model.write_text(text)
        call("run", model, "-o", output, "--quiet")
        found[f"run {name}"] = of_result(output)
    model = folder / "driven.toml"
    model.write_text(f"{DRIVEN}{SHORT}")
    call("inverse", model, "-o", folder / "inverse.h5", "--quiet")
    found["inverse"] = of_result(folder / "inverse.h5")
    model.write_text(f"{BEAM}{SHORT}")
    call("modes", model, "-o", folder / "modes.npz")
    with np.load(folder / "modes.npz") as arrays:
        found["modes"] = fingerprint({name: arrays[name] for name in arrays.files if arrays[name].dtype.kind in "fc"})
    ends = ["--interface", "root=plane(x=0)", "--interface", "tip=plane(x=1)"]
    call("reduce", mesh_file(folder), "--material", "steel", *ends, "--modes", 4, "-o", folder / "bar.h5", "--quiet")
    found["reduce"] = of_numbers(folder / "bar.h5")
    return found


def main() -> None:
    os.environ["NUMBA_NUM_THREADS"] = str(int(sys.argv[1]))
    with tempfile.TemporaryDirectory() as folder:
        for name, value in fingerprints(Path(folder)).items():
            print(f"fingerprint {name}: {value}")


if __name__ == "__main__":
    main()
