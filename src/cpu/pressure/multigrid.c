/* multigrid.c -- the preconditioner of the default solver: its grids. The cycle is in cycle.c.
 *
 * Coarse grids by aggregation of 2^DIM cells, a family: prolongation P copies a coarse value to its
 * children, restriction R = P^T / 2^DIM is their mean, and inside the liquid A_c = R A P / 2, which
 * needs nothing but sums:
 *
 *     a_c = (sum of the fine faces that cross) / 2^DIM / 2,
 *     d_c = sum of the a_c, and what leads to air.
 *
 * Solids are in the faces, and a coarse cell is an unknown if any child is. The factor 1/2 is there
 * because piecewise constant corrections are too small by two (Braess 1995): a coarse face has four
 * fine ones side by side (two in 2D), but leads twice as far.
 *
 * At the surface it does not lead twice as far, and there the sums alone would put the surface in
 * the wrong place, which costs two iterations of eight. Distances are those between the middles of
 * what families have: a child beside a face adds half a fine cell to the way, its sibling behind it
 * another half if it is there. So, in fine cells,
 *
 *     a face between families   1/2 + 1/2 + (sibling here ? 1/2 : 0) + (sibling there ? 1/2 : 0)
 *     a way to air              theta + (sibling here ? 1/2 : 0)
 *
 * where 1/theta is the excess, what the diagonal has more than the faces; and a conductance is one
 * over a distance, times 2 by the factor above. A column of still water is then exact on the second
 * grid (test_cycle.c), whatever its height. A sibling missing for a solid does not count: ways
 * around solids are longer rather than shorter (that was tried: docs/notebook.md).
 *
 * Far from solids every face between two unknowns has the same off-diagonal: 1 on the finest grid,
 * a quarter of it on each coarser one. So the equations of each grid are multiplied by SCALE = 4,
 * coefficients and right side, against those of the finer one, which makes it 1 again and changes
 * no digit of the solution. Where there is no unknown the vectors are zero, so where all faces
 * between unknowns are 1 none of them needs to be read. Call a face even if it is 1. A tile is
 *
 *     uniform   full of unknowns, all faces even: no coefficient is read, or even kept,
 *     general   anything else: it knows which of its pairs of rows have unknowns, the others are
 *               passed over, and which of them have faces that are not even, only there they are
 *               read,
 *     a seam    images across periodic sides are inside: all coefficients are read. */
#include "block.h"
#include "state/arrays.h"

#define PART 64 /* tiles for each thread in a part of a cycle, at least */

/* ---- memory */

/* A row of level.def. */
typedef struct level_row {
    size_t offset, item; /* of its first pointer, in X(level); bytes of a value */
    int pointers;
    X(extent) extent;
    bool of_system; /* on the finest level */
    int counted, counted_coarse;
} level_row;

