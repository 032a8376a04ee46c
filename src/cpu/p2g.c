/* p2g.c -- particles to grid: u = sum w v / sum w at every face, w the kernel at the particle's
 * distance.
 *
 * The sums of a tile's particles are taken in a buffer of the tile and its rim, which stays in the
 * cache, and then added to the grid. Rims overlap, so tiles are done colour by colour (tiles of one
 * colour never touch): at a face the sums of up to 2^DIM tiles arrive in order of colour, whatever
 * the number of threads. With a gradient c (APIC, AFLIP: kernels/gradient.h) a particle offers
 * v + c (x_face - x_p).
 *
 * The linear kernel has faster ways: p2g_linear.c without gradients, the default, and p2g_affine.c
 * with those of AFLIP. */
#include "cpu.h"
#include "kernels/gradient.h"
#include "simd.h"

#define RIM 2                 /* places below the tile that the widest kernel reaches */
#define SIDE (TILE + RIM + 3) /* and above */
#define PLACES (SIDE * SIDE * LAST(SIDE))

typedef struct buffer {
    float sum[DIM][PLACES];
    float weight[DIM][PLACES];
} buffer;

static inline void scatter(int degree, bool affine, const X(particles) *p, uint32_t k,
                           const int corner[DIM], buffer *b)
{
    float x[DIM];
    FOR_DIM(d)
        x[d] = p->x[d][k];
    FOR_DIM(d) {
        X(stencil) s = X(stencil_at)(degree, x, d);
        int base = 0;
        for (int a = DIM - 1; a >= 0; a--)
            base = base * SIDE + s.first[a] - corner[a] + RIM;
        float v = p->v[d][k], slope[DIM];
        FOR_DIM(a) {
            slope[a] = affine ? p->c[d * DIM + a][k] : 0.0f;
            v += slope[a] * ((float)s.first[a] + (a == d ? 0.0f : 0.5f) - x[a]);
        }
        for (int m = 0; m < LAST(degree + 1); m++)
            for (int j = 0; j <= degree; j++) {
                float line = s.w[1][j] * (DIM == 3 ? s.w[DIM - 1][m] : 1.0f);
                int row = base + SIDE * (j + SIDE * m);
                for (int i = 0; i <= degree; i++) {
                    float w = line * s.w[0][i];
                    float offer = v;
                    if (affine)
                        offer += slope[0] * (float)i + slope[1] * (float)j +
                                 (DIM == 3 ? slope[DIM - 1] * (float)m : 0.0f);
                    b->sum[d][row + i] += w * offer;
                    b->weight[d][row + i] += w;
                }
            }
    }
}

static inline void scatter_tile(X(sim) *s, int degree, bool affine, int tile, const int corner[DIM],
                                buffer *b)
{
    for (uint32_t k = s->tiles.start[tile]; k < s->tiles.start[tile + 1]; k++)
        scatter(degree, affine, &s->particles, k, corner, b);
}

static void flush(X(sim) *s, const int corner[DIM], const buffer *b)
{
    int low[DIM];
    FOR_DIM(d)
        low[d] = corner[d] - RIM;
    size_t base = X(index)(&s->grid, low);
    for (int m = 0; m < LAST(SIDE); m++)
        for (int j = 0; j < SIDE; j++) {
            size_t row = base + (size_t)j * s->grid.stride[1] + (size_t)m * s->grid.stride[2];
            const int from = SIDE * (j + SIDE * m);
            FOR_DIM(d)
                for (int i = 0; i < SIDE; i++) {
                    s->u[d][row + (size_t)i] += b->sum[d][from + i];
                    s->weight[d][row + (size_t)i] += b->weight[d][from + i];
                }
        }
}

