/* surface.c -- which cells are liquid.
 *
 * A cell is solid if its middle is inside a solid (mean of the distances at its corners), an inflow or an outflow
 * if its middle is inside one, liquid if it holds a particle, and air otherwise. Outflow cells are air: what
 * enters them leaves. */
#include "state.h"

static bool is_solid(const X(sim) *s, size_t index)
{
    float sum = 0.0f;
    for (int corner = 0; corner < (1 << DIM); corner++) {
        size_t node = index;
        FOR_DIM(d) node += ((size_t)corner >> d & 1) * s->grid.stride[d];
        sum += s->phi_solid[node];
    }
    return sum < 0.0f;
}

static void type_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    X(sim) *s = user;
    bool solids = s->solids.live > 0;
    for (size_t k = begin; k < end; k++) {
        size_t base = X(tile_index)(&s->grid, s->tiles.active[k]);
        for (int r = 0; r < TILE_ROWS; r++)
            for (int i = 0; i < TILE; i++) {
                size_t index = base + X(row_offset)(&s->grid, r) + (size_t)i;
                uint8_t type = s->count[index] > 0 ? SPATE_CELL_LIQUID : SPATE_CELL_AIR;
                if (s->marks && s->marks[index])
                    type = s->marks[index] & MARK_INFLOW ? SPATE_CELL_INFLOW : SPATE_CELL_AIR;
                if (solids && is_solid(s, index))
                    type = SPATE_CELL_SOLID;
                s->type[index] = type;
            }
    }
}

void X(build_surface)(X(sim) *s)
{
    sp_parallel_for(s->common->pool, (size_t)s->tiles.active_count, 4, type_range, s);
    X(fill_border_type)(s);
}
