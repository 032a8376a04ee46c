/* volume.c -- particles to a sparse level set.
 *
 * As the simulation finds its surface (stages/surface.c): the density of particles around a cell's
 * middle, by the linear kernel against rest density, is turned into a distance,
 *
 *     density(t) = (1 - t)^2 / 2  for 0 <= t <= 1,    1 - (1 + t)^2 / 2  for -1 <= t < 0,
 *
 * t in cells above a flat surface. It is kept in the cells beside the surface, those with a
 * neighbour on the other side; deeper down the density only shows how evenly the particles lie.
 * From there the distance is carried on to three cells on both sides by the Eikonal equation |grad
 * phi| = 1, whose upwind solution in a cell is
 *
 *     sum over axes of max(phi - a_d, 0)^2 = dx^2,    a_d the nearer neighbour along axis d,
 *
 * in sweeps, each of which brings it at least one cell further. Solids and walls are not liquid, so
 * the surface closes around the liquid where it touches them.
 *
 * The velocity is the weighted mean of the particles around a cell's middle, carried on outwards as
 * the mean of neighbours that have one. */
#include "volume.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"

/* Velocities go on by one neighbour along an axis in each sweep; the corner of the band that is
 * farthest from a particle is 5 of those away. */
enum { SWEEPS = SP_VOLUME_BAND + 2 };

/* ------------------------------------------------------------------ blocks */

static size_t slot_of(const sp_volume *volume, const int at[3])
{
    uint64_t hash = 0;
    for (int d = 0; d < 3; d++)
        hash = (hash ^ (uint32_t)at[d]) * 0x9e3779b97f4a7c15u;
    size_t slot = (size_t)(hash >> 32) & (volume->table_size - 1);
    for (; volume->table[slot]; slot = (slot + 1) & (volume->table_size - 1)) {
        const sp_leaf *leaf = volume->leaves[volume->table[slot] - 1];
        if (leaf->at[0] == at[0] && leaf->at[1] == at[1] && leaf->at[2] == at[2])
            break;
    }
    return slot;
}

static sp_leaf *find(const sp_volume *volume, const int at[3])
{
    uint32_t number = volume->table_size ? volume->table[slot_of(volume, at)] : 0;
    return number ? volume->leaves[number - 1] : NULL;
}

const sp_leaf *sp_volume_leaf(const sp_volume *volume, const int at[3])
{
    return find(volume, at);
}

static void fill_table(sp_volume *volume)
{
    memset(volume->table, 0, volume->table_size * sizeof *volume->table);
    for (size_t k = 0; k < volume->leaf_count; k++)
        volume->table[slot_of(volume, volume->leaves[k]->at)] = (uint32_t)k + 1;
}

/* Room for one more block: the list and a table at most half full. */
static bool reserve(sp_volume *volume)
{
    if (volume->leaf_count < volume->leaf_room)
        return true;
    size_t room = volume->leaf_room ? 2 * volume->leaf_room : 64;
    uint32_t *table = sp_alloc(2 * room, sizeof *table);
    sp_leaf **leaves =
        table ? sp_grow(volume->leaves, volume->leaf_count * sizeof *leaves, room, sizeof *leaves)
              : NULL;
    if (!leaves) {
        sp_free(table);
        return false;
    }
    sp_free(volume->table);
    volume->leaves = leaves;
    volume->leaf_room = room;
    volume->table = table;
    volume->table_size = 2 * room;
    fill_table(volume);
    return true;
}

/* The block at a place, made if it is new; NULL without memory. */
static sp_leaf *touch(sp_volume *volume, const int at[3])
{
    sp_leaf *leaf = find(volume, at);
    if (leaf)
        return leaf;
    if (!reserve(volume))
        return NULL;
    leaf = sp_alloc(1, sizeof *leaf);
    if (!leaf)
        return NULL;
    memcpy(leaf->at, at, sizeof leaf->at);
    volume->table[slot_of(volume, at)] = (uint32_t)volume->leaf_count + 1;
    volume->leaves[volume->leaf_count++] = leaf;
    return leaf;
}

void sp_volume_clear(sp_volume *volume)
{
    for (size_t k = 0; k < volume->leaf_count; k++)
        sp_free(volume->leaves[k]);
    sp_free(volume->leaves);
    sp_free(volume->table);
    *volume = (sp_volume){.dim = volume->dim};
}

static int block_of(int cell)
{
    return cell >= 0 ? cell / SP_LEAF : -((SP_LEAF - 1 - cell) / SP_LEAF);
}

static size_t place_of(int x, int y, int z)
{
    return (size_t)((x & 7) | (y & 7) << 3 | (z & 7) << 6);
}

/* ------------------------------------------------------------------ density and momentum */

