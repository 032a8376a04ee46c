/* particles.c -- the columns of the particles: room for more of them, new ones, dead ones. */
#include "state.h"

#include "device.h"
#include "kernels/random.h"

#include <string.h>

int X(particle_columns)(X(particles) *p, void ***columns)
{
    int n = 0;
#define FIELD(name, components, type, when) \
    for (int k = 0; k < (components); k++)  \
        if (p->name[k])                     \
            columns[n++] = (void **)&p->name[k];
#include "fields.def"
#undef FIELD
    for (int k = 0; k < p->channel_columns; k++)
        if (p->channel[k])
            columns[n++] = (void **)&p->channel[k];
    return n;
}

static spate_status grow_column(void **column, uint32_t count, uint32_t capacity,
                                spate_error *error)
{
    /* some more: vectors may be read beyond the last particle */
    void *larger = sp_grow(*column, (size_t)count * 4, (size_t)capacity + 8, 4);
    if (!larger)
        return sp_fail_memory(error, "particles", (uint64_t)capacity * 4);
    *column = larger;
    return SPATE_OK;
}

static spate_status grow_pairs(X(particles) *p, uint32_t capacity, spate_error *error)
{
    uint32_t *larger = sp_grow(p->pairs, 0, capacity, PUSH_PAIRS * sizeof *larger);
    if (!larger)
        return sp_fail_memory(error, "particles", (uint64_t)capacity * PUSH_PAIRS * sizeof *larger);
    p->pairs = larger;
    return SPATE_OK;
}

/* Scratch: a histogram of tiles per thread (SORT), what a thread needs for a tile (SORT, P2G,
 * ADVECT, push-apart), and one partial result per range (sums). */
static spate_status reserve_scratch(X(sim) *s, spate_error *error)
{
    size_t tiles = (size_t)s->grid.tile_count, threads = (size_t)sp_pool_threads(s->common->pool);
    size_t worker = s->host->scratch(s->common->scene);
    size_t bytes = tiles * (threads * sizeof(uint32_t) + 4 * sizeof(double)) + threads * worker +
                   s->particles.capacity / 64 + 65536;
    if (bytes <= s->scratch_size)
        return SPATE_OK;
    void *larger = sp_alloc(bytes, 1);
    if (!larger)
        return sp_fail_memory(error, "scratch", bytes);
    sp_free(s->scratch);
    s->scratch = larger;
    s->scratch_size = bytes;
    return SPATE_OK;
}

spate_status X(particles_reserve)(X(sim) *s, uint64_t count, spate_error *error)
{
    X(particles) *p = &s->particles;
    bool apic = s->apic;
    if (count <= p->capacity && p->capacity > 0)
        return SPATE_OK;
    if (count > UINT32_MAX - 2)
        return sp_fail(error, SPATE_ERROR_MEMORY, NULL,
                       "more than 4,294,967,293 particles: use larger cells");
    uint64_t wanted = p->capacity == 0                 ? count + 16
                      : count > 3ull * p->capacity / 2 ? count
                                                       : 3ull * p->capacity / 2;
    uint32_t capacity = wanted > UINT32_MAX - 2 ? UINT32_MAX - 2 : (uint32_t)wanted;
#define FIELD(name, components, type, when)          \
    for (int k = 0; k < (components) && (when); k++) \
        TRY(grow_column((void **)&p->name[k], p->count, capacity, error));
#include "fields.def"
#undef FIELD
    for (int k = 0; k < p->channel_columns; k++)
        TRY(grow_column((void **)&p->channel[k], p->count, capacity, error));
    TRY(grow_column((void **)&p->spare, 0, capacity, error));
    TRY(grow_column((void **)&p->order, 0, capacity, error));
    if (X(pushes_apart)(s->common->scene)) {
        TRY(grow_column((void **)&p->rounded, 0, capacity, error));
        TRY(grow_column((void **)&p->between, 0, capacity, error));
        TRY(grow_pairs(p, capacity, error));
    }
    p->capacity = capacity;
    return reserve_scratch(s, error);
}

void X(particles_append)(X(sim) *s, const float x[DIM], const float v[DIM], int source)
{
    uint32_t k = s->particles.count++;
    s->sorted = false;
    s->fastest = -1.0f;
    X(particles_put)(s, k, x, v, source);
    s->particles.id[0][k] = s->particles.next_id++;
}

void X(particles_put)(X(sim) *s, uint32_t k, const float x[DIM], const float v[DIM], int source)
{
    X(particles) *p = &s->particles;
    FOR_DIM(d) {
        p->x[d][k] = x[d];
        p->v[d][k] = v[d];
    }
    p->id[0][k] = k;
    for (int e = 0; e < DIM * DIM && s->apic; e++)
        p->c[e][k] = 0.0f;
    const spate_scene *scene = s->common->scene;
    int column = 0;
    for (int c = 0; c < scene->channel_count; c++)
        for (int e = 0; e < scene->channels[c].components; e++)
            p->channel[column++][k] = strcmp(scene->channels[c].name, "source") == 0
                                          ? (float)source
                                          : (float)scene->channels[c].initial[e];
}

void X(particles_remove_dead)(X(sim) *s)
{
    X(particles) *p = &s->particles;
    void **columns[MAX_COLUMNS];
    int column_count = X(particle_columns)(p, columns);
    s->at_home = s->sorted = false;
    s->fastest = -1.0f;
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

uint64_t X(hash)(X(sim) *s)
{
    hash_args args = {.sum = 0};
    args.column_count = X(particle_columns)(&s->particles, args.columns);
    sp_parallel_for(s->common->pool, s->particles.count, 4096, hash_range, &args);
    return args.sum;
}
