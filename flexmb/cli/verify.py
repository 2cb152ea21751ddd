"""flexmb verify: run the published cases on this machine and compare."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from flexmb.cli.options import Option

if TYPE_CHECKING:
    from flexmb.verification.case import Case
    from flexmb.verification.registry import Outcome


def verify(
    *,
    case: list[str] | None = None,
    html: Path | None = None,
    markdown: Path | None = None,
    list_cases: Annotated[bool, Option("--list")] = False,
    json: bool = False,
) -> int:
    """Run the published cases and print the comparison: reference, flexmb, error, tolerance.

    Exit code 0: every quantity is within its tolerance; 1: some are not. Takes a few minutes.

    Parameters
    ----------
    case
        Run this case only, e.g. --case A01. May be repeated.
    html
        Write the table and plots as one page (.html).
    markdown
        Write a table with one row per case (.md).
    list_cases
        List the cases, and what cannot be compared; runs nothing.
    json
        Print one JSON document instead of the table.
    """
    from flexmb.cli.json_output import print_document, verification_document
    from flexmb.verification.registry import NOT_APPLICABLE, all_cases, chosen_cases, run_cases
    from flexmb.verification.table import case_list, markdown_table, text_table

    if list_cases:
        print(case_list(all_cases(), NOT_APPLICABLE))
        return 0
    page, rows = _target(html, ".html"), _target(markdown, ".md")
    chosen = chosen_cases(case or [])
    _compile(everything=not case)
    outcomes = run_cases(chosen, _Progress(len(chosen)))
    if json:
        print_document("verify", verification_document(outcomes))
    else:
        print(text_table(outcomes))
    if page:
        from flexmb.verification.page import write_page

        write_page(outcomes, page)
        if not json:
            print(f"{html}: {page.stat().st_size / 1e6:.2f} MB")
    if rows:
        from flexmb.output_files import drafted

        with drafted(rows, ".md") as draft:
            draft.write_text(markdown_table(outcomes) + "\n", encoding="utf-8")
        if not json:
            print(markdown)
    return 0 if all(outcome.agrees for outcome in outcomes) else 1


def _target(path: Path | None, suffix: str) -> Path | None:
    """The file to write, checked before anything is run."""
    from flexmb.errors import InputError
    from flexmb.output_files import output_path, suffix_fault

    if path is None:
        return None
    if fault := suffix_fault(path, (suffix,)):
        raise InputError(fault)
    return output_path(path, suffix)


def _compile(everything: bool) -> None:
    """Announce missing kernels; before all cases also compile them, so that no case is timed with it."""
    from flexmb.bodies.compile_ahead import compile_ahead, is_compiled
    from flexmb.solvers.compilation import compile_for
    from flexmb.solvers.compilation import is_compiled as is_compiled_for

    methods, all_fields = ("rk45", "generalized-alpha"), -1
    if is_compiled() and all(is_compiled_for(method, all_fields) for method in methods):
        return
    print("compiling kernels (once, about a minute)...", file=sys.stderr, flush=True)
    if everything:
        for method in methods:
            compile_for(method, all_fields)
        compile_ahead()


class _Progress:
    """Progress: a line that overwrites itself on a terminal, otherwise one line per case."""

    def __init__(self, n_cases: int):
        from flexmb.cli.progress import StageLine

        self._n_cases, self._n_done = n_cases, 0
        self._line = StageLine(sys.stderr) if sys.stderr.isatty() else None

    def __call__(self, case: Case, outcome: Outcome | None) -> None:
        """Report that a case begins (no outcome) or has ended."""
        if outcome is None:
            if self._line:
                self._line(f"{case.name} {case.title} ({self._n_done + 1} of {self._n_cases})", float("nan"))
            return
        self._n_done += 1
        if self._line and self._n_done == self._n_cases:
            self._line.clear()
        elif not self._line:
            word = "agrees" if outcome.agrees else "OFF"
            text = f"{self._n_done} of {self._n_cases}: {case.name} {word} ({outcome.seconds:.1f} s)"
            print(text, file=sys.stderr, flush=True)
