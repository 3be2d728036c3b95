#!/usr/bin/python3
"""Writes the tiny files of tests/reference/data that the readers of likely/io are tested with: arrays by NumPy,
a state_dict by PyTorch. Needs numpy and torch.

    tools/reference/file_reference.py
"""
import pathlib
import sys

import numpy as np
import torch

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import check_safetensors  # noqa: E402

FOLDER = ROOT / "tests" / "reference" / "data"

ARRAYS = {
    "half": np.array([1.0, -2.5, 65504.0], dtype="<f2"),
    "column_major": np.asfortranarray(np.arange(24, dtype="<f8").reshape(2, 3, 4)),
    "big_endian": np.array([[1.5, -2.0]], dtype=">f4"),
    "small": np.array([0, 255], dtype="u1"),
    "negative": np.array([-1, 40000], dtype="<i4"),
    "flags": np.array([True, False]),
    "scalar": np.array(7, dtype="<i8"),
    "nothing": np.zeros((0, 3), dtype="<f4"),
}


def main():
    np.savez(FOLDER / "numpy_stored.npz", **ARRAYS)
    np.savez_compressed(FOLDER / "numpy_packed.npz", **ARRAYS)
    np.save(FOLDER / "numpy.npy", np.arange(6, dtype="<f4").reshape(2, 3))
    check_safetensors.write(FOLDER / "pytorch.safetensors", *check_safetensors.example())


if __name__ == "__main__":
    main()
