/* table.c -- an instance (2D or 3D) as the facade meets it: calls that come from a user's program.
 */
#include "table.h"
#include "gauges.h"
#include "scene/channels.h"
#include "scene/timeline.h"
#include "sim.h"
#include "state/arrays.h"

#include <math.h>
#include <string.h>

static void *create(sp_common *common, const void *device, const void *host, spate_error *error)
{
    return X(create)(common, device, host, error);
}

static spate_status forecast(const spate_scene *scene, const void *device, int threads,
                             spate_forecast *out, spate_error *error)
{
    return X(forecast)(scene, device, threads, out, error);
}

static void destroy(void *s)
{
    X(destroy)(s);
}

static spate_status step(void *s, double dt, spate_error *error)
{
    return X(step)(s, dt, error);
}

/* Up to PRESSURE a step moves nothing but solids. */
static void rewind_step(void *user)
{
    sp_solids_rewind(&((X(sim) *)user)->solids);
}

/* By itself a stage has ended when its function has, on a device too. */
static spate_status run_stage(void *s, sp_stage stage, double dt, spate_error *error)
{
    return X(run_stage)(s, stage, dt, error);
}

/* That of the liquid is what the grid saw in the last step: neither particles in free flight nor
 * others that are faster than the faces around them, which move them, limit the step. */
static double max_speed(void *user, double dt)
{
    X(sim) *s = user;
    double time = s->common->frame / s->common->scene->fps + s->common->inside;
    double speed = s->common->flow_speed > 0 ? s->common->flow_speed : s->device->max_speed(s);
    for (int k = 0; k < s->emitter_count; k++)
        FOR_DIM(d)
            if (!s->emitters[k].off)
                speed = fmax(speed, fabs((double)s->emitters[k].velocity[d]));
    return fmax(speed, sp_solids_speed(&s->solids, time, dt));
}

static void follow_time(void *s, double time, double dt)
{
    X(follow_time)(s, time, dt);
}

static spate_status appear(void *s, double after, double until, bool *appeared, spate_error *error)
{
    return X(appear)(s, after, until, appeared, error);
}

static spate_status watch_rooms(void *user, bool start, spate_error *error)
{
    X(sim) *s = user;
    if (s->common->medium->has_surface || s->solids.live == 0)
        return SPATE_OK;
    if (start)
        s->host->lay_solids(s);
    return X(watch_rooms)(s, error);
}

static int set_count(const void *user)
{
    return ((const X(sim) *)user)->set_count;
}

static const sp_set_kind *set_kind(const void *user, int set)
{
    return &((const X(sim) *)user)->sets[set].kind->base;
}

static const sp_set_ledger *set_ledger(const void *user, int set)
{
    return &((const X(sim) *)user)->sets[set].ledger;
}

static const sp_set_column *set_columns(const void *user, int set, int *count)
{
    const X(sim) *s = user;
    *count = s->sets[set].column_count;
    return s->sets[set].columns;
}

static const void *set_state(const void *user, int set)
{
    const X(sim) *s = user;
    return s->sets[set].state;
}

static uint64_t hash(void *user, int set)
{
    X(sim) *s = user;
    X(fetch)(s, s->sets[set].group);
    return X(hash)(s->sets[set].particles, s->common->pool);
}

static void stats(void *user, spate_stats *out)
{
    X(sim) *s = user;
    s->device->stats(s, out);
}

static spate_status add_particles(void *user, const float *x, const float *v, size_t count,
                                  size_t *added, spate_error *error)
{
    X(sim) *s = user;
    size_t taken = 0;
    float initial[CHANNEL_COLUMNS];
    X(fetch)(s, GROUP_PARTICLES);
    X(dirty)(s, GROUP_PARTICLES);
    TRY(X(make_room)(s, (uint64_t)s->particles.count + count, error));
    X(initial_channels)(s->common->scene, -1, initial);
    for (size_t k = 0; k < count; k++) {
        float at[DIM], velocity[DIM];
        double world[3] = {0, 0, 0};
        bool good = true;
        FOR_DIM(d) {
            at[d] = x[3 * k + (size_t)d] / s->grid.dx;
            velocity[d] = v ? v[3 * k + (size_t)d] : 0.0f;
            velocity[d] -= X(gravity_kick)(s, d, 0); /* as of the middle of the last step */
            world[d] = x[3 * k + (size_t)d];
            good = good && at[d] >= CLEARANCE && at[d] <= (float)s->grid.n[d] - CLEARANCE &&
                   velocity[d] - velocity[d] == 0.0f;
        }
        if (!good || sp_solids_distance(&s->solids, world, NULL, NULL) < CLEARANCE * s->grid.dx)
            continue;
        X(particles_append)(&s->particles, at, velocity, initial);
        taken++;
    }
    X(book_arrivals)(s, s->particles.count - (uint32_t)taken);
    s->common->added += taken;
    s->common->flow_speed = 0;
    if (added)
        *added = taken;
    return SPATE_OK;
}

