/* test_shift.c -- `volume.method` shift (kernels/shift.h): where the particles of a gas go, where
 * they stay, and what becomes of their momentum and energy. */
#include "fixture.h"

#include "state/arrays.h"

#define DX 0.07
#define N 18
#define DT 0.01

static spate_scene *gas_of_cells(double jitter)
{
    spate_scene *scene = scene_of_cells(DX, N, N, N);
    scene->fluid.kind = SPATE_FLUID_GAS;
    scene->fluid.transfer = SPATE_TRANSFER_FLIP; /* the displacement does not depend on it */
    scene->fluid.jitter = jitter;
    return scene;
}

/* As many particles again in a block of cells, at rest. */
static void crowd(fixture *f)
{
    const float still[DIM] = {0};
    int k[DIM] = {0}, n[DIM];
    FOR_DIM(d)
        n[d] = 12;
    do {
        float x[DIM];
        FOR_DIM(d)
            x[d] = 5.0f + ((float)k[d] + 0.37f) / 3.0f;
        put_particle(f, x, still);
    } while (next_cell(k, n));
}

/* The displacement of a step whose CFL number is as said. */
static void find_shift(fixture *f, double cfl)
{
    run_stages(f, SP_STAGE_SORT, SP_STAGE_G2P, DT);
    f->common.flow_speed = cfl * DX / DT;
    run_stage(f, SP_STAGE_SEPARATE, DT);
}

/* ---- the displacement */

static bool is_gas(const X(sim) *s, const int c[DIM])
{
    return s->type[X(index)(&s->grid, c)] == SPATE_CELL_LIQUID;
}

/* Checks every face of the domain; returns how many have a displacement. */
static int check_faces(const fixture *f, double share)
{
    const X(sim) *s = f->s;
    int moved = 0;
    FOR_DIM(d) {
        int c[DIM] = {0}, n[DIM];
        FOR_DIM(a)
            n[a] = s->grid.n[a] + (a == d && !s->grid.periodic[d]);
        do {
            size_t k = X(index)(&s->grid, c), before = k - s->grid.stride[d];
            int low[DIM];
            memcpy(low, c, sizeof low);
            low[d]--;
            bool inside = c[d] > 0 && c[d] < s->grid.n[d];
            bool open = inside || s->grid.periodic[d];
            open = open && is_gas(s, c) && is_gas(s, low) && (!s->has_solids || s->w[d][k] > 0.0f);
            float rate = 0.25f * (float)share;
            float way = open ? rate * (s->density[before] - s->density[k]) : 0.0f;
            CHECK(s->away[d][k] == way);
            moved += way != 0.0f;
        } while (next_cell(c, n));
    }
    return moved;
}

/* At walls, across periodic sides, around a ball, beside an inflow and at an open side. */
static void faces_have_the_gradient(void)
{
    for (int kind = 0; kind < 4; kind++) {
        const double center[3] = {9.3, 5.2, 8.1}, low[3] = {0, 3, 3}, high[3] = {2, 7, 9};
        spate_scene *scene = gas_of_cells(1);
        if (kind == 1)
            make_periodic(scene);
        if (kind == 2)
            add_ball(scene, SPATE_LIST_SOLIDS, center, 3.2);
        if (kind == 3) {
            add_box(scene, SPATE_LIST_INFLOWS, low, high)->velocity[0] = 0.5;
            scene->domain.sides[0][1] = SPATE_SIDE_OPEN;
        }
        fixture *f = fixture_create(scene);
        if (!f)
            return;
        crowd(f);
        find_shift(f, 1);
        CHECK(f->s->displaced);
        CHECK(check_faces(f, 0.5) > 300);
        find_shift(f, 7); /* the share is at most 1 */
        CHECK(check_faces(f, 1) > 300);
        fixture_destroy(f);
    }
}

/* ---- where particles go */

static double worst_density(const fixture *f)
{
    double worst = 0;
    int c[DIM] = {0};
    do
        worst = fmax(worst, fabs((double)f->s->density[X(index)(&f->s->grid, c)] - 1));
    while (next_cell(c, f->s->grid.n));
    return worst;
}

/* Twice as many particles as belong there, in a gas that does not flow: they spread. */
static void a_crowd_spreads(void)
{
    for (int periodic = 0; periodic < 2; periodic++) {
        spate_scene *scene = gas_of_cells(0);
        if (periodic)
            make_periodic(scene);
        fixture *f = fixture_create(scene);
        if (!f)
            return;
        crowd(f);
        uint32_t count = f->s->particles.count;
        double before = 0;
        for (int step = 0; step < (DIM == 3 ? 20 : 120); step++) {
            find_shift(f, 2);
            before = step == 0 ? worst_density(f) : before;
            run_stages(f, SP_STAGE_ADVECT, SP_STAGE_EMIT, DT);
        }
        run_stages(f, SP_STAGE_SORT, SP_STAGE_SURFACE, DT);
        CHECK(before > 0.9);
        CHECK_LESS(worst_density(f), (DIM == 3 ? 0.6 : 0.45) * before);
        CHECK(f->s->particles.count == count);
        CHECK(sum_velocity(f, 0, true) == 0);
        fixture_destroy(f);
    }
}

