"""Simplifications of normalisations."""

from __future__ import annotations

from lamina.dialects.nn.canonicalize._structure import nonnegative_axis, register

register(nonnegative_axis, "nn.batch_norm", "nn.layer_norm")
