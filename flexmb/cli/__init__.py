"""The command line: one verb per file, no logic. `main` is the entry point `flexmb`.

Exit codes: 0 done, 1 the computation failed, 2 the input is wrong, 130 interrupted. An error is one message on
stderr; the option --debug adds the traceback. Verbs import what they need when they are called, so that help is quick.
"""

from __future__ import annotations

import atexit
import gc
import io
import os
import shutil
import sys
import warnings
from collections.abc import Callable, Sequence
from contextlib import nullcontext, redirect_stdout, suppress
from typing import Any

from flexmb.cli.plain_output import PlainOutput, plain
from flexmb.errors import CacheWarning, ComputationError, InputError
from flexmb.stop_signals import INTERRUPTED, end_program, handled

DONE, FAILED, WRONG_INPUT = 0, 1, 2
NARROWEST = 40
"""Minimum width for laying out help [columns]"""
_OBJECTS_PER_COLLECTION = 200_000
"""New objects after which Python searches for garbage: more than a command loads"""
MOST_LINES, LONGEST_LINE = 200, 2000
"""Limits of a message: number of lines, characters per line"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code. A caller that passes `arguments` handles Ctrl-C itself."""
    if arguments is None:  # a program of its own: modules that are loaded are not garbage, now or at the end
        gc.set_threshold(_OBJECTS_PER_COLLECTION)
        atexit.register(gc.freeze)
    words = list(sys.argv[1:] if arguments is None else arguments)
    debug = "--debug" in words
    words = [word for word in words if word != "--debug"]
    _allow_all_characters()
    _widen_screen()
    try:
        with handled(end_program) if arguments is None else nullcontext(), warnings.catch_warnings():
            if not debug:  # warnings of libraries are for programmers; flexmb reports what a user must know
                warnings.simplefilter("ignore")
                warnings.simplefilter("once", CacheWarning)
                warnings.showwarning = _show_warning
            return _run(words)
    except BrokenPipeError:  # the reader of the output has closed the pipe (flexmb check ... | head)
        _discard_output()
        return DONE
    except InputError as error:
        return _report_error(error, _input_message(error), WRONG_INPUT, debug)
    except ComputationError as error:
        return _report_error(error, f"flexmb: {error}", FAILED, debug)
    except KeyboardInterrupt as error:
        return _report_error(error, f"flexmb: {str(error) or 'interrupted; nothing was written.'}", INTERRUPTED, debug)
    except MemoryError as error:
        return _report_error(error, "flexmb: not enough memory.", FAILED, debug)
    except OSError as error:  # such as a full disk or a folder that disappeared
        _discard_output()
        place = f"'{error.filename}'" if error.filename else "The output"
        return _report_error(
            error, f"flexmb: {place} cannot be read or written: {error.strerror or error}.", FAILED, debug
        )
    except Exception as error:
        if type(error).__name__ == "LinAlgError":  # of NumPy or SciPy, which are not imported here
            advice = "Look for extremely large or small values, and for points or axes that coincide"
            text = f"flexmb: a matrix computation failed for this input ({error}). {advice}."
            return _report_error(error, text, FAILED, debug)
        text = f"flexmb: internal error ({type(error).__name__}: {error}). Run again with --debug and please report it."
        return _report_error(error, text, FAILED, debug)


def _run(words: list[str]) -> int:
    from flexmb.cli.options import direct_call

    command, positional, options = direct_call(words) or _parsed(words)
    is_verb = str(getattr(command, "__module__", "")).startswith("flexmb")  # help formats its own output
    with redirect_stdout(PlainOutput(sys.stdout)) if is_verb and sys.stdout is not None else nullcontext():
        try:
            code = command(*positional, **options)
        except (InputError, ComputationError) as error:
            if options.get("json") or any(getattr(each, "json", False) for each in (*positional, *options.values())):
                from flexmb.cli.json_output import error_document, print_document

                print_document(getattr(command, "__name__", ""), error_document(error))
            raise
    if sys.stdout is not None:  # None when the caller closed it
        sys.stdout.flush()
    return code if isinstance(code, int) else DONE


def _parsed(words: list[str]) -> tuple[Callable[..., Any], list[Any], dict[str, Any]]:
    """The command and its arguments, by the parser that knows help, faults and every form of an option."""
    from cyclopts import CycloptsError

    from flexmb.cli.verbs import make_app

    try:
        command, bound, _ = make_app().parse_args(words, print_error=False, exit_on_error=False)
    except CycloptsError as error:
        raise InputError(f"{error} {_where_to_look(words, list(error.command_chain or ()))}") from error
    return command, list(bound.args), dict(bound.kwargs)


def _where_to_look(words: list[str], verbs: list[str]) -> str:
    """Advice after arguments that could not be parsed; `verbs` are those that were recognised."""
    first = words[0] if words else ""
    if not verbs and first.lower().endswith((".toml", ".h5", ".msh", ".inp")):
        verb = {".toml": "run", ".h5": "plot"}.get(first[first.rindex(".") :].lower(), "mesh info")
        return f"The command comes first: 'flexmb {verb} {first}'. List all commands: 'flexmb --help'."
    return f"See '{' '.join(('flexmb', *verbs))} --help'."


def _discard_output() -> None:
    """Discard output that is still buffered: Python would fail on it again when it exits."""
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _widen_screen() -> None:
    """Set a minimum terminal width: laying out help in a few columns would never end."""
    if shutil.get_terminal_size().columns < NARROWEST:
        os.environ["COLUMNS"] = str(NARROWEST)


def _allow_all_characters() -> None:
    """Print characters that the terminal cannot encode as escape codes."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def _input_message(error: InputError) -> str:
    if hasattr(error, "filename"):
        from flexmb.model.model_file import format_faults

        return format_faults(error)
    return "\n".join(f"flexmb: {fault}" for fault in error.faults)


def _show_warning(message: Warning | str, *_: object, **__: object) -> None:
    """Print a warning about the cache of compiled code as one line."""
    if sys.stderr is not None:
        print(plain(f"flexmb: {message}"), file=sys.stderr)


def _clipped(message: str) -> str:
    """The message cut to a readable number of lines and length of line."""
    lines = message.split("\n")
    if len(lines) > MOST_LINES:
        lines = [*lines[: MOST_LINES - 1], f"... {len(lines) - MOST_LINES} more lines ...", lines[-1]]
    return "\n".join(line if len(line) <= LONGEST_LINE else f"{line[:LONGEST_LINE]} ..." for line in lines)


def _report_error(error: BaseException, message: str, code: int, debug: bool) -> int:
    if debug:
        import traceback

        traceback.print_exception(error)
    if sys.stderr is not None:
        print(plain(_clipped(message)), file=sys.stderr)
    return code
