/* test_formats.c -- the writers of file formats from inside: attributes, vorticity, levels sets,
 * gzip, and every write and allocation made to fail. What the files hold is read by other people's
 * programs in tests/formats. */
#include "sample.h"
#include "test.h"
#include "values.h"

#include <spate/spate_io.h>

#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

#include "base/memory.h"
#include "io/export.h"
#include "io/file.h"
#include "io/gzip.h"
#include "io/particle_table.h"
#include "io/usd_file.h"
#include "io/volume.h"
#include "state/stage.h"

static char folder[64], path[96];

/* Water in a corner of a domain with cells of 0.02 m. */
static spate_sim *make_sim(int dim, const char *attributes)
{
    spate_scene *scene = spate_scene_create();
    scene->dim = dim;
    for (int d = 0; d < dim; d++)
        scene->domain.size[d] = 0.32;
    scene->domain.cells = 16;
    spate_shape *fill = spate_scene_add_shape(scene, SPATE_LIST_FILL);
    fill->shape = SPATE_SHAPE_BOX;
    for (int d = 0; d < 3; d++) {
        fill->min[d] = 0;
        fill->max[d] = 0.16;
    }
    snprintf(scene->output.attributes, sizeof scene->output.attributes, "%s", attributes);
    spate_error error = {0};
    spate_sim *sim = spate_sim_create(scene, NULL, &error);
    CHECK_TEXT(error.message, "");
    spate_scene_destroy(scene);
    return sim;
}

/* ------------------------------------------------------------------ attributes */

static void words_of_attributes(void)
{
    sp_wish wishes[SP_MAX_ATTRIBUTES];
    int count;
    spate_error error = {0};
    spate_scene *scene = spate_scene_create();
    spate_channel *heat = spate_scene_add_channel(scene);
    strcpy(heat->name, "heat");
    heat->components = 2;
    CHECK(sp_attributes_parse(scene, " id, channels  velocity,id heat", wishes, &count, &error) ==
          SPATE_OK);
    CHECK(count == 3);
    CHECK_TEXT(wishes[0].name, "id");
    CHECK_TEXT(wishes[1].name, "heat");
    CHECK(wishes[1].components == 2 && wishes[2].components == 3);
    CHECK(sp_attributes_parse(scene, "", wishes, &count, &error) == SPATE_OK && count == 0);
    CHECK(sp_attributes_parse(scene, "heta", wishes, &count, &error) == SPATE_ERROR_SCENE);
    CHECK_TEXT(error.message, "particles have no \"heta\"; did you mean \"heat\"?");
    CHECK(sp_attributes_parse(scene, "source", wishes, &count, &error) == SPATE_ERROR_SCENE);
    CHECK_TEXT(error.where, "output.attributes");
    spate_scene_destroy(scene);
}

/* Water that turns like a wheel, omega = 3/s: the vorticity is 2 omega everywhere, the speed omega
 * times the distance from the axis. */