static void give(sp_leaf *leaf, size_t place, float weight, const float *v)
{
    leaf->phi[place] += weight;
    for (int d = 0; d < 3; d++)
        leaf->v[d][place] += weight * v[d];
}

/* Hands a particle to the cells around it; false without memory. */
static bool splat(sp_volume *volume, const float *x, const float *v)
{
    int first[3] = {0, 0, 0};
    float part[3] = {0, 0, 0};
    for (int d = 0; d < volume->dim; d++) {
        double at = (double)x[d] / volume->cell_size - 0.5, low = floor(at);
        first[d] = (int)low;
        part[d] = (float)(at - low);
    }
    for (int c = 0; c < (volume->dim == 3 ? 8 : 4); c++) {
        int cell[3], block[3];
        float weight = 1;
        for (int d = 0; d < 3; d++) {
            bool high = c >> d & 1;
            cell[d] = first[d] + high;
            block[d] = block_of(cell[d]);
            weight *= d >= volume->dim ? 1 : high ? part[d] : 1 - part[d];
        }
        sp_leaf *leaf = touch(volume, block);
        if (!leaf)
            return false;
        give(leaf, place_of(cell[0], cell[1], cell[2]), weight, v);
    }
    return true;
}

static spate_status splat_all(sp_volume *volume, const sp_particle_table *table, spate_error *error)
{
    sp_particle_table_buffer positions, velocities;
    static const float rest[3];
    const sp_attribute *velocity = sp_particle_table_find(table, "velocity");
    for (size_t begin = 0, count; (count = sp_particle_table_block(table, begin)) > 0;
         begin += count) {
        const float *x =
            sp_particle_table_values(table, &table->attributes[0], begin, count, &positions);
        const float *v =
            velocity ? sp_particle_table_values(table, velocity, begin, count, &velocities) : NULL;
        for (size_t k = 0; k < count; k++)
            if (!splat(volume, x + 3 * k, v ? v + 3 * k : rest))
                return sp_fail_memory(error, "the volume of the liquid",
                                      volume->leaf_count * sizeof(sp_leaf));
    }
    return SPATE_OK;
}

static float distance_of(float density)
{
    if (density <= 0.5f)
        return 1.0f - sqrtf(2.0f * density);
    return density < 1.0f ? sqrtf(2.0f * (1.0f - density)) - 1.0f : -1.0f;
}

/* Weights become distances in cells, momenta velocities. */
static void settle(sp_volume *volume, int particles_per_axis)
{
    float rest = 1;
    for (int d = 0; d < volume->dim; d++)
        rest *= (float)particles_per_axis;
    for (size_t k = 0; k < volume->leaf_count; k++) {
        sp_leaf *leaf = volume->leaves[k];
        for (int i = 0; i < SP_LEAF_CELLS; i++) {
            float weight = leaf->phi[i];
            leaf->known[i] = weight > 0 ? 1 : 0;
            for (int d = 0; d < 3; d++)
                leaf->v[d][i] = weight > 0 ? leaf->v[d][i] / weight : 0;
            leaf->phi[i] = distance_of(weight / rest);
        }
    }
}

/* ------------------------------------------------------------------ the band around the surface */

/* Blocks beside those with surface, so that the band fits; false without memory. */
static bool widen(sp_volume *volume)
{
    size_t count = volume->leaf_count;
    for (size_t k = 0; k < count; k++) {
        for (int c = 0; volume->leaves[k]->near && c < (volume->dim == 3 ? 27 : 9); c++) {
            int at[3] = {volume->leaves[k]->at[0] + c % 3 - 1,
                         volume->leaves[k]->at[1] + c / 3 % 3 - 1,
                         volume->leaves[k]->at[2] + (volume->dim == 3 ? c / 9 - 1 : 0)};
            size_t before = volume->leaf_count;
            sp_leaf *leaf = touch(volume, at);
            if (!leaf)
                return false;
            for (int i = 0; volume->leaf_count > before && i < SP_LEAF_CELLS; i++)
                leaf->phi[i] = 1;
        }
    }
    return true;
}

/* A block with one layer of its neighbours around it. */
enum { WIDE = SP_LEAF + 2, WIDE_CELLS = WIDE * WIDE * WIDE };
typedef struct halo {
    float phi[WIDE_CELLS], v[3][WIDE_CELLS];
    uint8_t known[WIDE_CELLS];
} halo;

static const int steps[3] = {1, WIDE, WIDE *WIDE};

