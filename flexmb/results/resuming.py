"""Check whether a run may continue a result: only when it gives the numbers of an uninterrupted run."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flexmb.errors import Fault, InputError
from flexmb.results.result_file import Result
from flexmb.results.run_identity import RunIdentity
from flexmb.results.versions import flexmb_version

if TYPE_CHECKING:
    from flexmb.results.result_layout import ChannelLike

_SHOWN_DIFFERENCES = 8


def open_for_resuming(path: Path, identity: RunIdentity, channels: Sequence[ChannelLike] | None = None) -> Result:
    """The result to continue; raises InputError with the reason against it. `channels` are compared when given."""
    if not path.exists():
        raise InputError(f"Nothing to resume: '{path}' does not exist. Run without --resume.")
    earlier = Result(path)
    try:
        faults = list(_obstacles(earlier, identity, channels))
        if faults:
            raise InputError(faults)
    except BaseException:
        earlier.close()
        raise
    return earlier


def _obstacles(earlier: Result, identity: RunIdentity, channels: Sequence[ChannelLike] | None) -> Iterator[Fault]:
    where = f"Cannot resume '{earlier.path}':"
    if earlier.n_blocks == 0:
        yield Fault(f"{where} it has no complete block.", hint="Run without --resume.")
        return
    if earlier.outcome == "finished":
        yield Fault(f"{where} that run is finished (t = {earlier.time[-1]:.6g} s).", hint="Run without --resume.")
        return
    written_by = earlier.provenance.get("flexmb", "unknown")
    if written_by != flexmb_version():
        yield Fault(f"{where} it was written by flexmb {written_by}, this is {flexmb_version()}.")
        return
    now = json.loads(json.dumps(identity.settings))
    differences = list(setting_differences(earlier.settings, now))
    for text in differences[:_SHOWN_DIFFERENCES]:
        yield Fault(f"{where} {text}.")
    if len(differences) > _SHOWN_DIFFERENCES:
        yield Fault(f"... and {len(differences) - _SHOWN_DIFFERENCES} more differences.")
    if differences or channels is None:
        return
    if [channel.path for channel in channels] != list(earlier.channels):
        yield Fault(f"{where} its channels are not those of this model.")


def setting_differences(before: Any, now: Any, place: str = "") -> Iterator[str]:
    """Differences between two trees of JSON values: "analysis.step was 0.001, is now 0.002"."""
    if isinstance(before, Mapping) and isinstance(now, Mapping):
        for key in [*before, *(key for key in now if key not in before)]:
            inner = f"{place}.{key}" if place else str(key)
            if key not in now:
                yield f"{inner} was {_short(before[key])}, is now absent"
            elif key not in before:
                yield f"{inner} was absent, is now {_short(now[key])}"
            else:
                yield from setting_differences(before[key], now[key], inner)
    elif before != now:
        yield f"{place or 'the model'} was {_short(before)}, is now {_short(now)}"


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else text[:57] + "..."
