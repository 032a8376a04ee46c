/* test_lanes.c -- what the CPU does for eight particles at a time, against the plain sums.
 *
 * Advection and G2P in lanes must give the bits of the scalar kernels (src/kernels), which are what
 * other devices compile. P2G through the lattice of half the spacing or through boxes adds in
 * another order, so it is held against sums in double precision: the weight of every face to
 * rounding, however small, and the velocity of every face within rounding of the mean. */
#include "fixture.h"

#include "kernels/gradient.h"
#include "kernels/midway.h"
#include "kernels/rk.h"
#include "kernels/shift.h"

#define DX 0.07

/* Random velocities on all faces, border included. */
static void fill_field(float *const u[DIM], const X(grid) *g, double speed)
{
    FOR_DIM(d)
        for (size_t k = 0; k < g->size; k++)
            u[d][k] = (float)random_in(-speed, speed);
}

/* Particles at random places: no multiple of LANES in a tile, some at the very sides. */
static void scatter_particles(fixture *f, int count, double speed)
{
    const X(grid) *g = &f->s->grid;
    for (int k = 0; k < count; k++) {
        float x[DIM], v[DIM];
        FOR_DIM(d) {
            x[d] = (float)random_in(CLEARANCE, g->n[d] - CLEARANCE);
            if (k % 37 == d)
                x[d] = k % 2 ? CLEARANCE : (float)g->n[d] - CLEARANCE;
            v[d] = (float)random_in(-speed, speed);
        }
        put_particle(f, x, v);
    }
}

static fixture *box_of(spate_fluid_kind kind, const int n[3], bool periodic, bool solid,
                       spate_transfer transfer)
{
    spate_scene *scene = scene_of_cells(DX, n[0], n[1], n[2]);
    scene->fluid.particles_per_axis = 1; /* so that scattered particles do not fly */
    const double center[3] = {n[0] / 2.0, n[1] / 2.0, n[2] / 2.0};
    if (periodic)
        make_periodic(scene);
    if (solid)
        add_ball(scene, SPATE_LIST_SOLIDS, center, 2.2);
    scene->fluid.kind = kind;
    scene->fluid.transfer = transfer;
    return fixture_create(scene);
}

static fixture *box_with(const int n[3], bool periodic, bool solid, spate_transfer transfer)
{
    return box_of(SPATE_FLUID_LIQUID, n, periodic, solid, transfer);
}

static fixture *box(const int n[3], bool periodic, bool solid)
{
    return box_with(n, periodic, solid, SPATE_TRANSFER_FLIP);
}

/* ---- advection */

/* STILL: by the flow alone; DISPLACED: by up to half a cell farther; RIDES: and their velocities
 * change by what u does on that way; MIDWAY: all that, with a flow that is not u. */
typedef enum way_kind { STILL, DISPLACED, RIDES, MIDWAY } way_kind;

/* Places and velocities of the particles. */
typedef struct course {
    float *x[DIM], *v[DIM];
} course;

static course course_of(const fixture *f)
{
    course c;
    uint32_t count = f->s->particles.count;
    FOR_DIM(d) {
        c.x[d] = malloc(count * sizeof(float));
        c.v[d] = malloc(count * sizeof(float));
        memcpy(c.x[d], f->s->particles.x[d], count * sizeof(float));
        memcpy(c.v[d], f->s->particles.v[d], count * sizeof(float));
    }
    return c;
}

static void course_free(course *c)
{
    FOR_DIM(d) {
        free(c->x[d]);
        free(c->v[d]);
    }
}

/* How many particles went where the scalar kernels say, as fast as they say, of those that meet
 * nothing on the way. */
