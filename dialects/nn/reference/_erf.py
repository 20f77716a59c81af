"""The error function and its complement on f64 arrays, to within one unit in the last place or so.

The rational approximations are those of FreeBSD's msun (``s_erf.c``, Sun Microsystems, 1993): one for
each of four ranges of ``|x|``, evaluated on the elements in it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

_TINY_RANGE, _MIDDLE, _LARGE = 0.84375, 1.25, 1 / 0.35
_AT_ONE = 8.45062911510467529297e-01
"""erf(1), in few bits, so that differences from it are exact."""

_SMALL = (
    (
        1.28379167095512558561e-01,
        -3.25042107247001499370e-01,
        -2.84817495755985104766e-02,
        -5.77027029648944159157e-03,
        -2.37630166566501626084e-05,
    ),
    (
        1.0,
        3.97917223959155352819e-01,
        6.50222499887672944485e-02,
        5.08130628187576562776e-03,
        1.32494738004321644526e-04,
        -3.96022827877536812320e-06,
    ),
)
"""``(erf(x) - x) / x`` as a function of x^2: numerator and denominator, lowest power first."""
_NEAR_ONE = (
    (
        -2.36211856075265944077e-03,
        4.14856118683748331666e-01,
        -3.72207876035701323847e-01,
        3.18346619901161753674e-01,
        -1.10894694282396677476e-01,
        3.54783043256182359371e-02,
        -2.16637559486879084300e-03,
    ),
    (
        1.0,
        1.06420880400844228286e-01,
        5.40397917702171048937e-01,
        7.18286544141962662868e-02,
        1.26171219808761642112e-01,
        1.36370839120290507362e-02,
        1.19844998467991074170e-02,
    ),
)
"""``erf(x) - erf(1)`` as a function of x - 1."""
_TAIL = (
    (
        -9.86494403484714822705e-03,
        -6.93858572707181764372e-01,
        -1.05586262253232909814e01,
        -6.23753324503260060396e01,
        -1.62396669462573470355e02,
        -1.84605092906711035994e02,
        -8.12874355063065934246e01,
        -9.81432934416914548592e00,
    ),
    (
        1.0,
        1.96512716674392571292e01,
        1.37657754143519042600e02,
        4.34565877475229228821e02,
        6.45387271733267880336e02,
        4.29008140027567833386e02,
        1.08635005541779435134e02,
        6.57024977031928170135e00,
        -6.04244152148580987438e-02,
    ),
)
"""``log(x * erfc(x)) + x^2 + 0.5625`` as a function of 1 / x^2, below 1 / 0.35."""
_FAR_TAIL = (
    (
        -9.86494292470009928597e-03,
        -7.99283237680523006574e-01,
        -1.77579549177547519889e01,
        -1.60636384855821916062e02,
        -6.37566443368389627722e02,
        -1.02509513161107724954e03,
        -4.83519191608651397019e02,
    ),
    (
        1.0,
        3.03380607434824582924e01,
        3.25792512996573918826e02,
        1.53672958608443695994e03,
        3.19985821950859553908e03,
        2.55305040643316442583e03,
        4.74528541206955367215e02,
        -2.24409524465858183362e01,
    ),
)
"""The same above 1 / 0.35."""


def erf(x: np.ndarray) -> np.ndarray:
    """The error function of f64 values."""
    x = np.asarray(x)
    result, magnitude = np.where(np.isnan(x), x, np.sign(x)), np.abs(x)
    small, middle = magnitude < _TINY_RANGE, (magnitude >= _TINY_RANGE) & (magnitude < _MIDDLE)
    tail = (magnitude >= _MIDDLE) & (magnitude < 6)
    result[small] = x[small] + x[small] * _ratio(_SMALL, x[small] ** 2)
    result[middle] *= _AT_ONE + _ratio(_NEAR_ONE, magnitude[middle] - 1)
    result[tail] *= 1 - _scaled_tail(magnitude[tail])
    return result


def erfc(x: np.ndarray) -> np.ndarray:
    """``1 - erf(x)`` of f64 values, precise where erf(x) is near 1."""
    # Arithmetic on arrays of rank 0 gives scalars, which cannot be assigned to.
    x = np.asarray(x)
    tail = x >= _MIDDLE
    result = np.asarray(1 - erf(np.where(tail, 0.0, x)))
    near = (x >= 0.25) & (x < _TINY_RANGE)
    result[near] = 0.5 - ((x[near] - 0.5) + x[near] * _ratio(_SMALL, x[near] ** 2))
    middle = (x >= _TINY_RANGE) & ~tail
    result[middle] = (1 - _AT_ONE) - _ratio(_NEAR_ONE, x[middle] - 1)
    result[tail] = _scaled_tail(x[tail])
    return result


def _ratio(coefficients: tuple[Sequence[float], Sequence[float]], x: np.ndarray) -> np.ndarray:
    """The quotient of two polynomials."""
    numerator, denominator = (np.polynomial.polynomial.polyval(x, c) for c in coefficients)
    return numerator / denominator


def _scaled_tail(x: np.ndarray) -> np.ndarray:
    """erfc for x >= 1.25; x^2 is split, because the exponential magnifies the rounding of a square."""
    x = np.minimum(x, 40.0)
    inverse = 1 / (x * x)
    exponent = np.where(x < _LARGE, _ratio(_TAIL, inverse), _ratio(_FAR_TAIL, inverse))
    high = (x.view(np.int64) & np.int64(-(1 << 32))).view(np.float64)
    return np.exp(-high * high - 0.5625) * np.exp((high - x) * (high + x) + exponent) / x
