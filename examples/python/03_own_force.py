"""A force of one's own: a drop without gravity is pulled to the middle of the room by a spring.

    python3 03_own_force.py [PICTURE.png]

The callback runs after each stage of a step. After "surface" it adds to the velocities of the faces what the force does
in the step; the stage "forces" then closes the walls, and the pressure keeps the drop's volume. Velocities are those of
the middle of steps, so the first step gets half.
"""
import math
import sys

import numpy as np
import spate

RATE, START = 4.0, 0.35  # 1/s: the spring pulls by RATE^2 times the distance; m: how far the drop is at the start
MIDDLE = (0.6, 0.6)

scene = spate.Scene({
    "name": "spring", "domain": {"size": [1.2, 1.2], "cells": 64}, "gravity": [0, 0], "fps": 60,
    "fluid": {"flip_ratio": 1},
    "fill": [{"shape": "sphere", "center": [MIDDLE[0] - START, MIDDLE[1]], "radius": 0.12}],
})
sim = spate.Sim(scene)


@sim.on_stage
def spring(sim, stage):
    if stage != "surface":
        return
    kick = RATE**2 * (sim.dt if sim.steps else sim.dt / 2)
    for axis in range(sim.dim):
        u = sim.edit_velocity(axis)  # no copy: what is written here is the simulation's
        distance = u.axis(axis) - MIDDLE[axis]
        u -= kick * np.expand_dims(distance, 1 - axis)


places = []
for _ in sim.frames(int(60 * math.pi / RATE)):  # half a turn: to the other side
    places.append((sim.time, sim.particles.x[0].mean() * sim.particles.scale - MIDDLE[0]))
    if sim.frame == 12 and len(sys.argv) > 1:
        spate.plot.particles(sim).figure.savefig(sys.argv[1], dpi=80)
time, place = np.array(places).T
exact = -START * np.cos(RATE * time)
print(f"the drop goes from {-START:.3f} m to {place[-1]:.3f} m; a mass on a spring to {exact[-1]:.3f} m")
print(f"largest difference on the way: {1000 * abs(place - exact).max():.1f} mm")
