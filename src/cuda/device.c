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

uint64_t DEV(device_forecast)(const spate_scene *scene, const X(grid) *g, uint64_t particles)
{
    unsigned needs = X(needs)(scene);
    uint64_t capacity = particles + 16, bytes = 0;
    uint64_t columns = 5 + (uint64_t)X(count_columns)(needs, false); /* spare, keys, order twice */
    for (int k = 0; k < scene->channel_count; k++)
        columns += (uint64_t)scene->channels[k].components;
    double rest = 1;
    FOR_DIM(d)
        rest *= scene->fluid.particles_per_axis;
    for (int k = 0; k < ARRAY_COUNT; k++)
        bytes += X(arrays)[k].device & needs
                     ? DEV(gpu_array_bytes)(&X(arrays)[k], g) * (uint64_t)X(arrays)[k].pointers
                     : 0;
    return bytes + 4 * columns * capacity + DEV(gpu_temporary_bytes)(capacity) +
           DEV(gpu_solver_bytes)(g, (double)particles / rest, needs & WHEN_SOLIDS,
                                 needs & WHEN_DENSITY) +
           (uint64_t)g->tile_count * (1 + 4 * (2 * GPU_LISTS + 1) + 8); /* gpu_attach; partials */
}

static void make_solver(X(sim) *s)
{
    const X(grid) *grids[MAX_LEVELS];
    int count = s->system.level_count > 1 ? s->system.level_count : 1;
    for (int k = 0; k < count; k++)
        grids[k] = &s->system.levels[k].grid;
    DEV(gpu_solver_create)(s->gpu, count, grids, s->density != NULL);
}
spate_status DEV(gpu_attach)(X(sim) *s, spate_error *error)
{
    const spate_scene *scene = s->common->scene;
    X(gpu) *g = s->gpu = sp_alloc(1, sizeof *g);
    if (!g)
        return sp_fail_memory(error, "a device", 0);
    if (scene->pressure.solver == SPATE_SOLVER_PCG)
        return sp_fail(error, SPATE_ERROR_DEVICE, "pressure.solver",
                       "pcg works on the cpu only; use multigrid, which is faster everywhere");
    if (!DEV(gpu_open)(g, s->common->pool))
        return failure(s, error);
    uint64_t available, total,
        needed = DEV(device_forecast)(scene, &s->grid, s->particles.capacity);
    DEV(gpu_memory)(g, &available, &total);
    if (needed > available)
        return sp_fail_device_memory(error, needed, available);
    X(fields) *f = &g->f;
    size_t tiles = (size_t)s->grid.tile_count;
    f->grid = s->grid;
    memcpy(f->sides, s->sides, sizeof f->sides);
    f->degree = s->degree;
    f->apic = s->apic;
    f->ghost = s->ghost;
    f->particles.channel_columns = s->particles.channel_columns;
    f->rest = s->rest;
    g->needs = X(needs)(scene) & ~(unsigned)(WHEN_SOLIDS | WHEN_MOVERS); /* residency.c adds them */
    DEV(gpu_make_arrays)(s);
    DEV(gpu_reserve)(s, false);
    g->counters = DEV(gpu_alloc)(g, sizeof *g->counters, "counters");
    g->census = DEV(gpu_alloc)(g, sizeof *g->census, "counters");
    g->tile_flags = DEV(gpu_alloc)(g, 2 * GPU_LISTS * (tiles + 1) * sizeof(uint32_t), "the tiles");
    g->list_totals = DEV(gpu_alloc)(g, GPU_LISTS * sizeof(uint32_t), "the tiles");
    g->left = DEV(gpu_alloc)(g, tiles * sizeof(int), "the tiles");
    g->near_movers = DEV(gpu_alloc)(g, tiles, "the tiles");
    TRY(DEV(gpu_copy_flows)(s, error));
    make_solver(s);
    g->on_host = GPU_ALL;
    g->on_device = GPU_ALL & ~(unsigned)(GPU_PARTICLES | GPU_SOLIDS);
    DEV(gpu_use)(s, GPU_ALL); /* here, and not in the first step */
    return DEV(gpu_wait)(g) ? SPATE_OK : failure(s, error);
}

