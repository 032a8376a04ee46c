/* test_system.c -- the solvers on systems that are not the pressure's: a step of diffusion,
 *
 *     (e + sum_f a_f) q_c - sum_f a_f q_n = b_c,
 *
 * on a grid without a simulation, and beside the pressure system on that of one. The reference is
 * plain Gauss-Seidel in fp64. A row's diagonal exceeds its faces by e, so that max |q - q*| is at
 * most max |r| / e. */
#include "pressure_fixture.h"

#define EXCESS 0.25 /* e, at least */
#define TOLERANCE 1e-5
/* the residual's part, and what fp32 leaves of the matrix and of q */
#define NEAR_ENOUGH (1.01 * TOLERANCE / EXCESS + 1e-5)

/* ---- the reference */

/* The cell before or after c along an axis; false: there is none. */
static bool neighbour(const X(grid) *g, const int c[DIM], int d, int side, int near[DIM])
{
    memcpy(near, c, DIM * sizeof *near);
    near[d] += side ? 1 : -1;
    bool outside = near[d] < 0 || near[d] >= g->n[d];
    if (g->periodic[d])
        near[d] = (near[d] + g->n[d]) % g->n[d];
    return !outside || g->periodic[d];
}

/* The sum over the faces of a cell of a, times `of` of the cell across if there is one. */
static double sum_faces(const X(system) *sys, const int c[DIM], const double *of)
{
    double sum = 0;
    for (int d = 0; d < DIM; d++)
        for (int side = 0; side < 2; side++) {
            int near[DIM];
            if (!neighbour(&sys->grid, c, d, side, near))
                continue;
            size_t across = X(index)(&sys->grid, near);
            double a = sys->a[d][side ? across : X(index)(&sys->grid, c)];
            sum += of ? a * of[across] : a;
        }
    return sum;
}

/* Largest difference to the solution that sweeps in fp64 find. */
static double error_of(const X(system) *sys)
{
    double *q = calloc(sys->grid.size, sizeof *q), change, worst = 0;
    int c[DIM] = {0};
    do {
        change = 0;
        do {
            size_t here = X(index)(&sys->grid, c);
            if (!(sys->diagonal[here] > 0))
                continue;
            double next = (sys->b[here] + sum_faces(sys, c, q)) / sys->diagonal[here];
            change = fmax(change, fabs(next - q[here]));
            q[here] = next;
        } while (next_cell(c, sys->grid.n));
    } while (change > 1e-12);
    do {
        size_t here = X(index)(&sys->grid, c);
        worst = fmax(worst, fabs(q[here] - sys->q[here]));
    } while (next_cell(c, sys->grid.n));
    free(q);
    return worst;
}

/* ---- systems */

static void check_solve(X(system) *sys)
{
    int failures = test_failures;
    X(solve) solve = {.tolerance = TOLERANCE, .max_iterations = 2000};
    DEV(solve_system)(sys, &solve);
    CHECK(solve.converged && solve.iterations > 0);
    CHECK_LESS(error_of(sys), NEAR_ENOUGH);
    CHECK(sys->solver != SPATE_SOLVER_MULTIGRID || solve.iterations <= 8);
    if (test_failures > failures)
        printf("  with %s, %d iterations\n", solver_name(sys->solver), solve.iterations);
}

static void random_right_side(X(system) *sys)
{
    for (size_t k = 0; k < sys->grid.size; k++)
        sys->b[k] = sys->diagonal[k] > 0 ? (float)random_in(-1, 1) : 0.0f;
}

static bool create(X(system) *sys, const X(domain) *domain, spate_solver solver)
{
    memset(sys, 0, sizeof *sys);
    spate_status status = X(system_create)(sys, domain, solver, WHEN_ALWAYS, NULL);
    if (status == SPATE_OK && solver == SPATE_SOLVER_MULTIGRID)
        status = DEV(multigrid_create)(sys, NULL);
    CHECK(status == SPATE_OK);
    sys->q = calloc(domain->grid->size, sizeof *sys->q);
    return status == SPATE_OK;
}

static void destroy(X(system) *sys)
{
    free(sys->q);
    DEV(multigrid_destroy)(sys);
    X(system_destroy)(sys);
}

/* ---- without a simulation */

/* A grid and the tiles of its domain, all active. */
typedef struct place {
    X(grid) grid;
    spate_side sides[DIM][2];
    X(tiles) tiles;
    X(domain) domain;
} place;

static void begin_place(place *p, int nx, int ny, int nz, bool periodic)
{
    spate_scene *scene = scene_of_cells(0.07, nx, ny, nz);
    if (periodic)
        make_periodic(scene);
    memset(p, 0, sizeof *p);
    p->grid = X(grid_make)(scene);
    memcpy(p->sides, scene->domain.sides, sizeof p->sides);
    spate_scene_destroy(scene);
    p->tiles.active = calloc((size_t)p->grid.tile_count, sizeof *p->tiles.active);
    for (int tile = 0; tile < p->grid.tile_count; tile++) {
        int cell[DIM];
        X(tile_cell)(&p->grid, tile, cell);
        if (X(inside)(&p->grid, cell))
            p->tiles.active[p->tiles.active_count++] = tile;
    }
    const place *made = p;
    p->domain = (X(domain)){&made->grid, made->sides, &made->tiles, sp_pool_create(2, NULL, NULL)};
}

static void end_place(place *p)
{
    sp_pool_destroy(p->domain.pool);
    free(p->tiles.active);
}

/* All cells but those of a ball. */
static bool is_unknown(const X(grid) *g, const int c[DIM])
{
    double square = 0;
    for (int d = 0; d < DIM; d++)
        square += (c[d] - 0.4 * g->n[d]) * (c[d] - 0.4 * g->n[d]);
    return square > 0.04 * g->n[0] * g->n[0];
}