static int count_equal(const fixture *f, const course *before, float h, way_kind kind,
                       int *free_ones)
{
    const X(sim) *s = f->s;
    X(fields) fields = X(fields_of)(s);
    int equal = 0;
    *free_ones = 0;
    for (uint32_t k = 0; k < s->particles.count; k++) {
        float x[DIM], v[DIM], mean[DIM], to[DIM], way[DIM] = {0};
        bool inside = true, same = true;
        FOR_DIM(d) {
            x[d] = before->x[d][k];
            v[d] = before->v[d][k];
        }
        X(mean_velocity)(&s->grid, s->degree, 3, X(flow_of)(&fields), x, h, s->reach, mean);
        if (kind != STILL)
            X(velocity_at)(&s->grid, KERNEL_LINEAR, s->away, x, way);
        FOR_DIM(d)
            way[d] = (float)fmax(-0.5, fmin(0.5, way[d]));
        if (kind >= RIDES)
            X(ride)(&s->grid, s->degree, s->u, x, way, v);
        FOR_DIM(d) {
            to[d] = x[d] + h * mean[d] + way[d];
            inside = inside && to[d] > 0.1f && to[d] < (float)s->grid.n[d] - 0.1f;
            same = same && to[d] == s->particles.x[d][k] && v[d] == s->particles.v[d][k];
        }
        if (s->solids.live > 0) {
            double at[3] = {0, 0, 0};
            FOR_DIM(d)
                at[d] = to[d] * DX;
            inside = inside && sp_solids_distance(&s->solids, at, NULL, NULL) > 4 * DX;
        }
        *free_ones += inside;
        equal += inside && same;
    }
    return equal;
}

static void check_advection(bool periodic, bool solid, double cells, way_kind kind)
{
    /* a tile that is clear of the sides, and others; some with many particles, some with few */
    const int n[3] = {DIM == 3 ? 20 : 37, DIM == 3 ? 21 : 40, 19};
    fixture *f = box_of(kind == MIDWAY ? SPATE_FLUID_GAS : SPATE_FLUID_LIQUID, n, periodic, solid,
                        SPATE_TRANSFER_FLIP);
    if (!f)
        return;
    test_random_state = 5;
    scatter_particles(f, 7001, 1);
    run_stages(f, SP_STAGE_SORT, SP_STAGE_SOLIDS, 0.01);
    fill_field(f->s->u, &f->s->grid, cells);
    fill_field(f->s->away, &f->s->grid, 0.7);
    if (kind == MIDWAY)
        fill_field(f->s->u_mid, &f->s->grid, cells);
    f->s->displaced = kind != STILL;
    if (kind >= RIDES)
        f->common.scene->volume.method = SPATE_VOLUME_SHIFT;
    f->s->reach = 3.0f; /* some are faster and take an Euler step */
    course before = course_of(f);
    int free_ones;
    run_stage(f, SP_STAGE_ADVECT, DX);
    CHECK(count_equal(f, &before, (float)(DX / f->s->grid.dx), kind, &free_ones) == free_ones);
    CHECK(free_ones > 1000);
    FOR_DIM(d)
        for (uint32_t k = 0; k < f->s->particles.count; k++)
            CHECK(f->s->particles.x[d][k] >= 0 && f->s->particles.x[d][k] <= (float)n[d]);
    course_free(&before);
    fixture_destroy(f);
}

static void advection_is_that_of_the_kernels(void)
{
    for (int kind = 0; kind < 3; kind++)
        for (double cells = 0.5; cells < 5; cells *= 2)
            for (way_kind way = STILL; way <= MIDWAY; way++)
                check_advection(kind == 1, kind == 2, cells, way);
}

static void a_field_that_is_not_finite_is_reported(void)
{
    const int n[3] = {21, 18, 16};
    fixture *f = box(n, false, false);
    spate_error error = {.status = SPATE_OK};
    if (!f)
        return;
    scatter_particles(f, 100, 1);
    run_stage(f, SP_STAGE_SORT, 0.01);
    FOR_DIM(d)
        for (size_t k = 0; k < f->s->grid.size; k++)
            f->s->u[d][k] = d == 1 ? NAN : 1.0f;
    f->s->reach = 3.0f;
    CHECK(X(run_stage)(f->s, SP_STAGE_ADVECT, 0.01, &error) == SPATE_ERROR_SIMULATION);
    CHECK(strstr(error.message, "100 particles") != NULL);
    fixture_destroy(f);
}

