"""Where a model comes from: a file, bytes or a ``ModelProto``, checked as a whole. Only for `onnx_reader`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lamina.dialects.core.diagnostics import LaminaError, Location, error

if TYPE_CHECKING:
    from onnx import ModelProto


def parse_model(source: str | Path | bytes | ModelProto) -> tuple[Any, str, Path | None]:
    """The model, the name to show for it, and the folder of its external data.

    Raises :class:`LaminaError` for what is no whole ONNX model.
    """
    try:
        from google.protobuf.message import DecodeError
        from onnx import ModelProto
    except ImportError:
        raise error("reading ONNX models needs the package 'onnx'", hint="pip install lamina[onnx]") from None
    if isinstance(source, ModelProto):
        name, directory, proto = "<onnx model>", None, source
    else:
        data, name, directory = _read(source)
        proto = ModelProto()
        try:
            proto.ParseFromString(data)
        except (DecodeError, ValueError, RecursionError):
            raise _damaged("the file is no ONNX model, or is damaged or truncated", name) from None
    if not proto.HasField("graph"):
        raise _damaged("the file holds no ONNX graph", name)
    if not proto.opset_import:
        raise _damaged("the model does not say which operator set it uses", name)
    if any(
        isinstance(text, bytes) for text in (*_texts(proto.graph), *(e.domain for e in proto.opset_import))
    ):
        raise _damaged("the file holds a name that is no UTF-8 text", name)
    return proto, name, directory


def _texts(graph: Any) -> Iterator[Any]:
    """The names in a graph, which protobuf gives as bytes where they are no text."""
    for value in (*graph.input, *graph.output, *graph.value_info, *graph.initializer):
        yield value.name
    for node in graph.node:
        yield from (node.name, node.op_type, node.domain, *node.input, *node.output)
        for attribute in node.attribute:
            yield attribute.name
            if attribute.HasField("g"):
                yield from _texts(attribute.g)


def _read(source: str | Path | bytes) -> tuple[bytes, str, Path | None]:
    if isinstance(source, bytes):
        return source, "<onnx model>", None
    if not isinstance(source, str | Path):
        raise error(f"a model cannot be read from a value of type {type(source).__name__}")
    path = Path(source)
    try:
        return path.read_bytes(), str(path), path.parent
    except OSError as problem:
        raise error(f"cannot be read: {problem.strerror}", Location(str(path))) from None


def _damaged(message: str, name: str) -> LaminaError:
    return error(
        message, Location(name), hint="the file may be incomplete: compare its size with the original's"
    )
