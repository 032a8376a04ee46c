/* web.c -- the simulation behind the page: making it, stepping it, and looking at it.
 *
 * Threads: one pool for the life of the module, lent to every simulation as a host's scheduler. A
 * browser starts threads only between calls from JavaScript, so they are made once. */
#include "web.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "base/status.h"
#include "scene/schema.h"
#include "scene/sides.h"
#include "state/stage.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

spate_sim *web_sim;
spate_error web_error;

static char warnings[4096];
static sp_pool *pool;
static int next_stage;     /* of the step that web_stage has begun */
static double step_dt;     /* s, of the step under way or the last one */
static double time_before; /* s, that the water ran in simulations before this one */
static bool watch;
static float *divergence[2]; /* 2D, cells: before and after PRESSURE; 1/s */
static uint8_t *per_cell;
static int cells[3];

EMSCRIPTEN_KEEPALIVE const char *web_error_where(void)
{
    return web_error.where;
}

EMSCRIPTEN_KEEPALIVE const char *web_error_message(void)
{
    return web_error.message;
}

static void keep_warning(void *user, spate_log_level level, const char *where, const char *message)
{
    (void)user;
    size_t used = strlen(warnings);
    if (level == SPATE_LOG_WARNING)
        snprintf(warnings + used, sizeof warnings - used, "%s%s%s\n", where, where[0] ? ": " : "",
                 message);
}

EMSCRIPTEN_KEEPALIVE const char *web_warnings(void)
{
    static char given[sizeof warnings];
    memcpy(given, warnings, sizeof given);
    warnings[0] = 0;
    return given;
}

/* ------------------------------------------------------------------ threads */

typedef struct parts {
    void (*work)(void *args, int k);
    void *args;
} parts;

static void part_range(void *args, size_t begin, size_t end, int worker)
{
    (void)worker;
    for (size_t k = begin; k < end; k++)
        ((parts *)args)->work(((parts *)args)->args, (int)k);
}

static void schedule(void *user, int count, void (*work)(void *args, int k), void *args)
{
    (void)user;
    sp_parallel_for(pool, (size_t)count, 1, part_range, &(parts){work, args});
}

/* ------------------------------------------------------------------ making it */

static spate_status take_size(spate_sim *sim)
{
    spate_field_view type;
    spate_sim_field_view(sim, "type", &type);
    size_t count = 1;
    for (int d = 0; d < 3; d++)
        count *= (size_t)type.count[d];
    float *before = sp_alloc(count, sizeof *before), *after = sp_alloc(count, sizeof *after);
    uint8_t *numbers = sp_alloc(count, 1);
    if (!before || !after || !numbers) {
        sp_free(before);
        sp_free(after);
        sp_free(numbers);
        return sp_fail_memory(&web_error, "the views", 0);
    }
    sp_free(divergence[0]);
    sp_free(divergence[1]);
    sp_free(per_cell);
    divergence[0] = before;
    divergence[1] = after;
    per_cell = numbers;
    memcpy(cells, type.count, sizeof cells);
    return SPATE_OK;
}

static spate_sim *make(const spate_scene *scene)
{
    spate_options options;
    spate_options_default(&options);
    options.threads = sp_pool_threads(pool);
    options.schedule = options.threads > 1 ? schedule : NULL;
    options.log = keep_warning;
    warnings[0] = 0;
    return spate_sim_create(scene, &options, &web_error);
}

/* Whether what is in the tank now can go on in a simulation of another scene. */
static bool same_tank(const spate_scene *a, const spate_scene *b)
{
    bool same = a->dim == b->dim;
    for (int d = 0; d < a->dim; d++)
        same = same && a->domain.size[d] == b->domain.size[d];
    return same;
}

/* The scene as it is for water that has run for `time` seconds: nothing to fill, and keyframes that
 * have been running. */
