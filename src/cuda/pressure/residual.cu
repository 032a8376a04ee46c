/* residual.cu -- the solution of the pressure solvers on the device: from and to the grid; its true
 * residual; relaxed Jacobi and red-black Gauss-Seidel.
 *
 * The multigrid keeps the solution to more digits than a float has, as the sum of two; the others
 * work on the first of them. */
#include "cuda/vectors.h"

/* ---- from and to the grid */

/* Chunk i of the blocks: where it begins there, and in the grid. */
typedef struct chunk {
    size_t block, grid;
    bool full; /* of unknowns */
} chunk;

GPU_FN chunk chunk_of(const vector_args *a, size_t i)
{
    int slot = slot_in_order(&a->level, (int)(i / TILE_CHUNKS)), e = (int)(i % TILE_CHUNKS);
    chunk p;
    p.block = (size_t)slot * TILE_CELLS + (size_t)(e * CHUNK);
    p.grid = chunk_place(&a->grid, a->level.tile_of[slot], e);
    p.full = a->level.kind[slot] == UNIFORM;
    return p;
}

MAP(take_solution, vector_args)
{
    chunk p = chunk_of(a, i);
    float q[CHUNK], d[CHUNK], zero[CHUNK] = {0.0f, 0.0f, 0.0f, 0.0f};
    load_floats(a->q + p.grid, q, CHUNK);
    SP_UNROLL_ALL
    for (int k = 0; k < CHUNK; k++)
        q[k] *= a->weight;
    if (!p.full) {
        load_floats(a->level.d + p.block, d, CHUNK);
        SP_UNROLL_ALL
        for (int k = 0; k < CHUNK; k++)
            q[k] = d[k] > 0.0f ? q[k] : 0.0f;
    }
    store_floats(a->high + p.block, q, CHUNK);
    store_floats(a->low + p.block, zero, CHUNK);
}

MAP(give_solution, vector_args)
{
    chunk p = chunk_of(a, i);
    float high[CHUNK];
    load_floats(a->high + p.block, high, CHUNK);
    if (p.full) {
        store_floats(a->q + p.grid, high, CHUNK);
        return;
    }
    SP_UNROLL_ALL
    for (int k = 0; k < CHUNK; k++)
        if (a->level.d[p.block + (size_t)k] > 0.0f)
            a->q[p.grid + (size_t)k] = high[k];
}

void DEV(gpu_solve_begin)(X(gpu) *g, DEV(gpu_unknown) what)
{
    DEV(gpu_solver) *solver = DEV(gpu_solver_of)(g);
    vector_args args = args_of(g);
    args.q = what == GPU_DENSITY ? solver->q_density : g->f.p;
    args.weight = what == GPU_DENSITY ? 1.0f : solver->scale;
    if (what != GPU_DENSITY)
        solver->scale = 1.0f; /* a second start is from zero */
    if (cells_of(g) == 0)
        return;
    /* pockets were counted in this memory */
    DEV(gpu_set)(g, solver->high, 0, TILE_CELLS * sizeof(float));
    DEV(gpu_set)(g, solver->low, 0, TILE_CELLS * sizeof(float));
    take_solution(g, args, cells_of(g) / CHUNK);
}

void DEV(gpu_solve_end)(X(gpu) *g, DEV(gpu_unknown) what)
{
    vector_args args = args_of(g);
    args.q = what == GPU_DENSITY   ? DEV(gpu_solver_of)(g)->q_density
             : what == GPU_GRAVITY ? g->f.p_gravity
                                   : g->f.p;
    give_solution(g, args, cells_of(g) / CHUNK);
}

/* ---- the true residual */

/* As in smoother_rows.h, in fp64: the rows of a tile and those around it. */
typedef struct wide_rows {
    double v[2][ROW_PLACES][HALF];
} wide_rows;

typedef struct residual_shared {
    wide_rows x[GROUP];
    uint32_t most[GROUP_ROWS];
} residual_shared;

typedef struct wide_ends {
    double v[2];
    int slot;
} wide_ends;

/* n values of the solution. */
GPU_FN void load_exact(const vector_args *a, size_t from, double *v, int n)
{
    float high[TILE], low[TILE];
    load_floats(a->high + from, high, n);
    load_floats(a->low + from, low, n);
    SP_UNROLL_ALL
    for (int k = 0; k < n; k++)
        v[k] = (double)high[k] + (double)low[k];
}

