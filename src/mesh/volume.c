/* volume.c -- the volume of each region becomes that of its particles; normals.
 *
 * The volume of a region is V = sum over triangles of a . (b x c) / 6. When its vertices move along
 * their normals by m g, V changes by m times the sum of g times their share of the area, so that
 * Newton's method finds the m that gives a wanted V. That is done three times:
 *
 *     1. g = how much a vertex was smoothed; wanted is V before smoothing, which shrinks.
 *     2. g = by how much a sheet as thin as here is too thick (field.c), m = -1 .. 0; wanted is the
 *        volume of the region's particles: what is too thick gets thinner, as far as there is too
 *        much.
 *     3. g = 1, |m| up to LARGEST cells; wanted is the same: what is left is spread evenly.
 *
 * Drops, of a few particles, are scaled about their middle (or the wall they sit on) instead, which
 * is exact. Vertices stay on their walls. */
#include "surface.h"

#include <math.h>
#include <string.h>

#define LARGEST 0.25     /* cells */
#define DROP_LARGEST 0.4 /* cells, of a drop to each side */
#define STRIDE 0.2       /* nodes: of a vertex at once */
#define SETTLING 3       /* rounds beside those that the whole way takes */
#define SLIP_FROM 0.02   /* nodes: what vertices move before they slip */
#define NEAR_ENOUGH 1e-5 /* nodes */
#define WIDEST 2.5       /* nodes, at resolution 1 and 2: drops grow up to that along an axis */
#define WORTH 1e-4       /* of the volume: what is passed on to another region */
#define FEW 8            /* particles of a drop, at most */
#define TINY 3           /* nodes: regions smaller than that are drops too */

typedef struct correction {
    X(surface) *s;
    float weight[256];  /* g, by `thin` */
    double least, most; /* of m in all */
} correction;

static void area_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const correction *c = user;
    for (size_t k = begin; k < end; k++)
        X(surface_ring_area)(c->s, c->s->mesh->positions, k, c->s->mesh->normals + 3 * k);
}

static float length_of(const float v[3])
{
    return sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

/* The direction in which a vertex may move: its normal, less what leads off a wall. */
static void direction(const correction *c, size_t vertex, float out[3])
{
    const float *normal = c->s->mesh->normals + 3 * vertex;
    float length = length_of(normal);
    unsigned wall = c->s->wall[vertex];
    for (int d = 0; d < 3; d++) {
        bool bound = (wall & (VERTEX_FIXED | VERTEX_SOLID)) || (wall >> (2 * d) & 3);
        out[d] = length > 0.0f && !bound ? normal[d] / length : 0.0f;
    }
    /* along a wall as far as needed to keep up with the surface, within reason */
    float along = length_of(out);
    for (int d = 0; d < 3 && along > 0.5f; d++)
        out[d] /= along;
}

/* ------------------------------------------------------------------ measuring */

static double simplex_volume(const spate_surface *mesh, size_t simplex)
{
    const uint32_t *corner = mesh->indices + DIM * simplex;
    const float *a = mesh->positions + 3 * (size_t)corner[0];
    const float *b = mesh->positions + 3 * (size_t)corner[1];
    if (DIM == 2)
        return 0.5 * ((double)a[0] * (double)b[1] - (double)a[1] * (double)b[0]);
    const float *c = mesh->positions + 3 * (size_t)corner[DIM - 1];
    double x[3] = {(double)b[1] * (double)c[2] - (double)b[2] * (double)c[1],
                   (double)b[2] * (double)c[0] - (double)b[0] * (double)c[2],
                   (double)b[0] * (double)c[1] - (double)b[1] * (double)c[0]};
    return ((double)a[0] * x[0] + (double)a[1] * x[1] + (double)a[2] * x[2]) / 6;
}

static void measure_volumes(X(surface) *s)
{
    for (uint32_t k = 0; k < s->region_count; k++)
        s->regions[k].volume = 0;
    for (size_t k = 0; k < s->mesh->triangles; k++)
        s->regions[s->vertex_region[s->mesh->indices[DIM * k]]].volume +=
            simplex_volume(s->mesh, k);
}

static void measure_areas(const correction *c)
{
    const X(surface) *s = c->s;
    for (uint32_t k = 0; k < s->region_count; k++)
        s->regions[k].area = 0;
    for (size_t k = 0; k < s->mesh->vertices; k++) {
        float along[3], weight = c->weight[s->slim[k]];
        const float *n = c->s->mesh->normals + 3 * k;
        direction(c, k, along);
        s->regions[s->vertex_region[k]].area +=
            (double)(weight * (n[0] * along[0] + n[1] * along[1] + n[2] * along[2])) / DIM;
    }
}

void X(surface_measure)(X(surface) *s)
{
    for (uint32_t k = 0; k < s->region_count; k++)
        for (int d = 0; d < 3; d++) {
            s->regions[k].low[d] = INFINITY;
            s->regions[k].high[d] = -INFINITY;
        }
    for (size_t k = 0; k < s->mesh->vertices; k++) {
        X(region) *r = &s->regions[s->vertex_region[k]];
        r->walls |= (uint8_t)(s->wall[k] & VERTEX_WALLS);
        for (int d = 0; d < 3; d++) {
            double x = (double)s->mesh->positions[3 * k + (size_t)d];
            r->low[d] = x < r->low[d] ? x : r->low[d];
            r->high[d] = x > r->high[d] ? x : r->high[d];
        }
    }
    measure_volumes(s);
    for (uint32_t k = 0; k < s->region_count; k++) {
        X(region) *r = &s->regions[k];
        bool tiny = true;
        r->small = r->particles <= FEW;
        FOR_DIM(d) {
            tiny = tiny && r->high[d] - r->low[d] < TINY * (double)s->h;
            r->small = r->small && (r->walls >> (2 * d) & 3) != 3; /* between opposite walls */
        }
        r->small = r->small || tiny;
    }
    for (size_t k = 0; k < s->mesh->vertices; k++)
        s->wall[k] |= s->regions[s->vertex_region[k]].small ? VERTEX_DROP : 0;
}

/* ------------------------------------------------------------------ moving */

static void move_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const correction *c = user;
    const X(surface) *s = c->s;
    for (size_t k = begin; k < end; k++) {
        const X(region) *r = &s->regions[s->vertex_region[k]];
        float along[3], way = (float)r->move * c->weight[s->slim[k]];
        direction(c, k, along);
        FOR_DIM(d)
            s->mesh->positions[3 * k + (size_t)d] += way * along[d];
    }
}

