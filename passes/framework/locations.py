"""Locations of operations that a pass made without saying what they came from."""

from __future__ import annotations

from xdsl.dialects.builtin import UnknownLoc
from xdsl.ir import Operation
from xdsl.traits import IsolatedFromAbove

from lamina.passes.framework.walk import ops_inside


def fill_locations(root: Operation) -> None:
    """Give each op below ``root`` that has no location that of the op it most likely serves.

    Inside a structured op or a loop that is the enclosing op; directly in a function a user of its results
    (a view or constant made for it), or else the function.
    """
    for op in ops_inside(root):
        if op.location.__class__ is not UnknownLoc:
            continue
        parent = op.parent_op()
        if parent is None:
            continue
        place = parent.location
        if parent.has_trait(IsolatedFromAbove, value_if_unregistered=False):
            users = (use.operation.location for result in op.results for use in result.uses)
            place = next((found for found in users if not isinstance(found, UnknownLoc)), place)
        op.location = place
