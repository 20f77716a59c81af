"""References of functions of one tensor."""

from __future__ import annotations

import numpy as np

from lamina.dialects.nn.reference._numeric import double, numeric

for _name, _function in {"nn.tanh": np.tanh}.items():
    numeric(_name)(lambda _, x, function=_function: function(double(x)))
