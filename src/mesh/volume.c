/* volume.c -- the volume of each region becomes that of its particles; normals.
 *
 * What is thinner than the kernel of field.c comes out too thick. First every vertex goes inwards
 * by what a sheet of its thinness is too thick. What is then left between the volume V of a region
 * (by the divergence theorem, V = sum over triangles of a . (b x c) / 6) and that of its particles
 * is spread evenly over its free surface: all its vertices move along their normals by the same
 * length, by Newton's method, at most LARGEST cells in all. Regions of a few particles are scaled
 * about their middle instead, which is exact. Vertices stay on their walls. */
#include "surface.h"

#include "base/memory.h"
#include "base/status.h"

#include <math.h>
#include <string.h>

#define ROUNDS 3
#define LARGEST 0.25 /* cells */
#define FEW 8        /* particles of a region that is scaled */

typedef struct region {
    double volume, area;     /* m^3; m^2, change of the volume when all vertices move by 1 m */
    double low[3], high[3];  /* m, of its vertices */
    double moved, move;      /* m, in all and now */
    double middle[3], scale; /* of a small one; scale 1: none */
    uint8_t walls;           /* that it touches */
} region;

typedef struct correction {
    X(surface) * s;
    region *regions;
    float *normal; /* area of the fan as a vector, m^2, 3 per vertex */
} correction;

/* Sum of the area vectors of the simplices around a vertex; length in 2D. */
static void fan_area(const X(surface) * s, size_t vertex, float area[3])
{
    const float *x = s->mesh->positions;
    float sum[3] = {0, 0, 0};
    for (uint32_t k = s->fan_start[vertex]; k < s->fan_start[vertex + 1]; k++) {
        const uint32_t *corner = s->mesh->indices + DIM * (size_t)s->fan[k];
        const float *a = x + 3 * (size_t)corner[0], *b = x + 3 * (size_t)corner[1];
        float e[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
        if (DIM == 2) {
            sum[0] += e[1];
            sum[1] -= e[0];
            continue;
        }
        const float *c = x + 3 * (size_t)corner[DIM - 1];
        float f[3] = {c[0] - a[0], c[1] - a[1], c[2] - a[2]};
        sum[0] += 0.5f * (e[1] * f[2] - e[2] * f[1]);
        sum[1] += 0.5f * (e[2] * f[0] - e[0] * f[2]);
        sum[2] += 0.5f * (e[0] * f[1] - e[1] * f[0]);
    }
    memcpy(area, sum, sizeof sum);
}

static void area_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const correction *c = user;
    for (size_t k = begin; k < end; k++)
        fan_area(c->s, k, c->normal + 3 * k);
}

static float length_of(const float v[3])
{
    return sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

/* The direction in which a vertex may move: its normal, less what leads off a wall. */
static void direction(const correction *c, size_t vertex, float out[3])
{
    const float *normal = c->normal + 3 * vertex;
    float length = length_of(normal);
    uint8_t wall = c->s->wall[vertex];
    for (int d = 0; d < 3; d++) {
        bool bound = (wall & VERTEX_FIXED) || (wall >> (2 * d) & 3);
        out[d] = length > 0.0f && !bound ? normal[d] / length : 0.0f;
    }
    /* along a wall as far as needed to keep up with the surface, within reason */
    float along = length_of(out);
    for (int d = 0; d < 3 && along > 0.5f; d++)
        out[d] /= along;
}

/* ------------------------------------------------------------------ measuring */

static double simplex_volume(const spate_mesh_data *mesh, size_t simplex)
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

static void measure(const correction *c)
{
    const X(surface) *s = c->s;
    for (uint32_t k = 0; k < s->region_count; k++)
        c->regions[k].volume = c->regions[k].area = 0;
    for (size_t k = 0; k < s->mesh->triangles; k++)
        c->regions[s->vertex_region[s->mesh->indices[DIM * k]]].volume +=
            simplex_volume(s->mesh, k);
    for (size_t k = 0; k < s->mesh->vertices; k++) {
        float along[3];
        direction(c, k, along);
        const float *n = c->normal + 3 * k;
        c->regions[s->vertex_region[k]].area +=
            (double)(n[0] * along[0] + n[1] * along[1] + n[2] * along[2]) / DIM;
    }
}

/* ------------------------------------------------------------------ moving */

/* By how much a sheet of this thinness is too thick on each side, in m. */
static float excess(const X(surface) * s, uint8_t slim)
{
    float t = (float)((int)slim - 20) * (1.0f / 40.0f);
    return (t < 0.0f ? 0.0f : t < 1.0f ? t : 1.0f) * 0.15f * (float)s->options->cell_size;
}

static void thin_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const correction *c = user;
    for (size_t k = begin; k < end; k++) {
        float along[3], way = excess(c->s, c->s->slim[k]);
        direction(c, k, along);
        FOR_DIM(d)
            c->s->mesh->positions[3 * k + (size_t)d] -= way * along[d];
    }
}

