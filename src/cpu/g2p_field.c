/* g2p_field.c -- the field that G2P reads: forces taken where they acted, half way along the path.
 *
 * A step first takes a particle to x, with its velocity as it was, and then gives it the kick
 * k = u - u_old (pressure, gravity) that the grid finds at x. But the force acted along the path.
 * In water that turns as one body by an angle a per step, the kick found at x points to the axis
 * while the mean of the true one is turned back by a / 2; so every step keeps only cos(a) of
 * the angular momentum, and 100 steps per turn lose 18 % in each turn. The kick from half way back,
 *
 *     k(x - dt/2 u)  ~  k(x) - dt/2 (u . grad) k(x),      dt: of the step that led to x,
 *
 * leaves an error of order a^4. It is a change of second order also elsewhere: water at rest and
 * small waves do not notice.
 *
 * A kick that is to cancel a wave of a few cells must not arrive out of phase, or it feeds the
 * wave. Therefore the correction is taken from k smoothed by (1/4, 1/2, 1/4) along each axis, and
 * the way back is cut off at one cell: of a wave with the phase 2b per cell at most the share 2
 * sin(b) cos(b)^3 <= 0.65 is left then.
 *
 * A particle keeps the share r of what its velocity differs from u_old (g2p.c), v <- r v + f(x),
 * and f = u - r u_old with the kick so corrected is one field, `carried`, read once. It is made
 * where particles read it: in tiles that hold some and in the nearest layers of those around, of
 * which a splash has many more. */
#include "cpu.h"
#include "simd.h"

#include "kernels/g2p.h"

/* Vectors over `count` places of a row, the last of which may lie over the one before: place `i` is
 * the first of each. */
#define FOR_VECTORS(count, i)                     \
    for (int v_ = 0, i = 0; v_ * LANES < (count); \
         v_++, i = (v_ + 1) * LANES <= (count) ? v_ * LANES : (count)-LANES)

/* The rows of cells of a tile that hold particles: low .. high along y and z. */
typedef struct extent {
    int8_t low[3], high[3];
} extent;

typedef struct kick_args {
    X(sim) *s;
    extent *extents; /* per tile, of those that hold particles */
    float half;      /* dt / (2 dx): from m/s to cells of the way back */
    float kept;      /* r */
} kick_args;

/* A kick and where it is known, in a tile and HALO cells around it. */
typedef struct kick_block {
    float kick[BLOCK], other[BLOCK]; /* smoothing goes from one to the other */
    float known[BLOCK], other_known[BLOCK];
} kick_block;

/* ---- where it is read */

/* The rows of a tile that are wanted: [low, high) along y and z; rows of a block, with HALO more on
 * either side, have numbers that are HALO larger. */
typedef struct window {
    int low[3], high[3];
} window;

/* Rows of a block around the window, less `margin` on either side. */
#define FOR_ROWS(w, margin_j, margin_k, j, k)                            \
    for (int k = DIM == 3 ? (w)->low[2] + (margin_k) : 0;                \
         k < (DIM == 3 ? (w)->high[2] + 2 * HALO - (margin_k) : 1); k++) \
        for (int j = (w)->low[1] + (margin_j); j < (w)->high[1] + 2 * HALO - (margin_j); j++)

static bool has_particles(const X(sim) *s, const int t[DIM])
{
    FOR_DIM(a)
        if (t[a] < 0 || t[a] >= s->grid.tiles[a])
            return false;
    const uint32_t *start = s->tiles.start + X(tile_number)(&s->grid, t);
    return start[0] < start[1];
}

static void extent_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const kick_args *args = user;
    for (size_t k = begin; k < end; k++) {
        int tile = args->s->tiles.liquid[k], low[3], high[3];
        DEV(rows_with_particles)(args->s, tile, low, high);
        for (int a = 1; a < DIM; a++) {
            args->extents[tile].low[a] = (int8_t)low[a];
            args->extents[tile].high[a] = (int8_t)high[a];
        }
    }
}

