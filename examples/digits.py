"""Handwritten digits: a trained MLP and CNN, from nn text to native code, on scikit-learn's test images.

The two models were trained on 1,347 of the 1,797 images of ``sklearn.datasets.load_digits``; the accuracy
printed is that on the other 450 (``train_test_split(test_size=0.25, random_state=0)``).

    python examples/digits.py
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import lamina

try:
    from sklearn.datasets import load_digits
    from sklearn.model_selection import train_test_split
except ModuleNotFoundError as missing:
    raise SystemExit(f"no module {missing.name}: pip install 'lamina[examples]'") from None

HERE = Path(__file__).resolve().parent
SHAPES = {"digits_mlp": (-1, 64), "digits_cnn": (-1, 1, 8, 8)}


def test_images() -> tuple[np.ndarray, np.ndarray]:
    """The 450 test images as float32 rows of 64 pixels in [0, 1], and their digits."""
    pixels, digits = load_digits(return_X_y=True)
    _, images, _, labels = train_test_split(pixels, digits, test_size=0.25, random_state=0)
    return (images / 16).astype(np.float32), labels


def accuracy(model: str, images: np.ndarray, labels: np.ndarray) -> float:
    """The share of images that a model names rightly."""
    exe = lamina.compile(HERE / f"{model}.mlir")
    probabilities = exe(images.reshape(SHAPES[model]))
    return float((probabilities.argmax(axis=1) == labels).mean())


def main() -> None:
    images, labels = test_images()
    for model in SHAPES:
        print(f"{model}: {accuracy(model, images, labels):.2%} of {len(labels)} test images are right")


if __name__ == "__main__":
    main()
