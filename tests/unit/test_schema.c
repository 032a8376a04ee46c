/* test_schema.c -- the table of settings, setting by path, and the check of whole scenes. */
#include "test.h"
#include "values.h"

#include "base/memory.h"
#include "scene/schema.h"
#include "scene/sides.h"

#include <stdlib.h>

/* ------------------------------------------------------------------ helpers */

static spate_error problem;

static spate_status set_number(spate_scene *scene, const char *path, double number)
{
    memset(&problem, 0, sizeof problem);
    return spate_scene_set(scene, path,
                           &(spate_value){.kind = SPATE_VALUE_NUMBER, .number = number}, &problem);
}

static spate_status set_string(spate_scene *scene, const char *path, const char *text)
{
    memset(&problem, 0, sizeof problem);
    return spate_scene_set(scene, path, &(spate_value){.kind = SPATE_VALUE_STRING, .string = text},
                           &problem);
}

static spate_status set_vector(spate_scene *scene, const char *path, int count, double x, double y,
                               double z)
{
    memset(&problem, 0, sizeof problem);
    spate_value value = {.kind = SPATE_VALUE_VECTOR, .vector = {x, y, z}, .count = count};
    return spate_scene_set(scene, path, &value, &problem);
}

#define CHECK_PROBLEM(where_text, message_text)    \
    do {                                           \
        CHECK_TEXT(problem.where, where_text);     \
        CHECK_TEXT(problem.message, message_text); \
    } while (0)

static char warnings[4096];

static void collect(void *user, spate_log_level level, const char *where, const char *message)
{
    (void)user;
    CHECK(level == SPATE_LOG_WARNING);
    size_t used = strlen(warnings);
    snprintf(warnings + used, sizeof warnings - used, "%s: %s\n", where, message);
}

static spate_status check(const spate_scene *scene)
{
    memset(&problem, 0, sizeof problem);
    warnings[0] = 0;
    return spate_scene_check(scene, collect, NULL, &problem);
}

/* A box of 2 x 1 (x 1) with cells of 1/32. */
static spate_scene *good_scene(int dim)
{
    spate_scene *scene = spate_scene_create();
    scene->dim = dim;
    scene->domain.size[0] = 2;
    scene->domain.size[1] = 1;
    scene->domain.size[2] = dim == 3 ? 1 : 0;
    return scene;
}

static spate_shape *add_sphere(spate_scene *scene, spate_list list, double radius)
{
    spate_shape *shape = spate_scene_add_shape(scene, list);
    shape->shape = SPATE_SHAPE_SPHERE;
    for (int d = 0; d < scene->dim; d++)
        shape->center[d] = 0.5;
    shape->radius = radius;
    return shape;
}

/* ------------------------------------------------------------------ the table */

static void defaults_are_those_of_the_header(void)
{
    spate_scene *s = spate_scene_create();
    CHECK_TEXT(s->name, "untitled");
    CHECK(s->dim == 3 && s->domain.cells == 64 && s->domain.cell_size == 0 &&
          s->domain.wall[1][0] == SPATE_WALL_SLIP && s->domain.roughness[1][0] == 0);
    for (int d = 0; d < 3; d++)
        CHECK(s->domain.sides[d][0] == SPATE_SIDE_WALL && s->domain.sides[d][1] == SPATE_SIDE_WALL);
    CHECK(s->frames == 120 && s->fps == 30);
    CHECK(s->gravity[0] == 0 && s->gravity[1] == -9.81 && s->gravity[2] == 0);
    CHECK(spate_scene_settle(s, NULL) == SPATE_OK);
    CHECK(s->fluid.particles_per_axis == 2 && s->fluid.jitter == 0.5 && s->fluid.seed == 1);
    CHECK(s->fluid.density == 1000 && s->fluid.flip_ratio == 0.97);
    CHECK(s->fluid.transfer == SPATE_TRANSFER_FLIP && s->fluid.kernel == SPATE_KERNEL_LINEAR);
    CHECK(s->time.cfl == 2 && s->time.dt == 0 && s->time.min_substeps == 1 &&
          s->time.max_substeps == 64);
    CHECK(s->time.advection == SPATE_ADVECTION_RK3);
    CHECK(s->pressure.solver == SPATE_SOLVER_MULTIGRID && s->pressure.tolerance == 1e-4);
    CHECK(s->pressure.solids == SPATE_SOLID_MODEL_CUT &&
          s->pressure.surface == SPATE_SURFACE_MODEL_GHOST);
    CHECK(s->pressure.max_iterations == 1000 && s->pressure.relaxation == 0);
    CHECK(s->pressure.on_failure == SPATE_ON_FAILURE_WARN && s->pressure.contact);
    CHECK(s->output.particles == SPATE_OUTPUT_PARTICLES_PLY && s->output.every == 1 &&
          s->output.checkpoint_every == 10);
    CHECK(s->output.preview);
    CHECK(s->output.volume == SPATE_OUTPUT_VOLUME_NONE);
    CHECK_TEXT(s->output.attributes, "velocity id channels");
    CHECK(s->fill.count == 0 && s->channel_count == 0);

    spate_channel *channel = spate_scene_add_channel(s);
    CHECK(channel->components == 1 && channel->initial[3] == 0 && !channel->pic &&
          !channel->name[0]);
    spate_shape shape = sample_shape();
    CHECK(shape.shape == SPATE_SHAPE_BOX && isnan(shape.min[0]) && isnan(shape.max[2]) &&
          isnan(shape.radius));
    CHECK(isnan(shape.center[1]) && isnan(shape.from[0]) && isnan(shape.to[0]) &&
          isnan(shape.normal[0]));
    CHECK(shape.scale == 1 && shape.position[0] == 0 && shape.rotation[2] == 0 &&
          shape.velocity[1] == 0);
    CHECK(!shape.invert && shape.wall == SPATE_WALL_SLIP && shape.roughness == 0 && !shape.motion &&
          !shape.mesh && !shape.name[0] && !shape.file[0]);
    spate_scene_destroy(s);
}