static void vorticity_of_a_wheel(void)
{
    for (int dim = 2; dim <= 3; dim++) {
        spate_sim *sim = make_sim(dim, "velocity speed vorticity");
        size_t n = spate_sim_particles_count(sim, "fluid");
        float *x = malloc(n * 12), *v = malloc(n * 12);
        spate_sim_particles_read(sim, "fluid", x, NULL, NULL);
        for (size_t k = 0; k < n; k++) {
            v[3 * k] = -3 * (x[3 * k + 1] - 0.08f);
            v[3 * k + 1] = 3 * (x[3 * k] - 0.08f);
            v[3 * k + 2] = 0;
        }
        spate_shape all = sample_shape();
        for (int d = 0; d < 3; d++) {
            all.min[d] = -1;
            all.max[d] = 1;
        }
        size_t removed = 0, added = 0;
        CHECK(spate_sim_remove_particles(sim, &all, &removed, NULL) == SPATE_OK && removed == n);
        CHECK(spate_sim_add_particles(sim, x, v, n, &added, NULL) == SPATE_OK && added == n);
        for (int stage = SP_STAGE_SORT; stage <= SP_STAGE_P2G; stage++)
            CHECK(spate_sim_run_stage(sim, stage, 0.001, NULL) == SPATE_OK);
        sp_particles now;
        sp_particle_table table;
        sp_particle_table_buffer buffer, positions;
        CHECK(sp_particle_table_of_sim(&table, &now, sim, NULL) == SPATE_OK &&
              table.attribute_count == 4);
        size_t count = n < SP_TABLE_BLOCK ? n : SP_TABLE_BLOCK, inner = 0;
        const float *where =
            sp_particle_table_values(&table, &table.attributes[0], 0, count, &positions);
        const float *curl = sp_particle_table_values(
            &table, sp_particle_table_find(&table, "vorticity"), 0, count, &buffer);
        for (size_t k = 0; k < count; k++) {
            float r[3] = {where[3 * k] - 0.08f, where[3 * k + 1] - 0.08f, where[3 * k + 2] - 0.08f};
            if (fabsf(r[0]) > 0.03f || fabsf(r[1]) > 0.03f || (dim == 3 && fabsf(r[2]) > 0.03f))
                continue; /* the velocity ends at the surface and turns back at walls */
            inner++;
            CHECK_NEAR(curl[3 * k + 2], 6, 0.3);
            CHECK_NEAR(curl[3 * k], 0, 0.3);
            CHECK_NEAR(curl[3 * k + 1], 0, 0.3);
        }
        CHECK(inner > 10);
        const float *speed = sp_particle_table_values(
            &table, sp_particle_table_find(&table, "speed"), 0, count, &buffer);
        for (size_t k = 0; k < count; k++)
            CHECK_NEAR(speed[k], 3 * hypotf(where[3 * k] - 0.08f, where[3 * k + 1] - 0.08f), 1e-5);
        free(x);
        free(v);
        spate_sim_destroy(sim);
    }
}

/* ------------------------------------------------------------------ volumes */

/* A block with faces at 0.16 m: the distance is known three cells to both sides. */
static void distance_to_a_block(void)
{
    for (int dim = 2; dim <= 3; dim++) {
        spate_sim *sim = make_sim(dim, "velocity");
        sp_particles now;
        sp_particle_table table;
        sp_volume volume;
        CHECK(sp_particle_table_of_sim(&table, &now, sim, NULL) == SPATE_OK);
        CHECK(sp_volume_create(&volume, &table, NULL) == SPATE_OK);
        float row[20], v[60];
        const int at[3] = {-4, 3, dim == 3 ? 3 : 0};
        sp_volume_distances(&volume, at, 20, row);
        for (int k = 0; k < 20; k++) {
            double x = (k - 4 + 0.5) * 0.02, outside = x < 0.08 ? -x : x - 0.16;
            /* the other faces are 3.5 cells away and more: cut off at three cells */
            double expected = outside < -0.06 ? -0.06 : outside > 0.06 ? 0.06 : outside;
            CHECK_NEAR(row[k], expected, 0.25 * 0.02);
        }
        sp_volume_velocities(&volume, at, 20, v);
        for (int k = 0; k < 60; k++)
            CHECK(v[k] == 0);
        const int nowhere[3] = {100, 100, 100};
        CHECK(sp_volume_leaf(&volume, nowhere) == NULL);
        sp_volume_clear(&volume);
        spate_sim_destroy(sim);
    }
}

static void nothing_has_no_volume(void)
{
    spate_scene *scene = spate_scene_create();
    scene->dim = 3;
    for (int d = 0; d < 3; d++)
        scene->domain.size[d] = 1;
    sp_particle_table table = sp_particle_table_of_scene(scene);
    sp_volume volume;
    sp_particle_table_add(&table, "position", 3);
    CHECK(sp_volume_create(&volume, &table, NULL) == SPATE_OK && volume.leaf_count == 0);
    float phi[2];
    sp_volume_distances(&volume, (const int[3]){0, 0, 0}, 2, phi);
    CHECK_NEAR(phi[1], 3.0 / 64, 1e-7);
    sp_volume_clear(&volume);
    spate_scene_destroy(scene);
}

/* ------------------------------------------------------------------ gzip */

