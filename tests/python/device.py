"""Views of a device's memory: the CUDA array interface and DLPack, read back by ctypes.

With a GPU the device is cuda, and CUDA's driver copies; without one it is check, the CPU posing as a GPU, whose memory
ctypes reads as it is."""
import ctypes
import functools
import os
import sys

import harness
import numpy as np
import spate
from harness import block, raises, tank

DEVICE = os.environ["SPATE_TEST_DEVICE"]
KINDS = {"<f4": "f4", "<u4": "u4", "|u1": "u1"}


@functools.lru_cache(None)
def _driver():
    driver = ctypes.CDLL("libcuda.so.1")
    driver.cuMemcpyDtoH_v2.argtypes = [ctypes.c_void_p, ctypes.c_uint64, ctypes.c_size_t]
    context = ctypes.c_void_p()
    assert driver.cuInit(0) == 0 and driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) == 0
    assert driver.cuCtxSetCurrent(context) == 0
    return driver


def _copy(address, size):
    if DEVICE == "cuda":
        memory = ctypes.create_string_buffer(size)
        assert _driver().cuMemcpyDtoH_v2(memory, address, size) == 0
        return memory.raw
    return ctypes.string_at(address, size)


def _read(interface):
    """An array from a CUDA array interface, as a program without spate would."""
    assert interface["version"] == 3 and interface["stream"] == 1
    shape, strides, kind = interface["shape"], interface["strides"], KINDS[interface["typestr"]]
    size = sum((n - 1) * step for n, step in zip(shape, strides)) + np.dtype(kind).itemsize
    return np.ndarray(shape, kind, _copy(interface["data"][0], size), 0, strides)


def _pairs(sim):
    """Views of the device and of the host, of the same things."""
    there, here = sim.device_particles, sim.particles
    yield from zip(there.x + there.v + (there.id,), here.x + here.v + (here.id,))
    for name in ("u", "v", "w")[: sim.dim] + ("p", "phi", "type") + (("solid",) if sim.solids else ()):
        yield sim.device_field(name), sim.field(name)


def test_the_cuda_array_interface_is_read_back():
    for scene in (tank(), block()):
        sim = spate.Sim(scene, device=DEVICE, threads=2)
        assert sim.device == DEVICE and sim.device_bytes > 0
        for _ in range(3):
            sim.step(0.004)
            count = 0
            for there, here in _pairs(sim):
                data = _read(there.__cuda_array_interface__)
                assert there.address != here.address and (data == np.asarray(here)).all() and data.any(), there
                assert there.__dlpack_device__() == (2, 0) and "GPU" in repr(there) and not there.stale
                count += 1
            assert count == (10 if sim.dim == 2 else 14), count


def test_channels():
    sim = spate.Sim(block(), device=DEVICE, threads=2)
    sim.step(0.004)
    dye = sim.particles["dye"]
    dye[0][:] = np.arange(len(sim))
    there = sim.device_particles["dye"]
    assert (_read(there[0].__cuda_array_interface__) == np.arange(len(sim))).all()
    assert (_read(there[1].__cuda_array_interface__) == 0.25).all()
    raises(spate.StaleView, lambda: dye[0].__setitem__(0, 5.0))  # the device has it now
    assert not there[0].stale and sim.particles["dye"][0][3] == 3
    assert there[0].stale  # the host may write again
    sim.step(0.004)
    now = sim.device_particles
    order = np.argsort(_read(now.id.__cuda_array_interface__))
    assert (np.sort(_read(now["dye"][0].__cuda_array_interface__)[order]) == np.arange(len(sim))).all()


def test_dlpack_of_a_device():
    sim = spate.Sim(block(), device=DEVICE, threads=2)
    sim.step(0.004)
    view = sim.device_field("p")
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    capsule = view.__dlpack__(stream=1)
    tensor = spate._dlpack._Managed.from_address(pointer(capsule, b"dltensor")).tensor
    assert (tensor.device_type, tensor.device_id, tensor.data, tensor.ndim) == (2, 0, view.address, 3)
    assert tuple(tensor.shape[:3]) == view.shape and tensor.strides[1] * 4 == view.strides[1]
    raises((BufferError, RuntimeError, TypeError), lambda: np.from_dlpack(view))  # numpy reads no GPU's memory


def test_stale_and_wrong_uses():
    sim = spate.Sim(tank(), device=DEVICE, threads=2)
    sim.step(0.004)
    view = sim.device_particles.x[0]
    raises(TypeError, lambda: np.asarray(view), "in the memory of a GPU")
    raises(AttributeError, lambda: view.__array_interface__)
    raises(TypeError, lambda: view.sum(), "in the memory of a GPU")
    sim.step(0.004)
    raises(spate.StaleView, lambda: view.__cuda_array_interface__)
    raises(spate.StaleView, lambda: view.__dlpack__())
    raises(spate.UsageError, lambda: sim.device_field("q"), "no field 'q'")


def test_looking_changes_nothing():
    plain, seen = (spate.Sim(block(), device=DEVICE, threads=2) for _ in range(2))
    for _ in range(3):
        plain.step(0.004)
        seen.step(0.004)
        list(_pairs(seen))
    assert plain.hash == seen.hash


def test_own_forces_on_a_device():
    still = {"gravity": [0, 0], "fill": [{"shape": "sphere", "center": [0.5, 0.4], "radius": 0.2}]}
    speeds = []
    for device in ("cpu", DEVICE):
        sim = spate.Sim(tank(**still), device=device, threads=2)

        @sim.on_stage
        def push(sim, stage):
            if stage == "surface":
                u = sim.edit_velocity(0)
                u += 2 * sim.dt

        for _ in range(5):
            sim.step(0.004)
        speeds.append(sim.particles.velocity().mean(axis=0))
    assert abs(speeds[0] - speeds[1]).max() < 1e-5 and abs(speeds[1][0] - 0.04) < 1e-3, speeds


if __name__ == "__main__":
    harness.main(sys.modules["__main__"])
