/* surface.h -- the surface of the liquid from its particles: what the files of src/mesh share.
 *
 *     bins.c      particles into blocks of a lattice; which blocks the surface can run through
 *     lattice.c   blocks with the values around them
 *     field.c     a level set on the nodes of those blocks
 *     cases.c     which edges of a lattice cell the surface cuts, for each sign of its corners
 *     regions.c   which nodes hold together, and how many particles each region has
 *     contour.c   vertices and triangles (2D: segments)
 *     rings.c     the vertices around each vertex
 *     contact.c   vertices at solids go onto them
 *     hold.c      no vertex is far from all particles
 *     relax.c     smoothing
 *     volume.c    the volume of each region becomes that of its particles; normals
 *     make.c      these in order
 *
 * Everything but api.c is compiled twice, as src/sim is.
 *
 * Lattice. Spacing h = dx / resolution; node i lies at origin + (i + 1/2) h along each axis, so
 * that walls, which are faces of cells, lie halfway between nodes. Nodes live in blocks of `side`
 * nodes along each axis. A block that the surface may touch has node values (its `slot`); one that
 * is full of liquid has none and counts as "inside" throughout; one far from all particles does
 * not exist. So cost and memory follow the surface. */
#ifndef SPATE_MESH_SURFACE_H
#define SPATE_MESH_SURFACE_H

#include "mesh.h"

#include "kernels/grid.h"
#include "kernels/weights.h"
#include "scene/solids.h"

#define NEIGHBOURS (DIM == 3 ? 27 : 9) /* of a block, itself among them */
#define MAX_SIDE (DIM == 3 ? 9 : 18)
#define MAX_BLUR 5
#define MAX_HALO (MAX_BLUR + 2)
#define MAX_LOADED (MAX_SIDE + 2 * MAX_HALO)
#define BUFFER (MAX_LOADED * MAX_LOADED * LAST(MAX_LOADED)) /* values of a block with its halo */
#define NO_SLOT UINT32_MAX

typedef struct X(block) {
    int at[DIM];           /* coordinates among the blocks */
    uint32_t begin, end;   /* its particles in `order` */
    uint32_t slot;         /* of its node values; NO_SLOT: inside throughout */
    uint32_t empty;        /* bit per neighbour: an empty cell lies next to that neighbour */
    bool gives;            /* its particles reach a block with a slot */
    uint32_t first_vertex; /* of its vertices and simplices; their numbers while counting */
    uint32_t first_simplex;
    uint32_t first_label; /* of its regions */
} X(block);

/* The polygons of the 2^(2^DIM) cases of a cell, as DIM edges per simplex; an edge is 4 axis +
 * offset (2D: 2 axis + offset), the offset counting over the other axes. */
#define CASES (DIM == 3 ? 256 : 16)
#define CASE_SIMPLICES (DIM == 3 ? 5 : 2)
typedef struct X(cases) {
    uint8_t count[CASES];
    uint8_t edge[CASES][CASE_SIMPLICES * DIM];
} X(cases);

/* A connected part of the liquid, and the surfaces around it. */
typedef struct X(region) {
    uint32_t particles;
    uint8_t walls;          /* that it touches, as of a vertex */
    bool small;             /* a drop: scaled, not smoothed */
    double low[3], high[3]; /* m, of its vertices */
    double volume;          /* m^3 */
    double target;          /* m^3 */
    double area;            /* m^2: change of the volume when its vertices move by 1 m */
    double moved, move;     /* m: in all and now */
    double scale[3];        /* of a drop, per axis */
} X(region);

typedef struct X(surface) {
    /* given */
    const float *positions, *velocities; /* 3 per particle; m, m/s; velocities may be NULL */
    size_t count;
    const spate_surface_options *options;
    sp_pool *pool;
    const sp_solids *given; /* NULL: those of the scene */
    sp_solids solids;       /* where they are at the time of the surface */

    /* lattice */
    double origin[DIM]; /* m, low corner */
    float scale;        /* nodes per m */
    float h;            /* m */
    int n[DIM];         /* nodes */
    double gap;         /* m, that the surface keeps from solids and walls */
    bool walls;         /* particles are mirrored, and the surface is cut, at the ends */
    int cell;           /* nodes along the edge of a simulation cell: the resolution */
    int side, blocks[DIM];
    size_t nodes;      /* of a block */
    size_t edge_nodes; /* with the layer below the low walls */
    int blur;          /* passes */
    float rest;        /* particles per node in full liquid */
    float level;       /* of the field at a flat surface */
    float *distance;   /* [DISTANCES + 1] from the field to nodes */
    float excess[256]; /* nodes: by how much a sheet of this `thin` is too thick on each side */

    uint32_t *table; /* number of a block + 1; 0: there is none */
    X(block) *block; /* in order of the table */
    uint32_t block_count, slot_count;
    uint32_t *colour_list, colour_start[COLOURS + 1]; /* blocks that give, by colour */
    uint32_t *order;                                  /* particles by block, then as they came */
    uint32_t *by_cell, *cell_start;                   /* particles by block and cell; hold.c */
    float *share; /* by place in `order`: what a particle adds to the field */

    /* per slot, `nodes` values each */
    float *number, *field, *phi;
    float *momentum[DIM];
    uint8_t *thin;   /* 32 (full liquid has so many times more particles - 1) */
    uint16_t *label; /* of an inside node, from 0 in each block; NO_LABEL outside */
    uint16_t *edge;  /* edge_nodes per slot: 8 * number of its first vertex + cut axes */

    X(cases) *cases;
    uint32_t *region; /* per label: number of its region */
    uint32_t label_count, region_count;
    X(region) *regions;

    /* per vertex, beside the mesh itself */
    uint16_t *wall;              /* bits 2 d + side of the walls that it lies on; VERTEX_... */
    uint8_t *slim;               /* `thin` there */
    uint32_t *vertex_region;     /* number */
    uint32_t *ring_start, *ring; /* vertices around each vertex, in order (rings.c) */
    spate_surface *mesh;
} X(surface);

