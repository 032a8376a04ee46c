/* pressure_fixture.h -- the pressure system taken apart by hand: its rows from types, open shares
 * and level set, the residual of a solution in fp64, and solvers run alone from zero.
 *
 * Nothing here uses src/cpu/pressure/system.c except to run it: rows_agree compares what it
 * assembled with what stands in its header comment, cell by cell over the whole domain. Solids must
 * rest. */
#ifndef SPATE_TEST_PRESSURE_FIXTURE_H
#define SPATE_TEST_PRESSURE_FIXTURE_H

#include "fixture.h"

#include "cpu/pressure/pressure.h"

#define SOLVERS 4
static const spate_solver all_solvers[SOLVERS] = {SPATE_SOLVER_MULTIGRID, SPATE_SOLVER_PCG,
                                                  SPATE_SOLVER_GAUSS_SEIDEL, SPATE_SOLVER_JACOBI};

static inline const char *solver_name(spate_solver solver)
{
    static const char *const names[] = {"multigrid", "pcg", "gauss_seidel", "jacobi"};
    return names[solver];
}

/* ---- rows */

/* What lies across face d of a cell: its index, wrapped; its type as the sides of the domain say.
 */
static inline uint8_t across(const fixture *f, const int c[DIM], int d, int side, size_t *index)
{
    const X(grid) *g = &f->s->grid;
    int near[DIM];
    memcpy(near, c, sizeof near);
    near[d] += side ? 1 : -1;
    bool outside = near[d] < 0 || near[d] >= g->n[d];
    if (outside && g->periodic[d])
        near[d] = (near[d] + g->n[d]) % g->n[d];
    *index = X(index)(g, near);
    if (outside && !g->periodic[d])
        return f->common.scene->domain.sides[d][side] == SPATE_SIDE_WALL ? SPATE_CELL_SOLID
                                                                         : SPATE_CELL_AIR;
    return f->s->type[*index];
}

typedef struct row {
    double diagonal;
    double a[DIM][2];  /* off-diagonals, low and high side */
    size_t at[DIM][2]; /* of the cells across */
    double flux;       /* out of the cell, m/s */
} row;

static inline row row_of(const fixture *f, const int c[DIM])
{
    const X(sim) *s = f->s;
    size_t here = X(index)(&s->grid, c);
    bool ghost = f->common.scene->pressure.surface == SPATE_SURFACE_MODEL_GHOST;
    row out = {0};
    for (int d = 0; d < DIM; d++)
        for (int side = 0; side < 2; side++) {
            uint8_t type = across(f, c, d, side, &out.at[d][side]);
            size_t face = side == 0             ? here
                          : s->grid.periodic[d] ? out.at[d][1]
                                                : here + s->grid.stride[d];
            double w = s->solids.live > 0 ? (double)s->w[d][face] : 1;
            out.flux += (side ? 1 : -1) * w * s->u[d][face];
            if (type == SPATE_CELL_SOLID || type == SPATE_CELL_INFLOW ||
                s->type[here] != SPATE_CELL_LIQUID)
                continue;
            double theta = 1;
            if (type == SPATE_CELL_AIR && ghost)
                theta = (double)s->phi[here] / ((double)s->phi[here] - s->phi[out.at[d][side]]);
            out.diagonal += w / theta;
            out.a[d][side] = type == SPATE_CELL_LIQUID ? w : 0;
        }
    return out;
}

/* Whether the assembled system is the one of the rows. The right side of pockets has lost its mean.
 */
static inline bool rows_agree(const fixture *f)
{
    const X(system) *sys = &f->s->system;
    int c[DIM] = {0}, wrong = 0;
    do {
        size_t here = X(index)(&f->s->grid, c);
        row own = row_of(f, c);
        bool good = fabs(own.diagonal - sys->diagonal[here]) <= 1e-5 * own.diagonal;
        FOR_DIM(d)
            good = good && fabs(own.a[d][0] - sys->a[d][here]) <= 1e-6;
        if (own.diagonal > 0 && sys->pocket[here] == 0)
            good = good && fabs(own.flux + sys->b[here]) <= 1e-5 * (fabs(own.flux) + 1e-3);
        wrong += !good;
    } while (next_cell(c, f->s->grid.n));
    if (wrong > 0)
        printf("  %d rows of the system are wrong\n", wrong);
    return wrong == 0;
}

/* Largest |b - A q| in fp64, from the solution in fp64 (wide) or as it is used. */
static inline double own_residual(const fixture *f, bool wide)
{
    const X(system) *sys = &f->s->system;
    int c[DIM] = {0};
    double worst = 0;
#define Q(index) (wide ? sys->q_sum[index] : (double)sys->q[index])
    do {
        size_t here = X(index)(&f->s->grid, c);
        row own = row_of(f, c);
        if (!(own.diagonal > 0))
            continue;
        /* the rounded coefficients: rounding of a sum is not the solver's */
        double r = sys->b[here] - sys->diagonal[here] * Q(here);
        FOR_DIM(d)
            for (int side = 0; side < 2; side++)
                r += own.a[d][side] * (own.a[d][side] > 0 ? Q(own.at[d][side]) : 0);
        worst = fmax(worst, fabs(r));
    } while (next_cell(c, f->s->grid.n));
#undef Q
    return worst;
}

static inline int unknowns(const fixture *f)
{
    int c[DIM] = {0}, count = 0;
    do
        count += f->s->system.diagonal[X(index)(&f->s->grid, c)] > 0;
    while (next_cell(c, f->s->grid.n));
    return count;
}

/* ---- solves */

static inline void clear_solution(fixture *f)
{
    memset(f->s->system.q, 0, f->s->grid.size * sizeof(float));
}

/* From zero to max|r| <= share max|b|, with the solver of the scene. */
static inline X(solve) solve_cold(fixture *f, double share, int max_iterations)
{
    X(solve)
    solve = {.tolerance = share * DEV(system_largest_b)(&f->s->system),
             .max_iterations = max_iterations};
    clear_solution(f);
    DEV(solve_system)(&f->s->system, &solve);
    return solve;
}

#endif
