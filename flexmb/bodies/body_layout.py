"""Layout of the body file: dimensions, unit and meaning of every array.

    /                        attributes format, version, name, frame, length; dataset report (JSON)
    /field/invariants/       the integrals of `invariants.py`, int over the mass, X undeformed position [m]
    /field/points/           the same field by mass points, where nothing is truncated (`point_field.py`)
    /sid/NAME/M0, M1         standard input data under their usual names (`sid.py`); Ke and De are read from here
    /coordinates/            label, kind, frequency and interface of every elastic coordinate
    /markers/NAME/           position, shapes, and the nodes that it is tied to; attributes kind, number, order
    /left_out                compliance between the interfaces that the coordinates leave out (older files have none)
    /surface/                the outside of the mesh, for pictures and stress
    /provenance              attributes: mesh and its hash, material, options, versions

Everything is SI and in body axes. n elastic coordinates [m], p mass points, s nodes and t triangles of the surface, c
pairs of coordinates (k, l <= k), m nodes of a marker, w = 6 times the interfaces. All but Ke and De under /sid follows
from /field.
"""

from __future__ import annotations

import re
from typing import NamedTuple

FORMAT = "flexmb body"
VERSION = 2
"""Newest format that is read; 2 has load shapes, or pre-stress"""
NAME = re.compile(r"\w[\w-]*")
"""Names of markers: they survive in references "body.marker" and as HDF5 groups."""
COORDINATE_KINDS = ("fixed-interface", "constraint", "free", "attachment", "krylov", "load", "user")
MARKER_KINDS = ("rbe2", "rbe3", "follower")


class Entry(NamedTuple):
    """An array of the file."""

    shape: str
    """One letter or digit per dimension"""
    unit: str
    text: str
    kind: str = "f"
    """f: numbers (float64), s: numbers (float32), i: whole numbers"""


INVARIANTS = {
    "mass": Entry("", "kg", "mass"),
    "S0": Entry("3", "kg*m", "int X"),
    "P0": Entry("33", "kg*m^2", "int X X'"),
    "S1": Entry("n3", "kg", "int phi_k"),
    "N1": Entry("n33", "kg*m", "int X phi_k'"),
    "N2": Entry("nn33", "kg", "int phi_k phi_l'"),
    "S2": Entry("nn3", "kg/m", "int G_kl"),
    "X": Entry("nn33", "kg", "int X G_kl'"),
    "N3": Entry("nnn33", "kg/m", "int phi_k G_lm'"),
    "N4": Entry("nnnn33", "kg/m^2", "int G_kl G_mn'"),
}
MAY_LACK = ("N3", "N4")

POINTS = {
    "mass": Entry("p", "kg", "masses of the points"),
    "X": Entry("p3", "m", "undeformed positions"),
    "phi": Entry("pn3", "1", "displacements per unit coordinate"),
    "G": Entry("pnn3", "1/m", "second derivatives of the positions"),
}

MARKER = {
    "position": Entry("3", "m", "undeformed position"),
    "Phi": Entry("n3", "1", "displacement per unit coordinate"),
    "Theta": Entry("n3", "rad/m", "rotation vector per unit coordinate"),
    "G": Entry("nn3", "1/m", "second derivatives of the position"),
    "Gamma": Entry("nn3", "rad/m^2", "second derivatives of the rotation vector"),
    "nodes": Entry("m", "-", "nodes of the mesh that it is tied to, counted from 0", "i"),
}

SURFACE = {
    "points": Entry("s3", "m", "undeformed positions of the nodes"),
    "triangles": Entry("t3", "-", "corners of the triangles, numbers of points from 0, normals outwards", "i"),
    "nodes": Entry("s", "-", "node numbers in the mesh, counted from 0", "i"),
    "Phi": Entry("sn3", "1", "displacement per unit coordinate"),
    "G": Entry("sc3", "1/m", "second derivatives, pairs (k, l <= k) row by row of the lower triangle", "s"),
    "stress": Entry("sn6", "Pa/m", "stress xx, yy, zz, xy, yz, zx per unit coordinate"),
    "mesh_error": Entry("s", "1", "estimated error of the strain energy near a node by its mean density", "s"),
}
MAY_LACK_SURFACE = ("G", "stress", "mesh_error")

LOAD_SHAPE = {
    "F0": Entry("3", "N", "force on the undeformed body, per unit of the value"),
    "F1": Entry("n3", "N/m", "its derivatives by the coordinates"),
    "M0": Entry("3", "N*m", "moment about the origin of the body"),
    "M1": Entry("n3", "N", "its derivatives by the coordinates"),
    "Q0": Entry("n", "N", "forces on the coordinates"),
    "Q1": Entry("nn", "N/m", "their derivatives by the coordinates, a row for each force"),
    "M2": Entry("nn3", "N/m", "second derivatives of the moment"),
    "stress": Entry("s6", "Pa", "stress xx, yy, zz, xy, yz, zx of the surface of a body that cannot move"),
}
MAY_LACK_LOAD = ("Q1", "M2", "stress")
LOAD_UNITS = {"pressure": "Pa", "temperature": "K", "temperature gradient": "K/m", "force": "N"}

LEFT_OUT = Entry("ww", "m/N", "motion of the interfaces per force and moment on them that the shapes leave out")
STIFFNESS = Entry("nn", "N/m", "stiffness of the elastic coordinates")
DAMPING = Entry("nn", "N*s/m", "damping of the elastic coordinates")
FREQUENCY = Entry("n", "Hz", "frequency of the coordinate alone in mean axes")

SID: dict[str, tuple[str, str]] = {
    "mdCM": ("kg*m", "mass times position of the centre of mass"),
    "J": ("kg*m^2", "moment of inertia about the body origin"),
    "Ct": ("kg", "coupling of translation and modes"),
    "Cr": ("kg*m", "coupling of rotation and modes"),
    "Me": ("kg", "modal mass"),
    "Gr": ("kg*m", "gyroscopic, rotation"),
    "Ge": ("kg", "gyroscopic, modes"),
    "Oe": ("kg*m", "centrifugal, modes"),
    "ksigma": ("N", "forces of the stresses in the undeformed body"),
    "K0t": ("kg/m", "geometric stiffness of unit accelerations"),
    "K0r": ("kg", "geometric stiffness of unit angular accelerations"),
    "K0omega": ("kg", "geometric stiffness of unit products of angular velocities"),
    "Ke": (STIFFNESS.unit, STIFFNESS.text),
    "De": (DAMPING.unit, DAMPING.text),
}
"""Unit of M0 and meaning; M1 is per metre."""


def per_metre(unit: str) -> str:
    """Unit of a derivative by an elastic coordinate [m]."""
    return {
        "kg*m^2": "kg*m",
        "kg*m": "kg",
        "kg": "kg/m",
        "kg/m": "kg/m^2",
    }.get(unit, f"{unit}/m")
