/* walls.c -- FORCES: walls that drag, and the mixing that carries their stress. What becomes of a
 * cell, edge or face stands in kernels/walls.h. */
#include "cpu.h"

#include "kernels/walls.h"

typedef struct wall_args {
    X(fields) f;
    X(walls) walls;
    X(mix_stage) stage;
    bool only_held;
} wall_args;

#define WALL_RANGE(name, body)                                         \
    static void name(void *user, size_t begin, size_t end, int worker) \
    {                                                                  \
        (void)worker;                                                  \
        const wall_args *args = user;                                  \
        int cell[DIM];                                                 \
        for (size_t k = begin; k < end; k++)                           \
            FOR_CELLS(&args->f.grid, args->f.tiles.active[k], c, cell) \
                body;                                                  \
    }

WALL_RANGE(depth_range, X(find_depth)(&args->f, c, cell, &args->walls))
WALL_RANGE(volume_range, X(find_volume)(&args->f, c, cell, &args->walls))
WALL_RANGE(mixing_range, X(find_mixing)(&args->f, c, cell, &args->walls))
WALL_RANGE(drag_range, X(drag_faces)(&args->f, c, cell, &args->walls, args->only_held))
WALL_RANGE(mix_range, X(mix_faces)(&args->f, c, &args->stage))

static double largest_rate(void *user, size_t begin, size_t end)
{
    const wall_args *args = user;
    float most = 0.0f;
    int cell[DIM];
    for (size_t k = begin; k < end; k++)
        FOR_CELLS(&args->f.grid, args->f.tiles.active[k], c, cell) {
            float rate = X(mixing_rate)(&args->f, c, cell);
            most = rate > most ? rate : most;
        }
    return most;
}

static void fill_periodic(X(sim) *s, float *const fields[DIM], bool faces)
{
    for (int d = 0; d < DIM; d++)
        X(fill_border_periodic)(&s->domain, fields[d], faces ? d : -1);
}

void X(drag_at_walls)(X(sim) *s, const X(walls) *walls)
{
    sp_pool *pool = s->common->pool;
    size_t active = (size_t)s->tiles.active_count;
    wall_args args = {.f = X(fields_of)(s), .walls = *walls};
    sp_parallel_for(pool, active, 4, depth_range, &args);
    X(fill_border_periodic)(&s->domain, s->wall_distance, -1);
    X(fill_border_periodic)(&s->domain, s->depth, -1);
    sp_parallel_for(pool, active, 4, volume_range, &args);
    fill_periodic(s, s->volume, true);
    fill_periodic(s, s->u, true);
    sp_parallel_for(pool, active, 4, drag_range, &args);
    fill_periodic(s, s->mixed, true);
    sp_parallel_for(pool, active, 4, mixing_range, &args);
    fill_periodic(s, s->mixing, false);
    double rate = X(maximum)(s, active, 4, largest_rate, &args);
    int stages = sp_mix_stages(rate);
    for (int j = 1; j <= stages; j++) {
        args.stage = X(mix_stage_at)(&args.f, j, stages, (float)rate);
        sp_parallel_for(pool, active, 4, mix_range, &args);
        fill_periodic(s, args.stage.to, true);
    }
    args.only_held = true;
    sp_parallel_for(pool, active, 4, drag_range, &args);
}
