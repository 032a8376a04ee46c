/* hydrostatic.c -- water that rests must stay at rest: a tank with a flat floor, a sphere on the
 * floor, or a sloped floor (a rotated box), particles on a lattice or jittered, and the surface
 * anywhere in a cell: depths of 32 dx and eighths of dx more, or metres in a tank of odd size.
 *
 * After 3 s: the largest particle speed against sqrt(g h), the speed of long waves; the pressure in
 * the lowest liquid cell of every column against rho g (h - y) at its middle; the way that the
 * centre of mass has gone; how far the highest particle is above the level. Over 10,000 steps (full
 * form): never above 0.01 sqrt(g h), and no more kinetic energy in the second half than in the
 * first. */
#include "case.h"

#define CELLS 32
#define DX (1.0 / 32)
#define H (CELLS * DX)
#define SPEED 0.004 /* of sqrt(g h), after 3 s */

typedef enum floor_kind { FLAT, SPHERE, SLOPE } floor_kind;
static const char *const floor_names[] = {"flat", "sphere", "slope"};
static const char *const transfer_names[] = {"flip", "pic", "apic", "aflip"};

typedef struct tank_kind {
    int dim;
    floor_kind floor;
    double jitter, h; /* m, the depth */
    double fps;
    spate_transfer transfer;
} tank_kind;

/* 48 cells wide in 2D, `width` in 3D; 8 cells of air above. */
static spate_sim *tank(tank_kind kind)
{
    const int dim = kind.dim;
    const floor_kind floor = kind.floor;
    const double size = (dim == 2 ? 48 : case_full ? 20 : 10) * DX, width = dim == 2 ? 0 : size;
    spate_scene *scene = case_scene(dim, DX, size, H + 8 * DX, width);
    scene->fluid.jitter = kind.jitter;
    scene->fps = kind.fps;
    scene->fluid.transfer = kind.transfer;
    case_box(scene, SPATE_LIST_FILL, 0, 0, 0, size, kind.h, width);
    if (floor == SPHERE) {
        spate_shape *ball = case_add(scene, SPATE_LIST_SOLIDS, SPATE_SHAPE_SPHERE);
        ball->radius = (dim == 2 ? 8.3 : 3.7) * DX;
        ball->center[0] = 0.47 * size;
        ball->center[1] = ball->radius;
        ball->center[2] = dim == 2 ? 0 : 0.53 * size;
    }
    if (floor == SLOPE) { /* its upper side rises by 14 degrees through the lower left corner's
                             neighbourhood */
        spate_shape *wedge = case_box(scene, SPATE_LIST_SOLIDS, -size, -2 * size + 2.3 * DX, -size,
                                      2 * size, 2.3 * DX, 2 * size);
        wedge->rotation[2] = 14;
    }
    return case_start(scene);
}

/* Largest error of the pressure in the lowest liquid cells, in rho g dx. */
static double floor_error(spate_sim *sim, double h)
{
    spate_field_view p, type;
    if (!spate_sim_field_view(sim, "p", &p) || !spate_sim_field_view(sim, "type", &type))
        return HUGE_VAL;
    double worst = 0;
    int columns = 0;
    for (int k = 0; k < p.count[2]; k++)
        for (int i = 0; i < p.count[0]; i++)
            for (int j = 0; j < p.count[1]; j++) {
                if (type.bytes[i * type.stride[0] + j * type.stride[1] + k * type.stride[2]] !=
                    SPATE_CELL_LIQUID)
                    continue;
                double value = p.values[i * p.stride[0] + j * p.stride[1] + k * p.stride[2]];
                double expected = DENSITY * GRAVITY * (h - p.origin[1] - j * p.cell_size);
                worst = fmax(worst, fabs(value - expected) / (DENSITY * GRAVITY * DX));
                columns++;
                break;
            }
    CHECK(columns > p.count[0] * p.count[2] / 2);
    return worst;
}

/* m: of the highest particle. */
static double top_of(spate_sim *sim)
{
    spate_particles_view view = sample_view(sim);
    double top = 0;
    for (size_t k = 0; k < view.count; k++)
        top = fmax(top, view.origin[1] + view.scale * view.x[1][k]);
    return top;
}

typedef struct rest {
    double speed, error, drift, above; /* sqrt(g h); rho g dx; dx; dx */
} rest;

