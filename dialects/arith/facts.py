"""What upstream declares of the ops of this dialect, as `dialects/core/facts.py` reads it."""

FACTS = """\
addf EKPS - lhs rhs
addi EKPS - lhs rhs
addui_extended EKPS - lhs rhs
andi DEKPS - lhs rhs
bitcast EPS - in
ceildivsi EPc - lhs rhs
ceildivui EPc - lhs rhs
cmpf EPS - lhs rhs
cmpi EPS - lhs rhs
constant CPS -
divf EPS - lhs rhs
divsi EPc - lhs rhs
divui EPc - lhs rhs
extf EPS - in
extsi EPS - in
extui EPS - in
floordivsi EPS - lhs rhs
fptosi EPS - in
fptoui EPS - in
index_cast EPS - in
index_castui EPS - in
maximumf EKPS - lhs rhs
maxnumf EKPS - lhs rhs
maxsi EKPS - lhs rhs
maxui EKPS - lhs rhs
minimumf EKPS - lhs rhs
minnumf EKPS - lhs rhs
minsi EKPS - lhs rhs
minui EKPS - lhs rhs
mulf EKPS - lhs rhs
muli EKPS - lhs rhs
mulsi_extended EKPS - lhs rhs
mului_extended EKPS - lhs rhs
negf EPS - operand
ori DEKPS - lhs rhs
remf EPS - lhs rhs
remsi EPS - lhs rhs
remui EPS - lhs rhs
scaling_extf EPS - in scale
scaling_truncf EPS - in scale
select EPS - condition true_value false_value
shli EPS - lhs rhs
shrsi EPS - lhs rhs
shrui EPS - lhs rhs
sitofp EPS - in
subf EPS - lhs rhs
subi EPS - lhs rhs
truncf EPS - in
trunci EPS - in
uitofp EPS - in
xori EKPS - lhs rhs
"""
