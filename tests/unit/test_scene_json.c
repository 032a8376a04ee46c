/* test_scene_json.c -- scenes from JSON, assignments, and scenes as text. */
#include "../fuzz/same_scene.h"
#include "test.h"

#include <spate/spate_io.h>

#include "base/memory.h"
#include "scene/schema.h"

#include <locale.h>
#include <stdlib.h>
#include <unistd.h>

#ifndef SPATE_SOURCE
#define SPATE_SOURCE "."
#endif

static spate_error problem;

static spate_scene *parse(const char *text)
{
    memset(&problem, 0, sizeof problem);
    return spate_scene_parse(text, strlen(text), NULL, &problem);
}

static spate_status assign(spate_scene *scene, const char *assignment)
{
    memset(&problem, 0, sizeof problem);
    return spate_scene_assign(scene, assignment, &problem);
}

#define CHECK_PROBLEM(where_text, message_text)    \
    do {                                           \
        CHECK_TEXT(problem.where, where_text);     \
        CHECK_TEXT(problem.message, message_text); \
    } while (0)

#define SCENE_2D "{\"domain\": {\"size\": [2, 1], \"cells\": 32}"
#define SCENE_3D "{\"domain\": {\"size\": [2, 1, 1], \"cells\": 32}"

/* The text of a scene reads back to the same values, and that scene has the same text. */
static void check_round_trip(const spate_scene *scene)
{
    char *text = spate_scene_text(scene);
    CHECK(text != NULL);
    spate_scene *again = parse(text);
    CHECK_TEXT(problem.message, "");
    if (again) {
        char *second = spate_scene_text(again);
        char different[256];
        same_scene(scene, again, different, sizeof different);
        CHECK_TEXT(different, "");
        CHECK_TEXT(second, text);
        spate_free(second);
    }
    spate_scene_destroy(again);
    spate_free(text);
}

/* ------------------------------------------------------------------ reading */

static void reads_every_kind_of_value(void)
{
    spate_scene *s = parse(
        "\xef\xbb\xbf" SCENE_2D
        ", \"name\": \"caf\xc3\xa9\", \"frames\": 5.0, \"fps\": 24, \"gravity\": [1, -2.5],"
        "\"output\": {\"preview\": false, \"particles\": \"none\"}, \"fluid\": {},"
        "\"solids\": [{}, {\"motion\": [{\"time\": 1, \"rotation\": 45}, {}], \"rotation\": -30}],"
        "\"channels\": [{\"initial\": [1, 2], \"components\": 2, \"name\": \"tint\"}]}");
    CHECK_TEXT(problem.message, "");
    if (!s)
        return;
    CHECK(s->dim == 2 && s->frames == 5 && s->fps == 24 && s->gravity[1] == -2.5 &&
          s->gravity[2] == 0);
    CHECK(!s->output.preview && s->output.particles == SPATE_OUTPUT_PARTICLES_NONE &&
          s->solids.count == 2);
    CHECK(s->solids.items[1].motion_count == 2 && s->solids.items[1].motion[0].rotation[2] == 45);
    CHECK(s->solids.items[1].rotation[2] == -30 && s->channels[0].initial[1] == 2 &&
          s->channels[0].components == 2);
    CHECK_TEXT(s->name, "caf\xc3\xa9");
    check_round_trip(s);
    spate_scene_destroy(s);
}

/* The group `fluid` was called `liquid` before 0.2. */
static void reads_the_old_name_of_fluid(void)
{
    spate_scene *s =
        parse(SCENE_2D ", \"liquid\": {\"flip_ratio\": 0.25, \"transfer\": \"apic\"}}");
    CHECK_TEXT(problem.message, "");
    CHECK(s && s->fluid.flip_ratio == 0.25 && s->fluid.transfer == SPATE_TRANSFER_APIC);
    CHECK(s && assign(s, "liquid.flip_ratio=0.5") == SPATE_OK && s->fluid.flip_ratio == 0.5);
    CHECK(s && assign(s, "liquids.seed=1") == SPATE_ERROR_SCENE);
    check_round_trip(s);
    spate_scene_destroy(s);
    CHECK(!parse(SCENE_2D ", \"liquid\": {}, \"fluid\": {}}"));
    CHECK_TEXT(problem.where, "liquid");
    CHECK(!parse(SCENE_2D ", \"liquid\": {\"flip_rato\": 1}}"));
    CHECK_TEXT(problem.message, "unknown setting; did you mean 'flip_ratio'?");
}