/* What zlib makes of the gzip stream again; its length. */
static size_t unpack(const void *packed, size_t size, char *out, size_t room)
{
    z_stream stream = {.next_in = (unsigned char *)(uintptr_t)packed, .avail_in = (unsigned)size};
    CHECK(inflateInit2(&stream, 15 + 16) == Z_OK);
    stream.next_out = (unsigned char *)out;
    stream.avail_out = (unsigned)room;
    CHECK(inflate(&stream, Z_FINISH) == Z_STREAM_END && stream.avail_in == 0);
    inflateEnd(&stream);
    return room - stream.avail_out;
}

static void gzip_is_gzip(void)
{
    enum { COUNT = 300000 };
    static char text[COUNT], back[COUNT + 1];
    for (int k = 0; k < COUNT; k++)
        text[k] = (char)('a' + k % 7 * (k / 1000 % 3));
    spate_error error = {0};
    snprintf(path, sizeof path, "%s/x.gz", folder);
    sp_gzip *gzip = sp_gzip_create(path, &error);
    CHECK(gzip != NULL);
    if (!gzip)
        return;
    for (int k = 0; k < COUNT; k += 1000)
        sp_gzip_put(gzip, text + k, 1000);
    CHECK(sp_gzip_close(gzip, &error) == SPATE_OK);
    char *bytes;
    size_t size;
    CHECK(sp_file_read_all(path, &bytes, &size, NULL) == SPATE_OK);
    CHECK(size < COUNT / 20); /* it is smaller, not only wrapped */
    CHECK(unpack(bytes, size, back, sizeof back) == COUNT && memcmp(back, text, COUNT) == 0);
    sp_free(bytes);
    unlink(path);
    bytes = sp_gzip_bytes(text, COUNT, &size);
    CHECK(bytes && size < COUNT / 20);
    CHECK(unpack(bytes, size, back, sizeof back) == COUNT && memcmp(back, text, COUNT) == 0);
    sp_free(bytes);
}

/* ------------------------------------------------------------------ what can fail */

/* A box that moves and a ball, for exports that fail. */
static spate_scene *make_stage(void)
{
    spate_scene *scene = sample_scene(3, 1, 1, 1, 16);
    sample_velocity(sample_box(scene, SPATE_LIST_SOLIDS, 0.1, 0.1, 0.1, 0.3, 0.3, 0.3), 1, 0, 0);
    sample_sphere(scene, SPATE_LIST_SOLIDS, 0.6, 0.6, 0.6, 0.2);
    return scene;
}

static spate_status write_frame(spate_sim *sim, const spate_scene *stage, sp_format format,
                                spate_error *error)
{
    sp_particles now;
    sp_particle_table table;
    sp_export *out = sp_export_create(folder, format, 30, error);
    if (!out)
        return error->status;
    static const int frames[2] = {0, 1};
    sp_solid_meshes solids = {0};
    spate_status status = sp_particle_table_of_sim(&table, &now, sim, error);
    if (status == SPATE_OK)
        status = sp_solid_meshes_create(&solids, stage, error);
    if (status == SPATE_OK)
        status = sp_export_solids(out, &solids, frames, 2, error);
    sp_solid_meshes_clear(&solids);
    if (status == SPATE_OK && format != SP_FORMAT_VDB)
        status = sp_export_particles(out, &table, error);
    if (status == SPATE_OK && (format == SP_FORMAT_VDB || format == SP_FORMAT_VTK))
        status = sp_export_volume(out, &table, NULL, error);
    if (status == SPATE_OK)
        status = sp_export_collect(out, error);
    sp_export_destroy(out);
    return status;
}

static int temporaries(void)
{
    char command[160], answer[16] = "-1";
    snprintf(command, sizeof command, "find %s -name '*.tmp' | wc -l", folder);
    FILE *pipe = popen(command, "r");
    if (pipe) {
        CHECK(fgets(answer, sizeof answer, pipe) != NULL);
        pclose(pipe);
    }
    return atoi(answer);
}

