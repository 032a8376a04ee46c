/* test_ply.c -- particles to PLY and back, and point sets in the dialects of others. */
#include "test.h"

#include <spate/spate_io.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/memory.h"
#include "io/file.h"
#include "io/ply.h"
#include "scene/points.h"

static char path[64];

static void save(const void *bytes, size_t size)
{
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(bytes, 1, size, f) != size || fclose(f) != 0) {
        perror(path);
        exit(1);
    }
}

static spate_points *load_text(const char *text, spate_error *error)
{
    save(text, strlen(text));
    return spate_points_read(path, error);
}

/* ------------------------------------------------------------------ reading */

static void positions_alone_are_at_rest(void)
{
    spate_points *points =
        load_text("ply\r\nformat ascii 1.0\r\nelement vertex 2\r\nproperty double z\r\n"
                  "property float y\r\nproperty int x\r\nend_header\r\n3 2 1\r\n6 5.5 -4",
                  NULL);
    static const float expected[6] = {1, 2, 3, -4, 5.5f, 6};
    CHECK(points && sp_points_count(points) == 2);
    CHECK(points && memcmp(sp_points_positions(points), expected, sizeof expected) == 0);
    for (int i = 0; points && i < 6; i++)
        CHECK(sp_points_velocities(points)[i] == 0);
    spate_points_destroy(points);
}

static void velocities_and_what_to_skip(void)
{
    spate_points *points = load_text(
        "ply\nformat ascii 1.0\ncomment no z: two dimensions\nelement camera 1\n"
        "property list uchar int view\nproperty float far\nelement vertex 2\n"
        "property float x\nproperty float y\nproperty list uchar short list\nproperty float vx\n"
        "property uchar alpha\nproperty float vy\nelement face 1\n"
        "property list uchar int vertex_indices\nend_header\n"
        "3 1 2 3 100\n"
        "0.5 1 2 7 8 10 255 20\n"
        "1.5 2 0 30 0 40\n"
        "3 0 1 0\n",
        NULL);
    static const float x[6] = {0.5f, 1, 0, 1.5f, 2, 0}, v[6] = {10, 20, 0, 30, 40, 0};
    CHECK(points && sp_points_count(points) == 2);
    CHECK(points && memcmp(sp_points_positions(points), x, sizeof x) == 0);
    CHECK(points && memcmp(sp_points_velocities(points), v, sizeof v) == 0);
    spate_points_destroy(points);
}

/* One point whose x y z vx are each of another type, in both byte orders. */
static void every_type_in_both_byte_orders(void)
{
    static const struct {
        const char *name;
        int size;
        uint64_t bits;
        float value;
    } types[] = {{"char", 1, 0xfd, -3},           {"uint8", 1, 0xfd, 253},
                 {"short", 2, 0xfffd, -3},        {"uint16", 2, 0xfffd, 65533},
                 {"int", 4, 0xfffffffd, -3},      {"uint32", 4, 0x80000000, 2147483648.0f},
                 {"float", 4, 0xc0600000, -3.5f}, {"float64", 8, 0xc00c000000000000, -3.5f}};
    for (int big = 0; big < 2; big++)
        for (size_t k = 0; k < sizeof types / sizeof *types; k++) {
            char file[512];
            int size = snprintf(
                file, sizeof file,
                "ply\nformat binary_%s_endian 1.0\nelement vertex 1\nproperty uchar x\nproperty %s y\n"
                "property uchar z\nend_header\n",
                big ? "big" : "little", types[k].name);
            file[size++] = 10; /* a line feed as data, right behind the header */
            for (int i = 0; i < types[k].size; i++)
                file[size++] = (char)(types[k].bits >> (8 * (big ? types[k].size - 1 - i : i)));
            file[size++] = 13;
            save(file, (size_t)size);
            spate_points *points = spate_points_read(path, NULL);
            const float *x = points ? sp_points_positions(points) : NULL;
            CHECK(x && x[0] == 10 && x[1] == types[k].value && x[2] == 13);
            spate_points_destroy(points);
        }
}

static void expect(const char *text, spate_status status, const char *message)
{
    spate_error error = {0};
    CHECK(load_text(text, &error) == NULL);
    CHECK(error.status == status);
    CHECK_TEXT(error.where, path);
    CHECK_TEXT(error.message, message);
    CHECK(spate_points_read(path, NULL) == NULL);
}