/* Vectors may stand in front of the size that gives the dimension. */
static void size_may_come_last(void)
{
    spate_scene *s = parse("{\"gravity\": [0, -1], \"fill\": [{\"min\": [0, 0]}],"
                           "\"domain\": {\"cells\": 3, \"size\": [1, 2]}}");
    CHECK(s && s->dim == 2 && s->gravity[1] == -1 && s->fill.items[0].min[1] == 0);
    spate_scene_destroy(s);
    s = parse("{\"gravity\": [0, -1, 2], \"domain\": {\"size\": [1, 2, 3]}}");
    CHECK(s && s->dim == 3 && s->gravity[2] == 2);
    spate_scene_destroy(s);
}

static void refuses(void)
{
    static const char *const cases[][3] = {
        {"", "line 1, column 0", "'[' or '{' expected near end of file"},
        {"{\n  \"domain\": 1\n  \"frames\": 3}", "line 3, column 3",
         "'}' expected near '\"frames\"'"},
        {"{\"n\xc3\xa9\": 1 x}", "line 1, column 10", "'}' expected near 'x'"},
        {"[]", "", "a scene must be an object (got a list)"},
        {"{\"doman\": {}}", "doman", "unknown setting; did you mean 'domain'?"},
        {"{\"fluid.seed\": 1}", "fluid.seed",
         "unknown setting; a key is one name, and the settings of a group stand in an object"},
        {"{\"\": 1}", "",
         "unknown setting; a key is one name, and the settings of a group stand in an object"},
        {"{}", "domain.size",
         "is required: [width, height] in metres for 2D, [width, height, depth] for 3D"},
        {"{\"domain\": {\"size\": 1}}", "domain.size",
         "must be a list of 2 or 3 numbers (got a number)"},
        {"{\"domain\": {\"size\": [1]}}", "domain.size",
         "must have 2 numbers (2D) or 3 (3D) (got 1)"},
        {"{\"domain\": [1, 1]}", "domain.size",
         "is required: [width, height] in metres for 2D, [width, height, depth] for 3D"},
        {SCENE_2D ", \"fill\": [{\"min\": [0, 0, 0]}]}", "fill[0].min",
         "must have 2 numbers in a 2D scene (got 3)"},
        {SCENE_3D ", \"fill\": [{\"min\": [0, 0]}]}", "fill[0].min",
         "must have 3 numbers in a 3D scene (got 2)"},
        {SCENE_3D ", \"fill\": [{\"rotation\": 1}]}", "fill[0].rotation",
         "must be a list of 3 numbers, in degrees (got a number)"},
        {SCENE_2D ", \"gravity\": [0, null]}", "gravity",
         "must be a list of 2 numbers (got a list that holds null)"},
        {SCENE_2D ", \"gravity\": [1,2,3,4,5,6,7,8,9]}", "gravity",
         "must have 2 numbers in a 2D scene (got 9)"},
        {SCENE_2D ", \"solids\": {}}", "solids", "must be a list (got an object)"},
        {SCENE_2D ", \"solids\": [[]]}", "solids[0]", "must be an object (got a list)"},
        {SCENE_2D ", \"solids\": [{}, {\"motion\": [{\"tme\": 1}]}]}", "solids[1].motion[0].tme",
         "unknown setting; did you mean 'time'?"},
        {SCENE_2D ", \"fluid\": null}", "fluid", "must be an object (got null)"},
        {SCENE_2D ", \"frames\": {\"a\": 1}}", "frames", "must be a whole number (got an object)"},
        {SCENE_2D ", \"output\": {\"preview\": 1}}", "output.preview",
         "must be true or false (got a number)"},
        {SCENE_2D ", \"name\": true}", "name", "must be a string (got true)"},
        {SCENE_2D ", \"fill\": [{\"roughness\": 1}]}", "fill[0].roughness",
         "unknown setting; did you mean 'solids[].roughness'?"},
        {SCENE_2D ", \"frames\": 99999999999999999999}", "line 1, column 53",
         "too big integer near '99999999999999999999'"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        spate_scene *scene = parse(cases[k][0]);
        CHECK(scene == NULL && problem.status == SPATE_ERROR_SCENE);
        CHECK_PROBLEM(cases[k][1], cases[k][2]);
        spate_scene_destroy(scene);
        CHECK(spate_scene_parse(cases[k][0], strlen(cases[k][0]), "", NULL) == NULL);
    }
}

/* Nesting and lists without end are refused, not followed. */
static void refuses_what_is_too_deep_or_too_long(void)
{
    enum { MANY = 200000 };
    char *text = malloc(3 * MANY + 200);
    memset(text, '[', MANY);
    text[MANY] = 0;
    CHECK(parse(text) == NULL && problem.status == SPATE_ERROR_SCENE);
    size_t used = (size_t)sprintf(text, SCENE_2D ", \"solids\": [{}");
    for (int k = 0; k < 5000; k++)
        used += (size_t)sprintf(text + used, ",{}");
    sprintf(text + used, "]}");
    CHECK(parse(text) == NULL);
    CHECK_PROBLEM("solids", "has too many items: at most 4096");
    used = (size_t)sprintf(text, SCENE_2D ", \"gravity\": [0");
    for (int k = 0; k < MANY; k++)
        used += (size_t)sprintf(text + used, ",0");
    sprintf(text + used, "]}");
    CHECK(parse(text) == NULL);
    CHECK_PROBLEM("gravity", "must have 2 numbers in a 2D scene (got 200001)");
    free(text);
}

static void bad_files(void)
{
    static const struct {
        const char *file;
        spate_status status;
        const char *where, *message; /* message: how it begins */
    } cases[] = {
        {"broken", SPATE_ERROR_SCENE, "line 3, column 3", "'}' expected near"},
        {"trailing_garbage", SPATE_ERROR_SCENE, "line 2, column 1",
         "end of file expected near 'x'"},
        {"duplicate_key", SPATE_ERROR_SCENE, "line 1, column 46",
         "duplicate object key near '\"frames\"'"},
        {"not_an_object", SPATE_ERROR_SCENE, "", "a scene must be an object (got a list)"},
        {"not_finite", SPATE_ERROR_SCENE, "line 1, column 40", "invalid token near 'NaN'"},
        {"too_large_number", SPATE_ERROR_SCENE, "line 1, column 40",
         "real number overflow near '1e999'"},
        {"no_domain", SPATE_ERROR_SCENE, "domain.size", "is required"},
        {"unknown_key", SPATE_ERROR_SCENE, "solids[0].raduis",
         "unknown setting; did you mean 'radius'?"},
        {"wrong_type", SPATE_ERROR_SCENE, "fluid.flip_ratio", "must be a number (got a string)"},
        {"wrong_choice", SPATE_ERROR_SCENE, "fluid.transfer",
         "must be one of flip, pic, apic, aflip, auto (got \"flup\"; did"},
        {"wrong_dimension", SPATE_ERROR_SCENE, "fill[0].min",
         "must have 2 numbers in a 2D scene (got 3)"},
        {"negative_size", SPATE_ERROR_SCENE, "domain.size", "must be positive (got -1)"},
        {"zero_cells", SPATE_ERROR_SCENE, "domain.cells", "must be at least 1 (got 0)"},
        {"null_setting", SPATE_ERROR_SCENE, "solids", "must be a list (got null)"},
        {"missing_mesh", SPATE_ERROR_FILE, "solids[0].file",
         SPATE_SOURCE "/tests/data/bad/nowhere.obj: cannot be opened"},
        {"open_mesh", SPATE_ERROR_SCENE, "solids[0].file", SPATE_SOURCE "/tests/data/bad/open.obj"},
        {"missing_radius", SPATE_ERROR_SCENE, "solids[0].radius", "is required for a sphere"},
        {"one_periodic_side", SPATE_ERROR_SCENE, "domain.sides.left",
         "is periodic, but 'right' is not"},
        {"too_many_cells", SPATE_ERROR_SCENE, "domain.cells", "gives 68719476736 cells in all"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/tests/data/bad/%s.json", SPATE_SOURCE, cases[k].file);
        memset(&problem, 0, sizeof problem);
        spate_scene *scene = spate_scene_read(path, &problem);
        if (scene)
            CHECK(spate_scene_check(scene, NULL, NULL, &problem) != SPATE_OK);
        CHECK(problem.status == cases[k].status);
        CHECK_TEXT(problem.where, cases[k].where);
        problem.message[strlen(cases[k].message)] = 0;
        CHECK_TEXT(problem.message, cases[k].message);
        spate_scene_destroy(scene);
    }
    CHECK(spate_scene_read(SPATE_SOURCE "/nowhere/at_all.json", &problem) == NULL);
    CHECK(problem.status == SPATE_ERROR_FILE);
    CHECK_TEXT(problem.where, SPATE_SOURCE "/nowhere/at_all.json");
}

/* ------------------------------------------------------------------ presets, files of shapes */

static void unexpected(void *user, spate_log_level level, const char *where, const char *message)
{
    (void)level;
    printf("  %s: %s: %s\n", (const char *)user, where, message);
    CHECK(!"a preset has no warnings");
}

static void presets_are_good_scenes(void)
{
    static const char *const names[] = {"dam_break", "dam_break_2d", "double_dam_2d",  "drop",
                                        "drop_2d",   "pillars",      "hydrostatic_2d", "channel_2d",
                                        "stream_2d", "paddle_2d",    "mesh_obstacle"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/scenes/%s.json", SPATE_SOURCE, names[k]);
        memset(&problem, 0, sizeof problem);
        spate_scene *scene = spate_scene_read(path, &problem);
        CHECK_TEXT(problem.message, "");
        if (!scene)
            continue;
        CHECK(spate_scene_check(scene, unexpected, (void *)names[k], &problem) == SPATE_OK);
        CHECK((strstr(names[k], "_2d") != NULL) == (scene->dim == 2));
        check_round_trip(scene);
        spate_scene_destroy(scene);
    }
}

/* The text of a scene names its meshes so that they are found from any folder; one file is loaded
 * once. */
static void files_are_found_from_anywhere(void)
{
    const char *text =
        SCENE_3D ", \"solids\": [{\"shape\": \"mesh\", \"file\": \"meshes/rock.obj\"},"
                 "{\"shape\": \"mesh\", \"file\": \"../scenes/meshes/rock.obj\", \"scale\": 2}]}";
    memset(&problem, 0, sizeof problem);
    spate_scene *scene = spate_scene_parse(text, strlen(text), SPATE_SOURCE "/scenes", &problem);
    CHECK_TEXT(problem.message, "");
    if (!scene)
        return;
    const spate_shape *rocks = scene->solids.items;
    CHECK(rocks[0].mesh && rocks[0].mesh == rocks[1].mesh && rocks[0].file[0] == '/');
    CHECK_TEXT(rocks[0].file, rocks[1].file);
    char here[4096];
    CHECK(getcwd(here, sizeof here) && chdir("/") == 0);
    check_round_trip(scene);
    CHECK(chdir(here) == 0);
    CHECK(spate_scene_check(scene, NULL, NULL, &problem) == SPATE_OK);
    /* another file name forgets the mesh, and the assignment looks for the new one */
    CHECK(assign(scene, "solids[1].file=/nowhere/rock.obj") == SPATE_ERROR_FILE);
    CHECK_TEXT(problem.where, "solids[1].file");
    CHECK(!scene->solids.items[1].mesh && scene->solids.items[0].mesh);
    spate_scene_destroy(scene);
}

/* ------------------------------------------------------------------ assignments */

static void assigns(void)
{
    spate_scene *s = parse(SCENE_2D "}");
    CHECK(assign(s, "fluid.flip_ratio=0.5") == SPATE_OK && s->fluid.flip_ratio == 0.5);
    CHECK(assign(s, "fluid.flip_ratio=.25") == SPATE_OK && s->fluid.flip_ratio == 0.25);
    CHECK(assign(s, "fluid.transfer=apic") == SPATE_OK && s->fluid.transfer == SPATE_TRANSFER_APIC);
    CHECK(assign(s, "fluid.transfer=\"pic\"") == SPATE_OK &&
          s->fluid.transfer == SPATE_TRANSFER_PIC);
    CHECK(assign(s, "output.preview=false") == SPATE_OK && !s->output.preview);
    CHECK(assign(s, "gravity=[1, 2]") == SPATE_OK && s->gravity[1] == 2);
    CHECK(assign(s, "name=12") == SPATE_OK);
    CHECK_TEXT(s->name, "12");
    CHECK(assign(s, "name=a = b") == SPATE_OK);
    CHECK_TEXT(s->name, "a = b");
    CHECK(assign(s, "name=") == SPATE_OK && s->name[0] == 0);
    CHECK(assign(s, "solids[0]={\"shape\": \"sphere\", \"center\": [1, 0.5]}") == SPATE_OK &&
          s->solids.count == 1);
    CHECK(assign(s, "solids[0].radius=0.25") == SPATE_OK && s->solids.items[0].radius == 0.25);
    CHECK(assign(s, "solids[0].motion=[{\"time\": 1}, {\"time\": 2}]") == SPATE_OK);
    CHECK(s->solids.items[0].motion_count == 2 && s->solids.items[0].motion[1].time == 2);
    CHECK(assign(s, "pressure={\"solver\": \"jacobi\", \"max_iterations\": 7}") == SPATE_OK);
    CHECK(s->pressure.solver == SPATE_SOLVER_JACOBI && s->pressure.max_iterations == 7);
    CHECK(assign(s, "solids=[]") == SPATE_OK && s->solids.count == 0);
    CHECK(assign(s, "domain.size=[1, 1, 1]") == SPATE_OK && s->dim == 3);
    spate_scene_destroy(s);
}

static void assign_refuses(void)
{
    static const char *const cases[][3] = {
        {"fps=inf", "fps", "must be a finite number (got inf)"},
        {"fps=nan", "fps", "must be a finite number (got nan)"},
        {"fps=fast", "fps", "must be a number (got a string)"},
        {"fps=", "fps", "must be a number (got a string)"},
        {"fluid.flip_rato=1", "fluid.flip_rato", "unknown setting; did you mean 'flip_ratio'?"},
        {"fluid={\"flip_rato\": 1}", "fluid.flip_rato",
         "unknown setting; did you mean 'flip_ratio'?"},
        {"gravity=[1,", "gravity", "its value is not valid JSON: ']' expected near end of file"},
        {"fluid=x", "fluid", "its value is not valid JSON: invalid token near 'x'"},
        {"solids[2]={}", "solids[2]", "there is no such item: the list has 0"},
        {"solids[0].motion=[]", "solids[0].motion",
         "is a list of objects: set what is in them, such as solids[0].motion[0].time"},
        {"solids=[3]", "solids[0]", "must be an object (got a number)"},
    };
    spate_scene *s = parse(SCENE_2D "}");
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        CHECK(assign(s, cases[k][0]) == SPATE_ERROR_SCENE);
        CHECK_PROBLEM(cases[k][1], cases[k][2]);
    }
    CHECK(assign(s, "fps") == SPATE_ERROR_USAGE);
    CHECK_PROBLEM("fps", "must be written as path=value");
    CHECK(assign(s, "=1") == SPATE_ERROR_USAGE && assign(s, "") == SPATE_ERROR_USAGE);
    spate_scene_destroy(s);
}

/* ------------------------------------------------------------------ text */

static uint64_t random_state = 1;

static uint64_t random_bits(void)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return random_state ^ random_state >> 29;
}

