/* multigrid.c -- the preconditioner of the default solver: one symmetric V-cycle.
 *
 * Coarse grids by unsmoothed aggregation of 2^DIM cells: prolongation P copies a coarse value to
 * its children, restriction R = P^T / 2^DIM is their mean, and A_c = R A P, which needs nothing but
 * sums:
 *
 *     a_c = (sum of the fine faces that cross)  / 2^DIM,
 *     d_c = (sum of d - 2 sum of the faces inside) / 2^DIM,
 *
 * so that cut cells, the surface and air need no case of their own on coarse grids: a coarse cell
 * is an unknown if any child is. Piecewise constant corrections are too small by about a factor of
 * two (Braess 1995), so a_c and d_c are multiplied by 1/2, which doubles the correction.
 *
 * The smoother is red-black Gauss-Seidel, `sweeps` before and as many after in the reverse order,
 * so that the cycle is a symmetric operator and plain CG is valid. Coarsening stops at a grid of
 * COARSEST cells or less, where symmetric sweeps do the rest. */
#include "pressure.h"

#include <string.h>

#define COARSEST (DIM == 2 ? 300 : 2000) /* cells that COARSE_SWEEPS can solve well enough */
#define COARSE_SWEEPS 10

/* ---- the hierarchy */

static X(grid) coarser(const X(grid) *fine)
{
    X(grid) g;
    memset(&g, 0, sizeof g);
    g.dx = 2 * fine->dx;
    g.n[2] = g.tiles[2] = 1;
    FOR_DIM(d) {
        g.n[d] = (fine->n[d] + 1) / 2;
        g.tiles[d] = (g.n[d] + TILE - 1) / TILE + 2;
        g.periodic[d] = fine->periodic[d];
    }
    X(grid_layout)(&g);
    return g;
}

static spate_status make_level(X(level) *l, spate_error *error)
{
    bool complete = true;
    size_t tiles = (size_t)l->grid.tile_count;
    FOR_DIM(d)
        complete = (l->a[d] = sp_alloc(l->grid.size, sizeof(float))) && complete;
    complete = (l->diagonal = sp_alloc(l->grid.size, sizeof(float))) && complete;
    complete = (l->inverse = sp_alloc(l->grid.size, sizeof(float))) && complete;
    complete = (l->b = sp_alloc(l->grid.size, sizeof(float))) && complete;
    complete = (l->x = sp_alloc(l->grid.size, sizeof(float))) && complete;
    complete = (l->tiles = sp_alloc(tiles, sizeof *l->tiles)) && complete;
    complete = (l->listed = sp_alloc(tiles, sizeof *l->listed)) && complete;
    return complete
               ? SPATE_OK
               : sp_fail_memory(error, "the multigrid", (uint64_t)l->grid.size * 4 * (DIM + 4));
}

static bool is_coarsest(const X(grid) *g)
{
    return (double)g->n[0] * g->n[1] * g->n[2] <= COARSEST;
}

double X(multigrid_bytes)(const X(grid) *fine)
{
    double bytes = 0;
    X(grid) g = *fine;
    for (int k = 1; k < MAX_LEVELS && !is_coarsest(&g); k++) {
        g = coarser(&g);
        bytes += (double)g.size * (DIM + 4) * sizeof(float);
    }
    return bytes;
}

spate_status X(multigrid_create)(X(sim) *s, spate_error *error)
{
    X(system) *y = &s->system;
    X(level) *fine = &y->levels[0];
    FOR_DIM(d)
        fine->a[d] = y->a[d];
    fine->diagonal = y->diagonal;
    fine->inverse = y->inverse;
    fine->b = y->r;
    fine->x = y->z;
    y->level_count = 1;
    for (int k = 1; k < MAX_LEVELS; k++) {
        if (is_coarsest(&y->levels[k - 1].grid))
            break;
        y->levels[k].grid = coarser(&y->levels[k - 1].grid);
        y->level_count++;
        TRY(make_level(&y->levels[k], error));
    }
    return SPATE_OK;
}

void X(multigrid_destroy)(X(sim) *s)
{
    for (int k = 1; k < s->system.level_count; k++) {
        X(level) *l = &s->system.levels[k];
        FOR_DIM(d)
            sp_free(l->a[d]);
        sp_free(l->diagonal);
        sp_free(l->inverse);
        sp_free(l->b);
        sp_free(l->x);
        sp_free(l->tiles);
        sp_free(l->listed);
    }
}

typedef struct level_args {
    X(sim) *s;
    X(level) *l, *fine; /* fine: the next finer one */
    int colour;
    bool first; /* the first half sweep, from x = 0 */
} level_args;

