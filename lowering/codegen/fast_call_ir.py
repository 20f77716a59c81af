"""LLVM IR of the call path: from the interpreter's vector call to a compiled entry, without Python code.

``lamina_call`` has the signature of CPython's ``vectorcallfunc``. It takes calls with all inputs by position
and either no ``out`` or ``out=`` with arrays, checks them as :mod:`arguments` does, and runs the entry
without the interpreter lock. Everything else (names, lists, other layouts, mistakes) goes to the method
``_call``.

The layout of what it reads (see :mod:`fast_call`, which fills the first two):

* a *state*: thunk, entry, number of inputs, number of outputs, pointer to infos, number of arenas, pointer to
  arenas;
* an *info* for each input, then each output: dtype, rank, pointer to extents, flags that must be set, bytes;
* an *arena*: its address, and whether a call uses it, which is read and written under the interpreter lock.
"""

from __future__ import annotations

from collections.abc import Sequence

HEAD = object.__basicsize__
"""Bytes of a reference count and a type pointer."""
VECTORCALL = HEAD
STATE = HEAD + 8
"""Where a callable object keeps its function and its state."""
OBJECT_BYTES = HEAD + 16

DATA, RANK, EXTENTS, DTYPE, FLAGS = HEAD, HEAD + 8, HEAD + 16, HEAD + 40, HEAD + 48
"""Fields of NumPy's array object."""


# The address of an array's elements; null where the object is no array as the info says.
_CHECKED = f"""
define internal ptr @checked(ptr %array, ptr %info) alwaysinline {{
entry:
  %type.at = getelementptr i8, ptr %array, i64 {HEAD - 8}
  %type = load ptr, ptr %type.at
  %is.array = icmp eq ptr %type, @lamina_ndarray
  br i1 %is.array, label %fields, label %no
fields:
  %dtype.at = getelementptr i8, ptr %array, i64 {DTYPE}
  %dtype = load ptr, ptr %dtype.at
  %dtype.wanted = load ptr, ptr %info
  %dtype.fits = icmp eq ptr %dtype, %dtype.wanted
  %rank.at = getelementptr i8, ptr %array, i64 {RANK}
  %rank.short = load i32, ptr %rank.at
  %rank = sext i32 %rank.short to i64
  %rank.wanted.at = getelementptr i8, ptr %info, i64 8
  %rank.wanted = load i64, ptr %rank.wanted.at
  %rank.fits = icmp eq i64 %rank, %rank.wanted
  %flags.at = getelementptr i8, ptr %array, i64 {FLAGS}
  %flags.short = load i32, ptr %flags.at
  %flags = zext i32 %flags.short to i64
  %flags.wanted.at = getelementptr i8, ptr %info, i64 24
  %flags.wanted = load i64, ptr %flags.wanted.at
  %flags.set = and i64 %flags, %flags.wanted
  %flags.fit = icmp eq i64 %flags.set, %flags.wanted
  %one = and i1 %dtype.fits, %rank.fits
  %all = and i1 %one, %flags.fit
  br i1 %all, label %shape, label %no
shape:
  %extents.at = getelementptr i8, ptr %array, i64 {EXTENTS}
  %extents = load ptr, ptr %extents.at
  %extents.wanted.at = getelementptr i8, ptr %info, i64 16
  %extents.wanted = load ptr, ptr %extents.wanted.at
  br label %next
next:
  %i = phi i64 [ 0, %shape ], [ %i.after, %compare ]
  %more = icmp slt i64 %i, %rank
  br i1 %more, label %compare, label %yes
compare:
  %extent.at = getelementptr i64, ptr %extents, i64 %i
  %extent = load i64, ptr %extent.at
  %extent.wanted.at = getelementptr i64, ptr %extents.wanted, i64 %i
  %extent.wanted = load i64, ptr %extent.wanted.at
  %i.after = add i64 %i, 1
  %extent.fits = icmp eq i64 %extent, %extent.wanted
  br i1 %extent.fits, label %next, label %no
yes:
  %data.at = getelementptr i8, ptr %array, i64 {DATA}
  %data = load ptr, ptr %data.at
  ret ptr %data
no:
  ret ptr null
}}
"""

