"""IR programs of any size, to time tools that work on text."""

from __future__ import annotations

from collections.abc import Callable


def structured(count: int) -> str:
    """Functions with loops, conditionals, memory and arithmetic: 16 ops each."""
    function = """func.func @f{0}(%m: memref<64x64xf32>, %x: f32, %lo: index, %hi: index) -> f32 {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %r = scf.for %i = %lo to %hi step %c1 iter_args(%a = %z) -> (f32) {{
    %v = memref.load %m[%i, %c0] : memref<64x64xf32>
    %p = arith.mulf %v, %x : f32
    %s = arith.addf %a, %p : f32
    %c = arith.cmpf olt, %s, %x : f32
    %t = scf.if %c -> (f32) {{
      %q = arith.addf %s, %x : f32
      scf.yield %q : f32
    }} else {{
      scf.yield %s : f32
    }}
    memref.store %t, %m[%i, %c1] : memref<64x64xf32>
    scf.yield %t : f32
  }}
  func.return %r : f32
}}
"""
    return "".join(function.format(number) for number in range(max(1, count // 16)))


def straight(count: int) -> str:
    """One block of integer arithmetic."""
    lines = ["func.func @f(%a: i32, %b: i32) -> i32 {", "  %v0 = arith.addi %a, %b : i32"]
    names = ("addi", "muli", "subi", "xori")
    for i in range(1, count):
        lines.append(f"  %v{i} = arith.{names[i % 4]} %v{i - 1}, %{'ab'[i % 2]} : i32")
    return "\n".join([*lines, f"  func.return %v{count - 1} : i32", "}", ""])


def tensors(count: int) -> str:
    """linalg on tensors: five ops for each product with its epilogue."""
    lines = [
        "#map = affine_map<(d0, d1) -> (d0, d1)>",
        "func.func @f(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {",
    ]
    lines += ["  %z = arith.constant 0.0 : f32", "  %e = tensor.empty() : tensor<8x8xf32>"]
    last = "%a"
    for i in range(max(1, count // 5)):
        kind = "tensor<8x8xf32>"
        lines += [
            f"  %f{i} = linalg.fill ins(%z : f32) outs(%e : {kind}) -> {kind}",
            f"  %m{i} = linalg.matmul ins({last}, %a : {kind}, {kind}) outs(%f{i} : {kind}) -> {kind}",
            f"  %g{i} = linalg.generic {{indexing_maps = [#map, #map], "
            f'iterator_types = ["parallel", "parallel"]}} '
            f"ins(%m{i} : {kind}) outs(%e : {kind}) {{",
            "  ^bb0(%x: f32, %y: f32):",
            "    %s = arith.addf %x, %x : f32",
            "    linalg.yield %s : f32",
            f"  }} -> {kind}",
        ]
        last = f"%g{i}"
    return "\n".join([*lines, f"  func.return {last} : tensor<8x8xf32>", "}", ""])


def blocks(count: int) -> str:
    """An llvm function of many blocks."""
    lines = ["llvm.func @f(%a: i32, %c: i1) -> i32 {", "  llvm.br ^bb0(%a : i32)"]
    number = max(1, count // 3)
    for i in range(number):
        lines += [
            f"^bb{i}(%x{i}: i32):",
            f"  %y{i} = llvm.add %x{i}, %a : i32",
            f"  %w{i} = llvm.mul %y{i}, %a : i32",
            f"  llvm.br ^bb{i + 1}(%w{i} : i32)",
        ]
    return "\n".join([*lines, f"^bb{number}(%r: i32):", "  llvm.return %r : i32", "}", ""])


def loads(count: int) -> str:
    """One block that reads memory again and again, and writes it now and then."""
    kind = "memref<64xf32>"
    lines = [f"func.func @f(%m: {kind}, %i: index, %x: f32) -> f32 {{"]
    for i in range(count):
        if i % 8 == 7:
            lines.append(f"  memref.store %v{i - 1}, %m[%i] : {kind}")
        else:
            lines.append(f"  %v{i} = memref.load %m[%i] : {kind}")
    last = count - 1 if count % 8 else count - 2
    return "\n".join([*lines, f"  func.return %v{last} : f32", "}", ""])


def loops(count: int) -> str:
    """One block of loops: four ops each."""
    lines = ["func.func @f(%m: memref<64xf32>, %lo: index, %hi: index, %step: index) {"]
    for i in range(max(1, count // 4)):
        lines += [
            f"  scf.for %i{i} = %lo to %hi step %step {{",
            f"    %v{i} = memref.load %m[%i{i}] : memref<64xf32>",
            f"    memref.store %v{i}, %m[%lo] : memref<64xf32>",
            "  }",
        ]
    return "\n".join([*lines, "  func.return", "}", ""])


KINDS: dict[str, Callable[[int], str]] = {
    "scf/memref/arith": structured,
    "straight arith": straight,
    "linalg on tensors": tensors,
    "llvm blocks": blocks,
    "loads in a block": loads,
    "loops in a block": loops,
}
"""Programs by their kind, of about so many ops."""


def literal(mebibytes: int) -> str:
    """A constant whose bytes stand in the text as hexadecimal digits."""
    data = bytes(range(256)) * (mebibytes << 12)
    return f'%c = arith.constant dense<"0x{data.hex().upper()}"> : tensor<{len(data) // 4}xi32>\n'


def resource(mebibytes: int) -> str:
    """A constant whose bytes stand at the end of the text."""
    data = bytes(range(256)) * (mebibytes << 12)
    kind = f"tensor<{len(data) // 4}xi32>"
    blob = f'{{-# dialect_resources: {{ builtin: {{ data: "0x04000000{data.hex().upper()}" }} }} #-}}'
    return f"%c = arith.constant dense_resource<data> : {kind}\n{blob}\n"


CONSTANTS: dict[str, Callable[[int], str]] = {"literal": literal, "resource": resource}
"""Programs with a constant of so many MiB."""