enum { FINEST_OWN, FINEST_SYSTEM };
static const level_row level_rows[] = {
#define LEVEL_ARRAY(name, shape, type, size, finest, counted, counted_coarse, ...) \
    {offsetof(X(level), name), sizeof(type), POINTERS_##shape, EXTENT_##size,      \
     FINEST_##finest,          counted,      counted_coarse},
#include "state/level.def"
};
#define LEVEL_ROWS ((int)(sizeof level_rows / sizeof *level_rows))
_Static_assert(BLOCK_FACES == FACES_SIZE, "faces of a block");

static void **pointers_of(X(level) *l, const level_row *row)
{
    return (void **)((char *)l + row->offset);
}

static spate_status make_level(X(level) *l, bool finest, spate_error *error)
{
    for (int k = 0; k < LEVEL_ROWS; k++) {
        const level_row *row = &level_rows[k];
        void **blocks = pointers_of(l, row);
        size_t count = X(extent_of)(row->extent, &l->grid);
        for (int c = 0; c < row->pointers && !(finest && row->of_system); c++) {
            blocks[c] = sp_alloc(count, row->item);
            if (!blocks[c])
                return sp_fail_memory(error, "the multigrid", (uint64_t)count * row->item);
        }
    }
    return SPATE_OK;
}

/* Bytes of a level for a forecast. Faces of the finest one are left out: the tiles that have them,
 * those with solids near, make up for those that no liquid reaches. */
static double level_bytes(const X(grid) *g, bool finest)
{
    double bytes = 0;
    for (int k = 0; k < LEVEL_ROWS; k++) {
        const level_row *row = &level_rows[k];
        double cells = row->extent == EXTENT_CELLS ? (double)g->size : X(block_cells)(g);
        int counted = finest ? row->counted : row->counted_coarse;
        bytes += cells * (double)row->item * row->pointers * counted;
    }
    return bytes;
}

double DEV(multigrid_bytes)(const X(grid) *fine)
{
    X(grid) g[MAX_LEVELS];
    int levels = X(level_grids)(fine, g);
    double bytes = 0;
    for (int k = 0; k < levels; k++)
        bytes += level_bytes(&g[k], k == 0);
    return bytes;
}

spate_status DEV(multigrid_create)(X(system) *sys, spate_error *error)
{
    sys->level_count = 1;
    TRY(make_level(&sys->levels[0], true, error));
    X(grid) grids[MAX_LEVELS];
    int levels = X(level_grids)(&sys->grid, grids);
    for (int k = 1; k < levels; k++) {
        sys->levels[k].grid = grids[k];
        sys->level_count++;
        TRY(make_level(&sys->levels[k], false, error));
    }
    return SPATE_OK;
}

void DEV(multigrid_destroy)(X(system) *sys)
{
    for (int k = 0; k < sys->level_count; k++)
        for (int n = 0; n < LEVEL_ROWS; n++)
            for (int c = 0; c < level_rows[n].pointers && !(k == 0 && level_rows[n].of_system); c++)
                sp_free(pointers_of(&sys->levels[k], &level_rows[n])[c]);
}

/* ---- lists */

static void clear_tile(X(level) *l, int tile)
{
    size_t base = X(tile_index)(&l->grid, tile);
    for (int r = 0; r < TILE_ROWS; r++) {
        size_t row = base + X(row_offset)(&l->grid, r);
        memset(l->diagonal + row, 0, TILE * sizeof(float));
        FOR_DIM(d)
            memset(l->a[d] + row, 0, TILE * sizeof(float));
    }
}

/* Tiles of a level that hold a listed tile of the finer one; what left the list is cleared. */
static void list_tiles(X(level) *l, const X(level) *fine)
{
    for (int k = 0; k < l->grid.tile_count; k++)
        l->listed[k] = (uint8_t)(l->listed[k] << 1 & 2);
    for (int k = 0; k < fine->tile_count; k++) {
        int t[DIM];
        X(tile_coordinates)(&fine->grid, fine->tiles[k], t);
        FOR_DIM(d)
            t[d] = (t[d] - 1) / 2 + 1;
        l->listed[X(tile_number)(&l->grid, t)] |= 1;
    }
    l->tile_count = 0;
    for (int k = 0; k < l->grid.tile_count; k++) {
        if (l->listed[k] & 1)
            l->tiles[l->tile_count++] = k;
        else if (l->listed[k] & 2)
            clear_tile(l, k);
    }
}

static void number_block(X(level) *l, int tile)
{
    l->slot[tile] = ++l->block_count;
    l->tile_of[l->block_count] = tile;
}

/* Border tiles that hold the image of a listed tile's first or last cells get a block too. */
static void number_images(X(level) *l)
{
    const X(grid) *g = &l->grid;
    for (int axis = 0; axis < DIM; axis++)
        for (int k = 0; k < l->tile_count && g->periodic[axis]; k++)
            for (int side = 0; side < 2; side++) {
                int t[DIM], last = g->tiles[axis] - 2;
                X(tile_coordinates)(g, l->tiles[k], t);
                if (t[axis] != (side ? last : 1))
                    continue;
                t[axis] = side ? 0 : last + 1;
                if (l->slot[X(tile_number)(g, t)] == 0)
                    number_block(l, X(tile_number)(g, t));
            }
}

/* Even tiles, then odd ones, in parts: layers of tiles across the last axis, each part with at
 * least so many tiles. All in one where tiles may meet across a periodic side. */
static void order_tiles(X(level) *l, int least)
{
    const X(grid) *g = &l->grid;
    bool whole = g->periodic[0] || g->periodic[1] || g->periodic[2];
    int count = 0;
    for (int parity = 0; parity < 2; parity++) {
        int first = 0, layer = 0;
        l->part[parity][0] = count;
        l->part_count = 0;
        for (int k = 0; k < l->tile_count; k++) {
            int t[DIM], sum = 0;
            X(tile_coordinates)(g, l->tiles[k], t);
            FOR_DIM(d)
                sum += t[d];
            if (!whole && t[DIM - 1] != layer && k - first >= least) {
                l->part[parity][++l->part_count] = count;
                first = k;
            }
            layer = t[DIM - 1];
            if ((sum & 1) == parity)
                l->order[count++] = k + 1;
        }
        l->part[parity][++l->part_count] = count;
    }
}

static void number_blocks(X(level) *l)
{
    for (int slot = 1; slot <= l->block_count; slot++)
        l->slot[l->tile_of[slot]] = 0;
    l->block_count = 0;
    for (int k = 0; k < l->tile_count; k++)
        number_block(l, l->tiles[k]);
    number_images(l);
}

/* ---- coefficients of coarse cells */

typedef struct level_args {
    X(level) *l, *fine;     /* fine: the next finer one, NULL if there is none */
    const uint8_t *unknown; /* of the finest level's tiles, NULL of others */
    const uint64_t *rows;   /* likewise: with an unknown */
} level_args;

/* The way to air of a tile's cells and of those beside it: what the diagonal has more than the
 * faces. Rows have room for a vector on either side. */
#define EXCESS_ROW (TILE + 16)
typedef struct excess {
    float v[LAST(TILE + 2) * (TILE + 2) * EXCESS_ROW];
} excess;

SIMD_FN size_t in_excess(int i, int j, int k)
{
    return (size_t)(((k + LAST(2) - 1) * (TILE + 2) + j + 1) * EXCESS_ROW + i + 8);
}

/* Of eight cells. What rounding leaves is none. */
SIMD_FN f8 excess_of(const X(level) *fine, size_t c)
{
    f8 own = load(fine->diagonal + c), more = own;
    FOR_DIM(d)
        more -= load(fine->a[d] + c) + load(fine->a[d] + c + fine->grid.stride[d]);
    return where_positive(more - 2e-6f * own, more);
}

/* The sides of a tile, as bits, across which there is one that is not uniform. */
static uint32_t sides_of(const X(level) *fine, int slot)
{
    uint32_t sides = 0;
    for (int face = 0; face < 2 * DIM; face++)
        sides |= (uint32_t)(fine->kind[fine->near[slot][face]] != KIND_UNIFORM) << face;
    return sides;
}

/* Of a tile, and of the nearest cells across such sides. Returns whether there is any. */
static bool find_excess(const X(level) *fine, int slot, uint32_t sides, excess *e)
{
    const X(grid) *g = &fine->grid;
    size_t base = X(tile_index)(g, fine->tile_of[slot]);
    uint32_t unknown = fine->kind[slot] == KIND_UNIFORM ? ~0u : fine->some[slot];
    int has[6]; /* in 2D none along z */
    i8 some = {0};
    memset(e, 0, sizeof *e);
    for (int face = 0; face < 6; face++)
        has[face] = sides >> face & 1;
    for (int k = -has[4]; k < PLANES + has[5]; k++)
        for (int j = -has[2]; j < TILE + has[3]; j++) {
            bool beside = j < 0 || j >= TILE || k < 0 || k >= PLANES;
            if (!beside && !(unknown >> (k * PAIRS + j / 2) & 1))
                continue;
            for (int i = beside ? 0 : -8 * has[0]; i < TILE + (beside ? 0 : 8 * has[1]); i += 8) {
                size_t c = base + (size_t)(i + j * (long)g->stride[1] + k * (long)g->stride[2]);
                f8 more = excess_of(fine, c);
                some |= is_positive(more);
                store(e->v + in_excess(i, j, k), more);
            }
        }
    return any(some);
}

/* The faces of eight cells along an axis: to the next family, to the sibling, and those between the
 * siblings of the next family. */
typedef struct links {
    f8 cross, inner, outer;
} links;

SIMD_FN links links_of(const X(level) *fine, size_t c, int axis, bool upper)
{
    size_t step = fine->grid.stride[axis];
    const float *a = fine->a[axis] + c;
    f8 low = load(a), high = load(a + step), before = load(a - step), after = load(a + 2 * step);
    if (axis == 0) /* lower and upper cells by turns */
        return (links){weave(low, high), weave(high, low), weave(before, after)};
    return upper ? (links){high, low, after} : (links){low, high, before};
}

/* The excess of the cells across those faces. */
SIMD_FN f8 excess_across(const float *e, int axis, bool upper)
{
    int step = axis == 1 ? EXCESS_ROW : EXCESS_ROW * (TILE + 2);
    if (axis == 0)
        return weave(load(e - 1), load(e + 1));
    return load(upper ? e + step : e - step);
}

/* The crossing faces, by the distance of the middles. e: where the cells' excess is. */
SIMD_FN f8 by_distance(const links *k, const float *e, int axis, bool upper)
{
    f8 near = k->cross - k->inner, far = k->cross - k->outer;
    i8 here = is_positive(near) & is_positive(load(e));
    i8 there = is_positive(far) & is_positive(excess_across(e, axis, upper));
    if (!any(here | there))
        return k->cross;
    f8 distance = 2.0f * k->cross - 0.5f * (where(here, near) + where(there, far));
    return where_positive(k->cross, 2.0f * k->cross * k->cross / distance);
}

/* The sums of parts of a fine tile's rows that make coarse cells: rows 2m and 2m + 1 of planes k
 * and k + 1, eight cells from `first` on, those inside the domain. Images across periodic sides are
 * none. */
typedef struct family {
    f8 d, across[DIM];
} family;

/* e: NULL where there is no excess. */
SIMD_FN family family_of(const X(level) *fine, const int first[DIM], int k, int m, f8 inside,
                         const float *e)
{
    const X(grid) *g = &fine->grid;
    const f8 one = f8_of(1.0f);
    const f8 partner = shuffle(inside, one, 1, 8, 3, 8, 5, 8, 7, 8);
    family f;
    memset(&f, 0, sizeof f);
    for (int child = 0; child < (1 << (DIM - 1)); child++) {
        int cell[DIM], upper[3] = {0, child & 1, child >> 1};
        memcpy(cell, first, sizeof cell);
        cell[1] += 2 * m + upper[1];
        if (DIM == 3)
            cell[DIM - 1] += k + upper[2];
        bool outside = cell[1] >= g->n[1] || cell[DIM - 1] >= g->n[DIM - 1];
        if (outside)
            continue;
        size_t c = X(index)(g, cell);
        const float *own = e ? e + in_excess(0, 2 * m + upper[1], k + upper[2]) : NULL;
        f8 sum = {0}, sides = {0}, deep = {0};
        FOR_DIM(d) {
            links l = links_of(fine, c, d, upper[d]);
            f8 sibling = where_positive(l.inner, one), both = where_positive(l.cross, sibling);
            sides += one - both;
            deep += sibling - both;
            if (e && !g->periodic[d])
                l.cross = by_distance(&l, own, d, upper[d]);
            /* outside there is no sibling: what leads there crosses a periodic side, or nothing */
            if (d == 0)
                l.inner *= one - partner;
            else if (upper[d] || cell[d] + 1 < g->n[d])
                l.inner = (f8){0};
            sum += l.cross + l.inner;
            if (!upper[d])
                f.across[d] += inside * l.cross;
        }
        /* sides towards the surface: on how many of them a sibling lies behind the cell? */
        if (e && any(is_positive(load(own)))) {
            f8 half = 0.5f * (deep + 1e-6f) / (sides + 1e-6f);
            sum += 2.0f * load(own) / (1.0f + half * load(own));
        }
        f.d += inside * sum;
    }
    return f;
}

/* Coarse cells `at` .. at + 3 from the sums over their children's rows. */
static void coarsen_rows(X(level) *l, size_t at, const family *f)
{
    const float share = OVER_CORRECTION * SCALE / (float)(1 << DIM);
    for (int i = 0; i < 4; i++) {
        l->diagonal[at + (size_t)i] = share * (f->d[2 * i] + f->d[2 * i + 1]);
        l->a[0][at + (size_t)i] = share * f->across[0][2 * i];
        for (int d = 1; d < DIM; d++)
            l->a[d][at + (size_t)i] = share * (f->across[d][2 * i] + f->across[d][2 * i + 1]);
    }
}

/* The coarse cells of row pair m of planes k and k + 1 of a fine tile begin here. */
static size_t parents_of(const X(level) *l, const int first[DIM], int k, int m)
{
    int cell[DIM] = {first[0] / 2, first[1] / 2 + m};
    if (DIM == 3)
        cell[DIM - 1] = (first[DIM - 1] + k) / 2;
    return X(index)(&l->grid, cell);
}

/* Coarse cells from a uniform fine tile: coefficients as far from anything. */
static void coarsen_uniform(X(level) *l, size_t at)
{
    for (size_t i = at; i < at + TILE / 2; i++) {
        l->diagonal[i] = 2 * DIM;
        FOR_DIM(d)
            l->a[d][i] = 1.0f;
    }
}

/* The same from any other, eight fine cells at a time. */
static void coarsen_general(X(level) *l, const X(level) *fine, const int first[DIM], int k, int m,
                            const excess *e)
{
    int part[DIM];
    memcpy(part, first, sizeof part);
    for (; part[0] < first[0] + TILE; part[0] += 8) {
        f8 inside = {0};
        for (int i = 0; i < 8; i++)
            inside[i] = part[0] + i < fine->grid.n[0] ? 1.0f : 0.0f;
        family f = e ? family_of(fine, part, k, m, inside, e->v + (part[0] - first[0]))
                     : family_of(fine, part, k, m, inside, NULL);
        coarsen_rows(l, parents_of(l, part, k, m), &f);
    }
}

/* Sides that families m of planes k and k + 1 are at. */
static uint32_t sides_at(int k, int m)
{
    uint32_t y = m == 0 ? 4 : m == PAIRS - 1 ? 8 : 0, z = k == 0 ? 16 : k == PLANES - 2 ? 32 : 0;
    return 3 | y | z;
}

/* By tiles of the fine level: each makes its part of a coarse tile. Parts without a fine tile have
 * been cleared. */
static void coarsen_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const level_args *args = user;
    const X(level) *fine = args->fine;
    for (size_t tile = begin; tile < end; tile++) {
        int first[DIM], slot = (int)tile + 1;
        bool uniform = fine->kind[slot] == KIND_UNIFORM;
        uint32_t some = fine->some[slot], sides = sides_of(fine, slot);
        excess e;
        bool any_excess = (!uniform || sides) && find_excess(fine, slot, sides, &e);
        X(tile_cell)(&fine->grid, fine->tiles[tile], first);
        for (int k = 0; k < PLANES; k += 2)
            for (int m = 0; m < PAIRS; m++) {
                uint32_t pairs = pairs_of(some, k) | (DIM == 3 ? pairs_of(some, k + 1) : 0);
                if (uniform && !(sides & sides_at(k, m)))
                    coarsen_uniform(args->l, parents_of(args->l, first, k, m));
                else if (uniform || (pairs >> m & 1))
                    coarsen_general(args->l, fine, first, k, m, any_excess ? &e : NULL);
            }
    }
}