# Checks arrays against infos and stores their addresses; whether all fit.
_CHECK_ALL = """
define internal i1 @check_all(ptr %arrays, ptr %infos, ptr %addresses, i64 %count) alwaysinline {
entry:
  br label %next
next:
  %i = phi i64 [ 0, %entry ], [ %i.after, %fits ]
  %more = icmp slt i64 %i, %count
  br i1 %more, label %check, label %done
check:
  %array.at = getelementptr ptr, ptr %arrays, i64 %i
  %array = load ptr, ptr %array.at
  %info = getelementptr %info, ptr %infos, i64 %i
  %data = call ptr @checked(ptr %array, ptr %info)
  %wrong = icmp eq ptr %data, null
  br i1 %wrong, label %no, label %fits
fits:
  %address.at = getelementptr ptr, ptr %addresses, i64 %i
  store ptr %data, ptr %address.at
  %i.after = add i64 %i, 1
  br label %next
done:
  ret i1 true
no:
  ret i1 false
}
"""

# Whether an output shares memory with an input or another output.
_OVERLAP = """
define internal i1 @overlap(ptr %infos, ptr %addresses, i64 %inputs, i64 %all) {
entry:
  br label %outer
outer:
  %i = phi i64 [ %inputs, %entry ], [ %i.after, %outer.end ]
  %more = icmp slt i64 %i, %all
  br i1 %more, label %output, label %no
output:
  %start.at = getelementptr i64, ptr %addresses, i64 %i
  %start = load i64, ptr %start.at
  %size.at = getelementptr %info, ptr %infos, i64 %i, i32 4
  %size = load i64, ptr %size.at
  %end = add i64 %start, %size
  br label %inner
inner:
  %j = phi i64 [ 0, %output ], [ %j.after, %compare ]
  %more.inner = icmp slt i64 %j, %i
  br i1 %more.inner, label %compare, label %outer.end
compare:
  %other.at = getelementptr i64, ptr %addresses, i64 %j
  %other = load i64, ptr %other.at
  %other.size.at = getelementptr %info, ptr %infos, i64 %j, i32 4
  %other.size = load i64, ptr %other.size.at
  %other.end = add i64 %other, %other.size
  %before = icmp ult i64 %start, %other.end
  %after = icmp ult i64 %other, %end
  %both = and i1 %before, %after
  %j.after = add i64 %j, 1
  br i1 %both, label %yes, label %inner
outer.end:
  %i.after = add i64 %i, 1
  br label %outer
no:
  ret i1 false
yes:
  ret i1 true
}
"""

# The first arena that no call uses, now taken; null where all are used. Where the entry needs none, and there
# is none, the place of the first.
_TAKE_ARENA = """
define internal ptr @take_arena(ptr %arenas, i64 %count) {
entry:
  %needless = icmp eq i64 %count, 0
  br i1 %needless, label %any, label %first
any:
  ret ptr %arenas
first:
  br label %next
next:
  %i = phi i64 [ 0, %first ], [ %i.after, %used ]
  %more = icmp slt i64 %i, %count
  br i1 %more, label %look, label %none
look:
  %arena = getelementptr %arena, ptr %arenas, i64 %i
  %busy.at = getelementptr %arena, ptr %arena, i64 0, i32 1
  %busy = load i64, ptr %busy.at
  %free = icmp eq i64 %busy, 0
  br i1 %free, label %take, label %used
take:
  store i64 1, ptr %busy.at
  ret ptr %arena
used:
  %i.after = add i64 %i, 1
  br label %next
none:
  ret ptr null
}
"""

