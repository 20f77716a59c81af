"""Reading IR text: xDSL's parser with locations on every op, constants as buffers, and one kind of error."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import Any

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import (
    AnyDenseElement,
    AnyFloat,
    BytesAttr,
    DenseIntOrFPElementsAttr,
    DenseResourceAttr,
    FileLineColLoc,
    IntAttr,
    ModuleOp,
    RankedStructure,
    ShapedType,
    StringAttr,
    UnknownLoc,
    i1,
)
from xdsl.ir import Operation
from xdsl.parser import Parser
from xdsl.utils.exceptions import MultipleSpansParseError, ParseError, VerifyException
from xdsl.utils.lexer import Span
from xdsl.utils.mlir_lexer import MLIRLexer, MLIRTokenKind

from lamina.dialects.core.constants import add_resource, aligned_copy, as_array, constant_attr
from lamina.dialects.core.context import make_context
from lamina.dialects.core.diagnostics import Diagnostic, LaminaError, Location

# xDSL's own expression backtracks exponentially on a literal that is not closed.
MLIRLexer._unescaped_characters_regex = re.compile(  # pyright: ignore[reportPrivateUsage]
    r'"(?:[^"\\\n\v\f]|\\(?:["nt\\]|[0-9A-Fa-f]{2}))*"'
)

_METADATA = re.compile(r"\{-#.*?#-\}", re.DOTALL)
_BLOB = re.compile(r'(?:([\w$.\-]+)|"((?:[^"\\])*)")\s*:\s*"0x([0-9A-Fa-f]*)"')
_HEADER_BYTES = 4
"""A blob starts with its alignment, as a little-endian 32-bit number."""


def parse(
    text: str, name: str = "<text>", context: Context | None = None, allow_unregistered: bool = False
) -> ModuleOp:
    """Parse IR text into a module (one is put around the ops where the text has none).

    Raises :class:`LaminaError` with the place and the cause for text that is not valid IR. Ops are not
    verified: that is :func:`lamina.dialects.core.verifier.verify`.
    """
    context = context or make_context()
    if allow_unregistered:
        context.allow_unregistered = True
    text, resources = _take_resources(text, name)
    reader: Reader | None = None
    try:
        reader = Reader(context, text, name, resources)
        return reader.parse_module()
    except ParseError as problem:
        raise LaminaError(_diagnostic_of(problem, text, name)) from problem
    except VerifyException as problem:
        raise LaminaError(Diagnostic(_first_line(problem), _here(reader, text, name))) from problem
    except RecursionError as problem:
        raise LaminaError(Diagnostic("regions are nested too deeply", _here(reader, text, name))) from problem
    except (
        ValueError,
        IndexError,
        KeyError,
        AssertionError,
        TypeError,
        NotImplementedError,
        AttributeError,
    ) as problem:
        # What xDSL's op parsers let through on malformed input.
        message = _first_line(problem) or type(problem).__name__
        raise LaminaError(
            Diagnostic(f"malformed operation: {message}", _here(reader, text, name))
        ) from problem


class Reader(Parser):
    """xDSL's parser that gives every op its location and shares constants."""

    def __init__(self, context: Context, text: str, name: str, resources: dict[str, str]) -> None:
        self._line_starts = [0, *(m.end() for m in re.finditer("\n", text))]
        self._file = StringAttr(name)
        self._resources = resources
        self._name_starts: list[int] = []
        super().__init__(context, text, name)

    def parse_module(self, allow_implicit_module: bool = True) -> ModuleOp:
        if self._current_token.kind == MLIRTokenKind.EOF:
            return ModuleOp([])
        return super().parse_module(allow_implicit_module)

    def parse_operation(self) -> Operation:
        op = super().parse_operation()
        start = self._name_starts.pop()
        if isinstance(op.location, UnknownLoc):
            op.location = self._location(start)
        return op

    def _parse_op_result_list(self) -> list[tuple[Span, int]]:
        # An op's location is that of its name, after the results: ops nest, so the places form a stack.
        results = super()._parse_op_result_list()
        self._name_starts.append(self._current_token.span.start)
        return results

    def _location(self, position: int) -> FileLineColLoc:
        line = bisect_right(self._line_starts, position)
        column = position - self._line_starts[line - 1] + 1
        return FileLineColLoc(self._file, IntAttr(line), IntAttr(column))

    def _parse_builtin_dense_resource_attr(self) -> DenseResourceAttr:
        self.parse_characters("<", " in dense_resource attribute")
        key = self.parse_resource_handle()
        self.parse_characters(">", " in dense_resource attribute")
        self.parse_characters(":", " in dense_resource attribute")
        kind = self.parse_type()
        if not isinstance(kind, ShapedType):
            self.raise_error(f"dense resource should have a shaped type, got: {kind}")
        return DenseResourceAttr.from_params(key, kind)

    def parse_resource_handle(self) -> str:
        """The key, in the process-wide table, of the resource that the text names."""
        key = self.parse_optional_str_literal() or self.parse_identifier()
        return self._resources.get(key, key)

    def parse_dense_int_or_fp_elements_attr(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, type: RankedStructure[AnyDenseElement] | None
    ) -> DenseIntOrFPElementsAttr | DenseResourceAttr:
        """A dense literal; a splat keeps one element, and a large literal becomes a resource."""
        self.parse_punctuation("<", " in dense attribute")
        start = self.pos
        elements, shape, data = self._dense_contents()
        if type is None:
            self.parse_punctuation(":", " in dense attribute")
            type = self._parse_dense_literal_type()
        extent = tuple(type.get_shape())
        count = int(np.prod(extent, dtype=object)) if extent else 1
        width = type.element_type.compile_time_size
        if data is None:
            values = [self._dense_value(value, type.element_type) for value in elements]
            if shape and list(extent) != shape:
                self.raise_error(
                    f"dense literal has shape {shape}, its type needs {list(extent)}", start, self.pos
                )
            if not values and count:
                self.raise_error("dense literal is empty, but its type is not", start, self.pos)
            if count == 0:
                values = []
            kind = type
            if len(values) == 1:
                return DenseIntOrFPElementsAttr(kind, BytesAttr(self._packed(type, values)))
            return DenseIntOrFPElementsAttr.from_list(kind, values)  # pyright: ignore[reportArgumentType,reportCallIssue]
        if type.element_type == i1 and len(data) == -(-count // 8) and count > 1:
            # Upstream writes eight elements of i1 to a byte, the first in the lowest bit.
            bits = np.unpackbits(np.frombuffer(data, np.uint8), bitorder="little")
            data = bits[:count].tobytes()
        if len(data) == width and count != 0:
            return DenseIntOrFPElementsAttr(type, BytesAttr(data))
        if len(data) != width * count:
            self.raise_error(
                f"dense literal has {len(data)} bytes, its type needs {width * count}", start, self.pos
            )
        attribute = DenseIntOrFPElementsAttr(type, BytesAttr(data))
        if type.name == "tensor" and len(data) > 1024:
            return constant_attr(as_array(attribute), type)
        return attribute

    def _dense_value(self, element: Any, kind: Any) -> Any:
        """An element of a literal; hexadecimal is the bits of a float (infinities and NaN print so)."""
        if not isinstance(kind, AnyFloat) or not element.span.text.lower().startswith("0x"):
            return element.to_type(self, kind)
        if element.value.bit_length() > 8 * kind.compile_time_size:
            self.raise_error(f"hexadecimal element does not fit into {kind}", element.span)
        return next(kind.iter_unpack(element.value.to_bytes(kind.compile_time_size, "little")))

    @staticmethod
    def _packed(type: RankedStructure[AnyDenseElement], values: list[Any]) -> bytes:
        element: Any = type.element_type
        normalise = getattr(element, "get_normalized_value", None)
        return element.pack([normalise(v) for v in values] if normalise else values)

    def _dense_contents(self) -> tuple[list, list[int], bytes | None]:
        """Elements and shape of a literal (shape [] for a splat), or the bytes of its hexadecimal form."""
        if self.parse_optional_punctuation(">") is not None:
            return [], [], None
        text = self.parse_optional_str_literal()
        if text is None:
            elements, shape = self._parse_tensor_literal()
            self.parse_punctuation(">", " in dense attribute")
            return elements, shape, None
        self.parse_punctuation(">", " in dense attribute")
        try:
            return [], [], bytes.fromhex(text.removeprefix("0x"))
        except ValueError:
            self.raise_error("dense literal is no hexadecimal string")


def _take_resources(text: str, name: str) -> tuple[str, dict[str, str]]:
    """Put the text's resource blobs into the table; returns the text without them, and key -> table key."""
    start = text.rfind("{-#")
    if start < 0:
        return text, {}
    match = _METADATA.match(text, start)
    if match is None:
        raise LaminaError(
            Diagnostic(
                "file metadata starts with `{-#` but does not end with `#-}`", _place(text, start, name)
            )
        )
    keys: dict[str, str] = {}
    for item in _BLOB.finditer(text, match.start(), match.end()):
        key = item.group(1) or item.group(2)
        digits = item.group(3)
        if len(digits) % 2 or len(digits) < 2 * _HEADER_BYTES:
            raise LaminaError(
                Diagnostic(f"the blob of resource '{key}' is truncated", _place(text, item.start(), name))
            )
        data = np.frombuffer(bytes.fromhex(digits), np.uint8)[_HEADER_BYTES:]
        keys[key] = add_resource(aligned_copy(data), key)
    return text[: match.start()] + text[match.end() :], keys


def _place(text: str, position: int, name: str) -> Location:
    line = text.count("\n", 0, position) + 1
    return Location(name, line, position - (text.rfind("\n", 0, position) + 1) + 1)


def _here(reader: Reader | None, text: str, name: str) -> Location:
    position = reader._current_token.span.start if reader else 0  # pyright: ignore[reportPrivateUsage]
    return _place(text, position, name)


def _first_line(problem: BaseException) -> str:
    while problem.__cause__ is not None:
        problem = problem.__cause__
    return str(problem).strip().split("\n", 1)[0]


def _diagnostic_of(problem: ParseError, text: str, name: str) -> Diagnostic:
    notes: list[Diagnostic] = []
    if isinstance(problem, MultipleSpansParseError):
        for span, message in problem.refs:
            notes.append(
                Diagnostic(message or problem.ref_text or "here", _place(text, span.start, name), "note")
            )
    return Diagnostic(
        problem.msg.strip().rstrip(".!"), _place(text, problem.span.start, name), notes=tuple(notes)
    )
