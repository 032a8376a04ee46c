/* device.c -- a simulation whose arrays live in two memories: its life, and its stages.
 *
 * All stages run on the device, but for solids that have come or gone: the host lays these. For
 * each stage this file says what it reads and writes; residency.c brings that to the device, and
 * notes what has become stale in the other memory. Outside of the steps checkpoints, gauges and
 * changes by the user work on the host's arrays, which X(fetch) makes current and X(dirty)
 * declares newer. */
#include "residency.h"
#include "stages.h"

#include <math.h>
#include <string.h>

static spate_status failure(const X(sim) *s, spate_error *error)
{
    return sp_fail(error, SPATE_ERROR_DEVICE, "device", "%s", s->gpu->failure);
}

/* ---- life */

static bool has_averages(const spate_scene *scene)
{
    bool found = false;
    for (int c = 0; c < scene->channel_count; c++)
        found = found || scene->channels[c].pic;
    return found;
}

uint64_t X(device_forecast)(const spate_scene *scene, const X(grid) *g, uint64_t particles)
{
    uint64_t capacity = particles + 16, columns = 5;  /* spare, keys and order twice */
    uint64_t cells = 4 * (3 * DIM + 4) + 2 * DIM + 1; /* u .. count; known; type */
    bool density = scene->volume.method == SPATE_VOLUME_DENSITY ||
                   scene->volume.method == SPATE_VOLUME_BOTH,
         apic = scene->fluid.transfer == SPATE_TRANSFER_APIC;
#define FIELD(name, components, type, when) columns += (when) ? (components) : 0;
#include "state/fields.def"
#undef FIELD
    for (int k = 0; k < scene->channel_count; k++)
        columns += (uint64_t)scene->channels[k].components;
    double rest = 1;
    FOR_DIM(d)
        rest *= scene->fluid.particles_per_axis;
    cells += density ? 4 : 0;
    cells += scene->solids.count > 0 ? 4 * (DIM + 2) : 0;
    bool movers = false;
    for (int k = 0; k < scene->solids.count; k++)
        for (int d = 0; d < 3; d++)
            movers = movers || scene->solids.items[k].motion_count > 0 ||
                     scene->solids.items[k].velocity[d] != 0;
    cells += movers ? 4 : 0;
    cells += has_averages(scene) ? 8 : 0;
    cells += scene->inflows.count + scene->outflows.count > 0 ? 3 : 0;
    return 4 * columns * capacity + X(gpu_temporary_bytes)(capacity) + cells * g->size +
           X(gpu_solver_bytes)(g, (double)particles / rest, scene->solids.count > 0, density) +
           (uint64_t)g->tile_count * (4 * 4 + 2 + 2 + 4 + 4 * (2 * GPU_LISTS + 1) + 8);
}