static rest rest_of(tank_kind kind)
{
    rest r = {HUGE_VAL, HUGE_VAL, HUGE_VAL, HUGE_VAL};
    spate_sim *sim = tank(kind);
    if (!sim)
        return r;
    double start[3], end[3], drift = 0;
    case_centre(sim, start);
    for (int frame = 0; frame < 3 * kind.fps && case_step(sim, 0); frame++)
        ;
    case_centre(sim, end);
    for (int d = 0; d < 3; d++)
        drift += (end[d] - start[d]) * (end[d] - start[d]);
    r = (rest){case_max_speed(sim) / sqrt(GRAVITY * kind.h), floor_error(sim, kind.h),
               sqrt(drift) / DX, (top_of(sim) - kind.h) / DX};
    spate_sim_destroy(sim);
    return r;
}

static rest worse(rest a, rest b)
{
    return (rest){fmax(a.speed, b.speed), fmax(a.error, b.error), fmax(a.drift, b.drift),
                  fmax(a.above, b.above)};
}

/* `what` is part of the name of a figure: it holds no comma. */
static void check_rest(const char *what, rest r)
{
    printf("  %s: speed %.2g sqrt(gh) (%g), floor pressure %.3f rho g dx (0.05), centre %.4f dx "
           "(0.1), highest particle %+.2f dx (1)\n",
           what, r.speed, SPEED, r.error, r.drift, r.above);
    char figure[128];
    snprintf(figure, sizeof figure, "hydrostatic %s: speed", what);
    CHECK_FIGURE(figure, r.speed, SPEED);
    CHECK_LESS(r.error, 0.05);
    CHECK_LESS(r.drift, 0.1);
    CHECK_LESS(r.above, 1);
}

static void rests(int dim, floor_kind floor, double jitter)
{
    char what[64];
    snprintf(what, sizeof what, "%dD %s jitter %.1f", dim, floor_names[floor], jitter);
    check_rest(what, rest_of((tank_kind){dim, floor, jitter, H, dim == 2 || case_full ? 60 : 30,
                                         SPATE_TRANSFER_FLIP}));
}

/* The worst of eight depths; the fast form takes four of them in 2D and one in 3D, where the
 * surface is far from the middle between two cells. */
static void rests_at_all_levels(tank_kind kind)
{
    rest worst = {0, 0, 0, -HUGE_VAL};
    char what[96];
    int step = case_full ? 1 : kind.dim == 3 ? 8 : 2, first = case_full ? 0 : kind.dim == 3 ? 5 : 1;
    for (int eighths = first; eighths < 8; eighths += step) {
        kind.h = H + eighths * DX / 8;
        worst = worse(worst, rest_of(kind));
    }
    snprintf(what, sizeof what, "%dD %s %s jitter %.1f %g fps worst of all depths", kind.dim,
             floor_names[kind.floor], transfer_names[kind.transfer], kind.jitter, kind.fps);
    check_rest(what, worst);
}

static void any_level(int dim, spate_transfer transfer)
{
    for (int floor = FLAT; floor <= (case_full ? SLOPE : FLAT); floor++)
        for (int k = 0; k < 4; k++)
            if (case_full || k == (dim == 2 ? 2 : 0)) /* jitter; 2D 60 fps, 3D 30 fps */
                rests_at_all_levels((tank_kind){dim, (floor_kind)floor, k & 1 ? 0 : 0.5, H,
                                                k & 2 ? 60 : 30, transfer});
}

static void rests_at_any_level_2d(void)
{
    any_level(2, SPATE_TRANSFER_FLIP);
    if (case_full)
        any_level(2, SPATE_TRANSFER_APIC);
    /* steps that are as long as the shortest waves allow */
    check_rest("2D flat 9 fps",
               rest_of((tank_kind){2, FLAT, 0.5, H + 0.375 * DX, 9, SPATE_TRANSFER_FLIP}));
}

static void rests_at_any_level_3d(void)
{
    any_level(3, SPATE_TRANSFER_FLIP);
    if (case_full)
        any_level(3, SPATE_TRANSFER_APIC);
}

static void rests_with_aflip_2d(void)
{
    any_level(2, SPATE_TRANSFER_AFLIP);
}

