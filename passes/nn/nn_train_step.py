"""``nn-train-step``: one step of training, as a function from parameters, state and a batch to new ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal

from xdsl.dialects.builtin import (
    AnyFloat,
    ArrayAttr,
    DictionaryAttr,
    FunctionType,
    ModuleOp,
    StringAttr,
    TensorType,
    f32,
    i32,
)
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from lamina.dialects.core.constants import splat_attr
from lamina.dialects.core.diagnostics import error
from lamina.dialects.nn.constant import ConstantOp
from lamina.dialects.nn.derivatives._terms import Term
from lamina.passes.framework.passes import Pass, PassContext, option
from lamina.passes.general._symbols import symbols_of
from lamina.passes.nn import _gradient_function as making
from lamina.passes.nn._optimizers import (
    OPTIMIZERS,
    Moment,
    Optimizer,
    Settings,
    as_element,
    clipped,
    learning_rate,
)
from lamina.passes.nn.nn_donate import donate
from lamina.passes.nn.nn_grad import check_scalar
from lamina.passes.nn.nn_set_shapes import argument_names, find_function

_DEFAULTS = Settings()


@dataclass(frozen=True)
class NnTrainStep(Pass):
    """Add a training step of a loss function: forward, backward and update in one function.

    The step takes the parameters, then the optimiser's state, then the loss's other arguments; it returns
    the new parameters, the new state, and the loss's results. The state is a step counter (if the optimiser
    or the schedule counts), then the optimiser's tensors for each parameter, then arguments that the loss
    renews itself: ``carried`` pairs them with the loss's results (running statistics). Parameters and state
    are donated, so that they are updated in place (see `nn-donate`).

    A second function, named with ``_state`` behind, returns the first state (but for what is carried).

    Updates are computed, and the state kept, in the parameters' element type, or in f32 where that is narrower.

    What it does not do: it has one rate for all parameters, and no copies of narrow parameters in f32.

    ```mlir
    func.func @main(%w: tensor<2xf32> {nn.name = "w"}, %x: tensor<2xf32>) -> tensor<f32> {
      %0 = nn.mul %w, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      %1 = nn.reduce_sum %0 {axes = array<i64: 0>} : (tensor<2xf32>) -> tensor<f32>
      return %1 : tensor<f32>
    }
    ```

    ```mlir
    func.func @main(%w: tensor<2xf32> {nn.name = "w"}, %x: tensor<2xf32>) -> tensor<f32> {
      %0 = nn.mul %w, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      %1 = nn.reduce_sum %0 {axes = array<i64: 0>, keepdims = false} : (tensor<2xf32>) -> tensor<f32>
      func.return %1 : tensor<f32>
    }
    func.func @train_step(%w: tensor<2xf32> {nn.name = "w", bufferization.writable = true, lamina.updates = 0 : i64}, %x: tensor<2xf32> {nn.name = "arg1"}) -> (tensor<2xf32> {nn.name = "w"}, tensor<f32> {nn.name = "loss"}) {
      %0 = nn.mul %w, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      %1 = nn.reduce_sum %0 {axes = array<i64: 0>, keepdims = false} : (tensor<2xf32>) -> tensor<f32>
      %2 = nn.constant dense<1.000000e+00> : tensor<f32>
      %3 = nn.unsqueeze %2 {axes = array<i64: 0>} : (tensor<f32>) -> tensor<1xf32>
      %4 = nn.broadcast_to %3 {shape = array<i64: 2>} : (tensor<1xf32>) -> tensor<2xf32>
      %5 = nn.mul %4, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      %6 = nn.constant dense<1.000000e-02> : tensor<f32>
      %7 = nn.mul %5, %6 : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
      %8 = nn.sub %w, %7 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      func.return %8, %1 : tensor<2xf32>, tensor<f32>
    }
    ```
    """  # noqa: E501

    name = "nn-train-step"
    statistics = {"parameters": "tensors that the step updates"}

    function: str = option("main", "The loss: its first result is one number")
    parameters: tuple[int, ...] = option((0,), "The arguments that are trained, by number")
    carried: tuple[str, ...] = option(
        (), "Arguments renewed by the loss's results, as in 5:1 (argument:result)"
    )
    optimizer: Literal["sgd", "momentum", "nesterov", "adam", "adamw"] = option("sgd", "The update rule")
    learning_rate: float = option(_DEFAULTS.learning_rate, "The learning rate")
    momentum: float = option(_DEFAULTS.momentum, "momentum, nesterov: how much of the velocity stays")
    beta1: float = option(_DEFAULTS.beta1, "adam: how much of the mean of gradients stays")
    beta2: float = option(_DEFAULTS.beta2, "adam: how much of the mean of squares stays")
    epsilon: float = option(_DEFAULTS.epsilon, "adam: added to the root of the mean of squares")
    weight_decay: float = option(_DEFAULTS.weight_decay, "Added to gradients by weight; adamw: to the update")
    clip_norm: float = option(0.0, "Scale all gradients down to this norm together (0: do not)")
    schedule: Literal["constant", "linear", "cosine", "exponential", "steps"] = option(
        _DEFAULTS.schedule, "How the rate falls with the number of steps"
    )
    schedule_steps: int = option(_DEFAULTS.schedule_steps, "Steps until it has fallen (by schedule-rate)")
    schedule_rate: float = option(_DEFAULTS.schedule_rate, "exponential, steps: the factor after those steps")
    warmup_steps: int = option(_DEFAULTS.warmup_steps, "Steps in which the rate rises to its value")
    name_: str = option("train_step", "The name of the new function")

    def run(self, op: Operation, ctx: PassContext) -> None:
        assert isinstance(op, ModuleOp)
        numbers = {f.name: getattr(self, f.name) for f in fields(Settings)}
        pairs = [_pair(text) for text in self.carried]
        settings = Settings(**numbers)
        add_train_step(
            op, self.function, self.parameters, self.optimizer, settings, self.name_, self.clip_norm, pairs
        )
        ctx.count("parameters", len(self.parameters))


def _pair(text: str) -> tuple[int, int]:
    argument, _, result = text.partition(":")
    if not (argument.isdecimal() and result.isdecimal()):
        raise error(f"'{text}' is no pair of an argument and a result", hint="write 5:1")
    return int(argument), int(result)


def train_step(
    module: ModuleOp,
    function: str = "main",
    parameters: Sequence[int] = (0,),
    optimizer: str = "sgd",
    *,
    name: str = "train_step",
    clip_norm: float = 0.0,
    carried: Sequence[tuple[int, int]] = (),
    **settings: Any,
) -> str:
    """Add a training step to a module; returns its name. The settings are the options of the pass."""
    if optimizer not in OPTIMIZERS:
        raise error(f"there is no optimizer '{optimizer}'", hint=f"known are: {', '.join(OPTIMIZERS)}")
    unknown = set(settings) - {f.name for f in fields(Settings)}
    if unknown:
        raise error(f"an optimizer has no setting '{min(unknown)}'")
    chosen = Settings(**settings)
    return add_train_step(module, function, parameters, optimizer, chosen, name, clip_norm, carried)


@dataclass
class _State:
    """What the step carries beside parameters: names, values going in, values coming out."""

    names: list[str]
    before: list[SSAValue]
    after: list[SSAValue]

    def add(self, name: str, before: SSAValue, after: SSAValue) -> None:
        self.names.append(name)
        self.before.append(before)
        self.after.append(after)


def add_train_step(
    module: ModuleOp,
    function: str,
    parameters: Sequence[int],
    optimizer: str,
    settings: Settings,
    name: str,
    clip_norm: float,
    carried: Sequence[tuple[int, int]],
) -> str:
    """Add the step function and the one that makes its state. See :class:`NnTrainStep`."""
    source = find_function(module, function)
    check_scalar(source)
    parameters = making.check_inputs(source, parameters)
    _check_arguments(source, parameters, carried)
    if clip_norm < 0:
        raise error(f"the norm of gradients cannot be clipped to {clip_norm}", hint="0 leaves it as it is")
    if f"{name}_state" in symbols_of(module):
        raise error(f"there is a function '{name}_state' already", hint="give another name with name=…")
    draft = making.start(module, function, name, parameters)
    try:
        seeds = making.one(draft)
        gradients = [Term(g, draft.insert) for g in making.backward(draft, seeds)]
        names = [n or f"arg{i}" for i, n in enumerate(argument_names(source))]
        state = _State([], [], [])
        rule = OPTIMIZERS[optimizer]
        new = _updates(draft, rule, settings, clip_norm, gradients, [names[i] for i in parameters], state)
        made = len(state.names)
        for argument, result in carried:
            state.add(names[argument], draft.arguments[argument], draft.results[result])
    except Exception:
        making.drop(draft.function)
        raise
    batch = [i for i in range(len(names)) if i not in {*parameters, *(a for a, _ in carried)}]
    _arrange(draft, parameters, state, batch, names)
    kept = [i for i in range(len(draft.results)) if i not in {r for _, r in carried}]
    labels = making.result_names(source)
    outer = [names[i] for i in parameters] + state.names
    making.finish(
        draft,
        [*(w.value for w in new), *state.after, *(draft.results[i] for i in kept)],
        [*outer, *(labels[i] or ("loss" if i == 0 else None) for i in kept)],
    )
    donate(module, name, range(len(outer)))
    kinds = list(draft.function.function_type.inputs.data)[len(parameters) :][:made]
    if made:
        first = _first_state(f"{name}_state", kinds, state.names[:made])
        module.body.block.insert_op_after(first, draft.function)
    return name


def _check_arguments(function: FuncOp, parameters: Sequence[int], carried: Sequence[tuple[int, int]]) -> None:
    kinds = function.function_type
    if not parameters:
        raise error("has no parameter to train", function, hint="name them by parameters=0,1")
    renewed = [*parameters, *(argument for argument, _ in carried)]
    for argument in renewed:
        if renewed.count(argument) > 1:
            hint = "an argument is a parameter or carried, once"
            raise error(f"would have its argument {argument} renewed twice", function, hint=hint)
    for argument, result in carried:
        if not 0 <= argument < len(kinds.inputs) or not 0 < result < len(kinds.outputs):
            raise error(f"has no argument {argument} and result {result} to carry", function)
        if kinds.inputs.data[argument] != kinds.outputs.data[result]:
            raise error(f"gives a result {result} of another type than argument {argument}", function)


def _updates(
    draft: making.Draft,
    rule: Optimizer,
    settings: Settings,
    clip_norm: float,
    gradients: list[Term],
    names: Sequence[str],
    state: _State,
) -> list[Term]:
    """The new parameters; what the optimiser keeps is added to the state."""
    block = draft.function.body.block
    parameters = [Term(v, draft.insert) for v in draft.inputs]
    counter: Term | None = None
    if rule.counts or settings.schedule != "constant" or settings.warmup_steps:
        counter = Term(block.insert_arg(TensorType(i32, []), len(block.args)), draft.insert)
        state.add("step", counter.value, counter.value)
    gradients = [as_element(g, _computed_in(g)) for g in gradients]
    if clip_norm:
        gradients = clipped(gradients, clip_norm)
    moments = {g.type.element_type: _moment(settings, counter, g) for g in reversed(gradients)}
    new: list[Term] = []
    for parameter, g, name in zip(parameters, gradients, names, strict=True):
        w = as_element(parameter, g.type.element_type)
        slots = [Term(block.insert_arg(w.type, len(block.args)), draft.insert) for _ in rule.slots]
        changed, kept = rule.update(settings, moments[g.type.element_type], w, g, slots)
        new.append(as_element(changed, parameter.type.element_type))
        for slot, before, after in zip(rule.slots, slots, kept, strict=True):
            state.add(f"{name}_{slot}", before.value, after.value)
    if counter is not None:
        state.after[0] = (counter + 1).value  # behind all that reads the old one, which it overwrites
    return new


def _computed_in(value: Term) -> Attribute:
    """The element type of an update: Adam's numbers for one element span more than f16 holds."""
    element = value.type.element_type
    assert isinstance(element, AnyFloat)
    return element if element.bitwidth >= 32 else f32


