/* solids.cu -- SOLIDS on the device: solids that move are laid over those that rest, in the tiles
 * that they touch (kernels/lay_solids.h, fractions.h). Where solids have come or gone the host lays
 * all of them. */
#include "kernels/fractions.h"
#include "launch.h"

#define THREADS 128

typedef struct solid_args {
    X(fields) f;
    uint8_t *near; /* per tile: NEAR_... */
    bool now;      /* cut the tiles where movers are; otherwise those that they have left */
} solid_args;

/* Movers were near a tile when they were laid last; they are now. */
enum { NEAR_BEFORE = 1, NEAR_NOW = 2 };

typedef struct tile_shared {
    X(far_bound) bound;
    uint32_t cut, thin; /* cells */
} tile_shared;

/* Without the movers, where they were. */
BLOCKS(restore_tiles, solid_args, tile_shared, THREADS)
{
    (void)shared;
    if (!(a->near[block] & NEAR_BEFORE))
        return;
    FOR_THREADS(t, TILE_CELLS) {
        int cell[DIM];
        size_t c = X(tile_place)(&a->f.grid, (int)block, t, cell);
        a->f.phi_solid[c] = a->f.phi_static[c];
    }
}

MAP(find_near, solid_args)
{
    if (X(is_near_movers)(&a->f.grid, &a->f.solids, (int)i))
        a->near[i] |= NEAR_NOW;
}

MAP(take_near, solid_args)
{
    a->near[i] = a->near[i] & NEAR_NOW ? NEAR_BEFORE : 0;
}

BLOCKS(lay_movers, solid_args, tile_shared, THREADS)
{
    const X(grid) *g = &a->f.grid;
    if (!(a->near[block] & NEAR_NOW))
        return;
    FOR_THREADS(t, 1) {
        int first[DIM];
        X(tile_cell)(g, (int)block, first);
        shared->bound = X(bound_of_tile)(g, &a->f.solids, first, false);
    }
    BARRIER();
    FOR_THREADS(t, TILE_CELLS) {
        int cell[DIM];
        size_t c = X(tile_place)(g, (int)block, t, cell);
        X(lay_node)(&a->f, c, cell, false, shared->bound);
    }
}

BLOCKS_AT_ONCE(cut_tiles, solid_args, tile_shared, THREADS, 3)
{
    int tile = (int)block;
    uint8_t near = a->near[tile];
    if (a->now ? !(near & NEAR_NOW) : near != NEAR_BEFORE)
        return;
    FOR_THREADS(t, 1)
        shared->cut = shared->thin = 0;
    BARRIER();
    bool far = X(is_far_from_solids)(&a->f, tile);
    FOR_THREADS(t, TILE_CELLS) {
        int cell[DIM];
        size_t c = X(tile_place)(&a->f.grid, tile, t, cell);
        unsigned cut = X(cut_cell)(&a->f, c, cell, far);
        if (cut & CUT_FACES)
            GPU_ADD32(&shared->cut, 1u);
        if (cut & CUT_THIN)
            GPU_ADD32(&shared->thin, 1u);
    }
    BARRIER();
    FOR_THREADS(t, 1)
        a->f.tiles.cut[tile] =
            (uint8_t)((shared->cut > 0) * CUT_FACES | (shared->thin > 0) * CUT_THIN);
}

void DEV(gpu_lay_solids)(X(gpu) *g)
{
    size_t tiles = (size_t)g->f.grid.tile_count;
    solid_args args;
    args.f = g->f;
    args.near = g->near_movers;
    args.now = false;
    restore_tiles(g, args, tiles);
    find_near(g, args, tiles);
    cut_tiles(g, args, tiles);
    lay_movers(g, args, tiles);
    args.now = true;
    cut_tiles(g, args, tiles);
    take_near(g, args, tiles);
}