static void clear_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const level_args *args = user;
    for (size_t k = begin; k < end; k++)
        clear_tile(args->l, args->l->tiles[k]);
}

/* Off-diagonals across periodic sides, over the whole sides: for scenes with such sides only. */
static void wrap_faces(X(level) *l, float *field)
{
    const X(grid) *g = &l->grid;
    for (int axis = 0; axis < DIM; axis++) {
        if (!g->periodic[axis])
            continue;
        int e = axis == 0 ? 1 : 0, f = axis == 2 ? 1 : 2, c[3] = {0, 0, 0};
        for (c[f] = 0; c[f] < LAST(g->n[f]); c[f]++)
            for (c[e] = 0; c[e] < g->n[e]; c[e]++) {
                c[axis] = 0;
                float *low = field + X(index)(g, c),
                      *high = low + (size_t)(g->n[axis] - 1) * g->stride[axis];
                high[g->stride[axis]] = low[0];
                *(low - g->stride[axis]) = high[0];
            }
    }
}

/* ---- blocks */

/* -1 where v is not x, both not negative. */
SIMD_FN i8 differs(f8 v, float x)
{
    return ~is_equal((i8)v ^ (i8)((f8){0} + x), 0);
}

/* The kind of a tile, and its pairs of rows. */
static uint8_t kind_of(const X(level) *l, int tile, uint32_t *some, uint32_t *uneven)
{
    const X(grid) *g = &l->grid;
    size_t base = X(tile_index)(g, tile);
    i8 ragged = {0}; /* not uniform */
    *some = *uneven = 0;
    FOR_TILE_EIGHTS(r, i) {
        size_t c = base + X(row_offset)(g, r) + (size_t)i;
        i8 unknown = is_positive(load(l->diagonal + c)), odd = {0};
        ragged |= differs(load(l->diagonal + c), 2 * DIM);
        if (!any(unknown))
            continue;
        FOR_DIM(d) {
            size_t step = g->stride[d];
            i8 low = differs(load(l->a[d] + c), 1.0f);
            i8 high = differs(load(l->a[d] + c + step), 1.0f);
            ragged |= low | high;
            odd |= (low & is_positive(load(l->diagonal + c - step))) |
                   (high & is_positive(load(l->diagonal + c + step)));
        }
        *some |= 1u << r / 2;
        *uneven |= any(unknown & odd) ? 1u << r / 2 : 0;
    }
    if (!X(has_seam)(g, tile))
        return any(ragged) ? KIND_GENERAL : KIND_UNIFORM;
    *some = *uneven = PLANES * PAIRS < 32 ? (1u << PLANES * PAIRS % 32) - 1 : ~0u;
    return KIND_SEAM;
}

