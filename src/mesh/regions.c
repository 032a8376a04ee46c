/* regions.c -- which inside nodes hold together, and how many particles each region has.
 *
 * Nodes are neighbours along lattice edges and across the diagonals of lattice faces, as the cases
 * of a cell have it (cases.c). First each block labels its own nodes, then labels are joined
 * across the faces and edges of blocks (the smaller number wins, whatever the order). A block
 * without node values is one region of its own. */
#include "surface.h"

#include "base/memory.h"
#include "base/status.h"

#include <stdatomic.h>
#include <string.h>

#define NODES_AWAY 0.5f /* phi of a node that is made to lie outside */

/* Whether node `at` of a block, which has number `index` in it, is inside the liquid. */
static bool is_inside(const X(surface) *s, const X(block) *block, const int at[DIM], size_t index)
{
    FOR_DIM(d) {
        if (block->at[d] * s->side + at[d] >= s->n[d])
            return false;
    }
    return s->phi[(size_t)block->slot * s->nodes + index] < 0.0f;
}

static void node_at(int side, size_t index, int at[DIM])
{
    FOR_DIM(d) {
        at[d] = (int)(index % (size_t)side);
        index /= (size_t)side;
    }
}

/* Along how many axes an offset goes. */
static int axes_of(const int offset[DIM])
{
    int axes = 0;
    FOR_DIM(d)
        axes += offset[d] != 0;
    return axes;
}

static void flood(const X(surface) *s, const X(block) *block, size_t seed, uint16_t name,
                  uint16_t *queue)
{
    uint16_t *label = s->label + (size_t)block->slot * s->nodes;
    size_t waiting = 0;
    queue[waiting++] = (uint16_t)seed;
    label[seed] = name;
    while (waiting > 0) {
        size_t index = queue[--waiting];
        int at[DIM], near[DIM], offset[DIM];
        node_at(s->side, index, at);
        for (int m = 0; m < NEIGHBOURS; m++) {
            size_t other = 0;
            bool in_block = true;
            X(surface_offset)(m, offset);
            for (int d = DIM - 1; d >= 0; d--) {
                near[d] = at[d] + offset[d];
                in_block = in_block && near[d] >= 0 && near[d] < s->side;
                other = other * (size_t)s->side + (size_t)near[d];
            }
            if (!in_block || axes_of(offset) > 2 || label[other] != NO_LABEL ||
                !is_inside(s, block, near, other))
                continue;
            label[other] = name;
            queue[waiting++] = (uint16_t)other;
        }
    }
}

/* Labels the nodes of blocks; first_label holds the number of labels until they are added up. */
static void label_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    X(surface) *s = user;
    uint16_t queue[MAX_SIDE * MAX_SIDE * LAST(MAX_SIDE)];
    for (size_t k = begin; k < end; k++) {
        X(block) *block = &s->block[k];
        block->first_label = 1;
        if (block->slot == NO_SLOT)
            continue;
        uint16_t *label = s->label + (size_t)block->slot * s->nodes, names = 0;
        memset(label, 0xff, s->nodes * sizeof *label);
        for (size_t index = 0; index < s->nodes; index++) {
            int at[DIM];
            node_at(s->side, index, at);
            if (label[index] == NO_LABEL && is_inside(s, block, at, index))
                flood(s, block, index, names++, queue);
        }
        block->first_label = names;
    }
}

static uint32_t root(uint32_t *parent, uint32_t k)
{
    while (parent[k] != k)
        k = parent[k] = parent[parent[k]];
    return k;
}

static void join(uint32_t *parent, uint32_t a, uint32_t b)
{
    a = root(parent, a);
    b = root(parent, b);
    if (a < b)
        parent[b] = a;
    else
        parent[a] = b;
}

/* The label of a node of a block, NO_SLOT if it is outside. */
static uint32_t label_of(const X(surface) *s, const X(block) *block, size_t index)
{
    if (block->slot == NO_SLOT)
        return block->first_label;
    uint16_t label = s->label[(size_t)block->slot * s->nodes + index];
    return label == NO_LABEL ? NO_SLOT : block->first_label + label;
}

/* Joins the labels of the nodes of a block with those of the nodes at `step` from them that lie in
 * the neighbour at `offset`. */
static void join_step(const X(surface) *s, const X(block) *block, const X(block) *other,
                      const int offset[DIM], const int step[DIM], uint32_t *parent)
{
    int low[3] = {0, 0, 0}, high[3] = {0, 0, 0}, at[3];
    uint32_t last[2] = {NO_SLOT, NO_SLOT};
    FOR_DIM(d) { /* nodes whose step ends in the neighbour */
        low[d] = offset[d] > 0 ? s->side - 1 : offset[d] == 0 && step[d] < 0 ? 1 : 0;
        high[d] = offset[d] < 0 ? 0 : s->side - 1 - (offset[d] == 0 && step[d] > 0);
    }
    for (at[2] = low[2]; at[2] <= high[2]; at[2]++)
        for (at[1] = low[1]; at[1] <= high[1]; at[1]++)
            for (at[0] = low[0]; at[0] <= high[0]; at[0]++) {
                size_t from = 0, to = 0;
                for (int d = DIM - 1; d >= 0; d--) {
                    int target = at[d] + step[d] - offset[d] * s->side;
                    from = from * (size_t)s->side + (size_t)at[d];
                    to = to * (size_t)s->side + (size_t)target;
                }
                uint32_t pair[2] = {label_of(s, block, from), label_of(s, other, to)};
                if (pair[0] == NO_SLOT || pair[1] == NO_SLOT ||
                    memcmp(pair, last, sizeof pair) == 0)
                    continue;
                join(parent, pair[0], pair[1]);
                memcpy(last, pair, sizeof last);
            }
}

