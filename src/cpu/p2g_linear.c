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
 * The lattice of a tile stays in the cache. Only the box of it that the rows of cells with
 * particles reach is cleared and read. */
#include "cpu.h"
#include "simd.h"

#define FINE (2 * TILE + 1) /* places of the lattice along an axis of a tile */
#define FINE_PLANE (FINE * LAST(FINE))

typedef struct lattice {
    f4 node[FINE * FINE_PLANE]; /* sum of w, and of w v along each axis */
    f4 plane[FINE_PLANE];
    f4 row[FINE];
} lattice;

size_t DEV(tile_scratch)(void)
{
    size_t sort = DEV(sort_scratch)(), affine = DEV(affine_scratch)();
    size_t bytes = sizeof(lattice) > sort ? sizeof(lattice) : sort;
    bytes = affine > bytes ? affine : bytes;
    return (bytes + 63) / 64 * 64;
}

/* ---- particles to the lattice */

/* Where eight particles lie on the lattice: shares of the two nodes along each axis, first node. */
typedef struct places {
    f8 low[DIM], high[DIM];
    int32_t node[LANES];
} places;

SIMD_FN void find_places(const X(particles) *p, const int corner[DIM], uint32_t k, uint32_t n,
                         places *at)
{
    i8 node = {0};
    for (int d = DIM - 1; d >= 0; d--) {
        f8 x = 2.0f * (load_n(p->x[d] + k, n) - (float)corner[d]);
        i8 i = convert(x, i8);
        i &= i > 0;
        i += (FINE - 2 - i) & (i > FINE - 2); /* a particle at the very end of the domain */
        at->high[d] = x - convert(i, f8);
        at->low[d] = 1.0f - at->high[d];
        node = node * FINE + i;
    }
    memcpy(at->node, &node, sizeof node);
}

/* (1, v) of eight particles. */
SIMD_FN void find_momenta(const X(particles) *p, uint32_t k, uint32_t n, f4 momentum[LANES])
{
    f8 one = f8_of(1.0f), x = load_n(p->v[0] + k, n), y = load_n(p->v[1] + k, n);
    f8 z = DIM == 3 ? load_n(p->v[DIM - 1] + k, n) : f8_of(0.0f);
    f8 rows[4] = {one, x, y, z};
    transpose4(rows);
    for (int m = 0; m < 4; m++) {
        momentum[m] = shuffle(rows[m], rows[m], 0, 1, 2, 3);
        momentum[m + 4] = shuffle(rows[m], rows[m], 4, 5, 6, 7);
    }
}

/* Eight particles ready to be given: where, (1, v), and the shares of the lines along x. */
typedef struct bunch {
    places at;
    f4 momentum[LANES];
    f8 lines[4];
    uint32_t n;
} bunch;

SIMD_FN void prepare(const X(particles) *p, const int corner[DIM], uint32_t k, uint32_t n, bunch *b)
{
    const places *at = &b->at;
    find_places(p, corner, k, n, &b->at);
    find_momenta(p, k, n, b->momentum);
    b->lines[0] = DIM == 3 ? at->low[1] * at->low[DIM - 1] : at->low[1];
    b->lines[1] = DIM == 3 ? at->high[1] * at->low[DIM - 1] : at->high[1];
    b->lines[2] = DIM == 3 ? at->low[1] * at->high[DIM - 1] : f8_of(0.0f);
    b->lines[3] = DIM == 3 ? at->high[1] * at->high[DIM - 1] : f8_of(0.0f);
    b->n = n;
}

SIMD_FN void give_one(const bunch *b, uint32_t lane, lattice *l)
{
    f4 *node = l->node + b->at.node[lane];
    f8 both =
        f8_join(b->at.low[0][lane] * b->momentum[lane], b->at.high[0][lane] * b->momentum[lane]);
    for (int line = 0; line < LAST(2) * 2; line++) {
        f4 *first = node + (line & 1) * FINE + (line >> 1) * FINE_PLANE;
        f8 sum;
        memcpy(&sum, first, sizeof sum);
        sum += b->lines[line][lane] * both;
        memcpy(first, &sum, sizeof sum);
    }
}

/* Neighbours in the list give to the same nodes, and a sum that is on its way to memory cannot be
 * read back in other parts than it was written in: the processor waits. Therefore BUNCHES bunches,
 * about as many cells of a row, give one particle each by turns, and no cell follows its
 * neighbour. */
