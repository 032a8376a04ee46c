/* api.c -- the public face of a simulation, without a dimension: checks arguments and passes on to
 * the 2D or the 3D instance. Compiled once, as are clock.c, devices.c, stats.c and
 * checkpoint_stream.c, which hold the rest of it. */
#include "facade.h"

#include "base/memory.h"
#include "base/status.h"
#include "scene/gauge.h"

#include <string.h>

const char *spate_version(void)
{
    return SPATE_VERSION;
}

spate_options spate_options_default(void)
{
    return (spate_options){.device = "cpu"};
}

spate_status spate_scene_forecast(const spate_scene *scene, const spate_options *options,
                                  spate_forecast *forecast, spate_error *error)
{
    spate_options given = options ? *options : spate_options_default();
    const sp_device *device;
    TRY(sp_device_choose(&given, &device, error));
    TRY(spate_scene_check(scene, NULL, NULL, error));
    TRY(sp_device_table(scene, device)
            ->forecast(scene, given.threads > 0 ? given.threads : 8, forecast, error));
    uint64_t available = device ? device->free_bytes() : 0;
    if (device && forecast->device_memory > available)
        return sp_fail_device_memory(error, forecast->device_memory, available);
    return SPATE_OK;
}

static spate_status make(spate_sim *sim, const spate_scene *scene, const spate_options *options,
                         const sp_device *device, spate_error *error)
{
    sp_common *common = &sim->common;
    common->frame_done = true;
    common->log = options->log;
    common->log_user = options->log_user;
    memcpy(common->gravity, scene->gravity, sizeof common->gravity);
    common->scene = spate_scene_copy(scene);
    common->pool = sp_pool_create(options->threads, options->schedule, options->schedule_user);
    common->gauges = sp_alloc((size_t)scene->gauge_count, sizeof *common->gauges);
    if (!common->scene || !common->pool || !common->gauges)
        return sp_fail_memory(error, "a simulation", 0);
    sim->device = device ? device->name : "cpu";
    sim->table = sp_device_table(scene, device);
    sim->instance = sim->table->create(common, error);
    return sim->instance ? SPATE_OK : SPATE_ERROR_MEMORY;
}

spate_sim *spate_sim_create(const spate_scene *scene, const spate_options *options,
                            spate_error *error)
{
    spate_options given = options ? *options : spate_options_default();
    const sp_device *device;
    if (sp_device_choose(&given, &device, error) != SPATE_OK)
        return NULL;
    if (spate_scene_check(scene, given.log, given.log_user, error) != SPATE_OK)
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

uint64_t spate_sim_hash(const spate_sim *sim)
{
    return sim->table->hash(sim->instance);
}

/* ---- changes while it runs */

/* Before the first step gauges show the particles and solids as they are. */
static void forget_gauges(spate_sim *sim)
{
    if (sim->common.steps == 0)
        sim->common.gauges_known = false;
}

spate_status spate_sim_add_particles(spate_sim *sim, const float *positions,
                                     const float *velocities, size_t count, size_t *added,
                                     spate_error *error)
{
    forget_gauges(sim);
    return sim->table->add_particles(sim->instance, positions, velocities, count, added, error);
}

/* Checks a shape that comes while it runs as a scene's solid would be checked. */
static spate_status check_shape(const spate_sim *sim, const spate_shape *shape, spate_error *error)
{
    spate_scene trial = *sim->common.scene;
    spate_shape copy = *shape;
    trial.fill = trial.solids = trial.inflows = trial.outflows = (spate_shape_list){0};
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
    forget_gauges(sim);
    size_t taken = sim->table->remove_particles(sim->instance, inside);
    if (removed)
        *removed = taken;
    return SPATE_OK;
}

spate_status spate_sim_add_solid(spate_sim *sim, const spate_shape *shape, int *id,
                                 spate_error *error)
{
    TRY(check_shape(sim, shape, error));
    forget_gauges(sim);
    return sim->table->add_solid(sim->instance, shape, id, error);
}

spate_status spate_sim_move_solid(spate_sim *sim, int id, const double position[3],
                                  const double rotation[3], spate_error *error)
{
    return sim->table->move_solid(sim->instance, id, position, rotation, error);
}

spate_status spate_sim_remove_solid(spate_sim *sim, int id, spate_error *error)
{
    forget_gauges(sim);
    return sim->table->remove_solid(sim->instance, id, error);
}

void spate_sim_set_gravity(spate_sim *sim, const double gravity[3])
{
    forget_gauges(sim);
    memcpy(sim->common.gravity, gravity, sizeof sim->common.gravity);
}

void spate_sim_add_impulse(spate_sim *sim, const double center[3], double radius,
                           const double velocity[3])
{
    forget_gauges(sim);
    sim->table->add_impulse(sim->instance, center, radius, velocity);
}

/* ---- looking at it */

size_t spate_particles_count(const spate_sim *sim)
{
    return sim->table->count(sim->instance);
}

void spate_particles_read(const spate_sim *sim, float *positions, float *velocities, uint32_t *ids)
{
    sim->table->read(sim->instance, positions, velocities, ids);
}

spate_particles_view_data spate_particles_view(const spate_sim *sim)
{
    return sim->table->view(sim->instance);
}

int spate_channel_view(spate_sim *sim, const char *name, float *columns[4])
{
    return sim->table->channel_view(sim->instance, name, columns);
}

bool spate_field_view(const spate_sim *sim, const char *name, spate_field_view_data *view)
{
    return sim->table->field_view(sim->instance, name, view);
}

bool sp_snapshot_begin(spate_sim *sim, sp_snapshot *snapshot)
{
    if (!sim->table->snapshot(sim->instance, snapshot))
        return false;
    snapshot->frame = sim->common.frame;
    snapshot->time = spate_sim_time(sim);
    return true;
}

bool sp_snapshot_wait(spate_sim *sim)
{
    return sim->table->snapshot_wait(sim->instance);
}

int spate_gauge_count(const spate_sim *sim)
{
    return sim->common.scene->gauge_count;
}

int spate_gauge_read(spate_sim *sim, int gauge, double values[3])
{
    const spate_scene *scene = sim->common.scene;
    values[0] = values[1] = values[2] = 0;
    if (gauge < 0 || gauge >= scene->gauge_count)
        return 0;
    if (!sim->common.gauges_known)
        sp_sim_read_gauges(sim, true);
    memcpy(values, sim->common.gauges[gauge], sizeof sim->common.gauges[gauge]);
    return sp_gauge_values(&scene->gauges[gauge], scene->dim);
}

double spate_sim_solid_distance(const spate_sim *sim, const double point[3], int *solid)
{
    return sim->table->solid_distance(sim->instance, point, solid);
}
