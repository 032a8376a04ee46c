/* check.h -- what the parts of spate_scene_check share. */
#ifndef SPATE_SCENE_CHECK_H
#define SPATE_SCENE_CHECK_H

#include <spate/spate.h>

typedef struct sp_checker {
    const spate_scene *scene; /* with the defaults of its kind of fluid */
    spate_log_fn *log;
    void *user;
    spate_error *error;
    double dx; /* m */
} sp_checker;

/* All lists of shapes; their limits have been checked. */
spate_status sp_check_shapes(sp_checker *checker);
/* How thick a shape is where it is thinnest (m), judged by its extents; for a mesh an upper bound.
 */
double sp_thickness(const spate_shape *shape, int dim);
/* Gaps between solids; shapes have been checked. */
spate_status sp_check_gaps(sp_checker *checker);
/* A wall, of a side or of a solid; where: its roughness. */
spate_status sp_check_wall(const sp_checker *checker, spate_wall wall, double roughness,
                           const char *where);
/* Warns if the roughness of so many walls is more than the grid can mean by it. */
void sp_warn_if_rough(const sp_checker *checker, spate_wall wall, double roughness, int walls,
                      const char *where);
/* What happens at a time, and how fills begin; shapes have been checked. */
spate_status sp_check_times(sp_checker *checker);
spate_status sp_check_whitewater(sp_checker *checker);
spate_status sp_check_tracers(sp_checker *checker);
spate_status sp_check_channels(sp_checker *checker);
/* What a gas cannot have; everything else has been checked. */
spate_status sp_check_gas(sp_checker *checker);
/* Gauges; shapes have been checked. */
spate_status sp_check_gauges(sp_checker *checker);

#endif
