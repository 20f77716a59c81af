"""Train an MLP on scikit-learn's digits with Adam, from nn text, and write the trained model.

python examples/training/digits_mlp.py [--steps N] [--seeds 0 1 2] [--out FOLDER]
lamina-run FOLDER/digits_mlp.mlir --random-inputs 0
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from loop import Batch, Training, arguments, digits, shuffled, train_each


def main() -> None:
    options = arguments(1000, __doc__)
    train, test, known, wanted = digits()

    def batches(seed: int) -> Iterator[Batch]:
        for chosen in shuffled(len(train), 64, seed):
            yield train[chosen], known[chosen, None]

    def start(seed: int) -> Training:
        return Training.of("digits_mlp", 6, "adam", seed, learning_rate=3e-3)

    train_each(options, "digits_mlp", start, batches, test, wanted)


if __name__ == "__main__":
    main()
