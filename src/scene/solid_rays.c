/* solid_rays.c -- see solid_rays.h.
 *
 * Every shape but a mesh is convex: the part of a line inside it is one interval, in the frame of
 * the shape. A box is three slabs, a cylinder a slab and a quadratic equation, a capsule the hull
 * of a cylinder and two balls. */
#include "solid_rays.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/status.h"

#define TABLE 32 /* steps of a table along the longest side of its mesh */
#define MARGIN 6 /* steps, around it */

typedef struct line {
    double from[3], along[3];
} line;

typedef struct interval {
    double in, out; /* in > out: empty */
} interval;

static const interval NOWHERE = {1, 0};

/* Not those that were removed, nor the walls of the domain. */
static bool is_seen(const sp_solid *solid)
{
    return solid->live && solid->generation != SP_SIDE;
}

static line to_local(const sp_pose *pose, const double from[3], const double along[3])
{
    line l;
    const double *a = pose->axes;
    sp_pose_to_local(pose, from, l.from);
    for (int d = 0; d < 3; d++)
        l.along[d] = a[d] * along[0] + a[3 + d] * along[1] + a[6 + d] * along[2];
    return l;
}

/* ------------------------------------------------------------------ convex shapes */

static interval slab(double from, double along, double half)
{
    if (fabs(along) < 1e-300)
        return fabs(from) <= half ? (interval){-HUGE_VAL, HUGE_VAL} : NOWHERE;
    double a = (-half - from) / along, b = (half - from) / along;
    return a < b ? (interval){a, b} : (interval){b, a};
}

static interval common(interval a, interval b)
{
    return (interval){a.in > b.in ? a.in : b.in, a.out < b.out ? a.out : b.out};
}

static interval hull(interval a, interval b)
{
    if (a.in > a.out)
        return b;
    if (b.in > b.out)
        return a;
    return (interval){a.in < b.in ? a.in : b.in, a.out > b.out ? a.out : b.out};
}

/* Where |from + t along - foot| <= radius, over the axes from `axis` on. */
static interval ball(const line *l, double foot, int axis, double radius)
{
    double a = 0, b = 0, c = -radius * radius;
    for (int d = axis; d < 3; d++) {
        double p = l->from[d] - (d == 0 ? foot : 0);
        a += l->along[d] * l->along[d];
        b += p * l->along[d];
        c += p * p;
    }
    if (a < 1e-300)
        return c <= 0 ? (interval){-HUGE_VAL, HUGE_VAL} : NOWHERE;
    double root = b * b - a * c;
    if (root < 0)
        return NOWHERE;
    root = sqrt(root);
    return (interval){(-b - root) / a, (-b + root) / a};
}

static interval half_space(const line *l)
{
    if (fabs(l->along[0]) < 1e-300)
        return l->from[0] <= 0 ? (interval){-HUGE_VAL, HUGE_VAL} : NOWHERE;
    double t = -l->from[0] / l->along[0];
    return l->along[0] < 0 ? (interval){t, HUGE_VAL} : (interval){-HUGE_VAL, t};
}

static interval inside_of(const sp_shape *shape, const line *l)
{
    double half = shape->half[0], radius = shape->radius;
    interval tube;
    switch (shape->kind) {
    case SPATE_SHAPE_BOX:
        return common(slab(l->from[0], l->along[0], half),
                      common(slab(l->from[1], l->along[1], shape->half[1]),
                             slab(l->from[2], l->along[2], shape->half[2])));
    case SPATE_SHAPE_SPHERE: return ball(l, 0, 0, radius);
    case SPATE_SHAPE_CAPSULE:
        tube = common(slab(l->from[0], l->along[0], half), ball(l, 0, 1, radius));
        return hull(tube, hull(ball(l, -half, 0, radius), ball(l, half, 0, radius)));
    case SPATE_SHAPE_CYLINDER:
        return common(slab(l->from[0], l->along[0], half), ball(l, 0, 1, radius));
    case SPATE_SHAPE_PLANE: return half_space(l);
    case SPATE_SHAPE_MESH:
    case SPATE_SHAPE_PARTICLES: break;
    }
    return NOWHERE;
}

/* ------------------------------------------------------------------ all solids */

static bool meet_convex(const sp_shape *shape, const line *l, double begin, double end,
                        sp_solid_hit *hit)
{
    interval in = inside_of(shape, l);
    if (in.in > in.out || in.out <= begin)
        return false;
    hit->inside = !shape->invert && in.in < begin;
    hit->t = shape->invert ? in.out : hit->inside ? begin : in.in;
    return hit->t < end;
}

/* `within`: the ray begins in the bounds of the mesh, and may begin inside it, which the next
 * triangle says however far it is. */
