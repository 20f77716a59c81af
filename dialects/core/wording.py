"""xDSL's messages in plain words: what is wrong, in the terms of the text that the user wrote."""

from __future__ import annotations

import re

from lamina.dialects.core.later import regex

_TABLE: list[tuple[str, str]] = [
    # Values, blocks and symbols.
    (r"SSA value %(\S+) is already defined", r"%\1 is defined a second time"),
    (
        "operand is used with type (.+), but has been previously used or defined with type (.+)",
        r"the value has type \2, but is used as \1",
    ),
    (
        r"Result (\S+) is defined with type (.+), but used with type (.+)",
        r"\1 is defined with type \2, but was used as \3",
    ),
    (
        r"SSA value tuple index out of bounds\. Tuple is of size (\d+) but tried to access element (\d+)",
        r"there is no result #\2: the operation has \1",
    ),
    (
        r"SSA value %(\S+) is referenced with an index larger than its size",
        r"a result of %\1 was used that it does not have",
    ),
    (r"Operation has (\d+) results, but was given (\d+) to bind", r"\2 names are given to \1 results"),
    (r"expected (\d+) operand types but had (\d+)", r"expected \2 operand types, got \1"),
    ("re-declaration of block '(.+)'", r"block ^\1 is defined a second time"),
    ('Redefinition of symbol "(.+)"', r"@\1 is defined a second time"),
    (r"'(@\S+)' could not be found in symbol table", r"there is no function \1 in the module"),
    (r"'(@\S+)' does not reference a valid function", r"\1 is no function"),
    ("invalid block name in region with named arguments", "the first block of this region has no name"),
    # Terminators and returned values.
    (r"'?(?:Operation )?(\S+?)'? must be the last operation in its parent block", "must end its block"),
    (
        r"Operation \S+ terminates block in (?:single|multi)-block region but is not a terminator",
        "ends its block, but is no terminator",
    ),
    (r"Operation \S+ with block successors must terminate its parent block", "must end its block"),
    (r"Operation \S+ is branching to a block of a different region", "branches out of its region"),
    (
        r"Operation \S+ contains empty block in single-block region that expects at least a terminator",
        "has an empty block",
    ),
    (r"'\S+' terminates with operation (\S+) instead of (\S+)", r"must end its region with '\2', not '\1'"),
    (
        r"'\S+' contains empty block instead of at least terminating with (\S+)",
        r"has an empty block, which must end with '\1'",
    ),
    (
        "Expected arguments to have the same types as the function output types: expected "
        r"\[(.*)\], got \[(.*)\]",
        r"returns (\2), but the function is declared to return (\1)",
    ),
    (
        "Expected entry block arguments to have the same types as the function input types.*",
        "has a body whose arguments do not have the types of its inputs",
    ),
    (r"'\S+' expects parent op (?:to be one of )?(.+)", r"may only stand in \1"),
    (r"'\S+' expects ancestor op (?:to be one of )?(.+)", r"may only stand inside \1"),
    ("incorrect number of (operand|result)s for callee", r"does not have as many \1s as its function"),
    (
        r"(operand|result) type mismatch: expected \1 type (.+), but provided (.+) for \1 number (\d+)",
        r"\1 #\4: expected \2, got \3",
    ),
    (
        r"\S+ expected (\d+) args, but got (\d+)\. The \S+ must yield its loop-carried variables",
        r"carries \1 values around the loop, but yields \2",
    ),
    (
        r"Expected yield arg #(\d+) to be (.+), but got (.+?)\. .*",
        r"carries value #\1 as \2 around the loop, but yields \3",
    ),
    # Attributes and types.
    (r"(?:property|attribute) '(\S+)' expected in operation '\S+'", r"needs the attribute '\1'"),
    (r"property '(\S+)' is not defined by the operation '\S+'\..*", r"has no property '\1'"),
    (r"attribute (.+) expected from variable '\S+', but got (.+)", r"expected \1, got \2"),
    (
        r"attributes \((.+?),?\) expected from range variable '\S+', but got \((.+?),?\)",
        r"expected (\1), found (\2)",
    ),
    (r"integer (.+) expected from int variable '\S+', but got (.+)", r"expected \1, got \2"),
    (r"(.+) should be of base attribute (\S+)", r"expected {kind:\2}, got \1"),
    (r"(.+) should be of attribute subclassing `(\S+?)`", r"expected {kind:\2}, got \1"),
    ("Expected attribute (.+) but got (.+)", r"expected \1, got \2"),
    ("Unexpected attribute (.+)", r"\1 is not allowed here"),
    (r"'(\S+)' is not registered", r"unknown type or attribute '\1'"),
    (r"undefined symbol alias '(\S+)'", r"there is no type or attribute named \1"),
    (r"re-declaration of alias '(\S+)'", r"\1 is defined a second time"),
    (r"Duplicate key '(\S+)' in .*", r"attribute '\1' is given twice"),
    (
        "Expected bare-id or string-literal here as part of attribute entry",
        "expected the name of an attribute",
    ),
    ("Expected 'x' in shape delimiter(?:, got .*)?", "expected 'x' and an element type after the extent"),
    ("Expected shape type", "expected an extent or an element type"),
    ("Expected integer literal in shape dimension, got .*", "expected an extent"),
    (r"Expected either integer literal or '\?' in shape dimension, got .*", "expected an extent or '?'"),
    ("Expected '>' after builtin parameter list", "expected '>' at the end of the type"),
    ("Expected '<' after builtin name", "expected '<' after the name of the type"),
    ("Dense literal attribute should have a static shape", "a dense literal needs a type of static shape"),
    (
        r"Integer value (-?\d+) is out of range for type (\S+) which supports values in the range "
        r"\[(-?\d+), (-?\d+)\)",
        r"\1 does not fit into \2",
    ),
    (
        "Floating point value is not valid for integer type",
        "a number with a fraction is no value of an integer type",
    ),
    ("Invalid type given for integer or float attribute", "a number cannot have this type"),
    ("Boolean values are only allowed for i1 types", "'true' and 'false' are values of i1 only"),
    ("Expected non-negative integer values", "a negative number is no value of an unsigned type"),
    ("Expected integer (?:value|literal)", "expected an integer"),
    ("Expected (?:boolean|float) literal", "expected a number"),
    ("Expected either a float, integer, or complex literal", "expected a number"),
    (
        "Expected memref, vector or tensor type of integer, index, float, or complex type",
        "a dense literal needs a tensor, vector or memref type of numbers",
    ),
    ("Expected vector element type", "expected an extent or an element type"),
    ("Hexadecimal float constant out of range for type", "the hexadecimal number does not fit into its type"),
    ("Expected primary expression", "expected a dimension, a symbol, a number or '('"),
    ("Expected argument or type", "expected an argument such as %a: f32"),
    (r"(?:Unsupported|Unexpected) location (?:type|syntax)", "expected a location"),
    ("Tensor literal has inconsistent ranks between elements", "the rows of the literal differ in length"),
    (r"Identifier not in space (\S+)", r"'\1' is no dimension or symbol of the map"),
    (r"Exceeds the limit \(\d+ digits\) for integer string conversion.*", "the number is too long"),
    ("(?:int|Python int|integer) too (?:large|big) to convert.*", "the number is too large"),
    (r"float too large to pack with (\S) format", "the number is too large for its type"),
    # Syntax.
    (" in block definition", "expected an operation, a block or '}'"),
    ("Could not parse entire input", "expected an operation"),
    ("[Ee]xpected region", "expected a region in braces"),
    ("[Ee]xpect symbol name", "expected a symbol such as @name"),
    ("[Oo]perand expected|Expected an operand", "expected an operand such as %value"),
    ("function type expected", "expected the types of operands and results"),
    ("(type|function type|string literal|block-id|successor) expected(.*)", r"expected a \1\2"),
    ("(attribute|identifier|operation name) expected(.*)", r"expected an \1\2"),
    (r"('\S+'|[a-z]+(?:[ -][a-z]+){0,3}) expected((?: in| for| after) .*)?", r"expected \1\2"),
    (r"[Ee]xpected (\d+) (\w+), but got (\d+)", r"expected \1 \2, got \3"),
]
_HINTS = {
    "expected a location": 'write loc("file":1:2) or loc(unknown)',
    "ends its block, but is no terminator": "end the block with a terminator, such as 'return'",
    "has an empty block": "end the block with a terminator, such as 'return'",
    r"has no property '\1'": "other attributes stand in braces after the properties",
    "expected the types of operands and results": "write them as (tensor<2xf32>) -> tensor<2xf32>",
}


