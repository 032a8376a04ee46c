/* mesh_tree.h -- a bounding volume hierarchy over triangles. */
#ifndef SPATE_SCENE_MESH_TREE_H
#define SPATE_SCENE_MESH_TREE_H

#include <spate/spate.h>

/* No path from the root is longer than this: room for a traversal stack with one entry per level.
 */
#define SP_TREE_DEPTH 72

/* A leaf holds triangles first .. first + count - 1, an inner node (count = 0) has the children
 * first and first + 1. Bounds are single precision, rounded outwards. */
typedef struct sp_tree_node {
    float low[3], high[3];
    uint32_t first, count;
} sp_tree_node;

/* order[i]: which triangle stands at place i. Both arrays are sp_alloc'ed for the caller, NULL
 * without memory. */
typedef struct sp_tree {
    sp_tree_node *nodes; /* nodes[0] is the root */
    uint32_t *order;
} sp_tree;

spate_status sp_tree_init(sp_tree *tree, const double *vertices, const uint32_t *triangles,
                          size_t triangle_count, spate_error *error);

#endif
