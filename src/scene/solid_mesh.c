/* solid_mesh.c -- see solid_mesh.h. */
#include "solid_mesh.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "mesh.h"
#include "sides.h"

enum { SEGMENTS = 64, QUARTER = SEGMENTS / 4, PROFILE = 2 * QUARTER + 4 };
#define CREASE 0.766 /* cosine of the angle between faces from which on an edge is sharp */

/* Vertices that triangles share, before normals part them. */
typedef struct draft {
    double *vertices;  /* 3 each */
    uint32_t *corners; /* 3 per triangle, in 2D 2 per segment */
    size_t vertex_count, vertex_room, face_count, face_room;
    int corner_count; /* of a face */
    bool failed;
} draft;

static size_t add_vertex(draft *d, double x, double y, double z)
{
    if (d->vertex_count == d->vertex_room && !d->failed) {
        size_t room = d->vertex_room ? 2 * d->vertex_room : 256;
        double *larger =
            sp_grow(d->vertices, 3 * d->vertex_count * sizeof *larger, 3 * room, sizeof *larger);
        d->failed = !larger;
        d->vertices = larger ? larger : d->vertices;
        d->vertex_room = larger ? room : d->vertex_room;
    }
    if (d->failed)
        return 0;
    double *to = d->vertices + 3 * d->vertex_count;
    to[0] = x, to[1] = y, to[2] = z;
    return d->vertex_count++;
}

static void add_face(draft *d, size_t a, size_t b, size_t c)
{
    const size_t corners[3] = {a, b, c};
    if (d->face_count == d->face_room && !d->failed) {
        size_t room = d->face_room ? 2 * d->face_room : 256, n = (size_t)d->corner_count;
        uint32_t *larger =
            sp_grow(d->corners, n * d->face_count * sizeof *larger, n * room, sizeof *larger);
        d->failed = !larger;
        d->corners = larger ? larger : d->corners;
        d->face_room = larger ? room : d->face_room;
    }
    if (d->failed)
        return;
    for (int k = 0; k < d->corner_count; k++)
        d->corners[(size_t)d->corner_count * d->face_count + (size_t)k] = (uint32_t)corners[k];
    d->face_count++;
}

static void clear_draft(draft *d)
{
    sp_free(d->vertices);
    sp_free(d->corners);
}

/* ------------------------------------------------------------------ shapes */

static void circle(int k, int of, double *sine, double *cosine)
{
    sp_sincos_degrees(360.0 * (k % of) / of, sine, cosine);
}

/* Half an outline of a round shape, about local x, from the low end to the high one. */
static int profile_of(const sp_shape *form, double at[PROFILE][2])
{
    int count = 0;
    double r = form->radius, h = form->half[0];
    if (form->kind == SPATE_SHAPE_CYLINDER) {
        const double corners[4][2] = {{-h, 0}, {-h, r}, {h, r}, {h, 0}};
        memcpy(at, corners, sizeof corners);
        return 4;
    }
    if (form->kind == SPATE_SHAPE_SPHERE)
        h = 0;
    for (int k = 0; k <= 2 * QUARTER; k++) {
        double sine, cosine;
        circle(k, SEGMENTS, &sine, &cosine);
        if (k == QUARTER && h > 0) { /* the straight part of a capsule */
            at[count][0] = -h, at[count++][1] = r;
            at[count][0] = h, at[count++][1] = r;
            continue;
        }
        at[count][0] = (k < QUARTER ? -h : k > QUARTER ? h : 0) - r * cosine;
        at[count++][1] = k == 0 || k == 2 * QUARTER ? 0 : r * sine;
    }
    return count;
}