/* Every row can be found, has a help line, and its default as text is the default in the struct. */
static void table_is_consistent(void)
{
    static const char *const types[] = {"number", "integer",  "integer", "bool", "string",
                                        "vector", "rotation", "enum",    "list"};
    spate_scene *scene = spate_scene_create();
    spate_shape shape = sample_shape();
    spate_channel *channel = spate_scene_add_channel(scene);
    spate_gauge *gauge = spate_scene_add_gauge(scene);
    CHECK(spate_setting_count() > 80);
    CHECK(spate_setting_at(-1) == NULL && spate_setting_at(spate_setting_count()) == NULL);
    for (int k = 0; k < spate_setting_count(); k++) {
        const spate_setting *setting = spate_setting_at(k);
        const sp_row *row = sp_row_at(k), *found = NULL;
        CHECK(sp_schema_find(setting->path, &found) == SP_NODE_ROW && found == row);
        CHECK_TEXT(setting->type, types[row->type]);
        CHECK(setting->help[0] && !strchr(setting->help, '|') && strlen(setting->help) < 110);
        CHECK(setting->low <= setting->high);
        CHECK((row->type == SP_ENUM) == (setting->choices[0] != 0));
        bool top = !strchr(setting->path, '['),
             of_channel = strncmp(setting->path, "channels[].", 11) == 0,
             of_gauge = strncmp(setting->path, "gauges[].", 9) == 0;
        bool of_key = strstr(setting->path, "motion[]") != NULL;
        const void *owner = top          ? (void *)scene
                            : of_channel ? (void *)channel
                            : of_gauge   ? (void *)gauge
                                         : (void *)&shape;
        const char *at = (const char *)owner + row->offset;
        if (of_key || !setting->fallback[0])
            continue;
        if (row->type == SP_NUMBER)
            CHECK(strtod(setting->fallback, NULL) == *(const double *)at);
        if (row->type == SP_INTEGER)
            CHECK(strtod(setting->fallback, NULL) == *(const int *)at);
        if (row->type == SP_BOOL)
            CHECK_TEXT(*(const bool *)at ? "true" : "false", setting->fallback);
        if (row->type == SP_VECTOR && row->size == 0) {
            char text[64];
            const double *v = (const double *)at;
            snprintf(text, sizeof text, "[%g, %g, %g]", v[0], v[1], v[2]);
            CHECK_TEXT(text, setting->fallback);
        }
        if (row->type == SP_ENUM) {
            char name[32], quoted[40];
            CHECK(sp_choice_name(row, *(const int *)at, name, sizeof name));
            snprintf(quoted, sizeof quoted, "\"%s\"", name);
            CHECK_TEXT(quoted, setting->fallback);
        }
    }
    spate_scene_destroy(scene);
}

static void lists_have_only_what_means_something(void)
{
    CHECK(sp_schema_find("solids[].motion[].time", NULL) == SP_NODE_ROW);
    CHECK(sp_schema_find("solids[].roughness", NULL) == SP_NODE_ROW);
    CHECK(sp_schema_find("fill[].roughness", NULL) == SP_NODE_NONE);
    CHECK(sp_schema_find("fill[].motion", NULL) == SP_NODE_NONE);
    CHECK(sp_schema_find("inflows[].velocity", NULL) == SP_NODE_ROW);
    CHECK(sp_schema_find("outflows[].velocity", NULL) == SP_NODE_NONE);
    CHECK(sp_schema_find("", NULL) == SP_NODE_GROUP);
    CHECK(sp_schema_find("domain.sides", NULL) == SP_NODE_GROUP);
    CHECK(sp_schema_find("solids[]", NULL) == SP_NODE_ITEM);
    CHECK(sp_schema_find("dom", NULL) == SP_NODE_NONE);
    CHECK(sp_schema_find_place("solids[12].motion[3].time", NULL) == SP_NODE_ROW);
    CHECK(sp_schema_find_place("solids[].radius", NULL) == SP_NODE_NONE);
    CHECK(sp_schema_find_place("solids[-1].radius", NULL) == SP_NODE_NONE);
}

/* ------------------------------------------------------------------ setting */

