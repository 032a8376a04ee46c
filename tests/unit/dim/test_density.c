/* test_density.c -- the density projection (src/cpu/density.c): where particles go and where they
 * stay, at the surface, at walls and solids, in closed pockets, and what is booked. */
#include "fixture.h"

#include "kernels/density.h"

#define DX 0.07
#define DT 0.004

static spate_scene *density_scene(int n)
{
    spate_scene *scene = scene_of_cells(DX, n, n, n);
    scene->volume.method = SPATE_VOLUME_DENSITY;
    return scene;
}

/* A pool n cells wide and as deep as said, on a lattice. */
static spate_scene *pool(int n, double depth)
{
    const double low[3] = {0, 0, 0}, high[3] = {n, depth, n};
    spate_scene *scene = density_scene(n);
    scene->fluid.jitter = 0;
    add_box(scene, SPATE_LIST_FILL, low, high);
    return scene;
}

/* Adds `per_axis`^DIM particles to each cell of a box of cells, at rest. */
static void add_lattice(fixture *f, const int low[3], const int high[3], int per_axis)
{
    int n[DIM], k[DIM] = {0};
    const float still[DIM] = {0};
    FOR_DIM(d)
        n[d] = (high[d] - low[d]) * per_axis;
    do {
        float x[DIM];
        FOR_DIM(d)
            x[d] = (float)low[d] + ((float)k[d] + 0.37f) / (float)per_axis;
        put_particle(f, x, still);
    } while (next_cell(k, n));
}

typedef struct places {
    float *x[DIM];
    uint32_t count;
} places;

static places remember(const fixture *f)
{
    places p = {.count = f->s->particles.count};
    FOR_DIM(d) {
        p.x[d] = malloc(p.count * sizeof(float));
        memcpy(p.x[d], f->s->particles.x[d], p.count * sizeof(float));
    }
    return p;
}

static void forget(places *p)
{
    FOR_DIM(d)
        free(p->x[d]);
}

/* The longest way (cells) since they were remembered. */
static double longest_way(const fixture *f, const places *p)
{
    double most = 0;
    CHECK(p->count == f->s->particles.count);
    for (uint32_t k = 0; k < p->count; k++) {
        double square = 0;
        for (int d = 0; d < DIM; d++) {
            double way = (double)f->s->particles.x[d][k] - p->x[d][k];
            square += way * way;
        }
        most = fmax(most, sqrt(square));
    }
    return most;
}

/* SEPARATE, and ADVECT through a field at rest: particles go by the displacement alone. */
static void displace(fixture *f)
{
    run_stage(f, SP_STAGE_SEPARATE, DT);
    FOR_DIM(d)
        memset(f->s->u[d], 0, f->s->grid.size * sizeof(float));
    run_stage(f, SP_STAGE_ADVECT, DT);
}

/* One step up to SEPARATE, and its displacement: the longest way of a particle in it. */
static double separate(fixture *f)
{
    run_stages(f, SP_STAGE_SORT, SP_STAGE_G2P, DT);
    places before = remember(f);
    displace(f);
    double way = longest_way(f, &before);
    forget(&before);
    return way;
}

/* Largest and smallest density of the cells of a box, after SORT, SOLIDS and SURFACE. */
static void density_range(fixture *f, const int low[3], const int high[3], double *least,
                          double *most)
{
    int n[DIM], k[DIM] = {0};
    run_stages(f, SP_STAGE_SORT, SP_STAGE_SURFACE, DT);
    *least = HUGE_VAL;
    *most = 0;
    FOR_DIM(d)
        n[d] = high[d] - low[d];
    do {
        int c[DIM];
        FOR_DIM(d)
            c[d] = low[d] + k[d];
        double density = f->s->density[X(index)(&f->s->grid, c)];
        *least = fmin(*least, density);
        *most = fmax(*most, density);
    } while (next_cell(k, n));
}

/* ---- what stays */

/* A lattice has density 1 up to the walls; a flat surface, wherever it lies in its cell, and a
 * sheet thinner than the kernel are no error. */
