/* clock.c -- time: how long a step is, frames, steps cut in halves where the pressure does not
 * converge, and the stages one by one. */
#include "facade.h"

#include "base/memory.h"
#include "base/status.h"
#include "scene/channels.h"
#include "scene/timeline.h"

#include <math.h>
#include <string.h>

double spate_sim_time(const spate_sim *sim)
{
    return sim->common.frame / sim->common.scene->fps + sim->common.inside;
}

int spate_sim_frame(const spate_sim *sim)
{
    return sim->common.frame;
}

uint64_t spate_sim_steps(const spate_sim *sim)
{
    return sim->common.steps;
}

static double frame_seconds(const spate_sim *sim)
{
    return 1 / sim->common.scene->fps;
}

bool spate_sim_at_frame(const spate_sim *sim)
{
    return sim->common.inside == 0;
}

static double cell_size(const spate_sim *sim)
{
    return sim->table->cell_size(sim->instance);
}

/* The acceleration of what begins to move, m/s^2. */
static double gravity_size(const sp_common *common)
{
    double sum = 0;
    for (int d = 0; d < common->scene->dim; d++)
        sum += common->gravity[d] * common->gravity[d];
    return common->medium->falls ? sqrt(sum) : sp_most_buoyancy(common->scene, sqrt(sum));
}

/* Of sqrt(dx / |g|): the shortest waves on the surface, of two cells, take 3.5 of it for a turn; a
 * step near half a turn makes them grow. */
#define WAVE_STEP 0.7

/* Times that differ by less are the same. */
static double near_in_time(const spate_sim *sim)
{
    return 2e-6 * frame_seconds(sim);
}

double spate_sim_next_dt(spate_sim *sim)
{
    const sp_common *common = &sim->common;
    const spate_scene *scene = common->scene;
    double dx = cell_size(sim), rest = frame_seconds(sim) - common->inside, wanted = scene->time.dt;
    double now = spate_sim_time(sim), event = sp_next_event(scene, now, near_in_time(sim));
    if (event < now + rest - near_in_time(sim)) /* what happens at a time begins with a step */
        rest = event - now;
    int used = common->frame_done ? 0 : common->substeps;
    if (!(wanted > 0)) {
        /* twice: the speed of solids depends on the step that it limits */
        wanted = rest;
        if (common->medium->has_surface)
            wanted = fmin(rest, WAVE_STEP * sqrt(dx / gravity_size(common)));
        for (int turn = 0; turn < 2; turn++) {
            double speed = sim->table->max_speed(sim->instance, wanted);
            wanted = fmin(wanted, scene->time.cfl * dx / (speed + sqrt(dx * gravity_size(common))));
        }
    }
    double steps = ceil(rest / wanted - 1e-6);
    steps = fmax(steps, scene->time.min_substeps - used);
    if (!(scene->time.dt > 0))
        steps = fmin(steps, scene->time.max_substeps - used);
    return rest / (steps >= 1 ? steps : 1);
}

static void begin_frame(sp_common *common)
{
#define ZERO(name) common->name = 0;
#define ROW(type, name, unit, when, help) SP_OF_FRAME_##when(ZERO, name)
    SPATE_STATS(ROW)
#undef ROW
#undef ZERO
    common->frame_done = false;
    memset(common->seconds, 0, sizeof common->seconds);
}

void sp_sim_read_gauges(spate_sim *sim, bool build)
{
    if (sim->common.scene->gauge_count > 0)
        sim->table->read_gauges(sim->instance, build);
    sim->common.gauges_known = true;
}

/* The fills whose time has come. */
static spate_status let_appear(spate_sim *sim, double before, spate_error *error)
{
    double near = near_in_time(sim);
    bool appeared = false;
    spate_status status = sim->table->appear(sim->instance, before + near,
                                             spate_sim_time(sim) + near, &appeared, error);
    if (appeared)
        sim->common.grid_known = false;
    return status;
}

/* Time moves on by dt; a step that ends within rounding of a frame's boundary ends exactly there.
 */
static spate_status advance_clock(spate_sim *sim, double dt, spate_error *error)
{
    sp_common *common = &sim->common;
    double before = spate_sim_time(sim);
    double frames = floor((common->inside + dt) / frame_seconds(sim) + 1e-6);
    common->steps++;
    common->substeps++;
    common->inside += dt - frames * frame_seconds(sim);
    if (fabs(common->inside) < frame_seconds(sim) * 2e-6)
        common->inside = 0;
    common->frame += (int)frames;
    common->frame_done = frames > 0;
    common->grid_known = true;
    common->mid_step = false;
    sp_sim_read_gauges(sim, false);
    if (common->frame_done)
        TRY(sim->table->watch_rooms(sim->instance, false, error));
    return let_appear(sim, before, error);
}

#define MAX_HALVINGS 3

/* One step; where the pressure does not converge, two of half the length. */
static spate_status step_in_parts(spate_sim *sim, double dt, int halvings, spate_error *error)
{
    sp_common *common = &sim->common;
    common->unconverged = false;
    common->step_dt = dt;
    spate_status status = sim->table->step(sim->instance, dt, error);
    if (status == SPATE_OK || !common->unconverged || halvings == MAX_HALVINGS)
        return status;
    double inside = common->inside;
    sim->table->rewind(sim->instance);
    TRY(step_in_parts(sim, 0.5 * dt, halvings + 1, error));
    common->inside = inside + 0.5 * dt;
    status = step_in_parts(sim, 0.5 * dt, halvings + 1, error);
    common->inside = inside;
    return status;
}

