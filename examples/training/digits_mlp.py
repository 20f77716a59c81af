"""Train an MLP on scikit-learn's digits with Adam, from nn text, and write the trained model.

python examples/training/digits_mlp.py [--steps N] [--seeds 0 1 2] [--out FOLDER]
lamina-run FOLDER/digits_mlp.mlir --random-inputs 0
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from loop import Batch, Training, accuracy, arguments, digits, shuffled


def main() -> None:
    options = arguments(1000, __doc__)
    train, test, known, wanted = digits()

    def batches(seed: int) -> Iterator[Batch]:
        for chosen in shuffled(len(train), 64, seed):
            yield train[chosen], known[chosen, None]

    found: list[float] = []
    for seed in options.seeds:
        training = Training.of("digits_mlp", 6, "adam", seed, learning_rate=3e-3)
        training.run(batches(seed), options.steps, f"seed {seed}")
        found.append(accuracy(training, test, wanted))
        print(f"seed {seed}: {found[-1]:.2%} of {len(test)} test images are right")
        print(f"wrote {training.save(options.out, 'digits_mlp')}")
    print(f"mean over {len(found)}: {sum(found) / len(found):.2%}")


if __name__ == "__main__":
    main()