static void full_water_stays(void)
{
    const int low[3] = {0, 0, 0}, high[3] = {18, 7, 18};
    for (int k = 0; k < 4; k++) {
        fixture *f = fixture_create(pool(18, 8.5 + 0.5 * k));
        double least, most;
        if (!f)
            return;
        density_range(f, low, high, &least, &most);
        CHECK_NEAR(least, 1, 1e-5);
        CHECK_NEAR(most, 1, 1e-5);
        CHECK_LESS(separate(f), 2e-5);
        fixture_destroy(f);
    }
    const double from[3] = {3, 6, 3}, to[3] = {15, 7, 15};
    spate_scene *scene = density_scene(18);
    add_box(scene, SPATE_LIST_FILL, from, to);
    scene->fluid.jitter = 0;
    fixture *sheet = fixture_create(scene);
    if (!sheet)
        return;
    CHECK_LESS(separate(sheet), 1e-6);
    fixture_destroy(sheet);
}

static void nothing_and_one_particle(void)
{
    const float x[3] = {4.3f, 5.1f, 6.2f}, v[3] = {0, 0, 0};
    fixture *f = fixture_create(density_scene(10));
    if (!f)
        return;
    run_steps(f, 2, DT);
    put_particle(f, x, v);
    CHECK(separate(f) == 0);
    fixture_destroy(f);
}

/* Velocities are not touched, and with method none neither are places. */
static void moves_places_alone(void)
{
    const int low[3] = {7, 3, 7}, high[3] = {10, 5, 10};
    for (int none = 0; none < 2; none++) {
        spate_scene *scene = pool(18, 9);
        if (none)
            scene->volume.method = SPATE_VOLUME_NONE;
        fixture *f = fixture_create(scene);
        if (!f)
            return;
        add_lattice(f, low, high, 2);
        shake(f, 0.5);
        run_stages(f, SP_STAGE_SORT, SP_STAGE_G2P, DT);
        uint32_t count = f->s->particles.count;
        float *v = malloc(count * sizeof *v);
        places before = remember(f);
        memcpy(v, f->s->particles.v[1], count * sizeof *v);
        displace(f);
        double way = longest_way(f, &before);
        CHECK(none ? way == 0 : way > 0.05);
        CHECK(memcmp(v, f->s->particles.v[1], count * sizeof *v) == 0);
        free(v);
        forget(&before);
        fixture_destroy(f);
    }
}

/* ---- what moves */

/* Twice as many particles as belong into a block: they spread, and the level rises by as much. */
static void excess_spreads(spate_solver solver, spate_surface_model surface, double limit)
{
    const int low[3] = {6, 2, 6}, high[3] = {11, 5, 11}, all[3] = {0, 0, 0}, deep[3] = {18, 7, 18};
    spate_scene *scene = pool(18, 9);
    scene->pressure.solver = solver;
    scene->pressure.surface = surface;
    fixture *f = fixture_create(scene);
    double least, most;
    if (!f)
        return;
    add_lattice(f, low, high, 2);
    density_range(f, all, deep, &least, &most);
    CHECK_NEAR(most, 2, 0.05);
    run_steps(f, 25, DT);
    density_range(f, all, deep, &least, &most);
    CHECK_LESS(most, 1 + limit);
    CHECK_LESS(1 - limit, least);
    if (surface == SPATE_SURFACE_MODEL_GHOST) {
        spate_stats stats = {0};
        f->s->host->stats(f->s, &stats);
        CHECK_NEAR(stats.volume / stats.volume_particles, 1, 0.01);
    }
    fixture_destroy(f);
}

static void excess_spreads_with_every_solver(void)
{
    excess_spreads(SPATE_SOLVER_MULTIGRID, SPATE_SURFACE_MODEL_GHOST, 0.1);
    excess_spreads(SPATE_SOLVER_MULTIGRID, SPATE_SURFACE_MODEL_VOXEL, 0.1);
    excess_spreads(SPATE_SOLVER_PCG, SPATE_SURFACE_MODEL_GHOST, 0.1);
    excess_spreads(SPATE_SOLVER_GAUSS_SEIDEL, SPATE_SURFACE_MODEL_GHOST, 0.1);
    excess_spreads(SPATE_SOLVER_JACOBI, SPATE_SURFACE_MODEL_GHOST, 0.1);
}

