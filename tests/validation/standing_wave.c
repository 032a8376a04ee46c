/* standing_wave.c -- the first mode of a tank of length L = depth h = 28 dx, amplitude a = 0.05 h,
 * 60 frames per second.
 *
 * It starts on a flat surface with the potential flow of linear theory (Lamb, Hydrodynamics,
 * section 228), k = pi / L:
 *
 *     eta = a sin(omega t) cos(k x),   omega^2 = g k tanh(k h)
 *     u_x = -a omega cosh(k y) / sinh(k h) sin(k x),   u_y = a omega sinh(k y) / sinh(k h) cos(k x)
 * at t = 0
 *
 * The centre of mass then swings by -2 a / (k^2 L h) along x, which is what is measured: the period
 * from its zeros, the amplitude from its extremes. To second order in k a the period is longer by
 * (k a)^2 / 8 in this depth. */
#include "case.h"

#define CELLS 28
#define DX (1.0 / CELLS)
#define L 1.0
#define H 1.0
#define PI 3.14159265358979323846
#define MOST_FRAMES 2000
#define MOST_EXTREMES 64

/* The particles of a fill of the tank, with the velocities of the wave. The scene has none of its
 * own yet. */
static bool add_wave(spate_scene *scene, double depth, double amplitude)
{
    spate_scene *still = spate_scene_copy(scene);
    if (!still)
        return false;
    case_box(still, SPATE_LIST_FILL, 0, 0, 0, L, H, depth);
    spate_sim *sim = case_start(still);
    if (!sim)
        return false;
    const double k = PI / L, omega = sqrt(GRAVITY * k * tanh(k * H)),
                 speed = amplitude * omega / sinh(k * H);
    size_t count = spate_sim_particles_count(sim, "fluid");
    float *x = malloc(3 * count * sizeof *x), *v = calloc(3 * count, sizeof *v);
    spate_points *points = NULL;
    if (x && v) {
        spate_sim_particles_read(sim, "fluid", x, NULL, NULL);
        for (size_t p = 0; p < count; p++) {
            v[3 * p] = (float)(-speed * cosh(k * x[3 * p + 1]) * sin(k * x[3 * p]));
            v[3 * p + 1] = (float)(speed * sinh(k * x[3 * p + 1]) * cos(k * x[3 * p]));
        }
        points = spate_points_create(x, v, count, NULL);
    }
    case_add(scene, SPATE_LIST_FILL, SPATE_SHAPE_PARTICLES)->points = points;
    free(x);
    free(v);
    spate_sim_destroy(sim);
    return points != NULL;
}

/* Place and height of the parabola through three values at -1, 0, 1. */
static double extreme(double low, double here, double high, double *place)
{
    double bend = low - 2 * here + high, slope = 0.5 * (high - low);
    *place = -slope / bend;
    return here - 0.5 * slope * slope / bend;
}

typedef struct wave {
    int periods;   /* whole periods seen */
    double period; /* s, their mean */
    double loss;   /* of amplitude, per period */
} wave;

/* The centre swings about `middle` of the signal; zeros upwards give the period. The loss is that
 * of a geometric sequence through the first and last extreme. */
static wave analyse(const double *signal, int count, double frame)
{
    double first = 0, last = 0, heights[MOST_EXTREMES], place;
    int zeros = 0, extremes = 0;
    for (int k = 1; k < count; k++)
        if ((signal[k - 1] < 0) != (signal[k] < 0)) {
            double zero = (k - signal[k] / (signal[k] - signal[k - 1])) * frame;
            first = zeros == 0 ? zero : first;
            last = zero;
            zeros++;
        }
    for (int k = 1; k + 1 < count && extremes < MOST_EXTREMES; k++)
        if ((signal[k] - signal[k - 1]) * (signal[k + 1] - signal[k]) < 0)
            heights[extremes++] = fabs(extreme(signal[k - 1], signal[k], signal[k + 1], &place));
    wave w = {
        .periods = (zeros - 1) / 2, .period = 2 * (last - first) / fmax(1, zeros - 1), .loss = 1};
    if (extremes >= 3)
        w.loss = 1 - pow(heights[extremes - 1] / heights[0], 2.0 / (extremes - 1));
    CHECK(zeros >= 3 && abs(extremes - zeros) <= 1); /* one clean swing, no wiggles */
    return w;
}

