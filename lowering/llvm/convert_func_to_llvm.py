"""func to llvm: functions, calls and returns, with memrefs as descriptors' members or as bare pointers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import func, llvm
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    MemRefType,
    UnitAttr,
    UnrealizedConversionCastOp,
)
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue

from lamina.dialects.llvm.values import PoisonOp
from lamina.lowering.llvm._conversion import Conversion, Replacement, Rule
from lamina.lowering.llvm._descriptors import (
    ALIGNED,
    ALLOCATED,
    OFFSET,
    Descriptor,
    Position,
    insert_value,
    position_attribute,
)
from lamina.lowering.llvm._types import INDEX, convert_type, is_static_identity, pointer_type
from lamina.passes.framework.conditions import no_dialect
from lamina.passes.framework.passes import Pass, PassContext, option
from lamina.passes.framework.walk import operations_named

LINKAGE = "llvm.linkage"
"""The attribute of a func.func that chooses the linkage of the llvm.func (upstream's)."""


def convert_func_to_llvm(root: Operation, bare_pointers: bool = False) -> int:
    """Turn the func operations under ``root`` into llvm's; returns how many there were.

    With ``bare_pointers`` a memref of static shape and row-major layout is passed as one pointer, with
    ``llvm.noalias`` unless some call passes one buffer twice. Other memrefs are passed as the members of
    their descriptors.
    """
    passed_twice = arguments_passed_twice(root) if bare_pointers else {}
    return FunctionConversion(bare_pointers, passed_twice).run(root)


def arguments_passed_twice(root: Operation) -> dict[str, set[int]]:
    """Argument positions, by function name, at which some call passes a memref it passes elsewhere too.

    A function that hands such an argument on does so to the next one.
    """
    found: dict[str, set[int]] = {}
    calls = [op for op in operations_named(root, ("func.call",)) if isinstance(op, func.CallOp)]
    for op in calls:
        seen: dict[SSAValue, int] = {}
        for i, operand in enumerate(op.arguments):
            if operand in seen:
                found.setdefault(op.callee.string_value(), set()).update((i, seen[operand]))
            seen[operand] = i
    before = -1
    while found and before != (before := sum(map(len, found.values()))):
        for op in calls:
            for i, operand in enumerate(op.arguments):
                if _is_among(operand, found):
                    found.setdefault(op.callee.string_value(), set()).add(i)
    return found


def _is_among(value: SSAValue, arguments: dict[str, set[int]]) -> bool:
    """Whether a value is one of these arguments of a function."""
    if not isinstance(value, BlockArgument):
        return False
    function = value.block.parent_op()
    return isinstance(function, func.FuncOp) and value.index in arguments.get(function.sym_name.data, ())


class FunctionConversion(Conversion):
    """The rules, with the calling convention."""

    def __init__(self, bare_pointers: bool, passed_twice: dict[str, set[int]]) -> None:
        rules: dict[str, Rule] = {
            "func.func": lambda _, op: self._function(op),
            "func.call": lambda _, op: self._call(op),
            "func.return": lambda _, op: self._return(op),
        }
        super().__init__(rules)
        self.bare_pointers = bare_pointers
        self.passed_twice = passed_twice

    # Types of arguments and results.

    def is_bare(self, type: Attribute) -> bool:
        """Whether values of a type are passed as one pointer."""
        return self.bare_pointers and isinstance(type, MemRefType) and is_static_identity(type)

    def members(self, type: Attribute) -> list[tuple[Position, Attribute]]:
        """The arguments that pass a value of a type: position in its descriptor, and type."""
        if not isinstance(type, MemRefType):
            return [((), convert_type(type))]
        pointer = pointer_type(type.memory_space)
        if self.is_bare(type):
            return [(ALIGNED, pointer)]
        dimensions = [(field, i) for field in (3, 4) for i in range(type.get_num_dims())]
        return [
            (ALLOCATED, pointer),
            (ALIGNED, pointer),
            *((position, INDEX) for position in (OFFSET, *dimensions)),
        ]

    def result_type(self, types: Sequence[Attribute]) -> Attribute:
        """The one type that results are returned as: void, a type, or a struct of them."""
        returned = [self._returned(type) for type in types]
        if not returned:
            return llvm.LLVMVoidType()
        return returned[0] if len(returned) == 1 else llvm.LLVMStructType.from_type_list(returned)

    def _returned(self, type: Attribute) -> Attribute:
        if isinstance(type, MemRefType) and self.is_bare(type):
            return pointer_type(type.memory_space)
        return convert_type(type)

    # Functions.

    def _function(self, op: Operation) -> list[Replacement]:
        assert isinstance(op, func.FuncOp)
        inputs = op.function_type.inputs.data
        members = [self.members(type) for type in inputs]
        types = [type for group in members for _, type in group]
        region = op.detach_region(0)
        properties: dict[str, Attribute | None] = {"arg_attrs": self._argument_attributes(op, members)}
        if op.res_attrs is not None and len(op.function_type.outputs) == 1:
            properties["res_attrs"] = op.res_attrs
        attributes = dict(op.attributes)
        linkage = attributes.pop(LINKAGE, None)
        new = llvm.FuncOp(
            op.sym_name,
            llvm.LLVMFunctionType(types, self.result_type(op.function_type.outputs.data)),
            linkage if isinstance(linkage, llvm.LinkageAttr) else llvm.LinkageAttr("external"),
            sym_visibility=op.sym_visibility,
            body=region,
            other_props=properties,
            extra_attrs=attributes,
        )
        self.insert(new)
        if region.first_block is not None:
            self._convert_arguments(region.first_block, members)
        return []

    def _argument_attributes(
        self, op: func.FuncOp, members: list[list[tuple[Position, Attribute]]]
    ) -> ArrayAttr[DictionaryAttr] | None:
        given = op.arg_attrs.data if op.arg_attrs is not None else [DictionaryAttr({})] * len(members)
        shared = self.passed_twice.get(op.sym_name.data, set())
        result: list[DictionaryAttr] = []
        for i, (group, attributes, type) in enumerate(
            zip(members, given, op.function_type.inputs, strict=True)
        ):
            first = dict(attributes.data)
            if self.is_bare(type) and i not in shared:
                first["llvm.noalias"] = UnitAttr()
            result += [DictionaryAttr(first), *[DictionaryAttr({})] * (len(group) - 1)]
        return ArrayAttr(result) if any(attributes.data for attributes in result) else None

    def _convert_arguments(self, block: Block, members: list[list[tuple[Position, Attribute]]]) -> None:
        for argument, group in zip(block.args, members, strict=True):
            new = [block.insert_arg(type, argument.index, argument.location) for _, type in group]
            for value in new:
                value.name_hint = argument.name_hint
            self.replace_argument(argument, self._received(argument.type, group, new))

    def _received(
        self, type: Attribute, group: list[tuple[Position, Attribute]], values: Sequence[SSAValue]
    ) -> Replacement:
        if not isinstance(type, MemRefType):
            return values[0]
        if self.is_bare(type):
            return Descriptor.of_pointer(type, values[0], values[0])
        return Descriptor(type, {position: value for (position, _), value in zip(group, values, strict=True)})

    # Calls and returns.

    def passed(self, value: SSAValue) -> list[SSAValue]:
        """The values that pass one operand of a call."""
        if not isinstance(value.type, MemRefType):
            return [self.value(value)]
        descriptor = self.descriptor(value)
        return [descriptor.part_value(self, position) for position, _ in self.members(value.type)]

    def _call(self, op: Operation) -> list[Replacement]:
        assert isinstance(op, func.CallOp)
        operands = [member for value in op.arguments for member in self.passed(value)]
        types = [result.type for result in op.results]
        returned = self.result_type(types) if types else None
        call = llvm.CallOp(op.callee, *operands, return_type=returned)
        call.attributes = dict(op.attributes)
        self.insert(call)
        if not types:
            return []
        values: list[SSAValue] = [call.results[0]]
        if len(types) > 1:
            values = [
                self.emit(
                    llvm.ExtractValueOp,
                    (call.results[0],),
                    self._returned(t),
                    {"position": position_attribute((i,))},
                )
                for i, t in enumerate(types)
            ]
        return [self._result(type, value) for type, value in zip(types, values, strict=True)]

    def _result(self, type: Attribute, value: SSAValue) -> Replacement:
        if isinstance(type, MemRefType) and self.is_bare(type):
            return Descriptor.of_pointer(type, value, value)
        return value

    def _return(self, op: Operation) -> list[Replacement]:
        values = [self._given_back(value) for value in op.operands]
        if len(values) > 1:
            struct_type = self.result_type([value.type for value in op.operands])
            struct = self.emit(PoisonOp, (), struct_type)
            for i, value in enumerate(values):
                struct = insert_value(self, struct, value, (i,))
            values = [struct]
        self.insert(llvm.ReturnOp.create(operands=values))
        return []

    def _given_back(self, value: SSAValue) -> SSAValue:
        if self.is_bare(value.type):
            return self.descriptor(value).pointer(self)
        return self.value(value)


def erase_unused_descriptors(root: Operation) -> None:
    """Remove descriptor structs that nobody reads any more, and the casts that read them."""
    for op in reversed(operations_named(root, _PURE)):
        if op.results[0].first_use is None and op.parent is not None:
            op.parent.detach_op(op)
            op.drop_all_references()


_PURE = (UnrealizedConversionCastOp.name, llvm.InsertValueOp.name, llvm.ExtractValueOp.name, PoisonOp.name)


@dataclass(frozen=True)
class ConvertFuncToLLVM(Pass):
    """Convert functions, calls and returns to the llvm dialect.

    A memref is passed as the members of its descriptor. With `use-bare-ptr-memref-call-conv`, memrefs of
    static shape and row-major layout are passed as one pointer (upstream refuses the others then): it is
    `llvm.noalias` unless a call in the module passes a buffer twice. Attributes of arguments are kept, on the
    first of the arguments that stand for one.

    ```mlir
    func.func private @f(%x: memref<4xf32> {nn.name = "x"}, %i: index) -> index {
      return %i : index
    }
    ```

    ```mlir
    builtin.module {
      llvm.func @f(%x: !llvm.ptr {nn.name = "x"}, %x_1: !llvm.ptr, %x_2: i64, %x_3: i64, %x_4: i64, %i: i64) -> i64 attributes {sym_visibility = "private"} {
        llvm.return %i : i64
      }
    }
    ```
    """  # noqa: E501

    name = "convert-func-to-llvm"
    ensures = (no_dialect("func"),)
    statistics = {"converted": "operations converted"}
    use_bare_ptr_memref_call_conv: bool = option(False, "pass static memrefs as one pointer")

    def run(self, op: Operation, ctx: PassContext) -> None:
        ctx.count("converted", convert_func_to_llvm(op, self.use_bare_ptr_memref_call_conv))
        erase_unused_descriptors(op)