# New arrays for the results, their addresses stored; false, with a Python error set, where memory ends.
_NEW_ARRAYS = """
define internal i1 @new_arrays(ptr %infos, ptr %arrays, ptr %addresses, i64 %count) {
entry:
  br label %next
next:
  %i = phi i64 [ 0, %entry ], [ %i.after, %made ]
  %more = icmp slt i64 %i, %count
  br i1 %more, label %make, label %yes
make:
  %info = getelementptr %info, ptr %infos, i64 %i
  %dtype = load ptr, ptr %info
  %rank.at = getelementptr %info, ptr %info, i64 0, i32 1
  %rank = load i64, ptr %rank.at
  %rank.short = trunc i64 %rank to i32
  %extents.at = getelementptr %info, ptr %info, i64 0, i32 2
  %extents = load ptr, ptr %extents.at
  call void @Py_IncRef(ptr %dtype)
  %array = call ptr @lamina_empty(i32 %rank.short, ptr %extents, ptr %dtype, i32 0)
  %failed = icmp eq ptr %array, null
  br i1 %failed, label %no, label %made
made:
  %array.at = getelementptr ptr, ptr %arrays, i64 %i
  store ptr %array, ptr %array.at
  %data.at = getelementptr i8, ptr %array, i64 DATA
  %data = load ptr, ptr %data.at
  %address.at = getelementptr ptr, ptr %addresses, i64 %i
  store ptr %data, ptr %address.at
  %i.after = add i64 %i, 1
  br label %next
yes:
  ret i1 true
no:
  call void @release(ptr %arrays, i64 %i)
  ret i1 false
}
define internal void @release(ptr %arrays, i64 %count) {
entry:
  br label %next
next:
  %i = phi i64 [ 0, %entry ], [ %i.after, %drop ]
  %more = icmp slt i64 %i, %count
  br i1 %more, label %drop, label %end
drop:
  %at = getelementptr ptr, ptr %arrays, i64 %i
  %array = load ptr, ptr %at
  call void @Py_DecRef(ptr %array)
  %i.after = add i64 %i, 1
  br label %next
end:
  ret void
}
""".replace("DATA", str(DATA))

# The result of a call: the only array, or a tuple. Takes over the arrays' references.
_RESULT = f"""
define internal ptr @result(ptr %arrays, i64 %count) {{
entry:
  %alone = icmp eq i64 %count, 1
  br i1 %alone, label %one, label %several
one:
  %only = load ptr, ptr %arrays
  ret ptr %only
several:
  %tuple = call ptr @PyTuple_New(i64 %count)
  %failed = icmp eq ptr %tuple, null
  br i1 %failed, label %no, label %fill
fill:
  %items = getelementptr i8, ptr %tuple, i64 {HEAD + 8}
  %size = mul i64 %count, 8
  call void @llvm.memcpy.p0.p0.i64(ptr %items, ptr %arrays, i64 %size, i1 false)
  ret ptr %tuple
no:
  call void @release(ptr %arrays, i64 %count)
  ret ptr null
}}
"""

# The arrays that ``out=`` gives; null where it is no array or tuple of the right number.
_GIVEN = f"""
define internal ptr @given(ptr %place, ptr %names, i64 %outputs) {{
entry:
  %count.at = getelementptr i8, ptr %names, i64 {HEAD}
  %count = load i64, ptr %count.at
  %name.at = getelementptr i8, ptr %names, i64 {HEAD + 8}
  %name = load ptr, ptr %name.at
  %one = icmp eq i64 %count, 1
  %named.out = icmp eq ptr %name, @lamina_out
  %good = and i1 %one, %named.out
  br i1 %good, label %look, label %no
look:
  %value = load ptr, ptr %place
  %type.at = getelementptr i8, ptr %value, i64 {HEAD - 8}
  %type = load ptr, ptr %type.at
  %is.tuple = icmp eq ptr %type, @lamina_tuple
  br i1 %is.tuple, label %tuple, label %single
single:
  %alone = icmp eq i64 %outputs, 1
  br i1 %alone, label %place.only, label %no
place.only:
  ret ptr %place
tuple:
  %size.at = getelementptr i8, ptr %value, i64 {HEAD}
  %size = load i64, ptr %size.at
  %fits = icmp eq i64 %size, %outputs
  %items = getelementptr i8, ptr %value, i64 {HEAD + 8}
  br i1 %fits, label %items.only, label %no
items.only:
  ret ptr %items
no:
  ret ptr null
}}
"""