static spate_scene *scene_from_now(const spate_scene *scene, double time)
{
    spate_scene *copy = spate_scene_copy(scene);
    if (!copy)
        return NULL;
    sp_scene_clear_list(copy, "fill");
    for (int k = 0; k < copy->solids.count; k++)
        for (int key = 0; key < copy->solids.items[k].motion_count; key++)
            copy->solids.items[k].motion[key].time -= time;
    return copy;
}

static spate_status carry_particles(spate_sim *from, spate_sim *to)
{
    size_t count = spate_sim_particles_count(from, "fluid");
    float *positions = sp_alloc(6 * count, sizeof *positions);
    if (!positions)
        return sp_fail_memory(&web_error, "the particles", 0);
    spate_sim_particles_read(from, "fluid", positions, positions + 3 * count, NULL);
    spate_status status =
        spate_sim_add_particles(to, positions, positions + 3 * count, count, NULL, &web_error);
    sp_free(positions);
    return status;
}

/* The new simulation, with the particles of the old one if they are to be kept. */
static spate_sim *successor(const spate_scene *scene, bool keep)
{
    if (!keep)
        return make(scene);
    spate_scene *copy = scene_from_now(scene, time_before + spate_sim_time(web_sim));
    if (!copy) {
        sp_fail_memory(&web_error, "the scene", 0);
        return NULL;
    }
    spate_sim *sim = make(copy);
    spate_scene_destroy(copy);
    if (sim && carry_particles(web_sim, sim) == SPATE_OK)
        return sim;
    spate_sim_destroy(sim);
    return NULL;
}

EMSCRIPTEN_KEEPALIVE spate_status web_create(int threads, int keep)
{
    const spate_scene *scene = web_draft_scene();
    bool kept = keep && web_sim && same_tank(scene, spate_sim_scene(web_sim));
    if (!pool)
        pool = sp_pool_create(threads, NULL, NULL);
    if (!pool)
        return sp_fail_memory(&web_error, "threads", 0);
    spate_sim *sim = successor(scene, kept);
    if (!sim)
        return web_error.status;
    spate_status status = take_size(sim);
    if (status != SPATE_OK) {
        spate_sim_destroy(sim);
        return status;
    }
    time_before = kept ? time_before + spate_sim_time(web_sim) : 0;
    spate_sim_destroy(web_sim);
    web_sim = sim;
    next_stage = SP_STAGE_SORT;
    step_dt = 0;
    return SPATE_OK;
}

/* ------------------------------------------------------------------ stepping */

/* div u (1/s) of liquid cells that no solid cuts, NaN elsewhere. */
static void take_divergence(float *into)
{
    spate_field_view u, v, type, solid;
    spate_sim_field_view(web_sim, "u", &u);
    spate_sim_field_view(web_sim, "v", &v);
    spate_sim_field_view(web_sim, "type", &type);
    spate_sim_field_view(web_sim, "solid", &solid);
    for (int j = 0; j < cells[1]; j++)
        for (int i = 0; i < cells[0]; i++) {
            const float *a = u.values + i * u.stride[0] + j * u.stride[1];
            const float *b = v.values + i * v.stride[0] + j * v.stride[1];
            const float *s = solid.values + i * solid.stride[0] + j * solid.stride[1];
            bool free_of_solids = s[0] > 0 && s[solid.stride[0]] > 0 && s[solid.stride[1]] > 0 &&
                                  s[solid.stride[0] + solid.stride[1]] > 0;
            bool liquid = type.bytes[i * type.stride[0] + j * type.stride[1]] == SPATE_CELL_LIQUID;
            float sum = a[u.stride[0]] - a[0] + b[v.stride[1]] - b[0];
            into[i + j * cells[0]] =
                liquid && free_of_solids ? sum / (float)u.cell_size : (float)NAN;
        }
}

EMSCRIPTEN_KEEPALIVE int web_next_stage(void)
{
    return next_stage;
}

EMSCRIPTEN_KEEPALIVE const char *web_stage_what(int stage)
{
    return spate_stage_what(stage);
}

