"""Versions of flexmb and of the packages it uses."""

from __future__ import annotations

import platform
from functools import cache
from importlib import metadata

import flexmb


@cache
def installed_version(package: str) -> str:
    """Version of an installed package, "unknown" when it is not installed."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "unknown"


def flexmb_version() -> str:
    """Version of flexmb as in the running sources, whatever version is installed."""
    return flexmb.__version__


def versions() -> dict[str, str]:
    """Versions of everything that decides the numbers of a run."""
    packages = {package: installed_version(package) for package in ("numpy", "numba", "h5py")}
    return {"flexmb": flexmb_version(), "python": platform.python_version(), **packages}
