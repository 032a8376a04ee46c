/* rings.c -- the vertices around each vertex, in order, and what follows from where they are.
 *
 * The surface is closed and manifold, so that the simplices around a vertex form one ring: in 3D
 * triangles (vertex, ring[k], ring[k + 1]), the last one followed by the first, in 2D the segments
 * from ring[0] to the vertex and on to ring[1]. */
#include "surface.h"

#include "base/memory.h"
#include "base/status.h"

#include <string.h>

/* The corner of a simplex that follows the one with vertex `vertex`. */
static uint32_t after(const spate_surface *mesh, uint32_t simplex, uint32_t vertex, int steps)
{
    const uint32_t *corner = mesh->indices + DIM * (size_t)simplex;
    int own = 0;
    while (corner[own] != vertex)
        own++;
    return corner[(own + steps) % DIM];
}

/* Turns the simplices of a vertex, in whatever order, into its ring. */
static void order_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    X(surface) *s = user;
    for (size_t k = begin; k < end; k++) {
        uint32_t vertex = (uint32_t)k, *ring = s->ring + s->ring_start[k];
        uint32_t count = s->ring_start[k + 1] - s->ring_start[k];
        if (DIM == 2) { /* the segment that ends here comes first */
            bool ends = s->mesh->indices[DIM * (size_t)ring[0] + 1] == vertex;
            uint32_t to = ring[ends ? 1 : 0], from = ring[ends ? 0 : 1];
            ring[0] = after(s->mesh, from, vertex, 1);
            ring[1] = after(s->mesh, to, vertex, 1);
            continue;
        }
        uint32_t next = after(s->mesh, ring[0], vertex, DIM - 1);
        for (uint32_t a = 1; a < count; a++)
            for (uint32_t b = a; b < count; b++) {
                uint32_t simplex = ring[b];
                if (after(s->mesh, simplex, vertex, 1) != next)
                    continue;
                next = after(s->mesh, simplex, vertex, DIM - 1);
                ring[b] = ring[a];
                ring[a] = simplex;
                break;
            }
        for (uint32_t a = 0; a < count; a++)
            ring[a] = after(s->mesh, ring[a], vertex, 1);
    }
}

spate_status X(surface_rings)(X(surface) *s, spate_error *error)
{
    const spate_surface *mesh = s->mesh;
    size_t corners = DIM * mesh->triangles;
    s->ring_start = sp_alloc(mesh->vertices + 2, sizeof *s->ring_start);
    s->ring = sp_alloc(corners, sizeof *s->ring);
    if (!s->ring_start || !s->ring)
        return sp_fail_memory(error, "a surface", (mesh->vertices + corners) * sizeof *s->ring);
    uint32_t *next = s->ring_start + 1; /* becomes the end of each, that is the start of the next */
    for (size_t k = 0; k < corners; k++)
        next[mesh->indices[k] + 1]++;
    for (size_t k = 0; k < mesh->vertices; k++)
        next[k + 1] += next[k];
    for (size_t k = 0; k < corners; k++)
        s->ring[next[mesh->indices[k]]++] = (uint32_t)(k / DIM);
    sp_parallel_for(s->pool, mesh->vertices, 1024, order_range, s);
    return SPATE_OK;
}

void X(surface_ring_area)(const X(surface) *s, const float *positions, size_t vertex, float area[3])
{
    const uint32_t *ring = s->ring + s->ring_start[vertex];
    uint32_t count = s->ring_start[vertex + 1] - s->ring_start[vertex];
    const float *here = positions + 3 * vertex, *last = positions + 3 * (size_t)ring[count - 1];
    if (DIM == 2) {
        const float *first = positions + 3 * (size_t)ring[0];
        area[0] = last[1] - first[1];
        area[1] = first[0] - last[0];
        area[2] = 0.0f;
        return;
    }
    float sum[3] = {0, 0, 0}, a[3], b[3];
    for (int d = 0; d < 3; d++)
        a[d] = last[d] - here[d];
    for (uint32_t k = 0; k < count; k++) {
        const float *x = positions + 3 * (size_t)ring[k];
        for (int d = 0; d < 3; d++)
            b[d] = x[d] - here[d];
        sum[0] += a[1] * b[2] - a[2] * b[1];
        sum[1] += a[2] * b[0] - a[0] * b[2];
        sum[2] += a[0] * b[1] - a[1] * b[0];
        for (int d = 0; d < 3; d++)
            a[d] = b[d];
    }
    for (int d = 0; d < 3; d++)
        area[d] = 0.5f * sum[d];
}

void X(surface_ring_normal)(const X(surface) *s, size_t vertex, double area[3])
{
    const float *positions = s->mesh->positions, *here = positions + 3 * vertex;
    const uint32_t *ring = s->ring + s->ring_start[vertex];
    uint32_t count = s->ring_start[vertex + 1] - s->ring_start[vertex];
    const float *last = positions + 3 * (size_t)ring[count - 1];
    double a[3], b[3];
    for (int d = 0; d < 3; d++) {
        area[d] = 0;
        a[d] = (double)last[d] - (double)here[d];
    }
    for (uint32_t k = 0; k < count; k++) {
        const float *x = positions + 3 * (size_t)ring[k];
        for (int d = 0; d < 3; d++)
            b[d] = (double)x[d] - (double)here[d];
        area[0] += 0.5 * (a[1] * b[2] - a[2] * b[1]);
        area[1] += 0.5 * (a[2] * b[0] - a[0] * b[2]);
        area[2] += 0.5 * (a[0] * b[1] - a[1] * b[0]);
        memcpy(a, b, sizeof a);
    }
    if (DIM == 2) { /* the two segments, turned */
        const float *first = positions + 3 * (size_t)ring[0];
        area[0] = (double)last[1] - (double)first[1];
        area[1] = (double)first[0] - (double)last[0];
    }
}
