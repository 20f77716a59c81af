"""Formats of xDSL's op classes work in xDSL's own parser and printer, though they are compiled late."""

from __future__ import annotations

from typing import Any

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import I32, Builtin
from xdsl.dialects.test import Test
from xdsl.ir import Dialect
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, result_def
from xdsl.parser import Parser
from xdsl.utils.exceptions import ParseError, PyRDLOpDefinitionError

import lamina.dialects.core.context  # noqa: F401  (puts the late compilation in place)


def op_with(full_name: str, form: str) -> Any:
    @irdl_op_definition
    class Op(IRDLOperation):
        name = full_name
        value = operand_def(I32)
        result = result_def(I32)
        assembly_format = form

    return Op


@pytest.mark.parametrize("dialect", ["arith", "of_someone"])
def test_xdsl_reads_and_prints_the_form(dialect: str) -> None:
    op = op_with(f"{dialect}.twice", "$value attr-dict")
    context = Context()
    for known in (Builtin, Test, Dialect(dialect, [op])):
        context.load_dialect(known)
    text = f'%0 = "test.op"() : () -> i32\n%1 = {dialect}.twice %0 {{a = 1 : i32}}'
    module = Parser(context, text).parse_module()
    assert str(module.body.block.last_op) == f"%0 = {dialect}.twice %1 {{a = 1 : i32}}"
    assert op.get_irdl_definition().assembly_format == "$value attr-dict"


def test_a_wrong_form_is_reported_at_once_where_there_is_no_table() -> None:
    with pytest.raises(PyRDLOpDefinitionError, match="assembly format"):
        op_with("of_someone.wrong", "$nothing")


def test_a_wrong_form_of_a_dialect_with_a_table_is_reported_when_it_is_used() -> None:
    op = op_with("arith.wrong", "$nothing")
    with pytest.raises(ParseError, match="nothing"):
        op.parse(None)
