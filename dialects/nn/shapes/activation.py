"""Result types of activation functions."""

from __future__ import annotations

from lamina.dialects.nn.base import shape_rule
from lamina.dialects.nn.shapes.elementwise import unary

shape_rule("nn.relu", "nn.sigmoid")(unary)