/* One face is enough, also amid many particles. */
static void a_face_that_is_not_finite_is_reported(void)
{
    const int n[3] = {DIM == 3 ? 20 : 37, DIM == 3 ? 21 : 40, 19};
    for (int at = 9; at < 17; at++) { /* each lane of a vector */
        fixture *f = box(n, false, false);
        spate_error error = {.status = SPATE_OK};
        int c[DIM];
        if (!f)
            return;
        scatter_particles(f, 7001, 1);
        run_stage(f, SP_STAGE_SORT, 0.01);
        FOR_DIM(d)
            c[d] = (DIM == 3 ? 0 : 12) + at;
        f->s->u[0][X(index)(&f->s->grid, c)] = NAN;
        f->s->reach = 3.0f;
        CHECK(X(run_stage)(f->s, SP_STAGE_ADVECT, 0.01, &error) == SPATE_ERROR_SIMULATION);
        fixture_destroy(f);
    }
}

/* Whatever the kernel: G2P counts the particles, and ADVECT moves none. */
static void a_velocity_that_is_not_finite_is_reported(void)
{
    const int n[3] = {21, 18, 16};
    for (int kernel = 0; kernel < 2; kernel++) {
        spate_scene *scene = scene_of_cells(DX, n[0], n[1], n[2]);
        scene->fluid.particles_per_axis = 1;
        scene->fluid.kernel = kernel ? SPATE_KERNEL_QUADRATIC : SPATE_KERNEL_LINEAR;
        fixture *f = fixture_create(scene);
        spate_error error = {.status = SPATE_OK};
        if (!f)
            return;
        scatter_particles(f, 9001, 1);
        run_stage(f, SP_STAGE_SORT, 0.01);
        f->s->particles.v[0][17] = NAN;
        f->s->particles.v[1][9000] = 1e35f;
        float x = f->s->particles.x[0][5];
        DEV(grid_to_particles)(f->s, 0.01);
        CHECK(X(run_stage)(f->s, SP_STAGE_ADVECT, 0.01, &error) == SPATE_ERROR_SIMULATION);
        CHECK(strstr(error.message, "2 particles") != NULL);
        CHECK(f->s->particles.x[0][5] == x);
        fixture_destroy(f);
    }
}

/* ---- grid to particles */

/* How many gradients of AFLIP are others than those of the kernels. */
static int count_wrong_gradients(const fixture *f, float kept)
{
    const X(particles) *p = &f->s->particles;
    X(fields) fields = X(fields_of)(f->s);
    int wrong = 0, beside = 0;
    for (uint32_t k = 0; k < p->count; k++) {
        float x[DIM], c[DIM];
        FOR_DIM(d)
            x[d] = p->x[d][k];
        float share = X(gradient_share)(&fields, x, kept);
        beside += share == 0.0f;
        FOR_DIM(d) {
            X(stencil) stencil = X(stencil_at)(KERNEL_LINEAR, x, d);
            X(gather_differences)(&f->s->grid, &stencil, f->s->u[d], c);
            FOR_DIM(a)
                wrong += p->c[d * DIM + a][k] != share * c[a];
        }
    }
    CHECK(beside > 20 && beside < (int)p->count - 20);
    return wrong;
}

