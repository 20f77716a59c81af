"""What passes are called in dumps and tables: MLIR's class names, which its users' scripts look for."""

from __future__ import annotations

from lamina.passes.framework.passes import Pass

_UPSTREAM = {
    "buffer-results-to-out-params": "BufferResultsToOutParamsPass",
    "canonicalize": "Canonicalizer",
    "convert-arith-to-llvm": "ArithToLLVMConversionPass",
    "convert-cf-to-llvm": "ConvertControlFlowToLLVMPass",
    "convert-func-to-llvm": "ConvertFuncToLLVMPass",
    "convert-index-to-llvm": "ConvertIndexToLLVMPass",
    "convert-linalg-to-loops": "ConvertLinalgToLoopsPass",
    "convert-linalg-to-parallel-loops": "ConvertLinalgToParallelLoopsPass",
    "convert-math-to-libm": "ConvertMathToLibmPass",
    "convert-math-to-llvm": "ConvertMathToLLVMPass",
    "convert-scf-to-cf": "SCFToControlFlowPass",
    "convert-ub-to-llvm": "UBToLLVMConversionPass",
    "convert-vector-to-llvm": "ConvertVectorToLLVMPass",
    "cse": "CSE",
    "eliminate-empty-tensors": "EmptyTensorEliminationPass",
    "expand-strided-metadata": "ExpandStridedMetadataPass",
    "finalize-memref-to-llvm": "FinalizeMemRefToLLVMConversionPass",
    "inline": "Inliner",
    "linalg-fuse-elementwise-ops": "LinalgElementwiseOpFusionPass",
    "linalg-generalize-named-ops": "LinalgGeneralizeNamedOpsPass",
    "mem2reg": "Mem2Reg",
    "one-shot-bufferize": "OneShotBufferizePass",
    "reconcile-unrealized-casts": "ReconcileUnrealizedCastsPass",
    "scf-forall-to-parallel": "SCFForallToParallelLoop",
    "sccp": "SCCP",
    "snapshot-op-locations": "LocationSnapshot",
    "strip-debuginfo": "StripDebugInfo",
    "symbol-dce": "SymbolDCE",
}
"""The names that do not follow from ours."""


def display_name(pass_: Pass) -> str:
    """The name of a pass in dumps and tables; its own name is what pipelines use."""
    return _UPSTREAM.get(pass_.name, type(pass_).__name__)
