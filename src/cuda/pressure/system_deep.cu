/* system_deep.cu -- the pressure system of deep tiles: full of liquid, with liquid across all faces
 * of their cells, and no solid near. Most tiles of a large domain are. Their equations are all the
 * same and only the right side is to be found, a row of cells per thread; system.cu does the
 * others. */
#include "smoother_rows.h"

typedef struct deep_args {
    X(fields) f;
    DEV(gpu_level) level; /* 0 */
    const uint8_t *deep;
    float *right;
    uint8_t *pocket;
    double *partials;
} deep_args;

typedef struct deep_shared {
    uint32_t most[GROUP_ROWS];
} deep_shared;

static deep_args args_of(X(gpu) *g)
{
    DEV(gpu_solver) *solver = DEV(gpu_solver_of)(g);
    deep_args args;
    memset(&args, 0, sizeof args);
    args.f = g->f;
    args.level = solver->levels[0];
    args.deep = solver->deep;
    args.right = solver->right;
    args.pocket = solver->pocket;
    args.partials = g->partials;
    return args;
}

/* The deep tile of a thread; 0: it has none. */
GPU_FN int deep_slot(const deep_args *a, size_t block, int t)
{
    int number = (int)block * GROUP + t / TILE_ROWS;
    int slot = number < a->level.tile_count ? slot_in_order(&a->level, number) : 0;
    return slot && a->deep[a->level.tile_of[slot]] ? slot : 0;
}

/* What flows out of the cells of a row; sums are those of `outflow` in system.cu. */
GPU_FN void row_outflow(const deep_args *a, int slot, int number, float flow[TILE])
{
    const X(grid) *g = &a->f.grid;
    size_t c = X(tile_index)(g, a->level.tile_of[slot]) + X(row_offset)(g, number);
    double sum[TILE];
    SP_UNROLL_ALL
    for (int i = 0; i < TILE; i++)
        sum[i] = 0;
    FOR_DIM(d) {
        float low[TILE + 1], high[TILE];
        load_floats(a->f.u[d] + c, low, TILE);
        if (d > 0) {
            load_floats(a->f.u[d] + c + g->stride[d], high, TILE);
        } else {
            low[TILE] = a->f.u[0][c + TILE];
            SP_UNROLL_ALL
            for (int i = 0; i < TILE; i++)
                high[i] = low[i + 1];
        }
        SP_UNROLL_ALL
        for (int i = 0; i < TILE; i++)
            sum[i] += (double)high[i] - (double)low[i];
    }
    SP_UNROLL_ALL
    for (int i = 0; i < TILE; i++)
        flow[i] = (float)sum[i];
}

GPU_FN uint32_t largest_in(const float flow[TILE])
{
    uint32_t most = 0;
    SP_UNROLL_ALL
    for (int i = 0; i < TILE; i++)
        most = magnitude_bits(flow[i]) > most ? magnitude_bits(flow[i]) : most;
    return most;
}

/* The largest of each tile becomes its partial. */
GPU_FN void keep_largest(const deep_args *a, deep_shared *shared, size_t block)
{
    largest_of_groups(shared->most);
    FOR_THREADS(group, GROUP) {
        int slot = deep_slot(a, block, group * TILE_ROWS);
        if (slot)
            a->partials[slot - 1] = bits_magnitude(shared->most[group * TILE_ROWS]);
    }
}

GPU_FN void fill_row(float *to, float value)
{
    float raw[TILE];
    SP_UNROLL_ALL
    for (int i = 0; i < TILE; i++)
        raw[i] = value;
    store_floats(to, raw, TILE);
}

BLOCKS(assemble_deep, deep_args, deep_shared, GROUP_ROWS)
{
    FOR_THREADS(t, GROUP_ROWS) {
        int slot = deep_slot(a, block, t), number = t % TILE_ROWS;
        size_t at = (size_t)slot * TILE_CELLS + (size_t)(number * TILE);
        float b[TILE];
        shared->most[t] = 0;
        if (!slot)
            continue;
        row_outflow(a, slot, number, b);
        SP_UNROLL_ALL
        for (int i = 0; i < TILE; i++)
            b[i] = -b[i];
        shared->most[t] = largest_in(b);
        store_floats(a->right + at, b, TILE);
        fill_row(a->level.d + at, (float)(2 * DIM));
        FOR_DIM(d)
            if (a->level.a[d])
                fill_row(a->level.a[d] + at, 1.0f);
        if (number == 0) {
            a->level.kind[slot] = UNIFORM;
            a->pocket[at] = 1; /* for all of it: pockets.cu */
        }
    }
    keep_largest(a, shared, block);
}

BLOCKS(measure_deep, deep_args, deep_shared, GROUP_ROWS)
{
    FOR_THREADS(t, GROUP_ROWS) {
        int slot = deep_slot(a, block, t);
        float flow[TILE];
        shared->most[t] = 0;
        if (!slot)
            continue;
        row_outflow(a, slot, t % TILE_ROWS, flow);
        shared->most[t] = largest_in(flow);
    }
    keep_largest(a, shared, block);
}

void DEV(gpu_assemble_deep)(X(gpu) *g)
{
    assemble_deep(g, args_of(g), groups_of(DEV(gpu_solver_of)(g)->levels[0].tile_count));
}

void DEV(gpu_measure_deep)(X(gpu) *g)
{
    measure_deep(g, args_of(g), groups_of(DEV(gpu_solver_of)(g)->levels[0].tile_count));
}
