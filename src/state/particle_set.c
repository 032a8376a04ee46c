/* particle_set.c -- see particle_set.h. */
#include "particle_set.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"

sp_column *sp_particles_add_column(sp_particles *particles, const char *name, int components,
                                   bool integer)
{
    assert(particles->column_count < SP_MAX_ATTRIBUTES);
    sp_column *column = &particles->columns[particles->column_count++];
    *column = (sp_column){.components = components, .integer = integer};
    snprintf(column->name, sizeof column->name, "%.39s", name);
    return column;
}

sp_column sp_particles_column(const sp_particles *particles, const char *name)
{
    const spate_particles_view *view = &particles->view;
    for (int k = 0; k < particles->column_count; k++)
        if (strcmp(particles->columns[k].name, name) == 0)
            return particles->columns[k];
    if (strcmp(name, "velocity") == 0)
        return (sp_column){
            .name = "velocity", .components = 3, .values = {view->v[0], view->v[1], view->v[2]}};
    if (strcmp(name, "id") == 0)
        return (sp_column){.name = "id", .components = 1, .integer = true, .values = {view->id}};
    return (sp_column){.components = 0};
}

static void add_origin(float origin, size_t count, float *values)
{
    for (size_t k = 0; k < count; k++)
        values[k] += origin;
}

void sp_column_read(const sp_column *column, int components, size_t begin, size_t count,
                    void *values)
{
    uint32_t *out = values; /* four bytes are four bytes */
    size_t n = (size_t)components;
    for (size_t c = 0; c < n; c++) {
        const uint32_t *in = column->values[c];
        for (size_t k = 0; k < count; k++)
            out[n * k + c] = in ? in[begin + k] : 0;
    }
    if (!column->integer && column->origin != 0)
        add_origin(column->origin, n * count, values);
}

void sp_particles_positions(const sp_particles *particles, size_t begin, size_t count,
                            float *positions)
{
    const spate_particles_view *view = &particles->view;
    for (size_t d = 0; d < 3; d++) {
        const float *x = view->x[d]; /* NULL for z in 2D */
        double origin = view->origin[d], scale = view->scale;
        for (size_t k = 0; k < count; k++)
            positions[3 * k + d] = x ? (float)(origin + scale * (double)x[begin + k]) : 0.0f;
    }
}

void sp_particles_velocities(const sp_particles *particles, size_t begin, size_t count,
                             float *velocities)
{
    sp_column column = sp_particles_column(particles, "velocity");
    sp_column_read(&column, 3, begin, count, velocities);
}

/* ------------------------------------------------------------------ memory of its own */

spate_status sp_particles_reserve(sp_particles *particles, size_t values, const char *what,
                                  spate_error *error)
{
    *particles = (sp_particles){.memory = particles->memory, .capacity = particles->capacity};
    if (particles->memory && values <= particles->capacity)
        return SPATE_OK;
    sp_particles_clear(particles);
    size_t capacity = values + values / 8 + 1;
    particles->memory = sp_alloc(capacity, sizeof *particles->memory);
    if (!particles->memory)
        return sp_fail_memory(error, what, capacity * sizeof *particles->memory);
    particles->capacity = capacity;
    return SPATE_OK;
}

static size_t count_values(const sp_particles *particles)
{
    size_t columns = particles->view.id ? 1 : 0;
    for (int d = 0; d < 3; d++)
        columns += (particles->view.x[d] ? 1 : 0) + (particles->view.v[d] ? 1 : 0);
    for (int k = 0; k < particles->column_count; k++)
        for (int c = 0; c < particles->columns[k].components; c++)
            columns += particles->columns[k].values[c] ? 1 : 0;
    return columns * particles->view.count;
}

/* Copies a column to `*next`, which moves on. */
static const void *copy_values(const void *values, size_t count, uint32_t **next)
{
    if (!values)
        return NULL;
    uint32_t *copy = *next;
    assert(copy || count == 0);
    memcpy(copy, values, count * sizeof *copy);
    *next += count;
    return copy;
}

spate_status sp_particles_copy(sp_particles *to, const sp_particles *from, const char *what,
                               spate_error *error)
{
    TRY(sp_particles_reserve(to, count_values(from), what, error));
    uint32_t *memory = to->memory, *next = memory;
    size_t capacity = to->capacity, count = from->view.count;
    *to = *from;
    to->memory = memory;
    to->capacity = capacity;
    for (int d = 0; d < 3; d++)
        to->view.x[d] = copy_values(from->view.x[d], count, &next);
    for (int d = 0; d < 3; d++)
        to->view.v[d] = copy_values(from->view.v[d], count, &next);
    to->view.id = copy_values(from->view.id, count, &next);
    for (int k = 0; k < to->column_count; k++)
        for (int c = 0; c < to->columns[k].components; c++)
            to->columns[k].values[c] = copy_values(from->columns[k].values[c], count, &next);
    return SPATE_OK;
}

void sp_particles_clear(sp_particles *particles)
{
    sp_free(particles->memory);
    *particles = (sp_particles){.memory = NULL};
}

/* ------------------------------------------------------------------ those beside the fluid */

spate_status sp_particle_sets_copy(sp_particle_sets *to, const sp_particle_sets *from,
                                   spate_error *error)
{
    for (int k = SET_FLUID + 1; k < SET_COUNT; k++) {
        to->of[k].kind = NULL;
        if (from->of[k].kind)
            TRY(sp_particles_copy(&to->of[k], &from->of[k], "the particles of a set", error));
    }
    return SPATE_OK;
}

void sp_particle_sets_clear(sp_particle_sets *sets)
{
    for (int k = 0; k < SET_COUNT; k++)
        sp_particles_clear(&sets->of[k]);
}
