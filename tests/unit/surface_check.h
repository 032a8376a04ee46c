/* surface_check.h -- what the tests of surfaces measure on a mesh. */
#ifndef SPATE_TEST_SURFACE_CHECK_H
#define SPATE_TEST_SURFACE_CHECK_H

#include <spate/spate.h>

#include <stdlib.h>

#include "test.h"

static inline int surface_compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* How many directed edges come twice or have no counterpart; 2D: vertices that are not the end of
 * one segment and the start of another. 0: closed, manifold along edges and turned one way. */
static inline size_t surface_bad_edges(const spate_surface *mesh)
{
    size_t bad = 0, count = (size_t)mesh->dim * mesh->triangles;
    if (mesh->dim == 2) {
        unsigned char *seen = calloc(mesh->vertices + 1, 1);
        for (size_t k = 0; k < count; k++)
            seen[mesh->indices[k]] += k % 2 ? 16 : 1;
        for (size_t k = 0; k < mesh->vertices; k++)
            bad += seen[k] != 17;
        free(seen);
        return bad;
    }
    uint64_t *edges = malloc((count + 1) * sizeof *edges);
    for (size_t k = 0; k < count; k++)
        edges[k] = (uint64_t)mesh->indices[k] << 32 | mesh->indices[k - k % 3 + (k + 1) % 3];
    qsort(edges, count, sizeof *edges, surface_compare);
    for (size_t k = 0; k < count; k++) {
        uint64_t back = edges[k] << 32 | edges[k] >> 32;
        bad += k > 0 && edges[k] == edges[k - 1];
        bad += !bsearch(&back, edges, count, sizeof *edges, surface_compare);
    }
    free(edges);
    return bad;
}

/* How many vertices have triangles around them that do not form one single ring (3D). */
static inline size_t surface_bad_vertices(const spate_surface *mesh)
{
    size_t bad = 0;
    if (mesh->dim == 2)
        return 0;
    /* next vertex around each corner: the ring of a vertex is a cycle of (from, to) pairs */
    uint32_t *start = calloc(mesh->vertices + 2, sizeof *start);
    uint32_t(*pair)[2] = malloc((3 * mesh->triangles + 1) * sizeof *pair);
    for (size_t k = 0; k < 3 * mesh->triangles; k++)
        start[mesh->indices[k] + 2]++;
    for (size_t k = 2; k < mesh->vertices + 2; k++)
        start[k] += start[k - 1];
    for (size_t k = 0; k < 3 * mesh->triangles; k++) {
        const uint32_t *triangle = mesh->indices + k - k % 3;
        uint32_t *out = pair[start[mesh->indices[k] + 1]++];
        out[0] = triangle[(k + 1) % 3];
        out[1] = triangle[(k + 2) % 3];
    }
    for (size_t k = 0; k < mesh->vertices; k++) {
        uint32_t count = start[k + 1] - start[k], length = 0;
        uint32_t(*own)[2] = pair + start[k];
        uint32_t at = count > 0 ? own[0][0] : 0;
        for (uint32_t step = 0; step < count && (step == 0 || at != own[0][0]); step++)
            for (uint32_t m = 0; m < count; m++)
                if (own[m][0] == at) {
                    at = own[m][1];
                    length++;
                    break;
                }
        bad += count < 3 || length != count || at != own[0][0];
    }
    free(start);
    free(pair);
    return bad;
}

static inline double surface_volume(const spate_surface *mesh)
{
    double sum = 0;
    for (size_t k = 0; k < mesh->triangles; k++) {
        const uint32_t *i = mesh->indices + (size_t)mesh->dim * k;
        const float *a = mesh->positions + 3 * (size_t)i[0],
                    *b = mesh->positions + 3 * (size_t)i[1];
        if (mesh->dim == 2) {
            sum += 0.5 * ((double)a[0] * (double)b[1] - (double)a[1] * (double)b[0]);
            continue;
        }
        const float *c = mesh->positions + 3 * (size_t)i[2];
        sum += ((double)a[0] * ((double)b[1] * (double)c[2] - (double)b[2] * (double)c[1]) +
                (double)a[1] * ((double)b[2] * (double)c[0] - (double)b[0] * (double)c[2]) +
                (double)a[2] * ((double)b[0] * (double)c[1] - (double)b[1] * (double)c[0])) /
               6;
    }
    return sum;
}

