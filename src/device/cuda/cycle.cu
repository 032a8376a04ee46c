/* cycle.cu -- the multigrid's coarse levels and its V-cycle on the device. The recipe is that of
 * sim/pressure/multigrid.c and cycle.c, with fewer ways through memory:
 *
 * - A tile is smoothed in shared memory, the cells around it frozen; even tiles first, then odd
 *   ones, which do two sweeps in a row, and so on, and in reverse on the way up.
 * - Tiles of the last turn on the way down see the final values around them: they leave their part
 *   of the coarser right side in the same kernel. The others do it in one more.
 * - The coarser correction is added while a tile is fetched.
 * - The coarsest level is small: one block holds it in shared memory and does all sweeps there.
 *
 * The order of sweeps is that of the CPU: the density projection is a single cycle, and one in
 * another order would move the particles elsewhere. In a solve the coarsest level has fewer sweeps,
 * over all of it and not tile by tile (`quick`).
 *
 * Across a periodic side a tile may meet its own parity. There the images (lists.cu) are refreshed
 * before each half, and fetching, smoothing and restriction are done one after the other. */
#include "device/cuda/rows.h"

/* ---- coefficients of a coarser level */

typedef struct coarsen_args {
    X(gpu_level) level, fine;
} coarsen_args;

/* Off-diagonal d, low, of a cell of the finer level, and its diagonal. */
GPU_FN float fine_face(const X(gpu_level) *f, int slot, int at, int d)
{
    size_t c = (size_t)slot * TILE_CELLS + (size_t)at;
    if (f->a[d])
        return f->a[d][c];
    int step = block_step(d), across = at / step % TILE;
    size_t low = across > 0 ? c - (size_t)step
                            : (size_t)f->near[2 * DIM * slot + 2 * d] * TILE_CELLS +
                                  (size_t)(at + (TILE - 1) * step);
    return f->d[c] > 0.0f && f->d[low] > 0.0f ? f->even : 0.0f;
}

/* Cells of a tile of the finer level make one part of their coarse tile. The order of sums is that
 * of the CPU: rows first, then along x. */
MAP(coarsen_cells, coarsen_args)
{
    const int coarse_cells = TILE_CELLS / FAMILY;
    const float share = 0.5f / (float)FAMILY; /* 1/2: the over-correction */
    int slot = (int)(i / (size_t)coarse_cells) + 1, e = (int)(i % (size_t)coarse_cells);
    int c[3] = {e % (TILE / 2), e / (TILE / 2) % (TILE / 2), e / (TILE * TILE / 4)};
    int parent = a->fine.parent[slot], part = parent % FAMILY, first[DIM];
    float d[2] = {0.0f, 0.0f}, across[DIM][2], within[DIM][2];
    memset(across, 0, sizeof across);
    memset(within, 0, sizeof within);
    X(tile_cell)(&a->fine.grid, a->fine.tile_of[slot], first);
    for (int child = 0; child < FAMILY / 2; child++)
        for (int x = 0; x < 2; x++) {
            int upper[3] = {0, child & 1, child >> 1}, cell[DIM];
            int at = ((2 * c[2] + upper[2]) * TILE + 2 * c[1] + upper[1]) * TILE + 2 * c[0] + x;
            cell[0] = first[0] + 2 * c[0] + x;
            cell[1] = first[1] + 2 * c[1] + upper[1];
            if (DIM == 3)
                cell[DIM - 1] = first[DIM - 1] + 2 * c[2] + upper[2];
            if (!X(inside)(&a->fine.grid, cell))
                continue;
            d[x] += a->fine.d[(size_t)slot * TILE_CELLS + (size_t)at];
            FOR_DIM(axis) {
                float face = fine_face(&a->fine, slot, at, axis);
                if (upper[axis])
                    within[axis][x] += face;
                else
                    across[axis][x] += face;
            }
        }
    int to = 0;
    FOR_DIM(axis)
        to += (c[axis] + (part >> axis & 1) * (TILE / 2)) * block_step(axis);
    size_t at = (size_t)(parent / FAMILY) * TILE_CELLS + (size_t)to;
    for (int axis = 1; axis < DIM; axis++)
        for (int x = 0; x < 2; x++)
            d[x] -= 2.0f * within[axis][x];
    float diagonal = share * (d[0] + d[1] - 2.0f * across[0][1]);
    a->level.a[0][at] = share * across[0][0];
    for (int axis = 1; axis < DIM; axis++)
        a->level.a[axis][at] = share * (across[axis][0] + across[axis][1]);
    /* rounding may leave a trace of a component that fits into one cell and touches no air */
    a->level.d[at] = diagonal > 1e-6f * share ? diagonal : 0.0f;
}

typedef struct kind_shared {
    uint32_t kind[PAIRS];
} kind_shared;