static void bad_files(void)
{
    expect("v 0 0 0\n", SPATE_ERROR_FILE, "is not a PLY file: it does not start with 'ply'");
    expect("", SPATE_ERROR_FILE, "the PLY header has no end_header: the file is cut short");
    expect("ply\nformat ascii 1.0\nend_header\n", SPATE_ERROR_FILE,
           "the PLY file has no element 'vertex'");
    expect("ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nend_header\n1\n",
           SPATE_ERROR_FILE, "the vertices of the PLY file have no properties x and y");
    expect(
        "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\nend_header\n1 2 3\n",
        SPATE_ERROR_FILE,
        "the PLY header promises 2 of element 'vertex', more than the file holds: it is cut short");
    expect(
        "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nend_header\n1 two\n",
        SPATE_ERROR_FILE,
        "the rows of PLY element 'vertex' end early or hold something that is not a number");
    expect(
        "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nend_header\n1 nan\n",
        SPATE_ERROR_FILE, "y of point 1 is not a finite number");
    expect(
        "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty double y\nend_header\n1 1e200\n",
        SPATE_ERROR_FILE, "y of point 1 is not a finite number");
    expect(
        "ply\nformat binary_big_endian 1.0\nelement vertex 3000000000\nproperty float x\nproperty float y\nend_header\n",
        SPATE_ERROR_FILE,
        "the PLY header promises 3000000000 of element 'vertex', more than the file holds: it is cut short");
}

static void points_from_memory(void)
{
    spate_error error = {0};
    float x[6] = {0, 1, 2, 3, 4, 5}, v[6] = {0, 0, 0, 0, INFINITY, 0};
    CHECK(spate_points_create(x, v, 2, &error) == NULL);
    CHECK_TEXT(error.message, "the velocity of point 2 is not a finite number");
    x[1] = NAN;
    CHECK(spate_points_create(x, NULL, 2, &error) == NULL);
    CHECK_TEXT(error.message, "the position of point 1 is not a finite number");
    spate_points *none = spate_points_create(NULL, NULL, 0, NULL);
    CHECK(none && sp_points_count(none) == 0);
    CHECK(spate_points_retain(none) == none);
    spate_points_destroy(none);
    CHECK(sp_points_count(none) == 0);
    spate_points_destroy(none);
    spate_points_destroy(NULL);
    for (int n = 1; n <= 3; n++) {
        sp_alloc_fail_at((uint64_t)n);
        CHECK(spate_points_create(v, NULL, 1, &error) == NULL);
        CHECK(error.status == SPATE_ERROR_MEMORY);
    }
    sp_alloc_fail_at(0);
}

/* ------------------------------------------------------------------ writing */

/* A small pool in a domain with cells of 0.02 m, a few steps after it was let go, with two
 * channels. */
static spate_sim *make_sim(int dim)
{
    spate_scene *scene = spate_scene_create();
    scene->dim = dim;
    for (int d = 0; d < dim; d++)
        scene->domain.size[d] = 0.16;
    scene->domain.cells = 8;
    spate_shape *fill = spate_scene_add_shape(scene, SPATE_LIST_FILL);
    fill->shape = SPATE_SHAPE_BOX;
    for (int d = 0; d < 3; d++) {
        fill->min[d] = 0;
        fill->max[d] = 0.08;
    }
    spate_channel *age = spate_scene_add_channel(scene);
    strcpy(age->name, "age");
    spate_channel *colour = spate_scene_add_channel(scene);
    strcpy(colour->name, "colour");
    colour->components = 3;
    for (int c = 0; c < 3; c++)
        colour->initial[c] = 0.25 * c;
    spate_error error = {0};
    spate_sim *sim = spate_sim_create(scene, NULL, &error);
    CHECK_TEXT(error.message, "");
    spate_scene_destroy(scene);
    for (int i = 0; sim && i < 3; i++)
        CHECK(spate_sim_step(sim, 0.01, NULL) == SPATE_OK);
    return sim;
}

