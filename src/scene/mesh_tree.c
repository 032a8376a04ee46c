/* mesh_tree.c -- building the hierarchy, from the top, by the surface area heuristic.
 *
 * The chance that a query enters a box is taken to follow its surface, so a node is cut where
 *
 *     surface(left) * triangles(left) + surface(right) * triangles(right)
 *
 * is least, among the borders of 16 bins along the longest axis of the triangles' centres. Where
 * that does not divide (equal centres), or the path from the root has become long, the node is
 * halved by number: no depth problem, whatever the mesh. */
#include "mesh_tree.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"

enum { BINS = 16, LEAF = 4, HALVE_BELOW = 36 };

typedef struct box {
    float low[3], high[3];
} box;

typedef struct builder {
    box *bounds;     /* of each triangle */
    uint32_t *order; /* permuted in place */
    sp_tree_node *nodes;
    uint32_t node_count;
} builder;

typedef struct range {
    uint32_t node, begin, end;
    int depth;
} range;

static box empty_box(void)
{
    return (box){{HUGE_VALF, HUGE_VALF, HUGE_VALF}, {-HUGE_VALF, -HUGE_VALF, -HUGE_VALF}};
}

static void enclose(box *whole, const box *part)
{
    for (int d = 0; d < 3; d++) {
        whole->low[d] = part->low[d] < whole->low[d] ? part->low[d] : whole->low[d];
        whole->high[d] = part->high[d] > whole->high[d] ? part->high[d] : whole->high[d];
    }
}

static double surface(const box *b)
{
    double x = (double)b->high[0] - b->low[0], y = (double)b->high[1] - b->low[1],
           z = (double)b->high[2] - b->low[2];
    return x * y + y * z + z * x;
}

static float below(double x)
{
    float f = (float)x;
    return f > x ? nextafterf(f, -HUGE_VALF) : f;
}

static float above(double x)
{
    float f = (float)x;
    return f < x ? nextafterf(f, HUGE_VALF) : f;
}

static box triangle_bounds(const double *vertices, const uint32_t v[3])
{
    box b = empty_box();
    for (int c = 0; c < 3; c++)
        for (int d = 0; d < 3; d++) {
            double x = vertices[3 * (size_t)v[c] + (size_t)d];
            b.low[d] = below(x) < b.low[d] ? below(x) : b.low[d];
            b.high[d] = above(x) > b.high[d] ? above(x) : b.high[d];
        }
    return b;
}

/* Twice the centre. */
static double centre(const box *b, int axis)
{
    return (double)b->low[axis] + b->high[axis];
}

static int bin_of(const box *b, int axis, double start, double per_length)
{
    int bin = (int)((centre(b, axis) - start) * per_length);
    return bin < 0 ? 0 : bin >= BINS ? BINS - 1 : bin;
}

/* The last bin of the left side of the best cut, -1 if all triangles fall into one bin. */
static int best_cut(const builder *b, const range *r, int axis, double start, double per_length)
{
    box bins[BINS], left = empty_box(), right = empty_box();
    uint32_t counts[BINS] = {0};
    double cost_left[BINS], best = HUGE_VAL;
    for (int i = 0; i < BINS; i++)
        bins[i] = empty_box();
    for (uint32_t i = r->begin; i < r->end; i++) {
        const box *bounds = &b->bounds[b->order[i]];
        int bin = bin_of(bounds, axis, start, per_length);
        counts[bin]++;
        enclose(&bins[bin], bounds);
    }
    uint32_t number = 0, total = r->end - r->begin;
    for (int i = 0; i < BINS; i++) {
        number += counts[i];
        enclose(&left, &bins[i]);
        cost_left[i] = number > 0 && number < total ? surface(&left) * number : HUGE_VAL;
    }
    int cut = -1;
    number = 0;
    for (int i = BINS - 1; i > 0; i--) {
        number += counts[i];
        enclose(&right, &bins[i]);
        double cost = number > 0 ? cost_left[i - 1] + surface(&right) * number : HUGE_VAL;
        if (cost < best) {
            best = cost;
            cut = i - 1;
        }
    }
    return cut;
}

/* Sorts the range into two and returns where the second begins. */
static uint32_t divide(builder *b, const range *r)
{
    uint32_t middle = r->begin + (r->end - r->begin) / 2;
    double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    int axis = 0;
    for (uint32_t i = r->begin; i < r->end; i++)
        for (int d = 0; d < 3; d++) {
            double x = centre(&b->bounds[b->order[i]], d);
            low[d] = x < low[d] ? x : low[d];
            high[d] = x > high[d] ? x : high[d];
        }
    for (int d = 1; d < 3; d++)
        axis = high[d] - low[d] > high[axis] - low[axis] ? d : axis;
    double length = high[axis] - low[axis];
    if (!(length > 0) || r->depth >= HALVE_BELOW)
        return middle;
    double per_length = BINS / length;
    int cut = best_cut(b, r, axis, low[axis], per_length);
    if (cut < 0)
        return middle;
    uint32_t i = r->begin, j = r->end;
    while (i < j) {
        if (bin_of(&b->bounds[b->order[i]], axis, low[axis], per_length) <= cut) {
            i++;
        } else {
            uint32_t swap = b->order[--j];
            b->order[j] = b->order[i];
            b->order[i] = swap;
        }
    }
    return i;
}

static void build(builder *b, size_t triangle_count)
{
    range stack[SP_TREE_DEPTH];
    int waiting = 0;
    b->node_count = 2; /* not 1: a pair of children then fills one cache line */
    stack[waiting++] = (range){0, 0, (uint32_t)triangle_count, 0};
    while (waiting > 0) {
        range r = stack[--waiting];
        sp_tree_node *node = &b->nodes[r.node];
        box whole = empty_box();
        for (uint32_t i = r.begin; i < r.end; i++)
            enclose(&whole, &b->bounds[b->order[i]]);
        memcpy(node->low, whole.low, sizeof whole.low);
        memcpy(node->high, whole.high, sizeof whole.high);
        if (r.end - r.begin <= LEAF) {
            node->first = r.begin;
            node->count = r.end - r.begin;
            continue;
        }
        uint32_t middle = divide(b, &r);
        node->first = b->node_count;
        b->node_count += 2;
        stack[waiting++] = (range){node->first + 1, middle, r.end, r.depth + 1};
        stack[waiting++] = (range){node->first, r.begin, middle, r.depth + 1};
    }
}

spate_status sp_tree_init(sp_tree *tree, const double *vertices, const uint32_t *triangles,
                          size_t triangle_count, spate_error *error)
{
    builder b = {
        .bounds = sp_alloc(triangle_count, sizeof *b.bounds),
        .order = sp_alloc(triangle_count, sizeof *b.order),
        .nodes = sp_alloc(2 * triangle_count + 1, sizeof *b.nodes),
    };
    if (!b.bounds || !b.order || !b.nodes) {
        sp_free(b.bounds);
        sp_free(b.order);
        sp_free(b.nodes);
        return sp_fail_memory(error, "the search tree of a mesh", triangle_count * 92);
    }
    for (size_t t = 0; t < triangle_count; t++) {
        b.bounds[t] = triangle_bounds(vertices, &triangles[3 * t]);
        b.order[t] = (uint32_t)t;
    }
    build(&b, triangle_count);
    sp_free(b.bounds);
    tree->nodes = b.nodes;
    tree->order = b.order;
    return SPATE_OK;
}
