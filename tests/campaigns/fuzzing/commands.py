"""What is typed: for every verb a call on valid files, with options drawn at random."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from tests.campaigns.fuzzing.corpus import TIED, Corpus
from tests.campaigns.fuzzing.models import INVERSE, SYMBOLIC

BODY_FILE = "bar.h5"
RESULT_CHANNELS = ("time", "energy/kinetic", "sensors/tip_height", "tip_height", "pivot", "nothing", "bodies", "")


@dataclass(frozen=True)
class Command:
    """One call of flexmb."""

    words: tuple[str, ...]
    inputs: tuple[str, ...]
    """Files that it reads; the first is damaged most often"""
    outputs: tuple[str, ...] = ()
    """Files or folders that it may write"""


def make_command(verb: str, corpus: Corpus, random: Random) -> Command:
    return _COMMANDS[verb](corpus, random)


def _some(random: Random, *options: tuple[str, ...]) -> tuple[str, ...]:
    """Each option with a chance of a fifth."""
    return tuple(word for option in options if random.random() < 0.2 for word in option)


def _model(corpus: Corpus, random: Random) -> tuple[str, ...]:
    """A model and the files it needs."""
    name = random.choice(corpus.kinds["model"])
    return (name, BODY_FILE) if name.startswith("with_file") else (name,)


def _result(corpus: Corpus, random: Random) -> tuple[str, ...]:
    name = random.choice(corpus.kinds["result"])
    return (name, BODY_FILE) if name.startswith("with_file") else (name,)


def _run(corpus: Corpus, random: Random) -> Command:
    inputs = _model(corpus, random)
    output = random.choice(("out.h5", "out.h5", ""))
    more = _some(random, ("--quiet",), ("--set", "analysis.method=rk4"))
    if random.random() < 0.15:  # continue a run: the result is the file that is damaged
        stem = random.choice(corpus.kinds["result"]).removesuffix("_run.h5")
        beside = (BODY_FILE,) if stem == "with_file" else ()
        words = ("run", f"{stem}.toml", "-o", f"{stem}_run.h5", "--resume")
        return Command(words, (f"{stem}_run.h5", f"{stem}.toml", *beside), (f"{stem}_run.h5",))
    default = inputs[0].replace(".toml", ".h5")
    words = ("run", inputs[0], *(("-o", output) if output else ()), *more)
    return Command(words, inputs, (output or default, "made.h5"))


def _check(corpus: Corpus, random: Random) -> Command:
    inputs = _model(corpus, random)
    return Command(("check", inputs[0], *_some(random, ("--graph",), ("--matrices",))), inputs)


def _inverse(corpus: Corpus, random: Random) -> Command:
    name = f"{random.choice(INVERSE)}.toml"
    options = (("--verify",), ("--elastic", "quasi-static"), ("--reactions", "recursive"), ("--csv", "out.csv"))
    more = _some(random, *options, ("--more-drives", "least-squares"))
    return Command(("inverse", name, "-o", "out.h5", *more), (name,), ("out.h5", "out.csv"))


def _modes(corpus: Corpus, random: Random) -> Command:
    inputs = _model(corpus, random)
    outputs = ("out.npz", "out.csv", "out.mat")
    about = ("--about", random.choice(("static", "steady")))
    more = _some(random, about, ("-o", random.choice(outputs)), ("--most", "3"), ("--over", "length=1:2:3"))
    if random.random() < 0.15:
        stem = random.choice(corpus.kinds["result"]).removesuffix("_run.h5")
        beside = (BODY_FILE,) if stem == "with_file" else ()
        words = ("modes", f"{stem}.toml", "--result", f"{stem}_run.h5", *_some(random, ("--time", "0.01")))
        return Command(words, (f"{stem}_run.h5", f"{stem}.toml", *beside))
    return Command(("modes", inputs[0], *more), inputs, outputs)


def _equations(corpus: Corpus, random: Random) -> Command:
    name = f"{random.choice(SYMBOLIC)}.toml"
    options = (("--latex", "out.tex"), ("-o", "out.txt"), ("--order", "1"), ("--steps",), ("--matrices",))
    more = _some(random, *options, ("--form", "state-space"), ("--symbols", "all"))
    if random.random() < 0.2:
        more = ("--code", random.choice(("c", "numpy", "fortran", "numba")), "-o", "out_code")
    return Command(("equations", name, *more), (name,), ("out.tex", "out.txt", "out_code"))


def _mesh_info(corpus: Corpus, random: Random) -> Command:
    name = random.choice(corpus.kinds["mesh"])
    return Command(("mesh", "info", name, *_some(random, ("--unit", "mm"))), (name,))


def _reduce(corpus: Corpus, random: Random) -> Command:
    kind = random.random()
    options = (("--modes", "1"), ("--stress",), ("--frame", "chord"), ("--damping", "0.01"), ("--field", "linear"))
    more = _some(random, *options, ("--below", "5000"), ("--method", "free"), ("--marker", "m=nearest(0,0,0)"))
    if kind < 0.3:
        ending = random.choice((".npz", ".mtx"))
        names = (f"K{ending}", f"M{ending}", "bar.vtk")
        words = ("reduce", "bar.vtk", "--unit", "m", "--stiffness", names[0], "--mass", names[1], "--no-compare")
        words += ("--interface", "a=plane(x=0)", "-o", "out.h5")
        return Command(words, names, ("out.h5",))
    if kind < 0.4:
        words = ("reduce", "bar.vtk", *TIED, "--vectors", "vectors.npy", "-o", "out.h5")
        return Command(words, ("vectors.npy", "bar.vtk"), ("out.h5",))
    name = random.choice(corpus.kinds["mesh"][:4])
    return Command(("reduce", name, *TIED, *more, "-o", "out.h5"), (name,), ("out.h5",))


def _body_info(corpus: Corpus, random: Random) -> Command:
    name = random.choice(corpus.kinds["body"])
    return Command(("body", "info", name), (name,))


def _export(corpus: Corpus, random: Random) -> Command:
    inputs = _result(corpus, random)
    formats = random.choice(("csv", "csv", "mat", "parquet", "vtkhdf", "vtu", "glb"))
    more: tuple[str, ...] = ()
    if formats in ("csv", "mat", "parquet"):
        more = _some(random, ("--channel", random.choice(RESULT_CHANNELS)), ("--channels",))
    ending = {"vtu": "pvd"}.get(formats, formats)
    words = ("export", inputs[0], f"--{formats}", f"out.{ending}", *more)
    return Command(words, inputs, (f"out.{ending}", "out_vtu"))


def _plot(corpus: Corpus, random: Random) -> Command:
    inputs = _result(corpus, random)
    output = random.choice(("out.png", "out.svg", "out.svg"))
    more = random.choice((("--channel", random.choice(RESULT_CHANNELS)), ("--picture", "sensors"), ("-p", "energy")))
    return Command(("plot", inputs[0], "-o", output, *more), inputs, (output,))


def _animate(corpus: Corpus, random: Random) -> Command:
    output = random.choice(("out.html", "out.html", "out.glb"))
    more = _some(
        random, ("--color", "stress"), ("--ghost",), ("--arrows",), ("--channel", random.choice(RESULT_CHANNELS))
    )
    kind = random.random()
    if kind < 0.6:
        inputs = _result(corpus, random)
    elif kind < 0.8:
        inputs, more = (random.choice(corpus.kinds["body"]),), _some(random, ("--mode", "1"), ("--field",))
    else:
        inputs, more = _model(corpus, random), _some(random, ("--mode", "1"), ("--about", "static"))
    return Command(("animate", inputs[0], "-o", output, "--frames", "3", *more), inputs, (output,))


def _report(corpus: Corpus, random: Random) -> Command:
    inputs = _result(corpus, random)
    return Command(("report", inputs[0], "-o", "out.html"), inputs, ("out.html",))


_COMMANDS: dict[str, Callable[[Corpus, Random], Command]] = {
    "run": _run,
    "check": _check,
    "inverse": _inverse,
    "modes": _modes,
    "equations": _equations,
    "mesh": _mesh_info,
    "reduce": _reduce,
    "body": _body_info,
    "export": _export,
    "plot": _plot,
    "animate": _animate,
    "report": _report,
}
SHARES = {
    "run": 22, "check": 22, "inverse": 6, "modes": 6, "equations": 4, "mesh": 16, "reduce": 5, "body": 9, "export": 7,
    "plot": 1, "animate": 3, "report": 1,
}  # fmt: skip
"""How often each verb is called: the slow ones less often"""
VERBS = tuple(SHARES)
