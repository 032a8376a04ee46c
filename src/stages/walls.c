/* walls.c -- part of FORCES: walls drag the water beside them (kernels/walls.h), and mixing carries
 * their stress into the water (kernels/mixing.h). */
#include "exec.h"

#include "kernels/mixing.h" /* over the lanes of exec.h */

typedef struct drag_args {
    X(walls) walls;
    bool only_held;
} drag_args;

typedef struct side_args {
    int side;
} side_args;

EACH_TILE(find_reached, X(walls))
{
    f->tiles.reached[tile] = X(is_reached)(f, a, tile);
}

CELLS(find_depth, X(walls))
{
    if (f->tiles.reached[tile])
        FOR_EACH_CELL(c, cell)
            X(find_depth)(f, c, cell, a);
}

EACH_LONG(find_side_depth, side_args)
{
    X(find_side_depth)(f, a->side, i);
}

CELLS(find_volume, X(walls))
{
    if (f->tiles.reached[tile])
        FOR_EACH_LANES(c, cell)
            X(find_volume)(f, c, cell, a);
}

CELLS(drag_faces, drag_args)
{
    if (f->tiles.reached[tile])
        FOR_EACH_LANES(c, cell)
            X(drag_faces)(f, c, cell, &a->walls, a->only_held);
}

CELLS(find_mixing, X(walls))
{
    if (f->tiles.reached[tile])
        FOR_EACH_LANES(c, cell)
            X(find_mixing)(f, c, a->dt);
}

CELLS(find_cell_mixing, sp_nothing)
{
    if (f->tiles.reached[tile])
        FOR_EACH_LANES(c, cell)
            X(find_cell_mixing)(f, c);
}

CELLS(mix_faces, X(mix_stage))
{
    if (f->tiles.reached[tile])
        FOR_EACH_LANES(c, cell)
            X(mix_faces)(f, c, a);
}

SP_KERNEL void keep_larger(float *most, const float *rate)
{
    *most = *rate > *most ? *rate : *most;
}

CELLS_FOLD(largest_rate, sp_nothing, float, keep_larger)
{
    if (f->tiles.reached[tile])
        FOR_EACH_LANES(c, cell) {
            float rate = X(mixing_rate)(f, c);
            keep_larger(part, &rate);
        }
}

static void fill_faces_periodic(X(exec) *e, float *const fields[DIM])
{
    for (int d = 0; d < DIM; d++)
        fill_border_periodic(e, fields[d], d);
}

static void find_depths(X(exec) *e, const X(walls) *walls, X(tile_list) active)
{
    find_reached(e, walls, active);
    find_depth(e, walls, active);
    for (int k = 0; k < 2 * DIM; k++) {
        side_args side = {k};
        if (walls->side[k / 2][k % 2] != SPATE_WALL_SLIP)
            find_side_depth(e, &side, X(column_count)(&e->f.grid, k));
    }
    fill_border_periodic(e, e->f.wall_distance, -1);
    fill_border_periodic(e, e->f.depth, -1);
}

static void mix(X(exec) *e, const X(walls) *walls, X(tile_list) active)
{
    find_mixing(e, walls, active);
    for (int d = 0; d < (DIM == 2 ? 1 : DIM); d++)
        fill_border_periodic(e, e->f.mixing[d], -1);
    find_cell_mixing(e, &NOTHING, active);
    fill_border_periodic(e, e->f.cell_mixing, -1);
    float rate = largest_rate(e, &NOTHING, active);
    int stages = sp_mix_stages((double)rate);
    for (int j = 1; j <= stages; j++) {
        X(mix_stage) stage = X(mix_stage_at)(&e->f, j, stages, rate);
        mix_faces(e, &stage, active);
        fill_faces_periodic(e, stage.to);
    }
}

/* A chain of passes. Each reads what the one before it left around its cells, so the border of a
 * periodic side is filled in between. */
void DEV(drag_at_walls)(X(exec) *e, const X(walls) *walls)
{
    X(tile_list) active = active_tiles(&e->f);
    drag_args drag = {*walls, false};
    find_depths(e, walls, active);
    find_volume(e, walls, active);
    fill_faces_periodic(e, e->f.volume);
    fill_faces_periodic(e, e->f.u);
    drag_faces(e, &drag, active);
    fill_faces_periodic(e, e->f.mixed);
    mix(e, walls, active);
    drag.only_held = true;
    if (walls->sticks)
        drag_faces(e, &drag, active);
}
