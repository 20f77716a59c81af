"""Routines that LLVM's code generator calls and that a C compiler's support library would define.

Narrowing to bf16 and from f64 to f16 has no instruction on most x86-64 CPUs. One more gives the time in
nanoseconds, for profiles. The routines are LLVM IR,
assembled once a process when code first needs them.
"""

from __future__ import annotations

# Double to float with rounding to odd: the last bit tells that something was cut off, so that a second
# rounding to 8 or 11 bits gives what one rounding would.
_ROUND_TO_ODD = """
define internal float @round_to_odd(double %x) alwaysinline {
  %near = fptrunc double %x to float
  %back = fpext float %near to double
  %exact = fcmp ueq double %back, %x
  %bits = bitcast float %near to i32
  %low = and i32 %bits, 1
  %odd = icmp ne i32 %low, 0
  %keep = or i1 %exact, %odd
  %size.back = call double @llvm.fabs.f64(double %back)
  %size.x = call double @llvm.fabs.f64(double %x)
  %above = fcmp ogt double %size.back, %size.x
  %step = select i1 %above, i32 -1, i32 1
  %moved = add i32 %bits, %step
  %chosen = select i1 %keep, i32 %bits, i32 %moved
  %result = bitcast i32 %chosen to float
  ret float %result
}
declare double @llvm.fabs.f64(double)
"""

_FLOAT_TO_BFLOAT = """
define bfloat @__truncsfbf2(float %x) {
  %bits = bitcast float %x to i32
  %high = lshr i32 %bits, 16
  %last = and i32 %high, 1
  %bias = add i32 %last, 32767
  %sum = add i32 %bits, %bias
  %rounded = lshr i32 %sum, 16
  %quiet = or i32 %high, 64
  %nan = fcmp uno float %x, 0.0
  %chosen = select i1 %nan, i32 %quiet, i32 %rounded
  %short = trunc i32 %chosen to i16
  %result = bitcast i16 %short to bfloat
  ret bfloat %result
}
"""

_FROM_DOUBLE = """
define bfloat @__truncdfbf2(double %x) {
  %odd = call float @round_to_odd(double %x)
  %result = call bfloat @__truncsfbf2(float %odd)
  ret bfloat %result
}
define half @__truncdfhf2(double %x) {
  %odd = call float @round_to_odd(double %x)
  %result = fptrunc float %odd to half
  ret half %result
}
"""

_NOW = """
declare i32 @clock_gettime(i32, ptr)
define i64 @lamina_now() {
  %time = alloca { i64, i64 }
  %done = call i32 @clock_gettime(i32 1, ptr %time)
  %seconds = load i64, ptr %time
  %rest.at = getelementptr { i64, i64 }, ptr %time, i64 0, i32 1
  %rest = load i64, ptr %rest.at
  %scaled = mul i64 %seconds, 1000000000
  %now = add i64 %scaled, %rest
  ret i64 %now
}
"""

BUILTINS_IR = _ROUND_TO_ODD + _FLOAT_TO_BFLOAT + _FROM_DOUBLE + _NOW
BUILTIN_NAMES = ("__truncsfbf2", "__truncdfbf2", "__truncdfhf2", "lamina_now")
