"""Passes that fail, for tests of what happens then."""

from dataclasses import dataclass

from xdsl.ir import Operation

from lamina.passes.framework.passes import Pass, PassContext, option


@dataclass(frozen=True)
class Boom(Pass):
    """Fails by an exception."""

    name = "boom"
    anchor = "func.func"
    sizes: tuple[int, ...] = option((), "Not used")
    label: str = option("a b", "Not used")

    def run(self, op: Operation, ctx: PassContext) -> None:
        raise KeyError("no such thing")
