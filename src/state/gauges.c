/* gauges.c -- the gauges of a scene as devices take them (kernels/gauges.h): where they are in the
 * grid, of how many items each is the sum, and memory for the parts of these sums. */
#include "device.h"

#include "kernels/gauges.h"
#include "scene/gauge.h"

#include <math.h>

#define FOOTPRINT_MOST 8 /* points along a radius */

X(probe) X(probe_of)(const X(sim) *s)
{
    const double *gravity = s->common->gravity;
    X(probe) v = {.f = X(fields_of)(s),
                  .stretch = s->stretch,
                  .cut = X(has_cut_cells)(s),
                  .up = 1,
                  .path = s->path,
                  .dt = s->common->last_dt};
    FOR_DIM(d)
        v.weight[d] = s->common->medium->falls
                          ? s->common->scene->fluid.density * gravity[d] * s->grid.dx
                          : 0;
    FOR_DIM(d)
        v.up = fabs(gravity[d]) > fabs(gravity[v.up]) ? d : v.up;
    v.sign = gravity[v.up] > 0 ? -1 : 1;
    return v;
}

/* On a wall that is a solid it is a hair before it, in the liquid. */
static void in_cells(const X(grid) *g, const double point[3], double x[DIM])
{
    FOR_DIM(d) {
        double end = g->end[d] < g->n[d] ? g->end[d] - 1e-6 : g->n[d];
        x[d] = fmin(fmax(point[d] / g->dx, 0), end);
    }
}

static size_t parts_of(size_t items)
{
    return (items + TILE_ROWS - 1) / TILE_ROWS;
}

/* ---- each kind */

static void set_height(const X(probe) *v, const spate_gauge *from, X(gauge) *g)
{
    in_cells(&v->f.grid, from->at, g->low);
    double start = g->low[v->up], end = v->sign > 0 ? v->f.grid.n[v->up] : 0;
    double pieces = 2 * fabs(end - X(height_cut)(v, start, 0)) + 1;
    g->items = v->sign * (end - start) > 0 ? (uint32_t)pieces : 0;
}

/* Unit vector across the wall or solid that is within a cell of x; false if there is none. */
static bool across_wall(const X(sim) *s, const double x[DIM], double normal[3])
{
    double nearest = s->grid.dx, world[3] = {0, 0, 0}, solid_normal[3];
    bool found = false;
    FOR_DIM(d)
        world[d] = x[d] * s->grid.dx;
    FOR_DIM(d) {
        for (int side = 0; side < 2; side++) {
            double gap = side ? (s->grid.n[d] - x[d]) * s->grid.dx : world[d];
            if (s->sides[d][side] != SPATE_SIDE_WALL || gap >= nearest)
                continue;
            nearest = gap;
            found = true;
            for (int a = 0; a < 3; a++)
                normal[a] = a == d;
        }
    }
    if (s->solids.live > 0 &&
        fabs(sp_solids_distance(&s->solids, world, solid_normal, NULL)) < nearest) {
        memcpy(normal, solid_normal, sizeof solid_normal);
        found = true;
    }
    return found;
}

/* Two unit vectors that make a frame with the first; in 2D the last is the third axis. */
static void complete_frame(double frame[3][3])
{
    const double *n = frame[0];
    int least = DIM == 2 ? 2 : 0;
    for (int d = 1; d < DIM; d++)
        least = DIM == 3 && fabs(n[d]) < fabs(n[least]) ? d : least;
    double size = sqrt(1 - n[least] * n[least]);
    for (int d = 0; d < 3; d++) {
        int e = (d + 1) % 3, f = (d + 2) % 3;
        frame[1][d] = ((e == least) * n[f] - (f == least) * n[e]) / size;
    }
    for (int d = 0; d < 3; d++) {
        int e = (d + 1) % 3, f = (d + 2) % 3;
        frame[2][d] = n[e] * frame[1][f] - n[f] * frame[1][e];
    }
}

static void set_footprint(const X(sim) *s, const spate_gauge *from, X(gauge) *g)
{
    double radius = from->radius / s->grid.dx;
    in_cells(&s->grid, from->at, g->low);
    g->most = (int)fmin(ceil(2 * radius), FOOTPRINT_MOST);
    g->items = 1;
    if (g->most == 0)
        return;
    g->frame[0][0] = 1;
    bool disc = across_wall(s, g->low, g->frame[0]);
    complete_frame(g->frame);
    g->step = radius / g->most;
    g->reach[0] = disc ? 0 : g->most;
    g->reach[1] = g->most;
    g->reach[2] = LAST(g->most + 1) - 1;
    for (int d = 0; d < 3; d++)
        g->items *= 2 * (uint32_t)g->reach[d] + 1;
}

static void set_flux(const X(grid) *grid, const spate_gauge *from, X(gauge) *g)
{
    in_cells(grid, from->min, g->low);
    in_cells(grid, from->max, g->high);
    FOR_DIM(d)
        g->axis = from->min[d] == from->max[d] ? d : g->axis;
    g->plane = (int)floor(g->low[g->axis]);
    g->items = g->low[g->axis] > g->plane ? 2 : 1;
    FOR_DIM(d) {
        g->from[d] = (int)floor(g->low[d]);
        g->count[d] = d == g->axis ? 1 : (int)ceil(g->high[d]) - g->from[d];
        g->items *= (uint32_t)g->count[d];
    }
}