/* Awkward numbers of every size, none beyond what positions may be. */
static double random_number(void)
{
    static const double special[] = {
        0, -0.0, 0.1, 1.0 / 3, 1e-300, 5e-324, 1e9, -123456789.12345678, 0x1p-52, 1e-7};
    uint64_t r = random_bits();
    return r % 3 ? ldexp((double)(int64_t)random_bits(), -(int)(34 + r % 60))
                 : special[random_bits() % 10];
}

static void text_keeps_every_bit(void)
{
    for (int round = 0; round < 50; round++) {
        spate_scene *s = parse(round % 2 ? SCENE_2D "}" : SCENE_3D "}");
        for (int k = 0; k < 3; k++) {
            spate_shape *shape = spate_scene_add_shape(s, SPATE_LIST_SOLIDS);
            shape->shape = (spate_shape_kind)(random_bits() % 5);
            snprintf(shape->name, sizeof shape->name, "\"\\ \xe2\x82\xac %d", k);
            spate_keyframe *key = spate_shape_add_keyframe(shape);
            key->time = random_number();
            key->rotation[2] = fmod(random_number(), 360);
            for (int d = 0; d < s->dim; d++) {
                shape->min[d] = random_number(); /* also where the kind has no use for it */
                shape->velocity[d] = fmod(random_number(), 1e6);
                key->position[d] = random_number();
            }
            if (s->dim == 2)
                shape->min[2] = 0;
            shape->invert = random_bits() & 1;
        }
        s->fluid.jitter = (double)(random_bits() >> 11) * 0x1p-53;
        s->fluid.seed = random_bits() >> 11;
        s->time.dt = 1 / (1 + fabs(random_number()));
        spate_channel *channel = spate_scene_add_channel(s);
        strcpy(channel->name, "tint");
        channel->components = 3;
        channel->initial[2] = random_number();
        check_round_trip(s);
        spate_scene_destroy(s);
    }
}

