"""What xDSL's llvm dialect lacks, under upstream's names (LLVM dialect of MLIR 22)."""
