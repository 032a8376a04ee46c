/* queries.c -- what can be asked of a simulation: views, copies, values at points, forces, gauges,
 * snapshots. */
#include "facade.h"

#include "base/sized.h"
#include "base/status.h"
#include "kernels/sets.h"
#include "scene/gauge.h"

#include <stdio.h>
#include <string.h>

uint64_t spate_sim_hash(spate_sim *sim)
{
    return sim->table->hash(sim->instance, SET_FLUID);
}

/* ---- particles */

int spate_sim_particle_set_count(const spate_sim *sim)
{
    return sim->table->set_count(sim->instance);
}

const char *spate_sim_particle_set_name(const spate_sim *sim, int set)
{
    bool there = set >= 0 && set < spate_sim_particle_set_count(sim);
    return there ? sim->table->set_kind(sim->instance, set)->name : NULL;
}

int sp_sim_find_set(const spate_sim *sim, const char *name)
{
    for (int set = 0; set < spate_sim_particle_set_count(sim) && name; set++)
        if (strcmp(name, sim->table->set_kind(sim->instance, set)->name) == 0)
            return set;
    return -1;
}

size_t spate_sim_particles_count(const spate_sim *sim, const char *name)
{
    int set = sp_sim_find_set(sim, name);
    return set >= 0 ? sim->table->count(sim->instance, set) : 0;
}

uint64_t spate_sim_particles_hash(spate_sim *sim, const char *name)
{
    int set = sp_sim_find_set(sim, name);
    return set >= 0 ? sim->table->hash(sim->instance, set) : 0;
}

bool spate_sim_particles_read(spate_sim *sim, const char *set, float *positions, float *velocities,
                              uint32_t *ids)
{
    sp_particles now;
    if (!sp_sim_particles(sim, set, &now))
        return false;
    if (positions)
        sp_particles_positions(&now, 0, now.view.count, positions);
    if (velocities)
        sp_particles_velocities(&now, 0, now.view.count, velocities);
    if (ids && now.view.count > 0)
        memcpy(ids, now.view.id, now.view.count * sizeof *ids);
    return true;
}

bool spate_sim_particles_view_sized(spate_sim *sim, const char *set, spate_particles_view *view,
                                    size_t size)
{
    sp_particles now = {.kind = NULL};
    bool there = sp_sim_particles(sim, set, &now);
    sp_sized_out(view, size, &now.view, sizeof now.view);
    return there;
}

const char *spate_sim_particles_column_name(const spate_sim *sim, const char *set, int column)
{
    int number = sp_sim_find_set(sim, set), count = 0;
    const sp_set_column *columns =
        number >= 0 ? sim->table->set_columns(sim->instance, number, &count) : NULL;
    for (int k = 0; k < count; k++)
        if (columns[k].name && column-- == 0)
            return columns[k].name;
    return NULL;
}

const char *spate_sim_particles_class_name(const spate_sim *sim, const char *set, int number)
{
    int found = sp_sim_find_set(sim, set);
    const sp_set_kind *kind = found >= 0 ? sim->table->set_kind(sim->instance, found) : NULL;
    return kind && number >= 0 && number < kind->class_count ? kind->classes[number] : NULL;
}

bool spate_sim_particles_column_sized(spate_sim *sim, const char *set, const char *name,
                                      spate_column_view *view, size_t size)
{
    sp_particles now = {.kind = NULL};
    spate_column_view all = {.components = 0};
    sp_sim_particles(sim, set, &now);
    for (int k = 0; k < now.column_count && name; k++) {
        const sp_column *column = &now.columns[k];
        if (strcmp(column->name, name) != 0)
            continue;
        all = (spate_column_view){.count = now.view.count,
                                  .components = column->components,
                                  .integer = column->integer,
                                  .origin = (double)column->origin};
        memcpy(all.values, column->values, sizeof all.values);
    }
    sp_sized_out(view, size, &all, sizeof all);
    return all.components > 0;
}

int spate_sim_channel_view(spate_sim *sim, const char *name, float *columns[4])
{
    return sim->table->channel_view(sim->instance, name, columns);
}

bool spate_sim_particles_device_view_sized(spate_sim *sim, const char *name,
                                           spate_particles_view *view, size_t size)
{
    sp_particles now = {.kind = NULL};
    int set = sp_sim_find_set(sim, name);
    bool there = set >= 0 && sim->table->view(sim->instance, set, true, &now);
    sp_sized_out(view, size, &now.view, sizeof now.view);
    return there;
}

int spate_sim_channel_device_view(spate_sim *sim, const char *name, const float *columns[4])
{
    sp_particles now = {.kind = NULL};
    if (!sim->table->view(sim->instance, SET_FLUID, true, &now))
        return 0;
    for (int k = 0; k < now.column_count; k++) {
        const sp_column *column = &now.columns[k];
        if (strcmp(column->name, name) != 0)
            continue;
        for (int c = 0; c < column->components; c++)
            columns[c] = column->values[c];
        return column->components;
    }
    return 0;
}

/* What the particles of a simulation are called, and of when they are. */
static void label_particles(const spate_sim *sim, int set, sp_particles *particles)
{
    particles->kind = sim->table->set_kind(sim->instance, set);
    particles->frame = sim->common.frame;
    particles->time = spate_sim_time(sim);
}

