"""What upstream declares of the ops of this dialect, as `dialects/core/facts.py` reads it."""

FACTS = """\
assert M - arg
br PST - destOperands*
cond_br PST - condition trueDestOperands* falseDestOperands*
switch PST - flag defaultOperands* caseOperands*
"""