static void make_solver(X(sim) *s)
{
    const X(grid) *grids[MAX_LEVELS];
    int count = s->system.level_count > 1 ? s->system.level_count : 1;
    for (int k = 0; k < count; k++)
        grids[k] = &s->system.levels[k].grid;
    X(gpu_solver_create)(s->gpu, count, grids, s->density != NULL);
}
spate_status X(gpu_attach)(X(sim) *s, spate_error *error)
{
    const spate_scene *scene = s->common->scene;
    X(gpu) *g = s->gpu = sp_alloc(1, sizeof *g);
    if (!g)
        return sp_fail_memory(error, "a device", 0);
    if (scene->pressure.solver == SPATE_SOLVER_PCG)
        return sp_fail(error, SPATE_ERROR_DEVICE, "pressure.solver",
                       "pcg works on the cpu only; use multigrid, which is faster everywhere");
    if (!X(gpu_open)(g, s->common->pool))
        return failure(s, error);
    uint64_t available, total, needed = X(device_forecast)(scene, &s->grid, s->particles.capacity);
    X(gpu_memory)(g, &available, &total);
    if (needed > available)
        return sp_fail_device_memory(error, needed, available);
    X(fields) *f = &g->f;
    size_t tiles = (size_t)s->grid.tile_count;
    f->grid = s->grid;
    memcpy(f->sides, scene->domain.sides, sizeof f->sides);
    f->degree = s->degree;
    f->apic = s->apic;
    f->ghost = X(has_level_set)(s);
    f->channel_columns = s->particles.channel_columns;
    f->rest = 1.0f;
    FOR_DIM(d)
        f->rest *= (float)scene->fluid.particles_per_axis;
    X(gpu_make_arrays)(s);
    FOR_DIM(d) {
        f->known_next[d] = X(gpu_alloc)(g, s->grid.size, "the grid");
        if (f->known_next[d])
            X(gpu_set)(g, f->known_next[d], 0, s->grid.size);
    }
    X(gpu_reserve)(s, false);
    g->counters = X(gpu_alloc)(g, sizeof *g->counters, "counters");
    g->census = X(gpu_alloc)(g, sizeof *g->census, "counters");
    g->tile_flags = X(gpu_alloc)(g, 2 * GPU_LISTS * (tiles + 1) * sizeof(uint32_t), "the tiles");
    g->list_totals = X(gpu_alloc)(g, GPU_LISTS * sizeof(uint32_t), "the tiles");
    g->left = X(gpu_alloc)(g, tiles * sizeof(int), "the tiles");
    g->near_movers = X(gpu_alloc)(g, tiles, "the tiles");
    if (has_averages(scene)) {
        g->channel_sum = X(gpu_alloc)(g, s->grid.size * sizeof(float), "the channels");
        g->channel_weight = X(gpu_alloc)(g, s->grid.size * sizeof(float), "the channels");
    }
    TRY(X(gpu_copy_flows)(s, error));
    make_solver(s);
    g->on_host = GPU_ALL;
    g->on_device = GPU_ALL & ~(unsigned)(GPU_PARTICLES | GPU_SOLIDS);
    X(gpu_use)(s, GPU_ALL); /* here, and not in the first step */
    return X(gpu_wait)(g) ? SPATE_OK : failure(s, error);
}

void X(gpu_detach)(X(sim) *s)
{
    X(gpu) *g = s->gpu;
    X(mirror) list[MAX_MIRRORS];
    void **columns[MAX_COLUMNS];
    if (!g)
        return;
    size_t tiles = (size_t)s->grid.tile_count;
    X(gpu_solver_destroy)(g);
    X(gpu_free_snapshot)(g);
    int count = X(gpu_mirrors)(s, list);
    for (int k = 0; k < count; k++)
        X(gpu_free)(g, *list[k].device, list[k].bytes);
    count = X(gpu_columns)(g, columns);
    for (int k = 0; k < count; k++)
        X(gpu_free)(g, *columns[k], (size_t)g->capacity * 4);
    uint32_t *scratch[] = {(uint32_t *)g->spare, g->order, g->order_other, g->key, g->key_other};
    for (size_t k = 0; k < sizeof scratch / sizeof *scratch; k++)
        X(gpu_free)(g, scratch[k], (size_t)g->capacity * 4);
    X(gpu_free)(g, g->partials, g->partial_count * sizeof(double));
    X(gpu_free)(g, g->temporary, g->temporary_bytes);
    X(gpu_free)(g, g->counters, sizeof *g->counters);
    X(gpu_free)(g, g->census, sizeof *g->census);
    X(gpu_free)(g, g->tile_flags, 2 * GPU_LISTS * (tiles + 1) * sizeof(uint32_t));
    X(gpu_free)(g, g->list_totals, GPU_LISTS * sizeof(uint32_t));
    X(gpu_free)(g, g->left, tiles * sizeof(int));
    X(gpu_free)(g, g->near_movers, tiles);
    X(gpu_free)(g, g->channel_sum, s->grid.size * sizeof(float));
    X(gpu_free)(g, g->channel_weight, s->grid.size * sizeof(float));
    X(gpu_free_flows)(g);
    X(gpu_free_bodies)(g);
    FOR_DIM(d)
        X(gpu_free)(g, g->f.known_next[d], s->grid.size);
    X(gpu_close)(g);
    sp_free(g);
    s->gpu = NULL;
}
/* ---- the stages */

