/* g2p_field.c -- the field that G2P reads (kernels/g2p.h), on the faces where particles read it: in
 * tiles that hold some and in the nearest layers of those around, of which a splash has many more.
 */
#include "cpu.h"
#include "simd.h"

#include "kernels/g2p.h"

/* The rows of cells of a tile that hold particles: low .. high along y and z. */
typedef struct extent {
    int8_t low[3], high[3];
} extent;

typedef struct kick_args {
    X(sim) *s;
    X(fields) f;     /* of it */
    extent *extents; /* per tile, of those that hold particles */
    sp_turn turn;
    float kept; /* r */
} kick_args;

/* ---- where it is read */

/* The rows of a tile that are wanted: [low, high) along y and z. */
typedef struct window {
    int low[3], high[3];
} window;

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

static void kick_tile(const kick_args *args, int tile)
{
    const X(sim) *s = args->s;
    const X(grid) *g = &s->grid;
    bool deep = s->system.unknown[tile] == UNKNOWN_DEEP;
    int t[DIM];
    window w;
    X(tile_coordinates)(g, tile, t);
    if (!find_window(args, t, &w))
        return;
    size_t base = X(tile_index)(g, tile);
    for (int d = 0; d < DIM; d++)
        for (int k = DIM == 3 ? w.low[2] : 0; k < (DIM == 3 ? w.high[2] : 1); k++)
            for (int j = w.low[1]; j < w.high[1] && has_component(g, t, d); j++) {
                size_t row = base + (size_t)j * g->stride[1] + (size_t)k * g->stride[2];
                for (size_t i = 0; i < TILE; i += LANES)
                    if (deep)
                        X(carry_faces)(&args->f, row + i, d, args->turn, args->kept, true);
                    else
                        X(carry_faces)(&args->f, row + i, d, args->turn, args->kept, false);
            }
}

static void kick_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const kick_args *args = user;
    for (size_t k = begin; k < end; k++)
        kick_tile(args, args->s->tiles.faces[k]);
}

void DEV(carry_kick)(X(sim) *s, double dt)
{
    kick_args args = {
        .s = s, .f = X(fields_of)(s), .turn = X(turn_of)(s), .kept = X(kept_share)(s, dt)};
    sp_arena arena = X(arena)(s);
    args.extents = sp_arena_take(&arena, (size_t)s->grid.tile_count, sizeof *args.extents);
    FOR_DIM(d)
        X(fill_border_bytes)(s, s->known[d]);
    sp_parallel_for(s->common->pool, (size_t)s->tiles.liquid_count, 8, extent_range, &args);
    sp_parallel_for(s->common->pool, (size_t)s->tiles.face_count, 1, kick_range, &args);
    float *const *const carried[] = {s->carried};
    X(fill_border_faces)(s, carried, 1);
}
