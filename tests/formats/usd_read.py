"""USD text that a reader gives back (on stdin), against the PLY files: every value of every frame.

    usd_read.py RUN FPS [FRAME...]      particles of all frames, or of these
    usd_read.py --solids                those of stage.json
    usd_read.py --mesh 2|3              the surface of make_surfaces.c, or (--mesh 0) the empty one
"""
import os
import re
import sys

import numpy

import particles
import solids

text = sys.stdin.read()


def setting(name):
    found = re.search(rf"^\s*{name} = (.*)$", text, re.M)
    assert found, f"no {name}"
    return found.group(1).strip().strip('"')


def samples(name, kind):
    """{time: numbers} of an attribute."""
    found = re.search(rf"^\s*{re.escape(kind)} {name}\.timeSamples = {{(.*?)^\s*}}", text, re.M | re.S)
    assert found, f"no samples of {kind} {name}"
    result = {}
    for time, values in re.findall(r"^\s*([-0-9.e]+): (?:\[(.*?)\]|None),?$", found.group(1), re.M | re.S):
        values = re.sub(r"[(),]", " ", values).split()
        result[float(time)] = numpy.array(values, "i8" if kind.startswith("int") else "f8")
    return result


def check_head(fps):
    assert setting("upAxis") == "Y" and setting("defaultPrim") == "spate"
    assert float(setting("metersPerUnit")) == 1
    assert float(setting("timeCodesPerSecond")) == fps


def as_float(values):
    return values.astype("f4") if values.dtype.kind == "f" else values


def check_run(run, fps, chosen):
    check_head(fps)
    assert re.search(r'def Points "particles"', text)
    found = [(frame, data) for frame, data in particles.frames(run) if not chosen or frame in chosen]
    assert float(setting("startTimeCode")) == found[0][0] and float(setting("endTimeCode")) == found[-1][0]
    names = {"position": ("points", "point3f[]"), "velocity": ("velocities", "vector3f[]"), "id": ("ids", "int64[]"),
             "vorticity": ("primvars:vorticity", "vector3f[]")}
    for name, first in found[0][1].items():
        if name == "id" and os.environ.get("NO_IDS"):
            continue
        components = 1 if first.ndim == 1 else first.shape[1]
        usd, kind = names.get(name, ("primvars:" + name, ["float[]", "float2[]", "float3[]", "float4[]"][components - 1]))
        values = samples(usd, kind)
        assert sorted(values) == [frame for frame, _ in found], f"{usd}: times {sorted(values)}"
        for frame, data in found:
            particles.same(f"{usd} at {frame}", data[name], as_float(values[frame]))
    widths, extent = samples("widths", "float[]"), samples("extent", "float3[]")
    for frame, data in found:
        x = data["position"].astype("f8")
        assert len(widths[frame]) == len(x) and (len(x) == 0 or widths[frame].min() == widths[frame].max() > 0)
        radius = widths[frame][0] / 2 if len(x) else 0
        box = numpy.concatenate([x.min(0) - radius, x.max(0) + radius]) if len(x) else numpy.zeros(6)
        assert numpy.allclose(extent[frame], box, rtol=0, atol=1e-6), (extent[frame], box)


def check_mesh(dim):
    corners = numpy.array([[0, 0, 0], [0.75, 0, 0], [0, 0.5, 0], [0, 0, 0.25]], "f4")
    square = numpy.array([[0, 0, 0], [0.75, 0, 0], [0.75, 0.5, 0], [0, 0.5, 0]], "f4")
    velocities = numpy.arange(4, dtype="f4")[:, None] * numpy.array([[1, 10, 100]], "f4")
    if dim == 2:
        ends = [0, 1, 1, 2, 2, 3, 3, 0]
        assert re.search(r'def BasisCurves "surface"', text) and setting("uniform token type") == "linear"
        particles.same("points", square[ends], as_float(samples("points", "point3f[]")[0]))
        particles.same("velocities", velocities[ends], as_float(samples("velocities", "vector3f[]")[0]))
        particles.same("counts", numpy.full(4, 2), samples("curveVertexCounts", "int[]")[0])
        return
    assert re.search(r'def Mesh "surface"', text) and setting("uniform token subdivisionScheme") == "none"
    count = 4 if dim == 3 else 0
    faces = numpy.array([0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3])
    particles.same("points", corners[:count], as_float(samples("points", "point3f[]")[0]))
    particles.same("velocities", velocities[:count], as_float(samples("velocities", "vector3f[]")[0]))
    particles.same("counts", numpy.full(count, 3), samples("faceVertexCounts", "int[]")[0])
    particles.same("indices", faces[:3 * count], samples("faceVertexIndices", "int[]")[0])
    assert len(samples("normals", "normal3f[]")[0]) == 3 * count
    particles.same("extent", numpy.array([0, 0, 0, 0.75, 0.5, 0.25]) * (count > 0), samples("extent", "float3[]")[0])


def numbers(values):
    return numpy.array(re.sub(r"[(),\[\]]", " ", values).split(), "f8")


def check_solids():
    """Points times the matrix of a frame: rows of it are the images of the axes, the last one the translation."""
    meshes = re.findall(r'^( *)def Mesh "(\w+)".*?^\1{$(.*?)^\1}$', text, re.M | re.S)
    found = {name: body for _, name, body in meshes if name != "surface"}
    assert list(found) == ["ball_1", "pillar", "solid_2", "bed", "paddle", "wedge"], list(found)
    for frame in range(3):
        points, faces, normals, count = [], [], [], 0
        for name, body in found.items():
            x = numbers(re.search(r"point3f\[\] points = (\[.*?\])", body, re.S).group(1)).reshape(-1, 3)
            n = numbers(re.search(r"normal3f\[\] normals = (\[.*?\])", body, re.S).group(1)).reshape(-1, 3)
            corners = numbers(re.search(r"faceVertexIndices = (\[.*?\])", body, re.S).group(1)).astype(int)
            sizes = numbers(re.search(r"faceVertexCounts = (\[.*?\])", body, re.S).group(1))
            box = numbers(re.search(r"float3\[\] extent = (\[.*?\])", body, re.S).group(1)).reshape(2, 3)
            assert (sizes == 3).all() and 3 * len(sizes) == len(corners)
            assert numpy.allclose(box, [x.min(0), x.max(0)], atol=1e-6)
            assert re.search(r'uniform token\[\] xformOpOrder = \["xformOp:transform"\]', body), name
            assert re.search(r'uniform token subdivisionScheme = "none"', body), name
            if name == "paddle":
                samples_of = re.search(r"matrix4d xformOp:transform\.timeSamples = {(.*?)}", body, re.S).group(1)
                matrix = re.search(rf"^\s*{frame}: (.*)$", samples_of, re.M).group(1)
            else:
                matrix = re.search(r"matrix4d xformOp:transform = (.*)$", body, re.M).group(1)
            matrix = numbers(matrix).reshape(4, 4)
            points.append(x @ matrix[:3, :3] + matrix[3, :3])
            normals.append(n @ matrix[:3, :3])
            faces.append(corners + count)
            count += len(x)
        solids.check(numpy.concatenate(points), numpy.concatenate(faces), numpy.concatenate(normals), frame)


if sys.argv[1] == "--solids":
    check_solids()
elif sys.argv[1] == "--mesh":
    check_mesh(int(sys.argv[2]))
else:
    check_run(sys.argv[1], float(sys.argv[2]), [int(frame) for frame in sys.argv[3:]])
print("ok")