static void clear_tile(X(level) *l, int tile)
{
    size_t base = X(tile_index)(&l->grid, tile);
    float *arrays[DIM + 4] = {l->diagonal, l->inverse, l->b, l->x};
    FOR_DIM(d)
        arrays[4 + d] = l->a[d];
    for (int a = 0; a < DIM + 4; a++)
        for (int r = 0; r < TILE_ROWS; r++)
            memset(arrays[a] + base + X(row_offset)(&l->grid, r), 0, TILE * sizeof(float));
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

static void coarsen_cell(X(level) *l, const X(level) *fine, size_t index, const int cell[DIM])
{
    const float share = 0.5f / (float)(1 << DIM); /* 1/2: the over-correction */
    int corner[DIM];
    float diagonal = 0.0f, crossing[DIM] = {0};
    FOR_DIM(d)
        corner[d] = 2 * cell[d];
    size_t base = X(index)(&fine->grid, corner);
    for (int child = 0; child < (1 << DIM); child++) {
        size_t c = base;
        bool inside = true;
        FOR_DIM(d) {
            c += ((size_t)child >> d & 1) * fine->grid.stride[d];
            inside = inside && corner[d] + (child >> d & 1) < fine->grid.n[d];
        }
        if (!inside)
            continue;
        diagonal += fine->diagonal[c];
        FOR_DIM(d) {
            if (child >> d & 1)
                diagonal -= 2.0f * fine->a[d][c];
            else
                crossing[d] += fine->a[d][c];
        }
    }
    FOR_DIM(d)
        l->a[d][index] = share * crossing[d];
    diagonal *= share;
    /* rounding may leave a trace of a component that fits into one cell and touches no air */
    bool unknown = diagonal > 1e-6f * share;
    l->diagonal[index] = unknown ? diagonal : 0.0f;
    l->inverse[index] = unknown ? 1.0f / diagonal : 0.0f;
}

static void coarsen_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const level_args *args = user;
    const X(grid) *g = &args->l->grid;
    for (size_t k = begin; k < end; k++) {
        int first[DIM], cell[DIM];
        X(tile_cell)(g, args->l->tiles[k], first);
        size_t base = X(index)(g, first);
        for (int r = 0; r < TILE_ROWS; r++)
            for (int i = 0; i < TILE; i++) {
                X(row_cell)(first, r, cell);
                cell[0] += i;
                if (X(inside)(g, cell))
                    coarsen_cell(args->l, args->fine, base + X(row_offset)(g, r) + (size_t)i, cell);
            }
    }
}

void X(multigrid_build)(X(sim) *s)
{
    X(system) *y = &s->system;
    level_args args = {.s = s};
    for (int k = 1; k < y->level_count; k++) {
        args.l = &y->levels[k];
        args.fine = &y->levels[k - 1];
        list_tiles(args.l, args.fine);
        sp_parallel_for(s->common->pool, (size_t)args.l->tile_count, 1, coarsen_range, &args);
        FOR_DIM(d)
            X(wrap_level)(args.l, args.l->a[d]);
    }
}

/* Over the whole sides: levels that wrap are those of scenes with periodic sides only. */
void X(wrap_level)(X(level) *l, float *field)
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

/* ---- the cycle */

/* One row of b - A x. */
static inline void residual_row(const X(level) *l, size_t c, float out[TILE])
{
    const float *rhs = l->b + c, *diagonal = l->diagonal + c, *x = l->x + c;
    for (int i = 0; i < TILE; i++)
        out[i] = rhs[i] - diagonal[i] * x[i];
    FOR_DIM(d) {
        const float *low = l->x + c - l->grid.stride[d], *high = l->x + c + l->grid.stride[d];
        const float *a = l->a[d] + c, *b = l->a[d] + c + l->grid.stride[d];
        for (int i = 0; i < TILE; i++)
            out[i] += a[i] * low[i] + b[i] * high[i];
    }
}

/* The cells of one colour in a row, as factors: a row is computed whole, which is what vector units
 * like, and every other value gets nothing added. */
static const float colour_of_row[2][16] = {{1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0},
                                           {0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1}};

/* Half a sweep: the cells of one colour. */
static void sweep_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const level_args *args = user;
    const X(level) *l = args->l;
    for (size_t k = begin; k < end; k++) {
        size_t base = X(tile_index)(&l->grid, l->tiles[k]);
        for (int r = 0; r < TILE_ROWS; r++) {
            size_t c = base + X(row_offset)(&l->grid, r);
            const float *mine =
                colour_of_row[((r & (TILE - 1)) + (r >> TILE_SHIFT) + args->colour) & 1];
            const float *inverse = l->inverse + c, *b = l->b + c;
            float row[TILE], *x = l->x + c;
            if (args->first) {
                for (int i = 0; i < TILE; i++)
                    row[i] = b[i] * inverse[i] * mine[i];
                memcpy(x, row, sizeof row);
                continue;
            }
            residual_row(l, c, row);
            for (int i = 0; i < TILE; i++)
                row[i] = x[i] + row[i] * inverse[i] * mine[i];
            memcpy(x, row, sizeof row);
        }
    }
}

