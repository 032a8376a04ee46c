/* mesh_topology.h -- from a list of triangles to closed, consistently oriented surfaces. */
#ifndef SPATE_SCENE_MESH_TOPOLOGY_H
#define SPATE_SCENE_MESH_TOPOLOGY_H

#include <spate/spate.h>

#include "mesh_tree.h"

/* Half-edge 3 t + c runs from corner c of triangle t to corner (c + 1) % 3; its mate is the
 * half-edge of the neighbour that runs the other way along the same edge. A shell is a connected
 * surface. */
typedef struct sp_surface {
    double *vertices; /* [3 * vertex_count] */
    size_t vertex_count;
    uint32_t *triangles; /* [3 * triangle_count] */
    size_t triangle_count;
    uint32_t *mates;  /* [3 * triangle_count] */
    uint32_t *shells; /* [triangle_count], 0 .. shell_count - 1 */
    uint32_t shell_count;
    double low[3], high[3];
    double diagonal;
} sp_surface;

/* Welds vertices that lie within 1e-7 of the diagonal, drops the triangles that this makes empty,
 * finds the mates and turns the triangles of each shell to one side (outwards or inwards: that is
 * for the caller). Fails if the surface is empty, open, non-manifold or one-sided. On failure
 * `surface` is cleared. */
spate_status sp_surface_init(sp_surface *surface, const double *vertices, size_t vertex_count,
                             const uint32_t *triangles, size_t triangle_count, spate_error *error);
void sp_surface_clear(sp_surface *surface);
void sp_surface_flip(sp_surface *surface, uint32_t triangle);

/* mesh_orient.c: normals out of the solid, given the tree over the triangles (which stand in its
 * order). Fails if there is no volume. */
spate_status sp_surface_turn_outwards(sp_surface *surface, const sp_tree_node *nodes,
                                      spate_error *error);

#endif
