"""Model files and meshes of the benchmarks: copies of those of the repository, so that this folder runs on its own."""

from __future__ import annotations

from pathlib import Path

MODELS = Path(__file__).resolve().parent / "models"
ROOT = MODELS.parents[1]
"""The repository, or whatever folder this one was copied to"""


def mesh_file(name: str) -> Path:
    """A mesh in this folder or, for larger ones, in the repository."""
    path = MODELS / name if (MODELS / name).is_file() else ROOT / "meshes" / name
    if not path.is_file():
        raise FileNotFoundError(f"there is no mesh '{name}' here; run the benchmarks in the repository")
    return path
