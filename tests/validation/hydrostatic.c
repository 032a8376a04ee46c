/* hydrostatic.c -- water that rests must stay at rest: a tank of depth h = 32 dx with a flat floor,
 * a sphere on the floor, or a sloped floor (a rotated box), particles on a lattice or jittered.
 *
 * After 3 s: the largest particle speed against sqrt(g h), the speed of long waves; the pressure in
 * the lowest liquid cell of every column against rho g (h - y) at its middle; the way that the
 * centre of mass has gone. Over 10,000 steps (full form): never above 0.01 sqrt(g h), and no more
 * kinetic energy in the second half than in the first. */
#include "case.h"

#define CELLS 32
#define DX (1.0 / 32)
#define H (CELLS * DX)

typedef enum floor_kind { FLAT, SPHERE, SLOPE } floor_kind;
static const char *const floor_names[] = {"flat", "sphere", "slope"};

/* 48 cells wide in 2D, `width` in 3D; 8 cells of air above. */
static spate_sim *tank(int dim, floor_kind floor, double jitter)
{
    const double size = (dim == 2 ? 48 : case_full ? 20 : 10) * DX, width = dim == 2 ? 0 : size;
    spate_scene *scene = case_scene(dim, DX, size, H + 8 * DX, width);
    scene->fluid.jitter = jitter;
    case_box(scene, SPATE_LIST_FILL, 0, 0, 0, size, H, width);
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
static double floor_error(spate_sim *sim)
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
                double expected = DENSITY * GRAVITY * (H - p.origin[1] - j * p.cell_size);
                worst = fmax(worst, fabs(value - expected) / (DENSITY * GRAVITY * DX));
                columns++;
                break;
            }
    CHECK(columns > p.count[0] * p.count[2] / 2);
    return worst;
}

static void rests(int dim, floor_kind floor, double jitter)
{
    spate_sim *sim = tank(dim, floor, jitter);
    if (!sim)
        return;
    double start[3], end[3], most = 0, wave = sqrt(GRAVITY * H), drift = 0, worst = 0;
    case_centre(sim, start);
    for (int frame = 0; frame < 180 && case_step(sim, 0); frame++) {
        most = fmax(most, case_max_speed(sim) / wave);
        worst = fmax(worst, floor_error(sim));
    }
    case_centre(sim, end);
    for (int d = 0; d < 3; d++)
        drift += (end[d] - start[d]) * (end[d] - start[d]);
    drift = sqrt(drift) / DX;
    double speed = case_max_speed(sim) / wave, error = floor_error(sim);
    printf(
        "  %dD %-6s jitter %.1f: speed %.2g sqrt(gh) (0.01; goal 0.001), run's maximum %.2g; "
        "floor pressure %.3f rho g dx (0.2; goal 0.05), run's maximum %.3f; centre %.4f dx (0.1)\n",
        dim, floor_names[floor], jitter, speed, most, error, worst, drift);
    CHECK_LESS(speed, 0.01);
    CHECK_LESS(error, 0.2);
    CHECK_LESS(drift, 0.1);
    spate_sim_destroy(sim);
}

static void rests_long(int dim, floor_kind floor, int steps)
{
    spate_sim *sim = tank(dim, floor, 0);
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
    CHECK_LESS(most, 0.01);
    CHECK_LESS(energy[1], 1.05 * energy[0] + 1e-12 * wave * wave);
    spate_sim_destroy(sim);
}

static void all_floors(int dim)
{
    for (int floor = FLAT; floor <= SLOPE; floor++)
        for (int k = 0; k < 2; k++)
            if (dim == 2 || case_full || (k == 1 && floor != FLAT))
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
        rests_long(2, (floor_kind)floor, case_full ? 10000 : 600);
}

/* Apart, since each takes minutes. */
static void rests_10000_steps_3d_flat(void)
{
    rests_long(3, FLAT, case_full ? 10000 : 200);
}

static void rests_10000_steps_3d_sphere(void)
{
    rests_long(3, SPHERE, case_full ? 10000 : 200);
}

static void rests_10000_steps_3d_slope(void)
{
    rests_long(3, SLOPE, case_full ? 10000 : 200);
}

int main(int argc, char **argv)
{
    case_begin(argc, argv);
    TEST(water_rests_2d);
    TEST(water_rests_3d);
    TEST(rests_10000_steps_2d);
    TEST(rests_10000_steps_3d_flat);
    TEST(rests_10000_steps_3d_sphere);
    TEST(rests_10000_steps_3d_slope);
    return test_end();
}
