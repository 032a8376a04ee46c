/* exec.h -- how the CPU runs the stages of src/stages. src/cuda/exec.h is the GPU's version, with
 * the same words. A stage is written with these words alone, and every device compiles it with its
 * own exec.h.
 *
 * A loop has a body. The body of one of these is called for each item, particle or tile:
 *
 *     EACH(name, args_type)           { uses f, a, i }        called by  name(e, &args, n)
 *     EACH_PARTICLE(name, args_type)  { uses f, a, i }                   name(e, &args, n)
 *     EACH_LONG(name, args_type)      { likewise, for items with much work each }
 *     EACH_TILE(name, args_type)      { uses f, a, tile }                name(e, &args, list)
 *     CELLS(name, args_type)          { uses f, a, tile }                name(e, &args, list)
 *     EACH_GROUP(name, args_type, item_type, items, end)
 *                                     { uses f, a, group, i, item }      name(e, &args, n)
 *
 * and a fold also adds up what its bodies find:
 *
 *     EACH_FOLD(name, args_type, part_type, add)     { uses f, a, i, part }     part = name(...)
 *     CELLS_FOLD(name, args_type, part_type, add)    { uses f, a, tile, part }  part = name(...)
 *
 * Two words append particles. The bodies are functions: count says how many particles an item or a
 * cell gives, put writes them and returns how many, where `before` is how many come from the items
 * before it. The items are numbered by a scan of their counts, so the order is that of the items.
 *
 *     EACH_APPEND(name, args_type, count, put)   count(f, a, i), put(f, a, i, before)
 *     CELLS_APPEND(name, args_type, count, put)  count(f, a, c, cell), put(f, a, c, cell, before)
 *
 * define name_count(e, &args, n or list), which returns the sum, and name_put, which is to follow
 * once there is room for so many; nothing else may take scratch in between.
 *
 * Here f are the fields, a is a copy of the arguments, and n is how many items there are. The body
 * of CELLS goes over the cells of its tile with FOR_EACH_CELL, or LANES cells at a time with
 * FOR_EACH_LANES. On a GPU these two words mean the one cell of the thread. So what stands outside
 * of them is done once for a tile here and once for a cell there. It may look something up or
 * return early, and it may write only what comes out the same each time. The body of EACH_GROUP
 * fills *item for i = 0 .. items - 1 of n groups, and end(f, a, group, list) then gets all items of
 * a group.
 *
 * Bodies run in any order, on any thread: none may write what another one reads. `part` begins with
 * zero bytes, add(&sum, &part) adds two parts, and the order of the additions depends on the number
 * of tiles or items alone. A fold waits for its result. */
#ifndef SPATE_CPU_EXEC_H
#define SPATE_CPU_EXEC_H

#include "cpu.h"
#include "simd.h"

#include "stages/lists.h"

/* What the order of a stage gets. It is made when the stage begins, because f is a copy. */
struct X(exec) {
    X(fields) f;
    X(sim) *s;
};

static inline X(exec) X(exec_of)(X(sim) *s)
{
    X(exec) e = {.f = X(fields_of)(s), .s = s};
    return e;
}

typedef struct X(job) {
    const X(fields) *f;
    const void *args;
    const X(tile_list) *list;
    void *parts; /* of a fold: one for each range */
    size_t grain;
} X(job);

/* Tiles, items and groups of one range. The parts of a fold lie in the arena, which has room for
 * some 32 bytes per tile and one per 64 particles (state.c), so large parts are those of more
 * tiles. */
#define TILE_GRAIN 4
#define ITEM_GRAIN 4096
#define LONG_GRAIN 16
#define GROUP_GRAIN 4
#define FOLD_TILE_GRAIN(part_type) (sizeof(part_type) > 8 ? 16 : 1)
#define FOLD_TILE_BYTES 256
#define FOLD_ITEM_BYTES 64

/* Each range reads copies of its own, so the compiler knows that no store to an array changes a
 * pointer. */
#define JOB_OF(user, args_type)                     \
    const X(job) *job = (const X(job) *)(user);     \
    const X(fields) fields = *job->f, *f = &fields; \
    const args_type args = *(const args_type *)job->args, *a = &args

