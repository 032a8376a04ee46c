/* course.c -- from a scene of the PIC-FLIP course to one of spate.
 *
 * The course's solver is the textbook's: a cube of n_grid^3 cells whose outermost layer is solid,
 * solids and surface by whole cells, a quadratic kernel to the grid and a linear one back, Euler's
 * step of a fixed dt, and a pressure that starts from zero and gets a number of sweeps. All of that
 * are settings of spate, so the scene that comes out is an ordinary one. `frame` of an event counts
 * steps; events are looked at when output is due, so one whose frame is no multiple of
 * frames_per_output never acts. */
#include "course.h"

#include "base/memory.h"
#include "base/status.h"
#include "file.h"
#include "json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct course {
    spate_scene *scene;
    spate_log_fn *log;
    void *user;
    spate_error *error;
    int every; /* frames_per_output */
    double dt;
} course;

bool sp_course_is(const json_t *root)
{
    return json_is_object(root) && json_object_get(root, "n_grid") != NULL;
}

/* ------------------------------------------------------------------ values */

static const char *path_of(char path[128], const char *item, const char *key)
{
    snprintf(path, 128, "%s%s%s", item, item[0] ? "." : "", key);
    return path;
}

/* A number between limits; `fallback` if the key is missing. */
static spate_status read_number(const course *c, const json_t *object, const char *item,
                                const char *key, double fallback, double low, double high,
                                double *value)
{
    char path[128];
    const json_t *json = json_object_get(object, key);
    *value = fallback;
    if (!json)
        return SPATE_OK;
    if (!json_is_number(json))
        return sp_fail(c->error, SPATE_ERROR_SCENE, path_of(path, item, key), "must be a number");
    *value = json_number_value(json);
    if (!(*value >= low && *value <= high))
        return sp_fail(c->error, SPATE_ERROR_SCENE, path_of(path, item, key),
                       "must be between %g and %g (got %g)", low, high, *value);
    return SPATE_OK;
}

static spate_status read_whole(const course *c, const json_t *object, const char *item,
                               const char *key, int fallback, double low, double high, int *value)
{
    char path[128];
    double number;
    TRY(read_number(c, object, item, key, fallback, low, high, &number));
    if (number != floor(number))
        return sp_fail(c->error, SPATE_ERROR_SCENE, path_of(path, item, key),
                       "must be a whole number (got %g)", number);
    *value = (int)number;
    return SPATE_OK;
}

/* Three numbers; fallback NULL: they are required. */
static spate_status read_vector(const course *c, const json_t *object, const char *item,
                                const char *key, const double *fallback, double value[3])
{
    char path[128];
    const json_t *json = json_object_get(object, key);
    if (!json && fallback) {
        memcpy(value, fallback, 3 * sizeof *value);
        return SPATE_OK;
    }
    bool good = json_is_array(json) && json_array_size(json) == 3;
    for (size_t d = 0; d < 3 && good; d++) {
        good = json_is_number(json_array_get(json, d));
        value[d] = json_number_value(json_array_get(json, d));
        good = good && fabs(value[d]) < 1e9;
    }
    if (good)
        return SPATE_OK;
    return sp_fail(c->error, SPATE_ERROR_SCENE, path_of(path, item, key),
                   json ? "must be a list of 3 numbers" : "is required: a list of 3 numbers");
}

/* Whether two names differ by one letter: another one, one more or less, or two that are swapped.
 */
static bool is_slip(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    if (!*a || !*b)
        return strlen(a) + strlen(b) == 1;
    return strcmp(a + 1, b + 1) == 0 || strcmp(a + 1, b) == 0 || strcmp(a, b + 1) == 0 ||
           (a[0] == b[1] && a[1] == b[0] && strcmp(a + 2, b + 2) == 0);
}