/* A neighbour across an axis, in its block or in the next one. */
GPU_FN size_t next_place(const X(gpu_level) *l, int slot, int at, int d, int side)
{
    int step = block_step(d), across = at / step % TILE;
    size_t own = (size_t)slot * TILE_CELLS;
    if (side ? across < TILE - 1 : across > 0)
        return own + (size_t)(side ? at + step : at - step);
    size_t other = (size_t)l->near[2 * DIM * slot + 2 * d + side] * TILE_CELLS;
    return other + (size_t)(side ? at - (TILE - 1) * step : at + (TILE - 1) * step);
}

/* As kind_of in sim/pressure/multigrid.c; but faces towards no unknown are of no account. */
BLOCKS(find_kinds, coarsen_args, kind_shared, PAIRS)
{
    const X(gpu_level) *l = &a->level;
    const X(grid) *g = &l->grid;
    int slot = (int)block + 1, tile[DIM];
    bool seam = false;
    X(tile_coordinates)(g, l->tile_of[slot], tile);
    FOR_DIM(d)
        seam = seam || (g->periodic[d] && (tile[d] == 1 || tile[d] >= g->tiles[d] - 2));
    FOR_THREADS(t, PAIRS) {
        bool uneven = seam, ragged = false;
        for (int e = 0; e < 2; e++) {
            int at = t + e * PAIRS;
            size_t c = (size_t)slot * TILE_CELLS + (size_t)at;
            ragged = ragged || l->d[c] != 2 * DIM * l->even;
            FOR_DIM(d) {
                size_t low = next_place(l, slot, at, d, 0), high = next_place(l, slot, at, d, 1);
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

void X(gpu_multigrid_build)(X(gpu) *g)
{
    X(gpu_solver) *y = X(gpu_solver_of)(g);
    for (int k = 1; k < y->level_count; k++) {
        coarsen_args args;
        memset(&args, 0, sizeof args);
        args.level = y->levels[k];
        args.fine = y->levels[k - 1];
        coarsen_cells(g, args, (size_t)args.fine.tile_count * (TILE_CELLS / FAMILY));
        FOR_DIM(d)
            X(gpu_wrap)(g, &y->levels[k], y->levels[k].a[d]);
        find_kinds(g, args, (size_t)args.level.tile_count);
    }
}

/* ---- work on tiles */

typedef struct tile_args {
    X(gpu_level) level;
    int first, count;    /* the blocks to be done */
    const float *coarse; /* x of the coarser level, to be added to the own cells; or NULL */
    bool coarse_around;  /* and to those around */
    float *restricted;   /* right side of the coarser level, to be made; or NULL */
    double *partials;    /* of b . x, to be made; or NULL */
    int sweeps;
    bool reverse;
    bool fresh, alone; /* x is zero so far; and so are the tiles around */
    const X(gpu_state) *state;
} tile_args;

typedef struct tiles_shared {
    rows x[GROUP];
    union {
        float pair[GROUP_ROWS][HALF]; /* residuals, summed over two cells along x */
        double sum[GROUP_ROWS];
    } u;
} tiles_shared;

/* What a thread keeps. */
typedef struct own {
    row x, b;
    float end[2];   /* x before and behind the row */
    int slot, kind; /* slot: 0, nothing to be done */
    row inverse;    /* of small levels */
    faces_row face;
} own;

/* Where row `number` of a block with that parent finds its HALF values of the coarser level. */
GPU_FN size_t coarse_row(int parent, int number)
{
    int part = parent % FAMILY;
    int j = number % TILE / 2 + (part >> 1 & 1) * HALF;
    int k = DIM == 3 ? number / TILE / 2 + (part >> 2) * HALF : 0;
    return (size_t)(parent / FAMILY) * TILE_CELLS +
           (size_t)((k * TILE + j) * TILE + (part & 1) * HALF);
}

GPU_FN void add_coarse(const tile_args *a, own *o, const row_place *p)
{
    row d = diagonal_of(&a->level, o->slot, o->kind, p);
    float coarse[HALF];
    load_floats(a->coarse + coarse_row(a->level.parent[o->slot], p->number), coarse, HALF);
    SP_UNROLL_ALL
    for (int n = 0; n < HALF; n++)
        for (int c = 0; c < 2; c++)
            o->x.v[c][n] += d.v[c][n] > 0.0f ? coarse[n] : 0.0f;
}

/* What a thread fetches from around its tile: the values at the ends of its row, and a piece. */
typedef struct surroundings {
    int slot[3], at[3]; /* blocks, and places in them */
    float end[2], piece[PIECE];
} surroundings;

/* Adds the coarser correction to n values around the tile, where there are unknowns. */
GPU_FN void correct_around(const tile_args *a, int slot, int at, float *x, const float *coarse,
                           int n)
{
    const X(gpu_level) *l = &a->level;
    bool full = l->kind[slot] == UNIFORM;
    SP_UNROLL_ALL
    for (int e = 0; e < n; e++)
        if (full || l->d[(size_t)slot * TILE_CELLS + (size_t)(at + e)] > 0.0f)
            x[e] += coarse[e / 2];
}

/* All loads that need no other come first: they take long. */
GPU_FN void look_around(const tile_args *a, int slot, const row_place *p, const piece *q,
                        surroundings *o)
{
    const X(gpu_level) *l = &a->level;
    const int faces[3] = {0, 1, q->face};
    SP_UNROLL_ALL
    for (int k = 0; k < 3; k++)
        o->slot[k] = l->near[2 * DIM * slot + faces[k]];
    o->at[0] = p->number * TILE + TILE - 1;
    o->at[1] = p->number * TILE;
    o->at[2] = q->from;
    o->end[0] = l->x[(size_t)o->slot[0] * TILE_CELLS + (size_t)o->at[0]];
    o->end[1] = l->x[(size_t)o->slot[1] * TILE_CELLS + (size_t)o->at[1]];
    load_floats(l->x + (size_t)o->slot[2] * TILE_CELLS + (size_t)o->at[2], o->piece, PIECE);
    if (!a->coarse_around)
        return;
    const float *from[3];
    float coarse[2], pieces[PIECE / 2];
    SP_UNROLL_ALL
    for (int k = 0; k < 3; k++) { /* block 0 has no parent; that of the coarser level is 0 too */
        int parent = o->slot[k] > 0 ? l->parent[o->slot[k]] : 0;
        from[k] = a->coarse + coarse_row(parent, o->at[k] / TILE) + o->at[k] % TILE / 2;
    }
    coarse[0] = *from[0];
    coarse[1] = *from[1];
    load_floats(from[2], pieces, PIECE / 2);
    correct_around(a, o->slot[0], o->at[0], &o->end[0], &coarse[0], 1);
    correct_around(a, o->slot[1], o->at[1], &o->end[1], &coarse[1], 1);
    correct_around(a, o->slot[2], o->at[2], o->piece, pieces, PIECE);
}

/* The thread's row, and its piece of what lies around the tile. */
GPU_FN void take_rows(const tile_args *a, tiles_shared *shared, size_t block, int t, own *o,
                      const bool faces)
{
    const X(gpu_level) *l = &a->level;
    int group = t / TILE_ROWS, number = (int)block * GROUP + group;
    o->slot = number < a->count ? a->first + number : 0;
    o->kind = UNIFORM;
    o->x = row_of(0.0f);
    if (o->slot == 0)
        return;
    row_place p = row_place_of(t % TILE_ROWS);
    piece q = piece_of(t % TILE_ROWS);
    size_t own = (size_t)o->slot * TILE_CELLS + (size_t)(p.number * TILE);
    surroundings near;
    memset(&near, 0, sizeof near);
    o->kind = l->kind[o->slot];
    o->b = load_row(l->b + own, p.odd);
    if (!a->fresh)
        o->x = load_row(l->x + own, p.odd);
    if (!a->alone)
        look_around(a, o->slot, &p, &q, &near);
    o->end[0] = near.end[0];
    o->end[1] = near.end[1];
    if (faces) {
        o->inverse = inverse_of(l, o->slot, o->kind, &p);
        o->face = load_faces(l, o->slot, o->kind, &p);
    }
    if (a->coarse)
        add_coarse(a, o, &p);
    put_row(&shared->x[group], &p, &o->x);
    put_piece(&shared->x[group], &q, near.piece);
}

/* In a general tile: leaves places without an unknown, images among them, as they are. */
GPU_FN void relax_general(const X(gpu_level) *l, rows *s, const row_place *p, const own *o,
                          int colour)
{
    KEEP_LOOP
    for (int n = 0; n < HALF; n++) {
        size_t c = (size_t)o->slot * TILE_CELLS + (size_t)place_in_row(p, colour, n);
        float d = l->d[c], *x = &s->v[colour][p->at][n];
        if (d > 0.0f)
            *x += (l->b[c] + sum_faces(l, o->slot, s, p, o->end, colour, n) - d * *x) / d;
    }
}

/* Half a sweep: the cells of a colour. */
GPU_FN void relax(const tile_args *a, tiles_shared *shared, int t, own *o, int colour,
                  const bool faces)
{
    if (o->slot == 0)
        return;
    rows *s = &shared->x[t / TILE_ROWS];
    row_place p = row_place_of(t % TILE_ROWS);
    if (o->kind == GENERAL && !faces) {
        relax_general(&a->level, s, &p, o, colour);
        load_floats(s->v[colour][p.at], o->x.v[colour], HALF);
        return;
    }
    float sum[HALF];
    row inverse = faces ? o->inverse : inverse_of(&a->level, o->slot, o->kind, &p);
    if (faces)
        sum_near_faces(s, &p, &o->x, o->end, colour, &o->face, sum);
    else
        sum_near(s, &p, &o->x, o->end, colour, sum);
    SP_UNROLL_ALL
    for (int n = 0; n < HALF; n++) {
        float all = o->b.v[colour][n] + (faces ? sum[n] : a->level.even * sum[n]);
        bool image = faces && !(inverse.v[colour][n] > 0.0f); /* or no unknown */
        o->x.v[colour][n] = image ? o->x.v[colour][n] : all * inverse.v[colour][n];
    }
    put_half(s, &p, &o->x, colour);
}

GPU_FN void sweep(const tile_args *a, tiles_shared *shared, int t, own *o, bool black,
                  const bool faces)
{
    if (black)
        relax(a, shared, t, o, 1, faces);
    else
        relax(a, shared, t, o, 0, faces);
}

/* b - A x, 0 where there is no unknown, added to the sums of pairs. */
GPU_FN void add_rest(const tile_args *a, const rows *s, const row_place *p, const own *o,
                     int colour, float pair[HALF], const bool faces)
{
    row d = diagonal_of(&a->level, o->slot, o->kind, p);
    float sum[HALF];
    if (faces)
        sum_near_faces(s, p, &o->x, o->end, colour, &o->face, sum);
    else
        sum_near(s, p, &o->x, o->end, colour, sum);
    SP_UNROLL_ALL
    for (int n = 0; n < HALF; n++) {
        float all = faces ? sum[n] : a->level.even * sum[n];
        float change = all - d.v[colour][n] * o->x.v[colour][n];
        pair[n] += d.v[colour][n] > 0.0f ? o->b.v[colour][n] + change : 0.0f;
    }
}

GPU_FN void add_rest_general(const X(gpu_level) *l, const rows *s, const row_place *p, const own *o,
                             int colour, float pair[HALF])
{
    KEEP_LOOP
    for (int n = 0; n < HALF; n++) {
        size_t c = (size_t)o->slot * TILE_CELLS + (size_t)place_in_row(p, colour, n);
        float d = l->d[c], x = s->v[colour][p->at][n];
        if (d > 0.0f)
            pair[n] += l->b[c] + (sum_faces(l, o->slot, s, p, o->end, colour, n) - d * x);
    }
}

/* The thread's residuals, of which those of black cells are zero after a sweep. */
GPU_FN void find_rest(const tile_args *a, tiles_shared *shared, int t, const own *o,
                      const bool faces)
{
    const rows *s = &shared->x[t / TILE_ROWS];
    row_place p = row_place_of(t % TILE_ROWS);
    float *pair = shared->u.pair[t], rest[HALF];
    bool general = o->kind == GENERAL && !faces;
    SP_UNROLL_ALL
    for (int n = 0; n < HALF; n++)
        rest[n] = 0.0f;
    if (!general) {
        add_rest(a, s, &p, o, 0, rest, faces);
        if (a->sweeps == 0)
            add_rest(a, s, &p, o, 1, rest, faces);
    }
    store_floats(pair, rest, HALF);
    if (general) {
        add_rest_general(&a->level, s, &p, o, 0, pair);
        if (a->sweeps == 0)
            add_rest_general(&a->level, s, &p, o, 1, pair);
    }
}

/* The mean of 2^DIM cells, from the sums of pairs, into the coarser right side: row e of the part
 * that the tile makes. */
GPU_FN void restrict_row(const tile_args *a, const float (*pair)[HALF], int slot, int e)
{
    int j = 2 * (e % HALF), k = DIM == 3 ? 2 * (e / HALF) : 0;
    float mean[HALF];
    SP_UNROLL_ALL
    for (int n = 0; n < HALF; n++)
        mean[n] = 0.0f;
    for (int z = 0; z < LAST(2); z++)
        for (int y = 0; y < 2; y++) {
            float one[HALF];
            load_floats(pair[(k + z) * TILE + j + y], one, HALF);
            SP_UNROLL_ALL
            for (int n = 0; n < HALF; n++)
                mean[n] += one[n];
        }
    SP_UNROLL_ALL
    for (int n = 0; n < HALF; n++)
        mean[n] *= 1.0f / (float)FAMILY;
    store_floats(a->restricted + coarse_row(a->level.parent[slot], k * TILE + j), mean, HALF);
}

GPU_FN void restrict_tiles(const tile_args *a, tiles_shared *shared, size_t block)
{
    BARRIER();
    FOR_THREADS(e, GROUP_ROWS / (FAMILY / 2)) {
        int rows_of_tile = TILE_ROWS / (FAMILY / 2), group = e / rows_of_tile;
        int number = (int)block * GROUP + group;
        if (number < a->count)
            restrict_row(a, shared->u.pair + group * TILE_ROWS, a->first + number,
                         e % rows_of_tile);
    }
}

GPU_FN void add_partials(const tile_args *a, tiles_shared *shared, size_t block)
{
    sum_groups(shared->u.sum);
    FOR_THREADS(group, GROUP) {
        int number = (int)block * GROUP + group;
        if (number < a->count)
            a->partials[a->first + number - 1] = shared->u.sum[group * TILE_ROWS];
    }
}

/* faces: a thread keeps all off-diagonals of its row. */
GPU_FN void work(const tile_args *a, size_t block, tiles_shared *shared, const bool faces)
{
    bool done = a->state->done; /* known when it is needed, after other loads */
    KEEP(own, mine, GROUP_ROWS);
    ONE_EACH(t, GROUP_ROWS)
        take_rows(a, shared, block, t, &KEPT(mine, t), faces);
    BARRIER();
    if (done)
        return;
    for (int half = 0; half < 2 * a->sweeps; half++) {
        bool black = (half % 2 != 0) != a->reverse;
        ONE_EACH(t, GROUP_ROWS)
            sweep(a, shared, t, &KEPT(mine, t), black, faces);
        BARRIER();
    }
    ONE_EACH(t, GROUP_ROWS) {
        own *o = &KEPT(mine, t);
        row_place p = row_place_of(t % TILE_ROWS);
        if (o->slot > 0 && (a->sweeps > 0 || a->coarse))
            store_row(a->level.x + (size_t)o->slot * TILE_CELLS + (size_t)(p.number * TILE), &o->x,
                      p.odd);
        if (a->restricted && o->slot > 0)
            find_rest(a, shared, t, o, faces);
        if (a->partials)
            shared->u.sum[t] = o->slot > 0 ? row_product(&o->b, &o->x) : 0.0;
    }
    if (a->restricted)
        restrict_tiles(a, shared, block);
    if (a->partials)
        add_partials(a, shared, block);
}

BLOCKS_AT_ONCE(work_on_tiles, tile_args, tiles_shared, GROUP_ROWS, AT_ONCE)
{
    work(a, block, shared, false);
}

/* Small levels, where the time is that of one tile after the other and general tiles are many. */
BLOCKS_AT_ONCE(work_on_few_tiles, tile_args, tiles_shared, GROUP_ROWS, AT_ONCE / 2)
{
    work(a, block, shared, true);
}

#define FEW_TILES 4096

static void work_on(X(gpu) *g, tile_args args)
{
    if (args.level.a[0] && args.level.tile_count <= FEW_TILES)
        work_on_few_tiles(g, args, groups_of(args.count));
    else
        work_on_tiles(g, args, groups_of(args.count));
}

/* ---- the coarsest level */

#define COARSEST (DIM == 2 ? 300 : 2000) /* cells, at most: sim/pressure/multigrid.c */
#define COARSE_PASSES 20                 /* each way; of `sweeps` sweeps: sim/pressure/cycle.c */
#define COARSE_THREADS 1024

typedef struct coarsest_args {
    X(gpu_level) level;
    double *partials;
    int partial_count;
    int sweeps;
    int along; /* quick: the axis of pairs */
    const X(gpu_state) *state;
} coarsest_args;

/* At most 64 KB, which every GPU has. */
typedef struct coarsest_shared {
    float x[COARSEST], b[COARSEST], inverse[COARSEST];
    float before[COARSEST]; /* x, for what lies across a periodic side: that may be of the same
                               colour */
    union {
        float a[COARSEST][DIM];
        double sum[COARSE_THREADS]; /* in the end */
    } u;
    uint16_t turn[COARSEST]; /* colour, and twice the parity of the tile; NO_TURN: no unknown */
} coarsest_shared;
#define NO_TURN 4
#define FIRST(d) (8 << 2 * (d)) /* bits of `turn`: the first cell along an axis, the last one */
#define FINAL(d) (16 << 2 * (d))

/* Where cell n of the level lies in its blocks; its coordinates. */
GPU_FN size_t coarsest_place(const X(gpu_level) *l, int n, int cell[3])
{
    const X(grid) *g = &l->grid;
    int t[DIM], at = 0;
    cell[0] = n % g->n[0];
    cell[1] = n / g->n[0] % g->n[1];
    cell[2] = n / (g->n[0] * g->n[1]);
    FOR_DIM(d) {
        t[d] = cell[d] / TILE + 1;
        at += cell[d] % TILE * block_step(d);
    }
    return (size_t)l->slot[X(tile_number)(g, t)] * TILE_CELLS + (size_t)at;
}

GPU_FN void take_coarsest(const X(gpu_level) *l, coarsest_shared *shared, int n)
{
    const X(grid) *g = &l->grid;
    int cell[3], colour = 0, parity = 0, edges = 0;
    size_t c = coarsest_place(l, n, cell);
    shared->x[n] = shared->before[n] = 0.0f;
    shared->b[n] = l->b[c];
    shared->inverse[n] = l->d[c] > 0.0f ? 1.0f / l->d[c] : 0.0f;
    FOR_DIM(d) {
        bool wall = cell[d] == 0 && !g->periodic[d];
        shared->u.a[n][d] = wall ? 0.0f : l->a[d] ? l->a[d][c] : l->even;
        edges |= cell[d] == 0 ? FIRST(d) : 0;
        edges |= cell[d] == g->n[d] - 1 ? FINAL(d) : 0;
        colour ^= cell[d] & 1;
        parity ^= (cell[d] / TILE + 1) & 1;
    }
    shared->turn[n] = (uint16_t)(edges | (l->d[c] > 0.0f ? colour + 2 * parity : NO_TURN));
}

GPU_FN void relax_coarsest(coarsest_shared *shared, const X(grid) *g, int n)
{
    float sum = shared->b[n];
    int step = 1, edges = shared->turn[n];
    FOR_DIM(d) {
        int round = g->periodic[d] ? (g->n[d] - 1) * step : 0;
        sum += shared->u.a[n][d] *
               (edges & FIRST(d) ? shared->before[n + round] : shared->x[n - step]);
        if (!(edges & FINAL(d)))
            sum += shared->u.a[n + step][d] * shared->x[n + step];
        else if (g->periodic[d])
            sum += shared->u.a[n - round][d] * shared->before[n - round];
        step *= g->n[d];
    }
    shared->x[n] = sum * shared->inverse[n];
}

BLOCKS(solve_coarsest, coarsest_args, coarsest_shared, COARSE_THREADS)
{
    const X(gpu_level) *l = &a->level;
    int count = l->grid.n[0] * l->grid.n[1] * LAST(l->grid.n[2]);
    int pass = 4 * a->sweeps, half = pass * COARSE_PASSES; /* colours, of even and odd tiles */
    bool periodic = false;
    (void)block;
    if (a->state->done)
        return;
    FOR_DIM(d)
        periodic = periodic || l->grid.periodic[d];
    FOR_THREADS(n, count)
        take_coarsest(l, shared, n);
    BARRIER();
    for (int k = 0; k < 2 * half; k++) {
        int sweep = k % pass / 2, turn = (sweep + 1) / 2; /* as plan_of has them */
        int phase = turn % 2 * 2 + (k % 2 != (k >= half));
        bool begins = k % 2 == 0 && (sweep == 0 || sweep % 2 == 1);
        if (periodic && begins) {
            FOR_THREADS(n, count)
                shared->before[n] = shared->x[n];
            BARRIER();
        }
        FOR_THREADS(n, count) {
            if ((shared->turn[n] & 7) == phase)
                relax_coarsest(shared, &l->grid, n);
        }
        BARRIER();
    }
    FOR_THREADS(t, COARSE_THREADS) {
        double sum = 0;
        for (int n = t; n < count; n += COARSE_THREADS) {
            int cell[3];
            size_t c = coarsest_place(l, n, cell);
            if (c >= TILE_CELLS)
                l->x[c] = shared->x[n];
            sum += (double)shared->b[n] * (double)shared->x[n];
        }
        shared->u.sum[t] = sum;
    }
    find_sum(shared->u.sum, COARSE_THREADS);
    FOR_THREADS(t, a->partial_count)
        a->partials[t] = t == 0 ? shared->u.sum[0] : 0.0;
}

/* ---- the coarsest level, in a solve
 *
 * There any symmetric approximation of the inverse will do. A symmetric sweep, red, black and red
 * cells, has an iteration matrix with eigenvalues from 0 to nearly 1; Chebyshev's semi-iteration
 * makes the best of STEPS such sweeps for those up to 1 - LEAST, and damps the others too, so that
 * the operator stays positive definite. A thread holds the coefficients of a red cell and of the
 * black one beside it. */

#define STEPS 16
#define LEAST 0.01f
#define MARGIN COARSEST /* so that neighbours that are not there, times 0, can be read */
#define FEW_THREADS 256

typedef struct quick_shared {
    float x[COARSEST + 2 * MARGIN];
} quick_shared;

typedef struct quick_cell {
    float a[2 * DIM], b, inverse, before; /* before: x two steps ago */
    int at;                               /* in quick_shared; 0: there is none */
} quick_cell;

typedef struct quick_pair {
    quick_cell cell[2]; /* red, black */
} quick_pair;

SP_KERNEL int pair_count(const X(grid) *g, int along)
{
    return g->n[0] * g->n[1] * LAST(g->n[2]) / g->n[along] * ((g->n[along] + 1) / 2);
}

GPU_FN void take_cell(const X(gpu_level) *l, const int cell[3], quick_cell *q)
{
    const X(grid) *g = &l->grid;
    int n = (DIM == 3 ? cell[2] * g->n[1] * g->n[0] : 0) + cell[1] * g->n[0] + cell[0], same[3];
    size_t c = coarsest_place(l, n, same);
    q->at = MARGIN + n;
    q->b = l->b[c];
    q->before = 0.0f;
    q->inverse = l->d[c] > 0.0f ? 1.0f / l->d[c] : 0.0f;
    FOR_DIM(d) {
        int step = d == 0 ? 1 : d == 1 ? g->n[0] : g->n[0] * g->n[1];
        bool last = cell[d] == g->n[d] - 1;
        q->a[2 * d] = cell[d] == 0 ? 0.0f : l->a[d][c];
        q->a[2 * d + 1] = last ? 0.0f : l->a[d][coarsest_place(l, n + step, same)];
    }
}

GPU_FN void take_pair(const coarsest_args *a, int t, quick_pair *q)
{
    const X(grid) *g = &a->level.grid;
    memset(q, 0, sizeof *q);
    if (t >= pair_count(g, a->along))
        return;
    int cell[3] = {0, 0, 0}, colour = 0;
    FOR_DIM(d) {
        int n = d == a->along ? (g->n[d] + 1) / 2 : g->n[d];
        cell[d] = (d == a->along ? 2 : 1) * (t % n);
        colour ^= cell[d] & 1;
        t /= n;
    }
    quick_cell one, two;
    memset(&two, 0, sizeof two);
    take_cell(&a->level, cell, &one);
    FOR_DIM(d)
        cell[d] += d == a->along;
    if (X(inside)(g, cell))
        take_cell(&a->level, cell, &two);
    q->cell[0] = colour ? two : one;
    q->cell[1] = colour ? one : two;
}

GPU_FN void relax_cell(quick_shared *shared, const X(grid) *g, const quick_cell *q)
{
    float sum = q->b;
    if (q->at == 0)
        return;
    FOR_DIM(d) {
        int step = d == 0 ? 1 : d == 1 ? g->n[0] : g->n[0] * g->n[1];
        sum += q->a[2 * d] * shared->x[q->at - step] + q->a[2 * d + 1] * shared->x[q->at + step];
    }
    shared->x[q->at] = sum * q->inverse;
}

/* x of the next step, from that of the last two and a sweep. */
GPU_FN void extrapolate(quick_shared *shared, quick_cell *q, float now, float rho)
{
    const float gamma = 2.0f / (1.0f + LEAST);
    if (q->at == 0)
        return;
    float swept = shared->x[q->at];
    shared->x[q->at] = rho * (gamma * (swept - now) + now - q->before) + q->before;
    q->before = now;
}

typedef struct two_values {
    float v[2];
} two_values;

GPU_FN void solve_quickly(const coarsest_args *a, quick_shared *shared, const int threads)
{
    const X(grid) *g = &a->level.grid;
    const float sigma = (1.0f - LEAST) / (1.0f + LEAST);
    float rho = 1.0f;
    if (a->state->done)
        return;
    KEEP(quick_pair, mine, COARSE_THREADS);
    KEEP(two_values, now, COARSE_THREADS);
    FOR_THREADS(n, COARSEST + 2 * MARGIN)
        shared->x[n] = 0.0f;
    ONE_EACH(t, threads)
        take_pair(a, t, &KEPT(mine, t));
    BARRIER();
    for (int k = 0; k < STEPS; k++) {
        ONE_EACH(t, threads) {
            KEPT(now, t).v[0] = shared->x[KEPT(mine, t).cell[0].at];
            KEPT(now, t).v[1] = shared->x[KEPT(mine, t).cell[1].at];
            relax_cell(shared, g, &KEPT(mine, t).cell[0]);
        }
        BARRIER();
        ONE_EACH(t, threads)
            relax_cell(shared, g, &KEPT(mine, t).cell[1]);
        BARRIER();
        ONE_EACH(t, threads)
            relax_cell(shared, g, &KEPT(mine, t).cell[0]);
        BARRIER();
        ONE_EACH(t, threads) {
            extrapolate(shared, &KEPT(mine, t).cell[0], KEPT(now, t).v[0], rho);
            extrapolate(shared, &KEPT(mine, t).cell[1], KEPT(now, t).v[1], rho);
        }
        BARRIER();
        rho = 1.0f / (1.0f - sigma * sigma * (k == 0 ? 0.5f : 0.25f * rho));
    }
    FOR_THREADS(n, g->n[0] * g->n[1] * LAST(g->n[2])) {
        int cell[3];
        size_t c = coarsest_place(&a->level, n, cell);
        if (c >= TILE_CELLS)
            a->level.x[c] = shared->x[MARGIN + n];
    }
}

BLOCKS(solve_coarsest_quickly, coarsest_args, quick_shared, COARSE_THREADS)
{
    (void)block;
    solve_quickly(a, shared, COARSE_THREADS);
}

BLOCKS(solve_coarsest_by_few, coarsest_args, quick_shared, FEW_THREADS)
{
    (void)block;
    solve_quickly(a, shared, FEW_THREADS);
}

static void solve_last_level(X(gpu) *g, int sweeps, bool quick)
{
    X(gpu_solver) *y = X(gpu_solver_of)(g);
    int last = y->level_count - 1;
    coarsest_args args;
    memset(&args, 0, sizeof args);
    args.level = y->levels[last];
    args.state = y->state;
    args.partials = g->partials;
    args.partial_count = last == 0 ? args.level.tile_count : 0;
    args.sweeps = sweeps;
    FOR_DIM(d)
        args.along = args.level.grid.n[d] > args.level.grid.n[args.along] ? d : args.along;
    int pairs = pair_count(&args.level.grid, args.along);
    if (!quick || y->periodic || last == 0 || pairs > COARSE_THREADS)
        solve_coarsest(g, args, 1); /* across a side may be the same colour */
    else if (pairs > FEW_THREADS)
        solve_coarsest_quickly(g, args, 1);
    else
        solve_coarsest_by_few(g, args, 1);
}

/* ---- the cycle */

/* One after the other: tiles of a parity, each with so many sweeps while it is at hand. On the way
 * up everything is done in reverse. */
#define MOST_TURNS 16
typedef struct turn {
    bool odd;
    int sweeps;
} turn;

typedef struct plan {
    turn turns[MOST_TURNS];
    int count;
} plan;

/* As on the CPU: even tiles one sweep, odd ones two, even ones two, ..., in the end one. */
static plan plan_of(int sweeps)
{
    plan p;
    memset(&p, 0, sizeof p);
    p.count = sweeps + 1 < MOST_TURNS ? sweeps + 1 : MOST_TURNS;
    for (int n = 0; n < p.count; n++) {
        p.turns[n].odd = n % 2;
        p.turns[n].sweeps = n == 0 || n == p.count - 1 ? 1 : 2;
    }
    return p;
}

static tile_args work_of(X(gpu) *g, int k)
{
    X(gpu_solver) *y = X(gpu_solver_of)(g);
    tile_args args;
    memset(&args, 0, sizeof args);
    args.level = y->levels[k];
    args.first = 1;
    args.count = args.level.tile_count;
    args.state = y->state;
    return args;
}

/* Even tiles, or odd ones. */
static void run_half(X(gpu) *g, tile_args args, bool odd)
{
    int first = odd ? args.level.even_count : 0;
    int end = odd ? args.level.tile_count : args.level.even_count;
    args.first = 1 + first;
    args.count = end - first;
    work_on(g, args);
}

static void go_down(X(gpu) *g, int k, const plan *p)
{
    float *restricted = X(gpu_solver_of)(g)->levels[k + 1].b;
    bool odd = false;
    for (int n = 0; n < p->count; n++) {
        tile_args args = work_of(g, k);
        odd = p->turns[n].odd;
        args.sweeps = p->turns[n].sweeps;
        args.fresh = n < 2;
        args.alone = n == 0;
        args.restricted = n == p->count - 1 ? restricted : NULL;
        run_half(g, args, odd);
    }
    tile_args args = work_of(g, k);
    args.restricted = restricted;
    run_half(g, args, !odd);
}

static void go_up(X(gpu) *g, int k, const plan *p)
{
    for (int n = p->count - 1; n >= 0; n--) {
        tile_args args = work_of(g, k);
        args.sweeps = p->turns[n].sweeps;
        args.reverse = true;
        args.partials = k == 0 && n < 2 ? g->partials : NULL;
        args.coarse = n >= p->count - 2 ? X(gpu_solver_of)(g)->levels[k + 1].x : NULL;
        args.coarse_around = n == p->count - 1;
        run_half(g, args, p->turns[n].odd);
    }
}

/* With periodic sides. */
static void go_down_wrapped(X(gpu) *g, int k, const plan *p)
{
    X(gpu_solver) *y = X(gpu_solver_of)(g);
    X(gpu_level) *l = &y->levels[k];
    size_t blocks = (size_t)(l->tile_count + l->image_count) + 1;
    X(gpu_set)(g, l->x, 0, blocks * TILE_CELLS * sizeof(float));
    for (int n = 0; n < p->count; n++) {
        tile_args args = work_of(g, k);
        args.sweeps = p->turns[n].sweeps;
        run_half(g, args, p->turns[n].odd);
        X(gpu_wrap)(g, l, l->x);
    }
    tile_args args = work_of(g, k);
    args.restricted = y->levels[k + 1].b;
    work_on(g, args);
}

static void go_up_wrapped(X(gpu) *g, int k, const plan *p)
{
    X(gpu_solver) *y = X(gpu_solver_of)(g);
    X(gpu_level) *l = &y->levels[k];
    tile_args args = work_of(g, k);
    args.coarse = y->levels[k + 1].x;
    args.alone = true;
    work_on(g, args);
    for (int n = p->count - 1; n >= 0; n--) {
        args = work_of(g, k);
        args.sweeps = p->turns[n].sweeps;
        args.reverse = true;
        args.partials = k == 0 && n < 2 ? g->partials : NULL;
        X(gpu_wrap)(g, l, l->x);
        run_half(g, args, p->turns[n].odd);
    }
}

void X(gpu_cycle)(X(gpu) *g, int sweeps, bool quick)
{
    X(gpu_solver) *y = X(gpu_solver_of)(g);
    int last = y->level_count - 1;
    plan p = plan_of(sweeps);
    for (int k = 0; k < last; k++)
        if (y->periodic)
            go_down_wrapped(g, k, &p);
        else
            go_down(g, k, &p);
    solve_last_level(g, sweeps, quick);
    for (int k = last - 1; k >= 0; k--)
        if (y->periodic)
            go_up_wrapped(g, k, &p);
        else
            go_up(g, k, &p);
}