/* A block inside the water loses a third of its particles: it fills up again. */
static void thin_water_fills_up(void)
{
    const int all[3] = {0, 0, 0}, deep[3] = {18, 6, 18};
    fixture *f = fixture_create(pool(18, 10));
    double least, most;
    if (!f)
        return;
    X(particles) *p = &f->s->particles;
    for (uint32_t k = 0; k < p->count; k++) {
        bool block = true;
        FOR_DIM(d)
            block = block && p->x[d][k] > (d == 1 ? 2 : 6) && p->x[d][k] < (d == 1 ? 5 : 11);
        if (block && p->id[0][k] % 3 == 0)
            p->x[0][k] = DEAD;
    }
    X(particles_remove_dead)(&f->s->particles);
    density_range(f, all, deep, &least, &most);
    CHECK_LESS(least, 0.75);
    run_steps(f, 25, DT);
    density_range(f, all, deep, &least, &most);
    CHECK_LESS(0.9, least);
    CHECK_LESS(most, 1.1);
    fixture_destroy(f);
}

/* Far too much in a large block: no step is longer than half a cell along
 * an axis. */
static void steps_are_limited(void)
{
    const int low[3] = {3, 1, 3}, high[3] = {15, 7, 15};
    fixture *f = fixture_create(pool(18, 9));
    if (!f)
        return;
    add_lattice(f, low, high, 3);
    run_stages(f, SP_STAGE_SORT, SP_STAGE_G2P, DT);
    places before = remember(f);
    displace(f);
    double most = 0;
    for (uint32_t k = 0; k < before.count; k++)
        FOR_DIM(d)
            most = fmax(most, fabs((double)f->s->particles.x[d][k] - before.x[d][k]));
    CHECK_NEAR(most, 0.5, 1e-5);
    forget(&before);
    fixture_destroy(f);
}

/* ---- boundaries */

/* A closed box with a tenth too many particles cannot spread them: their mean is no error, the rest
 * of it evens out, and no solve fails. */
static void closed_box_evens_out(void)
{
    const int low[3] = {0, 0, 0}, high[3] = {12, 12, 12}, left[3] = {6, 12, 12};
    for (int periodic = 0; periodic < 2; periodic++) {
        const double from[3] = {0, 0, 0}, to[3] = {12, 12, 12};
        spate_scene *scene = density_scene(12);
        scene->fluid.jitter = 0;
        if (periodic)
            make_periodic(scene);
        add_box(scene, SPATE_LIST_FILL, from, to);
        fixture *f = fixture_create(scene);
        double least, most, expected = 1 + 0.5 / (1 << DIM);
        if (!f)
            return;
        add_lattice(f, low, left, 1);
        run_steps(f, 20, DT);
        density_range(f, low, high, &least, &most);
        CHECK_NEAR(least, expected, 0.1);
        CHECK_NEAR(most, expected, 0.1);
        /* and then they stay where they are */
        double way = separate(f);
        CHECK_LESS(way, 0.05);
        fixture_destroy(f);
    }
}

static void nothing_goes_into_solids(void)
{
    const double ball[3] = {9.1, 3.2, 8.8};
    const int low[3] = {0, 0, 0}, high[3] = {18, 2, 18};
    spate_scene *scene = pool(18, 9);
    spate_shape *solid = add_ball(scene, SPATE_LIST_SOLIDS, ball, 3.1);
    scene->fluid.jitter = 0.5;
    solid->velocity[0] = 3.5; /* half a cell per step of 0.01 s */
    fixture *f = fixture_create(scene);
    if (!f)
        return;
    add_lattice(f, low, high, 2);
    for (uint32_t k = 0; k < f->s->particles.count; k++) { /* what the lattice put into the ball */
        double x[3] = {0, 0, 0};
        FOR_DIM(d)
            x[d] = (double)f->s->particles.x[d][k] * DX;
        if (sp_solids_distance(&f->s->solids, x, NULL, NULL) < 0)
            f->s->particles.x[0][k] = DEAD;
    }
    X(particles_remove_dead)(&f->s->particles);
    for (int step = 0; step < 5; step++) {
        run_stages(f, SP_STAGE_SORT, SP_STAGE_ADVECT, 0.01);
        int inside = 0, outside = 0;
        for (uint32_t k = 0; k < f->s->particles.count; k++) {
            double x[3] = {0, 0, 0};
            FOR_DIM(d) {
                x[d] = (double)f->s->particles.x[d][k] * DX;
                outside += !(f->s->particles.x[d][k] > 0.5f * CLEARANCE &&
                             f->s->particles.x[d][k] < 18 - 0.5f * CLEARANCE);
            }
            inside += sp_solids_distance(&f->s->solids, x, NULL, NULL) < 0;
        }
        CHECK(inside == 0);
        CHECK(outside == 0);
        run_stage(f, SP_STAGE_EMIT, 0.01);
        f->common.inside += 0.01;
    }
    fixture_destroy(f);
}