#define BUNCHES 8

static void give_to_lattice(const X(sim) *s, int tile, const int corner[DIM], lattice *l)
{
    const X(particles) *p = &s->particles;
    uint32_t begin = s->tiles.start[tile], count = s->tiles.start[tile + 1] - begin;
    bunch b[BUNCHES];
    for (uint32_t k = 0; k < count; k += BUNCHES * LANES) {
        bool full = true;
        for (uint32_t m = 0; m < BUNCHES; m++) {
            uint32_t at = k + m * LANES, n = at < count ? count - at : 0;
            b[m].n = 0;
            full = full && n >= LANES;
            if (n > 0)
                prepare(p, corner, begin + at, n < LANES ? n : LANES, &b[m]);
        }
        for (uint32_t lane = 0; lane < LANES; lane++)
            for (uint32_t turn = 0; turn < BUNCHES; turn++) {
                uint32_t m = turn * 3 % BUNCHES;
                if (full || lane < b[m].n)
                    give_one(&b[m], lane, l);
            }
    }
}

/* ---- the lattice to the faces */

/* Lines of `count` nodes, low .. high of them known: 1/2, 1, 1/2 around line `centre`, which may
 * lie one beyond the ends; the nodes [begin, end) of it. */
static inline void restrict_lines(const f4 *from, int count, int centre, int low, int high,
                                  int begin, int end, f4 *restrict to)
{
    static const f4 nothing[FINE_PLANE];
    const f4 *before = centre > low ? from + (centre - 1) * count : nothing;
    const f4 *here = centre >= low && centre <= high ? from + centre * count : nothing;
    const f4 *after = centre < high ? from + (centre + 1) * count : nothing;
    int k = begin;
    for (; k + 2 <= end; k += 2) { /* two nodes fill a vector */
        f8 a, b, c;
        memcpy(&a, before + k, sizeof a);
        memcpy(&b, here + k, sizeof b);
        memcpy(&c, after + k, sizeof c);
        a = 0.5f * (a + c) + b;
        memcpy(to + k, &a, sizeof a);
    }
    for (; k < end; k++)
        to[k] = 0.5f * (before[k] + after[k]) + here[k];
}

/* One value of a row: that of its even places 0, 2, ..., of its odd ones 1, 3, ..., and of the last
 * even one. There is nothing beyond. */
#define VECTORS (TILE / LANES)
typedef struct line {
    f8 even[VECTORS], odd[VECTORS];
    float last;
} line;

SIMD_FN void take_line(const f4 *row, int value, line *l)
{
    for (int v = 0; v < VECTORS; v++) {
        const f4 *from = row + 2 * LANES * v;
        f8 even[4], odd[4];
        for (int k = 0; k < 4; k++) {
            even[k] = f8_join(from[2 * k], from[2 * k + 8]);
            odd[k] = f8_join(from[2 * k + 1], from[2 * k + 9]);
        }
        transpose4(even);
        transpose4(odd);
        l->even[v] = even[value];
        l->odd[v] = odd[value];
    }
    l->last = row[2 * TILE][value];
}

SIMD_FN void add_lanes(float *to, f8 v)
{
    store_n(to, load_n(to, LANES) + v, LANES);
}

/* Adds the sums 1/2, 1, 1/2 around the even places to `to`, TILE + 1 of them. */
SIMD_FN void add_even(const line *l, float *to)
{
    for (int v = 0; v < VECTORS; v++) {
        f8 left = v > 0 ? l->odd[v - 1] : f8_of(0.0f);
        left = shuffle(left, l->odd[v], 7, 8, 9, 10, 11, 12, 13, 14);
        add_lanes(to + LANES * v, 0.5f * (left + l->odd[v]) + l->even[v]);
    }
    to[TILE] += 0.5f * l->odd[VECTORS - 1][LANES - 1] + l->last;
}

/* The same around the odd places, with one beyond either end: TILE + 2 from to[-1] on. */
SIMD_FN void add_odd(const line *l, float *to)
{
    to[-1] += 0.5f * l->even[0][0];
    for (int v = 0; v < VECTORS; v++) {
        f8 right = v + 1 < VECTORS ? l->even[(v + 1) % VECTORS] : f8_of(l->last);
        right = shuffle(l->even[v], right, 1, 2, 3, 4, 5, 6, 7, 8);
        add_lanes(to + LANES * v, 0.5f * (l->even[v] + right) + l->odd[v]);
    }
    to[TILE] += 0.5f * l->last;
}