static bool meet_mesh(const sp_shape *shape, const line *l, double begin, double end, bool within,
                      sp_solid_hit *hit)
{
    sp_mesh_ray ray = {.begin = begin, .end = within ? HUGE_VAL : end};
    for (int d = 0; d < 3; d++) { /* both in the units of the file: t stays as it is */
        ray.from[d] = l->from[d] / shape->scale;
        ray.along[d] = l->along[d] / shape->scale;
    }
    while (sp_mesh_meet(shape->mesh, &ray, &hit->cut)) {
        const double *n = hit->cut.normal;
        double turn = n[0] * ray.along[0] + n[1] * ray.along[1] + n[2] * ray.along[2];
        if (turn < 0 && shape->invert) { /* into the hollow */
            ray.begin = hit->cut.t + 1e-9 * (fabs(hit->cut.t) + 1e-30);
            continue;
        }
        hit->inside = turn > 0 && !shape->invert;
        hit->t = hit->inside ? begin : hit->cut.t;
        return hit->t < end;
    }
    return false;
}

/* Whether a line passes the bounds of a solid, which may be infinite; *within: it begins there. */
static bool near_bounds(const sp_solid *solid, const double from[3], const double along[3],
                        double begin, double end, bool *within)
{
    interval all = {-HUGE_VAL, end};
    for (int d = 0; d < 3; d++) {
        double middle = 0.5 * (solid->low[d] + solid->high[d]);
        if (isfinite(middle))
            all = common(all,
                         slab(from[d] - middle, along[d], 0.5 * (solid->high[d] - solid->low[d])));
    }
    *within = all.in <= begin;
    all.in = all.in > begin ? all.in : begin;
    return all.in <= all.out;
}

bool sp_solid_rays_meet(const sp_solid_rays *rays, const double from[3], const double along[3],
                        double begin, double end, bool vessels, sp_solid_hit *hit)
{
    bool met = false, within;
    for (int k = 0; k < rays->count; k++) {
        const sp_solid *solid = &rays->solids->items[k];
        if (!is_seen(solid) || (solid->form.invert && !vessels) ||
            !near_bounds(solid, from, along, begin, end, &within))
            continue;
        line l = to_local(&solid->to, from, along);
        sp_solid_hit here = {.solid = k};
        bool found = solid->form.kind == SPATE_SHAPE_MESH
                         ? meet_mesh(&solid->form, &l, begin, end, within, &here)
                         : meet_convex(&solid->form, &l, begin, end, &here);
        if (found) {
            *hit = here;
            end = here.t;
            met = true;
        }
    }
    return met;
}

void sp_solid_rays_normal(const sp_solid_rays *rays, const double from[3], const double along[3],
                          const sp_solid_hit *hit, double normal[3])
{
    const sp_solid *solid = &rays->solids->items[hit->solid];
    double local[3], point[3];
    if (solid->form.kind == SPATE_SHAPE_MESH && !hit->inside) {
        sp_mesh_smooth_normal(solid->form.mesh, &hit->cut, local);
        sp_pose_rotate_to_world(&solid->to, local, normal);
        for (int d = 0; d < 3 && solid->form.invert; d++)
            normal[d] = -normal[d];
        return;
    }
    for (int d = 0; d < 3; d++)
        point[d] = from[d] + hit->t * along[d];
    sp_solid_distance(solid, point, normal);
}

/* ------------------------------------------------------------------ distances */

static size_t table_place(const sp_distance_table *t, int i, int j, int k)
{
    return ((size_t)k * (size_t)t->n[1] + (size_t)j) * (size_t)t->n[0] + (size_t)i;
}

/* Exact distances at the nodes about a triangle. */
static void fill_near(sp_distance_table *table, const spate_mesh *mesh, size_t triangle)
{
    const uint32_t *corners = sp_mesh_triangles(mesh) + 3 * triangle;
    const double *vertices = sp_mesh_vertices(mesh);
    int low[3], high[3];
    for (int d = 0; d < 3; d++) {
        double a = vertices[3 * (size_t)corners[0] + (size_t)d], b = a;
        for (int c = 1; c < 3; c++) {
            double x = vertices[3 * (size_t)corners[c] + (size_t)d];
            a = x < a ? x : a;
            b = x > b ? x : b;
        }
        low[d] = (int)((a - table->low[d]) / table->step);
        high[d] = (int)((b - table->low[d]) / table->step) + 1;
    }
    for (int k = low[2]; k <= high[2]; k++)
        for (int j = low[1]; j <= high[1]; j++)
            for (int i = low[0]; i <= high[0]; i++) {
                float *value = &table->values[table_place(table, i, j, k)];
                const int at[3] = {i, j, k};
                double p[3];
                for (int d = 0; d < 3; d++)
                    p[d] = table->low[d] + at[d] * table->step;
                if (*value == HUGE_VALF)
                    *value = (float)sp_mesh_distance(mesh, p, NULL);
            }
}

/* One sweep over the nodes that are still far: the least way over a neighbour that the sweep has
 * passed. The nodes on both sides of the surface are known, so the sign is the neighbour's. */
