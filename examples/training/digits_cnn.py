"""Train a CNN with dropout on scikit-learn's digits with AdamW, from nn text, and write the trained model.

    python examples/training/digits_cnn.py [--steps N] [--seeds 0 1 2] [--out FOLDER]
    lamina-run FOLDER/digits_cnn.mlir --random-inputs 0

Each training image is shifted by up to one pixel in each direction, anew for each batch.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))
from loop import Batch, Training, arguments, digits, shuffled, train_each


def main() -> None:
    options = arguments(800, __doc__)
    train, test, known, wanted = digits()
    images, test = (pixels.reshape(-1, 8, 8, 1) for pixels in (train, test))

    def batches(seed: int) -> Iterator[Batch]:
        generator = np.random.default_rng(seed)
        wide = np.pad(images, ((0, 0), (1, 1), (1, 1), (0, 0)))
        for number, chosen in enumerate(shuffled(len(images), 64, seed)):
            rows, columns = generator.integers(0, 3, (2, len(chosen)))
            moved = [wide[i, r : r + 8, c : c + 8] for i, r, c in zip(chosen, rows, columns, strict=True)]
            yield np.stack(moved), known[chosen, None], np.array([seed, number], np.uint32)

    def start(seed: int) -> Training:
        settings = {"learning_rate": 4e-3, "weight_decay": 0.01, "schedule": "cosine", "warmup_steps": 20}
        return Training.of("digits_cnn", 8, "adamw", seed, schedule_steps=options.steps, **settings)

    train_each(options, "digits_cnn", start, batches, test, wanted)


if __name__ == "__main__":
    main()
