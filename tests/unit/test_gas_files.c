/* test_gas_files.c -- what a run of a gas leaves: volume files with the fields of its grid, and
 * pictures of them. */
#include "sample.h"

#include <spate/spate_io.h>

#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "io/field_set.h"
#include "io/file.h"
#include "render/gas.h"
#include "render/preview.h"

/* A file of this process: tests run side by side. */
static const char *own_path(void)
{
    static char path[64];
    snprintf(path, sizeof path, "/tmp/spate_gas_files_%d.vti", (int)getpid());
    return path;
}

/* A gas that turns around a ball, with its height as the channel "height" of each particle. */
static spate_scene *turning(int dim)
{
    spate_scene *scene = sample_scene(dim, 1, 0.75, 0.5, 16);
    scene->fluid.kind = SPATE_FLUID_GAS;
    spate_shape *disc = sample_sphere(scene, SPATE_LIST_FILL, 0.5, 0.4, 0.25, 0.3);
    disc->initial.kind = SPATE_INITIAL_ROTATION;
    for (int d = 0; d < 3; d++)
        disc->initial.center[d] = disc->center[d];
    disc->initial.spin[2] = 4;
    sample_sphere(scene, SPATE_LIST_SOLIDS, 0.3, 0.4, 0.25, 0.15);
    snprintf(spate_scene_add_channel(scene)->name, 8, "height");
    return scene;
}

static spate_sim *start_turning(int dim)
{
    spate_sim *sim = sample_sim(turning(dim), 2);
    spate_particles_view view;
    float *columns[4];
    if (!sim)
        return NULL;
    CHECK(spate_sim_particles_view(sim, "fluid", &view));
    CHECK(spate_sim_channel_view(sim, "height", columns) == 1);
    for (size_t k = 0; k < view.count; k++)
        columns[0][k] = (float)(view.scale * (double)view.x[1][k]);
    sample_stats(sim);
    return sim;
}

static float face(const spate_field_view *u, int i, int j, int k)
{
    return u->values[i * u->stride[0] + j * u->stride[1] + k * u->stride[2]];
}

/* At the start, too, when no step has laid anything on the grid. */
static void fields_are_those_of_the_grid(void)
{
    for (int dim = 2; dim <= 3; dim++) {
        spate_sim *sim = start_turning(dim);
        sp_field_set set = {.memory = NULL};
        for (int step = 0; sim && step < 2; step++) {
            CHECK(sp_field_set_take(&set, sim, NULL) == SPATE_OK);
            CHECK(set.dim == dim && set.field_count == 4 && set.cells[0] == 16 &&
                  set.cells[1] == 12 && set.cells[2] == (dim == 3 ? 8 : 1));
            const sp_cell_field *vel = sp_field_set_find(&set, "vel"),
                                *type = sp_field_set_find(&set, "type"),
                                *height = sp_field_set_find(&set, "height");
            CHECK(sp_field_set_find(&set, "surface") == NULL && vel->components == 3);
            spate_field_view u;
            CHECK(spate_sim_field_view(sim, "u", &u));
            int z = dim == 3 ? 4 : 0;
            for (int j = 0; j < 12; j++)
                for (int i = 1; i < 15; i++) {
                    int cell = i + 16 * (j + 12 * z);
                    bool solid = type->bytes[cell] == SPATE_CELL_SOLID;
                    CHECK(solid || type->bytes[cell] == SPATE_CELL_LIQUID);
                    float mean = solid ? 0 : 0.5f * (face(&u, i, j, z) + face(&u, i + 1, j, z));
                    CHECK(vel->values[3 * cell] == mean);
                    if (!solid)
                        CHECK_NEAR(height->values[cell], (j + 0.5) / 16, 0.1);
                }
            CHECK(type->bytes[4 + 16 * (6 + 12 * z)] == SPATE_CELL_SOLID);
            CHECK(sample_step(sim, 0.01));
            sample_stats(sim);
        }
        sp_field_set_clear(&set);
        spate_sim_destroy(sim);
    }
}

static void volume_files_read_back(void)
{
    const char *path = own_path();
    for (int dim = 2; dim <= 3; dim++) {
        spate_sim *sim = start_turning(dim);
        spate_scene *scene = turning(dim), *other = sample_scene(dim, 1, 0.75, 0.5, 17);
        sp_field_set set = {.memory = NULL}, read = {.memory = NULL};
        spate_error error;
        if (!sim)
            return;
        CHECK(sample_step(sim, 0.01));
        sample_stats(sim);
        CHECK(spate_sim_volume_write(sim, "gas.vdb", &error) == SPATE_ERROR_USAGE);
        CHECK(spate_sim_volume_write(sim, path, &error) == SPATE_OK);
        CHECK(sp_field_set_take(&set, sim, &error) == SPATE_OK);
        CHECK(sp_field_set_probe(scene, path, &error) == SPATE_OK);
        CHECK(sp_field_set_read(&read, scene, 7, path, &error) == SPATE_OK);
        CHECK(read.frame == 7 && read.field_count == set.field_count);
        size_t cells = sp_field_set_cells(&set);
        for (int k = 0; k < set.field_count; k++) {
            const sp_cell_field *a = &set.fields[k], *b = &read.fields[k];
            CHECK_TEXT(b->name, a->name);
            CHECK(a->components == b->components && !a->bytes == !b->bytes);
            CHECK(memcmp(a->bytes ? (void *)a->bytes : a->values,
                         b->bytes ? (void *)b->bytes : b->values,
                         a->bytes ? cells : 4 * cells * (size_t)a->components) == 0);
        }
        CHECK(sp_field_set_read(&read, other, 0, path, &error) == SPATE_ERROR_FILE);
        CHECK(strstr(error.message, "it has other cells") && read.field_count == 0);
        CHECK(truncate(path, 900) == 0);
        CHECK(sp_field_set_probe(scene, path, &error) == SPATE_ERROR_FILE);
        CHECK(strstr(error.message, "no volume file of this run") != NULL);
        unlink(path);
        sp_field_set_clear(&set);
        sp_field_set_clear(&read);
        spate_scene_destroy(scene);
        spate_scene_destroy(other);
        spate_sim_destroy(sim);
    }
}

