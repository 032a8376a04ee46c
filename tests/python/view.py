"""Views: no copies (addresses are equal), stale ones raise, DLPack, looks that change nothing, threads."""
import ctypes
import gc
import sys

import harness
import numpy as np
import spate
from harness import block, raises, tank
from spate import _api, _dlpack
from spate._library import lib


def _address(array):
    return array.__array_interface__["data"][0]


def _views(sim):
    """Every view of a simulation, with the address that C gives for it."""
    particles, fields = _api.spate_particles_view(), _api.spate_field_view()
    lib.spate_sim_particles_view_sized(sim._sim, b"fluid", ctypes.byref(particles), ctypes.sizeof(particles))
    of = lambda pointer: ctypes.cast(pointer, ctypes.c_void_p).value
    now = sim.particles
    for d in range(sim.dim):
        yield now.x[d], of(particles.x[d])
        yield now.v[d], of(particles.v[d])
    yield now.id, of(particles.id)
    columns = (ctypes.POINTER(ctypes.c_float) * 4)()
    for channel in sim.scene.to_dict()["channels"]:
        count = lib.spate_sim_channel_view(sim._sim, channel["name"].encode(), columns)
        for c in range(count):
            yield now.channel(channel["name"])[c], of(columns[c])
    for name in ("u", "v", "w")[: sim.dim] + ("p", "phi", "solid", "type"):
        lib.spate_sim_field_view_sized(sim._sim, name.encode(), ctypes.byref(fields), ctypes.sizeof(fields))
        yield sim.field(name), of(fields.bytes if name == "type" else fields.values)


def test_no_copies():
    for scene in (tank(), block()):
        sim = spate.Sim(scene, threads=1)
        sim.step(0.004)
        count = 0
        for view, address in _views(sim):
            array = np.asarray(view)
            assert view.address == _address(array) == address == _address(np.from_dlpack(view)), view
            assert array.strides == view.strides and array.shape == view.shape and array.dtype == view.dtype
            part = view[1:3]
            assert isinstance(part, spate.View) and part.address == _address(array[1:3])
            assert view.T.address == address and view.T.shape == view.shape[::-1]
            count += 1
        assert count == (11 if sim.dim == 2 else 17), count


def test_values():
    sim = spate.Sim(block(), threads=1)
    sim.step(0.004)
    now = sim.particles
    x = np.stack([now.origin[d] + now.scale * np.asarray(now.x[d]) for d in range(3)], 1)
    assert np.allclose(x, now.position(), atol=1e-6) and now.position().shape == (len(sim), 3)
    assert (np.stack(now.v, 1) == now.velocity()).all()
    assert len(set(now.id.tolist())) == len(now) == now.count
    p = sim.field("p")
    assert p.shape == (16, 12, 8) and p.unit == "Pa" and np.allclose(p.axis(1), (np.arange(12) + 0.5) / 16)
    point = (p.axis(0)[3], p.axis(1)[2], p.axis(2)[4])
    assert abs(sim.sample(point).pressure - p[3, 2, 4]) < 1e-3 * abs(p[3, 2, 4])
    assert sim.field("u").shape == (17, 12, 8) and sim.field("u").origin[0] == 0
    assert "fluid" in sim.particle_sets and sim.particle_set("fluid").id.address == sim.particles.id.address
    raises(spate.UsageError, lambda: sim.particle_set("gas"), "no set 'gas'", "fluid")
    assert set(np.unique(sim.field("type"))) <= {0, 1, 2, 3}
    raises(spate.UsageError, lambda: sim.field("q"), "there is no field 'q'", "phi")
    raises(spate.UsageError, lambda: sim.field("w\u00e4"), "no field")


def test_columns_of_a_set():
    scene = block(whitewater__on=True, whitewater__rate=1e5, whitewater__spacing=0.01, whitewater__detail=0.125,
                  whitewater__speed_low=0.01, whitewater__speed_high=0.02)
    sim = spate.Sim(scene, threads=1)
    for _ in range(20):
        sim.step(0.004)
    white = sim.particle_set("whitewater")
    assert len(white) > 10 and white.columns == ["type", "age", "life", "radius"]
    assert white.classes == ["spray", "foam", "bubbles", "dust"] and sim.particles.classes == []
    assert np.asarray(white["type"]).dtype == "u4" and (np.asarray(white["type"]) < 4).all()
    assert (np.asarray(white["age"]) <= white["life"]).all() and (np.asarray(white["radius"]) > 0).all()
    counts = np.bincount(np.asarray(white["type"]), minlength=4)
    now = sim.particles
    assert now.columns == [channel["name"] for channel in sim.scene.to_dict()["channels"]]
    assert now.column("dye")[1].address == now["dye"][1].address
    age = white["age"]
    raises((ValueError, TypeError), lambda: age.__setitem__(0, 1.0))
    raises(spate.UsageError, lambda: white["rests"], "no column 'rests'", "radius")
    stats = sim.stats()
    assert [stats.spray, stats.foam, stats.bubbles, stats.dust] == list(counts)
    sim.step(0.004)
    raises(spate.StaleView, lambda: age[0])