static void gather(const sp_volume *volume, const sp_leaf *leaf, halo *wide)
{
    const sp_leaf *near[27];
    for (int c = 0; c < 27; c++) {
        int at[3] = {leaf->at[0] + c % 3 - 1, leaf->at[1] + c / 3 % 3 - 1, leaf->at[2] + c / 9 - 1};
        near[c] = find(volume, at);
    }
    for (int z = 0; z < WIDE; z++)
        for (int y = 0; y < WIDE; y++)
            for (int x = 0; x < WIDE; x++) {
                int c = (x + 7) / 8 + 3 * ((y + 7) / 8) + 9 * ((z + 7) / 8);
                int to = x + WIDE * (y + WIDE * z);
                size_t from = place_of(x + 7, y + 7, z + 7);
                /* what no particle has touched is air, or, in 2D, not there */
                wide->phi[to] = near[c] ? near[c]->phi[from] : (float)SP_VOLUME_BAND;
                wide->known[to] = near[c] ? near[c]->known[from] : 0;
                for (int d = 0; d < 3; d++)
                    wide->v[d][to] = near[c] ? near[c]->v[d][from] : 0;
            }
}

/* The distance of a cell from those of its neighbours, on its own side of the surface. */
static float solve(const sp_volume *volume, const halo *wide, int center, float side)
{
    float a[3] = {INFINITY, INFINITY, INFINITY};
    for (int d = 0; d < volume->dim; d++) {
        float low = side * wide->phi[center - steps[d]], high = side * wide->phi[center + steps[d]];
        a[d] = low < high ? low : high;
    }
    for (int k = 0; k < 2; k++) /* smallest first */
        for (int d = 0; d < 2; d++)
            if (a[d] > a[d + 1]) {
                float other = a[d];
                a[d] = a[d + 1];
                a[d + 1] = other;
            }
    float result = a[0] + 1, sum = a[0], squares = a[0] * a[0];
    for (int n = 2; n <= volume->dim && result > a[n - 1]; n++) {
        sum += a[n - 1];
        squares += a[n - 1] * a[n - 1];
        float inner = sum * sum - (float)n * (squares - 1);
        result = (sum + sqrtf(inner > 0 ? inner : 0)) / (float)n;
    }
    return result;
}

/* Every cell of a block: its number in the block, and in the halo. */
#define FOR_CELLS(volume, place, center)                                  \
    for (int z = 0; z < ((volume)->dim == 3 ? SP_LEAF : 1); z++)          \
        for (int y = 0; y < SP_LEAF; y++)                                 \
            for (int x = 0, center = 1 + WIDE * (y + 1 + WIDE * (z + 1)), \
                     place = SP_LEAF * (y + SP_LEAF * z);                 \
                 x < SP_LEAF; x++, center++, place++)

/* Which cells lie beside the surface, and whether the block has any. */
static void mark_surface(const sp_volume *volume, sp_leaf *leaf, halo *wide)
{
    gather(volume, leaf, wide);
    leaf->near = false;
    FOR_CELLS(volume, place, center) {
        bool inside = wide->phi[center] < 0, beside = false;
        for (int d = 0; d < volume->dim; d++)
            beside = beside || (wide->phi[center - steps[d]] < 0) != inside ||
                     (wide->phi[center + steps[d]] < 0) != inside;
        leaf->fixed[place] = beside;
        leaf->near = leaf->near || beside;
    }
}

static void carry_velocity(const sp_volume *volume, const halo *wide, int center, int sweep,
                           sp_leaf *leaf, int place)
{
    float sum[3] = {0, 0, 0}, count = 0;
    for (int d = 0; d < volume->dim; d++)
        for (int side = -1; side <= 1; side += 2) {
            int other = center + side * steps[d];
            bool use = wide->known[other] && wide->known[other] <= sweep;
            for (int e = 0; e < 3; e++)
                sum[e] += use ? wide->v[e][other] : 0;
            count += use ? 1.0f : 0.0f;
        }
    if (count == 0)
        return;
    leaf->known[place] = (uint8_t)(sweep + 1);
    for (int e = 0; e < 3; e++)
        leaf->v[e][place] = sum[e] / count;
}

/* Sweeps are numbered from 1. Distances only shrink, so that the order of blocks does not matter to
 * where they end. */
static void sweep_block(const sp_volume *volume, sp_leaf *leaf, int sweep, halo *wide)
{
    gather(volume, leaf, wide);
    FOR_CELLS(volume, place, center) {
        float phi = leaf->phi[place], side = phi < 0 ? -1.0f : 1.0f;
        if (!leaf->fixed[place]) {
            float other = solve(volume, wide, center, side);
            leaf->phi[place] = side * (other < fabsf(phi) ? other : fabsf(phi));
        }
        if (!leaf->known[place])
            carry_velocity(volume, wide, center, sweep, leaf, place);
    }
}

/* ------------------------------------------------------------------ all of it */