#define EACH_BY(loop, name, args_type, grain_size)                                   \
    SIMD_FN void name##_at(const X(fields) *f, UNUSED const args_type *a, size_t i); \
    static void name##_range(void *user, size_t begin, size_t end, int worker)       \
    {                                                                                \
        JOB_OF(user, args_type);                                                     \
        (void)worker;                                                                \
        for (size_t i = begin; i < end; i++)                                         \
            name##_at(f, a, i);                                                      \
    }                                                                                \
    static void name(X(exec) *e, const args_type *args, size_t n)                    \
    {                                                                                \
        X(job) job = {.f = &e->f, .args = args};                                     \
        loop(e->s->common->pool, n, grain_size, name##_range, &job);                 \
    }                                                                                \
    SIMD_FN void name##_at(const X(fields) *f, UNUSED const args_type *a, size_t i)

#define EACH(name, args_type) EACH_BY(sp_parallel_for, name, args_type, ITEM_GRAIN)
#define EACH_LONG(name, args_type) EACH_BY(sp_parallel_for, name, args_type, LONG_GRAIN)
#define EACH_PARTICLE(name, args_type) EACH_BY(sp_parallel_pass, name, args_type, ITEM_GRAIN)

#define CELLS(name, args_type)                                                                   \
    SIMD_FN void name##_tile(const X(fields) *f, UNUSED const args_type *a, int tile);           \
    static void name##_range(void *user, size_t begin, size_t end, int worker)                   \
    {                                                                                            \
        JOB_OF(user, args_type);                                                                 \
        (void)worker;                                                                            \
        for (size_t k = begin; k < end; k++)                                                     \
            name##_tile(f, a, X(tile_at)(job->list, k));                                         \
    }                                                                                            \
    static void name(X(exec) *e, const args_type *args, X(tile_list) list)                       \
    {                                                                                            \
        X(job) job = {.f = &e->f, .args = args, .list = &list};                                  \
        sp_parallel_for(e->s->common->pool, (size_t)list.count, TILE_GRAIN, name##_range, &job); \
    }                                                                                            \
    SIMD_FN void name##_tile(const X(fields) *f, UNUSED const args_type *a, int tile)

#define EACH_TILE CELLS /* a GPU has one thread for a tile */

/* The counts of ranges, which the scan turns into how many come before each. name_put finds them
 * where name_count left them, although the arena may have moved (state.c). */
static inline uint32_t *X(take_counts)(X(exec) *e, size_t n, size_t grain)
{
    sp_arena arena = X(arena)(e->s);
    return sp_arena_take(&arena, (n + grain - 1) / grain, sizeof(uint32_t));
}

static inline uint32_t X(scan_counts)(uint32_t *counts, size_t n, size_t grain)
{
    uint32_t sum = 0;
    for (size_t k = 0; k < (n + grain - 1) / grain; k++) {
        uint32_t own = counts[k];
        counts[k] = sum;
        sum += own;
    }
    return sum;
}

/* count_each and put_each add to n what item or tile k gives. */
#define APPEND_BY(name, args_type, items_type, length, grain_size, count_each, put_each) \
    static void name##_count_range(void *user, size_t begin, size_t end, int worker)     \
    {                                                                                    \
        JOB_OF(user, args_type);                                                         \
        uint32_t n = 0;                                                                  \
        (void)worker;                                                                    \
        for (size_t k = begin; k < end; k++)                                             \
            count_each;                                                                  \
        ((uint32_t *)job->parts)[begin / job->grain] = n;                                \
    }                                                                                    \
    static void name##_put_range(void *user, size_t begin, size_t end, int worker)       \
    {                                                                                    \
        JOB_OF(user, args_type);                                                         \
        uint32_t n = ((const uint32_t *)job->parts)[begin / job->grain];                 \
        (void)worker;                                                                    \
        for (size_t k = begin; k < end; k++)                                             \
            put_each;                                                                    \
    }                                                                                    \
    static uint32_t name##_count(X(exec) *e, const args_type *args, items_type items)    \
    {                                                                                    \
        size_t n = length;                                                               \
        X(job) job = {.f = &e->f, .args = args, .grain = grain_size};                    \
        uint32_t *counts = X(take_counts)(e, n, job.grain);                              \
        job.parts = counts;                                                              \
        job.list = JOB_LIST(items);                                                      \
        sp_parallel_for(e->s->common->pool, n, job.grain, name##_count_range, &job);     \
        return X(scan_counts)(counts, n, job.grain);                                     \
    }                                                                                    \
    static void name##_put(X(exec) *e, const args_type *args, items_type items)          \
    {                                                                                    \
        size_t n = length;                                                               \
        X(job) job = {.f = &e->f, .args = args, .grain = grain_size};                    \
        job.parts = X(take_counts)(e, n, job.grain);                                     \
        job.list = JOB_LIST(items);                                                      \
        sp_parallel_for(e->s->common->pool, n, job.grain, name##_put_range, &job);       \
    }
#define JOB_LIST(items) _Generic(&(items), X(tile_list) * : &(items), default : NULL)

#define EACH_APPEND(name, args_type, count_fn, put_fn)                            \
    APPEND_BY(name, args_type, size_t, items, ITEM_GRAIN, n += count_fn(f, a, k), \
              n += put_fn(f, a, k, n))

#define CELLS_APPEND(name, args_type, count_fn, put_fn)                                  \
    SIMD_FN uint32_t name##_count_tile(const X(fields) *f, const args_type *a, int tile) \
    {                                                                                    \
        uint32_t n = 0;                                                                  \
        FOR_EACH_CELL(c, cell)                                                           \
            n += count_fn(f, a, c, cell);                                                \
        return n;                                                                        \
    }                                                                                    \
    SIMD_FN uint32_t name##_put_tile(const X(fields) *f, const args_type *a, int tile,   \
                                     uint32_t before)                                    \
    {                                                                                    \
        uint32_t n = before;                                                             \
        FOR_EACH_CELL(c, cell)                                                           \
            n += put_fn(f, a, c, cell, n);                                               \
        return n - before;                                                               \
    }                                                                                    \
    APPEND_BY(name, args_type, X(tile_list), (size_t)items.count, TILE_GRAIN,            \
              n += name##_count_tile(f, a, X(tile_at)(job->list, k)),                    \
              n += name##_put_tile(f, a, X(tile_at)(job->list, k), n))

#define EACH_GROUP(name, args_type, item_type, items, end)                                       \
    SIMD_FN void name##_item(UNUSED const X(fields) *f, const args_type *a, size_t group, int i, \
                             item_type *item);                                                   \
    static void name##_range(void *user, size_t begin, size_t stop, int worker)                  \
    {                                                                                            \
        JOB_OF(user, args_type);                                                                 \
        item_type list[items];                                                                   \
        (void)worker;                                                                            \
        for (size_t group = begin; group < stop; group++) {                                      \
            for (int i = 0; i < (items); i++)                                                    \
                name##_item(f, a, group, i, &list[i]);                                           \
            end(f, a, group, list);                                                              \
        }                                                                                        \
    }                                                                                            \
    static void name(X(exec) *e, const args_type *args, size_t n)                                \
    {                                                                                            \
        X(job) job = {.f = &e->f, .args = args};                                                 \
        sp_parallel_for(e->s->common->pool, n, GROUP_GRAIN, name##_range, &job);                 \
    }                                                                                            \
    SIMD_FN void name##_item(UNUSED const X(fields) *f, const args_type *a, size_t group, int i, \
                             item_type *item)

/* Runs the loop of a fold over n tiles or items, and adds up its parts into `total`. */
#define FOLD_PARTS(loop, e, n, part_type, add, range, job)             \
    do {                                                               \
        sp_arena arena = X(arena)((e)->s);                             \
        size_t count = ((n) + (job).grain - 1) / (job).grain;          \
        (job).parts = sp_arena_take(&arena, count, sizeof(part_type)); \
        loop((e)->s->common->pool, (n), (job).grain, range, &(job));   \
        for (size_t k = 0; k < count; k++)                             \
            add(&total, (const part_type *)(job).parts + k);           \
    } while (0)

#define CELLS_FOLD(name, args_type, part_type, add)                                            \
    _Static_assert(sizeof(part_type) <= FOLD_TILE_BYTES, "the parts of " #name " are large");  \
    SIMD_FN void name##_tile(const X(fields) *f, UNUSED const args_type *a, int tile,          \
                             part_type *part);                                                 \
    static void name##_range(void *user, size_t begin, size_t end, int worker)                 \
    {                                                                                          \
        JOB_OF(user, args_type);                                                               \
        part_type part;                                                                        \
        (void)worker;                                                                          \
        memset(&part, 0, sizeof part);                                                         \
        for (size_t k = begin; k < end; k++)                                                   \
            name##_tile(f, a, X(tile_at)(job->list, k), &part);                                \
        ((part_type *)job->parts)[begin / job->grain] = part;                                  \
    }                                                                                          \
    static part_type name(X(exec) *e, const args_type *args, X(tile_list) list)                \
    {                                                                                          \
        X(job) job = {&e->f, args, &list, NULL, FOLD_TILE_GRAIN(part_type)};                   \
        part_type total;                                                                       \
        memset(&total, 0, sizeof total);                                                       \
        FOLD_PARTS(sp_parallel_for, e, (size_t)list.count, part_type, add, name##_range, job); \
        return total;                                                                          \
    }                                                                                          \
    SIMD_FN void name##_tile(const X(fields) *f, UNUSED const args_type *a, int tile,          \
                             part_type *part)

#define EACH_FOLD_BY(loop, name, args_type, part_type, add)                                   \
    _Static_assert(sizeof(part_type) <= FOLD_ITEM_BYTES, "the parts of " #name " are large"); \
    SIMD_FN void name##_at(const X(fields) *f, UNUSED const args_type *a, size_t i,           \
                           part_type *part);                                                  \
    static void name##_range(void *user, size_t begin, size_t end, int worker)                \
    {                                                                                         \
        JOB_OF(user, args_type);                                                              \
        part_type part;                                                                       \
        (void)worker;                                                                         \
        memset(&part, 0, sizeof part);                                                        \
        for (size_t i = begin; i < end; i++)                                                  \
            name##_at(f, a, i, &part);                                                        \
        ((part_type *)job->parts)[begin / job->grain] = part;                                 \
    }                                                                                         \
    static part_type name(X(exec) *e, const args_type *args, size_t n)                        \
    {                                                                                         \
        X(job) job = {&e->f, args, NULL, NULL, ITEM_GRAIN};                                   \
        part_type total;                                                                      \
        memset(&total, 0, sizeof total);                                                      \
        FOLD_PARTS(loop, e, n, part_type, add, name##_range, job);                            \
        return total;                                                                         \
    }                                                                                         \
    SIMD_FN void name##_at(const X(fields) *f, UNUSED const args_type *a, size_t i, part_type *part)

#define EACH_FOLD(name, args_type, part_type, add) \
    EACH_FOLD_BY(sp_parallel_for, name, args_type, part_type, add)
#define EACH_PARTICLE_FOLD(name, args_type, part_type, add) \
    EACH_FOLD_BY(sp_parallel_pass, name, args_type, part_type, add)

/* The cells of the tile, one by one or LANES at a time: c is the index of the (first) cell, `cell`
 * its coordinates. */
#define FOR_EACH_CELL(c, cell)                                                              \
    for (int first_[DIM], cell[DIM], r_ = (X(tile_cell)(&f->grid, tile, first_), 0);        \
         r_ < TILE_ROWS; r_++)                                                              \
        for (size_t i_ = 0, c = (X(row_cell)(first_, r_, cell),                             \
                                 X(index)(&f->grid, first_) + X(row_offset)(&f->grid, r_)); \
             i_ < TILE; i_++, c++, cell[0]++)
#define FOR_EACH_LANES(c, cell)                                                                   \
    for (int first_[DIM], cell[DIM], r_ = (X(tile_cell)(&f->grid, tile, first_), 0);              \
         r_ < TILE_ROWS; r_++)                                                                    \
    WRITE_OUT for (size_t i_ = 0, c = (X(row_cell)(first_, r_, cell),                             \
                                       X(index)(&f->grid, first_) + X(row_offset)(&f->grid, r_)); \
                   i_ < TILE; i_ += LANES, c += LANES, cell[0] += LANES)

/* Writes 1; several bodies may do so at the same time. */
SIMD_FN void mark_byte(uint8_t *place)
{
    __atomic_store_n(place, 1, __ATOMIC_RELAXED);
}

/* ---- what a stage does to whole arrays */

static inline void fill_border(X(exec) *e, float *field, int d)
{
    X(fill_border)(e->s, field, d);
}

/* All components of `count` velocities. */
static inline void fill_border_faces(X(exec) *e, float *const *const *fields, int count)
{
    X(fill_border_faces)(e->s, fields, count);
}

static inline void fill_border_periodic(X(exec) *e, float *field, int d)
{
    X(fill_border_periodic)(&e->s->domain, field, d);
}

static inline void fill_border_bytes(X(exec) *e, uint8_t *field)
{
    X(fill_border_bytes)(e->s, field);
}

static inline void fill_border_type(X(exec) *e)
{
    X(fill_border_type)(e->s);
}

static inline void fold_border(X(exec) *e, float *sum, float *weight, int d)
{
    X(fold_border)(e->s, sum, weight, d);
}

static inline void close_walls(X(exec) *e)
{
    X(close_walls)(e->s);
}

/* Scratch: one byte for each tile. The next stage or fold that takes scratch overwrites it. */
static inline uint8_t *take_tile_bytes(X(exec) *e)
{
    sp_arena arena = X(arena)(e->s);
    return sp_arena_take(&arena, (size_t)e->f.grid.tile_count, 1);
}

#include "stages/stages.h"

#endif
