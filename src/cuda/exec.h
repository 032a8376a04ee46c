/* exec.h -- how a GPU runs the stages of src/stages: one thread for a cell, a tile or an item.
 * src/cpu/exec.h explains the words. For the device `check` this file is compiled as C: there the
 * loops of launch.h are plain loops, one cell after the other, with one lane. */
#ifndef SPATE_CUDA_EXEC_H
#define SPATE_CUDA_EXEC_H

#include "launch.h"
#include "stages/lists.h"

#define EACH(name, args_type)                                                        \
    typedef struct name##_job {                                                      \
        X(fields) f;                                                                 \
        args_type args;                                                              \
    } name##_job;                                                                    \
    GPU_FN void name##_one(const X(fields) *f, UNUSED const args_type *a, size_t i); \
    MAP(name##_items, name##_job)                                                    \
    {                                                                                \
        name##_one(&a->f, &a->args, i);                                              \
    }                                                                                \
    static void name(X(exec) *e, const args_type *args, size_t n)                    \
    {                                                                                \
        name##_job job = {e->f, *args};                                              \
        name##_items(e, job, n);                                                     \
    }                                                                                \
    GPU_FN void name##_one(const X(fields) *f, UNUSED const args_type *a, size_t i)

#define EACH_LONG EACH
#define EACH_PARTICLE EACH

#define EACH_TILE(name, args_type)                                                    \
    typedef struct name##_job {                                                       \
        X(fields) f;                                                                  \
        args_type args;                                                               \
        X(tile_list) list;                                                            \
    } name##_job;                                                                     \
    GPU_FN void name##_tile(const X(fields) *f, UNUSED const args_type *a, int tile); \
    MAP(name##_tiles, name##_job)                                                     \
    {                                                                                 \
        name##_tile(&a->f, &a->args, X(tile_at)(&a->list, i));                        \
    }                                                                                 \
    static void name(X(exec) *e, const args_type *args, X(tile_list) list)            \
    {                                                                                 \
        name##_job job = {e->f, *args, list};                                         \
        name##_tiles(e, job, (size_t)list.count);                                     \
    }                                                                                 \
    GPU_FN void name##_tile(const X(fields) *f, UNUSED const args_type *a, int tile)

/* A thread for each item or cell, which writes its count; the scan then says how many come before
 * each. There is one count more, 0, so that the last sum is that of all. */
#define APPEND_BY(name, items_type, length, count_one, put_one)                         \
    MAP(name##_count_all, name##_job)                                                   \
    {                                                                                   \
        a->places.flags[i] = i < a->places.count ? count_one : 0;                       \
    }                                                                                   \
    MAP(name##_put_all, name##_job)                                                     \
    {                                                                                   \
        if (a->places.flags[i] > 0)                                                     \
            put_one;                                                                    \
    }                                                                                   \
    static uint32_t name##_count(X(exec) *e, const name##_args *args, items_type items) \
    {                                                                                   \
        uint32_t count = 0;                                                             \
        size_t n = length;                                                              \
        DEV(gpu_make_places)(e, n);                                                     \
        name##_job job = {e->f, *args, items, e->places};                               \
        name##_count_all(e, job, n + 1);                                                \
        DEV(gpu_scan)(e, e->places.flags, e->places.before, n + 1);                     \
        DEV(gpu_download)(e, &count, e->places.before + n, sizeof count);               \
        return count;                                                                   \
    }                                                                                   \
    static void name##_put(X(exec) *e, const name##_args *args, items_type items)       \
    {                                                                                   \
        name##_job job = {e->f, *args, items, e->places};                               \
        name##_put_all(e, job, length);                                                 \
    }

#define APPEND_JOB(name, args_type, items_type) \
    typedef args_type name##_args;              \
    typedef struct name##_job {                 \
        X(fields) f;                            \
        args_type args;                         \
        items_type items;                       \
        DEV(gpu_places) places;                 \
    } name##_job;

#define EACH_APPEND(name, args_type, count_fn, put_fn)           \
    APPEND_JOB(name, args_type, size_t)                          \
    APPEND_BY(name, size_t, items, count_fn(&a->f, &a->args, i), \
              put_fn(&a->f, &a->args, i, a->places.before[i]))

#define CELLS_APPEND(name, args_type, count_fn, put_fn)                                     \
    APPEND_JOB(name, args_type, X(tile_list))                                               \
    GPU_FN uint32_t name##_count_cell(const name##_job *a, size_t i)                        \
    {                                                                                       \
        int cell[DIM], tile = X(tile_at)(&a->items, i / TILE_CELLS);                        \
        size_t c = X(tile_place)(&a->f.grid, tile, (int)(i % TILE_CELLS), cell);            \
        return count_fn(&a->f, &a->args, c, cell);                                          \
    }                                                                                       \
    GPU_FN void name##_put_cell(const name##_job *a, size_t i)                              \
    {                                                                                       \
        int cell[DIM], tile = X(tile_at)(&a->items, i / TILE_CELLS);                        \
        size_t c = X(tile_place)(&a->f.grid, tile, (int)(i % TILE_CELLS), cell);            \
        put_fn(&a->f, &a->args, c, cell, a->places.before[i]);                              \
    }                                                                                       \
    APPEND_BY(name, X(tile_list), (size_t)items.count *TILE_CELLS, name##_count_cell(a, i), \
              name##_put_cell(a, i))

/* One block for each group, one thread for each item; the first thread calls `end`. */
#define EACH_GROUP(name, args_type, item_type, items, end)                                      \
    typedef struct name##_job {                                                                 \
        X(fields) f;                                                                            \
        args_type args;                                                                         \
    } name##_job;                                                                               \
    typedef struct name##_shared {                                                              \
        item_type list[items];                                                                  \
    } name##_shared;                                                                            \
    GPU_FN void name##_item(UNUSED const X(fields) *f, const args_type *a, size_t group, int i, \
                            item_type *item);                                                   \
    BLOCKS(name##_groups, name##_job, name##_shared, items)                                     \
    {                                                                                           \
        FOR_THREADS(t, items)                                                                   \
            name##_item(&a->f, &a->args, block, t, &shared->list[t]);                           \
        BARRIER();                                                                              \
        FOR_THREADS(first, 1)                                                                   \
            end(&a->f, &a->args, block, shared->list);                                          \
    }                                                                                           \
    static void name(X(exec) *e, const args_type *args, size_t n)                               \
    {                                                                                           \
        name##_job job = {e->f, *args};                                                         \
        name##_groups(e, job, n);                                                               \
    }                                                                                           \
    GPU_FN void name##_item(UNUSED const X(fields) *f, const args_type *a, size_t group, int i, \
                            item_type *item)

