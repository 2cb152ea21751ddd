"""Nodes by set and by place."""

import numpy as np
import pytest

from flexmb.errors import InputError
from flexmb.mesh.select import select_nodes
from flexmb.verification.solid_meshes import box_mesh, rod_mesh


@pytest.fixture(scope="module")
def box():
    return box_mesh("hex8", (4, 2, 2), (0.4, 0.2, 0.2))


def test_set_by_name_and_union(box):
    assert np.array_equal(select_nodes(box, "xmin"), box.node_sets["xmin"])
    both = select_nodes(box, " xmin +xmax")
    assert np.array_equal(both, np.union1d(box.node_sets["xmin"], box.node_sets["xmax"]))


def test_a_set_whose_name_looks_like_an_expression():
    mesh = box_mesh("hex8", (1, 1, 1))
    mesh.node_sets["a+b(2)"] = np.array([3])
    assert select_nodes(mesh, "a+b(2)").tolist() == [3]


@pytest.mark.parametrize(
    "text",
    ["plane(x=0.4)", "plane(x = 40 cm)", "plane(0.4,0,0, 2,0,0)", "plane(400 mm,7,8, -1,0,0)", "box(.4,0,0,.4,0.2,1)"],
)
def test_the_end_plane_by_place(box, text):
    assert np.array_equal(select_nodes(box, text), box.node_sets["xmax"])


def test_box_corners_in_any_order_and_tolerance(box):
    assert len(select_nodes(box, "box(0.1,0.1,0.1, 0,0,0)")) == 2**3
    assert len(select_nodes(box, "box(0,0,0, 0.19,0,0, tolerance=0.011)")) == 3
    assert len(select_nodes(box, "plane(x=0.09, tolerance=1.1 cm)")) == 9


def test_cylinder_is_the_skin_of_a_rod():
    mesh = rod_mesh("tet10", 0.3, 0.003, 6, 4)
    skin = select_nodes(mesh, "cylinder(0,0,0, 1,0,0, 3 mm)")
    assert np.array_equal(skin, mesh.node_sets["skin"])
    part = select_nodes(mesh, "cylinder(0.1,0,0, 1,0,0, 3 mm, 0.1)")
    x = mesh.points[skin, 0]
    assert np.array_equal(part, skin[(x > 0.0999) & (x < 0.2001)])
    # A plane through the axis holds the nodes of the axis.
    assert np.isin(mesh.node_sets["axis"], select_nodes(mesh, "plane(0,0,0, 0,1,0)")).all()


def test_sphere_and_nearest(box):
    around = select_nodes(box, "sphere(0.2,0.1,0.1, 0.1)")
    assert np.linalg.norm(box.points[around] - [0.2, 0.1, 0.1], axis=1) == pytest.approx(0.1)
    assert len(around) == 6
    (node,) = select_nodes(box, "nearest(0.41, 0.21, 0.3)")
    assert box.points[node] == pytest.approx([0.4, 0.2, 0.2])
    assert np.array_equal(
        select_nodes(box, "nearest(0.2,0.1,0.1, 7)"), np.union1d(around, select_nodes(box, "nearest(0.2,0.1,0.1)"))
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("xmni", ["there is no set 'xmni'", "Did you mean 'xmin'", "Sets: xmin, xmax"]),
        ("XMAX", ["Did you mean 'xmax'"]),
        ("", ["missing"]),
        ("xmin + ", ["missing"]),
        ("spher(0,0,0,1)", ["there is no region 'spher'", "sphere(px,py,pz, radius)"]),
        ("box(0,0,0,1,1)", ["has 5 numbers", "box(x0,y0,z0, x1,y1,z1)"]),
        ("plane(w=1)", ["'w' is not valid", "x, y, z, tolerance"]),
        (
            "cylinder(x=300,y=0,r=12)",
            ["'x', 'y', 'r' are not valid", "cylinder(px,py,pz, ax,ay,az, radius)", "tolerance"],
        ),
        ("plane(x=1 parsec)", ["'parsec' is not a unit", "mm"]),
        ("plane(x=one)", ["'x=one' is not a number"]),
        ("plane(x=7)", ["selects no node", "spans x 0 .. 0.4", "metres"]),
        ("cylinder(0,0,0, 0,0,0, 1)", ["(0, 0, 0) is not a direction"]),
        ("cylinder(0,0,0, 1,0,0, -1)", ["radius", "greater than zero"]),
        ("nearest(0,0,0, 1.5)", ["whole number from 1 to 45"]),
        ("nearest(0,0,0, 2 mm)", ["A count has no unit"]),
        ("plane(x=0, tolerance=-1)", ["negative"]),
        ("box(0,0,0,1,1,1", ["'box(0,0,0,1,1,1': the bracket is not closed", "box(x0,y0,z0, x1,y1,z1)"]),
        ("bxo(0,0,0,1,1,1", ["there is no set"]),
    ],
)
def test_what_cannot_be_selected_is_told(box, text, words):
    with pytest.raises(InputError) as caught:
        select_nodes(box, text)
    for word in words:
        assert word in str(caught.value)


def test_all_faults_of_a_union_at_once(box):
    with pytest.raises(InputError) as caught:
        select_nodes(box, "nothing + plane(x=9) + xmin + box(1,2)")
    assert len(caught.value.faults) == 3


def test_an_empty_set_is_refused():
    mesh = box_mesh("hex8", (1, 1, 1))
    mesh.node_sets["bore"] = np.zeros(0, dtype=np.int64)
    with pytest.raises(InputError, match="the set 'bore' is empty.*Sets: xmin"):
        select_nodes(mesh, "bore")