/* The step is as long as time.cfl allows, unless that takes more of them than a frame may have. */
static void warn_of_long_steps(sp_common *common, double cfl)
{
    const spate_scene *scene = common->scene;
    if (scene->time.dt > 0 || !(cfl > 1.05 * scene->time.cfl) || common->warned_substeps)
        return;
    sp_log(common->log, common->log_user, SPATE_LOG_WARNING, "time",
           "max_substeps = %d steps are too few for frame %d: the %s goes %.3g cells in one, "
           "where cfl = %g are wanted; it may lose %s. Raise time.max_substeps or fps",
           scene->time.max_substeps, common->frame + 1, common->medium->name, cfl, scene->time.cfl,
           common->medium->has_surface ? "volume" : "its eddies");
    common->warned_substeps = true;
}

spate_status spate_sim_step(spate_sim *sim, double dt, spate_error *error)
{
    sp_common *common = &sim->common;
    if (!(dt >= 0) || !(dt < 1e9))
        return sp_fail(error, SPATE_ERROR_USAGE, "dt",
                       "must be a number of seconds, not negative (got %g)", dt);
    TRY(sp_sim_may_change(sim, "spate_sim_step", error));
    bool own = dt == 0; /* of a length that is chosen here */
    if (own)
        dt = spate_sim_next_dt(sim);
    if (common->frame_done)
        begin_frame(common);
    common->grid_known = false;
    sim->table->follow_time(sim->instance, spate_sim_time(sim), dt);
    if (common->steps == 0)
        TRY(sim->table->watch_rooms(sim->instance, true, error));
    double speed = sim->table->max_speed(sim->instance, dt);
    common->cfl = fmax(common->cfl, speed * dt / cell_size(sim));
    if (own)
        warn_of_long_steps(common, speed * dt / cell_size(sim));
    uint64_t allocations = sp_alloc_count();
    spate_status status = step_in_parts(sim, dt, 0, error);
    common->allocations += sp_alloc_count() - allocations;
    if (status != SPATE_OK)
        return status;
    return advance_clock(sim, dt, error);
}

spate_status spate_sim_step_frame(spate_sim *sim, spate_error *error)
{
    int frame = sim->common.frame;
    while (sim->common.frame == frame)
        TRY(spate_sim_step(sim, 0, error));
    return SPATE_OK;
}

/* ---- stages */

void spate_sim_set_stage_callback(spate_sim *sim, spate_stage_fn *fn, void *user)
{
    sim->common.stage_fn = fn;
    sim->common.stage_user = user;
}

spate_status sp_stage_done(sp_common *common, int stage, spate_error *error)
{
    if (!common->stage_fn)
        return SPATE_OK;
    common->in_callback = true;
    int answer = common->stage_fn(common->stage_user, common->sim, stage);
    common->in_callback = false;
    if (answer == 0)
        return SPATE_OK;
    return sp_fail(error, SPATE_ERROR_STOPPED, spate_stage_name(stage),
                   "the stage callback ended the step (it returned %d)", answer);
}

double spate_sim_step_dt(const spate_sim *sim)
{
    return sim->common.step_dt;
}

static const char *const stage_names[SP_STAGE_COUNT] = {
#define STAGE(NAME, name, ...) #name,
#include "kernels/stages.def"
};

static const char *const stage_whats[SP_STAGE_COUNT] = {
#define STAGE(NAME, name, by, when, effect, reads, writes, what) what,
#include "kernels/stages.def"
};

int spate_stage_count(void)
{
    return SP_STAGE_COUNT;
}

const char *spate_stage_name(int stage)
{
    return stage >= 0 && stage < SP_STAGE_COUNT ? stage_names[stage] : "";
}

const char *spate_stage_what(int stage)
{
    return stage >= 0 && stage < SP_STAGE_COUNT ? stage_whats[stage] : "";
}

int spate_stage_find(const char *name)
{
    for (int k = 0; k < SP_STAGE_COUNT; k++)
        if (strcmp(name, stage_names[k]) == 0)
            return k;
    return -1;
}

double spate_sim_stage_seconds(const spate_sim *sim, int stage)
{
    return stage >= 0 && stage < SP_STAGE_COUNT ? sim->common.seconds[stage] : 0;
}

spate_status spate_sim_run_stage(spate_sim *sim, int stage, double dt, spate_error *error)
{
    if (stage < 0 || stage >= SP_STAGE_COUNT || !(dt >= 0))
        return sp_fail(error, SPATE_ERROR_USAGE, "stage", "no such stage, or a negative step");
    TRY(sp_sim_may_change(sim, "spate_sim_run_stage", error));
    if (stage == SP_STAGE_SORT && sim->common.frame_done)
        begin_frame(&sim->common);
    sim->common.step_dt = dt;
    if (stage == SP_STAGE_SORT)
        sim->table->follow_time(sim->instance, spate_sim_time(sim), dt);
    TRY(sim->table->run_stage(sim->instance, (sp_stage)stage, dt, error));
    sim->common.mid_step = stage != SP_STAGE_COUNT - 1;
    return stage == SP_STAGE_COUNT - 1 ? advance_clock(sim, dt, error) : SPATE_OK;
}
