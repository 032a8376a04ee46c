/* kick.c -- the velocity that G2P reads: forces taken where they acted, half way along the path.
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
 * sin(b) cos(b)^3 <= 0.65 is left then. */
#include "state.h"

#include <string.h>

#define HALO 2                 /* cells: one to smooth, one for differences */
#define SPAN (TILE + 2 * HALO) /* cells of a block along an axis */
#define BLOCK (DIM == 3 ? SPAN * SPAN * SPAN : SPAN * SPAN)

typedef struct kick_args {
    X(sim) *s;
    float half; /* dt / (2 dx): from m/s to cells of the way back */
} kick_args;

/* A kick and where it is known, in a tile and HALO cells around it. */
typedef struct kick_block {
    float kick[BLOCK], other[BLOCK]; /* smoothing goes from one to the other */
    float known[BLOCK], other_known[BLOCK];
} kick_block;

/* k of component d in tile t. Of the border tiles that end the domain one layer counts, and beyond
 * it the array may end. */
static void load(const X(sim) *s, const int t[DIM], size_t base, int d, float *restrict block)
{
    const X(grid) *g = &s->grid;
    int last[3] = {SPAN, SPAN, LAST(SPAN)};
    FOR_DIM(a)
        last[a] = t[a] == g->tiles[a] - 1 && a > 0 ? 2 * HALO + 1 : last[a];
    for (int k = 0; k < last[2]; k++)
        for (int j = 0; j < last[1]; j++) {
            size_t row = base - HALO + (size_t)j * g->stride[1] - HALO * g->stride[1];
            row += DIM == 3 ? (size_t)k * g->stride[2] - HALO * g->stride[2] : 0;
            const float *now = s->u[d] + row, *old = s->u_old[d] + row;
            for (int i = 0; i < SPAN; i++)
                block[i + SPAN * (j + SPAN * k)] = now[i] - old[i];
        }
}

/* 1 where EXTRAPOLATE has a velocity of the liquid, else 0; outside as at the image inside. Returns
 * whether there is one everywhere. */
static bool load_known(const X(sim) *s, const int first[DIM], int d, float *restrict block)
{
    int place[3][SPAN] = {{0}}, rows = LAST(SPAN);
    bool everywhere = true;
    FOR_DIM(a)
        for (int i = 0; i < SPAN; i++)
            place[a][i] = X(image_place)(s, a, first[a] + i - HALO, a == d);
    for (int k = 0; k < rows; k++)
        for (int j = 0; j < SPAN; j++) {
            int start[3] = {0, place[1][j], place[2][k]};
            const uint8_t *row = s->known[d] + X(index)(&s->grid, start);
            for (int i = 0; i < SPAN; i++) {
                uint8_t mark = row[place[0][i]];
                bool known = mark != FACE_UNKNOWN && mark != FACE_FIXED;
                block[i + SPAN * (j + SPAN * k)] = known ? 1.0f : 0.0f;
                everywhere = everywhere && known;
            }
        }
    return everywhere;
}

/* One pass of (1/4, 1/2, 1/4); `step` is the distance of neighbours. Values at the block's rim are
 * not of use afterwards. */
static void smooth(const float *restrict from, float *restrict to, int step)
{
    for (int c = 0; c < BLOCK; c++) /* at the ends any value will do */
        to[c] = from[c];
    for (int c = step; c < BLOCK - step; c++)
        to[c] = 0.5f * from[c] + 0.25f * (from[c - step] + from[c + step]);
}

/* Along all axes, in place. */
static void smooth_all(float *restrict block, float *restrict other)
{
    smooth(block, other, 1);
    smooth(other, block, SPAN);
    if (DIM == 3) {
        smooth(block, other, SPAN * SPAN);
        memcpy(block, other, BLOCK * sizeof *block);
    }
}

/* The way back of faces of component d, in cells, at most one long. */
static inline void way_back(const kick_args *args, size_t f, int d, float way[DIM])
{
    const X(sim) *s = args->s;
    float square = 0.0f;
    FOR_DIM(a) {
        size_t up = s->grid.stride[a], low = s->grid.stride[d];
        const float *u = s->u[a] + f;
        float here = a == d ? *u : 0.25f * (u[0] + u[up] + *(u - low) + *(u - low + up));
        way[a] = args->half * here;
        square += way[a] * way[a];
    }
    float scale = square > 1.0f ? 1.0f / __builtin_sqrtf(square) : 1.0f;
    FOR_DIM(a)
        way[a] *= scale;
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
        for (int i = 0; i < TILE; i++) {
            float way[DIM], change = 0.0f;
            way_back(args, row + (size_t)i, d, way);
            FOR_DIM(a) {
                int up = mid + i + step[a], low = mid + i - step[a];
                bool both = !known || (known[up] > 0.0f && known[low] > 0.0f);
                change += both ? way[a] * (kick[up] - kick[low]) : 0.0f;
            }
            s->u_carried[d][row + (size_t)i] = s->u[d][row + (size_t)i] - 0.5f * change;
        }
    }
}

/* Smooths over what is known: a kick that is the same everywhere stays so at the rim. */
static void smooth_known(kick_block *b)
{
    for (int c = 0; c < BLOCK; c++)
        b->kick[c] = b->known[c] > 0.0f ? b->kick[c] : 0.0f;
    smooth_all(b->kick, b->other);
    smooth_all(b->known, b->other_known);
    for (int c = 0; c < BLOCK; c++)
        b->kick[c] = b->known[c] > 0.0f ? b->kick[c] / b->known[c] : 0.0f;
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
            load(s, t, base, d, b.kick);
            bool everywhere = load_known(s, first, d, b.known);
            if (everywhere)
                smooth_all(b.kick, b.other);
            else
                smooth_known(&b);
            correct(args, t, base, d, b.kick, everywhere ? NULL : b.known);
        }
    }
}

void X(carry_kick)(X(sim) *s)
{
    kick_args args = {.s = s, .half = (float)(0.5 * s->common->last_dt / s->grid.dx)};
    sp_parallel_for(s->common->pool, (size_t)s->tiles.face_count, 1, kick_range, &args);
    FOR_DIM(d)
        X(fill_border)(s, s->u_carried[d], d);
}
