/* particle_table.c -- see particle_table.h. */
#include "particle_table.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/status.h"
#include "field_set.h"
#include "scene/schema.h"
#include "scene/sides.h"

/* ------------------------------------------------------------------ values */

static void fill_position(const sp_particle_table *table, const sp_attribute *attribute,
                          size_t begin, size_t count, void *values)
{
    (void)attribute;
    sp_particles_positions(table->particles, begin, count, values);
}

static void fill_column(const sp_particle_table *table, const sp_attribute *attribute, size_t begin,
                        size_t count, void *values)
{
    sp_column column = sp_particles_column(table->particles, attribute->name);
    sp_column_read(&column, attribute->components, begin, count, values);
}

static void fill_speed(const sp_particle_table *table, const sp_attribute *attribute, size_t begin,
                       size_t count, void *values)
{
    (void)attribute;
    float *out = values;
    for (size_t k = 0; k < count; k++) {
        float sum = 0;
        for (int d = 0; d < 3; d++) {
            const float *v = table->particles->view.v[d]; /* NULL for z in 2D */
            float value = v ? v[begin + k] : 0.0f;
            sum += value * value;
        }
        out[k] = sqrtf(sum);
    }
}

/* d u[component] / d x[axis] over one cell. */
static double slope(const sp_particle_table *table, int component, int axis, const double point[3])
{
    const spate_field_view *u = &table->u[component];
    if (!u->values || axis >= table->dim)
        return 0;
    double low[3] = {point[0], point[1], point[2]}, high[3] = {point[0], point[1], point[2]};
    low[axis] -= 0.5 * table->cell_size;
    high[axis] += 0.5 * table->cell_size;
    return (sp_field_view_at(u, high) - sp_field_view_at(u, low)) / table->cell_size;
}

/* The curl of the grid's velocity, 1/s. */
static void fill_vorticity(const sp_particle_table *table, const sp_attribute *attribute,
                           size_t begin, size_t count, void *values)
{
    (void)attribute;
    const spate_particles_view *view = &table->particles->view;
    float *out = values;
    for (size_t k = 0; k < count; k++) {
        double point[3];
        for (int d = 0; d < 3; d++) {
            const float *x = view->x[d];
            point[d] = x ? view->origin[d] + view->scale * (double)x[begin + k] : 0;
        }
        for (int d = 0; d < 3; d++) {
            int e = (d + 1) % 3, f = (d + 2) % 3;
            out[3 * k + (size_t)d] = (float)(slope(table, f, e, point) - slope(table, e, f, point));
        }
    }
}

/* ------------------------------------------------------------------ making one */

sp_particle_table sp_particle_table_of_scene(const spate_scene *scene)
{
    static const sp_particles none;
    sp_particle_table table = {.particles = &none, .dim = scene->dim, .fps = scene->fps};
    double dx = sp_scene_cell_size(scene), n = scene->fluid.particles_per_axis;
    table.cell_size = dx;
    table.particles_per_axis = scene->fluid.particles_per_axis;
    for (int d = 0; d < 3; d++) {
        table.cells[d] = d < scene->dim ? (int)sp_scene_cells(scene, d) : 1;
        table.size[d] = d < scene->dim ? sp_scene_extent(scene, d) : 0;
    }
    /* the disc or ball of a particle's share of a cell */
    const double pi = 3.14159265358979323846;
    table.radius = scene->dim == 3 ? dx / n * cbrt(3 / (4 * pi)) : dx / n * sqrt(1 / pi);
    return table;
}

static sp_fill_fn *fill_of(const sp_column *column, const char *name)
{
    if (strcmp(name, "position") == 0)
        return fill_position;
    if (column->components == 0 && strcmp(name, "speed") == 0)
        return fill_speed;
    if (column->components == 0 && strcmp(name, "vorticity") == 0)
        return fill_vorticity;
    return fill_column;
}

void sp_particle_table_add(sp_particle_table *table, const char *name, int components)
{
    sp_column column = sp_particles_column(table->particles, name);
    assert(table->attribute_count <= SP_MAX_ATTRIBUTES);
    sp_attribute *attribute = &table->attributes[table->attribute_count++];
    *attribute = (sp_attribute){
        .components = components, .integer = column.integer, .fill = fill_of(&column, name)};
    snprintf(attribute->name, sizeof attribute->name, "%.39s", name);
}

spate_status sp_particle_table_of_particles(sp_particle_table *table, const spate_scene *scene,
                                            const sp_particles *particles, spate_error *error)
{
    sp_wish wishes[SP_MAX_ATTRIBUTES];
    int count;
    *table = sp_particle_table_of_scene(scene);
    table->particles = particles;
    TRY(sp_attributes_parse(scene, scene->output.attributes, wishes, &count, error));
    sp_particle_table_add(table, "position", 3);
    for (int k = 0; k < count; k++)
        sp_particle_table_add(table, wishes[k].name, wishes[k].components);
    return SPATE_OK;
}

