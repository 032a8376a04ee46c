/* coarsen.cu -- the multigrid's coarse levels on the device: their coefficients, and which tiles
 * need to read them. The maths stands in cpu/pressure/multigrid.c. */
#include "solver.h"
#include "state/cg_policy.h"

typedef struct coarsen_args {
    DEV(gpu_level) level, fine;
    const uint8_t *deep; /* of the finer level's tiles; or NULL */
} coarsen_args;

/* A cell: its block, and where in it. In block 0 there is nothing. */
typedef struct spot {
    int slot, at;
} spot;

GPU_FN size_t place_of(spot s)
{
    return (size_t)s.slot * TILE_CELLS + (size_t)s.at;
}

/* The next one along an axis, in its block or in the one beside it. */
GPU_FN spot beside(const DEV(gpu_level) * l, spot s, int d, int side)
{
    int step = block_step(d), across = s.at / step % TILE;
    if (side ? across == TILE - 1 : across == 0) {
        s.slot = s.slot ? l->near[2 * DIM * s.slot + 2 * d + side] : 0;
        s.at += (side ? 1 - TILE : TILE - 1) * step;
    } else {
        s.at += side ? step : -step;
    }
    return s;
}

/* Off-diagonal d, low, of a cell of the finer level. */
GPU_FN float fine_face(const DEV(gpu_level) * f, spot s, int d)
{
    size_t c = place_of(s);
    if (!s.slot)
        return 0.0f;
    if (f->a[d])
        return f->a[d][c];
    return f->d[c] > 0.0f && f->d[place_of(beside(f, s, d, 0))] > 0.0f ? f->even : 0.0f;
}

/* What the diagonal has more than the faces; both of these, low and high, too. */
GPU_FN float excess_of(const DEV(gpu_level) * f, spot s, float faces[DIM][2])
{
    float own = f->d[place_of(s)], more = own;
    FOR_DIM(d) {
        faces[d][0] = fine_face(f, s, d);
        faces[d][1] = fine_face(f, beside(f, s, d, 1), d);
        more -= faces[d][0] + faces[d][1];
    }
    return more > 2e-6f * own ? more : 0.0f;
}

/* The face to the next family along an axis, by the distance of the middles. */
GPU_FN float face_by_distance(const DEV(gpu_level) * f, spot s, int d, int upper,
                              const float faces[2], float excess)
{
    spot there = beside(f, s, d, upper);
    float cross = faces[upper], near = cross - faces[!upper], less = 0.0f, others[DIM][2];
    float far = cross - fine_face(f, upper ? beside(f, there, d, 1) : there, d);
    if (near > 0.0f && excess > 0.0f)
        less += near;
    if (far > 0.0f && excess_of(f, there, others) > 0.0f)
        less += far;
    return less > 0.0f ? 2.0f * cross * cross / (2.0f * cross - 0.5f * less) : cross;
}

/* Whether a coarse cell's children are deep, and so are all cells next to them. */
GPU_FN bool is_plain(const coarsen_args *a, int slot, const int c[3])
{
    bool plain = a->deep && a->deep[a->fine.tile_of[slot]];
    FOR_DIM(d)
        if (plain && (c[d] == 0 || c[d] == TILE / 2 - 1)) {
            int near = a->fine.near[2 * DIM * slot + 2 * d + (c[d] > 0)];
            plain = near && a->deep[a->fine.tile_of[near]];
        }
    return plain;
}

/* Where a coarse cell (c) of the part that a tile of the finer level makes lies. */
GPU_FN size_t coarse_place(int parent, const int c[3])
{
    int to = 0;
    FOR_DIM(axis)
        to += (c[axis] + (parent % FAMILY >> axis & 1) * (TILE / 2)) * block_step(axis);
    return (size_t)(parent / FAMILY) * TILE_CELLS + (size_t)to;
}

/* Cells of a tile of the finer level make one part of their coarse tile. The order of sums is that
 * of the CPU: rows first, then along x. */
