"""The ``nn`` dialect: models as operations on tensors, with NumPy's and ONNX's semantics."""

from __future__ import annotations

from xdsl.ir import Dialect

from lamina.dialects.core.families import operations_of
from lamina.dialects.nn.base import NnOp

Nn = Dialect("nn", operations_of(__name__, NnOp), [])