/* Puts n values from an even x on, whose red ones are the odd ones or not, into a row. */
GPU_FN void put_wide(wide_rows *s, int at, int first, bool odd, const double *v, int n)
{
    SP_UNROLL_ALL
    for (int k = 0; k < n / 2; k++) {
        s->v[0][at][first + k] = odd ? v[2 * k + 1] : v[2 * k];
        s->v[1][at][first + k] = odd ? v[2 * k] : v[2 * k + 1];
    }
}

GPU_FN void take_wide(const vector_args *a, residual_shared *shared, size_t block, int t,
                      wide_ends *o)
{
    const DEV(gpu_level) *l = &a->level;
    int group = t / TILE_ROWS, number = (int)block * GROUP + group;
    o->slot = number < l->tile_count ? slot_in_order(l, number) : 0;
    if (o->slot == 0)
        return;
    row_place p = row_place_of(t % TILE_ROWS);
    piece q = piece_of(t % TILE_ROWS);
    const int *near = l->near + 2 * DIM * o->slot;
    size_t line = (size_t)(p.number * TILE);
    double own[TILE], around[PIECE];
    load_exact(a, (size_t)o->slot * TILE_CELLS + line, own, TILE);
    load_exact(a, (size_t)near[0] * TILE_CELLS + line + TILE - 1, &o->v[0], 1);
    load_exact(a, (size_t)near[1] * TILE_CELLS + line, &o->v[1], 1);
    load_exact(a, (size_t)near[q.face] * TILE_CELLS + (size_t)q.from, around, PIECE);
    put_wide(&shared->x[group], p.at, 0, p.odd, own, TILE);
    put_wide(&shared->x[group], q.at, q.first, q.odd, around, PIECE);
}

/* Of value n of a colour: the sum over the neighbours; face: NULL, or the off-diagonals. */
GPU_FN double exact_sum(const wide_rows *s, const row_place *p, const double end[2], int colour,
                        int n, const float *face)
{
    const double *other = s->v[1 - colour][p->at];
    bool late = p->odd != (colour == 1);
    double before = n > 0 ? other[n > 0 ? n - 1 : 0] : end[0];
    double behind = n < HALF - 1 ? other[n < HALF - 1 ? n + 1 : n] : end[1];
    double sum = 0;
    FOR_DIM(d) {
        int step = d == 1 ? 1 : TILE + 2;
        double one = d > 0 ? s->v[1 - colour][p->at - step][n] : late ? other[n] : before;
        double two = d > 0 ? s->v[1 - colour][p->at + step][n] : late ? behind : other[n];
        sum += face ? one * (double)face[2 * d] + two * (double)face[2 * d + 1] : one + two;
    }
    return sum;
}

GPU_FN float exact_rest(double right, double d, double x, double sum)
{
    return d > 0 ? (float)(right - d * x + sum) : 0.0f;
}

/* b - A q in a row, into b of level 0; the largest, as bits. */
GPU_FN uint32_t residual_row(const vector_args *a, const wide_rows *s, const row_place *p,
                             const wide_ends *o)
{
    const DEV(gpu_level) *l = &a->level;
    int kind = l->kind[o->slot];
    size_t own = (size_t)o->slot * TILE_CELLS;
    uint32_t most = 0;
    if (kind == GENERAL) {
        KEEP_LOOP
        for (int e = 0; e < TILE; e++) {
            float f[2 * DIM];
            int at = place_in_row(p, e & 1, e / 2);
            size_t c = own + (size_t)at;
            faces_of(l, o->slot, at, f);
            l->b[c] = exact_rest((double)a->right[c], (double)l->d[c], s->v[e & 1][p->at][e / 2],
                                 exact_sum(s, p, o->v, e & 1, e / 2, f));
            most = magnitude_bits(l->b[c]) > most ? magnitude_bits(l->b[c]) : most;
        }
        return most;
    }
    row right = load_row(a->right + own + (size_t)(p->number * TILE), p->odd), r;
    row d = diagonal_of(l, o->slot, kind, p);
    SP_UNROLL_ALL
    for (int e = 0; e < TILE; e++) {
        int c = e / HALF, n = e % HALF;
        r.v[c][n] = exact_rest((double)right.v[c][n], (double)d.v[c][n], s->v[c][p->at][n],
                               exact_sum(s, p, o->v, c, n, NULL));
        most = magnitude_bits(r.v[c][n]) > most ? magnitude_bits(r.v[c][n]) : most;
    }
    store_row(l->b + own + (size_t)(p->number * TILE), &r, p->odd);
    return most;
}

