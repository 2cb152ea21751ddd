"""The codes that can be measured here, each behind the same calls; one that is not installed is None."""

from __future__ import annotations

import importlib
import importlib.util
import shutil
from typing import Any


def installed(package: str) -> bool:
    try:
        return importlib.util.find_spec(package) is not None
    except ModuleNotFoundError:
        return False


def load(name: str, needs: str) -> Any:
    """The module `name` of this folder, or None when the package it needs is not installed."""
    return importlib.import_module(name) if installed(needs) else None


class Codes:
    """flexmb and its peers; those of finite elements run in processes of their own."""

    def __init__(self, quick: bool = False) -> None:
        self.quick = quick
        """Whether small problems do where the whole takes minutes"""
        self.ours = load("ours", needs="flexmb.system.build")
        self.ours_flexible = load("ours_flexible", needs="flexmb.system.build")
        self.ours_inverse = load("ours_inverse", needs="flexmb.system.build")
        self.ours_beams = load("ours_beams", needs="flexmb.system.build")
        self.ours_symbolic = load("ours_symbolic", needs="symengine")
        self.ours_turbo = load("ours_turbo", needs="symengine")
        self.ours_natural = load("ours_natural", needs="flexmb.natural.integration")
        self.ours_train = load("ours_train", needs="flexmb.solvers.run")
        self.ours_linear = load("ours_linear", needs="flexmb.solvers.run")
        self.exudyn_linear = load("peer_exudyn_linear", needs="exudyn")
        self.sympy = load("peer_sympy", needs="sympy")
        self.pydy = load("peer_pydy", needs="pydy") if self.sympy else None
        self.exudyn = load("peer_exudyn", needs="exudyn")
        self.exudyn_flexible = load("peer_exudyn_flexible", needs="exudyn")
        self.exudyn_train = load("peer_exudyn_train", needs="exudyn")
        self.exudyn_shaft = load("peer_exudyn_shaft", needs="exudyn")
        self.exudyn_rod = load("peer_exudyn_rod", needs="exudyn")
        self.exudyn_chain = load("peer_exudyn_flexible_chain", needs="exudyn")
        self.pinocchio = load("peer_pinocchio", needs="pinocchio")
        self.ours_pictures = load("ours_pictures", needs="flexmb.view.scene")
        self.has_skfem, self.has_ngsolve, self.has_metis = map(installed, ("skfem", "ngsolve", "pymetis"))
        self.has_calculix = shutil.which("ccx") is not None
