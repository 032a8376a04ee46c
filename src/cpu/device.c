/* device.c -- the CPU as a device: DEV(device), one for each instruction set. */
#include "advect.h"
#include "exec.h"
#include "kernels/contact.h"
#include "kernels/emit.h"
#include "kernels/flight.h"
#include "kernels/forces.h"
#include "kernels/gauges.h"
#include "kernels/step_info.h"
#include "pressure/pressure.h"

#include <string.h>

/* ---- the stages */

static spate_status sort(X(sim) *s, double dt, spate_error *error)
{
    (void)dt, (void)error;
    X(set) *fluid = &s->sets[SET_FLUID];
    X(flight) flight = DEV(flight_of)(s);
    if (!DEV(sort_particles)(fluid->particles, &fluid->cells, &flight, s->common->pool,
                             X(arena)(s)))
        return SPATE_OK;
    s->density_summed = false;
    X(clear_left)(s);
    return SPATE_OK;
}

static spate_status solids(X(sim) *s, double dt, spate_error *error)
{
    (void)error;
    X(update_solids)(s, dt);
    return SPATE_OK;
}

static spate_status p2g(X(sim) *s, double dt, spate_error *error)
{
    (void)dt, (void)error;
    DEV(particles_to_grid)(s);
    return SPATE_OK;
}

static spate_status extrapolate(X(sim) *s, double dt, spate_error *error)
{
    (void)error;
    DEV(extrapolate)(s, dt);
    return SPATE_OK;
}

/* The first step of a frame measures what becomes of momentum. */
static bool is_measured(const X(sim) *s)
{
    return s->common->substeps == 0;
}

static void bring_back_channels(X(sim) *s, double dt)
{
    X(exec) e = X(exec_of)(s);
    X(channel_step) how = X(channels_of)(s, dt);
    DEV(bring_back_channels)(&e, &how);
}

static spate_status g2p(X(sim) *s, double dt, spate_error *error)
{
    double momentum[DIM];
    (void)error;
    DEV(carry_kick)(s, dt);
    if (is_measured(s))
        DEV(before_transfer)(s, dt, momentum);
    DEV(grid_to_particles)(s, dt);
    bring_back_channels(s, dt);
    if (is_measured(s))
        DEV(after_transfer)(s, dt, momentum);
    return SPATE_OK;
}

/* G2P without the particles' part. */
static spate_status g2p_field(X(sim) *s, double dt, spate_error *error)
{
    (void)error;
    DEV(carry_kick)(s, dt);
    bring_back_channels(s, dt);
    return SPATE_OK;
}

static spate_status advect(X(sim) *s, double dt, spate_error *error)
{
    return DEV(advect_particles)(s, dt, false, error);
}

/* ADVECT with that part: both read the grid at the same places. */
static spate_status g2p_and_advect(X(sim) *s, double dt, spate_error *error)
{
    return DEV(advect_particles)(s, dt, true, error);
}

/* ---- EMIT */

static uint32_t drain(X(sim) *s)
{
    X(exec) e = X(exec_of)(s);
    X(outflows) outflows = X(outflows_of)(s);
    return ONCE(drain)(&e, &outflows);
}

static void remove_dead(X(sim) *s)
{
    X(particles_remove_dead)(&s->particles);
}

static double sum_channel(X(sim) *s, int column, uint32_t first, bool dead)
{
    X(exec) e = X(exec_of)(s);
    return DEV(sum_channel)(&e, column, first, s->particles.count - first, dead);
}

static uint32_t find_newcomers(X(sim) *s, int k, X(inflow) *inflow, size_t places)
{
    X(exec) e = X(exec_of)(s);
    (void)k;
    return ONCE(find_newcomers)(&e, inflow, places);
}

static void put_newcomers(X(sim) *s, const X(inflow) *inflow, size_t places)
{
    X(exec) e = X(exec_of)(s);
    ONCE(put_newcomers)(&e, inflow, places);
}

static uint32_t count_reseeded(X(sim) *s, const X(reseeding) *how)
{
    X(exec) e = X(exec_of)(s);
    return ONCE(count_reseeded)(&e, how);
}

static void put_reseeded(X(sim) *s, const X(reseeding) *how, const X(newcomers) *what)
{
    X(exec) e = X(exec_of)(s);
    ONCE(put_reseeded)(&e, how, what);
}

static uint32_t thin(X(sim) *s, const X(reseeding) *how)
{
    X(exec) e = X(exec_of)(s);
    return ONCE(thin_cells)(&e, how);
}

