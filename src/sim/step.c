/* step.c -- one time step, top to bottom.
 *
 *     particles --P2G--> faces u --forces, pressure--> faces u' --G2P--> particles --separate,
 *     advect-->
 *
 * Each stage is a function in the file of the same name (src/sim, or src/device/cpu for those of
 * device.h). */
#include "state/state.h"

#include "base/timer.h"
#include "state/device.h"

static void hand_back(X(sim) *s, double dt)
{
    double momentum[DIM];
    bool measured = s->common->substeps == 0; /* the first step of a frame */
    X(carry_kick)(s);
    s->hands_back = s->whole_step && !measured && X(hands_back_late)(s);
    if (s->hands_back) {
        s->unsound = 0;
        X(channels_step)(s, dt);
        return;
    }
    if (measured)
        X(before_transfer)(s, momentum);
    X(grid_to_particles)(s, dt);
    if (measured)
        X(after_transfer)(s, dt, momentum);
}

static spate_status run_on_host(X(sim) *s, sp_stage stage, double dt, spate_error *error)
{
    s->sorted = s->sorted && stage < SP_STAGE_SEPARATE; /* the later ones move particles */
    switch (stage) {
    case SP_STAGE_SORT:
        X(sort_particles)(s);
        s->at_home = true;
        s->displaced = s->hands_back = false;
        break;
    case SP_STAGE_SOLIDS: X(update_solids)(s, dt); break;
    case SP_STAGE_P2G: X(particles_to_grid)(s); break;
    case SP_STAGE_SURFACE: X(build_surface)(s); break;
    case SP_STAGE_FORCES: X(add_forces)(s, dt); break;
    case SP_STAGE_PRESSURE: TRY(X(project)(s, dt, error)); break;
    case SP_STAGE_EXTRAPOLATE: X(extrapolate)(s, dt); break;
    case SP_STAGE_G2P: hand_back(s, dt); break;
    case SP_STAGE_SEPARATE: X(separate_particles)(s, dt); break;
    case SP_STAGE_ADVECT: TRY(X(advect_particles)(s, dt, error)); break;
    case SP_STAGE_EMIT: TRY(X(emit_and_drain)(s, dt, error)); break;
    case SP_STAGE_COUNT: break;
    }
    return SPATE_OK;
}

spate_status X(run_stage)(X(sim) *s, sp_stage stage, double dt, spate_error *error)
{
    bool done;
    TRY(X(device_stage)(s, stage, dt, &done, error));
    if (!done)
        TRY(run_on_host(s, stage, dt, error));
    if (stage == SP_STAGE_ADVECT)
        s->common->last_dt = dt;
    return SPATE_OK;
}

spate_status X(step)(X(sim) *s, double dt, spate_error *error)
{
    double seconds[SP_STAGE_COUNT];
    spate_status status = SPATE_OK;
    /* on a GPU the next stage may run elsewhere; a callback is to see what each stage has done */
    s->whole_step = !GPU_INSTANCE && !s->common->stage_fn;
    for (int stage = 0; stage < SP_STAGE_COUNT && status == SPATE_OK; stage++) {
        double start = sp_seconds();
        status = X(run_stage)(s, stage, dt, error);
        seconds[stage] = sp_seconds() - start;
        if (status == SPATE_OK)
            status = sp_stage_done(s->common, stage, error);
    }
    s->whole_step = false;
    TRY(status);
    X(device_times)(s, seconds);
    for (int stage = 0; stage < SP_STAGE_COUNT; stage++)
        s->common->seconds[stage] += seconds[stage];
    return SPATE_OK;
}
