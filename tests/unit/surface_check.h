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
 * sum of the triangles around it. */
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
        double length = 0, along = 0;
        for (size_t d = 0; d < 3; d++) {
            double n = (double)mesh->normals[3 * k + d];
            length += n * n;
            along += n * sum[k][d];
            bad += !isfinite(mesh->positions[3 * k + d]);
        }
        bad += !(fabs(length - 1) < 1e-4) || !(along > 0);
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

#endif