static void check_g2p(int count, spate_transfer transfer)
{
    const int n[3] = {21, 18, 16};
    fixture *f = box_with(n, false, false, transfer);
    if (!f)
        return;
    X(particles) *p = &f->s->particles;
    test_random_state = 9;
    scatter_particles(f, count, 2);
    run_stage(f, SP_STAGE_SORT, 0.01);
    fill_field(f->s->carried, &f->s->grid, 2);
    fill_field(f->s->u, &f->s->grid, 2);
    for (size_t k = 0; k < f->s->grid.size; k++)
        f->s->type[k] = random_in(0, 1) < 0.03 ? SPATE_CELL_AIR : SPATE_CELL_LIQUID;
    float *before[DIM], ratio = X(kept_share)(f->s, 0.01);
    FOR_DIM(d) {
        before[d] = malloc(p->count * sizeof(float));
        memcpy(before[d], p->v[d], p->count * sizeof(float));
    }
    DEV(grid_to_particles)(f->s, 0.01);
    int wrong = 0;
    for (uint32_t k = 0; k < p->count; k++) {
        float x[DIM], field[DIM];
        FOR_DIM(d)
            x[d] = p->x[d][k];
        X(velocity_at)(&f->s->grid, KERNEL_LINEAR, f->s->carried, x, field);
        FOR_DIM(d)
            wrong += p->v[d][k] != field[d] + ratio * before[d][k];
    }
    CHECK(wrong == 0);
    if (transfer == SPATE_TRANSFER_AFLIP)
        CHECK(count_wrong_gradients(f, ratio) == 0);
    FOR_DIM(d)
        free(before[d]);
    fixture_destroy(f);
}

static void g2p_is_that_of_the_kernels(void)
{
    check_g2p(301, SPATE_TRANSFER_FLIP);
    check_g2p(9001, SPATE_TRANSFER_FLIP);
}

static void gradients_are_those_of_the_kernels(void)
{
    check_g2p(301, SPATE_TRANSFER_AFLIP);
    check_g2p(9001, SPATE_TRANSFER_AFLIP);
}

/* ---- particles to grid */

static double hat(double x)
{
    return fabs(x) < 1 ? 1 - fabs(x) : 0;
}

/* Sums of the particles of the cells around a face, in double precision. */
static double face_sums(const fixture *f, const int c[DIM], int d, double *momentum, double *size)
{
    const X(particles) *p = &f->s->particles;
    double weight = 0;
    *momentum = *size = 0;
    for (uint32_t k = 0; k < p->count; k++) {
        double w = 1;
        FOR_DIM(a)
            w *= hat((double)p->x[a][k] - c[a] - (a == d ? 0 : 0.5));
        double offer = p->v[d][k], most = fabs(p->v[d][k]);
        for (int a = 0; a < DIM && f->s->affine; a++) {
            double way = c[a] + (a == d ? 0 : 0.5) - (double)p->x[a][k];
            offer += p->c[d * DIM + a][k] * way;
            most += fabs(p->c[d * DIM + a][k] * way);
        }
        weight += w;
        *momentum += w * offer;
        *size += w * most;
    }
    return weight;
}

static void check_faces(const fixture *f)
{
    const X(grid) *g = &f->s->grid;
    double worst_weight = 0, worst_velocity = 0;
    int faces = 0, faint = 0;
    FOR_DIM(d) {
        int c[DIM] = {0};
        do {
            double momentum, size, weight = face_sums(f, c, d, &momentum, &size);
            size_t k = X(index)(g, c);
            CHECK((weight > 0) == (f->s->weight[d][k] > 0.0f));
            if (!(weight > 0))
                continue;
            faces++;
            faint += weight < 1e-3;
            worst_weight = fmax(worst_weight, fabs(f->s->weight[d][k] / weight - 1));
            worst_velocity =
                fmax(worst_velocity, fabs(f->s->u[d][k] - momentum / weight) / (size / weight));
        } while (next_cell(c, g->n));
    }
    CHECK_LESS(worst_weight,
               2e-5); /* positions are floats: 1e-6 cells of one that barely reaches */
    CHECK_LESS(worst_velocity, 2e-5);
    CHECK(faces > 300);
    CHECK(faint > 0);
}