/* However unevenly the particles of a gas at rest lie: to the last bit. */
static void a_gas_at_rest_stays(void)
{
    fixture *f = fixture_create(gas_of_cells(0.5)); /* nobody is too near to a wall */
    if (!f)
        return;
    crowd(f);
    f->common.gravity[1] = -9.81;
    uint64_t hash = hash_of(f);
    run_steps(f, 5, DT);
    CHECK(hash_of(f) == hash && f->common.separate_energy == 0);
    fixture_destroy(f);
}

/* ---- the velocity rides along */

/* A gas that is stirred at random keeps its momentum in a periodic box, with and without shift, and
 * loses as much energy. */
static void momentum_and_energy(void)
{
    double energy[2], before = 0;
    for (int shifts = 0; shifts < 2; shifts++) {
        spate_scene *scene = gas_of_cells(0.5);
        make_periodic(scene);
        scene->volume.method = shifts ? SPATE_VOLUME_SHIFT : SPATE_VOLUME_NONE;
        fixture *f = fixture_create(scene);
        if (!f)
            return;
        for (uint32_t k = 0; k < f->s->particles.count; k++)
            FOR_DIM(d)
                f->s->particles.v[d][k] =
                    (float)(1 + sin(2 * M_PI / N * (double)f->s->particles.x[(d + 1) % DIM][k]));
        double momentum[DIM];
        FOR_DIM(d)
            momentum[d] = sum_velocity(f, d, false);
        run_steps(f, DIM == 3 ? 12 : 60, DT);
        FOR_DIM(d)
            CHECK_NEAR(sum_velocity(f, d, false) / momentum[d], 1, 0.002);
        energy[shifts] = 0;
        before = 0;
        for (uint32_t k = 0; k < f->s->particles.count; k++)
            FOR_DIM(d) {
                energy[shifts] += (double)f->s->particles.v[d][k] * f->s->particles.v[d][k];
                before += 1.5;
            }
        fixture_destroy(f);
    }
    printf("  energy kept: %.4f without shift, %.4f with it\n", energy[0] / before,
           energy[1] / before);
    CHECK(energy[1] > 0.9 * before);
    CHECK_NEAR(energy[1] / energy[0], 1, 0.01);
}

/* In a field that is linear a particle has the velocity of the place that it comes to. */
static void velocities_are_those_of_the_new_place(void)
{
    fixture *f = fixture_create(gas_of_cells(0.5));
    if (!f)
        return;
    X(sim) *s = f->s;
    crowd(f);
    find_shift(f, 2);
    for (size_t k = 0; k < s->grid.size; k++)
        FOR_DIM(d)
            s->u[d][k] = 0.0f;
    int c[DIM] = {0};
    do /* u_0 = 0.1 y, of which nothing moves particles across y */
        s->u[0][X(index)(&s->grid, c)] = 0.1f * ((float)c[1] + 0.5f);
    while (next_cell(c, s->grid.n));
    uint32_t count = s->particles.count;
    float *y = malloc(count * sizeof *y), *v = malloc(count * sizeof *v);
    memcpy(y, s->particles.x[1], count * sizeof *y);
    memcpy(v, s->particles.v[0], count * sizeof *v);
    run_stage(f, SP_STAGE_ADVECT, DT);
    double worst = 0, most = 0;
    for (uint32_t k = 0; k < count; k++) {
        bool inside = true;
        FOR_DIM(d)
            inside = inside && s->particles.x[d][k] > 2 && s->particles.x[d][k] < N - 2;
        double gained = (double)s->particles.v[0][k] - v[k];
        double way = (double)s->particles.x[1][k] - y[k];
        worst = inside ? fmax(worst, fabs(gained - 0.1 * way)) : worst;
        most = fmax(most, fabs(way));
    }
    CHECK_LESS(worst, 1e-6);
    CHECK(most > 0.1);
    free(y);
    free(v);
    fixture_destroy(f);
}

/* ---- memory */

/* The density is there, and what only the projection needs is not. */
static void it_needs_no_projection(void)
{
    fixture *gas = fixture_create(gas_of_cells(1));
    if (!gas)
        return;
    unsigned needs = X(needs)(gas->common.scene);
    CHECK(needs & WHEN_DENSITY && needs & WHEN_VOLUME && !(needs & WHEN_PROJECTION));
    CHECK(gas->s->density && !gas->s->system.q_density);
    double with = X(arrays_bytes)(gas->common.scene, &gas->s->grid);
    gas->common.scene->volume.method = SPATE_VOLUME_NONE;
    double without = X(arrays_bytes)(gas->common.scene, &gas->s->grid);
    CHECK(with - without == 4 * (double)gas->s->grid.size);
    fixture_destroy(gas);
}

TESTS(shift)
{
    TEST(faces_have_the_gradient);
    TEST(a_crowd_spreads);
    TEST(a_gas_at_rest_stays);
    TEST(momentum_and_energy);
    TEST(velocities_are_those_of_the_new_place);
    TEST(it_needs_no_projection);
}
