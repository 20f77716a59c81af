"""What upstream declares of the ops of this dialect, as `dialects/core/facts.py` reads it."""

FACTS = """\
condition PST - condition args*
execute_region N -
for ANc - lowerBound upperBound step initArgs*
forall AN - dynamicLowerBound* dynamicUpperBound* dynamicStep* outputs*
forall.in_parallel GPST -
if Ns - condition
index_switch N - arg
parallel AN - lowerBound* upperBound* step* initVals*
reduce NT - operands*
reduce.return PST - result
while N - inits*
yield PRST - results*
"""
