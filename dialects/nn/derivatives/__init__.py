"""Derivative rules of ``nn`` ops, one module per family; imported when the first rule is asked for."""
