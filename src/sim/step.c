/* step.c -- one time step, top to bottom.
 *
 *     SORT         particles by tile and cell
 *     SOLIDS       where they are now, and which part of each face is open
 *     P2G          particles -> velocity of the faces
 *     SURFACE      particles -> where the liquid is
 *     CHANNELS     what particles carry changes, and goes to the cells
 *     FORCES       gravity, drag of walls, inflows
 *     PRESSURE     the velocity becomes free of divergence
 *     EXTRAPOLATE  velocity of the faces around the liquid
 *     MIDWAY       velocity of a gas in the middle of the step
 *     G2P          the change of the velocity -> particles
 *     SEPARATE     crowded particles move apart
 *     TRACERS      points that the fluid carries
 *     ADVECT       particles move with the velocity
 *     EMIT         inflows add particles, outflows remove them
 *     WHITEWATER   foam, spray, bubbles and dust
 *
 * kernels/stages.def lists the stages: who does each, when, and what it reads and writes. A stage
 * is found under its name: src/stages/forces.c is compiled by every device; src/cpu/sort.c and
 * src/cuda/sort.cu are two algorithms for one stage; pressure.c and separate.c, here, are made of
 * the solves of a device. */
#include "sim.h"

#include "base/timer.h"
#include "state/arrays.h"

#include <assert.h>

/* PRESSURE and SEPARATE. */
static X(stage_fn) *const made_here[SP_STAGE_COUNT] = {
#define STAGE_MAP(NAME, name)
#define STAGE_DEVICE(NAME, name)
#define STAGE_HOST(NAME, name)
#define STAGE_SIM(NAME, name) [SP_STAGE_##NAME] = X(name),
#define STAGE(NAME, name, by, ...) STAGE_##by(NAME, name)
#include "kernels/stages.def"
};

/* A stage that the device leaves to the CPU. */
static spate_status run_on_host(X(sim) *s, sp_stage stage, double dt, spate_error *error)
{
    const X(stage_row) *row = &X(stages)[stage];
    X(fetch)(s, row->reads | row->writes);
    X(dirty)(s, row->writes);
    return s->host->plan(s, false)->stage[stage](s, dt, error);
}

static spate_status run(X(sim) *s, const X(plan) *plan, sp_stage stage, double dt,
                        spate_error *error)
{
    const X(stage_row) *row = &X(stages)[stage];
    if (row->effect == STAGE_BEGINS)
        s->displaced = false;
    if (row->effect == STAGE_MOVES || row->effect == STAGE_ADVANCES)
        s->particles.sorted = false;
    if (s->device->begin_stage)
        s->device->begin_stage(s, stage);
    if (!(row->when & s->needs))
        return SPATE_OK;
    if (made_here[stage])
        TRY(made_here[stage](s, dt, error));
    else if (plan->stage[stage])
        TRY(plan->stage[stage](s, dt, error));
    else
        TRY(run_on_host(s, stage, dt, error));
    if (row->effect == STAGE_ADVANCES)
        s->common->last_dt = dt;
    return SPATE_OK;
}

spate_status X(run_stage)(X(sim) *s, sp_stage stage, double dt, spate_error *error)
{
    TRY(run(s, s->device->plan(s, false), stage, dt, error));
    return s->device->wait ? s->device->wait(s, error) : SPATE_OK;
}

/* Builds with asserts: each particle that came or went is in a ledger. */
static void check_ledgers(const X(sim) *s)
{
    (void)s;
#ifndef NDEBUG
    for (int k = 0; k < s->set_count; k++)
        assert(X(set_adds_up)(s, &s->sets[k]));
#endif
}

spate_status X(step)(X(sim) *s, double dt, spate_error *error)
{
    double seconds[SP_STAGE_COUNT];
    const X(plan) *plan = s->device->plan(s, !s->common->stage_fn); /* it is to see each stage */
    for (int stage = 0; stage < SP_STAGE_COUNT; stage++) {
        double start = sp_seconds();
        TRY(run(s, plan, stage, dt, error));
        X(poison_dead)(s, stage);
        seconds[stage] = sp_seconds() - start;
        TRY(sp_stage_done(s->common, stage, error));
    }
    check_ledgers(s);
    if (s->device->times)
        s->device->times(s, seconds);
    for (int stage = 0; stage < SP_STAGE_COUNT; stage++)
        s->common->seconds[stage] += seconds[stage];
    return SPATE_OK;
}