_MESSAGES = [(regex(pattern, re.DOTALL), text) for pattern, text in _TABLE]


_KIND = regex(r"\{kind:(\S+?)\}")
_KINDS = {
    "array": "a list as array<i64: …>",
    "bool": "true or false",
    "DenseArrayBase": "a list as array<i64: …>",
    "dense": "a dense constant",
    "dictionary": "a dictionary",
    "float": "a number as 1.0 : f64",
    "integer": "an integer",
    "integer_type": "an integer type",
    "memref": "a memref",
    "string": "a string",
    "symbol_ref": "a symbol",
    "tensor": "a tensor",
    "vector": "a vector",
}
_CLASS = regex(r"'?<class '(?:\w+\.)*(\w+)'>'?")
_OPENING = regex(r"[A-Z][a-z]+(?=\s|$)")


def in_plain_words(message: str) -> tuple[str, str | None]:
    """A message of xDSL's parser or verifier as Lamina says it, and a hint where one helps."""
    text = re.sub(r"\s+", " ", message).rstrip(" .!") if message.strip() else message
    hint = None
    for pattern, template in _MESSAGES:
        match = pattern.fullmatch(text)
        if match:
            text, hint = match.expand(template), _HINTS.get(template)
            break
    text = _CLASS.sub(r"'\1'", text)
    text = _KIND.sub(lambda found: _KINDS.get(found.group(1), f"'{found.group(1)}'"), text)
    if _OPENING.match(text):
        text = text[0].lower() + text[1:]
    return text.strip(), hint


_SLIPS = (ArithmeticError, AssertionError, AttributeError, IndexError, NameError, TypeError)
"""Exceptions of code that met what it had not thought of: what they say is no help to a user."""


def innermost_message(problem: BaseException) -> str:
    """The first line of the innermost cause of an exception."""
    while problem.__cause__ is not None:
        problem = problem.__cause__
    if isinstance(problem, KeyError) and problem.args:
        return f"there is no {problem.args[0]}"
    if isinstance(problem, _SLIPS):
        return "is malformed"
    return str(problem).strip().split("\n", 1)[0] or type(problem).__name__