/* Newton's method; each region comes to its target, as far as m may go. No vertex moves more than
 * STRIDE at once, and after each move they slip along the surface, so that triangles do not turn
 * over. */
static void adjust(correction *c)
{
    X(surface) *s = c->s;
    double heaviest = 0, way = 0;
    for (int thin = 0; thin < 256; thin++)
        heaviest = (double)c->weight[thin] > heaviest ? (double)c->weight[thin] : heaviest;
    if (!(heaviest > 0))
        return;
    double stride = STRIDE * (double)s->h / heaviest;
    int rounds = SETTLING + (int)((c->most - c->least) / stride);
    for (uint32_t k = 0; k < s->region_count; k++)
        s->regions[k].moved = 0;
    for (int round = 0; round < rounds; round++) {
        if (way > SLIP_FROM)
            X(surface_slip)(s);
        sp_parallel_for(s->pool, s->mesh->vertices, 1024, area_range, c);
        measure_volumes(s);
        measure_areas(c);
        way = 0;
        for (uint32_t k = 0; k < s->region_count; k++) {
            X(region) *r = &s->regions[k];
            double step = r->area > 0 ? (r->target - r->volume) / r->area : 0;
            step = step < -stride ? -stride : step > stride ? stride : step;
            double all = r->moved + step;
            all = all < c->least ? c->least : all > c->most ? c->most : all;
            r->move = r->small ? 0 : all - r->moved;
            r->moved = all;
            way = fabs(r->move) * heaviest > way ? fabs(r->move) * heaviest : way;
        }
        way /= (double)s->h;
        if (way < NEAR_ENOUGH)
            break;
        sp_parallel_for(s->pool, s->mesh->vertices, 1024, move_range, c);
    }
}

/* By how much each axis of a drop is scaled. A smaller one keeps its shape. A larger one, whose
 * particles lie closer than they should, becomes rounder: its short axes grow to a common length
 * first. */
