"""Volumes through OpenVDB, and the same volumes as .vti through VTK: both must agree, and say what is known of the
liquid, a ball of water that moves with one velocity."""
import csv
import glob
import sys

import numpy
import pyopenvdb
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkIOXML import vtkXMLImageDataReader

run, exact = sys.argv[1], sys.argv[2] == "ball"
with open(run + "/stats.csv") as file:
    volumes = [float(row["volume"]) for row in csv.DictReader(file)]


def image(path):
    reader = vtkXMLImageDataReader()
    reader.SetFileName(path)
    reader.Update()
    assert reader.GetErrorCode() == 0
    data = reader.GetOutput()
    size = data.GetDimensions()[::-1]
    arrays = data.GetPointData()
    surface = vtk_to_numpy(arrays.GetArray("surface")).reshape(size).transpose(2, 1, 0)
    vel = vtk_to_numpy(arrays.GetArray("vel")).reshape(size + (3,)).transpose(2, 1, 0, 3)
    return surface, vel, data.GetSpacing()[0], data.GetOrigin()


for number, path in enumerate(sorted(glob.glob(run + "/vdb/volume.*.vdb"))):
    grids, _ = pyopenvdb.readAll(path)
    surface, vel = sorted(grids, key=lambda grid: grid.name)
    assert (surface.name, vel.name) == ("surface", "vel")
    assert surface.gridClass == pyopenvdb.GridClass.LEVEL_SET
    phi, v, dx, origin = image(f"{run}/vtk/volume.{number:04d}.vti")
    assert abs(surface.background - 3 * dx) < 1e-6 * dx
    assert numpy.allclose(surface.transform.indexToWorld((0, 0, 0)), origin, rtol=0, atol=1e-12)
    assert numpy.allclose(surface.transform.voxelSize(), dx)
    dense, dense_v = numpy.zeros(phi.shape, "f4"), numpy.zeros(v.shape, "f4")
    surface.copyToArray(dense)
    vel.copyToArray(dense_v)
    assert numpy.array_equal(dense, phi), (abs(dense - phi)).max()
    assert numpy.array_equal(dense_v, v), (abs(dense_v - v)).max()
    if not exact:
        continue
    # distance to a ball of radius 0.2 about (0.4, 0.35, 0.25)
    axes = [origin[d] + dx * numpy.arange(n) for d, n in enumerate(phi.shape)]
    x, y, z = numpy.meshgrid(*axes, indexing="ij")
    if number == 0:
        distance = numpy.sqrt((x - 0.4) ** 2 + (y - 0.35) ** 2 + (z - 0.25) ** 2) - 0.2
        band = abs(distance) < 2 * dx
        error = (phi - distance)[band] / dx
        assert abs(error).max() < 0.5 and numpy.sqrt((error ** 2).mean()) < 0.15, (abs(error).max(), (error ** 2).mean())
        assert (phi[distance < -3.5 * dx] == numpy.float32(-surface.background)).all()
        near = dense_v[phi < surface.background]  # inside and in the band
        assert numpy.allclose(near, (1, 2, 0.5), atol=1e-5), near
    # the surface is closed, and holds the volume that the simulation's own level set had
    points, quads = surface.convertToQuads()
    edges = numpy.sort(numpy.concatenate([quads[:, [k, (k + 1) % 4]] for k in range(4)]), axis=1)
    _, uses = numpy.unique(edges, axis=0, return_counts=True)
    assert (uses == 2).all()
    volume = numpy.clip(0.5 - dense / dx, 0, 1).sum() * dx ** 3
    assert abs(volume / volumes[number] - 1) < 0.02, (number, volume, volumes[number])
print("ok")
