/* test_projection.c -- the stage PRESSURE: what is left of the divergence, hydrostatic pressure,
 * and liquids that have no free surface, no neighbours or no cell at all.
 *
 * Cells are never 1 m here: a missing dx or dt shows at 0.01 m and at 3 m. */
#include "pressure_fixture.h"

/* ---- divergence */

/* Largest |div u| dt over the cells with an equation, taken here from the open parts of the faces;
 * of cells that part from a wall, -div u dt: they may only lose. */
static double divergence(const fixture *f, double dt)
{
    int c[DIM] = {0};
    double worst = 0;
    do {
        row own = row_of(f, c);
        bool parted = f->s->parted[X(index)(&f->s->grid, c)];
        if (own.diagonal > 0)
            worst = fmax(worst, (parted ? -own.flux : fabs(own.flux)) * dt / f->s->grid.dx);
    } while (next_cell(c, f->s->grid.n));
    return worst;
}

/* Solids and surface: both exact, or both of whole cells. */
static void set_models(spate_scene *scene, bool voxel)
{
    scene->pressure.solids = voxel ? SPATE_SOLID_MODEL_VOXEL : SPATE_SOLID_MODEL_CUT;
    scene->pressure.surface = voxel ? SPATE_SURFACE_MODEL_VOXEL : SPATE_SURFACE_MODEL_GHOST;
}

/* A pool with a ball in it, a drop above, x periodic if asked; every particle with its own
 * velocity. */
static fixture *wild_pool(spate_solver solver, double dx, double dt, int n, bool periodic,
                          bool voxel)
{
    spate_scene *scene = scene_of_cells(dx, n, n, DIM == 3 ? 9 : 0);
    const double low[3] = {0, 0, 0}, high[3] = {n, 0.6 * n, 9};
    const double middle[3] = {0.4 * n, 0.3 * n, 4.2}, above[3] = {0.7 * n, 0.85 * n, 5};
    scene->gravity[1] = -9.81;
    scene->pressure.solver = solver;
    scene->pressure.max_iterations = 20000;
    set_models(scene, voxel);
    if (periodic)
        scene->domain.sides[0][0] = scene->domain.sides[0][1] = SPATE_SIDE_PERIODIC;
    add_box(scene, SPATE_LIST_FILL, low, high);
    add_ball(scene, SPATE_LIST_FILL, above, 1.6);
    add_ball(scene, SPATE_LIST_SOLIDS, middle, 0.14 * n);
    fixture *f = fixture_create(scene);
    test_random_state = 5;
    if (f)
        shake(f, 0.5 * dx / dt);
    return f;
}

static void check_solver(spate_solver solver, double dx, double dt, int n, bool periodic,
                         bool voxel)
{
    fixture *f = wild_pool(solver, dx, dt, n, periodic, voxel);
    if (!f)
        return;
    run_stages(f, SP_STAGE_SORT, SP_STAGE_FORCES, dt);
    run_stage(f, SP_STAGE_PRESSURE, dt);
    CHECK(f->common.divergence_before > 0.05);
    CHECK_LESS(f->common.divergence_after, 1e-4);
    CHECK_LESS(f->common.solver_residual, 1e-4);
    CHECK_NEAR(divergence(f, dt), f->common.divergence_after, 1e-9);
    CHECK_LESS(divergence(f, dt), 1e-4);
    CHECK(f->common.solver_failures == 0 && f->common.solver_iterations > 0);
    /* twice is not different from once: nothing is left to do, by no pressure */
    f->common.divergence_before = 0;
    f->s->device->clear_pressure(f->s);
    run_stage(f, SP_STAGE_PRESSURE, dt);
    CHECK_LESS(f->common.divergence_before, 1e-4);
    fixture_destroy(f);
}

static void check_sizes(spate_solver solver)
{
    int n = DIM == 2 ? 20 : 10;
    for (int voxel = 0; voxel < 2; voxel++) {
        check_solver(solver, 0.01, 0.002, n, false, voxel);
        check_solver(solver, 3, 0.1, n, false, voxel);
        check_solver(solver, 3, 0.7, n + 3, true, voxel);
        check_solver(solver, 0.01, 0.0004, 16, true, voxel);
    }
}

static void multigrid_removes_the_divergence(void)
{
    check_sizes(SPATE_SOLVER_MULTIGRID);
}

static void pcg_removes_the_divergence(void)
{
    check_sizes(SPATE_SOLVER_PCG);
}

static void gauss_seidel_removes_the_divergence(void)
{
    check_sizes(SPATE_SOLVER_GAUSS_SEIDEL);
}

static void jacobi_removes_the_divergence(void)
{
    check_sizes(SPATE_SOLVER_JACOBI);
}