static void check_written(spate_sim *sim, int dim)
{
    static const char *const names[] = {"x",  "y",   "z",        "vx",       "vy",      "vz",
                                        "id", "age", "colour_0", "colour_1", "colour_2"};
    size_t count = spate_sim_particles_count(sim, "fluid");
    float *x = malloc(count * 3 * sizeof *x), *v = malloc(count * 3 * sizeof *v), *age[4],
          *colour[4];
    uint32_t *id = malloc(count * sizeof *id);
    spate_sim_particles_read(sim, "fluid", x, v, id);
    CHECK(spate_sim_channel_view(sim, "age", age) == 1 &&
          spate_sim_channel_view(sim, "colour", colour) == 3);
    char *bytes;
    size_t size;
    sp_ply ply;
    CHECK(sp_file_read_all(path, &bytes, &size, NULL) == SPATE_OK);
    CHECK(sp_ply_open(&ply, bytes, size, path, NULL) == SPATE_OK);
    CHECK(ply.format == SP_PLY_LITTLE && ply.element_count == 1 && ply.elements[0].count == count);
    CHECK(ply.property_count == sizeof names / sizeof *names);
    for (int k = 0; k < 11; k++)
        CHECK(sp_ply_find(&ply, &ply.elements[0], names[k]) == k);
    for (size_t i = 0; i < count; i++) {
        CHECK(sp_ply_read_row(&ply, &ply.elements[0], -1, NULL) == SPATE_OK);
        for (int d = 0; d < 3; d++) {
            CHECK_NEAR(ply.row[d], x[3 * i + (size_t)d], 1e-7);
            CHECK(ply.row[3 + d] == v[3 * i + (size_t)d]);
            CHECK(ply.row[8 + d] == colour[d][i] && colour[d][i] == 0.25f * (float)d);
        }
        CHECK(ply.row[6] == id[i]);
        CHECK(ply.row[7] == age[0][i]);
        if (dim == 2)
            CHECK(ply.row[2] == 0 && ply.row[5] == 0);
    }
    CHECK(ply.next == ply.end);
    sp_ply_close(&ply);
    sp_free(bytes);
    free(x);
    free(v);
    free(id);
}

static void particles_come_back(void)
{
    for (int dim = 2; dim <= 3; dim++) {
        spate_sim *sim = make_sim(dim);
        CHECK(sim != NULL);
        if (!sim)
            return;
        CHECK(spate_sim_particles_write_ply(sim, path, NULL) == SPATE_OK);
        check_written(sim, dim);
        spate_points *points = spate_points_read(path, NULL);
        CHECK(points && sp_points_count(points) == spate_sim_particles_count(sim, "fluid"));
        CHECK(points && sp_points_count(points) == (dim == 2 ? 64u : 512u));
        spate_points_destroy(points);
        spate_sim_destroy(sim);
    }
}

static void writing_fails_cleanly(void)
{
    spate_sim *sim = make_sim(2);
    CHECK(sim != NULL);
    if (!sim)
        return;
    unlink(path);
    for (uint64_t n = 1; n <= 3; n++) { /* the flush, the fsync, the rename */
        spate_error error = {0};
        sp_file_fail_at(n);
        CHECK(spate_sim_particles_write_ply(sim, path, &error) == SPATE_ERROR_FILE);
        sp_file_fail_at(0);
        CHECK_TEXT(error.where, path);
        CHECK_TEXT(error.message, "cannot be written: No space left on device");
        CHECK(access(path, F_OK) != 0);
    }
    spate_status status = SPATE_ERROR_MEMORY;
    for (uint64_t n = 1; n < 20 && status != SPATE_OK; n++) {
        sp_alloc_fail_at(n);
        status = spate_sim_particles_write_ply(sim, path, NULL);
        sp_alloc_fail_at(0);
        CHECK(status == SPATE_OK || (status == SPATE_ERROR_MEMORY && access(path, F_OK) != 0));
    }
    CHECK(status == SPATE_OK);
    CHECK(spate_sim_particles_write_ply(sim, "/no/such/folder/x.ply", NULL) == SPATE_ERROR_FILE);
    spate_sim_destroy(sim);
}

static void set_up(void)
{
    snprintf(path, sizeof path, "/tmp/spate_test_ply_%d", (int)getpid());
}

static void tear_down(void)
{
    unlink(path);
}

TESTS(ply)
{
    SETUP(set_up);
    TEARDOWN(tear_down);
    TEST(positions_alone_are_at_rest);
    TEST(velocities_and_what_to_skip);
    TEST(every_type_in_both_byte_orders);
    TEST(bad_files);
    TEST(points_from_memory);
    TEST(particles_come_back);
    TEST(writing_fails_cleanly);
}
