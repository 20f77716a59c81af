"""Ops with hidden regions are built in several threads at once."""

from __future__ import annotations

import threading

from xdsl.builder import ImplicitBuilder
from xdsl.dialects import arith
from xdsl.ir import Block

import lamina.dialects.core.context  # noqa: F401


def test_an_implicit_builder_that_outlives_one_of_another_thread() -> None:
    inside, outside = threading.Event(), threading.Event()

    def other() -> None:
        with ImplicitBuilder(Block()):
            inside.set()
            outside.wait()

    thread = threading.Thread(target=other)
    with ImplicitBuilder(Block()):
        thread.start()
        inside.wait()
    outside.set()
    thread.join()

    block = Block()
    with ImplicitBuilder(block):
        made = arith.ConstantOp.from_int_and_width(0, 32)
    assert list(block.ops) == [made]
    assert arith.ConstantOp.from_int_and_width(0, 32).parent is None
