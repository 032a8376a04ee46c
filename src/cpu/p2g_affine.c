/* p2g_affine.c -- the sums of P2G for the linear kernel and particles with a gradient, which offer
 *
 *     v + c (x_face - x)
 *
 * to a face, so that a face is offered something else than its neighbour. The lattice of
 * p2g_linear.c would have to hold (v, c) of every node, 1 + DIM + DIM^2 numbers. Here a particle
 * gives (w, w v) to the corners of a box (boxes.h) of each component: one or two vectors of the
 * machine. The boxes between the middles of cells hold the density that SURFACE needs. */
#include "boxes.h"

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

/* ---- a tile */

void DEV(p2g_affine)(X(sim) *s, int tile, void *scratch, float *density)
{
    boxes *sums = scratch;
    bounds rows;
    int corner[DIM];
    X(tile_cell)(&s->grid, tile, corner);
    DEV(rows_with_particles)(s, tile, rows.low, rows.high);
    FOR_DIM(d)
        clear_boxes(sums->face[d], sizeof(box), &rows, d);
    if (density)
        clear_boxes(sums->cell, sizeof(corners), &rows, DIM);
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