/* What a row of the lattice is for. */
typedef struct wanted {
    bool faces;
    float *density; /* may be NULL */
} wanted;

/* A row of faces of component d, from the row of the lattice; `index` is that of the tile's first
 * face of the row. The middles of cells lie on the rows of the faces across x, between them. */
SIMD_FN void use_row(X(sim) *s, const wanted *want, const f4 *row, int d, size_t index)
{
    line weight, sum;
    take_line(row, 0, &weight);
    if (d == 0 && want->density)
        add_odd(&weight, want->density + index);
    if (!want->faces)
        return;
    take_line(row, d + 1, &sum);
    if (d == 0) {
        add_even(&weight, s->weight[d] + index);
        add_even(&sum, s->u[d] + index);
    } else {
        add_odd(&weight, s->weight[d] + index);
        add_odd(&sum, s->u[d] + index);
    }
}

/* Lines and planes low .. high of the lattice along y and z that hold something. */
typedef struct bounds {
    int low[3], high[3];
} bounds;

/* Rows of component d from a plane of the lattice; `index`: the tile's first face of the plane. */
SIMD_FN void give_plane(X(sim) *s, const wanted *want, lattice *l, const bounds *b, const f4 *plane,
                        int d, size_t index)
{
    for (int j = d == 1 ? 0 : -1; j <= TILE; j++) {
        int centre = 2 * j + (d != 1);
        if (centre < b->low[1] - 1 || centre > b->high[1] + 1)
            continue;
        restrict_lines(plane, FINE, centre, b->low[1], b->high[1], 0, FINE, l->row);
        use_row(s, want, l->row, d, (size_t)((ptrdiff_t)index + j * (ptrdiff_t)s->grid.stride[1]));
    }
}

static void give_to_grid(X(sim) *s, const wanted *want, const int corner[DIM], const bounds *b,
                         lattice *l)
{
    f4 *plane = DIM == 3 ? l->plane : l->row;
    int low = b->low[DIM - 1], high = b->high[DIM - 1];
    int begin = DIM == 3 ? b->low[1] * FINE : 0, end = DIM == 3 ? (b->high[1] + 1) * FINE : FINE;
    for (int centre = low - 1; centre <= high + 1; centre++) {
        /* along the slowest axis: faces across it at even places, all others at odd ones */
        bool across = centre % 2 == 0;
        int first[DIM];
        FOR_DIM(d)
            first[d] = corner[d];
        first[DIM - 1] += across ? centre / 2 : (centre - 1) / 2;
        size_t index = X(index)(&s->grid, first);
        restrict_lines(l->node, FINE_PLANE, centre, low, high, begin, end, plane);
        FOR_DIM(d) { /* unrolled: every component has code of its own */
            if ((d == DIM - 1) != across || (d != 0 && !want->faces))
                continue;
            if (DIM == 3)
                give_plane(s, want, l, b, plane, d, index);
            else
                use_row(s, want, l->row, d, index);
        }
    }
}

/* From the rows of cells that hold particles. */
static bounds find_bounds(const X(sim) *s, int tile)
{
    int low[3], high[3];
    DEV(rows_with_particles)(s, tile, low, high);
    bounds b = {{0, 2 * low[1], 2 * low[2]}, {0, 2 * high[1] + 2, 2 * high[2] + 2}};
    return b;
}

static void clear(lattice *l, const bounds *b)
{
    size_t lines = (size_t)(b->high[1] + 1 - b->low[1]);
    for (int k = DIM == 3 ? b->low[2] : 0; k <= (DIM == 3 ? b->high[2] : 0); k++)
        memset(l->node + k * FINE_PLANE + b->low[1] * FINE, 0, lines * FINE * sizeof(f4));
}

void DEV(p2g_linear)(X(sim) *s, int tile, void *scratch, bool faces, float *density)
{
    lattice *l = scratch;
    wanted want = {faces, density};
    int corner[DIM];
    X(tile_cell)(&s->grid, tile, corner);
    bounds b = find_bounds(s, tile);
    clear(l, &b);
    give_to_lattice(s, tile, corner, l);
    give_to_grid(s, &want, corner, &b, l);
}
