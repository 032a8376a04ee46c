/* blender_scripts.c -- the scripts that open a cache, or volumes, in Blender, and the solids that
 * they read.
 *
 * solids.json: [{"name", "vertices": [[x, y, z]], "faces": [[a, b, c]] (2D: "edges"), "poses":
 * [[frame, [12 numbers: 3 rows of a matrix]]]}], our axes, Blender's frames. */
#include "blender.h"

#include <stdio.h>
#include <string.h>

#include "base/status.h"
#include "file.h"
#include "run_folder.h"

/* ------------------------------------------------------------------ solids */

static void put_vectors(sp_file *file, const float *values, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        sp_file_print(file, k ? ", [" : "[");
        for (size_t d = 0; d < 3; d++) {
            sp_file_number(file, (double)values[3 * k + d], false);
            sp_file_print(file, d < 2 ? ", " : "]");
        }
    }
}

static void put_faces(sp_file *file, const spate_surface *mesh)
{
    size_t n = (size_t)mesh->dim;
    for (size_t k = 0; k < mesh->triangles; k++)
        for (size_t c = 0; c < n; c++)
            sp_file_print(file, "%s%u%s",
                          c > 0   ? ", "
                          : k > 0 ? ", ["
                                  : "[",
                          mesh->indices[n * k + c], c + 1 < n ? "" : "]");
}

static void put_pose(sp_file *file, const sp_solid_mesh *solid, int frame, double fps)
{
    sp_pose pose = sp_shape_pose(&solid->form, frame / fps);
    sp_file_print(file, "[%d, [", frame + 1);
    for (int k = 0; k < 12; k++) {
        sp_file_print(file, k ? ", " : "");
        sp_file_number(file, k % 4 < 3 ? pose.axes[3 * (k / 4) + k % 4] : pose.origin[k / 4], true);
    }
    sp_file_print(file, "]]");
}

spate_status sp_blender_solids(const char *folder, const sp_solid_meshes *solids, const int *frames,
                               int count, double fps, spate_error *error)
{
    char path[SP_PATH_SIZE];
    snprintf(path, sizeof path, "%s/solids.json", folder);
    sp_file *file = sp_file_create(path, error);
    if (!file)
        return error->status;
    for (int k = 0; k < solids->count; k++) {
        const sp_solid_mesh *solid = &solids->items[k];
        sp_file_print(file, "%s{\"name\": \"%s\", \"vertices\": [", k ? ",\n" : "[", solid->name);
        put_vectors(file, solid->mesh.positions, solid->mesh.vertices);
        sp_file_print(file, "], \"%s\": [", solid->mesh.dim == 2 ? "edges" : "faces");
        put_faces(file, &solid->mesh);
        sp_file_print(file, "], \"poses\": [");
        for (int f = 0; f < (solid->moves ? count : 1); f++) {
            sp_file_print(file, f ? ", " : "");
            put_pose(file, solid, frames[f], fps);
        }
        sp_file_print(file, "]}");
    }
    sp_file_print(file, "]\n");
    return sp_file_close(file, error);
}

/* ------------------------------------------------------------------ scripts */

static const char head[] = "# written by spate " SPATE_VERSION "\nimport math\nimport os\n"
                           "import bpy\n\nfolder = os.path.dirname(os.path.abspath(__file__))\n";

/* The names of inputs changed with Blender 4. */
static const char water[] =
    "scene = bpy.context.scene\n"
    "scene.render.fps = max(1, round(fps))\n"
    "scene.render.fps_base = scene.render.fps / fps\n"
    "\n\n"
    "def water():\n"
    "    material = bpy.data.materials.new('water')\n"
    "    material.use_nodes = True\n"
    "    shader = next(n for n in material.node_tree.nodes if n.type == 'BSDF_PRINCIPLED')\n"
    "    for names, value in ((('Base Color',), (0.9, 0.97, 1, 1)), (('Roughness',), 0),\n"
    "                         (('Transmission', 'Transmission Weight'), 1), (('IOR',), 1.333)):\n"
    "        for name in names:\n"
    "            if name in shader.inputs:\n"
    "                shader.inputs[name].default_value = value\n"
    "    return material\n"
    "\n\n";