static void run(level_args *args, const X(level) *over, sp_range_fn *range)
{
    /* tiles of coarse grids are few: not worth waking anybody */
    size_t grain = over->tile_count > 8 ? 1 : 8;
    sp_parallel_for(args->s->common->pool, (size_t)over->tile_count, grain, range, args);
}

/* Sweeps red, black, ... or, in reverse, black, red, ...; the first one may start from x = 0. */
static void smooth(X(sim) *s, X(level) *l, int sweeps, bool reverse, bool from_zero)
{
    level_args args = {.s = s, .l = l};
    for (int half = 0; half < 2 * sweeps; half++) {
        args.colour = (half + reverse) & 1;
        args.first = from_zero && half == 0;
        if (!args.first)
            X(wrap_level)(l, l->x);
        run(&args, l, sweep_range);
    }
}

/* b of the coarse level = the mean of the children's residuals. */
static void restrict_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const level_args *args = user;
    const X(level) *l = args->l, *fine = args->fine;
    const float share = 1.0f / (float)(1 << DIM);
    for (size_t k = begin; k < end; k++) {
        int first[DIM], cell[DIM], corner[DIM];
        X(tile_cell)(&l->grid, l->tiles[k], first);
        size_t base = X(index)(&l->grid, first);
        for (int r = 0; r < TILE_ROWS; r++) {
            float sum[TILE] = {0};
            X(row_cell)(first, r, cell);
            FOR_DIM(d)
                corner[d] = 2 * cell[d];
            size_t c = X(index)(&fine->grid, corner);
            bool outside = false;
            FOR_DIM(d)
                outside = outside || cell[d] >= l->grid.n[d];
            for (int child = 0; child < (1 << (DIM - 1)) && !outside; child++) {
                size_t row = c + ((size_t)child & 1) * fine->grid.stride[1] +
                             ((size_t)child >> 1) * fine->grid.stride[2];
                for (int half = 0; half < 2; half++) {
                    float out[TILE];
                    const float *inverse = fine->inverse + row + (size_t)half * TILE;
                    residual_row(fine, row + (size_t)half * TILE, out);
                    for (int i = 0; i < TILE; i++)
                        out[i] =
                            inverse[i] > 0.0f ? out[i] : 0.0f; /* images across periodic sides */
                    for (int i = 0; i < TILE / 2; i++)
                        sum[half * (TILE / 2) + i] += out[2 * i] + out[2 * i + 1];
                }
            }
            float *b = l->b + base + X(row_offset)(&l->grid, r);
            const float *inverse = l->inverse + base + X(row_offset)(&l->grid, r);
            for (int i = 0; i < TILE; i++)
                b[i] = inverse[i] > 0.0f ? share * sum[i] : 0.0f;
        }
    }
}

/* x of the fine level += x of the parent. */
static void prolong_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const level_args *args = user;
    const X(level) *l = args->l, *fine = args->fine;
    for (size_t k = begin; k < end; k++) {
        int first[DIM], cell[DIM], parent[DIM];
        X(tile_cell)(&fine->grid, fine->tiles[k], first);
        size_t base = X(index)(&fine->grid, first);
        for (int r = 0; r < TILE_ROWS; r++) {
            X(row_cell)(first, r, cell);
            FOR_DIM(d)
                parent[d] = cell[d] / 2;
            const float *from = l->x + X(index)(&l->grid, parent);
            float *x = fine->x + base + X(row_offset)(&fine->grid, r);
            const float *inverse = fine->inverse + base + X(row_offset)(&fine->grid, r);
            for (int i = 0; i < TILE; i++)
                x[i] += inverse[i] > 0.0f ? from[i / 2] : 0.0f;
        }
    }
}

void X(multigrid_apply)(X(sim) *s)
{
    X(system) *y = &s->system;
    int coarsest = y->level_count - 1;
    for (int k = 0; k < coarsest; k++) {
        level_args args = {.s = s, .l = &y->levels[k + 1], .fine = &y->levels[k]};
        smooth(s, args.fine, y->sweeps, false, true);
        X(wrap_level)(args.fine, args.fine->x);
        run(&args, args.l, restrict_range);
    }
    smooth(s, &y->levels[coarsest], COARSE_SWEEPS, false, true);
    smooth(s, &y->levels[coarsest], COARSE_SWEEPS, true, false);
    for (int k = coarsest - 1; k >= 0; k--) {
        level_args args = {.s = s, .l = &y->levels[k + 1], .fine = &y->levels[k]};
        run(&args, args.fine, prolong_range);
        smooth(s, args.fine, y->sweeps, true, false);
    }
}
