"""Simulations: clock, stages, changes, checkpoints, gauges, statistics; threads, Ctrl-C, leaks, overhead."""
import gc
import os
import signal
import statistics
import sys
import threading
import time
import warnings

import harness
import numpy as np
import spate
from harness import block, raises, tank
from spate._library import lib


def _memory():
    """kB of this process."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * (os.sysconf("SC_PAGESIZE") // 1024)


def test_frames_and_steps():
    sim = spate.Sim(tank(), threads=1)
    assert [frame for frame in sim.frames()] == [1, 2, 3] and sim.frame == 3 and sim.at_frame
    assert abs(sim.time - 0.1) < 1e-12
    assert list(sim.frames(2)) == [4, 5]
    other = spate.Sim(tank(), threads=2)
    for _ in range(5):
        other.step_frame()
    assert other.hash == sim.hash and other.steps == sim.steps
    sim.step(0.001)
    assert not sim.at_frame and abs(sim.dt - 0.001) < 1e-15
    raises(spate.UsageError, lambda: sim.step(-1), "dt")
    raises(spate.UsageError, lambda: sim.step(float("nan")), "dt")
    seen = []
    list(sim.frames(1, progress=lambda frame, last: seen.append((frame, last))))
    assert seen == [(6, 6)]
    list(sim.frames(1, progress=True))


def test_stages_one_by_one_are_a_step():
    whole, parts = (spate.Sim(tank(), threads=1) for _ in range(2))
    for _ in range(3):
        whole.step(0.004)
        for name in spate.stages():
            parts.run_stage(name, 0.004)
    assert whole.hash == parts.hash and parts.steps == 3
    for name in spate.stages():
        parts.run_stage(name)
    whole.step(whole.next_dt)
    assert whole.hash == parts.hash
    raises(spate.UsageError, lambda: parts.run_stage("presure"), "there is no stage 'presure'")


def test_stage_callback_sees_and_forces():
    plain, seen = spate.Sim(tank(), threads=1), spate.Sim(tank(), threads=1)
    names = []

    @seen.on_stage
    def look(sim, stage):
        names.append(stage)
        if stage == "pressure":
            assert sim.field("p").max() > 0 and sim.dt == 0.004
        raises(spate.UsageError, lambda: sim.set_gravity([0, 0]), "may look")
        raises(spate.UsageError, sim.close)
        raises(spate.UsageError, sim.stats)

    for sim in (plain, seen):
        sim.step(0.004)
    assert names == list(spate.stages()) and plain.hash == seen.hash
    seen.on_stage(None)
    seen.step(0.004)
    assert len(names) == len(spate.stages())


def test_own_force_is_as_gravity():
    """A tank of water at rest, held down by a force of our own in place of gravity, has its pressure."""
    fill = [{"shape": "box", "min": [0, 0], "max": [1, 0.5]}]
    weight = spate.Sim(tank(fill=fill), threads=1)
    own = spate.Sim(tank(fill=fill, gravity=[0, 0]), threads=1)

    @own.on_stage
    def pull(sim, stage):
        if stage == "surface":
            v = sim.edit_velocity(1)
            v -= 9.81 * sim.dt

    for _ in range(20):
        weight.step(0.004)
        own.step(0.004)
    a, b = np.array(weight.field("p")), np.array(own.field("p"))
    assert a.max() > 4500 and abs(a - b).max() < 0.01 * a.max(), (a.max(), abs(a - b).max())
    speed, same = weight.stats().max_speed, own.stats().max_speed
    assert abs(speed - same) < 0.05 * speed, (speed, same)
    raises(spate.UsageError, lambda: own.edit_velocity(1), "stage callback")


def test_exceptions_of_the_callback():
    sim = spate.Sim(tank(), threads=1)
    saved = sim.checkpoint()

    @sim.on_stage
    def fails(sim, stage):
        if stage == "p2g":
            raise KeyError("mine")

    raises(KeyError, sim.step, "mine")
    raises(spate.UsageError, sim.step, "load a checkpoint")
    sim.on_stage(None)
    sim.restore(saved)
    sim.step()
    other = spate.Sim(tank(), threads=1)
    other.step()
    assert sim.hash == other.hash


def test_changes():
    sim = spate.Sim(block(), threads=1)
    sim.step(0.004)
    assert [solid.name for solid in sim.solids] == ["ball"]
    ball = sim.solid("ball")
    box = sim.add_solid({"name": "box", "shape": "box", "min": [0.8, 0.4, 0.2], "max": [0.9, 0.5, 0.3]})
    assert box.index == 1 and sim.solid("box") == box and [solid.name for solid in sim.solids] == ["ball", "box"]
    assert sim.solid_distance([0.85, 0.45, 0.25]) < 0
    box.move([0, -0.1, 0], [0, 0, 10])
    sim.step(0.004)
    assert sim.solid_distance([0.85, 0.35, 0.25]) < 0 < sim.solid_distance([0.85, 0.49, 0.25])
    force, torque = ball.force()
    assert len(force) == 3 and all(np.isfinite(force)) and all(np.isfinite(torque))
    box.remove()
    raises(spate.UsageError, box.remove, "was removed")
    raises(spate.UsageError, lambda: box.move([0, 0, 0]), "was removed")
    raises(spate.UsageError, lambda: sim.solid("box"), "no solid 'box'")
    raises(spate.SceneError, lambda: sim.add_solid({"shape": "sphere", "radius": -1}), "radius: must be positive")
    raises(spate.Error, lambda: sim.add_solid({"shape": "sphere", "radius": 1}), "center")
    before = len(sim)
    assert sim.add_particles([[0.6, 0.6, 0.25], [5, 5, 5]], [[1, 0, 0], [0, 0, 0]]) == 1 and len(sim) == before + 1
    assert sim.remove_particles({"shape": "box", "min": [0.5, 0.5, 0.1], "max": [0.7, 0.7, 0.4]}) == 1
    raises(ValueError, lambda: sim.add_particles([[1, 2, 3, 4]]), "shape")
    raises(ValueError, lambda: sim.add_particles([[1, 1, 1]], [[1, 1, 1], [1, 1, 1]]), "as many")
    raises(spate.UsageError, lambda: sim.add_particles([[float("nan"), 1, 1]]), "not finite")
    sim.add_impulse([0.2, 0.2, 0.25], 0.1, [0, 3, 0])
    assert sim.particles.velocity()[:, 1].max() > 2
    sim.set_gravity([0, 0, 0])
    raises(ValueError, lambda: sim.set_gravity([0]), "must be 3 numbers")


def test_sources():
    scene = tank(fill=[], inflows=[{"name": "tap", "shape": "box", "min": [0, 0.4], "max": [0.125, 0.6],
                                    "velocity": [1, 0]}])
    sim = spate.Sim(scene, threads=1)
    assert len(sim) == 0 and sim.particles.x[0].shape == (0,) and sim.particles.position().shape == (0, 2)
    assert np.asarray(sim.particles.x[0]).size == 0 and np.from_dlpack(sim.particles.id).size == 0
    sim.set_inflow("tap", False)
    assert not sim.inflow_is_on(0)
    sim.step(0.01)
    assert len(sim) == 0
    sim.set_inflow(0, True)
    sim.step(0.01)
    assert len(sim) > 0
    raises(spate.UsageError, lambda: sim.set_inflow(7, True), "no inflow 7")
    count = len(sim)
    shape = {"shape": "sphere", "center": [0.7, 0.3], "radius": 0.1, "velocity": [0, -1]}
    came = sim.add_liquid(shape)
    assert abs(came - np.pi * 0.1**2 * 16**2 * 4) < 3 and len(sim) == count + came
    assert sim.add_liquid(shape) == 0  # it is full
    assert (sim.particles.velocity()[-came:, 1] < -0.9).all()


def test_checkpoints():
    sim = spate.Sim(tank(gauges=[{"name": "H", "kind": "height", "at": [0.3, 0]}]), threads=1)
    list(sim.frames(1))
    sim.save("a.spate")
    data, at, rows = sim.checkpoint(), sim.steps, len(sim.gauge_table())
    list(sim.frames(1))
    end, table = sim.hash, sim.gauge_table()
    sim.load("a.spate")
    assert sim.steps == at and len(sim.gauge_table()) == rows
    list(sim.frames(1))
    assert sim.hash == end and (sim.gauge_table() == table).all()
    other = spate.Sim(sim.scene, threads=2)
    other.restore(bytearray(data))
    list(other.frames(1))
    assert other.hash == end
    raises(spate.FileError, lambda: other.restore(data[:100]))
    raises(spate.UsageError, other.step, "make the simulation anew")
    raises(spate.FileError, lambda: sim.load("missing.spate"), "missing.spate")


def test_gauges_and_statistics():
    gauges = [{"name": "H", "kind": "height", "at": [0.25, 0]}, {"kind": "velocity", "at": [0.25, 0.2]},
              {"name": "P", "kind": "pressure", "at": [0.1, 0.05]}]
    sim = spate.Sim(tank(gauges=gauges), threads=1)
    assert list(sim.gauges()) == ["H", "gauges[1]_x", "gauges[1]_y", "P"] and abs(sim.gauges()["H"] - 0.5) < 0.01
    rows = [sim.stats() for _ in sim.frames()]
    table = sim.gauge_table()
    assert table.dtype.names == ("time", "step", "H", "gauges[1]_x", "gauges[1]_y", "P")
    assert len(table) == sim.steps + 1 and table.step[-1] == sim.steps and abs(table.time[-1] - sim.time) < 1e-12
    assert table.P[-1] > 1000 and table.H[-1] < table.H[0]
    assert sim.gauges()["H"] == table.H[-1]
    numbers = spate.table(rows)
    assert list(numbers.frame) == [1, 2, 3] and (numbers.particles == 256).all() and numbers.dtype["particles"] == "u8"
    assert abs(rows[0].volume - 0.25) < 0.01 and rows[0]["volume"] == rows[0].volume == dict(rows[0])["volume"]
    assert len(rows[0]) == len(spate.statistics()) and sim.progress().particles == 0 and sim.progress().frame == 3
    raises(AttributeError, lambda: rows[0].volumes, "no statistic")
    assert set(sim.stage_seconds) == set(spate.stages()) and sim.stage_seconds["pressure"] > 0
    assert len(spate.table([{"a": 1, "b": 2.5}, {"a": 2, "b": 3.5}]).b) == 2


def test_samples_surface_and_files():
    sim = spate.Sim(block(), threads=1)
    list(sim.frames(1))
    found = sim.sample([[0.2, 0.1, 0.25], [0.9, 0.7, 0.25]])
    assert found.velocity.shape == (2, 3) and found.pressure[0] > 500 and found.pressure[1] == 0 and found.phi[0] < 0
    assert sim.sample([0.2, 0.1, 0.25]).pressure == found.pressure[0]
    raises(ValueError, lambda: sim.sample([[1, 2]]), "shape (n, 3)")
    surface = sim.surface()
    assert abs(surface.volume() - sim.stats().volume_particles) < 2e-3 * 0.1
    assert surface.positions.shape == surface.normals.shape == surface.velocities.shape
    assert surface.indices.max() == len(surface.positions) - 1
    x = surface.positions
    del surface
    gc.collect()
    assert np.isfinite(x).all()  # the array keeps its memory
    raises(spate.UsageError, lambda: sim.surface(resolution=9), "1 .. 4")
    sim.surface(1).write("surface.ply")
    sim.write_particles("p.vtp")
    sim.write_volume("v.vti")
    sim.write_picture("picture.png", 160, 120)
    assert all(os.path.getsize(name) > 500 for name in ("surface.ply", "p.vtp", "v.vti", "picture.png"))
    raises(spate.Error, lambda: sim.write_particles("p.xyz"))


def test_warnings_and_devices():
    scene = tank(solids=[{"shape": "sphere", "center": [5, 5], "radius": 0.1}])
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        spate.Sim(scene, threads=1)
    assert any(issubclass(w.category, spate.SpateWarning) and "solids[0]" in str(w.message) for w in seen)
    said = []
    spate.Sim(scene, threads=1, log=lambda where, message: said.append(where))
    assert any("solids[0]" in where for where in said)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        raises(spate.SpateWarning, lambda: spate.Sim(scene, threads=1), "solids[0]")
    raises(spate.DeviceError, lambda: spate.Sim(tank(), device="abacus"))


def test_closed_simulations_refuse():
    with spate.Sim(tank(), threads=1) as sim:
        sim.step()
    for call in (sim.step, lambda: sim.particles, lambda: sim.hash, lambda: sim.time, lambda: sim.field("p"), sim.stats,
                 sim.gauges, lambda: sim.save("x"), lambda: len(sim)):
        raises(spate.UsageError, call, "was closed")
    sim.close()
    assert "closed" in repr(sim)


def test_ten_thousand_creations_in_flat_memory():
    scene = spate.Scene({"domain": {"size": [0.5, 0.5], "cells": 4}, "fill": [{"shape": "box", "min": [0, 0],
                                                                              "max": [0.25, 0.25]}]})
    views = 0

    def make(count):
        nonlocal views
        for _ in range(count):
            sim = spate.Sim(scene, threads=1)
            sim.on_stage(lambda sim, stage: None)  # no circle of references
            views += len(np.asarray(sim.particles.x[0]))
            np.from_dlpack(sim.particles.id)
            sim.particles.id.__dlpack__()  # a capsule that nobody takes
            spate.Scene(scene)

    make(500)
    gc.collect()
    gc.disable()
    try:
        before = _memory()
        make(10000)
        grown = _memory() - before
    finally:
        gc.enable()
    assert views == 10500 * 16 and grown < 1024, f"grown by {grown} kB"


def test_views_keep_the_simulation():
    sim = spate.Sim(tank(), threads=1)
    view, array = sim.particles.x[0], np.asarray(sim.particles.x[0])
    total = float(array.sum())
    del sim
    gc.collect()
    again = [spate.Sim(tank(), threads=1) for _ in range(20)]  # would take its memory
    assert float(view.sum()) == float(array.sum()) == total and len(again) == 20


def test_threads():
    """Two simulations in two threads run at once and give the same bits; two threads on one wait for each other."""
    hashes, running = {}, [0, 0]

    def work(key, sim, steps):
        for _ in range(steps):
            sim.step(0.002)
            running[key] += 1
        hashes[key] = sim.hash

    alone = spate.Sim(tank(), threads=1)
    work(0, alone, 40)
    sims = [spate.Sim(tank(), threads=1) for _ in range(2)]
    threads = [threading.Thread(target=work, args=(k, sims[k], 40)) for k in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert hashes[0] == hashes[1] == alone.hash
    shared, errors = spate.Sim(tank(), threads=1), []

    def use():
        for _ in range(30):
            try:
                shared.step(0.002)
                len(np.array(shared.particles.x[0]))
            except spate.StaleView:
                pass
            except Exception as why:
                errors.append(why)

    threads = [threading.Thread(target=use) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors and shared.steps == 120


def test_python_runs_during_a_step():
    """The lock of Python is free during a step: another thread counts meanwhile."""
    sim = spate.Sim(spate.Scene({"domain": {"size": [1, 1], "cells": 256}, "fill": [
        {"shape": "box", "min": [0, 0], "max": [1, 0.5]}]}), threads=1)
    ticks, stop = [], threading.Event()

    def tick():
        while not stop.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.0005)

    thread = threading.Thread(target=tick)
    thread.start()
    time.sleep(0.05)
    start = time.perf_counter()
    sim.step()
    end = time.perf_counter()
    stop.set()
    thread.join()
    inside = [t for t in ticks if start < t < end]
    assert len(inside) > 3 and inside[-1] - inside[0] > 0.3 * (end - start), (len(inside), end - start)


def test_ctrl_c_ends_after_the_step():
    sim, other = (spate.Sim(tank(domain__cells=64), threads=1) for _ in range(2))
    timer = threading.Timer(0.15, lambda: os.kill(os.getpid(), signal.SIGINT))
    old = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        timer.start()
        try:
            for _ in sim.frames(100000):
                pass
            raise AssertionError("it was not interrupted")
        except KeyboardInterrupt:
            pass
        steps = sim.steps
        while other.steps < steps:
            other.step()
        assert steps > 0 and sim.hash == other.hash  # whole steps
        list(sim.frames(1))  # and it goes on
        # inside of a callback: likewise after the step
        sim.on_stage(lambda sim, stage: os.kill(os.getpid(), signal.SIGINT) if stage == "p2g" else None)
        steps = sim.steps
        try:
            sim.step()
            raise AssertionError("it was not interrupted")
        except KeyboardInterrupt:
            pass
        assert sim.steps == steps + 1
        sim.on_stage(None)
        sim.step()
    finally:
        signal.signal(signal.SIGINT, old)
        timer.cancel()


def test_a_step_costs_less_than_20_microseconds_more():
    sim = spate.Sim({"domain": {"size": [0.5, 0.5], "cells": 4}}, threads=1)
    handle, error = sim._sim, sim._error_at

    def seconds(call):
        times = []
        for _ in range(2000):
            start = time.perf_counter()
            call()
            times.append(time.perf_counter() - start)
        return statistics.median(times)

    least = min(seconds(lambda: sim.step(0.001)) - seconds(lambda: lib.spate_sim_step(handle, 0.001, error))
                for _ in range(3))
    print(f"  overhead of a step: {1e6 * least:.2f} microseconds")
    assert least < 20e-6, least


if __name__ == "__main__":
    harness.main(sys.modules["__main__"])
