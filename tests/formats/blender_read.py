"""Run inside Blender: the fluid cache through open.py, against the PLY files; the volumes through its importer.

    blender -b --factory-startup --python blender_read.py -- RUN [SURFACE]
"""
import os
import runpy
import sys

import bpy
import numpy

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import particles

arguments = sys.argv[sys.argv.index("--") + 1:]
run, surface = arguments[0], len(arguments) > 1


def evaluated(thing):
    return thing.evaluated_get(bpy.context.evaluated_depsgraph_get())


def to_blender(vectors):
    return numpy.stack([vectors[:, 0], -vectors[:, 2], vectors[:, 1]], 1)


def check_particles(cube):
    for frame, expected in particles.frames(run):
        bpy.context.scene.frame_set(frame + 1)
        systems = evaluated(cube).particle_systems
        assert len(systems) == 1, f"{len(systems)} particle systems"
        count = len(expected["position"])
        found = systems[0].particles
        assert len(found) == count, f"frame {frame}: {len(found)} particles, expected {count}"
        if count == 0:
            continue
        x, v = numpy.zeros(3 * count, "f4"), numpy.zeros(3 * count, "f4")
        found.foreach_get("location", x)
        found.foreach_get("velocity", v)
        error = abs(x.reshape(-1, 3) - to_blender(expected["position"])).max()
        assert error < 1e-6, f"frame {frame}: positions differ by {error}"
        # Blender gives velocities per unit of Mantaflow's time, of which a second has 2.5
        error = abs(2.5 * v.reshape(-1, 3) - to_blender(expected["velocity"])).max()
        assert error < 1e-5 * max(1, abs(v).max()), f"frame {frame}: velocities differ by {error}"


def check_surface(cube):
    """The tetrahedron of make_surfaces.c, moved by 0.125 m."""
    mesh = evaluated(cube).data
    corners = numpy.array([[0, 0, 0], [0.75, 0, 0], [0, 0.5, 0], [0, 0, 0.25]]) + [0.125, 0.125, 0.125]
    found = numpy.array([cube.matrix_world @ vertex.co for vertex in mesh.vertices])
    assert found.shape == (4, 3), found.shape
    assert abs(found - to_blender(corners)).max() < 1e-6, found
    assert [list(polygon.vertices) for polygon in mesh.polygons] == [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
    found = numpy.array([value.vector for value in mesh.attributes["velocity"].data])
    expected = to_blender(numpy.arange(4)[:, None] * numpy.array([[1, 10, 100]]))
    # the attribute is the file's velocity times the cell over a step, as for a cache of Blender's own: at 25 frames
    # per second 0.4 / 0.1
    assert numpy.allclose(found / 4, expected, rtol=1e-5, atol=1e-4), (found, expected)


def check_volume():
    bpy.ops.object.volume_import(filepath=os.path.abspath(run + "/vdb/volume.0001.vdb"))
    volume = bpy.context.object.data
    assert volume.grids.load(), volume.grids.error_message
    assert [(grid.name, grid.data_type, grid.channels) for grid in volume.grids] == [
        ("surface", "FLOAT", 1), ("vel", "VECTOR_FLOAT", 3)], [(g.name, g.data_type) for g in volume.grids]


bpy.ops.wm.read_factory_settings(use_empty=True)
runpy.run_path(run + "/blender/open.py")
domain = bpy.data.objects["spate"]
if surface:
    bpy.context.scene.frame_set(1)
    check_surface(domain)
else:
    check_particles(domain)
    if os.path.isdir(run + "/vdb"):
        check_volume()
print("\nok")
