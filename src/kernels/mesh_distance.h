/* mesh_distance.h -- signed distance to a closed triangle mesh, on any device.
 *
 * The distance is that to the closest point c of the surface, found through a bounding volume
 * hierarchy. The sign is that of (p - c) . n, where n is the pseudonormal of the feature that c
 * lies on (Baerentzen and Aanaes 2005):
 *
 *     face     its normal
 *     edge     the sum of the normals of its two faces
 *     vertex   the sum of the normals of its faces, each times the angle of the face there
 *
 * which is right for every closed surface that does not cut itself, however sharp or thin. A shell
 * inside another one is a hole in it, and so on inwards, whichever way its triangles were given.
 * Shells that cut each other have no clear inside where they overlap.
 *
 * scene/mesh.c makes what is read here. */
#ifndef SPATE_KERNELS_MESH_DISTANCE_H
#define SPATE_KERNELS_MESH_DISTANCE_H

#include "mesh_node.h"
#include "vector.h"

#include <string.h>

typedef struct sp_mesh_triangle {
    double v[3][3];
    double normal[3]; /* unit; 0 if the triangle has no area */
    double area;      /* twice */
} sp_mesh_triangle;

/* What a query reads; all pointers are of the memory that it runs in. */
typedef struct sp_mesh_data {
    const sp_tree_node *nodes;
    const sp_mesh_triangle *triangles; /* in the order of the tree */
    const uint32_t *mates, *corners;   /* as in sp_surface; corners: of its triangles */
    const double *vertex_normals;      /* [3 * vertex_count], of any length */
    double diagonal;
    size_t triangle_count, vertex_count; /* nodes: room for 2 triangle_count + 1 */
} sp_mesh_data;

/* The closest point so far. Feature: 0 face, 1..3 the edge from corner 0..2, 4..6 corner 0..2. */
typedef struct sp_mesh_hit {
    double squared;
    double away[3]; /* p - c */
    uint32_t triangle;
    int feature;
} sp_mesh_hit;

SP_KERNEL void sp_mesh_try_edge(const sp_mesh_triangle *t, int edge, const double p[3],
                                uint32_t index, sp_mesh_hit *best)
{
    const double *a = t->v[edge], *b = t->v[(edge + 1) % 3];
    double e[3], away[3];
    sp_subtract(b, a, e);
    sp_subtract(p, a, away);
    double s = sp_dot(away, e) / sp_dot(e, e);
    int feature = 1 + edge;
    if (s <= 0) {
        feature = 4 + edge;
    } else if (s >= 1) {
        feature = 4 + (edge + 1) % 3;
        sp_subtract(p, b, away);
    } else {
        for (int d = 0; d < 3; d++)
            away[d] -= s * e[d];
    }
    double squared = sp_dot(away, away);
    if (squared < best->squared) {
        best->squared = squared;
        best->triangle = index;
        best->feature = feature;
        memcpy(best->away, away, sizeof away);
    }
}

SP_KERNEL void sp_mesh_try_triangle(const sp_mesh_triangle *t, const double p[3], uint32_t index,
                                    sp_mesh_hit *best)
{
    double away[3], first[3], last[3], turned[3];
    sp_subtract(p, t->v[0], away);
    double height = sp_dot(away, t->normal);
    if (height * height >= best->squared)
        return;
    /* On which side of edge e from corner v does p lie? side = (n x e) . (p - v) = e . ((p - v) x
     * n), which is positive inside. Two edges meet in v[0]; the three sides add up to twice the
     * area, which gives the third. */
    sp_subtract(t->v[1], t->v[0], first);
    sp_subtract(t->v[0], t->v[2], last);
    sp_cross(away, t->normal, turned);
    double side[3] = {sp_dot(first, turned), 0, sp_dot(last, turned)};
    side[1] = t->area - side[0] - side[2];
    /* The closest point of a triangle seen from outside its prism is on an edge that faces p. On
     * the border itself the edge is taken, so that a triangle without area (normal 0) is three
     * edges. */
    bool inside = true;
    for (int c = 0; c < 3; c++) {
        if (side[c] > 0)
            continue;
        inside = false;
        sp_mesh_try_edge(t, c, p, index, best);
    }
    if (!inside)
        return;
    best->squared = height * height;
    best->triangle = index;
    best->feature = 0;
    for (int d = 0; d < 3; d++)
        best->away[d] = height * t->normal[d];
}

