"""A wave tank: a paddle makes waves, three gauges read them, and their length is compared with theory.

    python3 01_wave_tank.py [PICTURE.png]
"""
import math
import sys

import numpy as np
import spate

PERIOD, STROKE, DEPTH = 1.1, 0.02, 0.3  # s, m, m
GAUGES = {"near": 1.4, "middle": 1.7, "far": 2.0}  # m from the left wall

scene = spate.Scene({
    "name": "wave tank", "domain": {"size": [5, 0.5], "cells": 250}, "fps": 50,
    "fill": [{"shape": "box", "min": [0.3, 0], "max": [5, DEPTH]}],
    "solids": [{"name": "paddle", "shape": "box", "min": [0.1, -0.1], "max": [0.3, 0.6]}],
    "gauges": [{"name": name, "kind": "height", "at": [x, 0]} for name, x in GAUGES.items()],
})
sim = spate.Sim(scene)
paddle = sim.solid("paddle")
rate = 2 * math.pi / PERIOD
while sim.time < 4.2:
    dt = min(sim.next_dt, 0.01)
    start = min(1, (sim.time + dt) / PERIOD)  # it starts gently
    paddle.move([start * STROKE * math.sin(rate * (sim.time + dt)), 0])  # where it is at the end of the step
    sim.step(dt)

# The phase of each gauge at the paddle's period, over the last two periods before an echo comes back.
table = sim.gauge_table()
late = table[table.time > sim.time - 2 * PERIOD]
span = np.gradient(late.time)


def wave(name):
    """Amplitude (m) and phase at the paddle's period, as one complex number."""
    height = late[name] - np.average(late[name], weights=span)
    return (height * np.exp(1j * rate * late.time) * span).sum() / PERIOD


turn = np.angle(wave("far") / wave("near")) % (2 * math.pi)
length = 2 * math.pi * (GAUGES["far"] - GAUGES["near"]) / turn

# Linear theory: rate^2 = g k tanh(k depth).
k = rate**2 / 9.81
for _ in range(100):
    k = rate**2 / (9.81 * math.tanh(k * DEPTH))
print(f"{len(table)} rows of gauges; waves of {1000 * abs(wave('middle')):.1f} mm amplitude")
print(f"wavelength {length:.3f} m, by linear theory {2 * math.pi / k:.3f} m")

if len(sys.argv) > 1:
    ax = spate.plot.gauges(table)
    ax.set_ylabel("water height (m)")
    ax.figure.savefig(sys.argv[1], dpi=80)