static uint32_t prune(X(sim) *s, const X(pruning) *how)
{
    X(exec) e = X(exec_of)(s);
    return ONCE(prune_cells)(&e, how);
}

static uint32_t most_in_cell(X(sim) *s)
{
    X(exec) e = X(exec_of)(s);
    return ONCE(count_cells)(&e).most;
}

static spate_status emit(X(sim) *s, double dt, spate_error *error)
{
    static const X(emission) parts = {.drain = drain,
                                      .remove_dead = remove_dead,
                                      .sum_channel = sum_channel,
                                      .find = find_newcomers,
                                      .put = put_newcomers,
                                      .count_reseeded = count_reseeded,
                                      .put_reseeded = put_reseeded,
                                      .thin = thin,
                                      .prune = prune,
                                      .most_in_cell = most_in_cell};
    return X(emit_in_order)(s, dt, &parts, error);
}

static spate_status tracers(X(sim) *s, double dt, spate_error *error)
{
    return DEV(trace)(s, dt, error);
}

/* The CPU alone has this stage. */
static spate_status whitewater(X(sim) *s, double dt, spate_error *error)
{
    return DEV(whitewater)(s, dt, error);
}

/* ---- the plans, of kernels/stages.def: a function for each stage of MAP, then the tables */

#define STAGE_DEVICE(NAME, name)
#define STAGE_HOST(NAME, name)
#define STAGE_SIM(NAME, name)
#define STAGE_MAP(NAME, name)                                          \
    static spate_status name(X(sim) *s, double dt, spate_error *error) \
    {                                                                  \
        X(exec) e = X(exec_of)(s);                                     \
        X(step_info) step = X(step_info_of)(s, dt);                    \
        (void)error;                                                   \
        DEV(name)(&e, &step);                                          \
        return SPATE_OK;                                               \
    }
#define STAGE(NAME, name, by, ...) STAGE_##by(NAME, name)
#include "kernels/stages.def"

#undef STAGE_DEVICE
#undef STAGE_HOST
#undef STAGE_MAP
#define STAGE_DEVICE(NAME, name) [SP_STAGE_##NAME] = name,
#define STAGE_HOST(NAME, name) [SP_STAGE_##NAME] = name,
#define STAGE_MAP(NAME, name) [SP_STAGE_##NAME] = name,

static const X(plan) by_stages = {.stage = {
#define STAGE(NAME, name, by, ...) STAGE_##by(NAME, name)
#include "kernels/stages.def"
                                  }};

/* In it ADVECT does the particles' part of G2P. */
#define g2p g2p_field
#define advect g2p_and_advect
static const X(plan) fused = {.stage = {
#define STAGE(NAME, name, by, ...) STAGE_##by(NAME, name)
#include "kernels/stages.def"
                              }};
#undef g2p
#undef advect

static const X(plan) *plan(const X(sim) *s, bool whole)
{
    return whole && !is_measured(s) && X(can_transfer_late)(s) ? &fused : &by_stages;
}

/* ---- the solves */

static void zero_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    X(system) *sys = user;
    for (size_t k = begin; k < end; k++) {
        size_t base = X(tile_index)(&sys->grid, sys->levels[0].tiles[k]);
        for (int r = 0; r < TILE_ROWS; r++)
            memset(sys->q + base + X(row_offset)(&sys->grid, r), 0, TILE * sizeof(float));
    }
}

void DEV(clear_pressure)(X(system) *sys)
{
    sp_parallel_for(sys->domain->pool, (size_t)sys->levels[0].tile_count, 8, zero_range, sys);
}

static double residual(void *system)
{
    X(system) *sys = system;
    return DEV(system_residual)(sys, sys->q, NULL);
}

void DEV(solve_system)(X(system) *sys, X(solve) *solve)
{
    switch (sys->solver) {
    case SPATE_SOLVER_JACOBI: X(solve_by_sweeps)(sys, solve, residual, X(relax), sys); break;
    case SPATE_SOLVER_GAUSS_SEIDEL: X(solve_by_sweeps)(sys, solve, residual, X(sweep), sys); break;
    case SPATE_SOLVER_PCG: X(solve_pcg)(sys, solve, DEV(system_residual)); break;
    case SPATE_SOLVER_MULTIGRID: DEV(solve_multigrid)(sys, solve); break;
    }
}

static void clear_pressure(X(sim) *s)
{
    DEV(clear_pressure)(&s->system);
}

static void solve_pressure(X(sim) *s, X(solve) *solve)
{
    DEV(solve_system)(&s->system, solve);
}

