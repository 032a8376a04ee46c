/* p2g_affine.c -- the sums of P2G for the linear kernel and particles with a gradient, which offer
 *
 *     v + c (x_face - x)
 *
 * to a face, so that a face is offered something else than its neighbour. The lattice of
 * p2g_linear.c would have to hold (v, c) of every node, 1 + DIM + DIM^2 numbers. Here a particle
 * gives to the 2^DIM faces of a component around it, which are the corners of a *box* of the
 * staggered grid. The sums of a box stand together, (w, w v) of all its corners: one or two vectors
 * of the machine, to which a particle adds its shares at once. Boxes of neighbours have corners in
 * common; their sums meet when the tile is done, eight boxes of a row at a time. The boxes between
 * the middles of cells hold the density that SURFACE needs. */
#include "cpu.h"
#include "simd.h"

#define SIDE (TILE + 1) /* boxes along an axis of a tile, from half a cell before it */
#define BOXES (SIDE * SIDE * LAST(SIDE))
#define CORNERS (1 << DIM) /* of a box: bit a of its number is the place along axis a */

typedef float corners __attribute__((vector_size(4 * CORNERS)));

typedef struct box {
    corners weight, sum; /* of w, and of w times what is offered */
} box;

typedef struct boxes {
    box face[DIM][BOXES];
    corners cell[BOXES]; /* number of particles */
} boxes;

size_t DEV(affine_scratch)(void)
{
    return sizeof(boxes);
}

/* ---- particles to boxes */

/* Eight particles: where they are between the faces across an axis and between the middles of
 * cells, their boxes, and what they offer to the first corner. */
typedef struct bunch {
    float whole[DIM][LANES], half[DIM][LANES]; /* way from the first place, 0 .. 1 */
    float offer[DIM][LANES];
    int32_t face[DIM][LANES], cell[LANES];
} bunch;

SIMD_FN void prepare(const X(particles) *p, const int corner[DIM], uint32_t k, uint32_t n, bunch *b)
{
    f8 whole[DIM], half[DIM];
    i8 first[DIM], cell = {0};
    int32_t stride = 1;
    FOR_DIM(a) {
        f8 x = load_n(p->x[a] + k, n) - (float)corner[a], y = x + 0.5f;
        i8 i = convert(x, i8), j = convert(y, i8);
        i &= i > 0;
        i += (TILE - 1 - i) & (i > TILE - 1); /* a particle at the very end of the domain */
        j &= j > 0;
        j += (TILE - j) & (j > TILE);
        whole[a] = x - convert(i, f8);
        half[a] = y - convert(j, f8);
        first[a] = (i - j) * stride;
        cell += j * stride;
        stride *= SIDE;
        memcpy(b->whole[a], &whole[a], sizeof whole[a]);
        memcpy(b->half[a], &half[a], sizeof half[a]);
    }
    memcpy(b->cell, &cell, sizeof cell);
    FOR_DIM(d) {
        i8 face = cell + first[d];
        f8 offer = load_n(p->v[d] + k, n);
        FOR_DIM(a)
            offer -= load_n(p->c[d * DIM + a] + k, n) * (a == d ? whole[a] : half[a]);
        memcpy(b->face[d], &face, sizeof face);
        memcpy(b->offer[d], &offer, sizeof offer);
    }
}

SIMD_FN corners spread(float x)
{
    return x - (corners){0};
}

/* 0 at the first corners along an axis, 1 at the second ones. */
SIMD_FN corners second(int axis)
{
    static const float at[3][8] = {
        {0, 1, 0, 1, 0, 1, 0, 1}, {0, 0, 1, 1, 0, 0, 1, 1}, {0, 0, 0, 0, 1, 1, 1, 1}};
    corners v;
    memcpy(&v, at[axis], sizeof v);
    return v;
}

/* 1 - x at the first corners, x at the second ones. */
SIMD_FN corners shares(float x, int axis)
{
    corners one = spread(1.0f), at = second(axis);
    return (one - at) + (at + at - one) * spread(x);
}

SIMD_FN void give_one(const X(particles) *p, const bunch *b, uint32_t k, uint32_t lane,
                      bool density, boxes *to)
{
    corners whole[DIM], half[DIM];
    FOR_DIM(a) {
        whole[a] = shares(b->whole[a][lane], a);
        half[a] = shares(b->half[a][lane], a);
    }
    FOR_DIM(d) {
        corners w = (d == 0 ? whole[0] : half[0]) * (d == 1 ? whole[1] : half[1]);
        if (DIM == 3)
            w *= d == 2 ? whole[DIM - 1] : half[DIM - 1];
        corners offer = spread(b->offer[d][lane]);
        FOR_DIM(a)
            offer += second(a) * spread(p->c[d * DIM + a][k + lane]);
        box *at = &to->face[d][b->face[d][lane]];
        at->weight += w;
        at->sum += w * offer;
    }
    if (density) {
        corners w = half[0] * half[1];
        to->cell[b->cell[lane]] += DIM == 3 ? w * half[DIM - 1] : w;
    }
}