static size_t remove_particles(void *user, const spate_shape *inside)
{
    X(sim) *s = user;
    sp_shape form;
    size_t taken = 0;
    X(fetch)(s, GROUP_PARTICLES);
    X(dirty)(s, GROUP_PARTICLES);
    sp_shape_prepare(&form, inside, DIM);
    for (uint32_t k = 0; k < s->particles.count; k++) {
        double world[3] = {0, 0, 0};
        FOR_DIM(d)
            world[d] = (double)s->particles.x[d][k] * s->grid.dx;
        if (!sp_shape_holds(&form, &form.rest, world))
            continue;
        s->particles.x[0][k] = DEAD;
        taken++;
    }
    X(remove_dead)(s);
    s->common->removed_user += taken;
    return taken;
}

/* Moves the particles of a set out of solids; marks those DEAD that have no place left, and returns
 * whether there are some. */
static bool free_particles(const X(sim) *s, X(particles) *p)
{
    sp_clearance room = X(clearance)(s);
    bool crushed = false;
    p->sorted = false;
    p->fastest = -1.0f;
    for (uint32_t k = 0; k < p->count; k++) {
        double x[3] = {0, 0, 0}, v[3] = {0, 0, 0};
        FOR_DIM(d) {
            x[d] = (double)p->x[d][k] * s->grid.dx;
            v[d] = p->v[d][k];
        }
        if (sp_solids_distance(&s->solids, x, NULL, NULL) >= 0.5 * room.clearance)
            continue;
        double start[3] = {x[0], x[1], x[2]};
        if (sp_solids_sweep(&s->solids, &room, start, x, v, 0) == SP_CONTACT_CRUSHED) {
            p->x[0][k] = DEAD;
            crushed = true;
            continue;
        }
        FOR_DIM(d) {
            p->x[d][k] = (float)(x[d] / s->grid.dx);
            p->v[d][k] = (float)v[d];
        }
    }
    return crushed;
}

/* After a solid has come to a new place at once: no particle may be left inside. */
static void free_all_sets(X(sim) *s)
{
    for (int k = 0; k < s->set_count; k++) {
        X(set) *set = &s->sets[k];
        X(fetch)(s, set->group);
        X(dirty)(s, set->group);
        if (free_particles(s, set->particles))
            X(set_remove_crushed)(s, set);
    }
}

static spate_status add_solid(void *user, const spate_shape *shape, int *index, spate_error *error)
{
    X(sim) *s = user;
    double time = s->common->frame / s->common->scene->fps + s->common->inside;
    if (shape->wall != SPATE_WALL_SLIP)
        TRY(X(arrays_add)(s, WHEN_DRAG, error));
    TRY(sp_solids_add(&s->solids, shape, time, index, error));
    s->solids_changed = true;
    free_all_sets(s);
    return SPATE_OK;
}

static void move_solid(void *user, int index, const double position[3], const double rotation[3])
{
    X(sim) *s = user;
    sp_solid *solid = &s->solids.items[index];
    s->solids_changed = s->solids_changed || !solid->driven;
    solid->driven = true;
    memcpy(solid->host_position, position, sizeof solid->host_position);
    memcpy(solid->host_rotation, rotation, sizeof solid->host_rotation);
}

static void remove_solid(void *user, int index)
{
    X(sim) *s = user;
    s->solids.items[index].live = false;
    s->solids.live--;
    s->solids_changed = true;
}

static const sp_solids *solids(const void *user)
{
    return &((const X(sim) *)user)->solids;
}

/* One that is turned on starts as all do at the beginning: every free place of it gives. */
static void set_inflow(void *user, int inflow, bool on)
{
    X(sim) *s = user;
    X(emitter) *e = &s->emitters[inflow];
    double time = s->common->frame / s->common->scene->fps + s->common->inside;
    e->shut = !on;
    on = on && sp_is_open(&s->common->scene->inflows.items[inflow], time);
    if (e->off != on)
        return;
    X(fetch)(s, GROUP_SOLIDS);
    X(dirty)(s, GROUP_SOLIDS);
    e->off = !on;
    e->started = false;
    X(mark_flows)(s);
}

static bool inflow_is_on(const void *user, int inflow)
{
    return !((const X(sim) *)user)->emitters[inflow].off;
}

