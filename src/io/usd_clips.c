/* usd_clips.c -- the root layer of a sequence and its manifest, as text.
 *
 * The root declares the prims and their attributes without values; value clips say which layer has
 * them at which time, and the manifest says which attributes to look for there, so that opening the
 * root does not open all the others. */
#include <stdio.h>

#include "base/status.h"
#include "file.h"
#include "run_folder.h"
#include "usd_file.h"
#include "usd_names.h"

static void put_head(sp_file *file, const sp_usd_sequence *s, bool root)
{
    int first = 0, last = 0;
    bool any = false;
    const int *lists[2] = {s->frames, s->mesh_frames};
    int counts[2] = {s->table ? s->frame_count : 0, s->mesh ? s->mesh_frame_count : 0};
    for (int k = 0; k < 2; k++) {
        if (counts[k] == 0)
            continue;
        first = !any || lists[k][0] < first ? lists[k][0] : first;
        last = !any || lists[k][counts[k] - 1] > last ? lists[k][counts[k] - 1] : last;
        any = true;
    }
    sp_file_print(file,
                  "#usda 1.0\n(\n    \"spate " SPATE_VERSION "\"\n    defaultPrim = "
                  "\"spate\"\n    endTimeCode = %d\n    framesPerSecond = ",
                  last);
    sp_file_number(file, s->fps, true);
    sp_file_print(file, "\n    metersPerUnit = 1\n    startTimeCode = %d\n", first);
    if (s->solids && root)
        sp_file_print(file, "    subLayers = [\n        @./%s@\n    ]\n", s->solids);
    sp_file_print(file, "    timeCodesPerSecond = ");
    sp_file_number(file, s->fps, true);
    sp_file_print(file, "\n    upAxis = \"Y\"\n)\n\ndef Xform \"spate\"\n{\n");
}

static void put_clips(sp_file *file, const char *prim, const char *manifest, const int *frames,
                      int count)
{
    sp_file_print(file, " (\n        clips = {\n            dictionary default = {\n"
                        "                double2[] active = [");
    for (int k = 0; k < count; k++)
        sp_file_print(file, "%s(%d, %d)", k ? ", " : "", frames[k], k);
    sp_file_print(file, "]\n                asset[] assetPaths = [");
    for (int k = 0; k < count; k++)
        sp_file_print(file, "%s@./%s.%04d.usdc@", k ? ", " : "", prim, frames[k]);
    sp_file_print(file, "]\n                asset manifestAssetPath = @./%s@\n", manifest);
    sp_file_print(file, "                string primPath = \"/spate/%s\"\n", prim);
    sp_file_print(file, "                double2[] times = [");
    for (int k = 0; k < count; k++)
        sp_file_print(file, "%s(%d, %d)", k ? ", " : "", frames[k], frames[k]);
    sp_file_print(file, "]\n            }\n        }\n    )\n");
}

static void put_declaration(sp_file *file, const char *type, const char *name,
                            const char *interpolation)
{
    sp_file_print(file, "        %s %s", type, name);
    if (interpolation)
        sp_file_print(file, " (\n            interpolation = \"%s\"\n        )", interpolation);
    sp_file_print(file, "\n");
}

static void put_particles(sp_file *file, const sp_usd_sequence *s, const char *manifest)
{
    sp_file_print(file, "    def Points \"particles\"");
    if (manifest)
        put_clips(file, "particles", manifest, s->frames, s->frame_count);
    else
        sp_file_print(file, "\n");
    sp_file_print(file, "    {\n");
    for (int k = 0; k < s->table->attribute_count; k++) {
        sp_usd_name name = sp_usd_name_of(&s->table->attributes[k]);
        put_declaration(file, sp_usd_type_name(name.type), name.name, name.interpolation);
    }
    put_declaration(file, "float[]", "widths", "vertex");
    put_declaration(file, "float3[]", "extent", NULL);
    sp_file_print(file, "    }\n");
}

static void put_surface(sp_file *file, const sp_usd_sequence *s, const char *manifest)
{
    bool flat = s->mesh->dim == 2;
    sp_file_print(file, "    def %s \"surface\"", flat ? "BasisCurves" : "Mesh");
    if (manifest)
        put_clips(file, "surface", manifest, s->mesh_frames, s->mesh_frame_count);
    else
        sp_file_print(file, "\n");
    sp_file_print(file, "    {\n");
    put_declaration(file, "point3f[]", "points", NULL);
    if (s->mesh->normals)
        put_declaration(file, "normal3f[]", "normals", "vertex");
    if (s->mesh->velocities)
        put_declaration(file, "vector3f[]", "velocities", NULL);
    put_declaration(file, "int[]", flat ? "curveVertexCounts" : "faceVertexCounts", NULL);
    if (!flat)
        put_declaration(file, "int[]", "faceVertexIndices", NULL);
    put_declaration(file, "float3[]", "extent", NULL);
    sp_file_print(file, flat ? "        uniform token type = \"linear\"\n"
                               "        uniform token wrap = \"nonperiodic\"\n"
                             : "        uniform token subdivisionScheme = \"none\"\n");
    sp_file_print(file, "    }\n");
}

/* The root with the name of its manifest, or the manifest itself with none. */
static spate_status write_layer(const char *folder, const char *name, const char *manifest,
                                const sp_usd_sequence *s, spate_error *error)
{
    char path[SP_PATH_SIZE];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    sp_file *file = sp_file_create(path, error);
    if (!file)
        return error->status;
    put_head(file, s, manifest);
    if (s->table)
        put_particles(file, s, manifest);
    if (s->mesh)
        put_surface(file, s, manifest);
    sp_file_print(file, "}\n");
    return sp_file_close(file, error);
}

spate_status sp_usd_write_sequence(const char *folder, const char *root, const char *manifest,
                                   const sp_usd_sequence *sequence, spate_error *error)
{
    TRY(write_layer(folder, manifest, NULL, sequence, error));
    return write_layer(folder, root, manifest, sequence, error);
}
