/* test_cycle.c -- the V-cycle as an operator, its coarse grids, the kinds of tiles it is made for,
 * a second right side on the same matrix, and pockets against a plain flood fill. */
#include "pressure_fixture.h"

#include "cpu/pressure/block.h"

#define DT 0.01

static void fill_box(spate_scene *scene, double x, double y, double z)
{
    const double low[3] = {0, 0, 0}, high[3] = {x, y, z};
    add_box(scene, SPATE_LIST_FILL, low, high);
}

/* n cells wide, filled to a height in cells, a ball in the middle; or periodic, the ball across the
 * seam. */
static fixture *tank_to(double height, int n, bool ball, bool periodic)
{
    spate_scene *scene = scene_of_cells(0.03, n, n, n);
    scene->gravity[1] = -9.81;
    scene->fluid.jitter = 0;
    fill_box(scene, n, height, n);
    if (periodic)
        scene->domain.sides[0][0] = scene->domain.sides[0][1] = SPATE_SIDE_PERIODIC;
    const double middle[3] = {periodic ? 1 : 0.5 * n, 0.4 * n, 0.5 * n};
    if (ball)
        add_ball(scene, SPATE_LIST_SOLIDS, middle, 0.2 * n);
    fixture *f = fixture_create(scene);
    if (!f)
        return NULL;
    run_stages(f, SP_STAGE_SORT, SP_STAGE_FORCES, DT);
    DEV(system_assemble)(f->s, DT, 1);
    DEV(multigrid_build)(&f->s->system);
    return f;
}

/* Three quarters full. */
static fixture *tank(int n, bool ball, bool periodic)
{
    return tank_to(0.75 * n, n, ball, periodic);
}

/* ---- the cycle */

static void random_vector(fixture *f, float *out)
{
    const X(level) *l = &f->s->system.levels[0];
    for (size_t k = 0; k < (size_t)(l->tile_count + 1) * TILE_CELLS; k++) {
        bool unknown =
            k >= TILE_CELLS && (l->kind[k / TILE_CELLS] == KIND_UNIFORM || l->inverse[k] > 0);
        out[k] = unknown ? (float)random_in(-1, 1) : 0.0f;
    }
}

/* Leaves M^-1 r in z; returns what the solver takes for r . z. */
static double cycle(fixture *f, const float *r, float *z, int extra)
{
    X(level) *l = &f->s->system.levels[0];
    size_t bytes = (size_t)(l->tile_count + 1) * TILE_CELLS * sizeof(float);
    memcpy(l->b, r, bytes);
    double dot = DEV(multigrid_apply)(&f->s->system, extra);
    memcpy(z, l->x, bytes);
    return dot;
}

static double dot(const fixture *f, const float *a, const float *b)
{
    double sum = 0;
    for (size_t k = 0; k < (size_t)(f->s->system.levels[0].tile_count + 1) * TILE_CELLS; k++)
        sum += (double)a[k] * b[k];
    return sum;
}

/* extra: sweeps in tiles that are not uniform */
static void check_symmetric_with(fixture *f, int extra)
{
    size_t size = (size_t)(f->s->system.levels[0].tile_count + 1) * TILE_CELLS;
    float *v[4];
    for (int k = 0; k < 4; k++)
        v[k] = calloc(size, sizeof(float));
    test_random_state = 7;
    random_vector(f, v[0]);
    random_vector(f, v[1]);
    double first = cycle(f, v[0], v[2], extra), second = cycle(f, v[1], v[3], extra);
    double scale = sqrt(first * second);
    CHECK(first > 0 && second > 0);
    CHECK_NEAR(dot(f, v[0], v[2]), first, 1e-6 * first);
    CHECK_NEAR(dot(f, v[1], v[2]), dot(f, v[0], v[3]), 1e-5 * scale);
    CHECK(fabs(dot(f, v[1], v[2])) > 1e-4 * scale); /* or the last check says nothing */
    /* from the same right side the same again: nothing is left over from the last cycle */
    float *again = calloc(size, sizeof(float));
    cycle(f, v[0], again, extra);
    CHECK(memcmp(again, v[2], size * sizeof(float)) == 0);
    free(again);
    for (int k = 0; k < 4; k++)
        free(v[k]);
}

static void check_symmetric(fixture *f)
{
    if (!f)
        return;
    check_symmetric_with(f, 0);
    check_symmetric_with(f, 1);
    fixture_destroy(f);
}

