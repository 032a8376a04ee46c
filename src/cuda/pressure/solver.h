/* solver.h -- the pressure solver on the device: what its kernels share.
 *
 * Everything is held in blocks, as on the CPU (cpu/pressure/block.h): the TILE_CELLS values of a
 * tile with unknowns lie together, x fastest, and blocks follow each other: those of even tiles (by
 * the sum of their coordinates), then those of odd ones. Block 0 is zero and stands for tiles
 * without unknowns; after those with unknowns come blocks for the images across periodic sides. A
 * matrix needs no face where all faces between unknowns have the same off-diagonal
 * (cpu/pressure/multigrid.c): uniform and plain tiles read none.
 *
 * How the kernels that take most of the time work on blocks stands in smoother_rows.h. */
#ifndef SPATE_CUDA_PRESSURE_SOLVER_H
#define SPATE_CUDA_PRESSURE_SOLVER_H

#include "cuda/launch.h"

enum { UNIFORM, PLAIN, GENERAL };

typedef struct DEV(gpu_level) {
    X(grid) grid;
    float even;                              /* the off-diagonal far from anything */
    int tile_count, even_count, image_count; /* with unknowns, the even ones among them; images */
    int *slot;                               /* per tile: its block, 0 if it has none */
    int *tile_of;                            /* per block */
    int *near;                               /* per block: the 2 DIM ones across its faces */
    int *parent;                             /* per block: that of the coarser tile times
                                                2^DIM, plus which part of it */
    uint8_t *kind;                           /* per block: UNIFORM ... */
    float *d, *b, *x, *a[DIM];               /* blocks; a: NULL if all tiles are plain */
} DEV(gpu_level);

/* What the device decides by itself in a solve; names as in solve_multigrid.c. */
typedef struct DEV(gpu_state) {
    double rho, slope, curvature, cross, target, tolerance;
    double residual; /* max |b - A q|, the true one */
    double largest;  /* max |b| */
    float alpha, beta;
    int iterations, most;
    uint32_t start;   /* the next true residual is the first one */
    uint32_t open;    /* another correction is to be found */
    uint32_t more;    /* another iteration is to be done for it */
    uint32_t first;   /* there is no direction yet */
    uint32_t empty;   /* there is no correction yet */
    uint32_t last;    /* which of the two directions is the last one; the other is the next */
    uint32_t pockets; /* some are there */
} DEV(gpu_state);

/* How an iteration is done. */
typedef struct DEV(gpu_recipe) {
    int sweeps;
    bool quick; /* not in the order of the CPU */
} DEV(gpu_recipe);

typedef struct DEV(gpu_solver) {
    DEV(gpu_level) levels[MAX_LEVELS];
    int level_count;
    bool periodic, faces;        /* faces: level 0 has off-diagonals */
    bool blind;                  /* phi_solid does not tell of all solids */
    float scale;                 /* of the last pressure, as a start */
    size_t places;               /* tiles of all levels */
    size_t base[MAX_LEVELS + 1]; /* first place of a level */
    /* flags: per place: with unknowns; then: and even; then: an image; then, for tiles of level 0:
     * with unknowns, but not deep */
    uint32_t *flags;
    uint32_t *sums;   /* of flags, running */
    uint32_t *counts; /* per level: tile_count, even_count, image_count; shallow_count */
    uint8_t *deep;    /* per tile of level 0: see system_deep.cu */
    int *shallow;     /* blocks of level 0 whose tiles are not deep */
    int shallow_count;
    int *ints; /* slot, tile_of, parent, near of all levels */
    uint8_t *kinds;
    size_t fine_blocks, coarse_blocks; /* room */
    float *coarse;                     /* the fields of coarse levels */
    float *fine;                       /* those of level 0 */
    float *right;                      /* the right side of the system */
    float *high, *low;                 /* the solution in two parts, which together hold 48 bits */
    float *direction[2], *step;
    uint8_t *pocket;  /* per cell of level 0's blocks, as in X(system) */
    float *q_density; /* cells of the grid */
    double *partials; /* second stage of sums */
    DEV(gpu_state) * state;
    double largest; /* max |b|, before the means of pockets are taken out; negative: not known */
    bool pockets;   /* some are there */
    bool prepared;  /* the solve is recorded, with: */
    DEV(gpu_recipe) recipe;
} DEV(gpu_solver);

/* ---- values that a thread keeps across barriers, where a block has as many threads as items */

