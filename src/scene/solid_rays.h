/* solid_rays.h -- where rays meet the solids, by their exact shapes; meshes through a tree.
 *
 * Points and directions are in the world, m. A solid that is inverted (a vessel) is open to the
 * eye: a ray goes through its outside, and meets the inner side of its far wall. */
#ifndef SPATE_SCENE_SOLID_RAYS_H
#define SPATE_SCENE_SOLID_RAYS_H

#include "mesh_ray.h"
#include "solids.h"

/* Distances to a mesh at the nodes of a grid, in the units of its file: for what needs many and no
 * exact ones. */
typedef struct sp_distance_table {
    int n[3];
    double low[3], step;
    float *values; /* x fastest */
} sp_distance_table;

typedef struct sp_solid_rays {
    const sp_solids *solids;   /* where they are now is read from here at every ray */
    sp_distance_table *tables; /* per solid; empty if it is no mesh */
    int count;
} sp_solid_rays;

typedef struct sp_solid_hit {
    double t;
    int solid;
    bool inside; /* the ray began inside the solid: t is its begin */
    sp_mesh_cut cut;
} sp_solid_hit;

/* The solids must outlive it, and be as many. */
spate_status sp_solid_rays_create(sp_solid_rays *rays, const sp_solids *solids, spate_error *error);
void sp_solid_rays_destroy(sp_solid_rays *rays);

/* The first solid on from + t along, t from begin to end; false: none. vessels: whether inverted
 * solids count. */
bool sp_solid_rays_meet(const sp_solid_rays *rays, const double from[3], const double along[3],
                        double begin, double end, bool vessels, sp_solid_hit *hit);
/* Unit normal there, out of the solid: exact, that of a mesh smooth but for its creases. */
void sp_solid_rays_normal(const sp_solid_rays *rays, const double from[3], const double along[3],
                          const sp_solid_hit *hit, double normal[3]);
/* Signed distance to the nearest solid: exact, that to a mesh from its table. */
double sp_solid_rays_distance(const sp_solid_rays *rays, const double point[3]);

#endif
