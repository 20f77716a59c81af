"""What upstream declares of the ops of this dialect, as `dialects/core/facts.py` reads it."""

FACTS = """\
abs EPS - complex
add EPS - lhs rhs
angle EPS - complex
atan2 EPS - lhs rhs
bitcast PS - operand
conj EPS - complex
constant CPS -
cos EPS - complex
create PS - real imaginary
div EPS - lhs rhs
eq EPS - lhs rhs
exp EPS - complex
expm1 EPS - complex
im EPS - complex
log EPS - complex
log1p EPS - complex
mul EPS - lhs rhs
neg EPS - complex
neq EPS - lhs rhs
pow EPS - lhs rhs
powi EPS - lhs rhs
re EPS - complex
rsqrt EPS - complex
sign EPS - complex
sin EPS - complex
sqrt EPS - complex
sub EPS - lhs rhs
tan EPS - complex
tanh EPS - complex
"""