/* Warns of the keys of an object that are not in `known`. */
static void warn_of_others(const course *c, json_t *object, const char *item,
                           const char *const *known, int count)
{
    const char *key;
    json_t *value;
    char path[128];
    json_object_foreach(object, key, value)
    {
        bool found = false;
        const char *meant = NULL;
        for (int k = 0; k < count; k++) {
            found = found || strcmp(key, known[k]) == 0;
            meant = is_slip(key, known[k]) ? known[k] : meant;
        }
        if (found)
            continue;
        if (meant)
            sp_log(c->log, c->user, SPATE_LOG_WARNING, path_of(path, item, key),
                   "is no key of a course scene and is ignored; did you mean %s?", meant);
        else
            sp_log(c->log, c->user, SPATE_LOG_WARNING, path_of(path, item, key),
                   "is no key of a course scene and is ignored");
    }
}

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

/* ------------------------------------------------------------------ boxes */

static spate_status read_box(const course *c, const json_t *object, const char *item, double min[3],
                             double max[3])
{
    double center[3], size[3];
    char path[128];
    if (!json_is_object(object))
        return sp_fail(c->error, SPATE_ERROR_SCENE, item, "must be an object");
    TRY(read_vector(c, object, item, "center", NULL, center));
    TRY(read_vector(c, object, item, "size", NULL, size));
    for (int d = 0; d < 3; d++) {
        if (!(size[d] > 0))
            return sp_fail(c->error, SPATE_ERROR_SCENE, path_of(path, item, "size"),
                           "must be positive (got %g)", size[d]);
        min[d] = center[d] - 0.5 * size[d];
        max[d] = center[d] + 0.5 * size[d];
    }
    return SPATE_OK;
}

static spate_status read_solids(const course *c, const json_t *list)
{
    static const char *const known[] = {"center", "size"};
    size_t index;
    json_t *value;
    if (list && !json_is_array(list))
        return sp_fail(c->error, SPATE_ERROR_SCENE, "solid_boxes", "must be a list");
    json_array_foreach(list, index, value)
    {
        char item[64];
        snprintf(item, sizeof item, "solid_boxes[%zu]", index);
        spate_shape *solid = spate_scene_add_shape(c->scene, SPATE_LIST_SOLIDS);
        if (!solid)
            return sp_fail_memory(c->error, item, 0);
        snprintf(solid->name, sizeof solid->name, "solid_box_%zu", index);
        TRY(read_box(c, value, item, solid->min, solid->max));
        warn_of_others(c, value, item, known, COUNT(known));
    }
    return SPATE_OK;
}

/* The outermost layer of cells. */
static spate_status add_walls(const course *c, double dx)
{
    spate_shape *walls = spate_scene_add_shape(c->scene, SPATE_LIST_SOLIDS);
    if (!walls)
        return sp_fail_memory(c->error, "the walls", 0);
    snprintf(walls->name, sizeof walls->name, "walls");
    walls->invert = true;
    for (int d = 0; d < 3; d++) {
        walls->min[d] = dx;
        walls->max[d] = c->scene->domain.size[d] - dx;
    }
    return SPATE_OK;
}

/* ------------------------------------------------------------------ particles */

static spate_status read_sampling(const course *c, const json_t *object, const char *item,
                                  spate_shape *fill)
{
    static const char *const names[] = {"grid", "jittered_grid", "random", "blue_noise"};
    char path[128];
    const json_t *json = json_object_get(object, "sampling_type");
    const char *name = json ? json_string_value(json) : "grid";
    int kind = -1, k;
    for (int n = 0; n < COUNT(names) && name; n++)
        kind = strcmp(name, names[n]) == 0 ? n : kind;
    if (kind < 0)
        return sp_fail(c->error, SPATE_ERROR_SCENE, path_of(path, item, "sampling_type"),
                       "must be one of grid, jittered_grid, random, blue_noise (got %s)",
                       name ? name : "something else than a string");
    fill->sampling = (spate_sampling)(SPATE_SAMPLING_GRID + kind);
    if (fill->sampling == SPATE_SAMPLING_JITTERED_GRID) {
        double percent;
        TRY(read_number(c, object, item, "k", 0, 0, 100, &percent));
        fill->jitter = percent / 100;
    } else if (fill->sampling == SPATE_SAMPLING_RANDOM) {
        TRY(read_whole(c, object, item, "k", 1, 0, 2147483647, &k));
        fill->seed = (uint64_t)k;
    } else if (fill->sampling == SPATE_SAMPLING_BLUE_NOISE) {
        TRY(read_whole(c, object, item, "k", 30, 1, 1000, &fill->candidates));
    }
    return SPATE_OK;
}

