/* sets.c -- the sets of particles of a simulation: made, shown, estimated and unmade. */
#include "sets.h"

#include "arrays.h"
#include "scene/channels.h"

#include <assert.h>

_Static_assert(MAX_CHANNELS <= SP_MAX_ATTRIBUTES, "columns of the fluid");

/* ---- the definitions */

/* The columns of the fluid are its channels. */
static spate_status create_fluid(X(sim) *s, X(set) *set, spate_error *error)
{
    const spate_scene *scene = s->common->scene;
    (void)error;
    for (int k = 0; k < scene->channel_count; k++) {
        const spate_channel *channel = &scene->channels[k];
        float origin = sp_is_temperature(channel) ? (float)scene->fluid.temperature : 0;
        X(set_add_column)(set, (sp_set_column){.name = channel->name,
                                               .components = channel->components,
                                               .origin = origin});
    }
    return SPATE_OK;
}

static const X(set_kind) fluid = {
    .base.name = SP_FLUID, .when = WHEN_ALWAYS, .create = create_fluid};

static const X(set_kind) *const kinds[SET_COUNT] = {
    &fluid,
#define SET(NAME, name, ...) &X(name##_set),
#include "kernels/sets.def"
};

const sp_set_kind *X(set_kind_of)(int number)
{
    return &kinds[number]->base;
}

/* ---- memory */

void X(set_add_column)(X(set) *set, sp_set_column column)
{
    assert(set->column_count < SP_MAX_ATTRIBUTES);
    set->columns[set->column_count++] = column;
}

static int count_pointers(const sp_set_column *columns, int count)
{
    int pointers = 0;
    for (int k = 0; k < count; k++)
        pointers += columns[k].components;
    return pointers;
}

static spate_status create_set(X(sim) *s, int number, spate_error *error)
{
    X(set) *set = &s->sets[s->set_count++];
    const X(set_kind) *kind = set->kind = kinds[number];
    bool is_fluid = number == SET_FLUID;
    for (int k = 0; k < kind->base.column_count; k++)
        X(set_add_column)(set, kind->base.columns[k]);
    if (kind->create)
        TRY(kind->create(s, set, error));
    set->particles = is_fluid ? &s->particles : &set->own;
    set->group = is_fluid ? (unsigned)GROUP_PARTICLES : GROUP_SET(number);
    set->cells =
        is_fluid ? (X(cell_list)){&s->grid, &s->tiles, s->first, s->count} : s->shared_cells;
    *set->particles = X(particles_make)(is_fluid ? s->needs : WHEN_ALWAYS,
                                        count_pointers(set->columns, set->column_count));
    return is_fluid ? SPATE_OK : X(particles_reserve)(set->particles, 1024, error);
}

static bool has_others(const X(sim) *s)
{
    bool found = false;
    for (int number = SET_FLUID + 1; number < SET_COUNT; number++)
        found = found || kinds[number]->when & s->needs;
    return found;
}

spate_status X(sets_create)(X(sim) *s, spate_error *error)
{
    if (has_others(s))
        TRY(X(cell_list_create)(&s->shared_cells, &s->grid, error));
    for (int number = 0; number < SET_COUNT; number++)
        if (kinds[number]->when & s->needs)
            TRY(create_set(s, number, error));
    return SPATE_OK;
}

spate_status X(sets_begin)(X(sim) *s, spate_error *error)
{
    for (int k = 0; k < s->set_count; k++)
        if (s->sets[k].kind->begin)
            TRY(s->sets[k].kind->begin(s, &s->sets[k], error));
    return SPATE_OK;
}

void X(sets_destroy)(X(sim) *s)
{
    for (int k = 0; k < s->set_count; k++) {
        X(set) *set = &s->sets[k];
        if (set->kind->destroy)
            set->kind->destroy(set);
        if (set->particles)
            X(particles_free)(set->particles);
    }
    X(cell_list_destroy)(&s->shared_cells);
}

