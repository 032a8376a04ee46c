/* extrapolate.c -- carries the velocity of the liquid into the faces around it.
 *
 * Faces of liquid cells hold the projected velocity, and faces of solids the solid's; both stay as
 * they are. Every other face takes, layer by layer, the mean of its neighbours in the layer before.
 * Old and new velocity are carried from the same faces with the same weights: what FLIP takes from
 * the difference is then the change that the liquid underwent, and no damping creeps in at the
 * surface. Faces that no layer reaches keep what the particles gave them. */
#include "device/device.h"
#include "lanes.h"

#include <math.h>

#define MAX_LAYERS (TILE - 1)

typedef struct extrapolate_args {
    X(sim) *s;
    int layer; /* being written; its sources are 1 .. layer - 1 */
} extrapolate_args;

/* Marks faces d of a row of cells, c; returns max |u| over the sources so far. Faces that a cut
 * cell has lost to a solid are unknown: they take the velocity of the liquid beside them and then
 * lose what goes into the solid. */
SP_INLINE lane_mask mark_row(X(sim) *s, size_t c, int d, bool cut, lane_mask most)
{
    lane_mask here = load_bytes(s->type + c), there = load_bytes(s->type + c - s->grid.stride[d]);
    lane_mask wet = (here == SPATE_CELL_LIQUID) | (there == SPATE_CELL_LIQUID);
    lane_mask inflow = (here == SPATE_CELL_INFLOW) | (there == SPATE_CELL_INFLOW);
    lane_mask beside = (here >= SPATE_CELL_SOLID) | (there >= SPATE_CELL_SOLID);
    lane_mask closed = (here >= SPATE_CELL_SOLID) & (there >= SPATE_CELL_SOLID);
    if (cut)
        closed |= load(s->w[d] + c) == 0.0f;
    lane_mask source = inflow | (wet & ~closed), fixed = beside & ~closed & ~source;
    lanes u = load(s->u[d] + c);
    /* no particle was there: no change to report */
    lane_mask bare = (source | fixed) & ~(load(s->weight[d] + c) > 0.0f);
    store(s->u_old[d] + c, choose(bare, u, load(s->u_old[d] + c)));
    store_bytes(s->known[d] + c, (source & FACE_SOURCE) | (fixed & FACE_FIXED));
    return larger(most, where(source, u));
}

static double mark_partial(void *user, size_t begin, size_t end)
{
    X(sim) *s = user;
    const X(grid) *g = &s->grid;
    lane_mask most = {0};
    bool cut = X(has_cut_cells)(s);
    for (size_t k = begin; k < end; k++) {
        int t[DIM];
        X(tile_coordinates)(g, s->tiles.faces[k], t);
        size_t base = X(tile_index)(g, s->tiles.faces[k]);
        for (int r = 0; r < TILE_ROWS; r++) {
            if (!X(row_has_faces)(g, t, r))
                continue;
            FOR_DIM(d)
                most = mark_row(s, base + X(row_offset)(g, r), d, cut, most);
        }
    }
    return largest(most);
}

/* The mean of the neighbours that are known, for one face; keeps the face unknown if there is none.
 */
static void extend_face(X(sim) *s, int d, size_t f, int layer)
{
    const uint8_t *known = s->known[d];
    float sum = 0.0f, sum_old = 0.0f, count = 0.0f;
    FOR_DIM(axis) {
        size_t near[2] = {f - s->grid.stride[axis], f + s->grid.stride[axis]};
        for (int side = 0; side < 2; side++) {
            if (known[near[side]] == FACE_UNKNOWN || known[near[side]] == FACE_FIXED)
                continue;
            sum += s->u[d][near[side]];
            sum_old += s->u_old[d][near[side]];
            count += 1.0f;
        }
    }
    if (count == 0.0f)
        return;
    s->u[d][f] = sum / count;
    s->u_old[d][f] = sum_old / count;
    s->known_next[d][f] = (uint8_t)layer;
}

/* Eight marks at once. */
static uint64_t marks(const uint8_t *known)
{
    uint64_t word;
    memcpy(&word, known, sizeof word);
    return word;
}

/* Whether eight faces in a row have nothing to take: all are known, or nothing around them is. */
static bool is_settled(const X(sim) *s, const uint8_t *known)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t here = marks(known);
    if (((here - ones) & ~here & (ones << 7)) == 0) /* no byte is 0 */
        return true;
    uint64_t around = here | known[-1] | known[8];
    for (int axis = 1; axis < DIM; axis++)
        around |= marks(known - s->grid.stride[axis]) | marks(known + s->grid.stride[axis]);
    return around == 0;
}

/* Reads `known` and writes `known_next`, so that a layer never builds on itself. */
static void extend_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const extrapolate_args *args = user;
    X(sim) *s = args->s;
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
                memcpy(s->known_next[d] + row, s->known[d] + row, TILE);
                for (size_t f = row; f < row + TILE; f++) {
                    if (f % 8 == 0 && is_settled(s, s->known[d] + f))
                        f += 7;
                    else if (s->known[d][f] == FACE_UNKNOWN)
                        extend_face(s, d, f, args->layer);
                }
            }
        }
    }
}

void X(extrapolate)(X(sim) *s, double dt)
{
    size_t tiles = (size_t)s->tiles.face_count;
    double fastest = X(maximum)(s, tiles, 1, mark_partial, s);
    double cells = fastest * sqrt((double)DIM) * dt / s->grid.dx;
    int layers = cells < MAX_LAYERS - 2 ? (int)ceil(cells) + 2 : MAX_LAYERS;
    bool periodic = s->grid.periodic[0] || s->grid.periodic[1] || s->grid.periodic[2];
    for (int layer = 2; layer <= layers + 1; layer++) {
        for (int d = 0; d < DIM && periodic; d++) {
            X(fill_border_bytes)(s, s->known[d]);
            X(fill_border)(s, s->u[d], d);
            X(fill_border)(s, s->u_old[d], d);
        }
        extrapolate_args args = {s, layer};
        sp_parallel_for(s->common->pool, tiles, 1, extend_range, &args);
        FOR_DIM(d) {
            uint8_t *swap = s->known[d];
            s->known[d] = s->known_next[d];
            s->known_next[d] = swap;
        }
    }
    s->reach = (float)(layers - 1);
    if (X(has_cut_cells)(s)) {
        FOR_DIM(d)
            X(fill_border)(s, s->u[d], d);
        X(slide_faces)(s, dt);
        X(close_walls)(s);
        if (s->emitter_count > 0)
            X(prescribe_inflow)(s);
    }
    FOR_DIM(d) {
        X(fill_border)(s, s->u[d], d);
        X(fill_border)(s, s->u_old[d], d);
    }
}