/* Every kind of key, with awkward numbers in each, in 2D and 3D. */
static void text_keeps_every_key(void)
{
    static const char *const settings[] = {
        "gravity",          "inflows[0].velocity",     "inflows[1].flow",
        "fluid.flip_ratio", "domain.roughness.bottom", "domain.roughness.left"};
    static const int numbers[] = {0, 0, 1, 1, 1, 1}; /* 0: as many as there are axes */
    for (int round = 0; round < 20; round++) {
        spate_scene *s = parse(round % 2 ? SCENE_2D "}" : SCENE_3D "}");
        for (size_t k = 0; k < 2 * sizeof settings / sizeof *settings; k++) {
            spate_key *key = spate_scene_add_key(s);
            strcpy(key->setting, settings[k / 2]);
            key->time = fabs(random_number());
            for (int d = 0; d < (numbers[k / 2] ? numbers[k / 2] : s->dim); d++)
                key->value[d] = random_number();
        }
        check_round_trip(s);
        spate_scene_destroy(s);
    }
}

/* Vectors keep the numbers that they were given, also those that do not pass the check. */
static void text_keeps_numbers_of_a_bad_scene(void)
{
    spate_scene *s =
        parse(SCENE_2D ", \"keyframes\": [{\"setting\": \"gravity\", \"value\": [1]},"
                       "{\"setting\": \"gravity\", \"value\": [0, 0, 1]}, {\"value\": [0, 1]},"
                       "{\"setting\": \"fluid.flip_ratio\", \"value\": [0, -0.0]}],"
                       "\"channels\": [{\"name\": \"a\", \"initial\": [0, 0, 2]}]}");
    CHECK(s->keyframes[1].value[2] == 1 && s->channels[0].initial[2] == 2);
    check_round_trip(s);
    spate_scene_destroy(s);
}