void DEV(gpu_detach)(X(sim) *s)
{
    X(gpu) *g = s->gpu;
    void **columns[MAX_COLUMNS];
    if (!g)
        return;
    size_t tiles = (size_t)s->grid.tile_count;
    DEV(gpu_solver_destroy)(g);
    DEV(gpu_free_snapshot)(g);
    DEV(gpu_free_arrays)(s);
    int count = DEV(gpu_columns)(g, columns);
    for (int k = 0; k < count; k++)
        DEV(gpu_free)(g, *columns[k], (size_t)g->capacity * 4);
    uint32_t *scratch[] = {(uint32_t *)g->spare, g->order, g->order_other, g->key, g->key_other};
    for (size_t k = 0; k < sizeof scratch / sizeof *scratch; k++)
        DEV(gpu_free)(g, scratch[k], (size_t)g->capacity * 4);
    DEV(gpu_free)(g, g->partials, g->partial_count * sizeof(double));
    DEV(gpu_free)(g, g->temporary, g->temporary_bytes);
    DEV(gpu_free)(g, g->counters, sizeof *g->counters);
    DEV(gpu_free)(g, g->census, sizeof *g->census);
    DEV(gpu_free)(g, g->tile_flags, 2 * GPU_LISTS * (tiles + 1) * sizeof(uint32_t));
    DEV(gpu_free)(g, g->list_totals, GPU_LISTS * sizeof(uint32_t));
    DEV(gpu_free)(g, g->left, tiles * sizeof(int));
    DEV(gpu_free)(g, g->near_movers, tiles);
    DEV(gpu_free_flows)(g);
    DEV(gpu_free_bodies)(g);
    DEV(gpu_close)(g);
    sp_free(g);
    s->gpu = NULL;
}
/* ---- the stages */

/* What each stage reads and writes; it reads what it writes, for outside of the tiles with work
 * values stay. */
static const struct {
    unsigned reads, writes;
} plan[SPATE_STAGE_COUNT] = {
    [SPATE_STAGE_SORT] = {0, GPU_PARTICLES | GPU_TILES | GPU_U | GPU_U_OLD | GPU_WEIGHT |
                                 GPU_SURFACE | GPU_PRESSURE | GPU_KNOWN},
    [SPATE_STAGE_SOLIDS] = {0, GPU_SOLIDS},
    [SPATE_STAGE_P2G] = {GPU_PARTICLES | GPU_TILES, GPU_U | GPU_U_OLD | GPU_WEIGHT},
    [SPATE_STAGE_SURFACE] = {GPU_PARTICLES | GPU_TILES | GPU_SOLIDS, GPU_SURFACE},
    [SPATE_STAGE_FORCES] = {GPU_TILES | GPU_SURFACE | GPU_SOLIDS | GPU_WEIGHT, GPU_U | GPU_U_OLD},
    [SPATE_STAGE_PRESSURE] = {GPU_TILES | GPU_SURFACE | GPU_SOLIDS,
                              GPU_U | GPU_PRESSURE | GPU_SYSTEM},
    [SPATE_STAGE_EXTRAPOLATE] = {GPU_TILES | GPU_SURFACE | GPU_SOLIDS,
                                 GPU_U | GPU_U_OLD | GPU_KNOWN | GPU_WEIGHT},
    [SPATE_STAGE_G2P] = {GPU_TILES | GPU_U | GPU_U_OLD | GPU_KNOWN, GPU_PARTICLES | GPU_WEIGHT},
    [SPATE_STAGE_SEPARATE] = {GPU_TILES | GPU_SURFACE | GPU_SOLIDS | GPU_KNOWN | GPU_SYSTEM,
                              GPU_PARTICLES | GPU_WEIGHT},
    [SPATE_STAGE_ADVECT] = {GPU_TILES | GPU_U | GPU_SOLIDS, GPU_PARTICLES},
    [SPATE_STAGE_EMIT] = {GPU_TILES | GPU_U | GPU_SURFACE | GPU_SOLIDS, GPU_PARTICLES},
};

/* EMIT without anything that gives or takes particles but open sides and closing solids. */
static bool only_removes(const X(sim) *s)
{
    return s->emitter_count == 0 && s->drain_count == 0 && !s->common->scene->fluid.reseed;
}

void DEV(gpu_sort)(X(sim) *s)
{
    DEV(gpu_use)(s, plan[SPATE_STAGE_SORT].reads | plan[SPATE_STAGE_SORT].writes);
    DEV(gpu_sort_particles)(s->gpu);
    DEV(gpu_wrote)(s, plan[SPATE_STAGE_SORT].writes);
}

static void advance_solids(X(sim) *s, double dt)
{
    double time = s->common->frame / s->common->scene->fps + s->common->inside;
    sp_solids_advance(&s->solids, time, dt);
}

