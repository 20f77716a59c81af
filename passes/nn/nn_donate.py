"""``nn-donate``: arguments whose memory a function may overwrite, tied to the results that go there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import ArrayAttr, BoolAttr, DictionaryAttr, IntegerAttr, ModuleOp, StringAttr, i64
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation

from lamina.dialects.core.diagnostics import did_you_mean, error
from lamina.passes.framework.passes import Pass, PassContext, option
from lamina.passes.nn.nn_set_shapes import argument_names, find_function

WRITABLE = "bufferization.writable"
UPDATES = "lamina.updates"
"""On an argument: the number of the result that is left in its memory."""


@dataclass(frozen=True)
class NnDonate(Pass):
    """Let a function overwrite some of its arguments, and leave results in their memory.

    Each donated argument becomes ``bufferization.writable``. It is tied by ``lamina.updates`` to the result
    of its name, else to the first free result of its type; one without such a result is working memory only.
    `update-donated-arguments` then computes these results in place, or copies where it must.

    ```mlir
    func.func @main(%w: tensor<4xf32>, %g: tensor<4xf32>) -> tensor<4xf32> {
      %0 = nn.sub %w, %g : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    ```

    ```mlir
    func.func @main(%w: tensor<4xf32> {bufferization.writable = true, lamina.updates = 0 : i64}, %g: tensor<4xf32>) -> tensor<4xf32> {
      %0 = nn.sub %w, %g : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      func.return %0 : tensor<4xf32>
    }
    ```
    """  # noqa: E501

    name = "nn-donate"

    function: str = option("main", "The function")
    arguments: tuple[str, ...] = option(("0",), "The donated arguments, by number or nn.name")

    def run(self, op: Operation, ctx: PassContext) -> None:
        assert isinstance(op, ModuleOp)
        donate(op, self.function, self.arguments)


def donate(module: ModuleOp, function: str, arguments: Sequence[int | str]) -> None:
    """Mark arguments of a function, by number or name, as donated. See :class:`NnDonate`."""
    target = find_function(module, function)
    names = argument_names(target)
    numbers = [_number(target, names, argument) for argument in arguments]
    attributes = [dict(d.data) for d in target.arg_attrs.data] if target.arg_attrs is not None else []
    attributes += [{} for _ in range(len(names) - len(attributes))]
    for number, result in zip(numbers, _ties(target, numbers, names), strict=True):
        attributes[number][WRITABLE] = BoolAttr.from_bool(True)
        if result is not None:
            attributes[number][UPDATES] = IntegerAttr(result, i64)
    target.properties["arg_attrs"] = ArrayAttr([DictionaryAttr(a) for a in attributes])


def _number(function: FuncOp, names: Sequence[str | None], argument: int | str) -> int:
    if isinstance(argument, str) and argument in names:
        return names.index(argument)
    if isinstance(argument, int) or argument.isdecimal():
        number = int(argument)
        if 0 <= number < len(names):
            return number
    known = [n if n is not None else str(i) for i, n in enumerate(names)]
    hint = did_you_mean(str(argument), known) or f"the arguments are: {', '.join(known) or 'none'}"
    raise error(f"has no argument '{argument}' to donate", function, hint=hint)


def _ties(function: FuncOp, numbers: Sequence[int], names: Sequence[str | None]) -> list[int | None]:
    """The result for each donated argument: of its name and type, else the first free one of its type."""
    kinds, results = function.function_type.inputs.data, function.function_type.outputs.data
    given = function.res_attrs.data if function.res_attrs is not None else ()
    labels: list[Attribute | None] = [d.data.get("nn.name") for d in given]
    labels += [None] * (len(results) - len(labels))
    free = set(range(len(results)))
    ties: dict[int, int] = {}
    for by_name in (True, False):
        for number in numbers:
            label = StringAttr(names[number] or "")
            fits = [
                i
                for i in sorted(free)
                if results[i] == kinds[number] and (not by_name or (names[number] and labels[i] == label))
            ]
            if number not in ties and fits:
                ties[number] = fits[0]
                free.discard(fits[0])
    return [ties.get(number) for number in numbers]
