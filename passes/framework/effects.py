"""Questions about side effects, as :mod:`lamina.dialects.core.effects` answers them."""

from __future__ import annotations

from lamina.dialects.core.effects import is_dead, is_registered, is_side_effect_free

__all__ = ["is_dead", "is_registered", "is_side_effect_free"]