void sp_particle_table_of_set(sp_particle_table *table, const spate_scene *scene,
                              const sp_particles *particles)
{
    *table = sp_particle_table_of_scene(scene);
    table->particles = particles;
    sp_particle_table_add(table, "position", 3);
    sp_particle_table_add(table, "velocity", 3);
    sp_particle_table_add(table, "id", 1);
    for (int k = 0; k < particles->column_count; k++)
        sp_particle_table_add(table, particles->columns[k].name, particles->columns[k].components);
}

bool sp_particle_table_needs_grid(const spate_scene *scene)
{
    sp_wish wishes[SP_MAX_ATTRIBUTES];
    int count;
    bool needs = false;
    if (sp_attributes_parse(scene, scene->output.attributes, wishes, &count, NULL) != SPATE_OK)
        return false;
    for (int k = 0; k < count; k++)
        needs = needs || strcmp(wishes[k].name, "vorticity") == 0;
    return needs;
}

void sp_particle_table_use_grid(sp_particle_table *table, spate_sim *sim)
{
    static const char *const faces[3] = {"u", "v", "w"};
    for (int d = 0; d < table->dim && sp_particle_table_find(table, "vorticity"); d++)
        if (!spate_sim_field_view(sim, faces[d], &table->u[d]))
            table->u[d].values = NULL;
}

spate_status sp_particle_table_of_sim(sp_particle_table *table, sp_particles *particles,
                                      spate_sim *sim, spate_error *error)
{
    sp_sim_particles(sim, SP_FLUID, particles);
    TRY(sp_particle_table_of_particles(table, spate_sim_scene(sim), particles, error));
    sp_particle_table_use_grid(table, sim);
    return SPATE_OK;
}

/* ------------------------------------------------------------------ looking at one */

const sp_attribute *sp_particle_table_find(const sp_particle_table *table, const char *name)
{
    for (int k = 0; k < table->attribute_count; k++)
        if (strcmp(table->attributes[k].name, name) == 0)
            return &table->attributes[k];
    return NULL;
}

const void *sp_particle_table_values(const sp_particle_table *table, const sp_attribute *attribute,
                                     size_t begin, size_t count, sp_particle_table_buffer *buffer)
{
    attribute->fill(table, attribute, begin, count, buffer);
    return buffer;
}

void sp_particle_table_bounds(const sp_particle_table *table, double margin, float low[3],
                              float high[3])
{
    sp_particle_table_buffer buffer;
    float least[3] = {INFINITY, INFINITY, INFINITY}, most[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t begin = 0, count; (count = sp_particle_table_block(table, begin)) > 0;
         begin += count) {
        const float *x =
            sp_particle_table_values(table, &table->attributes[0], begin, count, &buffer);
        for (size_t k = 0; k < 3 * count; k += 3)
            for (size_t d = 0; d < 3; d++) {
                least[d] = x[k + d] < least[d] ? x[k + d] : least[d];
                most[d] = x[k + d] > most[d] ? x[k + d] : most[d];
            }
    }
    for (int d = 0; d < 3; d++) {
        bool any = table->particles->view.count > 0;
        low[d] = any ? (float)((double)least[d] - margin) : 0.0f;
        high[d] = any ? (float)((double)most[d] + margin) : 0.0f;
    }
}

static spate_status keep(const sp_particle_table *table, const char *word, sp_attribute *kept,
                         int *count, spate_error *error)
{
    for (int k = 0; k < *count; k++)
        if (strcmp(kept[k].name, word) == 0)
            return SPATE_OK;
    const sp_attribute *found = sp_particle_table_find(table, word);
    if (found) {
        kept[(*count)++] = *found;
        return SPATE_OK;
    }
    char names[256] = "";
    for (int k = 1; k < table->attribute_count; k++) {
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", k > 1 ? ", " : "",
                 table->attributes[k].name);
    }
    return sp_fail(error, SPATE_ERROR_USAGE, "--attributes",
                   "the particle files have no '%.40s'; they have %s", word,
                   names[0] ? names : "only positions");
}

spate_status sp_particle_table_choose(sp_particle_table *table, const char *words,
                                      spate_error *error)
{
    sp_attribute kept[SP_MAX_ATTRIBUTES + 1];
    int count = 0;
    char word[64];
    if (strstr(words, "speed") && sp_particle_table_find(table, "velocity") &&
        !sp_particle_table_find(table, "speed") && table->attribute_count <= SP_MAX_ATTRIBUTES)
        sp_particle_table_add(table, "speed", 1);
    TRY(keep(table, "position", kept, &count, error));
    for (const char *text = words;;) {
        text += strspn(text, " ,");
        size_t length = strcspn(text, " ,");
        if (length == 0)
            break;
        snprintf(word, sizeof word, "%.*s", (int)(length < 63 ? length : 63), text);
        TRY(keep(table, word, kept, &count, error));
        text += length;
    }
    memcpy(table->attributes, kept, (size_t)count * sizeof *kept);
    table->attribute_count = count;
    return SPATE_OK;
}
