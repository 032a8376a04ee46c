/* walls.c -- part of FORCES: walls drag the water beside them, and mixing carries their stress into
 * the water. kernels/walls.h has the maths of a cell, an edge and a face. */
#include "exec.h"

#include "kernels/walls.h"

typedef struct drag_args {
    X(walls) walls;
    bool only_held;
} drag_args;

CELLS(find_depth, X(walls))
{
    FOR_EACH_CELL(c, cell)
        X(find_depth)(f, c, cell, a);
}

CELLS(find_volume, X(walls))
{
    FOR_EACH_CELL(c, cell)
        X(find_volume)(f, c, cell, a);
}

CELLS(find_mixing, X(walls))
{
    FOR_EACH_CELL(c, cell)
        X(find_mixing)(f, c, cell, a);
}

CELLS(drag_faces, drag_args)
{
    FOR_EACH_CELL(c, cell)
        X(drag_faces)(f, c, cell, &a->walls, a->only_held);
}

CELLS(mix_faces, X(mix_stage))
{
    FOR_EACH_CELL(c, cell)
        X(mix_faces)(f, c, a);
}

SP_KERNEL void keep_larger(float *most, const float *rate)
{
    *most = *rate > *most ? *rate : *most;
}

CELLS_FOLD(largest_rate, sp_nothing, float, keep_larger)
{
    FOR_EACH_CELL(c, cell) {
        float rate = X(mixing_rate)(f, c, cell);
        keep_larger(part, &rate);
    }
}

static void fill_faces_periodic(X(exec) *e, float *const fields[DIM])
{
    for (int d = 0; d < DIM; d++)
        fill_border_periodic(e, fields[d], d);
}

/* A chain of passes. Each reads what the one before it left around its cells, so the border of a
 * periodic side is filled in between. */
void ONCE(drag_at_walls)(X(exec) *e, const X(walls) *walls)
{
    X(tile_list) active = active_tiles(&e->f);
    drag_args drag = {*walls, false};
    find_depth(e, walls, active);
    fill_border_periodic(e, e->f.wall_distance, -1);
    fill_border_periodic(e, e->f.depth, -1);
    find_volume(e, walls, active);
    fill_faces_periodic(e, e->f.volume);
    fill_faces_periodic(e, e->f.u);
    drag_faces(e, &drag, active);
    fill_faces_periodic(e, e->f.mixed);
    find_mixing(e, walls, active);
    for (int d = 0; d < DIM; d++)
        fill_border_periodic(e, e->f.mixing[d], -1);
    float rate = largest_rate(e, &NOTHING, active);
    int stages = sp_mix_stages((double)rate);
    for (int j = 1; j <= stages; j++) {
        X(mix_stage) stage = X(mix_stage_at)(&e->f, j, stages, rate);
        mix_faces(e, &stage, active);
        fill_faces_periodic(e, stage.to);
    }
    drag.only_held = true;
    drag_faces(e, &drag, active);
}