MAP(coarsen_cells, coarsen_args)
{
    const int coarse_cells = TILE_CELLS / FAMILY;
    const float share = OVER_CORRECTION / (float)FAMILY;
    int slot = (int)(i / (size_t)coarse_cells) + 1, e = (int)(i % (size_t)coarse_cells);
    int c[3] = {e % (TILE / 2), e / (TILE / 2) % (TILE / 2), e / (TILE * TILE / 4)};
    int tile = a->fine.tile_of[slot], first[DIM];
    size_t to = coarse_place(a->fine.parent[slot], c);
    if (is_plain(a, slot, c)) { /* what the sums below would give */
        a->level.d[to] = 2 * DIM * a->level.even;
        FOR_DIM(axis)
            a->level.a[axis][to] = a->level.even;
        return;
    }
    float d[2] = {0.0f, 0.0f}, across[DIM][2];
    memset(across, 0, sizeof across);
    X(tile_cell)(&a->fine.grid, tile, first);
    for (int child = 0; child < FAMILY / 2; child++)
        for (int x = 0; x < 2; x++) {
            int upper[3] = {x, child & 1, child >> 1}, cell[DIM];
            FOR_DIM(axis)
                cell[axis] = first[axis] + 2 * c[axis] + upper[axis];
            if (!X(inside)(&a->fine.grid, cell))
                continue;
            spot own = {slot, ((2 * c[2] + upper[2]) * TILE + 2 * c[1] + upper[1]) * TILE +
                                  2 * c[0] + upper[0]};
            float faces[DIM][2], excess = excess_of(&a->fine, own, faces);
            float sum = 0.0f, sides = 0.0f, deep = 0.0f;
            FOR_DIM(axis) {
                float cross = faces[axis][upper[axis]], inner = faces[axis][!upper[axis]];
                sides += cross > 0.0f && inner > 0.0f ? 0.0f : 1.0f;
                deep += !(cross > 0.0f) && inner > 0.0f ? 1.0f : 0.0f;
                if (!a->fine.grid.periodic[axis])
                    cross = face_by_distance(&a->fine, own, axis, upper[axis], faces[axis], excess);
                /* outside there is no sibling: what leads there crosses a periodic side */
                if (upper[axis] || cell[axis] + 1 < a->fine.grid.n[axis])
                    inner = 0.0f;
                sum += cross + inner;
                if (!upper[axis])
                    across[axis][x] += cross;
            }
            if (excess > 0.0f) {
                float half = 0.5f * (deep + 1e-6f) / (sides + 1e-6f);
                sum += 2.0f * excess / (1.0f + half * (excess / a->fine.even));
            }
            d[x] += sum;
        }
    a->level.d[to] = share * (d[0] + d[1]);
    a->level.a[0][to] = share * across[0][0];
    for (int axis = 1; axis < DIM; axis++)
        a->level.a[axis][to] = share * (across[axis][0] + across[axis][1]);
}

typedef struct kind_shared {
    uint32_t kind[PAIRS];
} kind_shared;

/* As kind_of in cpu/pressure/multigrid.c; but faces towards no unknown are of no account. */
BLOCKS(find_kinds, coarsen_args, kind_shared, PAIRS)
{
    const DEV(gpu_level) *l = &a->level;
    const X(grid) *g = &l->grid;
    int slot = (int)block + 1, tile[DIM];
    bool seam = false;
    X(tile_coordinates)(g, l->tile_of[slot], tile);
    FOR_DIM(d)
        seam = seam || (g->periodic[d] && (tile[d] == 1 || tile[d] >= g->tiles[d] - 2));
    FOR_THREADS(t, PAIRS) {
        bool uneven = seam, ragged = false;
        for (int e = 0; e < 2; e++) {
            spot own = {slot, t + e * PAIRS};
            size_t c = place_of(own);
            ragged = ragged || l->d[c] != 2 * DIM * l->even;
            FOR_DIM(d) {
                size_t low = place_of(beside(l, own, d, 0)), high = place_of(beside(l, own, d, 1));
                bool odd_low = l->a[d][c] != l->even && l->d[low] > 0.0f;
                bool odd_high = l->a[d][high] != l->even && l->d[high] > 0.0f;
                uneven = uneven || (l->d[c] > 0.0f && (odd_low || odd_high));
            }
        }
        shared->kind[t] = uneven ? GENERAL : ragged ? PLAIN : UNIFORM;
    }
    find_largest(shared->kind, PAIRS);
    FOR_THREADS(t, 1)
        l->kind[slot] = (uint8_t)shared->kind[0];
}

void DEV(gpu_multigrid_build)(X(gpu) *g)
{
    DEV(gpu_solver) *solver = DEV(gpu_solver_of)(g);
    for (int k = 1; k < solver->level_count; k++) {
        coarsen_args args;
        memset(&args, 0, sizeof args);
        args.level = solver->levels[k];
        args.fine = solver->levels[k - 1];
        args.deep = k == 1 ? solver->deep : NULL;
        coarsen_cells(g, args, (size_t)args.fine.tile_count * (TILE_CELLS / FAMILY));
        FOR_DIM(d)
            DEV(gpu_wrap)(g, &solver->levels[k], solver->levels[k].a[d]);
        find_kinds(g, args, (size_t)args.level.tile_count);
    }
}