/* Any kernel, with or without the affine part. */
static void p2g_general(X(sim) *s, int tile)
{
    buffer b;
    int corner[DIM];
    X(tile_cell)(&s->grid, tile, corner);
    memset(&b, 0, sizeof b);
    if (s->degree_to_grid == KERNEL_LINEAR)
        scatter_tile(s, KERNEL_LINEAR, s->affine, tile, corner, &b);
    else
        scatter_tile(s, s->degree_to_grid, s->affine, tile, corner, &b);
    flush(s, corner, &b);
}

typedef struct p2g_args {
    X(sim) *s;
    const int *tiles;
    char *scratch; /* one part per worker */
} p2g_args;

/* By p2g_linear or p2g_affine, which sum the density too. */
static bool is_fast(const X(sim) *s)
{
    return s->degree_to_grid == KERNEL_LINEAR && s->affine != AFFINE_APIC;
}

static void p2g_range(void *user, size_t begin, size_t end, int worker)
{
    p2g_args *args = user;
    X(sim) *s = args->s;
    char *scratch = args->scratch + (size_t)worker * DEV(tile_scratch)();
    float *density = DEV(density_sums)(s);
    for (size_t k = begin; k < end; k++) {
        if (!is_fast(s))
            p2g_general(s, args->tiles[k]);
        else if (s->affine)
            DEV(p2g_affine)(s, args->tiles[k], scratch, density);
        else
            DEV(p2g_linear)(s, args->tiles[k], scratch, true, density);
    }
}

static void zero_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    X(sim) *s = user;
    float *density = DEV(density_sums)(s);
    for (size_t k = begin; k < end; k++) {
        size_t active = (size_t)s->tiles.active_count;
        size_t base =
            X(tile_index)(&s->grid, k < active ? s->tiles.active[k] : s->tiles.border[k - active]);
        for (int r = 0; r < TILE_ROWS; r++) {
            size_t row = base + X(row_offset)(&s->grid, r);
            FOR_DIM(d) {
                memset(s->u[d] + row, 0, TILE * sizeof(float));
                memset(s->weight[d] + row, 0, TILE * sizeof(float));
            }
            if (density)
                memset(density + row, 0, TILE * sizeof(float));
        }
    }
}

static void normalise_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    X(sim) *s = user;
    const X(grid) *g = &s->grid;
    for (size_t k = begin; k < end; k++) {
        int t[DIM];
        X(tile_coordinates)(g, s->tiles.faces[k], t);
        size_t base = X(tile_index)(g, s->tiles.faces[k]);
        for (int r = 0; r < TILE_ROWS; r++) {
            if (!X(row_has_faces)(g, t, r))
                continue;
            size_t row = base + X(row_offset)(g, r);
            FOR_DIM(d) {
                float *u = s->u[d] + row, *u_old = s->u_old[d] + row;
                const float *weight = s->weight[d] + row;
                FOR_EIGHTS(i) {
                    f8 w = load(weight + i), mean = where_positive(w, load(u + i) / w);
                    store(u + i, mean);
                    store(u_old + i, mean);
                }
            }
        }
    }
}

void DEV(particles_to_grid)(X(sim) *s)
{
    sp_pool *pool = s->common->pool;
    const X(tiles) *t = &s->tiles;
    sp_arena arena = X(arena)(s);
    char *scratch = sp_arena_take(&arena, (size_t)sp_pool_threads(pool), DEV(tile_scratch)());
    sp_parallel_for(pool, (size_t)(t->active_count + t->border_count), 8, zero_range, s);
    sp_pool_work(pool)->passes++;
    for (int colour = 0; colour < COLOURS; colour++) {
        p2g_args args = {s, t->liquid + t->colour_start[colour], scratch};
        size_t count = (size_t)(t->colour_start[colour + 1] - t->colour_start[colour]);
        sp_parallel_for(pool, count, 1, p2g_range, &args);
    }
    FOR_DIM(d)
        X(fold_border)(s, s->u[d], s->weight[d], d);
    sp_parallel_for(pool, (size_t)t->face_count, 8, normalise_range, s);
    s->density_summed = DEV(density_sums)(s) && is_fast(s);
}
