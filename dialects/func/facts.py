"""What upstream declares of the ops of this dialect, as `dialects/core/facts.py` reads it."""

FACTS = """\
call - - operands*
call_indirect - - callee callee_operands*
constant CPS -
func AI -
return PRST - operands*
"""
