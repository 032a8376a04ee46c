/* momentum.c -- what the transfers do to momentum.
 *
 * Between P2G and G2P the grid changes the velocity that a particle sees by
 *
 *     k = u(x) - u_old(x) = carried(x) - (1 - r) u_old(x),
 *
 * gravity, pressure and walls, taken where they acted (g2p_field.c). G2P is to hand exactly that
 * to the particles, all together. What is missing in sum of v after it, against sum of v before it
 * plus sum of k, has been lost inside the liquid: by damping at the surface, say, or where u_old is
 * not what the particles gave because the grid does not resolve them. k is taken at the particles,
 * not from the sums of P2G on the faces, whose memory other stages need before G2P. It is measured
 * in the first step of each frame, as a share of the sum of m |v|, per second. */
#include "cpu.h"
#include "patch.h"

#include "kernels/momentum.h"

#define SUMS (DIM + 1) /* of v along each axis, and of |v| */

typedef struct momentum_args {
    const X(sim) *s;
    X(fields) f; /* of it */
    X(grid_field) carried, old;
    float rest;    /* 1 - r */
    bool kicked;   /* with k */
    char *scratch; /* per worker: a patch */
    double *sums;  /* SUMS per liquid tile */
} momentum_args;

/* k of up to eight particles from k on, one by one: any kernel. */
static void add_kicks(const momentum_args *args, uint32_t k, uint32_t n, f8 v[DIM])
{
    const X(fields) *f = &args->f;
    for (uint32_t lane = 0; lane < n; lane++) {
        float x[DIM];
        FOR_DIM(d)
            x[d] = f->particles.x[d][k + lane];
        FOR_DIM(d)
            v[d][lane] += X(kick_at)(f, x, d, args->rest);
    }
}

/* The same for the linear kernel; patch: of k, or NULL. */
SIMD_FN void add_kicks_of_lanes(const momentum_args *args, const X(patch) *patch, uint32_t k,
                                uint32_t n, f8 v[DIM])
{
    const X(sim) *s = args->s;
    X(located) at;
    f8 x[DIM];
    FOR_DIM(d)
        x[d] = load_n(s->particles.x[d] + k, n);
    if (patch)
        DEV(patch_locate)(patch, x, &at);
    else
        X(grid_locate)(&s->grid, x, &at);
    FOR_DIM(d)
        v[d] += patch ? X(patch_component)(patch, &at, d)
                      : X(grid_component)(&args->carried, &at, d) -
                            args->rest * X(grid_component)(&args->old, &at, d);
}

/* The patch of k if the tile is worth one. */
static const X(patch) *kick_patch(const momentum_args *args, int tile, X(patch) *patch)
{
    const X(sim) *s = args->s;
    if (!args->kicked || !s->particles.at_home ||
        s->tiles.start[tile + 1] - s->tiles.start[tile] < PATCH_LEAST)
        return NULL;
    int corner[DIM];
    float unused[DIM];
    X(tile_cell)(&s->grid, tile, corner);
    X(patch_source) from = {.u = s->carried, .less = s->u_old, .share = args->rest};
    X(patch_fill)(patch, &s->grid, corner, 1, from, unused);
    return patch;
}

SIMD_FN f8 lengths(const f8 v[DIM])
{
    f8 square = {0};
    float each[LANES];
    FOR_DIM(d)
        square += v[d] * v[d];
    memcpy(each, &square, sizeof each);
    for (int lane = 0; lane < LANES; lane++)
        each[lane] = __builtin_sqrtf(each[lane]);
    memcpy(&square, each, sizeof each);
    return square;
}

