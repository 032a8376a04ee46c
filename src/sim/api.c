/* api.c -- the public face of a simulation, without a dimension: checks arguments, keeps the clock,
 * and passes everything else on to the 2D or the 3D instance. Compiled once. */
#include "base/cpu.h"
#include "base/memory.h"
#include "base/status.h"
#include "kernels/random.h"
#include "scene/gauge.h"
#include "table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct spate_sim {
    sp_common common;
    const sp_table *table;
    void *instance;
    const char *device;
};

/* The devices of this build, by name: the one place that knows them. */
#define DEVICE(variant)                                    \
    extern const struct sp2_device sp2_##variant##_device; \
    extern const struct sp3_device sp3_##variant##_device
DEVICE(base);
#ifdef SPATE_LEVELS
DEVICE(v3);
DEVICE(v4);
#endif
#ifdef SPATE_CUDA
DEVICE(cuda);
bool sp_cuda_available(char *note, size_t size);
uint64_t sp_cuda_free_bytes(void);
#endif

#define MAX_DEVICES 4
static sp_device devices[MAX_DEVICES] = {
#ifdef SPATE_CUDA
    {"cuda", &sp2_cuda_device, &sp3_cuda_device, sp_cuda_available, sp_cuda_free_bytes},
#endif
};

void sp_device_add(const sp_device *device)
{
    for (int k = 0; k < MAX_DEVICES; k++)
        if (!devices[k].name || strcmp(devices[k].name, device->name) == 0) {
            devices[k] = *device;
            return;
        }
}

/* NULL: the CPU. */
static const sp_device *find_device(const char *name)
{
    for (int k = 0; k < MAX_DEVICES && devices[k].name; k++)
        if (strcmp(devices[k].name, name) == 0)
            return &devices[k];
    return NULL;
}

/* The CPU's device, by what the processor can. */
static const void *host_of(const spate_scene *scene)
{
    bool flat = scene->dim == 2;
#ifdef SPATE_LEVELS
    sp_cpu cpu = sp_cpu_level();
    if (cpu == SP_CPU_V4)
        return flat ? (const void *)&sp2_v4_device : &sp3_v4_device;
    if (cpu == SP_CPU_V3)
        return flat ? (const void *)&sp2_v3_device : &sp3_v3_device;
#endif
    return flat ? (const void *)&sp2_base_device : &sp3_base_device;
}

static const void *device_of(const spate_scene *scene, const sp_device *device)
{
    return !device ? host_of(scene) : scene->dim == 2 ? device->flat : device->solid;
}

static const sp_table *table_of(const spate_scene *scene)
{
    return scene->dim == 2 ? &sp2_table : &sp3_table;
}

const char *spate_instruction_set(void)
{
    return sp_cpu_name(sp_cpu_level());
}

const char *spate_version(void)
{
    return SPATE_VERSION;
}

spate_options spate_options_default(void)
{
    return (spate_options){.device = "cpu"};
}

int spate_device_list(const char **names, int capacity)
{
    int count = 0;
    if (count++ < capacity)
        names[0] = "cpu";
    for (int k = 0; k < MAX_DEVICES && devices[k].name; k++)
        if (count++ < capacity)
            names[count - 1] = devices[k].name;
    return count;
}

bool spate_device_available(const char *name, char *note, size_t size)
{
    const sp_device *device = find_device(name);
    if (device)
        return device->available(note, size);
    bool cpu = strcmp(name, "cpu") == 0;
    snprintf(note, size, "%s", cpu ? spate_instruction_set() : "not in this build");
    return cpu;
}

/* The device of the options: NULL is the CPU. "auto" takes one that is there. */
static spate_status choose_device(const spate_options *options, const sp_device **device,
                                  spate_error *error)
{
    const char *name = options->device ? options->device : "cpu";
    char note[200];
    *device = NULL;
    if (strcmp(name, "cpu") == 0)
        return SPATE_OK;
    if (strcmp(name, "auto") == 0) {
        for (int k = 0; k < MAX_DEVICES && devices[k].name && !*device; k++)
            if (devices[k].available(note, sizeof note))
                *device = &devices[k];
        return SPATE_OK;
    }
    *device = find_device(name);
    if (!*device)
        return sp_fail(error, SPATE_ERROR_DEVICE, "device",
                       "there is no device '%s' in this build; there is: cpu%s%s", name,
                       devices[0].name ? ", " : "", devices[0].name ? devices[0].name : "");
    if (!(*device)->available(note, sizeof note))
        return sp_fail(error, SPATE_ERROR_DEVICE, "device", "%s cannot be used: %s", name, note);
    return SPATE_OK;
}

