"""The pipelines of the package."""

from lamina.passes.framework.registry import NamedPipeline

TO_LINALG = NamedPipeline(
    "bounds-to-linalg",
    "canonicalize,convert-bounds-to-linalg,canonicalize,cse",
    "From bounds to linalg on tensors",
)