/* Two rows, woven, into the vectors of a pair. */
static void lay_pair(float *out, const float *one, const float *two)
{
    FOR_EIGHTS(i) {
        store(out + i, weave(load(one + i), load(two + i)));
        store(out + TILE + i, weave(load(two + i), load(one + i)));
    }
}

static void lay_faces(const X(level) *l, size_t base, float *faces)
{
    const X(grid) *g = &l->grid;
    for (int k = 0; k <= (DIM == 3 ? TILE : 0); k++)
        for (int m = 0; m < PAIRS; m++) {
            size_t row = base + (size_t)(2 * m) * g->stride[1] + (size_t)k * g->stride[2];
            if (DIM == 3) {
                const float *a = l->a[DIM - 1] + row;
                lay_pair(faces + FACES_Z + in_block(k, m, 0), a, a + g->stride[1]);
                if (k == TILE)
                    continue;
            }
            const float *a = l->a[0] + row, *b = a + g->stride[1];
            lay_pair(faces + in_block(k, m, 0), a, b);
            lay_pair(faces + FACES_RIGHT + in_block(k, m, 0), a + 1, b + 1);
            const float *y = l->a[1] + row;
            for (int j = 0; j < 2 + (m == PAIRS - 1); j++)
                memcpy(faces + FACES_Y + (k * (TILE + 1) + 2 * m + j) * TILE,
                       y + (size_t)j * g->stride[1], TILE * sizeof *y);
        }
}