# The same call by the method ``_call``, which takes every form and tells mistakes.
_SLOW = f"""
define internal ptr @slow(ptr %self, ptr %args, i64 %positional, ptr %names) {{
entry:
  %unnamed = icmp eq ptr %names, null
  br i1 %unnamed, label %copy, label %count
count:
  %named.at = getelementptr i8, ptr %names, i64 {HEAD}
  %named = load i64, ptr %named.at
  br label %copy
copy:
  %more = phi i64 [ 0, %entry ], [ %named, %count ]
  %given = add i64 %positional, %more
  %all = add i64 %given, 1
  %values = alloca ptr, i64 %all
  store ptr %self, ptr %values
  %rest = getelementptr ptr, ptr %values, i64 1
  %size = mul i64 %given, 8
  call void @llvm.memcpy.p0.p0.i64(ptr %rest, ptr %args, i64 %size, i1 false)
  %with.self = add i64 %positional, 1
  %result = call ptr @PyObject_VectorcallMethod(ptr @lamina_method, ptr %values, i64 %with.self, ptr %names)
  ret ptr %result
}}
"""

_CALL = f"""
define ptr @lamina_call(ptr %self, ptr %args, i64 %nargsf, ptr %names) {{
entry:
  %state.at = getelementptr i8, ptr %self, i64 {STATE}
  %state = load ptr, ptr %state.at
  %positional = and i64 %nargsf, 9223372036854775807
  %inputs.at = getelementptr %state, ptr %state, i64 0, i32 2
  %inputs = load i64, ptr %inputs.at
  %outputs.at = getelementptr %state, ptr %state, i64 0, i32 3
  %outputs = load i64, ptr %outputs.at
  %infos.at = getelementptr %state, ptr %state, i64 0, i32 4
  %infos = load ptr, ptr %infos.at
  %infos.out = getelementptr %info, ptr %infos, i64 %inputs
  %all = add i64 %inputs, %outputs
  %places = add i64 %all, 1
  %addresses = alloca ptr, i64 %places
  %addresses.out = getelementptr ptr, ptr %addresses, i64 %inputs
  %arrays = alloca ptr, i64 %places
  %complete = icmp eq i64 %positional, %inputs
  br i1 %complete, label %check, label %otherwise
check:
  %good = call i1 @check_all(ptr %args, ptr %infos, ptr %addresses, i64 %inputs)
  br i1 %good, label %destinations, label %otherwise
destinations:
  %fresh = icmp eq ptr %names, null
  br i1 %fresh, label %arena, label %with.out
with.out:
  %place = getelementptr ptr, ptr %args, i64 %positional
  %given = call ptr @given(ptr %place, ptr %names, i64 %outputs)
  %unknown = icmp eq ptr %given, null
  br i1 %unknown, label %otherwise, label %check.out
check.out:
  %good.out = call i1 @check_all(ptr %given, ptr %infos.out, ptr %addresses.out, i64 %outputs)
  br i1 %good.out, label %apart, label %otherwise
apart:
  %shared = call i1 @overlap(ptr %infos, ptr %addresses, i64 %inputs, i64 %all)
  br i1 %shared, label %otherwise, label %keep
keep:
  %keep.i = phi i64 [ 0, %apart ], [ %keep.after, %keep.next ]
  %keep.more = icmp slt i64 %keep.i, %outputs
  br i1 %keep.more, label %keep.next, label %arena
keep.next:
  %keep.at = getelementptr ptr, ptr %given, i64 %keep.i
  %kept = load ptr, ptr %keep.at
  %keep.to = getelementptr ptr, ptr %arrays, i64 %keep.i
  store ptr %kept, ptr %keep.to
  %keep.after = add i64 %keep.i, 1
  br label %keep
arena:
  %arenas.at = getelementptr %state, ptr %state, i64 0, i32 6
  %arenas = load ptr, ptr %arenas.at
  %arena.count.at = getelementptr %state, ptr %state, i64 0, i32 5
  %arena.count = load i64, ptr %arena.count.at
  %taken = call ptr @take_arena(ptr %arenas, i64 %arena.count)
  %none = icmp eq ptr %taken, null
  br i1 %none, label %otherwise, label %made
made:
  %working = load ptr, ptr %taken
  %working.at = getelementptr ptr, ptr %addresses, i64 %all
  store ptr %working, ptr %working.at
  br i1 %fresh, label %make, label %hold
make:
  %enough = call i1 @new_arrays(ptr %infos.out, ptr %arrays, ptr %addresses.out, i64 %outputs)
  br i1 %enough, label %run, label %failed
hold:
  %hold.i = phi i64 [ 0, %made ], [ %hold.after, %hold.next ]
  %hold.more = icmp slt i64 %hold.i, %outputs
  br i1 %hold.more, label %hold.next, label %run
hold.next:
  %hold.at = getelementptr ptr, ptr %arrays, i64 %hold.i
  %held = load ptr, ptr %hold.at
  call void @Py_IncRef(ptr %held)
  %hold.after = add i64 %hold.i, 1
  br label %hold
run:
  %thunk = load ptr, ptr %state
  %entry.at = getelementptr %state, ptr %state, i64 0, i32 1
  %entry.address = load ptr, ptr %entry.at
  %thread = call ptr @PyEval_SaveThread()
  call void %thunk(ptr %entry.address, ptr %addresses)
  call void @PyEval_RestoreThread(ptr %thread)
  call void @give_back(ptr %taken)
  %result = call ptr @result(ptr %arrays, i64 %outputs)
  ret ptr %result
failed:
  call void @give_back(ptr %taken)
  ret ptr null
otherwise:
  %slowly = tail call ptr @slow(ptr %self, ptr %args, i64 %positional, ptr %names)
  ret ptr %slowly
}}
define internal void @give_back(ptr %arena) alwaysinline {{
  %busy.at = getelementptr %arena, ptr %arena, i64 0, i32 1
  store i64 0, ptr %busy.at
  ret void
}}
"""