/* The flags of the cube's faces, and its material, are those of the surface. */
static const char cache[] =
    "bpy.ops.mesh.primitive_cube_add(size=1, location=center)\n"
    "cube = bpy.context.object\n"
    "cube.name = 'spate'\n"
    "cube.scale = size\n"
    "bpy.ops.object.transform_apply(location=False, rotation=False, scale=True)\n"
    "for polygon in cube.data.polygons:\n"
    "    polygon.use_smooth = True\n"
    "cube.data.materials.append(water())\n"
    "domain = cube.modifiers.new('spate', 'FLUID')\n"
    "domain.fluid_type = 'DOMAIN'\n"
    "settings = domain.domain_settings\n"
    "settings.domain_type = 'LIQUID'\n"
    "settings.resolution_max = cells\n"
    "settings.use_mesh = surface\n"
    "settings.use_speed_vectors = surface\n"
    "settings.cache_type = 'MODULAR'\n"
    "settings.cache_data_format = 'UNI'\n"
    "settings.cache_mesh_format = 'BOBJECT'\n"
    "settings.cache_frame_start = first\n"
    "settings.cache_frame_end = last\n"
    "settings.cache_directory = folder\n"
    "for attempt in range(2):  # a new liquid domain takes the flag, but no system, at first\n"
    "    if particles != bool(cube.particle_systems):\n"
    "        settings.use_flip_particles = particles\n"
    "for system in cube.particle_systems:\n"
    "    system.settings.display_size = radius\n"
    "    system.settings.particle_size = radius\n"
    "cube.display_type = 'SOLID' if surface else 'WIRE'\n";

static const char solids_script[] =
    "\nimport json\nimport mathutils\n\n\n"
    "def add_solid(solid):\n"
    "    mesh = bpy.data.meshes.new(solid['name'])\n"
    "    mesh.from_pydata(solid['vertices'], solid.get('edges', []), solid.get('faces', []))\n"
    "    for polygon in mesh.polygons:  # vertices of sharp edges are doubled\n"
    "        polygon.use_smooth = True\n"
    "    thing = bpy.data.objects.new(solid['name'], mesh)\n"
    "    scene.collection.objects.link(thing)\n"
    "    thing.rotation_mode = 'QUATERNION'\n"
    "    up = mathutils.Matrix.Rotation(math.pi / 2, 4, 'X')\n"
    "    for frame, m in solid['poses']:\n"
    "        pose = up @ mathutils.Matrix((m[0:4], m[4:8], m[8:12], (0, 0, 0, 1)))\n"
    "        turn = pose.to_quaternion()\n"
    "        if turn.dot(thing.rotation_quaternion) < 0:\n"
    "            turn.negate()\n"
    "        thing.location, thing.rotation_quaternion = pose.to_translation(), turn\n"
    "        if len(solid['poses']) > 1:\n"
    "            thing.keyframe_insert('location', frame=frame)\n"
    "            thing.keyframe_insert('rotation_quaternion', frame=frame)\n"
    "    for curve in thing.animation_data.action.fcurves if thing.animation_data else ():\n"
    "        for key in curve.keyframe_points:\n"
    "            key.interpolation = 'LINEAR'\n"
    "\n\n"
    "with open(os.path.join(folder, 'solids.json')) as file:\n"
    "    for solid in json.load(file):\n"
    "        add_solid(solid)\n";

static const char tail[] = "scene.frame_start = first\n"
                           "scene.frame_end = last\n"
                           "scene.frame_set(first)\n";

static void put_number(sp_file *file, const char *name, double value)
{
    sp_file_print(file, "%s = ", name);
    sp_file_number(file, value, true);
    sp_file_print(file, "\n");
}