static void set_stores(void)
{
    spate_scene *s = spate_scene_create();
    CHECK(set_vector(s, "domain.size", 2, 2, 1, 0) == SPATE_OK && s->dim == 2);
    CHECK(set_vector(s, "domain.size", 3, 2, 1, 0.5) == SPATE_OK && s->dim == 3 &&
          s->domain.size[2] == 0.5);
    CHECK(set_vector(s, "domain.size", 2, 2, 1, 0) == SPATE_OK && s->domain.size[2] == 0);
    CHECK(set_number(s, "fluid.flip_ratio", 0.5) == SPATE_OK && s->fluid.flip_ratio == 0.5);
    CHECK(set_number(s, "frames", 7) == SPATE_OK && s->frames == 7);
    CHECK(set_number(s, "fluid.seed", 9007199254740991.0) == SPATE_OK &&
          s->fluid.seed == 9007199254740991u);
    CHECK(set_string(s, "pressure.solver", "gauss_seidel") == SPATE_OK);
    CHECK(s->pressure.solver == SPATE_SOLVER_GAUSS_SEIDEL);
    CHECK(set_string(s, "domain.sides.top", "open") == SPATE_OK &&
          s->domain.sides[1][1] == SPATE_SIDE_OPEN);
    CHECK(set_string(s, "domain.sides.right", "periodic") == SPATE_OK &&
          s->domain.sides[0][1] == SPATE_SIDE_PERIODIC);
    spate_value no = {.kind = SPATE_VALUE_BOOL, .number = 0};
    CHECK(spate_scene_set(s, "output.preview", &no, NULL) == SPATE_OK && !s->output.preview);
    CHECK(set_string(s, "name", "h\xc3\xa9") == SPATE_OK);
    CHECK_TEXT(s->name, "h\xc3\xa9");

    CHECK(set_number(s, "solids[0].radius", 0.25) == SPATE_OK && s->solids.count == 1);
    CHECK(set_number(s, "solids[0].rotation", 30) == SPATE_OK &&
          s->solids.items[0].rotation[2] == 30);
    CHECK(set_vector(s, "solids[0].center", 2, 1, 2, 9) == SPATE_OK);
    CHECK(s->solids.items[0].center[1] == 2 && s->solids.items[0].center[2] == 0);
    CHECK(set_number(s, "solids[0].motion[0].time", 1) == SPATE_OK);
    CHECK(set_vector(s, "solids[0].motion[1].position", 2, 1, 2, 0) == SPATE_OK);
    CHECK(s->solids.items[0].motion_count == 2 && s->solids.items[0].motion[1].position[1] == 2);
    CHECK(set_number(s, "solids[1].motion[0].time", 3) == SPATE_OK && s->solids.count == 2);
    CHECK(set_vector(s, "channels[0].initial", 3, 1, 2, 3) == SPATE_OK &&
          s->channels[0].initial[2] == 3);
    CHECK(set_number(s, "channels[0].components", 3) == SPATE_OK && s->channels[0].components == 3);
    CHECK(set_number(s, "outflows[0].radius", 1) == SPATE_OK && s->outflows.items[0].radius == 1);
    spate_scene_destroy(s);
}

