"""LLVM IR of the worker pool: threads that share the chunks of a parallel region.

One pool a process. A region's caller publishes a *ticket*, which holds a generation in its upper half and the
number of chunks that nobody has begun in its lower half. Who takes a chunk replaces the ticket by one with a
chunk less; that succeeds only while the ticket's region is still running, so a worker that comes late touches
nothing of the next one. The caller works, too, and returns when all chunks are done.

Workers spin for 100 to 200 us after a region, then sleep on a futex. A region that finds the pool taken (by
another caller), or that begins inside another one, runs on its caller alone. Workers block all signals.
"""

from __future__ import annotations

POOL, RUN_CHUNKS = "lamina_pool", "lamina_parallel"
POOL_BYTES = 256
_SPINS = 4000
"""Pauses before a worker sleeps: 100 to 200 us."""
_PATIENCE = 2000
"""Pauses before a caller, which waits for the last chunks, lets other threads have its core."""
_FUTEX = {"x86_64": 202, "aarch64": 98}
_PAUSE = {
    "x86_64": ("  call void @llvm.x86.sse2.pause()", "declare void @llvm.x86.sse2.pause()"),
    "aarch64": ('  call void asm sideeffect "yield", ""()', ""),
}
# Fields of the pool, by their offsets. The ticket, which comes first, and the count of chunks done have a
# cache line each.
_GENERATION, _DONE, _TASK, _CONTEXT, _CHUNKS, _WIDTH, _LOCK, _SLEEPERS, _WORKERS = (
    4, 64, 128, 136, 144, 152, 156, 192, 196,
)  # fmt: skip

_ON_CALLER = """
define internal void @on_caller(ptr %task, ptr %context, i64 %chunks) {
entry:
  br label %next
next:
  %i = phi i64 [ 0, %entry ], [ %after, %run ]
  %more = icmp slt i64 %i, %chunks
  br i1 %more, label %run, label %end
run:
  call void %task(ptr %context, i64 %i)
  %after = add i64 %i, 1
  br label %next
end:
  ret void
}
"""

ON_CALLER_IR = (
    _ON_CALLER
    + f"""
define weak void @{RUN_CHUNKS}(ptr %task, ptr %context, i64 %chunks, i32 %threads) {{
  call void @on_caller(ptr %task, ptr %context, i64 %chunks)
  ret void
}}
"""
)
"""The same function without threads, which any other definition replaces."""
SEQUENTIAL_IR = f"{ON_CALLER_IR}@{POOL} = global [{POOL_BYTES} x i8] zeroinitializer\n"

