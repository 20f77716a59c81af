"""The main job, in the open: a trained model on a real input, and every level of its lowering as a file.

A small convolutional network that reads handwritten digits is lowered from ``nn`` to the ``llvm`` dialect,
pass by pass; the IR after each pass goes to a folder. The compiled model then reads real digits.

    python examples/demo.py [FOLDER]
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np

import lamina
from lamina.lowering.pipelines import LEVELS
from lamina.passes.nn.nn_set_shapes import set_shapes

sys.path.insert(0, str(Path(__file__).resolve().parent))
from digits import HERE, test_images

COUNT = 8
INKS = " .:-=+*#%@"


def write_levels(folder: Path) -> None:
    """Lower the model for one image, writing the IR at each level."""
    folder.mkdir(parents=True, exist_ok=True)
    module = lamina.load(HERE / "digits_cnn.mlir")
    set_shapes(module, "main", [(1, 1, 8, 8)])
    for number, (level, passes) in enumerate({"nn": (), **LEVELS}.items()):
        lamina.run_pipeline(module, ",".join(passes), verify_each=False)
        path = folder / f"{number}-{level}.mlir"
        path.write_text(lamina.to_text(module, elide=16), encoding="utf-8")
        print(f"  {path}: {sum(1 for _ in module.walk())} operations")


def show(image: np.ndarray) -> str:
    """An image as characters."""
    rows = ("".join(INKS[int(9 * pixel)] * 2 for pixel in row) for row in image.reshape(8, 8))
    return "\n".join(f"    {row.rstrip()}" for row in rows)


def main() -> int:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "demo-out")
    print("A convolutional network for handwritten digits, lowered level by level:")
    write_levels(folder)
    images, labels = test_images()
    exe = lamina.compile(HERE / "digits_cnn.mlir")
    probabilities = exe(images[:COUNT].reshape(-1, 1, 8, 8))
    print("\nOne of the images it has never seen:\n" + show(images[0]))
    reference = lamina.interpret(lamina.load(HERE / "digits_cnn.mlir"), images[:COUNT].reshape(-1, 1, 8, 8))
    print(f"\nexpected     {labels[:COUNT]}")
    print(f"native code  {probabilities.argmax(axis=1)}")
    difference = np.abs(probabilities - reference).max()
    print(f"largest difference of a probability to the reference: {difference:.1e}")
    everything = exe(images.reshape(-1, 1, 8, 8)).argmax(axis=1)
    print(f"right on {(everything == labels).mean():.2%} of all {len(labels)} test images")
    return 0 if (probabilities.argmax(axis=1) == labels[:COUNT]).all() else 1


if __name__ == "__main__":
    try:
        status = main()
        sys.stdout.flush()
    except BrokenPipeError:  # the reader has seen enough, as `| head` has
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 1
    sys.exit(status)
