/* device.c -- the device cuda (and check): its life, its plan, and what each stage reads and
 * writes.
 *
 * All stages run on the device, but for solids that have come or gone: the host lays these. What
 * a stage reads and writes stands in stages.def; residency.c uploads that, and notes what has
 * become stale in the other memory. Outside of the steps checkpoints, gauges and changes by the
 * user work on the host's arrays, which X(fetch) makes current and X(dirty) declares newer. */
#include "residency.h"
#include "stages.h"
#include "stages/stages.h"

#include "kernels/contact.h"
#include "kernels/forces.h"
#include "kernels/gauges.h"
#include "kernels/step_info.h"
#include "scene/channels.h"
#include "state/cg_policy.h"

#include <math.h>
#include <string.h>

#define NAME_TEXT(name) #name
#define NAME_OF(name) NAME_TEXT(name)

static spate_status failure(const X(sim) *s, spate_error *error)
{
    return sp_fail(error, SPATE_ERROR_DEVICE, "device", "%s", s->gpu->failure);
}

/* ---- life */

static size_t gauge_bytes(const spate_scene *scene)
{
    return (size_t)scene->gauge_count * sizeof(X(gauge));
}

static size_t part_bytes(const spate_scene *scene, const X(grid) *g)
{
    return X(most_gauge_parts)(scene, g) * 3 * sizeof(double);
}

static uint64_t device_bytes_for(const spate_scene *scene, const X(grid) *g, uint64_t particles)
{
    unsigned needs = X(needs)(scene);
    sp_grid_column grid_columns[SP_GRID_COLUMNS];
    int on_grid = sp_grid_columns(scene, grid_columns);
    uint64_t capacity = particles + 16, bytes = 0;
    uint64_t columns = 5 + (uint64_t)X(count_columns)(needs, false); /* spare, keys, order twice */
    for (int k = 0; k < scene->channel_count; k++)
        columns += (uint64_t)scene->channels[k].components;
    double rest = 1;
    FOR_DIM(d)
        rest *= scene->fluid.particles_per_axis;
    for (int k = 0; k < ARRAY_COUNT; k++)
        bytes += X(arrays)[k].device & needs ? DEV(gpu_array_bytes)(&X(arrays)[k], g) *
                                                   (uint64_t)X(pointers_of)(&X(arrays)[k], on_grid)
                                             : 0;
    return bytes + 4 * columns * capacity + DEV(gpu_temporary_bytes)(capacity) +
           DEV(gpu_solver_bytes)(g, (double)particles / rest, needs & WHEN_SOLIDS,
                                 needs & WHEN_PROJECTION) +
           (uint64_t)g->tile_count * (1 + 4 * (2 * GPU_LISTS + 1) + 8) + /* gpu_attach; partials */
           gauge_bytes(scene) + part_bytes(scene, g);
}

static X(device_memory) needs(const spate_scene *scene, const X(grid) *g, uint64_t particles)
{
    return (X(device_memory)){.host = DEV(snapshot_bytes)(scene, (double)particles),
                              .device = device_bytes_for(scene, g, particles)};
}

static void make_solver(X(sim) *s)
{
    X(grid) grids[MAX_LEVELS];
    const X(grid) *list[MAX_LEVELS];
    bool multigrid = s->common->scene->pressure.solver == SPATE_SOLVER_MULTIGRID;
    int count = multigrid ? X(level_grids)(&s->grid, grids) : 1;
    grids[0] = s->grid;
    for (int k = 0; k < count; k++)
        list[k] = &grids[k];
    DEV(gpu_solver_create)(s->gpu, count, list, s->needs & WHEN_PROJECTION);
}

static spate_status make_gauges(X(sim) *s, spate_error *error)
{
    const spate_scene *scene = s->common->scene;
    X(gpu) *g = s->gpu;
    if (scene->gauge_count == 0)
        return SPATE_OK;
    g->gauge_list = sp_alloc(1, gauge_bytes(scene));
    if (!g->gauge_list)
        return sp_fail_memory(error, "the gauges", gauge_bytes(scene));
    g->gauges = DEV(gpu_alloc)(g, gauge_bytes(scene), "the gauges");
    g->gauge_parts = DEV(gpu_alloc)(g, part_bytes(scene, &s->grid), "the gauges");
    return SPATE_OK;
}

