/* api.c -- the public face of a simulation, without a dimension: checks arguments and passes on to
 * the 2D or the 3D instance. Compiled once, as are clock.c, devices.c, queries.c, stats.c and
 * checkpoint_stream.c, which hold the rest of it. */
#include "facade.h"

#include "base/memory.h"
#include "base/sized.h"
#include "base/status.h"
#include "scene/lists.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

const char *spate_version(void)
{
    return SPATE_VERSION;
}

int spate_version_number(void)
{
    return SPATE_VERSION_NUMBER;
}

void spate_loan_end(void *loan)
{
    atomic_store((_Atomic int64_t *)loan - 1, 1);
}

/* ---- making one */

static const spate_options default_options = {.size = sizeof(spate_options), .device = "cpu"};

void spate_options_default_sized(spate_options *options, size_t size)
{
    sp_sized_out(options, size, &default_options, sizeof default_options);
}

/* The caller's options, which may be NULL or of another size, over the defaults. */
static spate_status take_options(const spate_options *options, spate_options *taken,
                                 spate_error *error)
{
    *taken = default_options;
    if (!options)
        return SPATE_OK;
    if (options->size < offsetof(spate_options, device))
        return sp_fail(error, SPATE_ERROR_USAGE, "options",
                       "were not filled by spate_options_default");
    sp_sized_in(taken, sizeof *taken, options);
    return SPATE_OK;
}

spate_status spate_scene_forecast_sized(const spate_scene *scene, const spate_options *options,
                                        spate_forecast *forecast, size_t size, spate_error *error)
{
    spate_options given;
    spate_forecast all = {0};
    const sp_device *device;
    memset(forecast, 0, size);
    TRY(take_options(options, &given, error));
    TRY(sp_device_choose(&given, &device, error));
    TRY(spate_scene_check(scene, NULL, NULL, error));
    spate_scene *settled = spate_scene_copy(scene);
    if (!settled)
        return sp_fail_memory(error, "a forecast", sizeof *settled);
    spate_status status = spate_scene_settle(settled, error);
    if (status == SPATE_OK)
        status =
            sp_device_table(scene)->forecast(settled, sp_device_of(scene, device),
                                             given.threads > 0 ? given.threads : 8, &all, error);
    spate_scene_destroy(settled);
    sp_sized_out(forecast, size, &all, sizeof all);
    TRY(status);
    uint64_t available = device ? device->free_bytes() : 0;
    if (device && all.device_memory > available)
        return sp_fail_device_memory(error, all.device_memory, available);
    return SPATE_OK;
}

static spate_status make(spate_sim *sim, const spate_scene *scene, const spate_options *options,
                         const sp_device *device, spate_error *error)
{
    sp_common *common = &sim->common;
    common->sim = sim;
    common->frame_done = true;
    common->log = options->log;
    common->log_user = options->log_user;
    memcpy(common->gravity, scene->gravity, sizeof common->gravity);
    common->scene = spate_scene_copy(scene);
    common->pool = sp_pool_create(options->threads, options->schedule, options->schedule_user);
    common->gauges = sp_alloc((size_t)scene->gauge_count, sizeof *common->gauges);
    common->gauges_last = sp_alloc((size_t)scene->gauge_count, sizeof *common->gauges_last);
    if (!common->scene || !common->pool || !common->gauges || !common->gauges_last)
        return sp_fail_memory(error, "a simulation", 0);
    TRY(spate_scene_settle(common->scene, error));
    common->medium = sp_medium_of(common->scene);
    TRY(spate_scene_expand(common->scene, error));
    sim->device = device ? device->name : "cpu";
    sim->table = sp_device_table(scene);
    sim->instance =
        sim->table->create(common, sp_device_of(scene, device), sp_device_of(scene, NULL), error);
    return sim->instance ? SPATE_OK : SPATE_ERROR_MEMORY;
}

static spate_status check_version(int version, spate_error *error)
{
    if (version / 100 == SPATE_VERSION_NUMBER / 100)
        return SPATE_OK;
    return sp_fail(
        error, SPATE_ERROR_USAGE, "version",
        "the program was compiled with spate.h %d.%d.%d, but the library is " SPATE_VERSION
        ": compile it with the header of the library",
        version / 10000, version / 100 % 100, version % 100);
}

spate_sim *spate_sim_create_versioned(int version, const spate_scene *scene,
                                      const spate_options *options, spate_error *error)
{
    spate_options given;
    const sp_device *device;
    if (check_version(version, error) != SPATE_OK ||
        take_options(options, &given, error) != SPATE_OK ||
        sp_device_choose(&given, &device, error) != SPATE_OK ||
        spate_scene_check(scene, given.log, given.log_user, error) != SPATE_OK)
        return NULL;
    spate_sim *sim = sp_alloc(1, sizeof *sim);
    if (!sim) {
        sp_fail_memory(error, "a simulation", 0);
        return NULL;
    }
    if (make(sim, scene, &given, device, error) != SPATE_OK) {
        spate_sim_destroy(sim);
        return NULL;
    }
    return sim;
}

