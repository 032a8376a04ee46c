/* sides.c -- where the sides of the domain stand, and the walls that stand between faces of the
 * grid. */
#include "sides.h"

#include "base/status.h"
#include "schema.h"
#include "solids.h"

#include <math.h>

double sp_scene_cell_size(const spate_scene *scene)
{
    double longest = 0;
    if (scene->domain.cell_size > 0)
        return scene->domain.cell_size;
    for (int d = 0; d < scene->dim; d++)
        longest = scene->domain.size[d] > longest ? scene->domain.size[d] : longest;
    return longest / scene->domain.cells;
}

bool sp_scene_cuts_cells(const spate_scene *scene, int axis)
{
    return scene->domain.sides[axis][1] == SPATE_SIDE_WALL &&
           scene->pressure.solids == SPATE_SOLID_MODEL_CUT;
}

#define BEHIND 1 /* cells behind a wall that cuts cells */

double sp_scene_cells(const spate_scene *scene, int axis)
{
    double size = scene->domain.size[axis] / sp_scene_cell_size(scene), near = floor(size + 0.5);
    if (sp_scene_cuts_cells(scene, axis) && fabs(size - near) > SP_FITS)
        return floor(size) + 1 + BEHIND;
    return near < 1 ? 1 : near;
}

double sp_scene_extent(const spate_scene *scene, int axis)
{
    double dx = sp_scene_cell_size(scene), whole = sp_scene_cells(scene, axis) * dx;
    double size = scene->domain.size[axis];
    return sp_scene_cuts_cells(scene, axis) && fabs(whole - size) > SP_FITS * dx ? size : whole;
}

/* Beyond the side by more than any array of the grid goes on, so that its nearest face is the one
 * at the side from everywhere. */
#define THICK 64 /* cells */

bool sp_side_wall(const double extent[3], int dim, int axis, double dx, spate_shape *wall)
{
    double cells = extent[axis] / dx;
    if (fabs(cells - floor(cells + 0.5)) <= SP_FITS)
        return false;
    *wall = (spate_shape){.shape = SPATE_SHAPE_BOX, .scale = 1};
    for (int d = 0; d < dim; d++) {
        wall->min[d] = d == axis ? extent[d] : -THICK * dx;
        wall->max[d] = extent[d] + THICK * dx;
    }
    return true;
}

bool sp_scene_has_cut_sides(const spate_scene *scene)
{
    bool found = false;
    double dx = sp_scene_cell_size(scene);
    for (int d = 0; d < scene->dim; d++)
        found = found || sp_scene_extent(scene, d) != sp_scene_cells(scene, d) * dx;
    return found;
}

static spate_status add_sides(sp_solids *solids, const spate_scene *scene, spate_error *error)
{
    double extent[3] = {0, 0, 0};
    for (int d = 0; d < scene->dim; d++)
        extent[d] = sp_scene_extent(scene, d);
    for (int d = 0; d < scene->dim; d++) {
        spate_shape wall;
        int index;
        if (!sp_side_wall(extent, scene->dim, d, sp_scene_cell_size(scene), &wall))
            continue;
        wall.wall = scene->domain.wall[d][1];
        wall.roughness = scene->domain.roughness[d][1];
        TRY(sp_solids_add(solids, &wall, 0, &index, error));
        solids->items[index].generation = SP_SIDE;
    }
    return SPATE_OK;
}

spate_status sp_solids_of_scene(sp_solids *solids, const spate_scene *scene, spate_error *error)
{
    for (int d = 0; d < scene->dim; d++)
        solids->domain[d] = sp_scene_extent(scene, d);
    for (int k = 0; k < scene->solids.count; k++)
        TRY(sp_solids_add(solids, &scene->solids.items[k], 0, NULL, error));
    return add_sides(solids, scene, error);
}
