"""xDSL's passes under Lamina's manager: the same name, the same options, on modules."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, ClassVar, cast

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from lamina.passes.framework.passes import Pass, PassContext


@dataclass(frozen=True)
class _Adapted(Pass):
    """A pass whose work is done by one of xDSL's."""

    original: ClassVar[type[ModulePass]]

    def run(self, op: Operation, ctx: PassContext) -> None:
        options = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        self.original(**options).apply(ctx.context, cast(ModuleOp, op))


def adapt(declaration: type[ModulePass]) -> type[Pass]:
    """A pass of Lamina's that runs one of xDSL's; options keep their names, types and defaults."""
    made: list[tuple[str, Any, Any]] = []
    for field in dataclasses.fields(declaration):
        default = field.default
        if default is dataclasses.MISSING and field.default_factory is not dataclasses.MISSING:
            default = field.default_factory()
        help_text = {"help": f"Option of xDSL's {declaration.name}"}
        if default is dataclasses.MISSING:
            made.append((field.name, field.type, dataclasses.field(kw_only=True, metadata=help_text)))
        else:
            made.append((field.name, field.type, dataclasses.field(default=default, metadata=help_text)))
    namespace = {
        "__doc__": declaration.__doc__,
        "__module__": declaration.__module__,
        "name": declaration.name,
        "original": declaration,
    }
    return dataclasses.make_dataclass(
        declaration.__name__, made, bases=(_Adapted,), namespace=namespace, frozen=True
    )