SP_KERNEL double sp_mesh_box_squared(const sp_tree_node *node, const double p[3])
{
    double squared = 0;
    for (int d = 0; d < 3; d++) {
        double under = node->low[d] - p[d], over = p[d] - node->high[d];
        double gap = under > over ? under : over;
        squared += gap > 0 ? gap * gap : 0;
    }
    return squared;
}

SP_KERNEL sp_mesh_hit sp_mesh_closest(const sp_mesh_data *mesh, const double p[3])
{
    struct {
        uint32_t node;
        double squared;
    } stack[SP_TREE_DEPTH];
    int waiting = 0;
    sp_mesh_hit best = {HUGE_VAL, {0, 0, 0}, 0, 0};
    uint32_t at = 0;
    for (;;) {
        const sp_tree_node *node = &mesh->nodes[at];
        if (node->count == 0) {
            uint32_t near = node->first, far = near + 1;
            double near_squared = sp_mesh_box_squared(&mesh->nodes[near], p),
                   far_squared = sp_mesh_box_squared(&mesh->nodes[far], p);
            if (far_squared < near_squared) {
                uint32_t swap = near;
                double swap_squared = near_squared;
                near = far;
                near_squared = far_squared;
                far = swap;
                far_squared = swap_squared;
            }
            if (far_squared < best.squared) {
                stack[waiting].node = far;
                stack[waiting++].squared = far_squared;
            }
            if (near_squared < best.squared) {
                at = near;
                continue;
            }
        }
        for (uint32_t i = node->first; i < node->first + node->count; i++)
            sp_mesh_try_triangle(&mesh->triangles[i], p, i, &best);
        do {
            if (waiting == 0)
                return best;
            waiting--;
        } while (stack[waiting].squared >= best.squared);
        at = stack[waiting].node;
    }
}

SP_KERNEL void sp_mesh_pseudonormal(const sp_mesh_data *mesh, const sp_mesh_hit *h,
                                    double normal[3])
{
    const double *own = mesh->triangles[h->triangle].normal;
    size_t corner = 3 * (size_t)h->triangle + (size_t)((h->feature + 2) % 3);
    if (h->feature == 0) {
        memcpy(normal, own, 3 * sizeof *normal);
    } else if (h->feature <= 3) {
        const double *other = mesh->triangles[mesh->mates[corner] / 3].normal;
        for (int d = 0; d < 3; d++)
            normal[d] = own[d] + other[d];
    } else {
        const double *sum = &mesh->vertex_normals[3 * (size_t)mesh->corners[corner]];
        memcpy(normal, sum, 3 * sizeof *normal);
    }
}

SP_KERNEL double sp_mesh_data_distance(const sp_mesh_data *mesh, const double point[3],
                                       double normal[3])
{
    sp_mesh_hit h = sp_mesh_closest(mesh, point);
    double outward[3], distance = sqrt(h.squared);
    sp_mesh_pseudonormal(mesh, &h, outward);
    double sign = sp_dot(h.away, outward) < 0 ? -1 : 1;
    if (normal) {
        /* so close to the surface p - c is rounding error */
        bool touching = distance < 1e-10 * mesh->diagonal;
        for (int d = 0; d < 3; d++)
            normal[d] = touching || h.feature == 0 ? outward[d] : sign * h.away[d];
        if (!sp_normalize(normal)) {
            normal[0] = 1;
            normal[1] = normal[2] = 0;
        }
    }
    return sign * distance;
}

#endif