_POOL_IR = """
@lamina_pool = global [256 x i8] zeroinitializer, align 64
declare i32 @pthread_create(ptr, ptr, ptr, ptr)
declare i32 @pthread_detach(i64)
declare i32 @pthread_sigmask(i32, ptr, ptr)
declare i32 @sigfillset(ptr)
declare i32 @sched_yield()
declare i64 @syscall(i64, ...)
{declare_pause}

define internal void @work(i64 %generation) {{
entry:
  br label %look
look:
  %ticket = load atomic i64, ptr @lamina_pool acquire, align 8
  %found = lshr i64 %ticket, 32
  %current = icmp eq i64 %found, %generation
  %left = and i64 %ticket, 4294967295
  %some = icmp ne i64 %left, 0
  %go = and i1 %current, %some
  br i1 %go, label %claim, label %end
claim:
  %less = sub i64 %ticket, 1
  %pair = cmpxchg ptr @lamina_pool, i64 %ticket, i64 %less acq_rel acquire, align 8
  %mine = extractvalue {{ i64, i1 }} %pair, 1
  br i1 %mine, label %run, label %look
run:
  %chunks = load i64, ptr getelementptr (i8, ptr @lamina_pool, i64 {CHUNKS})
  %task = load ptr, ptr getelementptr (i8, ptr @lamina_pool, i64 {TASK})
  %context = load ptr, ptr getelementptr (i8, ptr @lamina_pool, i64 {CONTEXT})
  %chunk = sub i64 %chunks, %left
  call void %task(ptr %context, i64 %chunk)
  %before = atomicrmw add ptr getelementptr (i8, ptr @lamina_pool, i64 {DONE}), i64 1 acq_rel, align 8
  br label %look
end:
  ret void
}}

define internal ptr @worker(ptr %argument) {{
entry:
  %number = ptrtoint ptr %argument to i64
  br label %look
look:
  %last = phi i64 [ -1, %entry ], [ %last, %spin ], [ %generation, %join ], [ %last, %sleep ]
  %spins = phi i64 [ 0, %entry ], [ %spins.after, %spin ], [ 0, %join ], [ 0, %sleep ]
  %ticket = load atomic i64, ptr @lamina_pool acquire, align 8
  %generation = lshr i64 %ticket, 32
  %new = icmp ne i64 %generation, %last
  br i1 %new, label %begin, label %idle
begin:
  %width = load atomic i32, ptr getelementptr (i8, ptr @lamina_pool, i64 {WIDTH}) monotonic, align 4
  %width.long = zext i32 %width to i64
  %next.number = add i64 %number, 1
  %takes.part = icmp ult i64 %next.number, %width.long
  br i1 %takes.part, label %help, label %join
help:
  call void @work(i64 %generation)
  br label %join
join:
  br label %look
idle:
  %spins.after = add i64 %spins, 1
  %enough = icmp ugt i64 %spins, {SPINS}
  br i1 %enough, label %sleep, label %spin
spin:
{pause}
  br label %look
sleep:
  %more = atomicrmw add ptr getelementptr (i8, ptr @lamina_pool, i64 {SLEEPERS}), i32 1 seq_cst, align 4
  %seen = trunc i64 %last to i32
  %woken = call i64 (i64, ...) @syscall(i64 {FUTEX}, ptr getelementptr (i8, ptr @lamina_pool, i64 {GENERATION}), i32 128, i32 %seen, ptr null)
  %fewer = atomicrmw sub ptr getelementptr (i8, ptr @lamina_pool, i64 {SLEEPERS}), i32 1 seq_cst, align 4
  br label %look
}}

define internal void @grow(i32 %wanted) {{
entry:
  %all = alloca [128 x i8], align 16
  %old = alloca [128 x i8], align 16
  %thread = alloca i64, align 8
  %filled = call i32 @sigfillset(ptr %all)
  %blocked = call i32 @pthread_sigmask(i32 0, ptr %all, ptr %old)
  br label %next
next:
  %count = load i32, ptr getelementptr (i8, ptr @lamina_pool, i64 {WORKERS})
  %more = icmp ult i32 %count, %wanted
  br i1 %more, label %create, label %end
create:
  %number = zext i32 %count to i64
  %argument = inttoptr i64 %number to ptr
  %failed.code = call i32 @pthread_create(ptr %thread, ptr null, ptr @worker, ptr %argument)
  %failed = icmp ne i32 %failed.code, 0
  br i1 %failed, label %end, label %created
created:
  %id = load i64, ptr %thread
  %detached = call i32 @pthread_detach(i64 %id)
  %count.after = add i32 %count, 1
  store i32 %count.after, ptr getelementptr (i8, ptr @lamina_pool, i64 {WORKERS})
  br label %next
end:
  %restored = call i32 @pthread_sigmask(i32 2, ptr %old, ptr null)
  ret void
}}

define void @lamina_parallel(ptr %task, ptr %context, i64 %chunks, i32 %threads) {{
entry:
  %alone = icmp ult i32 %threads, 2
  br i1 %alone, label %sequential, label %lock
lock:
  %pair = cmpxchg ptr getelementptr (i8, ptr @lamina_pool, i64 {LOCK}), i32 0, i32 1 acquire monotonic, align 4
  %locked = extractvalue {{ i32, i1 }} %pair, 1
  br i1 %locked, label %have, label %sequential
sequential:
  call void @on_caller(ptr %task, ptr %context, i64 %chunks)
  ret void
have:
  %workers = load i32, ptr getelementptr (i8, ptr @lamina_pool, i64 {WORKERS})
  %wanted = sub i32 %threads, 1
  %few = icmp ult i32 %workers, %wanted
  br i1 %few, label %grow, label %publish
grow:
  call void @grow(i32 %wanted)
  br label %publish
publish:
  store ptr %task, ptr getelementptr (i8, ptr @lamina_pool, i64 {TASK})
  store ptr %context, ptr getelementptr (i8, ptr @lamina_pool, i64 {CONTEXT})
  store i64 %chunks, ptr getelementptr (i8, ptr @lamina_pool, i64 {CHUNKS})
  store atomic i32 %threads, ptr getelementptr (i8, ptr @lamina_pool, i64 {WIDTH}) monotonic, align 4
  store atomic i64 0, ptr getelementptr (i8, ptr @lamina_pool, i64 {DONE}) monotonic, align 8
  %old = load atomic i64, ptr @lamina_pool monotonic, align 8
  %generation.old = lshr i64 %old, 32
  %generation.next = add i64 %generation.old, 1
  %generation = and i64 %generation.next, 4294967295
  %upper = shl i64 %generation, 32
  %ticket = or i64 %upper, %chunks
  store atomic i64 %ticket, ptr @lamina_pool seq_cst, align 8
  %sleepers = load atomic i32, ptr getelementptr (i8, ptr @lamina_pool, i64 {SLEEPERS}) seq_cst, align 4
  %asleep = icmp ne i32 %sleepers, 0
  br i1 %asleep, label %wake, label %take.part
wake:
  %woken = call i64 (i64, ...) @syscall(i64 {FUTEX}, ptr getelementptr (i8, ptr @lamina_pool, i64 {GENERATION}), i32 129, i32 2147483647)
  br label %take.part
take.part:
  call void @work(i64 %generation)
  br label %wait
wait:
  %spins = phi i64 [ 0, %take.part ], [ %spins.after, %pause ], [ %spins.after, %yield ]
  %done = load atomic i64, ptr getelementptr (i8, ptr @lamina_pool, i64 {DONE}) acquire, align 8
  %complete = icmp eq i64 %done, %chunks
  br i1 %complete, label %unlock, label %again
again:
  %spins.after = add i64 %spins, 1
  %impatient = icmp ugt i64 %spins, {PATIENCE}
  br i1 %impatient, label %yield, label %pause
yield:
  %yielded = call i32 @sched_yield()
  br label %wait
pause:
{pause}
  br label %wait
unlock:
  store atomic i32 0, ptr getelementptr (i8, ptr @lamina_pool, i64 {LOCK}) release, align 4
  ret void
}}
"""  # noqa: E501


def worker_pool_ir(machine: str) -> str:
    """The pool for Linux on a machine, by the name that ``platform.machine`` gives it."""
    if machine not in _FUTEX:
        return SEQUENTIAL_IR
    pause, declaration = _PAUSE[machine]
    return _ON_CALLER + _POOL_IR.format(
        pause=pause,
        declare_pause=declaration,
        FUTEX=_FUTEX[machine],
        SPINS=_SPINS,
        PATIENCE=_PATIENCE,
        GENERATION=_GENERATION,
        DONE=_DONE,
        TASK=_TASK,
        CONTEXT=_CONTEXT,
        CHUNKS=_CHUNKS,
        WIDTH=_WIDTH,
        LOCK=_LOCK,
        SLEEPERS=_SLEEPERS,
        WORKERS=_WORKERS,
    )
