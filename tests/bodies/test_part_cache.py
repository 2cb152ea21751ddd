"""Bodies of parts in the cache: found again by content, made again when anything that decides them changes.

Covers: bodies.part.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from flexmb.bodies import part_cache
from flexmb.bodies.body_file import fingerprint, read_body
from flexmb.bodies.part import Part
from flexmb.bodies.part_cache import OpenPart, open_part
from flexmb.elements.material import MATERIALS
from flexmb.errors import CacheWarning, Fault
from flexmb.machine_code.code_cache import CodeFolder
from flexmb.reduction.request import ReductionRequest, TieRequest
from tests.support.bar_deck import write_bar


@pytest.fixture
def part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Part:
    """A bar of bricks, whose nodes are in a file of their own, and an empty cache."""
    (tmp_path / "cache").mkdir()
    monkeypatch.setattr(part_cache, "_folder", lambda: tmp_path / "cache")
    mesh = write_bar(tmp_path / "bar.inp", nodes_in="nodes.inp")
    ends = (TieRequest("root", "root"), TieRequest("tip", "tip"))
    return Part(mesh, ReductionRequest(interfaces=ends, modes=2, field=""), {"": MATERIALS["steel"]}, "m")


def opened(part: Part) -> OpenPart:
    faults: list[Fault] = []
    found = open_part(part, read_body, faults)
    assert not faults and found is not None
    return found


def made(part: Part) -> OpenPart:
    first = opened(part)
    assert first.body is None
    first.make()
    second = opened(part)
    assert second.body is not None and second.mesh is None and second.path == first.path
    return second


def test_a_body_is_found_again(part: Part, tmp_path: Path) -> None:
    body = made(part).body
    assert body is not None and body.n_modes == 8 and [marker.name for marker in body.markers] == ["root", "tip"]
    assert body.order == "full", "solids have the quadratic field unless another one is given"
    elsewhere = tmp_path / "moved"
    elsewhere.mkdir()
    write_bar(elsewhere / "bar.inp", nodes_in="nodes.inp")
    assert opened(replace(part, mesh=elsewhere / "bar.inp")).body is not None
    assert opened(replace(part, request=replace(part.request, damping={"ratio": 0.01}))).body is not None


@pytest.mark.parametrize(
    "changed",
    [
        {"materials": {"": MATERIALS["aluminium"]}},
        {"unit": "mm"},
        {"request": {"modes": 3}},
        {"request": {"field": "linear"}},
        {"request": {"frame": "chord"}},
        {"request": {"stress": True}},
        {"request": {"interfaces": (TieRequest("root", "root"), TieRequest("tip", "tip", "rbe3"))}},
    ],
    ids=str,
)
def test_another_request_is_another_body(part: Part, changed: dict[str, Any]) -> None:
    first = made(part)
    request = replace(part.request, **changed.get("request", {}))
    other = replace(part, **{**changed, "request": request})
    assert opened(other).body is None and opened(other).path != first.path


def test_changed_files_and_other_sources_are_noticed(part: Part, monkeypatch: pytest.MonkeyPatch) -> None:
    first = made(part)
    nodes = part.mesh.with_name("nodes.inp")
    text = nodes.read_text()
    write_bar(part.mesh, nodes_in="nodes.inp", width=0.02)
    assert opened(part).path == first.path and opened(part).body is None, "a file that the mesh includes has changed"
    nodes.write_text(text)
    assert opened(part).body is not None
    part.mesh.write_text(part.mesh.read_text() + "** a comment\n")
    assert opened(part).path != first.path
    monkeypatch.setattr(part_cache, "_source_hash", lambda: "another flexmb")
    assert opened(part).path != first.path


@pytest.mark.parametrize("damage", [b"", b"not HDF5", None], ids=["empty", "foreign", "cut off"])
def test_a_damaged_body_is_made_again(part: Part, damage: bytes | None) -> None:
    first = made(part)
    assert first.body is not None
    content = first.path.read_bytes()
    first.path.write_bytes(content[: len(content) // 2] if damage is None else damage)
    with pytest.warns(CacheWarning, match="is damaged; it is made again"):
        again = opened(part)
    assert again.body is None and not first.path.exists()
    again.make()
    second = opened(part).body
    assert second is not None and fingerprint(second) == fingerprint(first.body)


def test_faults_are_collected(part: Part) -> None:
    faults: list[Fault] = []
    assert open_part(replace(part, mesh=part.mesh.with_name("rod.inp")), read_body, faults) is None
    assert "no such file" in faults[0].text
    faults.clear()
    wrong = replace(part.request, interfaces=(TieRequest("root", "rot"),), frame="chord", modes=-1)
    open_part(replace(part, request=wrong, materials={"web": MATERIALS["steel"]}), read_body, faults)
    assert {fault.path[0] for fault in faults} == {"interfaces", "frame", "modes", "materials"}


def test_without_a_cache_bodies_last_as_long_as_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(part_cache, "code_folder", lambda *_: CodeFolder(None, "of a test"))
    with pytest.warns(CacheWarning, match="not kept, because of a test"):
        folder = part_cache._folder()
    assert folder.is_dir() and (not hasattr(os, "geteuid") or folder.stat().st_mode & 0o077 == 0)
    assert part_cache._folder() == folder
