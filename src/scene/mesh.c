/* mesh.c -- signed distance to a closed triangle mesh.
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
 * Distances place particles and so reach the state of a run: no libm beyond sqrt and fabs. */
#include "mesh.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "mesh_topology.h"
#include "mesh_tree.h"
#include "mesh_vector.h"

typedef struct triangle {
    double v[3][3];
    double normal[3]; /* unit; 0 if the triangle has no area */
    double area;      /* twice */
} triangle;

struct spate_mesh {
    _Atomic int owners;
    sp_surface surface;     /* triangles in the order of the tree */
    triangle *triangles;    /* the same, with what a query needs side by side */
    double *vertex_normals; /* [3 * vertex_count], of any length */
    sp_tree_node *nodes;
};

/* The closest point so far. Feature: 0 face, 1..3 the edge from corner 0..2, 4..6 corner 0..2. */
typedef struct hit {
    double squared;
    double away[3]; /* p - c */
    uint32_t triangle;
    int feature;
} hit;

/* ------------------------------------------------------------------ queries */

static void try_edge(const triangle *t, int edge, const double p[3], uint32_t index, hit *best)
{
    const double *a = t->v[edge], *b = t->v[(edge + 1) % 3];
    double e[3], away[3];
    subtract(b, a, e);
    subtract(p, a, away);
    double s = dot(away, e) / dot(e, e);
    int feature = 1 + edge;
    if (s <= 0) {
        feature = 4 + edge;
    } else if (s >= 1) {
        feature = 4 + (edge + 1) % 3;
        subtract(p, b, away);
    } else {
        for (int d = 0; d < 3; d++)
            away[d] -= s * e[d];
    }
    double squared = dot(away, away);
    if (squared < best->squared) {
        best->squared = squared;
        best->triangle = index;
        best->feature = feature;
        memcpy(best->away, away, sizeof away);
    }
}

static void try_triangle(const triangle *t, const double p[3], uint32_t index, hit *best)
{
    double away[3], first[3], last[3], turned[3];
    subtract(p, t->v[0], away);
    double height = dot(away, t->normal);
    if (height * height >= best->squared)
        return;
    /* On which side of edge e from corner v does p lie? side = (n x e) . (p - v) = e . ((p - v) x
     * n), which is positive inside. Two edges meet in v[0]; the three sides add up to twice the
     * area, which gives the third. */
    subtract(t->v[1], t->v[0], first);
    subtract(t->v[0], t->v[2], last);
    cross(away, t->normal, turned);
    double side[3] = {dot(first, turned), 0, dot(last, turned)};
    side[1] = t->area - side[0] - side[2];
    /* The closest point of a triangle seen from outside its prism is on an edge that faces p. On
     * the border itself the edge is taken, so that a triangle without area (normal 0) is three
     * edges. */
    bool inside = true;
    for (int c = 0; c < 3; c++) {
        if (side[c] > 0)
            continue;
        inside = false;
        try_edge(t, c, p, index, best);
    }
    if (!inside)
        return;
    best->squared = height * height;
    best->triangle = index;
    best->feature = 0;
    for (int d = 0; d < 3; d++)
        best->away[d] = height * t->normal[d];
}

static double box_squared(const sp_tree_node *node, const double p[3])
{
    double squared = 0;
    for (int d = 0; d < 3; d++) {
        double under = node->low[d] - p[d], over = p[d] - node->high[d];
        double gap = under > over ? under : over;
        squared += gap > 0 ? gap * gap : 0;
    }
    return squared;
}