/* Numbers are written and read the same way in a process with a decimal comma. */
static void text_ignores_the_locale(void)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE"};
    bool found = false;
    for (size_t k = 0; k < sizeof names / sizeof *names && !found; k++)
        found = setlocale(LC_ALL, names[k]) != NULL;
    if (!found)
        SKIP("no locale with a decimal comma on this machine");
    spate_scene *s = parse(SCENE_2D ", \"fps\": 24.5}");
    CHECK(s && s->fps == 24.5);
    char *text = spate_scene_text(s);
    CHECK(strstr(text, "\"fps\": 24.5,") != NULL);
    check_round_trip(s);
    CHECK(assign(s, "fps=.5") == SPATE_OK && s->fps == 0.5);
    spate_free(text);
    spate_scene_destroy(s);
    setlocale(LC_ALL, "C");
}

/* Text that cannot be a scene never makes invalid JSON of the rest. */
static void text_of_a_bad_scene_is_json(void)
{
    spate_scene *s = parse(SCENE_2D "}");
    s->fps = NAN;
    s->fluid.transfer = (spate_transfer)17;
    strcpy(s->name, "a\n\xff");
    char *text = spate_scene_text(s);
    CHECK(strstr(text, "\"name\": \"a\\u000a?\"") && !strstr(text, "nan") &&
          !strstr(text, "transfer"));
    spate_free(text);
    spate_scene_destroy(s);
}

