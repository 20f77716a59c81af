"""The declaration of a pass: a name, an anchor, options, pre- and postconditions over one function.

A pass is a frozen dataclass whose fields are its options. From this one declaration come the registry,
the textual pipeline, ``--help``, and the reference pages.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from xdsl.context import Context
from xdsl.ir import Operation

from lamina.dialects.core.diagnostics import Diagnostic, error, location_of, op_name
from lamina.passes.framework.conditions import Condition

if TYPE_CHECKING:
    from lamina.passes.framework.analyses import AnalysisCache
    from lamina.passes.framework.pipeline import Pipeline

ANY_OP = "any"
Analysis = TypeVar("Analysis")


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
    op: Operation | None = None
    """The operation that the pass runs on."""
    analyses: AnalysisCache | None = None
    run_items: Callable[[Pipeline, Operation], None] | None = None
    """Runs a pipeline that the pass has made: how :meth:`run_pipeline` reaches the manager."""
    preserved: list[type[Any]] = field(default_factory=list)
    """The analyses that still hold after this run of the pass."""

    def analysis(self, kind: type[Analysis], of: Operation | None = None) -> Analysis:
        """An analysis of the pass's operation, or of one inside it, computed if it is not known."""
        op = of or self.op
        assert op is not None
        if self.analyses is None:
            from lamina.passes.framework.analyses import AnalysisCache

            self.analyses = AnalysisCache()
        return self.analyses.get(kind, op)

    def preserve(self, *kinds: type[Any]) -> None:
        """Say that analyses still hold after this run, whatever it changed."""
        self.preserved.extend(kinds)

    def run_pipeline(self, pipeline: str | Pipeline, on: Operation | None = None) -> None:
        """Run a pipeline on the pass's operation, or on one inside it, under the same manager."""
        from lamina.passes.framework.pipeline import parse_pipeline

        op = on or self.op
        assert op is not None
        if isinstance(pipeline, str):
            pipeline = parse_pipeline(pipeline, op_name(op))
        if self.op is not None and not self.op.is_ancestor(op):
            raise error("is not inside the operation of the pass, so no pipeline can run on it here", op)
        if pipeline.anchor not in (ANY_OP, op_name(op)):
            raise error(f"can't run '{pipeline.anchor}' pass manager on '{op_name(op)}' op", location_of(op))
        if self.run_items is None:
            from lamina.passes.framework.manager import PassManager

            PassManager(self.context, verify_each=False).run(op, pipeline)
        else:
            self.run_items(pipeline, op)

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
    preserves: ClassVar[tuple[type[Any], ...]] = ()
    """The analyses that still hold after the pass, whatever it changed."""
    statistics: ClassVar[dict[str, str]] = {}
    """Names of the counters the pass keeps, with a line of explanation."""

    def __init_subclass__(cls) -> None:
        hidden = {
            name for name in vars(cls).get("__annotations__", ()) if callable(getattr(Pass, name, None))
        }
        if hidden:
            names = " and ".join(f"'{name}'" for name in sorted(hidden))
            raise error(f"the fields {names} of {cls.__name__} hide methods of Pass: give them other names")

    def run(self, op: Operation, ctx: PassContext) -> bool | None:
        """Transform ``op`` in place; returns False if surely nothing changed: all analyses still hold."""
        raise NotImplementedError

    @classmethod
    def summary(cls) -> str:
        """The first line of the docstring."""
        return (cls.__doc__ or "").strip().split("\n", 1)[0]

    @classmethod
    def description(cls) -> str:
        """The docstring without its examples."""
        text = inspect.cleandoc(cls.__doc__ or "")
        return re.sub(r"\n*```mlir\n.*?```", "", text, flags=re.DOTALL).strip()

    @classmethod
    def examples(cls) -> list[str]:
        """The ``mlir`` blocks of the docstring: input, then expected output."""
        text = "\n".join(
            line[4:] if line.startswith("    ") else line for line in (cls.__doc__ or "").split("\n")
        )
        return re.findall(r"```mlir\n(.*?)```", text, re.DOTALL)

    def text(self, *, defaults: bool = False) -> str:
        """The pass as it stands in a textual pipeline: its name, and its options.

        With ``defaults`` all options are shown, in the order and form in which ``mlir-opt`` prints them;
        otherwise those that differ from the default.
        """
        shown = sorted(dataclasses.fields(self), key=lambda f: f.name)
        if not defaults:
            shown = [f for f in dataclasses.fields(self) if getattr(self, f.name) != f.default]
        texts = [_option_text(f.name.rstrip("_").replace("_", "-"), getattr(self, f.name)) for f in shown]
        return self.name + ("{" + " ".join(texts) + "}" if texts else "")


def _option_text(name: str, value: Any) -> str:
    if value is None or value == ():
        return ""  # as upstream, which leaves the blank behind an empty list
    if isinstance(value, tuple):
        return f"{name}={{{','.join(_value_text(item) for item in value)}}}"
    return f"{name}={_value_text(value)}"


def _value_text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    text = str(value)
    return "{" + text + "}" if re.search(r"[\s{},]", text) else text
