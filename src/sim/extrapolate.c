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
    int layer;  /* being written; its sources are 1 .. layer - 1 */
    int parity; /* of the tiles that have their turn */
} extrapolate_args;

/* Marks faces d of a row of cells, c; returns max |u| over the sources so far. Faces that a cut
 * cell has lost to a solid are unknown: they take the velocity of the liquid beside them and then
 * lose what goes into the solid. `marked`: which faces are not unknown. */
SP_INLINE lane_mask mark_row(X(sim) *s, size_t c, int d, bool cut, lane_mask most,
                             lane_mask *marked)
{
    lane_mask here = load_bytes(s->type + c), there = load_bytes(s->type + c - s->grid.stride[d]);
    lane_mask wet = is_equal(here, SPATE_CELL_LIQUID) | is_equal(there, SPATE_CELL_LIQUID);
    lane_mask inflow = is_equal(here, SPATE_CELL_INFLOW) | is_equal(there, SPATE_CELL_INFLOW);
    lane_mask solid = ~is_below(here, SPATE_CELL_SOLID), other = ~is_below(there, SPATE_CELL_SOLID);
    lane_mask beside = solid | other, closed = solid & other;
    if (cut)
        closed |= ~is_positive(load(s->w[d] + c));
    lane_mask source = inflow | (wet & ~closed), fixed = beside & ~closed & ~source;
    lanes u = load(s->u[d] + c);
    /* no particle was there: no change to report */
    lane_mask bare = (source | fixed) & ~is_positive(load(s->weight[d] + c));
    if (any(bare))
        store(s->u_old[d] + c, choose(bare, u, load(s->u_old[d] + c)));
    store_bytes(s->known[d] + c, (source & FACE_SOURCE) | (fixed & FACE_FIXED));
    *marked = source | fixed;
    return larger(most, where(source, u));
}

/* A row of faces that are all sources, deep in the liquid. */
SP_INLINE lane_mask mark_deep_row(X(sim) *s, size_t c, int d, lane_mask most)
{
    lanes u = load(s->u[d] + c);
    lane_mask bare = ~is_positive(load(s->weight[d] + c));
    if (any(bare))
        store(s->u_old[d] + c, choose(bare, u, load(s->u_old[d] + c)));
    memset(s->known[d] + c, FACE_SOURCE, TILE);
    return larger(most, u);
}

static lane_mask mark_tile(X(sim) *s, int tile, bool solids, lane_mask most)
{
    const X(grid) *g = &s->grid;
    int t[DIM];
    X(tile_coordinates)(g, tile, t);
    size_t base = X(tile_index)(g, tile);
    bool deep = s->system.unknown[tile] == UNKNOWN_DEEP, cut = solids && s->tiles.cut[tile];
    uint64_t some = 0, open[DIM] = {0};
    for (int r = 0; r < TILE_ROWS; r++) {
        size_t c = base + X(row_offset)(g, r);
        if (!X(row_has_faces)(g, t, r))
            continue;
        FOR_DIM(d) {
            lane_mask marked = {0};
            marked = ~marked;
            most = deep ? mark_deep_row(s, c, d, most) : mark_row(s, c, d, cut, most, &marked);
            open[d] |= (uint64_t)any(~marked) << r;
            some |= any(marked);
        }
    }
    s->tiles.marked[tile] = some ? MARKED_SOME : MARKED_NONE;
    memcpy(s->tiles.open[tile], open, sizeof open);
    return most;
}

static double mark_partial(void *user, size_t begin, size_t end)
{
    X(sim) *s = user;
    lane_mask most = {0};
    bool solids = X(has_cut_cells)(s);
    for (size_t k = begin; k < end; k++)
        most = mark_tile(s, s->tiles.faces[k], solids, most);
    return largest(most);
}

/* Whether nothing around a row of faces has a mark. */
SP_INLINE bool is_alone(const X(sim) *s, const uint8_t *known)
{
    uint64_t around = *(known - 1) | known[TILE], word;
    for (int k = 0; k < TILE; k += 8)
        for (int axis = 0; axis < DIM; axis++) {
            size_t step = axis == 0 ? 0 : s->grid.stride[axis];
            memcpy(&word, known + k - step, sizeof word);
            around |= word;
            memcpy(&word, known + k + step, sizeof word);
            around |= word;
        }
    return around == 0;
}

