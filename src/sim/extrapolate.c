/* extrapolate.c -- carries the velocity of the liquid into the faces around it.
 *
 * Faces of liquid cells hold the projected velocity, and faces of solids the solid's; both stay as
 * they are. Every other face takes, layer by layer, the mean of its neighbours in the layer before.
 * Old and new velocity are carried from the same faces with the same weights: what FLIP takes from
 * the difference is then the change that the liquid underwent, and no damping creeps in at the
 * surface. Faces that no layer reaches keep what the particles gave them. */
#include "device/device.h"

#include <math.h>
#include <string.h>

enum { UNKNOWN = 0, SOURCE = 1, FIXED = 255 }; /* FIXED: stays, but nothing is taken from it */
#define MAX_LAYERS (TILE - 1)

typedef struct extrapolate_args {
    X(sim) *s;
    int layer; /* being written; its sources are 1 .. layer - 1 */
} extrapolate_args;

/* w: the open share of the face. Faces that a cut cell has lost to a solid are unknown: they take
 * the velocity of the liquid beside them and then lose what goes into the solid. */
static uint8_t mark_of(uint8_t here, uint8_t there, float w)
{
    bool closed_here = here >= SPATE_CELL_SOLID, closed_there = there >= SPATE_CELL_SOLID;
    bool wet = here == SPATE_CELL_LIQUID || there == SPATE_CELL_LIQUID;
    if (here == SPATE_CELL_INFLOW || there == SPATE_CELL_INFLOW)
        return SOURCE;
    if (w == 0.0f || (closed_here && closed_there))
        return UNKNOWN;
    if (closed_here || closed_there)
        return wet ? SOURCE : FIXED;
    return wet ? SOURCE : UNKNOWN;
}

/* Marks the faces; the partial of max |u| over the sources. */
static double mark_partial(void *user, size_t begin, size_t end)
{
    X(sim) *s = user;
    const X(grid) *g = &s->grid;
    float most = 0.0f;
    bool cut = X(has_cut_cells)(s);
    for (size_t k = begin; k < end; k++) {
        int t[DIM];
        X(tile_coordinates)(g, s->tiles.faces[k], t);
        size_t base = X(tile_index)(g, s->tiles.faces[k]);
        for (int r = 0; r < TILE_ROWS; r++) {
            if (!X(row_has_faces)(g, t, r))
                continue;
            for (int i = 0; i < TILE; i++) {
                size_t f = base + X(row_offset)(g, r) + (size_t)i;
                FOR_DIM(d) {
                    uint8_t mark =
                        mark_of(s->type[f], s->type[f - g->stride[d]], cut ? s->w[d][f] : 1.0f);
                    s->known[d][f] = mark;
                    if (mark != UNKNOWN && !(s->weight[d][f] > 0.0f))
                        s->u_old[d][f] =
                            s->u[d][f]; /* no particle was there: no change to report */
                    float speed = __builtin_fabsf(s->u[d][f]);
                    most = mark == SOURCE && speed > most ? speed : most;
                }
            }
        }
    }
    return most;
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
            if (known[near[side]] == UNKNOWN || known[near[side]] == FIXED)
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
                for (int i = 0; i < TILE; i++)
                    if (s->known[d][row + (size_t)i] == UNKNOWN)
                        extend_face(s, d, row + (size_t)i, args->layer);
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
