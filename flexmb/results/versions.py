"""Which versions of flexmb and of its companions are installed."""

from __future__ import annotations

from importlib import metadata

import flexmb


def installed_version(package: str) -> str:
    """Version of an installed package, "unknown" without one (it runs from a bare source tree)."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "unknown"


def flexmb_version() -> str:
    """Version of flexmb: of the sources that run, whatever was installed from them before."""
    return flexmb.__version__
