"""Run inside Blender: the fluid cache through open.py, against the PLY files; the volumes through its importer.

    blender -b --factory-startup --python blender_read.py -- RUN particles|tetrahedron|stage|streak|volume
"""
import os
import runpy
import sys

import bpy
import numpy

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import particles
import solids

run, what = sys.argv[sys.argv.index("--") + 1:]


def evaluated(thing):
    return thing.evaluated_get(bpy.context.evaluated_depsgraph_get())


def to_blender(vectors):
    return numpy.stack([vectors[:, 0], -vectors[:, 2], vectors[:, 1]], 1)


def from_blender(vectors):
    return numpy.stack([vectors[:, 0], vectors[:, 2], -vectors[:, 1]], 1)


def values(list_of_things, name, width=3):
    found = numpy.zeros(width * len(list_of_things), "f4" if name != "vertices" else "i4")
    list_of_things.foreach_get(name, found)
    return found.reshape(-1, width)


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
        error = abs(v.reshape(-1, 3) - to_blender(expected["velocity"])).max()
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
    assert numpy.allclose(found, expected, rtol=1e-5, atol=1e-4), (found, expected)


def check_stage(cube):
    """Solids, and the surface: its place, m/s, smooth, of water."""
    expected = {frame: data for frame, data in particles.frames(run)}
    for frame in range(3):
        bpy.context.scene.frame_set(frame + 1)
        points, faces, count = [], [], 0
        for thing in bpy.data.objects:
            if thing.name == cube.name:
                continue
            mesh = evaluated(thing).data
            matrix = numpy.array(thing.matrix_world)
            x = values(mesh.vertices, "co") @ matrix[:3, :3].T + matrix[:3, 3]
            points.append(from_blender(x))
            faces.append(values(mesh.polygons, "vertices") + count)
            count += len(x)
            assert all(polygon.use_smooth for polygon in mesh.polygons)
        assert len(points) == 6
        solids.check(numpy.concatenate(points), numpy.concatenate(faces), None, frame)
        mesh = evaluated(cube).data
        x = values(mesh.vertices, "co") @ numpy.array(cube.matrix_world)[:3, :3].T + cube.matrix_world.translation
        ours = to_blender(expected[frame]["position"])
        assert abs(x.min(0) - ours.min(0)).max() < 0.1 and abs(x.max(0) - ours.max(0)).max() < 0.1
        assert mesh.polygons[0].use_smooth
        shader = mesh.materials[mesh.polygons[0].material_index].node_tree.nodes["Principled BSDF"]
        assert shader.inputs["Transmission"].default_value == 1 and abs(shader.inputs["IOR"].default_value - 1.333) < 1e-6
        velocity = values(mesh.attributes["velocity"].data, "vector")
        if frame == 0:
            assert numpy.allclose(velocity, [3, 0, 0], atol=1e-4), velocity
    assert len(cube.particle_systems) == 0  # --no-particles


def streak(shutter, wide):
    """12 times the variance along x (m^2) of a picture of the surface that shows `wide` metres. A bar adds the square
    of its length to that of what is drawn along it."""
    scene = bpy.context.scene
    scene.render.use_motion_blur, scene.render.motion_blur_shutter = shutter > 0, max(shutter, 0.01)
    scene.render.filepath = os.path.abspath(f"{run}/streak.exr")
    bpy.ops.render.render(write_still=True)
    image = bpy.data.images.load(scene.render.filepath)
    width, height = image.size
    cover = numpy.array(image.pixels[:]).reshape(height, width, 4)[:, :, 3].sum(0)
    bpy.data.images.remove(image)
    x = (numpy.arange(width) + 0.5) * wide / width
    mean = (cover * x).sum() / cover.sum()
    return 12 * (cover * (x - mean) ** 2).sum() / cover.sum()


