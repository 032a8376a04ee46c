/* check.c -- whether a scene makes sense as a whole.
 *
 * First every setting against the limits of the table, because a scene may have been made by hand
 * in C; then what no setting can show alone: sizes and cells, pairs of sides, time steps, shapes
 * (check_shapes.c), gaps between solids (check_gaps.c), times (check_times.c), channels
 * (check_channels.c), gauges (check_gauges.c). The first error ends the check; warnings go to the
 * log. */
#include "check.h"

#include "attributes.h"
#include "base/status.h"
#include "medium.h"
#include "schema.h"
#include "sides.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MAX_CELLS_PER_AXIS 16384
#define MAX_CELLS 2147483647.0
#define LEAST_CFL 0.01

static spate_status check_row(void *user, const sp_row *row, const void *owner, const char *key,
                              const char *path)
{
    (void)key;
    sp_checker *c = user;
    return sp_row_check(row, owner, c->scene->dim, path, c->error);
}

static const char axis_names[] = "xyz";

static spate_status check_cells(const spate_scene *scene, spate_error *error)
{
    const char *cause = scene->domain.cell_size > 0 ? "domain.cell_size" : "domain.cells";
    double total = 1;
    for (int d = 0; d < scene->dim; d++) {
        double cells = sp_scene_cells(scene, d);
        if (!(cells <= MAX_CELLS_PER_AXIS))
            return sp_fail(error, SPATE_ERROR_SCENE, cause,
                           "gives %.15g cells along %c, at most %d are possible: use larger cells",
                           cells, axis_names[d], MAX_CELLS_PER_AXIS);
        total *= cells;
    }
    if (total > MAX_CELLS)
        return sp_fail(error, SPATE_ERROR_SCENE, cause,
                       "gives %.15g cells in all, at most %.15g are possible: use larger cells",
                       total, MAX_CELLS);
    return SPATE_OK;
}

spate_status sp_scene_check_size(const spate_scene *scene, spate_error *error)
{
    static const char *const names[] = {"domain.size", "domain.cells", "domain.cell_size",
                                        "frames",      "fps",          "fluid.particles_per_axis"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        const sp_row *row = NULL;
        sp_schema_find(names[k], &row);
        TRY(sp_row_check(row, scene, scene->dim, names[k], error));
    }
    return check_cells(scene, error);
}

/* Walls stand at the size, other sides on the nearest faces of the grid; the two ends of a periodic
 * axis are one place, which cannot be in the middle of a cell. */
static spate_status check_size(sp_checker *c, int axis)
{
    const spate_scene *scene = c->scene;
    double size = scene->domain.size[axis], cells = sp_scene_cells(scene, axis), dx = c->dx;
    if (sp_scene_cuts_cells(scene, axis) || fabs(cells * dx - size) <= SP_FITS * dx)
        return SPATE_OK;
    if (scene->domain.sides[axis][0] == SPATE_SIDE_PERIODIC)
        return sp_fail(c->error, SPATE_ERROR_SCENE, "domain.size",
                       "must be a whole number of cells along %c, which is periodic: %.6g m are "
                       "%.6g cells of %.6g m; the nearest is %.9g m, or use cells of %.9g m "
                       "(domain.cell_size)",
                       axis_names[axis], size, size / dx, dx, cells * dx, size / cells);
    sp_log(c->log, c->user, SPATE_LOG_WARNING, "domain.size",
           "is no whole number of cells along %c: %s stands at %.6g m, not %.6g m (%.0f cells of "
           "%.6g m)",
           axis_names[axis],
           scene->domain.sides[axis][1] == SPATE_SIDE_OPEN ? "the open side"
                                                           : "with voxel solids the wall",
           cells * dx, size, cells, dx);
    return SPATE_OK;
}

static spate_status check_domain(sp_checker *c)
{
    TRY(check_cells(c->scene, c->error));
    for (int d = 0; d < c->scene->dim; d++)
        TRY(check_size(c, d));
    return SPATE_OK;
}

static const char *const side_names[3][2] = {
    {"left", "right"}, {"bottom", "top"}, {"back", "front"}};

