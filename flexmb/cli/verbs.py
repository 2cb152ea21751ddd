"""Verbs of the command line, in the order of the help text."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Annotated, cast, get_args, get_type_hints

from cyclopts import App, Parameter

from flexmb.cli.animate import animate
from flexmb.cli.body import body_info
from flexmb.cli.check import check
from flexmb.cli.equations import equations
from flexmb.cli.export import export
from flexmb.cli.inverse import inverse
from flexmb.cli.mesh import mesh_faces, mesh_info, mesh_make
from flexmb.cli.modes import modes
from flexmb.cli.options import Option
from flexmb.cli.plot import plot
from flexmb.cli.reduce import reduce
from flexmb.cli.report import report
from flexmb.cli.run import run
from flexmb.cli.schema import schema
from flexmb.cli.stress import stress
from flexmb.cli.verify import verify

_HELP = """Flexible multibody dynamics.

Exit codes: 0 done, 1 the computation failed, 2 the input is wrong.
Every command takes --debug: show the traceback of an error.
"""


def make_app() -> App:
    """Build the command line parser."""
    plain = Parameter(negative=(), show_default=False)
    app = App(name="flexmb", help=_HELP, version=_version, help_format="plaintext", default_parameter=plain)
    mesh = App(name="mesh", help="Report, make and look at meshes: flexmb mesh info FILE.", help_format="plaintext")
    mesh.command(mesh_info, name="info")
    mesh.command(mesh_make, name="make")
    mesh.command(mesh_faces, name="faces")
    body = App(name="body", help="Print the report of a body file: flexmb body info BODY.h5.", help_format="plaintext")
    body.command(body_info, name="info")
    verbs: tuple[Callable[..., int] | App, ...] = (
        run,
        check,
        inverse,
        modes,
        equations,
        mesh,
        reduce,
        body,
        export,
        plot,
        animate,
        report,
        stress,
        verify,
        schema,
    )
    for order, verb in enumerate(verbs):
        if isinstance(verb, App):
            verb.default_parameter, verb.sort_key = plain, order
            app.command(verb)
        else:
            app.command(_for_parser(cast(FunctionType, verb)), name=verb.__name__, sort_key=order)
    return app


def _for_parser(verb: FunctionType) -> Callable[..., int]:
    """A copy of the verb with the names of its options in the form of the parser."""
    hints = get_type_hints(verb, include_extras=True)
    for name, hint in hints.items():
        names = [name for note in getattr(hint, "__metadata__", ()) if isinstance(note, Option) for name in note.names]
        if names:
            hints[name] = Annotated[get_args(hint)[0], Parameter(name=names)]
    made = FunctionType(verb.__code__, verb.__globals__, verb.__name__, verb.__defaults__, verb.__closure__)
    made.__kwdefaults__, made.__annotations__, made.__doc__ = verb.__kwdefaults__, hints, verb.__doc__
    return made


def _version() -> str:
    from flexmb.results.versions import flexmb_version

    return f"flexmb {flexmb_version()}"
