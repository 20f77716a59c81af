"""What upstream declares of the ops of this dialect, as `dialects/core/facts.py` reads it."""

FACTS = """\
add KPS - lhs rhs
and KPS - lhs rhs
bool.constant CPS -
casts PS - input
castu PS - input
ceildivs P - lhs rhs
ceildivu P - lhs rhs
cmp PS - lhs rhs
constant CPS -
divs P - lhs rhs
divu P - lhs rhs
floordivs P - lhs rhs
maxs KPS - lhs rhs
maxu KPS - lhs rhs
mins KPS - lhs rhs
minu KPS - lhs rhs
mul KPS - lhs rhs
or KPS - lhs rhs
rems P - lhs rhs
remu P - lhs rhs
shl PS - lhs rhs
shrs PS - lhs rhs
shru PS - lhs rhs
sizeof PS -
sub PS - lhs rhs
xor KPS - lhs rhs
"""
