/* sides.h -- where the sides of the domain stand.
 *
 * The low sides and all sides but walls stand on faces of the grid; the size is then the nearest
 * whole number of cells (along a periodic axis it must be one: check.c). A wall at the high end of
 * an axis stands at domain.size. Where that is between two faces, it cuts cells like any solid:
 * among the solids of a simulation is a box that begins at the size, with the drag of the side. It
 * is no solid of the scene: nobody can move, remove or ask for it. Behind the cells that it cuts is
 * one more, so that particles in these see faces of the solid and not the mirror image that the
 * border of the grid holds. Voxel solids know no cut cells: their walls, too, stand on faces. */
#ifndef SPATE_SCENE_SIDES_H
#define SPATE_SCENE_SIDES_H

#include "kernels/solid.h"

/* Cells that a size may differ from a whole number of them. Particles keep ten times as far from
 * walls. */
#define SP_FITS 1e-4

/* Whether the wall at the high end of an axis may stand between two faces. */
bool sp_scene_cuts_cells(const spate_scene *scene, int axis);
/* m, where the side at the high end of an axis stands. */
double sp_scene_extent(const spate_scene *scene, int axis);
/* Whether some wall stands between two faces. */
bool sp_scene_has_cut_sides(const spate_scene *scene);

/* The wall at the high end of an axis of a domain of this extent (m) as a solid; false: it stands
 * on faces. */
bool sp_side_wall(const double extent[3], int dim, int axis, double dx, spate_shape *wall);

/* Those of the scene, in its order, and then the walls that cut cells. */
spate_status sp_solids_of_scene(sp_solids *solids, const spate_scene *scene, spate_error *error);

#endif