static spate_status attach(X(sim) *s, spate_error *error)
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
    uint64_t available, total, needed = device_bytes_for(scene, &s->grid, s->particles.capacity);
    DEV(gpu_memory)(g, &available, &total);
    if (needed > available)
        return sp_fail_device_memory(error, needed, available);
    X(fields) *f = &g->f;
    size_t tiles = (size_t)s->grid.tile_count;
    f->grid = s->grid;
    memcpy(f->sides, s->sides, sizeof f->sides);
    f->degree = s->degree;
    f->degree_to_grid = s->degree_to_grid;
    f->free_flight = s->free_flight;
    f->contact = s->contact;
    f->affine = s->affine;
    f->surface = s->surface;
    f->on_grid = s->on_grid;
    memcpy(f->column_of, s->column_of, sizeof f->column_of);
    f->tiles.everywhere = s->tiles.everywhere;
    f->particles = X(particles_make)(s->particles.needs, s->particles.own_columns);
    f->rest = s->rest;
    g->needs = X(needs)(scene) & ~(unsigned)(WHEN_SOLIDS | WHEN_MOVERS); /* residency.c adds them */
    DEV(gpu_make_arrays)(s);
    DEV(gpu_reserve)(s, false);
    g->counters = DEV(gpu_alloc)(g, sizeof *g->counters, "counters");
    g->census = DEV(gpu_alloc)(g, sizeof *g->census, "counters");
    g->fold_parts = DEV(gpu_alloc)(g, FOLD_BYTES, "counters");
    g->tile_flags = DEV(gpu_alloc)(g, 2 * GPU_LISTS * (tiles + 1) * sizeof(uint32_t), "the tiles");
    g->list_totals = DEV(gpu_alloc)(g, GPU_LISTS * sizeof(uint32_t), "the tiles");
    g->left = DEV(gpu_alloc)(g, tiles * sizeof(int), "the tiles");
    g->near_movers = DEV(gpu_alloc)(g, tiles, "the tiles");
    TRY(make_gauges(s, error));
    TRY(DEV(gpu_copy_flows)(s, error));
    make_solver(s);
    g->on_host = GROUP_ALL;
    g->on_device = GROUP_ALL & ~(unsigned)(GROUP_PARTICLES | GROUP_SETS | GROUP_SOLIDS);
    DEV(gpu_use)(s, GROUP_ALL & ~(unsigned)GROUP_SETS); /* here, and not in the first step */
    return DEV(gpu_wait)(g) ? SPATE_OK : failure(s, error);
}

/* As users see them, who know nothing of the order of work on the device. */
static const X(fields) *current_arrays(X(sim) *s, unsigned groups)
{
    DEV(gpu_use)(s, groups);
    return DEV(gpu_wait)(s->gpu) ? &s->gpu->f : NULL;
}

static void detach(X(sim) *s)
{
    X(gpu) *g = s->gpu;
    void **columns[MAX_COLUMNS];
    if (!g)
        return;
    size_t tiles = (size_t)s->grid.tile_count;
    DEV(gpu_solver_destroy)(g);
    DEV(gpu_free_snapshot)(g);
    DEV(gpu_free_arrays)(s);
    int count = X(list_columns)(&g->f.particles, false, columns);
    for (int k = 0; k < count; k++)
        DEV(gpu_free)(g, *columns[k], (size_t)g->capacity * 4);
    DEV(gpu_free_sets)(s);
    uint32_t *scratch[] = {(uint32_t *)g->spare, g->order, g->order_other, g->key, g->key_other};
    for (size_t k = 0; k < sizeof scratch / sizeof *scratch; k++)
        DEV(gpu_free)(g, scratch[k], (size_t)g->scratch_capacity * 4);
    DEV(gpu_free)(g, g->partials, g->partial_count * sizeof(double));
    DEV(gpu_free)(g, g->temporary, g->temporary_bytes);
    DEV(gpu_free)(g, g->counters, sizeof *g->counters);
    DEV(gpu_free)(g, g->census, sizeof *g->census);
    DEV(gpu_free)(g, g->fold_parts, FOLD_BYTES);
    DEV(gpu_free)(g, g->tile_flags, 2 * GPU_LISTS * (tiles + 1) * sizeof(uint32_t));
    DEV(gpu_free)(g, g->list_totals, GPU_LISTS * sizeof(uint32_t));
    DEV(gpu_free)(g, g->left, tiles * sizeof(int));
    DEV(gpu_free)(g, g->near_movers, tiles);
    DEV(gpu_free)(g, g->gauges, gauge_bytes(s->common->scene));
    DEV(gpu_free)(g, g->gauge_parts, part_bytes(s->common->scene, &s->grid));
    sp_free(g->gauge_list);
    DEV(gpu_free_flows)(g);
    DEV(gpu_free_traces)(g);
    DEV(gpu_free_bodies)(g);
    DEV(gpu_close)(g);
    sp_free(g);
    s->gpu = NULL;
}
/* ---- the stages */