static void put_vector(sp_file *file, const char *name, const double value[3])
{
    sp_file_print(file, "%s = (", name);
    for (int axis = 0; axis < 3; axis++) {
        sp_file_number(file, value[axis], true);
        sp_file_print(file, axis < 2 ? ", " : ")\n");
    }
}

/* Not by sp_file_print, which needs memory for a text this long. */
static void put_text(sp_file *file, const char *text)
{
    sp_file_write(file, text, strlen(text));
}

static const char *truth(bool value)
{
    return value ? "True" : "False";
}

static sp_file *begin(const char *folder, const char *name, spate_error *error)
{
    char path[SP_PATH_SIZE];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return sp_file_create(path, error);
}

spate_status sp_blender_write_script(const char *folder, const sp_blender_scene *scene,
                                     const sp_blender_domain *domain, spate_error *error)
{
    sp_file *file = begin(folder, "open.py", error);
    if (!file)
        return error->status;
    sp_file_print(file,
                  "# Opens this cache in Blender (2.82 or later): blender --python open.py\n");
    put_text(file, head);
    sp_file_print(file, "first, last, cells = %d, %d, %d\n", scene->first + 1, scene->last + 1,
                  domain->cells);
    sp_file_print(file, "particles, surface = %s, %s\n", truth(scene->particles),
                  truth(scene->surface));
    put_number(file, "radius", scene->domain->radius);
    put_number(file, "fps", scene->domain->fps);
    put_vector(file, "size", domain->size);
    put_vector(file, "center", domain->center);
    put_text(file, water);
    put_text(file, cache);
    if (scene->solids)
        put_text(file, solids_script);
    put_text(file, tail);
    return sp_file_close(file, error);
}

/* Index (0, 0, 0) of a grid is the middle of its first voxel, as OpenVDB has it. Blender draws
 * voxels half a cell farther on along the axes of the volume, and moves meshes that it makes of
 * them as far along those of the mesh, which are the same here. */
static const char volumes[] =
    "volume = bpy.data.volumes.new('liquid')\n"
    "volume.filepath = os.path.join(folder, name)\n"
    "volume.is_sequence = True\n"
    "volume.frame_start = first\n"
    "volume.frame_offset = first - 2  # the number in the file's name is one less\n"
    "volume.frame_duration = last + 1 - first\n"
    "liquid = bpy.data.objects.new('liquid', volume)\n"
    "liquid.rotation_euler = (math.pi / 2, 0, 0)\n"
    "liquid.location = (-cell / 2, cell / 2, -cell / 2)\n"
    "scene.collection.objects.link(liquid)\n"
    "liquid.hide_render = True\n"
    "surface = bpy.data.objects.new('surface', bpy.data.meshes.new('surface'))\n"
    "surface.rotation_euler = liquid.rotation_euler\n"
    "surface.data.materials.append(water())\n"
    "scene.collection.objects.link(surface)\n"
    "modifier = surface.modifiers.new('surface', 'VOLUME_TO_MESH')\n"
    "modifier.object = liquid\n"
    "modifier.grid_name = 'surface'\n"
    "modifier.threshold = 0\n"
    "modifier.use_smooth_shade = True\n";

spate_status sp_blender_volumes(const char *folder, double cell_size, double fps, const int *frames,
                                int count, spate_error *error)
{
    sp_file *file = begin(folder, "open_vdb.py", error);
    if (!file)
        return error->status;
    sp_file_print(
        file, "# Opens these volumes in Blender (2.91 or later): blender --python open_vdb.py\n");
    put_text(file, head);
    sp_file_print(file, "first, last, name = %d, %d, 'volume.%04d.vdb'\n", frames[0] + 1,
                  frames[count - 1] + 1, frames[0]);
    put_number(file, "cell", cell_size);
    put_number(file, "fps", fps);
    put_text(file, water);
    put_text(file, volumes);
    put_text(file, tail);
    return sp_file_close(file, error);
}