def test_arithmetic():
    sim = spate.Sim(tank(), threads=1)
    view = sim.particles.x[0]
    array = np.array(view)
    assert (view + 1 == array + 1).all() and (2 * view == 2 * array).all() and (array - view == 0).all()
    assert (view / 2 == array / 2).all() and (-view == -array).all() and ((view > 3) == (array > 3)).all()
    assert view.mean() == array.mean() and np.sqrt(view).sum() == np.sqrt(array).sum()
    assert view[view > 3].size == (array > 3).sum()
    assert view[5] == array[5] and list(view[:3]) == list(array[:3]) and view[-1] == array[-1]
    assert np.linalg.norm(view) == np.linalg.norm(array) and np.concatenate([view, view]).size == 2 * array.size
    assert "x[0]" in repr(view) and (np.array(view, dtype="f8") == array).all()
    raises(IndexError, lambda: view[len(array)])
    raises((ValueError, TypeError), lambda: view.__setitem__(0, 1.0))  # only channels may be written to
    assert not np.asarray(view).flags.writeable


def test_channels_are_written_in_place():
    sim = spate.Sim(block(), threads=1)
    now = sim.particles
    dye = now["dye"]
    assert len(dye) == 2 and (dye[0] == 0.5).all() and (dye[1] == 0.25).all()
    dye[0][:] = 3
    view = dye[1]
    view *= 2
    np.asarray(dye[1])[0] = 7
    assert (sim.particles["dye"][0] == 3).all() and sim.particles["dye"][1][0] == 7 and dye[1][1] == 0.5
    sim.step(0.004)
    assert (sim.particles["dye"][0] == 3).all() and np.allclose(sim.particles["age"], 0.004)
    raises(spate.UsageError, lambda: sim.particles["colour"], "no channel 'colour'", "age, dye")


USES = {
    "item": lambda v: v[0], "slice": lambda v: v[1:], "asarray": np.asarray, "array": np.array,
    "method": lambda v: v.sum(), "operator": lambda v: v + 1, "mirrored": lambda v: 1 - v, "ufunc": np.sqrt,
    "both": lambda v: np.ones(v.shape) * v, "stack": lambda v: np.stack([v, v]), "dlpack": np.from_dlpack,
    "device": lambda v: v.__dlpack_device__(), "interface": lambda v: v.__array_interface__,
    "address": lambda v: v.address, "iterate": list, "transposed": lambda v: v.T, "copy": lambda v: v.copy(),
    "compare": lambda v: v > 0, "contains": lambda v: 3 in v, "mean": np.mean,
    "concatenate": lambda v: np.concatenate([v]),
}


def test_stale_views_raise():
    changes = {
        "step": lambda sim: sim.step(0.002), "step_frame": lambda sim: sim.step_frame(),
        "run_stage": lambda sim: [sim.run_stage(name, 0.002) for name in spate.stages()],
        "add_particles": lambda sim: sim.add_particles([[0.9, 0.7, 0.2]]),
        "add_liquid": lambda sim: sim.add_liquid({"shape": "sphere", "center": [0.8, 0.6, 0.2], "radius": 0.1}),
        "remove": lambda sim: sim.remove_particles({"shape": "box", "min": [0, 0, 0], "max": [0.1, 0.1, 0.1]}),
        "add_solid": lambda sim: sim.add_solid({"shape": "sphere", "center": [0.8, 0.6, 0.2], "radius": 0.1}),
        "impulse": lambda sim: sim.add_impulse([0.2, 0.2, 0.2], 0.2, [1, 0, 0]),
        "stats": lambda sim: sim.stats(), "restore": lambda sim: sim.restore(sim.checkpoint()),
        "sample after a change": lambda sim: sim.sample([0.1, 0.1, 0.1]), "close": lambda sim: sim.close(),
    }
    sim = spate.Sim(block(), threads=1)
    for name, change in changes.items():
        views = [sim.particles.x[0], sim.field("p"), sim.particles["age"], sim.particles.id[2:9]]
        particles = sim.particles
        assert not any(view.stale for view in views)
        change(sim)
        for view in views:
            assert view.stale and "stale" in repr(view)
            for use, function in USES.items():
                raises(spate.StaleView, lambda: function(view), "of an earlier state")
        raises(spate.StaleView, particles.position)
        raises(spate.StaleView, lambda: particles["age"])


