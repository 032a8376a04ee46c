/* regions.c -- which inside nodes hold together, and how many particles each region has.
 *
 * Nodes are neighbours along lattice edges; inside nodes that meet only across a diagonal are kept
 * apart by the cases of a cell (cases.c), so they are here. First each block labels its own nodes,
 * then labels are joined across the faces of blocks (union by the smaller number, which makes the
 * result independent of the order). A block without node values is one region of its own. */
#include "surface.h"

#include "base/memory.h"
#include "base/status.h"

#include <stdatomic.h>
#include <string.h>

/* Whether node `at` of a block, which has number `index` in it, is inside the liquid. */
static bool is_inside(const X(surface) * s, const X(block) * block, const int at[DIM], size_t index)
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

static void flood(const X(surface) * s, const X(block) * block, size_t seed, uint16_t name,
                  uint16_t *queue)
{
    uint16_t *label = s->label + (size_t)block->slot * s->nodes;
    size_t waiting = 0;
    queue[waiting++] = (uint16_t)seed;
    label[seed] = name;
    while (waiting > 0) {
        size_t index = queue[--waiting];
        int at[DIM], near[DIM];
        size_t stride = 1;
        node_at(s->side, index, at);
        FOR_DIM(d) {
            for (int step = -1; step <= 1; step += 2) {
                memcpy(near, at, sizeof near);
                near[d] += step;
                if (near[d] < 0 || near[d] >= s->side)
                    continue;
                size_t other = step < 0 ? index - stride : index + stride;
                if (label[other] != NO_LABEL || !is_inside(s, block, near, other))
                    continue;
                label[other] = name;
                queue[waiting++] = (uint16_t)other;
            }
            stride *= (size_t)s->side;
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
static uint32_t label_of(const X(surface) * s, const X(block) * block, size_t index)
{
    if (block->slot == NO_SLOT)
        return block->first_label;
    uint16_t label = s->label[(size_t)block->slot * s->nodes + index];
    return label == NO_LABEL ? NO_SLOT : block->first_label + label;
}

/* Joins the labels on both sides of the high face of a block across axis d. */
static void join_face(const X(surface) * s, const X(block) * block, int d, uint32_t *parent)
{
    int at[DIM];
    memcpy(at, block->at, sizeof at);
    at[d]++;
    const X(block) *other = X(surface_block)(s, at);
    if (!other)
        return;
    size_t side = (size_t)s->side, stride = 1;
    for (int k = 0; k < d; k++)
        stride *= side;
    uint32_t last[2] = {NO_SLOT, NO_SLOT};
    for (size_t k = 0; k < s->nodes / side; k++) {
        size_t low = k % stride + k / stride * stride * side, high = low + (side - 1) * stride;
        uint32_t pair[2] = {label_of(s, block, high), label_of(s, other, low)};
        if (pair[0] == NO_SLOT || pair[1] == NO_SLOT || memcmp(pair, last, sizeof pair) == 0)
            continue;
        join(parent, pair[0], pair[1]);
        memcpy(last, pair, sizeof last);
    }
}

/* ------------------------------------------------------------------ particles */

/* The label of the inside node nearest to a particle, of those that it gives to; NO_SLOT: none. */
static uint32_t particle_label(const X(surface) * s, const X(block) * home, uint32_t particle)
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

static void count_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    X(surface) *s = user;
    _Atomic uint32_t *counts = (_Atomic uint32_t *)s->region_particles;
    for (size_t k = begin; k < end; k++) {
        const X(block) *block = &s->block[k];
        if (block->slot == NO_SLOT) {
            atomic_fetch_add_explicit(&counts[s->region[block->first_label]],
                                      block->end - block->begin, memory_order_relaxed);
            continue;
        }
        uint32_t waiting = 0, last = NO_SLOT; /* particles of one region mostly come together */
        for (uint32_t p = block->begin; p < block->end; p++) {
            uint32_t label = particle_label(s, block, s->order[p]);
            uint32_t region = label == NO_SLOT ? NO_SLOT : s->region[label];
            if (region != last && waiting > 0 && last != NO_SLOT)
                atomic_fetch_add_explicit(&counts[last], waiting, memory_order_relaxed);
            waiting = region == last ? waiting + 1 : 1;
            last = region;
        }
        if (waiting > 0 && last != NO_SLOT)
            atomic_fetch_add_explicit(&counts[last], waiting, memory_order_relaxed);
    }
}

spate_status X(surface_regions)(X(surface) * s, spate_error *error)
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
        FOR_DIM(d)
            join_face(s, &s->block[k], d, s->region);
    /* a parent is never larger than its child: numbers of roots are ready when they are needed */
    for (uint32_t k = 0; k < s->label_count; k++)
        s->region[k] = s->region[k] == k ? s->region_count++ : s->region[s->region[k]];
    s->region_particles = sp_alloc(s->region_count, sizeof *s->region_particles);
    if (!s->region_particles)
        return sp_fail_memory(error, "a surface", s->region_count * sizeof *s->region_particles);
    sp_parallel_for(s->pool, s->block_count, 16, count_range, s);
    return SPATE_OK;
}