/* The mean of the neighbours that are known, for the unknown faces of a row that have any. Known
 * are those with marks below `layer`: a layer never builds on itself. Returns which are unknown
 * still. */
SP_INLINE lane_mask extend_row(X(sim) *s, size_t c, int d, int layer)
{
    float *u = s->u[d], *old = s->u_old[d];
    lanes sum = {0}, sum_old = {0};
    lane_mask here = load_bytes(s->known[d] + c), count = {0};
    FOR_DIM(axis)
        for (int side = 0; side < 2; side++) {
            size_t near = side ? c + s->grid.stride[axis] : c - s->grid.stride[axis];
            lane_mask mark = load_bytes(s->known[d] + near);
            lane_mask known = is_below(mark, layer) & ~is_equal(mark, FACE_UNKNOWN);
            sum += where(known, load(u + near));
            sum_old += where(known, load(old + near));
            count -= known;
        }
    lane_mask unknown = is_equal(here, FACE_UNKNOWN), take = unknown & ~is_equal(count, 0);
    if (!any(take))
        return unknown;
    lanes number = __builtin_convertvector(count, lanes);
    store(u + c, choose(take, sum / number, load(u + c)));
    store(old + c, choose(take, sum_old / number, load(old + c)));
    store_bytes(s->known[d] + c, (take & layer) | (~take & here));
    return unknown & ~take;
}

/* Whether a tile or one across its faces has a mark. */
static bool is_near_marks(const X(sim) *s, int tile)
{
    const uint8_t *marked = s->tiles.marked + tile;
    const X(grid) *g = &s->grid;
    int step = 1, near = *marked | g->periodic[0] | g->periodic[1] | g->periodic[2];
    for (int d = 0; d < DIM; d++) {
        int t = tile / step % g->tiles[d]; /* a border tile may have nothing after it */
        near |= *(marked - step) | (t + 1 < g->tiles[d] ? marked[step] : 0);
        step *= g->tiles[d];
    }
    return near;
}

/* Tiles of one parity: their neighbours have the other one, so that nobody reads what is being
 * written. */
static void extend_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const extrapolate_args *args = user;
    X(sim) *s = args->s;
    const X(grid) *g = &s->grid;
    for (size_t k = begin; k < end; k++) {
        int t[DIM], tile = s->tiles.faces[k], sum = 0;
        X(tile_coordinates)(g, tile, t);
        FOR_DIM(d)
            sum += t[d];
        if ((sum & 1) != args->parity || !is_near_marks(s, tile))
            continue;
        size_t base = X(tile_index)(g, tile);
        for (int d = 0; d < DIM; d++)
            for (uint64_t left = s->tiles.open[tile][d]; left; left &= left - 1) {
                int r = __builtin_ctzll(left);
                size_t c = base + X(row_offset)(g, r);
                if (is_alone(s, s->known[d] + c))
                    continue;
                s->tiles.marked[tile] = MARKED_SOME;
                if (!any(extend_row(s, c, d, args->layer)))
                    s->tiles.open[tile][d] &= ~(UINT64_C(1) << r);
            }
    }
}

void X(extrapolate)(X(sim) *s, double dt)
{
    size_t tiles = (size_t)s->tiles.face_count;
    double fastest = X(maximum)(s, tiles, 4, mark_partial, s);
    double cells = fastest * sqrt((double)DIM) * dt / s->grid.dx;
    int layers = cells < MAX_LAYERS - 2 ? (int)ceil(cells) + 2 : MAX_LAYERS;
    bool periodic = s->grid.periodic[0] || s->grid.periodic[1] || s->grid.periodic[2];
    for (int layer = 2; layer <= layers + 1; layer++) {
        for (int d = 0; d < DIM && periodic; d++) {
            X(fill_border_bytes)(s, s->known[d]);
            X(fill_border)(s, s->u[d], d);
            X(fill_border)(s, s->u_old[d], d);
        }
        for (int parity = 0; parity < 2; parity++) {
            extrapolate_args args = {s, layer, parity};
            sp_parallel_for(s->common->pool, tiles, 4, extend_range, &args);
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
