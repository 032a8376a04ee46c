/* test_midway.c -- the velocity in the middle of a step (kernels/midway.h): what it is on each
 * face, where particles move with u, what a checkpoint and a step that failed leave of it. */
#include "fixture.h"

#include "kernels/faces.h"
#include "state/arrays.h"

#define DX 0.07
#define N 18
#define DT 0.01

static spate_scene *gas_of_cells(void)
{
    spate_scene *scene = scene_of_cells(DX, N, N, N);
    scene->fluid.kind = SPATE_FLUID_GAS;
    scene->fluid.particles_per_axis = 1;
    return scene;
}

static void fill(const fixture *f, float *const u[DIM])
{
    FOR_DIM(d)
        for (size_t k = 0; k < f->s->grid.size; k++)
            u[d][k] = (float)random_in(-1, 1);
}

/* Whether face d of the cell lies between two cells of the gas and is open. */
static bool flows(const X(sim) *s, const int c[DIM], int d)
{
    size_t k = X(index)(&s->grid, c), before = k - s->grid.stride[d];
    bool gas = s->type[k] == SPATE_CELL_LIQUID && s->type[before] == SPATE_CELL_LIQUID;
    return gas && (!s->has_solids || s->w[d][k] > NARROW);
}

/* With u at random twice: returns how many faces have a velocity that is not u. */
static int check_faces(fixture *f, double last_dt, double share)
{
    X(sim) *s = f->s;
    int changed = 0;
    float *first[DIM];
    fill(f, s->u);
    FOR_DIM(d) {
        first[d] = malloc(s->grid.size * sizeof(float));
        memcpy(first[d], s->u[d], s->grid.size * sizeof(float));
    }
    run_stage(f, SP_STAGE_MIDWAY, DT);
    fill(f, s->u);
    f->common.last_dt = last_dt;
    run_stage(f, SP_STAGE_MIDWAY, DT);
    FOR_DIM(d) {
        int c[DIM] = {0};
        do {
            size_t k = X(index)(&s->grid, c);
            float now = s->u[d][k], gain = (float)share * (now - first[d][k]);
            bool outside = s->grid.periodic[d] && c[d] == 0; /* the border has its image */
            gain = flows(s, c, d) ? gain : 0.0f;
            CHECK(outside || s->u_mid[d][k] == now + gain);
            changed += gain != 0.0f;
        } while (next_cell(c, s->grid.n));
        free(first[d]);
    }
    return changed;
}

/* At walls, across periodic sides, around a ball, beside an inflow and at an open side. */
static void faces_are_half_a_step_ahead(void)
{
    for (int kind = 0; kind < 4; kind++) {
        const double center[3] = {9.3, 5.2, 8.1}, low[3] = {0, 3, 3}, high[3] = {2, 7, 9};
        spate_scene *scene = gas_of_cells();
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
        run_stages(f, SP_STAGE_SORT, SP_STAGE_SURFACE, DT);
        CHECK(check_faces(f, 0, 0) == 0); /* the first step */
        CHECK(check_faces(f, DT, 0.5) > 300);
        CHECK(check_faces(f, 2 * DT, 0.25) > 300);
        CHECK(check_faces(f, 0.1 * DT, 1) > 300); /* the share is at most 1 */
        fixture_destroy(f);
    }
}

/* A face that was closed in the last step has no velocity there to go on from. */
static void an_opened_face_moves_with_u(void)
{
    fixture *f = fixture_create(gas_of_cells());
    if (!f)
        return;
    X(sim) *s = f->s;
    int c[DIM];
    FOR_DIM(d)
        c[d] = 9;
    size_t k;
    run_stages(f, SP_STAGE_SORT, SP_STAGE_SURFACE, DT);
    k = X(index)(&s->grid, c);
    f->common.last_dt = DT;
    for (int step = 0; step < 3; step++) {
        s->type[k] = step == 0 ? SPATE_CELL_SOLID : SPATE_CELL_LIQUID;
        fill(f, s->u);
        run_stage(f, SP_STAGE_MIDWAY, DT);
        CHECK((s->u_mid[0][k] == s->u[0][k]) == (step < 2));
        CHECK(s->u_mid[0][k + 2] != s->u[0][k + 2]);
    }
    fixture_destroy(f);
}

/* Particles of a flow that changes evenly in time are where they should be, to rounding: with u
 * each step would leave them half a step's change behind. */
static void an_even_change_is_exact(void)
{
    spate_scene *scene = gas_of_cells();
    make_periodic(scene);
    scene->volume.method = SPATE_VOLUME_NONE;
    fixture *f = fixture_create(scene);
    if (!f)
        return;
    X(sim) *s = f->s;
    const double steps[] = {0.01, 0.02, 0.015, 0.005};
    double time = 0, way = 0, worst = 0;
    run_stages(f, SP_STAGE_SORT, SP_STAGE_SURFACE, DT);
    float begun = s->particles.x[0][7];
    for (int step = 0; step < 4; step++) {
        FOR_DIM(d)
            for (size_t k = 0; k < s->grid.size; k++)
                s->u[d][k] = d == 0 ? (float)time : 0.0f;
        s->reach = 3;
        run_stage(f, SP_STAGE_MIDWAY, steps[step]);
        run_stage(f, SP_STAGE_ADVECT, steps[step]);
        double mean = step == 0 ? time : time + 0.5 * steps[step]; /* the first step has no last */
        way += mean * steps[step] / s->grid.dx;
        time += steps[step];
        worst = fmax(worst, fabs((double)s->particles.x[0][7] - begun - way));
    }
    CHECK(way > 0.01);
    CHECK_LESS(worst, 2e-6);
    fixture_destroy(f);
}

/* A step that fails in PRESSURE leaves the velocity of the last one, for its halves. */
static void a_failed_step_keeps_the_last_velocity(void)
{
    fixture *f = fixture_create(gas_of_cells());
    spate_error error = {.status = SPATE_OK};
    if (!f)
        return;
    X(sim) *s = f->s;
    shake(f, 0.5);
    run_steps(f, 2, DT);
    float *before = malloc(s->grid.size * sizeof(float));
    memcpy(before, s->u_last[0], s->grid.size * sizeof(float));
    shake(f, 0.5);
    f->common.scene->pressure.max_iterations = 1;
    f->common.scene->pressure.tolerance = 1e-9;
    CHECK(X(step)(s, DT, &error) == SPATE_ERROR_SIMULATION && f->common.unconverged);
    CHECK(memcmp(before, s->u_last[0], s->grid.size * sizeof(float)) == 0);
    CHECK(f->common.last_dt == DT);
    free(before);
    fixture_destroy(f);
}

static void liquids_have_none(void)
{
    fixture *f = fixture_create(scene_of_cells(DX, N, N, N));
    if (!f)
        return;
    CHECK(!(f->s->needs & WHEN_MIDWAY) && !f->s->u_last[0] && !f->s->u_mid[0]);
    fixture_destroy(f);
}

TESTS(midway)
{
    TEST(faces_are_half_a_step_ahead);
    TEST(an_opened_face_moves_with_u);
    TEST(an_even_change_is_exact);
    TEST(a_failed_step_keeps_the_last_velocity);
    TEST(liquids_have_none);
}