spate_status spate_scene_forecast(const spate_scene *scene, const spate_options *options,
                                  spate_forecast *forecast, spate_error *error)
{
    spate_options given = options ? *options : spate_options_default();
    const sp_device *device;
    TRY(choose_device(&given, &device, error));
    TRY(spate_scene_check(scene, NULL, NULL, error));
    TRY(table_of(scene)->forecast(scene, device_of(scene, device),
                                  given.threads > 0 ? given.threads : 8, forecast, error));
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
    sim->table = table_of(scene);
    sim->instance = sim->table->create(common, device_of(scene, device), host_of(scene), error);
    return sim->instance ? SPATE_OK : SPATE_ERROR_MEMORY;
}

spate_sim *spate_sim_create(const spate_scene *scene, const spate_options *options,
                            spate_error *error)
{
    spate_options given = options ? *options : spate_options_default();
    const sp_device *device;
    if (choose_device(&given, &device, error) != SPATE_OK)
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

/* ---- the clock */

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

static double gravity_size(const sp_common *common)
{
    double sum = 0;
    for (int d = 0; d < common->scene->dim; d++)
        sum += common->gravity[d] * common->gravity[d];
    return sqrt(sum);
}

double spate_sim_next_dt(const spate_sim *sim)
{
    const sp_common *common = &sim->common;
    const spate_scene *scene = common->scene;
    double dx = cell_size(sim), rest = frame_seconds(sim) - common->inside, wanted = scene->time.dt;
    int used = common->frame_done ? 0 : common->substeps;
    if (!(wanted > 0)) {
        /* twice: the speed of solids depends on the step that it limits */
        wanted = rest;
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
    common->substeps = common->solver_iterations = common->solver_failures = 0;
    common->cfl = common->divergence_before = common->divergence_after = common->solver_residual =
        0;
    common->collisions = common->long_pushes = 0;
    common->momentum_lost = 0;
    common->density_iterations = 0;
    common->separate_energy = 0;
    common->frame_done = false;
    memset(common->seconds, 0, sizeof common->seconds);
}

static void read_gauges(spate_sim *sim, bool build)
{
    if (sim->common.scene->gauge_count > 0)
        sim->table->read_gauges(sim->instance, build);
    sim->common.gauges_known = true;
}

/* Time moves on by dt; a step that ends within rounding of a frame's boundary ends exactly there.
 */
static void advance_clock(spate_sim *sim, double dt)
{
    sp_common *common = &sim->common;
    double frames = floor((common->inside + dt) / frame_seconds(sim) + 1e-6);
    common->steps++;
    common->substeps++;
    common->inside += dt - frames * frame_seconds(sim);
    if (fabs(common->inside) < frame_seconds(sim) * 2e-6)
        common->inside = 0;
    common->frame += (int)frames;
    common->frame_done = frames > 0;
    read_gauges(sim, false);
}

#define MAX_HALVINGS 3

/* One step; where the pressure does not converge, two of half the length. */
static spate_status step_in_parts(spate_sim *sim, double dt, int halvings, spate_error *error)
{
    sp_common *common = &sim->common;
    common->unconverged = false;
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

spate_status spate_sim_step(spate_sim *sim, double dt, spate_error *error)
{
    sp_common *common = &sim->common;
    if (!(dt >= 0) || !(dt < 1e9))
        return sp_fail(error, SPATE_ERROR_USAGE, "dt",
                       "must be a number of seconds, not negative (got %g)", dt);
    if (dt == 0)
        dt = spate_sim_next_dt(sim);
    if (common->frame_done)
        begin_frame(common);
    double speed = sim->table->max_speed(sim->instance, dt);
    common->cfl = fmax(common->cfl, speed * dt / cell_size(sim));
    uint64_t allocations = sp_alloc_count();
    spate_status status = step_in_parts(sim, dt, 0, error);
    common->allocations += sp_alloc_count() - allocations;
    if (status != SPATE_OK)
        return status;
    advance_clock(sim, dt);
    return SPATE_OK;
}

spate_status spate_sim_step_frame(spate_sim *sim, spate_error *error)
{
    int frame = sim->common.frame;
    while (sim->common.frame == frame)
        TRY(spate_sim_step(sim, 0, error));
    return SPATE_OK;
}

const char *spate_stage_name(spate_stage stage)
{
    static const char *const names[SPATE_STAGE_COUNT] = {
        "sort",        "solids", "p2g",      "surface", "forces", "pressure",
        "extrapolate", "g2p",    "separate", "advect",  "emit"};
    return (unsigned)stage < SPATE_STAGE_COUNT ? names[stage] : "";
}

spate_status spate_sim_run_stage(spate_sim *sim, spate_stage stage, double dt, spate_error *error)
{
    if ((unsigned)stage >= SPATE_STAGE_COUNT || !(dt >= 0))
        return sp_fail(error, SPATE_ERROR_USAGE, "stage", "no such stage, or a negative step");
    if (stage == SPATE_STAGE_SORT && sim->common.frame_done)
        begin_frame(&sim->common);
    TRY(sim->table->run_stage(sim->instance, stage, dt, error));
    if (stage == SPATE_STAGE_EMIT)
        advance_clock(sim, dt);
    return SPATE_OK;
}

int spate_sim_dim(const spate_sim *sim)
{
    return sim->common.scene->dim;
}

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

spate_stats spate_sim_progress(const spate_sim *sim)
{
    const sp_common *common = &sim->common;
    spate_stats stats = {
        .frame = common->frame,
        .time = spate_sim_time(sim),
        .substeps = common->substeps,
        .cfl = common->cfl,
        .seeded = common->seeded,
        .added = common->added,
        .removed = common->removed_open + common->removed_outflow + common->removed_crushed +
                   common->removed_user + common->removed_reseed,
        .removed_open = common->removed_open,
        .removed_outflow = common->removed_outflow,
        .removed_crushed = common->removed_crushed,
        .removed_user = common->removed_user,
        .added_reseed = common->added_reseed,
        .removed_reseed = common->removed_reseed,
        .momentum_lost = common->momentum_lost,
        .long_pushes = common->long_pushes,
        .divergence_before = common->divergence_before,
        .divergence_after = common->divergence_after,
        .solver_iterations = common->solver_iterations,
        .density_iterations = common->density_iterations,
        .separate_energy = common->separate_energy,
        .solver_residual = common->solver_residual,
        .solver_failures = common->solver_failures,
        .collisions = common->collisions,
        .allocations = common->allocations,
    };
    memcpy(stats.seconds, common->seconds, sizeof stats.seconds);
    return stats;
}

spate_stats spate_sim_stats(spate_sim *sim)
{
    spate_stats stats = spate_sim_progress(sim);
    sim->table->stats(sim->instance, &stats);
    return stats;
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
        read_gauges(sim, true);
    memcpy(values, sim->common.gauges[gauge], sizeof sim->common.gauges[gauge]);
    return sp_gauge_values(&scene->gauges[gauge], scene->dim);
}

double spate_sim_solid_distance(const spate_sim *sim, const double point[3], int *solid)
{
    return sim->table->solid_distance(sim->instance, point, solid);
}

/* ---- checkpoints: magic, version, body, checksum */

static const char magic[8] = {'s', 'p', 'a', 't', 'e', 'c', 'p', '2'};

/* Mixes bytes into the checksum, eight at a time; the split of a message into calls matters, and is
 * the same in both directions. */
static void mix_bytes(sp_stream *stream, const void *bytes, size_t size)
{
    const unsigned char *next = bytes;
    for (; size > 0; size -= size < 8 ? size : 8, next += 8) {
        uint64_t word = 0;
        memcpy(&word, next, size < 8 ? size : 8);
        stream->sum = sp_mix(stream->sum ^ word);
    }
}

spate_status sp_stream_write(sp_stream *stream, const void *bytes, size_t size)
{
    mix_bytes(stream, bytes, size);
    return stream->write(stream->user, bytes, size);
}

spate_status sp_stream_read(sp_stream *stream, void *bytes, size_t size)
{
    TRY(stream->read(stream->user, bytes, size));
    mix_bytes(stream, bytes, size);
    return SPATE_OK;
}

spate_status sp_stream_seal(sp_stream *stream)
{
    uint64_t sum = stream->sum;
    return sp_stream_write(stream, &sum, sizeof sum);
}

spate_status sp_stream_check(sp_stream *stream, spate_error *error)
{
    uint64_t sum = stream->sum, written;
    TRY(sp_stream_read(stream, &written, sizeof written));
    if (written != sum)
        return sp_fail(error, SPATE_ERROR_FILE, NULL, "the checkpoint is damaged");
    return SPATE_OK;
}

static spate_status save(const spate_sim *sim, sp_stream *stream)
{
    TRY(sp_stream_write(stream, magic, sizeof magic));
    TRY(sim->table->save(sim->instance, stream));
    return sp_stream_seal(stream);
}

spate_status spate_sim_save(const spate_sim *sim, spate_write_fn *write, void *user,
                            spate_error *error)
{
    sp_stream stream = {.write = write, .user = user};
    spate_status status = save(sim, &stream);
    return status == SPATE_OK ? status
                              : sp_fail(error, status, NULL, "the checkpoint could not be written");
}

static spate_status load(spate_sim *sim, sp_stream *stream, spate_error *error)
{
    char found[sizeof magic];
    TRY(sp_stream_read(stream, found, sizeof found));
    if (memcmp(found, magic, sizeof magic) != 0)
        return sp_fail(error, SPATE_ERROR_FILE, NULL, "not a checkpoint of this version of spate");
    TRY(sim->table->load(sim->instance, stream, error));
    return sp_stream_check(stream, error);
}

spate_status spate_sim_load(spate_sim *sim, spate_read_fn *read, void *user, spate_error *error)
{
    sp_stream stream = {.read = read, .user = user};
    sim->common.gauges_known = false;
    spate_error found = {.status = SPATE_OK};
    spate_status status = load(sim, &stream, &found);
    if (status == SPATE_OK)
        return status;
    return sp_fail(error, status, found.where, "%s",
                   found.message[0] ? found.message : "the checkpoint ends too early");
}
