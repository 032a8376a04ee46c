/* mesh_ray.h -- where a ray meets a triangle mesh, and how its surface is to be shaded there. */
#ifndef SPATE_SCENE_MESH_RAY_H
#define SPATE_SCENE_MESH_RAY_H

#include "mesh.h"

/* A ray, in mesh units: from + t along, t from `begin` to `end`. */
typedef struct sp_mesh_ray {
    double from[3], along[3];
    double begin, end;
    uint64_t visits; /* nodes and triangles looked at, added up over searches */
} sp_mesh_ray;

typedef struct sp_mesh_cut {
    double t;
    uint32_t triangle; /* in the order of the tree */
    double share[3];   /* of its corners; the sum is 1 */
    double normal[3];  /* of the triangle, out of the mesh, unit */
} sp_mesh_cut;

/* The first triangle that the ray meets, from either side; false if there is none. */
bool sp_mesh_meet(const spate_mesh *mesh, sp_mesh_ray *ray, sp_mesh_cut *cut);

/* Unit normal of the smooth surface that the mesh stands for: between the corners of the triangle,
 * at each of which the faces around count that are bent by less than a crease (40 degrees) against
 * it. */
void sp_mesh_smooth_normal(const spate_mesh *mesh, const sp_mesh_cut *cut, double normal[3]);

#endif
