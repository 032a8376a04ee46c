/* particle_table.c -- particles of a simulation as attributes, and what all clouds share. */
#include "particle_table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "scene/schema.h"

/* ------------------------------------------------------------------ values of a simulation */

static void fill_position(const sp_particle_table *table, const sp_attribute *attribute,
                          size_t begin, size_t count, void *values)
{
    float *out = values;
    for (int d = 0; d < 3; d++) {
        const float *x = attribute->column[d]; /* NULL for z in 2D */
        double origin = table->origin[d], scale = table->scale;
        for (size_t k = 0; k < count; k++)
            out[3 * k + (size_t)d] = x ? (float)(origin + scale * (double)x[begin + k]) : 0.0f;
    }
}

static void fill_columns(const sp_particle_table *table, const sp_attribute *attribute,
                         size_t begin, size_t count, void *values)
{
    (void)table;
    uint32_t *out = values; /* four bytes are four bytes */
    size_t n = (size_t)attribute->components;
    for (size_t c = 0; c < n; c++) {
        const uint32_t *column = attribute->column[c];
        for (size_t k = 0; k < count; k++)
            out[n * k + c] = column ? column[begin + k] : 0;
    }
}

static void fill_speed(const sp_particle_table *table, const sp_attribute *attribute, size_t begin,
                       size_t count, void *values)
{
    (void)table;
    float *out = values;
    for (size_t k = 0; k < count; k++) {
        float sum = 0;
        for (int d = 0; d < 3; d++) {
            const float *v = attribute->column[d]; /* NULL for z in 2D */
            float value = v ? v[begin + k] : 0.0f;
            sum += value * value;
        }
        out[k] = sqrtf(sum);
    }
}

/* A face velocity at a point (m), linear between faces, the nearest one beyond the last. */
static double sample(const spate_field_view *u, const double point[3])
{
    ptrdiff_t base = 0, step[3] = {0, 0, 0};
    double part[3] = {0, 0, 0}, sum = 0;
    for (int d = 0; d < 3; d++) {
        double at = (point[d] - u->origin[d]) / u->cell_size, last = u->count[d] - 1;
        at = at < 0 ? 0 : at > last ? last : at;
        double low = floor(at);
        low = low > last - 1 && last > 0 ? last - 1 : low;
        base += (ptrdiff_t)low * u->stride[d];
        part[d] = at - low;
        step[d] = last > 0 ? u->stride[d] : 0;
    }
    for (int c = 0; c < 8; c++) {
        double weight = 1;
        ptrdiff_t index = base;
        for (int d = 0; d < 3; d++) {
            bool high = c >> d & 1;
            weight *= high ? part[d] : 1 - part[d];
            index += high ? step[d] : 0;
        }
        if (weight > 0)
            sum += weight * (double)u->values[index];
    }
    return sum;
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
    return (sample(u, high) - sample(u, low)) / table->cell_size;
}

