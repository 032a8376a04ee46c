/* mesh_ray.c -- rays against triangle meshes, through the tree that distances use.
 *
 * A box is met between the largest of the entries and the smallest of the exits of its three slabs.
 * The nearer child goes first, so that what it holds cuts off the other one. Corner a, edges e and
 * f: from + t along = a + u e + v f (Moeller and Trumbore 1997), in double precision, with the
 * edges counted in, so that no ray slips between two triangles.
 *
 * The normal at a vertex is sum_i e_i x e_(i+1) / (|e_i|^2 |e_(i+1)|^2) over the pairs of edges of
 * the faces around it, which is exact where the vertices lie on a sphere (Max 1999). */
#include "mesh_ray.h"

#include <math.h>

#include "kernels/mesh_distance.h"

#define CREASE 0.766 /* cosine of 40 degrees */
#define FACES 64     /* around a vertex; of more, the first count */

static bool meet_box(const sp_tree_node *node, const sp_mesh_ray *ray, const double inverse[3],
                     double *entry)
{
    double in = ray->begin, out = ray->end;
    for (int d = 0; d < 3; d++) {
        double a = ((double)node->low[d] - ray->from[d]) * inverse[d];
        double b = ((double)node->high[d] - ray->from[d]) * inverse[d];
        double first = a < b ? a : b, last = a < b ? b : a;
        in = first > in ? first : in;
        out = last < out ? last : out;
    }
    *entry = in;
    return in <= out;
}

static void meet_triangle(const sp_mesh_triangle *t, uint32_t index, sp_mesh_ray *ray,
                          sp_mesh_cut *cut)
{
    const double tiny = -1e-12;
    double e[3], f[3], p[3], away[3], q[3];
    sp_subtract(t->v[1], t->v[0], e);
    sp_subtract(t->v[2], t->v[0], f);
    sp_cross(ray->along, f, p);
    double scale = sp_dot(e, p);
    if (scale == 0)
        return;
    sp_subtract(ray->from, t->v[0], away);
    double u = sp_dot(away, p) / scale;
    if (!(u >= tiny && u <= 1 - tiny))
        return;
    sp_cross(away, e, q);
    double v = sp_dot(ray->along, q) / scale;
    if (!(v >= tiny && u + v <= 1 - tiny))
        return;
    double way = sp_dot(f, q) / scale;
    if (!(way >= ray->begin && way < ray->end))
        return;
    ray->end = way;
    *cut = (sp_mesh_cut){.t = way, .triangle = index, .share = {1 - u - v, u, v}};
    memcpy(cut->normal, t->normal, sizeof cut->normal);
}

bool sp_mesh_meet(const spate_mesh *mesh, sp_mesh_ray *ray, sp_mesh_cut *cut)
{
    const sp_mesh_data *data = sp_mesh_query(mesh);
    struct {
        uint32_t node;
        double entry;
    } stack[SP_TREE_DEPTH];
    int waiting = 0;
    double inverse[3], end = ray->end, entry;
    for (int d = 0; d < 3; d++) /* finite: 0 times it, in the plane of a side, must be a number */
        inverse[d] = fabs(ray->along[d]) > 1e-300 ? 1 / ray->along[d] : 1e300;
    uint64_t visits = 1;
    uint32_t at = 0;
    bool searching = meet_box(&data->nodes[0], ray, inverse, &entry);
    while (searching) {
        const sp_tree_node *node = &data->nodes[at];
        if (node->count == 0) {
            double near_entry, far_entry;
            uint32_t near = node->first, far = near + 1;
            bool first = meet_box(&data->nodes[near], ray, inverse, &near_entry);
            bool second = meet_box(&data->nodes[far], ray, inverse, &far_entry);
            visits += 2;
            if (first && second && far_entry < near_entry) {
                double swap = near_entry;
                near_entry = far_entry;
                far_entry = swap;
                near = far--;
            }
            if (first && second) {
                stack[waiting].node = far;
                stack[waiting++].entry = far_entry;
            }
            if (first || second) {
                at = first ? near : far;
                continue;
            }
        }
        for (uint32_t i = node->first; i < node->first + node->count; i++)
            meet_triangle(&data->triangles[i], i, ray, cut);
        visits += node->count;
        do {
            searching = waiting > 0;
            waiting -= searching;
        } while (searching && stack[waiting].entry > ray->end);
        if (searching)
            at = stack[waiting].node;
    }
    ray->visits += visits;
    bool met = ray->end < end;
    ray->end = end;
    return met;
}

/* Adds what a face gives to the normal of its corner c. */
static void add_corner(const sp_mesh_triangle *t, uint32_t c, double sum[3])
{
    double e[3], f[3], across[3];
    sp_subtract(t->v[(c + 1) % 3], t->v[c], e);
    sp_subtract(t->v[(c + 2) % 3], t->v[c], f);
    sp_cross(e, f, across);
    double lengths = sp_dot(e, e) * sp_dot(f, f);
    for (int d = 0; d < 3 && lengths > 0; d++)
        sum[d] += across[d] / lengths;
}

void sp_mesh_smooth_normal(const spate_mesh *mesh, const sp_mesh_cut *cut, double normal[3])
{
    const sp_mesh_data *data = sp_mesh_query(mesh);
    const double *own = data->triangles[cut->triangle].normal;
    double sum[3] = {0, 0, 0};
    for (uint32_t c = 0; c < 3; c++) {
        uint32_t half_edge = 3 * cut->triangle + c; /* out of the corner */
        double corner[3] = {0, 0, 0};
        for (int face = 0; face < FACES; face++) {
            const sp_mesh_triangle *t = &data->triangles[half_edge / 3];
            if (sp_dot(t->normal, own) > CREASE)
                add_corner(t, half_edge % 3, corner);
            /* the edge into the corner is the neighbour's out of it */
            half_edge = data->mates[half_edge - half_edge % 3 + (half_edge + 2) % 3];
            if (half_edge == 3 * cut->triangle + c)
                break;
        }
        if (sp_normalize(corner))
            for (int d = 0; d < 3; d++)
                sum[d] += cut->share[c] * corner[d];
    }
    memcpy(normal, sp_normalize(sum) ? sum : own, 3 * sizeof *normal);
}