static void sum_tile(const momentum_args *args, int tile, X(patch) *memory, double sums[SUMS])
{
    const X(sim) *s = args->s;
    bool linear = s->degree == KERNEL_LINEAR && s->grid.size <= INT32_MAX;
    const X(patch) *patch = linear ? kick_patch(args, tile, memory) : NULL;
    const i8 number = {0, 1, 2, 3, 4, 5, 6, 7};
    uint32_t end = s->tiles.start[tile + 1], n;
    d8 sum[SUMS];
    memset(sum, 0, sizeof sum);
    for (uint32_t k = s->tiles.start[tile]; k < end; k += n) {
        f8 v[SUMS];
        n = end - k < LANES ? end - k : LANES;
        FOR_DIM(d)
            v[d] = load_n(s->particles.v[d] + k, n);
        v[DIM] = lengths(v);
        if (args->kicked && !linear)
            add_kicks(args, k, n, v);
        else if (args->kicked && patch)
            add_kicks_of_lanes(args, patch, k, n, v);
        else if (args->kicked)
            add_kicks_of_lanes(args, NULL, k, n, v);
        for (int d = 0; d < SUMS; d++)
            sum[d] += convert(choose(number < (int32_t)n, v[d], f8_of(0.0f)), d8);
    }
    for (int d = 0; d < SUMS; d++) {
        sums[d] = 0;
        for (int lane = 0; lane < LANES; lane++)
            sums[d] += sum[d][lane];
    }
}

static void sum_range(void *user, size_t begin, size_t end, int worker)
{
    const momentum_args *args = user;
    X(patch) *memory = (X(patch) *)(args->scratch + (size_t)worker * DEV(patch_scratch)());
    for (size_t k = begin; k < end; k++)
        sum_tile(args, args->s->tiles.liquid[k], memory, args->sums + k * SUMS);
}

static void sum_all(X(sim) *s, double dt, bool kicked, double sums[SUMS])
{
    size_t tiles = (size_t)s->tiles.liquid_count;
    size_t threads = (size_t)sp_pool_threads(s->common->pool);
    sp_arena arena = X(arena)(s);
    momentum_args args = {.s = s,
                          .f = X(fields_of)(s),
                          .carried = X(grid_field_of)(&s->grid, s->carried),
                          .old = X(grid_field_of)(&s->grid, s->u_old),
                          .rest = 1.0f - X(kept_share)(s, dt),
                          .kicked = kicked,
                          .scratch = sp_arena_take(&arena, threads, DEV(patch_scratch)()),
                          .sums = sp_arena_take(&arena, tiles * SUMS, sizeof(double))};
    sp_parallel_pass(s->common->pool, tiles, 1, sum_range, &args);
    memset(sums, 0, SUMS * sizeof *sums);
    for (size_t k = 0; k < tiles * SUMS; k++)
        sums[k % SUMS] += args.sums[k];
}

void DEV(before_transfer)(X(sim) *s, double dt, double momentum[DIM])
{
    double sums[SUMS];
    sum_all(s, dt, true, sums);
    memcpy(momentum, sums, DIM * sizeof *momentum);
}

void DEV(after_transfer)(X(sim) *s, double dt, const double momentum[DIM])
{
    double sums[SUMS];
    sum_all(s, dt, false, sums);
    X(book_momentum)(s, dt, momentum, sums, sums[DIM]);
}

/* ---- the largest speed */

static double speed_partial(void *user, size_t begin, size_t end)
{
    const X(particles) *p = user;
    f8 most = {0};
    for (size_t k = begin; k < end; k += LANES) {
        size_t n = end - k < LANES ? end - k : LANES;
        f8 square = {0};
        FOR_DIM(d) {
            f8 v = load_n(p->v[d] + k, n);
            square += v * v;
        }
        most = choose((square > most) | (square != square), square, most);
    }
    float result = 0.0f;
    for (int lane = 0; lane < LANES; lane++)
        result = most[lane] > result || most[lane] != most[lane] ? most[lane] : result;
    return result;
}

double DEV(max_speed)(X(sim) *s)
{
    if (!(s->particles.fastest >= 0.0f))
        s->particles.fastest =
            (float)X(maximum)(s, s->particles.count, 4096, speed_partial, &s->particles);
    return __builtin_sqrt((double)s->particles.fastest);
}