static void set_refuses(void)
{
    spate_scene *s = good_scene(2);
    CHECK(set_number(s, "solids[0].radius", -1) == SPATE_ERROR_SCENE);
    CHECK_PROBLEM("solids[0].radius", "must be positive (got -1)");
    CHECK(s->solids.count == 0); /* taken back */
    CHECK(set_number(s, "solids[0].motion[1].time", 0) == SPATE_ERROR_SCENE &&
          s->solids.count == 0);
    CHECK(set_number(s, "solids[0].radius", 0) == SPATE_ERROR_SCENE);
    CHECK(set_string(s, "solids[0].radius", "big") == SPATE_ERROR_SCENE);
    CHECK_PROBLEM("solids[0].radius", "must be a number (got a string)");
    CHECK(set_number(s, "solids[1].radius", 1) == SPATE_ERROR_SCENE);
    CHECK_PROBLEM("solids[1].radius", "there is no solids[1]: the next new one is solids[0]");
    CHECK(set_string(s, "fluid.transfer", "flup") == SPATE_ERROR_SCENE);
    CHECK_PROBLEM(
        "fluid.transfer",
        "must be one of flip, pic, apic, aflip, auto (got \"flup\"; did you mean \"flip\"?)");
    CHECK(set_string(s, "fluid.transfer", "xyzzy") == SPATE_ERROR_SCENE);
    CHECK_PROBLEM("fluid.transfer", "must be one of flip, pic, apic, aflip, auto (got \"xyzzy\")");
    CHECK(set_number(s, "frames", 1.5) == SPATE_ERROR_SCENE);
    CHECK_PROBLEM("frames", "must be a whole number (got 1.5)");
    CHECK(set_number(s, "domain.cells", 0) == SPATE_ERROR_SCENE);
    CHECK_PROBLEM("domain.cells", "must be at least 1 (got 0)");
    CHECK(set_number(s, "fluid.flip_ratio", 1.01) == SPATE_ERROR_SCENE);
    CHECK_PROBLEM("fluid.flip_ratio", "must be at most 1 (got 1.01)");
    CHECK(set_number(s, "fps", NAN) == SPATE_ERROR_SCENE);
    CHECK_PROBLEM("fps", "must be a finite number (got nan)");
    CHECK(set_number(s, "fps", -INFINITY) == SPATE_ERROR_SCENE);
    CHECK_PROBLEM("fps", "must be a finite number (got -inf)");
    CHECK(set_vector(s, "gravity", 3, 0, 0, 0) == SPATE_ERROR_SCENE);
    CHECK_PROBLEM("gravity", "must have 2 numbers in a 2D scene (got 3)");
    CHECK(set_vector(s, "gravity", 2, NAN, 0, 0) == SPATE_ERROR_SCENE);
    CHECK(set_vector(s, "domain.size", 2, 1, -1, 0) == SPATE_ERROR_SCENE);
    CHECK_PROBLEM("domain.size", "must be positive (got -1)");
    CHECK(set_vector(s, "domain.size", 4, 1, 1, 1) == SPATE_ERROR_SCENE);
    CHECK(set_string(s, "domain.sides.back", "open") == SPATE_ERROR_SCENE);
    CHECK_PROBLEM("domain.sides.back", "is for 3D scenes only: this one is 2D");
    CHECK(set_number(s, "fluid", 1) == SPATE_ERROR_SCENE);
    CHECK_PROBLEM("fluid", "must be an object with settings (got a number)");
    CHECK(set_number(s, "solids", 1) == SPATE_ERROR_SCENE);
    CHECK_PROBLEM("solids", "must be a list (got a number)");
    CHECK(set_vector(s, "solids[0].rotation", 3, 1, 2, 3) == SPATE_ERROR_SCENE);
    CHECK_PROBLEM("solids[0].rotation", "must be a number, in degrees (got a list)");
    CHECK(set_vector(s, "channels[0].initial", 5, 1, 2, 3) == SPATE_ERROR_SCENE);
    CHECK_PROBLEM("channels[0].initial", "must have 1 to 4 numbers (got 5)");
    CHECK(set_string(s, "name", "a\nb") == SPATE_ERROR_SCENE);
    CHECK(set_string(s, "name", "\xc3(") == SPATE_ERROR_SCENE);
    CHECK_PROBLEM("name", "must be UTF-8 text");
    CHECK(
        set_string(s, "name", "0123456789012345678901234567890123456789012345678901234567890123") ==
        SPATE_ERROR_SCENE);
    CHECK_PROBLEM("name", "is too long: at most 63 bytes");
    CHECK(set_string(s, "name", NULL) == SPATE_ERROR_SCENE);
    CHECK_TEXT(s->name, "untitled");
    spate_scene_destroy(s);
}

static void dimension_is_fixed_by_shapes(void)
{
    spate_scene *s = good_scene(3);
    CHECK(set_vector(s, "fill[0].rotation", 3, 1, 2, 3) == SPATE_OK &&
          s->fill.items[0].rotation[0] == 1);
    CHECK(set_vector(s, "domain.size", 2, 1, 1, 0) == SPATE_ERROR_SCENE);
    CHECK_PROBLEM(
        "domain.size",
        "must have 3 numbers (got 2): a scene that has shapes cannot change its dimension");
    CHECK(set_vector(s, "domain.size", 3, 4, 1, 1) == SPATE_OK && s->dim == 3);
    spate_scene_destroy(s);
}