/* One thread for each cell. place_ is the number of the cell in its tile. A thread also does every
 * step_-th cell after it, which matters in folds alone: here there is none. */
#define CELLS(name, args_type)                                                                    \
    typedef struct name##_job {                                                                   \
        X(fields) f;                                                                              \
        args_type args;                                                                           \
        X(tile_list) list;                                                                        \
    } name##_job;                                                                                 \
    GPU_FN void name##_tile(const X(fields) *f, UNUSED const args_type *a, int tile, int place_,  \
                            int step_);                                                           \
    MAP(name##_cells, name##_job)                                                                 \
    {                                                                                             \
        name##_tile(&a->f, &a->args, X(tile_at)(&a->list, i / TILE_CELLS), (int)(i % TILE_CELLS), \
                    TILE_CELLS);                                                                  \
    }                                                                                             \
    static void name(X(exec) *e, const args_type *args, X(tile_list) list)                        \
    {                                                                                             \
        name##_job job = {e->f, *args, list};                                                     \
        name##_cells(e, job, (size_t)list.count *TILE_CELLS);                                     \
    }                                                                                             \
    GPU_FN void name##_tile(const X(fields) *f, UNUSED const args_type *a, int tile, int place_,  \
                            int step_)

#define FOR_EACH_CELL(c, cell)                                     \
    for (int cell[DIM], k_ = place_; k_ < TILE_CELLS; k_ += step_) \
        for (size_t c = X(tile_place)(&f->grid, tile, k_, cell), once_ = 1; once_; once_ = 0)
#define FOR_EACH_LANES FOR_EACH_CELL

/* ---- folds, in two kernels. The blocks of the first take chunks by turns: a chunk is a tile or
 * FOLD_ITEMS items, and the threads of a block take its cells or items by turns. Each block leaves
 * one part. The second kernel is one block, which adds up these parts. So the order of additions
 * depends on the number of chunks alone. */
#define FOLD_THREADS 128
#define FOLD_ITEMS 4096

