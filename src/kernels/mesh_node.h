/* mesh_node.h -- the nodes of a bounding volume hierarchy over triangles (scene/mesh_tree.h). */
#ifndef SPATE_KERNELS_MESH_NODE_H
#define SPATE_KERNELS_MESH_NODE_H

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

#endif