/* The first mode of the tank of a scene, its period by theory, and its first swing over that of
 * theory. */
static wave run_wave(spate_scene *scene, double periods, double *expected, double *first)
{
    const double amplitude = 0.05 * H, k = PI / L;
    const double omega = sqrt(GRAVITY * k * tanh(k * H));
    *expected = 2 * PI / omega * (1 + k * amplitude * k * amplitude / 8);
    bool made = add_wave(scene, scene->domain.size[2], amplitude);
    CHECK(made);
    spate_sim *sim = made ? case_start(scene) : NULL;
    if (!sim)
        return (wave){.loss = 1};
    static double signal[MOST_FRAMES];
    double start[3], centre[3], frame = 1.0 / 60, most = 0;
    int count = 0;
    case_centre(sim, start);
    while (count * frame < periods * *expected && count < MOST_FRAMES && case_step(sim, 0)) {
        case_centre(sim, centre);
        signal[count++] = centre[0] - start[0];
    }
    for (int n = 0; n < count; n++)
        most = fmax(most, fabs(signal[n]));
    *first = most / (2 * amplitude / (k * k * L * H));
    spate_sim_destroy(sim);
    return analyse(signal, count, frame);
}

/* most: of the loss per period */
static void swings(int dim, double jitter, double periods, spate_transfer transfer,
                   double most_lost)
{
    double expected, first = 0;
    spate_scene *scene = case_scene(dim, DX, L, H + 6 * DX, dim == 3 ? 4 * DX : 0);
    scene->fluid.jitter = jitter;
    scene->fluid.transfer = transfer;
    wave w = run_wave(scene, periods, &expected, &first);
    printf("  %dD %s, jitter %.1f, %d periods: period %.5f s, theory %.5f (%+.2f %%; 2 %%, goal "
           "0.5 %%); first swing %.3f of "
           "theory; loss %.2f %% per period (%g %%; goal 1 %%)\n",
           dim, transfer == SPATE_TRANSFER_AFLIP ? "aflip" : "flip", jitter, w.periods, w.period,
           expected, 100 * (w.period / expected - 1), first, 100 * w.loss, 100 * most_lost);
    CHECK_NEAR(w.period / expected, 1, 0.02);
    CHECK_LESS(w.loss, most_lost);
    CHECK_NEAR(first, 1, 0.1);
}

static void wave_2d(void)
{
    swings(2, 0.5, case_full ? 10.4 : 5.4, SPATE_TRANSFER_FLIP, 0.06);
    swings(2, 0, case_full ? 10.4 : 5.4, SPATE_TRANSFER_FLIP, 0.06);
}

static void wave_3d(void)
{
    swings(3, 0.5, case_full ? 10.4 : 2.4, SPATE_TRANSFER_FLIP, 0.06);
}

/* Gradients keep what FLIP's share of PIC takes: less than half of FLIP's 0.7 % is lost. */
static void wave_with_aflip_2d(void)
{
    swings(2, 0.5, case_full ? 10.4 : 5.4, SPATE_TRANSFER_AFLIP, 0.0035);
}

/* A rough floor takes little from a wave in deep water: the flow has no vorticity but at the floor.
 */
static void wave_over_a_rough_floor(void)
{
    double loss[3] = {0};
    const double roughness[3] = {0, 0.002, 0.01}; /* m */
    for (int k = 0; k < 3; k++) {
        double expected, first;
        spate_scene *scene = case_scene(2, DX, L, H + 6 * DX, 0);
        scene->domain.wall[1][0] = k ? SPATE_WALL_ROUGH : SPATE_WALL_SLIP;
        scene->domain.roughness[1][0] = roughness[k];
        loss[k] = run_wave(scene, case_full ? 10.4 : 5.4, &expected, &first).loss;
        printf("  floor with k_s = %g m: loss %.2f %% per period, %.2f %% more than over a smooth "
               "one (1.5 %%)\n",
               roughness[k], 100 * loss[k], 100 * (loss[k] - loss[0]));
        CHECK_LESS(loss[k] - loss[0], 0.015);
    }
}

TESTS(validation_standing_wave)
{
    TEST(wave_2d);
    TEST(wave_3d);
    TEST(wave_with_aflip_2d);
    TEST(wave_over_a_rough_floor);
}