void spate_sim_destroy(spate_sim *sim)
{
    if (!sim)
        return;
    if (sim->instance)
        sim->table->destroy(sim->instance);
    sp_pool_destroy(sim->common.pool);
    spate_scene_destroy(sim->common.scene);
    sp_free(sim->common.gauges);
    sp_free(sim->common.gauges_last);
    sp_free(sim);
}

int spate_sim_dim(const spate_sim *sim)
{
    return sim->common.scene->dim;
}

const spate_scene *spate_sim_scene(const spate_sim *sim)
{
    return sim->common.scene;
}

const char *spate_sim_device(const spate_sim *sim)
{
    return sim->device;
}

uint64_t spate_sim_device_bytes(const spate_sim *sim)
{
    return sim->table->device_bytes(sim->instance);
}

int spate_sim_threads(const spate_sim *sim)
{
    return sp_pool_threads(sim->common.pool);
}

/* ---- arguments */

spate_status sp_sim_may_change(const spate_sim *sim, const char *what, spate_error *error)
{
    if (!sim->common.in_callback)
        return SPATE_OK;
    return sp_fail(error, SPATE_ERROR_USAGE, what,
                   "a stage callback may look at the simulation, but not change it");
}

spate_status sp_check_finite(const char *name, const double *values, size_t count,
                             spate_error *error)
{
    for (size_t k = 0; k < count; k++)
        if (!(fabs(values[k]) < 1e9))
            return sp_fail(error, SPATE_ERROR_USAGE, name, "must be finite and below 1e9 (got %g)",
                           values[k]);
    return SPATE_OK;
}

static spate_status check_floats(const char *name, const float *values, size_t count, int dim,
                                 spate_error *error)
{
    for (size_t k = 0; k < count && values; k++)
        for (int d = 0; d < dim; d++)
            if (!isfinite(values[3 * k + (size_t)d]))
                return sp_fail(error, SPATE_ERROR_USAGE, name, "of particle %zu is not finite", k);
    return SPATE_OK;
}

/* Before a change to particles or solids: whether it may be, and the grid is no longer theirs.
 * Before the first step gauges show them as they are. */
static spate_status begin_change(spate_sim *sim, const char *what, spate_error *error)
{
    TRY(sp_sim_may_change(sim, what, error));
    sim->common.grid_known = false;
    if (sim->common.steps == 0)
        sim->common.gauges_known = false;
    return SPATE_OK;
}

/* ---- changes while it runs */

spate_status spate_sim_add_particles(spate_sim *sim, const float *positions,
                                     const float *velocities, size_t count, size_t *added,
                                     spate_error *error)
{
    if (added)
        *added = 0;
    TRY(check_floats("positions", positions, count, spate_sim_dim(sim), error));
    TRY(check_floats("velocities", velocities, count, spate_sim_dim(sim), error));
    TRY(begin_change(sim, "spate_sim_add_particles", error));
    return sim->table->add_particles(sim->instance, positions, velocities, count, added, error);
}

/* Checks a shape that comes while it runs as a scene's solid would be checked. */
static spate_status check_shape(const spate_sim *sim, const spate_shape *shape, spate_error *error)
{
    spate_scene trial = *sim->common.scene;
    spate_shape copy = *shape;
    for (int k = 0; k < SP_SHAPE_LIST_COUNT; k++)
        *sp_shape_list_edit(&trial, k) = (spate_shape_list){0};
    trial.gauge_count = 0; /* their solids are not in the trial */
    trial.solids.items = &copy;
    trial.solids.count = 1;
    spate_error found;
    spate_status status = spate_scene_check(&trial, NULL, NULL, &found);
    if (status == SPATE_OK)
        return status;
    const char *member = strchr(found.where, '.');
    status = status == SPATE_ERROR_SCENE ? SPATE_ERROR_USAGE : status;
    return sp_fail(error, status, member ? member + 1 : "shape", "%s", found.message);
}

spate_status spate_sim_remove_particles(spate_sim *sim, const spate_shape *inside, size_t *removed,
                                        spate_error *error)
{
    TRY(check_shape(sim, inside, error));
    TRY(begin_change(sim, "spate_sim_remove_particles", error));
    size_t taken = sim->table->remove_particles(sim->instance, inside);
    if (removed)
        *removed = taken;
    return SPATE_OK;
}

spate_status spate_sim_set_gravity(spate_sim *sim, const double gravity[3], spate_error *error)
{
    TRY(sp_check_finite("gravity", gravity, (size_t)spate_sim_dim(sim), error));
    TRY(sp_sim_may_change(sim, "spate_sim_set_gravity", error));
    if (sim->common.steps == 0)
        sim->common.gauges_known = false;
    memcpy(sim->common.gravity, gravity, sizeof sim->common.gravity);
    return SPATE_OK;
}

