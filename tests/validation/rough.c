/* rough.c -- walls that drag: uniform flow down a rough slope, and a column that collapses on a
 * rough floor.
 *
 * Slope. A layer of depth h on a rough floor, periodic along x, with gravity tilted by a slope of
 * 1:50: in the end the stress at the floor carries the weight, u*^2 = g_x h, and the profile is
 * that of the log law (Nikuradse 1933; Nezu & Nakagawa, Turbulence in Open-Channel Flows, 1993):
 *
 *     u = (u* / 0.41) ln(30 z / k_s),     mean over the depth (u* / 0.41) ln(11 h / k_s)
 *
 * It starts with that mean, the same at all heights, and the profile is taken as the mean of the
 * last third of a run of 18 h / u*. Particles keep their own velocities (flip_ratio 1): the share
 * of PIC of a step, 3 % by default, is a viscosity of 0.005 dx^2 / dt of its own, which is told
 * beside it.
 *
 * Column. Width a, height a, on a rough floor, k_s = a / 20: the front's way after some time. */
#include "case.h"

#define DEPTH 0.4
#define SLOPE 0.02
#define KARMAN 0.41
#define MOST_CELLS 64

typedef struct slope {
    int cells;   /* h / dx */
    double k_s;  /* m */
    double cfl;  /* of the mean speed: dt = cfl dx / U */
    double lift; /* cells: how far the floor, a solid then, is raised */
    int dim;
    double flip_ratio;
} slope;

typedef struct profile {
    double mean;   /* of the speed, against theory */
    double worst;  /* largest difference from the log law, of its value, 1.5 dx .. 0.8 h */
    double weight; /* g_x h / u*^2 from the profile's middle: how far it is in balance */
    double depth;  /* m, as measured */
} profile;

static spate_scene *slope_scene(const slope *s, double speed)
{
    double dx = DEPTH / s->cells, floor = s->lift * dx, wide = 8 * dx;
    spate_scene *scene = case_scene(s->dim, dx, s->dim == 2 ? 16 * dx : wide,
                                    DEPTH + floor + 6 * dx - fmod(floor, dx), wide);
    for (int d = 0; d < s->dim; d += 2)
        scene->domain.sides[d][0] = scene->domain.sides[d][1] = SPATE_SIDE_PERIODIC;
    scene->gravity[0] = GRAVITY * SLOPE;
    if (!getenv("OWN"))
        scene->fluid.flip_ratio = s->flip_ratio;
    if (s->lift > 0) {
        spate_shape *box = case_box(scene, SPATE_LIST_SOLIDS, -9, -9, -9, 9, floor, 9);
        box->wall = SPATE_WALL_ROUGH;
        box->roughness = s->k_s;
    } else {
        scene->domain.wall[1][0] = SPATE_WALL_ROUGH;
        scene->domain.roughness[1][0] = s->k_s;
    }
    case_box(scene, SPATE_LIST_FILL, -9, floor, -9, 9, floor + DEPTH, 9)->velocity[0] = speed;
    return scene;
}

/* Adds the particles' speed along x to the bins of their height, dx thick from the floor on. */
static void add_profile(spate_sim *sim, double floor, double dx, double sum[MOST_CELLS],
                        double count[MOST_CELLS])
{
    spate_particles_view view = sample_view(sim);
    for (size_t k = 0; k < view.count; k++) {
        int bin = (int)((view.origin[1] + view.scale * view.x[1][k] - floor) / dx);
        if (bin < 0 || bin >= MOST_CELLS)
            continue;
        sum[bin] += view.v[0][k];
        count[bin]++;
    }
}

