"""Which operations count as dead or as free of effects."""

from __future__ import annotations

import pytest
from xdsl.ir import Operation
from xdsl.traits import is_side_effect_free as is_free_by_traits
from xdsl.transforms.dead_code_elimination import is_trivially_dead

import lamina
from lamina.passes.framework.effects import is_dead, is_side_effect_free

TEXT = """
func.func private @callee()
func.func @main(%m: memref<4xf32>, %t: tensor<4xf32>, %i: index) -> f32 {
  %zero = arith.constant 0.0 : f32
  %unused = arith.addf %zero, %zero : f32
  %read = memref.load %m[%i] : memref<4xf32>
  memref.store %zero, %m[%i] : memref<4xf32>
  func.call @callee() : () -> ()
  scf.for %j = %i to %i step %i {
    %inner = memref.load %m[%j] : memref<4xf32>
  }
  scf.for %j = %i to %i step %i {
    scf.for %k = %i to %i step %i {
      memref.store %zero, %m[%k] : memref<4xf32>
    }
  }
  %empty = tensor.empty() : tensor<4xf32>
  %filled = linalg.fill ins(%zero : f32) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
  return %zero : f32
}
"""


def operations() -> list[Operation]:
    return [op for op in lamina.parse(TEXT).walk() if op.name != "builtin.module"]


@pytest.mark.parametrize("op", operations(), ids=lambda op: op.name)
def test_what_the_traits_of_the_classes_say_holds(op: Operation) -> None:
    assert is_dead(op) or not is_trivially_dead(op)
    assert is_side_effect_free(op) or not is_free_by_traits(op)


def test_unused_values_and_reads_are_dead_in_loops_too_and_writes_to_memory_are_not() -> None:
    dead = [op.name for op in operations() if is_dead(op)]
    assert dead == ["arith.addf", "memref.load", "scf.for", "memref.load", "linalg.fill"]


def test_an_operation_without_definition_may_do_anything() -> None:
    module = lamina.parse('%0 = "some.op"() : () -> i32', allow_unregistered=True)
    (op,) = module.body.block.ops
    assert not is_dead(op)
    assert not is_side_effect_free(op)