/* Faces that conduct by chance, and an excess by chance. */
static void make_matrix(X(system) *sys)
{
    const X(grid) *g = &sys->grid;
    int c[DIM] = {0}, near[DIM];
    do
        FOR_DIM(d)
            if (is_unknown(g, c) && neighbour(g, c, d, 0, near) && is_unknown(g, near))
                sys->a[d][X(index)(g, c)] = (float)random_in(0.1, 1);
    while (next_cell(c, g->n));
    do
        if (is_unknown(g, c))
            sys->diagonal[X(index)(g, c)] =
                (float)(random_in(EXCESS, 4 * EXCESS) + sum_faces(sys, c, NULL));
    while (next_cell(c, g->n));
    FOR_DIM(d)
        X(fill_border_periodic)(sys->domain, sys->a[d], -1);
    for (int k = 0; k < sys->domain->tiles->active_count; k++) {
        int tile = sys->domain->tiles->active[k];
        size_t base = X(tile_index)(g, tile);
        for (int r = 0; r < TILE_ROWS; r++)
            for (size_t i = 0; i < TILE; i++)
                if (sys->diagonal[base + X(row_offset)(g, r) + i] > 0)
                    sys->rows[tile] |= UINT64_C(1) << r;
        if (!sys->rows[tile])
            continue;
        sys->unknown[tile] = UNKNOWN_CUT;
        sys->levels[0].tiles[sys->levels[0].tile_count++] = tile;
    }
}

static void check_alone(int nx, int ny, int nz, bool periodic)
{
    place p;
    begin_place(&p, nx, ny, nz, periodic);
    for (int k = 0; k < SOLVERS; k++) {
        X(system) sys;
        test_random_state = 5;
        if (create(&sys, &p.domain, all_solvers[k])) {
            make_matrix(&sys);
            random_right_side(&sys);
            check_solve(&sys);
            random_right_side(&sys); /* from a solution of another one */
            check_solve(&sys);
        }
        destroy(&sys);
    }
    end_place(&p);
}

static void without_a_simulation(void)
{
    check_alone(DIM == 2 ? 45 : 19, DIM == 2 ? 37 : 14, 17, false);
    check_alone(DIM == 2 ? 2 * TILE : 12, TILE, 11, false); /* one level in 3D */
}

static void across_periodic_sides(void)
{
    check_alone(DIM == 2 ? 46 : 18, DIM == 2 ? 38 : 14, 16, true);
    check_alone(2 * TILE, 2 * TILE, 2 * TILE, true);
}

/* ---- beside the pressure */

/* The heat of the liquid: the pressure's faces, closed to the air. */
static void make_beside(X(system) *sys, const X(system) *pressure)
{
    size_t tiles = (size_t)sys->grid.tile_count;
    int c[DIM] = {0};
    FOR_DIM(d)
        memcpy(sys->a[d], pressure->a[d], sys->grid.size * sizeof *sys->a[d]);
    do {
        size_t here = X(index)(&sys->grid, c);
        if (pressure->diagonal[here] > 0)
            sys->diagonal[here] = (float)(EXCESS + sum_faces(sys, c, NULL));
    } while (next_cell(c, sys->grid.n));
    memcpy(sys->rows, pressure->rows, tiles * sizeof *sys->rows);
    sys->levels[0].tile_count = pressure->levels[0].tile_count;
    for (int k = 0; k < sys->levels[0].tile_count; k++) {
        sys->levels[0].tiles[k] = pressure->levels[0].tiles[k];
        sys->unknown[sys->levels[0].tiles[k]] = UNKNOWN_CUT;
    }
}

static fixture *tank(spate_solver solver)
{
    const int n = DIM == 2 ? 40 : 18;
    spate_scene *scene = scene_of_cells(0.03, n, n, n);
    scene->gravity[1] = -9.81;
    scene->pressure.solver = solver;
    add_box(scene, SPATE_LIST_FILL, (double[3]){0, 0, 0}, (double[3]){n, 0.7 * n, n});
    add_ball(scene, SPATE_LIST_SOLIDS, (double[3]){0.5 * n, 0.4 * n, 0.5 * n}, 0.2 * n);
    fixture *f = fixture_create(scene);
    if (f) {
        run_stages(f, SP_STAGE_SORT, SP_STAGE_FORCES, 0.01);
        DEV(system_assemble)(f->s, 0.01, 1);
    }
    return f;
}

/* Two systems on one grid: a solve of one leaves the other as it is, bit by bit. */
static void beside_the_pressure(void)
{
    for (int k = 0; k < SOLVERS; k++) {
        X(system) sys;
        fixture *f = tank(all_solvers[k]);
        if (!f)
            return;
        size_t bytes = f->s->grid.size * sizeof(float);
        float *q = malloc(bytes);
        CHECK(solve_cold(f, 1e-3, 20000).converged);
        memcpy(q, f->s->system.q, bytes);
        test_random_state = 9;
        if (create(&sys, &f->s->domain, all_solvers[k])) {
            make_beside(&sys, &f->s->system);
            random_right_side(&sys);
            check_solve(&sys);
        }
        CHECK(memcmp(q, f->s->system.q, bytes) == 0);
        CHECK(solve_cold(f, 1e-3, 20000).converged);
        CHECK(memcmp(q, f->s->system.q, bytes) == 0);
        destroy(&sys);
        free(q);
        fixture_destroy(f);
    }
}

TESTS(system)
{
    TEST(without_a_simulation);
    TEST(across_periodic_sides);
    TEST(beside_the_pressure);
}
