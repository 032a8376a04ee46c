"""A sweep: the same dam break with several settings, and a table of what is left of its energy.

    python3 02_sweep.py [TABLE.csv]
"""
import itertools
import sys

import numpy as np
import spate

base = spate.Scene.preset("dam_break_2d")
base["domain.cells"] = 48
rows = []
for transfer, ratio, cells in itertools.product(("flip", "apic"), (0.9, 0.99), (32, 48)):
    if transfer == "apic" and ratio != 0.99:
        continue  # flip_ratio means nothing to APIC
    scene = base.copy()
    scene.update({"fluid.transfer": transfer, "fluid.flip_ratio": ratio, "domain.cells": cells})
    with spate.Sim(scene) as sim:
        start = sim.stats()
        for _ in sim.frames(45):
            pass
        end = sim.stats()
    total = start.kinetic_energy + start.potential_energy
    rows.append({"transfer": transfer, "flip_ratio": ratio, "cells": cells, "particles": end.particles,
                 "energy_left": (end.kinetic_energy + end.potential_energy) / total,
                 "volume": end.volume / start.volume})

table = spate.table(rows)
print("  ".join(f"{name:>12}" for name in table.dtype.names))
for row in table:
    print("  ".join(f"{value:>12.4g}" if isinstance(value, float) else f"{value:>12}" for value in row.tolist()))
if len(sys.argv) > 1:
    np.savetxt(sys.argv[1], table, fmt="%s", delimiter=",", header=",".join(table.dtype.names), comments="")