def _moment(settings: Settings, counter: Term | None, like: Term) -> Moment:
    """Rate and step as scalars of a gradient's element type."""
    if counter is None:
        rate = like.constant(settings.learning_rate)
        return Moment(rate, rate)
    step = as_element(counter, like.type.element_type)
    return Moment(learning_rate(settings, step), step)


def _arrange(
    draft: making.Draft, parameters: Sequence[int], state: _State, batch: Sequence[int], names: Sequence[str]
) -> None:
    """Put the arguments in order: parameters, state, batch."""
    block = draft.function.body.block
    old = [*draft.inputs, *state.before, *(draft.arguments[i] for i in batch)]
    labels = [*(names[i] for i in parameters), *state.names, *(names[i] for i in batch)]
    results = [draft.results, state.after]
    for value, label in zip(old, labels, strict=True):
        argument = block.insert_arg(value.type, len(block.args))
        argument.name_hint = value.name_hint or _hint(label)
        value.replace_all_uses_with(argument)
        for values in results:
            values[:] = [argument if v is value else v for v in values]
    for _ in old:
        block.erase_arg(block.args[0])
    attributes = [DictionaryAttr({"nn.name": StringAttr(label)}) for label in labels]
    draft.function.properties["arg_attrs"] = ArrayAttr(attributes)


def _hint(label: str) -> str | None:
    return label if label.isidentifier() else None


def _first_state(name: str, kinds: Sequence[Attribute], names: Sequence[str]) -> FuncOp:
    """A function that returns zeros of some types."""
    block = Block()
    for kind in kinds:
        assert isinstance(kind, TensorType)
        block.add_op(ConstantOp.of(splat_attr(0, kind)))
    values = [op.results[0] for op in block.ops]
    block.add_op(ReturnOp(*values))
    labels = ArrayAttr([DictionaryAttr({"nn.name": StringAttr(n)}) for n in names])
    return FuncOp(name, FunctionType.from_lists([], list(kinds)), Region(block), res_attrs=labels)
