/* particles.c -- a set of particles: its columns, room for more of them, new ones, dead ones. */
#include "state.h"

#include "kernels/particle.h"
#include "kernels/random.h"
#include "scene/channels.h"

#include <assert.h>
#include <string.h>

/* A row of fields.def. */
typedef struct column_row {
    size_t offset;  /* of its first pointer, in X(particles) */
    int components; /* pointers */
    int words;      /* of 4 bytes in each value */
    unsigned when;  /* WHEN_... */
    bool output;
} column_row;

static const column_row fields[] = {
#define FIELD(name, components, type, when, output, ...) \
    {offsetof(X(particles), name), components, 1, WHEN_##when, output},
#include "kernels/fields.def"
};

static const column_row scratches[] = {
#define SCRATCH(name, type, words, when, ...) \
    {offsetof(X(particles), name), 1, words, WHEN_##when, false},
#include "kernels/fields.def"
};

#define FIELD(name, components, type, ...) \
    _Static_assert(sizeof(type) == 4, #name ": values of a column have 4 bytes");
#include "kernels/fields.def"

#define FIELD_ROWS ((int)(sizeof fields / sizeof *fields))
#define SCRATCH_ROWS ((int)(sizeof scratches / sizeof *scratches))

static void **pointers_of(X(particles) *p, const column_row *row)
{
    return (void **)((char *)p + row->offset);
}

int X(list_columns)(X(particles) *p, bool output, void **columns[MAX_COLUMNS])
{
    int n = 0;
    for (int k = 0; k < FIELD_ROWS; k++)
        for (int c = 0; c < fields[k].components; c++)
            if (fields[k].when & p->needs && fields[k].output >= output)
                columns[n++] = pointers_of(p, &fields[k]) + c;
    for (int k = 0; k < p->own_columns; k++)
        columns[n++] = (void **)&p->own[k];
    assert(n <= MAX_COLUMNS);
    return n;
}

int X(count_columns)(unsigned needs, bool output)
{
    X(particles) none = {.needs = needs};
    void **columns[MAX_COLUMNS];
    return X(list_columns)(&none, output, columns);
}

int X(scratch_words)(unsigned needs)
{
    int words = 0;
    for (int k = 0; k < SCRATCH_ROWS; k++)
        words += scratches[k].when & needs ? scratches[k].words : 0;
    return words;
}

X(particles) X(particles_make)(unsigned needs, int own_columns)
{
    assert(own_columns <= CHANNEL_COLUMNS);
    return (X(particles)){.needs = needs, .own_columns = own_columns, .fastest = -1.0f};
}

void X(particles_free)(X(particles) *p)
{
    void **columns[MAX_COLUMNS];
    int count = X(list_columns)(p, false, columns);
    for (int k = 0; k < count; k++)
        sp_free(*columns[k]);
    for (int k = 0; k < SCRATCH_ROWS; k++)
        sp_free(*pointers_of(p, &scratches[k]));
}

static spate_status grow_column(void **column, uint32_t count, uint32_t capacity, int words,
                                spate_error *error)
{
    /* some more: vectors may be read beyond the last particle */
    size_t item = 4 * (size_t)words;
    void *larger = sp_grow(*column, count * item, (size_t)capacity + 8, item);
    if (!larger)
        return sp_fail_memory(error, "particles", (uint64_t)capacity * item);
    *column = larger;
    return SPATE_OK;
}

static spate_status grow_columns(X(particles) *p, uint32_t capacity, spate_error *error)
{
    void **columns[MAX_COLUMNS];
    int count = X(list_columns)(p, false, columns);
    for (int k = 0; k < count; k++)
        TRY(grow_column(columns[k], p->count, capacity, 1, error));
    for (int k = 0; k < SCRATCH_ROWS; k++)
        if (scratches[k].when & p->needs)
            TRY(grow_column(pointers_of(p, &scratches[k]), 0, capacity, scratches[k].words, error));
    p->capacity = capacity;
    return SPATE_OK;
}

spate_status X(particles_reserve)(X(particles) *p, uint64_t count, spate_error *error)
{
    if (count <= p->capacity && p->capacity > 0)
        return SPATE_OK;
    if (count > UINT32_MAX - 2)
        return sp_fail(error, SPATE_ERROR_MEMORY, NULL,
                       "more than 4,294,967,293 particles: use larger cells");
    uint64_t wanted = p->capacity == 0                 ? count + 16
                      : count > 3ull * p->capacity / 2 ? count
                                                       : 3ull * p->capacity / 2;
    uint32_t capacity = wanted > UINT32_MAX - 2 ? UINT32_MAX - 2 : (uint32_t)wanted;
    return grow_columns(p, capacity, error);
}

void X(initial_channels)(const spate_scene *scene, int source, float initial[CHANNEL_COLUMNS])
{
    const spate_shape *shape = NULL;
    sp_shape_value values[SP_MOST_VALUES];
    int column = 0, fills = scene->fill.count;
    for (int c = 0; c < scene->channel_count; c++)
        for (int e = 0; e < scene->channels[c].components; e++)
            initial[column++] = sp_is_source(&scene->channels[c])
                                    ? (float)source
                                    : (float)sp_channel_initial(scene, c, e);
    if (source >= 0 && source < fills)
        shape = &scene->fill.items[source];
    else if (source >= fills && source < fills + scene->inflows.count)
        shape = &scene->inflows.items[source - fills];
    int count = shape ? sp_shape_values(scene, shape, false, values) : 0;
    for (int k = 0; k < count; k++)
        initial[values[k].column] = (float)values[k].value;
}

void X(particles_append)(X(particles) *p, const float x[DIM], const float v[DIM],
                         const float *initial)
{
    p->sorted = false;
    p->fastest = -1.0f;
    X(put_particle)(p, p->count++, p->next_id++, x, v, initial);
}

void X(particles_remove_dead)(X(particles) *p)
{
    void **columns[MAX_COLUMNS];
    int column_count = X(list_columns)(p, false, columns);
    p->at_home = p->sorted = false;
    p->fastest = -1.0f;
    p->dead = 0;
    for (uint32_t k = 0; k < p->count;) {
        if (p->x[0][k] != DEAD) {
            k++;
            continue;
        }
        uint32_t last = --p->count; /* the order does not matter: SORT is canonical */
        for (int c = 0; c < column_count; c++)
            ((X(word) *)*columns[c])[k] = ((X(word) *)*columns[c])[last];
    }
}

/* ---- the state in one number: the sum of the hashes of all particles, in any order */

typedef struct hash_args {
    void **columns[MAX_COLUMNS];
    int column_count;
    _Atomic uint64_t sum;
} hash_args;

static void hash_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    hash_args *args = user;
    uint64_t sum = 0;
    for (size_t k = begin; k < end; k++) {
        uint64_t hash = 0;
        for (int c = 0; c < args->column_count; c++)
            hash = sp_hash2(hash, ((const X(word) *)*args->columns[c])[k]);
        sum += hash;
    }
    atomic_fetch_add_explicit(&args->sum, sum, memory_order_relaxed);
}

uint64_t X(hash)(X(particles) *p, sp_pool *pool)
{
    hash_args args = {.sum = 0};
    args.column_count = X(list_columns)(p, false, args.columns);
    sp_parallel_for(pool, p->count, 4096, hash_range, &args);
    return args.sum;
}