SIMD_FN void give_to_boxes(const X(sim) *s, int tile, const int corner[DIM], bool density,
                           boxes *to)
{
    const X(particles) *p = &s->particles;
    uint32_t end = s->tiles.start[tile + 1], n;
    bunch b;
    for (uint32_t k = s->tiles.start[tile]; k < end; k += n) {
        n = end - k < LANES ? end - k : LANES;
        prepare(p, corner, k, n, &b);
        for (uint32_t lane = 0; lane < n; lane++)
            give_one(p, &b, k, lane, density, to);
    }
}

/* ---- boxes to the grid */

#define VECTORS (TILE / LANES)

SIMD_FN void add_lanes(float *to, f8 v)
{
    store_n(to, load_n(to, LANES) + v, LANES);
}

/* Four corners of each box of a row, `step` floats from box to box, to two rows of places; `last`:
 * the row has a box more than the tile has cells. */
SIMD_FN void give_row(const float *from, int step, bool last, float *const to[2])
{
    f8 before[2] = {{0}};
    for (int v = 0; v < VECTORS; v++) {
        const float *first = from + LANES * v * step;
        f8 r[4];
        for (int k = 0; k < 4; k++)
            r[k] = f8_join(f4_load(first + k * step), f4_load(first + (k + 4) * step));
        transpose4(r);
        for (int j = 0; j < 2; j++) {
            f8 left = shuffle(before[j], r[2 * j + 1], 7, 8, 9, 10, 11, 12, 13, 14);
            add_lanes(to[j] + LANES * v, r[2 * j] + left);
            before[j] = r[2 * j + 1];
        }
    }
    for (int j = 0; j < 2; j++) {
        const float *extra = from + TILE * step + 2 * j;
        to[j][TILE] += last ? before[j][LANES - 1] + extra[0] : before[j][LANES - 1];
        if (last)
            to[j][TILE + 1] += extra[1];
    }
}

/* Boxes low .. high of a tile along y and z. */
typedef struct bounds {
    int low[3], high[3];
} bounds;

/* Those of component d (DIM: between the middles of cells) that the rows of cells with particles
 * reach. */
SIMD_FN bounds bounds_of(const bounds *rows, int d)
{
    bounds b = *rows;
    for (int a = 1; a < DIM; a++)
        b.high[a] += a != d;
    return b;
}

/* Rows of boxes with `size` floats each, numbers of `from` on, to the array of component d. */
SIMD_FN void give_rows(const X(grid) *g, const float *from, int size, const bounds *rows, int d,
                       const int corner[DIM], float *to)
{
    bounds b = bounds_of(rows, d);
    for (int m = DIM == 3 ? b.low[2] : 0; m <= (DIM == 3 ? b.high[2] : 0); m++)
        for (int j = b.low[1]; j <= b.high[1]; j++) {
            int at[3] = {0, j, m}, first[DIM];
            FOR_DIM(a)
                first[a] = corner[a] + at[a] - (a != d);
            float *row = to + X(index)(g, first);
            for (int k = 0; k < LAST(2); k++) { /* the corners of a plane */
                float *const pair[2] = {row + (size_t)k * g->stride[2],
                                        row + (size_t)k * g->stride[2] + g->stride[1]};
                give_row(from + (j + m * SIDE) * SIDE * size + 4 * k, size, d != 0, pair);
            }
        }
}

static void clear(boxes *to, const bounds *rows, int d)
{
    bounds b = bounds_of(rows, d);
    size_t lines = (size_t)(b.high[1] + 1 - b.low[1]) * SIDE;
    for (int m = DIM == 3 ? b.low[2] : 0; m <= (DIM == 3 ? b.high[2] : 0); m++) {
        int first = (b.low[1] + m * SIDE) * SIDE;
        if (d < DIM)
            memset(to->face[d] + first, 0, lines * sizeof(box));
        else
            memset(to->cell + first, 0, lines * sizeof(corners));
    }
}

void DEV(p2g_affine)(X(sim) *s, int tile, void *scratch, float *density)
{
    boxes *sums = scratch;
    bounds rows;
    int corner[DIM];
    X(tile_cell)(&s->grid, tile, corner);
    DEV(rows_with_particles)(s, tile, rows.low, rows.high);
    for (int d = 0; d < DIM + (density != NULL); d++)
        clear(sums, &rows, d);
    if (density)
        give_to_boxes(s, tile, corner, true, sums);
    else
        give_to_boxes(s, tile, corner, false, sums);
    FOR_DIM(d) {
        const float *from = (const float *)sums->face[d];
        give_rows(&s->grid, from, 2 * CORNERS, &rows, d, corner, s->weight[d]);
        give_rows(&s->grid, from + CORNERS, 2 * CORNERS, &rows, d, corner, s->u[d]);
    }
    if (density)
        give_rows(&s->grid, (const float *)sums->cell, CORNERS, &rows, DIM, corner, density);
}
