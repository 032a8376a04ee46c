/* solid_mesh.h -- the solids of a scene as meshes (2D: outlines) for other programs.
 *
 * A mesh is in the frame of its solid, which sp_shape_pose takes to the world at a time: it is made
 * once, however the solid moves. Round shapes are turned on a lathe of 64 segments, planes end at
 * the domain, an inverted shape shows its inner side. Normals are those of smooth shading with the
 * edges of more than 40 degrees left sharp, where vertices are doubled. */
#ifndef SPATE_SCENE_SOLID_MESH_H
#define SPATE_SCENE_SOLID_MESH_H

#include "shapes.h"

typedef struct sp_solid_mesh {
    char name[40]; /* letters, digits and _, no two the same: its own, or solid_2 */
    sp_shape form; /* borrows from the scene */
    bool moves;
    spate_surface mesh; /* own frame, m; owned */
} sp_solid_mesh;

typedef struct sp_solid_meshes {
    int count;
    bool moves; /* any of them */
    sp_solid_mesh *items;
} sp_solid_meshes;

/* The scene must outlive them. */
spate_status sp_solid_meshes_create(sp_solid_meshes *solids, const spate_scene *scene,
                                    spate_error *error);
void sp_solid_meshes_clear(sp_solid_meshes *solids);
/* All of them in the world at a time, as one surface; sp_solid_mesh_free it. */
spate_status sp_solid_meshes_at(const sp_solid_meshes *solids, double time, spate_surface *all,
                                spate_error *error);
void sp_solid_mesh_free(spate_surface *mesh);

#endif