static void no_memory_is_reported(void)
{
    const char *text =
        SCENE_2D ", \"solids\": [{\"motion\": [{\"time\": 1}]}, {}, {}], \"channels\": [{}]}";
    bool done = false, failed = false;
    for (int n = 1; n < 100 && !done; n++) {
        sp_alloc_fail_at((uint64_t)n);
        spate_scene *s = parse(text);
        char *copy = s ? spate_scene_text(s) : NULL;
        sp_alloc_fail_at(0);
        failed = failed || !s;
        if (!s)
            CHECK(problem.status == SPATE_ERROR_MEMORY);
        done = copy != NULL;
        spate_free(copy);
        spate_scene_destroy(s);
    }
    CHECK(done && failed);
}

/* Damaged scenes give a scene or an error with a message, never a crash. */
static void survives_damage(void)
{
    const char *good = SCENE_3D
        ", \"name\": \"x\", \"fill\": [{\"shape\": \"box\", \"min\": [0, 0, 0], \"max\": [1, 1, 1]}],"
        "\"solids\": [{\"shape\": \"sphere\", \"radius\": 1e-1, \"motion\": [{\"time\": 2}]}],"
        "\"channels\": [{\"name\": \"age\", \"initial\": [0]}], \"frames\": 12}";
    size_t length = strlen(good);
    int scenes = 0, errors = 0;
    for (int round = 0; round < 4000; round++) {
        char text[1024];
        memcpy(text, good, length + 1);
        for (uint64_t k = random_bits() % 3 + 1; k > 0; k--) {
            size_t at = random_bits() % length;
            text[at] = random_bits() % 2 ? "{}[],:\"0-9.e \\tn"[random_bits() % 16]
                                         : (char)(random_bits() >> 20);
        }
        memset(&problem, 0, sizeof problem);
        spate_scene *s = spate_scene_parse(
            text, random_bits() % 8 ? length : random_bits() % length, NULL, &problem);
        if (s)
            spate_scene_check(s, NULL, NULL, &problem);
        else
            CHECK(problem.status != SPATE_OK && problem.message[0]);
        *(s ? &scenes : &errors) += 1;
        spate_scene_destroy(s);
    }
    CHECK(scenes > 0 && errors > 0);
}

TESTS(scene_json)
{
    TEST(reads_every_kind_of_value);
    TEST(reads_the_old_name_of_fluid);
    TEST(size_may_come_last);
    TEST(refuses);
    TEST(refuses_what_is_too_deep_or_too_long);
    TEST(bad_files);
    TEST(presets_are_good_scenes);
    TEST(files_are_found_from_anywhere);
    TEST(assigns);
    TEST(assign_refuses);
    TEST(text_keeps_every_bit);
    TEST(text_keeps_every_key);
    TEST(text_keeps_numbers_of_a_bad_scene);
    TEST(text_ignores_the_locale);
    TEST(text_of_a_bad_scene_is_json);
    TEST(no_memory_is_reported);
    TEST(survives_damage);
}
