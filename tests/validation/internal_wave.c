/* internal_wave.c -- a standing internal wave: gas that is the warmer the higher it is, and swings
 * about its level.
 *
 * Temperature grows by N^2 / (g beta) K in each metre, N = 2 1/s. The box is one wavelength wide,
 * periodic, and half of one high: k = 2 pi / L along both axes. In the sense of Boussinesq
 *
 *     v = A sin(k y) cos(k x) cos(w t),   u = -A cos(k y) sin(k x) cos(w t),   w = N / sqrt(2)
 *
 * Looked at: the part of the faces' v that has the shape of the wave. Its zeros give the period,
 * its peaks what the wave loses. 32 cells a wavelength; a displacement of half a cell. If the
 * velocity that moves particles were extrapolated with the kicks of buoyancy, the wave would lose
 * 10 % in each period at N dt = 0.1 and 28 % at 0.3. */
#include "eddies.h"

#define FREQUENCY 2.0 /* N */
#define CELLS 32
#define EXPANSION 0.01
#define DX (1.0 / CELLS)

static double wave_frequency(void)
{
    return FREQUENCY / sqrt(2);
}

static void swing(const void *flow, const double x[3], double v[3])
{
    (void)flow;
    double size = 0.5 * DX * wave_frequency(), k = 2 * PI;
    v[0] = -size * cos(k * x[1]) * sin(k * x[0]);
    v[1] = size * sin(k * x[1]) * cos(k * x[0]);
}

/* K above the mean, in layers. */
static double heat_at(const void *args, const double x[3])
{
    (void)args;
    return FREQUENCY * FREQUENCY / (GRAVITY * EXPANSION) * (x[1] - 0.25);
}

/* The particles that are there, with the velocities and the heat of the wave. */
static bool begin(spate_sim *sim)
{
    return case_set_velocities(sim, swing, NULL) &&
           case_set_channel(sim, "temperature", heat_at, NULL);
}

/* The share of the wave in v, m/s. */
static double share_of_wave(spate_sim *sim)
{
    spate_field_view v;
    double sum = 0, k = 2 * PI;
    CHECK(spate_sim_field_view(sim, "v", &v));
    for (int j = 1; j < CELLS / 2; j++)
        for (int i = 0; i < CELLS; i++)
            sum += v.values[i * v.stride[0] + j * v.stride[1]] * sin(k * j * DX) *
                   cos(k * (i + 0.5) * DX);
    return sum * 4 / (CELLS * CELLS / 2);
}

static void swings(double steps_of_n, int periods)
{
    spate_scene *scene = case_scene(2, DX, 1, 0.5, 0);
    scene->fluid.kind = SPATE_FLUID_GAS;
    scene->fluid.expansion = EXPANSION;
    scene->domain.sides[0][0] = scene->domain.sides[0][1] = SPATE_SIDE_PERIODIC;
    strcpy(spate_scene_add_channel(scene)->name, "temperature");
    spate_sim *sim = case_start(scene);
    double dt = steps_of_n / FREQUENCY, exact = 2 * PI / wave_frequency();
    double first_zero = 0, last_zero = 0, peaks[2] = {0}, a[3] = {0};
    int zeros = 0, half = 0;
    char name[100];
    if (!sim || !begin(sim))
        return;
    for (int step = 0; step * dt < (periods + 0.5) * exact && case_step(sim, dt); step++) {
        a[0] = a[1];
        a[1] = a[2];
        a[2] = share_of_wave(sim);
        if (step >= 1 && a[1] * a[2] <= 0) {
            last_zero = (step + a[1] / (a[1] - a[2])) * dt;
            first_zero = zeros++ == 0 ? last_zero : first_zero;
        }
        if (step < 2 || fabs(a[1]) < fabs(a[0]) || fabs(a[1]) < fabs(a[2]))
            continue;
        double bend = a[0] - 2 * a[1] + a[2], lean = a[2] - a[0];
        double peak = fabs(a[1] - (bend != 0 ? lean * lean / (8 * bend) : 0));
        peaks[half > 0] = peak;
        half++;
    }
    double period = zeros > 1 ? 2 * (last_zero - first_zero) / (zeros - 1) : 0;
    double turns = half > 1 ? 0.5 * (half - 1) : 1;
    double lost = peaks[0] > 0 ? 1 - pow(peaks[1] / peaks[0], 1 / turns) : 1;
    printf("  N dt = %g: period %+.2f %%, %.2f %% lost in each of %.1f periods\n", steps_of_n,
           100 * (period / exact - 1), 100 * lost, turns);
    snprintf(name, sizeof name, "internal wave N dt %g: period off", steps_of_n);
    CHECK_FIGURE(name, fabs(period / exact - 1), 0.01);
    snprintf(name, sizeof name, "internal wave N dt %g: lost in a period", steps_of_n);
    CHECK_FIGURE(name, fabs(lost), 0.02);
    spate_sim_destroy(sim);
}

static void a_layered_gas_swings(void)
{
    swings(0.1, case_full ? 8 : 2);
    swings(0.3, case_full ? 8 : 4);
}

TESTS(validation_internal_wave)
{
    TEST(a_layered_gas_swings);
}