static int by_place(const void *first, const void *second)
{
    const sp_leaf *a = *(sp_leaf *const *)first, *b = *(sp_leaf *const *)second;
    for (int d = 2; d >= 0; d--)
        if (a->at[d] != b->at[d])
            return a->at[d] < b->at[d] ? -1 : 1;
    return 0;
}

static void sort_leaves(sp_volume *volume)
{
    if (volume->leaf_count > 0)
        qsort(volume->leaves, volume->leaf_count, sizeof *volume->leaves, by_place);
    if (volume->table)
        fill_table(volume);
}

/* From cells to metres; blocks that the band does not reach are all inside, or dropped. */
static void finish(sp_volume *volume)
{
    size_t kept = 0;
    for (size_t k = 0; k < volume->leaf_count; k++) {
        sp_leaf *leaf = volume->leaves[k];
        leaf->near = false;
        leaf->inside = leaf->phi[0] < 0;
        FOR_CELLS(volume, place, center) {
            leaf->near = leaf->near || fabsf(leaf->phi[place]) < SP_VOLUME_BAND;
            leaf->phi[place] *= (float)volume->cell_size;
            (void)center;
        }
        if (leaf->near || leaf->inside)
            volume->leaves[kept++] = leaf;
        else
            sp_free(leaf);
    }
    volume->leaf_count = kept;
    sort_leaves(volume);
}

static spate_status build(sp_volume *volume, const sp_particle_table *table, spate_error *error)
{
    halo wide;
    TRY(splat_all(volume, table, error));
    settle(volume, table->particles_per_axis);
    for (size_t k = 0; k < volume->leaf_count; k++)
        mark_surface(volume, volume->leaves[k], &wide);
    if (!widen(volume))
        return sp_fail_memory(error, "the volume of the liquid",
                              volume->leaf_count * sizeof(sp_leaf));
    sort_leaves(volume);
    for (size_t k = 0; k < volume->leaf_count; k++)
        mark_surface(volume, volume->leaves[k], &wide);
    for (size_t k = 0; k < volume->leaf_count; k++) {
        sp_leaf *leaf = volume->leaves[k];
        for (int i = 0; i < SP_LEAF_CELLS; i++)
            if (!leaf->fixed[i])
                leaf->phi[i] = leaf->phi[i] < 0 ? -(float)SP_VOLUME_BAND : (float)SP_VOLUME_BAND;
    }
    for (int sweep = 1; sweep <= SWEEPS; sweep++)
        for (size_t k = 0; k < volume->leaf_count; k++)
            sweep_block(volume, volume->leaves[k], sweep, &wide);
    finish(volume);
    return SPATE_OK;
}

spate_status sp_volume_create(sp_volume *volume, const sp_particle_table *table, spate_error *error)
{
    *volume = (sp_volume){.dim = table->dim, .cell_size = table->cell_size};
    memcpy(volume->cells, table->cells, sizeof volume->cells);
    volume->band = (float)SP_VOLUME_BAND * (float)table->cell_size;
    spate_status status = build(volume, table, error);
    if (status != SPATE_OK)
        sp_volume_clear(volume);
    return status;
}

/* ------------------------------------------------------------------ rows */

/* A walk along a row of cells, from leaf to leaf. */
typedef struct row_walk {
    const sp_volume *volume;
    int at[3];
    const sp_leaf *leaf; /* of the cell at hand; NULL: outside all */
    size_t place;        /* of the cell in it */
} row_walk;

static row_walk walk_from(const sp_volume *volume, const int at[3])
{
    row_walk walk = {.volume = volume, .at = {at[0] - 1, at[1], at[2]}};
    int block[3] = {block_of(at[0]), block_of(at[1]), block_of(at[2])};
    walk.leaf = find(volume, block);
    return walk;
}

static const sp_leaf *next_cell(row_walk *walk)
{
    int x = ++walk->at[0];
    if ((x & 7) == 0) {
        int block[3] = {block_of(x), block_of(walk->at[1]), block_of(walk->at[2])};
        walk->leaf = find(walk->volume, block);
    }
    walk->place = place_of(x, walk->at[1], walk->at[2]);
    return walk->leaf;
}

void sp_volume_distances(const sp_volume *volume, const int at[3], int count, float *phi)
{
    row_walk walk = walk_from(volume, at);
    for (int k = 0; k < count; k++)
        phi[k] = next_cell(&walk) ? walk.leaf->phi[walk.place] : (float)volume->band;
}

void sp_volume_velocities(const sp_volume *volume, const int at[3], int count, float *v)
{
    row_walk walk = walk_from(volume, at);
    for (int k = 0; k < count; k++) {
        const sp_leaf *leaf = next_cell(&walk);
        for (int d = 0; d < 3; d++)
            v[3 * k + d] = leaf ? leaf->v[d][walk.place] : 0;
    }
}