EMSCRIPTEN_KEEPALIVE spate_status web_stage(void)
{
    int stage = next_stage;
    bool flat = spate_sim_dim(web_sim) == 2;
    if (stage == SP_STAGE_SORT)
        step_dt = spate_sim_next_dt(web_sim);
    if (stage == SP_STAGE_PRESSURE && flat)
        take_divergence(divergence[0]);
    TRY(spate_sim_run_stage(web_sim, stage, step_dt, &web_error));
    if (stage == SP_STAGE_PRESSURE && flat)
        take_divergence(divergence[1]);
    next_stage = stage + 1 < SP_STAGE_COUNT ? stage + 1 : SP_STAGE_SORT;
    return SPATE_OK;
}

EMSCRIPTEN_KEEPALIVE void web_watch_divergence(int on)
{
    watch = on != 0;
}

/* A step that has been begun by stages is finished by stages. */
EMSCRIPTEN_KEEPALIVE spate_status web_step(void)
{
    if (next_stage == SP_STAGE_SORT && !watch) {
        step_dt = spate_sim_next_dt(web_sim);
        return spate_sim_step(web_sim, step_dt, &web_error);
    }
    do
        TRY(web_stage());
    while (next_stage != SP_STAGE_SORT);
    return SPATE_OK;
}

/* ------------------------------------------------------------------ looking at it */

EMSCRIPTEN_KEEPALIVE const char *web_hash(void)
{
    static char hex[17];
    snprintf(hex, sizeof hex, "%016llx", (unsigned long long)spate_sim_hash(web_sim));
    return hex;
}

EMSCRIPTEN_KEEPALIVE const double *web_stats(void)
{
    static double values[128];
    spate_stats stats;
    spate_sim_stats(web_sim, &stats);
    int count = 0;
    for (int k = 0; k < spate_stat_count(); k++)
        values[count++] = spate_stats_value(&stats, k);
    for (int k = 0; k < spate_stage_count(); k++)
        values[count++] = spate_sim_stage_seconds(web_sim, k);
    return values;
}

EMSCRIPTEN_KEEPALIVE const char *web_stats_names(void)
{
    static char names[4096];
    size_t used = 0;
    for (int k = 0; k < spate_stat_count(); k++)
        used +=
            (size_t)snprintf(names + used, sizeof names - used, "%s\n", spate_stat_info(k)->name);
    for (int k = 0; k < spate_stage_count(); k++)
        used += (size_t)snprintf(names + used, sizeof names - used, "t_%s\n", spate_stage_name(k));
    return names;
}

EMSCRIPTEN_KEEPALIVE const double *web_clock(void)
{
    static double values[5];
    values[0] = time_before + spate_sim_time(web_sim);
    values[1] = spate_sim_frame(web_sim);
    values[2] = (double)spate_sim_steps(web_sim);
    values[3] = (double)spate_sim_particles_count(web_sim, "fluid");
    values[4] = step_dt;
    return values;
}

/* A list of names in quotes, as JSON. */
static void print_names(char *text, size_t size, const char *set,
                        const char *name_of(const spate_sim *sim, const char *set, int k))
{
    const char *name;
    for (int k = 0; (name = name_of(web_sim, set, k)); k++)
        snprintf(text + strlen(text), size - strlen(text), "%s\"%s\"", k > 0 ? ", " : "", name);
}