static void unknown_names_get_suggestions(void)
{
    spate_scene *s = good_scene(2);
    static const char *const cases[][2] = {
        {"solids[0].raduis", "unknown setting; did you mean 'radius'?"},
        {"fluid.flip_rato", "unknown setting; did you mean 'flip_ratio'?"},
        {"presure.solver", "unknown setting; did you mean 'pressure'?"},
        {"flip_ratio", "unknown setting; did you mean 'fluid.flip_ratio'?"},
        {"domain.xyzzy",
         "unknown setting; known here: size, cells, cell_size, sides, wall, roughness"},
        {"domain.friction",
         "is gone, it depended on the cells: give a side a wall that is \"no_slip\", or \"rough\" "
         "with a roughness in metres, such as domain.wall.bottom = \"rough\" and "
         "domain.roughness.bottom = 0.002"},
        {"solids[0].friction",
         "is gone, it depended on the cells: write wall \"no_slip\", or \"rough\" with a "
         "roughness in metres, such as \"wall\": \"rough\", \"roughness\": 0.002"},
        {"solids.radius",
         "unknown setting; 'solids' is a list: name one of its items, such as solids[0].radius"},
        {"frames.count", "unknown setting; 'frames' is a single setting and has no parts"},
        {"fluid[0].seed", "unknown setting; 'fluid' cannot be numbered like this"},
        {"solids[a].radius",
         "is not the path of a setting: write it like fluid.flip_ratio or solids[2].radius"},
        {"solids[0",
         "is not the path of a setting: write it like fluid.flip_ratio or solids[2].radius"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        CHECK(set_number(s, cases[k][0], 1) == SPATE_ERROR_SCENE);
        CHECK_PROBLEM(cases[k][0], cases[k][1]);
    }
    char path[1000];
    memset(path, 'a', sizeof path);
    path[sizeof path - 1] = 0;
    CHECK(set_number(s, path, 1) == SPATE_ERROR_SCENE);
    path[200] = 0;
    CHECK(set_number(s, path, 1) == SPATE_ERROR_SCENE);
    CHECK(set_number(s, "fluid.", 1) == SPATE_ERROR_SCENE &&
          set_number(s, ".", 1) == SPATE_ERROR_SCENE);
    CHECK(s->solids.count == 0);
    spate_scene_destroy(s);
}

/* ------------------------------------------------------------------ scenes */

static void copies_are_deep(void)
{
    spate_scene *s = good_scene(2);
    spate_shape *paddle = add_sphere(s, SPATE_LIST_SOLIDS, 0.25);
    for (int k = 0; k < 5; k++)
        spate_shape_add_keyframe(paddle)->time = k;
    for (int k = 0; k < 9; k++)
        add_sphere(s, SPATE_LIST_FILL, k + 1);
    strcpy(spate_scene_add_channel(s)->name, "age");
    spate_scene *copy = spate_scene_copy(s);
    s->solids.items[0].motion[4].time = 99;
    s->fill.items[8].radius = 99;
    s->channels[0].components = 4;
    CHECK(copy->solids.items[0].motion_count == 5 && copy->solids.items[0].motion[4].time == 4);
    CHECK(copy->fill.count == 9 && copy->fill.items[8].radius == 9 &&
          copy->channels[0].components == 1);
    /* what a caller left in the third numbers of a 2D scene reads as 0 in the copy */
    CHECK(isnan(s->solids.items[0].center[2]) && copy->solids.items[0].center[2] == 0);
    CHECK(isnan(copy->solids.items[0].min[0]));
    /* and both can grow on */
    CHECK(spate_shape_add_keyframe(&copy->solids.items[0])->time == 0);
    CHECK(spate_scene_add_shape(copy, SPATE_LIST_FILL) && copy->fill.count == 10 &&
          copy->fill.items[8].radius == 9);
    CHECK(spate_scene_add_channel(copy) && copy->channel_count == 2);
    spate_scene_destroy(s);
    spate_scene_destroy(copy);
    spate_scene_destroy(NULL);
    CHECK(spate_scene_copy(NULL) == NULL);
}

static void no_memory_leaves_no_damage(void)
{
    spate_scene *s = good_scene(3);
    spate_shape_add_keyframe(add_sphere(s, SPATE_LIST_SOLIDS, 0.25))->time = 1;
    spate_scene_add_channel(s);
    bool failed_once = false, copied = false;
    for (int n = 1; n < 20 && !copied; n++) {
        sp_alloc_fail_at((uint64_t)n);
        spate_scene *copy = spate_scene_copy(s);
        sp_alloc_fail_at(0);
        failed_once = failed_once || !copy;
        copied = copy != NULL;
        spate_scene_destroy(copy);
    }
    CHECK(failed_once && copied);
    sp_alloc_fail_at(1);
    CHECK(spate_scene_create() == NULL);
    CHECK(spate_scene_add_shape(s, SPATE_LIST_FILL) == NULL && s->fill.count == 0);
    CHECK(set_number(s, "solids[1].radius", 1) == SPATE_ERROR_MEMORY && s->solids.count == 1);
    CHECK(check(s) == SPATE_ERROR_MEMORY);
    sp_alloc_fail_at(0);
    spate_scene_destroy(s);
}

/* ------------------------------------------------------------------ checks */

static void check_accepts(void)
{
    for (int dim = 2; dim <= 3; dim++) {
        spate_scene *s = good_scene(dim);
        CHECK(check(s) == SPATE_OK);
        add_sphere(s, SPATE_LIST_FILL, 0.25);
        add_sphere(s, SPATE_LIST_SOLIDS, 0.25);
        CHECK(check(s) == SPATE_OK);
        CHECK_TEXT(warnings, "");
        CHECK(spate_scene_check(s, NULL, NULL, NULL) == SPATE_OK);
        spate_scene_destroy(s);
    }
}

static void check_domain(void)
{
    spate_scene *s = spate_scene_create();
    CHECK(check(s) == SPATE_ERROR_SCENE);
    CHECK_PROBLEM("domain.size",
                  "is required: [width, height] in metres for 2D, [width, height, depth] for 3D");
    s->dim = 4;
    CHECK(check(s) == SPATE_ERROR_SCENE);
    spate_scene_destroy(s);

    s = good_scene(2);
    s->domain.size[1] = 0.7;
    s->domain.cells = 20; /* dx = 0.1 */
    CHECK(check(s) == SPATE_OK);
    CHECK_TEXT(warnings, "");
    CHECK(sp_scene_cells(s, 0) == 20 && sp_scene_cells(s, 1) == 7);
    CHECK(!sp_scene_has_cut_sides(s) && sp_scene_extent(s, 1) == 7 * sp_scene_cell_size(s));
    const double odd[] = {0.74, 0.7002, 0.7998};
    for (int k = 0; k < 3; k++) { /* a wall between two faces, and a cell behind it */
        s->domain.size[1] = odd[k];
        CHECK(check(s) == SPATE_OK);
        CHECK_TEXT(warnings, "");
        CHECK(sp_scene_has_cut_sides(s) && sp_scene_cells(s, 1) == 9 &&
              sp_scene_extent(s, 1) == odd[k]);
    }
    s->domain.size[1] = 0.70000001;
    CHECK(!sp_scene_has_cut_sides(s) && sp_scene_cells(s, 1) == 7);
    s->domain.size[1] = 0.74;
    s->pressure.solids = SPATE_SOLID_MODEL_VOXEL;
    CHECK(check(s) == SPATE_OK && !sp_scene_has_cut_sides(s) && sp_scene_cells(s, 1) == 7);
    CHECK_TEXT(warnings, "domain.size: is no whole number of cells along y: with voxel solids the "
                         "wall stands at 0.7 m, not 0.74 m (7 cells of 0.1 m)\n");
    s->pressure.solids = SPATE_SOLID_MODEL_CUT;
    s->domain.sides[1][1] = SPATE_SIDE_OPEN;
    CHECK(check(s) == SPATE_OK && !sp_scene_has_cut_sides(s) && sp_scene_cells(s, 1) == 7);
    CHECK_TEXT(warnings,
               "domain.size: is no whole number of cells along y: the open side stands at "
               "0.7 m, not 0.74 m (7 cells of 0.1 m)\n");
    s->domain.sides[1][0] = s->domain.sides[1][1] = SPATE_SIDE_PERIODIC;
    CHECK(check(s) == SPATE_ERROR_SCENE);
    CHECK_PROBLEM(
        "domain.size",
        "must be a whole number of cells along y, which is periodic: 0.74 m are 7.4 cells "
        "of 0.1 m; the nearest is 0.7 m, or use cells of 0.105714286 m "
        "(domain.cell_size)");
    s->domain.cell_size = 0.105714286; /* as it says; x is a wall, and has its size */
    CHECK(check(s) == SPATE_OK && sp_scene_extent(s, 0) == 2);
    s->domain.cell_size = 0;
    s->domain.sides[1][0] = s->domain.sides[1][1] = SPATE_SIDE_WALL;
    s->domain.size[1] = 0.01;
    CHECK(check(s) == SPATE_OK && sp_scene_cells(s, 1) == 2 && sp_scene_extent(s, 1) == 0.01);
    s->domain.cell_size = 1e-5;
    CHECK(check(s) == SPATE_ERROR_SCENE);
    CHECK_PROBLEM("domain.cell_size",
                  "gives 200000 cells along x, at most 16384 are possible: use larger cells");
    s->domain.cell_size = NAN;
    CHECK(check(s) == SPATE_ERROR_SCENE);
    CHECK_PROBLEM("domain.cell_size", "must be a finite number (got nan)");
    spate_scene_destroy(s);

    s = good_scene(3);
    s->domain.cells = 4096;
    CHECK(check(s) == SPATE_ERROR_SCENE);
    CHECK_PROBLEM(
        "domain.cells",
        "gives 17179869184 cells in all, at most 2147483647 are possible: use larger cells");
    s->domain.cells = 20000;
    CHECK(check(s) == SPATE_ERROR_SCENE);
    CHECK_PROBLEM("domain.cells", "must be at most 16384 (got 20000)");
    spate_scene_destroy(s);
}

static void check_sides_and_time(void)
{
    spate_scene *s = good_scene(2);
    s->domain.sides[0][1] = SPATE_SIDE_PERIODIC;
    CHECK(check(s) == SPATE_ERROR_SCENE);
    CHECK_PROBLEM("domain.sides.right", "is periodic, but 'left' is not: both must be, or neither");
    s->domain.sides[0][0] = SPATE_SIDE_PERIODIC;
    s->domain.sides[2][0] = SPATE_SIDE_PERIODIC; /* there is no z in 2D */
    CHECK(check(s) == SPATE_OK);
    s->dim = 3;
    s->domain.size[2] = 1;
    CHECK(check(s) == SPATE_ERROR_SCENE);
    CHECK_TEXT(problem.where, "domain.sides.back");
    s->domain.sides[2][0] = (spate_side)7;
    CHECK(check(s) == SPATE_ERROR_SCENE);
    CHECK_PROBLEM("domain.sides.back", "must be one of wall, open, periodic (got 7)");
    s->domain.sides[2][0] = SPATE_SIDE_WALL;

    s->time.min_substeps = 65;
    CHECK(check(s) == SPATE_ERROR_SCENE);
    CHECK_PROBLEM("time.min_substeps", "must not exceed time.max_substeps (64; got 65)");
    s->time.min_substeps = 1;
    s->time.dt = 0.5;
    CHECK(check(s) == SPATE_OK && strstr(warnings, "time.dt: is longer than a frame"));
    s->time.dt = 1e-9;
    CHECK(check(s) == SPATE_ERROR_SCENE);
    CHECK_TEXT(problem.where, "time.dt");
    s->time.dt = 0.01;
    CHECK(check(s) == SPATE_OK);
    CHECK_TEXT(warnings, "");
    s->time.cfl = 50;
    CHECK(check(s) == SPATE_OK && strstr(warnings, "time.cfl: is large"));
    s->time.cfl = 2;
    s->gravity[1] = -1000;
    CHECK(check(s) == SPATE_OK && strstr(warnings, "time.dt: is long"));
    s->pressure.solver = SPATE_SOLVER_JACOBI;
    s->pressure.relaxation = 1.2;
    CHECK(check(s) == SPATE_ERROR_SCENE);
    CHECK_TEXT(problem.where, "pressure.relaxation");
    spate_scene_destroy(s);
}

static void check_shapes_have_what_they_need(void)
{
    static const struct {
        spate_shape_kind kind;
        const char *where, *message;
    } cases[] = {
        {SPATE_SHAPE_BOX, "solids[0].min", "is required for a box"},
        {SPATE_SHAPE_SPHERE, "solids[0].center", "is required for a sphere"},
        {SPATE_SHAPE_CAPSULE, "solids[0].radius", "is required for a capsule"},
        {SPATE_SHAPE_CYLINDER, "solids[0].radius", "is required for a cylinder"},
        {SPATE_SHAPE_PLANE, "solids[0].point", "is required for a plane"},
    };
    for (int dim = 2; dim <= 3; dim++) {
        spate_scene *s = good_scene(dim);
        spate_shape *shape = spate_scene_add_shape(s, SPATE_LIST_SOLIDS);
        for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
            shape->shape = cases[k].kind;
            CHECK(check(s) == SPATE_ERROR_SCENE);
            CHECK_PROBLEM(cases[k].where, cases[k].message);
        }
        shape->shape = SPATE_SHAPE_MESH;
        CHECK(check(s) == SPATE_ERROR_SCENE);
        CHECK_TEXT(problem.where, dim == 2 ? "solids[0].shape" : "solids[0].file");
        shape->shape = SPATE_SHAPE_PARTICLES;
        CHECK(check(s) == SPATE_ERROR_SCENE);
        CHECK_PROBLEM("solids[0].shape",
                      "must be one of box, sphere, capsule, cylinder, plane, mesh (got 6)");
        shape->shape = SPATE_SHAPE_BOX;
        spate_scene_add_shape(s, SPATE_LIST_FILL)->shape = SPATE_SHAPE_PARTICLES;
        CHECK(check(s) == SPATE_ERROR_SCENE);
        s->solids.count = 0;
        CHECK(check(s) == SPATE_ERROR_SCENE);
        CHECK_PROBLEM("fill[0].file", "is required for particles");
        spate_scene_destroy(s);
    }
}

