"""Writers of the flat arrays: integers and constants are appended, workspace is taken by length."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from flexmb.joints.table import JointType
from flexmb.layout import flat_arrays as L
from flexmb.layout.record import Counts
from flexmb.model.expressions.program import program_records, stack_depth


def joint_key(
    joint_type: JointType, parameters: int, places: tuple[int, int, int], markers: tuple[int, int], memory: int = -1
) -> list[int]:
    """Key by which kernels read a joint; `places` of its coordinates, rates and accelerations in W."""
    key = [0] * L.JOINT_KEY
    key[L.K_CODE], key[L.K_F], key[L.K_N] = int(joint_type.code), parameters, joint_type.n_v
    key[L.K_Q], key[L.K_V], key[L.K_A] = places
    key[L.K_FIRST], key[L.K_SECOND] = markers
    key[L.K_MEMORY] = memory
    return key


class Packer:
    """Collects the arrays I and F and counts the workspace W."""

    def __init__(self) -> None:
        self.ints: list[int] = [0] * L.HEADER
        self.floats: list[float] = [0.0]  # offset 0 means "none"
        self.n_work = 0
        self._functions: dict[tuple[int, tuple[tuple[str, int], ...]], int] = {}
        self._kept: list[Any] = []

    def put(self, values: Any) -> int:
        """Append constants; returns their offset in F."""
        offset = len(self.floats)
        self.floats.extend(np.asarray(values, dtype=float).ravel().tolist())
        return offset

    def put_ints(self, values: Iterable[int]) -> int:
        """Append integers; returns their offset in I."""
        offset = len(self.ints)
        self.ints.extend(int(x) for x in values)
        return offset

    def table(self, records: Sequence[Sequence[int]], stride: int) -> int:
        """Append equal records; returns the offset of the first."""
        for record in records:
            assert len(record) == stride
        return self.put_ints(x for record in records for x in record)

    def take(self, length: int) -> int:
        """Reserve workspace; returns its offset in W."""
        offset = self.n_work
        self.n_work += int(length)
        return offset

    def take_header(self, slots: Iterable[int], counts: Counts) -> None:
        """Reserve the workspace that these header entries point to, with the lengths that they declare."""
        for slot in slots:
            self.ints[slot] = self.take(L.HEADER_RECORD.target_length(slot, counts))

    def function(self, expression: Any, slots: dict[str, int]) -> int:
        """Append the program of an expression; returns its start in I."""
        key = (id(expression), tuple(sorted(slots.items())))
        if key not in self._functions:
            self._kept.append(expression)  # keeps the id alive
            stack = self.take(stack_depth(expression))
            ints, floats = program_records(
                expression,
                ints_base=len(self.ints),
                floats_base=len(self.floats),
                stack_offset=stack,
                channel_slots=slots,
            )
            self._functions[key] = self.put_ints(ints)
            self.floats.extend(floats)
        return self._functions[key]