def check_streak(cube):
    """Motion blur by Cycles: the surface leaves the streak of a mesh that keyframes move at the same velocity."""
    scene = bpy.context.scene
    scene.frame_set(1)
    wide, speed = cube.dimensions.x, next(particles.frames(run))[1]["velocity"][0, 0]
    camera = bpy.data.cameras.new("camera")
    camera.type, camera.ortho_scale = "ORTHO", wide
    scene.camera = bpy.data.objects.new("camera", camera)
    scene.camera.location, scene.camera.rotation_euler = cube.location, (numpy.pi / 2, 0, 0)
    scene.camera.location.y -= 9
    scene.collection.objects.link(scene.camera)
    scene.render.engine, scene.cycles.samples, scene.cycles.use_denoising = "CYCLES", 128, False
    scene.cycles.max_bounces = 0
    scene.render.film_transparent, scene.render.image_settings.file_format = True, "OPEN_EXR"
    scene.render.resolution_x, scene.render.resolution_y = 200, 100
    reference = bpy.data.objects.new("reference", bpy.data.meshes.new_from_object(evaluated(cube)))
    for name in [attribute.name for attribute in reference.data.attributes if attribute.name == "velocity"]:
        reference.data.attributes.remove(reference.data.attributes[name])
    scene.collection.objects.link(reference)
    for frame in (-9, 11):  # at frame 1 it is where the surface is
        reference.location = cube.location
        reference.location.x += speed * (frame - 1) / scene.render.fps
        reference.keyframe_insert("location", frame=frame)
    for curve in reference.animation_data.action.fcurves:
        for key in curve.keyframe_points:
            key.interpolation = "LINEAR"
    cube.hide_render = True
    still, expected = streak(0, wide), streak(2, wide)
    cube.hide_render, reference.hide_render = False, True
    assert abs(streak(0, wide) / still - 1) < 0.002
    found = streak(2, wide)
    bar = abs(speed) * 2 / scene.render.fps  # the shutter of 2 frames does not open at once: less than all of it
    assert 0.5 * bar < (expected - still) ** 0.5 < bar, (expected, still, bar)
    ratio = ((found - still) / (expected - still)) ** 0.5
    assert abs(ratio - 1) < 0.03, f"the streak is {ratio} times as long as it should be"


def check_volume():
    """open_vdb.py beside the volumes: they lie on the particles, though Blender draws voxels half a cell farther on."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    runpy.run_path(run + "/vdb/open_vdb.py")
    for frame, expected in particles.frames(run):
        x = to_blender(expected["position"])
        bpy.context.scene.frame_set(frame + 1)
        mesh = evaluated(bpy.data.objects["surface"]).data
        found = to_blender(values(mesh.vertices, "co"))  # the object is turned as the volume is
        assert numpy.allclose(bpy.data.objects["surface"].matrix_world @ mesh.vertices[0].co, found[0], atol=1e-6)
        cell = 1 / 40
        middle = (found.max(0) + found.min(0) - x.max(0) - x.min(0)) / 2 / cell
        assert abs(middle).max() < 0.2, f"frame {frame}: off by {middle} cells"


def check_grids():
    bpy.ops.object.volume_import(filepath=os.path.abspath(run + "/vdb/volume.0001.vdb"))
    volume = bpy.context.object.data
    assert volume.grids.load(), volume.grids.error_message
    assert [(grid.name, grid.data_type, grid.channels) for grid in volume.grids] == [
        ("surface", "FLOAT", 1), ("vel", "VECTOR_FLOAT", 3)], [(g.name, g.data_type) for g in volume.grids]


if what == "volume":
    check_volume()
else:
    bpy.ops.wm.read_factory_settings(use_empty=True)
    runpy.run_path(run + "/blender/open.py")
    domain = bpy.data.objects["spate"]
    if what == "tetrahedron":
        bpy.context.scene.frame_set(1)
        check_surface(domain)
    elif what == "stage":
        check_stage(domain)
    elif what == "streak":
        check_streak(domain)
    else:
        check_particles(domain)
        if os.path.isdir(run + "/vdb"):
            check_grids()
print("\nok")