static void check_degenerate_shapes(void)
{
    for (int dim = 2; dim <= 3; dim++) {
        spate_scene *s = good_scene(dim);
        spate_shape *shape = spate_scene_add_shape(s, SPATE_LIST_SOLIDS);
        for (int d = 0; d < dim; d++) {
            shape->min[d] = shape->from[d] = shape->to[d] = shape->point[d] = 0.25;
            shape->max[d] = d == dim - 1 ? 0.25 : 0.75;
            shape->normal[d] = 0;
        }
        CHECK(check(s) == SPATE_ERROR_SCENE);
        CHECK_PROBLEM("solids[0].max",
                      dim == 2 ? "must be greater than min along y (min 0.25, max 0.25)"
                               : "must be greater than min along z (min 0.25, max 0.25)");
        shape->max[dim - 1] = NAN;
        CHECK(check(s) == SPATE_ERROR_SCENE);
        CHECK_PROBLEM("solids[0].max", "must be a finite number (got nan)");
        shape->max[dim - 1] = 0.75;
        shape->radius = 0.25;
        shape->shape = SPATE_SHAPE_CAPSULE;
        CHECK(check(s) == SPATE_ERROR_SCENE);
        CHECK_TEXT(problem.where, "solids[0].to");
        shape->shape = SPATE_SHAPE_PLANE;
        CHECK(check(s) == SPATE_ERROR_SCENE);
        CHECK_PROBLEM("solids[0].normal", "must not be zero");
        shape->normal[2] = 1; /* counts in 3D only */
        CHECK((check(s) == SPATE_OK) == (dim == 3));
        shape->shape = SPATE_SHAPE_BOX;
        CHECK(check(s) == SPATE_OK &&
              strstr(warnings, "solids[0].radius: means nothing to a box and is ignored\n"));
        spate_scene_destroy(s);
    }
}

