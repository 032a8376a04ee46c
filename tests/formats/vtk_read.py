"""particles.pvd and its .vtp files through VTK, against the PLY files; with --mesh, a surface."""
import sys
import xml.etree.ElementTree

import numpy
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkIOXML import vtkXMLPolyDataReader
from vtkmodules.vtkIOPLY import vtkPLYReader

import particles


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


if sys.argv[1] == "--mesh":
    check_mesh(sys.argv[2], int(sys.argv[3]))
else:
    check_run(sys.argv[1], float(sys.argv[2]))
print("ok")