static hit closest(const spate_mesh *mesh, const double p[3])
{
    struct {
        uint32_t node;
        double squared;
    } stack[SP_TREE_DEPTH];
    int waiting = 0;
    hit best = {.squared = HUGE_VAL};
    uint32_t at = 0;
    for (;;) {
        const sp_tree_node *node = &mesh->nodes[at];
        if (node->count == 0) {
            uint32_t near = node->first, far = near + 1;
            double near_squared = box_squared(&mesh->nodes[near], p),
                   far_squared = box_squared(&mesh->nodes[far], p);
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
            try_triangle(&mesh->triangles[i], p, i, &best);
        do {
            if (waiting == 0)
                return best;
            waiting--;
        } while (stack[waiting].squared >= best.squared);
        at = stack[waiting].node;
    }
}

static void pseudonormal(const spate_mesh *mesh, const hit *h, double normal[3])
{
    const double *own = mesh->triangles[h->triangle].normal;
    size_t corner = 3 * (size_t)h->triangle + (size_t)((h->feature + 2) % 3);
    if (h->feature == 0) {
        memcpy(normal, own, 3 * sizeof *normal);
    } else if (h->feature <= 3) {
        const double *other = mesh->triangles[mesh->surface.mates[corner] / 3].normal;
        for (int d = 0; d < 3; d++)
            normal[d] = own[d] + other[d];
    } else {
        const double *sum = &mesh->vertex_normals[3 * (size_t)mesh->surface.triangles[corner]];
        memcpy(normal, sum, 3 * sizeof *normal);
    }
}

double sp_mesh_distance(const spate_mesh *mesh, const double point[3], double normal[3])
{
    hit h = closest(mesh, point);
    double outward[3], distance = sqrt(h.squared);
    pseudonormal(mesh, &h, outward);
    double sign = dot(h.away, outward) < 0 ? -1 : 1;
    if (normal) {
        /* so close to the surface p - c is rounding error */
        bool touching = distance < 1e-10 * mesh->surface.diagonal;
        for (int d = 0; d < 3; d++)
            normal[d] = touching || h.feature == 0 ? outward[d] : sign * h.away[d];
        if (!normalize(normal)) {
            normal[0] = 1;
            normal[1] = normal[2] = 0;
        }
    }
    return sign * distance;
}

/* ------------------------------------------------------------------ normals */

/* Angle whose tangent is t >= 0: halved three times, then the series. */
static double arc_tangent(double t)
{
    for (int i = 0; i < 3; i++)
        t = t / (1 + sqrt(1 + t * t));
    double y = t * t, sum = 0;
    for (int n = 19; n >= 1; n -= 2)
        sum = 1.0 / n - y * sum;
    return 8 * t * sum;
}

/* Between two vectors, radians. With unit vectors u and v it is 2 atan(|u - v| / |u + v|). */
static double angle_between(const double a[3], const double b[3])
{
    double u[3], v[3], apart[3], together[3];
    memcpy(u, a, sizeof u);
    memcpy(v, b, sizeof v);
    if (!normalize(u) || !normalize(v))
        return 0;
    for (int d = 0; d < 3; d++) {
        apart[d] = u[d] - v[d];
        together[d] = u[d] + v[d];
    }
    double x = sqrt(dot(apart, apart)), y = sqrt(dot(together, together));
    return y > 1e-12 ? 2 * arc_tangent(x / y) : 3.14159265358979323846;
}

static spate_status add_normals(spate_mesh *mesh, spate_error *error)
{
    sp_surface *s = &mesh->surface;
    mesh->triangles = sp_alloc(s->triangle_count, sizeof *mesh->triangles);
    mesh->vertex_normals = sp_alloc(3 * s->vertex_count, sizeof *mesh->vertex_normals);
    if (!mesh->triangles || !mesh->vertex_normals)
        return sp_fail_memory(error, "a mesh",
                              s->triangle_count * sizeof(triangle) + s->vertex_count * 24);
    for (size_t t = 0; t < s->triangle_count; t++) {
        triangle *own = &mesh->triangles[t];
        double edges[3][3];
        for (size_t c = 0; c < 3; c++)
            memcpy(own->v[c], &s->vertices[3 * (size_t)s->triangles[3 * t + c]], sizeof own->v[c]);
        for (int c = 0; c < 3; c++)
            subtract(own->v[(c + 1) % 3], own->v[c], edges[c]);
        cross(edges[0], edges[1], own->normal);
        own->area = sqrt(dot(own->normal, own->normal));
        if (!normalize(own->normal))
            continue;
        for (size_t c = 0; c < 3; c++) {
            double back[3], *sum = &mesh->vertex_normals[3 * (size_t)s->triangles[3 * t + c]];
            for (int d = 0; d < 3; d++)
                back[d] = -edges[(c + 2) % 3][d];
            double angle = angle_between(edges[c], back);
            for (int d = 0; d < 3; d++)
                sum[d] += angle * own->normal[d];
        }
    }
    return SPATE_OK;
}

/* ------------------------------------------------------------------ life */

/* Puts the triangles in the order of the tree, so that those of a leaf lie side by side. */
static spate_status reorder(sp_surface *s, const uint32_t *order, spate_error *error)
{
    size_t count = s->triangle_count;
    uint32_t *triangles = sp_alloc(3 * count, sizeof *triangles),
             *mates = sp_alloc(3 * count, sizeof *mates);
    uint32_t *shells = sp_alloc(count, sizeof *shells), *place = sp_alloc(count, sizeof *place);
    if (!triangles || !mates || !shells || !place) {
        sp_free(triangles);
        sp_free(mates);
        sp_free(shells);
        sp_free(place);
        return sp_fail_memory(error, "a mesh", count * 32);
    }
    for (size_t i = 0; i < count; i++)
        place[order[i]] = (uint32_t)i;
    for (size_t i = 0; i < count; i++) {
        size_t from = order[i];
        shells[i] = s->shells[from];
        for (size_t c = 0; c < 3; c++) {
            uint32_t mate = s->mates[3 * from + c];
            triangles[3 * i + c] = s->triangles[3 * from + c];
            mates[3 * i + c] = 3 * place[mate / 3] + mate % 3;
        }
    }
    sp_free(place);
    sp_free(s->triangles);
    sp_free(s->mates);
    sp_free(s->shells);
    s->triangles = triangles;
    s->mates = mates;
    s->shells = shells;
    return SPATE_OK;
}

static spate_status build(spate_mesh *mesh, const double *vertices, size_t vertex_count,
                          const uint32_t *triangles, size_t triangle_count, spate_error *error)
{
    sp_surface *s = &mesh->surface;
    sp_tree tree;
    TRY(sp_surface_init(s, vertices, vertex_count, triangles, triangle_count, error));
    TRY(sp_tree_init(&tree, s->vertices, s->triangles, s->triangle_count, error));
    mesh->nodes = tree.nodes;
    spate_status status = reorder(s, tree.order, error);
    sp_free(tree.order);
    TRY(status);
    TRY(sp_surface_turn_outwards(s, tree.nodes, error));
    return add_normals(mesh, error);
}

spate_mesh *spate_mesh_create(const double *vertices, size_t vertex_count,
                              const uint32_t *triangles, size_t triangle_count, spate_error *error)
{
    spate_mesh *mesh = sp_alloc(1, sizeof *mesh);
    if (!mesh) {
        sp_fail_memory(error, "a mesh", sizeof *mesh);
        return NULL;
    }
    atomic_init(&mesh->owners, 1);
    if (build(mesh, vertices, vertex_count, triangles, triangle_count, error) != SPATE_OK) {
        spate_mesh_destroy(mesh);
        return NULL;
    }
    return mesh;
}

spate_mesh *spate_mesh_retain(spate_mesh *mesh)
{
    if (mesh)
        atomic_fetch_add(&mesh->owners, 1);
    return mesh;
}

void spate_mesh_destroy(spate_mesh *mesh)
{
    if (!mesh || atomic_fetch_sub(&mesh->owners, 1) > 1)
        return;
    sp_surface_clear(&mesh->surface);
    sp_free(mesh->triangles);
    sp_free(mesh->vertex_normals);
    sp_free(mesh->nodes);
    sp_free(mesh);
}

void sp_mesh_bounds(const spate_mesh *mesh, double low[3], double high[3])
{
    memcpy(low, mesh->surface.low, sizeof mesh->surface.low);
    memcpy(high, mesh->surface.high, sizeof mesh->surface.high);
}

size_t sp_mesh_triangle_count(const spate_mesh *mesh)
{
    return mesh->surface.triangle_count;
}

size_t sp_mesh_vertex_count(const spate_mesh *mesh)
{
    return mesh->surface.vertex_count;
}

const uint32_t *sp_mesh_triangles(const spate_mesh *mesh)
{
    return mesh->surface.triangles;
}

const double *sp_mesh_vertices(const spate_mesh *mesh)
{
    return mesh->surface.vertices;
}