static void cycle_is_symmetric(void)
{
    check_symmetric(tank(DIM == 2 ? 48 : 24, false, false));
    check_symmetric(tank(DIM == 2 ? 50 : 27, true, false));
}

/* Coarse cells whose diagonal is less than the sum of their faces. */
static int count_too_small(const fixture *f)
{
    int count = 0;
    for (int k = 1; k < f->s->system.level_count; k++) {
        const X(level) *l = &f->s->system.levels[k];
        int c[DIM] = {0};
        do {
            size_t at = X(index)(&l->grid, c);
            double sum = 0;
            for (int d = 0; d < DIM; d++)
                sum += (double)l->a[d][at] + (double)l->a[d][at + l->grid.stride[d]];
            count += l->diagonal[at] < (1 - 1e-5) * sum;
        } while (next_cell(c, l->grid.n));
    }
    return count;
}

/* Few layers above tiles that are full: what the two make of the faces between them must agree. */
static void thin_layers_over_full_tiles(void)
{
    for (int layers = 1; layers <= 4; layers++) {
        fixture *f = tank_to(2 * TILE + layers - 0.3, 3 * TILE, false, false);
        CHECK(f && count_too_small(f) == 0);
        check_symmetric(f);
    }
}

static void cycle_is_symmetric_across_periodic_sides(void)
{
    for (int n = 23; n <= 26; n += DIM == 3 && !test_full() ? 3 : 1)
        check_symmetric(tank(n, true, true));
    check_symmetric(tank(2 * TILE, false, true));
    check_symmetric(tank(3 * TILE, true, true));
}

/* ---- coarse grids */

/* A coarse cell of level 1: how many children are unknowns, their mean height in fine cells. */
static int children_of(const fixture *f, const int c[DIM], double *height)
{
    const X(grid) *g = &f->s->grid;
    int count = 0;
    *height = 0;
    for (int child = 0; child < 1 << DIM; child++) {
        int cell[DIM];
        bool inside = true;
        for (int d = 0; d < DIM; d++) {
            cell[d] = 2 * c[d] + (child >> d & 1);
            inside = inside && cell[d] < g->n[d];
        }
        if (!inside || !(f->s->system.diagonal[X(index)(g, cell)] > 0))
            continue;
        count++;
        *height += cell[1] + 0.5;
    }
    *height /= count > 0 ? count : 1;
    return count;
}

/* A pressure that grows with depth, in the middle of what a coarse cell has, drives the same flux
 * through all faces of a column and its surface: level 1 puts the surface where it is. */
static void check_still_water(double height)
{
    fixture *f = tank_to(height, 20, false, false);
    if (!f)
        return;
    const X(level) *l = &f->s->system.levels[1];
    const X(grid) *g = &f->s->grid;
    int column[DIM] = {6}, top = -1, checked = 0;
    column[DIM - 1] = 6;
    for (column[1] = 0; f->s->system.diagonal[X(index)(g, column)] > 0; column[1]++)
        top = column[1];
    column[1] = top;
    double excess = (double)f->s->system.diagonal[X(index)(g, column)] - (2 * DIM - 1);
    double surface = top + 0.5 + 1 / excess; /* 1/theta is what air adds */
    int c[DIM] = {3};
    c[DIM - 1] = 3;
    for (c[1] = 0; c[1] < l->grid.n[1]; c[1]++) {
        double own, next, sum = 0;
        size_t at = X(index)(&l->grid, c);
        int up[DIM];
        memcpy(up, c, sizeof up);
        up[1]++;
        if (children_of(f, c, &own) == 0)
            continue;
        for (int d = 0; d < DIM; d++)
            sum += (double)l->a[d][at] + (double)l->a[d][at + l->grid.stride[d]];
        double air = (double)l->diagonal[at] - sum, through = 0;
        if (children_of(f, up, &next) > 0)
            through = (double)l->a[1][at + l->grid.stride[1]] * (next - own);
        CHECK_NEAR(through + air * (surface - own), 2, 1e-3);
        checked++;
    }
    CHECK(checked == top / 2 + 1);
    fixture_destroy(f);
}

static void coarse_grids_know_where_the_surface_is(void)
{
    for (int k = 0; k < 8; k += DIM == 3 && !test_full() ? 3 : 1)
        check_still_water(10 + 0.5 * k); /* flat: all columns alike */
}

/* ---- kinds of tiles */

static int count_kind(const fixture *f, int kind)
{
    const X(level) *l = &f->s->system.levels[0];
    int count = 0;
    for (int slot = 1; slot <= l->tile_count; slot++)
        count += l->kind[slot] == kind;
    return count;
}

