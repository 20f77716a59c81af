"""A model to compile with a cache."""

from __future__ import annotations

from typing import Any

import numpy as np

LAYER = """
func.func @main(%x: tensor<4x64xf32> {{nn.name = "x"}}) -> (tensor<4x32xf32> {{nn.name = "y"}}) {{
  %w = nn.constant dense_resource<w> : tensor<64x32xf32>
  %0 = nn.matmul %x, %w : (tensor<4x64xf32>, tensor<64x32xf32>) -> tensor<4x32xf32>
  %1 = nn.exp %0 : (tensor<4x32xf32>) -> tensor<4x32xf32>
  return %1 : tensor<4x32xf32>
}}
func.func @other(%x: tensor<4xf32>) -> tensor<4xf32> {{
  %0 = nn.add %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}}
{{-# dialect_resources: {{ builtin: {{ w: "0x04000000{weights}" }} }} #-}}
"""
X = np.linspace(-0.1, 0.1, 256, dtype=np.float32).reshape(4, 64)


def layer(factor: float = 0.001) -> str:
    """The text of a dense layer whose weights are multiples of a factor."""
    weights = np.arange(64 * 32, dtype=np.float32) * np.float32(factor) - 1
    return LAYER.format(weights=weights.astype("<f4").tobytes().hex())


def is_found(executable: Any) -> bool:
    """Whether the code came from the cache."""
    return "cache" in executable.timings
