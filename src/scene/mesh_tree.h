/* mesh_tree.h -- a bounding volume hierarchy over triangles. */
#ifndef SPATE_SCENE_MESH_TREE_H
#define SPATE_SCENE_MESH_TREE_H

#include "kernels/mesh_node.h"

/* order[i]: which triangle stands at place i. Both arrays are sp_alloc'ed for the caller, NULL
 * without memory. */
typedef struct sp_tree {
    sp_tree_node *nodes; /* nodes[0] is the root */
    uint32_t *order;
} sp_tree;

spate_status sp_tree_init(sp_tree *tree, const double *vertices, const uint32_t *triangles,
                          size_t triangle_count, spate_error *error);

#endif