static void turn_on_lathe(draft *d, const sp_shape *form)
{
    double at[PROFILE][2];
    int rings = profile_of(form, at);
    size_t before = add_vertex(d, at[0][0], 0, 0);
    for (int ring = 1; ring < rings; ring++) {
        bool end = ring == rings - 1;
        size_t first = end ? add_vertex(d, at[ring][0], 0, 0) : d->vertex_count;
        for (int k = 0; k < SEGMENTS; k++) {
            double sine, cosine;
            circle(k, SEGMENTS, &sine, &cosine);
            if (!end)
                add_vertex(d, at[ring][0], at[ring][1] * cosine, at[ring][1] * sine);
            size_t a = (size_t)k, b = (size_t)((k + 1) % SEGMENTS);
            if (ring == 1) {
                add_face(d, before, first + b, first + a);
                continue;
            }
            add_face(d, before + a, before + b, end ? first : first + b);
            if (!end)
                add_face(d, before + a, first + b, first + a);
        }
        before = first;
    }
}

static void make_box(draft *d, const sp_shape *form)
{
    static const uint8_t faces[12][3] = {{0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5},
                                         {0, 1, 5}, {0, 5, 4}, {2, 6, 7}, {2, 7, 3},
                                         {0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}};
    for (int k = 0; k < 8; k++)
        add_vertex(d, (k & 1 ? 1 : -1) * form->half[0], (k & 2 ? 1 : -1) * form->half[1],
                   (k & 4 ? 1 : -1) * form->half[2]);
    for (int k = 0; k < 12; k++)
        add_face(d, faces[k][0], faces[k][1], faces[k][2]);
}

static void make_mesh(draft *d, const sp_shape *form)
{
    const double *x = sp_mesh_vertices(form->mesh);
    const uint32_t *t = sp_mesh_triangles(form->mesh);
    for (size_t k = 0; k < sp_mesh_vertex_count(form->mesh); k++)
        add_vertex(d, form->scale * x[3 * k], form->scale * x[3 * k + 1],
                   form->scale * x[3 * k + 2]);
    for (size_t k = 0; k < sp_mesh_triangle_count(form->mesh); k++)
        add_face(d, t[3 * k], t[3 * k + 1], t[3 * k + 2]);
}

/* Cuts off what of a polygon is behind the plane x[axis] * sign <= limit. */
static int cut_polygon(double (*points)[3], int count, int axis, double sign, double limit)
{
    double kept[16][3];
    int used = 0;
    for (int k = 0; k < count; k++) {
        const double *a = points[k], *b = points[(k + 1) % count];
        double da = limit - sign * a[axis], db = limit - sign * b[axis];
        if (da >= 0)
            memcpy(kept[used++], a, sizeof kept[0]);
        if ((da >= 0) != (db >= 0)) {
            for (int d = 0; d < 3; d++)
                kept[used][d] = a[d] + (b[d] - a[d]) * da / (da - db);
            used++;
        }
    }
    memcpy(points, kept, (size_t)used * sizeof *kept);
    return used;
}

/* The part of a plane that is in the domain; of one that moves, as much as covers it anywhere. */
static void make_plane(draft *d, const sp_shape *form, const double size[3])
{
    double points[16][3], middle[3], local[3], reach = 0;
    sp_pose pose = form->rest;
    int count = form->dim == 3 ? 4 : 2, segment = form->dim == 2;
    for (int k = 0; k < form->dim; k++) {
        middle[k] = 0.5 * size[k];
        reach += size[k] * size[k];
    }
    middle[2] = form->dim == 3 ? middle[2] : 0;
    reach = sqrt(reach);
    sp_pose_to_local(&pose, middle, local);
    for (int k = 0; k < count; k++) {
        double corner[3] = {0, local[1] + (k == 1 || k == 2 ? reach : -reach),
                            segment ? 0 : local[2] + (k >= 2 ? reach : -reach)};
        sp_pose_to_world(&pose, corner, points[k]);
    }
    for (int axis = 0; axis < form->dim && !sp_shape_moves(form); axis++) {
        double slack = 1e-9 * reach;
        count = cut_polygon(points, count, axis, -1, slack);
        count = cut_polygon(points, count, axis, 1, size[axis] + slack);
    }
    for (int k = 0; k < count; k++) {
        sp_pose_to_local(&pose, points[k], local);
        add_vertex(d, 0, local[1], local[2]);
    }
    if (segment && count >= 2)
        add_face(d, 0, 1, 0);
    for (int k = 2; k < count && !segment; k++)
        add_face(d, 0, (size_t)k - 1, (size_t)k);
}

