"""All cases, and how they are run. Cases are imported on first use."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module

from flexmb.errors import Fault, InputError
from flexmb.suggestions import clipped, did_you_mean
from flexmb.verification.case import Case, Comparison, Finding

FILES = (
    "rigid_mechanisms", "rigid_rotation", "rigid_natural", "overconstrained", "seeds", "seeds_inverse", "seeds_natural",
    "couplings", "elements", "measured_tables", "peers", "flexible", "flexible_modes", "flexible_crank", "meshed",
    "beam", "beam_shapes", "solid", "shells", "convergence",
)  # fmt: skip
"""Files of this folder that contain cases."""

NOT_APPLICABLE = {
    "D01": "Exudyn's regression suite: its results are from fixed, coarse steps and are not converged",
}
"""Known collections that are not compared, and the reason."""


@dataclass(frozen=True)
class Outcome:
    """A case that has been run."""

    case: Case
    comparison: Comparison
    seconds: float
    failure: str = ""
    """reason why the case failed"""

    @property
    def agrees(self) -> bool:
        """Whether there is a finding, and all are within their tolerance."""
        findings = self.comparison.findings
        return not self.failure and bool(findings) and all(finding.agrees for finding in findings)

    @property
    def closest(self) -> Finding:
        """The finding closest to its tolerance."""
        return max(self.comparison.findings, key=lambda finding: finding.share)


def all_cases() -> dict[str, Case]:
    """Every case by its name, sorted."""
    modules = [import_module(f"flexmb.verification.{name}") for name in FILES]
    found = [item for module in modules for item in vars(module).values() if isinstance(item, Case)]
    return {item.name: item for item in sorted(found, key=lambda item: item.name)}


def chosen_cases(names: Sequence[str]) -> list[Case]:
    """The cases of these names (default: all), in the order of the table; raises all wrong names at once."""
    cases = all_cases()
    known = {name.lower(): name for name in (*cases, *NOT_APPLICABLE)}
    chosen = [known.get(name.lower(), "") for name in names]
    faults = []
    for name, found in zip(names, chosen, strict=True):
        if found in NOT_APPLICABLE:
            faults.append(Fault(f"Case '{found}' is not compared: {NOT_APPLICABLE[found]}."))
        elif not found:
            hint = f"{did_you_mean(name, cases)} See 'flexmb verify --list'."
            faults.append(Fault(f"There is no case {clipped(name)}.", hint=hint))
    if faults:
        raise InputError(faults)
    return [item for name, item in cases.items() if not names or name in chosen]


def run_case(case: Case) -> Outcome:
    """Run a case; any exception is recorded as its failure, so that the others continue."""
    began = time.perf_counter()
    comparison, failure = Comparison([]), ""
    try:
        comparison = case()
    except Exception as error:
        failure = f"{type(error).__name__}: {error}"
    return Outcome(case, comparison, time.perf_counter() - began, failure)


def run_cases(cases: Sequence[Case], report: Callable[[Case, Outcome | None], None]) -> list[Outcome]:
    """Run cases one after the other; `report` is called when each begins (None) and when it ends."""
    outcomes = []
    for item in cases:
        report(item, None)
        outcomes.append(run_case(item))
        report(item, outcomes[-1])
    return outcomes