/* Names of sets, classes and channels have no letters that JSON would want escaped. */
EMSCRIPTEN_KEEPALIVE const char *web_particle_sets(void)
{
    static char text[8192];
    const char *set;
    snprintf(text, sizeof text, "[");
    for (int k = 0; (set = spate_sim_particle_set_name(web_sim, k)); k++) {
        const char *name;
        snprintf(text + strlen(text), sizeof text - strlen(text),
                 "%s{\"name\": \"%s\", \"classes\": [", k > 0 ? ", " : "", set);
        print_names(text, sizeof text, set, spate_sim_particles_class_name);
        snprintf(text + strlen(text), sizeof text - strlen(text), "], \"columns\": [");
        for (int c = 0; (name = spate_sim_particles_column_name(web_sim, set, c)); c++) {
            spate_column_view view;
            spate_sim_particles_column(web_sim, set, name, &view);
            snprintf(text + strlen(text), sizeof text - strlen(text),
                     "%s{\"name\": \"%s\", \"components\": %d, \"integer\": %s}", c > 0 ? ", " : "",
                     name, view.components, view.integer ? "true" : "false");
        }
        snprintf(text + strlen(text), sizeof text - strlen(text), "]}");
    }
    snprintf(text + strlen(text), sizeof text - strlen(text), "]");
    return text;
}

EMSCRIPTEN_KEEPALIVE const uint32_t *web_particles(const char *set)
{
    static uint32_t found[8 + 4 * 64];
    spate_particles_view view;
    const char *name;
    if (!spate_sim_particles_view(web_sim, set, &view))
        return NULL;
    found[0] = (uint32_t)view.count;
    for (int d = 0; d < 3; d++) {
        found[1 + d] = (uint32_t)view.x[d];
        found[4 + d] = (uint32_t)view.v[d];
    }
    found[7] = (uint32_t)view.id;
    for (int k = 0, next = 8; (name = spate_sim_particles_column_name(web_sim, set, k)); k++) {
        spate_column_view column;
        spate_sim_particles_column(web_sim, set, name, &column);
        for (int c = 0; c < column.components; c++)
            found[next++] = (uint32_t)column.values[c];
    }
    return found;
}

static const int32_t *describe(const void *data, int bytes, const int count[3],
                               const ptrdiff_t stride[3])
{
    static int32_t field[8];
    field[0] = (int32_t)(uintptr_t)data;
    field[1] = bytes;
    for (int d = 0; d < 3; d++) {
        field[2 + d] = count[d];
        field[5 + d] = (int32_t)stride[d];
    }
    return field;
}

EMSCRIPTEN_KEEPALIVE const int32_t *web_field(const char *name)
{
    ptrdiff_t packed[3] = {1, cells[0], (ptrdiff_t)cells[0] * cells[1]};
    if (strcmp(name, "div_before") == 0)
        return describe(divergence[0], 4, cells, packed);
    if (strcmp(name, "div_after") == 0)
        return describe(divergence[1], 4, cells, packed);
    spate_field_view view;
    if (!spate_sim_field_view(web_sim, name, &view))
        return NULL;
    if (view.bytes)
        return describe(view.bytes, 1, view.count, view.stride);
    return describe(view.values, 4, view.count, view.stride);
}

EMSCRIPTEN_KEEPALIVE const int32_t *web_ppc(void)
{
    spate_particles_view view;
    spate_sim_particles_view(web_sim, "fluid", &view);
    size_t row = (size_t)cells[0], layer = row * (size_t)cells[1];
    ptrdiff_t packed[3] = {1, (ptrdiff_t)row, (ptrdiff_t)layer};
    memset(per_cell, 0, layer * (size_t)cells[2]);
    for (size_t k = 0; k < view.count; k++) {
        size_t at = (size_t)view.x[0][k] + row * (size_t)view.x[1][k];
        if (view.x[2])
            at += layer * (size_t)view.x[2][k];
        per_cell[at] += per_cell[at] < 255;
    }
    return describe(per_cell, 1, cells, packed);
}

EMSCRIPTEN_KEEPALIVE double web_cell_size(void)
{
    spate_particles_view view;
    spate_sim_particles_view(web_sim, "fluid", &view);
    return view.scale;
}

EMSCRIPTEN_KEEPALIVE double web_size(int axis)
{
    return axis < spate_sim_dim(web_sim) ? sp_scene_extent(spate_sim_scene(web_sim), axis)
                                         : web_cell_size();
}

EMSCRIPTEN_KEEPALIVE int web_dim(void)
{
    return spate_sim_dim(web_sim);
}
