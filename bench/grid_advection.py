#!/usr/bin/env python3
"""grid_advection.py -- how much energy a gas keeps if a grid carries its velocity instead of particles.

    bench/grid_advection.py           # prints the table, in a minute (needs numpy; Debian: python3-numpy)
    bench/grid_advection.py --check   # checks the order of both methods

Solves du/dt + (u grad) u = -grad p / rho, div u = 0 in 2D, in a box of 1 m, on a staggered grid. A step advects the
velocity by one of two methods, and then a Fourier transform finds the pressure that removes all divergence:

- semi-Lagrangian: each face takes the value at the place where the flow comes from (RK3, linear interpolation).
- MacCormack (Selle and others 2008): advects that result back again, and subtracts half of the error that this shows.
  The value is clamped to the range of the four faces around the place where the flow comes from.

The cases are those of tests/validation/taylor_green.c and stirred.c. Energy is that of the faces, compared with the
energy after the first step.
"""
import argparse

import numpy as np


class Box:
    """n x n cells. A velocity is a list of two arrays: u of shape (n + 1, n) and v of shape (n, n + 1), [x, y]."""

    def __init__(self, n, periodic, clamped=True):
        self.n, self.periodic, self.clamped = n, periodic, clamped
        size = n if periodic else 2 * n  # of what solve() transforms
        wave = 2 - 2 * np.cos(2 * np.pi * np.arange(size) / size)
        self.eigenvalues = wave[:, None] + wave[None, :]
        self.eigenvalues[0, 0] = 1  # the mean of the pressure has no effect

    def places(self, d):
        """The middles of the faces across axis d, in cells."""
        nodes, middles = np.arange(self.n + 1.0), np.arange(self.n) + 0.5
        return np.meshgrid(*((nodes, middles) if d == 0 else (middles, nodes)), indexing="ij")

    def faces_of(self, velocity):
        return [velocity(*(x / self.n for x in self.places(d)))[d] for d in range(2)]

    def close(self, u):
        """Nothing flows through a wall; in a periodic box the first and the last face are the same."""
        for field in (u[0], u[1].T):
            field[-1] = field[0] if self.periodic else 0
            field[0] = field[-1]
        return u

    def divergence(self, u):
        return self.n * (np.diff(u[0], axis=0) + np.diff(u[1], axis=1))

    def solve(self, b):
        """q with (sum of the four neighbours) - 4 q = b. A box with walls is mirrored, and is periodic then."""
        if not self.periodic:
            b = np.concatenate([b, b[::-1]])
            b = np.concatenate([b, b[:, ::-1]], axis=1)
        return np.fft.ifft2(np.fft.fft2(b) / -self.eigenvalues).real[:self.n, :self.n]

    def project(self, u):
        u = self.close(u)
        q = np.pad(self.solve(self.divergence(u) / self.n), 1, mode="wrap" if self.periodic else "edge")
        return self.close([u[0] - np.diff(q, axis=0)[:, 1:-1], u[1] - np.diff(q, axis=1)[1:-1]])

    def read(self, field, d, x, y, limits=False):
        """Linear interpolation of a field on the faces across axis d; limits: least and largest of the four values."""
        x, y = (x, y - 0.5) if d == 0 else (x - 0.5, y)
        i, j = np.floor(x).astype(int), np.floor(y).astype(int)
        if not self.periodic:  # the gas slips, so the velocity along a wall is the same up to the wall
            x, y = np.clip(x, 0, field.shape[0] - 1), np.clip(y, 0, field.shape[1] - 1)
            i, j = np.clip(i, 0, field.shape[0] - 2), np.clip(j, 0, field.shape[1] - 2)
        period = (self.n, self.n) if self.periodic else field.shape
        four = [field[(i + k % 2) % period[0], (j + k // 2) % period[1]] for k in range(4)]
        if limits:
            return np.minimum.reduce(four), np.maximum.reduce(four)
        a, b = x - i, y - j
        return (1 - b) * ((1 - a) * four[0] + a * four[1]) + b * ((1 - a) * four[2] + a * four[3])

    def trace(self, u, x, y, h):
        """Where the flow takes a place by the time h (over the size of a cell): RK3 of Ralston."""
        def flow(x, y):
            return self.read(u[0], 0, x, y), self.read(u[1], 1, x, y)
        a = flow(x, y)
        b = flow(x + 0.5 * h * a[0], y + 0.5 * h * a[1])
        c = flow(x + 0.75 * h * b[0], y + 0.75 * h * b[1])
        to = [place + h / 9 * (2 * a[k] + 3 * b[k] + 4 * c[k]) for k, place in enumerate((x, y))]
        return to if self.periodic else np.clip(to, 0, self.n)

    def advect(self, u, fields, dt, maccormack):
        """Advects two fields, which lie on the faces across x and across y, with the velocity u."""
        result = []
        for d, field in enumerate(fields):
            back = self.trace(u, *self.places(d), -dt * self.n)
            value = self.read(field, d, *back)
            if maccormack:
                forth = self.trace(u, *self.places(d), dt * self.n)
                value = value + 0.5 * (field - self.read(value, d, *forth))
            if maccormack and self.clamped:
                value = np.clip(value, *self.read(field, d, *back, limits=True))
            result.append(value)
        return result


def vortices(x, y, wave=2 * np.pi):
    return np.sin(wave * x) * np.cos(wave * y), -np.cos(wave * x) * np.sin(wave * y)


def stirring(seed):
    """The flow of tests/validation/stirring.h in 2D, by the same random numbers."""
    state, modes = seed, []
    for m, n in np.ndindex(6, 6):
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        square = (m + 1) ** 2 + (n + 1) ** 2
        modes.append((np.pi * (m + 1), np.pi * (n + 1), ((state >> 33) / 2**31 - 0.5) / square))
    def flow(x, y):
        return (sum(a * l * np.sin(k * x) * np.cos(l * y) for k, l, a in modes),
                -sum(a * k * np.cos(k * x) * np.sin(l * y) for k, l, a in modes))
    middles = (np.arange(100) + 0.5) / 100
    scale = 0.5 / np.sqrt(sum((u**2).mean() for u in flow(middles[:, None], middles[None, :])))
    return lambda x, y: [scale * u for u in flow(x, y)]


def kept(box, velocity, seconds, cfl, maccormack):
    """The share of the energy of the first step that is there at the end. All steps are as long as the first one."""
    u, energies = box.project(box.faces_of(velocity)), []
    steps = int(np.ceil(seconds * box.n * max(abs(u[0]).max(), abs(u[1]).max()) / cfl - 1e-9))
    for _ in range(steps):
        u = box.project(box.advect(u, u, seconds / steps, maccormack))
        energies.append((u[0][:-1] ** 2).sum() + (u[1][:, :-1] ** 2).sum())
        assert abs(box.divergence(u)).max() < 1e-11 * box.n, "divergence is left"
    return energies[-1] / energies[0]


def table():
    cases = [("vortices, 64 x 64 cells, 10 s, CFL 1", True, vortices, 10, 1)]
    cases += [(f"stirred box, 64 x 64 cells, 60 s, CFL 2, seed {k}", False, stirring(k), 60, 2) for k in (1, 2, 3)]
    print(f"{'energy kept':50}{'semi-Lagrangian':>16}{'MacCormack':>12}")
    for name, periodic, velocity, seconds, cfl in cases:
        shares = [100 * kept(Box(64, periodic), velocity, seconds, cfl, maccormack) for maccormack in (False, True)]
        print(f"{name:50}{shares[0]:14.1f} %{shares[1]:10.1f} %", flush=True)


def check():
    """A field that is constant along the lines of a steady flow must stay. Its error falls with the size of a cell."""
    for periodic, maccormack in ((True, False), (True, True), (False, False), (False, True)):
        wave, errors = 2 * np.pi if periodic else np.pi, []
        for n in (32, 64, 128):
            box = Box(n, periodic, clamped=False)  # the clamp is of first order where the field has an extremum
            u = box.faces_of(lambda x, y: vortices(x, y, wave))
            start = fields = box.faces_of(lambda x, y: [(np.sin(wave * x) * np.sin(wave * y)) ** 2] * 2)
            for _ in range(n // 4):
                fields = box.advect(u, fields, 1 / n, maccormack)
            errors.append(max(abs(a - b).mean() for a, b in zip(start, fields)))
        order = np.log2(errors[1] / errors[2])
        method = "MacCormack" if maccormack else "semi-Lagrangian"
        print(f"{'periodic' if periodic else 'closed'}, {method}: order {order:.2f}")
        assert order > (1.8 if maccormack else 0.8), "the order is too low"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="check the order of both methods")
    check() if parser.parse_args().check else table()
