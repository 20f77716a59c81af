"""Setting shapes: what is refused, in which words, and that results follow."""

from __future__ import annotations

from typing import Any

import pytest
from xdsl.dialects.func import FuncOp

from lamina.dialects.core.context import make_context
from lamina.dialects.core.diagnostics import LaminaError
from lamina.dialects.core.text import parse
from lamina.dialects.core.verifier import verify
from lamina.passes.framework.passes import PassContext
from lamina.passes.nn.nn_set_shapes import NnSetShapes, find_function, parse_shapes, set_shapes

TEXT = """
func.func @main(%x: tensor<?x3xf32> {nn.name = "image"}, %s: tensor<f32>, %n: index) -> tensor<?x3xf32> {
  %w = nn.constant dense<1.0> : tensor<4x3xf32>
  %0 = nn.add %x, %w : (tensor<?x3xf32>, tensor<4x3xf32>) -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}
"""


@pytest.mark.parametrize(
    ("shapes", "message", "hint"),
    [
        ("imag=4x3", "has no argument 'imag'", "did you mean 'image'?"),
        ("x=4x3", "has no argument 'x'", "the arguments are: image, s, n"),
        ("7=4x3", "has no argument '7'", "the arguments are: image, s, n"),
        ("image=4x3x1", "('image') has type tensor<?x3xf32> of rank 2, the shape [4, 3, 1] has rank 3", None),
        ("image=4x2", "('image') has type tensor<?x3xf32>, whose dimension 1 cannot be 2", None),
        ("image=4xthree", "'4xthree' in 'image=4xthree' is no shape", "write extents as 1x3x224x224"),
        ("image", "'image' is no shape of an argument", "write name=1x3x224x224"),
        ("image=4x3,0=4x3", "argument '0' is given two shapes", None),
        ("2=3", "argument 2 has type index, which has no shape to set", None),
        ("image=5x3", "does not fit the given shapes: shapes [5, 3] and [4, 3] do not broadcast", None),
    ],
)
def test_shapes_that_do_not_fit_are_refused(shapes: str, message: str, hint: str | None) -> None:
    with pytest.raises(LaminaError) as caught:
        NnSetShapes(shapes=shapes).run(parse(TEXT), PassContext(make_context()))
    (diagnostic,) = caught.value.diagnostics
    assert message in diagnostic.message
    assert diagnostic.hint == hint
    assert diagnostic.location is not None


def test_an_unknown_function_is_refused() -> None:
    with pytest.raises(LaminaError) as caught:
        find_function(parse(TEXT), "mian")
    assert caught.value.diagnostics[0].hint == "did you mean 'main'?"
    with pytest.raises(LaminaError, match="takes 3 arguments, got 1 shapes"):
        set_shapes(parse(TEXT), "main", [(4, 3)])


def test_shapes_are_read_by_name_and_position() -> None:
    function = find_function(parse(TEXT), "main")
    assert parse_shapes("image=?x3", function) == [[None, 3], None, None]
    assert parse_shapes("0=4x3, 1=", function) == [[4, 3], [], None]
    assert parse_shapes("s=4", function) == parse_shapes("%s=4", function) == [None, [4], None]
    assert parse_shapes("arg1=4", function) == [None, [4], None]
    assert parse_shapes("", function) == [None, None, None]


def specialised(text: str, *shapes: Any) -> FuncOp:
    module = parse(text)
    verify(module)
    set_shapes(module, "main", shapes)
    verify(module)
    return find_function(module, "main")


def test_the_signature_follows() -> None:
    function = specialised(TEXT, (4, 3), None, None)
    assert str(function.function_type) == "(tensor<4x3xf32>, tensor<f32>, index) -> tensor<4x3xf32>"
    again = specialised(TEXT, (-1, 3), (), None)
    assert [str(t) for t in again.function_type.outputs] == ["tensor<4x3xf32>"]


def test_shapes_that_follow_from_data_are_reported() -> None:
    text = """
    func.func @main(%x: tensor<?xf32>, %s: tensor<1xi64>) -> tensor<?xf32> {
      %0 = nn.dynamic_broadcast_to %x, %s : (tensor<?xf32>, tensor<1xi64>) -> tensor<?xf32>
      return %0 : tensor<?xf32>
    }"""
    context = PassContext(make_context())
    NnSetShapes(shapes="0=1").run(parse(text), context)
    assert [d.severity for d in context.diagnostics] == ["warning"]


def test_while_loops_keep_what_their_body_keeps() -> None:
    text = """
    func.func @main(%x: tensor<?x?xf32>, %c: i1) -> tensor<?x?xf32> {
      %0 = scf.while (%a = %x) : (tensor<?x?xf32>) -> tensor<?x?xf32> {
        scf.condition(%c) %a : tensor<?x?xf32>
      } do {
      ^bb0(%b: tensor<?x?xf32>):
        %1 = nn.concat %b, %b {axis = 0 : i64} : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
        scf.yield %1 : tensor<?x?xf32>
      }
      return %0 : tensor<?x?xf32>
    }"""
    assert [str(t) for t in specialised(text, (2, 5), None).function_type.outputs] == ["tensor<?x5xf32>"]


def test_recursion_ends() -> None:
    text = """
    func.func private @f(%x: tensor<?xf32>) -> tensor<?xf32> {
      %0 = func.call @f(%x) : (tensor<?xf32>) -> tensor<?xf32>
      return %0 : tensor<?xf32>
    }
    func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
      %0 = func.call @f(%x) : (tensor<?xf32>) -> tensor<?xf32>
      return %0 : tensor<?xf32>
    }"""
    module = parse(text)
    set_shapes(module, "main", [(3,)])
    verify(module)