static void rests_with_aflip_3d(void)
{
    any_level(3, SPATE_TRANSFER_AFLIP);
}

/* 1.3 x 0.9 m at 96 cells, 0.52 m deep: nothing fits the grid. */
static void rests_in_an_odd_tank(void)
{
    spate_scene *scene = case_scene(2, 1.3 / 96, 1.3, 0.9, 0);
    case_box(scene, SPATE_LIST_FILL, 0, 0, 0, 1.3, 0.52, 0);
    spate_sim *sim = case_start(scene);
    double energy[2] = {0, 0}, wave = GRAVITY * 0.52;
    int frames = case_full ? 600 : 200;
    for (int frame = 0; sim && frame < frames && case_step(sim, 0); frame++)
        energy[2 * frame / frames] +=
            case_square_sum(sim) /
            (0.5 * frames * (double)spate_sim_particles_count(sim, "fluid") * wave);
    double speed = sim ? case_max_speed(sim) / sqrt(wave) : HUGE_VAL;
    printf(
        "  speed %.2g sqrt(gh) (%g), kinetic energy of the halves of the run %.2g, %.2g of g h/2\n",
        speed, SPEED, energy[0], energy[1]);
    CHECK_LESS(speed, SPEED);
    CHECK_LESS(energy[1], fmax(energy[0], 1e-9));
    spate_sim_destroy(sim);
}

static void rests_long(int dim, floor_kind floor, int steps)
{
    spate_sim *sim = tank((tank_kind){dim, floor, 0, H, 60, SPATE_TRANSFER_FLIP});
    if (!sim)
        return;
    double most = 0, wave = sqrt(GRAVITY * H), energy[2] = {0, 0};
    for (int step = 0; step < steps && case_step(sim, 1.0 / 60); step++) {
        most = fmax(most, case_max_speed(sim) / wave);
        energy[2 * step / steps] +=
            case_square_sum(sim) / (0.5 * steps * (double)spate_sim_particles_count(sim, "fluid"));
    }
    printf("  %dD %-6s jitter 0, %d steps: run's maximum speed %.2g sqrt(gh) (0.01); mean "
           "kinetic energy of the halves "
           "%.3g, %.3g of g h / 2\n",
           dim, floor_names[floor], steps, most, energy[0] / (wave * wave),
           energy[1] / (wave * wave));
    char figure[128];
    snprintf(figure, sizeof figure, "hydrostatic %dD %s jitter 0 %d steps: speed", dim,
             floor_names[floor], steps);
    CHECK_FIGURE(figure, most, 0.01);
    CHECK_LESS(energy[1], 1.05 * energy[0] + 1e-12 * wave * wave);
    spate_sim_destroy(sim);
}

static void all_floors(int dim)
{
    for (int floor = FLAT; floor <= SLOPE; floor++)
        for (int k = 0; k < 2; k++)
            if (case_full || (k == 1 && (dim == 2 || floor == SPHERE)))
                rests(dim, (floor_kind)floor, 0.5 * k);
}

static void water_rests_2d(void)
{
    all_floors(2);
}

static void water_rests_3d(void)
{
    all_floors(3);
}

static void rests_10000_steps_2d(void)
{
    for (int floor = FLAT; floor <= SLOPE; floor++)
        if (case_full || floor == SPHERE)
            rests_long(2, (floor_kind)floor, case_full ? 10000 : 600);
}

/* Apart, since each takes minutes. */
static void rests_10000_steps_3d_flat(void)
{
    rests_long(3, FLAT, 10000);
}

static void rests_10000_steps_3d_sphere(void)
{
    rests_long(3, SPHERE, case_full ? 10000 : 100);
}

static void rests_10000_steps_3d_slope(void)
{
    rests_long(3, SLOPE, 10000);
}

TESTS(validation_hydrostatic)
{
    TEST(water_rests_2d);
    TEST(water_rests_3d);
    TEST(rests_at_any_level_2d);
    TEST(rests_at_any_level_3d);
    TEST(rests_with_aflip_2d);
    TEST(rests_with_aflip_3d);
    TEST(rests_in_an_odd_tank);
    TEST(rests_10000_steps_2d);
    TEST_LONG(rests_10000_steps_3d_flat);
    TEST(rests_10000_steps_3d_sphere);
    TEST_LONG(rests_10000_steps_3d_slope);
}