static void add_impulse(void *user, const double center[3], double radius, const double velocity[3])
{
    X(sim) *s = user;
    X(fetch)(s, GROUP_PARTICLES);
    X(dirty)(s, GROUP_PARTICLES);
    s->particles.fastest = -1.0f;
    s->common->flow_speed = 0;
    for (uint32_t k = 0; k < s->particles.count && radius > 0; k++) {
        double square = 0;
        FOR_DIM(d) {
            double gap = (double)s->particles.x[d][k] * s->grid.dx - center[d];
            square += gap * gap;
        }
        double fade = 1 - square / (radius * radius);
        FOR_DIM(d)
            s->particles.v[d][k] += fade > 0 ? (float)(fade * velocity[d]) : 0.0f;
    }
}

static double cell_size(const void *s)
{
    return ((const X(sim) *)s)->grid.dx;
}

static uint64_t device_bytes(const void *user)
{
    const X(sim) *s = user;
    return s->device->bytes ? s->device->bytes(s) : 0;
}

static size_t count(const void *user, int set)
{
    return ((const X(sim) *)user)->sets[set].particles->count;
}

/* The arrays of these groups, current, in the host's memory or in the device's; false: it has none.
 */
static bool current_arrays(X(sim) *s, bool on_device, unsigned groups, X(fields) *out)
{
    if (!on_device) {
        X(fetch)(s, groups);
        *out = X(fields_of)(s);
        return true;
    }
    const X(fields) *there = s->device->arrays ? s->device->arrays(s, groups) : NULL;
    if (there)
        *out = *there;
    return there != NULL;
}

static bool view(void *user, int number, bool on_device, sp_particles *out)
{
    X(sim) *s = user;
    X(fields) f;
    const X(set) *set = &s->sets[number];
    if (on_device && set->group != GROUP_PARTICLES)
        return false;
    if (!current_arrays(s, on_device, set->group, &f))
        return false;
    X(show_particles)(s, set, on_device ? &f.particles : set->particles, out);
    return true;
}

static int channel_view(void *user, const char *name, float *columns[4])
{
    X(sim) *s = user;
    const spate_scene *scene = s->common->scene;
    int column = 0;
    X(fetch)(s, GROUP_PARTICLES);
    X(dirty)(s, GROUP_PARTICLES); /* the caller may write */
    for (int c = 0; c < scene->channel_count; column += scene->channels[c++].components) {
        if (strcmp(scene->channels[c].name, name) != 0)
            continue;
        for (int e = 0; e < scene->channels[c].components; e++)
            columns[e] = s->particles.own[column + e];
        return scene->channels[c].components;
    }
    return 0;
}

/* The fields that are not one per axis. */
enum { FIELD_CELLS, FIELD_NODES };
typedef struct field {
    const char *name;
    unsigned group;
    int place;
    bool there;    /* in this scene */
    size_t offset; /* in X(fields) */
} field;

static bool field_view(void *user, bool on_device, const char *name, spate_field_view *out)
{
    X(sim) *s = user;
    X(fields) f;
    static const char *const axes[3] = {"u", "v", "w"};
    static const char *const open_axes[3] = {"open_u", "open_v", "open_w"};
    field fields[4 + GRID_COLUMNS] = {
        {"p", GROUP_PRESSURE, FIELD_CELLS, true, offsetof(X(fields), p)},
        {"phi", GROUP_SURFACE, FIELD_CELLS, X(has_level_set)(s), offsetof(X(fields), phi)},
        {"solid", GROUP_SOLIDS, FIELD_NODES, true, offsetof(X(fields), phi_solid)},
        {"type", GROUP_SURFACE, FIELD_CELLS, true, offsetof(X(fields), type)}};
    char names[GRID_COLUMNS][SP_CHANNEL_LABEL];
    for (int j = 0; j < s->on_grid; j++) {
        size_t pointer = (size_t)j * sizeof(float *);
        sp_grid_column_label(s->common->scene, j, names[j]);
        fields[4 + j] = (field){names[j], GROUP_CHANNELS, FIELD_CELLS, true,
                                offsetof(X(fields), channel) + pointer};
    }
    const field *found = NULL;
    int face = -1;
    bool open = false;
    FOR_DIM(d) {
        open = open || (s->solids.live > 0 && strcmp(name, open_axes[d]) == 0);
        face = strcmp(name, axes[d]) == 0 || strcmp(name, open_axes[d]) == 0 ? d : face;
    }
    for (int k = 0; k < 4 + s->on_grid; k++)
        if (strcmp(name, fields[k].name) == 0 && fields[k].there)
            found = &fields[k];
    if ((face < 0 && !found) || (strncmp(name, "open_", 5) == 0 && !open) ||
        !current_arrays(s, on_device,
                        found  ? found->group
                        : open ? GROUP_SOLIDS
                               : GROUP_U,
                        &f))
        return false;
    void *at = face < 0 ? NULL : open ? f.w[face] : f.u[face];
    if (found)
        memcpy(&at, (const char *)&f + found->offset, sizeof at);
    if (!at)
        return false;
    memset(out, 0, sizeof *out);
    if (at == f.type)
        out->bytes = f.type + s->grid.origin;
    else
        out->values = (const float *)at + s->grid.origin;
    out->cell_size = s->grid.dx;
    for (int d = 0; d < 3; d++) {
        bool ends = d < DIM && (d == face || (found && found->place == FIELD_NODES));
        out->count[d] = s->grid.n[d] + ends;
        out->stride[d] = (ptrdiff_t)s->grid.stride[d];
        out->origin[d] = d >= DIM || ends ? 0 : 0.5 * s->grid.dx;
    }
    return true;
}