bool sp_sim_particles(spate_sim *sim, const char *name, sp_particles *out)
{
    int set = sp_sim_find_set(sim, name);
    if (set < 0)
        return false;
    sim->table->view(sim->instance, set, false, out);
    label_particles(sim, set, out);
    return true;
}

const sp_set_kind *sp_set_kind_of(int dim, int number)
{
    const sp_table *table = dim == 2 ? &sp2_table : &sp3_table;
    return table->kind_of(number);
}

bool sp_snapshot_begin(spate_sim *sim, sp_particles *out)
{
    if (!sim->table->snapshot(sim->instance, out))
        return false;
    label_particles(sim, SET_FLUID, out);
    return true;
}

bool sp_snapshot_wait(spate_sim *sim)
{
    return sim->table->snapshot_wait(sim->instance);
}

/* ---- the grid */

bool spate_sim_field_view_sized(spate_sim *sim, const char *name, spate_field_view *view,
                                size_t size)
{
    spate_field_view all = {0};
    bool there = sim->table->field_view(sim->instance, false, name, &all);
    sp_sized_out(view, size, &all, sizeof all);
    return there;
}

bool spate_sim_field_device_view_sized(spate_sim *sim, const char *name, spate_field_view *view,
                                       size_t size)
{
    spate_field_view all = {0};
    bool there = sim->table->field_view(sim->instance, true, name, &all);
    sp_sized_out(view, size, &all, sizeof all);
    return there;
}

float *spate_sim_velocity_edit(spate_sim *sim, int axis, spate_error *error)
{
    bool inside = sim->common.in_callback || sim->common.mid_step;
    if (inside && axis >= 0 && axis < spate_sim_dim(sim))
        return sim->table->edit_velocity(sim->instance, axis);
    sp_fail(error, SPATE_ERROR_USAGE, inside ? "axis" : "spate_sim_velocity_edit",
            inside ? "there is no such axis"
                   : "velocities of faces are made anew in every step: change them in a stage "
                     "callback, or between stages that are run one by one");
    return NULL;
}

/* Whether particles and solids are to be laid on the grid before a look at it: not inside a step,
 * whose next stages need what is there. */
static bool needs_grid(const spate_sim *sim)
{
    return !sim->common.grid_known && !sim->common.in_callback && !sim->common.mid_step;
}

spate_status spate_sim_sample(spate_sim *sim, const double *positions, size_t count,
                              double *velocity, double *pressure, double *phi, spate_error *error)
{
    for (size_t k = 0; k < count; k++)
        TRY(sp_check_finite("positions", positions + 3 * k, (size_t)spate_sim_dim(sim), error));
    sim->table->sample(sim->instance, needs_grid(sim), positions, count, velocity, pressure, phi);
    return SPATE_OK;
}

spate_status spate_sim_solid_force(spate_sim *sim, spate_solid_id id, const double about[3],
                                   double force[3], double torque[3], spate_error *error)
{
    static const double corner[3];
    TRY(sp_sim_check_solid(sim, id, error));
    if (about)
        TRY(sp_check_finite("about", about, (size_t)spate_sim_dim(sim), error));
    sim->table->solid_force(sim->instance, needs_grid(sim), (int)id.index, about ? about : corner,
                            force, torque);
    return SPATE_OK;
}

const sp_solids *sp_sim_solids(const spate_sim *sim)
{
    return sim->table->solids(sim->instance);
}

sp_pool *sp_sim_pool(spate_sim *sim)
{
    return sim->common.pool;
}

/* ---- gauges */

int spate_sim_gauge_count(const spate_sim *sim)
{
    return sim->common.scene->gauge_count;
}

static bool has_gauge_value(const spate_scene *scene, int gauge, int value)
{
    return gauge >= 0 && gauge < scene->gauge_count && value >= 0 &&
           value < sp_gauge_values(&scene->gauges[gauge], scene->dim);
}

bool spate_sim_gauge_column(const spate_sim *sim, int gauge, int value, char *name, size_t size)
{
    const spate_scene *scene = sim->common.scene;
    char column[SP_GAUGE_LABEL] = "";
    bool there = has_gauge_value(scene, gauge, value);
    if (there)
        sp_gauge_column(scene, gauge, value, column);
    if (size > 0)
        snprintf(name, size, "%s", column);
    return there;
}

bool spate_sim_gauge_heading(const spate_sim *sim, int gauge, int value, char *heading, size_t size)
{
    const spate_scene *scene = sim->common.scene;
    char text[SP_GAUGE_HEADING] = "";
    bool there = has_gauge_value(scene, gauge, value);
    if (there)
        sp_gauge_heading(scene, gauge, value, text);
    if (size > 0)
        snprintf(heading, size, "%s", text);
    return there;
}

int spate_sim_gauge_read(spate_sim *sim, int gauge, double values[3])
{
    const spate_scene *scene = sim->common.scene;
    values[0] = values[1] = values[2] = 0;
    if (gauge < 0 || gauge >= scene->gauge_count)
        return 0;
    if (!sim->common.gauges_known && !sim->common.in_callback && !sim->common.mid_step)
        sp_sim_read_gauges(sim, true);
    memcpy(values, sim->common.gauges[gauge], sizeof sim->common.gauges[gauge]);
    return sp_gauge_values(&scene->gauges[gauge], scene->dim);
}