#define NO_LABEL UINT16_MAX
#define VERTEX_WALLS 63  /* bits of walls */
#define VERTEX_FIXED 64  /* on a wall, away from the water line */
#define VERTEX_STILL 128 /* of a drop or bubble too small to be smoothed */
#define VERTEX_SOLID 256 /* on a solid */
#define VERTEX_DROP 512  /* of a drop that is scaled: it keeps its shape */

/* The stages, in the order of make.c. */
spate_status X(surface_solids)(X(surface) *s, spate_error *error);
spate_status X(surface_bin)(X(surface) *s, spate_error *error);
spate_status X(surface_field)(X(surface) *s, spate_error *error);
void X(surface_cases)(X(cases) *cases);
spate_status X(surface_regions)(X(surface) *s, spate_error *error);
spate_status X(surface_contour)(X(surface) *s, spate_error *error);
spate_status X(surface_cells)(X(surface) *s, spate_error *error);
spate_status X(surface_rings)(X(surface) *s, spate_error *error);
void X(surface_meet)(X(surface) *s);
void X(surface_hold)(X(surface) *s);
spate_status X(surface_relax)(X(surface) *s, spate_error *error);
/* The regions as the contour leaves them; their volume. */
void X(surface_measure)(X(surface) *s);
void X(surface_volume)(X(surface) *s);
/* Nothing stays inside a solid. */
void X(surface_leave_solids)(X(surface) *s);
/* Sum of the area vectors of the simplices around a vertex; in 2D those of segments. */
void X(surface_ring_area)(const X(surface) *s, const float *positions, size_t vertex,
                          float area[3]);
void X(surface_ring_normal)(const X(surface) *s, size_t vertex, double area[3]);
/* Nothing leaves the domain. */
static inline void X(surface_confine)(const X(surface) *s, float x[3])
{
    for (int d = 0; d < DIM && s->walls; d++) {
        float low = (float)s->gap, high = (float)s->n[d] * s->h - low;
        x[d] = x[d] < low ? low : x[d] > high ? high : x[d];
    }
}
/* Vertices move along the surface to the mean of their neighbours. Uses the normals. */
void X(surface_slip)(X(surface) *s);
/* How much a vertex of this `thin` is smoothed: 1 over bulk liquid, 0 on what is thin. */
static inline float X(surface_smoothing)(int thin)
{
    float t = (float)(64 - thin) * (1.0f / 32.0f);
    return t < 0.0f ? 0.0f : t < 1.0f ? t : 1.0f;
}

/* The block at these coordinates, NULL if there is none. */
static inline X(block) *X(surface_block)(const X(surface) *s, const int at[DIM])
{
    size_t index = 0;
    for (int d = DIM - 1; d >= 0; d--) {
        if (at[d] < 0 || at[d] >= s->blocks[d])
            return NULL;
        index = index * (size_t)s->blocks[d] + (size_t)at[d];
    }
    uint32_t number = s->table[index];
    return number ? &s->block[number - 1] : NULL;
}

/* Neighbour number 0 .. NEIGHBOURS - 1 as an offset; the middle number is the block itself. */
static inline void X(surface_offset)(int neighbour, int offset[DIM])
{
    FOR_DIM(d) {
        offset[d] = neighbour % 3 - 1;
        neighbour /= 3;
    }
}

/* Position of a particle in nodes, inside the lattice; its nearest node is the integer part. */
static inline void X(surface_place)(const X(surface) *s, uint32_t particle, float x[DIM])
{
    FOR_DIM(d) {
        float y = (float)((s->positions[3 * (size_t)particle + (size_t)d] - s->origin[d]) *
                          (double)s->scale);
        float last = (float)s->n[d] * (1.0f - 1e-7f);
        x[d] = y < 0.0f ? 0.0f : y < last ? y : last;
    }
}

/* Copies the values of a block with `halo` nodes around it; `full` and 0 stand for blocks without
 * values that are full and for none. Beyond walls is the mirror image. */
void X(surface_load)(const X(surface) *s, const X(block) *block, const float *values, int halo,
                     float full, float *out);
/* Loads and blurs what was summed over particles; right on the block and the `keep` nodes around
 * it. Returns the width, side + 2 (blur + keep). */
int X(surface_load_blurred)(const X(surface) *s, const X(block) *block, const float *values,
                            int keep, float full, float *out);
/* Adds a cube of sums, one node wider than the block on each side, to the blocks it reaches; what
 * lies behind walls is folded back. */
void X(surface_add)(X(surface) *s, const X(block) *block, float *sums, float *values);

#endif
