"""Texts with tokens deleted, repeated, swapped or replaced: read, verified and printed, or refused.

Each mutant must be done with in five seconds of CPU time, and be accepted or refused with a message of
ours: a traceback, and a message that is one of Python's own (``list index out of range``), are findings.
Mutants are made of the texts in ``test`` and, where ``$LAMINA_UPSTREAM_TESTS`` is set, of upstream's
chunks::

    python test/conformance/fuzz.py --count 20000 --seed 1
    python test/conformance/fuzz.py --seed 1 --only 1234   # one mutant again, with its text
"""

from __future__ import annotations

import argparse
import collections
import random
import re
import signal
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from chunks import chunks, upstream_tests

SECONDS = 5
LONGEST = 6000
"""Texts with more characters are left out: most of a long text is never reached after a mistake."""

_PIECES = (
    r'"(?:[^"\\\n]|\\.)*"|[%#@^!][\w$.\-]+|//[^\n]*|'
    r"\d+x[\w?]*|\d[\w.]*(?:[-+]\d+)?|[A-Za-z_][\w$.]*|->|::|\s+|."
)
_FINE = re.compile(_PIECES, re.DOTALL)
_COARSE = re.compile(r"\w+<[^<>]*>|\[[^\[\]]*\]|\([^()]*\)|" + _PIECES, re.DOTALL)
"""Types without others in them, and lists, are one token."""
_SEPARATOR = re.compile(r"^// -----.*\n", re.MULTILINE)
_INTERNAL = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    NameError,
    NotImplementedError,
    RecursionError,
    StopIteration,
    TypeError,
    UnicodeError,
)
"""Exceptions that no message for a user comes from."""
_PYTHONS_WORDS = re.compile(
    r"object has no attribute|(?:list|tuple|string) index out of range|'NoneType'|"
    r"values to unpack|argument [12] is|Traceback|"
    r"invalid literal for|could not convert string|object is not|not in list|unsupported operand|"
    r"zip\(\)|max\(\)|min\(\)|positional argument|<class |\bxdsl\.|unhashable"
)


class TooLong(BaseException):
    """A mutant took more than its time (no ``except Exception`` of the code under test stops it)."""


@dataclass(frozen=True)
class Finding:
    """A mutant that was neither accepted nor refused as it should be; ``where`` is the line that raised."""

    text: str
    what: str
    where: str


def seeds(root: Path) -> list[str]:
    """The texts that mutants are made of: this project's, and upstream's where there are any."""
    texts = [
        part
        for path in sorted(root.rglob("*.mlir"))
        for part in _SEPARATOR.split(path.read_text(errors="replace"))
    ]
    upstream = upstream_tests()
    if upstream is not None:
        texts += [chunk.text for chunk in chunks(upstream) if not chunk.expected_errors]
    return [text for text in (without_comments(text) for text in texts) if 10 < len(text) < LONGEST]


def without_comments(text: str) -> str:
    """The text without the lines that are comments."""
    return "".join(
        line for line in text.splitlines(keepends=True) if not line.lstrip().startswith("//")
    ).strip()


def tokens_of(text: str, coarse: bool = False) -> list[str]:
    """The text in pieces; joined, they are the text again. ``coarse``: types and lists are one piece."""
    return (_COARSE if coarse else _FINE).findall(text)


def mutate(tokens: Sequence[str], others: Sequence[str], chance: random.Random) -> list[str]:
    """The tokens with one to three mistakes in them; ``others`` are tokens of another text."""
    found = list(tokens)
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        places = [place for place, token in enumerate(found) if not token.isspace()]
        if not places:
            break
        at, other = chance.choice(places), chance.choice(places)
        match chance.randrange(10):
            case 0:
                del found[at]
            case 1:
                found.insert(at, found[at])
            case 2:
                found[at], found[other] = found[other], found[at]
            case 3:
                found[at] = chance.choice(others)
            case 4 if chance.random() < 0.2:
                del found[at:]
            case 4:
                del found[at : at + chance.randrange(1, 8)]
            case 5 | 6:
                found[at] = _similar(found[at], others, chance)
            case _:
                found[at] = _similar(found[at], tokens, chance)
    return found


def _similar(token: str, others: Sequence[str], chance: random.Random) -> str:
    """A token of the same kind (a value for a value, a number for a number)."""
    alike = [other for other in others if _kind(other) == _kind(token)]
    return chance.choice(alike) if alike else token


def _kind(token: str) -> str:
    if token[0].isdigit():
        return "shape" if "x" in token else "number"
    return "type" if token.endswith(">") else "word" if token[0].isalpha() else token[0]


