"""One case: a folder with valid files of which one is damaged, and the words that are typed there."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from random import Random

from tests.campaigns.fuzzing.byte_mutations import damage, misplace
from tests.campaigns.fuzzing.commands import SHARES, Command, make_command
from tests.campaigns.fuzzing.corpus import Corpus
from tests.campaigns.fuzzing.hdf5_mutations import damage_hdf5
from tests.campaigns.fuzzing.table_mutations import damage_model
from tests.campaigns.fuzzing.text_mutations import damage_text
from tests.campaigns.fuzzing.values import any_number, any_text

_KEYS = ("analysis.end", "analysis.step", "length", "bodies.rod.mass", "x", "model", "joints", "a.b.c")
_TEXT = (".toml", ".vtu", ".inp", ".bdf", ".xdmf", ".mtx", ".obj", ".off", ".vtk")


@dataclass(frozen=True)
class Case:
    """A call and where it is made."""

    number: int
    verb: str
    command: Command
    damaged: str
    """What was done to which file"""


def make_case(corpus: Corpus, seed: int, number: int, folder: Path, verbs: tuple[str, ...]) -> Case:
    """Write the files of a case to an empty folder; seed and number determine everything."""
    random = Random(f"{seed}:{number}")
    verb = random.choices(verbs, [SHARES[verb] for verb in verbs])[0]
    command = make_command(verb, corpus, random)
    for name in command.inputs:
        (folder / name).write_bytes(corpus.contents[name])
    if verb in ("run", "check", "animate"):
        for name in corpus.kinds["drawing"]:
            (folder / name).write_bytes(corpus.contents[name])
    target = command.inputs[0] if random.random() < 0.85 else random.choice(command.inputs)
    if target.endswith("bar.vtk") and len(command.inputs) > 1:
        target = command.inputs[0]
    damaged = f"{_damage_file(folder / target, tuple(command.inputs), random)} {target}"
    if random.random() < 0.12:
        command = Command(_other_words(command.words, random), command.inputs, command.outputs)
        damaged += ", words"
    return Case(number, verb, command, damaged)


def _damage_file(path: Path, others: tuple[str, ...], random: Random) -> str:
    kind = random.random()
    if kind < 0.04:
        return misplace(path, others, random)
    if kind < 0.08:
        return "whole"
    if path.suffix == ".h5" and kind < 0.7:
        damage_hdf5(path, random)
        return "objects of"
    data = path.read_bytes()
    if path.suffix == ".toml" and kind < 0.65:
        text = damage_model(data.decode(), random)
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
        return "tables of"
    if (path.suffix in _TEXT or path.name.endswith("_text.msh")) and kind < 0.9:
        text = damage_text(data.decode("utf-8", "surrogateescape"), random)
        path.write_bytes(text.encode("utf-8", "surrogatepass") if path.suffix == ".toml" else _encoded(text))
        return "text of"
    path.write_bytes(damage(data, random))
    return "bytes of"


def _encoded(text: str) -> bytes:
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")


def _other_words(words: tuple[str, ...], random: Random) -> tuple[str, ...]:
    """An option's value replaced, a word lost, doubled or added."""
    new = random.choice((any_text(random).replace("\0", "")[:3000], str(any_number(random))[:500], "caf\udce9.h5"))
    changed = list(words)
    at = random.randrange(1, len(words))
    kind = random.random()
    if kind < 0.4:
        changed[at] = new
    elif kind < 0.5:
        del changed[at]
    elif kind < 0.6:
        changed.insert(at, words[at])
    elif kind < 0.9 and words[0] in ("run", "check", "inverse", "modes", "equations"):
        key = random.choice(
            ("analysis.end", "analysis.step", "length", "bodies.rod.mass", "x", "model", "joints", "a.b.c")
        )
        changed += ["--set", f"{key}={new}"]
    else:
        changed.append(random.choice((new, "--nothing", "--set", "-o", "--help", "--version")))
    return tuple(changed)
