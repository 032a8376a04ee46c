"""Data for learning: many small runs with random scenes, each a folder that spate.read opens, and one file of pairs.

    python3 04_learning_data.py FOLDER [COUNT]

Each run is a 2D tank with one or two blocks of water and sometimes a ball. data.npz holds of every frame a grid of the
liquid (its share of each cell) and of its velocity, with those of the frame after it: what a network is to predict.
"""
import sys
from pathlib import Path

import numpy as np
import spate

CELLS, FRAMES = 24, 10


def random_scene(seed):
    random = np.random.default_rng(seed)
    scene = {"name": f"tank {seed}", "domain": {"size": [1, 1], "cells": CELLS}, "frames": FRAMES,
             "fluid": {"seed": int(seed)}, "fill": [], "solids": []}
    for _ in range(random.integers(1, 3)):
        low = random.uniform(0, 0.5, 2)
        scene["fill"].append({"shape": "box", "min": low.tolist(), "max": (low + random.uniform(0.2, 0.45, 2)).tolist(),
                              "velocity": random.uniform(-1, 1, 2).tolist()})
    if random.random() < 0.5:
        scene["solids"].append({"shape": "sphere", "center": random.uniform(0.2, 0.8, 2).tolist(), "radius": 0.08})
    return spate.Scene(scene)


def grids(frame):
    """(3, CELLS, CELLS): particles of each cell against a full one, and their mean velocity."""
    cell = np.minimum((frame.position * CELLS).astype(int), CELLS - 1)
    where = cell[:, 0] * CELLS + cell[:, 1]
    count = np.bincount(where, minlength=CELLS**2)
    sums = [np.bincount(where, weights, CELLS**2) for weights in frame.velocity.T]
    return np.stack([count / 4] + [total / np.maximum(count, 1) for total in sums]).reshape(3, CELLS, CELLS)


def main(folder, count):
    inputs, targets = [], []
    for seed in range(count):
        run = spate.run(random_scene(seed), folder / f"run.{seed:03d}", threads=1)
        states = [grids(frame) for frame in run]
        inputs += states[:-1]
        targets += states[1:]
    np.savez_compressed(folder / "data.npz", inputs=np.array(inputs, "f4"), targets=np.array(targets, "f4"))
    print(f"{count} runs of {FRAMES} frames in {folder}, {len(inputs)} pairs in data.npz")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 100)