def test_looks_change_nothing():
    """Calls that leave views as they are leave the memory behind them as it was."""
    scene = block(gauges=[{"name": "H", "kind": "height", "at": [0.2, 0, 0.2]}])
    looks = {
        "hash": lambda sim: sim.hash, "surface": lambda sim: sim.surface(1), "checkpoint": lambda sim: sim.checkpoint(),
        "save": lambda sim: sim.save("c.spate"), "progress": lambda sim: sim.progress(),
        "sample": lambda sim: sim.sample([[0.1, 0.1, 0.1]]), "force": lambda sim: sim.solid("ball").force(),
        "gauges": lambda sim: sim.gauges(), "table": lambda sim: sim.gauge_table(), "next_dt": lambda sim: sim.next_dt,
        "distance": lambda sim: sim.solid_distance([0.1, 0.1, 0.1]), "position": lambda sim: sim.particles.position(),
        "particles": lambda sim: sim.write_particles("p.ply"),
        "picture": lambda sim: sim.write_picture("p.png", 64, 48),
        "scene": lambda sim: sim.scene, "solids": lambda sim: sim.solids,
    }
    sim = spate.Sim(scene, threads=1)
    list(sim.frames(1))
    for name, look in looks.items():
        views = [view for view, _ in _views(sim)]
        before = [(view.address, view.tobytes()) for view in views]
        look(sim)
        for view, (address, data) in zip(views, before):
            assert not view.stale, name
            assert view.tobytes() == data and view.address == address, (name, view)
        assert [address for _, address in _views(sim)] == [address for address, _ in before], name


def test_views_inside_of_a_callback_end_with_it():
    sim, kept = spate.Sim(tank(), threads=1), []

    @sim.on_stage
    def look(sim, stage):
        for view in kept:
            raises(spate.StaleView, lambda: view[0])
        kept[:] = [sim.particles.x[0], sim.field("u")]
        assert np.isfinite(np.asarray(kept[0])).all()

    sim.step(0.004)
    raises(spate.StaleView, lambda: kept[0][0])
    raises(spate.StaleView, lambda: kept[1].max())


class _Tensor(ctypes.Structure):
    _fields_ = _dlpack._Versioned._fields_


def test_dlpack():
    sim = spate.Sim(tank(), threads=1)
    view = sim.field("u")
    array = np.from_dlpack(view)
    assert (array == np.asarray(view)).all() and _address(array) == view.address and view.__dlpack_device__() == (1, 0)
    name = ctypes.pythonapi.PyCapsule_GetName
    name.restype, name.argtypes = ctypes.c_char_p, [ctypes.py_object]
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    capsule = view.__dlpack__(max_version=(1, 0))
    assert name(capsule) == b"dltensor_versioned"
    made = _Tensor.from_address(pointer(capsule, b"dltensor_versioned"))
    assert (made.major, made.flags, made.tensor.ndim, made.tensor.data) == (1, 1, 2, view.address)
    assert made.tensor.strides[0] == view.strides[0] // 4 and made.tensor.shape[1] == view.shape[1]
    assert len(_dlpack._loans) == 2
    del capsule, made, array
    _dlpack.sweep()
    assert not _dlpack._loans
    raises(BufferError, lambda: view.__dlpack__(copy=True))
    raises(BufferError, lambda: view.__dlpack__(dl_device=(2, 0)))
    raises(AttributeError, lambda: view.__cuda_array_interface__)
    raises(spate.UsageError, lambda: sim.device_particles, "on the device cpu")
    raises(spate.UsageError, lambda: sim.device_field("p"), "on the device cpu")
    kept = np.from_dlpack(sim.particles.x[0])
    total = kept.sum()
    del sim, view
    gc.collect()
    assert kept.sum() == total  # the tensor keeps the simulation
    del kept
    _dlpack.sweep()
    assert not _dlpack._loans


def test_dlpack_while_an_exception_is_under_way():
    """Arrays and capsules that end while an exception goes through leave it as it is."""
    view = spate.Sim(tank(), threads=1).particles.x[0]

    def fails():
        array, capsule = np.from_dlpack(view), view.__dlpack__()
        assert len(array) and capsule
        raise KeyError("mine")

    for _ in range(5):
        raises(KeyError, fails, "mine")
    _dlpack.sweep()
    assert not _dlpack._loans


if __name__ == "__main__":
    harness.main(sys.modules["__main__"])