/* The outline of a 2D shape. */
static void make_outline(draft *d, const sp_shape *form)
{
    double hx = form->half[0], hy = form->half[1], r = form->radius;
    if (form->kind == SPATE_SHAPE_CYLINDER)
        hy = r;
    if (form->kind == SPATE_SHAPE_BOX || form->kind == SPATE_SHAPE_CYLINDER) {
        for (int k = 0; k < 4; k++)
            add_vertex(d, k == 1 || k == 2 ? hx : -hx, k >= 2 ? hy : -hy, 0);
    } else {
        double half = form->kind == SPATE_SHAPE_CAPSULE ? hx : 0;
        for (int k = 0; k < SEGMENTS; k++) {
            double sine, cosine;
            circle(k, SEGMENTS, &sine, &cosine);
            bool right = k < QUARTER || k > 3 * QUARTER, left = k > QUARTER && k < 3 * QUARTER;
            if (half > 0 && !right && !left) { /* both ends of a straight side */
                double first = k == QUARTER ? half : -half;
                add_vertex(d, first, r * sine, 0);
                add_vertex(d, -first, r * sine, 0);
                continue;
            }
            add_vertex(d, (right ? half : left ? -half : 0) + r * cosine, r * sine, 0);
        }
    }
    for (size_t k = 0; k < d->vertex_count; k++)
        add_face(d, k, (k + 1) % d->vertex_count, 0);
}

static void make_shape(draft *d, const sp_shape *form, const double size[3])
{
    if (form->kind == SPATE_SHAPE_PLANE)
        make_plane(d, form, size);
    else if (form->dim == 2)
        make_outline(d, form);
    else if (form->kind == SPATE_SHAPE_BOX)
        make_box(d, form);
    else if (form->kind == SPATE_SHAPE_MESH)
        make_mesh(d, form);
    else
        turn_on_lathe(d, form);
    size_t n = (size_t)d->corner_count;
    for (size_t k = 0; k < d->face_count && form->invert && !d->failed; k++) {
        uint32_t *corners = d->corners + n * k, first = corners[0];
        corners[0] = corners[1];
        corners[1] = first;
    }
}

/* ------------------------------------------------------------------ normals */