/* Makes the window larger by what the particles of the tile at `offset` read of one. */
static void widen_window(const X(sim) *s, const extent *e, const int offset[3], window *w)
{
    int layers = s->degree == KERNEL_LINEAR ? 1 : 2, low[3], high[3];
    for (int a = 1; a < DIM; a++) {
        low[a] = e->low[a] + offset[a] * TILE - layers;
        high[a] = e->high[a] + offset[a] * TILE + layers + 1;
        low[a] = low[a] > 0 ? low[a] : 0;
        high[a] = high[a] < TILE ? high[a] : TILE;
        if (low[a] >= high[a])
            return;
    }
    for (int a = 1; a < DIM; a++) {
        w->low[a] = low[a] < w->low[a] ? low[a] : w->low[a];
        w->high[a] = high[a] > w->high[a] ? high[a] : w->high[a];
    }
}

/* Whether something of a tile is wanted. Of the border tiles that end the domain one layer counts,
 * and beyond it the array may end. */
static bool find_window(const kick_args *args, const int t[DIM], window *w)
{
    const X(sim) *s = args->s;
    const X(grid) *g = &s->grid;
    bool all = !s->particles.at_home;
    *w = (window){{0, TILE, TILE}, {TILE, 0, 0}};
    FOR_DIM(a)
        all = all || g->periodic[a]; /* what is across a side is not looked for */
    for (int k = 0; k < (DIM == 3 ? 27 : 9); k++) {
        int offset[3] = {k % 3 - 1, k / 3 % 3 - 1, DIM == 3 ? k / 9 - 1 : 0}, near[DIM];
        FOR_DIM(a)
            near[a] = t[a] + offset[a];
        if (!all && has_particles(s, near))
            widen_window(s, &args->extents[X(tile_number)(g, near)], offset, w);
    }
    for (int a = 1; a < DIM; a++) {
        w->low[a] = all ? 0 : w->low[a];
        w->high[a] = all ? TILE : w->high[a];
        if (t[a] == g->tiles[a] - 1)
            w->high[a] = w->high[a] < 1 ? w->high[a] : 1;
        if (w->low[a] >= w->high[a])
            return false;
    }
    return true;
}

/* Border tiles that end the domain have faces across that axis alone; the rest is filled in. */
static bool has_component(const X(grid) *g, const int t[DIM], int d)
{
    bool others = false;
    FOR_DIM(a)
        others = others || (a != d && t[a] == g->tiles[a] - 1);
    return !others;
}

/* k of component d in the rows around the window of a tile. */
static void load_kick(const X(sim) *s, const window *w, size_t base, int d, float *restrict block)
{
    const X(grid) *g = &s->grid;
    FOR_ROWS(w, 0, 0, j, k) {
        size_t row = base - HALO + (size_t)j * g->stride[1] - HALO * g->stride[1];
        row += DIM == 3 ? (size_t)k * g->stride[2] - HALO * g->stride[2] : 0;
        float *to = block + SPAN * (j + SPAN * k);
        FOR_VECTORS(SPAN, i)
            store(to + i, load(s->u[d] + row + i) - load(s->u_old[d] + row + i));
    }
}

/* ---- where EXTRAPOLATE has a velocity of the liquid */

/* The places of a block inside the domain; outside as at the image inside. */
typedef struct block_places {
    int place[3][SPAN];
    bool straight; /* along x they are one after another */
} block_places;

static block_places find_places(const X(sim) *s, const int first[DIM], int d)
{
    block_places b;
    b.straight = true;
    FOR_DIM(a) {
        int low = first[a] - HALO;
        bool inside = low >= 0 && low + SPAN <= s->grid.n[a];
        for (int i = 0; i < SPAN; i++)
            b.place[a][i] = inside ? low + i : X(image_place)(s, a, low + i, a == d);
        for (int i = 0; i < SPAN && a == 0 && !inside; i++)
            b.straight = b.straight && b.place[a][i] == low + i;
    }
    if (DIM == 2)
        b.place[2][0] = 0;
    return b;
}

