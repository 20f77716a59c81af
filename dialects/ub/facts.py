"""What upstream declares of the ops of this dialect, as `dialects/core/facts.py` reads it."""

FACTS = """\
poison CPS -
unreachable T -
"""
