/* test_usd_set.c -- a set of particles as USD: a Points prim for each class, columns as primvars.
 */
#include "test.h"

#include "io/usd_set.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const float places[3] = {1, 2, 3}, ages[3] = {0.25f, 0.5f, 0.75f}, radii[3] = {1, 2, 4};
static const uint32_t kinds[3] = {0, 1, 0}, sources[3] = {7, 8, 9}, ids[3] = {10, 20, 30};
static const char *const names[2] = {"first", "second"};
static const sp_set_column columns[] = {{.name = NULL, .components = 2},
                                        {.name = "type", .components = 1, .integer = true}};

static sp_column column_of(const char *name, bool integer, const void *values)
{
    sp_column column = {.components = 1, .integer = integer, .values = {values}};
    snprintf(column.name, sizeof column.name, "%s", name);
    return column;
}

/* The layer of three particles as text; free it. */
static char *write_set(const sp_set_kind *kind, bool radius)
{
    char path[] = "/tmp/spate-usd-set-XXXXXX.usda";
    spate_error error = {0};
    sp_particles p = {.kind = kind, .frame = 5, .view = {.count = 3, .scale = 1, .id = ids}};
    for (int d = 0; d < 3; d++)
        p.view.x[d] = p.view.v[d] = places;
    p.columns[p.column_count++] = column_of("type", true, kinds);
    p.columns[p.column_count++] = column_of("age", false, ages);
    p.columns[p.column_count++] = column_of("source", true, sources);
    if (radius)
        p.columns[p.column_count++] = column_of("radius", false, radii);
    sp_particle_table table = {.particles = &p, .dim = 3, .fps = 24, .radius = 0.25};
    int descriptor = mkstemps(path, 5);
    CHECK(descriptor >= 0 && sp_usd_write_set(&table, path, &error) == SPATE_OK);
    close(descriptor);
    FILE *file = fopen(path, "r");
    char *text = calloc(1, 1 << 16);
    CHECK(file && fread(text, 1, (1 << 16) - 1, file) > 0);
    fclose(file);
    unlink(path);
    return text;
}

/* Whether the text has `what` behind `after`. */
static bool has(const char *text, const char *after, const char *what)
{
    const char *begin = strstr(text, after);
    return begin && strstr(begin, what);
}

static void classes_are_prims(void)
{
    const sp_set_kind kind = {.name = "points",
                              .columns = columns,
                              .column_count = 2,
                              .classes = names,
                              .class_count = 2,
                              .class_column = 2};
    CHECK_TEXT(sp_set_class_column(&kind), "type");
    char *text = write_set(&kind, true);
    CHECK(has(text, "def Xform \"points\"", "def Points \"first\""));
    CHECK(has(text, "def Points \"first\"", "[10, 30]"));
    CHECK(has(text, "def Points \"first\"", "[2, 8]")); /* widths */
    CHECK(has(text, "def Points \"second\"", "[20]"));
    CHECK(has(text, "def Points \"second\"", "[4]"));
    CHECK(has(text, "float[] primvars:age", "[0.25, 0.75]"));
    CHECK(has(text, "int[] primvars:source", "[7, 9]"));
    CHECK(!strstr(text, "primvars:type") && !strstr(text, "primvars:radius"));
    free(text);
}

/* Without a column of classes and without radii. */
static void one_class(void)
{
    const sp_set_kind kind = {
        .name = "points", .classes = names, .class_count = 1, .class_column = -1};
    CHECK(sp_set_class_column(&kind) == NULL);
    char *text = write_set(&kind, false);
    CHECK(has(text, "def Points \"first\"", "[10, 20, 30]"));
    CHECK(has(text, "def Points \"first\"", "[0.5, 0.5, 0.5]"));
    CHECK(!strstr(text, "def Points \"second\""));
    CHECK(has(text, "int[] primvars:type", "[0, 1, 0]"));
    free(text);
}

TESTS(usd_set)
{
    TEST(classes_are_prims);
    TEST(one_class);
}