/* Of a face, as long as its area (2D: its length): that of a segment is to its right. */
static void face_normal(const draft *d, size_t face, double normal[3])
{
    const uint32_t *corners = d->corners + (size_t)d->corner_count * face;
    const double *a = d->vertices + 3 * (size_t)corners[0],
                 *b = d->vertices + 3 * (size_t)corners[1];
    double u[3], v[3];
    for (int k = 0; k < 3; k++)
        u[k] = b[k] - a[k];
    if (d->corner_count == 2) {
        normal[0] = u[1], normal[1] = -u[0], normal[2] = 0;
        return;
    }
    const double *c = d->vertices + 3 * (size_t)corners[2];
    for (int k = 0; k < 3; k++)
        v[k] = c[k] - a[k];
    for (int k = 0; k < 3; k++) {
        int e = (k + 1) % 3, f = (k + 2) % 3;
        normal[k] = u[e] * v[f] - u[f] * v[e];
    }
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* The faces at each vertex, one list after the other. */
typedef struct fans {
    size_t *first; /* of each vertex, and the end */
    size_t *corner;
    double (*normals)[3]; /* of the faces */
} fans;

static bool make_fans(const draft *d, fans *f)
{
    size_t corners = d->face_count * (size_t)d->corner_count;
    f->first = sp_alloc(d->vertex_count + 2, sizeof *f->first);
    f->corner = sp_alloc(corners, sizeof *f->corner);
    f->normals = sp_alloc(d->face_count, sizeof *f->normals);
    if (!f->first || !f->corner || !f->normals)
        return false;
    for (size_t k = 0; k < corners; k++)
        f->first[d->corners[k] + 2]++;
    for (size_t k = 2; k < d->vertex_count + 2; k++)
        f->first[k] += f->first[k - 1];
    for (size_t k = 0; k < corners; k++)
        f->corner[f->first[d->corners[k] + 1]++] = k;
    for (size_t k = 0; k < d->face_count; k++)
        face_normal(d, k, f->normals[k]);
    return true;
}

/* Unit normal at a corner: of the faces around that meet its own at no sharp edge. */
static void corner_normal(const draft *d, const fans *f, size_t corner, float normal[3])
{
    size_t n = (size_t)d->corner_count, vertex = d->corners[corner];
    const double *own = f->normals[corner / n];
    double sum[3] = {0, 0, 0}, length = sqrt(dot(own, own));
    for (size_t k = f->first[vertex]; k < f->first[vertex + 1]; k++) {
        const double *other = f->normals[f->corner[k] / n];
        if (dot(own, other) >= CREASE * length * sqrt(dot(other, other)))
            for (int e = 0; e < 3; e++)
                sum[e] += other[e];
    }
    double size = sqrt(dot(sum, sum));
    for (int e = 0; e < 3; e++)
        normal[e] = (float)(size > 0 ? sum[e] / size : e == 1);
}

void sp_solid_mesh_free(spate_surface *mesh)
{
    sp_free(mesh->positions);
    sp_free(mesh->normals);
    sp_free(mesh->indices);
    *mesh = (spate_surface){0};
}

static bool allocate(spate_surface *mesh, int dim, size_t vertices, size_t faces)
{
    *mesh = (spate_surface){.dim = dim, .vertices = vertices, .triangles = faces};
    mesh->positions = sp_alloc(3 * vertices, sizeof *mesh->positions);
    mesh->normals = sp_alloc(3 * vertices, sizeof *mesh->normals);
    mesh->indices = sp_alloc((size_t)dim * faces, sizeof *mesh->indices);
    if (mesh->positions && mesh->normals && mesh->indices)
        return true;
    sp_solid_mesh_free(mesh);
    return false;
}

/* Corners of a vertex with the same normal share one; room is there for one per corner. */
static bool part_vertices(const draft *d, const fans *f, spate_surface *mesh)
{
    size_t n = (size_t)d->corner_count, used = 0;
    if (!allocate(mesh, d->corner_count, n * d->face_count, d->face_count))
        return false;
    for (size_t vertex = 0; vertex < d->vertex_count; vertex++) {
        size_t begin = used;
        for (size_t k = f->first[vertex]; k < f->first[vertex + 1]; k++) {
            float normal[3];
            corner_normal(d, f, f->corner[k], normal);
            size_t same = begin;
            while (same < used && fabsf(mesh->normals[3 * same] - normal[0]) +
                                          fabsf(mesh->normals[3 * same + 1] - normal[1]) +
                                          fabsf(mesh->normals[3 * same + 2] - normal[2]) >
                                      1e-4f)
                same++;
            if (same == used) {
                memcpy(mesh->normals + 3 * used, normal, sizeof normal);
                for (size_t e = 0; e < 3; e++)
                    mesh->positions[3 * used + e] = (float)d->vertices[3 * vertex + e];
                used++;
            }
            mesh->indices[f->corner[k]] = (uint32_t)same;
        }
    }
    mesh->vertices = used;
    return true;
}

static bool make_surface(const sp_shape *form, const double size[3], spate_surface *mesh)
{
    draft d = {.corner_count = form->dim};
    fans f = {NULL, NULL, NULL};
    make_shape(&d, form, size);
    bool good = !d.failed && make_fans(&d, &f) && part_vertices(&d, &f, mesh);
    sp_free(f.first);
    sp_free(f.corner);
    sp_free(f.normals);
    clear_draft(&d);
    return good;
}

/* ------------------------------------------------------------------ all of a scene */

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static bool is_taken(const sp_solid_meshes *solids, int index)
{
    for (int k = 0; k < index; k++)
        if (strcmp(solids->items[k].name, solids->items[index].name) == 0)
            return true;
    return false;
}

static void name_solid(sp_solid_meshes *solids, const spate_shape *shape, int index)
{
    char *name = solids->items[index].name;
    bool digit = shape->name[0] >= '0' && shape->name[0] <= '9';
    if (shape->name[0])
        snprintf(name, 32, "%s%.30s", digit ? "_" : "", shape->name);
    else
        snprintf(name, 32, "solid_%d", index);
    for (char *c = name; *c; c++)
        *c = is_letter(*c) ? *c : '_';
    for (int number = index; is_taken(solids, index); number += 10000)
        snprintf(name, 32, "solid_%d", number);
}

void sp_solid_meshes_clear(sp_solid_meshes *solids)
{
    for (int k = 0; k < solids->count; k++)
        sp_solid_mesh_free(&solids->items[k].mesh);
    sp_free(solids->items);
    *solids = (sp_solid_meshes){0};
}

spate_status sp_solid_meshes_create(sp_solid_meshes *solids, const spate_scene *scene,
                                    spate_error *error)
{
    double size[3] = {0, 0, 0};
    *solids = (sp_solid_meshes){0};
    for (int d = 0; d < scene->dim; d++)
        size[d] = sp_scene_extent(scene, d);
    solids->items = sp_alloc((size_t)scene->solids.count, sizeof *solids->items);
    for (int k = 0; k < scene->solids.count && solids->items; k++) {
        sp_solid_mesh *solid = &solids->items[k];
        solids->count++;
        name_solid(solids, &scene->solids.items[k], k);
        sp_shape_prepare(&solid->form, &scene->solids.items[k], scene->dim);
        solid->moves = sp_shape_moves(&solid->form);
        solids->moves = solids->moves || solid->moves;
        if (make_surface(&solid->form, size, &solid->mesh))
            continue;
        sp_solid_meshes_clear(solids);
        return sp_fail_memory(error, "the meshes of the solids", 0);
    }
    return solids->items ? SPATE_OK : sp_fail_memory(error, "the meshes of the solids", 0);
}

spate_status sp_solid_meshes_at(const sp_solid_meshes *solids, double time, spate_surface *all,
                                spate_error *error)
{
    size_t vertices = 0, faces = 0;
    int dim = solids->count > 0 ? solids->items[0].form.dim : 3;
    for (int k = 0; k < solids->count; k++) {
        vertices += solids->items[k].mesh.vertices;
        faces += solids->items[k].mesh.triangles;
    }
    if (!allocate(all, dim, vertices, faces))
        return sp_fail_memory(error, "the meshes of the solids", 6 * vertices * sizeof(float));
    vertices = faces = 0;
    for (int k = 0; k < solids->count; k++) {
        const spate_surface *mesh = &solids->items[k].mesh;
        sp_pose pose = sp_shape_pose(&solids->items[k].form, time);
        for (size_t v = 0; v < mesh->vertices; v++) {
            double local[3], normal[3], world[3];
            for (size_t e = 0; e < 3; e++) {
                local[e] = (double)mesh->positions[3 * v + e];
                normal[e] = (double)mesh->normals[3 * v + e];
            }
            sp_pose_to_world(&pose, local, world);
            for (size_t e = 0; e < 3; e++)
                all->positions[3 * (vertices + v) + e] = (float)world[e];
            sp_pose_rotate_to_world(&pose, normal, world);
            for (size_t e = 0; e < 3; e++)
                all->normals[3 * (vertices + v) + e] = (float)world[e];
        }
        size_t corners = (size_t)dim * mesh->triangles;
        for (size_t c = 0; c < corners; c++)
            all->indices[(size_t)dim * faces + c] = (uint32_t)vertices + mesh->indices[c];
        vertices += mesh->vertices;
        faces += mesh->triangles;
    }
    return SPATE_OK;
}
