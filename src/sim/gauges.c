/* gauges.c -- the gauges of a scene after a step, and what the grid says when a host asks: at
 * points, of the force on a solid. Gauges are taken by the device, in parts that are added up here
 * (kernels/gauges.h); what a host asks is read from the host's arrays. */
#include "gauges.h"

#include "kernels/gauges.h"
#include "scene/gauge.h"

#include <string.h>

static double face_area(const X(sim) *s)
{
    double area = 1;
    for (int d = 1; d < DIM; d++)
        area *= s->grid.dx;
    return area;
}

/* ---- at points */

static void sample_at(const X(probe) *v, const double point[3], double *velocity, double *pressure,
                      double *phi)
{
    double x[DIM], value, dx = v->f.grid.dx;
    bool inside = true;
    FOR_DIM(d) {
        x[d] = point[d] / dx;
        inside = inside && x[d] >= -1e-6 && x[d] <= v->f.grid.end[d] + 1e-6;
    }
    if (velocity)
        velocity[0] = velocity[1] = velocity[2] = 0;
    if (velocity && inside)
        X(probe_velocity)(v, x, velocity);
    bool out_of_solids = inside && X(probe_solid)(v, x) >= -dx;
    if (pressure)
        *pressure = out_of_solids && X(probe_pressure)(v, x, &value) ? value : 0;
    if (phi && inside && v->f.surface != SURFACE_VOXEL)
        *phi = X(probe_surface)(v, x);
    else if (phi)
        *phi = !inside ? dx : X(probe_liquid)(v, x) ? -0.5 * dx : 0.5 * dx;
}

void X(sample)(const X(sim) *s, const double *points, size_t count, double *velocity,
               double *pressure, double *phi)
{
    X(probe) v = X(probe_of)(s);
    for (size_t k = 0; k < count; k++)
        sample_at(&v, points + 3 * k, velocity ? velocity + 3 * k : NULL,
                  pressure ? pressure + k : NULL, phi ? phi + k : NULL);
}

/* ---- on a solid */

typedef struct load_args {
    X(probe) probe;
    int solid, component; /* of the load */
    double about[3];      /* cells */
} load_args;

static double load_partial(void *user, size_t begin, size_t end)
{
    const load_args *args = user;
    double sum = 0, load[6];
    for (size_t k = begin; k < end; k++)
        for (int r = 0; r < TILE_ROWS; r++) {
            X(row_load)(&args->probe, args->solid, args->about, args->probe.f.tiles.active[k], r,
                        load);
            sum += load[args->component];
        }
    return sum;
}

static double sum_load(X(sim) *s, load_args *args, int component)
{
    args->component = component;
    return face_area(s) * X(sum)(s, (size_t)s->tiles.active_count, 1, load_partial, args);
}

void X(solid_force)(X(sim) *s, int solid, const double about[3], double force[3], double torque[3])
{
    load_args args = {.probe = X(probe_of)(s), .solid = solid};
    for (int d = 0; d < 3; d++)
        args.about[d] = about[d] / s->grid.dx;
    for (int d = 0; d < 3 && force; d++)
        force[d] = d < DIM ? sum_load(s, &args, d) : 0;
    for (int d = 0; d < 3 && torque; d++) /* 2D: about the third axis only */
        torque[d] = DIM == 3 || d == 2 ? s->grid.dx * sum_load(s, &args, 3 + d) : 0;
}

/* ---- the gauges of the scene */

void X(build_grid)(X(sim) *s)
{
    const X(plan) *plan = s->host->plan(s, false);
    const sp_stage stages[] = {SP_STAGE_SORT, SP_STAGE_P2G, SP_STAGE_SURFACE};
    s->path = 0;
    s->host->lay_solids(s);
    for (size_t k = 0; k < sizeof stages / sizeof *stages; k++)
        plan->stage[stages[k]](s, 0, NULL);
    s->host->update_channels(s);
    FOR_DIM(d)
        X(fill_border)(s, s->u[d], d);
}