/* A liquid has its channels beside its level set. */
static void liquids_have_their_channels_too(void)
{
    const char *path = own_path();
    spate_scene *scene = sample_scene(2, 1, 0.75, 0, 16);
    sample_box(scene, SPATE_LIST_FILL, 0, 0, 0, 0.5, 0.5, 0);
    spate_channel *dye = spate_scene_add_channel(scene);
    snprintf(dye->name, 8, "dye");
    dye->components = 2;
    dye->initial[1] = 3;
    dye->transfer = SPATE_CHANNEL_FLIP;
    spate_scene *same = spate_scene_copy(scene);
    spate_sim *sim = sample_sim(scene, 1);
    sp_field_set read = {.memory = NULL};
    if (!sim)
        return;
    sample_stats(sim);
    CHECK(spate_sim_volume_write(sim, path, NULL) == SPATE_OK);
    CHECK(sp_field_set_read(&read, same, 0, path, NULL) == SPATE_OK);
    const sp_cell_field *field = sp_field_set_find(&read, "dye");
    CHECK(sp_field_set_find(&read, "surface") && sp_field_set_find(&read, "open"));
    CHECK(field && field->components == 2);
    CHECK(field && field->values[0] == 0 && fabsf(field->values[1] - 3) < 1e-5f);
    unlink(path);
    sp_field_set_clear(&read);
    spate_scene_destroy(same);
    spate_sim_destroy(sim);
}

/* ------------------------------------------------------------------ pictures */

static float lightness(const sp_image *image, float x, float y)
{
    sp_color c = sp_image_sample(image, x * (float)image->width, y * (float)image->height);
    return 0.2126f * c.r + 0.7152f * c.g + 0.0722f * c.b;
}

/* Much is dark, evenly along the height, without the steps of cells. */
static void pictures_show_the_channel(void)
{
    for (int dim = 2; dim <= 3; dim++) {
        spate_sim *sim = start_turning(dim);
        sp_image image, again;
        CHECK(sp_image_create(&image, 320, 180, NULL) == SPATE_OK);
        CHECK(sp_image_create(&again, 320, 180, NULL) == SPATE_OK);
        CHECK(sim && sp_preview_draw(sim, &image, NULL) == SPATE_OK);
        float before = lightness(&image, 0.6f, 0.8f);
        for (int y = 0; y < 100; y++) {
            float light = lightness(&image, 0.6f, 0.80f - 0.007f * (float)y);
            CHECK(light <= before + 0.02f && light > before - 0.03f);
            before = light;
        }
        CHECK(before < 0.1f && lightness(&image, 0.6f, 0.8f) > 0.7f); /* dark at the top */
        CHECK(sim && sp_preview_draw(sim, &again, NULL) == SPATE_OK);
        CHECK(memcmp(image.pixels, again.pixels, 320 * 180 * sizeof *image.pixels) == 0);
        sp_image_destroy(&image);
        sp_image_destroy(&again);
        spate_sim_destroy(sim);
    }
}

static void planes_choose_their_field(void)
{
    spate_sim *sim = start_turning(3);
    sp_field_set set = {.memory = NULL};
    sp_gas_plane plane = {.values = NULL};
    spate_error error;
    CHECK(sim && sp_field_set_take(&set, sim, NULL) == SPATE_OK);
    CHECK(sp_gas_plane_take(&plane, &set, &(sp_look){.stamp = false}, NULL) == SPATE_OK);
    CHECK_TEXT(plane.label, "height");
    CHECK(plane.n[0] == 16 && plane.n[1] == 12 && plane.z == 0.25);
    CHECK(isnan(plane.values[4 + 16 * 6])); /* in the ball */
    CHECK_NEAR(plane.range[1], 0.72, 0.03);
    const sp_look turn = {.field = "vorticity", .slice_given = true, .slice = 0.2};
    plane.ranged = false;
    CHECK(sp_gas_plane_take(&plane, &set, &turn, NULL) == SPATE_OK);
    CHECK_TEXT(plane.label, "vorticity (1/s)");
    CHECK(plane.range[0] == -plane.range[1]);
    CHECK_NEAR(plane.values[9 + 16 * 6], 2 * 4, 0.2); /* twice the spin */
    CHECK(sp_gas_plane_take(&plane, &set, &(sp_look){.field = "cheese"}, &error) ==
          SPATE_ERROR_USAGE);
    CHECK(strstr(error.message, "there are height, velocity, vorticity, pressure") != NULL);
    const sp_look outside = {.slice_given = true, .slice = 0.6};
    CHECK(sp_gas_plane_take(&plane, &set, &outside, &error) == SPATE_ERROR_USAGE);
    sp_gas_plane_clear(&plane);
    sp_field_set_clear(&set);
    spate_sim_destroy(sim);
}

TESTS(gas_files)
{
    TEST(fields_are_those_of_the_grid);
    TEST(volume_files_read_back);
    TEST(liquids_have_their_channels_too);
    TEST(pictures_show_the_channel);
    TEST(planes_choose_their_field);
}
