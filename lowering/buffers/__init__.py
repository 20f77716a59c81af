"""From tensors to buffers: bufferisation with an in-place analysis, out parameters, the planned arena."""