static void add_forces(X(sim) *s, double dt)
{
    DEV(gpu_forces) how = {.friction = s->common->scene->domain.friction, .dt = dt};
    FOR_DIM(d)
        how.dv[d] = (float)(s->common->gravity[d] * dt);
    DEV(gpu_add_forces)(s->gpu, &how);
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
    unsigned reads = plan[SPATE_STAGE_SEPARATE].reads | GPU_WEIGHT;
    s->gpu->solves = s->gpu->on_device & GPU_SYSTEM;
    if (s->gpu->solves)
        DEV(gpu_use)(s, reads);
    else
        X(fetch)(s, reads);
    X(project_density)(s);
    if (s->gpu->solves)
        DEV(gpu_wrote)(s, GPU_WEIGHT);
    else
        X(dirty)(s, GPU_WEIGHT);
    s->gpu->solves = false;
}

static void separate(X(sim) *s)
{
    if (X(pushes_apart)(s->common->scene))
        DEV(gpu_push_pairs)(s);
    if (s->density)
        find_displacement(s);
}

static spate_status run(X(sim) *s, spate_stage stage, double dt, spate_error *error)
{
    X(gpu) *g = s->gpu;
    spate_status status = SPATE_OK;
    if (stage == SPATE_STAGE_SEPARATE) {
        if (dt > 0)
            separate(s);
        return SPATE_OK;
    }
    DEV(gpu_use)(s, plan[stage].reads | plan[stage].writes);
    if (stage == SPATE_STAGE_ADVECT && s->displaced)
        DEV(gpu_use)(s, GPU_WEIGHT);
    switch (stage) {
    case SPATE_STAGE_SORT:
        s->displaced = false;
        DEV(gpu_sort_particles)(g);
        break;
    case SPATE_STAGE_P2G: DEV(gpu_particles_to_grid)(g); break;
    case SPATE_STAGE_SURFACE: DEV(gpu_build_surface)(g); break;
    case SPATE_STAGE_SOLIDS: DEV(gpu_lay_solids)(g); break;
    case SPATE_STAGE_FORCES: add_forces(s, dt); break;
    case SPATE_STAGE_PRESSURE: status = project(s, dt, error); break;
    case SPATE_STAGE_EXTRAPOLATE: DEV(gpu_extrapolate)(g, dt, &s->reach); break;
    case SPATE_STAGE_G2P: DEV(gpu_transfer_back)(s, dt); break;
    case SPATE_STAGE_ADVECT: status = DEV(gpu_advect)(s, dt, error); break;
    case SPATE_STAGE_EMIT: status = DEV(gpu_emit_and_drain)(s, dt, error); break;
    default: break;
    }
    DEV(gpu_wrote)(s, plan[stage].writes);
    return status;
}

/* Stages that have nothing to do. */
static bool is_idle(const X(sim) *s, spate_stage stage)
{
    const spate_scene *scene = s->common->scene;
    if (stage == SPATE_STAGE_EMIT)
        return s->dead == 0 && only_removes(s);
    if (stage == SPATE_STAGE_SEPARATE)
        return scene->volume.method == SPATE_VOLUME_NONE;
    return false;
}

spate_status DEV(device_stage)(X(sim) *s, spate_stage stage, double dt, bool *done,
                               spate_error *error)
{
    X(gpu) *g = s->gpu;
    DEV(gpu_mark)(g, (int)stage);
    *done = true;
    if (is_idle(s, stage))
        return SPATE_OK;
    if (stage == SPATE_STAGE_SOLIDS) {
        g->bodies_there = g->bodies_there && !s->solids_changed && !s->movers;
        *done = s->movers && !s->solids_changed; /* otherwise the host lays all of them, or none */
        if (!*done)
            return SPATE_OK;
        advance_solids(s, dt);
    }
    TRY(run(s, stage, dt, error));
    return g->failure[0] ? failure(s, error) : SPATE_OK;
}

uint64_t DEV(device_bytes)(const X(sim) *s)
{
    return s->gpu->allocated;
}

void DEV(device_times)(X(sim) *s, double seconds[SPATE_STAGE_COUNT])
{
    DEV(gpu_mark)(s->gpu, SPATE_STAGE_COUNT);
    DEV(gpu_times)(s->gpu, seconds);
}

spate_status DEV(device_wait)(X(sim) *s, spate_error *error)
{
    return DEV(gpu_wait)(s->gpu) ? SPATE_OK : failure(s, error);
}

bool DEV(device_max_speed)(X(sim) *s, double *speed)
{
    X(gpu) *g = s->gpu;
    if (!(g->on_device & GPU_PARTICLES))
        return false;
    *speed = DEV(gpu_max_speed)(g);
    return true;
}