/* The value of a gauge from the sum of its items. */
static void finish(const X(sim) *s, const X(gauge) *g, const double sum[3], double values[3])
{
    double scale = 1;
    int a = g->axis;
    switch (g->kind) {
    case SPATE_GAUGE_HEIGHT: scale = s->grid.dx; break;
    case SPATE_GAUGE_PRESSURE: scale = sum[1] > 0 ? 1 / sum[1] : 0; break;
    case SPATE_GAUGE_CHANNEL:
        values[0] = sum[1] > 0 ? sum[0] / sum[1] + X(channel_origin)(s, g->on_grid) : 0;
        values[1] = values[2] = 0;
        return;
    case SPATE_GAUGE_VELOCITY: break;
    case SPATE_GAUGE_FLUX:
    case SPATE_GAUGE_FORCE: scale = face_area(s); break;
    case SPATE_GAUGE_MOMENT: scale = s->grid.dx * face_area(s); break;
    case SPATE_GAUGE_FRONT: /* that of the box, where nothing is deep enough */
        values[0] = s->grid.dx * (sum[1] > 0    ? g->sign * sum[0]
                                  : g->sign > 0 ? g->low[a]
                                                : g->high[a]);
        values[1] = values[2] = 0;
        return;
    case SPATE_GAUGE_SLICE: break;
    }
    for (int v = 0; v < 3; v++)
        values[v] = g->kind == SPATE_GAUGE_PRESSURE && v > 0 ? 0 : scale * sum[v];
}

/* All gauges with `stretch` of p and the rest of p_gravity. */
static void take(X(sim) *s, const X(device) *device, double stretch, double (*values)[3])
{
    int count = s->common->scene->gauge_count;
    size_t parts = device->take_gauges(s, stretch);
    for (int k = 0; k < count; k++) {
        const X(gauge) *g = &s->gauges[k];
        size_t end = k + 1 < count ? s->gauges[k + 1].first : parts;
        double sum[3] = {0, 0, 0};
        for (size_t part = g->first; part < end; part++)
            X(gauge_add)(g, s->gauge_parts[part], sum);
        finish(s, g, sum, values[k]);
    }
}

/* Pressures and forces are means over the step: times its length, the impulse that it gave. What
 * the way of the particles gave is of the last step, though, dt_last long (pressure.c): a change of
 * the step brings the gauge that much nearer to the particles, or farther from them, and moves
 *
 *     c (dt - dt_last)
 *
 * of impulse from later steps to this one, where c is that part of the pressure, over dt_last. In a
 * flow that changes little from step to step the value is that of even steps. A blow is another
 * thing: it falls into one step, and no later one has a share in it to be moved. So c is at most
 * GROWTH times what it was in the last step, which is more than a flow without blows needs. */
#define GROWTH 1.1

static double mean_of_step(double p, double gravity, const double *last, double stretch)
{
    double ratio = 2 * stretch - 1; /* dt / dt_last */
    double mean = 0.5 * (1 + 1 / ratio) * (p - gravity);
    double now = ratio * mean, before = last ? *last - gravity : now;
    double c = now * before <= 0 ? 0 : fabs(now) < GROWTH * fabs(before) ? now : GROWTH * before;
    return gravity + mean + c * (1 - 1 / ratio);
}

void X(read_gauges)(X(sim) *s, bool build)
{
    sp_common *common = s->common;
    const spate_scene *scene = common->scene;
    if (build) {
        X(build_grid)(s);
        take(s, s->host, s->stretch, common->gauges);
        return;
    }
    take(s, s->device, 1, common->gauges);
    if (s->stretch != 1)
        take(s, s->device, 0, s->gauge_gravity);
    for (int k = 0; k < scene->gauge_count; k++) {
        bool load = sp_gauge_is_load(scene->gauges[k].kind);
        for (int v = 0; v < 3 && load && s->stretch != 1; v++)
            common->gauges[k][v] =
                mean_of_step(common->gauges[k][v], s->gauge_gravity[k][v],
                             common->has_last ? &common->gauges_last[k][v] : NULL, s->stretch);
    }
    memcpy(common->gauges_last, common->gauges,
           (size_t)scene->gauge_count * sizeof *common->gauges_last);
    common->has_last = true;
}