/* ---- vectors */

/* How many right sides there are, of unknowns in no pocket (whose mean is taken out), and how many
 * are not what the body of one cell says, bit by bit. */
static int compare_excess(const X(sim) *s, const X(fields) *f, int *wrong)
{
    int count = 0;
    for (int k = 0; k < s->system.levels[0].tile_count; k++) {
        size_t base = X(tile_index)(&s->grid, s->system.levels[0].tiles[k]);
        for (int i = 0; i < TILE_CELLS; i++) {
            size_t c = base + X(row_offset)(&s->grid, i / TILE) + (size_t)(i % TILE);
            bool unknown = s->system.diagonal[c] > 0.0f;
            float expected = unknown ? X(excess)(f, c) : 0.0f;
            if (s->system.pocket[c])
                continue;
            count += unknown && expected != 0.0f;
            *wrong += memcmp(&expected, &s->system.b[c], sizeof expected) != 0;
        }
    }
    return count;
}

/* The same of the faces of the layers. */
static int compare_extended(const X(sim) *s, const X(fields) *f, int *wrong)
{
    int count = 0, c[DIM] = {0};
    do {
        size_t face = X(index)(&s->grid, c);
        FOR_DIM(d) {
            int layer = f->known[d][face];
            if (layer < 2 || layer >= 2 + REACH)
                continue;
            float expected = X(extended)(f, d, face, layer);
            count += expected != 0.0f;
            *wrong += memcmp(&expected, &s->away[d][face], sizeof expected) != 0;
        }
    } while (next_cell(c, s->grid.n));
    return count;
}

static void vectors_do_as_cells_and_faces(void)
{
    const double center[3] = {9.3, 5.2, 8.1};
    const int low[3] = {2, 1, 3}, high[3] = {8, 6, 9};
    for (int k = 0; k < 4; k++) {
        int wrong = 0;
        spate_scene *scene = pool(18, 9.2);
        scene->fluid.jitter = 1;
        if (k & 1)
            make_periodic(scene);
        if (k & 2)
            add_ball(scene, SPATE_LIST_SOLIDS, center, 3.2);
        fixture *f = fixture_create(scene);
        if (!f)
            return;
        add_lattice(f, low, high, 1);
        run_stages(f, SP_STAGE_SORT, SP_STAGE_SEPARATE, DT);
        X(fields) fields = X(fields_of)(f->s);
        CHECK(compare_excess(f->s, &fields, &wrong) > 50);
        CHECK(compare_extended(f->s, &fields, &wrong) > 20);
        CHECK(wrong == 0);
        fixture_destroy(f);
    }
}

/* ---- what is booked */

static double potential_energy(fixture *f)
{
    spate_stats stats = {0};
    f->s->host->stats(f->s, &stats);
    return stats.potential_energy;
}

static void energy_is_booked(void)
{
    const int low[3] = {0, 0, 0}, high[3] = {6, 6, 18};
    spate_scene *scene = pool(18, 9);
    scene->gravity[0] = 1.5;
    scene->gravity[1] = -9.81;
    fixture *f = fixture_create(scene);
    if (!f)
        return;
    add_lattice(f, low, high, 1);
    run_stages(f, SP_STAGE_SORT, SP_STAGE_G2P, DT);
    double sum[2] = {0, 0}, mass = 1000 * pow(DX / 2, DIM);
    for (int turn = 0; turn < 2; turn++) {
        for (uint32_t k = 0; k < f->s->particles.count; k++)
            FOR_DIM(d)
                sum[turn] -= mass * f->common.gravity[d] * DX * (double)f->s->particles.x[d][k];
        if (turn == 0)
            displace(f);
    }
    double added = sum[1] - sum[0];
    CHECK(added > 0);
    CHECK_NEAR(f->common.separate_energy / added, 1, 1e-3);
    CHECK(f->common.density_iterations > 0);
    CHECK_NEAR(potential_energy(f), sum[1], 1e-9 * fabs(sum[1]));
    fixture_destroy(f);
}

TESTS(density)
{
    TEST(full_water_stays);
    TEST(nothing_and_one_particle);
    TEST(moves_places_alone);
    TEST(excess_spreads_with_every_solver);
    TEST(thin_water_fills_up);
    TEST(steps_are_limited);
    TEST(closed_box_evens_out);
    TEST(nothing_goes_into_solids);
    TEST(vectors_do_as_cells_and_faces);
    TEST(energy_is_booked);
}