static void check_p2g(spate_transfer transfer)
{
    const double center[3] = {8.6, 9.3, 8.9};
    spate_scene *scene = scene_of_cells(DX, 18, 19, 17);
    scene->fluid.transfer = transfer;
    add_ball(scene, SPATE_LIST_FILL, center, DIM == 3 ? 3.1 : 6.5);
    fixture *f = fixture_create(scene);
    if (!f)
        return;
    test_random_state = 3;
    f->s->rest = 1.0f; /* so that nobody flies */
    shake(f, 3);
    for (int k = 0; k < 40; k++) { /* loners: faces that one particle reaches, and barely */
        float x[DIM], v[DIM];
        FOR_DIM(d) {
            x[d] = (float)(2 + floor(random_in(0, 13)) + (k % 3 ? random_in(0, 1) : 1e-4));
            v[d] = (float)random_in(-3, 3);
        }
        put_particle(f, x, v);
    }
    for (int e = 0; e < DIM * DIM && f->s->affine; e++)
        for (uint32_t k = 0; k < f->s->particles.count; k++)
            f->s->particles.c[e][k] = (float)random_in(-3, 3);
    run_stages(f, SP_STAGE_SORT, SP_STAGE_P2G, 0.01);
    check_faces(f);
    fixture_destroy(f);
}

static void p2g_is_the_sum_of_the_hats(void)
{
    check_p2g(SPATE_TRANSFER_FLIP);
}

static void p2g_with_gradients_is_their_sum(void)
{
    check_p2g(SPATE_TRANSFER_AFLIP);
}

/* A particle at the far end of the domain stays in its tile's memory, and its weight in the sum. */
static void check_last_place(spate_transfer transfer)
{
    spate_scene *scene = scene_of_cells(DX, 32, 32, 32);
    scene->fluid.transfer = transfer;
    fixture *f = fixture_create(scene);
    if (!f)
        return;
    float x[DIM], v[DIM];
    FOR_DIM(d) {
        x[d] = 32.0f;
        v[d] = 1.5f;
    }
    put_particle(f, x, v);
    run_stages(f, SP_STAGE_SORT, SP_STAGE_P2G, 0.01);
    FOR_DIM(d) {
        int c[DIM];
        FOR_DIM(a)
            c[a] = a == d ? 32 : 31;
        CHECK_NEAR(f->s->weight[d][X(index)(&f->s->grid, c)], 1, 1e-6);
        CHECK_NEAR(f->s->u[d][X(index)(&f->s->grid, c)], 1.5, 1e-6);
    }
    fixture_destroy(f);
}

static void the_last_place_counts(void)
{
    check_last_place(SPATE_TRANSFER_FLIP);
    check_last_place(SPATE_TRANSFER_AFLIP);
}

/* The density that P2G sums for SURFACE is that of SURFACE's own pass. */
static void p2g_sums_the_density(void)
{
    for (int turn = 0; turn < 2; turn++) {
        const int n[3] = {21, 18, 16};
        fixture *f = box_with(n, false, true, turn ? SPATE_TRANSFER_AFLIP : SPATE_TRANSFER_FLIP);
        if (!f)
            return;
        X(sim) *s = f->s;
        test_random_state = 9;
        scatter_particles(f, 9001, 2);
        run_stages(f, SP_STAGE_SORT, SP_STAGE_P2G, 0.01);
        CHECK(s->density_summed);
        run_stages(f, SP_STAGE_SURFACE, SP_STAGE_SURFACE, 0.01);
        float *density = malloc(s->grid.size * sizeof *density);
        memcpy(density, s->density, s->grid.size * sizeof *density);
        run_stages(f, SP_STAGE_SURFACE, SP_STAGE_SURFACE, 0.01);
        double worst = 0;
        for (size_t k = 0; k < s->grid.size; k++)
            worst = fmax(worst, fabs((double)s->density[k] - density[k]));
        CHECK_LESS(worst, 1e-5);
        free(density);
        fixture_destroy(f);
    }
}

/* ---- a whole step, in which ADVECT does what G2P has left to it */

static double fastest_of(const X(sim) *s)
{
    double most = 0;
    for (uint32_t k = 0; k < s->particles.count; k++) {
        float square = 0.0f;
        FOR_DIM(d)
            square += s->particles.v[d][k] * s->particles.v[d][k];
        most = fmax(most, sqrt((double)square));
    }
    return most;
}

