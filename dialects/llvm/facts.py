"""What upstream declares of the ops of this dialect, as `dialects/core/facts.py` reads it."""

FACTS = """\
add KPS - lhs rhs
addrspacecast PS - arg
alloca - a=0 arraySize
and PS - lhs rhs
ashr PS - lhs rhs
atomicrmw - - ptr val
bitcast PS - arg
blockaddress CPS -
blocktag - -
br PST - destOperands*
call - - callee_operands* op_bundle_operands*
call_intrinsic - - args* op_bundle_operands*
cmpxchg - - ptr cmp val
comdat BY -
comdat_selector Y -
cond_br PST - condition trueDestOperands* falseDestOperands*
dso_local_equivalent CPS -
extractelement PS - vector position
extractvalue PS - container
fadd PS - lhs rhs
fcmp PS - lhs rhs
fdiv PS - lhs rhs
fence - -
fmul PS - lhs rhs
fneg PS - operand
fpext PS - arg
fptosi PS - arg
fptoui PS - arg
fptrunc PS - arg
freeze PS - val
frem PS - lhs rhs
fsub PS - lhs rhs
func AI -
getelementptr PS - base dynamicIndices*
icmp PS - lhs rhs
indirectbr PST - addr succOperands*
inline_asm M - operands*
insertelement PS - vector value position
insertvalue PS - container value
intr.abs PS - in
intr.acos PS - in
intr.annotation - - integer annotation fileName line
intr.asin PS - in
intr.assume - - cond op_bundle_operands*
intr.atan PS - in
intr.atan2 PS - a b
intr.bitreverse PS - in
intr.bswap PS - in
intr.ceil PS - in
intr.copysign PS - a b
intr.coro.align - -
intr.coro.begin - - token mem
intr.coro.end - - handle unwind retvals
intr.coro.free - - id handle
intr.coro.id - - align promise coroaddr fnaddrs
intr.coro.promise - - handle align from
intr.coro.resume - - handle
intr.coro.save - - handle
intr.coro.size - -
intr.coro.suspend - - save final
intr.cos PS - in
intr.cosh PS - in
intr.ctlz PS - in
intr.ctpop PS - in
intr.cttz PS - in
intr.dbg.declare - - addr
intr.dbg.label - -
intr.dbg.value - - value
intr.debugtrap - -
intr.eh.typeid.for - - type_info
intr.exp PS - in
intr.exp10 PS - in
intr.exp2 PS - in
intr.expect PS - val expected
intr.expect.with.probability PS - val expected
intr.experimental.constrained.fpext PS - arg_0
intr.experimental.constrained.fptrunc PS - arg_0
intr.experimental.constrained.sitofp PS - arg_0
intr.experimental.constrained.uitofp PS - arg_0
intr.experimental.noalias.scope.decl - -
intr.experimental.vp.strided.load - - ptr stride mask evl
intr.experimental.vp.strided.store - - val ptr stride mask evl
intr.fabs PS - in
intr.floor PS - in
intr.fma PS - a b c
intr.fmuladd PS - a b c
intr.frexp PS - val
intr.fshl PS - a b c
intr.fshr PS - a b c
intr.get.active.lane.mask PS - base n
intr.invariant.end - - start ptr
intr.invariant.start - - ptr
intr.is.constant PS - val
intr.is.fpclass PS - in
intr.launder.invariant.group - - ptr
intr.ldexp PS - val power
intr.lifetime.end - - ptr
intr.lifetime.start - - ptr
intr.llrint PS - val
intr.llround PS - val
intr.log PS - in
intr.log10 PS - in
intr.log2 PS - in
intr.lrint PS - val
intr.lround PS - val
intr.masked.compressstore - - value ptr mask
intr.masked.expandload - - ptr mask passthru
intr.masked.gather - - ptrs mask pass_thru*
intr.masked.load - - data mask pass_thru?
intr.masked.scatter - - value ptrs mask
intr.masked.store - - value data mask
intr.matrix.column.major.load - - data stride
intr.matrix.column.major.store - - matrix data stride
intr.matrix.multiply - - lhs rhs
intr.matrix.transpose - - matrix
intr.maximum PS - a b
intr.maxnum PS - a b
intr.memcpy - r1,w0 dst src len
intr.memcpy.inline - r1,w0 dst src
intr.memmove - r1,w0 dst src len
intr.memset - w0 dst val len
intr.memset.inline - w0 dst val
intr.minimum PS - a b
intr.minnum PS - a b
intr.nearbyint PS - in
intr.pow PS - a b
intr.powi PS - val power
intr.prefetch - - addr
intr.ptr.annotation - - ptr annotation fileName line attr
intr.ptrmask PS - ptr mask
intr.rint PS - in
intr.round PS - in
intr.roundeven PS - in
intr.sadd.sat PS - a b
intr.sadd.with.overflow PS - arg0 arg1
intr.scmp PS - a b
intr.sin PS - in
intr.sincos PS - val
intr.sinh PS - in
intr.smax PS - a b
intr.smin PS - a b
intr.smul.with.overflow PS - arg0 arg1
intr.sqrt PS - in
intr.ssa.copy PS - operand
intr.sshl.sat PS - a b
intr.ssub.sat PS - a b
intr.ssub.with.overflow PS - arg0 arg1
intr.stackrestore - - ptr
intr.stacksave - -
intr.stepvector PS -
intr.strip.invariant.group - - ptr
intr.tan PS - in
intr.tanh PS - in
intr.threadlocal.address PS - global
intr.trap - -
intr.trunc PS - in
intr.uadd.sat PS - a b
intr.uadd.with.overflow PS - arg0 arg1
intr.ubsantrap - -
intr.ucmp PS - a b
intr.umax PS - a b
intr.umin PS - a b
intr.umul.with.overflow PS - arg0 arg1
intr.ushl.sat PS - a b
intr.usub.sat PS - a b
intr.usub.with.overflow PS - arg0 arg1
intr.vacopy - - dest_list src_list
intr.vaend - - arg_list
intr.var.annotation - - val annotation fileName line attr
intr.vastart - - arg_list
intr.vector.deinterleave2 PS - vec
intr.vector.extract PS - srcvec
intr.vector.insert PS - dstvec srcvec
intr.vector.interleave2 PS - vec1 vec2
intr.vector.reduce.add PS - in
intr.vector.reduce.and PS - in
intr.vector.reduce.fadd PS - start_value input
intr.vector.reduce.fmax PS - in
intr.vector.reduce.fmaximum PS - in
intr.vector.reduce.fmin PS - in
intr.vector.reduce.fminimum PS - in
intr.vector.reduce.fmul PS - start_value input
intr.vector.reduce.mul PS - in
intr.vector.reduce.or PS - in
intr.vector.reduce.smax PS - in
intr.vector.reduce.smin PS - in
intr.vector.reduce.umax PS - in
intr.vector.reduce.umin PS - in
intr.vector.reduce.xor PS - in
intr.vp.add PS - lhs rhs mask evl
intr.vp.and PS - lhs rhs mask evl
intr.vp.ashr PS - lhs rhs mask evl
intr.vp.fadd PS - lhs rhs mask evl
intr.vp.fdiv PS - lhs rhs mask evl
intr.vp.fma PS - op1 op2 op3 mask evl
intr.vp.fmul PS - lhs rhs mask evl
intr.vp.fmuladd PS - op1 op2 op3 mask evl
intr.vp.fneg PS - op mask evl
intr.vp.fpext PS - src mask evl
intr.vp.fptosi PS - src mask evl
intr.vp.fptoui PS - src mask evl
intr.vp.fptrunc PS - src mask evl
intr.vp.frem PS - lhs rhs mask evl
intr.vp.fsub PS - lhs rhs mask evl
intr.vp.inttoptr PS - src mask evl
intr.vp.load - - ptr mask evl
intr.vp.lshr PS - lhs rhs mask evl
intr.vp.merge PS - cond true_val false_val evl
intr.vp.mul PS - lhs rhs mask evl
intr.vp.or PS - lhs rhs mask evl
intr.vp.ptrtoint PS - src mask evl
intr.vp.reduce.add PS - satrt_value val mask evl
intr.vp.reduce.and PS - satrt_value val mask evl
intr.vp.reduce.fadd PS - satrt_value val mask evl
intr.vp.reduce.fmax PS - satrt_value val mask evl
intr.vp.reduce.fmin PS - satrt_value val mask evl
intr.vp.reduce.fmul PS - satrt_value val mask evl
intr.vp.reduce.mul PS - satrt_value val mask evl
intr.vp.reduce.or PS - satrt_value val mask evl
intr.vp.reduce.smax PS - satrt_value val mask evl
intr.vp.reduce.smin PS - satrt_value val mask evl
intr.vp.reduce.umax PS - satrt_value val mask evl
intr.vp.reduce.umin PS - satrt_value val mask evl
intr.vp.reduce.xor PS - satrt_value val mask evl
intr.vp.sdiv PS - lhs rhs mask evl
intr.vp.select PS - cond true_val false_val evl
intr.vp.sext PS - src mask evl
intr.vp.shl PS - lhs rhs mask evl
intr.vp.sitofp PS - src mask evl
intr.vp.smax PS - lhs rhs mask evl
intr.vp.smin PS - lhs rhs mask evl
intr.vp.srem PS - lhs rhs mask evl
intr.vp.store - - val ptr mask evl
intr.vp.sub PS - lhs rhs mask evl
intr.vp.trunc PS - src mask evl
intr.vp.udiv PS - lhs rhs mask evl
intr.vp.uitofp PS - src mask evl
intr.vp.umax PS - lhs rhs mask evl
intr.vp.umin PS - lhs rhs mask evl
intr.vp.urem PS - lhs rhs mask evl
intr.vp.xor PS - lhs rhs mask evl
intr.vp.zext PS - src mask evl
intr.vscale - -
inttoptr PS - arg
invoke T - callee_operands* normalDestOperands* unwindDestOperands* op_bundle_operands*
landingpad - - arg0*
linker_options - -
load M - addr
lshr PS - lhs rhs
mlir.addressof CPS -
mlir.alias IY -
mlir.constant CPS -
mlir.global IY -
mlir.global_ctors - -
mlir.global_dtors - -
mlir.ifunc IY -
mlir.none PS -
mlir.poison CPS -
mlir.undef CPS -
mlir.zero CPS -
module_flags - -
mul KPS - lhs rhs
or PS - lhs rhs
ptrtoint PS - arg
resume T - value
return PRST - arg?
sdiv Pc - lhs rhs
select PS - condition trueValue falseValue
sext PS - arg
shl PS - lhs rhs
shufflevector PS - v1 v2
sitofp PS - arg
srem PS - lhs rhs
store M - value addr
sub PS - lhs rhs
switch PST - value defaultOperands* caseOperands*
trunc PS - arg
udiv Pc - lhs rhs
uitofp PS - arg
unreachable T -
urem PS - lhs rhs
va_arg - - arg
xor PS - lhs rhs
zext PS - arg
"""