_DECLARATIONS = """
%state = type { ptr, ptr, i64, i64, ptr, i64, ptr }
%info = type { ptr, i64, ptr, i64, i64 }
%arena = type { ptr, i64 }
@lamina_ndarray = external global i8
@lamina_tuple = external global i8
@lamina_out = external global i8
@lamina_method = external global i8
declare ptr @lamina_empty(i32, ptr, ptr, i32)
declare void @Py_IncRef(ptr)
declare void @Py_DecRef(ptr)
declare ptr @PyTuple_New(i64)
declare ptr @PyEval_SaveThread()
declare void @PyEval_RestoreThread(ptr)
declare ptr @PyObject_VectorcallMethod(ptr, ptr, i64, ptr)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
"""

FAST_CALL_IR = "".join(
    (_DECLARATIONS, _CHECKED, _CHECK_ALL, _OVERLAP, _TAKE_ARENA, _NEW_ARRAYS, _RESULT, _GIVEN, _SLOW, _CALL)
)
FAST_CALL, THUNK = "lamina_call", "thunk"
PYTHON_FUNCTIONS = (
    "Py_IncRef",
    "Py_DecRef",
    "PyTuple_New",
    "PyEval_SaveThread",
    "PyEval_RestoreThread",
    "PyObject_VectorcallMethod",
)


def thunk_ir(order: Sequence[int]) -> str:
    """A function ``thunk`` that calls an entry with addresses from a list, in the order of its arguments."""
    lines: list[str] = []
    for number, place in enumerate(order):
        lines.append(f"  %at{number} = getelementptr ptr, ptr %list, i64 {place}")
        lines.append(f"  %argument{number} = load ptr, ptr %at{number}")
    passed = ", ".join(f"ptr %argument{number}" for number in range(len(order)))
    return "\n".join(
        (
            "define void @thunk(ptr %entry, ptr %list) {",
            *lines,
            f"  call void %entry({passed})",
            "  ret void",
            "}\n",
        )
    )
