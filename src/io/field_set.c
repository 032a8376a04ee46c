/* field_set.c -- see field_set.h. */
#include "field_set.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "scene/medium.h"
#include "scene/schema.h"
#include "scene/sides.h"

/* ------------------------------------------------------------------ which fields there are */

static void add(sp_field_set *set, const char *name, int components)
{
    sp_cell_field *field = &set->fields[set->field_count++];
    *field = (sp_cell_field){.components = components};
    snprintf(field->name, sizeof field->name, "%s", name);
}

/* Names and components, without values yet. */
static void list_fields(sp_field_set *set, const spate_scene *scene)
{
    bool has_surface = sp_medium_of(scene)->has_surface;
    if (!has_surface)
        add(set, "vel", 3);
    add(set, "pressure", 1);
    add(set, "type", 1);
    if (has_surface)
        add(set, "open", 3);
    for (int k = 0; k < scene->channel_count && set->field_count < SP_CELL_FIELDS; k++)
        if (scene->channels[k].transfer != SPATE_CHANNEL_NONE)
            add(set, scene->channels[k].name, scene->channels[k].components);
}

static bool is_type(const sp_cell_field *field)
{
    return strcmp(field->name, "type") == 0;
}

/* Floats that the values of a field take. */
static size_t room_of(const sp_cell_field *field, size_t cells)
{
    return is_type(field) ? (cells + 3) / 4 : cells * (size_t)field->components;
}

spate_status sp_field_set_place(sp_field_set *set, spate_error *error)
{
    size_t cells = sp_field_set_cells(set), needed = 0;
    for (int k = 0; k < set->field_count; k++)
        needed += room_of(&set->fields[k], cells);
    if (needed > set->capacity) {
        sp_free(set->memory);
        set->memory = sp_alloc(needed, sizeof *set->memory);
        set->capacity = set->memory ? needed : 0;
    }
    if (!set->memory) {
        set->field_count = 0;
        return sp_fail_memory(error, "the fields of a frame", needed * sizeof *set->memory);
    }
    float *next = set->memory;
    for (int k = 0; k < set->field_count; k++) {
        sp_cell_field *field = &set->fields[k];
        field->values = is_type(field) ? NULL : next;
        field->bytes = is_type(field) ? (uint8_t *)next : NULL;
        next += room_of(field, cells);
    }
    return SPATE_OK;
}

void sp_field_set_begin(sp_field_set *set, const spate_scene *scene)
{
    set->field_count = 0;
    set->dim = scene->dim;
    set->cell_size = sp_scene_cell_size(scene);
    for (int d = 0; d < 3; d++)
        set->cells[d] = d < scene->dim ? (int)sp_scene_cells(scene, d) : 1;
}

double sp_field_set_bytes(const spate_scene *scene, double cells)
{
    sp_field_set set = {.field_count = 0};
    double bytes = 0;
    list_fields(&set, scene);
    for (int k = 0; k < set.field_count; k++)
        bytes += is_type(&set.fields[k]) ? 1 : 4 * set.fields[k].components;
    return bytes * cells;
}

const sp_cell_field *sp_field_set_find(const sp_field_set *set, const char *name)
{
    for (int k = 0; k < set->field_count; k++)
        if (strcmp(set->fields[k].name, name) == 0)
            return &set->fields[k];
    return NULL;
}

void sp_field_set_clear(sp_field_set *set)
{
    sp_free(set->memory);
    *set = (sp_field_set){.memory = NULL};
}

/* ------------------------------------------------------------------ from a simulation */

double sp_field_view_at(const spate_field_view *view, const double point[3])
{
    ptrdiff_t base = 0, step[3] = {0, 0, 0};
    double part[3] = {0, 0, 0}, sum = 0;
    for (int d = 0; d < 3; d++) {
        double at = (point[d] - view->origin[d]) / view->cell_size, last = view->count[d] - 1;
        at = at < 0 ? 0 : at > last ? last : at;
        double low = floor(at);
        low = low > last - 1 && last > 0 ? last - 1 : low;
        base += (ptrdiff_t)low * view->stride[d];
        part[d] = at - low;
        step[d] = last > 0 ? view->stride[d] : 0;
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
            sum += weight * (double)view->values[index];
    }
    return sum;
}

static ptrdiff_t place_in(const spate_field_view *view, int y, int z)
{
    return y * view->stride[1] + z * view->stride[2]; /* cells of a row lie side by side */
}

/* Copies cells to component `e` of a field; without a view they are `fallback`, and all values are
 * `origin` larger than in the view. */
static void copy_component(const sp_field_set *set, const sp_cell_field *field, int e,
                           const spate_field_view *view, float fallback, float origin)
{
    float *to = field->values + e;
    for (int z = 0; z < set->cells[2]; z++)
        for (int y = 0; y < set->cells[1]; y++) {
            const float *row = view->values ? view->values + place_in(view, y, z) : NULL;
            for (int x = 0; x < set->cells[0]; x++, to += field->components)
                *to = row ? row[x] + origin : fallback;
        }
}

