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
#include "device/cuda/solver.h"

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

/* ---- work on a tile */

typedef struct tile_args {
    X(gpu_level) level;
    int first;           /* of the blocks to be done */
    const float *coarse; /* x of the coarser level, to be added to the own cells; or NULL */
    bool coarse_around;  /* and to those around */
    float *restricted;   /* right side of the coarser level, to be made; or NULL */
    double *partials;    /* of b . x, to be made; or NULL */
    int sweeps;
    bool reverse;
    bool fresh, alone; /* x is zero so far; and so are the tiles around */
    const X(gpu_state) *state;
} tile_args;

typedef struct tile_shared {
    float x[PAD_SIZE];
    float pair[PAIRS];
    double sum[PAIRS];
} tile_shared;

/* What a thread keeps of its two cells, red and black. */
typedef struct own {
    float b[2], d[2], inverse[2], a[2][2 * DIM];
} own;

/* x of the coarser level at a cell. */
GPU_FN float coarse_at(const tile_args *a, int slot, int at)
{
    int parent = a->level.parent[slot], part = parent % FAMILY, place = 0;
    FOR_DIM(d)
        place += (at / block_step(d) % TILE / 2 + (part >> d & 1) * (TILE / 2)) * block_step(d);
    return a->coarse[(size_t)(parent / FAMILY) * TILE_CELLS + (size_t)place];
}

GPU_FN float x_around(const tile_args *a, int slot, int at)
{
    size_t c = (size_t)slot * TILE_CELLS + (size_t)at;
    float x = a->level.x[c];
    if (slot > 0 && a->coarse_around && (a->level.kind[slot] == UNIFORM || a->level.d[c] > 0.0f))
        x += coarse_at(a, slot, at);
    return x;
}

GPU_FN void take_own(const tile_args *a, float *x, int slot, int kind, int t, own *o)
{
    two p = two_of(t);
    size_t first = (size_t)slot * TILE_CELLS;
    float value[2] = {0.0f, 0.0f};
    o->d[0] = o->d[1] = 2 * DIM * a->level.even;
    load_two(a->level.b + first, &p, o->b);
    if (kind != UNIFORM)
        load_two(a->level.d + first, &p, o->d);
    if (!a->fresh)
        load_two(a->level.x + first, &p, value);
    for (int e = 0; e < 2; e++) {
        o->inverse[e] = o->d[e] > 0.0f ? 1.0f / o->d[e] : 0.0f;
        if (a->coarse && o->d[e] > 0.0f)
            value[e] += coarse_at(a, slot, p.at[e]);
        x[p.pad[e]] = value[e];
        if (kind == GENERAL)
            faces_of(&a->level, slot, p.at[e], o->a[e]);
    }
}

GPU_FN void relax(const tile_args *a, float *x, int kind, int pad, const own *o, int e)
{
    if (kind == GENERAL) { /* leaves places without an unknown, images among them, as they are */
        float r = o->b[e] + sum_faces(x, pad, o->a[e]) - o->d[e] * x[pad];
        x[pad] += o->inverse[e] * r;
    } else {
        x[pad] = (o->b[e] + a->level.even * sum_around(x, pad)) * o->inverse[e];
    }
}

/* b - A x, 0 where there is no unknown. */
GPU_FN float rest_of(const tile_args *a, const float *x, int kind, int pad, const own *o, int e)
{
    float sum = kind == GENERAL ? sum_faces(x, pad, o->a[e]) : a->level.even * sum_around(x, pad);
    return o->d[e] > 0.0f ? o->b[e] + (sum - o->d[e] * x[pad]) : 0.0f;
}

/* The mean of 2^DIM cells, from the sums of pairs, into the coarser right side. */
GPU_FN void restrict_cell(const tile_args *a, const float *pair, int slot, int e)
{
    int c[3] = {e % (TILE / 2), e / (TILE / 2) % (TILE / 2), e / (TILE * TILE / 4)}, place = 0;
    int parent = a->level.parent[slot], part = parent % FAMILY;
    float sum = 0.0f;
    for (int z = 0; z < LAST(2); z++)
        for (int y = 0; y < 2; y++)
            sum += pair[((2 * c[2] + z) * TILE + 2 * c[1] + y) * (TILE / 2) + c[0]];
    FOR_DIM(d)
        place += (c[d] + (part >> d & 1) * (TILE / 2)) * block_step(d);
    a->restricted[(size_t)(parent / FAMILY) * TILE_CELLS + (size_t)place] = sum / (float)FAMILY;
}