/* The marks of row (j, k) of a block; in `memory` if they must be brought together. */
static const uint8_t *marks_of_row(const X(sim) *s, const block_places *b, int d, int j, int k,
                                   uint8_t memory[SPAN])
{
    int start[3] = {b->straight ? b->place[0][0] : 0, b->place[1][j], b->place[2][k]};
    const uint8_t *row = s->known[d] + X(index)(&s->grid, start);
    if (b->straight)
        return row;
    for (int i = 0; i < SPAN; i++)
        memory[i] = row[b->place[0][i]];
    return memory;
}

SIMD_FN i8 are_known(const uint8_t *marks)
{
    i8 m = load_bytes(marks);
    return ~(is_equal(m, FACE_UNKNOWN) | is_equal(m, FACE_FIXED));
}

static bool known_everywhere(const X(sim) *s, const window *w, const block_places *b, int d)
{
    uint8_t memory[SPAN];
    FOR_ROWS(w, 0, 0, j, k) {
        const uint8_t *marks = marks_of_row(s, b, d, j, k, memory);
        i8 unknown = {0};
        FOR_VECTORS(SPAN, i)
            unknown |= ~are_known(marks + i);
        if (any(unknown))
            return false;
    }
    return true;
}

/* 1 where known, else 0; and a kick of 0 there. */
static void load_known(const X(sim) *s, const window *w, const block_places *b, int d,
                       kick_block *block)
{
    uint8_t memory[SPAN];
    f8 one = f8_of(1.0f);
    FOR_ROWS(w, 0, 0, j, k) {
        const uint8_t *marks = marks_of_row(s, b, d, j, k, memory);
        int row = SPAN * (j + SPAN * k);
        FOR_VECTORS(SPAN, i) {
            i8 known = are_known(marks + i);
            store(block->known + row + i, where(known, one));
            store(block->kick + row + i, where(known, load(block->kick + row + i)));
        }
    }
}

/* ---- smoothing */

/* One pass of (1/4, 1/2, 1/4) for places 1 .. SPAN - 2 of the rows around the window, without
 * `from_j` of them on either side, and of planes likewise; `step` is the distance of neighbours. */
SIMD_FN void smooth(const window *w, const float *restrict from, float *restrict to, int step,
                    int from_j, int from_k)
{
    FOR_ROWS(w, from_j, from_k, j, k) {
        int row = SPAN * (j + SPAN * k) + 1;
        FOR_VECTORS(SPAN - 2, i) {
            const float *at = from + row + i;
            store(to + row + i, 0.5f * load(at) + 0.25f * (load(at - step) + load(at + step)));
        }
    }
}

/* Along all axes; the result is where this returns. */
static float *smooth_all(const window *w, float *restrict block, float *restrict other)
{
    smooth(w, block, other, 1, 0, 0);
    smooth(w, other, block, SPAN, 1, 0);
    if (DIM == 2)
        return block;
    smooth(w, block, other, SPAN * SPAN, 1, 1);
    return other;
}

/* Smooths over what is known: a kick that is the same everywhere stays so at the rim. */
static void smooth_known(const window *w, float *restrict kick, const float *restrict known)
{
    FOR_ROWS(w, 1, 1, j, k) {
        int row = SPAN * (j + SPAN * k);
        f8 now[SPAN / LANES + 1]; /* all before any is written: they overlap */
        FOR_VECTORS(SPAN - 2, i) {
            f8 share = load(known + row + i + 1);
            now[v_] = where_positive(share, load(kick + row + i + 1) / share);
        }
        FOR_VECTORS(SPAN - 2, i)
            store(kick + row + i + 1, now[v_]);
    }
}

/* ---- the correction */

