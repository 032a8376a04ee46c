/* solids_upload.c -- the exact shapes of solids, inflows and outflows in the device's memory:
 * copies of what scene/solids.h and scene/shapes.h have, with their meshes (kernels/collide.h).
 * Meshes stay; the solids are copied anew when they have moved. */
#include "residency.h"
#include "scene/mesh.h"

#include <string.h>

/* The parts of a mesh, for the copies and their end. */
typedef struct part {
    const void *from;
    const void **place;
    size_t bytes;
} part;

#define MESH_PARTS 5

static void list_parts(const sp_mesh_data *mesh, sp_mesh_data *copy, part parts[MESH_PARTS])
{
    size_t triangles = mesh->triangle_count, corners = 3 * triangles * sizeof *mesh->corners;
    parts[0] =
        (part){mesh->nodes, (const void **)&copy->nodes, (2 * triangles + 1) * sizeof *mesh->nodes};
    parts[1] = (part){mesh->triangles, (const void **)&copy->triangles,
                      triangles * sizeof *mesh->triangles};
    parts[2] = (part){mesh->mates, (const void **)&copy->mates, corners};
    parts[3] = (part){mesh->corners, (const void **)&copy->corners, corners};
    parts[4] = (part){mesh->vertex_normals, (const void **)&copy->vertex_normals,
                      3 * mesh->vertex_count * sizeof *mesh->vertex_normals};
}

static const void *copy_of(X(gpu) *g, const void *from, size_t bytes)
{
    void *to = DEV(gpu_alloc)(g, bytes, "a mesh");
    DEV(gpu_upload)(g, to, from, bytes);
    return to;
}

const spate_mesh *DEV(gpu_mesh_there)(X(gpu) *g, const spate_mesh *mesh)
{
    if (!mesh)
        return NULL;
    for (int k = 0; k < g->mesh_count; k++)
        if (g->meshes[k].mesh == mesh)
            return g->meshes[k].there;
    DEV(gpu_mesh) *meshes = sp_grow(g->meshes, (size_t)g->mesh_count * sizeof *meshes,
                                    (size_t)g->mesh_count + 1, sizeof *meshes);
    if (!meshes) {
        DEV(gpu_fail)(g, "a mesh", "no memory left");
        return NULL;
    }
    g->meshes = meshes;
    DEV(gpu_mesh) *new = &meshes[g->mesh_count++];
    part parts[MESH_PARTS];
    new->mesh = mesh;
    new->data = *sp_mesh_query(mesh);
    list_parts(sp_mesh_query(mesh), &new->data, parts);
    for (int k = 0; k < MESH_PARTS; k++)
        *parts[k].place = copy_of(g, parts[k].from, parts[k].bytes);
    new->there = copy_of(g, &new->data, sizeof new->data);
    return new->there;
}

void DEV(gpu_copy_bodies)(X(sim) *s)
{
    X(gpu) *g = s->gpu;
    size_t count = (size_t)s->solids.count, bytes = count * sizeof *s->solids.items;
    if (g->bodies_there || g->failure[0])
        return;
    g->bodies_there = true;
    g->f.solids = s->solids;
    g->f.solids.items = g->bodies;
    if (count == 0)
        return;
    if (count > g->body_room) {
        DEV(gpu_free)(g, g->bodies, g->body_room * sizeof *g->bodies);
        sp_free(g->body_copies);
        g->bodies = DEV(gpu_alloc)(g, bytes, "the solids");
        g->body_copies = sp_alloc(count, sizeof *g->body_copies);
        g->body_room = count;
        if (!g->body_copies)
            DEV(gpu_fail)(g, "the solids", "no memory left");
    }
    if (g->failure[0])
        return;
    memcpy(g->body_copies, s->solids.items, bytes);
    for (size_t k = 0; k < count; k++)
        g->body_copies[k].form.mesh = DEV(gpu_mesh_there)(g, s->solids.items[k].form.mesh);
    DEV(gpu_upload)(g, g->bodies, g->body_copies, bytes);
    g->f.solids.items = g->bodies;
}

void DEV(gpu_free_bodies)(X(gpu) *g)
{
    for (int k = 0; k < g->mesh_count; k++) {
        DEV(gpu_mesh) *m = &g->meshes[k];
        part parts[MESH_PARTS];
        list_parts(&m->data, &m->data, parts);
        for (int p = 0; p < MESH_PARTS; p++)
            DEV(gpu_free)(g, (void *)*parts[p].place, parts[p].bytes);
        DEV(gpu_free)(g, (void *)m->there, sizeof m->data);
    }
    sp_free(g->meshes);
    DEV(gpu_free)(g, g->bodies, g->body_room * sizeof *g->bodies);
    sp_free(g->body_copies);
}