static void lay_diagonal(const X(level) *l, size_t base, float *d, float *inverse)
{
    const X(grid) *g = &l->grid;
    for (int k = 0; k < PLANES; k++)
        for (int m = 0; m < PAIRS; m++) {
            const float *row =
                l->diagonal + base + (size_t)(2 * m) * g->stride[1] + (size_t)k * g->stride[2];
            lay_pair(d + in_block(k, m, 0), row, row + g->stride[1]);
        }
    for (size_t k = 0; k < TILE_CELLS; k += 8) {
        f8 v = load(d + k);
        store(inverse + k, where_positive(v, 1.0f / v));
    }
}

/* Pairs of rows from rows. */
static uint32_t pairs_of_rows(uint64_t rows)
{
    uint32_t pairs = 0;
    for (int n = 0; n < PLANES * PAIRS; n++)
        pairs |= (uint32_t)((rows >> 2 * n & 3) != 0) << n;
    return pairs;
}

/* The blocks of a level from its coefficients. Right sides start at zero: no restriction reaches
 * the parts of a coarse tile without a fine one. */
static void lay_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const level_args *args = user;
    X(level) *l = args->l;
    const X(grid) *g = &l->grid;
    for (size_t k = begin; k < end; k++) {
        int tile = l->tiles[k], slot = (int)k + 1, t[DIM];
        X(tile_coordinates)(g, tile, t);
        for (int face = 0; face < 2 * DIM; face++) {
            int near[DIM];
            memcpy(near, t, sizeof near);
            near[face / 2] += face % 2 ? 1 : -1;
            l->near[slot][face] = l->slot[X(tile_number)(g, near)];
        }
        size_t base = X(tile_index)(g, tile);
        int unknown = args->unknown && !X(has_seam)(g, tile) ? args->unknown[tile] : UNKNOWN_CUT;
        l->uneven[slot] = 0;
        l->kind[slot] = unknown == UNKNOWN_DEEP ? KIND_UNIFORM : KIND_GENERAL;
        if (unknown == UNKNOWN_PLAIN) /* air or a wall is near: not uniform, and no face is cut */
            l->some[slot] = pairs_of_rows(args->rows[tile]);
        else if (unknown != UNKNOWN_DEEP)
            l->kind[slot] = kind_of(l, tile, &l->some[slot], &l->uneven[slot]);
        if (l->kind[slot] != KIND_UNIFORM)
            lay_diagonal(l, base, block(l->d, slot), block(l->inverse, slot));
        if (l->kind[slot] != KIND_UNIFORM && l->uneven[slot])
            lay_faces(l, base, l->faces + (size_t)slot * FACES_SIZE);
        if (args->fine)
            memset(block(l->b, slot), 0, TILE_CELLS * sizeof(float));
    }
}

void DEV(multigrid_build)(X(system) *sys)
{
    sp_pool *pool = sys->domain->pool;
    sys->hierarchy = true;
    for (int k = 0; k < sys->level_count; k++) {
        level_args args = {
            .l = &sys->levels[k], .unknown = k == 0 ? sys->unknown : NULL, .rows = sys->rows};
        if (k > 0) {
            args.fine = &sys->levels[k - 1];
            list_tiles(args.l, args.fine);
            sp_parallel_for(pool, (size_t)args.l->tile_count, 8, clear_range, &args);
            sp_parallel_for(pool, (size_t)args.fine->tile_count, 8, coarsen_range, &args);
            FOR_DIM(d)
                wrap_faces(args.l, args.l->a[d]);
        }
        number_blocks(args.l);
        order_tiles(args.l, PART * sp_pool_threads(pool));
        sp_parallel_for(pool, (size_t)args.l->tile_count, 8, lay_range, &args);
    }
}
