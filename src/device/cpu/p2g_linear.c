/* p2g_linear.c -- the sums of P2G for the linear kernel, all components and the density in one go.
 *
 * The hat function phi(x) = max(0, 1 - |x|) is a sum of hats of half its width:
 *
 *     phi(x) = 1/2 phi(2x + 1) + phi(2x) + 1/2 phi(2x - 1).
 *
 * Faces of every component lie on the lattice of spacing dx/2, at even or odd places of each axis.
 * So a particle hands (1, v) to the 2^DIM nodes of that lattice around it, once for all components,
 * one short vector per node; then each face takes the nodes around it with weights 1/2, 1, 1/2
 * along each axis: sum w of its kernel, and sum w v. That is the same sum as with the hats of full
 * width, with a third of the work per particle. All weights are positive: nothing cancels, and a
 * face that a single particle barely reaches still gets exactly its share. The middles of cells are
 * odd places along all axes: the same sums there are the density that SURFACE needs.
 *
 * The lattice of a tile stays in the cache. Only the part of it between the first and the last
 * particle along the slowest axis is cleared and read. */
#include "device/cpu/lanes.h"
#include "device/device.h"

#define FINE (2 * TILE + 1) /* places of the lattice along an axis of a tile */
#define FINE_PLANE (FINE * LAST(FINE))
#define PAD 2 /* zeros on both sides of a row, for the faces that reach beyond it */

typedef float quad __attribute__((vector_size(16))); /* sum of w, and of w v along each axis */

typedef struct lattice {
    quad node[FINE * FINE_PLANE];
    quad plane[FINE_PLANE];
    quad row[PAD + FINE + PAD];
} lattice;

size_t X(device_scratch)(void)
{
    size_t sort = X(sort_scratch)(), bytes = sizeof(lattice) > sort ? sizeof(lattice) : sort;
    return (bytes + 63) / 64 * 64;
}

/* ---- particles to the lattice */

/* Where eight particles lie on the lattice: shares of the two nodes along each axis, first node. */
typedef struct places {
    floats low[DIM], high[DIM];
    int32_t node[LANES];
} places;

LANE_FN void find_places(const X(particles) *p, const int corner[DIM], uint32_t k, uint32_t n,
                         places *at)
{
    ints node = {0};
    for (int d = DIM - 1; d >= 0; d--) {
        floats x = 2.0f * (lanes_load(p->x[d] + k, n) - (float)corner[d]);
        ints i = __builtin_convertvector(x, ints);
        i &= i > 0;
        i += (FINE - 2 - i) & (i > FINE - 2); /* a particle at the very end of the domain */
        at->high[d] = x - __builtin_convertvector(i, floats);
        at->low[d] = 1.0f - at->high[d];
        node = node * FINE + i;
    }
    memcpy(at->node, &node, sizeof node);
}

/* (1, v) of eight particles. */
LANE_FN void find_momenta(const X(particles) *p, uint32_t k, uint32_t n, quad momentum[LANES])
{
    floats one = lanes_of(1.0f), x = lanes_load(p->v[0] + k, n), y = lanes_load(p->v[1] + k, n);
    floats z = DIM == 3 ? lanes_load(p->v[DIM - 1] + k, n) : lanes_of(0.0f);
    floats low01 = __builtin_shufflevector(one, x, 0, 8, 1, 9, 4, 12, 5, 13);
    floats high01 = __builtin_shufflevector(one, x, 2, 10, 3, 11, 6, 14, 7, 15);
    floats low23 = __builtin_shufflevector(y, z, 0, 8, 1, 9, 4, 12, 5, 13);
    floats high23 = __builtin_shufflevector(y, z, 2, 10, 3, 11, 6, 14, 7, 15);
    floats pairs[4] = {__builtin_shufflevector(low01, low23, 0, 1, 8, 9, 4, 5, 12, 13),
                       __builtin_shufflevector(low01, low23, 2, 3, 10, 11, 6, 7, 14, 15),
                       __builtin_shufflevector(high01, high23, 0, 1, 8, 9, 4, 5, 12, 13),
                       __builtin_shufflevector(high01, high23, 2, 3, 10, 11, 6, 7, 14, 15)};
    for (int m = 0; m < 4; m++) {
        momentum[m] = __builtin_shufflevector(pairs[m], pairs[m], 0, 1, 2, 3);
        momentum[m + 4] = __builtin_shufflevector(pairs[m], pairs[m], 4, 5, 6, 7);
    }
}

static void give_to_lattice(const X(sim) *s, int tile, const int corner[DIM], lattice *l)
{
    const X(particles) *p = &s->particles;
    uint32_t end = s->tiles.start[tile + 1], n;
    for (uint32_t k = s->tiles.start[tile]; k < end; k += n) {
        n = end - k < LANES ? end - k : LANES;
        places at;
        quad momentum[LANES];
        floats lines[4]; /* shares of the lines along x: axes y and z together */
        find_places(p, corner, k, n, &at);
        find_momenta(p, k, n, momentum);
        lines[0] = DIM == 3 ? at.low[1] * at.low[DIM - 1] : at.low[1];
        lines[1] = DIM == 3 ? at.high[1] * at.low[DIM - 1] : at.high[1];
        lines[2] = DIM == 3 ? at.low[1] * at.high[DIM - 1] : lanes_of(0.0f);
        lines[3] = DIM == 3 ? at.high[1] * at.high[DIM - 1] : lanes_of(0.0f);
        for (uint32_t lane = 0; lane < n; lane++) {
            quad *node = l->node + at.node[lane];
            quad left = at.low[0][lane] * momentum[lane], right = at.high[0][lane] * momentum[lane];
            for (int line = 0; line < LAST(2) * 2; line++) {
                quad *first = node + (line & 1) * FINE + (line >> 1) * FINE_PLANE;
                first[0] += lines[line][lane] * left;
                first[1] += lines[line][lane] * right;
            }
        }
    }
}

