/* cases.c -- the cases of marching cubes (2D: squares), worked out rather than written down.
 *
 * A corner is inside or outside; bit c of a case says that corner c is inside, and bit d of c that
 * the corner lies at the high end of axis d. Around each face of the cube, every run of outside
 * corners is cut off by one segment, from the cut edge behind the run to the one before it. So
 * inside corners that meet across the diagonal of a face hold together, which keeps thin sheets
 * whole, and since a face says the same to both cells that share it, the segments of all cells
 * join to closed loops.
 *
 * A loop of n edges is cut into n - 2 triangles by diagonals. A diagonal between two points of one
 * face may also be an edge of the cell across that face, which would make an edge of four
 * triangles; so none of those is taken. It turns out that every loop (of at most 7 edges) can do
 * without. Of the triangulations that are left the one with the shortest diagonals is chosen, the
 * points being in the middle of their edges. Each edge point belongs to one loop of each of the
 * cells around it. Hence the surface is closed and manifold whatever the signs are. */
#include "surface.h"

#include <assert.h>
#include <string.h>

#define CORNERS (1 << DIM)
#define AXIS_EDGES (CORNERS / 2) /* edges along one axis */
#define EDGES (DIM * AXIS_EDGES)
#define MAX_LOOP 12

/* The number of the edge between two corners. */
static int edge_between(int a, int b)
{
    int axis = 0, low = a & b, offset = 0, bit = 0;
    while ((a ^ b) != 1 << axis)
        axis++;
    FOR_DIM(d) {
        if (d != axis)
            offset |= (low >> d & 1) << bit++;
    }
    return axis * AXIS_EDGES + offset;
}

/* Corners of face `side` across `axis`, counter-clockwise from outside. */
static void face_corners(int axis, int side, int corners[4])
{
    int u = 1 << (axis + 1) % 3, v = 1 << (axis + 2) % 3, base = side << axis;
    int around[4] = {base, base | u, base | u | v, base | v};
    for (int k = 0; k < 4; k++)
        corners[k] = around[side ? k : 3 - k];
}

/* next[e] = the edge that follows cut edge e in its loop, for the segments of one face. */
static void cut_face(int inside, const int corners[4], int next[EDGES])
{
    int outside = ~inside;
    for (int k = 0; k < 4; k++) {
        int before = corners[(k + 3) % 4];
        if (!(outside >> corners[k] & 1) || (outside >> before & 1))
            continue;
        int last = k;
        while (outside >> corners[(last + 1) % 4] & 1)
            last++;
        int out = edge_between(corners[last % 4], corners[(last + 1) % 4]);
        next[out] = edge_between(before, corners[k]);
    }
}

/* ------------------------------------------------------------------ triangles of a loop */

typedef struct triangulation {
    int n, edge[MAX_LOOP];
    float cost[MAX_LOOP][MAX_LOOP]; /* of the part between two points; INFINITE: impossible */
    int middle[MAX_LOOP][MAX_LOOP];
} triangulation;

#define INFINITE 1e9f

/* Twice the middle of an edge, and the faces it lies on: bits 2 d + side. */
static unsigned middle_of(int edge, int point[3])
{
    int axis = edge / AXIS_EDGES, offset = edge % AXIS_EDGES;
    unsigned faces = 0;
    for (int d = 0; d < 3; d++) {
        if (d == axis) {
            point[d] = 1;
            continue;
        }
        point[d] = 2 * (offset & 1);
        faces |= 1u << (2 * d + (offset & 1));
        offset >>= 1;
    }
    return faces;
}

static float diagonal_cost(const triangulation *t, int i, int j)
{
    int a[3], b[3];
    if (j - i == 1 || (i == 0 && j == t->n - 1))
        return 0; /* an edge of the loop itself */
    if (middle_of(t->edge[i], a) & middle_of(t->edge[j], b))
        return INFINITE;
    float cost = 0;
    for (int d = 0; d < 3; d++)
        cost += (float)((a[d] - b[d]) * (a[d] - b[d]));
    return cost;
}

static void solve(triangulation *t)
{
    for (int length = 1; length < t->n; length++)
        for (int i = 0; i + length < t->n; i++) {
            int j = i + length;
            float best = length == 1 ? 0 : INFINITE;
            for (int k = i + 1; k < j; k++) {
                float cost = t->cost[i][k] + t->cost[k][j];
                if (cost < best) {
                    best = cost;
                    t->middle[i][j] = k;
                }
            }
            t->cost[i][j] = best + diagonal_cost(t, i, j);
        }
    assert(t->cost[0][t->n - 1] < INFINITE);
}

static void add_triangles(const triangulation *t, int i, int j, uint8_t *edges, uint8_t *count)
{
    if (j - i < 2)
        return;
    int k = t->middle[i][j];
    uint8_t *out = edges + 3 * (*count)++;
    out[0] = (uint8_t)t->edge[i];
    out[1] = (uint8_t)t->edge[k];
    out[2] = (uint8_t)t->edge[j];
    add_triangles(t, i, k, edges, count);
    add_triangles(t, k, j, edges, count);
}

/* ------------------------------------------------------------------ all cases */

static void make_3d(int inside, uint8_t *edges, uint8_t *count)
{
    int next[EDGES];
    memset(next, -1, sizeof next);
    for (int axis = 0; axis < 3; axis++)
        for (int side = 0; side < 2; side++) {
            int corners[4];
            face_corners(axis, side, corners);
            cut_face(inside, corners, next);
        }
    for (int first = 0; first < EDGES; first++) {
        triangulation t = {0};
        for (int e = first; next[e] >= 0;) {
            int after = next[e];
            t.edge[t.n++] = e;
            next[e] = -1;
            e = after;
        }
        if (t.n == 0)
            continue;
        solve(&t);
        add_triangles(&t, 0, t.n - 1, edges, count);
    }
}

static void make_2d(int inside, uint8_t *edges, uint8_t *count)
{
    static const int corners[4] = {0, 2, 3, 1}; /* clockwise: the liquid is on the left */
    int next[EDGES];
    memset(next, -1, sizeof next);
    cut_face(inside, corners, next);
    for (int e = 0; e < EDGES; e++) {
        if (next[e] < 0)
            continue;
        uint8_t *out = edges + 2 * (*count)++;
        out[0] = (uint8_t)e;
        out[1] = (uint8_t)next[e];
    }
}

void X(surface_cases)(X(cases) *cases)
{
    memset(cases, 0, sizeof *cases);
    for (int k = 0; k < CASES; k++)
        (DIM == 3 ? make_3d : make_2d)(k, cases->edge[k], &cases->count[k]);
}