/* Before and after a stage, whose row says what it reads and writes. */
static X(gpu) *begin(X(sim) *s, sp_stage stage)
{
    DEV(gpu_use)(s, X(stages)[stage].reads | X(stages)[stage].writes);
    return s->gpu;
}

static spate_status end(X(sim) *s, sp_stage stage, spate_error *error)
{
    DEV(gpu_wrote)(s, X(stages)[stage].writes);
    return s->gpu->failure[0] ? failure(s, error) : SPATE_OK;
}

void DEV(gpu_sort)(X(sim) *s)
{
    X(gpu) *g = begin(s, SP_STAGE_SORT);
    if (g->sorted)
        return;
    DEV(gpu_sort_particles)(g);
    DEV(gpu_wrote)(s, X(stages)[SP_STAGE_SORT].writes);
    g->sorted = true;
}

static spate_status sort(X(sim) *s, double dt, spate_error *error)
{
    (void)dt;
    DEV(gpu_sort)(s);
    return s->gpu->failure[0] ? failure(s, error) : SPATE_OK;
}

/* Solids that move are laid here; the host lays all of them where some have come or gone. */
static spate_status solids(X(sim) *s, double dt, spate_error *error)
{
    double time = s->common->frame / s->common->scene->fps + s->common->inside;
    s->gpu->bodies_there = s->gpu->bodies_there && !s->solids_changed && !s->movers;
    if (!s->movers || s->solids_changed)
        return s->host->plan(s, false)->stage[SP_STAGE_SOLIDS](s, dt, error);
    sp_solids_advance(&s->solids, time, dt);
    DEV(gpu_lay_solids)(begin(s, SP_STAGE_SOLIDS));
    return end(s, SP_STAGE_SOLIDS, error);
}

static spate_status p2g(X(sim) *s, double dt, spate_error *error)
{
    (void)dt;
    DEV(gpu_particles_to_grid)(begin(s, SP_STAGE_P2G));
    return end(s, SP_STAGE_P2G, error);
}

static spate_status extrapolate(X(sim) *s, double dt, spate_error *error)
{
    s->common->flow_speed = DEV(gpu_extrapolate)(begin(s, SP_STAGE_EXTRAPOLATE), dt, &s->reach);
    return end(s, SP_STAGE_EXTRAPOLATE, error);
}

static spate_status g2p(X(sim) *s, double dt, spate_error *error)
{
    begin(s, SP_STAGE_G2P);
    DEV(gpu_transfer_back)(s, dt);
    return end(s, SP_STAGE_G2P, error);
}

static spate_status advect(X(sim) *s, double dt, spate_error *error)
{
    begin(s, SP_STAGE_ADVECT);
    DEV(gpu_use)(s, s->displaced ? GROUP_WEIGHT : 0);
    spate_status status = DEV(gpu_advect)(s, dt, error);
    TRY(end(s, SP_STAGE_ADVECT, error));
    return status;
}

/* EMIT without anything that gives or takes particles but open sides and closing solids. */
static bool only_removes(const X(sim) *s)
{
    bool adds = s->common->medium->fills_domain || s->common->scene->fluid.reseed;
    return s->emitter_count == 0 && s->drain_count == 0 && !adds;
}

static spate_status emit(X(sim) *s, double dt, spate_error *error)
{
    if (s->particles.dead == 0 && only_removes(s))
        return SPATE_OK;
    begin(s, SP_STAGE_EMIT);
    spate_status status = DEV(gpu_emit_and_drain)(s, dt, error);
    TRY(end(s, SP_STAGE_EMIT, error));
    return status;
}

static spate_status tracers(X(sim) *s, double dt, spate_error *error)
{
    begin(s, SP_STAGE_TRACERS);
    DEV(gpu_use)(s, GROUP_SET(SET_TRACERS) | (s->displaced ? GROUP_WEIGHT : 0));
    spate_status status = DEV(gpu_trace)(s, dt, error);
    DEV(gpu_wrote)(s, GROUP_SET(SET_TRACERS));
    TRY(end(s, SP_STAGE_TRACERS, error));
    return status;
}

