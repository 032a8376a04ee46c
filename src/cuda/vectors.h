/* vectors.h -- the vectors of the pressure solvers on the device, as their kernels see them. */
#ifndef SPATE_CUDA_VECTORS_H
#define SPATE_CUDA_VECTORS_H

#include "cuda/pressure/smoother_rows.h"

typedef struct vector_args {
    DEV(gpu_level) level; /* 0 */
    X(grid) grid;
    float *right, *high, *low, *step, *direction[2], *q;
    double *partials;
    DEV(gpu_state) * state;
    float weight;
    int colour;
} vector_args;

static inline vector_args args_of(X(gpu) *g)
{
    DEV(gpu_solver) *y = DEV(gpu_solver_of)(g);
    vector_args args;
    memset(&args, 0, sizeof args);
    args.level = y->levels[0];
    args.grid = g->f.grid;
    args.right = y->right;
    args.high = y->high;
    args.low = y->low;
    args.step = y->step;
    args.direction[0] = y->direction[0];
    args.direction[1] = y->direction[1];
    args.q = g->f.p;
    args.partials = g->partials;
    args.state = y->state;
    return args;
}

static inline size_t cells_of(X(gpu) *g)
{
    return (size_t)DEV(gpu_solver_of)(g)->levels[0].tile_count * TILE_CELLS;
}

#endif
