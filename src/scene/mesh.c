/* mesh.c -- closed triangle meshes: what a query of the distance needs (kernels/mesh_distance.h).
 *
 * Distances place particles and so reach the state of a run: no libm beyond sqrt and fabs. */
#include "mesh.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "kernels/mesh_distance.h"
#include "mesh_topology.h"

struct spate_mesh {
    sp_mesh_data data; /* the first member: a device has this alone (kernels/shape_distance.h) */
    _Atomic int owners;
    sp_surface surface;          /* triangles in the order of the tree */
    sp_mesh_triangle *triangles; /* the same, with what a query needs side by side */
    double *vertex_normals;      /* [3 * vertex_count], of any length */
    sp_tree_node *nodes;
};

double sp_mesh_distance(const spate_mesh *mesh, const double point[3], double normal[3])
{
    return sp_mesh_data_distance(&mesh->data, point, normal);
}

const sp_mesh_data *sp_mesh_query(const spate_mesh *mesh)
{
    return &mesh->data;
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
    if (!sp_normalize(u) || !sp_normalize(v))
        return 0;
    for (int d = 0; d < 3; d++) {
        apart[d] = u[d] - v[d];
        together[d] = u[d] + v[d];
    }
    double x = sqrt(sp_dot(apart, apart)), y = sqrt(sp_dot(together, together));
    return y > 1e-12 ? 2 * arc_tangent(x / y) : 3.14159265358979323846;
}

static spate_status add_normals(spate_mesh *mesh, spate_error *error)
{
    sp_surface *s = &mesh->surface;
    mesh->triangles = sp_alloc(s->triangle_count, sizeof *mesh->triangles);
    mesh->vertex_normals = sp_alloc(3 * s->vertex_count, sizeof *mesh->vertex_normals);
    if (!mesh->triangles || !mesh->vertex_normals)
        return sp_fail_memory(error, "a mesh",
                              s->triangle_count * sizeof(sp_mesh_triangle) + s->vertex_count * 24);
    for (size_t t = 0; t < s->triangle_count; t++) {
        sp_mesh_triangle *own = &mesh->triangles[t];
        double edges[3][3];
        for (size_t c = 0; c < 3; c++)
            memcpy(own->v[c], &s->vertices[3 * (size_t)s->triangles[3 * t + c]], sizeof own->v[c]);
        for (int c = 0; c < 3; c++)
            sp_subtract(own->v[(c + 1) % 3], own->v[c], edges[c]);
        sp_cross(edges[0], edges[1], own->normal);
        own->area = sqrt(sp_dot(own->normal, own->normal));
        if (!sp_normalize(own->normal))
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
    TRY(add_normals(mesh, error));
    mesh->data = (sp_mesh_data){.nodes = mesh->nodes,
                                .triangles = mesh->triangles,
                                .mates = s->mates,
                                .corners = s->triangles,
                                .vertex_normals = mesh->vertex_normals,
                                .diagonal = s->diagonal,
                                .triangle_count = s->triangle_count,
                                .vertex_count = s->vertex_count};
    return SPATE_OK;
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
