/* kick.c -- the field that G2P reads: forces taken where they acted, half way along the path.
 *
 * A step first takes a particle to x, with its velocity as it was, and then gives it the kick
 * k = u - u_old (pressure, gravity) that the grid finds at x. But the force acted along the path.
 * In water that turns as one body by an angle a per step, the kick found at x points to the axis
 * while the mean of the true one is turned back by a / 2; so every step keeps only cos(a) of the
 * angular momentum, and 100 steps per turn lose 18 % in each turn. The kick from half way back,
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
 * and f = u - r u_old with the kick so corrected is one field, `carried`, read once. */
#include "lanes.h"
#include "state.h"

#include <string.h>

#define HALO 2 /* cells: one to smooth, one for differences */
#define SPAN                                                                                 \
    (TILE + 2 * HALO) /* cells of a block along an axis; two vectors cover a row of it, from \
                         place 0 and from 2 HALO on, and without its ends from 1 and 3 on */
#define BLOCK (DIM == 3 ? SPAN * SPAN * SPAN : SPAN * SPAN)

typedef struct kick_args {
    X(sim) *s;
    float half; /* dt / (2 dx): from m/s to cells of the way back */
    float kept; /* r */
} kick_args;

/* A kick and where it is known, in a tile and HALO cells around it. */
typedef struct kick_block {
    float kick[BLOCK], other[BLOCK]; /* smoothing goes from one to the other */
    float known[BLOCK], other_known[BLOCK];
} kick_block;

/* k of component d in tile t. Of the border tiles that end the domain one layer counts, and beyond
 * it the array may end. */