X(set) *X(set_of)(X(sim) *s, int number)
{
    for (int k = 0; k < s->set_count; k++)
        if (s->sets[k].kind == kinds[number])
            return &s->sets[k];
    return NULL;
}

spate_status X(set_grow)(X(set) *set, uint32_t count, uint32_t *first, uint32_t *first_id,
                         spate_error *error)
{
    X(particles) *p = set->particles;
    if (count > UINT32_MAX - p->next_id)
        return sp_fail(error, SPATE_ERROR_SIMULATION, set->kind->base.name,
                       "4,294,967,295 have come since the start, and there are no more numbers for "
                       "new ones");
    TRY(X(particles_reserve)(p, (uint64_t)p->count + count, error));
    *first = p->count;
    *first_id = p->next_id;
    p->count += count;
    p->next_id += count;
    p->sorted = false;
    p->fastest = -1.0f;
    return SPATE_OK;
}

/* ---- the ledger */

uint32_t X(class_of)(const X(set) *set, uint32_t particle)
{
    if (set->kind->base.class_column < 0)
        return 0;
    return ((const X(word) *)set->particles->own[set->kind->base.class_column])[particle];
}

static bool fluid_adds_up(const sp_common *c, uint64_t count)
{
    uint64_t removed = c->removed_open + c->removed_outflow + c->removed_crushed + c->removed_user +
                       c->removed_reseed;
    return count == c->seeded + c->added - removed;
}

bool X(set_adds_up)(const X(sim) *s, const X(set) *set)
{
    const sp_set_kind *kind = &set->kind->base;
    int64_t found[SP_SET_CLASSES] = {0};
    bool same = true;
    if (set->kind == &fluid)
        return fluid_adds_up(s->common, set->particles->count);
    for (uint32_t k = 0; k < set->particles->count; k++)
        found[X(class_of)(set, k)]++;
    for (int n = 0; n < kind->class_count; n++)
        same = same && found[n] == sp_set_booked(kind, &set->ledger, n);
    return same;
}

void X(set_remove_crushed)(X(sim) *s, X(set) *set)
{
    X(particles) *p = set->particles;
    uint32_t before = p->count;
    if (set->kind == &fluid) {
        X(remove_dead)(s);
        s->common->removed_crushed += before - p->count;
        return;
    }
    for (uint32_t k = 0; k < p->count; k++)
        if (p->x[0][k] == DEAD)
            set->ledger.counts[X(class_of)(set, k)][set->kind->base.crushed]++;
    X(particles_remove_dead)(p);
}

/* ---- views */

void X(show_particles)(const X(sim) *s, const X(set) *set, const X(particles) *p, sp_particles *out)
{
    *out = (sp_particles){.view = {.count = p->count, .scale = s->grid.dx, .id = p->id[0]}};
    FOR_DIM(d) {
        out->view.x[d] = p->x[d];
        out->view.v[d] = p->v[d];
    }
    float *const *own = p->own;
    for (int k = 0; k < set->column_count; own += set->columns[k++].components) {
        const sp_set_column *column = &set->columns[k];
        if (!column->name)
            continue;
        sp_column *shown =
            sp_particles_add_column(out, column->name, column->components, column->integer);
        shown->origin = column->origin;
        for (int c = 0; c < column->components; c++)
            shown->values[c] = own[c];
    }
}

/* ---- forecasts */

uint64_t X(set_estimate)(int number, const spate_scene *scene, const X(grid) *g, uint64_t particles)
{
    const X(set_kind) *kind = kinds[number];
    bool there = kind->when & X(needs)(scene);
    return there && kind->estimate ? kind->estimate(scene, g, particles) : 0;
}

uint64_t X(set_saved_bytes)(int number)
{
    const sp_set_kind *kind = &kinds[number]->base;
    int shared = X(count_columns)(WHEN_ALWAYS, false);
    return 4 * ((uint64_t)shared + (uint64_t)count_pointers(kind->columns, kind->column_count));
}

uint64_t X(set_bytes)(int number)
{
    return X(set_saved_bytes)(number) + 4 * (uint64_t)X(scratch_words)(WHEN_ALWAYS);
}
