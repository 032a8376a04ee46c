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
 * last third of a run of 18 h / u*, with the default transfer. Its share of PIC is a viscosity of
 * its own, 0.03 dx^2 / (6 dt): a fifth of the mixing at one cell from the floor, nothing above.
 *
 * Column. Width a, height 2 a, on a rough floor: the way of the front must not depend on the grid.
 */
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
} slope;

typedef struct profile {
    double mean;  /* of the speed, against theory */
    double worst; /* largest difference from the log law, of its value, 1.5 dx .. 0.8 h */
} profile;

static spate_scene *slope_scene(const slope *s, double speed)
{
    double dx = DEPTH / s->cells, floor = s->lift * dx, wide = 8 * dx;
    spate_scene *scene = case_scene(s->dim, dx, s->dim == 2 ? 16 * dx : wide,
                                    DEPTH + floor + 6 * dx - fmod(floor, dx), wide);
    for (int d = 0; d < s->dim; d += 2)
        scene->domain.sides[d][0] = scene->domain.sides[d][1] = SPATE_SIDE_PERIODIC;
    scene->gravity[0] = GRAVITY * SLOPE;
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
    }
    spate_sim_destroy(sim);
    return result;
}

static void check_slope(slope s)
{
    profile p = run_slope(&s);
    printf("  %dD h = %d dx, k_s = h/%g, floor at %g dx, U dt = %g dx: mean %+.2f %% "
           "(5 %%), profile %+.2f %% (10 %%)\n",
           s.dim, s.cells, DEPTH / s.k_s, s.lift, s.cfl, 100 * (p.mean - 1), 100 * p.worst);
    CHECK_NEAR(p.mean, 1, 0.05);
    CHECK_NEAR(p.worst, 0, 0.1);
}

static void uniform_flow(void)
{
    for (int cells = 8; cells <= (case_full ? 32 : 8); cells *= 2)
        for (int k = 0; k < (case_full ? 2 : 1); k++)
            check_slope((slope){.dim = 2, .cells = cells, .k_s = DEPTH / 40, .cfl = k ? 0.5 : 1});
    check_slope((slope){.dim = 2, .cells = 8, .k_s = DEPTH / 400, .cfl = 1});
    if (case_full)
        check_slope((slope){.dim = 3, .cells = 8, .k_s = DEPTH / 40, .cfl = 1});
}

/* The same on a solid, wherever it cuts the grid. */
static void uniform_flow_on_a_cut_floor(void)
{
    for (int cells = 8; cells <= (case_full ? 16 : 8); cells *= 2)
        for (int quarter = 0; quarter < 4; quarter++)
            if (case_full || quarter == 2)
                check_slope((slope){.dim = 2,
                                    .cells = cells,
                                    .k_s = DEPTH / 40,
                                    .cfl = 1,
                                    .lift = 2 + 0.25 * quarter});
}

/* ---- a column */

#define A 0.5
#define RUN_OUT 6 /* length of the channel over a */
#define BINS (16 * RUN_OUT)

/* The front over a: where the depth, in bins of a/16, falls below a/32, which is half a cell of the
 * coarsest grid; linear between the middles of bins. */
static double front_of(spate_sim *sim, int cells)
{
    spate_particles_view view = sample_view(sim);
    double depth[BINS] = {0}, per_particle = 16.0 / (4.0 * cells * cells);
    for (size_t p = 0; p < view.count; p++) {
        int bin = (int)((view.origin[0] + view.scale * view.x[0][p]) / A * 16);
        depth[bin < BINS ? bin : BINS - 1] += per_particle;
    }
    for (int k = BINS - 1; k > 0; k--)
        if (depth[k - 1] >= 1.0 / 32)
            return (k - 0.5 + (depth[k - 1] - 1.0 / 32) / (depth[k - 1] - depth[k])) / 16;
    return 0;
}

/* The front at T = 1.5 and 3.5, T = t sqrt(2 g / a), for a column of width a and height 2 a. */
static void collapse(int cells, double roughness, double front[2])
{
    double dx = A / cells, unit = sqrt(A / (2 * GRAVITY));
    spate_scene *scene = case_scene(2, dx, RUN_OUT * A, 2.5 * A, 0);
    scene->domain.wall[1][0] = roughness > 0 ? SPATE_WALL_ROUGH : SPATE_WALL_SLIP;
    scene->domain.roughness[1][0] = roughness;
    case_box(scene, SPATE_LIST_FILL, 0, 0, 0, A, 2 * A, 0);
    spate_sim *sim = case_start(scene);
    int steps = 4 * cells; /* of T = 1 */
    for (int k = 1; sim && k <= 7 * steps / 2 && case_step(sim, unit / steps); k++) {
        front[0] = 2 * k <= 3 * steps ? front_of(sim, cells) : front[0];
        if (k == 7 * steps / 2)
            front[1] = front_of(sim, cells);
    }
    spate_sim_destroy(sim);
}

