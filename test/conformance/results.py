"""Whether ``canonicalize`` and ``cse`` keep what upstream's own test functions compute.

    python test/conformance/results.py [UPSTREAM/mlir/test] [--dialect D]

Each function of a chunk that the reference interpreter can run, on scalars, and on vectors, tensors and
buffers of static shapes, is run before and after on special values (zeros of both signs, NaN, infinities,
the least and the greatest integer) and random ones. Results and buffers have to be equal bit for bit; all
NaN count as one. Where the result is poison, anything may take its place: such functions are left out.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

import numpy as np
from chunks import DIALECTS, Chunk, chunks, upstream_tests
from limits import TooLong, within
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    BFloat16Type,
    Float16Type,
    Float32Type,
    Float64Type,
    IndexType,
    IntegerType,
    MemRefType,
    ModuleOp,
    NoneAttr,
    TensorType,
    VectorType,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation, SSAValue

import lamina
from lamina.dialects.core.diagnostics import LaminaError
from lamina.dialects.core.dtypes import numpy_dtype
from lamina.dialects.core.folding import flags_of
from lamina.dialects.vector.simplify.common import numbers
from lamina.lowering.interpreter.machine import Interpreter

ROUNDS = 10
FLOATS = (0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0e38, float("inf"), float("-inf"), float("nan"))
MOST_ELEMENTS = 512


def is_runnable(type: Attribute) -> bool:
    """Whether values of a type can be made up."""
    if isinstance(type, VectorType | TensorType | MemRefType):
        if not type.has_static_shape() or np.prod(type.get_shape()) > MOST_ELEMENTS:
            return False
        if isinstance(type, MemRefType) and not isinstance(type.layout, NoneAttr):
            return False
        if isinstance(type, VectorType) and any(flag.value.data for flag in type.scalable_dims):
            return False
        element = type.get_element_type()
        return not isinstance(element, VectorType | TensorType | MemRefType) and is_runnable(element)
    if isinstance(type, IntegerType):
        return type.width.data in (1, 8, 16, 32, 64)
    return isinstance(type, IndexType | BFloat16Type | Float16Type | Float32Type | Float64Type)


def value_of(type: Attribute, chance: random.Random) -> Any:
    """A value of a type: a special one, or a random one."""
    if isinstance(type, VectorType | TensorType | MemRefType):
        element = type.get_element_type()
        count = int(np.prod(type.get_shape()))
        flat = [value_of(element, chance) for _ in range(count)]
        return np.array(flat, numpy_dtype(element)).reshape(type.get_shape())
    dtype = numpy_dtype(type)
    if dtype.kind == "b":
        return np.bool_(chance.random() < 0.5)
    if isinstance(type, IndexType):
        return np.int64(chance.choice((0, 1, 2, 3, 5, 8)))
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        special = (0, 1, 2, 3, 7, info.max, info.min, info.max - 1, info.min + 1)
        number = chance.choice(special) if chance.random() < 0.7 else chance.randint(info.min, info.max)
        return dtype.type(number)
    number = chance.choice(FLOATS) if chance.random() < 0.6 else chance.uniform(-100, 100)
    with np.errstate(all="ignore"):
        return dtype.type(number)


def bits(value: Any) -> object:
    """A value bit for bit; all NaN count as one."""
    array = np.ascontiguousarray(value)
    if array.dtype.kind not in "biuc":
        with np.errstate(all="ignore"):
            array = np.where(np.isnan(array.astype(np.float64)), np.array(np.nan, array.dtype), array)
    return array.dtype.str, array.shape, array.tobytes()


class Undefined(Exception):
    """What is computed is undefined or poison: anything may take its place."""


class Unrunnable(Exception):
    """The interpreter does not know an op, or takes too long."""


class Strict(Interpreter):
    """Refuses what has no defined result, and rounds functions of math once, as they are folded."""

    def run_op(self, op: Operation, operands: Sequence[Any]) -> Sequence[Any]:
        name = op.name.partition(".")[2]
        if op.name.startswith("arith.") and is_undefined(op, name, operands):
            raise Undefined
        if op.name == "scf.for" and int(operands[2]) <= 0:
            raise Undefined
        if op.name == "memref.reinterpret_cast":
            raise Unrunnable  # may reach beyond the memory that there is
        results = super().run_op(op, operands)
        if op.name in ("memref.alloc", "memref.alloca"):
            results[0][...] = 0
        if op.name.startswith("math.") and name != "fma" and np.asarray(results[0]).dtype.kind not in "biu":
            wide = [np.asarray(v, np.float64) if np.asarray(v).dtype.kind == "f" else v for v in operands]
            dtype = np.asarray(results[0]).dtype
            results = [np.asarray(value).astype(dtype)[()] for value in super().run_op(op, wide)]
        if not all(map(has_its_shape, results, op.results)):
            raise Undefined
        return results


def has_its_shape(value: Any, result: SSAValue) -> bool:
    """Whether a value has the extents that its type promises: a cast may promise what is not so."""
    if not isinstance(value, np.ndarray) or not isinstance(result.type, TensorType | MemRefType):
        return True
    promised = result.type.get_shape()
    return len(promised) == value.ndim and all(
        n in (DYNAMIC_INDEX, m) for n, m in zip(promised, value.shape, strict=True)
    )


_EXACT = {"addi": lambda a, b: a + b, "subi": lambda a, b: a - b, "muli": lambda a, b: a * b}


def is_undefined(op: Operation, name: str, operands: Sequence[Any]) -> bool:
    """Whether a division, a shift, or a sum that may not wrap around has no result on these operands."""
    if name.startswith(("div", "rem", "floordiv", "ceildiv")) and np.asarray(operands[1]).dtype.kind in "biu":
        a, b = map(np.asarray, operands)
        overflow = (a == (np.iinfo(a.dtype).min if a.dtype.kind == "i" else 0)) & (b == -1)
        return bool(np.any(b == 0) or ("u" not in name[-2:] and np.any(overflow)))
    if name in ("shli", "shrsi", "shrui"):
        width = np.asarray(operands[0]).dtype.itemsize * 8
        return bool(np.any(np.asarray(operands[1]).astype(np.uint64) >= width)) or bool(flags_of(op, "exact"))
    flags = flags_of(op, "overflowFlags")
    if name in _EXACT and "w" in flags:
        kinds = [np.asarray(v).dtype for v in operands]
        bits = kinds[0].itemsize * 8
        signed = [np.asarray(v).astype(object) for v in operands]
        unsigned = [np.asarray(v).astype(object) & ((1 << bits) - 1) for v in operands]
        low, high = _EXACT[name](*signed), _EXACT[name](*unsigned)
        wraps = np.any(low >= 1 << bits - 1) or np.any(low < -(1 << bits - 1))
        carries = np.any(high >= 1 << bits) or np.any(high < 0)
        return bool(("nsw" in flags and wraps) or ("nuw" in flags and carries))
    return False


def run(module: ModuleOp, name: str, arguments: Sequence[Any]) -> list[object] | None:
    """The results of a function and its buffers behind it; None where they are not defined on these values.

    Raises :class:`Unrunnable` for a function that the interpreter cannot run, or not in a short time.
    """
    held = [argument.copy() for argument in arguments]
    try:
        with np.errstate(all="ignore"):
            results = within(2, lambda: Strict(module).call(name, held))
    except Undefined:
        return None
    except (LaminaError, ArithmeticError, LookupError, ValueError, TypeError, AssertionError):
        raise Unrunnable from None
    except (RecursionError, TooLong):
        raise Unrunnable from None
    return [bits(value) for value in (*results, *held)]


def check(chunk: Chunk, pipeline: str, counts: Counter[str]) -> list[str]:
    """Run the functions of a chunk before and after; returns what is different."""
    try:
        before = lamina.parse(chunk.text, allow_unregistered=True)
        after = before.clone()
        lamina.run_pipeline(after, pipeline)
    except LaminaError:
        return []
    different: list[str] = []
    functions = {op.sym_name.data: op for op in before.ops if isinstance(op, FuncOp)}
    simplified = {op.sym_name.data: op for op in after.ops if isinstance(op, FuncOp)}
    for name, function in functions.items():
        types = list(function.function_type.inputs)
        if function.is_declaration or not all(map(is_runnable, types)):
            continue
        if is_loose(function) or is_loose(simplified[name]):
            continue
        problem = compare(before, after, name, types, counts)
        different += [f"{chunk.name} @{name}{problem}"] if problem else []
    return different


def compare(
    before: ModuleOp, after: ModuleOp, name: str, types: Sequence[Attribute], counts: Counter[str]
) -> str:
    """Run a function before and after on several values; returns those on which the results differ."""
    chance = random.Random(name)
    ran = False
    for _ in range(ROUNDS if types else 1):
        arguments = [value_of(type, chance) for type in types]
        try:
            expected = run(before, name, arguments)
        except Unrunnable:
            break
        if expected is None:
            continue
        try:
            found = run(after, name, arguments)
        except Unrunnable:
            counts["not run behind"] += 1
            break
        ran = True
        if found != expected:
            return f"({', '.join(map(str, arguments))}): {expected} -> {found}"
    counts["functions"] += ran
    return ""


def is_loose(function: FuncOp) -> bool:
    """Whether a result may be another one: poison, elements of no place, or fast-math flags."""
    for op in function.walk():
        if flags_of(op).partition("<")[2].strip(">") not in ("", "none"):
            return True
        if op.name.endswith("poison") or (op.name == "vector.shuffle" and -1 in numbers(op, "mask")):
            return True
    return False


def main(arguments: Sequence[str] | None = None) -> int:
    """Print how many functions were run by folder, and those with other results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("root", type=Path, nargs="?", default=upstream_tests())
    parser.add_argument("--dialect", action="append", choices=[*DIALECTS, "IR"], help="only this folder")
    parser.add_argument("--only", default="", help="only chunks whose name contains this")
    parser.add_argument("--pipeline", default="canonicalize,cse,canonicalize")
    options = parser.parse_args(arguments)
    if options.root is None:
        print("conformance needs $LAMINA_UPSTREAM_TESTS", file=sys.stderr)
        return 1
    total: Counter[str] = Counter()
    failures: list[str] = []
    for dialect in options.dialect or [*DIALECTS, "IR"]:
        counts: Counter[str] = Counter()
        for chunk in chunks(options.root, [dialect]):
            if not chunk.expected_errors and options.only in chunk.name:
                failures += check(chunk, options.pipeline, counts)
        behind = counts["not run behind"]
        print(f"{dialect:14} {counts['functions']:6} functions run, {behind} only before", flush=True)
        total += counts
    print(f"{'all':14} {total['functions']:6} functions run, {len(failures)} with other results")
    for failure in failures:
        print(f"  {failure[:600]}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