static void sweep_table(sp_distance_table *t, bool back)
{
    static const float ways[4] = {0, 1, 1.41421356f, 1.73205081f};
    int count = t->n[0] * t->n[1] * t->n[2], sign = back ? -1 : 1;
    for (int m = 0; m < count; m++) {
        int index = back ? count - 1 - m : m;
        int i = index % t->n[0], j = index / t->n[0] % t->n[1], k = index / t->n[0] / t->n[1];
        float best = t->values[index];
        for (int c = 0; c < 13; c++) { /* the first 13 of 27 places: those before the middle */
            int x = c % 3 - 1, y = c / 3 % 3 - 1, z = c / 9 - 1;
            int a = i + sign * x, b = j + sign * y, d = k + sign * z;
            if (a < 0 || b < 0 || d < 0 || a >= t->n[0] || b >= t->n[1] || d >= t->n[2])
                continue;
            float near = t->values[table_place(t, a, b, d)];
            float way = ways[abs(x) + abs(y) + abs(z)] * (float)t->step;
            if (fabsf(near) + way < fabsf(best))
                best = near < 0 ? near - way : near + way;
        }
        t->values[index] = best;
    }
}

static spate_status fill_table(sp_distance_table *table, const spate_mesh *mesh, spate_error *error)
{
    double high[3], longest = 0;
    sp_mesh_bounds(mesh, table->low, high);
    for (int d = 0; d < 3; d++)
        longest = high[d] - table->low[d] > longest ? high[d] - table->low[d] : longest;
    table->step = longest / TABLE;
    for (int d = 0; d < 3; d++) {
        table->n[d] = (int)ceil((high[d] - table->low[d]) / table->step) + 2 * MARGIN + 1;
        table->low[d] -= MARGIN * table->step;
    }
    size_t count = (size_t)table->n[0] * (size_t)table->n[1] * (size_t)table->n[2];
    table->values = sp_alloc(count, sizeof *table->values);
    if (!table->values)
        return sp_fail_memory(error, "the solids of a picture", count * sizeof *table->values);
    for (size_t k = 0; k < count; k++)
        table->values[k] = HUGE_VALF;
    for (size_t t = 0; t < sp_mesh_triangle_count(mesh); t++)
        fill_near(table, mesh, t);
    sweep_table(table, false);
    sweep_table(table, true);
    return SPATE_OK;
}

/* Trilinear; outside, the way to the table more: not less than the distance by much. */
static double look_up(const sp_distance_table *t, const double p[3])
{
    int at[3];
    double share[3], outside = 0;
    for (int d = 0; d < 3; d++) {
        double g = (p[d] - t->low[d]) / t->step, top = t->n[d] - 1;
        double inside = g > 0 ? (g < top ? g : top) : 0;
        outside += (g - inside) * (g - inside);
        at[d] = inside < top ? (int)inside : t->n[d] - 2;
        share[d] = inside - at[d];
    }
    double sum = 0;
    for (int c = 0; c < 8; c++) {
        double weight = 1;
        size_t place = 0;
        for (int d = 2; d >= 0; d--) {
            int up = c >> d & 1;
            weight *= up ? share[d] : 1 - share[d];
            place = place * (size_t)t->n[d] + (size_t)(at[d] + up);
        }
        sum += weight * t->values[place];
    }
    return sum + sqrt(outside) * t->step;
}

double sp_solid_rays_distance(const sp_solid_rays *rays, const double point[3])
{
    double least = HUGE_VAL;
    for (int k = 0; k < rays->count; k++) {
        const sp_solid *solid = &rays->solids->items[k];
        if (!is_seen(solid))
            continue;
        double d;
        if (rays->tables[k].values) {
            double local[3];
            sp_pose_to_local(&solid->to, point, local);
            for (int a = 0; a < 3; a++)
                local[a] /= solid->form.scale;
            d = solid->form.scale * look_up(&rays->tables[k], local);
            d = solid->form.invert ? -d : d;
        } else {
            d = sp_solid_distance(solid, point, NULL);
        }
        least = d < least ? d : least;
    }
    return least;
}

/* ------------------------------------------------------------------ life */

spate_status sp_solid_rays_create(sp_solid_rays *rays, const sp_solids *solids, spate_error *error)
{
    bool any = false;
    for (int k = 0; k < solids->count; k++)
        any = any || is_seen(&solids->items[k]);
    *rays = (sp_solid_rays){.solids = solids, .count = any ? solids->count : 0};
    if (!any)
        return SPATE_OK;
    rays->tables = sp_alloc((size_t)solids->count, sizeof *rays->tables);
    if (!rays->tables)
        return sp_fail_memory(error, "the solids of a picture",
                              (size_t)solids->count * sizeof *rays->tables);
    for (int k = 0; k < solids->count && solids->dim == 3; k++) {
        const sp_solid *solid = &solids->items[k];
        if (!is_seen(solid) || solid->form.kind != SPATE_SHAPE_MESH)
            continue;
        spate_status status = fill_table(&rays->tables[k], solid->form.mesh, error);
        if (status != SPATE_OK) {
            sp_solid_rays_destroy(rays);
            return status;
        }
    }
    return SPATE_OK;
}

void sp_solid_rays_destroy(sp_solid_rays *rays)
{
    for (int k = 0; k < rays->count && rays->tables; k++)
        sp_free(rays->tables[k].values);
    sp_free(rays->tables);
    *rays = (sp_solid_rays){.count = 0};
}
