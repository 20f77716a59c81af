"""Fit a curve through noisy points with Adam, from nn text, and write the trained model.

python examples/training/regression.py [--steps N] [--seeds 0 1 2] [--out FOLDER]
lamina-run FOLDER/regression.mlir --random-inputs 0
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import lamina

sys.path.insert(0, str(Path(__file__).resolve().parent))
from loop import Batch, Training, arguments


def curve(x: np.ndarray) -> np.ndarray:
    """What the points scatter around."""
    return np.sin(3 * x) + 0.5 * x


def main() -> None:
    options = arguments(2000, __doc__)
    for seed in options.seeds:
        generator = np.random.default_rng(seed)
        x = generator.uniform(-2, 2, (256, 1)).astype(np.float32)
        noisy = (curve(x) + generator.normal(0, 0.1, x.shape)).astype(np.float32)

        def batches(x: np.ndarray = x, noisy: np.ndarray = noisy) -> Iterator[Batch]:
            while True:
                yield x, noisy

        training = Training.of("regression", 4, "adam", seed, learning_rate=0.01)
        training.run(batches(), options.steps, f"seed {seed}")
        grid = np.linspace(-2, 2, 101, dtype=np.float32)[:, None]
        distance = np.sqrt(np.mean((lamina.compile(training.model())(grid) - curve(grid)) ** 2))
        print(f"seed {seed}: the fit is {distance:.3f} away from the curve (root mean square)")
        print(f"wrote {training.save(options.out, 'regression')}")


if __name__ == "__main__":
    main()