static void check_thin_shapes(void)
{
    spate_scene *s = good_scene(3); /* dx = 1/32 */
    spate_shape *shape = spate_scene_add_shape(s, SPATE_LIST_SOLIDS);
    for (int d = 0; d < 3; d++)
        shape->min[d] = 0.25, shape->max[d] = 0.75;
    shape->max[1] = 0.25 + 1.5 / 32;
    CHECK(check(s) == SPATE_OK);
    CHECK_TEXT(
        warnings,
        "solids[0]: is 1.5 cells thick, less than 2: velocities may mix across it; use smaller cells or a "
        "thicker shape\n");
    shape->max[1] = 0.25 + 2.0 / 32;
    CHECK(check(s) == SPATE_OK);
    CHECK_TEXT(warnings, "");
    add_sphere(s, SPATE_LIST_FILL, 0.5 / 32);
    CHECK(check(s) == SPATE_OK && strstr(warnings, "fill[0]: is 1 cells thick, less than 2"));
    s->fill.items[0].invert = true;
    CHECK(check(s) == SPATE_OK);
    CHECK_TEXT(warnings, "");
    spate_scene_destroy(s);
}

/* Solids that are alike, as copies are, have one warning. */
static void check_roughness(void)
{
    spate_scene *s = good_scene(2); /* dx = 1/32 */
    for (int k = 0; k < 3; k++) {
        spate_shape *ball = add_sphere(s, SPATE_LIST_SOLIDS, 0.25);
        ball->wall = SPATE_WALL_ROUGH;
        ball->roughness = k < 2 ? 15.5 / 32 : 15.0 / 32;
    }
    CHECK(check(s) == SPATE_OK);
    CHECK_TEXT(warnings,
               "solids[0].roughness: is 15.5 cells, here and at 1 more alike: the log law holds "
               "above half of it; what is rougher than that is a shape, not a roughness\n");
    spate_scene_destroy(s);
}

