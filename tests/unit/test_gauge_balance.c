/* test_gauge_balance.c -- the force on a solid is what the water loses.
 *
 * A layer of water streams over a solid. Sides are periodic and the floor slips, so along the
 * stream nothing else changes the momentum of the water: its loss is the impulse of the force, in
 * long steps (CFL 2) and in short ones, in 2D and 3D, with cut cells and voxels, on a solid that
 * stands and on one that moves through water at rest. */
#include "sample.h"

#define DX 0.025
#define SPEED 3.0

typedef enum solid_kind { DISC, BOX, TURNED } solid_kind;
static const char *const names[] = {"disc", "box", "turned box"};

typedef struct pool {
    int dim;
    solid_kind kind;
    spate_solid_model model;
    bool moving; /* the solid, not the water */
    double fps;
} pool;

static spate_sim *start(const pool *p, int seed)
{
    double width = p->dim == 2 ? 2 : 1, depth = 8 * DX,
           x = 0.3 + 0.3 * seed * DX; /* places against the grid */
    spate_scene *scene = sample_scene(p->dim, width, 1, depth, 1);
    scene->domain.cell_size = DX;
    scene->fps = p->fps;
    scene->time.dt = 1 / p->fps;
    scene->time.cfl = 10;
    scene->pressure.solids = p->model;
    scene->fluid.seed = (uint64_t)seed;
    for (int side = 0; side < 2; side++)
        scene->domain.sides[0][side] = SPATE_SIDE_PERIODIC;
    spate_shape *water = sample_box(scene, SPATE_LIST_FILL, 0, 0, 0, width, 6 * DX, depth), *solid;
    if (p->kind == DISC) {
        solid = sample_sphere(scene, SPATE_LIST_SOLIDS, x + 0.08, 0.08, 0.5 * depth, 0.08);
    } else {
        solid = sample_box(scene, SPATE_LIST_SOLIDS, x, -0.05, -1, x + 0.15, 0.16, 1);
        solid->rotation[2] = p->kind == TURNED ? 20 : 0;
    }
    strcpy(solid->name, "solid");
    sample_velocity(p->moving ? solid : water, p->moving ? -SPEED : SPEED, 0, 0);
    spate_gauge *gauge = spate_scene_add_gauge(scene);
    gauge->kind = SPATE_GAUGE_FORCE;
    strcpy(gauge->solid, "solid");
    return sample_sim(scene, 2);
}

/* Along the stream, kg m/s (2D: per metre). */
static double momentum(spate_sim *sim)
{
    spate_particles_view view = sample_view(sim);
    bool flat = spate_sim_dim(sim) == 2;
    double sum = 0, mass = 1000 * DX * DX / 4 * (flat ? 1 : DX / 2);
    for (size_t k = 0; k < view.count; k++)
        sum += view.v[0][k];
    return mass * sum;
}

/* The impulse of the force over what the water loses, after the first step for 0.2 s. */
static double impulse_over_loss(const pool *p, int seeds)
{
    double impulse = 0, loss = 0, force[3] = {0};
    for (int seed = 1; seed <= seeds; seed++) {
        spate_sim *sim = start(p, seed);
        if (!sim || !sample_step(sim, 0))
            return 0;
        loss += momentum(sim);
        for (int k = 0; k < (int)(0.2 * p->fps + 0.5); k++) {
            CHECK(sample_step(sim, 0) && spate_sim_gauge_read(sim, 0, force) == p->dim);
            impulse += force[0] / p->fps;
        }
        CHECK(spate_sim_steps(sim) == (uint64_t)(0.2 * p->fps + 0.5) + 1);
        loss -= momentum(sim);
        spate_sim_destroy(sim);
    }
    return impulse / loss;
}

static void compare(const pool *p, int seeds, double limit)
{
    double ratio = impulse_over_loss(p, seeds);
    printf("  %dD %s%s%s, CFL %.1f: force %.3f of what the water loses (within %g)\n", p->dim,
           names[p->kind], p->model == SPATE_SOLID_MODEL_CUT ? "" : ", voxels",
           p->moving ? ", moving" : "", SPEED / p->fps / DX, ratio, limit);
    CHECK_NEAR(ratio, 1, limit);
}

static void in_2d(bool moving)
{
    for (solid_kind kind = DISC; kind <= TURNED; kind++)
        for (double fps = 60; fps < (test_full() ? 300 : 100); fps *= 4)
            compare(&(pool){2, kind, SPATE_SOLID_MODEL_CUT, moving, fps}, 12, 0.05);
}

static void stands(void)
{
    in_2d(false);
    compare(&(pool){2, DISC, SPATE_SOLID_MODEL_CUT, false, 240}, 2, 0.02);
}

static void moves(void)
{
    in_2d(true);
}

static void in_3d(void)
{
    for (solid_kind kind = DISC; kind <= (test_full() ? TURNED : DISC); kind++)
        for (int moving = 0; moving < 1 + test_full(); moving++)
            compare(&(pool){3, kind, SPATE_SOLID_MODEL_CUT, moving, 60}, test_full() ? 4 : 1, 0.07);
}

/* The faces of the box are nearly those of its voxels. On stairs, and where whole cells become
 * solid, the water loses up to a third more than the pressure says. */
static void voxels(void)
{
    for (double fps = 60; fps < 300; fps *= 4)
        compare(&(pool){2, BOX, SPATE_SOLID_MODEL_VOXEL, false, fps}, 4, 0.05);
}

/* The buoyancy of a disc in a tank at rest: the same in steps of 1/60 s and of 1/1000 s. */
static void at_rest(void)
{
    double force[2][3];
    for (int k = 0; k < 2; k++) {
        spate_scene *scene = sample_scene(2, 0.8, 0.8, 0, 32);
        scene->fluid.jitter = 0;
        scene->fps = k ? 1000 : 60;
        sample_box(scene, SPATE_LIST_FILL, 0, 0, 0, 0.8, 0.61, 0);
        strcpy(sample_sphere(scene, SPATE_LIST_SOLIDS, 0.4, 0.31, 0, 0.13)->name, "solid");
        spate_gauge *gauge = spate_scene_add_gauge(scene);
        gauge->kind = SPATE_GAUGE_FORCE;
        strcpy(gauge->solid, "solid");
        spate_sim *sim = sample_sim(scene, 2);
        for (int step = 0; step < 20 && sim; step++)
            sample_step(sim, 0);
        CHECK(sim && spate_sim_gauge_read(sim, 0, force[k]) == 2);
        spate_sim_destroy(sim);
    }
    printf("  at rest: buoyancy %.3f and %.3f N/m\n", force[0][1], force[1][1]);
    CHECK_NEAR(force[0][1] / force[1][1], 1, 0.001);
    CHECK_NEAR(force[0][0] / force[0][1], 0, 0.001);
}

TESTS(gauge_balance)
{
    TEST(stands);
    TEST(moves);
    TEST(in_3d);
    TEST(voxels);
    TEST(at_rest);
}
