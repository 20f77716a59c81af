"""What upstream declares of the ops of this dialect, as `dialects/core/facts.py` reads it."""

FACTS = """\
module BGIY -
unrealized_conversion_cast PS - inputs*
"""