static spate_status read_particles(const course *c, json_t *object, const char *item, double start)
{
    static const char *const known[] = {"frame", "n_particles",   "center",
                                        "size",  "sampling_type", "k"};
    char path[128];
    spate_shape *fill = spate_scene_add_shape(c->scene, SPATE_LIST_FILL);
    if (!fill)
        return sp_fail_memory(c->error, item, 0);
    TRY(read_box(c, object, item, fill->min, fill->max));
    if (!json_object_get(object, "n_particles"))
        return sp_fail(c->error, SPATE_ERROR_SCENE, path_of(path, item, "n_particles"),
                       "is required");
    TRY(read_whole(c, object, item, "n_particles", 0, 1, 1e9, &fill->count));
    TRY(read_sampling(c, object, item, fill));
    fill->start = start;
    snprintf(fill->name, sizeof fill->name, "%s", item);
    int first = strcmp(item, "initial_particles") == 0; /* which have no frame */
    warn_of_others(c, object, item, known + first, COUNT(known) - first);
    return SPATE_OK;
}

static spate_status read_events(const course *c, const json_t *list)
{
    size_t index;
    json_t *value;
    if (list && !json_is_array(list))
        return sp_fail(c->error, SPATE_ERROR_SCENE, "particle_events", "must be a list");
    json_array_foreach(list, index, value)
    {
        char item[64], path[128];
        int frame = 0;
        snprintf(item, sizeof item, "particle_events[%zu]", index);
        if (!json_is_object(value))
            return sp_fail(c->error, SPATE_ERROR_SCENE, item, "must be an object");
        const json_t *given = json_object_get(value, "frame");
        if (!given)
            return sp_fail(c->error, SPATE_ERROR_SCENE, path_of(path, item, "frame"),
                           "is required: the step before which the particles appear");
        if (json_number_value(given) < 0)
            return sp_fail(c->error, SPATE_ERROR_SCENE, path_of(path, item, "frame"),
                           "is before the start (got %g)", json_number_value(given));
        TRY(read_whole(c, value, item, "frame", 0, 0, 1e9, &frame));
        if (frame % c->every == 0) {
            TRY(read_particles(c, value, item, frame * c->dt));
            continue;
        }
        sp_log(c->log, c->user, SPATE_LOG_WARNING, path_of(path, item, "frame"),
               "%d is no multiple of frames_per_output (%d): the event never acts", frame,
               c->every);
    }
    return SPATE_OK;
}

/* ------------------------------------------------------------------ the whole */

/* The same number under its name of today or an older one. */
static spate_status read_renamed(const course *c, const json_t *root, const char *name,
                                 const char *old, double fallback, double low, double high,
                                 double *value)
{
    bool present = json_object_get(root, name) != NULL;
    return read_number(c, root, "", present || !json_object_get(root, old) ? name : old, fallback,
                       low, high, value);
}