/* Vertices that are no finite numbers, whose normal has not length 1, or looks inwards: against the
 * sum of the triangles around it (of one in the corner of a solid nothing may be left). */
static inline size_t surface_bad_normals(const spate_surface *mesh)
{
    size_t bad = 0;
    double(*sum)[3] = calloc(mesh->vertices + 1, sizeof *sum);
    for (size_t k = 0; k < mesh->triangles; k++) {
        const uint32_t *i = mesh->indices + (size_t)mesh->dim * k;
        const float *a = mesh->positions + 3 * (size_t)i[0],
                    *b = mesh->positions + 3 * (size_t)i[1];
        double e[3], f[3] = {0, 0, 1}; /* 2D: the segment times z */
        for (int d = 0; d < 3; d++) {
            e[d] = (double)b[d] - (double)a[d];
            if (mesh->dim == 3)
                f[d] = (double)mesh->positions[3 * (size_t)i[2] + (size_t)d] - (double)a[d];
        }
        for (int c = 0; c < mesh->dim; c++)
            for (int d = 0; d < 3; d++)
                sum[i[c]][d] += e[(d + 1) % 3] * f[(d + 2) % 3] - e[(d + 2) % 3] * f[(d + 1) % 3];
    }
    for (size_t k = 0; k < mesh->vertices; k++) {
        double length = 0, along = 0, area = 0;
        for (size_t d = 0; d < 3; d++) {
            double n = (double)mesh->normals[3 * k + d];
            length += n * n;
            along += n * sum[k][d];
            area += fabs(sum[k][d]);
            bad += !isfinite(mesh->positions[3 * k + d]);
        }
        bad += !(fabs(length - 1) < 1e-4) || !(along > 0 || area == 0);
    }
    free(sum);
    return bad;
}

/* All of it. */
static inline bool surface_sound(const spate_surface *mesh)
{
    size_t edges = surface_bad_edges(mesh), vertices = surface_bad_vertices(mesh),
           normals = surface_bad_normals(mesh);
    if (edges + vertices + normals == 0)
        return true;
    printf("  %zu vertices, %zu simplices: %zu bad edges, %zu bad vertices, %zu bad normals\n",
           mesh->vertices, mesh->triangles, edges, vertices, normals);
    return false;
}

/* ------------------------------------------------------------------ what a splash may not have */

typedef struct surface_quality {
    double longest; /* edge, m */
    double area;    /* m^2; 2D: m */
    double folded;  /* share of triangles that look against the normals of their vertices */
    double sharp;   /* share of triangles with an angle below a degree (3D) */
    double away;    /* m, of a vertex from the nearest particle, beyond what is allowed for it */
} surface_quality;

static inline void surface_corner(const spate_surface *mesh, size_t corner, double x[3])
{
    for (size_t d = 0; d < 3; d++)
        x[d] = (double)mesh->positions[3 * (size_t)mesh->indices[corner] + d];
}

static inline uint32_t surface_root(uint32_t *parent, uint32_t k)
{
    while (parent[k] != k)
        k = parent[k] = parent[parent[k]];
    return k;
}

/* For each vertex the volume that its piece, a closed surface, encloses; returns how many pieces
 * have `piece` or more. */
static inline size_t surface_pieces(const spate_surface *mesh, double piece, double *volume)
{
    size_t dim = (size_t)mesh->dim, count = 0;
    uint32_t *parent = malloc((mesh->vertices + 1) * sizeof *parent);
    for (size_t k = 0; k < mesh->vertices; k++) {
        parent[k] = (uint32_t)k;
        volume[k] = 0;
    }
    for (size_t k = 0; k < dim * mesh->triangles; k++) {
        uint32_t a = surface_root(parent, mesh->indices[k - k % dim]);
        parent[surface_root(parent, mesh->indices[k])] = a;
    }
    for (size_t k = 0; k < mesh->triangles; k++) {
        spate_surface one = *mesh;
        one.indices = mesh->indices + dim * k;
        one.triangles = 1;
        volume[surface_root(parent, one.indices[0])] += surface_volume(&one);
    }
    for (size_t k = 0; k < mesh->vertices; k++)
        count += volume[k] >= piece;
    for (size_t k = 0; k < mesh->vertices; k++)
        volume[k] = volume[surface_root(parent, (uint32_t)k)];
    free(parent);
    return count;
}

/* The distance of each vertex from the nearest particle, by bins as wide as `reach`; what is more
 * than twice that reads 2 reach. */