#define FOLD(name, args_type, part_type, add)                                                \
    typedef struct name##_shared {                                                           \
        part_type part[FOLD_THREADS];                                                        \
    } name##_shared;                                                                         \
    GPU_FN void name##_add_up(part_type *part, part_type *sum)                               \
    {                                                                                        \
        BARRIER();                                                                           \
        for (int half = FOLD_THREADS / 2; half > 0; half /= 2) {                             \
            FOR_THREADS(t, half)                                                             \
                add(&part[t], &part[t + half]);                                              \
            BARRIER();                                                                       \
        }                                                                                    \
        FOR_THREADS(t, 1)                                                                    \
            *sum = part[0];                                                                  \
    }                                                                                        \
    BLOCKS(name##_blocks, name##_job, name##_shared, FOLD_THREADS)                           \
    {                                                                                        \
        FOR_THREADS(t, FOLD_THREADS) {                                                       \
            part_type part;                                                                  \
            memset(&part, 0, sizeof part);                                                   \
            for (size_t k = block; k < a->chunks; k += a->blocks)                            \
                name##_chunk(a, k, t, &part);                                                \
            shared->part[t] = part;                                                          \
        }                                                                                    \
        name##_add_up(shared->part, (part_type *)a->parts + block);                          \
    }                                                                                        \
    BLOCKS(name##_total, name##_job, name##_shared, FOLD_THREADS)                            \
    {                                                                                        \
        const part_type *parts = (const part_type *)a->parts;                                \
        FOR_THREADS(t, FOLD_THREADS) {                                                       \
            memset(&shared->part[t], 0, sizeof(part_type));                                  \
            for (size_t k = (size_t)t; k < a->blocks; k += FOLD_THREADS)                     \
                add(&shared->part[t], &parts[k]);                                            \
        }                                                                                    \
        name##_add_up(shared->part, (part_type *)a->parts + block);                          \
    }                                                                                        \
    static part_type name##_fold(X(exec) *e, name##_job *job, size_t chunks)                 \
    {                                                                                        \
        part_type total;                                                                     \
        memset(&total, 0, sizeof total);                                                     \
        static_assert(sizeof(part_type) * FOLD_BLOCKS <= FOLD_BYTES, "a part is too large"); \
        job->chunks = chunks;                                                                \
        job->blocks = chunks < FOLD_BLOCKS ? chunks : FOLD_BLOCKS;                           \
        job->parts = e->fold_parts;                                                          \
        if (chunks == 0)                                                                     \
            return total;                                                                    \
        name##_blocks(e, *job, job->blocks);                                                 \
        name##_total(e, *job, 1);                                                            \
        DEV(gpu_download)(e, &total, e->fold_parts, sizeof total);                           \
        return total;                                                                        \
    }

#define CELLS_FOLD(name, args_type, part_type, add)                                              \
    typedef struct name##_job {                                                                  \
        X(fields) f;                                                                             \
        args_type args;                                                                          \
        X(tile_list) list;                                                                       \
        void *parts;                                                                             \
        size_t chunks, blocks;                                                                   \
    } name##_job;                                                                                \
    GPU_FN void name##_tile(const X(fields) *f, UNUSED const args_type *a, int tile, int place_, \
                            int step_, part_type *part);                                         \
    GPU_FN void name##_chunk(const name##_job *a, size_t k, int t, part_type *part)              \
    {                                                                                            \
        name##_tile(&a->f, &a->args, X(tile_at)(&a->list, k), t, FOLD_THREADS, part);            \
    }                                                                                            \
    FOLD(name, args_type, part_type, add)                                                        \
    static part_type name(X(exec) *e, const args_type *args, X(tile_list) list)                  \
    {                                                                                            \
        name##_job job = {e->f, *args, list, NULL, 0, 0};                                        \
        return name##_fold(e, &job, (size_t)list.count);                                         \
    }                                                                                            \
    GPU_FN void name##_tile(const X(fields) *f, UNUSED const args_type *a, int tile, int place_, \
                            int step_, part_type *part)

#define EACH_FOLD(name, args_type, part_type, add)                                  \
    typedef struct name##_job {                                                     \
        X(fields) f;                                                                \
        args_type args;                                                             \
        size_t n;                                                                   \
        void *parts;                                                                \
        size_t chunks, blocks;                                                      \
    } name##_job;                                                                   \
    GPU_FN void name##_one(const X(fields) *f, UNUSED const args_type *a, size_t i, \
                           part_type *part);                                        \
    GPU_FN void name##_chunk(const name##_job *a, size_t k, int t, part_type *part) \
    {                                                                               \
        size_t i = k * FOLD_ITEMS + (size_t)t, end = k * FOLD_ITEMS + FOLD_ITEMS;   \
        for (; i < end && i < a->n; i += FOLD_THREADS)                              \
            name##_one(&a->f, &a->args, i, part);                                   \
    }                                                                               \
    FOLD(name, args_type, part_type, add)                                           \
    static part_type name(X(exec) *e, const args_type *args, size_t n)              \
    {                                                                               \
        name##_job job = {e->f, *args, n, NULL, 0, 0};                              \
        return name##_fold(e, &job, (n + FOLD_ITEMS - 1) / FOLD_ITEMS);             \
    }                                                                               \
    GPU_FN void name##_one(const X(fields) *f, UNUSED const args_type *a, size_t i, part_type *part)

#define EACH_PARTICLE_FOLD EACH_FOLD

GPU_FN void mark_byte(uint8_t *place)
{
    GPU_MARK8(place);
}

/* ---- what a stage does to whole arrays */

static inline void fill_border(X(exec) *e, float *field, int d)
{
    DEV(gpu_fill_border)(e, field, d);
}

static inline void fill_border_faces(X(exec) *e, float *const *const *fields, int count)
{
    for (int k = 0; k < count; k++)
        DEV(gpu_fill_faces)(e, fields[k]);
}

static inline void fill_border_periodic(X(exec) *e, float *field, int d)
{
    DEV(gpu_fill_border_periodic)(e, field, d);
}

static inline void fill_border_bytes(X(exec) *e, uint8_t *field)
{
    DEV(gpu_fill_border_bytes)(e, field);
}

static inline void fill_border_type(X(exec) *e)
{
    DEV(gpu_fill_border_type)(e);
}

static inline void fold_border(X(exec) *e, float *sum, float *weight, int d)
{
    DEV(gpu_fold_border)(e, sum, weight, d);
}

static inline void close_walls(X(exec) *e)
{
    DEV(gpu_close_walls)(e);
}

static inline uint8_t *take_tile_bytes(X(exec) *e)
{
    return (uint8_t *)e->tile_flags;
}

#include "stages/stages.h"

#endif