static void copy_types(const sp_field_set *set, const sp_cell_field *field, spate_sim *sim)
{
    uint8_t *to = field->bytes;
    spate_field_view type;
    bool there = spate_sim_field_view(sim, "type", &type);
    for (int z = 0; z < set->cells[2]; z++)
        for (int y = 0; y < set->cells[1]; y++, to += set->cells[0]) {
            if (there)
                memcpy(to, type.bytes + place_in(&type, y, z), (size_t)set->cells[0]);
            else
                memset(to, SPATE_CELL_AIR, (size_t)set->cells[0]);
        }
}

/* The mean of the two faces of a cell along each axis; none goes through a wall. */
static void copy_velocity(const sp_field_set *set, const sp_cell_field *field, spate_sim *sim)
{
    static const char *const names[3] = {"u", "v", "w"};
    const spate_scene *scene = spate_sim_scene(sim);
    for (int d = 0; d < 3; d++) {
        float *to = field->values + d;
        spate_field_view u;
        if (d >= set->dim || !spate_sim_field_view(sim, names[d], &u)) {
            copy_component(set, field, d, &(spate_field_view){.size = 0}, 0, 0);
            continue;
        }
        bool wall[2] = {scene->domain.sides[d][0] == SPATE_SIDE_WALL,
                        scene->domain.sides[d][1] == SPATE_SIDE_WALL};
        for (int z = 0; z < set->cells[2]; z++)
            for (int y = 0; y < set->cells[1]; y++) {
                const float *row = u.values + place_in(&u, y, z);
                for (int x = 0; x < set->cells[0]; x++, to += 3) {
                    int at = d == 0 ? x : d == 1 ? y : z;
                    float low = at == 0 && wall[0] ? 0 : row[x];
                    float high = at == set->cells[d] - 1 && wall[1] ? 0 : row[x + (int)u.stride[d]];
                    *to = 0.5f * (low + high);
                }
            }
    }
    const sp_cell_field *type = sp_field_set_find(set, "type");
    float *v = field->values;
    for (size_t k = 0; k < sp_field_set_cells(set); k++)
        if (type->bytes[k] == SPATE_CELL_SOLID)
            memset(v + 3 * k, 0, 3 * sizeof *v);
}

static void copy_open(const sp_field_set *set, const sp_cell_field *field, spate_sim *sim)
{
    static const char *const names[3] = {"open_u", "open_v", "open_w"};
    for (int d = 0; d < 3; d++) {
        spate_field_view open = {.size = 0}; /* without solids there is nothing to close them */
        if (d < set->dim)
            spate_sim_field_view(sim, names[d], &open);
        copy_component(set, field, d, &open, 1, 0);
    }
}

static void copy_channel(const sp_field_set *set, const sp_cell_field *field, spate_sim *sim)
{
    bool temperature = strcmp(field->name, SP_TEMPERATURE) == 0; /* the grid holds what is above */
    float origin = temperature ? (float)spate_sim_scene(sim)->fluid.temperature : 0;
    for (int e = 0; e < field->components; e++) {
        char name[SP_CHANNEL_LABEL];
        spate_field_view view = {.size = 0};
        snprintf(name, sizeof name, e > 0 ? "%s[%d]" : "%s", field->name, e);
        spate_sim_field_view(sim, name, &view);
        copy_component(set, field, e, &view, origin, origin);
    }
}

spate_status sp_field_set_take(sp_field_set *set, spate_sim *sim, spate_error *error)
{
    const spate_scene *scene = spate_sim_scene(sim);
    sp_field_set_begin(set, scene);
    set->frame = spate_sim_frame(sim);
    set->time = spate_sim_time(sim);
    list_fields(set, scene);
    TRY(sp_field_set_place(set, error));
    if (spate_sim_steps(sim) == 0) /* no step has laid particles and solids on the grid */
        TRY(spate_sim_sample(sim, NULL, 0, NULL, NULL, NULL, error));
    copy_types(set, sp_field_set_find(set, "type"), sim);
    for (int k = 0; k < set->field_count; k++) {
        const sp_cell_field *field = &set->fields[k];
        spate_field_view pressure = {.size = 0};
        if (strcmp(field->name, "vel") == 0) {
            copy_velocity(set, field, sim);
        } else if (strcmp(field->name, "pressure") == 0) {
            spate_sim_field_view(sim, "p", &pressure);
            copy_component(set, field, 0, &pressure, 0, 0);
        } else if (strcmp(field->name, "open") == 0) {
            copy_open(set, field, sim);
        } else if (!is_type(field)) {
            copy_channel(set, field, sim);
        }
    }
    return SPATE_OK;
}