/* The way back of eight faces of component d, in cells, at most one long. */
SIMD_FN void way_back(const kick_args *args, size_t f, int d, f8 way[DIM])
{
    const X(sim) *s = args->s;
    f8 square = {0};
    FOR_DIM(a) {
        size_t up = s->grid.stride[a], low = s->grid.stride[d];
        const float *u = s->u[a] + f;
        f8 here = load(u);
        if (a != d)
            here = 0.25f * (here + load(u + up) + load(u - low) + load(u - low + up));
        way[a] = args->half * here;
        square += way[a] * way[a];
    }
    if (!any(is_positive(square - 1.0f)))
        return;
    for (int i = 0; i < LANES; i++) {
        float scale = square[i] > 1.0f ? 1.0f / __builtin_sqrtf(square[i]) : 1.0f;
        FOR_DIM(a)
            way[a][i] *= scale;
    }
}

/* Eight faces, whose place in the block is `mid`; known: NULL where all is. */
SIMD_FN void correct_some(const kick_args *args, size_t f, int d, const float *restrict kick,
                          const float *restrict known, int mid)
{
    X(sim) *s = args->s;
    const int step[3] = {1, SPAN, SPAN * SPAN};
    f8 way[DIM], change = {0};
    way_back(args, f, d, way);
    FOR_DIM(a) {
        int up = mid + step[a], down = mid - step[a];
        f8 term = way[a] * (load(kick + up) - load(kick + down));
        if (known)
            term = where(is_positive(load(known + up)) & is_positive(load(known + down)), term);
        change += term;
    }
    f8 now = load(s->u[d] + f) - 0.5f * change;
    store(s->carried[d] + f, now - args->kept * load(s->u_old[d] + f));
}

static void correct(const kick_args *args, const window *w, size_t base, int d,
                    const float *restrict kick, const float *restrict known)
{
    const X(grid) *g = &args->s->grid;
    FOR_ROWS(w, HALO, HALO, j, k) {
        size_t row = base + (size_t)(j - HALO) * g->stride[1];
        row += DIM == 3 ? (size_t)(k - HALO) * g->stride[2] : 0;
        for (int i = 0; i < TILE; i += LANES)
            correct_some(args, row + (size_t)i, d, kick, known, HALO + i + SPAN * (j + SPAN * k));
    }
}

static void kick_tile(const kick_args *args, int tile, kick_block *b)
{
    X(sim) *s = args->s;
    int t[DIM], first[DIM];
    window w;
    X(tile_coordinates)(&s->grid, tile, t);
    X(tile_cell)(&s->grid, tile, first);
    size_t base = X(index)(&s->grid, first);
    if (!find_window(args, t, &w))
        return;
    FOR_DIM(d) {
        if (!has_component(&s->grid, t, d))
            continue;
        block_places places = find_places(s, first, d);
        load_kick(s, &w, base, d, b->kick);
        if (known_everywhere(s, &w, &places, d)) {
            correct(args, &w, base, d, smooth_all(&w, b->kick, b->other), NULL);
            continue;
        }
        load_known(s, &w, &places, d, b);
        float *kick = smooth_all(&w, b->kick, b->other);
        float *known = smooth_all(&w, b->known, b->other_known);
        smooth_known(&w, kick, known);
        correct(args, &w, base, d, kick, known);
    }
}

static void kick_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const kick_args *args = user;
    kick_block b;
    for (size_t k = begin; k < end; k++)
        kick_tile(args, args->s->tiles.faces[k], &b);
}

void DEV(carry_kick)(X(sim) *s, double dt)
{
    kick_args args = {.s = s, .half = X(half_way)(s), .kept = X(kept_share)(s, dt)};
    sp_arena arena = X(arena)(s);
    args.extents = sp_arena_take(&arena, (size_t)s->grid.tile_count, sizeof *args.extents);
    sp_parallel_for(s->common->pool, (size_t)s->tiles.liquid_count, 8, extent_range, &args);
    sp_parallel_for(s->common->pool, (size_t)s->tiles.face_count, 1, kick_range, &args);
    float *const *const carried[] = {s->carried};
    X(fill_border_faces)(s, carried, 1);
}
