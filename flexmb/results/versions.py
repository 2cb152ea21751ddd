"""Versions of flexmb and of the packages it uses."""

from __future__ import annotations

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