/* What each stage reads and writes; it reads what it writes, for outside of the tiles with work
 * values stay. */
static const struct {
    unsigned reads, writes;
} plan[SP_STAGE_COUNT] = {
    [SP_STAGE_SORT] = {0, GPU_PARTICLES | GPU_TILES | GPU_U | GPU_U_OLD | GPU_WEIGHT |
                                 GPU_SURFACE | GPU_PRESSURE | GPU_KNOWN},
    [SP_STAGE_SOLIDS] = {0, GPU_SOLIDS},
    [SP_STAGE_P2G] = {GPU_PARTICLES | GPU_TILES, GPU_U | GPU_U_OLD | GPU_WEIGHT},
    [SP_STAGE_SURFACE] = {GPU_PARTICLES | GPU_TILES | GPU_SOLIDS, GPU_SURFACE},
    [SP_STAGE_FORCES] = {GPU_TILES | GPU_SURFACE | GPU_SOLIDS | GPU_WEIGHT, GPU_U | GPU_U_OLD},
    [SP_STAGE_PRESSURE] = {GPU_TILES | GPU_SURFACE | GPU_SOLIDS,
                              GPU_U | GPU_PRESSURE | GPU_SYSTEM},
    [SP_STAGE_EXTRAPOLATE] = {GPU_TILES | GPU_SURFACE | GPU_SOLIDS,
                                 GPU_U | GPU_U_OLD | GPU_KNOWN | GPU_WEIGHT},
    [SP_STAGE_G2P] = {GPU_TILES | GPU_U | GPU_U_OLD | GPU_KNOWN, GPU_PARTICLES | GPU_WEIGHT},
    [SP_STAGE_SEPARATE] = {GPU_TILES | GPU_SURFACE | GPU_SOLIDS | GPU_KNOWN | GPU_SYSTEM,
                              GPU_PARTICLES | GPU_WEIGHT},
    [SP_STAGE_ADVECT] = {GPU_TILES | GPU_U | GPU_SOLIDS, GPU_PARTICLES},
    [SP_STAGE_EMIT] = {GPU_TILES | GPU_U | GPU_SURFACE | GPU_SOLIDS, GPU_PARTICLES},
};

/* EMIT without anything that gives or takes particles but open sides and closing solids. */
static bool only_removes(const X(sim) *s)
{
    return s->emitter_count == 0 && s->drain_count == 0 && !s->common->scene->fluid.reseed;
}

void X(gpu_sort)(X(sim) *s)
{
    X(gpu_use)(s, plan[SP_STAGE_SORT].reads | plan[SP_STAGE_SORT].writes);
    X(gpu_sort_particles)(s->gpu);
    X(gpu_wrote)(s, plan[SP_STAGE_SORT].writes);
}

static void advance_solids(X(sim) *s, double dt)
{
    double time = s->common->frame / s->common->scene->fps + s->common->inside;
    sp_solids_advance(&s->solids, time, dt);
}

static void add_forces(X(sim) *s, double dt)
{
    X(gpu_forces) how = {.friction = s->common->scene->domain.friction, .dt = dt};
    FOR_DIM(d)
        how.dv[d] = (float)(s->common->gravity[d] * dt);
    X(gpu_add_forces)(s->gpu, &how);
}

static spate_status project(X(sim) *s, double dt, spate_error *error)
{
    s->gpu->solves = true;
    s->gpu->dt = dt;
    spate_status status = X(project)(s, dt, error);
    s->gpu->solves = false;
    return status;
}

/* SEPARATE by density, where the pressure system is; ADVECT moves the particles by what it leaves.
 */
