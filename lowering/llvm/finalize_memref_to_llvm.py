"""memref to llvm: accesses as addresses, buffers as descriptors, globals as external symbols."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import Operation

from lamina.lowering.llvm._conversion import Rule, convert
from lamina.lowering.llvm._copies import COPY_RULES
from lamina.lowering.llvm._globals import GLOBAL_RULES
from lamina.lowering.llvm._memory import MEMORY_RULES
from lamina.lowering.llvm._views import VIEW_RULES
from lamina.passes.framework.conditions import no_dialect
from lamina.passes.framework.passes import Pass, PassContext

RULES: dict[str, Rule] = {**MEMORY_RULES, **VIEW_RULES, **GLOBAL_RULES, **COPY_RULES}


def finalize_memref_to_llvm(root: Operation) -> int:
    """Turn the memref operations under ``root`` into llvm's; returns how many there were.

    ``memref.subview``, ``expand_shape``, ``collapse_shape`` and ``extract_strided_metadata`` have to be gone
    (expand-strided-metadata).
    """
    return convert(root, RULES)


@dataclass(frozen=True)
class FinalizeMemRefToLLVM(Pass):
    """Convert memref to the llvm dialect.

    A memref is a descriptor: allocated pointer, aligned pointer, offset, sizes, strides; its parts are used
    directly where they are known, and the struct is built only for users that are not converted yet.
    Accesses to row-major memrefs of static shape are one `getelementptr` into an array type. A constant
    global is an external symbol without initialiser, whose value stands in `lamina.value`.

    ```mlir
    func.func @f(%m: memref<4x8xf32>, %i: index) -> f32 {
      %0 = memref.load %m[%i, %i] : memref<4x8xf32>
      return %0 : f32
    }
    ```

    ```mlir
    builtin.module {
      func.func @f(%m: memref<4x8xf32>, %i: index) -> f32 {
        %m_1 = builtin.unrealized_conversion_cast %m : memref<4x8xf32> to !llvm.struct<(!llvm.ptr, !llvm.ptr, i64, !llvm.array<2 x i64>, !llvm.array<2 x i64>)>
        %i_1 = builtin.unrealized_conversion_cast %i : index to i64
        %0 = llvm.extractvalue %m_1[1] : !llvm.struct<(!llvm.ptr, !llvm.ptr, i64, !llvm.array<2 x i64>, !llvm.array<2 x i64>)>
        %1 = llvm.getelementptr inbounds|nuw %0[%i_1, %i_1] : (!llvm.ptr, i64, i64) -> !llvm.ptr, !llvm.array<8 x f32>
        %2 = llvm.load %1 : !llvm.ptr -> f32
        func.return %2 : f32
      }
    }
    ```
    """  # noqa: E501

    name = "finalize-memref-to-llvm"
    ensures = (no_dialect("memref"),)
    statistics = {"converted": "operations converted"}

    def run(self, op: Operation, ctx: PassContext) -> None:
        ctx.count("converted", finalize_memref_to_llvm(op))