/* The plan, of kernels/stages.def: a function for each stage of MAP, then the table. */
#define STAGE_DEVICE(NAME, name)
#define STAGE_HOST(NAME, name)
#define STAGE_SIM(NAME, name)
#define STAGE_MAP(NAME, name)                                          \
    static spate_status name(X(sim) *s, double dt, spate_error *error) \
    {                                                                  \
        X(step_info) step = X(step_info_of)(s, dt);                    \
        DEV(name)(begin(s, SP_STAGE_##NAME), &step);                   \
        return end(s, SP_STAGE_##NAME, error);                         \
    }
#define STAGE(NAME, name, by, ...) STAGE_##by(NAME, name)
#include "kernels/stages.def"

#undef STAGE_DEVICE
#undef STAGE_MAP
#define STAGE_DEVICE(NAME, name) [SP_STAGE_##NAME] = name,
#define STAGE_MAP(NAME, name) [SP_STAGE_##NAME] = name,

static const X(plan) by_stages = {.stage = {
#define STAGE(NAME, name, by, ...) STAGE_##by(NAME, name)
#include "kernels/stages.def"
                                  }};

static const X(plan) *plan(const X(sim) *s, bool whole)
{
    (void)s, (void)whole;
    return &by_stages;
}

static void begin_stage(X(sim) *s, sp_stage stage)
{
    DEV(gpu_mark)(s->gpu, (int)stage);
}

/* ---- the solves */

static bool has_multigrid(const X(sim) *s)
{
    return s->common->scene->pressure.solver == SPATE_SOLVER_MULTIGRID;
}

/* From here on the pressure is the device's. */
static bool part(X(sim) *s, const struct X(contact) *how)
{
    X(gpu) *g = begin(s, SP_STAGE_PRESSURE);
    DEV(gpu_wrote)(s, X(stages)[SP_STAGE_PRESSURE].writes);
    int contact = DEV(part)(g, how);
    g->f.parts = contact != CONTACT_WHOLE;
    return contact == CONTACT_CHANGED;
}

static double assemble(X(sim) *s, double dt, double scale, double *solvable)
{
    X(system) *sys = &s->system;
    X(gpu) *g = begin(s, SP_STAGE_PRESSURE);
    DEV(gpu_wrote)(s, X(stages)[SP_STAGE_PRESSURE].writes);
    g->dt = dt;
    sys->hierarchy = false;
    double largest =
        DEV(gpu_assemble)(g, s->movers, (float)scale, has_multigrid(s) ? sys->sweeps : 0);
    *solvable = DEV(gpu_largest_b)(g); /* there may be pockets */
    return largest;
}

/* Without a look by the host. */
static void solve_multigrid(X(sim) *s, X(solve) *solve)
{
    s->system.hierarchy = true;
    solve->residual = DEV(gpu_solve_multigrid)(s->gpu, s->system.sweeps, solve->tolerance,
                                               solve->max_iterations, &solve->iterations);
    solve->converged = solve->residual <= solve->tolerance;
}

static double residual(void *sim)
{
    X(sim) *s = sim;
    return DEV(gpu_residual)(s->gpu);
}

static void sweep(void *sim, float weight)
{
    X(sim) *s = sim;
    if (s->common->scene->pressure.solver == SPATE_SOLVER_JACOBI) {
        DEV(gpu_relax)(s->gpu, weight);
        return;
    }
    for (int colour = 0; colour < 2; colour++)
        DEV(gpu_sweep)(s->gpu, weight, colour);
}

static void solve_system(X(sim) *s, X(solve) *solve, DEV(gpu_unknown) what)
{
    DEV(gpu_solve_begin)(s->gpu, what);
    if (has_multigrid(s))
        solve_multigrid(s, solve);
    else
        X(solve_by_sweeps)(&s->system, solve, residual, sweep, s);
    DEV(gpu_solve_end)(s->gpu, what);
}

static void solve_pressure(X(sim) *s, X(solve) *solve)
{
    solve_system(s, solve, GPU_PRESSURE);
}

static void clear_pressure(X(sim) *s)
{
    DEV(gpu_scale_pressure)(s->gpu, s->gpu->f.p, 0.0f);
}

static double apply_pressure(X(sim) *s, double dt, double scale)
{
    (void)dt;
    DEV(gpu_gradient)(s->gpu, false);
    double most = DEV(gpu_divergence)(s->gpu);
    DEV(gpu_scale_pressure)(s->gpu, s->gpu->f.p, (float)scale);
    return most;
}

static void solve_gravity(X(sim) *s, double dt, double to_pressure, X(solve) *solve)
{
    X(gpu) *g = s->gpu;
    X(forces) how = X(forces_of)(s, dt);
    float scale = (float)to_pressure;
    DEV(gpu_gravity_right)(g, &how, solve->tolerance > 0 ? 1.0f / scale : 0.0f);
    solve_system(s, solve, GPU_GRAVITY);
    DEV(gpu_scale_pressure)(g, g->f.p_gravity, scale);
    DEV(gpu_fill_border_periodic)(g, g->f.p_gravity, -1);
}

/* Returns the iterations. */
static int solve_density(X(sim) *s)
{
    X(system) *sys = &s->system;
    if (has_multigrid(s)) {
        if (!sys->hierarchy)
            DEV(gpu_multigrid_build)(s->gpu);
        sys->hierarchy = true;
        DEV(gpu_multigrid_once)(s->gpu, sys->sweeps);
        return 1;
    }
    X(solve) solve = {.max_iterations = DENSITY_SWEEPS};
    solve.tolerance = DENSITY_TOLERANCE * DEV(gpu_largest_b)(s->gpu);
    solve.relaxation = s->common->scene->pressure.relaxation;
    solve_system(s, &solve, GPU_DENSITY);
    return solve.iterations;
}

static int project_density(X(sim) *s)
{
    X(gpu) *g = s->gpu;
    if (!(g->on_device & GROUP_SYSTEM))
        return -1;
    DEV(gpu_use)(s, X(stages)[SP_STAGE_SEPARATE].reads | GROUP_WEIGHT);
    DEV(gpu_density_excess)(g);
    int iterations = solve_density(s);
    DEV(gpu_gradient)(g, true);
    DEV(gpu_density_extend)(g);
    DEV(gpu_wrote)(s, GROUP_WEIGHT);
    return iterations;
}

static void shift(X(sim) *s, float share)
{
    X(gpu) *g = s->gpu;
    DEV(gpu_use)(s, X(stages)[SP_STAGE_SEPARATE].reads | GROUP_WEIGHT);
    DEV(find_shift)(g, share);
    DEV(gpu_wrote)(s, GROUP_WEIGHT);
}

/* ---- gauges */

/* The list goes to the device when it has changed: in most steps it has not. */
static size_t take_gauges(X(sim) *s, double stretch)
{
    const unsigned groups = GROUP_TILES | GROUP_SURFACE | GROUP_SOLIDS | GROUP_U | GROUP_PRESSURE;
    X(gpu) *g = s->gpu;
    int count = s->common->scene->gauge_count;
    size_t bytes = gauge_bytes(s->common->scene);
    DEV(gpu_use)(s, groups);
    X(probe) probe = X(probe_of)(s);
    probe.f = g->f;
    probe.stretch = stretch;
    size_t parts = X(list_gauges)(s, &probe);
    if (memcmp(g->gauge_list, s->gauges, bytes) != 0)
        DEV(gpu_upload)(g, g->gauges, s->gauges, bytes);
    memcpy(g->gauge_list, s->gauges, bytes);
    if (parts == 0) /* slices alone, or solids without liquid around */
        return 0;
    X(gauge_job) job = {probe, g->gauges, count, g->gauge_parts};
    ONCE(take_gauges)(g, &job, parts);
    DEV(gpu_download)(g, s->gauge_parts, g->gauge_parts, parts * sizeof *s->gauge_parts);
    return g->failure[0] ? 0 : parts;
}

/* ---- the rest */

static uint64_t bytes(const X(sim) *s)
{
    return s->gpu->allocated;
}

static void times(X(sim) *s, double seconds[SP_STAGE_COUNT])
{
    DEV(gpu_mark)(s->gpu, SP_STAGE_COUNT);
    DEV(gpu_times)(s->gpu, seconds);
}

static spate_status wait(X(sim) *s, spate_error *error)
{
    return DEV(gpu_wait)(s->gpu) ? SPATE_OK : failure(s, error);
}

static double max_speed(X(sim) *s)
{
    bool here = s->gpu->on_device & GROUP_PARTICLES;
    return here ? DEV(gpu_max_speed)(s->gpu) : s->host->max_speed(s);
}

const X(device) DEV(device) = {
    .name = NAME_OF(VARIANT),
    .attach = attach,
    .detach = detach,
    .needs = needs,
    .plan = plan,
    .begin_stage = begin_stage,
    .part = part,
    .assemble = assemble,
    .solve = solve_pressure,
    .clear_pressure = clear_pressure,
    .apply_pressure = apply_pressure,
    .solve_gravity = solve_gravity,
    .push_apart = DEV(gpu_push_pairs),
    .project_density = project_density,
    .shift = shift,
    .flows_changed = DEV(gpu_flows_changed),
    .max_speed = max_speed,
    .stats = DEV(gpu_stats),
    .take_gauges = take_gauges,
    .fetch = DEV(gpu_fetch),
    .dirty = DEV(gpu_dirty),
    .discard = DEV(gpu_discard),
    .wait = wait,
    .times = times,
    .bytes = bytes,
    .arrays = current_arrays,
    .snapshot = DEV(snapshot),
    .snapshot_wait = DEV(snapshot_wait),
};
