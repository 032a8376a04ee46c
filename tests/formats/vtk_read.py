"""particles.pvd and its .vtp files through VTK, against the PLY files; with --mesh, a surface; with --solids, those of
stage.json; with --grid, what a run writes of its grid, and a slice."""
import sys
import xml.etree.ElementTree

import numpy
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkIOXML import vtkXMLImageDataReader, vtkXMLPolyDataReader
from vtkmodules.vtkIOPLY import vtkPLYReader

import particles
import solids


def load(path):
    reader = vtkXMLPolyDataReader()
    reader.SetFileName(path)
    assert reader.CanReadFile(path), path
    reader.Update()
    assert reader.GetErrorCode() == 0, reader.GetErrorCode()
    return reader.GetOutput()


def points_of(data):
    return vtk_to_numpy(data.GetPoints().GetData()) if data.GetNumberOfPoints() else numpy.zeros((0, 3), "f4")


def check_run(run, fps):
    sets = list(xml.etree.ElementTree.parse(run + "/vtk/particles.pvd").iter("DataSet"))
    found = list(particles.frames(run))
    assert len(sets) == len(found) > 0
    for entry, (frame, expected) in zip(sets, found):
        data = load(f"{run}/vtk/{entry.get('file')}")
        count = len(expected["position"])
        assert abs(float(entry.get("timestep")) - frame / fps) < 1e-12
        assert abs(data.GetFieldData().GetArray("TimeValue").GetValue(0) - frame / fps) < 1e-12
        assert data.GetNumberOfPoints() == count and data.GetNumberOfVerts() == count
        particles.same("position", expected["position"], points_of(data))
        arrays = data.GetPointData()
        assert arrays.GetNumberOfArrays() == len(expected) - 1
        for name, values in expected.items():
            if name != "position":
                particles.same(name, values, vtk_to_numpy(arrays.GetArray(name)))
        if count:
            cells = vtk_to_numpy(data.GetVerts().GetConnectivityArray())
            assert numpy.array_equal(cells, numpy.arange(count))
            ply = vtkPLYReader()  # VTK's own reader of PLY sees the same points
            ply.SetFileName(f"{run}/particles.{frame:04d}.ply")
            ply.Update()
            particles.same("position in PLY", expected["position"], points_of(ply.GetOutput()))


def check_mesh(path, dim):
    data = load(path)
    cells = data.GetLines() if dim == 2 else data.GetPolys()
    # the surfaces of tests/formats/make_surfaces.c
    corners = [[0, 1], [1, 2], [2, 3], [3, 0]] if dim == 2 else [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
    particles.same("corners", numpy.array(corners), vtk_to_numpy(cells.GetConnectivityArray()))
    index = numpy.arange(4, dtype="f4")[:, None] * numpy.array([[1, 1, 1]], "f4")
    particles.same("velocity", index * numpy.array([[1, 10, 100]], "f4"), vtk_to_numpy(data.GetPointData().GetArray("velocity")))
    normals = vtk_to_numpy(data.GetPointData().GetNormals())
    assert numpy.allclose(numpy.linalg.norm(normals, axis=1), 1, atol=1e-6)
    assert points_of(data).shape == (4, 3) and points_of(data).max() == 0.75


def triangles_of(data):
    cells = vtk_to_numpy(data.GetPolys().GetConnectivityArray())
    assert len(cells) == 3 * data.GetNumberOfPolys()
    return cells.reshape(-1, 3)


def check_solids(folder, ending):
    for frame in range(3):
        reader = vtkXMLPolyDataReader() if ending == "vtp" else vtkPLYReader()
        reader.SetFileName(f"{folder}/solids.{frame:04d}.{ending}")
        reader.Update()
        data = reader.GetOutput()
        solids.check(points_of(data), triangles_of(data), vtk_to_numpy(data.GetPointData().GetNormals()), frame)
    if ending == "vtp":
        sets = list(xml.etree.ElementTree.parse(folder + "/solids.pvd").iter("DataSet"))
        assert [entry.get("file") for entry in sets] == [f"solids.{k:04d}.vtp" for k in range(3)]


def image(path):
    reader = vtkXMLImageDataReader()
    reader.SetFileName(path)
    reader.Update()
    assert reader.GetErrorCode() == 0
    data = reader.GetOutput()
    size = data.GetDimensions()[::-1]
    arrays = {}
    for k in range(data.GetPointData().GetNumberOfArrays()):
        array = data.GetPointData().GetArray(k)
        arrays[array.GetName()] = vtk_to_numpy(array).reshape(size + (-1,)).transpose(2, 1, 0, 3)
    origin, step = numpy.array(data.GetOrigin()), numpy.array(data.GetSpacing())
    axes = [origin[d] + step[d] * numpy.arange(data.GetDimensions()[d]) for d in range(3)]
    return arrays, numpy.stack(numpy.meshgrid(*axes, indexing="ij"), -1)


def check_grid(run):
    """What a run writes of its grid: stage.json in its last frame."""
    arrays, x = image(run + "/vtk/volume.0002.vti")
    assert list(arrays) == ["surface", "vel", "pressure", "type", "open"], list(arrays)
    pressure, kind, opened = arrays["pressure"][..., 0], arrays["type"][..., 0], arrays["open"]
    assert arrays["type"].dtype == numpy.uint8 and arrays["pressure"].dtype == numpy.float32
    liquid, dx = kind == 1, 0.1
    assert 60 < liquid.sum() < liquid.size / 4, liquid.sum()  # 2 x 4.5 x 10 cells and what left them
    assert (pressure[~liquid] == 0).all()
    assert 1000 < pressure[liquid].max() < 20000, pressure.max()  # 0.5 m of water that moves
    deep = arrays["surface"][..., 0] < -dx / 2  # by the particles a step later
    assert deep.sum() > 10 and liquid[deep].mean() > 0.9, (deep.sum(), liquid[deep].mean())
    # low faces of a cell: closed in the middle of the ball, open in the air, cut at the ball's side
    assert opened.min() == 0 and opened.max() == 1 and opened.shape[-1] == 3
    distance = numpy.sqrt(((x - [dx / 2, 0, 0] - [1, 0.5, 0.5]) ** 2).sum(-1)) - 0.2
    assert (opened[..., 0][distance < -0.8 * dx] == 0).all()
    high = (x[..., 1] > 0.85) & (kind == 0)
    assert high.any() and (opened[high] == 1).all()
    assert ((opened[..., 0] > 0.05) & (opened[..., 0] < 0.95)).sum() > 20
    # the slice through z = 0.52: the same fields there
    arrays, x = image(run + "/slice.plane.0002.vti")
    assert list(arrays) == ["velocity", "pressure", "surface"] and arrays["velocity"].shape == (21, 11, 1, 3)
    assert numpy.allclose(x[..., 2], 0.52) and numpy.allclose(x[-1, -1, 0], [2, 1, 0.52])
    wet = arrays["surface"][..., 0] < 0
    assert wet.any() and not wet.all() and arrays["pressure"][wet].max() > 1000
    assert (arrays["pressure"][~wet] == 0).all() and arrays["velocity"][wet][:, 0].max() > 1


if sys.argv[1] == "--mesh":
    check_mesh(sys.argv[2], int(sys.argv[3]))
elif sys.argv[1] == "--solids":
    check_solids(sys.argv[2], sys.argv[3])
elif sys.argv[1] == "--grid":
    check_grid(sys.argv[2])
else:
    check_run(sys.argv[1], float(sys.argv[2]))
print("ok")