static fixture *falling_box(int kind, spate_volume_method method, spate_transfer transfer)
{
    const int n[3] = {DIM == 3 ? 20 : 37, DIM == 3 ? 21 : 40, 19};
    const double center[3] = {n[0] / 2.0, n[1] / 2.0, n[2] / 2.0};
    spate_scene *scene = scene_of_cells(DX, n[0], n[1], n[2]);
    scene->volume.method = method;
    if (method == SPATE_VOLUME_SHIFT)
        scene->fluid.kind = SPATE_FLUID_GAS;
    scene->fluid.transfer = transfer;
    if (kind == 1)
        make_periodic(scene);
    if (kind == 2)
        add_ball(scene, SPATE_LIST_SOLIDS, center, 2.2);
    fixture *f = fixture_create(scene);
    test_random_state = 7;
    if (f)
        scatter_particles(f, 9001, 2);
    return f;
}

static void check_whole_steps(spate_transfer transfer)
{
    const spate_volume_method methods[] = {SPATE_VOLUME_NONE, SPATE_VOLUME_DENSITY,
                                           SPATE_VOLUME_PUSH, SPATE_VOLUME_SHIFT};
    for (int test = 0; test < 12; test++) {
        spate_volume_method method = methods[test % 4];
        fixture *whole = falling_box(test / 4, method, transfer);
        fixture *parts = falling_box(test / 4, method, transfer);
        spate_error error = {.status = SPATE_OK};
        for (int step = 0; step < 4 && whole && parts; step++) {
            whole->common.substeps = parts->common.substeps = step; /* the first one measures */
            CHECK(X(step)(whole->s, 0.02, &error) == SPATE_OK);
            run_stages(parts, SP_STAGE_SORT, SP_STAGE_EMIT, 0.02);
            CHECK(hash_of(whole) == hash_of(parts));
            bool late = step > 0 && method != SPATE_VOLUME_PUSH;
            CHECK((whole->s->particles.fastest >= 0.0f) == late);
            CHECK(DEV(max_speed)(whole->s) == fastest_of(whole->s));
            CHECK(DEV(max_speed)(parts->s) == fastest_of(parts->s));
        }
        if (whole)
            fixture_destroy(whole);
        if (parts)
            fixture_destroy(parts);
    }
}

static void a_whole_step_is_its_stages(void)
{
    check_whole_steps(SPATE_TRANSFER_FLIP);
}

static void a_whole_step_with_gradients_is_its_stages(void)
{
    check_whole_steps(SPATE_TRANSFER_AFLIP);
}

static void a_late_velocity_that_is_not_finite_is_reported(void)
{
    fixture *f = falling_box(0, SPATE_VOLUME_DENSITY, SPATE_TRANSFER_FLIP);
    spate_error error = {.status = SPATE_OK};
    if (!f)
        return;
    run_stages(f, SP_STAGE_SORT, SP_STAGE_EXTRAPOLATE, 0.01);
    DEV(carry_kick)(f->s, 0.01);
    f->s->particles.v[DIM - 1][f->s->tiles.first_flying - 1] = NAN;
    f->s->particles.v[0][17] = 2e30f;
    CHECK(DEV(advect_particles)(f->s, 0.01, true, &error) == SPATE_ERROR_SIMULATION);
    CHECK(strstr(error.message, "2 particles") != NULL);
    fixture_destroy(f);
}

TESTS(lanes)
{
    TEST(advection_is_that_of_the_kernels);
    TEST(a_field_that_is_not_finite_is_reported);
    TEST(a_face_that_is_not_finite_is_reported);
    TEST(a_velocity_that_is_not_finite_is_reported);
    TEST(a_whole_step_is_its_stages);
    TEST(a_whole_step_with_gradients_is_its_stages);
    TEST(a_late_velocity_that_is_not_finite_is_reported);
    TEST(g2p_is_that_of_the_kernels);
    TEST(gradients_are_those_of_the_kernels);
    TEST(p2g_is_the_sum_of_the_hats);
    TEST(p2g_with_gradients_is_their_sum);
    TEST(p2g_sums_the_density);
    TEST(the_last_place_counts);
}
