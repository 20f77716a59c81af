"""The `onnx` dialect: a mirror of ONNX models, an operation for each operator."""

from xdsl.ir import Dialect

from lamina.dialects.onnx.operations import operation_classes
from lamina.dialects.onnx.types import AnyType, MapType, OptionalType, SequenceType, StringType

Onnx = Dialect("onnx", operation_classes(), [AnyType, MapType, OptionalType, SequenceType, StringType])
