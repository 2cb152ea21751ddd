"""Which versions of flexmb and of its companions are installed."""

from __future__ import annotations

from importlib import metadata


def installed_version(package: str) -> str:
    """Version of an installed package, "unknown" without one (it runs from a bare source tree)."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "unknown"


def flexmb_version() -> str:
    """Version of flexmb."""
    return installed_version("flexmb")
