"""The data of a resource lives as long as an attribute has its key, and not longer."""

from __future__ import annotations

import gc

import numpy as np
from xdsl.dialects.builtin import ModuleOp

import lamina
from lamina.dialects.core.constants import add_resource, as_array, constant_attr, has_resource

ARRAY = np.arange(3000, dtype=np.float32)


def text(key: str, attribute: str = "value") -> str:
    return (
        f'module {{\n  "test.op"() {{{attribute} = dense_resource<{key}> : tensor<2xi32>}} : () -> ()\n}}\n'
        f'{{-# dialect_resources: {{ builtin: {{ {key}: "0x040000000100000002000000" }} }} #-}}\n'
    )


def test_the_data_goes_with_the_last_attribute() -> None:
    first = constant_attr(ARRAY, key="lifetime_of_two")
    second = type(first).new([*first.parameters])
    del first
    gc.collect()
    assert has_resource("lifetime_of_two")
    np.testing.assert_array_equal(as_array(second), ARRAY)
    del second
    gc.collect()
    assert not has_resource("lifetime_of_two")


def test_an_array_outlives_its_attribute() -> None:
    view = as_array(constant_attr(ARRAY + 1, key="lifetime_of_view"))
    gc.collect()
    np.testing.assert_array_equal(view, ARRAY + 1)


def test_data_from_a_text_lives_with_the_module_and_its_copies() -> None:
    module = lamina.parse(text("lifetime_of_text"), allow_unregistered=True)
    copy = module.clone()
    del module
    gc.collect()
    assert isinstance(copy, ModuleOp)
    assert "0x040000000100000002000000" in lamina.to_text(copy)
    del copy
    gc.collect()
    assert not has_resource("lifetime_of_text")
    # The key is free again, for other data.
    other = add_resource(np.array([5], np.int32), "lifetime_of_text")
    assert other == "lifetime_of_text"


def test_equal_data_is_held_once() -> None:
    one, two = constant_attr(ARRAY + 2), constant_attr(ARRAY + 2)
    assert one == two
    assert as_array(one).base is as_array(two).base or np.shares_memory(as_array(one), as_array(two))
