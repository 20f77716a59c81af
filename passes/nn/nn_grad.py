"""``nn-grad``: the gradient of a function, as another function of the module (reverse mode)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from lamina.dialects.core.diagnostics import error
from lamina.dialects.nn.derivatives._terms import Term
from lamina.passes.framework.passes import Pass, PassContext, option
from lamina.passes.nn import _gradient_function as making
from lamina.passes.nn.nn_set_shapes import find_function


@dataclass(frozen=True)
class NnGrad(Pass):
    """Add the gradient of a function's first result by some of its arguments.

    The new function takes what the old one takes and returns a gradient for each argument in ``wrt``; with
    ``value`` it returns the old results before them. The first result must be one number, unless
    ``cotangents`` adds an argument for the cotangent of each differentiable result (then the new function is
    a vector-Jacobian product).

    Everything is one block of ops: the forward pass, then the backward pass, which reads the forward
    pass's values where its rules need them. What neither gradients nor values need is removed. Calls are
    inlined first, except of functions with the attribute ``custom_grad``. The pass applies to its results.

    Loops save what their way back reads of each turn in stacked tensors; branches are taken anew.

    What it does not do: outside of loops it does not choose between keeping and recomputing values, it does
    not differentiate ``scf.while`` (count first) or branches between blocks, and it does not simplify (run
    ``canonicalize,cse`` after it). Ops without a rule are an error that lists all of them.

    ```mlir
    func.func @main(%x: tensor<3xf32>) -> tensor<f32> {
      %0 = nn.mul %x, %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
      %1 = nn.reduce_sum %0 {axes = array<i64: 0>} : (tensor<3xf32>) -> tensor<f32>
      return %1 : tensor<f32>
    }
    ```

    ```mlir
    func.func @main(%x: tensor<3xf32>) -> tensor<f32> {
      %0 = nn.mul %x, %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
      %1 = nn.reduce_sum %0 {axes = array<i64: 0>, keepdims = false} : (tensor<3xf32>) -> tensor<f32>
      func.return %1 : tensor<f32>
    }
    func.func @main_grad(%x: tensor<3xf32>) -> tensor<3xf32> {
      %0 = nn.constant dense<1.000000e+00> : tensor<f32>
      %1 = nn.unsqueeze %0 {axes = array<i64: 0>} : (tensor<f32>) -> tensor<1xf32>
      %2 = nn.broadcast_to %1 {shape = array<i64: 3>} : (tensor<1xf32>) -> tensor<3xf32>
      %3 = nn.mul %2, %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
      %4 = nn.mul %2, %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
      %5 = nn.add %3, %4 : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
      func.return %5 : tensor<3xf32>
    }
    ```
    """

    name = "nn-grad"
    statistics = {"functions": "gradient functions added"}

    function: str = option("main", "The function to differentiate")
    wrt: tuple[int, ...] = option((0,), "The arguments to differentiate by, by number")
    name_: str = option("", "The name of the new function (default: <function>_grad)")
    value: bool = option(False, "Also return the function's own results, in front of the gradients")
    cotangents: bool = option(False, "Take a cotangent for each differentiable result")

    def run(self, op: Operation, ctx: PassContext) -> None:
        assert isinstance(op, ModuleOp)
        add_gradient(op, self.function, self.wrt, self.name_, value=self.value, cotangents=self.cotangents)
        ctx.count("functions")


def grad(module: ModuleOp, function: str = "main", wrt: Sequence[int] | int = (0,), name: str = "") -> str:
    """Add the gradient of a function's (scalar) first result to the module; returns the new name."""
    return add_gradient(module, function, wrt, name)


def value_and_grad(
    module: ModuleOp, function: str = "main", wrt: Sequence[int] | int = (0,), name: str = ""
) -> str:
    """Like :func:`grad`, for a function that returns the results of ``function``, then the gradients."""
    return add_gradient(module, function, wrt, name or f"{function}_value_and_grad", value=True)


def add_gradient(
    module: ModuleOp,
    function: str,
    wrt: Sequence[int] | int,
    name: str = "",
    *,
    value: bool = False,
    cotangents: bool = False,
) -> str:
    """Add the gradient function of a function to a module; returns its name. See :class:`NnGrad`."""
    source = find_function(module, function)
    if not cotangents:
        check_scalar(source)
    wrt = making.check_inputs(source, wrt)
    name = name or f"{function}_grad"
    draft = making.start(module, function, name, wrt)
    try:
        seeds = _cotangent_arguments(draft) if cotangents else making.one(draft)
        gradients = making.backward(draft, seeds)
    except Exception:
        making.drop(draft.function)
        raise
    names = making.gradient_names(source, wrt)
    kept = draft.results if value else []
    making.finish(draft, [*kept, *gradients], [*(making.result_names(source) if value else []), *names])
    return name


def check_scalar(function: FuncOp) -> None:
    """Raise :class:`LaminaError` unless a function's first result is one floating-point number."""
    kinds = function.function_type.outputs.data
    if not kinds or not making.is_scalar(kinds[0]):
        given = f"has type {kinds[0]}" if kinds else "is missing"
        hint = "sum it up, or take a vector-Jacobian product with the option cotangents"
        raise error(f"has no gradient: its first result must be one number, and {given}", function, hint=hint)


def _cotangent_arguments(draft: making.Draft) -> list[Term | None]:
    """A new argument for the cotangent of each differentiable result."""
    places = [i for i, r in enumerate(draft.results) if making.is_differentiable(r.type)]
    kinds = [draft.results[i].type for i in places]
    added = making.add_arguments(draft, kinds, [f"cotangent{i}" for i in places])
    seeds: list[Term | None] = [None] * len(draft.results)
    for i, argument in zip(places, added, strict=True):
        seeds[i] = Term(argument, draft.insert)
    return seeds
