/* mesh_orient.c -- which side of each shell is out.
 *
 * A shell that lies in no other one has its normals outwards (its signed volume, the sum over the
 * triangles of a . (b x c) / 6, is positive); one inside it is a hole and has them inwards; and so
 * on by parity. That a shell lies inside another is seen by a ray along +x from one of its
 * vertices: it crosses the other an odd number of times. */
#include <math.h>

#include "base/memory.h"
#include "base/status.h"
#include "kernels/vector.h"
#include "mesh_topology.h"

/* Bounds and volume (times 6) of a shell as its triangles are turned now. */
typedef struct shell {
    double low[3], high[3];
    double volume;
    uint32_t sample; /* one of its triangles */
} shell;

static void measure_shells(const sp_surface *s, shell *shells)
{
    for (uint32_t k = 0; k < s->shell_count; k++)
        shells[k] =
            (shell){{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}, 0, 0};
    for (uint32_t t = 0; t < s->triangle_count; t++) {
        shell *own = &shells[s->shells[t]];
        double v[3][3], product[3];
        for (int c = 0; c < 3; c++) {
            const double *p = &s->vertices[3 * (size_t)s->triangles[3 * (size_t)t + (size_t)c]];
            for (int d = 0; d < 3; d++) {
                own->low[d] = p[d] < own->low[d] ? p[d] : own->low[d];
                own->high[d] = p[d] > own->high[d] ? p[d] : own->high[d];
            }
            sp_subtract(p, s->low, v[c]); /* near the origin, for the accuracy of the sum */
        }
        sp_cross(v[1], v[2], product);
        own->volume += sp_dot(v[0], product);
        own->sample = t;
    }
}

static bool contains(const shell *outer, const shell *inner)
{
    for (int d = 0; d < 3; d++)
        if (inner->low[d] < outer->low[d] || inner->high[d] > outer->high[d])
            return false;
    return true;
}

/* Whether the edge between vertices i and j passes p's ray at a larger y, seen along x. The order
 * of i and j does not matter to the last bit: neighbours agree about their edge, and the ray slips
 * through no crack. */
static bool edge_beyond(const double *vertices, uint32_t i, uint32_t j, const double p[3])
{
    const double *a = &vertices[3 * (size_t)(i < j ? i : j)],
                 *b = &vertices[3 * (size_t)(i < j ? j : i)];
    double side = (b[1] - a[1]) * (p[2] - a[2]) - (p[1] - a[1]) * (b[2] - a[2]);
    return b[2] > a[2] ? side > 0 : side < 0;
}

/* Whether the ray from p along +x goes through triangle t. */
static bool ray_hits(const sp_surface *s, uint32_t t, const double p[3])
{
    const uint32_t *v = &s->triangles[3 * (size_t)t];
    const double *a = &s->vertices[3 * (size_t)v[0]];
    int beyond = 0;
    for (int c = 0; c < 3; c++) {
        uint32_t i = v[c], j = v[(c + 1) % 3];
        bool over_i = s->vertices[3 * (size_t)i + 2] > p[2],
             over_j = s->vertices[3 * (size_t)j + 2] > p[2];
        beyond += over_i != over_j && edge_beyond(s->vertices, i, j, p);
    }
    if (beyond != 1)
        return false;
    double e[3], f[3], n[3], to[3];
    sp_subtract(&s->vertices[3 * (size_t)v[1]], a, e);
    sp_subtract(&s->vertices[3 * (size_t)v[2]], a, f);
    sp_subtract(a, p, to);
    sp_cross(e, f, n);
    return n[0] > 0 ? sp_dot(n, to) > 0 : sp_dot(n, to) < 0;
}

/* Whether shell k lies inside an odd number of others: the parity of a ray from one of its
 * vertices. */
static bool is_hole(const sp_surface *s, const sp_tree_node *nodes, const shell *shells, uint32_t k)
{
    const double *p = &s->vertices[3 * (size_t)s->triangles[3 * (size_t)shells[k].sample]];
    uint32_t stack[SP_TREE_DEPTH];
    int waiting = 1;
    bool odd = false;
    stack[0] = 0;
    while (waiting > 0) {
        const sp_tree_node *node = &nodes[stack[--waiting]];
        if (node->high[0] < p[0] || node->low[1] > p[1] || node->high[1] < p[1] ||
            node->low[2] > p[2] || node->high[2] < p[2])
            continue;
        if (node->count == 0) {
            stack[waiting++] = node->first;
            stack[waiting++] = node->first + 1;
        }
        for (uint32_t t = node->first; t < node->first + node->count; t++)
            if (s->shells[t] != k && contains(&shells[s->shells[t]], &shells[k]) &&
                ray_hits(s, t, p))
                odd = !odd;
    }
    return odd;
}

spate_status sp_surface_turn_outwards(sp_surface *s, const sp_tree_node *nodes, spate_error *error)
{
    shell *shells = sp_alloc(s->shell_count, sizeof *shells);
    bool *turn = sp_alloc(s->shell_count, sizeof *turn);
    if (!shells || !turn) {
        sp_free(shells);
        sp_free(turn);
        return sp_fail_memory(error, "a mesh", s->shell_count * sizeof *shells);
    }
    measure_shells(s, shells);
    double total = 0;
    for (uint32_t k = 0; k < s->shell_count; k++) {
        turn[k] = (shells[k].volume < 0) != is_hole(s, nodes, shells, k);
        total += fabs(shells[k].volume);
    }
    for (uint32_t t = 0; t < s->triangle_count; t++)
        if (turn[s->shells[t]])
            sp_surface_flip(s, t);
    sp_free(shells);
    sp_free(turn);
    if (!(total > 1e-15 * s->diagonal * s->diagonal * s->diagonal))
        return sp_fail(error, SPATE_ERROR_SCENE, NULL, "the mesh is flat: it encloses no volume");
    return SPATE_OK;
}