spate_status sp_check_wall(const sp_checker *c, spate_wall wall, double roughness,
                           const char *where)
{
    if (wall == SPATE_WALL_ROUGH && !(roughness > 0))
        return sp_fail(c->error, SPATE_ERROR_SCENE, where,
                       "is required for a rough wall: metres, about 2.5 times the size of the "
                       "grains on it");
    if (wall != SPATE_WALL_ROUGH && roughness > 0)
        return sp_fail(c->error, SPATE_ERROR_SCENE, where,
                       "means nothing without a wall that is \"rough\"");
    return SPATE_OK;
}

void sp_warn_if_rough(const sp_checker *c, spate_wall wall, double roughness, int walls,
                      const char *where)
{
    char others[64] = "";
    if (walls > 1)
        snprintf(others, sizeof others, ", here and at %d more alike", walls - 1);
    if (wall == SPATE_WALL_ROUGH && roughness > 15 * c->dx)
        sp_log(c->log, c->user, SPATE_LOG_WARNING, where,
               "is %.3g cells%s: the log law holds above half of it; what is rougher than that is "
               "a shape, not a roughness",
               roughness / c->dx, others);
}

static spate_status check_walls(sp_checker *c)
{
    for (int d = 0; d < c->scene->dim; d++)
        for (int end = 0; end < 2; end++) {
            char where[64];
            spate_wall wall = c->scene->domain.wall[d][end];
            snprintf(where, sizeof where, "domain.wall.%s", side_names[d][end]);
            if (wall != SPATE_WALL_SLIP && c->scene->domain.sides[d][end] != SPATE_SIDE_WALL)
                return sp_fail(c->error, SPATE_ERROR_SCENE, where,
                               "this side of the domain is no wall: leave it out");
            snprintf(where, sizeof where, "domain.roughness.%s", side_names[d][end]);
            TRY(sp_check_wall(c, wall, c->scene->domain.roughness[d][end], where));
            sp_warn_if_rough(c, wall, c->scene->domain.roughness[d][end], 1, where);
        }
    return SPATE_OK;
}

static spate_status check_sides(sp_checker *c)
{
    for (int d = 0; d < c->scene->dim; d++) {
        const spate_side *pair = c->scene->domain.sides[d];
        int odd = pair[0] == SPATE_SIDE_PERIODIC ? 0 : 1;
        if ((pair[0] == SPATE_SIDE_PERIODIC) == (pair[1] == SPATE_SIDE_PERIODIC))
            continue;
        char where[64] = "domain.sides.";
        strcat(where, side_names[d][odd]);
        return sp_fail(c->error, SPATE_ERROR_SCENE, where,
                       "is periodic, but '%s' is not: both must be, or neither",
                       side_names[d][1 - odd]);
    }
    return SPATE_OK;
}

static spate_status check_time(sp_checker *c)
{
    const spate_scene *scene = c->scene;
    const double *g = scene->gravity;
    double frame = 1 / scene->fps, dt = scene->time.dt;
    if (scene->time.min_substeps > scene->time.max_substeps)
        return sp_fail(c->error, SPATE_ERROR_SCENE, "time.min_substeps",
                       "must not exceed time.max_substeps (%d; got %d)", scene->time.max_substeps,
                       scene->time.min_substeps);
    if (scene->time.cfl < LEAST_CFL)
        return sp_fail(c->error, SPATE_ERROR_SCENE, "time.cfl", "must be >= %g (got %g)", LEAST_CFL,
                       scene->time.cfl);
    if (scene->time.cfl > 10)
        sp_log(
            c->log, c->user, SPATE_LOG_WARNING, "time.cfl",
            "is large (%g cells per step): particles may cross each other's paths; 1 to 5 is usual",
            scene->time.cfl);
    if (dt <= 0)
        return SPATE_OK;
    if (frame / dt > 1e6)
        return sp_fail(c->error, SPATE_ERROR_SCENE, "time.dt",
                       "makes %.3g steps per frame, at most 1e6 are possible", frame / dt);
    if (dt > frame * (1 + 1e-9))
        sp_log(c->log, c->user, SPATE_LOG_WARNING, "time.dt",
               "is longer than a frame (%g s; got %g s): steps end with the frame", frame, dt);
    double gravity = sqrt(g[0] * g[0] + g[1] * g[1] + (scene->dim == 3 ? g[2] * g[2] : 0));
    double step = dt < frame ? dt : frame, fall = gravity * step * step / c->dx;
    if (sp_medium_of(scene)->falls && fall > scene->time.cfl)
        sp_log(c->log, c->user, SPATE_LOG_WARNING, "time.dt",
               "is long: in one step from rest liquid falls %.3g cells, more than time.cfl (%g)",
               fall, scene->time.cfl);
    return SPATE_OK;
}