def mutant(texts: Sequence[str], seed: int, number: int) -> str:
    """The mutant with this number: the same one each time for the same texts."""
    chance = random.Random(f"{seed}:{number}")
    text, other = chance.choice(texts), chance.choice(texts)
    if chance.random() < 0.4:
        text, other = generic(text), generic(other)
    coarse = chance.random() < 0.5
    return "".join(mutate(tokens_of(text, coarse), tokens_of(other, coarse), chance))


def generic(text: str) -> str:
    """The text in the form without syntax of its own, whose mutants get further; itself if not valid."""
    from lamina.dialects.core.diagnostics import LaminaError
    from lamina.dialects.core.text import parse
    from lamina.dialects.core.writing.writer import Options, write_text

    try:
        return write_text(parse(text, allow_unregistered=True), Options(generic=True))
    except LaminaError:
        return text


def process(text: str) -> None:
    """Read, verify and print a text in both forms. Raises LaminaError for what is wrong in it."""
    from lamina.dialects.core.text import parse
    from lamina.dialects.core.verifier import verify
    from lamina.dialects.core.writing.writer import Options, write_text

    module = parse(text, "mutant.mlir", allow_unregistered=True)
    verify(module)
    write_text(module)
    write_text(module, Options(generic=True))


def attempt(text: str, run: Callable[[str], None] = process, seconds: float = SECONDS) -> Finding | None:
    """What is wrong with how a mutant is dealt with, or None."""
    from lamina.dialects.core.diagnostics import LaminaError

    before = signal.signal(signal.SIGPROF, _interrupt)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        run(text)
    except LaminaError as problem:
        cause = problem.__cause__
        while cause is not None and cause.__cause__ is not None:
            cause = cause.__cause__
        message = "; ".join(item.message for item in problem.diagnostics)
        if isinstance(cause, _INTERNAL) and not isinstance(cause, LaminaError):
            return Finding(text, f"{type(cause).__name__}: {message}", _place(cause))
        if _PYTHONS_WORDS.search(message):
            return Finding(text, f"message: {message}", _place(cause or problem))
    except TooLong as problem:
        return Finding(text, f"more than {seconds} s", _place(problem))
    except Exception as problem:
        return Finding(text, f"{type(problem).__name__}: {problem}", _place(problem))
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
    return None


def _interrupt(*_: Any) -> None:
    raise TooLong


def _place(problem: BaseException) -> str:
    """The lines that raised, innermost last."""
    frames = [f for f in traceback.extract_tb(problem.__traceback__) if f.name != "_interrupt"][-3:]
    return " < ".join(f"{Path(f.filename).name}:{f.lineno} {f.name}" for f in reversed(frames))


def main(arguments: Sequence[str] | None = None) -> int:
    """Try mutants and print the findings, one of each kind with its text; status 1 where there are any."""
    parser = argparse.ArgumentParser(
        description="Read, verify and print texts with mistakes in their tokens."
    )
    parser.add_argument("--count", type=int, default=2000, help="so many mutants (default 2000)")
    parser.add_argument("--start", type=int, default=0, help="the number of the first one")
    parser.add_argument("--seed", type=int, default=0, help="other mutants for another seed")
    parser.add_argument("--only", type=int, help="only the mutant with this number, with its text")
    parser.add_argument("--texts", type=Path, default=Path(__file__).resolve().parents[1], help="a folder")
    options = parser.parse_args(arguments)
    texts = seeds(options.texts)
    if options.only is not None:
        text = mutant(texts, options.seed, options.only)
        print(text, attempt(text), sep="\n")
        return 0
    kinds: collections.Counter[str] = collections.Counter()
    slowest, slowest_number = 0.0, 0
    for number in range(options.start, options.start + options.count):
        began = time.process_time()
        text = mutant(texts, options.seed, number)
        found = attempt(text)
        took = time.process_time() - began
        if took > slowest:
            slowest, slowest_number = took, number
        if found is not None:
            kinds[found.where] += 1
            if kinds[found.where] == 1:
                print(f"--- mutant {number}: {found.what}\n    at {found.where}\n{text}\n", flush=True)
    for kind, count in kinds.most_common():
        print(f"{count:6} {kind}")
    print(
        f"{options.count} mutants of {len(texts)} texts, {kinds.total()} findings of {len(kinds)} kinds; "
        f"the slowest (number {slowest_number}) took {slowest:.1f} s"
    )
    return 1 if kinds else 0


if __name__ == "__main__":
    sys.exit(main())