static double assemble(X(sim) *s, double dt, double scale, double *solvable)
{
    double largest = DEV(system_assemble)(s, dt, scale);
    *solvable = s->system.has_pockets ? DEV(system_largest_b)(&s->system) : largest;
    return largest;
}

static double apply_pressure(X(sim) *s, double dt, double scale)
{
    DEV(system_gradient)(s, s->u, false);
    return DEV(system_divergence)(s, dt, scale);
}

/* The flag `parts` is the simulation's: the fields of exec are a copy. */
static bool part(X(sim) *s, const X(contact) *how)
{
    X(exec) e = X(exec_of)(s);
    int contact = DEV(part)(&e, how);
    s->parts = contact != CONTACT_WHOLE;
    return contact == CONTACT_CHANGED;
}

static void shift(X(sim) *s, float share)
{
    X(exec) e = X(exec_of)(s);
    DEV(find_shift)(&e, share);
}

/* ---- what users look at */

static void update_level_set(X(sim) *s)
{
    X(exec) e = X(exec_of)(s);
    DEV(update_level_set)(&e);
}

static void update_channels(X(sim) *s)
{
    double particles[CHANNEL_COLUMNS], cells[GRID_COLUMNS];
    X(exec) e = X(exec_of)(s);
    DEV(measure_channels)(&e, particles, cells);
}

/* Sorts the particles first. The grid may not know yet of solids that came or went. */
static void stats(X(sim) *s, spate_stats *stats)
{
    X(census) census = {0};
    sort(s, 0, NULL);
    X(exec) e = X(exec_of)(s);
    census.cells = ONCE(count_cells)(&e);
    if (X(has_level_set)(s) && s->solids_changed) {
        X(lay_solids)(s);
        e = X(exec_of)(s);
    }
    census.volume = ONCE(measure_volume)(&e);
    DEV(measure_channels)(&e, census.channels, census.held);
    census.max_speed = DEV(max_speed)(s);
    census.particles = ONCE(measure_particles)(&e, s->common->gravity, !s->solids_changed);
    X(measure_spacing)(s, &census);
    census.flying = s->particles.count - s->tiles.first_flying;
    X(fill_stats)(s, &census, stats);
}

static size_t take_gauges(X(sim) *s, double stretch)
{
    X(exec) e = X(exec_of)(s);
    X(gauge_job) job = {X(probe_of)(s), s->gauges, s->common->scene->gauge_count, s->gauge_parts};
    job.probe.stretch = stretch;
    size_t parts = X(list_gauges)(s, &job.probe);
    ONCE(take_gauges)(&e, &job, parts);
    return parts;
}

/* ---- life */

static bool has_multigrid(const spate_scene *scene)
{
    return scene->pressure.solver == SPATE_SOLVER_MULTIGRID;
}

static spate_status attach(X(sim) *s, spate_error *error)
{
    return has_multigrid(s->common->scene) ? DEV(multigrid_create)(&s->system, error) : SPATE_OK;
}

static void detach(X(sim) *s)
{
    DEV(multigrid_destroy)(&s->system);
}

static X(device_memory) needs(const spate_scene *scene, const X(grid) *g, uint64_t particles)
{
    (void)particles;
    return (X(device_memory)){.host = has_multigrid(scene) ? DEV(multigrid_bytes)(g) : 0};
}

/* SORT and P2G, G2P and ADVECT, push-apart: one after another. */
static size_t scratch(const spate_scene *scene)
{
    size_t most = DEV(tile_scratch)(), patch = DEV(patch_scratch)() + sizeof(X(slips)) + 64;
    most = patch > most ? patch : most;
    size_t push = X(pushes_apart)(scene) ? DEV(push_scratch)(scene) : 0;
    return push > most ? push : most;
}

const X(device) DEV(device) = {
    .name = "cpu",
    .attach = attach,
    .detach = detach,
    .needs = needs,
    .scratch = scratch,
    .plan = plan,
    .part = part,
    .assemble = assemble,
    .solve = solve_pressure,
    .clear_pressure = clear_pressure,
    .apply_pressure = apply_pressure,
    .solve_gravity = DEV(solve_gravity),
    .push_apart = DEV(push_apart),
    .project_density = DEV(project_density),
    .shift = shift,
    .max_speed = DEV(max_speed),
    .stats = stats,
    .take_gauges = take_gauges,
    .lay_solids = X(lay_solids),
    .update_level_set = update_level_set,
    .update_channels = update_channels,
};