static float *edit_velocity(void *user, int axis)
{
    X(sim) *s = user;
    X(fetch)(s, GROUP_U);
    X(dirty)(s, GROUP_U);
    return s->u[axis] + s->grid.origin;
}

static bool snapshot(void *user, sp_particles *out)
{
    X(sim) *s = user;
    return s->device->snapshot && s->device->snapshot(s, out);
}

static bool snapshot_wait(void *user)
{
    X(sim) *s = user;
    return !s->device->snapshot_wait || s->device->snapshot_wait(s);
}

/* Makes the host's arrays ready for a look at the grid; build: lays particles and solids on it. */
static void look_at_grid(X(sim) *s, bool build, unsigned groups)
{
    X(fetch)(s, build ? GROUP_ALL
                      : groups | GROUP_LISTED | GROUP_SURFACE | GROUP_SOLIDS | GROUP_CELLS);
    if (build)
        X(build_grid)(s);
}

static void sample(void *user, bool build, const double *positions, size_t count, double *velocity,
                   double *pressure, double *phi)
{
    X(sim) *s = user;
    look_at_grid(s, build, (velocity ? GROUP_U : 0) | (pressure ? GROUP_PRESSURE : 0));
    X(sample)(s, positions, count, velocity, pressure, phi);
    if (build)
        X(discard)(s, GROUP_GRID);
}

static void solid_force(void *user, bool build, int index, const double about[3], double force[3],
                        double torque[3])
{
    X(sim) *s = user;
    look_at_grid(s, build, GROUP_U | GROUP_PRESSURE);
    X(solid_force)(s, index, about, force, torque);
    if (build)
        X(discard)(s, GROUP_GRID);
}

static void read_gauges(void *s, bool build)
{
    if (build)
        X(fetch)(s, GROUP_ALL);
    X(read_gauges)(s, build);
    if (build)
        X(discard)(s, GROUP_GRID);
}

static spate_status save(void *s, sp_stream *stream)
{
    X(fetch)(s, GROUP_PARTICLES | GROUP_SETS | GROUP_LISTED | X(saved_groups)());
    return X(save)(s, stream);
}

static spate_status load(void *s, sp_stream *stream, spate_error *error)
{
    X(fetch)(s, GROUP_ALL);
    X(dirty)(s, GROUP_ALL);
    return X(load)(s, stream, error);
}

const sp_table X(table) = {
    .create = create,
    .destroy = destroy,
    .forecast = forecast,
    .step = step,
    .rewind = rewind_step,
    .run_stage = run_stage,
    .follow_time = follow_time,
    .appear = appear,
    .watch_rooms = watch_rooms,
    .max_speed = max_speed,
    .set_count = set_count,
    .set_kind = set_kind,
    .kind_of = X(set_kind_of),
    .set_ledger = set_ledger,
    .set_columns = set_columns,
    .set_state = set_state,
    .hash = hash,
    .stats = stats,
    .add_particles = add_particles,
    .remove_particles = remove_particles,
    .add_solid = add_solid,
    .move_solid = move_solid,
    .remove_solid = remove_solid,
    .solids = solids,
    .set_inflow = set_inflow,
    .inflow_is_on = inflow_is_on,
    .add_impulse = add_impulse,
    .cell_size = cell_size,
    .device_bytes = device_bytes,
    .count = count,
    .view = view,
    .channel_view = channel_view,
    .field_view = field_view,
    .edit_velocity = edit_velocity,
    .snapshot = snapshot,
    .snapshot_wait = snapshot_wait,
    .sample = sample,
    .solid_force = solid_force,
    .read_gauges = read_gauges,
    .save = save,
    .load = load,
};