/* The solvers find the same velocity. */
static void check_agreement(bool voxel)
{
    fixture *f[SOLVERS];
    double worst = 0;
    for (int k = 0; k < SOLVERS; k++) {
        f[k] = wild_pool(all_solvers[k], 0.01, 0.002, 12, false, voxel);
        if (!f[k])
            return;
        f[k]->common.scene->pressure.tolerance = 1e-6;
        run_stages(f[k], SP_STAGE_SORT, SP_STAGE_PRESSURE, 0.002);
    }
    int c[DIM] = {0};
    do
        FOR_DIM(d) {
            size_t at = X(index)(&f[0]->s->grid, c);
            for (int k = 1; k < SOLVERS;
                 k++) /* slivers of faces carry nothing: what counts is the flux */
                worst = fmax(worst, f[0]->s->w[d][at] *
                                        fabs((double)f[k]->s->u[d][at] - f[0]->s->u[d][at]));
        }
    while (next_cell(c, f[0]->s->grid.n));
    CHECK_LESS(worst * 0.002 / 0.01, 5e-5); /* cells per step */
    for (int k = 0; k < SOLVERS; k++)
        fixture_destroy(f[k]);
}

static void solvers_agree(void)
{
    check_agreement(false);
    check_agreement(true);
}

/* A budget that is too small is reported, not hidden, and with on_failure = error it ends the run.
 */
static void a_failed_solve_is_reported(void)
{
    fixture *f = wild_pool(SPATE_SOLVER_JACOBI, 0.01, 0.002, 12, false, false);
    if (!f)
        return;
    f->common.scene->pressure.max_iterations = 2;
    run_stages(f, SP_STAGE_SORT, SP_STAGE_PRESSURE, 0.002);
    CHECK(f->common.solver_failures == 1);
    CHECK(f->common.solver_residual > 1e-3);
    f->common.scene->pressure.on_failure = SPATE_ON_FAILURE_ERROR;
    spate_error error = {.status = SPATE_OK};
    run_stages(f, SP_STAGE_SORT, SP_STAGE_FORCES, 0.002);
    CHECK(X(run_stage)(f->s, SP_STAGE_PRESSURE, 0.002, &error) == SPATE_ERROR_SIMULATION);
    CHECK_TEXT(error.where, "pressure");
    fixture_destroy(f);
}

/* ---- hydrostatic pressure */

static void check_column(double dx, double dt, int steps, bool voxel)
{
    const int height = 10;
    const double low[3] = {0, 0, 0}, high[3] = {6, height, 6}, density = 850, g = 9.81;
    spate_scene *scene = scene_of_cells(dx, 6, 16, 6);
    scene->gravity[1] = -g;
    scene->fluid.density = density;
    scene->fluid.jitter = 0;
    set_models(scene, voxel);
    add_box(scene, SPATE_LIST_FILL, low, high);
    fixture *f = fixture_create(scene);
    if (!f)
        return;
    run_steps(f, steps, dt);
    double cell = density * g * dx, worst = 0, speed = 0;
    int c[DIM] = {0};
    do {
        if (c[1] >= height)
            continue;
        double wanted = density * g * (height - c[1] - 0.5) * dx;
        worst = fmax(worst, fabs(f->s->p[X(index)(&f->s->grid, c)] - wanted));
    } while (next_cell(c, f->s->grid.n));
    CHECK_LESS(worst,
               (voxel ? 0.55 : 0.05) * cell); /* whole cells: the surface is half a cell too high */
    for (uint32_t k = 0; k < f->s->particles.count; k++)
        FOR_DIM(d)
            speed = fmax(speed, fabs((double)f->s->particles.v[d][k]));
    CHECK_LESS(speed, 0.02 * g * dt * steps); /* it rests */
    fixture_destroy(f);
}

static void pressure_is_hydrostatic(void)
{
    for (int voxel = 0; voxel < 2; voxel++) {
        check_column(0.01, 0.001, 1, voxel);
        check_column(0.01, 0.004, 10, voxel);
        check_column(3, 0.02, 1, voxel);
        check_column(3, 0.1, 10, voxel);
    }
}

/* ---- liquids that are not a pool */

static bool all_finite(const fixture *f)
{
    for (uint32_t k = 0; k < f->s->particles.count; k++)
        FOR_DIM(d) {
            float x = f->s->particles.x[d][k], v = f->s->particles.v[d][k];
            if (!(x >= 0.0f && x <= (float)f->s->grid.n[d]) || !(fabsf(v) < 1e6f))
                return false;
        }
    return true;
}

/* Three wild steps; takes the scene over. Every solver must get through. */
static void check_survives(spate_scene *scene, int at_least)
{
    for (int k = 0; k < 2 * SOLVERS; k++) {
        spate_scene *own = spate_scene_copy(scene);
        own->gravity[1] = -9.81;
        own->pressure.solver = all_solvers[k / 2];
        set_models(own, k % 2);
        own->pressure.max_iterations = 5000;
        fixture *f = fixture_create(own);
        if (!f)
            break;
        uint32_t count = f->s->particles.count;
        CHECK((int)count >= at_least);
        shake(f, 2);
        run_steps(f, 3, 0.01);
        CHECK(all_finite(f));
        CHECK(f->common.solver_failures == 0);
        CHECK_LESS(f->common.divergence_after, 1e-4);
        CHECK(f->s->particles.count == count);
        fixture_destroy(f);
    }
    spate_scene_destroy(scene);
}

