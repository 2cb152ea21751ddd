"""flexmb reduce: reduce a mesh to modal data and print the body report."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Group, Parameter

if TYPE_CHECKING:
    from flexmb.bodies.reduced_body import ReducedBody
    from flexmb.errors import Fault

_MESH = Group("Mesh and material", sort_key=1)
_TIES = Group("Interfaces", sort_key=2)
_LOADS = Group("Loads", sort_key=3)
_MODES = Group("Modes", sort_key=4)
_BODY = Group("Body", sort_key=5)
_ELSEWHERE = Group("Matrices computed elsewhere", sort_key=6)


def _option(group: Group, text: str, *names: str) -> Parameter:
    return Parameter(name=names or None, group=group, help=text)


@Parameter(name="*")
@dataclass(frozen=True)
class ReduceOptions:
    """Options of the command as they were typed."""

    material: Annotated[
        list[str] | None,
        _option(
            _MESH,
            "steel, aluminium, ..., or 'E=210 GPa nu=0.3 density=7850'. SET=steel applies to the cells of one set. "
            "May be repeated; one without a set then applies to all other cells. Default: materials of the deck.",
        ),
    ] = None
    unit: Annotated[
        str | None,
        _option(_MESH, "Unit of length of the mesh: m, mm, cm, in, ft, um. Default: guessed; see the report."),
    ] = None
    section: Annotated[
        str | None,
        _option(_MESH, "Cross-section of line cells, e.g. 'circle radius=3 mm' or 'rectangle y=1 cm z=2 cm'."),
    ] = None
    thickness: Annotated[
        list[str] | None,
        _option(
            _MESH,
            "Thickness of shell cells, e.g. '2 mm'; SET=2mm applies to the cells of one set. May be repeated; one "
            "without a set then applies to all other shell cells.",
        ),
    ] = None
    y_axis: Annotated[
        str | None, _option(_MESH, "Direction of the section's y axis: x, y, z or three numbers such as '0,1,1'.")
    ] = None
    lumped: Annotated[bool, _option(_MESH, "Lumped mass matrix. Default: consistent.")] = False
    hex8: Annotated[
        str, _option(_MESH, "Bricks with 8 nodes: incompatible (good in bending) or full. Default: incompatible.")
    ] = "incompatible"
    straighten: Annotated[
        bool,
        _option(_MESH, "Give folded second-order cells straight edges. Default: a mesh with such cells is rejected."),
    ] = False
    interface: Annotated[
        list[str] | None,
        _option(
            _TIES,
            "Where the body is held or loaded: a node set, or NAME=SELECT with a set, box(..), plane(x=0.3), "
            "cylinder(..), sphere(..) or nearest(x,y,z). Add :rbe3 for an averaged tie. May be repeated.",
        ),
    ] = None
    tie: Annotated[
        str, _option(_TIES, "Tie of interfaces without :rbe2 or :rbe3: rbe2 (rigid) or rbe3 (averaged). Default: rbe2.")
    ] = "rbe2"
    marker: Annotated[
        list[str] | None,
        _option(_TIES, "Marker that follows the body and adds no modes: NAME=SELECT. May be repeated."),
    ] = None
    load: Annotated[
        list[str] | None,
        _option(
            _LOADS,
            "Load on the mesh that a model can apply: NAME=pressure:FACES, NAME=temperature:CELLS (all, or growing "
            "along an axis: all:y), NAME=force:NODES:x. Parts that act together: with ';' between them. "
            "May be repeated.",
        ),
    ] = None
    prestress: Annotated[
        list[str] | None,
        _option(
            _LOADS,
            "State about which the body is linearised, with --field linear: 'LOAD=50 K', 'LOAD=5 MPa held INTERFACE' "
            "or 'spin=300 rad/s about INTERFACE:z'. May be repeated.",
        ),
    ] = None
    mass: Annotated[
        list[str] | None,
        _option(
            _TIES,
            "Mass at an interface or marker: 'tip=2 kg', with inertia xx, yy, zz 'tip=2 kg, 0.01, 0.01, 0.02', with "
            "'offset=0, 0, 5 mm'. May be repeated. With --stiffness: the mass matrix (CalculiX: found next to .sti).",
        ),
    ] = None
    hold: Annotated[
        list[str] | None,
        _option(
            _TIES,
            "Hold nodes in a rigid frame that moves with the body: SET, or SET:z for single components (x, y, z, rx, "
            "ry, rz). A support of the deck by its name has its own components. May be repeated.",
        ),
    ] = None
    method: Annotated[
        str,
        _option(_MODES, "craig-bampton, free (free modes) or fixed (fixed-interface modes). Default: craig-bampton."),
    ] = "craig-bampton"
    modes: Annotated[str | None, _option(_MODES, "Number of eigenmodes. Default: 12, or all below --below.")] = None
    below: Annotated[str | None, _option(_MODES, "All eigenmodes below a frequency, e.g. 5000 or '5 kHz'.")] = None
    keep_below: Annotated[
        str | None, _option(_MODES, "Drop shapes of the final basis above a frequency: allows longer steps.")
    ] = None
    band: Annotated[
        str | None,
        _option(
            _MODES,
            "Choose the shapes for a band of frequencies, e.g. '0:2 kHz', until the transfer between all interfaces is "
            "within --error, with a certificate. Instead of --modes and --below.",
        ),
    ] = None
    error: Annotated[
        str | None, _option(_MODES, "Allowed relative error of the transfer in the band. Default: 0.001.")
    ] = None
    attachment: Annotated[
        bool, _option(_MODES, "Add attachment modes: static responses to unit loads at the interfaces.")
    ] = False
    vectors: Annotated[Path | None, _option(_MODES, "Your own shapes: columns of a .npy or .npz file.")] = None
    frame: Annotated[
        str, _option(_BODY, "Body frame: mean, chord (two interfaces) or clamped:INTERFACE. Default: mean.")
    ] = "mean"
    field: Annotated[
        str | None,
        _option(
            _BODY,
            "quadratic (the body stiffens under load) or linear. Default: quadratic; linear for line cells and for "
            "matrices computed elsewhere.",
        ),
    ] = None
    order: Annotated[
        str | None, _option(_BODY, "Order of the inertia of a quadratic field: full, 2 or 1. Default: full.")
    ] = None
    damping: Annotated[
        str | None,
        _option(
            _BODY, "Damping ratio of every mode (0.01 or '1 %'), adams, or 'mass=5 stiffness=1e-6'. Default: none."
        ),
    ] = None
    stress: Annotated[bool, _option(_BODY, "Store the surface stress of every coordinate.")] = False
    no_compare: Annotated[
        bool, _option(_BODY, "Skip the comparison with the frequencies of the full mesh: faster.")
    ] = False
    output: Annotated[
        Path | None,
        _option(
            _BODY,
            "Body file; default: the name of the mesh with .h5, in the current folder. For a model file: a folder for "
            "copies of its bodies.",
            "--output",
            "-o",
        ),
    ] = None
    quiet: Annotated[bool, _option(_BODY, "Print nothing but errors.")] = False
    json: Annotated[
        bool, _option(_BODY, "Print one JSON document instead of the report: numbers, verdict, warnings.")
    ] = False
    strict: Annotated[
        bool, _option(_BODY, "Exit with code 1 when there are warnings; the body file is written all the same.")
    ] = False
    stiffness: Annotated[
        Path | None,
        _option(
            _ELSEWHERE,
            "Stiffness matrix: SciPy .npz, Matrix Market or Abaqus .mtx, CalculiX .sti, for the nodes of MESH.",
        ),
    ] = None
    dofs: Annotated[Path | None, _option(_ELSEWHERE, "Node and direction of each row, e.g. CalculiX .dof.")] = None


_NO_OPTIONS = ReduceOptions()


def reduce(mesh: Path, /, *, options: ReduceOptions = _NO_OPTIONS) -> int:
    """Reduce a mesh to modal data; writes a body file and prints the body report, with a verdict.

    flexmb reduce rod.msh --material steel --interface bore_a --interface bore_b

    Parameters
    ----------
    mesh
        Mesh file: Gmsh, Abaqus/CalculiX .inp, Nastran .bdf, Ansys .cdb, .unv, VTK, MED, ... Or a model file (.toml):
        all its bodies with the key 'mesh' are reduced and kept in the cache.
    """
    if mesh.suffix.lower() == ".toml":
        from flexmb.cli.reduce_bodies import reduce_bodies

        return reduce_bodies(mesh, options)
    from flexmb.bodies.body_file import write_body
    from flexmb.bodies.body_report import report_text
    from flexmb.cli.json_output import body_document, exit_code, print_document
    from flexmb.cli.progress import StageLine, announce_array_compilation

    shown = not options.quiet and sys.stderr.isatty()
    if shown:
        announce_array_compilation(sys.stderr)
    line = StageLine(sys.stderr) if shown else None
    try:
        body = _reduced(mesh, options, line)
        target = write_body(body, _target(mesh, options))
    finally:
        if line is not None:
            line.clear()
    if options.json:
        print_document("reduce", {"file": str(target), **body_document(body)})
    elif not options.quiet:
        print(report_text(body))
        print(f"\n{target}")
    return exit_code(body.warnings, options.strict)


def _target(mesh: Path, options: ReduceOptions) -> Path:
    return options.output or Path(f"{mesh.stem}.h5")


def _reduced(path: Path, options: ReduceOptions, progress: Any) -> ReducedBody:
    """The body, or all faults of the command at once."""
    from flexmb.bodies.part import Part, read_part_mesh
    from flexmb.cli import reduce_arguments as arguments
    from flexmb.cli.plain_output import typed_command
    from flexmb.elements.cell_properties import has_properties
    from flexmb.errors import InputError

    faults: list[Fault] = []
    reading = {"shells": bool(options.thickness), "straighten": options.straighten}
    mesh = read_part_mesh(path, options.unit, options.stiffness is not None, faults, progress, **reading)
    request = arguments.read_request(options, mesh, faults)
    materials = arguments.read_materials(options.material or [], faults)
    from_deck = mesh is not None and has_properties(mesh)
    section = arguments.read_section(options.section, faults)
    thickness = arguments.read_thickness(options.thickness, faults)
    y_axis = arguments.read_axis("--y-axis", options.y_axis, faults)
    faults += request.faults() + arguments.elsewhere_faults(options, from_deck)
    part = Part(path, request, materials, options.unit, section, y_axis, thickness, options.straighten)
    if mesh is not None:
        found = part.mesh_faults(mesh)
        # Not said of what was given but could not be read: no interface (the only fault without a place), no section.
        unread: list[tuple[str, ...]] = [()] if options.interface else []
        unread += [] if options.material or from_deck else [("material",)]
        unread += [("section",)] if options.section and section is None else []
        unread += [("thickness",)] if options.thickness and thickness is None else []
        faults += [fault for fault in found if fault.path not in unread]
    faults += _target_faults(_target(path, options))
    given = arguments.given_by(options, request)
    if faults:
        raise InputError(arguments.as_options(faults, given))
    assert mesh is not None
    try:
        return part.reduced(mesh, progress=progress, command=typed_command())
    except InputError as error:
        raise InputError(arguments.as_options(error.faults, given)) from error


def _target_faults(target: Path) -> list[Fault]:
    """Reasons why no body file can be written there, found before anything is computed."""
    from flexmb.bodies.body_file import is_body_file
    from flexmb.errors import Fault
    from flexmb.output_files import foreign_fault

    fault = foreign_fault(target, "a body file of flexmb", is_body_file, "body.h5")
    return [Fault(fault, ("output",))] if fault else []
