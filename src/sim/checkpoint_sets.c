/* checkpoint_sets.c -- the sets of particles in a checkpoint: one block for each, the fluid's
 * first.
 *
 * A block is a head (name, counts, ledger), what the stage of the set keeps from step to step, and
 * the columns. It follows from the definition of the set (state/sets.h). */
#include "checkpoint.h"

#include "kernels/random.h"
#include "state/sets.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define MOST_BOOKED (1ll << 56) /* particles in a ledger, so that they can be added up */

bool X(all_finite)(const float *values, uint32_t count)
{
    bool finite = true;
    for (uint32_t i = 0; i < count; i++)
        finite &= isfinite(values[i]) != 0;
    return finite;
}

static bool is_fluid(const X(sim) *s, const X(set) *set)
{
    return set->particles == &s->particles;
}

/* ------------------------------------------------------------------ heads */

/* Names and sizes of what a particle, the ledger and the saved state consist of. */
static uint64_t hash_columns(const X(set) *set)
{
    const sp_set_kind *kind = &set->kind->base;
    void **columns[MAX_COLUMNS];
    uint64_t hash = sp_mix((uint64_t)X(list_columns)(set->particles, false, columns));
    for (int k = 0; k < set->column_count; k++) {
        const sp_set_column *column = &set->columns[k];
        hash = sp_hash2(hash, (uint64_t)column->components * 2 + column->integer);
        for (const char *c = column->name; c && *c; c++)
            hash = sp_hash2(hash, (uint64_t)*c);
    }
    hash = sp_hash2(hash, (uint64_t)kind->count_count);
    return sp_hash2(hash, kind->saved_bytes);
}

static sp_set_head head_of(const X(set) *set)
{
    const sp_set_kind *kind = &set->kind->base;
    sp_set_head head;
    memset(&head, 0, sizeof head);
    assert(strlen(kind->name) < sizeof head.name);
    strncpy(head.name, kind->name, sizeof head.name - 1);
    head.columns = hash_columns(set);
    head.count = set->particles->count;
    head.next_id = set->particles->next_id;
    head.classes = (uint32_t)kind->class_count;
    head.ledger = set->ledger;
    return head;
}

spate_status X(save_set_heads)(X(sim) *s, sp_stream *stream)
{
    sp_set_head heads[SET_COUNT];
    for (int k = 0; k < s->set_count; k++)
        heads[k] = head_of(&s->sets[k]);
    return sp_stream_write(stream, heads, (size_t)s->set_count * sizeof *heads);
}

static bool is_ledger(const sp_set_ledger *ledger)
{
    bool sound = true;
    for (int n = 0; n < SP_SET_CLASSES; n++)
        for (int k = 0; k < SP_SET_COUNTS; k++)
            sound =
                sound && ledger->counts[n][k] > -MOST_BOOKED && ledger->counts[n][k] < MOST_BOOKED;
    return sound;
}

static spate_status refuse(const X(set) *set, const char *what, spate_error *error)
{
    return sp_fail(error, SPATE_ERROR_FILE, NULL, NOT_SAVED_BY_SPATE "%s of the set %s", what,
                   set->kind->base.name);
}

spate_status X(check_set_heads)(X(sim) *s, const sp_set_head *heads, spate_error *error)
{
    for (int k = 0; k < s->set_count; k++) {
        const sp_set_head *head = &heads[k], own = head_of(&s->sets[k]);
        if (memcmp(head->name, own.name, sizeof own.name) != 0 || head->columns != own.columns ||
            head->classes != own.classes)
            return sp_fail(error, SPATE_ERROR_FILE, NULL,
                           "the checkpoint belongs to another scene: it does not have the columns "
                           "of the set %s",
                           own.name);
        if (!is_ledger(&head->ledger))
            return refuse(&s->sets[k], "the ledger", error);
    }
    return SPATE_OK;
}

/* ------------------------------------------------------------------ particles */

spate_status X(save_sets)(X(sim) *s, sp_stream *stream)
{
    for (int k = 0; k < s->set_count; k++) {
        const X(set) *set = &s->sets[k];
        void **columns[MAX_COLUMNS];
        int count = X(list_columns)(set->particles, false, columns);
        if (set->kind->base.saved_bytes > 0)
            TRY(sp_stream_write(stream, set->state, set->kind->base.saved_bytes));
        for (int c = 0; c < count; c++)
            TRY(sp_stream_write(stream, *columns[c], (size_t)set->particles->count * 4));
    }
    return SPATE_OK;
}

/* Places and classes become indices. Of the columns that a set has in some scenes only, no index is
 * made, and they may hold anything: channels. */
static spate_status check_columns(const X(sim) *s, const X(set) *set, spate_error *error)
{
    const X(particles) *p = set->particles;
    const sp_set_kind *kind = &set->kind->base;
    bool inside = true, finite = true, classes = true;
    FOR_DIM(d) {
        float end = (float)s->grid.n[d];
        for (uint32_t i = 0; i < p->count; i++)
            inside &= p->x[d][i] >= 0 && p->x[d][i] <= end;
        finite = finite && X(all_finite)(p->v[d], p->count);
    }
    for (int k = 0; k < DIM * DIM && p->c[k]; k++)
        finite = finite && X(all_finite)(p->c[k], p->count);
    float *const *own = p->own;
    for (int k = 0; k < kind->column_count; own += kind->columns[k++].components)
        for (int c = 0; c < kind->columns[k].components && !kind->columns[k].integer; c++)
            finite = finite && X(all_finite)(own[c], p->count);
    for (uint32_t i = 0; i < p->count && kind->class_count > 0; i++)
        classes &= X(class_of)(set, i) < (uint32_t)kind->class_count;
    if (!inside)
        return refuse(set, "a place", error);
    if (!finite)
        return refuse(set, "a value", error);
    return classes ? SPATE_OK : refuse(set, "a class", error);
}

static spate_status load_set(X(sim) *s, X(set) *set, const sp_set_head *head, sp_stream *stream,
                             spate_error *error)
{
    X(particles) *p = set->particles;
    void **columns[MAX_COLUMNS];
    p->count = 0;
    p->sorted = p->at_home = false;
    p->fastest = -1.0f;
    p->dead = 0;
    TRY(is_fluid(s, set) ? X(make_room)(s, head->count, error)
                         : X(particles_reserve)(p, head->count, error));
    if (set->kind->base.saved_bytes > 0)
        TRY(sp_stream_read(stream, set->state, set->kind->base.saved_bytes));
    int count = X(list_columns)(p, false, columns);
    for (int c = 0; c < count; c++)
        TRY(sp_stream_read(stream, *columns[c], (size_t)head->count * 4));
    p->count = head->count;
    p->next_id = head->next_id;
    set->ledger = head->ledger;
    TRY(check_columns(s, set, error));
    bool sound = !set->kind->is_sound || set->kind->is_sound(s, set);
    return sound ? SPATE_OK : refuse(set, "the state", error);
}

spate_status X(load_sets)(X(sim) *s, const sp_set_head *heads, sp_stream *stream,
                          spate_error *error)
{
    spate_status status = SPATE_OK;
    for (int k = 0; k < s->set_count && status == SPATE_OK; k++) {
        status = load_set(s, &s->sets[k], &heads[k], stream, error);
        if (status != SPATE_OK) /* particles that are unsound are not kept */
            s->sets[k].particles->count = 0;
    }
    return status;
}