/* General tiles with or without faces that have to be read. */
static int count_uneven(const fixture *f, bool uneven)
{
    const X(level) *l = &f->s->system.levels[0];
    int count = 0;
    for (int slot = 1; slot <= l->tile_count; slot++)
        count += l->kind[slot] == KIND_GENERAL && (l->uneven[slot] != 0) == uneven;
    return count;
}

static void tiles_have_the_kind_that_they_need(void)
{
    fixture *f = tank(5 * TILE, false, false);
    if (!f)
        return;
    /* inside: not at a wall, not at the surface */
    int inner = 1;
    for (int d = 0; d < DIM; d++)
        inner *= d == 1 ? 2 : 3;
    CHECK(count_kind(f, KIND_UNIFORM) == inner);
    CHECK(count_uneven(f, true) == 0);
    CHECK(count_uneven(f, false) > 0);
    fixture_destroy(f);
    f = tank(5 * TILE, true, false);
    CHECK(f && count_uneven(f, true) > 0);
    CHECK(f && count_uneven(f, false) > 0);
    CHECK(f && count_kind(f, KIND_SEAM) == 0);
    fixture_destroy(f);
}

/* ---- two right sides */

static void another_right_side(void)
{
    fixture *f = tank(DIM == 2 ? 40 : 20, true, false);
    if (!f)
        return;
    X(system) *sys = &f->s->system;
    X(solve) solve = solve_cold(f, 1e-5, 100);
    CHECK(solve.converged);
    float *b = calloc(f->s->grid.size, sizeof *b), *q = calloc(f->s->grid.size, sizeof *q);
    float *own_b = sys->b, *own_q = sys->q;
    for (size_t k = 0; k < f->s->grid.size; k++)
        b[k] = sys->diagonal[k] > 0 ? (float)random_in(-1, 1) : 0.0f;
    sys->b = b;
    sys->q = q;
    solve = (X(solve)){.tolerance = 1e-5, .max_iterations = 100};
    CHECK(sys->hierarchy);
    DEV(solve_system)(sys, &solve);
    CHECK(solve.converged);
    CHECK_LESS(own_residual(f, true), 1.001e-5);
    CHECK(sys->hierarchy); /* built once */
    sys->b = own_b;
    sys->q = own_q;
    free(b);
    free(q);
    fixture_destroy(f);
}

/* ---- pockets */

/* Gives all unknowns that are connected with `start` by open faces a number, if they touch air 1;
 * whether they do. */
static bool flood(const fixture *f, const int start[DIM], uint8_t *seen, uint8_t number)
{
    size_t size = f->s->grid.size, length = 1;
    int(*queue)[DIM] = malloc(size * sizeof *queue);
    bool air = false;
    memcpy(queue[0], start, sizeof *queue);
    seen[X(index)(&f->s->grid, start)] = number;
    for (size_t next = 0; next < length; next++) {
        row own = row_of(f, queue[next]);
        double sum = 0;
        FOR_DIM(d)
            for (int side = 0; side < 2; side++) {
                int n = f->s->grid.n[d], near[DIM];
                sum += own.a[d][side];
                memcpy(near, queue[next], sizeof near);
                near[d] = (near[d] + (side ? 1 : -1) + n) % n;
                if (!(own.a[d][side] > 0) || seen[own.at[d][side]])
                    continue;
                seen[own.at[d][side]] = number;
                memcpy(queue[length++], near, sizeof near);
            }
        air = air || own.diagonal > sum * (1 + 1e-6);
    }
    for (size_t k = 0; k < length && air; k++)
        seen[X(index)(&f->s->grid, queue[k])] = 1;
    free(queue);
    return air;
}

/* Each cell of a pocket loses the mean of its right sides, the rest of the liquid loses nothing. In
 * a closed box the fluxes have the mean 0 anyway, so the right sides are others here. */
