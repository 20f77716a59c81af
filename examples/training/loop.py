"""What the examples of training share: compile a step, run it over batches, plot the loss, save the model."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import lamina

try:
    import matplotlib
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
    from sklearn.datasets import load_digits
    from sklearn.model_selection import train_test_split
except ModuleNotFoundError as missing:
    raise SystemExit(f"no module {missing.name}: pip install 'lamina[examples]'") from None

matplotlib.use("Agg")
HERE = Path(__file__).resolve().parent
Batch = Sequence[np.ndarray]


@dataclass
class Training:
    """A model that is trained: its compiled step, and what the step updates in place: parameters, state."""

    module: Any
    count: int
    step: Any
    carried: list[np.ndarray]
    losses: list[float] = field(default_factory=list)

    @classmethod
    def of(cls, name: str, count: int, optimizer: str, seed: int, **settings: Any) -> Training:
        """Read ``name.mlir``, in which the first ``count`` arguments are parameters, and compile a step."""
        module = lamina.load(HERE / f"{name}.mlir")
        first = lamina.initializer(module, "predict", range(count))
        key = np.array([seed, 0], np.uint32)
        parameters = [array.copy() for array in lamina.interpret(module, key, entry=first)]
        steps = module.clone()
        step = lamina.train_step(steps, "loss", range(count), optimizer, **settings)
        state: list[np.ndarray] = []
        if any(op.sym_name.data == f"{step}_state" for op in steps.body.block.ops):
            zeros = lamina.interpret(steps, entry=f"{step}_state")
            state = [array.copy() for array in (zeros if isinstance(zeros, tuple) else (zeros,))]
        return cls(module, count, lamina.compile(steps, entry=step), [*parameters, *state])

    def run(self, batches: Iterator[Batch], steps: int, label: str = "training") -> None:
        """Run steps, showing a bar with the loss."""
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        with Progress(*columns, TextColumn("loss {task.fields[loss]:.4f}")) as progress:
            task = progress.add_task(label, total=steps, loss=float("nan"))
            for _ in range(steps):
                self.losses.append(float(self.step(*self.carried, *next(batches))[-1]))
                progress.update(task, advance=1, loss=np.mean(self.losses[-20:]))

    def model(self) -> Any:
        """The trained model: ``predict`` with the parameters as constants."""
        return lamina.bind(self.module, "predict", dict(enumerate(self.carried[: self.count])))

    def save(self, folder: Path, name: str) -> Path:
        """Write the model as IR for ``lamina-run``, and a plot of the loss; returns the model's path."""
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{name}.mlir"
        path.write_text(lamina.to_text(self.model()), encoding="utf-8")
        plot(self.losses, folder / f"{name}_loss.png", name)
        return path


def plot(losses: Sequence[float], path: Path, title: str) -> None:
    """The loss of each step, and its mean over the last twenty, as a PNG."""
    from matplotlib import pyplot as plt

    window = np.ones(20) / 20
    figure, axes = plt.subplots(figsize=(7, 4))
    axes.plot(losses, color="tab:blue", alpha=0.3, label="each step")
    if len(losses) > len(window):
        axes.plot(np.arange(19, len(losses)), np.convolve(losses, window, "valid"), label="mean of 20 steps")
    axes.set(xlabel="step", ylabel="loss", title=title.replace("_", " "), yscale="log")
    axes.legend()
    figure.tight_layout()
    figure.savefig(path, dpi=120)
    plt.close(figure)


def digits() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """scikit-learn's digits: images for training and for the test in [0, 1], and their labels."""
    pixels, labels = load_digits(return_X_y=True)
    images = (pixels / 16).astype(np.float32)
    train, test, known, wanted = train_test_split(images, labels, test_size=0.25, random_state=0)
    return train, test, known.astype(np.int64), wanted


def shuffled(count: int, size: int, seed: int) -> Iterator[np.ndarray]:
    """Indices of batches, in a new order each time all were used."""
    generator = np.random.default_rng(seed)
    while True:
        order = generator.permutation(count)
        yield from (order[i : i + size] for i in range(0, count - size + 1, size))


def accuracy(training: Training, images: np.ndarray, labels: np.ndarray) -> float:
    """The share of images that the model names rightly."""
    return float((lamina.compile(training.model())(images).argmax(axis=1) == labels).mean())


def train_each(
    options: argparse.Namespace,
    name: str,
    start: Callable[[int], Training],
    batches: Callable[[int], Iterator[Batch]],
    test: np.ndarray,
    wanted: np.ndarray,
) -> None:
    """Train once for each seed, write the models, and tell how many test images each names rightly."""
    found: list[float] = []
    for seed in options.seeds:
        training = start(seed)
        training.run(batches(seed), options.steps, f"seed {seed}")
        found.append(accuracy(training, test, wanted))
        print(f"seed {seed}: {found[-1]:.2%} of {len(test)} test images are right")
        print(f"wrote {training.save(options.out, name)}")
    print(f"mean over {len(found)}: {sum(found) / len(found):.2%}")


def arguments(steps: int, description: str | None) -> argparse.Namespace:
    """The command line that all examples have."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--steps", type=int, default=steps, help=f"steps of training (default {steps})")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0], help="seeds, one training for each")
    parser.add_argument(
        "--out", type=Path, default=Path("trained"), help="folder of the results (default trained)"
    )
    return parser.parse_args()