static void full_closed_box(void)
{
    const double low[3] = {0, 0, 0}, high[3] = {9, 9, 9};
    spate_scene *scene = scene_of_cells(0.05, 9, 9, 9);
    add_box(scene, SPATE_LIST_FILL, low, high);
    check_survives(scene, 4 * 81);
}

static void full_periodic_box(void)
{
    const double low[3] = {0, 0, 0}, high[3] = {10, 10, 10};
    spate_scene *scene = scene_of_cells(0.05, 10, 10, 10);
    make_periodic(scene);
    add_box(scene, SPATE_LIST_FILL, low, high);
    check_survives(scene, 4 * 100);
}

static void domain_of_one_cell(void)
{
    const double low[3] = {0, 0, 0}, high[3] = {1, 1, 1};
    spate_scene *scene = scene_of_cells(0.05, 1, 1, 1);
    add_box(scene, SPATE_LIST_FILL, low, high);
    check_survives(scene, 4);
}

/* A cavity in a block: its liquid touches no air. One cell wide it has no open face at all. Beside
 * it a pool with air. */
static void pockets(void)
{
    for (int width = DIM == 2 || test_full() ? 1 : 3; width <= 3; width += 2) {
        const double size = 16, a = 4, b = 4 + width;
        const double pool_low[3] = {10, 0, 0}, pool_high[3] = {size, 5, size};
        const double cavity_low[3] = {a, a, a}, cavity_high[3] = {b, b, b};
        spate_scene *scene = scene_of_cells(0.05, 16, 16, 16);
        add_box(scene, SPATE_LIST_FILL, cavity_low, cavity_high);
        add_box(scene, SPATE_LIST_FILL, pool_low, pool_high);
        for (int d = 0; d < DIM; d++)
            for (int side = 0; side < 2; side++) {
                double low[3] = {2, 2, 2}, high[3] = {9, 9, 9};
                low[d] = side ? b : 2;
                high[d] = side ? 9 : a;
                add_box(scene, SPATE_LIST_SOLIDS, low, high);
            }
        check_survives(scene, 4 * width * width + 4 * 30);
    }
}

/* Single cells of liquid in the air and in the corners of the floor. */
static void single_cell_pools(void)
{
    spate_scene *scene = scene_of_cells(0.05, 12, 12, 12);
    const int places[5][3] = {{0, 0, 0}, {11, 0, 11}, {5, 0, 5}, {5, 9, 5}, {8, 11, 8}};
    for (int k = 0; k < 5; k++) {
        const double low[3] = {places[k][0], places[k][1], places[k][2]};
        const double high[3] = {low[0] + 1, low[1] + 1, low[2] + 1};
        add_box(scene, SPATE_LIST_FILL, low, high);
    }
    check_survives(scene, 5 * 4);
}

static void all_solid(void)
{
    const double low[3] = {-1, -1, -1}, high[3] = {11, 11, 11}, inner[3] = {10, 10, 10},
                 zero[3] = {0, 0, 0};
    spate_scene *scene = scene_of_cells(0.05, 10, 10, 10);
    add_box(scene, SPATE_LIST_FILL, zero, inner);
    add_box(scene, SPATE_LIST_SOLIDS, low, high);
    check_survives(scene, 0);
}

static void empty_domain(void)
{
    check_survives(scene_of_cells(0.05, 10, 10, 10), 0);
}

/* Cells that separate from a wall, and solver iterations, in a step of a column on the floor that
 * gravity pulls up. */
static int separated(bool contact, uint64_t *iterations)
{
    spate_scene *scene = scene_of_cells(0.05, 20, 20, DIM == 3 ? 9 : 0);
    const double low[3] = {6, 0, 0}, high[3] = {14, 6, 9};
    scene->gravity[1] = 9.81;
    scene->pressure.contact = contact;
    add_box(scene, SPATE_LIST_FILL, low, high);
    fixture *f = fixture_create(scene);
    int c[DIM] = {0}, count = 0;
    if (!f || !run_steps(f, 3, 0.01))
        return -1;
    do
        count += f->s->parted[X(index)(&f->s->grid, c)] != 0;
    while (next_cell(c, f->s->grid.n));
    *iterations = f->common.solver_iterations;
    fixture_destroy(f);
    return count;
}

static void without_contact_nothing_separates(void)
{
    uint64_t with = 0, without = 0;
    CHECK(separated(true, &with) > 0);
    CHECK(separated(false, &without) == 0);
    CHECK(without > 0 && without < with);
}

TESTS(projection)
{
    TEST(without_contact_nothing_separates);
    TEST(multigrid_removes_the_divergence);
    TEST(pcg_removes_the_divergence);
    TEST(gauss_seidel_removes_the_divergence);
    TEST(jacobi_removes_the_divergence);
    TEST(solvers_agree);
    TEST(a_failed_solve_is_reported);
    TEST(pressure_is_hydrostatic);
    TEST(full_closed_box);
    TEST(full_periodic_box);
    TEST(domain_of_one_cell);
    TEST(pockets);
    TEST(single_cell_pools);
    TEST(all_solid);
    TEST(empty_domain);
}
