"""Types that upstream derives in C++ for ops of the llvm dialect."""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import ArrayAttr, StringAttr, i1
from xdsl.dialects.llvm import LLVMStructType

from lamina.dialects.core.ods.transformers import transformer


@transformer("getValAndBoolStructType($_self)")
def value_and_bool(type: Any) -> Any:
    """A structure of the value that was found and whether it was exchanged."""
    return LLVMStructType(StringAttr(""), ArrayAttr([type, i1]))