#ifdef __CUDACC__
#define KEEP(type, name, n) type name##_kept
#define KEPT(name, t) name##_kept
#define ONE_EACH(t, n) for (int t = (int)threadIdx.x, once_ = 1; once_; once_ = 0)
#define GPU_LOAD32(place) (*(volatile uint32_t *)(place))
#define GPU_STORE32(place, value) (*(volatile uint32_t *)(place) = (value))
#define GPU_SWAP32(place, old, value) (atomicCAS(place, old, value) == (old))
#define GPU_ALIGNED(place, bytes) __builtin_assume_aligned(place, bytes)
#else
#define GPU_ALIGNED(place, bytes) (place)
#define KEEP(type, name, n) type name##_kept[n]
#define KEPT(name, t) name##_kept[t]
#define ONE_EACH(t, n) for (int t = 0; t < (n); t++)
#define GPU_LOAD32(place) __atomic_load_n(place, __ATOMIC_RELAXED)
#define GPU_STORE32(place, value) __atomic_store_n(place, value, __ATOMIC_RELAXED)
#define GPU_SWAP32(place, old, value)                                             \
    __extension__({                                                               \
        uint32_t old_ = (old);                                                    \
        __atomic_compare_exchange_n(place, &old_, value, false, __ATOMIC_RELAXED, \
                                    __ATOMIC_RELAXED);                            \
    })
#endif

/* ---- places in a block */

#define PAIRS (TILE_CELLS / 2) /* of a red and a black cell side by side */
#define FACE_CELLS TILE_ROWS   /* cells on one face of a tile */
#define FAMILY (1 << DIM)

GPU_FN int block_step(int d)
{
    return d == 0 ? 1 : d == 1 ? TILE : TILE * TILE;
}

/* Of pair t: the cell of a colour, 0 red, 1 black. */
GPU_FN int cell_of_pair(int t, int colour)
{
    int row = t / (TILE / 2), odd = (row % TILE + row / TILE) & 1;
    return row * TILE + t % (TILE / 2) * 2 + (odd ^ colour);
}

/* Off-diagonals around place `at` of a block: low and high along each axis. */
GPU_FN void faces_of(const DEV(gpu_level) * l, int slot, int at, float a[2 * DIM])
{
    size_t own = (size_t)slot * TILE_CELLS;
    FOR_DIM(d) {
        int step = block_step(d), across = at / step % TILE;
        a[2 * d] = l->a[d][own + (size_t)at];
        if (across < TILE - 1) {
            a[2 * d + 1] = l->a[d][own + (size_t)(at + step)];
        } else {
            size_t other = (size_t)l->near[2 * DIM * slot + 2 * d + 1] * TILE_CELLS;
            a[2 * d + 1] = l->a[d][other + (size_t)(at - (TILE - 1) * step)];
        }
    }
}

/* The largest of n values in shared memory, a power of two, becomes the first; all threads call. */
GPU_FN void find_largest(uint32_t *values, int n)
{
    BARRIER();
    for (int half = n / 2; half > 0; half /= 2) {
        FOR_THREADS(t, half)
            values[t] = values[t + half] > values[t] ? values[t + half] : values[t];
        BARRIER();
    }
}

/* Their sum likewise, always in the same order. */
GPU_FN void find_sum(double *values, int n)
{
    BARRIER();
    for (int half = n / 2; half > 0; half /= 2) {
        FOR_THREADS(t, half)
            values[t] += values[t + half];
        BARRIER();
    }
}

GPU_FN uint32_t magnitude_bits(float v)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits & 0x7fffffffu; /* floats >= 0 order as integers, and a NaN is above all */
}

GPU_FN double bits_magnitude(uint32_t bits)
{
    float v;
    memcpy(&v, &bits, sizeof v);
    return (double)v;
}

static inline DEV(gpu_solver) * DEV(gpu_solver_of)(X(gpu) *g)
{
    return (DEV(gpu_solver) *)g->solver;
}

/* between the files of the solver */
#ifdef __cplusplus
extern "C" {
#endif
uint32_t *DEV(gpu_clear_flags)(X(gpu) *g); /* multigrid_lists.cu */
/* Images of periodic sides; of level 0's next direction. */
void DEV(gpu_wrap)(X(gpu) *g, const DEV(gpu_level) * l, float *field);
void DEV(gpu_wrap_direction)(X(gpu) *g);
void DEV(gpu_queue_residual)(X(gpu) *g); /* residual.cu: into b of level 0; partials: of max |r| */
/* solve_multigrid.cu: state->largest from the partials; records the solve for the lists of tiles as
 * they are
 */
void DEV(gpu_gather_largest)(X(gpu) *g);
void DEV(gpu_prepare_multigrid)(X(gpu) *g, int sweeps);
/* pockets.cu: marks them, state->pockets; takes their means out of `right`, whose magnitude is */
void DEV(gpu_find_pockets)(X(gpu) *g);
void DEV(gpu_remove_pocket_means)(X(gpu) *g, double largest);
void DEV(gpu_assemble_deep)(X(gpu) *g); /* system_deep.cu: partials of max |b| */
void DEV(gpu_measure_deep)(X(gpu) *g);  /* and of the divergence */
/* coarsest.cu: x of the coarsest level from its b. quick: not in the order of the CPU */
void DEV(gpu_solve_coarsest)(X(gpu) *g, int sweeps, bool quick);
/* x of level 0 from its b; partials: of b . x */
void DEV(gpu_cycle)(X(gpu) *g, int sweeps, bool quick);
#ifdef __cplusplus
}
#endif

#endif
