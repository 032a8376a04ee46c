/* rooms.c -- the rooms into which solids divide a gas, looked at where a frame ends.
 *
 * A room is what hangs together through open faces. It is open if it reaches an open side or an
 * outflow. The gas is not compressed, so nothing may flow into a closed room. Where a moving solid
 * takes volume from one, the pressure solve spreads the change over all of its cells (pockets.c),
 * and the background pressure, which the solve does not know, follows the law of a perfect gas
 * that exchanges no heat: P V^GAMMA stays. Its change is told of the largest closed room, since
 * that was closed. A volume that differs by more than SAME from one frame to the next is that of
 * another room. */
#include "sim.h"

#include "base/memory.h"
#include "base/status.h"
#include "kernels/fractions.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define ATMOSPHERE 101325.0 /* Pa */
#define GAMMA 1.4           /* of air, the ratio of its heat capacities */
#define SAME 0.1

typedef struct room {
    double volume; /* cells */
    int inflow;    /* that blows into it; -1: none */
    bool open;
} room;

typedef struct search {
    X(sim) *s;
    uint8_t *seen;   /* per cell of the grid */
    uint32_t *cells; /* whose neighbours are still to be seen */
    size_t count;
} search;

static bool is_inflow(const X(sim) *s, size_t c)
{
    return s->marks && s->marks[c] & MARK_INFLOW;
}

/* Whether no face of a cell is open. */
static bool is_filled(const X(sim) *s, size_t c)
{
    bool open = false;
    FOR_DIM(d)
        open = open || s->w[d][c] > 0.0f || s->w[d][c + s->grid.stride[d]] > 0.0f;
    return !open;
}

static void see(search *in, size_t c)
{
    if (in->seen[c])
        return;
    in->seen[c] = 1;
    in->cells[in->count++] = (uint32_t)c;
}

/* Goes through one face of a cell of a room, if it is open. */
static void look_through(search *in, size_t c, const int cell[DIM], int d, int side, room *r)
{
    const X(sim) *s = in->s;
    const X(grid) *g = &s->grid;
    int near[DIM];
    FOR_DIM(a)
        near[a] = cell[a] + (a == d ? 2 * side - 1 : 0);
    if (!(s->w[d][side ? c + g->stride[d] : c] > 0.0f))
        return;
    if (!g->periodic[d] && (near[d] < 0 || near[d] >= g->n[d])) {
        r->open = r->open || s->sides[d][side] == SPATE_SIDE_OPEN;
        return;
    }
    near[d] = (near[d] + g->n[d]) % g->n[d];
    size_t there = X(index)(g, near);
    if (!is_inflow(s, there)) {
        see(in, there);
        return;
    }
    int k = s->mark_of[there];
    if (s->emitters[k].velocity[d] * (float)(1 - 2 * side) > 0.0f && r->inflow < 0)
        r->inflow = k;
}

static room fill_room(search *in, size_t first)
{
    const X(sim) *s = in->s;
    room r = {.inflow = -1};
    see(in, first);
    while (in->count > 0) {
        size_t c = in->cells[--in->count];
        int cell[DIM];
        X(coordinates)(&s->grid, c, cell);
        r.volume += (double)X(free_share)(&s->grid, s->phi_solid, c);
        r.open = r.open || (s->marks && s->marks[c] & MARK_OUTFLOW);
        FOR_DIM(d)
            for (int side = 0; side < 2; side++)
                look_through(in, c, cell, d, side, &r);
    }
    return r;
}

static spate_status refuse_inflow(const X(sim) *s, int k, spate_error *error)
{
    const char *name = s->common->scene->inflows.items[k].name;
    char where[32];
    snprintf(where, sizeof where, "inflows[%d]", k);
    return sp_fail(error, SPATE_ERROR_SIMULATION, where,
                   "%s%sblows into a room that solids close, and the gas is not compressed: leave "
                   "a way to an open side or an outflow, or turn it off there",
                   name, name[0] ? " " : "");
}

/* A new room starts at 0. */
static void follow_largest(sp_common *common, double volume)
{
    double last = common->room;
    common->room = volume;
    if (!(volume > 0) || !(fabs(volume - last) <= SAME * last))
        common->background_pressure = 0;
    else
        common->background_pressure =
            (ATMOSPHERE + common->background_pressure) * pow(last / volume, GAMMA) - ATMOSPHERE;
}

/* The volume of the largest closed room, cells; the first inflow that blows into one in *shut. */
static double find_rooms(search *in, int *shut)
{
    const X(sim) *s = in->s;
    const X(grid) *g = &s->grid;
    double largest = 0;
    int n[3] = {g->n[0], g->n[1], DIM == 3 ? g->n[2] : 1}, c[3];
    for (c[2] = 0; c[2] < n[2]; c[2]++)
        for (c[1] = 0; c[1] < n[1]; c[1]++)
            for (c[0] = 0; c[0] < n[0]; c[0]++) {
                size_t at = X(index)(g, c);
                if (in->seen[at] || is_inflow(s, at) || is_filled(s, at))
                    continue;
                room r = fill_room(in, at);
                if (r.open)
                    continue;
                largest = fmax(largest, r.volume);
                *shut = *shut < 0 ? r.inflow : *shut;
            }
    return largest;
}

spate_status X(watch_rooms)(X(sim) *s, spate_error *error)
{
    search in = {.s = s};
    int shut = -1;
    X(fetch)(s, GROUP_SOLIDS);
    in.seen = sp_alloc(s->grid.size, sizeof *in.seen);
    in.cells = sp_alloc(s->grid.size, sizeof *in.cells);
    if (!in.seen || !in.cells) {
        sp_free(in.seen);
        sp_free(in.cells);
        return sp_fail_memory(error, "the rooms of a gas", s->grid.size * 5);
    }
    memset(in.seen, 0, s->grid.size * sizeof *in.seen);
    follow_largest(s->common, find_rooms(&in, &shut));
    sp_free(in.seen);
    sp_free(in.cells);
    return shut < 0 ? SPATE_OK : refuse_inflow(s, shut, error);
}