static void check_means(X(system) *sys, const uint8_t *seen)
{
    double sum[256] = {0}, size[256] = {0}, mean[256] = {0}, count[256] = {0}, worst = 0;
    int changed = 0;
    float *before = malloc(sys->grid.size * sizeof *before);
    for (size_t k = 0; k < sys->grid.size; k++)
        if (sys->diagonal[k] > 0) {
            sys->b[k] = before[k] = (float)random_in(0, seen[k]);
            mean[seen[k]] += before[k];
            count[seen[k]]++;
        }
    X(remove_pocket_means)(sys);
    for (size_t k = 0; k < sys->grid.size; k++)
        if (sys->diagonal[k] > 0) {
            sum[seen[k]] += sys->b[k];
            size[seen[k]] += fabs((double)sys->b[k]);
            if (seen[k] > 1)
                worst = fmax(worst, fabs(before[k] - sys->b[k] - mean[seen[k]] / count[seen[k]]) /
                                        seen[k]);
            changed += seen[k] == 1 && sys->b[k] != before[k];
        }
    CHECK(changed == 0);
    CHECK_LESS(worst, 1e-6);
    for (int number = 2; number < 256; number++)
        CHECK_LESS(fabs(sum[number]), 1e-6 * size[number] + 1e-12);
    free(before);
}

static void check_pockets(fixture *f, int wanted)
{
    if (!f)
        return;
    run_stages(f, SP_STAGE_SORT, SP_STAGE_FORCES, DT);
    X(system) *sys = &f->s->system;
    uint8_t *seen = calloc(f->s->grid.size, 1);
    int c[DIM] = {0}, pockets = 0, wrong = 0;
    /* as if all had been one pocket in the step before */
    memset(sys->pocket, 1, f->s->grid.size * sizeof *sys->pocket);
    memset(sys->pocketed, 1, (size_t)f->s->grid.tile_count * sizeof *sys->pocketed);
    DEV(system_assemble)(f->s, DT, 1);
    do {
        size_t at = X(index)(&f->s->grid, c);
        if (sys->diagonal[at] > 0 && !seen[at])
            pockets += !flood(f, c, seen, (uint8_t)(2 + pockets));
        wrong += sys->diagonal[at] > 0 && (sys->pocket[at] != 0) != (seen[at] > 1);
    } while (next_cell(c, f->s->grid.n));
    CHECK(wrong == 0);
    CHECK(pockets == wanted);
    check_means(sys, seen);
    free(seen);
    fixture_destroy(f);
}

/* A corridor that turns back and forth through many tiles, full of water; its end is a wall or
 * opens into the air above. */
static fixture *corridor(bool open)
{
    int n = DIM == 2 ? 50 : test_full() ? 30 : 24;
    spate_scene *scene = scene_of_cells(0.03, n, n, DIM == 2 ? 1 : 9);
    scene->gravity[1] = -9.81;
    fill_box(scene, n, open ? n - 2 : n, 9);
    for (int k = 1; k < n / 6; k++) {
        double low[3] = {k % 2 ? -5 : 4, 6.0 * k - 2, -5},
               high[3] = {k % 2 ? n - 4.0 : n + 5.0, 6.0 * k, 14};
        add_box(scene, SPATE_LIST_SOLIDS, low, high);
    }
    fixture *f = fixture_create(scene);
    test_random_state = 5;
    if (f)
        shake(f, 1);
    return f;
}

static void pockets_in_a_corridor(void)
{
    check_pockets(corridor(true), 0);
    check_pockets(corridor(false), 1);
}

/* Compartments with walls of two cells, some full, some not. */
static void many_pockets(void)
{
    int n = 33, full = 0;
    spate_scene *scene = scene_of_cells(0.03, n, n, DIM == 2 ? 1 : 9);
    for (int k = 0; k < 2; k++) {
        const double low[3] = {k == 0 ? 10 : -5, k == 0 ? -5 : 10, -5};
        const double high[3] = {k == 0 ? 12 : n + 5, k == 0 ? n + 5 : 12, 14};
        add_box(scene, SPATE_LIST_SOLIDS, low, high);
    }
    for (int k = 0; k < 4; k++) {
        bool top = k != 1; /* one keeps some air */
        const double low[3] = {k & 1 ? 12 : 0, k & 2 ? 12 : 0, 0};
        const double high[3] = {k & 1 ? n : 10, (k & 2 ? n : 10) - (top ? 0 : 3), 9};
        add_box(scene, SPATE_LIST_FILL, low, high);
        full += top;
    }
    fixture *f = fixture_create(scene);
    test_random_state = 6;
    if (f)
        shake(f, 1);
    check_pockets(f, full);
}

TESTS(cycle)
{
    TEST(cycle_is_symmetric);
    TEST(thin_layers_over_full_tiles);
    TEST(cycle_is_symmetric_across_periodic_sides);
    TEST(coarse_grids_know_where_the_surface_is);
    TEST(tiles_have_the_kind_that_they_need);
    TEST(another_right_side);
    TEST(pockets_in_a_corridor);
    TEST(many_pockets);
}