static void find_scales(X(region) *r, double cell, double widest)
{
    double ratio = r->volume > 0 ? r->target / r->volume : 1, all = ratio, size[DIM], least = 0;
    int longer = 0; /* axes that the common length does not reach */
    FOR_DIM(d) {
        size[d] = r->high[d] - r->low[d];
        all *= size[d];
    }
    for (int shortest = DIM; shortest > 0 && ratio > 1; shortest--) {
        double product = all, longest = 0;
        int which = 0;
        FOR_DIM(d) {
            product /= longer >> d & 1 ? size[d] : 1;
            if (!(longer >> d & 1) && size[d] > longest) {
                longest = size[d];
                which = d;
            }
        }
        least = shortest == 3 ? cbrt(product) : shortest == 2 ? sqrt(product) : product;
        if (least >= longest)
            break;
        longer |= 1 << which;
    }
    FOR_DIM(d) {
        double scale = ratio > 1 ? (longer >> d & 1 ? 1 : least / size[d])
                                 : (DIM == 3 ? cbrt(ratio) : sqrt(ratio));
        double most = size[d] + DROP_LARGEST * cell * ((r->walls >> (2 * d) & 3) ? 1 : 2);
        most = most < widest ? most : size[d] > widest ? size[d] : widest;
        r->scale[d] = scale * size[d] < most ? scale : most / size[d];
    }
}

static void scale_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    X(surface) *s = user;
    for (size_t k = begin; k < end; k++) {
        const X(region) *r = &s->regions[s->vertex_region[k]];
        FOR_DIM(d) {
            if (!r->small)
                continue;
            int walls = r->walls >> (2 * d) & 3;
            double middle = walls == 1   ? r->low[d]
                            : walls == 2 ? r->high[d]
                                         : 0.5 * (r->low[d] + r->high[d]);
            float *x = &s->mesh->positions[3 * k + (size_t)d];
            *x = (float)(middle + r->scale[d] * ((double)*x - middle));
        }
    }
}

static void confine_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    X(surface) *s = user;
    for (size_t k = begin; k < end; k++)
        X(surface_confine)(s, s->mesh->positions + 3 * k);
}

/* In doubles: where vertices crowd in a corner of a solid little is left of the areas around one.
 */
static void normal_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const X(surface) *s = user;
    for (size_t k = begin; k < end; k++) {
        float *normal = s->mesh->normals + 3 * k;
        double area[3];
        X(surface_ring_normal)(s, k, area);
        double length = sqrt(area[0] * area[0] + area[1] * area[1] + area[2] * area[2]);
        for (int d = 0; d < 3; d++)
            normal[d] = length > 0 ? (float)(area[d] / length) : (float)(d == 1);
    }
}

static void scale_drops(X(surface) *s)
{
    double cell = s->options->cell_size, widest = WIDEST * fmax((double)s->h, 0.5 * cell);
    for (uint32_t k = 0; k < s->region_count; k++)
        if (s->regions[k].small)
            find_scales(&s->regions[k], cell, widest);
    sp_parallel_for(s->pool, s->mesh->vertices, 1024, scale_range, s);
}

/* What a region cannot take, because its particles lie too close to each other, goes to the one
 * with most particles, so that the whole has its volume. Returns whether it is worth it. */
static bool pass_on(X(surface) *s)
{
    uint32_t most = 0;
    double missing = 0;
    measure_volumes(s);
    for (uint32_t k = 0; k < s->region_count; k++)
        most = s->regions[k].particles > s->regions[most].particles ? k : most;
    for (uint32_t k = 0; k < s->region_count; k++) {
        X(region) *r = &s->regions[k];
        missing += r->target - r->volume;
        r->target = k == most ? r->target : r->volume;
    }
    if (s->region_count == 0 || !(fabs(missing) > WORTH * s->regions[most].volume))
        return false;
    s->regions[most].target = s->regions[most].volume + missing;
    return true;
}

void X(surface_volume)(X(surface) *s)
{
    size_t vertices = s->mesh->vertices;
    correction c = {.s = s};
    double particle = 1;
    FOR_DIM(d)
        particle *= s->options->cell_size / s->options->particles_per_axis;
    for (uint32_t k = 0; k < s->region_count; k++)
        s->regions[k].target = particle * s->regions[k].particles;
    measure_volumes(s);
    scale_drops(s);
    for (int thin = 0; thin < 256; thin++)
        c.weight[thin] = s->excess[thin] * s->h;
    c.least = -1;
    c.most = 0;
    adjust(&c);
    for (int thin = 0; thin < 256; thin++)
        c.weight[thin] = 1.0f;
    c.most = LARGEST * s->options->cell_size;
    c.least = -c.most;
    adjust(&c);
    X(surface_hold)(s);
    if (pass_on(s))
        adjust(&c);
    X(surface_leave_solids)(s);
    sp_parallel_for(s->pool, vertices, 1024, confine_range, s);
    sp_parallel_for(s->pool, vertices, 1024, normal_range, s);
}
