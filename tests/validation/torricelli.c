/* torricelli.c -- a jet from a slot of height a = 8 dx at the floor of a tank, h = 10 a deep and 20
 * a wide, whose level an inflow at the far wall keeps.
 *
 * The floor runs on behind the slot, so the jet is half of one from a slot of 2 a in a plane wall
 * (mirrored at the floor): it contracts to C a, C = pi / (pi + 2) = 0.611 (Kirchhoff), where its
 * surface stands C a high. By Bernoulli
 *
 *     v = sqrt(2 g (h - C a)),    q = C a v,    C_d = q / (a sqrt(2 g h))
 *
 * and C_d = C / sqrt(1 + C a / h) if the velocity of approach is counted. The discharge is the flux
 * through the faces of the slot; what leaves through the open side, counted in particles, is
 * printed beside it (it differs where particles stand closer than at the start). h is taken from
 * the volume in the tank, and the speed 2 a behind the wall in the lower half of the jet, where a
 * probe would stand; the mean over the jet is printed beside it. The slot has a sharp lip, one cell
 * thick: as long as a face belongs to a liquid cell the water cannot leave it, so along a thicker
 * one the jet would stay attached. */
#include "case.h"

#define DX 0.01
#define SLOT (8 * DX)
#define WIDTH (20 * SLOT)
#define LIP DX /* thickness of the wall at the slot, */
#define LIP_HEIGHT (3 * DX)
#define WALL (4 * DX)     /* and above the lip */
#define BEHIND (5 * SLOT) /* from the lip to the open side */
#define CONTRACTION 0.611

static spate_sim *tank(int dim, double h)
{
    const double end = WIDTH + LIP + BEHIND, top = h + 6 * DX, depth = dim == 3 ? 4 * DX : 0;
    spate_scene *scene = case_scene(dim, DX, end, top, depth);
    scene->domain.sides[0][1] = SPATE_SIDE_OPEN;
    case_box(scene, SPATE_LIST_SOLIDS, WIDTH, SLOT, -DX, WIDTH + LIP, 2 * top, depth + DX);
    case_box(scene, SPATE_LIST_SOLIDS, WIDTH, SLOT + LIP_HEIGHT, -DX, WIDTH + WALL, 2 * top,
             depth + DX);
    const double discharge =
        CONTRACTION / sqrt(1 + CONTRACTION * SLOT / h) * SLOT * sqrt(2 * GRAVITY * h);
    /* the water starts with the velocity of approach, so that the tank does not slosh */
    case_box(scene, SPATE_LIST_FILL, 0, 0, 0, WIDTH, h, depth)->velocity[0] = discharge / h;
    spate_shape *inflow = case_box(scene, SPATE_LIST_INFLOWS, 0, 0, 0, 2 * DX, h - 4 * DX, depth);
    inflow->velocity[0] = discharge / (h - 4 * DX);
    return case_start(scene);
}

typedef struct sample {
    double head;       /* m */
    double core, mean; /* m/s, of the lower half of the jet and of all of it */
} sample;

static sample look(spate_sim *sim, int dim)
{
    spate_particles_view view = sample_view(sim);
    const double place = WIDTH + LIP + 2 * SLOT, volume = DX * DX * (dim == 3 ? DX / 8 : 0.25);
    sample s = {0, 0, 0};
    int low = 0, all = 0;
    for (size_t k = 0; k < view.count; k++) {
        double x = view.origin[0] + view.scale * view.x[0][k];
        s.head += x < WIDTH ? volume : 0;
        if (fabs(x - place) < DX) {
            bool core = view.origin[1] + view.scale * view.x[1][k] < 0.5 * CONTRACTION * SLOT;
            s.core += core ? view.v[0][k] : 0;
            low += core;
            s.mean += view.v[0][k];
            all++;
        }
    }
    s.head /= WIDTH * (dim == 3 ? 4 * DX : 1);
    s.core /= low ? low : 1;
    s.mean /= all ? all : 1;
    return s;
}

/* Flux through the faces of the slot, m^2/s per metre of depth. */
static double slot_flux(spate_sim *sim)
{
    spate_field_view u;
    if (!spate_sim_field_view(sim, "u", &u))
        return 0;
    int i = (int)floor((WIDTH - u.origin[0]) / DX + 0.5), rows = (int)floor(SLOT / DX + 0.5);
    double sum = 0;
    for (int k = 0; k < u.count[2]; k++)
        for (int j = 0; j < rows; j++)
            sum += u.values[i * u.stride[0] + j * u.stride[1] + k * u.stride[2]];
    return sum * DX / u.count[2];
}

static void jet(int dim, double from, double until)
{
    const double h = 10 * SLOT;
    spate_sim *sim = tank(dim, h);
    if (!sim)
        return;
    double head = 0, speed = 0, mean = 0, flow = 0, started = 0;
    uint64_t left = 0;
    int samples = 0;
    while (spate_sim_time(sim) < until - 1e-9 && case_step(sim, 0)) {
        if (spate_sim_time(sim) < from - 1e-9)
            continue;
        spate_stats stats = sample_stats(sim);
        if (samples == 0) {
            left = stats.removed_open;
            started = stats.time;
        }
        sample s = look(sim, dim);
        head += s.head;
        speed += s.core;
        mean += s.mean;
        flow += slot_flux(sim);
        samples++;
    }
    CHECK(samples > 5);
    if (samples > 5) {
        head /= samples;
        speed /= samples;
        mean /= samples;
        flow /= samples;
        double volume = DX * DX * (dim == 3 ? DX / 8 / (4 * DX) : 0.25);
        double counted = (double)(sample_stats(sim).removed_open - left) * volume /
                         (spate_sim_time(sim) - started);
        double expected = sqrt(2 * GRAVITY * (head - CONTRACTION * SLOT)),
               ideal = SLOT * sqrt(2 * GRAVITY * head);
        double cd = flow / ideal;
        double cd_expected = CONTRACTION / sqrt(1 + CONTRACTION * SLOT / head);
        printf("  %dD, %.1f to %.1f s: head %.2f a, speed %.4f m/s, theory %.4f (%+.2f %%; 3 "
               "%%), mean over the jet "
               "%+.2f %%; C_d %.4f, theory %.4f (%+.2f %%; 8 %%), in particles %+.2f %%\n",
               dim, from, until, head / SLOT, speed, expected, 100 * (speed / expected - 1),
               100 * (mean / expected - 1), cd, cd_expected, 100 * (cd / cd_expected - 1),
               100 * (counted / ideal / cd_expected - 1));
        CHECK_NEAR(speed / expected, 1, 0.03);
        CHECK_NEAR(cd / cd_expected, 1, 0.08);
        CHECK_NEAR(head / SLOT, 10, 0.3);
    }
    spate_sim_destroy(sim);
}

static void jet_2d(void)
{
    if (case_full)
        jet(2, 1, 3);
    else
        jet(2, 0.5, 0.8);
}

/* A slab of 4 cells. */
static void jet_3d(void)
{
    jet(3, 0.5, 1);
}

TESTS(validation_torricelli)
{
    TEST(jet_2d);
    TEST_LONG(jet_3d);
}