static void load_kick(const X(sim) *s, const int t[DIM], size_t base, int d, float *restrict block)
{
    const X(grid) *g = &s->grid;
    int last[3] = {SPAN, SPAN, LAST(SPAN)};
    FOR_DIM(a)
        last[a] = t[a] == g->tiles[a] - 1 && a > 0 ? 2 * HALO + 1 : last[a];
    for (int k = 0; k < last[2]; k++)
        for (int j = 0; j < last[1]; j++) {
            size_t row = base - HALO + (size_t)j * g->stride[1] - HALO * g->stride[1];
            row += DIM == 3 ? (size_t)k * g->stride[2] - HALO * g->stride[2] : 0;
            float *to = block + SPAN * (j + SPAN * k);
            for (size_t i = 0; i <= 2 * HALO; i += 2 * HALO)
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
    block_places b = {.straight = true};
    FOR_DIM(a)
        for (int i = 0; i < SPAN; i++) {
            b.place[a][i] = X(image_place)(s, a, first[a] + i - HALO, a == d);
            b.straight = b.straight && (a > 0 || b.place[a][i] == first[a] + i - HALO);
        }
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

SP_INLINE lane_mask are_known(const uint8_t *marks)
{
    lane_mask m = load_bytes(marks);
    return (m != FACE_UNKNOWN) & (m != FACE_FIXED);
}

static bool known_everywhere(const X(sim) *s, const block_places *b, int d)
{
    uint8_t memory[SPAN];
    for (int k = 0; k < LAST(SPAN); k++) {
        lane_mask all = ~(lane_mask){0};
        for (int j = 0; j < SPAN; j++) {
            const uint8_t *marks = marks_of_row(s, b, d, j, k, memory);
            all &= are_known(marks) & are_known(marks + 2 * HALO);
        }
        if (any(~all))
            return false;
    }
    return true;
}

/* 1 where known, else 0; and a kick of 0 there. */
static void load_known(const X(sim) *s, const block_places *b, int d, kick_block *block)
{
    uint8_t memory[SPAN];
    lanes one = (lanes){0} + 1.0f;
    for (int k = 0; k < LAST(SPAN); k++)
        for (int j = 0; j < SPAN; j++) {
            const uint8_t *marks = marks_of_row(s, b, d, j, k, memory);
            int row = SPAN * (j + SPAN * k);
            for (int i = row; i <= row + 2 * HALO; i += 2 * HALO) {
                lane_mask known = are_known(marks + i - row);
                store(block->known + i, where(known, one));
                store(block->kick + i, where(known, load(block->kick + i)));
            }
        }
}

/* ---- smoothing */

/* One pass of (1/4, 1/2, 1/4) for places 1 .. SPAN - 2 of the rows `from_j` to the last but as
 * many, and of planes likewise; `step` is the distance of neighbours. */
SP_INLINE void smooth(const float *restrict from, float *restrict to, int step, int from_j,
                      int from_k)
{
    for (int k = DIM == 3 ? from_k : 0; k < (DIM == 3 ? SPAN - from_k : 1); k++)
        for (int j = from_j; j < SPAN - from_j; j++) {
            int row = SPAN * (j + SPAN * k);
            for (int i = row + 1; i <= row + 3; i += 2)
                store(to + i, 0.5f * load(from + i) +
                                  0.25f * (load(from + i - step) + load(from + i + step)));
        }
}

/* Along all axes; the result is where this returns. */
static float *smooth_all(float *restrict block, float *restrict other)
{
    smooth(block, other, 1, 0, 0);
    smooth(other, block, SPAN, 1, 0);
    if (DIM == 2)
        return block;
    smooth(block, other, SPAN * SPAN, 1, 1);
    return other;
}

/* Smooths over what is known: a kick that is the same everywhere stays so at the rim. */
static void smooth_known(float *restrict kick, const float *restrict known)
{
    for (int k = DIM == 3 ? 1 : 0; k < LAST(SPAN - 1); k++)
        for (int j = 1; j < SPAN - 1; j++) {
            int row = SPAN * (j + SPAN * k);
            lanes low =
                where_positive(load(known + row + 1), load(kick + row + 1) / load(known + row + 1));
            lanes high =
                where_positive(load(known + row + 3), load(kick + row + 3) / load(known + row + 3));
            store(kick + row + 1, low);
            store(kick + row + 3, high);
        }
}

/* ---- the correction */

/* The way back of a row of faces of component d, in cells, at most one long. */
SP_INLINE void way_back(const kick_args *args, size_t f, int d, lanes way[DIM])
{
    const X(sim) *s = args->s;
    lanes square = {0};
    FOR_DIM(a) {
        size_t up = s->grid.stride[a], low = s->grid.stride[d];
        const float *u = s->u[a] + f;
        lanes here = load(u);
        if (a != d)
            here = 0.25f * (here + load(u + up) + load(u - low) + load(u - low + up));
        way[a] = args->half * here;
        square += way[a] * way[a];
    }
    if (!any(square > 1.0f))
        return;
    for (int i = 0; i < TILE; i++) {
        float scale = square[i] > 1.0f ? 1.0f / __builtin_sqrtf(square[i]) : 1.0f;
        FOR_DIM(a)
            way[a][i] *= scale;
    }
}

/* known: NULL where all is */
static void correct(const kick_args *args, const int t[DIM], size_t base, int d,
                    const float *restrict kick, const float *restrict known)
{
    X(sim) *s = args->s;
    const X(grid) *g = &s->grid;
    const int step[3] = {1, SPAN, SPAN * SPAN};
    for (int r = 0; r < TILE_ROWS; r++) {
        if (!X(row_has_faces)(g, t, r))
            continue;
        size_t row = base + X(row_offset)(g, r);
        int mid = HALO + SPAN * (HALO + (r & (TILE - 1)));
        mid += DIM == 3 ? SPAN * SPAN * (HALO + (r >> TILE_SHIFT)) : 0;
        lanes way[DIM], change = {0};
        way_back(args, row, d, way);
        FOR_DIM(a) {
            lanes term = way[a] * (load(kick + mid + step[a]) - load(kick + mid - step[a]));
            if (known)
                term = where((load(known + mid + step[a]) > 0.0f) &
                                 (load(known + mid - step[a]) > 0.0f),
                             term);
            change += term;
        }
        lanes now = load(s->u[d] + row) - 0.5f * change;
        store(s->carried[d] + row, now - args->kept * load(s->u_old[d] + row));
    }
}

static void kick_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const kick_args *args = user;
    X(sim) *s = args->s;
    kick_block b;
    memset(&b, 0, sizeof b);
    for (size_t k = begin; k < end; k++) {
        int t[DIM], first[DIM];
        X(tile_coordinates)(&s->grid, s->tiles.faces[k], t);
        X(tile_cell)(&s->grid, s->tiles.faces[k], first);
        size_t base = X(index)(&s->grid, first);
        FOR_DIM(d) {
            block_places places = find_places(s, first, d);
            load_kick(s, t, base, d, b.kick);
            if (known_everywhere(s, &places, d)) {
                correct(args, t, base, d, smooth_all(b.kick, b.other), NULL);
                continue;
            }
            load_known(s, &places, d, &b);
            float *kick = smooth_all(b.kick, b.other);
            float *known = smooth_all(b.known, b.other_known);
            smooth_known(kick, known);
            correct(args, t, base, d, kick, known);
        }
    }
}

float X(kept_share)(const X(sim) *s)
{
    const spate_scene *scene = s->common->scene;
    return scene->liquid.transfer == SPATE_TRANSFER_FLIP ? (float)scene->liquid.flip_ratio : 0.0f;
}

void X(carry_kick)(X(sim) *s)
{
    kick_args args = {
        .s = s, .half = (float)(0.5 * s->common->last_dt / s->grid.dx), .kept = X(kept_share)(s)};
    sp_parallel_for(s->common->pool, (size_t)s->tiles.face_count, 1, kick_range, &args);
    FOR_DIM(d)
        X(fill_border)(s, s->carried[d], d);
}