static void runs_out(double roughness)
{
    double first = 0;
    for (int cells = 16; cells <= (case_full ? 64 : 32); cells *= 2) {
        double front[2] = {0, 0};
        collapse(cells, roughness, front);
        first = first > 0 ? first : front[1];
        printf("  k_s = a/%g, a = %d dx: front at %.3f a (%+.2f %%; 3 %%), speed %.3f\n",
               A / roughness, cells, front[1], 100 * (front[1] / first - 1),
               (front[1] - front[0]) / 2);
        CHECK_NEAR(front[1] / first, 1, 0.03);
    }
}

static void column(void)
{
    runs_out(A / 20);
    if (case_full)
        runs_out(A / 200);
}

/* ---- a dam break into pillars */

/* Kinetic energy at `frame`, over the density: as scenes/pillars.json, with one wall that drags. */
static double pillars_energy(int cells, spate_wall wall, int frame)
{
    spate_scene *scene = case_scene(3, 2.0 / cells, 2, 1, 1);
    case_box(scene, SPATE_LIST_FILL, 0, 0, 0, 0.7, 0.7, 1);
    const double poles[3][4] = {
        {1.1, 1.1, 0.22, 0.08}, {1.1, 1.1, 0.78, 0.08}, {1.35, 1.6, 0.5, 0.07}};
    for (int k = 0; k < 3; k++) {
        spate_shape *pole = case_add(scene, SPATE_LIST_SOLIDS, SPATE_SHAPE_CYLINDER);
        const double from[3] = {poles[k][0], -0.1, poles[k][2]},
                     to[3] = {poles[k][1], 1.1, poles[k][2]};
        memcpy(pole->from, from, sizeof from);
        memcpy(pole->to, to, sizeof to);
        pole->radius = poles[k][3];
        pole->wall = k == 2 ? wall : SPATE_WALL_SLIP;
        pole->roughness = pole->wall == SPATE_WALL_ROUGH ? 0.01 : 0;
    }
    spate_shape *ball = case_add(scene, SPATE_LIST_SOLIDS, SPATE_SHAPE_SPHERE);
    const double centre[3] = {1.72, 0.12, 0.5};
    memcpy(ball->center, centre, sizeof centre);
    ball->radius = 0.15;
    scene->fps = 30;
    spate_sim *sim = case_start(scene);
    while (sim && spate_sim_frame(sim) < frame && case_step(sim, 0)) {}
    spate_stats stats = sim ? sample_stats(sim) : (spate_stats){0};
    spate_sim_destroy(sim);
    return stats.kinetic_energy;
}

/* One rough pole changes nothing before it is reached, and little after. The drag of no_slip
 * depends on the grid: a pole of 4.5 cells has no limit. */
static void pillars(void)
{
    const char *const names[3] = {"slip", "rough", "no_slip"};
    const spate_wall walls[3] = {SPATE_WALL_SLIP, SPATE_WALL_ROUGH, SPATE_WALL_NO_SLIP};
    const double least[3] = {1, 0.9, 0.75};
    const int cells = case_full ? 64 : 32;
    for (int late = 0; late < 2; late++) {
        double slip = 0;
        for (int k = 0; k < 3; k++) {
            double energy = pillars_energy(cells, walls[k], late ? 40 : 7);
            slip = k ? slip : energy;
            printf("  %d cells, frame %d, a pole that is %s: %.4f of slip's energy (%g)\n", cells,
                   late ? 40 : 7, names[k], energy / slip, late ? least[k] : 1);
            if (!late)
                CHECK_NEAR(energy / slip, 1, 1e-6);
            else if (case_full || walls[k] != SPATE_WALL_NO_SLIP)
                CHECK_LESS(least[k], energy / slip + 1e-9);
        }
    }
}

TESTS(validation_rough)
{
    TEST(uniform_flow);
    TEST(uniform_flow_on_a_cut_floor);
    TEST(column);
    TEST(pillars);
}
