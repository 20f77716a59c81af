"""``python -m lamina.tools.opt``."""

from lamina.tools.entry import lamina_opt

lamina_opt()
