/* mesh.h -- closed triangle meshes: a bounding volume hierarchy and signed distances from it. */
#ifndef SPATE_SCENE_MESH_H
#define SPATE_SCENE_MESH_H

#include <spate/spate.h>

/* Signed distance (mesh units), negative inside; `normal` (may be NULL) is the unit gradient. The
 * sign comes from the angle-weighted pseudonormal of the closest feature (Baerentzen and Aanaes
 * 2005). */
double sp_mesh_distance(const spate_mesh *mesh, const double point[3], double normal[3]);
/* What a query reads, for a device that has its own copy. */
const struct sp_mesh_data *sp_mesh_query(const spate_mesh *mesh);
void sp_mesh_bounds(const spate_mesh *mesh, double low[3], double high[3]);
size_t sp_mesh_triangle_count(const spate_mesh *mesh);
size_t sp_mesh_vertex_count(const spate_mesh *mesh);
/* For drawing: 3 indices per triangle, 3 coordinates per vertex. */
const uint32_t *sp_mesh_triangles(const spate_mesh *mesh);
const double *sp_mesh_vertices(const spate_mesh *mesh);

#endif