static inline void surface_distances(const spate_surface *mesh, const float *x, size_t count,
                                     double reach, double *distance)
{
    double low[3] = {0, 0, 0};
    long n[3] = {1, 1, 1};
    for (int d = 0; d < mesh->dim; d++) {
        double high = low[d] = count ? (double)x[d] : 0;
        for (size_t k = 0; k < count; k++) {
            low[d] = fmin(low[d], (double)x[3 * k + (size_t)d]);
            high = fmax(high, (double)x[3 * k + (size_t)d]);
        }
        n[d] = (long)((high - low[d]) / reach) + 1;
    }
    uint32_t *first = calloc((size_t)(n[0] * n[1] * n[2]), sizeof *first); /* number + 1 */
    uint32_t *next = calloc(count + 1, sizeof *next);
    for (size_t k = 0; k < count; k++) {
        long bin = 0;
        for (int d = 2; d >= 0; d--)
            bin = bin * n[d] + (long)(((double)x[3 * k + (size_t)d] - low[d]) / reach);
        next[k + 1] = first[bin];
        first[bin] = (uint32_t)k + 1;
    }
    for (size_t k = 0; k < mesh->vertices; k++) {
        const float *p = mesh->positions + 3 * k;
        double best = 4 * reach * reach;
        long own[3];
        for (size_t d = 0; d < 3; d++)
            own[d] = (long)floor(((double)p[d] - low[d]) / reach);
        for (long c = 0; c < 125; c++) {
            long at[3] = {own[0] + c % 5 - 2, own[1] + c / 5 % 5 - 2, own[2] + c / 25 - 2};
            if (at[0] < 0 || at[1] < 0 || at[2] < 0 || at[0] >= n[0] || at[1] >= n[1] ||
                at[2] >= n[2])
                continue;
            for (uint32_t m = first[at[0] + n[0] * (at[1] + n[1] * at[2])]; m > 0; m = next[m]) {
                double square = 0;
                for (size_t d = 0; d < 3; d++) {
                    double way = (double)p[d] - (double)x[3 * ((size_t)m - 1) + d];
                    square += way * way;
                }
                best = fmin(best, square);
            }
        }
        distance[k] = sqrt(best);
    }
    free(first);
    free(next);
}

static inline surface_quality surface_measure(const spate_surface *mesh, const float *x,
                                              size_t count, double reach, const double *allowed)
{
    surface_quality q = {0};
    size_t dim = (size_t)mesh->dim;
    double *distance = malloc((mesh->vertices + 1) * sizeof *distance);
    surface_distances(mesh, x, count, reach, distance);
    for (size_t k = 0; k < mesh->vertices; k++)
        q.away = fmax(q.away, distance[k] - allowed[k]);
    for (size_t k = 0; k < mesh->triangles; k++) {
        double p[3][3], side[3], normal[3], along = 0, least = 1;
        for (size_t c = 0; c < 3; c++)
            surface_corner(mesh, dim * k + c % dim, p[c]);
        for (size_t c = 0; c < dim; c++) {
            double *a = p[c], *b = p[(c + 1) % dim];
            side[c] = sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                           (a[2] - b[2]) * (a[2] - b[2]));
            q.longest = fmax(q.longest, side[c]);
        }
        for (size_t d = 0; d < 3; d++) {
            size_t e = (d + 1) % 3, f = (d + 2) % 3;
            double z[2] = {e == 2, f == 2}; /* 2D: the segment times z */
            double u[2] = {p[1][e] - p[0][e], p[1][f] - p[0][f]};
            double v[2] = {p[2][e] - p[0][e], p[2][f] - p[0][f]};
            normal[d] = dim == 3 ? u[0] * v[1] - u[1] * v[0] : u[0] * z[1] - u[1] * z[0];
        }
        double twice = sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
        q.area += dim == 3 ? 0.5 * twice : twice;
        for (size_t c = 0; c < 3 * dim; c++)
            along += normal[c % 3] *
                     (double)mesh->normals[3 * (size_t)mesh->indices[dim * k + c / 3] + c % 3];
        for (size_t c = 0; c < 3 && dim == 3; c++)
            least = fmin(least, twice / (side[c] * side[(c + 1) % 3]));
        q.folded += along < 0 ? 1.0 / (double)mesh->triangles : 0;
        q.sharp += least < 0.0174524 ? 1.0 / (double)mesh->triangles : 0;
    }
    free(distance);
    return q;
}

#endif
