"""What a user waits for at the start of a process; imports nothing that Lamina would not."""

from __future__ import annotations

import resource
import time


def start(model: str, folder: str) -> dict[str, float]:
    """Seconds from the first import to an executable, with a folder for its code, and the peak of memory."""
    wall, cpu = time.perf_counter(), time.process_time()
    import lamina

    lamina.compile(model, cache=folder)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10
    return {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu, "peak_bytes": peak}