static void move_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const correction *c = user;
    for (size_t k = begin; k < end; k++) {
        const region *r = &c->regions[c->s->vertex_region[k]];
        float along[3], *x = c->s->mesh->positions + 3 * k;
        direction(c, k, along);
        FOR_DIM(d) {
            if (r->scale != 1)
                x[d] = (float)(r->middle[d] + r->scale * ((double)x[d] - r->middle[d]));
            else
                x[d] += (float)r->move * along[d];
        }
    }
}

/* Where a small region is scaled from: its middle, or the wall that it sits on. */
static void find_middles(const correction *c)
{
    const X(surface) *s = c->s;
    for (uint32_t k = 0; k < s->region_count; k++)
        for (int d = 0; d < 3; d++) {
            c->regions[k].low[d] = INFINITY;
            c->regions[k].high[d] = -INFINITY;
        }
    for (size_t k = 0; k < s->mesh->vertices; k++) {
        region *r = &c->regions[s->vertex_region[k]];
        r->walls |= s->wall[k] & VERTEX_WALLS;
        for (int d = 0; d < 3; d++) {
            double x = (double)s->mesh->positions[3 * k + (size_t)d];
            r->low[d] = x < r->low[d] ? x : r->low[d];
            r->high[d] = x > r->high[d] ? x : r->high[d];
        }
    }
    for (uint32_t k = 0; k < s->region_count; k++)
        for (int d = 0; d < 3; d++) {
            region *r = &c->regions[k];
            int walls = r->walls >> (2 * d) & 3;
            r->middle[d] = walls == 1   ? r->low[d]
                           : walls == 2 ? r->high[d]
                                        : 0.5 * (r->low[d] + r->high[d]);
        }
}

static bool is_small(const X(surface) * s, uint32_t number, const region *r)
{
    bool both = false; /* opposite walls */
    FOR_DIM(d)
        both = both || (r->walls >> (2 * d) & 3) == 3;
    return s->region_particles[number] <= FEW && !both;
}

static void plan(const correction *c, double particle)
{
    const X(surface) *s = c->s;
    double largest = LARGEST * s->options->cell_size;
    for (uint32_t k = 0; k < s->region_count; k++) {
        region *r = &c->regions[k];
        double wanted = particle * (double)s->region_particles[k];
        r->scale = 1;
        r->move = 0;
        if (!(r->volume > 0) || !(wanted > 0))
            continue;
        if (is_small(s, k, r)) {
            double ratio = wanted / r->volume;
            r->scale = DIM == 3 ? cbrt(ratio) : sqrt(ratio);
            continue;
        }
        double move = r->area > 0 ? (wanted - r->volume) / r->area : 0, all = r->moved + move;
        all = all < -largest ? -largest : all > largest ? largest : all;
        r->move = all - r->moved;
        r->moved = all;
    }
}

static void normal_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const correction *c = user;
    for (size_t k = begin; k < end; k++) {
        float *normal = c->normal + 3 * k, length = length_of(normal);
        for (int d = 0; d < 3; d++)
            normal[d] = length > 0.0f ? normal[d] / length : (float)(d == 1);
    }
}

spate_status X(surface_volume)(X(surface) * s, spate_error *error)
{
    size_t vertices = s->mesh->vertices;
    correction c = {s, sp_alloc(s->region_count, sizeof *c.regions), s->mesh->normals};
    if (!c.regions)
        return sp_fail_memory(error, "a surface", s->region_count * sizeof *c.regions);
    double particle = 1;
    FOR_DIM(d)
        particle *= s->options->cell_size / s->options->particles_per_axis;
    sp_parallel_for(s->pool, vertices, 1024, area_range, &c);
    sp_parallel_for(s->pool, vertices, 1024, thin_range, &c);
    find_middles(&c);
    for (int round = 0; round < ROUNDS; round++) {
        sp_parallel_for(s->pool, vertices, 1024, area_range, &c);
        measure(&c);
        plan(&c, particle);
        sp_parallel_for(s->pool, vertices, 1024, move_range, &c);
    }
    sp_parallel_for(s->pool, vertices, 1024, area_range, &c);
    sp_parallel_for(s->pool, vertices, 1024, normal_range, &c);
    sp_free(c.regions);
    return SPATE_OK;
}
