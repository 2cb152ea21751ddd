"""Warnings are data: they survive JSON and the way to another process."""

from __future__ import annotations

import json
import pickle

from flexmb.warning import WarningRecord


def test_a_warning_survives_json_and_pickle() -> None:
    found = WarningRecord("large-turn", "Body 'rotor' turns by 0.8 rad in a step.", "bodies.rotor", 0.25, 0.8, "rad")
    assert WarningRecord(**json.loads(json.dumps(found.as_dict()))) == found
    assert pickle.loads(pickle.dumps(found)) == found