spate_status spate_sim_add_impulse(spate_sim *sim, const double center[3], double radius,
                                   const double velocity[3], spate_error *error)
{
    TRY(sp_check_finite("center", center, (size_t)spate_sim_dim(sim), error));
    TRY(sp_check_finite("radius", &radius, 1, error));
    TRY(sp_check_finite("velocity", velocity, (size_t)spate_sim_dim(sim), error));
    TRY(begin_change(sim, "spate_sim_add_impulse", error));
    sim->table->add_impulse(sim->instance, center, radius, velocity);
    return SPATE_OK;
}

static bool is_inflow(const spate_sim *sim, int inflow)
{
    return inflow >= 0 && inflow < sim->common.scene->inflows.count;
}

spate_status spate_sim_set_inflow(spate_sim *sim, int inflow, bool on, spate_error *error)
{
    if (!is_inflow(sim, inflow))
        return sp_fail(error, SPATE_ERROR_USAGE, "inflow",
                       "there is no inflow %d: the scene has %d", inflow,
                       sim->common.scene->inflows.count);
    TRY(sp_sim_may_change(sim, "spate_sim_set_inflow", error));
    sim->table->set_inflow(sim->instance, inflow, on);
    return SPATE_OK;
}

bool spate_sim_inflow_is_on(const spate_sim *sim, int inflow)
{
    return is_inflow(sim, inflow) && sim->table->inflow_is_on(sim->instance, inflow);
}

/* ---- solids */

static const sp_solids *solids_of(const spate_sim *sim)
{
    return sim->table->solids(sim->instance);
}

spate_status sp_sim_check_solid(const spate_sim *sim, spate_solid_id id, spate_error *error)
{
    const sp_solids *solids = solids_of(sim);
    if (sp_solids_find(solids, id))
        return SPATE_OK;
    if (id.generation == 0 || id.index >= (uint32_t)solids->count ||
        id.generation > solids->items[id.index].generation)
        return sp_fail(error, SPATE_ERROR_USAGE, "solid",
                       "this simulation has had no solid with index %u and generation %u", id.index,
                       id.generation);
    return sp_fail(error, SPATE_ERROR_USAGE, "solid",
                   "the solid with index %u and generation %u was removed", id.index,
                   id.generation);
}

int spate_sim_solid_count(const spate_sim *sim)
{
    const sp_solids *solids = solids_of(sim);
    int count = solids->count;
    while (count > 0 && solids->items[count - 1].generation == SP_SIDE)
        count--;
    return count;
}

bool spate_sim_solid_at(const spate_sim *sim, int index, spate_solid_id *id)
{
    *id = sp_solids_id(solids_of(sim), index);
    return id->generation > 0;
}

bool spate_sim_solid_find(const spate_sim *sim, const char *name, spate_solid_id *id)
{
    const sp_solids *solids = solids_of(sim);
    for (int k = 0; k < solids->count && name[0]; k++)
        if (strcmp(solids->items[k].source.name, name) == 0 && spate_sim_solid_at(sim, k, id))
            return true;
    *id = (spate_solid_id){0, 0};
    return false;
}

spate_status spate_sim_add_solid(spate_sim *sim, const spate_shape *shape, spate_solid_id *id,
                                 spate_error *error)
{
    int index;
    if (id)
        *id = (spate_solid_id){0, 0};
    TRY(check_shape(sim, shape, error));
    TRY(begin_change(sim, "spate_sim_add_solid", error));
    TRY(sim->table->add_solid(sim->instance, shape, &index, error));
    if (id)
        *id = sp_solids_id(solids_of(sim), index);
    return SPATE_OK;
}

spate_status spate_sim_move_solid(spate_sim *sim, spate_solid_id id, const double position[3],
                                  const double rotation[3], spate_error *error)
{
    TRY(sp_sim_check_solid(sim, id, error));
    TRY(sp_check_finite("position", position, 3, error));
    TRY(sp_check_finite("rotation", rotation, 3, error));
    TRY(sp_sim_may_change(sim, "spate_sim_move_solid", error));
    sim->table->move_solid(sim->instance, (int)id.index, position, rotation);
    return SPATE_OK;
}

spate_status spate_sim_remove_solid(spate_sim *sim, spate_solid_id id, spate_error *error)
{
    TRY(sp_sim_check_solid(sim, id, error));
    TRY(begin_change(sim, "spate_sim_remove_solid", error));
    sim->table->remove_solid(sim->instance, (int)id.index);
    return SPATE_OK;
}

double spate_sim_solid_distance(const spate_sim *sim, const double point[3],
                                spate_solid_id *nearest)
{
    const sp_solids *solids = solids_of(sim);
    double least = HUGE_VAL;
    int index = -1;
    for (int k = 0; k < solids->count; k++) {
        const sp_solid *solid = &solids->items[k];
        if (!solid->live || solid->generation == SP_SIDE)
            continue;
        double distance = sp_solid_distance(solid, point, NULL);
        index = distance < least ? k : index;
        least = distance < least ? distance : least;
    }
    if (nearest)
        *nearest = sp_solids_id(solids, index);
    return least;
}
