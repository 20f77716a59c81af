"""The writer as xDSL's printer: what the ``print`` methods of xDSL's classes call lands in the same text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import (
    Attribute,
    Block,
    BlockArgument,
    BuiltinAttribute,
    Data,
    OpaqueSyntaxAttribute,
    Operation,
    ParametrizedAttribute,
    Region,
    SpacedOpaqueSyntaxAttribute,
    SSAValue,
)

from lamina.dialects.core.ods.attributes import OdsAttribute
from lamina.dialects.core.ods.spec import EnumSpec, table_of
from lamina.dialects.core.writing.operations import OperationWriter
from lamina.dialects.core.writing.quoting import keyword, quoted, symbol


@cache
def _enumeration(name: str) -> EnumSpec | None:
    """The cases of an attribute, by the table of its dialect."""
    table = table_of(name.partition(".")[0])
    entry = table.attributes.get(name) if table is not None else None
    if table is None or entry is None:
        return None
    parameters = entry.get("parameters", [])
    # Upstream's type of the one parameter, as `linkage::Linkage`.
    only = parameters[0][1].rpartition("::")[2] if len(parameters) == 1 else ""
    return table.enums.get(entry.get("enum", only))


_WITH_ALIAS = frozenset(
    """
    llvm.access_group llvm.alias_scope llvm.alias_scope_domain llvm.di_basic_type llvm.di_common_block
    llvm.di_compile_unit llvm.di_composite_type llvm.di_derived_type llvm.di_file llvm.di_generic_subrange
    llvm.di_global_variable llvm.di_global_variable_expression llvm.di_imported_entity llvm.di_label
    llvm.di_lexical_block llvm.di_lexical_block_file llvm.di_local_variable llvm.di_module llvm.di_namespace
    llvm.di_null_type llvm.di_string_type llvm.di_subprogram llvm.di_subrange llvm.di_subroutine_type
    llvm.loop_annotation llvm.loop_vectorize llvm.loop_interleave llvm.loop_unroll llvm.loop_unroll_and_jam
    llvm.loop_licm llvm.loop_distribute llvm.loop_pipeline llvm.loop_peeled llvm.loop_unswitch
    llvm.tbaa_root llvm.tbaa_tag llvm.tbaa_type_desc
    """.split()  # noqa: SIM905
)
"""The attributes of the llvm dialect that are written once, outside of the op."""


class Bridge(OperationWriter):
    """xDSL's ``print_…`` methods, over the writer's own."""

    # Attributes and types of dialects

    def dialect_type_text(self, type: Attribute) -> str:
        return self.captured(lambda: self._print_own_form(type, "!"))

    def dialect_attribute_text(self, attribute: Attribute) -> str:
        def text() -> str:
            return self.captured(lambda: self._print_own_form(attribute, "#"))

        name = attribute.attr_name.data if isinstance(attribute, OdsAttribute) else attribute.name
        return self.alias(attribute, name[5:], text) if name in _WITH_ALIAS else text()

    def _print_own_form(self, attribute: Attribute, sigil: str) -> None:
        if isinstance(attribute, BuiltinAttribute):
            attribute.print_builtin(self)
            return
        name = attribute.name
        opaque = isinstance(attribute, OpaqueSyntaxAttribute)
        self.put(sigil + (name.replace(".", "<", 1) if opaque else name))
        if isinstance(attribute, SpacedOpaqueSyntaxAttribute):
            self.put(" ")
        cases = _enumeration(name)
        if cases is not None:
            self._print_cases(attribute, cases)
        elif isinstance(attribute, Data):
            attribute.print_parameter(self)
        elif isinstance(attribute, ParametrizedAttribute):
            attribute.print_parameters(self)
        if opaque:
            self.put(">")

    def _print_cases(self, attribute: Any, cases: EnumSpec) -> None:
        """The cases of an enumeration as upstream writes them: words without quotes, and its separator."""
        from xdsl.dialects.utils.bit_enum_attribute import BitEnumAttribute  # heavy, and seldom asked for

        print_own = attribute.print_parameter if isinstance(attribute, Data) else attribute.print_parameters
        text = self.captured(lambda: print_own(self))
        if isinstance(attribute, BitEnumAttribute):
            text = text.replace(attribute.separator_value, cases.separator)
        inside = text.strip('<">')
        is_case = inside in cases.cases and text.startswith("<")
        self.put(f"<{keyword(inside)}>" if is_case else text)

    # Text

    def print_string(self, text: str, *, indent: int | None = None) -> None:
        if "\n" in text and (indent is None or indent):
            outer = self._indent
            self._indent = outer if indent is None else indent
            text = text.replace("\n", self.line_start())
            self._indent = outer
        self.put(text)

    def print_content(self, text: str, *, indent: int | None = None) -> None:
        self.print_string(text, indent=indent)

    def _write(self, content: str) -> None:
        self.put(content)

    def _print_new_line(self, indent: int | None = None, print_message: bool = True) -> None:
        self.print_string("\n", indent=indent)

    def print_bytes_literal(self, bytestring: bytes) -> None:
        self.put(quoted(bytestring))

    def print_string_literal(self, string: str) -> None:
        self.put(quoted(string))

    def print_identifier_or_string_literal(self, string: str | StringAttr) -> None:
        self.put(keyword(string if isinstance(string, str) else string.data))

    def print_symbol_name(self, sym_name: str | StringAttr) -> None:
        self.put(symbol(sym_name if isinstance(sym_name, str) else sym_name.data))

    def print_float(self, value: float, type: Any) -> None:
        self.put(self.float_number(value, type))

    def print_resource_handle(self, dialect: str, handle: str) -> None:
        self.put(self.resource_key(handle))

    # Values, blocks, types and attributes

    def print_ssa_value(self, value: SSAValue) -> str:
        name = self.value_name(value)
        self.put(name)
        return name[1:]

    def print_operand(self, operand: SSAValue) -> None:
        self.put(self.value_name(operand))

    def print_block_name(self, block: Block) -> str:
        name = self.block_name(block)
        self.put(name)
        return name[1:]

    def print_block_argument(self, arg: BlockArgument, print_type: bool = True) -> None:
        self.argument(arg, print_type)

    def print_attribute(self, attribute: Attribute) -> None:
        self.put(self.attribute_text(attribute))

    def print_attr_dict(self, attr_dict: Mapping[str, Attribute]) -> None:
        # In the order that the op's class gives.
        self.put(f"{{{', '.join([self.entry_text(name, value) for name, value in attr_dict.items()])}}}")

    def print_op_attributes(
        self,
        attributes: Mapping[str, Attribute],
        *,
        reserved_attr_names: Iterable[str] = (),
        print_keyword: bool = False,
    ) -> bool:
        reserved = set(reserved_attr_names)
        entries = {name: value for name, value in attributes.items() if name not in reserved}
        if entries:
            self.put(" attributes " if print_keyword else " ")
            self.print_attr_dict(entries)
        return bool(entries)

    def print_function_type(
        self, input_types: Iterable[Attribute], output_types: Iterable[Attribute]
    ) -> None:
        self.put(self.function_type_text(input_types, list(output_types)))

    def print_operation_type(self, op: Operation) -> None:
        self.print_function_type(op.operand_types, op.result_types)

    # Operations and regions

    def print_op(self, op: Operation) -> None:
        self.operation(op)

    def print_op_with_default_format(self, op: Operation) -> None:
        text = self.captured(lambda: self.generic(op))
        self.put(text[text.index("(") :])

    def print_block(
        self, block: Block, print_block_args: bool = True, print_block_terminator: bool = True
    ) -> None:
        self.block(block, print_block_args, print_block_terminator)

    def print_region(
        self,
        region: Region,
        print_entry_block_args: bool = True,
        print_empty_block: bool = True,
        print_block_terminators: bool = True,
    ) -> None:
        self.region(region, print_entry_block_args, print_block_terminators, print_empty_block)

    def print_regions(self, regions: Sequence[Region]) -> None:
        if regions:
            self.put(" (")
            self.print_list(regions, self.print_region)
            self.put(")")

    def enter_scope(self) -> None:
        pass

    def exit_scope(self) -> None:
        pass
