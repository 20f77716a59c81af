"""``nn-jvp``: directional derivatives of a function, as another function of the module (forward mode)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from lamina.passes.framework.passes import Pass, PassContext, option
from lamina.passes.nn import _gradient_function as making
from lamina.passes.nn._forward import Pushforward
from lamina.passes.nn._reverse import active_values, check_rules
from lamina.passes.nn.nn_set_shapes import argument_names, find_function


@dataclass(frozen=True)
class NnJvp(Pass):
    """Add the derivative of a function along a direction (a Jacobian-vector product).

    The new function takes what the old one takes, then a tangent for each argument in ``wrt``, and returns
    the tangent of each differentiable result; with ``value`` the old results come before them. An op's rule
    is the transpose of its rule of reverse mode, unless it has one of its own.

    What it does not do: functions with ``custom_grad`` have no forward form, ``scf.while`` has no derivative,
    and nothing is simplified (run ``canonicalize,cse`` after it).

    ```mlir
    func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
      %0 = nn.sin %x : (tensor<3xf32>) -> tensor<3xf32>
      return %0 : tensor<3xf32>
    }
    ```

    ```mlir
    func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
      %0 = nn.sin %x : (tensor<3xf32>) -> tensor<3xf32>
      func.return %0 : tensor<3xf32>
    }
    func.func @main_jvp(%x: tensor<3xf32>, %0: tensor<3xf32>) -> tensor<3xf32> {
      %1 = nn.cos %x : (tensor<3xf32>) -> tensor<3xf32>
      %2 = nn.mul %0, %1 : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
      func.return %2 : tensor<3xf32>
    }
    ```
    """

    name = "nn-jvp"
    statistics = {"functions": "derivative functions added"}

    function: str = option("main", "The function to differentiate")
    wrt: tuple[int, ...] = option((0,), "The arguments that have a tangent, by number")
    name_: str = option("", "The name of the new function (default: <function>_jvp)")
    value: bool = option(False, "Also return the function's own results, in front of the tangents")

    def run(self, op: Operation, ctx: PassContext) -> None:
        assert isinstance(op, ModuleOp)
        jvp(op, self.function, self.wrt, self.name_, value=self.value)
        ctx.count("functions")


def jvp(
    module: ModuleOp,
    function: str = "main",
    wrt: Sequence[int] | int = (0,),
    name: str = "",
    *,
    value: bool = False,
) -> str:
    """Add the forward derivative of a function to a module; returns its name. See :class:`NnJvp`."""
    source = find_function(module, function)
    wrt = making.check_inputs(source, wrt)
    name = name or f"{function}_jvp"
    draft = making.start(module, function, name, wrt)
    try:
        ops = draft.ops()
        active = active_values(ops, draft.inputs, draft.results)
        check_rules(ops, active)
        forward = Pushforward(draft.function.body.block, active)
        names = argument_names(source)
        tangents = [f"{names[i]}_tangent" if names[i] else None for i in wrt]
        added = making.add_arguments(draft, [v.type for v in draft.inputs], tangents)
        for value_, tangent in zip(draft.inputs, added, strict=True):
            forward.tangents[value_] = forward.term(tangent)
        forward.run(ops)
        forward.move_to(draft.end)
        results = list(draft.end.operands)
        found = [forward.tangent(r).value for r in results if making.is_differentiable(r.type)]
    except Exception:
        making.drop(draft.function)
        raise
    own = making.result_names(source)
    chosen = [n for n, r in zip(own, results, strict=True) if making.is_differentiable(r.type)]
    names = [f"{n}_tangent" if n else None for n in chosen]
    making.finish(draft, [*(results if value else []), *found], [*(own if value else []), *names])
    return name