static void every_write_may_fail(void)
{
    spate_sim *sim = make_sim(3, "velocity id speed");
    spate_scene *stage = make_stage();
    for (int format = 0; format < SP_FORMAT_COUNT; format++) {
        spate_status status = SPATE_ERROR_FILE;
        uint64_t n = 1;
        for (; n < 200 && status != SPATE_OK; n++) {
            spate_error error = {0};
            sp_file_fail_at(n);
            status = write_frame(sim, stage, (sp_format)format, &error);
            sp_file_fail_at(0);
            CHECK(status == SPATE_OK || status == SPATE_ERROR_FILE);
            CHECK(status == error.status);
            if (status != SPATE_OK)
                CHECK_TEXT(error.message, "cannot be written: No space left on device");
        }
        CHECK(status == SPATE_OK && n > 3);
        CHECK(temporaries() == 0);
    }
    spate_scene_destroy(stage);
    spate_sim_destroy(sim);
}

static void every_allocation_may_fail(void)
{
    spate_sim *sim = make_sim(3, "velocity id");
    spate_scene *stage = make_stage();
    for (int format = 0; format < SP_FORMAT_COUNT; format++) {
        spate_status status = SPATE_ERROR_MEMORY;
        uint64_t n = 1;
        for (; n < 400 && status != SPATE_OK; n++) {
            spate_error error = {0};
            sp_alloc_fail_at(n);
            status = write_frame(sim, stage, (sp_format)format, &error);
            sp_alloc_fail_at(0);
            CHECK(status == SPATE_OK || status == SPATE_ERROR_MEMORY);
            CHECK(status == error.status && (status == SPATE_OK || error.message[0]));
        }
        CHECK(status == SPATE_OK && n > 2);
        CHECK(temporaries() == 0);
    }
    spate_scene_destroy(stage);
    spate_sim_destroy(sim);
}

/* ------------------------------------------------------------------ solids */

/* Volume inside a closed mesh (2D: area inside an outline), positive if its faces look out. */
static double inside_of(const spate_surface *mesh)
{
    double sum = 0;
    for (size_t k = 0; k < mesh->triangles; k++) {
        const uint32_t *at = mesh->indices + (size_t)mesh->dim * k;
        const float *a = mesh->positions + 3 * at[0], *b = mesh->positions + 3 * at[1];
        if (mesh->dim == 2) {
            sum += 0.5 * ((double)a[0] * (double)b[1] - (double)a[1] * (double)b[0]);
            continue;
        }
        const float *c = mesh->positions + 3 * at[2];
        for (int d = 0; d < 3; d++) {
            int e = (d + 1) % 3, f = (d + 2) % 3;
            sum += (double)a[d] * ((double)b[e] * (double)c[f] - (double)b[f] * (double)c[e]) / 6;
        }
    }
    return sum;
}