static void find_displacement(X(sim) *s)
{
    unsigned reads = plan[SP_STAGE_SEPARATE].reads | GPU_WEIGHT;
    s->gpu->solves = s->gpu->on_device & GPU_SYSTEM;
    if (s->gpu->solves)
        X(gpu_use)(s, reads);
    else
        X(fetch)(s, reads);
    X(project_density)(s);
    if (s->gpu->solves)
        X(gpu_wrote)(s, GPU_WEIGHT);
    else
        X(dirty)(s, GPU_WEIGHT);
    s->gpu->solves = false;
}

static void separate(X(sim) *s)
{
    if (X(pushes_apart)(s->common->scene))
        X(gpu_push_pairs)(s);
    if (s->density)
        find_displacement(s);
}

static spate_status run(X(sim) *s, sp_stage stage, double dt, spate_error *error)
{
    X(gpu) *g = s->gpu;
    spate_status status = SPATE_OK;
    if (stage == SP_STAGE_SEPARATE) {
        if (dt > 0)
            separate(s);
        return SPATE_OK;
    }
    X(gpu_use)(s, plan[stage].reads | plan[stage].writes);
    if (stage == SP_STAGE_ADVECT && s->displaced)
        X(gpu_use)(s, GPU_WEIGHT);
    switch (stage) {
    case SP_STAGE_SORT:
        s->displaced = false;
        X(gpu_sort_particles)(g);
        break;
    case SP_STAGE_P2G: X(gpu_particles_to_grid)(g); break;
    case SP_STAGE_SURFACE: X(gpu_build_surface)(g); break;
    case SP_STAGE_SOLIDS: X(gpu_lay_solids)(g); break;
    case SP_STAGE_FORCES: add_forces(s, dt); break;
    case SP_STAGE_PRESSURE: status = project(s, dt, error); break;
    case SP_STAGE_EXTRAPOLATE: X(gpu_extrapolate)(g, dt, &s->reach); break;
    case SP_STAGE_G2P: X(gpu_transfer_back)(s, dt); break;
    case SP_STAGE_ADVECT: status = X(gpu_advect)(s, dt, error); break;
    case SP_STAGE_EMIT: status = X(gpu_emit_and_drain)(s, dt, error); break;
    default: break;
    }
    X(gpu_wrote)(s, plan[stage].writes);
    return status;
}

/* Stages that have nothing to do. */
static bool is_idle(const X(sim) *s, sp_stage stage)
{
    const spate_scene *scene = s->common->scene;
    if (stage == SP_STAGE_EMIT)
        return s->dead == 0 && only_removes(s);
    if (stage == SP_STAGE_SEPARATE)
        return scene->volume.method == SPATE_VOLUME_NONE;
    return false;
}

spate_status X(device_stage)(X(sim) *s, sp_stage stage, double dt, bool *done,
                             spate_error *error)
{
    X(gpu) *g = s->gpu;
    X(gpu_mark)(g, (int)stage);
    *done = true;
    if (is_idle(s, stage))
        return SPATE_OK;
    if (stage == SP_STAGE_SOLIDS) {
        g->bodies_there = g->bodies_there && !s->solids_changed && !s->movers;
        *done = s->movers && !s->solids_changed; /* otherwise the host lays all of them, or none */
        if (!*done)
            return SPATE_OK;
        advance_solids(s, dt);
    }
    TRY(run(s, stage, dt, error));
    return g->failure[0] ? failure(s, error) : SPATE_OK;
}

uint64_t X(device_bytes)(const X(sim) *s)
{
    return s->gpu->allocated;
}

void X(device_times)(X(sim) *s, double seconds[SP_STAGE_COUNT])
{
    X(gpu_mark)(s->gpu, SP_STAGE_COUNT);
    X(gpu_times)(s->gpu, seconds);
}

spate_status X(device_wait)(X(sim) *s, spate_error *error)
{
    return X(gpu_wait)(s->gpu) ? SPATE_OK : failure(s, error);
}

bool X(device_max_speed)(X(sim) *s, double *speed)
{
    X(gpu) *g = s->gpu;
    if (!(g->on_device & GPU_PARTICLES))
        return false;
    *speed = X(gpu_max_speed)(g);
    return true;
}
