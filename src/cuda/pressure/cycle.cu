/* cycle.cu -- the multigrid's V-cycle on the device. The recipe is that of cpu/pressure/multigrid.c
 * and cycle.c, with fewer ways through memory:
 *
 * - A tile is smoothed in shared memory (smoother_rows.h), the cells around it frozen; even tiles
 * first, then odd ones, which do two sweeps in a row, and so on, and in reverse on the way up.
 * - Tiles of the last turn on the way down see the final values around them: they leave their part
 *   of the coarser right side in the same kernel. The others do it in one more.
 * - The coarser correction is added while a tile is fetched.
 *
 * On the way down x of a large finest level is held in 16 bits, in the memory of the next
 * direction, which is not there yet. Rounding it, by 2^-9, makes errors from cell to cell. There x
 * has no smooth part yet, so they are small against its own roughness, and the way up smooths them.
 * After the coarser correction they would be a share of the smooth part, which A makes larger by
 * the square root of its condition: there x is in 32 bits.
 *
 * The order of sweeps is that of the CPU: the density projection is a single cycle, and one in
 * another order would move the particles elsewhere. In a solve the coarsest level is done otherwise
 * (`quick`, coarsest.cu).
 *
 * Across a periodic side a tile may meet its own parity. There the images (multigrid_lists.cu) are
 * refreshed before each half, and fetching, smoothing and restriction are done one after the other.
 */
#include "smoother_rows.h"

#include "state/cg_policy.h"

/* ---- work on tiles */

typedef struct tile_args {
    DEV(gpu_level) level;
    int first, count;    /* the blocks to be done */
    const float *coarse; /* x of the coarser level, to be added to the own cells; or NULL */
    bool coarse_around;  /* and to those around */
    float *restricted;   /* right side of the coarser level, to be made; or NULL */
    double *partials;    /* of b . x, to be made; or NULL */
    int sweeps;
    int extra; /* more of them, in tiles that are not uniform */
    bool reverse;
    bool fresh, alone;    /* x is zero so far; and so are the tiles around */
    bool up;              /* on the way up */
    float *directions[2]; /* with halves: their memory is in the next one of these */
    const DEV(gpu_state) * state;
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

/* x in 16 bits; there is no block 0. */
GPU_FN uint16_t *halves_of(const tile_args *a, int slot)
{
    float *memory = a->directions[1 - a->state->last] + TILE_CELLS;
    return (uint16_t *)memory + (size_t)(slot - 1) * TILE_CELLS;
}

/* n values of x from place `at` of a block on; half: a constant. */
GPU_FN void load_x(const tile_args *a, int slot, int at, float *v, int n, const bool half)
{
    if (!half) {
        load_floats(a->level.x + (size_t)slot * TILE_CELLS + (size_t)at, v, n);
        return;
    }
    SP_UNROLL_ALL
    for (int k = 0; k < n; k++)
        v[k] = 0.0f;
    if (slot > 0)
        load_halves(halves_of(a, slot) + at, v, n);
}

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
    const DEV(gpu_level) *l = &a->level;
    bool full = l->kind[slot] == UNIFORM;
    SP_UNROLL_ALL
    for (int e = 0; e < n; e++)
        if (full || l->d[(size_t)slot * TILE_CELLS + (size_t)(at + e)] > 0.0f)
            x[e] += coarse[e / 2];
}