/* Joins labels across the face or edge between a block and its neighbour at `offset`. */
static void join_blocks(const X(surface) *s, const X(block) *block, const int offset[DIM],
                        uint32_t *parent)
{
    int at[DIM], step[DIM];
    FOR_DIM(d)
        at[d] = block->at[d] + offset[d];
    const X(block) *other = X(surface_block)(s, at);
    if (!other)
        return;
    for (int m = 0; m < NEIGHBOURS; m++) {
        bool leads = true;
        X(surface_offset)(m, step);
        FOR_DIM(d)
            leads = leads && (offset[d] == 0 || step[d] == offset[d]);
        if (leads && axes_of(step) <= 2)
            join_step(s, block, other, offset, step, parent);
    }
}

/* ------------------------------------------------------------------ particles */

/* The label of the inside node nearest to a particle, of those that it gives to; NO_SLOT: none. */
static uint32_t particle_label(const X(surface) *s, const X(block) *home, uint32_t particle)
{
    float x[DIM], best = 1e9f;
    uint32_t found = NO_SLOT;
    size_t own = 0;
    X(surface_place)(s, particle, x);
    for (int d = DIM - 1; d >= 0; d--)
        own = own * (size_t)s->side + (size_t)((int)x[d] - home->at[d] * s->side);
    found = label_of(s, home, own); /* of its nearest node, which is mostly inside */
    if (found != NO_SLOT)
        return found;
    for (int m = 0; m < NEIGHBOURS; m++) {
        int offset[DIM], at[DIM];
        X(surface_offset)(m, offset);
        float distance = 0;
        size_t index = 0;
        for (int d = DIM - 1; d >= 0; d--) {
            int node = (int)x[d] + offset[d];
            float way = (float)node + 0.5f - x[d];
            at[d] = node < 0 ? -1 : node / s->side;
            index = index * (size_t)s->side + (size_t)(node - at[d] * s->side);
            distance += way * way;
        }
        const X(block) *block = X(surface_block)(s, at);
        uint32_t label = block ? label_of(s, block, index) : NO_SLOT;
        if (label == NO_SLOT || distance >= best)
            continue;
        best = distance;
        found = label;
    }
    return found;
}

/* Whole numbers add up to the same in any order. */
static void count(X(surface) *s, uint32_t region, uint32_t particles)
{
    _Atomic uint32_t *counter = (_Atomic uint32_t *)&s->regions[region].particles;
    atomic_fetch_add_explicit(counter, particles, memory_order_relaxed);
}

static void count_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    X(surface) *s = user;
    for (size_t k = begin; k < end; k++) {
        const X(block) *block = &s->block[k];
        if (block->slot == NO_SLOT) {
            count(s, s->region[block->first_label], block->end - block->begin);
            continue;
        }
        uint32_t waiting = 0, last = NO_SLOT; /* particles of one region mostly come together */
        for (uint32_t p = block->begin; p < block->end; p++) {
            uint32_t label = particle_label(s, block, s->order[p]);
            uint32_t region = label == NO_SLOT ? NO_SLOT : s->region[label];
            if (region != last && waiting > 0 && last != NO_SLOT)
                count(s, last, waiting);
            waiting = region == last ? waiting + 1 : 1;
            last = region;
        }
        if (waiting > 0 && last != NO_SLOT)
            count(s, last, waiting);
    }
}

/* A node between particles that belong to other regions may be inside by itself; nothing is there.
 */
static void drop_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    X(surface) *s = user;
    for (size_t k = begin; k < end; k++) {
        const X(block) *block = &s->block[k];
        size_t base = (size_t)block->slot * s->nodes;
        for (size_t m = 0; m < s->nodes && block->slot != NO_SLOT; m++) {
            uint32_t label = label_of(s, block, m);
            if (label != NO_SLOT && s->regions[s->region[label]].particles == 0)
                s->phi[base + m] = NODES_AWAY;
        }
    }
}

spate_status X(surface_regions)(X(surface) *s, spate_error *error)
{
    size_t values = (size_t)s->slot_count * s->nodes;
    s->label = sp_alloc(values, sizeof *s->label);
    if (!s->label)
        return sp_fail_memory(error, "a surface", values * sizeof *s->label);
    sp_parallel_for(s->pool, s->block_count, 16, label_range, s);
    for (uint32_t k = 0; k < s->block_count; k++) {
        uint32_t names = s->block[k].first_label;
        s->block[k].first_label = s->label_count;
        s->label_count += names;
    }
    s->region = sp_alloc(s->label_count, sizeof *s->region);
    if (!s->region)
        return sp_fail_memory(error, "a surface", s->label_count * sizeof *s->region);
    for (uint32_t k = 0; k < s->label_count; k++)
        s->region[k] = k;
    for (uint32_t k = 0; k < s->block_count; k++)
        for (int m = NEIGHBOURS / 2 + 1; m < NEIGHBOURS; m++) { /* each pair of blocks once */
            int offset[DIM];
            X(surface_offset)(m, offset);
            if (axes_of(offset) <= 2)
                join_blocks(s, &s->block[k], offset, s->region);
        }
    /* a parent is never larger than its child: numbers of roots are ready when they are needed */
    for (uint32_t k = 0; k < s->label_count; k++)
        s->region[k] = s->region[k] == k ? s->region_count++ : s->region[s->region[k]];
    s->regions = sp_alloc(s->region_count, sizeof *s->regions);
    if (!s->regions)
        return sp_fail_memory(error, "a surface", s->region_count * sizeof *s->regions);
    sp_parallel_for(s->pool, s->block_count, 16, count_range, s);
    sp_parallel_for(s->pool, s->block_count, 16, drop_range, s);
    return SPATE_OK;
}