static spate_status read_pressure(const course *c, const json_t *root)
{
    spate_scene *scene = c->scene;
    const json_t *sweeps = json_object_get(root, "use_gauss_seidel");
    bool red_black = !sweeps || json_is_true(sweeps);
    double count;
    if (sweeps && !json_is_boolean(sweeps))
        return sp_fail(c->error, SPATE_ERROR_SCENE, "use_gauss_seidel", "must be true or false");
    scene->pressure.solver = red_black ? SPATE_SOLVER_GAUSS_SEIDEL : SPATE_SOLVER_JACOBI;
    if (red_black) {
        TRY(read_renamed(c, root, "num_gauss_seidel_iterations", "num_iterations", 200, 1, 1e6,
                         &count));
        TRY(read_renamed(c, root, "gauss_seidel_omega", "omega", 1.7, 0.01, 1.99,
                         &scene->pressure.relaxation));
    } else {
        TRY(read_number(c, root, "", "num_jacobi_iterations", 1000, 1, 1e6, &count));
        TRY(read_number(c, root, "", "jacobi_alpha", 1, 0.01, 1, &scene->pressure.relaxation));
    }
    scene->pressure.max_iterations = (int)count;
    scene->pressure.fixed_iterations = true;
    scene->pressure.warm_start = false;
    scene->pressure.solids = SPATE_SOLID_MODEL_VOXEL;
    scene->pressure.surface = SPATE_SURFACE_MODEL_VOXEL;
    return SPATE_OK;
}

/* How many particles the first fill has along the edge of a cell, for pictures and statistics. */
static int particles_along(const spate_scene *scene, double dx)
{
    int n = 1;
    if (scene->fill.count == 0)
        return n;
    const spate_shape *fill = &scene->fill.items[0];
    double each = fill->count;
    for (int d = 0; d < 3; d++)
        each *= dx / (fill->max[d] - fill->min[d]);
    while (n < 8 && (n + 0.5) * (n + 0.5) * (n + 0.5) < each)
        n++;
    return n;
}

static spate_status read_all(course *c, json_t *root)
{
    static const char *const known[] = {"dt",
                                        "n_grid",
                                        "grid_lim",
                                        "gravity",
                                        "density",
                                        "use_gauss_seidel",
                                        "num_jacobi_iterations",
                                        "num_gauss_seidel_iterations",
                                        "num_iterations",
                                        "gauss_seidel_omega",
                                        "omega",
                                        "jacobi_alpha",
                                        "pic_flip_alpha",
                                        "frames_per_output",
                                        "initial_particles",
                                        "particle_events",
                                        "solid_boxes"};
    static const double down[3] = {0, -9.8, 0};
    spate_scene *scene = c->scene;
    int cells;
    double size, alpha, density;
    warn_of_others(c, root, "", known, COUNT(known));
    TRY(read_number(c, root, "", "dt", 0.02, 1e-6, 1e3, &c->dt));
    TRY(read_whole(c, root, "", "n_grid", 100, 3, 1024, &cells));
    TRY(read_number(c, root, "", "grid_lim", 1, 1e-3, 1e6, &size));
    TRY(read_vector(c, root, "", "gravity", down, scene->gravity));
    TRY(read_number(c, root, "", "density", 1000, 1e-6, 1e6, &density));
    TRY(read_number(c, root, "", "pic_flip_alpha", 0.1, 0, 1, &alpha));
    TRY(read_whole(c, root, "", "frames_per_output", 100, 1, 1e6, &c->every));
    for (int d = 0; d < 3; d++)
        scene->domain.size[d] = size;
    scene->domain.cells = cells;
    scene->fps = 1 / (c->dt * c->every);
    scene->time.dt = c->dt;
    scene->time.advection = SPATE_ADVECTION_EULER;
    scene->fluid.density = 1; /* of the course's pressure solve, whatever `density` says */
    scene->fluid.flip_ratio = 1 - alpha;
    scene->fluid.flip_step = 0;
    scene->fluid.kernel_to_grid = SPATE_KERNEL_TO_GRID_QUADRATIC;
    scene->fluid.free_flight = false;
    scene->volume.method = SPATE_VOLUME_NONE;
    TRY(read_pressure(c, root));
    TRY(add_walls(c, size / cells));
    TRY(read_solids(c, json_object_get(root, "solid_boxes")));
    json_t *first = json_object_get(root, "initial_particles");
    if (first)
        TRY(read_particles(c, first, "initial_particles", 0));
    TRY(read_events(c, json_object_get(root, "particle_events")));
    scene->fluid.particles_per_axis = particles_along(scene, size / cells);
    if (json_object_get(root, "density") && density != 1)
        sp_log(c->log, c->user, SPATE_LOG_INFO, "density",
               "%g: the course's pressure takes 1, and so does this scene; the motion is the same",
               density);
    sp_log(c->log, c->user, SPATE_LOG_INFO, "",
           "a scene of the PIC-FLIP course; its solver may lose particles through walls, spate "
           "keeps them inside");
    return SPATE_OK;
}