/* All loads that need no other come first: they take long. */
GPU_FN void look_around(const tile_args *a, int slot, const row_place *p, const piece *q,
                        surroundings *o, const bool half)
{
    const DEV(gpu_level) *l = &a->level;
    const int faces[3] = {0, 1, q->face};
    SP_UNROLL_ALL
    for (int k = 0; k < 3; k++)
        o->slot[k] = l->near[2 * DIM * slot + faces[k]];
    o->at[0] = p->number * TILE + TILE - 1;
    o->at[1] = p->number * TILE;
    o->at[2] = q->from;
    load_x(a, o->slot[0], o->at[0], &o->end[0], 1, half);
    load_x(a, o->slot[1], o->at[1], &o->end[1], 1, half);
    load_x(a, o->slot[2], o->at[2], o->piece, PIECE, half);
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
                      const bool faces, const bool half)
{
    const DEV(gpu_level) *l = &a->level;
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
    if (!a->fresh) {
        float raw[TILE];
        if (half && (a->coarse || !a->up))
            load_x(a, o->slot, p.number * TILE, raw, TILE, true);
        else
            load_x(a, o->slot, p.number * TILE, raw, TILE, false);
        o->x = by_colour(raw, p.odd);
    }
    if (!a->alone && half && (a->coarse_around || !a->up))
        look_around(a, o->slot, &p, &q, &near, true);
    else if (!a->alone)
        look_around(a, o->slot, &p, &q, &near, false);
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
GPU_FN void relax_general(const DEV(gpu_level) * l, rows *s, const row_place *p, const own *o,
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
    sum_near(s, &p, &o->x, o->end, colour, faces ? &o->face : NULL, sum);
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
    sum_near(s, p, &o->x, o->end, colour, faces ? &o->face : NULL, sum);
    SP_UNROLL_ALL
    for (int n = 0; n < HALF; n++) {
        float all = faces ? sum[n] : a->level.even * sum[n];
        float change = all - d.v[colour][n] * o->x.v[colour][n];
        pair[n] += d.v[colour][n] > 0.0f ? o->b.v[colour][n] + change : 0.0f;
    }
}

GPU_FN void add_rest_general(const DEV(gpu_level) * l, const rows *s, const row_place *p,
                             const own *o, int colour, float pair[HALF])
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

/* The most sweeps that a tile of the group has. */
GPU_FN int sweeps_of(const tile_args *a, size_t block)
{
    bool uneven = false;
    if (a->extra == 0)
        return a->sweeps;
    for (int group = 0; group < GROUP; group++) {
        int number = (int)block * GROUP + group;
        bool other = number < a->count && a->level.kind[a->first + number] != UNIFORM;
        uneven = uneven || other;
    }
    return a->sweeps + (uneven ? a->extra : 0);
}

GPU_FN void store_x(const tile_args *a, const own *o, const row_place *p, const bool half)
{
    float raw[TILE];
    by_place(&o->x, p->odd, raw);
    if (half && !a->up)
        store_halves(halves_of(a, o->slot) + p->number * TILE, raw, TILE);
    else
        store_floats(a->level.x + (size_t)o->slot * TILE_CELLS + (size_t)(p->number * TILE), raw,
                     TILE);
}

/* faces: a thread keeps all off-diagonals of its row; half: on the way down x is in 16 bits. */
GPU_FN void work(const tile_args *a, size_t block, tiles_shared *shared, const bool faces,
                 const bool half)
{
    int sweeps = sweeps_of(a, block);
    KEEP(own, mine, GROUP_ROWS);
    ONE_EACH(t, GROUP_ROWS)
        take_rows(a, shared, block, t, &KEPT(mine, t), faces, half);
    BARRIER();
    for (int half = 0; half < 2 * sweeps; half++) {
        bool black = (half % 2 != 0) != a->reverse;
        ONE_EACH(t, GROUP_ROWS)
            if (half < 2 * a->sweeps || KEPT(mine, t).kind != UNIFORM)
                sweep(a, shared, t, &KEPT(mine, t), black, faces);
        BARRIER();
    }
    ONE_EACH(t, GROUP_ROWS) {
        own *o = &KEPT(mine, t);
        row_place p = row_place_of(t % TILE_ROWS);
        if (o->slot > 0 && (a->sweeps > 0 || a->coarse))
            store_x(a, o, &p, half);
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
    work(a, block, shared, false, false);
}

BLOCKS_AT_ONCE(work_on_tiles_in_halves, tile_args, tiles_shared, GROUP_ROWS, AT_ONCE)
{
    work(a, block, shared, false, true);
}

/* Small levels, where the time is that of one tile after the other and general tiles are many. */
BLOCKS_AT_ONCE(work_on_few_tiles, tile_args, tiles_shared, GROUP_ROWS, AT_ONCE / 2)
{
    work(a, block, shared, true, false);
}

#define FEW_TILES 4096
/* From here on halves are worth it. The device "check" is to do the same with little. */
#ifdef __CUDACC__
#define MANY_TILES 8192
#else
#define MANY_TILES 20
#endif

static void work_on(X(gpu) *g, tile_args args)
{
    if (args.directions[0])
        work_on_tiles_in_halves(g, args, groups_of(args.count));
    else if (args.level.a[0] && args.level.tile_count <= FEW_TILES)
        work_on_few_tiles(g, args, groups_of(args.count));
    else
        work_on_tiles(g, args, groups_of(args.count));
}

/* ---- the cycle */

/* One after the other: tiles of a parity, each with so many sweeps while it is at hand. On the way
 * up everything is done in reverse. */
#define MOST_TURNS 16
typedef struct turn {
    bool odd;
    int sweeps, extra;
} turn;

typedef struct plan {
    turn turns[MOST_TURNS];
    int count;
    bool halves;
} plan;

/* As on the CPU: even tiles one sweep, odd ones two, even ones two, ..., in the end one; tiles that
 * are not uniform `extra` more, but for the first turn. */
static plan plan_of(int sweeps, int extra)
{
    plan p;
    memset(&p, 0, sizeof p);
    p.count = sweeps + 1 < MOST_TURNS ? sweeps + 1 : MOST_TURNS;
    for (int n = 0; n < p.count; n++) {
        p.turns[n].odd = n % 2;
        p.turns[n].sweeps = n == 0 || n == p.count - 1 ? 1 : 2;
        p.turns[n].extra = n == 0 ? 0 : extra;
    }
    return p;
}

static tile_args work_of(X(gpu) *g, int k, const plan *p)
{
    DEV(gpu_solver) *solver = DEV(gpu_solver_of)(g);
    tile_args args;
    memset(&args, 0, sizeof args);
    args.level = solver->levels[k];
    args.first = 1;
    args.count = args.level.tile_count;
    args.state = solver->state;
    for (int n = 0; n < 2; n++)
        args.directions[n] = p->halves ? solver->direction[n] : NULL;
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
    float *restricted = DEV(gpu_solver_of)(g)->levels[k + 1].b;
    bool odd = false;
    for (int n = 0; n < p->count; n++) {
        tile_args args = work_of(g, k, p);
        odd = p->turns[n].odd;
        args.sweeps = p->turns[n].sweeps;
        args.extra = p->turns[n].extra;
        args.fresh = n < 2;
        args.alone = n == 0;
        args.restricted = n == p->count - 1 ? restricted : NULL;
        run_half(g, args, odd);
    }
    tile_args args = work_of(g, k, p);
    args.restricted = restricted;
    run_half(g, args, !odd);
}

static void go_up(X(gpu) *g, int k, const plan *p)
{
    for (int n = p->count - 1; n >= 0; n--) {
        tile_args args = work_of(g, k, p);
        args.sweeps = p->turns[n].sweeps;
        args.extra = p->turns[n].extra;
        args.reverse = true;
        args.partials = k == 0 && n < 2 ? g->partials : NULL;
        args.coarse = n >= p->count - 2 ? DEV(gpu_solver_of)(g)->levels[k + 1].x : NULL;
        args.coarse_around = n == p->count - 1;
        args.up = true;
        run_half(g, args, p->turns[n].odd);
    }
}

/* With periodic sides. */
static void go_down_wrapped(X(gpu) *g, int k, const plan *p)
{
    DEV(gpu_solver) *solver = DEV(gpu_solver_of)(g);
    DEV(gpu_level) *l = &solver->levels[k];
    size_t blocks = (size_t)(l->tile_count + l->image_count) + 1;
    DEV(gpu_set)(g, l->x, 0, blocks * TILE_CELLS * sizeof(float));
    for (int n = 0; n < p->count; n++) {
        tile_args args = work_of(g, k, p);
        args.sweeps = p->turns[n].sweeps;
        args.extra = p->turns[n].extra;
        run_half(g, args, p->turns[n].odd);
        DEV(gpu_wrap)(g, l, l->x);
    }
    tile_args args = work_of(g, k, p);
    args.restricted = solver->levels[k + 1].b;
    work_on(g, args);
}

static void go_up_wrapped(X(gpu) *g, int k, const plan *p)
{
    DEV(gpu_solver) *solver = DEV(gpu_solver_of)(g);
    DEV(gpu_level) *l = &solver->levels[k];
    tile_args args = work_of(g, k, p);
    args.coarse = solver->levels[k + 1].x;
    args.alone = true;
    work_on(g, args);
    for (int n = p->count - 1; n >= 0; n--) {
        args = work_of(g, k, p);
        args.sweeps = p->turns[n].sweeps;
        args.extra = p->turns[n].extra;
        args.reverse = true;
        args.partials = k == 0 && n < 2 ? g->partials : NULL;
        DEV(gpu_wrap)(g, l, l->x);
        run_half(g, args, p->turns[n].odd);
    }
}

void DEV(gpu_cycle)(X(gpu) *g, int sweeps, bool quick)
{
    DEV(gpu_solver) *solver = DEV(gpu_solver_of)(g);
    int last = solver->level_count - 1;
    plan finest = plan_of(sweeps, quick ? EXTRA : 0), others = plan_of(sweeps, 0);
    finest.halves = quick && !solver->periodic && solver->levels[0].tile_count >= MANY_TILES;
    for (int k = 0; k < last; k++)
        if (solver->periodic)
            go_down_wrapped(g, k, k == 0 ? &finest : &others);
        else
            go_down(g, k, k == 0 ? &finest : &others);
    DEV(gpu_solve_coarsest)(g, sweeps, quick);
    for (int k = last - 1; k >= 0; k--)
        if (solver->periodic)
            go_up_wrapped(g, k, k == 0 ? &finest : &others);
        else
            go_up(g, k, k == 0 ? &finest : &others);
}