BLOCKS(work_on_tiles, tile_args, tile_shared, PAIRS)
{
    if (a->state->done)
        return;
    int slot = a->first + (int)block, kind = a->level.kind[slot];
    float *x = shared->x;
    KEEP(own, mine, PAIRS);
    ONE_EACH(t, PAIRS)
        take_own(a, x, slot, kind, t, &KEPT(mine, t));
    FOR_THREADS(n, 2 * DIM * FACE_CELLS) {
        outer o = outer_of(n);
        x[o.pad] = a->alone ? 0.0f : x_around(a, a->level.near[2 * DIM * slot + o.face], o.at);
    }
    BARRIER();
    for (int half = 0; half < 2 * a->sweeps; half++) {
        bool black = (half % 2 != 0) != a->reverse;
        ONE_EACH(t, PAIRS) {
            if (black)
                relax(a, x, kind, two_of(t).pad[1], &KEPT(mine, t), 1);
            else
                relax(a, x, kind, two_of(t).pad[0], &KEPT(mine, t), 0);
        }
        BARRIER();
    }
    ONE_EACH(t, PAIRS) {
        two p = two_of(t);
        const own *o = &KEPT(mine, t);
        float value[2] = {x[p.pad[0]], x[p.pad[1]]};
        if (a->sweeps > 0 || a->coarse)
            store_two(a->level.x + (size_t)slot * TILE_CELLS, &p, value);
        if (a->restricted)
            shared->pair[t] =
                rest_of(a, x, kind, p.pad[0], o, 0) + rest_of(a, x, kind, p.pad[1], o, 1);
        if (a->partials)
            shared->sum[t] =
                (double)o->b[0] * (double)value[0] + (double)o->b[1] * (double)value[1];
    }
    BARRIER();
    if (a->restricted)
        FOR_THREADS(e, TILE_CELLS / FAMILY)
            restrict_cell(a, shared->pair, slot, e);
    if (!a->partials)
        return;
    find_sum(shared->sum, PAIRS);
    FOR_THREADS(t, 1)
        a->partials[slot - 1] = shared->sum[0];
}

/* ---- the coarsest level */

#define COARSEST (DIM == 2 ? 300 : 2000) /* cells, at most: sim/pressure/multigrid.c */
#define COARSE_PASSES 20                 /* each way; of `sweeps` sweeps: sim/pressure/cycle.c */
#define QUICK_PASSES 16                  /* each way, over the whole level */
#define COARSE_THREADS 1024

typedef struct coarsest_args {
    X(gpu_level) level;
    double *partials;
    int partial_count;
    int sweeps;
    bool quick; /* not tile by tile */
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
    int pass = a->quick ? 2 : 4 * a->sweeps; /* both colours; of even and odd tiles */
    int half = pass * (a->quick ? QUICK_PASSES : COARSE_PASSES);
    int mask = a->quick ? 5 : 7; /* of `turn`: without the parity of the tile */
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
        int phase = (a->quick ? 0 : turn % 2 * 2) + (k % 2 != (k >= half));
        bool begins = k % 2 == 0 && (sweep == 0 || sweep % 2 == 1);
        if (periodic && begins) {
            FOR_THREADS(n, count)
                shared->before[n] = shared->x[n];
            BARRIER();
        }
        FOR_THREADS(n, count) {
            if ((shared->turn[n] & mask) == phase)
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
    args.state = y->state;
    return args;
}

/* Even tiles, or odd ones. */
static void run_half(X(gpu) *g, tile_args args, bool odd)
{
    int first = odd ? args.level.even_count : 0;
    int end = odd ? args.level.tile_count : args.level.even_count;
    args.first = 1 + first;
    work_on_tiles(g, args, (size_t)(end - first));
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
    work_on_tiles(g, args, (size_t)l->tile_count);
}

static void go_up_wrapped(X(gpu) *g, int k, const plan *p)
{
    X(gpu_solver) *y = X(gpu_solver_of)(g);
    X(gpu_level) *l = &y->levels[k];
    tile_args args = work_of(g, k);
    args.coarse = y->levels[k + 1].x;
    args.alone = true;
    work_on_tiles(g, args, (size_t)l->tile_count);
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
    coarsest_args args;
    memset(&args, 0, sizeof args);
    args.level = y->levels[last];
    args.state = y->state;
    args.partials = g->partials;
    args.partial_count = last == 0 ? args.level.tile_count : 0;
    args.sweeps = sweeps;
    args.quick = quick && !y->periodic; /* across a side may be the same colour */
    solve_coarsest(g, args, 1);
    for (int k = last - 1; k >= 0; k--)
        if (y->periodic)
            go_up_wrapped(g, k, &p);
        else
            go_up(g, k, &p);
}