/* ---- the lattice to the faces */

/* Lines of `count` quads, [low, high] of them known: 1/2, 1, 1/2 around line `centre`, which may
 * lie one beyond the ends. */
static inline void restrict_lines(const quad *from, int count, int centre, int low, int high,
                                  quad *restrict to)
{
    static const quad nothing[FINE_PLANE];
    const quad *before = centre > low ? from + (centre - 1) * count : nothing;
    const quad *here = centre >= low && centre <= high ? from + centre * count : nothing;
    const quad *after = centre < high ? from + (centre + 1) * count : nothing;
    int k = 0;
    for (; k + 2 <= count; k += 2) { /* two quads fill a vector */
        floats a, b, c;
        memcpy(&a, before + k, sizeof a);
        memcpy(&b, here + k, sizeof b);
        memcpy(&c, after + k, sizeof c);
        a = 0.5f * (a + c) + b;
        memcpy(to + k, &a, sizeof a);
    }
    for (; k < count; k++)
        to[k] = 0.5f * (before[k] + after[k]) + here[k];
}

/* A row of faces of component d, from the row of the lattice; `index` is that of the tile's first
 * face of the row. */
static void give_row(X(sim) *s, const quad *row, int d, size_t index)
{
    float sum[TILE + 2], weight[TILE + 2];
    int first = d == 0 ? 0 : -1, count = TILE + 1 - first;
    for (int i = 0; i < count; i++) {
        const quad *here = row + PAD + 2 * (i + first) + (d != 0);
        quad q = 0.5f * (here[-1] + here[1]) + here[0];
        weight[i] = q[0];
        sum[i] = q[d + 1];
    }
    float *to_sum = s->u[d] + index + first, *to_weight = s->weight[d] + index + first;
    for (int i = 0; i < count; i++) {
        to_sum[i] += sum[i];
        to_weight[i] += weight[i];
    }
}

/* What a row of the lattice is for. */
typedef struct wanted {
    bool faces;
    float *density; /* may be NULL */
} wanted;

/* The middles of cells lie on the rows of the faces across x, between them. */
static void give_density(float *density, const quad *row, size_t index)
{
    float *to = density + index - 1;
    for (int i = 0; i < TILE + 2; i++) {
        const quad *here = row + PAD + 2 * i - 1;
        to[i] += 0.5f * (here[-1][0] + here[1][0]) + here[0][0];
    }
}

static void use_row(X(sim) *s, const wanted *want, const quad *row, int d, size_t index)
{
    if (want->faces)
        give_row(s, row, d, index);
    if (d == 0 && want->density)
        give_density(want->density, row, index);
}

/* Rows of component d from a plane of the lattice; `index`: the tile's first face of the plane. */
static void give_plane(X(sim) *s, const wanted *want, lattice *l, const quad *plane, int d,
                       size_t index)
{
    for (int j = d == 1 ? 0 : -1; j <= TILE; j++) {
        restrict_lines(plane, FINE, 2 * j + (d != 1), 0, FINE - 1, l->row + PAD);
        use_row(s, want, l->row, d, (size_t)((ptrdiff_t)index + j * (ptrdiff_t)s->grid.stride[1]));
    }
}

/* The planes low .. high of the lattice (rows in 2D) hold something. */
static void give_to_grid(X(sim) *s, const wanted *want, const int corner[DIM], int low, int high,
                         lattice *l)
{
    quad *plane = DIM == 3 ? l->plane : l->row + PAD;
    for (int centre = low - 1; centre <= high + 1; centre++) {
        /* along the slowest axis: faces across it at even places, all others at odd ones */
        bool across = centre % 2 == 0;
        int first[DIM];
        FOR_DIM(d)
            first[d] = corner[d];
        first[DIM - 1] += across ? centre / 2 : (centre - 1) / 2;
        size_t index = X(index)(&s->grid, first);
        restrict_lines(l->node, FINE_PLANE, centre, low, high, plane);
        for (int d = 0; d < DIM; d++) {
            if ((d == DIM - 1) != across || (d != 0 && !want->faces))
                continue;
            if (DIM == 3)
                give_plane(s, want, l, plane, d, index);
            else
                use_row(s, want, l->row, d, index);
        }
    }
}

/* Cell of particle k along the slowest axis, counted in its tile. */
static int slow_cell(const X(sim) *s, const int corner[DIM], uint32_t k)
{
    int c = X(floor)(s->particles.x[DIM - 1][k]) - corner[DIM - 1];
    return c < 0 ? 0 : c < TILE ? c : TILE - 1;
}

void X(p2g_linear)(X(sim) *s, int tile, void *scratch, bool faces, float *density)
{
    lattice *l = scratch;
    wanted want = {faces, density};
    int corner[DIM];
    X(tile_cell)(&s->grid, tile, corner);
    /* particles are sorted: the first and the last one bound the slowest axis */
    int low = 2 * slow_cell(s, corner, s->tiles.start[tile]);
    int high = 2 * slow_cell(s, corner, s->tiles.start[tile + 1] - 1) + 2;
    memset(l->node + low * FINE_PLANE, 0, (size_t)(high + 1 - low) * FINE_PLANE * sizeof(quad));
    memset(l->row, 0, sizeof l->row);
    give_to_lattice(s, tile, corner, l);
    give_to_grid(s, &want, corner, low, high, l);
}