BLOCKS_AT_ONCE(find_residual, vector_args, residual_shared, GROUP_ROWS, AT_ONCE)
{
    KEEP(wide_ends, mine, GROUP_ROWS);
    ONE_EACH(t, GROUP_ROWS)
        take_wide(a, shared, block, t, &KEPT(mine, t));
    BARRIER();
    ONE_EACH(t, GROUP_ROWS) {
        const wide_ends *o = &KEPT(mine, t);
        row_place p = row_place_of(t % TILE_ROWS);
        shared->most[t] = o->slot ? residual_row(a, &shared->x[t / TILE_ROWS], &p, o) : 0;
    }
    largest_of_groups(shared->most);
    ONE_EACH(t, GROUP_ROWS)
        if (t % TILE_ROWS == 0 && KEPT(mine, t).slot)
            a->partials[KEPT(mine, t).slot - 1] = bits_magnitude(shared->most[t]);
}

void DEV(gpu_queue_residual)(X(gpu) *g)
{
    DEV(gpu_solver) *solver = DEV(gpu_solver_of)(g);
    DEV(gpu_wrap)(g, &solver->levels[0], solver->high);
    DEV(gpu_wrap)(g, &solver->levels[0], solver->low);
    find_residual(g, args_of(g), groups_of(solver->levels[0].tile_count));
}

double DEV(gpu_residual)(X(gpu) *g)
{
    DEV(gpu_queue_residual)(g);
    return DEV(gpu_maximum)(g, (size_t)DEV(gpu_solver_of)(g)->levels[0].tile_count);
}

/* ---- Jacobi and Gauss-Seidel, on the first part of the solution */

MAP(relax_cells, vector_args)
{
    size_t c = i + TILE_CELLS;
    float d = a->level.d[c];
    if (d > 0.0f)
        a->high[c] += a->weight * a->level.b[c] / d;
}

void DEV(gpu_relax)(X(gpu) *g, float weight)
{
    vector_args args = args_of(g);
    args.weight = weight;
    relax_cells(g, args, cells_of(g));
}

GPU_FN float value_across(const vector_args *a, int slot, int at, int d, int side)
{
    int step = block_step(d), across = at / step % TILE;
    if (side ? across < TILE - 1 : across > 0)
        return a->high[(size_t)slot * TILE_CELLS + (size_t)(side ? at + step : at - step)];
    size_t other = (size_t)a->level.near[2 * DIM * slot + 2 * d + side] * TILE_CELLS;
    return a->high[other + (size_t)(side ? at - (TILE - 1) * step : at + (TILE - 1) * step)];
}

MAP(sweep_cells, vector_args)
{
    int slot = (int)(i / PAIRS) + 1, at = cell_of_pair((int)(i % PAIRS), a->colour);
    size_t c = (size_t)slot * TILE_CELLS + (size_t)at;
    float d = a->level.d[c], sum = a->right[c], f[2 * DIM] = {0};
    if (!(d > 0.0f))
        return;
    bool general = a->level.kind[slot] == GENERAL;
    if (general)
        faces_of(&a->level, slot, at, f);
    FOR_DIM(axis) {
        float low = value_across(a, slot, at, axis, 0), high = value_across(a, slot, at, axis, 1);
        sum += general ? f[2 * axis] * low + f[2 * axis + 1] * high : low + high;
    }
    a->high[c] += a->weight * (sum / d - a->high[c]);
}

void DEV(gpu_sweep)(X(gpu) *g, float weight, int colour)
{
    DEV(gpu_solver) *solver = DEV(gpu_solver_of)(g);
    vector_args args = args_of(g);
    args.weight = weight;
    args.colour = colour;
    DEV(gpu_wrap)(g, &solver->levels[0], solver->high);
    sweep_cells(g, args, cells_of(g) / 2);
}
