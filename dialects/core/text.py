"""IR as text: :func:`parse` and :func:`to_text`."""

from lamina.dialects.core.printer import to_text
from lamina.dialects.core.reader import parse

__all__ = ["parse", "to_text"]
