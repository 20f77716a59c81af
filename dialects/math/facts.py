"""What upstream declares of the ops of this dialect, as `dialects/core/facts.py` reads it."""

FACTS = """\
absf EPS - operand
absi EPS - operand
acos EPS - operand
acosh EPS - operand
asin EPS - operand
asinh EPS - operand
atan EPS - operand
atan2 EPS - lhs rhs
atanh EPS - operand
cbrt EPS - operand
ceil EPS - operand
clampf EPS - value min max
copysign EPS - lhs rhs
cos EPS - operand
cosh EPS - operand
ctlz EPS - operand
ctpop EPS - operand
cttz EPS - operand
erf EPS - operand
erfc EPS - operand
exp EPS - operand
exp2 EPS - operand
expm1 EPS - operand
floor EPS - operand
fma EPS - a b c
fpowi EPS - lhs rhs
ipowi EPS - lhs rhs
isfinite EPS - operand
isinf EPS - operand
isnan EPS - operand
isnormal EPS - operand
log EPS - operand
log10 EPS - operand
log1p EPS - operand
log2 EPS - operand
powf EPS - lhs rhs
round EPS - operand
roundeven EPS - operand
rsqrt EPS - operand
sin EPS - operand
sincos EPS - operand
sinh EPS - operand
sqrt EPS - operand
tan EPS - operand
tanh EPS - operand
trunc EPS - operand
"""
