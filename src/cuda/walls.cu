/* walls.cu -- FORCES on the device: walls that drag, and the mixing that carries their stress. What
 * becomes of a cell, edge or face stands in kernels/walls.h. */
#include "kernels/walls.h"
#include "launch.h"

typedef struct wall_args {
    X(fields) f;
    X(walls) walls;
    X(mix_stage) stage;
    bool only_held;
    double *partials;
} wall_args;

MAP(find_depth, wall_args)
{
    int cell[DIM];
    size_t c = X(active_place)(&a->f, i, cell);
    X(find_depth)(&a->f, c, cell, &a->walls);
}

MAP(find_volume, wall_args)
{
    int cell[DIM];
    size_t c = X(active_place)(&a->f, i, cell);
    X(find_volume)(&a->f, c, cell, &a->walls);
}

MAP(find_mixing, wall_args)
{
    int cell[DIM];
    size_t c = X(active_place)(&a->f, i, cell);
    X(find_mixing)(&a->f, c, cell, &a->walls);
}

MAP(drag_faces, wall_args)
{
    int cell[DIM];
    size_t c = X(active_place)(&a->f, i, cell);
    X(drag_faces)(&a->f, c, cell, &a->walls, a->only_held);
}

MAP(mix_faces, wall_args)
{
    int cell[DIM];
    size_t c = X(active_place)(&a->f, i, cell);
    X(mix_faces)(&a->f, c, &a->stage);
}

/* The largest rate of each tile. */
#define GROUP 256
typedef struct rate_shared {
    float most[GROUP];
} rate_shared;

BLOCKS(find_rates, wall_args, rate_shared, GROUP)
{
    FOR_THREADS(t, GROUP) {
        float most = 0.0f;
        for (int k = t; k < TILE_CELLS; k += GROUP) {
            int cell[DIM];
            size_t c = X(tile_place)(&a->f.grid, a->f.tiles.active[block], k, cell);
            float rate = X(mixing_rate)(&a->f, c, cell);
            most = rate > most ? rate : most;
        }
        shared->most[t] = most;
    }
    BARRIER();
    for (int half = GROUP / 2; half > 0; half /= 2) {
        FOR_THREADS(t, half)
            shared->most[t] =
                shared->most[t + half] > shared->most[t] ? shared->most[t + half] : shared->most[t];
        BARRIER();
    }
    FOR_THREADS(t, 1)
        a->partials[block] = shared->most[0];
}

static void fill_faces(X(gpu) *g, float *const field[DIM])
{
    for (int d = 0; d < DIM; d++)
        DEV(gpu_fill_border_periodic)(g, field[d], d);
}

void DEV(gpu_drag_at_walls)(X(gpu) *g, const X(walls) *walls)
{
    wall_args args;
    memset(&args, 0, sizeof args);
    args.f = g->f;
    args.walls = *walls;
    args.partials = g->partials;
    size_t tiles = (size_t)g->f.tiles.active_count, active = tiles * TILE_CELLS;
    find_depth(g, args, active);
    DEV(gpu_fill_border_periodic)(g, g->f.wall_distance, -1);
    DEV(gpu_fill_border_periodic)(g, g->f.depth, -1);
    find_volume(g, args, active);
    fill_faces(g, g->f.volume);
    fill_faces(g, g->f.u);
    drag_faces(g, args, active);
    fill_faces(g, g->f.mixed);
    find_mixing(g, args, active);
    for (int d = 0; d < DIM; d++)
        DEV(gpu_fill_border_periodic)(g, g->f.mixing[d], -1);
    find_rates(g, args, tiles);
    double rate = tiles > 0 ? DEV(gpu_maximum)(g, tiles) : 0;
    int stages = sp_mix_stages(rate);
    for (int j = 1; j <= stages; j++) {
        args.stage = X(mix_stage_at)(&g->f, j, stages, (float)rate);
        mix_faces(g, args, active);
        fill_faces(g, args.stage.to);
    }
    args.only_held = true;
    drag_faces(g, args, active);
}