static profile run_slope(const slope *s)
{
    double dx = DEPTH / s->cells, u_star = sqrt(GRAVITY * SLOPE * DEPTH),
           speed = u_star / KARMAN * log(11 * DEPTH / s->k_s), time = 18 * DEPTH / u_star,
           dt = s->cfl * dx / speed, sum[MOST_CELLS] = {0}, count[MOST_CELLS] = {0};
    profile result = {0};
    spate_sim *sim = case_start(slope_scene(s, speed));
    int steps = (int)(time / dt), first = 2 * steps / 3;
    for (int k = 0; k < steps && sim && case_step(sim, dt); k++)
        if (k >= first)
            add_profile(sim, s->lift * dx, dx, sum, count);
    double all = 0, particles = 0;
    for (int j = 0; j < MOST_CELLS; j++) {
        all += sum[j];
        particles += count[j];
    }
    result.mean = all / particles / speed;
    for (int j = 1; j < s->cells && (j + 0.5) * dx <= 0.8 * DEPTH; j++) {
        double wanted = u_star / KARMAN * log(30 * (j + 0.5) * dx / s->k_s),
               off = sum[j] / count[j] / wanted - 1;
        result.worst = fabs(off) > fabs(result.worst) ? off : result.worst;
        if (getenv("PROFILE"))
            printf("   z %.1f dx: %.3f u*, log law %.3f (%+.1f %%)\n", j + 0.5,
                   sum[j] / count[j] / u_star, wanted / u_star, 100 * off);
    }
    spate_sim_destroy(sim);
    return result;
}

static void check_slope(slope s)
{
    profile p = run_slope(&s);
    printf("  %dD h = %d dx, k_s = h/%g, floor at %g dx, U dt = %g dx, flip %g: mean %+.2f %% "
           "(5 %%), profile %+.2f %% (10 %%)\n",
           s.dim, s.cells, DEPTH / s.k_s, s.lift, s.cfl, s.flip_ratio, 100 * (p.mean - 1),
           100 * p.worst);
    CHECK_NEAR(p.mean, 1, 0.05);
    CHECK_NEAR(p.worst, 0, 0.1);
}

static void uniform_flow(void)
{
    for (int cells = 8; cells <= (case_full ? 32 : 8); cells *= 2)
        for (int k = 0; k < 2; k++)
            check_slope((slope){.dim = 2, .cells = cells, .k_s = DEPTH / 40, .cfl = k ? 0.5 : 1,
                                .flip_ratio = 1});
}

static void uniform_flow_on_a_cut_floor(void)
{
    for (int quarter = 0; quarter < 4; quarter++)
        if (case_full || quarter == 1)
            check_slope((slope){.dim = 2, .cells = 8, .k_s = DEPTH / 40, .cfl = 1,
                                .lift = 2 + 0.25 * quarter, .flip_ratio = 1});
}

/* ---- a column */

/* Where the front is after `time`: 0.5 % of the water is beyond it. */
static double front_of(int cells, double time)
{
    double a = 0.5, dx = a / cells;
    spate_scene *scene = case_scene(2, dx, 5 * a, 1.5 * a, 0);
    scene->domain.wall[1][0] = SPATE_WALL_ROUGH;
    scene->domain.roughness[1][0] = a / 20;
    case_box(scene, SPATE_LIST_FILL, 0, 0, 0, a, a, 0);
    spate_sim *sim = case_start(scene);
    for (int k = 0; sim && k < (int)(60 * time + 0.5) && case_step(sim, 0); k++) {}
    spate_particles_view view = sample_view(sim);
    int bins[2000] = {0}, beyond = 0, k = 1999;
    for (size_t p = 0; p < view.count; p++) {
        int bin = (int)((view.origin[0] + view.scale * view.x[0][p]) / (5 * a) * 2000);
        bins[bin < 0 ? 0 : bin > 1999 ? 1999 : bin]++;
    }
    for (; k > 0 && (beyond += bins[k]) < 0.005 * (double)view.count; k--) {}
    spate_sim_destroy(sim);
    return (k + 0.5) / 2000 * 5;
}

static void column(void)
{
    double time = 0.5, last = 0;
    for (int cells = 16; cells <= (case_full ? 64 : 16); cells *= 2) {
        double front = front_of(cells, time);
        printf("  a = %d dx: front at %.3f a after %g s (%+.2f %%; 3 %% from 16 to 64)\n", cells,
               front, time, last > 0 ? 100 * (front / last - 1) : 0);
        last = last > 0 ? last : front;
        CHECK_NEAR(front / last, 1, 0.03);
    }
}

int main(int argc, char **argv)
{
    case_begin(argc, argv);
    TEST(uniform_flow);
    TEST(uniform_flow_on_a_cut_floor);
    TEST(column);
    return test_end();
}