static void check_motion(void)
{
    spate_scene *s = good_scene(2);
    spate_shape *shape = add_sphere(s, SPATE_LIST_SOLIDS, 0.25);
    spate_shape_add_keyframe(shape)->time = 1;
    spate_shape_add_keyframe(shape)->time = 1;
    CHECK(check(s) == SPATE_ERROR_SCENE);
    CHECK_PROBLEM("solids[0].motion[1].time",
                  "must be later than the key before it (1 s; got 1 s)");
    shape->motion[1].time = 2;
    shape->motion[1].rotation[2] = 270;
    CHECK(check(s) == SPATE_OK); /* angles are linear between keys: any turn is meant */
    CHECK_TEXT(warnings, "");
    shape->motion[1].rotation[2] = INFINITY;
    CHECK(check(s) == SPATE_ERROR_SCENE);
    CHECK_TEXT(problem.where, "solids[0].motion[1].rotation");
    s->solids.count = 0;
    spate_shape_add_keyframe(add_sphere(s, SPATE_LIST_FILL, 0.25));
    CHECK(check(s) == SPATE_ERROR_SCENE);
    CHECK_PROBLEM("fill[0].motion", "only solids can move");
    s->solids.count = 1;
    spate_scene_destroy(s);
}

static void check_names_and_inflows(void)
{
    spate_scene *s = good_scene(2);
    strcpy(add_sphere(s, SPATE_LIST_FILL, 0.25)->name, "ball");
    add_sphere(s, SPATE_LIST_SOLIDS, 0.25);
    add_sphere(s, SPATE_LIST_SOLIDS, 0.25);
    CHECK(check(s) == SPATE_OK);
    strcpy(s->solids.items[1].name, "ball");
    CHECK(check(s) == SPATE_ERROR_SCENE);
    CHECK_PROBLEM("solids[1].name", "is the name of fill[0] already (\"ball\")");
    memset(s->solids.items[1].name, 'x', sizeof s->solids.items[1].name); /* no end */
    CHECK(check(s) == SPATE_ERROR_SCENE);
    CHECK_PROBLEM("solids[1].name", "is too long: at most 63 bytes");
    s->solids.items[1].name[0] = 0;
    add_sphere(s, SPATE_LIST_INFLOWS, 0.25);
    CHECK(check(s) == SPATE_OK && strstr(warnings, "inflows[0].velocity: is zero"));
    s->inflows.items[0].velocity[0] = 1;
    CHECK(check(s) == SPATE_OK);
    CHECK_TEXT(warnings, "");
    spate_scene_destroy(s);
}

static void check_channels(void)
{
    static const char *const bad[] = {"", "2nd", "a b", "a-b", "caf\xc3\xa9", "x", "id", "age"};
    spate_scene *s = good_scene(2);
    spate_scene_add_channel(s);
    spate_scene_add_channel(s);
    strcpy(s->channels[0].name, "age");
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        strcpy(s->channels[1].name, bad[k]);
        CHECK(check(s) == SPATE_ERROR_SCENE);
        CHECK_TEXT(problem.where, "channels[1].name");
    }
    strcpy(s->channels[1].name, "_tint2");
    s->channels[1].components = 2;
    s->channels[1].initial[1] = 1;
    CHECK(check(s) == SPATE_OK);
    s->channels[1].initial[2] = 1;
    CHECK(check(s) == SPATE_ERROR_SCENE);
    CHECK_PROBLEM("channels[1].initial", "has more numbers than the channel has components (2)");
    s->channels[1].components = 5;
    CHECK(check(s) == SPATE_ERROR_SCENE);
    CHECK_PROBLEM("channels[1].components", "must be at most 4 (got 5)");
    s->channels[1].components = 3;
    s->channels[0].components = 2;
    CHECK(check(s) == SPATE_ERROR_SCENE);
    CHECK_PROBLEM("channels[0].components", "must be 1 for \"age\" (got 2)");
    spate_scene_destroy(s);
}

TESTS(schema)
{
    TEST(defaults_are_those_of_the_header);
    TEST(table_is_consistent);
    TEST(lists_have_only_what_means_something);
    TEST(set_stores);
    TEST(set_refuses);
    TEST(dimension_is_fixed_by_shapes);
    TEST(unknown_names_get_suggestions);
    TEST(copies_are_deep);
    TEST(no_memory_leaves_no_damage);
    TEST(check_accepts);
    TEST(check_domain);
    TEST(check_sides_and_time);
    TEST(check_shapes_have_what_they_need);
    TEST(check_degenerate_shapes);
    TEST(check_thin_shapes);
    TEST(check_roughness);
    TEST(check_motion);
    TEST(check_names_and_inflows);
    TEST(check_channels);
}
