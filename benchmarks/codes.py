"""The codes that can be measured here, each behind the same calls; one that is not installed is None."""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any


def load(name: str, needs: str) -> Any:
    """The module `name` of this folder, or None when the package it needs is not installed."""
    try:
        found = importlib.util.find_spec(needs) is not None
    except ModuleNotFoundError:
        found = False
    return importlib.import_module(name) if found else None


class Codes:
    """flexmb and its peers."""

    def __init__(self) -> None:
        self.ours = load("ours", needs="flexmb.system.build")
        self.ours_flexible = load("ours_flexible", needs="flexmb.system.build")
        self.exudyn = load("peer_exudyn", needs="exudyn")
        self.exudyn_flexible = load("peer_exudyn_flexible", needs="exudyn")
        self.exudyn_chain = load("peer_exudyn_flexible_chain", needs="exudyn")
        self.pinocchio = load("peer_pinocchio", needs="pinocchio")