static spate_status check_pressure(sp_checker *c)
{
    double relaxation = c->scene->pressure.relaxation;
    if (c->scene->pressure.solver == SPATE_SOLVER_JACOBI && relaxation > 1)
        return sp_fail(c->error, SPATE_ERROR_SCENE, "pressure.relaxation",
                       "must be at most 1 for jacobi, which diverges beyond it (got %g)",
                       relaxation);
    return SPATE_OK;
}

static spate_status check_reseed(sp_checker *c)
{
    const spate_scene *scene = c->scene;
    int n = scene->fluid.particles_per_axis, full = n * n * (scene->dim == 3 ? n : 1);
    int least = scene->fluid.reseed_min, most = scene->fluid.reseed_max;
    if (least > full)
        return sp_fail(c->error, SPATE_ERROR_SCENE, "fluid.reseed_min",
                       "must not exceed the particles of a full cell (%d; got %d)", full, least);
    if (most > 0 && most < full)
        return sp_fail(c->error, SPATE_ERROR_SCENE, "fluid.reseed_max",
                       "must not be below the particles of a full cell (%d; got %d)", full, most);
    return SPATE_OK;
}

static spate_status check_output(sp_checker *c)
{
    sp_wish wishes[SP_MAX_ATTRIBUTES];
    int count;
    if (c->scene->output.volume == SPATE_OUTPUT_VOLUME_VDB && c->scene->dim == 2)
        return sp_fail(c->error, SPATE_ERROR_SCENE, "output.volume",
                       "OpenVDB holds volumes, not planes: use \"vtk\" in a 2D scene");
    return sp_attributes_parse(c->scene, c->scene->output.attributes, wishes, &count, c->error);
}

/* ------------------------------------------------------------------ all */

/* Each setting by itself. */
static spate_status check_settings(sp_checker *c)
{
    const spate_scene *scene = c->scene;
    const double *size = scene->domain.size;
    if (scene->dim != 2 && scene->dim != 3)
        return sp_fail(c->error, SPATE_ERROR_SCENE, "domain.size",
                       "the dimension of a scene is 2 or 3 (got %d)", scene->dim);
    if (size[0] == 0 && size[1] == 0 && size[2] == 0)
        return sp_fail(
            c->error, SPATE_ERROR_SCENE, "domain.size",
            "is required: [width, height] in metres for 2D, [width, height, depth] for 3D");
    return sp_scene_walk(scene, &(sp_walk){.setting = check_row, .user = c});
}

/* All of them together, with the defaults of the kind of fluid. */
static spate_status check_whole(sp_checker *c)
{
    c->dx = sp_scene_cell_size(c->scene);
    TRY(check_sides(c));
    TRY(check_domain(c));
    TRY(check_walls(c));
    TRY(check_time(c));
    TRY(check_pressure(c));
    TRY(check_reseed(c));
    TRY(sp_check_shapes(c));
    TRY(sp_check_gaps(c));
    TRY(sp_check_times(c));
    TRY(sp_check_channels(c));
    TRY(check_output(c));
    TRY(sp_check_whitewater(c));
    TRY(sp_check_tracers(c));
    TRY(sp_check_gauges(c));
    return sp_check_gas(c);
}

spate_status spate_scene_check(const spate_scene *scene, spate_log_fn *log, void *user,
                               spate_error *error)
{
    sp_checker c = {.scene = scene, .log = log, .user = user, .error = error};
    TRY(check_settings(&c));
    spate_scene *settled = spate_scene_copy(scene);
    if (!settled)
        return sp_fail_memory(error, "the check of the scene", sizeof *settled);
    c.scene = settled;
    spate_status status = spate_scene_settle(settled, error);
    if (status == SPATE_OK)
        status = check_whole(&c);
    spate_scene_destroy(settled);
    return status;
}