static void set_force(const X(sim) *s, const X(probe) *v, const spate_gauge *from, X(gauge) *g)
{
    g->solid = sp_gauge_solid(s->common->scene, from);
    /* the scene's own, not one that has taken its place */
    if (sp_solids_find(&s->solids, (spate_solid_id){(uint32_t)g->solid, 1}))
        g->items = (uint32_t)v->f.tiles.active_count * TILE_ROWS;
}

/* The point may be anywhere. */
static void set_moment(const X(sim) *s, const X(probe) *v, const spate_gauge *from, X(gauge) *g)
{
    FOR_DIM(d)
        g->low[d] = from->at[d] / s->grid.dx;
    set_force(s, v, from, g);
}

static void set_front(const X(probe) *v, const spate_gauge *from, X(gauge) *g)
{
    const X(grid) *grid = &v->f.grid;
    bool box = !isnan(from->min[0]);
    double corner[3] = {0, 0, 0}, other[3] = {0, 0, 0};
    FOR_DIM(d) {
        corner[d] = box ? from->min[d] : 0;
        other[d] = box ? from->max[d] : grid->n[d] * grid->dx;
    }
    in_cells(grid, corner, g->low);
    in_cells(grid, other, g->high);
    g->axis = (int)from->axis / 2;
    g->sign = (int)from->axis % 2 ? -1 : 1;
    g->depth = from->depth > 0 ? from->depth / grid->dx : 1;
    g->items = g->axis != v->up; /* gravity may have turned */
    FOR_DIM(d) {
        g->from[d] = (int)floor(g->low[d]);
        g->count[d] = (int)ceil(g->high[d]) - g->from[d];
        g->count[d] = d == v->up || g->count[d] < 1 ? 1 : g->count[d];
        g->items *= (uint32_t)g->count[d];
    }
}

/* ---- all */

size_t X(list_gauges)(X(sim) *s, const X(probe) *v)
{
    const spate_scene *scene = s->common->scene;
    size_t parts = 0;
    for (int k = 0; k < scene->gauge_count; k++) {
        const spate_gauge *from = &scene->gauges[k];
        X(gauge) *g = &s->gauges[k];
        memset(g, 0, sizeof *g);
        g->kind = from->kind;
        g->on_grid = sp_gauge_grid_column(scene, from);
        g->first = (uint32_t)parts;
        switch (g->kind) {
        case SPATE_GAUGE_HEIGHT: set_height(v, from, g); break;
        case SPATE_GAUGE_PRESSURE:
        case SPATE_GAUGE_CHANNEL: set_footprint(s, from, g); break;
        case SPATE_GAUGE_VELOCITY:
            in_cells(&s->grid, from->at, g->low);
            g->items = 1;
            break;
        case SPATE_GAUGE_FLUX: set_flux(&s->grid, from, g); break;
        case SPATE_GAUGE_FORCE: set_force(s, v, from, g); break;
        case SPATE_GAUGE_MOMENT: set_moment(s, v, from, g); break;
        case SPATE_GAUGE_FRONT: set_front(v, from, g); break;
        case SPATE_GAUGE_SLICE: break; /* io/slices.c */
        }
        parts += parts_of(g->items);
    }
    return parts;
}

size_t X(most_gauge_parts)(const spate_scene *scene, const X(grid) *grid)
{
    size_t parts = 0, longest = 0, points = 1, cells = 1, shortest = SIZE_MAX;
    FOR_DIM(d) {
        size_t n = (size_t)grid->n[d];
        longest = n > longest ? n : longest;
        shortest = n < shortest ? n : shortest;
        cells *= n;
        points *= 2 * FOOTPRINT_MOST + 1;
    }
    for (int k = 0; k < scene->gauge_count; k++) {
        X(gauge) g = {.items = 1};
        switch (scene->gauges[k].kind) {
        case SPATE_GAUGE_HEIGHT: g.items = 2 * (uint32_t)longest + 1; break;
        case SPATE_GAUGE_PRESSURE:
        case SPATE_GAUGE_CHANNEL: g.items = (uint32_t)points; break;
        case SPATE_GAUGE_VELOCITY: break;
        case SPATE_GAUGE_FLUX: set_flux(grid, &scene->gauges[k], &g); break;
        case SPATE_GAUGE_FORCE:
        case SPATE_GAUGE_MOMENT: g.items = (uint32_t)grid->tile_count * TILE_ROWS; break;
        case SPATE_GAUGE_FRONT: g.items = (uint32_t)(cells / shortest); break;
        case SPATE_GAUGE_SLICE: break;
        }
        parts += parts_of(g.items);
    }
    return parts;
}

spate_status X(gauges_create)(X(sim) *s, spate_error *error)
{
    const spate_scene *scene = s->common->scene;
    size_t parts = X(most_gauge_parts)(scene, &s->grid);
    if (scene->gauge_count == 0)
        return SPATE_OK;
    s->gauges = sp_alloc((size_t)scene->gauge_count, sizeof *s->gauges);
    s->gauge_parts = sp_alloc(parts, sizeof *s->gauge_parts);
    s->gauge_gravity = sp_alloc((size_t)scene->gauge_count, sizeof *s->gauge_gravity);
    return s->gauges && s->gauge_parts && s->gauge_gravity
               ? SPATE_OK
               : sp_fail_memory(error, "the gauges", parts * sizeof *s->gauge_parts);
}

void X(gauges_destroy)(X(sim) *s)
{
    sp_free(s->gauges);
    sp_free(s->gauge_parts);
    sp_free(s->gauge_gravity);
}
