/* step.c -- one time step, top to bottom.
 *
 *     particles --P2G--> faces u --forces, pressure--> faces u' --G2P--> particles --separate,
 *     advect-->
 *
 * The stages are those of state/stages.def, in that order. A stage is found under its name in the
 * room of each device (src/cpu/sort.c, src/cuda/sort.cu); PRESSURE and SEPARATE are put together
 * here, of the solves of a device. */
#include "sim.h"

#include "base/timer.h"
#include "state/arrays.h"

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
    if (stage >= SP_STAGE_SEPARATE) /* these move particles */
        s->particles.sorted = false;
    s->displaced = s->displaced && stage != SP_STAGE_SORT; /* a step begins */
    if (s->device->begin_stage)
        s->device->begin_stage(s, stage);
    if (!(row->when & s->needs))
        return SPATE_OK;
    if (stage == SP_STAGE_PRESSURE)
        TRY(X(project)(s, dt, error));
    else if (stage == SP_STAGE_SEPARATE)
        X(separate)(s, dt);
    else if (plan->stage[stage])
        TRY(plan->stage[stage](s, dt, error));
    else
        TRY(run_on_host(s, stage, dt, error));
    if (stage == SP_STAGE_ADVECT)
        s->common->last_dt = dt;
    return SPATE_OK;
}

spate_status X(run_stage)(X(sim) *s, sp_stage stage, double dt, spate_error *error)
{
    TRY(run(s, s->device->plan(s, false), stage, dt, error));
    return s->device->wait ? s->device->wait(s, error) : SPATE_OK;
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
    if (s->device->times)
        s->device->times(s, seconds);
    for (int stage = 0; stage < SP_STAGE_COUNT; stage++)
        s->common->seconds[stage] += seconds[stage];
    return SPATE_OK;
}
