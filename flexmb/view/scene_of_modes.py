"""Modes of a whole mechanism as a scene: each one oscillates alone about the state, one chapter after the other.

Input: a linearised model (`ModalResult`) and the numbers of modes. Output: a `Scene` in which every joint is closed at
the shown size. The size of a mode is arbitrary: the largest displacement of a drawn point is a round number, about a
hundredth of the mechanism, times a scale that makes it about a tenth. The whole motion has that size (loops close only
for the computed size), not only the deflection of flexible bodies. Re(shape e^(i phase)) runs through one cycle in two
seconds, whatever the frequency; after a quarter of the cycle the shape is that of the table of modes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from flexmb.analyses.mode_motion import mode_rows, state_row
from flexmb.arrays import Floats
from flexmb.errors import ComputationError, Fault, InputError
from flexmb.model.schema.model_spec import ModelSpec
from flexmb.results.modal_result import ModalResult
from flexmb.solvers.mechanics import Mechanics
from flexmb.solvers.modal_analysis import Mode
from flexmb.suggestions import clipped
from flexmb.view.framing import framed
from flexmb.view.recorded_motion import ComputedMotion
from flexmb.view.scene import Part, Scene, rotations
from flexmb.view.scene_of_body import CYCLE, FRAMES
from flexmb.view.scene_of_result import drawn_parts, upwards

_VISIBLE = 0.1
"""Largest shown displacement, as a part of the size of the mechanism."""
_MOST_TURN = 0.5
"""Largest rotation of a body or of a marker on it [rad], unless a scale is given."""
_TRIAL = 1e-3
"""Size of the trial motion for displacements per size, small enough to be linear."""
_HALVINGS = 8
_LISTED = 6
"""Most modes listed in a message."""


@dataclass(frozen=True)
class _Swing:
    """A mode in its shown size."""

    number: int
    """Number from 1, as in the table of modes"""
    mode: Mode
    rows: Floats
    """(frames, n_out)"""
    note: str


def scene_of_modes(
    modal: ModalResult,
    spec: ModelSpec,
    modes: Sequence[int | str] = (),
    *,
    frames: int = FRAMES,
    scale: float | None = None,
) -> Scene:
    """The chosen modes of a model (default: all that oscillate), each over one cycle.

    modes : numbers from 1 as in the table of `flexmb modes`
    spec : of the model, for the geometry and colours of its bodies
    frames : number of frames of the cycle of every mode
    scale : of the largest displacement, see the notes of the scene; None: about a tenth of the mechanism
    """
    chosen = _chosen(modal, modes)
    sizes = _Sizes(modal, spec, [mode for _, mode in chosen])
    amplitude, visible = _round_size(sizes.extent)
    magnified = visible if scale is None else scale
    phases = 2.0 * np.pi * np.arange(frames) / frames - 0.5 * np.pi
    swings = []
    for place, (number, mode) in enumerate(chosen):
        size, note = sizes.of(place, amplitude * magnified, limited=scale is None)
        swings.append(_closed_swing(modal, number, mode, size, note, phases))
    rows = np.concatenate([*(swing.rows for swing in swings), swings[-1].rows[:1]])
    parts, error = drawn_parts(spec, modal.system.mechanism, _motion(modal, spec, rows))
    notes = list(_notes(modal, swings, amplitude, magnified))
    if error > 0.0:
        notes.append(f"The deflection is drawn to {1e3 * error:.2g} mm: these modes need more shapes than are stored.")
    scene = Scene(
        title=modal.system.name or "model",
        subtitle=f"modes about {modal.state}",
        time=np.linspace(0.0, CYCLE * len(swings), len(rows)),
        parts=tuple(replace(part, stress=None, stress_amplitudes=None) for part in parts),
        up=upwards(spec),
        chapters=tuple((CYCLE * k, _title(swing.number, swing.mode)) for k, swing in enumerate(swings)),
        period=CYCLE,
        notes=tuple(notes),
        magnified=magnified,
    )
    return replace(framed(scene), scale=1.0)


def _chosen(modal: ModalResult, words: Sequence[int | str]) -> list[tuple[int, Mode]]:
    """Numbers and modes, without repetition."""
    shown, name = modal.shown, modal.system.name or "unnamed"
    if not shown:
        hint = "Its motion meets no stiffness or damping. " if modal.modes else "It has no degrees of freedom. "
        text = f"The model '{name}' has no modes: nothing can oscillate or decay."
        raise InputError([Fault(text, hint=f"{hint}See 'flexmb modes' for details.")])
    if not words:
        found = [(number, mode) for number, mode in enumerate(shown, start=1) if mode.frequency > 0.0]
        if not found:
            text = f"No mode of the model '{name}' oscillates."
            raise InputError([Fault(text, ("modes",), f"Choose one by its number: {_listed(shown)}.")])
        return found
    numbers = [_number(word) for word in words]
    unknown = [clipped(word) for word, number in zip(words, numbers, strict=True) if not 1 <= number <= len(shown)]
    if unknown:
        text = f"the model '{name}' has no mode {', '.join(unknown)}."
        hint = f"It has {len(shown)}, numbered as in 'flexmb modes': {_listed(shown)}."
        raise InputError([Fault(text, ("modes",), hint)])
    return [(number, shown[number - 1]) for number in dict.fromkeys(numbers)]


def _number(word: int | str) -> int:
    text = str(word).strip()
    return int(text) if re.fullmatch(r"[0-9]{1,9}", text) else 0


def _listed(modes: Sequence[Mode]) -> str:
    """ "1 is arm.angle, 0.5 Hz, undamped; ..." """
    words = [f"{number} is {_words(mode)}" for number, mode in enumerate(modes[:_LISTED], start=1)]
    return "; ".join([*words, f"and {len(modes) - _LISTED} more"] if len(modes) > _LISTED else words)


class _Sizes:
    """Drawn sizes of modes, from the displacements of a small motion."""

    def __init__(self, modal: ModalResult, spec: ModelSpec, modes: Sequence[Mode]):
        rows = [state_row(modal)]
        for mode in modes:
            found = mode_rows(modal, mode, _TRIAL, np.linspace(0.0, 0.75 * np.pi, 4))
            if found is None:
                raise ComputationError(
                    "The loops of the model do not close near this state: its modes cannot be shown."
                )
            rows.append(found)
        motion = _motion(modal, spec, np.concatenate(rows))
        bodies = [
            part
            for part in drawn_parts(spec, modal.system.mechanism, motion)[0]
            if part.kind in ("flexible", "rigid") and len(part.points)
        ]
        if not bodies:
            raise InputError([Fault("No body of the model has a geometry that can be drawn.")])
        moves = np.max([_displacements(part) for part in bodies], axis=0)
        markers = [motion.marker_path(number).R for number in range(len(modal.system.mechanism.markers))]
        turns = np.max([_turns(R) for R in [*markers, *(rotations(part.quaternion) for part in bodies)]], axis=0)
        self._moves = moves[1:].reshape(-1, 4).max(axis=1) / _TRIAL
        self._turns = turns[1:].reshape(-1, 4).max(axis=1) / _TRIAL
        at_rest = np.concatenate([part.positions(0) for part in bodies])
        self.extent = float(np.linalg.norm(at_rest.max(axis=0) - at_rest.min(axis=0))) or 1.0
        """Diagonal of the box around all bodies at rest [m]"""

    def of(self, place: int, displacement: float, limited: bool) -> tuple[float, str]:
        """Size of a mode with this largest displacement [m], limited by the rotation of bodies; and a note"""
        by_move = displacement / max(self._moves[place], 1e-300)
        by_turn = _MOST_TURN / max(self._turns[place], 1e-300)
        if limited and by_turn < by_move:
            return by_turn, f"shown smaller, so that nothing turns by more than {np.degrees(_MOST_TURN):.0f} degrees"
        return by_move, ""


def _turns(R: Floats) -> Floats:
    """(f,) angle from the first of the rotations (f, 3, 3) [rad], small"""
    return np.linalg.norm(R - R[0], axis=(1, 2)) / np.sqrt(2.0)


def _displacements(part: Part) -> Floats:
    """(f,) largest displacement of a point of a part from the first frame [m]"""
    first = part.positions(0)
    return np.array([np.linalg.norm(part.positions(f) - first, axis=1).max() for f in range(len(part.position))])


def _round_size(extent: float) -> tuple[float, float]:
    """Largest displacement of every mode [m], a power of ten, and the scale (10 to 100) that makes it visible."""
    wanted = _VISIBLE * extent
    amplitude = 10.0 ** (np.floor(np.log10(wanted)) - 1.0)
    return float(amplitude), float(f"{wanted / amplitude:.1g}")


def _closed_swing(modal: ModalResult, number: int, mode: Mode, size: float, note: str, phases: Floats) -> _Swing:
    """The mode at this size, or at a half, a quarter, ... of it if its loops do not close there."""
    for halvings in range(_HALVINGS):
        rows = mode_rows(modal, mode, size / 2**halvings, phases)
        if rows is not None:
            if halvings:
                note = f"shown at 1/{2**halvings} of that size, because loops do not close at a larger one"
            return _Swing(number, mode, rows, note)
    raise ComputationError(
        f"The loops of the model do not close in mode {number}, even at 1/{2 ** (_HALVINGS - 1)} of the visible "
        "size: the state is close to a singular position. Choose another state, or a smaller --scale."
    )


def _motion(modal: ModalResult, spec: ModelSpec, rows: Floats) -> ComputedMotion:
    system = modal.system
    time = Mechanics(system, modal.linear.work).t
    return ComputedMotion(system.mechanism, system.channels, rows, time, spec.base)


def _title(number: int, mode: Mode) -> str:
    """ "3: crank.angle, 12.5 Hz, damping ratio 0.02" """
    return f"{number}: {_words(mode)}"


def _words(mode: Mode) -> str:
    rate, ratio = mode.eigenvalue.real, mode.damping_ratio
    if mode.frequency > 0.0:
        damping = f"damping ratio {ratio:.3g}" if abs(ratio) > 1e-6 else "undamped"
        return f"{mode.coordinate}, {mode.frequency:.4g} Hz, {damping}"
    return f"{mode.coordinate}, {'grows' if rate > 0.0 else 'decays'} by {abs(rate):.4g} 1/s"


def _notes(modal: ModalResult, swings: Sequence[_Swing], amplitude: float, magnified: float) -> Iterator[str]:
    yield (
        f"Every mode is shown with a largest displacement of {1e3 * amplitude:.3g} mm, times a scale of "
        f"{magnified:g}; a cycle takes {CYCLE:g} s, whatever the frequency."
    )
    for note in dict.fromkeys(swing.note for swing in swings if swing.note):
        numbers = [str(swing.number) for swing in swings if swing.note == note]
        yield f"Mode{'s' if len(numbers) > 1 else ''} {', '.join(numbers)}: {note}."
    if any(swing.mode.frequency == 0.0 for swing in swings):
        yield "Modes that do not oscillate are shown moving both ways; in reality they decay or grow to one side."
    if any(swing.mode.eigenvalue.real > 1e-6 * abs(swing.mode.eigenvalue) for swing in swings):
        yield "Unstable modes are shown with a constant size."
    if np.any(np.abs(Mechanics(modal.system, modal.linear.work).v) > 1e-9):
        yield "The mechanism moves in this state; the modes are shown without that motion."
    yield from (f"{note[0].upper()}{note[1:]}" for note in modal.linear.notes)
