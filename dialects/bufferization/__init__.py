"""The bufferization dialect (from tensors to buffers): what upstream defines, and what xDSL's lacks."""