/* Shapes of known size in 2D and 3D, turned, inverted and moved; names that programs take. */
static void meshes_of_solids(void)
{
    const double pi = 3.14159265358979;
    for (int dim = 2; dim <= 3; dim++) {
        spate_scene *scene = sample_scene(dim, 2, 2, 2, 16);
        spate_shape *box = sample_box(scene, SPATE_LIST_SOLIDS, 0.2, 0.2, 0.2, 0.5, 0.6, 0.7);
        box->rotation[2] = 30;
        strcpy(box->name, "1 box/\"x\"");
        sample_sphere(scene, SPATE_LIST_SOLIDS, 1, 1, 1, 0.3)->invert = true;
        for (int k = 0; k < 2; k++) {
            spate_shape *rod = spate_scene_add_shape(scene, SPATE_LIST_SOLIDS);
            rod->shape = k ? SPATE_SHAPE_CYLINDER : SPATE_SHAPE_CAPSULE;
            rod->radius = 0.1;
            for (int d = 0; d < 3; d++) {
                rod->from[d] = d == 2 ? 1 : 0.5;
                rod->to[d] = d == 0 ? 0.9 : d == 1 ? 0.8 : 1;
            }
            strcpy(rod->name, k ? "solid_5" : "_1_box__x_"); /* taken, and to be taken */
        }
        spate_shape *bed = spate_scene_add_shape(scene, SPATE_LIST_SOLIDS);
        bed->shape = SPATE_SHAPE_PLANE;
        for (int d = 0; d < 3; d++) {
            bed->point[d] = 0;
            bed->normal[d] = d == 1;
        }
        sample_velocity(sample_box(scene, SPATE_LIST_SOLIDS, 0, 0, 0, 0.1, 0.1, 0.1), 2, 0, 0);
        sp_solid_meshes solids;
        spate_error error = {0};
        CHECK(sp_solid_meshes_create(&solids, scene, &error) == SPATE_OK && solids.count == 6);
        bool flat = dim == 2;
        double rod = 0.5 * (flat ? 0.2 : pi * 0.01);
        const double sizes[6] = {flat ? 0.12 : 0.06,
                                 -(flat ? pi * 0.09 : 4 * pi * 0.027 / 3),
                                 rod + (flat ? pi * 0.01 : 4 * pi * 0.001 / 3),
                                 rod,
                                 0,
                                 flat ? 0.01 : 0.001};
        static const char *const names[6] = {"_1_box__x_", "solid_1", "solid_2",
                                             "solid_5",    "solid_4", "solid_10005"};
        for (int k = 0; k < solids.count; k++) {
            const spate_surface *mesh = &solids.items[k].mesh;
            CHECK_NEAR(inside_of(mesh), sizes[k], 0.01 * fabs(sizes[k]) + 1e-9);
            CHECK_TEXT(solids.items[k].name, names[k]);
            CHECK(solids.items[k].moves == (k == 5));
            for (size_t v = 0; v < mesh->vertices; v++) {
                const float *n = mesh->normals + 3 * v;
                CHECK_NEAR((double)(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]), 1, 1e-5);
            }
        }
        CHECK(solids.moves);
        CHECK(solids.items[0].mesh.vertices == (flat ? 8 : 24)); /* sharp edges */
        spate_surface all;
        CHECK(sp_solid_meshes_at(&solids, 0.5, &all, &error) == SPATE_OK);
        float low = 9, high = -9; /* of the last one, which has gone 1 m */
        for (size_t v = all.vertices - solids.items[5].mesh.vertices; v < all.vertices; v++) {
            low = all.positions[3 * v] < low ? all.positions[3 * v] : low;
            high = all.positions[3 * v] > high ? all.positions[3 * v] : high;
        }
        CHECK_NEAR((double)low, 1, 1e-6);
        CHECK_NEAR((double)high, 1.1, 1e-6);
        sp_solid_mesh_free(&all);
        sp_solid_meshes_clear(&solids);
        spate_scene_destroy(scene);
    }
}

static void names_of_files(void)
{
    spate_sim *sim = make_sim(2, "velocity");
    spate_error error = {0};
    CHECK(spate_sim_particles_write(sim, "water.abc", &error) == SPATE_ERROR_USAGE);
    CHECK_TEXT(error.message, "the name must end in .ply, .vtp, .usd, .usda or .usdc");
    CHECK(spate_sim_volume_write(sim, "water.ply", &error) == SPATE_ERROR_USAGE);
    CHECK(spate_sim_volume_write(sim, "/no/such/water.vdb", &error) == SPATE_ERROR_USAGE); /* 2D */
    CHECK(spate_sim_volume_write(sim, "/no/such/water.vti", NULL) == SPATE_ERROR_FILE);
    CHECK(spate_surface_write(&(spate_surface){.dim = 3}, "water.obj", NULL) == SPATE_ERROR_USAGE);
    spate_sim_destroy(sim);
}

static void set_up(void)
{
    snprintf(folder, sizeof folder, "/tmp/spate_test_formats_%d", (int)getpid());
    spate_error error;
    sp_export *out = sp_export_create(folder, SP_FORMAT_PLY, 30, &error);
    CHECK(out != NULL);
    sp_export_destroy(out);
}

static void tear_down(void)
{
    char command[96];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    CHECK(system(command) == 0);
}

TESTS(formats)
{
    SETUP(set_up);
    TEARDOWN(tear_down);
    TEST(words_of_attributes);
    TEST(vorticity_of_a_wheel);
    TEST(distance_to_a_block);
    TEST(nothing_has_no_volume);
    TEST(gzip_is_gzip);
    TEST(meshes_of_solids);
    TEST(every_write_may_fail);
    TEST(every_allocation_may_fail);
    TEST(names_of_files);
}
