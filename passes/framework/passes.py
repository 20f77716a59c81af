"""The declaration of a pass: a name, an anchor, options, pre- and postconditions over one function.

A pass is a frozen dataclass whose fields are its options. From this one declaration come the registry,
the textual pipeline, ``--help``, and the reference pages.
"""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, ClassVar

from xdsl.context import Context
from xdsl.ir import Operation

from lamina.dialects.core.diagnostics import Diagnostic, location_of
from lamina.passes.framework.conditions import Condition

ANY_OP = "any"


def option(default: Any, help: str) -> Any:
    """A field of a pass: its default (the type follows from the annotation) and one line of help."""
    if isinstance(default, list):
        default = tuple(default)
    return field(default=default, metadata={"help": help})


@dataclass
class PassContext:
    """What a pass gets beside its operation: the dialects, its statistics, and a place for remarks."""

    context: Context
    statistics: Counter[str] = field(default_factory=Counter)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    """Warnings and remarks, in order; the caller renders them."""
    pass_name: str = ""

    def count(self, statistic: str, n: int = 1) -> None:
        """Add to one of the pass's statistics (shown by ``--mlir-pass-statistics``)."""
        self.statistics[statistic] += n

    def warn(self, message: str, at: Operation | None = None, hint: str | None = None) -> None:
        """Tell the user something that is no error."""
        place = location_of(at) if at is not None else None
        self.diagnostics.append(Diagnostic(message, place, "warning", hint=hint, pass_name=self.pass_name))


@dataclass(frozen=True)
class Pass:
    """A transformation that the pass manager can run.

    Subclasses are frozen dataclasses: each field (declared with :func:`option`) is an option, written
    ``field-name`` in textual pipelines. The class docstring is the help text; its first line is the
    summary. It may hold two fenced ``mlir`` blocks, input and expected output, which a test runs.
    """

    name: ClassVar[str]
    """The pass's name in textual pipelines: MLIR's name where MLIR has the pass."""
    anchor: ClassVar[str] = "builtin.module"
    """The name of the operation the pass runs on, or ``any``."""
    requires: ClassVar[tuple[Condition, ...]] = ()
    """What must hold before; the manager checks it and proposes a pass that establishes it."""
    ensures: ClassVar[tuple[Condition, ...]] = ()
    """What holds afterwards; checked where verify-each is on."""
    statistics: ClassVar[dict[str, str]] = {}
    """Names of the counters the pass keeps, with a line of explanation."""

    def run(self, op: Operation, ctx: PassContext) -> None:
        """Transform ``op`` in place."""
        raise NotImplementedError

    @classmethod
    def summary(cls) -> str:
        """The first line of the docstring."""
        return (cls.__doc__ or "").strip().split("\n", 1)[0]

    @classmethod
    def examples(cls) -> list[str]:
        """The ``mlir`` blocks of the docstring: input, then expected output."""
        text = "\n".join(
            line[4:] if line.startswith("    ") else line for line in (cls.__doc__ or "").split("\n")
        )
        return re.findall(r"```mlir\n(.*?)```", text, re.DOTALL)

    def text(self) -> str:
        """The pass as it stands in a textual pipeline: its name, and the options that are not the default."""
        shown = [
            f"{f.name.rstrip('_').replace('_', '-')}={_option_text(value)}"
            for f in dataclasses.fields(self)
            if (value := getattr(self, f.name)) != f.default
        ]
        return self.name + ("{" + " ".join(shown) + "}" if shown else "")


def _option_text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return ",".join(_option_text(item) for item in value)
    text = str(value)
    return "{" + text + "}" if re.search(r"[\s{},]", text) else text
