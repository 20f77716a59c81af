"""``python -m benchmarks.run`` (speed of compiled models) and ``python -m benchmarks.compile``."""