/* The curl of the grid's velocity, 1/s. */
static void fill_vorticity(const sp_particle_table *table, const sp_attribute *attribute,
                           size_t begin, size_t count, void *values)
{
    float *out = values;
    for (size_t k = 0; k < count; k++) {
        double point[3];
        for (int d = 0; d < 3; d++) {
            const float *x = attribute->column[d];
            point[d] = x ? table->origin[d] + table->scale * (double)x[begin + k] : 0;
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
    sp_particle_table table = {.dim = scene->dim, .fps = scene->fps};
    double dx = sp_scene_cell_size(scene), n = scene->fluid.particles_per_axis;
    table.cell_size = dx;
    table.particles_per_axis = scene->fluid.particles_per_axis;
    for (int d = 0; d < 3; d++) {
        table.cells[d] = d < scene->dim ? (int)sp_scene_cells(scene, d) : 1;
        table.size[d] = d < scene->dim ? table.cells[d] * dx : 0;
    }
    /* the disc or ball of a particle's share of a cell */
    const double pi = 3.14159265358979323846;
    table.radius = scene->dim == 3 ? dx / n * cbrt(3 / (4 * pi)) : dx / n * sqrt(1 / pi);
    return table;
}

static sp_attribute *add(sp_particle_table *table, const char *name, int components,
                         sp_fill_fn *fill)
{
    sp_attribute *attribute = &table->attributes[table->attribute_count++];
    *attribute = (sp_attribute){.components = components, .fill = fill};
    snprintf(attribute->name, sizeof attribute->name, "%.39s", name);
    return attribute;
}

/* Columns of a channel, in the order of the scene's channels. */
static void add_channel(sp_attribute *attribute, const spate_scene *scene, const sp_snapshot *from)
{
    int column = 0;
    for (int k = 0; k < scene->channel_count; column += scene->channels[k++].components)
        for (int c = 0; c < scene->channels[k].components; c++)
            if (strcmp(scene->channels[k].name, attribute->name) == 0)
                attribute->column[c] = from->channel[column + c];
}

static void add_wish(sp_particle_table *table, const spate_scene *scene, const sp_snapshot *from,
                     const sp_wish *wish)
{
    const spate_particles_view *view = &from->particles;
    sp_attribute *attribute = add(table, wish->name, wish->components, fill_columns);
    if (strcmp(wish->name, "id") == 0) {
        attribute->integer = true;
        attribute->column[0] = view->id;
        return;
    }
    bool speed = strcmp(wish->name, "speed") == 0, curl = strcmp(wish->name, "vorticity") == 0;
    if (speed || curl || strcmp(wish->name, "velocity") == 0) {
        for (int d = 0; d < 3; d++)
            attribute->column[d] = curl ? view->x[d] : view->v[d];
        attribute->fill = speed ? fill_speed : curl ? fill_vorticity : fill_columns;
        return;
    }
    add_channel(attribute, scene, from);
}

spate_status sp_particle_table_of_snapshot(sp_particle_table *table, const spate_scene *scene,
                                           const sp_snapshot *snapshot, spate_error *error)
{
    const spate_particles_view *view = &snapshot->particles;
    sp_wish wishes[SP_MAX_ATTRIBUTES];
    int count;
    *table = sp_particle_table_of_scene(scene);
    table->count = view->count;
    table->frame = snapshot->frame;
    table->time = snapshot->time;
    table->scale = view->scale;
    sp_attribute *position = add(table, "position", 3, fill_position);
    for (int d = 0; d < 3; d++) {
        table->origin[d] = view->origin[d];
        position->column[d] = view->x[d];
    }
    TRY(sp_attributes_parse(scene, scene->output.attributes, wishes, &count, error));
    for (int k = 0; k < count; k++)
        add_wish(table, scene, snapshot, &wishes[k]);
    return SPATE_OK;
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

spate_status sp_particle_table_of_sim(sp_particle_table *table, spate_sim *sim, spate_error *error)
{
    static const char *const faces[3] = {"u", "v", "w"};
    const spate_scene *scene = spate_sim_scene(sim);
    sp_snapshot now = {.frame = spate_sim_frame(sim), .time = spate_sim_time(sim)};
    spate_sim_particles_view(sim, "fluid", &now.particles);
    int column = 0;
    for (int k = 0; k < scene->channel_count; column += scene->channels[k++].components) {
        float *columns[4];
        int components = spate_sim_channel_view(sim, scene->channels[k].name, columns);
        for (int c = 0; c < components; c++)
            now.channel[column + c] = columns[c];
    }
    TRY(sp_particle_table_of_snapshot(table, scene, &now, error));
    for (int d = 0; d < scene->dim && sp_particle_table_needs_grid(scene); d++)
        if (!spate_sim_field_view(sim, faces[d], &table->u[d]))
            table->u[d].values = NULL;
    return SPATE_OK;
}

void sp_particle_table_clear(sp_particle_table *table)
{
    for (int k = 0; k < table->attribute_count; k++)
        sp_free(table->attributes[k].block);
    table->attribute_count = 0;
    table->count = 0;
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
    if (!attribute->fill)
        return (const uint32_t *)attribute->block + begin * (size_t)attribute->components;
    attribute->fill(table, attribute, begin, count, buffer);
    return buffer;
}

void sp_particle_table_bounds(const sp_particle_table *table, double margin, float low[3],
                              float high[3])
{
    sp_particle_table_buffer buffer;
    float least[3] = {INFINITY, INFINITY, INFINITY}, most[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t begin = 0; begin < table->count; begin += SP_TABLE_BLOCK) {
        size_t left = table->count - begin, count = left < SP_TABLE_BLOCK ? left : SP_TABLE_BLOCK;
        const float *x =
            sp_particle_table_values(table, &table->attributes[0], begin, count, &buffer);
        for (size_t k = 0; k < 3 * count; k += 3)
            for (size_t d = 0; d < 3; d++) {
                least[d] = x[k + d] < least[d] ? x[k + d] : least[d];
                most[d] = x[k + d] > most[d] ? x[k + d] : most[d];
            }
    }
    for (int d = 0; d < 3; d++) {
        low[d] = table->count ? (float)((double)least[d] - margin) : 0.0f;
        high[d] = table->count ? (float)((double)most[d] + margin) : 0.0f;
    }
}

/* The speed of particles that were read with their velocity. */
static spate_status add_speed(sp_particle_table *table, spate_error *error)
{
    const sp_attribute *velocity = sp_particle_table_find(table, "velocity");
    if (!velocity || !velocity->block || sp_particle_table_find(table, "speed") ||
        table->attribute_count > SP_MAX_ATTRIBUTES)
        return SPATE_OK;
    const float *v = velocity->block;
    float *speed = sp_alloc(table->count, sizeof *speed);
    if (!speed)
        return sp_fail_memory(error, "the speed of particles", table->count * sizeof *speed);
    for (size_t k = 0; k < table->count; k++, v += 3)
        speed[k] = sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    add(table, "speed", 1, NULL)->block = speed;
    return SPATE_OK;
}

static spate_status keep(sp_particle_table *table, const char *word, sp_attribute *kept, int *count,
                         spate_error *error)
{
    for (int k = 0; k < *count; k++)
        if (strcmp(kept[k].name, word) == 0)
            return SPATE_OK;
    for (int k = 0; k < table->attribute_count; k++)
        if (strcmp(table->attributes[k].name, word) == 0) {
            kept[(*count)++] = table->attributes[k];
            table->attributes[k].block = NULL;
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
    spate_status status = strstr(words, "speed") ? add_speed(table, error) : SPATE_OK;
    if (status == SPATE_OK)
        status = keep(table, "position", kept, &count, error);
    for (const char *text = words; status == SPATE_OK;) {
        text += strspn(text, " ,");
        size_t length = strcspn(text, " ,");
        if (length == 0)
            break;
        snprintf(word, sizeof word, "%.*s", (int)(length < 63 ? length : 63), text);
        status = keep(table, word, kept, &count, error);
        text += length;
    }
    size_t particles = table->count;
    sp_particle_table_clear(table);
    memcpy(table->attributes, kept, (size_t)count * sizeof *kept);
    table->attribute_count = count;
    table->count = particles;
    if (status != SPATE_OK)
        sp_particle_table_clear(table);
    return status;
}