spate_scene *sp_course_scene(json_t *root, spate_log_fn *log, void *user, spate_error *error)
{
    course c = {.scene = spate_scene_create(), .log = log, .user = user, .error = error};
    if (!c.scene) {
        sp_fail_memory(error, "the scene", 0);
        return NULL;
    }
    snprintf(c.scene->name, sizeof c.scene->name, "course");
    if (read_all(&c, root) == SPATE_OK)
        return c.scene;
    spate_scene_destroy(c.scene);
    return NULL;
}

/* ------------------------------------------------------------------ files */

static json_t *load(const char *path, spate_error *error)
{
    char *text;
    size_t length;
    json_error_t problem;
    if (sp_file_read_all(path, &text, &length, error) != SPATE_OK)
        return NULL;
    json_t *root = json_loadb(text, length, JSON_REJECT_DUPLICATES, &problem);
    sp_free(text);
    if (!root)
        sp_fail(error, SPATE_ERROR_SCENE, "", "line %d: %s", problem.line, problem.text);
    return root;
}

bool sp_course_is_file(const char *path)
{
    spate_error error;
    json_t *root = load(path, &error);
    bool is = sp_course_is(root);
    json_decref(root);
    return is;
}

spate_scene *sp_course_read(const char *path, spate_log_fn *log, void *user, spate_error *error)
{
    json_t *root = load(path, error);
    if (!root)
        return NULL;
    spate_scene *scene = NULL;
    if (sp_course_is(root))
        scene = sp_course_scene(root, log, user, error);
    else
        sp_fail(error, SPATE_ERROR_SCENE, "", "is no scene of the course: it has no key n_grid");
    json_decref(root);
    if (scene) { /* by the name of its file */
        const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
        const char *dot = strrchr(name, '.');
        size_t length = dot && dot > name ? (size_t)(dot - name) : strlen(name);
        length = length < sizeof scene->name ? length : sizeof scene->name - 1;
        memcpy(scene->name, name, length);
        scene->name[length] = 0;
    }
    return scene;
}

/* ------------------------------------------------------------------ spate's own way */

spate_status sp_course_use_own(spate_scene *scene, spate_error *error)
{
    spate_scene *fresh = spate_scene_create();
    if (!fresh)
        return sp_fail_memory(error, "the scene", 0);
    scene->fluid = fresh->fluid;
    scene->time = fresh->time;
    scene->pressure = fresh->pressure;
    scene->volume = fresh->volume;
    for (int k = 0; k < scene->fill.count; k++) {
        spate_shape *fill = &scene->fill.items[k];
        fill->sampling = SPATE_SAMPLING_CELLS;
        fill->count = 0;
    }
    spate_scene_destroy(fresh);
    return SPATE_OK;
}

double sp_course_volume(const spate_scene *scene, double time)
{
    double sum = 0;
    for (int k = 0; k < scene->fill.count; k++) {
        const spate_shape *fill = &scene->fill.items[k];
        double volume = 1;
        for (int d = 0; d < scene->dim; d++)
            volume *= fill->max[d] - fill->min[d];
        sum += fill->start <= time * (1 + 1e-9) ? volume : 0;
    }
    return sum;
}
